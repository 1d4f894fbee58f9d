//! Certificates in the hands of Coq.
//!
//! A certificate is three files. `Statement.v` says what is claimed; Halidom writes it itself, from the source program, each time it checks. `Proof.v` may
//! come from anywhere. `Check.v` is [`CHECK`]: it gives what `Proof.v` defines the type that `Statement.v` states.
//!
//! # Correctness
//! Nothing of `Proof.v` is read as text. Coq compiles it alone in a folder of its own ([`sandbox`]), of which nothing is used afterwards but the bytes of
//! `Proof.vo`. The library and `Statement.v` are compiled before; their objects are held in memory, and written anew into a fresh folder where `Check.v` is
//! compiled and `coqchk`, a second implementation of the kernel's rules around the same objects, goes through all of it. So `Proof.v` can change neither the
//! meaning of a word of the statement nor what the check reads.
//!
//! The goal of `Check.v` is fixed before `Proof.vo` is loaded: a name, notation or coercion that it brings along comes too late. That the theorem assumes
//! nothing is said twice: `Print Assumptions` must answer exactly [`CLOSED`], and the summary of `coqchk` must be [`SUMMARY`] to the line, so that an axiom of
//! any name, an unchecked fixpoint, an unchecked universe or an unchecked inductive type is refused.

mod library;
mod process;
mod sandbox;

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use library::Objects;
use process::{Ended, Run};

pub use library::{LIBRARY, sha256};
pub use process::coq_version;
pub use sandbox::Sandbox;

/// `Check.v`.
pub const CHECK: &str = "\
Require HalidomStatement.Statement.
Theorem checked : HalidomStatement.Statement.theorem.
Proof.
Require HalidomProof.Proof.
exact HalidomProof.Proof.derivation.
Qed.
Print Assumptions checked.
";

/// What `Check.v` must print, and nothing else.
const CLOSED: &str = "Closed under the global context";

/// What `coqchk` must print, and nothing else.
const SUMMARY: [&str; 7] = [
    "CONTEXT SUMMARY",
    "===============",
    "* Theory: Set is predicative",
    "* Axioms: <none>",
    "* Constants/Inductives relying on type-in-type: <none>",
    "* Constants/Inductives relying on unsafe (co)fixpoints: <none>",
    "* Inductives whose positivity is assumed: <none>",
];

/// The only module of Coq's library that the summary names as assumed where it is not checked itself: it seals definitions by a module type.
const SEALED: &str = "Coq.ssr.ssrunder";

/// Coq cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// There is no `coqc`, or no `coqchk`.
    #[error("{0} is not installed")]
    NoCoq(&'static str),
    /// A file cannot be written or read.
    #[error("{path}: {cause}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// A file of ours does not compile: a defect of this project.
    #[error("{file}.v is not accepted: {message}")]
    Own {
        /// Which.
        file: &'static str,
        /// Coq's words.
        message: String,
    },
    /// Coq's own library assumes something.
    #[error("coqchk does not accept Coq's own library: {0}")]
    Installation(String),
}

/// What came of a check.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The theorem of the statement is proved.
    Accepted(Accepted),
    /// `Proof.v` does not prove it.
    Refused {
        /// Coq's words, or ours.
        message: String,
        /// The line of `Proof.v` where Coq stopped.
        line: Option<usize>,
    },
    /// Coq did not come to an end.
    Undecided {
        /// Why.
        reason: String,
    },
}

/// How a certificate was checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Accepted {
    /// How long coqc took for the three files.
    pub seconds: f64,
    /// How long coqchk took.
    pub kernel_seconds: f64,
    /// What kept `Proof.v` from the rest of the machine.
    pub sandbox: Sandbox,
}

/// Where a certificate fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The lemma or definition.
    pub lemma: String,
    /// The command of the derivation, for a step.
    pub command: Option<String>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.command {
            Some(command) => write!(f, "the step `{command}` ({})", self.lemma),
            None => write!(f, "`{}`", self.lemma),
        }
    }
}

/// Coq with the compiled library.
#[derive(Clone, Debug)]
pub struct Checker {
    coq: process::Coq,
    library: Objects,
    sandbox: Sandbox,
    cache: PathBuf,
    /// How long one run of Coq may take.
    limit: Duration,
}

/// A compiled statement, ready for any number of proofs.
#[derive(Clone, Debug)]
pub struct Stated {
    object: Vec<u8>,
    seconds: f64,
}

