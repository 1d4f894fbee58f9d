//! The lossless dump of what the installed Halide compiles: it prints back, and it prints as the text that Halide prints of the same statement.

use std::fs;
use std::path::Path;

use halidom_halide::bridge::{self, Each};
use halidom_halide::{Names, dump, text};

#[test]
fn the_dump_of_every_pipeline_is_of_the_statement_that_halide_prints() {
    if !bridge::is_installed() {
        println!("skipped: there is no Python with Halide");
        return;
    }
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/halide/pipelines");
    let folder = tempfile::tempdir().unwrap();
    for script in fs::read_dir(scripts).unwrap() {
        let script = script.unwrap().path();
        let place = folder.path().join(script.file_stem().unwrap());
        fs::create_dir(&place).unwrap();
        fs::copy(&script, place.join("script.py")).unwrap();
    }
    bridge::each(Each::Settle, folder.path()).unwrap();
    let mut compared = 0;
    for place in fs::read_dir(folder.path()).unwrap() {
        let place = place.unwrap().path();
        if !place.is_dir() {
            continue;
        }
        let written = place.join("final.dump");
        let undone = Each::Settle.undone(&place, &written);
        assert_eq!(undone, None, "{}", place.display());
        let source = fs::read_to_string(written).unwrap();
        let mut names = Names::new();
        let found = dump::read(&source, &mut names)
            .unwrap_or_else(|error| panic!("{}: {error} at {}", place.display(), error.at));
        assert_eq!(dump::print(&found, &names), source);
        let said = fs::read_to_string(place.join("final.stmt")).unwrap();
        assert_eq!(text::print(&found.block, &names), said, "{}", place.display());
        compared += 1;
    }
    assert!(compared >= 60, "only {compared} pipelines");
}
