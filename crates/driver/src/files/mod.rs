//! Arrays in files: pictures (PNG, PGM, PPM) and NPY.
//!
//! A picture is read as `(x, y)` if it is grey or as `(x, y, c)`; values are widened, never scaled. An NPY file's axes are the array's dimensions in reverse
//! (its last axis is the array's first dimension, `x`). Mins are 0: files have none.

mod npy;
mod picture;

use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use halidom_ir::{Array, Constant, Scalar, Shape, eval};

/// Why a file could not become an array, or an array a file.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The operating system's answer.
    #[error("cannot read `{path}`: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
    /// The operating system's answer.
    #[error("cannot write `{path}`: {source}")]
    Write {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
    /// The contents are damaged or not of the format that the name says.
    #[error("`{path}` is not a readable {format} file: {reason}")]
    Contents {
        /// The file.
        path: PathBuf,
        /// `PNG`, `NPY`, …
        format: &'static str,
        /// The decoder's words.
        reason: String,
    },
    /// The name's extension is none that is known.
    #[error("`{path}` has none of the known extensions .png, .pgm, .ppm, .npy")]
    Extension {
        /// The file.
        path: PathBuf,
    },
    /// Values would not survive the conversion.
    #[error("`{path}` holds {found}, which {wanted} cannot hold")]
    Type {
        /// The file.
        path: PathBuf,
        /// The type in the file.
        found: Scalar,
        /// The type of the input.
        wanted: Scalar,
    },
    /// The number of dimensions is wrong.
    #[error("`{path}` has {found} dimensions, {wanted} are wanted")]
    Rank {
        /// The file.
        path: PathBuf,
        /// In the file.
        found: usize,
        /// Of the input.
        wanted: usize,
    },
    /// The format cannot represent the array.
    #[error("`{path}`: {reason}")]
    Unrepresentable {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: &'static str,
    },
}

impl FileError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Read { .. } => "HAL0801",
            Self::Write { .. } => "HAL0805",
            Self::Contents { .. } => "HAL0802",
            Self::Extension { .. } => "HAL0813",
            Self::Type { .. } => "HAL0803",
            Self::Rank { .. } => "HAL0804",
            Self::Unrepresentable { .. } => "HAL0814",
        }
    }

    /// What would help.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Read { .. } => "check the path and its permissions",
            Self::Write { .. } => "check that the folder exists and can be written",
            Self::Contents { .. } => "the file may be cut off or have the wrong extension",
            Self::Extension { .. } => "give the file one of these extensions",
            Self::Type { .. } => "change the input's type, or convert the file first",
            Self::Rank { .. } => {
                "a grey picture has dimensions (x, y), a colour picture (x, y, c); `NAME=FILE:gray` reads a colour picture as grey"
            }
            Self::Unrepresentable { .. } => "write to a .npy file instead",
        }
    }
}

/// How a colour picture is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channels {
    /// As they are.
    All,
    /// As one, by luminance.
    Grey,
}

/// What is read of something that is no ordinary file, at most: a device need not end.
const MOST_OF_A_STREAM: u64 = 256 << 20;

