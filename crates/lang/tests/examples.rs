//! Every example parses, is well formed, and keeps its schedules.

use halidom_diag::{Colours, Sources, render};
use halidom_ir::verify;
use halidom_lang::{Module, parse};

/// Parses a text that must have no errors.
fn parse_valid(name: &str, text: &str) -> Module {
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    let module = parse(&sources, file);
    let report: String = module
        .diagnostics
        .iter()
        .map(|diagnostic| render(&sources, diagnostic, Colours::Never))
        .collect();
    assert!(module.diagnostics.is_empty(), "{name}:\n{report}");
    for pipeline in &module.pipelines {
        let verified = verify::algorithm(&module.pool, &pipeline.algorithm);
        assert!(verified.is_ok(), "{name}: {verified:?}");
    }
    module
}

#[test]
fn every_example_has_at_least_three_schedules() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "hal") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let module = parse_valid(&name, &text);
        assert_eq!(module.pipelines.len(), 1, "{name}");
        assert!(module.pipelines[0].schedules.len() >= 3, "{name} has fewer than 3 schedules");
        if std::env::var("SHOW").is_ok() {
            println!("{}", halidom_ir::print::algorithm(&module.pool, &module.pipelines[0].algorithm));
        }
        names.push(name);
    }
    names.sort();
    for name in ["blur.hal", "gemm.hal", "histogram.hal"] {
        assert!(names.iter().any(|found| found == name), "{name} is missing");
    }
}
