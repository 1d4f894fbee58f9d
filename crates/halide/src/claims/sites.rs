//! The stores and loads of a program, with the loops around them.

use halidom_base::{FxHashMap, FxHashSet, IndexMap};
use halidom_ir::{
    BinaryOp, BufferId, Constant, Expr, ExprId, FuncId, Program, Stmt, StmtId, VarId,
};

use super::form::Form;
use super::forms::Forms;

/// An index, with one value for each lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Flat {
    pub(super) form: Form,
    pub(super) lanes: u32,
}

impl Flat {
    pub(super) fn of(forms: &mut Forms<'_>, index: ExprId) -> Self {
        Self { form: forms.form(index), lanes: forms.pool.ty(index).lanes }
    }
}

/// A loop around a store.
#[derive(Clone, Debug)]
pub(super) struct Loop {
    pub(super) var: VarId,
    pub(super) min: ExprId,
    pub(super) extent: ExprId,
    /// The conditions that hold at the store and stand between this loop and the next one.
    pub(super) conditions: Vec<ExprId>,
    /// The name for its value, if the loop itself counts from 0: `v` for a loop `v.rebased`.
    pub(super) named: Option<VarId>,
}

/// A store.
pub(super) struct Store {
    pub(super) stmt: StmtId,
    pub(super) buffer: BufferId,
    pub(super) func: FuncId,
    pub(super) component: usize,
    pub(super) flat: Flat,
    /// Outermost first.
    pub(super) loops: Vec<Loop>,
    /// The loads in its value, through names.
    pub(super) loads: Vec<ExprId>,
    pub(super) fixed: Fixed,
}

/// Variables with the constants that conditions around a place equate them with, such as the
/// strides of a caller's buffer in code for one layout.
pub(super) type Fixed = Vec<(VarId, i128)>;

/// A load.
pub(super) struct Load {
    pub(super) expr: ExprId,
    pub(super) buffer: BufferId,
    pub(super) index: ExprId,
    pub(super) flat: Flat,
    pub(super) fixed: Fixed,
}

/// The stores and loads of a program, with related facts.
#[derive(Default)]
pub(super) struct Sites {
    pub(super) stores: Vec<Store>,
    pub(super) loads: IndexMap<ExprId, Load>,
    /// The loops around each allocation.
    pub(super) scopes: FxHashMap<BufferId, Vec<VarId>>,
    /// The names in the statement for the beginnings of dimensions of allocations.
    pub(super) begins: FxHashMap<(BufferId, usize), VarId>,
    /// Every variable of a loop.
    pub(super) loops: FxHashSet<VarId>,
    /// Funcs and inputs that have memory.
    pub(super) stored: FxHashSet<FuncId>,
    /// Funcs with memory that copy another func. A read of that func may be a read of the copy.
    pub(super) copies: FxHashMap<FuncId, Vec<FuncId>>,
}

impl Sites {
    /// The indices of all accesses to a buffer.
    pub(super) fn indices(&self, buffer: BufferId) -> Vec<Form> {
        let loads = self.loads.values().filter(|load| load.buffer == buffer);
        let stores = self.stores.iter().filter(|store| store.buffer == buffer);
        let flats = loads.map(|load| &load.flat).chain(stores.map(|store| &store.flat));
        flats.map(|flat| flat.form.clone()).collect()
    }

    /// The constants that conditions around accesses to a buffer equate variables with.
    pub(super) fn fixed(&self, buffer: BufferId) -> impl Iterator<Item = &(VarId, i128)> {
        let loads = self.loads.values().filter(move |load| load.buffer == buffer);
        let stores = self.stores.iter().filter(move |store| store.buffer == buffer);
        loads.flat_map(|load| &load.fixed).chain(stores.flat_map(|store| &store.fixed))
    }
}

/// Collects the sites of a program. From here on its names, and the values that its entry checks
/// fix, are expanded in forms.
pub(super) fn collect(forms: &mut Forms<'_>, program: &Program) -> Sites {
    let mut walk = Walk::default();
    for buffer in program.inputs.iter().copied().chain(program.output_buffers()) {
        walk.sites.stored.insert(forms.pool.buffer(buffer).func);
        walk.sites.scopes.insert(buffer, Vec::new());
    }
    walk.stmt(forms, program.body);
    let mut sites = walk.sites;
    let mut stored: Vec<FuncId> = sites.stored.iter().copied().collect();
    stored.sort_unstable();
    for func in stored {
        let decl = forms.pool.func(func);
        if let [stage] = decl.stages()
            && let [value] = *stage.values
            && let Expr::Ref { func: original, args, .. } = forms.pool.get(value)
            && args
                .iter()
                .zip(&decl.args)
                .all(|(arg, own)| *forms.pool.get(*arg) == Expr::Var(*own))
        {
            sites.copies.entry(*original).or_default().push(func);
        }
    }
    sites
}

