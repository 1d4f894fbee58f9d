//! Certificates in the hands of Coq.
//!
//! `coqc` compiles the certificate's file; beyond that the file must contain nothing by which Coq could be told to believe something, its theorems must rest
//! on functional extensionality alone, and it must state what the derivation claims.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::certificate::{Certificate, is_numbered};

/// The library, in the order in which it is compiled.
pub const LIBRARY: [(&str, &str); 9] = [
    ("Tensor", include_str!("../../../coq/Tensor.v")),
    ("Rules", include_str!("../../../coq/Rules.v")),
    ("Reshape", include_str!("../../../coq/Reshape.v")),
    ("Loop", include_str!("../../../coq/Loop.v")),
    ("Lower", include_str!("../../../coq/Lower.v")),
    ("Print", include_str!("../../../coq/Print.v")),
    ("Instances", include_str!("../../../coq/Instances.v")),
    ("Paper", include_str!("../../../coq/Paper.v")),
    ("Certificate", include_str!("../../../coq/Certificate.v")),
];

/// What a theorem may assume.
const ALLOWED: &str = "functional_extensionality_dep";

/// Words by which Coq believes what was not proved, or reads other files. None has a place in a certificate.
const FORBIDDEN: &[&str] = &[
    "Admitted",
    "admit",
    "Axiom",
    "Axioms",
    "Conjecture",
    "Parameter",
    "Parameters",
    "Abort",
    "bypass_check",
    "Guard",
    "Positivity",
    "Universe",
    "Type_in_Type",
    "Load",
    "Declare",
    "Redirect",
    "Cd",
    "Add",
    "Module",
    "Import",
    "Export",
    "Ltac",
    "Notation",
    "Infix",
    "Coercion",
    "Canonical",
    "Instance",
    "Hint",
    "Opaque",
    "Transparent",
    "Arguments",
    "Drop",
    "Set",
    "Local",
    "Global",
    "Program",
    "Fixpoint",
    "Inductive",
    "Record",
    "Fail",
    "give_up",
];

/// Coq cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// There is no `coqc`.
    #[error("coqc is not installed")]
    NoCoq,
    /// A file cannot be written or read.
    #[error("{path}: {cause}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// The library does not compile: a defect of this project.
    #[error("the library's file {file}.v is not accepted: {message}")]
    Library {
        /// Which.
        file: &'static str,
        /// Coq's words.
        message: String,
    },
}

/// What came of a check.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Every theorem holds.
    Accepted {
        /// How long coqc took.
        seconds: f64,
    },
    /// Something is wrong.
    Refused {
        /// What.
        message: String,
        /// The lemma or theorem where Coq stopped, and the command of the derivation that it belongs to.
        place: Option<Place>,
    },
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
    library: PathBuf,
    /// How long one certificate may take.
    limit: Duration,
}

