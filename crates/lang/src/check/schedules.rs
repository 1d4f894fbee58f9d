//! Schedules: directives with their arguments, funcs resolved, loops by name.

use halidom_base::IndexMap;
use halidom_diag::{Diagnostic, Fix, Remedy, Span};
use halidom_ir::{
    Action, DIRECTIVES, Directive, DirectiveForm, FoldDirection, FuncId, LoopKind, Scalar,
    Schedule, SchedulePhase, StoreIn, Tail,
};

use crate::codes;
use crate::module::NamedSchedule;
use crate::names::{nearest, one_near};
use crate::syntax::ast::{self, Chain, DirectiveCall, Expr, ExprKind, Name, Step};
use crate::syntax::count;

use super::scope::{Callable, Checker, Made, Value};

/// Halide's directives that are refused, with the reason and an alternative.
const REFUSED: &[(&str, &str, &str)] = &[
    (
        "async",
        "a func that is computed while others read it needs more order than loops have",
        "compute it at a loop around its readers and make that loop `parallel`",
    ),
    (
        "compute_with",
        "stages in turns are not those of one func after another, on which every proof rests",
        "compute both funcs at one loop of their reader: `compute_at(reader, v)`",
    ),
];

/// The directives of a schedule so far, and their places.
#[derive(Debug, Default)]
struct Draft {
    spans: Vec<Span>,
    /// The number of iterations expanded so far.
    steps: usize,
}

/// A directive's arguments, after a check of their number.
#[derive(Debug)]
struct Arguments<'a, 's> {
    form: &'static DirectiveForm,
    values: Vec<&'a Expr<'s>>,
    tail: Tail,
}

impl<'a, 's> Checker<'a, 's> {
    /// Checks a schedule of the current pipeline. `None` if it has an error.
    pub(super) fn schedule(
        &mut self,
        schedule: &'a ast::Schedule<'s>,
        names: &mut IndexMap<&'s str, Span>,
    ) -> Option<NamedSchedule> {
        let before = self.diagnostics.len();
        self.schedule_name(schedule.name, names);
        let mut draft = Draft::default();
        self.scope.made = Made::default();
        let mut directives = Vec::new();
        let outside = self.scope.bindings.len();
        self.bind_constants(&schedule.constants);
        for step in &schedule.steps {
            self.step(step, None, &mut draft, &mut directives);
        }
        self.scope.bindings.truncate(outside);
        let is_valid = self.diagnostics.len() == before;
        (is_valid && schedule.is_whole).then(|| NamedSchedule {
            schedule: Schedule { name: schedule.name.text.to_owned(), directives },
            span: schedule.name.span,
            spans: draft.spans,
        })
    }

    fn schedule_name(&mut self, name: Name<'s>, names: &mut IndexMap<&'s str, Span>) {
        let first = names.insert(name.text, name.span);
        let diagnostic = if name.text == "default" {
            Diagnostic::error(
                codes::SCHEDULE_NAME,
                name.span,
                "`default` is the name of the pipeline without a schedule",
            )
            .with_hint("choose another name")
        } else if let Some(first) = first {
            let message = format!("the schedule `{}` is defined already", name.text);
            Diagnostic::error(codes::SCHEDULE_NAME, name.span, message)
                .with_label(first, "defined here")
        } else {
            return;
        };
        self.report(diagnostic);
    }

    /// Checks a statement; expands a `for`.
    fn step(
        &mut self,
        step: &'a Step<'s>,
        specialized: Option<(FuncId, usize)>,
        draft: &mut Draft,
        directives: &mut Vec<Directive>,
    ) {
        const MOST: usize = 10_000;
        match step {
            Step::Chain(chain) => self.chain(chain, specialized, draft, directives),
            // Replaced at the end of parsing, or reported.
            Step::Apply { .. } => {}
            Step::For { var, range, steps } => {
                let span = range.min.span.to(range.end.span);
                let Some(indices) = self.constant_range(range, span) else { return };
                let outside = self.scope.bindings.len();
                for index in indices {
                    let before = self.diagnostics.len();
                    self.bind(*var, Value::Constant(index));
                    for step in steps {
                        self.step(step, specialized, draft, directives);
                    }
                    self.scope.bindings.truncate(outside);
                    draft.steps += 1;
                    if draft.steps == MOST + 1 {
                        let message = format!("more than {MOST} steps");
                        self.fail::<()>(codes::TOO_MANY, var.span, message);
                    }
                    // The other indices would repeat the same errors.
                    if self.diagnostics.len() > before {
                        return;
                    }
                }
            }
        }
    }

