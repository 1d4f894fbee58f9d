//! The text form of expressions, algorithms and programs. [`crate::parse`] reads it back.
//!
//! Every variable, func and buffer gets a unique printed name: its own, or its own followed by
//! `$1`, `$2`, … if that is taken. Operators with the default convention for their type (`int`
//! unbounded, everything else wrapping) print plainly. `+!` marks overflow that is assumed absent.

use std::fmt::Write as _;

use halidom_base::{FxHashMap, FxHashSet};

use crate::{
    Algorithm, BinaryOp, BufferId, Check, Constant, Dim, Expr, ExprId, FuncId, FuncKind, HoleKind,
    HolePart, Interval, Label, Overflow, Pool, Program, Prophecy, Scalar, Stmt, StmtId, StoreIn,
    UnaryOp, VarId,
};

/// Words that are never printed as names: they begin a statement or look like a call of a func.
pub(crate) const RESERVED: [&str; 34] = [
    "true",
    "false",
    "min",
    "max",
    "neg",
    "select",
    "apply",
    "shuffle",
    "ramp",
    "broadcast",
    "let",
    "if",
    "else",
    "for",
    "parallel",
    "vectorized",
    "unrolled",
    "allocate",
    "assert",
    "func",
    "partition",
    "stage",
    "abs",
    "sqrt",
    "floor",
    "ceil",
    "round",
    "trunc",
    "exp",
    "log",
    "sin",
    "cos",
    "tan",
    "atan",
];

/// The printed names. Pass one object to several calls to keep names the same across them.
#[derive(Clone, Debug, Default)]
pub struct Names {
    taken: FxHashSet<String>,
    vars: FxHashMap<VarId, String>,
    funcs: FxHashMap<FuncId, String>,
    buffers: FxHashMap<BufferId, String>,
}

impl Names {
    /// Returns an empty table: no name is taken.
    pub fn new() -> Self {
        Self::default()
    }

    /// The printed name of a variable.
    pub fn var(&mut self, pool: &Pool, var: VarId) -> String {
        if let Some(name) = self.vars.get(&var) {
            return name.clone();
        }
        let name = self.unique(&pool.var(var).name);
        self.vars.insert(var, name.clone());
        name
    }

    /// The printed name of a func.
    pub fn func(&mut self, pool: &Pool, func: FuncId) -> String {
        if let Some(name) = self.funcs.get(&func) {
            return name.clone();
        }
        let name = self.unique(&pool.func(func).name);
        self.funcs.insert(func, name.clone());
        name
    }

    /// The printed name of a buffer.
    pub fn buffer(&mut self, pool: &Pool, buffer: BufferId) -> String {
        if let Some(name) = self.buffers.get(&buffer) {
            return name.clone();
        }
        let own = &pool.buffer(buffer).name;
        let name = self.unique(&if own.contains(".buffer") {
            own.clone()
        } else {
            format!("{own}.buffer")
        });
        self.buffers.insert(buffer, name.clone());
        name
    }

    fn unique(&mut self, wanted: &str) -> String {
        let reserved = RESERVED.contains(&wanted) || Scalar::from_name(wanted).is_some();
        if !reserved && self.taken.insert(wanted.to_owned()) {
            return wanted.to_owned();
        }
        let mut number = 1;
        loop {
            let candidate = format!("{wanted}${number}");
            if self.taken.insert(candidate.clone()) {
                return candidate;
            }
            number += 1;
        }
    }
}

/// Prints an expression on one line.
pub fn expr(pool: &Pool, id: ExprId) -> String {
    expr_with(pool, &mut Names::new(), id)
}

/// Prints an expression on one line, with the names of earlier calls.
pub fn expr_with(pool: &Pool, names: &mut Names, id: ExprId) -> String {
    let mut printer = Printer::new(pool, names);
    printer.expr(id, 0);
    printer.out
}

/// Prints a statement. Each simple statement takes one line, indented by two spaces for each level.
pub fn stmt(pool: &Pool, id: StmtId) -> String {
    stmt_with(pool, &mut Names::new(), id)
}

/// Prints a statement, with the names of earlier calls.
pub fn stmt_with(pool: &Pool, names: &mut Names, id: StmtId) -> String {
    let mut printer = Printer::new(pool, names);
    printer.sequence(id, 0);
    printer.out
}

