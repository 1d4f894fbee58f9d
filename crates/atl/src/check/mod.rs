//! Coq's check of certificates.
//!
//! A certificate is three files. `Statement.v` states the claim; Halidom writes it from the source
//! program for each check. `Proof.v` may come from anywhere. `Check.v` is [`CHECK`]: it gives the
//! definition of `Proof.v` the type that `Statement.v` states.
//!
//! # Correctness
//! `Proof.v` is never inspected as text. Coq compiles it alone in a separate folder (`sandbox`),
//! and only the bytes of `Proof.vo` are used afterwards. The library and `Statement.v` are compiled
//! before. Their objects are held in memory and written again into a fresh folder. There `Check.v`
//! is compiled, and `coqchk`, a second implementation of the kernel's rules around the same
//! objects, checks all of it. So `Proof.v` can change neither the meaning of a word of the
//! statement nor the files that the check reads.
//!
//! The goal of `Check.v` is fixed before `Proof.vo` is loaded: a name, notation or coercion in it
//! comes too late. Two answers must confirm that the theorem assumes nothing. `Print Assumptions`
//! must answer exactly `CLOSED`, and the summary of `coqchk` must be `SUMMARY` to the line. So
//! an axiom of any name, an unchecked fixpoint, an unchecked universe or an unchecked inductive
//! type is refused.

mod error;
mod library;
mod process;
mod sandbox;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use error::{at, is, read};
use library::Objects;
use process::{Ended, Run};

pub use error::CheckError;
pub use library::{LIBRARY, sha256};
pub use process::coq_version;
pub use sandbox::Sandbox;

/// The text of `Check.v`.
pub const CHECK: &str = "\
Require HalidomStatement.Statement.
Theorem checked : HalidomStatement.Statement.theorem.
Proof.
Require HalidomProof.Proof.
exact HalidomProof.Proof.derivation.
Qed.
Print Assumptions checked.
";

/// The only output that `Check.v` may print.
const CLOSED: &str = "Closed under the global context";

/// The only output that `coqchk` may print.
const SUMMARY: [&str; 7] = [
    "CONTEXT SUMMARY",
    "===============",
    "* Theory: Set is predicative",
    "* Axioms: <none>",
    "* Constants/Inductives relying on type-in-type: <none>",
    "* Constants/Inductives relying on unsafe (co)fixpoints: <none>",
    "* Inductives whose positivity is assumed: <none>",
];

/// The only module of Coq's library that the summary lists as assumed unless it is checked too: it
/// seals definitions by a module type.
const SEALED: &str = "Coq.ssr.ssrunder";

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The theorem of the statement is proved.
    Accepted(Accepted),
    /// `Proof.v` does not prove the theorem.
    Refused {
        /// Coq's message, or ours.
        message: String,
        /// The line of `Proof.v` at which Coq stopped.
        line: Option<usize>,
    },
    /// Coq did not finish in time.
    Undecided {
        /// The reason.
        reason: String,
    },
}

/// The circumstances of a successful check.
#[derive(Clone, Debug, PartialEq)]
pub struct Accepted {
    /// The time that coqc took for the three files.
    pub seconds: f64,
    /// The time that coqchk took.
    pub kernel_seconds: f64,
    /// The sandbox that separated `Proof.v` from the rest of the machine.
    pub sandbox: Sandbox,
}

/// The place at which a certificate fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The lemma or definition.
    pub lemma: String,
    /// The command of the derivation, if the place belongs to a step.
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
    /// The time limit of one run of Coq.
    limit: Duration,
}

/// A compiled statement, ready for any number of proofs.
#[derive(Clone, Debug)]
pub struct Stated {
    object: Vec<u8>,
    seconds: f64,
}

impl Checker {
    /// Compiles the library, or takes it from the cache if it is unchanged there.
    ///
    /// # Errors
    /// Coq is missing, a file cannot be read or written, or the library does not compile.
    pub fn new(cache: &Path) -> Result<Self, CheckError> {
        let coq = process::Coq::find()?;
        let limit = Duration::from_mins(5);
        let library = library::objects(&coq, cache, limit)?;
        let sandbox = sandbox::find(&coq);
        Ok(Self { coq, library, sandbox, cache: cache.to_owned(), limit })
    }

    /// Returns the folder of a cache that has the library, compiled by this Coq and not changed.
    pub fn kept_in(&self, cache: &Path) -> Option<PathBuf> {
        library::kept_in(&self.coq, cache)
    }

    /// The sandbox in which proofs are compiled.
    pub fn sandbox(&self) -> Sandbox {
        self.sandbox
    }

    /// Runs `coqchk` on the library and everything of Coq's own that it rests on, unless this was
    /// done before. This takes half a minute.
    ///
    /// # Errors
    /// A file cannot be read or written, or `coqchk` does not accept the library.
    pub fn audit(&self) -> Result<(), CheckError> {
        library::audit(&self.coq, &self.library, &self.cache, summary)
    }

    /// Checks a proof of a statement.
    ///
    /// # Errors
    /// A file cannot be read or written, or the statement does not compile.
    pub fn check(&self, statement: &str, proof: &[u8]) -> Result<Outcome, CheckError> {
        let stated = self.state(statement)?;
        self.prove(&stated, proof)
    }

    /// Compiles a statement.
    ///
    /// # Errors
    /// A file cannot be read or written, or the statement does not compile.
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
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub fn prove(&self, stated: &Stated, proof: &[u8]) -> Result<Outcome, CheckError> {
        let (object, proof_seconds) = match self.untrusted(stated, proof)? {
            Ok(compiled) => compiled,
            Err(outcome) => return Ok(outcome),
        };
        // The folder in which the proof was compiled is not used again. This one contains only
        // files that were held in memory.
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

    /// Compiles `Proof.v` in a folder with copies of the library and the statement. Returns the
    /// object's bytes.
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

    /// Compiles one of our own files in a folder.
    fn compile(&self, folder: &Folder, path: &Path) -> Result<(Ended, f64), CheckError> {
        let mut run = Run::new(&self.coq.coqc, &folder.path, self.limit);
        run.arguments(process::COQC).arguments(&process::LOAD_PATH).path(path);
        run.run().map_err(at(path))
    }
}

/// Checks that a summary of `coqchk` lists no assumptions.
fn summary(text: &str) -> Result<(), String> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines == SUMMARY {
        return Ok(());
    }
    let strange: Vec<&str> =
        lines.into_iter().filter(|line| !SUMMARY.contains(line)).take(8).collect();
    Err(format!("coqchk does not sum up that nothing is assumed: {}", strange.join("; ")))
}

/// A fresh folder with the folders `library`, `statement`, `proof` and `check`, which only this
/// user can read. Dropping it removes it.
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
        // A folder that cannot be removed does no harm.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// The place at which a proof that Halidom wrote fails: the lemma around the line, and the
/// derivation's command that it belongs to. This only informs the reader; no verdict depends on it.
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
        let line =
            proof.lines().position(|line| line.starts_with("Proof. ") && line.contains(&call))?;
        let number =
            proof.lines().nth(line.checked_sub(1)?)?.strip_prefix("Lemma s")?.split(' ').next()?;
        commands.get(number.parse::<usize>().ok()?.checked_sub(1)?).cloned()
    };
    Some(Place { command: derived.or_else(used), lemma })
}
