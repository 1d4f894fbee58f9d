//! Compares the C of a derivation with the meaning of its source program, element by element, at
//! sizes that its conditions allow.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use crate::arithmetic::{Arithmetic, Floats, Integers, Magnitudes};
use crate::interpret::{InterpretError, Tensor, interpret_with};
use crate::lower;
use crate::print;
use crate::program::{Element, Program};
use crate::prover::{compare, evaluate};
use crate::term::{Pred, Var};

/// The outcome of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Every element is the same at this number of sizes. For floating point, signs of zeros may
    /// differ.
    Equal(usize),
    /// Every element is within [`TOLERANCE`] at this number of sizes: validated, not certified.
    Within(usize),
    /// The first sizes at which the results differ, or the way in which the C program fails.
    Different(String),
    /// The interpreter finds no value for the program, or its functions have no bound of rounding
    /// errors.
    NotCompared(String),
}

/// The agreement that floating point must reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// Element by element, except for the sign of zeros.
    Exact,
    /// Within [`TOLERANCE`].
    Rounded,
}

/// The distance that an element may have from the interpreter's if sums were rearranged, relative
/// to the element's magnitude. The magnitude is the element's value with magnitudes in place of all
/// numbers. A sum of 800 single-precision numbers stays within this tolerance.
pub const TOLERANCE: f64 = 1e-4;

/// The C could not be compiled or run.
#[derive(Debug, thiserror::Error)]
pub enum NativeError {
    /// A file could not be written, or a program could not be started.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The C compiler refuses the text.
    #[error("{0}")]
    Failed(String),
}

/// The number of sizes at which programs are compared.
const CASES: usize = 48;
/// The sizes to try: zero, one, primes, numbers with divisors.
const SIZES: [i64; 8] = [0, 1, 2, 3, 4, 5, 7, 8];
/// Sizes that need a larger tensor are left out.
const MAX_ELEMENTS: i64 = 5_000;

/// Compares the C function of a derivation with its source program, for the program's type of
/// elements. `agreement` matters only for floating point; integers must be equal.
///
/// # Errors
/// A file cannot be written, a program cannot be started, or the C compiler refuses the text.
pub fn compare_with_source(
    program: &Program,
    function: &str,
    agreement: Agreement,
    compiler: &str,
    folder: &Path,
) -> Result<Comparison, NativeError> {
    let cases = cases(program);
    if cases.is_empty() {
        return Ok(Comparison::NotCompared(format!(
            "no sizes of those that are tried, from 0 to {}, fulfil the conditions",
            SIZES[SIZES.len() - 1]
        )));
    }
    let element = program.element();
    let native = |results: &[usize]| run(program, function, &cases, results, compiler, folder);
    match element {
        Element::I32 | Element::I64 | Element::MinPlus => {
            let expected = match values(&Integers(element), program, &cases, |bits| match element {
                Element::I64 => bits as i64,
                Element::MinPlus => (bits >> 40) as i64,
                Element::I32 | Element::F32 | Element::F64 => i64::from((bits >> 32) as u32 as i32),
            }) {
                Ok(expected) => expected,
                Err(error) => return Ok(Comparison::NotCompared(error.to_string())),
            };
            let counts: Vec<usize> = expected.iter().map(Vec::len).collect();
            let found = match native(&counts)? {
                Ok(found) => found,
                Err(failure) => return Ok(Comparison::Different(failure)),
            };
            for ((wanted, found), sizes) in expected.iter().zip(&found).zip(&cases) {
                let found: Vec<Option<i64>> = found.iter().map(|word| word.parse().ok()).collect();
                let wanted: Vec<Option<i64>> = wanted.iter().copied().map(Some).collect();
                if wanted != found {
                    return Ok(Comparison::Different(named(program, sizes)));
                }
            }
            Ok(Comparison::Equal(cases.len()))
        }
        Element::F32 | Element::F64 => {
            let floats = Floats { single: element == Element::F32 };
            let expected = values(&floats, program, &cases, float_of);
            let bounds = values(&Magnitudes, program, &cases, |bits| float_of(bits).abs());
            let (expected, bounds) = match (expected, bounds, agreement) {
                (Ok(expected), Ok(bounds), _) => (expected, bounds),
                // An exact comparison needs no bound.
                (Ok(expected), Err(_), Agreement::Exact) => (expected.clone(), expected),
                (Err(error), ..) | (_, Err(error), Agreement::Rounded) => {
                    return Ok(Comparison::NotCompared(error.to_string()));
                }
            };
            let counts: Vec<usize> = expected.iter().map(Vec::len).collect();
            let found = match native(&counts)? {
                Ok(found) => found,
                Err(failure) => return Ok(Comparison::Different(failure)),
            };
            for (case, sizes) in cases.iter().enumerate() {
                let same_length = expected[case].len() == found[case].len();
                let elements = expected[case].iter().zip(&bounds[case]).zip(&found[case]);
                let agrees = elements.into_iter().all(|((wanted, bound), found)| {
                    let Ok(found) = found.parse::<f64>() else { return false };
                    match agreement {
                        Agreement::Exact => wanted.partial_cmp(&found) == Some(Ordering::Equal),
                        Agreement::Rounded => (wanted - found).abs() <= TOLERANCE * bound,
                    }
                });
                if !same_length || !agrees {
                    return Ok(Comparison::Different(named(program, sizes)));
                }
            }
            Ok(match agreement {
                Agreement::Exact => Comparison::Equal(cases.len()),
                Agreement::Rounded => Comparison::Within(cases.len()),
            })
        }
    }
}

