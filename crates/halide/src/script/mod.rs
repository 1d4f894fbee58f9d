//! Prints algorithms and schedules of `ir` as Python scripts for Halide. Each script defines
//! `pipeline()`. Prints schedules alone in Python and in C++.
//!
//! The scripts serve to try stock Halide on generated programs, and to time its code against ours.
//! A script computes the same as the algorithm wherever `int`s fit 32 bits, signed integers of 32
//! and 64 bits do not overflow, shifts are by less than the width, and floats that are converted to
//! integers fit them. Halide may contract and regroup floats. A proof does not rest on the script,
//! but on the pipeline that Halide serializes from it.

mod error;
mod exprs;
mod language;
mod schedule;
mod writer;

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::{
    Action, Algorithm, Directive, Expr, ExprId, FuncId, FuncKind, Pool, Schedule, SchedulePhase,
    Stage, VarId,
};

pub use error::Unprintable;
use error::{Result, unprintable};
use exprs::{Unit, type_word};
pub use language::Language;
use language::is_reserved;
use writer::{Loop, Writer};

/// The line above the directives; each directive is one line.
pub const SCHEDULE: &str = "    # The schedule.";

/// Prints an algorithm under a schedule.
///
/// # Errors
/// Returns an error for a construct that Halide's Python cannot express.
pub fn print(pool: &Pool, algorithm: &Algorithm, schedule: &Schedule) -> Result<String> {
    let mut writer = Writer::new(pool, Language::Python);
    writer.algorithm(algorithm)?;
    let Directives { loops, lines: directives } = writer.directives(algorithm, schedule)?;
    let mut lines = vec!["import halide as hl".to_owned(), String::new(), String::new()];
    lines.push("def pipeline():".to_owned());
    lines.extend(writer.lines.iter().chain(&loops).map(|line| format!("    {line}")));
    lines.push(SCHEDULE.to_owned());
    lines.extend(directives.iter().map(|line| format!("    {line}")));
    let outputs: Vec<&str> =
        algorithm.outputs.iter().map(|func| writer.funcs[func].as_str()).collect();
    let outputs = outputs.join(", ");
    if algorithm.requires.is_empty() {
        lines.push(format!("    return [{outputs}]"));
    } else {
        lines.push(format!("    made = hl.Pipeline([{outputs}])"));
        for require in &algorithm.requires {
            let condition = writer.expr(require.condition, Unit::Typed)?;
            lines.push(format!("    made.add_requirement({condition}, {:?})", require.message));
        }
        lines.push("    return made".to_owned());
    }
    lines.push(String::new());
    Ok(lines.join("\n"))
}

/// Prints a schedule alone, to be pasted into a program for Halide in which the funcs, variables
/// and reduction domains are called as in the script of [`print()`].
///
/// # Errors
/// Returns an error for a construct that Halide cannot express in this language.
pub fn directives(
    pool: &Pool,
    algorithm: &Algorithm,
    schedule: &Schedule,
    language: Language,
) -> Result<String> {
    let mut writer = Writer::new(pool, language);
    writer.algorithm(algorithm)?;
    let Directives { loops, lines } = writer.directives(algorithm, schedule)?;
    let mut text = [loops, lines].concat().join("\n");
    text.push('\n');
    Ok(text)
}

/// The number of directives that place the computation of a func.
fn placements(schedule: &Schedule, func: FuncId) -> usize {
    let places = |directive: &&Directive| {
        directive.func == func
            && matches!(
                directive.action,
                Action::ComputeAt(_) | Action::ComputeRoot | Action::ComputeInline
            )
    };
    schedule.directives.iter().filter(places).count()
}

/// A printed schedule.
struct Directives {
    /// The declarations of the loops that directives make.
    loops: Vec<String>,
    /// The directives, each on one line.
    lines: Vec<String>,
}

