//! Steps that show upper bounds.

use halidom_base::{FxHashMap, FxHashSet};

use super::parts::{Factor, Part};
use super::terms::dividend_by_number;
use super::upper::{Bounds, Why};
use crate::obligation::natural::Natural;
use crate::space::{Atom, AtomId, PolyId, Space};

/// A proof in the making.
pub(super) struct Proof<'b> {
    bounds: &'b Bounds,
    pub(super) steps: Vec<Natural>,
    shown: FxHashSet<PolyId>,
    /// The distances of nodes that are shown.
    nodes: FxHashMap<usize, PolyId>,
}

/// A product of integers that are shown to be at least 0, with a coefficient.
pub(super) type Product = (i128, Vec<PolyId>);

impl<'b> Proof<'b> {
    pub(super) fn new(bounds: &'b Bounds) -> Self {
        let (shown, nodes) = (FxHashSet::default(), FxHashMap::default());
        Self { bounds, steps: Vec::new(), shown, nodes }
    }

    /// Shows `end - of` for a node, where the parts are the distance from its bound to the end.
    /// Returns `None` if that is not the distance.
    pub(super) fn end(
        &mut self,
        space: &Space,
        node: usize,
        end: i128,
        parts: &[Part],
    ) -> Option<PolyId> {
        let mut products = Vec::new();
        self.node_parts(space, node, &mut products)?;
        self.parts(space, parts, &mut products)?;
        let goal = space.sub(space.constant(end), self.bounds.nodes[node].of);
        self.sum(space, goal, 1, products)?;
        Some(goal)
    }

    /// Adds a step, unless the integer is shown.
    pub(super) fn leaf(&mut self, poly: PolyId, step: Natural) -> PolyId {
        if self.shown.insert(poly) {
            self.steps.push(step);
        }
        poly
    }

    /// Shows an integer that is, `times` times, the sum of the products, of products of natural
    /// symbols, and of a number.
    pub(super) fn sum(
        &mut self,
        space: &Space,
        goal: PolyId,
        times: i128,
        mut products: Vec<Product>,
    ) -> Option<()> {
        if self.shown.contains(&goal) {
            return Some(());
        }
        let mut rest = space.scale(goal, times);
        for (coefficient, factors) in &products {
            let mut product = space.constant(*coefficient);
            for factor in factors {
                product = space.mul(product, *factor);
            }
            rest = space.sub(rest, product);
        }
        for (monomial, coefficient) in space.poly(rest).0.clone() {
            if monomial.is_empty() {
                if coefficient <= -times {
                    return None;
                }
                continue;
            }
            if coefficient < 0 {
                return None;
            }
            let mut factors = Vec::new();
            for atom in monomial {
                factors.push(self.natural(space, atom)?);
            }
            products.push((coefficient, factors));
        }
        self.shown.insert(goal);
        self.steps.push(Natural::Sum(goal, times, products));
        Some(())
    }

    /// Shows that an atom is at least 0.
    fn natural(&mut self, space: &Space, atom: AtomId) -> Option<PolyId> {
        let this = space.atom_poly(atom);
        if self.shown.contains(&this) {
            return Some(this);
        }
        let Atom::Symbol(symbol) = *space.atom(atom) else {
            return self.natural_term(space, atom);
        };
        if !self.bounds.is_natural(space, atom) {
            return None;
        }
        match self.bounds.low_of(symbol) {
            _ if space.lane_count(symbol).is_some() => {
                self.leaf(this, Natural::Range(atom));
            }
            Some(low) if low > 0 => {
                let above = space.offset(this, -low);
                self.leaf(above, Natural::Fact(above));
                self.sum(space, this, 1, vec![(1, vec![above])])?;
            }
            Some(_) | None => {
                self.leaf(this, Natural::Fact(this));
            }
        }
        Some(this)
    }

