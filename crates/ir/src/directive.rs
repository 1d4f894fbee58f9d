//! The table of directives: the name, the phase and the parameters of each; and the arguments of
//! the directives of a schedule.

use crate::{Action, ExprId, FoldDirection, FuncId, LoopKind, LoopLevel, Partition, StoreIn, Tail};

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

/// The meaning of a parameter of a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// A loop or variable of the func.
    Loop,
    /// A name for a loop that the directive makes.
    NewLoop,
    /// Another func, or an input.
    Func,
    /// A loop of the func before it.
    LoopOfFunc,
    /// A name for a func that the directive makes.
    NewFunc,
    /// One of some words.
    Word(Words),
    /// An expression.
    Value,
}

/// The words that a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// The ways to deal out iterations.
    Deal,
    /// The policies of partitioning a loop.
    Partition,
    /// The directions of folding.
    Direction,
    /// The places for memory.
    Place,
}

impl Words {
    /// Returns all of them.
    pub fn all(self) -> Vec<&'static str> {
        match self {
            Self::Deal => vec!["static", "dynamic"],
            Self::Partition => Partition::ALL.map(Partition::name).to_vec(),
            Self::Direction => FoldDirection::ALL.map(FoldDirection::name).to_vec(),
            Self::Place => StoreIn::ALL.map(StoreIn::name).to_vec(),
        }
    }
}

/// The form of a directive: a row of the table.
#[derive(Clone, Copy, Debug)]
pub struct DirectiveForm {
    /// Its name in schedules.
    pub name: &'static str,
    /// The phase in which it is applied.
    pub phase: SchedulePhase,
    /// The names and kinds of its parameters, in the order of the text. The last one may be given
    /// several times if `most` exceeds their number.
    pub parameters: &'static [(&'static str, ParameterKind)],
    /// The least number of arguments.
    pub least: usize,
    /// The greatest number of arguments.
    pub most: usize,
    /// The parameters whose arguments may also be written with their names.
    pub named: &'static [&'static str],
    /// True if a tail strategy may follow.
    pub has_tail: bool,
}

const fn form(
    name: &'static str,
    phase: SchedulePhase,
    parameters: &'static [(&'static str, ParameterKind)],
) -> DirectiveForm {
    let count = parameters.len();
    DirectiveForm {
        name,
        phase,
        parameters,
        least: count,
        most: count,
        named: &[],
        has_tail: false,
    }
}

impl DirectiveForm {
    const fn between(self, least: usize, most: usize) -> Self {
        Self { least, most, ..self }
    }

    const fn named(self, named: &'static [&'static str]) -> Self {
        Self { named, ..self }
    }

    const fn with_tail(self) -> Self {
        Self { has_tail: true, ..self }
    }

    /// The kind of the argument with this number.
    pub fn kind(&self, number: usize) -> Option<ParameterKind> {
        let last = self.parameters.last().filter(|_| number < self.most);
        self.parameters.get(number).or(last).map(|(_, kind)| *kind)
    }

    /// The names of the parameters, separated by commas.
    pub fn usage(&self) -> String {
        let mut names: Vec<&str> = self.parameters.iter().map(|(name, _)| *name).collect();
        if self.most > names.len() {
            names.push("…");
        }
        names.join(", ")
    }
}

