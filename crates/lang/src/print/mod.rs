//! Prints algorithms as `.hal` text.
//!
//! [`crate::parse`] reads the text as the same algorithm except for names: names that the language
//! reserves or that are not names in it are replaced.

mod schedule;

use std::cell::Cell;
use std::fmt::{self, Write as _};

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::{
    Algorithm, BinaryOp, Constant, Expr, ExprId, FuncId, FuncKind, Pool, Scalar, Stage, UnaryOp,
    VarId,
};

use crate::check::reserved_names;
use crate::syntax::keywords;

pub use schedule::print_schedule;

/// A part of an algorithm that the language cannot express.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unprintable {
    /// A description of the part.
    pub what: &'static str,
    /// The func that contains it; empty for a requirement.
    pub func: String,
}

impl fmt::Display for Unprintable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, func } = self;
        if func.is_empty() {
            write!(f, "{what} has no form in the language")
        } else {
            write!(f, "{what} in `{func}` has no form in the language")
        }
    }
}

impl std::error::Error for Unprintable {}

/// Returns the text of a pipeline.
pub fn print(pool: &Pool, algorithm: &Algorithm) -> Result<String, Unprintable> {
    let mut printer = Printer::new(pool, algorithm);
    printer
        .pipeline(algorithm)
        .map_err(|what| Unprintable { what, func: printer.place.clone() })?;
    Ok(printer.out)
}

type Answer<T> = Result<T, &'static str>;

struct Printer<'a> {
    pool: &'a Pool,
    funcs: FxHashMap<FuncId, String>,
    vars: FxHashMap<VarId, String>,
    /// Names that have a meaning in the whole pipeline.
    taken: FxHashSet<String>,
    /// Subexpressions that have a name at the current place, because they are used more than once.
    named: FxHashMap<ExprId, String>,
    /// True in the operand of a cast if only literals decide its type.
    in_open_cast: Cell<bool>,
    place: String,
    out: String,
}

impl<'a> Printer<'a> {
    /// Makes a printer that turns every name into a name of the language.
    fn new(pool: &'a Pool, algorithm: &Algorithm) -> Self {
        Self::with_names(pool, algorithm, fresh)
    }

    fn with_names(
        pool: &'a Pool,
        algorithm: &Algorithm,
        named: impl Fn(&str, &FxHashSet<String>) -> String,
    ) -> Self {
        let mut taken: FxHashSet<String> =
            reserved_names().chain(keywords()).map(str::to_owned).collect();
        let mut funcs = FxHashMap::default();
        let mut vars = FxHashMap::default();
        for func in algorithm.inputs.iter().chain(&algorithm.funcs) {
            let name = named(&pool.func(*func).name, &taken);
            taken.insert(name.clone());
            funcs.insert(*func, name);
        }
        for param in &algorithm.params {
            let name = named(&pool.var(*param).name, &taken);
            taken.insert(name.clone());
            vars.insert(*param, name);
        }
        for input in &algorithm.inputs {
            let FuncKind::Input { buffer } = pool.func(*input).kind else { continue };
            for (number, dim) in pool.buffer(buffer).dims.iter().enumerate() {
                for (part, id) in [("min", dim.min), ("extent", dim.extent)] {
                    if let Expr::Var(var) = pool.get(id) {
                        vars.insert(*var, format!("{}.{part}({number})", funcs[input]));
                    }
                }
            }
        }
        let named = FxHashMap::default();
        let (place, out, in_open_cast) = (String::new(), String::new(), Cell::new(false));
        Self { pool, funcs, vars, taken, named, in_open_cast, place, out }
    }

