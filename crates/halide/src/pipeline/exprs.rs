//! Expressions of a pipeline file.

use super::schema::EXPR;
use super::wire::{Result, Table};
use crate::tree::{Alignment, BinaryOp, Call, CallKind, Expr, Load, Scalar, ShuffleKind, Type};
use crate::{NameId, Names};

/// Kinds of calls, in the order of their numbers.
const CALLS: [CallKind; 7] = [
    CallKind::Image,
    CallKind::Extern,
    CallKind::ExternCPlusPlus,
    CallKind::PureExtern,
    CallKind::Halide,
    CallKind::Intrinsic,
    CallKind::PureIntrinsic,
];

/// Reads the expression in a field; `None` where Halide has none.
pub(super) fn optional(
    table: Table<'_>,
    field: (&str, &str),
    names: &mut Names,
) -> Result<Option<Expr>> {
    match table.union(field, EXPR)? {
        Some(found) if found.name != "UndefinedExpr" => expr(found, names).map(Some),
        Some(_) | None => Ok(None),
    }
}

/// Reads the expression in a field that must have one.
pub(super) fn required(table: Table<'_>, field: (&str, &str), names: &mut Names) -> Result<Expr> {
    optional(table, field, names)?.ok_or_else(|| table.damaged("an expression"))
}

/// Reads the expressions in a field.
pub(super) fn all(table: Table<'_>, field: (&str, &str), names: &mut Names) -> Result<Vec<Expr>> {
    table.unions(field, EXPR)?.into_iter().map(|found| expr(found, names)).collect()
}

pub(super) fn ty(table: Table<'_>) -> Result<Type> {
    let bits = table.u8("bits")?;
    let scalar = match table.u8("code")? {
        0 => Scalar::Int(bits),
        1 => Scalar::UInt(bits),
        2 => Scalar::Float(bits),
        3 => Scalar::Handle(None),
        4 => Scalar::BFloat(bits),
        _ => return Err(table.damaged("a type")),
    };
    let lanes = u32::try_from(table.i32("lanes")?).ok().filter(|lanes| *lanes > 0);
    Ok(Type { scalar, lanes: lanes.ok_or_else(|| table.damaged("a number of lanes"))? })
}

/// The id of a name; `None` if the text is empty.
pub(super) fn name(text: &str, names: &mut Names) -> Option<NameId> {
    (!text.is_empty()).then(|| names.id(text))
}

fn alignment(table: Table<'_>) -> Result<Option<Alignment>> {
    let Some(table) = table.table("alignment", "ModulusRemainder")? else { return Ok(None) };
    let (modulus, remainder) = (table.i64("modulus")?, table.i64("remainder")?);
    Ok((modulus > 1).then_some(Alignment { modulus, remainder }))
}

fn lanes(table: Table<'_>) -> Result<u32> {
    let lanes = u32::try_from(table.i32("lanes")?).ok().filter(|lanes| *lanes > 0);
    lanes.ok_or_else(|| table.damaged("a number of lanes"))
}

fn expr(table: Table<'_>, names: &mut Names) -> Result<Expr> {
    let own = |field| ty(table.required(field, "Type")?);
    let binary = |op, names: &mut Names| {
        let lhs = required(table, ("a_type", "a"), names)?;
        let rhs = required(table, ("b_type", "b"), names)?;
        Ok(Expr::Binary(op, Box::new([lhs, rhs])))
    };
    Ok(match table.name {
        "IntImm" => Expr::Int(table.i64("value")?, own("type")?),
        "UIntImm" => Expr::UInt(table.u64("value")?.unwrap_or(0), own("type")?),
        "FloatImm" => Expr::Float(table.f64("value")?, own("type")?),
        "StringImm" => Expr::String(table.string("value")?.as_bytes().into()),
        "Cast" => {
            Expr::Cast(own("type")?, Box::new(required(table, ("value_type", "value"), names)?))
        }
        "Reinterpret" => Expr::Reinterpret(
            own("type")?,
            Box::new(required(table, ("value_type", "value"), names)?),
        ),
        "Add" => binary(BinaryOp::Add, names)?,
        "Sub" => binary(BinaryOp::Sub, names)?,
        "Mul" => binary(BinaryOp::Mul, names)?,
        "Div" => binary(BinaryOp::Div, names)?,
        "Mod" => binary(BinaryOp::Mod, names)?,
        "Min" => binary(BinaryOp::Min, names)?,
        "Max" => binary(BinaryOp::Max, names)?,
        "EQ" => binary(BinaryOp::Eq, names)?,
        "NE" => binary(BinaryOp::Ne, names)?,
        "LT" => binary(BinaryOp::Lt, names)?,
        "LE" => binary(BinaryOp::Le, names)?,
        "GT" => binary(BinaryOp::Gt, names)?,
        "GE" => binary(BinaryOp::Ge, names)?,
        "And" => binary(BinaryOp::And, names)?,
        "Or" => binary(BinaryOp::Or, names)?,
        "Not" => Expr::Not(Box::new(required(table, ("a_type", "a"), names)?)),
        "Select" => {
            let condition = required(table, ("condition_type", "condition"), names)?;
            let if_true = required(table, ("true_value_type", "true_value"), names)?;
            let if_false = required(table, ("false_value_type", "false_value"), names)?;
            Expr::Select(Box::new([condition, if_true, if_false]))
        }
        "Load" => Expr::Load(Box::new(Load {
            name: names.id(table.string("name")?),
            ty: Some(own("type")?),
            index: required(table, ("index_type", "index"), names)?,
            alignment: alignment(table)?,
            predicate: optional(table, ("predicate_type", "predicate"), names)?,
        })),
        "Ramp" => Expr::Ramp {
            base: Box::new(required(table, ("base_type", "base"), names)?),
            stride: Box::new(required(table, ("stride_type", "stride"), names)?),
            lanes: lanes(table)?,
        },
        "Broadcast" => Expr::Broadcast {
            value: Box::new(required(table, ("value_type", "value"), names)?),
            lanes: lanes(table)?,
        },
        "Let" => Expr::Let {
            name: names.id(table.string("name")?),
            value: Box::new(required(table, ("value_type", "value"), names)?),
            body: Box::new(required(table, ("body_type", "body"), names)?),
        },
        "Call" => Expr::Call(Box::new(Call {
            name: names.id(table.string("name")?),
            ty: Some(own("type")?),
            args: all(table, ("args_type", "args"), names)?,
            kind: Some(
                *CALLS
                    .get(usize::from(table.u8("call_type")?))
                    .ok_or_else(|| table.damaged("a kind of call"))?,
            ),
            component: usize::try_from(table.i32("value_index")?).unwrap_or(0),
            parameter: name(table.string("param_name")?, names)
                .or(name(table.string("image_name")?, names)),
        })),
        "Variable" => {
            Expr::Variable { name: names.id(table.string("name")?), ty: Some(own("type")?) }
        }
        "Shuffle" => {
            let indices = table.i32s("indices")?.into_iter().map(i64::from).collect();
            Expr::Shuffle(
                ShuffleKind::Lanes(indices),
                all(table, ("vectors_type", "vectors"), names)?,
            )
        }
        // Passes of the compiler make these; a pipeline never has one.
        "VectorReduce" => return Err(table.damaged("an expression of a pipeline")),
        _ => return Err(table.damaged("an expression")),
    })
}
