//! Constructs of stock Halide's statements, each with a right program and wrong twins: statements
//! with one change. Only the right ones are proved. A run of all tests judges a share of the
//! cases, a sweep all.

use halidom_driver::judge::Options;
use halidom_driver::stock::{self, Annotations, Request, bridge};
use halidom_testgen::sampled;
use halidom_validate::Verdict;

/// A pipeline, and changes of its statement after which it is wrong.
struct Case {
    /// The construct.
    name: &'static str,
    /// The lines of the pipeline.
    lines: &'static str,
    /// The target, if it is not the host.
    target: Option<&'static str>,
    /// Texts of the lossless statement, each with what takes its place.
    wrong: &'static [(&'static str, &'static str)],
}

const CASES: &[Case] = &[
    Case {
        name: "a product of parameters in the values of several stores, which the pipeline has too",
        lines: "i = hl.ImageParam(hl.Int(32), 1, 'i')
    p, q = hl.Param(hl.Int(32), 'p'), hl.Param(hl.Int(32), 'q')
    out[x] = i[x] + p * q / 2
    out.unroll(x, 2)",
        target: None,
        wrong: &[
            (
                "(/ (* (var i32 \"p\") (var i32 \"q\")) (i32 2))",
                "(/ (* (* (var i32 \"p\") (var i32 \"q\")) (i32 3)) (i32 6))",
            ),
            (
                "(/ (* (var i32 \"p\") (var i32 \"q\")) (i32 2))",
                "(/ (* (var i32 \"p\") (var i32 \"q\")) (i32 3))",
            ),
        ],
    },
    Case {
        name: "memory of a stated size that stencils read in copies with loops of their own",
        lines: "i = hl.ImageParam(hl.Int(32), 2, 'i')
    xi, yi = hl.Var('xi'), hl.Var('yi')
    f[x, y] = i[x, y] * 3
    g[x, y] = f[x, y - 1] + f[x, y] * 2 + f[x, y + 1]
    out[x, y] = g[x - 1, y] + g[x, y] * 2 + g[x + 1, y]
    out.tile(x, y, xi, yi, 8, 4).unroll(yi).vectorize(xi, 4)
    g.compute_at(out, x).store_in(hl.MemoryType.Stack)
    f.compute_at(out, x).store_in(hl.MemoryType.Stack)",
        target: None,
        wrong: &[
            ("(+ (var i32 \"t41\") (i32 20))", "(+ (var i32 \"t41\") (i32 30))"),
            (
                "(* (var i32 \"f.s0.y.rebased\") (i32 10))",
                "(* (var i32 \"f.s0.y.rebased\") (i32 9))",
            ),
            ("(allocate \"g\" i32 Stack 0 ((i32 40)))", "(allocate \"g\" i32 Stack 0 ((i32 39)))"),
        ],
    },
    Case {
        name: "parallel tiles that overlap and read a table with a product, right under an axiom",
        lines: "i = hl.ImageParam(hl.Float(32), 2, 'i')
    f[x] = hl.exp(hl.f32(-x * x) / hl.f32(4.5)) / hl.f32(3.76)
    out[x, y] = f[0] * i[x, y] + f[1] * i[x + 1, y]
    f.compute_root().vectorize(x, 4)
    out.split(y, y, hl.Var('yi'), 8).parallel(y)",
        target: None,
        wrong: &[
            ("(load f32 \"f\" (i32 3) (align 0 3))", "(load f32 \"f\" (i32 2) (align 0 2))"),
            // Each tile is right over the reals, but they write different bits.
            (
                "(load f32 \"f\" (i32 3) (align 0 3))",
                "(select (< (var i32 \"out.s0.y.yi\") (i32 4)) \
                 (load f32 \"f\" (i32 3) (align 0 3)) \
                 (/ (* (load f32 \"f\" (i32 3) (align 0 3)) (f32 0x4008000000000000)) \
                 (f32 0x4008000000000000)))",
            ),
        ],
    },
    Case {
        name: "a branch that only ends the run with an error",
        lines: "p = hl.Param(hl.Int(32), 'p')
    out[x] = x + p
    out.specialize(p > 3).vectorize(x, 8)
    out.specialize(p == 1)
    out.specialize_fail('p is 1 or above 3')",
        target: None,
        wrong: &[
            (
                "(assert (u1 0) (call",
                "(store \"out\" (i32 -5) (i32 0))\n        (assert (u1 0) (call",
            ),
            ("(assert (u1 0) (call", "(assert (u1 1) (call"),
            ("(== (var i32 \"p\") (i32 1))", "(== (var i32 \"p\") (i32 2))"),
        ],
    },
    Case {
        name: "a multiple of a coordinate, which the pipeline has too",
        lines: "i = hl.ImageParam(hl.UInt(8), 1, 'i')
    i.dim(0).set_min(0)
    e = hl.BoundaryConditions.constant_exterior(i, 0)
    out[x, y] = e[x + y * 16]
    out.bound(x, 0, 16)",
        target: None,
        wrong: &[
            ("(i32 16)", "(i32 17)"),
            // The field of a buffer has 32 bits.
            ("(call i32 \"_halide_buffer_get_extent\"", "(call i8 \"_halide_buffer_get_extent\""),
            (
                "(* (var i32 \"out.min.1\") (i32 16))",
                "(/ (* (var i32 \"out.min.1\") (i32 64)) (i32 4))",
            ),
        ],
    },
    Case {
        name: "shifts by amounts with a sign of their own",
        lines: "a = hl.ImageParam(hl.UInt(8), 1, 'a')
    b = hl.ImageParam(hl.Int(8), 1, 'b')
    c = hl.ImageParam(hl.UInt(8), 1, 'c')
    n = hl.Param(hl.Int(8), 'n')
    out[x] = (a[x] << b[x]) + (a[x] >> n) + hl.rounding_shift_right(a[x], n)
    out[x] += hl.u8(hl.i8(c[x]) >> (c[x] & 7))",
        target: None,
        wrong: &[
            ("(var i8 \"n\")", "(cast u8 (var i8 \"n\"))"),
            ("\"shift_left\"", "\"shift_right\""),
            ("\"rounding_shift_right\"", "\"rounding_shift_left\""),
        ],
    },
    Case {
        name: "a value where a shift has none",
        lines: "a = hl.ImageParam(hl.Int(8), 1, 'a')
    out[x] = hl.select(a[x] > hl.i8(5), hl.i8(0), a[x])",
        target: None,
        wrong: &[
            ("(i8 0)", "(call i8 \"shift_left\" pure-intrinsic 0 (i8 1) (i8 9))"),
            ("(i8 0)", "(call i8 \"rounding_shift_right\" pure-intrinsic 0 (i8 1) (i8 20))"),
            ("(i8 0)", "(call i8 \"mul_shift_right\" pure-intrinsic 0 (i8 1) (i8 1) (u8 40))"),
        ],
    },
    Case {
        name: "an average, which one of sorted operands is not",
        lines: "a = hl.ImageParam(hl.UInt(8), 1, 'a')
    out[x] = hl.halving_add(a[x], a[x + 1])",
        target: None,
        wrong: &[("\"halving_add\"", "\"sorted_avg\"")],
    },
    Case {
        name: "arguments of the statement's code",
        lines: "a = hl.ImageParam(hl.UInt(8), 1, 'a')
    p = hl.Param(hl.Int(32), 'p')
    out[x] = a[x + p]",
        target: None,
        wrong: &[
            ("(argument input-buffer \"a\" u8 1", "(argument input-buffer \"a\" i16 1"),
            ("(argument input-buffer \"a\" u8 1", "(argument input-buffer \"a\" u8 2"),
            ("(argument input-buffer \"a\"", "(argument output-buffer \"a\""),
            ("(argument output-buffer \"out\"", "(argument input-buffer \"out\""),
            ("(argument input-scalar \"p\" i32", "(argument input-scalar \"p\" i64"),
            ("(argument input-scalar \"p\"", "(argument input-scalar \"q\""),
        ],
    },
    Case {
        name: "products that are shifted by a parameter",
        lines: "i = hl.ImageParam(hl.Int(16), 1, 'i')
    n = hl.Param(hl.UInt(16), 'n')
    a, b = hl.rounding_mul_shift_right(i[x], i[x + 1], n), hl.mul_shift_right(i[x], i[x], n)
    out[x] = a + b
    out.vectorize(x, 8)",
        target: None,
        wrong: &[
            ("\"rounding_mul_shift_right\"", "\"mul_shift_right\""),
            ("\"mul_shift_right\"", "\"rounding_mul_shift_right\""),
        ],
    },
    Case {
        name: "neighbours that a clamp makes one element, in a sum of another order",
        lines: "i = hl.ImageParam(hl.Float(32), 1, 'i')
    e = hl.BoundaryConditions.repeat_edge(i)
    out[x] = hl.f32(0.5) * e[2 * x - 1] + hl.f32(0.75) * e[2 * x] + hl.f32(0.25) * e[2 * x + 1]",
        target: None,
        wrong: &[
            ("(i32 1))) (f32 0x3FD0000000000000)", "(i32 0))) (f32 0x3FD0000000000000)"),
            ("(i32 2)) (var i32 \"i.extent.0\")", "(i32 1)) (var i32 \"i.extent.0\")"),
            ("(f32 0x3FD0000000000000)", "(f32 0x3FE0000000000000)"),
        ],
    },
    Case {
        name: "minima of an input that are constants, in many clamps",
        lines: "i = hl.ImageParam(hl.UInt(8), 2, 'i')
    i.dim(0).set_min(0)
    i.dim(1).set_min(0)
    e = hl.BoundaryConditions.repeat_edge(i)
    f[x, y] = hl.i16(e[x, y])
    g[x, y] = f[x, y - 2] + 4 * f[x, y - 1] + 6 * f[x, y] + 4 * f[x, y + 1] + f[x, y + 2]
    h[x, y] = g[x - 2, y] + 4 * g[x - 1, y] + 6 * g[x, y] + 4 * g[x + 1, y] + g[x + 2, y]
    out[x, y] = hl.u8(h[x, y] >> 8)
    out.vectorize(x, 8)",
        target: None,
        wrong: &[(
            "(assert (== (var i32 \"i.min.0\") (i32 0))",
            "(assert (== (var i32 \"i.min.0\") (i32 1))",
        )],
    },
    Case {
        name: "a factor that is a parameter",
        lines: "n = hl.Param(hl.Int(32), 'n')
    out[x] = x * 3
    xo, xi = hl.Var('xo'), hl.Var('xi')
    out.split(x, xo, xi, n)",
        target: None,
        wrong: &[("(i32 3)", "(i32 5)")],
    },
    Case {
        name: "an update of fewer elements than the pure stage writes, at a fixed size",
        lines: "r = hl.RDom([(0, 4)], 'r')
    f[x] = 0
    f[x] = hl.select(f[x] < x * r, f[x], x - r)
    out[x] = f[x] * 2
    xo, xi = hl.Var('xo'), hl.Var('xi')
    f.compute_root().vectorize(x, 8, hl.TailStrategy.RoundUp)
    f.update().split(x, xo, xi, 8, hl.TailStrategy.GuardWithIf).reorder(xi, r, xo).vectorize(xi)
    out.bound(x, 0, 20)",
        target: None,
        wrong: &[("(broadcast 8 (i32 19))", "(broadcast 8 (i32 18))")],
    },
    Case {
        name: "updates that change some elements only",
        lines: "r = hl.RDom([(0, 100)], 'r')
    f[x] = x
    f[r.x] += hl.select((r.x > 10) & (r.x < 20), 1, 0)
    f[x] *= hl.select(x > 3, 2, 1)
    out[x] = f[x]
    f.compute_root()",
        target: None,
        wrong: &[("(i32 0) (i32 9)", "(i32 0) (i32 8)"), ("(i32 4)", "(i32 5)")],
    },
    Case {
        name: "a stage that only one value of a parameter needs",
        lines: "p = hl.Param(hl.Bool(), 'p')
    f[x], g[x] = x * 2, x * 3
    h[x] = f[x] + 1
    out[x] = hl.select(p, h[x], g[x])
    f.compute_root()
    g.compute_root()
    h.compute_root()",
        target: None,
        wrong: &[
            ("(if (var u1 \"p\")", "(if (! (var u1 \"p\"))"),
            ("(select (var u1 \"p\")", "(select (! (var u1 \"p\"))"),
        ],
    },
    Case {
        name: "a tail in a register",
        lines: "f[x] = x
    out[x] = f[x] * 2
    out.vectorize(x, 8, hl.TailStrategy.GuardWithIf)
    f.compute_at(out, x).vectorize(x, 8, hl.TailStrategy.GuardWithIf)",
        target: None,
        wrong: &[("(% (var i32 \"out.extent.0\") (i32 8)))", "(i32 1))")],
    },
    Case {
        name: "a print with a name",
        lines: "f[x] = x + hl.u8(7)
    out[x] = hl.print(f[x], 'of', x) + 1
    f.compute_root()
    f.vectorize(x, 4)
    out.vectorize(x, 4)",
        target: None,
        wrong: &[],
    },
    Case {
        name: "the lanes of a vector as more lanes",
        lines: "f[x] = hl.u32(x) * 0x01020304
    out[x] = hl.extract_bits(hl.UInt(8), f[x // 4], 8*(x % 4))
    f.compute_root().vectorize(x, 8)
    out.align_bounds(x, 4).vectorize(x, 32)",
        target: None,
        wrong: &[("(reinterpret u8x32 (load u32x8 \"f\" ", "(cast u8x32 (load u32x32 \"f\" ")],
    },
    Case {
        name: "loads by a part of the store's condition",
        lines: "c = hl.Var('c')
    f[x, y, c] = hl.u8(x*3 + y*5 + c)
    o = hl.Func('o')
    o[x, y, c] = f[x, y, c]
    f.compute_root()
    o.reorder(c, x, y).bound(c, 0, 3)
    o.output_buffer().dim(0).set_stride(3)
    o.output_buffer().dim(2).set_stride(1)
    o.output_buffer().dim(2).set_extent(3)
    o.vectorize(x, 16, hl.TailStrategy.GuardWithIf).unroll(c)
    out = o",
        target: None,
        wrong: &[],
    },
    Case {
        name: "tasks, of which the first runs ahead after a slow start",
        lines: "f[x] = x * x
    out[x] = f[x] + f[x + 1]
    f.store_root().compute_at(out, x).fold_storage(x, 8).async_()",
        target: None,
        wrong: &[
            (
                "\"halide_semaphore_init\" extern 0 (var h\"struct halide_semaphore_t *\" \
              \"f.folding_semaphore._0\") (i32 8)",
                "\"halide_semaphore_init\" extern 0 (var \
              h\"struct halide_semaphore_t *\" \"f.folding_semaphore._0\") (i32 10)",
            ),
            ("(i32 1) (i32 2)))", "(i32 2) (i32 2)))"),
        ],
    },
    Case {
        name: "a component that an update leaves alone",
        lines: "u = hl.undef(hl.Int(32))
    out[x] = (x, x + 100)
    out[x] = (u, hl.select(x < 20, 7 * out[x][0], u))",
        target: None,
        wrong: &[("(i32 7)", "(i32 8)"), ("(i32 20)", "(i32 21)")],
    },
    Case {
        name: "a func that is kept between runs, and needed at times",
        lines: "p = hl.Param(hl.Bool(), 'p')
    f[x] = x * 3
    out[x] = hl.select(p, f[x], 1)
    f.compute_root().memoize()",
        target: None,
        wrong: &[("(i32 3)", "(i32 4)"), ("(select (var u1 \"p\")", "(select (! (var u1 \"p\"))")],
    },
    Case {
        name: "an extern stage that only an empty cache runs",
        lines: "e = hl.Func('e')
    e.define_extern('values', [], hl.Int(32), 1)
    f[x] = e[x] + 1
    out[x] = f[x]
    e.compute_at(f, hl.Var.outermost())
    f.compute_root().memoize()",
        target: None,
        wrong: &[("(load i32 \"e\"", "(load i32 \"f\"")],
    },
    Case {
        name: "the address in a parameter",
        lines: "p, q = hl.Param(hl.Handle(), 'p'), hl.Param(hl.Handle(), 'q')
    u = hl.UInt(64)
    out[x] = hl.reinterpret(u, p) + hl.reinterpret(u, q) * 2 + hl.u64(x)",
        target: None,
        wrong: &[("(var h \"q\")", "(var h \"p\")")],
    },
    Case {
        name: "an extern stage that asks for more than its output",
        lines: "f[x] = hl.sin(hl.f32(x))
    out.define_extern('sort', [f], hl.Float(32), 1)
    f.compute_root()",
        target: None,
        wrong: &[("\"sin_f32\"", "\"cos_f32\"")],
    },
    Case {
        name: "tasks, of which one checks its bounds before it waits",
        lines: "f[x, y] = x + y
    out[x, y] = f[x, y] * 2
    out.bound(x, 0, 16).bound(y, 0, 16)
    f.compute_at(out, y).async_()",
        target: None,
        wrong: &[(
            "(acquire (var h\"struct halide_semaphore_t *\" \"f.semaphore_0\") (i32 1)",
            "(scope",
        )],
    },
    Case {
        name: "a memoized func that depends on a parameter by its domain alone",
        lines: "p, q = hl.Param(hl.Int(32), 'p'), hl.Param(hl.Int(32), 'q')
    r = hl.RDom([(0, p)])
    f[x] = x * q
    f[x] += x + r.x
    out[x] = f[x] + f[x + 1]
    f.compute_root().memoize()",
        target: None,
        wrong: &[
            (
                "(store \"f.cache_key\" (i32 3) (var i32 \"p\")",
                "(store \"f.cache_key\" (i32 3) (i32 7)",
            ),
            ("(i32 0) (i32 32) (i32 1) (var h\"struct", "(i32 0) (i32 8) (i32 1) (var h\"struct"),
            ("(i32 0) (i32 32) (i32 1) (var h\"struct", "(i32 2) (i32 32) (i32 1) (var h\"struct"),
        ],
    },
    Case {
        name: "memory whose size the code checks, which it does not with `large_buffers`",
        lines: "a = hl.ImageParam(hl.UInt(8), 2, 'a')
    f[x, y] = a[x, y] + hl.u8(1)
    out[x, y] = f[x, y] + f[x + 3, y]
    f.compute_root()",
        target: Some("x86-64-linux-sse41"),
        wrong: &[("x86-64-linux-sse41", "x86-64-linux-large_buffers-sse41")],
    },
    Case {
        name: "a vector of updates under a condition on the memory that they write",
        lines: "a = hl.ImageParam(hl.Int(32), 1, 'a')
    f[x] = a[x]
    f[x] = hl.select(f[x] > 0, f[x] - 1, f[x])
    out[x] = f[x]
    f.compute_root().vectorize(x, 4)
    f.update().vectorize(x, 4)",
        target: None,
        wrong: &[],
    },
    Case {
        name: "a requirement within a func",
        lines: "p = hl.Param(hl.Int(32), 'p')
    f[x] = hl.require(p > 3, x * p, p)
    out[x] = f[x] + 1
    f.compute_root()",
        target: None,
        wrong: &[
            ("(< (i32 3) (var i32 \"p\"))", "(< (i32 2) (var i32 \"p\"))"),
            ("(var u1 \"t10\") (var i32 \"t9\")", "(== (i32 1) (i32 1)) (var i32 \"t9\")"),
            ("(var u1 \"t10\") (var i32 \"t9\")", "(var u1 \"t10\") (i32 7)"),
        ],
    },
    Case {
        name: "memory that is hoisted out of several loops",
        lines: "f[x, y] = x + y * 3
    out[x, y] = f[x - 1, y - 1] + f[x + 1, y + 1]
    xo, yo, xi, yi = hl.vars('xo yo xi yi')
    out.tile(x, y, xo, yo, xi, yi, 16, 16, hl.TailStrategy.RoundUp)
    f.compute_at(out, xo).hoist_storage_root()",
        target: None,
        wrong: &[
            ("((i32 18) (i32 18))", "((i32 18) (i32 17))"),
            ("\"f.s0.y.rebased\" (i32 0) (i32 18)", "\"f.s0.y.rebased\" (i32 0) (i32 17)"),
        ],
    },
    Case {
        name: "tiles in a ring, in one loop after the other",
        lines: "f[x, y] = x + y * 3
    out[x, y] = f[x - 1, y - 1] + f[x + 1, y + 1]
    xo, yo, xi, yi = hl.vars('xo yo xi yi')
    out.tile(x, y, xo, yo, xi, yi, 16, 16, hl.TailStrategy.RoundUp)
    f.compute_at(out, xo).hoist_storage_root().ring_buffer(2)",
        target: None,
        wrong: &[
            ("((i32 18) (i32 18) (i32 2))", "((i32 18) (i32 18) (i32 1))"),
            (
                "(let \"t16\" (* (% (+ (var i32 \"out.s0.x.xo\") (var i32 \"t11\"))",
                "(let \"t16\" (* (% (+ (var i32 \"out.s0.x.xo\") (i32 1))",
            ),
        ],
    },
    Case {
        name: "a window that moves down, in folded memory",
        lines: "f[x] = x * x
    out[x] = f[-x] + f[1 - x]
    f.store_root().fold_storage(x, 8, False).compute_at(out, x)",
        target: None,
        wrong: &[
            ("((i32 8))", "((i32 7))"),
            ("(i32 8)", "(i32 1)"),
            ("(- (i32 2) (var i32 \"out.min.0\"))", "(- (i32 3) (var i32 \"out.min.0\"))"),
            ("(if (<= (i32 1)", "(if (<= (i32 0)"),
        ],
    },
    Case {
        name: "values that tell which of the elements in one place is stored",
        lines: "f[x] = x * 7 + 3
    out[x] = f[100 - x] + f[101 - x]
    f.store_root().compute_at(out, x)",
        target: None,
        wrong: &[
            ("(i32 703)", "(i32 710)"),
            (
                "(% (+ (var i32 \"out.min.0\") (i32 1)) (i32 2))",
                "(% (+ (var i32 \"out.min.0\") (i32 2)) (i32 2))",
            ),
        ],
    },
    Case {
        name: "a window in each branch of a specialization",
        lines: "f[x] = x * x
    out[x] = f[x] + f[x - 1]
    f.store_root().compute_at(out, x)
    out.specialize(out.output_buffer().dim(0).min() == 0)",
        target: None,
        wrong: &[
            (
                "(i32 -1) (var i32 \"f.x.min_realized\")) (i32 1))",
                "(i32 -1) (var i32 \"f.x.min_realized\")) (i32 2))",
            ),
            ("(* (+ (var i32 \"out.min.0\") (i32 -1))", "(* (+ (var i32 \"out.min.0\") (i32 -2))"),
        ],
    },
    Case {
        name: "memory of a stated size, which is checked first in a loop",
        lines: "f[x, y] = x + y
    out[x, y] = f[x, y] * 2
    f.compute_at(out, y).bound_storage(x, 16)",
        target: None,
        wrong: &[
            ("((i32 16))", "((i32 15))"),
            (
                "(let \"t2\" (<= (var i32 \"out.extent.0\") (i32 16)))",
                "(let \"t2\" (<= (var i32 \"out.extent.0\") (i32 17)))",
            ),
            // What is done before the check is done where it fails, too.
            (
                "(assert (var u1 \"t2\")",
                "(if (! (var u1 \"t2\")) (then (store \"out\" (i32 -1) (i32 0))))
     (assert (var u1 \"t2\")",
            ),
            (
                "(assert (var u1 \"t2\")",
                "(store \"out\" (select (var u1 \"t2\") (i32 0) (i32 -1)) (i32 0))
     (assert (var u1 \"t2\")",
            ),
            (
                "(assert (var u1 \"t2\")",
                "(let \"early\" (load i32 \"out\" (select (var u1 \"t2\") (i32 0) (i32 -1))))
     (assert (var u1 \"t2\")",
            ),
        ],
    },
    Case {
        name: "coordinates that a parameter multiplies, where a domain may be empty",
        lines: "i = hl.ImageParam(hl.UInt(8), 1, 'i')
    s, n = hl.Param(hl.Int(32), 's'), hl.Param(hl.Int(32), 'n')
    clamped = hl.BoundaryConditions.repeat_edge(i)
    r = hl.RDom([(0, n)])
    at = x * s + r.x
    r.where((i.dim(0).min() <= at) & (at <= i.dim(0).max()))
    f[x] = hl.u8(0)
    f[x] = hl.max(f[x], clamped[at])
    out[x] = f[x]
    f.compute_at(out, x)",
        target: None,
        wrong: &[
            (
                "(* (+ (var i32 \"out.min.0\") (var i32 \"out.s0.x.rebased\")) (var i32 \"s\"))",
                "(* (var i32 \"out.s0.x.rebased\") (var i32 \"s\"))",
            ),
            (
                "(for serial none \"f.s1.r7$x.rebased\" (i32 0) (var i32 \"t55\")",
                "(for serial none \"f.s1.r7$x.rebased\" (i32 0) (var i32 \"n\")",
            ),
            (
                "(for serial none \"f.s1.r7$x.rebased\" (i32 0) (var i32 \"t58\")",
                "(for serial none \"f.s1.r7$x.rebased\" (i32 1) (- (var i32 \"t58\") (i32 1))",
            ),
        ],
    },
    Case {
        name: "a saturating cast of a quotient of which nothing is known",
        lines: "i = hl.ImageParam(hl.UInt(16), 2, 'i')
    n = hl.Param(hl.Int(32), 'n')
    count = hl.min(y * 3, n) - hl.max(y, 4)
    inverse = hl.saturating_cast(hl.UInt(16), (65536 + count) / (2 * count))
    out[x, y] = hl.rounding_mul_shift_right(i[x, y], inverse, 16)
    out.vectorize(x, 8)",
        target: None,
        wrong: &[
            ("(call u16 \"saturating_cast\" pure-intrinsic 0 (/", "(cast u16 (/"),
            ("(broadcast 8 (u16 16))", "(broadcast 8 (u16 15))"),
        ],
    },
    Case {
        name: "a selection of factors, by a condition that the claim's words say otherwise",
        lines: "p = hl.Param(hl.Float(32), 'p')
    g[x] = hl.select((0 <= x) & (x <= 2), hl.f32(1), hl.f32(0))
    f[x] = g[x] * p * 5.0
    f[0] = 0.0
    out[x] = f[x]
    f.compute_at(out, x)",
        target: None,
        wrong: &[
            (
                "(var f32 \"p\") (f32 0x0000000000000000))",
                "(f32 0x0000000000000000) (var f32 \"p\"))",
            ),
            ("(<= (var i32 \"t2\") (i32 2))", "(<= (var i32 \"t2\") (i32 3))"),
            ("(f32 0x4014000000000000)", "(f32 0x4018000000000000)"),
        ],
    },
    Case {
        name: "a tuple of sums, in vectors that run at one time",
        lines: "f[x] = (x, x * 2)
    r = hl.RDom([(1, 100)])
    ro, ri = hl.RVar('ro'), hl.RVar('ri')
    g[()] = (0, 0)
    g[()] = (g[()][0] + f[r.x][0], g[()][1] + f[r.x][1])
    out[x] = x + g[()][0] + g[()][1]
    f.compute_root()
    g.compute_root().update().atomic().split(r.x, ro, ri, 8).parallel(ro).vectorize(ri)",
        target: None,
        wrong: &[
            (
                "(load i32 \"g.1\" (i32 0) (align 0 0)) (var",
                "(load i32 \"g.0\" (i32 0) (align 0 0)) (var",
            ),
            ("(atomic \"g\"", "(scope"),
        ],
    },
    Case {
        name: "an update that changes nothing",
        lines: "r = hl.RDom([(0, 10)])
    f[x] = x * 3
    f[r.x + 1] = f[r.x + 1]
    out[x] = f[x] + f[x + 1]
    f.compute_root()",
        target: None,
        wrong: &[("(i32 3)", "(i32 4)")],
    },
    Case {
        name: "a task that waits for another one by several semaphores",
        lines: "f[x, y] = x + y * 3
    g[x, y] = f[x - 1, y] + 1
    h[x, y] = f[x + 1, y] * 2
    out[x, y] = g[x, y] + h[x, y]
    g.compute_at(out, y)
    h.compute_at(out, y)
    f.compute_at(out, y).hoist_storage_root().ring_buffer(2).async_()",
        target: None,
        wrong: &[
            (
                "\"halide_semaphore_release\" extern 0 (var h\"struct halide_semaphore_t *\" \
              \"f.semaphore_0\") (i32 1)",
                "\"halide_semaphore_release\" extern 0 (var h\"struct halide_semaphore_t *\" \
              \"f.semaphore_1\") (i32 1)",
            ),
            (
                "\"halide_semaphore_release\" extern 0 (var h\"struct halide_semaphore_t *\" \
              \"f.semaphore_0\") (i32 1)",
                "\"halide_semaphore_release\" extern 0 (var h\"struct halide_semaphore_t *\" \
              \"f.semaphore_0\") (i32 0)",
            ),
            (
                "(acquire (var h\"struct halide_semaphore_t *\" \"f.semaphore_0\") (i32 1)",
                "(acquire (var h\"struct halide_semaphore_t *\" \"f.semaphore_0\") (i32 2)",
            ),
            (
                "(acquire (var h\"struct halide_semaphore_t *\" \"f.semaphore_1\") (i32 1)",
                "(acquire (var h\"struct halide_semaphore_t *\" \"f.semaphore_0\") (i32 1)",
            ),
            ("(acquire (var h\"struct halide_semaphore_t *\" \"f.semaphore_1\") (i32 1)", "(scope"),
        ],
    },
    Case {
        name: "memory of a stage below a vectorized loop, which each lane has for itself",
        lines: "i = hl.ImageParam(hl.Int(32), 2, 'i')
    k = hl.Var('k')
    r = hl.RDom([(0, 4)], 'r')
    f[k, x, y] = i[x, y + k] * 3 + k
    g[x, y] = hl.undef(hl.Int(32))
    g[x, r.x] = f[0, x, r.x] + f[1, x, r.x + 1] * f[2, x, r.x]
    out[x, y] = g[x, y]
    g.compute_root().bound(x, 0, 8).bound(y, 0, 4)
    g.update().vectorize(x)
    f.compute_at(g, x)",
        target: None,
        wrong: &[
            ("((i32 8) (i32 3) (i32 1) (i32 5))", "((i32 8) (i32 3) (i32 1) (i32 4))"),
            ("((i32 8) (i32 3) (i32 1) (i32 5))", "((i32 7) (i32 3) (i32 1) (i32 5))"),
            (
                "(* (var i32 \"g.s1.r$x\") (i32 24)) (i32 16)",
                "(* (var i32 \"g.s1.r$x\") (i32 24)) (i32 8)",
            ),
        ],
    },
    Case {
        name: "a check of bounds after work that is the same in all runs",
        lines: "i = hl.ImageParam(hl.Int(32), 1, 'i')
    f[x] = x * x
    g[x] = i[x] + f[x % 10]
    out[x] = g[x]
    f.compute_root()
    g.compute_root().bound(x, 0, 16)",
        target: None,
        wrong: &[
            (
                "(<= (+ (var i32 \"out.extent.0\") (var i32 \"out.min.0\")) (i32 16))",
                "(<= (+ (var i32 \"out.extent.0\") (var i32 \"out.min.0\")) (i32 17))",
            ),
            (
                "(for serial none \"f.s0.x\" (i32 0) (i32 10)",
                "(for serial none \"f.s0.x\" (i32 0) \
              (max (min (var i32 \"out.extent.0\") (i32 10)) (i32 10))",
            ),
        ],
    },
    Case {
        name: "a component that keeps its value, in a func without values at some points",
        lines: "u = hl.undef(hl.Int(32))
    f[x] = (hl.select(x < 8, x * 3, u), hl.select(x < 8, x * 5, u))
    f[8] = (f[0][1], 2)
    f[3] = (f[3][0], 7)
    out[x] = f[x][0] * 10 + f[x][1]
    f.compute_root()
    out.bound(x, 0, 9)",
        target: None,
        wrong: &[
            ("(store \"f.1\" (i32 3) (i32 7)", "(store \"f.0\" (i32 3) (i32 7)"),
            ("(store \"f.1\" (i32 3) (i32 7)", "(store \"f.1\" (i32 4) (i32 7)"),
            ("(store \"f.1\" (i32 8) (i32 2)", "(store \"f.1\" (i32 7) (i32 2)"),
        ],
    },
    Case {
        name: "an output whose last dimension has one element and the stride of the first",
        lines: "i = hl.ImageParam(hl.Int(32), 2, 'i')
    c = hl.Var('c')
    out[x, y, c] = i[x, y] + c
    out.output_buffer().dim(2).set_min(0).set_extent(1).set_stride(1)
    out.output_buffer().dim(0).set_stride(1)",
        target: None,
        wrong: &[(
            "(assert (== (var i32 \"out.extent.2\") (i32 1))",
            "(assert (== (var i32 \"out.extent.2\") (i32 2))",
        )],
    },
    Case {
        name: "an output of a fixed number of planes",
        lines: "i = hl.ImageParam(hl.Int(32), 2, 'i')
    c = hl.Var('c')
    out[x, y, c] = i[x, y] + c
    out.output_buffer().dim(2).set_bounds(0, 3)",
        target: None,
        wrong: &[
            (
                "(* (var i32 \"out.s0.c\") (var i32 \"out.stride.2\"))",
                "(* (var i32 \"out.s0.c\") (var i32 \"out.stride.1\"))",
            ),
            ("\"out.s0.c\" (i32 0) (i32 3)", "\"out.s0.c\" (i32 0) (i32 2)"),
        ],
    },
];

const SCRIPT: &str = "import halide as hl

def pipeline():
    x, y = hl.Var('x'), hl.Var('y')
    f, g, h, out = hl.Func('f'), hl.Func('g'), hl.Func('h'), hl.Func('out')
    {lines}
    return out
";

#[test]
fn each_construct_is_proved_and_its_wrong_twins_are_not() {
    if bridge::find().is_err() || !bridge::is_installed() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options::find().expect("there are solvers").of_stock();
    let mut failed = Vec::new();
    let cases = sampled(CASES, 12);
    for (number, Case { name, lines, target, wrong }) in cases.into_iter().enumerate() {
        let path = folder.path().join(format!("script_{number}.py"));
        std::fs::write(&path, SCRIPT.replace("{lines}", lines)).expect("it is written");
        let mut job = bridge::Job::of(bridge::Origin::Script(path));
        job.target = target.map(str::to_owned);
        let stock = stock::read(&Request::of_job(job.clone())).expect(name);
        let dump = stock.lossless().expect("it is compiled here");
        let mut judge = |subject: &halidom_driver::subject::Subject| {
            crate::common::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options)
        };
        let verdict = stock::judged(&stock, Annotations::Never, &mut judge).report.verdict;
        if verdict != Verdict::Proved {
            failed.push(format!("{name}: {verdict:?}"));
        }
        for (from, to) in *wrong {
            let changed = dump.replace(from, to);
            if changed == dump {
                failed.push(format!("{name}: `{from}` is not in {dump}"));
                continue;
            }
            let path = folder.path().join("changed.dump");
            std::fs::write(&path, changed).expect("it is written");
            let request = Request { statement: Some(path), ..Request::of_job(job.clone()) };
            let Ok(stock) = stock::read(&request) else { continue };
            let verdict = stock::judged(&stock, Annotations::Never, &mut judge).report.verdict;
            if verdict == Verdict::Proved {
                failed.push(format!("{name}: proved with `{to}` for `{from}`"));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
