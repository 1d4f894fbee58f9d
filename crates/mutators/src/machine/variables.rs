//! Variables: how they are declared, converted to their types, read and assigned.

use std::rc::Rc;

use halidom_cpp::ast::{Declared, Expr, ExprKind};
use halidom_cpp::{Sign, TABLE};

use crate::ir::state::{Slot, State};
use crate::ir::value::{Place, Val};
use crate::machine::conversions::is_typed;
use crate::machine::intervals::changed;
use crate::machine::names::TypeName;
use crate::machine::references::{MAY_REFER, is_place};
use crate::machine::run::{ACTIVE, MAX_CONCRETE_ITERATIONS, MOVED, Machine, Outcome, Paths};
use crate::machine::types::{
    UNION, integer_type, is_binding_type, is_pointer_type, is_scoped_value_type, is_type_of_body,
    is_vector_type,
};

/// The reason that is given where a place that may have two names is changed.
const OTHER_NAME: &str = "a change of a member that may have another name";

/// The class of simplifiers, and its flags (`Simplify_Internal.h`).
const SIMPLIFIER: &str = "Simplify";
pub(super) const FLAGS: [&str; 2] = ["in_unreachable", "in_vector_loop"];

/// The functions of the API that make a binding, and the type of their results.
const MAKE_BINDINGS: [&str; 2] = ["scoped_truth", "scoped_falsehood"];
pub(super) const BINDING: &str = "ScopedFact";

/// The values that the declaration of a variable of a type gives to a constructor.
fn given<'p>(ty: &str, value: &'p Expr) -> Option<&'p [Expr]> {
    match &value.kind {
        ExprKind::Call { callee, arguments, .. } => {
            matches!(&callee.kind, ExprKind::Name(name) if name == ty).then_some(arguments)
        }
        ExprKind::Braces(None, parts) => Some(parts),
        _ => None,
    }
}

impl<'p> Machine<'p> {
    /// Tests whether a variable is a binding that a function of the API makes: C++ makes it where
    /// the variable is, and nothing moves. A variable of another type would hold what the binding
    /// is converted to, and a function of the files may give a reference to one that lasts.
    fn is_new_binding(&self, declared: &Declared, value: &Expr) -> bool {
        let ExprKind::Call { callee, .. } = &value.kind else { return false };
        let ExprKind::Name(name) = &callee.kind else { return false };
        let ty = declared.ty.strip_prefix("const ").unwrap_or(&declared.ty);
        let mut own = self.program.functions.iter().filter(|function| function.name == *name);
        MAKE_BINDINGS.contains(&name.as_str())
            && ["auto", BINDING].contains(&ty)
            && own.all(|function| function.result == BINDING)
            && self.program.unseen.iter().all(|(class, method)| class != name && method != name)
    }

    pub(super) fn declare(&mut self, declared: &'p Declared, state: State) -> Vec<State> {
        if declared.ty.starts_with(TABLE) {
            self.table(declared, state)
        } else {
            self.declare_variable(declared, state)
        }
    }

