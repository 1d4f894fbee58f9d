//! Calls of the API's functions, evaluated by their contracts.
//!
//! A line of `tests/contracts.txt` is a call and its results, one for each path. Each contract that
//! terms define has so many lines that every change of one word of its text changes a result.

use halidom_rewrites::profile::Profile;
use halidom_rewrites::rules::{Domain, Fun, Node, ValueId, Values};

use crate::ir::kinds::{Code, Kind, Type};
use crate::ir::node::{Field, NodeId, Shape, class_of};
use crate::ir::state::{Atom, State};
use crate::ir::value::{Num, Place, Val};
use crate::machine::contracts::{Table, contracts, printed};
use crate::machine::language::{Contract, Fact, Guarantee, Op, Primitive, Print, Sort, Term, Word};
use crate::machine::program::Program;
use crate::machine::run::{Machine, Operands, Outcome};
use crate::machine::types::integer_type;

/// A call and its results.
#[derive(Clone, Copy, Debug)]
struct Case {
    line: usize,
    call: &'static str,
    results: &'static str,
}

fn cases() -> Vec<Case> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/contracts.txt");
    let text: &'static str = std::fs::read_to_string(path).expect("the cases").leak();
    let lines = text.lines().enumerate();
    let written = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let case = |(index, line): (usize, &'static str)| {
        let (call, results) = line.split_once(" => ").unwrap_or_else(|| panic!("{line}"));
        Case { line: index + 1, call: call.trim(), results: results.trim() }
    };
    written.map(case).collect()
}

impl Case {
    /// The profile, and the rest of the call.
    fn parts(&self) -> (&'static Profile, &'static str) {
        let named = self.call.split_once(' ');
        match named.and_then(|(name, rest)| Some((Profile::named(name)?, rest))) {
            Some(parts) => parts,
            None => (Profile::named("halide").expect("a known profile"), self.call),
        }
    }

    /// The name of the function.
    fn name(&self) -> &'static str {
        let (_, call) = self.parts();
        let call = call.strip_prefix("known ").unwrap_or(call);
        call.split(['(', '<']).next().unwrap_or_default()
    }

    /// Evaluates the call by the contracts of a table.
    fn run(&self, table: &'static Table) -> String {
        let program = Program::default();
        let (profile, whole) = self.parts();
        let mut machine = Machine::new(&program, profile, true);
        machine.contracts = table;
        let call = whole.strip_prefix("known ").unwrap_or(whole);
        if call != whole {
            machine.operands = Operands::Kept;
        }
        let (function, arguments) = call.split_once('(').unwrap_or_else(|| panic!("{call}"));
        let arguments = arguments.strip_suffix(')').unwrap_or_else(|| panic!("{call}"));
        let (name, templates) = match function.split_once('<') {
            Some((name, ty)) => (name, vec![ty.trim_end_matches('>').to_owned()]),
            None => (function, Vec::new()),
        };
        let mut scene = Scene { state: State::default(), named: Vec::new() };
        let written = arguments.split(", ").filter(|argument| !argument.is_empty());
        let values = written.map(|argument| scene.value(argument, &mut machine)).collect();
        let Scene { state, named } = scene;
        let mut shown = Vec::new();
        for (state, value) in machine.api(name, &templates, values, state, 1) {
            let value = show(&value, &state, &machine, &named);
            shown.push(value + &learnt(&state, &machine, &named));
        }
        for end in &machine.ends {
            let facts = learnt(&end.state, &machine, &named);
            shown.push(match &end.outcome {
                Outcome::Crash(what) => format!("crash: {what}{facts}"),
                Outcome::Unsupported(what)
                | Outcome::Bounded(what)
                | Outcome::Rejected(what)
                | Outcome::Endless(what) => format!("unknown: {what}"),
                Outcome::Returned(_) => panic!("no function returns: {call}"),
            });
        }
        shown.join(" | ")
    }
}

