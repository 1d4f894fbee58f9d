//! Tests that the engine's rules are the lemmas that Coq proved, with the same names and the same
//! statements.

use halidom_atl::certificate::statement;
use halidom_atl::check::LIBRARY;
use halidom_atl::engine::Engine;

/// Replaces every run of blanks by one blank, so that line breaks do not matter.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn lemmas(file: &str) -> Vec<String> {
    let (_, text) = LIBRARY.iter().find(|(name, _)| *name == file).expect("it is there");
    let text = flat(text);
    text.split("Lemma ")
        .skip(1)
        .filter_map(|rest| rest.split_once(". Proof."))
        .map(|(lemma, _)| lemma.to_owned())
        .collect()
}

/// Prepares a statement for the comparison: without parentheses, as the table's printer puts them
/// around every term, and without blanks.
fn plain(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '(' | ')' | ' ')).collect()
}

#[test]
fn every_rule_states_what_its_lemma_states() {
    let engine = Engine::new().expect("it is there");
    let mut wrong = Vec::new();
    for rule in engine.rules.iter() {
        let wanted = flat(&statement(rule));
        let wanted = wanted.trim_start_matches("Lemma ").trim_end_matches('.').to_owned();
        let found = lemmas(rule.file)
            .into_iter()
            .find(|lemma| lemma.starts_with(&format!("{} ", rule.name)));
        match found {
            None => wrong.push(format!("{} has no lemma in {}.v", rule.name, rule.file)),
            Some(found) if plain(&found) != plain(&wanted) => {
                wrong.push(format!("table: {wanted}\nlemma: {found}"));
            }
            Some(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn every_lemma_of_the_rule_files_is_in_the_table() {
    let engine = Engine::new().expect("it is there");
    // The lemmas that the rules' proofs share.
    let shared = ["cdiv_covers"];
    for file in ["Rules", "Reshape", "Distribute"] {
        for lemma in lemmas(file) {
            let name = lemma.split_whitespace().next().expect("it is there");
            assert!(
                shared.contains(&name)
                    || engine.rules.find(name).is_some_and(|rule| rule.file == file),
                "{name} is not in the table"
            );
        }
    }
}

#[test]
fn the_library_assumes_nothing() {
    for (name, text) in LIBRARY {
        let words: Vec<&str> = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
        for word in ["Admitted", "Axiom", "Parameter", "Conjecture", "admit", "Guard", "Checking"] {
            assert!(!words.contains(&word), "{name}.v: {word}");
        }
    }
}
