//! A whole C file for a program, and the data that is needed to call it.

use halidom_base::FxHashSet;
use halidom_ir::{BufferId, Pool, Program, Scalar, VarId};
use halidom_prelude::{PREAMBLE, helpers};

use crate::c::discard::drop_needless_discards;
use crate::c::names;
use crate::c::printer::{print_comment, print_function, print_struct};
use crate::c::tree::{CExpr, CFunction, CStmt, CStruct, CType};
use crate::emit::aot;
use crate::emit::contraction::permits_contraction;
use crate::emit::describe::describe_check;
use crate::emit::scalar::differs_from_zero;
use crate::emit::translate::{Translator, as_var};
use crate::module::{
    BufferInfo, CheckInfo, Field, ParamInfo, Part, Side, Signature, Source, args_type, run_symbol,
};
use crate::{CModule, EmitError, Target};

/// Prints a final program as C. The text depends on nothing but the arguments.
///
/// Requires: a final program: no holes, references, provides, vectorized or unrolled loops; each
/// number of lanes is a power of two.
/// Ensures: one C statement for each IR statement, except that labels become comments, and stores
/// that fill a row become one call.
///
/// # Errors
/// The program is not final, or needs a feature that the printer lacks.
pub fn emit(pool: &Pool, program: &Program, target: &Target) -> Result<CModule, EmitError> {
    let name = names::identifier(&program.name);
    let mut translator = Translator::new(pool, name.clone());
    let run_name = run_symbol(&name);
    let args_name = args_type(&name);
    for taken in [&name, &run_name, &args_name] {
        translator.names.fresh(taken);
    }

    let fields = entry_fields(&mut translator, program)?;
    let mut body = Vec::new();
    let mut bound = FxHashSet::default();
    for field in &fields {
        // A variable that two of the caller's buffers share is read once.
        if field.var.is_none_or(|var| bound.insert(var)) {
            let value = CExpr::arrow(CExpr::name("args"), field.name.clone());
            // A caller's `bool` may be any non-zero byte.
            let is_bool = field.var.is_some_and(|var| pool.var(var).ty.scalar == Scalar::Bool);
            let value = if is_bool { differs_from_zero(value) } else { value };
            body.push(CStmt::Declare(field.ty.clone().restricted(), field.name.clone(), value));
            body.push(CStmt::Discard(field.name.clone()));
        }
    }
    body.push(CStmt::Discard("args".to_owned()));
    body.push(CStmt::Discard("failure".to_owned()));
    translator.stmt(program.body, &mut body)?;
    body.push(CStmt::Return(CExpr::name("HALIDOM_OK")));

    let args = CStruct {
        comment: vec![["What ", &run_name, " is called with."].concat()],
        name: args_name.clone(),
        fields: fields.iter().map(|field| (field.ty.clone(), field.name.clone())).collect(),
    };
    let mut entry = CFunction {
        comment: Vec::new(),
        external: true,
        name: run_name,
        parameters: vec![
            (CType::pointer(CType::Named(args_name), true), "args".to_owned()),
            (
                CType::pointer(CType::Named("halidom_failure".to_owned()), false),
                "failure".to_owned(),
            ),
        ],
        body,
    };
    drop_needless_discards(&mut entry);

    let mut text = String::new();
    print_comment(
        &mut text,
        0,
        &["Pipeline ", &program.name, ", printed by Halidom for ", target.name(), "."].concat(),
    );
    text.push_str(PREAMBLE);
    helpers::print(&mut text, &translator.helpers);
    let own = text.len();
    for mut outlined in std::mem::take(&mut translator.outlined) {
        drop_needless_discards(&mut outlined.function);
        // C has no structs without fields.
        if !outlined.closure.fields.is_empty() {
            text.push('\n');
            print_struct(&mut text, &outlined.closure);
        }
        text.push('\n');
        print_function(&mut text, &outlined.function);
    }
    text.push('\n');
    print_struct(&mut text, &args);
    text.push('\n');
    print_function(&mut text, &entry);
    let checks: Vec<CheckInfo> = std::mem::take(&mut translator.checks)
        .into_iter()
        .zip(std::mem::take(&mut translator.reported))
        .map(|(check, reported)| CheckInfo { what: describe_check(pool, &check), check, reported })
        .collect();
    let signature = signature(pool, program);
    let (helpers, body) = (translator.helpers.clone(), text[own..].to_owned());
    let aot::Entry { text: library, header, arguments } =
        aot::entry(translator, program, &name, &fields, &signature, &checks)?;
    let permits_contraction = permits_contraction(pool, program);
    Ok(CModule {
        name,
        text,
        library,
        helpers,
        body,
        header,
        arguments,
        checks,
        fields,
        signature,
        permits_contraction,
    })
}

