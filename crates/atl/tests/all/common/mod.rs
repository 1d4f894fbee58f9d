//! Parts that the tests share: deriving from a text, and folders to run in.
#![allow(dead_code, clippy::allow_attributes, reason = "each test file uses its own part")]

use std::path::PathBuf;

use halidom_atl::certificate::{Certificate, agreement, certify, instance};
use halidom_atl::engine::Engine;
use halidom_atl::file::load;
use halidom_atl::native::{Comparison, compare_with_source};
use halidom_atl::program::Element;
use halidom_diag::{Code, Sources};
use halidom_testgen::sampled;

/// A certificate, and the comparison of its C with the source program.
pub(crate) struct Done {
    pub(crate) name: String,
    pub(crate) certificate: Certificate,
    pub(crate) steps: usize,
    /// The results for the program's own elements, and for single precision.
    pub(crate) comparison: Option<(Comparison, Comparison)>,
}

/// The examples that derive programs, in the order of their names: a share of them, or all in a
/// sweep.
pub(crate) fn examples() -> Vec<PathBuf> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let entries = std::fs::read_dir(folder).expect("the examples are there").flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "atl"));
    paths.sort();
    sampled(paths, 12)
}

/// Makes a folder for a test's files.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("halidom-atl-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
    folder
}

/// The folder that keeps the compiled library from one test run to the next.
pub(crate) fn cache() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
}

/// Runs every derivation of a text. Returns the certificates, or the code and message of the first
/// refusal.
pub(crate) fn derive(text: &str, run: Option<&str>) -> Result<Vec<Done>, (Code, String)> {
    let engine = Engine::new().expect("the engine starts");
    let mut sources = Sources::new();
    let file = sources.add("test.atl", text);
    let loaded = load(&engine, &mut sources, file).map_err(|diagnostics| {
        let first = &diagnostics[0];
        (first.code, first.message.clone())
    })?;
    let mut all = Vec::new();
    for derivation in &loaded.derivations {
        let mut derived = loaded.derive(&engine, &sources, derivation).map_err(|diagnostic| {
            (diagnostic.code, format!("{} {:?}", diagnostic.message, diagnostic.hint))
        })?;
        let steps = derived.state.steps.len();
        let certificate = certify(&derived.program, &mut derived.state)
            .map_err(|refusal| (refusal.code, refusal.message))?;
        let comparison = run.map(|name| {
            let (small, _) = instance(&engine, &derived.program, &derived.state.term);
            let agreement = agreement(&certificate.laws);
            let folder = folder(name);
            let compare = |program| {
                compare_with_source(program, &certificate.function, agreement, "gcc", &folder)
                    .expect("gcc runs")
            };
            let both = (compare(&small), compare(&small.at_element(Element::F32)));
            let _ = std::fs::remove_dir_all(&folder);
            both
        });
        all.push(Done { name: derivation.name.text.clone(), certificate, steps, comparison });
    }
    Ok(all)
}
