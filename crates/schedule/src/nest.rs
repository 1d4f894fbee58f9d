//! The scheduled form of a pipeline: the place where each func is computed and stored, and a nest
//! of loops for each of its stages.
//!
//! This is the side table of FS Lemma 6.1: every loop is identified by its func, specialization,
//! stage and name, and by the variable that it binds. Directives transform it; [`crate::emit`]
//! prints it as statements with holes (FS Fig. 9).

use halidom_base::FxHashMap;
use halidom_ir::{
    Algorithm, BufferDecl, BufferKind, Dim, Expr, ExprId, FoldDirection, FuncId, HoleDecl,
    HoleKind, HolePart, Interval, LoopKind, Output, Partition, Pool, Stage, StoreIn, Substitution,
    Type, VarId,
};

/// An algorithm with its schedule so far. Bounds are holes.
#[derive(Clone, Debug)]
pub struct Lowered {
    pub(crate) algorithm: Algorithm,
    pub(crate) outputs: Vec<Output>,
    /// In the order of definition.
    pub(crate) plans: Vec<Plan>,
    /// Split factors that are not constants, to be checked at entry.
    pub(crate) factors: Vec<Factor>,
    /// Minimum sizes of the windows of outputs, to be checked at entry.
    pub(crate) blocks: Vec<Block>,
    /// Extents of domains from before the algorithm was rewritten, to be checked at entry.
    pub(crate) extents: Vec<Extent>,
    /// Maps each func that stands for another one in some instances of a specialized func to that
    /// other func.
    pub(crate) copies: FxHashMap<FuncId, FuncId>,
}

/// The schedule of a func.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) func: FuncId,
    pub(crate) compute: Placement,
    pub(crate) compute_origin: Option<usize>,
    pub(crate) store: Placement,
    pub(crate) store_origin: Option<usize>,
    /// The unspecialized instance first, then one for each condition.
    pub(crate) instances: Vec<Instance>,
    pub(crate) bounds: Vec<BoundDirective>,
    /// The error message at entry if none of the conditions holds; the unspecialized instance is
    /// then dropped.
    pub(crate) fail: Option<String>,
    pub(crate) storage: StoragePlan,
}

/// The directives about a func's memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct StoragePlan {
    /// The dimensions, innermost first; empty if no directive orders them.
    pub(crate) order: Vec<usize>,
    /// Dimensions whose size in memory is changed, in the order written.
    pub(crate) rooms: Vec<(usize, Room)>,
    pub(crate) folds: Vec<Fold>,
    pub(crate) store_in: StoreIn,
    pub(crate) store_in_origin: Option<usize>,
    /// The directive that asks for vectors to be read at multiples of their length.
    pub(crate) realign: Option<usize>,
    /// The place where memory is allocated, with the directive.
    pub(crate) hoist: Option<(Placement, usize)>,
}

/// A change of a dimension's size in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Room {
    /// Round up to a multiple.
    Multiple(i128),
    /// Add padding.
    More(i128),
}

/// A directive that folds a dimension.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fold {
    pub(crate) dim: usize,
    pub(crate) factor: i128,
    pub(crate) direction: Option<FoldDirection>,
    pub(crate) origin: usize,
}

/// A place in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    /// Nowhere: the definition is substituted into its users.
    Inline,
    /// Before the first use, outside all loops.
    Root,
    /// At the start of the body of the loop that binds this variable.
    At(VarId),
}

/// The code of a func under a condition.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    /// 0 for the unspecialized one.
    pub(crate) specialization: usize,
    /// `None` for the unspecialized one.
    pub(crate) condition: Option<ExprId>,
    pub(crate) stages: Vec<Nest>,
}

/// The loops around one stage's statement.
#[derive(Clone, Debug)]
pub(crate) struct Nest {
    pub(crate) func: FuncId,
    pub(crate) specialization: usize,
    pub(crate) stage: usize,
    /// Outermost first.
    pub(crate) loops: Vec<Loop>,
    /// Variables that splits and fusions replaced, each after those that its value mentions.
    pub(crate) bindings: Vec<Binding>,
    pub(crate) predicate: Option<ExprId>,
    pub(crate) lhs: Vec<ExprId>,
    pub(crate) values: Vec<ExprId>,
    /// The reduction variables, in the order of the domain.
    pub(crate) point: Vec<ExprId>,
    /// The directive that makes its updates atomic.
    pub(crate) atomic: Option<usize>,
}

