//! The C of a derivation against the meaning of its source program, element by element, on sizes that its conditions allow.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use crate::interpret::{InterpretError, Tensor, interpret};
use crate::lower;
use crate::program::{Element, Program};
use crate::prover::{compare, evaluate};
use crate::term::{Pred, Var};

/// What came of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Every element is the same, at so many sizes.
    Equal(usize),
    /// The first sizes at which something differs.
    Different(String),
    /// The program is not one of integers.
    NotCompared(String),
}

/// The C could not be compiled or run.
#[derive(Debug, thiserror::Error)]
pub enum NativeError {
    /// A file or a program.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The C compiler refuses the text, or the program fails.
    #[error("{0}")]
    Failed(String),
}

/// At how many sizes to compare.
const CASES: usize = 48;
/// The sizes that are tried: none, one, primes, numbers with divisors.
const SIZES: [i64; 8] = [0, 1, 2, 3, 4, 5, 7, 8];
/// Larger tensors are left out.
const MAX_ELEMENTS: i64 = 5_000;

/// Compares the C function of a derivation with its source program.
pub fn compare_with_source(
    program: &Program,
    function: &str,
    compiler: &str,
    folder: &Path,
) -> Result<Comparison, NativeError> {
    let element = program.element();
    if matches!(element, Element::F32 | Element::F64) {
        return Ok(Comparison::NotCompared("floating point".to_owned()));
    }
    let cases = cases(program);
    let mut expected = String::new();
    let mut state = Random(1);
    let mut main =
        String::from("#include <stdio.h>\n\nint main(void)\n{\n    uint64_t state = 1;\n");
    main.push_str("#define NEXT (state = state * 6364136223846793005u + 1442695040888963407u)\n");
    for sizes in &cases {
        let inputs: Vec<Tensor> = match tensors(program, sizes, &mut state, element) {
            Some(inputs) => inputs,
            None => continue,
        };
        let value = match interpret(program, &program.body, sizes, &inputs) {
            Ok(value) => value,
            Err(error @ (InterpretError::NotInteger(_) | InterpretError::Overflow)) => {
                return Ok(Comparison::NotCompared(error.to_string()));
            }
        };
        for element in &value.elements {
            let _ = write!(expected, "{element} ");
        }
        expected.push('\n');
        call(&mut main, program, sizes, &inputs, value.elements.len(), element);
    }
    main.push_str("    return 0;\n}\n");
    let source = folder.join("compare.c");
    let binary = folder.join("compare");
    fs::write(&source, format!("{}\n{main}", lower::unit(element, function)))?;
    let built = Command::new(compiler)
        .args(["-O1", "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function"])
        .args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-o"])
        .arg(&binary)
        .arg(&source)
        .output()?;
    if !built.status.success() {
        return Err(NativeError::Failed(String::from_utf8_lossy(&built.stderr).into_owned()));
    }
    let ran = Command::new(&binary).output()?;
    if !ran.status.success() {
        let words =
            String::from_utf8_lossy(&ran.stderr).lines().take(4).collect::<Vec<_>>().join("; ");
        return Ok(Comparison::Different(format!("the program fails: {words}")));
    }
    let found = String::from_utf8_lossy(&ran.stdout).into_owned();
    for ((wanted, found), sizes) in expected.lines().zip(found.lines()).zip(&cases) {
        if wanted.trim() != found.trim() {
            return Ok(Comparison::Different(named(program, sizes)));
        }
    }
    if expected.lines().count() != found.lines().count() {
        return Ok(Comparison::Different("the program ended early".to_owned()));
    }
    Ok(Comparison::Equal(cases.len()))
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0
    }
}

fn named(program: &Program, sizes: &[i64]) -> String {
    let parts: Vec<String> =
        program.sizes.iter().zip(sizes).map(|(var, size)| format!("{var} = {size}")).collect();
    parts.join(", ")
}