impl Writer<'_> {
    /// Prints the directives of a schedule; the algorithm is printed already.
    fn directives(&mut self, algorithm: &Algorithm, schedule: &Schedule) -> Result<Directives> {
        let declared = self.lines.len();
        let mut lines = self.roots(algorithm, schedule);
        let mut ordered: Vec<&Directive> = schedule.directives.iter().collect();
        // Halide applies directives in the given order, ours go by phase. The phases after that of
        // the loops are one to Halide.
        ordered.sort_by_key(|directive| directive.action.phase().min(SchedulePhase::Compute));
        for directive in ordered {
            // Halide inlines funcs by default.
            let is_default = directive.action == Action::ComputeInline
                && placements(schedule, directive.func) == 1;
            if !is_default {
                lines.extend(self.directive(directive, None)?);
            }
        }
        Ok(Directives { loops: self.lines.split_off(declared), lines })
    }

    /// A free name similar to this one.
    fn name(&mut self, like: &str) -> String {
        let plain: String =
            like.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let mut name = plain.clone();
        let mut number = 1;
        while is_reserved(&name) || !self.used.insert(name.clone()) {
            name = format!("{plain}_{number}");
            number += 1;
        }
        name
    }

    /// The `Var` or `RVar` with a name.
    fn loop_var(&mut self, name: &str, is_reduction: bool) -> String {
        let key = (name.to_owned(), is_reduction);
        if let Some(word) = self.loop_vars.get(&key) {
            return word.clone();
        }
        let word = self.name(name);
        let kind = if is_reduction { "RVar" } else { "Var" };
        self.lines.push(match self.language {
            Language::Python => format!("{word} = hl.{kind}({name:?})"),
            Language::Cpp => format!("{kind} {word}({name:?});"),
        });
        self.loop_vars.insert(key, word.clone());
        word
    }

    fn algorithm(&mut self, algorithm: &Algorithm) -> Result<()> {
        let pool = self.pool;
        for param in &algorithm.params {
            let decl = pool.var(*param);
            let word = self.name(&decl.name);
            let ty = type_word(decl.ty.scalar);
            self.lines.push(format!("{word} = hl.Param({ty}, {:?})", decl.name));
            self.vars.insert(*param, word);
        }
        for input in &algorithm.inputs {
            let decl = pool.func(*input);
            let word = self.name(&decl.name);
            let (ty, rank) = (type_word(decl.scalar(0)), decl.rank());
            self.lines.push(format!("{word} = hl.ImageParam({ty}, {rank}, {:?})", decl.name));
            self.input_shape(*input, &word);
            self.funcs.insert(*input, word);
        }
        for func in &algorithm.funcs {
            self.func(*func)?;
        }
        Ok(())
    }

    /// Binds the shape of an input to the Python expressions for it.
    fn input_shape(&mut self, input: FuncId, word: &str) {
        let pool = self.pool;
        let buffers = pool.buffers().filter(|(_, buffer)| {
            buffer.func == input && buffer.kind == halidom_ir::BufferKind::Input
        });
        for (_, buffer) in buffers {
            for (number, dim) in buffer.dims.iter().enumerate() {
                for (part, id) in [("min", dim.min), ("extent", dim.extent), ("stride", dim.stride)]
                {
                    if let Expr::Var(var) = pool.get(id) {
                        self.vars.insert(*var, format!("{word}.dim({number}).{part}()"));
                    }
                }
            }
        }
    }

    fn func(&mut self, func: FuncId) -> Result<()> {
        let pool = self.pool;
        let decl = pool.func(func);
        let word = self.name(&decl.name);
        self.lines.push(format!("{word} = hl.Func({:?})", decl.name));
        self.funcs.insert(func, word.clone());
        let mut pure = Vec::new();
        for arg in &decl.args {
            let name = pool.var(*arg).name.clone();
            let var = self.loop_var(&name, false);
            self.vars.insert(*arg, var.clone());
            pure.push((name, Loop { word: var, is_reduction: false }));
        }
        for (number, stage) in decl.stages().iter().enumerate() {
            let mut loops = self.domain(&word, number, stage)?;
            // A dimension that the update fixes has no loop.
            loops.extend(pure.iter().zip(&decl.args).filter_map(|(known, arg)| {
                let free = stage
                    .lhs
                    .iter()
                    .any(|lhs| matches!(pool.get(*lhs), Expr::Var(var) if var == arg));
                free.then(|| known.clone())
            }));
            self.loops.insert((func, number), loops);
            self.name_shared(&word, stage)?;
            let lhs = self.args(&stage.lhs)?;
            let mut values: Vec<String> = stage
                .values
                .iter()
                .map(|value| self.expr(*value, Unit::Typed))
                .collect::<Result<_>>()?;
            if let (Some(variable), [first, ..]) = (self.unmentioned(stage), &*stage.values) {
                // Halide forgets a domain that the update does not mention.
                let name = self.name(&format!("{word}_part"));
                let value = self.value(*first)?;
                self.lines.push(format!("{name} = {value}"));
                values[0] = format!("hl.select({variable} == {variable}, {name}, {name})");
            }
            let value = match values.as_slice() {
                [value] => value.clone(),
                values => format!("({})", values.join(", ")),
            };
            self.lines.push(format!("{word}[{lhs}] = {value}"));
            self.named.clear();
        }
        Ok(())
    }

    /// Returns a variable of a stage's domain if no expression of the update mentions any of them.
    fn unmentioned(&self, stage: &Stage) -> Option<String> {
        let first = stage.domain.first()?;
        let is_own = |var: &VarId| stage.domain.iter().any(|own| own.var == *var);
        let mut is_mentioned = false;
        for root in stage.lhs.iter().chain(&stage.values) {
            self.pool.for_each_subexpr(*root, &mut |_, expr| {
                is_mentioned |= matches!(expr, Expr::Var(var) if is_own(var));
            });
        }
        (!is_mentioned).then(|| self.vars.get(&first.var).cloned()).flatten()
    }

    /// Assigns variables to subexpressions that a stage uses more than once, so that the length of
    /// the text is linear in the size of the graph.
    fn name_shared(&mut self, func: &str, stage: &Stage) -> Result<()> {
        let mut uses: FxHashMap<ExprId, usize> = FxHashMap::default();
        let mut order = Vec::new();
        let mut seen = FxHashSet::default();
        for root in stage.lhs.iter().chain(&stage.values) {
            *uses.entry(*root).or_default() += 1;
            self.pool.for_each_subexpr(*root, &mut |id, expr| {
                if seen.insert(id) {
                    // The text of a far shift repeats its operands.
                    let times = if self.is_far_shift(expr) { 2 } else { 1 };
                    expr.for_each_operand(|operand| *uses.entry(operand).or_default() += times);
                    order.push(id);
                }
            });
        }
        for id in order {
            let is_leaf = matches!(self.pool.get(id), Expr::Const(_) | Expr::Var(_));
            if !is_leaf && uses.get(&id).is_some_and(|uses| *uses > 1) {
                let value = self.expr(id, Unit::Typed)?;
                let name = self.name(&format!("{func}_part"));
                self.lines.push(format!("{name} = {value}"));
                self.named.insert(id, name);
            }
        }
        Ok(())
    }

    /// Computes at the root the funcs that we compute there by default, and Halide inline, unless
    /// the schedule names another place.
    fn roots(&self, algorithm: &Algorithm, schedule: &Schedule) -> Vec<String> {
        let inner = algorithm.funcs.iter().filter(|func| !algorithm.outputs.contains(func));
        let stored = inner.filter(|func| {
            let kind = &self.pool.func(**func).kind;
            !matches!(kind, FuncKind::Defined { synthetic: true, .. })
                && placements(schedule, **func) == 0
        });
        let end = self.language.end();
        stored.map(|func| format!("{}.compute_root(){end}", self.funcs[func])).collect()
    }

    /// Declares the reduction domain of a stage; returns its loops.
    fn domain(&mut self, func: &str, number: usize, stage: &Stage) -> Result<Vec<(String, Loop)>> {
        if stage.domain.is_empty() {
            // A condition without a domain would need a domain with one point.
            return if stage.predicate.is_some() {
                unprintable("a condition without a domain")
            } else {
                Ok(Vec::new())
            };
        }
        let word = self.name(&format!("{func}_r{number}"));
        let mut ranges = Vec::new();
        for variable in &stage.domain {
            let min = self.expr(variable.min, Unit::Plain)?;
            let extent = self.expr(variable.extent, Unit::Plain)?;
            ranges.push(format!("({min}, {extent})"));
        }
        self.lines.push(format!("{word} = hl.RDom([{}], {word:?})", ranges.join(", ")));
        let mut loops = Vec::new();
        for (position, variable) in stage.domain.iter().enumerate() {
            let own = format!("{word}[{position}]");
            self.vars.insert(variable.var, own.clone());
            let name = self.pool.var(variable.var).name.clone();
            loops.push((name, Loop { word: own, is_reduction: true }));
        }
        if let Some(predicate) = stage.predicate {
            let condition = self.expr(predicate, Unit::Typed)?;
            self.lines.push(format!("{word}.where({condition})"));
        }
        Ok(loops)
    }

    /// The coordinates between brackets.
    fn args(&self, args: &[ExprId]) -> Result<String> {
        if args.is_empty() {
            return Ok("()".to_owned());
        }
        let args: Result<Vec<String>> =
            args.iter().map(|arg| self.expr(*arg, Unit::Plain)).collect();
        Ok(args?.join(", "))
    }
}
