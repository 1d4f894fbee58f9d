//! The prover of rules.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use halidom_base::FxHashMap;
use halidom_encode::Encoder;
use halidom_ir::{Constant, Expr, ExprId, Pool, Scalar, Type, VarId, eval};
use halidom_rules::{Op, Pattern, Rule, VarKind, VarSort};
use halidom_smt::{Answer, Family, Options, Program, Solver, Sort, TermId, Terms};

/// The solver's answer about a rule for one type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Proved,
    /// The sides differ on some operands.
    Refuted,
    /// The solver gave no answer, or no operands were found that satisfy the conditions. This never
    /// counts as a proof.
    Unknown(String),
}

pub(crate) struct Prover {
    solver: Solver,
}

impl Prover {
    pub(crate) fn new() -> Self {
        let mut options = Options::new(Program::find(Family::Z3, None).unwrap());
        // Each proof takes well under a second on an idle machine.
        options.soft_timeout = std::time::Duration::from_secs(20);
        options.hard_timeout = std::time::Duration::from_secs(25);
        Self { solver: Solver::open(options).unwrap() }
    }

    /// Proves a rule for operands of type `main`: wherever the conditions hold and the left side is
    /// defined, the right side is defined and equal.
    pub(crate) fn prove(&mut self, rule: &Rule, main: Scalar) -> Verdict {
        if !satisfiable(rule, main) {
            return Verdict::Unknown("the conditions may contradict each other".to_owned());
        }
        let mut instance = Instance::new(main);
        let lhs = instance.lane(&rule.lhs);
        let rhs = instance.lane(&rule.rhs);
        let mut premises = Vec::new();
        for condition in &rule.when {
            let condition = instance.lane(condition);
            premises.push(instance.term(condition));
        }
        let lane_in_range = instance.lane_is_not_negative();
        premises.push(lane_in_range);
        premises.push(instance.defined(lhs));
        let (lhs_term, rhs_term) = (instance.term(lhs), instance.term(rhs));
        let rhs_defined = instance.defined(rhs);
        let terms = &mut instance.terms;
        let equal = terms.equal(lhs_term, rhs_term);
        let good = terms.and(&[rhs_defined, equal]);
        premises.push(terms.not(good));
        self.solver.clear();
        for premise in &premises {
            self.solver.assert(terms, *premise);
        }
        match self.solver.check_fresh(terms, rule.name) {
            Answer::Unsat => Verdict::Proved,
            Answer::Sat(_) => Verdict::Refuted,
            Answer::Unknown(reason) => Verdict::Unknown(reason.to_string()),
        }
    }
}

/// Tests whether some small constants satisfy the conditions. A rule whose conditions contradict
/// each other would be proved, and useless.
fn satisfiable(rule: &Rule, main: Scalar) -> bool {
    const NAMES: [&str; 5] = ["c", "c0", "c1", "c2", "c3"];
    let used: Vec<&str> = NAMES
        .into_iter()
        .filter(|name| {
            let mut found = false;
            rule.lhs.for_each_var(&mut |var| found |= var.name == *name);
            found
        })
        .collect();
    // Each number encodes one assignment of 0 to 5 to the constants in its digits.
    (0..6_usize.pow(used.len() as u32)).any(|mut digits| {
        let mut values = FxHashMap::default();
        for name in &used {
            values.insert(*name, Constant::wrapped(main, (digits % 6) as i128));
            digits /= 6;
        }
        rule.when.iter().all(|condition| {
            evaluate(condition, main, &values).and_then(Constant::as_bool) == Some(true)
        })
    })
}

/// Evaluates a pattern over constants.
fn evaluate(
    pattern: &Pattern,
    main: Scalar,
    values: &FxHashMap<&str, Option<Constant>>,
) -> Option<Constant> {
    match pattern {
        Pattern::Var(var) => values.get(var.name).copied().flatten(),
        Pattern::Literal(literal) => literal.value(main),
        Pattern::Apply(op, operands) => {
            let lhs = evaluate(operands.first()?, main, values)?;
            let rhs = evaluate(operands.get(1)?, main, values)?;
            eval::binary(op.binary(main)?, lhs, rhs).ok()
        }
    }
}

