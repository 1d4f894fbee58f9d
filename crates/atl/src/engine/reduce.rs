//! Reductions: reads of tensors that are being made at the same place, and guards that always hold.

use std::rc::Rc;

use super::{Change, Given, Path, Refusal, State};
use crate::prover::Goal;
use crate::term::{Index, Loop, Node, Pred, Rank, Reshape, Term, children, rank};

/// The treatment of reads that may be out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doubtful {
    /// Leave them.
    Leave,
    /// Put them under a guard.
    Guard,
}

/// The action at each place.
type Visit<'v, S, T> = &'v mut dyn FnMut(&mut S, &[usize]) -> Result<T, Refusal>;

/// The maximal number of steps, in case the reductions do not end.
const MAX_STEPS: usize = 100_000;

impl State<'_> {
    /// Reduces every read of a comprehension, a sum, a guard, a `let` or a reshape operator.
    /// Returns the number of steps.
    pub(super) fn beta(&mut self, focus: &[usize], doubtful: Doubtful) -> Result<usize, Refusal> {
        let mut count = 0;
        self.bottom_up(focus, &mut |state, path| {
            let before = count;
            while count < MAX_STEPS && state.reduce_read(path, doubtful)? {
                count += 1;
            }
            Ok(count > before)
        })?;
        Ok(count)
    }

    /// Visits every place from the leaves up. A place that changed is visited again, with its
    /// parts.
    fn bottom_up(&mut self, path: &[usize], visit: Visit<'_, Self, bool>) -> Result<(), Refusal> {
        let mut place = 0;
        while place < children(&self.part(path)).len() {
            let mut inner = path.to_vec();
            inner.push(place);
            self.bottom_up(&inner, visit)?;
            place += 1;
        }
        if visit(self, path)? {
            self.bottom_up(path, visit)?;
        }
        Ok(())
    }

    fn reduce_read(&mut self, path: &[usize], doubtful: Doubtful) -> Result<bool, Refusal> {
        let term = self.part(path);
        let Node::Get(tensor, index) = &*term else { return Ok(false) };
        let given = Given::default();
        let rule = match &**tensor {
            Node::Loop(Loop::Gen, _, lo, hi, _) => {
                let in_range =
                    Pred::range(Index::Num(0), index.clone(), crate::context::length(lo, hi));
                let provable =
                    self.engine.prover.holds(&self.context(path), &Goal::Holds(in_range));
                match (provable, *lo == Index::Num(0), doubtful) {
                    (true, true, _) => "get_gen0",
                    (true, false, _) => "get_gen",
                    (false, true, Doubtful::Guard) => "get_gen_guard",
                    (false, _, _) => return Ok(false),
                }
            }
            Node::Loop(Loop::Sum, ..) => "get_sum",
            Node::Add(..) => "get_add",
            Node::Guard(..) => "get_guard",
            Node::Let(..) => "get_let",
            Node::Get(inner, _) => match &**inner {
                Node::Reshape(Reshape::Transpose, ..) => "get_transpose",
                Node::Reshape(..)
                | Node::Var(_)
                | Node::Literal(_)
                | Node::Call(..)
                | Node::Loop(..)
                | Node::Guard(..)
                | Node::Let(..)
                | Node::Get(..)
                | Node::Add(..)
                | Node::Mul(..)
                | Node::Apply(..) => return Ok(false),
            },
            Node::Reshape(op, ..) => {
                let candidates: &[&str] = match op {
                    Reshape::Flatten => &["get_flatten"],
                    Reshape::TruncR => &["get_trunc_r"],
                    Reshape::TruncL => &["get_trunc_l"],
                    Reshape::Concat => &["get_concat_left", "get_concat_right"],
                    Reshape::Split | Reshape::PadR | Reshape::PadL => {
                        let mut inner = path.to_vec();
                        inner.push(0);
                        let rule = format!("{}_unfold", op.name());
                        self.apply(&inner, &rule, false, &given)?;
                        return Ok(true);
                    }
                    Reshape::Transpose => return Ok(false),
                };
                for rule in candidates {
                    if self.apply(path, rule, false, &given).is_ok() {
                        return Ok(true);
                    }
                }
                return Ok(false);
            }
            Node::Var(_) | Node::Literal(_) | Node::Call(..) | Node::Mul(..) | Node::Apply(..) => {
                return Ok(false);
            }
        };
        self.apply(path, rule, false, &given)?;
        Ok(true)
    }

    /// Removes guards that always hold at their place, conjuncts that always hold, and scalars
    /// under guards that never hold. Also simplifies sums and products with the scalar 0. Returns
    /// the number of steps.
    pub(super) fn simplify_guards(&mut self, focus: &[usize]) -> Result<usize, Refusal> {
        let mut count = 0;
        self.top_down(focus, &mut |state, path| {
            while state.simplify_guard(path)? {
                count += 1;
            }
            Ok(())
        })?;
        Ok(count)
    }

    fn top_down(&mut self, path: &[usize], visit: Visit<'_, Self, ()>) -> Result<(), Refusal> {
        visit(self, path)?;
        let mut place = 0;
        while place < children(&self.part(path)).len() {
            let mut inner = path.to_vec();
            inner.push(place);
            self.top_down(&inner, visit)?;
            place += 1;
        }
        Ok(())
    }

    fn simplify_guard(&mut self, path: &[usize]) -> Result<bool, Refusal> {
        let term = self.part(path);
        let given = Given::default();
        let zero = |term: &Term| matches!(&**term, Node::Literal(text) if &**text == "0");
        match &*term {
            Node::Guard(pred, body) => {
                let context = self.context(path);
                let prover = &self.engine.prover;
                if prover.holds(&context, &Goal::Holds(pred.clone())) {
                    self.apply(path, "guard_true", false, &given)?;
                    return Ok(true);
                }
                if rank(body) == Rank::SCALAR && prover.holds(&context, &Goal::Never(pred.clone()))
                {
                    self.apply(path, "guard_false", false, &given)?;
                    return Ok(true);
                }
                let parts = conjuncts(pred);
                let kept: Vec<Pred> = parts
                    .iter()
                    .filter(|part| !prover.holds(&context, &Goal::Holds((*part).clone())))
                    .cloned()
                    .collect();
                if kept.len() < parts.len() {
                    let mut kept = kept.into_iter();
                    let first = kept.next().unwrap_or(Pred::Known(true));
                    let smaller = kept.fold(first, Pred::and);
                    self.apply(path, "guard_change", false, &Given::default().pred("q", smaller))?;
                    return Ok(true);
                }
                Ok(false)
            }
            Node::Add(left, right) if rank(left) == Rank::SCALAR && (zero(left) || zero(right)) => {
                let rule = if zero(left) { "zero_add" } else { "add_zero" };
                self.apply(path, rule, false, &given)?;
                Ok(true)
            }
            Node::Mul(left, right) if zero(left) || zero(right) => {
                let rule = if zero(left) { "zero_mul" } else { "mul_zero" };
                self.apply(path, rule, false, &given)?;
                Ok(true)
            }
            Node::Var(_)
            | Node::Literal(_)
            | Node::Call(..)
            | Node::Loop(..)
            | Node::Let(..)
            | Node::Get(..)
            | Node::Add(..)
            | Node::Mul(..)
            | Node::Reshape(..)
            | Node::Apply(..) => Ok(false),
        }
    }

    /// Merges nested guards into one.
    pub(super) fn merge_guards(&mut self, focus: &[usize]) -> Result<usize, Refusal> {
        let mut count = 0;
        self.top_down(focus, &mut |state, path| {
            while let Node::Guard(_, body) = &*state.part(path)
                && matches!(&**body, Node::Guard(..))
            {
                state.apply(path, "guard_merge", false, &Given::default())?;
                count += 1;
            }
            Ok(())
        })?;
        Ok(count)
    }

    /// Replaces the variable of a `let` by its value.
    pub(super) fn inline(&mut self, path: &Path) -> Result<(), Refusal> {
        self.apply(path, "let_inline", false, &Given::default())
    }

    /// Brings the index of every read into its simplest form. Fails if the two forms cannot be
    /// shown to be equal.
    pub(super) fn tidy_indices(&mut self, focus: &[usize]) -> Result<usize, Refusal> {
        let mut count = 0;
        self.top_down(focus, &mut |state, path| {
            if let Node::Get(_, index) = &*state.part(path) {
                let simple = super::simplest::simplest(index);
                if simple != *index {
                    state.apply(path, "get_change", false, &Given::default().index("b", simple))?;
                    count += 1;
                }
            }
            Ok(())
        })?;
        Ok(count)
    }

    /// The paths of all parts that satisfy a condition.
    pub(super) fn places(
        &self,
        focus: &[usize],
        wanted: &dyn Fn(&Term, &[usize]) -> bool,
    ) -> Vec<Path> {
        fn go(
            term: &Term,
            path: &mut Path,
            wanted: &dyn Fn(&Term, &[usize]) -> bool,
            found: &mut Vec<Path>,
        ) {
            if wanted(term, path) {
                found.push(path.clone());
            }
            for (place, child) in children(term).into_iter().enumerate() {
                path.push(place);
                go(child, path, wanted, found);
                path.pop();
            }
        }
        let mut found = Vec::new();
        go(&self.part(focus), &mut focus.to_vec(), wanted, &mut found);
        found
    }

    /// Wraps the part in focus in `let name = part in …`. Every occurrence of `part` within the
    /// focus becomes `name`.
    pub(super) fn bind(
        &mut self,
        focus: &[usize],
        target: &Path,
        name: &str,
    ) -> Result<(), Refusal> {
        let value = self.part(target);
        let mut captured = None;
        let mut here = self.part(focus);
        for place in &target[focus.len()..] {
            if let Some(var) = crate::term::binder(&here, *place)
                && crate::term::mentions(&value, var)
            {
                captured = Some(var.clone());
            }
            let Some(child) = children(&here).get(*place).map(|child| Rc::clone(child)) else {
                break;
            };
            here = child;
        }
        if let Some(var) = captured {
            return Err(Refusal::new(
                crate::codes::NO_MATCH,
                format!(
                    "`{}` depends on `{var}`, which is not known where `{name}` would be bound",
                    super::shortened(&value)
                ),
            )
            .with_hint(format!(
                "bind it below `{var}`, and move the `let` out with the let rules"
            )));
        }
        let var = self.engine.supply.fresh(name, crate::term::Sort::Tensor(rank(&value)));
        let mut replaced = Vec::new();
        let name = Rc::new(Node::Var(var.clone()));
        let body = replace_all(&self.part(focus), &value, &name, &mut Vec::new(), &mut replaced);
        self.redefine(focus, &Rc::new(Node::Let(var, value, body)), Change::Bound(replaced));
        Ok(())
    }
}

