//! Parses algorithms and programs.

use std::num::NonZeroU32;

use super::{Parser, Result, token::Token};
use crate::{
    Algorithm, BufferDecl, BufferId, BufferKind, Check, Deal, Dim, ExprId, FuncDecl, FuncId,
    FuncKind, Interval, Label, LoopKind, Output, Partition, Program, Prophecy, ReductionVar,
    Require, Scalar, Stage, Stmt, StmtId, StoreIn, Type,
};

type Exprs = Box<[ExprId]>;

impl Parser {
    pub(super) fn algorithm(&mut self) -> Result<Algorithm> {
        self.word("algorithm")?;
        let name = self.name()?;
        let fast_math = self.eat_word("fast_math");
        self.sign("{")?;
        let mut algorithm = Algorithm {
            name,
            params: vec![],
            inputs: vec![],
            funcs: vec![],
            outputs: vec![],
            requires: vec![],
            fast_math,
        };
        while !self.eat("}") {
            if self.eat_word("param") {
                let error = self.error("a name that is not declared yet");
                let name = self.name()?;
                self.sign(":")?;
                let ty = self.ty()?;
                algorithm.params.push(self.declare_named(name, ty, &error)?);
                self.sign(";")?;
            } else if self.eat_word("input") {
                algorithm.inputs.push(self.input()?);
            } else if self.eat_word("require") {
                let condition = self.expr()?;
                self.sign(",")?;
                let message = self.text()?;
                self.sign(";")?;
                algorithm.requires.push(Require { condition, message });
            } else if self.eat_word("output") {
                algorithm.outputs.push(self.func()?);
                while self.eat(",") {
                    algorithm.outputs.push(self.func()?);
                }
                self.sign(";")?;
            } else {
                let synthetic = self.eat_word("synthetic");
                self.word("func")?;
                algorithm.funcs.push(self.definition(synthetic)?);
            }
        }
        Ok(algorithm)
    }

    /// Reads `name(args): type` or `name(args): (type, …)`. The func's kind is a placeholder,
    /// replaced later.
    fn signature(&mut self) -> Result<FuncId> {
        let error = self.error("a func name that is not declared yet");
        let name = self.name()?;
        if self.funcs.contains_key(&name) {
            return Err(error);
        }
        let args = self.parenthesised(|parser| parser.declare(Type::INT))?;
        self.sign(":")?;
        let scalars =
            if self.at("(") { self.parenthesised(Self::scalar)? } else { vec![self.scalar()?] };
        if scalars.is_empty() {
            return Err(self.error("a scalar type"));
        }
        let kind = FuncKind::Defined { stages: vec![], synthetic: false };
        let func = self.pool.declare_func(FuncDecl { name: name.clone(), scalars, args, kind });
        self.funcs.insert(name, func);
        Ok(func)
    }

    fn input(&mut self) -> Result<FuncId> {
        let func = self.signature()?;
        self.word("in")?;
        let scalar = self.pool.func(func).scalar(0);
        let buffer = self.buffer(func, scalar, BufferKind::Input, true)?;
        self.sign(";")?;
        self.pool.define_func(func, FuncKind::Input { buffer });
        Ok(func)
    }

    /// Reads `name [min, extent, stride]…`. If `declares` is true, unknown names in dims are
    /// declared here.
    fn buffer(
        &mut self,
        func: FuncId,
        scalar: Scalar,
        kind: BufferKind,
        declares: bool,
    ) -> Result<BufferId> {
        let error = self.error("a buffer name that is not declared yet");
        let printed = self.name()?;
        let dims = self.dims(declares)?;
        self.declare_buffer(&printed, (func, 0), scalar, (kind, StoreIn::Auto, false), dims, &error)
    }

    fn declare_buffer(
        &mut self,
        printed: &str,
        (func, component): (FuncId, usize),
        scalar: Scalar,
        (kind, store_in, realigned): (BufferKind, StoreIn, bool),
        dims: Vec<Dim>,
        error: &super::ParseError,
    ) -> Result<BufferId> {
        if self.buffers.contains_key(printed) {
            return Err(error.clone());
        }
        let buffer = self.pool.declare_buffer(BufferDecl {
            name: printed.to_owned(),
            scalar,
            func,
            component,
            kind,
            store_in,
            realigned,
            dims,
        });
        self.buffers.insert(printed.to_owned(), buffer);
        Ok(buffer)
    }

