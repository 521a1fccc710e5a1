//! Databases of others: read, row by row, and never changed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::types::ValueRef;

use crate::connection;
use crate::error::{Result, StoreError, at};

/// A database that takes longer to read is given up.
const TIME_MAX: Duration = Duration::from_secs(300);

/// An SQLite database that another program wrote.
#[derive(Debug)]
pub struct Foreign {
    connection: Connection,
    path: PathBuf,
}

/// One value of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Nothing.
    Null,
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// A text; what is not UTF-8 in it is replaced.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

/// A row, its values by the names of their columns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ForeignRow(Vec<(String, Cell)>);

impl ForeignRow {
    /// The value of a column; none if there is no such column.
    pub fn cell(&self, column: &str) -> Option<&Cell> {
        self.0.iter().find(|(name, _)| name.eq_ignore_ascii_case(column)).map(|(_, cell)| cell)
    }

    /// The text of a column, or its number as text; none if it holds nothing.
    pub fn text(&self, column: &str) -> Option<String> {
        match self.cell(column)? {
            Cell::Text(text) => Some(text.clone()),
            Cell::Integer(number) => Some(number.to_string()),
            Cell::Real(number) => Some(number.to_string()),
            Cell::Null | Cell::Blob(_) => None,
        }
    }

    /// The number of a column, if it holds one.
    pub fn number(&self, column: &str) -> Option<f64> {
        match self.cell(column)? {
            Cell::Integer(number) => Some(*number as f64),
            Cell::Real(number) => Some(*number),
            Cell::Text(text) => text.trim().parse().ok(),
            Cell::Null | Cell::Blob(_) => None,
        }
    }
}

impl Foreign {
    /// Opens the database at `path` to read and nothing else.
    ///
    /// # Errors
    ///
    /// The file is not there, or it is no SQLite database.
    pub fn open(path: &Path) -> Result<Self> {
        std::fs::metadata(path).map_err(at(path))?;
        let opened = connection::open_read_only(path).and_then(|mut connection| {
            connection::limit_time(&mut connection, TIME_MAX)?;
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
            Ok(connection)
        });
        match opened {
            Ok(connection) => Ok(Self { connection, path: path.to_owned() }),
            Err(error) if error.is_damage() => Err(StoreError::Damaged(format!(
                "{} is no SQLite database, or a broken one ({error})",
                path.display()
            ))),
            Err(error) => Err(error),
        }
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The names of the columns of a table; empty if there is no such table.
    pub fn columns(&self, table: &str) -> Result<Vec<String>> {
        let mut statement = self.connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
        let names = statement.query_map([table], |row| row.get(0))?;
        Ok(names.collect::<rusqlite::Result<_>>()?)
    }

    /// Reads the rows of a table one after the other, in the order of the columns that are named and
    /// there; it ends early where `visit` answers false.
    pub fn rows(&self, table: &str, visit: &mut dyn FnMut(ForeignRow) -> bool) -> Result<()> {
        let columns = self.columns(table)?;
        if columns.is_empty() {
            let path = self.path.display();
            return Err(StoreError::Damaged(format!("{path} has no table {table:?}")));
        }
        let quoted = table.replace('"', "\"\"");
        let mut statement = self.connection.prepare(&format!("SELECT * FROM \"{quoted}\""))?;
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let mut cells = Vec::with_capacity(names.len());
            for (at, name) in names.iter().enumerate() {
                cells.push((name.clone(), cell(row.get_ref(at)?)));
            }
            if !visit(ForeignRow(cells)) {
                break;
            }
        }
        Ok(())
    }
}

fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(number) => Cell::Integer(number),
        ValueRef::Real(number) => Cell::Real(number),
        ValueRef::Text(bytes) => Cell::Text(String::from_utf8_lossy(bytes).into_owned()),
        ValueRef::Blob(bytes) => Cell::Blob(bytes.to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_of_others_is_read_by_the_names_of_its_columns() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("other.db");
        let db = Connection::open(&path).unwrap();
        db.execute_batch(
            "CREATE TABLE t (id INTEGER, text TEXT, score REAL, bytes BLOB);
             INSERT INTO t VALUES (1, 'one', 0.5, x'00'), (2, NULL, 2, NULL);",
        )
        .unwrap();
        drop(db);
        let before = std::fs::read(&path).unwrap();
        let foreign = Foreign::open(&path).unwrap();
        let mut rows = Vec::new();
        foreign
            .rows("t", &mut |row| {
                rows.push((row.text("id"), row.text("TEXT"), row.number("score")));
                true
            })
            .unwrap();
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(rows, [(text("1"), text("one"), Some(0.5)), (text("2"), None, Some(2.0)),]);
        assert!(foreign.rows("u", &mut |_| true).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }

    #[test]
    fn what_is_no_database_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("other.db");
        std::fs::write(&path, "this is a text and no database at all, however long it may be")
            .unwrap();
        let error = Foreign::open(&path).unwrap_err().to_string();
        assert!(error.contains("no SQLite database"), "{error}");
        assert!(Foreign::open(&dir.path().join("none.db")).is_err());
    }
}
