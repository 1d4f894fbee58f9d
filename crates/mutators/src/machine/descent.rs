//! Termination: the order in which the arguments of `mutate` go down.
//!
//! # Correctness
//!
//! The order on IR is in `order`. A path descends if every node that it mutates or prints is less
//! than its input. A path keeps the order if its result is not greater than its input, where
//! `mutate` of lesser nodes returns nothing greater than them. If all methods of the classes of a
//! pass keep the order (`judge::growth`), then `mutate` returns nothing greater than its argument,
//! by induction over the order. Only then may a path rest on that to show that it descends; such a
//! path is `relying`. If every path of every mutator of a pass descends, the pass ends.

use halidom_cpp::ast::{Expr, ExprKind, Function};

use crate::ir::kinds::Type;
use crate::ir::node::NodeId;
use crate::ir::record::Open;
use crate::ir::show::text;
use crate::ir::state::State;
use crate::ir::value::{Place, Val};
use crate::machine::order::{Rests, is_less};
use crate::machine::program::{Program, ancestors, called};
use crate::machine::run::{Machine, Outcome, Paths};

impl<'p> Machine<'p> {
    /// Records that a node is mutated, unless it is less than the input, which is the first node.
    pub(crate) fn descend(&self, node: NodeId, state: &mut State, line: usize) {
        if self.is_concrete() || state.unfounded.is_some() {
            return;
        }
        match is_less(node, 0, state, self.mode.is_emitter()) {
            Some(Rests::OnNothing) => {}
            Some(Rests::OnResults) => state.relying = state.relying.or(Some(line)),
            None => state.unfounded = Some(line),
        }
    }

    /// Records that an analysis runs mutators. They may call it again, on anything.
    pub(crate) fn runs_mutators(&self, state: &mut State, line: usize) {
        if self.is_analysis && !self.is_concrete() {
            state.unfounded = state.unfounded.or(Some(line));
        }
    }

    /// `mutate` by the pass itself: the node must be less than the input, and the result is not
    /// greater than the node.
    pub(crate) fn mutate_below(&mut self, node: NodeId, state: State, line: usize) -> Paths<Val> {
        let mut state = state;
        self.descend(node, &mut state, line);
        let mut paths = self.mutate_or_vanish(node, state, line);
        if !self.is_concrete() {
            for (state, value) in &mut paths {
                if let Val::Expr(Some(result)) = value {
                    state.shrunk.push((node, *result));
                }
            }
        }
        paths
    }

    /// `IRMutator::mutate(e)` in a `mutate` of the class: runs the method `visit` for the kind of
    /// node, whose operands go down. So the node itself may be given on, or anything less.
    pub(crate) fn mutate_by_base(&mut self, value: &Val, state: State, line: usize) -> Paths<Val> {
        match Self::loaded(value.clone(), &state) {
            Val::Expr(None) => vec![(state, Val::Expr(None))],
            Val::Expr(Some(node)) | Val::Ptr(Some((node, _))) => {
                if let Some(visits) = &mut self.visits {
                    visits.is_by_base = true;
                    return self.mutate(node, state, line);
                }
                if state.find(node) != state.find(0) {
                    return self.mutate_below(node, state, line);
                }
                let mut paths = self.mutate_or_vanish(node, state, line);
                if !self.is_concrete() {
                    for (state, value) in &mut paths {
                        if let Val::Expr(Some(result)) = value {
                            state.shrunk.push((node, *result));
                        }
                    }
                }
                paths
            }
            _ => self.unsupported(state, "mutate of something else", line),
        }
    }

    /// `e.accept(this)` in a `mutate` of the class: runs the method `visit`, which leaves its
    /// result in a member.
    pub(crate) fn accept_this(
        &mut self,
        object: &'p Expr,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let mut paths = Vec::new();
        for (state, value) in self.eval(object, state) {
            if Self::loaded(value.clone(), &state) == Val::Expr(None) {
                let what = "accept of an undefined Expr".to_owned();
                self.end(state, Outcome::Crash(what), line);
                continue;
            }
            for (mut state, result) in self.mutate_by_base(&value, state, line) {
                let is_stmt = matches!(&result, Val::Expr(Some(node))
                    if state.node(*node).ty == Type::STMT);
                let member = if is_stmt { "stmt" } else { "expr" };
                self.store(&Place::Member(member.to_owned()), result, &mut state);
                paths.push((state, Val::Void));
            }
        }
        paths
    }

