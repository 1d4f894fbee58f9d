//! Annotates the definitions of a pipeline file. The value of each stage is paired with a call that
//! carries the coordinates and the reduction variables through the compiler.
//!
//! A stage's value `e` becomes `return_second(prophecy.F.sK(x, …, r, …), e)`, where `prophecy.F.sK`
//! is a pure extern function that nothing defines. The compiler may move the call but may not drop
//! it, and it still sees `e` itself wherever it inspects the value. A read of a func that has
//! memory, or of an input, likewise becomes `return_second(access.F(coordinates), F(coordinates))`.
//! The statement that Halide compiles from such a pipeline is only read, never run.

use super::rewrite::{Field, Front, Place};
use super::schema::{EXPR, leads};
use super::wire::{File, Result, Table};
use super::{ReadError, checked_root};

/// The prefix of the calls that accompany the values of stages: `prophecy.F.sK`.
pub const PROPHECY: &str = "prophecy.";
/// The prefix of the calls that accompany reads: `access.F`.
pub const ACCESS: &str = "access.";
/// The intrinsic that evaluates two operands and returns the second.
pub const SECOND: &str = "return_second";

/// The expressions that get a call with their coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marks {
    /// The values of stages.
    Values,
    /// The values of stages, and reads.
    ValuesAndReads,
}

/// Returns the file with annotations.
///
/// # Errors
/// Returns an error if the file is damaged or of another version.
pub fn annotated(bytes: &[u8], marks: Marks) -> std::result::Result<Vec<u8>, ReadError> {
    let file = File::new(bytes);
    let root = checked_root(&file)?;
    let mut walk = Walk { front: Front::default(), marks, inlined: Vec::new() };
    let root = walk.pipeline(&root)?;
    Ok(walk.front.finish(root, bytes))
}

/// The numbers of the kinds of calls.
const IMAGE: u8 = 0;
const PURE_EXTERN: u8 = 3;
const FUNC: u8 = 4;
const PURE_INTRINSIC: u8 = 6;

struct Walk<'f> {
    front: Front,
    marks: Marks,
    /// Inlined funcs, which have no memory.
    inlined: Vec<&'f str>,
}

/// A stage that is annotated.
struct Stage<'f> {
    func: &'f str,
    args: Vec<&'f str>,
    types: Vec<usize>,
    number: usize,
    /// True if a call accompanies the stage's values; otherwise only its reads are annotated.
    is_stored: bool,
}

impl<'f> Walk<'f> {
    fn pipeline(&mut self, root: &Table<'f>) -> Result<Place> {
        let funcs = root.tables("funcs", "Func")?;
        let outputs = root.strings("output_names")?;
        for func in &funcs {
            let name = func.string("name")?;
            if !outputs.contains(&name) && is_inlined(func)? {
                self.inlined.push(name);
            }
        }
        let mut places = Vec::new();
        for func in &funcs {
            let changed = self.func(func)?;
            places.push(changed.unwrap_or(Place::Old(func.at())));
        }
        let funcs = self.front.vector(&places);
        self.changed(root, &[("funcs", funcs)])
    }

    fn changed(&mut self, table: &Table<'f>, changes: &[(&str, Place)]) -> Result<Place> {
        self.front.changed(table, &leads(table.name), changes)
    }

    fn func(&mut self, func: &Table<'f>) -> Result<Option<Place>> {
        let name = func.string("name")?;
        let is_stored = !self.inlined.contains(&name);
        let Some(init) = func.table("init_def", "Definition")? else { return Ok(None) };
        if !func.string("extern_function_name")?.is_empty() || (!is_stored && !self.marks_reads()) {
            return Ok(None);
        }
        let (args, types) = (func.strings("args")?, func.targets("output_types")?);
        let mut stage = Stage { func: name, args, types, number: 0, is_stored };
        let init = self.definition(&init, &stage)?;
        let mut updates = Vec::new();
        for update in func.tables("updates", "Definition")? {
            stage.number += 1;
            updates.push(self.definition(&update, &stage)?);
        }
        let mut changes = vec![("init_def", init)];
        if !updates.is_empty() {
            changes.push(("updates", self.front.vector(&updates)));
        }
        Ok(Some(self.changed(func, &changes)?))
    }

    fn marks_reads(&self) -> bool {
        self.marks == Marks::ValuesAndReads
    }

