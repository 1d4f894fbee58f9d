//! Conditions, bits and conditional values.

use super::line::Line;
use crate::Types;

const BOOL: Types = Types::BOOL;
const MACHINE: Types = Types::MACHINE;
const LOGICAL: Types = Types::LOGICAL;
const NUMBER: Types = Types::NUMBER;
const ANY: Types = Types::ANY;

pub(super) const LINES: &[Line] = &[
    ("and-constant-right", LOGICAL, "(& c n)", "(& n c)", ""),
    ("or-constant-right", LOGICAL, "(| c n)", "(| n c)", ""),
    ("xor-constant-right", LOGICAL, "(^ c n)", "(^ n c)", ""),
    // Neutral and absorbing elements: -1 has every bit set.
    ("and-true", BOOL, "(& p true)", "p", ""),
    ("and-false", BOOL, "(& p false)", "false", ""),
    ("or-true", BOOL, "(| p true)", "true", ""),
    ("or-false", BOOL, "(| p false)", "p", ""),
    ("xor-true", BOOL, "(^ p true)", "(! p)", ""),
    ("xor-false", BOOL, "(^ p false)", "p", ""),
    ("and-zero", MACHINE, "(& x 0)", "0", ""),
    ("and-ones", MACHINE, "(& x -1)", "x", ""),
    ("or-zero", MACHINE, "(| x 0)", "x", ""),
    ("or-ones", MACHINE, "(| x -1)", "-1", ""),
    ("xor-zero", MACHINE, "(^ x 0)", "x", ""),
    ("shl-zero", MACHINE, "(<< x 0)", "x", ""),
    ("shr-zero", MACHINE, "(>> x 0)", "x", ""),
    ("zero-shl", MACHINE, "(<< 0 x)", "0", ""),
    ("zero-shr", MACHINE, "(>> 0 x)", "0", ""),
    // The same operand twice.
    ("not-not", LOGICAL, "(! (! x))", "x", ""),
    ("and-self", LOGICAL, "(& x x)", "x", ""),
    ("or-self", LOGICAL, "(| x x)", "x", ""),
    ("xor-self", MACHINE, "(^ x x)", "0", ""),
    ("xor-same-condition", BOOL, "(^ p p)", "false", ""),
    ("and-not", BOOL, "(& p (! p))", "false", ""),
    ("not-and", BOOL, "(& (! p) p)", "false", ""),
    ("or-not", BOOL, "(| p (! p))", "true", ""),
    ("not-or", BOOL, "(| (! p) p)", "true", ""),
    ("and-and-first", LOGICAL, "(& (& x y) x)", "(& x y)", ""),
    ("and-and-second", LOGICAL, "(& (& x y) y)", "(& x y)", ""),
    ("and-first-and", LOGICAL, "(& x (& x y))", "(& x y)", ""),
    ("and-second-and", LOGICAL, "(& y (& x y))", "(& x y)", ""),
    ("or-or-first", LOGICAL, "(| (| x y) x)", "(| x y)", ""),
    ("or-or-second", LOGICAL, "(| (| x y) y)", "(| x y)", ""),
    ("and-or", LOGICAL, "(& x (| x y))", "x", ""),
    ("or-and", LOGICAL, "(| x (& x y))", "x", ""),
    // Comparisons with a condition's value.
    ("eq-true", BOOL, "(== p true)", "p", ""),
    ("eq-false", BOOL, "(== p false)", "(! p)", ""),
    ("ne-true", BOOL, "(!= p true)", "(! p)", ""),
    ("ne-false", BOOL, "(!= p false)", "p", ""),
    // Conditional values. The arm that is not chosen may be undefined, so it must not become an
    // operand of a stricter operator.
    ("select-true", ANY, "(select true x y)", "x", ""),
    ("select-false", ANY, "(select false x y)", "y", ""),
    ("select-same", ANY, "(select p x x)", "x", ""),
    ("select-not", ANY, "(select (! p) x y)", "(select p y x)", ""),
    ("select-true-false", BOOL, "(select p true false)", "p", ""),
    ("select-false-true", BOOL, "(select p false true)", "(! p)", ""),
    ("select-select-true", ANY, "(select p (select p x y) z)", "(select p x z)", ""),
    ("select-select-false", ANY, "(select p x (select p y z))", "(select p x z)", ""),
    ("select-lt", NUMBER, "(select (< x y) x y)", "(min x y)", ""),
    ("select-gt", NUMBER, "(select (< y x) x y)", "(max x y)", ""),
];
