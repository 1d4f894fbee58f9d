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
        let refused = |refusal: Refusal| at_span(refusal, span);
        let name = call.name.text.as_str();
        let at = match &call.site {
            Some(site) => Some(Self::site(state, site, focus, env)?),
            None => None,
        };
        let place = at.clone().unwrap_or_else(|| focus.clone());
        let named = |text: &str| {
            env.names
                .iter()
                .rev()
                .find(|(param, _)| param == text)
                .map_or(text.to_owned(), |(_, name)| name.clone())
        };
        if let Some(rule) = state.engine.rules.find(name) {
            let mut given = Given {
                names: call.names.iter().map(|name| named(&name.text)).collect(),
                ..Given::default()
            };
            let variables = rule.variables.clone();
            for (variable, expr) in &call.with {
                let Some(var) = variables.iter().find(|var| *var.name == *variable.text) else {
                    let names: Vec<&str> = variables.iter().map(|var| &*var.name).collect();
                    let message = format!("the rule `{name}` has no `{}`", variable.text);
                    let diagnostic =
                        Diagnostic::error(codes::UNKNOWN_COMMAND, variable.span, message);
                    return Err(Box::new(
                        diagnostic.with_hint(format!("it has {}", names.join(", "))),
                    ));
                };
                given.values.push((
                    variable.text.clone(),
                    self.value(state, &variables, var.sort, expr, &place, env)?,
                ));
            }
            if let Some(extra) = call.args.first() {
                let message = format!("the rule `{name}` takes its values after `with`");
                return Err(Box::new(Diagnostic::error(
                    codes::UNKNOWN_COMMAND,
                    extra.span(),
                    message,
                )));
            }
            return state.apply(&place, name, call.back, &given).map_err(refused);
        }
        if let Some(function) = self.library.0.get(name).cloned() {
            return self.function(state, &function, call, span, &place, env);
        }
        let word = |place: usize| match call.args.get(place) {
            Some(Argument::Expr(Expr { kind: ExprKind::Name(text), .. })) => Some(named(text)),
            Some(_) | None => None,
        };
        // The binder that `inline` and `rename` take.
        let binder = || {
            let site = call.args.first().map(Argument::site)?;
            matches!(site.base, SiteBase::Named(_)).then_some(site)
        };
        let misused = |form: &str| {
            Box::new(Diagnostic::error(
                codes::UNKNOWN_COMMAND,
                span,
                format!("the command is `{form}`"),
            ))
        };
        match name {
            "inline" => {
                let site = binder().ok_or_else(|| misused("inline x"))?;
                let path = Self::site(state, &site, &place, env)?;
                state.inline(&path).map_err(refused)
            }
            "beta" => state.beta(&place, Doubtful::Leave).map(drop).map_err(refused),
            "expand" => state.beta(&place, Doubtful::Guard).map(drop).map_err(refused),
            "simplify" => match word(0).as_deref() {
                Some("guards") => state.simplify_guards(&place).map(drop).map_err(refused),
                Some("indices") => state.tidy_indices(&place).map(drop).map_err(refused),
                None => {
                    state.beta(&place, Doubtful::Leave).map_err(refused)?;
                    state.tidy_indices(&place).map_err(refused)?;
                    state.simplify_guards(&place).map(drop).map_err(refused)
                }
                Some(_) => Err(misused("simplify, simplify guards or simplify indices")),
            },
            "merge" => state.merge_guards(&place).map(drop).map_err(refused),
            "bind" => {
                let (Some(new), Some(target)) = (word(0), at) else {
                    return Err(misused("bind x at site"));
                };
                state.bind(focus, &target, &new).map_err(refused)
            }
            "cursor" => {
                let (Some(new), Some(target)) = (word(0), at) else {
                    return Err(misused("cursor c at site"));
                };
                if state.cursors.iter().any(|(known, _)| *known == new) {
                    let message = format!("there is a cursor `{new}` already");
                    return Err(Box::new(Diagnostic::error(codes::NAME_TAKEN, span, message)));
                }
                let cursor = state.cursor(&target);
                state.cursors.push((new, cursor));
                Ok(())
            }
            "stage" => {
                let (Some(source), Some(new)) = (word(0), call.names.first()) else {
                    return Err(misused("stage x as y, or stage x, first, size, … as y"));
                };
                let context = state.context(&place);
                let scope = self.scope(&context, env).into_iter().rev();
                let inputs = input_variables(&state.term);
                let Some(var) = scope
                    .chain(inputs)
                    .find(|var| *var.name == *source && matches!(var.sort, Sort::Tensor(_)))
                else {
                    let message = format!("there is no tensor `{source}` here");
                    return Err(Box::new(Diagnostic::error(codes::NO_SITE, span, message)));
                };
                let mut numbers = Vec::new();
                for arg in &call.args[1..] {
                    let Argument::Expr(expr) = arg else {
                        return Err(misused("stage x as y, or stage x, first, size, … as y"));
                    };
                    numbers.push(self.index(state, expr, &place, env)?);
                }
                let regions = numbers
                    .chunks(2)
                    .filter_map(|pair| Some((pair.first()?.clone(), pair.get(1)?.clone())));
                let regions = regions.collect();
                state.stage(&place, &var, &named(&new.text), regions).map_err(refused)
            }
            "rename" => {
                let (Some(site), Some(new)) = (binder(), call.names.first()) else {
                    return Err(misused("rename x as y"));
                };
                let path = Self::site(state, &site, &place, env)?;
                let renamed = renamed(&state.part(&path), &named(&new.text), state.engine);
                state.redefine(&path, &renamed, Change::Renamed);
                Ok(())
            }
            "parallel" | "vectorize" | "unroll" => {
                let form = "parallel x, vectorize x or unroll x, with the variable of a loop";
                let target = word(0).ok_or_else(|| misused(form))?;
                if !has_loop(&state.term, &target) {
                    let message = format!("there is no loop over `{target}`");
                    return Err(Box::new(Diagnostic::error(codes::NO_SITE, span, message)));
                }
                let traversal = match name {
                    "parallel" => Traversal::Parallel,
                    "vectorize" => Traversal::Vectorized,
                    _ => Traversal::Unrolled,
                };
                state.traversals.insert(target, traversal);
                Ok(())
            }
            _ => {
                let diagnostic = Diagnostic::error(
                    codes::UNKNOWN_COMMAND,
                    call.name.span,
                    format!("there is no command `{name}`"),
                );
                let known = "commands are the rules, schedule functions, and inline, bind, beta, \
                    expand, simplify, merge, cursor, stage, rename, parallel, vectorize, unroll";
                Err(Box::new(diagnostic.with_hint(known)))
            }
        }
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