fn signature(pool: &Pool, program: &Program) -> Signature {
    let buffer = |id: BufferId| {
        let decl = pool.buffer(id);
        let name = pool.func(decl.func).component_name(decl.component);
        BufferInfo { name, scalar: decl.scalar, rank: decl.dims.len(), like: None }
    };
    let mut outputs: Vec<BufferInfo> = Vec::new();
    for output in &program.outputs {
        let first = outputs.len();
        for (component, id) in output.buffers.iter().enumerate() {
            outputs.push(BufferInfo { like: (component > 0).then_some(first), ..buffer(*id) });
        }
    }
    let param = |var: &VarId| {
        let decl = pool.var(*var);
        ParamInfo { var: *var, name: decl.name.clone(), scalar: decl.ty.scalar }
    };
    Signature {
        inputs: program.inputs.iter().map(|input| buffer(*input)).collect(),
        outputs,
        params: program.params.iter().map(param).collect(),
    }
}

fn entry_fields(
    translator: &mut Translator<'_>,
    program: &Program,
) -> Result<Vec<Field>, EmitError> {
    let mut fields = Vec::new();
    for (position, input) in program.inputs.iter().enumerate() {
        buffer_fields(translator, *input, Side::Input(position), &mut fields)?;
    }
    let mut position = 0;
    for output in &program.outputs {
        for (component, buffer) in output.buffers.iter().enumerate() {
            let side = Side::Output(position + component);
            if component == 0 {
                buffer_fields(translator, *buffer, side, &mut fields)?;
            } else {
                // Its shape equals the first buffer's.
                memory_field(translator, *buffer, side, &mut fields);
            }
        }
        for (dim, (min, extent)) in output.window.iter().enumerate() {
            for (var, part) in [(*min, Part::Min), (*extent, Part::Extent)] {
                var_field(translator, var, Source::Window(position, dim, part), &mut fields)?;
            }
        }
        position += output.buffers.len();
    }
    for (position, param) in program.params.iter().enumerate() {
        var_field(translator, *param, Source::Param(position), &mut fields)?;
    }
    Ok(fields)
}

fn memory_field(
    translator: &mut Translator<'_>,
    buffer: BufferId,
    side: Side,
    fields: &mut Vec<Field>,
) {
    let name = translator.bind_buffer(buffer);
    let ty = translator.pointer(buffer);
    fields.push(Field { name, ty, source: Source::Memory(side), var: None });
}

fn buffer_fields(
    translator: &mut Translator<'_>,
    buffer: BufferId,
    side: Side,
    fields: &mut Vec<Field>,
) -> Result<(), EmitError> {
    memory_field(translator, buffer, side, fields);
    let pool = translator.pool;
    for (dim, layout) in pool.buffer(buffer).dims.iter().enumerate() {
        let parts =
            [(layout.min, Part::Min), (layout.extent, Part::Extent), (layout.stride, Part::Stride)];
        for (expr, part) in parts {
            let Some(var) = as_var(pool, expr) else {
                return Err(EmitError::FixedLayout {
                    buffer: pool.buffer(buffer).name.clone(),
                    dim,
                });
            };
            var_field(translator, var, Source::Layout(side, dim, part), fields)?;
        }
    }
    Ok(())
}

fn var_field(
    translator: &mut Translator<'_>,
    var: VarId,
    source: Source,
    fields: &mut Vec<Field>,
) -> Result<(), EmitError> {
    let name = translator.bind_var(var);
    let ty = translator.var_type(var)?;
    fields.push(Field { name, ty, source, var: Some(var) });
    Ok(())
}