/// Prints an algorithm.
pub fn algorithm(pool: &Pool, algorithm: &Algorithm) -> String {
    let mut names = Names::new();
    let mut printer = Printer::new(pool, &mut names);
    printer.algorithm(algorithm);
    printer.out
}

/// Prints an algorithm followed by a program that computes it. The text is self-contained.
pub fn module(pool: &Pool, algorithm: &Algorithm, program: &Program) -> String {
    let mut names = Names::new();
    let mut printer = Printer::new(pool, &mut names);
    printer.algorithm(algorithm);
    printer.program(program);
    printer.out
}

/// A printed text with the positions of its statements.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The text.
    pub text: String,
    /// Every statement except blocks, in order, with its first line. Lines are counted from 1.
    pub lines: Vec<(StmtId, usize)>,
    /// The stages of the algorithm's funcs (func, stage), with their lines.
    pub stages: Vec<(FuncId, usize, usize)>,
    /// The names used in the text.
    pub names: Names,
}

/// Prints an algorithm and a program as [`module`] does, and records the lines of the statements.
pub fn listing(pool: &Pool, algorithm: &Algorithm, program: &Program) -> Listing {
    let mut names = Names::new();
    let mut printer = Printer::new(pool, &mut names);
    printer.algorithm(algorithm);
    printer.program(program);
    let mut lines = Vec::new();
    let (mut line, mut end) = (1, 0);
    let (starts, defined) = (printer.starts, printer.defined);
    let text = printer.out;
    for (stmt, start) in starts {
        line += text[end..start].matches('\n').count();
        end = start;
        lines.push((stmt, line));
    }
    let line_of = |start: usize| 1 + text[..start].matches('\n').count();
    let stages =
        defined.into_iter().map(|(func, stage, start)| (func, stage, line_of(start))).collect();
    Listing { text, lines, stages, names }
}

/// Prints a program alone, for reading. It uses names that only the algorithm declares.
pub fn program(pool: &Pool, program: &Program) -> String {
    let mut names = Names::new();
    let mut printer = Printer::new(pool, &mut names);
    printer.program(program);
    printer.out
}

/// Prints a constant with its type: `3` is an `int`; others are `3u8`, `1.5f32`, `nanf32`, `true`.
pub fn constant(constant: Constant) -> String {
    let scalar = constant.scalar();
    if let Some(value) = constant.as_f32() {
        float_text(f64::from(value), &format!("{value:?}"), scalar)
    } else if let Some(value) = constant.as_f64() {
        float_text(value, &format!("{value:?}"), scalar)
    } else if let Some(value) = constant.as_bool() {
        value.to_string()
    } else {
        let value = constant.as_integer().unwrap_or_default();
        if scalar == Scalar::Int { value.to_string() } else { format!("{value}{scalar}") }
    }
}

fn float_text(value: f64, debug: &str, scalar: Scalar) -> String {
    if value.is_nan() {
        format!("nan{scalar}")
    } else if value.is_infinite() {
        format!("{}inf{scalar}", if value < 0.0 { "-" } else { "" })
    } else {
        format!("{debug}{scalar}")
    }
}

/// The operator's sign and binding strength. `None` for operators that are printed as functions.
pub(crate) fn infix(op: BinaryOp) -> Option<(&'static str, u8)> {
    match op {
        BinaryOp::Mul(_) => Some(("*", 9)),
        BinaryOp::Div => Some(("/", 9)),
        BinaryOp::Mod => Some(("%", 9)),
        BinaryOp::Add(_) => Some(("+", 8)),
        BinaryOp::Sub(_) => Some(("-", 8)),
        BinaryOp::Shl => Some(("<<", 7)),
        BinaryOp::Shr => Some((">>", 7)),
        BinaryOp::Lt => Some(("<", 6)),
        BinaryOp::Le => Some(("<=", 6)),
        BinaryOp::Gt => Some((">", 6)),
        BinaryOp::Ge => Some((">=", 6)),
        BinaryOp::Eq => Some(("==", 5)),
        BinaryOp::Ne => Some(("!=", 5)),
        BinaryOp::And => Some(("&", 4)),
        BinaryOp::Xor => Some(("^", 3)),
        BinaryOp::Or => Some(("|", 2)),
        BinaryOp::Min | BinaryOp::Max => None,
    }
}

/// The most bytes of one expression that are printed. As text, an expression that shares operands
/// may be exponentially large.
const MOST_OF_ONE: usize = 1 << 20;