    fn declare_variable(&mut self, declared: &'p Declared, state: State) -> Vec<State> {
        if self.is_active(&declared.ty) {
            self.end(state, Outcome::Unsupported(ACTIVE.to_owned()), self.line);
            return Vec::new();
        }
        let is_bound = |value: &Expr| is_place(value) && self.may_refer(&declared.ty);
        if declared.value.as_ref().is_some_and(is_bound) {
            let ended: Paths<()> = self.unsupported(state, MAY_REFER, self.line);
            return ended.into_iter().map(|(state, ())| state).collect();
        }
        let valued = match &declared.value {
            Some(value) => match &value.kind {
                _ if let Some(made) = self.constructed(declared, value, &state) => made,
                // `T x(y)` and `T x{y}` of a reference or number type are read as a call of the
                // type.
                ExprKind::Call { callee, arguments, .. }
                    if matches!(&callee.kind, ExprKind::Name(name) if *name == declared.ty)
                        && arguments.len() == 1
                        && Self::is_plain_type(&declared.ty) =>
                {
                    self.eval(&arguments[0], state)
                }
                ExprKind::Call { callee, arguments, .. }
                    if matches!(&callee.kind, ExprKind::Name(name) if *name == declared.ty)
                        && arguments.len() == 1
                        && is_vector_type(&declared.ty) =>
                {
                    self.vector_of(&declared.ty, &arguments[0], state, value.line)
                }
                ExprKind::Call { callee, arguments, .. }
                    if matches!(&callee.kind, ExprKind::Name(name) if *name == declared.ty)
                        && let Some(made) =
                            self.local_visitor(&declared.ty, arguments, state.clone()) =>
                {
                    made
                }
                ExprKind::Call { callee, arguments, .. }
                    if matches!(&callee.kind, ExprKind::Name(name) if *name == declared.ty)
                        && let Some(made) = self.helper_object(
                            &declared.ty,
                            arguments,
                            state.clone(),
                            value.line,
                        ) =>
                {
                    made
                }
                // An object of the compiler that is made from another one.
                ExprKind::Call { callee, arguments, .. }
                    if matches!(&callee.kind, ExprKind::Name(name) if *name == declared.ty)
                        && arguments.len() == 1
                        && self.is_unknown_class(&declared.ty) =>
                {
                    let mut made = Vec::new();
                    for (state, of) in self.eval(&arguments[0], state) {
                        if matches!(of, Val::Handle(_) | Val::Opaque(_)) {
                            made.push((state, Val::Handle(declared.ty.clone())));
                        } else {
                            made.extend(self.unsupported(state, &declared.ty, value.line));
                        }
                    }
                    made
                }
                _ if declared.ty.ends_with('&') => self.bind_to(&declared.ty, value, state),
                _ => self.eval(value, state),
            },
            None if self.is_constructed(&declared.ty) => {
                self.braced(&declared.ty, &[], state, self.line)
            }
            None => {
                let report = self.report_of_variable(&declared.ty);
                let value = match report.or_else(|| self.object(&declared.ty)) {
                    Some(object) => object,
                    None => Self::default(&declared.ty),
                };
                vec![(state, value)]
            }
        };
        let mut states = Vec::new();
        let is_braced = |value: &Expr| matches!(value.kind, ExprKind::Braces(None, _));
        let is_aggregate = declared.value.as_ref().is_some_and(is_braced);
        let is_made = declared.value.as_ref().is_none_or(|value| {
            matches!(value.kind, ExprKind::Braces(..))
                || given(&declared.ty, value).is_some()
                || self.is_new_binding(declared, value)
        });
        for (mut state, value) in valued {
            if !is_made && Self::binds(&value) {
                state.lost = Some(MOVED);
            }
            let value = if is_aggregate || self.is_constructed(&declared.ty) {
                self.initialize(&declared.ty, value, &mut state)
            } else {
                self.coerce(&declared.ty, value, &mut state)
            };
            let value = match value {
                // A lambda function may call the variable that it initializes.
                Val::Lambda(id, (depth, known)) if known == state.depth() => {
                    Val::Lambda(id, (depth, known + 1))
                }
                value => value,
            };
            // The type that a template stands for is not known.
            let is_number = matches!(value, Val::Int(_));
            let is_open =
                self.is_template(&declared.ty) && self.named_type(&declared.ty) == declared.ty;
            let value = if is_number && is_open { Val::Unknown } else { value };
            self.borrows(declared, &value, &mut state);
            let is_node = matches!(TypeName::of(&declared.ty), TypeName::Expr | TypeName::Stmt);
            let values =
                if is_node { self.undefined_or_not(value, state) } else { vec![(state, value)] };
            for (mut state, value) in values {
                let slot = Slot { name: declared.name.clone(), ty: declared.ty.clone(), value };
                state.frame().push(slot);
                states.push(state);
            }
        }
        states
    }

