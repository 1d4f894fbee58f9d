//! Visitors: classes that only look at IR.
//!
//! # Correctness
//!
//! A visitor of an expression that is not wholly known may set its flags or leave them. Unset flags
//! are evidence only if every method that meets a load or a call with side
//! effects sets a flag, no method resets one, and each other method visits all operands or sets a
//! flag too. Then the value of the visited expression does not depend on memory. All methods and
//! bases of the visitor must be known. An object that visits each node only once must not have
//! accepted anything before, nor may the object that it copies.

use halidom_cpp::ast::{Declared, Expr, ExprKind, Function, Stmt, StmtKind};
use halidom_cpp::{Sign, words};

use crate::ir::kinds::{I32, Kind, Type};
use crate::ir::layout::operand_types;
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::{Slot, State};
use crate::ir::value::{Place, Val};
use crate::machine::audits::within;
use crate::machine::descent::is_declared;
use crate::machine::emptiness::fills_from_nothing;
use crate::machine::lookup::last_part;
use crate::machine::names::TypeName;
use crate::machine::objects::BRACED;
use crate::machine::run::{Machine, Paths};
use crate::machine::types::integer_type;
use crate::machine::variables::FLAGS;

/// The classes whose objects visit a node only once, however often they accept it.
const VISITS_ONCE: [&str; 2] = ["IRGraphVisitor", "IRGraphMutator"];

/// The member of such an object that tells whether it accepted something. No other member has this
/// name.
const VISITED: &str = "whether it accepted something";

impl<'p> Machine<'p> {
    /// Makes an object of a visitor's class, or of a structure without methods and bases.
    pub(crate) fn object(&mut self, ty: &str) -> Option<Val> {
        let program = self.program;
        let class = program.classes.iter().find(|class| class.name == ty)?;
        // Assignments in a constructor are not followed.
        let is_constructed =
            program.functions.iter().any(|function| function.class == ty && function.name == ty);
        // What a mutator keeps in its members is not known.
        if let Some(members) = self.members_of_mutator(ty) {
            return Some(Val::Object(members));
        }
        if self.method_for(ty, "").is_none() {
            let has_methods = program.functions.iter().any(|function| function.class == ty);
            let is_plain = class.bases.is_empty() && !class.fields.is_empty() && !has_methods;
            return is_plain.then(|| self.structure(&class.fields));
        }
        let fields = class.fields.iter().map(|field| {
            let value = match field.value.as_ref().map(|value| &value.kind) {
                Some(ExprKind::Bool(value)) if !is_constructed && field.ty == "bool" => {
                    Val::Bool(self.values.bool(*value))
                }
                _ => Val::Handle(field.ty.clone()),
            };
            (field.name.clone(), value)
        });
        let mut fields: Vec<(String, Val)> = fields.collect();
        if self.classes_of(ty).iter().any(|class| VISITS_ONCE.contains(&class.as_str())) {
            fields.push((VISITED.to_owned(), Val::Bool(self.values.bool(false))));
        }
        Some(Val::Object(fields))
    }

    /// Makes a structure whose members have their initial values.
    fn structure(&mut self, fields: &[Declared]) -> Val {
        let members = fields.iter().map(|field| {
            let value = match field.value.as_ref().map(|value| &value.kind) {
                Some(ExprKind::Bool(value)) if field.ty == "bool" => {
                    Val::Bool(self.values.bool(*value))
                }
                Some(_) => Val::Unknown,
                None if field.ty == "bool" => {
                    let any = self.fresh_name(&field.name);
                    Val::Bool(self.values.var(&any, halidom_rewrites::rules::Domain::Bool))
                }
                None => match integer_type(&field.ty) {
                    Some((bits, signed)) => Val::Int(self.any_number(&field.name, bits, signed)),
                    None => Self::default(&field.ty),
                },
            };
            (field.name.clone(), value)
        });
        Val::Object(members.collect())
    }

