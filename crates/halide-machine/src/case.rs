//! The inputs of a run.

use halidom_halide_ir::tree::Scalar;

/// The inputs of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Case {
    /// The bits of each scalar parameter, by name.
    pub parameters: Vec<(String, u64)>,
    /// The buffers; the statement's handles are their names with `.buffer`.
    pub buffers: Vec<BufferCase>,
}

/// A caller's buffer: a `halide_buffer_t`.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferCase {
    /// Its name.
    pub name: String,
    /// The type of its elements.
    pub scalar: Scalar,
    /// Its dimensions.
    pub dims: Vec<Dim>,
    /// Its memory. A call with a buffer without memory is a bounds query.
    pub host: Option<Host>,
    /// True if the caller marks the host's copy as the newer one.
    pub host_dirty: bool,
    /// True if the caller marks the device's copy as the newer one.
    pub device_dirty: bool,
}

/// A dimension of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim {
    /// The least coordinate.
    pub min: i32,
    /// The number of coordinates.
    pub extent: i32,
    /// The distance from one coordinate to the next, in elements.
    pub stride: i32,
}

/// A caller's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// All bytes that may be accessed.
    pub bytes: Vec<u8>,
    /// The place in these bytes of the element with the least coordinates, to which `host` points.
    pub offset: usize,
    /// The distance of the first byte from a multiple of 128 before it.
    pub misalignment: u8,
}

impl BufferCase {
    /// Returns the bytes of its elements, by their places in its memory. These bytes are copied to
    /// a device and back; gaps between rows are not.
    pub(crate) fn places(&self) -> impl Iterator<Item = usize> + use<> {
        let size = match self.scalar {
            Scalar::Int(bits) | Scalar::UInt(bits) | Scalar::Float(bits) | Scalar::BFloat(bits) => {
                i64::from(bits.div_ceil(8))
            }
            Scalar::Handle(_) => 8,
        };
        let (offset, length) =
            self.host.as_ref().map_or((0, 0), |host| (host.offset as i64, host.bytes.len()));
        let mut elements = vec![0_i64];
        for dim in &self.dims {
            // The memory does not hold more elements than bytes.
            if elements.len() > length {
                break;
            }
            let steps = (0..i64::from(dim.extent)).take(length + 1);
            let steps: Vec<i64> = steps.map(|step| step * i64::from(dim.stride)).collect();
            elements = elements
                .iter()
                .flat_map(|element| steps.iter().map(move |step| element + step))
                .collect();
        }
        elements.into_iter().flat_map(move |element| {
            let begin = offset + element * size;
            (begin..begin + size).filter_map(|place| usize::try_from(place).ok())
        })
    }
}
