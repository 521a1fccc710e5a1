//! Files of other systems, read into what the store can take in.
//!
//! A reader skips what it cannot read, with a reason and a place; it decides nothing and writes nothing.
//! A file that is broken as a whole is an error, so that nothing of it is taken.

mod agent_memory;
mod conversations;
mod front;
mod guess;
mod ledgermind;
mod lines;
mod markdown;
mod mem0;
mod memory_service;
mod notes;
mod server_memory;
mod table;
mod theo;
mod value;

use std::io::Read;
use std::path::{Path, PathBuf};

use engine::import::Source;
use model::{Timestamp, time};

pub use guess::guess;

/// A larger file is not read.
const FILE_BYTES_MAX: u64 = 256 << 20;

/// A Markdown file is not larger than this.
const NOTE_BYTES_MAX: u64 = 16 << 20;

/// No more files of a folder are read.
const FILES_MAX: usize = 200_000;

/// Folders within folders are followed so far.
const DEPTH_MAX: usize = 32;

/// What other systems write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// The reference memory server's JSONL of entities and relations.
    ServerMemory,
    /// CLAUDE.md, AGENTS.md, or a folder of Claude's automatic memory.
    Claude,
    /// Notes of basic-memory.
    BasicMemory,
    /// A vault of Obsidian.
    Obsidian,
    /// Any Markdown.
    Markdown,
    /// An export of mem0.
    Mem0,
    /// The database of mcp-memory-service.
    MemoryService,
    /// A folder of LedgerMind.
    LedgerMind,
    /// The database of Theo.
    Theo,
    /// The JSONL of Agent Memory.
    AgentMemory,
    /// Conversations that ChatGPT exported.
    ChatGpt,
    /// Conversations that Claude exported.
    ClaudeExport,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::ServerMemory,
        Self::Claude,
        Self::BasicMemory,
        Self::Obsidian,
        Self::Markdown,
        Self::Mem0,
        Self::MemoryService,
        Self::LedgerMind,
        Self::Theo,
        Self::AgentMemory,
        Self::ChatGpt,
        Self::ClaudeExport,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ServerMemory => "server-memory",
            Self::Claude => "claude",
            Self::BasicMemory => "basic-memory",
            Self::Obsidian => "obsidian",
            Self::Markdown => "markdown",
            Self::Mem0 => "mem0",
            Self::MemoryService => "mcp-memory-service",
            Self::LedgerMind => "ledgermind",
            Self::Theo => "theo",
            Self::AgentMemory => "agent-memory",
            Self::ChatGpt => "chatgpt",
            Self::ClaudeExport => "claude-export",
        }
    }

    /// The format of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// How the names of its files end, where a folder is given.
    const fn endings(self) -> &'static [&'static str] {
        match self {
            Self::ServerMemory | Self::AgentMemory => &["jsonl", "json"],
            Self::Mem0 => &["json", "jsonl"],
            Self::ChatGpt | Self::ClaudeExport => &["json"],
            Self::MemoryService | Self::Theo => &["db", "sqlite", "sqlite3"],
            _ => &["md", "markdown"],
        }
    }
}

/// The files below a path that a format is read from, in order.
///
/// # Errors
///
/// There is nothing at the path, or nothing in it that the format is read from.
pub fn files(format: Format, path: &Path) -> Result<Vec<PathBuf>, String> {
    let state = std::fs::metadata(path).map_err(|why| format!("{}: {why}", path.display()))?;
    if !state.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    let root = match format {
        Format::LedgerMind if path.join("semantic").is_dir() => path.join("semantic"),
        _ => path.to_owned(),
    };
    walk(&root, format.endings(), 0, &mut found)?;
    if matches!(format, Format::ChatGpt | Format::ClaudeExport) {
        found.retain(|file| {
            let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with("conversations")
        });
    }
    if found.is_empty() {
        let (name, endings) = (format.name(), format.endings().join(", ."));
        return Err(format!("{}: no file of {name} in it (.{endings})", path.display()));
    }
    found.sort();
    Ok(found)
}

/// Gathers files, without what is hidden and without following links.
fn walk(
    dir: &Path,
    endings: &[&str],
    depth: usize,
    found: &mut Vec<PathBuf>,
) -> Result<(), String> {
    if depth > DEPTH_MAX {
        return Ok(());
    }
    let entries = std::fs::read_dir(dir).map_err(|why| format!("{}: {why}", dir.display()))?;
    for entry in entries {
        let entry = entry.map_err(|why| format!("{}: {why}", dir.display()))?;
        let kind = entry.file_type().map_err(|why| format!("{}: {why}", dir.display()))?;
        let (name, path) = (entry.file_name(), entry.path());
        if name.to_string_lossy().starts_with('.') || kind.is_symlink() {
            continue;
        }
        if kind.is_dir() {
            walk(&path, endings, depth + 1, found)?;
            continue;
        }
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if kind.is_file() && endings.iter().any(|known| known.eq_ignore_ascii_case(ending)) {
            if found.len() >= FILES_MAX {
                return Err(format!("{}: more than {FILES_MAX} files", dir.display()));
            }
            found.push(path);
        }
    }
    Ok(())
}

/// Reads one file of a format.
///
/// # Errors
///
/// The file cannot be read, or is broken as a whole.
pub fn read(format: Format, path: &Path) -> Result<Source, String> {
    let name = path.display().to_string();
    match format {
        Format::MemoryService => return memory_service::read(path),
        Format::Theo => return theo::read(path),
        _ => {}
    }
    let max = if format.endings().contains(&"md") { NOTE_BYTES_MAX } else { FILE_BYTES_MAX };
    let text = text(path, max).map_err(|why| format!("{name}: {why}"))?;
    let file = File { name: name.clone(), path, text: &text };
    let read = match format {
        Format::ServerMemory => server_memory::read(&file),
        Format::AgentMemory => agent_memory::read(&file),
        Format::Mem0 => mem0::read(&file),
        Format::ChatGpt => conversations::chatgpt(&file),
        Format::ClaudeExport => conversations::claude(&file),
        Format::LedgerMind => ledgermind::read(&file),
        Format::BasicMemory | Format::Obsidian => notes::read(format, &file),
        _ => markdown::read(format, &file),
    };
    read.map_err(|why| format!("{name}: {why}"))
}

/// A file that is read.
struct File<'a> {
    /// As it is told of.
    name: String,
    path: &'a Path,
    text: &'a str,
}

impl File<'_> {
    /// What recognises the file the next time.
    fn key(&self) -> String {
        let path = self.path.canonicalize().unwrap_or_else(|_| self.path.to_owned());
        path.to_string_lossy().into_owned()
    }

    /// Its name without folder and ending.
    fn stem(&self) -> String {
        let stem = self.path.file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    }

    /// When it was changed last.
    fn modified(&self) -> Option<Timestamp> {
        let modified = std::fs::metadata(self.path).ok()?.modified().ok()?;
        let since = modified.duration_since(std::time::UNIX_EPOCH).ok()?;
        time::from_micros(i64::try_from(since.as_micros()).ok()?)
    }
}

/// The text of a file that is not too large.
fn text(path: &Path, max: u64) -> Result<String, String> {
    let file = std::fs::File::open(path).map_err(|why| why.to_string())?;
    let mut bytes = Vec::new();
    file.take(max + 1).read_to_end(&mut bytes).map_err(|why| why.to_string())?;
    if bytes.len() as u64 > max {
        return Err(format!("it is larger than {} MB", max >> 20));
    }
    let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())?;
    Ok(text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned))
}
