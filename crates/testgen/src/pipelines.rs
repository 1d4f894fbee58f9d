//! Random pipelines as `.hal` text. They are well typed and keep the rules, so that the whole front
//! end takes part.

mod tuples;

use crate::Random;

/// A pipeline's text, and the facts about it that a schedule needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipelineText {
    /// Its name.
    pub name: String,
    /// The whole definition.
    pub text: String,
    /// The inputs. A wrapper of an input has one stage, and loops with their usual names.
    pub inputs: Vec<FuncText>,
    /// The defined funcs in the order of the text, with the output last.
    pub funcs: Vec<FuncText>,
    /// Conditions on parameters and shapes, for specializations.
    pub conditions: Vec<String>,
    /// Parameters that are at least 1, for factors of splits.
    pub factors: Vec<String>,
}

/// A func, as a schedule sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FuncText {
    /// Its name.
    pub name: String,
    /// The loops of each stage, innermost first. The flag marks loops over reduction variables.
    pub stages: Vec<Vec<(String, bool)>>,
    /// The funcs that read it, by number.
    pub readers: Vec<usize>,
    /// True for a boundary condition, which is computed inline without a directive.
    pub synthetic: bool,
}

/// The names of pure variables by dimension.
const VARS: [&str; 3] = ["x", "y", "c"];
/// The element types; frequent ones occur twice.
const TYPES: [&str; 11] =
    ["u8", "u8", "u16", "u16", "i16", "i32", "i32", "f32", "f32", "u32", "f64"];

/// The percentage of pipelines with tuples. The seed alone selects them, so the other pipelines do
/// not change.
const SHARE_OF_TUPLES: u64 = 20;

/// Makes the pipeline of a seed. It has one to four funcs of one to three dimensions, with
/// stencils, mixed types, boundary conditions, updates with domains and `where`, scatters, scans
/// and reductions. About every fifth pipeline has tuples.
pub fn pipeline(seed: u64) -> PipelineText {
    let mut random = Random::new(seed);
    let mut maker = Maker {
        inputs: Vec::new(),
        funcs: Vec::new(),
        texts: Vec::new(),
        params: Vec::new(),
        tuples: has_tuples(seed),
        random: &mut random,
    };
    maker.make(&format!("random_{seed}"))
}

/// Tests whether the pipeline of a seed has tuples.
fn has_tuples(seed: u64) -> bool {
    Random::new(seed ^ 0x7475_706c_6573).below(100) < SHARE_OF_TUPLES as usize
}

/// An input or a func that can be read.
#[derive(Clone, Copy)]
struct Readable {
    /// True for an input. The number counts inputs or funcs.
    is_input: bool,
    number: usize,
}

struct Signature {
    name: String,
    /// The type of each component.
    types: Vec<&'static str>,
    rank: usize,
}

struct Func {
    signature: Signature,
    stages: Vec<Vec<(String, bool)>>,
    readers: Vec<usize>,
    synthetic: bool,
}

struct Maker<'r> {
    inputs: Vec<Func>,
    funcs: Vec<Func>,
    texts: Vec<String>,
    params: Vec<(&'static str, &'static str)>,
    /// True if funcs may be tuples.
    tuples: bool,
    random: &'r mut Random,
}

/// The context of an expression.
#[derive(Clone)]
struct Site {
    /// The pure variables in scope, one for each dimension of the func, or `None` if the dimension
    /// is not pure here.
    vars: Vec<Option<String>>,
    /// The reduction variables in scope.
    reductions: Vec<String>,
    /// The func that is being defined.
    func: usize,
}

impl Site {
    /// Returns all names that a coordinate can follow.
    fn names(&self) -> Vec<String> {
        self.vars.iter().flatten().chain(&self.reductions).cloned().collect()
    }
}

