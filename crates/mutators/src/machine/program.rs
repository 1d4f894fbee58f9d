//! The functions and classes of the files that are read.

use std::sync::Mutex;

use halidom_base::FxHashSet;
use halidom_cpp::ast::{Class, Function};

/// A member that is a scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScopeMember {
    /// The class whose methods use it.
    pub(crate) class: String,
    /// Its name.
    pub(crate) name: String,
    /// Its purpose.
    pub(crate) purpose: Purpose,
}

/// The purpose of a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A method pops every entry that it pushes.
    Balance,
    /// Methods remove entries that other methods put there.
    Table,
    /// No method pops anything.
    Growth,
}

/// The functions that can be called.
#[derive(Debug, Default)]
pub(crate) struct Program {
    /// All functions with bodies in the given files.
    pub(crate) functions: Vec<Function>,
    /// The classes of these files.
    pub(crate) classes: Vec<Class>,
    /// The names that the files give to aliases, macros, variables, template parameters,
    /// enumerations, and functions without a body.
    pub(crate) others: Vec<String>,
    /// The names of the function templates with specializations.
    pub(crate) specialized: Vec<String>,
    /// The names of the API to which the files give a meaning of their own.
    pub(crate) renamed: Vec<String>,
    /// The names of the API to which functions give another meaning within themselves.
    pub(crate) renamed_within: Vec<String>,
    /// The members that are scopes.
    pub(crate) scopes: Vec<ScopeMember>,
    /// For each class that was asked about: a method of its pass that may return something greater
    /// than its argument, if there is one.
    pub(crate) growing: Mutex<Vec<(String, Option<String>)>>,
}

/// Functions and all that they may call, found by name. `visit` is left out, as only `mutate` calls
/// it.
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
