//! Observations of a changed statement by the literal machine.

use halidom_halide::tree::{Block, Scalar, StmtKind, Type};
use halidom_halide_machine::{
    BufferCase, Case as MachineCase, Dim, FaultKind, Host, Limits, Mode, Outcome, Signature,
    Statement as Literal, run,
};
use halidom_ir::{Array, Constant, Shape};
use halidom_testgen::cases_of;

use super::Statement;
use super::walk::blocks;
use halidom_driver::stock::replay::{agree, shown};
use halidom_driver::stock::sizes::{self, Case, Wanted};

/// The result of running a changed statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observed {
    /// No difference, in this many runs.
    Nothing(usize),
    /// A value that differs from the pipeline's.
    Value(String),
    /// A fault: the code has no defined behaviour.
    Fault(FaultKind, String),
    /// An error where the original statement gives values: the changed statement accepts less.
    Stricter(String),
    /// The machine does not run the statement.
    Refused(String),
}

impl Observed {
    /// Tests whether the observation shows the statement to be wrong.
    pub fn is_wrong(&self) -> bool {
        match self {
            Self::Value(_) | Self::Fault(..) => true,
            Self::Nothing(_) | Self::Stricter(_) | Self::Refused(_) => false,
        }
    }
}

/// A case on which the original statement was run.
struct Known {
    case: MachineCase,
    /// The values that the pipeline defines; `None` if it has no value.
    wanted: Option<Vec<Wanted>>,
    /// The error with which the original statement ends, if any.
    ends: Option<String>,
    /// The step limit of the original statement's run.
    steps: u64,
}

/// The result of running the original statement on a case.
enum Tried {
    /// The statement gives the pipeline's values.
    Accepted(Known),
    /// The statement ends with an error.
    Refused(Known),
    /// It takes too long.
    TooLong,
    /// The case is unusable: it cannot be built, or there is nothing to compare with.
    Nothing,
}

/// Cases to run changed statements on, with the results of the original statement.
pub struct Observer {
    signature: Signature,
    known: Vec<Known>,
    /// True if floats may have been regrouped.
    regrouped: bool,
    /// The number of input buffers of a case; they come first.
    inputs: usize,
}

/// The memory layout of a case's buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    /// Elements between two rows.
    gap: i64,
    /// The stride of the first dimension, in elements.
    step: i64,
}

const DENSE: Layout = Layout { gap: 0, step: 1 };
const SPREAD: Layout = Layout { gap: 3, step: 1 };
const STEPPED: Layout = Layout { gap: 0, step: 2 };

/// The largest numbers of cases that the statement accepts and that it refuses.
const ACCEPTED: usize = 32;
const REFUSED: usize = 12;
/// The number of cases at the borders of the entry checks, and of random cases.
const BORDERS: usize = 24;
const RANDOM: usize = 40;
/// The largest number of elements in an input or output of a border case, and of points in a random
/// window.
const ELEMENTS: i64 = 1 << 16;
const POINTS: i64 = 300;
/// The step limit for the original statement, and the factor by which a changed one may exceed it.
const STEPS: u64 = 300_000;
const MORE: u64 = 10;
/// An extent whose product with 65536 overflows 32 bits, the step limit for such a run, and the
/// memory limit of every run.
const WIDE: i64 = 33_000;
const MANY_STEPS: u64 = 3_000_000;
const MEMORY: u64 = 1 << 26;
/// The number of seeds that are tried to find cases.
const SEEDS: u64 = 6;

