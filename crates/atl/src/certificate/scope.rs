//! The scope of a proof term, and the side conditions that it needs as lemmas.

use std::fmt::Write as _;

use halidom_base::IndexMap;

use super::text::Writer;
use crate::context::{Context, Fact};
use crate::engine::Evidence;
use crate::prover::{Goal, Hint, Proof, Prover};
use crate::term::{Arith, Index, Pred, Reshape, Term, Var};

/// The form in which a goal is stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Comparisons as propositions.
    Proposition,
    /// An equation of Booleans.
    Boolean,
}

/// The state of a proof that is being written: names, facts with the names of their proofs, and
/// lemmas.
pub(crate) struct Scope<'p> {
    pub(crate) writer: Writer,
    pub(crate) context: Context,
    prover: &'p Prover,
    /// The names of the proofs of facts. Empty for facts of the whole section.
    proofs: Vec<String>,
    /// The number of facts of the whole section.
    global: usize,
    /// The proofs of the lemmas, by statement. A lemma's position is its number.
    lemmas: IndexMap<String, String>,
    prefix: &'static str,
}

impl<'p> Scope<'p> {
    pub(crate) fn new(
        writer: Writer,
        context: Context,
        prover: &'p Prover,
        prefix: &'static str,
    ) -> Self {
        let global = context.facts.len();
        let proofs = vec![String::new(); global];
        Self { writer, context, prover, proofs, global, lemmas: IndexMap::default(), prefix }
    }

    /// The text of all lemmas.
    pub(crate) fn lemmas(&self) -> String {
        let mut out = String::new();
        for (number, (statement, proof)) in self.lemmas.iter().enumerate() {
            let _ = writeln!(
                out,
                "Lemma {}{} : {statement}.\nProof. {proof} Qed.",
                self.prefix,
                number + 1
            );
        }
        out
    }

    pub(crate) fn lemma_count(&self) -> usize {
        self.lemmas.len()
    }

    /// A mark for [`Scope::leave`].
    pub(crate) fn mark(&self) -> (usize, usize) {
        (self.writer.names.depth(), self.context.facts.len())
    }

    pub(crate) fn leave(&mut self, mark: (usize, usize)) {
        self.writer.names.leave(mark.0);
        self.context.facts.truncate(mark.1);
        self.proofs.truncate(mark.1);
    }

    /// Assumes a range. Returns the names of the variable and of the proof.
    pub(crate) fn range(&mut self, var: &Var, lo: &Index, hi: &Index) -> (String, String) {
        let name = self.writer.names.bind(var);
        let proof = self.writer.names.take(&format!("H{name}"));
        self.context.facts.push(Fact::Range(var.clone(), lo.clone(), hi.clone()));
        self.proofs.push(proof.clone());
        (name, proof)
    }

    /// Assumes a guard. Returns the name of its proof.
    pub(crate) fn guard(&mut self, pred: &Pred) -> String {
        let proof = self.writer.names.take("G");
        self.context.facts.push(Fact::Holds(pred.clone()));
        self.proofs.push(proof.clone());
        proof
    }

    /// Assumes a proposition with a given proof term.
    pub(crate) fn proposition(&mut self, pred: &Pred, proof: &str) {
        self.context.facts.push(Fact::Holds(pred.clone()));
        self.proofs.push(proof.to_owned());
    }

    /// Assumes that a variable equals a term. Returns the names of the variable and of the proof.
    pub(crate) fn binding(&mut self, var: &Var, value: &Term) -> (String, String) {
        let shape = self.context.shape(value);
        self.context.shapes.extend(shape.map(|shape| (var.id, shape)));
        let name = self.writer.names.bind(var);
        let proof = self.writer.names.take(&format!("E{name}"));
        self.context.facts.push(Fact::Is(var.clone(), Term::clone(value)));
        self.proofs.push(proof.clone());
        (name, proof)
    }

    /// The variables and facts that are not the section's, as binders and as arguments.
    pub(crate) fn local(&mut self) -> (String, String) {
        let all: Vec<usize> = (self.global..self.context.facts.len()).collect();
        self.binders(&all)
    }

