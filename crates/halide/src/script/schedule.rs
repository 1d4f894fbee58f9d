//! Prints directives.

use halidom_ir::{
    Action, Deal, Directive, Expr, ExprId, FoldDirection, FuncId, LoopKind, LoopLevel, Partition,
    StoreIn, Tail,
};

use super::error::{Result, unprintable};
use super::exprs::Unit;
use super::language::Language;
use super::writer::{Loop, Writer};

impl Writer<'_> {
    /// The lines of a directive. `special` is the name of the stage within a specialization.
    pub(super) fn directive(
        &mut self,
        directive: &Directive,
        special: Option<&str>,
    ) -> Result<Vec<String>> {
        let Directive { func, stage, action, .. } = directive;
        let (func, stage) = (*func, *stage);
        let Some(word) = self.funcs.get(&func).cloned() else {
            return unprintable(format!("the func `{}`", self.pool.func(func).name));
        };
        let target = special.map_or_else(|| stage_of(&word, stage), str::to_owned);
        let line = match action {
            Action::Specialize { .. } if self.language == Language::Cpp => {
                return unprintable("the condition of a specialization");
            }
            Action::Specialize { condition, directives } => {
                return self.specialize(&target, *condition, directives);
            }
            Action::SpecializeFail { message } => format!("{target}.specialize_fail({message:?})"),
            Action::Split { var, outer, inner, factor, tail } => {
                let (old, is_reduction) = self.loop_of(func, stage, var)?;
                let outer = self.new_loop(func, stage, outer, is_reduction);
                let inner = self.new_loop(func, stage, inner, is_reduction);
                let factor = self.factor(*factor)?;
                let tail = self.tail(*tail);
                format!("{target}.split({old}, {outer}, {inner}, {factor}, {tail})")
            }
            Action::Tile { vars, outer, inner, factors, tail } => {
                let words = self.tiled((func, stage), vars, [outer, inner], factors)?;
                format!("{target}.tile({words}, {})", self.tail(*tail))
            }
            Action::Fuse { outer, inner, fused } => {
                let words = self.fused((func, stage), [outer, inner], fused)?;
                format!("{target}.fuse({words})")
            }
            Action::Reorder { vars } => {
                let words: Result<Vec<String>> =
                    vars.iter().map(|var| Ok(self.loop_of(func, stage, var)?.0)).collect();
                format!("{target}.reorder({})", words?.join(", "))
            }
            Action::Swap { .. } => return unprintable("a swap of two loops"),
            Action::Traverse { var, kind } => {
                let var = self.loop_of(func, stage, var)?.0;
                format!("{target}.{}({var})", traversal(*kind)?)
            }
            Action::Vectorize { var, lanes, tail } => {
                self.factored((func, stage), (&target, "vectorize"), var, *lanes, *tail)?
            }
            Action::Unroll { var, factor, tail } => {
                self.factored((func, stage), (&target, "unroll"), var, *factor, *tail)?
            }
            Action::Partition { var, policy } => {
                let var = self.loop_of(func, stage, var)?.0;
                let policy = self.language.value("Partition", policy_name(*policy));
                format!("{target}.partition({var}, {policy})")
            }
            Action::Prefetch { func: read, var, ahead } => {
                let var = self.loop_of(func, stage, var)?.0;
                format!("{target}.prefetch({})", self.prefetched(*read, &var, *ahead)?)
            }
            Action::Rename { from, to } => {
                let (old, is_reduction) = self.loop_of(func, stage, from)?;
                let new = self.new_loop(func, stage, to, is_reduction);
                format!("{target}.rename({old}, {new})")
            }
            Action::Atomic => format!("{target}.atomic()"),
            Action::Wrap { wrapper, users } => {
                return Ok(vec![self.wrap(func, &word, *wrapper, users)?]);
            }
            Action::Factor { vars, partial } => {
                return Ok(vec![self.factor_out((func, stage), &target, vars, *partial)?]);
            }
            Action::ComputeAt(level) => format!("{word}.compute_at({})", self.level(level)?),
            Action::ComputeRoot => format!("{word}.compute_root()"),
            Action::ComputeInline => format!("{word}.compute_inline()"),
            Action::StoreAt(level) => format!("{word}.store_at({})", self.level(level)?),
            Action::StoreRoot => format!("{word}.store_root()"),
            Action::HoistStorage(Some(level)) => {
                format!("{word}.hoist_storage({})", self.level(level)?)
            }
            Action::HoistStorage(None) => format!("{word}.hoist_storage_root()"),
            Action::ReorderStorage { vars } => {
                let words: Vec<String> = vars.iter().map(|var| self.loop_var(var, false)).collect();
                format!("{word}.reorder_storage({})", words.join(", "))
            }
            Action::AlignStorage { var, modulus } => {
                let var = self.loop_var(var, false);
                format!("{word}.align_storage({var}, {})", self.factor(*modulus)?)
            }
            Action::PadStorage { .. } => return unprintable("rows that are padded"),
            // Halide decides itself in which way memory is read.
            Action::Realign => return Ok(Vec::new()),
            Action::FoldStorage { var, factor, direction } => {
                let var = self.loop_var(var, false);
                let forward = self.language.truth(*direction != Some(FoldDirection::Backward));
                format!("{word}.fold_storage({var}, {}, {forward})", self.factor(*factor)?)
            }
            Action::StoreIn(place) => {
                let kind = memory_type(*place)?;
                format!("{word}.store_in({})", self.language.value("MemoryType", kind))
            }
            Action::Bound { var, min, extent } => {
                let var = self.loop_var(var, false);
                let extent = self.factor(*extent)?;
                match min {
                    Some(min) => format!("{word}.bound({var}, {}, {extent})", self.factor(*min)?),
                    None => format!("{word}.bound_extent({var}, {extent})"),
                }
            }
            Action::AlignBounds { var, modulus, remainder } => {
                let var = self.loop_var(var, false);
                let (modulus, remainder) = (self.factor(*modulus)?, self.factor(*remainder)?);
                format!("{word}.align_bounds({var}, {modulus}, {remainder})")
            }
        };
        Ok(vec![format!("{line}{}", self.language.end())])
    }

    fn specialize(
        &mut self,
        target: &str,
        condition: ExprId,
        directives: &[Directive],
    ) -> Result<Vec<String>> {
        let condition = self.expr(condition, Unit::Typed)?;
        let name = self.name("special");
        let mut lines = vec![format!("{name} = {target}.specialize({condition})")];
        // Directives within the specialization do not change the loops outside of it.
        let loops = self.loops.clone();
        for nested in directives {
            lines.extend(self.directive(nested, Some(&name))?);
        }
        self.loops = loops;
        Ok(lines)
    }

    /// Declares the loops of tiles. Returns the arguments of `tile` except for the tail.
    fn tiled(
        &mut self,
        (func, stage): (FuncId, usize),
        vars: &[String],
        [outer, inner]: [&[String]; 2],
        factors: &[ExprId],
    ) -> Result<String> {
        let mut words = Vec::new();
        for var in vars {
            words.push(self.loop_of(func, stage, var)?.0);
        }
        for names in [outer, inner] {
            for (var, name) in vars.iter().zip(names) {
                let (_, is_reduction) = self.loop_of(func, stage, var)?;
                words.push(self.new_loop(func, stage, name, is_reduction));
            }
        }
        for factor in factors {
            words.push(self.factor(*factor)?);
        }
        Ok(words.join(", "))
    }

    /// Declares the loop that replaces two loops. Returns the arguments of `fuse`.
    fn fused(
        &mut self,
        (func, stage): (FuncId, usize),
        [outer, inner]: [&str; 2],
        fused: &str,
    ) -> Result<String> {
        let (around, outer_is_reduction) = self.loop_of(func, stage, outer)?;
        let (within, inner_is_reduction) = self.loop_of(func, stage, inner)?;
        let is_reduction = outer_is_reduction && inner_is_reduction;
        let fused = self.new_loop(func, stage, fused, is_reduction);
        Ok(format!("{within}, {around}, {fused}"))
    }

    /// The arguments of `prefetch`.
    fn prefetched(&self, read: FuncId, var: &str, ahead: u32) -> Result<String> {
        let Some(read) = self.funcs.get(&read) else {
            return unprintable("a prefetch of what is not known");
        };
        Ok(match self.language {
            // With types that match only approximately, Python would convert an input to a func
            // that copies it.
            Language::Python => {
                let level = format!("hl.VarOrRVar({var})");
                format!("{read}, {level}, {level}, hl.Expr({ahead})")
            }
            Language::Cpp => format!("{read}, {var}, {var}, {ahead}"),
        })
    }

    fn factor(&self, factor: ExprId) -> Result<String> {
        if self.language == Language::Cpp && !matches!(self.pool.get(factor), Expr::Const(_)) {
            return unprintable("a factor that is no number");
        }
        self.expr(factor, Unit::Plain)
    }

    /// A loop of a stage, and true if it runs over a reduction variable.
    fn loop_of(&self, func: FuncId, stage: usize, name: &str) -> Result<(String, bool)> {
        let loops = self.loops.get(&(func, stage)).map_or(&[][..], Vec::as_slice);
        match loops.iter().find(|(known, _)| known == name) {
            Some((_, known)) => Ok((known.word.clone(), known.is_reduction)),
            None => unprintable(format!("the loop `{name}`")),
        }
    }

    /// Declares a loop that a directive makes.
    fn new_loop(&mut self, func: FuncId, stage: usize, name: &str, is_reduction: bool) -> String {
        let word = self.loop_var(name, is_reduction);
        let made = Loop { word: word.clone(), is_reduction };
        let loops = self.loops.entry((func, stage)).or_default();
        loops.retain(|(known, _)| known != name);
        loops.push((name.to_owned(), made));
        word
    }

    /// Prints `vectorize` and `unroll`.
    fn factored(
        &mut self,
        (func, stage): (FuncId, usize),
        (target, verb): (&str, &str),
        var: &str,
        factor: Option<ExprId>,
        tail: Tail,
    ) -> Result<String> {
        let var = self.loop_of(func, stage, var)?.0;
        Ok(match factor {
            Some(factor) => {
                format!("{target}.{verb}({var}, {}, {})", self.factor(factor)?, self.tail(tail))
            }
            None => format!("{target}.{verb}({var})"),
        })
    }

    /// A copy of a func or an input. Its loops have the names of the original's; for an input
    /// Halide numbers them.
    fn wrap(
        &mut self,
        func: FuncId,
        word: &str,
        wrapper: FuncId,
        users: &[FuncId],
    ) -> Result<String> {
        let pool = self.pool;
        let name = self.name(&pool.func(wrapper).name);
        let mut readers = Vec::new();
        for user in users {
            match self.funcs.get(user) {
                Some(user) => readers.push(user.clone()),
                None => return unprintable("a reader that is not known"),
            }
        }
        let readers = match readers.as_slice() {
            [] => String::new(),
            [reader] => reader.clone(),
            readers => self.language.list(readers),
        };
        let is_input = pool.func(func).stages().is_empty();
        let mut loops = Vec::new();
        for (number, arg) in pool.func(wrapper).args.iter().enumerate() {
            let own = pool.var(*arg).name.clone();
            let in_halide = if is_input { format!("_{number}") } else { own.clone() };
            loops.push((own, Loop { word: self.loop_var(&in_halide, false), is_reduction: false }));
        }
        self.loops.insert((wrapper, 0), loops);
        self.funcs.insert(wrapper, name.clone());
        let verb = match self.language {
            Language::Python => "in_",
            Language::Cpp => "in",
        };
        Ok(self.language.declared("Func", &name, &format!("{word}.{verb}({readers})")))
    }

    /// Prints the factoring of an update's reduction.
    fn factor_out(
        &mut self,
        (func, stage): (FuncId, usize),
        target: &str,
        vars: &[(String, String)],
        partial: FuncId,
    ) -> Result<String> {
        let name = self.name(&self.pool.func(partial).name);
        let mut pairs = Vec::new();
        let mut kept = Vec::new();
        let mut pure = Vec::new();
        for (reduction, var) in vars {
            let (word, _) = self.loop_of(func, stage, reduction)?;
            let new = self.loop_var(var, false);
            pairs.push(self.language.pair(&word, &new));
            kept.push((reduction.clone(), Loop { word, is_reduction: true }));
            pure.push((var.clone(), Loop { word: new, is_reduction: false }));
        }
        let before = self.loops.get(&(func, stage)).cloned().unwrap_or_default();
        let (gone, own): (Vec<_>, Vec<_>) = before
            .into_iter()
            .filter(|(known, _)| vars.iter().all(|(reduction, _)| reduction != known))
            .partition(|(_, known)| known.is_reduction);
        let loops_of_init = self.loops.get(&(func, 0)).cloned().unwrap_or_default();
        self.loops.insert((partial, 0), loops_of_init.into_iter().chain(pure.clone()).collect());
        self.loops.insert((partial, 1), gone.into_iter().chain(own.clone()).chain(pure).collect());
        self.loops.insert((func, stage), kept.into_iter().chain(own).collect());
        self.funcs.insert(partial, name.clone());
        let made = format!("{target}.rfactor({})", self.language.list(&pairs));
        Ok(self.language.declared("Func", &name, &made))
    }

    fn level(&self, level: &LoopLevel) -> Result<String> {
        let LoopLevel { func, stage, var } = level;
        let Some(word) = self.funcs.get(func) else {
            return unprintable("a level of a func that is not known");
        };
        let last =
            self.loops.keys().filter(|(known, _)| known == func).map(|(_, number)| *number).max();
        let at = stage.or(last).unwrap_or(0);
        let var = self.loop_of(*func, at, var)?.0;
        // Halide finds the stage itself; its Python does not find a stage that is named.
        Ok(format!("{word}, {var}"))
    }

    fn tail(&self, tail: Tail) -> String {
        let name = match tail {
            Tail::Guard => "GuardWithIf",
            Tail::Shift | Tail::ShiftInwards => "ShiftInwards",
            Tail::Round => "RoundUp",
            Tail::Predicate => "Predicate",
            Tail::PredicateLoads => "PredicateLoads",
            Tail::PredicateStores => "PredicateStores",
            Tail::ShiftInwardsAndBlend => "ShiftInwardsAndBlend",
            Tail::RoundUpAndBlend => "RoundUpAndBlend",
            Tail::Auto => "Auto",
        };
        self.language.value("TailStrategy", name)
    }
}

