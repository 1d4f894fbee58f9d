//! Each kind of obligation is necessary: a program that violates only this kind is rejected, and
//! would be proved without it.

#[path = "common/programs.rs"]
mod programs;

use std::collections::BTreeSet;

use crate::common::{open, options};
use halidom_ir::{Algorithm, Constant, Expr, FuncDecl, FuncId, FuncKind, Pool, parse};
use halidom_validate::{Budget, Kind, Report, Status, Verdict, validate, validate_refined};
use programs::{folded, sums, tiles, updated, wrong};

fn judge(text: &str, disable: &[Kind]) -> Report {
    judge_within(text, disable, Budget::default())
}

fn judge_within(text: &str, disable: &[Kind], budget: Budget) -> Report {
    let parsed = parse::module(text);
    let place = parsed.as_ref().err().map(|error| error.position(text));
    assert!(place.is_none(), "{place:?}: {text}");
    let mut module = parsed.expect("the text is well formed");
    let program = module.program.expect("the text has a program");
    let mut options = options();
    options.disable = disable.to_vec();
    options.budget = budget;
    // The interpreter would find most of these. This test is about the obligations.
    options.search.trials = 0;
    validate(&mut module.pool, &module.algorithm, &program, &options)
}

fn open_kinds(report: &Report) -> BTreeSet<Kind> {
    report
        .obligations
        .iter()
        .filter(|o| matches!(o.status, Status::Open(_)))
        .map(|o| o.kind)
        .collect()
}

/// Checks that the base with each `(old, new)` replaced violates only `kind`.
fn only(kind: Kind, base: &str, edits: &[(&str, &str)]) {
    let mut text = base.to_owned();
    for (old, new) in edits {
        assert!(text.contains(old), "nothing to edit: {old}");
        text = text.replacen(old, new, 1);
    }
    let report = judge(&text, &[]);
    assert_eq!(open_kinds(&report), BTreeSet::from([kind]), "{}", open(&report));
    assert!(matches!(report.verdict, Verdict::Unknown(_)));
    assert_eq!(judge(&text, &[kind]).verdict, Verdict::Proved);
}

#[test]
fn the_bases_are_proved() {
    for base in [tiles(), sums(), folded(), updated()] {
        let report = judge(&base, &[]);
        assert_eq!(report.verdict, Verdict::Proved, "{}", open(&report));
        let rare = [Kind::Race, Kind::Retention, Kind::Refinement];
        assert!(
            Kind::ALL.iter().all(|kind| report.counts().contains_key(kind) || rare.contains(kind))
        );
    }
}

#[test]
fn what_is_not_asked_stays_open() {
    let all = judge(&tiles(), &[]);
    assert_eq!((&all.verdict, all.solver.queries > 12), (&Verdict::Proved, true));
    let budget = Budget { questions: Some(10), ..Budget::default() };
    let some = judge_within(&tiles(), &[], budget);
    assert!(matches!(some.verdict, Verdict::Unknown(_)), "{:?}", some.verdict);
    // Without the solver's sizes, nothing shows that the entry checks can hold, which is one more
    // obligation.
    assert_eq!((some.solver.queries, some.obligations.len()), (10, all.obligations.len() + 1));
    // As soon as one obligation is open, the verdict is known.
    let wrong = tiles().replacen("xo * 4 + xi", "xo * 4 + xi + xi", 1);
    let budget = Budget { open: Some(1), ..Budget::default() };
    let [whole, part] = [Budget::default(), budget].map(|budget| judge_within(&wrong, &[], budget));
    assert!(matches!(part.verdict, Verdict::Unknown(_)), "{:?}", part.verdict);
    assert!(
        part.solver.queries < whole.solver.queries,
        "{} and {}",
        part.solver.queries,
        whole.solver.queries
    );
}

#[test]
fn location() {
    only(Kind::Location, &wrong("location"), &[]);
}

#[test]
fn bounds() {
    only(Kind::Bounds, &wrong("bounds"), &[]);
}

#[test]
fn claim() {
    only(Kind::Claim, &wrong("claim"), &[]);
}

#[test]
fn value() {
    only(Kind::Value, &wrong("value"), &[]);
}

#[test]
fn coverage() {
    only(Kind::Coverage, &wrong("coverage"), &[]);
}

#[test]
fn definedness() {
    only(Kind::Definedness, &wrong("definedness"), &[]);
}

#[test]
fn order() {
    let (first, rest) = ("stage output, 0, 0 {", "stage output, 1, 0 {");
    let text = sums();
    let (start, middle) = (text.find(first).unwrap(), text.find(rest).unwrap());
    let end = text.rfind("}\n    }\n  }\n}").unwrap();
    let swapped =
        format!("{}{}{}{}", &text[..start], &text[middle..end], &text[start..middle], &text[end..]);
    only(Kind::Order, &swapped, &[]);
}

