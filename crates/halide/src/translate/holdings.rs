//! The state of the caller's buffers: which of their sides are up to date, and what their flags
//! record.

use halidom_base::IndexMap;

use crate::NameId;

/// One side of a caller's buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Side {
    /// True if it is up to date.
    pub(super) current: bool,
    /// True if the buffer's flags record that only this side is up to date, in case it is the only
    /// one.
    pub(super) told: bool,
}

impl Side {
    fn and(self, other: Self) -> Self {
        Self { current: self.current && other.current, told: self.told && other.told }
    }
}

/// The sides of a caller's buffer, with the state of its flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) host: Side,
    pub(super) device: Side,
    /// True if the statement copies it, so that it may have two sides.
    pub(super) was_copied: bool,
    /// True if nothing is known of its sides, but that its flags are a caller's, which tell the
    /// truth.
    pub(super) is_open: bool,
    /// True if its host side may be up to date, although that is not known.
    pub(super) may_be_on_host: bool,
}

impl Held {
    /// The state in which callers pass it.
    pub(super) const GIVEN: Self = Self {
        host: Side { current: true, told: true },
        device: Side { current: false, told: true },
        was_copied: false,
        is_open: false,
        may_be_on_host: false,
    };

    /// The state in which callers pass it to a statement that does not assert that no device has
    /// changed it.
    pub(super) const OPEN: Self = Self {
        host: Side { current: false, told: true },
        device: Side { current: false, told: true },
        was_copied: false,
        is_open: true,
        may_be_on_host: true,
    };

    fn and(self, other: Self) -> Self {
        Self {
            host: self.host.and(other.host),
            device: self.device.and(other.device),
            was_copied: self.was_copied || other.was_copied,
            is_open: self.is_open && other.is_open,
            may_be_on_host: self.may_be_on_host || other.may_be_on_host,
        }
    }
}

/// The caller's buffers whose state may differ from the initial one.
pub(super) type Holdings = IndexMap<NameId, Held>;

/// The facts that hold after either of two branches.
pub(super) fn either(one: &Holdings, other: &Holdings) -> Holdings {
    let names = one.keys().chain(other.keys());
    names.map(|name| (*name, of(one, *name).and(of(other, *name)))).collect()
}

pub(super) fn of(holdings: &Holdings, name: NameId) -> Held {
    holdings.get(&name).copied().unwrap_or(Held::GIVEN)
}
