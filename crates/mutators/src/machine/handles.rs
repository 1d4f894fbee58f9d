//! Methods of the compiler's own objects: only their purpose is known.

use halidom_cpp::Sign;
use halidom_rewrites::rules::Fun;

use crate::ir::kinds::Kind;
use crate::ir::node::NodeId;
use crate::ir::state::State;
use crate::ir::value::Val;
use crate::machine::names::Method;
use crate::machine::run::{Machine, Paths};

/// The scope that holds reports on variables.
const REPORTS: &str = "bounds_and_alignment_info";

/// Scopes of variables that are known by their names.
const SCOPES: [&str; 2] = [REPORTS, "var_info"];

/// Sets of conditions that hold in a scope, and of conditions that do not.
const FACTS: [(&str, bool); 2] = [("truths", true), ("falsehoods", false)];

impl Machine<'_> {
    /// Runs a method of one of the compiler's own objects.
    pub(super) fn handle_method(
        &mut self,
        receiver: Val,
        name: Method<'_>,
        templates: &[String],
        arguments: &[Val],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        match (&receiver, name, arguments) {
            // A scope's entry for a variable, looked up by the variable's name.
            (Val::Handle(of), Method::Ref | Method::Get, [key @ Val::Expr(Some(_))])
                if !self.is_concrete() && SCOPES.contains(&of.as_str()) =>
            {
                match Self::variable_named(key, &state) {
                    Some(node) if of == REPORTS => {
                        let info = self.info_of(node, &state);
                        vec![(state, info)]
                    }
                    Some(node) => {
                        let variable = vec![Val::Ptr(Some((node, Kind::Variable)))];
                        self.method(receiver, name, templates, variable, state, line)
                    }
                    None => vec![(state, Val::Handle(format!("{of}.{name}")))],
                }
            }
            (
                Val::Handle(_),
                Method::Ref | Method::Get,
                [Val::Ptr(Some((node, Kind::Variable)))],
            ) => self.about_variable(*node, state),
            // A condition in a set of facts holds, or does not hold, depending on the set.
            (
                Val::Handle(of),
                Method::Count,
                [Val::Expr(Some(node)) | Val::Ptr(Some((node, _)))],
            ) if FACTS.iter().any(|(known, _)| known == of)
                && !self.is_concrete()
                && state.node(*node).ty.is_bool() =>
            {
                let (mut known, other) = self.choose(state);
                let value = self.node_value(*node, &known);
                let holds = FACTS.iter().any(|(facts, holds)| facts == of && *holds);
                let fact = if holds { value } else { self.values.apply(Fun::Not, &[value]) };
                known.facts.push(fact);
                self.truths(vec![known], vec![other])
            }
            // On wholly known IR, no scope holds anything.
            (Val::Handle(_), Method::Contains | Method::Count, [_]) if self.is_concrete() => {
                vec![(state, Val::Bool(self.values.bool(false)))]
            }
            (Val::Handle(_), Method::Contains | Method::Count | Method::Empty, _) => {
                let (holds, fails) = self.choose(state);
                self.truths(vec![holds], vec![fails])
            }
            // Bookkeeping whose contents are not known when the mutator begins.
            (
                Val::Handle(_),
                Method::Push
                | Method::Pop
                | Method::Insert
                | Method::Erase
                | Method::PushBack
                | Method::PopBack
                | Method::Clear,
                _,
            ) => {
                let mut state = state;
                Self::changed_unseen(&mut state);
                vec![(state, Val::Void)]
            }
            // Questions about the compiler's own objects, whose contents are not known.
            (
                Val::Handle(of),
                Method::Begin | Method::End | Method::ElementOf | Method::Length | Method::Size,
                [],
            ) if !self.is_concrete() => {
                vec![(state, Val::Handle(format!("{of}.{name}")))]
            }
            (Val::Handle(of), Method::Defined | Method::SameAs, _) if !self.is_concrete() => {
                let _ = of;
                let (holds, fails) = self.choose(state);
                self.truths(vec![holds], vec![fails])
            }
            (
                Val::Handle(of),
                Method::Get | Method::Ref | Method::At | Method::Find | Method::Back,
                _,
            ) if !self.is_concrete() => {
                vec![(state, Val::Handle(format!("{of}.{name}")))]
            }
            _ => self.unsupported(state, format!("the method {name}"), line),
        }
    }

    /// The entry of a scope for a variable: a replacement of the same type and value, or an
    /// undefined one, together with bounds.
    fn about_variable(&mut self, node: NodeId, state: State) -> Paths<Val> {
        let (mut defined, mut undefined) = self.choose(state);
        let (ty, class) = (defined.node(node).ty, defined.node(node).class);
        let replacement = defined.add(ty, Some(class), None);
        // If the entry is a pair, it holds bounds, and these are true.
        let (low, high) =
            (self.any_number("least", 64, true), self.any_number("greatest", 64, true));
        if let Some(range) = ty.range().filter(|_| !ty.is_bool()) {
            let value = self.node_value(node, &defined);
            let value = self.host_number(value, range, true);
            let above = self.comparison(Sign::Le, low.term, value.term);
            let below = self.comparison(Sign::Le, value.term, high.term);
            for state in [&mut defined, &mut undefined] {
                state.facts.extend([above, below]);
            }
        }
        let object = |value| {
            vec![
                ("replacement".to_owned(), Val::Expr(value)),
                ("first".to_owned(), Val::Int(low)),
                ("second".to_owned(), Val::Int(high)),
            ]
        };
        vec![
            (defined, Val::Object(object(Some(replacement)))),
            (undefined, Val::Object(object(None))),
        ]
    }
}
