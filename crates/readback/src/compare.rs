//! Walks the IR and the C's statements side by side.

use halidom_base::FxHashSet;
use halidom_ir::{
    BufferId, Check, Constant, Deal, Expr, ExprId, Interval, Label, LoopKind, Pool, Program,
    Scalar, Stmt, StmtId, Type, VarId,
};
use halidom_prelude::helpers::Helper;
use halidom_prelude::operators::{AtomicOp, Few, VectorOp};

use crate::helper_names::helper_of;
use crate::lift::{Binding, Lift, Scope};
use crate::mismatch::Mismatch;
use crate::names::Taken;
use crate::syntax::{Action, File, Line, Node, Shape, Ty};
use crate::term::{Op, Ring, TermId};
use crate::terms::{NoTerm, Terms, in_memory, machine};

/// Compares every function of a file with a program.
pub(crate) fn compare(
    pool: &Pool,
    program: &Program,
    text: &str,
    file: &File,
) -> Result<(), Mismatch> {
    let Some((entry, function)) = file.functions.iter().enumerate().find(|(_, f)| !f.is_static)
    else {
        return Err(Mismatch::at(text, text.len(), "no entry function"));
    };
    let mut walk = Walk {
        pool,
        text,
        file,
        terms: Terms::new(pool),
        scope: Scope::default(),
        taken: Taken::of(file, &function.name, text)?,
        checks: 0,
        visited: FxHashSet::default(),
    };
    walk.entry(program, function)?;
    walk.visited.insert(entry);
    match (0..file.functions.len()).find(|number| !walk.visited.contains(number)) {
        Some(number) => {
            Err(Mismatch::at(text, file.functions[number].at, "a function that nothing calls"))
        }
        None => Ok(()),
    }
}

/// The state of the walk.
pub(crate) struct Walk<'t> {
    pub(crate) pool: &'t Pool,
    pub(crate) text: &'t str,
    pub(crate) file: &'t File,
    pub(crate) terms: Terms<'t>,
    pub(crate) scope: Scope,
    /// The names that no variable may hide.
    pub(crate) taken: Taken<'t>,
    /// The number of entry checks so far.
    pub(crate) checks: usize,
    pub(crate) visited: FxHashSet<usize>,
}

/// The result of a comparison.
pub(crate) type Compared = Result<(), Mismatch>;

/// Statements that are still to be matched.
pub(crate) type Rest<'t> = &'t [Line];

impl<'t> Walk<'t> {
    pub(crate) fn fail<T>(&self, at: usize, what: &str) -> Result<T, Mismatch> {
        Err(Mismatch::at(self.text, at, what))
    }

    pub(crate) fn require(&self, holds: bool, at: usize, what: &str) -> Compared {
        if holds { Ok(()) } else { self.fail(at, what) }
    }

    /// Requires that a name of a variable is new.
    pub(crate) fn is_free(&self, at: usize, name: &str) -> Compared {
        let is_free = self.scope.get(name).is_none() && !self.taken.contains(name);
        self.require(is_free, at, "a name that is taken")
    }

    /// Gives a new name its meaning.
    pub(crate) fn bind(&mut self, at: usize, name: &str, binding: Binding) -> Compared {
        self.is_free(at, name)?;
        self.scope.bind(name, binding);
        Ok(())
    }

    pub(crate) fn lift(&mut self) -> Lift<'_, 't> {
        Lift { text: self.text, scope: &self.scope, terms: &mut self.terms }
    }

    pub(crate) fn term(&mut self, at: usize, expr: ExprId) -> Result<TermId, Mismatch> {
        let text = self.text;
        self.terms
            .of_expr(expr)
            .map_err(|NoTerm| Mismatch::at(text, at, "an expression that no final program has"))
    }

