//! `memory_inspect_graph`.

use engine::Result;
use engine::graph::{self, Graph, Walk};
use model::{Edge, MemoryId, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{Direction, IdText, Relation, preview, rounded};
use crate::caution;
use crate::mermaid;
use crate::tool::{Context, Effect, Tool};
use crate::wire::{Fraction, INT_MAX, Int};

/// Show what hangs together with a memory.
///
/// # When to use
/// To see what a memory replaces, contradicts or was caused by.
///
/// # Usage
/// ```json
/// {"memory_id": "mem_00000000000040008000000000000001", "max_depth": 3}
/// ```
/// ```json
/// {"memory_id": "mem_00000000000040008000000000000001", "output_format": "mermaid"}
/// ```
///
/// # Returns
/// `origin_id` and `stats`; as JSON also `nodes` (nearest first, the origin among them), the
/// `edges` that were walked, and `paths`: the shortest way to each node, among equals the one of
/// the greatest weight. Relevance is the product of the weights on the way times `decay_factor` for
/// each step; `total_weight` is that product alone. At most 500 nodes, then `stats.truncated`. As
/// Mermaid one `mermaid` text instead. What the caller may not see is not shown.
///
/// # Errors
/// `Memory not found: {id}`; a missing or wrong field.
///
/// # Related
/// `graph::inspect`: `memory_relate` adds an edge, `memory_edge_forget` removes one.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct MemoryInspectGraph {
    /// Where to start
    memory_id: IdText,
    /// How many edges far
    #[serde(default)]
    max_depth: Int<1, INT_MAX, 2>,
    /// Which edges to follow
    #[serde(default)]
    direction: Direction,
    /// Only these relations
    edge_types: Option<Vec<Relation>>,
    /// Include relevance
    #[serde(default = "yes")]
    include_scores: bool,
    /// What a step leaves of the relevance
    #[serde(default = "decay")]
    decay_factor: Fraction,
    /// How to show it
    #[serde(default)]
    output_format: Format,
}

fn yes() -> bool {
    true
}

