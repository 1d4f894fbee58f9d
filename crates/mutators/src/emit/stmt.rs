//! Reads statements in emitted C as statements of the IR.
//!
//! An operand that is a statement stands for itself in the text. An operand that is an expression
//! is computed either where it was printed, under a name (`print_expr`), or where its text stands
//! (`PrintExpr`).
//!
//! # Correctness
//!
//! The C text becomes a statement of the IR that does the same. That statement is compared with the
//! input like any mutator's result. A C name is visible to the end of its braces; a text that uses
//! it elsewhere is not read. A pragma that makes a loop parallel has no meaning, but must stand
//! before the loop. An operand's text directly after `if` is assumed to be wholly in parentheses. A
//! buffer without a cast has the type of the stored value. The end of a loop is assumed to fit an
//! `int`.

use halidom_rewrites::rules::Fun;

use crate::emit::expr::Reader;
use crate::emit::print::plain;
use crate::emit::text::{Token, tokens};
use crate::ir::kinds::{Code, I32, Kind, Role, Type};
use crate::ir::layout::has_last;
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::State;
use crate::ir::value::{Num, Piece, Val};
use crate::machine::run::{Machine, Paths};

impl Machine<'_> {
    /// Reads the statement that an emitter wrote.
    pub(crate) fn emitted_stmt(&mut self, value: &Val, state: State, line: usize) -> Paths<Val> {
        let mut state = state;
        let Val::Rope(rope) = value else {
            return self.unsupported(state, "an emitter that wrote no statement", line);
        };
        let text = || format!("the C text {}", plain(rope));
        let Some(tokens) = tokens(rope) else { return self.unsupported(state, text(), line) };
        let declared = tokens.iter().filter_map(|token| match token {
            Token::Eval(_, variable) => Some(*variable),
            _ => None,
        });
        let declared = declared.collect();
        let mut reader = Reader::new(self, &tokens, declared, line);
        let stmt = reader.sequence(&mut state).filter(|_| reader.is_done());
        match stmt {
            Some(stmt) => vec![(state, Val::Expr(Some(stmt)))],
            None => self.unsupported(state, text(), line),
        }
    }

    /// Marks that an operand is computed here, under a name. Returns the mark for the stream and
    /// the text that stands for the operand.
    pub(crate) fn computed_here(&mut self, node: NodeId, state: &mut State) -> (Piece, Piece) {
        let name = self.fresh_node_name(state);
        let variable = Self::variable(state.node(node).ty, name, state);
        (Piece::Eval(node, variable), Piece::Node(variable))
    }

    /// Makes a node from members by name; the others get the defaults of `make`.
    fn stmt_of(&mut self, kind: Kind, members: &[(&str, NodeId)], state: &mut State) -> NodeId {
        let mut fields = Vec::new();
        for (name, role) in kind.fields() {
            let given = members.iter().find(|(known, _)| known == name).map(|(_, node)| *node);
            let field = match (given, role) {
                (Some(node), _) => Field::Expr(node),
                (None, Role::Opaque) => Field::Opaque(0),
                (None, Role::Exprs | Role::Stmts) => Field::Expr(state.list(&[])),
                (None, Role::Predicate | Role::Truth) => Field::Expr(self.truth_of(true, state)),
                (None, Role::OptionalStmt | Role::Stmt) => Field::Expr(nothing(state)),
                (None, _) => {
                    let zero = self.number(0, 32, true);
                    Field::Expr(self.literal(I32, zero, state))
                }
            };
            fields.push(field);
        }
        state.add(Type::STMT, None, Some(Shape { kind, fields }))
    }

    pub(super) fn truth_of(&mut self, truth: bool, state: &mut State) -> NodeId {
        let number = self.number(truth.into(), 32, true);
        self.literal(Type::BOOL, number, state)
    }
}

/// Returns the absent statement.
fn nothing(state: &mut State) -> NodeId {
    state.add(Type::STMT, None, Some(Shape { kind: Kind::Undefined, fields: Vec::new() }))
}

/// The function that tries to acquire a semaphore.
const ACQUIRE: &str = "halide_semaphore_try_acquire";

