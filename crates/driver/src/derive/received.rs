//! Certificates that somebody else sent, as folders.

use std::path::Path;

use halidom_atl::check::{Checker, Outcome};
use halidom_atl::folder::{self, FolderError, Received};
use halidom_verdict::{Cause, Evidence, Ran, Verdict};

use super::certificate::{Certified, CoqError, verdict};
use super::{Loaded, load};
use crate::refusal::Refusal;

/// A received folder and the file of programs in it.
pub struct Stated {
    /// The folder.
    pub folder: Received,
    /// The file.
    pub loaded: Loaded,
}

/// The files of a folder that its program does not give.
pub struct Compared {
    /// The names of files that differ.
    pub different: Vec<String>,
    /// The names of files that do not belong to a certificate.
    pub strangers: Vec<String>,
    /// The names of files that are missing.
    pub missing: Vec<String>,
    /// A refutation if files differ.
    pub verdict: Option<Verdict>,
}

/// Coq's answer on a received proof.
pub struct Audited {
    /// The answer.
    pub coq: Outcome,
    /// The verdict that follows from it.
    pub verdict: Verdict,
}

/// Reads a received folder and the programs in it.
pub fn received(folder: &Path) -> Result<Stated, Refusal> {
    let folder = folder::receive(folder).map_err(|error| unreadable(&error))?;
    let loaded = load(&folder.program)?;
    Ok(Stated { folder, loaded })
}

impl Stated {
    /// Carries out the folder's derivation again and writes its certificate.
    pub fn certified(&self) -> Result<Certified<'_>, Refusal> {
        let refuse = |diagnostic| Refusal::new(self.loaded.sources.clone(), vec![diagnostic]);
        let number = self.loaded.one(Some(&self.folder.name)).map_err(refuse)?;
        let (derived, seconds) = self.loaded.timed(number).map_err(refuse)?;
        self.loaded.certified(number, derived, seconds).map_err(refuse)
    }

    /// Compares the folder's files with those of the certificate, all but the proof.
    pub fn compared(&self, certified: &Certified<'_>) -> Result<Compared, Refusal> {
        let stated = certified.stated();
        let different = self.folder.different(&stated).map_err(|error| unreadable(&error))?;
        let verdict = different.first().map(|name| {
            let expected = format!("`{name}` as `{}.atl` gives it", self.folder.name);
            Verdict::refuted(Evidence::of(Ran::Script, expected, "another file"))
        });
        let (strangers, missing) = (self.folder.strangers(&stated), self.folder.missing(&stated));
        Ok(Compared { different, strangers, missing, verdict })
    }

    /// Checks the received proof of the certificate's statement, and Coq's own library.
    pub fn audited(
        &self,
        certified: &Certified<'_>,
        checker: &Checker,
    ) -> Result<Audited, CoqError> {
        checker.audit()?;
        let certificate = &certified.certificate;
        let coq = checker.check(&certificate.statement, &self.folder.proof)?;
        let verdict = verdict(&coq, certificate, &certified.derived.program);
        Ok(Audited { coq, verdict })
    }
}

/// The verdict on a certificate, which may be right, if Coq cannot be asked.
pub fn unasked() -> Verdict {
    Verdict::unknown(Cause::Certificate, "Coq cannot be asked")
}

/// The verdict on a certificate whose proof is not compiled for want of a sandbox.
pub fn unprotected() -> Verdict {
    Verdict::unknown(Cause::Certificate, "Proof.v was not compiled, as there is no sandbox")
}

fn unreadable(error: &FolderError) -> Refusal {
    match error {
        FolderError::NoFolder(_) | FolderError::Programs(..) | FolderError::NoProof(_) => {
            let hint =
                "give a folder as `halidom derive FILE -o OUT` writes one for each derivation";
            let refusal = Refusal::without_place("HAL1016", error.to_string(), hint);
            Refusal { is_empty: true, ..refusal }
        }
        FolderError::NotPlain(_) | FolderError::File { .. } => {
            Refusal::without_place("HAL1016", error.to_string(), "make it readable")
        }
    }
}
