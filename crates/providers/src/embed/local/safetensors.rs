//! Weights in a file of the kind `safetensors`: a length, a table of contents in JSON, numbers.
//!
//! The file is not trusted: every place in it is checked before it is read. It is read piece by
//! piece, so that the weights are in memory only once.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use ndarray::{Array1, Array2};
use serde::Deserialize;
use serde_json::Value;

use super::bert::Weights;
use super::tensor::{Kind, Tensor};

/// A longer table of contents is none.
const CONTENTS_MAX: u64 = 64 * 1024 * 1024;

/// The name by which the weights are found, and what stands before it before all other names.
const ANCHOR: &str = "embeddings.word_embeddings.weight";

#[derive(Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [u64; 2],
}

/// An open file of weights.
pub(super) struct Safetensors {
    file: File,
    /// Where the numbers begin.
    start: u64,
    length: u64,
    prefix: String,
    contents: HashMap<String, Value>,
}

impl Safetensors {
    /// Reads the table of contents.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let read = || -> std::io::Result<(File, u64, u64, Vec<u8>)> {
            let mut file = File::open(path)?;
            let length = file.metadata()?.len();
            let mut size = [0; 8];
            file.read_exact(&mut size)?;
            let size = u64::from_le_bytes(size);
            let mut contents = Vec::new();
            (&mut file).take(size.min(CONTENTS_MAX)).read_to_end(&mut contents)?;
            Ok((file, length, size, contents))
        };
        let (file, length, size, contents) = read().map_err(|error| error.to_string())?;
        let contents: HashMap<String, Value> = serde_json::from_slice(&contents)
            .map_err(|error| format!("its table of contents cannot be read: {error}"))?;
        let prefix = contents.keys().find_map(|name| name.strip_suffix(ANCHOR));
        let prefix = prefix.ok_or("it holds no BERT model (no table of words)")?.to_owned();
        Ok(Self { file, start: size + 8, length, prefix, contents })
    }

    fn tensor(&mut self, name: &str) -> Result<Tensor, String> {
        let entry = self.contents.get(&format!("{}{name}", self.prefix));
        let entry = entry.ok_or_else(|| format!("it has no {name}"))?;
        let entry = Entry::deserialize(entry).map_err(|error| format!("{name}: {error}"))?;
        let kind = match entry.dtype.as_str() {
            "F32" => Kind::F32,
            "F16" => Kind::F16,
            "BF16" => Kind::Bf16,
            other => return Err(format!("{name} has numbers of the kind {other}")),
        };
        let [from, to] = entry.data_offsets;
        let count = entry.shape.iter().try_fold(1_usize, |all, one| all.checked_mul(*one));
        let bytes = count.and_then(|count| count.checked_mul(kind.size()));
        let end = self.start.checked_add(to).filter(|end| *end <= self.length);
        if bytes.map(|bytes| bytes as u64) != to.checked_sub(from) || end.is_none() {
            return Err(format!("{name} does not lie in the file as it says"));
        }
        let mut buffer = vec![0; bytes.unwrap_or_default()];
        self.file
            .seek(SeekFrom::Start(self.start + from))
            .and_then(|_| self.file.read_exact(&mut buffer))
            .map_err(|error| format!("{name}: {error}"))?;
        Ok(Tensor { dims: entry.shape, numbers: kind.numbers(&buffer) })
    }
}

impl Weights for Safetensors {
    fn vector(&mut self, name: &str) -> Result<Array1<f32>, String> {
        self.tensor(name)?.vector(name)
    }

    fn table(&mut self, name: &str) -> Result<Array2<f32>, String> {
        self.tensor(name)?.matrix(name)
    }

    fn matrix(&mut self, layer: &str) -> Result<Array2<f32>, String> {
        let name = format!("{layer}.weight");
        // A row for each number that goes out.
        Ok(self.tensor(&name)?.matrix(&name)?.reversed_axes().as_standard_layout().into_owned())
    }

    fn has(&self, layer: &str) -> bool {
        self.contents.contains_key(&format!("{}{layer}.weight", self.prefix))
    }
}
