//! Systematic changes of a schedule: each is one decision for all funcs that it concerns, or one
//! number. The estimates do not see most of them, so that races decide.
//!
//! Random changes treat one func at a time. A pipeline of many funcs is then changed little, and a
//! change that pays for all of them together is hardly ever drawn.

use halidom_ir::{Action, Directive, ExprId, FuncId, LoopKind, Pool, StoreIn, Tail};
use halidom_schedule::StageLoops;

use super::facts::{Facts, Func, Placement};
use super::moves::{insert, is_open};
use super::seeds::{directive, fresh, streams};

/// The largest number of lanes that are tried.
const MOST_LANES: i128 = 256;

/// A change of a schedule, with a name that does not depend on the schedule.
pub(super) struct Variant {
    pub(super) name: String,
    pub(super) directives: Vec<Directive>,
}

/// Makes variants of one schedule.
struct Maker<'m> {
    pool: &'m mut Pool,
    facts: &'m Facts,
    loops: &'m [StageLoops],
    directives: &'m [Directive],
    made: Vec<Variant>,
}

/// Returns the variants of a schedule with these loops, the most promising kinds first.
pub(super) fn variants(
    pool: &mut Pool,
    facts: &Facts,
    loops: &[StageLoops],
    directives: &[Directive],
) -> Vec<Variant> {
    let mut maker = Maker { pool, facts, loops, directives, made: Vec::new() };
    maker.streams();
    maker.realigned();
    maker.rows();
    maker.lanes();
    maker.copies();
    maker.blocks();
    maker.scalars();
    maker.prefetches();
    maker.made
}

/// The directives without vectors and unrolled loops. Such code compiles fast, and the C compiler
/// makes vectors of its own where values need not be gathered.
pub(super) fn without_vectors(directives: &[Directive]) -> Vec<Directive> {
    let is_left = |found: &&Directive| {
        !matches!(found.action, Action::Vectorize { .. } | Action::Unroll { .. })
            && !streams(&found.action)
    };
    directives.iter().filter(is_left).cloned().collect()
}

