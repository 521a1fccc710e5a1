//! What comes from elsewhere, without its secrets.

use super::{Incoming, IncomingMemory, Source};
use crate::secrets::{self, Policy};

/// The same file without secrets, and how many there were.
pub(super) fn redacted(policy: Policy, source: &Source) -> (Source, usize) {
    let mut source = source.clone();
    let found: usize = source.incoming.iter_mut().map(|incoming| of(policy, incoming)).sum();
    let told = secrets::take_metadata(policy, &mut source.told);
    (source, found + told)
}

fn of(policy: Policy, incoming: &mut Incoming) -> usize {
    match incoming {
        Incoming::Memory(memory) => of_memory(policy, memory),
        Incoming::Thing { name, kind, summary, .. } => {
            let told = kind.iter_mut().chain(summary);
            texts(policy, told.chain([name]))
        }
        Incoming::Link { link, .. } => texts(policy, link),
        Incoming::Document { path, text, .. } => {
            secrets::take(policy, path) + secrets::take_lines(policy, text)
        }
        Incoming::Decision { record, .. } => secrets::take_record(policy, record),
    }
}

fn of_memory(policy: Policy, memory: &mut IncomingMemory) -> usize {
    let IncomingMemory { key, content, category, tags, metadata, .. } = memory;
    let told = key.iter_mut().chain(category).chain(tags);
    texts(policy, told.chain([content])) + secrets::take_metadata(policy, metadata)
}

fn texts<'a>(policy: Policy, texts: impl IntoIterator<Item = &'a mut String>) -> usize {
    texts.into_iter().map(|text| secrets::take(policy, text)).sum()
}