    /// A list in braces as a structure without methods and bases, if the type is one.
    pub(crate) fn aggregate(&mut self, ty: &str, value: Val, state: &mut State) -> Val {
        if !self.may_initialize(ty, &value) {
            state.lost = Some(BRACED);
            return Val::Unknown;
        }
        let values = crate::ir::value::members(&value);
        let local = self.local(ty).filter(|local| local.constructors.is_empty());
        let known = self.program.classes.iter().find(|class| class.name == ty);
        let known = local.map(|local| &local.class).or(known);
        let Some(class) = known.filter(|class| class.fields.len() == values.len()) else {
            let is_pair = matches!(&value, Val::Object(pair)
                if pair.first().is_some_and(|(name, _)| name == "first"));
            return if known.is_some() && is_pair { Val::Unknown } else { value };
        };
        // A member that refers to a place would be a copy.
        if class.fields.iter().any(|field| field.ty.ends_with('&') || self.may_refer(&field.ty)) {
            return Val::Unknown;
        }
        let is_positional = match &value {
            Val::Object(pair) => pair.first().is_some_and(|(name, _)| name == "first"),
            value => matches!(value, Val::List(_)),
        };
        let has_methods = self.program.functions.iter().any(|function| function.class == ty);
        if is_positional && !class.bases.is_empty() {
            return Val::Unknown;
        }
        if !is_positional || has_methods {
            return value;
        }
        let of = |field: &Declared| (field.name.clone(), field.ty.clone());
        let fields: Vec<_> = class.fields.iter().map(of).collect();
        let member = |((name, ty), value): ((String, String), Val)| {
            (name, self.initialize(&ty, value, state))
        };
        Val::Object(fields.into_iter().zip(values).map(member).collect())
    }

