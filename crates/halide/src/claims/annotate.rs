//! Writes the results of the inference into a program.

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::visit::Role;
use halidom_ir::{
    Access, BinaryOp, BufferDecl, BufferId, BufferKind, Constant, Dim, Expr, ExprId, FuncId,
    FuncKind, Interval, Label, Program, Prophecy, Stmt, StmtId, StoreIn,
};

use super::form::Form;
use super::forms::{Env, Forms};
use super::found::{Found, Loads};
use super::layout::{Begin, Layout};
use super::regions::Place;
use super::sites::Flat;
use super::spots::Where;

/// The labels at each place: funcs, with the first and the last coordinate in each dimension.
type Labels = FxHashMap<Where, Vec<(FuncId, Vec<(Form, Form)>)>>;

/// Returns the program with claims at stores and loads, labels, and the beginnings of buffers,
/// together with the expressions that were rewritten.
pub(super) fn annotate(
    forms: &mut Forms<'_>,
    program: Program,
    found: &Found,
    places: Vec<Place>,
) -> (Program, Vec<(ExprId, ExprId)>) {
    let mut labels = Labels::default();
    for Place { at, func, needed } in places {
        labels.entry(at).or_default().push((func, needed));
    }
    let mut writer = Writer {
        forms,
        found,
        labels,
        buffers: FxHashMap::default(),
        done: FxHashMap::default(),
        own: Loads::default(),
        changed: Vec::new(),
        open: FxHashSet::default(),
    };
    let body = writer.stmt(program.body);
    let mut changed = writer.changed;
    changed.extend(writer.done);
    changed.retain(|(before, after)| before != after);
    changed.sort_unstable();
    (Program { body, ..program }, changed)
}

struct Writer<'w, 'p> {
    forms: &'w mut Forms<'p>,
    found: &'w Found,
    labels: Labels,
    buffers: FxHashMap<BufferId, BufferId>,
    done: FxHashMap<ExprId, ExprId>,
    /// The coordinates of loads in the present store alone.
    own: Loads,
    /// The expressions that were rewritten in stores with such loads.
    changed: Vec<(ExprId, ExprId)>,
    /// Loads whose coordinates are being written at present.
    open: FxHashSet<ExprId>,
}

impl Writer<'_, '_> {
    /// A temporary with the layout that was found.
    fn buffer(&mut self, buffer: BufferId) -> BufferId {
        if let Some(known) = self.buffers.get(&buffer) {
            return *known;
        }
        let decl = self.forms.pool.buffer(buffer).clone();
        let mut dims = decl.dims.clone();
        if let Some(layout) = self.found.layouts.get(&buffer)
            && decl.kind == BufferKind::Internal
            && !self.begins_by_itself(buffer)
        {
            if let Some(shape) = self.literal_shape(&decl.dims, layout) {
                dims = shape;
            }
            for (dim, begin) in dims.iter_mut().zip(&layout.begins) {
                match begin {
                    Begin::Unknown => {}
                    Begin::At(min) => dim.min = self.forms.expr(min),
                    Begin::Folded(by) if self.literal(dim.extent) == Some(*by) => {
                        *dim = Dim { min: self.forms.pool.int(0), folded: true, ..*dim };
                    }
                    Begin::Folded(_) => {}
                }
            }
            for dim in &mut dims {
                dim.min = self.expr(dim.min);
            }
        }
        let mut store_in = decl.store_in;
        if let StoreIn::Within(lender) = store_in {
            store_in = StoreIn::Within(self.buffer(lender));
        }
        let changed = dims != decl.dims || store_in != decl.store_in;
        let id = if changed {
            self.forms.pool.declare_buffer(BufferDecl { dims, store_in, ..decl })
        } else {
            buffer
        };
        self.buffers.insert(buffer, id);
        id
    }

    /// The shape that was found for memory whose sizes are literals, if it has as many elements. A
    /// size that is computed stays as it is: a form of it has no conversions and no overflow, and
    /// nothing would be owed of what the statement computes.
    fn literal_shape(&mut self, dims: &[Dim], layout: &Layout) -> Option<Vec<Dim>> {
        let product =
            |sizes: &[i128]| sizes.iter().try_fold(1, |all: i128, by| all.checked_mul(*by));
        let sizes = dims.iter().map(|dim| self.literal(dim.extent)).collect::<Option<Vec<_>>>()?;
        let constants =
            |forms: &[Form]| -> Option<Vec<i128>> { forms.iter().map(Form::as_constant).collect() };
        let (extents, strides) = (constants(&layout.extents)?, constants(&layout.strides)?);
        let is_same = extents.len() == sizes.len()
            && sizes.iter().chain(&extents).all(|size| *size > 0)
            && product(&sizes)? == product(&extents)?;
        let shape = dims.iter().zip(extents.iter().zip(&strides));
        is_same.then(|| {
            let shape = shape.map(|(dim, (extent, stride))| {
                let [extent, stride] = [extent, stride].map(|value| self.forms.pool.int(*value));
                Dim { extent, stride, ..*dim }
            });
            shape.collect()
        })
    }

