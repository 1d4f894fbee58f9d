//! Certificates: Coq files that prove a derivation, its lowering and the text of its C from first
//! principles.
//!
//! The claim and its proof are two files. `statement` writes the claim, from the program alone; it
//! must be trusted. All other modules here write the proof, which need not be trusted.

mod apart;
mod deep;
mod lowering;
mod runs;
mod scope;
mod statement;
mod steps;
mod text;
mod vanish;

use std::fmt::Write as _;
use std::rc::Rc;

pub use steps::statement;

use halidom_base::IndexMap;

use crate::codes;
use crate::engine::{Engine, Refusal, State, Traversal};
use crate::lower::{Destination, Interface, Stmt, c_function_name};
use crate::names::Names;
use crate::native::Agreement;
use crate::program::Program;
use crate::rules::Law;
use crate::term::{Index, Sort, Term, Var};
use deep::Deep;
use lowering::Lowering;
use scope::Scope;
use text::{Functions, Writer};

/// A certificate, with the parts of the derivation that it certifies.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// `Statement.v`: the claim.
    pub statement: String,
    /// `Proof.v`: its proof.
    pub proof: String,
    /// The C function, without the prelude of every C file.
    pub function: String,
    /// The loop nest.
    pub nest: Stmt,
    /// The array of the result.
    pub output: Var,
    /// For each lemma `s1`, `s2`, …, the command that made the step.
    pub commands: Vec<String>,
    /// The number of lemmas about side conditions.
    pub side_conditions: usize,
    /// The laws of arithmetic that the derivation used.
    pub laws: Vec<Law>,
}

/// The agreement of the C with the source program in floating point, by the laws that were used.
pub fn agreement(laws: &[Law]) -> Agreement {
    let exact = |law: &Law| matches!(law, Law::ZeroAdds | Law::ZeroAnnihilates);
    if laws.iter().all(exact) { Agreement::Exact } else { Agreement::Rounded }
}

/// The certificate's claim about floating point, in words.
pub fn about_floats(laws: &[Law]) -> &'static str {
    match agreement(laws) {
        Agreement::Exact if laws.contains(&Law::ZeroAnnihilates) => {
            "no sum or product was rearranged: where all numbers are finite the programs agree \
                exactly but for the sign of zeros and of what is divided by them"
        }
        Agreement::Exact => {
            "no sum or product was rearranged: in floating point the programs agree exactly but \
                for the sign of zeros and of what is divided by them"
        }
        Agreement::Rounded => {
            "sums or products were rearranged: the equality is that of exact arithmetic, and does \
                not speak about rounding"
        }
    }
}

/// The program with every unknown shape empty. This is the program that is lowered if the original
/// works at any rank.
pub fn instance(engine: &Engine, program: &Program, term: &Term) -> (Program, Term) {
    let mut subst = crate::subst::Subst::new();
    for shape in &program.shapes {
        subst.set_rank(shape.id, crate::term::Rank::SCALAR);
    }
    let mut small = program.clone();
    small.shapes.clear();
    small.shape.rest = None;
    for input in &mut small.inputs {
        input.shape.rest = None;
        let old = input.var.clone();
        input.var = engine.supply.fresh(&old.name, crate::program::tensor_sort(&input.shape));
        subst.set_term(&old, Rc::new(crate::term::Node::Var(input.var.clone())));
    }
    let subst = subst.refreshing();
    let term = subst.on_term(term, &engine.supply);
    small.body = subst.on_term(&program.body, &engine.supply);
    (small, term)
}