/// The suffix of the name of a loop that counts from 0 instead of its variable's beginning.
pub(super) const REBASED: &str = ".rebased";

/// The end of the name for the beginning of a dimension.
const REALIZED: &str = ".min_realized";

#[derive(Default)]
struct Walk {
    sites: Sites,
    loops: Vec<Loop>,
    /// The innermost names for beginnings of dimensions, without their ends.
    mins: FxHashMap<String, VarId>,
    /// Dimensions of memory around the present place whose beginnings were not named before it.
    /// Their names come later if the memory was hoisted.
    open: FxHashMap<String, (BufferId, usize)>,
    fixed: Fixed,
}

impl Walk {
    fn stmt(&mut self, forms: &mut Forms<'_>, id: StmtId) {
        match forms.pool.get_stmt(id).clone() {
            Stmt::Block(parts) => parts.into_iter().for_each(|part| self.stmt(forms, part)),
            Stmt::Let { var, value, body } => {
                self.loads_of(forms, value);
                forms.define(var, value);
                let of = begin_of(&forms.pool.var(var).name);
                let outer = of.clone().and_then(|of| {
                    if let Some(dim) = self.open.get(&of) {
                        self.sites.begins.entry(*dim).or_insert(var);
                    }
                    self.mins.insert(of, var)
                });
                if let Some(innermost) = self.loops.last_mut() {
                    let own = &forms.pool.var(innermost.var).name;
                    if own.strip_suffix(REBASED) == Some(&forms.pool.var(var).name) {
                        innermost.named = Some(var);
                    }
                }
                self.stmt(forms, body);
                if let Some(of) = of {
                    restore(&mut self.mins, of, outer);
                }
            }
            Stmt::If { condition, then_branch, else_branch } => {
                self.loads_of(forms, condition);
                if let Some(innermost) = self.loops.last_mut() {
                    innermost.conditions.push(condition);
                }
                let known = self.fixed.len();
                fixed_by(forms, condition, &mut self.fixed);
                self.stmt(forms, then_branch);
                self.fixed.truncate(known);
                if let Some(innermost) = self.loops.last_mut() {
                    innermost.conditions.pop();
                }
                if let Some(other) = else_branch {
                    self.stmt(forms, other);
                }
            }
            Stmt::For { var, min, extent, body, .. } => {
                self.loads_of(forms, min);
                self.loads_of(forms, extent);
                self.sites.loops.insert(var);
                forms.add_loop(var, (min, extent));
                self.loops.push(Loop { var, min, extent, conditions: Vec::new(), named: None });
                self.stmt(forms, body);
                self.loops.pop();
            }
            Stmt::Allocate { buffer, body } => {
                self.sites.stored.insert(forms.pool.buffer(buffer).func);
                let around = self.loops.iter().map(|of| of.var).collect();
                self.sites.scopes.insert(buffer, around);
                let func = forms.pool.func(forms.pool.buffer(buffer).func);
                let mut hoisted = Vec::new();
                for (dim, arg) in func.args.iter().enumerate() {
                    let arg = &forms.pool.var(*arg).name;
                    let name = format!("{}.{arg}", func.name);
                    // Memory begins where its first loop begins, if nothing else is said.
                    let first = format!("{}.s0.{arg}", func.name);
                    match self.mins.get(&name).or_else(|| self.mins.get(&first)) {
                        Some(min) => drop(self.sites.begins.insert((buffer, dim), *min)),
                        None => hoisted.push((name.clone(), self.open.insert(name, (buffer, dim)))),
                    }
                }
                self.stmt(forms, body);
                for (name, outer) in hoisted {
                    restore(&mut self.open, name, outer);
                }
            }
            Stmt::Assert { condition, .. } => fix(forms, condition),
            Stmt::Labeled { body, .. } => self.stmt(forms, body),
            Stmt::Provide { .. } => {}
            Stmt::Store { buffer, index, value, .. } => {
                self.loads_of(forms, value);
                self.loads_of(forms, index);
                let decl = forms.pool.buffer(buffer);
                let (func, component) = (decl.func, decl.component);
                let flat = Flat::of(forms, index);
                let mut loads = Vec::new();
                reads(forms, value, &mut FxHashSet::default(), &mut loads);
                let loops = self.loops.clone();
                let fixed = self.fixed.clone();
                let store = Store { stmt: id, buffer, func, component, flat, loops, loads, fixed };
                self.sites.stores.push(store);
            }
        }
    }

