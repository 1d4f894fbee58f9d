//! Small random pipelines whose indices are affine, each with a schedule that keeps them affine.

use std::fmt::Write as _;

use crate::Random;

/// The element types, one for a whole pipeline.
const TYPES: [&str; 5] = ["u8", "u16", "i32", "i32", "f32"];
/// Factors of splits, numbers of lanes, and numbers of copies.
const FACTORS: [i64; 4] = [2, 3, 4, 8];

/// The facts about a func that others must know.
struct Func {
    name: String,
    rank: usize,
    /// The loops of each stage, innermost first. The flag marks loops over a domain.
    stages: Vec<Vec<(String, bool)>>,
    /// The funcs that read it, by number.
    readers: Vec<usize>,
}

struct Maker {
    random: Random,
    ty: &'static str,
    funcs: Vec<Func>,
    has_size: bool,
    text: String,
    fresh: usize,
}

/// Returns the text of a seed. It has one to three funcs of one or two dimensions, with shifted
/// stencils, clamped borders, selections by position, and sums and scans over domains of constant
/// and unknown extent. It also has a schedule `s0` with splits, orders, vectors, parallel and
/// unrolled loops, and places to compute at. All reads are at affine places, and no directive
/// rewrites the algorithm.
pub fn affine(seed: u64) -> String {
    let mut random = Random::new(seed);
    let ty = random.choose(&TYPES).copied().unwrap_or("u8");
    let has_size = random.chance(20);
    let mut maker =
        Maker { random, ty, funcs: Vec::new(), has_size, text: String::new(), fresh: 0 };
    maker.pipeline(&format!("affine_{seed}"))
}

impl Maker {
    fn pick<T: Copy>(&mut self, choices: &[T], otherwise: T) -> T {
        self.random.choose(choices).copied().unwrap_or(otherwise)
    }

    fn pipeline(&mut self, name: &str) -> String {
        let rank = self.pick(&[1, 2, 2], 2);
        let ty = self.ty;
        let size = if self.has_size { ", n: int" } else { "" };
        if self.has_size {
            self.text.push_str("    require n >= 1;\n");
        }
        let clamped = self.random.chance(35);
        if clamped {
            self.text.push_str("    func edge = repeat_edge(a);\n");
        }
        let count = 1 + self.random.below(3);
        for number in 0..count {
            let name = if number + 1 == count { "out".to_owned() } else { format!("f{number}") };
            let input = if clamped { "edge" } else { "a" };
            self.func(name, (input, rank));
        }
        let rank_of_output = self.funcs.last().map_or(rank, |func| func.rank);
        let body = std::mem::take(&mut self.text);
        let schedule = self.schedule();
        format!(
            "pipeline {name}(a: buffer<{ty}, {rank}>{size}) -> out: buffer<{ty}, {rank_of_output}> \
                {{\n{body}}}\nschedule s0 for {name} {{\n{schedule}}}\n"
        )
    }

    /// Returns a read of the previous func, or of the input, near the point of some coordinates.
    fn read(&mut self, (input, rank): (&str, usize), coords: &[String]) -> String {
        let number = self.funcs.len();
        let (name, rank) = match self.funcs.last() {
            Some(func) if self.random.chance(80) => (func.name.clone(), func.rank),
            Some(_) | None => (input.to_owned(), rank),
        };
        if let Some(func) = self.funcs.iter_mut().find(|func| func.name == name)
            && !func.readers.contains(&number)
        {
            func.readers.push(number);
        }
        let mut args = Vec::new();
        for dim in 0..rank {
            let coord = coords.get(dim).or(coords.first()).cloned();
            let coord = coord.unwrap_or_else(|| "0".to_owned());
            args.push(match self.random.below(8) {
                0 => format!("{coord} - 1"),
                1 | 2 => format!("{coord} + 1"),
                3 => format!("{coord} + 2"),
                4 if self.random.chance(30) => format!("{coord} / 2"),
                4 if self.random.chance(30) => format!("2 * {coord}"),
                _ => coord,
            });
        }
        format!("{name}({})", args.join(", "))
    }