    /// Some facts with their variables, as binders and as arguments.
    fn binders(&mut self, places: &[usize]) -> (String, String) {
        let mut binders = String::new();
        let mut arguments = String::new();
        for place in places {
            let hypothesis = self.proofs[*place].clone();
            match &self.context.facts[*place] {
                Fact::Range(var, lo, hi) => {
                    let name = self.writer.names.get(var);
                    let (lo, hi) = (self.writer.index(lo), self.writer.index(hi));
                    let _ = write!(binders, " ({name} : Z) ({hypothesis} : {lo} <= {name} < {hi})");
                    let _ = write!(arguments, " {name} {hypothesis}");
                }
                Fact::Holds(pred) if hypothesis.starts_with('(') || hypothesis == "H" => {
                    let pred = self.writer.proposition(pred);
                    let _ = write!(binders, " (R{place} : {pred})");
                    let _ = write!(arguments, " {hypothesis}");
                }
                Fact::Holds(pred) => {
                    let pred = self.writer.boolean(pred);
                    let _ = write!(binders, " ({hypothesis} : {pred} = true)");
                    let _ = write!(arguments, " {hypothesis}");
                }
                Fact::Any(var) => {
                    let name = self.writer.names.get(var);
                    let _ = write!(binders, " ({name} : Z)");
                    let _ = write!(arguments, " {name}");
                }
                Fact::Is(var, value) => {
                    let name = self.writer.names.get(var);
                    let rank = self.writer.rank(var.rank());
                    let value = self.writer.term(value);
                    let _ =
                        write!(binders, " ({name} : T K {rank}) ({hypothesis} : {name} = {value})");
                    let _ = write!(arguments, " {name} {hypothesis}");
                }
            }
        }
        (binders, arguments)
    }

    /// A proof term for a goal: a lemma applied to the facts that it needs.
    pub(crate) fn goal(&mut self, goal: &Goal, form: Form, proof: &Proof) -> String {
        let (used, proof) = self.used(goal, proof);
        let (binders, arguments) = self.binders(&used);
        let writer = &self.writer;
        let (claim, start) = match (goal, form) {
            (Goal::Holds(pred), Form::Proposition) => (writer.proposition(pred), "intros; guards"),
            (Goal::Holds(pred), Form::Boolean) => {
                (format!("{} = true", writer.boolean(pred)), "intros; guards")
            }
            (Goal::Never(pred), _) => (
                format!("{} = false", writer.boolean(pred)),
                "intros; apply not_true_is_false; intro; guards",
            ),
            (Goal::Same(p, q), _) => (
                format!("{} = {}", writer.boolean(p), writer.boolean(q)),
                "intros; apply bool_iff; intro; guards",
            ),
            (Goal::Absurd, _) => ("False".to_owned(), "intros; guards"),
        };
        let mut steps = start.to_owned();
        if proof.hints.iter().any(|hint| matches!(hint, Hint::Product(..))) {
            steps.push_str("; negate");
        }
        for hint in &proof.hints {
            let _ = match hint {
                Hint::Product(a, b) => write!(
                    steps,
                    "; try pose proof (product_nonneg {} {} ltac:(lia) ltac:(lia))",
                    writer.index(a),
                    writer.index(b)
                ),
                Hint::Quotient(op, a, b) => {
                    let lemma = match op {
                        Arith::Mod => "mod_facts",
                        Arith::Ceil => "cdiv_facts",
                        Arith::Div
                        | Arith::Add
                        | Arith::Sub
                        | Arith::Mul
                        | Arith::Min
                        | Arith::Max => "div_facts",
                    };
                    write!(
                        steps,
                        "; pose proof ({lemma} {} {} ltac:(lia))",
                        writer.index(a),
                        writer.index(b)
                    )
                }
                Hint::Sign(op, a, b) => {
                    let lemma = if *op == Arith::Ceil { "cdiv_sign" } else { "div_sign" };
                    write!(
                        steps,
                        "; pose proof ({lemma} {} {} ltac:(lia) ltac:(lia))",
                        writer.index(a),
                        writer.index(b)
                    )
                }
                Hint::Below(a, b, bound) => {
                    write!(
                        steps,
                        "; pose proof (div_below {} {} {} ltac:(lia) ltac:(lia))",
                        writer.index(a),
                        writer.index(b),
                        writer.index(bound)
                    )
                }
                Hint::Scaled(by, a, b) => {
                    write!(
                        steps,
                        "; pose proof (f_equal (Z.mul {}) (ltac:(lia) : {} = {}))",
                        writer.index(by),
                        writer.index(a),
                        writer.index(b)
                    )
                }
                Hint::Equal(a, b) => {
                    write!(
                        steps,
                        "; assert ({} = {}) by (f_equal; lia)",
                        writer.index(a),
                        writer.index(b)
                    )
                }
            };
        }
        let _ = write!(steps, "; lia.");
        let statement =
            if binders.is_empty() { claim } else { format!("forall{binders}, {claim}") };
        let number = self.lemmas.insert_full(statement, steps).0 + 1;
        if arguments.is_empty() {
            format!("{}{number}", self.prefix)
        } else {
            format!("({}{number}{arguments})", self.prefix)
        }
    }