    /// The object that a variable is made as by a constructor that undoes a change where it ends,
    /// or by one of a structure that the running function declares.
    fn constructed(
        &mut self,
        declared: &'p Declared,
        value: &'p Expr,
        state: &State,
    ) -> Option<Paths<Val>> {
        Some(match &value.kind {
            ExprKind::Call { .. } | ExprKind::Braces(None, _)
                if is_binding_type(&declared.ty)
                    && let Some(arguments) = given(&declared.ty, value) =>
            {
                let mut made = Vec::new();
                for (state, values) in self.arguments(arguments, state.clone()) {
                    made.extend(self.bind_scope(&values, state, value.line));
                }
                made
            }
            ExprKind::Call { .. } | ExprKind::Braces(None, _)
                if is_scoped_value_type(&declared.ty)
                    && let Some(arguments @ ([first] | [first, _])) =
                        given(&declared.ty, value) =>
            {
                self.hold_value(first, arguments.get(1), state.clone(), value.line)
            }
            ExprKind::Braces(None, parts) if self.is_constructed(&declared.ty) => {
                self.braced(&declared.ty, parts, state.clone(), value.line)
            }
            // The variable is what the expression makes.
            ExprKind::Braces(Some(ty), parts) if self.local(ty).is_some() => {
                self.braced(ty, parts, state.clone(), value.line)
            }
            _ => return None,
        })
    }

    /// Tests whether nothing is known about the objects of a class.
    fn is_unknown_class(&self, ty: &str) -> bool {
        let program = self.program;
        ty.chars().all(|letter| letter.is_ascii_alphanumeric())
            && !self.contracts.has(ty)
            && program.classes.iter().all(|class| class.name != ty)
            && program.functions.iter().all(|function| function.name != ty)
            && !Self::is_plain_type(ty)
            && !matches!(TypeName::of(ty), TypeName::Expr | TypeName::Stmt)
    }

    /// `vector<T> x(n)` makes a vector of `n` elements, and `vector<T> x(y)` copies another one.
    fn vector_of(&mut self, ty: &str, argument: &'p Expr, state: State, line: usize) -> Paths<Val> {
        let element = ty.split_once('<').map_or("", |(_, of)| of.trim_end_matches('>'));
        if self.is_active(element) {
            return self.unsupported(state, ACTIVE, line);
        }
        let mut paths = Vec::new();
        for (state, value) in self.eval(argument, state) {
            let Val::Int(count) = &value else {
                let listed = self.as_list(&value, state, line).into_iter();
                paths.extend(listed.map(|(state, values)| (state, Val::List(values))));
                continue;
            };
            let count = self.values.as_number(count.term).and_then(|n| usize::try_from(n).ok());
            match count.filter(|count| *count <= MAX_CONCRETE_ITERATIONS) {
                Some(count) => {
                    paths.push((state, Val::List(vec![Self::default(element); count])));
                }
                None => {
                    paths.extend(self.unsupported(state, "a vector of so many elements", line));
                }
            }
        }
        paths
    }

    /// The value of a variable that is declared without one.
    pub(super) fn default(ty: &str) -> Val {
        match TypeName::of(ty) {
            TypeName::Expr | TypeName::Stmt => Val::Expr(None),
            TypeName::Other(ty) if is_type_of_body(ty) => Val::Expr(None),
            TypeName::Int64T
            | TypeName::Uint64T
            | TypeName::Int
            | TypeName::Bool
            | TypeName::Double
            | TypeName::Float
            | TypeName::Type => Val::Unknown,
            _ if integer_type(ty).is_some() || is_pointer_type(ty) => Val::Unknown,
            _ if is_vector_type(ty) => Val::List(Vec::new()),
            _ if ty.ends_with("stringstream") => Val::Rope(Vec::new()),
            TypeName::String | TypeName::StdString => Val::Text(String::new()),
            _ if ty.starts_with(UNION) => {
                Val::Object(vec![(UNION.to_owned(), Val::Text(ty.to_owned()))])
            }
            TypeName::Other(_) => Val::Handle(ty.to_owned()),
        }
    }