    /// Shows that an atom that is no symbol is at least 0.
    fn natural_term(&mut self, space: &Space, atom: AtomId) -> Option<PolyId> {
        let this = space.atom_poly(atom);
        let above = self.node(space, *self.bounds.naturals.get(&atom)?)?;
        let Some(dividend) = dividend_by_number(space, atom) else {
            self.sum(space, this, 1, vec![(1, vec![above])])?;
            return Some(this);
        };
        // `p >= 0` for the dividend `p`, and `m·q >= p - (m - 1)` for the quotient `q` by `m`.
        let Atom::Div(_, divisor) = *space.atom(atom) else { return None };
        let number = space.as_constant(divisor)?;
        self.sum(space, dividend, 1, vec![(1, vec![above])])?;
        let rest = space.sub(dividend, space.scale(this, number));
        let spare = space.sub(space.constant(number - 1), rest);
        self.leaf(spare, Natural::Rest(atom));
        self.sum(space, this, number, vec![(1, vec![spare]), (1, vec![dividend])])?;
        Some(this)
    }

    /// Shows the distance of a node.
    pub(super) fn node(&mut self, space: &Space, node: usize) -> Option<PolyId> {
        if let Some(known) = self.nodes.get(&node) {
            return Some(*known);
        }
        let found = &self.bounds.nodes[node];
        let goal = space.sub(found.bound, found.of);
        match &found.why {
            Why::Sum { times, parts, inner } => {
                let mut products = Vec::new();
                self.parts(space, parts, &mut products)?;
                for inner in inner {
                    self.node_parts(space, *inner, &mut products)?;
                }
                self.sum(space, goal, *times, products)?;
            }
            Why::Each { atom, factor, cases } => {
                for case in cases {
                    let mut products = Vec::new();
                    self.node_parts(space, *case, &mut products)?;
                    let case = space.sub(found.bound, self.bounds.nodes[*case].of);
                    self.sum(space, case, 1, products)?;
                }
                if self.shown.insert(goal) {
                    self.steps.push(Natural::Each(goal, *atom, *factor));
                }
            }
            Why::Quotient { atom, a, b, sides } => {
                for side in sides {
                    self.node(space, *side)?;
                }
                let mut most = *b;
                if !space.is_zero(*a) {
                    let Atom::Div(_, divisor) = *space.atom(*atom) else { return None };
                    for poly in [divisor, *a, *b] {
                        self.sum(space, poly, 1, Vec::new())?;
                    }
                    most = space.offset(space.add(*a, *b), 1);
                }
                let this = space.atom_poly(*atom);
                let ends = [space.sub(most, this), space.add(most, this)];
                if !ends.iter().all(|end| self.shown.contains(end)) {
                    self.steps.push(Natural::Quotient(*atom, *a, *b));
                    self.shown.extend(ends);
                }
                let end = if found.of == this { ends[0] } else { ends[1] };
                self.sum(space, goal, 1, vec![(1, vec![end])])?;
            }
        }
        self.nodes.insert(node, goal);
        Some(goal)
    }

    /// Adds the distance of a node to a sum.
    pub(super) fn node_parts(
        &mut self,
        space: &Space,
        node: usize,
        products: &mut Vec<Product>,
    ) -> Option<()> {
        if let Why::Sum { times: 1, parts, inner } = &self.bounds.nodes[node].why {
            self.parts(space, parts, products)?;
            for inner in inner {
                self.node_parts(space, *inner, products)?;
            }
            return Some(());
        }
        let distance = self.node(space, node)?;
        products.push((1, vec![distance]));
        Some(())
    }

    /// Adds parts to a sum.
    pub(super) fn parts(
        &mut self,
        space: &Space,
        parts: &[Part],
        products: &mut Vec<Product>,
    ) -> Option<()> {
        for (coefficient, factors) in parts {
            let mut product = Vec::with_capacity(factors.len());
            for factor in factors {
                let shown = match factor {
                    Factor::Leaf(poly, step) => self.leaf(*poly, step.clone()),
                    Factor::Terms(poly) if space.as_constant(*poly) == Some(1) => continue,
                    Factor::Terms(poly) => {
                        self.sum(space, *poly, 1, Vec::new())?;
                        *poly
                    }
                    Factor::Over(node) => self.node(space, *node)?,
                };
                product.push(shown);
            }
            products.push((*coefficient, product));
        }
        Some(())
    }
}