    /// The method of a class that visits a kind of node. With an empty kind, any such method.
    pub(crate) fn method_for(&self, class: &str, kind: &str) -> Option<&'p Function> {
        let program: &'p crate::machine::program::Program = self.program;
        program.functions.iter().find(|function| {
            ["visit", "Visit_", "Mutate_"].contains(&function.name.as_str())
                && function.class == class
                && function.parameters.first().is_some_and(|first| {
                    first.ty.ends_with('*')
                        && (kind.is_empty() || first.ty.trim_end_matches('*') == kind)
                })
        })
    }

    /// Sets the maps, scopes and flags of the object whose method runs to their values before any
    /// visit.
    pub(crate) fn init_members(&mut self, state: &mut State) {
        let program = self.program;
        let flags = FLAGS.map(|name| (name, self.has_flag(name)));
        for (name, _) in flags.into_iter().filter(|(_, is_known)| *is_known) {
            let value = Val::Bool(self.values.bool(false));
            state.members.push(Slot { name: name.to_owned(), ty: "bool".to_owned(), value });
        }
        let Some(class) = program.classes.iter().find(|class| class.name == self.class) else {
            return;
        };
        for field in &class.fields {
            let value = match field.value.as_ref().map(|value| &value.kind) {
                Some(ExprKind::Bool(value)) if field.ty == "bool" => {
                    Val::Bool(self.values.bool(*value))
                }
                Some(ExprKind::Bool(_)) => continue,
                Some(ExprKind::Integer(value, _)) => match integer_type(&field.ty) {
                    Some((bits, is_signed)) => {
                        let num = self.number(*value, 64, true);
                        Val::Int(self.convert(num, bits, is_signed))
                    }
                    None => continue,
                },
                // `bool found{false};`
                Some(ExprKind::Braces(_, parts)) => match parts.first().map(|part| &part.kind) {
                    Some(ExprKind::Bool(value)) if field.ty == "bool" => {
                        Val::Bool(self.values.bool(*value))
                    }
                    Some(ExprKind::Integer(value, _)) if field.ty == "int" => {
                        Val::Int(self.number(*value, 32, true))
                    }
                    _ => continue,
                },
                // What no method assigns comes from outside, and is not known.
                None if ["Expr", "Stmt"].contains(&field.ty.as_str()) => {
                    if !self.assigns(&class.name, &field.name) {
                        continue;
                    }
                    Val::Expr(None)
                }
                // The same holds of texts, where names are texts.
                None if self.spells
                    && matches!(
                        TypeName::of(&field.ty),
                        TypeName::String | TypeName::StdString
                    ) =>
                {
                    if !self.assigns(&class.name, &field.name) {
                        continue;
                    }
                    Val::Text(String::new())
                }
                // A flag that the constructor sets.
                _ if field.ty == "bool" => Val::Bool(self.values.bool(self.flags)),
                // What a constructor puts there is not followed.
                _ if (crate::machine::types::is_map_type(&field.ty)
                    || crate::machine::types::is_vector_type(&field.ty))
                    && self.fills(&class.name, &field.name) =>
                {
                    Val::Unknown
                }
                _ if crate::machine::types::is_map_type(&field.ty) => Val::Map(Vec::new()),
                _ if crate::machine::types::is_vector_type(&field.ty) => Val::List(Vec::new()),
                _ => continue,
            };
            state.members.push(Slot { name: field.name.clone(), ty: field.ty.clone(), value });
        }
    }

    /// Tests whether a constructor of a class may give a member something, even where its own
    /// arguments are empty.
    fn fills(&self, class: &str, member: &str) -> bool {
        let constructors = self
            .program
            .functions
            .iter()
            .filter(|function| function.class == class && function.name == class);
        let mut constructors = constructors.filter(|of| words(&of.text).any(|word| word == member));
        constructors.any(|constructor| fills_from_nothing(constructor, member))
    }

    /// Tests whether a member is undefined until a method of its class assigns it: a method does,
    /// and no constructor gives it a value.
    fn assigns(&self, class: &str, member: &str) -> bool {
        let own = || self.program.functions.iter().filter(|function| function.class == class);
        let is_it = |place: &Expr| match &place.kind {
            ExprKind::Name(name) => name == member,
            ExprKind::Member { object, name, .. } => {
                object.kind == ExprKind::This && name == member
            }
            _ => false,
        };
        let assigns = |function: &Function| {
            let mut found = false;
            function.visit(&mut |part| {
                found |= matches!(&part.kind, ExprKind::Assign(_, place, _) if is_it(place));
            });
            found
        };
        let gives = |function: &Function| {
            function.initializers.iter().any(|(name, _)| name == member) || assigns(function)
        };
        let (made, methods): (Vec<&Function>, Vec<&Function>) =
            own().partition(|function| function.name == class);
        !made.into_iter().any(gives) && methods.into_iter().any(assigns)
    }

    /// `e.accept(&visitor)`.
    pub(crate) fn accept(
        &mut self,
        node: NodeId,
        visitor: &Place,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let Some(Slot { ty, value: Val::Object(fields), .. }) = Self::load(visitor, &state) else {
            return self.unsupported(state, "a visitor that is not known", line);
        };
        let ty = ty.trim_end_matches('&').to_owned();
        if !self.is_concrete() {
            return self.accept_unknown(node, visitor, &ty, fields, state, line);
        }
        let mut state = state;
        let slots = fields.into_iter().map(|(name, value)| Slot { name, ty: String::new(), value });
        let outer = std::mem::replace(&mut state.members, slots.collect());
        let class = std::mem::replace(&mut self.class, ty);
        let paths = self.walk(node, state);
        self.class = class;
        let mut done = Vec::new();
        for (mut state, ()) in paths {
            let fields = std::mem::replace(&mut state.members, outer.clone());
            let fields = fields.into_iter().map(|slot| (slot.name, slot.value)).collect();
            self.store(visitor, Val::Object(fields), &mut state);
            done.push((state, Val::Void));
        }
        done
    }

    /// Visits a node with the methods of the class that runs.
    fn walk(&mut self, node: NodeId, state: State) -> Paths<()> {
        let Some(Shape { kind, .. }) = state.shape(node) else { return vec![(state, ())] };
        let kind = *kind;
        match self.method_for(&self.class.clone(), kind.name()) {
            Some(function) => {
                let arguments = Self::visit_arguments(function, node, kind);
                let paths = self.call(function, arguments, state);
                paths.into_iter().map(|(state, _)| (state, ())).collect()
            }
            None => self.walk_operands(node, state),
        }
    }

    /// The default behaviour of a visitor: visits the operands.
    pub(crate) fn walk_operands(&mut self, node: NodeId, state: State) -> Paths<()> {
        let fields = state.shape(node).map(|shape| shape.fields.clone()).unwrap_or_default();
        let mut states = vec![state];
        for field in fields {
            if let Field::Expr(inner) = field {
                states = states
                    .into_iter()
                    .flat_map(|state| self.walk(inner, state))
                    .map(|(state, ())| state)
                    .collect();
            }
        }
        states.into_iter().map(|state| (state, ())).collect()
    }

    /// The arguments for a method that visits a node.
    pub(crate) fn visit_arguments(function: &Function, node: NodeId, kind: Kind) -> Vec<Val> {
        function
            .parameters
            .iter()
            .map(|parameter| match TypeName::of(parameter.ty.trim_end_matches('&')) {
                TypeName::Expr | TypeName::Stmt => Val::Expr(Some(node)),
                TypeName::Other(ty)
                    if ty.ends_with('*') && Kind::named(ty.trim_end_matches('*')) == Some(kind) =>
                {
                    Val::Ptr(Some((node, kind)))
                }
                ty => Val::Handle(ty.text().to_owned()),
            })
            .collect()
    }

    fn accept_unknown(
        &mut self,
        node: NodeId,
        visitor: &Place,
        class: &str,
        fields: Vec<(String, Val)>,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let mut fields = fields;
        let marks = fields.extract_if(.., |(name, _)| name == VISITED).collect::<Vec<_>>();
        let is_new = marks.iter().all(|(_, mark)| *mark == Val::Bool(self.values.bool(false)));
        let visited = (VISITED.to_owned(), Val::Bool(self.values.bool(true)));
        let visited = marks.first().map(|_| visited);
        // What a visitor with other members finds can be anything.
        if !fields.iter().all(|(_, value)| matches!(value, Val::Bool(_))) {
            let is_followed =
                |value: &Val| matches!(value, Val::Bool(_) | Val::Handle(_) | Val::List(_));
            if !fields.iter().all(|(_, value)| is_followed(value)) {
                return self.unsupported(state, format!("what {class} finds"), line);
            }
            let mut state = state;
            self.change_by(&fields, &mut state);
            let found = fields.into_iter().map(|(name, value)| {
                let any = self.fresh_name("found");
                let value = match value {
                    // What it may change stays the same.
                    Val::List(_) => value,
                    Val::Bool(_) => {
                        Val::Bool(self.values.var(&any, halidom_rewrites::rules::Domain::Bool))
                    }
                    _ => Val::Handle(any),
                };
                (name, value)
            });
            let found = Val::Object(found.chain(visited).collect());
            self.store(visitor, found, &mut state);
            return vec![(state, Val::Void)];
        }
        let (mut left, mut set) = self.choose(state);
        let (is_pure, is_steady) = self.is_steady_visitor(class, &fields);
        let of = left.node(node).class;
        let is_pure = is_pure && is_new;
        if is_pure {
            left.pure.push(of);
        }
        if is_pure && is_steady {
            left.steady.push(of);
        }
        let mut other = Vec::new();
        let mut is_other = self.values.bool(false);
        let count = fields.len();
        let fields_left = fields.clone();
        for (name, default) in fields {
            let Val::Bool(default) = default else { continue };
            if count == 1 {
                let flag = self.values.apply(halidom_rewrites::rules::Fun::Not, &[default]);
                other.push((name, Val::Bool(flag)));
                is_other = self.values.bool(true);
                continue;
            }
            let flag = self.fresh_name("flag");
            let flag = self.values.var(&flag, halidom_rewrites::rules::Domain::Bool);
            let differs = self.comparison(Sign::Ne, flag, default);
            is_other = self.values.apply(halidom_rewrites::rules::Fun::Or, &[is_other, differs]);
            other.push((name, Val::Bool(flag)));
        }
        set.facts.push(is_other);
        if let Some(visited) = visited {
            let kept = fields_left.into_iter().chain([visited.clone()]);
            self.store(visitor, Val::Object(kept.collect()), &mut left);
            other.push(visited);
        }
        self.store(visitor, Val::Object(other), &mut set);
        vec![(left, Val::Void), (set, Val::Void)]
    }

    /// Tests whether an expression that a visitor accepts calls nothing with effects, and whether
    /// it loads nothing.
    fn is_steady_visitor(&mut self, class: &str, fields: &[(String, Val)]) -> (bool, bool) {
        let mut flags = Vec::new();
        for (name, value) in fields {
            // A flag whose initial value is not known gives no evidence.
            let Val::Bool(value) = value else { return (false, false) };
            let Some(value) = self.values.as_number(*value) else { return (false, false) };
            flags.push((name.as_str(), value == 1));
        }
        let of = format!("{class} {flags:?}");
        if let Some((_, known)) = self.steady_visitors.iter().find(|(known, _)| *known == of) {
            return *known;
        }
        let program = self.program;
        let classes = self.classes_of(class);
        let methods: Vec<&Function> =
            program.functions.iter().filter(|function| classes.contains(&function.class)).collect();
        // The default behaviour is known if a class replaces only methods for kinds of nodes.
        let is_usual = |function: &&&Function| {
            ["visit", "Visit_"].contains(&function.name.as_str()) || function.name == function.class
        };
        let is_known = is_declared(program, class)
            && !classes.iter().any(|class| program.bodiless.contains(class));
        let is_monotone = is_known
            && methods.iter().all(|function| is_usual(&function))
            && methods.iter().all(|function| {
                flags.iter().all(|(name, value)| only_sets(function, name, !*value))
            })
            && methods.iter().all(|function| {
                if !["visit", "Visit_"].contains(&function.name.as_str()) {
                    return true;
                }
                let of = function.parameters.first().map(|first| first.ty.trim_end_matches('*'));
                let kind = of.and_then(Kind::named);
                // What the methods for these say of their nodes is examined below.
                let is_own =
                    !matches!(kind, Some(Kind::Load | Kind::Call)) || function.class == class;
                // That examination takes all calls for impure ones.
                let flags_always = |machine: &mut Self| match kind {
                    Some(Kind::Call) | None => false,
                    Some(kind) => machine.always_flags(class, kind, fields),
                };
                is_own && (visits_operands(function, (&classes, &flags)) || flags_always(self))
            });
        // HeteroCL has effects that are no calls.
        let effects: &[Kind] = match self.profile.name {
            "heterocl" => &[Kind::Call, Kind::StreamExpr, Kind::KernelExpr],
            _ => &[Kind::Call],
        };
        let is_pure =
            is_monotone && effects.iter().all(|kind| self.always_flags(class, *kind, fields));
        let is_steady = is_monotone && self.always_flags(class, Kind::Load, fields);
        self.steady_visitors.push((of, (is_pure, is_steady)));
        (is_pure, is_steady)
    }

    /// Tests whether the method for a kind of node sets a flag on every path, at each type of the
    /// node and of its operands.
    fn always_flags(&mut self, class: &str, kind: Kind, fields: &[(String, Val)]) -> bool {
        let scalars = Type::SCALARS.into_iter();
        let all: Vec<Type> = scalars
            .flat_map(|ty| [false, true].map(|is_vector| ty.with_vector(is_vector)))
            .collect();
        let types: Vec<(Type, Type)> = if kind.is_stmt() {
            all.into_iter().map(|operand| (I32, operand)).collect()
        } else {
            let admitted = all.into_iter().filter(|ty| kind.admits(*ty));
            let of = |ty| operand_types(kind, ty, self.profile.name).into_iter();
            admitted.flat_map(|ty| of(ty).map(move |of| (ty, of))).collect()
        };
        types.into_iter().all(|types| self.flags_at(class, kind, types, fields))
    }

    /// Tests whether the method for a kind of node sets a flag on every path, at a type of the node
    /// and one of its operands.
    fn flags_at(
        &mut self,
        class: &str,
        kind: Kind,
        (ty, operand): (Type, Type),
        fields: &[(String, Val)],
    ) -> bool {
        let Some(function) = self.method_for(class, kind.name()) else { return false };
        let mut state = State::default();
        let node = state.add(ty, None, None);
        let shape = state.opaque_fields(node, kind, (operand, self.profile.name), &mut self.values);
        state.node_mut(node).shape = Some(Shape { kind, fields: shape });
        state.members = fields
            .iter()
            .map(|(name, value)| Slot {
                name: name.clone(),
                ty: String::new(),
                value: value.clone(),
            })
            .collect();
        let before = state.members.clone();
        let (ends, is_told) = (std::mem::take(&mut self.ends), self.is_told);
        let outer = std::mem::replace(&mut self.class, class.to_owned());
        let impure = std::mem::replace(&mut self.are_calls_impure, true);
        let arguments = Self::visit_arguments(function, node, kind);
        let paths = self.call(function, arguments, state);
        self.are_calls_impure = impure;
        self.class = outer;
        let is_followed = std::mem::replace(&mut self.ends, ends).is_empty() && !self.is_told;
        self.is_told = is_told;
        is_followed
            && !paths.is_empty()
            && paths.iter().all(|(state, _)| {
                state.lost.is_none()
                    && before.iter().any(|old| {
                        let new = state.members.iter().find(|slot| slot.name == old.name);
                        new.is_some_and(|new| {
                            new.value != old.value && matches!(new.value, Val::Bool(_))
                        })
                    })
            })
    }
}

