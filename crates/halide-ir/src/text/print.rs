//! The printer. It returns the text that was read. From a tree with all types, it returns the text
//! that Halide prints: a type is printed only if the context does not determine it.

use std::fmt::Write;

use halidom_base::FxHashMap;

use super::notation::{INFIX, REDUCE, digits};
use crate::tree::{
    Alignment, BinaryOp, Block, Expr, ForKind, Range, Role, Scalar, ShuffleKind, StmtKind, Type,
};
use crate::{Names, Release};

/// Prints a statement as Halide 21.0.0 does.
pub fn print(block: &Block, names: &Names) -> String {
    print_as(Release::V21, block, names)
}

/// Prints a statement as a release of Halide does.
pub fn print_as(release: Release, block: &Block, names: &Names) -> String {
    let known = Some(FxHashMap::default());
    let mut printer = Printer { release, out: String::new(), names, known };
    printer.block(block, 0);
    printer.out
}

/// Prints an expression, with all names taken as known.
pub fn print_expr(expr: &Expr, names: &Names) -> String {
    let mut printer = Printer { release: Release::V21, out: String::new(), names, known: None };
    printer.expr(expr, Around::Nothing);
    printer.out
}

/// The context of an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    /// Nothing that could be taken for a part of it.
    Nothing,
    /// An operator.
    Operator,
}

struct Printer<'a> {
    release: Release,
    out: String,
    names: &'a Names,
    /// The number of enclosing bindings of each name. The types of bound names are not printed.
    /// Without a table, all names count as bound.
    known: Option<FxHashMap<crate::NameId, usize>>,
}

