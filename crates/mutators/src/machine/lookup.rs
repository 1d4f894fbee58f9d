//! The functions, classes and types that a name in C++ stands for.

use halidom_cpp::ast::Function;
use halidom_cpp::{is_letter, without_comments};

use crate::ir::kinds::{Code, Kind, Type};
use crate::ir::state::State;
use crate::ir::value::Val;
use crate::machine::names::TypeName;
use crate::machine::program::Program;
use crate::machine::run::Machine;
use crate::machine::types::{integer_type, is_vector_type};

impl<'p> Machine<'p> {
    /// A name of the API in a function's text that the files give another meaning.
    pub(crate) fn renamed_in(&self, function: &Function) -> Option<&'p str> {
        let program: &'p Program = self.program;
        if program.renamed.is_empty() && program.renamed_within.is_empty() {
            return None;
        }
        let text = without_comments(&function.text);
        let words = || text.split(|letter| !is_letter(letter));
        let has_alias = words().any(|word| ["using", "typedef", "namespace"].contains(&word));
        let within = program.renamed_within.iter().filter(|_| has_alias);
        let mut all = program.renamed.iter().chain(within).map(String::as_str);
        all.find(|renamed| words().any(|word| word == *renamed))
    }

    /// Tests whether a function of the API has a name that something of the files has, which the
    /// call may mean instead: a member, a variable, or a function in another namespace.
    pub(super) fn may_mean_another(&self, name: &str, state: &State) -> bool {
        let program = self.program;
        let short = last_part(name);
        let is_member = !name.contains("::")
            && program.classes.iter().flat_map(|class| &class.fields).any(|of| of.name == short);
        let is_elsewhere = name.contains("::")
            && program
                .functions
                .iter()
                .any(|of| of.name == short && of.class.is_empty() && self.is_in_sight(of));
        is_member || is_elsewhere || Self::find_variable(name, state).is_some()
    }

    /// The functions of the program that a call by this name with this number of arguments may
    /// mean. A method hides functions of the same name outside its class and in the base classes.
    pub(super) fn named(&self, name: &str, count: usize) -> Vec<&'p Function> {
        let program: &'p Program = self.program;
        let of_class = |class: &str, name: &str| -> Vec<&'p Function> {
            let is_it = |function: &&Function| {
                function.name == name && function.class == class && self.is_in_sight(function)
            };
            program.functions.iter().filter(is_it).collect()
        };
        let mut found = Vec::new();
        if let Some((class, name)) = name.rsplit_once("::") {
            found = of_class(last_part(class), name);
        } else {
            // A function outside all classes does not see their methods.
            let is_method = self.running.is_none_or(|running| !running.class.is_empty());
            let classes = if is_method { self.classes_of(&self.class) } else { Vec::new() };
            for class in classes.iter().map(String::as_str).chain([""]) {
                if found.is_empty() {
                    found = of_class(class, name);
                }
            }
        }
        found.retain(|function| {
            function.parameters.len() >= count
                && function.parameters[count..].iter().all(|parameter| parameter.default.is_some())
        });
        found
    }

    /// Tests whether the object may be of a derived class that overrides the method. A qualified
    /// name always means the named class's own method.
    pub(super) fn is_overridden(&self, name: &str, class: &str) -> bool {
        let program = self.program;
        let derives =
            |other: &str| other != self.class && self.classes_of(other).contains(&self.class);
        !class.is_empty()
            && !name.contains("::")
            && program.functions.iter().any(|function| {
                function.name == name && function.class != class && derives(&function.class)
            })
    }

    /// A class with its direct and indirect bases, as far as the files contain them.
    pub(crate) fn classes_of(&self, class: &str) -> Vec<String> {
        let mut classes = vec![class.to_owned()];
        let mut next = 0;
        while let Some(class) = classes.get(next).cloned() {
            next += 1;
            for known in self.program.classes.iter().filter(|known| known.name == class) {
                let new = known.bases.iter().filter(|base| !classes.contains(base));
                classes.extend(new.cloned().collect::<Vec<_>>());
            }
        }
        classes
    }

    /// The overload whose parameters have exactly the types of these values, or else the only
    /// overload that accepts them.
    pub(super) fn overload(
        functions: &[&'p Function],
        values: &[Val],
        state: &State,
    ) -> Option<&'p Function> {
        // Conversions are not ranked: one function fits exactly, or is the only one that may fit.
        let fit = |function: &Function| {
            let each = function.parameters.iter().zip(values);
            each.map(|(parameter, value)| {
                let ty = parameter.ty.trim_end_matches(['&', '*']);
                let is_template = function.templates.iter().any(|name| name == ty);
                if is_template { Fit::Exact } else { accepts(&parameter.ty, value, state) }
            })
            .min()
        };
        for wanted in [Fit::Exact, Fit::Converted] {
            let fitting: Vec<_> = functions
                .iter()
                .copied()
                .filter(|function| fit(function).unwrap_or(Fit::Exact) >= wanted)
                .collect();
            match fitting.as_slice() {
                [] => {}
                [function] => return Some(function),
                // The same function may be given twice.
                [first, rest @ ..] => {
                    let is_one = rest.iter().all(|other| other.text == first.text);
                    return is_one.then_some(first);
                }
            }
        }
        None
    }

    /// The type that a name stands for: the argument of a template parameter, or the name itself.
    pub(crate) fn named_type<'n>(&'n self, name: &'n str) -> &'n str {
        let known = self.templates.iter().find(|(parameter, _)| parameter == name);
        known.map_or(name, |(_, argument)| argument)
    }

    /// The kind of node with a name, or of a template parameter.
    pub(crate) fn kind_named(&self, name: &str) -> Option<Kind> {
        Kind::named(self.named_type(name))
    }

    /// Tests whether methods of a class may use the class whose method runs, directly or through
    /// other classes, by the names in their texts.
    pub(super) fn reaches(&self, class: &str) -> bool {
        let program = self.program;
        let mut seen = vec![class.to_owned()];
        let mut next = 0;
        while let Some(class) = seen.get(next).cloned() {
            next += 1;
            if class == self.class {
                return true;
            }
            let own = program.functions.iter().filter(|function| function.class == class);
            for word in own.flat_map(|function| function.text.split(|of| !is_letter(of))) {
                let is_class = program.classes.iter().any(|known| known.name == word);
                if is_class && !seen.iter().any(|known| known == word) {
                    seen.push(word.to_owned());
                }
            }
            let bases = program.classes.iter().filter(|known| known.name == class);
            for base in bases.flat_map(|known| &known.bases) {
                if !seen.contains(base) {
                    seen.push(base.clone());
                }
            }
        }
        false
    }
}

