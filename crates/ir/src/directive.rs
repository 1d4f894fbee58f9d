//! The table of directives: the name, the phase and the arguments of each.

use crate::{Action, ExprId, FuncId, LoopKind, LoopLevel, Tail};

/// FS Fig. 11's groups of directives, in the order in which they are applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SchedulePhase {
    /// Rewritings of the algorithm, before FS's phases.
    Algorithm,
    /// §8.1.
    Specialization,
    /// §8.2.
    Loops,
    /// §8.3.
    Compute,
    /// §8.4.
    Storage,
    /// §8.5.
    Bounds,
}

impl SchedulePhase {
    /// All phases, in order.
    pub const ALL: [Self; 6] = [
        Self::Algorithm,
        Self::Specialization,
        Self::Loops,
        Self::Compute,
        Self::Storage,
        Self::Bounds,
    ];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Algorithm => "algorithm",
            Self::Specialization => "specialization",
            Self::Loops => "loops",
            Self::Compute => "compute",
            Self::Storage => "storage",
            Self::Bounds => "bounds",
        }
    }
}

/// The purpose of a number in a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// The number of iterations of an inner loop.
    Block,
    /// The number of lanes of a vector.
    Lanes,
    /// The number of copies of an unrolled loop.
    Copies,
    /// A number of coordinates, or a modulus.
    Size,
    /// A coordinate, or a remainder.
    Position,
}