impl Checker {
    /// Compiles the library, or takes it from the cache if it is there as this user left it.
    pub fn new(cache: &Path) -> Result<Self, CheckError> {
        let coq = process::Coq::find()?;
        let limit = Duration::from_mins(5);
        let library = library::objects(&coq, cache, limit)?;
        let sandbox = sandbox::find(&coq);
        Ok(Self { coq, library, sandbox, cache: cache.to_owned(), limit })
    }

    /// Goes through the library and all of Coq's own that it rests on with `coqchk`, unless that was done before: half a minute.
    pub fn audit(&self) -> Result<(), CheckError> {
        library::audit(&self.coq, &self.library, &self.cache, summary)
    }

    /// Checks a proof of a statement.
    pub fn check(&self, statement: &str, proof: &[u8]) -> Result<Outcome, CheckError> {
        let stated = self.state(statement)?;
        self.prove(&stated, proof)
    }

    /// Compiles a statement.
    pub fn state(&self, statement: &str) -> Result<Stated, CheckError> {
        let folder = Folder::new(&self.cache)?;
        folder.library(&self.library)?;
        let path = folder.file("statement", "Statement.v", statement.as_bytes())?;
        let (ended, seconds) = self.compile(&folder, &path)?;
        match ended {
            Ended::Well { .. } => {}
            Ended::Badly { message, .. } | Ended::Late(message) => {
                return Err(CheckError::Own { file: "Statement", message });
            }
        }
        Ok(Stated { object: read(&path.with_extension("vo"))?, seconds })
    }

    /// Checks a proof of a compiled statement.
    pub fn prove(&self, stated: &Stated, proof: &[u8]) -> Result<Outcome, CheckError> {
        let (object, proof_seconds) = match self.untrusted(stated, proof)? {
            Ok(compiled) => compiled,
            Err(outcome) => return Ok(outcome),
        };
        // What the proof was compiled beside is left behind; here is nothing but what was held in memory.
        let folder = Folder::new(&self.cache)?;
        folder.library(&self.library)?;
        folder.file("statement", "Statement.vo", &stated.object)?;
        folder.file("proof", "Proof.vo", &object)?;
        let check = folder.file("check", "Check.v", CHECK.as_bytes())?;
        let (ended, check_seconds) = self.compile(&folder, &check)?;
        match ended {
            Ended::Well { printed, .. } if printed.trim_end() == CLOSED => {}
            Ended::Well { printed, .. } => {
                let message = format!("the theorem assumes something: {}", printed.trim());
                return Ok(Outcome::Refused { message, line: None });
            }
            Ended::Badly { message, .. } => return Ok(Outcome::Refused { message, line: None }),
            Ended::Late(reason) => return Ok(Outcome::Undecided { reason }),
        }
        let mut run = Run::new(&self.coq.coqchk, &folder.path, self.limit);
        run.arguments(&["-silent", "-o"]).arguments(&process::LOAD_PATH);
        let modules = library::modules();
        let checked = ["HalidomCheck.Check", "HalidomProof.Proof", "HalidomStatement.Statement"];
        let modules = modules.iter().map(String::as_str).chain(checked).chain([SEALED]);
        for module in modules {
            run.arguments(&["-norec", module]);
        }
        let (ended, kernel_seconds) = run.run().map_err(at(&folder.path))?;
        let text = match ended {
            Ended::Well { printed, reported } => printed + &reported,
            Ended::Badly { message, .. } => return Ok(Outcome::Refused { message, line: None }),
            Ended::Late(reason) => return Ok(Outcome::Undecided { reason }),
        };
        if let Err(message) = summary(&text) {
            return Ok(Outcome::Refused { message, line: None });
        }
        let seconds = stated.seconds + proof_seconds + check_seconds;
        Ok(Outcome::Accepted(Accepted { seconds, kernel_seconds, sandbox: self.sandbox }))
    }

