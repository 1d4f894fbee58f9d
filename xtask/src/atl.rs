//! `cargo xtask atl`: every derivation of the examples, its certificate in the hands of Coq.

use crate::error::Error;
use crate::json::Json;
use crate::process::{self, capture, program, root, shown};
use crate::{setup, table};
use std::fs;

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "atl",
    summary: "checks the certificates of all examples/*.atl with Coq and prints a table",
    help: "\
Installs Coq where it is missing (Debian's package coq; this needs root), builds the release binary,
and carries out every derivation of examples/*.atl: coqc checks the certificate, and the C runs under
the compiler's sanitizers against the meaning of the source program. Fails if one does.

example: cargo xtask atl",
    run,
};

fn run() -> Result<(), Error> {
    setup::ensure()?;
    setup::ensure_coq()?;
    let halidom = process::halidom()?;
    let folder = root().join("examples");
    let listed =
        fs::read_dir(&folder).map_err(|cause| Error::File { path: folder.clone(), cause })?;
    let mut files: Vec<_> = listed
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "atl"))
        .collect();
    files.sort();
    let mut rows = Vec::new();
    let mut failed = Vec::new();
    let mut seconds = 0.0;
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        println!("{name}");
        let mut command = program(&halidom);
        command.arg("derive").arg(&file).args(["--check", "--json"]);
        let output = capture(&mut command)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let problem =
            |problem: &str| Error::Output { command: shown(&command), problem: problem.to_owned() };
        let answer = Json::parse(&text).map_err(problem)?;
        let derivations = answer.get("derivations").and_then(Json::array).unwrap_or_default();
        for derivation in derivations {
            let number = |key: &str| derivation.get(key).and_then(Json::number);
            seconds += number("coqc_seconds").unwrap_or(0.0);
            let shown =
                |key: &str| number(key).map_or("-".to_owned(), |value| format!("{value:.0}"));
            rows.push(vec![
                name.clone(),
                derivation.get("name").and_then(Json::text).unwrap_or("?").to_owned(),
                derivation.get("verdict").and_then(Json::text).unwrap_or("-").to_owned(),
                number("coqc_seconds").map_or("-".to_owned(), |value| format!("{value:.1}")),
                shown("steps"),
                shown("side_conditions"),
                number("certificate_bytes")
                    .map_or("-".to_owned(), |value| format!("{:.1}", value / 1024.0)),
                derivation
                    .get("laws")
                    .and_then(Json::array)
                    .map_or("-".to_owned(), |laws| laws.len().to_string()),
                shown("c_sizes"),
            ]);
        }
        if !output.status.success() {
            print!("{}", String::from_utf8_lossy(&output.stderr));
            failed.push(name);
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
        "C equal at",
    ];
    println!("\n{}\ncoqc: {seconds:.1} s in all", table::layout(&headings, &rows));
    if failed.is_empty() { Ok(()) } else { Err(Error::Derivations(failed)) }
}
