//! Checks of folded storage during a run.
//!
//! # Correctness
//! If Halide does not know how far the needed region moves from one iteration to the next, it keeps
//! the furthest coordinate in memory of one element (`FUNC.LOOP_NUMBER.head`) and checks that the
//! fold is large enough; a check that fails ends the run with an error. Here this memory is taken
//! out with its stores and the checks that read it: nothing else depends on it, and a statement
//! without checks makes the runs of the one with checks and more. So no proof rests on such a
//! check.
//! Nothing is taken out if one of the names also stands for something else, or if the schedule does
//! not fold the func: a check that the schedule does not ask for would refuse calls for no reason.

use halidom_base::FxHashSet;

use super::scopes::belong;
use crate::pipeline::{Func, Pipeline};
use crate::tree::{Block, Expr, Stmt, StmtKind, Type};
use crate::{NameId, Names};

/// The ends of the names of the memory.
const MEMORY: [&str; 4] = [".head", ".head_next", ".tail", ".tail_next"];

/// The statements without those that check folds; nothing if there are none, or if something else
/// depends on the memory.
pub(super) fn without(names: &Names, pipeline: &Pipeline, block: &Block) -> Option<Block> {
    let folds = |func: &&Func| func.schedule.storage.iter().any(|dim| dim.fold.is_some());
    let folded = pipeline.funcs.iter().filter(folds).map(|func| names.text(func.name)).collect();
    let loops = pipeline.funcs.iter().map(|func| format!("{}.s", names.text(func.name))).collect();
    let (memory, bound) = (FxHashSet::default(), FxHashSet::default());
    let mut found = Found { names, folded, loops, memory, bound };
    found.collect(block);
    let known = found.memory.union(&found.bound).copied().collect();
    let is_right = found.only_checks(block) && belong(block, &known, &|stmt| found.binds(stmt));
    if found.memory.is_empty() || !is_right {
        return None;
    }
    let mut block = block.clone();
    found.strip(&mut block);
    Some(block)
}

struct Found<'a> {
    names: &'a Names,
    /// The funcs that the schedule folds.
    folded: Vec<&'a str>,
    /// The beginnings of the names of loops, one for each func.
    loops: Vec<String>,
    memory: FxHashSet<NameId>,
    /// Names of values that depend on the memory.
    bound: FxHashSet<NameId>,
}

impl Found<'_> {
    fn collect(&mut self, block: &[Stmt]) {
        for stmt in block {
            self.memory.extend(self.allocated(stmt));
            if let StmtKind::Let { name, value } = &stmt.kind
                && self.depends(value)
            {
                self.bound.insert(*name);
            }
            stmt.for_each_block(&mut |inner| self.collect(inner));
        }
    }

    /// The memory that a statement allocates.
    fn allocated(&self, stmt: &Stmt) -> Option<NameId> {
        if let Some((name, Type::INT32, [Expr::Int(1, _)])) = stmt.allocated()
            && self.is_of_fold(self.names.text(name))
        {
            return Some(name);
        }
        None
    }

    /// Tests for the name of memory for a fold of the schedule: `FUNC.LOOP_NUMBER.head`, for a
    /// loop of one of the funcs.
    fn is_of_fold(&self, name: &str) -> bool {
        let of_place = MEMORY.iter().find_map(|end| name.strip_suffix(end));
        let Some((place, number)) = of_place.and_then(|place| place.rsplit_once('_')) else {
            return false;
        };
        let is_loop = |func: &str| {
            let name = place.strip_prefix(func).and_then(|of| of.strip_prefix('.'));
            name.is_some_and(|name| self.loops.iter().any(|of| name.starts_with(of.as_str())))
        };
        !number.is_empty()
            && number.bytes().all(|digit| digit.is_ascii_digit())
            && self.folded.iter().any(|func| is_loop(func))
    }

    /// Tests whether a statement binds a name to the memory, or to a value that depends on it.
    fn binds(&self, stmt: &Stmt) -> bool {
        matches!(&stmt.kind, StmtKind::Let { name: _, value } if self.depends(value))
            || self.allocated(stmt).is_some()
    }

    /// Tests whether an expression reads the memory, or uses a name that depends on it.
    fn depends(&self, expr: &Expr) -> bool {
        let mut found = if let Expr::Load(load) = expr {
            self.memory.contains(&load.name)
        } else {
            matches!(expr, Expr::Variable { name, ty: _ } if self.bound.contains(name))
        };
        expr.for_each_operand(&mut |operand| found = found || self.depends(operand));
        found
    }

    /// Tests whether an expression reads no memory but this one, within its size, and calls
    /// nothing. Then nothing is owed about it.
    fn reads_only_this(&self, expr: &Expr) -> bool {
        let mut only = !matches!(expr, Expr::Call(_));
        if let Expr::Load(load) = expr {
            only = self.memory.contains(&load.name)
                && matches!(load.index, Expr::Int(0, _))
                && load.predicate.is_none()
                && load.ty.is_none_or(|ty| ty == Type::INT32);
        }
        expr.for_each_operand(&mut |operand| only = only && self.reads_only_this(operand));
        only
    }

    /// Tests whether a statement goes with the memory.
    fn goes(&self, stmt: &Stmt) -> bool {
        if let StmtKind::Let { name, value: _ } = &stmt.kind {
            return self.bound.contains(name);
        }
        if let StmtKind::Assert { condition, message: _ } = &stmt.kind {
            return self.depends(condition);
        }
        let name = if let StmtKind::Free(name) = &stmt.kind {
            Some(*name)
        } else {
            stored(stmt).map(|(name, _)| name).or(stmt.allocated().map(|(name, ..)| name))
        };
        name.is_some_and(|name| self.memory.contains(&name))
    }

    /// Tests whether everything that depends on the memory goes with it, and nothing else.
    fn only_checks(&self, block: &[Stmt]) -> bool {
        block.iter().all(|stmt| {
            let mut is_right = true;
            if self.goes(stmt) {
                is_right = stored(stmt).is_none_or(|(_, is_first)| is_first);
                // What an error reports is not judged.
                if let StmtKind::Assert { condition, message: _ } = &stmt.kind {
                    is_right = self.reads_only_this(condition);
                } else {
                    stmt.for_each_expr(&mut |expr| is_right &= self.reads_only_this(expr));
                }
            } else {
                stmt.for_each_expr(&mut |expr| is_right = is_right && !self.depends(expr));
            }
            stmt.for_each_block(&mut |inner| is_right = is_right && self.only_checks(inner));
            is_right
        })
    }

    fn strip(&self, block: &mut Block) {
        block.retain_mut(|stmt| {
            stmt.kind.for_each_body_mut(&mut |body| self.strip(body));
            !self.goes(stmt)
        });
    }
}

/// The memory that a statement writes, and whether it writes a coordinate to the first element.
fn stored(stmt: &Stmt) -> Option<(NameId, bool)> {
    let StmtKind::Store { name, index, alignment: _, value, predicate } = &stmt.kind else {
        return None;
    };
    // A text does not state the type of each name.
    let is_coordinate = value.ty().is_none_or(|ty| ty == Type::INT32);
    let is_first = matches!(index, Expr::Int(0, _)) && predicate.is_none();
    Some((*name, is_first && is_coordinate))
}
