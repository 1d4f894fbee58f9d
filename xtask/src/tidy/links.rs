//! Links in Markdown, paths that it mentions, and the table of contents of the book.
//!
//! The book's source is `docs/`; `docs/SUMMARY.md` lists its pages. The rules read Markdown as far
//! as they need it: fenced code is left out, code spans are told from text, headings give anchors.

use std::collections::{BTreeMap, BTreeSet};

use super::{File, Finding};

/// The folder with the pages of the book.
const BOOK: &str = "docs/";

/// The book's table of contents.
const SUMMARY: &str = "docs/SUMMARY.md";

/// Folders of the repository: a code span that begins with one of them is a path.
const FOLDERS: [&str; 8] =
    ["book/", "coq/", "crates/", "docs/", "examples/", "runtime/", "tests/", "xtask/"];

/// Links lead to files and headings that exist; pages of the book link to pages of the book.
pub(super) fn links(files: &[File]) -> Vec<Finding> {
    let known = Known::of(files);
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.extension() == "md") {
        for block in blocks(&file.text) {
            for (line, target) in block.links() {
                if let Some(problem) = known.problem_of_link(&file.path, &target) {
                    findings.push(Finding::at_line(file, line, problem));
                }
            }
            for (line, target) in block.includes() {
                if !resolved(&file.path, &target).is_some_and(|path| known.has(&path)) {
                    let problem = format!("the included file `{target}` does not exist");
                    findings.push(Finding::at_line(file, line, problem));
                }
            }
        }
    }
    findings
}

/// Paths of the repository that stand in code spans exist.
///
/// `tests/…` may also be a path within one of the crates. Words in capitals (`docs/errors/CODE.md`)
/// and patterns (`crates/*`) stand for any name and are not looked at.
pub(super) fn mentioned_paths(files: &[File]) -> Vec<Finding> {
    let known = Known::of(files);
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.extension() == "md") {
        for (line, span) in blocks(&file.text).iter().flat_map(|block| block.spans.iter().cloned())
        {
            if is_path(&span) && !known.has_mentioned(&span) {
                let problem = format!("`{span}` is no file and no folder of the repository");
                findings.push(Finding::at_line(file, line, problem));
            }
        }
    }
    findings
}

/// Every page of the book is in its table of contents, once.
pub(super) fn pages_of_the_book(files: &[File]) -> Vec<Finding> {
    let Some(summary) = files.iter().find(|file| file.path == SUMMARY) else {
        return Vec::new();
    };
    let mut listed: BTreeMap<String, usize> = BTreeMap::new();
    let mut findings = Vec::new();
    for (line, target) in blocks(&summary.text).iter().flat_map(Block::links) {
        let Some(path) = resolved(SUMMARY, &target) else { continue };
        if let Some(first) = listed.get(&path) {
            let problem = format!("{path} is listed in line {first} already");
            findings.push(Finding::at_line(summary, line, problem));
        } else {
            listed.insert(path, line);
        }
    }
    for file in files {
        let is_page =
            file.path.starts_with(BOOK) && file.extension() == "md" && file.path != SUMMARY;
        if is_page && !listed.contains_key(&file.path) {
            findings.push(Finding::in_file(file, format!("is not in {SUMMARY}")));
        }
    }
    findings
}

/// The repository's files, folders and headings.
struct Known<'a> {
    files: BTreeSet<&'a str>,
    folders: BTreeSet<&'a str>,
    /// The anchors of each Markdown file, those of included files among them.
    anchors: BTreeMap<&'a str, BTreeSet<String>>,
}

impl<'a> Known<'a> {
    fn of(files: &'a [File]) -> Self {
        let texts: BTreeMap<&str, &str> =
            files.iter().map(|file| (file.path.as_str(), file.text.as_str())).collect();
        let folders =
            texts.keys().flat_map(|path| path.match_indices('/').map(|(at, _)| &path[..at]));
        let folders = folders.collect();
        let pages = files.iter().filter(|file| file.extension() == "md");
        let anchors = pages.map(|file| (file.path.as_str(), anchors(file, &texts))).collect();
        Self { files: texts.into_keys().collect(), folders, anchors }
    }

    fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        self.files.contains(path) || self.folders.contains(path)
    }

    /// True if a path that is mentioned exists: in the repository, or, for tests, in a crate.
    fn has_mentioned(&self, path: &str) -> bool {
        let crates = self.folders.iter().filter_map(|folder| folder.strip_prefix("crates/"));
        let mut crates = crates.filter(|folder| !folder.contains('/'));
        let is_test = path.starts_with("tests/");
        self.has(path) || is_test && crates.any(|name| self.has(&format!("crates/{name}/{path}")))
    }

    /// Returns the problem of a link on a page; `None` if it leads somewhere.
    fn problem_of_link(&self, page: &str, target: &str) -> Option<String> {
        let path = resolved(page, target)?;
        if !self.has(&path) {
            return Some(format!("the link `{target}` leads to {path}, which does not exist"));
        }
        if page.starts_with(BOOK) && !path.starts_with(BOOK) {
            return Some(format!("the link `{target}` leads out of the book, to {path}"));
        }
        let (_, anchor) = target.split_once('#')?;
        let anchors = self.anchors.get(path.as_str());
        if anchors.is_some_and(|anchors| anchors.contains(anchor)) {
            None
        } else {
            Some(format!("the link `{target}` leads to no heading of {path}"))
        }
    }
}

/// The repository's file that a link on a page leads to; `None` for links to other hosts.
fn resolved(page: &str, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let path = target.split('#').next().unwrap_or_default();
    if path.is_empty() {
        return Some(page.to_owned());
    }
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            // A path that leaves the repository keeps its `..` and so is not found.
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// True if a code span is the path of one file or folder of the repository.
fn is_path(span: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    let is_any_name = |part: &str| {
        let stem = part.split('.').next().unwrap_or_default();
        // `README.md` and `LICENSE-MIT` are names of files.
        stem.len() > 1
            && stem != "README"
            && stem != "SUMMARY"
            && stem.bytes().all(|b| b.is_ascii_uppercase())
    };
    FOLDERS.iter().any(|folder| span.starts_with(folder))
        && span.chars().all(is_plain)
        && !span.split('/').any(is_any_name)
}

/// Consecutive lines of text, without code.
struct Block {
    /// The text, with code spans blanked.
    text: String,
    /// The number of the first line.
    line: usize,
    /// The code spans, each with the number of its line.
    spans: Vec<(usize, String)>,
}

impl Block {
    fn of(line: usize, lines: &[&str]) -> Self {
        let source = lines.join("\n");
        let (mut text, mut spans) = (String::new(), Vec::new());
        let mut rest = source.as_str();
        while let Some(begin) = rest.find('`') {
            let ticks = rest[begin..].bytes().take_while(|b| *b == b'`').count();
            text += &rest[..begin];
            let inside = &rest[begin + ticks..];
            let Some(length) = closing(inside, ticks) else {
                // Nothing closes the span: the ticks are text.
                text.extend(std::iter::repeat_n('\'', ticks));
                rest = inside;
                continue;
            };
            let number = line + text.matches('\n').count();
            spans.push((number, inside[..length].trim().to_owned()));
            let blanked = inside[..length].chars().map(|c| if c == '\n' { c } else { '\'' });
            text.extend(blanked);
            rest = &inside[length + ticks..];
        }
        text += rest;
        Self { text, line, spans }
    }

    /// The targets of links and pictures, each with the number of its line.
    fn links(&self) -> Vec<(usize, String)> {
        self.between("](", ')')
    }

    /// The files that mdBook puts in the place of `{{#include …}}`, each with the number of its
    /// line.
    fn includes(&self) -> Vec<(usize, String)> {
        self.between("{{#include ", '}')
    }

    fn between(&self, begin: &str, end: char) -> Vec<(usize, String)> {
        let found = self.text.match_indices(begin).map(|(at, _)| {
            let target = self.text[at + begin.len()..].split(end).next().unwrap_or_default();
            let line = self.line + self.text[..at].matches('\n').count();
            (line, target.trim().to_owned())
        });
        found.collect()
    }
}

/// The length of a code span's content: up to a run of as many ticks as opened it.
fn closing(text: &str, ticks: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(begin) = text[at..].find('`') {
        let run = text[at + begin..].bytes().take_while(|b| *b == b'`').count();
        if run == ticks {
            return Some(at + begin);
        }
        at += begin + run;
    }
    None
}

/// The blocks of a Markdown text: blank lines and fenced code lie between them.
fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    let mut is_code = false;
    let mut count = 0;
    for line in text.lines() {
        let is_fence = line.trim_start().starts_with("```");
        if is_code || is_fence || line.trim().is_empty() {
            if !open.is_empty() {
                blocks.push(Block::of(count - open.len() + 1, &open));
                open.clear();
            }
            is_code ^= is_fence;
        } else {
            open.push(line);
        }
        count += 1;
    }
    if !open.is_empty() {
        blocks.push(Block::of(count - open.len() + 1, &open));
    }
    blocks
}