/// The state of a case, and its nodes by name.
struct Scene {
    state: State,
    named: Vec<(&'static str, NodeId)>,
}

impl Scene {
    /// Reads an argument.
    fn value(&mut self, text: &'static str, machine: &mut Machine<'_>) -> Val {
        if let Some(place) = text.strip_prefix('&') {
            return Val::Address(Place::Member(place.to_owned()));
        }
        if let Some(inner) = text.strip_prefix('*') {
            return match self.value(inner, machine) {
                Val::Expr(Some(node)) => {
                    let kind = self.state.shape(node).map_or(Kind::Add, |shape| shape.kind);
                    Val::Ptr(Some((node, kind)))
                }
                _ => panic!("{text}"),
            };
        }
        if let Some(list) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
            let parts = list.split(' ').filter(|part| !part.is_empty());
            return Val::List(parts.map(|part| self.value(part, machine)).collect());
        }
        let known = match text {
            "null" => Some(Val::Expr(None)),
            "true" | "false" => Some(Val::Bool(machine.values.bool(text == "true"))),
            "report" => Some(Val::info()),
            "opaque" => Some(Val::Opaque(7)),
            "alignment_info" | "var_info" => Some(Val::Handle(text.to_owned())),
            "lanes" => machine.lanes.map(Val::Int),
            _ => ty(text).map(Val::Type),
        };
        if let Some(known) = known {
            return known;
        }
        let (word, of) = text.split_once(':').unwrap_or((text, "int"));
        if let Some((bits, is_signed)) = integer_type(of) {
            return Val::Int(match word.parse() {
                Ok(value) => machine.number(value, bits, is_signed),
                Err(_) => {
                    let domain = machine.host(is_signed);
                    let term = machine.values.var(word, domain);
                    let (low, high) = Num::range(bits, is_signed);
                    Num { term, bits, is_signed, low, high, remainder_of: None }
                }
            });
        }
        if of == "double" {
            return Val::Real(match word.parse() {
                Ok(value) => machine.values.number(value, Domain::Real),
                Err(_) => machine.values.var(word, Domain::Real),
            });
        }
        let ty = ty(of).unwrap_or_else(|| panic!("{text}"));
        Val::Expr(Some(match word.parse() {
            Ok(value) => {
                let number = machine.number(value, 64, true);
                machine.literal(ty, number, &mut self.state)
            }
            Err(_) => self.node(word, ty),
        }))
    }

    /// The node of a name. Names that begin with `load_` are loads, those that begin with `print_`
    /// are calls of `print`, and those that begin with `slices_` are sums of slices.
    fn node(&mut self, name: &'static str, ty: Type) -> NodeId {
        if let Some((_, node)) = self.named.iter().find(|(known, _)| *known == name) {
            return *node;
        }
        let kinds = [
            ("load_", Kind::Load),
            ("print_", Kind::Call),
            ("sum_", Kind::Add),
            ("nop_", Kind::Undefined),
        ];
        let kind = kinds.iter().find(|(prefix, _)| name.starts_with(prefix)).map(|(_, kind)| *kind);
        let mut shape = kind.map(|kind| Shape { kind, fields: Vec::new() });
        if name.starts_with("slices_") {
            let slice = |_| {
                let shape = Shape { kind: Kind::Shuffle, fields: Vec::new() };
                self.state.add(ty, None, Some(shape))
            };
            let slices = [0, 1].map(slice);
            self.state.slices.extend(slices);
            shape = Some(Shape { kind: Kind::Add, fields: slices.map(Field::Expr).to_vec() });
        }
        let node = self.state.add(ty, None, shape);
        if kind == Some(Kind::Call) {
            self.state.node_mut(node).intrinsic = Some("print".to_owned());
        }
        self.named.push((name, node));
        node
    }
}

/// Reads a type of the IR.
fn ty(text: &str) -> Option<Type> {
    let (text, is_vector) = match text.strip_suffix("xN") {
        Some(element) => (element, true),
        None => (text, false),
    };
    let numeric = |prefix: &str, code: Code| {
        let bits = text.strip_prefix(prefix)?.parse().ok()?;
        Some(Type { code, bits, is_vector: false })
    };
    let ty = match text {
        "bool" => Some(Type::BOOL),
        "handle" => Some(Type::HANDLE),
        "stmt" => Some(Type::STMT),
        "name" => Some(Type::NAME),
        _ => numeric("uint", Code::UInt)
            .or_else(|| numeric("int", Code::Int))
            .or_else(|| numeric("float", Code::Float)),
    };
    ty.map(|ty| ty.with_vector(is_vector))
}

