//! The search's knowledge of an algorithm: the readers of each func, the number of points at which
//! they read it, and the number of elements in a vector.

use halidom_base::IndexSet;
use halidom_codegen::Target;
use halidom_driver::data::Prepared;
use halidom_driver::execute;
use halidom_ir::{
    Action, Algorithm, Directive, Expr, ExprId, FuncId, FuncKind, LoopLevel, Pool, Shape, Stage,
};

use super::options::Options;

/// A stage that reads a func, given by its own func and its number.
pub(super) type Reader = (FuncId, usize);

/// Facts about a func.
#[derive(Clone, Debug)]
pub(super) struct Func {
    pub(super) id: FuncId,
    pub(super) is_output: bool,
    /// True for a boundary condition: by default it has no directives.
    pub(super) is_synthetic: bool,
    /// Its pure variables.
    pub(super) args: Vec<String>,
    /// For each stage, the loops before any directive.
    pub(super) stages: Vec<StageNames>,
    /// The number of values in one of the target's vectors, of the widest type with which the func
    /// computes.
    pub(super) lanes: i128,
    /// The stages that read it, in the order of definition.
    pub(super) readers: Vec<Reader>,
    /// The largest number of points at which one value of a reader reads it.
    pub(super) points: usize,
    /// For an output, the first coordinate and the number of coordinates of each dimension at the
    /// sizes of the search.
    pub(super) window: Vec<(i128, i128)>,
}

/// The loops of a stage by name, innermost first.
#[derive(Clone, Debug, Default)]
pub(super) struct StageNames {
    /// The pure variables that occur unchanged among the coordinates that the stage writes.
    pub(super) pure: Vec<String>,
    /// The reduction variables.
    pub(super) reduction: Vec<String>,
}

/// Facts about an algorithm.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    /// The funcs, in the order of definition.
    pub(super) funcs: Vec<Func>,
    /// The inputs.
    pub(super) inputs: Vec<FuncId>,
    /// True if a schedule may demand that outputs are at least one block large, or that they have
    /// just the few channels that were asked for.
    pub(super) may_demand: bool,
}

/// The place where a func is computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Placement {
    Inline,
    Root,
    At(LoopLevel),
}

impl Facts {
    pub(super) fn of(pool: &Pool, algorithm: &Algorithm, target: &Target) -> Self {
        let mut funcs: Vec<Func> = Vec::new();
        for id in &algorithm.funcs {
            let decl = pool.func(*id);
            let is_synthetic = matches!(decl.kind, FuncKind::Defined { synthetic: true, .. });
            let bytes = decl.stages().iter().map(|stage| widest(pool, stage)).max().unwrap_or(1);
            let name = |var| pool.var(var).name.clone();
            let stages = decl.stages().iter().map(|stage| StageNames {
                pure: pure_dims(pool, &decl.args, stage).map(name).collect(),
                reduction: stage.domain.iter().map(|variable| name(variable.var)).collect(),
            });
            funcs.push(Func {
                id: *id,
                is_output: algorithm.outputs.contains(id),
                is_synthetic,
                args: decl.args.iter().map(|arg| name(*arg)).collect(),
                stages: stages.collect(),
                lanes: (target.vector_bytes() / bytes.max(1)).max(2) as i128,
                readers: Vec::new(),
                points: 0,
                window: Vec::new(),
            });
        }
        for reader in &algorithm.funcs {
            for (number, stage) in pool.func(*reader).stages().iter().enumerate() {
                for func in &mut funcs {
                    let points = points(pool, stage, func.id);
                    if points > 0 && func.id != *reader {
                        func.readers.push((*reader, number));
                        func.points = func.points.max(points);
                    }
                }
            }
        }
        Self { funcs, inputs: algorithm.inputs.clone(), may_demand: false }
    }

    /// The facts for a search with these options.
    pub(super) fn asked(
        pool: &Pool,
        algorithm: &Algorithm,
        prepared: &Prepared,
        options: &Options,
    ) -> Self {
        Self::of(pool, algorithm, &execute::host(algorithm)).sized(
            &algorithm.outputs,
            &prepared.windows,
            options.allow_bounds,
        )
    }

