//! Functions: the entry with its struct, and the bodies of parallel loops with their closures.

use std::num::NonZeroU32;

use halidom_base::FxHashSet;
use halidom_ir::{BufferId, BufferKind, Deal, ExprId, Program, Scalar, StmtId, VarId};

use crate::compare::{Compared, Rest, Walk, scalar_type, skip_discards};
use crate::lift::{Binding, Scope};
use crate::mismatch::Mismatch;
use crate::syntax::{Action, Function, Line, Node, Shape, Ty};
use crate::terms::machine;

/// The bytes that a struct's fields of type `bool` may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bools {
    /// Any byte; those that are not 0 are true.
    OfCaller,
    /// 0 or 1.
    Truths,
}

impl<'t> Walk<'t> {
    pub(crate) fn entry(&mut self, program: &Program, function: &'t Function) -> Compared {
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
        self.take_over(&mut rest, "args", Bools::OfCaller, &known)?;
        skip_discards(&mut rest, &["args", "failure"]);
        self.stmt(program.body, &mut rest)?;
        self.leaves_well(&mut rest)
    }

    /// Lists the fields of the entry function's struct, in order.
    pub(crate) fn entry_bindings(&self, program: &Program) -> Vec<(Binding, Ty)> {
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
            for (component, id) in output.buffers.iter().enumerate() {
                if component == 0 {
                    buffer(*id, &mut bindings);
                } else {
                    bindings.push((Binding::Buffer(*id), self.pointer(*id, false)));
                }
            }
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

    pub(crate) fn pointer(&self, buffer: BufferId, restrict: bool) -> Ty {
        let decl = self.pool.buffer(buffer);
        let read_only = decl.kind == BufferKind::Input;
        Ty::Pointer { to: Box::new(scalar_type(decl.scalar)), read_only, restrict }
    }

    pub(crate) fn fields(&self, at: usize, name: &str) -> Result<&'t [(Ty, String)], Mismatch> {
        match self.file.structs.iter().find(|declared| declared.name == name) {
            Some(declared) => Ok(&declared.fields),
            None => self.fail(at, "a struct that is not declared"),
        }
    }

    /// Matches `T name = base->name;` for some of the fields, each at most once. A caller's `bool`
    /// may be any byte, so the entry function writes `args->name != 0`.
    pub(crate) fn take_over(
        &mut self,
        rest: &mut Rest<'t>,
        base: &str,
        bools: Bools,
        fields: &[(String, Binding, Ty)],
    ) -> Compared {
        while let Some((line, others)) = rest.split_first()
            && let Action::Declare(ty, name, node) = &line.action
            && let Some((from, field, as_truth)) = taken_field(node)
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
            let is_bool = if let Binding::Var(var) = binding {
                self.pool.var(*var).ty.scalar == Scalar::Bool
            } else {
                false
            };
            let well = as_truth == (is_bool && bools == Bools::OfCaller);
            self.require(well, line.at, "a `bool` that may be no truth value")?;
            self.bind(line.at, name, *binding)?;
            *rest = others;
        }
        Ok(())
    }

    /// Matches `return HALIDOM_OK;` and nothing more.
    pub(crate) fn leaves_well(&self, rest: &mut Rest<'t>) -> Compared {
        let line = self.next(rest)?;
        let is_ok =
            |node: &Node| matches!(&node.shape, Shape::Name(status) if status == "HALIDOM_OK");
        let good = matches!(&line.action, Action::Return(status) if is_ok(status));
        self.require(good, line.at, "a function's end")?;
        self.ends(rest)
    }

    pub(crate) fn parallel_loop(
        &mut self,
        var: VarId,
        (min, extent): (ExprId, ExprId),
        deal: Deal,
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
        let [function, given, from, count, chunk @ ..] = arguments.as_slice() else {
            return self.fail(call.at, "a parallel loop's arguments");
        };
        let given_well = match (&given.shape, &closure) {
            (Shape::Unary(op, name), Some(_)) => op == "&" && name.is_name("closure"),
            (Shape::Name(name), None) => name == "NULL",
            _ => false,
        };
        let well = status == "status" && given_well;
        self.require(well, call.at, "a parallel loop's call")?;
        // A block size of 0 stands for blocks as large as possible.
        let (expected_callee, expected_chunk) = match deal {
            Deal::Auto => ("halidom_parallel_for", None),
            Deal::Static { chunk } => {
                ("halidom_parallel_for_static", Some(chunk.map_or(0, NonZeroU32::get)))
            }
            Deal::Dynamic { chunk } => ("halidom_parallel_for_dynamic", Some(chunk.get())),
        };
        let same_chunk = match (expected_chunk, chunk) {
            (None, []) => true,
            (Some(expected), [found]) => {
                matches!(&found.shape, Shape::Number(found) if *found == expected.to_string())
            }
            _ => false,
        };
        let same_deal = callee == expected_callee && same_chunk;
        self.require(same_deal, call.at, "a parallel loop that is dealt otherwise")?;
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

    /// Matches the function that is a parallel loop's body.
    pub(crate) fn outlined(
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
            // Two names for one buffer would both be `restrict`.
            let mut captured = FxHashSet::default();
            for ((ty, field), value) in declared.iter().zip(values) {
                let Shape::Name(value_name) = &value.shape else {
                    return self.fail(value.at, "a captured name was expected");
                };
                let Some(binding) = self.scope.get(value_name) else {
                    return self.fail(value.at, "a name that stands for nothing");
                };
                self.require(*ty == self.binding_type(binding), value.at, "a field's type")?;
                self.require(captured.insert(binding), value.at, "captured twice")?;
                fields.push((field.clone(), binding, ty.clone()));
            }
        }
        // Only captured names are visible within.
        let inner_scope = Scope::default();
        let outer_scope = std::mem::replace(&mut self.scope, inner_scope);
        self.take_over(&mut rest, "captured", Bools::Truths, &fields)?;
        skip_discards(&mut rest, &["closure", index]);
        self.bind(function.at, index, Binding::Var(var))?;
        self.stmt(body, &mut rest)?;
        self.leaves_well(&mut rest)?;
        self.scope = outer_scope;
        Ok(())
    }

    pub(crate) fn binding_type(&self, binding: Binding) -> Ty {
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
}

/// Returns the pointer and the field of `pointer->field`, and whether it is compared with 0.
fn taken_field(node: &Node) -> Option<(&Node, &String, bool)> {
    if let Shape::Arrow(from, field) = &node.shape {
        return Some((from, field, false));
    }
    if let Shape::Binary(op, lhs, rhs) = &node.shape
        && op == "!="
        && rhs.shape == Shape::Number("0".to_owned())
        && let Shape::Arrow(from, field) = &lhs.shape
    {
        return Some((from, field, true));
    }
    None
}
