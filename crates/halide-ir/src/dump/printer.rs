//! The printer. It returns the text that was read.

use std::fmt::Write;

use super::{Argument, ArgumentKind, Constraint, Dump, ENDS, Image, SIDES};
use crate::tree::{
    Alignment, BinaryOp, Block, Call, CallKind, Expr, ForKind, Load, ReduceOp, Role, Scalar,
    ShuffleKind, StmtKind, Type,
};
use crate::{NameId, Names};

/// The words of operators.
pub(super) const BINARY: [(&str, BinaryOp); 15] = [
    ("+", BinaryOp::Add),
    ("-", BinaryOp::Sub),
    ("*", BinaryOp::Mul),
    ("/", BinaryOp::Div),
    ("%", BinaryOp::Mod),
    ("min", BinaryOp::Min),
    ("max", BinaryOp::Max),
    ("==", BinaryOp::Eq),
    ("!=", BinaryOp::Ne),
    ("<", BinaryOp::Lt),
    ("<=", BinaryOp::Le),
    (">", BinaryOp::Gt),
    (">=", BinaryOp::Ge),
    ("&&", BinaryOp::And),
    ("||", BinaryOp::Or),
];

/// The words of kinds of calls.
pub(super) const CALLS: [(&str, CallKind); 7] = [
    ("image", CallKind::Image),
    ("extern", CallKind::Extern),
    ("extern-c++", CallKind::ExternCPlusPlus),
    ("pure-extern", CallKind::PureExtern),
    ("halide", CallKind::Halide),
    ("intrinsic", CallKind::Intrinsic),
    ("pure-intrinsic", CallKind::PureIntrinsic),
];

/// The words of kinds of loops.
pub(super) const LOOPS: [(&str, ForKind); 8] = [
    ("serial", ForKind::Serial),
    ("parallel", ForKind::Parallel),
    ("vectorized", ForKind::Vectorized),
    ("unrolled", ForKind::Unrolled),
    ("extern", ForKind::Extern),
    ("gpu_block", ForKind::GpuBlock),
    ("gpu_thread", ForKind::GpuThread),
    ("gpu_lane", ForKind::GpuLane),
];

/// The words of reductions.
pub(super) const REDUCTIONS: [ReduceOp; 7] = ReduceOp::ALL;

/// The word for a type that a tree lacks. No dump that contains it is read.
const UNKNOWN: &str = "?";

/// Prints a dump. If a tree that was read from a text lacks a type or a kind, the result is no
/// dump.
pub fn print(dump: &Dump, names: &Names) -> String {
    let mut printer = Printer { out: String::new(), names, indent: 0 };
    let Dump { release, target, strict_float, arguments, images, block } = dump;
    printer.put(release.dump_line());
    printer.put("\n(target ");
    printer.string(target.as_bytes());
    printer.put(")\n(strict-float ");
    printer.put(if *strict_float { "yes" } else { "no" });
    printer.put(")\n");
    for argument in arguments {
        printer.argument(argument);
    }
    for image in images {
        printer.image(image);
    }
    printer.put("(statement");
    printer.body(block);
    printer.put(")\n");
    printer.out
}

/// Prints a statement alone, as [`super::read_block`] reads it.
pub fn print_block(block: &Block, names: &Names) -> String {
    let mut printer = Printer { out: String::new(), names, indent: 0 };
    printer.put("(statement");
    printer.body(block);
    printer.put(")\n");
    printer.out
}

struct Printer<'a> {
    out: String,
    names: &'a Names,
    indent: usize,
}

