//! Formulas in words.

use halidom_base::{FxHashMap, IndexMap};
use halidom_ir::{
    BinaryOp, Constant, Expr, ExprId, FuncId, Interval, Output, Pool, Substitution, Type, print,
};
use halidom_sums::Product;

use super::inside;
use super::region::{Reach, Region};
use crate::windows::Window;

/// A sum of terms with coefficients, and a constant.
type Sum = halidom_sums::Sum<Product<ExprId>>;

/// Describes the regions of the inputs that have any.
pub(super) fn regions(
    pool: &Pool,
    (outputs, windows): (&[Output], &[Window]),
    boxes: &IndexMap<(FuncId, usize), Interval>,
) -> Vec<Region> {
    let mut pool = pool.clone();
    let ends = named_ends(&mut pool, outputs, windows);
    let ends = (&ends.0, ends.1.as_slice());
    let mut regions = Vec::new();
    for window in windows {
        let name = pool.func(window.input).name.clone();
        let dims: Vec<Reach> = (0..window.whole.len())
            .filter_map(|dim| {
                let interval = boxes.get(&(window.input, dim))?;
                Some(reach(&mut pool, ends, (window, dim), *interval))
            })
            .collect();
        // An input that is not read, or one without dimensions, needs no part of an array.
        if !dims.is_empty() && dims.len() == window.whole.len() {
            regions.push(Region { input: window.input, name, dims });
        }
    }
    regions
}

/// Names the first and last coordinates of windows and wholes, and replaces bounds by them. Returns
/// also the names of the windows' ends.
fn named_ends(
    pool: &mut Pool,
    outputs: &[Output],
    windows: &[Window],
) -> (Substitution, Vec<[ExprId; 2]>) {
    let (mut ends, mut pairs) = (Substitution::new(), Vec::new());
    let mut name = |pool: &mut Pool, (min, extent), first: String, last: String| {
        let [first, last] = [first, last].map(|name| pool.declare_var(name, Type::INT));
        let [first, last] = [first, last].map(|var| pool.var_expr(var));
        let one = pool.int(1);
        let length = pool.sub(last, first);
        let length = pool.add(length, one);
        ends.insert(min, first);
        ends.insert(extent, length);
        [first, last]
    };
    for output in outputs {
        let decl = pool.func(output.func).clone();
        for (arg, bounds) in decl.args.iter().zip(&output.window) {
            let arg = pool.var(*arg).name.clone();
            let of = if outputs.len() > 1 { format!("{}.", decl.name) } else { String::new() };
            pairs.push(name(pool, *bounds, format!("{of}{arg}0"), format!("{of}{arg}1")));
        }
    }
    for window in windows {
        let input = pool.func(window.input).name.clone();
        for (dim, bounds) in window.whole.iter().enumerate() {
            name(pool, *bounds, format!("{input}.min({dim})"), format!("{input}.max({dim})"));
        }
    }
    (ends, pairs)
}

fn reach(
    pool: &mut Pool,
    (ends, pairs): (&Substitution, &[[ExprId; 2]]),
    (window, dim): (&Window, usize),
    interval: Interval,
) -> Reach {
    let end = pool.add(interval.min, interval.extent);
    let one = pool.int(1);
    let high = pool.sub(end, one);
    let mut done = FxHashMap::default();
    let [low, high] = [interval.min, high].map(|end| {
        let end = ends.apply(pool, end);
        // Also within floats: `f32(x0 + (x1 - x0 + 1) - 1)` is `f32(x1)`.
        pool.rewrite_bottom_up(end, &mut done, &mut |pool, id, _| {
            if pool.ty(id) == Type::INT { lone(pool, id) } else { id }
        })
    });
    let (min, extent) = window.whole[dim];
    let [min, extent] = [min, extent].map(|var| pool.var_expr(var));
    let last = pool.add(min, extent);
    let last = pool.sub(last, one);
    let whole = [min, last].map(|end| {
        let end = ends.apply(pool, end);
        lone(pool, end)
    });
    let [first, last] = whole.map(|end| sum(pool, end));
    let inner = [low, high].map(|end| unclamped(pool, end, (&first, &last)));
    let (is_clamped, shown) = match inner {
        [Some(low), Some(high)] => (true, [low, high]),
        _ => (false, [low, high]),
    };
    let inside = pairs.iter().find_map(|window| {
        let ends = inside::Ends { whole, window: *window };
        let (before, after) = inside::offsets(pool, (low, high), ends)?;
        let ends = [(window[0], before), (window[1], after)].map(|(end, by)| {
            let by = pool.int(i128::from(by));
            let end = pool.add(end, by);
            text(pool, end)
        });
        Some(format!("[{}, {}]", ends[0], ends[1]))
    });
    let [low, high] = shown.map(|end| text(pool, end));
    let text = format!("[{low}, {high}]");
    // An interval may be the same everywhere, or but for a clamp.
    let inside = inside.filter(|inside| *inside != text);
    Reach { low: interval.min, extent: interval.extent, text, is_clamped, inside }
}