impl Reader<'_, '_> {
    /// Reads statements to the end of the braces or of the text. A declaration is visible in the
    /// statements after it.
    fn sequence(&mut self, state: &mut State) -> Option<NodeId> {
        let Some(token) = self.peek().cloned() else { return Some(nothing(state)) };
        match token {
            Token::Sign(sign) if sign == "}" => Some(nothing(state)),
            Token::Eval(node, variable) => {
                self.at += 1;
                self.visible.push(variable);
                let body = self.sequence(state)?;
                let name = Machine::name_of(&Val::Expr(Some(variable)), state)?;
                let members = [("name", name), ("value", node), ("body", body)];
                Some(self.machine.stmt_of(Kind::LetStmt, &members, state))
            }
            Token::Type(_) => {
                let ty = self.type_name()?;
                let name = self.name()?;
                if !self.take_sign("=") {
                    return None;
                }
                let value = self.value_of(ty, state)?;
                self.expect(";")?;
                let body = self.sequence(state)?;
                let members = [("name", name), ("value", value), ("body", body)];
                Some(self.machine.stmt_of(Kind::LetStmt, &members, state))
            }
            Token::Word(word) if ["assert", "CHECK"].contains(&word.as_str()) => {
                self.at += 1;
                let condition = self.in_parentheses(state)?;
                while self.take_sign("<<") {
                    self.take(&Token::Quoted)?;
                }
                self.expect(";")?;
                let rest = self.sequence(state)?;
                Some(self.asserted(condition, None, rest, state))
            }
            Token::Word(word) if word == "break" => {
                self.at += 1;
                self.expect(";")?;
                let _ = self.sequence(state)?;
                Some(self.machine.stmt_of(Kind::Break, &[], state))
            }
            Token::Word(word) if word == "return" => {
                self.at += 1;
                let message = self.expr(state)?;
                self.expect(";")?;
                let rest = self.sequence(state)?;
                // In compilers of Halide's family, a function returns early only where an assert
                // fails.
                if self.machine.profile.name == "heterocl" {
                    return Some(self.machine.stmt_of(Kind::Return, &[("value", message)], state));
                }
                let never = self.machine.truth_of(false, state);
                Some(self.asserted(never, Some(message), rest, state))
            }
            Token::Word(word)
                if word == "while"
                    && self.tokens.get(self.at + 2) == Some(&Token::Sign("!".to_owned())) =>
            {
                self.acquire(state)
            }
            _ => {
                let first = self.stmt(state)?;
                let rest = self.sequence(state)?;
                let members = [("first", first), ("rest", rest)];
                Some(self.machine.stmt_of(Kind::Block, &members, state))
            }
        }
    }

    /// Makes an assert before the other statements: if the condition does not hold, nothing after
    /// it happens.
    fn asserted(
        &mut self,
        condition: NodeId,
        message: Option<NodeId>,
        rest: NodeId,
        state: &mut State,
    ) -> NodeId {
        let kind = Kind::AssertStmt;
        let has_body = crate::ir::layout::parameters(kind, self.machine.profile.name)
            .is_some_and(|members| members.contains(&"body"));
        let mut members = vec![("condition", condition)];
        members.extend(message.map(|message| ("message", message)));
        if has_body {
            members.push(("body", rest));
            return self.machine.stmt_of(kind, &members, state);
        }
        let first = self.machine.stmt_of(kind, &members, state);
        self.machine.stmt_of(Kind::Block, &[("first", first), ("rest", rest)], state)
    }

    /// Reads an arm or the body of a loop. A statement of the IR may be several statements of C, of
    /// which only the first would belong to it, so it must stand in braces.
    fn arm(&mut self, state: &mut State) -> Option<NodeId> {
        match self.peek()? {
            Token::Stmt(_) => None,
            _ => self.stmt(state),
        }
    }