/// Whether `coqc` can be started, and its version.
pub fn coq_version() -> Option<String> {
    let output = Command::new("coqc").arg("--print-version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    output.status.success().then(|| text.split_whitespace().next().unwrap_or("?").to_owned())
}

impl Checker {
    /// Compiles the library into a folder, unless it is there already. The folder's name tells the library's text and Coq's version, so that neither
    /// can change behind it.
    pub fn new(cache: &Path) -> Result<Self, CheckError> {
        let version = coq_version().ok_or(CheckError::NoCoq)?;
        let mut digest = 0xcbf2_9ce4_8422_2325_u64;
        for byte in LIBRARY
            .iter()
            .flat_map(|(name, text)| name.bytes().chain(text.bytes()))
            .chain(version.bytes())
        {
            digest = (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        let library = cache.join(format!("coq-{digest:016x}"));
        let checker = Self { library, limit: Duration::from_mins(5) };
        if !checker.library.join("Certificate.vo").is_file() {
            checker.compile(cache)?;
        }
        Ok(checker)
    }

    fn compile(&self, cache: &Path) -> Result<(), CheckError> {
        let file_error = |path: &Path| {
            let path = path.to_owned();
            move |cause| CheckError::File { path, cause }
        };
        // Other threads and processes may be at it too.
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let work = cache.join(format!("coq-new-{}-{number}", std::process::id()));
        fs::create_dir_all(&work).map_err(file_error(&work))?;
        for (name, text) in LIBRARY {
            let path = work.join(format!("{name}.v"));
            fs::write(&path, text).map_err(file_error(&path))?;
            let (output, _) = run(&work, &path, self.limit).map_err(file_error(&path))?;
            if let Some(message) = output.failure {
                return Err(CheckError::Library { file: name, message });
            }
        }
        // Another process may have been faster: its library is the same.
        if fs::rename(&work, &self.library).is_err() {
            let _ = fs::remove_dir_all(&work);
            if !self.library.join("Certificate.vo").is_file() {
                return Err(CheckError::File {
                    path: self.library.clone(),
                    cause: io::Error::other("the compiled library cannot be put there"),
                });
            }
        }
        Ok(())
    }

    /// Asks Coq about a certificate's file, which must state what the derivation claims.
    pub fn check(&self, certificate: &Certificate, path: &Path) -> Result<Outcome, CheckError> {
        let text = fs::read_to_string(path)
            .map_err(|cause| CheckError::File { path: path.to_owned(), cause })?;
        let refused = |message: String| Outcome::Refused { message, place: None };
        if let Some(word) = forbidden(&text) {
            return Ok(refused(format!("`{word}` has no place in a certificate")));
        }
        if let Some(name) = stray_name(&text) {
            return Ok(refused(format!("a certificate has no definition of `{name}`")));
        }
        let (claimed, stated) = (statements(&certificate.text), statements(&text));
        if let Some(missing) = claimed.iter().find(|statement| !stated.contains(statement)) {
            return Ok(refused(format!("the file does not state `{}`", first_line(missing))));
        }
        if let Some(extra) = stated.iter().find(|statement| !claimed.contains(statement)) {
            return Ok(refused(format!(
                "the file states `{}`, which the derivation does not",
                first_line(extra)
            )));
        }
        if claimed != stated {
            return Ok(refused("the file's statements stand in another order".to_owned()));
        }
        let (output, seconds) = run(&self.library, path, self.limit)
            .map_err(|cause| CheckError::File { path: path.to_owned(), cause })?;
        if let Some(message) = output.failure {
            let place = place(&message, &text, &certificate.commands);
            return Ok(Outcome::Refused { message, place });
        }
        Ok(match assumptions(&output.text, certificate.theorems.len()) {
            Ok(()) => Outcome::Accepted { seconds },
            Err(message) => refused(message),
        })
    }

    /// What Coq says against a text, whatever that claims or leaves unproved: its words, and where it stopped. Nothing if it compiles.
    pub fn complaint(
        &self,
        text: &str,
        path: &Path,
        commands: &[String],
    ) -> Result<Option<(String, Option<Place>)>, CheckError> {
        let file_error = |cause| CheckError::File { path: path.to_owned(), cause };
        fs::write(path, text).map_err(file_error)?;
        let (output, _) = run(&self.library, path, self.limit).map_err(file_error)?;
        Ok(output.failure.map(|message| {
            let place = place(&message, text, commands);
            (message, place)
        }))
    }
}

struct Output {
    text: String,
    failure: Option<String>,
}

fn run(library: &Path, path: &Path, limit: Duration) -> io::Result<(Output, f64)> {
    let start = Instant::now();
    let (library, path) = (std::path::absolute(library)?, std::path::absolute(path)?);
    let folder = path.parent().unwrap_or(&library);
    let out = path.with_extension("out");
    let err = path.with_extension("err");
    let mut child = Command::new("coqc")
        .arg("-q")
        .arg("-R")
        .arg(&library)
        .arg("Halidom")
        .arg(&path)
        // What coqc leaves behind beside its results is left there.
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(fs::File::create(&out)?)
        .stderr(fs::File::create(&err)?)
        .spawn()?;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            break None;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let seconds = start.elapsed().as_secs_f64();
    let text = fs::read_to_string(&out)?;
    let errors = fs::read_to_string(&err)?;
    for file in [out, err] {
        let _ = fs::remove_file(file);
    }
    let failure = match status {
        None => Some(format!("coqc did not end within {} s", limit.as_secs())),
        Some(status) if status.success() => None,
        Some(_) => Some(errors.trim().to_owned()),
    };
    Ok((Output { text, failure }, seconds))
}

/// A word that has no place in a certificate, outside of comments and strings.
pub fn forbidden(text: &str) -> Option<&'static str> {
    let mut lines = text.lines();
    let code: String = stripped(text);
    // The one line that reads other files is the library's.
    let requires = code.matches("Require").count();
    if requires != 1 || !lines.any(|line| line == "From Halidom Require Import Certificate.") {
        return Some("Require");
    }
    let body = code
        .replace("From Halidom Require Import Certificate.", "")
        .replace("Unset Lia Cache.", "");
    let words = body.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\''));
    let mut found = None;
    for word in words {
        found = found.or_else(|| FORBIDDEN.iter().find(|forbidden| **forbidden == word).copied());
    }
    found.or_else(|| body.contains("Unset").then_some("Unset"))
}

