//! Certificates of derivations, checked by Coq and by runs of the C.

use std::path::PathBuf;
use std::time::Instant;

use halidom_atl::certificate::{Certificate, agreement, certify, instance};
use halidom_atl::check::{CheckError, Checker, Outcome, place};
use halidom_atl::engine::Refusal;
use halidom_atl::file::Derived;
use halidom_atl::native::{
    Agreement, Comparison, NativeError, compare_with_source, fulfils_conditions,
};
use halidom_atl::program::{Element, Program};
use halidom_atl::rules::Law;
use halidom_atl::{folder, lower, print};
use halidom_diag::{Diagnostic, Span};
use halidom_verdict::{Cause, Claim, Condition, Evidence, Modes, Obligations, Ran, Verdict};

use super::Loaded;

/// A derivation with its certificate, which nothing has checked yet.
pub struct Certified<'l> {
    /// The derivation's name.
    pub name: &'l str,
    /// The derivation.
    pub derived: Derived<'l>,
    /// The text of the final program, before it is normalized for the certificate.
    pub last: String,
    /// The number of steps of the derivation.
    pub steps: usize,
    /// The certificate.
    pub certificate: Certificate,
    /// The time that the derivation took.
    pub seconds: f64,
    loaded: &'l Loaded,
    span: Span,
}

/// The results of checking a certificate.
pub struct Checked {
    /// Coq's answer.
    pub coq: Outcome,
    /// The place at which the certificate fails, if Coq refuses it there.
    pub at: Option<String>,
    /// The runs of the C: at the program's own type of elements, and in floating point. The last
    /// one may have failed.
    pub runs: Vec<Run>,
    /// The verdict on the derivation. Runs that agree prove nothing, so they do not add to it.
    pub verdict: Verdict,
}

/// A comparison of the C with the source program's meaning.
pub struct Run {
    /// True if the elements have the type that the program names.
    pub is_own: bool,
    /// The type of the elements.
    pub element: Element,
    /// The result.
    pub result: Result<Comparison, NativeError>,
}

/// Coq cannot be used, or there is no place for the files of a run.
#[derive(Debug, thiserror::Error)]
pub enum CoqError {
    /// Coq cannot be used.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// There is no temporary folder.
    #[error("no temporary folder: {0}")]
    Folder(#[from] std::io::Error),
}

impl CoqError {
    /// The stable error code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Check(_) | Self::Folder(_) => "HAL1014",
        }
    }

    /// A hint for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Check(CheckError::NoCoq(_)) => {
                "install Debian's package coq, or run `cargo xtask atl`, which does"
            }
            Self::Check(CheckError::File { .. }) => {
                "set HALIDOM_CACHE to a folder that can be written"
            }
            Self::Check(CheckError::Own { .. }) => "this is a defect of halidom",
            Self::Check(CheckError::Installation(_)) => "install Coq anew",
            Self::Folder(_) => "free some space",
        }
    }
}

/// The compiler with sanitizers. clang's sanitizers need a separate package.
const SANITIZING_COMPILER: &str = "gcc";

/// The message for a run of Coq without any certificate.
const NO_THEOREM: (&str, &str) = ("there is no certificate", "derive it with `--check`");

/// Prepares Coq with the compiled library, in the user's cache.
pub fn checker() -> Result<Checker, CoqError> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let cache = variable("HALIDOM_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("halidom")))
        .or_else(|| variable("HOME").map(|folder| folder.join(".cache/halidom")))
        .unwrap_or_else(|| std::env::temp_dir().join("halidom-cache"));
    Ok(Checker::new(&cache)?)
}

impl Loaded {
    /// Writes the certificate of a derivation that was carried out.
    pub fn certified<'l>(
        &'l self,
        number: usize,
        mut derived: Derived<'l>,
        seconds: f64,
    ) -> Result<Certified<'l>, Diagnostic> {
        let derivation = self.derivation(number);
        let (name, span) = (derivation.name.text.as_str(), derivation.name.span);
        let (last, steps) = (print::term(&derived.state.term), derived.state.steps.len());
        let certificate = certify(&derived.program, &mut derived.state)
            .map_err(|refusal| refused_at(name, span, refusal))?;
        Ok(Certified { name, derived, last, steps, certificate, seconds, loaded: self, span })
    }

    /// Carries out a derivation, and measures the time.
    pub fn timed(&self, number: usize) -> Result<(Derived<'_>, f64), Diagnostic> {
        let start = Instant::now();
        let derived = self.derive(number)?;
        Ok((derived, start.elapsed().as_secs_f64()))
    }
}

fn refused_at(name: &str, span: Span, refusal: Refusal) -> Diagnostic {
    let message = format!("`{name}`: {}", refusal.message);
    let diagnostic = Diagnostic::error(refusal.code, span, message);
    match refusal.hint {
        Some(hint) => diagnostic.with_hint(hint),
        None => diagnostic,
    }
}

