//! Numbers as files hold them, into the numbers that are calculated with.

use ndarray::{Array1, Array2};

/// How a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    F32,
    F16,
    Bf16,
    U8,
    I8,
}

impl Kind {
    /// How many bytes a number takes.
    pub(super) fn size(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
            Self::U8 | Self::I8 => 1,
        }
    }

    /// The numbers in bytes, the first in the lowest.
    pub(super) fn numbers(self, bytes: &[u8]) -> Vec<f32> {
        let pairs = || bytes.as_chunks::<2>().0.iter().map(|pair| u16::from_le_bytes(*pair));
        match self {
            Self::F32 => {
                bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect()
            }
            Self::F16 => pairs().map(half).collect(),
            Self::Bf16 => pairs().map(|bits| f32::from_bits(u32::from(bits) << 16)).collect(),
            Self::U8 => bytes.iter().map(|byte| f32::from(*byte)).collect(),
            Self::I8 => bytes.iter().map(|byte| f32::from(i8::from_le_bytes([*byte]))).collect(),
        }
    }
}

/// The number that 16 bits stand for.
fn half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f32::from(bits & 0x3ff) / 1024.0);
    match exponent {
        0 => sign * fraction * 2.0_f32.powi(-14),
        31 if fraction == 0.0 => sign * f32::INFINITY,
        31 => f32::NAN,
        _ => sign * (1.0 + fraction) * 2.0_f32.powi(exponent - 15),
    }
}

/// Numbers with their dimensions.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tensor {
    pub(super) dims: Vec<usize>,
    pub(super) numbers: Vec<f32>,
}

impl Tensor {
    /// As a vector; dimensions of 1 do not count.
    pub(super) fn vector(self, name: &str) -> Result<Array1<f32>, String> {
        match self.dims.iter().filter(|count| **count != 1).count() {
            0 | 1 => Ok(Array1::from_vec(self.numbers)),
            _ => Err(format!("{name} is no vector but has the dimensions {:?}", self.dims)),
        }
    }

    /// As a matrix.
    pub(super) fn matrix(self, name: &str) -> Result<Array2<f32>, String> {
        let Self { dims, numbers } = self;
        match dims[..] {
            [rows, columns] => Array2::from_shape_vec((rows, columns), numbers)
                .map_err(|_| format!("{name} does not have {rows} times {columns} numbers")),
            _ => Err(format!("{name} is no matrix but has the dimensions {dims:?}")),
        }
    }

    /// What codes stand for: (code - zero) times scale, both the same for all, for a row, or for a
    /// column.
    pub(super) fn decode(&mut self, scales: &Tensor, zeros: Option<&Tensor>) -> Option<()> {
        let columns = *self.dims.last()?;
        let place = |side: &Tensor| -> Option<fn(usize, usize) -> usize> {
            let rows = self.numbers.len().checked_div(columns)?;
            match side.numbers.len() {
                1 => Some(|_, _| 0),
                count if count == columns && side.dims.last() != Some(&1) => {
                    Some(|_, column| column)
                }
                count if count == rows => Some(|row, _| row),
                _ => None,
            }
        };
        let scale_place = place(scales)?;
        let zero_place = zeros.map_or(Some(scale_place), place)?;
        for (row, numbers) in self.numbers.chunks_mut(columns).enumerate() {
            for (column, number) in numbers.iter_mut().enumerate() {
                let zero = zeros.map_or(0.0, |zeros| zeros.numbers[zero_place(row, column)]);
                *number = (*number - zero) * scales.numbers[scale_place(row, column)];
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_each_kind_are_read() {
        assert_eq!(Kind::F32.numbers(&1.5_f32.to_le_bytes()), [1.5]);
        assert_eq!(Kind::Bf16.numbers(&[0xc0, 0x3f]), [1.5]);
        assert_eq!(Kind::U8.numbers(&[0xff]), [255.0]);
        assert_eq!(Kind::I8.numbers(&[0xff]), [-1.0]);
        let halves = [0x3e00_u16, 0xc000, 0x0001, 0x7bff, 0x8000].map(u16::to_le_bytes).concat();
        assert_eq!(Kind::F16.numbers(&halves), [1.5, -2.0, 5.960_464_5e-8, 65504.0, -0.0]);
        assert_eq!(half(0x7c00), f32::INFINITY);
        assert!(half(0x7c01).is_nan());
    }

    #[test]
    fn codes_are_scaled_as_a_whole_by_row_or_by_column() {
        let tensor = |dims: &[usize], numbers: &[f32]| Tensor {
            dims: dims.to_vec(),
            numbers: numbers.to_vec(),
        };
        let codes = tensor(&[2, 2], &[1.0, 2.0, 3.0, 4.0]);
        let decoded = |scales: Tensor, zeros: Option<Tensor>| {
            let mut codes = codes.clone();
            codes.decode(&scales, zeros.as_ref()).map(|()| codes.numbers)
        };
        let one = tensor(&[], &[2.0]);
        assert_eq!(decoded(one.clone(), Some(tensor(&[], &[1.0]))).unwrap(), [0.0, 2.0, 4.0, 6.0]);
        assert_eq!(decoded(tensor(&[2], &[1.0, 10.0]), None).unwrap(), [1.0, 20.0, 3.0, 40.0]);
        assert_eq!(decoded(tensor(&[2, 1], &[1.0, 10.0]), None).unwrap(), [1.0, 2.0, 30.0, 40.0]);
        assert_eq!(
            decoded(one.clone(), Some(tensor(&[2], &[1.0, 2.0]))).unwrap(),
            [0.0, 0.0, 4.0, 4.0]
        );
        assert_eq!(decoded(tensor(&[3], &[1.0; 3]), None), None);
    }
}
