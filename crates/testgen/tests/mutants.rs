//! Mutants are well formed, differ in one place, and are noticed by the interpreter unless they are equivalent.

use std::collections::BTreeMap;

use halidom_interp::algorithm::evaluate;
use halidom_interp::machine::{Options, run_checking_claims};
use halidom_ir::parse::{self, Module};
use halidom_ir::verify::{self, Phase};
use halidom_ir::{Pool, Program, StmtId, print};
use halidom_testgen::{Case, Mutant, MutantKind, cases, mutants};

/// A two-stage pipeline after lowering: vectors, a guard, a parallel loop, an update with its reduction loop.
const SMALL: &str = include_str!("small.ir");

/// A window that slides over a loop, in folded memory.
const WINDOW: &str = include_str!("window.ir");

fn module(text: &str) -> (Module, Program) {
    let module = parse::module(text).expect("the text is a module");
    let program = module.program.clone().expect("the module has a program");
    (module, program)
}

/// The body's text line by line; names of buffers and variables stay, as nothing is renamed.
fn lines(pool: &Pool, body: StmtId) -> Vec<String> {
    print::stmt(pool, body).lines().map(|line| line.trim().to_owned()).collect()
}

#[test]
fn mutants_are_deterministic_well_formed_and_different_in_one_place() {
    let mut kinds: BTreeMap<MutantKind, usize> = BTreeMap::new();
    for text in [SMALL, WINDOW] {
        mutants_of(text, &mut kinds);
    }
    // Only programs with atomic updates can lose them: `driver::tests::atomics`.
    assert_eq!(kinds.len() + 1, MutantKind::ALL.len(), "{kinds:?}");
    assert!(!kinds.contains_key(&MutantKind::AtomicDropped));
}

fn mutants_of(text: &str, kinds: &mut BTreeMap<MutantKind, usize>) {
    let (mut module, program) = module(text);
    assert_eq!(verify::program(&module.pool, &program, Phase::Final), Ok(()));
    let original = lines(&module.pool, program.body);
    let made = mutants(&mut module.pool.clone(), &program, 7, 100);
    let again = mutants(&mut module.pool.clone(), &program, 7, 100);
    assert_eq!(made, again);
    let other = mutants(&mut module.pool.clone(), &program, 8, 100);
    assert_ne!(made, other);

    let made = mutants(&mut module.pool, &program, 7, 100);
    assert!(made.len() >= 60, "{}", made.len());
    let mut texts = Vec::new();
    for Mutant { kind, program, description } in &made {
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
        let most = match kind {
            // An `if` with its branches; two statements; every access to a buffer that prints with another name.
            MutantKind::GuardDropped
            | MutantKind::StatementsSwapped
            | MutantKind::AllocationShrunk
            | MutantKind::FoldChanged => original.len(),
            MutantKind::IndexOffByOne
            | MutantKind::LoopBoundChanged
            | MutantKind::OperandsSwapped
            | MutantKind::ConstantChanged
            | MutantKind::ProphecyWrong
            | MutantKind::StoreMissing
            | MutantKind::AtomicDropped
            | MutantKind::LoopMadeParallel
            | MutantKind::NeededShrunk
            | MutantKind::WindowChanged
            | MutantKind::LoadRedirected
            | MutantKind::EntryCheckWeakened => 1,
        };
        assert!(changed <= most, "{}: {description} changes {changed} lines", kind.name());
        texts.push(text);
    }
    texts.sort();
    texts.dedup();
    // Different places can give one text: both operands of a product of equals, say.
    assert!(texts.len() * 20 > made.len() * 19, "{} different programs", texts.len());
}

/// Whether some case shows that a program is wrong.
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
    let made = mutants(&mut module.pool, &program, 1, 120);
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
        // A smaller needed region claims less, and what a weaker check lets in is no case of the algorithm: only a proof can miss them.
        let unseen = [MutantKind::NeededShrunk, MutantKind::EntryCheckWeakened];
        let expected = usize::from(unseen.iter().all(|unseen| *kind != unseen.name()));
        assert!(*seen >= expected, "{kind}: {seen} of {all}");
    }
    let seen: usize = noticed.values().map(|(seen, _)| seen).sum();
    assert!(seen * 10 >= made.len() * 6, "{seen} of {}: {noticed:?}", made.len());
}