    fn loads_of(&mut self, forms: &mut Forms<'_>, expr: ExprId) {
        let mut found = Vec::new();
        forms.pool.for_each_subexpr(expr, &mut |id, node| {
            if let Expr::Load { buffer, index, .. } = node {
                found.push((id, *buffer, *index));
            }
        });
        for (expr, buffer, index) in found {
            if let Some(known) = self.sites.loads.get_mut(&expr) {
                known.fixed.retain(|fact| self.fixed.contains(fact));
            } else {
                let (flat, fixed) = (Flat::of(forms, index), self.fixed.clone());
                self.sites.loads.insert(expr, Load { expr, buffer, index, flat, fixed });
            }
        }
    }
}

/// The loads in an expression, through names.
pub(super) fn reads(
    forms: &Forms<'_>,
    expr: ExprId,
    seen: &mut FxHashSet<ExprId>,
    found: &mut Vec<ExprId>,
) {
    if !seen.insert(expr) {
        return;
    }
    let node = forms.pool.get(expr);
    if let Expr::Load { .. } = node {
        found.push(expr);
    }
    if let Expr::Var(var) = node
        && let Some(value) = forms.definition(*var)
    {
        reads(forms, value, seen, found);
    }
    let mut operands = Vec::new();
    node.for_each_operand(|operand| operands.push(operand));
    for operand in operands {
        reads(forms, operand, seen, found);
    }
}

/// Notes equalities of an entry check: a variable equal to a constant is replaced by it, and two
/// equal variables are recorded as equal.
fn fix(forms: &mut Forms<'_>, condition: ExprId) {
    if let Expr::Binary(BinaryOp::And, a, b) = *forms.pool.get(condition) {
        fix(forms, a);
        fix(forms, b);
        return;
    }
    if let Expr::Binary(BinaryOp::Eq, a, b) = *forms.pool.get(condition)
        && let Expr::Var(var) = *forms.pool.get(a)
    {
        if forms.pool.as_constant(b).is_some() {
            forms.define(var, b);
        } else if let Expr::Var(_) = forms.pool.get(b) {
            forms.equate(var, b);
        }
    }
}

/// Collects the variables that a condition equates with constants.
fn fixed_by(forms: &Forms<'_>, condition: ExprId, fixed: &mut Fixed) {
    match *forms.pool.get(condition) {
        Expr::Binary(BinaryOp::And, a, b) => {
            fixed_by(forms, a, fixed);
            fixed_by(forms, b, fixed);
        }
        Expr::Binary(BinaryOp::Eq, a, b) => {
            if let Expr::Var(var) = *forms.pool.get(a)
                && let Some(value) = forms.pool.as_constant(b).and_then(Constant::as_integer)
            {
                fixed.push((var, value));
            }
        }
        Expr::Var(var) => {
            if let Some(value) = forms.definition(var) {
                fixed_by(forms, value, fixed);
            }
        }
        Expr::Const(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select { .. }
        | Expr::Cast(..)
        | Expr::Call(..)
        | Expr::Apply { .. }
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => {}
    }
}

/// The dimension of memory, `func.dim`, or of a loop over it, `func.s0.dim`, whose beginning has a
/// name.
fn begin_of(name: &str) -> Option<String> {
    // The compiler marks names that it has simplified by a suffix.
    let name = name.trim_end_matches(".s");
    let of_loop = || name.strip_suffix(".min").filter(|of| of.contains(".s0."));
    name.strip_suffix(REALIZED).or_else(of_loop).map(str::to_owned)
}

/// Gives a name the meaning again that it has outside of the present scope.
fn restore<T>(names: &mut FxHashMap<String, T>, name: String, outer: Option<T>) {
    match outer {
        Some(outer) => drop(names.insert(name, outer)),
        None => drop(names.remove(&name)),
    }
}
