//! The error for an access without bounds, in terms of the program: the access, and a change that
//! would bound it.

use halidom_base::FxHashMap;
use halidom_ir::{Expr, ExprId, FuncKind, Scalar, Substitution, Type, print};

use super::Solver;
use crate::error::ScheduleError;
use crate::query::{Binder, Constraint, Subject};

impl Solver<'_, '_> {
    /// Reports that a coordinate has no least value, no greatest value, or neither.
    pub(super) fn unbounded(&mut self, constraint: &Constraint, dim: usize, missing: [bool; 2]) {
        let coord = match &constraint.member.what {
            Subject::Point(coords) => coords[dim],
            Subject::Box(intervals) => intervals[dim].min,
        };
        let coord = self.as_written(constraint, coord);
        let pool = &*self.algebra.pool;
        let decl = pool.func(constraint.member.func);
        let name = &decl.name;
        let is_input = matches!(decl.kind, FuncKind::Input { .. });
        let dimension = if is_input {
            format!("{dim}")
        } else {
            format!("`{}`", pool.var(decl.args[dim]).name)
        };
        let reader = constraint.member.reader;
        let by = reader.map_or_else(String::new, |(func, stage)| match stage {
            0 => format!(" by `{}`", pool.func(func).name),
            update => format!(" by update {update} of `{}`", pool.func(func).name),
        });
        let which = match missing {
            [true, true] => "neither a least nor a greatest value",
            [true, false] => "no least value",
            [false, _] => "no greatest value",
        };
        let hint = if is_input {
            format!(
                "keep the coordinate within the input, `clamp({coord}, {name}.min({dim}), \
                    {name}.min({dim}) + {name}.extent({dim}) - 1)`, or read the input through a \
                    boundary condition such as `repeat_edge({name})`"
            )
        } else {
            format!(
                "give the coordinate bounds, for example `clamp({coord}, 0, 255)`: `{name}` is \
                    then computed from 0 to 255"
            )
        };
        let mut error = ScheduleError::new(
            "HAL0616",
            None,
            format!(
                "no bound is known for dimension {dimension} of `{name}` as accessed{by}: \
                    `{coord}` has {which}"
            ),
            hint,
        );
        error.func = reader.map(|(func, _)| func);
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    /// Prints a coordinate with the variables' names in the program, without the conversion of an
    /// index and the types of numbers.
    fn as_written(&mut self, constraint: &Constraint, coord: ExprId) -> String {
        let pool = &mut *self.algebra.pool;
        let coord =
            if let Expr::Cast(Scalar::Int, operand) = *pool.get(coord) { operand } else { coord };
        let mut names = FxHashMap::default();
        for binder in &constraint.path {
            if let Binder::ForAll { var, .. } | Binder::Let { var, .. } = binder {
                let name = &pool.var(*var).name;
                // `f.s1.r` is the reduction variable `r` of the first update of `f`.
                names.insert(*var, name.rsplit('.').next().unwrap_or(name).to_owned());
            }
        }
        let mut vars: Vec<_> = crate::algebra::vars(pool, coord).into_iter().collect();
        vars.sort_unstable();
        for var in vars {
            // `input.extent.0` is `input.extent(0)`.
            if let Some((buffer, number)) = pool.var(var).name.rsplit_once('.')
                && number.parse::<usize>().is_ok()
            {
                names.entry(var).or_insert_with(|| format!("{buffer}({number})"));
            }
        }
        let mut substitution = Substitution::new();
        let mut renamed: Vec<_> = names.into_iter().collect();
        renamed.sort_unstable();
        for (var, name) in renamed {
            let named = pool.declare_var(name, Type::INT);
            let named = pool.var_expr(named);
            substitution.insert(var, named);
        }
        let coord = substitution.apply(pool, coord);
        without_types(&print::expr(pool, coord))
    }
}

/// Prints `x + 1i32` as `x + 1`.
fn without_types(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(start);
        out.push_str(before);
        let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
        let (digits, after) = number.split_at(end);
        out.push_str(digits);
        let in_name = before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
        let types = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"];
        let suffix = types.iter().find(|name| after.starts_with(**name)).filter(|_| !in_name);
        rest = suffix.map_or(after, |name| &after[name.len()..]);
    }
    out.push_str(rest);
    out
}
