//! Recognizes by its shape what an entry check admits, so that a report can say it in a sentence.
//!
//! # Correctness
//! The kind of an entry check comes from untrusted code, so only the condition counts. A check is
//! recognized only if it admits everything that its description names: a report may name less than
//! the program accepts, and never more. Every other check is [`Admits::Other`], and is shown as it
//! is written.

use halidom_base::{FxHashMap, IndexSet};
use halidom_ir::{BinaryOp, BufferId, Constant, Expr, ExprId, FuncId, Pool, Program, VarId};
use halidom_sums::{Product, Sum};

use super::limits::{Limits, is_limit};

/// An object of the caller: a buffer, or the region of an output that the caller requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Object {
    /// The buffer that holds an input or an output. The components of a tuple share one shape.
    Buffer(FuncId),
    /// The window of an output.
    Window(FuncId),
}

/// The meaning of an entry check for its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Admits {
    /// Sizes within the limits that the report sums up.
    Limits,
    /// Buffers with a stride of 1 in a dimension.
    Adjacent {
        /// The buffer.
        buffer: Object,
        /// The dimension.
        dim: usize,
    },
    /// Buffers in which the elements of a dimension lie within one step of the next dimension.
    Nested {
        /// The buffer.
        buffer: Object,
    },
    /// Buffers that hold a window, and more elements before and after it.
    Holds {
        /// The buffer.
        buffer: Object,
        /// The window.
        window: Object,
        /// The dimension, of both.
        dim: usize,
        /// The number of elements before the window. It is negative if the window begins first.
        before: i128,
        /// The number of elements after it.
        after: i128,
    },
    /// Objects with at least so many elements in a dimension.
    AtLeast {
        /// The buffer or window.
        object: Object,
        /// The dimension.
        dim: usize,
        /// The least extent.
        extent: i128,
    },
    /// Something else.
    Other,
}

/// The sides of a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Min,
    Extent,
    Stride,
}

/// A variable of the caller's sizes.
type Named = (Object, usize, Side);

/// A linear sum of sizes.
type Linear = Sum<Product<Named>>;

/// Recognizes the entry checks of one program.
pub(crate) struct Shapes<'p> {
    pool: &'p Pool,
    limits: Limits,
    named: FxHashMap<VarId, Named>,
}

impl<'p> Shapes<'p> {
    pub(crate) fn of(pool: &'p Pool, program: &Program, int_bits: u32) -> Self {
        let mut named = FxHashMap::default();
        let buffers: IndexSet<BufferId> =
            program.inputs.iter().copied().chain(program.output_buffers()).collect();
        for buffer in buffers {
            let buffer = pool.buffer(buffer);
            for (dim, sides) in buffer.dims.iter().enumerate() {
                let sides = [
                    (sides.min, Side::Min),
                    (sides.extent, Side::Extent),
                    (sides.stride, Side::Stride),
                ];
                for (expr, side) in sides {
                    if let Expr::Var(var) = pool.get(expr) {
                        named.insert(*var, (Object::Buffer(buffer.func), dim, side));
                    }
                }
            }
        }
        for output in &program.outputs {
            for (dim, (min, extent)) in output.window.iter().enumerate() {
                let window = Object::Window(output.func);
                named.insert(*min, (window, dim, Side::Min));
                named.insert(*extent, (window, dim, Side::Extent));
            }
        }
        Self { pool, limits: Limits::of(pool, program, int_bits), named }
    }

    /// Returns what a condition admits.
    pub(crate) fn admits(&self, condition: ExprId) -> Admits {
        if is_limit(self.pool, &self.limits, condition) {
            return Admits::Limits;
        }
        // A disjunction admits all that one of its parts admits.
        let parts = self.parts(condition, BinaryOp::Or);
        let known = parts.iter().map(|part| self.conjunction(*part));
        known.into_iter().find(|admits| *admits != Admits::Other).unwrap_or(Admits::Other)
    }

    /// Returns the parts of a disjunction without those that admit empty objects. All parts are
    /// kept if they all do.
    pub(crate) fn of_work(&self, condition: ExprId) -> Vec<ExprId> {
        let parts = self.parts(condition, BinaryOp::Or);
        let kept = parts.iter().copied().filter(|part| !self.is_empty(*part));
        let kept: Vec<ExprId> = kept.collect();
        if kept.is_empty() { parts } else { kept }
    }

    /// `extent <= 0`.
    fn is_empty(&self, condition: ExprId) -> bool {
        let Expr::Binary(BinaryOp::Le, extent, zero) = *self.pool.get(condition) else {
            return false;
        };
        matches!(self.size(extent), Some((_, _, Side::Extent))) && self.number(zero) == Some(0)
    }

