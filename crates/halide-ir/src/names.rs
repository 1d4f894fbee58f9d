//! Names of Halide's funcs, buffers and variables.

use halidom_base::{Interner, define_id};

define_id!(
    /// A name: equal ids are equal texts.
    pub NameId, "n"
);

/// The texts of names. A pipeline and its statements share one table.
#[derive(Clone, Debug, Default)]
pub struct Names {
    texts: Interner<NameId, Box<str>>,
}

impl Names {
    /// Returns a table without names.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the id of a text, which is added if it is new.
    pub fn id(&mut self, text: &str) -> NameId {
        match self.texts.find(text) {
            Some(id) => id,
            None => self.texts.intern(text.into()).0,
        }
    }

    /// Returns the id of a text that is already in the table.
    pub fn find(&self, text: &str) -> Option<NameId> {
        self.texts.find(text)
    }

    /// Returns the text of an id.
    pub fn text(&self, id: NameId) -> &str {
        &self.texts[id]
    }
}