/// Certifies a derivation whose script was carried out. A program of unknown shape is certified at
/// every rank, and lowered with that shape empty.
///
/// # Errors
/// The program cannot be brought into normal form or lowered.
pub fn certify(program: &Program, state: &mut State<'_>) -> Result<Certificate, Refusal> {
    let engine = state.engine;
    if program.shapes.is_empty() {
        crate::lower::normalize(state)?;
    }
    let mut laws = state.laws();
    let mut out = String::new();
    let mut writer = Writer::new();
    open_section(&mut out, program, &mut writer, "Derivation");
    let mut scope = Scope::new(writer, program.context(), &engine.prover, "o");
    derivation(&mut out, program, state, &mut scope);
    let derived_conditions = scope.lemma_count();
    let mut commands: Vec<String> = state.steps.iter().map(|step| step.command.clone()).collect();
    if program.shapes.is_empty() {
        let functions = scope.writer.functions.clone();
        let mut writer = scope.writer;
        writer.functions = functions;
        let traversals = &state.traversals;
        let part = Part { program, term: &state.term, traversals, source: "source", prefix: "w" };
        let lowered = lowering(&mut out, engine, &part, writer)?;
        out.push_str("End Derivation.\n\n");
        laws.extend(crate::lower::laws(&state.term));
        let ends = Ends { program, last: &state.term, small: program };
        return Ok(finish(&ends, &out, lowered, derived_conditions, commands, laws));
    }
    out.push_str("End Derivation.\n\n");
    let (small, term) = instance(engine, program, &state.term);
    let mut small_state = State::new(engine, small.context(), Rc::clone(&term));
    crate::lower::normalize(&mut small_state)?;
    let mut writer = Writer::new();
    writer.functions = scope.writer.functions.clone();
    open_section(&mut out, &small, &mut writer, "Lowering");
    let mut small_scope = Scope::new(writer, small.context(), &engine.prover, "n");
    instance_steps(&mut out, &small, &term, &small_state, &mut small_scope);
    commands.extend(small_state.steps.iter().map(|step| step.command.clone()));
    let conditions = derived_conditions + small_scope.lemma_count();
    let part = Part {
        program: &small,
        term: &small_state.term,
        traversals: &state.traversals,
        source: "source_0",
        prefix: "w",
    };
    let lowered = lowering(&mut out, engine, &part, small_scope.writer)?;
    out.push_str("End Lowering.\n\n");
    laws.extend(small_state.laws());
    laws.extend(crate::lower::laws(&small_state.term));
    let ends = Ends { program, last: &state.term, small: &small };
    Ok(finish(&ends, &out, lowered, conditions, commands, laws))
}

/// The source program of a derivation, its final program, and the program that was lowered.
struct Ends<'a> {
    program: &'a Program,
    last: &'a Term,
    small: &'a Program,
}

struct LoweredPart {
    function: String,
    functions: Functions,
    nest: Stmt,
    output: Var,
    conditions: usize,
    marks: Vec<apart::Mark>,
}

fn finish(
    ends: &Ends<'_>,
    body: &str,
    lowered: LoweredPart,
    conditions: usize,
    commands: Vec<String>,
    mut laws: Vec<Law>,
) -> Certificate {
    laws.sort_unstable();
    laws.dedup();
    let name = c_function_name(&ends.program.name);
    let statement = statement::print(&statement::Claim {
        program: ends.program,
        last: ends.last,
        small: ends.small,
        nest: &lowered.nest,
        output: &lowered.output,
        name: &name,
        function: &lowered.function,
        functions: &lowered.functions,
        marks: &lowered.marks,
    });
    let mut proof = header(ends.program, commands.len(), &laws);
    proof.push_str(body);
    let instance = statement::semiring(ends.small.element()).map_or(String::new(), |semiring| {
        format!(" | split; [exact (fun prim => @lowered ext ({semiring} prim))")
    });
    let separated = if lowered.marks.is_empty() {
        ""
    } else {
        " | split; [unfold HalidomStatement.Statement.separated; intros; eapply separated; \
            eassumption"
    };
    let end = "]".repeat([&instance, separated].iter().filter(|part| !part.is_empty()).count());
    // Coq takes minutes for the same proof as one term: it guesses the parts' claims first.
    let _ = writeln!(
        proof,
        "Theorem derivation : HalidomStatement.Statement.theorem.\n\
         Proof. intro ext. split; [exact (@derived ext) | split; \
         [exact (@lowered ext){instance}{separated} | exact printed{end}]]. Qed."
    );
    Certificate {
        statement,
        proof,
        function: lowered.function,
        nest: lowered.nest,
        output: lowered.output,
        commands,
        side_conditions: conditions + lowered.conditions,
        laws,
    }
}

