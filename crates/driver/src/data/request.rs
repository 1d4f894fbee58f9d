//! The user's options for the data of a run.

use std::path::PathBuf;

use halidom_ir::Array;

use crate::files::Channels;

/// The source of an input's elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// An image or an NPY file.
    File {
        /// The file.
        path: PathBuf,
        /// The treatment of a colour image's channels.
        channels: Channels,
    },
    /// The elements themselves.
    Array(Array),
    /// Random elements drawn from this seed.
    Random(u64),
    /// Zeros.
    Zeros,
}

/// The user's options for a run.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// `--set NAME=VALUE`.
    pub params: Vec<(String, String)>,
    /// `--input NAME=…`.
    pub inputs: Vec<(String, Source)>,
    /// `--random SEED`: for every parameter and input without an option.
    pub random: Option<u64>,
    /// `--size E0xE1…`: extents of the output; mins are 0.
    pub size: Option<Vec<i64>>,
    /// `--input-size NAME=E0xE1…`.
    pub input_sizes: Vec<(String, Vec<i64>)>,
}