    fn dims(&mut self, declares: bool) -> Result<Vec<Dim>> {
        let mut dims = Vec::new();
        loop {
            let folded = self.eat_word("fold");
            if folded {
                self.sign("[")?;
            } else if !self.eat("[") {
                break;
            }
            let min = self.dim_part(declares)?;
            self.sign(",")?;
            let extent = self.dim_part(declares)?;
            self.sign(",")?;
            let stride = self.dim_part(declares)?;
            self.sign("]")?;
            dims.push(Dim { min, extent, stride, folded });
        }
        Ok(dims)
    }

    fn dim_part(&mut self, declares: bool) -> Result<ExprId> {
        if let (true, Token::Name(name)) = (declares, self.peek())
            && !self.vars.contains_key(name)
        {
            let var = self.declare(Type::INT)?;
            return Ok(self.pool.var_expr(var));
        }
        self.expr()
    }

    fn definition(&mut self, synthetic: bool) -> Result<FuncId> {
        let func = self.signature()?;
        self.sign("{")?;
        let mut stages = Vec::new();
        while !self.eat("}") {
            let mut domain = Vec::new();
            while self.eat_word("for") {
                let var = self.declare(Type::INT)?;
                self.word("in")?;
                let Interval { min, extent } = self.interval()?;
                domain.push(ReductionVar { var, min, extent });
            }
            let predicate = if self.eat_word("if") { Some(self.expr()?) } else { None };
            self.word("stage")?;
            let lhs = self.exprs()?;
            self.sign("=")?;
            let values = self.values(func)?;
            self.sign(";")?;
            stages.push(Stage { domain, predicate, lhs, values });
        }
        self.pool.define_func(func, FuncKind::Defined { stages, synthetic });
        Ok(func)
    }

    /// Reads one value, or the values of a tuple in parentheses.
    fn values(&mut self, func: FuncId) -> Result<Vec<ExprId>> {
        if self.pool.func(func).scalars.len() == 1 { Ok(vec![self.expr()?]) } else { self.exprs() }
    }

    fn interval(&mut self) -> Result<Interval> {
        self.sign("[")?;
        let min = self.expr()?;
        self.sign(",")?;
        let extent = self.expr()?;
        self.sign("]")?;
        Ok(Interval { min, extent })
    }

    pub(super) fn program(&mut self, algorithm: &Algorithm) -> Result<Program> {
        self.word("program")?;
        let name = self.name()?;
        self.sign("{")?;
        let mut outputs = Vec::new();
        // A func may be named `output`. A write to it has a bracket after the name.
        while self.at_word("output") && matches!(self.peek_second(), Token::Name(_)) {
            self.advance();
            let func = self.func()?;
            self.word("in")?;
            let error = self.error("a buffer name that is not declared yet");
            let mut names = vec![self.name()?];
            while self.eat(",") {
                names.push(self.name()?);
            }
            let scalars = self.pool.func(func).scalars.clone();
            if names.len() != scalars.len() {
                return Err(self.error("a buffer for each component"));
            }
            let dims = self.dims(true)?;
            let streams = self.eat_word(StoreIn::Stream.name());
            let store_in = if streams { StoreIn::Stream } else { StoreIn::Auto };
            let mut buffers = Vec::new();
            for (component, (name, scalar)) in names.iter().zip(scalars).enumerate() {
                let place = (BufferKind::Output, store_in, false);
                let whose = (func, component);
                buffers.push(self.declare_buffer(
                    name,
                    whose,
                    scalar,
                    place,
                    dims.clone(),
                    &error,
                )?);
            }
            self.word("window")?;
            let mut window = Vec::new();
            while self.eat("[") {
                let min = self.declare(Type::INT)?;
                self.sign(",")?;
                window.push((min, self.declare(Type::INT)?));
                self.sign("]")?;
            }
            self.sign(";")?;
            outputs.push(Output { func, buffers, window });
        }
        let body = self.sequence()?;
        let mut inputs = Vec::new();
        for input in &algorithm.inputs {
            match self.pool.func(*input).kind {
                FuncKind::Input { buffer } => inputs.push(buffer),
                FuncKind::Defined { .. } => return Err(self.error("inputs of kind input")),
            }
        }
        Ok(Program { name, params: algorithm.params.clone(), inputs, outputs, body })
    }

