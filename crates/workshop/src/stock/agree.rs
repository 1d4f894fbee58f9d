//! Runs a statement in three ways: by the literal machine, by the interpreter of its translation,
//! and as compiled code.
//!
//! The machine shares no code with the translation, and the compiled code shares none with our
//! readers. If all three agree on inputs at the borders of the entry checks, the translation
//! describes the code's behaviour there. [`agree`] runs all three and counts the agreements.

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::Path;

use halidom_base::FxHashSet;
use halidom_halide::tree;
use halidom_halide_machine::{
    Beyond, BufferCase, Case, Dim, FaultKind, Host, Limits, Mode, Notes, Outcome, Signature,
    Statement,
};
use halidom_interp::{Bindings, machine, nesting};
use halidom_ir::{Array, Constant, Nesting, Pool, Scalar, Shape};
use halidom_testgen::{Random, cases_of};
use halidom_validate::{Conventions, Owed};

use halidom_driver::stock::replay::{agree as same_value, left, shown, write_given};
use halidom_driver::stock::sizes;
use halidom_driver::stock::{self, Stock};
use halidom_driver::subject::Subject;

/// The results of comparing a statement's runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// The number of generated cases.
    pub cases: usize,
    /// Cases in which the machine and the interpreter agreed: both gave the same values, both
    /// refused the case, or both faulted.
    pub with_interpreter: usize,
    /// Cases in which the machine and the compiled code agreed: both gave the same values, or both
    /// refused the case.
    pub with_code: usize,
    /// Cases in which something leaves its type that the pipeline's own values do not leave, by
    /// kind. There the machine runs as the conditions of a verdict say, and is compared so.
    pub under_conditions: BTreeMap<String, usize>,
    /// Cases that were not compared, by reason.
    pub passed_over: BTreeMap<String, usize>,
    /// Descriptions of the differences.
    pub differences: Vec<String>,
}

/// The effort of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The seed of the random cases.
    pub seed: u64,
    /// The number of cases per statement.
    pub cases: usize,
    /// The largest number of elements in an input or output.
    pub elements: i64,
    /// True if the compiled code runs too.
    pub runs_code: bool,
}

/// The largest number of points in a window of a random case.
const POINTS: i64 = 400;
/// The machine's step limit for a case.
const STEPS: u64 = 40_000_000;
/// The interpreter's step limit for a case.
const INTERPRETED: u64 = 4_000_000;
/// The interpreter's step limit for the pipeline's values in a case.
const OWED: u64 = 20_000_000;
/// The initial values of every byte of the caller's outputs in two runs, and of truth values. An
/// element that differs after the two was not written.
const BEFORE: [u8; 2] = [0x5a, 0xa5];
const BEFORE_TRUTH: [u8; 2] = [0, 1];
/// The greatest error of a sum that is grouped otherwise, relative to the greatest float in it.
const ROUNDING: f64 = 1.0 / ((1_u32 << 18) as f64);
/// The number of differences that are reported per statement.
const TOLD: usize = 3;

/// The way in which the machine runs a case.
#[derive(Clone, Copy)]
struct Reading {
    beyond: Beyond,
    /// True if the outputs begin with the other bytes.
    is_second: bool,
}

/// The facts about a case that explain a difference between the three.
struct Asked<'a> {
    /// The elements that no run of the machine writes.
    unwritten: &'a dyn Deref<Target = Unwritten>,
    /// `Ok` if the pipeline has values that its code owes; otherwise the reason.
    owed: &'a dyn Fn() -> Result<(), &'static str>,
    /// The reason why the code owes nothing, if the machine's values rest on conditions.
    unowed: Option<&'static str>,
}

/// The statement as LLVM compiles it, and under the conditions of a verdict.
const LITERAL: Reading = Reading { beyond: Beyond::Poison, is_second: false };
const CONDITIONAL: Reading = Reading { beyond: Beyond::Wraps, is_second: false };

/// The results of the machine's run on a case.
struct Ran {
    outputs: Vec<Array>,
    notes: Notes,
}

/// The elements of an output that a run leaves as they were: the output's number, and the point.
type Unwritten = FxHashSet<(usize, Vec<i64>)>;

/// The result of one of the three ways on a case.
enum Gave<T> {
    Values(T),
    /// An entry check refused the case.
    Refused(String),
    /// The run went wrong.
    Fault(String, Cause),
    /// The run did not reach its end.
    NotRun(String),
}

