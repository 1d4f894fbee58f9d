//! `halidom certificate`.

use halidom_atl::certificate::about_floats;
use halidom_atl::check::{Accepted, Sandbox, sha256};
use halidom_atl::print;
use halidom_atl::program::Program;
use halidom_diag::{Code, Diagnostic, Severity};
use halidom_driver::derive::{self, Certified, Outcome, Stated};
use halidom_verdict::Verdict;
use serde_json::json;

use super::derive::unavailable;
use super::ended;
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
    let stated = derive::received(&args.folder).map_err(|refusal| output.refused(&refusal))?;
    let certified = stated.certified().map_err(|refusal| output.refused(&refusal))?;
    let (certificate, unit) = (&certified.certificate, certified.unit());
    let name = &stated.folder.name;
    state(name, &certified.derived.program, &certificate.function, output);
    output.line(&format!("  {name}.c: SHA-256 {}", sha256(unit.as_bytes())));
    output.line(&format!("  floating point: {}", about_floats(&certificate.laws)));
    output.set("c_sha256", sha256(unit.as_bytes()));
    output.set("statement_sha256", sha256(certificate.statement.as_bytes()));
    output.set("floats", about_floats(&certificate.laws));
    if let Some(refused) = differences(&stated, &certified, output)? {
        return Ok(Ended::Judged(refused));
    }
    let checker = derive::checker();
    if let Ok(checker) = &checker
        && checker.sandbox() == Sandbox::Folder
    {
        unprotected(args.require_sandbox, output)?;
    }
    let audited = checker.and_then(|checker| {
        output.progress("checking the library and Coq's own, if that was not done before");
        stated.audited(&certified, &checker)
    });
    let audited = match audited {
        Ok(audited) => audited,
        // The certificate may be right; it was not checked.
        Err(error) => {
            let _: Stop = unavailable(&error, output);
            return Ok(Ended::Judged(derive::unasked()));
        }
    };
    match &audited.coq {
        Outcome::Accepted(accepted) => said(accepted, output),
        Outcome::Refused { message, line } => {
            let at = line.map_or(String::new(), |line| format!(" at line {line}"));
            refuse(&format!("Proof.v does not prove what is stated{at}"), message, output);
        }
        Outcome::Undecided { reason: _ } => {}
    }
    Ok(Ended::Judged(audited.verdict))
}

/// Warns before the sender's proof is compiled without a sandbox, or refuses that.
fn unprotected(is_refused: bool, output: &mut Output<'_>) -> Result<(), Stop> {
    let severity = if is_refused { Severity::Error } else { Severity::Warning };
    let message = "there is no sandbox: Coq runs the commands of Proof.v as you, and they can \
        overwrite your files";
    let hint = if is_refused {
        "install bubblewrap, or permit namespaces of users"
    } else {
        "install bubblewrap; with `--require-sandbox`, nothing is compiled without a sandbox"
    };
    let diagnostic = Diagnostic::without_place(severity, Code("HAL1017"), message).with_hint(hint);
    output.diagnostic(&halidom_diag::Sources::new(), &diagnostic);
    if is_refused {
        return Err(Stop::Judged(derive::unprotected()));
    }
    Ok(())
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

/// Reports the files of the folder that differ from those that its program gives. Returns a
/// refutation if there are any.
fn differences(
    stated: &Stated,
    certified: &Certified<'_>,
    output: &mut Output<'_>,
) -> Result<Option<Verdict>, Stop> {
    let found = stated.compared(certified).map_err(|refusal| output.refused(&refusal))?;
    for name in &found.different {
        refuse(
            &format!("`{name}` is not what `{}.atl` gives", stated.folder.name),
            "the sender's Halidom may be of another version, or the file was changed",
            output,
        );
    }
    if !found.strangers.is_empty() {
        output.line(&format!("  not looked at: {}", found.strangers.join(", ")));
    }
    if !found.missing.is_empty() {
        output.line(&format!("  not in the folder: {}", found.missing.join(", ")));
    }
    output.set("different", json!(found.different));
    output.set("not_looked_at", json!(found.strangers));
    output.set("missing", json!(found.missing));
    Ok(found.verdict)
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
