//! Tests the examples in the documentation.

use crate::common::{code_blocks, files, parse_text, parse_valid};
use halidom_lang::codes;

/// Returns a message unless the text has exactly one error, with this code.
fn other_than(place: &str, code: &str, text: &str) -> String {
    let (module, report) = parse_text(place, text);
    match module.diagnostics.as_slice() {
        [diagnostic] if diagnostic.is_error() && diagnostic.code.0 == code => String::new(),
        _ => format!("{place}: expected {code} alone:\n{text}\n{report}\n"),
    }
}

#[test]
fn every_code_has_a_page_with_a_refused_and_a_corrected_example() {
    let pages = files("docs/errors", "md");
    let mut wrong = String::new();
    for code in codes::ALL {
        let page = pages.iter().find(|(name, _)| *name == format!("{code}.md"));
        let (name, text) = page.unwrap_or_else(|| panic!("docs/errors/{code}.md is missing"));
        assert!(text.starts_with(&format!("# {code}: ")), "{name} starts with its code");
        let blocks = code_blocks(text);
        let [(bad_info, bad), (good_info, good)] = blocks.as_slice() else {
            panic!("{name} has {} examples instead of 2", blocks.len());
        };
        assert_eq!(bad_info, &format!(",error {code}"), "{name}");
        assert_eq!(good_info, "", "{name}");
        wrong += &other_than(name, code.0, bad);
        parse_valid(name, good);
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Checks the programs of a page: each is valid, or has the one error that its fence names. Returns
/// their number.
fn programs_mean_what_they_say(name: &str, text: &str) -> usize {
    let blocks = code_blocks(text);
    for (info, code) in &blocks {
        match info.strip_prefix(",error ") {
            Some(expected) => {
                let wrong = other_than(name, expected, code);
                assert!(wrong.is_empty(), "{wrong}");
            }
            None => {
                assert_eq!(info, "", "{name}: what is `hal{info}`?");
                parse_valid(name, code);
            }
        }
    }
    blocks.len()
}

#[test]
fn the_language_page_means_what_it_says() {
    let (name, text) =
        files("docs", "md").into_iter().find(|(name, _)| name == "language.md").unwrap();
    assert!(programs_mean_what_they_say(&name, &text) >= 10, "{name} has its examples");
}

#[test]
fn the_guide_means_what_it_says() {
    let pages = files("docs/guide", "md");
    let programs: usize =
        pages.iter().map(|(name, text)| programs_mean_what_they_say(name, text)).sum();
    assert!(programs >= 5, "{programs} programs in the guide");
}