    fn definition(&mut self, table: &Table<'f>, stage: &Stage<'f>) -> Result<Place> {
        let values = table.unions(("values_type", "values"), EXPR)?;
        if values.is_empty() {
            return Ok(Place::Old(table.at()));
        }
        let mut coords = Vec::new();
        let own = table.unions(("args_type", "args"), EXPR)?;
        for (arg, name) in own.into_iter().zip(&stage.args) {
            if arg.name == "Variable" && arg.string("name")? == *name {
                coords.push(Expr { kind: arg.name, place: Place::Old(arg.at()) });
            }
        }
        let schedule = table.required("stage_schedule", "StageSchedule")?;
        for variable in schedule.tables("rvars", "ReductionVariable")? {
            let variable = self.variable(variable.string("var")?);
            coords.push(variable);
        }
        let is_atomic = schedule.bool("atomic")?;
        let mut all = Vec::new();
        for (value, ty) in values.iter().zip(&stage.types) {
            all.push(self.value(value, stage, (&coords, Place::Old(*ty)), is_atomic)?);
        }
        let (kinds, places) = self.exprs(&all);
        let mut changes = vec![("values_type", kinds), ("values", places)];
        let mut specializations = Vec::new();
        for found in table.tables("specializations", "Specialization")? {
            let place = match found.table("definition", "Definition")? {
                Some(inner) => {
                    let inner = self.definition(&inner, stage)?;
                    self.changed(&found, &[("definition", inner)])?
                }
                None => Place::Old(found.at()),
            };
            specializations.push(place);
        }
        if !specializations.is_empty() {
            changes.push(("specializations", self.front.vector(&specializations)));
        }
        self.changed(table, &changes)
    }

