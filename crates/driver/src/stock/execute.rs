//! Runs of a statement itself, compiled by the bridge: a statement from a file, or any statement
//! under AddressSanitizer.

use std::path::Path;
use std::time::Duration;

use halidom_halide::bridge::{Built, Case, Ending, Fresh, Given, Memory, Placement};
use halidom_halide::dump::{ArgumentKind, Buffer, Dump};
use halidom_halide::tree::Scalar as HalideScalar;
use halidom_halide::{Condition, Names};
use halidom_interp::{Bindings, nesting};
use halidom_ir::{Array, BufferId, Constant, Scalar, Shape};

use super::Stock;
use crate::files;
use crate::subject::Subject;

/// The time limit for a run.
const LIMIT: Duration = Duration::from_mins(1);

/// The end of a run.
pub(super) enum Ended {
    /// It wrote its outputs.
    Done,
    /// A signal ended it, with this description.
    Killed(String),
}

/// The initial value of each byte of the outputs: an element that is not written differs from most
/// values, zero included.
const BEFORE: u8 = 0x5a;

/// The alignment of outputs in bytes that [`Condition::AlignedOutputs`] speaks of.
const ALIGNED: u32 = 64;

/// Runs the statement of a dump on inputs and writes its outputs to the folder as `output.N.npy`.
pub(super) fn execute(
    stock: &Stock,
    (dump, names): (&Dump, &Names),
    (bindings, windows): (&Bindings, &[Shape]),
    folder: &Path,
) -> Result<Ended, String> {
    let case = case_of(stock, (dump, names), (bindings, windows), Fresh::default())?;
    let place = tempfile::tempdir().map_err(|error| error.to_string())?;
    let built = built(stock, (dump, names), place.path())?;
    match ending_of(&built, case.clone())? {
        Ending::Done(memories) => {
            let left = outputs(stock, (dump, &case, &memories), windows)?;
            for (number, array) in left.iter().enumerate() {
                files::write(&folder.join(format!("output.{number}.npy")), array)
                    .map_err(|error| error.to_string())?;
            }
            Ok(Ended::Done)
        }
        Ending::Failed(words) => Err(words),
        Ending::Crashed(signal) => Ok(Ended::Killed(format!("signal {signal} ends it"))),
        Ending::Seen(report) => Err(report),
        Ending::Late => Err("it takes too long".to_owned()),
    }
}

/// Compiles the statement of a dump to files in an empty folder.
pub(super) fn built(
    stock: &Stock,
    (dump, names): (&Dump, &Names),
    folder: &Path,
) -> Result<Built, String> {
    let python = stock.job.interpreter().map_err(|error| error.to_string())?;
    let built = Built::of_dump((dump, names), &python, folder);
    let built = built.map_err(|error| error.to_string())?;
    built.map_err(|rejected| format!("Halide does not compile the statement: {}", rejected.words))
}

/// Runs the statement of a dump under AddressSanitizer. Returns the report's summary if
/// AddressSanitizer reports a fault.
pub(super) fn watched(
    stock: &Stock,
    (dump, names): (&Dump, &Names),
    (bindings, windows): (&Bindings, &[Shape]),
) -> Result<Option<String>, String> {
    let case = case_of(stock, (dump, names), (bindings, windows), Fresh::default())?;
    let place = tempfile::tempdir().map_err(|error| error.to_string())?;
    let python = stock.job.interpreter().map_err(|error| error.to_string())?;
    let built = Built::checked((dump, names), &python, place.path());
    let built = built.map_err(|error| error.to_string())?;
    let built = built
        .map_err(|rejected| format!("Halide does not compile the statement: {}", rejected.words))?;
    Ok(match ending_of(&built, case)? {
        Ending::Seen(report) => Some(gist(&report)),
        Ending::Done(_) | Ending::Failed(_) | Ending::Crashed(_) | Ending::Late => None,
    })
}

fn ending_of(built: &Built, case: Case) -> Result<Ending, String> {
    let endings = built.run(&[case], LIMIT).map_err(|error| error.to_string())?;
    endings.into_iter().next().ok_or_else(|| "a run without an ending".to_owned())
}

/// A summary of a report: the kind of the fault, the access, and the memory that it concerns.
fn gist(report: &str) -> String {
    let line = |word: &str| report.lines().find(|line| line.contains(word)).unwrap_or_default();
    let kind = line("ERROR: AddressSanitizer").split("AddressSanitizer: ").nth(1);
    let kind = kind.and_then(|rest| rest.split(' ').next()).unwrap_or("a fault");
    let access = line(" of size ").split(" at ").next().unwrap_or_default().trim();
    format!("AddressSanitizer: {kind}, {access}")
}

/// The buffer argument for an array whose memory begins at a multiple of some number of bytes at
/// least.
fn memory_of(buffer: Buffer, ty: HalideScalar, (array, least): (&Array, u32)) -> Option<Memory> {
    let (code, bits) = match ty {
        HalideScalar::Int(bits) => (0, bits),
        HalideScalar::UInt(bits) => (1, bits),
        HalideScalar::Float(bits) => (2, bits),
        HalideScalar::BFloat(_) | HalideScalar::Handle(_) => return None,
    };
    let fits = |value: i64| i32::try_from(value).ok();
    let mut dims = Vec::new();
    for ((min, extent), stride) in array.shape.iter().zip(&array.strides) {
        dims.push([fits(*min)?, fits(*extent)?, fits(*stride)?]);
    }
    let alignment = buffer.host_alignment.max(least);
    Some(Memory { code, bits, dims, alignment, offset: 0, bytes: array.data.clone() })
}