    /// Checks the directives of one statement. Within a specialization, `specialized` is its func
    /// and stage.
    fn chain(
        &mut self,
        chain: &'a Chain<'s>,
        specialized: Option<(FuncId, usize)>,
        draft: &mut Draft,
        directives: &mut Vec<Directive>,
    ) {
        let wraps = chain.calls.first().is_some_and(|call| call.name.text == "in");
        let mut func = if wraps {
            self.wrapped_func(chain.func, chain.element.as_ref())
        } else {
            self.scheduled_func(chain.func, chain.element.as_ref())
        };
        if let (Some(func), Some((outer, _))) = (func, specialized)
            && func != outer
        {
            let name = self.pool.func(outer).name.clone();
            self.report(
                Diagnostic::error(
                    codes::SPECIALIZATION,
                    chain.func.span,
                    format!("a specialization of `{name}` schedules `{}`", chain.func.text),
                )
                .with_hint(format!("within the braces only `{name}` can be scheduled")),
            );
            return;
        }
        let mut stage = specialized.map_or(0, |(_, stage)| stage);
        for call in &chain.calls {
            if call.name.text == "update" {
                if let Some(selected) = self.update_number(func, call) {
                    stage = selected;
                }
                continue;
            }
            let origin = draft.spans.len();
            draft.spans.push(call.name.span.to(call.span));
            if matches!(call.name.text, "in" | "rfactor") {
                // The following directives are for the new func.
                let made = func.and_then(|func| self.rewriting(call, func, specialized));
                if let (Some((_, Some(action))), Some(func)) = (&made, func) {
                    directives.push(Directive { func, stage, action: action.clone(), origin });
                }
                func = made.map(|(made, _)| made);
                stage = 0;
                continue;
            }
            let actions = if matches!(call.name.text, "gpu_blocks" | "gpu_threads" | "gpu_tile") {
                self.gpu(call).unwrap_or_default()
            } else {
                let action = self.directive(call, func, stage, specialized.is_some(), draft);
                action.into_iter().collect()
            };
            if let Some(func) = func {
                let directive = |action| Directive { func, stage, action, origin };
                directives.extend(actions.into_iter().map(directive));
            }
        }
    }

    /// Refuses the block and the text of a directive that takes neither.
    fn no_block_or_text(&mut self, call: &'a DirectiveCall<'s>) -> Option<()> {
        let name = call.name.text;
        if call.block.is_some() && name != "specialize" {
            let message = format!("`{name}` takes no block");
            return self.fail(codes::DIRECTIVE_ARGUMENTS, call.name.span, message);
        }
        if call.text.is_some() && name != "specialize_fail" {
            let message = format!("`{name}` takes no text");
            return self.fail(codes::DIRECTIVE_ARGUMENTS, call.span, message);
        }
        Some(())
    }