    /// Reads a statement that declares nothing for the statements after it.
    fn stmt(&mut self, state: &mut State) -> Option<NodeId> {
        match self.peek()?.clone() {
            Token::Stmt(node) => {
                self.at += 1;
                Some(node)
            }
            Token::Sign(sign) if sign == "{" => self.block(state),
            Token::Word(word) if word == "if" => {
                self.at += 1;
                let condition = match self.peek()? {
                    // These parentheses belong to the operand.
                    Token::Node(_) => {
                        let node = self.operand()?;
                        matches!(self.peek(), Some(Token::Sign(sign)) if sign == "{")
                            .then_some(node)?
                    }
                    _ => self.in_parentheses(state)?,
                };
                let then = self.arm(state)?;
                let mut members = vec![("condition", condition), ("then_case", then)];
                if self.take(&Token::Word("else".to_owned())).is_some() {
                    members.push(("else_case", self.arm(state)?));
                }
                Some(self.machine.stmt_of(Kind::IfThenElse, &members, state))
            }
            Token::Word(word) if word == "for" => self.loop_of(state),
            Token::Word(word) if word == "while" => {
                self.at += 1;
                let condition = self.in_parentheses(state)?;
                let body = self.arm(state)?;
                let members = [("condition", condition), ("body", body)];
                Some(self.machine.stmt_of(Kind::While, &members, state))
            }
            Token::Pragma(text) => {
                self.at += 1;
                self.after_pragma(&text, state)
            }
            // A discarded value: `(void)e;`.
            Token::Sign(sign)
                if sign == "("
                    && self.tokens.get(self.at + 1) == Some(&Token::Word("void".to_owned())) =>
            {
                self.at += 2;
                self.expect(")")?;
                let value = self.expr(state)?;
                self.expect(";")?;
                Some(self.machine.stmt_of(Kind::Evaluate, &[("value", value)], state))
            }
            Token::Name(name)
                if self.tokens.get(self.at + 1) == Some(&Token::Word("_free".to_owned())) =>
            {
                self.at += 2;
                for sign in [".", "free", "(", ")", ";"] {
                    if !self.take_sign(sign) {
                        self.take(&Token::Word(sign.to_owned()))?;
                    }
                }
                Some(self.machine.stmt_of(Kind::Free, &[("name", name)], state))
            }
            Token::Name(name) | Token::Raw(name)
                if self.tokens.get(self.at + 1) == Some(&Token::Sign("(".to_owned())) =>
            {
                self.at += 1;
                let arguments = self.arguments(state)?;
                self.expect(";")?;
                let args = state.list(&arguments);
                let members = [("name", name), ("args", args)];
                Some(self.machine.stmt_of(Kind::KernelStmt, &members, state))
            }
            Token::Name(name)
                if self.tokens.get(self.at + 2) == Some(&Token::Word("write".to_owned())) =>
            {
                self.at += 1;
                self.expect(".")?;
                self.at += 1;
                let arguments = self.arguments(state)?;
                let [value] = arguments.as_slice() else { return None };
                self.expect(";")?;
                let members = [("name", name), ("value", *value)];
                Some(self.machine.stmt_of(Kind::StreamStmt, &members, state))
            }
            Token::Name(_) | Token::Sign(_) => self.store(state),
            _ => None,
        }
    }

    /// Reads a block: `{ … }`.
    fn block(&mut self, state: &mut State) -> Option<NodeId> {
        self.expect("{")?;
        let outside = self.visible.len();
        let stmt = self.sequence(state)?;
        self.expect("}")?;
        self.visible.truncate(outside);
        Some(stmt)
    }

    /// Reads a store: `b[i] = e;`, `((T *)b)[i] = e;`.
    fn store(&mut self, state: &mut State) -> Option<NodeId> {
        let mut cast = None;
        let name = if self.take_sign("(") {
            self.expect("(")?;
            cast = Some(self.type_name()?);
            self.expect("*")?;
            self.expect(")")?;
            let name = self.name()?;
            self.expect(")")?;
            name
        } else {
            self.name()?
        };
        let index = if self.take_sign("[") {
            let index = self.expr(state)?;
            self.expect("]")?;
            index
        } else {
            let zero = self.machine.number(0, 32, true);
            self.machine.literal(I32, zero, state)
        };
        self.expect("=")?;
        let value = match cast {
            Some(ty) => self.value_of(ty, state)?,
            None => self.expr(state)?,
        };
        self.expect(";")?;
        let members = [("name", name), ("value", value), ("index", index)];
        Some(self.machine.stmt_of(Kind::Store, &members, state))
    }

