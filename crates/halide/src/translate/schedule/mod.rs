//! Translates a pipeline file's schedule to one of ours.
//!
//! Directives that our language cannot express are left out, and a note lists each. A schedule
//! changes no value, so no proof rests on this translation: its result is compiled and judged like
//! any other schedule.

mod placement;
mod stages;

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::{
    Action, Algorithm, BufferId, Directive, Expr as Node, ExprId, FuncDecl, FuncId, FuncKind, Pool,
    Schedule, Stage, StoreIn, Type,
};

use super::algorithm::{DomainExtent, Source, Translation, bind_signature, callees, used};
use super::error::{Result, unsupported};
use super::intrinsics::is_undefined;
use super::ops::Widths;
use crate::pipeline::{Func, LoopLevel, Pipeline, Wrapper};
use crate::tree::{Expr, ForKind};
use crate::{NameId, Names, text};

/// A schedule, with notes on the parts that were left out.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The schedule for the funcs of the algorithm. Its directives are not numbered.
    pub schedule: Schedule,
    /// The parts that our language cannot express, each with its func.
    pub notes: Vec<String>,
}

/// A loop of a stage.
#[derive(Clone, Debug, PartialEq)]
struct Loop {
    /// The name in Halide.
    name: NameId,
    /// The name in our language.
    word: String,
    kind: ForKind,
}

struct Writer<'a> {
    translation: Translation<'a>,
    /// Funcs by Halide's names.
    funcs: FxHashMap<NameId, FuncId>,
    /// Inputs by Halide's names.
    inputs: FxHashMap<NameId, FuncId>,
    outputs: FxHashSet<FuncId>,
    /// Tests for words that may not name a loop.
    is_reserved: &'a dyn Fn(&str) -> bool,
    /// The loops that the directives leave, innermost first.
    loops: FxHashMap<(FuncId, usize), Vec<Loop>>,
    /// The funcs that each stage reads directly.
    reads: Vec<((FuncId, usize), FxHashSet<FuncId>)>,
    /// Funcs that are inlined, and so have no loops.
    inlined: FxHashSet<FuncId>,
    notes: Vec<String>,
}

/// Restricts an algorithm to the funcs that its outputs need. Copies that a schedule makes are
/// funcs in a pipeline file, and no func reads them there. An output whose shape a schedule uses is
/// listed as an input there.
pub fn keep_used(source: &mut Source, pipeline: &Pipeline) {
    let shapes = source.inputs.extract_if(.., |(name, _)| pipeline.outputs.contains(name));
    let shapes: FxHashSet<FuncId> =
        shapes.map(|(_, buffer)| source.pool.buffer(buffer).func).collect();
    source.algorithm.inputs.retain(|input| !shapes.contains(input));
    let used = used(&source.pool, &source.algorithm);
    source.algorithm.funcs.retain(|func| used.contains(func));
}

/// Replaces each selection with a value that is unknown, because Halide's code has none there, by
/// the selection's other value: a shift of our own language has a value for every amount.
pub fn choose_known(source: &mut Source) {
    let pool = &mut source.pool;
    let mut done = FxHashMap::default();
    for func in &source.algorithm.funcs {
        let FuncKind::Defined { mut stages, synthetic } = pool.func(*func).kind.clone() else {
            continue;
        };
        for root in stages.iter_mut().flat_map(Stage::roots_mut) {
            *root = pool.rewrite_bottom_up(*root, &mut done, &mut |pool, id, expr| {
                let Node::Select { if_true, if_false, .. } = *expr else { return id };
                let is_unknown = |value| {
                    matches!(pool.get(value), Node::Apply { function, .. }
                        if is_undefined(&pool.function(*function).name))
                };
                if is_unknown(if_false) {
                    if_true
                } else if is_unknown(if_true) {
                    if_false
                } else {
                    id
                }
            });
        }
        pool.define_func(*func, FuncKind::Defined { stages, synthetic });
    }
}