/// Lent memory must be large enough, and lent to one iteration at a time.
#[test]
fn lent_memory() {
    let allocate = "allocate twice.buffer: u8 for twice [start, length, 1];";
    let within = "allocate twice.buffer: u8 for twice [start, length, 1] in twice.memory;";
    let lender = |room: u32| format!("allocate twice.memory: u8 for twice [0, {room}, 1];");
    let lent = tiles().replacen(allocate, &(lender(5) + within), 1);
    let report = judge(&lent, &[]);
    assert_eq!(report.verdict, Verdict::Proved, "{}", open(&report));
    only(Kind::Bounds, &tiles(), &[(allocate, &(lender(4) + within))]);
    let around = "parallel xo in";
    only(Kind::Form, &tiles(), &[(allocate, within), (around, &(lender(5) + around))]);
}

/// One element for two values that are needed at the same time.
#[test]
fn retention() {
    only(Kind::Retention, &wrong("retention"), &[]);
}

/// Values from the iteration before are initialised again, but not updated.
#[test]
fn retention_of_updates() {
    only(Kind::Retention, &updated(), &[("t0 in [start, length]", "t0 in [ox, 2]")]);
}

/// In a parallel loop, an iteration cannot rely on the one before.
#[test]
fn windows_do_not_slide_over_parallel_loops() {
    for base in [folded(), updated()] {
        let text = base.replacen("for ox in", "parallel ox in", 1);
        let open = open_kinds(&judge(&text, &[]));
        assert!(open.contains(&Kind::Coverage), "{open:?}");
    }
}

/// A first iteration that computes one value too few.
#[test]
fn coverage_of_a_sliding_window() {
    for base in [folded(), updated()] {
        let edit =
            ("select(ox == output.window.min.0, 2, 1)", "select(ox == output.window.min.0, 1, 1)");
        only(Kind::Coverage, &base, &[edit]);
    }
}

#[test]
fn race() {
    only(Kind::Race, &wrong("race"), &[]);
}

#[test]
fn output() {
    only(Kind::Output, &wrong("output"), &[]);
}

#[test]
fn overflow() {
    only(Kind::Overflow, &wrong("overflow"), &[]);
}

#[test]
fn assumption() {
    only(
        Kind::Assumption,
        &tiles(),
        &[(
            "if 0 < output.window",
            "assert output.window.extent.0 <= 0 - 1, size_limit \"never\"; if 0 < output.window",
        )],
    );
}

/// Products are opaque unknowns to the solver, so its model alone shows nothing.
#[test]
fn assumption_on_a_product() {
    only(
        Kind::Assumption,
        &tiles(),
        &[(
            "if 0 < output.window",
            "assert input.stride.0 == 3 & input.extent.0 * input.stride.0 == 31, \
                size_limit \"never\"; if 0 < output.window",
        )],
    );
}

#[test]
fn form() {
    only(
        Kind::Form,
        &tiles(),
        &[(
            "for xi in [0, 4] {",
            "assert 0 <= input.extent.0, size_limit \"late\"; for xi in [0, 4] {",
        )],
    );
}

/// A copy of a func in which reads of `from` become reads of `to`, and the constant 1 becomes
/// `constant`.
fn copy(pool: &mut Pool, func: FuncId, from: FuncId, to: FuncId, constant: i128) -> FuncId {
    let mut decl = pool.func(func).clone();
    let mut stages = decl.stages().to_vec();
    let mut memo = halidom_base::FxHashMap::default();
    for stage in &mut stages {
        for value in &mut stage.values {
            *value = pool.rewrite_bottom_up(*value, &mut memo, &mut |pool, id, expr| {
                if let Expr::Ref { func, component, args } = expr
                    && *func == from
                {
                    let (component, args) = (*component, args.clone());
                    pool.func_ref(to, component, args)
                } else if *expr == Expr::Const(Constant::int(1)) {
                    pool.int(constant)
                } else {
                    id
                }
            });
        }
    }
    decl.kind = FuncKind::Defined { stages, synthetic: false };
    pool.declare_func(FuncDecl { ..decl })
}

#[test]
fn refinement() {
    let mut module = parse::module(&tiles()).expect("the text is well formed");
    let program = module.program.expect("the text has a program");
    let lowered = module.algorithm.clone();
    let pool = &mut module.pool;
    let mut judge = |constant: i128, disable: &[Kind]| {
        let [twice, output] = *lowered.funcs.as_slice() else { unreachable!("two funcs") };
        let own = copy(pool, twice, twice, twice, constant);
        let user = copy(pool, output, twice, own, 1);
        let algorithm =
            Algorithm { funcs: vec![own, user], outputs: vec![user], ..lowered.clone() };
        let mut options = options();
        options.disable = disable.to_vec();
        options.search.trials = 0;
        validate_refined(pool, &algorithm, std::slice::from_ref(&lowered), &program, &options)
    };
    let right = judge(1, &[]);
    assert_eq!(right.verdict, Verdict::Proved, "{}", open(&right));
    let wrong = judge(2, &[]);
    assert_eq!(open_kinds(&wrong), BTreeSet::from([Kind::Refinement]), "{}", open(&wrong));
    assert_eq!(judge(2, &[Kind::Refinement]).verdict, Verdict::Proved);
}

/// Without this test, a kind of obligation could lack a test unnoticed.
#[test]
fn every_kind_has_its_test() {
    let tests = include_str!("kinds.rs");
    for kind in Kind::ALL {
        assert!(tests.contains(&format!("#[test]\nfn {}() {{", kind.name())), "{}", kind.name());
    }
}
