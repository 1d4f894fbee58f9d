//! Prophecies from a second compile: the same pipeline with annotations that the compiler carries along.
//!
//! What annotations say is a hint, and hints are carried over to the plain statement: what is judged is what Halide compiles without them. Only where that proves nothing is the annotated statement
//! judged for itself, and said beside the verdict, which stays that of the plain one.

use halidom_halide::bridge::{BridgeError, Job, Origin};
use halidom_halide::pipeline::{self, Marks};
use halidom_halide::{claims, dump, text, translate};
use halidom_ir::{FuncId, print};
use halidom_validate::{Report, Verdict};

use super::demands::demand;
use super::{Stock, factored, keep_in_range, subject};
use crate::subject::Subject;

/// When a pipeline is compiled with annotations too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Annotations {
    /// Never: what cannot be inferred stays unknown.
    Never,
    /// Where what is inferred on the plain statement proves and refutes nothing.
    #[default]
    Fallback,
    /// From the beginning; nothing that annotations speak of is inferred.
    Always,
}

/// Where the prophecies of a verdict are from. It speaks of the plain artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prophecies {
    /// Inferred on the plain artifact.
    Inferred,
    /// Read in the artifact that was compiled with annotations, and carried over.
    Injected {
        /// Whether reads were annotated too.
        reads: bool,
        /// Whether the annotated statement is the plain one where its annotations are taken out.
        is_same: bool,
        /// What is said of how much was carried over.
        carried: String,
    },
}

/// What came of the artifact that was compiled with annotations, where it is judged for itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Beside {
    /// Halide does not compile it, or it is not read, for this reason.
    Not(String),
    /// It says nothing that was not inferred.
    Nothing,
    /// It is proved; that says nothing of the plain one.
    Proved,
    /// It is not proved either.
    Unproved,
}

/// A verdict on the plain artifact.
#[derive(Clone, Debug)]
pub struct Judged {
    /// What was judged.
    pub stock: Stock,
    /// The verdict.
    pub report: Report,
    /// Where its prophecies are from.
    pub prophecies: Prophecies,
    /// What came of the artifact with annotations, where the verdict does not rest on it.
    pub beside: Option<Beside>,
}

/// Judges what Halide compiled, with annotations as they are wanted.
pub fn judged(
    stock: &Stock,
    annotations: Annotations,
    judge: &mut dyn FnMut(&Subject) -> Report,
) -> Judged {
    let mut judge = |subject: &Subject| wrapping(subject, judge);
    let mut best: Option<Judged> = None;
    if annotations != Annotations::Always {
        let report = judge(&stock.subject);
        let is_open = matches!(report.verdict, Verdict::Unknown(_));
        let (stock, prophecies) = (stock.clone(), Prophecies::Inferred);
        let inferred = Judged { stock, report, prophecies, beside: None };
        if !is_open || annotations == Annotations::Never {
            return inferred;
        }
        best = Some(inferred);
    }
    let mut beside = Beside::Nothing;
    let mut others = Vec::new();
    let mut seen: Vec<String> = best.iter().map(|judged| claimed(&judged.stock.subject)).collect();
    for reads in [false, true] {
        let found = annotated_statement(stock, reads);
        let found = match found.and_then(|statement| carried(stock, &statement)) {
            Ok(found) => found,
            Err(reason) => {
                if beside == Beside::Nothing {
                    beside = Beside::Not(reason);
                }
                continue;
            }
        };
        let Annotated { plain, carried, own, is_same } = found;
        if !is_same {
            others.push(own);
        }
        let text = claimed(&plain.subject);
        if seen.contains(&text) {
            continue;
        }
        seen.push(text);
        let report = judge(&plain.subject);
        let is_open = matches!(report.verdict, Verdict::Unknown(_));
        let prophecies = Prophecies::Injected { reads, is_same, carried };
        let judged = Judged { stock: plain, report, prophecies, beside: None };
        if !is_open {
            return judged;
        }
        if best.as_ref().is_none_or(|best| is_better(&judged.report, &best.report)) {
            best = Some(judged);
        }
        beside = Beside::Unproved;
    }
    for own in others {
        let is_proved = judge(&own).verdict == Verdict::Proved;
        beside = if is_proved { Beside::Proved } else { Beside::Unproved };
        if is_proved {
            break;
        }
    }
    match best {
        Some(judged) => Judged { beside: Some(beside), ..judged },
        // No annotations came through.
        None => Judged {
            report: judge(&stock.subject),
            stock: stock.clone(),
            prophecies: Prophecies::Inferred,
            beside: Some(beside),
        },
    }
}

/// What is said where the pipeline's integers are let wrap.
const WRAPS: &str =
    "shown with signed integers of the pipeline that wrap, so also where they overflow";