/// Translates the schedule of a pipeline file for its algorithm. Loops get names that are not
/// reserved.
///
/// # Errors
/// Returns an error if the schedule has no translation as a whole; parts of it are only noted.
pub fn schedule(
    source: &mut Source,
    pipeline: &Pipeline,
    names: &Names,
    is_reserved: &dyn Fn(&str) -> bool,
) -> Result<Imported> {
    let is_partial = |func: &FuncId| source.pool.func(*func).is_partial();
    if !source.skipped.is_empty()
        || !source.priors.is_empty()
        || source.algorithm.funcs.iter().any(is_partial)
    {
        return unsupported("the schedule of a func whose first stage is `undef`");
    }
    let input = |(name, buffer): &(NameId, BufferId)| (*name, source.pool.buffer(*buffer).func);
    let inputs = source.inputs.iter().map(input).collect();
    let mut translation = Translation::new(pipeline, std::mem::take(&mut source.pool), names);
    bind_signature(&mut translation.nodes, &mut translation.pool, source)?;
    let kept: FxHashSet<FuncId> = source.algorithm.funcs.iter().copied().collect();
    let funcs = source.funcs.iter().map(|(name, func)| (*name, *func));
    let writer = Writer {
        translation,
        funcs: funcs.filter(|(_, func)| kept.contains(func)).collect(),
        inputs,
        outputs: source.algorithm.outputs.iter().copied().collect(),
        is_reserved,
        loops: FxHashMap::default(),
        reads: Vec::new(),
        inlined: FxHashSet::default(),
        notes: Vec::new(),
    };
    let (pool, imported) = writer.run(&source.algorithm);
    source.pool = pool;
    Ok(imported)
}

impl Source {
    /// Expresses this source in terms of an algorithm that was read from a text of its own. The
    /// inputs, parameters and funcs of the two correspond in order; `None` if their numbers differ.
    pub fn in_terms_of(&self, pool: &Pool, algorithm: &Algorithm) -> Option<Self> {
        let same_length = |own: &[FuncId], other: &[FuncId]| own.len() == other.len();
        let ours = &self.algorithm;
        let fits = same_length(&ours.inputs, &algorithm.inputs)
            && same_length(&ours.funcs, &algorithm.funcs)
            && ours.params.len() == algorithm.params.len();
        if !fits {
            return None;
        }
        let pairs = |own: &[FuncId], other: &[FuncId]| {
            own.iter().copied().zip(other.iter().copied()).collect::<Vec<_>>()
        };
        let map: FxHashMap<FuncId, FuncId> = pairs(&ours.inputs, &algorithm.inputs)
            .into_iter()
            .chain(pairs(&ours.funcs, &algorithm.funcs))
            .collect();
        let params: FxHashMap<_, _> = ours.params.iter().zip(&algorithm.params).collect();
        let buffer = |func: FuncId| match pool.func(func).kind {
            FuncKind::Input { buffer } => Some(buffer),
            FuncKind::Defined { .. } => None,
        };
        let mut inputs = Vec::new();
        for (name, own) in &self.inputs {
            let func = map.get(&self.pool.buffer(*own).func)?;
            inputs.push((*name, buffer(*func)?));
        }
        let mut values = Vec::new();
        for (name, var, ty) in &self.params {
            values.push((*name, **params.get(var)?, *ty));
        }
        let funcs = self.funcs.iter().filter_map(|(name, func)| Some((*name, *map.get(func)?)));
        let types =
            self.types.iter().filter_map(|(func, types)| Some((*map.get(func)?, types.clone())));
        let domains = self.domains.iter().filter_map(|domain| {
            Some(DomainExtent { func: *map.get(&domain.func)?, ..domain.clone() })
        });
        Some(Self {
            pool: pool.clone(),
            algorithm: algorithm.clone(),
            funcs: funcs.collect(),
            inputs,
            params: values,
            types: types.collect(),
            filled: self.filled.iter().filter_map(|func| map.get(func).copied()).collect(),
            skipped: self.skipped.iter().filter_map(|func| map.get(func).copied()).collect(),
            domains: domains.collect(),
            // Expressions of another pool.
            widths: Widths::default(),
            priors: Vec::new(),
            externs: Vec::new(),
            memos: FxHashMap::default(),
            named: self.named.clone(),
            has_plain_floats: self.has_plain_floats,
            has_zeros: self.has_zeros,
            has_requires: self.has_requires,
            has_strict_floats: self.has_strict_floats,
            settings: self.settings,
        })
    }
}

