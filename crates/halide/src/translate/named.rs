//! Functions that a pipeline only names: Halide's own ones without exact semantics, such as
//! `pow_f32`, and functions of C.
//!
//! # Correctness
//! Such a call is the application of an uninterpreted function (`halidom_ir::FunctionDecl`) to the
//! operands in the types that memory has. Nothing is known of it but that equal operands give equal
//! results. That it has no effect and depends on its operands alone is a condition of the verdict
//! ([`NamedFunctions`](crate::conditions::Condition::NamedFunctions)). Halide's compiler evaluates
//! its own functions of numbers, so these have the value that C's library computes; the condition
//! says so. The name and the types identify the function: a call in the statement and a call in the
//! pipeline are the same function only if both agree. The linker's name differs for a function of
//! C++, so that it must be one in both. A pointer has no value. A function that takes
//! a parameter which is a pointer is therefore another function for each such parameter: its name
//! contains the parameter's. The number that such a pointer is as an address is a function too.

use std::fmt::Write as _;

use halidom_ir::{Constant, ExprId, FunctionDecl, Pool, Real, Scalar, eval};

use super::calls::float_function;
use super::constants::folded;
use super::error::{Result, unsupported};
use super::halves::SINGLE;
use super::intrinsics::INTRINSICS;
use super::lanes::{Lanes, Lowering, Step};
use super::nodes::{Binding, Node, NodeId, Nodes};
use super::ops::{Ops, Value, stored};
use crate::NameId;
use crate::pipeline::{ACCESS, PROPHECY};
use crate::tree::{self, Call, CallKind, Expr, Type};

/// The tests and constants of floats, which have exact semantics, without the ends of their names.
const EXACT: [&str; 6] = ["is_nan", "is_inf", "is_finite", "nan", "inf", "neg_inf"];

/// A name without the float type at its end.
fn stem(name: &str) -> &str {
    ["_f16", "_f32", "_f64"].into_iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

/// The function of real numbers that a function of Halide's runtime computes.
fn real(name: &str) -> Option<Real> {
    match stem(name) {
        "fast_inverse" => Some(Real::Inverse),
        "fast_inverse_sqrt" => Some(Real::InverseSqrt),
        other if other == name => None,
        other => {
            let coarse = [Real::Inverse, Real::InverseSqrt];
            Real::from_name(other).filter(|real| !coarse.contains(real))
        }
    }
}

/// Tests whether a function has a meaning of its own, here or as an effect or annotation.
fn is_known(name: &str) -> bool {
    float_function(name).is_some()
        || SINGLE.contains(&name)
        || EXACT.contains(&stem(name))
        || ["halide_", "_halide_", PROPHECY, ACCESS].iter().any(|start| name.starts_with(start))
}

fn is_intrinsic(name: &str) -> bool {
    INTRINSICS.iter().any(|(known, _)| *known == name)
}

impl Nodes<'_> {
    /// The arguments of a call. A function that is only named may take parameters that are
    /// pointers: such an argument is a call without arguments, by the parameter's name.
    pub(super) fn arguments(&mut self, pool: &mut Pool, call: &Call) -> Result<Box<[NodeId]>> {
        let is_named = self.note_named(call)?;
        let arg = |arg: &Expr| {
            if let Expr::Variable { name, ty: Some(ty) } = arg
                && is_named
                && self.is_pointer(*name)
                && is_handle(*ty)
            {
                return Ok(self.make(Node::Call(*name, Box::new([])), *ty));
            }
            self.elaborate(pool, arg)
        };
        call.args.iter().map(arg).collect()
    }

    /// Tests whether a name denotes a parameter that is a pointer, here too.
    pub(super) fn is_pointer(&self, name: NameId) -> bool {
        self.named.pointers.contains(&name)
            && matches!(self.lookup(name), None | Some(Binding::Pointer))
    }

    /// The address in a parameter that is a pointer, as a number.
    pub(super) fn address(&mut self, ty: Type, pointer: &Expr) -> Option<NodeId> {
        let Expr::Variable { name, ty: Some(of) } = pointer else { return None };
        let is_address = ty == Type::of(tree::Scalar::UInt(64)) && is_handle(*of) && of.lanes == 1;
        (is_address && self.is_pointer(*name)).then(|| {
            // Nothing else is a call with the name of a parameter.
            self.make(Node::Call(*name, Box::new([])), ty)
        })
    }

    /// Tests whether a call is of a function that is only named, and notes the name. A text does
    /// not tell functions from intrinsics, so there only Halide's own functions and those of the
    /// pipeline are known.
    fn note_named(&mut self, call: &Call) -> Result<bool> {
        let Call { name, ty, args, kind, component: _, parameter: _ } = call;
        let text = self.names.text(*name);
        let is_named = match kind {
            Some(CallKind::Extern | CallKind::PureExtern | CallKind::ExternCPlusPlus) => {
                if is_intrinsic(text) {
                    return unsupported(format!("a function of C with the name `{text}`"));
                }
                let is_mangled = *kind == Some(CallKind::ExternCPlusPlus);
                if is_mangled && (is_known(text) || real(text).is_some()) {
                    return unsupported(format!("a function of C++ with the name `{text}`"));
                }
                if *self.named.mangled.entry(*name).or_insert(is_mangled) != is_mangled {
                    return unsupported(format!("functions of C and of C++, both `{text}`"));
                }
                !is_known(text)
            }
            Some(
                CallKind::Image | CallKind::Halide | CallKind::Intrinsic | CallKind::PureIntrinsic,
            ) => false,
            None => real(text).is_some() || self.named.functions.contains(name),
        };
        if is_named && (ty.is_none() && kind.is_some() || args.is_empty()) {
            return unsupported(format!("`{text}` (nothing is known of it but its name)"));
        }
        let is_of_pipeline = real(text).is_some() || self.named.functions.contains(name);
        if is_named && self.named.is_whole && !is_of_pipeline {
            return unsupported(format!("`{text}`, which the pipeline does not call"));
        }
        if is_named {
            self.named.functions.insert(*name);
        }
        Ok(is_named)
    }
}