/// The anchors of a page's headings, and of those of the files that it includes.
fn anchors(page: &File, texts: &BTreeMap<&str, &str>) -> BTreeSet<String> {
    let includes = blocks(&page.text).into_iter().flat_map(|block| block.includes());
    let included = includes.filter_map(|(_, target)| resolved(&page.path, &target));
    let mut found = BTreeSet::new();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let included: Vec<&str> =
        included.filter_map(|path| texts.get(path.as_str()).copied()).collect();
    for text in std::iter::once(page.text.as_str()).chain(included) {
        for heading in headings(text) {
            let anchor = anchor(heading);
            let count = counts.entry(anchor.clone()).or_default();
            // A heading that occurs again gets a number.
            found.insert(if *count == 0 { anchor } else { format!("{anchor}-{count}") });
            *count += 1;
        }
    }
    found
}

/// The texts of the headings that begin with `#`, without those in code.
fn headings(text: &str) -> Vec<&str> {
    let mut is_code = false;
    let mut found = Vec::new();
    for line in text.lines() {
        is_code ^= line.trim_start().starts_with("```");
        let rest = line.trim_start_matches('#');
        let level = line.len() - rest.len();
        if !is_code && (1..=6).contains(&level) && rest.starts_with(' ') {
            found.push(rest.trim());
        }
    }
    found
}

