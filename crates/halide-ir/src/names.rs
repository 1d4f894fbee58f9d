//! Names of Halide's funcs, buffers and variables.

use halidom_base::{Interner, define_id};

define_id!(
    /// A name: equal ids are equal texts.
    pub NameId, "n"
);

/// The texts of names. A pipeline and the statements that were made of it share one table.
#[derive(Clone, Debug, Default)]
pub struct Names {
    texts: Interner<NameId, Box<str>>,
}

impl Names {
    /// No name.
    pub fn new() -> Self {
        Self::default()
    }

    /// The id of a text.
    pub fn id(&mut self, text: &str) -> NameId {
        match self.texts.find(text) {
            Some(id) => id,
            None => self.texts.intern(text.into()).0,
        }
    }

    /// The id of a text that some name has already.
    pub fn find(&self, text: &str) -> Option<NameId> {
        self.texts.find(text)
    }

    /// The text of an id.
    pub fn text(&self, id: NameId) -> &str {
        &self.texts[id]
    }
}
