//! Methods for which short lists stand for all lists, by the files of `tests/lists`.
//!
//! `tests/programs.rs` examines those files in full in which a wrong class has another verdict than
//! *bounded*. Here the rule alone judges the methods of the others: that verdict means that a class
//! is right on short lists.

use std::fs;
use std::path::Path;

use halidom_cpp as cpp;

use crate::judge::list::Found;
use crate::machine::alike::treats_alike;

#[test]
fn wrong_methods_are_not_taken_for_methods_that_treat_elements_alike() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lists");
    let mut failures = Vec::new();
    let mut judged = 0;
    for entry in fs::read_dir(folder).expect("the cases") {
        let path = entry.expect("a file").path();
        let text = fs::read_to_string(&path).expect("a case");
        let stated = |what| text.lines().take(4).find_map(|line| line.strip_prefix(what));
        if stated("// wrong: ") != Some("bounded") {
            continue;
        }
        judged += 1;
        let file = cpp::parse(&text).expect("a case that parses");
        let found = Found::of(vec![("case.cpp".to_owned(), file)], &[]);
        let alike = |class: &str| -> Vec<bool> {
            let functions =
                found.mutators.iter().map(|(_, index)| &found.program.functions[*index]);
            let own = functions.filter(|function| function.class == class);
            own.map(|function| treats_alike(&found.program, function)).collect()
        };
        let is_right_verified = stated("// right: ").is_none();
        if is_right_verified && !alike("Right").contains(&true) {
            failures.push(format!("{}: the right method is not alike", path.display()));
        }
        if !alike("Wrong").contains(&false) {
            failures.push(format!("{}: the wrong method is alike", path.display()));
        }
    }
    assert!(failures.is_empty() && judged >= 80, "{judged} judged\n{}", failures.join("\n"));
}
