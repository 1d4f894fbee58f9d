//! The classes of the objects whose methods are called, by their declarations.
//!
//! The machine knows methods of containers by their names alone. A class that the files define, or
//! that nobody knows, may give such a name another meaning.

use halidom_cpp::ast::{Expr, ExprKind};

use crate::ir::state::State;
use crate::machine::lookup::last_part;
use crate::machine::run::Machine;

/// The classes whose methods mean what the machine takes them to mean. Their `count` is at most 1.
const KNOWN: [&str; 25] = [
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
];

/// The methods by which containers take what they are given. Another class may change it.
const CHANGES: [&str; 8] =
    ["push", "push_back", "pop", "insert", "erase", "emplace", "emplace_back", "operator[]"];

/// Pointers, whose methods may be those of the class to which they point.
const POINTERS: [&str; 3] = ["unique_ptr", "shared_ptr", "IntrusivePtr"];

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
        let Some(class) = self.declared_class(object, state) else {
            let changes = CHANGES.contains(&method) && arguments > 0 && !self.counts_lanes;
            return (changes || self.is_method_of_files(method))
                .then(|| format!("`{method}` of an object whose class is not known"));
        };
        if self.program.classes.iter().any(|known| known.name == class) {
            return Some(format!("`{method}` of `{class}`, which the files define"));
        }
        // Nothing is proved where lanes are counted, and the result is something unknown there.
        let is_known = KNOWN.contains(&class.as_str()) || self.counts_lanes;
        (!is_known && arguments > 0).then(|| format!("`{method}` of `{class}`, which is not known"))
    }

    /// Tests whether some class of the files has a method of this name.
    fn is_method_of_files(&self, method: &str) -> bool {
        let functions = self.program.functions.iter();
        functions.filter(|of| !of.class.is_empty()).any(|of| of.name == method)
    }

    /// Returns the class, without its namespace and arguments, with which the object of an
    /// expression is declared: a variable of the function, or a member.
    fn declared_class(&self, object: &Expr, state: &State) -> Option<String> {
        let name = match &object.kind {
            ExprKind::Name(name) => name,
            ExprKind::Member { object, name, .. } if matches!(object.kind, ExprKind::This) => name,
            _ => return None,
        };
        if let Some(place) = Self::find_variable(name, state) {
            let slot = Self::load(&place, state)?;
            return class_in(&slot.ty);
        }
        let classes = self.classes_of(&self.class);
        let mut fields = self
            .program
            .classes
            .iter()
            .filter(|known| classes.contains(&known.name))
            .flat_map(|known| &known.fields);
        class_in(&fields.find(|field| field.name == *name)?.ty)
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
    let head = last_part(head);
    if POINTERS.contains(&head) {
        return class_in(rest.trim_end_matches('>'));
    }
    (!head.is_empty() && head != "auto").then(|| head.to_owned())
}
