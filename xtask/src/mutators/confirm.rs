//! Runs the counterexamples of `halidom verify` on the installed Halide.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::answer::Answer as Answered;
use crate::error::Error;
use crate::json::Json;
use crate::process::{self, capture, program, root, shown};
use crate::relink::{Halide, completed, installed_halide};
use crate::{setup, table};

use super::{kept, sources};

/// The part of the program that does not depend on the findings.
const PROLOGUE: &str = include_str!("confirm.cpp");

/// The target share of confirmed findings, in per cent.
const TARGET: usize = 80;

/// The most names of an input that are also tried as calls.
const MOST_CALLS: usize = 5;

/// A finding of `halidom verify`.
struct Finding {
    /// The file and line.
    place: String,
    /// The types of its parts.
    types: String,
    /// True if it is about a rule; otherwise it is about a whole method.
    is_rule: bool,
    /// True if the compiler should fail; otherwise it should change a value.
    is_crash: bool,
    /// The question as C++ and the number of its instances, or the reason why it cannot be asked.
    question: Result<(String, usize), String>,
}

/// The outcome of a run, from the best to the worst explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// The compiled compiler has the defect.
    Confirmed,
    /// It has another defect, or the run did not end as it should.
    Other,
    /// It leaves the input as it is, so it does not do what was found.
    NotBorneOut,
    /// Other code comes first in every instance, so that no call of the entry point leads there.
    Hidden,
    /// There is no entry point, or no IR.
    NotRun,
}

impl Outcome {
    /// Every outcome.
    const ALL: [Self; 5] =
        [Self::Confirmed, Self::Hidden, Self::NotRun, Self::NotBorneOut, Self::Other];

    fn name(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Hidden => "not reachable: other code comes first",
            Self::NotRun => "not reachable by an entry point",
            Self::NotBorneOut => "not borne out",
            Self::Other => "another outcome",
        }
    }

    /// Reads the word that the program prints. Other code may come before a rule of a method, but
    /// not before the method.
    fn of(status: &str, is_rule: bool) -> Self {
        match status {
            "confirmed" => Self::Confirmed,
            "operand" => Self::Hidden,
            "first" if is_rule => Self::Hidden,
            "first" | "unchanged" => Self::NotBorneOut,
            _ => Self::Other,
        }
    }
}

/// `cargo xtask mutators --confirm`.
pub(super) fn run() -> Result<(), Error> {
    let checkout = sources()?.join("halide");
    setup::ensure()?;
    setup::ensure_halide()?;
    let halidom = process::halidom()?;
    let halide = installed_halide()?;
    let found = findings(&halidom, &checkout)?;
    if found.is_empty() {
        println!("no findings");
        return Ok(());
    }
    let answers = asked(&found, &halide)?;
    let mut rows = Vec::new();
    let mut counts: BTreeMap<Outcome, usize> = BTreeMap::new();
    let mut lines: BTreeMap<&str, Outcome> = BTreeMap::new();
    let (mut open, is_same) = (Vec::new(), has_version_of(&checkout, &halide));
    for (finding, (outcome, why)) in found.iter().zip(&answers) {
        *counts.entry(*outcome).or_default() += 1;
        let best = lines.entry(&finding.place).or_insert(*outcome);
        *best = (*outcome).min(*best);
        if matches!(outcome, Outcome::NotBorneOut | Outcome::Other) {
            open.push(format!("{} at {}: {why}", finding.place, finding.types));
        }
        rows.push(vec![
            finding.place.clone(),
            finding.types.clone(),
            if finding.is_crash { "crash" } else { "wrong" }.to_owned(),
            outcome.name().to_owned(),
            why.clone(),
        ]);
    }
    println!("{}", table::layout(&["place", "types", "finding", "outcome", "by the run"], &rows));
    let confirmed = lines.values().filter(|best| **best == Outcome::Confirmed).count();
    let summary = Outcome::ALL.map(|outcome| {
        vec![outcome.name().to_owned(), counts.get(&outcome).copied().unwrap_or(0).to_string()]
    });
    println!("{}", table::layout(&["outcome", "findings"], &summary));
    for (what, part, all) in [
        ("findings", counts.get(&Outcome::Confirmed).copied().unwrap_or(0), found.len()),
        ("lines with findings", confirmed, lines.len()),
    ] {
        let met = if part * 100 >= TARGET * all { "" } else { "  missed" };
        println!("{part} of {all} {what} confirmed ({} of {TARGET} %){met}", part * 100 / all);
    }
    if !is_same {
        println!("the sources have another version than the installed Halide, so they may differ");
        return Ok(());
    }
    if open.is_empty() { Ok(()) } else { Err(Error::Unconfirmed(open)) }
}

