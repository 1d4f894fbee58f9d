//! The questions that bounds inference and the validator ask, with the expected answers.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use halidom_poly::{
    Affine, Condition, Constraint, Context, DEFAULT_WORK_LIMIT, Dim, Error, Function, QuasiAffine,
    Relation, Set,
};

fn context() -> Context {
    Context::new(DEFAULT_WORK_LIMIT).unwrap()
}

fn d(dim: Dim) -> QuasiAffine {
    QuasiAffine::Dim(dim)
}

/// Checks that the least and the greatest value of `dim` print as expected.
#[track_caller]
fn check_bounds(context: &Context, set: &Set, dim: Dim, over: &[Dim], expected: [&str; 2]) {
    let text = |function: Function| match function.expression().unwrap() {
        Some(expr) => expr.to_text(context),
        None => "nothing".to_owned(),
    };
    let found = [text(set.min(dim, over).unwrap()), text(set.max(dim, over).unwrap())];
    assert_eq!([found[0].as_str(), found[1].as_str()], expected);
}

/// A blur of rows, split by 256: for output `x = m + 256·xo + xi` the input columns are
/// `x..=x + 2`.
struct TiledBlur {
    context: Context,
    xi: Dim,
    x: Dim,
    column: Dim,
    set: Set,
}

fn tiled_blur() -> TiledBlur {
    let context = context();
    let [m, n, xo, xi, x, column] =
        ["m", "n", "xo", "xi", "x", "column"].map(|name| context.dim(name));
    let affine = Affine { constant: 0, terms: vec![(m, 1), (xo, 256), (xi, 1)] };
    let set = Set::from_constraints(
        &context,
        &[
            d(x).equal(QuasiAffine::from(affine)),
            d(xi).ge(0),
            d(xi).lt(256),
            d(x).ge(m),
            d(x).lt(d(m).plus(n)),
            d(column).ge(x),
            d(column).le(d(x).plus(2)),
        ],
    )
    .unwrap();
    TiledBlur { context, xi, x, column, set }
}

#[test]
fn bounds_of_a_tile_depend_on_the_tile_and_the_extent() {
    let TiledBlur { context, xi, x, column, set } = tiled_blur();
    check_bounds(
        &context,
        &set,
        x,
        &[xi, column],
        ["(m + 256*xo)", "min((m + n + -1), (m + 256*xo + 255))"],
    );
    check_bounds(
        &context,
        &set,
        column,
        &[xi, x],
        ["(m + 256*xo)", "min((m + n + 1), (m + 256*xo + 257))"],
    );
    check_bounds(&context, &set, column, &[x], ["(m + 256*xo + xi)", "(m + 256*xo + xi + 2)"]);
}

#[test]
fn bounds_over_all_tiles_are_those_of_the_whole() {
    let TiledBlur { context, xi, x, column, set } = tiled_blur();
    let tile = context.dim("tile");
    let n_positive = set.exists(&[x, column, xi]).unwrap();
    assert!(!n_positive.is_empty().unwrap());
    let unused = set.exists(&[tile]).unwrap();
    assert!(unused.is_equal(&set).unwrap());
}

#[test]
fn a_shifted_last_tile_clamps_its_start() {
    let context = context();
    let [n, xo, start, x] = ["n", "xo", "start", "x"].map(|name| context.dim(name));
    let clamped = QuasiAffine::Min(vec![d(xo).scale(8), d(n).plus(-8)]);
    let set = Set::from_constraints(
        &context,
        &[d(start).equal(clamped), d(x).ge(start), d(x).lt(d(start).plus(8)), d(n).ge(8)],
    )
    .unwrap();
    check_bounds(&context, &set, x, &[start], ["min((n + -8), 8*xo)", "min((n + -1), (8*xo + 7))"]);
}

