//! The functions and classes of the files that are read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use halidom_base::FxHashSet;
use halidom_cpp::ast::{Class, Function};
use halidom_cpp::is_letter;

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

/// A pair of variables that are always assigned together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Twins {
    /// The class whose members they are, or whose method declares them.
    pub(crate) class: String,
    /// The line of the method that declares them.
    pub(crate) method: Option<usize>,
    /// The variable that is a `NodeRef`.
    pub(crate) node: String,
    /// The variable that is an expression, which is defined where the other one is.
    pub(crate) value: String,
}

impl Twins {
    /// The names of the two variables.
    pub(crate) fn names(&self) -> [&str; 2] {
        [&self.node, &self.value]
    }
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
    /// The texts of the files outside of functions with bodies, without comments.
    pub(crate) outside: Vec<String>,
    /// The arrays of texts that the files declare outside of functions and classes.
    pub(crate) texts: Vec<(String, Vec<String>)>,
    /// The names of the function templates with specializations.
    pub(crate) specialized: Vec<String>,
    /// The names of the API to which the files give a meaning of their own.
    pub(crate) renamed: Vec<String>,
    /// The methods of the API's classes that have bodies in the files.
    pub(crate) own_methods: BTreeSet<String>,
    /// The names of the rule language that the files give another meaning.
    pub(crate) hidden: Vec<String>,
    /// The names of the API to which functions give another meaning within themselves.
    pub(crate) renamed_within: Vec<String>,
    /// The names of the aliases within functions.
    pub(crate) aliases_within: Vec<String>,
    /// The names, each with the class that declares it, that are declared otherwise than by bodies.
    pub(crate) unseen: BTreeSet<(String, String)>,
    /// The classes that declare a method without a body that is known.
    pub(crate) bodiless: BTreeSet<String>,
    /// The number of lines before each file.
    pub(crate) starts: Vec<usize>,
    /// For each file, whether another one includes a file of its name.
    pub(crate) shared: Vec<bool>,
    /// For each file, the other ones of the names that it includes.
    pub(crate) includes: Vec<Vec<usize>>,
    /// True if the files take over the names of a namespace that is not known.
    pub(crate) has_other_space: bool,
    /// The members and variables that functions may assign, sorted.
    pub(crate) unsteady: Vec<String>,
    /// The pairs of variables that are always assigned together.
    pub(crate) twins: Vec<Twins>,
    /// The scopes whose entries nothing relies on.
    pub(crate) unread: Vec<String>,
    /// The scopes with invariants whose entries may be reached by another name.
    pub(crate) linked: Vec<String>,
    /// The members that are scopes.
    pub(crate) scopes: Vec<ScopeMember>,
    /// For each class that was asked about: a method of its pass that may return something greater
    /// than its argument, if there is one.
    pub(crate) growing: Mutex<Vec<(String, Option<String>)>>,
    /// For each function that was called, by its index, and for the class of the object: the reason
    /// why it is not followed, if there is one.
    pub(crate) refused: Mutex<BTreeMap<(usize, String), Option<String>>>,
    /// For each method that was examined, by its line and its text: whether it may ask for the type
    /// of a part of an operand.
    pub(crate) asking: Mutex<BTreeMap<(usize, String), bool>>,
}

/// The classes from which all mutators and visitors derive. Their methods visit the operands.
pub(crate) const ROOTS: [&str; 6] =
    ["IRMutator", "IRMutator2", "IRGraphMutator", "IRGraphMutator2", "IRVisitor", "IRGraphVisitor"];

/// The names of the methods that visit a node.
pub(crate) const VISITS: [&str; 5] = ["visit", "visit_", "Visit_", "Mutate_", "VisitExpr_"];

/// Tests whether a class is a root of all mutators or visitors.
pub(crate) fn is_root(class: &str) -> bool {
    ROOTS.contains(&class.rsplit("::").next().unwrap_or(class))
}

/// Tests whether a class is a root of all mutators.
pub(crate) fn is_mutating_root(class: &str) -> bool {
    is_root(class) && class.contains("Mutator")
}

/// Returns a class and its bases, without the roots of all mutators and visitors.
pub(crate) fn ancestors(program: &Program, class: &str) -> Vec<String> {
    let mut all = vec![class.to_owned()];
    let mut next = 0;
    while let Some(class) = all.get(next).cloned() {
        next += 1;
        let name = class.rsplit("::").next().unwrap_or(&class);
        for known in program.classes.iter().filter(|known| known.name == name) {
            let is_new = |base: &&String| !all.contains(base) && !is_root(base);
            let new: Vec<String> = known.bases.iter().filter(is_new).cloned().collect();
            all.extend(new);
        }
    }
    all
}

/// The functions that visit nodes in a class that a text names before `::`, or in its bases.
fn visits_of_bases<'p>(program: &'p Program, text: &str) -> Vec<&'p Function> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("::") {
        let after = text[at + 2..].trim_start();
        let end = after.find(|letter| !is_letter(letter)).unwrap_or(after.len());
        if !VISITS.contains(&&after[..end]) {
            continue;
        }
        let before = text[..at].trim_end();
        let class = before.rsplit(|letter| !is_letter(letter)).next().unwrap_or_default();
        for class in ancestors(program, class) {
            let class = class.rsplit("::").next().unwrap_or(&class).to_owned();
            let is_it = |function: &&Function| {
                function.class == class && VISITS.contains(&function.name.as_str())
            };
            found.extend(program.functions.iter().filter(is_it));
        }
    }
    found
}

/// Functions and all that they may call, found by name. A `visit` is found only if it is called by
/// its class, as else only `mutate` calls it.
pub(crate) fn called<'p>(program: &'p Program, first: Vec<&'p Function>) -> Vec<&'p Function> {
    let mut functions = first;
    let mut names: FxHashSet<&str> = FxHashSet::default();
    let mut next = 0;
    while let Some(function) = functions.get(next).copied() {
        next += 1;
        for other in visits_of_bases(program, &function.text) {
            if !functions.iter().any(|known| std::ptr::eq(*known, other)) {
                functions.push(other);
            }
        }
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