/// The text in place of operands that are left out, which the reader refuses.
const LEFT_OUT: &str = "…too long, left out…";

struct Printer<'a> {
    pool: &'a Pool,
    names: &'a mut Names,
    out: String,
    /// The byte offset at which the outermost expression begins, inside one.
    outermost: Option<usize>,
    /// The byte offset at which each statement begins.
    starts: Vec<(StmtId, usize)>,
    /// The byte offset at which each stage of a func begins.
    defined: Vec<(FuncId, usize, usize)>,
}

impl<'a> Printer<'a> {
    fn new(pool: &'a Pool, names: &'a mut Names) -> Self {
        Self {
            pool,
            names,
            out: String::new(),
            outermost: None,
            starts: Vec::new(),
            defined: Vec::new(),
        }
    }

    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn list(&mut self, ids: &[ExprId]) {
        for (position, id) in ids.iter().enumerate() {
            if position > 0 {
                self.put(", ");
            }
            self.expr(*id, 0);
        }
    }

    /// Prints one value, or several in parentheses.
    fn values(&mut self, values: &[ExprId]) {
        if let [single] = values {
            self.expr(*single, 0);
        } else {
            self.call("", values);
        }
    }

    fn call(&mut self, name: &str, operands: &[ExprId]) {
        self.put(name);
        self.put("(");
        self.list(operands);
        self.put(")");
    }

    fn expr(&mut self, id: ExprId, strength: u8) {
        let outermost = self.outermost;
        let begin = *self.outermost.get_or_insert(self.out.len());
        if self.out.len() - begin < MOST_OF_ONE {
            self.whole(id, strength);
        } else {
            self.put(LEFT_OUT);
        }
        self.outermost = outermost;
    }

