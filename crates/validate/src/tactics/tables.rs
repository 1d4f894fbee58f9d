//! Values that depend on their place alone, as the elements of a table do.
//!
//! A compiler may write a float in another way, `x * 1.442695` for `x / 0.6931472`. Such floats
//! have other bits, and nothing but equal bits will do where they become integers. But the
//! integers of a table are numbers at each place, and a table has few places.
//!
//! The code that is judged may compute a logarithm with other last digits than the pipeline's
//! definition. So integers count as equal only if they also are for results nearby.

use halidom_base::IndexSet;
use halidom_ir::{Constant, Intrinsic, Scalar};

use super::named;
use super::parts::value_symbols;
use crate::obligation::door::{Desk, Proof, Step};
use crate::space::{Formula, FormulaId, PolyId, Rename, Space, Symbol, Term, TermId, Value};

/// The most places that are told apart.
const MOST_PLACES: i128 = 64;

/// Finds a proof that two values without data are equal at each place.
pub(super) fn equal_at_each(
    desk: &mut Desk<'_, '_>,
    facts: &[FormulaId],
    values: (Value, Value),
) -> Option<Proof> {
    let function = functions(desk.space, values)?.first().copied();
    let table = Table { values, function };
    let mut symbols: IndexSet<Symbol> = value_symbols(desk.space, values.0);
    symbols.extend(value_symbols(desk.space, values.1));
    let symbols: Vec<Symbol> = symbols.into_iter().collect();
    if symbols.is_empty() {
        return None;
    }
    table.at_each(desk, facts, (&[], &symbols), MOST_PLACES)
}

/// Two values without data.
struct Table {
    values: (Value, Value),
    /// The only function in both whose result at a number is known up to a few digits.
    function: Option<TermId>,
}

impl Table {
    /// Tells apart the values of the first open symbol, and then those of the others.
    fn at_each(
        &self,
        desk: &mut Desk<'_, '_>,
        facts: &[FormulaId],
        (place, open): (&[(Symbol, PolyId)], &[Symbol]),
        most: i128,
    ) -> Option<Proof> {
        let Some((symbol, others)) = open.split_first() else {
            return self.is_equal(desk.space, place).then_some(Proof::Asked("value"));
        };
        let known = [desk.entry(), facts].concat();
        let (low, high) = range(desk.space, &known, *symbol)?;
        let count = high.checked_sub(low)?.checked_add(1)?;
        if !(1..=most).contains(&count) {
            return None;
        }
        let mut cases = Vec::new();
        for number in low..=high {
            let value = desk.space.constant(number);
            let here = desk.space.equal(desk.space.symbol(*symbol), value);
            let place = [place, &[(*symbol, value)]].concat();
            let facts = [facts, &[here]].concat();
            let proof = self.at_each(desk, &facts, (&place, others), most / count)?;
            cases.push((here, Proof::After(vec![Step::Named(*symbol, value)], Box::new(proof))));
        }
        Some(Proof::Cases(cases))
    }

    /// Tests whether the values are equal at a place, and stay equal if the function's result
    /// there is another float nearby.
    fn is_equal(&self, space: &Space, place: &[(Symbol, PolyId)]) -> bool {
        let here = || Rename::symbols(place.iter().copied());
        let same = |at: &Rename| at.value(space, self.values.0) == at.value(space, self.values.1);
        let Some(function) = self.function else { return same(&here()) };
        let result = space.term_constant(here().term(space, function)).and_then(Constant::as_f32);
        let Some(result) = result.filter(|result| result.is_finite()) else { return false };
        let [up, down] = [result.next_up(), result.next_down()];
        let near = [down.next_down(), down, up, up.next_up()];
        same(&here())
            && near.into_iter().all(|other| {
                let mut at = here();
                at.means(function, space.constant_term(Constant::f32(other)));
                same(&at)
            })
    }
}

/// Returns the functions in two values whose results at a number are known up to a few digits: at
/// most one, an exponential or a logarithm of 32 bits. Returns `None` if there are more, or if
/// inputs, parameters or other functions without an exact meaning decide the values.
fn functions(space: &Space, (a, b): (Value, Value)) -> Option<IndexSet<TermId>> {
    let mut found = IndexSet::default();
    for term in space.terms_of(a).into_iter().chain(space.terms_of(b)) {
        match space.term(term) {
            Term::Read { .. } | Term::Parameter(..) | Term::Apply { .. } => return None,
            Term::Call(call, _) if !call.is_ieee() => {
                found.insert(term);
                let is_near = matches!(call, Intrinsic::Exp | Intrinsic::Log)
                    && space.scalar(term) == Scalar::F32;
                if !is_near || found.len() > 1 {
                    return None;
                }
            }
            Term::Call(..)
            | Term::Constant(_)
            | Term::Ring(..)
            | Term::Truth(_)
            | Term::Unary(..)
            | Term::Binary(..)
            | Term::Select(..)
            | Term::Cast(..)
            | Term::FromInt(..) => {}
        }
    }
    Some(found)
}

