//! Parallel loops: conflicting accesses, other accesses, and equal results in every order.

use halidom_interp::machine::{Conflict, Fault, Options, Outcome};
use halidom_ir::{BinaryOp, ExprId, LoopKind, Scalar, StmtId};

use crate::build::{integers, numbered};
use crate::program::Prog;

/// Runs a program on 8 samples for the window 0..4, with several orders. All must agree.
fn in_every_order(make: impl Fn(&mut Prog) -> StmtId) -> Result<Outcome, Conflict> {
    let mut results = Vec::new();
    for seed in 0..20 {
        let mut prog = Prog::new(Scalar::U8, 1);
        let body = make(&mut prog);
        let input = numbered(Scalar::U8, vec![(0, 8)]);
        let options = Options { seed, ..Options::default() };
        results.push(match prog.run_with(body, input, vec![(0, 4)], &options) {
            Ok(outcome) => Ok(outcome),
            Err(Fault::Race { conflict, .. }) => Err(conflict),
            Err(other) => panic!("{other}"),
        });
    }
    let first = results.remove(0);
    for other in results {
        match (&first, &other) {
            (Ok(a), Ok(b)) => assert_eq!(a, b),
            // The order may decide which conflict is met first, but not whether there is one.
            (Err(_), Err(_)) => {}
            (a, b) => panic!("{a:?} and {b:?}"),
        }
    }
    first
}

/// Clears the output, then runs a parallel loop over 0..4 with the body under test.
fn cleared_then(prog: &mut Prog, body: impl FnOnce(&mut Prog, ExprId) -> StmtId) -> StmtId {
    let out = prog.out.0;
    let clear = prog.each(LoopKind::Serial, (0, 4), |prog, i| {
        let zero = prog.build.c(Scalar::U8, 0);
        prog.provide(out, &[i], zero)
    });
    let work = prog.each(LoopKind::PARALLEL, (0, 4), body);
    prog.block(&[clear, work])
}

/// `out(coord) = out(coord) + 1`.
fn increment(prog: &mut Prog, coord: ExprId) -> StmtId {
    let out = prog.out.0;
    let before = prog.build.func_ref(out, &[coord]);
    let one = prog.build.c(Scalar::U8, 1);
    let after = prog.build.pool.add(before, one);
    prog.provide(out, &[coord], after)
}

#[test]
fn iterations_apart_do_not_conflict() {
    let outcome = in_every_order(|prog| cleared_then(prog, increment)).unwrap();
    assert_eq!(integers(&outcome.outputs[0]), [1, 1, 1, 1]);
    assert!(!outcome.benign_same_value_stores);
}

#[test]
fn a_parallel_accumulation_is_a_race() {
    let result = in_every_order(|prog| {
        let zero = prog.build.int(0);
        cleared_then(prog, |prog, _| increment(prog, zero))
    });
    assert!(matches!(result, Err(Conflict::ReadOfOthersWrite | Conflict::DifferentValues)));
}

#[test]
fn overlapping_writes_must_agree() {
    // Each iteration writes its element and the next one. The value depends on the element, or on
    // the iteration.
    let overlap = |by_element: bool| {
        in_every_order(|prog| {
            let out = prog.out.0;
            cleared_then(prog, |prog, i| {
                let (one, three) = (prog.build.int(1), prog.build.int(3));
                let next = prog.build.pool.add(i, one);
                let next = prog.build.op(BinaryOp::Min, next, three);
                let stores = [i, next].map(|coord| {
                    let value =
                        prog.build.pool.cast(Scalar::U8, if by_element { coord } else { i });
                    prog.provide(out, &[coord], value)
                });
                prog.block(&stores)
            })
        })
    };
    let outcome = overlap(true).unwrap();
    assert_eq!(integers(&outcome.outputs[0]), [0, 1, 2, 3]);
    assert!(outcome.benign_same_value_stores);
    assert_eq!(overlap(false), Err(Conflict::DifferentValues));
}

#[test]
fn an_iteration_reads_shared_locations_after_its_own_write() {
    // out(0) = 7, then out(i) = out(0): every iteration writes element 0, or only the first one
    // does.
    let broadcast = |own: bool| {
        in_every_order(|prog| {
            let (out, zero) = (prog.out.0, prog.build.int(0));
            cleared_then(prog, |prog, i| {
                let seven = prog.build.c(Scalar::U8, 7);
                let store = prog.provide(out, &[zero], seven);
                let first = prog.build.op(BinaryOp::Eq, i, zero);
                let store = if own { store } else { prog.if_then(first, store) };
                let read = prog.build.func_ref(out, &[zero]);
                let copy = prog.provide(out, &[i], read);
                prog.block(&[store, copy])
            })
        })
    };
    let outcome = broadcast(true).unwrap();
    assert_eq!(integers(&outcome.outputs[0]), [7, 7, 7, 7]);
    assert!(outcome.benign_same_value_stores);
    assert_eq!(broadcast(false), Err(Conflict::ReadOfOthersWrite));
}

#[test]
fn memory_of_an_iteration_is_its_own() {
    // Each iteration has its own buffer, filled in parallel and read after the join. One buffer
    // shared by all iterations races.
    let staged = |private: bool| {
        in_every_order(|prog| {
            let (f, buffer) = prog.internal("f", Scalar::U8, &[2]);
            let out = prog.out.0;
            let work = prog.each(LoopKind::PARALLEL, (0, 4), |prog, i| {
                let fill = prog.each(LoopKind::PARALLEL, (0, 2), |prog, k| {
                    let sum = prog.build.pool.add(i, k);
                    let value = prog.build.pool.cast(Scalar::U8, sum);
                    prog.provide(f, &[k], value)
                });
                let one = prog.build.int(1);
                let value = prog.build.func_ref(f, &[one]);
                let copy = prog.provide(out, &[i], value);
                let body = prog.block(&[fill, copy]);
                if private { prog.allocate(buffer, body) } else { body }
            });
            if private { work } else { prog.allocate(buffer, work) }
        })
    };
    let outcome = staged(true).unwrap();
    assert_eq!(integers(&outcome.outputs[0]), [1, 2, 3, 4]);
    assert!(staged(false).is_err());
}

#[test]
fn loops_one_after_another_are_ordered() {
    let result = in_every_order(|prog| {
        let (out, zero) = (prog.out.0, prog.build.int(0));
        let first = cleared_then(prog, increment);
        // The second loop reads the value that iteration 0 of the first one wrote.
        let second = prog.each(LoopKind::PARALLEL, (1, 3), |prog, i| {
            let value = prog.build.func_ref(out, &[zero]);
            let sum = prog.build.pool.add(value, value);
            prog.provide(out, &[i], sum)
        });
        prog.block(&[first, second])
    });
    assert_eq!(integers(&result.unwrap().outputs[0]), [1, 2, 2, 2]);
}