    /// Checks a directive for GPUs. Each expands to several other directives: `gpu_tile` is a
    /// `tile` whose outer loops are blocks and whose inner ones are threads.
    fn gpu(&mut self, call: &'a DirectiveCall<'s>) -> Option<Vec<Action>> {
        self.no_block_or_text(call)?;
        let Arguments { values, tail, .. } = self.arguments(call)?;
        let (mut actions, blocks, threads) = match (call.name.text, values.as_slice()) {
            ("gpu_blocks", vars) => (Vec::new(), vars, [].as_slice()),
            ("gpu_tile", [x, y, outer @ .., width, height]) if outer.len() == 4 => {
                let tile = Action::Tile {
                    vars: [self.loop_name(x)?, self.loop_name(y)?],
                    outer: [self.loop_name(outer[0])?, self.loop_name(outer[1])?],
                    inner: [self.loop_name(outer[2])?, self.loop_name(outer[3])?],
                    factors: [self.startup_int(width)?, self.startup_int(height)?],
                    tail,
                };
                (vec![tile], &outer[..2], &outer[2..])
            }
            (_, vars) => (Vec::new(), [].as_slice(), vars),
        };
        for (vars, kind) in [(blocks, LoopKind::GpuBlocks), (threads, LoopKind::GpuThreads)] {
            for var in vars {
                actions.push(Action::Traverse { var: self.loop_name(var)?, kind });
            }
        }
        Some(actions)
    }

    /// Returns the func that a directive is for; inputs and unknown names are reported.
    pub(super) fn scheduled_func(
        &mut self,
        name: Name<'s>,
        element: Option<&'a Expr<'s>>,
    ) -> Option<FuncId> {
        if element.is_none()
            && let Some(made) = self.scope.made.partial(name.text)
        {
            return Some(made);
        }
        // An unknown name gets the message below.
        let is_known = self.defined_at(name.text, None).is_some();
        let resolved = if is_known { self.resolve_func(name, element).ok()? } else { None };
        match resolved.map(|(callable, _)| callable) {
            Some(Callable::Func(func)) => return Some(func),
            Some(Callable::Bad) => return None,
            Some(Callable::Input { .. }) => {
                return self.fail_with_hint(
                    codes::UNKNOWN_FUNC,
                    name.span,
                    format!("`{}` is an input: there is nothing to schedule", name.text),
                    "schedule the funcs that read it",
                );
            }
            None if self.scope.broken.contains(&name.text) => return None,
            None => {}
        }
        // Inline reductions have no name in the text.
        let made = self.scope.funcs.iter().find(|func| self.pool.func(**func).name == name.text);
        if let Some(func) = made {
            return Some(*func);
        }
        let known: Vec<String> =
            self.scope.funcs.iter().map(|func| self.pool.func(*func).name.clone()).collect();
        let near = nearest(name.text, known.iter().map(String::as_str));
        let hint = match near {
            Some(near) => Remedy::did_you_mean(near, name.span),
            None => {
                let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
                format!("the pipeline's funcs are {}", known.join(", ")).into()
            }
        };
        let message = format!("the pipeline has no func `{}`", name.text);
        self.fail_with_hint(codes::UNKNOWN_FUNC, name.span, message, hint)
    }

    /// Checks `update(k)`, or `update()` for the first.
    fn update_number(
        &mut self,
        func: Option<FuncId>,
        call: &'a DirectiveCall<'s>,
    ) -> Option<usize> {
        let arguments = self.arguments(call)?;
        let index = arguments.values.first().copied();
        self.stage_number(func?, index, call.span)
    }

    pub(super) fn stage_number(
        &mut self,
        func: FuncId,
        index: Option<&'a Expr<'s>>,
        span: Span,
    ) -> Option<usize> {
        let number = match index {
            None => Some(1),
            Some(index) => self.number_of(index).and_then(|number| usize::try_from(number).ok()),
        };
        let updates = self.pool.func(func).stages().len().saturating_sub(1);
        if let Some(number) = number.filter(|number| (1..=updates).contains(number)) {
            return Some(number);
        }
        let name = self.pool.func(func).name.clone();
        let hint: Remedy = match (updates, index) {
            (0, _) => format!("`{name}` has no update; leave `update` out").into(),
            (1, Some(index)) => Remedy::with_fix(
                "write `update(1)` for the only update",
                Fix::replace(index.span, "1"),
            ),
            (1, None) => "write `update(1)` for the only update".into(),
            _ => format!("updates are counted from 1: `update(1)` to `update({updates})`").into(),
        };
        let message = format!("`{name}` has no such update");
        self.fail_with_hint(codes::UNKNOWN_STAGE, span, message, hint)
    }

