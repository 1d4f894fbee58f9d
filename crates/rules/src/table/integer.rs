//! Sums, products, quotients, minima and maxima.

use halidom_ir::Scalar;

use super::Line;
use crate::Types;

const INT: Types = Types::INT;
const INTEGER: Types = Types::INTEGER;
const NUMBER: Types = Types::NUMBER;
const FLOAT: Types = Types::FLOAT;
/// The solver takes too long over `f64` for some rules, which are then not used for it.
const SINGLE: Types = Types::of(&[Scalar::F32]);
/// Likewise over remainders of wide signed integers.
const REMAINDER: Types = INT.or(Types::UNSIGNED).or(Types::of(&[Scalar::I8, Scalar::I16]));

pub(super) const LINES: &[Line] = &[
    // Constants go to the right.
    ("add-constant-right", INTEGER, "(+ c n)", "(+ n c)", ""),
    ("mul-constant-right", INTEGER, "(* c n)", "(* n c)", ""),
    ("min-constant-right", INTEGER, "(min c n)", "(min n c)", ""),
    ("max-constant-right", INTEGER, "(max c n)", "(max n c)", ""),
    // Neutral and absorbing elements.
    ("add-zero", INTEGER, "(+ x 0)", "x", ""),
    ("add-negative-zero", FLOAT, "(+ x -0.0)", "x", ""),
    ("sub-zero", NUMBER, "(- x 0)", "x", ""),
    ("sub-self", INTEGER, "(- x x)", "0", ""),
    ("mul-one", INTEGER.or(SINGLE), "(* x 1)", "x", ""),
    ("one-mul", SINGLE, "(* 1 x)", "x", ""),
    ("mul-zero", INTEGER, "(* x 0)", "0", ""),
    ("div-one", INTEGER.or(SINGLE), "(/ x 1)", "x", ""),
    ("div-zero", INTEGER, "(/ x 0)", "0", ""),
    ("zero-div", INTEGER, "(/ 0 x)", "0", ""),
    ("mod-one", INTEGER, "(% x 1)", "0", ""),
    ("mod-zero", INTEGER, "(% x 0)", "0", ""),
    ("zero-mod", INTEGER, "(% 0 x)", "0", ""),
    // Negation.
    ("neg-neg", NUMBER, "(neg (neg x))", "x", ""),
    ("zero-sub", INTEGER, "(- 0 x)", "(neg x)", ""),
    ("add-neg", INTEGER, "(+ x (neg y))", "(- x y)", ""),
    ("neg-add", INTEGER, "(+ (neg x) y)", "(- y x)", ""),
    ("sub-neg", INTEGER, "(- x (neg y))", "(+ x y)", ""),
    ("neg-sub", INTEGER, "(neg (- x y))", "(- y x)", ""),
    // Constants of indices go outwards, so that neighbours of one point share all but the constant. Machine integers stay as they were written.
    ("sub-constant", INT, "(- x c)", "(+ x (- 0 c))", ""),
    ("add-add-constants", INTEGER, "(+ (+ x c0) c1)", "(+ x (+ c0 c1))", ""),
    ("constant-sub-add", INT, "(+ (- c0 x) c1)", "(- (+ c0 c1) x)", ""),
    ("add-constant-outwards", INT, "(+ (+ x c) n)", "(+ (+ x n) c)", ""),
    ("add-constant-outwards-right", INT, "(+ x (+ y c))", "(+ (+ x y) c)", ""),
    ("sub-constant-outwards", INT, "(- (+ x c) y)", "(+ (- x y) c)", ""),
    ("sub-constant-outwards-right", INT, "(- x (+ y c))", "(+ (- x y) (- 0 c))", ""),
    // Terms that cancel.
    ("add-sub-left", INTEGER, "(- (+ x y) x)", "y", ""),
    ("add-sub-right", INTEGER, "(- (+ x y) y)", "x", ""),
    ("sub-add-left", INTEGER, "(- x (+ x y))", "(neg y)", ""),
    ("sub-add-right", INTEGER, "(- y (+ x y))", "(neg x)", ""),
    ("sub-then-add", INTEGER, "(+ (- x y) y)", "x", ""),
    ("add-then-sub", INTEGER, "(+ y (- x y))", "x", ""),
    ("sub-sub-left", INTEGER, "(- (- x y) x)", "(neg y)", ""),
    ("sub-sub-right", INTEGER, "(- x (- x y))", "y", ""),
    ("cancel-first-first", INTEGER, "(- (+ x y) (+ x z))", "(- y z)", ""),
    ("cancel-first-second", INTEGER, "(- (+ x y) (+ z x))", "(- y z)", ""),
    ("cancel-second-first", INTEGER, "(- (+ y x) (+ x z))", "(- y z)", ""),
    ("cancel-second-second", INTEGER, "(- (+ y x) (+ z x))", "(- y z)", ""),
    ("cancel-inner-first", INTEGER, "(- (+ (+ x y) z) x)", "(+ y z)", ""),
    ("cancel-inner-second", INTEGER, "(- (+ (+ x y) z) y)", "(+ x z)", ""),
    ("cancel-inner-difference", INTEGER, "(- (+ (- x y) z) x)", "(- z y)", ""),
    ("telescope", INTEGER, "(+ (- x y) (- y z))", "(- x z)", ""),
    ("telescope-reversed", INTEGER, "(+ (- x y) (- z x))", "(- z y)", ""),
    ("sub-same-subtrahend", INTEGER, "(- (- x y) (- z y))", "(- x z)", ""),
    ("sub-same-minuend", INTEGER, "(- (- x y) (- x z))", "(- z y)", ""),
    // Constant multiples.
    ("mul-mul-constants", INTEGER, "(* (* x c0) c1)", "(* x (* c0 c1))", ""),
    ("mul-add-constants", INT, "(* (+ x c0) c1)", "(+ (* x c1) (* c0 c1))", ""),
    ("mul-minus-one", INTEGER, "(* x -1)", "(neg x)", ""),
    ("add-multiples", INTEGER, "(+ (* x c0) (* x c1))", "(* x (+ c0 c1))", ""),
    ("sub-multiples", INTEGER, "(- (* x c0) (* x c1))", "(* x (- c0 c1))", ""),
    ("add-multiple-self", INTEGER, "(+ (* x c) x)", "(* x (+ c 1))", ""),
    ("add-self-multiple", INTEGER, "(+ x (* x c))", "(* x (+ c 1))", ""),
    ("sub-multiple-self", INTEGER, "(- (* x c) x)", "(* x (- c 1))", ""),
    ("sub-self-multiple", INTEGER, "(- x (* x c))", "(* x (- 1 c))", ""),
    // Quotients and remainders by constants.
    ("div-multiple", INT, "(/ (* x c0) c1)", "(* x (/ c0 c1))", "(!= c1 0), (== (% c0 c1) 0)"),
    ("div-factor", INT, "(/ (* x c0) c1)", "(/ x (/ c1 c0))", "(> c0 0), (== (% c1 c0) 0)"),
    (
        "div-add-multiple",
        INT,
        "(/ (+ (* x c0) y) c1)",
        "(+ (* x (/ c0 c1)) (/ y c1))",
        "(!= c1 0), (== (% c0 c1) 0)",
    ),
    (
        "div-multiple-add",
        INT,
        "(/ (+ y (* x c0)) c1)",
        "(+ (* x (/ c0 c1)) (/ y c1))",
        "(!= c1 0), (== (% c0 c1) 0)",
    ),
    (
        "div-add-constant",
        INT,
        "(/ (+ x c0) c1)",
        "(+ (/ x c1) (/ c0 c1))",
        "(!= c1 0), (== (% c0 c1) 0)",
    ),
    ("div-div", INT, "(/ (/ x c0) c1)", "(/ x (* c0 c1))", "(> c0 0), (> c1 0)"),
    ("mod-mod", REMAINDER, "(% (% x c) c)", "(% x c)", ""),
    ("mod-mod-larger", REMAINDER, "(% (% x c0) c1)", "(% x c0)", "(> c0 0), (>= c1 c0)"),
    ("div-mod", REMAINDER, "(/ (% x c0) c1)", "0", "(> c0 0), (>= c1 c0)"),
    ("mod-multiple", INT, "(% (* x c) c)", "0", ""),
    ("mod-add-constant", INT, "(% (+ x c) c)", "(% x c)", ""),
    ("quotient-and-remainder", INT, "(+ (* (/ x c) c) (% x c))", "x", "(!= c 0)"),
    // Minima and maxima.
    ("min-self", NUMBER, "(min x x)", "x", ""),
    ("max-self", NUMBER, "(max x x)", "x", ""),
    ("min-min-constants", INTEGER, "(min (min x c0) c1)", "(min x (min c0 c1))", ""),
    ("max-max-constants", INTEGER, "(max (max x c0) c1)", "(max x (max c0 c1))", ""),
    ("min-below-max", INTEGER, "(min (max x c0) c1)", "c1", "(<= c1 c0)"),
    ("max-above-min", INTEGER, "(max (min x c0) c1)", "c1", "(>= c1 c0)"),
    ("min-max-same-first", INTEGER, "(min x (max x y))", "x", ""),
    ("min-max-same-second", INTEGER, "(min x (max y x))", "x", ""),
    ("max-min-same-first", INTEGER, "(max x (min x y))", "x", ""),
    ("max-min-same-second", INTEGER, "(max x (min y x))", "x", ""),
    ("max-same-first-min", INTEGER, "(min (max x y) x)", "x", ""),
    ("max-same-second-min", INTEGER, "(min (max y x) x)", "x", ""),
    ("min-same-first-max", INTEGER, "(max (min x y) x)", "x", ""),
    ("min-same-second-max", INTEGER, "(max (min y x) x)", "x", ""),
    ("min-min-first", INTEGER, "(min (min x y) x)", "(min x y)", ""),
    ("min-min-second", INTEGER, "(min (min x y) y)", "(min x y)", ""),
    ("min-first-min", INTEGER, "(min x (min x y))", "(min x y)", ""),
    ("min-second-min", INTEGER, "(min y (min x y))", "(min x y)", ""),
    ("max-max-first", INTEGER, "(max (max x y) x)", "(max x y)", ""),
    ("max-max-second", INTEGER, "(max (max x y) y)", "(max x y)", ""),
    ("max-first-max", INTEGER, "(max x (max x y))", "(max x y)", ""),
    ("max-second-max", INTEGER, "(max y (max x y))", "(max x y)", ""),
    ("min-add-constants", INT, "(min (+ x c0) (+ x c1))", "(+ x (min c0 c1))", ""),
    ("max-add-constants", INT, "(max (+ x c0) (+ x c1))", "(+ x (max c0 c1))", ""),
    ("min-add-constant", INT, "(min x (+ x c))", "(+ x (min c 0))", ""),
    ("add-constant-min", INT, "(min (+ x c) x)", "(+ x (min c 0))", ""),
    ("max-add-constant", INT, "(max x (+ x c))", "(+ x (max c 0))", ""),
    ("add-constant-max", INT, "(max (+ x c) x)", "(+ x (max c 0))", ""),
    ("min-common-term", INT, "(min (+ x z) (+ y z))", "(+ (min x y) z)", ""),
    ("min-common-first-term", INT, "(min (+ z x) (+ z y))", "(+ (min x y) z)", ""),
    ("max-common-term", INT, "(max (+ x z) (+ y z))", "(+ (max x y) z)", ""),
    ("max-common-first-term", INT, "(max (+ z x) (+ z y))", "(+ (max x y) z)", ""),
];
