//! Generic functions from funcs to funcs, and the prelude, which is written with them.

use halidom_base::IndexMap;
use halidom_diag::{Fix, Remedy, Span};
use halidom_ir::{ExprId, FuncDecl, FuncId, FuncKind, Stage, Type, VarId};

use crate::codes;
use crate::names::nearest;
use crate::syntax::ast::{Expr, ExprKind, Function, Name, Range, VarKind};
use crate::syntax::{count, given as given_arguments};

use super::arrays::func_name;
use super::scope::{Callable, Checker, Frame, FrameArgument, Generic, Role};

/// The prelude's text.
pub(super) const PRELUDE: &str = include_str!("../prelude.hal");

/// Returns the names of the prelude's functions.
pub(crate) fn prelude_names() -> impl Iterator<Item = &'static str> {
    let heads = PRELUDE.lines().filter_map(|line| line.strip_prefix("fn "));
    heads.filter_map(|head| head.split_once('(')).map(|(name, _)| name)
}

/// The arguments of a function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given<'a, 's> {
    pub(super) arguments: &'a [Expr<'s>],
    /// The region, if it is written out.
    pub(super) ranges: &'a [Range<'s>],
    pub(super) span: Span,
}

impl<'a, 's> Checker<'a, 's> {
    /// Checks `func name = function(arguments);`.
    pub(super) fn instance(
        &mut self,
        (name, element): (Name<'s>, Option<i128>),
        function: Name<'s>,
        given: Given<'a, 's>,
    ) -> Option<FuncId> {
        let Given { mut arguments, ranges, span } = given;
        let Some(generic) = self.generics.get(function.text).copied() else {
            let message = format!("there is no function `{}` that makes a func", function.text);
            return match nearest(function.text, self.generics.keys().copied()) {
                Some(near) => self.fail_with_hint(
                    codes::UNKNOWN_NAME,
                    function.span,
                    message,
                    Remedy::did_you_mean(near, function.span),
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
        // The last argument may be an input whose bounds are the region.
        let mut like = None;
        if generic.function.region.is_some()
            && ranges.is_empty()
            && arguments.len() == params.len() + 1
            && let Some((last, others)) = arguments.split_last()
        {
            (arguments, like) = (others, Some(last));
        }
        let has_extra_ranges = generic.function.region.is_none() && !ranges.is_empty();
        if params.len() != arguments.len() || has_extra_ranges {
            let wanted = count(params.len(), "argument");
            let given = given_arguments(arguments.len() + ranges.len(), "argument");
            let message = format!("`{}` takes {wanted}, but {given}", function.text);
            return self.fail(codes::ARGUMENT_COUNT, span, message);
        }
        let mut bound = IndexMap::default();
        let mut first_func = None;
        let mut first = None;
        for (param, argument) in params.iter().zip(arguments) {
            let callable = if let ExprKind::Name(text) = &argument.kind {
                self.resolve_func(Name { text, span: argument.span }, None).ok()?
            } else if let ExprKind::Element { array, index } = &argument.kind {
                self.resolve_func(*array, Some(index)).ok()?
            } else {
                None
            };
            let callable = callable.map(|(callable, _)| callable);
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
                    first_func = first_func.or(Some(*func));
                    first = first.or(Some(callable.clone()));
                    FrameArgument::Callable(callable)
                }
                None => FrameArgument::Value(argument),
            };
            bound.insert(param.text, value);
        }
        let rank = first_func.map(|func| self.pool.func(func).rank());
        if let Some(region) = generic.function.region {
            let dims = if let Some(like) = like {
                self.region_of(like, rank)?
            } else if ranges.is_empty() {
                self.own_region(first, function, span)?
            } else {
                self.region(ranges, rank, span)?
            };
            bound.insert(region.text, FrameArgument::Region(dims));
        }
        self.instantiate((name, element), generic, bound, first_func, span)
    }

    /// Checks the ranges of a region, one for each dimension.
    fn region(
        &mut self,
        ranges: &'a [Range<'s>],
        rank: Option<usize>,
        span: Span,
    ) -> Option<Vec<(ExprId, ExprId)>> {
        if let Some(rank) = rank
            && rank != ranges.len()
        {
            let wanted = count(rank, "dimension");
            let given = given_arguments(ranges.len(), "range");
            let message = format!("a region of {wanted} is needed, but {given}");
            return self.fail(codes::ARITY, span, message);
        }
        let dims: Vec<_> = ranges.iter().map(|range| self.range(range)).collect();
        dims.into_iter().collect()
    }

    /// Returns the bounds of an input that is given for a region.
    fn region_of(
        &mut self,
        argument: &'a Expr<'s>,
        rank: Option<usize>,
    ) -> Option<Vec<(ExprId, ExprId)>> {
        if let ExprKind::Name(text) = argument.kind {
            let name = Name { text, span: argument.span };
            match self.resolve_func(name, None).ok()? {
                Some((Callable::Input { bounds, .. }, _)) => {
                    if rank.is_some_and(|rank| rank != bounds.len()) {
                        let wanted = count(rank.unwrap_or(0), "dimension");
                        let found = count(bounds.len(), "dimension");
                        let message =
                            format!("a region of {wanted} is needed, but `{text}` has {found}");
                        return self.fail(codes::ARITY, argument.span, message);
                    }
                    return Some(self.bounds_of(&bounds));
                }
                Some((Callable::Bad, _)) => return None,
                None if self.find_binding(text).is_none() => {
                    return self.unknown(name, Role::Func);
                }
                Some((Callable::Func(_), _)) | None => {}
            }
        }
        self.fail_with_hint(
            codes::NO_BOUNDS,
            argument.span,
            "a region is an input, or one range for each dimension",
            "write ranges: `repeat_edge(f, 0..width, 0..height)`",
        )
    }

    /// Returns the bounds of the first func given, if no region is given.
    fn own_region(
        &mut self,
        first: Option<Callable>,
        function: Name<'s>,
        span: Span,
    ) -> Option<Vec<(ExprId, ExprId)>> {
        match first {
            Some(Callable::Input { bounds, .. }) => Some(self.bounds_of(&bounds)),
            Some(Callable::Func(func)) => {
                let name = self.pool.func(func).name.clone();
                self.fail_with_hint(
                    codes::NO_BOUNDS,
                    span,
                    format!("`{name}` is a func: it is defined everywhere and has no bounds"),
                    format!(
                        "say which region is meant, by ranges or an input: `{0}({name}, …, \
                            0..width, 0..height)`, `{0}({name}, …, input)`",
                        function.text
                    ),
                )
            }
            Some(Callable::Bad) => None,
            None => self.fail(
                codes::WRONG_KIND,
                span,
                format!("`{}` needs a func or an input as an argument", function.text),
            ),
        }
    }

    fn bounds_of(&mut self, bounds: &[(VarId, VarId)]) -> Vec<(ExprId, ExprId)> {
        let pool = &mut self.pool;
        bounds.iter().map(|(min, extent)| (pool.var_expr(*min), pool.var_expr(*extent))).collect()
    }

    /// True if an argument is an unknown name.
    fn is_unknown(&self, argument: &Expr<'s>) -> bool {
        if let ExprKind::Name(text) = argument.kind {
            self.find_callable(text).is_none() && self.find_binding(text).is_none()
        } else {
            false
        }
    }

    fn instantiate(
        &mut self,
        (name, element): (Name<'s>, Option<i128>),
        generic: Generic<'a, 's>,
        arguments: IndexMap<&'s str, FrameArgument<'a, 's>>,
        first: Option<FuncId>,
        span: Span,
    ) -> Option<FuncId> {
        let function = generic.function;
        let (vars, pack) = self.instance_vars(function, first, span)?;
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
        let expected = self.scope.outputs.get(name.text).map(|(scalars, ..)| scalars.clone());
        let values = self.stored_values(&function.value, expected.as_deref());
        self.scope.frame = None;
        self.scope.bindings.truncate(base);
        let values = values?;
        let scalars = values.iter().map(|value| self.scalar_of(*value)).collect();
        let lhs = flat.iter().map(|var| self.pool.var_expr(*var)).collect();
        let stage = Stage { domain: Vec::new(), predicate: None, lhs, values };
        Some(self.pool.declare_func(FuncDecl {
            name: func_name(name.text, element),
            scalars,
            args: flat,
            // The user's functions make ordinary funcs.
            kind: FuncKind::Defined { stages: vec![stage], synthetic: generic.in_prelude },
        }))
    }

    /// Declares the variables of an instance: one for each plain variable, and as many for the pack
    /// as the rank of the first func given requires.
    #[expect(clippy::type_complexity, reason = "two lists that are made together and used once")]
    fn instance_vars(
        &mut self,
        function: &Function<'s>,
        first: Option<FuncId>,
        span: Span,
    ) -> Option<(Vec<Vec<VarId>>, Option<(&'s str, Vec<VarId>, usize)>)> {
        let plain = function.vars.iter().filter(|(_, kind)| *kind == VarKind::Single).count();
        let has_pack = plain < function.vars.len();
        let rank = first.map(|func| self.pool.func(func).rank());
        let names = first.map_or(Vec::new(), |func| self.dimension_names(func));
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
        let mut first_dim = 0;
        for (name, kind) in &function.vars {
            let ids: Vec<VarId> = match kind {
                VarKind::Single => vec![self.pool.declare_var(name.text, Type::INT)],
                VarKind::Pack => (0..members)
                    .map(|member| {
                        let is_free = |found: &&String| {
                            !function.vars.iter().any(|(other, _)| {
                                other.text == found.as_str() && other.text != name.text
                            })
                        };
                        let found = names.get(first_dim + member).filter(is_free);
                        let own = || format!("{}{member}", name.text);
                        self.pool.declare_var(found.cloned().unwrap_or_else(own), Type::INT)
                    })
                    .collect(),
            };
            if *kind == VarKind::Pack {
                pack = Some((name.text, ids.clone(), first_dim));
            }
            first_dim += ids.len();
            vars.push(ids);
        }
        Some((vars, pack))
    }

    /// Returns names for the dimensions of a func made from another one: the names of that func's
    /// variables, or, for an input, the names used for pictures and then numbers.
    fn dimension_names(&self, func: FuncId) -> Vec<String> {
        let decl = self.pool.func(func);
        let name = |(dim, var): (usize, &VarId)| match (&decl.kind, ["x", "y", "c"].get(dim)) {
            (FuncKind::Defined { .. }, _) => self.pool.var(*var).name.clone(),
            (FuncKind::Input { .. }, Some(name)) => (*name).to_owned(),
            (FuncKind::Input { .. }, None) => format!("x{dim}"),
        };
        decl.args.iter().enumerate().map(name).collect()
    }

    /// Returns the argument of a generic function's parameter.
    pub(super) fn frame_argument(&self, name: &str) -> Option<FrameArgument<'a, 's>> {
        self.scope.frame.as_ref()?.arguments.get(name).cloned()
    }

    /// Moves to a member of the pack; returns the previous one.
    pub(super) fn set_member(&mut self, member: Option<usize>) -> Option<usize> {
        let frame = self.scope.frame.as_mut()?;
        std::mem::replace(&mut frame.member, member)
    }

    /// Returns the number of variables in the pack; `None` without a pack.
    pub(super) fn pack_length(&self) -> Option<usize> {
        self.scope.frame.as_ref()?.pack.as_ref().map(|(_, vars, _)| vars.len())
    }

    /// Returns the member of a pack that a name denotes here. The outer `None` means that the name
    /// is not a pack, the inner one an error, which was reported.
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

    /// Returns the dimension that `f.min` and `f.extent` without a number denote.
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
                Remedy::with_fix(
                    format!("write `{}(0)` for the first", member_name.text),
                    Fix::insert_after(member_name.span, "(0)"),
                ),
            ),
        }
    }

    /// Runs a check with the caller's names in scope.
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
