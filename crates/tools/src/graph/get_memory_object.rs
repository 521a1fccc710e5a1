//! `get_memory_object`.

use engine::{Error, ErrorKind, Result, fact, trust};
use model::{Link, Role, Scope, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool::{Context, Effect, Pace, Tool};
use crate::wire::DateTime;

/// Show a thing of the graph and what it has to do with others.
///
/// # When to use
/// When you know its exact name. To find names: any search tool.
///
/// # Usage
/// ```json
/// {"name": "Spring AI"}
/// ```
/// ```json
/// {"name": "Spring AI", "as_of": "2027-01-01T00:00:00Z"}
/// ```
///
/// # Returns
/// `text`, `name`, `type`, `summary`, times, and the links that hold, newest first: `outgoing` and `incoming`, at
/// most 1,000 each; `total` counts all. With `as_of` (an RFC 3339 time) those that held then.
///
/// # Errors
/// For a name that nothing has (names are case-sensitive), or a time that is none.
///
/// # Related
/// `fact::look`: `add_memory_link` adds facts, `memory_search` finds names by meaning.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GetMemoryObject {
    /// Its exact name
    name: String,
    /// Answer as of this time
    as_of: Option<String>,
}

/// So many links stand in the text; all are in the lists.
const TOLD_MAX: usize = 20;

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Object {
    text: String,
    name: String,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    created_at: DateTime,
    updated_at: DateTime,
    outgoing: Vec<LinkView>,
    incoming: Vec<LinkView>,
    total: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    caution: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct LinkView {
    relation: String,
    /// The other end of an outgoing link
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    to: Option<String>,
    /// The other end of an incoming link
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    from: Option<String>,
    valid_at: DateTime,
    #[serde(skip_serializing_if = "Option::is_none")]
    invalid_at: Option<DateTime>,
    /// When it was learned, if not when it began
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<DateTime>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    caution: Option<String>,
}

impl LinkView {
    fn of(cx: &Context<'_>, scope: &Scope, link: Link, is_outgoing: bool) -> Self {
        let caution = trust::link_caution(cx.engine, scope, &link).told();
        let is_told_late = link.created_at != link.valid_at;
        Self {
            relation: link.relation,
            to: is_outgoing.then_some(link.to),
            from: (!is_outgoing).then_some(link.from),
            valid_at: link.valid_at.into(),
            invalid_at: link.invalid_at.map(Into::into),
            created_at: is_told_late.then(|| link.created_at.into()),
            caution,
        }
    }
}

impl Tool for GetMemoryObject {
    const NAME: &'static str = "get_memory_object";
    const EFFECT: Effect = Effect::READ;
    const ROLE: Role = Role::Guest;
    const ALIASES: &[(&str, &str)] = &[("asOf", "as_of")];
    const PACE: Pace = Pace::Quick;
    type Response = Object;

    fn call(self, cx: &Context<'_>) -> Result<Object> {
        let at = self.as_of.as_deref().map(time).transpose()?;
        let fact::Seen { entity, links } = fact::look(cx.engine, cx.caller, &self.name, at)?;
        let mut text = entity.told();
        for link in links.outgoing.iter().chain(&links.incoming).take(TOLD_MAX) {
            text.push_str(&format!("\n- {} -[{}]-> {}", link.from, link.relation, link.to));
        }
        if links.total > TOLD_MAX as u64 {
            text.push_str(&format!("\n… and {} more", links.total - TOLD_MAX as u64));
        }
        let caution = trust::entity_caution(cx.engine, cx.caller, &entity).told();
        let view = |link, is_outgoing| LinkView::of(cx, &entity.scope, link, is_outgoing);
        let outgoing: Vec<LinkView> =
            links.outgoing.into_iter().map(|link| view(link, true)).collect();
        let incoming: Vec<LinkView> =
            links.incoming.into_iter().map(|link| view(link, false)).collect();
        // The text tells of links, too.
        let of_links = outgoing.iter().chain(&incoming).find_map(|link| link.caution.clone());
        Ok(Object {
            text,
            caution: caution.or(of_links),
            name: entity.name,
            kind: entity.kind,
            summary: entity.summary,
            created_at: entity.created_at.into(),
            updated_at: entity.updated_at.into(),
            outgoing,
            incoming,
            total: links.total,
        })
    }
}

fn time(text: &str) -> Result<Timestamp> {
    text.parse().map_err(|_| {
        let message = format!("as_of got {text:?}; it takes a time such as 2026-01-31T12:00:00Z");
        Error::new(ErrorKind::InvalidValue, message)
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn a_thing_is_shown_with_its_links_both_ways() {
        check(
            r#"
            > add_memory_link {"from": "Ada", "relation": "works at", "to": "Acme"}
            < {"...": 0}
            > add_memory_link {"from": "Acme", "relation": "owns", "to": "Heron"}
            < {"...": 0}
            > get_memory_object {"name": "Acme"}
            < {"text": "Acme\n- Acme -[owns]-> Heron\n- Ada -[works at]-> Acme", "name": "Acme",
                "created_at": "$*", "updated_at": "$*",
                "outgoing": [{"relation": "owns", "to": "Heron", "valid_at": "$*"}],
                "incoming": [{"relation": "works at", "from": "Ada", "valid_at": "$*"}], "total": 2}
            > get_memory_object {"name": "Acme", "as_of": "yesterday"}
            <! {"success": false, "error": "as_of got \"yesterday\"; it takes a time such as 2026-01-31T12:00:00Z"}
            "#,
        );
    }

    #[test]
    fn the_past_is_answered_as_it_was() {
        // The clock of the tests begins on 2026-01-01 and goes on by a second whenever it is asked.
        check(
            r#"
            > add_memory_link {"from": "Ada", "relation": "works at", "to": "Acme"}
            < {"...": 0}
            > get_memory_object {"name": "Ada"}
            < {"outgoing": [{"to": "Acme", "valid_at": "$began", "...": 0}], "...": 0}
            > invalidate_memory_link {"from": "Ada", "relation": "works at", "to": "Acme"}
            < {"invalid_at": "$ended", "...": 0}
            > add_memory_link {"from": "Ada", "relation": "works at", "to": "Globex"}
            < {"...": 0}
            > get_memory_object {"name": "Ada"}
            < {"outgoing": [{"to": "Globex", "...": 0}], "total": 1, "...": 0}
            > get_memory_object {"name": "Ada", "as_of": "$began"}
            < {"outgoing": [{"to": "Acme", "valid_at": "$began", "invalid_at": "$ended", "...": 0}], "total": 1, "...": 0}
            > get_memory_object {"name": "Ada", "as_of": "$ended"}
            < {"outgoing": [], "total": 0, "...": 0}
            > get_memory_object {"name": "Ada", "as_of": "2025-01-01T00:00:00Z"}
            < {"outgoing": [], "total": 0, "...": 0}
            "#,
        );
    }
}