    /// Reads a loop: `for (int i = a; i < a + n; i++) …`, or from 0 to `n`.
    fn loop_of(&mut self, state: &mut State) -> Option<NodeId> {
        self.at += 1;
        self.expect("(")?;
        (self.type_name()? == I32).then_some(())?;
        let name = self.name()?;
        self.expect("=")?;
        let begin = self.at;
        let min = self.expr(state)?;
        let begin = &self.tokens[begin..self.at];
        self.expect(";")?;
        self.same_name(name)?;
        self.expect("<")?;
        let extent = if matches!(begin, [Token::Number(0, _)]) {
            self.expr(state)?
        } else if let ([Token::Node(_)], Some(extent)) = (begin, self.distance(begin)) {
            extent
        } else {
            // The extent is the distance between the end and the beginning.
            let end = self.expr(state)?;
            let [first, last] = [min, end].map(|node| self.machine.c_value(node, state));
            let (Val::Int(first), Val::Int(last)) = (first?, last?) else { return None };
            // Otherwise the variable would be converted before it is compared.
            let is_int = |num: &Num| num.is_signed && num.bits <= 32;
            if !is_int(&first) || !is_int(&last) {
                return None;
            }
            let term = self.machine.values.apply(Fun::Sub, &[last.term, first.term]);
            let (low, high) = Num::range(32, true);
            let number = Num { term, bits: 32, is_signed: true, low, high, remainder_of: None };
            self.machine.as_literal(I32, Val::Int(number), state)?
        };
        self.expect(";")?;
        if state.node(extent).ty != I32 {
            return None;
        }
        if self.take_sign("++") {
            self.same_name(name)?;
        } else {
            self.same_name(name)?;
            self.expect("++")?;
        }
        self.expect(")")?;
        let body = self.arm(state)?;
        let extent = if has_last(self.machine.profile.name) {
            let one = self.machine.number(1, 32, true);
            let one = self.machine.literal(I32, one, state);
            let mut binary = |kind, a, b| {
                let shape = Shape { kind, fields: vec![Field::Expr(a), Field::Expr(b)] };
                state.add(I32, None, Some(shape))
            };
            let end = binary(Kind::Add, min, extent);
            binary(Kind::Sub, end, one)
        } else {
            extent
        };
        let members = [("name", name), ("min", min), ("extent", extent), ("body", body)];
        Some(self.machine.stmt_of(Kind::For, &members, state))
    }

    /// Reads the operand that is added to a loop's beginning: the `n` of `a + n`.
    fn distance(&mut self, begin: &[Token]) -> Option<NodeId> {
        let rest = self.tokens[self.at..].strip_prefix(begin)?;
        let [Token::Sign(plus), Token::Node(_), Token::Sign(end), ..] = rest else { return None };
        if plus != "+" || end != ";" {
            return None;
        }
        self.at += begin.len() + 1;
        self.operand()
    }

    /// Reads the statement after a pragma. Two tasks run at once.
    fn after_pragma(&mut self, text: &str, state: &mut State) -> Option<NodeId> {
        match text {
            "omp parallel for" if self.peek() == Some(&Token::Word("for".to_owned())) => {
                self.loop_of(state)
            }
            // One of several threads makes two tasks, and waits for both.
            "omp parallel" => {
                let task = Token::Pragma("omp task".to_owned());
                self.expect("{")?;
                self.take(&Token::Pragma("omp single".to_owned()))?;
                self.expect("{")?;
                self.take(&task)?;
                let first = self.block(state)?;
                self.take(&task)?;
                let rest = self.block(state)?;
                self.take(&Token::Pragma("omp taskwait".to_owned()))?;
                self.expect("}")?;
                self.expect("}")?;
                let members = [("first", first), ("rest", rest)];
                Some(self.machine.stmt_of(Kind::Fork, &members, state))
            }
            _ => None,
        }
    }

