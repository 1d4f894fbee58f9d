//! Funcs, definitions and schedules of a pipeline file.

use super::exprs::{all, name, optional, required, ty};
use super::model::{
    Bound, Constraint, Definition, Dim, ExternArgument, External, Func, FuncSchedule, Image,
    ImageDim, Input, LoopLevel, Parameter, Pipeline, Prefetch, ReductionVariable, Requirement,
    Specialization, Split, StageSchedule, StorageDim, TailStrategy, Wrapper,
};
use super::schema::STMT;
use super::wire::{Result, Table};
use crate::Names;
use crate::tree::{Expr, ForKind};

/// Halide's number for the host among the devices.
const HOST: u8 = 1;
/// Halide's name for the level outside of all loops.
const ROOT: &str = "__root";

pub(super) fn pipeline(table: Table<'_>, names: &mut Names) -> Result<Pipeline> {
    let each = |field, kind: &'static str| table.tables(field, kind);
    let funcs = each("funcs", "Func")?;
    let funcs: Vec<Func> =
        funcs.into_iter().map(|found| func(found, names)).collect::<Result<_>>()?;
    let outputs: Vec<_> =
        table.strings("output_names")?.into_iter().map(|output| names.id(output)).collect();
    if outputs.is_empty() {
        return Err(table.damaged("an output"));
    }
    if !outputs.iter().all(|output| funcs.iter().any(|func| func.name == *output)) {
        return Err(table.damaged("outputs that are among the funcs"));
    }
    let requirements = table.unions(("requirements_type", "requirements"), STMT)?;
    let requirements = requirements.into_iter().map(|found| requirement(found, names));
    let requirements = requirements.collect::<Result<_>>()?;
    let parameters = each("parameters", "Parameter")?.into_iter();
    let parameters = parameters.map(|found| parameter(found, names)).collect::<Result<Vec<_>>>()?;
    let inputs = each("external_parameters", "ExternalParameter")?.into_iter();
    let inputs = inputs.map(|found| input(found, names)).collect::<Result<Vec<_>>>()?;
    // A schedule that depends on the shape of an output makes a parameter of it, but no caller
    // passes an input of that name.
    let is_output = |input: &Input| input.is_buffer && outputs.contains(&input.name);
    let inputs = inputs.into_iter().filter(|input| !is_output(input)).collect();
    let images = each("buffers", "Buffer")?.into_iter();
    let images = images.map(|found| image(found, names)).collect::<Result<Vec<_>>>()?;
    Ok(Pipeline {
        funcs,
        outputs,
        requirements,
        parameters: parameters.into_iter().flatten().collect(),
        inputs,
        images: images.into_iter().flatten().collect(),
    })
}

fn requirement(table: Table<'_>, names: &mut Names) -> Result<Requirement> {
    if table.name != "AssertStmt" {
        return Err(table.damaged("an assertion among the requirements"));
    }
    Ok(Requirement {
        condition: required(table, ("condition_type", "condition"), names)?,
        message: required(table, ("message_type", "message"), names)?,
    })
}

fn func(table: Table<'_>, names: &mut Names) -> Result<Func> {
    let types: Vec<_> =
        table.tables("output_types", "Type")?.into_iter().map(ty).collect::<Result<_>>()?;
    let init = match table.table("init_def", "Definition")? {
        Some(found) => definition(found, names)?,
        None => None,
    };
    let mut updates = Vec::new();
    for update in table.tables("updates", "Definition")? {
        updates.push(definition(update, names)?.ok_or_else(|| update.damaged("a definition"))?);
    }
    let func = Func {
        name: names.id(table.string("name")?),
        types,
        args: table.strings("args")?.into_iter().map(|arg| names.id(arg)).collect(),
        schedule: func_schedule(table.required("func_schedule", "FuncSchedule")?, names)?,
        init,
        updates,
        external: external(table, names)?,
        debug_file: table.string("debug_file")?.to_owned(),
    };
    let shapes_fit = func
        .stages()
        .all(|stage| stage.args.len() == func.args.len() && stage.values.len() == func.types.len());
    if shapes_fit { Ok(func) } else { Err(table.damaged("stages of the func's shape")) }
}

