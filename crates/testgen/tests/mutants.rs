//! Mutants are well formed and differ in one place, and the interpreter notices them unless they
//! are equivalent.

use std::collections::BTreeMap;

use halidom_interp::algorithm::evaluate;
use halidom_interp::machine::{Options, run_checking_claims};
use halidom_ir::parse::{self, Module};
use halidom_ir::verify::{self, Phase};
use halidom_ir::{Pool, Program, StmtId, print};
use halidom_testgen::{
    Case, Mutant, MutantKind, SpecificationKind, cases, mutants, specification_mutants,
};

/// A two-stage pipeline after lowering, with vectors, a guard, a parallel loop, and an update with
/// its reduction loop.
const SMALL: &str = include_str!("small.ir");

/// A window that slides over a loop, in folded memory.
const WINDOW: &str = include_str!("window.ir");

fn module(text: &str) -> (Module, Program) {
    let module = parse::module(text).expect("the text is a module");
    let program = module.program.clone().expect("the module has a program");
    (module, program)
}

/// Returns the body's text line by line. Nothing is renamed, so names of buffers and variables
/// stay.
fn lines(pool: &Pool, body: StmtId) -> Vec<String> {
    print::stmt(pool, body).lines().map(|line| line.trim().to_owned()).collect()
}

#[test]
fn mutants_are_deterministic_well_formed_and_different_in_one_place() {
    let all = [MutantKind::FINAL, MutantKind::ANNOTATIONS].concat();
    let mut kinds: BTreeMap<MutantKind, usize> = BTreeMap::new();
    for text in [SMALL, WINDOW] {
        mutants_of(text, &all, &mut kinds);
    }
    // Only programs with atomic updates can lose them: `driver::tests::all::atomics`.
    assert_eq!(kinds.len() + 1, all.len(), "{kinds:?}");
    assert!(!kinds.contains_key(&MutantKind::AtomicDropped));
}

fn mutants_of(text: &str, all: &[MutantKind], kinds: &mut BTreeMap<MutantKind, usize>) {
    let (mut module, program) = module(text);
    assert_eq!(verify::program(&module.pool, &program, Phase::Final), Ok(()));
    let original = lines(&module.pool, program.body);
    let made = mutants(&mut module.pool.clone(), &program, all, 7, 100);
    let again = mutants(&mut module.pool.clone(), &program, all, 7, 100);
    assert_eq!(made, again);
    let other = mutants(&mut module.pool.clone(), &program, all, 8, 100);
    assert_ne!(made, other);

    let made = mutants(&mut module.pool, &program, all, 7, 200);
    assert!(made.len() >= 100, "{}", made.len());
    let mut texts = Vec::new();
    for Mutant { kind, program, description, .. } in &made {
        *kinds.entry(*kind).or_default() += 1;
        let violations = verify::program(&module.pool, program, Phase::Final);
        assert_eq!(violations, Ok(()), "{}: {description}", kind.name());
        let text = lines(&module.pool, program.body);
        assert_ne!(text, original, "{}: {description}", kind.name());
        // The lines between the common start and the common end.
        let start = original.iter().zip(&text).take_while(|(a, b)| a == b).count();
        let ends = original.iter().rev().zip(text.iter().rev());
        let end = ends.take_while(|(a, b)| a == b).count();
        let changed = original.len().saturating_sub(start + end);
        // These kinds change an `if` with its branches, two statements, the statements within a
        // label, or every access to a buffer, which prints with another name.
        let many = [
            MutantKind::GuardDropped,
            MutantKind::StatementsSwapped,
            MutantKind::AllocationShrunk,
            MutantKind::FoldChanged,
            MutantKind::LabelMissing,
        ];
        let most = if many.contains(kind) { original.len() } else { 1 };
        assert!(changed <= most, "{}: {description} changes {changed} lines", kind.name());
        texts.push(text);
    }
    texts.sort();
    texts.dedup();
    // Different places can give one text, for example both operands of a product of equals.
    assert!(texts.len() * 20 > made.len() * 19, "{} different programs", texts.len());
}

/// Tests whether some case shows that a program is wrong.
fn is_noticed(module: &Module, program: &Program, cases: &[Case]) -> bool {
    cases.iter().enumerate().any(|(seed, case)| {
        let (pool, algorithm) = (&module.pool, &module.algorithm);
        let options = Options {
            seed: seed as u64,
            output_padding: case.output_padding.clone(),
            steps: Some(100_000),
            ..Options::default()
        };
        let expected = evaluate(pool, algorithm, &case.bindings, &case.windows);
        let outcome =
            run_checking_claims(pool, program, algorithm, &case.bindings, &case.windows, &options);
        outcome.map(|outcome| outcome.outputs).ok() != expected.ok()
    })
}