/// The conjuncts of a predicate.
fn conjuncts(pred: &Pred) -> Vec<Pred> {
    match pred {
        Pred::And(both) => {
            let mut all = conjuncts(&both.0);
            all.extend(conjuncts(&both.1));
            all
        }
        Pred::Known(_) | Pred::Compare(..) | Pred::Var(_) => vec![pred.clone()],
    }
}

/// Replaces every occurrence of a term in another, and records their places.
fn replace_all(
    term: &Term,
    old: &Term,
    new: &Term,
    path: &mut Path,
    replaced: &mut Vec<Path>,
) -> Term {
    if crate::term::equal(term, old) {
        replaced.push(path.clone());
        return Rc::clone(new);
    }
    let mut result = Rc::clone(term);
    for (place, child) in children(term).into_iter().enumerate() {
        let captured =
            crate::term::binder(term, place).is_some_and(|var| crate::term::mentions(old, var));
        if !captured {
            path.push(place);
            let child = replace_all(child, old, new, path, replaced);
            path.pop();
            result = crate::term::with_child(&result, place, child);
        }
    }
    result
}

impl State<'_> {
    /// Reduces the reads of a part. Returns the number of steps.
    pub(crate) fn reduce(&mut self, path: &[usize]) -> Result<usize, Refusal> {
        self.beta(path, Doubtful::Leave)
    }

    /// Names a part of a place, with a `let` around that place.
    pub(crate) fn name_part(
        &mut self,
        focus: &Path,
        target: &Path,
        name: &str,
    ) -> Result<(), Refusal> {
        self.bind(focus, target, name)
    }
}
