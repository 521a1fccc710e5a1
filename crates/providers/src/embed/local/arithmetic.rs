//! The functions between the matrices, on plain slices and without branches, so that the compiler
//! can use vector instructions.

/// What lies between two matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Activation {
    /// x · Φ(x), with the error function.
    Gelu,
    /// The same with its approximation by the hyperbolic tangent.
    GeluTanh,
    /// x, if it is above 0.
    Relu,
}

impl Activation {
    /// The activation that a configuration names.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "gelu" => Some(Self::Gelu),
            "gelu_new" | "gelu_pytorch_tanh" | "gelu_fast" => Some(Self::GeluTanh),
            "relu" => Some(Self::Relu),
            _ => None,
        }
    }

    pub(super) fn apply(self, values: &mut [f32]) {
        match self {
            Self::Gelu => values.iter_mut().for_each(|value| *value = gelu(*value)),
            Self::GeluTanh => values.iter_mut().for_each(|value| *value = gelu_tanh(*value)),
            Self::Relu => values.iter_mut().for_each(|value| *value = value.max(0.0)),
        }
    }
}

/// x · Φ(x). The error function is formula 7.1.26 of Abramowitz and Stegun, right to 1.5e-7.
fn gelu(x: f32) -> f32 {
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let series = ((((1.061_405_4 * t - 1.453_152_1) * t + 1.421_413_8) * t - 0.284_496_72) * t
        + 0.254_829_6)
        * t;
    // 1 - erf(z), which is 2·Φ(-|x|).
    let rest = series * exp(-z * z);
    let below = 0.5 * x.abs() * rest;
    x.max(0.0) - below
}

fn gelu_tanh(x: f32) -> f32 {
    let inner = 0.797_884_6 * (x + 0.044_715 * x * x * x);
    // x · (1 + tanh(inner)) / 2
    x / (1.0 + exp(-2.0 * inner))
}

/// e to the x for -87 to 87, what is beyond being that of the bound; right to 2e-7 of the value.
fn exp(x: f32) -> f32 {
    let x = x.clamp(-87.0, 87.0);
    // So large that what follows the point is rounded away, and the lowest bits are the number.
    const ROUND: f32 = 12_582_912.0;
    let rounded = x * std::f32::consts::LOG2_E + ROUND;
    let exponent = rounded - ROUND;
    // The logarithm of 2 in two parts, of which the first has few digits.
    let rest = (x - exponent * 0.693_359_4) - exponent * -2.121_944_4e-4;
    let series = (((((1.987_569_1e-4 * rest + 1.398_199_9e-3) * rest + 8.333_452e-3) * rest
        + 4.166_579_6e-2)
        * rest
        + 1.666_666_5e-1)
        * rest
        + 0.5)
        * rest
        * rest
        + rest
        + 1.0;
    series * f32::from_bits(rounded.to_bits().wrapping_add(127) << 23)
}

/// Numbers into shares of 1, each in proportion to e to the number.
pub(super) fn softmax(values: &mut [f32]) {
    let most = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    values.iter_mut().for_each(|value| *value = exp(*value - most));
    let factor = sum(values, |value| value).recip();
    values.iter_mut().for_each(|value| *value *= factor);
}

/// Brings numbers to mean 0 and variance 1.
pub(super) fn normalise(values: &mut [f32], epsilon: f32) {
    let count = values.len() as f32;
    let mean = sum(values, |value| value) / count;
    let variance = sum(values, |value| (value - mean) * (value - mean)) / count;
    let factor = (variance + epsilon).sqrt().recip();
    values.iter_mut().for_each(|value| *value = (*value - mean) * factor);
}

/// A sum in 8 sums side by side.
fn sum(values: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let mut sums = [0.0; 8];
    let (chunks, rest) = values.as_chunks::<8>();
    for chunk in chunks {
        for (sum, value) in sums.iter_mut().zip(chunk) {
            *sum += of(*value);
        }
    }
    sums.iter().sum::<f32>() + rest.iter().copied().map(of).sum::<f32>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_functions_are_those_of_the_textbook() {
        for step in -2000..=2000 {
            let x = step as f32 / 200.0;
            let exact = f64::from(x).exp();
            assert!((f64::from(exp(x)) / exact - 1.0).abs() < 3e-7, "exp {x}");
        }
        assert!(exp(-1000.0) < 1e-37);
        // From Python's math.erf.
        for (x, expected) in [
            (-3.0, -0.004_049_694),
            (-0.5, -0.154_268_77),
            (0.0, 0.0),
            (1.0, 0.841_344_7),
            (9.0, 9.0),
        ] {
            assert!((gelu(x) - expected).abs() < 1e-6, "{x}: {}", gelu(x));
            assert!((gelu_tanh(x) - expected).abs() < 1e-3, "{x}: {}", gelu_tanh(x));
        }
    }

    #[test]
    fn shares_sum_to_1() {
        let mut values: Vec<f32> = (0..21).map(|at| at as f32 * 4.0 - 40.0).collect();
        softmax(&mut values);
        assert!((values.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!((values[20] / values[19] - 4.0_f32.exp()).abs() < 1e-3);
    }

    #[test]
    fn rows_are_normalised() {
        let mut values: Vec<f32> = (0..11).map(|at| at as f32).collect();
        normalise(&mut values, 0.0);
        assert!(values.iter().sum::<f32>().abs() < 1e-5);
        assert!((values[10] - 5.0 / 10.0_f32.sqrt()).abs() < 1e-6);
    }
}
