//! Names for variables where text is written: unique in their scope, near to what the program calls them.

use crate::term::Var;

/// The variables in scope and their names, innermost last.
#[derive(Clone, Debug)]
pub struct Names {
    entries: Vec<(u32, String)>,
    reserved: fn(&str) -> bool,
}

impl Names {
    /// No variable; which names must not be used.
    pub fn new(reserved: fn(&str) -> bool) -> Self {
        Self { entries: Vec::new(), reserved }
    }

    /// Brings a variable into scope and gives its name.
    pub fn bind(&mut self, var: &Var) -> String {
        let name = self.unused(&var.name);
        self.entries.push((var.id, name.clone()));
        name
    }

    /// A name that nothing in scope has. One that is reserved gets something in front: what is reserved may be all names that begin alike.
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

    /// Takes a name without a variable.
    pub fn take(&mut self, wish: &str) -> String {
        let name = self.unused(wish);
        self.entries.push((u32::MAX, name.clone()));
        name
    }

    /// The name of a variable in scope; its own name where it is not.
    pub fn get(&self, var: &Var) -> String {
        let found = self.entries.iter().rev().find(|(id, _)| *id == var.id);
        found.map_or_else(|| var.name.to_string(), |(_, name)| name.clone())
    }

    /// How many names there are, to come back to with [`Names::leave`].
    pub fn depth(&self) -> usize {
        self.entries.len()
    }

    /// Forgets what came after.
    pub fn leave(&mut self, depth: usize) {
        self.entries.truncate(depth);
    }
}