    /// The number that a literal is, or a product of literals without overflow at 32 bits.
    fn literal(&self, expr: ExprId) -> Option<i128> {
        if let Expr::Binary(BinaryOp::Mul(_), a, b) = self.forms.pool.get(expr) {
            let product = self.literal(*a)?.checked_mul(self.literal(*b)?)?;
            return i32::try_from(product).ok().map(i128::from);
        }
        self.forms.pool.as_constant(expr).and_then(Constant::as_integer)
    }

    /// Tests whether the beginning of a buffer depends on an element of the buffer itself, such as
    /// an index that was stored there. No memory begins so, and such a beginning is dropped.
    fn begins_by_itself(&mut self, buffer: BufferId) -> bool {
        let mut seen = FxHashSet::default();
        let mut pending = vec![buffer];
        while let Some(next) = pending.pop() {
            let Some(layout) = self.found.layouts.get(&next) else { continue };
            for begin in &layout.begins {
                let Begin::At(min) = begin else { continue };
                let min = self.forms.expr(min);
                self.forms.pool.for_each_subexpr(min, &mut |_, expr| {
                    if let Expr::Load { buffer, .. } = expr
                        && seen.insert(*buffer)
                    {
                        pending.push(*buffer);
                    }
                });
            }
        }
        seen.contains(&buffer)
    }

    /// An expression with claims on its loads.
    fn expr(&mut self, root: ExprId) -> ExprId {
        if let Some(done) = self.done.get(&root) {
            return *done;
        }
        let node = self.forms.pool.get(root).clone();
        let result = if let Expr::Load { buffer, index, access: None } = node {
            // Coordinates that depend on the loaded element itself are dropped.
            if !self.open.insert(root) {
                return root;
            }
            let lanes = self.forms.pool.ty(index).lanes;
            let known = self.own.get(&root).or_else(|| self.found.loads.get(&root)).cloned();
            let access = known.or_else(|| self.by_number(buffer, index)).map(|coords| {
                let func = self.forms.pool.buffer(buffer).func;
                let coords = coords.iter().map(|coord| self.claimed(coord, lanes)).collect();
                Access { func, coords }
            });
            let (buffer, index) = (self.buffer(buffer), self.expr(index));
            self.open.remove(&root);
            self.forms.pool.load(buffer, index, access)
        } else {
            let mapped = node.map_operands(|operand| self.expr(operand));
            if mapped == node { root } else { self.forms.pool.expr(mapped) }
        };
        self.done.insert(root, result);
        result
    }

    /// The coordinates of an element that occurs only in a claim, as far as its index determines
    /// them.
    fn by_number(&mut self, buffer: BufferId, index: ExprId) -> Option<Vec<Form>> {
        let flat = Flat::of(self.forms, index);
        let layout = self.found.layouts.get(&buffer)?;
        layout.coords(self.forms, &flat, false).into_iter().collect()
    }

    fn claimed(&mut self, coord: &Form, lanes: u32) -> ExprId {
        let coord = self.concrete(coord);
        let expr = self.forms.vector(&coord, lanes);
        self.expr(expr)
    }

    /// A form with values of memory as loads, and with funcs that have no memory and one stage
    /// expanded.
    fn concrete(&mut self, form: &Form) -> Form {
        let expr = self.forms.expr(form);
        let mut refers = false;
        self.forms.pool.for_each_subexpr(expr, &mut |_, node| {
            refers |= matches!(node, Expr::Ref { .. });
        });
        if !refers {
            return form.clone();
        }
        let expr = self.loaded(expr, &mut FxHashMap::default());
        self.forms.form(expr)
    }

    fn loaded(&mut self, root: ExprId, done: &mut FxHashMap<ExprId, ExprId>) -> ExprId {
        if let Some(known) = done.get(&root) {
            return *known;
        }
        let node = self.forms.pool.get(root).clone();
        let node = node.map_operands(|operand| self.loaded(operand, done));
        let result = if let Expr::Ref { func, component, args } = &node {
            self.value_of((*func, *component), args)
        } else {
            None
        };
        let result = result.unwrap_or_else(|| self.forms.pool.expr(node));
        done.insert(root, result);
        result
    }

    /// The value of an input, of a func with one memory, or of one without that has one stage.
    fn value_of(&mut self, (func, component): (FuncId, usize), args: &[ExprId]) -> Option<ExprId> {
        let decl = self.forms.pool.func(func).clone();
        if let FuncKind::Input { buffer } = decl.kind {
            let dims = self.forms.pool.buffer(buffer).dims.clone();
            let mut index = self.forms.pool.int(0);
            for (arg, dim) in args.iter().zip(&dims) {
                let slot = self.forms.pool.sub(*arg, dim.min);
                let step = self.forms.pool.mul(slot, dim.stride);
                index = self.forms.pool.add(index, step);
            }
            let access = Access { func, coords: args.into() };
            return Some(self.forms.pool.load(buffer, index, Some(access)));
        }
        if self.found.layouts.keys().any(|buffer| self.forms.pool.buffer(*buffer).func == func) {
            return self.element_of((func, component), args);
        }
        let [stage] = decl.stages() else { return None };
        let value = *stage.values.get(component)?;
        let args: Vec<Form> = args.iter().map(|arg| self.forms.form(*arg)).collect();
        let mut env = Env::of(decl.args.iter().copied().zip(args));
        let value = self.forms.settled(value, &mut env);
        Some(self.loaded(value, &mut FxHashMap::default()))
    }