    /// Returns a value at a point.
    fn value(&mut self, input: (&str, usize), coords: &[String]) -> String {
        let mut terms = Vec::new();
        for _ in 0..=self.random.below(3) {
            terms.push(self.read(input, coords));
        }
        let sum = terms.join(self.pick(&[" + ", " + ", " - "], " + "));
        match self.random.below(8) {
            0 => format!("max({sum}, {})", self.read(input, coords)),
            1 => format!("({sum}) * 3"),
            2 => match coords.first() {
                Some(coord) => {
                    let bound = self.random.between(-2, 6);
                    format!("select({coord} < {bound}, {sum}, {})", self.read(input, coords))
                }
                None => sum,
            },
            3 if self.ty != "f32" => format!("({sum}) / 3"),
            _ => sum,
        }
    }

    fn func(&mut self, name: String, input: (&str, usize)) {
        let rank = self.pick(&[1, 2, 2], 2);
        let vars: Vec<String> = ["x", "y"][..rank].iter().map(|var| (*var).to_owned()).collect();
        let mut stages = vec![vars.iter().map(|var| (var.clone(), false)).collect::<Vec<_>>()];
        let value = self.value(input, &vars);
        let (head, ty) = (vars.join(", "), self.ty);
        if !self.random.chance(35) {
            _ = writeln!(self.text, "    func {name}({head}): {ty} = {value};");
        } else {
            _ = writeln!(self.text, "    func {name}({head}): {ty} {{");
            _ = writeln!(self.text, "        {name}({head}) = {value};");
            let (update, loops) = self.update(&name, input, &vars);
            _ = writeln!(self.text, "        {update}\n    }}");
            stages.push(loops);
        }
        self.funcs.push(Func { name, rank, stages, readers: Vec::new() });
    }

    /// Returns an update and its loops: a sum over a domain, a scan, a change of every point, or a
    /// change of one line.
    fn update(
        &mut self,
        name: &str,
        input: (&str, usize),
        vars: &[String],
    ) -> (String, Vec<(String, bool)>) {
        let pure = || vars.iter().map(|var| (var.clone(), false));
        let extent = self.random.between(1, 5);
        let upper = |low: i64| {
            if self.has_size { format!("n + {low}") } else { (low + extent).to_string() }
        };
        let domain = |low: i64| format!("for r in {low}..{}", upper(low));
        let head = vars.join(", ");
        match self.random.below(4) {
            0 => {
                let domain = domain(0);
                let mut at = vars.to_vec();
                if let Some(first) = at.first_mut() {
                    *first = format!("{first} + r");
                }
                let value = self.read(input, &at);
                let op = self.pick(&["+=", "+=", "max="], "+=");
                let loops = std::iter::once(("r".to_owned(), true)).chain(pure()).collect();
                (format!("{domain} {{ {name}({head}) {op} {value}; }}"), loops)
            }
            1 => {
                let domain = domain(1);
                let mut at = vars.to_vec();
                let mut before = vars.to_vec();
                let dim = self.random.below(vars.len());
                "r".clone_into(&mut at[dim]);
                "r - 1".clone_into(&mut before[dim]);
                let value = self.read(input, &at);
                let (here, before) = (at.join(", "), before.join(", "));
                let others = pure().filter(|(var, _)| *var != vars[dim]);
                let loops = std::iter::once(("r".to_owned(), true)).chain(others).collect();
                (format!("{domain} {{ {name}({here}) = {name}({before}) + {value}; }}"), loops)
            }
            2 => {
                let value = self.read(input, vars);
                (format!("{name}({head}) = max({name}({head}), {value});"), pure().collect())
            }
            _ => {
                let mut at = vars.to_vec();
                let dim = self.random.below(vars.len());
                at[dim] = self.random.between(-1, 3).to_string();
                let value = self.read(input, &at);
                let here = at.join(", ");
                let loops = pure().filter(|(var, _)| *var != vars[dim]).collect();
                (format!("{name}({here}) = {name}({here}) + {value};"), loops)
            }
        }
    }