impl Observer {
    /// Looks for cases.
    ///
    /// # Errors
    ///
    /// Returns the reason if there are no cases: the machine does not accept the statement, gives
    /// another value than the pipeline, or every run takes too long.
    pub fn of(statement: &Statement<'_>) -> Result<Self, String> {
        let stock = statement.stock;
        let names = &statement.names;
        let signature = Signature {
            parameters: statement
                .known
                .params
                .iter()
                .map(|(name, scalar)| (names.text(*name).to_owned(), Type::of(*scalar)))
                .collect(),
            buffers: {
                let all = statement.known.buffers.iter();
                let mut all: Vec<_> =
                    all.map(|(name, scalar)| (names.text(*name).to_owned(), *scalar)).collect();
                all.sort_by(|a, b| a.0.cmp(&b.0));
                all
            },
        };
        let literal = Literal::new(stock.block(), names, &signature, Mode::Final)
            .map_err(|refused| format!("the machine does not take it: {refused}"))?;
        let regrouped = stock.subject.algorithm.fast_math;
        let inputs = stock.subject.algorithm.inputs.len();
        let mut own = Self { signature, known: Vec::new(), regrouped, inputs };
        let (pool, algorithm) = (&stock.subject.pool, &stock.subject.algorithm);
        let program = &stock.subject.compiled.program;
        let (mut accepted, mut refused, mut long) = (0, 0, 0);
        // A statement without checks relies on its callers, whose buffers are dense then.
        let is_checked = contains_assert(stock.block());
        for seed in 1..=SEEDS {
            let mut cases = sizes::cases(pool, (algorithm, program), (seed, BORDERS), ELEMENTS);
            let random = cases_of(pool, algorithm, program, POINTS, (seed, RANDOM)).into_iter();
            cases
                .extend(random.map(|case| Case { bindings: case.bindings, windows: case.windows }));
            for (number, case) in cases.into_iter().enumerate() {
                let layouts: &[Layout] = match number % 4 {
                    _ if !is_checked => &[DENSE],
                    0 => &[DENSE, STEPPED],
                    1 => &[SPREAD],
                    2 => &[DENSE],
                    _ => &[SPREAD, STEPPED],
                };
                for layout in layouts {
                    match own.tried(statement, &literal, (&case, *layout), STEPS)? {
                        Tried::Accepted(known) if accepted < ACCEPTED => {
                            accepted += 1;
                            own.known.push(known);
                        }
                        Tried::Refused(known) if refused < REFUSED => {
                            refused += 1;
                            own.known.push(known);
                        }
                        Tried::TooLong => long += 1,
                        Tried::Accepted(_) | Tried::Refused(_) | Tried::Nothing => {}
                    }
                }
                // Inputs with one element less than the statement needs.
                if number < 4 && refused < REFUSED && is_checked {
                    for case in shorter(statement, &case) {
                        let tried = own.tried(statement, &literal, (&case, DENSE), STEPS)?;
                        if let Tried::Refused(known) = tried {
                            refused += 1;
                            own.known.push(known);
                        }
                    }
                }
                if accepted >= ACCEPTED {
                    break;
                }
            }
            if accepted >= ACCEPTED || (accepted == 0 && long > 4) {
                break;
            }
        }
        // Sides whose scaled value overflows 32 bits.
        for case in sizes::wide(pool, (algorithm, program), (1, WIDE)).iter().take(2) {
            let tried = own.tried(statement, &literal, (case, DENSE), MANY_STEPS)?;
            if let Tried::Accepted(known) = tried {
                own.known.push(known);
            }
        }
        if accepted == 0 {
            let errors = own.known.iter().find_map(|known| known.ends.as_deref());
            let errors = errors.unwrap_or("none");
            return Err(format!(
                "no run is short enough ({long} too long, {refused} refused: {errors})"
            ));
        }
        Ok(own)
    }

    /// Runs the original statement on a case.
    fn tried(
        &self,
        statement: &Statement<'_>,
        literal: &Literal,
        (case, layout): (&Case, Layout),
        steps: u64,
    ) -> Result<Tried, String> {
        let wanted = sizes::wanted(statement.stock.said(), case);
        let Some(made) = self.case(statement, case, layout) else { return Ok(Tried::Nothing) };
        match run(literal, &made, &Limits { steps, memory: MEMORY, ..Limits::default() }) {
            Outcome::Done { buffers, notes } => {
                let Some(values) = &wanted else { return Ok(Tried::Nothing) };
                if self.regrouped && notes.unusual_floats {
                    return Ok(Tried::Nothing);
                }
                let bytes: Vec<_> = buffers.into_iter().map(|buffer| buffer.bytes).collect();
                if let Some(words) = self.difference(&made, values, &bytes) {
                    return Err(format!("the machine gives another value: {words}"));
                }
                Ok(Tried::Accepted(Known { case: made, wanted, ends: None, steps }))
            }
            Outcome::Ended { error, .. } => {
                Ok(Tried::Refused(Known { case: made, wanted, ends: Some(error), steps }))
            }
            Outcome::Fault(fault) if wanted.is_some() => {
                Err(format!("the machine faults: {fault}"))
            }
            Outcome::Fault(_) => Ok(Tried::Nothing),
            Outcome::Refused(refused) => Err(format!("the machine does not run it: {refused}")),
            Outcome::TooLong => Ok(Tried::TooLong),
        }
    }

