//! Computes a part of an intermediate result where it is read: in a buffer over the region that a
//! place needs.

use std::rc::Rc;

use super::{Given, Path, Refusal, State, tidy};
use crate::codes;
use crate::context::Fact;
use crate::rules::Value;
use crate::subst::Abstraction;
use crate::term::{Arith, Index, Loop, Node, Sort, Term, Var};

/// The region of a dimension: its first index and its size.
pub(super) type Region = (Index, Index);

/// A read: its place, and its indices from the outermost dimension on.
struct Read {
    path: Path,
    indices: Vec<Index>,
}

impl State<'_> {
    /// Makes the reads of `source` in a part go through a new buffer. There is one region for each
    /// dimension. If `regions` is empty, the reads determine them.
    pub(super) fn stage(
        &mut self,
        focus: &[usize],
        source: &Var,
        name: &str,
        regions: Vec<Region>,
    ) -> Result<(), Refusal> {
        let rank = source.rank();
        let reads = self.reads(focus, source, rank.plus as usize);
        if reads.is_empty() {
            return Err(Refusal::new(codes::NO_SITE, format!("`{source}` is not read here")));
        }
        let regions = if regions.is_empty() { self.regions(focus, &reads)? } else { regions };
        if regions.len() != reads[0].indices.len() {
            let message = format!(
                "`{source}` has {} dimensions, not {}",
                reads[0].indices.len(),
                regions.len()
            );
            return Err(Refusal::new(codes::WRONG_RANK, message));
        }
        let supply = &self.engine.supply;
        let places: Vec<Var> = regions
            .iter()
            .enumerate()
            .map(|(number, _)| supply.fresh(&format!("{name}{number}"), Sort::Index))
            .collect();
        for read in &reads {
            self.stage_read(read, source, &regions, &places)?;
        }
        // All reads now read from one and the same term, which gets its name here.
        let mut buffer: Term = Rc::new(Node::Var(source.clone()));
        for ((base, _), place) in regions.iter().zip(&places) {
            buffer = Rc::new(Node::Get(buffer, base.clone().plus(Index::Var(place.clone()))));
        }
        for ((_, size), place) in regions.iter().zip(&places).rev() {
            buffer =
                Rc::new(Node::Loop(Loop::Gen, place.clone(), Index::Num(0), size.clone(), buffer));
        }
        let wanted = buffer;
        let target = self.places(focus, &|term, _| crate::term::equal(term, &wanted));
        match target.first() {
            Some(target) => self.bind(focus, &target.clone(), name),
            None => Err(Refusal::new(codes::NO_MATCH, "the reads differ")),
        }
    }

    /// Every read of a variable with all its indices.
    fn reads(&self, focus: &[usize], source: &Var, dims: usize) -> Vec<Read> {
        let read_of = |term: &Term| -> Option<Vec<Index>> {
            let mut indices = Vec::new();
            let mut here = Rc::clone(term);
            while let Node::Get(tensor, index) = &*here {
                indices.push(index.clone());
                let tensor = Rc::clone(tensor);
                here = tensor;
            }
            indices.reverse();
            matches!(&*here, Node::Var(var) if var == source).then_some(indices)
        };
        let places = self
            .places(focus, &|term, _| read_of(term).is_some_and(|indices| indices.len() == dims));
        places
            .into_iter()
            .filter_map(|path| {
                let indices = read_of(&self.part(&path))?;
                Some(Read { path, indices })
            })
            .collect()
    }

    /// Makes one read go through the buffer: `s[b + i]` becomes `(gen x < n: s[b + x])[i]`, the
    /// innermost dimension first.
    fn stage_read(
        &mut self,
        read: &Read,
        source: &Var,
        regions: &[Region],
        places: &[Var],
    ) -> Result<(), Refusal> {
        let dims = read.indices.len();
        let offsets: Vec<Index> = read
            .indices
            .iter()
            .zip(regions)
            .map(|(index, (base, _))| super::simplest::simplest(&index.clone().minus(base.clone())))
            .collect();
        // The read of dimension `d` is nested `dims - 1 - d` reads deep.
        for (dim, offset) in offsets.iter().enumerate() {
            let mut path = read.path.clone();
            path.extend(std::iter::repeat_n(0, dims - 1 - dim));
            let moved = regions[dim].0.clone().plus(offset.clone());
            if moved != read.indices[dim] {
                self.apply(&path, "get_change", false, &Given::default().index("b", moved))?;
            }
        }
        for dim in (0..dims).rev() {
            let mut path = read.path.clone();
            path.extend(std::iter::repeat_n(0, dims - 1 - dim));
            // The part as a function of this dimension's offset. The dimensions outside of it are
            // fixed, the dimensions inside are in the buffer already.
            let mut body: Term = Rc::new(Node::Var(source.clone()));
            for (inner, (base, _)) in regions.iter().enumerate() {
                let offset = if inner < dim {
                    offsets[inner].clone()
                } else {
                    Index::Var(places[inner].clone())
                };
                body = Rc::new(Node::Get(body, base.clone().plus(offset)));
            }
            for inner in (dim + 1..dims).rev() {
                let size = regions[inner].1.clone();
                body = Rc::new(Node::Loop(
                    Loop::Gen,
                    places[inner].clone(),
                    Index::Num(0),
                    size,
                    body,
                ));
            }
            let function = Abstraction { params: vec![places[dim].clone()], body };
            let mut given = Given::default()
                .index("n", regions[dim].1.clone())
                .index("a", offsets[dim].clone());
            given.values.push(("f".to_owned(), Value::Function(function)));
            given.names.push(places[dim].name.to_string());
            self.apply(&path, "get_gen0", true, &given)?;
        }
        Ok(())
    }

    /// The regions that reads need at a place, from the ranges of the loops between the place and
    /// the reads.
    fn regions(&self, focus: &[usize], reads: &[Read]) -> Result<Vec<Region>, Refusal> {
        let mut regions = Vec::new();
        for dim in 0..reads[0].indices.len() {
            let mut bounds: Option<(Index, Index, Index)> = None;
            for read in reads {
                let (outer, low, high) = self.extent(focus, read, &read.indices[dim])?;
                bounds = Some(match bounds {
                    None => (outer, low, high),
                    Some((before, least, most)) if before == outer => {
                        (before, lesser(&least, &low, true)?, lesser(&most, &high, false)?)
                    }
                    Some((before, ..)) => {
                        let message = format!(
                            "the reads begin at `{}` and at `{}`",
                            crate::print::index(&before),
                            crate::print::index(&outer)
                        );
                        return Err(Refusal::new(codes::NO_MATCH, message)
                            .with_hint("give the region: `stage source, first, size, … as name`"));
                    }
                });
            }
            if let Some((outer, low, high)) = bounds {
                let size = high.minus(low.clone()).plus(Index::Num(1));
                regions.push((
                    super::simplest::simplest(&tidy(&outer.plus(low))),
                    super::simplest::simplest(&tidy(&size)),
                ));
            }
        }
        Ok(regions)
    }

    /// Splits an index into a part that is fixed at the place, and the least and the greatest value
    /// of the rest.
    fn extent(
        &self,
        focus: &[usize],
        read: &Read,
        index: &Index,
    ) -> Result<(Index, Index, Index), Refusal> {
        let outside = self.context(focus).facts.len();
        let context = self.context(&read.path);
        let inner: Vec<(&Var, &Index, &Index)> = context.facts[outside..]
            .iter()
            .filter_map(|fact| match fact {
                Fact::Range(var, lo, hi) => Some((var, lo, hi)),
                Fact::Holds(_) | Fact::Is(..) | Fact::Any(_) => None,
            })
            .collect();
        let mut outer = Index::Num(0);
        let (mut low, mut high) = (Index::Num(0), Index::Num(0));
        let add = |sum: &Index, part: Index, negative: bool| {
            if negative { sum.clone().minus(part) } else { sum.clone().plus(part) }
        };
        for (part, negative) in summands(index) {
            let mentioned: Vec<_> = inner.iter().filter(|(var, ..)| part.mentions(var)).collect();
            match (mentioned.as_slice(), &part) {
                ([], Index::Num(_)) => {
                    low = add(&low, part.clone(), negative);
                    high = add(&high, part, negative);
                }
                ([], _) => outer = add(&outer, part, negative),
                ([(_, lo, hi)], Index::Var(_)) => {
                    let last = (*hi).clone().minus(Index::Num(1));
                    let (least, most) =
                        if negative { (last, (*lo).clone()) } else { ((*lo).clone(), last) };
                    low = add(&low, least, negative);
                    high = add(&high, most, negative);
                }
                _ => {
                    let message =
                        format!("the region of `{}` is not known", crate::print::index(index));
                    return Err(Refusal::new(codes::NO_MATCH, message)
                        .with_hint("give the region: `stage source, first, size, … as name`"));
                }
            }
        }
        let simplest = super::simplest::simplest;
        Ok((simplest(&tidy(&outer)), simplest(&tidy(&low)), simplest(&tidy(&high))))
    }
}

/// The parts of a sum, each with true if it is subtracted.
fn summands(index: &Index) -> Vec<(Index, bool)> {
    match index {
        Index::Op(Arith::Add, operands) => {
            let mut all = summands(&operands.0);
            all.extend(summands(&operands.1));
            all
        }
        Index::Op(Arith::Sub, operands) => {
            let mut all = summands(&operands.0);
            all.extend(summands(&operands.1).into_iter().map(|(part, negative)| (part, !negative)));
            all
        }
        Index::Num(_) | Index::Var(_) | Index::Op(..) => vec![(index.clone(), false)],
    }
}

/// The lesser (or the greater) of two integers that differ by a number.
fn lesser(a: &Index, b: &Index, least: bool) -> Result<Index, Refusal> {
    match super::simplest::simplest(&a.clone().minus(b.clone())) {
        Index::Num(difference) => Ok(if (difference < 0) == least { a.clone() } else { b.clone() }),
        Index::Var(_) | Index::Op(..) => {
            let message = format!(
                "`{}` and `{}` cannot be compared",
                crate::print::index(a),
                crate::print::index(b)
            );
            Err(Refusal::new(codes::NO_MATCH, message))
        }
    }
}
