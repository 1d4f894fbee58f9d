//! Loops over a vector from its last element to its first, by reverse iterators.

use halidom_cpp::Sign;
use halidom_cpp::ast::{Expr, ExprKind, Stmt, StmtKind};

use crate::ir::state::{Slot, State};
use crate::ir::value::{Place, Val};
use crate::machine::run::{Flow, Machine, Paths};

/// The vector and the iterator of `for (auto i = v.rbegin(); i != v.rend(); i++)`, if the body uses
/// the iterator only to name members of its element, and does not mention the vector.
fn reversed<'p>(
    first: Option<&'p Stmt>,
    condition: Option<&Expr>,
    step: Option<&Expr>,
    body: &Stmt,
) -> Option<(&'p str, &'p str)> {
    let StmtKind::Declare(declared) = &first?.kind else { return None };
    let [declared] = declared.as_slice() else { return None };
    let list = called(declared.value.as_ref()?, "rbegin")?;
    let name = declared.name.as_str();
    let is_it = |expr: &Expr| expr.kind == ExprKind::Name(name.to_owned());
    let ExprKind::Binary(Sign::Ne, lhs, rhs) = &condition?.kind else { return None };
    let (ExprKind::Prefix(Sign::Increment, stepped) | ExprKind::Postfix(Sign::Increment, stepped)) =
        &step?.kind
    else {
        return None;
    };
    if declared.ty != "auto" || !is_it(lhs) || called(rhs, "rend") != Some(list) || !is_it(stepped)
    {
        return None;
    }
    let (mut mentioned, mut followed, mut is_other) = (0, 0, false);
    body.visit(&mut |part| match &part.kind {
        ExprKind::Name(other) => {
            mentioned += usize::from(other == name);
            is_other |= other == list;
        }
        ExprKind::Member { object, arrow: true, .. } => followed += usize::from(is_it(object)),
        ExprKind::Lambda(_) | ExprKind::Other(_) => is_other = true,
        _ => {}
    });
    (mentioned == followed && !is_other).then_some((list, name))
}

/// The variable whose method, which has no arguments, is called.
fn called<'p>(expr: &'p Expr, method: &str) -> Option<&'p str> {
    let ExprKind::Call { callee, arguments, .. } = &expr.kind else { return None };
    match &callee.kind {
        ExprKind::Member { object, name, arrow: false }
            if name == method && arguments.is_empty() =>
        {
            match &object.kind {
                ExprKind::Name(of) => Some(of),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Tests whether a place holds a vector with this number of elements.
pub(super) fn has_length(place: &Place, length: usize, state: &State) -> bool {
    Machine::load(place, state)
        .is_some_and(|slot| matches!(slot.value, Val::List(values) if values.len() == length))
}

impl<'p> Machine<'p> {
    /// Runs a loop over a vector backwards; `None` for any other loop.
    pub(super) fn backwards(
        &mut self,
        first: Option<&'p Stmt>,
        [condition, step]: [Option<&Expr>; 2],
        body: &'p Stmt,
        state: &State,
    ) -> Option<Paths<Flow>> {
        let (list, name) = reversed(first, condition, step, body)?;
        let place = Self::find_variable(list, state)?;
        let Val::List(values) = Self::load(&place, state)?.value else { return None };
        let mut done = Vec::new();
        let mut running = vec![state.clone()];
        for index in (0..values.len()).rev() {
            let element = Place::Part(Box::new(place.clone()), index.to_string());
            let mut next = Vec::new();
            for mut state in running {
                let depth = state.depth();
                let value = Val::Address(element.clone());
                state.frame().push(Slot { name: name.to_owned(), ty: "auto".to_owned(), value });
                for (mut state, flow) in self.block(std::slice::from_ref(body), state) {
                    state.leave(depth);
                    // Another name for the vector may have been used, which ends the iterators.
                    if !has_length(&place, values.len(), &state) {
                        self.unsupported::<Flow>(
                            state,
                            "a vector that its loop changes",
                            body.line,
                        );
                        continue;
                    }
                    match flow {
                        Flow::Next | Flow::Continue => next.push(state),
                        Flow::Break => done.push((state, Flow::Next)),
                        Flow::Return(_) => done.push((state, flow)),
                    }
                }
            }
            running = next;
        }
        done.extend(running.into_iter().map(|state| (state, Flow::Next)));
        Some(done)
    }
}