impl Maker<'_> {
    fn add(&mut self, name: &str, directives: Vec<Directive>) {
        if directives != self.directives {
            self.made.push(Variant { name: name.to_owned(), directives });
        }
    }

    fn constant(&self, expr: ExprId) -> Option<i128> {
        self.pool.as_constant(expr)?.as_integer()
    }

    fn outputs(&self) -> Vec<Func> {
        self.facts.funcs.iter().filter(|func| func.is_output).cloned().collect()
    }

    /// Writes outputs past the caches, or no longer.
    fn streams(&mut self) {
        let mut changed = self.directives.to_vec();
        let has = changed.iter().any(|found| streams(&found.action));
        changed.retain(|found| !streams(&found.action));
        if !has {
            for output in self.outputs().iter().filter(|output| output.readers.is_empty()) {
                let action = Action::StoreIn(StoreIn::Stream);
                insert(&mut changed, directive(output.id, 0, action));
            }
        }
        self.add("stream", changed);
    }

    /// Leaves vectors to the C compiler.
    fn scalars(&mut self) {
        self.add("scalars", without_vectors(self.directives));
    }

    /// Changes the lanes of all vectors, or those of the outputs alone.
    fn lanes(&mut self) {
        for (name, of_outputs) in [("all", false), ("outputs", true)] {
            for (what, twice) in [("more", true), ("fewer", false)] {
                let mut changed = self.directives.to_vec();
                for found in &mut changed {
                    let is_output = self.facts.func(found.func).is_some_and(|func| func.is_output);
                    let Action::Vectorize { lanes: Some(lanes), .. } = &mut found.action else {
                        continue;
                    };
                    let Some(old) = self.constant(*lanes) else { continue };
                    let new = if twice { old * 2 } else { old / 2 };
                    if (is_output || !of_outputs) && (4..=MOST_LANES).contains(&new) {
                        *lanes = self.pool.int(new);
                    }
                }
                self.add(&format!("{what} lanes of {name}"), changed);
            }
        }
    }

    /// Assembles the unaligned vectors of funcs with memory of their own from aligned ones, or no
    /// longer.
    fn realigned(&mut self) {
        let with_memory = |func: &&Func| {
            let has_vectors = self.directives.iter().any(|found| {
                found.func == func.id && matches!(found.action, Action::Vectorize { .. })
            });
            !func.is_output
                && func.points > 1
                && has_vectors
                && self.facts.placement(self.directives, func.id) != Placement::Inline
        };
        let all: Vec<Func> = self.facts.funcs.iter().filter(with_memory).cloned().collect();
        let mut without = self.directives.to_vec();
        let is_aligning =
            |action: &Action| matches!(action, Action::Realign | Action::AlignStorage { .. });
        without.retain(|found| !is_aligning(&found.action));
        let has_any = without.len() < self.directives.len();
        let mut changed = without.clone();
        for func in &all {
            self.realign(func, &mut changed);
        }
        self.add("realign all", changed);
        if has_any {
            self.add("realign nothing", without);
        } else if all.len() > 1 {
            for func in all.iter().take(4) {
                let mut changed = self.directives.to_vec();
                self.realign(func, &mut changed);
                self.add(&format!("realign {:?}", func.id), changed);
            }
        }
    }

    fn realign(&mut self, func: &Func, directives: &mut Vec<Directive>) {
        let Some(var) = func.args.first().cloned() else { return };
        let modulus = self.pool.int(func.lanes);
        insert(directives, directive(func.id, 0, Action::AlignStorage { var, modulus }));
        insert(directives, directive(func.id, 0, Action::Realign));
    }

    /// Doubles or halves each size of an output's blocks.
    fn blocks(&mut self) {
        let outputs: Vec<FuncId> = self.outputs().iter().map(|output| output.id).collect();
        for number in 0..self.directives.len() {
            if !outputs.contains(&self.directives[number].func) {
                continue;
            }
            let sizes = block_sizes(&self.directives[number].action);
            for (side, size) in sizes.iter().enumerate() {
                let Some(old) = self.constant(*size) else { continue };
                for (what, new) in [("larger", old * 2), ("smaller", old / 2)] {
                    if new < 2 {
                        continue;
                    }
                    let made = self.pool.int(new);
                    let mut changed = self.directives.to_vec();
                    if let Action::Split { factor, .. } = &mut changed[number].action {
                        *factor = made;
                    } else if let Action::Tile { factors, .. } = &mut changed[number].action {
                        factors[side] = made;
                    }
                    self.add(&format!("{what} block {side}"), changed);
                }
            }
        }
    }

    /// Takes two vectors of a row at a time in all funcs, or one again.
    fn copies(&mut self) {
        let is_copied = |found: &Directive| {
            matches!(found.action, Action::Unroll { factor: Some(_), .. })
                && self.facts.func(found.func).and_then(|func| func.args.first())
                    == unrolled(&found.action)
        };
        let mut without = self.directives.to_vec();
        without.retain(|found| !is_copied(found));
        if without.len() < self.directives.len() {
            self.add("one vector", without.clone());
        }
        let mut changed = without;
        let two = self.pool.int(2);
        for found in self.directives {
            // An output's blocks have loops of their own.
            let Action::Vectorize { var, lanes: Some(_), .. } = &found.action else { continue };
            if found.stage != 0 {
                continue;
            }
            let action = Action::Unroll { var: var.clone(), factor: Some(two), tail: Tail::Auto };
            insert(&mut changed, directive(found.func, 0, action));
        }
        self.add("two vectors", changed);
    }

    /// Computes some rows of an output at a time, which share what they read.
    fn rows(&mut self) {
        for output in self.outputs() {
            let loops = self.loops.iter().find(|found| found.func == output.id && found.stage == 0);
            let Some(loops) = loops else { continue };
            let open: Vec<_> = loops
                .loops
                .iter()
                .filter(|found| is_open(found) && found.kind == LoopKind::Serial)
                .collect();
            // The innermost two: over vectors, and over rows.
            let [.., row, vector] = open.as_slice() else { continue };
            let is_of_rows = output.args.get(1).is_some_and(|y| row.name.starts_with(y.as_str()));
            if !is_of_rows || row.extent.is_some_and(|extent| extent < 4) {
                continue;
            }
            for rows in [2, 4] {
                let (outer, inner) =
                    (fresh(&output, &row.name, "b"), fresh(&output, &row.name, "r"));
                let factor = self.pool.int(rows);
                let mut changed = self.directives.to_vec();
                for found in &mut changed {
                    if let Action::ComputeAt(level) | Action::StoreAt(level) = &mut found.action
                        && level.func == output.id
                        && level.var == row.name
                    {
                        level.var.clone_from(&outer);
                    }
                }
                let vars = vec![inner.clone(), vector.name.clone(), outer.clone()];
                let actions = [
                    Action::Split {
                        var: row.name.clone(),
                        outer,
                        inner: inner.clone(),
                        factor,
                        tail: Tail::Auto,
                    },
                    Action::Reorder { vars },
                    Action::Unroll { var: inner, factor: None, tail: Tail::Auto },
                ];
                for action in actions {
                    insert(&mut changed, directive(output.id, 0, action));
                }
                self.add(&format!("{rows} rows"), changed);
            }
        }
    }

    /// Asks for the inputs ahead of their use.
    fn prefetches(&mut self) {
        let is_fetch = |found: &Directive| matches!(found.action, Action::Prefetch { .. });
        let mut without = self.directives.to_vec();
        without.retain(|found| !is_fetch(found));
        if without.len() < self.directives.len() {
            self.add("no prefetch", without.clone());
        }
        for output in self.outputs() {
            let loops = self.loops.iter().find(|found| found.func == output.id && found.stage == 0);
            let Some(loops) = loops else { continue };
            let open = loops.loops.iter().rev().filter(|found| is_open(found));
            for (depth, at) in open.take(2).enumerate() {
                for ahead in if depth == 0 { [8, 4] } else { [1, 2] } {
                    let mut changed = without.clone();
                    for input in &self.facts.inputs {
                        let (func, var) = (*input, at.name.clone());
                        let action = Action::Prefetch { func, var, ahead };
                        insert(&mut changed, directive(output.id, 0, action));
                    }
                    self.add(&format!("prefetch {depth} {ahead}"), changed);
                }
            }
        }
    }
}

