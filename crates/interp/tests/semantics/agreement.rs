//! Memoised evaluation agrees with Fig. 6: random algorithms are compared with the literal
//! evaluator, point by point.

use halidom_interp::Bindings;
use halidom_interp::algorithm::{demand, evaluate};
use halidom_ir::{BinaryOp, Expr, ExprId, FuncId, Scalar, Shape, Stage, VarId};

use crate::build::{Build, bind, numbered};
use crate::literal::Literal;

/// The `SplitMix64` generator.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 33) as usize % bound
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

const INPUT_SHAPE: [(i64, i64); 2] = [(-1, 5), (0, 4)];

/// Makes an algorithm of up to three funcs.
struct Maker<'r> {
    random: &'r mut Random,
    build: Build,
    input: FuncId,
    /// The funcs and inputs that may be read.
    readable: Vec<FuncId>,
}

/// The names that an expression may mention.
struct Site<'a> {
    vars: &'a [ExprId],
    /// The func being updated, with the coordinates that syntactic separation fixes.
    own: Option<(FuncId, &'a [Option<ExprId>])>,
}

impl Maker<'_> {
    fn constant(&mut self, scalar: Scalar) -> ExprId {
        let value = self.random.below(7) as i128 - 2;
        self.build.c(scalar, value)
    }

    /// An `int` at which any func may be read.
    fn coord(&mut self, site: &Site<'_>, depth: usize) -> ExprId {
        let offset = self.random.below(4) as i128 - 1;
        let offset = self.build.int(offset);
        if depth > 0 && self.random.chance(15) {
            let value = self.value(site, Scalar::U8, depth - 1);
            let value = self.build.pool.cast(Scalar::Int, value);
            let three = self.build.int(3);
            return self.build.op(BinaryOp::Mod, value, three);
        }
        if site.vars.is_empty() {
            return offset;
        }
        let var = self.random.pick(site.vars);
        self.build.pool.add(var, offset)
    }

    fn reference(&mut self, site: &Site<'_>, scalar: Scalar, depth: usize) -> ExprId {
        let own = site.own.filter(|_| self.random.chance(60));
        let (func, fixed) = match own {
            Some((own, fixed)) => (own, fixed.to_vec()),
            None => {
                let func = self.random.below(self.readable.len());
                let func = self.readable[func];
                (func, vec![None; self.build.pool.func(func).rank()])
            }
        };
        let mut args = Vec::new();
        for (dim, fixed) in fixed.iter().enumerate() {
            let coord = match fixed {
                Some(fixed) => *fixed,
                None => self.coord(site, depth),
            };
            args.push(if func == self.input {
                // The coordinate is brought into the input's box.
                let (min, extent) = INPUT_SHAPE[dim];
                let (min, extent) =
                    (self.build.int(i128::from(min)), self.build.int(i128::from(extent)));
                let wrapped = self.build.op(BinaryOp::Mod, coord, extent);
                self.build.pool.add(wrapped, min)
            } else {
                coord
            });
        }
        let components = self.build.pool.func(func).scalars.len();
        let component = self.random.below(components);
        let read = self.build.pool.func_ref(func, component, args);
        self.build.pool.cast(scalar, read)
    }

    fn value(&mut self, site: &Site<'_>, scalar: Scalar, depth: usize) -> ExprId {
        match self.random.below(if depth == 0 { 3 } else { 8 }) {
            0 => self.constant(scalar),
            1 if !site.vars.is_empty() => {
                let var = self.random.pick(site.vars);
                self.build.pool.cast(scalar, var)
            }
            1..=4 => self.reference(site, scalar, depth.saturating_sub(1)),
            5 => {
                let condition = self.condition(site, depth - 1);
                let if_true = self.value(site, scalar, depth - 1);
                let if_false = self.value(site, scalar, depth - 1);
                self.build.pool.select(condition, if_true, if_false)
            }
            _ => {
                let lhs = self.value(site, scalar, depth - 1);
                let rhs = self.value(site, scalar, depth - 1);
                match self.random.below(5) {
                    0 => self.build.pool.add(lhs, rhs),
                    1 => self.build.pool.sub(lhs, rhs),
                    2 => self.build.pool.mul(lhs, rhs),
                    3 => self.build.op(BinaryOp::Div, lhs, rhs),
                    _ => self.build.op(BinaryOp::Max, lhs, rhs),
                }
            }
        }
    }

    fn condition(&mut self, site: &Site<'_>, depth: usize) -> ExprId {
        let lhs = self.value(site, Scalar::I16, depth);
        let rhs = self.value(site, Scalar::I16, depth);
        let op = self.random.pick(&[BinaryOp::Lt, BinaryOp::Ne, BinaryOp::Ge]);
        self.build.op(op, lhs, rhs)
    }

    fn func(&mut self, number: usize, updates: usize) {
        let components = if self.random.chance(40) { 2 } else { 1 };
        let mut scalars = Vec::new();
        for _ in 0..components {
            scalars.push(self.random.pick(&[Scalar::U8, Scalar::I16, Scalar::I64]));
        }
        let rank = 1 + self.random.below(2);
        let args = self.build.vars(&["x", "y"][..rank]);
        let arg_exprs: Vec<ExprId> = args.iter().map(|arg| self.build.e(*arg)).collect();
        let site = Site { vars: &arg_exprs, own: None };
        let values = scalars.iter().map(|scalar| self.value(&site, *scalar, 2)).collect();
        let lhs = arg_exprs.clone();
        let pure_stage = Stage { domain: Vec::new(), predicate: None, lhs, values };
        let name = format!("f{number}");
        let func = self.build.tuple(&name, &scalars, &args, |_, _| vec![pure_stage.clone()]);
        let mut stages = vec![pure_stage];
        for _ in 0..updates {
            stages.push(self.update(func, &scalars, &arg_exprs));
        }
        let kind = halidom_ir::FuncKind::Defined { stages, synthetic: false };
        self.build.pool.define_func(func, kind);
        self.readable.push(func);
    }

    fn update(&mut self, func: FuncId, scalars: &[Scalar], args: &[ExprId]) -> Stage {
        let fixed: Vec<Option<ExprId>> =
            args.iter().map(|arg| self.random.chance(50).then_some(*arg)).collect();
        let names = ["r", "s"];
        let vars: Vec<VarId> = self.build.vars(&names[..self.random.below(3)]);
        let mut domain = Vec::new();
        for var in &vars {
            let (min, extent) = (self.random.below(3) as i128 - 1, self.random.below(3) as i128);
            domain.push(self.build.reduction(*var, min, extent));
        }
        let mut mentioned: Vec<ExprId> = vars.iter().map(|var| self.build.e(*var)).collect();
        mentioned.extend(fixed.iter().flatten());
        let site = Site { vars: &mentioned, own: Some((func, &fixed)) };
        let mut lhs = Vec::new();
        for fixed in &fixed {
            lhs.push(match fixed {
                Some(fixed) => *fixed,
                None => {
                    let coord = self.coord(&site, 1);
                    // The range is small, so that updates write the same points.
                    let four = self.build.int(4);
                    self.build.op(BinaryOp::Mod, coord, four)
                }
            });
        }
        let predicate = self.random.chance(40).then(|| self.condition(&site, 1));
        let values = scalars.iter().map(|scalar| self.value(&site, *scalar, 2)).collect();
        Stage { domain, predicate, lhs, values }
    }
}