fn decay() -> Fraction {
    Fraction(0.7)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    #[default]
    Json,
    Mermaid,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Inspected {
    success: bool,
    origin_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<NodeView>")]
    nodes: Option<Vec<NodeView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<EdgeView>")]
    edges: Option<Vec<EdgeView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<PathView>")]
    paths: Option<Vec<PathView>>,
    stats: Stats,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    mermaid: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct NodeView {
    id: String,
    content: String,
    content_preview: String,
    memory_type: &'static str,
    confidence: f64,
    importance: f64,
    depth: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    relevance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    caution: Option<String>,
}

// Both spellings of every field, as clients of the original read one or the other.
#[derive(Debug, Serialize, JsonSchema)]
struct EdgeView {
    id: i64,
    source: String,
    target: String,
    source_id: String,
    target_id: String,
    relation: &'static str,
    edge_type: &'static str,
    weight: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct PathView {
    path: Vec<String>,
    node_ids: Vec<String>,
    edge_types: Vec<&'static str>,
    total_weight: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    total_relevance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    relevance_score: Option<f64>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Stats {
    total_nodes: usize,
    total_edges: usize,
    node_count: usize,
    edge_count: usize,
    max_depth_reached: u64,
    truncated: bool,
}

impl Tool for MemoryInspectGraph {
    const NAME: &'static str = "memory_inspect_graph";
    const EFFECT: Effect = Effect::READ;
    const ROLE: Role = Role::Guest;
    type Response = Inspected;

    fn call(self, cx: &Context<'_>) -> Result<Inspected> {
        let id = self.memory_id.id()?;
        let relations = self.edge_types.unwrap_or_default();
        let walk = Walk {
            depth_max: self.max_depth.0,
            direction: self.direction.into(),
            relations: relations.into_iter().map(Into::into).collect(),
            decay: self.decay_factor.0,
        };
        let graph = self.memory_id.name(graph::inspect(cx.engine, cx.caller, id, &walk))?;
        let mut shown = Inspected {
            success: true,
            origin_id: id.prefixed(),
            stats: stats(&graph),
            nodes: None,
            edges: None,
            paths: None,
            mermaid: None,
        };
        match self.output_format {
            Format::Json => {
                shown.edges = Some(graph.edges.iter().map(edge).collect());
                shown.paths = Some(paths(&graph, self.include_scores));
                shown.nodes = Some(nodes(cx, graph, self.include_scores));
            }
            Format::Mermaid => shown.mermaid = Some(mermaid::flowchart(&graph)),
        }
        Ok(shown)
    }
}

fn stats(graph: &Graph) -> Stats {
    let (nodes, edges) = (graph.nodes.len(), graph.edges.len());
    Stats {
        total_nodes: nodes,
        total_edges: edges,
        node_count: nodes,
        edge_count: edges,
        max_depth_reached: graph.nodes.iter().map(|node| node.depth).max().unwrap_or(0),
        truncated: graph.truncated,
    }
}

fn nodes(cx: &Context<'_>, graph: Graph, with_scores: bool) -> Vec<NodeView> {
    let node = |node: graph::Node| NodeView {
        caution: caution::of(cx, &node.memory),
        id: node.memory.id.prefixed(),
        content_preview: preview(&node.memory.content),
        content: node.memory.content,
        memory_type: node.memory.kind.name(),
        confidence: node.memory.confidence,
        importance: node.memory.importance,
        depth: node.depth,
        relevance: with_scores.then_some(rounded(node.relevance)),
    };
    graph.nodes.into_iter().map(node).collect()
}

fn edge(edge: &Edge) -> EdgeView {
    EdgeView {
        id: edge.id,
        source: edge.source.prefixed(),
        target: edge.target.prefixed(),
        source_id: edge.source.prefixed(),
        target_id: edge.target.prefixed(),
        relation: edge.relation.name(),
        edge_type: edge.relation.name(),
        weight: edge.weight,
    }
}

fn paths(graph: &Graph, with_scores: bool) -> Vec<PathView> {
    let path = |path: &graph::Path| {
        let ids: Vec<String> = path.ids.iter().map(MemoryId::prefixed).collect();
        let relevance = with_scores.then_some(rounded(path.relevance));
        PathView {
            path: ids.clone(),
            node_ids: ids,
            edge_types: path.relations.iter().map(|relation| relation.name()).collect(),
            total_weight: rounded(path.weight),
            total_relevance: relevance,
            relevance_score: relevance,
        }
    };
    graph.paths.iter().map(path).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::{Bench, Speaker, check};

    /// a → b (0.8) → c (0.5), and c → a (1): a cycle.
    const CYCLE: &str = r#"
        > memory_store {"content": "a", "memory_type": "fact"}
        < {"data": {"id": "$a", "...": 0}, "...": 0}
        > memory_store {"content": "b", "memory_type": "fact"}
        < {"data": {"id": "$b", "...": 0}, "...": 0}
        > memory_store {"content": "c \"quoted\"] #1;\nsecond line", "memory_type": "fact"}
        < {"data": {"id": "$c", "...": 0}, "...": 0}
        > memory_relate {"source_id": "$a", "target_id": "$b", "relation": "relates_to", "weight": 0.8}
        < {"data": {"edge_id": "$ab"}, "...": 0}
        > memory_relate {"source_id": "$b", "target_id": "$c", "relation": "caused_by", "weight": 0.5}
        < {"data": {"edge_id": "$bc"}, "...": 0}
        > memory_relate {"source_id": "$c", "target_id": "$a", "relation": "contradicts"}
        < {"data": {"edge_id": "$ca"}, "...": 0}
    "#;

    #[test]
    fn nodes_edges_and_paths_with_both_spellings() {
        check(&format!(
            r#"{CYCLE}
            > memory_inspect_graph {{"memory_id": "$a", "direction": "outgoing"}}
            < {{"success": true, "origin_id": "$a",
                "nodes": [
                    {{"id": "$a", "content": "a", "content_preview": "a", "memory_type": "fact",
                      "confidence": 0.3, "importance": 0.5, "depth": 0, "relevance": 1}},
                    {{"id": "$b", "depth": 1, "relevance": 0.56, "...": 0}},
                    {{"id": "$c", "depth": 2, "relevance": 0.196,
                      "content_preview": "c \"quoted\"] #1; second line", "...": 0}}],
                "edges": [
                    {{"id": "$ab", "source": "$a", "target": "$b", "source_id": "$a",
                      "target_id": "$b", "relation": "relates_to", "edge_type": "relates_to",
                      "weight": 0.8}},
                    {{"id": "$bc", "...": 0}}],
                "paths": [
                    {{"path": ["$a", "$b"], "node_ids": ["$a", "$b"], "edge_types": ["relates_to"],
                      "total_weight": 0.8, "total_relevance": 0.56, "relevance_score": 0.56}},
                    {{"path": ["$a", "$b", "$c"], "node_ids": ["$a", "$b", "$c"],
                      "edge_types": ["relates_to", "caused_by"], "total_weight": 0.4,
                      "total_relevance": 0.196, "relevance_score": 0.196}}],
                "stats": {{"total_nodes": 3, "total_edges": 2, "node_count": 3, "edge_count": 2,
                    "max_depth_reached": 2, "truncated": false}}}}
            "#
        ));
    }

    #[test]
    fn a_cycle_ends_and_directions_differ() {
        check(&format!(
            r#"{CYCLE}
            > memory_inspect_graph {{"memory_id": "$a", "direction": "outgoing", "max_depth": 100}}
            < {{"stats": {{"total_nodes": 3, "total_edges": 3, "max_depth_reached": 2, "...": 0}},
                "...": 0}}
            > memory_inspect_graph {{"memory_id": "$a", "max_depth": 1}}
            < {{"nodes": [{{"id": "$a", "...": 0}}, {{"id": "$c", "relevance": 0.7, "...": 0}},
                {{"id": "$b", "relevance": 0.56, "...": 0}}],
                "stats": {{"total_edges": 2, "max_depth_reached": 1, "...": 0}}, "...": 0}}
            > memory_inspect_graph {{"memory_id": "$a", "direction": "incoming", "max_depth": 1}}
            < {{"nodes": [{{"id": "$a", "...": 0}}, {{"id": "$c", "...": 0}}], "...": 0}}
            > memory_inspect_graph {{"memory_id": "$a", "edge_types": ["relates_to"]}}
            < {{"nodes": [{{"id": "$a", "...": 0}}, {{"id": "$b", "...": 0}}], "...": 0}}
            > memory_inspect_graph {{"memory_id": "$a", "edge_types": []}}
            < {{"stats": {{"total_nodes": 3, "...": 0}}, "...": 0}}
            "#
        ));
    }

    #[test]
    fn scores_are_left_out_and_decay_is_the_callers() {
        check(&format!(
            r#"{CYCLE}
            > memory_inspect_graph {{"memory_id": "$a", "direction": "outgoing", "max_depth": 1,
                "include_scores": false}}
            < {{"nodes": [{{"id": "$a", "content": "a", "content_preview": "a", "memory_type": "fact",
                "confidence": 0.3, "importance": 0.5, "depth": 0}}, {{"id": "$b", "...": 0}}],
                "paths": [{{"path": "$*", "node_ids": "$*", "edge_types": "$*", "total_weight": 0.8}}],
                "...": 0}}
            > memory_inspect_graph {{"memory_id": "$a", "direction": "outgoing", "decay_factor": 1}}
            < {{"nodes": [{{"...": 0}}, {{"relevance": 0.8, "...": 0}}, {{"relevance": 0.4, "...": 0}}],
                "...": 0}}
            > memory_inspect_graph {{"memory_id": "$a", "direction": "outgoing", "decay_factor": 0}}
            < {{"nodes": [{{"relevance": 1, "...": 0}}, {{"relevance": 0, "...": 0}}, "..."], "...": 0}}
            "#
        ));
    }

    #[test]
    fn a_flowchart_is_escaped_and_its_edges_labelled() {
        check(&format!(
            r#"{CYCLE}
            > memory_inspect_graph {{"memory_id": "$a", "direction": "outgoing",
                "output_format": "mermaid"}}
            < {{"success": true, "origin_id": "$a", "stats": {{"total_nodes": 3, "...": 0}},
                "mermaid": "flowchart TD\n    n0[\"a\"]\n    n1[\"b\"]\n    n2[\"c #34;quoted#34;#93; #35;1#59; second line\"]\n    n0 -->|relates_to| n1\n    n1 -->|caused_by| n2\n"}}
            "#
        ));
    }

    #[test]
    fn more_than_500_memories_are_cut_and_500_are_not() {
        let mut bench = Bench::new();
        let mut store = |number: usize| {
            let reply = bench.call("memory_store", json!({"content": format!("m{number}")}));
            let id = reply.value["data"]["id"].as_str().unwrap().to_owned();
            if number > 0 {
                let first = "mem_00000000000040008000000000000001";
                let edge = json!({"source_id": first, "target_id": id, "relation": "relates_to"});
                assert!(!bench.call("memory_relate", edge).is_error);
            }
            if number < 499 {
                return None;
            }
            let first = json!({"memory_id": "mem_00000000000040008000000000000001"});
            Some(bench.call("memory_inspect_graph", first).value["stats"].clone())
        };
        let stats: Vec<_> = (0..=500).filter_map(&mut store).collect();
        assert_eq!(
            (&stats[0]["total_nodes"], &stats[0]["truncated"]),
            (&json!(500), &json!(false))
        );
        assert_eq!((&stats[1]["total_nodes"], &stats[1]["truncated"]), (&json!(500), &json!(true)));
    }

    #[test]
    fn what_the_caller_may_not_see_is_not_shown() {
        check(
            r#"
            @ caller user=ada team=blue
            > memory_store {"content": "private"}
            < {"data": {"id": "$private", "...": 0}, "...": 0}
            > memory_store {"content": "shared", "namespace": "team:blue"}
            < {"data": {"id": "$shared", "...": 0}, "...": 0}
            > memory_relate {"source_id": "$shared", "target_id": "$private", "relation": "caused_by"}
            < {"success": true, "...": 0}
            @ caller user=bob team=blue role=guest
            > memory_inspect_graph {"memory_id": "$shared"}
            < {"nodes": [{"id": "$shared", "...": 0}], "edges": [], "paths": [], "...": 0}
            > memory_inspect_graph {"memory_id": "$private"}
            <! {"success": false, "error": "$*"}
            "#,
        );
    }

    #[test]
    fn bad_input_is_named() {
        check(
            r#"
            > memory_inspect_graph {}
            <! {"success": false, "error": "memory_id is missing; it takes a text"}
            > memory_inspect_graph {"memory_id": "nobody"}
            <! {"success": false, "error": "Memory not found: nobody"}
            > memory_inspect_graph {"memory_id": "x", "max_depth": 0}
            <! {"success": false, "error": "max_depth got 0; it takes a whole number from 1"}
            > memory_inspect_graph {"memory_id": "x", "direction": "up"}
            <! {"success": false, "error": "$*"}
            > memory_inspect_graph {"memory_id": "x", "edge_types": ["likes"]}
            <! {"success": false, "error": "edge_types[0] got \"likes\"; it takes one of relates_to, supersedes, caused_by, contradicts"}
            > memory_inspect_graph {"memory_id": "x", "include_scores": 1}
            <! {"success": false, "error": "$*"}
            > memory_inspect_graph {"memory_id": "x", "decay_factor": 1.1}
            <! {"success": false, "error": "decay_factor got 1.1; it takes a number from 0 to 1"}
            > memory_inspect_graph {"memory_id": "x", "decay_factor": -0.1}
            <! {"success": false, "error": "$*"}
            > memory_inspect_graph {"memory_id": "x", "output_format": "dot"}
            <! {"success": false, "error": "output_format got \"dot\"; it takes one of json, mermaid"}
            "#,
        );
    }
}
