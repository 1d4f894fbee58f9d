//! Evaluates the terms of contracts.

use halidom_rewrites::rules::{Fun, ValueId};

use crate::ir::state::State;
use crate::ir::value::Val;
use crate::machine::api::{Call, Item};
use crate::machine::language::{Op, Term, Word};
use crate::machine::run::{Machine, Paths};

impl Machine<'_> {
    /// Evaluates a term that operators alone compute; `None` if an operator is not defined on its
    /// operands.
    pub(super) fn computed(&mut self, term: &Term, call: &Call<'_>, state: &State) -> Option<Item> {
        match term {
            Term::Number(value) => Some(Item::Whole(*value)),
            Term::Text(text) => Some(Item::Val(Val::Text((*text).to_owned()))),
            Term::Name(name) => call.get(name).cloned(),
            Term::Word(word) => self.word(*word),
            Term::Apply(op, operands) => match (op, operands.as_slice()) {
                (Op::And | Op::Or, [a, b]) => self.connective(*op, a, b, call, state),
                (Op::If, [condition, then, otherwise]) => {
                    let condition = self.condition_of(condition, call, state)?;
                    match self.values.as_number(condition) {
                        Some(0) => self.computed(otherwise, call, state),
                        Some(_) => self.computed(then, call, state),
                        None => None,
                    }
                }
                _ => {
                    let items = operands.iter().map(|operand| self.computed(operand, call, state));
                    let items = items.collect::<Option<Vec<_>>>()?;
                    self.applied(*op, &items, state)
                }
            },
            Term::Run(..)
            | Term::Literal { .. }
            | Term::Some { .. }
            | Term::Match { .. }
            | Term::Object(_) => None,
        }
    }

    /// Evaluates `and` and `or`. The second operand counts only where the first does not decide.
    fn connective(
        &mut self,
        op: Op,
        a: &Term,
        b: &Term,
        call: &Call<'_>,
        state: &State,
    ) -> Option<Item> {
        let a = self.condition_of(a, call, state)?;
        let decides = i128::from(op == Op::Or);
        if self.values.as_number(a) == Some(decides) {
            return Some(Item::Val(Val::Bool(a)));
        }
        let b = self.condition_of(b, call, state)?;
        let fun = if op == Op::And { Fun::And } else { Fun::Or };
        Some(Item::Val(Val::Bool(self.values.apply(fun, &[a, b]))))
    }

    /// Evaluates a condition.
    pub(super) fn condition_of(
        &mut self,
        term: &Term,
        call: &Call<'_>,
        state: &State,
    ) -> Option<ValueId> {
        match self.computed(term, call, state)? {
            Item::Val(Val::Bool(truth)) => Some(truth),
            Item::Val(_) | Item::Lane(_) | Item::Whole(_) => None,
        }
    }

    /// Tests whether a condition is known to hold.
    pub(super) fn is_known(&mut self, condition: &Term, call: &Call<'_>, state: &State) -> bool {
        let truth = self.condition_of(condition, call, state);
        truth.is_some_and(|truth| self.values.as_number(truth) == Some(1))
    }

    fn word(&mut self, word: Word) -> Option<Item> {
        Some(Item::Val(match word {
            Word::Truth(value) => Val::Bool(self.values.bool(value)),
            Word::Null => Val::Expr(None),
            Word::Void => Val::Void,
            Word::Report => Val::info(),
            Word::Unknown => Val::Handle(self.fresh_name("unknown")),
            Word::Symbolic => Val::Bool(self.values.bool(!self.is_concrete())),
            Word::Code(code) => Val::Code(code),
            Word::Any | Word::Kind(_) => return None,
        }))
    }

    /// Evaluates a term.
    pub(super) fn evaluated(
        &mut self,
        term: &Term,
        call: &mut Call<'_>,
        state: State,
    ) -> Paths<Item> {
        if term.is_pure() {
            return match self.computed(term, call, &state) {
                Some(item) => vec![(state, item)],
                None => self.misfit(call, state),
            };
        }
        match term {
            Term::Word(_) => {
                let (holds, fails) = self.choose(state);
                items(self.truths(vec![holds], vec![fails]))
            }
            Term::Apply(op, operands) => self.branched(*op, operands, call, state),
            Term::Run(primitive, operands) => self.primitive(*primitive, operands, call, state),
            Term::Literal { name, of, test, ramp } => {
                let Some(Item::Val(Val::Expr(Some(node)))) = self.computed(of, call, &state) else {
                    return self.misfit(call, state);
                };
                let mut is_defined = true;
                let mut asked = |machine: &mut Self, state: &State, number, is_ramp: bool| {
                    let test = ramp.as_ref().filter(|_| is_ramp).unwrap_or(test);
                    call.names.push((name, Item::Lane(number)));
                    let truth = machine.condition_of(test, call, state);
                    call.names.pop();
                    is_defined &= truth.is_some();
                    truth.unwrap_or_else(|| machine.values.bool(false))
                };
                let paths = if ramp.is_some() {
                    self.ramp_test(node, state, &mut asked)
                } else {
                    self.literal_test(node, state, &mut |machine, state, number| {
                        asked(machine, state, number, false)
                    })
                };
                if is_defined {
                    return items(paths);
                }
                paths.into_iter().flat_map(|(state, _)| self.misfit(call, state)).collect()
            }
            Term::Some { name, range, test, set } => {
                let (place, value) = set;
                let mut paths = Vec::new();
                for number in range.0..=range.1 {
                    call.names.push((name, Item::Whole(number)));
                    for (state, item) in self.evaluated(test, call, state.clone()) {
                        let holds = match item {
                            Item::Val(Val::Bool(truth)) => self.values.as_number(truth) == Some(1),
                            Item::Val(_) | Item::Lane(_) | Item::Whole(_) => false,
                        };
                        if holds {
                            paths.extend(self.assigned(place, value, call, state));
                        }
                    }
                    call.names.pop();
                }
                if !self.is_concrete() || paths.is_empty() {
                    let fails = if self.is_concrete() { state } else { self.choose(state).1 };
                    paths.push((fails, Item::Val(Val::Bool(self.values.bool(false)))));
                }
                paths
            }
            Term::Match { names, body } => self.matched(*names, body, call, state),
            Term::Object(members) => {
                let mut paths = vec![(state, Vec::new())];
                for (name, member) in members {
                    let mut next = Vec::new();
                    for (state, known) in paths {
                        for (state, item) in self.evaluated(member, call, state) {
                            let Some(value) = self.as_value(item) else {
                                next.extend(self.misfit(call, state));
                                continue;
                            };
                            let mut known = known.clone();
                            known.push(((*name).to_owned(), value));
                            next.push((state, known));
                        }
                    }
                    paths = next;
                }
                let object = |(state, members)| (state, Item::Val(Val::Object(members)));
                paths.into_iter().map(object).collect()
            }
            Term::Number(_) | Term::Text(_) | Term::Name(_) => self.misfit(call, state),
        }
    }

    /// Sets a variable of the caller. The result is `true`.
    fn assigned(
        &mut self,
        place: &Term,
        value: &Term,
        call: &Call<'_>,
        mut state: State,
    ) -> Paths<Item> {
        let place = self.computed(place, call, &state);
        let value = self.computed(value, call, &state).and_then(|item| self.as_value(item));
        let (Some(Item::Val(Val::Address(place))), Some(value)) = (place, value) else {
            return self.misfit(call, state);
        };
        self.store_exactly(&place, value, &mut state);
        vec![(state, Item::Val(Val::Bool(self.values.bool(true))))]
    }

    /// Evaluates an operator with operands that may fork the path.
    fn branched(
        &mut self,
        op: Op,
        operands: &[Term],
        call: &mut Call<'_>,
        state: State,
    ) -> Paths<Item> {
        let mut paths = Vec::new();
        match (op, operands) {
            (Op::If, [condition, then, otherwise]) => {
                for (state, item) in self.evaluated(condition, call, state) {
                    let Item::Val(Val::Bool(truth)) = item else {
                        paths.extend(self.misfit(call, state));
                        continue;
                    };
                    let (holds, fails) = self.fork(truth, state);
                    for state in holds {
                        paths.extend(self.evaluated(then, call, state));
                    }
                    for state in fails {
                        paths.extend(self.evaluated(otherwise, call, state));
                    }
                }
                paths
            }
            (Op::And | Op::Or, [a, b]) => {
                let decides = self.values.bool(op == Op::Or);
                for (state, item) in self.evaluated(a, call, state) {
                    let Item::Val(Val::Bool(truth)) = item else {
                        paths.extend(self.misfit(call, state));
                        continue;
                    };
                    let (holds, fails) = self.fork(truth, state);
                    let (decided, open) =
                        if op == Op::Or { (holds, fails) } else { (fails, holds) };
                    let decided = decided.into_iter();
                    paths.extend(decided.map(|state| (state, Item::Val(Val::Bool(decides)))));
                    for state in open {
                        paths.extend(self.evaluated(b, call, state));
                    }
                }
                paths
            }
            _ => {
                for (state, items) in self.operands(operands, call, state) {
                    match self.applied(op, &items, &state) {
                        Some(item) => paths.push((state, item)),
                        None => paths.extend(self.misfit(call, state)),
                    }
                }
                paths
            }
        }
    }

    /// Evaluates operands from left to right.
    pub(super) fn operands(
        &mut self,
        operands: &[Term],
        call: &mut Call<'_>,
        state: State,
    ) -> Paths<Vec<Item>> {
        let mut paths = vec![(state, Vec::new())];
        for operand in operands {
            let mut next = Vec::new();
            for (state, known) in paths {
                for (state, item) in self.evaluated(operand, call, state) {
                    let mut known = known.clone();
                    known.push(item);
                    next.push((state, known));
                }
            }
            paths = next;
        }
        paths
    }
}

/// Values as items.
pub(super) fn items(paths: Paths<Val>) -> Paths<Item> {
    paths.into_iter().map(|(state, value)| (state, Item::Val(value))).collect()
}
