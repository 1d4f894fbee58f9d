//! The steps of a derivation as proof terms: congruences down to the place, and there the rule.

use std::fmt::Write as _;

use super::scope::{Form, Scope};
use crate::engine::{Reason, Shown, Step};

use crate::rules::{Premise, Rules};
use crate::term::{Index, Loop, Node, Reshape, Term, children};

/// The proof term of a step on a program.
pub(crate) fn step(scope: &mut Scope<'_>, rules: &Rules, before: &Term, step: &Step) -> String {
    congruence(scope, rules, before, &step.path, &step.reason)
}

/// The proof term of an equation of two parts: the congruences down from `term` along a path,
/// around the rule at its end.
pub(super) fn congruence(
    scope: &mut Scope<'_>,
    rules: &Rules,
    term: &Term,
    path: &[usize],
    reason: &Reason,
) -> String {
    let mark = scope.mark();
    let (starts, ends) = descend(scope, term, path);
    let inner = leaf(scope, rules, reason);
    scope.leave(mark);
    format!("{starts}{inner}{ends}")
}

/// The congruences down from a term along a path, as the text before and after a proof about the
/// part at its end. Their binders stay in scope.
pub(super) fn descend(scope: &mut Scope<'_>, term: &Term, path: &[usize]) -> (String, String) {
    let (mut starts, mut ends) = (String::new(), String::new());
    let mut here = term;
    for place in path {
        let Some(child) = children(here).get(*place).copied() else { break };
        let (start, end) = enter(scope, here, *place);
        starts.push_str(&start);
        ends.insert_str(0, end);
        here = child;
    }
    (starts, ends)
}

/// The congruence that leads into a part of a term. Its binders stay in scope.
fn enter(scope: &mut Scope<'_>, term: &Term, place: usize) -> (String, &'static str) {
    let holes = |count: usize| " _".repeat(count);
    match &**term {
        Node::Loop(kind, var, lo, hi, _) => {
            let lemma = match kind {
                Loop::Gen => "gen_in",
                Loop::Sum => "sum_in",
            };
            let (name, proof) = scope.range(var, lo, hi);
            (format!("({lemma}{} (fun {name} {proof} => ", holes(5)), "))")
        }
        Node::Guard(pred, _) => {
            let proof = scope.guard(pred);
            (format!("(guard_in{} (fun {proof} => ", holes(4)), "))")
        }
        Node::Let(var, value, _) if place == 1 => {
            let (name, proof) = scope.binding(var, value);
            (format!("(let_body{} (fun {name} {proof} => ", holes(5)), "))")
        }
        Node::Let(..) => (format!("(let_value{} ", holes(5)), ")"),
        Node::Get(..) => (format!("(get_in{} ", holes(4)), ")"),
        Node::Add(..) if place == 0 => (format!("(add_left{} ", holes(4)), ")"),
        Node::Add(..) => (format!("(add_right{} ", holes(4)), ")"),
        Node::Mul(..) if place == 0 => (format!("(mul_left{} ", holes(3)), ")"),
        Node::Mul(..) => (format!("(mul_right{} ", holes(3)), ")"),
        Node::Call(_, parts) => match (parts.len(), place) {
            (1, _) => (format!("(call_only{} ", holes(3)), ")"),
            (_, 0) => (format!("(call_left{} ", holes(4)), ")"),
            (_, _) => (format!("(call_right{} ", holes(4)), ")"),
        },
        Node::Reshape(op, ..) => match (op, place) {
            (Reshape::Concat, 0) => (format!("(concat_left{} ", holes(6)), ")"),
            (Reshape::Concat, _) => (format!("(concat_right{} ", holes(6)), ")"),
            (Reshape::Transpose, _) => (format!("(transpose_in{} ", holes(3)), ")"),
            (Reshape::TruncR, _) => (format!("(trunc_r_in{} ", holes(4)), ")"),
            (
                Reshape::Flatten | Reshape::Split | Reshape::PadR | Reshape::PadL | Reshape::TruncL,
                _,
            ) => (format!("({}_in{} ", op.name(), holes(5)), ")"),
        },
        Node::Var(_) | Node::Literal(_) | Node::Apply(..) => (String::new(), ""),
    }
}