/// A func or input that one iteration prefetches for a later one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ahead {
    pub(crate) func: FuncId,
    /// The number of iterations between the prefetch and the use.
    pub(crate) by: u32,
    /// The directive.
    pub(crate) origin: usize,
}

/// A loop of a nest.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) var: VarId,
    pub(crate) name: String,
    pub(crate) interval: Interval,
    pub(crate) kind: LoopKind,
    /// The directive that set `kind`.
    pub(crate) kind_origin: Option<usize>,
    pub(crate) class: LoopClass,
    pub(crate) partition: Partition,
    /// The directive that set `partition`.
    pub(crate) partition_origin: Option<usize>,
    /// The funcs and inputs that its iterations prefetch for later ones.
    pub(crate) ahead: Vec<Ahead>,
    /// True if a split further in, whose last block moves inwards, handles what lies beyond this
    /// loop's end: iterations beyond it recompute the last iteration.
    pub(crate) covered: bool,
    /// True if the loop runs over a block of another one: what lies beyond its end is the next
    /// block.
    pub(crate) is_block: bool,
}

/// The class of a loop: its iterations are independent or not (FS Definition 8.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoopClass {
    Pure,
    Reduction,
}

/// A variable that a directive replaced, as a function of the new loops' variables.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    pub(crate) var: VarId,
    pub(crate) value: ExprId,
    /// The body runs only where this holds.
    pub(crate) guard: Option<ExprId>,
    /// The guard holds where this is not negative, as long as `inner` stays in its interval.
    pub(crate) room: Option<ExprId>,
    /// The variable within the block, for blocks that lie within the loop.
    pub(crate) inner: Option<VarId>,
    /// The range of the variable wherever the body runs. It is known from the directive (a lemma
    /// about it) and used to infer bounds.
    pub(crate) range: Option<Interval>,
    /// True if the range holds even if the variables in `value` leave the intervals of their loops.
    pub(crate) holds_on_overrun: bool,
}

/// A directive of the bounds phase.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundDirective {
    pub(crate) dim: usize,
    pub(crate) kind: BoundKind,
}

/// The demand of a directive of the bounds phase.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BoundKind {
    /// The compute bounds are these; if `min` is `None`, the inferred min is used.
    Fixed { min: Option<ExprId>, extent: ExprId },
    /// The extent is a multiple of `modulus`, and the min has this remainder.
    Aligned { modulus: ExprId, remainder: ExprId },
}

/// The extent of a reduction variable that a rewriting replaced.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    /// The func before the rewriting.
    pub(crate) original: FuncId,
    /// The corresponding func in the algorithm that is lowered.
    pub(crate) func: FuncId,
    pub(crate) stage: usize,
    pub(crate) variable: usize,
    pub(crate) value: ExprId,
}

/// A split factor that is not a constant.
#[derive(Clone, Debug)]
pub(crate) struct Factor {
    pub(crate) func: FuncId,
    pub(crate) variable: String,
    pub(crate) value: ExprId,
}

/// A dimension of an output that is computed in blocks that lie within its window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) func: FuncId,
    pub(crate) dim: usize,
    /// The number of coordinates in one block.
    pub(crate) size: i128,
}

impl Lowered {
    pub(crate) fn plan(&self, func: FuncId) -> Option<&Plan> {
        self.plans.iter().find(|plan| plan.func == func)
    }

    pub(crate) fn plan_mut(&mut self, func: FuncId) -> Option<&mut Plan> {
        self.plans.iter_mut().find(|plan| plan.func == func)
    }

    /// Returns the func that a copy stands for.
    pub(crate) fn original(&self, func: FuncId) -> FuncId {
        self.copies.get(&func).copied().unwrap_or(func)
    }

    /// Returns the variable for the window's extent in a block's dimension.
    pub(crate) fn window_extent(&self, block: &Block) -> Option<VarId> {
        let output = self.outputs.iter().find(|output| output.func == block.func)?;
        output.window.get(block.dim).map(|(_, extent)| *extent)
    }

    pub(crate) fn is_output(&self, func: FuncId) -> bool {
        self.algorithm.outputs.contains(&func)
    }

    pub(crate) fn nests(&self) -> impl Iterator<Item = &Nest> {
        self.plans
            .iter()
            .filter(|plan| plan.compute != Placement::Inline)
            .flat_map(|plan| &plan.instances)
            .flat_map(|instance| &instance.stages)
    }

