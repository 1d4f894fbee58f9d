//! Pure functions that a pipeline only names.
//!
//! # Correctness
//! A proof is about every function with the name and the types: nothing but the equality of results
//! for equal operands is known. A run needs one function. [`crate::eval::apply`] takes the function
//! of real numbers that the name stands for ([`Real`]), computed by the system's library of
//! mathematics, or else an arbitrary function that depends on the name and on every operand.

use halidom_base::define_id;

use crate::{Constant, Scalar};

define_id!(
    /// A named function. Equal declarations share one id.
    pub FunctionId, "n"
);

/// A pure function that is named and not defined.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionDecl {
    /// Its name.
    pub name: String,
    /// The types of its operands, at least one. No type is `int`.
    pub params: Box<[Scalar]>,
    /// The type of its result, which is not `int`.
    pub result: Scalar,
    /// The function of real numbers that it approximates, if it is one.
    pub real: Option<Real>,
}

/// A function of real numbers that IEEE 754 leaves open and [`crate::Intrinsic`] lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Real {
    /// The arc cosine.
    Acos,
    /// The area hyperbolic cosine.
    Acosh,
    /// The arc sine.
    Asin,
    /// The area hyperbolic sine.
    Asinh,
    /// The angle of the point with these coordinates, the second one first.
    Atan2,
    /// The area hyperbolic tangent.
    Atanh,
    /// The hyperbolic cosine.
    Cosh,
    /// A coarse reciprocal.
    Inverse,
    /// A coarse reciprocal of the square root.
    InverseSqrt,
    /// A power.
    Pow,
    /// The hyperbolic sine.
    Sinh,
    /// The hyperbolic tangent.
    Tanh,
}

impl Real {
    /// Every function.
    pub const ALL: [Self; 12] = [
        Self::Acos,
        Self::Acosh,
        Self::Asin,
        Self::Asinh,
        Self::Atan2,
        Self::Atanh,
        Self::Cosh,
        Self::Inverse,
        Self::InverseSqrt,
        Self::Pow,
        Self::Sinh,
        Self::Tanh,
    ];

    /// The name of the function in every text form.
    pub fn name(self) -> &'static str {
        match self {
            Self::Acos => "acos",
            Self::Acosh => "acosh",
            Self::Asin => "asin",
            Self::Asinh => "asinh",
            Self::Atan2 => "atan2",
            Self::Atanh => "atanh",
            Self::Cosh => "cosh",
            Self::Inverse => "inverse",
            Self::InverseSqrt => "inverse_sqrt",
            Self::Pow => "pow",
            Self::Sinh => "sinh",
            Self::Tanh => "tanh",
        }
    }

    /// Returns the function with this name, the inverse of [`Self::name`].
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|real| real.name() == name)
    }

    /// The number of operands.
    pub fn arity(self) -> usize {
        if matches!(self, Self::Atan2 | Self::Pow) { 2 } else { 1 }
    }

    fn single(self, x: f32, y: f32) -> f32 {
        match self {
            Self::Acos => x.acos(),
            Self::Acosh => x.acosh(),
            Self::Asin => x.asin(),
            Self::Asinh => x.asinh(),
            Self::Atan2 => x.atan2(y),
            Self::Atanh => x.atanh(),
            Self::Cosh => x.cosh(),
            Self::Inverse => x.recip(),
            Self::InverseSqrt => x.sqrt().recip(),
            Self::Pow => x.powf(y),
            Self::Sinh => x.sinh(),
            Self::Tanh => x.tanh(),
        }
    }

    fn double(self, x: f64, y: f64) -> f64 {
        match self {
            Self::Acos => x.acos(),
            Self::Acosh => x.acosh(),
            Self::Asin => x.asin(),
            Self::Asinh => x.asinh(),
            Self::Atan2 => x.atan2(y),
            Self::Atanh => x.atanh(),
            Self::Cosh => x.cosh(),
            Self::Inverse => x.recip(),
            Self::InverseSqrt => x.sqrt().recip(),
            Self::Pow => x.powf(y),
            Self::Sinh => x.sinh(),
            Self::Tanh => x.tanh(),
        }
    }
}

