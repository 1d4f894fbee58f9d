//! Small programs, compiled and run.

use std::num::NonZeroU32;

use halidom_ir::{
    BufferKind, Check, Constant, Deal, Dim, Interval, LoopKind, Pool, Program, Scalar, Stmt,
};

use super::common::{Builder, arguments, array, kernel};
use crate::{RunError, Target, Toolchain, emit};

/// `output(x, y) = (input(x, y) + input(x + 1, y) + input(x + 2, y)) / 3` with a loop of this kind
/// over the rows, each by way of an internal buffer.
pub(crate) fn row_blur(kind: LoopKind) -> (Pool, Program) {
    let mut b = Builder::new();
    let input = b.input("input", Scalar::U16, 2);
    let output = b.output("output", Scalar::U16, 2);
    let window = b.outputs[0].window.clone();
    let [xmin, xextent, ymin, yextent] =
        [window[0].0, window[0].1, window[1].0, window[1].1].map(|var| b.pool.var_expr(var));
    let (x, xe) = b.int_var("x");
    let (y, ye) = b.int_var("y");
    let (tx, txe) = b.int_var("x");
    let (zero, one, two) = (b.pool.int(0), b.pool.int(1), b.pool.int(2));
    let dim = Dim::new(xmin, xextent, one);
    let row = b.buffer("row", Scalar::U16, BufferKind::Internal, vec![dim]);
    let taps: Vec<_> = [zero, one, two]
        .into_iter()
        .map(|offset| {
            let coord = b.pool.add(txe, offset);
            b.load(input, &[coord, ye])
        })
        .collect();
    let sum = b.pool.add(taps[0], taps[1]);
    let sum = b.pool.add(sum, taps[2]);
    let index = b.index(row, &[txe]);
    let produce = b.store(row, index, sum);
    let produce = b.for_loop(tx, xmin, xextent, LoopKind::Serial, produce);
    let value = b.load(row, &[xe]);
    let three = b.constant(Scalar::U16, 3);
    let value = b.op(halidom_ir::BinaryOp::Div, value, three);
    let index = b.index(output, &[xe, ye]);
    let consume = b.store(output, index, value);
    let consume = b.for_loop(x, xmin, xextent, LoopKind::Serial, consume);
    let body = b.block(vec![produce, consume]);
    let body = b.pool.stmt(Stmt::Allocate { buffer: row, body });
    let work = b.for_loop(y, ymin, yextent, kind, body);
    let dims = b.pool.buffer(input).dims.clone();
    let reach = b.pool.add(xextent, two);
    let end = b.pool.add(xmin, reach);
    let given_end = b.pool.add(dims[0].min, dims[0].extent);
    let fits = b.op(halidom_ir::BinaryOp::Le, end, given_end);
    let check = Check::InputRegion {
        input: b.pool.buffer(input).func,
        dim: 0,
        needed: Interval { min: xmin, extent: reach },
        given: Interval { min: dims[0].min, extent: dims[0].extent },
    };
    let assert = b.pool.stmt(Stmt::Assert { condition: fits, check });
    let body = b.block(vec![assert, work]);
    let program = b.program("row blur", body);
    (b.pool, program)
}

#[test]
fn a_blur_runs_serially_and_in_parallel_under_every_compiler() {
    let toolchains: Vec<Toolchain> = Toolchain::all().into_iter().map(Toolchain::strict).collect();
    assert!(!toolchains.is_empty(), "no C compiler");
    let eight = NonZeroU32::new(8).unwrap();
    for kind in [
        LoopKind::Serial,
        LoopKind::PARALLEL,
        LoopKind::Parallel(Deal::STATIC),
        LoopKind::Parallel(Deal::STATIC.with_chunk(eight)),
        LoopKind::Parallel(Deal::DYNAMIC.with_chunk(eight)),
    ] {
        let (pool, program) = row_blur(kind);
        for toolchain in &toolchains {
            let kernel = kernel(&pool, &program, toolchain);
            for (min, width, height) in [(0, 17, 31), (-3, 1, 1), (5, 40, 0)] {
                let value = |n: usize| Constant::wrapped(Scalar::U16, n as i128 * 7919).unwrap();
                let input = array(Scalar::U16, &[(min, width + 2), (2, height)], value);
                let mut outputs = [array(Scalar::U16, &[(min, width), (2, height)], |_| {
                    Constant::zero(Scalar::U16)
                })];
                let inputs = [input];
                let arguments = arguments(&inputs, &outputs);
                kernel.run(&arguments, &mut outputs).unwrap();
                for point in outputs[0].points() {
                    let tap =
                        |k| inputs[0].get(&[point[0] + k, point[1]]).unwrap().as_integer().unwrap();
                    let sum = (tap(0) + tap(1) + tap(2)) % 65536;
                    assert_eq!(
                        outputs[0].get(&point).unwrap().as_integer(),
                        Some(sum / 3),
                        "{point:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_loop_with_less_than_no_iterations_does_nothing() {
    let (pool, program) = row_blur(LoopKind::Serial);
    let toolchain = Toolchain::find().unwrap().strict();
    let kernel = kernel(&pool, &program, &toolchain);
    let value = |n: usize| Constant::wrapped(Scalar::U16, n as i128 * 7919).unwrap();
    let inputs = [array(Scalar::U16, &[(0, 10), (0, 4)], value)];
    let mut outputs = [array(Scalar::U16, &[(0, 8), (0, 4)], value)];
    let before = outputs[0].clone();
    for window in [[(0, 8), (0, -3)], [(0, 0), (0, 4)], [(3, -1), (0, 4)]] {
        let mut arguments = arguments(&inputs, &outputs);
        arguments.windows = vec![window.to_vec()];
        kernel.run(&arguments, &mut outputs).unwrap();
        assert_eq!(outputs[0], before);
    }
}

#[test]
fn a_failed_check_says_what_is_missing() {
    let (pool, program) = row_blur(LoopKind::Serial);
    let toolchain = Toolchain::find().unwrap().strict();
    let kernel = kernel(&pool, &program, &toolchain);
    let inputs = [array(Scalar::U16, &[(0, 10), (0, 4)], |_| Constant::zero(Scalar::U16))];
    let mut outputs = [array(Scalar::U16, &[(0, 10), (0, 4)], |_| Constant::zero(Scalar::U16))];
    let arguments = arguments(&inputs, &outputs);
    let Err(RunError::Check { index: 0, values, message, .. }) =
        kernel.run(&arguments, &mut outputs)
    else {
        panic!("the check must fail");
    };
    assert_eq!(values, [0, 12, 0, 10]);
    assert_eq!(
        message,
        "the required region of `input` in dimension 0 is 0..12, but the buffer holds 0..10"
    );
}

#[test]
fn the_text_is_the_same_each_time() {
    let (pool, program) = row_blur(LoopKind::PARALLEL);
    let text = |_| emit(&pool, &program, &Target::AVX2).unwrap().text;
    assert_eq!(text(0), text(1));
    if std::env::var_os("SHOW_C").is_some() {
        println!("{}", text(0));
    }
}