/// Returns the least and the greatest value of a symbol that facts about it alone permit.
fn range(space: &Space, facts: &[FormulaId], symbol: Symbol) -> Option<(i128, i128)> {
    let this = space.symbol(symbol);
    let (mut least, mut greatest) = (None, None);
    for fact in facts {
        for part in space.conjuncts(*fact) {
            if let Formula::NonNegative(poly) = *space.formula(part) {
                if let Some(by) = space.as_constant(space.sub(poly, this)) {
                    least = least.max(Some(by.checked_neg()?));
                } else if let Some(end) = space.as_constant(space.add(poly, this)) {
                    greatest = [greatest, Some(end)].into_iter().flatten().min();
                }
            } else if let Some((of, value)) = named::constant(space, part)
                && of == symbol
            {
                let value = space.as_constant(value)?;
                least = least.max(Some(value));
                greatest = [greatest, Some(value)].into_iter().flatten().min();
            }
        }
    }
    least.zip(greatest)
}

#[cfg(test)]
mod tests {
    use halidom_ir::{BinaryOp, Constant, Intrinsic, Overflow, Scalar};

    use super::{Table, functions};
    use crate::space::{PolyId, Space, Symbol, TermId, Value};

    /// The place of an element, and `i32(floor(call(2*t + 1) op c))` there.
    fn element(
        space: &Space,
        t: Symbol,
        (call, scalar): (Intrinsic, Scalar),
        (op, by): (BinaryOp, f32),
    ) -> TermId {
        let number = space.offset(space.scale(space.symbol(t), 2), 1);
        let result = space.call_term(call, space.int_to(scalar, number).unwrap()).unwrap();
        let scaled = space.binary_term(op, result, space.float(scalar, by).unwrap()).unwrap();
        let floor = space.call_term(Intrinsic::Floor, scaled).unwrap();
        space.cast_term(Scalar::I32, floor).unwrap()
    }

    const TIMES: BinaryOp = BinaryOp::Mul(Overflow::Wraps);

    /// The least place at which a quotient of a function and a product with a factor differ.
    fn differ(call: Intrinsic, (divisor, factor): (f32, f32)) -> Option<i128> {
        let space = Space::new();
        let t = space.fresh("t");
        let quotient = element(&space, t, (call, Scalar::F32), (BinaryOp::Div, divisor));
        let product = element(&space, t, (call, Scalar::F32), (TIMES, factor));
        let values = (Value::Number(quotient), Value::Number(product));
        let function = functions(&space, values).unwrap().first().copied();
        let table = Table { values, function };
        let place = |number: i128| -> [(Symbol, PolyId); 1] { [(t, space.constant(number))] };
        (0..27).find(|number| !table.is_equal(&space, &place(*number)))
    }

    #[test]
    fn tables_are_equal_where_their_integers_are_and_stay() {
        let two = std::f32::consts::LN_2;
        assert_eq!(differ(Intrinsic::Log, (two, 1.0 / two)), None);
        assert_eq!(differ(Intrinsic::Log, (two, 1.442)), None);
        // The logarithm of 31 by that of 2 is 4.954.
        assert_eq!(differ(Intrinsic::Log, (two, 1.46)), Some(15));
        // The root of 9 is 3, and its sixth 0.5: nothing rounds, and no other result is near.
        assert_eq!(differ(Intrinsic::Sqrt, (0.5, 2.0)), None);
        // The exponential of 1 by itself is 1, and 0 for the float below. The product is 1 for both
        // of them.
        let one = Constant::f32(1.0);
        let e = halidom_ir::eval::intrinsic(Intrinsic::Exp, one).unwrap().as_f32().unwrap();
        assert_eq!(differ(Intrinsic::Exp, (e, (1.0 / e).next_up())), Some(0));
    }

    #[test]
    fn other_values_are_no_tables() {
        let space = Space::new();
        let t = space.fresh("t");
        let of = |call, scalar| {
            let term = element(&space, t, (call, scalar), (TIMES, 3.0));
            functions(&space, (Value::Number(term), Value::Number(term))).map(|found| found.len())
        };
        assert_eq!(of(Intrinsic::Floor, Scalar::F64), Some(0));
        assert_eq!(of(Intrinsic::Log, Scalar::F32), Some(1));
        assert_eq!(of(Intrinsic::Log, Scalar::F64), None);
        assert_eq!(of(Intrinsic::Sin, Scalar::F32), None);
        // Two functions, both with a result that is not exact.
        let [log, exp] = [Intrinsic::Log, Intrinsic::Exp]
            .map(|call| Value::Number(element(&space, t, (call, Scalar::F32), (TIMES, 3.0))));
        assert_eq!(functions(&space, (log, exp)), None);
    }
}
