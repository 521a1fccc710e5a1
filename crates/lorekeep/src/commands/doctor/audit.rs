//! What the doctor says of the audit log.

use store::{Beside, Fault, Store};

use super::{Finding, MEND, State, finding};
use crate::commands::audit::{lost_in_repair, not_checked, told};
use crate::settings::Settings;

/// Whether the log hangs together. Of a store that is not there, or does not open, others tell.
pub(super) fn look(settings: &Settings) -> Vec<Finding> {
    let Ok(store) = Store::open_read_only(&settings.data_dir) else { return Vec::new() };
    let verified = match store.verify_audit(&Beside::default()) {
        Ok(verified) => verified,
        Err(error) => return vec![finding("audit", State::Wrong, error.to_string())],
    };
    let lost = verified.lost.iter();
    let lost = lost.map(|range| finding("audit", State::Worth, lost_in_repair(*range)));
    let mut findings: Vec<Finding> = lost.collect();
    findings.push(match (verified.fault, verified.head) {
        (Some(Fault::Damaged(what)), _) => {
            finding("audit", State::Wrong, format!("{what}; {MEND}"))
        }
        (Some(Fault::Changed(what)), _) => {
            let text = format!(
                "{what}: somebody changed the log of who did what; `lorekeep audit show` has what is left"
            );
            finding("audit", State::Wrong, text)
        }
        (None, None) => finding("audit", State::Good, "no entry yet"),
        (None, Some((number, hash))) => {
            let head = told(number, &hash);
            let text = format!("{} entries hang together, the newest is {head}", verified.entries);
            finding("audit", State::Good, text)
        }
    });
    let unchecked = verified.unchecked.into_iter();
    findings.extend(unchecked.map(|range| finding("audit", State::Good, not_checked(range))));
    findings
}
