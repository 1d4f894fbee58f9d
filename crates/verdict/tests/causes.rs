//! Causes of unknown verdicts.

use std::collections::BTreeSet;

use halidom_verdict::Cause;

#[test]
fn every_cause_has_a_code_of_its_own_with_a_page() {
    let codes: BTreeSet<&str> = Cause::ALL.iter().map(|cause| cause.code()).collect();
    assert_eq!(codes.len(), Cause::ALL.len());
    for cause in Cause::ALL {
        let code = cause.code();
        let path = format!("{}/../../docs/errors/{code}.md", env!("CARGO_MANIFEST_DIR"));
        let page = std::fs::read_to_string(&path).expect("every code has a page");
        assert!(
            page.starts_with(&format!("# {code}: ")) && page.contains("**To mend it:**"),
            "{code}"
        );
        assert!(!cause.sentence().is_empty() && !cause.advice().is_empty());
    }
}
