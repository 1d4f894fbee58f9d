//! Answers by the text of the query.
//!
//! The whole text is the key, in memory and in the file: a hash could give one query the answer of another.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use halidom_base::{FxHashMap, IndexMap};
use thiserror::Error;

use crate::program::Identity;
use crate::value::Value;

/// The first line of a cache file; the number changes with the format or the meaning of texts.
const HEADER: &str = "halidom-smt-cache 1";

/// Definite answers of one solver. Only these are kept: a query that timed out may be asked again.
#[derive(Debug, Default)]
pub struct Cache {
    entries: IndexMap<String, Entry>,
}

#[derive(Debug, Clone)]
pub(crate) enum Entry {
    /// Unsatisfiable.
    Unsat,
    /// Satisfiable, with values by the text of the term in the query.
    Sat(FxHashMap<String, Value>),
}

/// A cache file could not be used.
#[derive(Debug, Error)]
pub enum CacheError {
    /// The file cannot be read or written.
    #[error("cannot access `{path}`: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is not a cache, or it is damaged.
    #[error("`{path}` is not a cache of solver answers, or it is damaged")]
    Malformed {
        /// The file.
        path: PathBuf,
    },
}

impl Cache {
    /// The number of answers.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no answer.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn get(&self, body: &str) -> Option<&Entry> {
        self.entries.get(body)
    }

    pub(crate) fn insert(&mut self, body: String, entry: Entry) {
        self.entries.insert(body, entry);
    }

    /// Reads the answers of `solver` from a file. Those of another solver or version are of no use: then, or if there
    /// is no file, the cache is empty.
    ///
    /// The file is as trusted as the solver; who doubts it deletes it.
    pub fn load(path: &Path, solver: &Identity) -> Result<Self, CacheError> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(source) => return Err(CacheError::Io { path: path.to_owned(), source }),
        };
        let malformed = || CacheError::Malformed { path: path.to_owned() };
        let rest = text
            .strip_prefix(HEADER)
            .and_then(|rest| rest.strip_prefix('\n'))
            .ok_or_else(malformed)?;
        let (identity, mut rest) = rest.split_once('\n').ok_or_else(malformed)?;
        let mut cache = Self::default();
        if identity != format!("{} {}", solver.name, solver.version) {
            return Ok(cache);
        }
        while !rest.is_empty() {
            let (length, after) = rest.split_once('\n').ok_or_else(malformed)?;
            let length = length
                .strip_prefix("unsat ")
                .and_then(|digits| digits.parse().ok())
                .ok_or_else(malformed)?;
            let (body, after) = after.split_at_checked(length).ok_or_else(malformed)?;
            cache.insert(body.to_owned(), Entry::Unsat);
            rest = after.strip_prefix('\n').ok_or_else(malformed)?;
        }
        Ok(cache)
    }

    /// Writes the refutations to a file, as text. Models are cheap to find again and are left out.
    pub fn save(&self, path: &Path, solver: &Identity) -> Result<(), CacheError> {
        let mut text = format!("{HEADER}\n{} {}\n", solver.name, solver.version);
        for (body, entry) in &self.entries {
            if matches!(entry, Entry::Unsat) {
                write!(text, "unsat {}\n{body}\n", body.len()).expect("a string accepts any text");
            }
        }
        fs::write(path, text).map_err(|source| CacheError::Io { path: path.to_owned(), source })
    }
}
