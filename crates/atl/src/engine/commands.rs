//! Runs scripts: commands one after the other, each at a site, with combinators and schedule
//! functions.

use std::rc::Rc;

use halidom_base::IndexMap;
use halidom_diag::{Diagnostic, Sources, Span};

use super::reduce::Doubtful;
use super::{Change, Engine, Given, Path, Refusal, State, Traversal};
use crate::codes;
use crate::context::{Context, Fact};
use crate::program::{Element, Program};
use crate::resolve::Resolver;
use crate::rules::Value;
use crate::subst::{Abstraction, Subst};
use crate::syntax::ast::{
    Argument, Call, Command, CommandKind, Derivation, Expr, ExprKind, Function, ParamKind, Site,
    SiteBase,
};
use crate::term::{Index, Node, Sort, Term, Var, children};

/// The schedule functions that a script may call.
#[derive(Clone, Debug, Default)]
pub struct Library(IndexMap<String, Function>);

impl Library {
    /// Adds functions. A new function replaces an old one of the same name.
    pub fn add(&mut self, functions: &[Function]) {
        for function in functions {
            self.0.insert(function.name.text.clone(), function.clone());
        }
    }
}

type Done = Result<(), Box<Diagnostic>>;

/// The meanings of names in a schedule function.
#[derive(Clone, Debug, Default)]
struct Env {
    indices: Vec<(Var, Index)>,
    sites: Vec<(String, Site)>,
    names: Vec<(String, String)>,
}

struct Runner<'r> {
    library: &'r Library,
    sources: &'r Sources,
    /// The sizes of the program and the derivation.
    sizes: Vec<Var>,
    element: Element,
    /// The number of calls in progress.
    depth: usize,
}

/// The maximal depth of calls. Deeper schedule functions are taken to call themselves without end.
const MAX_CALLS: usize = 60;
/// The maximal number of repetitions of `repeat`.
const MAX_REPEATS: usize = 1_000;

/// Carries out a derivation's script. The program must already have the derivation's sizes and
/// conditions.
///
/// # Errors
/// The first command that does not apply.
pub fn run<'e>(
    engine: &'e Engine,
    library: &Library,
    sources: &Sources,
    program: &Program,
    derivation: &Derivation,
) -> Result<State<'e>, Box<Diagnostic>> {
    let mut state = State::new(engine, program.context(), Rc::clone(&program.body));
    let mut runner = Runner {
        library,
        sources,
        sizes: program.sizes.clone(),
        element: program.element(),
        depth: 0,
    };
    runner.all(&mut state, &derivation.script, &Vec::new(), &Env::default(), true)?;
    Ok(state)
}

/// True if a loop's variable has this name.
fn has_loop(term: &Term, name: &str) -> bool {
    matches!(&**term, Node::Loop(_, var, ..) if *var.name == *name)
        || children(term).into_iter().any(|part| has_loop(part, name))
}

fn at_span(refusal: Refusal, span: Span) -> Box<Diagnostic> {
    let diagnostic = Diagnostic::error(refusal.code, span, refusal.message);
    Box::new(match refusal.hint {
        Some(hint) => diagnostic.with_hint(hint),
        None => diagnostic,
    })
}

/// A call in a script, and its place in the program.
struct Order<'c> {
    call: &'c Call,
    span: Span,
    focus: &'c Path,
    /// The site that the call names.
    site: Option<Path>,
    env: &'c Env,
}

impl Order<'_> {
    fn name(&self) -> &str {
        &self.call.name.text
    }

    /// The place at which the command applies.
    fn place(&self) -> &Path {
        self.site.as_ref().unwrap_or(self.focus)
    }

    /// The meaning of a name: a schedule function's parameter stands for what it was given.
    fn named(&self, text: &str) -> String {
        let given = self.env.names.iter().rev().find(|(param, _)| param == text);
        given.map_or(text.to_owned(), |(_, name)| name.clone())
    }

    /// The meaning of an argument that is a name.
    fn word(&self, place: usize) -> Option<String> {
        match self.call.args.get(place) {
            Some(Argument::Expr(Expr { kind: ExprKind::Name(text), .. })) => Some(self.named(text)),
            Some(_) | None => None,
        }
    }

    /// The binder that `inline` and `rename` take.
    fn binder(&self) -> Option<Site> {
        let site = self.call.args.first().map(Argument::site)?;
        matches!(site.base, SiteBase::Named(_)).then_some(site)
    }

    /// The outcome of a command; a refusal is about the whole call.
    fn applied<T>(&self, outcome: Result<T, Refusal>) -> Done {
        outcome.map(drop).map_err(|refusal| at_span(refusal, self.span))
    }

    fn misused(&self, form: &str) -> Box<Diagnostic> {
        let message = format!("the command is `{form}`");
        Box::new(Diagnostic::error(codes::UNKNOWN_COMMAND, self.span, message))
    }
}

