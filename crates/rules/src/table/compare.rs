//! Comparisons.

use super::line::Line;
use crate::Types;

const INT: Types = Types::INT;
const INTEGER: Types = Types::INTEGER;
const NUMBER: Types = Types::NUMBER;
const UNSIGNED: Types = Types::UNSIGNED;
const ANY: Types = Types::ANY;

pub(super) const LINES: &[Line] = &[
    ("gt-is-lt", NUMBER, "(> x y)", "(< y x)", ""),
    ("ge-is-le", NUMBER, "(>= x y)", "(<= y x)", ""),
    ("eq-constant-right", ANY, "(== c n)", "(== n c)", ""),
    ("ne-constant-right", ANY, "(!= c n)", "(!= n c)", ""),
    ("lt-self", NUMBER, "(< x x)", "false", ""),
    ("le-self", INTEGER, "(<= x x)", "true", ""),
    ("eq-self", INTEGER.or(Types::BOOL), "(== x x)", "true", ""),
    ("ne-self", INTEGER.or(Types::BOOL), "(!= x x)", "false", ""),
    ("lt-zero", UNSIGNED, "(< x 0)", "false", ""),
    ("zero-le", UNSIGNED, "(<= 0 x)", "true", ""),
    // A constant next to the variable joins the other constant.
    ("lt-add-constant", INT, "(< (+ x c0) c1)", "(< x (- c1 c0))", ""),
    ("le-add-constant", INT, "(<= (+ x c0) c1)", "(<= x (- c1 c0))", ""),
    ("constant-lt-add", INT, "(< c0 (+ x c1))", "(< (- c0 c1) x)", ""),
    ("constant-le-add", INT, "(<= c0 (+ x c1))", "(<= (- c0 c1) x)", ""),
    ("eq-add-constant", INTEGER, "(== (+ x c0) c1)", "(== x (- c1 c0))", ""),
    ("ne-add-constant", INTEGER, "(!= (+ x c0) c1)", "(!= x (- c1 c0))", ""),
    ("lt-add-constants", INT, "(< (+ x c0) (+ y c1))", "(< (+ x (- c0 c1)) y)", ""),
    ("le-add-constants", INT, "(<= (+ x c0) (+ y c1))", "(<= (+ x (- c0 c1)) y)", ""),
    // Terms on both sides.
    ("lt-common-term", INT, "(< (+ x z) (+ y z))", "(< x y)", ""),
    ("lt-common-first-term", INT, "(< (+ z x) (+ z y))", "(< x y)", ""),
    ("le-common-term", INT, "(<= (+ x z) (+ y z))", "(<= x y)", ""),
    ("le-common-first-term", INT, "(<= (+ z x) (+ z y))", "(<= x y)", ""),
    ("eq-common-term", INTEGER, "(== (+ x z) (+ y z))", "(== x y)", ""),
    ("eq-common-first-term", INTEGER, "(== (+ z x) (+ z y))", "(== x y)", ""),
    ("lt-add-self", INT, "(< x (+ x y))", "(< 0 y)", ""),
    ("lt-add-self-right", INT, "(< x (+ y x))", "(< 0 y)", ""),
    ("add-self-lt", INT, "(< (+ x y) x)", "(< y 0)", ""),
    ("add-self-right-lt", INT, "(< (+ y x) x)", "(< y 0)", ""),
    ("le-add-self", INT, "(<= x (+ x y))", "(<= 0 y)", ""),
    ("le-add-self-right", INT, "(<= x (+ y x))", "(<= 0 y)", ""),
    ("add-self-le", INT, "(<= (+ x y) x)", "(<= y 0)", ""),
    ("add-self-right-le", INT, "(<= (+ y x) x)", "(<= y 0)", ""),
    // Multiples.
    ("lt-multiples", INT, "(< (* x c) (* y c))", "(< x y)", "(> c 0)"),
    ("le-multiples", INT, "(<= (* x c) (* y c))", "(<= x y)", "(> c 0)"),
    ("lt-multiple", INT, "(< (* x c0) c1)", "(< x (/ (+ c1 (- c0 1)) c0))", "(> c0 0)"),
    ("le-multiple", INT, "(<= (* x c0) c1)", "(<= x (/ c1 c0))", "(> c0 0)"),
    // Minima and maxima.
    ("min-le-first", INTEGER, "(<= (min x y) x)", "true", ""),
    ("min-le-second", INTEGER, "(<= (min x y) y)", "true", ""),
    ("le-max-first", INTEGER, "(<= x (max x y))", "true", ""),
    ("le-max-second", INTEGER, "(<= y (max x y))", "true", ""),
    ("lt-min-first", INTEGER, "(< x (min x y))", "false", ""),
    ("lt-min-second", INTEGER, "(< y (min x y))", "false", ""),
    ("max-lt-first", INTEGER, "(< (max x y) x)", "false", ""),
    ("max-lt-second", INTEGER, "(< (max x y) y)", "false", ""),
    // Negations.
    ("not-lt", INTEGER, "(! (< x y))", "(<= y x)", ""),
    ("not-le", INTEGER, "(! (<= x y))", "(< y x)", ""),
    ("not-eq", ANY, "(! (== x y))", "(!= x y)", ""),
    ("not-ne", ANY, "(! (!= x y))", "(== x y)", ""),
    // Two bounds on one side.
    ("and-lt-lt", INTEGER, "(& (< x c0) (< x c1))", "(< x (min c0 c1))", ""),
    ("and-le-le", INTEGER, "(& (<= x c0) (<= x c1))", "(<= x (min c0 c1))", ""),
    ("and-gt-gt", INTEGER, "(& (< c0 x) (< c1 x))", "(< (max c0 c1) x)", ""),
    ("and-ge-ge", INTEGER, "(& (<= c0 x) (<= c1 x))", "(<= (max c0 c1) x)", ""),
];
