//! Tests of the meaning of algorithms by hand-made examples.

use crate::build::{Build, bind, integers, numbered};
use halidom_interp::algorithm::{AlgorithmError, demand, evaluate};
use halidom_interp::{BindError, Bindings};
use halidom_ir::{Array, BinaryOp, Constant, ExprId, FuncId, Scalar, Stage};

/// Builds a blur in u16: blur_x averages three neighbours along x, blur_y three values of blur_x
/// along y. Returns the input.
fn blur(build: &mut Build) -> FuncId {
    let input = build.input("input", Scalar::U16, 2);
    let mut previous = input;
    for (name, step) in [("blur_x", (1, 0)), ("blur_y", (0, 1))] {
        let args = build.vars(&["x", "y"]);
        let (x, y) = (build.e(args[0]), build.e(args[1]));
        let mut sum: Option<ExprId> = None;
        for k in 0..3 {
            let (dx, dy) = (build.int(k * step.0), build.int(k * step.1));
            let coords = [build.pool.add(x, dx), build.pool.add(y, dy)];
            let term = build.func_ref(previous, &coords);
            sum = Some(sum.map_or(term, |sum| build.pool.add(sum, term)));
        }
        let three = build.c(Scalar::U16, 3);
        let value = build.op(BinaryOp::Div, sum.unwrap(), three);
        previous = build.pure_func(name, Scalar::U16, &args, value);
    }
    input
}

#[test]
fn two_pure_stages_compose() {
    let mut build = Build::new();
    let input = blur(&mut build);
    let array = numbered(Scalar::U16, vec![(-2, 9), (3, 7)]);
    let bindings = bind(&build.pool, vec![(input, array.clone())]);
    let window = vec![(-2, 7), (3, 5)];
    let out = evaluate(&build.pool, &build.algorithm, &bindings, std::slice::from_ref(&window));
    let at = |x: i64, y: i64| array.get(&[x, y]).unwrap().as_integer().unwrap();
    let row = |x: i64, y: i64| (at(x, y) + at(x + 1, y) + at(x + 2, y)) / 3;
    let expected: Vec<i128> = halidom_ir::points(&window)
        .map(|p| (row(p[0], p[1]) + row(p[0], p[1] + 1) + row(p[0], p[1] + 2)) / 3)
        .collect();
    assert_eq!(integers(&out.unwrap()[0]), expected);

    let touched = demand(&build.pool, &build.algorithm, &Bindings::new(), &[vec![(5, 4), (0, 1)]]);
    assert_eq!(touched, Ok(vec![Some(vec![(5, 6), (0, 3)])]));
    let empty = evaluate(&build.pool, &build.algorithm, &bindings, &[vec![(0, 4), (0, -1)]]);
    assert_eq!(empty.unwrap()[0].len(), 0);

    let beyond = evaluate(&build.pool, &build.algorithm, &bindings, &[vec![(-2, 8), (3, 5)]]);
    let Err(AlgorithmError::InputOutOfBounds { name, coords, reader_name, .. }) = beyond else {
        panic!("{beyond:?}")
    };
    assert_eq!((name.as_str(), coords, reader_name.as_str()), ("input", vec![7, 3], "blur_x"));
    let nothing =
        evaluate(&build.pool, &build.algorithm, &Bindings::new(), &[vec![(0, 1), (0, 1)]]);
    assert_eq!(nothing, Err(AlgorithmError::MissingInput("input".to_owned())));
}

/// count(i) = 0; for x in 0..extent where input(x) < limit { count(clamp(int(input(x)), 0, 9)) += 1
/// }
fn histogram(build: &mut Build, domain: (i128, i128)) -> FuncId {
    let input = build.input("input", Scalar::U8, 1);
    let (_, limit) = build.param("limit", Scalar::U8);
    let args = build.vars(&["i"]);
    let r = build.vars(&["r"])[0];
    build.func("count", Scalar::U32, &args, |build, count| {
        let zero = build.c(Scalar::U32, 0);
        let pure_stage = build.pure_stage(&args, zero);
        let x = build.e(r);
        let sample = build.func_ref(input, &[x]);
        let predicate = build.op(BinaryOp::Lt, sample, limit);
        let index = build.pool.cast(Scalar::Int, sample);
        let nine = build.int(9);
        let index = build.op(BinaryOp::Min, index, nine);
        let before = build.func_ref(count, &[index]);
        let one = build.c(Scalar::U32, 1);
        let value = build.pool.add(before, one);
        let domain = vec![build.reduction(r, domain.0, domain.1)];
        vec![
            pure_stage,
            Stage { domain, predicate: Some(predicate), lhs: vec![index], values: vec![value] },
        ]
    });
    input
}