    /// Takes the next statement.
    pub(crate) fn next(&self, rest: &mut Rest<'t>) -> Result<&'t Line, Mismatch> {
        match rest.split_first() {
            Some((first, others)) => {
                *rest = others;
                Ok(first)
            }
            None => self.fail(self.text.len(), "a statement is missing"),
        }
    }

    pub(crate) fn ends(&self, rest: Rest<'_>) -> Compared {
        match rest.first() {
            Some(line) => self.fail(line.at, "a statement that the program does not have"),
            None => Ok(()),
        }
    }

    /// Matches a whole block with one statement.
    pub(crate) fn whole(&mut self, id: StmtId, lines: &'t [Line]) -> Compared {
        let depth = self.scope.depth();
        let mut rest: Rest<'t> = lines;
        self.stmt(id, &mut rest)?;
        self.scope.leave(depth);
        self.ends(rest)
    }

    pub(crate) fn stmt(&mut self, id: StmtId, rest: &mut Rest<'t>) -> Compared {
        match self.pool.get_stmt(id) {
            Stmt::Block(stmts) => stmts.iter().try_for_each(|stmt| self.stmt(*stmt, rest)),
            Stmt::Labeled { label, body } => {
                match label {
                    Label::Prefetch { buffer, index } => {
                        let line = self.next(rest)?;
                        self.prefetch(*buffer, *index, line)?;
                    }
                    Label::Func { .. }
                    | Label::Stage { .. }
                    | Label::Partition(_)
                    | Label::Ahead { .. } => {}
                }
                self.stmt(*body, rest)
            }
            Stmt::Let { var, value, body } => {
                if let Some((line, others)) = rest.split_first()
                    && let Action::Block(lines) = &line.action
                {
                    *rest = others;
                    return self.whole(id, lines);
                }
                self.let_stmt(*var, *value, rest)?;
                self.stmt(*body, rest)
            }
            Stmt::If { condition, then_branch, else_branch } => {
                let line = self.next(rest)?;
                let Action::If(found, then_lines, else_lines) = &line.action else {
                    return self.fail(line.at, "`if` was expected");
                };
                let expected = self.term(line.at, *condition)?;
                let found_term = self.lift().truth(found)?;
                self.require(found_term == expected, found.at, "another condition")?;
                self.whole(*then_branch, then_lines)?;
                match (else_branch, else_lines) {
                    (Some(stmt), Some(lines)) => self.whole(*stmt, lines),
                    (None, None) => Ok(()),
                    (Some(_), None) | (None, Some(_)) => self.fail(line.at, "another `else`"),
                }
            }
            Stmt::For { var, min, extent, kind, body } => {
                let line = self.next(rest)?;
                match kind {
                    LoopKind::Serial => self.serial_loop(*var, (*min, *extent), *body, line),
                    LoopKind::Parallel(deal) => {
                        self.parallel_loop(*var, (*min, *extent), *deal, *body, line)
                    }
                    LoopKind::GpuBlocks | LoopKind::GpuThreads => {
                        self.parallel_loop(*var, (*min, *extent), Deal::Auto, *body, line)
                    }
                    LoopKind::Vectorized | LoopKind::Unrolled => {
                        self.fail(line.at, "a loop that no final program has")
                    }
                }
            }
            Stmt::Allocate { buffer, body } => {
                let line = self.next(rest)?;
                let Action::Block(lines) = &line.action else {
                    return self.fail(line.at, "the block of a buffer was expected");
                };
                let depth = self.scope.depth();
                self.allocate(*buffer, *body, lines)?;
                self.scope.leave(depth);
                Ok(())
            }
            Stmt::Assert { condition, check } => {
                let line = self.next(rest)?;
                self.assert(*condition, check, line)
            }
            Stmt::Store { buffer, index, value, prophecy: _, atomic } => {
                let line = self.next(rest)?;
                if *atomic {
                    self.update((*buffer, *index, *value), line)
                } else {
                    self.store((*buffer, *index, *value), line)
                }
            }
            Stmt::Provide { .. } => self.fail(0, "a statement that no final program has"),
        }
    }

    /// Matches a call of the runtime's function with the buffer, the element's number and the size
    /// of elements.
    fn prefetch(&mut self, buffer: BufferId, index: ExprId, line: &'t Line) -> Compared {
        let Action::Call(Node { shape: Shape::Call(callee, arguments), .. }) = &line.action else {
            return self.fail(line.at, "a prefetch was expected");
        };
        let (true, [memory, at, bytes]) = (callee == "halidom_prefetch", arguments.as_slice())
        else {
            return self.fail(line.at, "a prefetch was expected");
        };
        let expected_index = self.term(line.at, index)?;
        let expected_bytes = self.pool.buffer(buffer).scalar.bytes().unwrap_or(1);
        let mut lift = self.lift();
        let found_buffer = lift.buffer(memory)?;
        let found_index = lift.scalar_as(at, Scalar::U64)?;
        let same_bytes =
            matches!(&bytes.shape, Shape::Number(found) if *found == expected_bytes.to_string());
        self.require(found_buffer == buffer, line.at, "another buffer is prefetched")?;
        self.require(found_index == expected_index, line.at, "another element is prefetched")?;
        self.require(same_bytes, line.at, "elements of another size are prefetched")
    }

    pub(crate) fn let_stmt(&mut self, var: VarId, value: ExprId, rest: &mut Rest<'t>) -> Compared {
        let line = self.next(rest)?;
        let Action::Declare(ty, name, node) = &line.action else {
            return self.fail(line.at, "a declaration was expected");
        };
        let expected = self.term(line.at, value)?;
        let Type { scalar, lanes } = self.pool.ty(value);
        let (found, binding) = match ty {
            Ty::Scalar(c_scalar) if lanes == 1 && *ty == scalar_type(scalar) => {
                let found = self.lift().scalar_as(node, *c_scalar)?;
                // A `bool` is the byte 0 or 1.
                let expected_byte = self.terms.cast(*c_scalar, expected);
                self.require(found == expected_byte, node.at, "another value")?;
                (expected, Binding::Var(var))
            }
            Ty::Vector(width, count) if *count == lanes && scalar == Scalar::Bool => {
                (self.lift().mask_as(node, *width, lanes)?, Binding::Mask(var, *width))
            }
            Ty::Vector(c_scalar, count) if *count == lanes && *c_scalar == machine(scalar) => {
                (self.lift().vector_as(node, *c_scalar, lanes)?, Binding::Var(var))
            }
            Ty::Scalar(_)
            | Ty::Vector(..)
            | Ty::Void
            | Ty::CInt
            | Ty::Size
            | Ty::Struct(_)
            | Ty::Pointer { .. } => return self.fail(line.at, "a variable of another type"),
        };
        self.require(found == expected, node.at, "another value")?;
        self.bind(line.at, name, binding)?;
        skip_discards(rest, &[name]);
        Ok(())
    }

    pub(crate) fn serial_loop(
        &mut self,
        var: VarId,
        (min, extent): (ExprId, ExprId),
        body: StmtId,
        line: &'t Line,
    ) -> Compared {
        let Action::For { var: name, from, end, bound, body: lines } = &line.action else {
            return self.fail(line.at, "a loop was expected");
        };
        let expected_min = self.term(line.at, min)?;
        let expected_extent = self.term(line.at, extent)?;
        let found_min = self.lift().scalar_as(from, Scalar::I64)?;
        self.require(found_min == expected_min, from.at, "another first value")?;
        match end {
            Some((end_name, sum)) => {
                self.is_free(line.at, end_name)?;
                let Shape::Binary(op, start, found) = &sum.shape else {
                    return self.fail(sum.at, "another bound");
                };
                let from_start = op == "+" && start.is_name(name);
                let to_end = bound.is_name(end_name);
                self.require(from_start && to_end && end_name != name, sum.at, "another bound")?;
                // With a negative extent, the loop would never meet its end.
                let found = if let Shape::Call(callee, arguments) = &found.shape
                    && callee == "max_int"
                    && let [extent, Node { shape: Shape::Number(least), .. }] = &arguments[..]
                    && least == "0"
                {
                    extent
                } else {
                    let is_literal = matches!(found.shape, Shape::Number(_));
                    self.require(is_literal, sum.at, "an extent that may be negative")?;
                    found
                };
                let found = self.lift().scalar_as(found, Scalar::I64)?;
                self.require(found == expected_extent, sum.at, "another extent")?;
            }
            None => {
                // Without a variable for its end, the loop must start at 0, and its bound must not
                // change.
                let zero = self.terms.as_constant(found_min).and_then(Constant::as_integer);
                let fixed = matches!(&bound.shape, Shape::Number(_));
                self.require(zero == Some(0) && fixed, line.at, "another bound")?;
                let found = self.lift().scalar_as(bound, Scalar::I64)?;
                self.require(found == expected_extent, bound.at, "another extent")?;
            }
        }
        let depth = self.scope.depth();
        self.bind(line.at, name, Binding::Var(var))?;
        self.whole(body, lines)?;
        self.scope.leave(depth);
        Ok(())
    }

    pub(crate) fn assert(&mut self, condition: ExprId, check: &Check, line: &'t Line) -> Compared {
        let Action::If(found, leave, None) = &line.action else {
            return self.fail(line.at, "a check was expected");
        };
        let Shape::Unary(op, holds) = &found.shape else {
            return self.fail(found.at, "another check");
        };
        let expected = self.term(line.at, condition)?;
        let holds = self.lift().truth(holds)?;
        self.require(op == "!" && holds == expected, found.at, "another check")?;
        let number = self.checks.to_string();
        self.checks += 1;
        let mut reported = None;
        self.leaves(line.at, leave, |value| {
            if let Shape::Call(callee, arguments) = &value.shape
                && callee == "halidom_fail"
                && let [failure, check, count, values] = arguments.as_slice()
                && failure.is_name("failure")
                && matches!(&check.shape, Shape::Number(found) if *found == number)
                && let Shape::Number(count) = &count.shape
            {
                reported = Some((count, values));
            }
            true
        })?;
        let Some((count, values)) = reported else {
            return self.fail(line.at, "another failure is reported");
        };
        let expected = reports(self.pool, condition, check);
        self.require(*count == expected.len().to_string(), line.at, "another number of values")?;
        match (&values.shape, expected.as_slice()) {
            (Shape::Name(name), []) => self.require(name == "NULL", values.at, "other values"),
            (Shape::Array(Ty::Scalar(Scalar::I64), found), [_, ..])
                if found.len() == expected.len() =>
            {
                for (node, expr) in found.iter().zip(expected) {
                    let expected = self.term(node.at, expr)?;
                    let found = self.lift().scalar_as(node, Scalar::I64)?;
                    self.require(found == expected, node.at, "another value is reported")?;
                }
                Ok(())
            }
            _ => self.fail(values.at, "other values"),
        }
    }

    pub(crate) fn store(
        &mut self,
        (buffer, index, value): (BufferId, ExprId, ExprId),
        line: &'t Line,
    ) -> Compared {
        let expected_index = self.term(line.at, index)?;
        let expected = self.term(line.at, value)?;
        let scalar = in_memory(self.pool.buffer(buffer).scalar);
        let expected = self.terms.cast(scalar, expected);
        let lanes = self.pool.ty(value).lanes;
        let (found_buffer, found_index, found) = match &line.action {
            Action::Assign(Node { shape: Shape::Index(base, at), .. }, value) if lanes == 1 => {
                let mut lift = self.lift();
                let found_buffer = lift.buffer(base)?;
                let found_index = lift.scalar_as(at, Scalar::I64)?;
                (found_buffer, found_index, lift.scalar_as(value, scalar)?)
            }
            Action::Call(Node { shape: Shape::Call(callee, arguments), .. }) => {
                self.vector_store(line.at, callee, arguments, (scalar, lanes))?
            }
            Action::Assign(..)
            | Action::Declare(..)
            | Action::DeclareOwning(..)
            | Action::DeclareArray(..)
            | Action::DeclareStruct(..)
            | Action::Call(_)
            | Action::Discard(_)
            | Action::If(..)
            | Action::For { .. }
            | Action::Block(_)
            | Action::Return(_) => return self.fail(line.at, "a store was expected"),
        };
        self.require(found_buffer == buffer, line.at, "another buffer is written")?;
        self.require(found_index == expected_index, line.at, "another element is written")?;
        self.require(found == expected, line.at, "another value is written")
    }

    /// Matches an atomic update: the function's operator, applied to the element and the argument,
    /// must give the value.
    fn update(
        &mut self,
        (buffer, index, value): (BufferId, ExprId, ExprId),
        line: &'t Line,
    ) -> Compared {
        let expected_index = self.term(line.at, index)?;
        let expected = self.term(line.at, value)?;
        let scalar = in_memory(self.pool.buffer(buffer).scalar);
        let expected = self.terms.cast(scalar, expected);
        let Action::Call(Node { shape: Shape::Call(callee, arguments), .. }) = &line.action else {
            return self.fail(line.at, "an atomic update was expected");
        };
        let (Some(Helper::Atomic(op, found_scalar)), [address, operand]) =
            (helper_of(callee), arguments.as_slice())
        else {
            return self.fail(line.at, "an atomic update was expected");
        };
        self.require(found_scalar == scalar, line.at, "an update of another type")?;
        let mut lift = self.lift();
        let (found_buffer, found_index) = lift.address(address)?;
        let operand = lift.scalar_as(operand, scalar)?;
        let old = lift.terms.load(found_buffer, found_index);
        // All operators but the difference commute: the operand may stand on either side.
        let matches = [(old, operand), (operand, old)].into_iter().any(|(lhs, rhs)| {
            let in_order = lhs == old || op != AtomicOp::Sub;
            in_order && apply(&mut *lift.terms, op, lhs, rhs) == expected
        });
        self.require(found_buffer == buffer, line.at, "another buffer is updated")?;
        self.require(found_index == expected_index, line.at, "another element is updated")?;
        self.require(matches, line.at, "another update")
    }

    pub(crate) fn vector_store(
        &mut self,
        at: usize,
        callee: &str,
        arguments: &[Node],
        (scalar, lanes): (Scalar, u32),
    ) -> Result<(BufferId, TermId, TermId), Mismatch> {
        let Some(Helper::Vector(op, found_scalar, found_lanes)) = helper_of(callee) else {
            return self.fail(at, "a store was expected");
        };
        self.require(found_scalar == scalar, at, "a store of another type")?;
        if let VectorOp::StoreInterleaved(count) | VectorOp::StreamInterleaved(count) = op {
            return self.row_store(at, (count, scalar, found_lanes), arguments);
        }
        let same = found_lanes == lanes;
        self.require(same, at, "a store of another type")?;
        let one = self.terms.constant(Constant::int(1));
        let mut lift = self.lift();
        let (buffer, index, value) = match (op, arguments) {
            (VectorOp::Store | VectorOp::Stream, [address, value]) => {
                let (buffer, base) = lift.address(address)?;
                (buffer, lift.terms.ramp(base, one, lanes), value)
            }
            (VectorOp::StoreStrided, [address, stride, value]) => {
                let (buffer, base) = lift.address(address)?;
                let stride = lift.scalar_as(stride, Scalar::I64)?;
                (buffer, lift.terms.ramp(base, stride, lanes), value)
            }
            (VectorOp::Scatter, [memory, index, value]) => {
                let buffer = lift.buffer(memory)?;
                (buffer, lift.vector_as(index, Scalar::I64, lanes)?, value)
            }
            _ => return self.fail(at, "a store was expected"),
        };
        let value = lift.vector_as(value, scalar, lanes)?;
        Ok((buffer, index, value))
    }

    /// Lifts a call that stores vectors interleaved into consecutive elements.
    fn row_store(
        &mut self,
        at: usize,
        (count, scalar, lanes): (Few, Scalar, u32),
        arguments: &[Node],
    ) -> Result<(BufferId, TermId, TermId), Mismatch> {
        let Some((address, vectors)) = arguments.split_first() else {
            return self.fail(at, "a store was expected");
        };
        let well = vectors.len() == count.count() as usize;
        self.require(well, at, "another number of vectors")?;
        let one = self.terms.constant(Constant::int(1));
        let mut lift = self.lift();
        let (buffer, base) = lift.address(address)?;
        let vectors = vectors.iter().map(|vector| lift.vector_as(vector, scalar, lanes));
        let vectors = vectors.collect::<Result<Vec<_>, _>>()?;
        let all = count.count() * lanes;
        let taken = |number: u32| Some(number % count.count() * lanes + number / count.count());
        let taken: Vec<_> = (0..all).map(taken).collect();
        let index = self.terms.ramp(base, one, all);
        match self.terms.shuffle(&vectors, &taken) {
            Some(value) => Ok((buffer, index, value)),
            None => self.fail(at, "lanes that do not exist"),
        }
    }
}

/// Returns the value of an update.
fn apply(terms: &mut Terms<'_>, op: AtomicOp, old: TermId, operand: TermId) -> TermId {
    match op {
        AtomicOp::Add => terms.ring(Ring::Add, false, old, operand),
        AtomicOp::Sub => terms.ring(Ring::Sub, false, old, operand),
        AtomicOp::Mul => terms.ring(Ring::Mul, false, old, operand),
        AtomicOp::Min => terms.binary(Op::Min, old, operand),
        AtomicOp::Max => terms.binary(Op::Max, old, operand),
        AtomicOp::And => terms.binary(Op::And, old, operand),
        AtomicOp::Or => terms.binary(Op::Or, old, operand),
        AtomicOp::Xor => terms.binary(Op::Xor, old, operand),
    }
}

/// Returns the values that a failed check must report: for a region, the needed interval and the
/// given one; for an extent or a factor, the number that is compared with a constant.
fn reports(pool: &Pool, condition: ExprId, check: &Check) -> Vec<ExprId> {
    match check {
        Check::InputRegion { needed, given, .. } | Check::OutputRegion { needed, given, .. } => {
            [*needed, *given].iter().flat_map(|Interval { min, extent }| [*min, *extent]).collect()
        }
        Check::DomainExtent { .. } | Check::SplitFactor { .. } => {
            let Expr::Binary(_, lhs, rhs) = *pool.get(condition) else { return Vec::new() };
            let variable = |id: &ExprId| pool.as_constant(*id).is_none();
            let sides: Vec<ExprId> = [lhs, rhs].into_iter().filter(variable).collect();
            if sides.len() == 1 { sides } else { Vec::new() }
        }
        Check::Require { .. }
        | Check::Bound { .. }
        | Check::SizeLimit { .. }
        | Check::Layout { .. } => Vec::new(),
    }
}

/// Returns the C type of a scalar.
pub(crate) fn scalar_type(scalar: Scalar) -> Ty {
    Ty::Scalar(in_memory(scalar))
}

/// Skips `(void)name;` for these names.
pub(crate) fn skip_discards(rest: &mut Rest<'_>, names: &[&str]) {
    while let Some((line, others)) = rest.split_first()
        && let Action::Discard(name) = &line.action
        && names.contains(&name.as_str())
    {
        *rest = others;
    }
}