/// A number from -1 to 1 that single precision represents exactly. The C below computes the same
/// number.
fn float_of(bits: u64) -> f64 {
    ((bits >> 40) as f64 - 8_388_608.0) / 8_388_608.0
}

/// The value of the source program at each of the sizes. `element` makes the inputs from random
/// bits.
fn values<A: Arithmetic>(
    arithmetic: &A,
    program: &Program,
    cases: &[Vec<i64>],
    element: impl Fn(u64) -> A::Value,
) -> Result<Vec<Vec<A::Value>>, InterpretError> {
    let mut random = Random(1);
    let mut all = Vec::new();
    for sizes in cases {
        let inputs: Vec<Tensor<A::Value>> = input_sizes(program, sizes)
            .into_iter()
            .map(|sizes| {
                let count: i64 = sizes.iter().map(|size| (*size).max(0)).product();
                Tensor { sizes, elements: (0..count).map(|_| element(random.next())).collect() }
            })
            .collect();
        all.push(interpret_with(arithmetic, program, &program.body, sizes, &inputs)?.elements);
    }
    Ok(all)
}

/// The words that the C program prints for each of the sizes, or a description of its failure.
fn run(
    program: &Program,
    function: &str,
    cases: &[Vec<i64>],
    results: &[usize],
    compiler: &str,
    folder: &Path,
) -> Result<Result<Vec<Vec<String>>, String>, NativeError> {
    let source = folder.join("compare.c");
    let binary = folder.join("compare");
    let main = main_function(program, cases, results);
    fs::write(&source, format!("{}\n{main}", lower::unit(program.element(), function)))?;
    // Marked loops run on threads here too.
    let threads = function.contains("#pragma omp").then_some("-fopenmp");
    let built = Command::new(compiler)
        .args(threads)
        .args(["-O1", "-std=c11", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"])
        // A program need not use all of its parameters, nor all functions of the prelude.
        .args(["-Wno-unused-function", "-Wno-unused-parameter"])
        .arg("-fsanitize=address,undefined")
        .args(["-fno-sanitize-recover=all", "-o"])
        .arg(&binary)
        .arg(&source)
        .arg("-lm")
        .output()?;
    if !built.status.success() {
        return Err(NativeError::Failed(String::from_utf8_lossy(&built.stderr).into_owned()));
    }
    let ran = Command::new(&binary).output()?;
    if !ran.status.success() {
        let words =
            String::from_utf8_lossy(&ran.stderr).lines().take(4).collect::<Vec<_>>().join("; ");
        return Ok(Err(format!("the program fails: {words}")));
    }
    let found: Vec<Vec<String>> = String::from_utf8_lossy(&ran.stdout)
        .lines()
        .map(|line| line.split_whitespace().map(ToOwned::to_owned).collect())
        .collect();
    Ok(if found.len() == cases.len() { Ok(found) } else { Err("it ends early".to_owned()) })
}

/// The C that calls the function for each of the sizes and prints the results, one line for each.
/// Its names begin with `atl_` or `ATL_`, as those of no derivation do.
fn main_function(program: &Program, cases: &[Vec<i64>], results: &[usize]) -> String {
    let element = program.element();
    let next = match element {
        Element::I32 => "(elem)(int32_t)(uint32_t)(ATL_NEXT >> 32)",
        Element::I64 => "(elem)ATL_NEXT",
        Element::F32 | Element::F64 => "((elem)(ATL_NEXT >> 40) - 8388608) / 8388608",
        Element::MinPlus => "(elem)(ATL_NEXT >> 40)",
    };
    let show = match element {
        Element::I32 | Element::I64 | Element::MinPlus => {
            "printf(\"%lld \", (long long)atl_result[atl_i])"
        }
        Element::F32 | Element::F64 => "printf(\"%.17g \", (double)atl_result[atl_i])",
    };
    let mut rows = String::new();
    for (sizes, results) in cases.iter().zip(results) {
        let counts: Vec<i64> = input_sizes(program, sizes)
            .iter()
            .map(|sizes| sizes.iter().map(|size| (*size).max(0)).product())
            .collect();
        let numbers = sizes.iter().chain(&counts).map(ToString::to_string);
        let numbers: Vec<String> = numbers.chain([results.to_string()]).collect();
        let _ = writeln!(rows, "    {{{}}},", numbers.join(", "));
    }
    let (sizes, inputs) = (program.sizes.len(), program.inputs.len());
    let arguments = (0..sizes).map(|place| format!("atl_case[{place}]"));
    let arguments = arguments.chain((0..inputs).map(|number| format!("atl_in[{number}]")));
    let arguments: Vec<String> = arguments.chain(["atl_result".to_owned()]).collect();
    let name = lower::c_function_name(&program.name);
    format!(
        "#include <stdio.h>\n\n\
         #define ATL_NEXT (atl_state = atl_state * 6364136223846793005u + 1442695040888963407u)\n\
         static const int64_t atl_cases[][{columns}] = {{\n{rows}}};\n\n\
         int main(void)\n{{\n    uint64_t atl_state = 1;\n\
         \x20   for (size_t atl_n = 0; atl_n < sizeof atl_cases / sizeof atl_cases[0]; \
         atl_n++) {{\n\
         \x20       const int64_t *atl_case = atl_cases[atl_n];\n\
         \x20       elem *atl_in[{inputs} + 1];\n\
         \x20       for (int atl_k = 0; atl_k < {inputs}; atl_k++) {{\n\
         \x20           atl_in[atl_k] = atl_new(atl_case[{sizes} + atl_k]);\n\
         \x20           for (int64_t atl_i = 0; atl_i < atl_case[{sizes} + atl_k]; atl_i++)\n\
         \x20               atl_in[atl_k][atl_i] = {next};\n\
         \x20       }}\n\
         \x20       int64_t atl_results = atl_case[{sizes} + {inputs}];\n\
         \x20       elem *atl_result = atl_new(atl_results);\n\
         \x20       /* The function must not rely on what the output holds. */\n\
         \x20       for (int64_t atl_i = 0; atl_i < atl_results; atl_i++)\n\
         \x20           atl_result[atl_i] = (elem)77;\n\
         \x20       if ({name}({arguments}) != 0) {{ fprintf(stderr, \"the sizes are \
         refused\\n\"); return 1; }}\n\
         \x20       for (int64_t atl_i = 0; atl_i < atl_results; atl_i++) {show};\n\
         \x20       printf(\"\\n\");\n\
         \x20       for (int atl_k = 0; atl_k < {inputs}; atl_k++) atl_free(atl_in[atl_k]);\n\
         \x20       atl_free(atl_result);\n    }}\n    return 0;\n}}\n",
        columns = sizes + inputs + 1,
        arguments = arguments.join(", "),
    )
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

/// Sizes that satisfy the program's conditions: first the same value for all sizes, then random
/// choices.
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
                // The first attempts give every size the same value. Later ones choose at random,
                // at first with one of the sizes fixed.
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

/// The most elements of an array that a machine can address.
const MOST_ELEMENTS: i64 = 1 << 45;

/// Tests whether sizes are found that fulfil the conditions of a program and at which its inputs
/// can be arrays. Tries small ones, those near the numbers in the conditions, and their sums and
/// products.
pub fn fulfils_conditions(program: &Program) -> bool {
    if program.hypotheses.is_empty() {
        return true;
    }
    let mut candidates: BTreeSet<i64> = SIZES.into_iter().collect();
    for pred in &program.hypotheses {
        let text = print::pred(pred);
        for number in text.split(|letter: char| !letter.is_ascii_digit()) {
            if let Ok(number) = number.parse::<i64>() {
                let above = number.saturating_add(1);
                let near = [number - 1, number, above, number.saturating_mul(2)];
                candidates.extend(near.into_iter().filter(|size| *size >= 0));
            }
        }
    }
    let candidates: Vec<i64> = candidates.into_iter().collect();
    let mut random = Random(11);
    (0..200_000_usize).any(|attempt| {
        let mut choose = || {
            let choice = (random.next() >> 33) as usize;
            candidates[choice % candidates.len()]
        };
        let sizes: Vec<i64> = (0..program.sizes.len())
            .map(|_| match attempt % 4 {
                0 => candidates[(attempt / 4) % candidates.len()],
                1 => choose(),
                2 => choose().saturating_add(choose()),
                _ => choose().saturating_mul(choose()),
            })
            .collect();
        let value =
            |var: &Var| program.sizes.iter().position(|size| size == var).map(|place| sizes[place]);
        let fits = |dims: Vec<i64>| {
            let mut elements = dims.into_iter().map(|size| size.max(1));
            elements.try_fold(1_i64, i64::checked_mul).is_some_and(|all| all <= MOST_ELEMENTS)
        };
        sizes.iter().all(|size| *size <= MOST_ELEMENTS)
            && input_sizes(program, &sizes).into_iter().all(fits)
            && program.hypotheses.iter().all(|pred| holds(pred, &value))
    })
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

/// The dimensions of each input.
fn input_sizes(program: &Program, sizes: &[i64]) -> Vec<Vec<i64>> {
    let value =
        |var: &Var| program.sizes.iter().position(|size| size == var).map(|place| sizes[place]);
    let dimension = |dim| evaluate(dim, &value).unwrap_or(0);
    program.inputs.iter().map(|input| input.shape.dims.iter().map(dimension).collect()).collect()
}
