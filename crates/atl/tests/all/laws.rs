//! Tests of the laws that the table of rules lists. A rule whose proof rearranges no sum or product
//! is exact in floating point, except for the sign of zeros.
//!
//! A certificate's claims about floating point depend on these lists, which Coq does not see. Each
//! rule is instantiated at random, and both sides are computed in single precision.

use std::rc::Rc;

use halidom_atl::arithmetic::Floats;
use halidom_atl::certificate::agreement;
use halidom_atl::context::Shape;
use halidom_atl::engine::Engine;
use halidom_atl::interpret::{Tensor, interpret_with};
use halidom_atl::native::Agreement;
use halidom_atl::program::{Element, Input, Program};
use halidom_atl::rules::{Bindings, Premise, Rule, Value};
use halidom_atl::subst::Abstraction;
use halidom_atl::term::{
    Arg, Compare, Index, Node, Pred, Rank, Reshape, Sort, Term, Var, children, rank,
};

struct Random(u64);

impl Random {
    fn below(&mut self, bound: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as i64
    }

    /// A random number whose sums round.
    fn float(&mut self) -> f64 {
        f64::from((self.below(2_000_001) - 1_000_000) as f32 * 0.333_333)
    }
}

/// The value of an integer without variables.
fn number(index: &Index) -> Option<i64> {
    halidom_atl::prover::evaluate(index, &|_| None)
}

fn truth(pred: &Pred) -> Option<bool> {
    match pred {
        Pred::Known(known) => Some(*known),
        Pred::Compare(compare, a, b) => {
            Some(halidom_atl::prover::compare(*compare, number(a)?, number(b)?))
        }
        Pred::And(both) => Some(truth(&both.0)? && truth(&both.1)?),
        Pred::Var(_) => None,
    }
}

/// The arguments to which a rule applies a variable.
fn arguments(rule: &Rule, var: &Var) -> Vec<Arg> {
    let mut stack = vec![&rule.left, &rule.right];
    while let Some(term) = stack.pop() {
        if let Node::Apply(applied, args) = &**term
            && applied == var
        {
            return args.clone();
        }
        stack.extend(children(term));
    }
    Vec::new()
}

/// A rule's two sides with random values for its variables, and the inputs that they read. `None`
/// if a premise does not hold.
fn instance(
    engine: &Engine,
    rule: &Rule,
    random: &mut Random,
) -> Option<(Program, Term, Vec<Tensor<f64>>)> {
    let mut bindings = Bindings::default();
    for (base, _) in &rule.ranks {
        bindings.ranks.insert(*base, Rank::SCALAR);
    }
    for var in &rule.variables {
        let value = match var.sort {
            Sort::Index => Value::Index(Index::Num(random.below(7))),
            Sort::Pred => Value::Pred(Pred::Compare(
                Compare::Lt,
                Index::Num(random.below(4)),
                Index::Num(random.below(4)),
            )),
            Sort::Tensor(_) | Sort::Shape => continue,
        };
        bindings.values.insert(var.id, value);
    }
    let mut program = Program {
        name: rule.name.to_owned(),
        sizes: Vec::new(),
        shapes: Vec::new(),
        hypotheses: Vec::new(),
        inputs: Vec::new(),
        body: Rc::clone(&rule.left),
        shape: Shape::default(),
    };
    let mut inputs = Vec::new();
    for var in &rule.variables {
        let Sort::Tensor(own_rank) = var.sort else { continue };
        // A premise may determine the sizes. The others are arbitrary.
        let mut dims = vec![None; own_rank.plus as usize];
        for premise in &rule.premises {
            let is = |term: &Term| matches!(&**term, Node::Var(other) if other == var);
            let subst = bindings.subst();
            match premise {
                Premise::Supp(v, n) if is(v) => dims[0] = number(&subst.on_index(n)),
                Premise::Rows(v, n, m) if is(v) => {
                    dims[0] = number(&subst.on_index(n));
                    dims[1] = number(&subst.on_index(m));
                }
                Premise::Supp(..)
                | Premise::Rows(..)
                | Premise::Compare(..)
                | Premise::True(_)
                | Premise::False(_)
                | Premise::Same(..) => {}
            }
        }
        let mut params = Vec::new();
        let mut read: Term;
        let mut sizes = Vec::new();
        let mut places = Vec::new();
        let mut terms = Vec::new();
        for arg in arguments(rule, var) {
            let sort = match arg {
                Arg::Index(_) => Sort::Index,
                Arg::Term(term) => Sort::Tensor(Rank::known(rank(&term).plus)),
            };
            let param = engine.supply.fresh("a", sort);
            match sort {
                Sort::Index => {
                    sizes.push(7);
                    places.push(Index::Var(param.clone()));
                }
                Sort::Tensor(_) | Sort::Pred | Sort::Shape => terms.push(param.clone()),
            }
            params.push(param);
        }
        sizes.extend(dims.iter().map(|dim| dim.unwrap_or(5)));
        let input = engine.supply.fresh("t", Sort::Tensor(Rank::known(sizes.len() as u32)));
        read = Rc::new(Node::Var(input.clone()));
        for place in places {
            read = Rc::new(Node::Get(read, place));
        }
        if own_rank.plus == 0 {
            for term in terms {
                let places = term.rank().plus;
                let mut element = Rc::new(Node::Var(term));
                for _ in 0..places {
                    element = Rc::new(Node::Get(element, Index::Num(random.below(4))));
                }
                read = Rc::new(Node::Add(read, element));
            }
        }
        bindings.values.insert(var.id, Value::Function(Abstraction { params, body: read }));
        let count: i64 = sizes.iter().product();
        let shape = Shape { dims: sizes.iter().copied().map(Index::Num).collect(), rest: None };
        program.inputs.push(Input { var: input, element: Element::F32, shape });
        inputs.push(Tensor { sizes, elements: (0..count).map(|_| random.float()).collect() });
    }
    for premise in &rule.premises {
        let holds = match premise.instance(&bindings, &engine.supply) {
            Premise::Compare(indices, compares) => truth(&Premise::as_pred(&indices, &compares))?,
            Premise::True(pred) => truth(&pred)?,
            Premise::False(pred) => !truth(&pred)?,
            Premise::Same(p, q) => truth(&p)? == truth(&q)?,
            Premise::Supp(..) | Premise::Rows(..) => true,
        };
        if !holds {
            return None;
        }
    }
    program.body = bindings.instance(&rule.left, &engine.supply);
    let right = bindings.instance(&rule.right, &engine.supply);
    if empty_blocks(&program.body) || empty_blocks(&right) {
        return None;
    }
    Some((program, right, inputs))
}

