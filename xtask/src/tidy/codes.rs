//! Checks that the diagnostic codes in the sources and the pages under `docs/errors/` match.

use super::{File, Finding};
use std::collections::BTreeSet;

const PAGES: &str = "docs/errors/";

pub(super) fn codes_and_pages(files: &[File]) -> Vec<Finding> {
    let page = |file: &File| Some(file.path.strip_prefix(PAGES)?.strip_suffix(".md")?.to_owned());
    let pages: BTreeSet<String> = files.iter().filter_map(page).collect();
    let mut used = BTreeSet::new();
    let mut findings = Vec::new();
    for file in
        files.iter().filter(|file| file.path.starts_with("crates/") && file.extension() == "rs")
    {
        for (line, code) in codes(&file.text) {
            // Report each code only once.
            if used.insert(code.to_owned()) && !pages.contains(code) {
                let problem = format!("the code {code} has no page {PAGES}{code}.md");
                findings.push(Finding::at_line(file, line, problem));
            }
        }
    }
    for file in files {
        let Some(code) = page(file).filter(|code| code != "README") else { continue };
        if !is_code(&code) {
            findings.push(Finding::in_file(file, "is not named after a code"));
        } else if !used.contains(&code) {
            findings.push(Finding::in_file(file, format!("no source uses the code {code}")));
        } else if !file.text.starts_with(&format!("# {code}")) {
            findings
                .push(Finding::in_file(file, format!("does not begin with a heading `# {code}`")));
        }
    }
    findings
}

/// The codes written as string literals outside a file's tests, with their lines. Tests stand at
/// the end of a file and may invent codes.
fn codes(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = source.lines().take_while(|line| !line.starts_with("#[cfg(test)]"));
    lines.enumerate().flat_map(|(index, line)| {
        line.split('"')
            .skip(1)
            .step_by(2)
            .filter(|text| is_code(text))
            .map(move |code| (index + 1, code))
    })
}

fn is_code(text: &str) -> bool {
    text.strip_prefix("HAL")
        .is_some_and(|digits| digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::codes_and_pages;

    #[test]
    fn codes_and_pages_agree() {
        let source = "const A: Code = Code(\"HAL0001\");\nlet b = \
            (\"HAL0002\", \"HAL0001\");\n#[cfg(test)]\n\"HAL9999\"\n";
        let page = |code: &str| format!("# {code}: a name is unknown\n");
        let (one, two) = (page("HAL0001"), page("HAL0002"));
        let files = [
            ("crates/lang/src/lib.rs", source),
            ("docs/errors/HAL0001.md", &one),
            ("docs/errors/HAL0002.md", &two),
            ("docs/errors/README.md", "# Diagnostic codes\n"),
        ];
        check(codes_and_pages, &files, &[]);
    }

    #[test]
    fn a_missing_or_stray_page_is_found() {
        let files = [
            (
                "crates/lang/src/lib.rs",
                "x\n\"HAL0001\" \"HAL00012\" HAL0007\n\"HAL0001\" \"HAL0002\"\n",
            ),
            ("docs/errors/HAL0002.md", "# Something else\n"),
            ("docs/errors/HAL0003.md", "# HAL0003\n"),
            ("docs/errors/notes.md", "# Notes\n"),
            ("xtask/src/main.rs", "\"HAL0004\"\n"),
        ];
        let expected = [
            "crates/lang/src/lib.rs:2: the code HAL0001 has no page",
            "docs/errors/HAL0002.md:0: does not begin with a heading `# HAL0002`",
            "docs/errors/HAL0003.md:0: no source uses the code HAL0003",
            "docs/errors/notes.md:0: is not named after a code",
        ];
        check(codes_and_pages, &files, &expected);
    }
}
