//! What the literal machine sees of a changed statement.

use halidom_halide::tree::{Block, Scalar, StmtKind, Type};
use halidom_halide_machine::{
    BufferCase, Case as MachineCase, Dim, FaultKind, Host, Limits, Mode, Outcome, Signature,
    Statement as Literal, run,
};
use halidom_ir::{Array, Constant, Shape};
use halidom_testgen::cases_of;

use super::Statement;
use super::walk::blocks;
use crate::stock::replay::{agree, shown};
use crate::stock::sizes::{self, Case, Wanted};

/// What a run shows of a changed statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observed {
    /// Nothing, in so many runs.
    Nothing(usize),
    /// Another value than the pipeline says.
    Value(String),
    /// Something for which the code has no behaviour.
    Fault(FaultKind, String),
    /// An error where the statement as it was compiled gives values. It accepts less.
    Stricter(String),
    /// The machine does not run it.
    Refused(String),
}

impl Observed {
    /// Whether it is wrong.
    pub fn is_wrong(&self) -> bool {
        match self {
            Self::Value(_) | Self::Fault(..) => true,
            Self::Nothing(_) | Self::Stricter(_) | Self::Refused(_) => false,
        }
    }
}

/// A case on which a statement was run.
struct Known {
    case: MachineCase,
    /// What the pipeline says; nothing if it has no value.
    wanted: Option<Vec<Wanted>>,
    /// The error with which the statement as it was compiled ends.
    ends: Option<String>,
    /// How much it may do.
    steps: u64,
}

/// What comes of a case.
enum Tried {
    /// The statement gives what the pipeline says.
    Accepted(Known),
    /// It ends with an error.
    Refused(Known),
    /// It takes too long.
    TooLong,
    /// It says nothing: there is no such case, or the pipeline has no value.
    Nothing,
}

/// Cases on which a statement is run, and what comes of it as it was compiled.
pub struct Observer {
    signature: Signature,
    known: Vec<Known>,
    /// Whether floats may have been regrouped.
    regrouped: bool,
    /// How many of a case's buffers are inputs: the first ones.
    inputs: usize,
}

/// How the memory of a case is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    /// Elements between two rows.
    gap: i64,
    /// From one element to the next in the first dimension.
    step: i64,
}

const DENSE: Layout = Layout { gap: 0, step: 1 };
const SPREAD: Layout = Layout { gap: 3, step: 1 };
const STEPPED: Layout = Layout { gap: 0, step: 2 };

/// Cases that the statement accepts, and further ones that it does not.
const ACCEPTED: usize = 32;
const REFUSED: usize = 12;
/// Sizes at the borders of what entry checks accept; random cases.
const BORDERS: usize = 24;
const RANDOM: usize = 40;
/// Elements of an input or output at such sizes, at most; points of a random window.
const ELEMENTS: i64 = 1 << 16;
const POINTS: i64 = 300;
/// How much a run of the statement as it was compiled may do; a changed one may do more.
const STEPS: u64 = 300_000;
const MORE: u64 = 10;
/// An extent with which a product with 65536 overflows, and how much such a run may do.
const WIDE: i64 = 33_000;
const MANY_STEPS: u64 = 3_000_000;
const MEMORY: u64 = 1 << 26;
/// Seeds that are tried for further cases.
const SEEDS: u64 = 6;

impl Observer {
    /// Looks for cases; or says why none are run: the machine does not take the statement, gives another value than the pipeline, or every run is too long.
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
        let literal = Literal::new(&stock.block, names, &signature, Mode::Final)
            .map_err(|refused| format!("the machine does not take it: {refused}"))?;
        let regrouped = stock.subject.algorithm.fast_math;
        let inputs = stock.subject.algorithm.inputs.len();
        let mut own = Self { signature, known: Vec::new(), regrouped, inputs };
        let (pool, algorithm) = (&stock.subject.pool, &stock.subject.algorithm);
        let program = &stock.subject.compiled.program;
        let (mut accepted, mut refused, mut long) = (0, 0, 0);
        // What checks nothing relies on callers, whose memory is dense then.
        let is_checked = contains_assert(&stock.block);
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
                // Inputs with one element less than is needed.
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
        // Sides with which 32 bits overflow where they are scaled.
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

    /// Runs the statement as it was compiled.
    fn tried(
        &self,
        statement: &Statement<'_>,
        literal: &Literal,
        (case, layout): (&Case, Layout),
        steps: u64,
    ) -> Result<Tried, String> {
        let wanted = sizes::wanted(statement.stock.said(), case);
        let Some(made) = self.case(statement, case, layout) else { return Ok(Tried::Nothing) };
        match run(literal, &made, &Limits { steps, memory: MEMORY }) {
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

    /// Runs on which the statement as it was compiled gives what the pipeline says, and those that it refuses.
    pub fn runs(&self) -> (usize, usize) {
        let refused = self.known.iter().filter(|known| known.ends.is_some()).count();
        (self.known.len() - refused, refused)
    }

    /// Runs a changed statement.
    pub fn observe(&self, statement: &Statement<'_>, block: &Block) -> Observed {
        let literal = match Literal::new(block, &statement.names, &self.signature, Mode::Final) {
            Ok(literal) => literal,
            Err(refused) => return Observed::Refused(refused.construct),
        };
        let mut runs = 0;
        let mut stricter = None;
        for known in &self.known {
            let limits = Limits { steps: known.steps * MORE, memory: MEMORY };
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

    /// The first place at which outputs are not what the pipeline says.
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

    /// A case of the machine.
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
        // Up to the last element, and no further.
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
            // What the caller wrote is newer than what a device has.
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

/// Whether a statement checks anything at entry.
fn contains_assert(block: &Block) -> bool {
    block.iter().any(|stmt| {
        matches!(stmt.kind, StmtKind::Assert { .. })
            || blocks(&stmt.kind).into_iter().any(contains_assert)
    })
}

/// What outputs are filled with.
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

/// Where an element lies, in elements from the one with the least coordinates.
fn offset(buffer: &BufferCase, coords: &[i64]) -> i64 {
    let sides = buffer.dims.iter().zip(coords);
    sides.map(|(dim, at)| (at - i64::from(dim.min)) * i64::from(dim.stride)).sum()
}

/// The same case with an input that lacks its last coordinate in a dimension.
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
