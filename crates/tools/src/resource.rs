//! Resources: memories to read without calling a tool. They belong to the toolset `notes`; reading
//! one counts as no access.

use engine::memory;
use engine::{Error, ErrorKind, Result};
use model::{MemoryFilter, Order, Paging, SortKey};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use crate::notes::{GetMemoryStats, Note, NoteType};
use crate::tool::{self, Context, Tool};

/// How many memories a resource shows at the most.
const MEMORIES_MAX: u64 = 50;

/// Something to read at a fixed address.
#[derive(Clone, Copy)]
pub struct Resource {
    /// Its address.
    pub uri: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What it shows.
    pub description: &'static str,
    read: fn(&Context<'_>) -> Result<Value>,
}

/// Something to read at an address with a hole in it.
#[derive(Clone, Copy)]
pub struct Template {
    /// Its address; the hole is the last part, in braces.
    pub uri: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What it shows.
    pub description: &'static str,
    read: fn(&Context<'_>, &str) -> Result<Value>,
}

impl Template {
    /// The address up to the hole.
    fn prefix(&self) -> &'static str {
        self.uri.split('{').next().unwrap_or(self.uri)
    }

    /// The name of the hole.
    pub fn argument(&self) -> &'static str {
        self.uri[self.prefix().len()..].trim_matches(['{', '}'])
    }
}

/// All resources, in reading order.
pub const RESOURCES: &[Resource] = &[
    Resource {
        uri: "memory://recent",
        name: "recent",
        description: "The newest memories",
        read: |cx| memories(cx, MemoryFilter::default(), SortKey::CreatedAt),
    },
    Resource {
        uri: "memory://core",
        name: "core",
        description: "Core memories, the most important first",
        read: |cx| of_type(cx, NoteType::Core, SortKey::Importance),
    },
    Resource {
        uri: "memory://learnings",
        name: "learnings",
        description: "Learnings, the newest first",
        read: |cx| of_type(cx, NoteType::Learning, SortKey::CreatedAt),
    },
    Resource {
        uri: "memory://tasks/active",
        name: "active-tasks",
        description: "Tasks that are not archived, the last changed first",
        read: |cx| of_type(cx, NoteType::Task, SortKey::UpdatedAt),
    },
    Resource {
        uri: "memory://stats",
        name: "stats",
        description: "How much is kept, of which types and tags",
        read: |cx| {
            let stats = GetMemoryStats {}.call(cx)?;
            serde_json::to_value(stats).map_err(|e| Error::new(ErrorKind::Internal, e.to_string()))
        },
    },
];

/// All templates, in reading order.
pub const TEMPLATES: &[Template] = &[
    Template {
        uri: "memory://memory/{id}",
        name: "memory",
        description: "One memory by its id",
        read: |cx, id| {
            let unknown = |_| Error::new(ErrorKind::NotFound, format!("Memory not found: {id}"));
            let memory = memory::get(cx.engine, cx.caller, id.parse().map_err(unknown)?)?;
            Ok(json!(Note::of(cx, memory)))
        },
    },
    Template {
        uri: "memory://tag/{tag}",
        name: "tag",
        description: "Memories with a tag, the newest first",
        read: |cx, tag| {
            let filter = MemoryFilter { tags_all: vec![tag.to_owned()], ..MemoryFilter::default() };
            memories(cx, filter, SortKey::CreatedAt)
        },
    },
    Template {
        uri: "memory://namespace/{namespace}",
        name: "namespace",
        description: "Memories of a namespace (global, project:<id>, …), the newest first",
        read: |cx, namespace| {
            let scope = cx.caller.identity.own(namespace);
            let unknown =
                || Error::new(ErrorKind::NotFound, format!("Namespace not found: {namespace}"));
            let scopes = vec![scope.ok_or_else(unknown)?];
            memories(cx, MemoryFilter { scopes, ..MemoryFilter::default() }, SortKey::CreatedAt)
        },
    },
];