/// Tests whether a checkout has the version of the installed Halide. A checkout that names no
/// version counts as that version.
fn has_version_of(checkout: &Path, halide: &Halide) -> bool {
    let Ok(text) = fs::read_to_string(checkout.join("CMakeLists.txt")) else { return true };
    let header = fs::read_to_string(halide.include.join("HalideRuntime.h")).unwrap_or_default();
    version(&text).is_none_or(|version| installed_version(&header).is_none_or(|of| of == version))
}

/// Returns the version of a project of CMake.
fn version(text: &str) -> Option<String> {
    let of = |line: &str| {
        let version = line.trim().strip_prefix("VERSION ")?;
        version.starts_with(|first: char| first.is_ascii_digit()).then(|| version.to_owned())
    };
    text.lines().find_map(of)
}

/// Returns the version that Halide's header defines.
fn installed_version(header: &str) -> Option<String> {
    let part = |name: &str| {
        let begin = format!("#define HALIDE_VERSION_{name} ");
        header.lines().find_map(|line| line.strip_prefix(&begin)).map(str::trim)
    };
    Some(format!("{}.{}.{}", part("MAJOR")?, part("MINOR")?, part("PATCH")?))
}

/// Verifies the sources and returns every finding of a defect.
fn findings(halidom: &Path, checkout: &Path) -> Result<Vec<Finding>, Error> {
    let mut found = Vec::new();
    for (part, timeout) in [("rules", "1"), ("mutators", "0.5")] {
        let mut command = program(halidom);
        command.arg("verify").arg(checkout).args(["--profile", "halide", "--json"]);
        command
            .args(["--only", part, "--timeout", timeout, "--cache"])
            .arg(kept(&format!("confirm-{part}")));
        // A defect is in the exit status.
        let output = capture(&mut command)?;
        let json = Answered::of(&command, &output)?.json;
        let subjects = json.get("mutators").and_then(Json::members).unwrap_or_default();
        for (name, subject) in subjects {
            for (list, kind) in [("rules", "standing"), ("findings", "kind")] {
                let places = subject.get(list).and_then(Json::array).unwrap_or_default();
                found.extend(places.iter().filter_map(|place| finding(name, place, kind)));
            }
        }
    }
    Ok(found)
}

/// The kinds of findings that show a defect in values or a failure.
const DEFECTS: [&str; 3] = ["wrong", "type", "crash"];

/// Reads a finding; `None` if it is no defect.
fn finding(subject: &str, json: &Json, kind: &str) -> Option<Finding> {
    let text = |key: &str| json.get(key).and_then(Json::text).unwrap_or_default();
    let kind = text(kind);
    if !DEFECTS.contains(&kind) {
        return None;
    }
    let types = match json.get("types").and_then(Json::array) {
        Some(types) => types.iter().filter_map(Json::text).collect::<Vec<_>>().join(", "),
        None => text("type").to_owned(),
    };
    let is_crash = kind == "crash";
    let built = json.get("counterexample").and_then(|shown| shown.get("built"));
    let question = match built {
        _ if !subject.contains("Simplify::") => Err(format!("no entry point leads to {subject}")),
        Some(built @ Json::Object(_)) => question(built, is_crash)
            .ok_or_else(|| "the program does not build a statement".to_owned()),
        Some(_) | None => Err("the program does not build this IR".to_owned()),
    };
    let is_rule = json.get("rule").is_some();
    Some(Finding { place: text("place").to_owned(), types, is_rule, is_crash, question })
}

