//! The entry for C programs: a function over `halidom_buffer_t`, and the header that declares it.

use halidom_base::IndexMap;
use halidom_ir::{Check, ExprId, Interval, Pool, Program, Scalar, StoreIn, VarId};
use halidom_prelude::helpers::{self, Helper};
use halidom_prelude::operators::ScalarOp;

use crate::EmitError;
use crate::c::discard::drop_needless_discards;
use crate::c::printer::{print_comment, print_function, print_signature};
use crate::c::tree::{CBinary, CExpr, CFunction, CStmt, CType, CUnary};
use crate::emit::translate::Translator;
use crate::module::{
    ArgumentInfo, ArgumentKind, CheckInfo, Field, Part, Side, Signature, Source, args_type,
    run_symbol,
};

/// The text that is appended to the file, and the header.
pub(crate) struct Entry {
    pub(crate) text: String,
    pub(crate) header: String,
    /// The parameters of the entry, in order.
    pub(crate) arguments: Vec<ArgumentInfo>,
}

/// The required intervals of the buffers, by buffer and dimension.
type Needs = IndexMap<(Side, usize), Vec<Interval>>;

struct Buffers {
    names: Vec<(Side, String, Scalar, usize)>,
}

/// Prints the entry. `translator` has the fields' names bound and has printed the program. Helpers
/// that only the entry needs are printed here.
pub(crate) fn entry(
    mut translator: Translator<'_>,
    program: &Program,
    name: &str,
    fields: &[Field],
    signature: &Signature,
    checks: &[CheckInfo],
) -> Result<Entry, EmitError> {
    let printed = translator.helpers.clone();
    let buffers = Buffers::of(fields, signature);
    let needs = needs(translator.pool, program, checks);
    let mut ordered = in_order(translator.pool, program, fields, &buffers, signature);
    for (side, buffer, scalar, rank) in &buffers.names {
        if let Side::Output(position) = side {
            let like = signature.outputs.get(*position).and_then(|output| output.like);
            let kind = ArgumentKind::Output { rank: *rank, like };
            let (name, scalar, position) = (buffer.clone(), *scalar, *position);
            ordered.push((buffer_pointer(), ArgumentInfo { name, scalar, kind, position }));
        }
    }
    let parameters: Vec<(CType, String)> =
        ordered.iter().map(|(ty, argument)| (ty.clone(), argument.name.clone())).collect();
    let arguments = ordered.into_iter().map(|(_, argument)| argument).collect();

    let body = body(&mut translator, program, name, fields, signature, (&buffers, &needs))?;
    let (entry, plain) = functions(name, parameters, body);
    let mut text = String::new();
    let mut more = translator.helpers.clone();
    more.retain(|helper| !printed.contains(helper));
    text.push('\n');
    helpers::print(&mut text, &more);
    let mut header = header_start(program, name);
    for function in [&entry, &plain] {
        let mut prototype = String::new();
        print_signature(&mut prototype, function);
        prototype.push_str(";\n");
        text.push('\n');
        text.push_str(&prototype);
        print_function(&mut text, function);
    }
    print_texts(&mut text, &mut header, name, checks);
    for (function, comment) in [
        (
            &plain,
            "Runs the pipeline. HALIDOM_OK, or what kept it from running. If a buffer has no host \
                memory, nothing is computed: such buffers get the shape that is needed.",
        ),
        (&entry, "The same; a failed check is described in *failure, which the caller has zeroed."),
    ] {
        print_comment(&mut header, 0, comment);
        print_signature(&mut header, function);
        header.push_str(";\n\n");
    }
    header.push_str(HEADER_END);
    Ok(Entry { text, header, arguments })
}

