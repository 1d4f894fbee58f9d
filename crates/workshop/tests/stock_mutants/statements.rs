//! The statements that are changed.

use std::path::{Path, PathBuf};

use halidom_driver::stock::{Request, bridge};
use halidom_workshop::stock::fuzz;

use crate::{OF, root, variable};

/// Rows of Table 1 whose statements are small enough to be judged often.
const SMALL: [&str; 6] =
    ["sdot", "blur", "atl_twostage", "atl_tiled", "harris_strict", "unsharp_strict"];
/// The number of random pipelines in a sweep.
const RANDOM: u64 = 400;

/// All statements, with their names.
pub(crate) fn all(place: &Path) -> Vec<(String, Request)> {
    let mut found = Vec::new();
    if has_halide() {
        found.extend(scripts(&root().join("tests/halide/pipelines")));
        found.extend(scripts(&root().join("tests/halide/repaired")));
        found.extend(scripts(&root().join("../shared/halide21/blockers")));
        for seed in 0..RANDOM {
            let Ok(script) = fuzz::script(seed) else { continue };
            let name = format!("random_{seed}");
            let path = place.join(&name).with_extension("py");
            std::fs::write(&path, script).expect("there is room");
            found.push((name, of_script(&path)));
        }
    }
    found.extend(SMALL.iter().filter_map(|name| row(name)));
    let only = variable(OF).unwrap_or_default();
    found.retain(|(name, _)| name.contains(&only));
    found
}

/// The statements with these names.
pub(crate) fn few(names: &[&str]) -> Vec<(String, Request)> {
    let mut found = Vec::new();
    if has_halide() {
        found.extend(scripts(&root().join("tests/halide/pipelines")));
    }
    found.extend(SMALL.iter().filter_map(|name| row(name)));
    found.retain(|(name, _)| names.contains(&name.as_str()));
    found
}

/// Tests whether the project's Python with Halide is installed.
fn has_halide() -> bool {
    bridge::find().is_ok() && bridge::is_installed()
}

/// The scripts of a folder, sorted by name.
fn scripts(folder: &Path) -> Vec<(String, Request)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.expect("it can be read").path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "py")).collect();
    paths.sort();
    let named = paths.iter().map(|path| {
        let name = path.file_stem().expect("a script has a name").to_string_lossy();
        (name.into_owned(), of_script(path))
    });
    named.collect()
}

fn of_script(path: &Path) -> Request {
    Request::of_job(bridge::Job::of(bridge::Origin::Script(path.to_owned())))
}

/// A row of Table 1, if the shared material exists.
fn row(name: &str) -> Option<(String, Request)> {
    let own = root().join("../shared/halide21/table1").join(name).join(name);
    let file = own.with_extension("hlpipe");
    if !file.is_file() || !has_halide() {
        return None;
    }
    let mut request = Request::of(&file);
    // The statement was compiled for this target; the pipeline's file does not record it.
    request.job.target = match name {
        "sdot" => Some("host-no_asserts-no_bounds_query".to_owned()),
        name if name.ends_with("_strict") => Some("host-strict_float".to_owned()),
        _ => None,
    };
    Some((name.to_owned(), request))
}
