//! Nodes as the API makes and compares them.

use halidom_cpp::Sign;
use halidom_rewrites::rules::{Domain, Fun, ValueId};

use crate::ir::intrinsics::{
    CALLEE, INTRINSIC, Intrinsic, OTHER_CALLS, PURE_EXTERN, callee, is_extern, is_of_c,
    is_of_the_ir, is_other_type, own_call_type,
};
use crate::ir::kinds::{Code, I32, Kind, Role, Type};
use crate::ir::layout::selects_vectors;
use crate::ir::node::{Field, NodeId, Shape, class_value};
use crate::ir::state::{Atom, Scoped, Slot, State};
use crate::ir::value::{Num, Piece, Place, Val, members};
use crate::machine::absent::{UNDEFINED, changed, forget_places};
use crate::machine::asserts::Unmade;
use crate::machine::invariants::invariant;
use crate::machine::masks::is_masked;
use crate::machine::run::{Machine, Outcome, Paths};

/// The members of a call that name the callee besides its name, in the order of `make`.
const CALL_MEMBERS: &[&str] = &["func", "value_index", "image", "param"];

/// The reason why a path becomes unsupported that makes a call of another type.
const OTHER_TYPE: &str = "Call::make of an intrinsic with another call type";

impl Machine<'_> {
    /// Makes a binary node. `make` asserts that both operands have the same type.
    pub(crate) fn make(
        &mut self,
        kind: Kind,
        a: NodeId,
        b: NodeId,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let mut state = state;
        let (ta, tb) = (state.node(a).ty, state.node(b).ty);
        if ta != tb {
            let what = format!("{}::make of mismatched types {ta} and {tb}", kind.name());
            self.end(state, Outcome::Crash(what), line);
            return Vec::new();
        }
        let is_comparison = kind.fields().iter().any(|(_, role)| *role == Role::Operand);
        let ty = if is_comparison { Type::BOOL.with_vector(ta.is_vector) } else { ta };
        let is_bit = ty.is_bool();
        let is_of_addresses = self.fires && kind == Kind::Sub && ty.element() == Type::HANDLE;
        if !is_comparison && !is_bit && !kind.admits(ty) && !is_of_addresses {
            if matches!(kind, Kind::And | Kind::Or) {
                let what = format!("{}::make of the type {ta}", kind.name());
                self.end(state, Outcome::Crash(what), line);
            } else {
                let what = format!("arithmetic of the type {ta}");
                self.end(state, Outcome::Unsupported(what), line);
            }
            return Vec::new();
        }
        let fields = vec![Field::Expr(a), Field::Expr(b)];
        let node = state.add(ty, None, Some(Shape { kind, fields }));
        vec![(state, Val::Expr(Some(node)))]
    }

    /// `make_const(ty, value)`: a literal with the value in each lane.
    pub(crate) fn literal(&mut self, ty: Type, num: Num, state: &mut State) -> NodeId {
        let element = ty.element();
        let (kind, term) = match element.code {
            Code::Float => {
                let term = match self.real_of(num) {
                    Val::Real(term) => term,
                    _ => num.term,
                };
                (Kind::FloatImm, term)
            }
            code => {
                let kind = if code == Code::Int { Kind::IntImm } else { Kind::UIntImm };
                (kind, self.narrow(element, num))
            }
        };
        let fits = element.range().is_none_or(|(low, high)| low <= num.low && num.high <= high);
        // HeteroCL keeps all bits, and so a number that the type does not hold.
        if !fits && self.profile.name == "heterocl" && self.values.as_number(num.term).is_some() {
            state.lost = Some("a literal of a number that its type does not hold");
        }
        let is_beyond = element.domain() == Domain::Whole && !fits;
        let term = if is_beyond && self.cuts_literals() {
            let wrapped = self.values.convert(term, Domain::Signed(element.bits));
            let wrapped = self.values.convert(wrapped, Domain::Whole);
            self.unless_held(term, element, wrapped)
        } else {
            term
        };
        let shape = Shape { kind, fields: vec![Field::Number(term)] };
        let scalar = state.add(element, None, Some(shape));
        if is_beyond && !self.cuts_literals() {
            if let Some(value) = self.values.as_number(term) {
                let wrapped = self.values.number(element.wrap(value), Domain::Whole);
                let shape = Shape { kind, fields: vec![Field::Number(wrapped)] };
                state.node_mut(scalar).shape = Some(shape);
            } else {
                let class = state.node(scalar).class;
                state.narrowed.push((class, term, element));
            }
        }
        if ty.is_vector { Self::broadcast(scalar, state) } else { scalar }
    }

    /// A number that a type holds, or else another term. A solver does not see that nothing is cut
    /// of such a number.
    fn unless_held(&mut self, term: ValueId, ty: Type, otherwise: ValueId) -> ValueId {
        let Some((low, high)) = ty.range() else { return otherwise };
        let [low, high] = [low, high].map(|of| self.values.number(of, Domain::Whole));
        let (above, below) =
            (self.comparison(Sign::Le, low, term), self.comparison(Sign::Le, term, high));
        let is_held = self.values.apply(Fun::And, &[above, below]);
        self.values.apply(Fun::Ite, &[is_held, term, otherwise])
    }

    /// Converts a number to the domain of an integer type.
    fn narrow(&mut self, ty: Type, num: Num) -> ValueId {
        if ty.is_bool() {
            // One bit is kept.
            let two = self.values.number(2, self.values.domain(num.term));
            let bit = self.values.apply(Fun::Mod, &[num.term, two]);
            let zero = self.values.number(0, self.values.domain(num.term));
            let is_zero = self.values.apply(Fun::Eq, &[bit, zero]);
            return self.values.apply(Fun::Not, &[is_zero]);
        }
        self.values.convert(num.term, ty.domain())
    }

    pub(crate) fn field(
        &mut self,
        node: NodeId,
        kind: Kind,
        name: &str,
        state: &mut State,
    ) -> Option<Val> {
        let ty = state.node(node).ty;
        if name == "type" && ty.is_value() {
            return Some(Val::Type(ty));
        }
        if kind == Kind::Call && name == "args" {
            return Some(Val::Arguments(node));
        }
        if kind == Kind::Call && ["name", "call_type"].contains(&name) {
            return Some(match &state.node(node).intrinsic {
                Some(intrinsic) if name == "name" => Val::Text(intrinsic.clone()),
                // A func may have the name of a function of C.
                Some(callee) if is_extern(callee) && self.is_concrete() => {
                    Val::Handle(PURE_EXTERN.to_owned())
                }
                Some(known) if name == "call_type" && is_of_the_ir(known) => {
                    let own = own_call_type(known).filter(|_| self.is_concrete());
                    Val::Handle(own.map_or(INTRINSIC.to_owned(), |own| format!("Call::{own}")))
                }
                None if name == "name" => Val::Handle(callee(state.find(node))),
                _ => Val::Handle(format!("Call.{name}")),
            });
        }
        if kind == Kind::Call && CALL_MEMBERS.contains(&name) {
            return Some(Val::Handle(format!("Call.{name}")));
        }
        if kind == Kind::Shuffle {
            return self.part_of_shuffle(node, name, state);
        }
        if kind == Kind::StringImm {
            let text = state.text_of_literal(node).filter(|_| name == "value")?;
            return Some(Val::Text(text.to_owned()));
        }
        let index = kind.fields().iter().position(|(known, _)| *known == name)?;
        let field = *state.shape(node)?.fields.get(index)?;
        Some(match field {
            Field::Expr(inner) => Val::Expr(Some(inner)),
            Field::Lanes => Val::Int(self.lanes?),
            Field::Number(term) => match ty.code {
                Code::Float => Val::Real(term),
                code => Val::Int(self.host_number(term, ty.range()?, code == Code::Int)),
            },
            Field::Opaque(id) => Val::Opaque(id),
        })
    }

    /// Returns an argument of a call. An argument that is not known yet is added if the callee's
    /// signature is known; the argument of an identity intrinsic has the value of the call.
    pub(crate) fn argument(call: NodeId, index: i128, state: &mut State) -> Option<NodeId> {
        let known = state.node(call);
        let (ty, class) = (known.ty, known.class);
        let is_identity = matches!(
            known.intrinsic.as_deref().map(Intrinsic::of),
            Some(Intrinsic::Likely | Intrinsic::LikelyIfInnermost)
        );
        let shape = known.shape.clone()?;
        let position = usize::try_from(index).ok()?;
        match shape.fields.get(position) {
            Some(Field::Expr(argument)) => Some(*argument),
            None if !is_identity
                && shape.fields.is_empty()
                && known
                    .intrinsic
                    .as_deref()
                    .and_then(|callee| crate::ir::intrinsics::operands(callee, ty))
                    .is_some_and(|operands| position < operands.len()) =>
            {
                let callee = known.intrinsic.clone()?;
                let operands = crate::ir::intrinsics::operands(&callee, ty)?;
                let fields: Vec<Field> = operands
                    .into_iter()
                    .map(|operand| Field::Expr(state.add(operand, None, None)))
                    .collect();
                let argument = match fields[position] {
                    Field::Expr(argument) => argument,
                    Field::Number(_) | Field::Lanes | Field::Opaque(_) => return None,
                };
                state.node_mut(call).shape = Some(Shape { fields, ..shape });
                Some(argument)
            }
            None if is_identity && index == 0 => {
                let argument = state.add(ty, Some(class), None);
                state.node_mut(call).shape =
                    Some(Shape { fields: vec![Field::Expr(argument)], ..shape });
                Some(argument)
            }
            _ => None,
        }
    }

    /// The value of a node in the examined lane: its literal, or the variable of its class.
    pub(crate) fn node_value(&mut self, node: NodeId, state: &State) -> ValueId {
        let known = state.node(node);
        if let Some(Shape { fields, .. }) = &known.shape
            && let [Field::Number(term)] = fields.as_slice()
        {
            return *term;
        }
        class_value(&mut self.values, state.class(known.class), known.ty)
    }

    /// `Kind::make`.
    pub(crate) fn make_node(
        &mut self,
        kind: Kind,
        arguments: &[Val],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        if let Some(made) = self.made_where_lanes_count(kind, arguments) {
            return match made {
                Ok(unknown) => vec![(state, unknown)],
                Err(what) => {
                    self.end(state, crash(kind, &what), line);
                    Vec::new()
                }
            };
        }
        if self.takes_undefined(kind, arguments) {
            return self.unsupported(state, UNDEFINED, line);
        }
        if let Some(paths) = self.make_by_layout(kind, arguments, state.clone(), line) {
            return paths;
        }
        if arguments.iter().any(|value| matches!(value, Val::Expr(None))) {
            self.end(state, crash(kind, "of an undefined Expr"), line);
            return Vec::new();
        }
        // Nothing is known about an expression with an operand that is not known.
        let is_operand = |value: &Val| {
            let is_unknown = |value: &Val| matches!(value, Val::Handle(_)) && !value.is_info();
            match value {
                Val::List(values) => values.iter().any(is_unknown),
                value => is_unknown(value) && !matches!(kind, Kind::Call | Kind::VectorReduce),
            }
        };
        let is_node = !matches!(kind, Kind::Variable | Kind::StringImm);
        if is_node
            && self.follows_unknown()
            && !self.mode.is_emitter()
            && arguments.iter().any(is_operand)
        {
            // `make` asserts that there are two lanes at least.
            let is_of_lanes = matches!(kind, Kind::Ramp | Kind::Broadcast);
            if is_of_lanes && arguments.last().is_some_and(is_operand) {
                self.end(state.clone(), crash(kind, "of unknown lanes"), line);
            }
            let unknown = Val::Handle(self.fresh_name("unknown"));
            return vec![(state, unknown)];
        }
        let mut state = state;
        // An `int` is an expression of 32 bits where one is taken.
        let stride = match (kind, arguments) {
            (Kind::Ramp, [_, Val::Int(stride), _]) => Some(self.literal(I32, *stride, &mut state)),
            _ => None,
        };
        let with_stride = stride
            .map(|stride| [&arguments[..1], &[Val::Expr(Some(stride))], &arguments[2..]].concat());
        let arguments = with_stride.as_deref().unwrap_or(arguments);
        match self.parts_of_node(kind, arguments, &mut state) {
            Ok(Some((ty, fields))) => {
                let node = state.add(ty, None, Some(Shape { kind, fields }));
                vec![(state, Val::Expr(Some(node)))]
            }
            Ok(None) => self.make_by_kind(kind, arguments, state, line),
            Err(Unmade::Crash(what)) => {
                self.end(state, crash(kind, &what), line);
                Vec::new()
            }
            Err(Unmade::Unsupported(what)) => self.unsupported(state, what, line),
        }
    }

    /// The type and fields of a node of a kind that checks its operands in its own way; `None` for
    /// other kinds.
    fn parts_of_node(
        &mut self,
        kind: Kind,
        arguments: &[Val],
        state: &mut State,
    ) -> Result<Option<(Type, Vec<Field>)>, Unmade> {
        Ok(Some(match (kind, arguments) {
            (Kind::IntImm | Kind::UIntImm, [Val::Type(ty), Val::Int(_)])
            | (Kind::FloatImm, [Val::Type(ty), Val::Real(_)])
                if !kind.admits(*ty) =>
            {
                let what = format!("of the type {ty}");
                // HeteroCL asserts nothing there.
                return Err(if self.profile.name == "heterocl" {
                    Unmade::Unsupported(format!("{}::make {what}", kind.name()))
                } else {
                    Unmade::Crash(what)
                });
            }
            (Kind::FloatImm, [Val::Type(ty), Val::Real(term)]) => (*ty, vec![Field::Number(*term)]),
            (Kind::Cast, [Val::Type(ty), Val::Expr(Some(node))]) => {
                if state.node(*node).ty.is_vector != ty.is_vector {
                    return Err(Unmade::Crash("of other lanes".into()));
                }
                (*ty, vec![Field::Expr(*node)])
            }
            (Kind::Reinterpret, [Val::Type(ty), Val::Expr(Some(node))]) => {
                let of = state.node(*node).ty;
                if of.is_vector != ty.is_vector || of.bits != ty.bits {
                    return Err(Unmade::Unsupported("a number in lanes of another width".into()));
                }
                (*ty, vec![Field::Expr(*node)])
            }
            (Kind::VectorReduce, [op, Val::Expr(Some(node)), lanes]) => {
                self.parts_of_reduction(op, *node, lanes, state)?
            }
            (Kind::Not, [Val::Expr(Some(node))]) => {
                let ty = state.node(*node).ty;
                if !ty.is_bool() {
                    return Err(Unmade::Crash(format!("of the type {ty}")));
                }
                (ty, vec![Field::Expr(*node)])
            }
            (
                Kind::Select,
                [Val::Expr(Some(condition)), Val::Expr(Some(a)), Val::Expr(Some(b))],
            ) => {
                let (of, ta, tb) =
                    (state.node(*condition).ty, state.node(*a).ty, state.node(*b).ty);
                let is_mixed = of.is_vector != ta.is_vector;
                let is_allowed = !of.is_vector && selects_vectors(self.profile.name);
                if !of.is_bool() || ta != tb || is_mixed && !is_allowed {
                    return Err(Unmade::Crash(format!("of mismatched types {of}, {ta}, {tb}")));
                }
                (ta, vec![Field::Expr(*condition), Field::Expr(*a), Field::Expr(*b)])
            }
            (Kind::Broadcast, [Val::Expr(Some(node)), lanes]) => {
                let ty = state.node(*node).ty;
                if ty.is_vector || self.is_lanes(Some(lanes)) == Some(false) {
                    return Err(Unmade::Crash("of a vector, or of one lane".into()));
                }
                if self.is_lanes(Some(lanes)).is_none() {
                    return Err(Unmade::Unsupported("a broadcast of so many lanes".into()));
                }
                (ty.with_vector(true), vec![Field::Expr(*node), Field::Lanes])
            }
            (Kind::Ramp, [Val::Expr(Some(base)), Val::Expr(Some(stride)), lanes]) => {
                let (ty, other) = (state.node(*base).ty, state.node(*stride).ty);
                if ty.is_bool() {
                    return Err(Unmade::Unsupported("a ramp of truth values".into()));
                }
                if ty.is_vector || ty != other || self.is_lanes(Some(lanes)) == Some(false) {
                    return Err(Unmade::Crash(format!("of mismatched types {ty} and {other}")));
                }
                if self.is_lanes(Some(lanes)).is_none() {
                    return Err(Unmade::Unsupported("a ramp of so many lanes".into()));
                }
                let fields = vec![Field::Expr(*base), Field::Expr(*stride), Field::Lanes];
                (ty.with_vector(true), fields)
            }
            (Kind::GetBit | Kind::GetSlice | Kind::SetBit | Kind::SetSlice, operands)
                if operands.len() == kind.fields().len() =>
            {
                let mut fields = Vec::new();
                for operand in operands {
                    match operand {
                        Val::Expr(Some(node)) => fields.push(Field::Expr(*node)),
                        Val::Int(num) => {
                            fields.push(Field::Expr(self.literal(I32, *num, state)));
                        }
                        _ => {
                            return Err(Unmade::Unsupported(format!("{}::make", kind.name())));
                        }
                    }
                }
                let Some(Field::Expr(first)) = fields.first() else {
                    return Err(Unmade::Unsupported(format!("{}::make", kind.name())));
                };
                (state.node(*first).ty, fields)
            }
            _ => return Ok(None),
        }))
    }

    /// Makes a literal, a variable, a call, or an operator of two operands.
    fn make_by_kind(
        &mut self,
        kind: Kind,
        arguments: &[Val],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let mut state = state;
        match (kind, arguments) {
            (Kind::IntImm | Kind::UIntImm, [Val::Type(ty), Val::Int(num)]) => {
                let node = self.literal(*ty, *num, &mut state);
                vec![(state, Val::Expr(Some(node)))]
            }
            // The parameter of the input's variable is unknown, so the given one is another.
            (Kind::Variable, [Val::Type(_), name, ..]) if self.drops_parameter(name, &state) => {
                self.unsupported(state, "Variable::make without the parameter", line)
            }
            (Kind::Variable, [Val::Type(ty), name, ..]) => {
                if let Some(outcome) = self.refused_argument(kind, &["name"], &arguments[1..]) {
                    self.end(state, outcome, line);
                    return Vec::new();
                }
                self.make_variable(*ty, name, state)
            }
            (Kind::Call, [_, Val::Text(callee) | Val::Handle(callee), _, Val::Handle(of), ..])
                if self.is_concrete() && is_other_type(callee, of) =>
            {
                self.unsupported(state, OTHER_TYPE, line)
            }
            // The remaining members name the callee. They are those of the call whose name is
            // given, or the callee is not known.
            (
                Kind::Call,
                [Val::Type(ty), callee, arguments @ (Val::List(_) | Val::Object(_)), _, rest @ ..],
            ) if !rest.is_empty() => {
                let is_kept = |(value, member): (&Val, &&str)| match value {
                    Val::Handle(of) => of.strip_prefix("Call.") == Some(*member),
                    _ => false,
                };
                // `HalideIR` has the first two.
                let count = if self.profile.name == "heterocl" { 2 } else { CALL_MEMBERS.len() };
                let is_own = rest.len() == count && rest.iter().zip(CALL_MEMBERS).all(is_kept);
                if !is_own && matches!(callee, Val::Handle(name) if self.is_callee(name)) {
                    return self.unsupported(state, "Call::make of another callee", line);
                }
                self.make_call(*ty, callee, arguments, state, line)
            }
            (
                Kind::Call,
                [Val::Type(ty), callee, arguments @ (Val::List(_) | Val::Object(_)), rest @ ..],
            ) => {
                // With another call type, the name is that of another function.
                let name = match callee {
                    Val::Text(name) | Val::Handle(name) => name.rsplit("::").next(),
                    _ => None,
                };
                let is_other = matches!(rest.first(), Some(Val::Handle(kind))
                    if OTHER_CALLS.contains(&kind.as_str()));
                // A text in C calls the functions that it begins with.
                let is_of_text = |name: &str| self.mode.is_emitter() && is_of_c(name);
                if is_other && name.is_some_and(|name| is_of_the_ir(name) && !is_of_text(name)) {
                    return self.unsupported(state, OTHER_TYPE, line);
                }
                self.make_call(*ty, callee, arguments, state, line)
            }
            // An integer where an expression is wanted is a literal `int32`.
            (_, [Val::Expr(Some(a)), Val::Int(num)]) if kind.fields().len() == 2 => {
                let literal = self.literal(I32, *num, &mut state);
                self.make(kind, *a, literal, state, line)
            }
            (_, [Val::Expr(Some(a)), Val::Expr(Some(b))]) if kind.fields().len() == 2 => {
                self.make(kind, *a, *b, state, line)
            }
            _ => self.unsupported(state, format!("{}::make", kind.name()), line),
        }
    }

    /// Tests whether a name is that of a variable of the input that nothing is known to bind. It
    /// may stand for a parameter or a buffer, which its name alone does not give. A hint of
    /// `HalideIR` is no such name.
    fn drops_parameter(&self, name: &Val, state: &State) -> bool {
        let Some(name) = Self::name_of(name, state) else { return false };
        let of_name = |kinds: &[Kind], is_input: bool| {
            state.nodes.iter().enumerate().any(|(index, node)| {
                node.shape.as_ref().is_some_and(|shape| {
                    kinds.contains(&shape.kind)
                        && (!is_input || index == 0 || node.is_learnt)
                        && matches!(shape.fields.first(), Some(Field::Expr(of))
                            if state.is_same(*of, name))
                })
            })
        };
        !self.is_concrete()
            && self.profile.name != "heterocl"
            && of_name(&[Kind::Variable], true)
            && !of_name(&[Kind::Let, Kind::LetStmt, Kind::For], false)
    }

    /// Makes a variable from a name, or from a printed operand.
    fn make_variable(&mut self, ty: Type, name: &Val, state: State) -> Paths<Val> {
        let mut state = state;

        // A variable named after the printed text of an operand takes that operand's own name.
        let printed = match name {
            Val::Rope(pieces) => match pieces.as_slice() {
                [Piece::Node(node)] => Self::name_of(&Val::Expr(Some(*node)), &state),
                _ => None,
            },
            _ => None,
        };
        let name = match printed.or_else(|| Self::name_of(name, &state)) {
            Some(name) => name,
            None => self.fresh_node_name(&mut state),
        };
        let node = Self::variable(ty, name, &mut state);
        vec![(state, Val::Expr(Some(node)))]
    }

    /// Makes a call of the function that a value names.
    pub(crate) fn make_call(
        &mut self,
        ty: Type,
        callee: &Val,
        arguments: &Val,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let kind = Kind::Call;
        let mut state = state;

        let callee = match callee {
            Val::Text(text) => text.clone(),
            // An unknown callee keeps its placeholder name, so that it remains the same callee.
            Val::Handle(name) if self.is_callee(name) => name.clone(),
            Val::Handle(name) => name.rsplit("::").next().unwrap_or_default().to_owned(),
            _ => return self.unsupported(state, "Call::make of a name", line),
        };
        let mut fields = Vec::new();
        for argument in members(arguments) {
            match argument {
                Val::Expr(Some(node)) => fields.push(Field::Expr(node)),
                Val::Int(num) => {
                    fields.push(Field::Expr(self.literal(I32, num, &mut state)));
                }
                _ => return self.unsupported(state, "Call::make of these", line),
            }
        }
        let node = state.add(ty, None, Some(Shape { kind, fields }));
        state.node_mut(node).intrinsic = Some(callee);
        vec![(state, Val::Expr(Some(node)))]
    }

    fn is_callee(&self, name: &str) -> bool {
        name.starts_with(CALLEE) && !self.is_concrete()
    }

    /// Forks on whether two nodes have the same structure.
    pub(crate) fn equal(&mut self, a: NodeId, b: NodeId, state: State) -> (Vec<State>, Vec<State>) {
        let (a, b) = (state.find(a), state.find(b));
        let (left, right) = (state.node(a), state.node(b));
        if a == b {
            return (vec![state], Vec::new());
        }
        if left.ty != right.ty || state.occurs(a, b) || state.occurs(b, a) {
            return (Vec::new(), vec![state]);
        }
        if left.ty == Type::NAME && left.shape.is_some() && right.shape.is_some() {
            return if state.is_same(a, b) {
                (vec![state], Vec::new())
            } else {
                (Vec::new(), vec![state])
            };
        }
        if let (Some(first), Some(second)) = (left.shape.clone(), right.shape.clone()) {
            if self.is_concrete() {
                return if state.is_same(a, b) && !left.is_undefined() {
                    (vec![state], Vec::new())
                } else {
                    (Vec::new(), vec![state])
                };
            }
            if first.kind != second.kind
                || first.kind != Kind::Call && first.fields.len() != second.fields.len()
                || left.is_undefined()
                || right.is_undefined()
            {
                return (Vec::new(), vec![state]);
            }
            let is_other = match (&left.intrinsic, &right.intrinsic) {
                (Some(first), Some(second)) => first != second,
                (Some(of), None) => right.not_intrinsics.contains(of),
                (None, Some(of)) => left.not_intrinsics.contains(of),
                (None, None) => false,
            };
            if is_other {
                return (Vec::new(), vec![state]);
            }
            if first.fields.is_empty() || first.kind == Kind::Call {
                let (mut holds, fails) = self.choose(state);
                let values = (self.node_value(a, &holds), self.node_value(b, &holds));
                let same = self.values.apply(Fun::Eq, &[values.0, values.1]);
                holds.facts.push(same);
                return (vec![holds], vec![fails]);
            }
            if !state.is_nested(a) || !state.is_nested(b) {
                let (holds, fails) = self.choose(state);
                return (vec![holds], vec![fails]);
            }
            let mut holds = vec![state];
            let mut fails = Vec::new();
            for (first, second) in first.fields.iter().zip(&second.fields) {
                let mut next = Vec::new();
                for state in holds {
                    let (yes, no) = match (first, second) {
                        (Field::Expr(a), Field::Expr(b)) => self.equal(*a, *b, state),
                        (Field::Number(a), Field::Number(b)) => {
                            let same = self.values.apply(Fun::Eq, &[*a, *b]);
                            self.fork(same, state)
                        }
                        (Field::Opaque(a), Field::Opaque(b)) if a == b => (vec![state], Vec::new()),
                        (Field::Opaque(_), Field::Opaque(_)) => {
                            let (holds, fails) = self.choose(state);
                            (vec![holds], vec![fails])
                        }
                        _ => (vec![state], Vec::new()),
                    };
                    next.extend(yes);
                    fails.extend(no);
                }
                holds = next;
            }
            for state in holds.iter_mut().filter(|state| state.node(a).ty.is_value()) {
                let values = (self.node_value(a, state), self.node_value(b, state));
                if values.0 != values.1 {
                    let same = self.values.apply(Fun::Eq, &[values.0, values.1]);
                    state.facts.push(same);
                }
            }
            return (holds, fails);
        }
        let (opaque, other) = if left.shape.is_none() { (a, b) } else { (b, a) };
        if let Some(shape) = state.shape(other)
            && state.node(opaque).not & crate::ir::kinds::bit(shape.kind) != 0
        {
            return (Vec::new(), vec![state]);
        }
        let was = |(atom, holds): &(Atom, bool)| match atom {
            Atom::Equal(x, y) if !holds => {
                let pair = (state.find(*x), state.find(*y));
                pair == (a, b) || pair == (b, a)
            }
            _ => false,
        };
        if state.trail.iter().any(was) {
            return (Vec::new(), vec![state]);
        }
        let mut holds = state.clone();
        holds.decide(Atom::Equal(a, b), true);
        holds.unite(opaque, other);
        let mut fails = state;
        fails.decide(Atom::Equal(a, b), false);
        (vec![holds], vec![fails])
    }

    /// `mutate`: returns a new node of the class, of any shape.
    pub(crate) fn mutate(&mut self, node: NodeId, state: State, line: usize) -> Paths<Val> {
        if self.is_concrete() {
            return self.mutate_concretely(node, state, line);
        }
        let mut state = state;
        self.runs_mutators(&mut state, line);
        let (ty, class) = {
            let known = state.node(node);
            (known.ty, known.class)
        };
        if self.makes_masks && is_masked(ty) {
            return self.mutate_to_mask(node, &state, line);
        }
        let assumed = state.conditions();
        if !assumed.is_empty() && self.remembers() {
            let what = "a mutation under a condition, of which the class keeps the result";
            return self.unsupported(state, what, line);
        }
        if !assumed.is_empty() && ty == Type::LIST {
            return self.unsupported(state, "a list that is mutated under a condition", line);
        }
        if !assumed.is_empty() {
            let new = state.add(ty, None, None);
            if ty == Type::STMT {
                state.node_mut(new).not |= crate::ir::kinds::bit(Kind::Undefined);
            }
            let returned = state.node(new).class;
            state.scoped.push(Scoped { given: class, returned, assumed });
            self.visited(Some(new), &mut state);
            return vec![(state, Val::Expr(Some(new)))];
        }
        let new = state.add(ty, Some(class), None);
        state.mutated.push((node, new));
        self.visited(Some(new), &mut state);
        vec![(state, Val::Expr(Some(new)))]
    }

    /// Tests whether `mutate` of the class returns what it made of the same node before, whatever
    /// was assumed then (`IRGraphMutator` in `IRMutator.cpp`).
    fn remembers(&self) -> bool {
        self.classes_of(&self.class).iter().any(|of| of.starts_with("IRGraphMutator"))
    }

    /// Updates the object after a node was mutated. Members that were assigned become unknown, as
    /// any method may have assigned them.
    pub(super) fn visited(&self, result: Option<NodeId>, state: &mut State) {
        self.forget_tables(state);
        if self.mode.is_emitter() {
            return;
        }
        state.visits += 1;
        state.filled.clear();
        forget_places(state);
        if state.members.iter().any(|slot| slot.value.any(&mut is_local_place)) {
            state.lost = Some("a place in a member, which other methods may assign");
        }
        for slot in &mut state.members {
            if !["expr", "stmt"].contains(&slot.name.as_str()) {
                // Each time it may be another value. A scope is known by its name.
                let is_scope =
                    self.purpose(&slot.name).is_some() || invariant(&slot.name).is_some();
                let name = slot.name.clone();
                slot.value =
                    Val::Handle(if is_scope { name } else { changed(&name, state.visits) });
            }
        }
        self.leave_result(result, state);
    }

    /// Sets the members that hold results after `mutate`. In `HalideIR` one of them holds the
    /// result, as `mutate` returned a copy. Elsewhere neither holds it, as the result is moved out
    /// (`IRMutator.cpp`).
    pub(crate) fn leave_result(&self, result: Option<NodeId>, state: &mut State) {
        let result = result.filter(|_| self.profile.name == "heterocl");
        let is_stmt = result.is_some_and(|node| state.node(node).ty == Type::STMT);
        state.members.retain(|slot| !["expr", "stmt"].contains(&slot.name.as_str()));
        let (name, ty) = if is_stmt { ("stmt", "Stmt") } else { ("expr", "Expr") };
        let value = Val::Expr(result);
        state.members.push(Slot { name: name.to_owned(), ty: ty.to_owned(), value });
    }
}

fn crash(kind: Kind, what: &str) -> Outcome {
    Outcome::Crash(format!("{}::make {what}", kind.name()))
}

/// Tests whether a value is the place of a variable of a function.
fn is_local_place(value: &Val) -> bool {
    matches!(value, Val::Address(place) | Val::Reference(place)
        if matches!(place.root(), Place::Local(..)))
}
