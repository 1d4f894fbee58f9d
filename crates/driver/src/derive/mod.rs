//! The derive job: files of the tensor language ATL, their derivations and certificates.
//!
//! [`crate::input::derivations`] reads a file. A derivation is lowered to the IR
//! ([`Loaded::lower`]), where it is a program like any other, or certified and checked by Coq
//! ([`Loaded::certified`]).

mod certificate;
mod received;

use std::path::Path;

use halidom_atl::engine::Engine;
use halidom_atl::file::{self, Derived};
use halidom_atl::syntax::ast;
use halidom_diag::{Code, Diagnostic, Severity, Sources, Span};
use halidom_halide::translate::Contract;
use halidom_ir::{Algorithm, Pool};

use crate::compile::{self, Compiled, Finished, Observer};
use crate::refusal::Refusal;

pub use certificate::{Certified, Checked, CoqError, Run, checker};
pub use halidom_atl::check::{Checker, Outcome};
pub use halidom_atl::native::{Comparison, TOLERANCE};
pub use received::{Audited, Compared, Stated, received, unasked, unprotected};

/// A file after parsing.
#[derive(Debug)]
pub struct Loaded {
    /// The engine that carries out its derivations.
    pub engine: Engine,
    /// Its text, for diagnostics.
    pub sources: Sources,
    /// Its parsed contents.
    pub file: file::Loaded,
}

/// A derivation in the IR, ready to be validated, printed and run.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The owner of the following fields' nodes.
    pub pool: Pool,
    /// The source program.
    pub algorithm: Algorithm,
    /// The final program, before and after the passes.
    pub compiled: Compiled,
}

/// The hint for a file without derivations.
const NO_DERIVATION: &str = "write `program name(…) = …` and `derivation name of program { … }`";

/// Reads a file of programs and derivations. A file with errors, or without a derivation, is
/// refused.
pub(crate) fn load(path: &Path) -> Result<Loaded, Refusal> {
    let engine = Engine::new().map_err(|error| {
        let message = format!("the engine cannot be started: {error}");
        Refusal::without_place("HAL1014", message, "this is a defect of halidom")
    })?;
    let text = crate::source::text(path)
        .map_err(|error| Refusal::without_place("HAL1014", error.to_string(), error.hint()))?;
    let mut sources = Sources::new();
    let id = sources.add(path.display().to_string(), text);
    match file::load(&engine, &mut sources, id) {
        Ok(file) if file.derivations.is_empty() => {
            let message = format!("`{}` has no derivation", path.display());
            let refusal = Refusal::without_place("HAL1002", message, NO_DERIVATION);
            Err(Refusal { is_empty: true, ..refusal })
        }
        Ok(file) => Ok(Loaded { engine, sources, file }),
        Err(diagnostics) => Err(Refusal::new(sources, diagnostics)),
    }
}

impl Loaded {
    /// The names of the derivations, in order.
    pub fn names(&self) -> Vec<&str> {
        self.file.derivations.iter().map(|derivation| derivation.name.text.as_str()).collect()
    }

    /// The numbers of the derivations with a name, or of all.
    pub fn chosen(&self, name: Option<&str>) -> Result<Vec<usize>, Diagnostic> {
        let wanted = |number: &usize| {
            name.is_none_or(|name| self.file.derivations[*number].name.text == name)
        };
        let found: Vec<usize> = (0..self.file.derivations.len()).filter(wanted).collect();
        match name {
            Some(name) if found.is_empty() => {
                let message = format!("there is no derivation `{name}`");
                Err(Diagnostic::without_place(Severity::Error, Code("HAL1002"), message)
                    .with_hint(format!("the file has {}", self.names().join(", "))))
            }
            None if found.is_empty() => {
                let message = "the file has no derivation";
                Err(Diagnostic::without_place(Severity::Error, Code("HAL1002"), message)
                    .with_hint("write `derivation name of program { … }`"))
            }
            Some(_) | None => Ok(found),
        }
    }

    /// The number of the derivation with a name, or of the only one.
    pub fn one(&self, name: Option<&str>) -> Result<usize, Diagnostic> {
        match self.chosen(name)?[..] {
            [only] => Ok(only),
            [..] => {
                let message =
                    format!("the file has several derivations: {}", self.names().join(", "));
                Err(Diagnostic::without_place(Severity::Error, Code("HAL1002"), message)
                    .with_hint("choose one with `-d NAME`"))
            }
        }
    }

    /// The derivation with a number, as it is written.
    pub fn derivation(&self, number: usize) -> &ast::Derivation {
        &self.file.derivations[number]
    }

    /// Carries out a derivation.
    pub fn derive(&self, number: usize) -> Result<Derived<'_>, Diagnostic> {
        self.file.derive(&self.engine, &self.sources, self.derivation(number))
    }

    /// Carries out a derivation and lowers the result.
    pub fn lower(&self, number: usize, observe: Observer<'_>) -> Result<Lowered, Vec<Diagnostic>> {
        let derived = self.derive(number).map_err(|diagnostic| vec![diagnostic])?;
        lower(&derived, self.derivation(number).name.span, observe)
    }
}

/// Lowers a derivation that was carried out.
pub fn lower(
    derived: &Derived<'_>,
    place: Span,
    observe: Observer<'_>,
) -> Result<Lowered, Vec<Diagnostic>> {
    let lowered = halidom_atl_ir::lower(derived).map_err(|error| {
        let message = format!("`{}` has no form in the IR: {error}", derived.program.name);
        let hint = "the certificate, and the C that it proves, do not need one";
        vec![Diagnostic::error(Code("HAL1015"), place, message).with_hint(hint)]
    })?;
    let halidom_atl_ir::Lowered { mut pool, algorithm, extended, program: structured } = lowered;
    compile::check(&pool, &[&algorithm, &extended], &structured)?;
    let Finished { program, stages } = compile::finish(&mut pool, &structured, observe)?;
    let contract = Contract::default();
    let compiled =
        Compiled { structured, program, steps: vec![extended], contract, said: None, stages };
    Ok(Lowered { pool, algorithm, compiled })
}
