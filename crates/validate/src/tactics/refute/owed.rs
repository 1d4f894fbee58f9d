//! The runs that may refute, by what a program owes on given inputs.
//!
//! # Correctness
//! Only this module decides whether a run counts against a program. A program of our own owes a
//! value wherever the algorithm has one, and must never fault. Code that Halide compiled owes
//! nothing on inputs for which the pipeline has no value in Halide's terms, although the
//! interpreter's total operators give values there. These are signed arithmetic beyond 32 bits, and
//! a float converted to an integer type that cannot hold it. Unless the pipeline is strict, they
//! also include a NaN or infinity, even as an intermediate result, because LLVM is told that these
//! do not occur. A lane whose predicated load is not made has no value, which is not a fault as
//! long as it decides nothing and reaches no output. The sign of a zero is visible only through an
//! infinite quotient, and outputs are compared as numbers.
//!
//! This module may make a program owe too little, which loses refutations, but never too much.

use halidom_interp::algorithm::{AlgorithmError, evaluate_noting};
use halidom_interp::machine::UNLOADED;
use halidom_interp::{Bindings, Notes};
use halidom_ir::{Algorithm, Array, Constant, Pool, Shape};

/// The rule that decides what a pipeline's code owes on which inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Conventions {
    /// Every operator has a value everywhere, and inputs on which the algorithm has no value must
    /// be refused.
    #[default]
    Total,
    /// The rules for code that Halide compiled: see the module.
    Halide,
}

/// The reason of [`Owed::Nothing`] where the evaluation of the pipeline takes too long.
pub const TOO_LONG: &str = "the pipeline takes too long to evaluate";

/// The obligation of a program in a run.
#[derive(Clone, Debug)]
pub enum Owed {
    /// These outputs.
    Values {
        /// Every component of the outputs, in order.
        outputs: Vec<Array>,
        /// True if an operator on floats gave another number than on real numbers.
        rounded: bool,
        /// True if a float, of an intermediate result too, was infinite or no number.
        special: bool,
    },
    /// No fault: the algorithm has no value.
    NoFault,
    /// Nothing, for this reason.
    Nothing(&'static str),
}

impl Conventions {
    /// The number of an element of which a load gives an undefined value in a run, if there is one.
    pub(crate) fn unloaded(self) -> Option<i128> {
        match self {
            Self::Total => None,
            Self::Halide => Some(UNLOADED),
        }
    }

    /// Returns what a program owes on these inputs. An interpreter may take at most `steps` steps.
    pub fn owed(
        self,
        pool: &Pool,
        algorithm: &Algorithm,
        (bindings, windows): (&Bindings, &[Shape]),
        steps: u64,
    ) -> Owed {
        let evaluated = evaluate_noting(pool, algorithm, bindings, windows, steps);
        match (self, evaluated) {
            (Self::Total, Ok((outputs, notes))) => values(outputs, notes),
            (Self::Total, Err(_)) => Owed::NoFault,
            (Self::Halide, Err(error)) => Owed::Nothing(missing(&error)),
            (Self::Halide, Ok((outputs, notes))) => {
                if notes.beyond_32 {
                    Owed::Nothing("the pipeline has no value: its integers overflow 32 bits")
                } else if notes.unrepresentable {
                    Owed::Nothing(
                        "the pipeline has no value: a float does not fit the integer that it \
                            becomes",
                    )
                } else if notes.arbitrary {
                    Owed::Nothing("the pipeline calls a function that is known only by its name")
                } else if notes.special && algorithm.fast_math {
                    Owed::Nothing(
                        "the pipeline is not strict, and a float is no number or infinite",
                    )
                } else {
                    values(outputs, notes)
                }
            }
        }
    }
}

fn values(outputs: Vec<Array>, Notes { rounded, special, .. }: Notes) -> Owed {
    Owed::Values { outputs, rounded, special }
}

/// The reason why a pipeline has no value.
fn missing(error: &AlgorithmError) -> &'static str {
    match error {
        AlgorithmError::RequireFailed { .. } => {
            "the pipeline has no value: it requires other inputs"
        }
        AlgorithmError::DomainExtent { .. } => {
            "the pipeline has no value: a reduction has a negative extent"
        }
        AlgorithmError::TooLong => TOO_LONG,
        AlgorithmError::InputOutOfBounds { .. } => {
            "the pipeline has no value: it reads outside of an input"
        }
        AlgorithmError::Eval { .. } | AlgorithmError::Coordinate { .. } => {
            "the pipeline has no value: its integers overflow"
        }
        AlgorithmError::Unwritten { .. } => {
            "the pipeline has no value: it reads what it never wrote"
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

/// Tests whether integers that were computed from floats are so near that rounding may explain the
/// difference. The distance is modulo their width, because a narrow integer may have wrapped.
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
