//! Memories in layers, as Aeterna's contract has them: camelCase, ids with `mem_`.

mod memory_add;
mod memory_delete;
mod memory_search;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool::Spec;

/// The tools, in reading order.
pub(crate) const TOOLS: &[Spec] = &[
    Spec::of::<memory_add::MemoryAdd>(),
    Spec::of::<memory_search::MemorySearch>(),
    Spec::of::<memory_delete::MemoryDelete>(),
];

// A layer's name on the wire, strongest first. (Not `///`: that would stand in the schemas.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Layer {
    Agent,
    #[default]
    User,
    Session,
    Project,
    Team,
    Org,
    Company,
}

impl From<Layer> for model::Layer {
    fn from(layer: Layer) -> Self {
        Self::ALL[layer as usize]
    }
}

impl From<model::Layer> for Layer {
    fn from(layer: model::Layer) -> Self {
        match layer {
            model::Layer::Agent => Self::Agent,
            model::Layer::User => Self::User,
            model::Layer::Session => Self::Session,
            model::Layer::Project => Self::Project,
            model::Layer::Team => Self::Team,
            model::Layer::Org => Self::Org,
            model::Layer::Company => Self::Company,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layer_has_its_own_name_on_the_wire() {
        for layer in model::Layer::ALL {
            let wire = Layer::from(layer);
            assert_eq!(serde_json::to_value(wire).unwrap(), layer.name());
            assert_eq!(model::Layer::from(wire), layer);
        }
    }
}
