//! Prints schedules as `.hal` text in the usual style: one statement for each stage of a func, with
//! its directives chained.
//!
//! Directives keep their order, in which the directives of one phase are applied: a func has a
//! second statement if directives of another func come between its own.

use halidom_base::FxHashMap;
use halidom_ir::{
    Action, Algorithm, Directive, ExprId, FuncId, LoopKind, LoopLevel, Pool, Schedule, StoreIn,
    Tail,
};

use super::{Answer, Printer, Unprintable, bare};
use crate::check::reserved_names;

/// The maximum line width, except for a single directive that is longer.
const WIDTH: usize = 110;

/// Returns the text of a schedule for a pipeline that [`crate::parse`] has read, to be placed after
/// that pipeline in its file.
///
/// # Errors
/// Schedules that the language cannot express; every schedule that was read from a text can be
/// expressed.
pub fn print_schedule(
    pool: &Pool,
    algorithm: &Algorithm,
    schedule: &Schedule,
) -> Result<String, Unprintable> {
    let mut writer = Writer {
        printer: Printer::with_names(pool, algorithm, |name, _| as_written(name)),
        made: FxHashMap::default(),
        place: String::new(),
        out: format!("schedule {} for {} {{\n", schedule.name, algorithm.name),
    };
    match writer.statements(&schedule.directives, None) {
        Ok(()) => {
            writer.out.push_str("}\n");
            Ok(writer.out)
        }
        Err(what) => Err(Unprintable { what, func: writer.place }),
    }
}

/// Returns the text's name for a func of the algorithm: an element of an array is `f[3]`. Inline
/// reductions have no name other than the algorithm's.
fn as_written(name: &str) -> String {
    match name.rsplit_once('$') {
        Some((array, index))
            if index.parse::<i128>().is_ok() && reserved_names().all(|known| known != array) =>
        {
            format!("{array}[{index}]")
        }
        Some(_) | None => name.to_owned(),
    }
}

struct Writer<'p> {
    printer: Printer<'p>,
    /// The names of the funcs that the schedule has made so far.
    made: FxHashMap<FuncId, String>,
    /// The current func, for refusals.
    place: String,
    out: String,
}

/// A partial statement: its func and stage, and the parts between its dots.
struct Statement {
    of: (FuncId, usize),
    parts: Vec<String>,
}

