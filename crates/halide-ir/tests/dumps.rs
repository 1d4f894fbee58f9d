//! Dumps of random trees read back as the same trees, and a text that is no dump is refused where
//! it departs from one.

use halidom_halide_ir::dump::{
    self, Argument, ArgumentKind, Buffer, Constraint, Dump, Image, ImageDim, print, read,
};
use halidom_halide_ir::tree::{
    Alignment, BinaryOp, Block, Call, CallKind, Expr, ForKind, Load, ReduceOp, Role, Scalar,
    ShuffleKind, Stmt, StmtKind, Type,
};
use halidom_halide_ir::{NameId, Names, Release};

/// Random trees, by one of Knuth's generators.
struct Random<'n> {
    state: u64,
    names: &'n mut Names,
}

impl Random<'_> {
    fn bits(&mut self) -> u64 {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.state >> 16
    }

    fn below(&mut self, count: u64) -> u64 {
        self.bits() % count
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.coin() { Some(make(self)) } else { None }
    }

    fn name(&mut self) -> NameId {
        let texts =
            ["x", "f.s0.x", "t$1", "a \"b\" \\", "\u{e4}\n\u{0}", "x8", "ramp", "(", "none", "i32"];
        let text = texts[self.below(texts.len() as u64) as usize];
        self.names.id(text)
    }

    fn word(&mut self, words: &[&str]) -> NameId {
        let word = words[self.below(words.len() as u64) as usize];
        self.names.id(word)
    }

    fn ty(&mut self) -> Type {
        let bits = [1, 8, 16, 32, 64][self.below(5) as usize];
        let scalar = match self.below(6) {
            0 => Scalar::UInt(bits),
            1 => Scalar::Float(bits),
            2 => Scalar::BFloat(16),
            3 => Scalar::Handle(None),
            4 => Scalar::Handle(Some(self.names.id("struct halide_buffer_t *"))),
            _ => Scalar::Int(bits),
        };
        Type { scalar, lanes: [1, 1, 2, 16][self.below(4) as usize] }
    }

    fn exprs(&mut self, depth: u64) -> Vec<Expr> {
        (0..self.below(4)).map(|_| self.expr(depth)).collect()
    }

    fn boxed(&mut self, depth: u64) -> Box<Expr> {
        Box::new(self.expr(depth))
    }

    fn alignment(&mut self) -> Option<Alignment> {
        self.maybe(|random| Alignment {
            modulus: random.below(9) as i64,
            remainder: random.below(9) as i64 - 4,
        })
    }

    fn expr(&mut self, depth: u64) -> Expr {
        let kinds = if depth == 0 { 5 } else { 18 };
        let depth = depth.saturating_sub(1);
        let scalar = |scalar| Type::of(scalar);
        match self.below(kinds) {
            0 => Expr::Int(self.bits() as i64, scalar(Scalar::Int(64))),
            1 => Expr::UInt(self.bits() << 16, scalar(Scalar::UInt(64))),
            2 => {
                let special = [
                    0x8000_0000_0000_0000,
                    0x7FF8_0000_0000_0001,
                    0xFFF0_0000_0000_0000,
                    self.bits() << 16,
                ];
                let bits = special[self.below(4) as usize];
                Expr::Float(f64::from_bits(bits), scalar(Scalar::Float(32)))
            }
            3 => Expr::String(
                (0..self.below(9)).map(|_| self.bits() as u8).collect::<Vec<_>>().into(),
            ),
            4 => Expr::Variable { name: self.name(), ty: Some(self.ty()) },
            5 => Expr::Cast(self.ty(), self.boxed(depth)),
            6 => Expr::Reinterpret(self.ty(), self.boxed(depth)),
            7 | 8 => {
                let ops = [
                    BinaryOp::Add,
                    BinaryOp::Sub,
                    BinaryOp::Mul,
                    BinaryOp::Div,
                    BinaryOp::Mod,
                    BinaryOp::Min,
                    BinaryOp::Max,
                    BinaryOp::Eq,
                    BinaryOp::Ne,
                    BinaryOp::Lt,
                    BinaryOp::Le,
                    BinaryOp::Gt,
                    BinaryOp::Ge,
                    BinaryOp::And,
                    BinaryOp::Or,
                ];
                let op = ops[self.below(15) as usize];
                Expr::Binary(op, Box::new([self.expr(depth), self.expr(depth)]))
            }
            9 => Expr::Not(self.boxed(depth)),
            10 => Expr::Select(Box::new([self.expr(depth), self.expr(depth), self.expr(depth)])),
            11 => Expr::Load(Box::new(Load {
                name: self.name(),
                ty: Some(self.ty()),
                index: self.expr(depth),
                alignment: self.alignment(),
                predicate: self.maybe(|random| random.expr(depth)),
            })),
            12 => Expr::Ramp {
                base: self.boxed(depth),
                stride: self.boxed(depth),
                lanes: self.below(64) as u32,
            },
            13 => Expr::Broadcast { value: self.boxed(depth), lanes: self.below(64) as u32 },
            14 => {
                let kinds = [
                    CallKind::Extern,
                    CallKind::ExternCPlusPlus,
                    CallKind::PureExtern,
                    CallKind::Intrinsic,
                    CallKind::PureIntrinsic,
                ];
                Expr::Call(Box::new(Call {
                    name: self.name(),
                    ty: Some(self.ty()),
                    args: self.exprs(depth),
                    kind: Some(kinds[self.below(5) as usize]),
                    component: self.below(3) as usize,
                    parameter: None,
                }))
            }
            15 => {
                Expr::Let { name: self.name(), value: self.boxed(depth), body: self.boxed(depth) }
            }
            16 => {
                let kind = match self.below(5) {
                    0 => ShuffleKind::Concat,
                    1 => ShuffleKind::Interleave,
                    2 => ShuffleKind::Extract(self.below(9) as i64),
                    3 => ShuffleKind::Slice { begin: 1, stride: -2, count: 3 },
                    _ => ShuffleKind::Lanes(vec![3, -1, 0]),
                };
                Expr::Shuffle(kind, self.exprs(depth))
            }
            _ => {
                let op = ReduceOp::ALL[self.below(7) as usize];
                Expr::VectorReduce(op, self.ty(), self.boxed(depth))
            }
        }
    }

    fn block(&mut self, depth: u64) -> Block {
        (0..self.below(4)).map(|_| Stmt { at: 0, kind: self.stmt(depth) }).collect()
    }

    fn stmt(&mut self, depth: u64) -> StmtKind {
        let kinds = if depth == 0 { 6 } else { 14 };
        let depth = depth.saturating_sub(1);
        match self.below(kinds) {
            0 => StmtKind::Let { name: self.name(), value: self.expr(3) },
            1 => StmtKind::Assert { condition: self.expr(2), message: self.expr(2) },
            2 => StmtKind::Store {
                name: self.name(),
                index: self.expr(2),
                alignment: self.alignment(),
                value: self.expr(3),
                predicate: self.maybe(|random| random.expr(1)),
            },
            3 => StmtKind::Free(self.name()),
            4 => StmtKind::Evaluate(self.expr(2)),
            5 => StmtKind::Allocate {
                name: self.name(),
                ty: self.ty(),
                extents: self.exprs(1),
                padding: self.below(20) as i64,
                memory: self.maybe(|random| random.word(&["Heap", "Stack", "GPUShared"])),
                condition: self.maybe(|random| random.expr(1)),
                new: self.maybe(|random| random.expr(1)),
                free: self.maybe(Self::name),
            },
            6 => {
                let role = if self.coin() { Role::Produce } else { Role::Consume };
                StmtKind::ProducerConsumer { name: self.name(), role, body: self.block(depth) }
            }
            7 => StmtKind::For {
                name: self.name(),
                min: self.expr(1),
                extent: self.expr(1),
                kind: ForKind::ALL[self.below(8) as usize],
                device: self.maybe(|random| random.word(&["Host", "CUDA", "WebGPU"])),
                body: self.block(depth),
            },
            8 => StmtKind::Acquire {
                semaphore: self.expr(1),
                count: self.expr(1),
                body: self.block(depth),
            },
            9 => StmtKind::Fork((0..self.below(4)).map(|_| self.block(depth)).collect()),
            10 | 11 => StmtKind::If {
                condition: self.expr(1),
                then_branch: self.block(depth),
                else_branch: self.maybe(|random| random.block(depth)),
            },
            12 => StmtKind::Atomic {
                producer: self.name(),
                mutex: self.maybe(Self::name),
                body: self.block(depth),
            },
            _ => StmtKind::Scope(self.block(depth)),
        }
    }

    fn constraints(&mut self) -> Vec<Constraint> {
        let count = self.below(3) as u8;
        let constraint = |dim| Constraint {
            dim,
            sides: [self.maybe(|random| random.expr(2)), None, Some(self.expr(1))],
        };
        (0..count).map(constraint).collect()
    }

    fn dump(&mut self) -> Dump {
        let buffer =
            Buffer { dimensions: self.below(5) as u8, host_alignment: self.below(65) as u32 };
        let kinds =
            [ArgumentKind::Scalar, ArgumentKind::Input(buffer), ArgumentKind::Output(buffer)];
        let arguments = (0..self.below(4))
            .map(|number| Argument {
                name: self.name(),
                ty: self.ty(),
                kind: kinds[number as usize % 3],
                constraints: if number % 3 == 0 { Vec::new() } else { self.constraints() },
                range: match number % 3 {
                    0 => [self.maybe(|random| random.expr(1)), self.maybe(|random| random.expr(1))],
                    _ => [None, None],
                },
            })
            .collect();
        let images = (0..self.below(2))
            .map(|_| Image {
                name: self.name(),
                ty: self.ty(),
                dims: vec![ImageDim { min: -1, extent: 2, stride: 3 }; self.below(3) as usize],
                bytes: (0..self.below(4)).map(|_| self.bits() as u8).collect(),
            })
            .collect();
        Dump {
            release: Release::ALL[self.below(2) as usize],
            target: "host-\"x\"".into(),
            strict_float: self.coin(),
            arguments,
            images,
            block: self.block(4),
        }
    }
}

