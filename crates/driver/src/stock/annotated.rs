//! Prophecies from a second compile: the same pipeline, with annotations that the compiler carries
//! along.
//!
//! Annotations are hints. This module carries them over to the plain statement, which Halide
//! compiles without them, and that statement is judged. Only if this proves nothing is the
//! annotated statement judged separately. Its result is reported in addition to the verdict, which
//! remains a verdict on the plain statement.

use std::sync::Arc;

use halidom_halide::bridge::{BridgeError, Job, Origin};
use halidom_halide::pipeline::{self, Marks};
use halidom_halide::{claims, dump, text, translate};
use halidom_ir::{FuncId, print};
use halidom_validate::{Report, Said, Verdict};

use super::demands::demand;
use super::{Note, Stock, factored, keep_in_range, subject};
use crate::subject::Subject;

/// The policy for compiling a pipeline with annotations too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Annotations {
    /// Never. Obligations that inference cannot settle stay unknown.
    Never,
    /// Only if the claims inferred on the plain statement lead to neither a proof nor a refutation.
    /// If inference leaves accesses without a claim, the annotated pipeline is judged first.
    #[default]
    Fallback,
    /// From the beginning. Claims that annotations cover are not inferred.
    Always,
}

/// The origin of a verdict's prophecies. The verdict is on the plain artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prophecies {
    /// Inferred from the plain artifact.
    Inferred,
    /// Read from the artifact that was compiled with annotations, and carried over.
    Injected {
        /// True if reads were annotated too.
        reads: bool,
        /// True if the annotated statement without its annotations equals the plain one.
        is_same: bool,
        /// A description of how much was carried over.
        carried: String,
    },
}

/// The result of judging the annotated artifact separately.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Beside {
    /// Halide does not compile it or it cannot be read, for this reason.
    Not(String),
    /// It contains no claim that was not inferred.
    Nothing,
    /// It is proved. This proves nothing about the plain artifact.
    Proved,
    /// It is not proved either.
    Unproved,
}

/// A verdict on the plain artifact.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The judged artifact.
    pub stock: Stock,
    /// The verdict.
    pub report: Report,
    /// The origin of its prophecies.
    pub prophecies: Prophecies,
    /// The result for the annotated artifact, if the verdict does not rest on it.
    pub beside: Option<Beside>,
}