/// The sizes of the blocks that an action makes.
fn block_sizes(action: &Action) -> Vec<ExprId> {
    if let Action::Split { factor, .. } = action {
        vec![*factor]
    } else if let Action::Tile { factors, .. } = action {
        factors.to_vec()
    } else {
        Vec::new()
    }
}

/// The loop that an action unrolls.
fn unrolled(action: &Action) -> Option<&String> {
    if let Action::Unroll { var, .. } = action { Some(var) } else { None }
}

#[cfg(test)]
mod tests {
    use halidom_base::FxHashSet;
    use halidom_codegen::{Target, Toolchain};
    use halidom_driver::judge;
    use halidom_driver::source::{self, Choice};
    use halidom_ir::{Action, Schedule};

    use super::super::facts::Facts;
    use super::super::form::compile;
    use super::super::search::loops;
    use super::variants;

    const TEXT: &str = "\
pipeline p(input: buffer<u16, 2>) -> output: buffer<u16, 2> {
    func rows(x, y) = input(x, y) + input(x + 1, y);
    func sums(x, y) = rows(x, y) + rows(x + 2, y + 1);
    func output(x, y) = sums(x, y) + sums(x + 1, y + 1);
}
schedule strips for p {
    output.split(y, yo, yi, 16).parallel(yo).vectorize(x, 32);
    rows.store_at(output, yo).compute_at(output, yi).vectorize(x, 32);
    sums.store_at(output, yo).compute_at(output, yi).vectorize(x, 32);
}
";

    #[test]
    fn changes_concern_all_funcs_and_are_proved() {
        let mut loaded = source::parse("p.hal", TEXT);
        let algorithm = loaded.module.pipelines[0].algorithm.clone();
        let facts = Facts::of(&loaded.module.pool, &algorithm, &Target::host());
        let start = loaded.schedule_of(&Choice { pipeline: 0, schedule: Some(0) }).directives;
        let found = loops(&loaded.module.pool, &algorithm, &start);
        let made = variants(&mut loaded.module.pool, &facts, &found, &start);
        let names: FxHashSet<&str> = made.iter().map(|variant| variant.name.as_str()).collect();
        assert_eq!(names.len(), made.len());
        let expected = [
            "stream",
            "realign all",
            "2 rows",
            "4 rows",
            "more lanes of all",
            "fewer lanes of outputs",
            "two vectors",
            "larger block 0",
            "prefetch 1 1",
        ];
        assert!(names.contains("prefetch 0 8"));
        assert!(expected.iter().all(|name| names.contains(name)), "{names:?}");
        let count = |name: &str, is: &dyn Fn(&Action) -> bool| {
            let variant = made.iter().find(|variant| variant.name == name).unwrap();
            variant.directives.iter().filter(|found| is(&found.action)).count()
        };
        assert_eq!(count("realign all", &|action| *action == Action::Realign), 2);
        assert_eq!(count("two vectors", &|action| matches!(action, Action::Unroll { .. })), 3);
        let toolchain = Toolchain::find().unwrap();
        let options = judge::Options::find().unwrap();
        for name in expected {
            let variant = made.iter().find(|variant| variant.name == name).unwrap();
            let directives = variant.directives.clone();
            let schedule = Schedule { name: "made".to_owned(), directives };
            let Ok(built) = compile(loaded.clone(), 0, Some(schedule), &toolchain) else {
                panic!("{name} is not legal")
            };
            assert!(built.judged(&options).is_proved(), "{name}");
        }
        // A change that was made is undone by a variant of the result.
        for (name, back) in [
            ("stream", "stream"),
            ("realign all", "realign nothing"),
            ("two vectors", "one vector"),
        ] {
            let variant = made.iter().find(|variant| variant.name == name).unwrap();
            let changed = variant.directives.clone();
            let found = loops(&loaded.module.pool, &algorithm, &changed);
            let again = variants(&mut loaded.module.pool, &facts, &found, &changed);
            let undone = again.iter().find(|variant| variant.name == back).unwrap();
            assert_eq!(undone.directives, start, "{back}");
        }
    }
}
