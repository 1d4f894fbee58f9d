//! Errors of the bridge to Halide.

use std::io;
use std::ops::Range;
use std::path::PathBuf;

use halidom_diag::{Diagnostic, FileId, Severity, Span};
use serde_json::Value;

use super::process::{Failed, VARIABLE};
use crate::{HALIDE_VERSION, codes};

/// An error of the bridge to Halide.
#[derive(Debug)]
pub enum BridgeError {
    /// No Python was found.
    Missing,
    /// No C++ compiler was found.
    NoCompiler,
    /// The C++ compiler fails on the bridge.
    Compiler {
        /// The compiler.
        compiler: PathBuf,
        /// Its message.
        words: String,
    },
    /// A folder that should contain an installed Halide does not.
    NotHalide {
        /// The folder.
        folder: PathBuf,
        /// The part that it lacks.
        missing: String,
    },
    /// The user's cache cannot be used.
    Cache {
        /// The folder.
        folder: PathBuf,
        /// The reason.
        why: String,
    },
    /// A file cannot be written or read.
    File(io::Error),
    /// Halide, or the script that drives it, fails with this message.
    Failed(String),
    /// A user's script fails, or defines no pipeline.
    Script {
        /// The error message.
        words: String,
        /// The line of the script, from 1.
        line: Option<usize>,
    },
    /// A generator cannot be started.
    Start {
        /// The executable.
        binary: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// A generator fails.
    Generator {
        /// The executable.
        binary: PathBuf,
        /// Its message.
        words: String,
    },
    /// A generator ends well, and writes no pipeline file.
    NoPipelineFile {
        /// The executable.
        binary: PathBuf,
    },
}

impl From<io::Error> for BridgeError {
    fn from(error: io::Error) -> Self {
        Self::File(error)
    }
}

impl std::fmt::Display for BridgeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing => write!(f, "there is no Python with Halide {HALIDE_VERSION}"),
            Self::NoCompiler => write!(
                f,
                "there is no C++ compiler, and Halide's statements are read by a program in C++"
            ),
            Self::Compiler { compiler, words } => {
                write!(f, "`{}` does not compile the bridge to Halide: {words}", compiler.display())
            }
            Self::NotHalide { folder, missing } => {
                write!(f, "`{}` is no installed Halide: it has no {missing}", folder.display())
            }
            Self::Cache { folder, why } => {
                write!(f, "the cache `{}` cannot be used: {why}", folder.display())
            }
            Self::File(error) => write!(f, "a file for Halide: {error}"),
            Self::Failed(words) => write!(f, "Halide fails: {words}"),
            Self::Script { words, .. } => write!(f, "the script yields no pipeline: {words}"),
            Self::Start { binary, error } => {
                write!(f, "the generator `{}` cannot be started: {error}", binary.display())
            }
            Self::Generator { binary, words } => {
                write!(f, "the generator `{}` fails: {words}", binary.display())
            }
            Self::NoPipelineFile { binary } => {
                write!(f, "the generator `{}` writes no pipeline file", binary.display())
            }
        }
    }
}

impl std::error::Error for BridgeError {}

impl BridgeError {
    /// The error as a diagnostic for users. `script` is the user's script, if there is one.
    pub fn diagnostic(&self, script: Option<(FileId, &str)>) -> Diagnostic {
        let message = self.to_string();
        let plain = |code| Diagnostic::without_place(Severity::Error, code, message.clone());
        match self {
            Self::Missing | Self::File(_) | Self::Failed(_) => {
                plain(codes::NO_HALIDE).with_hint(format!(
                    "`pip install halide=={HALIDE_VERSION}` in a `.venv` of this or a parent \
                    folder, or name a Python with `{VARIABLE}`"
                ))
            }
            Self::NotHalide { .. } => plain(codes::NO_HALIDE).with_hint(
                "give the folder with `include/Halide.h` and `lib64/libHalide.so` or \
                    `lib/libHalide.so`",
            ),
            Self::Cache { .. } => plain(codes::NO_HALIDE)
                .with_hint("name another folder with `HALIDOM_CACHE`, which only you can write"),
            Self::NoCompiler | Self::Compiler { .. } => plain(codes::NO_COMPILER)
                .with_hint("install one (Debian's package g++), or name it with `CXX`"),
            Self::Script { line, .. } => {
                let diagnostic = match (line, script) {
                    (Some(line), Some((file, text))) => Diagnostic::error(
                        codes::SCRIPT,
                        Span::new(file, place(text, *line)),
                        message,
                    ),
                    (Some(_) | None, _) => plain(codes::SCRIPT),
                };
                diagnostic.with_hint(
                    "define `pipeline()` in it, returning a `halide.Func`, a list of outputs or a \
                        `halide.Pipeline`",
                )
            }
            Self::Start { .. } => plain(codes::GENERATOR)
                .with_hint("give the executable that was linked with `libHalide_GenGen.a`"),
            Self::NoPipelineFile { .. } => plain(codes::GENERATOR).with_hint(
                "an `AbstractGenerator` must write the file in its `emit_hlpipe`, for example with \
                    `Halide::serialize_pipeline`",
            ),
            Self::Generator { .. } => plain(codes::GENERATOR).with_hint(
                "without `-g`, a generator binary says which generators it has; \
                    parameters are `NAME=VALUE`",
            ),
        }
    }

    /// The error of Python: the report of the script that drives Halide, or the last line on
    /// standard error.
    pub(super) fn of_python(failed: &Failed, report: Option<&str>) -> Self {
        let report: Option<Value> = report.and_then(|text| serde_json::from_str(text).ok());
        let Some(report) = report else {
            return Self::Failed(last_line(failed));
        };
        let words = report["words"].as_str().unwrap_or_default().to_owned();
        if report["whose"] != "script" {
            return Self::Failed(words);
        }
        let line = report["line"].as_u64().and_then(|line| usize::try_from(line).ok());
        Self::Script { words, line }
    }

    /// The error of a generator.
    pub(super) fn of_generator(binary: &std::path::Path, failed: &Failed) -> Self {
        Self::Generator { binary: binary.to_owned(), words: failed.first_error() }
    }
}

impl Failed {
    /// The first line that mentions an error, else the last one.
    pub(super) fn first_error(&self) -> String {
        match self.words.lines().find(|line| line.contains("rror:")) {
            Some(line) => line.trim().to_owned(),
            None => last_line(self),
        }
    }
}

/// The last line of a program's standard error, or its exit status.
fn last_line(failed: &Failed) -> String {
    let last = failed.words.lines().rev().find(|line| !line.trim().is_empty());
    last.unwrap_or(&failed.status).trim().to_owned()
}

/// The byte range of a line of a text, without surrounding whitespace.
fn place(text: &str, line: usize) -> Range<usize> {
    let mut start = 0;
    for (number, content) in text.split_inclusive('\n').enumerate() {
        if number + 1 == line {
            let indent = content.len() - content.trim_start().len();
            return start + indent..start + content.trim_end().len().max(indent);
        }
        start += content.len();
    }
    text.len()..text.len()
}
