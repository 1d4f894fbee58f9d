//! Which runs may refute: what a program owes on given inputs.
//!
//! # Correctness
//! This is the one place that decides whether a run is held against a program. A program of our own owes a value wherever the algorithm has one, and no fault anywhere. Code that Halide compiled owes
//! nothing on inputs for which the pipeline has no value in Halide's terms, and the interpreter's total operators give values there too: signed arithmetic beyond 32 bits, a float that becomes an integer
//! which its type does not hold, and, unless the pipeline is strict, what is no number or infinite, if only on the way (LLVM is told that there is none). The sign of a zero shows in no operator of the
//! language but through an infinite quotient, and outputs are compared as numbers.
//!
//! Too little may be owed here, which loses refutations; never too much.

use halidom_interp::Bindings;
use halidom_interp::algorithm::{AlgorithmError, evaluate_noting};
use halidom_ir::{Algorithm, Array, Constant, Pool, Shape};

/// On which inputs a pipeline's code owes what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Conventions {
    /// Every operator has a value everywhere, and inputs on which the algorithm has none are to be refused.
    #[default]
    Total,
    /// As Halide compiles: see the module.
    Halide,
}

/// What a program owes in a run.
#[derive(Clone, Debug)]
pub enum Owed {
    /// These outputs.
    Values {
        /// Every component of the outputs, in order.
        outputs: Vec<Array>,
        /// Whether an operator on floats gave another number than that on real numbers.
        rounded: bool,
    },
    /// That it does not fault: the algorithm has no value.
    NoFault,
    /// Nothing, for this reason.
    Nothing(&'static str),
}

impl Conventions {
    /// What a program owes on these inputs; an interpreter may take so many steps.
    pub fn owed(
        self,
        pool: &Pool,
        algorithm: &Algorithm,
        (bindings, windows): (&Bindings, &[Shape]),
        steps: u64,
    ) -> Owed {
        let evaluated = evaluate_noting(pool, algorithm, bindings, windows, steps);
        match (self, evaluated) {
            (Self::Total, Ok((outputs, notes))) => Owed::Values { outputs, rounded: notes.rounded },
            (Self::Total, Err(_)) => Owed::NoFault,
            (Self::Halide, Err(error)) => Owed::Nothing(missing(&error)),
            (Self::Halide, Ok((outputs, notes))) => {
                if notes.beyond_32 {
                    Owed::Nothing("the pipeline has no value: its integers overflow 32 bits")
                } else if notes.unrepresentable {
                    Owed::Nothing(
                        "the pipeline has no value: a float does not fit the integer that it becomes",
                    )
                } else if notes.special && algorithm.fast_math {
                    Owed::Nothing(
                        "the pipeline is not strict, and a float is no number or infinite",
                    )
                } else {
                    Owed::Values { outputs, rounded: notes.rounded }
                }
            }
        }
    }
}

/// Why a pipeline has no value.
fn missing(error: &AlgorithmError) -> &'static str {
    match error {
        AlgorithmError::RequireFailed { .. } => {
            "the pipeline has no value: it requires other inputs"
        }
        AlgorithmError::DomainExtent { .. } => {
            "the pipeline has no value: a reduction has a negative extent"
        }
        AlgorithmError::TooLong => "the pipeline takes too long to evaluate",
        AlgorithmError::InputOutOfBounds { .. } => {
            "the pipeline has no value: it reads outside of an input"
        }
        AlgorithmError::Eval { .. } | AlgorithmError::Coordinate { .. } => {
            "the pipeline has no value: its integers overflow"
        }
        AlgorithmError::DataDependent { .. }
        | AlgorithmError::MissingInput(_)
        | AlgorithmError::NoArray { .. }
        | AlgorithmError::WindowCount { .. }
        | AlgorithmError::WindowRank { .. }
        | AlgorithmError::Malformed { .. }
        | AlgorithmError::Startup(_) => "the pipeline has no value",
    }
}

/// Whether integers that were made of floats are near enough that rounding may be all that tells them apart; modulo their width, as a narrow one may have wrapped.
pub fn near_integers(a: Constant, b: Constant) -> bool {
    let (Some(x), Some(y)) = (a.as_integer(), b.as_integer()) else { return false };
    let apart = x.abs_diff(y);
    let width = a.scalar().bits().filter(|bits| *bits < 64).map(|bits| 1_u128 << bits);
    let apart = width.map_or(apart, |width| apart.min(width.saturating_sub(apart)));
    a.as_bool().is_some() || apart <= 1 + x.unsigned_abs() / 1000
}

#[cfg(test)]
mod tests {
    use halidom_ir::{Constant, Scalar};

    use super::near_integers;

    #[test]
    fn integers_are_near_by_a_step_or_a_thousandth_and_around_the_corner() {
        for (scalar, a, b, near) in [
            (Scalar::I32, 7, 8, true),
            (Scalar::I32, 7, 9, false),
            (Scalar::I32, 100_000, 100_090, true),
            (Scalar::U8, 0, 255, true),
            (Scalar::U8, 0, 254, false),
            (Scalar::I64, i128::from(i64::MIN), i128::from(i64::MAX), false),
        ] {
            let [a, b] = [a, b].map(|value| Constant::wrapped(scalar, value).unwrap());
            assert_eq!(near_integers(a, b), near, "{a:?} {b:?}");
        }
        assert!(!near_integers(Constant::f32(1.0), Constant::f32(1.0)));
    }
}
