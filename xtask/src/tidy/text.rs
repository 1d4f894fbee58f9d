//! Checks sizes and documentation, and finds text that must not be in the sources.

use super::{File, Finding};

/// The greatest number of lines of a source file.
const MAX_LINES: usize = 800;

/// The greatest size of any file in bytes; larger files do not belong in a repository.
const MAX_BYTES: u64 = 1 << 20;

pub(super) fn file_sizes(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        if file.bytes > MAX_BYTES {
            findings.push(Finding::in_file(
                file,
                format!("{} bytes; at most {MAX_BYTES} are allowed", file.bytes),
            ));
        }
        let is_source = matches!(file.extension(), "rs" | "c" | "h" | "v" | "py");
        let lines = file.text.lines().count();
        if is_source && lines > MAX_LINES {
            let problem = format!("{lines} lines; at most {MAX_LINES} are allowed");
            findings.push(Finding::in_file(file, problem));
        }
    }
    findings
}

/// Checks that every package has a description.
pub(super) fn descriptions(files: &[File]) -> Vec<Finding> {
    let packages = files.iter().filter(|file| {
        file.path.ends_with("Cargo.toml") && file.text.lines().any(|line| line == "[package]")
    });
    let bare =
        packages.filter(|file| !file.text.lines().any(|line| line.starts_with("description = \"")));
    bare.map(|file| Finding::in_file(file, "has no `description`")).collect()
}

/// Checks that every Rust file begins with a comment that describes it.
pub(super) fn crate_and_module_docs(files: &[File]) -> Vec<Finding> {
    let rust = files.iter().filter(|file| file.extension() == "rs");
    let undocumented = rust.filter(|file| {
        let is_skipped = |line: &&str| {
            let is_doc = line.starts_with("//!");
            line.is_empty() || (line.starts_with("//") && !is_doc)
        };
        let first = file.text.lines().map(str::trim).find(|line| !is_skipped(line));
        !first.is_some_and(|line| line.len() > "//! ".len() && line.starts_with("//! "))
    });
    undocumented
        .map(|file| {
            Finding::in_file(file, "does not begin with a `//!` comment that says what it is")
        })
        .collect()
}

/// Forbidden text, with reasons. It is written in pieces, so that the rule does not find this
/// table.
const FORBIDDEN: &[(&str, &str)] = &[
    (concat!("to", "do!("), "a stub"),
    (concat!("unimple", "mented!("), "a stub"),
    (concat!("#[ig", "nore"), "a test that does not run"),
    (concat!("d", "bg!("), "a trace left from debugging"),
    (concat!("crates", ".io"), "a registry's host"),
    (concat!("py", "pi.org"), "a registry's host"),
    (concat!("files.python", "hosted.org"), "a registry's host"),
    (concat!("deb.deb", "ian.org"), "a registry's host"),
    (concat!("registry.npm", "js"), "a registry's host"),
];

/// Folders of one machine. The rule finds a path to something in them, not the bare name.
const MACHINE_FOLDERS: &[&str] = &[
    concat!("/t", "mp/"),
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
    concat!("/fa", "rm/"),
];

pub(super) fn forbidden_text(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    // Cargo.lock names the registry of each package; nobody writes it by hand.
    for file in files.iter().filter(|file| file.path != "Cargo.lock") {
        for (index, line) in file.text.lines().enumerate() {
            for (text, reason) in FORBIDDEN {
                if line.contains(text) {
                    findings.push(Finding::at_line(file, index + 1, format!("`{text}`: {reason}")));
                }
            }
            if let Some(folder) = MACHINE_FOLDERS.iter().find(|folder| names_path_in(line, folder))
            {
                findings.push(Finding::at_line(
                    file,
                    index + 1,
                    format!("`{folder}`: a path of one machine"),
                ));
            }
        }
    }
    findings
}

/// Tests whether the line contains an absolute path into the folder: the folder begins the path,
/// and a name follows.
fn names_path_in(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let begins = !line[..at]
            .ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '}'));
        let continues = line[at + folder.len()..]
            .starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_'));
        begins && continues
    })
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn long_files_are_found() {
        let (long, most) = ("x\n".repeat(801), "x\n".repeat(800));
        let files = [("a.rs", long.as_str()), ("b.rs", &most), ("c.c", &long), ("d.md", &long)];
        check(file_sizes, &files, &["a.rs:0: 801 lines", "c.c:0: 801 lines"]);
    }

    #[test]
    fn large_files_are_found() {
        let large = "x".repeat(1 + (1 << 20));
        check(
            file_sizes,
            &[("a.npy", &large), ("b.npy", &large[1..])],
            &["a.npy:0: 1048577 bytes"],
        );
    }

    #[test]
    fn packages_have_descriptions() {
        let files = [
            ("Cargo.toml", "[workspace]\n"),
            ("a/Cargo.toml", "[package]\ndescription = \"Sets.\"\n"),
            ("b/Cargo.toml", "[package]\n"),
        ];
        check(descriptions, &files, &["b/Cargo.toml:0: has no `description`"]);
    }

    #[test]
    fn rust_files_say_what_they_are() {
        let files = [
            ("a.rs", "//! Sets.\n\nfn f() {}\n"),
            ("b.rs", "// A licence.\n//! Sets.\n"),
            ("c.rs", "fn f() {}\n"),
            ("d.rs", "/// An item.\nfn f() {}\n"),
            ("e.rs", ""),
            ("f.rs", "//!\n//! Sets.\n"),
            ("g.c", "int f(void);\n"),
        ];
        let problem = |name: &str| format!("{name}.rs:0: does not begin");
        let expected: Vec<String> = ["c", "d", "e", "f"].map(problem).to_vec();
        check(
            crate_and_module_docs,
            &files,
            &expected.iter().map(String::as_str).collect::<Vec<_>>(),
        );
    }

    #[test]
    fn forbidden_text_is_found() {
        for (text, _) in FORBIDDEN {
            let line = format!("fn f() {{}}\n{text}\n");
            check(forbidden_text, &[("a.rs", &line)], &[&format!("a.rs:2: `{text}`")]);
            check(forbidden_text, &[("Cargo.lock", &line)], &[]);
        }
    }

    #[test]
    fn paths_of_one_machine_are_found() {
        for folder in MACHINE_FOLDERS {
            for found in [
                format!("{folder}x"),
                format!("see `{folder}x/y`"),
                format!("-I{} \"{folder}.z\"", 1),
            ] {
                check(forbidden_text, &[("a.md", &found)], &[&format!("a.md:1: `{folder}`")]);
            }
            for passed in
                [format!("frame{folder}x"), format!("{folder} and"), format!("${{base}}{folder}x")]
            {
                check(forbidden_text, &[("a.md", &passed)], &[]);
            }
        }
    }
}