/// Tests whether a method calls the default visit of the node that it takes, or else gives a flag
/// another value than its first one, in each case of its conditional statements.
/// `classes` are the method's class and its bases.
fn visits_operands(function: &Function, (classes, flags): (&[String], &[(&str, bool)])) -> bool {
    let Some(taken) = function.parameters.first().map(|first| first.name.as_str()) else {
        return false;
    };
    visits_in(&function.body, taken, (classes, flags))
}

fn visits_in(stmts: &[Stmt], taken: &str, (classes, flags): (&[String], &[(&str, bool)])) -> bool {
    let is_taken = |expr: &Expr| matches!(&expr.kind, ExprKind::Name(name) if name == taken);
    let is_flag = |place: &Expr, set: &Expr| {
        let ExprKind::Name(of) = &place.kind else { return false };
        flags.iter().any(|(flag, first)| flag == of && set.kind == ExprKind::Bool(!*first))
    };
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Expr(expr) => match &expr.kind {
                ExprKind::Assign(None, place, set) if is_flag(place, set) => return true,
                ExprKind::Call { callee, arguments, .. } => {
                    if let ExprKind::Name(name) = &callee.kind
                        && let Some(base) = name.strip_suffix("::visit")
                        && base.ends_with("Visitor")
                        && classes.iter().any(|class| class == base)
                    {
                        return arguments.first().is_some_and(is_taken);
                    }
                }
                _ => {}
            },
            StmtKind::If { then, otherwise, declared: None, .. } => {
                let visits =
                    |stmt: &Stmt| visits_in(std::slice::from_ref(stmt), taken, (classes, flags));
                if visits(then) && otherwise.as_deref().is_some_and(visits) {
                    return true;
                }
                if returns(stmt) {
                    return false;
                }
            }
            StmtKind::Block(inner) => {
                if visits_in(inner, taken, (classes, flags)) {
                    return true;
                }
                if returns(stmt) {
                    return false;
                }
            }
            StmtKind::Declare(all)
                if all.iter().all(|declared| {
                    declared.name != taken && flags.iter().all(|(flag, _)| *flag != declared.name)
                }) => {}
            StmtKind::Nothing => {}
            _ => return false,
        }
        if may_assign(stmt, taken) {
            return false;
        }
    }
    false
}

