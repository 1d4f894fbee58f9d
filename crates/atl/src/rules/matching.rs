//! Matches patterns against terms (higher-order pattern matching). A rule's variable that is
//! applied to bound variables matches any term that mentions no other bound variable.

use std::rc::Rc;

use halidom_base::IndexMap;

use super::Rule;
use crate::subst::{Abstraction, Subst};
use crate::term::{
    Arg, Index, Node, Pred, Rank, Sort, Supply, Term, Var, binder, children, equal, free_variables,
    rank,
};

/// The value of a rule's variable.
#[derive(Clone, Debug)]
pub enum Value {
    /// An integer.
    Index(Index),
    /// A truth value.
    Pred(Pred),
    /// A tensor, as a function of the bound variables that the rule's variable is applied to.
    Function(Abstraction),
}

/// The values of a rule's variables.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    /// The values, by the variable's number.
    pub values: IndexMap<u32, Value>,
    /// The ranks, by the rank variable's number.
    pub ranks: IndexMap<u32, Rank>,
    /// For each name in the rule's text, the program's name for it.
    names: IndexMap<Rc<str>, Rc<str>>,
}

impl Bindings {
    /// The substitution of these values.
    pub fn subst(&self) -> Subst {
        let mut subst = Subst::new().refreshing();
        for (id, value) in &self.values {
            let var = Var { id: *id, name: "".into(), sort: Sort::Index };
            match value {
                Value::Index(index) => subst.set_index(&var, index.clone()),
                Value::Pred(pred) => subst.set_pred(&var, pred.clone()),
                Value::Function(function) => {
                    if function.params.is_empty() {
                        subst.set_term(&var, Rc::clone(&function.body));
                    }
                    subst.set_function(&var, function.clone());
                }
            }
        }
        for (base, rank) in &self.ranks {
            subst.set_rank(*base, *rank);
        }
        subst.set_names(&self.names);
        subst
    }

    /// Sets the program's name for a name in the rule's text.
    pub fn rename(&mut self, text: &str, name: &str) {
        self.names.insert(text.into(), name.into());
    }

    /// True if there is a program's name for this name in the rule's text. After matching, it
    /// covers the binders of the matched side.
    pub fn has_name(&self, text: &str) -> bool {
        self.names.contains_key(text)
    }

    /// Instantiates one side of the rule with these values. Bound variables are new.
    pub fn instance(&self, side: &Term, supply: &Supply) -> Term {
        self.subst().on_term(side, supply)
    }