    fn pipeline(&mut self, algorithm: &Algorithm) -> Answer<()> {
        let pool = self.pool;
        let name = fresh(&algorithm.name, &FxHashSet::default());
        let buffer = |func: FuncId, funcs: &FxHashMap<FuncId, String>| {
            let decl = pool.func(func);
            format!("{}: buffer<{}, {}>", funcs[&func], components(&decl.scalars), decl.rank())
        };
        let inputs = algorithm.inputs.iter().map(|func| buffer(*func, &self.funcs));
        let params = algorithm
            .params
            .iter()
            .map(|param| format!("{}: {}", self.vars[param], pool.var(*param).ty.scalar));
        let signature: Vec<String> = inputs.chain(params).collect();
        let outputs: Vec<String> =
            algorithm.outputs.iter().map(|func| buffer(*func, &self.funcs)).collect();
        let outputs = outputs.join(", ");
        let outputs = if algorithm.outputs.len() > 1 { format!("({outputs})") } else { outputs };
        let _ = writeln!(self.out, "pipeline {name}({}) -> {outputs} {{", signature.join(", "));
        if algorithm.fast_math {
            self.out.push_str("    fast_math;\n");
        }
        for require in &algorithm.requires {
            let condition = self.expr(require.condition)?;
            let message: String = require
                .message
                .chars()
                .map(|c| if c == '"' || c == '\\' || c.is_control() { '\'' } else { c })
                .collect();
            let _ = writeln!(self.out, "    require {condition}, \"{message}\";");
        }
        for func in &algorithm.funcs {
            self.place.clone_from(&pool.func(*func).name);
            self.func(*func)?;
        }
        self.place.clear();
        self.out.push_str("}\n");
        Ok(())
    }

    fn func(&mut self, func: FuncId) -> Answer<()> {
        let decl = self.pool.func(func);
        let name = self.funcs[&func].clone();
        let mut local = self.taken.clone();
        let args = self.declare(&decl.args, &mut local);
        let head = format!("    func {name}({}): {}", args.join(", "), components(&decl.scalars));
        if decl.is_partial() {
            return Err("a func without a value somewhere");
        }
        if let [only] = decl.stages() {
            let values = self.values(only, &local)?;
            let _ = writeln!(self.out, "{head} = {values};");
            return Ok(());
        }
        let _ = writeln!(self.out, "{head} {{");
        for stage in decl.stages() {
            let mut local = local.clone();
            let vars: Vec<VarId> = stage.domain.iter().map(|variable| variable.var).collect();
            let names = self.declare(&vars, &mut local);
            let mut ranges = Vec::new();
            for variable in &stage.domain {
                ranges.push(self.range(variable.min, variable.extent)?);
            }
            let lhs = stage.lhs.iter().map(|coord| self.expr(*coord));
            let lhs = lhs.collect::<Answer<Vec<_>>>()?.join(", ");
            let update = format!("{name}({lhs}) = {};", self.values(stage, &local)?);
            let predicate = stage.predicate.map(|found| self.expr(found)).transpose()?;
            let filter = predicate.map_or(String::new(), |found| format!(" where {found}"));
            let line = match (names.as_slice(), ranges.as_slice()) {
                ([], _) if stage.predicate.is_some() => return Err("a condition without a domain"),
                ([], _) => update,
                ([name], [range]) => format!("for {name} in {range}{filter} {{ {update} }}"),
                _ => format!(
                    "for ({}) in ({}){filter} {{ {update} }}",
                    names.join(", "),
                    ranges.join(", ")
                ),
            };
            let _ = writeln!(self.out, "        {line}");
        }
        self.out.push_str("    }\n");
        Ok(())
    }

    /// Prints `min..end`, with the original end if the extent is a difference of the two.
    fn range(&self, min: ExprId, extent: ExprId) -> Answer<String> {
        let from = self.expr(min)?;
        if let Expr::Binary(BinaryOp::Sub(_), end, other) = self.pool.get(extent)
            && *other == min
        {
            return Ok(format!("{from}..{}", self.expr(*end)?));
        }
        let extent = self.expr(extent)?;
        let zero = self.pool.as_constant(min) == Some(Constant::int(0));
        Ok(if zero { format!("0..{extent}") } else { format!("{from}..({from} + {extent})") })
    }

    /// Chooses names for variables, different from all in scope.
    fn declare(&mut self, vars: &[VarId], scope: &mut FxHashSet<String>) -> Vec<String> {
        let mut names = Vec::new();
        for var in vars {
            let name = fresh(&self.pool.var(*var).name, scope);
            scope.insert(name.clone());
            self.vars.insert(*var, name.clone());
            names.push(name);
        }
        names
    }

    /// Prints the values of a stage, after lets for subexpressions that are used more than once.
    fn values(&mut self, stage: &Stage, scope: &FxHashSet<String>) -> Answer<String> {
        let mut scope = scope.clone();
        let mut lets = String::new();
        for id in shared(self.pool, &stage.values) {
            let value = self.expr(id)?;
            let name = fresh("t", &scope);
            let _ = write!(lets, "let {name} = {}; ", bare(&value));
            scope.insert(name.clone());
            self.named.insert(id, name);
        }
        let values = stage.values.iter().map(|value| self.expr(*value));
        let values = values.collect::<Answer<Vec<_>>>()?;
        self.named.clear();
        let result = match values.as_slice() {
            [only] => bare(only).to_owned(),
            _ => format!("({})", values.join(", ")),
        };
        Ok(if lets.is_empty() { result } else { format!("{{ {lets}{result} }}") })
    }

