//! Tests of the execution of programs, with each kind of fault.

use halidom_interp::Bindings;
use halidom_interp::machine::{Access, Fault, Options, Role, UNLOADED, output_regions};
use halidom_ir::{
    Array, BinaryOp, Check, Constant, Expr, ExprId, Interval, LoopKind, Output, Program, Scalar,
    StmtId, Type,
};

use crate::build::{integers, numbered};
use crate::program::Prog;

/// Runs a program on the `u8` input `numbered` on 0..8, for the window 0..4.
fn on_four(make: impl FnOnce(&mut Prog) -> StmtId) -> Result<Vec<i128>, Fault> {
    let mut prog = Prog::new(Scalar::U8, 1);
    let body = make(&mut prog);
    let outcome = prog.run_with(
        body,
        numbered(Scalar::U8, vec![(0, 8)]),
        vec![(0, 4)],
        &Options { steps: Some(10_000), ..Options::default() },
    )?;
    assert!(outcome.buffers[0].1.iter().all(|defined| *defined));
    Ok(integers(&outcome.outputs[0]))
}

/// The input's first elements.
fn samples() -> Vec<i128> {
    integers(&numbered(Scalar::U8, vec![(0, 8)]))
}

/// Builds `out(i) = value(i)` for `i` in `0..4` by a loop of the given kind.
fn fill(
    prog: &mut Prog,
    kind: LoopKind,
    value: impl FnOnce(&mut Prog, ExprId) -> ExprId,
) -> StmtId {
    let out = prog.out.0;
    prog.each(kind, (0, 4), |prog, i| {
        let value = value(prog, i);
        prog.provide(out, &[i], value)
    })
}

fn sample(prog: &mut Prog, coord: ExprId) -> ExprId {
    let input = prog.input.0;
    prog.build.func_ref(input, &[coord])
}

fn shifted(prog: &mut Prog, coord: ExprId, by: i128) -> ExprId {
    let by = prog.build.int(by);
    prog.build.pool.add(coord, by)
}

#[test]
fn loops_of_every_kind_copy() {
    for kind in LoopKind::ALL {
        let out = on_four(|prog| fill(prog, kind, sample));
        assert_eq!(out.as_deref(), Ok(&samples()[..4]), "{kind:?}");
    }
}

#[test]
fn stuck_states_are_faults() {
    // Accesses out of bounds: reads and writes.
    let out = on_four(|prog| {
        fill(prog, LoopKind::Serial, |prog, i| {
            let coord = shifted(prog, i, 5);
            sample(prog, coord)
        })
    });
    match out {
        Err(Fault::OutOfBounds { place, access: Access::Read }) => {
            assert_eq!((place.name.as_str(), place.coords), ("input", vec![8]));
        }
        other => panic!("{other:?}"),
    }
    let out = on_four(|prog| {
        let (out, minus) = (prog.out.0, prog.build.int(-1));
        let value = prog.build.c(Scalar::U8, 0);
        prog.provide(out, &[minus], value)
    });
    assert!(matches!(out, Err(Fault::OutOfBounds { access: Access::Write, .. })), "{out:?}");
    // A failed entry check.
    let out = on_four(|prog| {
        let never = prog.build.pool.constant(Constant::bool(false));
        let one = prog.build.int(1);
        let interval = Interval { min: one, extent: one };
        let check =
            Check::InputRegion { input: prog.input.0, dim: 0, needed: interval, given: interval };
        prog.assert(never, check)
    });
    match out {
        Err(Fault::CheckFailed(failure)) => {
            assert!(matches!(failure.check, Check::InputRegion { .. }));
            assert_eq!((failure.needed, failure.given), (Some((1, 1)), Some((1, 1))));
        }
        other => panic!("{other:?}"),
    }
    // The caller's input is read only.
    let out = on_four(|prog| {
        let (input, zero) = (prog.input.0, prog.build.int(0));
        let value = prog.build.c(Scalar::U8, 0);
        prog.provide(input, &[zero], value)
    });
    assert!(matches!(out, Err(Fault::WriteToInput { .. })), "{out:?}");
    // An access outside the buffer's scope.
    let out = on_four(|prog| {
        let (func, buffer) = prog.internal("f", Scalar::U8, &[4]);
        let (zero, value) = (prog.build.int(0), prog.build.c(Scalar::U8, 0));
        let first = prog.provide(func, &[zero], value);
        let scope = prog.allocate(buffer, first);
        let second = prog.provide(func, &[zero], value);
        prog.block(&[scope, second])
    });
    assert!(matches!(out, Err(Fault::DeadBuffer { ref name, .. }) if name == "f"), "{out:?}");
    // Too much memory, and too many steps.
    let out = on_four(|prog| {
        let (_, buffer) = prog.internal("f", Scalar::U8, &[1 << 20, 1 << 20]);
        let nothing = prog.block(&[]);
        prog.allocate(buffer, nothing)
    });
    assert!(matches!(out, Err(Fault::TooLarge { .. })), "{out:?}");
    let out =
        on_four(|prog| prog.each(LoopKind::PARALLEL, (0, 1 << 60), |prog, _| prog.block(&[])));
    assert_eq!(out, Err(Fault::OutOfSteps));
}