impl Writer<'_> {
    /// Prints directives in order; `within` is the stage of the enclosing specialization.
    fn statements(
        &mut self,
        directives: &[Directive],
        within: Option<(FuncId, usize)>,
    ) -> Answer<()> {
        let mut open: Option<Statement> = None;
        for directive in directives {
            let Directive { func, stage, action, .. } = directive;
            self.place.clone_from(&self.printer.pool.func(*func).name);
            let begins = matches!(action, Action::Wrap { .. });
            let mut statement = match open.take() {
                Some(statement) if statement.of == (*func, *stage) && !begins => statement,
                other => {
                    self.end(other, within);
                    self.begin((*func, *stage), within)?
                }
            };
            open = match action {
                Action::Specialize { condition, directives } => {
                    let condition = self.value(*condition)?;
                    statement.parts.push(format!("specialize({condition})"));
                    let text = chained(&statement.parts, indent(within));
                    self.out.push_str(&text);
                    self.out.push_str(" {\n");
                    self.statements(directives, Some((*func, *stage)))?;
                    self.out.push_str(indent(within));
                    self.out.push_str("}\n");
                    None
                }
                Action::Wrap { wrapper, users } => {
                    let users: Answer<Vec<String>> =
                        users.iter().map(|user| self.func(*user)).collect();
                    let part = format!("in({})", users?.join(", "));
                    self.made.insert(*wrapper, format!("{}.{part}", self.func(*func)?));
                    statement.parts.push(part);
                    // The following directives are for the copy.
                    statement.of = (*wrapper, 0);
                    Some(statement)
                }
                Action::Factor { vars, partial } => {
                    let [(var, new)] = vars.as_slice() else {
                        return Err("a reduction factored by several variables at once");
                    };
                    let name = self.printer.pool.func(*partial).name.clone();
                    statement.parts.push(format!("rfactor({var}, {new}, {name})"));
                    self.made.insert(*partial, name);
                    self.end(Some(statement), within);
                    None
                }
                Action::SpecializeFail { .. }
                | Action::Split { .. }
                | Action::Tile { .. }
                | Action::Fuse { .. }
                | Action::Reorder { .. }
                | Action::Swap { .. }
                | Action::Traverse { .. }
                | Action::Vectorize { .. }
                | Action::Unroll { .. }
                | Action::Partition { .. }
                | Action::Prefetch { .. }
                | Action::Rename { .. }
                | Action::Atomic
                | Action::ComputeAt(_)
                | Action::ComputeRoot
                | Action::ComputeInline
                | Action::StoreAt(_)
                | Action::StoreRoot
                | Action::HoistStorage(_)
                | Action::ReorderStorage { .. }
                | Action::AlignStorage { .. }
                | Action::PadStorage { .. }
                | Action::Realign
                | Action::FoldStorage { .. }
                | Action::StoreIn(_)
                | Action::Bound { .. }
                | Action::AlignBounds { .. } => {
                    let arguments = self.arguments(action)?.join(", ");
                    statement.parts.push(format!("{}({arguments})", action.name()));
                    Some(statement)
                }
            };
        }
        self.end(open, within);
        Ok(())
    }

    /// Begins a statement, up to its directives.
    fn begin(
        &self,
        (func, stage): (FuncId, usize),
        within: Option<(FuncId, usize)>,
    ) -> Answer<Statement> {
        let mut parts = vec![self.func(func)?];
        match within {
            Some((outer, _)) if outer != func => return Err("a specialization of another func"),
            Some((_, outer)) if outer == stage => {}
            Some(_) | None if stage > 0 => parts.push(format!("update({stage})")),
            Some(_) => return Err("a specialization of an update that schedules the first stage"),
            None => {}
        }
        Ok(Statement { of: (func, stage), parts })
    }

    fn end(&mut self, statement: Option<Statement>, within: Option<(FuncId, usize)>) {
        if let Some(statement) = statement {
            let text = chained(&statement.parts, indent(within));
            self.out.push_str(&text);
            self.out.push_str(";\n");
        }
    }

    /// Returns the text's name for a func, or for a copy of one.
    fn func(&self, func: FuncId) -> Answer<String> {
        let name = self.made.get(&func).or_else(|| self.printer.funcs.get(&func));
        name.cloned().ok_or("a func of another pipeline")
    }

    fn value(&self, expr: ExprId) -> Answer<String> {
        Ok(bare(&self.printer.expr(expr)?).to_owned())
    }

    fn level(&self, level: &LoopLevel) -> Answer<Vec<String>> {
        let func = self.func(level.func)?;
        let stage = match level.stage {
            None => func,
            Some(0) => return Err("a loop of a first stage, of a func that has updates,"),
            Some(stage) => format!("{func}.update({stage})"),
        };
        Ok(vec![stage, level.var.clone()])
    }

    fn arguments(&self, action: &Action) -> Answer<Vec<String>> {
        let name = |text: &str| vec![text.to_owned()];
        Ok(match action {
            Action::SpecializeFail { message } => {
                if message.contains(['"', '\n', '\r']) {
                    return Err("a message with a quotation mark or a line break");
                }
                vec![format!("\"{message}\"")]
            }
            Action::Split { var, outer, inner, factor, tail } => {
                let names = [var, outer, inner].map(Clone::clone);
                with_tail(names.into_iter().chain([self.value(*factor)?]).collect(), *tail)
            }
            Action::Tile { vars, outer, inner, factors, tail } => {
                let mut all: Vec<String> = vars.iter().chain(outer).chain(inner).cloned().collect();
                for factor in factors {
                    all.push(self.value(*factor)?);
                }
                with_tail(all, *tail)
            }
            Action::Fuse { outer, inner, fused } => [outer, inner, fused].map(Clone::clone).into(),
            Action::Reorder { vars } | Action::ReorderStorage { vars } => vars.clone(),
            Action::Swap { var } => name(var),
            Action::Traverse { var, kind } => match kind {
                LoopKind::Parallel(deal) => {
                    let (policy, chunk) = deal.words();
                    let policy = policy.map(str::to_owned);
                    let chunk = chunk.map(|chunk| format!("chunk: {chunk}"));
                    name(var).into_iter().chain(policy).chain(chunk).collect()
                }
                LoopKind::Serial | LoopKind::GpuBlocks | LoopKind::GpuThreads => name(var),
                LoopKind::Vectorized | LoopKind::Unrolled => {
                    return Err("a loop that is traversed as a vector or in copies");
                }
            },
            Action::Vectorize { var, lanes: factor, tail }
            | Action::Unroll { var, factor, tail } => {
                let mut all = name(var);
                if let Some(factor) = factor {
                    all.push(self.value(*factor)?);
                }
                with_tail(all, *tail)
            }
            Action::Partition { var, policy } => vec![var.clone(), policy.name().to_owned()],
            Action::Prefetch { func, var, ahead } => {
                vec![self.func(*func)?, var.clone(), format!("ahead: {ahead}")]
            }
            Action::Rename { from, to } => vec![from.clone(), to.clone()],
            Action::Atomic
            | Action::Realign
            | Action::ComputeRoot
            | Action::ComputeInline
            | Action::StoreRoot
            | Action::HoistStorage(None) => Vec::new(),
            Action::ComputeAt(level)
            | Action::StoreAt(level)
            | Action::HoistStorage(Some(level)) => self.level(level)?,
            Action::AlignStorage { var, modulus } => vec![var.clone(), self.value(*modulus)?],
            Action::PadStorage { var, amount } => vec![var.clone(), self.value(*amount)?],
            Action::FoldStorage { var, factor, direction } => {
                let mut all = vec![var.clone(), self.value(*factor)?];
                all.extend(direction.map(|direction| direction.name().to_owned()));
                all
            }
            Action::StoreIn(StoreIn::Within(_)) => return Err("memory within another's"),
            Action::StoreIn(place) => name(place.name()),
            Action::Bound { var, min, extent } => {
                let mut all = name(var);
                for value in min.iter().chain([extent]) {
                    all.push(self.value(*value)?);
                }
                all
            }
            Action::AlignBounds { var, modulus, remainder } => {
                vec![var.clone(), self.value(*modulus)?, self.value(*remainder)?]
            }
            Action::Specialize { .. } | Action::Wrap { .. } | Action::Factor { .. } => {
                return Err("a directive that is a statement");
            }
        })
    }
}

fn indent(within: Option<(FuncId, usize)>) -> &'static str {
    if within.is_some() { "        " } else { "    " }
}

fn with_tail(mut arguments: Vec<String>, tail: Tail) -> Vec<String> {
    if tail != Tail::Auto {
        arguments.push(format!("tail: {}", tail.name()));
    }
    arguments
}

/// Joins parts with dots, on as many lines as they need.
fn chained(parts: &[String], indent: &str) -> String {
    let mut text = indent.to_owned();
    let mut width = indent.len();
    for (number, part) in parts.iter().enumerate() {
        let breaks = number > 1 && width + 1 + part.len() > WIDTH;
        if breaks {
            text.push('\n');
            text.push_str(indent);
            text.push_str("    ");
            width = indent.len() + 4;
        }
        if number > 0 {
            text.push('.');
        }
        text.push_str(part);
        width += 1 + part.len();
    }
    text
}