/// The causes of a fault.
enum Cause {
    Machine(FaultKind),
    /// The interpreter meets an element without a value in the output with this name.
    Undefined(String, Vec<i64>),
    Other,
}

impl<T> Gave<T> {
    /// Describes the result without its values.
    fn words(&self) -> &str {
        match self {
            Self::Values(_) => "values",
            Self::Refused(words) | Self::Fault(words, _) | Self::NotRun(words) => words,
        }
    }
}

/// Runs a statement in all three ways on generated cases.
///
/// # Errors
///
/// Returns the reason if the machine does not accept the statement.
pub fn agree(stock: &Stock, effort: &Effort) -> Result<Agreement, String> {
    let statement = statement(stock)?;
    let cases = cases(stock, effort);
    let mut agreement = Agreement { cases: cases.len(), ..Agreement::default() };
    let place = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut folders = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        let folder = place.path().join(format!("case_{number:03}"));
        std::fs::create_dir(&folder).map_err(|error| error.to_string())?;
        write_given(stock, &case.bindings, &case.windows, &folder)?;
        folders.push(folder);
    }
    let has_run = effort.runs_code && !cases.is_empty();
    if has_run {
        stock.run(place.path()).map_err(|error| error.to_string())?;
    }
    for (number, (case, folder)) in cases.iter().zip(&folders).enumerate() {
        let machine = |reading| by_machine(stock, &statement, case, (number, reading));
        let by_interpreter = by_interpreter(stock, case);
        let by_code = has_run.then(|| by_code(stock, case, folder));
        agreement.compare(stock, case, &machine, (&by_interpreter, by_code.as_ref()));
    }
    Ok(agreement)
}

/// Builds the literal machine's form of the statement.
fn statement(stock: &Stock) -> Result<Statement, String> {
    let Subject { pool, algorithm, compiled, .. } = &stock.subject;
    let parameters = algorithm.params.iter().map(|param| {
        let var = pool.var(*param);
        (var.name.clone(), tree::Type::of(halide_scalar(var.ty.scalar)))
    });
    let inputs = algorithm.inputs.iter().map(|input| {
        let func = pool.func(*input);
        (func.name.clone(), halide_scalar(func.scalar(0)))
    });
    let outputs = compiled.program.outputs.iter().flat_map(|output| &output.buffers);
    let outputs = outputs.map(|buffer| {
        let decl = pool.buffer(*buffer);
        (decl.name.clone(), halide_scalar(decl.scalar))
    });
    let signature =
        Signature { parameters: parameters.collect(), buffers: inputs.chain(outputs).collect() };
    Statement::new(stock.block(), stock.names(), &signature, Mode::Final)
        .map_err(|refused| refused.construct)
}

/// Converts a scalar type to Halide's. Our unbounded integers become 32-bit parameters.
fn halide_scalar(scalar: Scalar) -> tree::Scalar {
    match scalar {
        Scalar::Bool => tree::Scalar::UInt(1),
        Scalar::I8 => tree::Scalar::Int(8),
        Scalar::I16 => tree::Scalar::Int(16),
        Scalar::I32 | Scalar::Int => tree::Scalar::Int(32),
        Scalar::I64 => tree::Scalar::Int(64),
        Scalar::U8 => tree::Scalar::UInt(8),
        Scalar::U16 => tree::Scalar::UInt(16),
        Scalar::U32 => tree::Scalar::UInt(32),
        Scalar::U64 => tree::Scalar::UInt(64),
        Scalar::F32 => tree::Scalar::Float(32),
        Scalar::F64 => tree::Scalar::Float(64),
    }
}

