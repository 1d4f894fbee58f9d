//! The notation that the reader and the printer share.

use crate::tree::BinaryOp;

/// The infix operators, with the blanks that the printer puts around them.
pub(super) const INFIX: [(&str, BinaryOp); 13] = [
    (" + ", BinaryOp::Add),
    (" - ", BinaryOp::Sub),
    ("*", BinaryOp::Mul),
    ("/", BinaryOp::Div),
    (" % ", BinaryOp::Mod),
    (" == ", BinaryOp::Eq),
    (" != ", BinaryOp::Ne),
    (" <= ", BinaryOp::Le),
    (" < ", BinaryOp::Lt),
    (" >= ", BinaryOp::Ge),
    (" > ", BinaryOp::Gt),
    (" && ", BinaryOp::And),
    (" || ", BinaryOp::Or),
];

/// The beginning of the name of a reduction over lanes.
pub(super) const REDUCE: &str = "vector_reduce_";

/// Formats a float as it is printed before the letter of its width: six digits after the point, and
/// an exponent if it is less than a millionth.
pub fn digits(value: f64) -> String {
    if value.is_nan() {
        (if value.is_sign_negative() { "-nan" } else { "nan" }).to_owned()
    } else if value.is_infinite() {
        (if value < 0.0 { "-inf" } else { "inf" }).to_owned()
    } else if value != 0.0 && value.abs().log10() < -6.0 {
        let text = format!("{value:.6e}");
        match text.split_once("e-") {
            Some((digits, exponent)) => format!("{digits}e-{exponent:0>2}"),
            None => text,
        }
    } else {
        format!("{value:.6}")
    }
}