    fn is_plain_type(ty: &str) -> bool {
        matches!(
            TypeName::of(ty),
            TypeName::Int
                | TypeName::Int64T
                | TypeName::Uint64T
                | TypeName::Bool
                | TypeName::Double
                | TypeName::Expr
                | TypeName::Type
                | TypeName::Stmt
        )
    }

    /// The bindings of a reference of a type to an expression.
    fn bind_to(&mut self, ty: &str, expr: &'p Expr, state: State) -> Paths<Val> {
        let mut paths = self.reference(expr, state);
        for (state, value) in &mut paths {
            *value = self.bind(ty.trim_end_matches('&'), value.clone(), state);
        }
        paths
    }

    /// Finds the place of a variable.
    pub(crate) fn find_variable(name: &str, state: &State) -> Option<Place> {
        let depth = state.frames.len().checked_sub(1)?;
        let frame = &state.frames[depth];
        let index = frame.iter().rposition(|slot| slot.name == name)?;
        match &frame[index].value {
            Val::Reference(place) => Some(place.clone()),
            _ => Some(Place::Local(depth, index)),
        }
    }

    /// A variable's type and value.
    pub(crate) fn load(place: &Place, state: &State) -> Option<Slot> {
        match place {
            Place::Local(frame, index) => state.frames.get(*frame)?.get(*index).cloned(),
            Place::Member(name) => state.members.iter().find(|slot| slot.name == *name).cloned(),
            Place::Part(base, name) => match Self::load(base, state)?.value {
                Val::Object(members) => {
                    let (name, value) = members.into_iter().find(|(known, _)| known == name)?;
                    Some(Slot { name, ty: String::new(), value })
                }
                Val::List(values) => {
                    let value = values.get(name.parse::<usize>().ok()?)?.clone();
                    Some(Slot { name: name.clone(), ty: String::new(), value })
                }
                Val::Map(entries) => {
                    let (_, value) = entries.get(name.parse::<usize>().ok()?)?.clone();
                    Some(Slot { name: name.clone(), ty: String::new(), value })
                }
                _ => None,
            },
            Place::Nowhere => None,
        }
    }

    /// The value that a reference refers to; other values are returned as they are.
    pub(crate) fn loaded(value: Val, state: &State) -> Val {
        match value {
            Val::Reference(place) => {
                Self::load(&place, state).map_or(Val::Unknown, |slot| slot.value)
            }
            value => value,
        }
    }

    /// Converts a number to the type of the value that a variable holds, which is the variable's
    /// type. Of any other variable, it is unknown afterwards.
    pub(super) fn converted_like(&mut self, old: &Val, value: Val) -> Val {
        match (old, value) {
            (Val::Int(old), Val::Int(num)) => Val::Int(self.convert(num, old.bits, old.is_signed)),
            (Val::Bool(_), Val::Int(num)) => {
                let zero = self.number(0, num.bits, num.is_signed);
                self.compare(Sign::Ne, num, zero)
            }
            (Val::Bool(_), value @ Val::Bool(_)) => value,
            (Val::Real(_), value @ Val::Real(_)) => value,
            (_, Val::Int(_) | Val::Bool(_) | Val::Real(_))
            | (Val::Int(_) | Val::Bool(_) | Val::Real(_), _) => Val::Unknown,
            (_, value) => value,
        }
    }

