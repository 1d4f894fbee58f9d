//! Arrays in files: images (PNG, PGM, PPM) and NPY.
//!
//! A grey image is read as `(x, y)`, other images as `(x, y, c)`. Values are widened, never scaled.
//! The axes of an NPY file are the array's dimensions in reverse order: its last axis is the
//! array's first dimension, `x`. Mins are 0, as files do not record them.

mod elements;
mod error;
mod npy;
mod picture;
mod place;

use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use halidom_ir::{Array, Scalar, eval};

pub use error::FileError;
pub use picture::Channels;
pub use place::{Place, place};

/// The largest number of bytes that are read from a special file: a device may never end.
const MOST_OF_A_STREAM: u64 = 256 << 20;

/// Reads a whole file.
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

/// Writes an array to a file. The data goes to a temporary file in the same folder, which is then
/// renamed, so that nobody ever sees a half-written file.
pub fn write(path: &Path, array: &Array) -> Result<(), FileError> {
    let bytes = match extension(path).as_deref() {
        Some("npy") => npy::encode(path, array)?,
        Some(format @ ("png" | "pgm" | "ppm")) => picture::encode(path, array, format)?,
        _ => return Err(FileError::Extension { path: path.to_owned() }),
    };
    write_bytes(path, &bytes)
}

/// Writes bytes to a file by way of a temporary file in the same folder. A link still leads to the
/// file. Something else than a file, such as a pipe, gets the bytes itself.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    // Report only the error's kind: the temporary file's name would be confusing.
    let failed = |error: std::io::Error| FileError::Write {
        path: path.to_owned(),
        source: error.kind().into(),
    };
    let place = followed(path);
    // An open file of a process, such as `/dev/stdout`, may have other text before.
    let is_open = place.starts_with("/proc");
    if is_open || path.metadata().is_ok_and(|known| !known.is_file() && !known.is_dir()) {
        let mut options = std::fs::File::options();
        let mut file = options.append(true).open(path).map_err(failed)?;
        return file.write_all(bytes).map_err(failed);
    }
    let path = place.as_path();
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Temporary files are private by default. A result is an ordinary file with the permissions of
    // the user's umask.
    let ordinary = std::fs::Permissions::from_mode(0o666);
    let mut file =
        tempfile::Builder::new().permissions(ordinary).tempfile_in(folder).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// The most links that lead to a file.
const MOST_LINKS: usize = 40;

/// Returns the place to which links lead, which need not exist, or the first one in `/proc`.
fn followed(path: &Path) -> PathBuf {
    let mut place = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(next) = std::fs::read_link(&place) else { break };
        if place.starts_with("/proc") {
            break;
        }
        place = place.parent().unwrap_or(Path::new("")).join(next);
    }
    place
}

/// Removes a file or a link, if there is one.
pub fn remove(path: &Path) -> Result<(), FileError> {
    match std::fs::remove_file(path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(FileError::Write { path: path.to_owned(), source })
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Removes a report, so that it does not stand for a later run. Where a link leads to it, it is
/// emptied. Files with other contents, pipes and devices are left alone.
pub fn forget(path: &Path, is_report: impl FnOnce(&[u8]) -> bool) -> Result<(), FileError> {
    let is_file = path.metadata().is_ok_and(|known| known.is_file());
    if !is_file || !std::fs::read(path).is_ok_and(|bytes| is_report(&bytes)) {
        return Ok(());
    }
    if path.symlink_metadata().is_ok_and(|known| known.is_symlink()) {
        return write_bytes(path, b"");
    }
    remove(path)
}

fn extension(path: &Path) -> Option<String> {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase())
}

/// Adds or drops a last dimension of extent 1, which grey images may have or lack.
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

/// Tests whether every value of `from` is a value of `to`.
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

#[cfg(test)]
mod tests;
