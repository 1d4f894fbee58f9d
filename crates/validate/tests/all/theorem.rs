//! The part of the validator's proof that Coq checks: `coq/validator`.
//!
//! Without Coq, only the text of the files is tested.

use std::fs;
use std::process::Command;

const FILES: [(&str, &str); 6] = [
    ("Location", include_str!("../../../../coq/validator/Location.v")),
    ("Witness", include_str!("../../../../coq/validator/Witness.v")),
    ("Order", include_str!("../../../../coq/validator/Order.v")),
    ("Promise", include_str!("../../../../coq/validator/Promise.v")),
    ("Commute", include_str!("../../../../coq/validator/Commute.v")),
    ("Uniform", include_str!("../../../../coq/validator/Uniform.v")),
];

const PAGE: &str = include_str!("../../../../docs/validator.md");

/// The names that follow a word at the beginning of a line.
fn names<'t>(text: &'t str, word: &str) -> Vec<&'t str> {
    let rest = text.lines().filter_map(|line| line.strip_prefix(word));
    rest.filter_map(|rest| rest.trim_start().split([' ', ':']).next()).collect()
}

#[test]
fn coq_accepts_every_theorem_without_axioms() {
    if Command::new("coqc").arg("--version").output().is_err() {
        println!("coqc is not installed: the theorems are not checked");
        return;
    }
    let folder = std::env::temp_dir().join(format!("halidom-theorem-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("the temporary folder can be written");
    for (name, text) in FILES {
        let theorems = names(text, "Theorem");
        assert!(!theorems.is_empty(), "{name}.v has no theorem");
        let path = folder.join(format!("{name}.v"));
        let questions: Vec<String> =
            theorems.iter().map(|theorem| format!("Print Assumptions {theorem}.")).collect();
        fs::write(&path, format!("{text}\n{}\n", questions.join("\n")))
            .expect("the folder can be written");
        let mut command = Command::new("coqc");
        let output = command.arg("-q").arg(&path).current_dir(&folder).output().expect("coqc runs");
        let (said, complaint) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{name}.v: {complaint}");
        let answers: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
        assert_eq!(answers, vec!["Closed under the global context"; theorems.len()], "{name}.v");
    }
    fs::remove_dir_all(folder).expect("the folder can be removed");
}

/// The page names every theorem, with its file, and no other.
#[test]
fn the_page_names_the_theorems() {
    let mut stated: Vec<String> = Vec::new();
    for (name, text) in FILES {
        stated.extend(names(text, "Theorem").iter().map(|theorem| format!("{name}.{theorem}")));
    }
    let mentioned = |name: &str| PAGE.contains(&format!("`{name}`"));
    let missing: Vec<&String> = stated.iter().filter(|name| !mentioned(name)).collect();
    assert!(missing.is_empty(), "docs/validator.md does not name {missing:?}");
    for word in PAGE.split('`').skip(1).step_by(2) {
        let theorem = FILES.iter().find_map(|(file, _)| word.strip_prefix(file)?.strip_prefix('.'));
        if theorem.is_some_and(|theorem| theorem != "v") {
            assert!(stated.iter().any(|name| name == word), "there is no theorem {word}");
        }
    }
}

/// Every hypothesis of the inductions belongs to a kind of obligation, or defines a run or a
/// specification.
#[test]
fn hypotheses_are_named_after_obligations() {
    let kinds: Vec<&str> = halidom_validate::Kind::ALL.iter().map(|kind| kind.name()).collect();
    for (induction, least) in [("Promise", 30), ("Uniform", 15)] {
        let (_, text) = FILES.iter().find(|(name, _)| *name == induction).expect("it is there");
        let hypotheses = names(text, "Hypothesis");
        assert!(hypotheses.len() > least, "{hypotheses:?}");
        for hypothesis in hypotheses {
            let kind = hypothesis.split('_').next().unwrap_or(hypothesis);
            assert!(["run", "spec"].contains(&kind) || kinds.contains(&kind), "{hypothesis}");
        }
    }
    // This searches whole files, so a word in a comment counts too.
    for (name, text) in FILES {
        for word in ["Admitted", "Axiom", "Parameter", "Conjecture", "admit.", "Unset Guard"] {
            assert!(!text.contains(word), "{name}.v: {word}");
        }
    }
}
