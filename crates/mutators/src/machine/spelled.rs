//! Names as texts, on wholly known IR whose names are spelled, and objects of visitors there.
//!
//! # Correctness
//!
//! Nothing is proved here: such a run may only show a defect. Each text has one name, so names that
//! the compiler makes are those of the input if their texts are equal. The functions on texts are
//! those of `Util.cpp`. An array of texts is read only if no function may change it. An object of a
//! visitor has the members that its constructor gives it.

use halidom_cpp::ast::{Class, Expr, ExprKind, Function};

use crate::ir::kinds::Type;
use crate::ir::state::State;
use crate::ir::value::{Piece, Val};
use crate::machine::run::{Machine, Paths};
use crate::machine::types::is_map_type;

impl<'p> Machine<'p> {
    /// The text of a value, if names are spelled in this run.
    pub(crate) fn spelling(&self, value: &Val, state: &State) -> Option<String> {
        match value {
            Val::Text(text) if self.spells && !text.contains('\\') => Some(text.clone()),
            Val::Expr(Some(node)) if self.spells && state.node(*node).ty == Type::NAME => {
                state.spelling(*node)
            }
            _ => None,
        }
    }

    /// A text as a value.
    fn spelled(text: &str, state: &mut State) -> Val {
        Val::Expr(Some(state.spelled(text)))
    }

    /// The texts of two values joined.
    pub(crate) fn joined_texts(&self, a: &Val, b: &Val, state: &mut State) -> Option<Val> {
        let text = self.spelling(a, state)? + &self.spelling(b, state)?;
        Some(Self::spelled(&text, state))
    }

    /// The text that a stream holds, if it is known.
    pub(crate) fn text_of_stream(&self, pieces: &[Piece], state: &mut State) -> Option<Val> {
        if !self.spells {
            return None;
        }
        let mut all = String::new();
        for piece in pieces {
            match piece {
                Piece::Name(name) => all.push_str(&state.spelling(*name)?),
                Piece::Text(text) if !text.contains('\\') => all.push_str(text),
                Piece::Num(num) if num.bits > 8 => {
                    all.push_str(&self.values.as_number(num.term)?.to_string());
                }
                Piece::Num(_)
                | Piece::Text(_)
                | Piece::Real(..)
                | Piece::Bits(_)
                | Piece::Node(_)
                | Piece::Printed(_)
                | Piece::Type(_)
                | Piece::Stmt(_)
                | Piece::Eval(..) => return None,
            }
        }
        Some(Self::spelled(&all, state))
    }

    /// A call of a function on texts; `None` for other functions.
    pub(super) fn text_function(
        &mut self,
        name: &str,
        arguments: &[Val],
        state: &State,
    ) -> Option<Paths<Val>> {
        let [text, part] = arguments else { return None };
        let (text, part) = (self.spelling(text, state)?, self.spelling(part, state)?);
        let mut state = state.clone();
        let value = match name {
            "starts_with" => Val::Bool(self.values.bool(text.starts_with(&part))),
            "ends_with" => Val::Bool(self.values.bool(text.ends_with(&part))),
            "split_string" if !part.is_empty() => {
                let parts = text.split(&part).map(|part| Self::spelled(part, &mut state));
                Val::List(parts.collect())
            }
            _ => return None,
        };
        Some(vec![(state, value)])
    }

