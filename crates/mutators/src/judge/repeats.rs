//! Random statements that compute a value twice, where a store in between may change it.
//!
//! The value may have a binding of its own, which has the same name in both places: neither
//! encloses the other. It may also have a part that is bound to a variable outside, and is written
//! out in one place and as the variable in the other.
//!
//! A mark may tell which buffer a part of the statement makes: each store is to the buffer of the
//! innermost mark around it. Names are texts, because a class may compare them with those of marks.

use halidom_rewrites::rules::{Number, Random, Values};

use crate::ir::kinds::{I32, Kind, Type};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::State;
use crate::judge::replay::Concrete;
use crate::machine::run::Machine;

/// The buffer that the value reads, and the one that shows it.
const BUFFERS: [u32; 2] = [0, 1];

/// The variables that are free.
const FREE: [u32; 2] = [2, 3];

/// The names that are bound: to the part, to the value, to the value once more, and within it.
const BOUND: [u32; 4] = [6, 7, 8, 9];

/// A number that no memory holds at the beginning.
const STORED: i128 = 5;

/// The maximum number of terms of a value.
const TERMS: u64 = 3;

struct Maker {
    random: Random,
    state: State,
    values: Values,
}

/// Makes the next statement.
pub(crate) fn repeated(random: &mut Random) -> Concrete {
    let mut maker =
        Maker { random: Random(random.draw()), state: State::default(), values: Values::default() };
    let input = maker.stmt();
    let mut made = Concrete::new(maker.state, maker.values, input, Vec::new(), Number::whole(0));
    made.is_spelled = true;
    made
}

impl Maker {
    fn stmt(&mut self) -> NodeId {
        let [part, first, second, _] = BOUND;
        let written = self.written();
        let seed = self.random.draw();
        let has_part = self.random.below(2) == 0;
        let has_marks = self.random.below(4) == 0;
        let [one, other] = [0, 1].map(|_| has_part && self.random.below(2) == 0);
        let value = self.value(seed, written, one.then_some(part));
        let again = self.value(seed, written, other.then_some(part));
        let variable = self.variable(second);
        let mut stmt = match self.random.below(4) {
            0 => self.kept(again),
            1 => {
                let bound = self.bound(Kind::Let, second, again, variable);
                self.kept(bound)
            }
            _ => {
                let kept = self.kept(variable);
                self.bound(Kind::LetStmt, second, again, kept)
            }
        };
        if self.random.below(4) > 0 {
            let mut store = self.store();
            if has_marks {
                store = self.marked(BUFFERS[0], store);
            }
            stmt = self.add(Type::STMT, Kind::Block, &[store, stmt]);
        }
        stmt = self.bound(Kind::LetStmt, first, value, stmt);
        if has_part {
            let written = self.copy(written);
            stmt = self.bound(Kind::LetStmt, part, written, stmt);
        }
        if has_marks { self.marked(BUFFERS[1], stmt) } else { stmt }
    }

    /// A statement that is marked as making a buffer.
    fn marked(&mut self, buffer: u32, body: NodeId) -> NodeId {
        let fields = vec![
            Field::Expr(self.state.name(buffer)),
            // True.
            Field::Opaque(1),
            Field::Expr(body),
        ];
        self.state.add(Type::STMT, None, Some(Shape { kind: Kind::ProducerConsumer, fields }))
    }

    /// An expression that does not read memory.
    fn written(&mut self) -> NodeId {
        let which = self.random.below(FREE.len() as u64) as usize;
        let variable = self.variable(FREE[which]);
        let number = 1 + i128::from(self.random.below(3));
        let number = self.number(number);
        self.add(I32, Kind::Mul, &[variable, number])
    }

    /// A value, which is the same for each seed. Its part is written out or a variable.
    fn value(&mut self, seed: u64, written: NodeId, part: Option<u32>) -> NodeId {
        let mut random = Random(seed);
        let mut value = None;
        for _ in 0..=random.below(TERMS) {
            let term = match random.below(3) {
                0 => self.load(),
                1 => match part {
                    Some(name) => self.variable(name),
                    None => self.copy(written),
                },
                _ => {
                    let [.., within] = BOUND;
                    let number = self.number(1 + i128::from(random.below(3)));
                    let variable = self.variable(within);
                    let body = self.add(I32, Kind::Add, &[variable, number]);
                    let number = self.number(i128::from(random.below(3)));
                    self.bound(Kind::Let, within, number, body)
                }
            };
            let kind = if random.below(2) == 0 { Kind::Add } else { Kind::Sub };
            value = Some(match value {
                Some(value) => self.add(I32, kind, &[value, term]),
                None => term,
            });
        }
        value.unwrap_or(written)
    }

    fn add(&mut self, ty: Type, kind: Kind, operands: &[NodeId]) -> NodeId {
        let fields = operands.iter().map(|operand| Field::Expr(*operand)).collect();
        self.state.add(ty, None, Some(Shape { kind, fields }))
    }

    fn variable(&mut self, name: u32) -> NodeId {
        let name = self.state.name(name);
        Machine::variable(I32, name, &mut self.state)
    }

    fn bound(&mut self, kind: Kind, name: u32, value: NodeId, body: NodeId) -> NodeId {
        let name = self.state.name(name);
        self.add(self.state.node(body).ty, kind, &[name, value, body])
    }

    /// A store of a value to the other buffer.
    fn kept(&mut self, value: NodeId) -> NodeId {
        self.access(Type::STMT, Kind::Store, (BUFFERS[1], value))
    }

    fn number(&mut self, number: i128) -> NodeId {
        self.literal(I32, Kind::IntImm, number)
    }

    fn literal(&mut self, ty: Type, kind: Kind, number: i128) -> NodeId {
        let term = self.values.number(number, ty.domain());
        self.state.add(ty, None, Some(Shape { kind, fields: vec![Field::Number(term)] }))
    }

    fn load(&mut self) -> NodeId {
        let unused = self.number(0);
        self.access(I32, Kind::Load, (BUFFERS[0], unused))
    }

    fn store(&mut self) -> NodeId {
        let number = self.number(STORED);
        self.access(Type::STMT, Kind::Store, (BUFFERS[0], number))
    }

    /// A load or store of the one element of a buffer.
    fn access(&mut self, ty: Type, kind: Kind, (buffer, value): (u32, NodeId)) -> NodeId {
        let buffer = self.state.name(buffer);
        let index = self.number(0);
        let predicate = self.literal(Type::BOOL, Kind::UIntImm, 1);
        let field = |(name, _): &(&str, _)| match *name {
            "name" => Field::Expr(buffer),
            "value" => Field::Expr(value),
            "index" => Field::Expr(index),
            "predicate" => Field::Expr(predicate),
            _ => Field::Opaque(0),
        };
        let fields = kind.fields().iter().map(field).collect();
        self.state.add(ty, None, Some(Shape { kind, fields }))
    }

    /// Another node of the same structure.
    fn copy(&mut self, node: NodeId) -> NodeId {
        let ty = self.state.node(node).ty;
        let Some(Shape { kind, fields }) = self.state.shape(node).cloned() else { return node };
        if ty == Type::NAME {
            return node;
        }
        let fields = fields.into_iter().map(|field| match field {
            Field::Expr(inner) => Field::Expr(self.copy(inner)),
            field @ (Field::Number(_) | Field::Lanes | Field::Opaque(_)) => field,
        });
        let fields = fields.collect();
        self.state.add(ty, None, Some(Shape { kind, fields }))
    }
}