    /// The facts of the scope that a goal needs. These are the facts connected with its variables,
    /// if they suffice, else all local facts.
    fn used(&self, goal: &Goal, proof: &Proof) -> (Vec<usize>, Proof) {
        let local = self.global..self.context.facts.len();
        let all: Vec<usize> =
            local.filter(|place| !matches!(self.context.facts[*place], Fact::Is(..))).collect();
        let is_local = |var: &Var| {
            self.context.facts[self.global..].iter().any(
                |fact| matches!(fact, Fact::Range(other, ..) | Fact::Any(other) if other == var),
            )
        };
        let mut wanted: Vec<Var> = Vec::new();
        let mut see = |var: &Var| {
            if is_local(var) && !wanted.contains(var) {
                wanted.push(var.clone());
            }
        };
        match goal {
            Goal::Holds(pred) | Goal::Never(pred) => pred.variables(&mut see),
            Goal::Same(p, q) => {
                p.variables(&mut see);
                q.variables(&mut see);
            }
            Goal::Absurd => return (all, proof.clone()),
        }
        let mut kept: Vec<usize> = Vec::new();
        loop {
            let before = (kept.len(), wanted.len());
            for place in all.iter().copied() {
                if kept.contains(&place) {
                    continue;
                }
                let mut mentioned: Vec<Var> = Vec::new();
                match &self.context.facts[place] {
                    Fact::Range(var, lo, hi) => {
                        if !wanted.contains(var) {
                            continue;
                        }
                        lo.variables(&mut |var| mentioned.push(var.clone()));
                        hi.variables(&mut |var| mentioned.push(var.clone()));
                    }
                    Fact::Holds(pred) => {
                        pred.variables(&mut |var| mentioned.push(var.clone()));
                        if !mentioned.iter().any(|var| wanted.contains(var)) {
                            continue;
                        }
                    }
                    Fact::Any(var) => {
                        if !wanted.contains(var) {
                            continue;
                        }
                    }
                    Fact::Is(..) => continue,
                }
                kept.push(place);
                for var in mentioned {
                    if is_local(&var) && !wanted.contains(&var) {
                        wanted.push(var);
                    }
                }
            }
            if before == (kept.len(), wanted.len()) {
                break;
            }
        }
        kept.sort_unstable();
        let mut fewer = self.context.clone();
        fewer.facts = self.context.facts[..self.global].to_vec();
        fewer.facts.extend(kept.iter().map(|place| self.context.facts[*place].clone()));
        match self.prover.prove(&fewer, goal) {
            Ok(proof) => (kept, proof),
            Err(_) => (all, proof.clone()),
        }
    }