/// The term that a sum consists of, if it is a single one: `(max(a, b) - c) + c` is `max(a, b)`.
fn lone(pool: &Pool, expr: ExprId) -> ExprId {
    sum(pool, expr).as_atom().unwrap_or(expr)
}

/// Collects the terms of an expression. One whose coefficients are too large is a term itself.
fn sum(pool: &Pool, expr: ExprId) -> Sum {
    let number = |expr| pool.as_constant(expr).and_then(Constant::as_integer);
    if let Some(value) = number(expr) {
        return Sum::constant(value);
    }
    let Expr::Binary(op, lhs, rhs) = *pool.get(expr) else { return Sum::atom(expr) };
    let found = if let BinaryOp::Add(_) = op {
        sum(pool, lhs).plus(&sum(pool, rhs), 1)
    } else if let BinaryOp::Sub(_) = op {
        sum(pool, lhs).plus(&sum(pool, rhs), -1)
    } else if let (BinaryOp::Mul(_), Some(factor)) = (op, number(lhs)) {
        sum(pool, rhs).scaled(factor)
    } else if let (BinaryOp::Mul(_), Some(factor)) = (op, number(rhs)) {
        sum(pool, lhs).scaled(factor)
    } else {
        None
    };
    found.unwrap_or_else(|| Sum::atom(expr))
}

/// The operand of a clamp between two sums.
fn unclamped(pool: &Pool, expr: ExprId, (first, last): (&Sum, &Sum)) -> Option<ExprId> {
    let Expr::Binary(outer, lhs, rhs) = *pool.get(expr) else { return None };
    let (outer_end, inner_end, inner) = if outer == BinaryOp::Max {
        (first, last, BinaryOp::Min)
    } else if outer == BinaryOp::Min {
        (last, first, BinaryOp::Max)
    } else {
        return None;
    };
    [(lhs, rhs), (rhs, lhs)].into_iter().find_map(|(end, clamped)| {
        if sum(pool, end) != *outer_end {
            return None;
        }
        let Expr::Binary(op, lhs, rhs) = *pool.get(lone(pool, clamped)) else { return None };
        let pairs = [(lhs, rhs), (rhs, lhs)];
        let operand = pairs.into_iter().find(|(end, _)| sum(pool, *end) == *inner_end);
        operand.filter(|_| op == inner).map(|(_, operand)| operand)
    })
}

fn text(pool: &Pool, expr: ExprId) -> String {
    let mut out = String::new();
    let sum = sum(pool, expr);
    let terms = sum.terms().filter(|(monomial, _)| !monomial.is_empty());
    let terms = terms.map(|(monomial, coefficient)| (monomial.first(), coefficient));
    // The constant comes last.
    let constant = Some((None, sum.constant_part())).filter(|(_, value)| *value != 0);
    for (term, coefficient) in terms.chain(constant) {
        let sign = match (coefficient < 0, out.is_empty()) {
            (true, true) => "-",
            (true, false) => " - ",
            (false, true) => "",
            (false, false) => " + ",
        };
        out.push_str(sign);
        let size = coefficient.unsigned_abs();
        match term {
            None => out.push_str(&size.to_string()),
            Some(term) if size == 1 => out.push_str(&atom(pool, *term)),
            Some(term) => {
                let term = atom(pool, *term);
                let term = if term.contains('/') { format!("({term})") } else { term };
                out.push_str(&[&size.to_string(), "*", &term].concat());
            }
        }
    }
    if out.is_empty() { "0".to_owned() } else { out }
}

fn atom(pool: &Pool, expr: ExprId) -> String {
    let operand = |expr: ExprId| {
        let text = text(pool, expr);
        if text.contains(' ') { format!("({text})") } else { text }
    };
    let Expr::Binary(op, lhs, rhs) = *pool.get(expr) else { return print::expr(pool, expr) };
    if op == BinaryOp::Min {
        format!("min({}, {})", text(pool, lhs), text(pool, rhs))
    } else if op == BinaryOp::Max {
        format!("max({}, {})", text(pool, lhs), text(pool, rhs))
    } else if op == BinaryOp::Div {
        format!("{}/{}", operand(lhs), operand(rhs))
    } else {
        print::expr(pool, expr)
    }
}