impl Runner<'_> {
    fn all(
        &mut self,
        state: &mut State<'_>,
        commands: &[Command],
        focus: &Path,
        env: &Env,
        outermost: bool,
    ) -> Done {
        for command in commands {
            if outermost {
                let text = self.sources.snippet(command.span);
                state.command = text.split_whitespace().collect::<Vec<_>>().join(" ");
            }
            self.one(state, command, focus, env)?;
        }
        Ok(())
    }

    /// Carries out commands. If they fail, it restores the program, the steps and the cursors.
    fn attempt(
        &mut self,
        state: &mut State<'_>,
        commands: &[Command],
        focus: &Path,
        env: &Env,
    ) -> Done {
        let (term, steps) = (Rc::clone(&state.term), state.steps.len());
        let cursors = state.cursors.len();
        let outcome = self.all(state, commands, focus, env, false);
        if outcome.is_err() {
            state.term = term;
            state.steps.truncate(steps);
            state.cursors.truncate(cursors);
        }
        outcome
    }

    fn one(&mut self, state: &mut State<'_>, command: &Command, focus: &Path, env: &Env) -> Done {
        match &command.kind {
            CommandKind::Call(call) => self.call(state, call, command.span, focus, env),
            CommandKind::At(site, commands) => {
                let path = Self::site(state, site, focus, env)?;
                self.all(state, commands, &path, env, false)
            }
            CommandKind::Try(commands) => {
                // A failure is ignored, as `try` asks for that.
                let _ = self.attempt(state, commands, focus, env);
                Ok(())
            }
            CommandKind::Else(first, second) => match self.attempt(state, first, focus, env) {
                Ok(()) => Ok(()),
                Err(_) => self.all(state, second, focus, env, false),
            },
            CommandKind::Repeat(commands) => {
                for _ in 0..MAX_REPEATS {
                    let before = Rc::clone(&state.term);
                    if self.attempt(state, commands, focus, env).is_err()
                        || !super::changed(&before, &state.term)
                    {
                        return Ok(());
                    }
                }
                let message = format!("`repeat` did not end after {MAX_REPEATS} times");
                Err(Box::new(Diagnostic::error(codes::UNKNOWN_COMMAND, command.span, message)))
            }
            CommandKind::Everywhere(commands) => {
                let mut places = state.places(focus, &|_, _| true);
                places.reverse();
                let mut refusal = None;
                let mut applied = false;
                for place in places {
                    match self.attempt(state, commands, &place, env) {
                        Ok(()) => applied = true,
                        Err(diagnostic) => refusal = Some(diagnostic),
                    }
                }
                match (applied, refusal) {
                    (false, Some(diagnostic)) => Err(diagnostic),
                    (true, _) | (false, None) => Ok(()),
                }
            }
        }
    }

    fn site(
        state: &State<'_>,
        site: &Site,
        focus: &Path,
        env: &Env,
    ) -> Result<Path, Box<Diagnostic>> {
        let site = Self::given(site, env);
        state.site(focus, &site).map_err(|refusal| at_span(refusal, site.span))
    }

    /// A site in which a schedule function's parameters are replaced by their values.
    fn given(site: &Site, env: &Env) -> Site {
        let mut site = site.clone();
        if let SiteBase::Named(name) = &site.base {
            if let Some((_, given)) = env.sites.iter().rev().find(|(param, _)| param == name) {
                let moves = site.moves.clone();
                let number = site.number;
                site = Site { span: site.span, ..given.clone() };
                site.moves.extend(moves);
                site.number = number.or(site.number);
            } else if let Some((_, given)) = env.names.iter().rev().find(|(param, _)| param == name)
            {
                site.base = SiteBase::Named(given.clone());
            }
        }
        site
    }

    /// The variables that an expression may mention at a place.
    fn scope(&self, context: &Context, env: &Env) -> Vec<Var> {
        let mut scope = self.sizes.clone();
        scope.extend(env.indices.iter().map(|(var, _)| var.clone()));
        for fact in &context.facts {
            match fact {
                Fact::Range(var, ..) | Fact::Is(var, _) => scope.push(var.clone()),
                Fact::Holds(_) | Fact::Any(_) => {}
            }
        }
        // A schedule function's names for the binders that it was given.
        let given = env.names.iter().map(|(param, name)| (param, name));
        let sites = env.sites.iter().filter_map(|(param, site)| match &site.base {
            SiteBase::Named(name) => Some((param, name)),
            SiteBase::Here | SiteBase::Pattern(_) => None,
        });
        let mut aliases: Vec<Var> = Vec::new();
        for (param, name) in given.chain(sites) {
            if let Some(var) = scope.iter().rev().find(|var| *var.name == **name) {
                aliases.push(Var { name: param.as_str().into(), ..var.clone() });
            }
        }
        scope.extend(aliases);
        scope
    }

    /// The meanings of variables of the scope: a schedule function's sizes stand for their values,
    /// and its names of binders for the binders.
    fn meanings(scope: &[Var], env: &Env) -> Subst {
        let mut subst = Subst::new();
        for (number, var) in scope.iter().enumerate() {
            let first = scope[..number].iter().find(|other| *other == var);
            if let Some(original) = first.filter(|_| var.sort == Sort::Index) {
                subst.set_index(var, Index::Var(original.clone()));
            }
        }
        for (var, value) in &env.indices {
            subst.set_index(var, value.clone());
        }
        subst
    }

    fn index(
        &self,
        state: &State<'_>,
        expr: &Expr,
        focus: &Path,
        env: &Env,
    ) -> Result<Index, Box<Diagnostic>> {
        let context = state.context(focus);
        let scope = self.scope(&context, env);
        let subst = Self::meanings(&scope, env);
        let resolver = Resolver::new(&state.engine.supply, &state.engine.prover, scope);
        Ok(subst.on_index(&resolver.index(expr)?))
    }

    /// The value that `with` gives to a rule's variable, by its sort.
    fn value(
        &self,
        state: &State<'_>,
        variables: &[Var],
        sort: Sort,
        expr: &Expr,
        focus: &Path,
        env: &Env,
    ) -> Result<Value, Box<Diagnostic>> {
        let context = state.context(focus);
        // The program's names take precedence over the rule's.
        let mut scope: Vec<Var> =
            variables.iter().filter(|var| var.sort == Sort::Index).cloned().collect();
        scope.extend(input_variables(&state.term));
        scope.extend(self.scope(&context, env));
        let subst = Self::meanings(&scope, env);
        let mut resolver = Resolver::new(&state.engine.supply, &state.engine.prover, scope)
            .of_element(self.element);
        Ok(match sort {
            Sort::Index | Sort::Shape => Value::Index(subst.on_index(&resolver.index(expr)?)),
            Sort::Pred => Value::Pred(subst.on_pred(&resolver.pred(expr)?)),
            Sort::Tensor(_) => {
                let (term, _) = resolver.term(expr, &context)?;
                let body = subst.on_term(&term, &state.engine.supply);
                Value::Function(Abstraction { params: Vec::new(), body })
            }
        })
    }

    fn call(
        &mut self,
        state: &mut State<'_>,
        call: &Call,
        span: Span,
        focus: &Path,
        env: &Env,
    ) -> Done {
        let site = match &call.site {
            Some(site) => Some(Self::site(state, site, focus, env)?),
            None => None,
        };
        let order = Order { call, span, focus, site, env };
        if let Some(rule) = state.engine.rules.find(order.name()) {
            return self.rule(state, &rule.variables, &order);
        }
        if let Some(function) = self.library.0.get(order.name()).cloned() {
            return self.function(state, &function, call, span, order.place(), env);
        }
        self.built_in(state, &order)
    }

    /// Applies a rule with the names and values that the call gives to it.
    fn rule(&self, state: &mut State<'_>, variables: &[Var], order: &Order<'_>) -> Done {
        let (call, place, name) = (order.call, order.place(), order.name());
        let mut given = Given {
            names: call.names.iter().map(|name| order.named(&name.text)).collect(),
            ..Given::default()
        };
        for (variable, expr) in &call.with {
            let Some(var) = variables.iter().find(|var| *var.name == *variable.text) else {
                let names: Vec<&str> = variables.iter().map(|var| &*var.name).collect();
                let message = format!("the rule `{name}` has no `{}`", variable.text);
                let diagnostic = Diagnostic::error(codes::UNKNOWN_COMMAND, variable.span, message);
                return Err(Box::new(diagnostic.with_hint(format!("it has {}", names.join(", ")))));
            };
            let value = self.value(state, variables, var.sort, expr, place, order.env)?;
            given.values.push((variable.text.clone(), value));
        }
        if let Some(extra) = call.args.first() {
            let message = format!("the rule `{name}` takes its values after `with`");
            let hint = format!("`{name} with k = 8`, or `back {name}` from right to left");
            let diagnostic = Diagnostic::error(codes::UNKNOWN_COMMAND, extra.span(), message);
            return Err(Box::new(diagnostic.with_hint(hint)));
        }
        order.applied(state.apply(place, name, call.back, &given))
    }

    /// Carries out a command of the language itself.
    fn built_in(&self, state: &mut State<'_>, order: &Order<'_>) -> Done {
        let place = order.place();
        match order.name() {
            "inline" => {
                let site = order.binder().ok_or_else(|| order.misused("inline x"))?;
                let path = Self::site(state, &site, place, order.env)?;
                order.applied(state.inline(&path))
            }
            "beta" => order.applied(state.beta(place, Doubtful::Leave)),
            "expand" => order.applied(state.beta(place, Doubtful::Guard)),
            "simplify" => Self::simplify(state, order),
            "merge" => order.applied(state.merge_guards(place)),
            "bind" => {
                let (Some(new), Some(target)) = (order.word(0), &order.site) else {
                    return Err(order.misused("bind x at site"));
                };
                order.applied(state.bind(order.focus, target, &new))
            }
            "cursor" => Self::cursor(state, order),
            "stage" => self.stage(state, order),
            "rename" => {
                let (Some(site), Some(new)) = (order.binder(), order.call.names.first()) else {
                    return Err(order.misused("rename x as y"));
                };
                let path = Self::site(state, &site, place, order.env)?;
                let renamed = renamed(&state.part(&path), &order.named(&new.text), state.engine);
                state.redefine(&path, &renamed, Change::Renamed);
                Ok(())
            }
            "parallel" => Self::traverse(state, order, Traversal::Parallel),
            "vectorize" => Self::traverse(state, order, Traversal::Vectorized),
            "unroll" => Self::traverse(state, order, Traversal::Unrolled),
            name => {
                let diagnostic = Diagnostic::error(
                    codes::UNKNOWN_COMMAND,
                    order.call.name.span,
                    format!("there is no command `{name}`"),
                );
                let known = "commands are the rules, schedule functions, and inline, bind, beta, \
                    expand, simplify, merge, cursor, stage, rename, parallel, vectorize, unroll";
                Err(Box::new(diagnostic.with_hint(known)))
            }
        }
    }

    fn simplify(state: &mut State<'_>, order: &Order<'_>) -> Done {
        let place = order.place();
        match order.word(0).as_deref() {
            Some("guards") => order.applied(state.simplify_guards(place)),
            Some("indices") => order.applied(state.tidy_indices(place)),
            None => {
                order.applied(state.beta(place, Doubtful::Leave))?;
                order.applied(state.tidy_indices(place))?;
                order.applied(state.simplify_guards(place))
            }
            Some(_) => Err(order.misused("simplify, simplify guards or simplify indices")),
        }
    }

    fn cursor(state: &mut State<'_>, order: &Order<'_>) -> Done {
        let (Some(new), Some(target)) = (order.word(0), &order.site) else {
            return Err(order.misused("cursor c at site"));
        };
        if state.cursors.iter().any(|(known, _)| *known == new) {
            let message = format!("there is a cursor `{new}` already");
            return Err(Box::new(Diagnostic::error(codes::NAME_TAKEN, order.span, message)));
        }
        let cursor = state.cursor(target);
        state.cursors.push((new, cursor));
        Ok(())
    }

    fn stage(&self, state: &mut State<'_>, order: &Order<'_>) -> Done {
        let form = "stage x as y, or stage x, first, size, … as y";
        let (call, place, env) = (order.call, order.place(), order.env);
        let (Some(source), Some(new)) = (order.word(0), call.names.first()) else {
            return Err(order.misused(form));
        };
        let context = state.context(place);
        let scope = self.scope(&context, env).into_iter().rev();
        let inputs = input_variables(&state.term);
        let Some(var) = scope
            .chain(inputs)
            .find(|var| *var.name == *source && matches!(var.sort, Sort::Tensor(_)))
        else {
            let message = format!("there is no tensor `{source}` here");
            return Err(Box::new(Diagnostic::error(codes::NO_SITE, order.span, message)));
        };
        let mut numbers = Vec::new();
        for arg in &call.args[1..] {
            let Argument::Expr(expr) = arg else { return Err(order.misused(form)) };
            numbers.push(self.index(state, expr, place, env)?);
        }
        let regions = numbers
            .chunks(2)
            .filter_map(|pair| Some((pair.first()?.clone(), pair.get(1)?.clone())));
        let regions = regions.collect();
        order.applied(state.stage(place, &var, &order.named(&new.text), regions))
    }

    /// Sets how a loop of the final program is run.
    fn traverse(state: &mut State<'_>, order: &Order<'_>, traversal: Traversal) -> Done {
        let form = "parallel x, vectorize x or unroll x, with the variable of a loop";
        let target = order.word(0).ok_or_else(|| order.misused(form))?;
        if !has_loop(&state.term, &target) {
            let message = format!("there is no loop over `{target}`");
            return Err(Box::new(Diagnostic::error(codes::NO_SITE, order.span, message)));
        }
        state.traversals.insert(target, traversal);
        Ok(())
    }

    fn function(
        &mut self,
        state: &mut State<'_>,
        function: &Function,
        call: &Call,
        span: Span,
        focus: &Path,
        env: &Env,
    ) -> Done {
        if call.args.len() != function.params.len() {
            let message =
                format!("`{}` takes {} arguments", function.name.text, function.params.len());
            return Err(Box::new(Diagnostic::error(codes::UNKNOWN_COMMAND, span, message)));
        }
        if self.depth == MAX_CALLS {
            return Err(Box::new(Diagnostic::error(
                codes::UNKNOWN_COMMAND,
                span,
                "schedule functions call each other without end",
            )));
        }
        let needs = |what: &str, span: Span| {
            let message = format!("{what} is needed here");
            Box::new(Diagnostic::error(codes::UNKNOWN_COMMAND, span, message))
        };
        let mut inner = Env::default();
        for (param, arg) in function.params.iter().zip(&call.args) {
            match &param.kind {
                ParamKind::Size => {
                    let var = state.engine.supply.fresh(&param.name.text, Sort::Index);
                    let Argument::Expr(expr) = arg else { return Err(needs("a size", arg.span())) };
                    inner.indices.push((var, self.index(state, expr, focus, env)?));
                }
                ParamKind::Name => {
                    let Argument::Expr(Expr { kind: ExprKind::Name(text), .. }) = arg else {
                        return Err(needs("a name", arg.span()));
                    };
                    let known = env.names.iter().rev().find(|(param, _)| param == text);
                    inner.names.push((
                        param.name.text.clone(),
                        known.map_or(text.clone(), |(_, name)| name.clone()),
                    ));
                }
                ParamKind::Site => {
                    let site = Self::given(&arg.site(), env);
                    inner.sites.push((param.name.text.clone(), site));
                }
                ParamKind::Shape | ParamKind::Tensor(..) => {
                    let message = "schedule functions take sizes, sites and names";
                    return Err(Box::new(Diagnostic::error(
                        codes::WRONG_SORT,
                        param.name.span,
                        message,
                    )));
                }
            }
        }
        self.depth += 1;
        let outcome = self.all(state, &function.script, focus, &inner, false);
        self.depth -= 1;
        outcome.map_err(|diagnostic| {
            Box::new(
                diagnostic.with_label(span, format!("called here, in `{}`", function.name.text)),
            )
        })
    }
}