#[test]
fn a_scatter_counts_where_its_predicate_holds() {
    let mut build = Build::new();
    let input = histogram(&mut build, (0, 6));
    let mut array = Array::zeros(Scalar::U8, vec![(0, 6)]).unwrap();
    for (x, value) in [3, 200, 3, 0, 12, 9].into_iter().enumerate() {
        assert!(array.set(&[x as i64], Constant::wrapped(Scalar::U8, value).unwrap()));
    }
    let mut bindings = bind(&build.pool, vec![(input, array)]);
    let limit = build.algorithm.params[0];
    let windows = [vec![(0, 10)]];
    assert!(matches!(
        evaluate(&build.pool, &build.algorithm, &bindings, &windows),
        Err(AlgorithmError::Malformed { .. })
    ));
    assert!(matches!(
        bindings.set_var(&build.pool, limit, Constant::int(20)),
        Err(BindError::Type { .. })
    ));
    bindings.set_var(&build.pool, limit, Constant::wrapped(Scalar::U8, 20).unwrap()).unwrap();
    let out = evaluate(&build.pool, &build.algorithm, &bindings, &windows).unwrap();
    assert_eq!(integers(&out[0]), [1, 0, 0, 2, 0, 0, 0, 0, 0, 2]);

    // Without elements, every domain point counts as read.
    let mut shape_only = Bindings::new();
    shape_only.set_var(&build.pool, limit, Constant::wrapped(Scalar::U8, 20).unwrap()).unwrap();
    assert_eq!(
        demand(&build.pool, &build.algorithm, &shape_only, &[vec![(2, 1)]]),
        Ok(vec![Some(vec![(0, 6)])])
    );
}

#[test]
fn domains_are_checked_at_the_start_and_empty_ones_do_nothing() {
    for (extent, expected) in [(0, Ok(())), (-1, Err(-1))] {
        let mut build = Build::new();
        let input = histogram(&mut build, (2, extent));
        let array = numbered(Scalar::U8, vec![(0, 1)]);
        let mut bindings = bind(&build.pool, vec![(input, array)]);
        let limit = build.algorithm.params[0];
        bindings.set_var(&build.pool, limit, Constant::wrapped(Scalar::U8, 20).unwrap()).unwrap();
        match (evaluate(&build.pool, &build.algorithm, &bindings, &[vec![(0, 3)]]), expected) {
            (Ok(out), Ok(())) => assert_eq!(integers(&out[0]), [0, 0, 0]),
            (Err(AlgorithmError::DomainExtent { extent, stage, .. }), Err(expected)) => {
                assert_eq!((extent, stage), (expected, 1));
            }
            (result, _) => panic!("{result:?}"),
        }
    }
}

