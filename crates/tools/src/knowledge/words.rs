//! Names on the wire. (Not `///` on the types: that would stand in the schemas.)

use model::{Constraint, Item, ItemKind, ItemStatus};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Type {
    Adr,
    Policy,
    Pattern,
    Spec,
}

impl From<Type> for ItemKind {
    fn from(wire: Type) -> Self {
        match wire {
            Type::Adr => Self::Adr,
            Type::Policy => Self::Policy,
            Type::Pattern => Self::Pattern,
            Type::Spec => Self::Spec,
        }
    }
}

impl From<ItemKind> for Type {
    fn from(kind: ItemKind) -> Self {
        match kind {
            ItemKind::Adr => Self::Adr,
            ItemKind::Policy => Self::Policy,
            ItemKind::Pattern => Self::Pattern,
            ItemKind::Spec => Self::Spec,
        }
    }
}

// Widest first, as the contract has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Layer {
    Company,
    Org,
    Team,
    Project,
}

impl From<Layer> for model::Layer {
    fn from(wire: Layer) -> Self {
        match wire {
            Layer::Company => Self::Company,
            Layer::Org => Self::Org,
            Layer::Team => Self::Team,
            Layer::Project => Self::Project,
        }
    }
}

impl From<model::Layer> for Layer {
    fn from(layer: model::Layer) -> Self {
        match layer {
            model::Layer::Company => Self::Company,
            model::Layer::Org => Self::Org,
            model::Layer::Team => Self::Team,
            // No item lies in a narrower layer than a project.
            _ => Self::Project,
        }
    }
}

// What can be asked for: nobody looks for what was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    Draft,
    Proposed,
    Accepted,
    Deprecated,
    Superseded,
}

impl From<Status> for ItemStatus {
    fn from(wire: Status) -> Self {
        match wire {
            Status::Draft => Self::Draft,
            Status::Proposed => Self::Proposed,
            Status::Accepted => Self::Accepted,
            Status::Deprecated => Self::Deprecated,
            Status::Superseded => Self::Superseded,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Severity {
    Info,
    #[default]
    Warn,
    Block,
}

impl From<Severity> for model::Severity {
    fn from(wire: Severity) -> Self {
        match wire {
            Severity::Info => Self::Info,
            Severity::Warn => Self::Warn,
            Severity::Block => Self::Block,
        }
    }
}

impl From<model::Severity> for Severity {
    fn from(severity: model::Severity) -> Self {
        match severity {
            model::Severity::Info => Self::Info,
            model::Severity::Warn => Self::Warn,
            model::Severity::Block => Self::Block,
        }
    }
}

// A constraint as its item has it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ConstraintView {
    operator: &'static str,
    target: &'static str,
    pattern: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    applies_to: Vec<String>,
    severity: Severity,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    message: Option<String>,
}

impl ConstraintView {
    pub(super) fn of(item: &Item, constraint: &Constraint) -> Self {
        Self {
            operator: constraint.operator.name(),
            target: constraint.target.name(),
            pattern: constraint.pattern.clone(),
            applies_to: constraint.applies_to.clone(),
            severity: item.severity_of(constraint).into(),
            message: constraint.message.clone(),
        }
    }
}
