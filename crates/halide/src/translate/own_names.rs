//! Names for which Halide's compiler may take one thing for another.
//!
//! # Correctness
//! Halide gives its own variables names that nothing else should have, but the names of inputs,
//! parameters and arrays are not always among those that it knows. What it computes under such a
//! name then replaces what the pipeline means by it, in a pass or in the code generator after the
//! final statement. The same happens where an input and a func share a name.

use halidom_base::FxHashSet;

use super::error::{Result, unsupported};
use crate::pipeline::{Input, Pipeline};
use crate::tree::Scalar;
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
    let plain = match text.rsplit_once('$') {
        Some((plain, number)) if number.bytes().all(|digit| digit.is_ascii_digit()) => plain,
        Some(_) | None => text,
    };
    OF_TASKS.contains(&plain) || text.ends_with(".buffer")
}
