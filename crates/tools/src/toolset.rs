//! The nine toolsets, and the five systems whose contracts they are.

use std::str::FromStr;

use crate::dialect::Dialect;
use crate::tool::Spec;
use crate::{documents, files, graph, knowledge, layers, learning, ledger, notes, web};

/// A group of tools that are switched on together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Toolset {
    /// Memories in layers, from one agent to the whole company.
    Layers,
    /// Decisions, policies, patterns and specifications of an organisation.
    Knowledge,
    /// Memories as plain notes.
    Notes,
    /// Decisions with reasons, evidence and a trail in git.
    Ledger,
    /// Files, indexed and searched.
    Documents,
    /// Memories that grow surer with use.
    Learning,
    /// Facts and how they hang together.
    Graph,
    /// Files, read and edited.
    Files,
    /// The web, searched and read.
    Web,
}

impl Toolset {
    /// All toolsets, in reading order.
    pub const ALL: [Self; 9] = [
        Self::Layers,
        Self::Knowledge,
        Self::Notes,
        Self::Ledger,
        Self::Documents,
        Self::Learning,
        Self::Graph,
        Self::Files,
        Self::Web,
    ];

    /// What is offered when nothing else is asked for.
    pub const DEFAULT: [Self; 2] = [Self::Layers, Self::Knowledge];

    /// The toolset's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Layers => "layers",
            Self::Knowledge => "knowledge",
            Self::Notes => "notes",
            Self::Ledger => "ledger",
            Self::Documents => "documents",
            Self::Learning => "learning",
            Self::Graph => "graph",
            Self::Files => "files",
            Self::Web => "web",
        }
    }

    /// What it is for, in one line.
    pub const fn purpose(self) -> &'static str {
        match self {
            Self::Layers => "remember and search in layers, from one agent to the whole company",
            Self::Knowledge => "ADRs, policies, patterns, specs, and a check against them",
            Self::Notes => "store, filter, page and archive notes",
            Self::Ledger => "decisions with reasons, evidence and a git trail",
            Self::Documents => "index files and search them",
            Self::Learning => "memories that gain confidence with use",
            Self::Graph => "facts about things and how they hang together",
            Self::Files => "read, write and edit files; run commands",
            Self::Web => "search the web and read pages",
        }
    }

    /// How it speaks of errors.
    pub const fn dialect(self) -> Dialect {
        match self {
            Self::Layers | Self::Knowledge => Dialect::Aeterna,
            Self::Notes => Dialect::AgentMemory,
            Self::Ledger => Dialect::LedgerMind,
            Self::Documents | Self::Learning => Dialect::Theo,
            Self::Graph | Self::Files | Self::Web => Dialect::Gromozeka,
        }
    }

    /// Its tools, in reading order.
    pub const fn tools(self) -> &'static [Spec] {
        match self {
            Self::Layers => layers::TOOLS,
            Self::Notes => notes::TOOLS,
            Self::Ledger => ledger::TOOLS,
            Self::Documents => documents::TOOLS,
            Self::Learning => learning::TOOLS,
            Self::Knowledge => knowledge::TOOLS,
            Self::Graph => graph::TOOLS,
            Self::Files => files::TOOLS,
            Self::Web => web::TOOLS,
        }
    }

    /// The toolset of that name, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|toolset| toolset.name() == name)
    }
}

/// What a word in `--toolsets` stands for: a toolset, all of them, or a system as a drop-in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// One toolset.
    One(Toolset),
    /// All toolsets.
    All,
    /// The toolsets of one system, with its limits.
    System(Dialect),
}

impl Profile {
    /// The toolsets it stands for.
    pub fn toolsets(self) -> Vec<Toolset> {
        let wanted = |toolset: &Toolset| match self {
            Self::One(one) => *toolset == one,
            Self::All => true,
            Self::System(system) => toolset.dialect() == system,
        };
        Toolset::ALL.into_iter().filter(wanted).collect()
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        if word == "all" {
            return Ok(Self::All);
        }
        let toolset = Toolset::named(word).map(Self::One);
        let system = || Dialect::ALL.into_iter().find(|d| d.system() == word).map(Self::System);
        toolset.or_else(system).ok_or_else(|| {
            let toolsets = Toolset::ALL.map(Toolset::name).join(", ");
            let systems = Dialect::ALL.map(Dialect::system).join(", ");
            format!("toolset {word:?} is unknown; it takes {toolsets}, all, or a system: {systems}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_stands_for_its_toolsets() {
        let names = |word: &str| -> Vec<_> {
            word.parse::<Profile>().unwrap().toolsets().into_iter().map(Toolset::name).collect()
        };
        assert_eq!(names("aeterna"), ["layers", "knowledge"]);
        assert_eq!(names("agent-memory"), ["notes"]);
        assert_eq!(names("gromozeka"), ["graph", "files", "web"]);
        assert_eq!(names("ledgermind"), ["ledger"]);
        assert_eq!(names("theo"), ["documents", "learning"]);
        assert_eq!(names("notes"), ["notes"]);
        assert_eq!(names("all").len(), 9);
        let error = "nots".parse::<Profile>().unwrap_err();
        assert!(error.contains("\"nots\" is unknown; it takes layers, knowledge"), "{error}");
    }
}