    /// Compiles `Proof.v` beside copies of the library and the statement; gives the object's bytes.
    fn untrusted(
        &self,
        stated: &Stated,
        proof: &[u8],
    ) -> Result<Result<(Vec<u8>, f64), Outcome>, CheckError> {
        let folder = Folder::new(&self.cache)?;
        folder.library(&self.library)?;
        let statement = folder.file("statement", "Statement.vo", &stated.object)?;
        let path = folder.file("proof", "Proof.v", proof)?;
        let run = sandbox::compile(self.sandbox, &self.coq, &folder.path, self.limit);
        let (ended, seconds) = run.run().map_err(at(&path))?;
        let refused = |message: String, line| Outcome::Refused { message, line };
        match ended {
            Ended::Well { .. } => {}
            Ended::Badly { message, line } => return Ok(Err(refused(message, line))),
            Ended::Late(reason) => return Ok(Err(Outcome::Undecided { reason })),
        }
        let untouched =
            self.library.are_in(&folder.path.join("library")) && is(&statement, &stated.object);
        if !untouched {
            let message = "compiling Proof.v changed the files that it was compiled beside";
            return Ok(Err(refused(message.to_owned(), None)));
        }
        let object = path.with_extension("vo");
        let is_file = fs::symlink_metadata(&object).is_ok_and(|metadata| metadata.is_file());
        if !is_file {
            return Ok(Err(refused("Proof.v leaves no object".to_owned(), None)));
        }
        Ok(Ok((read(&object)?, seconds)))
    }

    /// Compiles a file of ours in a folder.
    fn compile(&self, folder: &Folder, path: &Path) -> Result<(Ended, f64), CheckError> {
        let mut run = Run::new(&self.coq.coqc, &folder.path, self.limit);
        run.arguments(process::COQC).arguments(&process::LOAD_PATH).path(path);
        run.run().map_err(at(path))
    }
}

/// Whether a summary of `coqchk` says that nothing is assumed.
fn summary(text: &str) -> Result<(), String> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines == SUMMARY {
        return Ok(());
    }
    let strange: Vec<&str> =
        lines.into_iter().filter(|line| !SUMMARY.contains(line)).take(8).collect();
    Err(format!("coqchk does not sum up that nothing is assumed: {}", strange.join("; ")))
}

/// A fresh folder with the folders `library`, `statement`, `proof` and `check`, that only this user can read. It is removed when it is dropped.
struct Folder {
    path: PathBuf,
}

impl Folder {
    fn new(cache: &Path) -> Result<Self, CheckError> {
        let path = library::fresh(cache)?;
        for inner in ["library", "statement", "proof", "check"] {
            let inner = path.join(inner);
            fs::create_dir(&inner).map_err(at(&inner))?;
        }
        Ok(Self { path })
    }

    fn library(&self, objects: &Objects) -> Result<(), CheckError> {
        objects.write(&self.path.join("library"))
    }

    fn file(&self, folder: &str, name: &str, content: &[u8]) -> Result<PathBuf, CheckError> {
        let path = self.path.join(folder).join(name);
        fs::write(&path, content).map_err(at(&path))?;
        Ok(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed does no harm.
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> CheckError + use<> {
    let path = path.to_owned();
    move |cause| CheckError::File { path, cause }
}

fn read(path: &Path) -> Result<Vec<u8>, CheckError> {
    fs::read(path).map_err(at(path))
}

fn is(path: &Path, content: &[u8]) -> bool {
    fs::read(path).is_ok_and(|found| found == content)
}

/// Where a proof that Halidom wrote fails: the lemma around the line, and which of the derivation's commands it belongs to. For the reader alone; no verdict
/// rests on it.
pub fn place(commands: &[String], proof: &str, line: usize) -> Option<Place> {
    let before: Vec<&str> = proof.lines().take(line).collect();
    let sentence = before.iter().rev().find(|line| {
        ["Lemma ", "Theorem ", "Definition ", "Hypothesis ", "Variable "]
            .iter()
            .any(|word| line.starts_with(word))
    })?;
    let lemma = sentence.split_whitespace().nth(1)?.trim_matches(['(', ')']).to_owned();
    let step = lemma
        .strip_prefix('s')
        .or_else(|| lemma.strip_prefix('p'))
        .and_then(|number| number.parse::<usize>().ok());
    let derived = step.and_then(|number| commands.get(number.checked_sub(1)?).cloned());
    // A side condition belongs to the first step that uses it.
    let used = || {
        let call = format!("({lemma} ");
        let line = proof
            .lines()
            .position(|line| line.starts_with("Proof. exact") && line.contains(&call))?;
        let number =
            proof.lines().nth(line.checked_sub(1)?)?.strip_prefix("Lemma s")?.split(' ').next()?;
        commands.get(number.parse::<usize>().ok()?.checked_sub(1)?).cloned()
    };
    Some(Place { command: derived.or_else(used), lemma })
}
