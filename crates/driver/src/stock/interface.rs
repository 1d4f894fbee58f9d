//! The parts of two pipelines on which their callers rely: arguments, accepted inputs, and the
//! meaning of floats.

use std::collections::BTreeMap;

use halidom_halide::dump::ArgumentKind;
use halidom_halide::{text, translate, tree};
use halidom_ir::{Stmt, print, visit};

use super::Stock;
use super::statement::Code;

/// The first difference between the arguments of two pipelines: a missing input, another type or
/// number of dimensions, or another order.
pub(super) fn mismatch(old: &Stock, new: &Stock) -> Option<String> {
    let (inputs_of_old, inputs_of_new) = (inputs(old), inputs(new));
    for name in inputs_of_old.keys().chain(inputs_of_new.keys()) {
        let words = match (inputs_of_old.get(name), inputs_of_new.get(name)) {
            (Some(old), Some(new)) if old == new => continue,
            (Some(old), Some(new)) => {
                let (old, new) = (old.words(), new.words());
                format!("`{name}` is {old} in the old one, and {new} in the new one")
            }
            // A schedule may have a parameter that the other one does not have.
            (Some(Passed { dimensions: None, .. }), None)
            | (None, Some(Passed { dimensions: None, .. })) => continue,
            (_, None) => format!("the input `{name}` is missing in the new one"),
            (None, _) => format!("the input `{name}` is missing in the old one"),
        };
        return Some(words);
    }
    // Halide makes up names of outputs.
    let (old_outputs, new_outputs) = (outputs(old), outputs(new));
    if old_outputs.len() != new_outputs.len() {
        let (old, new) = (old_outputs.len(), new_outputs.len());
        return Some(format!("the old one has {old} outputs, and the new one {new}"));
    }
    let differ = old_outputs.iter().zip(&new_outputs).find(|(old, new)| old.1 != new.1);
    if let Some(((name, old), (_, new))) = differ {
        let all = |parts: &[Passed]| parts.iter().map(Passed::words).collect::<Vec<_>>().join(", ");
        let (old, new) = (all(old), all(new));
        return Some(format!("the output `{name}` is {old}, and {new} in the new one"));
    }
    let (old, new) = (order(old)?, order(new)?);
    let common = |one: &[String], other: &[String]| {
        one.iter().filter(|name| other.contains(name)).cloned().collect::<Vec<_>>()
    };
    let (old, new) = (common(&old, &new), common(&new, &old));
    let (first, second) = old.iter().zip(&new).find(|(old, new)| old != new)?;
    Some(format!("the old one takes `{first}` where the new one takes `{second}`"))
}

/// The first difference between the inputs that two pipelines accept, or between the meanings of
/// what they compute.
pub(super) fn other_meaning(one: &Stock, other: &Stock) -> Option<String> {
    let sources = [one, other].map(|stock| &stock.source);
    if sources[0].algorithm.fast_math != sources[1].algorithm.fast_math {
        return Some("floats are strict in one of them only".to_owned());
    }
    let written = [one, other].map(|stock| stock.before.as_ref().unwrap_or(&stock.source));
    if let Some(func) = translate::differing_arithmetic(written[0], written[1]) {
        return Some(format!(
            "`{func}` has other integer operations, or the same ones in another width, and may \
                overflow elsewhere"
        ));
    }
    let checks = [demands(one), demands(other)];
    if let Some(check) = checks[0].iter().find(|check| !checks[1].contains(check)) {
        return Some(format!("only one of them demands {check} of its caller"));
    }
    if let Some(check) = checks[1].iter().find(|check| !checks[0].contains(check)) {
        return Some(format!("only one of them demands {check} of its caller"));
    }
    None
}

/// The type of an argument.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Passed {
    scalar: tree::Scalar,
    /// The number of dimensions; `None` for one value.
    dimensions: Option<usize>,
}

impl Passed {
    fn words(&self) -> String {
        let scalar = match self.scalar {
            tree::Scalar::Int(bits) => format!("int{bits}"),
            tree::Scalar::UInt(bits) => format!("uint{bits}"),
            tree::Scalar::Float(bits) => format!("float{bits}"),
            tree::Scalar::BFloat(bits) => format!("bfloat{bits}"),
            tree::Scalar::Handle(_) => "handle".to_owned(),
        };
        match self.dimensions {
            None => format!("one {scalar}"),
            Some(1) => format!("a {scalar} array of 1 dimension"),
            Some(dimensions) => format!("a {scalar} array of {dimensions} dimensions"),
        }
    }
}

