//! Schedules to start with, made from the algorithm alone.
//!
//! The output is computed in rows, strips or tiles, in parallel and with vectors. The funcs that it
//! needs are inlined, computed as a whole beforehand, computed for each strip or tile, or computed
//! row by row as the strip advances.

use halidom_base::IndexSet;
use halidom_ir::{
    Action, Directive, ExprId, FuncId, LoopKind, LoopLevel, Pool, Schedule, StoreIn, Tail,
};

use super::facts::{Facts, Func};

/// The splitting of an output's loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// Parallel rows.
    Rows,
    /// Parallel strips of this number of rows.
    Strips(i128),
    /// Tiles of this width and height; rows of tiles run in parallel.
    Tiles(i128, i128),
    /// Parallel strips of the first number of rows. The second number of rows is computed at a
    /// time, a vector of each after the other, so that they share what they read.
    Bands(i128, i128),
    /// Blocks of some vectors in some rows, few enough for registers.
    Registers(Registers),
}

/// A block whose values lie in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Registers {
    pub(super) vectors: i128,
    pub(super) rows: i128,
    /// True if the blocks follow one another along the second dimension.
    pub(super) is_turned: bool,
}

/// The place where the funcs that the output needs are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Producers {
    /// Inline, like the funcs that are read at one point only.
    Inline,
    /// Each as a whole.
    Root,
    /// For each strip or tile.
    Block,
    /// Row by row, kept for the strip.
    Sliding,
}

/// The loops that a split made: over blocks, over rows within a block, and over vectors within a
/// row.
#[derive(Default)]
pub(super) struct Blocks {
    pub(super) outer: Option<String>,
    pub(super) inner: Option<String>,
    pub(super) vector: Option<String>,
}

/// A directive without a place in a text.
pub(super) fn directive(func: FuncId, stage: usize, action: Action) -> Directive {
    Directive { func, stage, action, origin: 0 }
}

/// All seed schedules, with descriptive names.
pub(super) fn seeds(pool: &mut Pool, facts: &Facts) -> Vec<Schedule> {
    const ALL: [(&str, Cut, Producers); 7] = [
        ("rows_inline", Cut::Rows, Producers::Inline),
        ("strips_sliding", Cut::Strips(32), Producers::Sliding),
        ("strips", Cut::Strips(16), Producers::Block),
        ("tiles", Cut::Tiles(128, 32), Producers::Block),
        ("small_tiles", Cut::Tiles(32, 8), Producers::Block),
        ("tiles_sliding", Cut::Tiles(256, 64), Producers::Sliding),
        ("breadth_first", Cut::Rows, Producers::Root),
    ];
    let mut made: IndexSet<Vec<String>> = IndexSet::default();
    let mut seeds = Vec::new();
    for (name, cut, producers) in ALL {
        let directives = seed(pool, facts, cut, producers);
        // Without producers, several of them are equal.
        if made.insert(directives.iter().map(|found| format!("{found:?}")).collect()) {
            seeds.push(Schedule { name: name.to_owned(), directives });
        }
    }
    seeds
}

fn seed(pool: &mut Pool, facts: &Facts, cut: Cut, producers: Producers) -> Vec<Directive> {
    let Some(output) = facts.funcs.iter().rev().find(|func| func.is_output) else {
        return Vec::new();
    };
    let mut directives = Vec::new();
    let blocks = cut_loops(pool, output, cut, &mut directives);
    for func in facts.funcs.iter().rev() {
        if func.id == output.id || (func.is_synthetic && func.points <= 1) {
            continue;
        }
        let is_worth_it = func.stages.len() > 1 || func.points > 1;
        if func.is_output {
            whole(pool, func, &mut directives);
            continue;
        }
        if !is_worth_it || (producers == Producers::Inline && func.stages.len() == 1) {
            // Boundary conditions are inline by default.
            if !func.is_synthetic {
                directives.push(directive(func.id, 0, Action::ComputeInline));
            }
            continue;
        }
        let level = |var: &Option<String>| {
            let var = var.clone()?;
            Some(LoopLevel { func: output.id, stage: None, var })
        };
        match (producers, level(&blocks.outer), level(&blocks.inner)) {
            (Producers::Sliding, Some(outer), Some(inner)) => {
                directives.push(directive(func.id, 0, Action::StoreAt(outer)));
                directives.push(directive(func.id, 0, Action::ComputeAt(inner)));
                vectors(pool, func, &mut directives);
            }
            (Producers::Block | Producers::Sliding | Producers::Inline, Some(outer), _) => {
                directives.push(directive(func.id, 0, Action::ComputeAt(outer)));
                vectors(pool, func, &mut directives);
            }
            _ => whole(pool, func, &mut directives),
        }
    }
    directives
}

