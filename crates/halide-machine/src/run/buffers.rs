//! The caller's buffers.

use halidom_halide_ir::tree::Scalar;

use super::machine::Machine;
use super::thread::{Thread, decided};
use crate::case::Dim;
use crate::code::{BufferCall, Field, Init, Reg};
use crate::memory::{BUFFERS, SHAPES};
use crate::outcome::{FaultKind, Running, Stop, fault};
use crate::value::{Lane, Poison};

impl Machine<'_> {
    /// Makes a call about a caller's buffer, and returns its result.
    pub(super) fn buffer(
        &mut self,
        handle: Lane,
        call: &BufferCall,
        thread: &Thread,
    ) -> Running<Lane> {
        match call {
            BufferCall::Get { field, dim } => return self.field(*field, handle, *dim, thread),
            BufferCall::SetDirty { flag, of_device } => {
                let flag = decided(thread.value(*flag).first(), "a flag")? == 1;
                let number = self.number(handle)?;
                if let Some(buffer) = self.buffers.get_mut(number) {
                    let place = if *of_device {
                        &mut buffer.case.device_dirty
                    } else {
                        &mut buffer.case.host_dirty
                    };
                    *place = flag;
                }
            }
            BufferCall::Init(init) => {
                self.init(handle, init, thread)?;
                return Ok(handle);
            }
            BufferCall::Device => {
                let number = self.number(handle)?;
                let Some((buffer, device)) =
                    self.buffers.get(number).and_then(|buffer| Some((buffer, buffer.device?)))
                else {
                    return fault(
                        FaultKind::NoMemory,
                        "a kernel of a buffer without memory on the device",
                    );
                };
                let offset = buffer.case.host.as_ref().map_or(0, |host| host.offset as u64);
                return Ok(Lane::of(device + offset));
            }
            BufferCall::CopyToDevice => self.copy_to_device(handle)?,
            BufferCall::CopyToHost => {
                let number = self.number(handle)?;
                if let Some(buffer) = self.buffers.get_mut(number)
                    && let (true, Some(device)) = (buffer.case.device_dirty, buffer.device)
                {
                    self.memory.copy(device, buffer.host, buffer.case.places());
                    buffer.case.device_dirty = false;
                }
            }
        }
        Ok(Lane::of(0))
    }

    /// Returns the number of the caller's buffer to which a handle refers.
    fn number(&self, handle: Lane) -> Running<usize> {
        let handle = decided(handle, "a buffer")?;
        let number = (handle & !BUFFERS) as usize;
        if handle & BUFFERS == 0 || number >= self.buffers.len() {
            return Err(Stop::Refused("a buffer that is none of the caller's".to_owned()));
        }
        Ok(number)
    }

    fn field(
        &self,
        field: Field,
        handle: Lane,
        dim: Option<Reg>,
        thread: &Thread,
    ) -> Running<Lane> {
        let number = self.number(handle)?;
        let Some(buffer) = self.buffers.get(number) else { return Ok(Lane::of(0)) };
        let side = match dim {
            Some(dim) => {
                let dim = thread.int32(dim, "a dimension")?;
                usize::try_from(dim).ok().and_then(|dim| buffer.case.dims.get(dim)).copied()
            }
            None => None,
        };
        // Code reads sides before it checks the number of dimensions. A side beyond them is
        // undefined, and reading it is no fault.
        let of_side = |get: fn(Dim) -> i32| {
            side.map_or(Lane::poison(Poison::Undefined), |side| {
                Lane::of(u64::from(get(side) as u32))
            })
        };
        Ok(match field {
            Field::Host => Lane::of(buffer.host),
            Field::Type => Lane::of(type_code(buffer.case.scalar)),
            Field::Dimensions => Lane::of(buffer.case.dims.len() as u64),
            Field::Shape => Lane::of(SHAPES | number as u64),
            Field::HostDirty => Lane::truth(buffer.case.host_dirty),
            Field::DeviceDirty => Lane::truth(buffer.case.device_dirty),
            Field::IsBoundsQuery => Lane::truth(buffer.host == 0 && buffer.device.is_none()),
            Field::Min => of_side(|side| side.min),
            Field::Max => of_side(|side| side.min.wrapping_add(side.extent).wrapping_sub(1)),
            Field::Extent => of_side(|side| side.extent),
            Field::Stride => of_side(|side| side.stride),
        })
    }

    /// Answers a bounds query.
    fn init(&mut self, handle: Lane, init: &Init, thread: &Thread) -> Running<()> {
        let Init { shape, code, bits, dimensions, sides, flags } = init;
        let number = self.number(handle)?;
        let shape = decided(thread.value(*shape).first(), "a buffer's shape")?;
        if shape != SHAPES | number as u64 {
            return Err(Stop::Refused("a buffer with the shape of another".to_owned()));
        }
        let code = thread.int32(*code, "a buffer's type")?;
        let bits = thread.int32(*bits, "a buffer's type")?;
        let dimensions = thread.int32(*dimensions, "a buffer's dimensions")?;
        let flags = decided(thread.value(*flags).first(), "a buffer's flags")?;
        let mut numbers = Vec::new();
        for side in sides {
            numbers.push(thread.int32(*side, "a buffer's side")?);
        }
        let dims = numbers.chunks_exact(4).map(|side| match side {
            [min, extent, stride, _] => Dim { min: *min, extent: *extent, stride: *stride },
            _ => Dim { min: 0, extent: 0, stride: 0 },
        });
        let dims: Vec<Dim> = dims.collect();
        let scalar = match (code, u8::try_from(bits)) {
            (0, Ok(bits)) => Scalar::Int(bits),
            (1, Ok(bits)) => Scalar::UInt(bits),
            (2, Ok(bits)) => Scalar::Float(bits),
            (4, Ok(bits)) => Scalar::BFloat(bits),
            _ => return Err(Stop::Refused("a buffer of another type".to_owned())),
        };
        if usize::try_from(dimensions) != Ok(dims.len()) {
            return Err(Stop::Refused("a buffer of other dimensions than sides".to_owned()));
        }
        if let Some(buffer) = self.buffers.get_mut(number) {
            buffer.case.dims = dims;
            buffer.case.scalar = scalar;
            buffer.case.host_dirty = flags & 1 == 1;
            buffer.case.device_dirty = flags & 2 == 2;
            // The buffer of a bounds query has no memory.
            buffer.host = 0;
            buffer.device = None;
        }
        Ok(())
    }

    fn copy_to_device(&mut self, handle: Lane) -> Running<()> {
        let number = self.number(handle)?;
        let Some(buffer) = self.buffers.get_mut(number) else { return Ok(()) };
        if buffer.case.host_dirty && buffer.case.device_dirty {
            return Err(Stop::Refused("a buffer whose copies are both the newer one".to_owned()));
        }
        let size = buffer.case.host.as_ref().map_or(0, |host| host.bytes.len() as u64);
        let device = match buffer.device {
            Some(device) => device,
            None => self.memory.allocate(buffer.case.name.clone(), size, 0),
        };
        buffer.device = Some(device);
        if buffer.case.host_dirty {
            self.memory.copy(buffer.host, device, buffer.case.places());
            buffer.case.host_dirty = false;
        }
        Ok(())
    }
}

/// Returns a type as the 32 bits of `halide_type_t`.
fn type_code(scalar: Scalar) -> u64 {
    let (code, bits) = match scalar {
        Scalar::Int(bits) => (0, bits),
        Scalar::UInt(bits) => (1, bits),
        Scalar::Float(bits) => (2, bits),
        Scalar::Handle(_) => (3, 64),
        Scalar::BFloat(bits) => (4, bits),
    };
    code | (u64::from(bits) << 8) | (1 << 16)
}