impl FunctionDecl {
    /// Tests whether the types are consistent: a function of real numbers has its own number of
    /// operands, and all of them and the result are of one float type.
    pub(crate) fn is_consistent(&self) -> bool {
        let of_memory = |scalar: &Scalar| *scalar != Scalar::Int;
        let typed =
            !self.params.is_empty() && self.params.iter().all(of_memory) && of_memory(&self.result);
        typed
            && self.real.is_none_or(|real| {
                real.arity() == self.params.len()
                    && self.result.is_float()
                    && self.params.iter().all(|scalar| *scalar == self.result)
            })
    }

    /// True if the function that a run takes may differ from the one that a user's program is
    /// linked with by more than the last bits.
    pub fn is_arbitrary(&self) -> bool {
        self.real.is_none_or(|real| matches!(real, Real::Inverse | Real::InverseSqrt))
    }

    /// The function of a run, at operands of the right types.
    pub(crate) fn at(&self, args: &[Constant]) -> Option<Constant> {
        let Some(real) = self.real else { return self.arbitrary(args) };
        let first = args.first()?;
        let second = args.get(1).unwrap_or(first);
        if let (Some(x), Some(y)) = (first.as_f32(), second.as_f32()) {
            return Some(Constant::f32(real.single(x, y)));
        }
        Some(Constant::f64(real.double(first.as_f64()?, second.as_f64()?)))
    }

    /// A small integer that depends on the name and on every operand: the hash FNV-1a of 64 bits,
    /// of the bytes of the name, of the 8 bytes of the bits of each operand, the least ones first,
    /// and of 8 zeros, so that every operand reaches the upper bits. A float becomes the integer of
    /// the upper 10 bits. A truth value is the uppermost bit, and an integer as many upper bits as
    /// it has.
    fn arbitrary(&self, args: &[Constant]) -> Option<Constant> {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        self.name.bytes().for_each(&mut add);
        for arg in args {
            arg.to_bits()?.to_le_bytes().into_iter().for_each(&mut add);
        }
        [0; 8].into_iter().for_each(&mut add);
        let small = (hash >> 54) as f32;
        match self.result {
            Scalar::F32 => Some(Constant::f32(small)),
            Scalar::F64 => Some(Constant::f64(f64::from(small))),
            Scalar::Bool
            | Scalar::I8
            | Scalar::I16
            | Scalar::I32
            | Scalar::I64
            | Scalar::U8
            | Scalar::U16
            | Scalar::U32
            | Scalar::U64
            | Scalar::Int => Constant::from_bits(self.result, hash >> (64 - self.result.bits()?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FunctionDecl, Real};
    use crate::{Constant, Scalar, eval};

    fn decl(name: &str, scalar: Scalar, real: Option<Real>) -> FunctionDecl {
        let params = [scalar, scalar].into();
        FunctionDecl { name: name.to_owned(), params, result: scalar, real }
    }

    #[test]
    fn a_function_of_reals_is_the_one_of_mathematics() {
        let [two, three] = [2.0, 3.0].map(Constant::f32);
        let pow = decl("pow_f32", Scalar::F32, Some(Real::Pow));
        assert_eq!(eval::apply(&pow, &[two, three]), Ok(Constant::f32(8.0)));
        assert_eq!(eval::apply(&pow, &[three, two]), Ok(Constant::f32(9.0)));
        assert!(eval::apply(&pow, &[two]).is_err());
        assert!(eval::apply(&pow, &[Constant::f64(2.0), Constant::f64(3.0)]).is_err());
        for real in Real::ALL {
            assert_eq!(Real::from_name(real.name()), Some(real));
        }
    }

    /// The values that `halidom-halide-machine` gives too.
    #[test]
    fn an_arbitrary_function_depends_on_the_name_and_every_operand() {
        let bytes = [1, 2].map(|value| Constant::wrapped(Scalar::U8, value).unwrap());
        let floats = [1.0, 2.0].map(Constant::f32);
        let at = |name, [a, b]: [Constant; 2]| {
            let value = eval::apply(&decl(name, a.scalar(), None), &[a, b]).unwrap();
            value.as_integer().unwrap_or_else(|| value.as_f32().unwrap() as i128)
        };
        let [a, b] = bytes;
        assert_eq!([at("mix", [a, b]), at("mix", [b, a])], [48, 183]);
        let [a, b] = floats;
        assert_eq!([at("mix", [a, b]), at("mix", [b, a]), at("mixed", [a, b])], [453, 698, 82]);
    }
}