    fn schedule(&mut self) -> String {
        let mut text = String::new();
        let mut loops: Vec<Vec<String>> = Vec::new();
        loops.resize(self.funcs.len(), Vec::new());
        for number in (0..self.funcs.len()).rev() {
            let is_output = number + 1 == self.funcs.len();
            let mut chain = String::new();
            if !is_output {
                let readers = self.funcs[number].readers.clone();
                let at = readers.last().copied().filter(|_| readers.len() == 1);
                let has_updates = self.funcs[number].stages.len() > 1;
                match (self.random.below(10), at) {
                    (0..=1, _) if !has_updates => continue,
                    (2..=7, Some(reader)) if !loops[reader].is_empty() => {
                        let (reader, levels) = (self.funcs[reader].name.clone(), &loops[reader]);
                        let level = self.random.below(levels.len());
                        _ = write!(chain, ".compute_at({reader}, {})", levels[level]);
                        if self.random.chance(25) {
                            let outer = self.random.between(level as i64, levels.len() as i64 - 1);
                            let outer = &levels[outer as usize];
                            _ = write!(chain, ".store_at({reader}, {outer})");
                        }
                    }
                    _ => chain.push_str(".compute_root()"),
                }
            }
            let stages = self.funcs[number].stages.clone();
            for (stage, own) in stages.into_iter().enumerate() {
                let is_update = stage > 0;
                let (directives, left) = self.loops(own, is_update);
                // Other funcs are computed at the last stage.
                loops[number] = left;
                let chain = if is_update { directives } else { format!("{chain}{directives}") };
                if !chain.is_empty() {
                    let which = if is_update { ".update(1)" } else { "" };
                    _ = writeln!(text, "    {}{which}{chain};", self.funcs[number].name);
                }
            }
        }
        text
    }

    /// Returns directives on a stage's loops, and the loops that they leave, innermost first.
    fn loops(&mut self, own: Vec<(String, bool)>, is_update: bool) -> (String, Vec<String>) {
        let mut text = String::new();
        let mut loops: Vec<(String, bool, bool)> =
            own.into_iter().map(|(name, over_domain)| (name, over_domain, false)).collect();
        for _ in 0..self.random.below(3) {
            let open: Vec<usize> = (0..loops.len()).filter(|at| !loops[*at].2).collect();
            let Some(at) = self.random.choose(&open).copied() else { break };
            let (name, over_domain, _) = loops[at].clone();
            let factor = self.pick(&FACTORS, 2);
            let tail = if is_update {
                ", tail: guard"
            } else {
                self.pick(&["", ", tail: guard", ", tail: shift", ", tail: round"], "")
            };
            match self.random.below(7) {
                0..=1 => {
                    self.fresh += 1;
                    let (outer, inner) = (format!("o{}", self.fresh), format!("i{}", self.fresh));
                    _ = write!(text, ".split({name}, {outer}, {inner}, {factor}{tail})");
                    let made = [(inner, over_domain, false), (outer, over_domain, false)];
                    loops.splice(at..=at, made);
                }
                2 if loops.len() > 1 && loops.iter().all(|(_, domain, _)| !domain) => {
                    self.random.shuffle(&mut loops);
                    let names: Vec<&str> = loops.iter().map(|(name, ..)| name.as_str()).collect();
                    _ = write!(text, ".reorder({})", names.join(", "));
                }
                3 if !over_domain => {
                    _ = write!(text, ".vectorize({name}, {factor}{tail})");
                    loops[at].2 = true;
                }
                4 if !over_domain => {
                    _ = write!(text, ".parallel({name})");
                    loops[at].2 = true;
                }
                5 => {
                    let factor = factor.min(4);
                    _ = write!(text, ".unroll({name}, {factor}{tail})");
                    loops[at].2 = true;
                }
                _ => {}
            }
        }
        (text, loops.into_iter().map(|(name, ..)| name).collect())
    }
}