/// What is at `uri`; `None` if nothing has that address.
pub fn read(uri: &str, cx: &Context<'_>) -> Option<Result<Value>> {
    let found = tool::noted("resources/read", cx, find(uri, cx)?);
    Some(found.map(|mut value| {
        tool::show(&mut value);
        value
    }))
}

fn find(uri: &str, cx: &Context<'_>) -> Option<Result<Value>> {
    if let Some(resource) = RESOURCES.iter().find(|resource| resource.uri == uri) {
        return Some((resource.read)(cx));
    }
    TEMPLATES.iter().find_map(|template| {
        let hole = uri.strip_prefix(template.prefix()).filter(|hole| !hole.is_empty())?;
        let text = percent_decode_str(hole).decode_utf8().ok()?;
        Some((template.read)(cx, &text))
    })
}

fn of_type(cx: &Context<'_>, note_type: NoteType, key: SortKey) -> Result<Value> {
    memories(cx, MemoryFilter { kinds: note_type.kinds(), ..MemoryFilter::default() }, key)
}

fn memories(cx: &Context<'_>, filter: MemoryFilter, key: SortKey) -> Result<Value> {
    let paging = Paging { key, order: Order::Descending, offset: 0, limit: MEMORIES_MAX };
    let page = memory::list(cx.engine, cx.caller, filter, paging)?;
    let notes: Vec<Note> = page.items.into_iter().map(|memory| Note::of(cx, memory)).collect();
    Ok(json!({"memories": notes, "total": page.total}))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Bench;

    fn contents(bench: &Bench, uri: &str) -> Vec<String> {
        let value = read(uri, &bench.context()).expect(uri).expect(uri);
        let memories = value["memories"].as_array().expect(uri).clone();
        memories.iter().map(|m| m["content"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn each_resource_shows_its_memories_and_counts_no_access() {
        let mut bench = Bench::new();
        bench.run(
            r#"
            > store_memory {"type": "core", "content": "low", "importance": "low"}
            < {"id": "$id", "...": 0}
            > store_memory {"type": "core", "content": "high", "importance": "high", "tags": ["a b"]}
            < {"...": 0}
            > store_memory {"type": "learning", "content": "learned"}
            < {"...": 0}
            > store_memory {"type": "task", "content": "done"}
            < {"id": "$done", "...": 0}
            > delete_memory {"id": "$done"}
            < {"...": 0}
            > store_memory {"type": "task", "content": "open"}
            < {"...": 0}
            > memory_add {"content": "shared", "layer": "project"}
            < {"...": 0}
            "#,
        );
        assert_eq!(
            contents(&bench, "memory://recent"),
            ["shared", "open", "learned", "high", "low"]
        );
        assert_eq!(contents(&bench, "memory://core"), ["high", "shared", "low"]);
        assert_eq!(contents(&bench, "memory://learnings"), ["learned"]);
        assert_eq!(contents(&bench, "memory://tasks/active"), ["open"]);
        assert_eq!(contents(&bench, "memory://tag/a%20b"), ["high"]);
        assert_eq!(contents(&bench, "memory://namespace/project:me"), ["shared"]);
        let stats = read("memory://stats", &bench.context()).unwrap().unwrap();
        assert_eq!(stats["total_memories"], 5);
        assert_eq!(stats["most_accessed"]["content"], "shared");
        assert_eq!(stats["most_accessed"]["access_count"], 0);
        let one = "memory://memory/00000000-0000-4000-8000-000000000001";
        assert_eq!(read(one, &bench.context()).unwrap().unwrap()["content"], "low");
    }

    #[test]
    fn what_is_not_there_is_not_found() {
        let bench = Bench::new();
        assert!(read("memory://nothing", &bench.context()).is_none());
        assert!(read("memory://tag/", &bench.context()).is_none());
        for uri in ["memory://memory/x", "memory://namespace/project:other"] {
            let error = read(uri, &bench.context()).unwrap().unwrap_err();
            assert_eq!(error.kind, ErrorKind::NotFound);
        }
    }

    #[test]
    fn a_hole_has_a_name() {
        let names: Vec<_> = TEMPLATES.iter().map(Template::argument).collect();
        assert_eq!(names, ["id", "tag", "namespace"]);
    }
}
