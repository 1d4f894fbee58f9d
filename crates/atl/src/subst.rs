//! Capture-avoiding substitution.

use std::rc::Rc;

use halidom_base::{FxHashMap, FxHashSet};

use crate::term::{
    Arg, Index, Node, Pred, Rank, Sort, Supply, Term, Var, children, free_variables,
};

/// A function of a rule, with parameters and body.
#[derive(Clone, Debug)]
pub struct Abstraction {
    /// The parameters.
    pub params: Vec<Var>,
    /// The body, in which the parameters are free.
    pub body: Term,
}

/// The replacements of variables.
#[derive(Clone, Debug, Default)]
pub struct Subst {
    indices: FxHashMap<u32, Index>,
    preds: FxHashMap<u32, Pred>,
    terms: FxHashMap<u32, Term>,
    functions: FxHashMap<u32, Abstraction>,
    ranks: FxHashMap<u32, Rank>,
    /// The variables that are free in any replacement. Binders of these variables are renamed.
    captured: FxHashSet<u32>,
    /// True if every binder gets a new variable.
    refresh: bool,
    /// New names for binders, by their old names.
    names: halidom_base::IndexMap<Rc<str>, Rc<str>>,
}

impl Subst {
    /// Returns a substitution that replaces nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives every binder a new variable. This is needed because the two sides of a rule must share
    /// no variables with the program.
    #[must_use]
    pub fn refreshing(mut self) -> Self {
        self.refresh = true;
        self
    }

    /// Adds the replacement of an index variable.
    #[must_use]
    pub fn index(mut self, var: &Var, value: Index) -> Self {
        self.set_index(var, value);
        self
    }

    /// Adds the replacement of an index variable.
    pub fn set_index(&mut self, var: &Var, value: Index) {
        value.variables(&mut |free| {
            self.captured.insert(free.id);
        });
        self.indices.insert(var.id, value);
    }

    /// Adds the replacement of a predicate variable.
    pub fn set_pred(&mut self, var: &Var, value: Pred) {
        value.variables(&mut |free| {
            self.captured.insert(free.id);
        });
        self.preds.insert(var.id, value);
    }

    /// Adds the replacement of a tensor variable.
    #[must_use]
    pub fn term(mut self, var: &Var, value: Term) -> Self {
        self.set_term(var, value);
        self
    }

    /// Adds the replacement of a tensor variable.
    pub fn set_term(&mut self, var: &Var, value: Term) {
        free_variables(&value, &mut |free| {
            self.captured.insert(free.id);
        });
        self.terms.insert(var.id, value);
    }

    /// Adds the replacement of a rule's function.
    pub fn set_function(&mut self, var: &Var, value: Abstraction) {
        free_variables(&value.body, &mut |free| {
            self.captured.insert(free.id);
        });
        self.functions.insert(var.id, value);
    }

    /// Sets new names for binders, by their old names.
    pub fn set_names(&mut self, names: &halidom_base::IndexMap<Rc<str>, Rc<str>>) {
        self.names.clone_from(names);
    }

    /// Adds the replacement of a rank variable.
    pub fn set_rank(&mut self, base: u32, value: Rank) {
        self.ranks.insert(base, value);
    }

    /// Applies the substitution to a rank.
    pub fn on_rank(&self, rank: Rank) -> Rank {
        match rank.base.and_then(|base| self.ranks.get(&base)) {
            Some(value) => Rank { base: value.base, plus: value.plus + rank.plus },
            None => rank,
        }
    }

    /// Applies the substitution to an index expression.
    pub fn on_index(&self, index: &Index) -> Index {
        match index {
            Index::Num(value) => Index::Num(*value),
            Index::Var(var) => self.indices.get(&var.id).cloned().unwrap_or_else(|| index.clone()),
            Index::Op(op, operands) => {
                Index::exact(*op, self.on_index(&operands.0), self.on_index(&operands.1))
            }
        }
    }

    /// Applies the substitution to a predicate.
    pub fn on_pred(&self, pred: &Pred) -> Pred {
        match pred {
            Pred::Known(value) => Pred::Known(*value),
            Pred::Compare(compare, a, b) => {
                Pred::Compare(*compare, self.on_index(a), self.on_index(b))
            }
            Pred::And(both) => Pred::and(self.on_pred(&both.0), self.on_pred(&both.1)),
            Pred::Var(var) => self.preds.get(&var.id).cloned().unwrap_or_else(|| pred.clone()),
        }
    }

