//! `halidom derive`.

use std::path::{Path, PathBuf};

use halidom_atl::certificate::{Certificate, about_floats, agreement, certify, instance};
use halidom_atl::check::{CheckError, Checker, Outcome, place};
use halidom_atl::engine::{Engine, Refusal};
use halidom_atl::file::{self, Derived};
use halidom_atl::native::{Agreement, Comparison, NativeError, TOLERANCE, compare_with_source};
use halidom_atl::program::Element;
use halidom_atl::rules::Law;
use halidom_atl::{folder, lower, print};
use halidom_diag::{Code, Diagnostic, Sources, Span};
use halidom_driver::derivation::{self, Loaded};
use halidom_driver::files::write_bytes;
use halidom_verdict::{Claim, Evidence, Modes, Obligations, Ran, Verdict};
use serde_json::{Value, json};

use super::ended;
use crate::args::{DeriveArgs, DeriveEmit};
use crate::output::{Ended, Output, Stop};

pub(crate) fn run(args: &DeriveArgs, output: &mut Output<'_>) -> Ended {
    ended(derive(args, output))
}

/// The hint for a file without derivations.
const NO_DERIVATION: &str = "write `program name(…) = …` and `derivation name of program { … }`";

/// Starts an engine and reads a file of programs and derivations. Reports every problem of the
/// file.
pub(crate) fn load(path: &Path, output: &mut Output<'_>) -> Result<(Engine, Loaded), Stop> {
    let engine = Engine::new().map_err(|error| {
        output.error(
            "HAL1014",
            &format!("the engine cannot be started: {error}"),
            "this is a defect of halidom",
        )
    })?;
    let loaded = derivation::load(&engine, path)
        .map_err(|error| output.error("HAL1014", &error.to_string(), error.hint()))?;
    match loaded {
        Ok(loaded) if loaded.file.derivations.is_empty() => {
            let message = format!("`{}` has no derivation", path.display());
            Err(output.nothing("HAL1002", &message, NO_DERIVATION))
        }
        Ok(loaded) => Ok((engine, loaded)),
        Err((sources, diagnostics)) => {
            for diagnostic in &diagnostics {
                output.diagnostic(&sources, diagnostic);
            }
            Err(Stop::BadInput)
        }
    }
}

fn derive(args: &DeriveArgs, output: &mut Output<'_>) -> Result<Ended, Stop> {
    let (engine, loaded) = load(&args.file, output)?;
    let chosen = loaded.chosen(args.derivation.as_deref()).map_err(|diagnostic| {
        output.diagnostic(&loaded.sources, &diagnostic);
        Stop::BadInput
    })?;
    let checker = if args.check { Some(checker(output)?) } else { None };
    let (mut verdicts, mut failed) = (Vec::new(), None);
    let mut values = Vec::new();
    for derivation in chosen {
        let name = derivation.name.text.as_str();
        let job = Job {
            args,
            engine: &engine,
            sources: &loaded.sources,
            checker: checker.as_ref(),
            name,
            span: derivation.name.span,
        };
        match job.run(&loaded.file, derivation, output) {
            Ok((verdict, value)) => {
                verdicts.extend(verdict);
                values.push(value);
            }
            Err(stop) => failed = Some(stop),
        }
    }
    output.set("derivations", values);
    match failed {
        Some(stop) => Err(stop),
        // Without Coq nothing is judged, as the steps come from the engine, which is not trusted.
        None if checker.is_none() => Ok(Ended::Done),
        None => {
            let nothing = ("no derivation was chosen", "name one of the file with `-d NAME`");
            Ok(Ended::Judged(Verdict::worst(verdicts, nothing)))
        }
    }
}

/// Prepares Coq with the compiled library, in the user's cache.
pub(crate) fn checker(output: &mut Output<'_>) -> Result<Checker, Stop> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let cache = variable("HALIDOM_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("halidom")))
        .or_else(|| variable("HOME").map(|folder| folder.join(".cache/halidom")))
        .unwrap_or_else(|| std::env::temp_dir().join("halidom-cache"));
    Checker::new(&cache).map_err(|error| unavailable(&error, output))
}

