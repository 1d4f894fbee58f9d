//! Turns comparisons into a linear problem, and searches for further facts that make it
//! contradictory.

use halidom_base::{FxHashMap, IndexMap};
use halidom_poly::{Affine, Constraint, Dim, QuasiAffine, Relation, Set};

use super::hint::Hint;
use super::poly::{Monomial, Poly};
use crate::term::{Arith, Index};

/// The meaning of an unknown.
enum Meaning {
    Var(Index),
    /// An operator that is not polynomial, its operands, and the expressions that were written for
    /// it.
    Op(Arith, Poly, Poly, Vec<Index>),
}

/// The unknowns of a problem.
pub(super) struct Unknowns<'s> {
    sets: &'s halidom_poly::Context,
    meanings: Vec<Meaning>,
    variables: FxHashMap<u32, u32>,
    dims: IndexMap<Monomial, Dim>,
}

/// A polynomial that is not negative, or zero if `equal`, and the hint that it comes from.
struct FactOf {
    poly: Poly,
    equal: bool,
    hint: Option<usize>,
}

/// The maximal number of products of facts that are tried at once.
const MAX_PRODUCTS: usize = 60;
/// The maximal number of `min`s and `max`es that case splits distinguish.
const MAX_CASES: usize = 4;

impl<'s> Unknowns<'s> {
    pub(super) fn new(sets: &'s halidom_poly::Context) -> Self {
        Self {
            sets,
            meanings: Vec::new(),
            variables: FxHashMap::default(),
            dims: IndexMap::default(),
        }
    }

    pub(super) fn poly(&mut self, index: &Index) -> Poly {
        match index {
            Index::Num(value) => Poly::number(*value),
            Index::Var(var) => {
                let meanings = &mut self.meanings;
                let number = *self.variables.entry(var.id).or_insert_with(|| {
                    meanings.push(Meaning::Var(index.clone()));
                    meanings.len() as u32 - 1
                });
                Poly::unknown(number)
            }
            Index::Op(op, operands) => {
                let (a, b) = (self.poly(&operands.0), self.poly(&operands.1));
                match op {
                    Arith::Add => a.plus(&b),
                    Arith::Sub => a.minus(&b),
                    Arith::Mul => a.times(&b),
                    Arith::Div | Arith::Mod | Arith::Ceil | Arith::Min | Arith::Max => {
                        self.opaque(*op, a, b, index)
                    }
                }
            }
        }
    }

    fn opaque(&mut self, op: Arith, a: Poly, b: Poly, written: &Index) -> Poly {
        for (number, meaning) in self.meanings.iter_mut().enumerate() {
            if let Meaning::Op(other, x, y, forms) = meaning
                && *other == op
                && *x == a
                && *y == b
            {
                if !forms.contains(written) {
                    forms.push(written.clone());
                }
                return Poly::unknown(number as u32);
            }
        }
        self.meanings.push(Meaning::Op(op, a, b, vec![written.clone()]));
        Poly::unknown(self.meanings.len() as u32 - 1)
    }

    /// The polynomial as an index expression, unless its numbers are too large.
    fn index(&self, poly: &Poly) -> Option<Index> {
        let mut sum: Option<Index> = None;
        // Putting positive parts first makes the expression easier to read.
        for wanted_sign in [1, -1] {
            for (monomial, factor) in poly.terms()? {
                if factor.signum() != wanted_sign {
                    continue;
                }
                let size = factor.checked_abs()?;
                let mut product: Option<Index> =
                    (size != 1 || monomial.is_empty()).then_some(Index::Num(size));
                for unknown in monomial.iter() {
                    let part = match &self.meanings[*unknown as usize] {
                        Meaning::Var(index) => index.clone(),
                        Meaning::Op(.., forms) => forms[0].clone(),
                    };
                    product =
                        Some(product.map_or(part.clone(), |before| before.times(part.clone())));
                }
                let part = product.unwrap_or(Index::Num(1));
                sum = Some(match (sum, wanted_sign) {
                    (None, 1) => part,
                    (None, _) => Index::Num(0).minus(part),
                    (Some(before), 1) => before.plus(part),
                    (Some(before), _) => before.minus(part),
                });
            }
        }
        Some(sum.unwrap_or(Index::Num(0)))
    }