    fn conjunction(&self, condition: ExprId) -> Admits {
        let parts = self.parts(condition, BinaryOp::And);
        if let Some(buffer) = self.nested(&parts) {
            return Admits::Nested { buffer };
        }
        match *parts {
            [only] => self.adjacent(only).or_else(|| self.at_least(only)).unwrap_or(Admits::Other),
            [first, second] => self
                .holds(first, second)
                .or_else(|| self.holds(second, first))
                .unwrap_or(Admits::Other),
            _ => Admits::Other,
        }
    }

    /// `stride == 1`.
    fn adjacent(&self, condition: ExprId) -> Option<Admits> {
        let Expr::Binary(BinaryOp::Eq, a, b) = *self.pool.get(condition) else { return None };
        match (self.size(a), self.number(b)) {
            (Some((buffer, dim, Side::Stride)), Some(1)) => Some(Admits::Adjacent { buffer, dim }),
            _ => None,
        }
    }

    /// `n <= extent`.
    fn at_least(&self, condition: ExprId) -> Option<Admits> {
        let difference = self.difference(condition)?;
        let least = difference.constant_part();
        let (object, dim, Side::Extent) = difference.offset(least.checked_neg()?)?.as_atom()?
        else {
            return None;
        };
        Some(Admits::AtLeast { object, dim, extent: least.checked_neg()? })
    }

    /// `1 <= stride.0`, and `extent.k · stride.k <= stride.(k + 1)` for some dimensions.
    fn nested(&self, parts: &[ExprId]) -> Option<Object> {
        let mut owner = None;
        for part in parts {
            let Expr::Binary(BinaryOp::Le, low, high) = *self.pool.get(*part) else { return None };
            let (buffer, dim, Side::Stride) = self.size(high)? else { return None };
            let is_nested = if let (Some(inner), Expr::Binary(BinaryOp::Mul(_), extent, stride)) =
                (dim.checked_sub(1), self.pool.get(low))
            {
                self.size(*extent) == Some((buffer, inner, Side::Extent))
                    && self.size(*stride) == Some((buffer, inner, Side::Stride))
            } else {
                dim == 0 && self.number(low) == Some(1)
            };
            if !is_nested || owner.is_some_and(|owner| owner != buffer) {
                return None;
            }
            owner = Some(buffer);
        }
        owner
    }

    /// `buffer.min + before <= window.min`, and `window.min + window.extent + after <= buffer.min +
    /// buffer.extent`.
    fn holds(&self, first: ExprId, second: ExprId) -> Option<Admits> {
        let (first, second) = (self.difference(first)?, self.difference(second)?);
        let find = |wanted: fn(&Object) -> bool| {
            let mut atoms = first.terms().flat_map(|(product, _)| product.iter().copied());
            atoms.find(|(object, ..)| wanted(object))
        };
        let (window, dim, _) = find(|object| matches!(object, Object::Window(_)))?;
        let (buffer, ..) = find(|object| matches!(object, Object::Buffer(_)))?;
        let side = |object, side| Linear::atom((object, dim, side));
        let [window_min, buffer_min] = [window, buffer].map(|object| side(object, Side::Min));
        let [window_extent, buffer_extent] =
            [window, buffer].map(|object| side(object, Side::Extent));
        let begins = window_min.plus(&buffer_min, -1)?;
        let [window_end, buffer_end] =
            [window_min.plus(&window_extent, 1)?, buffer_min.plus(&buffer_extent, 1)?];
        let ends = buffer_end.plus(&window_end, -1)?;
        Some(Admits::Holds {
            buffer,
            window,
            dim,
            before: first.plus(&begins, -1)?.as_constant()?.checked_neg()?,
            after: second.plus(&ends, -1)?.as_constant()?.checked_neg()?,
        })
    }

    /// Returns `b - a` for `a <= b`.
    fn difference(&self, condition: ExprId) -> Option<Linear> {
        let Expr::Binary(BinaryOp::Le, a, b) = *self.pool.get(condition) else { return None };
        self.sum(b)?.plus(&self.sum(a)?, -1)
    }

    /// Returns an expression as a sum of sizes.
    fn sum(&self, expr: ExprId) -> Option<Linear> {
        if let Some(number) = self.number(expr) {
            return Some(Linear::constant(number));
        }
        if let Some(named) = self.size(expr) {
            return Some(Linear::atom(named));
        }
        let Expr::Binary(op, a, b) = *self.pool.get(expr) else { return None };
        let sign = if matches!(op, BinaryOp::Add(_)) {
            1
        } else if matches!(op, BinaryOp::Sub(_)) {
            -1
        } else {
            return None;
        };
        self.sum(a)?.plus(&self.sum(b)?, sign)
    }

