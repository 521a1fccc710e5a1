//! All rows of a damaged database that can be read, put into a new one.
//!
//! Tables are read by their own order and never by an index. Where a page cannot be read, the rows before
//! and behind it are; what lies between is halved until single rows are left.

use std::collections::VecDeque;

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Row, params_from_iter};

use crate::error::Result;

/// So many times a table that cannot be read whole is tried in parts.
const TRIES_MAX: usize = 20_000;

/// So many times if not one row has come: the page that leads to all others cannot be read, then.
const TRIES_FOR_NONE: usize = 4_096;

/// A table, as the new database has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) columns: Vec<String>,
    /// Whether its rows have numbers.
    pub(crate) is_numbered: bool,
}

/// What could not be read of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Gap {
    pub(crate) table: String,
    /// The numbers between which rows may lack.
    pub(crate) from: i64,
    pub(crate) to: i64,
}

/// SQLite's own table of how far the numbers of each table have come.
pub(crate) const COUNTERS: &str = "sqlite_sequence";

/// Tables that follow from others: made anew, not copied.
const DERIVED: [&str; 2] = ["memory_tally", "memory_tag"];

/// The tables of a database that hold what follows from nothing else.
pub(crate) fn tables(db: &Connection) -> Result<Vec<Table>> {
    let sql = "SELECT name, wr FROM pragma_table_list
               WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
               ORDER BY name";
    let mut statement = db.prepare(sql)?;
    let named = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, bool>(1)?)))?;
    let named: Vec<(String, bool)> = named.collect::<rusqlite::Result<_>>()?;
    let mut tables = Vec::new();
    for (name, is_keyed) in named.into_iter().filter(|(name, _)| !DERIVED.contains(&&**name)) {
        let mut statement = db.prepare("SELECT name FROM pragma_table_info(?1)")?;
        let columns = statement.query_map([&name], |row| row.get(0))?;
        let columns = columns.collect::<rusqlite::Result<_>>()?;
        tables.push(Table { name, columns, is_numbered: !is_keyed });
    }
    Ok(tables)
}

/// Copies what can be read of every table of `source` into `target`, which has its tables already. What
/// cannot be read is told.
pub(crate) fn copy(source: &Connection, target: &Connection) -> Result<Vec<Gap>> {
    let mut gaps = Vec::new();
    // Else each of thousands of tries would lock the file anew.
    let _reading = source.unchecked_transaction();
    for table in tables(target)? {
        // A new database has rows of its own in some.
        target.execute(&format!("DELETE FROM {}", table.name), [])?;
        let mut taker = Taker::new(target, &table)?;
        if table.is_numbered {
            numbered(source, &table, &mut taker);
            miss(source, target, &table, &mut taker)?;
        } else {
            keyed(source, &table, &mut taker);
        }
        gaps.extend(taker.finish());
    }
    // How far the numbers had come; without it a number might be given twice.
    let (counted, is_whole) = counters(source);
    for (name, seq) in counted {
        count_from(target, &name, seq)?;
    }
    if !is_whole {
        gaps.push(Gap { table: COUNTERS.to_owned(), from: i64::MIN, to: i64::MAX });
    }
    Ok(gaps)
}

/// How far the numbers of each table had come, as far as that can be read, and whether that is all.
pub(crate) fn counters(source: &Connection) -> (Vec<(String, i64)>, bool) {
    let read = source.prepare("SELECT name, seq FROM sqlite_sequence").and_then(|mut statement| {
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Vec<rusqlite::Result<(String, i64)>>>())
    });
    let Ok(rows) = read else { return (Vec::new(), false) };
    let is_whole = rows.iter().all(Result::is_ok);
    (rows.into_iter().filter_map(Result::ok).collect(), is_whole)
}

/// Lets a table's numbers go on from `seq`, unless they are further.
pub(crate) fn count_from(db: &Connection, table: &str, seq: i64) -> Result<()> {
    let counts = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1
                                 AND sql LIKE '%AUTOINCREMENT%')";
    if !db.query_row(counts, [table], |row| row.get::<_, bool>(0))? {
        return Ok(());
    }
    let changed =
        db.execute("UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1", (table, seq))?;
    if changed == 0 {
        db.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)", (table, seq))?;
    }
    Ok(())
}