    /// Returns a directive's arguments and tail, if their number is right.
    fn arguments(&mut self, call: &'a DirectiveCall<'s>) -> Option<Arguments<'a, 's>> {
        let name = call.name;
        let Some(form) = DIRECTIVES.iter().find(|form| form.name == name.text) else {
            return self.unknown_directive(name);
        };
        let mut tail = None;
        let mut values = Vec::with_capacity(call.arguments.len());
        for argument in &call.arguments {
            match argument.name {
                None => values.push(&argument.value),
                Some(Name { text: "tail", .. }) if form.has_tail && tail.is_none() => {
                    tail = Some(self.tail(&argument.value)?);
                }
                Some(label) => {
                    let is_named = form.named.contains(&label.text);
                    let here = form.parameters.get(values.len());
                    if is_named && here.is_some_and(|(name, _)| *name == label.text) {
                        values.push(&argument.value);
                        continue;
                    }
                    let message = if is_named {
                        format!("`{}` does not stand here", label.text)
                    } else {
                        format!("`{}` has no argument `{}`", name.text, label.text)
                    };
                    return self.fail_with_hint(
                        codes::DIRECTIVE_ARGUMENTS,
                        label.span,
                        message,
                        usage_hint(form),
                    );
                }
            }
        }
        // The tail may also stand last without its name.
        if form.has_tail && tail.is_none() && values.len() == form.most + 1 {
            tail = Some(self.tail(values.pop()?)?);
        }
        if values.len() < form.least || values.len() > form.most {
            let message =
                format!("`{}` does not take {}", name.text, count(values.len(), "argument"));
            let hint = usage_hint(form);
            return self.fail_with_hint(codes::DIRECTIVE_ARGUMENTS, call.span, message, hint);
        }
        Some(Arguments { form, values, tail: tail.unwrap_or(Tail::Auto) })
    }

    fn unknown_directive<T>(&mut self, name: Name<'s>) -> Option<T> {
        if let Some((_, reason, hint)) = REFUSED.iter().find(|(known, ..)| *known == name.text) {
            let message = format!("`{}` is refused: {reason}", name.text);
            return self.fail_with_hint(codes::UNSUPPORTED_DIRECTIVE, name.span, message, *hint);
        }
        let message = format!("there is no directive `{}`", name.text);
        match nearest(name.text, DIRECTIVES.iter().map(|form| form.name)) {
            Some(near) => self.fail_with_hint(
                codes::UNKNOWN_DIRECTIVE,
                name.span,
                message,
                Remedy::did_you_mean(near, name.span),
            ),
            None => {
                let known = DIRECTIVES.iter().map(|form| format!("`{}`", form.name));
                let known: Vec<String> = known.collect();
                let hint = format!("directives are {}", known.join(", "));
                self.fail_with_hint(codes::UNKNOWN_DIRECTIVE, name.span, message, hint)
            }
        }
    }

    fn tail(&mut self, expr: &Expr<'s>) -> Option<Tail> {
        let name = if let ExprKind::Name(name) = expr.kind { name } else { "" };
        let tail = Tail::ALL.into_iter().find(|tail| tail.name() == name);
        if tail.is_some() {
            return tail;
        }
        let known = Tail::ALL.map(|tail| format!("`{}`", tail.name())).join(", ");
        let hint = format!("the strategies are {known}");
        self.fail_with_hint(
            codes::UNKNOWN_TAIL,
            expr.span,
            if name.is_empty() {
                "expected a tail strategy".to_owned()
            } else {
                format!("there is no tail strategy `{name}`")
            },
            one_near(hint, expr.span, name, Tail::ALL.map(Tail::name)),
        )
    }

    pub(super) fn arguments_of(
        &mut self,
        call: &'a DirectiveCall<'s>,
    ) -> Option<Vec<&'a Expr<'s>>> {
        self.arguments(call).map(|arguments| arguments.values)
    }