#[test]
fn index_arithmetic_is_in_64_bits() {
    let big = i128::from(i64::MAX);
    for (base, expected) in [(big - 10, true), (big, false)] {
        let out = on_four(|prog| {
            fill(prog, LoopKind::Serial, |prog, i| {
                let sum = shifted(prog, i, base);
                let back = shifted(prog, sum, -base);
                sample(prog, back)
            })
        });
        assert_eq!(out.is_ok(), expected);
        assert!(
            expected || matches!(out, Err(Fault::IndexOverflow { value, .. }) if value == big + 1)
        );
    }
}

/// Allocates `f` of extent 4 without filling it. `use_it` makes the work.
fn with_undefined(use_it: impl FnOnce(&mut Prog, ExprId) -> StmtId) -> Result<Vec<i128>, Fault> {
    on_four(|prog| {
        let (func, buffer) = prog.internal("f", Scalar::U8, &[4]);
        let zero = prog.build.int(0);
        let undefined = prog.build.func_ref(func, &[zero]);
        let body = use_it(prog, undefined);
        prog.allocate(buffer, body)
    })
}

#[test]
fn undefined_values_propagate_and_must_decide_nothing() {
    // An undefined value reaches the required output.
    let out = with_undefined(|prog, undefined| fill(prog, LoopKind::Serial, |_, _| undefined));
    assert!(matches!(out, Err(Fault::UndefinedOutput { ref coords, .. }) if *coords == [0]));
    let out = with_undefined(|prog, undefined| {
        fill(prog, LoopKind::Serial, |prog, _| {
            let zero = prog.build.c(Scalar::U8, 0);
            // Multiplying by zero does not make the value defined.
            prog.build.pool.mul(undefined, zero)
        })
    });
    assert!(matches!(out, Err(Fault::UndefinedOutput { .. })));
    // The arm that is not chosen does not matter. The chosen arm and the condition do.
    let select = |holds: bool, in_condition: bool| {
        with_undefined(|prog, undefined| {
            fill(prog, LoopKind::Serial, |prog, _| {
                let three = prog.build.c(Scalar::U8, 3);
                let condition = if in_condition {
                    prog.build.op(BinaryOp::Eq, undefined, undefined)
                } else {
                    prog.build.pool.constant(Constant::bool(holds))
                };
                prog.build.pool.select(condition, three, undefined)
            })
        })
    };
    assert_eq!(select(true, false), Ok(vec![3; 4]));
    assert!(matches!(select(false, false), Err(Fault::UndefinedOutput { .. })));
    assert!(matches!(select(true, true), Err(Fault::UndefinedOutput { .. })));
    // The roles in which a value must be defined.
    let role = |expected: Role, out: Result<Vec<i128>, Fault>| match out {
        Err(Fault::Undefined { role, .. }) => assert_eq!(role, expected),
        other => panic!("{other:?}"),
    };
    role(
        Role::Index,
        with_undefined(|prog, undefined| {
            let index = prog.build.pool.cast(Scalar::Int, undefined);
            fill(prog, LoopKind::Serial, |prog, _| sample(prog, index))
        }),
    );
    role(
        Role::LoopBound,
        with_undefined(|prog, undefined| {
            let (zero, extent) = (prog.build.int(0), prog.build.pool.cast(Scalar::Int, undefined));
            prog.each_of(LoopKind::Serial, zero, extent, |prog, _| prog.block(&[]))
        }),
    );
    role(
        Role::Condition,
        with_undefined(|prog, undefined| {
            let condition = prog.build.pool.cast(Scalar::Bool, undefined);
            let nothing = prog.block(&[]);
            prog.if_then(condition, nothing)
        }),
    );
    role(
        Role::Assert,
        with_undefined(|prog, undefined| {
            let condition = prog.build.pool.cast(Scalar::Bool, undefined);
            prog.assert(condition, Check::Require { message: String::new() })
        }),
    );
}

