//! Certificates as folders: writing one, and reading one that was received.
//!
//! A folder has the program and its derivation (`NAME.atl`, for the derivation `NAME`), the C
//! (`NAME.c`), `Statement.v`, `Proof.v` and `Check.v`. The checker generates all files but
//! `Proof.v` again from `NAME.atl`. The folder's versions of these files must be the same.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::certificate::Certificate;
use crate::check::CHECK;

/// The name of the untrusted file.
const PROOF: &str = "Proof.v";

/// The maximal size in bytes of a file that is read.
const LARGEST: u64 = 1 << 26;

/// The reason why a folder is not a certificate.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The folder does not exist.
    #[error("{0} is no folder")]
    NoFolder(PathBuf),
    /// The folder has no program, or several.
    #[error("{0} has {1} .atl files; a certificate has one")]
    Programs(PathBuf, usize),
    /// The folder has no proof.
    #[error("{0} has no Proof.v")]
    NoProof(PathBuf),
    /// A file is not a plain file, or is too large.
    #[error("{0} is no plain file of at most 64 MiB")]
    NotPlain(PathBuf),
    /// A file cannot be read.
    #[error("{path}: {cause}")]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: io::Error,
    },
}

/// A file of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The file's name.
    pub name: String,
    /// The file's bytes.
    pub content: Vec<u8>,
}

/// The files that are generated from a derivation alone. `source` is the program's text and `unit`
/// the whole C file.
pub fn stated(name: &str, source: &str, unit: &str, certificate: &Certificate) -> Vec<Named> {
    let named = |name: String, content: &str| Named { name, content: content.as_bytes().to_vec() };
    vec![
        named(format!("{name}.atl"), source),
        named(format!("{name}.c"), unit),
        named("Statement.v".to_owned(), &certificate.statement),
        named("Check.v".to_owned(), CHECK),
    ]
}

/// The file with the proof.
pub fn proof(certificate: &Certificate) -> Named {
    Named { name: PROOF.to_owned(), content: certificate.proof.clone().into_bytes() }
}

/// A folder that was received.
#[derive(Clone, Debug)]
pub struct Received {
    /// The derivation's name.
    pub name: String,
    /// The program.
    pub program: PathBuf,
    /// The contents of `Proof.v`.
    pub proof: Vec<u8>,
    folder: PathBuf,
    /// The names of all files in the folder.
    files: Vec<String>,
}

/// Reads a folder that was received.
///
/// # Errors
/// Any [`FolderError`] whose condition holds.
pub fn receive(folder: &Path) -> Result<Received, FolderError> {
    if !folder.is_dir() {
        return Err(FolderError::NoFolder(folder.to_owned()));
    }
    let at = |cause| FolderError::File { path: folder.to_owned(), cause };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(at)? {
        files.push(entry.map_err(at)?.file_name().to_string_lossy().into_owned());
    }
    files.sort();
    let programs: Vec<&str> = files.iter().filter_map(|name| name.strip_suffix(".atl")).collect();
    let [name] = programs[..] else {
        return Err(FolderError::Programs(folder.to_owned(), programs.len()));
    };
    if !files.iter().any(|name| name == PROOF) {
        return Err(FolderError::NoProof(folder.to_owned()));
    }
    let program = folder.join(format!("{name}.atl"));
    plain(&program)?;
    let proof = plain(&folder.join(PROOF))?;
    Ok(Received { name: name.to_owned(), program, proof, folder: folder.to_owned(), files })
}

impl Received {
    /// The names of the files whose contents differ from the generated ones.
    ///
    /// # Errors
    /// A file cannot be read, is not a plain file, or is too large.
    pub fn different(&self, stated: &[Named]) -> Result<Vec<String>, FolderError> {
        let mut all = Vec::new();
        for wanted in stated.iter().filter(|wanted| self.files.contains(&wanted.name)) {
            if plain(&self.folder.join(&wanted.name))? != wanted.content {
                all.push(wanted.name.clone());
            }
        }
        Ok(all)
    }

    /// The names of the files that belong to a certificate but are missing in this folder.
    pub fn missing(&self, stated: &[Named]) -> Vec<String> {
        let lacks = |named: &&Named| !self.files.contains(&named.name);
        stated.iter().filter(lacks).map(|named| named.name.clone()).collect()
    }

    /// The names of the files that do not belong to a certificate.
    pub fn strangers(&self, stated: &[Named]) -> Vec<String> {
        let is_strange =
            |name: &&String| *name != PROOF && !stated.iter().any(|named| named.name == **name);
        self.files.iter().filter(is_strange).cloned().collect()
    }
}

/// Reads a plain file of moderate size.
fn plain(path: &Path) -> Result<Vec<u8>, FolderError> {
    let at = |cause| FolderError::File { path: path.to_owned(), cause };
    let metadata = fs::metadata(path).map_err(at)?;
    if !metadata.is_file() || metadata.len() > LARGEST {
        return Err(FolderError::NotPlain(path.to_owned()));
    }
    fs::read(path).map_err(at)
}
