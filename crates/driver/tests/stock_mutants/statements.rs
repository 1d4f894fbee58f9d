//! The statements that are changed.

use std::path::{Path, PathBuf};

use halidom_driver::stock::{Request, bridge, fuzz};

/// Rows of Table 1 whose statements are small enough to be judged often.
const SMALL: [&str; 10] = [
    "sdot",
    "blur",
    "atl_twostage",
    "atl_twostage_vec",
    "atl_tiled",
    "atl_tiled_vec",
    "harris_strict",
    "unsharp_strict",
    "harris",
    "unsharp",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn scripts(folder: &Path) -> Vec<(String, Request)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.expect("it can be read").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "py"));
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            (path.file_stem().expect("a name").to_string_lossy().into_owned(), of_script(&path))
        })
        .collect()
}

fn of_script(path: &Path) -> Request {
    Request::of_job(bridge::Job { origin: bridge::Origin::Script(path.to_owned()), target: None })
}

/// All statements, with their names.
pub(crate) fn all(place: &Path) -> Vec<(String, Request)> {
    let mut found = Vec::new();
    found.extend(scripts(&root().join("tests/halide/pipelines")));
    found.extend(scripts(&root().join("tests/halide/repaired")));
    let table = root().join("../shared/halide21/table1");
    for name in SMALL {
        let own = table.join(name);
        let mut request = Request::of(&own.join(name).with_extension("hlpipe"));
        request.statement = Some(own.join("stock.stmt"));
        if name.ends_with("_strict") {
            request.job.target = Some("host-strict_float".to_owned());
        }
        found.push((name.to_owned(), request));
    }
    found.extend(scripts(&root().join("../shared/halide21/blockers")));
    let random: u64 = std::env::var("HALIDOM_STOCK_MUTANTS_RANDOM")
        .map_or(0, |text| text.parse().expect("a number"));
    for seed in 0..random {
        let Ok(script) = fuzz::script(seed) else { continue };
        let path = place.join(format!("random_{seed}.py"));
        std::fs::write(&path, script).expect("there is room");
        found.push((format!("random_{seed}"), of_script(&path)));
    }
    let only = std::env::var("HALIDOM_STOCK_MUTANTS_OF").unwrap_or_default();
    found.retain(|(name, _)| name.contains(&only));
    found
}