/// Cases at the borders of the entry checks, each with several contents, and random cases. The
/// contents are extremes of the types, small numbers and random values; rows may have gaps between
/// them.
fn cases(stock: &Stock, effort: &Effort) -> Vec<sizes::Case> {
    let Subject { pool, algorithm, compiled, .. } = &stock.subject;
    let subject = (algorithm, &compiled.program);
    let mut random = Random::new(effort.seed);
    let mut found = Vec::new();
    let sized = sizes::cases(pool, subject, (effort.seed, effort.cases * 2 / 3), effort.elements);
    let others =
        cases_of(pool, algorithm, &compiled.program, POINTS, (effort.seed, effort.cases / 3));
    let others = others
        .into_iter()
        .map(|case| sizes::Case { bindings: case.bindings, windows: case.windows });
    let made: Vec<sizes::Case> = sized.into_iter().chain(others).collect();
    // A statement that accepts few sizes runs on each of them with several contents.
    let rounds = effort.cases.div_ceil(made.len().max(1));
    for round in 0..rounds {
        for case in &made {
            let number = found.len();
            if number >= effort.cases {
                return found;
            }
            let mut bindings = case.bindings.clone();
            let is_bound = algorithm.inputs.iter().all(|input| {
                let Some(given) = bindings.input(*input) else { return false };
                if round == 0 && number % 3 == 0 {
                    return true;
                }
                let Some(array) = contents(given, number, &mut random) else { return false };
                bindings.set_input(pool, *input, array).is_ok()
            });
            if is_bound {
                found.push(sizes::Case { bindings, windows: case.windows.clone() });
            }
        }
    }
    found
}

/// An array of the same shape with other contents and with gaps between its rows.
fn contents(given: &Array, number: usize, random: &mut Random) -> Option<Array> {
    let mut padding = vec![0; given.shape.len()];
    // Keep the innermost elements adjacent: most statements require it.
    if let Some(rows) = padding.first_mut().filter(|_| number.is_multiple_of(2)) {
        *rows = random.between(0, 3);
    }
    let nesting = nesting_of(given);
    let mut array = Array::nested(given.scalar, given.shape.clone(), &padding, &nesting)?;
    for element in 0..array.data.len() / given.scalar.bytes()? {
        let value = if number % 3 == 1 {
            extreme(given.scalar, random)
        } else {
            small(given.scalar, random)
        };
        if !array.set_element(element, value?) {
            return None;
        }
    }
    Some(array)
}

/// The order of an array's dimensions in memory.
fn nesting_of(array: &Array) -> Nesting {
    let mut nesting: Nesting = array.strides.iter().copied().enumerate().collect();
    nesting.sort_by_key(|(dim, stride)| (*stride, *dim));
    nesting
}

/// A random value at or next to the ends of a type's range.
fn extreme(scalar: Scalar, random: &mut Random) -> Option<Constant> {
    let (bits, is_signed) = match scalar {
        Scalar::I8 => (8, true),
        Scalar::I16 => (16, true),
        Scalar::U8 => (8, false),
        Scalar::U16 => (16, false),
        Scalar::U32 => (32, false),
        Scalar::U64 => (64, false),
        // Wider values would overflow in sums, where a pipeline has no value.
        Scalar::I32 | Scalar::I64 => (17, true),
        Scalar::Bool | Scalar::F32 | Scalar::F64 | Scalar::Int => {
            return Some(random.constant(scalar));
        }
    };
    let greatest = if is_signed { (1_i128 << (bits - 1)) - 1 } else { (1_i128 << bits) - 1 };
    let least = if is_signed { -greatest - 1 } else { 0 };
    let values = [least, least + 1, -1, 0, 1, greatest / 2, greatest - 1, greatest];
    let value = random.choose(&values).copied().unwrap_or(0);
    Constant::wrapped(scalar, if is_signed { value } else { value.max(0) })
}

/// A random number near zero; floats have few digits.
fn small(scalar: Scalar, random: &mut Random) -> Option<Constant> {
    let number = random.between(-20, 20);
    match scalar {
        Scalar::F32 => Some(Constant::f32(number as f32 / 8.0)),
        Scalar::F64 => Some(Constant::f64(number as f64 / 8.0)),
        Scalar::Bool => Some(random.constant(scalar)),
        Scalar::I8
        | Scalar::I16
        | Scalar::I32
        | Scalar::I64
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::U64
        | Scalar::Int => Constant::wrapped(scalar, i128::from(number)),
    }
}

/// The dimensions of an array, as a caller's buffer describes them.
fn dims(shape: &Shape, strides: &[i64]) -> Option<Vec<Dim>> {
    let side = |((min, extent), stride): (&(i64, i64), &i64)| {
        let [min, extent, stride] = [min, extent, stride].map(|side| i32::try_from(*side).ok());
        Some(Dim { min: min?, extent: extent?, stride: stride? })
    };
    shape.iter().zip(strides).map(side).collect()
}

