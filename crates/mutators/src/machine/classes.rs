//! The classes of the objects whose methods are called, by their declarations.
//!
//! The machine knows methods of containers by their names alone. A class that the files define, or
//! that nobody knows, may give such a name another meaning.

use halidom_cpp::ast::{Expr, ExprKind};

use crate::ir::state::State;
use crate::machine::lookup::last_part;
use crate::machine::run::Machine;

/// The classes whose methods mean what the machine takes them to mean. Their `count` is at most 1.
const KNOWN: [&str; 26] = [
    "Scope",
    "SmallStack",
    "SmallStackCounter",
    "map",
    "unordered_map",
    "set",
    "unordered_set",
    "vector",
    "deque",
    "list",
    "stack",
    "pair",
    "tuple",
    "string",
    "array",
    "Array",
    "Map",
    "unique_ptr",
    "shared_ptr",
    "IntrusivePtr",
    "ostringstream",
    "stringstream",
    "initializer_list",
    "optional",
    "Target",
    "NodeRef",
];

/// The classes of reports, after whose methods nothing is known of the receiver
/// ([`crate::machine::info`]).
pub(super) const REPORTS: [&str; 3] = ["ExprInfo", "ConstantInterval", "ModulusRemainder"];

/// The methods by which containers take something. Another class may change it.
const CHANGES: [&str; 8] =
    ["push", "push_back", "pop", "insert", "erase", "emplace", "emplace_back", "operator[]"];

/// The namespaces of these classes. One of another namespace is another class.
const SPACES: [&str; 7] = ["std", "Halide", "Internal", "TVM", "tvm", "ir", ""];

/// Pointers, whose methods may be those of the class to which they point.
const POINTERS: [&str; 3] = ["unique_ptr", "shared_ptr", "IntrusivePtr"];

/// The class of an object.
enum Class {
    /// The class, without its arguments, with which it is declared.
    Declared(String),
    /// A member that the files do not declare, because they lack its class's header. It is taken to
    /// be a container.
    Unseen,
    /// Not known, such as that of a call's result.
    Unknown,
}

/// Tests whether a class is that of a container or another object whose methods are known.
pub(crate) fn is_container(class: &str) -> bool {
    KNOWN.contains(&class)
}

/// Tests whether a class is one of reports.
pub(crate) fn is_report_class(class: &str) -> bool {
    REPORTS.contains(&class)
}

impl Machine<'_> {
    /// Tests whether a method of an object, other than `this`, may do something else than a method
    /// of this name of a known class. Returns the reason.
    pub(super) fn has_other_meaning(
        &self,
        object: &Expr,
        method: &str,
        arguments: usize,
        state: &State,
    ) -> Option<String> {
        // Nothing is proved where lanes are counted, and the result is something unknown there.
        let may_change = arguments > 0 && !self.counts_lanes;
        let class = match self.class_of(object, state) {
            Class::Declared(class) => class,
            Class::Unseen if !CHANGES.contains(&method) && !self.is_method_of_files(method) => {
                return None;
            }
            Class::Unseen | Class::Unknown => {
                return (may_change || self.is_method_of_files(method))
                    .then(|| format!("`{method}` of an object whose class is not known"));
            }
        };
        let (space, name) = class.rsplit_once("::").unwrap_or(("", &class));
        if self.is_of_files(name) {
            return Some(format!("`{method}` of `{class}`, which the files define"));
        }
        if space.is_empty() && self.program.has_other_space {
            return Some(format!("`{method}` of `{class}`, which another namespace may have"));
        }
        let is_known = KNOWN.contains(&name) && space.split("::").all(|of| SPACES.contains(&of));
        let is_report = REPORTS.contains(&name);
        (!is_known && !is_report && may_change)
            .then(|| format!("`{method}` of `{class}`, which is not known"))
    }

    /// Tests whether the files define a class, or give its name to something else.
    pub(super) fn is_of_files(&self, name: &str) -> bool {
        let program = self.program;
        let mut aliases = program.others.iter().chain(&program.aliases_within);
        program.classes.iter().any(|known| known.name == name) || aliases.any(|of| of == name)
    }

    /// Tests whether some class of the files has a method of this name.
    pub(super) fn is_method_of_files(&self, method: &str) -> bool {
        let functions = self.program.functions.iter();
        functions.filter(|of| !of.class.is_empty()).any(|of| of.name == method)
    }

    /// Finds the class of an object: a variable of the function, or a member.
    fn class_of(&self, object: &Expr, state: &State) -> Class {
        let name = match &object.kind {
            ExprKind::Name(name) => name,
            ExprKind::Member { object, name, .. } if matches!(object.kind, ExprKind::This) => name,
            _ => return Class::Unknown,
        };
        let of_type = |ty: &str| class_in(ty).map_or(Class::Unknown, Class::Declared);
        if let Some(place) = Self::find_variable(name, state) {
            return Self::load(&place, state).map_or(Class::Unknown, |slot| of_type(&slot.ty));
        }
        let classes = self.classes_of(&self.class);
        let mut fields = self
            .program
            .classes
            .iter()
            .filter(|known| classes.contains(&known.name))
            .flat_map(|known| &known.fields);
        fields.find(|field| field.name == *name).map_or(Class::Unseen, |field| of_type(&field.ty))
    }
}

/// Returns the name of the class in a type's text: that of its object for pointers.
fn class_in(ty: &str) -> Option<String> {
    let ty = ty.trim().trim_end_matches(['&', '*', ' ']);
    let mut ty = ty;
    for word in ["const ", "struct ", "class ", "typename "] {
        ty = ty.strip_prefix(word).unwrap_or(ty).trim();
    }
    // A class may be defined where its object is declared.
    let end = ty.find(['<', '{', ' ', '*', '&']).unwrap_or(ty.len());
    let (head, rest) = ty.split_at(end);
    let rest = rest.strip_prefix('<').unwrap_or_default();
    if POINTERS.contains(&last_part(head)) {
        return class_in(rest.trim_end_matches('>'));
    }
    (!head.is_empty() && head != "auto").then(|| head.to_owned())
}

/// Tests whether a function computes with the reports of visitors
/// ([`crate::machine::intervals`]).
pub(crate) fn is_of_reports(name: &str) -> bool {
    ["ModulusRemainder::", "ConstantInterval::"].iter().any(|class| name.starts_with(class))
        || ["ConstantInterval", "ModulusRemainder"].contains(&name)
}
