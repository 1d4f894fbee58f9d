//! Checks our own simplifier's rules with the checker that reads other compilers' rules. This is a
//! second opinion next to the proofs of `halidom-rules`, at the types that both have. A run of all
//! tests checks a share of the rules, a sweep all.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use halidom_ir::Scalar;
use halidom_rewrites::profile::{Language, Profile};
use halidom_rewrites::rules::{At, Context, Domain, Limits, Op, Pattern, Rule, Verdict, verify};
use halidom_rules as own;
use halidom_smt::{Family, Options, Program, Solver};
use halidom_testgen::sampled;

/// The checker's operator. The checker has no shifts, and applies logic only to truth values.
fn operator(op: own::Op) -> Option<Op> {
    Some(match op {
        own::Op::Broadcast => Op::Broadcast,
        own::Op::Ramp => Op::Ramp,
        own::Op::Not => Op::Not,
        own::Op::Neg => Op::Neg,
        own::Op::Add => Op::Add,
        own::Op::Sub => Op::Sub,
        own::Op::Mul => Op::Mul,
        own::Op::Div => Op::Div,
        own::Op::Mod => Op::Mod,
        own::Op::Min => Op::Min,
        own::Op::Max => Op::Max,
        own::Op::And => Op::And,
        own::Op::Or => Op::Or,
        own::Op::Eq => Op::Eq,
        own::Op::Ne => Op::Ne,
        own::Op::Lt => Op::Lt,
        own::Op::Le => Op::Le,
        own::Op::Gt => Op::Gt,
        own::Op::Ge => Op::Ge,
        own::Op::Select => Op::Select,
        own::Op::Xor | own::Op::Shl | own::Op::Shr => return None,
    })
}

fn pattern(of: &own::Pattern) -> Option<Pattern> {
    Some(match of {
        own::Pattern::Var(var) if var.kind == own::VarKind::Constant => {
            Pattern::Constant(var.name.to_owned())
        }
        own::Pattern::Var(var) => Pattern::Wild(var.name.to_owned()),
        own::Pattern::Literal(own::Literal::Number(value)) => Pattern::Int(i64::from(*value)),
        own::Pattern::Literal(own::Literal::Condition(value)) => Pattern::Bool(*value),
        own::Pattern::Literal(own::Literal::NegativeZero) => return None,
        own::Pattern::Apply(op, operands) => {
            let operands = operands.iter().map(pattern).collect::<Option<_>>()?;
            Pattern::Apply(operator(*op)?, operands)
        }
    })
}

/// The rule in the checker's language; `None` if it cannot express the rule.
fn translated(rule: &own::Rule) -> Option<Rule> {
    let conditions = rule.when.iter().map(pattern).collect::<Option<Vec<_>>>()?;
    let predicate = conditions.into_iter().reduce(|a, b| Pattern::Apply(Op::And, vec![a, b]));
    Some(Rule {
        language: Language::IrMatch,
        lhs: pattern(&rule.lhs)?,
        others: Vec::new(),
        rhs: pattern(&rule.rhs)?,
        predicate,
        guards: Vec::new(),
        contracts: Vec::new(),
    })
}

/// The checker's counterpart of our type, if it has one; its floats are reals.
fn domain(scalar: Scalar) -> Option<Domain> {
    Some(match scalar {
        Scalar::Bool => Domain::Bool,
        Scalar::Int => Domain::Whole,
        Scalar::I8 => Domain::Signed(8),
        Scalar::I16 => Domain::Signed(16),
        Scalar::U8 => Domain::Unsigned(8),
        Scalar::U16 => Domain::Unsigned(16),
        Scalar::U32 => Domain::Unsigned(32),
        Scalar::I32 | Scalar::I64 | Scalar::U64 | Scalar::F32 | Scalar::F64 => return None,
    })
}

/// The verdicts at the types that a rule claims.
fn verdicts(rule: &Rule, types: own::Types, solver: &mut Solver) -> Vec<At> {
    let claimed: Vec<Domain> = types.iter().filter_map(domain).collect();
    let profile = Profile::named("halide").unwrap();
    let context = Context { everywhere: Vec::new(), earlier: Vec::new() };
    let mut all = verify(rule, &context, profile, solver, Limits { milliseconds: 2000 });
    all.retain(|at| at.domains.first().is_none_or(|domain| claimed.contains(domain)));
    all
}

fn solver() -> Solver {
    let program = Program::find(Family::Z3, None).expect("Z3; `cargo xtask setup` installs it");
    Solver::open(Options::new(program)).unwrap()
}

#[test]
fn no_rule_of_our_own_is_wrong() {
    let mut solver = solver();
    let (mut verified, mut wrong) = (0, Vec::new());
    let rules = sampled(own::table::RULES.iter(), 6);
    for rule in &rules {
        let Some(translated) = translated(rule) else { continue };
        let verdicts = verdicts(&translated, rule.types, &mut solver);
        wrong.extend(verdicts.iter().filter_map(|at| match &at.verdict {
            Verdict::Wrong(shown) => {
                Some(format!("{} at {:?}: {}", rule.name, at.domains, shown.text()))
            }
            Verdict::Verified
            | Verdict::Undecided(_)
            | Verdict::Unsupported(_)
            | Verdict::Crash(_)
            | Verdict::Vacuous => None,
        }));
        let is_verified = |at: &At| at.verdict == Verdict::Verified;
        verified += usize::from(!verdicts.is_empty() && verdicts.iter().all(is_verified));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // The other rules are about shifts, bits and floats; a few the checker does not decide.
    let all = rules.len();
    assert!(verified * 10 > all * 8, "{verified} of {all} rules are verified");
}

#[test]
fn a_false_rule_is_refuted() {
    let lines = [
        ("sub-right", own::Types::INT, "(- (+ x y) y)", "y", ""),
        ("less", own::Types::SIGNED, "(< x (+ x c))", "true", "(> c 0)"),
    ];
    for rule in own::table::read(&lines) {
        let verdicts = verdicts(&translated(&rule).unwrap(), rule.types, &mut solver());
        let is_wrong = |at: &At| matches!(at.verdict, Verdict::Wrong(_));
        assert!(!verdicts.is_empty() && verdicts.iter().all(is_wrong), "{verdicts:?}");
    }
}