fn header(program: &Program, steps: usize, laws: &[Law]) -> String {
    let laws_text: Vec<&str> = laws.iter().map(|law| law.name()).collect();
    format!(
        "(* The proof of what is stated of {}: {steps} steps.\n   Laws of arithmetic used: {}.\n   \
            Floating point: {}. *)\n\
         From Halidom Require Import Certificate.\nFrom HalidomStatement Require Statement.\nUnset \
         Lia Cache.\n\n",
        program.name,
        laws_text.join("; "),
        about_floats(laws)
    )
}

fn open_section(out: &mut String, program: &Program, writer: &mut Writer, name: &str) {
    let _ = writeln!(out, "Section {name}.\nContext {{ext : Extensionality}} {{K : semiring}}.");
    for shape in &program.shapes {
        let list = writer.names.bind(shape);
        let rank = writer.names.take(&format!("{list}_rank"));
        writer.ranks.push((shape.id, rank.clone()));
        let _ = writeln!(out, "Variables ({rank} : nat) ({list} : list Z).");
    }
    for size in &program.sizes {
        let size_name = writer.names.bind(size);
        let _ = writeln!(out, "Variable ({size_name} : Z).");
    }
    for input in &program.inputs {
        let rank = writer.rank(input.var.rank());
        let input_name = writer.names.bind(&input.var);
        let _ = writeln!(out, "Variable ({input_name} : T K {rank}).");
    }
    for (number, fact) in program.context().facts.iter().enumerate() {
        if let crate::context::Fact::Holds(pred) = fact {
            let proposition = writer.proposition(pred);
            let hypothesis = writer.names.take(&format!("A{number}"));
            let _ = writeln!(out, "Hypothesis ({hypothesis} : {proposition}).");
        }
    }
    for input in &program.inputs {
        let rank = writer.rank(input.var.rank());
        let sizes = writer.sizes(&input.shape.dims, input.shape.rest.as_ref());
        let input_name = writer.names.get(&input.var);
        let hypothesis = writer.names.take(&format!("{input_name}_box"));
        let _ = writeln!(out, "Hypothesis ({hypothesis} : box {rank} {sizes} {input_name}).");
    }
    out.push('\n');
}

/// Writes the definitions, the steps and the first theorem.
fn derivation(out: &mut String, program: &Program, state: &State<'_>, scope: &mut Scope<'_>) {
    let rank = scope.writer.rank(crate::term::rank(&program.body));
    let source = scope.writer.term(&program.body);
    let _ = writeln!(out, "Definition source : T K {rank} := {source}.");
    let written = runs::write(scope, &program.body, state, &rank);
    out.push_str(&written.definitions);
    if state.steps.is_empty() {
        let _ = writeln!(out, "Definition final : T K {rank} := source.");
    }
    out.push('\n');
    out.push_str(&scope.lemmas());
    out.push_str(&written.lemmas);
    let chain = written.chain;
    let _ = writeln!(
        out,
        "\nTheorem derived : source = final.\nProof using All. exact {chain}. Qed.\n"
    );
}

/// Writes the final program with unknown shapes empty, and the steps to its normal form.
fn instance_steps(
    out: &mut String,
    small: &Program,
    first: &Term,
    state: &State<'_>,
    scope: &mut Scope<'_>,
) {
    let rank = scope.writer.rank(crate::term::rank(&small.body));
    let source = scope.writer.term(&small.body);
    let _ = writeln!(out, "Definition source_0 : T K {rank} := {source}.");
    let count = state.steps.len();
    let start = scope.writer.term(first);
    let _ = writeln!(out, "Definition q0 : T K {rank} := {start}.");
    let mut lemmas = String::new();
    let mut before = Rc::clone(first);
    for (position, step) in state.steps.iter().enumerate() {
        let after = scope.writer.term(&step.after);
        let _ = writeln!(out, "Definition q{} : T K {rank} := {after}.", position + 1);
        let proof = steps::step(scope, &state.engine.rules, &before, step);
        let _ = writeln!(
            lemmas,
            "Lemma n_s{0} : q{position} = q{0}.\nProof. exact {proof}. Qed.",
            position + 1
        );
        before = Rc::clone(&step.after);
    }
    out.push_str(&scope.lemmas());
    out.push_str(&lemmas);
    let mut chain = if count == 0 { "eq_refl".to_owned() } else { format!("n_s{count}") };
    for number in (1..count).rev() {
        chain = format!("(eq_trans n_s{number} {chain})");
    }
    let _ = writeln!(
        out,
        "Definition final_0 : T K {rank} := q{count}.\n\
         Lemma derived_0 : source_0 = final_0.\n\
         Proof. refine (eq_trans (_ : _ = q0) {chain}). unshelve eapply derived; eauto. Qed.\n"
    );
}

