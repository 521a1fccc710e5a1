//! A BERT model: tokens in, one vector a text out.
//!
//! The texts of a batch lie one behind the other in one matrix, so nothing is padded; only the
//! attention looks at each text by itself. All shapes are checked when the model is built; after
//! that nothing can fail. Files and tokens' names are not known here.

use std::ops::Range;

use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut1, ArrayViewMut2, Axis, Slice};

use super::arithmetic::{Activation, normalise, softmax};

/// What the weights do not tell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Shape {
    /// Into how many parts the attention is divided.
    pub(super) heads: usize,
    /// What is added to a variance.
    pub(super) epsilon: f32,
    /// What lies between the two halves of a layer's second part.
    pub(super) activation: Activation,
    /// How the vectors of the tokens become that of the text.
    pub(super) pooling: Pooling,
}

/// How the vectors of a text's tokens become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pooling {
    /// Their mean.
    Mean,
    /// The first one.
    First,
}

/// Weights by the names that BERT models give them, without what may stand before the names.
pub(super) trait Weights {
    /// A vector, such as a bias.
    fn vector(&mut self, name: &str) -> Result<Array1<f32>, String>;
    /// A table with a row for each token or position.
    fn table(&mut self, name: &str) -> Result<Array2<f32>, String>;
    /// The matrix that stands to a bias: as many rows as numbers come in, as many columns as go out.
    fn matrix(&mut self, layer: &str) -> Result<Array2<f32>, String>;
    /// Whether there is such a layer.
    fn has(&self, layer: &str) -> bool;
}

/// A matrix and what is added to each row behind it.
struct Linear {
    matrix: Array2<f32>,
    bias: Array1<f32>,
}

impl Linear {
    fn read(weights: &mut impl Weights, layer: &str, from: usize) -> Result<Self, String> {
        let bias = weights.vector(&format!("{layer}.bias"))?;
        let matrix = weights.matrix(layer)?;
        if matrix.dim() != (from, bias.len()) {
            let (rows, columns) = matrix.dim();
            let to = bias.len();
            return Err(format!("{layer} is {rows} by {columns} and should be {from} by {to}"));
        }
        Ok(Self { matrix, bias })
    }

    fn of(&self, rows: &Array2<f32>) -> Array2<f32> {
        let mut out = Array2::zeros((rows.nrows(), self.bias.len()));
        general_mat_mul(1.0, rows, &self.matrix, 0.0, &mut out);
        out += &self.bias;
        out
    }
}

/// Brings each row to mean 0 and variance 1, then scales and moves it.
struct Norm {
    scale: Array1<f32>,
    bias: Array1<f32>,
}

impl Norm {
    fn read(weights: &mut impl Weights, name: &str, width: usize) -> Result<Self, String> {
        let mut read = |[scale, bias]: [&str; 2]| {
            let scale = weights.vector(&format!("{name}.{scale}"))?;
            let bias = weights.vector(&format!("{name}.{bias}"))?;
            Ok::<_, String>(Self { scale, bias })
        };
        let norm = match read(["weight", "bias"]) {
            Ok(norm) => norm,
            // As the first BERT models called them.
            Err(error) => read(["gamma", "beta"]).map_err(|_| error)?,
        };
        match (norm.scale.len(), norm.bias.len()) {
            (a, b) if a == width && b == width => Ok(norm),
            (a, b) => Err(format!("{name} has {a} and {b} numbers and should have {width}")),
        }
    }

    fn apply(&self, rows: &mut Array2<f32>, epsilon: f32) {
        for mut row in rows.rows_mut() {
            if let Some(row) = row.as_slice_mut() {
                normalise(row, epsilon);
            }
            row *= &self.scale;
            row += &self.bias;
        }
    }
}

/// One layer.
struct Layer {
    /// Query, key and value side by side.
    asked: Linear,
    attended: Linear,
    attended_norm: Norm,
    wide: Linear,
    narrow: Linear,
    norm: Norm,
}

impl Layer {
    fn read(weights: &mut impl Weights, at: usize, width: usize) -> Result<Self, String> {
        let name = |part: &str| format!("encoder.layer.{at}.{part}");
        let mut read = |part: &str, from: usize| Linear::read(weights, &name(part), from);
        let parts = [
            read("attention.self.query", width)?,
            read("attention.self.key", width)?,
            read("attention.self.value", width)?,
        ];
        let attended = read("attention.output.dense", width)?;
        let wide = read("intermediate.dense", width)?;
        let narrow = read("output.dense", wide.bias.len())?;
        let widths = parts.iter().chain([&attended, &narrow]).map(|linear| linear.bias.len());
        if widths.into_iter().any(|one| one != width) {
            return Err(format!("layer {at} is not {width} wide throughout"));
        }
        let mut asked =
            Linear { matrix: Array2::zeros((width, 3 * width)), bias: Array1::zeros(3 * width) };
        for (part, at) in parts.iter().zip(0..) {
            let columns = at * width..(at + 1) * width;
            part_mut(&mut asked.matrix, 0..width, columns.clone()).assign(&part.matrix);
            asked.bias.slice_axis_mut(Axis(0), Slice::from(columns)).assign(&part.bias);
        }
        let attended_norm = Norm::read(weights, &name("attention.output.LayerNorm"), width)?;
        let norm = Norm::read(weights, &name("output.LayerNorm"), width)?;
        Ok(Self { asked, attended, attended_norm, wide, narrow, norm })
    }

