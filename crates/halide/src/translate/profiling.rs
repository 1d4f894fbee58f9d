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
use super::pointers::is_null;
use super::scopes::belong;
use crate::parts::for_each_stmt;
use crate::tree::{BinaryOp, Block, Call, Expr, Scalar, Stmt, StmtKind, Type};
use crate::{NameId, Names};

/// The memory of the profiler, and the types of its elements.
const MEMORY: [(&str, Scalar); 3] = [
    ("profiler_instance", Scalar::UInt(64)),
    ("profiler_func_names", Scalar::Handle(None)),
    ("profiler_func_stack_peak_buf", Scalar::UInt(64)),
];
/// The name of the result of the function that starts the profiler.
const STARTED: &str = "profiler_start_error_code";
/// The ends of the names of tokens.
const TOKEN: &str = "_sampling_token";
/// The beginning of the names of functions.
const FUNCTION: &str = "halide_profiler_";
/// The numbers of elements that an instance has by itself and for each func
/// (`halide_profiler_instance_state`, `halide_profiler_func_stats`).
const INSTANCE_WORDS: [i64; 2] = [14, 9];

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
    if !begins_first(names, block) || !ends_always(names, block) {
        return None;
    }
    let mut block = block.clone();
    strip(names, &mut block, &mut Vec::new(), &known);
    Some(block)
}

/// Tests whether the profiler is started before anything else of it is called, with a name for each
/// func. It reads these names, and the instance that its start fills.
fn begins_first(names: &Names, block: &[Stmt]) -> bool {
    let (mut named, mut starts, mut is_right) = (FxHashSet::default(), 0, true);
    for_each_stmt(block, &mut |stmt| {
        if let StmtKind::Store {
            name,
            index: Expr::Int(func, _),
            alignment: _,
            value: _,
            predicate: _,
        } = &stmt.kind
            && stem(names.text(*name)) == MEMORY[1].0
        {
            named.insert(*func);
        }
        stmt.for_each_expr(&mut |expr| {
            let Expr::Call(call) = expr else { return };
            match (names.text(call.name).strip_prefix(FUNCTION), call.args.get(1)) {
                (Some("instance_start"), Some(Expr::Int(count, _))) => {
                    is_right &= (0..*count).all(|func| named.contains(&func));
                    starts += 1;
                }
                // A token is memory of the statement's own.
                (Some("init_sampling_token") | None, _) => {}
                (Some(_), _) => is_right &= starts > 0,
            }
        });
    });
    is_right && starts == 1
}

/// Tests whether the block that allocates the instance also starts it, after it registered the end
/// of the instance. So the instance ends with the run, and the runtime does not keep its memory.
fn ends_always(names: &Names, block: &[Stmt]) -> bool {
    let is_memory = |stmt: &Stmt| {
        is_memory(names, stmt).is_some_and(|(name, _)| stem(names.text(name)) == MEMORY[0].0)
    };
    let ends = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Evaluate(call) if is_end(names, call));
    let mut rest = block.iter();
    if rest.any(is_memory) {
        return rest.any(ends) && rest.any(|stmt| starts(names, stmt));
    }
    let mut found = false;
    for stmt in block {
        stmt.for_each_block(&mut |inner| found = found || ends_always(names, inner));
    }
    found
}

/// Tests whether a statement starts the instance, under no condition.
fn starts(names: &Names, stmt: &Stmt) -> bool {
    if let StmtKind::Scope(body) = &stmt.kind {
        return body.iter().any(|stmt| starts(names, stmt));
    }
    matches!(&stmt.kind, StmtKind::Let { name, value: _ } if stem(names.text(*name)) == STARTED)
}

/// Tests for the call that registers the end of the instance.
fn is_end(names: &Names, call: &Expr) -> bool {
    let Expr::Call(call) = call else { return false };
    names.text(call.name) == "register_destructor"
        && matches!(call.args.as_slice(), [Expr::String(function), Expr::Variable { name, ty: _ }]
            if **function == *b"halide_profiler_instance_end"
                && stem(names.text(*name)) == MEMORY[0].0)
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
            && matches!(call.args.as_slice(), [Expr::Int(bytes, _)] if *bytes >= 4);
        let begins = names.text(*name).starts_with("profiler_");
        return (begins && (token || is_own(names, call))).then_some(*name);
    }
    is_memory(names, stmt).map(|(name, _)| name)
}

