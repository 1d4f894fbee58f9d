//! FlatBuffers: the tables of a file, with access to fields by name.
//!
//! The generated readers of the known libraries do not fit: their compilers refuse or mistreat
//! vectors of unions, and code generated from Halide's schema would be a copy of the schema. This
//! module therefore reads tables as the format lays them out, and checks every offset.
//! [`super::schema`] has the numbers of the fields.

use super::schema;

/// A place in a file that violates the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WireError {
    /// The place, in bytes.
    pub(super) at: usize,
    /// The item that should be there.
    pub(super) expected: &'static str,
}

pub(super) type Result<T> = std::result::Result<T, WireError>;

/// The greatest number of tables that are read. Offsets may lead to one table any number of times,
/// so a small file could unfold to an endless tree.
const TABLES: usize = 4_000_000;
/// The greatest depth of nested tables.
const DEPTH: usize = 500;

/// The bytes of a file, and the number of tables read so far.
pub(super) struct File<'a> {
    bytes: &'a [u8],
    tables: std::cell::Cell<usize>,
}

impl<'a> File<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, tables: std::cell::Cell::new(0) }
    }

    /// The root table of the file.
    pub(super) fn root(&self, name: &'static str) -> Result<Table<'_>> {
        let offset = self.u32(0)?;
        self.table(offset, name, 0)
    }

    fn array<const N: usize>(&self, at: usize) -> Result<[u8; N]> {
        let bytes = at.checked_add(N).and_then(|end| self.bytes.get(at..end));
        let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
        bytes.ok_or(WireError { at, expected: "more bytes" })
    }

    fn u32(&self, at: usize) -> Result<usize> {
        Ok(u32::from_le_bytes(self.array(at)?) as usize)
    }

    /// The place that the offset at `at` leads to.
    fn follow(&self, at: usize) -> Result<usize> {
        let offset = self.u32(at)?;
        at.checked_add(offset).ok_or(WireError { at, expected: "an offset within the file" })
    }

    fn table(&self, at: usize, name: &'static str, depth: usize) -> Result<Table<'_>> {
        let damaged = |expected| WireError { at, expected };
        self.tables.set(self.tables.get() + 1);
        if self.tables.get() > TABLES || depth > DEPTH {
            return Err(damaged("a file of a size that Halide writes"));
        }
        let fields = schema::fields(name).ok_or(damaged("a table of the schema"))?;
        let back = i64::from(i32::from_le_bytes(self.array(at)?));
        let slots = i64::try_from(at).ok().and_then(|at| usize::try_from(at - back).ok());
        let slots = slots.ok_or(damaged("a table"))?;
        let length = usize::from(u16::from_le_bytes(self.array(slots)?));
        let size = usize::from(u16::from_le_bytes(self.array(slots.saturating_add(2))?));
        let slots = slots.checked_add(length).and_then(|end| self.bytes.get(slots..end));
        let slots = slots.and_then(|slots| slots.get(4..)).ok_or(damaged("a table"))?;
        Ok(Table { file: self, at, size, slots, name, fields, depth })
    }

    /// The places of the elements of a vector; each element has `size` bytes.
    fn elements(&self, at: usize, size: usize) -> Result<impl Iterator<Item = usize> + use<>> {
        let count = self.u32(at)?;
        let damaged = WireError { at, expected: "a vector within the file" };
        let end = count.checked_mul(size).and_then(|length| (at + 4).checked_add(length));
        match end {
            Some(end) if end <= self.bytes.len() => {
                Ok((0..count).map(move |position| at + 4 + position * size))
            }
            Some(_) | None => Err(damaged),
        }
    }

    fn string(&self, at: usize) -> Result<&str> {
        let length = self.u32(at)?;
        let bytes = (at + 4).checked_add(length).and_then(|end| self.bytes.get(at + 4..end));
        let text = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok());
        text.ok_or(WireError { at, expected: "a string" })
    }
}

/// A table with fields by name. An absent field has the schema's default.
#[derive(Clone, Copy)]
pub(super) struct Table<'f> {
    file: &'f File<'f>,
    at: usize,
    /// The size of the table itself in bytes, without the data that its fields lead to.
    size: usize,
    /// Two bytes for each field: its distance from the table, or 0 if it is absent.
    slots: &'f [u8],
    /// The name in the schema.
    pub(super) name: &'static str,
    fields: &'static [&'static str],
    depth: usize,
}

impl<'f> Table<'f> {
    /// The error for a table that is not as expected.
    pub(super) fn damaged(&self, expected: &'static str) -> WireError {
        WireError { at: self.at, expected }
    }

    /// The place of a field, if it is present.
    fn place(&self, field: &str) -> Result<Option<usize>> {
        let number = self.fields.iter().position(|known| *known == field);
        let number = number.ok_or_else(|| self.damaged("a field of the schema"))?;
        let Some(distance) = self.slots.get(2 * number..2 * number + 2) else { return Ok(None) };
        let distance = usize::from(distance[0]) | usize::from(distance[1]) << 8;
        Ok((distance != 0).then_some(self.at + distance))
    }

    /// The table's place in the file.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The distance of a field from the beginning of the table, if it is present.
    pub(super) fn distance(&self, field: &str) -> Result<Option<usize>> {
        Ok(self.place(field)?.map(|at| at - self.at))
    }