#[test]
fn the_interpreter_notices_mutants() {
    for text in [SMALL, WINDOW] {
        notices(text);
    }
}

fn notices(text: &str) {
    let (mut module, program) = module(text);
    let made = mutants(&mut module.pool, &program, MutantKind::FINAL, 1, 120);
    let cases = cases(&module.pool, &module.algorithm, 1, 25);
    assert_eq!(cases.len(), 25);
    assert!(!is_noticed(&module, &program, &cases), "the original is right");
    let mut noticed: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for mutant in &made {
        let (seen, all) = noticed.entry(mutant.kind.name()).or_default();
        *seen += usize::from(is_noticed(&module, &mutant.program, &cases));
        *all += 1;
    }
    for (kind, (seen, all)) in &noticed {
        // The inputs that a weaker check admits are no cases of the algorithm: only a proof needs
        // the check.
        let expected = usize::from(*kind != MutantKind::EntryCheckWeakened.name());
        assert!(*seen >= expected, "{kind}: {seen} of {all}");
    }
    let seen: usize = noticed.values().map(|(seen, _)| seen).sum();
    assert!(seen * 10 >= made.len() * 6, "{seen} of {}: {noticed:?}", made.len());
}

/// Annotations do not influence a program's behaviour.
#[test]
fn annotations_can_be_wrong_without_harm() {
    for text in [SMALL, WINDOW] {
        let (mut module, program) = module(text);
        let made = mutants(&mut module.pool, &program, MutantKind::ANNOTATIONS, 1, 60);
        let cases = cases(&module.pool, &module.algorithm, 1, 4);
        for mutant in &made {
            for case in &cases {
                let given = (&case.bindings, case.windows.as_slice());
                let run = |program| {
                    let options = Options::default();
                    halidom_interp::machine::run(&module.pool, program, given.0, given.1, &options)
                };
                assert_eq!(run(&mutant.program), run(&program), "{}", mutant.description);
            }
        }
    }
}

/// A probe stops where the change makes a difference, and nowhere else.
#[test]
fn probes_notice_changes() {
    let (mut module, program) = module(SMALL);
    let kinds = [MutantKind::LoopBoundChanged, MutantKind::OperandsSwapped];
    let made = mutants(&mut module.pool, &program, &kinds, 1, 40);
    let cases = cases(&module.pool, &module.algorithm, 1, 8);
    let (mut stopped, mut passed) = (0, 0);
    for mutant in &made {
        let Some(probe) = mutant.probe(&mut module.pool, &program) else { continue };
        let stops = cases.iter().any(|case| {
            let options = Options::default();
            let (bindings, windows) = (&case.bindings, &case.windows);
            let run =
                halidom_interp::machine::run(&module.pool, &probe, bindings, windows, &options);
            matches!(run, Err(halidom_interp::machine::Fault::CheckFailed(_)))
        });
        if stops {
            stopped += 1
        } else {
            passed += 1
        }
        assert!(stops || mutant.kind == MutantKind::OperandsSwapped, "{}", mutant.description);
    }
    assert!(stopped > 0 && passed > 0, "{stopped} stopped, {passed} passed");
}

#[test]
fn algorithms_can_be_changed_in_every_way() {
    let (module, _) = module(SMALL);
    let made = specification_mutants(&module.pool, &module.algorithm, 3, 200);
    let kinds: std::collections::BTreeSet<_> = made.iter().map(|mutant| mutant.kind).collect();
    // There is no predicate to leave out.
    assert_eq!(kinds.len() + 1, SpecificationKind::ALL.len(), "{kinds:?}");
    let cases = cases(&module.pool, &module.algorithm, 1, 8);
    let mut different = 0;
    for mutant in &made {
        if verify::algorithm(&mutant.pool, &module.algorithm).is_err() {
            continue;
        }
        different += usize::from(cases.iter().any(|case| {
            let value =
                |pool| evaluate(pool, &module.algorithm, &case.bindings, &case.windows).ok();
            value(&mutant.pool) != value(&module.pool)
        }));
    }
    assert!(different * 10 >= made.len() * 8, "{different} of {}", made.len());
}