    fn directive(
        &mut self,
        call: &'a DirectiveCall<'s>,
        func: Option<FuncId>,
        stage: usize,
        is_nested: bool,
        draft: &mut Draft,
    ) -> Option<Action> {
        self.no_block_or_text(call)?;
        let Arguments { form, values, tail } = self.arguments(call)?;
        match form.phase {
            SchedulePhase::Specialization => {
                self.specialization(call, &values, (func, stage), is_nested, draft)
            }
            SchedulePhase::Loops => self.loop_action(call.name, &values, tail),
            SchedulePhase::Compute | SchedulePhase::Storage => {
                self.place_action(call.name, &values)
            }
            SchedulePhase::Bounds => self.bounds_action(call.name, &values),
            SchedulePhase::Algorithm => self.unknown_directive(call.name),
        }
    }

    /// Checks a directive about loops.
    fn loop_action(
        &mut self,
        name: Name<'s>,
        values: &[&'a Expr<'s>],
        tail: Tail,
    ) -> Option<Action> {
        Some(match (name.text, values) {
            ("split", [var, outer, inner, factor]) => Action::Split {
                var: self.loop_name(var)?,
                outer: self.loop_name(outer)?,
                inner: self.loop_name(inner)?,
                factor: self.startup_int(factor)?,
                tail,
            },
            ("tile", [x, y, xo, yo, xi, yi, width, height]) => Action::Tile {
                vars: [self.loop_name(x)?, self.loop_name(y)?],
                outer: [self.loop_name(xo)?, self.loop_name(yo)?],
                inner: [self.loop_name(xi)?, self.loop_name(yi)?],
                factors: [self.startup_int(width)?, self.startup_int(height)?],
                tail,
            },
            ("fuse", [outer, inner, fused]) => Action::Fuse {
                outer: self.loop_name(outer)?,
                inner: self.loop_name(inner)?,
                fused: self.loop_name(fused)?,
            },
            ("swap", [var]) => Action::Swap { var: self.loop_name(var)? },
            ("reorder", vars) => Action::Reorder {
                vars: vars.iter().map(|var| self.loop_name(var)).collect::<Option<_>>()?,
            },
            ("parallel", [var, deal @ ..]) => {
                let var = self.loop_name(var)?;
                Action::Traverse { var, kind: LoopKind::Parallel(self.deal(deal)?) }
            }
            ("serial", [var]) => {
                Action::Traverse { var: self.loop_name(var)?, kind: LoopKind::Serial }
            }
            ("vectorize", [var, lanes @ ..]) => Action::Vectorize {
                var: self.loop_name(var)?,
                lanes: self.constant_factor(name.text, lanes.first().copied())?,
                tail,
            },
            ("unroll", [var, factor @ ..]) => Action::Unroll {
                var: self.loop_name(var)?,
                factor: self.constant_factor(name.text, factor.first().copied())?,
                tail,
            },
            ("partition", [var, policy]) => {
                Action::Partition { var: self.loop_name(var)?, policy: self.policy(policy)? }
            }
            ("prefetch", [read, at, ahead @ ..]) => Action::Prefetch {
                func: self.read_func(read)?,
                var: self.loop_name(at)?,
                ahead: self.ahead(ahead.first().copied())?,
            },
            ("rename", [from, to]) => {
                Action::Rename { from: self.loop_name(from)?, to: self.loop_name(to)? }
            }
            ("atomic", []) => Action::Atomic,
            _ => return self.unknown_directive(name),
        })
    }