/// All directives. A further one is a row here and what it means: an [`Action`] with its
/// arguments, its check and its effect.
pub const DIRECTIVES: &[DirectiveForm] = {
    use ParameterKind::{Func, Loop, LoopOfFunc, NewFunc, NewLoop, Value, Word};
    use SchedulePhase::{Algorithm, Bounds, Compute, Loops, Specialization, Storage};
    const TILE: &[(&str, ParameterKind)] = &[
        ("x", Loop),
        ("y", Loop),
        ("xo", NewLoop),
        ("yo", NewLoop),
        ("xi", NewLoop),
        ("yi", NewLoop),
        ("width", Value),
        ("height", Value),
    ];
    const LEVEL: &[(&str, ParameterKind)] = &[("func", Func), ("v", LoopOfFunc)];
    const SPLIT: &[(&str, ParameterKind)] =
        &[("v", Loop), ("outer", NewLoop), ("inner", NewLoop), ("factor", Value)];
    const DEAL: &[(&str, ParameterKind)] =
        &[("v", Loop), ("policy", Word(Words::Deal)), ("chunk", Value)];
    const FOLD: &[(&str, ParameterKind)] =
        &[("x", Loop), ("factor", Value), ("forward", Word(Words::Direction))];
    &[
        form("split", Loops, SPLIT).with_tail(),
        form("fuse", Loops, &[("outer", Loop), ("inner", Loop), ("v", NewLoop)]),
        form("swap", Loops, &[("v", Loop)]),
        form("reorder", Loops, &[("v", Loop), ("w", Loop)]).between(2, usize::MAX),
        form("tile", Loops, TILE).with_tail(),
        form("parallel", Loops, DEAL).between(1, 3).named(&["chunk"]),
        form("gpu_blocks", Loops, &[("v", Loop)]).between(1, 3),
        form("gpu_threads", Loops, &[("v", Loop)]).between(1, 3),
        // Stands for `tile`, `gpu_blocks` and `gpu_threads`.
        form("gpu_tile", Loops, TILE).with_tail(),
        form("serial", Loops, &[("v", Loop)]),
        form("vectorize", Loops, &[("v", Loop), ("lanes", Value)]).between(1, 2).with_tail(),
        form("unroll", Loops, &[("v", Loop), ("factor", Value)]).between(1, 2).with_tail(),
        form("rename", Loops, &[("from", Loop), ("to", NewLoop)]),
        form("compute_at", Compute, LEVEL),
        form("compute_root", Compute, &[]),
        form("compute_inline", Compute, &[]),
        // A short name of the same.
        form("inline", Compute, &[]),
        form("store_at", Storage, LEVEL),
        form("store_root", Storage, &[]),
        form("hoist_storage", Storage, LEVEL),
        form("hoist_storage_root", Storage, &[]),
        form("reorder_storage", Storage, &[("x", Loop), ("y", Loop)]).between(2, usize::MAX),
        form("align_storage", Storage, &[("x", Loop), ("modulus", Value)]),
        form("pad_storage", Storage, &[("x", Loop), ("amount", Value)]),
        form("realign", Storage, &[]),
        form("fold_storage", Storage, FOLD).between(2, 3),
        form("store_in", Storage, &[("heap", Word(Words::Place))]),
        form("bound", Bounds, &[("v", Loop), ("min", Value), ("extent", Value)]),
        form("bound_extent", Bounds, &[("v", Loop), ("extent", Value)]),
        form("align_bounds", Bounds, &[("v", Loop), ("modulus", Value), ("remainder", Value)])
            .between(2, 3),
        form("specialize", Specialization, &[("condition", Value)]),
        // The message is a text, and no argument.
        form("specialize_fail", Specialization, &[("\"message\"", Value)]).between(0, 0),
        form("partition", Loops, &[("v", Loop), ("policy", Word(Words::Partition))]),
        form("prefetch", Loops, &[("func", Func), ("at", Loop), ("ahead", Value)])
            .between(2, 3)
            .named(&["at", "ahead"]),
        // Chooses the stage for the directives after it, and has no action.
        form("update", Algorithm, &[("stage", Value)]).between(0, 1),
        form("in", Algorithm, &[("func", Func)]).between(0, usize::MAX),
        form("rfactor", Algorithm, &[("r", Loop), ("u", NewLoop), ("name", NewFunc)]),
        form("atomic", Loops, &[]),
    ]
};

/// The form with a name, found while compiling. A name that is not in the table does not compile.
const fn form_named(name: &str) -> &'static DirectiveForm {
    let name = name.as_bytes();
    let mut at = 0;
    loop {
        let known = DIRECTIVES[at].name.as_bytes();
        let mut same = 0;
        while same < name.len() && same < known.len() && name[same] == known[same] {
            same += 1;
        }
        if same == name.len() && same == known.len() {
            return &DIRECTIVES[at];
        }
        at += 1;
    }
}

