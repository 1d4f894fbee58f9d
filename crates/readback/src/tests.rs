//! Lifted terms against a C compiler, on random expressions of C's grammar. The printer writes few
//! of them.

use std::fmt::Write as _;
use std::process::Command;

use halidom_base::FxHashMap;
use halidom_ir::{Constant, Pool, Scalar, Type, UnaryOp, VarId, eval};

use crate::lift::{Binding, Lift, Scope};
use crate::parse::parse;
use crate::syntax::Action;
use crate::term::{Ring, Term, TermId};
use crate::terms::{Terms, binary_op, ring_op};

/// Random numbers, the same in every run: `SplitMix64`, as in the crate `testgen`, which this crate
/// does not see.
struct Random {
    state: u64,
}

impl Random {
    fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.bits() % bound as u64) as usize
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn any(&mut self, items: &[&str]) -> String {
        items[self.below(items.len())].to_owned()
    }
}

/// The variables of the expressions: their names in C, and their types.
const VARIABLES: &[(&str, Scalar)] = &[
    ("t", Scalar::Bool),
    ("a", Scalar::I8),
    ("b", Scalar::I16),
    ("c", Scalar::I32),
    ("d", Scalar::I64),
    ("m", Scalar::U8),
    ("n", Scalar::U16),
    ("p", Scalar::U32),
    ("q", Scalar::U64),
    ("y", Scalar::F64),
];

/// Literals near the ends of C's types.
const LITERALS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "7",
    "8",
    "255",
    "256",
    "65535",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "0u",
    "1u",
    "5u",
    "31u",
    "2147483648u",
    "4294967295u",
    "4294967296u",
    "18446744073709551615u",
    "0.5",
    "3.0",
];

