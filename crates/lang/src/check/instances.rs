//! Generic functions from funcs to funcs, and the prelude that is written in them.

use halidom_base::IndexMap;
use halidom_diag::Span;
use halidom_ir::{ExprId, FuncDecl, FuncId, FuncKind, Scalar, Stage, Type, VarId};

use crate::codes;
use crate::names::nearest;
use crate::syntax::ast::{Expr, ExprKind, Function, Name, VarKind};
use crate::syntax::{count, given};

use super::scope::{Callable, Checker, Current, Frame, FrameArgument, Generic, Role};

/// The prelude's text.
pub(super) const PRELUDE: &str = include_str!("../prelude.hal");

impl<'a, 's> Checker<'a, 's> {
    /// `func name = function(arguments);`
    pub(super) fn instance(
        &mut self,
        name: Name<'s>,
        function: Name<'s>,
        arguments: &'a [Expr<'s>],
        span: Span,
    ) -> Option<FuncId> {
        let Some(generic) = self.generics.get(function.text).copied() else {
            let message = format!("there is no function `{}` that makes a func", function.text);
            return match nearest(function.text, self.generics.keys().copied()) {
                Some(near) => self.fail_with_hint(
                    codes::UNKNOWN_NAME,
                    function.span,
                    message,
                    format!("did you mean `{near}`?"),
                ),
                None => self.fail_with_hint(
                    codes::UNKNOWN_NAME,
                    function.span,
                    message,
                    format!(
                        "to define a func by a value, name its variables: `func {}(x, y) = …;`",
                        name.text
                    ),
                ),
            };
        };
        let params = &generic.function.params;
        if params.len() != arguments.len() {
            let wanted = count(params.len(), "argument");
            let given = given(arguments.len(), "argument");
            let message = format!("`{}` takes {wanted}, but {given}", function.text);
            return self.fail(codes::ARGUMENT_COUNT, span, message);
        }
        let mut bound = IndexMap::default();
        let mut rank = None;
        for (param, argument) in params.iter().zip(arguments) {
            let callable = if let ExprKind::Name(text) = &argument.kind {
                self.find_callable(text)
            } else {
                None
            };
            let value = match callable {
                Some(Callable::Bad) => return None,
                None if self.is_unknown(argument) => {
                    let ExprKind::Name(text) = argument.kind else { return None };
                    return self.unknown(Name { text, span: argument.span }, Role::Func);
                }
                Some(callable) => {
                    let (Callable::Input { func, .. } | Callable::Func(func)) = &callable else {
                        return None;
                    };
                    rank = rank.or(Some(self.pool.func(*func).rank()));
                    FrameArgument::Callable(callable)
                }
                None => FrameArgument::Value(argument),
            };
            bound.insert(param.text, value);
        }
        self.instantiate(name, generic, bound, rank, span)
    }

    /// Whether an argument is a name without meaning.
    fn is_unknown(&self, argument: &Expr<'s>) -> bool {
        if let ExprKind::Name(text) = argument.kind {
            self.find_callable(text).is_none() && self.find_binding(text).is_none()
        } else {
            false
        }
    }

    fn instantiate(
        &mut self,
        name: Name<'s>,
        generic: Generic<'a, 's>,
        arguments: IndexMap<&'s str, FrameArgument<'a, 's>>,
        rank: Option<usize>,
        span: Span,
    ) -> Option<FuncId> {
        let function = generic.function;
        let (vars, pack) = self.instance_vars(function, rank, span)?;
        let base = self.scope.bindings.len();
        self.scope.frame = Some(Frame {
            arguments,
            pack,
            member: None,
            base,
            blame: generic.in_prelude.then_some(span),
        });
        let mut flat = Vec::new();
        for (var, ids) in function.vars.iter().zip(vars) {
            if let (VarKind::Single, [id]) = (var.1, ids.as_slice()) {
                let id = self.pool.var_expr(*id);
                self.bind(var.0, super::scope::Value::Expr(id));
            }
            flat.extend(ids);
        }
        self.scope.current = Some(Current { name: name.text, stage: 0 });
        let expected = self.scope.outputs.get(name.text).map(|(scalar, ..)| *scalar);
        let value = match expected {
            Some(scalar) => self.check(&function.value, scalar),
            None => self.infer(&function.value, None),
        };
        let value = value.and_then(|value| {
            if self.scalar_of(value) == Scalar::Int {
                return self.fail_with_hint(
                    codes::STORED_INT,
                    function.value.span,
                    "a func cannot hold `int`, which has no size in memory",
                    "convert its value to a machine integer: `i32(…)`",
                );
            }
            self.limit_depth(value, function.value.span)
        });
        self.scope.frame = None;
        self.scope.bindings.truncate(base);
        let value = value?;
        let lhs = flat.iter().map(|var| self.pool.var_expr(*var)).collect();
        let stage = Stage { domain: Vec::new(), predicate: None, lhs, value };
        Some(self.pool.declare_func(FuncDecl {
            name: name.text.to_owned(),
            scalar: self.scalar_of(value),
            args: flat,
            kind: FuncKind::Defined { stages: vec![stage], synthetic: true },
        }))
    }

    /// Declares the variables of an instance: one for each plain variable, and as many for the pack as make the rank that of the first func given.
    #[expect(clippy::type_complexity, reason = "two lists that are made together and used once")]
    fn instance_vars(
        &mut self,
        function: &Function<'s>,
        rank: Option<usize>,
        span: Span,
    ) -> Option<(Vec<Vec<VarId>>, Option<(&'s str, Vec<VarId>, usize)>)> {
        let plain = function.vars.iter().filter(|(_, kind)| *kind == VarKind::Single).count();
        let has_pack = plain < function.vars.len();
        let members = match rank {
            Some(rank) if rank >= plain => rank - plain,
            Some(_) if !has_pack => 0,
            Some(rank) => {
                let message = format!(
                    "`{}` needs at least {}, and its argument has {rank}",
                    function.name.text,
                    count(plain, "dimension")
                );
                return self.fail(codes::ARITY, span, message);
            }
            None if !has_pack => 0,
            None => {
                let message =
                    format!("`{}` needs a func or an input as an argument", function.name.text);
                return self.fail(codes::WRONG_KIND, span, message);
            }
        };
        let mut vars = Vec::with_capacity(function.vars.len());
        let mut pack = None;
        let mut first = 0;
        for (name, kind) in &function.vars {
            let ids: Vec<VarId> = match kind {
                VarKind::Single => vec![self.pool.declare_var(name.text, Type::INT)],
                VarKind::Pack => (0..members)
                    .map(|member| self.pool.declare_var(pack_name(name.text, member), Type::INT))
                    .collect(),
            };
            if *kind == VarKind::Pack {
                pack = Some((name.text, ids.clone(), first));
            }
            first += ids.len();
            vars.push(ids);
        }
        Some((vars, pack))
    }

    /// What a generic function's parameter stands for.
    pub(super) fn frame_argument(&self, name: &str) -> Option<FrameArgument<'a, 's>> {
        self.scope.frame.as_ref()?.arguments.get(name).cloned()
    }

    /// Goes to a member of the pack; gives where the expansion was before.
    pub(super) fn set_member(&mut self, member: Option<usize>) -> Option<usize> {
        let frame = self.scope.frame.as_mut()?;
        std::mem::replace(&mut frame.member, member)
    }

    /// How many variables the pack has; `None` without a pack.
    pub(super) fn pack_length(&self) -> Option<usize> {
        self.scope.frame.as_ref()?.pack.as_ref().map(|(_, vars, _)| vars.len())
    }

    /// The member of a pack that a name stands for here. The outer `None`: it is no pack. The inner one: an error, which was reported.
    #[expect(clippy::option_option, reason = "no pack and an error are different answers")]
    pub(super) fn pack_member(&mut self, name: Name<'s>) -> Option<Option<ExprId>> {
        let frame = self.scope.frame.as_ref()?;
        let (pack, vars, _) = frame.pack.as_ref()?;
        if *pack != name.text {
            return None;
        }
        match frame.member.and_then(|member| vars.get(member)) {
            Some(var) => Some(Some(self.pool.var_expr(*var))),
            None => Some(self.fail_with_hint(
                codes::PACK,
                name.span,
                format!("the pack `{}` is used outside an expansion", name.text),
                format!("expand the argument it stands in: `f({}..)`", name.text),
            )),
        }
    }

    /// The dimension that `f.min` and `f.extent` without a number mean.
    pub(super) fn pack_dimension(&mut self, member_name: Name<'s>) -> Option<usize> {
        let frame = self.scope.frame.as_ref();
        let first = frame.and_then(|frame| frame.pack.as_ref()).map(|(.., first)| *first);
        let member = frame.and_then(|frame| frame.member);
        match (first, member) {
            (Some(first), Some(member)) => Some(first + member),
            _ => self.fail_with_hint(
                codes::UNKNOWN_MEMBER,
                member_name.span,
                format!("`{}` needs the number of a dimension", member_name.text),
                format!("write `{}(0)` for the first", member_name.text),
            ),
        }
    }

    /// Runs a check among the caller's names.
    pub(super) fn in_caller<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let frame = self.scope.frame.take();
        let own = match &frame {
            Some(frame) => self.scope.bindings.split_off(frame.base),
            None => Vec::new(),
        };
        let result = run(self);
        self.scope.bindings.extend(own);
        self.scope.frame = frame;
        result
    }
}

/// Names of the variables of a pack: those of pictures, then numbers.
fn pack_name(pack: &str, member: usize) -> String {
    match ["x", "y", "c"].get(member) {
        Some(name) => (*name).to_owned(),
        None => format!("{pack}{member}"),
    }
}