#[test]
fn random_trees_are_read_back_as_they_were() {
    for seed in 0..2_000 {
        let mut names = Names::new();
        let made = Random { state: seed, names: &mut names }.dump();
        let text = print(&made, &names);
        let found = read(&text, &mut names)
            .unwrap_or_else(|error| panic!("seed {seed}: {error} at {:?}", &text[error.at..]));
        assert_eq!(print(&found, &names), text, "seed {seed}");
        // Apart from places, it is the same tree. The comparison is of texts, in which a NaN equals
        // itself.
        assert_eq!(format!("{:?}", without_places(found)), format!("{:?}", without_places(made)));
    }
}

fn without_places(dump: Dump) -> Dump {
    Dump { block: placeless(dump.block), ..dump }
}

fn placeless(block: Block) -> Block {
    let stmts = block.into_iter().map(|stmt| {
        let kind = match stmt.kind {
            StmtKind::ProducerConsumer { name, role, body } => {
                StmtKind::ProducerConsumer { name, role, body: placeless(body) }
            }
            StmtKind::For { name, min, extent, kind, device, body } => {
                StmtKind::For { name, min, extent, kind, device, body: placeless(body) }
            }
            StmtKind::Acquire { semaphore, count, body } => {
                StmtKind::Acquire { semaphore, count, body: placeless(body) }
            }
            StmtKind::Fork(tasks) => StmtKind::Fork(tasks.into_iter().map(placeless).collect()),
            StmtKind::If { condition, then_branch, else_branch } => StmtKind::If {
                condition,
                then_branch: placeless(then_branch),
                else_branch: else_branch.map(placeless),
            },
            StmtKind::Atomic { producer, mutex, body } => {
                StmtKind::Atomic { producer, mutex, body: placeless(body) }
            }
            StmtKind::Scope(body) => StmtKind::Scope(placeless(body)),
            kind @ (StmtKind::Let { .. }
            | StmtKind::Assert { .. }
            | StmtKind::Store { .. }
            | StmtKind::Provide { .. }
            | StmtKind::Allocate { .. }
            | StmtKind::Free(_)
            | StmtKind::Realize { .. }
            | StmtKind::Evaluate(_)
            | StmtKind::Prefetch { .. }
            | StmtKind::HoistedStorage { .. }) => kind,
        };
        Stmt { at: 0, kind }
    });
    stmts.collect()
}

