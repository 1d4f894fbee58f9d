//! The places where a caller's buffer is up to date: on the host, on a device.
//!
//! # Correctness
//! A kernel reads and writes the copy on the device, all other code the copy on the host. A buffer
//! arrives on the host. A copy brings it to the device, or back. After a kernel has written to a
//! buffer, the copy on the host is stale. The buffer's flags record that once
//! `_halide_buffer_set_device_dirty` is called; otherwise a copy back does nothing, and the caller
//! would use the stale copy. Each access therefore requires its side to be up to date. Each copy
//! requires an up-to-date side to copy from, and correct flags. At the end an output is up to date
//! on the host, or its flags record that it is not; the same holds for the device, once something
//! was copied there. Memory that the host allocates is on the host alone. All kernels and copies
//! are of one device. Kernels and copies within loops of the host are
//! refused. After a condition, only the facts that hold after both branches are kept. Copies are
//! assumed to succeed, and the verdict lists that condition.

use super::error::{Result, unsupported};
use super::holdings::{Held, of};
use super::walk::{Place, Walk};
use crate::NameId;

impl Walk<'_> {
    /// Checks the accesses of the expressions of a statement.
    pub(super) fn touched(&mut self) -> Result<()> {
        for name in std::mem::take(&mut self.nodes.touched) {
            self.access(name)?;
        }
        Ok(())
    }

    fn access(&self, name: NameId) -> Result<()> {
        if !self.callers.contains(&name) {
            if self.place != Place::Host && self.of_host.contains(&name) {
                let text = self.nodes.names.text(name);
                return unsupported(format!(
                    "an access on a device to `{text}`, which is memory of the host"
                ));
            }
            return Ok(());
        }
        let held = of(&self.holdings, name);
        let text = self.nodes.names.text(name);
        match self.place {
            Place::Host if held.host.current => Ok(()),
            Place::Host => unsupported(format!(
                "an access on the host to `{text}`, which a device has changed"
            )),
            Place::Block | Place::Thread if held.device.current => Ok(()),
            Place::Block | Place::Thread => {
                unsupported(format!("an access on a device to `{text}`, which is not copied there"))
            }
        }
    }

    /// A store to a buffer.
    pub(super) fn written(&mut self, name: NameId) -> Result<()> {
        self.access(name)?;
        if !self.callers.contains(&name) {
            return Ok(());
        }
        let held = self.holdings.entry(name).or_insert(Held::GIVEN);
        match self.place {
            Place::Host => (held.device.current, held.host.told) = (false, false),
            // A flag that is set stays set.
            Place::Block | Place::Thread => {
                held.device.told &= !(held.host.current || held.may_be_on_host);
                (held.host.current, held.may_be_on_host) = (false, false);
                held.was_copied = true;
            }
        }
        Ok(())
    }

    /// Refuses kernels and copies of two devices. The device's name is in small letters.
    pub(super) fn on_device(&mut self, device: &str) -> Result<()> {
        if self.device.get_or_insert_with(|| device.to_owned()) == device {
            Ok(())
        } else {
            unsupported("a kernel or a copy of a second device")
        }
    }

    /// A copy to the device, or back.
    pub(super) fn copied(&mut self, name: NameId, to_device: bool) -> Result<()> {
        self.on_host_alone()?;
        let held = self.holdings.entry(name).or_insert(Held::GIVEN);
        let is_told = if to_device {
            held.device.current || (held.host.current && held.host.told)
        } else {
            held.host.current || (held.device.current && held.device.told)
        };
        if !is_told && !std::mem::take(&mut held.is_open) {
            return unsupported("a copy of a buffer whose flags do not say where it was changed");
        }
        held.was_copied = true;
        if to_device {
            held.device.current = true;
        } else {
            held.host.current = true;
        }
        Ok(())
    }

    /// A call that sets a dirty flag of a buffer.
    pub(super) fn told(&mut self, name: NameId, on_device: bool) -> Result<()> {
        self.on_host_alone()?;
        let held = self.holdings.entry(name).or_insert(Held::GIVEN);
        if on_device && held.device.current && !held.host.current {
            held.device.told = true;
        } else if !on_device && held.host.current && !held.device.current {
            held.host.told = true;
        } else {
            return unsupported("a flag of a buffer that says what is not so");
        }
        Ok(())
    }

    /// Refuses device operations inside loops of the host.
    pub(super) fn on_host_alone(&self) -> Result<()> {
        if self.host_loops > 0 || self.place != Place::Host {
            return unsupported("kernels, copies and flags of buffers within loops");
        }
        Ok(())
    }

    /// Refuses an output that the caller would read from a stale side.
    pub(super) fn given_back(&self) -> Result<()> {
        for name in &self.callers {
            let held = of(&self.holdings, *name);
            let text = self.nodes.names.text(*name);
            if !held.host.current && !held.device.told {
                return unsupported(format!(
                    "the buffer `{text}`, changed on a device without saying so"
                ));
            }
            if held.was_copied && !held.device.current && !held.host.told {
                return unsupported(format!(
                    "the buffer `{text}`, changed on the host without saying so"
                ));
            }
        }
        Ok(())
    }
}