/// Builds the machine's case. The outputs are exactly the windows, with `padding` elements between
/// their rows.
///
/// The inputs are copied without gaps if `is_dense` is set.
fn machine_case(
    stock: &Stock,
    case: &sizes::Case,
    (padding, is_dense): (i64, bool),
    is_second: bool,
) -> Option<(Case, Vec<Array>)> {
    let Subject { pool, algorithm, compiled, .. } = &stock.subject;
    let mut parameters = Vec::new();
    for param in &algorithm.params {
        let value = case.bindings.var(*param)?;
        let bits = match value.as_integer() {
            Some(value) => value as u64,
            None => value.to_bits()?,
        };
        parameters.push((pool.var(*param).name.clone(), bits));
    }
    let mut buffers = Vec::new();
    let mut add = |name: &str, array: &Array, is_input| {
        buffers.push(BufferCase {
            name: name.to_owned(),
            scalar: halide_scalar(array.scalar),
            dims: dims(&array.shape, &array.strides)?,
            host: Some(Host { bytes: array.data.clone(), offset: 0, misalignment: 0 }),
            host_dirty: is_input,
            device_dirty: false,
        });
        Some(())
    };
    for input in &algorithm.inputs {
        let given = case.bindings.input(*input)?;
        let dense = if is_dense { Some(without_gaps(given)?) } else { None };
        add(&pool.func(*input).name, dense.as_ref().unwrap_or(given), true)?;
    }
    let mut outputs = Vec::new();
    for (output, window) in compiled.program.outputs.iter().zip(&case.windows) {
        for buffer in &output.buffers {
            let decl = pool.buffer(*buffer);
            let mut gaps = vec![0; window.len()];
            if let Some(rows) = gaps.first_mut() {
                *rows = padding;
            }
            let nesting = nesting(pool, &compiled.program, *buffer);
            let mut array = Array::nested(decl.scalar, window.clone(), &gaps, &nesting)?;
            let before = if decl.scalar == Scalar::Bool { BEFORE_TRUTH } else { BEFORE };
            array.data.fill(before[usize::from(is_second)]);
            if let Some(kept) = stock::before(stock, &case.bindings, *buffer, window) {
                for point in kept.points() {
                    if !array.set(&point, kept.get(&point)?) {
                        return None;
                    }
                }
            }
            add(&decl.name, &array, false)?;
            outputs.push(array);
        }
    }
    Some((Case { parameters, buffers }, outputs))
}

/// A copy without gaps between the rows.
fn without_gaps(given: &Array) -> Option<Array> {
    let nesting: Nesting = nesting_of(given).into_iter().map(|(dim, _)| (dim, 0)).collect();
    let padding = vec![0; given.shape.len()];
    let mut dense = Array::nested(given.scalar, given.shape.clone(), &padding, &nesting)?;
    for point in given.points() {
        if !dense.set(&point, given.get(&point)?) {
            return None;
        }
    }
    Some(dense)
}

/// Runs the machine. If a statement refuses gaps between the rows of inputs, it runs again on dense
/// inputs, like the compiled code.
fn by_machine(
    stock: &Stock,
    statement: &Statement,
    case: &sizes::Case,
    (number, reading): (usize, Reading),
) -> Gave<Ran> {
    let padding = if number % 4 == 3 { 2 } else { 0 };
    match machine_run(stock, statement, case, (padding, false), reading) {
        Gave::Refused(_) => machine_run(stock, statement, case, (0, true), reading),
        gave @ (Gave::Values(_) | Gave::Fault(..) | Gave::NotRun(_)) => gave,
    }
}

fn machine_run(
    stock: &Stock,
    statement: &Statement,
    case: &sizes::Case,
    layout: (i64, bool),
    reading: Reading,
) -> Gave<Ran> {
    let Some((given, mut outputs)) = machine_case(stock, case, layout, reading.is_second) else {
        return Gave::NotRun("the case has no form for the machine".to_owned());
    };
    let limits = Limits { steps: STEPS, beyond: reading.beyond, ..Limits::default() };
    match halidom_halide_machine::run(statement, &given, &limits) {
        Outcome::Done { buffers, notes } => {
            let inputs = given.buffers.len() - outputs.len();
            for (before, after) in given.buffers.iter().zip(&buffers).take(inputs) {
                let before = before.host.as_ref().map(|host| &host.bytes);
                if before != after.bytes.as_ref() {
                    return Gave::Fault(
                        format!("it writes to the input `{}`", after.name),
                        Cause::Other,
                    );
                }
            }
            for (output, after) in outputs.iter_mut().zip(buffers.into_iter().skip(inputs)) {
                if let Some(bytes) = after.bytes {
                    if let Some(place) = written_in_gap(output, &bytes) {
                        return Gave::Fault(
                            format!("it writes between rows, at byte {place} of `{}`", after.name),
                            Cause::Other,
                        );
                    }
                    output.data = bytes;
                }
            }
            Gave::Values(Ran { outputs, notes })
        }
        Outcome::Ended { error, words } => Gave::Refused(format!("{error}({words})")),
        Outcome::Fault(fault) => Gave::Fault(fault.to_string(), Cause::Machine(fault.kind)),
        Outcome::Refused(refused) => Gave::NotRun(format!("the machine does not take {refused}")),
        Outcome::TooLong => Gave::NotRun("the machine takes too long".to_owned()),
    }
}

