//! Files of programs and derivations.

use halidom_diag::{Diagnostic, FileId, Sources};

use crate::codes;
use crate::engine::{Engine, Library, State, run};
use crate::program::Program;
use crate::resolve::{self, Resolver};
use crate::syntax::{ast, parse};
use crate::term::{Sort, Var};

/// The schedule functions that every file may use.
const LIBRARY: &str = include_str!("library.atl");

/// A loaded file: its programs are resolved, its derivations ready to run.
#[derive(Debug)]
pub struct Loaded {
    /// The programs, in order.
    pub programs: Vec<Program>,
    /// The derivations, in order.
    pub derivations: Vec<ast::Derivation>,
    library: Library,
}

/// Loads a file.
///
/// # Errors
/// All errors in the file.
pub fn load(
    engine: &Engine,
    sources: &mut Sources,
    file: FileId,
) -> Result<Loaded, Vec<Diagnostic>> {
    let (tree, mut diagnostics) = parse(sources.text(file), file);
    let shipped = sources.add("library.atl", LIBRARY);
    let (shipped_tree, shipped_errors) = parse(LIBRARY, shipped);
    diagnostics.extend(shipped_errors);
    let mut library = Library::default();
    library.add(&shipped_tree.functions);
    library.add(&tree.functions);
    let mut programs: Vec<Program> = Vec::new();
    for program in &tree.programs {
        if programs.iter().any(|other| other.name == program.name.text) {
            let message = format!("there is a program `{}` already", program.name.text);
            diagnostics.push(Diagnostic::error(codes::NAME_TAKEN, program.name.span, message));
            continue;
        }
        match resolve::program(program, &engine.supply, &engine.prover) {
            Ok(program) => programs.push(program),
            Err(diagnostic) => diagnostics.push(*diagnostic),
        }
    }
    for (number, derivation) in tree.derivations.iter().enumerate() {
        let taken =
            tree.derivations[..number].iter().any(|other| other.name.text == derivation.name.text);
        if taken {
            let message = format!("there is a derivation `{}` already", derivation.name.text);
            diagnostics.push(Diagnostic::error(codes::NAME_TAKEN, derivation.name.span, message));
        }
        let known = tree.programs.iter().any(|program| program.name.text == derivation.of.text);
        if !known {
            let message = format!("there is no program `{}`", derivation.of.text);
            diagnostics.push(Diagnostic::error(codes::UNKNOWN_NAME, derivation.of.span, message));
        }
    }
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics);
    }
    Ok(Loaded { programs, derivations: tree.derivations, library })
}

/// A derivation that was carried out.
#[derive(Debug)]
pub struct Derived<'e> {
    /// The source program, with the derivation's sizes and conditions.
    pub program: Program,
    /// The final program, with the steps that led to it.
    pub state: State<'e>,
}

impl Loaded {
    /// The derivation with this name.
    pub fn derivation(&self, name: &str) -> Option<&ast::Derivation> {
        self.derivations.iter().find(|derivation| derivation.name.text == name)
    }

    /// Carries out a derivation.
    ///
    /// # Errors
    /// The first command that does not apply, or an error in the derivation's parameters or
    /// conditions.
    pub fn derive<'e>(
        &self,
        engine: &'e Engine,
        sources: &Sources,
        derivation: &ast::Derivation,
    ) -> Result<Derived<'e>, Diagnostic> {
        let program = self.start(engine, derivation).map_err(|diagnostic| *diagnostic)?;
        let state = run(engine, &self.library, sources, &program, derivation)
            .map_err(|diagnostic| *diagnostic)?;
        Ok(Derived { program, state })
    }

    /// The program that a derivation begins with, under the derivation's name and conditions.
    fn start(
        &self,
        engine: &Engine,
        derivation: &ast::Derivation,
    ) -> Result<Program, Box<Diagnostic>> {
        let found = self.programs.iter().find(|program| program.name == derivation.of.text);
        let Some(program) = found else {
            let message = format!("there is no program `{}`", derivation.of.text);
            return Err(Box::new(Diagnostic::error(
                codes::UNKNOWN_NAME,
                derivation.of.span,
                message,
            )));
        };
        let mut program = program.clone();
        program.name.clone_from(&derivation.name.text);
        let mut scope: Vec<Var> = program.sizes.clone();
        for param in &derivation.params {
            let taken = scope.iter().chain(program.inputs.iter().map(|input| &input.var));
            if taken.into_iter().any(|var| *var.name == *param.name.text) {
                let message = format!("the program has a `{}` already", param.name.text);
                return Err(Box::new(Diagnostic::error(
                    codes::NAME_TAKEN,
                    param.name.span,
                    message,
                )));
            }
            if param.kind != ast::ParamKind::Size {
                let message = "derivations take sizes";
                return Err(Box::new(Diagnostic::error(
                    codes::WRONG_SORT,
                    param.name.span,
                    message,
                )));
            }
            let var = engine.supply.fresh(&param.name.text, Sort::Index);
            scope.push(var.clone());
            program.sizes.push(var);
        }
        let resolver = Resolver::new(&engine.supply, &engine.prover, scope);
        for pred in &derivation.wheres {
            program.hypotheses.push(resolver.pred(pred)?);
        }
        Ok(program)
    }
}
