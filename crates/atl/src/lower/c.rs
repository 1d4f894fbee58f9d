//! Prints loop nests as C functions, in exactly the text of `coq/Print.v`.

use std::fmt::Write as _;

use super::Stmt;
use super::entry::{self, UncheckedDivisor};
use super::printer::Printer;
use crate::names::Names;
use crate::program::Element;
use crate::term::{Index, Pred, Var};

/// Words of C, and names from the prelude's headers that a program may well use.
const RESERVED: &[&str] = &[
    "auto",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    "elem",
    "int64_t",
    "int32_t",
    "uint32_t",
    "uint64_t",
    "main",
    "size_t",
    "malloc",
    "free",
    "abort",
    "abs",
    "div",
    "exp",
    "sqrt",
    "printf",
    "exit",
    "INT64_MAX",
    "NULL",
    "asm",
    "linux",
    "unix",
    "pow",
    "log",
    "sin",
    "cos",
    "tan",
    "floor",
    "ceil",
    "round",
    "rand",
    "system",
];

/// True if a name has a meaning in C or in the prelude.
pub(crate) fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name)
        || name.starts_with("__")
        || name.strip_prefix('_').is_some_and(|rest| rest.starts_with(char::is_uppercase))
        || ["atl_", "ATL_", "fn_"].iter().any(|prefix| name.starts_with(prefix))
}

/// The name of the C function: the program's, with letters that C allows.
pub fn c_function_name(program: &str) -> String {
    let mut name: String =
        program.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if is_reserved(&name) {
        name.push('_');
    }
    name
}

/// The interface of a C function.
pub struct Interface<'a> {
    /// The C function's name.
    pub name: &'a str,
    /// The sizes.
    pub sizes: &'a [Var],
    /// The inputs with their shapes.
    pub inputs: &'a [(Var, Vec<Index>)],
    /// The output with its shape.
    pub output: &'a (Var, Vec<Index>),
    /// The conditions on the sizes.
    pub conditions: &'a [Pred],
    /// The lines before the loops over a variable, by its name in C.
    pub marks: &'a [(String, &'static str)],
}

/// The C function of a loop nest. If the sizes do not satisfy the conditions, or a number would
/// leave 64 bits, it returns 1 and does nothing else.
///
/// # Errors
/// A divisor changes within the loop nest.
pub fn function(interface: &Interface<'_>, nest: &Stmt) -> Result<String, UncheckedDivisor> {
    let mut printer = Printer {
        names: Names::new(is_reserved),
        shapes: Vec::new(),
        out: String::new(),
        marks: interface.marks.to_vec(),
    };
    let mut params = Vec::new();
    for size in interface.sizes {
        params.push(format!("int64_t {}", printer.names.bind(size)));
    }
    for (input, shape) in interface.inputs {
        params.push(format!("const elem *{}", printer.names.bind(input)));
        printer.shapes.push((input.clone(), shape.clone()));
    }
    let (output, shape) = interface.output;
    params.push(format!("elem *{}", printer.names.bind(output)));
    printer.shapes.push((output.clone(), shape.clone()));
    let _ = write!(printer.out, "int {}({})\n{{\n", interface.name, params.join(", "));
    let checks =
        entry::lines(&printer, interface.sizes, interface.conditions, interface.output, nest)?;
    for check in checks {
        printer.line(1, &check);
    }
    let (cleared, count) = (printer.names.get(output), printer.count(shape));
    printer.line(1, &format!("atl_clear({cleared}, {count});"));
    printer.stmt(nest, 1);
    printer.line(1, "return 0;");
    printer.out.push_str("}\n");
    Ok(printer.out)
}

