//! Tests the comparison of stores' claims with the specification.

use halidom_interp::Bindings;
use halidom_interp::machine::{Fault, Options, run_checking_claims};
use halidom_ir::{
    FuncKind, Interval, Label, LoopKind, Output, Program, Prophecy, Scalar, Stage, Stmt,
};

use crate::build::numbered;
use crate::program::Prog;

/// The defect of the program.
#[derive(Clone, Copy, PartialEq)]
enum Defect {
    None,
    Value,
    Coordinate,
    Point,
    ValueBeyondNeeded,
}

/// Runs `out(x) = 1; for r in 0..3: out(x) += input(x + r)` for `x` in 0..5. The points 0..4 are
/// needed.
fn accumulate(defect: Defect) -> Result<(), Fault> {
    let mut prog = Prog::new(Scalar::U8, 1);
    let (out, out_buffer) = prog.out;
    let x_var = prog.build.pool.func(out).args[0];
    let r_var = prog.build.vars(&["r"])[0];
    let (x, r) = (prog.build.e(x_var), prog.build.e(r_var));
    let one = prog.build.c(Scalar::U8, 1);
    let sum = prog.build.pool.add(x, r);
    let sample = prog.build.func_ref(prog.input.0, &[sum]);
    let before = prog.build.func_ref(out, &[x]);
    let value = prog.build.pool.add(before, sample);
    let domain = vec![prog.build.reduction(r_var, 0, 3)];
    let update = Stage { domain, predicate: None, lhs: vec![x], values: vec![value] };
    let stages = vec![prog.build.pure_stage(&[x_var], one), update];
    prog.build.pool.define_func(out, FuncKind::Defined { stages, synthetic: false });

    let init = prog.each(LoopKind::Vectorized, (0, 5), |prog, x| prog.provide(out, &[x], one));
    let update = prog.each(LoopKind::Serial, (0, 5), |prog, x| {
        prog.each(LoopKind::Serial, (0, 3), |prog, r| {
            let pool = &mut prog.build.pool;
            let sum = pool.add(x, r);
            let sample = pool.func_ref(prog.input.0, 0, [sum]);
            let before = pool.load(out_buffer, x, None);
            let mut value = pool.add(before, sample);
            let four = pool.int(4);
            let wrong = match defect {
                Defect::Value => Some(x),
                Defect::ValueBeyondNeeded => Some(pool.binary(halidom_ir::BinaryOp::Div, x, four)),
                Defect::None | Defect::Coordinate | Defect::Point => None,
            };
            if let Some(wrong) = wrong {
                let wrong = pool.cast(Scalar::U8, wrong);
                value = pool.add(value, wrong);
            }
            let unit = pool.int(1);
            let (next, later) = (pool.add(x, unit), pool.add(r, unit));
            let coord = if defect == Defect::Coordinate { next } else { x };
            let point = if defect == Defect::Point { later } else { r };
            let prophecy = Some(Prophecy {
                func: out,
                stage: 1,
                coords: [coord].into(),
                point: [point].into(),
            });
            pool.stmt(Stmt::Store { buffer: out_buffer, index: x, value, prophecy, atomic: false })
        })
    });
    let body = prog.block(&[init, update]);
    let needed = vec![Interval { min: prog.build.int(0), extent: prog.build.int(4) }];
    let label = Label::Func { func: out, needed };
    let body = prog.build.pool.stmt(Stmt::Labeled { label, body });
    let mut algorithm = prog.build.algorithm.clone();
    algorithm.funcs = vec![out];
    let program = Program {
        name: "test".to_owned(),
        params: Vec::new(),
        inputs: vec![prog.input.1],
        outputs: vec![Output { func: out, buffers: vec![out_buffer], window: prog.window.clone() }],
        body,
    };
    let mut bindings = Bindings::new();
    let input = numbered(Scalar::U8, vec![(0, 8)]);
    bindings.set_input(&prog.build.pool, prog.input.0, input).unwrap();
    let options = Options { output_shapes: Some(vec![vec![(0, 5)]]), ..Options::default() };
    run_checking_claims(
        &prog.build.pool,
        &program,
        &algorithm,
        &bindings,
        &[vec![(0, 4)]],
        &options,
    )
    .map(|_| ())
}

#[test]
fn stores_are_what_they_claim_to_be() {
    for (defect, expected) in [
        (Defect::None, None),
        (Defect::ValueBeyondNeeded, None),
        (Defect::Value, Some((vec![1], true))),
        (Defect::Coordinate, Some((vec![1], true))),
        (Defect::Point, Some((vec![0], true))),
    ] {
        match (accumulate(defect), expected) {
            (Ok(()), None) => {}
            (Err(Fault::ClaimWrong(wrong)), Some((coords, specified))) => {
                assert_eq!((wrong.coords, wrong.specified.is_some()), (coords, specified));
            }
            (result, _) => panic!("{result:?}"),
        }
    }
}