impl Certified<'_> {
    /// The whole C file.
    pub fn unit(&self) -> String {
        lower::unit(self.derived.program.element(), &self.certificate.function)
    }

    /// The place of the derivation's name in its file.
    pub fn span(&self) -> Span {
        self.span
    }

    /// The files that are generated from the derivation alone: all but the proof.
    pub fn stated(&self) -> Vec<folder::Named> {
        let source = self.loaded.sources.text(self.span.file);
        folder::stated(self.name, source, &self.unit(), &self.certificate)
    }

    /// Every file of a folder that can be sent to others.
    pub fn files(&self) -> Vec<folder::Named> {
        let mut files = self.stated();
        files.push(folder::proof(&self.certificate));
        files
    }

    /// Checks the certificate by Coq and the C by runs.
    pub fn checked(&self, checker: &Checker) -> Result<Checked, CoqError> {
        let Self { derived, certificate, .. } = self;
        let scratch = tempfile::tempdir()?;
        let coq = checker.check(&certificate.statement, certificate.proof.as_bytes())?;
        let mut verdicts = vec![verdict(&coq, certificate, &derived.program)];
        let at = match &coq {
            Outcome::Refused { message: _, line: Some(line) } => {
                place(&certificate.commands, &certificate.proof, *line)
            }
            Outcome::Refused { .. } | Outcome::Accepted(_) | Outcome::Undecided { .. } => None,
        };
        // The lowered program: the same program, or its instance for an empty shape.
        let (small, _) = instance(&self.loaded.engine, &derived.program, &derived.state.term);
        let own = small.element();
        let mut programs = vec![(true, own, small.clone())];
        // The same C in floating point.
        if own != Element::F32 {
            programs.push((false, Element::F32, small.at_element(Element::F32)));
        }
        let mut runs = Vec::new();
        for (is_own, element, program) in programs {
            let result = compare_with_source(
                &program,
                &certificate.function,
                agreement(&certificate.laws),
                SANITIZING_COMPILER,
                scratch.path(),
            );
            if let Ok(Comparison::Different(place)) = &result {
                let evidence =
                    Evidence::of(Ran::CompiledCode, "the source's meaning", place.as_str());
                verdicts.push(Verdict::refuted(evidence));
            }
            let has_failed = result.is_err();
            runs.push(Run { is_own, element, result });
            if has_failed {
                break;
            }
        }
        let at = at.map(|place| place.to_string());
        Ok(Checked { coq, at, runs, verdict: Verdict::worst(verdicts, NO_THEOREM) })
    }
}

/// The condition that Coq's theorem names: each array of the C is memory of its own.
const APART: Condition = Condition::standard(
    "buffers-apart",
    "the arrays that the caller passes do not overlap, and have the sizes that are passed",
    "docs/atl.md#certificates",
);

/// The condition of programs under minimum and addition, whose theorem is about integers of any
/// size.
const FITS: Condition = Condition::standard(
    "distances-fit",
    "each input is infinity, which is 2^63 - 1, or so small that no sum of inputs that the source \
        or the derived program computes leaves 64 bits or is infinity",
    "docs/atl.md#certificates",
);

/// The condition of programs of floats: the C has the operations that it states.
const OPERATIONS: Condition = Condition::standard(
    "floats-not-fused",
    "the C compiler rounds each product and each sum of floats by itself, as with \
        `-ffp-contract=off`",
    "docs/atl.md#certificates",
);

/// The verdict that follows from Coq's answer on a certificate. A theorem whose conditions no sizes
/// fulfil has no meaning.
pub(super) fn verdict(coq: &Outcome, certificate: &Certificate, program: &Program) -> Verdict {
    match coq {
        Outcome::Accepted(_) => {
            let mut theorem = Obligations::of(Claim::Derivation);
            theorem.shown(&modes(&certificate.laws));
            theorem.assume(APART);
            match program.element() {
                Element::MinPlus => theorem.assume(FITS),
                Element::F32 | Element::F64 => theorem.assume(OPERATIONS),
                Element::I32 | Element::I64 => {}
            }
            for pred in &program.hypotheses {
                let text = print::pred(pred);
                theorem.assume(Condition::contract(text.clone(), text));
            }
            if !fulfils_conditions(program) {
                let reason = "no sizes are found that fulfil the conditions of the derivation";
                theorem.open(Cause::Assumption, reason);
            }
            theorem.verdict(NO_THEOREM)
        }
        Outcome::Refused { message, line: _ } => {
            let expected = "a certificate that Coq accepts";
            Verdict::refuted(Evidence::of(Ran::Coq, expected, message.as_str()))
        }
        Outcome::Undecided { reason } => Verdict::unknown(Cause::Certificate, reason.as_str()),
    }
}

/// The equality of floats that follows from a certificate's laws.
fn modes(laws: &[Law]) -> Modes {
    let names = laws.iter().map(|law| law.name());
    match agreement(laws) {
        Agreement::Exact => Modes::axioms(names),
        Agreement::Rounded => Modes::reals(names),
    }
}