    /// Reads statements up to and including the closing brace.
    fn sequence(&mut self) -> Result<StmtId> {
        self.nested(Self::statements)
    }

    fn statements(&mut self) -> Result<StmtId> {
        let mut stmts = Vec::new();
        while !self.eat("}") {
            if self.eat_word("let") {
                let error = self.error("a name that is not declared yet");
                let name = self.name()?;
                self.sign(":")?;
                let ty = self.ty()?;
                self.sign("=")?;
                let value = self.expr()?;
                self.sign(";")?;
                let var = self.declare_named(name, ty, &error)?;
                let body = self.sequence()?;
                stmts.push(self.pool.stmt(Stmt::Let { var, value, body }));
                break;
            }
            if self.eat_word("allocate") {
                let error = self.error("a buffer name that is not declared yet");
                let printed = self.name()?;
                self.sign(":")?;
                let scalar = self.scalar()?;
                self.word("for")?;
                let holds = self.error("a func, with a component where it has several");
                let component = self.name()?;
                let component = self.component(&component).ok_or(holds)?;
                let dims = self.dims(false)?;
                let store_in = if self.eat_word("in") {
                    let error = self.error("`heap`, `stack`, `register` or a buffer");
                    let name = self.name()?;
                    let mut places = StoreIn::ALL.into_iter();
                    let own = |place: &StoreIn| *place != StoreIn::Stream && place.name() == name;
                    let named = places.find(own);
                    let within = self.buffers.get(&name).copied().map(StoreIn::Within);
                    named.or(within).ok_or(error)?
                } else {
                    StoreIn::Auto
                };
                let realigned = self.eat_word("realigned");
                self.sign(";")?;
                let buffer = self.declare_buffer(
                    &printed,
                    component,
                    scalar,
                    (BufferKind::Internal, store_in, realigned),
                    dims,
                    &error,
                )?;
                let body = self.sequence()?;
                stmts.push(self.pool.stmt(Stmt::Allocate { buffer, body }));
                break;
            }
            let stmt = self.simple()?;
            stmts.push(stmt);
        }
        Ok(if let [single] = stmts.as_slice() {
            *single
        } else {
            self.pool.stmt(Stmt::Block(stmts))
        })
    }

    /// Reads a statement that does not bind anything for the statements after it.
    fn simple(&mut self) -> Result<StmtId> {
        let kind = LoopKind::ALL.into_iter().find(|kind| self.at_word(kind.keyword()));
        let stmt = if let Some(kind) = kind {
            self.advance();
            let kind = match kind {
                LoopKind::Parallel(_) if self.eat("(") => LoopKind::Parallel(self.deal()?),
                LoopKind::Parallel(_)
                | LoopKind::Serial
                | LoopKind::Vectorized
                | LoopKind::Unrolled
                | LoopKind::GpuBlocks
                | LoopKind::GpuThreads => kind,
            };
            let var = self.declare(Type::INT)?;
            self.word("in")?;
            let Interval { min, extent } = self.interval()?;
            Stmt::For { var, min, extent, kind, body: self.braces()? }
        } else if self.eat("{") {
            return self.sequence();
        } else if self.eat_word("if") {
            let condition = self.expr()?;
            let then_branch = self.braces()?;
            let else_branch = if self.eat_word("else") { Some(self.braces()?) } else { None };
            Stmt::If { condition, then_branch, else_branch }
        } else if self.eat_word("assert") {
            let condition = self.expr()?;
            self.sign(",")?;
            let check = self.check()?;
            self.sign(";")?;
            Stmt::Assert { condition, check }
        } else if self.eat_word("func") {
            let func = self.func()?;
            let mut needed = Vec::new();
            while self.at("[") {
                needed.push(self.interval()?);
            }
            Stmt::Labeled { label: Label::Func { func, needed }, body: self.braces()? }
        } else if self.eat_word("stage") {
            let func = self.func()?;
            self.sign(",")?;
            let stage = self.index()?;
            self.sign(",")?;
            let specialization = self.index()?;
            Stmt::Labeled {
                label: Label::Stage { func, stage, specialization },
                body: self.braces()?,
            }
        } else if self.eat_word("partition") {
            let policy = Partition::ALL.into_iter().find(|policy| self.eat_word(policy.name()));
            let Some(policy) = policy else {
                return Err(self.error("`auto`, `always` or `never`"));
            };
            Stmt::Labeled { label: Label::Partition(policy), body: self.braces()? }
        } else if self.eat_word("ahead") {
            let func = self.func()?;
            self.sign(",")?;
            let error = self.error("a number of iterations");
            let by = u32::try_from(self.index()?).map_err(|_| error)?;
            Stmt::Labeled { label: Label::Ahead { func, by }, body: self.braces()? }
        } else if self.eat_word("prefetch") {
            let error = self.error("a buffer");
            let name = self.name()?;
            let buffer = self.buffers.get(&name).copied().ok_or(error)?;
            self.sign("[")?;
            let index = self.expr()?;
            self.sign("]")?;
            Stmt::Labeled { label: Label::Prefetch { buffer, index }, body: self.braces()? }
        } else {
            self.assignment()?
        };
        Ok(self.pool.stmt(stmt))
    }