/// The anchor of a heading, by the rule that GitHub and mdBook share: small letters, digits, `_`
/// and `-` stay, blanks become `-`, all else goes.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    const PAGES: [(&str, &str); 3] = [
        ("docs/a.md", "# A page\n\n## `code`, and more\n\n## Twice\n\n## Twice\n"),
        ("docs/part/b.md", "# B\n"),
        ("crates/one/tests/kinds.rs", ""),
    ];

    /// Checks a page with some text next to [`PAGES`].
    fn check_page(rule: super::super::Rule, path: &str, text: &str, expected: &[&str]) {
        let mut files = PAGES.to_vec();
        files.push((path, text));
        check(rule, &files, expected);
    }

    #[test]
    fn links_lead_to_files() {
        let right = "[a](docs/a.md) and [b](docs/part/b.md), ![p](docs/part), \
                     [web](https://example.org/x.md), [mail](mailto:a@example.org)\n";
        check_page(links, "README.md", right, &[]);
        check_page(links, "docs/part/c.md", "[a](../a.md), [b](./b.md)\n", &[]);
        check_page(
            links,
            "README.md",
            "[a](docs/a.md)\n[a](docs/aa.md)\n\n[a](../docs/a.md)\n",
            &["README.md:2: the link `docs/aa.md` leads to docs/aa.md", "README.md:4: the link"],
        );
        check_page(links, "docs/part/c.md", "[a](a.md)\n", &["docs/part/c.md:1: the link `a.md`"]);
    }

    #[test]
    fn pages_of_the_book_link_to_the_book() {
        check_page(links, "docs/c.md", "[b](part/b.md)\n", &[]);
        check_page(
            links,
            "docs/c.md",
            "[tests](../crates/one/tests/kinds.rs)\n",
            &["docs/c.md:1: the link `../crates/one/tests/kinds.rs` leads out of the book"],
        );
    }

    #[test]
    fn anchors_are_headings() {
        let right = "[a](a.md#a-page) [a](a.md#code-and-more) [a](a.md#twice) [a](a.md#twice-1)\n\n\
                     # Here\n[h](#here)\n";
        check_page(links, "docs/c.md", right, &[]);
        for wrong in ["a.md#A-page", "a.md#code,-and-more", "a.md#twice-2", "#there", "part#b"] {
            let text = format!("# Here\n\n[a]({wrong})\n");
            check_page(links, "docs/c.md", &text, &[&format!("docs/c.md:3: the link `{wrong}`")]);
        }
        let code = "```\n# Here\n```\n\n[h](#here)\n";
        check_page(
            links,
            "docs/c.md",
            code,
            &["docs/c.md:5: the link `#here` leads to no heading"],
        );
    }

    #[test]
    fn included_files_exist_and_have_their_headings_on_the_page() {
        let right = "{{#include a.md}}\n\n[more](#code-and-more)\n";
        check_page(links, "docs/c.md", right, &[]);
        // A page may include what it could not link to.
        check_page(links, "docs/c.md", "{{#include ../crates/one/tests/kinds.rs}}\n", &[]);
        let wrong = "{{#include aa.md}}\n\n[more](#code-and-more)\n";
        check_page(
            links,
            "docs/c.md",
            wrong,
            &["docs/c.md:1: the included file `aa.md`", "docs/c.md:3: the link `#code-and-more`"],
        );
    }

    #[test]
    fn code_has_no_links() {
        let text =
            "`[a](b)` and ``c`[a](b)``\n\n```\n[a](b) `docs/none.md`\n```\n`f(x\n)` [a](b)\n";
        check_page(links, "c.md", text, &["c.md:7: the link `b` leads to b"]);
        // A tick that nothing closes hides nothing.
        check_page(links, "c.md", "a ` tick [a](b)\n", &["c.md:1: the link `b`"]);
    }

    #[test]
    fn mentioned_paths_exist() {
        let right = "`docs/a.md`, `docs/part/`, `docs/part`, `crates/one/tests/kinds.rs`, \
                     `tests/kinds.rs`, `docs/NAME.md`, `crates/*/tests`, `docs/a b`, `a.md`, \
                     docs/none.md\n";
        check_page(mentioned_paths, "README.md", right, &[]);
        let wrong = "`docs/none.md`,\n`crates/two`, `tests/none.rs`\n| `docs/README.md` |\n";
        check_page(
            mentioned_paths,
            "README.md",
            wrong,
            &[
                "README.md:1: `docs/none.md` is no file",
                "README.md:2: `crates/two` is no file",
                "README.md:2: `tests/none.rs` is no file",
                "README.md:3: `docs/README.md` is no file",
            ],
        );
    }

    #[test]
    fn every_page_is_listed_once() {
        let all = "# Summary\n\n- [A](a.md)\n  - [B](part/b.md)\n";
        check_page(pages_of_the_book, SUMMARY, all, &[]);
        check_page(
            pages_of_the_book,
            SUMMARY,
            "- [A](a.md)\n",
            &["docs/part/b.md:0: is not in docs/SUMMARY.md"],
        );
        check_page(
            pages_of_the_book,
            SUMMARY,
            "- [A](a.md)\n- [B](part/b.md)\n- [C](a.md)\n",
            &["docs/SUMMARY.md:3: docs/a.md is listed in line 1"],
        );
        check(pages_of_the_book, &PAGES, &[]);
    }
}
