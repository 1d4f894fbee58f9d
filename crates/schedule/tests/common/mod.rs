//! Algorithms to schedule, in the IR's text form, and how to run what comes of them.

use halidom_ir::{
    Action, Algorithm, BinaryOp, Directive, ExprId, FuncId, LoopKind, LoopLevel, Pool, Schedule,
    Tail, parse,
};

/// A two-stage box blur.
pub const BLUR: &str = "algorithm blur {
  input input(x, y): u16 in input.buffer [input.min.0, input.extent.0, input.stride.0] [input.min.1, input.extent.1, input.stride.1];
  func blur_x(bx, by): u16 {
    stage(bx, by) = (input(bx, by) + input(bx + 1, by) + input(bx + 2, by)) / 3u16;
  }
  func output(ox, oy): u16 {
    stage(ox, oy) = (blur_x(ox, oy) + blur_x(ox, oy + 1) + blur_x(ox, oy + 2)) / 3u16;
  }
  output output;
}";

/// Matrix product: a pure stage, then an update over a reduction domain.
pub const GEMM: &str = "algorithm gemm {
  param alpha: i32;
  input A(x, y): i32 in A.buffer [A.min.0, A.extent.0, A.stride.0] [A.min.1, A.extent.1, A.stride.1];
  input B(bx, by): i32 in B.buffer [B.min.0, B.extent.0, B.stride.0] [B.min.1, B.extent.1, B.stride.1];
  require A.extent.1 == B.extent.0, \"inner dimensions differ\";
  func AB(i, j): i32 {
    stage(i, j) = 0i32;
    for k in [0, A.extent.1] stage(i, j) = AB(i, j) + A(i, k) * B(k, j);
  }
  func D(di, dj): i32 {
    stage(di, dj) = alpha * AB(di, dj);
  }
  output D;
}";

/// A scatter whose index depends on data, under a condition.
pub const HISTOGRAM: &str = "algorithm histogram {
  param limit: u8;
  input input(x, y): u8 in input.buffer [input.min.0, input.extent.0, input.stride.0] [input.min.1, input.extent.1, input.stride.1];
  func count(i): u32 {
    stage(i) = 0u32;
    for hx in [0, input.extent.0] for hy in [0, input.extent.1] if input(hx, hy) < limit
      stage(int(min(max(i32(input(hx, hy)), 0i32), 255i32))) = count(int(min(max(i32(input(hx, hy)), 0i32), 255i32))) + 1u32;
  }
  output count;
}";

/// Reads an algorithm.
pub fn algorithm(text: &str) -> (Pool, Algorithm) {
    let module = parse::module(text).unwrap_or_else(|error| {
        panic!("{error}: {:?}", error.position(text));
    });
    halidom_ir::verify::algorithm(&module.pool, &module.algorithm).unwrap();
    (module.pool, module.algorithm)
}

/// Reads directives, one a line: `f.split(x, xo, xi, 8, guard)`, `f.update(0).parallel(y)`. Numbers and the names of parameters are expressions.
pub fn schedule(pool: &mut Pool, text: &str) -> Schedule {
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
            (number.parse::<usize>().unwrap() + 1, rest)
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
        ("parallel", [_]) => Action::Traverse { var: text(0), kind: LoopKind::Parallel },
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
