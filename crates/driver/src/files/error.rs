//! The reasons why a file and an array could not be converted to each other.

use std::path::PathBuf;

use halidom_ir::Scalar;

/// The reason why a file could not be converted to an array, or an array to a file.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The operating system reports an error on reading.
    #[error("cannot read `{path}`: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The operating system reports an error on writing.
    #[error("cannot write `{path}`: {source}")]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The contents are damaged or do not have the format of the name's extension.
    #[error("`{path}` is not a readable {format} file: {reason}")]
    Contents {
        /// The file.
        path: PathBuf,
        /// `PNG`, `NPY`, …
        format: &'static str,
        /// The decoder's message.
        reason: String,
    },
    /// The name's extension is unknown.
    #[error("`{path}` has none of the known extensions .png, .pgm, .ppm, .npy")]
    Extension {
        /// The file.
        path: PathBuf,
    },
    /// The conversion would change values.
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
        /// The number of dimensions in the file.
        found: usize,
        /// The number of dimensions of the input.
        wanted: usize,
    },
    /// The format cannot represent the array.
    #[error("`{path}`: {reason}")]
    Unrepresentable {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: &'static str,
    },
}

impl FileError {
    /// The stable error code.
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

    /// A hint for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Read { .. } => "check the path and its permissions",
            Self::Write { .. } => "check that the folder exists and can be written",
            Self::Contents { .. } => "the file may be cut off or have the wrong extension",
            Self::Extension { .. } => "give the file one of these extensions",
            Self::Type { .. } => "change the input's type, or convert the file first",
            Self::Rank { .. } => {
                "a grey picture has dimensions (x, y), a colour picture (x, y, c); \
                    `NAME=FILE:gray` reads a colour picture as grey"
            }
            Self::Unrepresentable { .. } => "write to a .npy file instead",
        }
    }
}
