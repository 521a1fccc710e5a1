//! What the grammars call things: functions and classes, comments, and what only wraps them.

use tree_sitter::Node;

use crate::chunk::name;

/// How deep the name of a C function may lie: `char *(*f(int))[3]`.
const DECLARATORS_MAX: usize = 16;

/// Whether a node says something about the one behind it.
pub(super) fn belongs_to_next(kind: &str) -> bool {
    matches!(
        kind,
        "comment"
            | "line_comment"
            | "block_comment"
            | "attribute_item"
            | "decorator"
            | "marker_annotation"
            | "annotation"
    )
}

/// Whether a node is there for the function or the class in it.
pub(super) fn is_wrapper(kind: &str) -> bool {
    matches!(
        kind,
        "decorated_definition"
            | "export_statement"
            | "template_declaration"
            | "lexical_declaration"
            | "variable_declaration"
            | "type_declaration"
            | "expression_statement"
            | "ambient_declaration"
    )
}

/// The name of a function, a class or the like; none if the node is something else.
pub(super) fn scope(node: &Node, text: &str) -> Option<String> {
    if !node.is_named() {
        return None;
    }
    let found = match node.kind() {
        "impl_item" => field(node, "type", text)?,
        "function_definition" => match field(node, "name", text) {
            Some(found) => found,
            None => declared(node, text)?,
        },
        "method_declaration" => {
            let own = field(node, "name", text)?;
            match field(node, "receiver", text).and_then(receiver) {
                Some(receiver) => return Some(format!("{} > {}", name(receiver), name(own))),
                None => own,
            }
        }
        "variable_declarator" => {
            let value = node.child_by_field_name("value")?;
            let is_scope = matches!(
                value.kind(),
                "arrow_function" | "function_expression" | "generator_function" | "class"
            );
            is_scope.then(|| field(node, "name", text))??
        }
        kind if is_scope(kind) => field(node, "name", text)?,
        _ => return None,
    };
    Some(name(found)).filter(|found| !found.is_empty())
}

/// What has a name and something in it; in order.
const SCOPES: [&str; 32] = [
    "abstract_class_declaration",
    "annotation_type_declaration",
    "class",
    "class_declaration",
    "class_definition",
    "class_specifier",
    "constructor_declaration",
    "enum_declaration",
    "enum_item",
    "enum_specifier",
    "function_declaration",
    "function_item",
    "generator_function_declaration",
    "interface_declaration",
    "internal_module",
    "macro_definition",
    "method",
    "method_definition",
    "mod_item",
    "module",
    "namespace_definition",
    "preproc_function_def",
    "record_declaration",
    "singleton_method",
    "struct_item",
    "struct_specifier",
    "trait_item",
    "type_alias",
    "type_alias_declaration",
    "type_spec",
    "union_item",
    "union_specifier",
];

fn is_scope(kind: &str) -> bool {
    SCOPES.binary_search(&kind).is_ok()
}

fn field<'a>(node: &Node, field: &str, text: &'a str) -> Option<&'a str> {
    text.get(node.child_by_field_name(field)?.byte_range())
}

/// The name in the innermost declarator of a C function.
fn declared<'a>(node: &Node, text: &'a str) -> Option<&'a str> {
    let mut innermost = node.child_by_field_name("declarator")?;
    for _ in 0..DECLARATORS_MAX {
        match innermost.child_by_field_name("declarator") {
            Some(inner) => innermost = inner,
            None => break,
        }
    }
    text.get(innermost.byte_range())
}

/// The type in the receiver of a Go method: `Server` in `(s *Server[T])`.
fn receiver(text: &str) -> Option<&str> {
    let last = text.trim_matches(['(', ')', ' ']).split_whitespace().next_back()?;
    let last = last.trim_start_matches('*');
    Some(last.split('[').next().unwrap_or(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scope_is_found() {
        assert!(SCOPES.is_sorted() && SCOPES.iter().all(|kind| is_scope(kind)));
    }

    #[test]
    fn receivers_have_a_type() {
        for text in ["(s *Server)", "(Server)", "(s Server[T])", "(*Server)"] {
            assert_eq!(receiver(text), Some("Server"), "{text}");
        }
        assert_eq!(receiver("()"), None);
    }
}