    fn size(&self, expr: ExprId) -> Option<Named> {
        let Expr::Var(var) = self.pool.get(expr) else { return None };
        self.named.get(var).copied()
    }

    fn number(&self, expr: ExprId) -> Option<i128> {
        self.pool.as_constant(expr).and_then(Constant::as_integer)
    }

    /// Returns the operands of nested conjunctions or disjunctions.
    fn parts(&self, condition: ExprId, op: BinaryOp) -> Vec<ExprId> {
        let mut open = vec![condition];
        let mut parts = Vec::new();
        while let Some(expr) = open.pop() {
            if let Expr::Binary(own, a, b) = *self.pool.get(expr)
                && own == op
            {
                open.extend([b, a]);
            } else {
                parts.push(expr);
            }
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use halidom_ir::{Pool, Stmt, parse, visit};

    use super::{Admits, Object, Shapes};

    /// Returns what the entry checks of a program admit.
    fn admitted(checks: &[&str]) -> (Pool, Vec<Admits>) {
        let checks = checks.iter().map(|check| format!("assert {check}, size_limit \"it\";\n"));
        let text = format!(
            "algorithm copy {{
  input a(_0, _1): u8 in a.buffer [a.min.0, a.extent.0, a.stride.0]
    [a.min.1, a.extent.1, a.stride.1];
  func out(c, d): u8 {{ stage(c, d) = a(c, d); }}
  output out;
}}
program copy {{
  output out in out.buffer [out.min.0, out.extent.0, out.stride.0]
    [out.min.1, out.extent.1, out.stride.1] window [w, n] [v, m];
  {}
}}",
            checks.collect::<String>()
        );
        let module = parse::module(&text).expect("the program is written correctly");
        let program = module.program.expect("there is a program");
        let shapes = Shapes::of(&module.pool, &program, 64);
        let mut found = Vec::new();
        visit::for_each_stmt(&module.pool, program.body, &mut |_, stmt| {
            if let Stmt::Assert { condition, .. } = stmt {
                found.push(shapes.admits(*condition));
            }
        });
        (module.pool, found)
    }

    #[test]
    fn shapes_are_recognized_whatever_the_checks_call_themselves() {
        let (pool, found) = admitted(&[
            "a.stride.0 == 1",
            "1 <= a.stride.0 & a.extent.0 * a.stride.0 <= a.stride.1",
            "n <= 0 | m <= 0 | a.min.0 + 2 <= w & w + n + 3 <= a.min.0 + a.extent.0",
            "n <= 0 | 8 <= m",
            "a.extent.1 <= 2147483647",
        ]);
        let [a, out] = ["a", "out"].map(|name| {
            pool.funcs().find(|(_, func)| func.name == name).expect("it is declared").0
        });
        let (buffer, window) = (Object::Buffer(a), Object::Window(out));
        assert_eq!(
            found,
            [
                Admits::Adjacent { buffer, dim: 0 },
                Admits::Nested { buffer },
                Admits::Holds { buffer, window, dim: 0, before: 2, after: 3 },
                Admits::AtLeast { object: window, dim: 1, extent: 8 },
                Admits::Limits,
            ]
        );
    }

    #[test]
    fn a_check_that_refuses_more_is_shown_as_it_is_written() {
        let checks = [
            "a.stride.0 == 2",
            "a.stride.0 == 1 & 5 <= n",
            // Strides with a gap, in another order, of two buffers.
            "1 <= a.stride.0 & a.extent.0 * a.stride.0 + 1 <= a.stride.1",
            "1 <= a.stride.0 & a.extent.1 * a.stride.1 <= a.stride.0",
            "1 <= a.stride.0 & out.extent.0 * out.stride.0 <= out.stride.1",
            "2 <= a.stride.0",
            // Another dimension, a scaled window, one side, a third condition.
            "a.min.0 <= w & w + n <= a.min.1 + a.extent.1",
            "a.min.0 <= w & w + m <= a.min.0 + a.extent.0",
            "a.min.0 <= w & w + n + n <= a.min.0 + a.extent.0",
            "a.min.0 <= w & w <= a.min.0",
            "a.min.0 <= w & w + n <= a.min.0 + a.extent.0 & 5 <= n",
            "n <= 8",
            "8 <= n + m",
            "8 <= w",
        ];
        let (_, found) = admitted(&checks);
        for (check, found) in checks.iter().zip(found) {
            assert_eq!(found, Admits::Other, "{check}");
        }
    }
}
