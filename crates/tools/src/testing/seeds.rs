//! What usages in the docs are about, stored first.

use super::Bench;
use crate::dialect::Dialect;
use crate::tool::Definition;

/// What usages in the docs are about. Ids count up: the memories are 1 and 2.
const MEMORIES: &str = r#"
    > store_memory {"type": "core", "content": "seed"}
    < {"id": "00000000-0000-4000-8000-000000000001", "...": 0}
    > store_memory {"type": "core", "content": "second seed"}
    < {"id": "00000000-0000-4000-8000-000000000002", "...": 0}
"#;

/// The same for the ledger: the decision is 3, the event of its recording 4, the proposal 5.
const RECORDS: &str = r#"
    > record_decision {"title": "Use MySQL", "target": "database",
        "rationale": "Everybody knows it.", "namespace": "backend"}
    < {"fid": "000000000003", "...": 0}
    > record_decision {"kind": "proposal", "title": "Use SQLite", "target": "database",
        "rationale": "It needs no server.", "namespace": "backend"}
    < {"fid": "000000000005", "...": 0}
"#;

/// The same for the graph.
const FACT: &str = r#"
    > add_memory_link {"from": "Spring AI", "relation": "integrates", "to": "LLM"}
    < {"created": {"from": true, "to": true, "link": true}, "...": 0}
"#;

/// The same for files and commands.
const FILES: &str = r#"
    @ work src/main.rs
    | fn main() {
    |     println!("hello");
    | }
"#;

/// The same for knowledge.
const ITEM: &str = "
    @ file orgs/me/adrs/adr-042-database-selection.md
    | ---
    | status: accepted
    | ---
    | # Database Selection for New Services
";

impl Bench {
    /// Stores what the usages of a tool are about.
    pub(crate) fn seed(&mut self, definition: &Definition) {
        self.run(MEMORIES);
        match definition.dialect {
            Dialect::LedgerMind => self.run(RECORDS),
            Dialect::Gromozeka => [FACT, FILES].into_iter().for_each(|seed| self.run(seed)),
            Dialect::Aeterna => self.run(ITEM),
            Dialect::AgentMemory | Dialect::Theo => {}
        }
    }
}
