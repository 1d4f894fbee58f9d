//! Tests the tutorial of `docs/atl.md` as it is written: its derivations end in the programs shown,
//! and Coq accepts the certificate of the last one. Tests the derivations of the guide as well.

use std::path::Path;

use halidom_atl::check::{Checker, Outcome, coq_version};
use halidom_atl::engine::Engine;
use halidom_atl::file::load;
use halidom_atl::native::Comparison;
use halidom_diag::Sources;

/// The blocks of code with their languages, in order.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    let parts: Vec<&str> = page.split("```").collect();
    parts.iter().skip(1).step_by(2).filter_map(|block| block.split_once('\n')).collect()
}

#[test]
fn the_tutorial_does_what_it_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/atl.md");
    let page = std::fs::read_to_string(path).expect("the page can be read");
    let blocks = blocks(&page);
    let text: String =
        blocks.iter().filter(|(language, _)| *language == "atl").map(|(_, text)| *text).collect();
    let engine = Engine::new().expect("the engine starts");
    let mut sources = Sources::new();
    let file = sources.add("tutorial.atl", text.clone());
    let loaded = load(&engine, &mut sources, file).expect("the tutorial's programs are right");
    // The block shown after each derivation is its final program.
    let shown: Vec<&str> =
        blocks.iter().filter(|(language, _)| *language == "text").map(|(_, text)| *text).collect();
    assert_eq!(loaded.derivations.len(), shown.len(), "a final program for each derivation");
    for (derivation, shown) in loaded.derivations.iter().zip(&shown) {
        let derived = loaded.derive(&engine, &sources, derivation).expect("it goes through");
        let found = halidom_atl::print::term(&derived.state.term);
        assert_eq!(found.trim(), shown.trim(), "{}", derivation.name.text);
    }
    let done = crate::common::derive(&text, Some("tutorial")).expect("the derivations go through");
    for done in &done {
        assert!(
            matches!(done.comparison, Some((Comparison::Equal(_), Comparison::Equal(_)))),
            "{}: {:?}",
            done.name,
            done.comparison
        );
    }
    let last = done.last().expect("the tutorial has derivations");
    assert_eq!(last.name, "tiled");
    if coq_version().is_none() {
        println!("coqc is not installed: the certificate of the tiled blur is not checked");
        return;
    }
    let checker = Checker::new(&crate::common::cache()).expect("the library compiles");
    let certificate = &last.certificate;
    let outcome = checker.check(&certificate.statement, certificate.proof.as_bytes());
    let outcome = outcome.expect("coqc runs");
    assert!(matches!(outcome, Outcome::Accepted(_)), "{outcome:?}");
}

#[test]
fn the_guides_page_shows_what_its_derivations_end_in() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/deriving.md");
    let page = std::fs::read_to_string(path).expect("the page can be read");
    let blocks = blocks(&page);
    let text: String =
        blocks.iter().filter(|(language, _)| *language == "atl").map(|(_, text)| *text).collect();
    let done = crate::common::derive(&text, None).expect("the derivations go through");
    let names: Vec<&str> = done.iter().map(|done| done.name.as_str()).collect();
    assert_eq!(names, ["fused", "blocks"]);
    let shown = format!("blocks: {} steps", done[1].steps);
    assert!(page.contains(&shown), "the page shows `{shown}`");
}