    /// Adds the sizes of the outputs, and the permission to demand some of them.
    pub(super) fn sized(mut self, outputs: &[FuncId], windows: &[Shape], may_demand: bool) -> Self {
        for (output, window) in outputs.iter().zip(windows) {
            for func in self.funcs.iter_mut().filter(|func| func.id == *output) {
                let wide = |(min, extent): &(i64, i64)| (i128::from(*min), i128::from(*extent));
                func.window = window.iter().map(wide).collect();
            }
        }
        self.may_demand = may_demand;
        self
    }

    pub(super) fn func(&self, id: FuncId) -> Option<&Func> {
        self.funcs.iter().find(|func| func.id == id)
    }

    /// The place where directives compute a func; the last such directive decides.
    pub(super) fn placement(&self, directives: &[Directive], func: FuncId) -> Placement {
        let said = directives.iter().rev().filter(|directive| directive.func == func);
        let said = said.map(|directive| &directive.action).find_map(placed);
        let by_default = || match self.func(func) {
            Some(found) if found.is_synthetic && found.stages.len() == 1 && !found.is_output => {
                Placement::Inline
            }
            Some(_) | None => Placement::Root,
        };
        said.unwrap_or_else(by_default)
    }
}

/// The place where an action computes a func, if the action determines it.
pub(super) fn placed(action: &Action) -> Option<Placement> {
    if let Action::ComputeAt(level) = action {
        Some(Placement::At(level.clone()))
    } else if matches!(action, Action::ComputeRoot) {
        Some(Placement::Root)
    } else if matches!(action, Action::ComputeInline) {
        Some(Placement::Inline)
    } else {
        None
    }
}

/// The pure variables that occur unchanged among the coordinates that a stage writes.
fn pure_dims(
    pool: &Pool,
    args: &[halidom_ir::VarId],
    stage: &Stage,
) -> impl Iterator<Item = halidom_ir::VarId> {
    args.iter()
        .zip(&stage.lhs)
        .filter(|(arg, coord)| matches!(pool.get(**coord), Expr::Var(var) if var == *arg))
        .map(|(arg, _)| *arg)
}

/// The bytes of the widest type with which a stage computes. Coordinates have none.
fn widest(pool: &Pool, stage: &Stage) -> usize {
    let mut most = 1;
    for root in &stage.values {
        pool.for_each_subexpr(*root, &mut |id, _| {
            most = most.max(pool.ty(id).scalar.bytes().unwrap_or(1));
        });
    }
    most
}

/// The number of points at which a stage reads a func.
fn points(pool: &Pool, stage: &Stage, func: FuncId) -> usize {
    let mut found: IndexSet<Vec<ExprId>> = IndexSet::default();
    for root in stage.roots() {
        pool.for_each_subexpr(root, &mut |_, expr| {
            if let Expr::Ref { func: read, args, .. } = expr
                && *read == func
            {
                found.insert(args.to_vec());
            }
        });
    }
    found.len()
}

#[cfg(test)]
mod tests {
    use halidom_codegen::Target;
    use halidom_driver::source;

    use super::Facts;

    #[test]
    fn vectors_fit_the_widest_type_of_the_computation() {
        let text = "\
pipeline p(input: buffer<u8, 2>) -> output: buffer<u8, 2> {
    func twice(x, y) = max(input(2 * x, y), input(2 * x + 1, y));
    func output(x, y) = saturating_cast(u8, f32(twice(x, y)) * 1.5);
}
";
        let loaded = source::parse("p.hal", text);
        assert!(!loaded.module.has_errors(), "{:?}", loaded.module.diagnostics);
        let target = Target::host();
        let algorithm = &loaded.module.pipelines[0].algorithm;
        let facts = Facts::of(&loaded.module.pool, algorithm, &target);
        let lanes: Vec<i128> = facts.funcs.iter().map(|func| func.lanes).collect();
        let bytes = target.vector_bytes() as i128;
        assert_eq!(lanes, [bytes, bytes / 4]);
    }
}
