//! What the search knows of an algorithm: who reads whom, at how many points, and how many elements a vector holds.

use halidom_base::IndexSet;
use halidom_codegen::Target;
use halidom_ir::{
    Action, Algorithm, Directive, Expr, ExprId, FuncId, FuncKind, LoopLevel, Pool, Stage,
};

/// A stage that reads a func.
pub(super) type Reader = (FuncId, usize);

/// What is known of a func.
#[derive(Clone, Debug)]
pub(super) struct Func {
    pub(super) id: FuncId,
    pub(super) is_output: bool,
    /// Whether it has no directives of its own by default: a boundary condition.
    pub(super) is_synthetic: bool,
    /// Its pure variables.
    pub(super) args: Vec<String>,
    /// Of each stage, the loops that there are before any directive.
    pub(super) stages: Vec<StageNames>,
    /// How many elements the target's vectors hold.
    pub(super) lanes: i128,
    /// Who reads it, in the order of definition.
    pub(super) readers: Vec<Reader>,
    /// At how many points one value of a reader reads it, at most.
    pub(super) points: usize,
}

/// The loops of a stage by name, innermost first.
#[derive(Clone, Debug, Default)]
pub(super) struct StageNames {
    /// Pure variables that the stage leaves alone.
    pub(super) pure: Vec<String>,
    /// The reduction variables.
    pub(super) reduction: Vec<String>,
}

/// What is known of an algorithm.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    /// In the order of definition.
    pub(super) funcs: Vec<Func>,
}

/// Where a func is computed.
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
            let bytes = decl.scalars.iter().filter_map(|scalar| scalar.bytes()).max().unwrap_or(1);
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
        Self { funcs }
    }

    pub(super) fn func(&self, id: FuncId) -> Option<&Func> {
        self.funcs.iter().find(|func| func.id == id)
    }

    /// Where directives place a func; the last of them says.
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

/// Where an action computes a func, if it says that.
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

/// The pure variables that a stage writes at.
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

/// At how many points a stage reads a func.
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