/// Splits the loops of an output's first stage, and vectorizes its updates.
pub(super) fn cut_loops(
    pool: &mut Pool,
    output: &Func,
    cut: Cut,
    directives: &mut Vec<Directive>,
) -> Blocks {
    let mut push = |action| directives.push(directive(output.id, 0, action));
    let lanes = pool.int(output.lanes);
    let parallel = |var: &str| Action::Traverse { var: var.to_owned(), kind: LoopKind::PARALLEL };
    let vector =
        |var: &str| Action::Vectorize { var: var.to_owned(), lanes: Some(lanes), tail: Tail::Auto };
    let pure = output.stages.first().map_or(&[][..], |stage| &stage.pure);
    let mut blocks = Blocks::default();
    match (pure, cut) {
        ([], _) => {}
        ([x], _) => {
            let (outer, inner) = (fresh(output, x, "o"), fresh(output, x, "i"));
            let factor = pool.int(4096.max(output.lanes));
            push(split(x, &outer, &inner, factor));
            push(parallel(&outer));
            push(vector(&inner));
            blocks.outer = Some(outer);
        }
        ([x, y, ..], Cut::Rows) => {
            push(parallel(y));
            push(vector(x));
            blocks = Blocks { outer: Some(y.clone()), inner: None, vector: Some(x.clone()) };
        }
        ([x, y, ..], Cut::Strips(height)) => {
            let (outer, inner) = (fresh(output, y, "o"), fresh(output, y, "i"));
            let height = pool.int(height);
            push(split(y, &outer, &inner, height));
            push(parallel(&outer));
            push(vector(x));
            blocks = Blocks { outer: Some(outer), inner: Some(inner), vector: Some(x.clone()) };
        }
        ([x, y, ..], Cut::Bands(height, rows)) => {
            let (outer, inner) = (fresh(output, y, "o"), fresh(output, y, "i"));
            let heights = pool.int(height);
            push(split(y, &outer, &inner, heights));
            push(parallel(&outer));
            push(vector(x));
            let mut vars = vec![x.clone(), outer.clone()];
            let mut rows_loop = inner.clone();
            blocks = Blocks { outer: Some(outer), inner: None, vector: Some(x.clone()) };
            if rows < height {
                let (band, row) = (fresh(output, y, "b"), fresh(output, y, "r"));
                let rows = pool.int(rows);
                push(split(&inner, &band, &row, rows));
                vars.insert(1, band.clone());
                rows_loop = row;
                blocks.inner = Some(band);
            }
            vars.insert(0, rows_loop.clone());
            push(Action::Reorder { vars });
            push(Action::Unroll { var: rows_loop, factor: None, tail: Tail::Auto });
        }
        ([x, y, ..], Cut::Tiles(width, height)) => {
            let outer = [fresh(output, x, "o"), fresh(output, y, "o")];
            let inner = [fresh(output, x, "i"), fresh(output, y, "i")];
            let factors = [pool.int(width.max(output.lanes)), pool.int(height)];
            blocks = Blocks {
                outer: Some(outer[0].clone()),
                inner: Some(inner[1].clone()),
                vector: Some(inner[0].clone()),
            };
            let (rows, row) = (outer[1].clone(), inner[0].clone());
            let vars = [x.clone(), y.clone()];
            push(Action::Tile { vars, outer, inner, factors, tail: Tail::Auto });
            push(parallel(&rows));
            push(vector(&row));
        }
        ([x, y, others @ ..], Cut::Registers(Registers { vectors, rows, is_turned })) => {
            let mut outer = [fresh(output, x, "o"), fresh(output, y, "o")];
            let inner = [fresh(output, x, "i"), fresh(output, y, "i")];
            let factors = [pool.int(vectors * output.lanes), pool.int(rows)];
            let vars = [x.clone(), y.clone()];
            let (tile, [columns, row]) = (outer.clone(), inner.clone());
            push(Action::Tile { vars, outer: tile, inner, factors, tail: Tail::Auto });
            if is_turned {
                outer.reverse();
                let vars = [columns.clone(), row.clone()].into_iter().chain(outer.clone());
                push(Action::Reorder { vars: vars.collect() });
            }
            let [next, around] = outer;
            others.iter().chain([&around]).for_each(|var| push(parallel(var)));
            push(vector(&columns));
            push(Action::Unroll { var: columns, factor: None, tail: Tail::Auto });
            push(Action::Unroll { var: row, factor: None, tail: Tail::Auto });
            blocks = Blocks { outer: Some(around), inner: None, vector: Some(next) };
        }
    }
    for stage in 1..output.stages.len() {
        update(pool, output, stage, true, directives);
    }
    blocks
}

