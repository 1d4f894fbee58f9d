//! Nodes with names, statements and lists inside: their members, how they are made, and how
//! mutators treat them by default.

use halidom_cpp::Sign;
use halidom_rewrites::rules::Fun;

use crate::ir::intrinsics::{INTRINSIC, OTHER_CALLS, call_type, called_by};
use crate::ir::kinds::{Code, I32, Kind, Role, Type};
use crate::ir::layout::{self, canonical, has_last, role};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::{NEW, State, Substitution};
use crate::ir::value::{Val, members};
use crate::machine::asserts::operand;
use crate::machine::maps::END;
use crate::machine::methods::PART_OF_TEXT;
use crate::machine::parts::{REDUCTIONS, is_refused_reduction};
use crate::machine::run::{Machine, Outcome, Paths};

/// An entry of the table in which HeteroCL's emitter keeps the lengths of buffers.
const LENGTHS: &str = "buf_length_map_[]";

/// The bit that distinguishes the numbers of members that a mutator makes from those in the input.
const MADE: u32 = 1 << 30;

impl Machine<'_> {
    /// Reads a member of a node of a known kind, whose members are known.
    pub(super) fn own_member(
        &mut self,
        node: NodeId,
        kind: Kind,
        name: &str,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let mut state = state;
        let member = match name {
            "max" if kind == Kind::For && has_last(self.profile.name) => "extent",
            "extent" if kind == Kind::For && has_last(self.profile.name) => "",
            name => canonical(name),
        };
        let index = kind.fields().iter().position(|(known, _)| *known == member);
        let field = index.and_then(|index| state.shape(node)?.fields.get(index).copied());
        let role = index.map(|index| kind.fields()[index].1);
        match (role, field) {
            (Some(Role::OptionalStmt), Some(Field::Expr(inner))) => {
                let (missing, present) = self.is_kind(inner, Kind::Undefined, state);
                let missing = missing.into_iter().map(|state| (state, Val::Expr(None)));
                let present = present.into_iter().map(|state| (state, Val::Expr(Some(inner))));
                missing.chain(present).collect()
            }
            (Some(Role::OptionalExpr), _) => vec![(state, Val::Expr(None))],
            // Loads and stores access buffers of the program, which no image or parameter stands
            // for.
            (Some(Role::Opaque), _) if ["image", "param"].contains(&member) => {
                vec![(state, Val::Expr(None))]
            }
            // In some compilers this member is a variable node, compared by identity, rather than a
            // name.
            (Some(Role::Name), Some(Field::Expr(inner))) if member != name && name != "func" => {
                let ty = Self::bound_type(node, kind, &state);
                let variable = Self::variable(ty, inner, &mut state);
                vec![(state, Val::Expr(Some(variable)))]
            }
            // Nothing is known about a variable's hint, which may be any text.
            _ if kind == Kind::Variable && name == "name_hint" => {
                let hint = match (self.is_concrete(), self.mode.is_emitter()) {
                    (true, _) => Val::Text("v".to_owned()),
                    (false, true) => Val::Handle(PART_OF_TEXT.to_owned()),
                    (false, false) => Val::Handle("a hint".to_owned()),
                };
                vec![(state, hint)]
            }
            (Some(Role::Name), Some(Field::Expr(inner))) => {
                vec![(state, Val::Expr(Some(inner)))]
            }
            _ => match self.field(node, kind, member, &mut state) {
                Some(value) => vec![(state, value)],
                None => self.unsupported(state, format!("{}::{name}", kind.name()), line),
            },
        }
    }

    /// The type of the variable that a node binds or names.
    fn bound_type(node: NodeId, kind: Kind, state: &State) -> Type {
        let value = kind.fields().iter().position(|(name, _)| *name == "value");
        match (kind, value.and_then(|index| state.shape(node)?.fields.get(index).copied())) {
            (Kind::Let | Kind::LetStmt, Some(Field::Expr(value))) => state.node(value).ty,
            (Kind::For, _) => I32,
            _ => Type::HANDLE,
        }
    }

    /// Makes the variable of a name.
    pub(crate) fn variable(ty: Type, name: NodeId, state: &mut State) -> NodeId {
        let shape = Shape { kind: Kind::Variable, fields: vec![Field::Expr(name)] };
        state.add(ty, None, Some(shape))
    }

    /// Makes a name that no node of the input has.
    pub(crate) fn fresh_node_name(&mut self, state: &mut State) -> NodeId {
        let id = NEW | self.fresh();
        state.name(id)
    }

    /// The name that a value is or stands for.
    pub(crate) fn name_of(value: &Val, state: &State) -> Option<NodeId> {
        let (Val::Expr(Some(node)) | Val::Ptr(Some((node, _)))) = value else { return None };
        if state.node(*node).ty == Type::NAME {
            return Some(*node);
        }
        match state.shape(*node) {
            Some(Shape { kind: Kind::Variable, fields }) => match fields.first() {
                Some(Field::Expr(name)) => Some(*name),
                _ => None,
            },
            _ => None,
        }
    }

    /// `K::make(…)` of a kind that has a layout; `None` for other kinds.
    pub(crate) fn make_by_layout(
        &mut self,
        kind: Kind,
        arguments: &[Val],
        state: State,
        line: usize,
    ) -> Option<Paths<Val>> {
        let layouts = layout::layouts(kind, self.profile.name);
        if layouts.is_empty() {
            return None;
        }
        if let (Kind::Block, [Val::List(stmts)]) = (kind, arguments)
            && let Some(made) = self.block_of(stmts, state.clone(), line)
        {
            return Some(made);
        }
        let mut is_undefined = false;
        for layout in &layouts {
            let members = layout.members;
            if arguments.len() > members.len() {
                continue;
            }
            let fits = members
                .iter()
                .enumerate()
                .map(|(index, member)| Self::fit(role(kind, member), arguments.get(index), &state));
            let fits: Vec<Fit> = fits.collect();
            if fits.contains(&Fit::No) {
                continue;
            }
            if fits.contains(&Fit::Undefined) {
                is_undefined = true;
                continue;
            }
            if let Some(outcome) = self.refused_argument(kind, members, arguments) {
                self.end(state, outcome, line);
                return Some(Vec::new());
            }
            return Some(self.make_fitting(kind, members, arguments, state, line));
        }
        if let Some(made) = self.made_of_unknown(kind, &layouts, arguments, &state) {
            return Some(made);
        }
        if is_undefined {
            let what = format!("{}::make of something undefined", kind.name());
            self.end(state, Outcome::Crash(what), line);
            return Some(Vec::new());
        }
        Some(self.unsupported(state, format!("{}::make of these arguments", kind.name()), line))
    }

    /// `op->with(…)`: a node with other operands.
    pub(crate) fn with_operands(
        &mut self,
        node: NodeId,
        kind: Kind,
        operands: &[Val],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let name = kind.name();
        if let (Kind::Call, [arguments]) = (kind, operands) {
            return self.with_arguments(node, arguments, state, line);
        }
        // Trailing operands that are left out stay as they are.
        let is_short =
            |members: &&[&str]| kind == Kind::Allocate && members.len() == operands.len() + 1;
        let Some(members) = layout::replaced(kind)
            .filter(|members| members.len() == operands.len() || is_short(members))
        else {
            return self.unsupported(state, format!("{name}::with of these arguments"), line);
        };
        if let Some(outcome) = self.refused_argument(kind, members, operands) {
            self.end(state, outcome, line);
            return Vec::new();
        }
        let mut fields = state.shape(node).map(|shape| shape.fields.clone()).unwrap_or_default();
        let mut state = state;
        let ty = state.node(node).ty;
        for (member, operand) in members.iter().zip(operands) {
            let role = role(kind, member);
            match Self::fit(role, Some(operand), &state) {
                Fit::Yes => {}
                Fit::Undefined => {
                    let what = format!("{name}::with of something undefined");
                    self.end(state, Outcome::Crash(what), line);
                    return Vec::new();
                }
                Fit::No => {
                    let what = format!("{name}::with of these arguments");
                    return self.unsupported(state, what, line);
                }
            }
            let index = kind.fields().iter().position(|(known, _)| known == member);
            if let Some((role, field)) = role.zip(index.and_then(|index| fields.get_mut(index))) {
                *field = self.made_field(role, Some(operand), &mut state);
            }
        }
        // A load has the lanes of its index.
        let index = operand(kind, "index", &fields).filter(|_| kind == Kind::Load);
        let ty = index.map_or(ty, |index| ty.with_vector(state.node(index).ty.is_vector));
        if let Some(outcome) = self.broken_assert(kind, ty, &fields, &state) {
            self.end(state, outcome, line);
            return Vec::new();
        }
        let made = state.add(ty, None, Some(Shape { kind, fields }));
        vec![(state, Val::Expr(Some(made)))]
    }

    fn fit(role: Option<Role>, argument: Option<&Val>, state: &State) -> Fit {
        let is_optional = matches!(
            role,
            Some(
                Role::OptionalStmt | Role::OptionalExpr | Role::Exprs | Role::Stmts | Role::Opaque
            )
        );
        let Some(argument) = argument else {
            return if is_optional { Fit::Yes } else { Fit::No };
        };
        let code = match argument {
            Val::Expr(Some(node)) | Val::Ptr(Some((node, _))) => Some(state.node(*node).ty.code),
            _ => None,
        };
        let fits = match role {
            None => matches!(argument, Val::Type(_)),
            Some(Role::Name) => {
                Self::name_of(argument, state).is_some() || matches!(argument, Val::Text(_))
            }
            Some(Role::Exprs | Role::Stmts) => {
                let is_node = |value: &Val| {
                    matches!(value, Val::Expr(Some(_)) | Val::Ptr(Some(_)) | Val::Int(_))
                };
                matches!(argument, Val::List(_) | Val::Object(_))
                    && members(argument).iter().all(is_node)
                    || code == Some(Code::List)
            }
            Some(Role::Opaque) => {
                matches!(
                    argument,
                    Val::Opaque(_)
                        | Val::Handle(_)
                        | Val::Bool(_)
                        | Val::Int(_)
                        | Val::Text(_)
                        | Val::Object(_)
                        | Val::Type(_)
                        | Val::Expr(None)
                ) || matches!(code, Some(Code::Name | Code::Handle))
            }
            // Any expression, or any statement.
            Some(
                Role::Int
                | Role::Truth
                | Role::Index
                | Role::Predicate
                | Role::Condition
                | Role::Stmt
                | Role::OptionalStmt,
            ) if Self::is_unknown(argument) => true,
            Some(Role::Stmt | Role::OptionalStmt) => code == Some(Code::Stmt),
            Some(_) => {
                code.is_some_and(|code| !matches!(code, Code::Stmt | Code::Name | Code::List))
                    || matches!(argument, Val::Int(_))
            }
        };
        match (fits, argument) {
            (true, _) => Fit::Yes,
            (false, Val::Expr(None))
                if matches!(role, Some(Role::OptionalStmt | Role::OptionalExpr)) =>
            {
                Fit::Yes
            }
            (false, Val::Expr(None)) if !matches!(role, Some(Role::Opaque | Role::Exprs)) => {
                Fit::Undefined
            }
            _ => Fit::No,
        }
    }

    fn make_fitting(
        &mut self,
        kind: Kind,
        members: &[&str],
        arguments: &[Val],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let mut state = state;
        let mut ty = Type::STMT;
        let mut fields = Vec::new();
        for (member, role) in kind.fields() {
            let argument = members
                .iter()
                .position(|name| name == member)
                .and_then(|index| arguments.get(index));
            fields.push(self.made_field(*role, argument, &mut state));
        }
        if let Some(Val::Type(given)) = arguments.first() {
            ty = *given;
        }
        if kind == Kind::Let
            && let Some(body) = operand(kind, "body", &fields)
        {
            ty = state.node(body).ty;
        }
        if let Some(outcome) = self.broken_assert(kind, ty, &fields, &state) {
            self.end(state, outcome, line);
            return Vec::new();
        }
        let node = state.add(ty, None, Some(Shape { kind, fields }));
        vec![(state, Val::Expr(Some(node)))]
    }

    pub(super) fn made_field(
        &mut self,
        role: Role,
        argument: Option<&Val>,
        state: &mut State,
    ) -> Field {
        match (role, argument) {
            (Role::Opaque, Some(Val::Opaque(id))) => Field::Opaque(*id),
            (Role::Opaque, Some(Val::Handle(text) | Val::Text(text))) => {
                let constant = self.constant(text);
                Field::Opaque(if self.is_concrete() { constant } else { MADE | constant })
            }
            // A type that the mutator names never occurs in the input.
            (Role::Opaque, Some(Val::Type(ty))) => {
                Field::Opaque(MADE | self.constant(&format!("the type {ty}")))
            }
            (Role::Opaque, _) if self.is_concrete() => Field::Opaque(0),
            // A number that the input does not have.
            (Role::Opaque, _) => Field::Opaque(MADE | self.fresh()),
            (Role::Name, Some(value)) => match Self::name_of(value, state) {
                Some(name) => Field::Expr(name),
                None => Field::Expr(self.fresh_node_name(state)),
            },
            (Role::Exprs | Role::Stmts, Some(value @ (Val::List(_) | Val::Object(_)))) => {
                let nodes: Vec<NodeId> =
                    members(value).iter().filter_map(|value| self.element(value, state)).collect();
                Field::Expr(state.list(&nodes))
            }
            (Role::Exprs | Role::Stmts, None) => Field::Expr(state.list(&[])),
            (_, Some(Val::Int(num))) => Field::Expr(self.literal(I32, *num, state)),
            (_, Some(Val::Expr(Some(node)) | Val::Ptr(Some((node, _))))) => Field::Expr(*node),
            (role, Some(Val::Handle(_))) => {
                self.has_chosen |= self.is_concrete();
                let ty = match role {
                    Role::Stmt | Role::OptionalStmt => Type::STMT,
                    Role::Truth | Role::Condition | Role::Predicate => Type::BOOL,
                    _ => I32,
                };
                Field::Expr(state.add(ty, None, None))
            }
            (Role::OptionalStmt, _) => {
                let shape = Shape { kind: Kind::Undefined, fields: Vec::new() };
                Field::Expr(state.add(Type::STMT, None, Some(shape)))
            }
            (_, _) => {
                let num = self.number(0, 32, true);
                Field::Expr(self.literal(I32, num, state))
            }
        }
    }

    fn element(&mut self, value: &Val, state: &mut State) -> Option<NodeId> {
        match value {
            Val::Expr(Some(node)) | Val::Ptr(Some((node, _))) => Some(*node),
            Val::Int(num) => Some(self.literal(I32, *num, state)),
            _ => None,
        }
    }

    /// Applies operators to names, to members that are only compared, and to texts; `None` for
    /// other operands.
    pub(crate) fn symbols(
        &mut self,
        op: Sign,
        lhs: &Val,
        rhs: &Val,
        state: &State,
    ) -> Option<Paths<Val>> {
        let mut state = state.clone();
        match (op, lhs, rhs) {
            (Sign::Add, _, _) if let Some(text) = self.joined_texts(lhs, rhs, &mut state) => {
                Some(vec![(state, text)])
            }
            (Sign::Eq | Sign::Ne, _, _)
                if let (Some(a), Some(b)) =
                    (self.spelling(lhs, &state), self.spelling(rhs, &state)) =>
            {
                let truth = self.values.bool((a == b) == (op == Sign::Eq));
                Some(vec![(state, Val::Bool(truth))])
            }
            (Sign::Eq | Sign::Ne, _, _) => self.symbols_equal(op, lhs, rhs, state),
            (Sign::Add, _, _) if is_name(lhs, &state) || is_name(rhs, &state) => {
                let name = state.joined(lhs, rhs, self.fresh());
                Some(vec![(state, name)])
            }
            (Sign::Add, Val::Rope(_), _) | (Sign::Add, _, Val::Rope(_)) => {
                let (first, second) = (Self::rope_of(lhs, &state)?, Self::rope_of(rhs, &state)?);
                let rope = first.into_iter().chain(second).collect();
                Some(vec![(state, Val::Rope(rope))])
            }
            (Sign::Add, Val::Text(a), Val::Text(b)) => {
                Some(vec![(state, Val::Text(a.clone() + b))])
            }
            // What is computed from a member that is only compared is not known.
            (
                Sign::Add | Sign::Sub | Sign::Mul | Sign::Div | Sign::Rem,
                Val::Opaque(_),
                Val::Int(_) | Val::Handle(_) | Val::Opaque(_),
            )
            | (
                Sign::Add | Sign::Sub | Sign::Mul | Sign::Div | Sign::Rem,
                Val::Int(_) | Val::Handle(_),
                Val::Opaque(_),
            ) if self.follows_unknown() => {
                let unknown = Val::Handle(self.fresh_name("unknown"));
                Some(vec![(state, unknown)])
            }
            (op, Val::Handle(_), Val::Int(_)) | (op, Val::Int(_), Val::Handle(_))
                if op.is_comparison() =>
            {
                let (holds, fails) = self.choose(state);
                Some(self.truths(vec![holds], vec![fails]))
            }
            _ => None,
        }
    }

    /// Applies `==` or `!=` to the operands of [`Self::symbols`].
    fn symbols_equal(
        &mut self,
        op: Sign,
        lhs: &Val,
        rhs: &Val,
        state: State,
    ) -> Option<Paths<Val>> {
        let (lhs_is_name, rhs_is_name) = (is_name(lhs, &state), is_name(rhs, &state));
        let is_symbol =
            |value: &Val| matches!(value, Val::Opaque(_) | Val::Handle(_) | Val::Text(_));
        if let Some((equal, other)) = self.keys_equal(lhs, rhs, &state) {
            let (holds, fails) = if op == Sign::Eq { (equal, other) } else { (other, equal) };
            return Some(self.truths(holds, fails));
        }
        let is_same = match (lhs, rhs) {
            (Val::Expr(Some(a)), Val::Expr(Some(b))) if lhs_is_name && rhs_is_name => {
                let may_be_other = [*a, *b].iter().any(|name| state.is_joined(*name));
                if may_be_other && !self.is_concrete() && state.find(*a) != state.find(*b) {
                    let (what, line) = ("whether a name that is put together is another", state.at);
                    return Some(self.unsupported(state, what, line));
                }
                let (same, other) = self.equal(*a, *b, state);
                return Some(if op == Sign::Eq {
                    self.truths(same, other)
                } else {
                    self.truths(other, same)
                });
            }
            (Val::Text(a), Val::Text(b)) => a == b,
            // An iterator that points to an entry of a map is not at the map's end.
            (Val::Object(entry), Val::Handle(of)) | (Val::Handle(of), Val::Object(entry))
                if of == END && Self::is_entry(entry) =>
            {
                false
            }
            // The callee has the name in question, or does not.
            (Val::Handle(callee), Val::Text(name)) | (Val::Text(name), Val::Handle(callee))
                if called_by(callee).is_some_and(|call| call < state.nodes.len()) =>
            {
                let call = called_by(callee)?;
                return Some(self.is_called(op, call, name, state));
            }
            (Val::Handle(a), Val::Handle(b))
                if let (Some(a), Some(b)) = (call_type(a), call_type(b)) =>
            {
                a == b
            }
            (Val::Handle(of), Val::Handle(ty)) | (Val::Handle(ty), Val::Handle(of))
                if of == INTRINSIC && OTHER_CALLS.contains(&ty.as_str()) =>
            {
                false
            }
            (Val::Opaque(id), Val::Handle(text)) | (Val::Handle(text), Val::Opaque(id))
                if text.starts_with(REDUCTIONS) && is_refused_reduction(*id, text, &state) =>
            {
                if self.is_concrete() {
                    let (what, line) = ("truth values that are reduced by arithmetic", state.at);
                    return Some(self.unsupported(state, what, line));
                }
                false
            }
            (Val::Opaque(a), Val::Opaque(b)) if a == b || self.is_concrete() => a == b,
            (Val::Opaque(id), Val::Handle(text) | Val::Text(text))
            | (Val::Handle(text) | Val::Text(text), Val::Opaque(id))
                if self.is_concrete() =>
            {
                self.constant(text) == *id
            }
            (Val::Handle(a), Val::Handle(b)) if self.is_concrete() && a == b => true,
            // The operations that reduce vectors are different ones.
            (Val::Opaque(id), Val::Handle(text)) | (Val::Handle(text), Val::Opaque(id))
                if text.starts_with(REDUCTIONS) =>
            {
                return Some(self.is_reduction(op, *id, text, &state));
            }
            // A buffer of one element is accessed at 0.
            (Val::Handle(length), Val::Int(num))
                if op == Sign::Eq
                    && length == LENGTHS
                    && self.values.as_number(num.term) == Some(1) =>
            {
                let (mut holds, fails) = self.choose(state);
                self.only_element(&mut holds);
                return Some(self.truths(vec![holds], vec![fails]));
            }
            _ => {
                // An unknown object may equal a number, a type or a node, or not.
                let is_open = match (lhs, rhs) {
                    (Val::Handle(_), Val::Type(_) | Val::Ptr(_) | Val::Int(_))
                    | (Val::Type(_) | Val::Ptr(_) | Val::Int(_), Val::Handle(_)) => true,
                    (lhs, rhs) => {
                        is_symbol(lhs) && (is_symbol(rhs) || rhs_is_name)
                            || lhs_is_name && is_symbol(rhs)
                    }
                };
                return is_open.then(|| {
                    let (holds, fails) = self.choose(state);
                    self.truths(vec![holds], vec![fails])
                });
            }
        };
        let truth = self.values.bool(is_same == (op == Sign::Eq));
        Some(vec![(state, Val::Bool(truth))])
    }

    /// Compares the callee of a call with a name.
    fn is_called(&mut self, op: Sign, call: NodeId, name: &str, state: State) -> Paths<Val> {
        let paths = self.is_intrinsic(call, name, state);
        if op == Sign::Eq {
            return paths;
        }
        let negated = paths.into_iter().map(|(state, truth)| {
            let truth = match truth {
                Val::Bool(term) => Val::Bool(self.values.apply(Fun::Not, &[term])),
                other => other,
            };
            (state, truth)
        });
        negated.collect()
    }

    /// Records that the index of the input is 0, where the buffer that the input accesses has one
    /// element.
    fn only_element(&mut self, state: &mut State) {
        let is_index = |role: Role| role == Role::Index;
        let Some(Shape { kind, fields }) = state.shape(0).cloned() else { return };
        let index = kind.fields().iter().position(|(_, role)| is_index(*role));
        let Some(Field::Expr(index)) = index.and_then(|index| fields.get(index)) else { return };
        if !state.node(*index).ty.is_vector {
            let zero = self.number(0, 32, true);
            let zero = self.literal(state.node(*index).ty, zero, state);
            state.equate(*index, zero);
        }
    }

    /// The number of a named constant of the compiler. Equal texts have the same number.
    pub(crate) fn constant(&mut self, text: &str) -> u32 {
        let known = self.constants.iter().position(|known| known == text);
        let index = known.unwrap_or_else(|| {
            self.constants.push(text.to_owned());
            self.constants.len() - 1
        });
        u32::try_from(index).unwrap_or(u32::MAX)
    }

    /// The default behaviour of a mutator: mutates the operands of a node, which are known.
    pub(super) fn mutate_own_operands(
        &mut self,
        node: NodeId,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let Some(Shape { kind, fields }) = state.shape(node).cloned() else {
            return self.mutate(node, state, line);
        };
        let ty = state.node(node).ty;
        let mut paths: Paths<Vec<Field>> = vec![(state, Vec::new())];
        for field in &fields {
            let mut next = Vec::new();
            for (state, done) in paths {
                match field {
                    Field::Expr(inner) if state.node(*inner).ty != Type::NAME => {
                        for (state, value) in self.mutate_operand(*inner, state, line) {
                            let mut done = done.clone();
                            done.push(Field::Expr(value));
                            next.push((state, done));
                        }
                    }
                    field => {
                        let mut done = done;
                        done.push(*field);
                        next.push((state, done));
                    }
                }
            }
            paths = next;
        }
        let paths = paths.into_iter().map(|(mut state, new)| {
            if new == fields {
                return (state, Val::Expr(Some(node)));
            }
            let intrinsic = state.node(node).intrinsic.clone();
            // The same function of arguments with the same values, whichever function it is.
            let class = (kind == Kind::Call
                && intrinsic.is_none()
                && !self.is_concrete()
                && have_same_values(&fields, &new, &state))
            .then_some(state.node(node).class);
            let made = state.add(ty, class, Some(Shape { kind, fields: new }));
            state.node_mut(made).intrinsic = intrinsic;
            (state, Val::Expr(Some(made)))
        });
        paths.collect()
    }

    fn mutate_operand(&mut self, inner: NodeId, state: State, line: usize) -> Paths<NodeId> {
        let ty = state.node(inner).ty;
        if ty == Type::LIST {
            let Some(Shape { fields, .. }) = state.shape(inner).cloned() else {
                // An unknown list stands for itself: its length, and the class of each element,
                // remain.
                let mut state = state;
                self.forget_tables(&mut state);
                return vec![(state, inner)];
            };
            let mut paths: Paths<Vec<NodeId>> = vec![(state, Vec::new())];
            for field in &fields {
                let Field::Expr(element) = field else { continue };
                let mut next = Vec::new();
                for (state, done) in paths {
                    for (state, value) in self.mutate_operand(*element, state, line) {
                        let mut done = done.clone();
                        done.push(value);
                        next.push((state, done));
                    }
                }
                paths = next;
            }
            let paths = paths.into_iter().map(|(mut state, nodes)| {
                let new: Vec<Field> = nodes.iter().map(|node| Field::Expr(*node)).collect();
                let list = if new == fields { inner } else { state.list(&nodes) };
                (state, list)
            });
            return paths.collect();
        }
        let (missing, present) = if ty == Type::STMT {
            self.is_kind(inner, Kind::Undefined, state)
        } else {
            (Vec::new(), vec![state])
        };
        let mut paths: Paths<NodeId> = missing.into_iter().map(|state| (state, inner)).collect();
        for state in present {
            for (state, value) in self.mutate_below(inner, state, line) {
                match value {
                    Val::Expr(Some(new)) => paths.push((state, new)),
                    _ => {
                        let what = "an operand becomes undefined".to_owned();
                        self.end(state, Outcome::Unsupported(what), line);
                    }
                }
            }
        }
        paths
    }

    /// `substitute(what, by, within)`.
    pub(crate) fn substitute(
        &mut self,
        what: NodeId,
        by: NodeId,
        within: NodeId,
        state: State,
    ) -> Paths<Val> {
        let mut state = state;
        if self.is_concrete() {
            let name = Self::name_of(&Val::Expr(Some(what)), &state);
            let new = replaced(name, what, by, within, &mut state);
            return vec![(state, Val::Expr(Some(new)))];
        }
        let ty = state.node(within).ty;
        let result = state.add(ty, None, None);
        if ty == Type::STMT {
            state.node_mut(result).not |= crate::ir::kinds::bit(Kind::Undefined);
        }
        let class = state.node(result).class;
        state.substitutions.push(Substitution { class, what, by, within });
        vec![(state, Val::Expr(Some(result)))]
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    Yes,
    No,
    /// It fits, except that an argument is undefined and must not be.
    Undefined,
}