    /// The type of a member of the object, as its class or a base declares it; empty if none does.
    pub(super) fn type_of_member(&self, name: &str) -> &'p str {
        let program: &'p crate::machine::program::Program = self.program;
        let classes = self.classes_of(&self.class);
        let mut fields = program
            .classes
            .iter()
            .filter(|class| classes.contains(&class.name))
            .flat_map(|class| &class.fields);
        let found = fields.find(|field| field.name == name);
        let flag = if self.has_flag(name) { "bool" } else { "" };
        found.map_or(flag, |field| field.ty.trim_end_matches('&'))
    }

    /// Tests whether a name is that of a flag of the simplifier, which is false in a new object and
    /// which a header declares that is not given. Where IR is not wholly known, it may be either.
    pub(super) fn has_flag(&self, name: &str) -> bool {
        self.class == SIMPLIFIER && FLAGS.contains(&name) && !self.is_of_files(SIMPLIFIER)
    }

    /// Tests whether a member of a class may be known by another name: a reference to its type is
    /// another member, or it is itself a reference and another member has its type.
    fn may_have_another_name(&self, name: &str, ty: &str, value: &Val) -> bool {
        if matches!(value, Val::Rope(_) | Val::Handle(_)) {
            return false;
        }
        let classes = self.classes_of(&self.class);
        let known = self.program.classes.iter().filter(|class| classes.contains(&class.name));
        let fields: Vec<&Declared> = known.flat_map(|class| &class.fields).collect();
        let refers = |field: &&&Declared| field.ty.ends_with(['&', '*']);
        let is_it = |field: &Declared| field.name == name;
        let is_reference = fields.iter().any(|field| is_it(field) && refers(&field));
        fields.iter().filter(|field| !is_it(field)).any(|field| {
            (is_reference || refers(&field)) && field.ty.trim_end_matches(['&', '*']).trim() == ty
        })
    }

    /// Assigns a number to the variable whose address a function of the API is given: C++ admits
    /// only a variable of the number's type.
    pub(crate) fn store_exactly(&mut self, place: &Place, value: Val, state: &mut State) {
        self.store(place, value.clone(), state);
        if let Place::Member(name) = place
            && self.type_of_member(name).is_empty()
            && let Some(slot) = state.members.iter_mut().find(|slot| slot.name == *name)
        {
            slot.value = value;
        }
    }

    /// Assigns a variable.
    pub(crate) fn store(&mut self, place: &Place, value: Val, state: &mut State) {
        if Self::ends_references(place, state) {
            state.lost = Some("a container that changes while its elements are in use");
        }
        if !matches!(place.root(), Place::Local(..)) {
            state.filled.clear();
        }
        self.put(place, value, state);
    }

    /// Tests whether a variable refers to an element of a vector or map that is in a place, or is
    /// there. C++ may move the elements where the whole changes.
    fn ends_references(place: &Place, state: &State) -> bool {
        let is_below = |place: &Place, reference: &Place| {
            let (mut at, mut is_element) = (reference, false);
            while let Place::Part(base, _) = at {
                let held = Self::load(base, state).map(|slot| slot.value);
                is_element |= matches!(held, Some(Val::List(_) | Val::Map(_)));
                if **base == *place {
                    return is_element;
                }
                at = base;
            }
            false
        };
        let frames = state.frames.iter().flat_map(|frame| frame.iter());
        frames.chain(&state.members).any(|slot| match &slot.value {
            Val::Reference(to) | Val::Address(to) => is_below(place, to),
            _ => false,
        })
    }

    /// Stores a value without a look at references.
    fn put(&mut self, place: &Place, value: Val, state: &mut State) {
        if value.any(&mut |value| matches!(value, Val::Lambda(..))) {
            state.lost = Some("a lambda function that is kept");
        }
        match place {
            Place::Local(frame, index) => {
                let Some(slot) = state.frames.get(*frame).and_then(|slots| slots.get(*index))
                else {
                    // A lambda function runs in its own function's frame.
                    state.lost = Some("a change of a variable of a function that is left");
                    return;
                };
                let ty = slot.ty.clone();
                let is_known = |value: &Val| !matches!(value, Val::Handle(_));
                if ty.ends_with('&')
                    && (is_known(&value) || is_known(&state.frames[*frame][*index].value))
                {
                    // The reference was bound to something other than a variable.
                    state.lost = Some("a change through a reference");
                }
                let ty = ty.trim_end_matches('&');
                let value = if ty.is_empty() || ty == "auto" || self.is_template(ty) {
                    let old = state.frames[*frame][*index].value.clone();
                    self.converted_like(&old, value)
                } else {
                    self.coerce(ty, value, state)
                };
                Rc::make_mut(&mut state.frames[*frame])[*index].value = value;
            }
            Place::Part(base, name) if self.is_of_report(place, state) => {
                let held = Self::load(base, state).map(|slot| slot.value);
                let after = held.map_or_else(Val::info, |held| changed(&held, name, value));
                self.put(base, after, state);
            }
            Place::Part(base, name) => {
                let held = Self::load(base, state).map(|slot| slot.value);
                if let (Some(Val::List(mut values)), Ok(index)) =
                    (held.clone(), name.parse::<usize>())
                {
                    let is_typed = Self::load(base, state).is_some_and(|slot| is_typed(&slot.ty));
                    if let Some(element) = values.get_mut(index) {
                        *element = if is_typed {
                            value
                        } else {
                            self.converted_like(&element.clone(), value)
                        };
                    }
                    self.put(base, Val::List(values), state);
                    return;
                }
                if let (Some(Val::Map(mut entries)), Ok(index)) =
                    (held.clone(), name.parse::<usize>())
                {
                    if let Some(entry) = entries.get_mut(index) {
                        entry.1 = value;
                    }
                    self.put(base, Val::Map(entries), state);
                    return;
                }
                let Some(Val::Object(mut members)) = held else { return };
                let old = members.iter().find(|(known, _)| known == name);
                let of = Self::load(base, state).map_or_else(String::new, |slot| slot.ty);
                let value = match (self.type_of_field(&of, name), old) {
                    (Some(ty), _) => self.coerce(ty, value, state),
                    (None, Some((_, old))) => self.converted_like(&old.clone(), value),
                    (None, None)
                        if matches!(value, Val::Int(_) | Val::Bool(_) | Val::Bound(..)) =>
                    {
                        Val::Unknown
                    }
                    (None, None) => value,
                };
                // The previous contents of a union are gone.
                let is_union = members.iter().any(|(known, _)| known == UNION);
                members.retain(|(known, _)| !is_union || known == UNION || known == name);
                match members.iter_mut().find(|(known, _)| known == name) {
                    Some((_, held)) => *held = value,
                    None => members.push((name.clone(), value)),
                }
                self.put(base, Val::Object(members), state);
            }
            Place::Nowhere => Self::changed_unseen(state),
            Place::Member(name) => {
                let ty = match name.as_str() {
                    "expr" => "Expr",
                    "stmt" => "Stmt",
                    _ => self.type_of_member(name),
                };
                if self.may_have_another_name(name, ty, &value) {
                    state.lost = Some(OTHER_NAME);
                }
                let value = match &value {
                    Val::Int(_) | Val::Bool(_) | Val::Bound(..) if ty.is_empty() => Val::Unknown,
                    Val::Int(_)
                    | Val::Bool(_)
                    | Val::Bound(..)
                    | Val::Handle(_)
                    | Val::List(_)
                    | Val::Object(_) => self.coerce(ty, value, state),
                    _ if matches!(ty, "Expr" | "Stmt") => self.coerce(ty, value, state),
                    _ => value,
                };
                self.replaced_scope(name, &value, state);
                self.assume_anything(name, state);
                state.members.retain(|slot| slot.name != *name);
                state.members.push(Slot { name: name.clone(), ty: ty.to_owned(), value });
            }
        }
    }
}
