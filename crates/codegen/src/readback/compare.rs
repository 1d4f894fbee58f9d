//! Walks the IR and the statements of the C side by side.

use halidom_base::FxHashSet;
use halidom_ir::{
    BufferDecl, BufferId, BufferKind, Check, Constant, ExprId, Interval, LoopKind, Pool, Program,
    Scalar, Stmt, StmtId, Type, VarId,
};

use super::Mismatch;
use super::helper_names::helper_of;
use super::lift::{Binding, Lift, Scope};
use super::syntax::{Action, File, Function, Line, Node, Shape, Ty};
use super::terms::{NoTerm, Op, Ring, TermId, Terms, in_memory, machine};
use crate::helpers::{Helper, VectorOp};

/// Compares every function of a file with a program.
pub(super) fn compare(
    pool: &Pool,
    program: &Program,
    text: &str,
    file: &File,
) -> Result<(), Mismatch> {
    let mut walk = Walk {
        pool,
        text,
        file,
        terms: Terms::new(pool),
        scope: Scope::default(),
        live: Vec::new(),
        checks: 0,
        visited: FxHashSet::default(),
    };
    let Some((entry, function)) = file.functions.iter().enumerate().find(|(_, f)| !f.is_static)
    else {
        return Err(Mismatch::at(text, text.len(), "no entry function"));
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

struct Walk<'t> {
    pool: &'t Pool,
    text: &'t str,
    file: &'t File,
    terms: Terms<'t>,
    scope: Scope,
    /// Names of the heap buffers that the current function must free.
    live: Vec<String>,
    /// How many entry checks came before.
    checks: usize,
    visited: FxHashSet<usize>,
}

type Compared = Result<(), Mismatch>;

/// Statements that are still to be matched.
type Rest<'t> = &'t [Line];

impl<'t> Walk<'t> {
    fn fail<T>(&self, at: usize, what: &str) -> Result<T, Mismatch> {
        Err(Mismatch::at(self.text, at, what))
    }

    fn require(&self, holds: bool, at: usize, what: &str) -> Compared {
        if holds { Ok(()) } else { self.fail(at, what) }
    }

    fn lift(&mut self) -> Lift<'_, 't> {
        Lift { text: self.text, scope: &self.scope, terms: &mut self.terms }
    }

    fn term(&mut self, at: usize, expr: ExprId) -> Result<TermId, Mismatch> {
        let text = self.text;
        self.terms
            .of_expr(expr)
            .map_err(|NoTerm| Mismatch::at(text, at, "an expression that no final program has"))
    }

    /// The next statement, which is taken.
    fn next(&self, rest: &mut Rest<'t>) -> Result<&'t Line, Mismatch> {
        match rest.split_first() {
            Some((first, others)) => {
                *rest = others;
                Ok(first)
            }
            None => self.fail(self.text.len(), "a statement is missing"),
        }
    }

    fn ends(&self, rest: Rest<'_>) -> Compared {
        match rest.first() {
            Some(line) => self.fail(line.at, "a statement that the program does not have"),
            None => Ok(()),
        }
    }

    // ---- Functions

    fn entry(&mut self, program: &Program, function: &'t Function) -> Compared {
        let report = Ty::Struct("halidom_failure".to_owned());
        let args = match function.parameters.as_slice() {
            [(Ty::Pointer { to: args, .. }, name), (Ty::Pointer { to, .. }, failure)]
                if **to == report && name == "args" && failure == "failure" =>
            {
                args
            }
            _ => return self.fail(function.at, "the entry function's parameters"),
        };
        let Ty::Struct(args) = &**args else {
            return self.fail(function.at, "the entry function's parameters");
        };
        let expected = self.entry_bindings(program);
        let fields = self.fields(function.at, args)?;
        self.require(fields.len() == expected.len(), function.at, "the entry function's struct")?;
        for ((ty, _), (_, expected)) in fields.iter().zip(&expected) {
            self.require(ty == expected, function.at, "the type of a field")?;
        }
        let known = fields
            .iter()
            .zip(&expected)
            .map(|((_, name), (binding, ty))| (name.clone(), *binding, ty.clone()));
        let known: Vec<(String, Binding, Ty)> = known.collect();
        let mut rest: Rest<'t> = &function.body;
        self.take_over(&mut rest, "args", &known)?;
        skip_discards(&mut rest, &["args", "failure"]);
        self.stmt(program.body, &mut rest)?;
        self.leaves_well(&mut rest)
    }

    /// What the struct of the entry function holds, in order.
    fn entry_bindings(&self, program: &Program) -> Vec<(Binding, Ty)> {
        let mut bindings = Vec::new();
        let int = Ty::Scalar(Scalar::I64);
        let buffer = |id: BufferId, bindings: &mut Vec<(Binding, Ty)>| {
            bindings.push((Binding::Buffer(id), self.pointer(id, false)));
            for dim in &self.pool.buffer(id).dims {
                for expr in [dim.min, dim.extent, dim.stride] {
                    if let halidom_ir::Expr::Var(var) = self.pool.get(expr) {
                        bindings.push((Binding::Var(*var), int.clone()));
                    }
                }
            }
        };
        for input in &program.inputs {
            buffer(*input, &mut bindings);
        }
        for output in &program.outputs {
            buffer(output.buffer, &mut bindings);
            for (min, extent) in &output.window {
                bindings.push((Binding::Var(*min), int.clone()));
                bindings.push((Binding::Var(*extent), int.clone()));
            }
        }
        for param in &program.params {
            let ty = scalar_type(self.pool.var(*param).ty.scalar);
            bindings.push((Binding::Var(*param), ty));
        }
        bindings
    }

    fn pointer(&self, buffer: BufferId, restrict: bool) -> Ty {
        let decl = self.pool.buffer(buffer);
        let read_only = decl.kind == BufferKind::Input;
        Ty::Pointer { to: Box::new(scalar_type(decl.scalar)), read_only, restrict }
    }

    fn fields(&self, at: usize, name: &str) -> Result<&'t [(Ty, String)], Mismatch> {
        match self.file.structs.iter().find(|(known, _)| known == name) {
            Some((_, fields)) => Ok(fields),
            None => self.fail(at, "a struct that is not declared"),
        }
    }

    /// `T name = base->name;` for some of the fields, each at most once.
    fn take_over(
        &mut self,
        rest: &mut Rest<'t>,
        base: &str,
        fields: &[(String, Binding, Ty)],
    ) -> Compared {
        while let Some((line, others)) = rest.split_first()
            && let Action::Declare(ty, name, Node { shape: Shape::Arrow(from, field), .. }) =
                &line.action
        {
            let from_base = from.is_name(base);
            let known = fields.iter().find(|(known, ..)| known == field);
            let Some((_, binding, field_ty)) = known.filter(|_| from_base && name == field) else {
                return self.fail(line.at, "a field that is not known");
            };
            let mut restricted = field_ty.clone();
            if let Ty::Pointer { restrict, .. } = &mut restricted {
                *restrict = true;
            }
            self.require(*ty == restricted, line.at, "a field of another type")?;
            self.require(self.scope.get(name).is_none(), line.at, "a name that is taken")?;
            self.scope.bind(name, *binding);
            *rest = others;
        }
        Ok(())
    }

    /// `return HALIDOM_OK;` and nothing more.
    fn leaves_well(&self, rest: &mut Rest<'t>) -> Compared {
        let line = self.next(rest)?;
        let good = matches!(&line.action, Action::Return(Node { shape: Shape::Name(status), .. }) if status == "HALIDOM_OK");
        self.require(good, line.at, "a function's end")?;
        self.ends(rest)
    }

    // ---- Statements

    /// A whole block for one statement.
    fn whole(&mut self, id: StmtId, lines: &'t [Line]) -> Compared {
        let depth = self.scope.depth();
        let mut rest: Rest<'t> = lines;
        self.stmt(id, &mut rest)?;
        self.scope.leave(depth);
        self.ends(rest)
    }

    fn stmt(&mut self, id: StmtId, rest: &mut Rest<'t>) -> Compared {
        match self.pool.get_stmt(id) {
            Stmt::Block(stmts) => stmts.iter().try_for_each(|stmt| self.stmt(*stmt, rest)),
            Stmt::Labeled { label: _, body } => self.stmt(*body, rest),
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
                    LoopKind::Parallel => self.parallel_loop(*var, (*min, *extent), *body, line),
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
            Stmt::Store { buffer, index, value, prophecy: _ } => {
                let line = self.next(rest)?;
                self.store((*buffer, *index, *value), line)
            }
            Stmt::Provide { .. } => self.fail(0, "a statement that no final program has"),
        }
    }

    fn let_stmt(&mut self, var: VarId, value: ExprId, rest: &mut Rest<'t>) -> Compared {
        let line = self.next(rest)?;
        let Action::Declare(ty, name, node) = &line.action else {
            return self.fail(line.at, "a declaration was expected");
        };
        self.require(self.scope.get(name).is_none(), line.at, "a name that is taken")?;
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
        self.scope.bind(name, binding);
        skip_discards(rest, &[name]);
        Ok(())
    }

    fn serial_loop(
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
        self.require(self.scope.get(name).is_none(), line.at, "a name that is taken")?;
        match end {
            Some((end_name, sum)) => {
                self.require(self.scope.get(end_name).is_none(), line.at, "a name that is taken")?;
                let Shape::Binary(op, start, found) = &sum.shape else {
                    return self.fail(sum.at, "another bound");
                };
                let from_start = op == "+" && start.is_name(name);
                let to_end = bound.is_name(end_name);
                self.require(from_start && to_end && end_name != name, sum.at, "another bound")?;
                let found = self.lift().scalar_as(found, Scalar::I64)?;
                self.require(found == expected_extent, sum.at, "another extent")?;
            }
            None => {
                // Without a variable for its end the loop must start at 0, and its bound must not change.
                let zero = self.terms.as_constant(found_min).and_then(Constant::as_integer);
                let fixed = matches!(&bound.shape, Shape::Name(bound) if bound != name)
                    || matches!(&bound.shape, Shape::Number(_));
                self.require(zero == Some(0) && fixed, line.at, "another bound")?;
                let found = self.lift().scalar_as(bound, Scalar::I64)?;
                self.require(found == expected_extent, bound.at, "another extent")?;
            }
        }
        let depth = self.scope.depth();
        self.scope.bind(name, Binding::Var(var));
        self.whole(body, lines)?;
        self.scope.leave(depth);
        Ok(())
    }

    fn parallel_loop(
        &mut self,
        var: VarId,
        (min, extent): (ExprId, ExprId),
        body: StmtId,
        line: &'t Line,
    ) -> Compared {
        let Action::Block(lines) = &line.action else {
            return self.fail(line.at, "the block of a parallel loop was expected");
        };
        let mut rest: Rest<'t> = lines;
        let mut closure = None;
        if let Some((first, others)) = rest.split_first()
            && let Action::DeclareStruct(ty, name, values) = &first.action
        {
            self.require(name == "closure", first.at, "another closure")?;
            closure = Some((ty, values));
            rest = others;
        }
        let call = self.next(&mut rest)?;
        let Action::Declare(Ty::CInt, status, Node { shape: Shape::Call(callee, arguments), .. }) =
            &call.action
        else {
            return self.fail(call.at, "the call of a parallel loop was expected");
        };
        let [function, given, from, count] = arguments.as_slice() else {
            return self.fail(call.at, "a parallel loop's arguments");
        };
        let given_well = match (&given.shape, &closure) {
            (Shape::Unary(op, name), Some(_)) => op == "&" && name.is_name("closure"),
            (Shape::Name(name), None) => name == "NULL",
            _ => false,
        };
        let well = callee == "halidom_parallel_for" && status == "status" && given_well;
        self.require(well, call.at, "a parallel loop's call")?;
        let expected_min = self.term(line.at, min)?;
        let expected_extent = self.term(line.at, extent)?;
        let found_min = self.lift().scalar_as(from, Scalar::I64)?;
        let found_extent = self.lift().scalar_as(count, Scalar::I64)?;
        self.require(found_min == expected_min, from.at, "another first value")?;
        self.require(found_extent == expected_extent, count.at, "another extent")?;
        let check = self.next(&mut rest)?;
        let Action::If(condition, leave, None) = &check.action else {
            return self.fail(check.at, "the check of a status was expected");
        };
        self.is_status_test(condition, "!=", "status", "HALIDOM_OK")?;
        self.leaves(check.at, leave, |value| value.is_name("status"))?;
        self.ends(rest)?;

        let Shape::Name(function) = &function.shape else {
            return self.fail(call.at, "a parallel loop's body");
        };
        self.outlined(call.at, var, body, function, closure)
    }

    /// The function that is a parallel loop's body.
    fn outlined(
        &mut self,
        at: usize,
        var: VarId,
        body: StmtId,
        name: &str,
        closure: Option<(&'t String, &'t Vec<Node>)>,
    ) -> Compared {
        let found = self.file.functions.iter().position(|function| function.name == name);
        let Some(number) = found.filter(|number| self.visited.insert(*number)) else {
            return self.fail(at, "a parallel loop without a body of its own");
        };
        let function = &self.file.functions[number];
        let void = Ty::Pointer { to: Box::new(Ty::Void), read_only: false, restrict: false };
        let [(closure_ty, closure_name), (Ty::Scalar(Scalar::I64), index)] =
            function.parameters.as_slice()
        else {
            return self.fail(function.at, "the parameters of a parallel loop's body");
        };
        let well = function.is_static && *closure_ty == void && closure_name == "closure";
        self.require(well, function.at, "the parameters of a parallel loop's body")?;

        let mut rest: Rest<'t> = &function.body;
        let mut fields = Vec::new();
        if let Some((struct_name, values)) = closure {
            let line = self.next(&mut rest)?;
            let pointer = Ty::Pointer {
                to: Box::new(Ty::Struct(struct_name.clone())),
                read_only: true,
                restrict: false,
            };
            let Action::Declare(ty, captured, Node { shape: Shape::Name(from), .. }) = &line.action
            else {
                return self.fail(line.at, "what is captured was expected");
            };
            let well = *ty == pointer && captured == "captured" && from == "closure";
            self.require(well, line.at, "what is captured")?;
            let declared = self.fields(at, struct_name)?;
            self.require(declared.len() == values.len(), at, "a closure of another size")?;
            for ((ty, field), value) in declared.iter().zip(values) {
                let Shape::Name(value_name) = &value.shape else {
                    return self.fail(value.at, "a captured name was expected");
                };
                let Some(binding) = self.scope.get(value_name) else {
                    return self.fail(value.at, "a name that stands for nothing");
                };
                self.require(*ty == self.binding_type(binding), value.at, "a field's type")?;
                fields.push((field.clone(), binding, ty.clone()));
            }
        }
        // Only what was captured is visible within.
        let outer_scope = std::mem::take(&mut self.scope);
        let outer_live = std::mem::take(&mut self.live);
        self.take_over(&mut rest, "captured", &fields)?;
        skip_discards(&mut rest, &["closure", index]);
        self.require(self.scope.get(index).is_none(), function.at, "a name that is taken")?;
        self.scope.bind(index, Binding::Var(var));
        self.stmt(body, &mut rest)?;
        self.leaves_well(&mut rest)?;
        self.scope = outer_scope;
        self.live = outer_live;
        Ok(())
    }

    fn binding_type(&self, binding: Binding) -> Ty {
        match binding {
            Binding::Buffer(buffer) => self.pointer(buffer, false),
            Binding::Var(var) => {
                let ty = self.pool.var(var).ty;
                if ty.lanes == 1 {
                    scalar_type(ty.scalar)
                } else {
                    Ty::Vector(machine(ty.scalar), ty.lanes)
                }
            }
            Binding::Mask(var, width) => Ty::Vector(width, self.pool.var(var).ty.lanes),
        }
    }

    fn is_status_test(&self, node: &Node, op: &str, name: &str, status: &str) -> Compared {
        let well = if let Shape::Binary(found, lhs, rhs) = &node.shape {
            found == op && lhs.is_name(name) && rhs.is_name(status)
        } else {
            false
        };
        self.require(well, node.at, "another test of a status")
    }

    /// Frees every live buffer, the last first, and returns.
    fn leaves(
        &self,
        at: usize,
        lines: &'t [Line],
        returned: impl FnOnce(&'t Node) -> bool,
    ) -> Compared {
        let mut rest: Rest<'t> = lines;
        for name in self.live.iter().rev() {
            let line = self.next(&mut rest)?;
            self.frees(line, name)?;
        }
        let line = self.next(&mut rest)?;
        let Action::Return(value) = &line.action else {
            return self.fail(line.at, "a return was expected");
        };
        self.require(returned(value), at, "another status is returned")?;
        self.ends(rest)
    }

    fn frees(&self, line: &Line, name: &str) -> Compared {
        let well = if let Action::Call(Node { shape: Shape::Call(callee, arguments), .. }) =
            &line.action
            && let [freed] = arguments.as_slice()
        {
            callee == "halidom_free" && freed.is_name(name)
        } else {
            false
        };
        self.require(well, line.at, "a buffer is not freed")
    }

    fn allocate(&mut self, buffer: BufferId, body: StmtId, lines: &'t [Line]) -> Compared {
        let decl = self.pool.buffer(buffer);
        let mut rest: Rest<'t> = lines;
        let line = self.next(&mut rest)?;
        let size = self.size(line.at, decl)?;
        match &line.action {
            Action::DeclareArray(ty, name, length, align) => {
                self.require(*ty == scalar_type(decl.scalar), line.at, "elements of another type")?;
                let length = self.lift().scalar_as(length, Scalar::I64)?;
                let one = self.terms.constant(Constant::int(1));
                let at_least_one = self.terms.binary(Op::Max, size, one);
                self.require(length == at_least_one, line.at, "a buffer of another size")?;
                let aligned = matches!(&align.shape, Shape::Number(bytes) if bytes == "64");
                self.require(aligned, line.at, "another alignment")?;
                self.require(self.scope.get(name).is_none(), line.at, "a name that is taken")?;
                self.scope.bind(name, Binding::Buffer(buffer));
                self.stmt(body, &mut rest)?;
            }
            Action::Declare(ty, name, Node { shape: Shape::Call(callee, arguments), .. }) => {
                self.require(*ty == self.pointer(buffer, true), line.at, "another pointer")?;
                self.require(callee == "halidom_alloc", line.at, "another function")?;
                let [Node { shape: Shape::Binary(times, count, element), .. }] =
                    arguments.as_slice()
                else {
                    return self.fail(line.at, "a buffer of another size");
                };
                let Shape::Cast(Ty::Size, count) = &count.shape else {
                    return self.fail(line.at, "a buffer of another size");
                };
                let element_size = Shape::SizeOf(scalar_type(decl.scalar));
                let well = times == "*" && element.shape == element_size;
                self.require(well, line.at, "a buffer of another size")?;
                let count = self.lift().scalar_as(count, Scalar::I64)?;
                self.require(count == size, line.at, "a buffer of another size")?;
                let check = self.next(&mut rest)?;
                let Action::If(condition, leave, None) = &check.action else {
                    return self.fail(check.at, "the check of an allocation was expected");
                };
                self.is_status_test(condition, "==", name, "NULL")?;
                self.leaves(check.at, leave, |value| value.is_name("HALIDOM_OUT_OF_MEMORY"))?;
                self.require(self.scope.get(name).is_none(), line.at, "a name that is taken")?;
                self.scope.bind(name, Binding::Buffer(buffer));
                self.live.push(name.clone());
                self.stmt(body, &mut rest)?;
                self.live.pop();
                let line = self.next(&mut rest)?;
                self.frees(line, name)?;
            }
            Action::Declare(..)
            | Action::DeclareStruct(..)
            | Action::Assign(..)
            | Action::Call(_)
            | Action::Discard(_)
            | Action::If(..)
            | Action::For { .. }
            | Action::Block(_)
            | Action::Return(_) => return self.fail(line.at, "a buffer was expected"),
        }
        self.ends(rest)
    }

    /// How many elements a buffer needs: one more than the greatest number of one, none if the box is empty.
    fn size(&mut self, at: usize, decl: &BufferDecl) -> Result<TermId, Mismatch> {
        let one = self.terms.constant(Constant::int(1));
        let zero = self.terms.constant(Constant::int(0));
        let mut last = None;
        for dim in &decl.dims {
            let extent = self.term(at, dim.extent)?;
            let stride = self.term(at, dim.stride)?;
            let steps = self.terms.ring(Ring::Sub, true, extent, one);
            let span =
                if stride == one { steps } else { self.terms.ring(Ring::Mul, true, stride, steps) };
            last = Some(match last {
                Some(sum) => self.terms.ring(Ring::Add, true, sum, span),
                None => span,
            });
        }
        let Some(last) = last else { return Ok(one) };
        let count = self.terms.ring(Ring::Add, true, last, one);
        Ok(self.terms.binary(Op::Max, count, zero))
    }

    fn assert(&mut self, condition: ExprId, check: &Check, line: &'t Line) -> Compared {
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
        let expected = reports(check);
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

    fn store(
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

    fn vector_store(
        &mut self,
        at: usize,
        callee: &str,
        arguments: &[Node],
        (scalar, lanes): (Scalar, u32),
    ) -> Result<(BufferId, TermId, TermId), Mismatch> {
        let Some(Helper::Vector(op, found_scalar, found_lanes)) = helper_of(callee) else {
            return self.fail(at, "a store was expected");
        };
        let same = (found_scalar, found_lanes) == (scalar, lanes);
        self.require(same, at, "a store of another type")?;
        let one = self.terms.constant(Constant::int(1));
        let mut lift = self.lift();
        let (buffer, index, value) = match (op, arguments) {
            (VectorOp::Store, [address, value]) => {
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
}

/// What a failed check must report: for regions, what is needed and what is given.
fn reports(check: &Check) -> Vec<ExprId> {
    match check {
        Check::InputRegion { needed, given, .. } | Check::OutputRegion { needed, given, .. } => {
            [*needed, *given].iter().flat_map(|Interval { min, extent }| [*min, *extent]).collect()
        }
        Check::Require { .. }
        | Check::DomainExtent { .. }
        | Check::SplitFactor { .. }
        | Check::Bound { .. }
        | Check::SizeLimit { .. }
        | Check::Layout { .. } => Vec::new(),
    }
}

/// The C type of a scalar.
pub(super) fn scalar_type(scalar: Scalar) -> Ty {
    Ty::Scalar(in_memory(scalar))
}

/// Passes over `(void)name;`.
fn skip_discards(rest: &mut Rest<'_>, names: &[&str]) {
    while let Some((line, others)) = rest.split_first()
        && let Action::Discard(name) = &line.action
        && names.contains(&name.as_str())
    {
        *rest = others;
    }
}
