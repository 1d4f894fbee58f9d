//! Names for variables in printed text. They are unique in their scope and close to the names in
//! the program.

use crate::term::Var;

/// The variables in scope and their names, innermost last.
#[derive(Clone, Debug)]
pub struct Names {
    entries: Vec<(u32, String)>,
    reserved: fn(&str) -> bool,
}

impl Names {
    /// Returns a scope without variables. Names that are `reserved` are not used.
    pub fn new(reserved: fn(&str) -> bool) -> Self {
        Self { entries: Vec::new(), reserved }
    }

    /// Brings a variable into scope and returns its name.
    pub fn bind(&mut self, var: &Var) -> String {
        let name = self.unused(&var.name);
        self.entries.push((var.id, name.clone()));
        name
    }

    /// Returns a name that nothing in scope has. A reserved name gets a prefix, because the
    /// reserved names may be all names with some beginning.
    pub fn unused(&self, wish: &str) -> String {
        let wish = if (self.reserved)(wish) { format!("x_{wish}") } else { wish.to_owned() };
        let taken = |name: &str| {
            (self.reserved)(name) || self.entries.iter().any(|(_, other)| other == name)
        };
        let mut name = wish.clone();
        let mut number = 1;
        while taken(&name) {
            number += 1;
            name = format!("{wish}_{number}");
        }
        name
    }

    /// Takes a name that belongs to no variable.
    pub fn take(&mut self, wish: &str) -> String {
        let name = self.unused(wish);
        self.entries.push((u32::MAX, name.clone()));
        name
    }

    /// The name of a variable in scope. For other variables, their own name.
    pub fn get(&self, var: &Var) -> String {
        let found = self.entries.iter().rev().find(|(id, _)| *id == var.id);
        found.map_or_else(|| var.name.to_string(), |(_, name)| name.clone())
    }

    /// The number of names in scope, for [`Names::leave`].
    pub fn depth(&self) -> usize {
        self.entries.len()
    }

    /// Removes the names that were added after this depth.
    pub fn leave(&mut self, depth: usize) {
        self.entries.truncate(depth);
    }
}
