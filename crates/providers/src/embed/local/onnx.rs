//! Weights in a file of the kind ONNX, with whole numbers or 8-bit codes.
//!
//! The file holds a graph of small steps. It is not run: the steps of BERT are known, so only the
//! weights are taken. Vectors and tables carry BERT's names; a matrix is the one whose product the
//! layer's bias is added to. Codes are decoded, by their scales, when they are read; so a file in
//! which the numbers between the layers are to be rounded as well gives vectors that are nearer to
//! those of the model before rounding.
//!
//! The file is not trusted: what does not fit is an error.

use std::collections::HashMap;
use std::path::Path;

use ndarray::{Array1, Array2};

use super::bert::Weights;
use super::protobuf::{Broken, Value, fields};
use super::tensor::{Kind, Tensor};

/// A larger file is no model that is run on the processor.
const FILE_MAX: u64 = 4 << 30;

/// The name by which the weights are found, and what stands before it before all other names.
const ANCHOR: &str = "embeddings.word_embeddings.weight";

/// How the codes of a weight are called, by the name that the weight had.
const CODES: [&str; 2] = ["_quantized", "_q"];

/// How many steps are followed from a sum to the product in it.
const STEPS_MAX: usize = 8;

/// One step of the graph.
struct Node {
    operation: String,
    inputs: Vec<String>,
}

/// Where the numbers of a weight lie in the file.
struct Place {
    dims: Vec<usize>,
    /// None if it is one that is not calculated with.
    kind: Option<Kind>,
    /// From where to where, or the numbers themselves.
    raw: Result<std::ops::Range<usize>, Vec<f32>>,
    is_elsewhere: bool,
}

/// The weights of a file.
pub(super) struct Onnx {
    bytes: Vec<u8>,
    places: HashMap<String, Place>,
    nodes: Vec<Node>,
    /// Which step a result comes from.
    makers: HashMap<String, usize>,
    prefix: String,
}