    /// Finds hints with which the facts contradict each other. A fact is a polynomial that is zero
    /// if `true`, else not negative. Returns `None` if none are found.
    pub(super) fn contradiction(&mut self, known: &[(Poly, bool)]) -> Option<Vec<Hint>> {
        if known.iter().any(|(poly, _)| poly.is_huge()) {
            return None;
        }
        let found = self.contradiction_with(known, false);
        if found.is_some() {
            return found;
        }
        let has_blocks = self.meanings.iter().any(|meaning| match meaning {
            Meaning::Op(Arith::Div | Arith::Ceil, _, b, _) => b.constant().is_none(),
            Meaning::Op(..) | Meaning::Var(_) => false,
        });
        if has_blocks { self.contradiction_with(known, true) } else { None }
    }

    /// Does the same. If `blocks` is true, it also multiplies bounds of numbers of blocks by the
    /// blocks' size, and looks for bounds of dividends: `o < q / t` gives `o * t + t <= q`.
    fn contradiction_with(&mut self, known: &[(Poly, bool)], blocks: bool) -> Option<Vec<Hint>> {
        let fact =
            |(poly, equal): &(Poly, bool)| FactOf { poly: poly.clone(), equal: *equal, hint: None };
        let mut facts: Vec<FactOf> = known.iter().map(fact).collect();
        let mut hints: Vec<Hint> = Vec::new();
        if self.is_empty_with(&facts, &[]) {
            return Some(self.equal_forms());
        }
        self.define_quotients(&mut facts, &mut hints, blocks);
        if blocks {
            self.scale_equal_quotients(&mut facts, &mut hints);
        }
        let cases = self.cases();
        if self.empty_in_all(&facts, &cases) {
            return Some(self.needed(&facts, &hints, &cases, false));
        }
        let derived = self.derive_signs(&mut facts, &cases);
        self.multiply(&mut facts, &mut hints);
        if self.empty_in_all(&facts, &cases) {
            return Some(self.needed(&facts, &hints, &cases, derived));
        }
        // Offsets with several sizes need products of products.
        let degree = facts
            .iter()
            .filter(|fact| fact.hint.is_none())
            .flat_map(|fact| fact.poly.nonlinear().map(|monomial| monomial.len()))
            .max();
        for _ in 2..degree.unwrap_or(0) {
            self.multiply(&mut facts, &mut hints);
            if self.empty_in_all(&facts, &cases) {
                return Some(self.needed(&facts, &hints, &cases, derived));
            }
        }
        None
    }

    /// Hints that the expressions written for the same operator are equal, innermost first.
    fn equal_forms(&self) -> Vec<Hint> {
        let forms = self.meanings.iter().filter_map(|meaning| match meaning {
            Meaning::Op(.., forms) => forms.split_first(),
            Meaning::Var(_) => None,
        });
        forms
            .flat_map(|(first, others)| {
                others.iter().map(|other| Hint::Equal(first.clone(), other.clone()))
            })
            .collect()
    }

