//! Checks that the text cases, modules, items and Rust tests named in `docs/formal-core.md` and
//! `docs/validator.md` exist.

use std::path::{Path, PathBuf};

#[test]
fn what_is_named_exists() {
    names_exist("docs/formal-core.md", 100);
}

#[test]
fn what_the_page_of_the_validator_names_exists() {
    names_exist("docs/validator.md", 80);
}

/// Checks that the names on a page exist, and that there are at least `least` of them.
fn names_exist(page: &str, least: usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join(page)).expect("the page is there");
    let names: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
    let mut checked = 0;
    let mut missing = Vec::new();
    for name in names {
        let exists = if name.starts_with("tests/cases/") || name.starts_with("docs/") {
            is_path(&root, name)
        } else if name.contains("::") {
            is_item(&root, name)
        } else {
            continue;
        };
        checked += 1;
        if !exists {
            missing.push(name);
        }
    }
    assert!(missing.is_empty(), "{page} names what is not there: {missing:#?}");
    assert!(checked >= least, "only {checked} names were found");
}

/// Tests for a file, a folder, or files whose names begin with the text before `*`.
fn is_path(root: &Path, name: &str) -> bool {
    let Some(start) = name.strip_suffix('*') else { return root.join(name).exists() };
    let (folder, start) = start.rsplit_once('/').expect("the path has a folder");
    let mut entries = std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
    entries.any(|entry| entry.file_name().to_string_lossy().starts_with(start))
}

/// Resolves `crate::module::item` or `crate::tests::module::test`. Either the whole name is a
/// module, or the path before the last segment is a module whose file contains the item as a word.
fn is_item(root: &Path, name: &str) -> bool {
    let mut segments: Vec<&str> = name.split("::").collect();
    let mut folder = root.join("crates").join(segments.remove(0));
    if segments.first() == Some(&"tests") {
        folder.push("tests");
        segments.remove(0);
    } else {
        folder.push("src");
    }
    if module(&folder, &segments).is_some() {
        return true;
    }
    let Some((item, path)) = segments.split_last() else { return false };
    module(&folder, path).is_some_and(|file| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == *item)
    })
}

/// The file of a module.
fn module(folder: &Path, path: &[&str]) -> Option<PathBuf> {
    let base = path.iter().fold(folder.to_owned(), |base, segment| base.join(segment));
    let as_folder = if path.is_empty() { base.join("lib.rs") } else { base.join("mod.rs") };
    let candidates = [base.with_extension("rs"), as_folder];
    candidates.into_iter().find(|file| !path.is_empty() && file.is_file())
}