    /// The texts of an array that a file declares and no function changes.
    fn array_of_texts(&self, name: &str, state: &State) -> Option<&'p [String]> {
        let program: &'p crate::machine::program::Program = self.program;
        let mut known = program.texts.iter().filter(|(known, _)| known == name);
        let (Some((_, texts)), None) = (known.next(), known.next()) else { return None };
        let names_it = |expr: &Expr| matches!(&expr.kind, ExprKind::Name(of) if of == name);
        let is_element = |expr: &Expr| matches!(&expr.kind, ExprKind::Index(of, _) if names_it(of));
        let only_reads = |function: &Function| {
            let (mut names, mut elements, mut is_changed) = (0, 0, false);
            function.visit(&mut |part| {
                names += usize::from(names_it(part));
                elements += usize::from(is_element(part));
                is_changed |= match &part.kind {
                    ExprKind::Assign(_, place, _)
                    | ExprKind::Prefix(_, place)
                    | ExprKind::Postfix(_, place) => is_element(place),
                    ExprKind::Member { object, .. } => is_element(object),
                    ExprKind::Call { arguments, .. } => arguments.iter().any(is_element),
                    ExprKind::Other(_) | ExprKind::Lambda(_) => true,
                    _ => false,
                };
            });
            names == 0 || names == elements && !is_changed
        };
        let is_only = program.others.iter().filter(|other| *other == name).count() == 1
            && !self.may_mean_another(name, state)
            && program.functions.iter().all(only_reads);
        is_only.then_some(texts.as_slice())
    }

    /// An element of an array of texts; `None` for other arrays.
    pub(super) fn text_at(
        &mut self,
        array: &Expr,
        index: &'p Expr,
        state: &State,
        line: usize,
    ) -> Option<Paths<Val>> {
        let ExprKind::Name(name) = &array.kind else { return None };
        let texts = self.array_of_texts(name, state).filter(|_| self.spells)?;
        let mut paths = Vec::new();
        for (mut state, index) in self.eval(index, state.clone()) {
            let number = match index {
                Val::Int(num) => self.values.as_number(num.term),
                _ => None,
            };
            let number = number.and_then(|number| usize::try_from(number).ok());
            match number.and_then(|number| texts.get(number)) {
                Some(text) => {
                    let value = Self::spelled(text, &mut state);
                    paths.push((state, value));
                }
                None => paths.extend(self.unsupported(state, "an index beyond an array", line)),
            }
        }
        Some(paths)
    }

    /// Makes an object of a visitor with the members that its constructor gives it; `None` if they
    /// are not known.
    pub(super) fn live_object(
        &mut self,
        class: &Class,
        values: &[Val],
        state: &State,
    ) -> Option<Val> {
        let program: &'p crate::machine::program::Program = self.program;
        let own = |of: &&Function| of.class == class.name && of.name == class.name;
        let all: Vec<&Function> = program.functions.iter().filter(own).collect();
        let fits = |of: &&Function| of.parameters.len() == values.len();
        let fitting: Vec<&Function> = all.iter().copied().filter(|of| fits(of)).collect();
        let constructor = match fitting.as_slice() {
            [] if all.is_empty() && values.is_empty() => None,
            [one] if one.body.is_empty() => Some(*one),
            _ => return None,
        };
        if !class.bases.iter().all(|base| base.ends_with("IRVisitor")) {
            return None;
        }
        let mut members = Vec::new();
        for field in &class.fields {
            let given = constructor.and_then(|one| {
                let mut all = one.initializers.iter();
                all.find(|(name, _)| *name == field.name).map(|(_, given)| given.as_slice())
            });
            let given = match (given, &field.value) {
                (Some([one]), _) => Some(one),
                (Some(_), _) => return None,
                (None, value) => value.as_ref(),
            };
            let value = match given.map(|given| &given.kind) {
                Some(ExprKind::Name(name)) => {
                    let mut parameters = constructor?.parameters.iter();
                    let index = parameters.position(|parameter| parameter.name == *name)?;
                    Self::loaded(values[index].clone(), state)
                }
                Some(ExprKind::Integer(value, _)) if field.ty == "int" => {
                    Val::Int(self.number(*value, 32, true))
                }
                Some(ExprKind::Bool(value)) if field.ty == "bool" => {
                    Val::Bool(self.values.bool(*value))
                }
                Some(ExprKind::Text(text)) => Val::Text(text.clone()),
                Some(_) => return None,
                None if is_map_type(&field.ty) => Val::Map(Vec::new()),
                None => Val::Unknown,
            };
            members.push((field.name.clone(), value));
        }
        Some(Val::Object(members))
    }
}