/// The expression of a func's stage.
fn stage_of(func: &str, stage: usize) -> String {
    match stage {
        0 => func.to_owned(),
        1.. => format!("{func}.update({})", stage - 1),
    }
}

fn policy_name(policy: Partition) -> &'static str {
    match policy {
        Partition::Auto => "Auto",
        Partition::Always => "Always",
        Partition::Never => "Never",
    }
}

/// The directive that makes a loop run in some way.
fn traversal(kind: LoopKind) -> Result<&'static str> {
    Ok(match kind {
        LoopKind::Serial => "serial",
        LoopKind::Parallel(Deal::Auto) => "parallel",
        LoopKind::Parallel(Deal::Static { .. } | Deal::Dynamic { .. }) => {
            return unprintable("how the iterations of a parallel loop are dealt out");
        }
        LoopKind::Vectorized => "vectorize",
        LoopKind::Unrolled => "unroll",
        LoopKind::GpuBlocks => "gpu_blocks",
        LoopKind::GpuThreads => "gpu_threads",
    })
}

fn memory_type(place: StoreIn) -> Result<&'static str> {
    Ok(match place {
        // Halide has no stores that bypass the caches.
        StoreIn::Auto | StoreIn::Stream => "Auto",
        StoreIn::Heap => "Heap",
        StoreIn::Stack => "Stack",
        StoreIn::Register => "Register",
        StoreIn::Within(_) => return unprintable("memory within another's"),
    })
}
