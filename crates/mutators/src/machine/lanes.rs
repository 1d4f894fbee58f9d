//! Vectors of other lanes than those of the input, where all lanes are counted.
//!
//! # Correctness
//!
//! Nothing is proved here: such a run may only show a defect. A vector of other lanes is something
//! unknown, and so is all that is made of it. Where something unknown decides, both ways are
//! followed, so a defect is shown only if each path ends there. Whether a node can be made of
//! something unknown is not known, and `make` is taken to succeed.

use crate::ir::kinds::Kind;
use crate::ir::value::Val;
use crate::machine::run::Machine;

impl Machine<'_> {
    /// A node of something unknown or of other lanes, where lanes are counted, or the reason why it
    /// cannot be made. `None` if its operands are known.
    pub(super) fn made_where_lanes_count(
        &mut self,
        kind: Kind,
        arguments: &[Val],
    ) -> Option<Result<Val, String>> {
        if !self.counts_lanes {
            return None;
        }
        let is_other = match (kind, arguments) {
            (Kind::Ramp, [_, _, Val::Int(lanes)]) => {
                let count = self.values.as_number(lanes.term)?;
                if count <= 1 {
                    return Some(Err(format!("of {count} lanes")));
                }
                self.is_lanes(arguments.last()).is_none()
            }
            _ => false,
        };
        let is_unknown = |value: &Val| matches!(value, Val::Handle(_));
        (is_other || arguments.iter().any(is_unknown))
            .then(|| Ok(Val::Handle(self.fresh_name("unknown"))))
    }

    /// The result of a function of the API where lanes are counted, if that is not known: what
    /// `simplify` makes, and what has other lanes or is made of something unknown.
    pub(super) fn unknown_where_lanes_count(
        &mut self,
        name: &str,
        arguments: &[Val],
    ) -> Option<Val> {
        let is_unknown = |value: &Val| matches!(value, Val::Handle(_)) && !value.is_info();
        let is_other = ["const_true", "const_false"].contains(&name)
            && self.is_lanes(arguments.first()).is_none();
        let is_any = name == "simplify" || is_other || arguments.iter().any(is_unknown);
        (self.counts_lanes && is_any).then(|| Val::Handle(self.fresh_name("unknown")))
    }
}
