//! The annotations of a statement: the instance that a store writes, and the element that a load
//! reads.
//!
//! Annotations are calls that accompany values ([`crate::pipeline::annotated`]). They are hints:
//! values are translated as if they were not there.

use halidom_base::FxHashMap;
use halidom_ir::{ExprId, FuncId, StmtId};

use super::algorithm::Source;
use super::lanes::{Lanes, Lowering, ints};
use super::nodes::{Mark, Node, NodeId, Nodes};
use crate::NameId;
use crate::pipeline::{ACCESS, PROPHECY, SECOND};
use crate::tree::Type;

/// The instance of a stage that a store writes: the values of its func's coordinates, as far as
/// these are variables on the left-hand side of the stage, then the values of its reduction
/// variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The func that the annotation names.
    pub func: FuncId,
    /// Its stage.
    pub stage: usize,
    /// The values, with as many lanes as the store.
    pub values: Vec<ExprId>,
}

/// The contents of the annotations.
#[derive(Clone, Debug, Default)]
pub struct Marked {
    /// The instances that stores of the program write.
    pub stores: FxHashMap<StmtId, Instance>,
    /// The annotated coordinates of loads.
    pub loads: FxHashMap<ExprId, Vec<ExprId>>,
}

impl Nodes<'_> {
    /// Tests whether a call returns a value together with an annotation.
    pub(super) fn is_marked(&self, (name, args): (NameId, &[NodeId])) -> bool {
        args.len() == 2 && self.names.text(name) == SECOND && self.is_mark(args[0])
    }

    /// Tests whether a node is an annotation.
    pub(super) fn is_mark(&self, id: NodeId) -> bool {
        self.mark(id).is_some_and(|(name, _)| {
            let name = self.names.text(name);
            name.starts_with(PROPHECY) || name.starts_with(ACCESS)
        })
    }

    /// The annotation of a stage's value within a node, if there is one.
    pub(super) fn prophecy(&mut self, id: NodeId) -> Option<Mark> {
        if let Some(known) = self.marks.get(&id) {
            return known.clone();
        }
        let lanes = self.lanes(id);
        let mark = match self.node(id).clone() {
            Node::Call(name, args) if self.is_marked((name, &args)) => {
                let fits = |arg: &NodeId| [1, lanes].contains(&self.lanes(*arg));
                let mark =
                    self.mark(args[0]).map(|(name, args)| Mark { name, args: args.to_vec() });
                mark.filter(|mark| {
                    self.names.text(mark.name).starts_with(PROPHECY) && mark.args.iter().all(fits)
                })
            }
            Node::Gather(gather, vectors) => {
                let marks = vectors.iter().map(|vector| self.prophecy(*vector));
                let marks = marks.collect::<Option<Vec<Mark>>>();
                marks.and_then(|marks| {
                    let first = marks.first()?.clone();
                    let same = |mark: &Mark| {
                        (mark.name, mark.args.len()) == (first.name, first.args.len())
                    };
                    if !marks.iter().all(same) {
                        return None;
                    }
                    let args = (0..first.args.len()).map(|number| {
                        let parts = marks.iter().zip(vectors.iter());
                        let parts = parts.map(|(mark, vector)| {
                            let lanes = self.lanes(*vector);
                            self.widened(mark.args[number], lanes)
                        });
                        let parts = parts.collect();
                        let scalar = self.ty(first.args[number]).scalar;
                        self.make(Node::Gather(gather.clone(), parts), Type { scalar, lanes })
                    });
                    let args = args.collect();
                    Some(Mark { name: first.name, args })
                })
            }
            Node::Broadcast(inner) if self.lanes(inner) == 1 => self.prophecy(inner),
            Node::Cast(a) | Node::Reinterpret(a) => self.prophecy(a),
            Node::Select(_, a, b) | Node::Binary(_, a, b) => {
                self.prophecy(a).or_else(|| self.prophecy(b))
            }
            Node::Call(_, args) => {
                let args: Vec<NodeId> =
                    args.iter().copied().filter(|arg| self.lanes(*arg) == lanes).collect();
                args.into_iter().find_map(|arg| self.prophecy(arg))
            }
            Node::Value(_)
            | Node::Not(_)
            | Node::Load { .. }
            | Node::Ref { .. }
            | Node::Ramp { .. }
            | Node::Broadcast(_)
            | Node::Reduce(..) => None,
        };
        self.marks.insert(id, mark.clone());
        mark
    }

    /// The annotation that a node consists of, for each of its lanes.
    pub(super) fn mark(&self, id: NodeId) -> Option<(NameId, &[NodeId])> {
        if let Node::Broadcast(inner) = self.node(id) {
            return self.mark(*inner);
        }
        let Node::Call(name, args) = self.node(id) else { return None };
        Some((*name, args))
    }

    fn widened(&mut self, id: NodeId, lanes: u32) -> NodeId {
        let ty = self.ty(id);
        if ty.lanes == lanes {
            return id;
        }
        self.make(Node::Broadcast(id), ty.with_lanes(lanes))
    }
}

/// The instance that an annotation names, for some lanes; `None` if the annotation does not
/// determine it.
pub(super) fn instance(
    lowering: &mut Lowering<'_, '_>,
    mark: &Mark,
    source: &Source,
    lanes: Lanes,
) -> Option<Instance> {
    let names = lowering.nodes.names;
    let (func, stage) = names.text(mark.name).strip_prefix(PROPHECY)?.rsplit_once(".s")?;
    let func = *source.funcs.get(&names.find(func)?)?;
    let stage: usize = stage.parse().ok()?;
    let stage = stage + usize::from(source.filled.contains(&func));
    let stage = stage.checked_sub(usize::from(source.skipped.contains(&func)))?;
    let values = ints(lowering, &mark.args, lanes)?;
    Some(Instance { func, stage, values })
}
