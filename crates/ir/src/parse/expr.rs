//! Parses expressions by precedence climbing.

use super::{Parser, Result, token::Token};
use crate::{
    Access, BinaryOp, Expr, ExprId, FunctionDecl, HoleDecl, HoleKind, HolePart, Intrinsic,
    Overflow, Real, Scalar, UnaryOp, print::infix,
};

/// The operators that have a sign. Their overflow convention is filled in from the operands.
const INFIX: [BinaryOp; 16] = [
    BinaryOp::Mul(Overflow::Wraps),
    BinaryOp::Div,
    BinaryOp::Mod,
    BinaryOp::Add(Overflow::Wraps),
    BinaryOp::Sub(Overflow::Wraps),
    BinaryOp::Shl,
    BinaryOp::Shr,
    BinaryOp::Lt,
    BinaryOp::Le,
    BinaryOp::Gt,
    BinaryOp::Ge,
    BinaryOp::Eq,
    BinaryOp::Ne,
    BinaryOp::And,
    BinaryOp::Xor,
    BinaryOp::Or,
];

impl Parser {
    pub(super) fn expr(&mut self) -> Result<ExprId> {
        self.binary(0)
    }

    fn binary(&mut self, strength: u8) -> Result<ExprId> {
        let mut lhs = self.nested(Self::operand)?;
        let mut links = 0;
        while let Some((op, absent, own)) = self.infix()
            && own > strength
        {
            self.shallow(links)?;
            links += 1;
            self.advance();
            let rhs = self.binary(own)?;
            let overflow =
                if absent { Overflow::AssumedAbsent } else { self.pool.overflow_of(lhs) };
            lhs = self.pool.binary(op.with_overflow(overflow), lhs, rhs);
        }
        Ok(lhs)
    }

    fn infix(&self) -> Option<(BinaryOp, bool, u8)> {
        let Token::Sign(sign) = self.peek() else { return None };
        let (plain, absent) = match *sign {
            "+!" => ("+", true),
            "-!" => ("-", true),
            "*!" => ("*", true),
            other => (other, false),
        };
        INFIX.into_iter().find_map(|op| {
            infix(op).filter(|(sign, _)| *sign == plain).map(|(_, own)| (op, absent, own))
        })
    }

    fn operand(&mut self) -> Result<ExprId> {
        match self.peek().clone() {
            Token::Constant(constant) => {
                self.advance();
                Ok(self.pool.constant(constant))
            }
            Token::Sign("(") => {
                self.advance();
                let inner = self.expr()?;
                self.sign(")")?;
                Ok(inner)
            }
            Token::Sign("!") => {
                self.advance();
                let operand = self.nested(Self::operand)?;
                Ok(self.pool.unary(UnaryOp::Not, operand))
            }
            Token::Sign("?") => {
                self.advance();
                self.hole()
            }
            Token::Name(name) => {
                let error = self.error("a declared name");
                self.advance();
                if self.at("(") || (name == "neg" && self.at("!")) {
                    self.call(&name)
                } else if self.eat("[") {
                    let buffer = self.buffers.get(&name).copied().ok_or(error)?;
                    let index = self.expr()?;
                    let access = if self.eat("@") {
                        let func = self.func()?;
                        Some(Access { func, coords: self.exprs()?.into() })
                    } else {
                        None
                    };
                    self.sign("]")?;
                    Ok(self.pool.load(buffer, index, access))
                } else {
                    let var = self.vars.get(&name).copied().ok_or(error)?;
                    Ok(self.pool.var_expr(var))
                }
            }
            Token::Text(_) | Token::Sign(_) | Token::End => Err(self.error("an expression")),
        }
    }

    pub(super) fn exprs(&mut self) -> Result<Vec<ExprId>> {
        self.parenthesised(Self::expr)
    }