/// Reads the extern function of a func; `None` if it has none.
fn external(table: Table<'_>, names: &mut Names) -> Result<Option<External>> {
    let Some(function) = name(table.string("extern_function_name")?, names) else {
        return Ok(None);
    };
    let mut arguments = Vec::new();
    for found in table.tables("extern_arguments", "ExternFuncArgument")? {
        arguments.push(match found.u8("arg_type")? {
            1 => {
                let index = usize::try_from(found.i32("func_index")?);
                ExternArgument::Func(index.map_err(|_| found.damaged("the number of a func"))?)
            }
            2 => ExternArgument::Image(names.id(found.string("buffer_name")?)),
            3 => ExternArgument::Scalar(required(found, ("expr_type", "expr"), names)?),
            4 => ExternArgument::Input(names.id(found.string("image_param_name")?)),
            _ => return Err(found.damaged("a kind of argument")),
        });
    }
    let is_mangled = match table.u8("extern_mangling")? {
        0 => None,
        1 => Some(false),
        2 => Some(true),
        _ => return Err(table.damaged("a kind of names")),
    };
    let on_host = table.u8("extern_function_device_api")? == HOST;
    Ok(Some(External { function, arguments, is_mangled, on_host }))
}

/// Reads a definition; `None` if it has no value.
fn definition(table: Table<'_>, names: &mut Names) -> Result<Option<Definition>> {
    let values = all(table, ("values_type", "values"), names)?;
    if values.is_empty() {
        return Ok(None);
    }
    let schedule = stage_schedule(table.required("stage_schedule", "StageSchedule")?, names)?;
    let mut specializations = Vec::new();
    for found in table.tables("specializations", "Specialization")? {
        let definition = match found.table("definition", "Definition")? {
            Some(inner) => definition(inner, names)?.map(Box::new),
            None => None,
        };
        specializations.push(Specialization {
            condition: required(found, ("condition_type", "condition"), names)?,
            definition,
            failure: found.string("failure_message")?.to_owned(),
        });
    }
    let always = Expr::UInt(1, crate::tree::Type::BOOL);
    Ok(Some(Definition {
        predicate: optional(table, ("predicate_type", "predicate"), names)?.unwrap_or(always),
        values,
        args: all(table, ("args_type", "args"), names)?,
        schedule,
        specializations,
    }))
}

fn stage_schedule(table: Table<'_>, names: &mut Names) -> Result<StageSchedule> {
    let mut domain = Vec::new();
    for found in table.tables("rvars", "ReductionVariable")? {
        domain.push(ReductionVariable {
            name: names.id(found.string("var")?),
            min: required(found, ("min_type", "min"), names)?,
            extent: required(found, ("extent_type", "extent"), names)?,
        });
    }
    let splits = table.tables("splits", "Split")?.into_iter();
    let splits = splits.map(|found| split(found, names)).collect::<Result<_>>()?;
    let mut dims = Vec::new();
    for found in table.tables("dims", "Dim")? {
        let kind = ForKind::ALL.get(usize::from(found.u8("for_type")?));
        dims.push(Dim {
            name: names.id(found.string("var")?),
            kind: *kind.ok_or_else(|| found.damaged("a kind of loop"))?,
            is_reduction: found.u8("dim_type")? != 0,
            partition: found.u8("partition_policy")?,
        });
    }
    let mut prefetches = Vec::new();
    for found in table.tables("prefetches", "PrefetchDirective")? {
        prefetches.push(Prefetch {
            name: names.id(found.string("name")?),
            at: names.id(found.string("at")?),
            from: names.id(found.string("from")?),
            offset: required(found, ("offset_type", "offset"), names)?,
        });
    }
    let fuse = table.required("fuse_level", "FuseLoopLevel")?;
    let fuse = fuse.required("fuse_level", "LoopLevel")?;
    Ok(StageSchedule {
        domain,
        splits,
        dims,
        allow_races: table.bool("allow_race_conditions")?,
        atomic: table.bool("atomic")?,
        is_fused: !matches!(loop_level(fuse, names)?, LoopLevel::Inlined),
        prefetches,
    })
}

fn split(table: Table<'_>, names: &mut Names) -> Result<Split> {
    let old = names.id(table.string("old_var")?);
    let outer = names.id(table.string("outer")?);
    let inner = names.id(table.string("inner")?);
    let tail = TailStrategy::ALL.get(usize::from(table.u8("tail")?));
    Ok(match table.u8("split_type")? {
        0 => Split::Split {
            old,
            outer,
            inner,
            factor: required(table, ("factor_type", "factor"), names)?,
            exact: table.bool("exact")?,
            tail: *tail.ok_or_else(|| table.damaged("a tail strategy"))?,
        },
        // The last kind is 19.0.0's, for the reduction variables that `rfactor` keeps.
        1 | 3 => Split::Rename { old, new: outer },
        2 => Split::Fuse { outer, inner, fused: old },
        _ => return Err(table.damaged("a kind of split")),
    })
}

