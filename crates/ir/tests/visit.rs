//! Tests that the traversals of statements agree with one another, on texts with every construct.

use std::convert::Infallible;

use halidom_ir::visit::{self, Fold, Role};
use halidom_ir::{BufferId, ExprId, Pool, Program, Stmt, StmtId, VarId, parse, print};

fn programs() -> Vec<(Pool, Program)> {
    [include_str!("final.ir"), include_str!("holes.ir")]
        .into_iter()
        .map(|text| {
            let module = parse::module(text).expect("the text is read");
            (module.pool, module.program.expect("the text has a program"))
        })
        .collect()
}

/// The statements of a program, in the order of the text.
fn statements(pool: &Pool, program: &Program) -> Vec<(StmtId, Stmt)> {
    let mut all = Vec::new();
    visit::for_each_stmt(pool, program.body, &mut |id, stmt| all.push((id, stmt.clone())));
    assert_eq!(all.len(), visit::count(pool, program.body));
    all
}

#[test]
fn statements_come_in_the_order_of_the_text() {
    fn walk(pool: &Pool, id: StmtId, all: &mut Vec<StmtId>) {
        all.push(id);
        pool.get_stmt(id).children().for_each(|child| walk(pool, child, all));
    }
    for (pool, program) in programs() {
        let mut expected = Vec::new();
        walk(&pool, program.body, &mut expected);
        let found: Vec<StmtId> = statements(&pool, &program).iter().map(|(id, _)| *id).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn what_is_mapped_is_what_is_visited() {
    for (mut pool, program) in programs() {
        let mark = pool.int(77);
        let nothing = pool.stmt(Stmt::Block(Vec::new()));
        let mut roles = Vec::new();
        for (_, stmt) in statements(&pool, &program) {
            let (mut visited, mut mapped) = (Vec::new(), Vec::new());
            stmt.for_each_expr(&pool, &mut |role, expr| visited.push((role, expr)));
            roles.extend(visited.iter().map(|(role, _)| *role));
            // A layout belongs to the declaration of the buffer.
            visited.retain(|(role, _)| *role != Role::Layout);
            let marked = stmt.map_exprs(|role, expr| {
                mapped.push((role, expr));
                mark
            });
            visited.sort_unstable();
            mapped.sort_unstable();
            assert_eq!(mapped, visited);
            marked.for_each_expr(&pool, &mut |role, expr| {
                assert!(role == Role::Layout || expr == mark, "{role:?} stays in {marked:?}");
            });

            let mut children = Vec::new();
            let emptied = stmt.map_children(|child| {
                children.push(child);
                nothing
            });
            assert_eq!(children, stmt.children().collect::<Vec<_>>());
            assert!(emptied.children().all(|child| child == nothing));
        }
        roles.sort_unstable();
        roles.dedup();
        assert!(roles.len() >= 6, "the text has few roles: {roles:?}");
    }
}

struct Same;

impl Fold for Same {}

#[test]
fn a_fold_without_changes_keeps_the_program() {
    for (mut pool, program) in programs() {
        let Ok(same) = visit::rewrite(&mut Same, &mut pool, program.clone());
        assert_eq!(same, program);
    }
}

/// Binds and stores elsewhere.
struct Elsewhere {
    var: VarId,
    buffer: BufferId,
}

impl Fold for Elsewhere {
    fn binder(&mut self, _: VarId) -> VarId {
        self.var
    }

    fn buffer(&mut self, _: BufferId) -> BufferId {
        self.buffer
    }
}

#[test]
fn a_fold_renames_every_binder_and_buffer() {
    for (mut pool, program) in programs() {
        let var = pool.declare_var("elsewhere", halidom_ir::Type::INT);
        let decl = pool.buffer(program.outputs[0].buffers[0]).clone();
        let buffer = pool.declare_buffer(decl);
        let old = statements(&pool, &program);
        let Ok(new) = visit::rewrite(&mut Elsewhere { var, buffer }, &mut pool, program);
        let new = statements(&pool, &new);
        assert_eq!(new.len(), old.len());
        for (_, stmt) in &new {
            assert!(stmt.binder().is_none_or(|bound| bound == var));
            if let Stmt::Store { buffer: stored, .. } | Stmt::Allocate { buffer: stored, .. } = stmt
            {
                assert_eq!(*stored, buffer);
            }
        }
        assert!(new.iter().any(|(_, stmt)| stmt.binder().is_some()));
    }
}

/// Fails at the first condition, and counts the expressions before it.
struct UntilCondition(usize);

impl Fold<ExprId> for UntilCondition {
    fn expr(&mut self, pool: &mut Pool, expr: ExprId) -> Result<ExprId, ExprId> {
        if pool.ty(expr) == halidom_ir::Type::BOOL {
            return Err(expr);
        }
        self.0 += 1;
        Ok(expr)
    }
}

#[test]
fn a_fold_stops_at_its_first_failure() {
    let (mut pool, program) = programs().remove(0);
    let mut fold = UntilCondition(0);
    let failed = visit::rewrite(&mut fold, &mut pool, program.clone());
    let condition = failed.expect_err("the text has a condition");
    let mut all = Vec::new();
    visit::for_each_expr(&pool, program.body, &mut |role, expr| {
        if role == Role::Condition || role == Role::Assertion {
            all.push(expr);
        }
    });
    assert_eq!(Some(&condition), all.first(), "{}", print::expr(&pool, condition));
    let ok: Result<Program, Infallible> = visit::rewrite(&mut Same, &mut pool, program);
    assert!(ok.is_ok_and(|same| visit::count(&pool, same.body) > fold.0));
}
