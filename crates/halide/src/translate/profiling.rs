//! Statements that measure the run (`profile` in the target).
//!
//! # Correctness
//! The profiler has memory of its own, which no func has, and writes to nothing else. What it
//! measures is not judged, and the verdict says so. Here its statements are taken out: its memory,
//! stores to this memory within its size, calls of its functions with operands that read no memory,
//! and the check that it starts, which ends the run with an error. Names that these statements bind
//! are unknown to the others, so a statement that uses one otherwise is refused. Nothing is taken
//! out if one of these names also stands for something else.

use halidom_base::FxHashSet;

use super::effects::is_harmless;
use super::scopes::belong;
use crate::tree::{BinaryOp, Block, Call, Expr, Scalar, Stmt, StmtKind};
use crate::{NameId, Names};

/// The memory of the profiler.
const MEMORY: [&str; 4] = [
    "profiler_instance",
    "profiler_func_names",
    "profiler_func_stack_peak_buf",
    "profiler_start_error_code",
];
/// The ends of the names of tokens.
const TOKEN: &str = "_sampling_token";
/// The beginning of the names of functions.
const FUNCTION: &str = "halide_profiler_";
/// The functions that take a number of bytes after the memory and the number of a func.
const SIZED: [&str; 2] = ["halide_profiler_memory_allocate", "halide_profiler_memory_free"];

/// The statements without those that measure the run; nothing if there are none.
pub(super) fn without(names: &Names, block: &Block) -> Option<Block> {
    if !block.iter().any(|stmt| is_memory(names, stmt).is_some()) {
        return None;
    }
    let mut known = FxHashSet::default();
    collect(names, block, &mut known);
    if !belong(block, &known, &|stmt| bound(names, stmt).is_some()) {
        return None;
    }
    let mut block = block.clone();
    strip(names, &mut block, &mut Vec::new(), &known);
    Some(block)
}

/// The names that are bound to what measures the run.
fn collect(names: &Names, block: &[Stmt], known: &mut FxHashSet<NameId>) {
    for stmt in block {
        known.extend(bound(names, stmt));
        stmt.for_each_block(&mut |inner| collect(names, inner, known));
    }
}

/// The name that a statement binds to memory, a token or a result of the profiler.
fn bound(names: &Names, stmt: &Stmt) -> Option<NameId> {
    if let StmtKind::Let { name, value: Expr::Call(call) } = &stmt.kind {
        let token = stem(names.text(*name)).ends_with(TOKEN)
            && names.text(call.name) == "alloca"
            && call.args.iter().all(|arg| reads_nothing(arg) && is_harmless(names, arg));
        let begins = names.text(*name).starts_with("profiler_");
        return (begins && (token || is_own(names, call))).then_some(*name);
    }
    is_memory(names, stmt).map(|(name, _)| name)
}

/// The memory that a statement allocates for the profiler, and its number of elements.
fn is_memory(names: &Names, stmt: &Stmt) -> Option<(NameId, i64)> {
    if let Some((name, [Expr::Int(size, _)])) = stmt.allocated()
        && MEMORY.contains(&stem(names.text(name)))
    {
        return Some((name, *size));
    }
    None
}

/// A name without the number that makes it unique among several pipelines.
fn stem(name: &str) -> &str {
    match name.rsplit_once('$') {
        Some((stem, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => stem,
        Some(_) | None => name,
    }
}

fn strip(
    names: &Names,
    block: &mut Block,
    memory: &mut Vec<(NameId, i64)>,
    known: &FxHashSet<NameId>,
) {
    let outside = memory.len();
    block.retain_mut(|stmt| {
        memory.extend(is_memory(names, stmt));
        stmt.kind.for_each_body_mut(&mut |body| strip(names, body, memory, known));
        !measures(names, stmt, memory, known)
    });
    memory.truncate(outside);
}

/// Tests whether a statement only measures.
fn measures(
    names: &Names,
    stmt: &Stmt,
    memory: &[(NameId, i64)],
    known: &FxHashSet<NameId>,
) -> bool {
    let size = |name: &NameId| memory.iter().rfind(|(own, _)| own == name).map(|(_, size)| *size);
    if let StmtKind::Store {
        name,
        index: Expr::Int(index, _),
        alignment: _,
        value,
        predicate: None,
    } = &stmt.kind
    {
        return size(name).is_some_and(|size| (0..size).contains(index)) && reads_nothing(value);
    }
    if let StmtKind::Assert { condition: Expr::Binary(BinaryOp::Eq, operands), message: _ } =
        &stmt.kind
        && let [Expr::Variable { name, ty: _ }, Expr::Int(0, _)] = &**operands
    {
        return known.contains(name) && MEMORY.contains(&stem(names.text(*name)));
    }
    if let StmtKind::Evaluate(Expr::Call(call)) = &stmt.kind {
        let ends = matches!(
            call.args.as_slice(),
            [Expr::String(function), Expr::Variable { name, ty: _ }]
                if function.starts_with(FUNCTION.as_bytes()) && size(name).is_some()
        );
        return is_own(names, call) || (ends && names.text(call.name) == "register_destructor");
    }
    if let StmtKind::Free(name) = &stmt.kind {
        return size(name).is_some();
    }
    bound(names, stmt).is_some()
}

/// Tests whether a call is one of a function of the profiler, whose operands read no memory and are
/// pointers to the profiler's memory only.
fn is_own(names: &Names, call: &Call) -> bool {
    let function = names.text(call.name);
    // Their last argument is a number of bytes. A text does not state types.
    let has_size = SIZED.contains(&function);
    let may_take = |(place, arg): (usize, &Expr)| {
        if let Expr::Variable { name, ty } = arg {
            ty.is_some_and(|ty| !matches!(ty.scalar, Scalar::Handle(_)))
                || has_size && place == 2
                || names.text(*name).starts_with("profiler_")
        } else {
            reads_nothing(arg) && is_harmless(names, arg)
        }
    };
    function.starts_with(FUNCTION) && call.args.iter().enumerate().all(may_take)
}

/// Tests whether an expression reads no memory and calls nothing.
pub(super) fn reads_nothing(expr: &Expr) -> bool {
    let mut nothing = !matches!(expr, Expr::Load(_) | Expr::Call(_));
    expr.for_each_operand(&mut |operand| nothing = nothing && reads_nothing(operand));
    nothing
}