    fn apply(&self, rows: &mut Array2<f32>, lengths: &[usize], shape: &Shape) {
        let asked = self.asked.of(rows);
        *rows += &self.attended.of(&attention(&asked, lengths, shape.heads));
        self.attended_norm.apply(rows, shape.epsilon);
        let mut wide = self.wide.of(rows);
        if let Some(wide) = wide.as_slice_mut() {
            shape.activation.apply(wide);
        }
        *rows += &self.narrow.of(&wide);
        self.norm.apply(rows, shape.epsilon);
    }
}

/// For each token the mean of the values of its text, weighted by how well query and key fit.
fn attention(asked: &Array2<f32>, lengths: &[usize], heads: usize) -> Array2<f32> {
    let width = asked.ncols() / 3;
    let size = width / heads;
    let factor = (size as f32).sqrt().recip();
    let mut out = Array2::zeros((asked.nrows(), width));
    let mut start = 0;
    for length in lengths {
        let rows = start..start + length;
        start += length;
        let mut fits = Array2::zeros((*length, *length));
        for head in 0..heads {
            let of = |which: usize| {
                let from = which * width + head * size;
                part(asked, rows.clone(), from..from + size)
            };
            general_mat_mul(factor, &of(0), &of(1).t(), 0.0, &mut fits);
            for mut row in fits.rows_mut() {
                if let Some(row) = row.as_slice_mut() {
                    softmax(row);
                }
            }
            let columns = head * size..(head + 1) * size;
            let mut out = part_mut(&mut out, rows.clone(), columns);
            general_mat_mul(1.0, &fits, &of(2), 0.0, &mut out);
        }
    }
    out
}

/// These rows and columns.
fn part(of: &Array2<f32>, rows: Range<usize>, columns: Range<usize>) -> ArrayView2<'_, f32> {
    of.slice_each_axis(|axis| {
        Slice::from(if axis.axis == Axis(0) { &rows } else { &columns }.clone())
    })
}

/// These rows and columns, to be changed.
fn part_mut(
    of: &mut Array2<f32>,
    rows: Range<usize>,
    columns: Range<usize>,
) -> ArrayViewMut2<'_, f32> {
    of.slice_each_axis_mut(|axis| {
        Slice::from(if axis.axis == Axis(0) { &rows } else { &columns }.clone())
    })
}

/// The model.
pub(super) struct Bert {
    words: Array2<f32>,
    /// With the row of the first type of token added: a text has only that.
    positions: Array2<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    shape: Shape,
}

impl Bert {
    /// Reads the weights and checks that they fit together; an error says what does not.
    pub(super) fn read(weights: &mut impl Weights, shape: Shape) -> Result<Self, String> {
        let words = weights.table("embeddings.word_embeddings.weight")?;
        let mut positions = weights.table("embeddings.position_embeddings.weight")?;
        let types = weights.table("embeddings.token_type_embeddings.weight")?;
        let width = words.ncols();
        if width == 0 || words.nrows() == 0 || positions.nrows() == 0 || types.nrows() == 0 {
            return Err("its tables are empty".to_owned());
        }
        if positions.ncols() != width || types.ncols() != width {
            return Err("its tables of words, positions and types differ in width".to_owned());
        }
        if shape.heads == 0 || !width.is_multiple_of(shape.heads) {
            return Err(format!("a width of {width} cannot be divided by {} heads", shape.heads));
        }
        positions += &types.row(0);
        let norm = Norm::read(weights, "embeddings.LayerNorm", width)?;
        let mut layers = Vec::new();
        while weights.has(&format!("encoder.layer.{}.attention.self.query", layers.len())) {
            layers.push(Layer::read(weights, layers.len(), width)?);
        }
        if layers.is_empty() {
            return Err("it has no layers by the names of BERT".to_owned());
        }
        Ok(Self { words, positions, norm, layers, shape })
    }

    /// How many tokens it knows.
    pub(super) fn tokens(&self) -> usize {
        self.words.nrows()
    }

    /// How many tokens of a text it can read.
    pub(super) fn positions(&self) -> usize {
        self.positions.nrows()
    }

    /// The vectors of texts, not yet of length 1. Each text has at least one token, no more than
    /// there are positions, and each token is one that it knows; others count as the first.
    pub(super) fn vectors(&self, texts: &[&[u32]]) -> Array2<f32> {
        let width = self.words.ncols();
        let lengths: Vec<usize> =
            texts.iter().map(|tokens| tokens.len().min(self.positions())).collect();
        let mut rows = Array2::zeros((lengths.iter().sum(), width));
        let tokens = texts.iter().flat_map(|tokens| tokens.iter().take(self.positions()).zip(0..));
        for (mut row, (token, position)) in rows.rows_mut().into_iter().zip(tokens) {
            let token = usize::try_from(*token).ok().filter(|token| *token < self.tokens());
            row += &self.words.row(token.unwrap_or(0));
            row += &self.positions.row(position);
        }
        self.norm.apply(&mut rows, self.shape.epsilon);
        for layer in &self.layers {
            layer.apply(&mut rows, &lengths, &self.shape);
        }
        let mut vectors = Array2::zeros((texts.len(), width));
        let mut start = 0;
        for (vector, length) in vectors.rows_mut().into_iter().zip(lengths) {
            self.pool(&rows, start..start + length, vector);
            start += length;
        }
        vectors
    }

    fn pool(&self, rows: &Array2<f32>, text: Range<usize>, mut out: ArrayViewMut1<f32>) {
        match self.shape.pooling {
            _ if text.is_empty() => {}
            Pooling::First => out.assign(&rows.row(text.start)),
            // Its direction is that of the mean.
            Pooling::Mean => out.assign(&part(rows, text, 0..rows.ncols()).sum_axis(Axis(0))),
        }
    }
}