/// Judges Halide's compilation, using annotations as the policy requires.
pub fn judged(
    stock: &Stock,
    annotations: Annotations,
    judge: &mut dyn FnMut(&Subject) -> Report,
) -> Judged {
    let mut judge = |subject: &Subject| wrapping(subject, judge);
    let inferred = |judge: &mut dyn FnMut(&Subject) -> Report| Judged {
        report: judge(&stock.subject),
        stock: stock.clone(),
        prophecies: Prophecies::Inferred,
        beside: None,
    };
    let is_open = |judged: &Judged| matches!(judged.report.verdict, Verdict::Unknown(_));
    let mut best: Option<Judged> = None;
    // Without claims for all accesses a proof is unlikely and "unknown" takes long, so annotations
    // come first.
    let has_gaps = stock.notes.iter().any(|note| matches!(note, Note::Unclaimed(_)));
    let is_last = annotations == Annotations::Fallback && has_gaps;
    if annotations != Annotations::Always && !is_last {
        let inferred = inferred(&mut judge);
        if !is_open(&inferred) || annotations == Annotations::Never {
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
        let prophecies = Prophecies::Injected { reads, is_same, carried };
        let judged = Judged { stock: plain, report, prophecies, beside: None };
        if !is_open(&judged) {
            return judged;
        }
        if best.as_ref().is_none_or(|best| is_better(&judged.report, &best.report)) {
            best = Some(judged);
        }
        beside = Beside::Unproved;
    }
    if is_last {
        let inferred = inferred(&mut judge);
        if !is_open(&inferred) {
            return inferred;
        }
        if best.as_ref().is_none_or(|best| !is_better(&best.report, &inferred.report)) {
            best = Some(inferred);
        }
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
        None => Judged { beside: Some(beside), ..inferred(&mut judge) },
    }
}

/// The note on a proof that lets the pipeline's integers wrap.
const WRAPS: &str =
    "shown with signed integers of the pipeline that wrap, so also where they overflow";

/// Judges a program against a pipeline whose signed integers wrap. A proof of that is stronger than
/// required. Runs evaluate the pipeline's own definitions, so a run in which these overflow refutes
/// nothing.
fn wrapping(subject: &Subject, judge: &mut dyn FnMut(&Subject) -> Report) -> Report {
    let mut wrapping = subject.clone();
    let steps = wrapping.compiled.steps.iter();
    let funcs = steps.chain([&wrapping.algorithm]).flat_map(|step| step.funcs.iter().copied());
    let funcs: Vec<FuncId> = funcs.collect();
    if !translate::let_wrap(&mut wrapping.pool, &funcs) {
        return judge(subject);
    }
    let (pool, algorithm) = (subject.pool.clone(), subject.algorithm.clone());
    let lowered = subject.lowered().clone();
    wrapping.compiled.said = Some(Arc::new(Said { pool, algorithm, lowered }));
    let mut report = judge(&wrapping);
    if report.verdict == Verdict::Proved {
        report.notes.push(WRAPS.to_owned());
    }
    report
}

/// Tests whether fewer obligations are open. A report without open obligations is unknown for
/// another reason and does not count as better.
fn is_better(report: &Report, than: &Report) -> bool {
    (1..than.open().count()).contains(&report.open().count())
}

/// The text of a program with its claims.
fn claimed(subject: &Subject) -> String {
    print::program(&subject.pool, &subject.compiled.program)
}

/// The statement that the installed Halide compiles from the annotated pipeline. The annotations
/// cover the values of stages, and also reads if `reads` is set.
pub fn annotated_statement(stock: &Stock, reads: bool) -> Result<String, String> {
    let marks = if reads { Marks::ValuesAndReads } else { Marks::Values };
    let bytes = pipeline::annotated(&stock.bytes, marks).map_err(|error| error.to_string())?;
    compiled(stock, &bytes).map_err(|error| error.to_string())
}

/// A plain statement and an annotated statement of the same pipeline.
#[derive(Clone, Debug)]
pub struct Annotated {
    /// The plain statement, with the annotations' claims.
    pub plain: Stock,
    /// A description of how much was carried over.
    pub carried: String,
    /// The annotated statement, with its annotations turned into claims.
    pub own: Subject,
    /// True if the two statements are equal apart from annotations.
    pub is_same: bool,
}

/// Reads an annotated statement and carries its annotations over to the plain one.
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
    // Each statement's names resolve in its own name table.
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
    let is_said = |note: &&Note| matches!(note, Note::Annotated(_));
    let carried = plain.notes.iter().find(is_said).map(ToString::to_string).unwrap_or_default();
    let mut notes = plain.notes;
    let origin = stock.subject.origin.clone();
    let program = (plain.program, plain.contract);
    let plain = Subject { origin: origin.clone(), ..subject(source, before, program) };
    let own = Subject { origin, ..subject(own_source, before, (own.program, own.contract)) };
    if before.is_none() {
        notes.extend(factored(&stock.pipeline, &stock.names).map(Note::Other));
    }
    let plain = Stock { subject: plain, notes, ..stock.clone() };
    Ok(Annotated { plain, carried, own, is_same })
}

/// The statement that Halide compiles from a pipeline file for the plain statement's target. The
/// target is the host machine if the file names none.
fn compiled(stock: &Stock, bytes: &[u8]) -> Result<String, BridgeError> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("annotated.hlpipe");
    std::fs::write(&file, bytes)?;
    let job = Job { origin: Origin::File(file), ..stock.job.clone() };
    let place = folder.path().join("compiled");
    std::fs::create_dir(&place)?;
    let made = job.compile(&place)?;
    Ok(made.dump.unwrap_or(made.statement))
}
