//! Tests of the examples on the diagnostics' pages: each provokes its code, and each correction is
//! accepted.

use std::path::Path;

use halidom_atl::certificate::certify;
use halidom_atl::codes;
use halidom_atl::engine::Engine;
use halidom_atl::file::load;
use halidom_diag::{Code, Sources};

/// The codes that a file provokes: when it is read, by its derivations, and when they are lowered.
fn provoked(text: &str) -> Vec<Code> {
    let engine = Engine::new().expect("it is there");
    let mut sources = Sources::new();
    let file = sources.add("example.atl", text);
    let loaded = match load(&engine, &mut sources, file) {
        Ok(loaded) => loaded,
        Err(diagnostics) => return diagnostics.iter().map(|diagnostic| diagnostic.code).collect(),
    };
    let mut codes = Vec::new();
    for derivation in &loaded.derivations {
        match loaded.derive(&engine, &sources, derivation) {
            Err(diagnostic) => codes.push(diagnostic.code),
            Ok(mut derived) => codes.extend(
                certify(&derived.program, &mut derived.state).err().map(|refusal| refusal.code),
            ),
        }
    }
    codes
}

#[test]
fn pages_provoke_their_codes_and_corrections_none() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors");
    // No program provokes these codes. They are for a broken certificate and a missing file.
    let without_program = [codes::REFUSED, codes::NO_COQ];
    let all = [
        codes::SYNTAX,
        codes::UNKNOWN_NAME,
        codes::NAME_TAKEN,
        codes::WRONG_SORT,
        codes::WRONG_RANK,
        codes::WRONG_SIZE,
        codes::OUT_OF_BOUNDS,
        codes::UNKNOWN_COMMAND,
        codes::NO_SITE,
        codes::NO_MATCH,
        codes::PREMISE,
        codes::NOT_LOWERED,
    ];
    for code in all.into_iter().chain(without_program) {
        let page = std::fs::read_to_string(folder.join(format!("{code}.md"))).expect("it is there");
        let blocks: Vec<&str> = page.split("```atl").skip(1).collect();
        if without_program.contains(&code) {
            continue;
        }
        assert_eq!(blocks.len(), 2, "{code}: an example and its correction");
        for block in blocks {
            let (heading, rest) = block.split_once('\n').expect("it is there");
            let text = rest.split("```").next().expect("it is there");
            let expected = if heading.is_empty() { vec![] } else { vec![code] };
            assert_eq!(provoked(text), expected, "{code}{heading}:\n{text}");
        }
    }
}