    /// The place that a field leads to, if it is present.
    pub(super) fn target(&self, field: &str) -> Result<Option<usize>> {
        self.place(field)?.map(|at| self.file.follow(at)).transpose()
    }

    /// The places of the elements of a vector of tables or strings.
    pub(super) fn targets(&self, field: &str) -> Result<Vec<usize>> {
        let places = self.vector(field, 4)?;
        places.into_iter().map(|at| self.file.follow(at)).collect()
    }

    /// The bytes of the table itself, and the distances of its fields, two bytes each.
    pub(super) fn own_bytes(&self) -> Result<(&'f [u8], &'f [u8])> {
        let end = self.at.checked_add(self.size);
        let own = end.and_then(|end| self.file.bytes.get(self.at..end));
        Ok((own.ok_or_else(|| self.damaged("a table within the file"))?, self.slots))
    }

    pub(super) fn fields(&self) -> &'static [&'static str] {
        self.fields
    }

    fn scalar<const N: usize>(&self, field: &str) -> Result<Option<[u8; N]>> {
        self.place(field)?.map(|at| self.file.array(at)).transpose()
    }

    pub(super) fn u8(&self, field: &str) -> Result<u8> {
        Ok(self.scalar::<1>(field)?.map_or(0, |[byte]| byte))
    }

    pub(super) fn bool(&self, field: &str) -> Result<bool> {
        Ok(self.u8(field)? != 0)
    }

    pub(super) fn i32(&self, field: &str) -> Result<i32> {
        Ok(self.scalar(field)?.map_or(0, i32::from_le_bytes))
    }

    pub(super) fn i64(&self, field: &str) -> Result<i64> {
        Ok(self.scalar(field)?.map_or(0, i64::from_le_bytes))
    }

    pub(super) fn u64(&self, field: &str) -> Result<Option<u64>> {
        Ok(self.scalar(field)?.map(u64::from_le_bytes))
    }

    pub(super) fn f64(&self, field: &str) -> Result<f64> {
        Ok(self.scalar(field)?.map_or(0.0, f64::from_le_bytes))
    }

    pub(super) fn string(&self, field: &str) -> Result<&'f str> {
        match self.place(field)? {
            Some(at) => self.file.string(self.file.follow(at)?),
            None => Ok(""),
        }
    }

    pub(super) fn table(&self, field: &str, name: &'static str) -> Result<Option<Table<'f>>> {
        let Some(at) = self.place(field)? else { return Ok(None) };
        Ok(Some(self.file.table(self.file.follow(at)?, name, self.depth + 1)?))
    }

    /// A table that Halide always writes.
    pub(super) fn required(&self, field: &str, name: &'static str) -> Result<Table<'f>> {
        self.table(field, name)?.ok_or_else(|| self.damaged("a field that Halide writes"))
    }

    /// A table of one of several kinds. A byte in the field before gives the kind.
    pub(super) fn union(
        &self,
        (kind, field): (&str, &str),
        members: &'static [&'static str],
    ) -> Result<Option<Table<'f>>> {
        let kind = usize::from(self.u8(kind)?);
        let Some(kind) = kind.checked_sub(1) else { return Ok(None) };
        let name = *members.get(kind).ok_or_else(|| self.damaged("a kind of the schema"))?;
        Ok(Some(self.required(field, name)?))
    }

    fn vector(&self, field: &str, size: usize) -> Result<Vec<usize>> {
        match self.place(field)? {
            Some(at) => Ok(self.file.elements(self.file.follow(at)?, size)?.collect()),
            None => Ok(Vec::new()),
        }
    }

    pub(super) fn tables(&self, field: &str, name: &'static str) -> Result<Vec<Table<'f>>> {
        let places = self.vector(field, 4)?;
        let read = |at| self.file.table(self.file.follow(at)?, name, self.depth + 1);
        places.into_iter().map(read).collect()
    }

    pub(super) fn strings(&self, field: &str) -> Result<Vec<&'f str>> {
        let places = self.vector(field, 4)?;
        places.into_iter().map(|at| self.file.string(self.file.follow(at)?)).collect()
    }

    pub(super) fn i32s(&self, field: &str) -> Result<Vec<i32>> {
        let places = self.vector(field, 4)?;
        places.into_iter().map(|at| Ok(i32::from_le_bytes(self.file.array(at)?))).collect()
    }

    pub(super) fn u8s(&self, field: &str) -> Result<Vec<u8>> {
        let places = self.vector(field, 1)?;
        places.into_iter().map(|at| Ok(self.file.array::<1>(at)?[0])).collect()
    }

    /// A vector of tables of several kinds.
    pub(super) fn unions(
        &self,
        (kinds, field): (&str, &str),
        members: &'static [&'static str],
    ) -> Result<Vec<Table<'f>>> {
        let kinds = self.u8s(kinds)?;
        let places = self.vector(field, 4)?;
        if kinds.len() != places.len() {
            return Err(self.damaged("as many kinds as tables"));
        }
        let read = |(kind, at): (u8, usize)| {
            let name = usize::from(kind).checked_sub(1).and_then(|kind| members.get(kind));
            let name = *name.ok_or_else(|| self.damaged("a kind of the schema"))?;
            self.file.table(self.file.follow(at)?, name, self.depth + 1)
        };
        kinds.into_iter().zip(places).map(read).collect()
    }
}