/// The text without comments and strings.
fn stripped(text: &str) -> String {
    let mut out = String::new();
    let mut depth = 0_u32;
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('"', _) => {
                quoted = !quoted;
                out.push(' ');
            }
            ('(', Some('*')) if !quoted => {
                chars.next();
                depth += 1;
            }
            ('*', Some(')')) if !quoted && depth > 0 => {
                chars.next();
                depth -= 1;
            }
            _ if depth == 0 && !quoted => out.push(c),
            _ => {}
        }
    }
    out
}

/// Definitions by which a certificate states what it claims.
const CLAIMS: &[&str] = &["source", "source_0", "nest", "program", "sizes", "inputs", "instance"];

/// A name that no certificate defines: defined again, a name of the library would change what the theorems mean without changing their words.
pub fn stray_name(text: &str) -> Option<String> {
    const OTHERS: &[&str] = &["final", "final_0", "low_final", "derivation_0"];
    sentences(text).into_iter().find_map(|sentence| {
        let mut words = sentence.split_whitespace();
        if !matches!(words.next(), Some("Definition" | "Lemma")) {
            return None;
        }
        let name = words.next().unwrap_or("");
        // Lemmas and intermediate programs are numbered.
        let known = is_numbered(name) || OTHERS.contains(&name) || CLAIMS.contains(&name);
        (!known).then(|| name.to_owned())
    })
}

/// What a certificate claims: variables, hypotheses, the source, the loop nest, the theorems, without steps and proofs.
pub fn statements(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for sentence in sentences(text) {
        let mut words = sentence.split_whitespace();
        let (first, second) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        let claims = match first {
            "Section" | "Context" | "Variable" | "Variables" | "Hypothesis" | "Theorem" | "End"
            | "From" | "Unset" | "Print" => true,
            "Definition" => CLAIMS.contains(&second),
            _ => false,
        };
        let known =
            matches!(first, "Definition" | "Lemma" | "Proof." | "Proof" | "exact" | "Qed." | "");
        let is_tactic = first.starts_with(|c: char| c.is_ascii_lowercase());
        if claims || !(known || is_tactic) {
            all.push(sentence);
        }
    }
    all
}

/// The sentences of a Coq text: ended by a full stop before a blank, outside of comments and strings.
pub(crate) fn sentences(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut current = String::new();
    let (mut depth, mut quoted) = (0_u32, false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('(', Some('*')) if !quoted => {
                chars.next();
                depth += 1;
                continue;
            }
            ('*', Some(')')) if !quoted && depth > 0 => {
                chars.next();
                depth -= 1;
                continue;
            }
            _ if depth > 0 => continue,
            ('"', _) => quoted = !quoted,
            _ => {}
        }
        current.push(c);
        if c == '.' && !quoted && chars.peek().is_none_or(|next| next.is_whitespace()) {
            all.push(current.trim().to_owned());
            current.clear();
        }
    }
    if !current.trim().is_empty() {
        all.push(current.trim().to_owned());
    }
    all
}

fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    match line.char_indices().nth(100) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// Checks what `Print Assumptions` printed for each theorem.
fn assumptions(output: &str, theorems: usize) -> Result<(), String> {
    let mut answers = 0;
    for line in output.lines() {
        let line = line.trim_end();
        if line == "Closed under the global context" || line == "Axioms:" {
            answers += 1;
        } else if !line.is_empty() && !line.starts_with(' ') {
            // A name, its type behind it or on the next lines.
            let name = line.split(':').next().unwrap_or("").trim();
            let name = name.rsplit('.').next().unwrap_or(name);
            if name != ALLOWED {
                return Err(format!("the theorems assume `{name}`"));
            }
        }
    }
    if answers == theorems {
        Ok(())
    } else {
        Err(format!("the assumptions of {answers} theorems were printed, not of {theorems}"))
    }
}

/// Where Coq stopped.
fn place(message: &str, text: &str, commands: &[String]) -> Option<Place> {
    let line: usize = message.split("line ").nth(1)?.split(',').next()?.trim().parse().ok()?;
    let before: Vec<&str> = text.lines().take(line).collect();
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
        let line = text
            .lines()
            .position(|line| line.starts_with("Proof. exact") && line.contains(&call))?;
        let number =
            text.lines().nth(line.checked_sub(1)?)?.strip_prefix("Lemma s")?.split(' ').next()?;
        commands.get(number.parse::<usize>().ok()?.checked_sub(1)?).cloned()
    };
    Some(Place { command: derived.or_else(used), lemma })
}
