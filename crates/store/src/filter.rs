//! A [`MemoryFilter`] as SQL, with every value bound and none in the text.

use model::confidence::GOLDEN_FLOOR;
use model::{Kind, MemoryFilter, Scope, TextPart};
use rusqlite::types::Value;

/// A condition over `memory m` and the values its question marks stand for, in order.
#[derive(Debug, Default)]
pub(crate) struct Where {
    pub(crate) sql: String,
    pub(crate) values: Vec<Value>,
}

impl Where {
    /// The condition that `filter` puts on `memory m`.
    pub(crate) fn of(filter: &MemoryFilter) -> Self {
        let mut all = Self::in_scopes("m.scope", &filter.scopes);
        if !filter.archived {
            all.and("m.archived = 0", []);
        }
        if !filter.kinds.is_empty() {
            let names = filter.kinds.iter().map(|kind| text(kind.name()));
            all.and(&format!("m.kind IN ({})", marks(filter.kinds.len())), names);
        }
        for tag in &filter.tags_all {
            all.and(
                "EXISTS (SELECT 1 FROM memory_tag t WHERE t.memory = m.seq AND t.tag = ?)",
                [text(tag)],
            );
        }
        if !filter.tags_any.is_empty() {
            let any = marks(filter.tags_any.len());
            all.and(
                &format!(
                    "EXISTS (SELECT 1 FROM memory_tag t WHERE t.memory = m.seq AND t.tag IN ({any}))"
                ),
                filter.tags_any.iter().map(|tag| text(tag)),
            );
        }
        if let Some(step) = filter.importance {
            all.and("m.importance >= ?", [Value::Real(step.floor())]);
            if let Some(ceiling) = step.ceiling() {
                all.and("m.importance < ?", [Value::Real(ceiling)]);
            }
        }
        if let Some(least) = filter.importance_min {
            all.and("m.importance >= ?", [Value::Real(least)]);
        }
        if let Some(least) = filter.confidence_min {
            all.and("m.confidence >= ?", [Value::Real(least)]);
        }
        if let Some(category) = &filter.category {
            all.and("m.category = ?", [text(category)]);
        }
        for part in &filter.containing {
            let is_word = Value::Integer(matches!(part, TextPart::Word(_)).into());
            let folded = text(&part.text().to_lowercase());
            all.and("contains_folded(m.content, ?, ?)", [folded, is_word]);
        }
        all
    }

    /// That the scope in this column is one of these.
    pub(crate) fn in_scopes(column: &str, scopes: &[Scope]) -> Self {
        let mut all = Self::default();
        let pairs = vec!["(?, ?)"; scopes.len()].join(", ");
        let names = |scope: &Scope| [text(scope.layer.name()), text(&scope.owner)];
        let sql = if scopes.is_empty() {
            "FALSE".to_owned()
        } else {
            format!("{column} IN (SELECT id FROM scope WHERE (layer, owner) IN (VALUES {pairs}))")
        };
        all.and(&sql, scopes.iter().flat_map(names));
        all
    }

    fn and(&mut self, condition: &str, values: impl IntoIterator<Item = Value>) {
        if !self.sql.is_empty() {
            self.sql.push_str(" AND ");
        }
        self.sql.push_str(condition);
        self.values.extend(values);
    }
}

/// That `memory m` is a golden rule: [`model::Memory::is_golden`] in SQL.
pub(crate) fn is_golden() -> String {
    format!("(m.kind = '{}' OR m.confidence >= {GOLDEN_FLOOR:?})", Kind::GoldenRule.name())
}

fn marks(count: usize) -> String {
    vec!["?"; count].join(", ")
}

fn text(value: &str) -> Value {
    Value::Text(value.to_owned())
}