impl<'a> Writer<'a> {
    fn run(mut self, algorithm: &Algorithm) -> (Pool, Imported) {
        let pipeline = self.translation.pipeline;
        for func in &algorithm.funcs {
            let pool = &self.translation.pool;
            let stages = pool.func(*func).stages().iter().enumerate();
            self.reads.extend(stages.map(|(stage, found)| ((*func, stage), callees(pool, found))));
        }
        let mut directives = self.wrap(algorithm);
        // Readers come before the funcs that they read, the usual order in a program.
        let mut scheduled: Vec<(&'a Func, FuncId)> = Vec::new();
        for func in algorithm.funcs.iter().rev() {
            let mut pending = vec![*func];
            while let Some(id) = pending.pop() {
                let found =
                    pipeline.funcs.iter().find(|known| self.funcs.get(&known.name) == Some(&id));
                let Some(found) = found else { continue };
                pending.extend(self.copies_of(found));
                scheduled.push((found, id));
            }
        }
        for (func, id) in &scheduled {
            if self.is_inlined(func, *id) {
                self.inlined.insert(*id);
            }
        }
        let mut stages: FxHashMap<FuncId, Vec<Vec<Directive>>> = FxHashMap::default();
        for (func, id) in &scheduled {
            if !self.inlined.contains(id) {
                let of_stages = func.stages().enumerate();
                let made = of_stages.map(|(number, stage)| self.stage((func, *id), number, stage));
                stages.insert(*id, made.collect());
            }
        }
        for (func, id) in &scheduled {
            let actions = self.placed(func, *id);
            directives.extend(actions.into_iter().map(|action| directive(*id, 0, action)));
            directives.extend(stages.remove(id).unwrap_or_default().into_iter().flatten());
        }
        let schedule = Schedule { name: "imported".to_owned(), directives };
        (self.translation.pool, Imported { schedule, notes: self.notes })
    }

    fn pool(&self) -> &Pool {
        &self.translation.pool
    }

    /// Notes that a part of a func's schedule is left out.
    fn note(&mut self, func: &Func, what: &str) {
        let name = self.translation.nodes.names.text(func.name);
        self.notes.push(format!("`{name}`: {what}"));
    }

    fn is_inlined(&self, func: &Func, id: FuncId) -> bool {
        func.schedule.compute == LoopLevel::Inlined
            && func.updates.is_empty()
            && !self.outputs.contains(&id)
    }

    /// The copies of a func that [`Self::wrap`] has made.
    fn copies_of(&self, func: &Func) -> Vec<FuncId> {
        let funcs = &self.translation.pipeline.funcs;
        let copy = |wrapper: &Wrapper| self.funcs.get(&funcs.get(wrapper.copy)?.name).copied();
        func.schedule.wrappers.iter().filter_map(copy).collect()
    }

    /// The directives that make copies of funcs. A copy may have copies in turn.
    fn wrap(&mut self, algorithm: &Algorithm) -> Vec<Directive> {
        let pipeline = self.translation.pipeline;
        let mut made = Vec::new();
        let mut pending: Vec<FuncId> = algorithm.funcs.iter().rev().copied().collect();
        while let Some(id) = pending.pop() {
            let found =
                pipeline.funcs.iter().find(|known| self.funcs.get(&known.name) == Some(&id));
            let Some(func) = found else { continue };
            // A copy for all users comes after the copies for named ones.
            let mut wrappers: Vec<&Wrapper> = func.schedule.wrappers.iter().collect();
            wrappers.sort_by_key(|wrapper| wrapper.user.is_none());
            let mut copies: Vec<usize> = Vec::new();
            for wrapper in &wrappers {
                if !copies.contains(&wrapper.copy) {
                    copies.push(wrapper.copy);
                }
            }
            for number in copies {
                let Some(copy) = pipeline.funcs.get(number) else { continue };
                let of_copy = wrappers.iter().filter(|wrapper| wrapper.copy == number);
                let users: Option<Vec<NameId>> = of_copy.map(|wrapper| wrapper.user).collect();
                let users = users.unwrap_or_default();
                let ids: Option<Vec<FuncId>> =
                    users.iter().map(|user| self.funcs.get(user).copied()).collect();
                let (true, Some(users)) = (is_copy(copy, func), ids) else {
                    let name = self.translation.nodes.names.text(copy.name);
                    self.note(
                        func,
                        &format!("a clone of it, `{name}`, which is no copy of its values"),
                    );
                    continue;
                };
                let wrapper = self.declare_copy(copy, id);
                self.redirect((id, wrapper), &users);
                made.push(directive(id, 0, Action::Wrap { wrapper, users }));
                pending.push(wrapper);
            }
        }
        made
    }

    fn declare_copy(&mut self, copy: &Func, of: FuncId) -> FuncId {
        let pool = &mut self.translation.pool;
        let FuncDecl { name, scalars, args, .. } = pool.func(of).clone();
        let args = args
            .iter()
            .enumerate()
            .map(|(dim, arg)| {
                // The names that the language gives to arguments.
                let name = pool.var(*arg).name.clone();
                let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic());
                let name = match (is_name, ["x", "y", "c"].get(dim)) {
                    (true, _) => name,
                    (false, Some(usual)) => (*usual).to_owned(),
                    (false, None) => format!("d{dim}"),
                };
                pool.declare_var(name, Type::INT)
            })
            .collect();
        let kind = FuncKind::Defined { stages: Vec::new(), synthetic: false };
        let wrapper = pool.declare_func(FuncDecl { name, scalars, args, kind });
        self.funcs.insert(copy.name, wrapper);
        self.reads.push(((wrapper, 0), [of].into_iter().collect()));
        wrapper
    }

