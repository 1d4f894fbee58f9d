//! The record that a path keeps of scopes: what it pushed on them, popped and read.

use crate::ir::value::Val;

/// Something that was pushed, or popped.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pushed {
    /// The scope.
    pub(crate) scope: String,
    pub(crate) key: Val,
    /// Where.
    pub(crate) line: usize,
    /// Whether no method pops from the scope, so that it may be meant to grow.
    pub(crate) may_stay: bool,
    /// What the key had when it was popped, if that is known.
    pub(crate) held: Option<Val>,
}

/// What `get` or `ref` gave.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Read {
    pub(crate) scope: String,
    pub(crate) key: Val,
    pub(crate) value: Val,
    /// Whether the scope was as it was found.
    pub(crate) is_first: bool,
}

/// What is popped where a block ends.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Binding {
    /// The scope.
    pub(crate) scope: Val,
    pub(crate) key: Val,
    /// Activations of functions, and variables of the running one, where the block began.
    pub(crate) depth: (usize, usize),
    pub(crate) line: usize,
}

/// What a path did to scopes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    /// What it pushed and did not pop, in order.
    pub(crate) pushed: Vec<Pushed>,
    /// What it popped and had not pushed.
    pub(crate) popped: Vec<Pushed>,
    /// Where it is not known what it did to which scope, and why.
    pub(crate) lost: Option<(String, usize, &'static str)>,
    /// What will be popped.
    pub(crate) bindings: Vec<Binding>,
    /// What is known to be on tables: the table and the key.
    pub(crate) known: Vec<(String, Val)>,
    /// The table from which something was popped that may not have been there, and where.
    pub(crate) missing: Option<(String, usize)>,
    /// What was read.
    pub(crate) read: Vec<Read>,
}

/// Two are one if they did the same: what was read does not matter.
impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        let Self { pushed, popped, lost, bindings, known, missing, read: _ } = self;
        (pushed, popped, lost) == (&other.pushed, &other.popped, &other.lost)
            && (bindings, known, missing) == (&other.bindings, &other.known, &other.missing)
    }
}

/// Why a path is not balanced.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Imbalance {
    /// What it did.
    pub(crate) text: String,
    /// Where.
    pub(crate) line: usize,
    /// Whether it may be meant.
    pub(crate) may_be_meant: bool,
}

impl Record {
    /// Whether something will be popped where a block ends.
    pub(crate) fn is_bound(&self) -> bool {
        !self.bindings.is_empty()
    }

    /// Why the path is not balanced, if it is not.
    pub(crate) fn imbalance(&self) -> Option<Imbalance> {
        // What is a defect comes first.
        let stays = self.pushed.iter().find(|pushed| !pushed.may_stay).or(self.pushed.first());
        if let Some(pushed) = stays {
            let (line, may_be_meant) = (pushed.line, pushed.may_stay);
            return Some(Imbalance { text: pushed.text(), line, may_be_meant });
        }
        if let Some((scope, line)) = &self.missing {
            let text = format!("what is popped from {scope} may not be there");
            return Some(Imbalance { text, line: *line, may_be_meant: false });
        }
        let (text, line) = match (self.popped.first(), &self.lost) {
            (Some(Pushed { scope, line, .. }), _) => {
                (format!("{scope} loses what was not pushed here"), *line)
            }
            (None, Some((scope, line, why))) => (format!("what is left on {scope}: {why}"), *line),
            (None, None) => return None,
        };
        Some(Imbalance { text, line, may_be_meant: false })
    }
}

impl Pushed {
    /// What is said where it is left.
    pub(crate) fn text(&self) -> String {
        let scope = &self.scope;
        if self.may_stay {
            return format!("nothing is ever popped from {scope}, on which this is pushed");
        }
        format!("what is pushed on {scope} is not popped")
    }
}
