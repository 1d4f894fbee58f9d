//! Names that a class of renaming makes of texts, by a stream of strings.
//!
//! # Correctness
//!
//! A name that extends a name of the input by a text is one that the input does not have, as for
//! `name + "text"`. On wholly known IR, equal texts are one name.

use crate::ir::state::State;
use crate::ir::value::{Piece, Val};
use crate::machine::contracts::renames;
use crate::machine::run::Machine;

impl Machine<'_> {
    /// Tests whether the class that runs makes names of texts: names are spelled, or it states that
    /// it renames.
    pub(crate) fn makes_names(&self) -> bool {
        self.spells || !self.mode.is_emitter() && renames(&self.class)
    }

    /// A value as a part of a name. Something unknown is any text.
    pub(crate) fn in_a_name(&mut self, value: Val, state: &mut State) -> Val {
        if matches!(value, Val::Handle(_)) && !self.is_concrete() && self.makes_names() {
            return Val::Expr(Some(self.fresh_node_name(state)));
        }
        value
    }

    /// The name or the text that a stream holds.
    pub(super) fn name_of_text(&mut self, pieces: &[Piece], state: &mut State) -> Val {
        if let Some(text) = self.text_of_stream(pieces, state) {
            return text;
        }
        let (mut name, mut text, mut is_known) = (None, String::new(), true);
        for piece in pieces {
            match piece {
                Piece::Name(first) | Piece::Printed(first) if name.is_none() && text.is_empty() => {
                    name = Some(*first);
                }
                Piece::Text(more) => text.push_str(more),
                // The narrow types are characters.
                Piece::Num(num) => match self.values.as_number(num.term) {
                    Some(number) if num.bits > 8 => text.push_str(&number.to_string()),
                    _ => is_known = false,
                },
                Piece::Name(_)
                | Piece::Printed(_)
                | Piece::Real(..)
                | Piece::Bits(_)
                | Piece::Node(_)
                | Piece::Type(_)
                | Piece::Stmt(_)
                | Piece::Eval(..) => is_known = false,
            }
        }
        let Some(name) = name.filter(|_| is_known) else {
            return match (is_known, self.is_concrete()) {
                (true, _) => Val::Text(text),
                (false, true) => Val::Unknown,
                (false, false) => Val::Expr(Some(self.fresh_node_name(state))),
            };
        };
        if text.is_empty() {
            return Val::Expr(Some(name));
        }
        let (first, second) = match state.parts_of_name(name) {
            Some((first, Val::Text(begin))) => (first.clone(), Val::Text(begin.clone() + &text)),
            _ => (Val::Expr(Some(name)), Val::Text(text)),
        };
        if let Some(known) = state.compound(&first, &second) {
            return Val::Expr(Some(known));
        }
        let made = self.fresh_node_name(state);
        state.keep_compound(&first, &second, made);
        Val::Expr(Some(made))
    }
}