#[test]
fn over_computed_elements_may_be_undefined() {
    // A rounded loop over 8 elements writes `out` from a buffer that has 4 defined elements.
    let mut prog = Prog::new(Scalar::U8, 1);
    let (func, buffer) = prog.internal("f", Scalar::U8, &[8]);
    let fill = prog.each(LoopKind::PARALLEL, (0, 4), |prog, i| {
        let value = sample(prog, i);
        prog.provide(func, &[i], value)
    });
    let out = prog.out.0;
    let copy = prog.each(LoopKind::Vectorized, (0, 8), |prog, i| {
        let value = prog.build.func_ref(func, &[i]);
        let doubled = prog.build.pool.add(value, value);
        prog.provide(out, &[i], doubled)
    });
    let body = prog.block(&[fill, copy]);
    let body = prog.allocate(buffer, body);
    let options = Options { output_shapes: Some(vec![vec![(0, 8)]]), ..Options::default() };
    let input = numbered(Scalar::U8, vec![(0, 8)]);
    let outcome = prog.run_with(body, input.clone(), vec![(0, 4)], &options).unwrap();
    assert_eq!(
        integers(&outcome.outputs[0]),
        samples()[..4].iter().map(|v| v * 2 % 256).collect::<Vec<_>>()
    );
    assert_eq!(outcome.buffers[0].1, [[true; 4], [false; 4]].concat());
    let short = prog.run_with(body, input, vec![(0, 4)], &Options::default());
    assert!(matches!(short, Err(Fault::OutOfBounds { .. })), "{short:?}");
}

#[test]
fn empty_loops_do_nothing() {
    for extent in [0, -5] {
        for kind in LoopKind::ALL {
            let out = on_four(|prog| {
                let work = fill(prog, LoopKind::Serial, sample);
                let minus = prog.build.int(-1);
                let idle = prog.each(kind, (0, extent), |prog, _| {
                    let value = prog.build.c(Scalar::U8, 0);
                    let out = prog.out.0;
                    prog.provide(out, &[minus], value)
                });
                prog.block(&[work, idle])
            });
            assert!(out.is_ok(), "{kind:?} {extent}: {out:?}");
        }
    }
}

#[test]
fn a_scatter_reads_its_index_from_data() {
    // out(i) = 0; for r in 0..8: out(input(r) % 4) += 1
    let out = on_four(|prog| {
        let out = prog.out.0;
        let init = fill(prog, LoopKind::Vectorized, |prog, _| prog.build.c(Scalar::U8, 0));
        let update = prog.each(LoopKind::Serial, (0, 8), |prog, r| {
            let value = sample(prog, r);
            let index = prog.build.pool.cast(Scalar::Int, value);
            let four = prog.build.int(4);
            let index = prog.build.op(BinaryOp::Mod, index, four);
            let before = prog.build.func_ref(out, &[index]);
            let one = prog.build.c(Scalar::U8, 1);
            let after = prog.build.pool.add(before, one);
            prog.provide(out, &[index], after)
        });
        prog.block(&[init, update])
    });
    let mut expected = vec![0; 4];
    for value in samples() {
        expected[(value % 4) as usize] += 1;
    }
    assert_eq!(out, Ok(expected));
}

