//! Halos: the region of each input that a window of the outputs needs, as a formula that is proved.
//!
//! All inputs of the pipeline get windows ([`crate::windows`]). Bounds inference, which nobody
//! trusts, proposes a region for each input: an interval for each dimension, over the window, the
//! parameters and the shape of the whole. Then the program is compiled with *this formula* as its
//! only check on the stored part: it must contain the formula's box. If the validator proves that
//! program, every read lies in the stored part, if that contains the box. The formula does not
//! mention the stored part, so a caller can store exactly the box. So the box is enough. A formula
//! that is too small leaves an obligation open.
//!
//! An end of an interval is *read* if the definitions read an element of the input there, for every
//! window with elements whose box has elements. Then no smaller box is enough ([`mod@reads`]).

mod inside;
mod opened;
pub mod overlap;
pub mod reads;
mod region;
mod show;

use halidom_base::{FxHashSet, IndexMap, IndexSet};
use halidom_diag::{Code, Diagnostic, Severity};
use halidom_ir::{BinaryOp, Check, Expr, ExprId, FuncId, Interval, Pool, Program, Stmt, VarId};
use halidom_validate::Report;

use crate::compile::{self, Compiled};
use crate::judge::{self, Options};
use crate::source::{Choice, Loaded};
use crate::subject::Subject;
use crate::windows::Window;
use opened::opened;
use reads::Reads;
pub use region::{Reach, Region};

/// A formula for each input, and the program that is owed a proof.
#[derive(Clone, Debug)]
pub struct Halo {
    /// The program whose checks on inputs are the formula.
    pub subject: Subject,
    /// The inputs that are read, in the order of the signature.
    pub regions: Vec<Region>,
}

/// Finds the formula of a pipeline under a schedule. The pipeline's inputs get windows in a copy.
pub fn find(loaded: &Loaded, choice: &Choice) -> Result<Halo, Vec<Diagnostic>> {
    find_with(loaded, choice, &mut |_, _, _| {})
}

/// Finds the formula alone, without the program that shows that it is enough.
pub fn regions(loaded: &Loaded, choice: &Choice) -> Result<Vec<Region>, Vec<Diagnostic>> {
    let mut loaded = opened(loaded, choice);
    let program = compile::structure(&mut loaded, choice, &mut |_, _, _| {})?;
    let pool = &mut loaded.module.pool;
    let boxes = boxes(pool, &program);
    Ok(show::regions(pool, (&program.outputs, &loaded.windows), &boxes))
}

/// A change of the formula: it gets the pool, an input and a dimension, and the interval.
pub type Change<'c> = &'c mut dyn FnMut(&mut Pool, (FuncId, usize), &mut Interval);

/// Finds the formula as [`find`] does, and changes each interval before the program is made: a
/// change that takes away what is read must not be proved.
pub fn find_with(
    loaded: &Loaded,
    choice: &Choice,
    change: Change<'_>,
) -> Result<Halo, Vec<Diagnostic>> {
    let mut loaded = opened(loaded, choice);
    let mut subject = crate::subject::compiled(&mut loaded, choice, &mut |_, _, _| {})?;
    let structured = subject.compiled.structured.clone();
    let pool = &mut subject.pool;
    let mut boxes = boxes(pool, &structured);
    for (place, interval) in &mut boxes {
        change(pool, *place, interval);
    }
    let mentioned = stored(pool, &subject.windows);
    for ((input, _), interval) in &boxes {
        if [interval.min, interval.extent].into_iter().any(|end| mentions(pool, end, &mentioned)) {
            return Err(vec![depends(pool, *input)]);
        }
    }
    let structured = with_formula(pool, &structured, &boxes);
    let finished = compile::finish(pool, &structured, &mut |_, _, _| {})?;
    subject.compiled = Compiled { structured, program: finished.program, ..subject.compiled };
    let regions =
        show::regions(&subject.pool, (&subject.compiled.program.outputs, &subject.windows), &boxes);
    Ok(Halo { subject, regions })
}