    /// Returns the nest that has the loop, and the loop's position in it.
    pub(crate) fn find_loop(&self, var: VarId) -> Option<(&Nest, usize)> {
        self.nests().find_map(|nest| {
            let position = nest.loops.iter().position(|candidate| candidate.var == var)?;
            Some((nest, position))
        })
    }

    /// Returns the name of a loop for messages: `f.x`, `f.update(1).r`.
    pub(crate) fn loop_name(&self, pool: &Pool, var: VarId) -> String {
        self.find_loop(var).map_or_else(
            || pool.var(var).name.clone(),
            |(nest, position)| nest.loop_name(pool, &nest.loops[position].name),
        )
    }
}

impl Nest {
    /// Returns the name of this stage for messages: `f`, `f.update(1)`.
    pub(crate) fn name(&self, pool: &Pool) -> String {
        let func = &pool.func(self.func).name;
        match (self.stage, self.specialization) {
            (0, 0) => func.clone(),
            (update, 0) => format!("{func}.update({update})"),
            (0, number) => format!("{func} (specialization {number})"),
            (update, number) => format!("{func}.update({update}) (specialization {number})"),
        }
    }

    pub(crate) fn loop_name(&self, pool: &Pool, name: &str) -> String {
        let func = &pool.func(self.func).name;
        match self.stage {
            0 => format!("{func}.{name}"),
            update => format!("{func}.update({update}).{name}"),
        }
    }

    /// Maps the expressions that the stage computes with: the predicate, the written coordinates,
    /// the values.
    pub(crate) fn for_each_value(&mut self, map: &mut dyn FnMut(ExprId) -> ExprId) {
        for expr in self.predicate.iter_mut().chain(&mut self.lhs).chain(&mut self.values) {
            *expr = map(*expr);
        }
    }

    /// Returns the position of the loop with this name.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.loops.iter().position(|candidate| candidate.name == name)
    }

    /// Declares a variable for a loop or let of this nest.
    pub(crate) fn declare(&self, pool: &mut Pool, name: &str) -> VarId {
        let decl = pool.func(self.func);
        let stage =
            if decl.stages().len() > 1 { format!(".s{}", self.stage) } else { String::new() };
        let instance = if self.specialization > 0 {
            format!(".i{}", self.specialization)
        } else {
            String::new()
        };
        let name = format!("{}{stage}{instance}.{name}", decl.name);
        pool.declare_var(name, Type::INT)
    }
}

/// Returns the compute bounds hole of a stage. All instances share the last stage's (FS Definition
/// 6.3).
pub(crate) fn compute_hole(
    pool: &mut Pool,
    func: FuncId,
    dim: usize,
    stage: usize,
    specialization: usize,
) -> Interval {
    let kind = compute_kind(pool, func, stage, specialization);
    hole(pool, func, dim, kind)
}

/// Returns the kind of the compute region of a stage of an instance.
pub(crate) fn compute_kind(
    pool: &Pool,
    func: FuncId,
    stage: usize,
    specialization: usize,
) -> HoleKind {
    let is_last = stage + 1 == pool.func(func).stages().len();
    HoleKind::Compute { stage, specialization: if is_last { 0 } else { specialization } }
}

/// Returns the kind of the compute region that users of a func rely on: its last stage's.
pub(crate) fn final_kind(pool: &Pool, func: FuncId) -> HoleKind {
    HoleKind::Compute { stage: pool.func(func).stages().len().saturating_sub(1), specialization: 0 }
}

/// Returns the two holes of an interval.
pub(crate) fn hole(pool: &mut Pool, func: FuncId, dim: usize, kind: HoleKind) -> Interval {
    let [min, extent] = [HolePart::Min, HolePart::Extent].map(|part| {
        let hole = pool.hole(HoleDecl { func, dim, kind, part });
        pool.expr(Expr::Hole(hole))
    });
    Interval { min, extent }
}