/// An argument of a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument<'a> {
    /// A loop of the stage.
    Loop(&'a str),
    /// A loop that the directive makes.
    New(&'a str),
    /// A dimension of the func, by its pure variable.
    Dim(&'a str),
    /// A loop of another func.
    Level(&'a LoopLevel),
    /// A func or an input.
    Func(FuncId),
    /// A number.
    Number(Number, ExprId),
    /// A condition.
    Condition(ExprId),
    /// A tail strategy.
    Tail(Tail),
    /// A word of the language.
    Word(&'static str),
    /// A number with its name.
    Named(&'static str, u32),
    /// A message to the user.
    Message(&'a str),
}

/// A directive's row in the table.
struct Row<'a> {
    name: &'static str,
    phase: SchedulePhase,
    /// In the order of the text.
    arguments: Vec<Argument<'a>>,
}

impl Action {
    /// The directive's name in schedules.
    pub fn name(&self) -> &'static str {
        self.row().name
    }

    /// The phase in which the directive is applied.
    pub fn phase(&self) -> SchedulePhase {
        self.row().phase
    }

    /// The directive's arguments in the order of the text, without nested directives.
    pub fn arguments(&self) -> Vec<Argument<'_>> {
        self.row().arguments
    }

    fn row(&self) -> Row<'_> {
        use Argument::{Condition, Dim, Func, Level, Loop, Message, Named, New, Word};
        use Number::{Block, Copies, Lanes, Position, Size};
        use SchedulePhase::{Algorithm, Bounds, Compute, Loops, Specialization, Storage};
        let number = |number, expr: &ExprId| Argument::Number(number, *expr);
        let tail = |tail: &Tail| Argument::Tail(*tail);
        let row = |name, phase, arguments| Row { name, phase, arguments };
        match self {
            Self::Specialize { condition, directives: _ } => {
                row("specialize", Specialization, vec![Condition(*condition)])
            }
            Self::SpecializeFail { message } => {
                row("specialize_fail", Specialization, vec![Message(message)])
            }
            Self::Split { var, outer, inner, factor, tail: by } => {
                let loops = [Loop(var), New(outer), New(inner), number(Block, factor)];
                row("split", Loops, [&loops[..], &[tail(by)]].concat())
            }
            Self::Tile { vars, outer, inner, factors, tail: by } => {
                let [x, y] = vars.each_ref().map(|var| Loop(var));
                let [xo, yo] = outer.each_ref().map(|var| New(var));
                let [xi, yi] = inner.each_ref().map(|var| New(var));
                let [width, height] = factors.each_ref().map(|factor| number(Block, factor));
                row("tile", Loops, vec![x, y, xo, yo, xi, yi, width, height, tail(by)])
            }
            Self::Fuse { outer, inner, fused } => {
                row("fuse", Loops, vec![Loop(outer), Loop(inner), New(fused)])
            }
            Self::Reorder { vars } => {
                row("reorder", Loops, vars.iter().map(|var| Loop(var)).collect())
            }
            Self::Swap { var } => row("swap", Loops, vec![Loop(var)]),
            Self::Traverse { var, kind: LoopKind::Parallel(deal) } => {
                let (policy, chunk) = deal.words();
                let policy = policy.map(Word);
                let chunk = chunk.map(|chunk| Named("chunk", chunk.get()));
                let var = std::iter::once(Loop(var));
                row("parallel", Loops, var.chain(policy).chain(chunk).collect())
            }
            Self::Traverse { var, kind: LoopKind::GpuBlocks } => {
                row("gpu_blocks", Loops, vec![Loop(var)])
            }
            Self::Traverse { var, kind: LoopKind::GpuThreads } => {
                row("gpu_threads", Loops, vec![Loop(var)])
            }
            Self::Traverse {
                var,
                kind: LoopKind::Serial | LoopKind::Vectorized | LoopKind::Unrolled,
            } => row("serial", Loops, vec![Loop(var)]),
            Self::Vectorize { var, lanes, tail: by } => {
                let lanes = lanes.iter().map(|lanes| number(Lanes, lanes));
                let var = std::iter::once(Loop(var));
                row("vectorize", Loops, var.chain(lanes).chain([tail(by)]).collect())
            }
            Self::Unroll { var, factor, tail: by } => {
                let factor = factor.iter().map(|factor| number(Copies, factor));
                let var = std::iter::once(Loop(var));
                row("unroll", Loops, var.chain(factor).chain([tail(by)]).collect())
            }
            Self::Partition { var, policy } => {
                row("partition", Loops, vec![Loop(var), Word(policy.name())])
            }
            Self::Prefetch { func, var, ahead } => {
                row("prefetch", Loops, vec![Func(*func), Loop(var), Named("ahead", *ahead)])
            }
            Self::Rename { from, to } => row("rename", Loops, vec![Loop(from), New(to)]),
            Self::Atomic => row("atomic", Loops, Vec::new()),
            Self::Wrap { wrapper: _, users } => {
                row("in", Algorithm, users.iter().map(|user| Func(*user)).collect())
            }
            Self::Factor { vars, partial } => {
                let vars = vars.iter().flat_map(|(var, new)| [Loop(var), New(new)]);
                row("rfactor", Algorithm, vars.chain([Func(*partial)]).collect())
            }
            Self::ComputeAt(level) => row("compute_at", Compute, vec![Level(level)]),
            Self::ComputeRoot => row("compute_root", Compute, Vec::new()),
            Self::ComputeInline => row("compute_inline", Compute, Vec::new()),
            Self::StoreAt(level) => row("store_at", Storage, vec![Level(level)]),
            Self::StoreRoot => row("store_root", Storage, Vec::new()),
            Self::HoistStorage(Some(level)) => row("hoist_storage", Storage, vec![Level(level)]),
            Self::HoistStorage(None) => row("hoist_storage_root", Storage, Vec::new()),
            Self::ReorderStorage { vars } => {
                row("reorder_storage", Storage, vars.iter().map(|var| Dim(var)).collect())
            }
            Self::AlignStorage { var, modulus } => {
                row("align_storage", Storage, vec![Dim(var), number(Size, modulus)])
            }
            Self::PadStorage { var, amount } => {
                row("pad_storage", Storage, vec![Dim(var), number(Size, amount)])
            }
            Self::Realign => row("realign", Storage, Vec::new()),
            Self::FoldStorage { var, factor, direction } => {
                let direction = direction.map(|direction| Word(direction.name()));
                let fold = [Dim(var), number(Size, factor)];
                row("fold_storage", Storage, fold.into_iter().chain(direction).collect())
            }
            Self::StoreIn(place) => row("store_in", Storage, vec![Word(place.name())]),
            Self::Bound { var, min: Some(min), extent } => {
                let ends = vec![Dim(var), number(Position, min), number(Size, extent)];
                row("bound", Bounds, ends)
            }
            Self::Bound { var, min: None, extent } => {
                row("bound_extent", Bounds, vec![Dim(var), number(Size, extent)])
            }
            Self::AlignBounds { var, modulus, remainder } => {
                let multiple = [number(Size, modulus), number(Position, remainder)];
                row("align_bounds", Bounds, [&[Dim(var)], &multiple[..]].concat())
            }
        }
    }

    /// The numbers among the arguments, in the same order.
    pub fn numbers_mut(&mut self) -> Vec<&mut ExprId> {
        if let Self::Tile { factors, .. } = self {
            return factors.iter_mut().collect();
        }
        if let Self::Bound { min, extent, .. } = self {
            return min.iter_mut().chain([extent]).collect();
        }
        if let Self::AlignBounds { modulus, remainder, .. } = self {
            return vec![modulus, remainder];
        }
        if let Self::Split { factor: number, .. }
        | Self::Vectorize { lanes: Some(number), .. }
        | Self::Unroll { factor: Some(number), .. }
        | Self::AlignStorage { modulus: number, .. }
        | Self::PadStorage { amount: number, .. }
        | Self::FoldStorage { factor: number, .. } = self
        {
            return vec![number];
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::{Argument, SchedulePhase};
    use crate::{Action, Pool, Tail};

    #[test]
    fn numbers_are_those_among_the_arguments() {
        let mut pool = Pool::new();
        let [two, three] = [2, 3].map(|value| pool.int(value));
        let var = || "x".to_owned();
        let pair = || ["x", "y"].map(str::to_owned);
        let actions = [
            Action::Split { var: var(), outer: var(), inner: var(), factor: two, tail: Tail::Auto },
            Action::Tile {
                vars: pair(),
                outer: pair(),
                inner: pair(),
                factors: [two, three],
                tail: Tail::Guard,
            },
            Action::Vectorize { var: var(), lanes: Some(two), tail: Tail::Auto },
            Action::Vectorize { var: var(), lanes: None, tail: Tail::Auto },
            Action::Unroll { var: var(), factor: Some(two), tail: Tail::Auto },
            Action::AlignStorage { var: var(), modulus: two },
            Action::PadStorage { var: var(), amount: two },
            Action::FoldStorage { var: var(), factor: two, direction: None },
            Action::Bound { var: var(), min: Some(two), extent: three },
            Action::Bound { var: var(), min: None, extent: three },
            Action::AlignBounds { var: var(), modulus: two, remainder: three },
            Action::ComputeRoot,
        ];
        for mut action in actions {
            let arguments = action.arguments();
            let numbers: Vec<_> = arguments
                .into_iter()
                .filter_map(|argument| match argument {
                    Argument::Number(_, number) => Some(number),
                    Argument::Loop(_)
                    | Argument::New(_)
                    | Argument::Dim(_)
                    | Argument::Level(_)
                    | Argument::Func(_)
                    | Argument::Condition(_)
                    | Argument::Tail(_)
                    | Argument::Word(_)
                    | Argument::Named(..)
                    | Argument::Message(_) => None,
                })
                .collect();
            let found: Vec<_> = action.numbers_mut().into_iter().map(|number| *number).collect();
            assert_eq!(found, numbers, "{action:?}");
        }
    }

    #[test]
    fn phases_are_in_order() {
        assert!(SchedulePhase::ALL.is_sorted());
        assert_eq!(Action::Atomic.phase(), SchedulePhase::Loops);
        assert_eq!(Action::ComputeRoot.phase().name(), "compute");
    }
}