impl Printer<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn show(&mut self, value: impl std::fmt::Display) {
        // Writing to a string cannot fail.
        let _ = write!(self.out, "{value}");
    }

    fn string(&mut self, bytes: &[u8]) {
        self.put("\"");
        for byte in bytes {
            match byte {
                b'"' => self.put("\\\""),
                b'\\' => self.put("\\\\"),
                b' '..=b'~' => self.out.push(char::from(*byte)),
                _ => self.show(format_args!("\\x{byte:02X}")),
            }
        }
        self.put("\"");
    }

    fn name(&mut self, name: NameId) {
        let names = self.names;
        self.string(names.text(name).as_bytes());
    }

    /// Prints a name after a blank.
    fn then_name(&mut self, name: NameId) {
        self.put(" ");
        self.name(name);
    }

    fn word(&mut self, name: Option<NameId>, otherwise: &str) {
        let names = self.names;
        self.put(" ");
        self.put(name.map_or(otherwise, |name| names.text(name)));
    }

    fn ty(&mut self, ty: Type) {
        let Type { scalar, lanes } = ty;
        match scalar {
            Scalar::Int(bits) => self.show(format_args!("i{bits}")),
            Scalar::UInt(bits) => self.show(format_args!("u{bits}")),
            Scalar::Float(bits) => self.show(format_args!("f{bits}")),
            Scalar::BFloat(bits) => self.show(format_args!("bf{bits}")),
            Scalar::Handle(pointee) => {
                self.put("h");
                if let Some(pointee) = pointee {
                    self.name(pointee);
                }
            }
        }
        if lanes != 1 {
            self.show(format_args!("x{lanes}"));
        }
    }

    fn maybe_ty(&mut self, ty: Option<Type>) {
        match ty {
            Some(ty) => self.ty(ty),
            None => self.put(UNKNOWN),
        }
    }

    fn argument(&mut self, argument: &Argument) {
        let Argument { name, ty, kind, constraints, range } = argument;
        let (word, buffer) = match kind {
            ArgumentKind::Scalar => ("input-scalar", None),
            ArgumentKind::Input(buffer) => ("input-buffer", Some(buffer)),
            ArgumentKind::Output(buffer) => ("output-buffer", Some(buffer)),
        };
        self.put("(argument ");
        self.put(word);
        self.then_name(*name);
        self.put(" ");
        self.ty(*ty);
        if let Some(super::Buffer { dimensions, host_alignment }) = buffer {
            self.show(format_args!(" {dimensions} {host_alignment}"));
        }
        self.named(ENDS.into_iter().zip(range));
        for Constraint { dim, sides } in constraints {
            self.show(format_args!(" (dim {dim}"));
            self.named(SIDES.into_iter().zip(sides));
            self.put(")");
        }
        self.put(")\n");
    }

    /// Prints the expressions that there are, with their names.
    fn named<'e>(&mut self, parts: impl Iterator<Item = (&'static str, &'e Option<Expr>)>) {
        for (name, part) in parts {
            if let Some(part) = part {
                self.show(format_args!(" ({name} "));
                self.expr(part);
                self.put(")");
            }
        }
    }

    fn image(&mut self, image: &Image) {
        let Image { name, ty, dims, bytes } = image;
        self.put("(image");
        self.then_name(*name);
        self.put(" ");
        self.ty(*ty);
        self.put(" (");
        for (position, dim) in dims.iter().enumerate() {
            let super::ImageDim { min, extent, stride } = dim;
            self.put(if position == 0 { "" } else { " " });
            self.show(format_args!("({min} {extent} {stride})"));
        }
        self.put(") ");
        if bytes.is_empty() {
            self.put("none");
        }
        for byte in bytes {
            self.show(format_args!("{byte:02X}"));
        }
        self.put(")\n");
    }

    /// Prints the statements of a block, each on a separate line.
    fn body(&mut self, block: &Block) {
        self.indent += 1;
        for stmt in block {
            self.line();
            self.stmt(&stmt.kind);
        }
        self.indent -= 1;
    }

    fn line(&mut self) {
        self.put("\n");
        self.out.extend(std::iter::repeat_n(' ', self.indent));
    }

    fn stmt(&mut self, stmt: &StmtKind) {
        self.put("(");
        match stmt {
            StmtKind::Let { name, value } => {
                self.put("let");
                self.then_name(*name);
                self.then(value);
            }
            StmtKind::Assert { condition, message } => {
                self.put("assert");
                self.then(condition);
                self.then(message);
            }
            StmtKind::ProducerConsumer { name, role, body } => {
                self.put(match role {
                    Role::Produce => "produce",
                    Role::Consume => "consume",
                });
                self.then_name(*name);
                self.body(body);
            }
            StmtKind::For { name, min, extent, kind, device, body } => {
                self.put("for ");
                self.put(word_of(&LOOPS, kind));
                self.word(*device, "none");
                self.then_name(*name);
                self.then(min);
                self.then(extent);
                self.body(body);
            }
            StmtKind::Acquire { semaphore, count, body } => {
                self.put("acquire");
                self.then(semaphore);
                self.then(count);
                self.body(body);
            }
            StmtKind::Store { name, index, alignment, value, predicate } => {
                self.put("store");
                self.then_name(*name);
                self.then(index);
                self.then(value);
                self.options(predicate.as_ref(), *alignment);
            }
            StmtKind::Provide { name, args, values, predicate } => {
                self.put("provide");
                self.then_name(*name);
                args.iter().chain(values).chain(predicate).for_each(|expr| self.then(expr));
            }
            StmtKind::Allocate { .. } => self.allocate(stmt),
            StmtKind::Free(name) => {
                self.put("free");
                self.then_name(*name);
            }
            StmtKind::Realize { name, bounds: _, memory, condition: _, body } => {
                self.put("realize");
                self.then_name(*name);
                self.word(*memory, "Auto");
                self.body(body);
            }
            StmtKind::Fork(tasks) => {
                self.put("fork");
                for task in tasks {
                    self.part("task", task);
                }
            }
            StmtKind::If { condition, then_branch, else_branch } => {
                self.put("if");
                self.then(condition);
                self.part("then", then_branch);
                if let Some(other) = else_branch {
                    self.part("else", other);
                }
            }
            StmtKind::Evaluate(value) => {
                self.put("evaluate");
                self.then(value);
            }
            StmtKind::Prefetch { name, at, from, bounds: _ } => {
                self.put("prefetch");
                for name in [name, at, from] {
                    self.then_name(*name);
                }
            }
            StmtKind::Atomic { producer, mutex, body } => {
                self.put("atomic");
                self.then_name(*producer);
                if let Some(mutex) = mutex {
                    self.put(" (mutex");
                    self.then_name(*mutex);
                    self.put(")");
                }
                self.body(body);
            }
            StmtKind::HoistedStorage { name, body } => {
                self.put("hoisted_storage");
                if let Some(name) = name {
                    self.then_name(*name);
                }
                self.body(body);
            }
            StmtKind::Scope(body) => {
                self.put("scope");
                self.body(body);
            }
        }
        self.put(")");
    }

    /// Prints a part of a statement that contains statements.
    fn part(&mut self, word: &str, block: &Block) {
        self.indent += 1;
        self.line();
        self.put("(");
        self.put(word);
        self.body(block);
        self.put(")");
        self.indent -= 1;
    }

    fn allocate(&mut self, stmt: &StmtKind) {
        let StmtKind::Allocate { name, ty, extents, padding, memory, condition, new, free } = stmt
        else {
            return;
        };
        self.put("allocate");
        self.then_name(*name);
        self.put(" ");
        self.ty(*ty);
        self.word(*memory, "Auto");
        self.show(format_args!(" {padding} ("));
        for (position, extent) in extents.iter().enumerate() {
            self.put(if position == 0 { "" } else { " " });
            self.expr(extent);
        }
        self.put(")");
        if let Some(condition) = condition {
            self.put(" (if");
            self.then(condition);
            self.put(")");
        }
        if let Some(new) = new {
            self.put(" (new");
            self.then(new);
            self.put(")");
        }
        if let Some(free) = free {
            self.put(" (free");
            self.then_name(*free);
            self.put(")");
        }
    }

    /// Prints the lanes of an access, and the known alignment of its index.
    fn options(&mut self, predicate: Option<&Expr>, alignment: Option<Alignment>) {
        if let Some(predicate) = predicate {
            self.put(" (if");
            self.then(predicate);
            self.put(")");
        }
        if let Some(Alignment { modulus, remainder }) = alignment {
            self.show(format_args!(" (align {modulus} {remainder})"));
        }
    }

    /// Prints an expression after a blank.
    fn then(&mut self, expr: &Expr) {
        self.put(" ");
        self.expr(expr);
    }

    fn expr(&mut self, expr: &Expr) {
        if let Expr::String(bytes) = expr {
            return self.string(bytes);
        }
        self.put("(");
        match expr {
            Expr::Int(value, ty) => {
                self.ty(*ty);
                self.show(format_args!(" {value}"));
            }
            Expr::UInt(value, ty) => {
                self.ty(*ty);
                self.show(format_args!(" {value}"));
            }
            Expr::Float(value, ty) => {
                self.ty(*ty);
                self.show(format_args!(" 0x{:016X}", value.to_bits()));
            }
            Expr::String(_) => {}
            Expr::Variable { name, ty } => {
                self.put("var ");
                self.maybe_ty(*ty);
                self.then_name(*name);
            }
            Expr::Cast(ty, value) => {
                self.put("cast ");
                self.ty(*ty);
                self.then(value);
            }
            Expr::Reinterpret(ty, value) => {
                self.put("reinterpret ");
                self.ty(*ty);
                self.then(value);
            }
            Expr::Binary(op, operands) => {
                self.put(word_of(&BINARY, op));
                operands.iter().for_each(|operand| self.then(operand));
            }
            Expr::Not(operand) => {
                self.put("!");
                self.then(operand);
            }
            Expr::Select(operands) => {
                self.put("select");
                operands.iter().for_each(|operand| self.then(operand));
            }
            Expr::Load(load) => self.load(load),
            Expr::Ramp { base, stride, lanes } => {
                self.show(format_args!("ramp {lanes}"));
                self.then(base);
                self.then(stride);
            }
            Expr::Broadcast { value, lanes } => {
                self.show(format_args!("broadcast {lanes}"));
                self.then(value);
            }
            Expr::Call(call) => self.call(call),
            Expr::Let { name, value, body } => {
                self.put("let");
                self.then_name(*name);
                self.then(value);
                self.then(body);
            }
            Expr::Shuffle(kind, vectors) => self.shuffle(kind, vectors),
            Expr::VectorReduce(op, ty, value) => {
                self.put("reduce ");
                self.ty(*ty);
                self.put(" ");
                self.put(op.name());
                self.then(value);
            }
        }
        self.put(")");
    }

    fn load(&mut self, load: &Load) {
        let Load { name, ty, index, alignment, predicate } = load;
        self.put("load ");
        self.maybe_ty(*ty);
        self.then_name(*name);
        self.then(index);
        self.options(predicate.as_ref(), *alignment);
    }

    fn call(&mut self, call: &Call) {
        let Call { name, ty, args, kind, component, parameter: _ } = call;
        self.put("call ");
        self.maybe_ty(*ty);
        self.then_name(*name);
        self.put(" ");
        self.put(kind.map_or(UNKNOWN, |kind| word_of(&CALLS, &kind)));
        self.show(format_args!(" {component}"));
        for arg in args {
            self.then(arg);
        }
    }

    fn shuffle(&mut self, kind: &ShuffleKind, vectors: &[Expr]) {
        self.put("shuffle ");
        match kind {
            ShuffleKind::Concat => self.put("concat"),
            ShuffleKind::Interleave => self.put("interleave"),
            ShuffleKind::Extract(lane) => self.show(format_args!("(extract {lane})")),
            ShuffleKind::Slice { begin, stride, count } => {
                self.show(format_args!("(slice {begin} {stride} {count})"));
            }
            ShuffleKind::Lanes(lanes) => {
                self.put("(lanes");
                for lane in lanes {
                    self.show(format_args!(" {lane}"));
                }
                self.put(")");
            }
        }
        for vector in vectors {
            self.then(vector);
        }
    }
}

/// Returns the word of a value in a table of all values.
fn word_of<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> &'static str {
    table.iter().find(|(_, known)| known == value).map_or(UNKNOWN, |(word, _)| word)
}
