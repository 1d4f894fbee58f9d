//! Constructs of expressions and memory, each with a wrong twin: an edited statement. The right one
//! is proved and runs alike in all three ways; the wrong one is not proved, and a run shows why. A
//! run of all tests examines a share of them, a sweep all.

use std::time::Duration;

use halidom_driver::judge::{Options, judge_within};
use halidom_driver::stock::Stock;
use halidom_testgen::sampled;
use halidom_validate::Verdict;

use crate::has_halide;
use crate::kinds::{agreement, read};

/// A construct: the body of `pipeline()` after the declarations, and a replacement in the statement
/// that makes it wrong.
struct Construct {
    name: &'static str,
    body: &'static str,
    wrong: (&'static str, &'static str),
}

const DECLARATIONS: &str = "import halide as hl
import numpy

def pipeline():
    x, y = hl.Var('x'), hl.Var('y')
    a = hl.ImageParam(hl.UInt(8), 1, 'a')
    b = hl.ImageParam(hl.Bool(), 1, 'b')
    m = hl.ImageParam(hl.Int(8), 1, 'm')
    f = hl.ImageParam(hl.Float(32), 1, 'f')
    out, g = hl.Func('out'), hl.Func('g')
";

const CONSTRUCTS: [Construct; 16] = [
    Construct {
        name: "an array of the pipeline",
        body: "    table = hl.Buffer(numpy.array([3, 1, 4, 1, 5, 9, 2, 6], dtype='u1'), 'table')
    out[x] = table[x % 8] + a[x]
",
        wrong: ("% 8]", "% 4]"),
    },
    Construct {
        name: "an array of two dimensions",
        body: "    table = hl.Buffer(numpy.arange(12, dtype=numpy.uint16).reshape(3, 4), 'table')
    out[x, y] = table[x % 4, y % 3] + hl.u16(a[x])
",
        wrong: ("% 3)*4)", "% 3)*3)"),
    },
    Construct {
        name: "a value that is printed",
        body: "    out[x] = hl.print(a[x], ' at ', x) + hl.u8(1)
",
        wrong: (") + (uint8)1\n", ") + (uint8)2\n"),
    },
    Construct {
        name: "events that are traced",
        body: "    g[x] = a[x] + hl.u8(1)
    out[x] = g[x] * hl.u8(3)
    g.compute_root().trace_stores().trace_loads().trace_realizations()
    out.vectorize(x, 8, hl.TailStrategy.GuardWithIf)
",
        wrong: ("*x8((uint8)3)", "*x8((uint8)5)"),
    },
    Construct {
        name: "truth values in memory",
        body: "    g[x] = a[x] > 3
    out[x] = g[x] & g[x + 1]
    g.compute_root().vectorize(x, 8)
    out.vectorize(x, 8)
",
        wrong: (") && uint1x8(", ") || uint1x8("),
    },
    Construct {
        name: "truth values of an input",
        body: "    out[x] = hl.select(b[x], a[x], hl.u8(7))
    out.vectorize(x, 8)
",
        wrong: ("x8((uint8)7)", "x8((uint8)6)"),
    },
    Construct {
        name: "leading zeros",
        body: "    out[x] = hl.count_leading_zeros(hl.i16(m[x]))
",
        wrong: ("count_leading_zeros", "count_trailing_zeros"),
    },
    Construct {
        name: "trailing zeros and ones",
        body: "    out[x] = hl.count_trailing_zeros(m[x]) + hl.popcount(m[x]) * hl.i8(16)
",
        wrong: ("(int8)16", "(int8)8"),
    },
    Construct {
        name: "a rounding shift by a varying amount",
        body: "    out[x] = hl.rounding_shift_right(hl.i16(a[x]), hl.i16(m[x]) & hl.i16(7))
",
        wrong: ("rounding_shift_right", "shift_right"),
    },
    Construct {
        name: "a remainder of floats",
        body: "    out[x] = f[x] % 2.5
",
        wrong: ("% 2.500000f", "% 2.000000f"),
    },
    Construct {
        name: "the bits of a float",
        body: "    out[x] = hl.reinterpret(hl.UInt(32), f[x]) & hl.u32(0x7fffffff)
",
        wrong: ("% (uint32)2147483648", "% (uint32)1073741824"),
    },
    Construct {
        name: "a random number",
        body: "    out[x] = hl.random_uint() + hl.u32(a[x])
",
        wrong: ("(uint32)65536", "(uint32)32768"),
    },
    Construct {
        name: "an output that keeps what is there",
        body: "    r = hl.RDom([(1, 9)])
    out[x] = hl.undef(hl.UInt(8))
    out[r.x] = out[r.x] + out[r.x - 1]
",
        wrong: ("out[t8 + 1] = ", "out[t8] = "),
    },
    Construct {
        name: "an output of rows that adds to what is there",
        body: "    out[x, y] = hl.undef(hl.UInt(8))
    out[x, y] += a[x] * hl.u8(3)
    out.update(0).vectorize(x, 8)
",
        wrong: ("x8((uint8)3)", "x8((uint8)5)"),
    },
    Construct {
        name: "elements that are written under a condition",
        body: "    r = hl.RDom([(0, 16)])
    out[x] = hl.u8(0)
    out[r.x] = hl.select(a[r.x] > 3, a[r.x], hl.undef(hl.UInt(8)))
",
        wrong: ("((uint8)3 < ", "((uint8)2 < "),
    },
    Construct {
        name: "truth values by weight",
        body: "    out[x] = hl.lerp(b[x], b[x + 1], a[x])
",
        wrong: ("uint1(b[t4 + 1])", "uint1(b[t4])"),
    },
];

fn verdict(stock: &Stock) -> Verdict {
    let subject = &stock.subject;
    let options = Options::find().expect("there are solvers").of_stock();
    judge_within(&subject.pool, (&subject.algorithm, &subject.compiled), &options, &|own| {
        own.strictness = Duration::ZERO;
    })
    .verdict
}

/// The faults of a construct and of its wrong twin.
fn faults(construct: &Construct) -> Vec<String> {
    let Construct { name, body, wrong } = construct;
    let script = format!("{DECLARATIONS}{body}    return out\n");
    let right = read(&script, None);
    let mut faults = Vec::new();
    let found = verdict(&right.0);
    if found != Verdict::Proved {
        faults.push(format!("{name}: {found:?}"));
    }
    let found = agreement(&right);
    if !found.differences.is_empty() || found.with_code == 0 {
        faults.push(format!("{name}: {found:?}"));
    }
    let wrong = read(&script, Some(*wrong));
    if verdict(&wrong.0) == Verdict::Proved {
        faults.push(format!("{name}: the wrong twin is proved"));
    }
    if agreement(&wrong).differences.is_empty() {
        faults.push(format!("{name}: nothing differs for the wrong twin"));
    }
    faults
}

#[test]
fn each_construct_is_proved_and_its_wrong_twin_is_not() {
    if !has_halide() {
        return;
    }
    let constructs = sampled(&CONSTRUCTS, 18);
    let found: Vec<String> = constructs.into_iter().flat_map(faults).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}
