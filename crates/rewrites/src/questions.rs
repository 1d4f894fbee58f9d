//! A C++ program that asks a compiled simplifier about examples of rules.
//!
//! A proof or refutation of a rule is about the rule's text. The program checks what the compiler
//! itself does with the left side: it builds the expression, simplifies it, substitutes the values,
//! and compares the result with the expression's value. It links with Halide.

use crate::built::is_plain;
use crate::rules::{Domain, Number, Rule, constant, cpp_type, is_wildcard};

/// A left side of a rule, and values for it.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// The rule's place and the types, for a reader.
    pub place: String,
    /// The rule.
    pub rule: &'a Rule,
    /// True if the rule is refuted on these values, so that the compiler should give another value.
    pub is_wrong: bool,
    /// The values and types of the names.
    pub values: &'a [(String, Domain, Number)],
    /// The value of the left side.
    pub expected: Number,
}

impl Question<'_> {
    /// Returns the C++ function that asks the question; `None` for rules over vectors and for
    /// expressions that C++ does not build as they are written.
    fn call(&self) -> Option<String> {
        let before = self.rule.lhs.to_string();
        if !is_plain(&before, self.values, &[]) {
            return None;
        }
        let (mut made, mut given) = (Vec::new(), Vec::new());
        for (name, domain, value) in self.values {
            if is_wildcard(name) {
                let ty = cpp_type(*domain);
                made.push(format!("Expr {name} = Variable::make({ty}, \"{name}\");"));
                given.push(format!("{{\"{name}\", {}}}", constant(*domain, *value)));
            } else if name.starts_with('c') {
                made.push(format!("Expr {name} = {};", constant(*domain, *value)));
            } else {
                return None;
            }
        }
        let expected = self.expected.in_cpp();
        Some(format!(
            "static void ask_COUNT() {{ {} Expr before = {before}; ask(\"{}\", {}, before, {{{}}}, \
                make_const(before.type(), {expected})); }}",
            made.join(" "),
            self.place,
            self.is_wrong,
            given.join(", ")
        ))
    }
}

/// Returns the program. It prints a line for each verified rule where the compiler changes the
/// value and for each wrong rule where it does not. The last line is
/// `{"verified": [asked, changed], "wrong": [asked, changed], "refused": count}`. Its exit status
/// is 1 if a verified rule changed a value.
pub fn program(questions: &[Question<'_>]) -> String {
    let mut text = PROLOGUE.to_owned();
    let calls: Vec<String> = questions.iter().filter_map(Question::call).collect();
    for (number, call) in calls.iter().enumerate() {
        text.push_str(&call.replacen("ask_COUNT", &["ask_", &number.to_string()].concat(), 1));
        text.push('\n');
    }
    text.push_str("\nint main() {\n");
    for number in 0..calls.len() {
        text.push_str(&["    run(ask_", &number.to_string(), ");\n"].concat());
    }
    text.push_str(EPILOGUE);
    text
}

const PROLOGUE: &str = r#"// Asks a compiled Halide what it makes of examples of its rewrite rules.
#include "Halide.h"
#include <cstdio>
#include <map>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

using namespace Halide;
using namespace Halide::Internal;

static int asked[2], changed[2], refused;

static void ask(const char *place, bool is_wrong, const Expr &before,
                const std::map<std::string, Expr> &values, const Expr &expected) {
    Expr after = simplify(substitute(values, simplify(before)));
    bool differs = !equal(after, expected);
    if (differs != is_wrong) {
        std::ostringstream text;
        text << before << " is " << expected << ", simplified " << simplify(before)
             << ", which is " << after;
        const char *what =
            is_wrong ? "called wrong, and keeps its value" : "verified, and changes its value";
        printf("%s: %s: %s\n", place, what, text.str().c_str());
        fflush(stdout);
    }
    _exit(16 + 2 * is_wrong + differs);
}

// In a process of its own, as the compiler ends one in which it meets what it refuses.
static void run(void (*question)()) {
    pid_t child = fork();
    if (child == 0) {
        fclose(stderr);
        question();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    int answer = WIFEXITED(status) ? WEXITSTATUS(status) - 16 : -1;
    if (answer < 0 || answer > 3) {
        refused += 1;
        return;
    }
    asked[answer / 2] += 1;
    changed[answer / 2] += answer % 2;
}

"#;

const EPILOGUE: &str = r#"    printf("{\"verified\": [%d, %d], \"wrong\": [%d, %d], ",
           asked[0], changed[0], asked[1], changed[1]);
    printf("\"refused\": %d}\n", refused);
    return changed[0] > 0;
}
"#;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;
    use crate::rules;
    use halidom_cpp as cpp;

    fn asked(rule: &str) -> Option<String> {
        let text = format!(
            "Expr Simplify::visit(const Add *op, ExprInfo *info) {{ auto rewrite = \
                IRMatcher::rewriter(IRMatcher::add(a, b), op->type); if ({rule}) {{ return \
                rewrite.result; }} }}"
        );
        let file = cpp::parse(&text).expect("it is C++");
        let found = rules::rules(&file).into_iter().next().expect("it has a rule");
        let rule = found.rule.expect("the rule is understood");
        let profile = Profile::named("halide").expect("there is one");
        let example = rules::example(&rule, profile, &[Domain::Signed(8)])?;
        let question = Question {
            place: "here".to_owned(),
            rule: &rule,
            is_wrong: false,
            values: &example.values,
            expected: example.value,
        };
        let text = program(&[question]);
        Some(text.lines().find(|line| line.starts_with("static void ask_0"))?.to_owned())
    }

    #[test]
    fn an_example_is_built_simplified_and_compared() {
        let call = asked("rewrite(x * c0 + y * c0, (x + y) * c0)").expect("it can be asked");
        assert!(call.contains("Expr before = ((x * c0) + (y * c0));"), "{call}");
        assert!(call.contains("Variable::make(Int(8), \"y\")"), "{call}");
        // A rule that no values reach, and a rule over vectors.
        assert_eq!(asked("rewrite(x + c0, x, c0 != c0)"), None);
        assert_eq!(asked("rewrite(broadcast(x, c0) + y, y + broadcast(x, c0))"), None);
    }
}