/// Returns a dump of these statements.
fn dump_of(statements: &str) -> String {
    format!(
        "halidom-dump 1 halide 21.0.0\n(target \"host\")\n(strict-float no)\n(statement\n \
            {statements})\n"
    )
}

#[test]
fn what_is_no_dump_is_refused_where_it_departs() {
    assert!(read(&dump_of("(free \"a\")"), &mut Names::new()).is_ok());
    for (statements, rest) in [
        ("(free \"a\" )", " ))\n"),
        ("(free \"\\x61\")", "\\x61\"))\n"),
        ("(free \"\\xFF\")", "\"\\xFF\"))\n"),
        ("(free \"\")", "))\n"),
        ("(free a)", "a))\n"),
        ("(frobnicate \"a\")", "frobnicate \"a\"))\n"),
        ("(realize \"a\")", "realize \"a\"))\n"),
        ("(provide \"a\" (i32 1))", "provide \"a\" (i32 1)))\n"),
        ("(prefetch \"a\")", "prefetch \"a\"))\n"),
        ("(hoisted_storage \"a\")", "hoisted_storage \"a\"))\n"),
        ("(evaluate (i32 01))", "01)))\n"),
        ("(evaluate (i32 x))", "x)))\n"),
        ("(evaluate (u8 -1))", "-1)))\n"),
        ("(evaluate (f32 1.5))", "1.5)))\n"),
        ("(evaluate (f32 0x3ff0000000000000))", "ff0000000000000)))\n"),
        ("(evaluate (h 0))", "h 0)))\n"),
        ("(evaluate (i32x1 0))", "i32x1 0)))\n"),
        ("(evaluate (var \"a\"))", "\"a\")))\n"),
        ("(evaluate (var ? \"a\"))", "? \"a\")))\n"),
        ("(evaluate (call i32 \"f\" halide 0))", "halide 0)))\n"),
        ("(evaluate (call i32 \"f\" ? 0))", "? 0)))\n"),
        ("(evaluate (quux (i32 1)))", "quux (i32 1))))\n"),
        ("(evaluate (shuffle (reverse) (i32 1)))", "reverse) (i32 1))))\n"),
        ("(for sideways none \"x\" (i32 0) (i32 1))", "sideways none \"x\" (i32 0) (i32 1)))\n"),
        ("(for serial Abacus \"x\" (i32 0) (i32 1))", "Abacus \"x\" (i32 0) (i32 1)))\n"),
        ("(allocate \"a\" i32 Cellar 0 ())", "Cellar 0 ()))\n"),
        ("(if (i32 1))", "))\n"),
    ] {
        let text = dump_of(statements);
        let error = read(&text, &mut Names::new()).unwrap_err();
        assert_eq!(&text[error.at..], rest, "{statements}: {error}");
    }
    for text in
        ["", "halidom-dump 2 halide 21.0.0\n", "halidom-dump 1 halide 22.0.0\n", "let x = 1\n"]
    {
        assert_eq!(read(text, &mut Names::new()).unwrap_err().at, 0);
    }
}