/// Reports that Coq is not available.
pub(crate) fn unavailable(error: &CheckError, output: &mut Output<'_>) -> Stop {
    let hint = match error {
        CheckError::NoCoq(_) => {
            "install Debian's package coq, or run `cargo xtask atl`, which does"
        }
        CheckError::File { .. } => "set HALIDOM_CACHE to a folder that can be written",
        CheckError::Own { .. } => "this is a defect of halidom",
        CheckError::Installation(_) => "install Coq anew",
    };
    output.error("HAL1014", &error.to_string(), hint)
}

struct Job<'j> {
    args: &'j DeriveArgs,
    engine: &'j Engine,
    sources: &'j Sources,
    checker: Option<&'j Checker>,
    name: &'j str,
    span: Span,
}

impl Job<'_> {
    fn run(
        &self,
        loaded: &file::Loaded,
        derivation: &halidom_atl::syntax::ast::Derivation,
        output: &mut Output<'_>,
    ) -> Result<(Option<Verdict>, Value), Stop> {
        let start = std::time::Instant::now();
        let mut derived =
            loaded.derive(self.engine, self.sources, derivation).map_err(|diagnostic| {
                output.diagnostic(self.sources, &diagnostic);
                Stop::BadInput
            })?;
        let derive_seconds = start.elapsed().as_secs_f64();
        if self.args.step {
            show_steps(&derived, output);
        }
        let steps = derived.state.steps.len();
        output.line(&format!("{}: {steps} steps", self.name));
        let final_text = print::term(&derived.state.term);
        let certificate = certify(&derived.program, &mut derived.state).map_err(|refusal| {
            output.diagnostic(self.sources, &self.refusal(refusal));
            Stop::BadInput
        })?;
        if !self.args.step {
            output.line(&indented(&final_text));
        }
        let laws: Vec<&str> = certificate.laws.iter().map(|law| law.name()).collect();
        output.line(&format!(
            "  laws used: {}",
            if laws.is_empty() { "none".to_owned() } else { laws.join("; ") }
        ));
        output.line(&format!("  floating point: {}", about_floats(&certificate.laws)));
        let scratch = tempfile::tempdir().map_err(|error| {
            output.error("HAL1014", &format!("no temporary folder: {error}"), "free some space")
        })?;
        self.emit(&certificate, &derived, output)?;
        let mut value = json!({
            "name": self.name,
            "steps": steps,
            "nodes": halidom_atl::term::size(&derived.program.body),
            "derive_seconds": derive_seconds,
            "elements": derived.program.element().name(),
            "final": final_text,
            "side_conditions": certificate.side_conditions,
            "certificate_bytes": certificate.statement.len() + certificate.proof.len(),
            "laws": laws,
            "floats": about_floats(&certificate.laws),
        });
        let mut verdicts = Vec::new();
        if let Some(checker) = self.checker {
            let outcome = checker
                .check(&certificate.statement, certificate.proof.as_bytes())
                .map_err(|error| unavailable(&error, output))?;
            match outcome {
                Outcome::Accepted(accepted) => {
                    output.line(&format!(
                        "  certificate: accepted by coqc in {:.1} s, by coqchk in {:.1} s ({} side \
                            conditions)",
                        accepted.seconds, accepted.kernel_seconds, certificate.side_conditions
                    ));
                    verdicts.push(proved(&certificate));
                    value["coqc_seconds"] = accepted.seconds.into();
                    value["coqchk_seconds"] = accepted.kernel_seconds.into();
                    value["sandbox"] = accepted.sandbox.name().into();
                }
                Outcome::Refused { message, line } => {
                    let place = line
                        .and_then(|line| place(&certificate.commands, &certificate.proof, line));
                    let at = place.map_or(String::new(), |place| format!(" at {place}"));
                    verdicts.push(refused(&message));
                    let diagnostic = Diagnostic::error(
                        Code("HAL1013"),
                        self.span,
                        format!("the certificate of `{}` is refused{at}", self.name),
                    )
                    .with_hint(message);
                    output.diagnostic(self.sources, &diagnostic);
                }
                Outcome::Undecided { reason } => {
                    verdicts.push(Verdict::unknown(reason));
                }
            }
        }
        if self.checker.is_some() {
            let run_folder = scratch.path();
            // The lowered program: the same program, or its instance for an empty shape.
            let (small, _) = instance(self.engine, &derived.program, &derived.state.term);
            let integers = compare_with_source(
                &small,
                &certificate.function,
                agreement(&certificate.laws),
                SANITIZING_COMPILER,
                run_folder,
            );
            let what = small.element();
            verdicts.extend(self.compared("c_own", what, integers, output, &mut value)?);
            // Compares the same C in floating point.
            if what != Element::F32 {
                let floats = small.at_element(Element::F32);
                let comparison = compare_with_source(
                    &floats,
                    &certificate.function,
                    agreement(&certificate.laws),
                    SANITIZING_COMPILER,
                    run_folder,
                );
                verdicts.extend(self.compared(
                    "c_f32",
                    Element::F32,
                    comparison,
                    output,
                    &mut value,
                )?);
            }
        }
        let verdict = self.checker.map(|_| Verdict::worst(verdicts, NO_THEOREM));
        if let (Some(verdict), Some(object)) = (&verdict, value.as_object_mut()) {
            object.extend(verdict.json());
        }
        Ok((verdict, value))
    }

    /// Reports how the C compares with the source program's meaning. Returns a verdict only if it
    /// differs, as runs that agree prove nothing.
    fn compared(
        &self,
        key: &str,
        element: Element,
        comparison: Result<Comparison, NativeError>,
        output: &mut Output<'_>,
        value: &mut Value,
    ) -> Result<Option<Verdict>, Stop> {
        let name = element.name();
        match comparison {
            Ok(Comparison::Equal(cases)) => {
                output
                    .line(&format!("  C, {name}: equal to the source's meaning at {cases} sizes"));
                value[key] = json!({"sizes": cases, "agreement": "equal"});
            }
            Ok(Comparison::Within(cases)) => {
                output.line(&format!(
                    "  C, {name}: validated over the reals: within {TOLERANCE} of the magnitude at \
                        {cases} sizes"
                ));
                value[key] = json!({"sizes": cases, "agreement": "validated over the reals"});
            }
            Ok(Comparison::NotCompared(reason)) => {
                output.line(&format!("  C, {name}: not compared ({reason})"));
            }
            Ok(Comparison::Different(place)) => {
                let diagnostic = Diagnostic::error(
                    Code("HAL1013"),
                    self.span,
                    format!("the C of `{}` for {name} differs from its source: {place}", self.name),
                );
                output.diagnostic(self.sources, &diagnostic);
                let expected = "the source's meaning";
                let evidence = Evidence::of(Ran::CompiledCode, expected, place);
                return Ok(Some(Verdict::refuted(evidence)));
            }
            Err(error) => {
                return Err(output.error("HAL1014", &error.to_string(), "install gcc"));
            }
        }
        Ok(None)
    }

    fn refusal(&self, refusal: Refusal) -> Diagnostic {
        let message = format!("`{}`: {}", self.name, refusal.message);
        let diagnostic = Diagnostic::error(refusal.code, self.span, message);
        match refusal.hint {
            Some(hint) => diagnostic.with_hint(hint),
            None => diagnostic,
        }
    }

    /// Writes the requested outputs into the folder, or prints them if there is no folder.
    fn emit(
        &self,
        certificate: &Certificate,
        derived: &Derived<'_>,
        output: &mut Output<'_>,
    ) -> Result<(), Stop> {
        let wanted: &[DeriveEmit] = match (&self.args.output, self.args.emit.as_slice()) {
            (Some(_), []) => &[DeriveEmit::C, DeriveEmit::Coq],
            (_, chosen) => chosen,
        };
        for emit in wanted {
            let (extension, text) = match emit {
                DeriveEmit::C => {
                    ("c", lower::unit(derived.program.element(), &certificate.function))
                }
                DeriveEmit::Coq => {
                    if let Some(folder) = &self.args.output {
                        self.write_folder(&folder.join(self.name), certificate, derived, output)?;
                        continue;
                    }
                    ("v", format!("{}\n{}", certificate.statement, certificate.proof))
                }
                DeriveEmit::Ir => {
                    let lowered = derivation::lower(derived, self.span, &mut |_, _, _| {});
                    let lowered = lowered.map_err(|diagnostics| {
                        for diagnostic in &diagnostics {
                            output.diagnostic(self.sources, diagnostic);
                        }
                        Stop::BadInput
                    })?;
                    let algorithm = lowered.compiled.lowered(&lowered.algorithm);
                    let program = &lowered.compiled.program;
                    ("ir", halidom_ir::print::module(&lowered.pool, algorithm, program))
                }
            };
            let Some(folder) = &self.args.output else {
                output.line(text.trim_end());
                continue;
            };
            make_folder(folder, output)?;
            let path = folder.join(format!("{}.{extension}", self.name));
            write_bytes(&path, text.as_bytes())
                .map_err(|error| output.error(error.code(), &error.to_string(), error.hint()))?;
            output.line(&format!("  wrote {}", path.display()));
        }
        Ok(())
    }

    /// Writes the certificate together with every file that it refers to. The folder can be sent to
    /// others.
    fn write_folder(
        &self,
        folder: &Path,
        certificate: &Certificate,
        derived: &Derived<'_>,
        output: &mut Output<'_>,
    ) -> Result<(), Stop> {
        make_folder(folder, output)?;
        let unit = lower::unit(derived.program.element(), &certificate.function);
        let source = self.sources.text(self.span.file);
        let mut files = folder::stated(self.name, source, &unit, certificate);
        files.push(folder::proof(certificate));
        for file in files {
            write_bytes(&folder.join(&file.name), &file.content)
                .map_err(|error| output.error(error.code(), &error.to_string(), error.hint()))?;
        }
        output.line(&format!("  wrote {}/", folder.display()));
        Ok(())
    }
}