    /// Reads `while (!halide_semaphore_try_acquire(s, n)) { }` and the statements after it.
    fn acquire(&mut self, state: &mut State) -> Option<NodeId> {
        self.at += 1;
        self.expect("(")?;
        self.expect("!")?;
        self.take(&Token::Word(ACQUIRE.to_owned()))?;
        self.expect("(")?;
        let semaphore = self.expr(state)?;
        self.expect(",")?;
        let count = self.expr(state)?;
        for sign in [")", ")", "{"] {
            self.expect(sign)?;
        }
        self.take(&Token::Pragma("omp taskyield".to_owned()))?;
        self.expect("}")?;
        let body = self.sequence(state)?;
        let members = [("semaphore", semaphore), ("count", count), ("body", body)];
        Some(self.machine.stmt_of(Kind::Acquire, &members, state))
    }

    fn in_parentheses(&mut self, state: &mut State) -> Option<NodeId> {
        self.expect("(")?;
        let node = self.truth_value(state)?;
        self.expect(")")?;
        Some(node)
    }

    /// Reads the arguments of a call: `(a, b)`.
    pub(super) fn arguments(&mut self, state: &mut State) -> Option<Vec<NodeId>> {
        self.expect("(")?;
        let mut arguments = Vec::new();
        while !self.take_sign(")") {
            if !arguments.is_empty() {
                self.expect(",")?;
            }
            arguments.push(self.expr(state)?);
        }
        Some(arguments)
    }

    /// Reads a condition.
    fn truth_value(&mut self, state: &mut State) -> Option<NodeId> {
        let node = self.expr(state)?;
        if state.node(node).ty.is_bool() {
            return Some(node);
        }
        let value = self.machine.c_value(node, state)?;
        let truth = Val::Bool(self.truth(&value)?);
        self.machine.as_literal(Type::BOOL, truth, state)
    }

    /// Reads an expression as a node of the expression's type.
    pub(super) fn expr(&mut self, state: &mut State) -> Option<NodeId> {
        let is_end = |token: Option<&Token>| match token {
            Some(Token::Sign(sign)) => [")", "]", ";", ","].contains(&sign.as_str()),
            _ => token.is_none(),
        };
        if matches!(self.peek(), Some(Token::Node(_))) && is_end(self.tokens.get(self.at + 1)) {
            return self.operand();
        }
        let value = self.conditional(state)?;
        let ty = match &value {
            Val::Bool(_) => Type::BOOL,
            Val::Int(num) => {
                let code = if num.is_signed { Code::Int } else { Code::UInt };
                Type { code, bits: num.bits, is_vector: false }
            }
            Val::Real(_) => Type { code: Code::Float, bits: 32, is_vector: false },
            _ => return None,
        };
        self.machine.as_literal(ty, value, state)
    }

    /// Reads an expression that is assigned to a variable or element of a type.
    fn value_of(&mut self, ty: Type, state: &mut State) -> Option<NodeId> {
        let node = self.expr(state)?;
        if state.node(node).ty == ty {
            return Some(node);
        }
        let value = self.machine.c_value(node, state)?;
        self.machine.as_literal(ty, value, state)
    }

    /// Reads an operand's text. The operand's variable must be declared before, in these braces or
    /// in enclosing ones.
    pub(super) fn operand(&mut self) -> Option<NodeId> {
        let Some(Token::Node(node)) = self.peek() else { return None };
        let node = *node;
        self.at += 1;
        (self.visible.contains(&node) || !self.declared.contains(&node)).then_some(node)
    }

    pub(super) fn name(&mut self) -> Option<NodeId> {
        let Some(Token::Name(name)) = self.peek() else { return None };
        let name = *name;
        self.at += 1;
        Some(name)
    }

    fn same_name(&mut self, name: NodeId) -> Option<()> {
        (self.name()? == name).then_some(())
    }

    pub(super) fn take(&mut self, token: &Token) -> Option<()> {
        (self.peek() == Some(token)).then(|| self.at += 1)
    }

    pub(super) fn expect(&mut self, sign: &str) -> Option<()> {
        self.take_sign(sign).then_some(())
    }
}