    /// The first variable of the rule that has no value, if any.
    pub fn missing<'r>(&self, rule: &'r Rule) -> Option<&'r Var> {
        rule.variables.iter().find(|var| !self.values.contains_key(&var.id))
    }

    /// Extends the bindings so that the pattern becomes the term. Returns false if the term does
    /// not match.
    pub fn match_term(&mut self, pattern: &Term, term: &Term) -> bool {
        self.term(pattern, term, &mut Vec::new())
    }

    fn term(&mut self, pattern: &Term, term: &Term, bound: &mut Vec<(Var, Var)>) -> bool {
        match (&**pattern, &**term) {
            (Node::Var(var), _) if Self::is_bound(var, bound).is_none() => {
                self.function(var, &[], term, bound)
            }
            (Node::Apply(var, args), _) => self.function(var, args, term, bound),
            (Node::Var(x), Node::Var(y)) => {
                Self::is_bound(x, bound).is_some_and(|actual| actual == y)
            }
            (Node::Literal(x), Node::Literal(y)) => x == y,
            (Node::Call(f, xs), Node::Call(g, ys)) => {
                f == g && xs.len() == ys.len() && self.parts(pattern, term, bound)
            }
            (Node::Loop(k, x, lo, hi, _), Node::Loop(l, y, lo2, hi2, _)) => {
                self.names.insert(Rc::clone(&x.name), Rc::clone(&y.name));
                k == l
                    && self.index(lo, lo2, bound)
                    && self.index(hi, hi2, bound)
                    && self.parts(pattern, term, bound)
            }
            (Node::Guard(p, _), Node::Guard(q, _)) => {
                self.pred(p, q, bound) && self.parts(pattern, term, bound)
            }
            (Node::Let(x, ..), Node::Let(y, ..)) => {
                self.names.insert(Rc::clone(&x.name), Rc::clone(&y.name));
                self.parts(pattern, term, bound)
            }
            (Node::Get(_, i), Node::Get(_, j)) => {
                self.parts(pattern, term, bound) && self.index(i, j, bound)
            }
            (Node::Add(..), Node::Add(..)) | (Node::Mul(..), Node::Mul(..)) => {
                self.parts(pattern, term, bound)
            }
            (Node::Reshape(f, s, _), Node::Reshape(g, t, _)) => {
                f == g
                    && s.iter().zip(t).all(|(x, y)| self.index(x, y, bound))
                    && self.parts(pattern, term, bound)
            }
            (
                Node::Var(_)
                | Node::Literal(_)
                | Node::Call(..)
                | Node::Loop(..)
                | Node::Guard(..)
                | Node::Let(..)
                | Node::Get(..)
                | Node::Add(..)
                | Node::Mul(..)
                | Node::Reshape(..),
                _,
            ) => false,
        }
    }

    fn is_bound<'b>(var: &Var, bound: &'b [(Var, Var)]) -> Option<&'b Var> {
        bound.iter().rev().find(|(pattern, _)| pattern == var).map(|(_, actual)| actual)
    }

    fn parts(&mut self, pattern: &Term, term: &Term, bound: &mut Vec<(Var, Var)>) -> bool {
        for (place, (x, y)) in children(pattern).into_iter().zip(children(term)).enumerate() {
            let pair = binder(pattern, place).cloned().zip(binder(term, place).cloned());
            let depth = bound.len();
            bound.extend(pair);
            let matches = self.term(x, y, bound);
            bound.truncate(depth);
            if !matches {
                return false;
            }
        }
        true
    }

    /// Binds a rule's variable that is applied to bound variables. Its value is the term as a
    /// function of the matched variables.
    fn function(&mut self, var: &Var, args: &[Arg], term: &Term, bound: &[(Var, Var)]) -> bool {
        let Some(params) =
            args.iter().map(|arg| Self::parameter(arg, bound)).collect::<Option<Vec<Var>>>()
        else {
            // An argument is not a bound variable, as in `f(a)` for a known `a`. If `f` has no
            // value yet, every occurrence of `a` is abstracted.
            if !self.values.contains_key(&var.id) {
                return self.abstracted(var, args, term, bound);
            }
            let supply = Supply::scratch();
            let applied = Rc::new(Node::Apply(var.clone(), args.to_vec()));
            return equal(&self.subst().on_term(&applied, &supply), term);
        };
        let mut escapes = false;
        free_variables(term, &mut |free| {
            escapes |= !params.contains(free) && bound.iter().any(|(_, actual)| actual == free);
        });
        if escapes {
            return false;
        }
        let Sort::Tensor(wanted) = var.sort else { return false };
        if !self.rank(wanted, rank(term)) {
            return false;
        }
        match self.values.get(&var.id) {
            Some(Value::Function(before)) => {
                let args: Vec<Arg> = params
                    .iter()
                    .map(|param| match param.sort {
                        Sort::Tensor(_) => Arg::Term(Rc::new(Node::Var(param.clone()))),
                        Sort::Index | Sort::Pred | Sort::Shape => {
                            Arg::Index(Index::Var(param.clone()))
                        }
                    })
                    .collect();
                equal(&before.apply(&args, &Supply::scratch()), term)
            }
            Some(Value::Index(_) | Value::Pred(_)) => false,
            None => {
                self.values
                    .insert(var.id, Value::Function(Abstraction { params, body: Rc::clone(term) }));
                true
            }
        }
    }

    /// Binds a function that is applied to known integers: the term as a function of all their
    /// occurrences.
    fn abstracted(&mut self, var: &Var, args: &[Arg], term: &Term, bound: &[(Var, Var)]) -> bool {
        let supply = Supply::scratch();
        let mut body = Rc::clone(term);
        let mut params = Vec::new();
        for arg in args {
            let Arg::Index(index) = arg else { return false };
            let mut known = true;
            index.variables(&mut |var| {
                known &= Self::is_bound(var, bound).is_some()
                    || matches!(self.values.get(&var.id), Some(Value::Index(_)));
            });
            if !known {
                return false;
            }
            let value = self.subst().on_index(index);
            let param = supply.fresh("at", Sort::Index);
            body = crate::subst::replace_index(&body, &value, &Index::Var(param.clone()));
            params.push(param);
        }
        let mut escapes = false;
        free_variables(&body, &mut |free| {
            escapes |= bound.iter().any(|(_, actual)| actual == free)
        });
        let Sort::Tensor(wanted) = var.sort else { return false };
        if escapes || !self.rank(wanted, rank(term)) {
            return false;
        }
        self.values.insert(var.id, Value::Function(Abstraction { params, body }));
        true
    }

    fn parameter(arg: &Arg, bound: &[(Var, Var)]) -> Option<Var> {
        match arg {
            Arg::Index(Index::Var(var)) => Self::is_bound(var, bound).cloned(),
            Arg::Term(term) => match &**term {
                Node::Var(var) => Self::is_bound(var, bound).cloned(),
                Node::Literal(_)
                | Node::Call(..)
                | Node::Loop(..)
                | Node::Guard(..)
                | Node::Let(..)
                | Node::Get(..)
                | Node::Add(..)
                | Node::Mul(..)
                | Node::Reshape(..)
                | Node::Apply(..) => None,
            },
            Arg::Index(Index::Num(_) | Index::Op(..)) => None,
        }
    }

    fn rank(&mut self, wanted: Rank, found: Rank) -> bool {
        let Some(base) = wanted.base else { return found == wanted };
        let Some(plus) = found.plus.checked_sub(wanted.plus) else { return false };
        let rest = Rank { base: found.base, plus };
        *self.ranks.entry(base).or_insert(rest) == rest
    }

    fn index(&mut self, pattern: &Index, index: &Index, bound: &[(Var, Var)]) -> bool {
        match (pattern, index) {
            (Index::Var(var), _) => match Self::is_bound(var, bound) {
                Some(actual) => *index == Index::Var(actual.clone()),
                None => {
                    let mut escapes = false;
                    index.variables(&mut |free| {
                        escapes |= bound.iter().any(|(_, actual)| actual == free)
                    });
                    match self.values.get(&var.id) {
                        _ if escapes => false,
                        Some(Value::Index(before)) => before == index,
                        Some(Value::Pred(_) | Value::Function(_)) => false,
                        None => {
                            self.values.insert(var.id, Value::Index(index.clone()));
                            true
                        }
                    }
                }
            },
            (Index::Num(x), Index::Num(y)) => x == y,
            (Index::Op(f, x), Index::Op(g, y)) => {
                f == g && self.index(&x.0, &y.0, bound) && self.index(&x.1, &y.1, bound)
            }
            (Index::Num(_) | Index::Op(..), _) => false,
        }
    }

    fn pred(&mut self, pattern: &Pred, pred: &Pred, bound: &[(Var, Var)]) -> bool {
        match (pattern, pred) {
            (Pred::Var(var), _) => {
                let mut escapes = false;
                pred.variables(&mut |free| {
                    escapes |= bound.iter().any(|(_, actual)| actual == free)
                });
                match self.values.get(&var.id) {
                    _ if escapes => false,
                    Some(Value::Pred(before)) => before == pred,
                    Some(Value::Index(_) | Value::Function(_)) => false,
                    None => {
                        self.values.insert(var.id, Value::Pred(pred.clone()));
                        true
                    }
                }
            }
            (Pred::Known(x), Pred::Known(y)) => x == y,
            (Pred::Compare(wanted, x, y), Pred::Compare(found, a, b)) => {
                wanted == found && self.index(x, a, bound) && self.index(y, b, bound)
            }
            (Pred::And(x), Pred::And(y)) => {
                self.pred(&x.0, &y.0, bound) && self.pred(&x.1, &y.1, bound)
            }
            (Pred::Known(_) | Pred::Compare(..) | Pred::And(_), _) => false,
        }
    }
}