/// The memory that a statement allocates for the profiler, and its number of elements.
fn is_memory(names: &Names, stmt: &Stmt) -> Option<(NameId, i64)> {
    if let Some((name, ty, [Expr::Int(size, _)])) = stmt.allocated()
        && ty.lanes == 1
        && MEMORY.iter().any(|(own, scalar)| {
            stem(names.text(name)) == *own
                && (*scalar == ty.scalar || is_pointer(*scalar) && is_pointer(ty.scalar))
        })
    {
        return Some((name, *size));
    }
    None
}

fn is_pointer(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Handle(_))
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
        let is_right = match stem(names.text(*name)) {
            "profiler_func_names" => matches!(value, Expr::String(_)),
            _ => matches!(value, Expr::UInt(_, ty) if *ty == Type::of(Scalar::UInt(64))),
        };
        return size(name).is_some_and(|size| (0..size).contains(index)) && is_right;
    }
    if let StmtKind::Assert { condition: Expr::Binary(BinaryOp::Eq, operands), message: _ } =
        &stmt.kind
        && let [Expr::Variable { name, ty: _ }, Expr::Int(0, _)] = &**operands
    {
        return known.contains(name) && stem(names.text(*name)) == STARTED;
    }
    if let StmtKind::Evaluate(value @ Expr::Call(call)) = &stmt.kind {
        let is_live = |arg: &Expr| arg.variable().is_some_and(|name| size(&name).is_some());
        return is_called_rightly(names, call, memory)
            || is_end(names, value) && call.args.last().is_some_and(is_live);
    }
    if let StmtKind::Free(name) = &stmt.kind {
        return size(name).is_some();
    }
    if let StmtKind::Let { name: _, value: Expr::Call(call) } = &stmt.kind
        && is_own(names, call)
    {
        return is_called_rightly(names, call, memory);
    }
    bound(names, stmt).is_some()
}

/// A kind of operand of the profiler's functions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Instance(i64),
    FuncNames(i64),
    Peaks(i64),
    Token,
    Text,
    Null,
    Number(i64),
    Other,
}

/// Tests whether a call has the operands that its function takes: memory that is large enough for
/// the number of funcs, which is that of their names, and numbers of funcs below it.
fn is_called_rightly(names: &Names, call: &Call, memory: &[(NameId, i64)]) -> bool {
    use Kind::{FuncNames, Instance, Null, Number, Other, Peaks, Text, Token};
    let kind = |arg: &Expr| {
        if let Expr::Int(number, _) = arg {
            return Number(*number);
        }
        if let Expr::String(_) = arg {
            return Text;
        }
        if is_null(arg) {
            return Null;
        }
        let Expr::Variable { name, ty: _ } = arg else { return Other };
        let size = memory.iter().rfind(|(own, _)| own == name).map(|(_, size)| *size);
        match (stem(names.text(*name)), size) {
            ("profiler_instance", Some(size)) => Instance(size),
            ("profiler_func_names", Some(size)) => FuncNames(size),
            ("profiler_func_stack_peak_buf", Some(size)) => Peaks(size),
            (token, None) if token.ends_with(TOKEN) => Token,
            _ => Other,
        }
    };
    let funcs = memory.iter().rev().find(|(name, _)| stem(names.text(*name)) == MEMORY[1].0);
    let Some((_, funcs)) = funcs else { return false };
    let Some(function) = names.text(call.name).strip_prefix(FUNCTION) else { return false };
    let kinds: Vec<Kind> = call.args.iter().map(kind).collect();
    let [own, each] = INSTANCE_WORDS;
    let is_right = match (function, kinds.as_slice()) {
        ("instance_start", [Text, Number(count), FuncNames(size), Instance(words)]) => {
            count == size && matches!(count, 1..1_000_000) && *words >= own + each * count
        }
        ("set_current_func", [Instance(_), Number(func), Token | Null])
        | ("memory_allocate" | "memory_free", [Instance(_), Number(func), Number(_) | Other]) => {
            (0..*funcs).contains(func)
        }
        ("stack_peak_update", [Instance(_), Peaks(size)]) => size == funcs,
        (
            "enable_instance" | "disable_instance" | "incr_active_threads" | "decr_active_threads",
            [Instance(_)],
        )
        | ("init_sampling_token", [Token, Number(_)])
        | ("acquire_sampling_token" | "release_sampling_token", [Token, Token]) => true,
        _ => false,
    };
    is_own(names, call) && is_right
}

/// Tests whether a call is one of a function of the profiler, whose operands read no memory and are
/// pointers to the profiler's memory only.
fn is_own(names: &Names, call: &Call) -> bool {
    let function = names.text(call.name);
    // Their last argument is a number of bytes. A text does not state types.
    let has_size =
        ["halide_profiler_memory_allocate", "halide_profiler_memory_free"].contains(&function);
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
