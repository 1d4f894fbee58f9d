//! Tests FS Lemma 6.2: the loops of a func dominate every statement that reads it, and its
//! allocation dominates both.

use halidom_ir::{BufferKind, Expr, ExprId, FuncId, FuncKind, Label, Pool, Program, Stmt, StmtId};
use halidom_schedule::with_holes;
use halidom_testgen::sampled;

use super::common::{legal_steps, parse, random, rewrite};

/// The facts that hold at a statement.
#[derive(Clone, Default)]
struct Scope {
    /// Funcs whose loops precede it on every path.
    computed: Vec<FuncId>,
    /// Funcs whose allocation encloses it.
    allocated: Vec<FuncId>,
    /// The funcs whose loops enclose it, the innermost last: such a func reads its own earlier
    /// stages.
    within: Vec<FuncId>,
}

struct Walk<'a> {
    pool: &'a Pool,
    reads: usize,
    broken: Vec<String>,
}

impl Walk<'_> {
    /// Visits a statement. Returns the funcs that are computed once it has run, on every path
    /// through it.
    fn stmt(&mut self, stmt: StmtId, scope: &Scope) -> Vec<FuncId> {
        match self.pool.get_stmt(stmt).clone() {
            Stmt::Block(stmts) => {
                let mut scope = scope.clone();
                for stmt in stmts {
                    scope.computed = self.stmt(stmt, &scope);
                }
                scope.computed
            }
            Stmt::Let { value, body, .. } => {
                self.reads(value, scope);
                self.stmt(body, scope)
            }
            Stmt::If { condition, then_branch, else_branch } => {
                self.reads(condition, scope);
                let taken = self.stmt(then_branch, scope);
                let other = match else_branch {
                    Some(branch) => self.stmt(branch, scope),
                    None => scope.computed.clone(),
                };
                taken.into_iter().filter(|func| other.contains(func)).collect()
            }
            Stmt::For { min, extent, body, .. } => {
                self.reads(min, scope);
                self.reads(extent, scope);
                // The loop may have no iterations.
                self.stmt(body, scope);
                scope.computed.clone()
            }
            Stmt::Allocate { buffer, body } => {
                let mut inner = scope.clone();
                inner.allocated.push(self.pool.buffer(buffer).func);
                self.stmt(body, &inner)
            }
            Stmt::Labeled { label: Label::Func { func, .. }, body } => {
                let mut inner = scope.clone();
                inner.within.push(func);
                self.stmt(body, &inner);
                let is_output = self
                    .pool
                    .buffers()
                    .any(|(_, buffer)| buffer.func == func && buffer.kind == BufferKind::Output);
                if !is_output && !scope.allocated.contains(&func) {
                    let name = &self.pool.func(func).name;
                    self.broken.push(format!("{name} is computed where it is not allocated"));
                }
                let mut computed = scope.computed.clone();
                computed.push(func);
                computed
            }
            Stmt::Labeled { label: Label::Stage { .. }, body } => {
                self.stmt(body, scope);
                scope.computed.clone()
            }
            Stmt::Labeled {
                label: Label::Partition(_) | Label::Ahead { .. } | Label::Prefetch { .. },
                body,
            } => self.stmt(body, scope),
            Stmt::Provide { coords, values, .. } => {
                for part in coords.iter().chain(values.iter()) {
                    self.reads(*part, scope);
                }
                scope.computed.clone()
            }
            Stmt::Assert { .. } | Stmt::Store { .. } => scope.computed.clone(),
        }
    }

    fn reads(&mut self, expr: ExprId, scope: &Scope) {
        let mut funcs = Vec::new();
        self.pool.for_each_subexpr(expr, &mut |_, expr| {
            if let Expr::Ref { func, .. } = expr {
                funcs.push(*func);
            }
        });
        for func in funcs {
            if matches!(self.pool.func(func).kind, FuncKind::Input { .. }) {
                continue;
            }
            self.reads += 1;
            if !scope.computed.contains(&func) && scope.within.last() != Some(&func) {
                let name = &self.pool.func(func).name;
                self.broken.push(format!("{name} is read where it is not computed"));
            }
        }
    }
}

/// Returns the number of reads of funcs in a program, and the violations of the lemma.
fn dominated(pool: &Pool, program: &Program) -> (usize, Vec<String>) {
    let mut walk = Walk { pool, reads: 0, broken: Vec::new() };
    walk.stmt(program.body, &Scope::default());
    (walk.reads, walk.broken)
}

#[test]
fn lemma_6_2_loops_and_allocations_dominate_uses() {
    let (mut steps, mut reads) = (0, 0);
    for seed in sampled(2000..2150, 6) {
        for mut step in legal_steps(&random(seed)) {
            let program = with_holes(&mut step.pool, &step.lowered);
            let (found, broken) = dominated(&step.pool, &program);
            assert!(broken.is_empty(), "{broken:?} {}", step.what);
            reads += found;
            steps += 1;
        }
    }
    assert!(steps > 100 && reads > 300, "{steps} steps, {reads} reads");
}

#[test]
fn programs_against_the_lemma_would_be_seen() {
    let module = parse(
        "pipeline p(a: buffer<u8, 1>) -> out: buffer<u8, 1> {
             func f(x) = a(x) + 1;
             func out(x) = f(x) + f(x + 1);
         }
         schedule s for p { f.compute_at(out, x); }",
    );
    let mut step = legal_steps(&module).pop().unwrap();
    let program = with_holes(&mut step.pool, &step.lowered);
    assert_eq!(dominated(&step.pool, &program), (2, Vec::new()));
    // Without its loops, without its allocation, or with its loops under a condition.
    let broken = |pool: &mut Pool, change: &dyn Fn(&mut Pool, StmtId, &Stmt) -> Option<StmtId>| {
        let body = rewrite(pool, program.body, change);
        dominated(pool, &Program { body, ..program.clone() }).1
    };
    let func = step.pool.funcs().find(|(_, decl)| decl.name == "f").unwrap().0;
    let of_f = move |stmt: &Stmt| {
        let Stmt::Labeled { label: Label::Func { func: labelled, .. }, .. } = stmt else {
            return false;
        };
        *labelled == func
    };
    let pool = &mut step.pool;
    let without_loops =
        broken(pool, &|pool, _, stmt| of_f(stmt).then(|| pool.stmt(Stmt::Block(Vec::new()))));
    assert_eq!(without_loops, ["f is read where it is not computed"; 2]);
    let without_memory = broken(pool, &|_, _, stmt| {
        if let Stmt::Allocate { body, .. } = stmt { Some(*body) } else { None }
    });
    assert_eq!(without_memory, ["f is computed where it is not allocated"]);
    let conditional = broken(pool, &|pool, id, stmt| {
        let condition = pool.constant(halidom_ir::Constant::bool(true));
        of_f(stmt).then(|| pool.stmt(Stmt::If { condition, then_branch: id, else_branch: None }))
    });
    assert_eq!(conditional, ["f is read where it is not computed"; 2]);
}