    fn whole(&mut self, id: ExprId, strength: u8) {
        let pool = self.pool;
        match pool.get(id) {
            Expr::Const(value) => self.put(&constant(*value)),
            Expr::Var(var) => {
                let name = self.names.var(pool, *var);
                self.put(&name);
            }
            Expr::Unary(UnaryOp::Not, operand) => {
                self.put("!");
                self.expr(*operand, 10);
            }
            Expr::Unary(UnaryOp::Neg(overflow), operand) => {
                let name = if *overflow == Overflow::AssumedAbsent { "neg!" } else { "neg" };
                self.call(name, &[*operand]);
            }
            Expr::Binary(op, lhs, rhs) => self.binary(*op, *lhs, *rhs, strength),
            Expr::Select { condition, if_true, if_false } => {
                self.call("select", &[*condition, *if_true, *if_false]);
            }
            Expr::Cast(scalar, operand) => self.call(scalar.name(), &[*operand]),
            Expr::Call(intrinsic, operand) => self.call(intrinsic.name(), &[*operand]),
            Expr::Apply { function, args } => {
                let decl = pool.function(*function);
                let _ = write!(self.out, "apply({:?}: {}", decl.name, decl.result);
                if let Some(real) = decl.real {
                    let _ = write!(self.out, " = {}", real.name());
                }
                self.put("; ");
                self.list(args);
                self.put(")");
            }
            Expr::Ref { func, component, args } => {
                let mut name = self.names.func(pool, *func);
                if pool.func(*func).scalars.len() > 1 {
                    let _ = write!(name, ".{component}");
                }
                self.call(&name, args);
            }
            Expr::Load { buffer, index, access } => {
                let name = self.names.buffer(pool, *buffer);
                self.put(&name);
                self.put("[");
                self.expr(*index, 0);
                if let Some(access) = access {
                    let func = self.names.func(pool, access.func);
                    self.put(" @ ");
                    self.call(&func, &access.coords);
                }
                self.put("]");
            }
            Expr::Ramp { base, stride, lanes } => {
                self.put("ramp(");
                self.list(&[*base, *stride]);
                let _ = write!(self.out, ", {lanes})");
            }
            Expr::Broadcast { value, lanes } => {
                self.put("broadcast(");
                self.expr(*value, 0);
                let _ = write!(self.out, ", {lanes})");
            }
            Expr::Shuffle { vectors, lanes } => {
                self.put("shuffle(");
                self.list(vectors);
                let lanes: Vec<String> = lanes.iter().map(u32::to_string).collect();
                let _ = write!(self.out, "; {})", lanes.join(", "));
            }
            Expr::Hole(hole) => {
                let decl = *pool.get_hole(*hole);
                let func = self.names.func(pool, decl.func);
                match decl.kind {
                    HoleKind::Compute { stage, specialization } => {
                        let _ = write!(
                            self.out,
                            "?cpu({func}, {stage}, {specialization}, {}, ",
                            decl.dim
                        );
                    }
                    HoleKind::Allocation => {
                        let _ = write!(self.out, "?mem({func}, {}, ", decl.dim);
                    }
                }
                self.put(match decl.part {
                    HolePart::Min => "min)",
                    HolePart::Extent => "extent)",
                });
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId, strength: u8) {
        let Some((sign, own)) = infix(op) else {
            self.call(if op == BinaryOp::Min { "min" } else { "max" }, &[lhs, rhs]);
            return;
        };
        let parenthesised = own <= strength;
        if parenthesised {
            self.put("(");
        }
        self.expr(lhs, own - 1);
        let mark =
            if let BinaryOp::Add(overflow) | BinaryOp::Sub(overflow) | BinaryOp::Mul(overflow) = op
                && overflow == Overflow::AssumedAbsent
            {
                "!"
            } else {
                ""
            };
        let _ = write!(self.out, " {sign}{mark} ");
        self.expr(rhs, own);
        if parenthesised {
            self.put(")");
        }
    }

    fn line(&mut self, depth: usize) {
        for _ in 0..depth {
            self.put("  ");
        }
    }

    /// Prints a statement. The statements that a block, a let or an allocation strings together are
    /// printed at one depth.
    fn sequence(&mut self, id: StmtId, depth: usize) {
        let pool = self.pool;
        if !matches!(pool.get_stmt(id), Stmt::Block(_)) {
            self.starts.push((id, self.out.len()));
        }
        match pool.get_stmt(id) {
            Stmt::Block(stmts) => {
                for (position, stmt) in stmts.iter().enumerate() {
                    // A binder's scope reaches to the closing brace, so a binder with statements
                    // after it gets its own braces.
                    let scoped =
                        matches!(pool.get_stmt(*stmt), Stmt::Let { .. } | Stmt::Allocate { .. });
                    if scoped && position + 1 < stmts.len() {
                        self.line(depth);
                        self.put("{\n");
                        self.sequence(*stmt, depth + 1);
                        self.line(depth);
                        self.put("}\n");
                    } else {
                        self.sequence(*stmt, depth);
                    }
                }
            }
            Stmt::Let { var, value, body } => {
                self.line(depth);
                let name = self.names.var(pool, *var);
                let _ = write!(self.out, "let {name}: {} = ", pool.var(*var).ty);
                self.expr(*value, 0);
                self.put(";\n");
                self.sequence(*body, depth);
            }
            Stmt::Allocate { buffer, body } => {
                self.line(depth);
                self.allocation(*buffer);
                self.put(";\n");
                self.sequence(*body, depth);
            }
            Stmt::If { condition, then_branch, else_branch } => {
                self.line(depth);
                self.put("if ");
                self.expr(*condition, 0);
                self.braces(*then_branch, depth);
                if let Some(else_branch) = else_branch {
                    self.out.truncate(self.out.trim_end().len());
                    self.put(" else");
                    self.braces(*else_branch, depth);
                }
            }
            Stmt::For { var, min, extent, kind, body } => {
                self.line(depth);
                let name = self.names.var(pool, *var);
                let _ = write!(self.out, "{kind} {name} in ");
                self.interval(Interval { min: *min, extent: *extent });
                self.braces(*body, depth);
            }
            Stmt::Assert { condition, check } => {
                self.line(depth);
                self.put("assert ");
                self.expr(*condition, 0);
                self.put(", ");
                self.check(check);
                self.put(";\n");
            }
            Stmt::Labeled { label, body } => {
                self.line(depth);
                self.label(label);
                self.braces(*body, depth);
            }
            Stmt::Provide { func, stage, coords, point, values, atomic } => {
                self.line(depth);
                self.put(if *atomic { "atomic " } else { "" });
                let name = self.names.func(pool, *func);
                self.call(&name, coords);
                let _ = write!(self.out, " stage {stage}");
                if !point.is_empty() {
                    self.call(" point", point);
                }
                self.put(" = ");
                self.values(values);
                self.put(";\n");
            }
            Stmt::Store { buffer, index, value, prophecy, atomic } => {
                self.line(depth);
                self.put(if *atomic { "atomic " } else { "" });
                let name = self.names.buffer(pool, *buffer);
                self.put(&name);
                self.put("[");
                self.expr(*index, 0);
                if let Some(Prophecy { func, stage, coords, point }) = prophecy {
                    let func = self.names.func(pool, *func);
                    self.put(" @ ");
                    self.call(&func, coords);
                    let _ = write!(self.out, " stage {stage}");
                    if !point.is_empty() {
                        self.call(" point", point);
                    }
                }
                self.put("] = ");
                self.expr(*value, 0);
                self.put(";\n");
            }
        }
    }

    fn allocation(&mut self, buffer: BufferId) {
        let pool = self.pool;
        let decl = pool.buffer(buffer);
        let name = self.names.buffer(pool, buffer);
        let func = self.names.func(pool, decl.func);
        let _ = write!(self.out, "allocate {name}: {} for {func}", decl.scalar);
        if pool.func(decl.func).scalars.len() > 1 {
            let _ = write!(self.out, ".{}", decl.component);
        }
        self.dims(&decl.dims);
        match decl.store_in {
            StoreIn::Auto => {}
            StoreIn::Within(arena) => {
                let arena = self.names.buffer(pool, arena);
                let _ = write!(self.out, " in {arena}");
            }
            place @ (StoreIn::Heap | StoreIn::Stack | StoreIn::Register | StoreIn::Stream) => {
                let _ = write!(self.out, " in {}", place.name());
            }
        }
        if decl.realigned {
            self.put(" realigned");
        }
    }

    fn label(&mut self, label: &Label) {
        let pool = self.pool;
        match label {
            Label::Func { func, needed } => {
                let name = self.names.func(pool, *func);
                let _ = write!(self.out, "func {name}");
                for interval in needed {
                    self.put(" ");
                    self.interval(*interval);
                }
            }
            Label::Stage { func, stage, specialization } => {
                let name = self.names.func(pool, *func);
                let _ = write!(self.out, "stage {name}, {stage}, {specialization}");
            }
            Label::Partition(policy) => {
                let _ = write!(self.out, "partition {}", policy.name());
            }
            Label::Ahead { func, by } => {
                let name = self.names.func(pool, *func);
                let _ = write!(self.out, "ahead {name}, {by}");
            }
            Label::Prefetch { buffer, index } => {
                let name = self.names.buffer(pool, *buffer);
                let _ = write!(self.out, "prefetch {name}[");
                self.expr(*index, 0);
                self.put("]");
            }
        }
    }

    fn braces(&mut self, body: StmtId, depth: usize) {
        self.put(" {\n");
        self.sequence(body, depth + 1);
        self.line(depth);
        self.put("}\n");
    }

    /// Prints `[min, extent]`.
    fn interval(&mut self, interval: Interval) {
        self.put("[");
        self.list(&[interval.min, interval.extent]);
        self.put("]");
    }

    /// Prints ` [min, extent, stride]` for each dimension, ` fold [0, factor, stride]` for a folded
    /// one.
    fn dims(&mut self, dims: &[Dim]) {
        for dim in dims {
            self.put(if dim.folded { " fold [" } else { " [" });
            self.list(&[dim.min, dim.extent, dim.stride]);
            self.put("]");
        }
    }

    fn check(&mut self, check: &Check) {
        let pool = self.pool;
        match check {
            Check::InputRegion { input: func, dim, needed, given }
            | Check::OutputRegion { output: func, dim, needed, given } => {
                let kind = if matches!(check, Check::InputRegion { .. }) {
                    "input_region"
                } else {
                    "output_region"
                };
                let name = self.names.func(pool, *func);
                let _ = write!(self.out, "{kind} {name}, {dim}, ");
                self.interval(*needed);
                self.put(" within ");
                self.interval(*given);
            }
            Check::Require { message } => {
                let _ = write!(self.out, "require {message:?}");
            }
            Check::DomainExtent { func, stage, variable } => {
                let name = self.names.func(pool, *func);
                let _ = write!(self.out, "domain_extent {name}, {stage}, {variable}");
            }
            Check::SplitFactor { func, variable } => {
                let name = self.names.func(pool, *func);
                let _ = write!(self.out, "split_factor {name}, {variable:?}");
            }
            Check::Bound { func, dim } => {
                let name = self.names.func(pool, *func);
                let _ = write!(self.out, "bound {name}, {dim}");
            }
            Check::SizeLimit { what } => {
                let _ = write!(self.out, "size_limit {what:?}");
            }
            Check::Layout { func } => {
                let name = self.names.func(pool, *func);
                let _ = write!(self.out, "layout {name}");
            }
        }
    }

    fn algorithm(&mut self, algorithm: &Algorithm) {
        let pool = self.pool;
        let fast_math = if algorithm.fast_math { " fast_math" } else { "" };
        let _ = writeln!(self.out, "algorithm {}{fast_math} {{", algorithm.name);
        for param in &algorithm.params {
            let name = self.names.var(pool, *param);
            let _ = writeln!(self.out, "  param {name}: {};", pool.var(*param).ty);
        }
        for input in &algorithm.inputs {
            self.signature("input", *input);
            if let FuncKind::Input { buffer } = pool.func(*input).kind {
                let name = self.names.buffer(pool, buffer);
                let _ = write!(self.out, " in {name}");
                let dims = pool.buffer(buffer).dims.clone();
                self.dims(&dims);
            }
            self.put(";\n");
        }
        for require in &algorithm.requires {
            self.put("  require ");
            self.expr(require.condition, 0);
            let _ = writeln!(self.out, ", {:?};", require.message);
        }
        for func in &algorithm.funcs {
            self.definition(*func);
        }
        self.put("  output ");
        for (position, output) in algorithm.outputs.iter().enumerate() {
            let name = self.names.func(pool, *output);
            let _ = write!(self.out, "{}{name}", if position > 0 { ", " } else { "" });
        }
        self.put(";\n}\n");
    }

    fn signature(&mut self, keyword: &str, func: FuncId) {
        let pool = self.pool;
        let decl = pool.func(func);
        let name = self.names.func(pool, func);
        let _ = write!(self.out, "  {keyword} {name}(");
        for (position, arg) in decl.args.iter().enumerate() {
            let arg = self.names.var(pool, *arg);
            let _ = write!(self.out, "{}{arg}", if position > 0 { ", " } else { "" });
        }
        self.put("): ");
        let scalars: Vec<&str> = decl.scalars.iter().map(|scalar| scalar.name()).collect();
        let types = scalars.join(", ");
        self.put(&if scalars.len() == 1 { types } else { format!("({types})") });
    }

    fn definition(&mut self, func: FuncId) {
        let pool = self.pool;
        let decl = pool.func(func);
        let synthetic = matches!(decl.kind, FuncKind::Defined { synthetic: true, .. });
        self.signature(if synthetic { "synthetic func" } else { "func" }, func);
        self.put(" {\n");
        for (number, stage) in decl.stages().iter().enumerate() {
            self.defined.push((func, number, self.out.len()));
            self.put("    ");
            for variable in &stage.domain {
                let name = self.names.var(pool, variable.var);
                let _ = write!(self.out, "for {name} in ");
                self.interval(Interval { min: variable.min, extent: variable.extent });
                self.put(" ");
            }
            if let Some(predicate) = stage.predicate {
                self.put("if ");
                self.expr(predicate, 0);
                self.put(" ");
            }
            self.call("stage", &stage.lhs);
            self.put(" = ");
            self.values(&stage.values);
            self.put(";\n");
        }
        self.put("  }\n");
    }

    fn program(&mut self, program: &Program) {
        let pool = self.pool;
        let _ = writeln!(self.out, "program {} {{", program.name);
        for output in &program.outputs {
            let func = self.names.func(pool, output.func);
            let _ = write!(self.out, "  output {func} in ");
            for (position, buffer) in output.buffers.iter().enumerate() {
                let name = self.names.buffer(pool, *buffer);
                let _ = write!(self.out, "{}{name}", if position > 0 { ", " } else { "" });
            }
            let dims = output.buffers.first().map(|buffer| &pool.buffer(*buffer).dims);
            self.dims(dims.map_or(&[], Vec::as_slice));
            if output.buffers.iter().any(|buffer| pool.buffer(*buffer).store_in == StoreIn::Stream)
            {
                self.put(" stream");
            }
            self.put(" window");
            for (min, extent) in &output.window {
                let (min, extent) = (self.names.var(pool, *min), self.names.var(pool, *extent));
                let _ = write!(self.out, " [{min}, {extent}]");
            }
            self.put(";\n");
        }
        self.sequence(program.body, 1);
        self.put("}\n");
    }
}