/// Judges a program; where nothing is settled, once more beside a pipeline whose signed integers wrap. That it is proved so says more than is asked; that it is not says nothing.
fn wrapping(subject: &Subject, judge: &mut dyn FnMut(&Subject) -> Report) -> Report {
    let report = judge(subject);
    if !matches!(report.verdict, Verdict::Unknown(_)) {
        return report;
    }
    let mut wrapping = subject.clone();
    let steps = wrapping.compiled.steps.iter();
    let funcs = steps.chain([&wrapping.algorithm]).flat_map(|step| step.funcs.iter().copied());
    let funcs: Vec<FuncId> = funcs.collect();
    if !translate::let_wrap(&mut wrapping.pool, &funcs) {
        return report;
    }
    let mut wrapped = judge(&wrapping);
    if wrapped.verdict != Verdict::Proved {
        return report;
    }
    wrapped.notes.push(WRAPS.to_owned());
    wrapped
}

/// Whether less is open. Where nothing is, the reason is another one.
fn is_better(report: &Report, than: &Report) -> bool {
    (1..than.open().count()).contains(&report.open().count())
}

/// A program with its claims, as a text.
fn claimed(subject: &Subject) -> String {
    print::program(&subject.pool, &subject.compiled.program)
}

/// The statement that the installed Halide compiles of a pipeline with annotations: of the values of stages, and of reads if these are wanted.
pub fn annotated_statement(stock: &Stock, reads: bool) -> Result<String, String> {
    let marks = if reads { Marks::ValuesAndReads } else { Marks::Values };
    let bytes = pipeline::annotated(&stock.bytes, marks).map_err(|error| error.to_string())?;
    compiled(stock, &bytes).map_err(|error| error.to_string())
}

/// A plain statement and an annotated one of the same pipeline.
#[derive(Clone, Debug)]
pub struct Annotated {
    /// The plain statement, with claims of the annotations.
    pub plain: Stock,
    /// What is said of how much was carried over.
    pub carried: String,
    /// The annotated statement, without its annotations but with their claims.
    pub own: Subject,
    /// Whether the two are one.
    pub is_same: bool,
}

/// Reads a statement with annotations, and carries these over to the plain one.
pub fn carried(stock: &Stock, statement: &str) -> Result<Annotated, String> {
    let mut names = stock.names.clone();
    let block = if dump::is_dump(statement) {
        let read = dump::read(statement, &mut names);
        read.map_err(|error| format!("byte {}: {error}", error.at))?.block
    } else {
        text::statement(statement, &mut names)
            .map_err(|error| format!("byte {}: {error}", error.at))?
    };
    let unsupported = |what: translate::Unsupported| what.diagnostic(None).message;
    let mut source = stock.source.clone();
    // What a statement mentions is known by its own names.
    let mut program = |names, block| {
        let conditions = &stock.conditions;
        translate::program(&mut source, &stock.pipeline, names, (block, conditions))
            .map_err(unsupported)
    };
    let plain = program(&stock.names, &stock.block)?;
    let other = program(&names, &block)?;
    let is_same = claims::same(&mut source.pool, &plain.program, &other.program);
    let before = stock.before.as_ref();
    keep_in_range(&mut source, before);
    let mut own_source = source.clone();
    let mut plain = claims::infer(&mut source, plain, Some(&other));
    demand(&mut source, before, &mut plain);
    let mut own = claims::infer(&mut own_source, other, None);
    demand(&mut own_source, before, &mut own);
    let is_said = |note: &&String| note.starts_with(claims::CARRIED);
    let carried = plain.notes.iter().find(is_said).cloned().unwrap_or_default();
    let mut notes = plain.notes;
    let origin = stock.subject.origin.clone();
    let program = (plain.program, plain.contract);
    let plain = Subject { origin: origin.clone(), ..subject(source, before, program) };
    let own = Subject { origin, ..subject(own_source, before, (own.program, own.contract)) };
    if before.is_none() {
        notes.extend(factored(&stock.pipeline, &stock.names));
    }
    let plain = Stock { subject: plain, notes, ..stock.clone() };
    Ok(Annotated { plain, carried, own, is_same })
}

/// The statement that Halide compiles of a pipeline file, for the machine that the plain one is for: that at hand where a file says nothing of it.
fn compiled(stock: &Stock, bytes: &[u8]) -> Result<String, BridgeError> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("annotated.hlpipe");
    std::fs::write(&file, bytes)?;
    let job = Job { origin: Origin::File(file), target: stock.job.target.clone() };
    let place = folder.path().join("compiled");
    std::fs::create_dir(&place)?;
    let made = job.compile(&place)?;
    Ok(made.dump.unwrap_or(made.statement))
}