impl Onnx {
    /// Reads a file.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let size = path.metadata().map_err(|error| error.to_string())?.len();
        if size > FILE_MAX {
            return Err(format!("it has {size} bytes; at most {FILE_MAX} are read"));
        }
        Self::read(std::fs::read(path).map_err(|error| error.to_string())?)
    }

    fn read(bytes: Vec<u8>) -> Result<Self, String> {
        let mut onnx = Self {
            bytes: Vec::new(),
            places: HashMap::new(),
            nodes: Vec::new(),
            makers: HashMap::new(),
            prefix: String::new(),
        };
        onnx.model(&bytes).map_err(|Broken| "it is no ONNX file, or only a part of one")?;
        onnx.bytes = bytes;
        let names = || onnx.places.keys();
        let plain = names().find_map(|name| name.strip_suffix(ANCHOR));
        let coded = CODES.iter().find_map(|codes| {
            names().find_map(|name| name.strip_suffix(codes)?.strip_suffix(ANCHOR))
        });
        let prefix = plain.or(coded).ok_or("it holds no BERT model (no table of words)")?;
        onnx.prefix = prefix.to_owned();
        Ok(onnx)
    }

    fn model(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        for field in fields(bytes) {
            let (7, graph) = field? else { continue };
            for field in fields(graph.bytes()) {
                match field? {
                    (1, node) => self.node(node.bytes())?,
                    (5, tensor) => {
                        let (name, place) = place(bytes, tensor.bytes())?;
                        self.places.insert(name, place);
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn node(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        let mut node = Node { operation: String::new(), inputs: Vec::new() };
        for field in fields(bytes) {
            match field? {
                (1, input) => node.inputs.push(input.text().to_owned()),
                (2, output) => {
                    self.makers.insert(output.text().to_owned(), self.nodes.len());
                }
                (4, operation) => operation.text().clone_into(&mut node.operation),
                _ => {}
            }
        }
        self.nodes.push(node);
        Ok(())
    }

    /// The numbers under exactly this name.
    fn numbers(&self, name: &str) -> Result<Option<Tensor>, String> {
        let Some(place) = self.places.get(name) else { return Ok(None) };
        if place.is_elsewhere {
            return Err(format!("{name} lies in another file, which is not read"));
        }
        let kind = place.kind.ok_or_else(|| format!("{name} has numbers of an unknown kind"))?;
        let numbers = match &place.raw {
            Ok(range) => kind.numbers(self.bytes.get(range.clone()).unwrap_or_default()),
            Err(numbers) => numbers.clone(),
        };
        let count = place.dims.iter().try_fold(1_usize, |all, one| all.checked_mul(*one));
        if count != Some(numbers.len()) {
            return Err(format!("{name} does not have as many numbers as it says"));
        }
        Ok(Some(Tensor { dims: place.dims.clone(), numbers }))
    }

    /// The numbers under this name, decoded if they are codes.
    fn tensor(&self, name: &str) -> Result<Tensor, String> {
        if let Some(tensor) = self.numbers(name)? {
            return Ok(tensor);
        }
        for codes in CODES {
            if let Some(tensor) = self.numbers(&format!("{name}{codes}"))? {
                let sides = [format!("{name}_scale"), format!("{name}_zero_point")];
                return self.decoded(name, tensor, &sides);
            }
        }
        let node = self.makers.get(name).and_then(|at| self.nodes.get(*at));
        let node = node.filter(|node| node.operation == "DequantizeLinear");
        if let Some([codes, sides @ ..]) = node.map(|node| &node.inputs[..])
            && let Some(tensor) = self.numbers(codes)?
        {
            return self.decoded(name, tensor, sides);
        }
        Err(format!("it has no {name}"))
    }

    /// What codes stand for; the names are those of the scales and the zeros.
    fn decoded(&self, name: &str, mut codes: Tensor, sides: &[String]) -> Result<Tensor, String> {
        let side = |at: usize| sides.get(at).map_or(Ok(None), |name| self.numbers(name));
        let scales = side(0)?.ok_or_else(|| format!("it has no scale of {name}"))?;
        codes
            .decode(&scales, side(1)?.as_ref())
            .ok_or_else(|| format!("the scales of {name} do not fit its codes"))?;
        Ok(codes)
    }

    /// The name of the matrix whose product a bias is added to.
    fn matrix_name(&self, bias: &str) -> Option<&str> {
        let sum = self.nodes.iter().find(|node| {
            node.operation == "Add" && node.inputs.iter().any(|input| input == bias)
        })?;
        let mut name = sum.inputs.iter().find(|input| *input != bias)?;
        for _ in 0..STEPS_MAX {
            let node = &self.nodes[*self.makers.get(name)?];
            match node.operation.as_str() {
                "MatMul" | "MatMulInteger" => {
                    let matrix = node.inputs.get(1)?;
                    return Some(matrix.strip_suffix(CODES[0]).unwrap_or(matrix));
                }
                "Mul" | "Cast" => name = node.inputs.first()?,
                _ => return None,
            }
        }
        None
    }
}

/// A weight's name, and where it lies; its bytes are part of those of the file.
fn place(file: &[u8], bytes: &[u8]) -> Result<(String, Place), Broken> {
    let mut name = String::new();
    let mut place =
        Place { dims: Vec::new(), kind: None, raw: Err(Vec::new()), is_elsewhere: false };
    let mut typed = Vec::new();
    for field in fields(bytes) {
        match field? {
            (1, dims) => {
                let dims = dims.numbers().into_iter().map(usize::try_from);
                place.dims.extend(dims.collect::<Result<Vec<_>, _>>().map_err(|_| Broken)?);
            }
            (2, Value::Number(kind)) => {
                place.kind = match kind {
                    1 => Some(Kind::F32),
                    2 => Some(Kind::U8),
                    3 => Some(Kind::I8),
                    10 => Some(Kind::F16),
                    16 => Some(Kind::Bf16),
                    _ => None,
                }
            }
            (4, Value::Four(bytes)) => typed.push(f32::from_le_bytes(bytes)),
            (4, numbers) => typed.extend(Kind::F32.numbers(numbers.bytes())),
            // Codes as numbers; those below 0 have ten bytes, of which the lowest count.
            (5, numbers) => {
                typed.extend(numbers.numbers().into_iter().map(|number| number as i32 as f32));
            }
            (8, text) => text.text().clone_into(&mut name),
            (9, raw) => {
                let start = raw.bytes().as_ptr().addr() - file.as_ptr().addr();
                place.raw = Ok(start..start + raw.bytes().len());
            }
            (14, Value::Number(location)) => place.is_elsewhere = location == 1,
            _ => {}
        }
    }
    if !typed.is_empty() {
        place.raw = Err(typed);
    }
    Ok((name, place))
}

impl Weights for Onnx {
    fn vector(&mut self, name: &str) -> Result<Array1<f32>, String> {
        self.tensor(&format!("{}{name}", self.prefix))?.vector(name)
    }

    fn table(&mut self, name: &str) -> Result<Array2<f32>, String> {
        self.tensor(&format!("{}{name}", self.prefix))?.matrix(name)
    }

    fn matrix(&mut self, layer: &str) -> Result<Array2<f32>, String> {
        let name = self.matrix_name(&format!("{}{layer}.bias", self.prefix));
        let name =
            name.ok_or_else(|| format!("the matrix of {layer} is not found in its graph"))?;
        self.tensor(name)?.matrix(layer)
    }

    fn has(&self, layer: &str) -> bool {
        self.places.contains_key(&format!("{}{layer}.bias", self.prefix))
    }
}