    fn call(&mut self, name: &str) -> Result<ExprId> {
        let error = self.error("the operands of this function");
        if let Some((func, component)) = self.component(name) {
            let args = self.exprs()?;
            return Ok(self.pool.func_ref(func, component, args));
        }
        match name {
            "ramp" | "broadcast" => {
                self.sign("(")?;
                let first = self.expr()?;
                self.sign(",")?;
                let second = if name == "ramp" {
                    let stride = self.expr()?;
                    self.sign(",")?;
                    Some(stride)
                } else {
                    None
                };
                let lanes = u32::try_from(self.number()?).map_err(|_| error)?;
                self.sign(")")?;
                let expr = match second {
                    Some(stride) => Expr::Ramp { base: first, stride, lanes },
                    None => Expr::Broadcast { value: first, lanes },
                };
                return Ok(self.pool.expr(expr));
            }
            "shuffle" => return self.shuffle(),
            "apply" => return self.apply(),
            _ => {}
        }
        let absent = self.eat("!");
        let operands = self.exprs()?;
        let scalar = Scalar::from_name(name);
        let intrinsic = Intrinsic::ALL.into_iter().find(|intrinsic| intrinsic.name() == name);
        match (name, operands.as_slice(), scalar, intrinsic) {
            ("neg", [operand], ..) => {
                let overflow =
                    if absent { Overflow::AssumedAbsent } else { self.pool.overflow_of(*operand) };
                Ok(self.pool.unary(UnaryOp::Neg(overflow), *operand))
            }
            ("min", [lhs, rhs], ..) => Ok(self.pool.binary(BinaryOp::Min, *lhs, *rhs)),
            ("max", [lhs, rhs], ..) => Ok(self.pool.binary(BinaryOp::Max, *lhs, *rhs)),
            ("select", [condition, if_true, if_false], ..) => {
                Ok(self.pool.select(*condition, *if_true, *if_false))
            }
            (_, [operand], Some(scalar), _) => Ok(self.pool.expr(Expr::Cast(scalar, *operand))),
            (_, [operand], _, Some(intrinsic)) => Ok(self.pool.call(intrinsic, *operand)),
            _ => Err(error),
        }
    }

    /// Reads a function that is only named, with its operands: `("name": type; operand, …)`, or
    /// `("name": type = real; operand, …)`.
    fn apply(&mut self) -> Result<ExprId> {
        self.sign("(")?;
        let name = self.text()?;
        self.sign(":")?;
        let result = self.scalar()?;
        let real = if self.eat("=") {
            let error = self.error("a function of real numbers");
            Some(Real::from_name(&self.name()?).ok_or(error)?)
        } else {
            None
        };
        self.sign(";")?;
        let mut args = vec![self.expr()?];
        while self.eat(",") {
            args.push(self.expr()?);
        }
        self.sign(")")?;
        let params = args.iter().map(|arg| self.pool.ty(*arg).scalar).collect();
        let decl = FunctionDecl { name, params, result, real };
        let function = self.pool.declare_function(decl);
        Ok(self.pool.apply(function, args))
    }

    /// Reads the operands of a shuffle: `(vector, …; lane, …)`.
    fn shuffle(&mut self) -> Result<ExprId> {
        let error = self.error("the number of a lane");
        self.sign("(")?;
        let mut vectors = vec![self.expr()?];
        while self.eat(",") {
            vectors.push(self.expr()?);
        }
        self.sign(";")?;
        let mut lanes = Vec::new();
        loop {
            lanes.push(u32::try_from(self.number()?).map_err(|_| error.clone())?);
            if !self.eat(",") {
                break;
            }
        }
        self.sign(")")?;
        Ok(self.pool.expr(Expr::Shuffle { vectors: vectors.into(), lanes: lanes.into() }))
    }

    /// Reads a hole after its `?`: `cpu(func, stage, specialization, dim, min|extent)` or
    /// `mem(func, dim, min|extent)`.
    fn hole(&mut self) -> Result<ExprId> {
        let compute = self.eat_word("cpu");
        if !compute {
            self.word("mem")?;
        }
        self.sign("(")?;
        let func = self.func()?;
        self.sign(",")?;
        let kind = if compute {
            let stage = self.index()?;
            self.sign(",")?;
            let specialization = self.index()?;
            self.sign(",")?;
            HoleKind::Compute { stage, specialization }
        } else {
            HoleKind::Allocation
        };
        let dim = self.index()?;
        self.sign(",")?;
        let part = if self.eat_word("extent") { HolePart::Extent } else { HolePart::Min };
        if part == HolePart::Min {
            self.word("min")?;
        }
        self.sign(")")?;
        let hole = self.pool.hole(HoleDecl { func, dim, kind, part });
        Ok(self.pool.expr(Expr::Hole(hole)))
    }
}