    /// The element of a func's memory, if it has one memory, whose shape is known.
    fn element_of(
        &mut self,
        (func, component): (FuncId, usize),
        args: &[ExprId],
    ) -> Option<ExprId> {
        let is_its = |buffer: &BufferId| {
            let decl = self.forms.pool.buffer(*buffer);
            decl.func == func && decl.component == component
        };
        let all: Vec<BufferId> =
            self.found.layouts.keys().copied().filter(|buffer| is_its(buffer)).collect();
        let [buffer] = *all else { return None };
        let layout = self.found.layouts.get(&buffer)?.clone();
        let coords: Vec<Form> = args.iter().map(|arg| self.forms.form(*arg)).collect();
        let index = layout.flat(self.forms, &coords)?;
        let index = self.forms.expr(&index);
        let access = Access { func, coords: args.into() };
        let buffer = self.buffer(buffer);
        Some(self.forms.pool.load(buffer, index, Some(access)))
    }

    fn stmt(&mut self, id: StmtId) -> StmtId {
        let stmt = self.forms.pool.get_stmt(id).clone();
        let stmt = if let Stmt::Block(parts) = &stmt {
            Stmt::Block(self.block(id, parts))
        } else {
            self.annotated(id, &stmt).map_children(|child| self.stmt(child))
        };
        let stmt = self.forms.pool.stmt(stmt);
        self.labelled(Where::Stmt(id), stmt)
    }

    /// The rewritten parts of a block, with labels around runs of them.
    fn block(&mut self, id: StmtId, parts: &[StmtId]) -> Vec<StmtId> {
        let mut all = Vec::new();
        let mut number = 0;
        while number < parts.len() {
            if let Some(last) = self.run(id, number, parts.len()) {
                let inner: Vec<StmtId> =
                    parts[number..=last].iter().map(|part| self.stmt(*part)).collect();
                let inner = self.forms.pool.stmt(Stmt::Block(inner));
                all.push(self.labelled(Where::Parts(id, number, last), inner));
                number = last + 1;
            } else {
                all.push(self.stmt(parts[number]));
                number += 1;
            }
        }
        all
    }

    /// A statement with its own expressions rewritten, except for entry checks.
    fn annotated(&mut self, id: StmtId, stmt: &Stmt) -> Stmt {
        let Some(own) = self.found.own.get(&id) else { return self.rewritten(id, stmt) };
        let done = std::mem::take(&mut self.done);
        self.own.clone_from(own);
        let stmt = self.rewritten(id, stmt);
        self.own.clear();
        self.changed.extend(std::mem::replace(&mut self.done, done));
        stmt
    }

    fn rewritten(&mut self, id: StmtId, stmt: &Stmt) -> Stmt {
        let mut prophecy = None;
        if let Stmt::Store { buffer, index, .. } = stmt
            && let Some(claim) = self.found.stores.get(&id)
        {
            let lanes = self.forms.pool.ty(*index).lanes;
            let func = self.forms.pool.buffer(*buffer).func;
            let coords = claim.coords.iter().map(|coord| self.claimed(coord, lanes)).collect();
            let point = claim.point.iter().map(|value| self.claimed(value, lanes)).collect();
            prophecy = Some(Prophecy { func, stage: claim.stage, coords, point });
        }
        let mut stmt = stmt.map_exprs(|role, expr| {
            let stays = role.is_annotation() || role == Role::Assertion;
            if stays { expr } else { self.expr(expr) }
        });
        if let Stmt::Store { buffer, prophecy: old, .. } = &mut stmt {
            *buffer = self.buffer(*buffer);
            // A claim of the translation is owed, not proposed.
            if old.is_none() {
                *old = prophecy;
            }
        }
        if let Stmt::Allocate { buffer, .. } = &mut stmt {
            *buffer = self.buffer(*buffer);
        }
        stmt
    }

    /// The last part of the labelled run that begins at part `first`.
    fn run(&self, block: StmtId, first: usize, parts: usize) -> Option<usize> {
        (first + 1..parts).find(|last| self.labels.contains_key(&Where::Parts(block, first, *last)))
    }

    fn labelled(&mut self, at: Where, body: StmtId) -> StmtId {
        let Some(labels) = self.labels.remove(&at) else { return body };
        labels.into_iter().rev().fold(body, |body, (func, needed)| {
            let needed = needed
                .into_iter()
                .map(|(first, last)| {
                    let extent = last.minus(&first).offset(1);
                    let (min, extent) = (self.forms.expr(&first), self.forms.expr(&extent));
                    Interval { min: self.expr(min), extent: self.expr(extent) }
                })
                .collect();
            self.forms.pool.stmt(Stmt::Labeled { label: Label::Func { func, needed }, body })
        })
    }
}