/// The position of a changed byte outside the window.
fn written_in_gap(before: &Array, after: &[u8]) -> Option<usize> {
    let size = before.scalar.bytes()?;
    let mut is_of_window = vec![false; before.data.len()];
    for point in before.points() {
        let begin = before.offset(&point)? * size;
        is_of_window.get_mut(begin..begin + size)?.fill(true);
    }
    let changed = before.data.iter().zip(after).zip(&is_of_window);
    changed.clone().position(|((before, after), inside)| !inside && before != after)
}

fn by_interpreter(stock: &Stock, case: &sizes::Case) -> Gave<Vec<Array>> {
    let Subject { pool, compiled, .. } = &stock.subject;
    let options = machine::Options { steps: Some(INTERPRETED), ..stock::options() };
    match machine::run(pool, &compiled.program, &case.bindings, &case.windows, &options) {
        Ok(outcome) => Gave::Values(outcome.outputs),
        Err(machine::Fault::UndefinedOutput { func: _, name, coords }) => {
            let words = format!("`{name}` has no value at {coords:?}");
            Gave::Fault(words, Cause::Undefined(name, coords))
        }
        Err(fault) if fault.is_defect() => Gave::Fault(fault.to_string(), Cause::Other),
        Err(machine::Fault::CheckFailed(failure)) => {
            // The kind of check says enough.
            let words = format!("{:?}", failure.check);
            let kind = words.split([' ', '(']).next().unwrap_or_default();
            Gave::Refused(format!("a check of {kind}"))
        }
        Err(fault) => Gave::NotRun(format!("the interpreter: {fault}")),
    }
}

/// Tests whether the pipeline has values on a case that its code owes.
///
/// # Errors
///
/// Returns the reason if the code owes nothing.
fn owed(stock: &Stock, case: &sizes::Case) -> Result<(), &'static str> {
    let (pool, said) = stock.said();
    match Conventions::Halide.owed(pool, said, (&case.bindings, &case.windows), OWED) {
        Owed::Values { outputs: _, rounded: _, special: _ } => Ok(()),
        Owed::NoFault => Err("the pipeline has no value"),
        Owed::Nothing(reason) => Err(reason),
    }
}

fn by_code(stock: &Stock, case: &sizes::Case, folder: &Path) -> Gave<Vec<Array>> {
    if !folder.join("done.txt").is_file() {
        return Gave::Refused("an error".to_owned());
    }
    match left(stock, &case.windows, folder) {
        Ok(outputs) => Gave::Values(outputs),
        Err(words) => Gave::NotRun(words),
    }
}