/// The body of the entry: it checks the buffers, tells the needed shapes, and runs the pipeline.
fn body(
    translator: &mut Translator<'_>,
    program: &Program,
    name: &str,
    fields: &[Field],
    signature: &Signature,
    (buffers, needs): (&Buffers, &Needs),
) -> Result<Vec<CStmt>, EmitError> {
    let mut body = Vec::new();
    for (_, buffer, scalar, rank) in &buffers.names {
        body.push(CStmt::If(
            is_bad(buffer, *scalar, *rank),
            vec![leave("HALIDOM_BAD_BUFFER")],
            None,
        ));
    }
    for field in fields {
        if let Some(value) = buffers.shape_of(field.source) {
            body.push(CStmt::Declare(field.ty.clone(), field.name.clone(), value));
            body.push(CStmt::Discard(field.name.clone()));
        }
    }
    body.push(CStmt::If(
        buffers.any_without_memory(),
        buffers.answer(translator, fields, needs)?,
        None,
    ));

    for (position, output) in signature.outputs.iter().enumerate() {
        if let Some(first) = output.like {
            let (own, other) = (Side::Output(position), Side::Output(first));
            if let Some(differs) = buffers.of_another_shape(own, other, output.rank) {
                body.push(CStmt::If(differs, vec![leave("HALIDOM_BAD_BUFFER")], None));
            }
        }
    }
    let values = fields
        .iter()
        .map(|field| match field.source {
            Source::Memory(side) => {
                let host = CExpr::arrow(CExpr::name(buffers.name(side)), "host");
                CExpr::cast(field.ty.clone(), CExpr::cast(CType::pointer(CType::Void, false), host))
            }
            Source::Layout(..) | Source::Window(..) | Source::Param(_) => {
                CExpr::name(field.name.clone())
            }
        })
        .collect();
    body.push(CStmt::DeclareStruct(args_type(name), "args".to_owned(), values));
    let run = vec![CExpr::unary(CUnary::Address, CExpr::name("args")), CExpr::name("failure")];
    let run = CExpr::call(run_symbol(name), run);
    let streams = |buffer| translator.pool.buffer(buffer).store_in == StoreIn::Stream;
    if program.output_buffers().any(streams) {
        body.push(CStmt::Declare(CType::Status, "status".to_owned(), run));
        body.push(CStmt::Expr(CExpr::call("halidom_publish", vec![])));
        body.push(CStmt::Return(CExpr::name("status")));
    } else {
        body.push(CStmt::Return(run));
    }
    Ok(body)
}

/// The entry, which reports failed checks, and the one that does not.
fn functions(
    name: &str,
    mut parameters: Vec<(CType, String)>,
    body: Vec<CStmt>,
) -> (CFunction, CFunction) {
    let reporting = [name, "_reporting"].concat();
    let plain = CFunction {
        comment: Vec::new(),
        external: true,
        name: name.to_owned(),
        parameters: parameters.clone(),
        body: vec![CStmt::Return(CExpr::call(
            reporting.clone(),
            parameters
                .iter()
                .map(|(_, parameter)| CExpr::name(parameter.clone()))
                .chain([CExpr::name("NULL")])
                .collect(),
        ))],
    };
    parameters.push((
        CType::pointer(CType::Named("halidom_failure".to_owned()), false),
        "failure".to_owned(),
    ));
    let mut entry =
        CFunction { comment: Vec::new(), external: true, name: reporting, parameters, body };
    drop_needless_discards(&mut entry);
    (entry, plain)
}

const HEADER_END: &str = "\
#ifdef __cplusplus
}
#endif

#endif
";