/// Copies the rows with these numbers from a whole database, where they are not there yet. How many.
pub(crate) fn fill(source: &Connection, target: &Connection, gap: &Gap) -> Result<usize> {
    let Some(table) = tables(target)?.into_iter().find(|table| table.name == gap.table) else {
        return Ok(0);
    };
    let columns = table.columns.join(", ");
    let name = &table.name;
    let condition = if table.is_numbered { "rowid BETWEEN ?1 AND ?2" } else { "?1 <= ?2" };
    let sql = format!("SELECT 0, {columns} FROM {name} NOT INDEXED WHERE {condition}");
    let mut statement = source.prepare(&sql)?;
    let mut rows = statement.query((gap.from, gap.to))?;
    let mut taker = Taker::new(target, &table)?;
    while let Some(row) = rows.next()? {
        taker.take(row);
    }
    Ok(taker.taken)
}

/// Takes rows into a table of the new database.
struct Taker<'a> {
    table: &'a Table,
    insert: rusqlite::Statement<'a>,
    taken: usize,
    /// What could not be read or was refused.
    gaps: Vec<(i64, i64)>,
}

impl<'a> Taker<'a> {
    fn new(target: &'a Connection, table: &'a Table) -> Result<Self> {
        let (name, columns) = (&table.name, table.columns.join(", "));
        let marks = vec!["?"; table.columns.len()].join(", ");
        let sql = format!("INSERT OR IGNORE INTO {name} ({columns}) VALUES ({marks})");
        Ok(Self { table, insert: target.prepare(&sql)?, taken: 0, gaps: Vec::new() })
    }

    /// Takes the row whose number is in the first column and its values behind it. False if it is none
    /// that we write.
    fn take(&mut self, row: &Row<'_>) -> bool {
        let values: Option<Vec<Value>> =
            (1..=self.table.columns.len()).map(|at| value(row.get_ref(at).ok()?)).collect();
        let put = values.map(|values| self.insert.execute(params_from_iter(values)));
        let is_taken = matches!(put, Some(Ok(1)));
        self.taken += usize::from(is_taken);
        is_taken
    }

    fn lose(&mut self, from: i64, to: i64) {
        self.gaps.push((from, to));
    }

    fn finish(mut self) -> Vec<Gap> {
        self.gaps.sort_unstable();
        let mut gaps: Vec<Gap> = Vec::new();
        for (from, to) in self.gaps {
            match gaps.last_mut() {
                Some(last) if from <= last.to.saturating_add(1) => last.to = last.to.max(to),
                _ => gaps.push(Gap { table: self.table.name.clone(), from, to }),
            }
        }
        gaps
    }
}

/// A value as it is; none if it is a text that is none.
fn value(found: ValueRef<'_>) -> Option<Value> {
    Some(match found {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(bytes) => Value::Text(std::str::from_utf8(bytes).ok()?.to_owned()),
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
    })
}

/// How a look through a range of a table ended.
enum Scan {
    Whole,
    /// The last row that could be read, if there was one.
    Broken(Option<i64>),
}

/// Rows that have numbers: by parts, until what cannot be read stands alone.
fn numbered(source: &Connection, table: &Table, taker: &mut Taker<'_>) {
    // At first without bounds: a number that is damaged ends nothing then.
    let Scan::Broken(last) = scan(source, table, taker, "", "ASC", None) else { return };
    let highest = source
        .query_row("SELECT seq FROM sqlite_sequence WHERE name = ?1", [&table.name], |row| {
            row.get(0)
        })
        .unwrap_or(i64::MAX);
    let from = last.map_or(0, |last| last.saturating_add(1));
    let mut parts = VecDeque::from([(from, highest.max(from))]);
    let mut tries = 0;
    while let Some((mut from, mut to)) = parts.pop_front() {
        tries += 1;
        if tries > if taker.taken == 0 { TRIES_FOR_NONE } else { TRIES_MAX } {
            taker.lose(from, to);
            continue;
        }
        let within = "WHERE rowid BETWEEN ?1 AND ?2";
        match scan(source, table, taker, within, "ASC", Some((from, to))) {
            Scan::Whole => continue,
            Scan::Broken(last) => from = last.map_or(from, |last| last.saturating_add(1)),
        }
        match scan(source, table, taker, within, "DESC", Some((from, to))) {
            Scan::Whole => continue,
            Scan::Broken(first) => to = first.map_or(to, |first| first.saturating_sub(1)),
        }
        if from >= to {
            taker.lose(from, from.max(to));
            continue;
        }
        let middle = from.midpoint(to);
        parts.extend([(from, middle), (middle + 1, to)]);
    }
}