#[test]
fn vectorized_loops_run_in_lockstep() {
    // f(i) = i, then f(i) = f(3 - i) for all lanes at once. This reverses f; a serial loop would
    // not.
    let reversed = |kind: LoopKind| {
        on_four(|prog| {
            let (f, buffer) = prog.internal("f", Scalar::U8, &[4]);
            let init = prog.each(LoopKind::Serial, (0, 4), |prog, i| {
                let value = prog.build.pool.cast(Scalar::U8, i);
                prog.provide(f, &[i], value)
            });
            let swap = prog.each(kind, (0, 4), |prog, i| {
                let three = prog.build.int(3);
                let mirrored = prog.build.pool.sub(three, i);
                let value = prog.build.func_ref(f, &[mirrored]);
                // An `if` splits the lanes. Both parts still load before they store.
                prog.provide(f, &[i], value)
            });
            let copy = fill(prog, LoopKind::Serial, |prog, i| prog.build.func_ref(f, &[i]));
            let body = prog.block(&[init, swap, copy]);
            prog.allocate(buffer, body)
        })
    };
    assert_eq!(reversed(LoopKind::Vectorized), Ok(vec![3, 2, 1, 0]));
    assert_eq!(reversed(LoopKind::Serial), Ok(vec![3, 2, 2, 3]));
    // Lanes with different ranges of an inner loop, each with its own memory.
    let out = on_four(|prog| {
        let (f, buffer) = prog.internal("f", Scalar::U8, &[1]);
        let (zero, one) = (prog.build.int(0), prog.build.c(Scalar::U8, 1));
        let out = prog.out.0;
        prog.each(LoopKind::Vectorized, (0, 4), |prog, i| {
            let start = prog.build.c(Scalar::U8, 0);
            let init = prog.provide(f, &[zero], start);
            let count = prog.each_of(LoopKind::Serial, zero, i, |prog, _| {
                let before = prog.build.func_ref(f, &[zero]);
                let after = prog.build.pool.add(before, one);
                prog.provide(f, &[zero], after)
            });
            let total = prog.build.func_ref(f, &[zero]);
            let copy = prog.provide(out, &[i], total);
            let body = prog.block(&[init, count, copy]);
            prog.allocate(buffer, body)
        })
    });
    assert_eq!(out, Ok(vec![0, 1, 2, 3]));
    // Lanes that write the same element.
    let collide = |same: bool| {
        on_four(|prog| {
            let work = fill(prog, LoopKind::Serial, sample);
            let (out, zero) = (prog.out.0, prog.build.int(0));
            let collide = prog.each(LoopKind::Vectorized, (0, 4), |prog, i| {
                let value = if same {
                    prog.build.c(Scalar::U8, 9)
                } else {
                    prog.build.pool.cast(Scalar::U8, i)
                };
                prog.provide(out, &[zero], value)
            });
            prog.block(&[work, collide])
        })
    };
    assert_eq!(collide(true).unwrap()[0], 9);
    assert!(matches!(collide(false), Err(Fault::LaneConflict { .. })));
}

#[test]
fn flat_programs_run_with_vectors() {
    // out[ramp(0, 1, 4)] = input[ramp(3, -1, 4)] + broadcast(1), through a vector let.
    let flat = |base: i128| {
        on_four(|prog| {
            let (input, out) = (prog.input.1, prog.out.1);
            let [zero, base, one, minus] = [0, base, 1, -1].map(|value| prog.build.int(value));
            let pool = &mut prog.build.pool;
            let from = pool.expr(Expr::Ramp { base, stride: minus, lanes: 4 });
            let loaded = pool.load(input, from, None);
            let var = pool.declare_var("v", Type { scalar: Scalar::U8, lanes: 4 });
            let vector = pool.var_expr(var);
            let unit = pool.constant(Constant::wrapped(Scalar::U8, 1).unwrap());
            let ones = pool.expr(Expr::Broadcast { value: unit, lanes: 4 });
            let sum = pool.add(vector, ones);
            let to = pool.expr(Expr::Ramp { base: zero, stride: one, lanes: 4 });
            let store = prog.store(out, to, sum);
            prog.let_in(var, loaded, store)
        })
    };
    let expected: Vec<i128> = samples()[..4].iter().rev().map(|value| value + 1).collect();
    assert_eq!(flat(3), Ok(expected));
    assert!(matches!(flat(2), Err(Fault::OutOfBounds { place, .. }) if place.coords == [-1]));
}

#[test]
fn shuffles_take_lanes_of_whole_vectors() {
    let shuffled = |base: i128, lanes: [u32; 4]| {
        on_four(|prog| {
            let (input, out) = (prog.input.1, prog.out.1);
            let [zero, base, one] = [0, base, 1].map(|value| prog.build.int(value));
            let pool = &mut prog.build.pool;
            let [from, to] =
                [base, zero].map(|base| pool.expr(Expr::Ramp { base, stride: one, lanes: 4 }));
            let loaded = pool.load(input, from, None);
            let more = pool.add(loaded, loaded);
            let (vectors, lanes) = ([loaded, more].into(), lanes.into());
            let value = pool.expr(Expr::Shuffle { vectors, lanes });
            prog.store(out, to, value)
        })
    };
    let given: Vec<i128> = samples()[..4].to_vec();
    let doubled = given[0] * 2 % 256;
    assert_eq!(shuffled(0, [3, 4, 2, 2]), Ok(vec![given[3], doubled, given[2], given[2]]));
    // A lane that is not taken is loaded all the same.
    let beyond = shuffled(5, [0, 1, 2, 2]);
    assert!(matches!(beyond, Err(Fault::OutOfBounds { place, .. }) if place.coords == [8]));
}