impl Agreement {
    /// Compares the results of a case.
    fn compare(
        &mut self,
        stock: &Stock,
        case: &sizes::Case,
        machine: &dyn Fn(Reading) -> Gave<Ran>,
        (by_interpreter, by_code): (&Gave<Vec<Array>>, Option<&Gave<Vec<Array>>>),
    ) {
        let owed = LazyCell::new(|| owed(stock, case));
        let mut reading = LITERAL;
        let mut by_machine = machine(reading);
        // Poison is no value, and two writes of it are a race. If the pipeline has values, poison
        // comes from Halide's changes to them, and the conditions of a verdict give it a value.
        let mut is_conditional = false;
        if let Gave::Fault(words, Cause::Machine(FaultKind::Poison | FaultKind::Race)) = &by_machine
        {
            let conditional = machine(CONDITIONAL);
            if let Gave::Values(_) = conditional {
                if owed.is_ok() {
                    let (words, _) = words.split_once(" (at ").unwrap_or((words, ""));
                    let kind = words.rsplit_once(": ").map_or(words, |(_, kind)| kind);
                    *self.under_conditions.entry(kind.to_owned()).or_default() += 1;
                }
                is_conditional = true;
                (reading, by_machine) = (CONDITIONAL, conditional);
            }
        }
        match &by_machine {
            Gave::Values(ran) => {
                let again = || machine(Reading { is_second: true, ..reading });
                let unwritten = LazyCell::new(|| unwritten(ran, &again()));
                let owed = || *owed;
                // Where the pipeline has no value, the conditions of a verdict say nothing.
                let unowed = if is_conditional { owed().err() } else { None };
                let asked = Asked { unwritten: &unwritten, owed: &owed, unowed };
                self.with_others(stock, case, ran, (by_interpreter, by_code), &asked);
            }
            Gave::Refused(words) => {
                match by_interpreter {
                    Gave::Refused(_) => self.count(0),
                    Gave::Values(_) | Gave::Fault(..) | Gave::NotRun(_) => {
                        self.pass_over("the machine's entry checks refuse it");
                    }
                }
                match by_code {
                    Some(Gave::Refused(_)) => self.count(1),
                    Some(Gave::Values(_)) => {
                        let words = format!(
                            "an error by the machine, {words}, and values by the compiled code"
                        );
                        self.tell(stock, case, &words);
                    }
                    Some(Gave::Fault(..) | Gave::NotRun(_)) | None => {
                        self.pass_over("the compiled code does not run");
                    }
                }
            }
            Gave::Fault(words, cause) => {
                let other = by_interpreter.words();
                let told = format!("a fault by the machine: {words}; by the interpreter: {other}");
                let is_poison = matches!(cause, Cause::Machine(FaultKind::Poison));
                match (by_interpreter, *owed) {
                    (Gave::Fault(..), owed) => {
                        self.count(0);
                        let place = owed.err().unwrap_or("the pipeline has values");
                        self.pass_over(&format!("the code, as both fault where {place}"));
                    }
                    (_, Err(reason)) if is_poison => self.pass_over(reason),
                    (_, Ok(()) | Err(_)) => self.tell(stock, case, &told),
                }
            }
            Gave::NotRun(words) => self.pass_over(words),
        }
    }

    /// Compares the machine's values with the interpreter's and with the compiled code's.
    fn with_others(
        &mut self,
        stock: &Stock,
        case: &sizes::Case,
        ran: &Ran,
        (by_interpreter, by_code): (&Gave<Vec<Array>>, Option<&Gave<Vec<Array>>>),
        asked: &Asked<'_>,
    ) {
        let Ran { outputs, notes } = ran;
        let regrouped = stock.subject.algorithm.fast_math || stock.has_digits();
        let near = regrouped || notes.approximate || notes.regrouped;
        let near = near.then_some(notes.greatest);
        let is_judged = !notes.unusual_floats || !regrouped;
        let sides = [(Some(by_interpreter), "the interpreter"), (by_code, "the compiled code")];
        for (number, (other, who)) in sides.into_iter().enumerate() {
            let Some(other) = other else {
                self.pass_over("the compiled code does not run");
                continue;
            };
            match other {
                Gave::Values(values) => {
                    let nothing = Unwritten::default();
                    let found = first_difference(outputs, values, (near, is_judged), &nothing);
                    // What is not written is as it was, in the compiled code's own buffer.
                    let found = match found {
                        Some(_) if number == 1 && !asked.unwritten.is_empty() => {
                            self.pass_over(
                                "some elements that are not written, of the compiled code",
                            );
                            first_difference(outputs, values, (near, is_judged), asked.unwritten)
                        }
                        found => found,
                    };
                    match (found, asked.unowed) {
                        (None, _) => self.count(number),
                        (Some(_), Some(reason)) => self.pass_over(reason),
                        (Some(words), None) => self.tell(stock, case, &format!("{words} by {who}")),
                    }
                }
                // Its output buffers may be larger than the windows, as its entry checks require.
                // The buffers of the others are not.
                Gave::Refused(words) if number == 0 => {
                    self.pass_over(&format!("{who} refuses it ({words})"));
                }
                Gave::Fault(_, Cause::Undefined(name, coords))
                    if is_unwritten(stock, (name, coords), asked.unwritten) =>
                {
                    self.count(number);
                }
                Gave::Refused(words) | Gave::Fault(words, _) => {
                    // Where the pipeline has no value, there is nothing to agree on.
                    match (asked.owed)() {
                        Ok(()) => {
                            let words = format!("values by the machine, and by {who}: {words}");
                            self.tell(stock, case, &words);
                        }
                        Err(reason) => self.pass_over(reason),
                    }
                }
                Gave::NotRun(words) => self.pass_over(words),
            }
        }
    }

