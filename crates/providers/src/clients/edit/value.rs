//! What a file says, apart from how it is written: what a change should lead to is known by it.

use serde_json::{Map, Value};

/// A step on the way to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step<'a> {
    /// Into the member of an object.
    Key(&'a str),
    /// Into the element of a list.
    At(usize),
}

/// Puts a value at a path, and makes what is missing on the way; nothing if something else is there.
pub(super) fn put(root: &mut Value, path: &[Step<'_>], new: Value) -> Option<()> {
    let Some((step, rest)) = path.split_first() else {
        *root = new;
        return Some(());
    };
    let next = match step {
        Step::Key(key) => {
            if root.is_null() {
                *root = Value::Object(Map::new());
            }
            root.as_object_mut()?.entry(*key).or_insert(Value::Null)
        }
        Step::At(at) => {
            if root.is_null() {
                *root = Value::Array(Vec::new());
            }
            let list = root.as_array_mut()?;
            if *at == list.len() {
                list.push(Value::Null);
            }
            list.get_mut(*at)?
        }
    };
    put(next, rest, new)
}

/// Takes out what stands at a path; nothing if it is not there.
pub(super) fn take(root: &mut Value, path: &[Step<'_>]) -> Option<()> {
    let (last, way) = path.split_last()?;
    let parent = way.iter().try_fold(root, |value, step| match step {
        Step::Key(key) => value.get_mut(*key),
        Step::At(at) => value.get_mut(*at),
    })?;
    match (parent, last) {
        (Value::Object(object), Step::Key(key)) => object.shift_remove(*key).map(|_| ()),
        (Value::Array(list), Step::At(at)) if *at < list.len() => {
            list.remove(*at);
            Some(())
        }
        _ => None,
    }
}