fn header_start(program: &Program, name: &str) -> String {
    let guard = ["HALIDOM_PIPELINE_", &name.to_uppercase(), "_H"].concat();
    let mut text = String::new();
    print_comment(&mut text, 0, &["Pipeline ", &program.name, "."].concat());
    for line in [
        &["#ifndef ", &guard].concat(),
        &["#define ", &guard].concat(),
        "",
        "#include \"halidom_runtime.h\"",
        "",
        "#ifdef __cplusplus",
        "extern \"C\" {",
        "#endif",
        "",
    ] {
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// Prints the function that describes a check, and its declaration in the header.
fn print_texts(text: &mut String, header: &mut String, name: &str, checks: &[CheckInfo]) {
    let prototype = ["const char *", name, "_check(int32_t check)"].concat();
    print_comment(
        header,
        0,
        "What a check is for, by its number in a halidom_failure; its values are, for regions, min \
            and extent of what is needed, then of what is given.",
    );
    header.push_str(&prototype);
    header.push_str(";\n\n");
    text.push('\n');
    text.push_str(&prototype);
    text.push_str(";\n");
    text.push_str(&prototype);
    text.push_str(" {\n    switch (check) {\n");
    for (number, info) in checks.iter().enumerate() {
        text.push_str("        case ");
        text.push_str(&number.to_string());
        text.push_str(":\n            return ");
        print_string(text, &info.what);
        text.push_str(";\n");
    }
    text.push_str(
        "        default:\n            return \"no check of this pipeline\";\n    }\n}\n",
    );
}

/// Prints a string literal. Bytes other than printable ASCII become octal escapes.
fn print_string(text: &mut String, value: &str) {
    text.push('"');
    for byte in value.bytes() {
        match byte {
            b'"' | b'\\' | b'?' => {
                text.push('\\');
                text.push(char::from(byte));
            }
            b' '..=b'~' => text.push(char::from(byte)),
            other => {
                text.push('\\');
                for shift in [6, 3, 0] {
                    text.push(char::from(b'0' + ((other >> shift) & 7)));
                }
            }
        }
    }
    text.push('"');
}

/// Orders inputs and scalar parameters as in the signature, by the order in which their variables
/// were declared. An input without dimensions declares no variable: it stays behind the input
/// before it.
fn in_order(
    pool: &Pool,
    program: &Program,
    fields: &[Field],
    buffers: &Buffers,
    signature: &Signature,
) -> Vec<(CType, ArgumentInfo)> {
    let mut ordered: Vec<(Option<VarId>, CType, ArgumentInfo)> = Vec::new();
    let mut latest = None;
    for (side, buffer, scalar, rank) in &buffers.names {
        if let Side::Input(position) = side {
            let input = program.inputs.get(*position).map(|input| pool.buffer(*input).func);
            latest = input.and_then(|input| pool.func(input).args.first().copied()).or(latest);
            let kind = ArgumentKind::Input { rank: *rank };
            let (name, scalar, position) = (buffer.clone(), *scalar, *position);
            let argument = ArgumentInfo { name, scalar, kind, position };
            ordered.push((latest, buffer_pointer(), argument));
        }
    }
    for field in fields {
        if let Source::Param(position) = field.source
            && let Some(param) = signature.params.get(position)
        {
            let (name, scalar) = (field.name.clone(), param.scalar);
            let argument = ArgumentInfo { name, scalar, kind: ArgumentKind::Parameter, position };
            ordered.push((program.params.get(position).copied(), field.ty.clone(), argument));
        }
    }
    ordered.sort_by_key(|(var, ..)| *var);
    ordered.into_iter().map(|(_, ty, argument)| (ty, argument)).collect()
}

fn needs(pool: &Pool, program: &Program, checks: &[CheckInfo]) -> Needs {
    let mut needs = Needs::default();
    for info in checks {
        let (side, dim, needed) = match &info.check {
            Check::InputRegion { input, dim, needed, .. } => {
                let place = program.inputs.iter().position(|b| pool.buffer(*b).func == *input);
                (place.map(Side::Input), *dim, *needed)
            }
            Check::OutputRegion { output, dim, needed, .. } => {
                for (position, buffer) in program.output_buffers().enumerate() {
                    if pool.buffer(buffer).func == *output {
                        let key = (Side::Output(position), *dim);
                        needs.entry(key).or_default().push(*needed);
                    }
                }
                continue;
            }
            Check::Require { .. }
            | Check::DomainExtent { .. }
            | Check::SplitFactor { .. }
            | Check::Bound { .. }
            | Check::SizeLimit { .. }
            | Check::Layout { .. } => continue,
        };
        if let Some(side) = side {
            needs.entry((side, dim)).or_default().push(needed);
        }
    }
    needs
}

fn buffer_pointer() -> CType {
    CType::pointer(CType::Named("halidom_buffer_t".to_owned()), false)
}

fn leave(status: &str) -> CStmt {
    CStmt::Return(CExpr::name(status))
}

/// The flag of a buffer whose newest elements are on a device (`halide_buffer_flag_device_dirty`).
const DEVICE_DIRTY: &str = "2";

/// Returns the condition that a buffer is missing, has another type or rank, or has its newest
/// elements on a device.
fn is_bad(buffer: &str, scalar: Scalar, rank: usize) -> CExpr {
    let field = |field: &str| CExpr::arrow(CExpr::name(buffer), field);
    let of_type = |part: &str| CExpr::dot(field("type"), part);
    let differs =
        |value: CExpr, right: String| CExpr::binary(CBinary::Ne, value, CExpr::literal(right));
    let code = if scalar.is_float() {
        "HALIDOM_TYPE_FLOAT"
    } else if scalar.is_signed() {
        "HALIDOM_TYPE_INT"
    } else {
        "HALIDOM_TYPE_UINT"
    };
    let bits = scalar.bits().unwrap_or(64);
    let tests = [
        CExpr::binary(CBinary::Eq, CExpr::name(buffer), CExpr::name("NULL")),
        differs(of_type("code"), code.to_owned()),
        differs(of_type("bits"), bits.to_string()),
        differs(of_type("lanes"), "1".to_owned()),
        differs(field("dimensions"), rank.to_string()),
        differs(
            CExpr::binary(CBinary::BitAnd, field("flags"), CExpr::literal(DEVICE_DIRTY)),
            "0".to_owned(),
        ),
    ];
    let mut tests = tests.into_iter();
    let first = tests.next().unwrap_or_else(|| CExpr::literal("0"));
    tests.fold(first, |all, test| CExpr::binary(CBinary::Or, all, test))
}

fn dim(buffer: &str, dim: usize, part: Part) -> CExpr {
    let dims = CExpr::arrow(CExpr::name(buffer), "dim");
    let field = match part {
        Part::Min => "min",
        Part::Extent => "extent",
        Part::Stride => "stride",
    };
    CExpr::dot(CExpr::index(dims, CExpr::literal(dim.to_string())), field)
}

impl Buffers {
    fn of(fields: &[Field], signature: &Signature) -> Self {
        let names = fields
            .iter()
            .filter_map(|field| {
                let Source::Memory(side) = field.source else { return None };
                let info = match side {
                    Side::Input(position) => &signature.inputs[position],
                    Side::Output(position) => &signature.outputs[position],
                };
                Some((side, field.name.clone(), info.scalar, info.rank))
            })
            .collect();
        Self { names }
    }

    fn name(&self, side: Side) -> &str {
        self.names.iter().find(|(known, ..)| *known == side).map_or("", |(_, name, ..)| name)
    }

    /// Returns a field's value where a buffer's shape gives it: the window is the output's box.
    fn shape_of(&self, source: Source) -> Option<CExpr> {
        match source {
            Source::Layout(side, k, part) => Some(dim(self.name(side), k, part)),
            Source::Window(output, k, part) => Some(dim(self.name(Side::Output(output)), k, part)),
            Source::Memory(_) | Source::Param(_) => None,
        }
    }

    /// Returns the condition that two buffers differ in shape, or `None` if they have no
    /// dimensions.
    fn of_another_shape(&self, side: Side, other: Side, rank: usize) -> Option<CExpr> {
        let (own, other) = (self.name(side), self.name(other));
        let tests = (0..rank).flat_map(|k| {
            [Part::Min, Part::Extent, Part::Stride]
                .map(|part| CExpr::binary(CBinary::Ne, dim(own, k, part), dim(other, k, part)))
        });
        tests.reduce(|all, test| CExpr::binary(CBinary::Or, all, test))
    }

    fn any_without_memory(&self) -> CExpr {
        let mut tests = self.names.iter().map(|(_, name, ..)| {
            let host = CExpr::arrow(CExpr::name(name.clone()), "host");
            CExpr::binary(CBinary::Eq, host, CExpr::name("NULL"))
        });
        let first = tests.next().unwrap_or_else(|| CExpr::literal("0"));
        tests.fold(first, |all, test| CExpr::binary(CBinary::Or, all, test))
    }

    /// Gives each buffer without memory the shape that is needed. Outputs come first, because the
    /// windows follow from them.
    fn answer(
        &self,
        translator: &mut Translator<'_>,
        fields: &[Field],
        needs: &Needs,
    ) -> Result<Vec<CStmt>, EmitError> {
        let mut stmts = Vec::new();
        for outputs in [true, false] {
            for (side, name, _, rank) in &self.names {
                if matches!(side, Side::Output(_)) != outputs {
                    continue;
                }
                let mut shape = Vec::new();
                for k in 0..*rank {
                    if let Some(needed) = needs.get(&(*side, k)) {
                        let (min, extent) = union(translator, needed)?;
                        shape.push(CStmt::Assign(dim(name, k, Part::Min), int32(min)));
                        shape.push(CStmt::Assign(dim(name, k, Part::Extent), int32(extent)));
                    }
                    let stride = match k.checked_sub(1) {
                        None => CExpr::literal("1"),
                        Some(inner) => CExpr::binary(
                            CBinary::Mul,
                            dim(name, inner, Part::Stride),
                            dim(name, inner, Part::Extent),
                        ),
                    };
                    shape.push(CStmt::Assign(dim(name, k, Part::Stride), stride));
                }
                let host = CExpr::arrow(CExpr::name(name.clone()), "host");
                let absent = CExpr::binary(CBinary::Eq, host, CExpr::name("NULL"));
                if !shape.is_empty() {
                    stmts.push(CStmt::If(absent, shape, None));
                }
            }
            if outputs {
                for field in fields {
                    let of_output = matches!(
                        field.source,
                        Source::Layout(Side::Output(_), ..) | Source::Window(..)
                    );
                    if let (true, Some(value)) = (of_output, self.shape_of(field.source)) {
                        stmts.push(CStmt::Assign(CExpr::name(field.name.clone()), value));
                    }
                }
            }
        }
        stmts.push(leave("HALIDOM_OK"));
        Ok(stmts)
    }
}

fn int32(value: CExpr) -> CExpr {
    CExpr::cast(CType::Scalar(Scalar::I32), value)
}

/// Returns the min and the extent of the least interval that contains all the given ones.
fn union(
    translator: &mut Translator<'_>,
    needed: &[Interval],
) -> Result<(CExpr, CExpr), EmitError> {
    let mut whole: Option<(CExpr, CExpr)> = None;
    for interval in needed {
        let min = translator.scalar(interval.min)?;
        let end = end(translator, interval.min, interval.extent)?;
        whole = Some(match whole {
            None => (min, end),
            Some((least, greatest)) => (
                translator.help(Helper::Scalar(ScalarOp::Min, Scalar::Int), vec![least, min]),
                translator.help(Helper::Scalar(ScalarOp::Max, Scalar::Int), vec![greatest, end]),
            ),
        });
    }
    let (min, end) = whole.unwrap_or_else(|| (CExpr::literal("0"), CExpr::literal("0")));
    match needed {
        [one] => Ok((min, translator.scalar(one.extent)?)),
        _ => {
            let extent = CExpr::binary(CBinary::Sub, end, min.clone());
            Ok((min, extent))
        }
    }
}

fn end(translator: &mut Translator<'_>, min: ExprId, extent: ExprId) -> Result<CExpr, EmitError> {
    let wide = CExpr::cast(CType::Scalar(Scalar::Int), translator.scalar(min)?);
    Ok(CExpr::binary(CBinary::Add, wide, translator.scalar(extent)?))
}