/// Replaces the variables of a name, or the parts that equal a node, in a node.
fn replaced(
    name: Option<NodeId>,
    what: NodeId,
    by: NodeId,
    within: NodeId,
    state: &mut State,
) -> NodeId {
    let is_met = match name {
        Some(name) => Machine::name_of(&Val::Expr(Some(within)), state)
            .is_some_and(|other| other != within && state.is_same(name, other)),
        None => state.is_same(what, within),
    };
    if is_met {
        return by;
    }
    let Some(Shape { kind, fields }) = state.shape(within).cloned() else { return within };
    // A rebound variable is another variable, but the bound value lies outside its scope.
    let bound = match (kind, fields.first()) {
        (Kind::Let | Kind::LetStmt | Kind::For, Some(Field::Expr(bound))) => Some(*bound),
        _ => None,
    };
    let is_shadowed = name.zip(bound).is_some_and(|(name, bound)| state.is_same(name, bound));
    let mut new = Vec::new();
    for (field, (member, _)) in
        fields.iter().zip(kind.fields().iter().chain(std::iter::repeat(&("", Role::Opaque))))
    {
        new.push(match field {
            Field::Expr(inner)
                if state.node(*inner).ty != Type::NAME && !(is_shadowed && *member == "body") =>
            {
                Field::Expr(replaced(name, what, by, *inner, state))
            }
            field => *field,
        });
    }
    if new == fields {
        return within;
    }
    let ty = state.node(within).ty;
    let intrinsic = state.node(within).intrinsic.clone();
    let made = state.add(ty, None, Some(Shape { kind, fields: new }));
    state.node_mut(made).intrinsic = intrinsic;
    made
}

/// Tests whether a value is a node that is a name.
fn is_name(value: &Val, state: &State) -> bool {
    match value {
        Val::Expr(Some(node)) => state.node(*node).ty == Type::NAME,
        _ => false,
    }
}

/// Tests whether two lists of members have the same values.
fn have_same_values(a: &[Field], b: &[Field], state: &State) -> bool {
    let class = |node: NodeId| state.class(state.node(node).class);
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| match (a, b) {
            (Field::Expr(a), Field::Expr(b)) => class(*a) == class(*b),
            (a, b) => a == b,
        })
}