/// The free tensor variables of a program, which are its inputs.
fn input_variables(term: &Term) -> Vec<Var> {
    let mut inputs: Vec<Var> = Vec::new();
    crate::term::free_variables(term, &mut |var| {
        if matches!(var.sort, Sort::Tensor(_)) && !inputs.contains(var) {
            inputs.push(var.clone());
        }
    });
    inputs
}

/// Renames the variable of a binder.
fn renamed(term: &Term, name: &str, engine: &Engine) -> Term {
    match &**term {
        Node::Loop(kind, var, lo, hi, body) => {
            let fresh = engine.supply.fresh(name, var.sort);
            let body =
                Subst::new().index(var, Index::Var(fresh.clone())).on_term(body, &engine.supply);
            Rc::new(Node::Loop(*kind, fresh, lo.clone(), hi.clone(), body))
        }
        Node::Let(var, value, body) => {
            let fresh = engine.supply.fresh(name, var.sort);
            let body = Subst::new()
                .term(var, Rc::new(Node::Var(fresh.clone())))
                .on_term(body, &engine.supply);
            Rc::new(Node::Let(fresh, Rc::clone(value), body))
        }
        Node::Var(_)
        | Node::Literal(_)
        | Node::Call(..)
        | Node::Guard(..)
        | Node::Get(..)
        | Node::Add(..)
        | Node::Mul(..)
        | Node::Reshape(..)
        | Node::Apply(..) => Rc::clone(term),
    }
}