#[test]
fn padding_is_out_of_bounds() {
    // The input is 3 x 2 with two elements of padding for each row: elements 3 and 4 are padding.
    for (index, inside) in [(2, true), (3, false), (4, false), (5, true), (7, true), (8, false)] {
        let mut prog = Prog::new(Scalar::U8, 2);
        let (input, out) = (prog.input.1, prog.out.1);
        let (zero, index) = (prog.build.int(0), prog.build.int(index));
        let value = prog.build.pool.load(input, index, None);
        let body = prog.store(out, zero, value);
        let mut array = Array::padded(Scalar::U8, vec![(0, 3), (0, 2)], &[2, 0]).unwrap();
        for point in array.points() {
            assert!(array.set(&point, Constant::wrapped(Scalar::U8, 7).unwrap()));
        }
        let outcome = prog.run_with(body, array, vec![(4, 1), (-3, 1)], &Options::default());
        assert_eq!(outcome.is_ok(), inside, "{outcome:?}");
    }
    // A padded output: the second row begins after the padding.
    let mut prog = Prog::new(Scalar::U8, 2);
    let out = prog.out.0;
    let body = prog.each(LoopKind::Serial, (0, 2), |prog, y| {
        prog.each(LoopKind::Serial, (0, 2), |prog, x| {
            let sum = prog.build.pool.add(x, y);
            let value = prog.build.pool.cast(Scalar::U8, sum);
            prog.provide(out, &[x, y], value)
        })
    });
    let options = Options { output_padding: vec![3], ..Options::default() };
    let input = numbered(Scalar::U8, vec![(0, 1), (0, 1)]);
    let outcome = prog.run_with(body, input, vec![(0, 2), (0, 2)], &options).unwrap();
    assert_eq!(integers(&outcome.outputs[0]), [0, 1, 1, 2]);
}

#[test]
fn output_regions_follow_the_entry_checks() {
    // let n = ceil(extent / 4) * 4; assert out covers (min, n)
    let mut prog = Prog::new(Scalar::U8, 1);
    let (min, extent) = prog.window[0];
    let (min, extent) = (prog.build.e(min), prog.build.e(extent));
    let (three, four) = (prog.build.int(3), prog.build.int(4));
    let sum = prog.build.pool.add(extent, three);
    let quotient = prog.build.op(BinaryOp::Div, sum, four);
    let rounded = prog.build.pool.mul(quotient, four);
    let n = prog.build.vars(&["n"])[0];
    let n_expr = prog.build.e(n);
    let needed = Interval { min, extent: n_expr };
    let always = prog.build.pool.constant(Constant::bool(true));
    let check = Check::OutputRegion { output: prog.out.0, dim: 0, needed, given: needed };
    let assert = prog.assert(always, check);
    let body = prog.let_in(n, rounded, assert);
    let program = Program {
        name: "test".to_owned(),
        params: Vec::new(),
        inputs: vec![prog.input.1],
        outputs: vec![Output {
            func: prog.out.0,
            buffers: vec![prog.out.1],
            window: prog.window.clone(),
        }],
        body,
    };
    for (window, expected) in
        [((3, 5), (3, 8)), ((-7, 4), (-7, 4)), ((2, 0), (2, 0)), ((2, -9), (2, 0))]
    {
        let regions = output_regions(&prog.build.pool, &program, &Bindings::new(), &[vec![window]]);
        assert_eq!(regions, Ok(vec![vec![expected]]), "{window:?}");
    }
}

/// A load that is not made has no value where that is asked for: a fault in the output, and none if
/// it is written over. Elsewhere it is an access out of bounds, and so is any other such load.
#[test]
fn loads_that_are_not_made_have_no_value() {
    let run = |at: i128, is_final: bool, unloaded: Option<i128>| {
        let mut prog = Prog::new(Scalar::U8, 1);
        let nothing = fill(&mut prog, LoopKind::Serial, |prog, _| {
            let at = prog.build.int(at);
            sample(prog, at)
        });
        let values = fill(&mut prog, LoopKind::Serial, sample);
        let parts = if is_final { vec![values, nothing] } else { vec![nothing, values] };
        let body = prog.build.pool.stmt(halidom_ir::Stmt::Block(parts));
        let options = Options { unloaded, ..Options::default() };
        let input = numbered(Scalar::U8, vec![(0, 8)]);
        prog.run_with(body, input, vec![(0, 4)], &options).map(|ran| integers(&ran.outputs[0]))
    };
    let some = Some(UNLOADED);
    assert_eq!(run(UNLOADED, false, some).as_deref(), Ok(&samples()[..4]));
    assert!(matches!(run(UNLOADED, true, some), Err(Fault::UndefinedOutput { .. })));
    assert!(matches!(run(UNLOADED, false, None), Err(Fault::OutOfBounds { .. })));
    assert!(matches!(run(UNLOADED + 1, false, some), Err(Fault::OutOfBounds { .. })));
}
