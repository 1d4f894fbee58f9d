//! IR of a counterexample as C++, for a program that asks a compiled compiler.

use crate::rules::{Counterexample, Domain, Number, Rule, cpp_type, is_wildcard};

/// IR in C++, with the values on which the defect was replayed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Built {
    /// The names in the IR.
    pub names: Vec<Named>,
    /// C++ that builds the input from the names.
    pub before: String,
    /// C++ that builds what the rule makes of it, if C++ builds it.
    pub after: Option<String>,
    /// The number of lanes that `lanes` stands for.
    pub lanes: Option<i128>,
}

/// A name in the IR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// Its type, in C++.
    pub ty: String,
    /// Its value: digits, or a quotient of floats.
    pub value: String,
    /// True if it stands for a literal, and not for an expression of any shape.
    pub is_literal: bool,
}

/// Returns the IR of a rule's counterexample. Returns `None` for rules over vectors and for
/// expressions that C++ does not build as they are written.
pub fn built(rule: &Rule, counterexample: &Counterexample) -> Option<Built> {
    let values = &counterexample.values;
    let before = rule.lhs.to_string();
    if !is_plain(&before, values, &[]) {
        return None;
    }
    let after = rule.rhs.to_string();
    let is_known = is_plain(&after, values, &["fold"]) && counterexample.got.is_some();
    let mut names = Vec::new();
    for (name, domain, value) in values {
        let is_literal = name.starts_with('c');
        if !is_literal && !is_wildcard(name) {
            return None;
        }
        let ty = cpp_type(*domain);
        names.push(Named { name: name.clone(), ty, value: value.in_cpp(), is_literal });
    }
    Some(Built { names, before, after: is_known.then_some(after), lanes: None })
}

impl Number {
    /// Returns the number as C++ writes it.
    pub fn in_cpp(self) -> String {
        match self.denominator {
            1 => self.to_string(),
            // A quotient of integers would be rounded.
            denominator => format!("{}.0 / {denominator}", self.numerator),
        }
    }
}

/// Tests whether C++ builds an expression as it is written: it has scalar operators, numbers, and
/// names with values.
pub(crate) fn is_plain(text: &str, values: &[(String, Domain, Number)], also: &[&str]) -> bool {
    let mut words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.all(|word| {
        values.iter().any(|(name, ..)| name == word)
            || word.chars().all(|letter| letter.is_ascii_digit())
            || ["min", "max", "select"].contains(&word)
            || also.contains(&word)
    })
}

impl Built {
    /// Returns lines of C++ that declare the names.
    pub fn declarations(&self) -> Vec<String> {
        let line = |named: &Named| {
            let Named { name, ty, value, is_literal } = named;
            if *is_literal {
                format!("Expr {name} = make_const({ty}, {value});")
            } else {
                format!("Expr {name} = Variable::make({ty}, \"{name}\"); // {value}")
            }
        };
        self.names.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::rules;

    fn of(rule: &str, values: &[(&str, i128)]) -> Option<Built> {
        let text = format!(
            "Expr Simplify::visit(const Add *op, ExprInfo *info) {{ auto rewrite = \
                IRMatcher::rewriter(IRMatcher::add(a, b), op->type); if ({rule}) {{ return \
                rewrite.result; }} }}"
        );
        let file = halidom_cpp::parse(&text).expect("it is C++");
        let found = rules(&file).into_iter().next().expect("it has a rule");
        let named = |(name, value): &(&str, i128)| {
            ((*name).to_owned(), Domain::Signed(8), Number::whole(*value))
        };
        let counterexample = Counterexample {
            values: values.iter().map(named).collect(),
            assignment: Vec::new(),
            expected: Number::whole(0),
            got: Some(Number::whole(1)),
        };
        built(&found.rule.expect("the rule is understood"), &counterexample)
    }

    #[test]
    fn ir_has_names_with_types_and_values() {
        let built = of("rewrite(x + c0, x + fold(c0 + 1))", &[("x", -3), ("c0", 2)]);
        let built = built.expect("C++ builds it");
        assert_eq!(built.before, "(x + c0)");
        assert_eq!(built.after.as_deref(), Some("(x + fold((c0 + 1)))"));
        let lines =
            ["Expr x = Variable::make(Int(8), \"x\"); // -3", "Expr c0 = make_const(Int(8), 2);"];
        assert_eq!(built.declarations(), lines);
    }

    #[test]
    fn ir_over_vectors_is_not_built() {
        let values = [("x", 1), ("y", 2), ("c0", 4)];
        assert_eq!(of("rewrite(broadcast(x, c0) + y, y)", &values), None);
        let built = of("rewrite(x + y, broadcast(x, c0))", &values).expect("C++ builds the input");
        assert_eq!(built.after, None);
    }
}