#[test]
fn bounds_round_to_the_lattice() {
    let context = context();
    let [n, x] = ["n", "x"].map(|name| context.dim(name));
    let multiple = d(x).modulo(4).equal(0);
    let set = Set::from_constraints(&context, &[multiple, d(x).ge(0), d(x).le(n)]).unwrap();
    check_bounds(&context, &set, x, &[], ["0", "4*floor(n / 4)"]);
    let half = Set::from_constraints(&context, &[d(x).equal(d(n).floor_div(2))]).unwrap();
    check_bounds(&context, &half, x, &[], ["floor(n / 2)", "floor(n / 2)"]);
}

#[test]
fn bounds_of_a_union_are_the_extremes_of_its_parts() {
    let context = context();
    let [a, b, x] = ["a", "b", "x"].map(|name| context.dim(name));
    let at = |dim| Set::from_constraints(&context, &[d(x).equal(d(dim))]).unwrap();
    let set = at(a).union(&at(b)).unwrap();
    check_bounds(&context, &set, x, &[], ["min(a, b)", "max(a, b)"]);
}

#[test]
fn a_clamped_coordinate_has_clamped_bounds() {
    let context = context();
    let [m, n, w, x, column] = ["m", "n", "w", "x", "column"].map(|name| context.dim(name));
    let clamped =
        QuasiAffine::Max(vec![QuasiAffine::Min(vec![d(x).plus(-1), d(w).plus(-1)]), 0.into()]);
    let constraints = [d(x).ge(m), d(x).lt(d(m).plus(n)), d(w).ge(1), d(column).equal(clamped)];
    let set = Set::from_constraints(&context, &constraints).unwrap();
    check_bounds(
        &context,
        &set,
        column,
        &[x],
        ["min(max(0, (m + -1)), (w + -1))", "min(max(0, (m + n + -2)), (w + -1))"],
    );
}

#[test]
fn pieces_that_are_special_cases_of_others_leave_no_trace() {
    let context = context();
    let [m, n, w, xo, xi, x, near, far] =
        ["m", "n", "w", "xo", "xi", "x", "near", "far"].map(|name| context.dim(name));
    let clamp = |expr: QuasiAffine| {
        QuasiAffine::Max(vec![QuasiAffine::Min(vec![expr, d(w).plus(-1)]), 0.into()])
    };
    let set = Set::from_constraints(
        &context,
        &[
            d(x).equal(d(m).plus(d(xo).scale(256)).plus(xi)),
            d(xi).ge(0),
            d(xi).lt(256),
            d(x).ge(m),
            d(x).lt(d(m).plus(n)),
            d(near).ge(d(x).plus(-1)),
            d(near).le(d(x).plus(1)),
            d(far).ge(clamp(d(near).plus(-1))),
            d(far).le(clamp(d(near).plus(1))),
            d(w).ge(1),
        ],
    )
    .unwrap();
    check_bounds(
        &context,
        &set,
        far,
        &[xi, x, near],
        [
            "min(max(0, (m + 256*xo + -2)), (w + -1))",
            "max(min((m + n + 1), (m + 256*xo + 257), (w + -1)), 0)",
        ],
    );
}

#[test]
fn assumptions_make_expressions_simpler() {
    let context = context();
    let [a, b, x] = ["a", "b", "x"].map(|name| context.dim(name));
    let set = Set::from_constraints(&context, &[d(x).ge(a), d(x).ge(b), d(x).ge(0)]).unwrap();
    let least = set.min(x, &[]).unwrap();
    let text = |assumptions: &[Constraint]| {
        let assumed = Set::from_constraints(&context, assumptions).unwrap();
        least.expression_within(&assumed).unwrap().map(|expr| expr.to_text(&context))
    };
    assert_eq!(text(&[]).as_deref(), Some("max(0, a, b)"));
    assert_eq!(text(&[d(a).ge(5)]).as_deref(), Some("max(a, b)"));
    assert_eq!(text(&[d(a).ge(b), d(a).ge(0)]).as_deref(), Some("a"));
    assert_eq!(text(&[d(a).lt(0), d(a).ge(0)]).as_deref(), None);
}