fn make_folder(folder: &Path, output: &mut Output<'_>) -> Result<(), Stop> {
    std::fs::create_dir_all(folder).map_err(|error| {
        output.error(
            "HAL1014",
            &format!("cannot make {}: {error}", folder.display()),
            "choose another folder",
        )
    })
}

/// The compiler with sanitizers. clang's sanitizers need a separate package.
const SANITIZING_COMPILER: &str = "gcc";

/// The message for a run of Coq without any certificate.
const NO_THEOREM: (&str, &str) = ("there is no certificate", "derive it with `--check`");

/// The verdict for a certificate that Coq accepts.
pub(crate) fn proved(certificate: &Certificate) -> Verdict {
    let mut theorem = Obligations::of(Claim::Derivation);
    theorem.shown(&modes(&certificate.laws));
    theorem.verdict(NO_THEOREM)
}

/// The verdict for a certificate that Coq rejects for this reason.
pub(crate) fn refused(message: &str) -> Verdict {
    Verdict::refuted(Evidence::of(Ran::Coq, "a certificate that Coq accepts", message))
}

/// The equality of floats that follows from a certificate's laws.
fn modes(laws: &[Law]) -> Modes {
    let names = laws.iter().map(|law| law.name());
    match agreement(laws) {
        Agreement::Exact => Modes::axioms(names),
        Agreement::Rounded => Modes::reals(names),
    }
}

fn show_steps(derived: &Derived<'_>, output: &mut Output<'_>) {
    output.line(&format!("source:\n{}", indented(&print::term(&derived.program.body))));
    let steps = &derived.state.steps;
    for (position, step) in steps.iter().enumerate() {
        // Print one text for each command of the script, after the last of its steps.
        if steps.get(position + 1).is_none_or(|next| next.command != step.command) {
            output.line(&format!(
                "{};\n{}",
                step.command.trim_end_matches(';'),
                indented(&print::term(&step.after))
            ));
        }
    }
}

fn indented(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("    {line}")).collect();
    lines.join("\n")
}