type Named<'n> = &'n [(&'static str, NodeId)];

fn show(value: &Val, state: &State, machine: &Machine<'_>, named: Named<'_>) -> String {
    let term = |term: ValueId| show_term(&machine.values, term, state, named);
    match value {
        Val::Void => "void".to_owned(),
        Val::Bool(of) => match machine.values.as_number(*of) {
            Some(truth) => (truth == 1).to_string(),
            None => term(*of),
        },
        Val::Int(num) => {
            let sign = if num.is_signed { "" } else { "u" };
            format!("{}:{sign}{}", term(num.term), num.bits)
        }
        Val::Real(of) => term(*of),
        Val::Expr(None) => "null".to_owned(),
        Val::Expr(Some(node)) => show_node(*node, state, machine, named),
        Val::NumPtr(None) => "nullptr".to_owned(),
        Val::NumPtr(Some((_, value))) => format!("&{}", show(value, state, machine, named)),
        Val::Type(ty) if ty.code == Code::Handle => format!("{ty} of {} bits", ty.bits),
        Val::Type(ty) => ty.to_string(),
        Val::Object(members) => {
            let member = |(name, value): &(String, Val)| {
                format!("{name} {}", show(value, state, machine, named))
            };
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
        Val::Handle(of) => of.clone(),
        other => format!("{other:?}"),
    }
}

fn show_node(node: NodeId, state: &State, machine: &Machine<'_>, named: Named<'_>) -> String {
    if let Some((name, _)) = named.iter().find(|(_, known)| state.find(*known) == state.find(node))
    {
        return (*name).to_owned();
    }
    let known = state.node(node);
    let Some(Shape { kind, fields }) = &known.shape else {
        let is_alike = |other: &NodeId| {
            let of = state.node(*other);
            of.shape.is_some() && state.class(of.class) == state.class(known.class)
        };
        let is_mutated = state.mutated.iter().any(|(_, result)| *result == node);
        if let Some(other) = (0..state.nodes.len()).find(is_alike).filter(|_| !is_mutated) {
            return format!("~{}", show_node(other, state, machine, named));
        }
        let kind = if known.is_literal { "literal" } else { "new" };
        return format!("{kind}:{}", known.ty);
    };
    let fields = fields.iter().filter_map(|field| match field {
        Field::Expr(inner) => Some(show_node(*inner, state, machine, named)),
        Field::Number(term) => Some(show_term(&machine.values, *term, state, named)),
        Field::Lanes | Field::Opaque(_) => None,
    });
    let fields = fields.collect::<Vec<_>>().join(", ");
    let name = known.intrinsic.as_deref().unwrap_or(kind.name());
    format!("{name}({fields}):{}", known.ty)
}

fn show_term(values: &Values, term: ValueId, state: &State, named: Named<'_>) -> String {
    match values.node(term) {
        Node::Number(value) => value.to_string(),
        Node::Var(index) => {
            let name = &values.vars()[*index as usize].0;
            let is_it = |(_, node): &&(&str, NodeId)| {
                class_of(name).is_some_and(|class| state.class(state.node(*node).class) == class)
            };
            named.iter().find(is_it).map_or_else(|| name.clone(), |(name, _)| (*name).to_owned())
        }
        Node::Apply(fun, operands) => {
            let operands = operands.iter().map(|term| show_term(values, *term, state, named));
            let operands = operands.collect::<Vec<_>>().join(" ");
            format!("({} {operands})", format!("{fun:?}").to_lowercase())
        }
    }
}

/// The facts that a path has learnt, and the variables that were set.
fn learnt(state: &State, machine: &Machine<'_>, named: Named<'_>) -> String {
    let term = |term: ValueId| show_term(&machine.values, term, state, named);
    let mut facts: Vec<String> = state.facts.iter().map(|fact| term(*fact)).collect();
    for (atom, holds) in &state.trail {
        if let (Atom::Literal(_, fact), false) = (atom, holds) {
            facts.push(format!("no literal with {}", term(*fact)));
        }
    }
    let of = |word: &str, classes: &[usize]| {
        let names = named.iter().filter(|(_, node)| {
            let class = state.class(state.node(*node).class);
            classes.iter().any(|known| state.class(*known) == class)
        });
        names.map(|(name, _)| format!("{name} {word}")).collect::<Vec<_>>()
    };
    for (name, node) in named {
        if state.node(*node).intrinsic.as_deref() == Some("undef") {
            facts.push(format!("{name} is undef"));
        }
    }
    facts.extend(of("does nothing", &state.idle));
    facts.extend(of("is pure", &state.pure));
    facts.extend(of("calls nothing", &state.uncalled));
    facts.extend(of("is steady", &state.steady));
    for computation in &state.computed {
        let arguments = computation.arguments.iter().map(|argument| term(*argument));
        let arguments = arguments.collect::<Vec<_>>().join(" ");
        facts.push(format!("{} is {} of {arguments}", computation.name, computation.callee));
    }
    for assumed in &state.assumed {
        let nodes = assumed.nodes.iter().map(|node| show_node(*node, state, machine, named));
        let nodes = nodes.collect::<Vec<_>>().join(" ");
        let negated = assumed
            .fact
            .is_some_and(|fact| matches!(machine.values.node(fact), Node::Apply(Fun::Not, _)));
        facts.push(format!("{nodes} is assumed {}", !negated));
    }
    for slot in &state.members {
        if !["expr", "stmt"].contains(&slot.name.as_str()) {
            let value = match &slot.value {
                Val::Object(_) => "a report".to_owned(),
                value => show(value, state, machine, named),
            };
            facts.push(format!("{} = {value}", slot.name));
        }
    }
    if facts.is_empty() { String::new() } else { format!(" if {}", facts.join(" and ")) }
}

fn leaked(contracts: Vec<Contract>) -> &'static Table {
    Box::leak(Box::new(Table::of(contracts)))
}

#[test]
fn calls_have_the_results_that_their_contracts_give() {
    let table = leaked(contracts().expect("texts that are read").to_vec());
    let mut failures = Vec::new();
    for case in cases() {
        let results = case.run(table);
        if results != case.results {
            failures.push(format!("{}: {} => {results}", case.line, case.call));
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// The replacements of an operator.
fn others(op: Op) -> &'static [Op] {
    match op {
        Op::Eq => &[Op::Ne],
        Op::Ne => &[Op::Eq],
        Op::Lt => &[Op::Le, Op::Gt],
        Op::Le => &[Op::Lt, Op::Ge],
        Op::Gt => &[Op::Ge, Op::Lt],
        Op::Ge => &[Op::Gt, Op::Le],
        Op::And => &[Op::Or],
        Op::Or => &[Op::And],
        Op::Add => &[Op::Sub, Op::Mul],
        Op::Sub => &[Op::Add],
        Op::Mul => &[Op::Add],
        Op::Div => &[Op::Mod],
        Op::Mod => &[Op::Div],
        Op::Min => &[Op::Max],
        Op::Max => &[Op::Min],
        Op::Least => &[Op::Greatest],
        Op::Greatest => &[Op::Least],
        Op::Integer => &[Op::Vector],
        Op::Vector => &[Op::Integer],
        Op::Not
        | Op::If
        | Op::Abs
        | Op::Power
        | Op::Type
        | Op::Code
        | Op::Bits
        | Op::Slices
        | Op::Represents => &[],
    }
}

fn other_words(word: Word) -> Vec<Word> {
    match word {
        Word::Truth(value) => vec![Word::Truth(!value)],
        Word::Null => vec![Word::Void],
        Word::Void | Word::Report => vec![Word::Null],
        Word::Any => vec![Word::Truth(true)],
        Word::Unknown => vec![Word::Null],
        Word::Symbolic => vec![Word::Truth(false), Word::Truth(true)],
        Word::Code(code) => {
            let all = [Code::Int, Code::UInt, Code::Float];
            all.into_iter().filter(|other| *other != code).map(Word::Code).collect()
        }
        Word::Kind(kind) => {
            let all = [Kind::Min, Kind::Max, Kind::Div, Kind::Mod, Kind::Let];
            all.into_iter().filter(|other| *other != kind).map(Word::Kind).collect()
        }
    }
}

/// Every list of terms with one word changed.
fn each(terms: &[Term], names: &[&'static str]) -> Vec<Vec<Term>> {
    let mut found = Vec::new();
    for (index, term) in terms.iter().enumerate() {
        for other in changed(term, names) {
            let mut terms = terms.to_vec();
            terms[index] = other;
            found.push(terms);
        }
    }
    found
}

/// Every term with one word changed.
fn changed(term: &Term, names: &[&'static str]) -> Vec<Term> {
    let boxed = |terms: Vec<Term>| terms.into_iter().map(Box::new);
    match term {
        Term::Number(value) => vec![Term::Number(value - 1), Term::Number(value + 1)],
        Term::Text(_) => vec![Term::Text("another")],
        Term::Word(word) => other_words(*word).into_iter().map(Term::Word).collect(),
        Term::Name(name) => {
            let others = names.iter().filter(|other| *other != name);
            others.map(|other| Term::Name(other)).collect()
        }
        Term::Apply(op, operands) => {
            let mut found: Vec<Term> =
                others(*op).iter().map(|op| Term::Apply(*op, operands.clone())).collect();
            match (op, operands.as_slice()) {
                (Op::Not | Op::Abs, [operand]) => found.push(operand.clone()),
                (Op::If, [condition, then, otherwise]) => {
                    let operands = vec![condition.clone(), otherwise.clone(), then.clone()];
                    found.push(Term::Apply(Op::If, operands));
                }
                _ => {}
            }
            found.extend(
                each(operands, names).into_iter().map(|operands| Term::Apply(*op, operands)),
            );
            found
        }
        Term::Run(primitive, operands) => each(operands, names)
            .into_iter()
            .map(|operands| Term::Run(*primitive, operands))
            .collect(),
        Term::Literal { name, of, test, ramp } => {
            let mut found = Vec::new();
            for of in boxed(changed(of, names)) {
                found.push(Term::Literal { name, of, test: test.clone(), ramp: ramp.clone() });
            }
            for test in boxed(changed(test, names)) {
                found.push(Term::Literal { name, of: of.clone(), test, ramp: ramp.clone() });
            }
            if ramp.is_some() {
                let (of, test) = (of.clone(), test.clone());
                found.push(Term::Literal { name, of, test, ramp: None });
            }
            for fact in ramp.iter().flat_map(|fact| boxed(changed(fact, names))) {
                let (of, test) = (of.clone(), test.clone());
                found.push(Term::Literal { name, of, test, ramp: Some(fact) });
            }
            found
        }
        Term::Some { name, range, test, set } => {
            let mut found = Vec::new();
            let ranges = [(range.0 + 1, range.1), (range.0, range.1 - 1)];
            for range in ranges {
                found.push(Term::Some { name, range, test: test.clone(), set: set.clone() });
            }
            for test in boxed(changed(test, names)) {
                found.push(Term::Some { name, range: *range, test, set: set.clone() });
            }
            let value = Box::new(Term::Number(0));
            let set = (set.0.clone(), value);
            found.push(Term::Some { name, range: *range, test: test.clone(), set });
            found
        }
        Term::Match { names: [a, b], body } => {
            let mut found = vec![(**body).clone()];
            for body in boxed(changed(body, names)) {
                found.push(Term::Match { names: [a, b], body });
            }
            found
        }
        Term::Object(members) => {
            let values: Vec<Term> = members.iter().map(|(_, value)| value.clone()).collect();
            let all = each(&values, names).into_iter().map(|values| {
                Term::Object(members.iter().map(|(name, _)| *name).zip(values).collect())
            });
            all.collect()
        }
    }
}

/// Every contract with one word changed, or one clause dropped.
fn mutants(contract: &Contract) -> Vec<Contract> {
    let names: Vec<&'static str> = contract.takes.iter().map(|parameter| parameter.name).collect();
    let mut found = Vec::new();
    let with = |guarantee: Guarantee| Contract { guarantee, ..contract.clone() };
    match &contract.guarantee {
        Guarantee::Result(term) => {
            let terms = changed(term, &names).into_iter();
            found.extend(terms.map(|term| with(Guarantee::Result(term))));
        }
        Guarantee::Tells { answer, fact, operands } => {
            let told = |answer: bool, fact: Fact, operands: &[Term]| {
                with(Guarantee::Tells { answer, fact, operands: operands.to_vec() })
            };
            found.push(told(!answer, *fact, operands));
            let others = [Fact::Holds, Fact::NoOp, Fact::NoCall, Fact::Steady, Fact::Undef];
            let others = others.into_iter().filter(|other| operands.len() == 1 && other != fact);
            found.extend(others.map(|fact| told(*answer, fact, operands)));
            let operands = each(operands, &names).into_iter();
            found.extend(operands.map(|operands| told(*answer, *fact, &operands)));
        }
        Guarantee::Prints(_) => {}
    }
    if let Some(when) = &contract.when {
        found.push(Contract { when: None, ..contract.clone() });
        for when in changed(when, &names) {
            found.push(Contract { when: Some(when), ..contract.clone() });
        }
    }
    for index in 0..contract.requirements.len() {
        let mut mutant = contract.clone();
        mutant.requirements.remove(index);
        found.push(mutant);
        for condition in changed(&contract.requirements[index].condition, &names) {
            let mut mutant = contract.clone();
            mutant.requirements[index].condition = condition;
            found.push(mutant);
        }
    }
    for index in 0..contract.profiles.len() {
        let mut mutant = contract.clone();
        mutant.profiles.remove(index);
        if !mutant.profiles.is_empty() {
            found.push(mutant);
        }
    }
    if contract.lifts_reports {
        found.push(Contract { lifts_reports: false, ..contract.clone() });
    }
    found
}

#[test]
fn every_word_of_a_contract_changes_a_result() {
    let all = contracts().expect("texts that are read");
    let cases = cases();
    let mut survivors = Vec::new();
    let mut count = 0;
    for (index, contract) in all.iter().enumerate() {
        if matches!(contract.guarantee, Guarantee::Prints(_)) {
            // Below is a test of what is printed. The programs `emitted_*.cpp` of `tests/mutators`
            // test how.
            continue;
        }
        let own: Vec<&Case> = cases.iter().filter(|case| case.name() == contract.name).collect();
        assert!(!own.is_empty(), "no call of {}", contract.name);
        let same = leaked(all.to_vec());
        for case in &own {
            assert_eq!(case.run(same), case.results, "{}: {}", case.line, case.call);
        }
        for mutant in mutants(contract) {
            count += 1;
            let shown = format!(
                "{}({}): {:?} when {:?} requires {:?}",
                mutant.name,
                mutant.parameters,
                mutant.guarantee,
                (&mutant.when, &mutant.profiles),
                mutant.requirements
            );
            let mut contracts = all.to_vec();
            contracts[index] = mutant;
            contracts.retain(|other| other.name == contract.name);
            let table = leaked(contracts);
            if own.iter().all(|case| case.run(table) == case.results) {
                survivors.push(shown);
            }
        }
    }
    assert!(count > 400, "{count} mutants");
    assert!(survivors.is_empty(), "of {count}:\n{}", survivors.join("\n"));
}

#[test]
fn an_error_names_its_file_and_line() {
    let read = |text: &'static str| {
        let table = Table::read(&[("family", text)]);
        table.error.map(|error| error.to_string()).unwrap_or_default()
    };
    let found = [
        "(contract (f (a Int))\n  (source \"S\")\n  (ensures (= result (+ a b))))",
        "; a comment\n(contract (f (a Num)) (source \"S\") (ensures (= result a)))",
        "(contract (f) (source \"S\") (ensures (= result (twice 1))))",
        "(contract (f) (source \"S\") (ensures (= result (+ 1))))",
        "(contract (f (e Expr)) (source \"S\") (when (mutate e)) (ensures (= result e)))",
        "(contract (f) (source \"S\") (ensures (=> result (sorted 1))))",
        "(contract (f) (source \"S\"))",
        "(contract (f) (source \"S\") (ensure (= result 1)))",
        "(contract (f) (source \"S\") (ensures (= result 1))",
        "\n(contract (f) (source \"S\") (ensures (= result 1))))",
        "(contract (f) (source \"S) (ensures (= result 1)))",
        "(contract (f) (profiles halide cpp) (source \"S\") (ensures (= result 1)))",
    ]
    .map(read);
    let expected = [
        "family.contracts:3: an unknown name in `b`",
        "family.contracts:2: an unknown sort in `Num`",
        "family.contracts:1: the unknown operator `twice` in `(twice 1)`",
        "family.contracts:1: 2 to 2 operands are expected in `(+ 1)`",
        "family.contracts:1: a primitive where only operators can be in `(mutate e)`",
        "family.contracts:1: an unknown fact in `(sorted 1)`",
        "family.contracts:1: a contract without its guarantee or its source in `(f)`",
        "family.contracts:1: an unknown clause in `(ensure (= result 1))`",
        "family.contracts:1: a `(` without its `)`",
        "family.contracts:2: a `)` without its `(`",
        "family.contracts:1: a text without its end",
        "family.contracts:1: an unknown profile in `cpp`",
    ];
    assert_eq!(found, expected);
}

#[test]
fn the_guide_explains_every_word() {
    let guide = include_str!("../../contracts/README.md");
    let operators = Op::NAMES.iter().map(|(name, ..)| *name);
    let primitives = Primitive::NAMES.iter().map(|(name, ..)| *name);
    let facts = Fact::NAMES.iter().map(|(name, ..)| *name);
    let forms = ["literal", "match", "some", "object"];
    for word in operators.chain(primitives).chain(facts).chain(forms) {
        assert!(guide.contains(&format!("`({word}")), "{word}");
    }
    let words = Word::NAMES.iter().map(|(name, _)| *name);
    let sorts = Sort::NAMES.iter().map(|(name, _)| *name);
    let things = Print::NAMES.iter().map(|(name, _)| *name);
    for word in words.chain(sorts).chain(things) {
        assert!(guide.contains(&format!("`{word}`")), "{word}");
    }
}

#[test]
fn these_bodies_are_replaced_and_these_functions_print() {
    let all = contracts().expect("texts that are read");
    let mut replaced: Vec<&str> = all
        .iter()
        .filter(|contract| contract.replaces_body)
        .map(|contract| contract.name)
        .collect();
    replaced.dedup();
    let expected = [
        "isnan",
        "isinf",
        "mutate",
        "Mutate",
        "hoist_slice_vector",
        "signed_integer_overflow_error",
        "indeterminate_expression_error",
        "graph_substitute",
        "const_int_bounds",
        "found_buffer_reference",
    ];
    let printers = [
        ("print_expr", Print::Expr),
        ("PrintExpr", Print::Inline),
        ("print_type", Print::Type),
        ("PrintType", Print::Type),
        ("print_name", Print::Name),
        ("GetVarID", Print::Name),
        ("AllocVarID", Print::Name),
        ("print_assignment", Print::Assignment),
        ("MarkConst", Print::Nothing),
        ("get_indent", Print::Nothing),
        ("do_indent", Print::Nothing),
        ("PrintIndent", Print::Nothing),
        ("BeginScope", Print::Nothing),
        ("EndScope", Print::Nothing),
        ("open_scope", Print::Open),
        ("close_scope", Print::Close),
        ("print_stmt", Print::Stmt),
        ("PrintStmt", Print::Stmt),
        ("to_string", Print::Number),
    ];
    // The C++ library's own `to_string` has no body in a file, but a file may define another.
    let bodies = printers.iter().map(|(name, _)| *name).filter(|name| *name != "to_string");
    let expected: Vec<&str> = expected.into_iter().chain(bodies).collect();
    assert_eq!(replaced, expected);
    let printed: Vec<(&str, Print)> =
        all.iter().filter_map(|contract| Some((contract.name, printed(contract.name)?))).collect();
    assert_eq!(printed, printers);
}
