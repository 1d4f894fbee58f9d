//! Files of the tensor language ATL: derivations, and their lowering to the IR.

use std::path::Path;

use halidom_atl::engine::Engine;
use halidom_atl::file::{self, Derived};
use halidom_atl::syntax::ast;
use halidom_diag::{Code, Diagnostic, Severity, Sources, Span};
use halidom_halide::translate::Contract;
use halidom_ir::{Algorithm, Pool};

use crate::compile::{self, Compiled, Observer};
use crate::files::FileError;

/// A file after parsing.
#[derive(Debug)]
pub struct Loaded {
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

/// Tests by its name whether a file contains derivations.
pub fn is_derivation_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "atl")
}

/// Reads a file of programs and derivations, and reports all errors in it.
pub fn load(
    engine: &Engine,
    path: &Path,
) -> Result<Result<Loaded, (Sources, Vec<Diagnostic>)>, FileError> {
    let text = crate::source::text(path)?;
    let mut sources = Sources::new();
    let id = sources.add(path.display().to_string(), text);
    Ok(match file::load(engine, &mut sources, id) {
        Ok(file) => Ok(Loaded { sources, file }),
        Err(diagnostics) => Err((sources, diagnostics)),
    })
}

impl Loaded {
    /// The names of the derivations, in order.
    pub fn names(&self) -> Vec<&str> {
        self.file.derivations.iter().map(|derivation| derivation.name.text.as_str()).collect()
    }

    /// The derivations with a name, or all of them.
    pub fn chosen(&self, name: Option<&str>) -> Result<Vec<&ast::Derivation>, Diagnostic> {
        let wanted =
            |derivation: &&ast::Derivation| name.is_none_or(|name| derivation.name.text == name);
        let found: Vec<_> = self.file.derivations.iter().filter(wanted).collect();
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

    /// The derivation with a name, or the only one.
    pub fn one(&self, name: Option<&str>) -> Result<&ast::Derivation, Diagnostic> {
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

    /// Executes a derivation and lowers the result.
    pub fn lower(
        &self,
        engine: &Engine,
        derivation: &ast::Derivation,
        observe: Observer<'_>,
    ) -> Result<Lowered, Vec<Diagnostic>> {
        let derived = self
            .file
            .derive(engine, &self.sources, derivation)
            .map_err(|diagnostic| vec![diagnostic])?;
        lower(&derived, derivation.name.span, observe)
    }
}

/// Lowers a derivation that was executed.
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
    let program = compile::finish(&mut pool, &structured, observe)?;
    let contract = Contract::default();
    let compiled = Compiled { structured, program, steps: vec![extended], contract };
    Ok(Lowered { pool, algorithm, compiled })
}