    /// Annotates a stage's value. In an atomic update only the operand of the operator (the summand
    /// of a sum, for example) is annotated: the compiler looks for the operator at the root.
    fn value(
        &mut self,
        value: &Table<'f>,
        stage: &Stage<'f>,
        (coords, ty): (&[Expr], Place),
        is_atomic: bool,
    ) -> Result<Expr> {
        let is_own = |operand: &Table<'f>| -> Result<bool> {
            Ok(operand.name == "Call"
                && operand.u8("call_type")? == FUNC
                && operand.string("name")? == stage.func)
        };
        if is_atomic && let Some([a, b]) = operands(value)? {
            let (side, operand) = match (is_own(&a)?, is_own(&b)?) {
                (true, false) => ("b", b),
                (false, true) => ("a", a),
                (true, true) | (false, false) => return self.marked(value, stage, (coords, ty)),
            };
            let operand = self.marked(&operand, stage, (coords, ty))?;
            let kind = if side == "a" { "a_type" } else { "b_type" };
            let place = self.changed_expr(value, &[(kind, side, operand)])?;
            return Ok(Expr { kind: value.name, place });
        }
        self.marked(value, stage, (coords, ty))
    }

    fn marked(
        &mut self,
        value: &Table<'f>,
        stage: &Stage<'f>,
        (coords, ty): (&[Expr], Place),
    ) -> Result<Expr> {
        let inner = self.expr(value)?;
        if !stage.is_stored {
            return Ok(inner);
        }
        let name = format!("{PROPHECY}{}.s{}", stage.func, stage.number);
        Ok(self.with_mark(&name, coords, (inner, ty)))
    }

    /// An expression with its reads annotated, if reads are to be annotated.
    fn expr(&mut self, table: &Table<'f>) -> Result<Expr> {
        let same = Expr { kind: table.name, place: Place::Old(table.at()) };
        if !self.marks_reads() {
            return Ok(same);
        }
        let mut changes = Vec::new();
        for pair in table.fields().windows(2) {
            if pair[0].strip_suffix("_type") != Some(pair[1]) || is_vector(pair[1]) {
                continue;
            }
            if let Some(operand) = table.union((pair[0], pair[1]), EXPR)? {
                let changed = self.expr(&operand)?;
                if changed.place != Place::Old(operand.at()) {
                    changes.push((pair[0], pair[1], changed));
                }
            }
        }
        if table.name == "Call" {
            return self.call(table);
        }
        if changes.is_empty() {
            return Ok(same);
        }
        Ok(Expr { kind: table.name, place: self.changed_expr(table, &changes)? })
    }

    fn call(&mut self, table: &Table<'f>) -> Result<Expr> {
        let mut args = Vec::new();
        let mut is_changed = false;
        for arg in table.unions(("args_type", "args"), EXPR)? {
            let changed = self.expr(&arg)?;
            is_changed |= changed.place != Place::Old(arg.at());
            args.push(changed);
        }
        let mut place = Place::Old(table.at());
        if is_changed {
            let (kinds, places) = self.exprs(&args);
            place = self.changed(table, &[("args_type", kinds), ("args", places)])?;
        }
        let call = Expr { kind: table.name, place };
        let name = table.string("name")?;
        let reads = match table.u8("call_type")? {
            IMAGE => true,
            FUNC => !self.inlined.contains(&name),
            _ => false,
        };
        let Some(ty) = table.target("type")?.filter(|_| reads) else { return Ok(call) };
        Ok(self.with_mark(&format!("{ACCESS}{name}"), &args, (call, Place::Old(ty))))
    }

    /// `return_second(name(args), value)`.
    fn with_mark(&mut self, name: &str, args: &[Expr], (value, ty): (Expr, Place)) -> Expr {
        let int = self.int_type();
        let mark = self.made_call(name, args, (PURE_EXTERN, int));
        self.made_call(SECOND, &[mark, value], (PURE_INTRINSIC, ty))
    }

    fn made_call(&mut self, name: &str, args: &[Expr], (kind, ty): (u8, Place)) -> Expr {
        let (kinds, places) = self.exprs(args);
        let (name, none) = (self.front.string(name), self.front.string(""));
        let place = self.front.table(&[
            Some(Field::Leads(name)),
            Some(Field::Leads(kinds)),
            Some(Field::Leads(places)),
            Some(Field::Byte(kind)),
            Some(Field::Int(-1)),
            None,
            Some(Field::Leads(none)),
            Some(Field::Leads(none)),
            Some(Field::Leads(ty)),
        ]);
        Expr { kind: "Call", place }
    }

    /// `int32`.
    fn int_type(&mut self) -> Place {
        self.front.table(&[Some(Field::Byte(0)), Some(Field::Byte(32)), Some(Field::Int(1))])
    }

    /// A reduction variable. Its domain is left undefined, because the stage has it.
    fn variable(&mut self, name: &str) -> Expr {
        let none = self.front.string("");
        let (name, ty) = (self.front.string(name), self.int_type());
        let domain = self.front.table(&[Some(Field::Byte(0))]);
        let fields = [name, ty, none, none, domain].map(|place| Some(Field::Leads(place)));
        Expr { kind: "Variable", place: self.front.table(&fields) }
    }

    /// A vector of expressions: the vector of their kinds, and the vector of their places.
    fn exprs(&mut self, all: &[Expr]) -> (Place, Place) {
        let kinds: Vec<u8> = all.iter().map(|expr| number_of(expr.kind)).collect();
        let places: Vec<Place> = all.iter().map(|expr| expr.place).collect();
        (self.front.bytes(&kinds), self.front.vector(&places))
    }

    /// An expression with some operands replaced. Each replacement names the field of the operand's
    /// kind and the field of the operand itself.
    fn changed_expr(
        &mut self,
        table: &Table<'f>,
        operands: &[(&str, &str, Expr)],
    ) -> Result<Place> {
        let mut changes = Vec::new();
        let mut kinds = Vec::new();
        for (kind, field, operand) in operands {
            changes.push((*field, operand.place));
            kinds.push((*kind, number_of(operand.kind)));
        }
        let place = self.changed(table, &changes)?;
        self.front.set_bytes(place, table, &kinds)?;
        Ok(place)
    }
}

/// An expression: the kind of its table, and the place of that table.
#[derive(Clone, Copy)]
struct Expr {
    kind: &'static str,
    place: Place,
}

/// The number of a kind of expression.
fn number_of(kind: &str) -> u8 {
    let position = EXPR.iter().position(|known| *known == kind);
    position.map_or(0, |position| position as u8 + 1)
}

/// Tests whether a field that comes with a kind holds several expressions.
fn is_vector(field: &str) -> bool {
    matches!(field, "args" | "vectors")
}

/// The operands of an operator that an atomic update may have.
fn operands<'f>(table: &Table<'f>) -> Result<Option<[Table<'f>; 2]>> {
    if !matches!(table.name, "Add" | "Mul" | "Min" | "Max" | "And" | "Or") {
        return Ok(None);
    }
    let (a, b) = (table.union(("a_type", "a"), EXPR)?, table.union(("b_type", "b"), EXPR)?);
    Ok(a.zip(b).map(|(a, b)| [a, b]))
}

/// Tests whether a func that is no output has no memory of its own.
fn is_inlined(func: &Table<'_>) -> Result<bool> {
    let schedule = func.required("func_schedule", "FuncSchedule")?;
    let level = schedule.required("compute_level", "LoopLevel")?;
    let is_pure = func.tables("updates", "Definition")?.is_empty();
    Ok(is_pure && level.string("var_name")?.is_empty())
}