/// One lane of a rule's patterns, as expressions over variables of one type.
struct Instance {
    pool: Pool,
    main: Scalar,
    vars: FxHashMap<&'static str, VarId>,
    /// The number of the lane: any number that is not negative.
    lane: VarId,
    encoder: Encoder,
    terms: Terms,
    /// For each variable, a term that is true if its value is defined. Constants are always
    /// defined.
    defined: FxHashMap<VarId, TermId>,
}

impl Instance {
    fn new(main: Scalar) -> Self {
        let mut pool = Pool::new();
        let lane = pool.declare_var("lane", Type::INT);
        let mut terms = Terms::new();
        let always = terms.bool(true);
        let defined = FxHashMap::from_iter([(lane, always)]);
        let (vars, encoder) = (FxHashMap::default(), Encoder::new());
        Self { pool, main, vars, lane, encoder, terms, defined }
    }

    /// The value of the pattern in one lane, as an expression.
    fn lane(&mut self, pattern: &Pattern) -> ExprId {
        match pattern {
            Pattern::Var(var) => {
                let scalar = if var.sort == VarSort::Condition { Scalar::Bool } else { self.main };
                let id = match self.vars.get(var.name) {
                    Some(id) => *id,
                    None => {
                        let id = self.pool.declare_var(var.name, Type::scalar(scalar));
                        self.vars.insert(var.name, id);
                        let defined = if var.kind == VarKind::Constant {
                            self.terms.bool(true)
                        } else {
                            self.terms.fresh("defined", Sort::Bool)
                        };
                        self.defined.insert(id, defined);
                        id
                    }
                };
                self.pool.var_expr(id)
            }
            Pattern::Literal(literal) => {
                let value = literal.value(self.main).unwrap();
                self.pool.constant(value)
            }
            Pattern::Apply(op, operands) => {
                let operands: Vec<ExprId> =
                    operands.iter().map(|operand| self.lane(operand)).collect();
                match (op, operands.as_slice()) {
                    (Op::Broadcast, &[value]) => value,
                    (Op::Ramp, &[base, stride]) => {
                        let lane = self.pool.var_expr(self.lane);
                        let distance = self.pool.mul(lane, stride);
                        self.pool.add(base, distance)
                    }
                    (Op::Select, &[condition, if_true, if_false]) => {
                        self.pool.select(condition, if_true, if_false)
                    }
                    (op, &[operand]) => self.pool.unary(op.unary(self.main).unwrap(), operand),
                    (op, &[lhs, rhs]) => self.pool.binary(op.binary(self.main).unwrap(), lhs, rhs),
                    (op, _) => panic!("{op:?} with {} operands", operands.len()),
                }
            }
        }
    }

    fn term(&mut self, id: ExprId) -> TermId {
        self.encoder.expr(&mut self.terms, &self.pool, id).unwrap()
    }

    fn lane_is_not_negative(&mut self) -> TermId {
        let lane = self.pool.var_expr(self.lane);
        let (lane, zero) = (self.term(lane), self.terms.int(0));
        self.terms.le(zero, lane)
    }

    /// Returns a term that is true if an expression is defined: its operands must be defined,
    /// except the arm that a select does not choose.
    fn defined(&mut self, id: ExprId) -> TermId {
        match self.pool.get(id).clone() {
            Expr::Const(_) => self.terms.bool(true),
            Expr::Var(var) => self.defined[&var],
            Expr::Unary(_, operand) => self.defined(operand),
            Expr::Binary(_, lhs, rhs) => {
                let both = [self.defined(lhs), self.defined(rhs)];
                self.terms.and(&both)
            }
            Expr::Select { condition, if_true, if_false } => {
                let known = self.defined(condition);
                let (if_true, if_false) = (self.defined(if_true), self.defined(if_false));
                let condition = self.term(condition);
                let chosen = self.terms.ite(condition, if_true, if_false);
                self.terms.and(&[known, chosen])
            }
            other @ (Expr::Cast(..)
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Ramp { .. }
            | Expr::Broadcast { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_)) => panic!("a lane of a pattern is not {other:?}"),
        }
    }
}
