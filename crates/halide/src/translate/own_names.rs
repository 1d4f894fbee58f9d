//! Names for which Halide's compiler may take one thing for another.
//!
//! # Correctness
//! Halide gives its own variables names that nothing else should have, but the names of inputs,
//! parameters and arrays are not always among those that it knows. What it computes under such a
//! name then replaces what the pipeline means by it, in a pass or in the code generator after the
//! final statement. The same happens where an input and a func share a name.

use halidom_base::FxHashSet;

use super::error::{Result, unsupported};
use crate::parts::for_each_stmt;
use crate::pipeline::{Input, Pipeline};
use crate::tree::{Expr, Scalar, Stmt, StmtKind};
use crate::{NameId, Names};

/// The letters before the numbers in names of the compiler's own variables, but not of funcs.
const LETTERS: &str = "_abcdmprstvxORSV";

/// The names of what makes and calls the bodies of parallel loops and of tasks.
const OF_TASKS: [&str; 6] = [
    "closure_arg",
    "closure_prototype",
    "closure_result",
    "parallel_closure",
    "__task_parent",
    CONTEXT,
];

/// The name of the pointer that is passed on to Halide's runtime.
const CONTEXT: &str = "__user_context";

/// Refuses inputs with a name of the compiler's own variables, and two things of one name. Halide
/// gives parameters without a name a `p`, and arrays a `b`.
pub(super) fn check(pipeline: &Pipeline, names: &Names) -> Result<()> {
    // The pointer that a target passes on to the runtime is an input, too.
    let is_context = |input: &&Input| {
        names.text(input.name) == CONTEXT
            && !input.is_buffer
            && matches!(input.ty.scalar, Scalar::Handle(_))
    };
    let inputs = pipeline.inputs.iter().filter(|input| !is_context(input));
    let inputs = inputs.map(|input| (input.name, 'p'));
    let images = pipeline.images.iter().map(|image| (image.name, 'b'));
    let mut known: FxHashSet<NameId> = FxHashSet::default();
    for (name, own) in inputs.chain(images) {
        let text = names.text(name);
        if is_numbered(text, own) || is_own(text) {
            return unsupported(format!(
                "the input `{text}`, which may be taken for a variable of the compiler's"
            ));
        }
        known.insert(name);
    }
    for func in &pipeline.funcs {
        let text = names.text(func.name);
        if known.contains(&func.name) {
            return unsupported(format!("a func and an input of one name, `{text}`"));
        }
        if is_own(text) {
            return unsupported(format!(
                "the func `{text}`, which may be taken for a variable of the compiler's"
            ));
        }
    }
    Ok(())
}

/// Refuses values in a statement with a name that the code generator makes for a value of its own,
/// such as the operands of a minimum. Values that passes name have a `t`. Arrays and inputs, which
/// [`check`] allows, may be bound by their names.
pub(super) fn check_bound(pipeline: &Pipeline, names: &Names, block: &[Stmt]) -> Result<()> {
    let inputs = pipeline.inputs.iter().map(|input| input.name);
    let given: FxHashSet<NameId> =
        inputs.chain(pipeline.images.iter().map(|image| image.name)).collect();
    let mut taken = None;
    let mut bind = |name: NameId| {
        let text = names.text(name);
        if given.contains(&name) {
            return;
        }
        if is_numbered(text, 't') || OF_TASKS.contains(&plain(text)) {
            taken = Some(name);
        }
    };
    for_each_stmt(block, &mut |stmt| {
        if let StmtKind::Let { name, value: _ }
        | StmtKind::For { name, min: _, extent: _, kind: _, device: _, body: _ } = &stmt.kind
        {
            bind(*name);
        }
        stmt.for_each_expr(&mut |expr| bound_in(expr, &mut bind));
    });
    match taken {
        Some(name) => unsupported(format!(
            "a value named `{}`, which may be taken for one of the compiler's",
            names.text(name)
        )),
        None => Ok(()),
    }
}

fn bound_in(expr: &Expr, bind: &mut impl FnMut(NameId)) {
    if let Expr::Let { name, value: _, body: _ } = expr {
        bind(*name);
    }
    expr.for_each_operand(&mut |operand| bound_in(operand, bind));
}

/// Tests for a letter of [`LETTERS`], but not the own one, and a number.
fn is_numbered(text: &str, own: char) -> bool {
    let mut letters = text.chars();
    let first = letters.next();
    let number = letters.as_str();
    first.is_some_and(|first| LETTERS.contains(first) && first != own)
        && !number.is_empty()
        && number.bytes().all(|digit| digit.is_ascii_digit())
}

/// Tests for a name of [`OF_TASKS`], with or without a number after it, and for the name of the
/// struct of a buffer.
fn is_own(text: &str) -> bool {
    OF_TASKS.contains(&plain(text)) || text.ends_with(".buffer")
}

/// A name without a number after it.
fn plain(text: &str) -> &str {
    match text.rsplit_once('$') {
        Some((plain, number)) if number.bytes().all(|digit| digit.is_ascii_digit()) => plain,
        Some(_) | None => text,
    }
}
