//! The order of the crates: each may depend only on earlier ones.

use super::{File, Finding};

/// The crates from the bottom, in the order of ARCHITECTURE.md.
const LAYERS: &[&str] = &[
    "base",
    "diag",
    "verdict",
    "sums",
    "poly",
    "smt",
    "ir",
    "encode",
    "rules",
    "interp",
    "validate",
    "reference",
    "lang",
    "testgen",
    "schedule",
    "cost",
    "lower",
    "prelude",
    "readback",
    "codegen",
    "halide-ir",
    "halide-machine",
    "halide",
    "cpp",
    "rewrites",
    "mutators",
    "atl",
    "atl-ir",
    "driver",
    "halidom",
    "workshop",
    "lsp",
    "studio",
    "cli",
    "filetests",
];

/// The crate whose package is named as its folder.
const PUBLIC: &str = "halidom";

/// The crates that the validator may see: it must share no code with what it checks.
const SEEN_BY_VALIDATE: &[&str] = &["base", "verdict", "poly", "smt", "ir", "encode", "interp"];

/// The crates that the second opinion may see: neither the checked code nor the first opinion.
const SEEN_BY_REFERENCE: &[&str] = &["base", "poly", "smt", "ir", "encode"];

/// The crates that the read-back may see: it shares only texts with the printer that it checks.
const SEEN_BY_READBACK: &[&str] = &["base", "ir", "prelude"];

/// The crates that the literal machine may see: it must share no code with the translation that is
/// judged against it.
const SEEN_BY_MACHINE: &[&str] = &["base", "diag", "halide-ir"];

pub(super) fn crate_layers(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        let Some(folder) = file.path.strip_suffix("/Cargo.toml") else { continue };
        let name = folder.strip_prefix("crates/");
        let layer = name.map(|name| LAYERS.iter().position(|&layer| layer == name));
        if layer == Some(None) {
            findings.push(Finding::in_file(file, "this crate has no place in the table of layers"));
            continue;
        }
        for (line, dependency) in dependencies(&file.text) {
            let problem = match (name, layer.flatten()) {
                (Some("validate"), _) if !SEEN_BY_VALIDATE.contains(&dependency) => {
                    format!(
                        "`validate` must not depend on `{dependency}`: it checks what that crate \
                            does"
                    )
                }
                (Some("reference"), _) if !SEEN_BY_REFERENCE.contains(&dependency) => {
                    format!("`reference` must not depend on `{dependency}`: it is a second opinion")
                }
                (Some("readback"), _) if !SEEN_BY_READBACK.contains(&dependency) => {
                    format!(
                        "`readback` must not depend on `{dependency}`: it shares only texts with \
                            the printer"
                    )
                }
                (Some("halide-machine"), _) if !SEEN_BY_MACHINE.contains(&dependency) => {
                    format!(
                        "`halide-machine` must not depend on `{dependency}`: the translation is \
                            judged against it"
                    )
                }
                (Some(name), Some(layer)) if !LAYERS[..layer].contains(&dependency) => {
                    format!("`{name}` must not depend on `{dependency}`, which is not below it")
                }
                (Some(_), _) => continue,
                (None, _) => {
                    format!("only crates in the table of layers may depend on `{dependency}`")
                }
            };
            findings.push(Finding::at_line(file, line, problem));
        }
    }
    findings
}