struct Part<'a> {
    program: &'a Program,
    term: &'a Term,
    traversals: &'a IndexMap<String, Traversal>,
    source: &'static str,
    prefix: &'static str,
}

/// Writes the loop nest, the proof that it computes the program, and its text.
fn lowering(
    out: &mut String,
    engine: &Engine,
    part: &Part<'_>,
    writer: Writer,
) -> Result<LoweredPart, Refusal> {
    let program = part.program;
    let to = destination(engine, program);
    let mut scope = Scope::new(writer, program.context(), &engine.prover, part.prefix);
    let lowered = Lowering { scope: &mut scope, prover: &engine.prover, supply: &engine.supply }
        .statement(part.term, &to.shape, &to);
    let (nest, proof) = lowered?;
    let names = names_in_c(program, &to.array);
    let marks = apart::marks(&nest, part.traversals, &mut names.clone());
    let function = function(program, &to, &nest, &marks)?;
    let separation = if marks.is_empty() {
        String::new()
    } else {
        let mut proofs = apart::Proofs {
            scope: &mut scope,
            prover: &engine.prover,
            supply: &engine.supply,
            marks: &marks,
            names: names.clone(),
        };
        let proof = proofs.apart(&nest)?;
        format!(
            "Theorem separated : apart (map fst marks) sizes program.\n\
             Proof. exact (conj I {proof}). Qed.\n\n"
        )
    };
    let target = names.get(&to.array);
    if target.contains('"') || function.contains('"') {
        return Err(Refusal::new(codes::NOT_LOWERED, "the C text has a quotation mark"));
    }
    let mut functions = scope.writer.functions.clone();
    let mut deep = Deep { names, functions: &mut functions };
    definitions(out, program, &to, (&nest, &marks), &mut deep, &scope.writer);
    out.push_str(&scope.lemmas());
    lowered_theorem(out, part, &to, &target, &scope.writer, &proof);
    let function_names: Vec<String> =
        functions.names().iter().map(|name| format!("\"{name}\"")).collect();
    let _ = write!(
        out,
        "{separation}Theorem printed : c_function [{}]%string marks \"{}\" names arrays output \
         conditions program =\n\
         \"{function}\"%string.\n\
         Proof. vm_compute. reflexivity. Qed.\n\n",
        function_names.join("; "),
        c_function_name(&program.name),
    );
    let conditions = scope.lemma_count();
    Ok(LoweredPart { function, functions, nest, output: to.array, conditions, marks })
}

/// The array of the program's result, as a whole.
fn destination(engine: &Engine, program: &Program) -> Destination {
    let dims: Vec<Index> = program.shape.dims.iter().map(crate::engine::tidy).collect();
    let sort = Sort::Tensor(crate::term::Rank::known(dims.len() as u32));
    let array = engine.supply.fresh("out", sort);
    let params: Vec<Var> = dims.iter().map(|_| engine.supply.fresh("place", Sort::Index)).collect();
    let indices = params.iter().cloned().map(Index::Var).collect();
    Destination { array, shape: dims, params, indices }
}

/// The names of the C function's parameters.
fn names_in_c(program: &Program, output: &Var) -> Names {
    let mut names = Names::new(crate::lower::is_reserved_in_c);
    let inputs = program.inputs.iter().map(|input| &input.var);
    for var in program.sizes.iter().chain(inputs).chain([output]) {
        names.bind(var);
    }
    names
}