/// Lowers an algorithm to loops with holes for bounds (FS Fig. 9): every func at the top in the
/// order of definition, prelude funcs inline.
///
/// Requires: a verified algorithm. Ensures: the pure loops of a stage are outside its reduction
/// loops, the first variable of each group innermost.
pub fn lower_algorithm(pool: &mut Pool, algorithm: &Algorithm) -> Lowered {
    let outputs = algorithm.outputs.iter().map(|func| declare_output(pool, *func)).collect();
    let plans = algorithm
        .funcs
        .iter()
        .map(|func| {
            let stages = pool.func(*func).stages().to_vec();
            let is_synthetic = matches!(
                pool.func(*func).kind,
                halidom_ir::FuncKind::Defined { synthetic: true, .. }
            );
            let inline = is_synthetic && stages.len() == 1 && !algorithm.outputs.contains(func);
            let placement = if inline { Placement::Inline } else { Placement::Root };
            Plan {
                func: *func,
                compute: placement,
                compute_origin: None,
                store: placement,
                store_origin: None,
                instances: vec![lower_instance(pool, *func, 0, None)],
                bounds: Vec::new(),
                fail: None,
                storage: StoragePlan::default(),
            }
        })
        .collect();
    Lowered {
        algorithm: algorithm.clone(),
        outputs,
        plans,
        factors: Vec::new(),
        blocks: Vec::new(),
        extents: Vec::new(),
        copies: FxHashMap::default(),
    }
}

/// Lowers all stages of one instance to loops with fresh variables.
pub(crate) fn lower_instance(
    pool: &mut Pool,
    func: FuncId,
    specialization: usize,
    condition: Option<ExprId>,
) -> Instance {
    let stages = pool.func(func).stages().to_vec();
    let stages = stages
        .iter()
        .enumerate()
        .map(|(number, stage)| lower_stage(pool, func, specialization, number, stage))
        .collect();
    Instance { specialization, condition, stages }
}

fn lower_stage(
    pool: &mut Pool,
    func: FuncId,
    specialization: usize,
    number: usize,
    stage: &Stage,
) -> Nest {
    let args = pool.func(func).args.clone();
    let mut nest = Nest {
        func,
        specialization,
        stage: number,
        loops: Vec::new(),
        bindings: Vec::new(),
        predicate: None,
        lhs: Vec::new(),
        values: Vec::new(),
        point: Vec::new(),
        atomic: None,
    };
    let mut fresh = Substitution::new();
    // Innermost first: the reduction variables, then the arguments that the stage leaves pure (x ≡
    // e in Fig. 9).
    for variable in &stage.domain {
        let interval = Interval { min: variable.min, extent: variable.extent };
        let replacement = nest.add_loop(pool, variable.var, interval, LoopClass::Reduction);
        fresh.insert(variable.var, replacement);
        nest.point.push(replacement);
    }
    for (dim, arg) in args.iter().enumerate() {
        if pool.var_expr(*arg) == stage.lhs[dim] {
            let interval = compute_hole(pool, func, dim, number, specialization);
            let replacement = nest.add_loop(pool, *arg, interval, LoopClass::Pure);
            fresh.insert(*arg, replacement);
        }
    }
    nest.loops.reverse();
    nest.predicate = stage.predicate.map(|predicate| fresh.apply(pool, predicate));
    nest.lhs = stage.lhs.iter().map(|coord| fresh.apply(pool, *coord)).collect();
    nest.values = stage.values.iter().map(|value| fresh.apply(pool, *value)).collect();
    nest
}

impl Nest {
    fn add_loop(
        &mut self,
        pool: &mut Pool,
        source: VarId,
        interval: Interval,
        class: LoopClass,
    ) -> ExprId {
        let name = pool.var(source).name.clone();
        let var = self.declare(pool, &name);
        self.loops.push(Loop {
            var,
            name,
            interval,
            kind: LoopKind::Serial,
            kind_origin: None,
            class,
            partition: Partition::Auto,
            partition_origin: None,
            ahead: Vec::new(),
            covered: false,
            is_block: false,
        });
        pool.var_expr(var)
    }
}

/// Declares the caller's memory and the window of an output.
fn declare_output(pool: &mut Pool, func: FuncId) -> Output {
    let (name, names, rank) = {
        let decl = pool.func(func);
        let components = decl.scalars.iter().enumerate();
        let names: Vec<_> =
            components.map(|(number, scalar)| (decl.component_name(number), *scalar)).collect();
        (decl.name.clone(), names, decl.rank())
    };
    let mut declare = |what: String| pool.declare_var(format!("{name}.{what}"), Type::INT);
    let vars: Vec<_> = (0..rank)
        .map(|dim| {
            [
                declare(format!("min.{dim}")),
                declare(format!("extent.{dim}")),
                declare(format!("stride.{dim}")),
                declare(format!("window.min.{dim}")),
                declare(format!("window.extent.{dim}")),
            ]
        })
        .collect();
    let window = vars.iter().map(|[_, _, _, min, extent]| (*min, *extent)).collect();
    let dims: Vec<Dim> = vars
        .iter()
        .map(|[min, extent, stride, _, _]| Dim {
            min: pool.var_expr(*min),
            extent: pool.var_expr(*extent),
            stride: pool.var_expr(*stride),
            folded: false,
        })
        .collect();
    let buffers = names.into_iter().enumerate().map(|(component, (name, scalar))| {
        pool.declare_buffer(BufferDecl {
            name,
            scalar,
            func,
            component,
            kind: BufferKind::Output,
            store_in: StoreIn::Auto,
            realigned: false,
            dims: dims.clone(),
        })
    });
    Output { func, buffers: buffers.collect(), window }
}

