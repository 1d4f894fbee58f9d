//! The decisions of a build: which verdicts permit it, and which files of earlier builds go.
//!
//! A record in the folder states the verdict, and the hash of the code that it is about. A record
//! must never stand for other code than the code in its folder.

use std::path::{Path, PathBuf};

use halidom_codegen::Artifact;
use halidom_verdict::Verdict;
use serde_json::{Map, Value};

use crate::execute::Ahead;

/// The field of the record that has the hash of the code in C.
const CODE: &str = "code";

/// Tests whether a program with this verdict is built. A program that is known to be wrong is not.
pub fn is_permitted(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Proved(_) | Verdict::Unknown(_) => true,
        Verdict::Refuted(_) | Verdict::Nothing(_) => false,
    }
}

/// Adds the hash of the built code to a record.
pub fn record(record: &mut Map<String, Value>, ahead: &Ahead) {
    record.insert(CODE.to_owned(), Value::String(ahead.code.clone()));
}

/// Returns the hash of the code that a record is about.
pub fn recorded(record: &[u8]) -> Option<String> {
    let record: Value = serde_json::from_slice(record).ok()?;
    Some(record.get(CODE)?.as_str()?.to_owned())
}

/// Lists the files of earlier builds in the folder that must go: all that this build did not write.
/// Files with the same code stay, if the old record is about it. `text` is the name of the file
/// with the program's text.
pub fn stale(
    folder: &Path,
    recorded: Option<&str>,
    ahead: &Ahead,
    (text, written): (&str, &[String]),
) -> Vec<PathBuf> {
    if recorded == Some(ahead.code.as_str()) {
        return Vec::new();
    }
    let others = Artifact::ALL.map(|kind| [&ahead.function, kind.suffix()].concat());
    let others = others.into_iter().chain([text.to_owned()]).map(|name| folder.join(name));
    others.filter(|other| !written.contains(&other.display().to_string())).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use halidom_verdict::{Cause, Evidence, Ran, Verdict};
    use serde_json::{Map, Value};

    use super::{is_permitted, record, recorded, stale};
    use crate::execute::Ahead;

    fn ahead(code: &str) -> Ahead {
        Ahead {
            files: Vec::new(),
            code: code.to_owned(),
            function: "blur".to_owned(),
            arguments: Vec::new(),
            checks: Vec::new(),
        }
    }

    #[test]
    fn wrong_programs_are_not_built() {
        assert!(is_permitted(&Verdict::unknown(Cause::Runs, "no proof")));
        let evidence = Evidence::of(Ran::Interpreter, "1", "2");
        assert!(!is_permitted(&Verdict::refuted(evidence)));
        assert!(!is_permitted(&Verdict::nothing("no output", "give one")));
    }

    #[test]
    fn files_with_other_code_go() {
        let mut object = Map::new();
        record(&mut object, &ahead("12"));
        let text = Value::Object(object).to_string();
        let known = recorded(text.as_bytes());
        assert_eq!(known.as_deref(), Some("12"));
        assert_eq!(recorded(b"{}"), None);
        let written = ["out/blur.c".to_owned()];
        let stale = |code: &str, known: Option<&str>| {
            stale(Path::new("out"), known, &ahead(code), ("blur.ir", &written))
        };
        assert!(stale("12", known.as_deref()).is_empty());
        for known in [known.as_deref(), None] {
            let stale = stale("34", known);
            assert!(stale.contains(&Path::new("out/blur.ir").to_owned()), "{stale:?}");
            assert!(!stale.contains(&Path::new("out/blur.c").to_owned()), "{stale:?}");
        }
    }
}