/// The C function of a loop nest.
fn function(
    program: &Program,
    to: &Destination,
    nest: &Stmt,
    marks: &[apart::Mark],
) -> Result<String, Refusal> {
    let inputs: Vec<(Var, Vec<Index>)> =
        program.inputs.iter().map(|input| (input.var.clone(), input.shape.dims.clone())).collect();
    let interface = Interface {
        marks,
        name: &c_function_name(&program.name),
        sizes: &program.sizes,
        inputs: &inputs,
        output: &(to.array.clone(), to.shape.clone()),
        conditions: &program.hypotheses,
    };
    crate::lower::function(&interface, nest).map_err(|divisor| {
        let message = format!(
            "the loop nest divides by `{}`, which changes while it runs",
            crate::print::index(&divisor.0)
        );
        Refusal::new(codes::NOT_LOWERED, message)
            .with_hint("what divides is checked to be positive before the loop nest runs")
    })
}

/// Writes the loop nest and its interface as data of Coq. `deep` has the names of the C.
fn definitions(
    out: &mut String,
    program: &Program,
    to: &Destination,
    (nest, marks): (&Stmt, &[apart::Mark]),
    deep: &mut Deep<'_>,
    writer: &Writer,
) {
    let nest = deep.stmt(nest);
    let (mut size_names, mut sizes) = (Vec::new(), Vec::new());
    for size in &program.sizes {
        let name = deep.names.get(size);
        sizes.push(format!("(\"{name}\", {})", writer.names.get(size)));
        size_names.push(format!("\"{name}\""));
    }
    let (mut arrays, mut inputs) = (Vec::new(), Vec::new());
    for input in &program.inputs {
        let (name, shape) = (deep.names.get(&input.var), &input.shape.dims);
        let (sizes, coq) = (writer.sizes(shape, None), writer.names.get(&input.var));
        inputs.push(format!("(\"{name}\", Array {sizes} (held {} {sizes} {coq}))", shape.len()));
        arrays.push(format!("(\"{name}\", {})", deep.indices(shape)));
    }
    let conditions: Vec<String> = program.hypotheses.iter().map(|pred| deep.pred(pred)).collect();
    let (target, output_shape) = (deep.names.get(&to.array), deep.indices(&to.shape));
    let _ = write!(
        out,
        "Definition nest : stmt := ({nest})%string.\n\
         Definition program : stmt := Seq (Clear \"{target}\") nest.\n\
         Definition sizes : env := [{}]%string.\n\
         Definition inputs : known K := [{}]%string.\n\
         Definition names : list string := [{}]%string.\n\
         Definition marks : list (string * string) := {}%string.\n\
         Definition conditions : list test := [{}]%string.\n\
         Definition arrays : shapes := [{}]%string.\n\
         Definition output : string * list index := (\"{target}\", {output_shape})%string.\n\n",
        sizes.join("; "),
        inputs.join("; "),
        size_names.join("; "),
        statement::marks(marks),
        conditions.join("; "),
        arrays.join("; "),
    );
}

/// Writes the theorem that the loop nest leaves the source program's tensor in its output.
fn lowered_theorem(
    out: &mut String,
    part: &Part<'_>,
    to: &Destination,
    target: &str,
    writer: &Writer,
    proof: &str,
) {
    let (shape, rank) = (writer.sizes(&to.shape, None), to.shape.len());
    let source = part.source;
    let (last, equality) =
        if source == "source" { ("final", "derived") } else { ("final_0", "derived_0") };
    let _ = write!(
        out,
        "Lemma low_final : low sizes inputs \"{target}\" {shape} {rank} {shape} {last} (self \
         {rank}) nest.\n\
         Proof. exact {proof}. Qed.\n\n\
         Theorem lowered : admits sizes (entry names conditions (output :: arrays) program) = true \
         ->\n\
         \x20 forall (mem : memory K) cells, holds inputs mem -> mem \"{target}\"%string = Some \
         (Array {shape} cells) ->\n\
         \x20 exec64 (output :: arrays) sizes program mem = Some (set mem \"{target}\" (Some \
         (Array {shape} (held {rank} {shape} {source})))).\n\
         Proof using All. intros Hc mem cells Hm Ho. rewrite (run _ _ _ _ _ _ Hc), {equality}. \
         exact (Lower.lowered sizes inputs \"{target}\" {rank} {shape} {last} nest mem cells \
         eq_refl eq_refl low_final Hm Ho). Qed.\n\n"
    );
}
