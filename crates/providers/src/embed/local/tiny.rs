//! A BERT model small enough to be made by a test: two layers, two heads, eight numbers wide, nine
//! tokens. Its weights come from a formula; the numbers that are expected come from an
//! implementation in Python with 64-bit numbers, which shares nothing with this one.

use std::fs;
use std::path::Path;

use engine::{Embedder, Embedding, Purpose};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use super::Local;

const VOCABULARY: &str = "[PAD]\n[CLS]\n[SEP]\n[UNK]\nhello\nworld\n##s\ntea\n,\n";

/// The mean and the first token of "hello worlds", and the mean of "tea".
const MEAN: [f32; 8] = [0.26763, -0.60864, -0.14446, 0.02213, -0.04027, 0.41389, 0.03952, -0.60173];
const FIRST: [f32; 8] = [0.26821, -0.60644, -0.14941, 0.02668, -0.0359, 0.41155, 0.03621, -0.60439];
const TEA: [f32; 8] = [0.30678, -0.6314, -0.19446, 0.03982, -0.00237, 0.36018, 0.03805, -0.58021];

/// Numbers from -1 to 1 that a name stands for.
fn numbers(name: &str, count: usize) -> Vec<f32> {
    let mut state = name
        .bytes()
        .fold(2_166_136_261_u32, |x, byte| (x ^ u32::from(byte)).wrapping_mul(16_777_619));
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((state >> 16) % 2001) as f32 / 1000.0 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// A weight by its name, as models in PyTorch's order have it.
struct Weight {
    name: String,
    dims: Vec<usize>,
    numbers: Vec<f32>,
}

impl Weight {
    fn is_matrix(&self) -> bool {
        self.dims.len() == 2 && !self.name.starts_with("embeddings")
    }
}

fn weights() -> Vec<Weight> {
    let mut all = Vec::new();
    let mut add = |name: String, dims: &[usize]| {
        let mut numbers = numbers(&name, dims.iter().product());
        if name.ends_with("LayerNorm.weight") {
            numbers.iter_mut().for_each(|number| *number += 1.0);
        }
        all.push(Weight { name, dims: dims.to_vec(), numbers });
    };
    for (table, rows) in [("word", 9), ("position", 6), ("token_type", 2)] {
        add(format!("embeddings.{table}_embeddings.weight"), &[rows, 8]);
    }
    let mut both = |name: String, dims: &[usize]| {
        add(format!("{name}.weight"), dims);
        add(format!("{name}.bias"), &dims[..1]);
    };
    both("embeddings.LayerNorm".to_owned(), &[8]);
    for layer in 0..2 {
        let mut part =
            |name: &str, dims: &[usize]| both(format!("encoder.layer.{layer}.{name}"), dims);
        for name in ["query", "key", "value"] {
            part(&format!("attention.self.{name}"), &[8, 8]);
        }
        part("attention.output.dense", &[8, 8]);
        part("attention.output.LayerNorm", &[8]);
        part("intermediate.dense", &[12, 8]);
        part("output.dense", &[8, 12]);
        part("output.LayerNorm", &[8]);
    }
    all
}

/// Weights that codes of 8 bits stand for exactly.
fn rounded() -> Vec<Weight> {
    let mut all = weights();
    for weight in all.iter_mut().filter(|weight| weight.dims.len() == 2) {
        weight.numbers.iter_mut().for_each(|number| *number = (*number * 64.0).round() / 64.0);
    }
    all
}

fn safetensors(weights: &[Weight], prefix: &str) -> Vec<u8> {
    let mut contents = Map::new();
    let mut data = Vec::new();
    for weight in weights {
        let start = data.len();
        data.extend(weight.numbers.iter().flat_map(|number| number.to_le_bytes()));
        let entry =
            json!({"dtype": "F32", "shape": weight.dims, "data_offsets": [start, data.len()]});
        contents.insert(format!("{prefix}{}", weight.name), entry);
    }
    contents.insert("__metadata__".to_owned(), json!({"format": "pt"}));
    let contents = Value::Object(contents).to_string();
    [&(contents.len() as u64).to_le_bytes()[..], contents.as_bytes(), &data].concat()
}

fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

fn field(number: u64, bytes: &[u8]) -> Vec<u8> {
    [varint(number << 3 | 2), varint(bytes.len() as u64), bytes.to_vec()].concat()
}

fn tensor(name: &str, dims: &[usize], kind: u64, raw: &[u8]) -> Vec<u8> {
    let dims = dims.iter().flat_map(|dim| [varint(1 << 3), varint(*dim as u64)].concat());
    let kind = [varint(2 << 3), varint(kind)].concat();
    let all = [dims.collect(), kind, field(8, name.as_bytes()), field(9, raw)].concat();
    field(5, &all)
}

fn node(operation: &str, inputs: &[&str], output: &str) -> Vec<u8> {
    let inputs = inputs.iter().flat_map(|input| field(1, input.as_bytes()));
    let all = [inputs.collect(), field(2, output.as_bytes()), field(4, operation.as_bytes())];
    field(1, &all.concat())
}

/// How an ONNX file writes its matrices and tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Plain,
    /// Products of whole numbers, with a zero.
    Integer,
    /// Codes that are cast and scaled before the product.
    Cast,
    /// Codes that one step decodes.
    Decoded,
}

fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn onnx(weights: &[Weight], style: Style) -> Vec<u8> {
    let mut graph = Vec::new();
    for weight in weights {
        let (mut name, mut dims, mut numbers) =
            (weight.name.clone(), weight.dims.clone(), weight.numbers.clone());
        if weight.is_matrix() {
            let bias = weight.name.replace(".weight", ".bias");
            name = format!("onnx::MatMul_{}", graph.len());
            let product = format!("{name}_product");
            graph.extend(product_nodes(&name, &product, style));
            graph.extend(node("Add", &[&bias, &product], &format!("{name}_sum")));
            // As many rows as numbers come in.
            let (out, from) = (dims[0], dims[1]);
            numbers =
                (0..from * out).map(|at| weight.numbers[at % out * from + at / out]).collect();
            dims = vec![from, out];
        }
        if dims.len() < 2 || style == Style::Plain {
            graph.extend(tensor(&name, &dims, 1, &floats(&numbers)));
            continue;
        }
        let zero: u8 = if style == Style::Integer { 128 } else { 0 };
        let codes: Vec<u8> =
            numbers.iter().map(|number| ((number * 64.0) as i32 + i32::from(zero)) as u8).collect();
        let (codes_name, kind) = match style {
            Style::Cast => (format!("{name}_q"), 3),
            Style::Integer => (format!("{name}_quantized"), 2),
            _ => (format!("{name}_quantized"), 3),
        };
        graph.extend(tensor(&codes_name, &dims, kind, &codes));
        let scales = if weight.is_matrix() { dims[1] } else { 1 };
        graph.extend(tensor(
            &format!("{name}_scale"),
            &[scales],
            1,
            &floats(&vec![1.0 / 64.0; scales]),
        ));
        if style != Style::Cast {
            graph.extend(tensor(&format!("{name}_zero_point"), &[1], kind, &[zero]));
        }
    }
    field(7, &graph)
}

/// The steps of a product.
fn product_nodes(name: &str, product: &str, style: Style) -> Vec<u8> {
    let part = |ending: &str| format!("{name}{ending}");
    match style {
        Style::Plain => node("MatMul", &["x", name], product),
        Style::Integer => [
            node("MatMulInteger", &["x", &part("_quantized"), "x_zero", "zero"], &part("_int")),
            node("Cast", &[&part("_int")], &part("_cast")),
            node("Mul", &[&part("_cast"), "scales"], product),
        ]
        .concat(),
        Style::Cast => [
            node("Cast", &[&part("_q")], &part("_f")),
            node("Mul", &[&part("_f"), &part("_scale")], name),
            node("MatMul", &["x", name], product),
        ]
        .concat(),
        Style::Decoded => [
            node(
                "DequantizeLinear",
                &[&part("_quantized"), &part("_scale"), &part("_zero_point")],
                &part("_decoded"),
            ),
            node("MatMul", &["x", &part("_decoded")], product),
        ]
        .concat(),
    }
}

/// Files by their names.
type Files<'a> = &'a [(&'a str, &'a [u8])];