/// Tests whether a statement may end the method around it, or is not understood.
fn returns(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Expr(_) | StmtKind::Declare(_) | StmtKind::Nothing => false,
        StmtKind::Block(stmts) => stmts.iter().any(returns),
        StmtKind::If { then, otherwise, .. } => {
            returns(then) || otherwise.as_deref().is_some_and(returns)
        }
        _ => true,
    }
}

/// Tests whether a statement may give a variable another value: names it other than to read a
/// member of what it points to.
fn may_assign(stmt: &Stmt, name: &str) -> bool {
    let is_it = |expr: &Expr| matches!(&expr.kind, ExprKind::Name(of) if of == name);
    let (mut named, mut read) = (0_usize, 0_usize);
    stmt.visit(&mut |expr| {
        named += usize::from(is_it(expr));
        read += match &expr.kind {
            ExprKind::Member { object, arrow: true, .. } => usize::from(is_it(object)),
            _ => 0,
        };
    });
    named != read
}

/// Tests whether a method does nothing with a member but give it one truth value and test it. Each
/// mention of the name, and of the object itself, must be one of these: else the member may be
/// known by another name.
fn only_sets(function: &Function, name: &str, value: bool) -> bool {
    let is_it = |expr: &Expr| match &expr.kind {
        ExprKind::Name(of) => last_part(of) == name,
        ExprKind::Member { name: of, .. } => last_part(of) == name,
        _ => false,
    };
    let is_object = |expr: &Expr| matches!(expr.kind, ExprKind::This);
    let (mut named, mut known, mut is_followed) = (0_usize, 0_usize, true);
    let (mut objects, mut known_objects) = (0_usize, 0_usize);
    let mut look = |expr: &Expr| {
        named += usize::from(is_it(expr));
        objects += usize::from(is_object(expr));
        match &expr.kind {
            ExprKind::Assign(None, place, set)
                if is_it(place) && set.kind == ExprKind::Bool(value) =>
            {
                known += 1;
            }
            ExprKind::Prefix(Sign::Not, of) => known += usize::from(is_it(of)),
            ExprKind::Binary(Sign::And | Sign::Or, a, b) => {
                known += usize::from(is_it(a)) + usize::from(is_it(b));
            }
            ExprKind::Member { object, .. } => known_objects += usize::from(is_object(object)),
            ExprKind::Call { callee, arguments, .. } => {
                if matches!(&callee.kind, ExprKind::Member { name, .. } if name == "accept") {
                    known_objects += arguments.iter().filter(|of| is_object(of)).count();
                }
            }
            ExprKind::Lambda(_) | ExprKind::Other(_) => is_followed = false,
            _ => {}
        }
    };
    function.visit(&mut look);
    known += conditions(&function.body).into_iter().filter(|of| is_it(of)).count();
    is_followed && named == known && objects == known_objects && is_read(&function.body)
}

