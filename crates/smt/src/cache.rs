//! A cache of answers, keyed by the text of the query.
//!
//! The key of an answer is the SHA-256 hash of the solver's name and version and of the query's
//! whole text. A lookup therefore finds an answer only for the same question and the same solver. A
//! cache belongs to a [`Program`], and a [`Solver`](crate::Solver) that would ask another program
//! refuses to open with it. A cache that is read from a file has itself asked its program for the
//! name and version.
//!
//! # Correctness
//! A file of answers is as trusted as the solver: whoever can write the file can have anything
//! proved. The format guards only against damage ([`sealed`]).

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use halidom_base::IndexMap;
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::program::Program;
use crate::sealed::{self, hexadecimal};
use crate::session::Reason;
use crate::value::Value;

/// The first line of a cache file. The number changes with the format or the meaning of the texts.
const HEADER: &str = "halidom-smt-cache 2";

/// The reason why formatting into a string cannot fail.
const TO_STRING: &str = "a string accepts any text";

/// The definite answers of one program. Only these are kept, since a query that timed out may be
/// asked again. Clones share their answers, so several [`Solver`](crate::Solver)s can use one
/// cache; each must ask the program that the cache was made for.
#[derive(Debug, Clone)]
pub struct Cache {
    /// The program that gave these answers.
    program: Program,
    /// The prefix of every key: the name and version that the program reports. Empty if the program
    /// was not asked; the answers are then of no use in a file.
    solver: String,
    entries: Arc<Mutex<IndexMap<Key, Entry>>>,
}

type Key = [u8; 32];

#[derive(Debug, Clone)]
pub(crate) enum Entry {
    /// Unsatisfiable.
    Unsat,
    /// Satisfiable, with values by the text of the term in the query.
    Sat(IndexMap<String, Value>),
}

/// A cache file could not be used.
#[derive(Debug, Error)]
pub enum CacheError {
    /// The file cannot be read or written.
    #[error("cannot access `{path}`: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is not a cache, or it is damaged.
    #[error("`{path}` is not a file of solver answers, or it is damaged")]
    Malformed {
        /// The file.
        path: PathBuf,
    },
    /// The solver does not report its name and version.
    #[error("`{path}` does not answer like a solver: {reason}")]
    Solver {
        /// The solver.
        path: PathBuf,
        /// The failure, or the unexpected response.
        reason: Reason,
    },
}

impl Cache {
    /// Creates an empty cache for answers that `program` gives while this process lives. The
    /// program is not started.
    pub fn new(program: &Program) -> Self {
        Self { program: program.clone(), solver: String::new(), entries: Arc::default() }
    }

    /// The program that gave these answers.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The number of answers.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// True if there is no answer.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn get(&self, body: &str) -> Option<Entry> {
        self.lock().get(&self.key(body)).cloned()
    }

    pub(crate) fn insert(&self, body: &str, entry: Entry) {
        self.lock().insert(self.key(body), entry);
    }

    /// Forgets the answer to a query.
    pub(crate) fn remove(&self, body: &str) {
        let key = self.key(body);
        self.lock().shift_remove(&key);
    }

    fn key(&self, body: &str) -> Key {
        // The length separates the two parts unambiguously.
        let mut hash = Sha256::new();
        hash.update(format!("{} {}\n", self.solver.len(), self.solver));
        hash.update(body);
        hash.finalize().into()
    }

    fn lock(&self) -> MutexGuard<'_, IndexMap<Key, Entry>> {
        // Every insertion is complete, so a thread that panicked left no half-written entry.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks `program` for its name and version and reads a file of answers. Answers of other
    /// solvers are read too: this solver cannot use them, but they stay in the file. A missing file
    /// counts as empty.
    ///
    /// # Errors
    /// The program does not report its name and version, or the file cannot be read, or it is
    /// damaged.
    pub fn load(path: &Path, program: &Program) -> Result<Self, CacheError> {
        let solver = program
            .probe()
            .map_err(|reason| CacheError::Solver { path: program.path().to_owned(), reason })?;
        let solver = format!("{} {}", solver.name, solver.version);
        let cache = Self { solver, ..Self::new(program) };
        let malformed = || CacheError::Malformed { path: path.to_owned() };
        let lines = match sealed::read(path, HEADER) {
            Ok(Some(lines)) => lines,
            Ok(None) => return Ok(cache),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => return Err(malformed()),
            Err(source) => return Err(CacheError::Io { path: path.to_owned(), source }),
        };
        let answers = answers(&lines).ok_or_else(malformed)?;
        cache.lock().extend(answers);
        Ok(cache)
    }

    /// Writes the answers to a file. The new file replaces an older one as a whole.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), CacheError> {
        let mut text = String::new();
        for (key, entry) in self.lock().iter() {
            let key = hexadecimal(key);
            match entry {
                Entry::Unsat => writeln!(text, "unsat {key}").expect(TO_STRING),
                Entry::Sat(values) => {
                    writeln!(text, "sat {key}").expect(TO_STRING);
                    for (term, value) in values {
                        writeln!(text, "= {value} {term}").expect(TO_STRING);
                    }
                }
            }
        }
        sealed::write(path, HEADER, &text)
            .map_err(|source| CacheError::Io { path: path.to_owned(), source })
    }
}

/// Reads the answers from a file's lines; `None` if anything about them is wrong.
fn answers(text: &str) -> Option<IndexMap<Key, Entry>> {
    let lines = text.lines();
    let mut answers = IndexMap::default();
    // The key of the model that is being read.
    let mut model = None;
    for line in lines {
        let (word, rest) = line.split_once(' ')?;
        match word {
            "unsat" => {
                model = None;
                answers.insert(key_of(rest)?, Entry::Unsat);
            }
            "sat" => {
                let key = key_of(rest)?;
                model = Some(key);
                answers.insert(key, Entry::Sat(IndexMap::default()));
            }
            "=" => {
                let Entry::Sat(values) = answers.get_mut(&model?)? else { return None };
                let (value, term) = Value::from_text(rest)?;
                values.insert(term.to_owned(), value);
            }
            _ => return None,
        }
    }
    Some(answers)
}

fn key_of(text: &str) -> Option<Key> {
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    let mut key = Key::default();
    for (position, byte) in key.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * position..2 * position + 2], 16).ok()?;
    }
    Some(key)
}
