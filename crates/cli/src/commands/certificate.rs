//! `halidom certificate`.

use halidom_atl::certificate::{about_floats, certify};
use halidom_atl::check::{Accepted, Outcome, sha256};
use halidom_atl::folder::{self, FolderError, Named, Received};
use halidom_atl::program::Program;
use halidom_atl::{lower, print};
use halidom_diag::{Code, Diagnostic, Severity};
use halidom_verdict::{Evidence, Ran, Verdict};
use serde_json::json;

use super::{derive, ended};
use crate::args::CertificateArgs;
use crate::output::{Ended, Output, Stop};

pub(crate) fn run(args: &CertificateArgs, output: &mut Output<'_>) -> Ended {
    ended(certificate(args, output))
}

/// The theorem about a derivation, in words.
const THEOREM: &str = "over every commutative semiring, for all sizes that the conditions allow \
    and all inputs: the source program equals the final one; \
where the C's checks at entry pass, running its loop nest with numbers of 64 bits leaves the \
source program's tensor in the output, and makes no access out \
of bounds; the C is the loop nest's text";

fn certificate(args: &CertificateArgs, output: &mut Output<'_>) -> Result<Ended, Stop> {
    let received = folder::receive(&args.folder).map_err(|error| unreadable(&error, output))?;
    let (engine, loaded) = derive::load(&received.program, output)?;
    let chosen = loaded.chosen(Some(&received.name)).map_err(|diagnostic| {
        output.diagnostic(&loaded.sources, &diagnostic);
        Stop::BadInput
    })?;
    let Some(derivation) = chosen.first() else { return Err(Stop::BadInput) };
    let span = derivation.name.span;
    let mut derived =
        loaded.file.derive(&engine, &loaded.sources, derivation).map_err(|diagnostic| {
            output.diagnostic(&loaded.sources, &diagnostic);
            Stop::BadInput
        })?;
    let certificate = certify(&derived.program, &mut derived.state).map_err(|refusal| {
        let message = format!("`{}`: {}", received.name, refusal.message);
        output.diagnostic(&loaded.sources, &Diagnostic::error(refusal.code, span, message));
        Stop::BadInput
    })?;
    let unit = lower::unit(derived.program.element(), &certificate.function);
    let source = loaded.sources.text(span.file);
    let stated = folder::stated(&received.name, source, &unit, &certificate);

    state(&received.name, &derived.program, &certificate.function, output);
    output.line(&format!("  {}.c: SHA-256 {}", received.name, sha256(unit.as_bytes())));
    output.line(&format!("  floating point: {}", about_floats(&certificate.laws)));
    output.set("c_sha256", sha256(unit.as_bytes()));
    output.set("statement_sha256", sha256(certificate.statement.as_bytes()));
    output.set("floats", about_floats(&certificate.laws));
    if let Some(refused) = differences(&received, &stated, output)? {
        return Ok(Ended::Judged(refused));
    }

    let outcome = derive::checker(output).and_then(|checker| {
        output.progress("checking the library and Coq's own, if that was not done before");
        checker
            .audit()
            .and_then(|()| checker.check(&certificate.statement, &received.proof))
            .map_err(|error| derive::unavailable(&error, output))
    });
    Ok(Ended::Judged(match outcome {
        Ok(Outcome::Accepted(accepted)) => {
            said(&accepted, output);
            derive::proved(&certificate)
        }
        Ok(Outcome::Refused { message, line }) => {
            let at = line.map_or(String::new(), |line| format!(" at line {line}"));
            refuse(&format!("Proof.v does not prove what is stated{at}"), &message, output);
            derive::refused(&message)
        }
        Ok(Outcome::Undecided { reason }) => Verdict::unknown(reason),
        // The certificate may be right; it was not checked.
        Err(_) => Verdict::unknown("Coq cannot be asked"),
    }))
}

/// Prints the certificate's statement.
fn state(name: &str, program: &Program, function: &str, output: &mut Output<'_>) {
    let sizes: Vec<String> = program.sizes.iter().map(|size| format!("0 <= {size}")).collect();
    let conditions: Vec<String> =
        sizes.into_iter().chain(program.hypotheses.iter().map(print::pred)).collect();
    let source = print::term(&program.body);
    let entry = function.lines().next().unwrap_or("");
    let indented: Vec<String> = source.lines().map(|line| format!("    {line}")).collect();
    output.line(&format!(
        "{name}\n  source program, of {}:\n{}\n  conditions: {}\n  stated: {THEOREM}\n  premise: \
            functional extensionality\n  C: {entry}",
        program.element().name(),
        indented.join("\n"),
        conditions.join(", "),
    ));
    output.set("name", name);
    output.set("elements", program.element().name());
    output.set("source", source);
    output.set("premises", json!(conditions));
    output.set("theorem", THEOREM);
    output.set("entry", entry);
}

/// Returns a refutation if files in the folder differ from the files that its program gives.
fn differences(
    received: &Received,
    stated: &[Named],
    output: &mut Output<'_>,
) -> Result<Option<Verdict>, Stop> {
    let different = received.different(stated).map_err(|error| unreadable(&error, output))?;
    for name in &different {
        refuse(
            &format!("`{name}` is not what `{}.atl` gives", received.name),
            "the sender's Halidom may be of another version, or the file was changed",
            output,
        );
    }
    let strangers = received.strangers(stated);
    if !strangers.is_empty() {
        output.line(&format!("  not looked at: {}", strangers.join(", ")));
    }
    let missing = received.missing(stated);
    if !missing.is_empty() {
        output.line(&format!("  not in the folder: {}", missing.join(", ")));
    }
    output.set("different", json!(different));
    output.set("not_looked_at", json!(strangers));
    output.set("missing", json!(missing));
    Ok(different.first().map(|name| {
        let expected = format!("`{name}` as `{}.atl` gives it", received.name);
        Verdict::refuted(Evidence::of(Ran::Script, expected, "another file"))
    }))
}

/// Reports how the proof was checked.
fn said(accepted: &Accepted, output: &mut Output<'_>) {
    output.line(&format!(
        "  coqc {:.1} s, coqchk {:.1} s; Proof.v was compiled in {}",
        accepted.seconds,
        accepted.kernel_seconds,
        accepted.sandbox.name()
    ));
    output.set("coqc_seconds", accepted.seconds);
    output.set("coqchk_seconds", accepted.kernel_seconds);
    output.set("sandbox", accepted.sandbox.name());
}

fn refuse(message: &str, hint: &str, output: &mut Output<'_>) {
    let diagnostic =
        Diagnostic::without_place(Severity::Error, Code("HAL1013"), message).with_hint(hint);
    output.diagnostic(&halidom_diag::Sources::new(), &diagnostic);
}

fn unreadable(error: &FolderError, output: &mut Output<'_>) -> Stop {
    let what = error.to_string();
    match error {
        FolderError::NoFolder(_) | FolderError::Programs(..) | FolderError::NoProof(_) => {
            let hint =
                "give a folder as `halidom derive FILE -o OUT` writes one for each derivation";
            output.nothing("HAL1016", &what, hint)
        }
        FolderError::NotPlain(_) | FolderError::File { .. } => {
            output.error("HAL1016", &what, "make it readable")
        }
    }
}