fn scan(
    source: &Connection,
    table: &Table,
    taker: &mut Taker<'_>,
    within: &str,
    order: &str,
    bounds: Option<(i64, i64)>,
) -> Scan {
    let (name, columns) = (&table.name, table.columns.join(", "));
    let sql =
        format!("SELECT rowid, {columns} FROM {name} NOT INDEXED {within} ORDER BY rowid {order}");
    let Ok(mut statement) = source.prepare_cached(&sql) else { return Scan::Broken(None) };
    let rows = match bounds {
        Some(bounds) => statement.query(bounds),
        None => statement.query([]),
    };
    let Ok(mut rows) = rows else { return Scan::Broken(None) };
    let mut last = None;
    loop {
        match rows.next() {
            Ok(Some(row)) => {
                let Ok(number) = row.get(0) else { return Scan::Broken(last) };
                if !taker.take(row) {
                    taker.lose(number, number);
                }
                last = Some(number);
            }
            Ok(None) => return Scan::Whole,
            Err(_) => return Scan::Broken(last),
        }
    }
}

/// Rows that an index knows and that did not come: a page that leads to another than it should hides
/// them without a word.
fn miss(
    source: &Connection,
    target: &Connection,
    table: &Table,
    taker: &mut Taker<'_>,
) -> Result<()> {
    let name = &table.name;
    let sql = "SELECT EXISTS (SELECT 1 FROM pragma_table_info(?1)
                              WHERE pk = 1 AND upper(type) = 'INTEGER')";
    if !target.query_row(sql, [name], |row| row.get::<_, bool>(0))? {
        // Its rows are numbered anew.
        return Ok(());
    }
    let mut indexes = target.prepare("SELECT name FROM pragma_index_list(?1) WHERE partial = 0")?;
    let indexes = indexes.query_map([name], |row| row.get(0))?;
    let indexes: Vec<String> = indexes.collect::<rusqlite::Result<_>>()?;
    let numbers = |index: &String| -> Option<Vec<i64>> {
        let sql = format!("SELECT rowid FROM {name} INDEXED BY {index}");
        let mut statement = source.prepare(&sql).ok()?;
        let numbers = statement.query_map([], |row| row.get(0)).ok()?;
        numbers.collect::<rusqlite::Result<_>>().ok()
    };
    // The first index that can be read tells.
    let known = indexes.iter().find_map(numbers).unwrap_or_default();
    let mut is_there = target.prepare(&format!("SELECT 1 FROM {name} WHERE rowid = ?1"))?;
    for number in known {
        if !is_there.exists([number])? {
            taker.lose(number, number);
        }
    }
    Ok(())
}

/// Rows that have none: from both ends.
fn keyed(source: &Connection, table: &Table, taker: &mut Taker<'_>) {
    let (name, columns) = (&table.name, table.columns.join(", "));
    let from_the_end = table.columns.iter().map(|column| format!("{column} DESC"));
    let from_the_end = from_the_end.collect::<Vec<_>>().join(", ");
    let orders = [String::new(), format!("ORDER BY {from_the_end}")];
    for order in orders {
        let sql = format!("SELECT 0, {columns} FROM {name} {order}");
        let read = source.prepare(&sql).and_then(|mut statement| {
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                taker.take(row);
            }
            Ok(())
        });
        if read.is_ok() {
            return;
        }
    }
    taker.lose(i64::MIN, i64::MAX);
}
