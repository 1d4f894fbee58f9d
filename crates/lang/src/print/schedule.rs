//! Prints schedules as `.hal` text in the usual style: one statement for each stage of a func, with
//! its directives chained.
//!
//! Directives keep their order, in which the directives of one phase are applied: a func has a
//! second statement if directives of another func come between its own.

use halidom_base::FxHashMap;
use halidom_ir::{
    Action, Algorithm, Argument, Directive, ExprId, FuncId, LoopKind, LoopLevel, Pool, Schedule,
    StoreIn, Tail,
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
            open = if let Action::Specialize { condition, directives } = action {
                let condition = self.value(*condition)?;
                statement.parts.push(format!("specialize({condition})"));
                let text = chained(&statement.parts, indent(within));
                self.out.push_str(&text);
                self.out.push_str(" {\n");
                self.statements(directives, Some((*func, *stage)))?;
                self.out.push_str(indent(within));
                self.out.push_str("}\n");
                None
            } else if let Action::Wrap { wrapper, users } = action {
                let users: Answer<Vec<String>> =
                    users.iter().map(|user| self.func(*user)).collect();
                let part = format!("in({})", users?.join(", "));
                self.made.insert(*wrapper, format!("{}.{part}", self.func(*func)?));
                statement.parts.push(part);
                // The following directives are for the copy.
                statement.of = (*wrapper, 0);
                Some(statement)
            } else if let Action::Factor { vars, partial } = action {
                let [(var, new)] = vars.as_slice() else {
                    return Err("a reduction factored by several variables at once");
                };
                let name = self.printer.pool.func(*partial).name.clone();
                statement.parts.push(format!("rfactor({var}, {new}, {name})"));
                self.made.insert(*partial, name);
                self.end(Some(statement), within);
                None
            } else {
                let arguments = self.arguments(action)?.join(", ");
                statement.parts.push(format!("{}({arguments})", action.name()));
                Some(statement)
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
        if let Action::Traverse { kind: LoopKind::Vectorized | LoopKind::Unrolled, .. } = action {
            return Err("a loop that is traversed as a vector or in copies");
        }
        if let Action::StoreIn(StoreIn::Within(_)) = action {
            return Err("memory within another's");
        }
        let mut texts = Vec::new();
        for argument in action.arguments() {
            match argument {
                Argument::Loop(name) | Argument::New(name) | Argument::Dim(name) => {
                    texts.push(name.to_owned());
                }
                Argument::Level(level) => texts.extend(self.level(level)?),
                Argument::Func(func) => texts.push(self.func(func)?),
                Argument::Number(_, value) | Argument::Condition(value) => {
                    texts.push(self.value(value)?);
                }
                Argument::Tail(Tail::Auto) => {}
                Argument::Tail(tail) => texts.push(format!("tail: {}", tail.name())),
                Argument::Word(word) => texts.push(word.to_owned()),
                Argument::Named(name, value) => texts.push(format!("{name}: {value}")),
                Argument::Message(message) => {
                    if message.contains(['"', '\n', '\r']) {
                        return Err("a message with a quotation mark or a line break");
                    }
                    texts.push(format!("\"{message}\""));
                }
            }
        }
        Ok(texts)
    }
}

fn indent(within: Option<(FuncId, usize)>) -> &'static str {
    if within.is_some() { "        " } else { "    " }
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
