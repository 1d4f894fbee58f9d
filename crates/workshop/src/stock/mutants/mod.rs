//! Mutants of stock Halide's statements, each with one structural defect that a faulty compiler
//! might have produced.
//!
//! A [`Kind`] is a line of [`KINDS`]: its name, its description, and the function that lists its
//! [`Site`]s in a statement. Sites are listed in the statement's order, so a kind and a number
//! identify a mutant. Start with [`Statement::of`].

mod build;
mod exprs;
mod kind;
mod memory;
mod observe;
mod operators;
mod order;
mod stores;
mod tasks;
mod walk;

use halidom_halide::tree::{Block, Expr, Stmt};
use halidom_halide::{Names, pipeline, text};

use build::ERROR;
use halidom_driver::stock::Stock;
pub use kind::Kind;
use kind::{BlockEdit, Edits, Find, Point};
pub use observe::{Observed, Observer};
use walk::{Known, Role, Scope, Visit};

/// A change of a statement.
enum Change {
    /// An edit of the block with this number.
    Block(usize, BlockEdit),
    /// A replacement for the expression with this number.
    Expr(usize, Expr),
}

/// A place at which a statement can be changed, together with the change.
pub struct Site {
    /// The kind of the defect.
    pub kind: &'static Kind,
    /// Its number among the sites of its kind.
    pub number: usize,
    change: Change,
}

/// A statement that can be changed.
pub struct Statement<'a> {
    stock: &'a Stock,
    names: Names,
    known: Known,
}

/// All kinds of defects.
pub const KINDS: &[&[Kind]] =
    &[memory::KINDS, order::KINDS, stores::KINDS, tasks::KINDS, exprs::KINDS, operators::KINDS];

/// Names that mutants add to a statement.
const NAMES: [&str; 14] = [
    ERROR,
    "Heap",
    "Stack",
    "Register",
    "GPUShared",
    "LockedCache",
    "VTCM",
    "mutant.repetition",
    "unsafe_promise_clamped",
    "likely",
    "pow_f32",
    "atan2_f32",
    "sinh_f32",
    "mutant_function",
];

impl<'a> Statement<'a> {
    /// The statement of a stock Halide compilation.
    pub fn of(stock: &'a Stock) -> Self {
        let mut names = stock.names().clone();
        for name in NAMES {
            names.id(name);
        }
        let mut known = Known::default();
        let pipeline = stock.pipeline();
        for func in &pipeline.funcs {
            for (component, ty) in func.types.iter().enumerate() {
                known.buffers.entry(func.name).or_insert(ty.scalar);
                let name = names.id(&format!("{}.{component}", names.text(func.name)));
                known.buffers.insert(name, ty.scalar);
            }
        }
        let own = pipeline.parameters.iter().map(|parameter| &parameter.input);
        for pipeline::Input { name, ty, is_buffer, dimensions: _ } in
            pipeline.inputs.iter().chain(own)
        {
            if *is_buffer {
                known.buffers.insert(*name, ty.scalar);
            } else {
                known.params.push((*name, ty.scalar));
            }
        }
        Self { stock, names, known }
    }

    /// The statement as Halide compiled it.
    pub fn block(&self) -> &Block {
        self.stock.block()
    }

    /// Every place at which the statement can be changed, kind by kind. Several sites may give the
    /// same statement; [`Self::chosen`] takes only one of these.
    pub fn sites(&self) -> Vec<Site> {
        let mut found = Vec::new();
        for kind in KINDS.iter().copied().flatten() {
            let mut finder = Finder { kind, found: Vec::new() };
            walk::walk(self.stock.block(), &self.names, &self.known, &mut finder);
            found.extend(finder.found);
        }
        found
    }

    /// At most `each` sites of each kind, in the order of [`Self::sites`]. The seed spreads them
    /// over the statement. All the resulting statements differ.
    pub fn chosen(&self, each: usize, seed: u64) -> Vec<Site> {
        let mut found = Vec::new();
        let mut seen: Vec<Block> = vec![self.stock.block().clone()];
        let mut all = self.sites();
        for kind in KINDS.iter().copied().flatten() {
            let rest = all.iter().position(|site| !std::ptr::eq(site.kind, kind));
            let rest = all.split_off(rest.unwrap_or(all.len()));
            let own = std::mem::replace(&mut all, rest);
            if own.is_empty() {
                continue;
            }
            // A stride that is coprime to the count reaches every site.
            let count = own.len();
            let coprime = |stride: &usize| gcd(*stride, count) == 1;
            let stride = (count * 5 / 8..=count).find(|stride| *stride > 0 && coprime(stride));
            let stride = stride.unwrap_or(1);
            let begin = usize::try_from(seed % count as u64).unwrap_or(0);
            let mut order: Vec<usize> =
                (0..count).map(|step| (begin + step * stride) % count).collect();
            let mut taken = Vec::new();
            // Some kinds have many sites whose change has no effect, so limit the tries.
            order.truncate(each * 8);
            for number in order {
                if taken.len() == each {
                    break;
                }
                let block = self.changed(&own[number]);
                if !seen.contains(&block) {
                    taken.push(number);
                    seen.push(block);
                }
            }
            let chosen = own.into_iter().enumerate().filter(|(number, _)| taken.contains(number));
            found.extend(chosen.map(|(_, site)| site));
        }
        found
    }

    /// The statement with the change of a site.
    pub fn changed(&self, site: &Site) -> Block {
        let mut block = self.stock.block().clone();
        match &site.change {
            Change::Block(number, edit) => {
                if let Some(block) = walk::block_mut(&mut block, &mut { *number }) {
                    edit(block);
                }
            }
            Change::Expr(number, expr) => {
                if let Some(place) = walk::expr_mut(&mut block, &mut { *number }) {
                    place.clone_from(expr);
                }
            }
        }
        block
    }

    /// The text of a changed statement.
    pub fn text(&self, block: &Block) -> String {
        text::print(block, &self.names)
    }

    /// Replaces the compiled statement by this one. The bridge compiles it to get its code.
    ///
    /// # Errors
    ///
    /// Returns the reason if the statement is refused.
    pub fn stock(&self, block: Block) -> Result<Stock, String> {
        self.stock.with_statement(block, &self.names)
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Collects the sites of a kind.
struct Finder {
    kind: &'static Kind,
    found: Vec<Site>,
}

impl Finder {
    fn add(&mut self, change: Change) {
        let number = self.found.len();
        self.found.push(Site { kind: self.kind, number, change });
    }
}

impl Visit for Finder {
    fn stmt(&mut self, scope: &Scope<'_>, number: usize, block: &[Stmt], at: usize) {
        if let Find::Stmt(find) = self.kind.find {
            let mut edits = Edits::default();
            find(&Point { scope, block, at }, &mut edits);
            for edit in edits.0 {
                self.add(Change::Block(number, edit));
            }
        }
    }

    fn expr(&mut self, scope: &Scope<'_>, number: usize, role: Role, expr: &Expr) {
        if let Find::Expr(find) = self.kind.find {
            let mut changed = Vec::new();
            find(scope, role, expr, &mut changed);
            for expr in changed {
                self.add(Change::Expr(number, expr));
            }
        }
    }
}