    /// Tests whether the class whose method runs is the one that `simplify` runs.
    pub(crate) fn is_simplifier(&self) -> bool {
        self.classes_of(&self.class).iter().any(|class| class == "Simplify")
    }

    /// Begins to mutate a node of wholly known IR; false if the same node is already being mutated
    /// by the same object, so that the compiler does not end.
    pub(crate) fn enter(&mut self, node: NodeId, state: &State, line: usize) -> bool {
        let slots = state.members.iter();
        let members: Vec<(String, Val)> =
            slots.map(|slot| (slot.name.clone(), slot.value.clone())).collect();
        let is_it = |open: &Open| open.members == members && state.is_same(open.node, node);
        if let Some(first) = self.open.iter().position(is_it) {
            let shown = |open: &Open| text(state, &self.values, open.node);
            let mut cycle: Vec<String> = self.open[first..].iter().map(shown).collect();
            cycle.push(text(state, &self.values, node));
            let outcome = Outcome::Endless(cycle.join(" => "));
            self.end(state.clone(), outcome, line);
            return false;
        }
        self.open.push(Open { node, members });
        true
    }

    /// Notes that the examined method begins.
    pub(crate) fn begin_method(&mut self) {
        self.around = self.open.len();
    }

    /// Tests whether the examined method runs, and not the method of an operand.
    pub(super) fn is_at_method(&self) -> bool {
        self.open.len() <= self.around
    }

    /// Ends what `enter` began.
    pub(crate) fn leave(&mut self) {
        self.open.pop();
    }
}

/// Returns the functions of the classes that share a base with a class, and the functions that they
/// may call.
pub(crate) fn of_pass<'p>(program: &'p Program, class: &str) -> Vec<&'p Function> {
    let of = ancestors(program, class);
    let is_of = |function: &&Function| {
        ancestors(program, &function.class).iter().any(|other| of.contains(other))
    };
    let methods: Vec<&Function> = program.functions.iter().filter(is_of).collect();
    called(program, methods)
}

/// Tests whether the files declare a class and all its bases but the roots, so that its methods are
/// known.
pub(crate) fn is_declared(program: &Program, class: &str) -> bool {
    let is_known = |class: &String| program.classes.iter().any(|known| known.name == *class);
    !class.is_empty() && ancestors(program, class).iter().all(is_known)
}

/// Tests whether a function may mutate anything but a part of its first parameter, as far as its
/// text shows.
pub(crate) fn mutates_anew(function: &Function) -> bool {
    let first = function.parameters.first().map_or("", |first| first.name.as_str());
    let mut is_anew = false;
    function.visit(&mut |expr| match &expr.kind {
        ExprKind::Call { callee, arguments, .. } => {
            let name = match &callee.kind {
                ExprKind::Name(name) => name.as_str(),
                ExprKind::Member { name, .. } => name.as_str(),
                _ => "",
            };
            let is_mutated = name.to_lowercase().contains("mutate") || name == "simplify";
            if let Some(argument) = arguments.first()
                && is_mutated
            {
                is_anew |= !is_part(argument, first);
            }
            if name.ends_with("::visit") {
                let is_it = |argument: &Expr| argument.kind == ExprKind::Name(first.to_owned());
                is_anew |= !arguments.first().is_some_and(is_it);
            }
        }
        ExprKind::Assign(_, place, _) => {
            is_anew |= place.kind == ExprKind::Name(first.to_owned());
        }
        ExprKind::Lambda(_) | ExprKind::Other(_) => is_anew = true,
        _ => {}
    });
    is_anew
}

/// Tests whether an expression is a part of the node that a pointer of a name points to.
fn is_part(expr: &Expr, name: &str) -> bool {
    match &expr.kind {
        ExprKind::Member { object, arrow: true, .. } => {
            object.kind == ExprKind::Name(name.to_owned())
        }
        ExprKind::Index(list, _) => is_part(list, name),
        _ => false,
    }
}