    /// Applies the substitution to a term.
    pub fn on_term(&self, term: &Term, supply: &Supply) -> Term {
        let part = |place: usize| {
            let all = children(term);
            self.on_term(all[place], supply)
        };
        let parts = || {
            children(term).into_iter().map(|child| self.on_term(child, supply)).collect::<Vec<_>>()
        };
        Rc::new(match &**term {
            Node::Var(var) => match self.terms.get(&var.id) {
                Some(value) => return Rc::clone(value),
                None => return Rc::clone(term),
            },
            Node::Literal(_) => return Rc::clone(term),
            Node::Call(name, _) => Node::Call(Rc::clone(name), parts()),
            Node::Loop(kind, var, lo, hi, body) => {
                let (var, inner) = self.under(var, supply);
                let body = inner.as_ref().unwrap_or(self).on_term(body, supply);
                Node::Loop(*kind, var, self.on_index(lo), self.on_index(hi), body)
            }
            Node::Guard(pred, _) => Node::Guard(self.on_pred(pred), part(0)),
            Node::Let(var, value, body) => {
                let value = self.on_term(value, supply);
                let (var, inner) = self.under(var, supply);
                Node::Let(var, value, inner.as_ref().unwrap_or(self).on_term(body, supply))
            }
            Node::Get(_, index) => Node::Get(part(0), self.on_index(index)),
            Node::Add(..) => Node::Add(part(0), part(1)),
            Node::Mul(..) => Node::Mul(part(0), part(1)),
            Node::Reshape(op, sizes, _) => {
                Node::Reshape(*op, sizes.iter().map(|size| self.on_index(size)).collect(), parts())
            }
            Node::Apply(function, args) => {
                let args: Vec<Arg> = args
                    .iter()
                    .map(|arg| match arg {
                        Arg::Index(index) => Arg::Index(self.on_index(index)),
                        Arg::Term(term) => Arg::Term(self.on_term(term, supply)),
                    })
                    .collect();
                match self.functions.get(&function.id) {
                    Some(abstraction) => return abstraction.apply(&args, supply),
                    None => Node::Apply(function.clone(), args),
                }
            }
        })
    }

    /// The new variable of a binder, and the substitution below it if that differs.
    fn under(&self, var: &Var, supply: &Supply) -> (Var, Option<Self>) {
        let shadowed = self.indices.contains_key(&var.id) || self.terms.contains_key(&var.id);
        if !self.refresh && !shadowed && !self.captured.contains(&var.id) {
            return (var.clone(), None);
        }
        let sort = match var.sort {
            Sort::Tensor(rank) => Sort::Tensor(self.on_rank(rank)),
            Sort::Index | Sort::Pred | Sort::Shape => var.sort,
        };
        let name = self.names.get(&var.name).unwrap_or(&var.name);
        let fresh = supply.fresh(name, sort);
        let mut inner = self.clone();
        match sort {
            Sort::Tensor(_) => inner.set_term(var, Rc::new(Node::Var(fresh.clone()))),
            Sort::Index | Sort::Pred | Sort::Shape => {
                inner.set_index(var, Index::Var(fresh.clone()))
            }
        }
        (fresh, Some(inner))
    }
}

impl Abstraction {
    /// Returns the body with arguments for the parameters.
    pub fn apply(&self, args: &[Arg], supply: &Supply) -> Term {
        let mut subst = Subst::new();
        for (param, arg) in self.params.iter().zip(args) {
            match arg {
                Arg::Index(index) => subst.set_index(param, index.clone()),
                Arg::Term(term) => subst.set_term(param, Rc::clone(term)),
            }
        }
        subst.on_term(&self.body, supply)
    }
}

/// Returns a term with every occurrence of an integer expression replaced, except below binders of
/// its variables.
pub fn replace_index(term: &Term, old: &Index, new: &Index) -> Term {
    let on = |index: &Index| replace_in_index(index, old, new);
    let mut result = Rc::clone(term);
    let shallow = match &**term {
        Node::Loop(kind, var, lo, hi, body) => {
            Some(Node::Loop(*kind, var.clone(), on(lo), on(hi), Rc::clone(body)))
        }
        Node::Guard(pred, body) => {
            Some(Node::Guard(replace_in_pred(pred, old, new), Rc::clone(body)))
        }
        Node::Get(tensor, index) => Some(Node::Get(Rc::clone(tensor), on(index))),
        Node::Reshape(op, sizes, parts) => {
            Some(Node::Reshape(*op, sizes.iter().map(on).collect(), parts.clone()))
        }
        Node::Var(_)
        | Node::Literal(_)
        | Node::Call(..)
        | Node::Let(..)
        | Node::Add(..)
        | Node::Mul(..)
        | Node::Apply(..) => None,
    };
    if let Some(node) = shallow {
        result = Rc::new(node);
    }
    for (place, child) in children(term).into_iter().enumerate() {
        if crate::term::binder(term, place).is_none_or(|var| !old.mentions(var)) {
            result = crate::term::with_child(&result, place, replace_index(child, old, new));
        }
    }
    result
}

fn replace_in_index(index: &Index, old: &Index, new: &Index) -> Index {
    if index == old {
        return new.clone();
    }
    match index {
        Index::Num(_) | Index::Var(_) => index.clone(),
        Index::Op(op, operands) => Index::exact(
            *op,
            replace_in_index(&operands.0, old, new),
            replace_in_index(&operands.1, old, new),
        ),
    }
}

fn replace_in_pred(pred: &Pred, old: &Index, new: &Index) -> Pred {
    match pred {
        Pred::Known(_) | Pred::Var(_) => pred.clone(),
        Pred::Compare(compare, a, b) => {
            Pred::Compare(*compare, replace_in_index(a, old, new), replace_in_index(b, old, new))
        }
        Pred::And(both) => {
            Pred::and(replace_in_pred(&both.0, old, new), replace_in_pred(&both.1, old, new))
        }
    }
}
