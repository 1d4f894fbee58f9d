//! What a statement is run on.

use halidom_halide_ir::tree::Scalar;

/// What a statement is run on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Case {
    /// The bits of each scalar parameter, by name.
    pub parameters: Vec<(String, u64)>,
    /// The buffers; the statement's handles are their names with `.buffer`.
    pub buffers: Vec<BufferCase>,
}

/// A buffer of the caller's: a `halide_buffer_t`.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferCase {
    /// Its name.
    pub name: String,
    /// The type of its elements.
    pub scalar: Scalar,
    /// Its dimensions.
    pub dims: Vec<Dim>,
    /// Its memory; none makes the call a query of bounds.
    pub host: Option<Host>,
    /// Whether the caller says that the host's copy is the newer one.
    pub host_dirty: bool,
    /// Whether the caller says that the device's is.
    pub device_dirty: bool,
}

/// A dimension of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim {
    /// The least coordinate.
    pub min: i32,
    /// The number of coordinates.
    pub extent: i32,
    /// The elements from one to the next.
    pub stride: i32,
}

/// Memory of the caller's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// All that may be accessed, to the byte.
    pub bytes: Vec<u8>,
    /// Where in it the element with the least coordinates is, which `host` points to.
    pub offset: usize,
    /// How far the first byte lies beyond a multiple of 128.
    pub misalignment: u8,
}

impl BufferCase {
    /// The bytes of its elements, by their places in its memory: what is copied to a device and back. Gaps between rows are not.
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
            // More elements than bytes are none of the memory's.
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
