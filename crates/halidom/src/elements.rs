//! Arrays of Rust's numbers.

use halidom_ir::{Array, Constant, Scalar};

/// A type of Rust that is an array's element type.
pub trait Element: Copy {
    /// The element type.
    const SCALAR: Scalar;

    /// The constant of this value.
    fn constant(self) -> Constant;

    /// The value of a constant; `None` if the constant has another type.
    fn value(constant: Constant) -> Option<Self>;
}

macro_rules! integers {
    ($($type:ident $scalar:ident),*) => {
        $(impl Element for $type {
            const SCALAR: Scalar = Scalar::$scalar;

            fn constant(self) -> Constant {
                let value = Constant::wrapped(Scalar::$scalar, i128::from(self));
                value.unwrap_or_else(|| Constant::zero(Scalar::$scalar))
            }

            fn value(constant: Constant) -> Option<Self> {
                let value = constant.as_integer()?;
                (constant.scalar() == Scalar::$scalar).then(|| Self::try_from(value).ok())?
            }
        })*
    };
}

integers!(i8 I8, i16 I16, i32 I32, i64 I64, u8 U8, u16 U16, u32 U32, u64 U64);

impl Element for f32 {
    const SCALAR: Scalar = Scalar::F32;

    fn constant(self) -> Constant {
        Constant::f32(self)
    }

    fn value(constant: Constant) -> Option<Self> {
        constant.as_f32()
    }
}

impl Element for f64 {
    const SCALAR: Scalar = Scalar::F64;

    fn constant(self) -> Constant {
        Constant::f64(self)
    }

    fn value(constant: Constant) -> Option<Self> {
        constant.as_f64()
    }
}

/// Makes an array of values, the first dimension innermost. Its coordinates begin at 0. Returns
/// `None` if the extents need another number of values.
pub fn to_array<T: Element>(extents: &[i64], values: &[T]) -> Option<Array> {
    let shape = extents.iter().map(|extent| (0, *extent)).collect();
    let mut array = Array::zeros(T::SCALAR, shape)?;
    if array.len() != values.len() {
        return None;
    }
    for (element, value) in values.iter().enumerate() {
        if !array.set_element(element, value.constant()) {
            return None;
        }
    }
    Some(array)
}

/// The values of an array, the first dimension innermost. Returns `None` if the array has elements
/// of another type.
pub fn from_array<T: Element>(array: &Array) -> Option<Vec<T>> {
    array.points().map(|point| T::value(array.get(&point)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::{from_array, to_array};

    #[test]
    fn arrays_keep_values_and_types() {
        let array = to_array(&[2, 2], &[1_u8, 2, 3, 255]).expect("four values");
        assert_eq!(from_array::<u8>(&array), Some(vec![1, 2, 3, 255]));
        assert_eq!(from_array::<i8>(&array), None);
        assert_eq!(from_array::<f32>(&array), None);
        assert_eq!(to_array(&[3], &[1.5_f32, 2.0]), None);
        let floats = to_array(&[2], &[1.5_f64, -0.0]).expect("two values");
        assert_eq!(from_array::<f64>(&floats), Some(vec![1.5, -0.0]));
        let signed = to_array(&[1], &[i64::MIN]).expect("one value");
        assert_eq!(from_array::<i64>(&signed), Some(vec![i64::MIN]));
    }
}