    fn compared(&mut self, compared: &(Pred, Proof)) -> String {
        self.goal(&Goal::Holds(compared.0.clone()), Form::Proposition, &compared.1)
    }

    /// A proof term that a tensor is zero outside of a box.
    pub(crate) fn evidence(&mut self, evidence: &Evidence) -> String {
        let mark = self.mark();
        let text = match evidence {
            Evidence::Nothing => "(box_nil _ _)".to_owned(),
            Evidence::Input(var, compared) => {
                let mut fits = "I".to_owned();
                for one in compared.iter().rev() {
                    fits = format!("(conj {} {fits})", self.compared(one));
                }
                format!("(box_fits _ _ _ _ {}_box {fits})", self.writer.names.get(var))
            }
            Evidence::Let(var, inner) => {
                let place = self
                    .context
                    .facts
                    .iter()
                    .position(|fact| matches!(fact, Fact::Is(other, _) if other == var));
                let proof = place.map_or("_", |place| self.proofs[place].as_str()).to_owned();
                format!("(box_eq _ _ _ _ {proof} {})", self.evidence(inner))
            }
            Evidence::Get(size, inner) => {
                let size = self.writer.index(size);
                format!("(box_get _ {size} _ _ _ {})", self.evidence(inner))
            }
            Evidence::Gen(var, lo, hi, within, inner) => {
                let within = self.compared(within);
                let (name, proof) = self.range(var, lo, hi);
                format!(
                    "(box_gen _ _ _ _ _ _ {within} (fun {name} {proof} => {}))",
                    self.evidence(inner)
                )
            }
            Evidence::Sum(var, lo, hi, inner) => {
                let (name, proof) = self.range(var, lo, hi);
                format!("(box_sum _ _ _ _ _ (fun {name} {proof} => {}))", self.evidence(inner))
            }
            Evidence::Guard(pred, inner) => {
                let proof = self.guard(pred);
                format!("(box_guard _ _ _ _ (fun {proof} => {}))", self.evidence(inner))
            }
            Evidence::In(var, value, inner) => {
                let (name, proof) = self.binding(var, value);
                format!("(box_let _ _ _ _ _ (fun {name} {proof} => {}))", self.evidence(inner))
            }
            Evidence::Add(left, right) => {
                format!("(box_add _ _ _ _ {} {})", self.evidence(left), self.evidence(right))
            }
            Evidence::Transpose(inner) => {
                format!("(box_transpose _ _ _ _ _ {})", self.evidence(inner))
            }
            Evidence::Reshape(op, compared, parts) => {
                let holes = match op {
                    Reshape::TruncR | Reshape::Transpose => 5,
                    Reshape::TruncL | Reshape::PadR | Reshape::PadL | Reshape::Flatten => 6,
                    Reshape::Split => 7,
                    Reshape::Concat => 7,
                };
                let holes = if *op == Reshape::Split { 7 } else { holes };
                let mut text = format!("(box_{}{}", op.name(), " _".repeat(holes));
                for one in compared {
                    let _ = write!(text, " {}", self.compared(one));
                }
                for (sizes, inner) in parts {
                    let inner_text = match (inner, sizes.as_slice()) {
                        (Evidence::Nothing, _) if *op == Reshape::Flatten => {
                            "(fun _ _ => box_nil _ _)".to_owned()
                        }
                        (Evidence::Nothing, _) => "(fun _ => box_nil _ _)".to_owned(),
                        (_, [first, second]) => {
                            let (first, second) =
                                (self.writer.index(first), self.writer.index(second));
                            let inner = self.evidence(inner);
                            format!(
                                "(fun i => box_at _ {second} _ _ (box_at _ {first} _ _ {inner} i))"
                            )
                        }
                        (_, sizes) => {
                            let size = sizes
                                .first()
                                .map_or("_".to_owned(), |size| self.writer.index(size));
                            format!("(box_at _ {size} _ _ {})", self.evidence(inner))
                        }
                    };
                    let _ = write!(text, " {inner_text}");
                }
                text.push(')');
                text
            }
        };
        self.leave(mark);
        text
    }
}
