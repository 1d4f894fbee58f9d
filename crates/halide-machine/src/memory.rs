//! Memory: blocks of bytes with a lifetime, and the addresses that pointers hold.
//!
//! Each block has 2^40 addresses for itself. So an address identifies its block, and an address
//! beyond the end of one block is never within another.

use crate::order::{Event, Node, Ordered, Shadow, Threads, Who};
use crate::outcome::{FaultKind, Running, Stop, fault};
use crate::value::{Lane, Poison};

/// The number of addresses for each block. Addresses below it belong to no block.
const SPAN: u64 = 1 << 40;

/// The first handle of buffers. These handles point to no memory that a statement may access.
pub(crate) const BUFFERS: u64 = 1 << 63;
/// The first handle of buffers' shapes.
pub(crate) const SHAPES: u64 = BUFFERS | (1 << 62);
/// The first handle of arrays of locks.
pub(crate) const LOCKS: u64 = BUFFERS | (1 << 61);
/// The first handle of strings, structs and interfaces.
pub(crate) const OTHERS: u64 = BUFFERS | (1 << 60);

/// The state of a block's lifetime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Live,
    Freed,
}

/// A block of memory.
#[derive(Debug)]
struct Block {
    name: String,
    bytes: Vec<u8>,
    /// The reason why a byte has no value, if it has none.
    poison: Vec<Option<Poison>>,
    shadows: Vec<Shadow>,
    /// The distance of the first byte from the block's first address.
    misalignment: u64,
    life: Life,
    /// The thread that made it. Its accesses are ordered with the accesses of all threads to which
    /// it can give the memory, because these descend from it.
    owner: Node,
}

/// All blocks.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    blocks: Vec<Block>,
    /// The number of bytes that are live.
    pub(crate) live: u64,
}

/// The contents of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Left<'a> {
    pub(crate) bytes: &'a [u8],
    /// The first byte that has no value, and the reason.
    pub(crate) missing: Option<(usize, Poison)>,
}

/// The circumstances of an access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access<'a> {
    pub(crate) threads: &'a Threads,
    pub(crate) who: Who<'a>,
    pub(crate) time: u32,
    pub(crate) atomic: bool,
    pub(crate) lock: u32,
    /// The number of times that the root has run alone.
    pub(crate) epoch: u32,
    /// True if only forks and joins order threads.
    pub(crate) is_structured: bool,
}

impl Access<'_> {
    fn event(&self) -> Event {
        Event {
            node: self.who.node,
            time: self.time,
            atomic: self.atomic,
            lock: self.lock,
            group: false,
            is_covered: false,
        }
    }
}

impl Memory {
    /// Adds a block of undefined bytes and returns its address.
    pub(crate) fn allocate(&mut self, name: String, size: u64, owner: Node) -> u64 {
        let size = size as usize;
        self.add(name, vec![0; size], Some(Poison::Undefined), 0, owner)
    }

    /// Adds a caller's block and returns its address.
    pub(crate) fn given(&mut self, name: String, bytes: Vec<u8>, misalignment: u8) -> u64 {
        self.add(name, bytes, None, u64::from(misalignment), 0)
    }

    fn add(
        &mut self,
        name: String,
        bytes: Vec<u8>,
        poison: Option<Poison>,
        misalignment: u64,
        owner: Node,
    ) -> u64 {
        let size = bytes.len();
        self.live += size as u64;
        self.blocks.push(Block {
            name,
            bytes,
            poison: vec![poison; size],
            shadows: Vec::new(),
            misalignment,
            life: Life::Live,
            owner,
        });
        self.blocks.len() as u64 * SPAN + misalignment
    }

    fn number(&self, address: u64) -> Option<usize> {
        let number = (address / SPAN).checked_sub(1)? as usize;
        (number < self.blocks.len()).then_some(number)
    }

    /// Ends the life of a block.
    pub(crate) fn free(&mut self, pointer: u64, name: &str) -> Running<()> {
        let Some(block) = self.number(pointer).and_then(|number| self.blocks.get_mut(number))
        else {
            return fault(FaultKind::Misuse, format!("free of `{name}`, which is no memory"));
        };
        if block.life == Life::Freed {
            return fault(FaultKind::DoubleFree, format!("`{name}` is freed twice"));
        }
        self.live = self.live.saturating_sub(block.bytes.len() as u64);
        block.life = Life::Freed;
        block.bytes = Vec::new();
        block.poison = Vec::new();
        block.shadows = Vec::new();
        Ok(())
    }

    /// Tests whether a block is live.
    pub(crate) fn is_live(&self, pointer: u64) -> bool {
        let block = self.number(pointer).and_then(|number| self.blocks.get(number));
        block.is_some_and(|block| block.life == Life::Live)
    }