/// Sizes that satisfy the program's conditions: all small ones first, then a sample.
fn cases(program: &Program) -> Vec<Vec<i64>> {
    let mut found: Vec<Vec<i64>> = Vec::new();
    let mut random = Random(7);
    let count = program.sizes.len();
    for attempt in 0..20_000_usize {
        if found.len() == CASES {
            break;
        }
        let sizes: Vec<i64> = (0..count)
            .map(|place| {
                // The first attempts give every size the same value, then one size another.
                let equal = SIZES[attempt % SIZES.len()];
                if attempt < SIZES.len() {
                    equal
                } else {
                    let choice = (random.next() >> 33) as usize;
                    if attempt < 200 && place == attempt % count.max(1) {
                        equal
                    } else {
                        SIZES[choice % SIZES.len()]
                    }
                }
            })
            .collect();
        let value =
            |var: &Var| program.sizes.iter().position(|size| size == var).map(|place| sizes[place]);
        let holds = program.hypotheses.iter().all(|pred| holds(pred, &value));
        let small =
            program.inputs.iter().map(|input| &input.shape).chain([&program.shape]).all(|shape| {
                let product = shape.dims.iter().try_fold(1_i64, |product, dim| {
                    product.checked_mul(evaluate(dim, &value)?.max(0))
                });
                product.is_some_and(|product| product <= MAX_ELEMENTS)
            });
        if holds && small && !found.contains(&sizes) {
            found.push(sizes);
        }
    }
    found
}

fn holds(pred: &Pred, value: &dyn Fn(&Var) -> Option<i64>) -> bool {
    match pred {
        Pred::Known(known) => *known,
        Pred::Var(_) => false,
        Pred::And(both) => holds(&both.0, value) && holds(&both.1, value),
        Pred::Compare(relation, a, b) => evaluate(a, value)
            .zip(evaluate(b, value))
            .is_some_and(|(a, b)| compare(*relation, a, b)),
    }
}

/// The next input element. The C below computes the same.
fn element_of(random: &mut Random, element: Element) -> i64 {
    let bits = random.next();
    match element {
        Element::I32 | Element::F32 | Element::F64 => i64::from((bits >> 32) as u32 as i32),
        Element::I64 => bits as i64,
        Element::MinPlus => (bits >> 40) as i64,
    }
}

fn tensors(
    program: &Program,
    sizes: &[i64],
    random: &mut Random,
    element: Element,
) -> Option<Vec<Tensor>> {
    let value =
        |var: &Var| program.sizes.iter().position(|size| size == var).map(|place| sizes[place]);
    program
        .inputs
        .iter()
        .map(|input| {
            let sizes = input
                .shape
                .dims
                .iter()
                .map(|dim| evaluate(dim, &value))
                .collect::<Option<Vec<i64>>>()?;
            let count: usize = sizes.iter().map(|size| (*size).max(0) as usize).product();
            let elements = (0..count).map(|_| element_of(random, element)).collect();
            Some(Tensor { sizes, elements })
        })
        .collect()
}

fn call(
    main: &mut String,
    program: &Program,
    sizes: &[i64],
    inputs: &[Tensor],
    results: usize,
    element: Element,
) {
    let next = match element {
        Element::I32 | Element::F32 | Element::F64 => "(elem)(int32_t)(uint32_t)(NEXT >> 32)",
        Element::I64 => "(elem)NEXT",
        Element::MinPlus => "(elem)(NEXT >> 40)",
    };
    main.push_str("    {\n");
    let mut arguments: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    for (number, input) in inputs.iter().enumerate() {
        let count = input.elements.len();
        let _ = writeln!(main, "        elem *in{number} = atl_new({count});");
        let _ =
            writeln!(main, "        for (int64_t i = 0; i < {count}; i++) in{number}[i] = {next};");
        arguments.push(format!("in{number}"));
    }
    let _ = writeln!(main, "        elem *result = atl_new({results});");
    // The function must not rely on what the output holds.
    let _ = writeln!(main, "        for (int64_t i = 0; i < {results}; i++) result[i] = (elem)77;");
    arguments.push("result".to_owned());
    let name = crate::certificate::c_function_name(&program.name);
    let _ = writeln!(main, "        {name}({});", arguments.join(", "));
    let _ = writeln!(
        main,
        "        for (int64_t i = 0; i < {results}; i++) printf(\"%lld \", (long long)result[i]);"
    );
    let _ = writeln!(main, "        printf(\"\\n\");");
    for number in 0..inputs.len() {
        let _ = writeln!(main, "        atl_free(in{number});");
    }
    main.push_str("        atl_free(result);\n    }\n");
}
