//! The work of one point of a stage, with that of the inline funcs in it.

use std::cell::RefCell;
use std::rc::Rc;

use halidom_base::{FxHashMap, FxHashSet, IndexMap};

use crate::problem::Problem;
use crate::values::{Coordinate, CoordinateKind, Use, Work, bit, moved};

/// The largest number of values and reads for one point: more are not worth an estimate.
const MOST_USES: usize = 6000;

/// The reads and the values of one kind that a point of a stage needs: those that differ in the
/// numbers of their coordinates only.
pub(crate) struct Group {
    pub(crate) func: usize,
    pub(crate) args: Vec<Coordinate>,
    /// The numbers of each.
    pub(crate) numbers: Vec<Vec<f64>>,
    pub(crate) vars: u32,
    /// For values of inline funcs, the work of one.
    pub(crate) work: Vec<Work>,
    pub(crate) is_inline: bool,
}

/// The work of one point of a stage, with the inline funcs in it.
pub(crate) struct Expanded {
    pub(crate) own: Vec<Work>,
    pub(crate) groups: Vec<Group>,
}

type Key = (usize, usize, Vec<u64>);

/// The expansions that were made.
#[derive(Default)]
pub(crate) struct Expansions {
    made: RefCell<FxHashMap<Key, Option<Rc<Expanded>>>>,
}

impl Expansions {
    /// Returns the work of one point of a stage. `None` if it is too much.
    pub(crate) fn of(
        &self,
        problem: &Problem,
        (func, stage): (usize, usize),
        is_inline: &[bool],
    ) -> Option<Rc<Expanded>> {
        let mut bits = vec![0_u64; is_inline.len().div_ceil(64)];
        mark(problem, func, stage, is_inline, &mut bits);
        let key = (func, stage, bits);
        if let Some(known) = self.made.borrow().get(&key) {
            return known.clone();
        }
        let made = expand(problem, func, stage, is_inline).map(Rc::new);
        self.made.borrow_mut().insert(key, made.clone());
        made
    }
}

/// Marks the inline funcs that a stage reads, directly or through others.
fn mark(problem: &Problem, func: usize, stage: usize, is_inline: &[bool], bits: &mut [u64]) {
    for read in &problem.funcs[func].stages[stage].reads {
        let (word, flag) = (read.func / 64, 1_u64 << (read.func % 64));
        if is_inline[read.func] && bits[word] & flag == 0 {
            bits[word] |= flag;
            mark(problem, read.func, 0, is_inline, bits);
        }
    }
}

type Seen = FxHashSet<(usize, Vec<(u64, u64, u64)>)>;

/// A name for coordinates that are equal.
fn name(args: &[Coordinate]) -> Vec<(u64, u64, u64)> {
    let one = |arg: &Coordinate| {
        let terms = arg.terms.iter().fold(17_u64, |hash, (slot, factor)| {
            (hash.rotate_left(9) ^ factor.to_bits() ^ *slot as u64)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        let kind = match arg.kind {
            CoordinateKind::Exact => 0,
            CoordinateKind::Rounded => 1,
            CoordinateKind::Free(vars, name) => (u64::from(vars) << 32 | u64::from(name)) | 2,
        };
        (terms, arg.number.to_bits(), kind)
    };
    args.iter().map(one).collect()
}

fn expand(problem: &Problem, func: usize, stage: usize, is_inline: &[bool]) -> Option<Expanded> {
    let body = &problem.funcs[func].stages[stage].body;
    let mut seen = Seen::default();
    let mut open: Vec<Use> = Vec::new();
    for read in &body.reads {
        if seen.insert((read.func, name(&read.args))) {
            open.push(read.clone());
        }
    }
    let mut groups: IndexMap<(usize, Vec<(u64, u64)>), Group> = IndexMap::default();
    while let Some(found) = open.pop() {
        if seen.len() > MOST_USES {
            return None;
        }
        let callee = &problem.funcs[found.func];
        let inline = is_inline[found.func];
        let shape = name(&found.args).into_iter().map(|(terms, _, kind)| (terms, kind)).collect();
        let group = groups.entry((found.func, shape)).or_insert_with(|| {
            let work = if inline { callee.stages[0].body.work.as_slice() } else { &[] };
            let moved = |work: &Work| Work { vars: moved(work.vars, &found.args), ..work.clone() };
            Group {
                func: found.func,
                args: found.args.clone(),
                numbers: Vec::new(),
                vars: found.args.iter().fold(0, |vars, arg| vars | arg.vars()),
                work: work.iter().map(moved).collect(),
                is_inline: inline,
            }
        });
        group.numbers.push(found.args.iter().map(|arg| arg.number).collect());
        if !inline {
            continue;
        }
        for read in &callee.stages[0].body.reads {
            let args: Vec<Coordinate> =
                read.args.iter().map(|arg| arg.within(&found.args)).collect();
            if seen.insert((read.func, name(&args))) {
                open.push(Use { func: read.func, args });
            }
        }
    }
    Some(Expanded { own: body.work.clone(), groups: groups.into_values().collect() })
}

impl Group {
    /// The number of different reads or values in one iteration of the loops that are not
    /// unrolled; `copies` are the unrolled ones: a variable, a step and a count.
    pub(crate) fn distinct(&self, copies: &[(usize, f64, i64)]) -> f64 {
        const MOST: usize = 2000;
        let moving: Vec<&(usize, f64, i64)> =
            copies.iter().filter(|(slot, ..)| self.vars & bit(*slot) != 0).collect();
        let count: i64 = moving.iter().map(|(.., count)| *count).product();
        if count <= 1 {
            return self.numbers.len() as f64;
        }
        let all = self.numbers.len() * count as usize;
        if all > MOST || self.numbers.len() == 1 {
            return all as f64;
        }
        let mut points: FxHashSet<Vec<u64>> = FxHashSet::default();
        for number in 0..count {
            for at in &self.numbers {
                let point = self.args.iter().zip(at).map(|(arg, at)| {
                    let mut rest = number;
                    let mut moved = *at;
                    for (slot, step, count) in &moving {
                        moved += arg.factor(*slot) * step * (rest % count) as f64;
                        rest /= count;
                    }
                    moved.to_bits()
                });
                points.insert(point.collect());
            }
        }
        points.len() as f64
    }
}