impl Maker<'_> {
    fn pick<T: Copy>(&mut self, choices: &[T], otherwise: T) -> T {
        self.random.choose(choices).copied().unwrap_or(otherwise)
    }

    fn make(&mut self, name: &str) -> PipelineText {
        for number in 0..=usize::from(self.random.chance(30)) {
            let ty = self.pick(&TYPES, "u8");
            let rank = self.pick(&[1, 2, 2, 2, 3], 2);
            let signature = Signature { name: format!("in{number}"), types: vec![ty], rank };
            let stages = vec![VARS[..rank].iter().map(|var| ((*var).to_owned(), false)).collect()];
            let readers = Vec::new();
            self.inputs.push(Func { signature, stages, readers, synthetic: false });
        }
        if self.random.chance(40) {
            let ty = self.pick(&["u8", "i32", "f32"], "u8");
            self.params.push(("p", ty));
        }
        // An `int` parameter, for extents of domains and factors of splits.
        let has_size = self.random.chance(20);
        if has_size {
            self.params.push(("n", "int"));
            self.texts.push("    require n >= 1;\n".to_owned());
        }
        if self.random.chance(50) {
            self.boundary();
        }
        let count = 1 + self.random.below(3);
        for number in 0..count {
            let name = if number + 1 == count { "out".to_owned() } else { format!("f{number}") };
            self.func(&name);
        }
        let signature: Vec<String> = self
            .inputs
            .iter()
            .map(|input| {
                let Signature { name, types, rank } = &input.signature;
                format!("{name}: buffer<{}, {rank}>", types[0])
            })
            .chain(self.params.iter().map(|(name, ty)| format!("{name}: {ty}")))
            .collect();
        let output = self.funcs.last().map(|func| (func.signature.types[0], func.signature.rank));
        let (ty, rank) = output.unwrap_or(("u8", 1));
        let text = format!(
            "pipeline {name}({}) -> out: buffer<{ty}, {rank}> {{\n{}}}\n",
            signature.join(", "),
            self.texts.concat()
        );
        let mut conditions: Vec<String> = vec!["in0.extent(0) >= 8".to_owned()];
        conditions.extend(self.params.iter().map(|(name, _)| format!("{name} > 3")));
        let factors = if has_size { vec!["n".to_owned()] } else { Vec::new() };
        let [inputs, funcs] = [&mut self.inputs, &mut self.funcs].map(|funcs| {
            let taken = std::mem::take(funcs).into_iter();
            taken
                .map(|func| FuncText {
                    name: func.signature.name,
                    stages: func.stages,
                    readers: func.readers,
                    synthetic: func.synthetic,
                })
                .collect()
        });
        PipelineText { name: name.to_owned(), text, inputs, funcs, conditions, factors }
    }

    /// Adds a boundary condition on the first input.
    fn boundary(&mut self) {
        let Signature { types, rank, .. } = &self.inputs[0].signature;
        let (types, rank) = (types.clone(), *rank);
        self.inputs[0].readers.push(0);
        let call = match self.random.below(4) {
            0 => "constant_exterior(in0, 3)",
            1 => "mirror_image(in0)",
            2 => "repeat_image(in0)",
            _ => "repeat_edge(in0)",
        };
        self.texts.push(format!("    func edge = {call};\n"));
        let signature = Signature { name: "edge".to_owned(), types, rank };
        self.funcs.push(Func {
            signature,
            stages: Vec::new(),
            readers: Vec::new(),
            synthetic: true,
        });
    }

    fn func(&mut self, name: &str) {
        let types = self.types(name == "out");
        let rank = self.pick(&[1, 2, 2, 2, 3], 2);
        let number = self.funcs.len();
        let vars: Vec<String> = VARS[..rank].iter().map(|var| (*var).to_owned()).collect();
        let site = Site {
            vars: vars.iter().cloned().map(Some).collect(),
            reductions: Vec::new(),
            func: number,
        };
        let mut stages = vec![vars.iter().map(|var| (var.clone(), false)).collect::<Vec<_>>()];
        let head = format!("func {name}({})", vars.join(", "));
        let reads_inside = self.random.chance(75);
        let value = self.tuple_value(&site, &types, if reads_inside { 2 } else { 0 });
        let ty = Self::annotation(&types);
        let signature = Signature { name: name.to_owned(), types: types.clone(), rank };
        self.funcs.push(Func {
            signature,
            stages: Vec::new(),
            readers: Vec::new(),
            synthetic: false,
        });
        let text = if self.random.chance(45) || !reads_inside {
            let mut text =
                format!("    {head}: {ty} {{\n        {name}({}) = {value};\n", vars.join(", "));
            for _ in 0..=usize::from(self.random.chance(25)) {
                let (update, loops) = self.update(name, &site, &types);
                text.push_str(&update);
                stages.push(loops);
            }
            text + "    }\n"
        } else {
            format!("    {head}: {ty} = {value};\n")
        };
        self.texts.push(text);
        self.funcs[number].stages = stages;
    }

    /// Returns an update's text and its loops, innermost first.
    fn update(
        &mut self,
        name: &str,
        site: &Site,
        types: &[&'static str],
    ) -> (String, Vec<(String, bool)>) {
        let ty = types[0];
        let is_tuple = types.len() > 1;
        let mut inner = site.clone();
        let mut lhs: Vec<String> = site.vars.iter().flatten().cloned().collect();
        let mut ranges = Vec::new();
        let size = self.params.iter().any(|(name, _)| *name == "n") && self.random.chance(50);
        let domain = |inner: &mut Site, ranges: &mut Vec<String>, low: i64, extent: i64| {
            let var = ["r", "s"][inner.reductions.len().min(1)].to_owned();
            inner.reductions.push(var.clone());
            ranges.push(if size && inner.reductions.len() == 1 {
                format!("{low}..n + {low}").replace("+ -", "- ")
            } else {
                format!("{low}..{}", low + extent)
            });
            var
        };
        let statement = match self.random.below(4) {
            // A reduction at every point.
            0 => {
                let mut extents = Vec::new();
                for _ in 0..=usize::from(self.random.chance(40)) {
                    let extent = self.random.between(0, 5);
                    extents.push(domain(
                        &mut inner,
                        &mut ranges,
                        self.random.between(-1, 1),
                        extent,
                    ));
                }
                if is_tuple {
                    let lhs = lhs.join(", ");
                    self.tuple_update(name, &inner, types, (&lhs, &lhs))
                } else {
                    let value = self.value(&inner, ty, 1);
                    let op = self.pick(&["+=", "+=", "max=", "min="], "+=");
                    format!("{name}({}) {op} {value};", lhs.join(", "))
                }
            }
            // A scan along a dimension.
            1 => {
                let dim = self.random.below(lhs.len());
                let extent = self.random.between(0, 9);
                let var = domain(&mut inner, &mut ranges, 1, extent);
                inner.vars[dim] = None;
                lhs[dim].clone_from(&var);
                let mut before = lhs.clone();
                before[dim] = format!("{var} - 1");
                let (lhs, before) = (lhs.join(", "), before.join(", "));
                if is_tuple {
                    self.tuple_update(name, &inner, types, (&lhs, &before))
                } else {
                    let value = self.value(&inner, ty, 1);
                    format!("{name}({lhs}) = {name}({before}) + {value};")
                }
            }
            // A scatter along a dimension, to a place that data determine.
            2 => {
                let dim = self.random.below(lhs.len());
                let extent = self.random.between(0, 9);
                domain(&mut inner, &mut ranges, 0, extent);
                inner.vars[dim] = None;
                let index = self.value(&inner, "u8", 1);
                let top = self.random.between(0, 12);
                lhs[dim] = format!("clamp(i32({index}), 0, {top})");
                let lhs = lhs.join(", ");
                if is_tuple {
                    self.tuple_update(name, &inner, types, (&lhs, &lhs))
                } else {
                    let value = self.literal(ty);
                    format!("{name}({lhs}) += {value};")
                }
            }
            // No domain: a change of every point, or of one line.
            _ => {
                if self.random.chance(40) {
                    let dim = self.random.below(lhs.len());
                    inner.vars[dim] = None;
                    lhs[dim] = self.random.between(-1, 3).to_string();
                }
                let lhs = lhs.join(", ");
                if is_tuple {
                    self.tuple_update(name, &inner, types, (&lhs, &lhs))
                } else {
                    let value = self.value(&inner, ty, 1);
                    format!("{name}({lhs}) = max({name}({lhs}), {value});")
                }
            }
        };
        let mut loops: Vec<(String, bool)> =
            inner.reductions.iter().map(|var| (var.clone(), true)).collect();
        // The loops over pure variables are outside the loops of the domain.
        loops.extend(inner.vars.iter().flatten().map(|var| (var.clone(), false)));
        let text = if inner.reductions.is_empty() {
            format!("        {statement}\n")
        } else {
            let filter = if self.random.chance(40) {
                format!(" where {}", self.condition(&inner))
            } else {
                String::new()
            };
            let domain = if inner.reductions.len() == 1 {
                format!("{} in {}", inner.reductions[0], ranges[0])
            } else {
                format!("({}) in ({})", inner.reductions.join(", "), ranges.join(", "))
            };
            format!("        for {domain}{filter} {{ {statement} }}\n")
        };
        (text, loops)
    }

    /// Returns a condition that mentions no func that is being defined.
    fn condition(&mut self, site: &Site) -> String {
        let names = site.names();
        if self.random.chance(50) && !names.is_empty() {
            let name = self.random.choose(&names).cloned().unwrap_or_default();
            let op = self.pick(&["<", ">=", "!="], "<");
            return format!("{name} {op} {}", self.random.between(-1, 5));
        }
        let value = self.read(site, "u8");
        format!("{value} < {}", self.random.between(20, 230))
    }

    /// Returns a literal of a type.
    fn literal(&mut self, ty: &str) -> String {
        match ty {
            "f32" | "f64" => format!("{}.{}", self.random.below(4), self.pick(&[0, 25, 5, 75], 5)),
            _ => (1 + self.random.below(9)).to_string(),
        }
    }

    /// Returns an expression of a type. It never consists of literals alone, so its type does not
    /// depend on the context.
    fn value(&mut self, site: &Site, ty: &'static str, depth: usize) -> String {
        let is_float = matches!(ty, "f32" | "f64");
        if depth == 0 {
            return self.leaf(site, ty);
        }
        match self.random.below(12) {
            0..=2 => self.stencil(site, ty),
            3..=5 => {
                let op = self.pick(&["+", "-", "*", "+"], "+");
                let lhs = self.value(site, ty, depth - 1);
                let rhs = self.value(site, ty, depth - 1);
                format!("({lhs} {op} {rhs})")
            }
            6 => {
                let lhs = self.value(site, ty, depth - 1);
                let literal = self.literal(ty);
                let ops: &[&str] =
                    if is_float { &["*", "/", "-"] } else { &["/", "%", ">>", "-", "&", "*"] };
                let op = self.pick(ops, "*");
                // A float divisor of 0 is no mistake, but infinities hide mistakes.
                let literal = if op == "/" && is_float { format!("1{literal}") } else { literal };
                format!("({lhs} {op} {literal})")
            }
            7 => {
                let function = self.pick(&["min", "max"], "min");
                let lhs = self.value(site, ty, depth - 1);
                let rhs = self.value(site, ty, depth - 1);
                format!("{function}({lhs}, {rhs})")
            }
            8 => {
                let condition = self.condition(site);
                let if_true = self.value(site, ty, depth - 1);
                let if_false = self.value(site, ty, depth - 1);
                format!("select({condition}, {if_true}, {if_false})")
            }
            9 => {
                let other = self.pick(&TYPES, "u8");
                let value = self.value(site, other, depth - 1);
                if other == ty { value } else { format!("{ty}({value})") }
            }
            10 => {
                let value = self.value(site, ty, depth - 1);
                let (low, high) = (self.literal(ty), self.random.between(10, 100));
                format!("clamp({value}, {low}, {high})")
            }
            _ => self.leaf(site, ty),
        }
    }

    /// Returns a variable, a parameter, or a read.
    fn leaf(&mut self, site: &Site, ty: &'static str) -> String {
        let names = site.names();
        if self.random.chance(15) && !names.is_empty() {
            let name = self.random.choose(&names).cloned().unwrap_or_default();
            return if matches!(ty, "f32" | "f64") {
                format!("{ty}(i32({name}))")
            } else {
                format!("{ty}({name})")
            };
        }
        if self.random.chance(15)
            && let Some((name, param)) = self.params.first().filter(|(_, param)| *param != "int")
        {
            return if *param == ty { (*name).to_owned() } else { format!("{ty}({name})") };
        }
        self.read(site, ty)
    }

    /// Returns a sum of neighbours.
    fn stencil(&mut self, site: &Site, ty: &'static str) -> String {
        let source = self.source(site);
        let coords = self.coords(site, source);
        let count = 2 + self.random.below(2);
        let dim = self.random.below(coords.len());
        let start = self.random.between(-2, 0);
        let terms: Vec<String> = (0..count)
            .map(|step| {
                let mut coords = coords.clone();
                coords[dim] = offset(&coords[dim], start + step as i64);
                self.read_at(site, source, &coords, ty)
            })
            .collect();
        format!("({})", terms.join(" + "))
    }

    fn read(&mut self, site: &Site, ty: &'static str) -> String {
        let source = self.source(site);
        let coords = self.coords(site, source);
        self.read_at(site, source, &coords, ty)
    }

    /// Returns an earlier func, preferably an unread one, or an input.
    fn source(&mut self, site: &Site) -> Readable {
        let funcs = site.func.min(self.funcs.len());
        let unread: Vec<usize> =
            (0..funcs).filter(|func| self.funcs[*func].readers.is_empty()).collect();
        if let Some(number) = self.random.choose(&unread).copied()
            && self.random.chance(80)
        {
            return Readable { is_input: false, number };
        }
        let choice = self.random.below(funcs + self.inputs.len());
        if choice < funcs {
            Readable { is_input: false, number: choice }
        } else {
            Readable { is_input: true, number: choice - funcs }
        }
    }

    fn signature(&self, source: Readable) -> &Signature {
        if source.is_input {
            &self.inputs[source.number].signature
        } else {
            &self.funcs[source.number].signature
        }
    }

    /// Returns coordinates that follow the variables in scope. Most follow the same dimension's
    /// variable; some are scaled, swapped, fixed, or taken from data.
    fn coords(&mut self, site: &Site, source: Readable) -> Vec<String> {
        let rank = self.signature(source).rank;
        let names = site.names();
        (0..rank)
            .map(|dim| {
                let own = site.vars.get(dim).cloned().flatten();
                let name = match own {
                    Some(own) if self.random.chance(80) => own,
                    Some(_) | None => match self.random.choose(&names) {
                        Some(name) => name.clone(),
                        None => return self.random.between(0, 3).to_string(),
                    },
                };
                match self.random.below(24) {
                    0 => format!("2 * {name}"),
                    1 => format!("{name} / 2"),
                    2 => self.random.between(0, 3).to_string(),
                    3 => format!("{name} % 4"),
                    4 if !site.reductions.is_empty() => {
                        let reduction = self.random.choose(&site.reductions).cloned();
                        match reduction {
                            Some(reduction) if reduction != name => format!("{name} + {reduction}"),
                            Some(_) | None => name,
                        }
                    }
                    5..=9 => offset(&name, self.random.between(-2, 2)),
                    _ => name,
                }
            })
            .collect()
    }

    fn read_at(&mut self, site: &Site, source: Readable, coords: &[String], ty: &str) -> String {
        let funcs = if source.is_input { &mut self.inputs } else { &mut self.funcs };
        let readers = &mut funcs[source.number].readers;
        if !readers.contains(&site.func) {
            readers.push(site.func);
        }
        let components = self.signature(source).types.len();
        let component = if components > 1 { self.random.below(components) } else { 0 };
        let signature = self.signature(source);
        let mut read = format!("{}({})", signature.name, coords.join(", "));
        if components > 1 {
            read = format!("{read}.{component}");
        }
        if signature.types[component] == ty { read } else { format!("{ty}({read})") }
    }
}

/// Adds a constant to a coordinate.
fn offset(coord: &str, by: i64) -> String {
    match by {
        0 => coord.to_owned(),
        1.. => format!("{coord} + {by}"),
        _ => format!("{coord} - {}", -by),
    }
}