/// Replaces references to inlined funcs with their definitions, recursively.
#[derive(Debug, Default)]
pub(crate) struct Inliner {
    bodies: FxHashMap<FuncId, (Vec<VarId>, Vec<ExprId>)>,
    /// Copies whose reads become reads of the original.
    copies: FxHashMap<FuncId, FuncId>,
}

impl Inliner {
    pub(crate) fn new(pool: &mut Pool, lowered: &Lowered) -> Self {
        let mut inliner = Self::default();
        for plan in &lowered.plans {
            if plan.compute == Placement::Inline {
                let decl = pool.func(plan.func);
                let (args, stage) = (decl.args.clone(), decl.stages().first().cloned());
                if let Some(stage) = stage {
                    let values =
                        stage.values.iter().map(|value| inliner.apply(pool, *value)).collect();
                    inliner.bodies.insert(plan.func, (args, values));
                }
            }
        }
        inliner
    }

    /// Returns the inliner for emitted statements, which also names copies after the func that they
    /// stand for.
    pub(crate) fn without_copies(self, lowered: &Lowered) -> Self {
        Self { copies: lowered.copies.clone(), ..self }
    }

    pub(crate) fn apply(&self, pool: &mut Pool, expr: ExprId) -> ExprId {
        if self.bodies.is_empty() && self.copies.is_empty() {
            return expr;
        }
        pool.rewrite_bottom_up(expr, &mut FxHashMap::default(), &mut |pool, id, expr| {
            if let Expr::Ref { func, component, args } = expr
                && let Some((params, bodies)) = self.bodies.get(func)
            {
                let mut substitution = Substitution::new();
                for (param, arg) in params.iter().zip(args) {
                    substitution.insert(*param, *arg);
                }
                substitution.apply(pool, bodies[*component])
            } else if let Expr::Ref { func, component, args } = expr
                && let Some(original) = self.copies.get(func)
            {
                let args = args.clone();
                pool.expr(Expr::Ref { func: *original, component: *component, args })
            } else {
                id
            }
        })
    }
}

impl Inliner {
    /// Returns the funcs that a plan's stages read, with inlined ones replaced by the funcs that
    /// those read.
    pub(crate) fn callees(&self, pool: &mut Pool, plan: &Plan) -> Vec<FuncId> {
        let mut callees = Vec::new();
        for nest in plan.instances.iter().flat_map(|instance| &instance.stages) {
            callees.extend(self.nest_callees(pool, nest));
        }
        callees
    }

    /// Returns the funcs that a stage reads.
    pub(crate) fn nest_callees(&self, pool: &mut Pool, nest: &Nest) -> Vec<FuncId> {
        let mut callees = Vec::new();
        let parts = nest.lhs.iter().chain(&nest.predicate).chain(&nest.values);
        for part in parts.copied().collect::<Vec<_>>() {
            let part = self.apply(pool, part);
            pool.for_each_subexpr(part, &mut |_, expr| {
                if let Expr::Ref { func, .. } = expr {
                    callees.push(*func);
                }
            });
        }
        callees
    }
}

/// Drops the funcs that no output depends on.
pub(crate) fn used(pool: &mut Pool, lowered: &Lowered) -> Lowered {
    let inliner = Inliner::new(pool, lowered);
    let mut used: halidom_base::FxHashSet<_> = lowered.algorithm.outputs.iter().copied().collect();
    for plan in lowered.plans.iter().rev() {
        if used.contains(&plan.func) {
            used.extend(inliner.callees(pool, plan));
        }
    }
    let mut result = lowered.clone();
    // No func calls an inlined func, but its definition is still substituted.
    result.plans.retain(|plan| plan.compute == Placement::Inline || used.contains(&plan.func));
    result
}