    fn count(&mut self, who: usize) {
        if who == 0 {
            self.with_interpreter += 1;
        } else {
            self.with_code += 1;
        }
    }

    fn pass_over(&mut self, words: &str) {
        *self.passed_over.entry(words.to_owned()).or_default() += 1;
    }

    fn tell(&mut self, stock: &Stock, case: &sizes::Case, words: &str) {
        if self.differences.len() < TOLD {
            let windows: Vec<String> =
                case.windows.iter().map(|window| format!("{window:?}")).collect();
            let parameters = parameters(&stock.subject.pool, stock, &case.bindings);
            self.differences.push(format!("on {}{parameters}: {words}", windows.join(", ")));
        } else {
            self.pass_over("further differences");
        }
    }
}

fn parameters(pool: &Pool, stock: &Stock, bindings: &Bindings) -> String {
    let params = stock.subject.algorithm.params.iter();
    let values = params.filter_map(|param| {
        Some(format!(", {} = {}", pool.var(*param).name, shown(bindings.var(*param)?)))
    });
    values.collect()
}

/// Finds the elements that a second run, with other bytes in the outputs before, leaves otherwise.
fn unwritten(ran: &Ran, again: &Gave<Ran>) -> Unwritten {
    // A run that goes another way reads what it does not write.
    let Gave::Values(Ran { outputs: others, notes: _ }) = again else {
        return Unwritten::default();
    };
    let outputs = ran.outputs.iter().zip(others).enumerate();
    outputs
        .flat_map(|(number, (one, other))| {
            let points = one.points().filter(|point| {
                let bits = |array: &Array| array.get(point).and_then(Constant::to_bits);
                bits(one) != bits(other)
            });
            points.map(move |point| (number, point)).collect::<Vec<_>>()
        })
        .collect()
}

/// Tests whether an element of the output with this name is not written.
fn is_unwritten(stock: &Stock, (name, coords): (&str, &[i64]), unwritten: &Unwritten) -> bool {
    let Subject { pool, compiled, .. } = &stock.subject;
    let buffers = compiled.program.outputs.iter().flat_map(|output| &output.buffers);
    let number = buffers.into_iter().position(|buffer| pool.buffer(*buffer).name == name);
    number.is_some_and(|number| unwritten.contains(&(number, coords.to_vec())))
}

/// Describes the first point at which outputs differ, other than those that are not written. Floats
/// need only be near if the greatest float of the run is given.
fn first_difference(
    ours: &[Array],
    theirs: &[Array],
    (near, is_judged): (Option<f64>, bool),
    unwritten: &Unwritten,
) -> Option<String> {
    for (number, (our, their)) in ours.iter().zip(theirs).enumerate() {
        let is_float = matches!(our.scalar, Scalar::F32 | Scalar::F64);
        if is_float && !is_judged {
            continue;
        }
        let wrong = their.points().find(|point| {
            !are_near(our.get(point), their.get(point), near)
                && !unwritten.contains(&(number, point.clone()))
        });
        if let Some(point) = wrong {
            let value = |array: &Array| array.get(&point).map_or_else(String::new, shown);
            return Some(format!(
                "output {number} at {point:?} is {} by the machine, and {}",
                value(our),
                value(their)
            ));
        }
    }
    None
}

/// Tests whether values agree. A sum that is grouped otherwise is near beside its greatest operand,
/// not beside the result.
fn are_near(a: Option<Constant>, b: Option<Constant>, greatest: Option<f64>) -> bool {
    let float = |value: Option<Constant>| {
        let value = value?;
        value.as_f64().or(value.as_f32().map(f64::from))
    };
    let by_greatest = match (float(a), float(b), greatest) {
        (Some(x), Some(y), Some(greatest)) => (x - y).abs() <= ROUNDING * greatest,
        (..) => false,
    };
    by_greatest || same_value(a, b, greatest.is_some())
}