/// Arrays and parameters by name.
fn inputs(stock: &Stock) -> BTreeMap<&str, Passed> {
    let passed = |input: &halidom_halide::pipeline::Input| Passed {
        scalar: input.ty.scalar,
        dimensions: input.is_buffer.then_some(input.dimensions),
    };
    let inputs = stock.pipeline.inputs.iter();
    inputs.map(|input| (stock.names.text(input.name), passed(input))).collect()
}

/// The components of each output, with its name.
fn outputs(stock: &Stock) -> Vec<(&str, Vec<Passed>)> {
    let outputs = stock.pipeline.outputs.iter().map(|output| {
        let func = stock.pipeline.funcs.iter().find(|func| func.name == *output);
        let parts = func.into_iter().flat_map(|func| {
            let dimensions = Some(func.args.len());
            func.types.iter().map(move |ty| Passed { scalar: ty.scalar, dimensions })
        });
        (stock.names.text(*output), parts.collect())
    });
    outputs.collect()
}

/// The names of the inputs in the order in which a caller passes them, if it is known.
fn order(stock: &Stock) -> Option<Vec<String>> {
    let arguments = stock.known_dump()?.arguments.iter();
    let inputs = arguments.filter(|argument| !matches!(argument.kind, ArgumentKind::Output(_)));
    Some(inputs.map(|argument| stock.names.text(argument.name).to_owned()).collect())
}

/// The constraints on buffers, the ranges of parameters, and the entry checks that mention nothing
/// but parameters. A target without assertions has no such checks.
fn demands(stock: &Stock) -> Vec<String> {
    let Stock { pipeline, names, subject, .. } = stock;
    let mut demands = Vec::new();
    let mut demand = |name, dim: usize, sides: [&Option<tree::Expr>; 3]| {
        let output = pipeline.outputs.iter().position(|output| {
            let (output, name) = (names.text(*output), names.text(name));
            name == output || name.strip_prefix(output).is_some_and(|rest| rest.starts_with('.'))
        });
        let name = match output {
            Some(at) => format!("output {at}"),
            None => format!("`{}`", names.text(name)),
        };
        for (side, value) in ["min", "extent", "stride"].into_iter().zip(sides) {
            if let Some(value) = value {
                let value = text::print_expr(value, names);
                demands.push(format!("the {side} {value} of dimension {dim} of {name}"));
            }
        }
    };
    match stock.known_dump() {
        Some(dump) => {
            for argument in &dump.arguments {
                for constraint in &argument.constraints {
                    let [min, extent, stride] = &constraint.sides;
                    demand(argument.name, constraint.dim.into(), [min, extent, stride]);
                }
            }
        }
        None => {
            let is_passed = |name| {
                pipeline.outputs.contains(&name)
                    || pipeline.inputs.iter().any(|input| input.name == name)
            };
            for parameter in &pipeline.parameters {
                let name = parameter.input.name;
                for (dim, constraint) in parameter.constraints.iter().enumerate() {
                    if parameter.input.is_buffer && is_passed(name) {
                        let sides = [&constraint.min, &constraint.extent, &constraint.stride];
                        demand(name, dim, sides);
                    }
                }
            }
        }
    }
    for argument in stock.known_dump().iter().flat_map(|dump| &dump.arguments) {
        if let ArgumentKind::Input(buffer) = argument.kind {
            let (name, bytes) = (names.text(argument.name), buffer.host_alignment);
            demands.push(format!("elements of `{name}` at multiples of {bytes} bytes"));
        }
    }
    for parameter in &pipeline.parameters {
        for (end, value) in ["least", "greatest"].into_iter().zip(&parameter.range) {
            if let Some(value) = value {
                let (name, value) =
                    (names.text(parameter.input.name), text::print_expr(value, names));
                demands.push(format!("the {end} value {value} of `{name}`"));
            }
        }
    }
    let pool = &subject.pool;
    let params = &subject.algorithm.params;
    visit::for_each_stmt(pool, subject.compiled.program.body, &mut |_, stmt| {
        let Stmt::Assert { condition, .. } = stmt else { return };
        let (mut some, mut all) = (false, true);
        pool.for_each_subexpr(*condition, &mut |_, node| {
            if let halidom_ir::Expr::Var(var) = node {
                let is_param = params.contains(var);
                (some, all) = (some || is_param, all && is_param);
            }
        });
        let is_assumed =
            subject.compiled.contract.clauses.iter().any(|clause| clause.expr == *condition);
        if some && all && !is_assumed {
            demands.push(format!("`{}`", print::expr(pool, *condition)));
        }
    });
    demands
}

impl Stock {
    /// The lossless dump of the statement, where it is known.
    pub(super) fn known_dump(&self) -> Option<&halidom_halide::dump::Dump> {
        match &self.code {
            Code::Own(Some(dump)) | Code::Given(dump) | Code::Live(dump) => Some(dump),
            Code::Own(None) | Code::Text(_) => None,
        }
    }
}
