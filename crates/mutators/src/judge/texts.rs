//! Runs emitters on texts that are known.
//!
//! # Correctness
//!
//! An emitter of texts is refuted if C reads another text from its output. First it must print a
//! plain text unchanged, which shows that the output is read rightly. Nothing is proved here.

use halidom_rewrites::rules::{Number, Values};

use crate::ir::kinds::{Kind, Type};
use crate::ir::node::{Field, Shape};
use crate::ir::quoted::literal;
use crate::ir::state::State;
use crate::ir::value::Val;
use crate::judge::entry::Entry;
use crate::judge::replay::Concrete;
use crate::judge::verdict::{Counterexample, Finding, Standing};
use crate::machine::run::Outcome;

/// A text that every emitter should print as it is.
const PLAIN: &str = "a b";

/// Texts that are not printed as they are: with a backslash, and with a character that is printed
/// as a number, before a letter that is a digit.
const OTHERS: [&str; 2] = ["\\n", "\u{1}f"];

/// Looks for a text that an emitter prints as another one.
pub(crate) fn refuted_by_texts(entry: Entry<'_>) -> Option<Finding> {
    if entry.kind != Kind::StringImm || !entry.mode.is_emitter() {
        return None;
    }
    if ran(entry, &of(PLAIN))?.0 != PLAIN {
        return None;
    }
    OTHERS.into_iter().find_map(|text| {
        let concrete = of(text);
        let (read, line) = ran(entry, &concrete)?;
        let [expected, got] = [text, &read].map(literal);
        (read != text).then(|| Finding {
            file: None,
            standing: Standing::Wrong,
            line,
            ty: Type::HANDLE.to_string(),
            text: format!("{expected} becomes {got}"),
            counterexample: Some(Counterexample {
                before: concrete.before(),
                after: Some(got.clone()),
                values: Vec::new(),
                expected: Some(expected),
                got: Some(got),
                built: Box::new(concrete.built(entry.profile)),
                snippet: concrete.snippet(entry.profile),
            }),
        })
    })
}

/// The text that C reads in what the emitter prints, with the line that printed it; `None` if the
/// run is not followed to one end.
fn ran(entry: Entry<'_>, concrete: &Concrete) -> Option<(String, usize)> {
    let mut machine = concrete.machine(entry);
    entry.run(&mut machine, concrete.input(), concrete.state());
    let [end] = machine.ends.as_slice() else { return None };
    let Outcome::Returned(Val::Expr(Some(result))) = end.outcome else { return None };
    if machine.has_chosen || result == concrete.input() {
        return None;
    }
    Some((end.state.text_of_literal(result)?.to_owned(), end.line))
}

/// A text as a node.
fn of(text: &str) -> Concrete {
    let mut state = State::default();
    let id = state.spell(text);
    let shape = Shape { kind: Kind::StringImm, fields: vec![Field::Opaque(id)] };
    let input = state.add(Type::HANDLE, None, Some(shape));
    Concrete::new(state, Values::default(), input, Vec::new(), Number::whole(0))
}
