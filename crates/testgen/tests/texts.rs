//! Random pipelines and schedules go through the front end, and most have cases to run on.

use std::collections::BTreeMap;

use halidom_diag::{Colours, Sources, render};
use halidom_interp::algorithm::evaluate;
use halidom_ir::{Action, Deal, Directive, FuncKind, LoopKind, Pool};
use halidom_lang::{Module, format, parse, print, print_schedule};
use halidom_testgen::{cases, pipeline, schedule};

/// Parses a text, which must have no errors.
fn parse_valid(text: &str) -> Module {
    let mut sources = Sources::new();
    let file = sources.add("random.hal", text);
    let module = parse(&sources, file);
    let report: Vec<String> = module
        .diagnostics
        .iter()
        .map(|diagnostic| render(&sources, diagnostic, Colours::Never))
        .collect();
    assert!(!module.has_errors(), "{}\n{text}", report.concat());
    module
}

#[test]
fn pipelines_and_schedules_are_well_formed_text() {
    let (mut updates, mut schedules) = (0, 0);
    for seed in 0..300 {
        let made = pipeline(seed);
        assert_eq!(made, pipeline(seed));
        let texts: Vec<String> = (0..3)
            .map(|number| schedule(&made, &format!("s{number}"), seed * 3 + number))
            .collect();
        let module = parse_valid(&(made.text.clone() + &texts.concat()));
        let parsed = module.pipeline(&made.name).unwrap();
        assert_eq!(parsed.schedules.len(), 3);
        schedules += parsed.schedules.iter().filter(|s| s.schedule.directives.len() > 2).count();
        for func in &parsed.algorithm.funcs {
            updates += module.pool.func(*func).stages().len() - 1;
        }
    }
    assert!(updates > 100, "{updates} updates");
    assert!(schedules > 400, "{schedules} schedules of more than two directives");
}

/// The formatter keeps the tokens of a text, or refuses; so a text that it formats is the same
/// program.
#[test]
fn pipelines_and_schedules_can_be_formatted() {
    let formatted = |text: &str| {
        let mut sources = Sources::new();
        let file = sources.add("random.hal", text);
        format(&sources, file).unwrap_or_else(|refused| panic!("{refused:?}\n{text}"))
    };
    for seed in 0..300 {
        let made = pipeline(seed);
        let text = made.text.clone() + &schedule(&made, "s", seed);
        let once = formatted(&text);
        assert_eq!(formatted(&once), once, "seed {seed}");
        let [before, after] = [&text, &once].map(|text| {
            let module = parse_valid(text);
            let printed = print(&module.pool, &module.pipelines[0].algorithm);
            let named = &module.pipelines[0].schedules[0];
            let algorithm = &module.pipelines[0].algorithm;
            let steps = print_schedule(&module.pool, algorithm, &named.schedule);
            (format!("{printed:?}"), format!("{steps:?}"))
        });
        assert_eq!(before, after, "seed {seed}");
        let long = once.lines().find(|line| line.chars().count() > 100);
        assert_eq!(long, None, "seed {seed}");
    }
}

