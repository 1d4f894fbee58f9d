//! `halidom derive`.

mod listing;

use std::path::Path;

use halidom_atl::certificate::about_floats;
use halidom_atl::file::Derived;
use halidom_atl::print;
use halidom_diag::{Code, Diagnostic};
use halidom_driver::derive::{self, Certified, Checked, Checker, Comparison, CoqError, Loaded};
use halidom_driver::derive::{Outcome, Run, TOLERANCE};
use halidom_driver::input;
use halidom_verdict::Verdict;
use serde_json::{Value, json};

use listing::indented;

use super::{ended, write};
use crate::args::{DeriveArgs, DeriveEmit};
use crate::output::{Ended, Output, Stop};
use crate::places;

pub(crate) fn run(args: &DeriveArgs, output: &mut Output<'_>) -> Ended {
    ended(derive(args, output))
}

fn derive(args: &DeriveArgs, output: &mut Output<'_>) -> Result<Ended, Stop> {
    if let Some(name) = &args.rules {
        return listing::rules(name, output);
    }
    let file = args.file.as_deref().unwrap_or_else(|| Path::new(""));
    let loaded = input::derivations(file).map_err(|refusal| output.refused(&refusal))?;
    let chosen = loaded.chosen(args.derivation.as_deref()).map_err(|diagnostic| {
        output.diagnostic(&loaded.sources, &diagnostic);
        Stop::BadInput
    })?;
    if let Some(count) = args.sites {
        return listing::sites(&loaded, &chosen, count, output);
    }
    // C of several derivations in one text would define the same functions twice.
    if args.output.is_none() && args.emit.contains(&DeriveEmit::C) && chosen.len() > 1 {
        loaded.one(args.derivation.as_deref()).map_err(|diagnostic| {
            output.diagnostic(&loaded.sources, &diagnostic);
            Stop::BadInput
        })?;
    }
    let checker = if args.check {
        Some(derive::checker().map_err(|error| unavailable(&error, output))?)
    } else {
        None
    };
    let (mut verdicts, mut failed) = (Vec::new(), None);
    let mut values = Vec::new();
    for number in chosen {
        let job = Job { args, loaded: &loaded, checker: checker.as_ref() };
        match job.run(number, output) {
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

/// Reports that Coq is not available.
pub(crate) fn unavailable(error: &CoqError, output: &mut Output<'_>) -> Stop {
    output.error(error.code(), &error.to_string(), error.hint())
}

struct Job<'j> {
    args: &'j DeriveArgs,
    loaded: &'j Loaded,
    checker: Option<&'j Checker>,
}

impl Job<'_> {
    fn run(
        &self,
        number: usize,
        output: &mut Output<'_>,
    ) -> Result<(Option<Verdict>, Value), Stop> {
        let Self { args, loaded, checker } = self;
        let refuse = |diagnostic: Diagnostic, output: &mut Output<'_>| {
            output.diagnostic(&loaded.sources, &diagnostic);
            Stop::BadInput
        };
        let (derived, seconds) =
            loaded.timed(number).map_err(|diagnostic| refuse(diagnostic, output))?;
        if args.step {
            show_steps(&derived, output);
        }
        let name = &loaded.derivation(number).name.text;
        // What is printed for other programs stands alone.
        let is_alone = args.output.is_none() && !args.emit.is_empty();
        let say = |output: &mut Output<'_>, text: &str| {
            if is_alone { output.detail(text) } else { output.line(text) }
        };
        say(output, &format!("{name}: {} steps", derived.state.steps.len()));
        let certified = loaded
            .certified(number, derived, seconds)
            .map_err(|diagnostic| refuse(diagnostic, output))?;
        let Certified { derived, certificate, .. } = &certified;
        let last = certified.last.as_str();
        if !args.step {
            say(output, &indented(last));
        }
        let laws: Vec<&str> = certificate.laws.iter().map(|law| law.name()).collect();
        let used = if laws.is_empty() { "none".to_owned() } else { laws.join("; ") };
        say(output, &format!("  laws used: {used}"));
        say(output, &format!("  floating point: {}", about_floats(&certificate.laws)));
        self.emit(&certified, output)?;
        let mut value = json!({
            "name": name,
            "steps": certified.steps,
            "nodes": halidom_atl::term::size(&derived.program.body),
            "derive_seconds": certified.seconds,
            "elements": derived.program.element().name(),
            "final": last,
            "side_conditions": certificate.side_conditions,
            "certificate_bytes": certificate.statement.len() + certificate.proof.len(),
            "laws": laws,
            "floats": about_floats(&certificate.laws),
        });
        let Some(checker) = checker else { return Ok((None, value)) };
        let checked = certified.checked(checker).map_err(|error| unavailable(&error, output))?;
        self.show_coq(&certified, &checked, output, &mut value);
        for run in &checked.runs {
            self.show_run(&certified, run, output, &mut value)?;
        }
        if let Some(object) = value.as_object_mut() {
            object.extend(checked.verdict.json());
        }
        Ok((Some(checked.verdict), value))
    }

    /// Reports Coq's answer on the certificate.
    fn show_coq(
        &self,
        certified: &Certified<'_>,
        checked: &Checked,
        output: &mut Output<'_>,
        value: &mut Value,
    ) {
        match &checked.coq {
            Outcome::Accepted(accepted) => {
                output.line(&format!(
                    "  certificate: accepted by coqc in {:.1} s, by coqchk in {:.1} s ({} side \
                        conditions)",
                    accepted.seconds,
                    accepted.kernel_seconds,
                    certified.certificate.side_conditions
                ));
                value["coqc_seconds"] = accepted.seconds.into();
                value["coqchk_seconds"] = accepted.kernel_seconds.into();
                value["sandbox"] = accepted.sandbox.name().into();
            }
            Outcome::Refused { message, line: _ } => {
                let at = checked.at.as_ref().map_or(String::new(), |place| format!(" at {place}"));
                let diagnostic = Diagnostic::error(
                    Code("HAL1013"),
                    certified.span(),
                    format!("the certificate of `{}` is refused{at}", certified.name),
                );
                output.diagnostic(&self.loaded.sources, &diagnostic.with_hint(message));
            }
            Outcome::Undecided { reason: _ } => {}
        }
    }

    /// Reports how the C compares with the source program's meaning.
    fn show_run(
        &self,
        certified: &Certified<'_>,
        run: &Run,
        output: &mut Output<'_>,
        value: &mut Value,
    ) -> Result<(), Stop> {
        let key = if run.is_own { "c_own" } else { "c_f32" };
        let name = run.element.name();
        match &run.result {
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
                let message = format!(
                    "the C of `{}` for {name} differs from its source: {place}",
                    certified.name
                );
                let diagnostic = Diagnostic::error(Code("HAL1013"), certified.span(), message);
                output.diagnostic(&self.loaded.sources, &diagnostic);
            }
            Err(error) => {
                return Err(output.error("HAL1014", &error.to_string(), "install gcc"));
            }
        }
        Ok(())
    }

    /// Writes the requested outputs into the folder, or prints them if there is no folder.
    fn emit(&self, certified: &Certified<'_>, output: &mut Output<'_>) -> Result<(), Stop> {
        let Certified { name, derived, certificate, .. } = certified;
        let wanted: &[DeriveEmit] = match (&self.args.output, self.args.emit.as_slice()) {
            (Some(_), []) => &[DeriveEmit::C, DeriveEmit::Coq],
            (_, chosen) => chosen,
        };
        for emit in wanted {
            let (extension, text) = match emit {
                DeriveEmit::C => ("c", certified.unit()),
                DeriveEmit::Coq => {
                    if let Some(folder) = &self.args.output {
                        write_folder(&folder.join(name), certified, output)?;
                        continue;
                    }
                    ("v", format!("{}\n{}", certificate.statement, certificate.proof))
                }
                DeriveEmit::Ir => {
                    let lowered = derive::lower(derived, certified.span(), &mut |_, _, _| {});
                    let lowered = lowered.map_err(|diagnostics| {
                        for diagnostic in &diagnostics {
                            output.diagnostic(&self.loaded.sources, diagnostic);
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
            let path = folder.join(format!("{name}.{extension}"));
            write(&path, text.as_bytes(), output)?;
            output.line(&format!("  wrote {}", path.display()));
        }
        Ok(())
    }
}

/// Writes the certificate together with every file that it refers to. The folder can be sent to
/// others.
fn write_folder(
    folder: &Path,
    certified: &Certified<'_>,
    output: &mut Output<'_>,
) -> Result<(), Stop> {
    make_folder(folder, output)?;
    let files = certified.files();
    for file in &files {
        places::spare(&folder.join(&file.name), output)?;
    }
    for file in &files {
        write(&folder.join(&file.name), &file.content, output)?;
    }
    output.line(&format!("  wrote {}/", folder.display()));
    Ok(())
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