/// Writes the body of a question; `None` if its input is a statement.
fn question(built: &Json, is_crash: bool) -> Option<(String, usize)> {
    let before = built.get("before").and_then(Json::text)?;
    let after = built.get("after").and_then(Json::text).unwrap_or("Expr()");
    let lanes = built.get("lanes").and_then(Json::number).unwrap_or(4.0);
    let mut lines = vec![format!("    [[maybe_unused]] const int lanes = {lanes:.0};")];
    let mut calls = 0;
    for named in built.get("names").and_then(Json::array)? {
        let text = |key: &str| named.get(key).and_then(Json::text);
        let (name, ty, value) = (text("name")?, text("type")?, text("value")?);
        if named.get("literal") == Some(&Json::Bool(true)) {
            lines.push(format!("    Expr {name} = make_const({ty}, {value});"));
            continue;
        }
        let real = if value.contains('.') { value.to_owned() } else { format!("{value}.0") };
        lines.push(format!("    given[\"{name}\"] = {{\"{value}\", {real}}};"));
        let is_call =
            if calls < MOST_CALLS { format!("instance >> {calls} & 1") } else { "0".to_owned() };
        lines.push(format!("    Expr {name} = named({ty}, \"{name}\", {is_call});"));
        calls = (calls + 1).min(MOST_CALLS);
    }
    if is_statement(before) {
        return None;
    }
    lines.push(format!("    examine({before}, {after}, {is_crash});"));
    Some((lines.join("\n"), 1 << calls))
}

/// The kinds of statements that the printed C++ makes.
const STATEMENTS: [&str; 12] = [
    "IfThenElse",
    "Block",
    "For",
    "LetStmt",
    "AssertStmt",
    "Evaluate",
    "Store",
    "Allocate",
    "Free",
    "ProducerConsumer",
    "Provide",
    "Realize",
];

fn is_statement(before: &str) -> bool {
    let kind = before.split("::make(").next().unwrap_or_default();
    STATEMENTS.contains(&kind)
}

/// Writes the program, compiles it and runs it. Returns the outcome of each finding, with a reason.
fn asked(found: &[Finding], halide: &Halide) -> Result<Vec<(Outcome, String)>, Error> {
    let folder = root().join("target/mutators-confirm");
    fs::create_dir_all(&folder).map_err(|cause| Error::File { path: folder.clone(), cause })?;
    let (path, tester) = (folder.join("confirm.cpp"), folder.join("confirm"));
    fs::write(&path, text(found)).map_err(|cause| Error::File { path: path.clone(), cause })?;
    let mut command = program("g++");
    command.args(["-std=c++17", "-O0", "-w", "-o"]).arg(&tester).arg(&path);
    command.arg("-I").arg(&halide.include).arg("-L").arg(&halide.libraries);
    command.arg(format!("-Wl,-rpath,{}", halide.libraries.display())).arg("-lHalide");
    completed(&mut command)?;
    let mut command = program(&tester);
    let printed = completed(&mut command)?;
    let mut answers: Vec<Vec<(Outcome, String)>> = vec![Vec::new(); found.len()];
    let mut number = 0;
    for line in printed.lines() {
        let unclear = |problem: &str| Error::Output {
            command: shown(&command),
            problem: format!("{problem}: {line}"),
        };
        let json = Json::parse(line).map_err(unclear)?;
        if let Some(question) = json.get("question").and_then(Json::number) {
            number = question as usize;
            continue;
        }
        let text = |key: &str| json.get(key).and_then(Json::text);
        let (Some(status), Some(why)) = (text("status"), text("why")) else {
            return Err(unclear("no status"));
        };
        let answers = answers.get_mut(number).ok_or_else(|| unclear("no such question"))?;
        let is_rule = found.get(number).is_some_and(|finding| finding.is_rule);
        answers.push((Outcome::of(status, is_rule), why.to_owned()));
    }
    Ok(found.iter().zip(&answers).map(|(finding, answers)| judged(finding, answers)).collect())
}

/// The outcome of a finding by the outcomes of its instances.
fn judged(finding: &Finding, answers: &[(Outcome, String)]) -> (Outcome, String) {
    let instances = match &finding.question {
        Err(why) => return (Outcome::NotRun, why.clone()),
        Ok((_, instances)) => *instances,
    };
    if answers.len() != instances {
        let why = format!("{} of {instances} instances answered", answers.len());
        return (Outcome::Other, why);
    }
    let best = answers.iter().map(|(outcome, _)| *outcome).min();
    let best = answers.iter().find(|(outcome, _)| Some(*outcome) == best);
    best.cloned().unwrap_or((Outcome::Other, "no answer".to_owned()))
}

