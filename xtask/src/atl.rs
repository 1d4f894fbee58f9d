//! `cargo xtask atl`: checks the certificate of every derivation in the examples with Coq.

use crate::answer::{Answer, Verdict};
use crate::error::Error;
use crate::json::Json;
use crate::process::{self, capture, cargo, program, root, shown};
use crate::{setup, table};
use std::fs;
use std::path::Path;

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "atl",
    summary: "checks the certificates of all examples/*.atl with Coq and prints a table",
    help: "\
Installs Coq if it is missing (Debian's package coq; this needs root), builds the release binary,
and carries out every derivation of examples/*.atl and crates/atl/tests/programs/*.atl. Coq checks
the certificate. The C runs under the compiler's sanitizers and is compared with the meaning of the
source program, for the program's own element type (same bits) and for single precision (exactly if
the certificate states it, otherwise validated over the reals). Prints each certificate's statement
about floating point, and the speed of the engine. Fails if a derivation fails, if coqc takes more
than 30 s for one derivation or 4 minutes for all, or if the engine takes more than a second for its
hundred steps. Also writes the certificates of one file, copies them to another folder, and checks
them there with `halidom certificate`; a certificate whose C was changed must be refused.

--tamper: corrupts certificates in 400 places instead (a bound, a site, a rule name, an operator, a
constant, the final program, the loop nest, a token, a term, a line, and whole files that try to get
a false statement accepted). Each must be refused, or still prove the same statement and no false
one.

example: cargo xtask atl",
    run,
    options: &[("--tamper", crate::Action::Alone(tamper))],
};

/// The folders with the derivations: the examples, and programs that use the rules one by one.
const FOLDERS: [&str; 2] = ["examples", "crates/atl/tests/programs"];
/// The time limits of coqc for one certificate and for all, in seconds.
const LIMITS: (f64, f64) = (30.0, 240.0);
/// The engine's time limit for a hundred steps in a program of a thousand nodes, in seconds.
const ENGINE_LIMIT: f64 = 1.0;
const ENGINE_PROGRAM: &str = "crates/atl/benches/hundred_steps.atl";

fn tamper() -> Result<(), Error> {
    setup::ensure()?;
    setup::ensure_coq()?;
    let mut command =
        cargo(&["test", "--release", "--package", "halidom-atl", "--test", "tampering"]);
    command.args(["--", "--nocapture"]).env("HALIDOM_TAMPER", "440");
    process::run(&mut command).map(drop)
}

fn run() -> Result<(), Error> {
    setup::ensure()?;
    setup::ensure_coq()?;
    let halidom = process::halidom()?;
    let mut files = Vec::new();
    for folder in FOLDERS {
        let folder = root().join(folder);
        let listed =
            fs::read_dir(&folder).map_err(|cause| Error::File { path: folder.clone(), cause })?;
        files.extend(
            listed
                .flatten()
                .map(|entry| entry.path())
                .filter(|path| path.extension().is_some_and(|extension| extension == "atl")),
        );
    }
    files.sort();
    let mut rows = Vec::new();
    let mut failed = Vec::new();
    let mut seconds = 0.0;
    let mut about_floats = Vec::new();
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        println!("{name}");
        let mut command = program(&halidom);
        command.arg("derive").arg(&file).args(["--check", "--json"]);
        let (derivations, errors) = derive(&mut command)?;
        if let Some(errors) = errors {
            print!("{errors}");
            failed.push(name.clone());
        }
        for derivation in &derivations {
            let number = |key: &str| derivation.get(key).and_then(Json::number);
            let text = |key: &str| derivation.get(key).and_then(Json::text).unwrap_or("-");
            let taken = number("coqc_seconds");
            seconds += taken.unwrap_or(0.0);
            let title = format!("{name}: {}", text("name"));
            let verdict = Verdict::of(derivation)
                .map_err(|problem| Error::Output { command: shown(&command), problem })?;
            if !verdict.is_proved() {
                failed.push(format!("{title} ({verdict})"));
            }
            if taken.is_some_and(|taken| taken > LIMITS.0) {
                failed.push(format!("{title} (more than {} s of coqc)", LIMITS.0));
            }
            let laws = derivation.get("laws").and_then(Json::array).unwrap_or_default();
            let laws: Vec<&str> = laws.iter().filter_map(Json::text).collect();
            about_floats.push(format!(
                "{title}\n    laws: {}\n    floating point: {}",
                laws.join("; "),
                text("floats")
            ));
            let shown =
                |key: &str| number(key).map_or("-".to_owned(), |value| format!("{value:.0}"));
            let compared = |key: &str| match derivation.get(key) {
                None => "-".to_owned(),
                Some(found) => {
                    let sizes = found.get("sizes").and_then(Json::number).unwrap_or(0.0);
                    let agreement = found.get("agreement").and_then(Json::text).unwrap_or("?");
                    format!("{sizes:.0} {agreement}")
                }
            };
            rows.push(vec![
                name.clone(),
                text("name").to_owned(),
                verdict.to_string(),
                taken.map_or("-".to_owned(), |value| format!("{value:.1}")),
                shown("steps"),
                shown("side_conditions"),
                number("certificate_bytes")
                    .map_or("-".to_owned(), |value| format!("{:.1}", value / 1024.0)),
                laws.len().to_string(),
                text("elements").to_owned(),
                compared("c_own"),
                compared("c_f32"),
            ]);
        }
    }
    let headings = [
        "file",
        "derivation",
        "verdict",
        "coqc s",
        "steps",
        "conditions",
        "KiB",
        "laws",
        "elements",
        "C at sizes",
        "f32 C at sizes",
    ];
    println!("\n{}\n{}", table::layout(&headings, &rows), about_floats.join("\n"));
    println!("\n{} derivations; coqc: {seconds:.1} s in all", rows.len());
    if rows.is_empty() {
        failed.push("no derivation was looked at".to_owned());
    }
    if seconds > LIMITS.1 {
        failed.push(format!("all together (more than {} s of coqc)", LIMITS.1));
    }
    let mut command = program(&halidom);
    command.args(["derive", ENGINE_PROGRAM, "--json"]);
    let (derivations, errors) = derive(&mut command)?;
    let number = |key: &str| derivations.first()?.get(key)?.number();
    let taken = number("derive_seconds").filter(|taken| *taken < ENGINE_LIMIT);
    println!(
        "engine: {:.0} steps on {:.0} nodes in {:.3} s",
        number("steps").unwrap_or(0.0),
        number("nodes").unwrap_or(0.0),
        number("derive_seconds").unwrap_or(f64::NAN)
    );
    if errors.is_some() || taken.is_none() {
        failed.push(ENGINE_PROGRAM.to_owned());
    }
    failed.extend(sent(&halidom)?);
    if failed.is_empty() { Ok(()) } else { Err(Error::Derivations(failed)) }
}

/// Writes a certificate, copies it, and checks the copy both unchanged and with altered C. Returns
/// the failures.
fn sent(halidom: &Path) -> Result<Vec<String>, Error> {
    let name = "tiled";
    let folder = root().join("target/certificates");
    let at = |cause| Error::File { path: folder.clone(), cause };
    match fs::remove_dir_all(&folder) {
        Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => return Err(at(cause)),
        Ok(()) | Err(_) => {}
    }
    let mut command = program(halidom);
    command.arg("derive").arg(root().join("examples/two_stage.atl"));
    command.args(["-d", name, "--emit", "coq", "-o"]).arg(folder.join("written"));
    process::run(&mut command)?;
    let copy = folder.join("received");
    fs::create_dir_all(&copy).map_err(at)?;
    for file in fs::read_dir(folder.join("written").join(name)).map_err(at)?.flatten() {
        fs::copy(file.path(), copy.join(file.file_name())).map_err(at)?;
    }
    let c = copy.join(format!("{name}.c"));
    let text = fs::read_to_string(&c).map_err(at)?;
    let mut failed = Vec::new();
    for (what, text, status) in [
        ("as it was sent", text.clone(), 0),
        ("with another C", text.replace("return 0;", "return 2;"), 1),
    ] {
        fs::write(&c, text).map_err(at)?;
        let mut command = program(halidom);
        command.arg("certificate").arg(&copy);
        let output = capture(&mut command)?;
        print!("{}", String::from_utf8_lossy(&output.stdout));
        if output.status.code() != Some(status) {
            failed.push(format!("`halidom certificate`, {what}"));
        }
    }
    Ok(failed)
}

/// Returns the answer of `halidom derive --json` for each derivation, and its diagnostics if it
/// fails.
fn derive(command: &mut std::process::Command) -> Result<(Vec<Json>, Option<String>), Error> {
    let output = capture(command)?;
    let answer = Answer::of(command, &output)?;
    let derivations = answer.get("derivations").and_then(Json::array).unwrap_or_default();
    let errors =
        (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned());
    Ok((derivations.to_vec(), errors))
}
