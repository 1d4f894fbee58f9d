//! The reader.
//!
//! # Correctness
//! A dump prints back byte by byte: [`read`] prints the result, compares, and refuses the text at
//! the first byte that differs. Line breaks at the end make no difference.

use super::printer::{self, BINARY, CALLS, LOOPS, REDUCTIONS};
use super::{
    Argument, ArgumentKind, Buffer, Constraint, DEPTH, Dump, DumpError, ENDS, Image, ImageDim,
    MAGIC, SIDES,
};
use crate::ending::ended;
use crate::tree::{
    Alignment, Block, Call, CallKind, Expr, Load, Role, Scalar, ShuffleKind, Stmt, StmtKind, Type,
};
use crate::{NameId, Names, Release};

type Result<T> = std::result::Result<T, DumpError>;

/// The statements that do not occur in a final statement.
const EARLY: [&str; 4] = ["provide", "realize", "prefetch", "hoisted_storage"];

/// The devices of loops, apart from none.
const DEVICES: [&str; 10] = [
    "Host",
    "Default_GPU",
    "CUDA",
    "OpenCL",
    "Metal",
    "Hexagon",
    "HexagonDma",
    "D3D12Compute",
    "Vulkan",
    "WebGPU",
];

/// The types of memory, apart from the one that the compiler chooses.
const MEMORIES: [&str; 8] =
    ["Heap", "Stack", "Register", "GPUShared", "GPUTexture", "LockedCache", "VTCM", "AMXTile"];

/// Tests whether a text begins as a dump of any version does.
pub fn is_dump(text: &str) -> bool {
    text.starts_with(MAGIC)
}

/// Reads a dump from the whole text.
///
/// # Errors
/// The first place that a dump cannot have.
pub fn read(text: &str, names: &mut Names) -> Result<Dump> {
    whole(text, |text| {
        let mut reader = Reader { text, at: 0, depth: 0, names };
        let dump = reader.dump()?;
        compared(text, &printer::print(&dump, reader.names))?;
        Ok(dump)
    })
}

/// Reads a statement alone, as [`super::print_block`] prints it.
///
/// # Errors
/// The first place that such a text cannot have.
pub fn read_block(text: &str, names: &mut Names) -> Result<Block> {
    whole(text, |text| {
        let mut reader = Reader { text, at: 0, depth: 0, names };
        let block = reader.statement()?;
        reader.end()?;
        compared(text, &printer::print_block(&block, reader.names))?;
        Ok(block)
    })
}

/// The deepest text for which the present stack suffices.
const SHALLOW: usize = 100;
/// A stack that suffices for [`DEPTH`] many times over.
const STACK: usize = 128 << 20;

/// Runs a reader on a whole text, with the end that a dump has.
fn whole<T: Send>(text: &str, read: impl FnOnce(&str) -> Result<T> + Send) -> Result<T> {
    let ended = ended(text);
    let found = on_large_stack(&ended, || read(&ended));
    found.map_err(|error| DumpError { at: error.at.min(text.len()), ..error })
}

/// Runs a reader on a stack with room for its recursion.
fn on_large_stack<T: Send>(text: &str, read: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let mut depth = 0_usize;
    let deepest = text.bytes().fold(0, |deepest, byte| {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest.max(depth)
    });
    if deepest <= SHALLOW {
        return read();
    }
    let failed = |_| DumpError { at: 0, what: "there is no memory to read a dump".to_owned() };
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(STACK);
        let thread = builder.spawn_scoped(scope, read).map_err(failed)?;
        thread.join().unwrap_or_else(|payload| std::panic::resume_unwind(payload))
    })
}

/// Refuses a text that differs from the print of its tree.
fn compared(text: &str, printed: &str) -> Result<()> {
    if text == printed {
        return Ok(());
    }
    let same = text.bytes().zip(printed.bytes()).take_while(|(a, b)| a == b).count();
    let wanted: String =
        String::from_utf8_lossy(&printed.as_bytes()[same..]).chars().take(20).collect();
    Err(DumpError { at: same, what: format!("a dump has {wanted:?} here") })
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    names: &'a mut Names,
}