impl Halo {
    /// Proves that the box of the formula is enough, or finds out that it is not.
    pub fn prove(&self, options: &Options) -> Report {
        judge::judge(&self.subject.pool, &self.subject.algorithm, &self.subject.compiled, options)
    }

    /// Finds the ends of intervals that are always read: for each region and dimension, whether the
    /// low and the high end are. An end that is not shown to be read is not claimed.
    pub fn reads(&self, options: &Options) -> Vec<Vec<(bool, bool)>> {
        let mut reads = Reads::new(&self.subject, options);
        self.regions.iter().map(|region| reads.ends(region)).collect()
    }
}

/// The hull of the regions that entry checks demand, by input and dimension.
fn boxes(pool: &mut Pool, program: &Program) -> IndexMap<(FuncId, usize), Interval> {
    let mut boxes: IndexMap<(FuncId, usize), Interval> = IndexMap::default();
    let mut demands = Vec::new();
    halidom_ir::visit::for_each_stmt(pool, program.body, &mut |_, stmt| {
        if let Stmt::Assert { check: Check::InputRegion { input, dim, needed, .. }, .. } = stmt {
            demands.push(((*input, *dim), *needed));
        }
    });
    for (place, needed) in demands {
        let hull = match boxes.get(&place) {
            None => needed,
            Some(known) => {
                let [own, other] = [*known, needed].map(|one| pool.add(one.min, one.extent));
                let min = pool.binary(BinaryOp::Min, known.min, needed.min);
                let end = pool.binary(BinaryOp::Max, own, other);
                Interval { min, extent: pool.sub(end, min) }
            }
        };
        boxes.insert(place, hull);
    }
    boxes
}

/// The variables of what is stored: bounds of buffers that have windows.
fn stored(pool: &Pool, windows: &[Window]) -> FxHashSet<VarId> {
    let dims = windows.iter().flat_map(|window| &pool.buffer(window.stored).dims);
    let ends = dims.flat_map(|dim| [dim.min, dim.extent, dim.stride]);
    let as_var = |end| if let Expr::Var(var) = pool.get(end) { Some(*var) } else { None };
    ends.filter_map(as_var).collect()
}

fn mentions(pool: &Pool, expr: ExprId, vars: &FxHashSet<VarId>) -> bool {
    let mut found = false;
    pool.for_each_subexpr(expr, &mut |_, expr| {
        found |= matches!(expr, Expr::Var(var) if vars.contains(var));
    });
    found
}

fn depends(pool: &Pool, input: FuncId) -> Diagnostic {
    let name = &pool.func(input).name;
    let message = format!("the region of `{name}` depends on the part of an input that is given");
    Diagnostic::without_place(Severity::Error, Code("HAL0905"), message).with_hint(
        "this is a defect of Halidom: please report it with the program and the schedule",
    )
}

/// Replaces the checks on what is stored by one for each dimension: it contains the formula's
/// interval.
fn with_formula(
    pool: &mut Pool,
    program: &Program,
    boxes: &IndexMap<(FuncId, usize), Interval>,
) -> Program {
    let Stmt::Block(stmts) = pool.get_stmt(program.body).clone() else { return program.clone() };
    let mut made: IndexSet<(FuncId, usize)> = IndexSet::default();
    let mut kept = Vec::new();
    for stmt in stmts {
        let Stmt::Assert { check: Check::InputRegion { input, dim, given, .. }, .. } =
            pool.get_stmt(stmt).clone()
        else {
            kept.push(stmt);
            continue;
        };
        let Some(needed) = boxes.get(&(input, dim)).copied() else { continue };
        if !made.insert((input, dim)) {
            continue;
        }
        let [needed_end, given_end] = [needed, given].map(|one| pool.add(one.min, one.extent));
        let begins = pool.binary(BinaryOp::Le, given.min, needed.min);
        let ends = pool.binary(BinaryOp::Le, needed_end, given_end);
        let condition = pool.binary(BinaryOp::And, begins, ends);
        let check = Check::InputRegion { input, dim, needed, given };
        kept.push(pool.stmt(Stmt::Assert { condition, check }));
    }
    let body = pool.stmt(Stmt::Block(kept));
    Program { body, ..program.clone() }
}