/// The array of zeros for an output, with its dimensions nested as the entry checks ask.
pub(super) fn blank(stock: &Stock, buffer: BufferId, window: &Shape) -> Option<Array> {
    let Subject { pool, compiled, .. } = &stock.subject;
    let nesting = nesting(pool, &compiled.program, buffer);
    let padding = vec![0; window.len()];
    Array::nested(pool.buffer(buffer).scalar, window.clone(), &padding, &nesting)
}

/// The contents of an output before a run, if the run keeps some of them.
pub fn before(
    stock: &Stock,
    bindings: &Bindings,
    output: BufferId,
    window: &Shape,
) -> Option<Array> {
    let decl = stock.subject.pool.buffer(output);
    let given = bindings.input(stock.source.before(decl.func, decl.component)?)?;
    let mut before = blank(stock, output, window)?;
    for point in before.points() {
        // A point outside of the given array stays 0; no case that fits has one.
        if let Some(value) = given.get(&point)
            && !before.set(&point, value)
        {
            return None;
        }
    }
    Some(before)
}

/// The arguments of a statement for the given inputs, in order, and the memory that it
/// allocates.
pub(super) fn case_of(
    stock: &Stock,
    (dump, names): (&Dump, &Names),
    (bindings, windows): (&Bindings, &[Shape]),
    fresh: Fresh,
) -> Result<Case, String> {
    let Subject { pool, algorithm, compiled, .. } = &stock.subject;
    let is_aligned = compiled.contract.conditions().contains(&Condition::AlignedOutputs);
    let of_outputs = if is_aligned { ALIGNED } else { 1 };
    let outputs = compiled.program.outputs.iter().zip(windows);
    let mut outputs = outputs
        .flat_map(|(output, window)| output.buffers.iter().map(move |buffer| (*buffer, window)));
    let mut arguments = Vec::new();
    for argument in &dump.arguments {
        let name = names.text(argument.name);
        let wrong = || format!("`{name}` is of another kind in the statement");
        let given = match argument.kind {
            ArgumentKind::Scalar => {
                let param = algorithm.params.iter().find(|param| pool.var(**param).name == name);
                // A parameter that the pipeline does not use has no value.
                let value = param.and_then(|param| bindings.var(*param));
                Given::Scalar(value.and_then(bits).unwrap_or(0))
            }
            ArgumentKind::Input(buffer) => {
                let mut inputs = algorithm.inputs.iter();
                let input = inputs.find(|input| pool.func(**input).name == name);
                let unused = Array::zeros(Scalar::U64, vec![(0, 1); buffer.dimensions.into()]);
                let array = match input {
                    Some(input) => bindings.input(*input).cloned(),
                    None => unused,
                };
                let memory =
                    array.and_then(|array| memory_of(buffer, argument.ty.scalar, (&array, 1)));
                Given::Buffer(memory.ok_or_else(wrong)?)
            }
            ArgumentKind::Output(buffer) => {
                let (id, window) = outputs.next().ok_or_else(wrong)?;
                let scalar = pool.buffer(id).scalar;
                let array = before(stock, bindings, id, window).or_else(|| {
                    let mut array = blank(stock, id, window)?;
                    if scalar != Scalar::Bool {
                        array.data.fill(BEFORE);
                    }
                    Some(array)
                });
                let memory = array
                    .and_then(|array| memory_of(buffer, argument.ty.scalar, (&array, of_outputs)));
                Given::Buffer(memory.ok_or_else(wrong)?)
            }
        };
        arguments.push(given);
    }
    Ok(Case { arguments, placement: Placement::BeforeFault, fresh })
}

/// The bits of a parameter's value. Our unbounded integers are parameters of 32 bits.
fn bits(value: Constant) -> Option<u64> {
    value.as_integer().map(|integer| integer as u64).or_else(|| value.to_bits())
}

/// The outputs of a run, in order.
pub(super) fn outputs(
    stock: &Stock,
    (dump, case, memories): (&Dump, &Case, &[Vec<u8>]),
    windows: &[Shape],
) -> Result<Vec<Array>, String> {
    let Subject { compiled, .. } = &stock.subject;
    let is_buffer = |given: &&Given| matches!(given, Given::Buffer(_));
    let buffers = case.arguments.iter().filter(is_buffer).count();
    if buffers != memories.len() {
        return Err("results are missing".to_owned());
    }
    let kinds = dump.arguments.iter().filter(|argument| argument.kind != ArgumentKind::Scalar);
    let left = kinds.zip(memories).filter_map(|(argument, memory)| {
        matches!(argument.kind, ArgumentKind::Output(_)).then_some(memory)
    });
    let outputs = compiled.program.outputs.iter().zip(windows);
    let outputs = outputs
        .flat_map(|(output, window)| output.buffers.iter().map(move |buffer| (*buffer, window)));
    outputs
        .zip(left)
        .map(|((id, window), memory)| {
            let mut array = blank(stock, id, window).ok_or("an output is too large")?;
            array.data.clone_from(memory);
            Ok(array)
        })
        .collect()
}