/// A folder that is called `tiny` and holds these files.
fn folder(files: Files) -> TempDir {
    let dir = TempDir::new().unwrap();
    let tiny = dir.path().join("tiny");
    let config = json!({"model_type": "bert", "num_attention_heads": 2}).to_string();
    let usual: [(&str, &[u8]); 2] =
        [("vocab.txt", VOCABULARY.as_bytes()), ("config.json", config.as_bytes())];
    for (name, bytes) in usual.iter().chain(files) {
        let path = tiny.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    dir
}

fn open(dir: &TempDir) -> Local {
    Local::open(&dir.path().join("tiny")).unwrap()
}

fn passages(local: &Local, texts: &[&str]) -> Vec<Option<Embedding>> {
    local.embed(texts, Purpose::Passage).unwrap()
}

#[track_caller]
fn near(vector: Option<&Embedding>, expected: &[f32]) {
    for (value, expected) in vector.unwrap().as_slice().iter().zip(expected) {
        assert!((value - expected).abs() < 2e-5, "{vector:?} instead of {expected}");
    }
}

#[test]
fn vectors_are_those_of_the_reference() {
    let plain = safetensors(&weights(), "");
    let prefixed = safetensors(&weights(), "bert.");
    let graph = onnx(&weights(), Style::Plain);
    for (name, bytes) in [
        ("model.safetensors", &plain),
        ("model.safetensors", &prefixed),
        ("model.onnx", &graph),
        ("onnx/model_quantized.onnx", &graph),
        ("onnx/model_O4.onnx", &graph),
    ] {
        let dir = folder(&[(name, bytes)]);
        let local = open(&dir);
        let vectors = passages(&local, &["Hello worlds", "tea", "", "xyz", "?"]);
        near(vectors[0].as_ref(), &MEAN);
        near(vectors[1].as_ref(), &TEA);
        assert_eq!(vectors[2..], [None, None, None], "nothing is known of them");
        near(passages(&local, &["Hello worlds"])[0].as_ref(), &MEAN);
    }
}

#[test]
fn the_first_token_counts_if_the_model_says_so() {
    let weights = safetensors(&weights(), "");
    let said = br#"{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}"#;
    let first = folder(&[("model.safetensors", &weights), ("1_Pooling/config.json", said)]);
    near(passages(&open(&first), &["hello worlds"])[0].as_ref(), &FIRST);
    let named = json!({"num_attention_heads": 2, "_name_or_path": "BAAI/bge-tiny"}).to_string();
    let bge = folder(&[("model.safetensors", &weights), ("config.json", named.as_bytes())]);
    near(passages(&open(&bge), &["hello worlds"])[0].as_ref(), &FIRST);
}

#[test]
fn codes_give_the_vectors_of_what_they_stand_for() {
    let plain = folder(&[("model.safetensors", &safetensors(&rounded(), ""))]);
    let expected = passages(&open(&plain), &["hello worlds", "tea"]);
    for style in [Style::Plain, Style::Integer, Style::Cast, Style::Decoded] {
        let coded = folder(&[("model.onnx", &onnx(&rounded(), style))]);
        let vectors = passages(&open(&coded), &["hello worlds", "tea"]);
        for (vector, expected) in vectors.iter().zip(&expected) {
            near(vector.as_ref(), expected.as_ref().unwrap().as_slice());
        }
    }
}

#[test]
fn the_name_is_that_of_the_vectors() {
    let bytes = safetensors(&weights(), "");
    let one = folder(&[("model.safetensors", &bytes)]);
    let same = folder(&[("model.safetensors", &bytes), ("README.md", b"x")]);
    let name = open(&one).model().to_owned();
    assert!(name.starts_with("local:tiny@") && name.len() == "local:tiny@".len() + 12, "{name}");
    assert_eq!(open(&same).model(), name);
    let others: [(&str, &[u8]); 4] = [
        ("vocab.txt", b"[CLS]\n[SEP]\n[UNK]\nhello\n"),
        ("model.safetensors", &safetensors(&rounded(), "")),
        ("sentence_bert_config.json", br#"{"max_seq_length": 4}"#),
        ("1_Pooling/config.json", br#"{"pooling_mode_cls_token": true}"#),
    ];
    for other in others {
        let other = folder(&[("model.safetensors", &bytes), other]);
        assert_ne!(open(&other).model(), name);
    }
}

#[test]
fn what_a_model_wants_in_front_of_texts_is_put_there() {
    let bytes = safetensors(&weights(), "");
    let prompts = br#"{"prompts": {"query": "hello ", "document": ""}}"#;
    let dir =
        folder(&[("model.safetensors", &bytes), ("config_sentence_transformers.json", prompts)]);
    let local = open(&dir);
    let query = local.embed(&["worlds", ""], Purpose::Query).unwrap();
    near(query[0].as_ref(), &MEAN);
    assert_eq!(query[1], None);
    near(passages(&local, &["hello worlds"])[0].as_ref(), &MEAN);
}

#[test]
fn what_is_too_long_is_cut() {
    let dir = folder(&[("model.safetensors", &safetensors(&weights(), ""))]);
    let local = open(&dir);
    let cut = passages(&local, &["tea tea tea tea", &"tea ".repeat(1000)]);
    assert_eq!(cut[0], cut[1], "there are six positions, two of them for start and end");
    let many = vec!["hello worlds"; 300];
    let vectors = passages(&local, &many);
    assert_eq!(vectors.len(), 300);
    near(vectors[299].as_ref(), &MEAN);
}

/// The sentence of a folder that cannot be used.
fn error_of(files: Files) -> String {
    let dir = folder(files);
    match Local::open(&dir.path().join("tiny")) {
        Err(error) => error,
        Ok(local) => local.embed(&["tea"], Purpose::Query).unwrap_err(),
    }
}

#[test]
fn a_folder_that_cannot_be_used_says_why() {
    let good = safetensors(&weights(), "");
    let mut short = weights();
    short.retain(|weight| weight.name != "encoder.layer.1.output.dense.weight");
    let mut narrow = weights();
    narrow[3].dims = vec![4];
    narrow[3].numbers.truncate(4);
    let vocabulary = format!("{VOCABULARY}more\n");
    let three = br#"{"num_attention_heads": 3}"#;
    let broken = safetensors(&weights(), "");
    let elsewhere = String::from_utf8(good[8..300].to_vec()).unwrap().replace("[0,", "[9,");
    let elsewhere = [&good[..8], elsewhere.as_bytes(), &good[300..]].concat();
    let cases: [(Files, &str); 12] = [
        (&[], "holds no model"),
        (&[("model.safetensors", &good[..good.len() - 1])], "does not lie in the file"),
        (&[("model.safetensors", &elsewhere)], "does not lie in the file"),
        (&[("model.safetensors", &broken[..100])], "table of contents"),
        (&[("model.safetensors", &safetensors(&short, ""))], "no encoder.layer.1.output.dense"),
        (&[("model.safetensors", &safetensors(&narrow, ""))], "should have 8"),
        (&[("model.onnx", b"<html>")], "no ONNX file"),
        (&[("model.onnx", &onnx(&short, Style::Plain))], "matrix of encoder.layer.1.output.dense"),
        (&[("model.safetensors", &good), ("config.json", three)], "cannot be divided by 3"),
        (&[("model.safetensors", &good), ("vocab.txt", vocabulary.as_bytes())], "vocabulary"),
        (
            &[("model.safetensors", &good), ("config.json", br#"{"model_type": "roberta"}"#)],
            "of the kind roberta; only BERT models",
        ),
        (
            &[("model.safetensors", &good), ("tokenizer.json", br#"{"model": {"type": "BPE"}}"#)],
            "no WordPiece tokenizer",
        ),
    ];
    for (files, expected) in cases {
        let error = error_of(files);
        assert!(error.contains(expected) && error.contains("tiny"), "{error}\n{expected}");
    }
}

#[test]
fn no_file_can_make_it_panic() {
    for (name, bytes) in [
        ("model.safetensors", safetensors(&weights(), "")),
        ("model.onnx", onnx(&rounded(), Style::Integer)),
    ] {
        let dir = folder(&[(name, &bytes)]);
        let path: &Path = &dir.path().join("tiny").join(name);
        for at in (0..bytes.len()).step_by(bytes.len() / 150) {
            let mut changed = bytes.clone();
            changed[at] ^= 0x55;
            for changed in [&changed, &bytes[..at]] {
                fs::write(path, changed).unwrap();
                open(&dir).embed(&["hello worlds"], Purpose::Query).ok();
            }
        }
    }
}
