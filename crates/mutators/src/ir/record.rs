//! The record that a path keeps of scopes: the entries that it pushed, popped and read.

use crate::ir::node::NodeId;
use crate::ir::value::{Place, Val};

/// A node that a method of the class mutates while the method runs.
pub(crate) struct Open {
    pub(crate) node: NodeId,
    /// The object's members at that moment.
    pub(crate) members: Vec<(String, Val)>,
}

/// The knowledge of a path about the buffers in a table of those that were not used so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buffers {
    /// The entries that the path added, with the number of nodes that were mutated before.
    pub(crate) added: Vec<(Val, usize)>,
    /// The keys without an entry.
    pub(crate) absent: Vec<Val>,
    /// Names of buffers, with the classes of statements that do not use them.
    pub(crate) unused: Vec<(NodeId, Vec<usize>)>,
    /// The results of `mutate` in which the `Free` of an unused buffer may be gone.
    pub(crate) without_free: Vec<NodeId>,
}

/// An entry that was pushed or popped.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pushed {
    /// The scope.
    pub(crate) scope: String,
    pub(crate) key: Val,
    /// The line.
    pub(crate) line: usize,
    /// True if no method pops from the scope, so that it may be meant to grow.
    pub(crate) may_stay: bool,
    /// The value that the key had when it was popped, if known.
    pub(crate) held: Option<Val>,
}

/// A value that `get` or `ref` returned.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Read {
    pub(crate) scope: String,
    pub(crate) key: Val,
    pub(crate) value: Val,
    /// True if the scope was as it was found.
    pub(crate) is_first: bool,
}

/// A change that is undone where a block ends.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Change {
    /// An entry that was pushed: the scope and the key.
    Pushed(Val, Val),
    /// A variable, with its value before.
    Assigned(Place, Val),
}

/// A change that is undone where a block ends, with that block.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Binding {
    pub(crate) change: Change,
    /// The depth where the block began: function activations, and variables of the running
    /// function.
    pub(crate) depth: (usize, usize),
    pub(crate) line: usize,
}

/// The operations of a path on scopes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    /// The entries that it pushed and did not pop, in order.
    pub(crate) pushed: Vec<Pushed>,
    /// The entries that it popped without having pushed them.
    pub(crate) popped: Vec<Pushed>,
    /// The scope, the line and the reason, if it is not known what the path did to a scope.
    pub(crate) lost: Option<(String, usize, &'static str)>,
    /// The changes that will be undone.
    pub(crate) bindings: Vec<Binding>,
    /// The entries that are known to be on tables: the table and the key.
    pub(crate) known: Vec<(String, Val)>,
    /// The table from which an entry was popped that may not have been there, and the line.
    pub(crate) missing: Option<(String, usize)>,
    /// The values that were read.
    pub(crate) read: Vec<Read>,
}

/// Two records are equal if the paths made the same changes. Reads are ignored.
impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        let Self { pushed, popped, lost, bindings, known, missing, read: _ } = self;
        (pushed, popped, lost) == (&other.pushed, &other.popped, &other.lost)
            && (bindings, known, missing) == (&other.bindings, &other.known, &other.missing)
    }
}

/// The reason why a path is not balanced.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Imbalance {
    /// A description of the imbalance.
    pub(crate) text: String,
    /// The line.
    pub(crate) line: usize,
    /// True if it may be intended.
    pub(crate) may_be_meant: bool,
}

impl Record {
    /// Tests whether a change will be undone where a block ends.
    pub(crate) fn is_bound(&self) -> bool {
        !self.bindings.is_empty()
    }

    /// The reason why the path is not balanced, if it is not.
    pub(crate) fn imbalance(&self) -> Option<Imbalance> {
        // Entries that are certainly a defect come first.
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
    /// The message for an entry that is left.
    pub(crate) fn text(&self) -> String {
        let scope = &self.scope;
        if self.may_stay {
            return format!("nothing is ever popped from {scope}, on which this is pushed");
        }
        format!("what is pushed on {scope} is not popped")
    }
}