impl<'a> Reader<'a> {
    fn error<T>(&self, what: impl Into<String>) -> Result<T> {
        Err(DumpError { at: self.at, what: what.into() })
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n')) {
            self.at += 1;
        }
    }

    /// Skips blanks and this byte, and returns true, if it comes next.
    fn skip(&mut self, byte: u8) -> bool {
        self.blanks();
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn open(&mut self) -> Result<()> {
        if self.skip(b'(') { Ok(()) } else { self.error("expected `(`") }
    }

    fn close(&mut self) -> Result<()> {
        if self.skip(b')') { Ok(()) } else { self.error("expected `)`") }
    }

    fn end(&mut self) -> Result<()> {
        self.blanks();
        if self.at == self.text.len() { Ok(()) } else { self.error("expected the end of the dump") }
    }

    /// Skips a parenthesis and this word, and returns true, if they come next.
    fn part(&mut self, word: &str) -> Result<bool> {
        self.blanks();
        let begin = self.at;
        if self.peek() == Some(b'(') {
            self.at += 1;
            if self.word()? == word {
                return Ok(true);
            }
        }
        self.at = begin;
        Ok(false)
    }

    fn expect_part(&mut self, word: &'static str) -> Result<()> {
        if self.part(word)? { Ok(()) } else { self.error(format!("expected `({word}`")) }
    }

    /// Reads the bytes up to a blank, a parenthesis or a quote.
    fn word(&mut self) -> Result<&'a str> {
        self.blanks();
        let text: &'a str = self.text;
        let rest = &text[self.at..];
        let ends = |byte| matches!(byte, b' ' | b'\n' | b'(' | b')' | b'"');
        let length = rest.bytes().position(ends).unwrap_or(rest.len());
        if length == 0 {
            return self.error("expected a word");
        }
        self.at += length;
        Ok(&rest[..length])
    }

    fn number<T: std::str::FromStr>(&mut self) -> Result<T> {
        self.blanks();
        let at = self.at;
        let word = self.word()?;
        word.parse().map_err(|_| DumpError { at, what: format!("`{word}` is no number here") })
    }

    fn bytes(&mut self) -> Result<Vec<u8>> {
        if !self.skip(b'"') {
            return self.error("expected a string");
        }
        let mut bytes = Vec::new();
        loop {
            let Some(byte) = self.peek() else { return self.error("expected the end of a string") };
            self.at += 1;
            match byte {
                b'"' => return Ok(bytes),
                b'\\' => bytes.push(self.escaped()?),
                b' '..=b'~' => bytes.push(byte),
                _ => {
                    self.at -= 1;
                    return self.error("a byte that a string has as `\\xHH`");
                }
            }
        }
    }

    /// Reads the rest of an escape after its backslash.
    fn escaped(&mut self) -> Result<u8> {
        match self.peek() {
            Some(byte @ (b'"' | b'\\')) => {
                self.at += 1;
                Ok(byte)
            }
            Some(b'x') => {
                self.at += 1;
                let digits = self.text.as_bytes().get(self.at..self.at + 2);
                match digits.and_then(hexadecimal) {
                    Some(byte) => {
                        self.at += 2;
                        Ok(byte)
                    }
                    None => self.error("expected two hexadecimal digits"),
                }
            }
            _ => self.error("expected `\"`, `\\` or `x` after a backslash"),
        }
    }

    /// Reads a string, which must be text.
    fn string(&mut self) -> Result<String> {
        self.blanks();
        let at = self.at;
        String::from_utf8(self.bytes()?)
            .map_err(|_| DumpError { at, what: "a name that is not UTF-8".to_owned() })
    }

    fn name(&mut self) -> Result<NameId> {
        let text = self.string()?;
        if text.is_empty() {
            return self.error("a name without letters");
        }
        Ok(self.names.id(&text))
    }

    fn ty(&mut self) -> Result<Type> {
        self.blanks();
        let at = self.at;
        let word = self.word()?;
        if let Some(lanes) = word.strip_prefix('h') {
            let pointee = if lanes.is_empty() && self.peek() == Some(b'"') {
                Some(self.name()?)
            } else {
                None
            };
            // The lanes stand after the string, if there is one.
            let glued = |byte: u8| byte == b'x';
            let lanes = if pointee.is_some() && self.peek().is_some_and(glued) {
                self.word()?
            } else {
                lanes
            };
            let lanes = lanes_of(lanes);
            return match lanes {
                Some(lanes) => Ok(Type { scalar: Scalar::Handle(pointee), lanes }),
                None => Err(DumpError { at, what: format!("`{word}` is no type") }),
            };
        }
        numeric(word).ok_or_else(|| DumpError { at, what: format!("`{word}` is no type") })
    }

    /// Reads one of these words, and returns its value.
    fn one_of<T: Copy>(&mut self, table: &[(&'static str, T)], what: &str) -> Result<T> {
        self.blanks();
        let at = self.at;
        let word = self.word()?;
        let found = table.iter().find(|(known, _)| *known == word);
        let found = found.map(|(_, value)| *value);
        found.ok_or_else(|| DumpError { at, what: format!("`{word}` is no {what}") })
    }

    /// Reads one of these words, or the word that stands for none of them.
    fn named(&mut self, known: &[&str], none: &str, what: &str) -> Result<Option<NameId>> {
        self.blanks();
        let at = self.at;
        let word = self.word()?;
        if word == none {
            return Ok(None);
        }
        if known.contains(&word) {
            return Ok(Some(self.names.id(word)));
        }
        Err(DumpError { at, what: format!("`{word}` is no {what}") })
    }

    fn dump(&mut self) -> Result<Dump> {
        let line = self.text.lines().next().unwrap_or_default();
        let release = Release::ALL.into_iter().find(|release| release.dump_line() == line);
        let Some(release) = release else {
            let lines = Release::ALL.map(|release| format!("`{}`", release.dump_line()));
            let what = format!("the first line of a dump is {}", lines.join(" or "));
            return Err(DumpError { at: 0, what });
        };
        self.at = line.len();
        self.expect_part("target")?;
        let target = self.string()?.into();
        self.close()?;
        self.expect_part("strict-float")?;
        let strict_float = self.one_of(&[("no", false), ("yes", true)], "answer")?;
        self.close()?;
        let mut arguments = Vec::new();
        while self.part("argument")? {
            arguments.push(self.argument()?);
        }
        let mut images = Vec::new();
        while self.part("image")? {
            images.push(self.image()?);
        }
        let block = self.statement()?;
        self.end()?;
        Ok(Dump { release, target, strict_float, arguments, images, block })
    }

    fn argument(&mut self) -> Result<Argument> {
        let kinds = [("input-scalar", 0), ("input-buffer", 1), ("output-buffer", 2)];
        let kind = self.one_of(&kinds, "kind of an argument")?;
        let name = self.name()?;
        let ty = self.ty()?;
        let mut constraints = Vec::new();
        let mut range = [None, None];
        let kind = if kind == 0 {
            for (end, name) in range.iter_mut().zip(ENDS) {
                if self.part(name)? {
                    *end = Some(self.expr()?);
                    self.close()?;
                }
            }
            ArgumentKind::Scalar
        } else {
            let buffer = Buffer { dimensions: self.number()?, host_alignment: self.number()? };
            while self.part("dim")? {
                constraints.push(self.constraint()?);
            }
            if kind == 1 { ArgumentKind::Input(buffer) } else { ArgumentKind::Output(buffer) }
        };
        self.close()?;
        Ok(Argument { name, ty, kind, constraints, range })
    }

    fn constraint(&mut self) -> Result<Constraint> {
        let dim = self.number()?;
        let mut sides = [None, None, None];
        for (side, name) in sides.iter_mut().zip(SIDES) {
            if self.part(name)? {
                *side = Some(self.expr()?);
                self.close()?;
            }
        }
        self.close()?;
        Ok(Constraint { dim, sides })
    }

    fn image(&mut self) -> Result<Image> {
        let name = self.name()?;
        let ty = self.ty()?;
        self.open()?;
        let mut dims = Vec::new();
        while !self.skip(b')') {
            self.open()?;
            let (min, extent, stride) = (self.number()?, self.number()?, self.number()?);
            dims.push(ImageDim { min, extent, stride });
            self.close()?;
        }
        self.blanks();
        let at = self.at;
        let word = self.word()?;
        let bytes = if word == "none" {
            Some(Vec::new())
        } else {
            word.as_bytes().chunks(2).map(hexadecimal).collect()
        };
        let Some(bytes) = bytes else {
            let what = "expected the bytes of an array, two hexadecimal digits each".to_owned();
            return Err(DumpError { at, what });
        };
        self.close()?;
        Ok(Image { name, ty, dims, bytes })
    }

    fn statement(&mut self) -> Result<Block> {
        self.expect_part("statement")?;
        self.body()
    }

    /// Reads statements up to the parenthesis that closes them, which is read too.
    fn body(&mut self) -> Result<Block> {
        let mut block = Block::new();
        loop {
            self.blanks();
            let at = self.at;
            if self.skip(b')') {
                return Ok(block);
            }
            let kind = self.nested(Self::stmt)?;
            block.push(Stmt { at, kind });
        }
    }

    /// Reads a nested construct.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == DEPTH {
            return self.error(format!("a dump is nested at most {DEPTH} deep"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn stmt(&mut self) -> Result<StmtKind> {
        self.open()?;
        let at = self.at;
        let word = self.word()?;
        match word {
            "let" => {
                let name = self.name()?;
                let value = self.expr()?;
                self.close()?;
                Ok(StmtKind::Let { name, value })
            }
            "assert" => {
                let (condition, message) = (self.expr()?, self.expr()?);
                self.close()?;
                Ok(StmtKind::Assert { condition, message })
            }
            "produce" => self.marked(Role::Produce),
            "consume" => self.marked(Role::Consume),
            "for" => self.for_stmt(),
            "acquire" => {
                let (semaphore, count) = (self.expr()?, self.expr()?);
                let body = self.body()?;
                Ok(StmtKind::Acquire { semaphore, count, body })
            }
            "store" => self.store(),
            "allocate" => self.allocate(),
            "free" => {
                let name = self.name()?;
                self.close()?;
                Ok(StmtKind::Free(name))
            }
            "fork" => {
                let mut tasks = Vec::new();
                while self.part("task")? {
                    tasks.push(self.body()?);
                }
                self.close()?;
                Ok(StmtKind::Fork(tasks))
            }
            "if" => self.if_stmt(),
            "evaluate" => {
                let value = self.expr()?;
                self.close()?;
                Ok(StmtKind::Evaluate(value))
            }
            "atomic" => {
                let producer = self.name()?;
                let mutex = if self.part("mutex")? { Some(self.closed_name()?) } else { None };
                let body = self.body()?;
                Ok(StmtKind::Atomic { producer, mutex, body })
            }
            "scope" => Ok(StmtKind::Scope(self.body()?)),
            _ if EARLY.contains(&word) => {
                let what = format!("`{word}` is gone in a final statement, and not read");
                Err(DumpError { at, what })
            }
            _ => Err(DumpError { at, what: format!("`{word}` is no statement of a dump") }),
        }
    }

    fn marked(&mut self, role: Role) -> Result<StmtKind> {
        let name = self.name()?;
        let body = self.body()?;
        Ok(StmtKind::ProducerConsumer { name, role, body })
    }

    fn for_stmt(&mut self) -> Result<StmtKind> {
        let kind = self.one_of(&LOOPS, "kind of a loop")?;
        let device = self.named(&DEVICES, "none", "device of a loop")?;
        let name = self.name()?;
        let (min, extent) = (self.expr()?, self.expr()?);
        let body = self.body()?;
        Ok(StmtKind::For { name, min, extent, kind, device, body })
    }

    fn store(&mut self) -> Result<StmtKind> {
        let name = self.name()?;
        let (index, value) = (self.expr()?, self.expr()?);
        let (predicate, alignment) = self.options()?;
        self.close()?;
        Ok(StmtKind::Store { name, index, alignment, value, predicate })
    }

    fn allocate(&mut self) -> Result<StmtKind> {
        let name = self.name()?;
        let ty = self.ty()?;
        let memory = self.named(&MEMORIES, "Auto", "type of memory")?;
        let padding = self.number()?;
        self.open()?;
        let mut extents = Vec::new();
        while !self.skip(b')') {
            extents.push(self.expr()?);
        }
        let condition = if self.part("if")? { Some(self.closed_expr()?) } else { None };
        let new = if self.part("new")? { Some(self.closed_expr()?) } else { None };
        let free = if self.part("free")? { Some(self.closed_name()?) } else { None };
        self.close()?;
        Ok(StmtKind::Allocate { name, ty, extents, padding, memory, condition, new, free })
    }

    fn if_stmt(&mut self) -> Result<StmtKind> {
        let condition = self.expr()?;
        self.expect_part("then")?;
        let then_branch = self.body()?;
        let else_branch = if self.part("else")? { Some(self.body()?) } else { None };
        self.close()?;
        Ok(StmtKind::If { condition, then_branch, else_branch })
    }

    fn closed_expr(&mut self) -> Result<Expr> {
        let expr = self.expr()?;
        self.close()?;
        Ok(expr)
    }

    fn closed_name(&mut self) -> Result<NameId> {
        let name = self.name()?;
        self.close()?;
        Ok(name)
    }

    fn options(&mut self) -> Result<(Option<Expr>, Option<Alignment>)> {
        let predicate = if self.part("if")? { Some(self.closed_expr()?) } else { None };
        let alignment = if self.part("align")? {
            let (modulus, remainder) = (self.number()?, self.number()?);
            self.close()?;
            Some(Alignment { modulus, remainder })
        } else {
            None
        };
        Ok((predicate, alignment))
    }

    fn expr(&mut self) -> Result<Expr> {
        self.nested(|reader| {
            reader.blanks();
            if reader.peek() == Some(b'"') {
                return Ok(Expr::String(reader.bytes()?.into()));
            }
            reader.open()?;
            let expr = reader.inner()?;
            reader.close()?;
            Ok(expr)
        })
    }

    fn boxed(&mut self) -> Result<Box<Expr>> {
        Ok(Box::new(self.expr()?))
    }

    /// Reads expressions up to a parenthesis that closes them, which is not read.
    fn exprs(&mut self) -> Result<Vec<Expr>> {
        let mut exprs = Vec::new();
        loop {
            self.blanks();
            if self.peek() == Some(b')') {
                return Ok(exprs);
            }
            exprs.push(self.expr()?);
        }
    }

    /// Reads an expression between its parentheses.
    fn inner(&mut self) -> Result<Expr> {
        self.blanks();
        let at = self.at;
        let word = self.word()?;
        if let Some((_, op)) = BINARY.iter().find(|(known, _)| *known == word) {
            return Ok(Expr::Binary(*op, Box::new([self.expr()?, self.expr()?])));
        }
        if let Some(ty) = numeric(word) {
            return self.constant(ty);
        }
        match word {
            "var" => {
                let ty = Some(self.ty()?);
                Ok(Expr::Variable { name: self.name()?, ty })
            }
            "cast" => Ok(Expr::Cast(self.ty()?, self.boxed()?)),
            "reinterpret" => Ok(Expr::Reinterpret(self.ty()?, self.boxed()?)),
            "!" => Ok(Expr::Not(self.boxed()?)),
            "select" => Ok(Expr::Select(Box::new([self.expr()?, self.expr()?, self.expr()?]))),
            "load" => self.load(),
            "ramp" => {
                let lanes = self.number()?;
                Ok(Expr::Ramp { base: self.boxed()?, stride: self.boxed()?, lanes })
            }
            "broadcast" => {
                let lanes = self.number()?;
                Ok(Expr::Broadcast { value: self.boxed()?, lanes })
            }
            "call" => self.call(),
            "let" => {
                let name = self.name()?;
                Ok(Expr::Let { name, value: self.boxed()?, body: self.boxed()? })
            }
            "shuffle" => self.shuffle(),
            "reduce" => {
                let ty = self.ty()?;
                let op = self.one_of(&REDUCTIONS.map(|op| (op.name(), op)), "reduction")?;
                Ok(Expr::VectorReduce(op, ty, self.boxed()?))
            }
            _ => Err(DumpError { at, what: format!("`{word}` is no expression of a dump") }),
        }
    }

    fn constant(&mut self, ty: Type) -> Result<Expr> {
        match ty.scalar {
            Scalar::Int(_) => Ok(Expr::Int(self.number()?, ty)),
            Scalar::UInt(_) => Ok(Expr::UInt(self.number()?, ty)),
            Scalar::Float(_) | Scalar::BFloat(_) => {
                self.blanks();
                let at = self.at;
                let word = self.word()?;
                let bits = word.strip_prefix("0x").filter(|digits| digits.len() == 16);
                let bits = bits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
                match bits {
                    Some(bits) => Ok(Expr::Float(f64::from_bits(bits), ty)),
                    None => {
                        let what = "expected the bits of a double: `0x` and 16 digits".to_owned();
                        Err(DumpError { at, what })
                    }
                }
            }
            Scalar::Handle(_) => self.error("a pointer is no constant"),
        }
    }

    fn load(&mut self) -> Result<Expr> {
        let ty = Some(self.ty()?);
        let name = self.name()?;
        let index = self.expr()?;
        let (predicate, alignment) = self.options()?;
        Ok(Expr::Load(Box::new(Load { name, ty, index, alignment, predicate })))
    }

    fn call(&mut self) -> Result<Expr> {
        let ty = Some(self.ty()?);
        let name = self.name()?;
        self.blanks();
        let at = self.at;
        let kind = self.one_of(&CALLS, "kind of a call")?;
        match kind {
            CallKind::Image | CallKind::Halide => {
                let what =
                    "a call of a func or an image is gone in a final statement, and not read";
                return Err(DumpError { at, what: what.to_owned() });
            }
            CallKind::Extern
            | CallKind::ExternCPlusPlus
            | CallKind::PureExtern
            | CallKind::Intrinsic
            | CallKind::PureIntrinsic => {}
        }
        let component = self.number()?;
        let args = self.exprs()?;
        let kind = Some(kind);
        Ok(Expr::Call(Box::new(Call { name, ty, args, kind, component, parameter: None })))
    }

    fn shuffle(&mut self) -> Result<Expr> {
        let kind = if self.skip(b'(') {
            self.blanks();
            let at = self.at;
            let kind = match self.word()? {
                "extract" => ShuffleKind::Extract(self.number()?),
                "slice" => {
                    let (begin, stride, count) = (self.number()?, self.number()?, self.number()?);
                    ShuffleKind::Slice { begin, stride, count }
                }
                "lanes" => {
                    let mut lanes = Vec::new();
                    loop {
                        self.blanks();
                        if self.peek() == Some(b')') {
                            break ShuffleKind::Lanes(lanes);
                        }
                        lanes.push(self.number()?);
                    }
                }
                word => return Err(DumpError { at, what: format!("`{word}` is no shuffle") }),
            };
            self.close()?;
            kind
        } else {
            let at = self.at;
            match self.word()? {
                "concat" => ShuffleKind::Concat,
                "interleave" => ShuffleKind::Interleave,
                word => return Err(DumpError { at, what: format!("`{word}` is no shuffle") }),
            }
        };
        Ok(Expr::Shuffle(kind, self.exprs()?))
    }
}

/// Returns the byte of two hexadecimal digits.
fn hexadecimal(digits: &[u8]) -> Option<u8> {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'A'..=b'F');
    if digits.len() != 2 || !digits.iter().all(is_digit) {
        return None;
    }
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Returns the number of lanes at the end of a type. An empty end stands for one lane.
fn lanes_of(text: &str) -> Option<u32> {
    if text.is_empty() {
        return Some(1);
    }
    text.strip_prefix('x')?.parse().ok().filter(|lanes| *lanes != 1)
}

/// Returns the type of a number by its word.
fn numeric(word: &str) -> Option<Type> {
    type Kind = fn(u8) -> Scalar;
    const KINDS: [(&str, Kind); 4] =
        [("i", Scalar::Int), ("u", Scalar::UInt), ("f", Scalar::Float), ("bf", Scalar::BFloat)];
    KINDS.iter().find_map(|(name, kind)| {
        let rest = word.strip_prefix(name)?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (bits, lanes) = rest.split_at(digits);
        Some(Type { scalar: kind(bits.parse().ok()?), lanes: lanes_of(lanes)? })
    })
}