fn split(var: &str, outer: &str, inner: &str, factor: ExprId) -> Action {
    let [var, outer, inner] = [var, outer, inner].map(str::to_owned);
    Action::Split { var, outer, inner, factor, tail: Tail::Auto }
}

/// A name for a loop that is derived from another one; no variable of the func has it.
pub(super) fn fresh(func: &Func, var: &str, suffix: &str) -> String {
    let mut name = format!("{var}{suffix}");
    let taken = |name: &String| {
        func.stages.iter().any(|stage| stage.pure.contains(name) || stage.reduction.contains(name))
    };
    while taken(&name) {
        name.push_str(suffix);
    }
    name
}

/// Computes a func as a whole before its readers.
pub(super) fn whole(pool: &mut Pool, func: &Func, directives: &mut Vec<Directive>) {
    if !func.is_output {
        directives.push(directive(func.id, 0, Action::ComputeRoot));
    }
    if let [_, .., last] = func.args.as_slice() {
        let action = Action::Traverse { var: last.clone(), kind: LoopKind::PARALLEL };
        directives.push(directive(func.id, 0, action));
    }
    vectors(pool, func, directives);
    for stage in 1..func.stages.len() {
        if let [_, .., last] = func.stages[stage].pure.as_slice() {
            let action = Action::Traverse { var: last.clone(), kind: LoopKind::PARALLEL };
            directives.push(directive(func.id, stage, action));
        }
    }
}

/// Vectorizes along the first dimension.
pub(super) fn vectors(pool: &mut Pool, func: &Func, directives: &mut Vec<Directive>) {
    if let Some(x) = func.stages.first().and_then(|stage| stage.pure.first()) {
        let lanes = Some(pool.int(func.lanes));
        let action = Action::Vectorize { var: x.clone(), lanes, tail: Tail::Auto };
        directives.push(directive(func.id, 0, action));
    }
    for stage in 1..func.stages.len() {
        update(pool, func, stage, false, directives);
    }
}

/// Computes a block of a func in registers, which hold it during a reduction.
pub(super) fn registers(pool: &mut Pool, func: &Func, directives: &mut Vec<Directive>) {
    for (stage, names) in func.stages.iter().enumerate() {
        let Some(x) = names.pure.first() else { continue };
        let mut push = |action| directives.push(directive(func.id, stage, action));
        if !names.reduction.is_empty() {
            let vars = names.pure.iter().chain(&names.reduction).cloned().collect();
            push(Action::Reorder { vars });
        }
        let lanes = Some(pool.int(func.lanes));
        push(Action::Vectorize { var: x.clone(), lanes, tail: Tail::Auto });
        for var in names.pure.iter().take(2) {
            push(Action::Unroll { var: var.clone(), factor: None, tail: Tail::Auto });
        }
    }
}

/// Vectorizes an update along its first pure variable, inside its reduction.
fn update(
    pool: &mut Pool,
    func: &Func,
    stage: usize,
    in_parallel: bool,
    directives: &mut Vec<Directive>,
) {
    let names = &func.stages[stage];
    let Some(x) = names.pure.first() else { return };
    if !names.reduction.is_empty() {
        let vars = [x].into_iter().chain(&names.reduction).cloned().collect();
        directives.push(directive(func.id, stage, Action::Reorder { vars }));
    }
    if let (true, [_, .., last]) = (in_parallel, names.pure.as_slice()) {
        let action = Action::Traverse { var: last.clone(), kind: LoopKind::PARALLEL };
        directives.push(directive(func.id, stage, action));
    }
    let lanes = Some(pool.int(func.lanes));
    let action = Action::Vectorize { var: x.clone(), lanes, tail: Tail::Auto };
    directives.push(directive(func.id, stage, action));
}

/// Tests whether an action writes an output past the caches.
pub(super) fn streams(action: &Action) -> bool {
    matches!(action, Action::StoreIn(StoreIn::Stream))
}