    /// Redirects readers of a func to its copy: the named users or, without names, all readers that
    /// are no copies themselves.
    fn redirect(&mut self, (of, copy): (FuncId, FuncId), users: &[FuncId]) {
        for ((reader, _), read) in &mut self.reads {
            let is_user = if users.is_empty() { *reader != of } else { users.contains(reader) };
            // A copy has no definition yet.
            let is_copy = self.translation.pool.func(*reader).stages().is_empty();
            if is_user && (!is_copy || users.contains(reader)) && read.remove(&of) {
                read.insert(copy);
            }
        }
    }

    /// A number that is known when the pipeline starts.
    fn number(&mut self, expr: &Expr) -> Result<ExprId> {
        self.translation.int(expr)
    }

    /// An expression in Halide's syntax.
    fn words(&self, expr: &Expr) -> String {
        text::print_expr(expr, self.translation.nodes.names)
    }

    /// The place of a func's memory, by Halide's number.
    fn memory(&mut self, func: &Func) -> Option<StoreIn> {
        Some(match func.schedule.memory {
            0 => return None,
            1 => StoreIn::Heap,
            2 => StoreIn::Stack,
            3 => StoreIn::Register,
            kind => {
                let kinds = ["GPUShared", "GPUTexture", "LockedCache", "VTCM", "AMXTile"];
                let name = kinds.get(usize::from(kind) - 4).copied().unwrap_or("another place");
                self.note(func, &format!("`store_in(MemoryType::{name})`"));
                return None;
            }
        })
    }
}

fn directive(func: FuncId, stage: usize, action: Action) -> Directive {
    Directive { func, stage, action, origin: 0 }
}

/// Tests whether a func only copies the values of another.
fn is_copy(copy: &Func, of: &Func) -> bool {
    let Some(init) = &copy.init else { return false };
    copy.updates.is_empty()
        && init.values.iter().enumerate().all(|(number, value)| {
            matches!(value, Expr::Call(call)
                if call.name == of.name && call.args == init.args && call.component == number)
        })
}
