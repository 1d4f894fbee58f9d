//! The assertions of `make` about the types of operands.

use crate::ir::kinds::{I32, Kind, Type};
use crate::ir::layout::{Demand, demands};
use crate::ir::node::{Field, NodeId};
use crate::ir::state::State;
use crate::machine::run::Machine;

/// The operand that a member of a node is.
pub(crate) fn operand(kind: Kind, member: &str, fields: &[Field]) -> Option<NodeId> {
    let index = kind.fields().iter().position(|(known, _)| *known == member)?;
    match fields.get(index)? {
        Field::Expr(node) => Some(*node),
        Field::Lanes | Field::Number(_) | Field::Opaque(_) => None,
    }
}

impl Machine<'_> {
    /// The first assertion of `make` that these members of a node break.
    pub(crate) fn broken_assert(
        &self,
        kind: Kind,
        ty: Type,
        fields: &[Field],
        state: &State,
    ) -> Option<String> {
        let name = kind.name();
        let type_of = |member: &str| operand(kind, member, fields).map(|node| state.node(node).ty);
        let is_vector = |member: &str| type_of(member).map(|ty| ty.is_vector);
        let lanes = match kind {
            Kind::Store => is_vector("value"),
            Kind::Load => Some(ty.is_vector),
            _ => None,
        };
        if lanes.is_some() && ["index", "predicate"].iter().any(|of| is_vector(of) != lanes) {
            return Some(format!("{name}::make of other lanes"));
        }
        for (member, demand) in demands(kind, self.profile.name) {
            let Some(ty) = type_of(member) else { continue };
            let holds = match demand {
                Demand::Int32 => ty == I32,
                Demand::Bool => ty.is_bool(),
                Demand::Scalar => !ty.is_vector,
            };
            if !holds {
                return Some(format!("{name}::make of a {member} of the type {ty}"));
            }
        }
        None
    }
}