#[test]
fn a_failed_require_is_said() {
    let mut build = Build::new();
    let input = blur(&mut build);
    let (n, n_expr) = build.param("n", Scalar::Int);
    let zero = build.int(0);
    let positive = build.op(BinaryOp::Gt, n_expr, zero);
    build.require(positive, "n is positive");
    let mut bindings =
        bind(&build.pool, vec![(input, numbered(Scalar::U16, vec![(0, 9), (0, 9)]))]);
    let windows = [vec![(0, 1), (0, 1)]];
    for (value, holds) in [(0, false), (1, true)] {
        bindings.set_var(&build.pool, n, Constant::int(value)).unwrap();
        let result = evaluate(&build.pool, &build.algorithm, &bindings, &windows);
        match result {
            Ok(_) => assert!(holds),
            Err(AlgorithmError::RequireFailed { message }) => {
                assert!(!holds && message == "n is positive");
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!(matches!(
        evaluate(&build.pool, &build.algorithm, &bindings, &[]),
        Err(AlgorithmError::WindowCount { outputs: 1, windows: 0 })
    ));
}

#[test]
fn a_coordinate_that_depends_on_missing_elements_is_said() {
    let mut build = Build::new();
    let table = build.input("table", Scalar::U8, 1);
    let image = build.input("image", Scalar::U8, 1);
    let args = build.vars(&["x"]);
    let x = build.e(args[0]);
    let sample = build.func_ref(image, &[x]);
    let index = build.pool.cast(Scalar::Int, sample);
    let value = build.func_ref(table, &[index]);
    build.pure_func("out", Scalar::U8, &args, value);
    let windows = [vec![(0, 3)]];
    let missing = demand(&build.pool, &build.algorithm, &Bindings::new(), &windows);
    assert!(matches!(missing, Err(AlgorithmError::DataDependent { .. })));
    let mut array = Array::zeros(Scalar::U8, vec![(0, 3)]).unwrap();
    assert!(array.set(&[1], Constant::wrapped(Scalar::U8, 77).unwrap()));
    let bindings = bind(&build.pool, vec![(image, array)]);
    assert_eq!(
        demand(&build.pool, &build.algorithm, &bindings, &windows),
        Ok(vec![Some(vec![(0, 78)]), Some(vec![(0, 3)])])
    );
}

/// Builds `f(x, y) = 0`, then `f(0, y) = table(y)`, or `f(r, y) = table(y)` for `r` in `0..2`, then
/// optionally `f(0, y) = 7`. The output is `f(column, x)`.
fn column_of(updates: &[&str], column: i128, present: i64) -> Result<Vec<i128>, AlgorithmError> {
    let mut build = Build::new();
    let table = build.input("table", Scalar::U8, 1);
    let args = build.vars(&["x", "y"]);
    let (zero, y) = (build.c(Scalar::U8, 0), build.e(args[1]));
    let mut stages = vec![build.pure_stage(&args, zero)];
    for update in updates {
        let at = build.int(0);
        let (read, seven) = (build.func_ref(table, &[y]), build.c(Scalar::U8, 7));
        let plain = build.pure_stage(&args, if *update == "seven" { seven } else { read });
        let stage = if *update == "domain" {
            let r = build.vars(&["r"])[0];
            let (lhs, domain) = (vec![build.e(r), y], vec![build.reduction(r, 0, 2)]);
            Stage { lhs, domain, ..plain }
        } else {
            Stage { lhs: vec![at, y], ..plain }
        };
        stages.push(stage);
    }
    let f = build.func("f", Scalar::U8, &args, |_, _| stages);
    let outer = build.vars(&["x"]);
    let (at, x) = (build.int(column), build.e(outer[0]));
    let value = build.func_ref(f, &[at, x]);
    build.pure_func("out", Scalar::U8, &outer, value);
    let bindings = bind(&build.pool, vec![(table, numbered(Scalar::U8, vec![(0, present)]))]);
    let values = evaluate(&build.pool, &build.algorithm, &bindings, &[vec![(0, 3)]])?;
    Ok(integers(&values[0]))
}

#[test]
fn updates_of_points_that_nobody_demands_need_no_value() {
    let beyond = |found| matches!(found, Err(AlgorithmError::InputOutOfBounds { .. }));
    for updates in [&["point"][..], &["domain"], &["point", "domain"]] {
        assert!(beyond(column_of(updates, 0, 2)), "{updates:?}: a point that is demanded");
        assert!(column_of(updates, 0, 3).is_ok(), "{updates:?}");
        assert_eq!(column_of(updates, 5, 2), Ok(vec![0; 3]), "{updates:?}");
    }
    // A value that is overwritten is not demanded. A value that is written last is.
    assert_eq!(column_of(&["point", "seven"], 0, 2), Ok(vec![7; 3]));
    assert_eq!(column_of(&["domain", "seven"], 0, 2), Ok(vec![7; 3]));
    assert!(beyond(column_of(&["domain", "seven"], 1, 2)));
    assert!(beyond(column_of(&["seven", "point"], 0, 2)));
}