/// Makes the algorithm for a seed.
fn make(seed: u64) -> (Build, Bindings) {
    let mut random = Random(seed);
    let mut build = Build::new();
    let input = build.input("input", Scalar::U8, 2);
    let mut maker = Maker { random: &mut random, build, input, readable: vec![input] };
    for number in 0..=maker.random.below(3) {
        let updates = maker.random.below(3);
        maker.func(number, updates);
    }
    let build = maker.build;
    let bindings = bind(&build.pool, vec![(input, numbered(Scalar::U8, INPUT_SHAPE.to_vec()))]);
    (build, bindings)
}

#[test]
fn memoised_evaluation_equals_the_literal_rules() {
    let (mut updates, mut scattered, mut tuples) = (0, 0, 0);
    for seed in 0..400 {
        let (build, bindings) = make(seed);
        let output = build.algorithm.outputs[0];
        let rank = build.pool.func(output).rank();
        let window: Shape = [(-1, 3), (1, 2)][..rank].to_vec();
        let result =
            evaluate(&build.pool, &build.algorithm, &bindings, std::slice::from_ref(&window));
        let array = &result.unwrap()[0];
        let literal = Literal { pool: &build.pool, bindings: &bindings };
        for point in array.points() {
            let coords: Vec<i128> = point.iter().map(|coord| i128::from(*coord)).collect();
            assert_eq!(
                array.get(&point),
                Some(literal.value(output, 0, &coords)),
                "seed {seed} at {point:?}"
            );
        }
        for func in &build.algorithm.funcs {
            let stages = &build.pool.func(*func).stages()[1..];
            updates += stages.len();
            tuples += usize::from(build.pool.func(*func).scalars.len() > 1) * stages.len();
            let args = &build.pool.func(*func).args;
            scattered += stages
                .iter()
                .filter(|stage| {
                    stage
                        .lhs
                        .iter()
                        .zip(args)
                        .any(|(lhs, arg)| *build.pool.get(*lhs) != Expr::Var(*arg))
                })
                .count();
        }
        // With the elements given, a dry run knows every value.
        let touched = demand(&build.pool, &build.algorithm, &bindings, &[window]).unwrap();
        for (touched, given) in touched.iter().flatten().flatten().zip(INPUT_SHAPE) {
            assert!(touched.0 >= given.0 && touched.0 + touched.1 <= given.0 + given.1);
        }
    }
    assert!(
        updates > 300 && scattered > 150 && tuples > 100,
        "{updates} updates, {scattered} scattered, {tuples} of tuples"
    );
}
