//! How sure we are of a memory, and how that changes when it is put to use.
//!
//! A confidence lies in 0..1 and moves in decimal steps. It is rounded after each of them, so that
//! six steps of 0.1 from 0.3 are 0.9 and not a little less.

use crate::memory::{Kind, Memory};

/// How sure we are of a new memory.
pub const CONFIDENCE_NEW: f64 = 0.3;

/// From here on a memory is a golden rule, whatever its kind.
pub const GOLDEN_FLOOR: f64 = 0.9;

/// Below this a memory is of low confidence.
pub const LOW_CEILING: f64 = 0.3;

/// What a use that helped adds.
const HELPED: f64 = 0.1;

/// What a use that did not help takes away.
const FAILED: f64 = 0.15;

/// A confidence has no more decimal places than this many steps to one.
const GRAIN: f64 = 1e9;

/// The confidence after one more use.
pub fn after_use(confidence: f64, was_helpful: bool) -> f64 {
    let step = if was_helpful { HELPED } else { -FAILED };
    rounded((confidence + step).clamp(0.0, 1.0))
}

/// A confidence without the traces of binary numbers.
pub(crate) fn rounded(confidence: f64) -> f64 {
    (confidence * GRAIN).round() / GRAIN
}

/// Whether a memory of this kind and confidence is a golden rule: nothing deletes or archives it
/// unless that is asked for by name.
pub fn is_golden(kind: Kind, confidence: f64) -> bool {
    kind == Kind::GoldenRule || confidence > GOLDEN_FLOOR - 0.5 / GRAIN
}

/// The kind of a memory whose confidence is now this. It becomes a golden rule once, and stays one.
pub fn kind_at(kind: Kind, confidence: f64) -> Kind {
    let rises = matches!(kind, Kind::Preference | Kind::Decision | Kind::Pattern);
    if rises && is_golden(kind, confidence) { Kind::GoldenRule } else { kind }
}

impl Memory {
    /// Whether it is a golden rule.
    pub fn is_golden(&self) -> bool {
        is_golden(self.kind, self.confidence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_stay_decimal_and_within_bounds() {
        let up: Vec<f64> =
            std::iter::successors(Some(CONFIDENCE_NEW), |c| Some(after_use(*c, true)))
                .take(9)
                .collect();
        assert_eq!(up, [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.0]);
        let down: Vec<f64> =
            std::iter::successors(Some(CONFIDENCE_NEW), |c| Some(after_use(*c, false)))
                .take(4)
                .collect();
        assert_eq!(down, [0.3, 0.15, 0.0, 0.0]);
        assert_eq!(after_use(0.9, false), 0.75);
    }

    #[test]
    fn some_kinds_become_golden_rules_and_all_are_protected() {
        for kind in [Kind::Preference, Kind::Decision, Kind::Pattern] {
            assert_eq!(kind_at(kind, 0.9), Kind::GoldenRule);
            assert_eq!(kind_at(kind, 0.89), kind);
        }
        for kind in [Kind::Fact, Kind::Session] {
            assert_eq!(kind_at(kind, 1.0), kind);
            assert!(is_golden(kind, 0.9) && !is_golden(kind, 0.899));
        }
        assert_eq!(kind_at(Kind::GoldenRule, 0.1), Kind::GoldenRule);
        assert!(is_golden(Kind::GoldenRule, 0.0));
        assert!(is_golden(Kind::Fact, 0.3 + 6.0 * 0.1));
    }
}