fn loop_level(table: Table<'_>, names: &mut Names) -> Result<LoopLevel> {
    let (func, var) = (table.string("func_name")?, table.string("var_name")?);
    Ok(match (func, var) {
        (_, "") => LoopLevel::Inlined,
        (_, ROOT) => LoopLevel::Root,
        _ => LoopLevel::At {
            func: names.id(func),
            stage: table.i32("stage_index")?,
            var: names.id(var),
        },
    })
}

fn func_schedule(table: Table<'_>, names: &mut Names) -> Result<FuncSchedule> {
    let level = |field, names: &mut Names| loop_level(table.required(field, "LoopLevel")?, names);
    let mut storage = Vec::new();
    for found in table.tables("storage_dims", "StorageDim")? {
        storage.push(StorageDim {
            name: names.id(found.string("var")?),
            alignment: optional(found, ("alignment_type", "alignment"), names)?,
            bound: optional(found, ("bound_type", "bound"), names)?,
            fold: optional(found, ("fold_factor_type", "fold_factor"), names)?,
            fold_forward: found.bool("fold_forward")?,
        });
    }
    let mut bounds = Vec::new();
    for found in table.tables("bounds", "Bound")? {
        bounds.push(Bound {
            name: names.id(found.string("var")?),
            min: optional(found, ("min_type", "min"), names)?,
            extent: optional(found, ("extent_type", "extent"), names)?,
            modulus: optional(found, ("modulus_type", "modulus"), names)?,
            remainder: optional(found, ("remainder_type", "remainder"), names)?,
        });
    }
    let mut wrappers = Vec::new();
    for found in table.tables("wrappers", "WrapperRef")? {
        let copy = usize::try_from(found.i32("func_index")?);
        wrappers.push(Wrapper {
            user: name(found.string("func_name")?, names),
            copy: copy.map_err(|_| found.damaged("the number of a func"))?,
        });
    }
    Ok(FuncSchedule {
        store: level("store_level", names)?,
        compute: level("compute_level", names)?,
        hoist: level("hoist_storage_level", names)?,
        storage,
        bounds,
        wrappers,
        memory: table.u8("memory_type")?,
        memoized: table.bool("memoized")?,
        is_async: table.bool("async")?,
        ring_buffer: optional(table, ("ring_buffer_type", "ring_buffer"), names)?,
    })
}

fn input(table: Table<'_>, names: &mut Names) -> Result<Input> {
    let dimensions = usize::try_from(table.i32("dimensions")?);
    Ok(Input {
        name: names.id(table.string("name")?),
        ty: ty(table.required("type", "Type")?)?,
        is_buffer: table.bool("is_buffer")?,
        dimensions: dimensions.map_err(|_| table.damaged("a number of dimensions"))?,
    })
}

/// Reads a parameter; `None` where Halide left a hole.
fn parameter(table: Table<'_>, names: &mut Names) -> Result<Option<Parameter>> {
    if !table.bool("defined")? {
        return Ok(None);
    }
    let mut constraints = Vec::new();
    for found in table.tables("buffer_constraints", "BufferConstraint")? {
        constraints.push(Constraint {
            min: optional(found, ("min_type", "min"), names)?,
            extent: optional(found, ("extent_type", "extent"), names)?,
            stride: optional(found, ("stride_type", "stride"), names)?,
        });
    }
    Ok(Some(Parameter {
        constraints,
        input: input(table, names)?,
        value: table.u64("scalar_data")?,
        range: [
            optional(table, ("scalar_min_type", "scalar_min"), names)?,
            optional(table, ("scalar_max_type", "scalar_max"), names)?,
        ],
    }))
}

fn image(table: Table<'_>, names: &mut Names) -> Result<Option<Image>> {
    if !table.bool("defined")? {
        return Ok(None);
    }
    let mut dims = Vec::new();
    for found in table.tables("dims", "BufferDimension")? {
        dims.push(ImageDim {
            min: found.i32("min")?,
            extent: found.i32("extent")?,
            stride: found.i32("stride")?,
        });
    }
    let ty = ty(table.required("type", "Type")?)?;
    let dense = table.u8s("data")?;
    // Elements that are missing are noticed where the array is translated.
    let data = Image::spread(ty, &dims, &dense).unwrap_or_default();
    Ok(Some(Image { name: names.id(table.string("name")?), ty, dims, data }))
}