    /// Adds the definitions of quotients, innermost first, if the divisor is known to be positive.
    fn define_quotients(&mut self, facts: &mut Vec<FactOf>, hints: &mut Vec<Hint>, blocks: bool) {
        let mut number = 0;
        while number < self.meanings.len() {
            if let Meaning::Op(op @ (Arith::Div | Arith::Mod | Arith::Ceil), a, b, forms) =
                &self.meanings[number]
            {
                let (op, a, b, written) = (*op, a.clone(), b.clone(), forms[0].clone());
                let others: Vec<Index> = forms[1..].to_vec();
                self.multiply_signs(facts, hints, &a, 0);
                self.multiply_signs(facts, hints, &b, 1);
                let positive = b.constant().map_or_else(
                    || {
                        let nonpositive = FactOf { poly: b.scale(-1), equal: false, hint: None };
                        self.is_empty_with(facts, &[&nonpositive])
                    },
                    |value| value > 0,
                );
                if positive && let Index::Op(_, operands) = &written {
                    let hint = Some(hints.len());
                    hints.push(Hint::Quotient(op, operands.0.clone(), operands.1.clone()));
                    for other in others {
                        hints.push(Hint::Equal(written.clone(), other));
                    }
                    let this = Poly::unknown(number as u32);
                    let one = Poly::number(1);
                    // `a < b * c` gives `a / b < c`: this bounds nested quotients, from the inside
                    // out.
                    let bound = facts
                        .iter()
                        .filter(|fact| !fact.equal)
                        .find_map(|fact| fact.poly.plus(&a).plus(&one).divided_by(&b))
                        .or_else(|| self.bound_by_dividend(facts, &a, &b).filter(|_| blocks));
                    if op == Arith::Div
                        && let Some(bound) = bound
                        && let Some(limit) = self.index(&bound)
                    {
                        let below = Some(hints.len());
                        hints.push(Hint::Below(operands.0.clone(), operands.1.clone(), limit));
                        let poly = bound.minus(&this).minus(&one);
                        facts.push(FactOf { poly, equal: false, hint: below });
                    }
                    let negative =
                        FactOf { poly: a.scale(-1).minus(&one), equal: false, hint: None };
                    if op != Arith::Mod && self.is_empty_with(facts, &[&negative]) {
                        let sign = Some(hints.len());
                        hints.push(Hint::Sign(op, operands.0.clone(), operands.1.clone()));
                        facts.push(FactOf { poly: this.clone(), equal: false, hint: sign });
                    }
                    let mut add = |poly: Poly| facts.push(FactOf { poly, equal: false, hint });
                    match op {
                        Arith::Mod => {
                            add(this.clone());
                            add(b.minus(&this).minus(&one));
                            let quotient =
                                Index::exact(Arith::Div, operands.0.clone(), operands.1.clone());
                            let quotient = self.opaque(Arith::Div, a.clone(), b.clone(), &quotient);
                            let poly = a.minus(&b.times(&quotient)).minus(&this);
                            facts.push(FactOf { poly, equal: true, hint });
                        }
                        Arith::Ceil => {
                            let whole = b.times(&this);
                            add(whole.minus(&a));
                            add(a.plus(&b).minus(&one).minus(&whole));
                            if blocks {
                                self.multiply_blocks(facts, hints, &this, &b);
                            }
                        }
                        Arith::Div
                        | Arith::Add
                        | Arith::Sub
                        | Arith::Mul
                        | Arith::Min
                        | Arith::Max => {
                            let whole = b.times(&this);
                            add(a.minus(&whole));
                            add(whole.plus(&b).minus(&one).minus(&a));
                            if blocks {
                                self.multiply_blocks(facts, hints, &this, &b);
                            }
                        }
                    }
                }
            }
            number += 1;
        }
    }

    /// Multiplies the upper bounds by a quotient with its divisor.
    fn multiply_blocks(
        &mut self,
        facts: &mut Vec<FactOf>,
        hints: &mut Vec<Hint>,
        quotient: &Poly,
        divisor: &Poly,
    ) {
        if divisor.constant().is_some() {
            return;
        }
        let bounds: Vec<Poly> = facts
            .iter()
            .filter(|fact| !fact.equal && fact.poly.degree() == 1 && fact.poly.adds(quotient))
            .map(|fact| fact.poly.clone())
            .filter(|bound| bound != quotient)
            .collect();
        for bound in bounds {
            let product = bound.times(divisor);
            if product.is_huge() || facts.iter().any(|fact| fact.poly == product) {
                continue;
            }
            let (Some(a), Some(b)) = (self.index(&bound), self.index(divisor)) else { continue };
            facts.push(FactOf { poly: product, equal: false, hint: Some(hints.len()) });
            hints.push(Hint::Product(a, b));
        }
    }