    fn expr(&self, id: ExprId) -> Answer<String> {
        if let Some(name) = self.named.get(&id) {
            return Ok(name.clone());
        }
        Ok(match self.pool.get(id) {
            Expr::Const(constant) => {
                let text = literal(*constant)?;
                // Here a literal would take the type of the cast.
                let scalar = constant.scalar();
                let is_plain = matches!(scalar, Scalar::Int | Scalar::F32);
                if is_plain && self.in_open_cast.get() { format!("{scalar}({text})") } else { text }
            }
            Expr::Var(var) => {
                self.vars.get(var).cloned().ok_or("a variable of no parameter, shape or domain")?
            }
            Expr::Unary(UnaryOp::Neg(_), operand) => format!("(-{})", self.expr(*operand)?),
            Expr::Unary(UnaryOp::Not, operand) => {
                let sign = if self.pool.ty(*operand).scalar == Scalar::Bool { '!' } else { '~' };
                format!("({sign}{})", self.expr(*operand)?)
            }
            Expr::Binary(op, lhs, rhs) => self.binary(*op, *lhs, *rhs)?,
            Expr::Select { condition, if_true, if_false } => format!(
                "select({}, {}, {})",
                self.within(false, *condition)?,
                self.expr(*if_true)?,
                self.expr(*if_false)?
            ),
            Expr::Cast(to, operand) => {
                let operand = self.within(self.is_open(*operand, *to), *operand);
                format!("{to}({})", operand?)
            }
            Expr::Call(function, operand) => {
                format!("{}({})", function.name(), self.expr(*operand)?)
            }
            Expr::Ref { func, component, args } => {
                let args = args.iter().map(|arg| self.expr(*arg));
                let args = args.collect::<Answer<Vec<_>>>()?.join(", ");
                let name = self.funcs.get(func).ok_or("a func of another pipeline")?;
                if self.pool.func(*func).scalars.len() > 1 {
                    format!("{name}({args}).{component}")
                } else {
                    format!("{name}({args})")
                }
            }
            Expr::Apply { .. } => return Err("a function that is only named"),
            Expr::Load { .. }
            | Expr::Ramp { .. }
            | Expr::Broadcast { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => {
                return Err("an expression of programs");
            }
        })
    }

    /// Prints an expression that is the operand of such a cast, or of none.
    fn within(&self, is_open_cast: bool, id: ExprId) -> Answer<String> {
        let outer = self.in_open_cast.replace(is_open_cast);
        let text = self.expr(id);
        self.in_open_cast.set(outer);
        text
    }

    /// Tests whether only literals decide the type of an expression, and another type would be
    /// another value: the operand of a cast would be computed in the type of the cast.
    fn is_open(&self, id: ExprId, to: Scalar) -> bool {
        // Each type has these.
        let is_exact = matches!(self.pool.get(id), Expr::Const(constant)
            if constant.as_integer().is_some_and(|value| (0..128).contains(&value)));
        self.pool.ty(id).scalar != to && !is_exact && self.has_only_literals(id)
    }

    fn has_only_literals(&self, id: ExprId) -> bool {
        !self.named.contains_key(&id)
            && match self.pool.get(id) {
                Expr::Const(_) => true,
                Expr::Unary(_, operand) | Expr::Call(_, operand) => {
                    self.has_only_literals(*operand)
                }
                Expr::Binary(_, lhs, rhs) => {
                    self.has_only_literals(*lhs) && self.has_only_literals(*rhs)
                }
                Expr::Select { condition: _, if_true, if_false } => {
                    self.has_only_literals(*if_true) && self.has_only_literals(*if_false)
                }
                Expr::Var(_)
                | Expr::Cast(..)
                | Expr::Ref { .. }
                | Expr::Apply { .. }
                | Expr::Load { .. }
                | Expr::Ramp { .. }
                | Expr::Broadcast { .. }
                | Expr::Shuffle { .. }
                | Expr::Hole(_) => false,
            }
    }

    fn binary(&self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> Answer<String> {
        let truth = self.pool.ty(lhs).scalar == Scalar::Bool;
        let infix = match op {
            BinaryOp::Add(_) => "+",
            BinaryOp::Sub(_) => "-",
            BinaryOp::Mul(_) => "*",
            BinaryOp::Div => "/",
            BinaryOp::Mod => "%",
            BinaryOp::And if truth => "&&",
            BinaryOp::Or if truth => "||",
            BinaryOp::And => "&",
            BinaryOp::Or => "|",
            BinaryOp::Xor => "^",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::Min | BinaryOp::Max => {
                let name = if op == BinaryOp::Min { "min" } else { "max" };
                return Ok(format!("{name}({}, {})", self.expr(lhs)?, self.expr(rhs)?));
            }
        };
        Ok(format!("({} {infix} {})", self.expr(lhs)?, self.expr(rhs)?))
    }
}

/// The minimum number of operands for which an expression is named if it is used more than once.
const NAMED: usize = 4;

/// Returns the subexpressions that are used more than once and are long enough for a name, operands
/// first.
fn shared(pool: &Pool, roots: &[ExprId]) -> Vec<ExprId> {
    let mut order: Vec<ExprId> = Vec::new();
    let mut uses: FxHashMap<ExprId, usize> = FxHashMap::default();
    let mut sizes: FxHashMap<ExprId, usize> = FxHashMap::default();
    for root in roots {
        *uses.entry(*root).or_default() += 1;
        pool.for_each_subexpr(*root, &mut |id, expr| {
            if sizes.contains_key(&id) {
                return;
            }
            let mut size: usize = 1;
            expr.for_each_operand(|operand| {
                *uses.entry(operand).or_default() += 1;
                size = size.saturating_add(sizes.get(&operand).copied().unwrap_or(1));
            });
            sizes.insert(id, size);
            order.push(id);
        });
    }
    order.retain(|id| uses[id] > 1 && sizes[id] > NAMED);
    order
}

/// Strips the parentheses around an expression.
fn bare(text: &str) -> &str {
    let inner = text.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    inner.filter(|inner| balanced(inner)).unwrap_or(text)
}

/// True if the parentheses in a text are balanced.
fn balanced(text: &str) -> bool {
    let mut depth = 0_i64;
    for byte in text.bytes() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

/// Prints a type, or a tuple of types.
fn components(scalars: &[Scalar]) -> String {
    let names: Vec<&str> = scalars.iter().map(|scalar| scalar.name()).collect();
    if let [only] = names.as_slice() {
        (*only).to_owned()
    } else {
        format!("({})", names.join(", "))
    }
}

/// Prints a constant so that it has its type in any context.
fn literal(constant: Constant) -> Answer<String> {
    let scalar = constant.scalar();
    let float = constant.as_f64().or(constant.as_f32().map(f64::from));
    if let Some(value) = float.filter(|value| !value.is_finite()) {
        let dividend = if value.is_nan() {
            "0.0"
        } else if value > 0.0 {
            "1.0"
        } else {
            "(-1.0)"
        };
        return Ok(if scalar == Scalar::F32 {
            format!("({dividend} / 0.0)")
        } else {
            format!("({scalar}({dividend}) / {scalar}(0.0))")
        });
    }
    let number = match (constant.as_bool(), constant.as_integer(), constant.as_f32(), float) {
        (Some(value), ..) => return Ok(value.to_string()),
        (_, Some(value), ..) => value.to_string(),
        (_, _, Some(value), _) => format!("{value:?}"),
        (_, _, _, Some(value)) => format!("{value:?}"),
        (None, None, None, None) => return Err("a constant of this type"),
    };
    let number = if number.starts_with('-') { format!("({number})") } else { number };
    Ok(if matches!(scalar, Scalar::Int | Scalar::F32) {
        number
    } else {
        format!("{scalar}({number})")
    })
}

/// Returns a name of the language that resembles a text and differs from all that are taken.
fn fresh(text: &str, taken: &FxHashSet<String>) -> String {
    let mut name: String =
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.starts_with(|first: char| first.is_ascii_digit()) || name.is_empty() {
        name.insert(0, '_');
    }
    let mut number = 0;
    let mut candidate = name.clone();
    while taken.contains(&candidate) {
        number += 1;
        candidate = format!("{name}_{number}");
    }
    candidate
}
