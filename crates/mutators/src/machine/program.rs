//! The functions and classes of the files that are read.

use halidom_base::FxHashSet;
use halidom_cpp::ast::{Class, Function};

/// A member that is a scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScopeMember {
    /// The class whose methods use it.
    pub(crate) class: String,
    /// Its name.
    pub(crate) name: String,
    /// What it is for.
    pub(crate) purpose: Purpose,
}

/// What a scope is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// What is pushed is popped.
    Balance,
    /// Methods take from it what others put there.
    Table,
    /// No method pops anything.
    Growth,
}

/// The functions that can be called.
#[derive(Debug, Default)]
pub(crate) struct Program {
    /// All functions with bodies of the given files.
    pub(crate) functions: Vec<Function>,
    /// Their classes.
    pub(crate) classes: Vec<Class>,
    /// Which of their members are scopes.
    pub(crate) scopes: Vec<ScopeMember>,
}

/// Functions and all that they may call, by name; not `visit`, which only `mutate` calls.
pub(crate) fn called<'p>(program: &'p Program, first: Vec<&'p Function>) -> Vec<&'p Function> {
    let mut functions = first;
    let mut names: FxHashSet<&str> = FxHashSet::default();
    let mut next = 0;
    while let Some(function) = functions.get(next).copied() {
        next += 1;
        let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
        for name in function.text.split(|letter| !is_letter(letter)) {
            if name == "visit" || !names.insert(name) {
                continue;
            }
            for other in &program.functions {
                if other.name == name && !functions.iter().any(|known| std::ptr::eq(*known, other))
                {
                    functions.push(other);
                }
            }
        }
    }
    functions
}