#[test]
fn gist_drops_what_is_assumed() {
    let context = context();
    let [n, x] = ["n", "x"].map(|name| context.dim(name));
    let assumed = Set::from_constraints(&context, &[d(n).ge(10)]).unwrap();
    let set = Set::from_constraints(&context, &[d(x).ge(0), d(x).lt(n), d(x).lt(5)]).unwrap();
    let greatest = set.max(x, &[]).unwrap();
    assert!(matches!(greatest.expression().unwrap(), Some(QuasiAffine::Min(_))));
    let simpler = greatest.gist(&assumed).unwrap();
    assert_eq!(simpler.expression().unwrap(), Some(QuasiAffine::Constant(4)));
    let known = set.intersect(&assumed).unwrap().gist(&assumed).unwrap();
    assert!(known.condition().unwrap().0.iter().flatten().all(|c| c.expr != d(n)));
}

#[test]
fn emptiness_is_over_the_integers() {
    let context = context();
    let [x, y] = ["x", "y"].map(|name| context.dim(name));
    let cases = [
        (vec![d(x).scale(2).equal(1)], true),
        (vec![d(x).scale(2).equal(d(y).scale(4).plus(2))], false),
        (vec![d(x).ge(3), d(x).lt(3)], true),
        (vec![d(x).scale(3).ge(4), d(x).scale(3).le(5)], true),
        (vec![d(x).modulo(2).equal(0), d(x).modulo(4).equal(1)], true),
        (vec![d(x).modulo(2).equal(1), d(x).modulo(4).equal(3)], false),
        (vec![], false),
    ];
    for (constraints, expected) in cases {
        let set = Set::from_constraints(&context, &constraints).unwrap();
        assert_eq!(set.is_empty().unwrap(), expected, "{constraints:?}");
        assert_eq!(set.sample().unwrap().is_none(), expected, "{constraints:?}");
    }
}

#[test]
fn a_sample_satisfies_the_constraints() {
    let context = context();
    let [x, y] = ["x", "y"].map(|name| context.dim(name));
    let constraints = [d(x).modulo(7).equal(3), d(x).ge(100), d(y).equal(d(x).floor_div(5))];
    let point = Set::from_constraints(&context, &constraints).unwrap().sample().unwrap().unwrap();
    let at = |dim| point.iter().find(|(named, _)| *named == dim).map(|(_, value)| *value);
    assert!(constraints.iter().all(|constraint| constraint.holds(&at) == Some(true)), "{point:?}");
}

#[test]
fn containment_differs_from_overlap() {
    let context = context();
    let x = context.dim("x");
    let range = |low: i64, high: i64| {
        Set::from_constraints(&context, &[d(x).ge(low), d(x).le(high)]).unwrap()
    };
    assert!(range(2, 3).is_subset(&range(0, 3)).unwrap());
    assert!(!range(2, 4).is_subset(&range(0, 3)).unwrap());
    assert!(range(0, 3).union(&range(4, 9)).unwrap().is_equal(&range(0, 9)).unwrap());
    assert!(!range(0, 3).union(&range(5, 9)).unwrap().is_equal(&range(0, 9)).unwrap());
    assert!(range(0, 3).is_disjoint(&range(4, 9)).unwrap());
    assert!(!range(0, 4).is_disjoint(&range(4, 9)).unwrap());
    assert!(range(0, 9).subtract(&range(4, 9)).unwrap().is_equal(&range(0, 3)).unwrap());
}

#[test]
fn dims_of_equal_names_are_different_variables() {
    let context = context();
    let [one, two] = ["x", "x"].map(|name| context.dim(name));
    let set = Set::from_constraints(&context, &[d(one).equal(0), d(two).equal(1)]).unwrap();
    assert!(!set.is_empty().unwrap());
    let odd = context.dim("x_0");
    let set = Set::from_constraints(&context, &[d(one).equal(0), d(odd).equal(1)]).unwrap();
    assert!(!set.is_empty().unwrap());
}