    /// Checks a directive about the places where a func is computed and stored.
    fn place_action(&mut self, name: Name<'s>, values: &[&'a Expr<'s>]) -> Option<Action> {
        Some(match (name.text, values) {
            ("compute_at" | "store_at" | "hoist_storage", [at, var]) => {
                Action::at_level(name.text, self.loop_level(at, var)?)?
            }
            ("compute_root", []) => Action::ComputeRoot,
            ("compute_inline" | "inline", []) => Action::ComputeInline,
            ("store_root", []) => Action::StoreRoot,
            ("hoist_storage_root", []) => Action::HoistStorage(None),
            ("reorder_storage", vars) => Action::ReorderStorage {
                vars: vars.iter().map(|var| self.loop_name(var)).collect::<Option<_>>()?,
            },
            ("align_storage", [var, modulus]) => Action::AlignStorage {
                var: self.loop_name(var)?,
                modulus: self.constant_factor(name.text, Some(modulus))??,
            },
            ("pad_storage", [var, amount]) => Action::PadStorage {
                var: self.loop_name(var)?,
                amount: self.constant_factor(name.text, Some(amount))??,
            },
            ("realign", []) => Action::Realign,
            ("fold_storage", [var, factor, direction @ ..]) => Action::FoldStorage {
                var: self.loop_name(var)?,
                factor: self.constant_factor(name.text, Some(factor))??,
                direction: match direction.first() {
                    None => None,
                    Some(name) => {
                        let what = "direction of folding";
                        let all = FoldDirection::ALL.map(|one| (one.name(), one));
                        Some(self.one_of(name, what, &all)?)
                    }
                },
            },
            ("store_in", [place]) => {
                let all = StoreIn::ALL.map(|one| (one.name(), one));
                Action::StoreIn(self.one_of(place, "place for memory", &all)?)
            }
            _ => return self.unknown_directive(name),
        })
    }

    /// Checks a directive about the bounds of a func.
    fn bounds_action(&mut self, name: Name<'s>, values: &[&'a Expr<'s>]) -> Option<Action> {
        Some(match (name.text, values) {
            ("bound", [var, min, extent]) => Action::Bound {
                var: self.loop_name(var)?,
                min: Some(self.startup_int(min)?),
                extent: self.startup_int(extent)?,
            },
            ("bound_extent", [var, extent]) => Action::Bound {
                var: self.loop_name(var)?,
                min: None,
                extent: self.startup_int(extent)?,
            },
            ("align_bounds", [var, modulus, remainder @ ..]) => Action::AlignBounds {
                var: self.loop_name(var)?,
                modulus: self.startup_int(modulus)?,
                remainder: match remainder.first() {
                    Some(remainder) => self.startup_int(remainder)?,
                    None => self.pool.int(0),
                },
            },
            _ => return self.unknown_directive(name),
        })
    }

    fn specialization(
        &mut self,
        call: &'a DirectiveCall<'s>,
        values: &[&'a Expr<'s>],
        (func, stage): (Option<FuncId>, usize),
        is_nested: bool,
        draft: &mut Draft,
    ) -> Option<Action> {
        Some(match (call.name.text, values) {
            ("specialize", [condition]) => {
                let condition = self.startup(condition, Scalar::Bool);
                let Some(block) = &call.block else {
                    return self.fail_with_hint(
                        codes::DIRECTIVE_ARGUMENTS,
                        call.span,
                        "`specialize` needs a block",
                        "write `f.specialize(condition) { f.directive(…); }`",
                    );
                };
                if is_nested {
                    return self.fail_with_hint(
                        codes::SPECIALIZATION,
                        call.name.span,
                        "a specialization within a specialization",
                        "specialize the func once for each condition, joined with `&&`",
                    );
                }
                let mut directives = Vec::new();
                for step in block {
                    self.step(step, Some((func?, stage)), draft, &mut directives);
                }
                Action::Specialize { condition: condition?, directives }
            }
            ("specialize_fail", []) => {
                let name = call.text.map(str::to_owned);
                let func = func.map_or_else(String::new, |func| self.pool.func(func).name.clone());
                let message =
                    name.unwrap_or_else(|| format!("no specialization of `{func}` applies"));
                if is_nested {
                    return self.fail_with_hint(
                        codes::SPECIALIZATION,
                        call.name.span,
                        "`specialize_fail` within a specialization",
                        "it says what happens where no condition holds: write it behind the \
                            specializations",
                    );
                }
                Action::SpecializeFail { message }
            }
            _ => return self.unknown_directive(call.name),
        })
    }
}

fn usage_hint(form: &DirectiveForm) -> String {
    let tail = if form.has_tail { ", tail: guard" } else { "" };
    format!("write `{}({}{tail})`", form.name, form.usage())
}
