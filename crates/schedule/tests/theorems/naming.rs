//! Tests FS Lemmas 6.1 and A.1: a loop is identified by its func, specialization, stage and
//! variable.

use halidom_base::IndexMap;
use halidom_ir::{Label, Pool, Program, Stmt, StmtId, VarId};
use halidom_schedule::{Phase, with_holes};
use halidom_testgen::sampled;

use super::common::{Step, legal_steps, parse, random};

/// The identity of a loop: func, specialization, stage and name. Beyond FS, it includes the
/// enclosing instances: a func that is computed at a loop of several specializations has loops in
/// each of them, and only one of these runs (Lemma 8.2).
type Identity = (Vec<Instance>, String);
/// A func's name, specialization and stage; the enclosing instances come first, the loop's own
/// last.
type Instance = (String, usize, usize);

/// Returns the loops of a program, grouped by their identities.
fn loops(pool: &Pool, program: &Program) -> IndexMap<Identity, Vec<VarId>> {
    let mut found = IndexMap::default();
    collect(pool, program.body, &mut Vec::new(), &mut found);
    found
}

fn collect(
    pool: &Pool,
    stmt: StmtId,
    owners: &mut Vec<Instance>,
    found: &mut IndexMap<Identity, Vec<VarId>>,
) {
    let stmt = pool.get_stmt(stmt);
    let instance =
        if let Stmt::Labeled { label: Label::Stage { func, stage, specialization }, .. } = stmt {
            Some((pool.func(*func).name.clone(), *specialization, *stage))
        } else {
            None
        };
    let depth = owners.len();
    owners.extend(instance);
    for child in stmt.children() {
        collect(pool, child, owners, found);
    }
    owners.truncate(depth);
    if let Stmt::For { var, .. } = stmt {
        assert!(!owners.is_empty(), "a loop belongs to a stage");
        let name = pool.var(*var).name.clone();
        found.entry((owners.clone(), name)).or_default().push(*var);
    }
}

/// Checks a step. Returns the number of its loops.
fn named_apart(step: &mut Step) -> usize {
    let program = with_holes(&mut step.pool, &step.lowered);
    let loops = loops(&step.pool, &program);
    for (identity, vars) in &loops {
        assert_eq!(vars.len(), 1, "{identity:?} names several loops {}", step.what);
    }
    let mut vars: Vec<VarId> = loops.values().flatten().copied().collect();
    vars.sort_unstable();
    vars.dedup();
    assert_eq!(vars.len(), loops.len(), "a variable is bound twice {}", step.what);
    loops.len()
}

#[test]
fn lemma_6_1_loops_are_identified_by_func_specialization_stage_and_name() {
    let (mut steps, mut loops, mut specialized) = (0, 0, 0);
    for seed in sampled(0..150, 6) {
        for mut step in legal_steps(&random(seed)) {
            loops += named_apart(&mut step);
            specialized += usize::from(step.phase == Some(Phase::Specialization));
            steps += 1;
        }
    }
    assert!(steps > 150 && loops > 3 * steps && specialized > 3, "{steps} {loops} {specialized}");
}

#[test]
fn lemma_a_1_the_loop_phase_keeps_names_apart() {
    let mut after = 0;
    for seed in sampled(1000..1150, 6) {
        for mut step in legal_steps(&random(seed)) {
            if step.phase == Some(Phase::Loops) {
                named_apart(&mut step);
                after += 1;
            }
        }
    }
    assert!(after > 60, "{after} loop directives");
}

#[test]
#[should_panic(expected = "names several loops")]
fn two_loops_of_one_name_would_be_seen() {
    // Two funcs never share a name; two loops of one stage with one name are made here by hand.
    let module = parse(
        "pipeline p(a: buffer<u8, 2>) -> f: buffer<u8, 2> { func f(x, y) = a(x, y); }
         schedule s for p { f.split(x, xo, xi, 4); }",
    );
    let mut step = legal_steps(&module).pop().unwrap();
    let program = with_holes(&mut step.pool, &step.lowered);
    let names: Vec<String> = loops(&step.pool, &program).into_keys().map(|key| key.1).collect();
    assert_eq!(names.len(), 3);
    let doubled = step.pool.stmt(Stmt::Block(vec![program.body, program.body]));
    let doubled = Program { body: doubled, ..program };
    for (identity, vars) in loops(&step.pool, &doubled) {
        assert_eq!(vars.len(), 1, "{identity:?} names several loops");
    }
}