/// The whole of a file.
pub fn contents(path: &Path) -> std::io::Result<Vec<u8>> {
    let file = std::fs::File::open(path)?;
    if file.metadata()?.is_file() {
        return std::fs::read(path);
    }
    let mut bytes = Vec::new();
    file.take(MOST_OF_A_STREAM + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_OF_A_STREAM {
        return Err(std::io::Error::new(std::io::ErrorKind::FileTooLarge, "it does not end"));
    }
    Ok(bytes)
}

/// Reads a file as an array of elements of `scalar` with `rank` dimensions.
pub fn read(
    path: &Path,
    channels: Channels,
    scalar: Scalar,
    rank: usize,
) -> Result<Array, FileError> {
    let bytes =
        || contents(path).map_err(|source| FileError::Read { path: path.to_owned(), source });
    let array = match extension(path).as_deref() {
        Some("npy") => npy::decode(path, &bytes()?)?,
        Some("png" | "pgm" | "ppm") => picture::decode(path, &bytes()?, channels)?,
        _ => return Err(FileError::Extension { path: path.to_owned() }),
    };
    let array = with_rank(path, array, rank)?;
    convert(path, &array, scalar)
}

/// Writes an array to a file: first to a temporary one beside it, which is then renamed, so that no half-written file is ever seen.
pub fn write(path: &Path, array: &Array) -> Result<(), FileError> {
    let bytes = match extension(path).as_deref() {
        Some("npy") => npy::encode(path, array)?,
        Some(format @ ("png" | "pgm" | "ppm")) => picture::encode(path, array, format)?,
        _ => return Err(FileError::Extension { path: path.to_owned() }),
    };
    write_bytes(path, &bytes)
}

/// Writes bytes to a file by way of a temporary one beside it.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    // The kind alone: the temporary file's name would only confuse.
    let failed = |error: std::io::Error| FileError::Write {
        path: path.to_owned(),
        source: error.kind().into(),
    };
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Temporary files are private by default; a result is an ordinary file, as the user's mask says.
    let ordinary = std::fs::Permissions::from_mode(0o666);
    let mut file =
        tempfile::Builder::new().permissions(ordinary).tempfile_in(folder).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

fn extension(path: &Path) -> Option<String> {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase())
}

/// Adds or drops a last dimension of extent 1, as grey pictures have it or not.
fn with_rank(path: &Path, mut array: Array, rank: usize) -> Result<Array, FileError> {
    let found = array.shape.len();
    if found + 1 == rank {
        array.strides.push(array.len() as i64);
        array.shape.push((0, 1));
    } else if found == rank + 1 && array.shape.last() == Some(&(0, 1)) {
        array.shape.pop();
        array.strides.pop();
    } else if found != rank {
        return Err(FileError::Rank { path: path.to_owned(), found, wanted: rank });
    }
    Ok(array)
}

fn convert(path: &Path, array: &Array, wanted: Scalar) -> Result<Array, FileError> {
    if array.scalar == wanted {
        return Ok(array.clone());
    }
    let error = || FileError::Type { path: path.to_owned(), found: array.scalar, wanted };
    if !widens(array.scalar, wanted) {
        return Err(error());
    }
    let mut result = Array::zeros(wanted, array.shape.clone()).ok_or_else(error)?;
    for element in 0..array.len() {
        let value = array
            .get_element(element)
            .and_then(|value| eval::cast(wanted, value).ok())
            .ok_or_else(error)?;
        if !result.set_element(element, value) {
            return Err(error());
        }
    }
    Ok(result)
}

/// Whether every value of `from` is a value of `to`.
fn widens(from: Scalar, to: Scalar) -> bool {
    match (from.range(), to.range()) {
        (Some((low, high)), Some((least, greatest))) => {
            to != Scalar::Bool && least <= low && high <= greatest
        }
        (Some((low, high)), None) => {
            let exact = if to == Scalar::F32 { 1 << 24 } else { 1 << 53 };
            to.is_float() && -exact <= low && high <= exact
        }
        (None, _) => from == Scalar::F32 && to == Scalar::F64,
    }
}

/// The values of an array in order of its points, without padding.
fn values(array: &Array) -> impl Iterator<Item = Constant> + '_ {
    array.points().filter_map(|point| array.get(&point))
}

/// A dense array of these values in order of its points; `None` if their number or type is wrong.
fn from_values(
    scalar: Scalar,
    shape: Shape,
    values: impl Iterator<Item = Constant>,
) -> Option<Array> {
    let mut array = Array::zeros(scalar, shape)?;
    let mut count = 0;
    for value in values {
        if !array.set_element(count, value) {
            return None;
        }
        count += 1;
    }
    (count == array.len()).then_some(array)
}

#[cfg(test)]
mod tests;
