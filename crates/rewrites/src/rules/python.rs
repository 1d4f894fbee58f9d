//! Expressions of TVM's IR in Python.

use super::pattern::{Op, Pattern};
use super::read::Rule;
use super::value::{Domain, Number};

/// The values and types of a rule's names.
type Values = [(String, Domain, Number)];

/// Returns Python that builds the input of a counterexample, to be pasted into a test of TVM.
pub(super) fn snippet(rule: &Rule, values: &Values, expected: Number, got: &str) -> String {
    let mut lines = declarations(values);
    lines.push(format!("before = {}  # {expected}", expression(&rule.lhs, values)));
    lines.push(format!(
        "after = Analyzer().rewrite_simplify(before)  # by this rule {}, which is {got}",
        rule.rhs
    ));
    lines.join("\n")
}

/// Returns Python that builds an input on which TVM divides by 0.
pub(super) fn crash(rule: &Rule, values: &Values, division: &str) -> String {
    let mut lines = declarations(values);
    lines.push(format!("before = {}", expression(&rule.lhs, values)));
    lines.push(format!("after = Analyzer().rewrite_simplify(before)  # computes {division}"));
    lines.join("\n")
}

/// Returns the beginning of a snippet.
fn declarations(values: &Values) -> Vec<String> {
    let mut lines = vec![
        "from tvm import tirx".to_owned(),
        "from tvm.sym import Analyzer  # tvm.arith in older versions".to_owned(),
    ];
    for (name, domain, value) in values {
        lines.extend(declaration(name, *domain, *value).map(|line| format!("{line}  # {value}")));
    }
    lines
}

/// Returns the declaration of a name of a rule; `None` for other variables of the claim.
pub(crate) fn declaration(name: &str, domain: Domain, value: Number) -> Option<String> {
    let is_name = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    if !is_name || name == "lanes" {
        return None;
    }
    Some(if name.starts_with('c') {
        format!("{name} = {}", literal(domain, value))
    } else {
        format!("{name} = tirx.Var(\"{name}\", \"{}\")", ty(domain))
    })
}

/// Returns a type's name in TVM.
fn ty(domain: Domain) -> String {
    match domain {
        Domain::Real => "float32".to_owned(),
        domain => domain.to_string(),
    }
}

pub(crate) fn literal(domain: Domain, value: Number) -> String {
    match (domain, value.denominator) {
        (Domain::Real, denominator) => {
            format!("tirx.FloatImm(\"float32\", {} / {denominator})", value.numerator)
        }
        _ => format!("tirx.IntImm(\"{}\", {value})", ty(domain)),
    }
}

/// Returns a pattern as Python that builds the node.
pub(crate) fn expression(pattern: &Pattern, values: &Values) -> String {
    built(pattern, values, Domain::Whole)
}

/// Returns the type of the first name in a pattern.
fn domain_of(pattern: &Pattern, values: &Values) -> Option<Domain> {
    let mut found = None;
    pattern.visit(&mut |part| {
        if let Pattern::Wild(name) | Pattern::Constant(name) = part {
            let known = values.iter().find(|(known, ..)| known == name);
            found = found.or_else(|| known.map(|(_, domain, _)| *domain));
        }
    });
    found
}

fn built(pattern: &Pattern, values: &Values, domain: Domain) -> String {
    let (op, parts) = match pattern {
        Pattern::Int(value) => return literal(domain, Number::whole((*value).into())),
        Pattern::Bool(value) => {
            return literal(Domain::Bool, Number::whole(i128::from(*value)));
        }
        Pattern::Lanes(name) => {
            let known = values.iter().find(|(known, ..)| known == name);
            let count = known.map_or(0, |(.., count)| count.numerator);
            return if count > 1 { count.to_string() } else { "4".to_owned() };
        }
        Pattern::Apply(op, parts) => (*op, parts),
        other => return other.to_string(),
    };
    // Numbers have the type of the operand beside them.
    let inner = parts.iter().find_map(|part| domain_of(part, values)).unwrap_or(domain);
    let parts: Vec<String> = parts.iter().map(|part| built(part, values, inner)).collect();
    format!("{}({})", constructor(op), parts.join(", "))
}

fn constructor(op: Op) -> String {
    let name = match op {
        Op::Add => "Add",
        Op::Sub => "Sub",
        Op::Mul => "Mul",
        Op::TruncDiv => "Div",
        Op::TruncMod => "Mod",
        Op::FloorDiv => "FloorDiv",
        Op::FloorMod => "FloorMod",
        Op::Min => "Min",
        Op::Max => "Max",
        Op::Lt => "LT",
        Op::Le => "LE",
        Op::Gt => "GT",
        Op::Ge => "GE",
        Op::Eq => "EQ",
        Op::Ne => "NE",
        Op::And => "And",
        Op::Or => "Or",
        Op::Not => "Not",
        Op::Select => "Select",
        Op::Broadcast => "Broadcast",
        Op::Ramp => "Ramp",
        other => return format!("unknown_{other:?}"),
    };
    format!("tirx.{name}")
}
