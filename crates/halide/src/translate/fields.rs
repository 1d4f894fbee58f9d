//! Callers' buffers, and their fields that are the same for every caller.

use halidom_ir::Pool;

use super::error::{Result, unsupported};
use super::ops::{Ops, Value, Widths};
use crate::Names;
use crate::pipeline::Pipeline;
use crate::tree::{Scalar, Type};

/// A field of a caller's buffer that is the same for every caller.
pub(super) fn fixed_field(
    pool: &mut Pool,
    (ty, rank): (Scalar, usize),
    field: &str,
) -> Result<Value> {
    let mut widths = Widths::default();
    let mut ops = Ops { pool, widths: &mut widths, signed: halidom_ir::Overflow::Wraps };
    match field {
        "type" => match type_code(ty) {
            Some(code) => ops.integer(code, Scalar::UInt(32)),
            None => unsupported("the code of this type"),
        },
        "dimensions" => ops.integer(rank as i128, Scalar::Int(32)),
        _ => ops.integer(0, Scalar::UInt(1)),
    }
}

/// A `halide_type_t` as a number: code, bits, lanes.
pub(super) fn type_code(ty: Scalar) -> Option<i128> {
    let (code, bits) = match ty {
        Scalar::Int(bits) => (0, bits),
        Scalar::UInt(bits) => (1, bits),
        Scalar::Float(bits) => (2, bits),
        Scalar::BFloat(bits) => (4, bits),
        Scalar::Handle(_) => return None,
    };
    Some(code | i128::from(bits) << 8 | 1 << 16)
}

/// A buffer of a caller's.
pub(super) struct Caller {
    pub(super) name: String,
    pub(super) ty: Scalar,
    pub(super) rank: usize,
}

/// The callers' buffers.
pub(super) fn callers(pipeline: &Pipeline, names: &Names) -> Vec<Caller> {
    let inputs = pipeline.inputs.iter().filter(|input| input.is_buffer);
    let inputs = inputs.map(|input| {
        let name = names.text(input.name).to_owned();
        Caller { name, ty: input.ty.scalar, rank: input.dimensions }
    });
    let outputs = outputs(pipeline, names).map(|(name, ty, rank)| Caller { name, ty, rank });
    inputs.chain(outputs).collect()
}

/// The components of the outputs: name, type, number of dimensions.
pub(super) fn outputs(
    pipeline: &Pipeline,
    names: &Names,
) -> impl Iterator<Item = (String, Scalar, usize)> {
    let outputs = pipeline.funcs.iter().filter(|func| pipeline.outputs.contains(&func.name));
    outputs.flat_map(|func| {
        let name = names.text(func.name);
        let component = move |(number, ty): (usize, &Type)| {
            let name =
                if func.types.len() == 1 { name.to_owned() } else { format!("{name}.{number}") };
            (name, ty.scalar, func.args.len())
        };
        func.types.iter().enumerate().map(component)
    })
}