/// The beginning of every C file for an element type: the semiring, division that rounds down,
/// arrays of zeros.
pub fn prelude(element: Element) -> String {
    let (elem, wide) = match element {
        Element::I32 => ("int32_t", "uint32_t"),
        Element::I64 => ("int64_t", "uint64_t"),
        Element::F32 => ("float", "float"),
        Element::F64 => ("double", "double"),
        Element::MinPlus => ("int64_t", "int64_t"),
    };
    let suffix = if element == Element::F32 { "f" } else { "" };
    let semiring = match element {
        Element::I32 | Element::I64 => format!(
            "/* Integers wrap: unsigned arithmetic is defined where signed is not. */\n\
             #define ATL_ZERO ((elem)0)\n#define ATL_ONE ((elem)1)\n\
             static inline elem atl_add(elem a, elem b) {{ return (elem)(({wide})a + ({wide})b); \
             }}\n\
             static inline elem atl_mul(elem a, elem b) {{ return (elem)(({wide})a * ({wide})b); \
             }}\n\
             static inline elem fn_neg(elem a) {{ return (elem)(({wide})0 - ({wide})a); }}\n\
             static inline elem fn_abs(elem a) {{ return a < 0 ? fn_neg(a) : a; }}\n\
             static inline elem fn_div(elem a, elem b) {{ if (b == 0) return 0; if (b == -1) \
             return fn_neg(a); elem q = a / b; return q - (q * b != a && (a < 0) != (b < 0)); }}\n\
             static inline elem fn_minimum(elem a, elem b) {{ return a < b ? a : b; }}\n\
             static inline elem fn_maximum(elem a, elem b) {{ return a > b ? a : b; }}\n\
             #define ATL_LITERAL(x) ((elem)(x))\n"
        ),
        Element::F32 | Element::F64 => format!(
            "#include <math.h>\n/* No product may be fused with a sum: compile with \
             -ffp-contract=off. */\n#ifdef __clang__\n#pragma STDC FP_CONTRACT OFF\n#elif defined \
             __GNUC__\n#pragma GCC optimize (\"fp-contract=off\")\n#endif\n\
             #define ATL_ZERO ((elem)0)\n#define ATL_ONE ((elem)1)\n\
             static inline elem atl_add(elem a, elem b) {{ return a + b; }}\n\
             static inline elem atl_mul(elem a, elem b) {{ return a * b; }}\n\
             static inline elem fn_neg(elem a) {{ return -a; }}\n\
             static inline elem fn_div(elem a, elem b) {{ return a / b; }}\n\
             static inline elem fn_abs(elem a) {{ return a < 0 ? -a : a; }}\n\
             static inline elem fn_minimum(elem a, elem b) {{ return a < b ? a : b; }}\n\
             static inline elem fn_maximum(elem a, elem b) {{ return a > b ? a : b; }}\n\
             static inline elem fn_sqrt(elem a) {{ return sqrt{suffix}(a); }}\n\
             static inline elem fn_exp(elem a) {{ return exp{suffix}(a); }}\n\
             #define ATL_LITERAL(x) ((elem)(x))\n"
        ),
        Element::MinPlus => "/* Minimum for addition, addition for multiplication; the zero is \
            infinity. */\n\
             #define ATL_ZERO INT64_MAX\n#define ATL_ONE ((elem)0)\n\
             static inline elem atl_add(elem a, elem b) { return a < b ? a : b; }\n\
             static inline elem atl_mul(elem a, elem b) \
             { return a == ATL_ZERO || b == ATL_ZERO ? ATL_ZERO : \
             (elem)((uint64_t)a + (uint64_t)b); }\n\
             #define ATL_LITERAL(x) ((elem)(x))\n"
            .to_owned(),
    };
    format!(
        "#include <stdint.h>\n#include <stdlib.h>\n\n\
         typedef {elem} elem;\n{semiring}\n\
         /* Quotients round down, as the program's do; C's round towards zero. */\n\
         static inline int64_t atl_div(int64_t a, int64_t b) {{ int64_t q = a / b; return q - (q * \
         b != a && (a < 0) != (b < 0)); }}\n\
         static inline int64_t atl_mod(int64_t a, int64_t b) {{ return a - atl_div(a, b) * b; }}\n\
         static inline int64_t atl_ceil(int64_t a, int64_t b) {{ return atl_div(a + b - 1, b); }}\n\
         static inline int64_t atl_min(int64_t a, int64_t b) {{ return a < b ? a : b; }}\n\
         static inline int64_t atl_max(int64_t a, int64_t b) {{ return a > b ? a : b; }}\n\
         /* Bounds of what a function computes, found before it begins; -1 is one beyond 2^59, \
         within which fit 8 bytes for each element too. */\n\
         static inline int atl_fits(int64_t a) {{ return 0 <= a && a <= INT64_C(1) << 59; }}\n\
         static inline int64_t atl_up_add(int64_t a, int64_t b) {{ return atl_fits(a) && \
         atl_fits(b) && atl_fits(a + b) ? a + b : -1; }}\n\
         static inline int64_t atl_up_mul(int64_t a, int64_t b) {{ return atl_fits(a) && \
         atl_fits(b) && (a == 0 || b <= (INT64_C(1) << 59) / a) ? a * b : -1; }}\n\
         static inline int64_t atl_up_max(int64_t a, int64_t b) {{ return atl_fits(a) && \
         atl_fits(b) ? (a < b ? b : a) : -1; }}\n\
         static inline void atl_clear(elem *a, int64_t n) {{ for (int64_t i = 0; i < n; i++) a[i] \
         = ATL_ZERO; }}\n\
         static inline elem *atl_new(int64_t n)\n{{\n    elem *a = malloc((n > 0 ? (size_t)n : 1) \
         * sizeof(elem));\n    if (!a) abort();\n    atl_clear(a, n);\n    return a;\n}}\n\
         static inline void atl_free(elem *a) {{ free(a); }}\n\n"
    )
}

/// A whole C file: the prelude and the function.
pub fn unit(element: Element, function: &str) -> String {
    format!("{}{function}", prelude(element))
}
