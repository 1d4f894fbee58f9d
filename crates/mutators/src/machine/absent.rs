//! Things of the object that may not be there: undefined expressions, elements of containers that
//! may be empty, and iterators that no entry has.
//!
//! # Correctness
//!
//! The value of a member when a method begins is not known, and neither is its value after a
//! `mutate`, which may run any method. The value is a handle: a text that begins with the member's
//! name, followed by the parts and methods that were asked for, and by a mark for each `mutate`
//! after which the member was read, if a method may assign it. So
//!
//! * what comes from a member, or from a variable outside of functions, may be an undefined
//!   expression, whatever the type of the member is, unless all its words are those of types that
//!   hold no expression;
//! * a container has the elements that the path has shown it to have ([`State::filled`]): it
//!   appended them, or asked whether there are any. Everything else that may change a container
//!   makes this unknown: `mutate`, an assignment, a change of something that is not known, and the
//!   begin of an iteration;
//! * an iterator is one of an entry if the path compared it with the end, or asked for the key,
//!   and nothing that may end it ran since.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use halidom_cpp::{Sign, is_letter, words};

use crate::ir::state::State;
use crate::ir::value::{Place, Val};
use crate::machine::invariants::invariant;
use crate::machine::names::Method;
use crate::machine::run::{Machine, Paths};
use crate::machine::types::{element_of, is_map_type, is_scope_type, is_vector_type};

/// The end of the handle of a member that is known to be a defined expression.
pub(super) const DEFINED: &str = " (defined)";

/// The mark in the handle of a member that other methods may have assigned.
const CHANGED: &str = "#after ";

/// The reason why a path ends at what may be undefined.
pub(super) const UNDEFINED: &str = "a member that other methods may leave undefined";

/// The handle of a member after some visits.
pub(super) fn changed(name: &str, visits: u32) -> String {
    format!("{name}{CHANGED}{visits}")
}

/// The reason why a path ends at an element that may not be there.
pub(super) const MISSING: &str =
    "an element that may not be there: other methods may change the container";

/// The reason why a path ends at an iterator that may not have an entry.
const ENDED: &str = "an iterator that may be the end of its container, or that may have ended";

/// The words of types whose objects hold no expression.
const PLAIN: [&str; 38] = [
    "array",
    "atomic",
    "bool",
    "char",
    "const",
    "constexpr",
    "deque",
    "double",
    "extern",
    "float",
    "inline",
    "int",
    "int16_t",
    "int32_t",
    "int64_t",
    "int8_t",
    "list",
    "long",
    "map",
    "mutable",
    "pair",
    "set",
    "short",
    "signed",
    "size_t",
    "static",
    "std",
    "string",
    "thread_local",
    "tuple",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uint8_t",
    "unordered_map",
    "unordered_set",
    "unsigned",
    "vector",
];

/// Names that handles have, and that are no variable's.
const OTHERS: [&str; 3] = ["as", "null", "this"];

/// Methods that give a number or a type.
const ANSWERS: [&str; 8] =
    ["bits", "bytes", "element_of", "empty", "lanes", "length", "size", "type"];

/// The methods of types that give numbers of at least 1.
const POSITIVE: [&str; 2] = ["bytes", "lanes"];

/// The types of expressions and statements, and of what may be one.
const NODES: [&str; 8] =
    ["Expr", "IterVar", "NodeRef", "PrimExpr", "RVar", "Stmt", "Var", "VarExpr"];

/// The methods whose iterators may have no entry. A key follows in the handle.
const FINDS: [&str; 2] = [".find@", ".shallow_find@"];

/// The ends of handles of other iterators.
const ENDS: [&str; 2] = [".begin", ".end"];

/// The beginning of the handles of iterators that were advanced.
pub(super) const ADVANCED: &str = "advanced#";

/// Methods that remove an element without a key, or give one.
const FIRST_OR_LAST: [&str; 6] = ["back", "front", "pop_back", "pop_front", "pop", "top"];

/// Methods that add an element.
const ADDS: [&str; 6] =
    ["emplace", "emplace_back", "emplace_front", "push", "push_back", "push_front"];

/// The name with which a handle begins.
fn root(of: &str) -> &str {
    of.split(|letter| !is_letter(letter)).next().unwrap_or_default()
}

