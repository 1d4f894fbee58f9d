//! NPY files.

use std::io::Cursor;
use std::path::Path;

use halidom_ir::{Array, Constant, Scalar};
use ndarray::{ArrayD, IxDyn};
use ndarray_npy::{
    ReadNpyError, ReadNpyExt as _, ReadableElement, WritableElement, WriteNpyExt as _,
};

use super::elements::{from_values, values};
use super::error::FileError;

/// Calls `$apply!(type, scalar, from constant, to constant)` for every element type.
macro_rules! for_each_element {
    ($apply:ident) => {
        $apply!(bool, Bool, |c: Constant| c.as_bool(), |v| Some(Constant::bool(v)));
        $apply!(i8, I8, |c: Constant| c.as_integer().map(|v| v as i8), |v| Constant::wrapped(
            Scalar::I8,
            i128::from(v)
        ));
        $apply!(i16, I16, |c: Constant| c.as_integer().map(|v| v as i16), |v| Constant::wrapped(
            Scalar::I16,
            i128::from(v)
        ));
        $apply!(i32, I32, |c: Constant| c.as_integer().map(|v| v as i32), |v| Constant::wrapped(
            Scalar::I32,
            i128::from(v)
        ));
        $apply!(i64, I64, |c: Constant| c.as_integer().map(|v| v as i64), |v| Constant::wrapped(
            Scalar::I64,
            i128::from(v)
        ));
        $apply!(u8, U8, |c: Constant| c.as_integer().map(|v| v as u8), |v| Constant::wrapped(
            Scalar::U8,
            i128::from(v)
        ));
        $apply!(u16, U16, |c: Constant| c.as_integer().map(|v| v as u16), |v| Constant::wrapped(
            Scalar::U16,
            i128::from(v)
        ));
        $apply!(u32, U32, |c: Constant| c.as_integer().map(|v| v as u32), |v| Constant::wrapped(
            Scalar::U32,
            i128::from(v)
        ));
        $apply!(u64, U64, |c: Constant| c.as_integer().map(|v| v as u64), |v| Constant::wrapped(
            Scalar::U64,
            i128::from(v)
        ));
        $apply!(f32, F32, |c: Constant| c.as_f32(), |v| Some(Constant::f32(v)));
        $apply!(f64, F64, |c: Constant| c.as_f64(), |v| Some(Constant::f64(v)));
    };
}

pub(super) fn decode(path: &Path, bytes: &[u8]) -> Result<Array, FileError> {
    let contents =
        |reason: String| FileError::Contents { path: path.to_owned(), format: "NPY", reason };
    if !is_whole(bytes) {
        return Err(contents("it has fewer elements than its header says".to_owned()));
    }
    macro_rules! attempt {
        ($element:ty, $scalar:ident, $from:expr, $to:expr) => {
            if let Some(array) =
                decode_as::<$element>(bytes).map_err(|error| contents(error.to_string()))?
            {
                let shape = array.shape().iter().rev().map(|extent| (0, *extent as i64)).collect();
                let values = array.iter().filter_map(|value| ($to)(*value));
                return from_values(Scalar::$scalar, shape, values)
                    .ok_or_else(|| contents("the array is too large".to_owned()));
            }
        };
    }
    for_each_element!(attempt);
    Err(contents("its element type is not supported".to_owned()))
}

/// Tests that no shape in the header has more elements than the file has bytes. The reader
/// allocates memory for the elements before it checks.
fn is_whole(bytes: &[u8]) -> bool {
    // A magic text, a version, and the length of the header in two or four bytes.
    let wide = bytes.get(6).is_some_and(|version| *version > 1);
    let begin = if wide { 12 } else { 10 };
    let length = match (wide, bytes.get(8..begin)) {
        (false, Some(&[low, high])) => usize::from(u16::from_le_bytes([low, high])),
        (true, Some(&[a, b, c, d])) => u32::from_le_bytes([a, b, c, d]) as usize,
        // The reader refuses a file without a header.
        (_, Some(_) | None) => return true,
    };
    let Some(header) = begin.checked_add(length).and_then(|end| bytes.get(begin..end)) else {
        return false;
    };
    let header = String::from_utf8_lossy(header);
    header.split('(').skip(1).all(|rest| {
        let inside = rest.split(')').next().unwrap_or_default();
        let extents = inside.split(',').map(str::trim).filter(|extent| !extent.is_empty());
        let elements = extents.map(|extent| extent.parse::<u128>().ok()).try_fold(
            1_u128,
            |product, extent| match extent {
                Some(extent) => product.checked_mul(extent),
                // There is no shape, so the reader fails too.
                None => Some(0),
            },
        );
        elements.is_some_and(|elements| elements <= bytes.len() as u128)
    })
}

/// The array, if its elements have this type; `None` if they have another.
fn decode_as<T: ReadableElement>(bytes: &[u8]) -> Result<Option<ArrayD<T>>, ReadNpyError> {
    match ArrayD::<T>::read_npy(Cursor::new(bytes)) {
        Ok(array) => Ok(Some(array)),
        Err(ReadNpyError::WrongDescriptor(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

pub(super) fn encode(path: &Path, array: &Array) -> Result<Vec<u8>, FileError> {
    let unrepresentable = || FileError::Unrepresentable {
        path: path.to_owned(),
        reason: "the array has no NPY form",
    };
    macro_rules! attempt {
        ($element:ty, $scalar:ident, $from:expr, $to:expr) => {
            if array.scalar == Scalar::$scalar {
                return encode_as::<$element>(array, $from).ok_or_else(unrepresentable);
            }
        };
    }
    for_each_element!(attempt);
    Err(unrepresentable())
}

fn encode_as<T: WritableElement>(
    array: &Array,
    element: impl Fn(Constant) -> Option<T>,
) -> Option<Vec<u8>> {
    let shape: Vec<usize> = array.shape.iter().rev().map(|(_, extent)| *extent as usize).collect();
    let elements: Option<Vec<T>> = values(array).map(element).collect();
    let mut bytes = Vec::new();
    ArrayD::from_shape_vec(IxDyn(&shape), elements?).ok()?.write_npy(&mut bytes).ok()?;
    Some(bytes)
}