#[test]
fn no_text_makes_the_reader_panic() {
    let mut names = Names::new();
    let text = {
        let made = Random { state: 77, names: &mut names }.dump();
        print(&made, &names)
    };
    let mut random = Random { state: 1, names: &mut names };
    let mut changes = Vec::new();
    for _ in 0..3_000 {
        let at = random.below(text.len() as u64) as usize;
        let byte = b" ()\"\\x0a1-\xFF\n"[random.below(12) as usize];
        changes.push((at, byte, random.coin()));
    }
    for (at, byte, cut) in changes {
        let mut bytes = text.clone().into_bytes();
        if cut {
            bytes.truncate(at);
        } else {
            bytes[at] = byte;
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut names = Names::new();
        match read(&text, &mut names) {
            // The last line break may be missing.
            Ok(found) => {
                assert_eq!(print(&found, &names), format!("{}\n", text.trim_end_matches('\n')));
            }
            Err(error) => assert!(error.at <= text.len()),
        }
    }
}

#[test]
fn deep_dumps_are_read_and_deeper_ones_refused() {
    let nested = |depth: usize| {
        let open = "(! ".repeat(depth);
        dump_of(&format!("(evaluate {open}(u1 1){})", ")".repeat(depth)))
    };
    assert!(read(&nested(dump::DEPTH - 2), &mut Names::new()).is_ok());
    let error = read(&nested(100_000), &mut Names::new()).unwrap_err();
    assert_eq!(error.what, format!("a dump is nested at most {} deep", dump::DEPTH));
}
