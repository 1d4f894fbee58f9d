//! A whole C file for a program, and the data that is needed to call it.

use halidom_base::{FxHashSet, IndexSet};
use halidom_ir::{BufferId, Check, Pool, Program, Scalar, VarId};

use crate::contraction::permits_contraction;
use crate::ctree::{CExpr, CFunction, CStmt, CStruct, CType};
use crate::discard::drop_needless_discards;
use crate::helpers::Helper;
use crate::print::{print_comment, print_function, print_struct};
use crate::translate::{Translator, as_var, describe_check};
use crate::{EmitError, Target, aot, helpers, names};

/// A program in C.
#[derive(Clone, Debug)]
pub struct CModule {
    /// The pipeline's name as a C identifier.
    pub name: String,
    /// The file.
    pub text: String,
    /// The entry for programs in C, to be appended to the file, and the header that declares it.
    pub(crate) library: String,
    /// The helpers that the file begins with, and the text after them.
    pub(crate) helpers: IndexSet<Helper>,
    pub(crate) body: String,
    pub(crate) header: String,
    /// The entry checks. The number that a failure reports is an index into this list.
    pub checks: Vec<CheckInfo>,
    /// The fields of the struct that the entry function takes, in order.
    pub(crate) fields: Vec<Field>,
    pub(crate) signature: Signature,
    /// True if the C compiler may round sums of products once, where the target permits it.
    pub(crate) permits_contraction: bool,
}

/// The arguments that a pipeline takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signature {
    pub(crate) inputs: Vec<BufferInfo>,
    pub(crate) outputs: Vec<BufferInfo>,
    pub(crate) params: Vec<ParamInfo>,
}

/// One of the caller's buffers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BufferInfo {
    pub(crate) name: String,
    pub(crate) scalar: Scalar,
    pub(crate) rank: usize,
    /// The first buffer of the same output, whose shape this one must have, by position among the
    /// outputs' buffers. `None` for the first buffer itself.
    pub(crate) like: Option<usize>,
}

/// A scalar parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParamInfo {
    pub(crate) var: VarId,
    pub(crate) name: String,
    pub(crate) scalar: Scalar,
}

/// An entry check and its description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckInfo {
    /// The check.
    pub check: Check,
    /// The purpose of the check.
    pub what: String,
    /// The number of values that a failure reports.
    pub(crate) reported: usize,
}

/// A field of the struct that the entry function takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) ty: CType,
    pub(crate) source: Source,
    /// The variable that it binds, if it is not a buffer.
    pub(crate) var: Option<VarId>,
}

/// One of the caller's buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Side {
    /// An input, by position.
    Input(usize),
    /// An output, by position.
    Output(usize),
}

/// One of the numbers that describe a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Min,
    Extent,
    Stride,
}

/// The place from which the caller takes a field's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The address of a buffer's first element.
    Memory(Side),
    /// A buffer's layout.
    Layout(Side, usize, Part),
    /// The required region of an output, by the position of its first buffer.
    Window(usize, usize, Part),
    /// A parameter, by position.
    Param(usize),
}

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
    let aot::Entry { text: library, header } =
        aot::entry(translator, program, &name, &fields, &signature, &checks)?;
    let permits_contraction = permits_contraction(pool, program);
    Ok(CModule {
        name,
        text,
        library,
        helpers,
        body,
        header,
        checks,
        fields,
        signature,
        permits_contraction,
    })
}

impl CModule {
    /// Returns the target as the C compiler is told of it: floats may be contracted only if this
    /// affects nothing but values.
    pub fn compiled_for(&self, target: &Target) -> Target {
        target.clone().contracting(target.contracts() && self.permits_contraction)
    }

    /// Returns the file with the entry for C programs, as it is compiled for the target. Someone
    /// who compiles it elsewhere must know whether floats may be contracted, so a comment asks for
    /// strict floats where they may not.
    pub fn library_text(&self, target: &Target) -> String {
        let mut text = String::new();
        if !self.compiled_for(target).contracts() {
            print_comment(&mut text, 0, STRICT);
        }
        [text.as_str(), &self.text, &self.library].concat()
    }

    /// Returns the header that declares this entry.
    pub fn header(&self) -> &str {
        &self.header
    }
}

/// Returns the name of the struct that the entry function takes.
pub(crate) fn args_type(name: &str) -> String {
    [name, "_args"].concat()
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

impl CheckInfo {
    /// Returns the values that a failure of the check reports, out of all that a failure has room
    /// for.
    pub(crate) fn values(&self, reported: &[i64]) -> Vec<i64> {
        reported.iter().copied().take(self.reported).collect()
    }

    /// Returns the message of a failure of the check.
    pub fn message(&self, values: &[i64]) -> String {
        let mut text = self.what.clone();
        if let (
            Check::InputRegion { .. } | Check::OutputRegion { .. },
            [min, extent, has_min, has_extent],
        ) = (&self.check, values)
        {
            text.push_str(" is ");
            text.push_str(&range(*min, *extent));
            text.push_str(", but the buffer holds ");
            text.push_str(&range(*has_min, *has_extent));
        } else if let [value] = values {
            text.push_str(": ");
            text.push_str(&value.to_string());
        }
        text
    }
}

/// Describes an interval in words.
fn range(min: i64, extent: i64) -> String {
    if extent <= 0 {
        "empty".to_owned()
    } else {
        [&min.to_string(), "..", &min.saturating_add(extent).to_string()].concat()
    }
}

/// Returns the name of the function that runs a pipeline.
pub(crate) fn run_symbol(name: &str) -> String {
    [name, "_run"].concat()
}

const STRICT: &str =
    "To be compiled with -ffp-contract=off: every operation on floats is rounded by itself.";

/// The start of every file. The source may contain comparisons whose outcome the types decide. In
/// generated code they are not mistakes, so their warnings are off.
pub(crate) const PREAMBLE: &str = "\
#include <stddef.h>
#include <stdint.h>

#include \"halidom_runtime.h\"

#pragma GCC diagnostic ignored \"-Wtype-limits\"
#pragma GCC diagnostic ignored \"-Wtautological-compare\"
#pragma GCC diagnostic ignored \"-Wpsabi\"
";

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