    /// Adds, for equal quotients by the same divisor, that the divisor times either is the same.
    /// Numbers with the same quotients and remainders are equal only by this.
    fn scale_equal_quotients(&mut self, facts: &mut Vec<FactOf>, hints: &mut Vec<Hint>) {
        let quotients: Vec<(Poly, Poly)> = (0..)
            .zip(&self.meanings)
            .filter_map(|(number, meaning)| match meaning {
                Meaning::Op(Arith::Div, _, divisor, _) if divisor.constant().is_none() => {
                    Some((Poly::unknown(number), divisor.clone()))
                }
                Meaning::Op(..) | Meaning::Var(_) => None,
            })
            .collect();
        let mut open: Vec<(usize, usize)> = (0..quotients.len())
            .flat_map(|second| (0..second).map(move |first| (first, second)))
            .filter(|(first, second)| quotients[*first].1 == quotients[*second].1)
            .collect();
        // An equality may follow only from another: the outermost quotient's comes first.
        loop {
            let before = open.len();
            open.retain(|(first, second)| {
                let ((a, divisor), (b, _)) = (&quotients[*first], &quotients[*second]);
                let difference = a.minus(b);
                let one = Poly::number(1);
                let is_equal = [&difference, &difference.scale(-1)].iter().all(|above| {
                    let above = FactOf { poly: above.minus(&one), equal: false, hint: None };
                    self.is_empty_with(facts, &[&above])
                });
                let written = (self.index(divisor), self.index(a), self.index(b));
                if let (true, (Some(by), Some(x), Some(y))) = (is_equal, written) {
                    let poly = divisor.times(&difference);
                    facts.push(FactOf { poly, equal: true, hint: Some(hints.len()) });
                    hints.push(Hint::Scaled(by, x, y));
                }
                !is_equal
            });
            if open.len() == before {
                return;
            }
        }
    }

    /// A dividend of another quotient that bounds a dividend, divided by the divisor.
    fn bound_by_dividend(&mut self, facts: &[FactOf], a: &Poly, b: &Poly) -> Option<Poly> {
        let dividends: Vec<(Poly, Poly)> = self
            .meanings
            .iter()
            .filter_map(|meaning| match meaning {
                Meaning::Op(Arith::Div | Arith::Ceil, dividend, ..) => {
                    Some((dividend.clone(), dividend.divided_by(b)?))
                }
                Meaning::Op(..) | Meaning::Var(_) => None,
            })
            .collect();
        dividends.into_iter().find_map(|(dividend, bound)| {
            let above = FactOf { poly: a.minus(&dividend), equal: false, hint: None };
            (*a != dividend && self.is_empty_with(facts, &[&above])).then_some(bound)
        })
    }

    /// Adds that the products of unknowns in a polynomial are at least `least`, which is 0 or 1, if
    /// each unknown is. The sign of a quotient needs it: `0 <= ceil(a * b * c, t)`.
    fn multiply_signs(
        &mut self,
        facts: &mut Vec<FactOf>,
        hints: &mut Vec<Hint>,
        poly: &Poly,
        least: i64,
    ) {
        let products: Vec<Monomial> = poly.nonlinear().cloned().collect();
        for product in products {
            let factors: Vec<Poly> = product
                .iter()
                .map(|unknown| Poly::unknown(*unknown).minus(&Poly::number(least)))
                .collect();
            let mut known = true;
            for factor in &factors {
                let below = factor.scale(-1).minus(&Poly::number(1));
                let below = FactOf { poly: below, equal: false, hint: None };
                known &= self.is_empty_with(facts, &[&below]);
            }
            let Some((first, rest)) = factors.split_first().filter(|_| known) else { continue };
            let mut before = first.clone();
            for factor in rest {
                let larger = before.times(factor);
                if larger.is_huge() {
                    break;
                }
                if !facts.iter().any(|fact| fact.poly == larger) {
                    let (Some(a), Some(b)) = (self.index(&before), self.index(factor)) else {
                        break;
                    };
                    facts.push(FactOf { poly: larger, equal: false, hint: Some(hints.len()) });
                    hints.push(Hint::Product(a, b));
                }
                let one = Poly::number(least);
                before = before.plus(&one).times(&factor.plus(&one)).minus(&one);
            }
        }
    }

    /// Adds unknowns that are provably not negative, because products of unknowns need that.
    /// Returns true if any were added.
    fn derive_signs(&mut self, facts: &mut Vec<FactOf>, cases: &[[[(Poly, bool); 2]; 2]]) -> bool {
        let before = facts.len();
        for number in 0..self.meanings.len() as u32 {
            let this = Poly::unknown(number);
            if facts.iter().any(|fact| !fact.equal && fact.poly == this) {
                continue;
            }
            facts.push(FactOf {
                poly: this.scale(-1).minus(&Poly::number(1)),
                equal: false,
                hint: None,
            });
            let negative_is_absurd = self.empty_in_all(facts, cases);
            facts.pop();
            if negative_is_absurd {
                facts.push(FactOf { poly: this, equal: false, hint: None });
            }
        }
        facts.len() > before
    }