fn leaf(scope: &mut Scope<'_>, rules: &Rules, reason: &Reason) -> String {
    let (name, back, bindings, shown) = match reason {
        Reason::Definition(_) => return "eq_refl".to_owned(),
        Reason::Rule(name, back, bindings, shown) => (name, back, bindings, shown),
    };
    let Some(rule) = rules.find(name) else { return "_".to_owned() };
    let mut text = format!("({name}");
    for (id, _) in &rule.ranks {
        let rank = bindings.ranks.get(id).map_or("_".to_owned(), |rank| scope.writer.rank(*rank));
        let _ = write!(text, " {rank}");
    }
    for variable in &rule.variables {
        let value = bindings
            .values
            .get(&variable.id)
            .map_or("_".to_owned(), |value| scope.writer.value(value));
        let _ = write!(text, " {value}");
    }
    for (premise, shown) in rule.premises.iter().zip(shown) {
        let proof = match shown {
            Shown::Goal(goal, proof) => {
                let form = match premise {
                    Premise::Compare(..) => Form::Proposition,
                    Premise::True(_)
                    | Premise::False(_)
                    | Premise::Same(..)
                    | Premise::Supp(..)
                    | Premise::Rows(..) => Form::Boolean,
                };
                scope.goal(goal, form, proof)
            }
            Shown::Box(evidence) => format!("(supp_of _ _ _ {})", scope.evidence(evidence)),
            Shown::Rows(row, n, evidence) => {
                let mark = scope.mark();
                let (name, proof) = scope.range(row, &Index::Num(0), n);
                let inner = scope.evidence(evidence);
                scope.leave(mark);
                format!("(fun {name} {proof} => supp_of _ _ _ {inner})")
            }
        };
        let _ = write!(text, " {proof}");
    }
    text.push(')');
    if *back { format!("(eq_sym {text})") } else { text }
}

/// The statement of a rule, in the text of the library.
pub fn statement(rule: &crate::rules::Rule) -> String {
    let mut writer = super::text::Writer::new();
    writer.ranks.clone_from(&rule.ranks);
    let mut text = format!("Lemma {} : forall", rule.name);
    if !rule.ranks.is_empty() {
        let names: Vec<&str> = rule.ranks.iter().map(|(_, name)| name.as_str()).collect();
        let _ = write!(text, " ({} : nat)", names.join(" "));
    }
    // Adjacent variables of one type share their parentheses.
    let mut group: Vec<String> = Vec::new();
    let mut last = String::new();
    let flush = |group: &mut Vec<String>, last: &str, text: &mut String| {
        if !group.is_empty() {
            let _ = write!(text, " ({} : {last})", group.join(" "));
            group.clear();
        }
    };
    for variable in &rule.variables {
        let name = writer.names.bind(variable);
        let sort = function_type(rule, variable, &writer);
        if sort != last {
            flush(&mut group, &last, &mut text);
        }
        group.push(name);
        last = sort;
    }
    flush(&mut group, &last, &mut text);
    text.push(',');
    for premise in &rule.premises {
        let premise = match premise {
            Premise::Compare(indices, compares) => {
                writer.proposition(&Premise::as_pred(indices, compares))
            }
            Premise::Supp(v, n) => {
                format!("supp {} {} {}", below(v, &writer), writer.index(n), writer.term(v))
            }
            Premise::Rows(v, n, m) => {
                let rank = crate::term::rank(v);
                let inner = crate::term::Rank { plus: rank.plus.saturating_sub(2), ..rank };
                let (inner, outer) = (writer.rank(inner), below(v, &writer));
                let (n, m, v) = (writer.index(n), writer.index(m), writer.term(v));
                format!("(forall i, 0 <= i < {n} -> supp {inner} {m} (get {outer} {v} i))")
            }
            Premise::True(pred) => format!("{} = true", writer.boolean(pred)),
            Premise::False(pred) => format!("{} = false", writer.boolean(pred)),
            Premise::Same(p, q) => format!("{} = {}", writer.boolean(p), writer.boolean(q)),
        };
        let _ = write!(text, " {premise} ->");
    }
    let (left, right) = (writer.term(&rule.left), writer.term(&rule.right));
    let _ = write!(text, " {left} = {right}.");
    text
}

fn below(v: &Term, writer: &super::text::Writer) -> String {
    writer.rank(crate::term::rank(v).down().unwrap_or(crate::term::Rank::SCALAR))
}

/// The type of a rule's variable. If the variable is applied, it is a function type.
fn function_type(
    rule: &crate::rules::Rule,
    variable: &crate::term::Var,
    writer: &super::text::Writer,
) -> String {
    use crate::term::{Arg, Sort};
    let mut arguments: Option<Vec<String>> = None;
    let mut stack = vec![&rule.left, &rule.right];
    while let Some(term) = stack.pop() {
        if let Node::Apply(applied, args) = &**term
            && applied == variable
        {
            arguments = Some(
                args.iter()
                    .map(|arg| match arg {
                        Arg::Index(_) => "Z".to_owned(),
                        Arg::Term(term) => format!("T K {}", writer.rank(crate::term::rank(term))),
                    })
                    .collect(),
            );
        }
        stack.extend(children(term));
    }
    let own = match variable.sort {
        Sort::Index => "Z".to_owned(),
        Sort::Pred => "bool".to_owned(),
        Sort::Tensor(rank) => format!("T K {}", writer.rank(rank)),
        Sort::Shape => "list Z".to_owned(),
    };
    let mut all = arguments.unwrap_or_default();
    all.push(own);
    all.join(" -> ")
}
