//! Finds the methods that visit nodes and that are not shown to be those of visitors, which change
//! nothing.

use halidom_cpp::ast::Function;
use halidom_cpp::{short_name, words};

use crate::machine::contracts;
use crate::machine::program::{Program, is_mutating_root};

/// The roots of classes that only look at nodes.
const VISITORS: [&str; 2] = ["IRVisitor", "IRGraphVisitor"];

/// Returns the name of the kind of node that a method takes.
pub(crate) fn argument(function: &Function) -> Option<&str> {
    function.parameters.first()?.ty.strip_suffix('*')
}

/// Tests whether a method visits nodes, and may be that of a mutator.
pub(crate) fn is_suspect(function: &Function, program: &Program) -> bool {
    if !["visit", "Mutate_"].contains(&function.name.as_str()) {
        return false;
    }
    let result = short_name(function.result.trim());
    if ["Expr", "Stmt"].contains(&result) {
        return true;
    }
    let makes = || {
        result != "void"
            || words(&function.text).any(|word| ["expr", "stmt", "mutate"].contains(&word))
    };
    let root = if is_mutating_root(&function.class) {
        Root::Mutator
    } else {
        root(&function.class, program, program.classes.len())
    };
    match root {
        Root::Visitor => false,
        Root::Mutator => true,
        Root::Unknown => makes(),
    }
}

/// The lines of such methods that are not judged, because the kind of node is not told.
pub(crate) fn unjudged(program: &Program) -> Vec<usize> {
    let is_it = |function: &&Function| {
        argument(function).is_none()
            && !contracts::is_analysis(&function.name)
            && is_suspect(function, program)
    };
    program.functions.iter().filter(is_it).map(|function| function.line).collect()
}

/// The class from which another one derives.
enum Root {
    Visitor,
    Mutator,
    Unknown,
}

fn root(class: &str, program: &Program, depth: usize) -> Root {
    let mut known = program.classes.iter().filter(|known| known.name == class).peekable();
    if known.peek().is_none() || depth == 0 {
        return Root::Unknown;
    }
    let mut all = Root::Visitor;
    for class in known {
        // Such a member is that of a mutator of its own.
        let has_result =
            class.fields.iter().any(|field| ["expr", "stmt"].contains(&field.name.as_str()));
        if has_result && !class.bases.is_empty() {
            all = Root::Unknown;
        }
        for base in &class.bases {
            match root_of_base(short_name(base), program, depth - 1) {
                Root::Mutator => return Root::Mutator,
                Root::Unknown => all = Root::Unknown,
                Root::Visitor => {}
            }
        }
    }
    all
}

fn root_of_base(base: &str, program: &Program, depth: usize) -> Root {
    if VISITORS.contains(&base) {
        Root::Visitor
    } else if base.contains("Mutator") {
        Root::Mutator
    } else {
        root(base, program, depth)
    }
}