    /// The number of runs on which the original statement gives the pipeline's values, and the
    /// number of runs that it refuses.
    pub fn runs(&self) -> (usize, usize) {
        let refused = self.known.iter().filter(|known| known.ends.is_some()).count();
        (self.known.len() - refused, refused)
    }

    /// Runs a changed statement on the known cases.
    pub fn observe(&self, statement: &Statement<'_>, block: &Block) -> Observed {
        let literal = match Literal::new(block, &statement.names, &self.signature, Mode::Final) {
            Ok(literal) => literal,
            Err(refused) => return Observed::Refused(refused.construct),
        };
        let mut runs = 0;
        let mut stricter = None;
        for known in &self.known {
            let limits = Limits { steps: known.steps * MORE, memory: MEMORY, ..Limits::default() };
            match run(&literal, &known.case, &limits) {
                Outcome::Done { buffers, notes } => {
                    runs += 1;
                    if known.ends.is_some() && self.regrouped && notes.unusual_floats {
                        continue;
                    }
                    let Some(wanted) = &known.wanted else { continue };
                    let bytes: Vec<_> = buffers.into_iter().map(|buffer| buffer.bytes).collect();
                    if let Some(words) = self.difference(&known.case, wanted, &bytes) {
                        return Observed::Value(words);
                    }
                }
                Outcome::Ended { error, .. } => {
                    runs += 1;
                    if known.ends.is_none() {
                        stricter = stricter.or(Some(error));
                    }
                }
                Outcome::Fault(fault) => return Observed::Fault(fault.kind, fault.to_string()),
                Outcome::Refused(refused) => return Observed::Refused(refused.construct),
                Outcome::TooLong => {
                    return Observed::Refused("it runs for too long".to_owned());
                }
            }
        }
        stricter.map_or(Observed::Nothing(runs), Observed::Stricter)
    }

    /// Describes the first point at which an output differs from the pipeline.
    fn difference(
        &self,
        case: &MachineCase,
        wanted: &[Wanted],
        bytes: &[Option<Vec<u8>>],
    ) -> Option<String> {
        wanted.iter().find_map(|wanted| {
            let number = self.inputs + wanted.component;
            let buffer = case.buffers.get(number)?;
            let have = bytes.get(number).and_then(Option::as_ref).and_then(|bytes| {
                let offset = offset(buffer, &wanted.coords);
                let size = size(buffer.scalar);
                let at = usize::try_from(offset).ok()? * size;
                let mut bits = [0; 8];
                bits[..size].copy_from_slice(bytes.get(at..at + size)?);
                Constant::from_bits(wanted.value.scalar(), u64::from_le_bytes(bits))
            });
            (!agree(Some(wanted.value), have, self.regrouped)).then(|| {
                let have = have.map_or("nothing".to_owned(), shown);
                let sides: Vec<_> = buffer.dims.iter().map(|dim| (dim.min, dim.extent)).collect();
                format!(
                    "{}{:?} of {sides:?} is {have}, and the pipeline says {}",
                    buffer.name,
                    wanted.coords,
                    shown(wanted.value)
                )
            })
        })
    }

    /// Builds the machine's form of a case.
    fn case(&self, statement: &Statement<'_>, case: &Case, layout: Layout) -> Option<MachineCase> {
        let subject = &statement.stock.subject;
        let (pool, algorithm) = (&subject.pool, &subject.algorithm);
        let mut parameters = Vec::new();
        for param in &algorithm.params {
            let value = case.bindings.var(*param)?;
            let bits = value.to_bits().or_else(|| value.as_integer().map(|it| it as u64))?;
            parameters.push((pool.var(*param).name.clone(), bits));
        }
        let mut buffers = Vec::new();
        for input in &algorithm.inputs {
            let array = case.bindings.input(*input)?;
            let name = &pool.func(*input).name;
            buffers.push(self.buffer(name, &array.shape, Some(array), layout)?);
        }
        for (output, window) in subject.compiled.program.outputs.iter().zip(&case.windows) {
            for buffer in &output.buffers {
                buffers.push(self.buffer(&pool.buffer(*buffer).name, window, None, layout)?);
            }
        }
        Some(MachineCase { parameters, buffers })
    }

