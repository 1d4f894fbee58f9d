//! Reads algorithms from the IR's text form, and directives from lines.

use halidom_ir::{
    Action, Algorithm, BinaryOp, Directive, ExprId, FuncId, LoopKind, LoopLevel, Pool, Schedule,
    Tail, parse,
};

/// Reads an algorithm.
pub(crate) fn algorithm(text: &str) -> (Pool, Algorithm) {
    let module = parse::module(text).unwrap_or_else(|error| {
        panic!("{error}: {:?}", error.position(text));
    });
    halidom_ir::verify::algorithm(&module.pool, &module.algorithm).unwrap();
    (module.pool, module.algorithm)
}

/// Reads directives, one per line: `f.split(x, xo, xi, 8, guard)`, `f.update(1).parallel(y)`.
/// Numbers and the names of parameters are expressions.
pub(crate) fn schedule(pool: &mut Pool, text: &str) -> Schedule {
    let directives = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .enumerate()
        .map(|(origin, line)| directive(pool, line, origin))
        .collect();
    Schedule { name: "test".to_owned(), directives }
}

fn func(pool: &Pool, name: &str) -> FuncId {
    pool.funcs().find(|(_, decl)| decl.name == name).unwrap_or_else(|| panic!("no func {name}")).0
}

fn expr(pool: &mut Pool, text: &str) -> ExprId {
    if let Ok(number) = text.parse() {
        return pool.int(number);
    }
    let var = pool.vars().find(|(_, decl)| decl.name == text);
    let var = var.unwrap_or_else(|| panic!("no variable {text}")).0;
    pool.var_expr(var)
}

fn tail(text: &str) -> Tail {
    Tail::ALL.into_iter().find(|tail| tail.name() == text).unwrap()
}

fn level(pool: &Pool, name: &str, var: &str) -> LoopLevel {
    let (name, stage) = match name.split_once('!') {
        Some((name, stage)) => (name, Some(stage.parse().unwrap())),
        None => (name, None),
    };
    LoopLevel { func: func(pool, name), stage, var: var.to_owned() }
}

fn directive(pool: &mut Pool, line: &str, origin: usize) -> Directive {
    let (name, rest) = line.split_once('.').unwrap();
    let func = func(pool, name);
    let (stage, rest) = match rest.strip_prefix("update(") {
        Some(rest) => {
            let (number, rest) = rest.split_once(").").unwrap();
            (number.parse().unwrap(), rest)
        }
        None => (0, rest),
    };
    let (action, args) = rest.trim_end_matches(')').split_once('(').unwrap();
    let args: Vec<&str> = args.split(',').map(str::trim).filter(|arg| !arg.is_empty()).collect();
    let text = |index: usize| args[index].to_owned();
    let action = match (action, args.as_slice()) {
        ("split", [_, _, _, factor, kind]) => Action::Split {
            var: text(0),
            outer: text(1),
            inner: text(2),
            factor: expr(pool, factor),
            tail: tail(kind),
        },
        ("tile", [_, _, _, _, _, _, width, height, kind]) => Action::Tile {
            vars: [text(0), text(1)],
            outer: [text(2), text(3)],
            inner: [text(4), text(5)],
            factors: [expr(pool, width), expr(pool, height)],
            tail: tail(kind),
        },
        ("fuse", [_, _, _]) => Action::Fuse { outer: text(0), inner: text(1), fused: text(2) },
        ("reorder", vars) => {
            Action::Reorder { vars: vars.iter().map(|var| (*var).to_owned()).collect() }
        }
        ("swap", [_]) => Action::Swap { var: text(0) },
        ("parallel", [_]) => Action::Traverse { var: text(0), kind: LoopKind::PARALLEL },
        ("serial", [_]) => Action::Traverse { var: text(0), kind: LoopKind::Serial },
        ("vectorize", [_]) => Action::Vectorize { var: text(0), lanes: None, tail: Tail::Auto },
        ("vectorize", [_, lanes, kind]) => {
            Action::Vectorize { var: text(0), lanes: Some(expr(pool, lanes)), tail: tail(kind) }
        }
        ("unroll", [_]) => Action::Unroll { var: text(0), factor: None, tail: Tail::Auto },
        ("unroll", [_, factor, kind]) => {
            Action::Unroll { var: text(0), factor: Some(expr(pool, factor)), tail: tail(kind) }
        }
        ("rename", [_, _]) => Action::Rename { from: text(0), to: text(1) },
        ("compute_at", [name, var]) => Action::ComputeAt(level(pool, name, var)),
        ("compute_root", []) => Action::ComputeRoot,
        ("compute_inline", []) => Action::ComputeInline,
        ("store_at", [name, var]) => Action::StoreAt(level(pool, name, var)),
        ("store_root", []) => Action::StoreRoot,
        ("bound", [_, min, extent]) => {
            Action::Bound { var: text(0), min: Some(expr(pool, min)), extent: expr(pool, extent) }
        }
        ("bound_extent", [_, extent]) => {
            Action::Bound { var: text(0), min: None, extent: expr(pool, extent) }
        }
        ("align_bounds", [_, modulus, remainder]) => Action::AlignBounds {
            var: text(0),
            modulus: expr(pool, modulus),
            remainder: expr(pool, remainder),
        },
        // specialize(variable, number; directives…): the condition is `variable == number`.
        ("specialize", [variable, number, inner @ ..]) => {
            let (lhs, rhs) = (expr(pool, variable), expr(pool, number));
            let condition = pool.binary(BinaryOp::Eq, lhs, rhs);
            let inner = inner.join(",");
            let directives = inner
                .split(';')
                .filter(|line| !line.is_empty())
                .map(|line| directive(pool, &format!("{line})"), origin))
                .collect();
            Action::Specialize { condition, directives }
        }
        _ => panic!("cannot read `{line}`"),
    };
    Directive { func, stage, action, origin }
}