/// Every directive of `docs/language.md` is made, often enough to occur in an hour of fuzzing.
#[test]
fn every_directive_is_made() {
    const SEEDS: u64 = 600;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut forms: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..SEEDS {
        let made = pipeline(seed);
        let text = schedule(&made, "s", seed);
        let module = parse_valid(&(made.text.clone() + &text));
        let scheduled = &module.pipelines[0].schedules[0].schedule;
        let mut directives: Vec<&Directive> = scheduled.directives.iter().collect();
        while let Some(directive) = directives.pop() {
            *counts.entry(directive.action.name()).or_default() += 1;
            if let Action::Specialize { directives: inner, .. } = &directive.action {
                directives.extend(inner);
            }
            let is_tuple = module.pool.func(directive.func).scalars.len() > 1;
            for (form, is_met) in [
                ("rfactor of a tuple", is_tuple && directive.action.name() == "rfactor"),
                ("wrapper of an input", is_wrapper_of_input(&module.pool, directive)),
                ("level within an update", is_at_update(&directive.action)),
                (
                    "static dealing",
                    matches!(
                        directive.action,
                        Action::Traverse { kind: LoopKind::Parallel(Deal::Static { .. }), .. }
                    ),
                ),
                (
                    "dynamic dealing",
                    matches!(
                        directive.action,
                        Action::Traverse { kind: LoopKind::Parallel(Deal::Dynamic { .. }), .. }
                    ),
                ),
                (
                    "vectorize without lanes",
                    matches!(directive.action, Action::Vectorize { lanes: None, .. }),
                ),
            ] {
                *forms.entry(form).or_default() += usize::from(is_met);
            }
        }
    }
    for name in [
        "align_bounds",
        "align_storage",
        "atomic",
        "bound",
        "bound_extent",
        "compute_at",
        "compute_inline",
        "compute_root",
        "fold_storage",
        "fuse",
        "hoist_storage",
        "hoist_storage_root",
        "in",
        "pad_storage",
        "realign",
        "prefetch",
        "parallel",
        "partition",
        "rename",
        "reorder",
        "reorder_storage",
        "rfactor",
        "serial",
        "specialize",
        "specialize_fail",
        "split",
        "store_at",
        "store_in",
        "store_root",
        "swap",
        "tile",
        "unroll",
        "vectorize",
    ] {
        let count = counts.get(name).copied().unwrap_or_default();
        assert!(count >= 8, "{name} is made {count} times: {counts:?}");
    }
    for (form, count) in &forms {
        assert!(*count >= 4, "{form} is made {count} times");
    }
}

fn is_wrapper_of_input(pool: &Pool, directive: &Directive) -> bool {
    matches!(directive.action, Action::Wrap { .. })
        && matches!(pool.func(directive.func).kind, FuncKind::Input { .. })
}

fn is_at_update(action: &Action) -> bool {
    matches!(action, Action::ComputeAt(level) | Action::StoreAt(level)
        if level.stage.is_some_and(|stage| stage > 0))
}

#[test]
fn cases_are_inputs_on_which_the_algorithm_has_a_value() {
    let (mut found, mut empty, mut padded, mut shifted) = (0, 0, 0, 0);
    for seed in 0..60 {
        let made = pipeline(seed);
        let module = parse_valid(&made.text);
        let algorithm = &module.pipelines[0].algorithm;
        for case in cases(&module.pool, algorithm, seed, 5) {
            let result = evaluate(&module.pool, algorithm, &case.bindings, &case.windows);
            assert!(result.is_ok(), "seed {seed}: {result:?}\n{}", made.text);
            found += 1;
            empty += usize::from(case.windows.iter().flatten().any(|(_, extent)| *extent == 0));
            shifted += usize::from(case.windows.iter().flatten().any(|(min, _)| *min != 0));
            padded += usize::from(!case.output_padding.is_empty());
        }
    }
    assert!(found >= 270, "{found} of 300 cases");
    assert!(empty > 10 && padded > 30 && shifted > 60, "{empty} {padded} {shifted}");
}

#[test]
fn every_example_has_cases() {
    for (name, text) in [
        ("blur", include_str!("../../../examples/blur.hal")),
        ("box_blur", include_str!("../../../examples/box_blur.hal")),
        ("gemm", include_str!("../../../examples/gemm.hal")),
        ("harris", include_str!("../../../examples/harris.hal")),
        ("histogram", include_str!("../../../examples/histogram.hal")),
        ("unsharp", include_str!("../../../examples/unsharp.hal")),
    ] {
        let module = parse_valid(text);
        let algorithm = &module.pipelines[0].algorithm;
        let found = cases(&module.pool, algorithm, 5, 8);
        assert_eq!(found.len(), 8, "{name}");
        for case in found {
            let result = evaluate(&module.pool, algorithm, &case.bindings, &case.windows);
            assert!(result.is_ok(), "{name}: {result:?}");
        }
    }
}
