//! Types that a method asks for.
//!
//! # Correctness
//!
//! Operands of some types are not tried within operands, as they behave like operands of another
//! type. That is false as soon as the compiler's own code asks for the type of such an operand. A
//! method asks for types if its text, or that of a function that it may call by name, reads a
//! member or calls a method `type`, or if it names such a type or makes one of another. The type of
//! the node that the method takes, and the types of the operands of that node, are all tried, so a
//! method may ask for these.

use std::sync::PoisonError;

use halidom_cpp::ast::Function;
use halidom_cpp::{is_letter, without_comments};

use crate::ir::kinds::{I32, Kind, Type};
use crate::ir::node::NodeId;
use crate::ir::state::{Atom, State};
use crate::machine::program::called;
use crate::machine::run::{Machine, Outcome};

impl Machine<'_> {
    /// Tests whether the method that is examined may ask for the type of a part of an operand.
    pub(super) fn asks_types(&self) -> bool {
        let Some(method) = self.method else { return true };
        let key = (method.line, method.text.clone());
        let asking = || self.program.asking.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = asking().get(&key) {
            return *known;
        }
        let functions = called(self.program, vec![method]);
        let asks = functions.iter().any(|function| {
            let is_it = std::ptr::eq(*function, method);
            let taken = function.parameters.first().filter(|_| is_it);
            asks(function, taken.map(|first| first.name.as_str()))
        });
        asking().insert(key, asks);
        asks
    }

    /// Tests whether operands of a type are not tried in nodes of a kind.
    pub(super) fn leaves_out(&self, kind: Kind, ty: Type, operand: Type) -> bool {
        if self.is_within_stmt() {
            // The type of an index is no type of a value.
            let tried = if kind == Kind::Load { ty } else { operand };
            let is_vector_of_c = kind.is_stmt() && operand.is_vector && self.mode.is_emitter();
            return !is_of_stmts(tried) || is_vector_of_c;
        }
        kind.has_free_operand() && operand.is_like_another() && !self.asks_types()
    }

    /// Ends the path on which a node has a kind at operands that were not tried, if they may behave
    /// otherwise than those that were.
    pub(super) fn end_untried(&mut self, node: NodeId, kind: Kind, state: &State) {
        let ty = state.node(node).ty;
        let is_own = is_of_stmts(ty) || kind.is_stmt();
        if self.is_concrete() || !self.is_within_stmt() || is_own && !self.asks_types() {
            return;
        }
        let mut state = state.clone();
        state.decide(Atom::Is(node, kind), true);
        let what = if is_own {
            "the type of an operand that a statement's expression may have"
        } else {
            "the kind of an expression in a statement that is neither int32 nor a truth value"
        };
        self.end(state, Outcome::Unsupported(what.to_owned()), self.line);
    }
}

/// Tests whether expressions in statements may have a type.
fn is_of_stmts(ty: Type) -> bool {
    ty.element() == I32 || ty.is_bool()
}

/// Tests whether a function reads a `type` of anything but the node that it takes and the operands
/// of that node.
fn asks(function: &Function, taken: Option<&str>) -> bool {
    let text = without_comments(&function.text);
    let is_asked = |(at, _): (usize, &str)| {
        let (before, after) = (&text[..at], &text[at + "type".len()..]);
        if before.ends_with(is_letter) || after.starts_with(is_letter) {
            return false;
        }
        let before = before.trim_end();
        if let Some(object) = before.strip_suffix("->") {
            return !taken.is_some_and(|taken| is_name(object, taken));
        }
        let Some(object) = before.strip_suffix('.') else { return before.ends_with("::") };
        let Some(taken) = taken else { return true };
        let node = object.trim_end().trim_end_matches(is_letter).trim_end();
        let is_operand = node.strip_suffix("->").is_some_and(|node| is_name(node, taken));
        !is_operand
    };
    text.match_indices("type").any(is_asked) || names_types(&text)
}

/// The names of types, with the widths that are tried in operands.
const TRIED: [(&str, &[&str]); 5] = [
    ("Int", &["8", "32", "64"]),
    ("UInt", &["1", "8", "32"]),
    ("Float", &["32"]),
    ("BFloat", &[]),
    ("Handle", &[]),
];

/// The functions that make a type of another one.
const MADE: [&str; 4] = ["narrow", "widen", "with_bits", "with_code"];

/// Tests whether a text names a type that is not tried in operands, or makes types of others. An
/// expression of such a type may be compared with an operand.
fn names_types(text: &str) -> bool {
    let is_called = |name: &str| {
        text.match_indices(name).any(|(at, _)| {
            let (before, after) = (&text[..at], text[at + name.len()..].trim_start());
            let Some(given) = after.strip_prefix('(') else { return false };
            let bits = given.split([')', ',']).next().unwrap_or(given).trim();
            let is_tried = TRIED.iter().any(|(of, all)| *of == name && all.contains(&bits));
            !before.ends_with(is_letter) && !is_tried
        })
    };
    let named = TRIED.map(|(name, _)| name);
    text.contains("type_of") || named.into_iter().chain(MADE).any(is_called)
}

/// Tests whether a text ends with a name that is no part of another one, or of a member.
fn is_name(text: &str, name: &str) -> bool {
    let Some(before) = text.trim_end().strip_suffix(name) else { return false };
    let is_part = before.ends_with(is_letter);
    let before = before.trim_end();
    !is_part && !["->", ".", "::"].iter().any(|mark| before.ends_with(mark))
}