    fn buffer(
        &self,
        name: &str,
        shape: &Shape,
        array: Option<&Array>,
        layout: Layout,
    ) -> Option<BufferCase> {
        let (_, scalar) = self.signature.buffers.iter().find(|(known, _)| known == name)?;
        let mut dims = Vec::new();
        let mut stride = layout.step;
        for (min, extent) in shape {
            dims.push(Dim {
                min: i32::try_from(*min).ok()?,
                extent: i32::try_from(*extent).ok()?,
                stride: i32::try_from(stride).ok()?,
            });
            stride = stride * (*extent).max(1) + layout.gap;
        }
        // Memory reaches exactly to the last element.
        let reach: i64 =
            dims.iter().map(|dim| i64::from(dim.extent - 1) * i64::from(dim.stride)).sum();
        let is_empty = dims.iter().any(|dim| dim.extent <= 0);
        let elements = if is_empty { 0 } else { usize::try_from(reach + 1).ok()? };
        let size = size(*scalar);
        let mut bytes = vec![if array.is_some() { 0 } else { OUTPUT }; elements * size];
        let mut buffer = BufferCase {
            name: name.to_owned(),
            scalar: *scalar,
            dims,
            host: None,
            // The caller's data is newer than the device's copy.
            host_dirty: array.is_some(),
            device_dirty: false,
        };
        if let Some(array) = array {
            for point in array.points() {
                let bits = array.get(&point)?.to_bits()?;
                let at = usize::try_from(offset(&buffer, &point)).ok()? * size;
                bytes.get_mut(at..at + size)?.copy_from_slice(&bits.to_le_bytes()[..size]);
            }
        }
        buffer.host = Some(Host { bytes, offset: 0, misalignment: 0 });
        Some(buffer)
    }
}

/// Tests whether a statement contains an assertion.
fn contains_assert(block: &Block) -> bool {
    block.iter().any(|stmt| {
        matches!(stmt.kind, StmtKind::Assert { .. })
            || blocks(&stmt.kind).into_iter().any(contains_assert)
    })
}

/// The initial value of every byte of the outputs.
const OUTPUT: u8 = 0xA5;

/// The bytes of an element.
fn size(scalar: Scalar) -> usize {
    match scalar {
        Scalar::Int(bits) | Scalar::UInt(bits) | Scalar::Float(bits) | Scalar::BFloat(bits) => {
            usize::from(bits).div_ceil(8)
        }
        Scalar::Handle(_) => 8,
    }
}

/// The offset of an element, in elements from the one with the least coordinates.
fn offset(buffer: &BufferCase, coords: &[i64]) -> i64 {
    let sides = buffer.dims.iter().zip(coords);
    sides.map(|(dim, at)| (at - i64::from(dim.min)) * i64::from(dim.stride)).sum()
}

/// Copies of a case, each with one input that lacks its last coordinate in one dimension.
fn shorter(statement: &Statement<'_>, case: &Case) -> Vec<Case> {
    let subject = &statement.stock.subject;
    let mut found = Vec::new();
    for input in &subject.algorithm.inputs {
        let Some(array) = case.bindings.input(*input) else { continue };
        for dim in 0..array.shape.len() {
            let mut shape = array.shape.clone();
            if shape[dim].1 < 2 {
                continue;
            }
            shape[dim].1 -= 1;
            let Some(mut less) =
                array.get_element(0).and_then(|one| Array::zeros(one.scalar(), shape))
            else {
                continue;
            };
            let is_copied = less
                .points()
                .all(|point| array.get(&point).is_some_and(|value| less.set(&point, value)));
            if !is_copied {
                continue;
            }
            let mut bindings = case.bindings.clone();
            if bindings.set_input(&subject.pool, *input, less).is_ok() {
                found.push(Case { bindings, windows: case.windows.clone() });
            }
        }
    }
    found
}
