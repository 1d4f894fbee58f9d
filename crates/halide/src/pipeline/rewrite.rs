//! Rewrites a FlatBuffer with some tables replaced: the new tables stand before the old file and
//! lead into it.
//!
//! Offsets lead forward only. A table with a changed field is therefore written anew, and so is
//! every table that leads to it, up to the root. All new tables stand before the original file,
//! each before the ones that it leads to. Unchanged tables are not looked at.

use super::wire::{Result, Table};

/// The target of an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In the old file.
    Old(usize),
    /// The number of a new part.
    New(usize),
}

/// A new part: bytes, and offsets in them.
struct Part {
    bytes: Vec<u8>,
    offsets: Vec<(usize, Place)>,
    /// The byte that needs an alignment modulo eight: in a table, its first byte after the field
    /// distances.
    origin: usize,
    /// The origin's remainder modulo eight.
    phase: usize,
}

/// The new parts of a file. A part is added after the parts that it leads to.
#[derive(Default)]
pub(super) struct Front {
    parts: Vec<Part>,
}

/// A field of a new table.
pub(super) enum Field {
    Byte(u8),
    Int(i32),
    Leads(Place),
}

impl Front {
    fn push(&mut self, part: Part) -> Place {
        self.parts.push(part);
        Place::New(self.parts.len() - 1)
    }

    /// A string.
    pub(super) fn string(&mut self, text: &str) -> Place {
        let mut bytes = (text.len() as u32).to_le_bytes().to_vec();
        bytes.extend(text.bytes());
        bytes.push(0);
        self.push(Part { bytes, offsets: Vec::new(), origin: 0, phase: 0 })
    }

    /// A vector of bytes.
    pub(super) fn bytes(&mut self, elements: &[u8]) -> Place {
        let mut bytes = (elements.len() as u32).to_le_bytes().to_vec();
        bytes.extend(elements);
        self.push(Part { bytes, offsets: Vec::new(), origin: 0, phase: 0 })
    }

    /// A vector of offsets to other places.
    pub(super) fn vector(&mut self, elements: &[Place]) -> Place {
        let mut bytes = (elements.len() as u32).to_le_bytes().to_vec();
        bytes.resize(4 + 4 * elements.len(), 0);
        let offsets = elements.iter().enumerate();
        let offsets = offsets.map(|(number, place)| (4 + 4 * number, *place)).collect();
        self.push(Part { bytes, offsets, origin: 0, phase: 0 })
    }

    /// A table with these fields, in the order of their numbers.
    pub(super) fn table(&mut self, fields: &[Option<Field>]) -> Place {
        let mut own = vec![0; 4];
        let mut slots = Vec::new();
        let mut offsets = Vec::new();
        for field in fields {
            let Some(field) = field else {
                slots.extend([0, 0]);
                continue;
            };
            slots.extend((own.len() as u16).to_le_bytes());
            match field {
                // Fields of four bytes are aligned to four.
                Field::Byte(byte) => own.extend([*byte, 0, 0, 0]),
                Field::Int(value) => own.extend(value.to_le_bytes()),
                Field::Leads(place) => {
                    offsets.push((own.len(), *place));
                    own.extend([0; 4]);
                }
            }
        }
        self.part(&own, &slots, offsets, 0)
    }

    /// A copy of a table in which some fields lead elsewhere.
    pub(super) fn changed(
        &mut self,
        table: &Table<'_>,
        leading: &[&str],
        changes: &[(&str, Place)],
    ) -> Result<Place> {
        let (own, slots) = table.own_bytes()?;
        let mut offsets = Vec::new();
        for field in leading {
            let Some(distance) = table.distance(field)? else { continue };
            let place = changes.iter().find(|(changed, _)| changed == field);
            let place = match (place, table.target(field)?) {
                (Some((_, place)), _) => *place,
                (None, Some(target)) => Place::Old(target),
                (None, None) => continue,
            };
            if distance + 4 > own.len() {
                return Err(table.damaged("a field within its table"));
            }
            offsets.push((distance, place));
        }
        if changes.iter().any(|(field, _)| !matches!(table.distance(field), Ok(Some(_)))) {
            return Err(table.damaged("a field that Halide writes"));
        }
        Ok(self.part(own, slots, offsets, table.at()))
    }

    /// Sets single bytes of a changed table, given by their fields.
    pub(super) fn set_bytes(
        &mut self,
        place: Place,
        table: &Table<'_>,
        bytes: &[(&str, u8)],
    ) -> Result<()> {
        let Place::New(number) = place else { return Ok(()) };
        let part = &mut self.parts[number];
        for (field, byte) in bytes {
            let distance = table.distance(field)?;
            let at = distance.and_then(|distance| part.bytes.get_mut(part.origin + distance));
            *at.ok_or_else(|| table.damaged("a field that Halide writes"))? = *byte;
        }
        Ok(())
    }

    /// A table, preceded by the distances of its fields.
    fn part(&mut self, own: &[u8], slots: &[u8], offsets: Vec<(usize, Place)>, at: usize) -> Place {
        let mut bytes = ((slots.len() + 4) as u16).to_le_bytes().to_vec();
        bytes.extend((own.len() as u16).to_le_bytes());
        bytes.extend(slots);
        let origin = bytes.len();
        bytes.extend(own);
        bytes[origin..origin + 4].copy_from_slice(&(origin as i32).to_le_bytes());
        let offsets = offsets.into_iter().map(|(at, place)| (origin + at, place)).collect();
        self.push(Part { bytes, offsets, origin, phase: at % 8 })
    }

    /// Writes the file whose root is at a place.
    pub(super) fn finish(&self, root: Place, old: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0; 8];
        let mut begins = vec![0; self.parts.len()];
        // A part stands before the parts that it leads to.
        for (number, part) in self.parts.iter().enumerate().rev() {
            while (bytes.len() + part.origin) % 8 != part.phase {
                bytes.push(0);
            }
            begins[number] = bytes.len();
            bytes.extend(&part.bytes);
        }
        bytes.resize(bytes.len().next_multiple_of(16), 0);
        let base = bytes.len();
        bytes.extend(old);
        let target = |place: Place| match place {
            Place::Old(at) => base + at,
            Place::New(number) => begins[number] + self.parts[number].origin,
        };
        let mut write = |at: usize, place: Place| {
            let offset = (target(place) - at) as u32;
            bytes[at..at + 4].copy_from_slice(&offset.to_le_bytes());
        };
        write(0, root);
        for (number, part) in self.parts.iter().enumerate() {
            for (at, place) in &part.offsets {
                write(begins[number] + at, *place);
            }
        }
        bytes
    }
}
