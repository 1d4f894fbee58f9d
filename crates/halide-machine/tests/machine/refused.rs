//! Constructs without full meaning are refused by name, and limits end a run.

use halidom_halide_machine::{Limits, Outcome, run};

use crate::common::{World, refused};

#[test]
fn constructs_are_named() {
    let cases = [
        ("out[0] = unknown_function(1)", "`unknown_function`"),
        ("out[0] = undef()", "`undef`"),
        ("realize f([0, 4]) {\n  out[0] = 1\n}", "the realization of `f`"),
        ("f(0) = 1", "a point of the func `f`"),
        ("prefetch a, x, y, ([0, 4])", "the prefetch of `a`"),
        ("hoisted_storage (f) {\n  out[0] = 1\n}", "storage that is hoisted"),
        ("allocate b[int32 * 4] in VTCM\nb[0] = 1", "memory of kind `VTCM`"),
        ("out[0] = a[ramp(0, 1, 4)]", "a store of other lanes than its index has"),
        ("out[0] = n + (uint8)1", "operands of Add of different types"),
        ("b[0] = 1", "memory `b`, which nothing binds"),
        ("extern (x, 0, 4) {\n out[0] = 1\n}", "an extern loop"),
        (
            "atomic (out) {\n  predicate (ramp(0, 1, 4) < x4(2))\n   \
                out[ramp(0, 1, 4)] = out[ramp(0, 1, 4)] + x4(1)\n}",
            "an atomic update with a predicate",
        ),
    ];
    for (text, construct) in cases {
        assert_eq!(refused(text), construct, "{text}");
    }
}

#[test]
fn limits_end_a_run() {
    let world = World::default();
    let statement = world.statement("for (i, 0, 1000) {\n out[0] = i\n}").expect("it is taken");
    let limits = Limits { steps: 500, ..Limits::default() };
    assert_eq!(run(&statement, &world.case(), &limits), Outcome::TooLong);
    assert!(matches!(run(&statement, &world.case(), &Limits::default()), Outcome::Done { .. }));
    let statement =
        world.statement("allocate b[int32 * (n*1000000)]\nout[0] = 1").expect("it is taken");
    let limits = Limits { memory: 1000, ..Limits::default() };
    assert_eq!(run(&statement, &world.case(), &limits), Outcome::TooLong);
}

#[test]
fn deep_nesting_is_refused() {
    use halidom_halide_ir::Names;
    use halidom_halide_ir::tree::{Expr, Stmt, StmtKind, Type};
    use halidom_halide_machine::{Mode, Signature, Statement};
    let mut expr = Expr::Int(1, Type::INT32);
    for _ in 0..2000 {
        expr = Expr::Not(Box::new(expr));
    }
    let block = vec![Stmt { at: 0, kind: StmtKind::Evaluate(expr) }];
    let statement = Statement::new(&block, &Names::new(), &Signature::default(), Mode::Final);
    assert!(statement.is_err_and(|refused| refused.construct.contains("nested deeper")));
}

#[test]
fn a_query_of_bounds_is_answered() {
    let world = World::default();
    let text = "if ((uint1)_halide_buffer_is_bounds_query((struct halide_buffer_t *)a.buffer)) {
 (struct halide_buffer_t *)_halide_buffer_init((struct halide_buffer_t *)a.buffer, (struct \
 halide_dimension_t *)_halide_buffer_get_shape((struct halide_buffer_t *)a.buffer), \
 reinterpret<(void *)>((uint64)0), (uint64)0, reinterpret<(void *)>((uint64)0), 0, 32, 1, (struct \
 halide_dimension_t *)make_struct(3, n, 1, 0), (uint64)0)
} else {
 out[0] = 1
}";
    let statement = world.statement(text).expect("it is taken");
    let mut case = world.case();
    case.buffers[0].host = None;
    let Outcome::Done { buffers, notes: _ } = run(&statement, &case, &Limits::default()) else {
        panic!("it goes through");
    };
    assert_eq!((buffers[0].dims[0].min, buffers[0].dims[0].extent), (3, 4));
    assert_eq!(buffers[1].bytes.as_ref().map(|bytes| bytes[0]), Some(77));
}
