//! JSON, as one document or one object a line.

use model::Metadata;
use serde_json::Value;

/// A longer line is not read.
const LINE_BYTES_MAX: usize = 16 << 20;

/// Objects with their places, or why they are none.
pub(super) type Objects = Vec<(String, Result<Metadata, String>)>;

/// The objects of a file: of a list, of the first of `keys` that holds one, or one a line. Each with its
/// place; what is none is told of with its reason.
///
/// # Errors
///
/// Nothing in the file is an object.
pub(super) fn objects(file: &str, text: &str, keys: &[&str]) -> Result<Objects, String> {
    if let Ok(document) = serde_json::from_str::<Value>(text) {
        return whole(file, document, keys);
    }
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    let read = |(line, at): (&str, usize)| (format!("{file}:{at}"), object(line));
    let objects: Vec<_> = lines.map(read).collect();
    match objects.iter().find_map(|(place, found)| Some((place, found.as_ref().err()?))) {
        Some((_, why)) if objects.iter().all(|(_, found)| found.is_err()) => {
            Err(format!("nothing in it is JSON ({why})"))
        }
        _ => Ok(objects),
    }
}

fn whole(file: &str, document: Value, keys: &[&str]) -> Result<Objects, String> {
    let list = match document {
        Value::Array(list) => list,
        Value::Object(mut object) => match keys.iter().find_map(|key| object.remove(*key)) {
            Some(Value::Array(list)) => list,
            _ => vec![Value::Object(object)],
        },
        _ => return Err("it is JSON, but no object and no list of objects".to_owned()),
    };
    let read = |(value, at): (Value, usize)| {
        let found = match value {
            Value::Object(object) => Ok(object),
            _ => Err("it is no object".to_owned()),
        };
        (format!("{file}#{at}"), found)
    };
    Ok(list.into_iter().zip(1..).map(read).collect())
}

fn object(line: &str) -> Result<Metadata, String> {
    if line.len() > LINE_BYTES_MAX {
        return Err(format!("the line has more than {} MB", LINE_BYTES_MAX >> 20));
    }
    match serde_json::from_str::<Value>(line) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err("it is no object".to_owned()),
        Err(why) => Err(format!("it is no JSON: {why}")),
    }
}
