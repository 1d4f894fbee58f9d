//! The problem: an algorithm at numbers, in the form that the estimate needs.

use halidom_base::FxHashMap;
use halidom_ir::{Algorithm, Expr, ExprId, FuncId, FuncKind, Pool, Stage as IrStage, VarId};

use crate::form::{Form, Known, Reader};
use crate::values::{Body, body};

/// A box of coordinates: the least and the greatest of each dimension.
pub type Box = Vec<(i64, i64)>;

/// An algorithm at numbers.
pub struct Problem {
    /// The inputs, then the funcs in the order of definition.
    pub(crate) funcs: Vec<Func>,
    pub(crate) numbers: FxHashMap<FuncId, usize>,
    /// For each func, the stages that read it: the reading func and its stage.
    pub(crate) readers: Vec<Vec<(usize, usize)>>,
    /// The values of parameters and of the inputs' dimensions.
    pub(crate) known: Known,
}

/// A func or an input.
pub(crate) struct Func {
    pub(crate) name: String,
    /// The bytes of a point, all components together.
    pub(crate) bytes: f64,
    /// The bytes of an element of its widest component.
    pub(crate) element: f64,
    pub(crate) is_input: bool,
    pub(crate) is_output: bool,
    pub(crate) is_synthetic: bool,
    pub(crate) args: Vec<String>,
    /// The box of an output.
    pub(crate) window: Option<Box>,
    pub(crate) stages: Vec<Stage>,
}

/// A stage of a func.
pub(crate) struct Stage {
    /// The names of the pure variables, then those of the domain.
    pub(crate) names: Vec<String>,
    /// For each dimension, true if the stage writes it at its own pure variable.
    pub(crate) is_free: Vec<bool>,
    /// The coordinates that the stage writes.
    pub(crate) lhs: Vec<Form>,
    /// The box of the domain.
    pub(crate) domain: Box,
    pub(crate) reads: Vec<Read>,
    pub(crate) body: Body,
    /// True if it reads its own func.
    pub(crate) is_recursive: bool,
}

/// A read of a func or an input.
pub(crate) struct Read {
    pub(crate) func: usize,
    pub(crate) args: Vec<Form>,
}

impl Problem {
    /// Reads an algorithm. `windows` are the boxes of the outputs.
    pub fn new(pool: &Pool, algorithm: &Algorithm, known: Known, windows: &[Box]) -> Self {
        let mut funcs = Vec::new();
        let ids = algorithm.inputs.iter().chain(&algorithm.funcs);
        let numbers: FxHashMap<FuncId, usize> =
            ids.clone().enumerate().map(|(number, id)| (*id, number)).collect();
        for id in ids {
            let decl = pool.func(*id);
            let bytes = decl.scalars.iter().filter_map(|scalar| scalar.bytes()).sum::<usize>();
            let element = decl.scalars.iter().filter_map(|scalar| scalar.bytes()).max();
            let output = algorithm.outputs.iter().position(|output| output == id);
            let stages = decl.stages().iter();
            let stages =
                stages.map(|stage| read_stage(pool, &known, &numbers, (*id, &decl.args), stage));
            let is_synthetic = matches!(decl.kind, FuncKind::Defined { synthetic: true, .. });
            funcs.push(Func {
                name: decl.name.clone(),
                bytes: bytes.max(1) as f64,
                element: element.unwrap_or(1) as f64,
                is_input: algorithm.inputs.contains(id),
                is_output: output.is_some(),
                is_synthetic,
                args: decl.args.iter().map(|arg| pool.var(*arg).name.clone()).collect(),
                window: output.and_then(|number| windows.get(number).cloned()),
                stages: stages.collect(),
            });
        }
        let mut readers = vec![Vec::new(); funcs.len()];
        for (reader, func) in funcs.iter().enumerate() {
            for (number, stage) in func.stages.iter().enumerate() {
                for read in &stage.reads {
                    let known: &mut Vec<(usize, usize)> = &mut readers[read.func];
                    if read.func != reader && !known.contains(&(reader, number)) {
                        known.push((reader, number));
                    }
                }
            }
        }
        Self { funcs, numbers, readers, known }
    }

    /// The number of funcs and inputs.
    pub fn len(&self) -> usize {
        self.funcs.len()
    }

    /// True if there is no func.
    pub fn is_empty(&self) -> bool {
        self.funcs.is_empty()
    }
}

fn read_stage(
    pool: &Pool,
    known: &Known,
    numbers: &FxHashMap<FuncId, usize>,
    (own, args): (FuncId, &[VarId]),
    stage: &IrStage,
) -> Stage {
    let vars: Vec<VarId> =
        args.iter().copied().chain(stage.domain.iter().map(|variable| variable.var)).collect();
    let slots: FxHashMap<VarId, usize> =
        vars.iter().enumerate().map(|(slot, var)| (*var, slot)).collect();
    let reader = Reader { pool, known, slots: &slots };
    let at = |expr: ExprId| {
        let (least, most) = reader.form(expr).range(&[]);
        if least.is_finite() && most.is_finite() { (least + most) as i64 / 2 } else { 0 }
    };
    let domain = stage.domain.iter().map(|variable| {
        let min = at(variable.min);
        (min, min + at(variable.extent) - 1)
    });
    let mut reads = Vec::new();
    for root in stage.roots() {
        pool.for_each_subexpr(root, &mut |_, expr| {
            if let Expr::Ref { func, args, .. } = expr
                && let Some(func) = numbers.get(func)
            {
                let args = args.iter().map(|arg| reader.form(*arg)).collect();
                reads.push(Read { func: *func, args });
            }
        });
    }
    let is_free = args
        .iter()
        .zip(&stage.lhs)
        .map(|(arg, coord)| matches!(pool.get(*coord), Expr::Var(var) if var == arg));
    let number = numbers.get(&own);
    Stage {
        names: vars.iter().map(|var| pool.var(*var).name.clone()).collect(),
        is_free: is_free.collect(),
        lhs: stage.lhs.iter().map(|coord| reader.form(*coord)).collect(),
        domain: domain.collect(),
        is_recursive: reads.iter().any(|read| Some(&read.func) == number),
        body: body(pool, &reader, numbers, stage),
        reads,
    }
}
