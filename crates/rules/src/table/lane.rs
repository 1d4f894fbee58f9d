//! Vectors: a value that is equal in all lanes is computed once, and sums of ramps are ramps.

use super::line::Line;
use crate::Types;

const INT: Types = Types::INT;
const INTEGER: Types = Types::INTEGER;
const NUMBER: Types = Types::NUMBER;
const LOGICAL: Types = Types::LOGICAL;
const MACHINE: Types = Types::MACHINE;
const ANY: Types = Types::ANY;

pub(super) const LINES: &[Line] = &[
    ("ramp-still", INT, "(ramp x 0)", "(broadcast x)", ""),
    ("ramp-add-ramp", INT, "(+ (ramp x y) (ramp z w))", "(ramp (+ x z) (+ y w))", ""),
    ("ramp-add-broadcast", INT, "(+ (ramp x y) (broadcast z))", "(ramp (+ x z) y)", ""),
    ("broadcast-add-ramp", INT, "(+ (broadcast x) (ramp y z))", "(ramp (+ x y) z)", ""),
    ("ramp-sub-ramp", INT, "(- (ramp x y) (ramp z w))", "(ramp (- x z) (- y w))", ""),
    ("ramp-sub-broadcast", INT, "(- (ramp x y) (broadcast z))", "(ramp (- x z) y)", ""),
    ("broadcast-sub-ramp", INT, "(- (broadcast x) (ramp y z))", "(ramp (- x y) (neg z))", ""),
    ("ramp-min-ramp", INT, "(min (ramp x z) (ramp y z))", "(ramp (min x y) z)", ""),
    ("ramp-max-ramp", INT, "(max (ramp x z) (ramp y z))", "(ramp (max x y) z)", ""),
    (
        "select-ramp",
        INT,
        "(select (broadcast p) (ramp x z) (ramp y z))",
        "(ramp (select p x y) z)",
        "",
    ),
    ("not-broadcast", LOGICAL, "(! (broadcast x))", "(broadcast (! x))", ""),
    ("neg-broadcast", NUMBER, "(neg (broadcast x))", "(broadcast (neg x))", ""),
    ("add-broadcast", NUMBER, "(+ (broadcast x) (broadcast y))", "(broadcast (+ x y))", ""),
    ("sub-broadcast", NUMBER, "(- (broadcast x) (broadcast y))", "(broadcast (- x y))", ""),
    ("mul-broadcast", NUMBER, "(* (broadcast x) (broadcast y))", "(broadcast (* x y))", ""),
    ("div-broadcast", NUMBER, "(/ (broadcast x) (broadcast y))", "(broadcast (/ x y))", ""),
    ("mod-broadcast", INTEGER, "(% (broadcast x) (broadcast y))", "(broadcast (% x y))", ""),
    ("min-broadcast", NUMBER, "(min (broadcast x) (broadcast y))", "(broadcast (min x y))", ""),
    ("max-broadcast", NUMBER, "(max (broadcast x) (broadcast y))", "(broadcast (max x y))", ""),
    ("and-broadcast", LOGICAL, "(& (broadcast x) (broadcast y))", "(broadcast (& x y))", ""),
    ("or-broadcast", LOGICAL, "(| (broadcast x) (broadcast y))", "(broadcast (| x y))", ""),
    ("xor-broadcast", LOGICAL, "(^ (broadcast x) (broadcast y))", "(broadcast (^ x y))", ""),
    ("shl-broadcast", MACHINE, "(<< (broadcast x) (broadcast y))", "(broadcast (<< x y))", ""),
    ("shr-broadcast", MACHINE, "(>> (broadcast x) (broadcast y))", "(broadcast (>> x y))", ""),
    ("eq-broadcast", ANY, "(== (broadcast x) (broadcast y))", "(broadcast (== x y))", ""),
    ("ne-broadcast", ANY, "(!= (broadcast x) (broadcast y))", "(broadcast (!= x y))", ""),
    ("lt-broadcast", NUMBER, "(< (broadcast x) (broadcast y))", "(broadcast (< x y))", ""),
    ("le-broadcast", NUMBER, "(<= (broadcast x) (broadcast y))", "(broadcast (<= x y))", ""),
    (
        "select-broadcast",
        ANY,
        "(select (broadcast p) (broadcast x) (broadcast y))",
        "(broadcast (select p x y))",
        "",
    ),
];