    /// Returns the contents of a block.
    pub(crate) fn bytes(&self, pointer: u64) -> Option<Left<'_>> {
        let block = self.blocks.get(self.number(pointer)?)?;
        let mut reasons = block.poison.iter().enumerate();
        let missing = reasons.find_map(|(place, poison)| Some((place, (*poison)?)));
        Some(Left { bytes: &block.bytes, missing })
    }

    /// Copies bytes of one block, and whether they have values, to the same places of another.
    pub(crate) fn copy(&mut self, from: u64, to: u64, places: impl Iterator<Item = usize>) {
        let (Some(from), Some(to)) = (self.number(from), self.number(to)) else { return };
        for place in places {
            let source = self
                .blocks
                .get(from)
                .and_then(|block| Some((*block.bytes.get(place)?, *block.poison.get(place)?)));
            let target = self.blocks.get_mut(to).and_then(|block| {
                Some((block.bytes.get_mut(place)?, block.poison.get_mut(place)?))
            });
            if let (Some((byte, reason)), Some((old, poison))) = (source, target) {
                *old = byte;
                *poison = reason;
            }
        }
    }

    /// Returns the block, and the place in it, of an access to so many bytes at an offset from a
    /// pointer.
    fn place(&self, pointer: u64, offset: i128, size: u64, what: &str) -> Running<(usize, usize)> {
        let Some((number, block)) =
            self.number(pointer).and_then(|number| Some((number, self.blocks.get(number)?)))
        else {
            return fault(FaultKind::NoMemory, format!("{what} through a pointer to no memory"));
        };
        let name = &block.name;
        if block.life == Life::Freed {
            return fault(FaultKind::UseAfterFree, format!("{what} of `{name}`, which was freed"));
        }
        let begin = i128::from(pointer % SPAN) - i128::from(block.misalignment) + offset;
        let end = begin + i128::from(size);
        if begin < 0 || end > block.bytes.len() as i128 {
            return fault(
                FaultKind::OutOfBounds,
                format!("{what} of `{name}` at bytes {begin} to {end} of {}", block.bytes.len()),
            );
        }
        if size > 1 && !(begin as u64 + block.misalignment).is_multiple_of(size) {
            return fault(
                FaultKind::Misaligned,
                format!("{what} of `{name}` at byte {begin}, which is not aligned to {size} bytes"),
            );
        }
        Ok((number, begin as usize))
    }

    /// Reads an element.
    pub(crate) fn read(
        &mut self,
        pointer: u64,
        offset: i128,
        size: u64,
        access: &Access<'_>,
    ) -> Running<Lane> {
        let (number, begin) = self.place(pointer, offset, size, "a read")?;
        let Some(block) = self.blocks.get_mut(number) else {
            return Ok(Lane::poison(Poison::Undefined));
        };
        let range = begin..begin + size as usize;
        if let Some(shadows) = block.shadowed(range.clone(), access) {
            let event = access.event();
            let ordered = shadows
                .iter_mut()
                .map(|shadow| shadow.read(access.threads, event, access.who, access.is_structured));
            let ordered = worst(ordered);
            check(ordered, &block.name, "read", begin)?;
        }
        let reasons = block.poison.get(range.clone()).unwrap_or(&[Some(Poison::Undefined)]);
        if let Some(reason) = reasons.iter().find_map(|poison| *poison) {
            return Ok(Lane::poison(reason));
        }
        let bytes = block.bytes.get(range).unwrap_or_default();
        Ok(Lane::of(bytes.iter().rev().fold(0, |bits, byte| (bits << 8) | u64::from(*byte))))
    }

    /// Writes an element; poison makes its bytes undefined.
    pub(crate) fn write(
        &mut self,
        pointer: u64,
        offset: i128,
        size: u64,
        value: Lane,
        access: &Access<'_>,
    ) -> Running<()> {
        let (number, begin) = self.place(pointer, offset, size, "a write")?;
        let Some(block) = self.blocks.get_mut(number) else { return Ok(()) };
        let range = begin..begin + size as usize;
        let new = value.bits.to_le_bytes();
        let old = block.bytes.get(range.clone()).unwrap_or_default();
        let mut silent = [false; 8];
        for (silent, ((old, new), poison)) in silent
            .iter_mut()
            .zip(old.iter().zip(new).zip(block.poison.get(range.clone()).unwrap_or_default()))
        {
            *silent = value.poison.is_none() && poison.is_none() && *old == new;
        }
        if let Some(shadows) = block.shadowed(range.clone(), access) {
            let event = access.event();
            let ordered = shadows.iter_mut().zip(silent).map(|(shadow, is_silent)| {
                let how = (is_silent, access.is_structured);
                shadow.write(access.threads, event, access.who, how)
            });
            let ordered = worst(ordered);
            check(ordered, &block.name, "write", begin)?;
        }
        for (place, byte) in range.zip(new) {
            if let (Some(old), Some(poison)) =
                (block.bytes.get_mut(place), block.poison.get_mut(place))
            {
                *old = byte;
                *poison = value.poison;
            }
        }
        Ok(())
    }
}

impl Block {
    /// Returns the recorded accesses to these bytes, if the order of threads can matter.
    fn shadowed(
        &mut self,
        range: std::ops::Range<usize>,
        access: &Access<'_>,
    ) -> Option<&mut [Shadow]> {
        if access.who.node == 0 || access.who.node == self.owner {
            return None;
        }
        if self.shadows.is_empty() {
            self.shadows = vec![Shadow::default(); self.bytes.len()];
        }
        let shadows = self.shadows.get_mut(range)?;
        for shadow in shadows.iter_mut() {
            shadow.begin(access.epoch);
        }
        Some(shadows)
    }
}

/// Returns the first result other than [`Ordered::Yes`], if there is one.
fn worst(ordered: impl Iterator<Item = Ordered>) -> Ordered {
    ordered.fold(Ordered::Yes, |worst, one| if worst == Ordered::Yes { one } else { worst })
}

fn check(ordered: Ordered, name: &str, what: &str, at: usize) -> Running<()> {
    match ordered {
        Ordered::Yes => Ok(()),
        Ordered::Race => fault(
            FaultKind::Race,
            format!("a {what} of `{name}` at byte {at} is not ordered with another access of it"),
        ),
        Ordered::TooMany => Err(Stop::Refused(
            "a byte that very many threads access, which semaphores or barriers order".to_owned(),
        )),
    }
}