const BINARY: &[&str] =
    &["+", "-", "*", "/", "%", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=", "&&", "||"];

const CASTS: &[(&str, Scalar)] = &[
    ("int8_t", Scalar::I8),
    ("int16_t", Scalar::I16),
    ("int32_t", Scalar::I32),
    ("int64_t", Scalar::I64),
    ("uint8_t", Scalar::U8),
    ("uint16_t", Scalar::U16),
    ("uint32_t", Scalar::U32),
    ("uint64_t", Scalar::U64),
    ("double", Scalar::F64),
];

/// The number of expressions, and of assignments to the variables for each.
const EXPRESSIONS: usize = 2_500;
const ASSIGNMENTS: usize = 6;

/// Returns a random expression. Parentheses are left out now and then, so that precedence counts.
fn expression(random: &mut Random, depth: usize) -> String {
    if depth == 0 || random.chance(17) {
        return if random.chance(45) {
            random.any(LITERALS)
        } else {
            let (name, _) = VARIABLES[random.below(VARIABLES.len())];
            name.to_owned()
        };
    }
    let operand = |random: &mut Random| {
        let inner = expression(random, depth - 1);
        if random.chance(75) { format!("({inner})") } else { inner }
    };
    match random.below(10) {
        0 | 1 => {
            let op = random.any(&["-", "~", "!"]);
            format!("{op}{}", operand(random))
        }
        2 => {
            let condition = operand(random);
            format!("{condition} ? {} : {}", operand(random), operand(random))
        }
        3 | 4 => {
            let (name, _) = CASTS[random.below(CASTS.len())];
            format!("({name}){}", operand(random))
        }
        _ => {
            let op = random.any(BINARY);
            format!("{} {op} {}", operand(random), operand(random))
        }
    }
}

/// Computes a term. Returns `None` where exact arithmetic leaves its type.
fn value(terms: &Terms<'_>, id: TermId, given: &FxHashMap<VarId, Constant>) -> Option<Constant> {
    let scalar = terms.ty(id).scalar;
    let exactly = |result: i128| {
        let (low, high) = scalar.range()?;
        (low..=high).contains(&result).then(|| Constant::wrapped(scalar, result))?
    };
    match terms.get(id) {
        Term::Const(constant) => Some(*constant),
        Term::Var(var) => given.get(var).copied(),
        Term::Ring { op, exact, lhs, rhs } => {
            let (a, b) = (value(terms, *lhs, given)?, value(terms, *rhs, given)?);
            if *exact {
                let (a, b) = (a.as_integer()?, b.as_integer()?);
                return exactly(match op {
                    Ring::Add => a + b,
                    Ring::Sub => a - b,
                    Ring::Mul => a.checked_mul(b)?,
                });
            }
            eval::binary(ring_op(*op), a, b).ok()
        }
        Term::Neg { exact, operand } => {
            let a = value(terms, *operand, given)?;
            if *exact {
                return exactly(-a.as_integer()?);
            }
            eval::unary(UnaryOp::Neg(halidom_ir::Overflow::Wraps), a).ok()
        }
        Term::Not(operand) => eval::unary(UnaryOp::Not, value(terms, *operand, given)?).ok(),
        Term::Binary(op, lhs, rhs) => {
            let (a, b) = (value(terms, *lhs, given)?, value(terms, *rhs, given)?);
            eval::binary(binary_op(*op), a, b).ok()
        }
        Term::Select(condition, a, b) => {
            let holds = value(terms, *condition, given)?.as_integer()? == 1;
            value(terms, if holds { *a } else { *b }, given)
        }
        Term::Cast(to, operand) => eval::cast(*to, value(terms, *operand, given)?).ok(),
        Term::Call(..)
        | Term::Load(..)
        | Term::Ramp { .. }
        | Term::Broadcast(..)
        | Term::Shuffle(_) => None,
    }
}

/// Returns a value that is often near an end of its type.
fn sample(random: &mut Random, scalar: Scalar) -> Constant {
    let anything = Constant::wrapped(scalar, i128::from(random.bits()));
    let Some((low, high)) = scalar.range() else {
        return Constant::f64(random.below(7) as f64 / 2.0);
    };
    let near = i128::from(random.bits() % 3);
    let number = match random.below(5) {
        0 => low + near,
        1 => high - near,
        2 | 3 => near - 1,
        _ => return anything.unwrap_or(Constant::zero(scalar)),
    };
    Constant::wrapped(scalar, number).unwrap_or(Constant::zero(scalar))
}

/// Returns C for a value, which is a literal that has its type already.
fn c_value(constant: Constant) -> String {
    match (constant.as_f64(), constant.as_integer()) {
        (Some(float), _) => format!("{float:?}"),
        (None, Some(number)) if number == i128::from(i64::MIN) => {
            "(-9223372036854775807 - 1)".to_owned()
        }
        (None, Some(number)) if number > i128::from(i64::MAX) => format!("{number}u"),
        (None, number) => number.unwrap_or_default().to_string(),
    }
}

/// Returns the line that C prints for a value.
fn printed(constant: Constant) -> String {
    match constant.as_f64() {
        Some(float) if float.is_nan() => "nan".to_owned(),
        Some(float) => format!("{:x}", float.to_bits()),
        None => constant.as_integer().unwrap_or_default().to_string(),
    }
}

const PRINTERS: &str = "#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n\
    static void show_i(int64_t v) { printf(\"%lld\\n\", (long long)v); }\n\
    static void show_u(uint64_t v) { printf(\"%llu\\n\", (unsigned long long)v); }\n\
    static void show_f(double v) {\n    uint64_t bits;\n    memcpy(&bits, &v, 8);\n    \
    if (v != v) printf(\"nan\\n\"); else printf(\"%llx\\n\", (unsigned long long)bits);\n}\n";

/// A program in C, and the lines that it must print with the expressions that they are of.
struct Questions {
    c: String,
    calls: String,
    lines: Vec<(String, String)>,
}

impl Questions {
    /// Asks C for the values of one expression, as assignment to the type gives them. Returns
    /// whether it can be lifted.
    fn ask(
        &mut self,
        random: &mut Random,
        number: usize,
        expression: &str,
        to: (&str, Scalar),
    ) -> bool {
        let text = format!("int f(int64_t unused) {{\nreturn {expression};\n}}\n");
        let file = parse(&text).unwrap_or_else(|_| panic!("{expression}"));
        let Action::Return(node) = &file.functions[0].body[0].action else {
            panic!("{expression}")
        };
        let mut pool = Pool::new();
        let mut scope = Scope::default();
        let variables: Vec<VarId> = VARIABLES
            .iter()
            .map(|(name, scalar)| {
                let var = pool.declare_var(*name, Type::scalar(*scalar));
                scope.bind(name, Binding::Var(var));
                var
            })
            .collect();
        let mut terms = Terms::new(&pool);
        let mut lift = Lift { text: &text, scope: &scope, terms: &mut terms };
        let Ok(term) = lift.scalar_as(node, to.1) else { return false };
        let parameters: Vec<String> = VARIABLES
            .iter()
            .map(|(name, scalar)| {
                let ty = CASTS.iter().find(|(_, cast)| cast == scalar);
                format!("{} {name}", ty.map_or("uint8_t", |(name, _)| *name))
            })
            .collect();
        let show = if to.1.is_float() {
            "show_f"
        } else if to.1.is_signed() {
            "show_i"
        } else {
            "show_u"
        };
        let (ty, parameters) = (to.0, parameters.join(", "));
        let _ = writeln!(self.c, "static {ty} e{number}({parameters}) {{ return {expression}; }}");
        for _ in 0..ASSIGNMENTS {
            let given: Vec<Constant> =
                VARIABLES.iter().map(|(_, scalar)| sample(random, *scalar)).collect();
            let by_var = variables.iter().copied().zip(given.iter().copied()).collect();
            let Some(expected) = value(&terms, term, &by_var) else { continue };
            let arguments: Vec<String> = given.iter().copied().map(c_value).collect();
            let arguments = arguments.join(", ");
            let _ = writeln!(self.calls, "    {show}(e{number}({arguments}));");
            let question = format!("{ty} <- {expression} at {arguments}");
            self.lines.push((question, printed(expected)));
        }
        true
    }
}

#[test]
fn lifted_expressions_have_the_values_of_c() {
    let mut random = Random { state: 11 };
    let mut asked = Questions { c: PRINTERS.to_owned(), calls: String::new(), lines: Vec::new() };
    let mut lifted = 0;
    for number in 0..EXPRESSIONS {
        let depth = 1 + random.below(4);
        let expression = expression(&mut random, depth);
        // `--` is another operator, which the parser refuses.
        if expression.contains("--") {
            continue;
        }
        let to = CASTS[random.below(CASTS.len())];
        lifted += usize::from(asked.ask(&mut random, number, &expression, to));
    }
    assert!(lifted > EXPRESSIONS / 10, "only {lifted} expressions are lifted");

    let folder = tempfile::tempdir().unwrap();
    let [source, binary] = ["lifted.c", "lifted"].map(|name| folder.path().join(name));
    let (functions, calls) = (&asked.c, &asked.calls);
    let buffered = "    setvbuf(stdout, 0, _IOLBF, 4096);\n";
    let text = format!("{functions}int main(void) {{\n{buffered}{calls}    return 0;\n}}\n");
    std::fs::write(&source, text).unwrap();
    // Undefined behaviour ends the program, and its line is missing.
    let flags = [
        "-O0",
        "-w",
        "-ffp-contract=off",
        "-fsanitize=signed-integer-overflow,shift,integer-divide-by-zero",
        "-fsanitize-undefined-trap-on-error",
        "-o",
    ];
    let compiler = ["clang-19", "clang", "gcc"].into_iter().find(|name| {
        Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success())
    });
    let compiler = compiler.expect("a C compiler");
    let output = Command::new(compiler).args(flags).arg(&binary).arg(&source).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = Command::new(&binary).output().unwrap();
    let got = String::from_utf8_lossy(&output.stdout);
    let mut got = got.lines();
    let mut wrong = String::new();
    for (question, expected) in &asked.lines {
        match got.next() {
            Some(found) if found == expected => {}
            Some(found) => {
                let _ = writeln!(wrong, "{question}: C gives {found}, the term {expected}");
            }
            None => {
                let _ = writeln!(wrong, "{question}: undefined in C, the term gives {expected}");
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
