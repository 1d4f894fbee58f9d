//! Tests FS Lemma 8.2: exactly one of a func's specializations runs, the same one wherever the func
//! is computed.

use halidom_interp::machine::{self, Fault};
use halidom_ir::visit::for_each_stmt;
use halidom_ir::{Check, Constant, FuncId, Label, Pool, Program, Stmt, StmtId};
use halidom_schedule::{Engine, complete};
use halidom_testgen::sampled;

use super::common::{Known, known, legal_steps, parse, random, rewrite};

/// The message of an assert that replaces an instance's code.
const REACHED: &str = "the instance is reached";

/// Collects the specializations of each func that a program has, 0 for the unspecialized instance.
fn instances(pool: &Pool, stmt: StmtId, found: &mut Vec<(FuncId, usize)>) {
    for_each_stmt(pool, stmt, &mut |_, stmt| {
        if let Stmt::Labeled { label: Label::Stage { func, specialization, .. }, .. } = stmt
            && !found.contains(&(*func, *specialization))
        {
            found.push((*func, *specialization));
        }
    });
}

/// True if a run evaluates the code of a func's instance: the run fails once that code is an assert
/// of `false`.
fn evaluates(
    pool: &mut Pool,
    program: &Program,
    (func, specialization): (FuncId, usize),
    known: &Known,
) -> bool {
    let trap = {
        let condition = pool.constant(Constant::bool(false));
        let check = Check::Require { message: REACHED.to_owned() };
        pool.stmt(Stmt::Assert { condition, check })
    };
    let body = rewrite(pool, program.body, &|_, _, stmt| {
        let is_instance = matches!(
            stmt,
            Stmt::Labeled { label: Label::Stage { func: of, specialization: number, .. }, .. }
                if (*of, *number) == (func, specialization)
        );
        is_instance.then_some(trap)
    });
    let trapped = Program { body, ..program.clone() };
    let Known { case, .. } = known;
    let options = machine::Options {
        output_padding: case.output_padding.clone(),
        ..machine::Options::default()
    };
    match machine::run(pool, &trapped, &case.bindings, &case.windows, &options) {
        Err(Fault::CheckFailed(failure)) => {
            matches!(&failure.check, Check::Require { message } if message == REACHED)
        }
        // If the code is replaced but not reached, nothing changes.
        Ok(_) | Err(_) => false,
    }
}

/// Returns the number of a func's instances that a run evaluates.
fn active(pool: &mut Pool, program: &Program, func: FuncId, known: &Known) -> usize {
    let mut all = Vec::new();
    instances(pool, program.body, &mut all);
    let own = all.into_iter().filter(|(owner, _)| *owner == func).collect::<Vec<_>>();
    own.into_iter().filter(|instance| evaluates(pool, program, *instance, known)).count()
}

fn specialized(pool: &Pool, program: &Program) -> Vec<FuncId> {
    let mut all = Vec::new();
    instances(pool, program.body, &mut all);
    let mut funcs: Vec<FuncId> =
        all.iter().filter(|(_, number)| *number > 0).map(|(func, _)| *func).collect();
    funcs.dedup();
    funcs
}

#[test]
fn lemma_8_2_exactly_one_specialization_runs() {
    let (mut one, mut none) = (0, 0);
    for seed in sampled(3000..3100, 4) {
        let module = random(seed);
        let algorithm = &module.pipelines[0].algorithm;
        let Some(mut step) = legal_steps(&module).pop() else { continue };
        let Ok(program) = complete(&mut step.pool, &step.lowered, Engine::Default) else {
            continue;
        };
        let funcs = specialized(&step.pool, &program);
        if funcs.is_empty() {
            continue;
        }
        for known in known(&module, seed, 4) {
            let ran = machine::run(
                &step.pool,
                &program,
                &known.case.bindings,
                &known.case.windows,
                &machine::Options {
                    output_padding: known.case.output_padding.clone(),
                    ..machine::Options::default()
                },
            );
            if ran.is_err() {
                continue;
            }
            for func in &funcs {
                let count = active(&mut step.pool, &program, *func, &known);
                // An output on a window with points is always computed; another func may be
                // computed nowhere.
                let is_owed = algorithm.outputs.contains(func)
                    && known.case.windows.iter().flatten().all(|(_, extent)| *extent > 0);
                assert!(
                    count == 1 || (count == 0 && !is_owed),
                    "{count} instances of {} run {}",
                    step.pool.func(*func).name,
                    step.what
                );
                one += usize::from(count == 1);
                none += usize::from(count == 0);
            }
        }
    }
    assert!(one > 4, "{one} runs of one instance, {none} of none");
}

#[test]
fn which_one_runs_follows_from_the_first_condition_that_holds() {
    let text = |conditions: [&str; 2]| {
        format!(
            "pipeline p(a: buffer<u8, 1>, n: i32) -> out: buffer<u8, 1> {{ func out(x) = a(x) + 1; \
                }}
             schedule s for p {{
                 out.specialize({}) {{ out.unroll(x, 2); }}
                 out.specialize({}) {{ out.split(x, xo, xi, 4); }}
             }}",
            conditions[0], conditions[1]
        )
    };
    // Conditions that exclude one another, that hold together, and that never hold: still exactly
    // one instance runs.
    for conditions in [["n < 0", "n >= 0"], ["n < 100", "n < 1000"], ["n < n", "n > n"]] {
        let module = parse(&text(conditions));
        let mut step = legal_steps(&module).pop().unwrap();
        let program = complete(&mut step.pool, &step.lowered, Engine::Default).unwrap();
        let funcs = specialized(&step.pool, &program);
        let mut ran = 0;
        for known in known(&module, 5, 12) {
            if known.case.windows.iter().flatten().all(|(_, extent)| *extent > 0) {
                assert_eq!(active(&mut step.pool, &program, funcs[0], &known), 1, "{conditions:?}");
                ran += 1;
            }
        }
        assert!(ran > 3, "{ran}");
    }
}

/// Checks that two specializations that run one after the other, which no schedule makes, are
/// detected.
#[test]
fn two_that_run_would_be_seen() {
    let module = parse(
        "pipeline p(a: buffer<u8, 1>, n: i32) -> out: buffer<u8, 1> { func out(x) = a(x) + 1; }
         schedule s for p { out.specialize(n > 0) { out.unroll(x, 2); } }",
    );
    let mut step = legal_steps(&module).pop().unwrap();
    let program = complete(&mut step.pool, &step.lowered, Engine::Default).unwrap();
    let func = specialized(&step.pool, &program)[0];
    let body = rewrite(&mut step.pool, program.body, &|pool, _, stmt| {
        let Stmt::If { then_branch, else_branch: Some(branch), .. } = stmt else { return None };
        Some(pool.stmt(Stmt::Block(vec![*then_branch, *branch])))
    });
    let both = Program { body, ..program };
    let known = known(&module, 5, 12);
    let counts: Vec<usize> =
        known.iter().map(|known| active(&mut step.pool, &both, func, known)).collect();
    assert!(counts.contains(&2), "{counts:?}");
}