    /// Adds products of two facts that share a product of unknowns with the present facts.
    fn multiply(&mut self, facts: &mut Vec<FactOf>, hints: &mut Vec<Hint>) {
        let mut wanted: Vec<Monomial> =
            facts.iter().flat_map(|fact| fact.poly.nonlinear().cloned()).collect();
        // The factors of a larger product are needed too.
        let mut at = 0;
        while at < wanted.len() {
            if wanted[at].len() > 2 {
                for left_out in 0..wanted[at].len() {
                    let mut smaller = wanted[at].to_vec();
                    smaller.remove(left_out);
                    let smaller = Monomial::of(&smaller);
                    if !wanted.contains(&smaller) {
                        wanted.push(smaller);
                    }
                }
            }
            at += 1;
        }
        wanted.sort();
        wanted.dedup();
        let mut found: Vec<(usize, Poly, usize, usize)> = Vec::new();
        for first in 0..facts.len() {
            for second in first..facts.len() {
                let (p, q) = (&facts[first], &facts[second]);
                if p.equal || q.equal || p.poly.constant().is_some() || q.poly.constant().is_some()
                {
                    continue;
                }
                let product = p.poly.times(&q.poly);
                if product.is_huge() || product.degree() > 4 {
                    continue;
                }
                let new = product.nonlinear().filter(|monomial| !wanted.contains(monomial)).count();
                let shared = product.nonlinear().count() - new;
                if shared > 0 && !facts.iter().any(|fact| fact.poly == product) {
                    found.push((new, product, first, second));
                }
            }
        }
        found.sort_by_key(|(new, _, first, second)| (*new, *first, *second));
        found.truncate(MAX_PRODUCTS);
        for (_, product, first, second) in found {
            let (first, second) = (self.index(&facts[first].poly), self.index(&facts[second].poly));
            let (Some(first), Some(second)) = (first, second) else { continue };
            let hint = Some(hints.len());
            hints.push(Hint::Product(first, second));
            facts.push(FactOf { poly: product, equal: false, hint });
        }
    }

    /// For each `min` and `max`, its two cases, each a pair of facts. In every model one of the two
    /// pairs holds.
    fn cases(&self) -> Vec<[[(Poly, bool); 2]; 2]> {
        let mut cases = Vec::new();
        for (number, meaning) in self.meanings.iter().enumerate() {
            if let Meaning::Op(op @ (Arith::Min | Arith::Max), a, b, _) = meaning {
                let this = Poly::unknown(number as u32);
                let a_first = if *op == Arith::Min { b.minus(a) } else { a.minus(b) };
                cases.push([
                    [(this.minus(a), true), (a_first.clone(), false)],
                    [(this.minus(b), true), (a_first.scale(-1), false)],
                ]);
            }
        }
        cases.truncate(MAX_CASES);
        cases
    }

    fn empty_in_all(&mut self, facts: &[FactOf], cases: &[[[(Poly, bool); 2]; 2]]) -> bool {
        let all: Vec<&FactOf> = facts.iter().collect();
        self.empty_in_cases(&all, cases, &mut Vec::new())
    }

    fn empty_in_cases(
        &mut self,
        facts: &[&FactOf],
        cases: &[[[(Poly, bool); 2]; 2]],
        chosen: &mut Vec<FactOf>,
    ) -> bool {
        let Some((first, rest)) = cases.split_first() else {
            let all: Vec<&FactOf> = facts.iter().copied().chain(chosen.iter()).collect();
            return self.is_empty(&all);
        };
        first.iter().all(|case| {
            for (poly, equal) in case {
                chosen.push(FactOf { poly: poly.clone(), equal: *equal, hint: None });
            }
            let empty = self.empty_in_cases(facts, rest, chosen);
            chosen.truncate(chosen.len() - 2);
            empty
        })
    }