/// A directive's form and its arguments.
macro_rules! row {
    ($name:literal, $arguments:expr) => {
        (const { form_named($name) }, $arguments)
    };
}

impl Action {
    /// The directive's name in schedules.
    pub fn name(&self) -> &'static str {
        self.written().0.name
    }

    /// The phase in which the directive is applied.
    pub fn phase(&self) -> SchedulePhase {
        self.written().0.phase
    }

    /// The directive's arguments in the order of the text, without nested directives.
    pub fn arguments(&self) -> Vec<Argument<'_>> {
        self.written().1
    }

    /// The directive with this name that puts something at a level.
    pub fn at_level(name: &str, level: LoopLevel) -> Option<Self> {
        match name {
            "compute_at" => Some(Self::ComputeAt(level)),
            "store_at" => Some(Self::StoreAt(level)),
            "hoist_storage" => Some(Self::HoistStorage(Some(level))),
            _ => None,
        }
    }

    fn written(&self) -> (&'static DirectiveForm, Vec<Argument<'_>>) {
        use Argument::{Condition, Dim, Func, Level, Loop, Message, Named, New, Word};
        use Number::{Block, Copies, Lanes, Position, Size};
        let number = |number, expr: &ExprId| Argument::Number(number, *expr);
        let tail = |tail: &Tail| Argument::Tail(*tail);
        match self {
            Self::Specialize { condition, directives: _ } => {
                row!("specialize", vec![Condition(*condition)])
            }
            Self::SpecializeFail { message } => {
                row!("specialize_fail", vec![Message(message)])
            }
            Self::Split { var, outer, inner, factor, tail: by } => {
                let loops = [Loop(var), New(outer), New(inner), number(Block, factor)];
                row!("split", [&loops[..], &[tail(by)]].concat())
            }
            Self::Tile { vars, outer, inner, factors, tail: by } => {
                let [x, y] = vars.each_ref().map(|var| Loop(var));
                let [xo, yo] = outer.each_ref().map(|var| New(var));
                let [xi, yi] = inner.each_ref().map(|var| New(var));
                let [width, height] = factors.each_ref().map(|factor| number(Block, factor));
                row!("tile", vec![x, y, xo, yo, xi, yi, width, height, tail(by)])
            }
            Self::Fuse { outer, inner, fused } => {
                row!("fuse", vec![Loop(outer), Loop(inner), New(fused)])
            }
            Self::Reorder { vars } => {
                row!("reorder", vars.iter().map(|var| Loop(var)).collect())
            }
            Self::Swap { var } => row!("swap", vec![Loop(var)]),
            Self::Traverse { var, kind: LoopKind::Parallel(deal) } => {
                let (policy, chunk) = deal.words();
                let policy = policy.map(Word);
                let chunk = chunk.map(|chunk| Named("chunk", chunk.get()));
                let var = std::iter::once(Loop(var));
                row!("parallel", var.chain(policy).chain(chunk).collect())
            }
            Self::Traverse { var, kind: LoopKind::GpuBlocks } => {
                row!("gpu_blocks", vec![Loop(var)])
            }
            Self::Traverse { var, kind: LoopKind::GpuThreads } => {
                row!("gpu_threads", vec![Loop(var)])
            }
            Self::Traverse {
                var,
                kind: LoopKind::Serial | LoopKind::Vectorized | LoopKind::Unrolled,
            } => row!("serial", vec![Loop(var)]),
            Self::Vectorize { var, lanes, tail: by } => {
                let lanes = lanes.iter().map(|lanes| number(Lanes, lanes));
                let var = std::iter::once(Loop(var));
                row!("vectorize", var.chain(lanes).chain([tail(by)]).collect())
            }
            Self::Unroll { var, factor, tail: by } => {
                let factor = factor.iter().map(|factor| number(Copies, factor));
                let var = std::iter::once(Loop(var));
                row!("unroll", var.chain(factor).chain([tail(by)]).collect())
            }
            Self::Partition { var, policy } => {
                row!("partition", vec![Loop(var), Word(policy.name())])
            }
            Self::Prefetch { func, var, ahead } => {
                row!("prefetch", vec![Func(*func), Loop(var), Named("ahead", *ahead)])
            }
            Self::Rename { from, to } => row!("rename", vec![Loop(from), New(to)]),
            Self::Atomic => row!("atomic", Vec::new()),
            Self::Wrap { wrapper: _, users } => {
                row!("in", users.iter().map(|user| Func(*user)).collect())
            }
            Self::Factor { vars, partial } => {
                let vars = vars.iter().flat_map(|(var, new)| [Loop(var), New(new)]);
                row!("rfactor", vars.chain([Func(*partial)]).collect())
            }
            Self::ComputeAt(level) => row!("compute_at", vec![Level(level)]),
            Self::ComputeRoot => row!("compute_root", Vec::new()),
            Self::ComputeInline => row!("compute_inline", Vec::new()),
            Self::StoreAt(level) => row!("store_at", vec![Level(level)]),
            Self::StoreRoot => row!("store_root", Vec::new()),
            Self::HoistStorage(Some(level)) => row!("hoist_storage", vec![Level(level)]),
            Self::HoistStorage(None) => row!("hoist_storage_root", Vec::new()),
            Self::ReorderStorage { vars } => {
                row!("reorder_storage", vars.iter().map(|var| Dim(var)).collect())
            }
            Self::AlignStorage { var, modulus } => {
                row!("align_storage", vec![Dim(var), number(Size, modulus)])
            }
            Self::PadStorage { var, amount } => {
                row!("pad_storage", vec![Dim(var), number(Size, amount)])
            }
            Self::Realign => row!("realign", Vec::new()),
            Self::FoldStorage { var, factor, direction } => {
                let direction = direction.map(|direction| Word(direction.name()));
                let fold = [Dim(var), number(Size, factor)];
                row!("fold_storage", fold.into_iter().chain(direction).collect())
            }
            Self::StoreIn(place) => row!("store_in", vec![Word(place.name())]),
            Self::Bound { var, min: Some(min), extent } => {
                let ends = vec![Dim(var), number(Position, min), number(Size, extent)];
                row!("bound", ends)
            }
            Self::Bound { var, min: None, extent } => {
                row!("bound_extent", vec![Dim(var), number(Size, extent)])
            }
            Self::AlignBounds { var, modulus, remainder } => {
                let multiple = [number(Size, modulus), number(Position, remainder)];
                row!("align_bounds", [&[Dim(var)], &multiple[..]].concat())
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
    use halidom_base::Id;

    use super::{Argument, DIRECTIVES, ParameterKind, SchedulePhase, Words};
    use crate::{
        Action, Deal, FoldDirection, FuncId, LoopKind, LoopLevel, Partition, Pool, StoreIn, Tail,
    };

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

    /// One action for each row.
    fn actions(pool: &mut Pool) -> Vec<Action> {
        let number = pool.int(2);
        let func = FuncId::from_index(0);
        let var = || "x".to_owned();
        let pair = || ["x", "y"].map(str::to_owned);
        let level = || LoopLevel { func, stage: None, var: var() };
        let traverse = |kind| Action::Traverse { var: var(), kind };
        let chunk = std::num::NonZeroU32::new(4).unwrap();
        let [factor, amount, modulus, extent] = [number; 4];
        vec![
            Action::Split { var: var(), outer: var(), inner: var(), factor, tail: Tail::Auto },
            Action::Fuse { outer: var(), inner: var(), fused: var() },
            Action::Swap { var: var() },
            Action::Reorder { vars: pair().to_vec() },
            Action::Tile {
                vars: pair(),
                outer: pair(),
                inner: pair(),
                factors: [number; 2],
                tail: Tail::Auto,
            },
            traverse(LoopKind::Parallel(Deal::DYNAMIC.with_chunk(chunk))),
            traverse(LoopKind::GpuBlocks),
            traverse(LoopKind::GpuThreads),
            traverse(LoopKind::Serial),
            Action::Vectorize { var: var(), lanes: Some(number), tail: Tail::Auto },
            Action::Unroll { var: var(), factor: Some(number), tail: Tail::Auto },
            Action::Rename { from: var(), to: var() },
            Action::ComputeAt(level()),
            Action::ComputeRoot,
            Action::ComputeInline,
            Action::StoreAt(level()),
            Action::StoreRoot,
            Action::HoistStorage(Some(level())),
            Action::HoistStorage(None),
            Action::ReorderStorage { vars: pair().to_vec() },
            Action::AlignStorage { var: var(), modulus },
            Action::PadStorage { var: var(), amount },
            Action::Realign,
            Action::FoldStorage { var: var(), factor, direction: Some(FoldDirection::ALL[0]) },
            Action::StoreIn(StoreIn::Heap),
            Action::Bound { var: var(), min: Some(number), extent },
            Action::Bound { var: var(), min: None, extent },
            Action::AlignBounds { var: var(), modulus, remainder: number },
            Action::Specialize { condition: number, directives: Vec::new() },
            Action::SpecializeFail { message: var() },
            Action::Partition { var: var(), policy: Partition::ALL[0] },
            Action::Prefetch { func, var: var(), ahead: 1 },
            Action::Wrap { wrapper: func, users: vec![func; 3] },
            Action::Factor { vars: vec![(var(), var())], partial: func },
            Action::Atomic,
        ]
    }

    /// The kinds of parameters that take an argument.
    fn kinds(argument: Argument<'_>) -> Vec<ParameterKind> {
        match argument {
            Argument::Loop(_) | Argument::Dim(_) => vec![ParameterKind::Loop],
            Argument::New(_) => vec![ParameterKind::NewLoop],
            Argument::Level(_) => vec![ParameterKind::Func, ParameterKind::LoopOfFunc],
            Argument::Func(_) => vec![ParameterKind::Func],
            Argument::Word(word) => {
                let all = [Words::Deal, Words::Partition, Words::Direction, Words::Place];
                let of = all.into_iter().find(|words| words.all().contains(&word));
                of.map(ParameterKind::Word).into_iter().collect()
            }
            Argument::Number(..) | Argument::Condition(_) | Argument::Named(..) => {
                vec![ParameterKind::Value]
            }
            Argument::Tail(_) | Argument::Message(_) => Vec::new(),
        }
    }

    #[test]
    fn arguments_fit_the_parameters_of_their_row() {
        let mut pool = Pool::new();
        let mut named = Vec::new();
        for action in actions(&mut pool) {
            let form = DIRECTIVES.iter().find(|form| form.name == action.name()).unwrap();
            let arguments = action.arguments();
            let has_tail = arguments.iter().any(|one| matches!(one, Argument::Tail(_)));
            assert_eq!(form.has_tail, has_tail, "{action:?}");
            let found: Vec<_> = arguments.into_iter().flat_map(kinds).collect();
            assert!((form.least..=form.most).contains(&found.len()), "{action:?}");
            for (number, mut found) in found.into_iter().enumerate() {
                if form.name == "rfactor" && found == ParameterKind::Func {
                    found = ParameterKind::NewFunc;
                }
                assert_eq!(form.kind(number), Some(found), "{action:?}");
            }
            named.push(form.name);
        }
        let all = DIRECTIVES.iter().map(|form| form.name);
        let others: Vec<_> = all.filter(|name| !named.contains(name)).collect();
        assert_eq!(others, ["gpu_tile", "inline", "update"]);
    }

    #[test]
    fn forms_have_a_usage() {
        let form = |name: &str| DIRECTIVES.iter().find(|form| form.name == name).unwrap();
        assert_eq!(form("split").usage(), "v, outer, inner, factor");
        assert_eq!(form("reorder").usage(), "v, w, …");
        assert_eq!(form("reorder").kind(5), Some(ParameterKind::Loop));
        assert_eq!(form("swap").kind(1), None);
    }

    #[test]
    fn phases_are_in_order() {
        assert!(SchedulePhase::ALL.is_sorted());
        assert_eq!(Action::Atomic.phase(), SchedulePhase::Loops);
        assert_eq!(Action::ComputeRoot.phase().name(), "compute");
    }
}