/// True if a part is split into blocks of size zero, which no program may do.
fn empty_blocks(term: &Term) -> bool {
    let here = match &**term {
        Node::Reshape(Reshape::Split, sizes, _) => sizes.get(1).and_then(number) == Some(0),
        Node::Var(_)
        | Node::Literal(_)
        | Node::Call(..)
        | Node::Loop(..)
        | Node::Guard(..)
        | Node::Let(..)
        | Node::Get(..)
        | Node::Add(..)
        | Node::Mul(..)
        | Node::Reshape(..)
        | Node::Apply(..) => false,
    };
    here || children(term).into_iter().any(empty_blocks)
}

#[test]
fn rules_without_rearrangements_are_exact_in_floating_point() {
    let engine = Engine::new().expect("the engine starts");
    let mut random = Random(0x5eed);
    let (mut exact, mut rounded) = (0, Vec::new());
    for rule in engine.rules.iter() {
        let (mut instances, mut different) = (0, None);
        for _ in 0..200_000 {
            if instances == 60 {
                break;
            }
            let Some((program, right, inputs)) = instance(&engine, rule, &mut random) else {
                continue;
            };
            let floats = Floats { single: true };
            let value = |term: &Term| {
                interpret_with(&floats, &program, term, &[], &inputs)
                    .unwrap_or_else(|error| panic!("{}: {error}", rule.name))
            };
            let (left, right) = (value(&program.body), value(&right));
            instances += 1;
            // A tensor is zero outside of its sizes, so the sizes of the two sides may differ if
            // both are zero.
            let zero = |tensor: &Tensor<f64>| tensor.elements.iter().all(|element| *element == 0.0);
            let same = left == right || (zero(&left) && zero(&right));
            if !same && different.is_none() {
                different = Some(format!("{left:?}\n{right:?}"));
            }
        }
        assert_eq!(instances, 60, "{}: too few instances satisfy its premises", rule.name);
        match (agreement(rule.laws), different) {
            (Agreement::Exact, None) => exact += 1,
            (Agreement::Exact, Some(values)) => {
                panic!("{} rearranges sums or products, and does not say so:\n{values}", rule.name)
            }
            (Agreement::Rounded, different) => rounded.push((rule.name, different.is_some())),
        }
    }
    assert!(exact > 60, "{exact} rules");
    // The comparison detects rearrangements.
    let seen = rounded.iter().filter(|(_, different)| *different).count();
    assert!(seen * 2 > rounded.len(), "{rounded:?}");
}