    /// Reduces the hints to the needed ones by leaving some out: halves first, then one by one.
    fn needed(
        &mut self,
        facts: &[FactOf],
        hints: &[Hint],
        cases: &[[[(Poly, bool); 2]; 2]],
        keep_quotients: bool,
    ) -> Vec<Hint> {
        // The origin of a derived sign is not recorded. If there are any, all hints about quotients
        // stay.
        let stays = |hint: usize| {
            keep_quotients
                && matches!(hints[hint], Hint::Quotient(..) | Hint::Sign(..) | Hint::Below(..))
        };
        let always: Vec<usize> = (0..hints.len()).filter(|hint| stays(*hint)).collect();
        let mut keep: Vec<usize> = (0..hints.len()).filter(|hint| !stays(*hint)).collect();
        let mut chunk = keep.len().div_ceil(2);
        while chunk > 0 {
            let mut start = 0;
            while start < keep.len() {
                let mut fewer = keep.clone();
                fewer.drain(start..(start + chunk).min(fewer.len()));
                let used: Vec<&FactOf> = facts
                    .iter()
                    .filter(|fact| {
                        fact.hint.is_none_or(|hint| fewer.contains(&hint) || always.contains(&hint))
                    })
                    .collect();
                if self.empty_in_cases(&used, cases, &mut Vec::new()) {
                    keep = fewer;
                } else {
                    start += chunk;
                }
            }
            chunk /= 2;
        }
        // The factors of a kept product must themselves be known: products of products, and the
        // quotients in either.
        let makes = |hint: usize| {
            facts.iter().filter(move |fact| fact.hint == Some(hint)).map(|fact| &fact.poly)
        };
        let mut closed = keep;
        closed.extend(&always);
        let mut at = 0;
        while at < closed.len() {
            if let Hint::Product(a, b) = &hints[closed[at]] {
                let factors = [self.poly(a), self.poly(b)];
                for other in 0..hints.len() {
                    if !closed.contains(&other) && makes(other).any(|poly| factors.contains(poly)) {
                        closed.push(other);
                    }
                }
            }
            at += 1;
        }
        // The premises of a quotient's sign or bound may follow only from earlier hints.
        let last = closed
            .iter()
            .copied()
            .filter(|hint| match &hints[*hint] {
                Hint::Sign(..) | Hint::Below(..) | Hint::Scaled(..) => true,
                Hint::Quotient(_, _, divisor) => matches!(divisor, Index::Op(..)),
                Hint::Product(..) | Hint::Equal(..) => false,
            })
            .max();
        for (earlier, hint) in hints.iter().enumerate().take(last.unwrap_or(0)) {
            let may_matter = matches!(
                hint,
                Hint::Quotient(..)
                    | Hint::Sign(..)
                    | Hint::Below(..)
                    | Hint::Product(..)
                    | Hint::Scaled(..)
            );
            if may_matter && !closed.contains(&earlier) {
                closed.push(earlier);
            }
        }
        // For Coq, two ways of writing one quotient are two unknowns.
        for (position, hint) in hints.iter().enumerate() {
            if matches!(hint, Hint::Equal(..)) && !closed.contains(&position) {
                closed.push(position);
            }
        }
        closed.sort_unstable();
        closed.into_iter().map(|position| hints[position].clone()).collect()
    }

    fn is_empty_with(&mut self, facts: &[FactOf], more: &[&FactOf]) -> bool {
        let all: Vec<&FactOf> = facts.iter().chain(more.iter().copied()).collect();
        self.is_empty(&all)
    }

    /// True if no integers satisfy the facts. A problem that is too large for the set library
    /// counts as satisfiable. Facts whose numbers are too large are left out.
    fn is_empty(&mut self, facts: &[&FactOf]) -> bool {
        let constraints: Vec<Constraint> = facts
            .iter()
            .filter_map(|fact| {
                let mut affine = Affine::default();
                for (monomial, factor) in fact.poly.terms()? {
                    if monomial.is_empty() {
                        affine.constant = factor;
                    } else {
                        let sets = self.sets;
                        let dim =
                            *self.dims.entry(monomial.clone()).or_insert_with(|| sets.dim("m"));
                        affine.terms.push((dim, factor));
                    }
                }
                let relation = if fact.equal { Relation::Zero } else { Relation::NonNegative };
                Some(Constraint { expr: QuasiAffine::from(affine), relation })
            })
            .collect();
        Set::from_constraints(self.sets, &constraints)
            .and_then(|set| set.is_empty())
            .unwrap_or(false)
    }
}