/// Tests whether a handle begins with a name that no variable of the function has, as the members
/// of a base class that no file declares. Names of types begin with a capital, and other handles
/// are no names.
fn is_undeclared(of: &str) -> bool {
    let name = root(of);
    let rest = &of[name.len()..];
    let is_other = PLAIN.contains(&name) || OTHERS.contains(&name);
    name.starts_with(|letter: char| letter.is_ascii_lowercase() || letter == '_')
        && !is_other
        && (rest.is_empty() || rest.starts_with(['.', '[']))
}

/// The names in a handle, without marks: the member, its parts and the methods that were asked.
fn path(of: &str) -> impl DoubleEndedIterator<Item = &str> {
    of.split('.').map(root)
}

/// The types of the two parts of an entry of a map, of a pair, or of an element that is a pair.
fn arguments(ty: &str) -> Option<[&str; 2]> {
    let (name, rest) = ty.split_once('<')?;
    let rest = rest.trim_end().strip_suffix('>')?;
    if is_vector_type(ty) {
        return arguments(rest.trim());
    }
    if !is_map_type(ty) && !name.ends_with("pair") {
        return None;
    }
    let mut depth = 0_usize;
    let mut ends = rest.char_indices().filter(|(_, letter)| {
        match letter {
            '<' | '(' => depth += 1,
            '>' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        *letter == ',' && depth == 0
    });
    let (first, _) = ends.next()?;
    let second = ends.next().map_or(rest.len(), |(at, _)| at);
    Some([rest[..first].trim(), rest[first + 1..second].trim()])
}

/// The type of what `[]` gives of a map or a vector.
fn element(ty: &str) -> Option<&str> {
    match arguments(ty) {
        Some([_, second]) if is_map_type(ty) => Some(second),
        None if is_vector_type(ty) => Some(element_of(ty)),
        _ => None,
    }
}

/// The container in which an iterator was looked up.
fn searched(of: &str) -> Option<&str> {
    let (container, iterator) = of.rsplit_once('.')?;
    let method = &of[container.len()..];
    let is_found = FINDS.iter().any(|find| method.starts_with(find));
    (is_found && iterator.contains('@')).then_some(container)
}

impl State {
    /// The number of elements that a container is known to have at least.
    fn least(&self, of: &str) -> usize {
        self.filled.iter().find(|(known, _)| known == of).map_or(0, |(_, count)| *count)
    }

    /// Sets the number of elements that a container is known to have at least.
    fn has_least(&mut self, of: &str, count: usize) {
        self.filled.retain(|(known, _)| known != of);
        // Different elements of a container have one handle.
        if count > 0 && !of.contains(['[', '(']) {
            self.filled.push((of.to_owned(), count));
        }
    }

    /// Keeps what is known of containers on both of two paths.
    pub(crate) fn has_least_as(&mut self, other: &Self) {
        for (of, count) in &mut self.filled {
            *count = (*count).min(other.least(of));
        }
        self.entries.retain(|known| other.entries.contains(known));
    }
}

impl Machine<'_> {
    /// Tests whether a handle is that of something in a member of a class, or in a variable outside
    /// of functions.
    fn is_of_object(&self, of: &str) -> bool {
        let root = root(of);
        let mut fields = self.program.classes.iter().flat_map(|class| &class.fields);
        of.contains(CHANGED)
            || fields.any(|field| field.name == root)
            || self.program.others.iter().any(|other| other == root)
            || is_undeclared(of)
    }

    /// The types that the last member in a handle may have, with whether this is the type of the
    /// whole. Otherwise, it is a part of what has the type. Of the entry of a map or a pair, the
    /// parts have types of their own.
    fn types_in(&self, of: &str) -> Vec<(&str, bool)> {
        let fields = || self.program.classes.iter().flat_map(|class| &class.fields);
        let is_field = |name: &&str| fields().any(|field| field.name == **name);
        let all: Vec<&str> = path(of).collect();
        let Some(at) = all.iter().rposition(is_field) else {
            return self.declarations(root(of)).into_iter().map(|text| (text, false)).collect();
        };
        let is_element = of.ends_with(']');
        let mut types = Vec::new();
        for field in fields().filter(|field| field.name == all[at]) {
            let (mut ty, mut is_whole) = (field.ty.as_str(), true);
            for name in &all[at + 1..] {
                let part = ["first", "second"].iter().position(|part| part == name);
                let part = part.and_then(|part| Some(arguments(ty)?[part]));
                (ty, is_whole) = part.map_or((ty, false), |part| (part, true));
            }
            types.push((ty, is_whole && !is_element));
        }
        types
    }

    /// The types of a member, or of an element or a part of one; none if they are not known.
    pub(super) fn types_of(&self, of: &str) -> Vec<&str> {
        let is_element = of.ends_with(']') && of.matches(['.', '[']).count() == 1;
        let types = self.types_in(of).into_iter();
        let told = types.map(
            |(ty, is_whole)| {
                if is_whole { Some(ty) } else { element(ty).filter(|_| is_element) }
            },
        );
        let told: Option<Vec<&str>> = told.collect();
        told.unwrap_or_default()
    }

    /// The texts before a name outside of functions, from the statement's begin on: the types of a
    /// variable, if it is one.
    fn declarations(&self, name: &str) -> Vec<&str> {
        let is_part = |letter: Option<char>| letter.is_some_and(is_letter);
        let mut found = Vec::new();
        for text in &self.program.outside {
            for (at, _) in text.match_indices(name) {
                let (before, after) = (&text[..at], &text[at + name.len()..]);
                let begin = before.rfind([';', '{', '}', '#']).map_or(0, |begin| begin + 1);
                if !is_part(before.chars().next_back()) && !is_part(after.chars().next()) {
                    found.push(&before[begin..]);
                }
            }
        }
        found
    }

    /// Tests whether a type is that of an enumeration of the files.
    fn is_enumeration(&self, name: &str) -> bool {
        self.program.outside.iter().any(|text| {
            let mut before = ["", ""];
            words(text).any(|word| {
                let is_named = before[1] == "enum"
                    || before[0] == "enum" && ["class", "struct"].contains(&before[1]);
                before = [before[1], word];
                is_named && word == name
            })
        })
    }

    /// Tests whether something may be an expression, by the type of the member that it comes from.
    fn may_hold_node(&self, of: &str) -> bool {
        let is_class = |name: &str| self.program.classes.iter().any(|class| class.name == name);
        let is_plain =
            |word: &str| PLAIN.contains(&word) || is_class(word) || self.is_enumeration(word);
        let types = self.types_in(of);
        let is_told = types.iter().any(|(_, is_whole)| *is_whole);
        if !is_told && path(of).next_back().is_some_and(|last| ANSWERS.contains(&last)) {
            return false;
        }
        let is_container = |ty: &str| {
            is_map_type(ty) || is_vector_type(ty) || is_scope_type(ty) || ty.ends_with('*')
        };
        let may_be =
            |(ty, is_own): &(&str, bool)| !(words(ty).all(is_plain) || *is_own && is_container(ty));
        types.is_empty() || types.iter().any(may_be)
    }

    /// Tests whether the type of the member from which something comes is that of expressions.
    fn is_of_nodes(&self, of: &str) -> bool {
        let is_alias = |word: &str| {
            let mut aliases = self.program.others.iter().chain(&self.program.aliases_within);
            aliases.any(|other| other == word) && !self.is_enumeration(word)
        };
        let is_node = |word: &str| NODES.contains(&word) || is_alias(word);
        self.types_in(of).iter().any(|(ty, _)| words(ty).any(is_node))
    }

    /// Tests whether a value may be an undefined expression: it comes from a member, which the
    /// method has not assigned since other methods ran.
    pub(super) fn may_be_undefined(&self, of: &str) -> bool {
        !self.mode.is_emitter() && self.may_be_missing(of)
    }

    /// Tests the same of a container without elements and of a null pointer.
    fn may_be_missing(&self, of: &str) -> bool {
        !self.is_concrete() && !of.ends_with(DEFINED) && self.is_of_object(of)
    }

    /// Tests whether a handle is that of a variable of a function that nothing was given, whose
    /// class is not known. The handle is the name of the class.
    fn is_made_of_nothing(&self, of: &str) -> bool {
        !self.is_concrete()
            && of.starts_with(|letter: char| letter.is_ascii_uppercase())
            && of.chars().all(is_letter)
            && self.program.classes.iter().all(|class| class.name != of)
    }

    /// Tests whether an argument may be undefined where a function of the API takes an expression.
    pub(super) fn may_be_no_operand(&self, value: &Val) -> bool {
        let Val::Handle(of) = value else { return false };
        self.may_be_undefined_node(value) || self.is_made_of_nothing(of)
    }

    /// Tests whether a value may be an undefined expression.
    pub(super) fn may_be_undefined_node(&self, value: &Val) -> bool {
        let Val::Handle(of) = value else { return false };
        let is_scope = self.purpose(of).is_some() || invariant(of).is_some();
        !value.is_info() && !is_scope && self.may_be_undefined(of) && self.may_hold_node(of)
    }

    /// Tests whether an operand of an operator may be an undefined expression. Things of the
    /// compiler that are compared with one another are taken for expressions by their types alone.
    pub(super) fn has_undefined_operand(&self, op: Sign, operands: [&Val; 2]) -> bool {
        let is_thing = |value: &&Val| {
            matches!(
                value,
                Val::Handle(_) | Val::Text(_) | Val::Opaque(_) | Val::Type(_) | Val::Ptr(_)
            )
        };
        let are_compared = matches!(op, Sign::Eq | Sign::Ne) && operands.iter().all(is_thing);
        operands.into_iter().any(|value| match value {
            Val::Handle(of) if are_compared => {
                self.may_be_undefined_node(value) && self.is_of_nodes(of)
            }
            value => self.may_be_undefined_node(value),
        })
    }

    /// Tests whether an operator may divide by 0, or shift by more than the width, as the second
    /// operand is not known. A type has at least one byte and one lane.
    pub(super) fn may_be_partial(&self, op: Sign, [lhs, rhs]: [&Val; 2]) -> bool {
        let is_number = matches!(lhs, Val::Int(_) | Val::Bool(_) | Val::Handle(_));
        // `member.bytes`, or `bytes of 5` where a node holds the type.
        let may_be_zero = |of: &str| {
            let last = path(of).next_back().unwrap_or_default();
            !POSITIVE.contains(&last) || self.types_in(of).iter().any(|(_, is_whole)| *is_whole)
        };
        let may_fail = match (op, rhs) {
            (Sign::Div | Sign::Rem, Val::Handle(of)) => may_be_zero(of),
            // The least number has no quotient by -1.
            (Sign::Div | Sign::Rem, Val::Int(num)) => {
                matches!(lhs, Val::Handle(_)) && num.low <= -1 && -1 <= num.high
            }
            (Sign::Shl | Sign::Shr, Val::Handle(_)) => true,
            _ => false,
        };
        may_fail && is_number && !rhs.is_info() && !self.mode.is_emitter()
    }

    /// The values that something may have that may be an undefined expression: undefined, or one
    /// that is defined. A thing of another type than that of expressions is taken for none.
    pub(super) fn undefined_or_not(&mut self, value: Val, state: State) -> Paths<Val> {
        let Val::Handle(of) = &value else { return vec![(state, value)] };
        // What a scope holds may be put back as it is.
        let is_node = (self.types_in(of).is_empty() || self.is_of_nodes(of))
            && self.purpose(root(of)).is_none();
        if !is_node || !self.may_be_undefined_node(&value) {
            return vec![(state, value)];
        }
        let known = Val::Handle(format!("{of}{DEFINED}"));
        let (defined, undefined) = self.choose(state);
        vec![(defined, known), (undefined, Val::Expr(None))]
    }

    /// Tests whether what a handle points to may not exist. Of an iterator, the path must have
    /// shown that it has an entry.
    pub(super) fn may_be_null(&self, of: &str, state: &State) -> bool {
        if searched(of).is_some() {
            return self.may_be_missing(of) && state.least(of) == 0;
        }
        if of.starts_with(ADVANCED) || self.is_made_of_nothing(of) {
            return state.least(of) == 0;
        }
        if let Some(container) = of.strip_suffix(ENDS[0]) {
            let is_empty = self.may_be_missing(of) && state.least(container) == 0;
            return is_empty || self.may_have_ended(of, state);
        }
        if ENDS.iter().any(|end| of.ends_with(end)) {
            return self.may_be_missing(of);
        }
        self.may_be_missing(of)
    }

    /// Tests whether `mutate` ran since an iterator was made of a container that methods change.
    fn may_have_ended(&self, of: &str, state: &State) -> bool {
        let then = of.split(CHANGED).nth(1).map_or(0, |rest| {
            let digits = rest.find(|letter: char| !letter.is_ascii_digit());
            rest[..digits.unwrap_or(rest.len())].parse().unwrap_or(0)
        });
        let root = root(of);
        let mut unsteady = self.program.unsteady.iter();
        self.may_be_missing(of) && then != state.visits && unsteady.any(|name| name == root)
    }

    /// Tests whether `mutate` may have changed a container since a loop over it began.
    pub(super) fn may_have_changed(&self, of: &str, before: &State, after: &State) -> bool {
        let root = root(of);
        let mut unsteady = self.program.unsteady.iter();
        before.visits != after.visits
            && self.may_be_undefined(of)
            && (of.contains(CHANGED) || unsteady.any(|name| name == root))
    }

    /// The answers to whether an iterator of a container is at its end; `None` for other operands.
    pub(super) fn is_at_end(
        &mut self,
        op: Sign,
        operands: [&Val; 2],
        state: &State,
    ) -> Option<Paths<Val>> {
        let [Val::Handle(a), Val::Handle(b)] = operands else { return None };
        let (find, end) = if a.ends_with(ENDS[1]) { (b, a) } else { (a, b) };
        let of_end = end.strip_suffix(ENDS[1]);
        let first = find.strip_suffix(ENDS[0]).filter(|of| Some(*of) == of_end);
        let is_found = searched(find) == of_end || find.starts_with(ADVANCED);
        let is_it = of_end.is_some() && (is_found || first.is_some());
        let find = first.unwrap_or(find);
        if !is_it || self.is_concrete() || !matches!(op, Sign::Eq | Sign::Ne) {
            return None;
        }
        let (mut found, missed) = self.choose(state.clone());
        let count = found.least(find).max(1);
        found.has_least(find, count);
        Some(if op == Sign::Ne {
            self.truths(vec![found], vec![missed])
        } else {
            self.truths(vec![missed], vec![found])
        })
    }

    /// The handle of an iterator that is looked up in a container by a key.
    pub(super) fn looked_up(
        &mut self,
        of: &str,
        name: Method<'_>,
        arguments: &[Val],
        state: &State,
    ) -> Val {
        let key = match arguments {
            [Val::Expr(Some(node)) | Val::Ptr(Some((node, _)))] => {
                format!("{:?}", state.find(*node))
            }
            [key @ (Val::Text(_) | Val::Handle(_) | Val::Opaque(_))] => format!("{key:?}"),
            _ => self.fresh_name("key"),
        };
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        Val::Handle(format!("{of}.{name}@{:x}", hasher.finish()))
    }

    /// Records on a path that a container has an entry under a key.
    pub(super) fn has_found(&mut self, of: &str, arguments: &[Val], state: &mut State) {
        if let [key] = arguments {
            self.keep_entry(of, key, state);
        }
        for name in [Method::Find, Method::ShallowFind] {
            if let Val::Handle(iterator) = self.looked_up(of, name, arguments, state) {
                state.has_least(&iterator, 1);
            }
        }
        let count = state.least(of).max(1);
        state.has_least(of, count);
    }

    /// Runs a method of a container that is not known and whose elements the method adds, removes
    /// or gives; `None` for other methods.
    pub(super) fn element_method(
        &mut self,
        of: &str,
        name: Method<'_>,
        arguments: &[Val],
        state: &State,
        line: usize,
    ) -> Option<Paths<Val>> {
        let text = name.text();
        let least = state.least(of);
        let takes = FIRST_OR_LAST.contains(&text) && arguments.is_empty();
        // Nothing is known of the elements of an object that a function made.
        if takes && !self.is_concrete() && self.is_made_of_nothing(of) {
            return Some(self.unsupported(state.clone(), MISSING, line));
        }
        if !self.may_be_missing(of) {
            return None;
        }
        if text == "value" && self.types_in(of).iter().any(|(ty, _)| ty.contains("optional<")) {
            return Some(self.unsupported(state.clone(), MISSING, line));
        }
        if takes {
            if least == 0 {
                return Some(self.unsupported(state.clone(), MISSING, line));
            }
            let mut state = state.clone();
            if !text.starts_with("pop") {
                return Some(vec![(state, Val::Handle(format!("{of}.{name}")))]);
            }
            Self::resized(of, least - 1, &mut state);
            return Some(vec![(state, Val::Void)]);
        }
        let is_added = ADDS.contains(&text) && (arguments.len() == 1 || text.ends_with("back"));
        if is_added {
            let mut state = state.clone();
            Self::resized(of, least + 1, &mut state);
            return Some(vec![(state, Val::Void)]);
        }
        match (name, arguments) {
            (Method::Empty, []) => {
                let (holds, mut fails) = self.choose(state.clone());
                fails.has_least(of, least.max(1));
                Some(self.truths(vec![holds], vec![fails]))
            }
            (Method::At, [key]) if self.lacks_key(of, key, state) => {
                Some(self.unsupported(state.clone(), MISSING, line))
            }
            (Method::Erase | Method::Insert, [Val::Handle(iterator), ..])
                if iterator.starts_with(ADVANCED) =>
            {
                Some(self.unsupported(state.clone(), ENDED, line))
            }
            (Method::Erase, [Val::Handle(iterator)]) if self.lacks_entry(iterator, state) => {
                Some(self.unsupported(state.clone(), ENDED, line))
            }
            _ => None,
        }
    }

    /// Tests whether an iterator may have no entry.
    fn lacks_entry(&self, of: &str, state: &State) -> bool {
        let is_end = ENDS.iter().any(|end| of.ends_with(end));
        is_end && self.may_be_missing(of) || searched(of).is_some() && self.may_be_null(of, state)
    }

    /// Records that a container that is not known has another number of elements now.
    fn resized(of: &str, count: usize, state: &mut State) {
        let filled = std::mem::take(&mut state.filled);
        Self::changed_unseen(state);
        // Iterators and references to its elements may have ended.
        let others = filled.into_iter().filter(|(known, _)| !known.starts_with(of));
        state.filled = others.collect();
        state.has_least(of, count);
    }

    /// Tests whether a map or a vector may lack what `at` is asked for.
    fn lacks_key(&mut self, of: &str, key: &Val, state: &State) -> bool {
        let found = self.looked_up(of, Method::Find, std::slice::from_ref(key), state);
        let is_found = matches!(&found, Val::Handle(of) if state.least(of) > 0);
        !is_found && (self.is_map(of) || self.may_lack(of, key, state))
    }

    /// Tests whether something is a member that is a map.
    fn is_map(&self, of: &str) -> bool {
        let types = self.types_in(of);
        !types.is_empty() && types.iter().all(|(ty, is_own)| *is_own && is_map_type(ty))
    }

    /// Tests whether a container may lack the element at an index. Maps make what they lack.
    pub(super) fn may_lack(&self, of: &str, index: &Val, state: &State) -> bool {
        if !self.may_be_missing(of) {
            return false;
        }
        if self.is_map(of) {
            return false;
        }
        let number = match index {
            Val::Int(num) => self.values.as_number(num.term),
            _ => None,
        };
        let number = number.and_then(|number| usize::try_from(number).ok());
        number.is_none_or(|number| number >= state.least(of))
    }

    /// Makes numbers and truth values in members unknown where an operand is printed, as any method
    /// may assign them then.
    pub(crate) fn forget_flags(&mut self, state: &mut State) {
        if self.is_concrete() {
            return;
        }
        for slot in &mut state.members {
            let is_flag = matches!(slot.value, Val::Bool(_) | Val::Int(_) | Val::Real(_));
            let mut unsteady = self.program.unsteady.iter();
            if is_flag && unsteady.any(|name| *name == slot.name) {
                let times = self.fresh();
                slot.value = Val::Handle(changed(&slot.name, times));
            }
        }
    }
}

/// Makes pointers and references to elements that are not known unknown: other methods may have
/// removed the elements.
pub(super) fn forget_places(state: &mut State) {
    let is_lost = |value: &Val| {
        matches!(value, Val::Address(Place::Nowhere) | Val::Reference(Place::Nowhere))
    };
    for frame in &mut state.frames {
        if frame.iter().any(|slot| is_lost(&slot.value)) {
            for slot in Rc::make_mut(frame).iter_mut().filter(|slot| is_lost(&slot.value)) {
                slot.value = Val::Unknown;
            }
        }
    }
}