/// The program.
fn text(found: &[Finding]) -> String {
    let (mut functions, mut calls) = (Vec::new(), Vec::new());
    for (number, Finding { place, types, is_crash, question, .. }) in found.iter().enumerate() {
        let Ok((body, instances)) = question else { continue };
        functions.push(format!(
            "// {place} at {types}\nstatic void question_{number}(unsigned instance) \
                {{\n{body}\n}}\n\
             \n"
        ));
        calls.push(format!(
            "    for (unsigned i = 0; i < {instances}; i++) run({number}, i, {is_crash}, \
             question_{number});\n"
        ));
    }
    let (functions, calls) = (functions.concat(), calls.concat());
    format!("{PROLOGUE}{functions}int main() {{\n{calls}}}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINDING: &str = r#"{"place": "f.cpp:7", "standing": "wrong", "types": ["int8"],
        "counterexample": {"built": {"before": "(x + c0)", "after": null, "lanes": null, "names": [
        {"name": "x", "type": "Int(8)", "value": "-3", "literal": false},
        {"name": "c0", "type": "Int(8)", "value": "2", "literal": true}]}}}"#;

    fn read(text: &str, subject: &str) -> Option<Finding> {
        finding(subject, &Json::parse(text).expect("JSON"), "standing")
    }

    #[test]
    fn a_finding_becomes_a_question_with_two_instances() {
        let finding = read(FINDING, "rules of Simplify::visit(Add *)").expect("a finding");
        let (body, instances) = finding.question.expect("a question");
        assert_eq!(instances, 2);
        for line in [
            "given[\"x\"] = {\"-3\", -3.0};",
            "Expr x = named(Int(8), \"x\", instance >> 0 & 1);",
            "Expr c0 = make_const(Int(8), 2);",
            "examine((x + c0), Expr(), false);",
        ] {
            assert!(body.contains(line), "{body}");
        }
    }

    #[test]
    fn what_is_no_defect_or_has_no_entry_point_is_not_run() {
        assert!(read(&FINDING.replace("wrong", "undecided"), "rules of Simplify::visit").is_none());
        let finding = read(FINDING, "Others::visit(const Add *)").expect("a finding");
        assert!(finding.question.is_err());
        assert_eq!(judged(&finding, &[]).0, Outcome::NotRun);
        assert!(is_statement("Block::make(a, b)") && !is_statement("Add::make(a, b)"));
    }

    #[test]
    fn one_confirmed_instance_confirms_and_an_unchanged_one_is_not_hidden() {
        let finding = read(FINDING, "rules of Simplify::visit(Add *)").expect("a finding");
        let answers =
            |words: [&str; 2]| words.map(|word| (Outcome::of(word, true), word.to_owned()));
        for (words, outcome) in [
            (["first", "confirmed"], Outcome::Confirmed),
            (["unchanged", "operand"], Outcome::NotBorneOut),
            (["operand", "first"], Outcome::Hidden),
            (["first", "unknown"], Outcome::Other),
            (["unchanged", "a word of tomorrow"], Outcome::Other),
        ] {
            assert_eq!(judged(&finding, &answers(words)).0, outcome, "{words:?}");
        }
        // A method is called before all other code about its node.
        assert_eq!(Outcome::of("first", false), Outcome::NotBorneOut);
        // An instance without an answer explains nothing.
        assert_eq!(judged(&finding, &answers(["first", "first"])[..1]).0, Outcome::Other);
    }

    #[test]
    fn versions_are_compared() {
        let cmake = "cmake_minimum_required(VERSION 3.28)\nproject(Halide\n    VERSION 21.0.0\n";
        assert_eq!(version(cmake).as_deref(), Some("21.0.0"));
        let header = "#define HALIDE_VERSION_MAJOR 21\n#define HALIDE_VERSION_MINOR 0\n\
                      #define HALIDE_VERSION_PATCH 0\n";
        assert_eq!(installed_version(header).as_deref(), Some("21.0.0"));
    }
}