/// The last part of a name with namespaces.
pub(super) fn last_part(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

/// The ways in which a parameter may accept a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    No,
    /// The parameter may accept the value after a conversion.
    Converted,
    /// The parameter has the value's type.
    Exact,
}

/// Rates how well a parameter accepts a value. The rating suffices to choose between overloads of
/// helpers.
fn accepts(ty: &str, value: &Val, state: &State) -> Fit {
    let value = Machine::loaded(value.clone(), state);
    // Almost anything may be made from what is not known.
    if matches!(value, Val::Unknown | Val::Opaque(_) | Val::Handle(_)) {
        return Fit::Converted;
    }
    // A text may be a `const char *` or a `std::string`.
    if matches!(value, Val::Text(_)) && (ty.ends_with('*') || ty == "bool") {
        return Fit::Converted;
    }
    let ty_is_stmt = ty.starts_with("Stmt");
    let exact = |fits: bool| if fits { Fit::Exact } else { Fit::No };
    let ty = ty.trim_end_matches('&');
    match TypeName::of(ty.strip_prefix("std::").unwrap_or(ty)) {
        TypeName::Expr | TypeName::Stmt => match value {
            Val::Expr(Some(node)) => {
                let ty = state.node(node).ty;
                exact(match ty.code {
                    Code::Stmt => ty_is_stmt,
                    Code::List | Code::Name => false,
                    _ => !ty_is_stmt,
                })
            }
            Val::Expr(None) => Fit::Exact,
            Val::Ptr(_) | Val::Int(_) => Fit::Converted,
            _ => Fit::No,
        },
        _ if is_vector_type(ty) => match value {
            Val::List(_) | Val::Object(_) | Val::Arguments(_) => Fit::Exact,
            Val::Expr(Some(node)) => exact(state.node(node).ty.code == Code::List),
            _ => Fit::No,
        },
        TypeName::Type => exact(matches!(value, Val::Type(_))),
        TypeName::String => match value {
            Val::Expr(Some(node)) => exact(state.node(node).ty == Type::NAME),
            Val::Text(_) => Fit::Converted,
            value => exact(matches!(value, Val::Rope(_))),
        },
        TypeName::Double => match value {
            Val::Real(_) => Fit::Exact,
            Val::Int(_) | Val::Bool(_) => Fit::Converted,
            _ => Fit::No,
        },
        TypeName::Float => match value {
            Val::Real(_) | Val::Int(_) | Val::Bool(_) => Fit::Converted,
            _ => Fit::No,
        },
        TypeName::Bool => match value {
            Val::Bool(_) => Fit::Exact,
            Val::Int(_) | Val::Real(_) | Val::Ptr(_) | Val::NumPtr(_) | Val::Address(_) => {
                Fit::Converted
            }
            _ => Fit::No,
        },
        TypeName::Other(pointer) if pointer.ends_with('*') => match value {
            // A pointer to a node of the kind, or of a base.
            Val::Ptr(Some((_, kind))) => match Kind::named(pointer.trim_end_matches('*')) {
                Some(wanted) => exact(wanted == kind),
                None => Fit::Converted,
            },
            Val::NumPtr(_) | Val::Address(_) | Val::Ptr(None) | Val::Int(_) => Fit::Converted,
            _ => Fit::No,
        },
        name if integer_type(name.text()).is_some() => match value {
            Val::Int(num) if integer_type(name.text()) == Some((num.bits, num.is_signed)) => {
                Fit::Exact
            }
            Val::Int(_) => Fit::Converted,
            Val::Bool(_) | Val::Real(_) => Fit::Converted,
            _ => Fit::No,
        },
        _ => Fit::Converted,
    }
}