/// The conditions of the conditional statements and the loops among some statements.
fn conditions(stmts: &[Stmt]) -> Vec<&Expr> {
    let mut found = Vec::new();
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::If { condition, .. } => found.extend(condition.iter()),
            StmtKind::While(condition, _) => found.push(condition),
            _ => {}
        }
        for list in within(stmt) {
            found.extend(conditions(list));
        }
    }
    found
}

/// Tests whether statements contain no `switch` and nothing that the parser left unread.
fn is_read(stmts: &[Stmt]) -> bool {
    let one = |stmt: &Stmt| is_read(std::slice::from_ref(stmt));
    stmts.iter().all(|stmt| match &stmt.kind {
        StmtKind::Block(stmts) => is_read(stmts),
        StmtKind::If { then, otherwise, .. } => {
            one(then) && otherwise.as_ref().is_none_or(|stmt| one(stmt))
        }
        StmtKind::For { body, .. } | StmtKind::While(_, body) | StmtKind::ForEach(_, _, body) => {
            one(body)
        }
        StmtKind::Expr(_)
        | StmtKind::Return(_)
        | StmtKind::Nothing
        | StmtKind::Declare(_)
        | StmtKind::Break
        | StmtKind::Continue => true,
        StmtKind::Switch(..) | StmtKind::Struct(_) | StmtKind::Other(_) => false,
    })
}