impl Printer<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn put_display(&mut self, value: impl std::fmt::Display) {
        // Writing to a string cannot fail.
        let _ = write!(self.out, "{value}");
    }

    fn name(&mut self, name: crate::NameId) {
        let names = self.names;
        self.put(names.text(name));
    }

    fn indent(&mut self, indent: usize) {
        self.out.extend(std::iter::repeat_n(' ', indent));
    }

    fn bind(&mut self, name: crate::NameId) {
        if let Some(known) = &mut self.known {
            *known.entry(name).or_default() += 1;
        }
    }

    fn unbind(&mut self, name: crate::NameId) {
        if let Some(count) = self.known.as_mut().and_then(|known| known.get_mut(&name)) {
            *count -= 1;
        }
    }

    fn is_known(&self, name: crate::NameId) -> bool {
        self.known.as_ref().is_none_or(|known| known.get(&name).is_some_and(|count| *count > 0))
    }

    /// Prints the operand of a reduction as 19.0.0 does: with a printer of its own, which knows no
    /// names and puts operators in parentheses.
    fn reduced_anew(&mut self, op: &str, value: &Expr) {
        let known = self.known.replace(FxHashMap::default());
        self.put(op);
        self.put("(");
        self.expr(value, Around::Operator);
        self.put(")");
        self.known = known;
    }

    /// Prints the operand of a conversion.
    fn converted(&mut self, value: &Expr) {
        let encloses = self.release.encloses_casts();
        self.put("(");
        self.expr(value, if encloses { Around::Operator } else { Around::Nothing });
        self.put(")");
    }

    /// Prints the type before a name, unless the context determines it.
    fn unless_known(&mut self, name: crate::NameId, ty: Option<Type>) {
        if let Some(ty) = ty
            && !self.is_known(name)
        {
            self.prefix(ty);
        }
    }

    fn block(&mut self, block: &Block, indent: usize) {
        let mut bound = Vec::new();
        for stmt in block {
            // Halide takes a name as known from the beginning of the statement that binds it.
            if let StmtKind::Let { name, value: _ } = &stmt.kind {
                bound.push(*name);
                self.bind(*name);
            }
            if let StmtKind::Allocate {
                name,
                ty: _,
                extents: _,
                padding: _,
                memory: _,
                condition: _,
                new: _,
                free: _,
            } = &stmt.kind
            {
                bound.push(*name);
                self.bind(*name);
            }
            self.stmt(&stmt.kind, indent);
        }
        for name in bound {
            self.unbind(name);
        }
    }

    fn braced(&mut self, block: &Block, indent: usize, inner: usize) {
        self.put("{\n");
        self.block(block, indent + inner);
        self.indent(indent);
        self.put("}\n");
    }

    fn stmt(&mut self, stmt: &StmtKind, indent: usize) {
        if let StmtKind::Scope(body) = stmt {
            return self.block(body, indent);
        }
        self.indent(indent);
        match stmt {
            StmtKind::Let { name, value } => {
                self.put("let ");
                self.name(*name);
                self.put(" = ");
                self.expr(value, Around::Nothing);
                self.put("\n");
            }
            StmtKind::Assert { condition, message } => {
                self.put("assert(");
                self.list([condition, message]);
                self.put(")\n");
            }
            StmtKind::ProducerConsumer { name, role, body } => {
                self.put(match role {
                    Role::Produce => "produce ",
                    Role::Consume => "consume ",
                });
                self.name(*name);
                self.put(" ");
                self.braced(body, indent, 1);
            }
            StmtKind::For { name, min, extent, kind, device, body } => {
                self.for_loop((*name, *kind, *device), [min, extent], body, indent);
            }
            StmtKind::Acquire { semaphore, count, body } => {
                self.put("acquire (");
                self.list([semaphore, count]);
                self.put(") ");
                self.braced(body, indent, 1);
            }
            StmtKind::Store { name, index, alignment, value, predicate } => {
                let indent = self.predicate(predicate.as_ref(), indent);
                self.name(*name);
                self.subscript(index, shown(*alignment, value.ty()));
                self.put(" = ");
                self.stored(value, indent);
                self.put("\n");
            }
            StmtKind::Provide { name, args, values, predicate } => {
                self.predicate(predicate.as_ref(), indent);
                self.provide(*name, args, values);
            }
            StmtKind::Allocate { .. } => self.allocate(stmt, indent),
            StmtKind::Free(name) => {
                self.put("free ");
                self.name(*name);
                self.put("\n");
            }
            StmtKind::Realize { name, bounds, memory, condition, body } => {
                self.bind(*name);
                self.put("realize ");
                self.name(*name);
                self.ranges(bounds);
                self.memory(*memory, condition.as_ref());
                self.put(" ");
                self.braced(body, indent, 2);
                self.unbind(*name);
            }
            StmtKind::Fork(tasks) => {
                self.put("fork ");
                for task in tasks {
                    self.put("{\n");
                    self.block(task, indent + 1);
                    self.indent(indent);
                    self.put("} ");
                }
                self.put("\n");
            }
            StmtKind::If { .. } => self.if_stmt(stmt, indent),
            StmtKind::Evaluate(value) => {
                self.expr(value, Around::Nothing);
                self.put("\n");
            }
            StmtKind::Prefetch { name, at, from, bounds } => {
                self.put("prefetch ");
                for name in [name, at, from] {
                    self.name(*name);
                    self.put(", ");
                }
                self.ranges(bounds);
                self.put("\n");
            }
            StmtKind::Atomic { producer, mutex, body } => {
                self.put("atomic (");
                self.name(*producer);
                if let Some(mutex) = mutex {
                    self.put(", ");
                    self.name(*mutex);
                }
                self.put(") ");
                self.braced(body, indent, 2);
            }
            StmtKind::HoistedStorage { name, body } => {
                self.put("hoisted_storage ");
                if let Some(name) = name {
                    self.put("(");
                    self.name(*name);
                    self.put(") ");
                }
                self.braced(body, indent, 2);
            }
            StmtKind::Scope(_) => {}
        }
    }

    fn for_loop(
        &mut self,
        (name, kind, device): (crate::NameId, ForKind, Option<crate::NameId>),
        range: [&Expr; 2],
        body: &Block,
        indent: usize,
    ) {
        self.put(ForKind::keyword(kind));
        let names = self.names;
        // The host is not printed as a device.
        if let Some(device) = device.filter(|device| names.text(*device) != "Host") {
            self.put("<");
            self.name(device);
            self.put(">");
        }
        self.bind(name);
        self.put(" (");
        self.name(name);
        self.put(", ");
        self.list(range);
        self.put(") ");
        self.braced(body, indent, 1);
        self.unbind(name);
    }

    fn provide(&mut self, name: crate::NameId, args: &[Expr], values: &[Expr]) {
        self.name(name);
        self.put("(");
        self.list(args);
        self.put(") = ");
        if let [value] = values {
            self.expr(value, Around::Nothing);
        } else {
            self.put("{");
            self.list(values);
            self.put("}");
        }
        self.put("\n");
    }

    /// Prints the line with the predicate, and returns the indentation of the write.
    fn predicate(&mut self, predicate: Option<&Expr>, indent: usize) -> usize {
        let Some(predicate) = predicate.filter(|predicate| !self.is_one(predicate)) else {
            return indent;
        };
        self.put("predicate (");
        self.expr(predicate, Around::Nothing);
        self.put(")\n");
        self.indent(indent + 1);
        indent + 1
    }

    fn stored(&mut self, value: &Expr, indent: usize) {
        let mut value = value;
        if matches!(value, Expr::Let { .. }) {
            self.put("\n");
            let mut bound = Vec::new();
            while let Expr::Let { name, value: named, body } = value {
                bound.push(*name);
                self.bind(*name);
                self.indent(indent + 2);
                self.put("let ");
                self.name(*name);
                self.put(" = ");
                self.expr(named, Around::Nothing);
                self.put(" in\n");
                value = body;
            }
            self.indent(indent + 2);
            self.expr(value, Around::Nothing);
            self.put("\n");
            for name in bound {
                self.unbind(name);
            }
        } else {
            self.expr(value, Around::Nothing);
        }
    }

    fn allocate(&mut self, stmt: &StmtKind, indent: usize) {
        let StmtKind::Allocate { name, ty, extents, padding, memory, condition, new, free } = stmt
        else {
            return;
        };
        self.put("allocate ");
        self.name(*name);
        self.put("[");
        self.ty(*ty);
        for (position, extent) in extents.iter().enumerate() {
            self.put(if position == 0 && *padding != 0 { " * (" } else { " * " });
            self.expr(extent, Around::Operator);
        }
        if *padding != 0 {
            self.put(" + ");
            self.put_display(padding);
            self.put(")");
        }
        self.put("]");
        self.memory(*memory, condition.as_ref());
        self.put("\n");
        if let Some(new) = new {
            self.indent(indent);
            self.put(" custom_new { ");
            self.expr(new, Around::Nothing);
            self.put(" }\n");
        }
        if let Some(free) = free {
            self.indent(indent);
            self.put(" custom_delete { ");
            self.name(*free);
            self.put("(");
            self.name(*name);
            self.put("); }\n");
        }
    }

    fn if_stmt(&mut self, stmt: &StmtKind, indent: usize) {
        let mut stmt = stmt;
        while let StmtKind::If { condition, then_branch, else_branch } = stmt {
            self.put("if (");
            self.expr(condition, Around::Nothing);
            self.put(") {\n");
            self.block(then_branch, indent + 1);
            self.indent(indent);
            match else_branch {
                None => {
                    self.put("}\n");
                    return;
                }
                Some(other) => {
                    self.put("} else ");
                    match other.as_slice() {
                        [only] if matches!(only.kind, StmtKind::If { .. }) => stmt = &only.kind,
                        _ => {
                            self.braced(other, indent, 1);
                            return;
                        }
                    }
                }
            }
        }
    }

    fn memory(&mut self, memory: Option<crate::NameId>, condition: Option<&Expr>) {
        if let Some(memory) = memory {
            self.put(" in ");
            self.name(memory);
        }
        if let Some(condition) = condition.filter(|condition| !self.is_one(condition)) {
            self.put(" if ");
            self.expr(condition, Around::Operator);
        }
    }

    /// Tests whether Halide's printer can see that a condition always holds.
    fn is_one(&self, condition: &Expr) -> bool {
        if let Expr::Int(1, _) | Expr::UInt(1, _) = condition {
            return true;
        }
        if let Expr::Float(value, _) = condition {
            return value.to_bits() == 1.0_f64.to_bits();
        }
        if let Expr::Cast(_, value) | Expr::Broadcast { value, lanes: _ } = condition {
            return self.is_one(value);
        }
        if let Expr::Call(call) = condition {
            let is_mask = matches!(self.names.text(call.name), "bool_to_mask" | "cast_mask");
            return is_mask && call.args.first().is_some_and(|arg| self.is_one(arg));
        }
        false
    }

    fn ranges(&mut self, ranges: &[Range]) {
        self.put("(");
        for (position, range) in ranges.iter().enumerate() {
            self.put(if position == 0 { "[" } else { ", [" });
            self.list([&range.min, &range.extent]);
            self.put("]");
        }
        self.put(")");
    }

    fn list<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) {
        for (position, expr) in exprs.into_iter().enumerate() {
            if position > 0 {
                self.put(", ");
            }
            self.expr(expr, Around::Nothing);
        }
    }

    fn applied<'e>(&mut self, name: &str, args: impl IntoIterator<Item = &'e Expr>) {
        self.put(name);
        self.put("(");
        self.list(args);
        self.put(")");
    }

    fn subscript(&mut self, index: &Expr, alignment: Option<Alignment>) {
        self.put("[");
        self.expr(index, Around::Nothing);
        if let Some(Alignment { modulus, remainder }) = alignment {
            self.put_display(format_args!(" aligned({modulus}, {remainder})"));
        }
        self.put("]");
    }

    fn ty(&mut self, ty: Type) {
        match ty.scalar {
            Scalar::Int(bits) => self.put_display(format_args!("int{bits}")),
            Scalar::UInt(bits) => self.put_display(format_args!("uint{bits}")),
            Scalar::Float(bits) => self.put_display(format_args!("float{bits}")),
            Scalar::BFloat(bits) => self.put_display(format_args!("bfloat{bits}")),
            Scalar::Handle(pointee) => {
                self.put("(");
                match pointee {
                    Some(pointee) => self.name(pointee),
                    None => self.put("void *"),
                }
                self.put(")");
            }
        }
        if ty.lanes > 1 {
            self.put_display(format_args!("x{}", ty.lanes));
        }
    }

    fn prefix(&mut self, ty: Type) {
        if matches!(ty.scalar, Scalar::Handle(_)) {
            self.ty(ty);
        } else {
            self.put("(");
            self.ty(ty);
            self.put(")");
        }
    }

    /// Prints text, in parentheses if it stands next to an operator.
    fn parenthesized(&mut self, around: Around, text: impl FnOnce(&mut Self)) {
        if around == Around::Operator {
            self.put("(");
        }
        text(self);
        if around == Around::Operator {
            self.put(")");
        }
    }

    fn expr(&mut self, expr: &Expr, around: Around) {
        match expr {
            Expr::Int(value, ty) => {
                if *ty != Type::INT32 {
                    self.prefix(*ty);
                }
                self.put_display(value);
            }
            Expr::UInt(value, ty) => {
                self.prefix(*ty);
                self.put_display(value);
            }
            Expr::Float(value, ty) => self.float(*value, *ty),
            Expr::String(bytes) => self.string(bytes),
            Expr::Variable { name, ty } => {
                self.unless_known(*name, ty.filter(|ty| *ty != Type::INT32));
                self.name(*name);
            }
            Expr::Cast(ty, value) => {
                self.ty(*ty);
                self.converted(value);
            }
            Expr::Reinterpret(ty, value) => {
                self.put("reinterpret<");
                self.ty(*ty);
                self.put(">");
                self.converted(value);
            }
            Expr::Binary(op, operands) => self.binary(*op, operands, around),
            Expr::Not(operand) => {
                self.put("!");
                self.expr(operand, Around::Operator);
            }
            Expr::Select(operands) => self.applied("select", operands.iter()),
            Expr::Load(load) => {
                let predicate = load.predicate.as_ref().filter(|predicate| !self.is_one(predicate));
                let predicated = if predicate.is_some() { around } else { Around::Nothing };
                self.parenthesized(predicated, |printer| {
                    printer.unless_known(load.name, load.ty);
                    printer.name(load.name);
                    printer.subscript(&load.index, shown(load.alignment, load.ty));
                    if let Some(predicate) = predicate {
                        printer.put(" if ");
                        printer.expr(predicate, Around::Operator);
                    }
                });
            }
            Expr::Ramp { base, stride, lanes } => {
                self.put("ramp(");
                self.list([&**base, &**stride]);
                self.put_display(format_args!(", {lanes})"));
            }
            Expr::Broadcast { value, lanes } => {
                self.put_display(format_args!("x{lanes}("));
                self.expr(value, Around::Nothing);
                self.put(")");
            }
            Expr::Call(call) => {
                // Halide asks whether a *name* is known, even if it is a function's.
                let said = call.ty.filter(|ty| *ty != Type::INT32);
                match said {
                    Some(ty) if self.known.is_none() => self.prefix(ty),
                    Some(_) | None => self.unless_known(call.name, said),
                }
                let names = self.names;
                self.applied(names.text(call.name), &call.args);
            }
            Expr::Let { name, value, body } => self.parenthesized(around, |printer| {
                printer.bind(*name);
                printer.put("let ");
                printer.name(*name);
                printer.put(" = ");
                printer.expr(value, Around::Operator);
                printer.put(" in ");
                printer.expr(body, Around::Operator);
                printer.unbind(*name);
            }),
            Expr::Shuffle(kind, vectors) => self.shuffle(kind, vectors),
            Expr::VectorReduce(op, ty, value) => {
                self.prefix(*ty);
                self.put(REDUCE);
                match self.release {
                    Release::V21 => self.applied(op.name(), [&**value]),
                    Release::V19 => self.reduced_anew(op.name(), value),
                }
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, operands: &[Expr; 2], around: Around) {
        match INFIX.iter().find(|(_, infix)| *infix == op) {
            Some((token, _)) => self.parenthesized(around, |printer| {
                printer.expr(&operands[0], Around::Operator);
                printer.put(token);
                printer.expr(&operands[1], Around::Operator);
            }),
            None => self.applied(if op == BinaryOp::Min { "min" } else { "max" }, operands),
        }
    }

    fn shuffle(&mut self, kind: &ShuffleKind, vectors: &[Expr]) {
        self.put(match kind {
            ShuffleKind::Concat => "concat_vectors(",
            ShuffleKind::Interleave => "interleave_vectors(",
            ShuffleKind::Extract(_) => "extract_element(",
            ShuffleKind::Slice { .. } => "slice_vectors(",
            ShuffleKind::Lanes(_) => "shuffle(",
        });
        self.list(vectors);
        match kind {
            ShuffleKind::Concat | ShuffleKind::Interleave => {}
            ShuffleKind::Extract(lane) => self.put_display(format_args!(", {lane}")),
            ShuffleKind::Slice { begin, stride, count } => {
                self.put_display(format_args!(", {begin}, {stride}, {count}"));
            }
            ShuffleKind::Lanes(lanes) => {
                for lane in lanes {
                    self.put_display(format_args!(", {lane}"));
                }
            }
        }
        self.put(")");
    }

    fn float(&mut self, value: f64, ty: Type) {
        self.put(&digits(value));
        self.put(match ty.scalar {
            Scalar::Float(32) => "f",
            Scalar::Float(16) | Scalar::BFloat(_) => "h",
            Scalar::Float(_) | Scalar::Int(_) | Scalar::UInt(_) | Scalar::Handle(_) => "",
        });
    }

    fn string(&mut self, bytes: &[u8]) {
        self.put("\"");
        for byte in bytes {
            match byte {
                b'"' => self.put("\\\""),
                b'\\' => self.put("\\\\"),
                b'\t' => self.put("\\t"),
                b'\r' => self.put("\\r"),
                b'\n' => self.put("\\n"),
                b' '..=b'~' => self.out.push(char::from(*byte)),
                _ => self.put_display(format_args!("\\x{byte:02X}")),
            }
        }
        self.put("\"");
    }
}

/// Returns the alignment that Halide prints for an index: only for vectors, and only if the modulus
/// is above 1.
fn shown(alignment: Option<Alignment>, ty: Option<Type>) -> Option<Alignment> {
    let is_vector = ty.is_none_or(|ty| ty.lanes > 1);
    alignment.filter(|alignment| is_vector && alignment.modulus > 1)
}