#[test]
fn affine_parts_are_recognised_and_merged() {
    let context = context();
    let [x, y] = ["x", "y"].map(|name| context.dim(name));
    let affine = |constant, terms: &[(Dim, i64)]| Some(Affine { constant, terms: terms.to_vec() });
    let cases = [
        (d(y).plus(d(x).scale(2)).plus(3).minus(d(y).scale(4)), affine(3, &[(x, 2), (y, -3)])),
        (d(x).minus(x), affine(0, &[])),
        (d(x).plus(1).scale(-2).plus(2), affine(0, &[(x, -2)])),
        (d(x).floor_div(2), None),
        (d(x).scale(i64::MAX).plus(x), None),
    ];
    for (tree, expected) in cases {
        assert_eq!(tree.as_affine(), expected, "{tree:?}");
        let function = Function::from_quasi_affine(&context, &tree).unwrap();
        if let Some(affine) = expected {
            assert!(
                Function::affine(&context, &affine).unwrap().is_equal(&function).unwrap(),
                "{tree:?}"
            );
        }
    }
    let twice = Affine { constant: 0, terms: vec![(x, i64::MAX), (x, 1)] };
    assert_eq!(Function::affine(&context, &twice).unwrap_err(), Error::Overflow);
    let contradiction = [d(x).scale(i64::MAX).plus(x).equal(d(x)), d(x).ge(1)];
    assert!(Set::from_constraints(&context, &contradiction).unwrap().is_empty().unwrap());
    assert!(!Set::from_constraints(&context, &contradiction[..1]).unwrap().is_empty().unwrap());
}

#[test]
fn quantifiers_are_exact() {
    let context = context();
    let [x, y, n] = ["x", "y", "n"].map(|name| context.dim(name));
    let even = Set::from_constraints(&context, &[d(x).equal(d(y).scale(2))])
        .unwrap()
        .exists(&[y])
        .unwrap();
    let modulo = Set::from_constraints(&context, &[d(x).modulo(2).equal(0)]).unwrap();
    assert!(even.is_equal(&modulo).unwrap());
    let below = Set::from_constraints(&context, &[d(x).le(n)]).unwrap();
    let outside =
        Set::from_constraints(&context, &[d(x).ge(0), d(x).lt(4)]).unwrap().complement().unwrap();
    let bound = outside.union(&below).unwrap().for_all(&[x]).unwrap();
    let expected = Set::from_constraints(&context, &[d(n).ge(3)]).unwrap();
    assert!(bound.is_equal(&expected).unwrap());
}

#[test]
fn a_select_takes_each_branch_where_it_applies() {
    let context = context();
    let [x, y] = ["x", "y"].map(|name| context.dim(name));
    let condition = Condition(vec![vec![d(x).ge(10)], vec![d(x).le(-10)]]);
    let tree = QuasiAffine::Select(condition, Box::new(d(x)), Box::new(d(y).scale(3)));
    let function = Function::from_quasi_affine(&context, &tree).unwrap();
    assert!(function.domain().unwrap().is_equal(&Set::universe(&context).unwrap()).unwrap());
    let expression = function.expression().unwrap().unwrap();
    for (a, b) in [(10, 1), (-10, 2), (9, 3), (-9, 4), (0, 0)] {
        let at = |dim| Some(if dim == x { a } else { b });
        assert_eq!(expression.eval(&at), tree.eval(&at));
    }
}

/// The complement of a projection of many modular constraints: hard enough for any small limit.
fn hard_set(context: &Context) -> Result<Set, Error> {
    let dims: Vec<Dim> = (0..8).map(|index| context.dim(&format!("x{index}"))).collect();
    let mut constraints: Vec<Constraint> = Vec::new();
    for (index, pair) in dims.windows(2).enumerate() {
        let step = index as i64 + 3;
        let weave = d(pair[0]).scale(step).plus(d(pair[1]).scale(-7)).modulo(11 + step);
        constraints.push(weave.lt(QuasiAffine::Constant(2)));
    }
    Set::from_constraints(context, &constraints)?.exists(&dims[2..6])?.complement()
}

#[test]
fn an_exceeded_limit_is_an_error_and_only_for_that_call() {
    let limit = 2_000;
    let context = Context::new(limit).unwrap();
    assert_eq!(
        hard_set(&context).and_then(|set| set.is_empty()).unwrap_err(),
        Error::ResourceLimit { limit }
    );
    context.set_work_limit(1);
    assert_eq!(Set::universe(&context).unwrap_err(), Error::ResourceLimit { limit: 1 });
    context.set_work_limit(limit);
    let x = context.dim("x");
    let easy = Set::from_constraints(&context, &[d(x).ge(3), d(x).lt(3)]).unwrap();
    assert!(easy.is_empty().unwrap());
}