fn is_handle(ty: Type) -> bool {
    matches!(ty.scalar, tree::Scalar::Handle(_))
}

impl Lowering<'_, '_> {
    /// The result of a function that is only named. Its name contains the names of the pointers
    /// that it takes.
    pub(super) fn named(
        &mut self,
        (name, args): (NameId, &[NodeId]),
        ty: tree::Scalar,
        lanes: Lanes,
    ) -> Step<Value> {
        let nodes = self.nodes;
        let is_address = nodes.named.pointers.contains(&name);
        let mut name = nodes.names.text(name).to_owned();
        if is_address {
            name = format!("address of {name}");
        }
        let mut values = Vec::new();
        for (place, arg) in args.iter().enumerate() {
            if let Node::Call(pointer, _) = nodes.node(*arg)
                && is_handle(nodes.ty(*arg))
            {
                let _ = write!(name, " {place}:{}", nodes.names.text(*pointer));
            } else {
                values.push(self.value(*arg, lanes)?);
            }
        }
        if values.is_empty() {
            let id = self.ops.pool.constant(Constant::bool(true));
            let id = self.ops.broadcast(id, lanes.count);
            values.push(Value { id, ty: tree::Scalar::UInt(1) });
        }
        Ok(self.ops.named(&name, &values, ty)?)
    }
}

impl Ops<'_> {
    /// The result of a function that is only named.
    pub(super) fn named(&mut self, name: &str, args: &[Value], ty: tree::Scalar) -> Result<Value> {
        let values = args.iter().map(|arg| self.as_stored(*arg)).collect::<Result<Vec<_>>>()?;
        let params: Box<[_]> = values.iter().map(|value| self.pool.ty(*value).scalar).collect();
        let result = stored(ty)?;
        let is_real = |real: &Real| {
            result.is_float()
                && real.arity() == params.len()
                && params.iter().all(|param| *param == result)
        };
        let real = real(name).filter(is_real);
        let decl = FunctionDecl { name: name.to_owned(), params, result, real };
        // A value that is known rests on the condition too.
        let function = self.pool.declare_function(decl);
        if let Some(real) = real
            && let Some(known) = self.of_numbers(real, &values)
        {
            return Ok(Value { id: self.pool.constant(known), ty });
        }
        Ok(Value { id: self.pool.apply(function, values), ty })
    }
}

impl Ops<'_> {
    /// The value of a function of numbers, as the compiler computes it: by C's function of floats
    /// of 64 bits, rounded. Nothing is computed for coarse functions.
    fn of_numbers(&self, real: Real, args: &[ExprId]) -> Option<Constant> {
        let of = |id: &ExprId| {
            let number = folded(self.pool, *id, &[])?;
            number.as_f64().or(number.as_f32().map(f64::from)).map(Constant::f64)
        };
        let numbers = args.iter().map(of).collect::<Option<Vec<_>>>()?;
        let params = numbers.iter().map(|_| Scalar::F64).collect();
        let (name, result) = (real.name().to_owned(), Scalar::F64);
        let wide = FunctionDecl { name, params, result, real: Some(real) };
        let value = eval::apply(&wide, &numbers).ok().filter(|_| !wide.is_arbitrary())?;
        eval::cast(self.pool.ty(*args.first()?).scalar, value).ok()
    }
}

#[cfg(test)]
mod tests {
    use halidom_ir::Real;

    use super::{is_intrinsic, is_known, real};

    #[test]
    fn functions_with_exact_semantics_and_effects_are_not_only_named() {
        for name in ["sqrt_f32", "floor_f16", "is_nan_f64", "nan_f32", "halide_print"] {
            assert!(is_known(name), "{name}");
        }
        for name in ["pow_f32", "pow_f16", "atan2_f64", "my_function", "pow"] {
            assert!(!is_known(name) && !is_intrinsic(name), "{name}");
        }
        for (name, expected) in [
            ("pow_f32", Some(Real::Pow)),
            ("fast_inverse_sqrt_f32", Some(Real::InverseSqrt)),
            ("inverse_f32", None),
            // A function of C may have any meaning.
            ("pow", None),
            ("my_function_f32", None),
        ] {
            assert_eq!(real(name), expected, "{name}");
        }
    }
}
