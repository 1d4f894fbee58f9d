//! Checks that patterns on nodes of stock Halide's trees name every field: a field that a pattern
//! omits is a field without a meaning.

use super::{File, Finding};

/// Folders that give statements of stock Halide a meaning, and the beginnings of their patterns on
/// its nodes.
///
/// `Expr::` and `StmtKind::` stand for all of their variants.
const FOLDERS: [(&str, &[&[&str]]); 2] = [
    ("crates/halide-machine/src/", &[&["Stmt"], NODES]),
    // `Stmt` is our own IR's there.
    ("crates/halide/src/translate/", &[NODES, QUALIFIED]),
];

/// Names of nodes.
const NODES: &[&str] =
    &["Expr::", "StmtKind::", "ShuffleKind::", "Load", "Call", "Range", "Alignment"];

/// The same with their module.
const QUALIFIED: &[&str] = &[
    "tree::Expr::",
    "tree::StmtKind::",
    "tree::ShuffleKind::",
    "tree::Stmt",
    "tree::Load",
    "tree::Call",
    "tree::Range",
    "tree::Alignment",
];

/// Checks that no pattern on a node has a `..`.
pub(super) fn whole_nodes(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.extension() == "rs") {
        let heads = FOLDERS.iter().filter(|(folder, _)| file.path.starts_with(folder));
        for (_, heads) in heads {
            // Blanking keeps all positions.
            let code = without_comments(&file.text);
            for head in heads.iter().copied().flatten() {
                if *head == "Expr::" && imports_own_expr(&code) {
                    continue;
                }
                findings.extend(partial(&code, head).map(|at| {
                    let line = code[..at].matches('\n').count() + 1;
                    let problem =
                        format!("a pattern on `{head}` leaves out fields by `..`: name each");
                    Finding::at_line(file, line, problem)
                }));
            }
        }
    }
    findings
}

/// True if `Expr` is our own IR's in a file: a pattern on Halide's is written `tree::Expr::` there.
fn imports_own_expr(code: &str) -> bool {
    let imports = code.match_indices("use halidom_ir::").filter_map(|(at, _)| {
        let rest = &code[at..];
        rest.find(';').map(|end| &rest[..end])
    });
    imports.flat_map(|import| import.split([',', '{', '}', ':'])).any(|name| name.trim() == "Expr")
}

/// Replaces comments by blanks.
fn without_comments(text: &str) -> String {
    let line = |line: &str| match line.find("//") {
        Some(at) => format!("{}{}", &line[..at], " ".repeat(line.len() - at)),
        None => line.to_owned(),
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// The positions of patterns that contain a `..`. A `..` with a value after it is not a pattern,
/// but the rest of a struct.
fn partial<'t>(code: &'t str, head: &'t str) -> impl Iterator<Item = usize> + 't {
    code.match_indices(head).filter_map(move |(at, _)| {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|before| before.is_alphanumeric() || matches!(before, '_' | ':')) {
            return None;
        }
        let rest = &code[at + head.len()..];
        let rest = if head.ends_with("::") {
            rest.trim_start_matches(|letter: char| letter.is_alphanumeric() || letter == '_')
        } else {
            rest
        };
        let rest = rest.trim_start();
        let inside = &rest[..closing(rest)?];
        let is_rest = |(at, _): (usize, &str)| {
            let after = inside[at + 2..].trim_start();
            after.is_empty() || after.starts_with([',', ')', '}', ']', '|'])
        };
        inside.match_indices("..").any(is_rest).then_some(at)
    })
}

/// The position of the bracket that closes the one at the beginning of the text.
fn closing(text: &str) -> Option<usize> {
    let open = text.chars().next().filter(|first| matches!(first, '(' | '{'))?;
    let close = if open == '(' { ')' } else { '}' };
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        if letter == open {
            depth += 1;
        } else if letter == close {
            depth -= 1;
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::whole_nodes;

    const PLACE: &str = "crates/halide-machine/src/compile/expr.rs";

    #[test]
    fn patterns_name_all_fields() {
        let right = "match expr {\n    Expr::Ramp { base, stride: _, lanes } => {}\n    \
            Expr::Int(_, _) => {}\n}\nlet Load { name, ty: _ } = load;\n// Expr::Int(..)\nfor i \
            in 0..2 {}\nlet load = Load { name, ..other };\n";
        check(whole_nodes, &[(PLACE, right)], &[]);
        let wrong = "match expr {\n    Expr::Ramp { base, .. } => {}\n    Expr::Int(..) => \
            {}\n    StmtKind::Allocate {\n        name,\n        ..\n    } => {}\n}\nlet Load { \
            name, .. } = load;\n";
        let expected = [
            "crates/halide-machine/src/compile/expr.rs:2: a pattern on `Expr::`",
            "crates/halide-machine/src/compile/expr.rs:3: a pattern on `Expr::`",
            "crates/halide-machine/src/compile/expr.rs:4: a pattern on `StmtKind::`",
            "crates/halide-machine/src/compile/expr.rs:9: a pattern on `Load`",
        ];
        check(whole_nodes, &[(PLACE, wrong)], &expected);
    }

    #[test]
    fn nodes_with_their_module_are_named_whole() {
        let place = "crates/halide/src/translate/ops.rs";
        let wrong = "use halidom_ir::Expr;\nlet tree::Expr::Int(..) = id;\nlet tree::Load \
            { name, .. } = x;\n";
        let expected = [
            "crates/halide/src/translate/ops.rs:2: a pattern on `tree::Expr::`",
            "crates/halide/src/translate/ops.rs:3: a pattern on `tree::Load`",
        ];
        check(whole_nodes, &[(place, wrong)], &expected);
    }

    #[test]
    fn other_types_and_folders_may_leave_out_fields() {
        check(whole_nodes, &[("crates/halide/src/script/mod.rs", "Expr::Int(..) => {}\n")], &[]);
        let own = "use halidom_ir::{Expr, Pool};\nExpr::Load { .. } => {}\n";
        check(whole_nodes, &[("crates/halide/src/translate/ops.rs", own)], &[]);
        check(whole_nodes, &[(PLACE, "Op::Load { .. } => {}\nOp::Call { .. } => {}\n")], &[]);
    }
}