    /// Reads the rest of the parentheses after `parallel`.
    fn deal(&mut self) -> Result<Deal> {
        let deal = if self.eat_word("static") {
            Deal::STATIC
        } else if self.eat_word("dynamic") {
            Deal::DYNAMIC
        } else {
            return Err(self.error("`static` or `dynamic`"));
        };
        if self.eat(")") {
            return Ok(deal);
        }
        self.sign(",")?;
        let error = self.error("a number of iterations");
        let chunk = u32::try_from(self.index()?).ok().filter(|chunk| *chunk <= Deal::MOST);
        let chunk = chunk.and_then(NonZeroU32::new).ok_or(error)?;
        self.sign(")")?;
        Ok(deal.with_chunk(chunk))
    }

    fn braces(&mut self) -> Result<StmtId> {
        self.sign("{")?;
        self.sequence()
    }

    fn assignment(&mut self) -> Result<Stmt> {
        let atomic = self.eat_word("atomic");
        let error = self.error("a statement");
        let name = self.name()?;
        if self.at("(") {
            let func = self.funcs.get(&name).copied().ok_or(error)?;
            let (coords, stage, point) = self.claim()?;
            self.sign("=")?;
            let values = self.values(func)?.into();
            self.sign(";")?;
            return Ok(Stmt::Provide { func, stage, coords, point, values, atomic });
        }
        let buffer = self.buffers.get(&name).copied().ok_or(error)?;
        self.sign("[")?;
        let index = self.expr()?;
        let prophecy = if self.eat("@") {
            let func = self.func()?;
            let (coords, stage, point) = self.claim()?;
            Some(Prophecy { func, stage, coords, point })
        } else {
            None
        };
        self.sign("]")?;
        self.sign("=")?;
        let value = self.expr()?;
        self.sign(";")?;
        Ok(Stmt::Store { buffer, index, value, prophecy, atomic })
    }

    /// Reads `(coords) stage n [point(values)]`.
    fn claim(&mut self) -> Result<(Exprs, usize, Exprs)> {
        let coords = self.exprs()?;
        self.word("stage")?;
        let stage = self.index()?;
        let point = if self.eat_word("point") { self.exprs()? } else { vec![] };
        Ok((coords.into(), stage, point.into()))
    }

    fn check(&mut self) -> Result<Check> {
        let error = self.error("a kind of check");
        let kind = self.name()?;
        Ok(match kind.as_str() {
            "input_region" | "output_region" => {
                let func = self.func()?;
                self.sign(",")?;
                let dim = self.index()?;
                self.sign(",")?;
                let needed = self.interval()?;
                self.word("within")?;
                let given = self.interval()?;
                if kind == "input_region" {
                    Check::InputRegion { input: func, dim, needed, given }
                } else {
                    Check::OutputRegion { output: func, dim, needed, given }
                }
            }
            "require" => Check::Require { message: self.text()? },
            "domain_extent" => {
                let func = self.func()?;
                self.sign(",")?;
                let stage = self.index()?;
                self.sign(",")?;
                Check::DomainExtent { func, stage, variable: self.index()? }
            }
            "split_factor" => {
                let func = self.func()?;
                self.sign(",")?;
                Check::SplitFactor { func, variable: self.text()? }
            }
            "bound" => {
                let func = self.func()?;
                self.sign(",")?;
                Check::Bound { func, dim: self.index()? }
            }
            "size_limit" => Check::SizeLimit { what: self.text()? },
            "layout" => Check::Layout { func: self.func()? },
            _ => return Err(error),
        })
    }
}
