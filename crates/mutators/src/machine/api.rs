//! Interprets functions of the API according to their contracts.

use crate::ir::kinds::Kind;
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::State;
use crate::ir::value::Val;
use crate::machine::contracts::{CONTRACTS, Meaning};
use crate::machine::run::{Machine, Outcome, Paths};

/// A call of a function that has a contract.
pub(super) struct Call<'c> {
    pub(super) name: &'c str,
    pub(super) templates: &'c [String],
    pub(super) meaning: Meaning,
    pub(super) arguments: &'c [Val],
    pub(super) line: usize,
}

impl Machine<'_> {
    /// Calls a function of the API.
    pub(crate) fn api(
        &mut self,
        name: &str,
        templates: &[String],
        arguments: Vec<Val>,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let arguments: Vec<Val> =
            arguments.into_iter().map(|value| Self::loaded(value, &state)).collect();
        if let Some(kind) = name.strip_suffix("::make").and_then(Kind::named) {
            return self.make_node(kind, &arguments, state, line);
        }
        let short = name.rsplit("::").next().unwrap_or(name);
        let Some(contract) = CONTRACTS.iter().find(|contract| contract.name == short) else {
            if is_of_reports(name) {
                return vec![(state, Val::info())];
            }
            if EMPTY.contains(&name) && arguments.is_empty() {
                return vec![(state, Val::Handle(format!("{name}()")))];
            }
            return self.unsupported(state, name, line);
        };
        // A call of a method on an undefined expression dereferences null.
        if arguments.iter().any(|value| matches!(value, Val::Unknown)) {
            return self.unsupported(state, format!("{name} of a value that is not known"), line);
        }
        let call = Call { name, templates, meaning: contract.meaning, arguments: &arguments, line };
        match call.meaning {
            Meaning::IsConst
            | Meaning::IsNumber(_)
            | Meaning::IsPositive
            | Meaning::IsNegative
            | Meaning::IsNegatable
            | Meaning::AsConst(_)
            | Meaning::PowerOfTwo
            | Meaning::Equal => self.literals_function(&call, state),
            Meaning::MakeConst
            | Meaning::MakeNumber(_)
            | Meaning::MakeTruth(_)
            | Meaning::MakeBool
            | Meaning::Undefined(_) => self.made_function(&call, state),
            Meaning::Divide(_)
            | Meaning::Overflows(_)
            | Meaning::Magnitude
            | Meaning::IsNan
            | Meaning::IsFinite
            | Meaning::Computed(_)
            | Meaning::IsAlpha => self.numbers_function(&call, state),
            Meaning::Least | Meaning::Greatest => self.extremes_function(&call, state),
            Meaning::NumericType(_)
            | Meaning::HandleType
            | Meaning::BoolType
            | Meaning::NoOverflow
            | Meaning::NoOverflowInt
            | Meaning::NoOverflowScalar => self.types_function(&call, state),
            Meaning::Mutate
            | Meaning::SameValue
            | Meaning::Select
            | Meaning::Cast
            | Meaning::RampBase
            | Meaning::Clamp
            | Meaning::Lane
            | Meaning::Lowered(_)
            | Meaning::FreshName => self.nodes_function(&call, state),
            Meaning::Substitute => self.substituted_function(&call, state),
            Meaning::Bounds
            | Meaning::Remainder
            | Meaning::RemainderOf
            | Meaning::Region
            | Meaning::Scoped(_)
            | Meaning::Proves
            | Meaning::AnyBool
            | Meaning::Report
            | Meaning::Nothing => self.facts_function(&call, state),
            Meaning::NoOp | Meaning::SideEffects | Meaning::Steady | Meaning::IsUndef => {
                self.questions_function(&call, state)
            }
            Meaning::Print(_) => self.refused(&call, state),
        }
    }

    /// Ends a path at a call whose arguments do not match the contract.
    pub(super) fn misfit(&mut self, call: &Call<'_>, state: State) -> Paths<Val> {
        self.unsupported(state, format!("{} of these arguments", call.name), call.line)
    }

    /// Ends a path at a call that no case of its contract covers. The path crashes if an argument
    /// is an undefined expression.
    pub(super) fn refused(&mut self, call: &Call<'_>, state: State) -> Paths<Val> {
        if call.arguments.iter().any(|value| matches!(value, Val::Expr(None))) {
            let what = format!("{} of an undefined Expr", call.name);
            self.end(state, Outcome::Crash(what), call.line);
            return Vec::new();
        }
        self.misfit(call, state)
    }

    pub(crate) fn truths(&mut self, holds: Vec<State>, fails: Vec<State>) -> Paths<Val> {
        let (yes, no) = (self.values.bool(true), self.values.bool(false));
        let holds = holds.into_iter().map(|state| (state, Val::Bool(yes)));
        holds.chain(fails.into_iter().map(|state| (state, Val::Bool(no)))).collect()
    }

    /// Finds the input's variable with a given name, if there is one.
    pub(crate) fn variable_named(value: &Val, state: &State) -> Option<NodeId> {
        let name = Self::name_of(value, state)?;
        (0..state.nodes.len()).find(|node| {
            matches!(&state.nodes[*node].shape, Some(Shape { kind: Kind::Variable, fields })
                if matches!(fields.first(), Some(Field::Expr(own)) if state.find(*own) == state.find(name)))
        })
    }
}

/// Objects of the compiler whose constructors make them empty.
const EMPTY: [&str; 2] = ["NodeRef", "Region"];

/// Tests whether a function computes with the reports of visitors. Such computations are not
/// followed.
pub(crate) fn is_of_reports(name: &str) -> bool {
    ["ModulusRemainder::", "ConstantInterval::"].iter().any(|class| name.starts_with(class))
        || ["ConstantInterval", "ModulusRemainder"].contains(&name)
}