/// The project's own crates among a manifest's dependencies of every kind, without their prefix,
/// with their line numbers.
fn dependencies(manifest: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut in_dependencies = false;
    manifest.lines().enumerate().filter_map(move |(index, line)| {
        let line = line.trim();
        let entry = match line.strip_prefix('[') {
            Some(heading) => {
                let heading = heading.trim_end_matches(']');
                // The root's table of versions grants no dependency.
                in_dependencies =
                    heading.ends_with("dependencies") && !heading.starts_with("workspace");
                // `[dependencies.halidom-base]` is itself an entry.
                heading.rsplit_once("dependencies.").map(|(_, entry)| entry)
            }
            None => in_dependencies.then_some(line),
        };
        let entry = entry?.trim_matches('"');
        let end =
            entry.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(entry.len());
        let name = &entry[..end];
        // The public crate has no prefix.
        if name == PUBLIC {
            return Some((index + 1, PUBLIC));
        }
        Some((index + 1, name.strip_prefix("halidom-")?))
    })
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::crate_layers;

    #[test]
    fn accepts_what_is_above() {
        let files = [
            (
                "crates/ir/Cargo.toml",
                "[package]\nname = \"halidom-ir\"\n[dependencies]\nhalidom-base.workspace = true\n",
            ),
            (
                "crates/validate/Cargo.toml",
                "[dependencies]\nhalidom-encode.workspace = true\nthiserror = \"2\"\n",
            ),
            (
                "crates/driver/Cargo.toml",
                "[dependencies]\nhalidom-codegen = { workspace = true }\n[lints]\nworkspace = \
                    true\n",
            ),
            (
                "Cargo.toml",
                "[workspace.dependencies]\nhalidom-lower = { path = \"crates/lower\" }\n",
            ),
            ("xtask/Cargo.toml", "[dependencies]\n"),
        ];
        check(crate_layers, &files, &[]);
    }

    #[test]
    fn rejects_what_is_not() {
        let check_one = |path: &str, text: &str, expected: &str| {
            check(crate_layers, &[(path, text)], &[expected])
        };
        check_one(
            "crates/ir/Cargo.toml",
            "[dependencies]\nhalidom-lower.workspace = true\n",
            "crates/ir/Cargo.toml:2: `ir` must not depend on `lower`",
        );
        check_one(
            "crates/ir/Cargo.toml",
            "[dependencies]\n\n[dev-dependencies]\nhalidom-cli = { workspace = true }\n",
            "crates/ir/Cargo.toml:4: `ir` must not depend on `cli`",
        );
        check_one(
            "crates/ir/Cargo.toml",
            "[target.'cfg(unix)'.dependencies.halidom-ir]\nworkspace = true\n",
            "crates/ir/Cargo.toml:1: `ir` must not depend on `ir`",
        );
        check_one(
            "crates/validate/Cargo.toml",
            "[build-dependencies]\nhalidom-rules.workspace = true\n",
            "crates/validate/Cargo.toml:2: `validate` must not depend on `rules`",
        );
        check_one(
            "crates/reference/Cargo.toml",
            "[dependencies]\nhalidom-validate.workspace = true\n",
            "crates/reference/Cargo.toml:2: `reference` must not depend on `validate`",
        );
        check_one(
            "crates/readback/Cargo.toml",
            "[dev-dependencies]\nhalidom-lower.workspace = true\n",
            "crates/readback/Cargo.toml:2: `readback` must not depend on `lower`",
        );
        check_one(
            "crates/readback/Cargo.toml",
            "[dependencies]\nhalidom-codegen.workspace = true\n",
            "crates/readback/Cargo.toml:2: `readback` must not depend on `codegen`",
        );
        check_one(
            "crates/driver/Cargo.toml",
            "[dependencies]\nhalidom.workspace = true\n",
            "crates/driver/Cargo.toml:2: `driver` must not depend on `halidom`",
        );
        check_one(
            "crates/extra/Cargo.toml",
            "[dependencies]\n",
            "crates/extra/Cargo.toml:0: this crate has no place",
        );
        check_one(
            "xtask/Cargo.toml",
            "[dependencies]\nhalidom-base.workspace = true\n",
            "xtask/Cargo.toml:2: only crates in the table",
        );
        check_one(
            "crates/driver/Cargo.toml",
            "[dependencies]\nhalidom-unheard-of.workspace = true\n",
            "crates/driver/Cargo.toml:2: `driver` must not depend on `unheard-of`",
        );
    }
}