#[test]
fn a_predicate_that_exceeds_the_limit_leaves_nothing_behind() {
    let mut refused = 0;
    for limit in (100..3_000).step_by(100) {
        let context = Context::new(limit).unwrap();
        let [x, y, z] = ["x", "y", "z"].map(|name| context.dim(name));
        let build = || {
            let weave = d(x).scale(7).plus(d(y).scale(-5)).plus(d(z).scale(3)).modulo(11);
            Set::from_constraints(&context, &[weave.lt(2), d(y).modulo(3).lt(z)])
        };
        let Ok(set) = build() else { continue };
        let Ok(other) = build().and_then(|other| other.exists(&[z])) else { continue };
        match set.is_subset(&other) {
            Ok(answer) => assert!(answer),
            Err(error) => {
                assert_eq!(error, Error::ResourceLimit { limit });
                refused += 1;
                assert!(Set::empty(&context).unwrap().is_empty().unwrap());
            }
        }
    }
    assert!(
        refused > 0,
        "no limit was low enough for the predicate and high enough for its operands"
    );
}

#[test]
fn unbounded_optima_are_errors() {
    let context = context();
    let [x, n] = ["x", "n"].map(|name| context.dim(name));
    let set = Set::from_constraints(&context, &[d(x).ge(n)]).unwrap();
    let unbounded = |dim: &str, side| Error::Unbounded { dim: dim.to_owned(), side };
    assert_eq!(set.max(x, &[]).unwrap_err(), unbounded("x", "upper"));
    assert_eq!(set.min(x, &[n]).unwrap_err(), unbounded("x", "lower"));
    let other = context.dim("other");
    assert_eq!(set.min(other, &[]).unwrap_err(), unbounded("other", "lower"));
    let least = Function::dim(&context, n).unwrap();
    assert!(set.min(x, &[]).unwrap().is_equal(&least).unwrap());
}

#[test]
fn the_optimum_over_an_empty_set_is_nowhere_defined() {
    let context = context();
    let x = context.dim("x");
    let set = Set::from_constraints(&context, &[d(x).ge(3), d(x).lt(3)]).unwrap();
    let least = set.min(x, &[]).unwrap();
    assert!(least.domain().unwrap().is_empty().unwrap());
    assert_eq!(least.expression().unwrap(), None);
}

#[test]
fn bad_operands_are_errors() {
    let [first, second] = [context(), context()];
    let x = first.dim("x");
    let set = Set::from_constraints(&first, &[d(x).ge(0)]).unwrap();
    assert_eq!(
        set.intersect(&Set::universe(&second).unwrap()).unwrap_err(),
        Error::ContextMismatch
    );
    assert_eq!(Function::dim(&second, x).unwrap_err(), Error::ContextMismatch);
    for divisor in [0, -2] {
        let tree = QuasiAffine::FloorDiv(Box::new(d(x)), divisor);
        assert_eq!(
            Function::from_quasi_affine(&first, &tree).unwrap_err(),
            Error::Divisor { divisor }
        );
        assert_eq!(tree.eval(&|_| Some(1)), None);
    }
    let nothing = QuasiAffine::Min(vec![]);
    assert!(matches!(Function::from_quasi_affine(&first, &nothing), Err(Error::Isl { .. })));
    let huge = d(x).scale(i64::MAX).scale(i64::MAX);
    let set = Set::from_constraints(
        &first,
        &[Constraint { expr: huge.minus(1), relation: Relation::NonNegative }],
    );
    let product =
        Function::from_quasi_affine(&first, &d(x).scale(i64::MAX).scale(i64::MAX)).unwrap();
    assert_eq!(product.pieces().unwrap_err(), Error::Overflow);
    assert!(!set.unwrap().is_empty().unwrap());
}
