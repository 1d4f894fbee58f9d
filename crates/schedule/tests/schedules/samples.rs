//! Algorithms and schedules for them.

use halidom_ir::Shape;

/// An algorithm with schedules and sizes to try.
pub(crate) struct Sample {
    /// The algorithm, in the IR's text form.
    pub(crate) text: &'static str,
    /// Directives, one per line.
    pub(crate) schedules: &'static [&'static str],
    /// Windows of the output.
    pub(crate) windows: &'static [&'static [(i64, i64)]],
    /// The inputs' boxes if the algorithm mentions them; otherwise the regions read for the window.
    pub(crate) shapes: Option<fn(&Shape) -> Vec<Shape>>,
    /// True if boxes are exactly the regions that are read, so that the default engine demands no
    /// more.
    pub(crate) exact: bool,
    /// Values of parameters.
    pub(crate) params: &'static [(&'static str, i128)],
}

/// Every sample.
pub(crate) const ALL: &[Sample] = &[
    BLUR, GEMM, HISTOGRAM, EDGE, RESAMPLE, PREFIX, SCAN, RUNNING, GATHER, CHAIN, FACTOR, SCALAR,
    EMPTY,
];

const PLANES: &[&[(i64, i64)]] = &[
    &[(0, 0), (0, 0)],
    &[(1, 1), (-2, 1)],
    &[(1, 2), (-2, 3)],
    &[(0, 5), (0, 4)],
    &[(-7, 8), (0, 8)],
    &[(1, 9), (-2, 7)],
    &[(3, 17), (5, 11)],
];

const LINES: &[&[(i64, i64)]] =
    &[&[(0, 0)], &[(-5, 1)], &[(0, 3)], &[(2, 8)], &[(-9, 17)], &[(7, 31)]];

/// A two-stage box blur.
pub(crate) const BLUR: Sample = Sample {
    text: "algorithm blur {
  input input(x, y): u16 in input.buffer [input.min.0, input.extent.0, input.stride.0] \
  [input.min.1, input.extent.1, input.stride.1];
  func blur_x(bx, by): u16 {
    stage(bx, by) = (input(bx, by) + input(bx + 1, by) + input(bx + 2, by)) / 3u16;
  }
  func output(ox, oy): u16 {
    stage(ox, oy) = (blur_x(ox, oy) + blur_x(ox, oy + 1) + blur_x(ox, oy + 2)) / 3u16;
  }
  output output;
}",
    schedules: &[
        "",
        "blur_x.compute_inline()",
        "output.split(ox, xo, xi, 4, guard)",
        "output.split(ox, xo, xi, 4, shift)",
        "output.split(ox, xo, xi, 4, round)",
        "output.split(ox, xo, xi, 4, auto)
         output.split(xi, xio, xii, 3, guard)",
        "output.split(ox, xo, xi, 5, round)
         output.split(xi, xio, xii, 3, round)
         blur_x.compute_at(output, xio)",
        "output.split(ox, xo, xi, 5, guard)
         output.split(xi, xio, xii, 3, shift)
         blur_x.compute_at(output, xio)",
        "output.tile(ox, oy, xo, yo, xi, yi, 4, 3, guard)
         blur_x.compute_at(output, xo)",
        "output.tile(ox, oy, xo, yo, xi, yi, 4, 3, shift)
         output.parallel(yo)
         blur_x.compute_at(output, xo)
         blur_x.vectorize(bx, 2, guard)",
        "output.tile(ox, oy, xo, yo, xi, yi, 4, 3, round)
         output.parallel(yo)
         output.vectorize(xi)
         blur_x.compute_at(output, yo)",
        "output.vectorize(ox, 4, round)
         blur_x.compute_at(output, oy)
         blur_x.vectorize(bx, 4, round)",
        "output.vectorize(ox, 4, shift)
         output.unroll(oy, 2, guard)
         blur_x.store_root()
         blur_x.compute_at(output, oy)",
        "output.fuse(oy, ox, t)
         output.split(t, to, ti, 7, guard)
         output.parallel(to)",
        "output.fuse(oy, ox, t)
         output.split(t, to, ti, 7, round)",
        "output.fuse(oy, ox, t)
         blur_x.compute_at(output, t)",
        "output.split(oy, yo, yi, 2, shift)
         blur_x.compute_at(output, yi)
         blur_x.store_at(output, yo)",
        "output.swap(oy)
         blur_x.reorder(by, bx)
         blur_x.compute_at(output, ox)",
        "output.rename(ox, across)
         blur_x.compute_at(output, across)",
        "blur_x.align_bounds(bx, 8, 1)
         blur_x.split(bx, xo, xi, 8, guard)",
        "blur_x.bound(by, -3, 24)
         blur_x.bound_extent(bx, 24)
         blur_x.vectorize(bx)
         blur_x.unroll(by)",
        "output.specialize(input.extent.0, 10, output.split(ox, xo, xi, 4, guard))
         output.specialize(input.extent.0, 12, output.vectorize(ox, 4, shift))
         blur_x.compute_at(output, oy)
         blur_x.specialize(input.extent.1, 9, blur_x.unroll(bx, 2, guard))",
        "output.specialize(input.extent.0, 10, output.split(ox, xo, xi, 4, \
            guard);output.parallel(oy))
         output.split(oy, yo, yi, 3, shift)",
        "blur_x.specialize(input.extent.0, 11, blur_x.split(bx, xo, xi, 4, round))
         blur_x.compute_at(output, oy)",
    ],
    windows: PLANES,
    shapes: None,
    exact: true,
    params: &[],
};

/// Matrix product: a pure stage, then an update over a reduction domain.
pub(crate) const GEMM: Sample = Sample {
    text: "algorithm gemm {
  param alpha: i32;
  input A(x, y): i32 in A.buffer [A.min.0, A.extent.0, A.stride.0] [A.min.1, A.extent.1, \
  A.stride.1];
  input B(bx, by): i32 in B.buffer [B.min.0, B.extent.0, B.stride.0] [B.min.1, B.extent.1, \
  B.stride.1];
  require A.extent.1 == B.extent.0, \"inner dimensions differ\";
  func AB(i, j): i32 {
    stage(i, j) = 0i32;
    for k in [0, A.extent.1] stage(i, j) = AB(i, j) + A(i, k) * B(k, j);
  }
  func D(di, dj): i32 {
    stage(di, dj) = alpha * AB(di, dj);
  }
  output D;
}",
    schedules: &[
        "",
        "AB.compute_at(D, di)",
        "AB.compute_at(D, dj)
         AB.store_root()",
        "AB.update(1).reorder(k, i, j)
         AB.update(1).reorder(i, k)
         AB.update(1).vectorize(i, 4, guard)",
        "AB.update(1).split(k, ko, ki, 3, guard)
         AB.update(1).reorder(ki, i, ko, j)
         AB.update(1).parallel(j)",
        "AB.split(i, io, ii, 4, round)
         AB.update(1).split(i, io, ii, 4, guard)
         AB.update(1).unroll(ii)",
        "D.tile(di, dj, xo, yo, xi, yi, 4, 3, shift)
         D.parallel(yo)
         AB.compute_at(D, xo)
         AB.update(1).reorder(i, j, k)",
        "D.tile(di, dj, xo, yo, xi, yi, 4, 3, guard)
         AB.compute_at(D, xo)
         AB.update(1).fuse(j, i, t)",
        "D.split(di, xo, xi, 4, round)
         AB.compute_at(D, xo)
         AB.update(1).split(k, ko, ki, A.extent.0, guard)",
    ],
    windows: &[
        &[(0, 0), (0, 0)],
        &[(0, 1), (0, 1)],
        &[(0, 3), (0, 2)],
        &[(0, 8), (0, 4)],
        &[(0, 9), (0, 7)],
    ],
    shapes: Some(|window| {
        let (m, n) = (window[0].1.max(1), window[1].1);
        // The sizes of windows also determine the inner dimension, which may be 0.
        let k = (m * 3 + n) % 6;
        vec![vec![(0, m), (0, k)], vec![(0, k), (0, n)]]
    }),
    exact: true,
    params: &[("alpha", 3)],
};

/// A scatter whose index depends on data, under a condition.
pub(crate) const HISTOGRAM: Sample = Sample {
    text: "algorithm histogram {
  param limit: u8;
  input input(x, y): u8 in input.buffer [input.min.0, input.extent.0, input.stride.0] \
  [input.min.1, input.extent.1, input.stride.1];
  func count(i): u32 {
    stage(i) = 0u32;
    for hx in [0, input.extent.0] for hy in [0, input.extent.1] if input(hx, hy) < limit
      stage(int(min(max(i32(input(hx, hy)), 0i32), 255i32))) = count(int(min(max(i32(input(hx, \
      hy)), 0i32), 255i32))) + 1u32;
  }
  output count;
}",
    schedules: &[
        "",
        "count.split(i, io, ii, 16, round)",
        "count.vectorize(i, 16, shift)",
        "count.parallel(i)
         count.update(1).split(hx, xo, xi, 4, guard)",
        "count.update(1).fuse(hy, hx, t)
         count.update(1).unroll(t, 3, guard)",
    ],
    windows: &[&[(0, 0)], &[(0, 256)], &[(3, 5)], &[(-7, 20)], &[(250, 10)]],
    shapes: Some(|window| {
        let (_, extent) = window[0];
        vec![vec![(0, extent % 13), (0, extent % 7)]]
    }),
    exact: true,
    params: &[("limit", 200)],
};

/// A blur of an image extended by its edge pixels.
pub(crate) const EDGE: Sample = Sample {
    text: "algorithm edge {
  input input(x, y): u8 in input.buffer [input.min.0, input.extent.0, input.stride.0] \
  [input.min.1, input.extent.1, input.stride.1];
  synthetic func repeated(rx, ry): u8 {
    stage(rx, ry) = input(min(max(rx, input.min.0), input.min.0 + input.extent.0 - 1), min(max(ry, \
    input.min.1), input.min.1 + input.extent.1 - 1));
  }
  func blur_x(bx, by): u8 {
    stage(bx, by) = (repeated(bx - 1, by) / 2u8 + repeated(bx + 1, by) / 2u8);
  }
  func output(ox, oy): u8 {
    stage(ox, oy) = (blur_x(ox, oy - 1) / 2u8 + blur_x(ox, oy + 1) / 2u8);
  }
  output output;
}",
    schedules: &[
        "",
        "repeated.compute_root()",
        "repeated.compute_at(blur_x, by)
         blur_x.compute_at(output, oy)",
        "output.tile(ox, oy, xo, yo, xi, yi, 4, 3, shift)
         blur_x.compute_at(output, xo)
         blur_x.vectorize(bx, 4, shift)",
        "output.tile(ox, oy, xo, yo, xi, yi, 4, 3, round)
         output.parallel(yo)
         blur_x.compute_at(output, xo)
         repeated.compute_at(output, xo)",
    ],
    windows: PLANES,
    shapes: Some(|window| {
        vec![vec![(window[0].0 - 1, window[0].1.max(1)), (window[1].0 + 2, window[1].1.max(1))]]
    }),
    exact: true,
    params: &[],
};

/// Down by two, then up by two: quotients and multiples of coordinates.
const RESAMPLE: Sample = Sample {
    text: "algorithm resample {
  input input(x): i32 in input.buffer [input.min.0, input.extent.0, input.stride.0];
  func down(dx): i32 {
    stage(dx) = input(2 * dx) + input(2 * dx + 1);
  }
  func up(ux): i32 {
    stage(ux) = down(ux / 2) + down((ux + 1) / 2) + input(5 - ux);
  }
  func turned(tx): i32 {
    stage(tx) = up(3 - tx) + up(abs(tx)) + up(tx % 4) + up(select(tx > 2, tx, 2 - tx));
  }
  output turned;
}",
    schedules: &[
        "",
        "down.compute_at(up, ux)",
        "up.split(ux, xo, xi, 8, guard)
         down.compute_at(up, xo)",
        "up.split(ux, xo, xi, 8, round)
         down.compute_at(up, xo)
         down.split(dx, xo, xi, 3, shift)",
        "up.compute_at(turned, tx)
         down.compute_at(up, ux)",
        "turned.split(tx, xo, xi, 4, shift)
         up.compute_at(turned, xo)
         down.compute_at(turned, xo)
         turned.parallel(xo)",
    ],
    windows: LINES,
    shapes: None,
    exact: false,
    params: &[],
};

/// Prefix sums: a condition between the pure and the reduction variable.
const PREFIX: Sample = Sample {
    text: "algorithm prefix {
  param n: int;
  input input(x): i32 in input.buffer [input.min.0, input.extent.0, input.stride.0];
  func square(sx): i32 {
    stage(sx) = input(sx) * input(sx);
  }
  func sum(i): i32 {
    stage(i) = 0i32;
    for r in [0, n] if r <= i & !(r + i > 20) stage(i) = sum(i) + square(r);
  }
  output sum;
}",
    schedules: &[
        "",
        "sum.update(1).split(i, io, ii, 4, guard)
         square.compute_at(sum!1, io)",
        "sum.update(1).reorder(i, r)
         square.compute_at(sum!1, r)",
        "sum.update(1).split(r, ro, ri, 4, guard)
         sum.update(1).parallel(i)
         square.compute_at(sum!1, ro)",
    ],
    windows: LINES,
    shapes: None,
    exact: false,
    params: &[("n", 9)],
};

/// A func that reads the values that its own update wrote earlier.
const SCAN: Sample = Sample {
    text: "algorithm scan {
  input input(x, y): i32 in input.buffer [input.min.0, input.extent.0, input.stride.0] \
  [input.min.1, input.extent.1, input.stride.1];
  func total(sx, sy): i32 {
    stage(sx, sy) = input(sx, sy);
    for r in [1, 9] stage(sx, r) = total(sx, r) + total(sx, r - 1);
    for q in [0, 9] stage(sx, 9 - q) = total(sx, 9 - q) + total(sx, 10 - q);
  }
  func output(ox, oy): i32 {
    stage(ox, oy) = total(ox, oy) + total(ox + 1, oy);
  }
  output output;
}",
    schedules: &[
        "",
        "total.compute_at(output, oy)",
        "total.compute_at(output, ox)
         total.store_at(output, oy)",
        "output.split(ox, xo, xi, 4, guard)
         output.reorder(xi, oy, xo)
         total.compute_at(output, xo)
         total.update(1).reorder(sx, r)
         total.update(1).vectorize(sx, 2, guard)
         total.update(2).parallel(sx)",
        "total.specialize(input.extent.0, 10, total.split(sx, xo, xi, 4, round);total.parallel(sy))
         total.compute_at(output, oy)",
    ],
    windows: PLANES,
    shapes: None,
    exact: true,
    params: &[],
};

/// A running sum: needed values depend on values that are not needed.
const RUNNING: Sample = Sample {
    text: "algorithm running {
  input input(x): i32 in input.buffer [input.min.0, input.extent.0, input.stride.0];
  func total(tx): i32 {
    stage(tx) = input(tx);
    for r in [1, 9] stage(r) = total(r) + total(r - 1);
  }
  func output(ox): i32 {
    stage(ox) = total(ox);
  }
  output output;
}",
    schedules: &["", "total.compute_at(output, ox)", "total.update(1).unroll(r, 4, guard)"],
    windows: &[&[(0, 0)], &[(5, 3)], &[(9, 4)], &[(-3, 20)]],
    shapes: Some(|window| vec![vec![(window[0].0.min(0), window[0].1 + 20)]]),
    exact: true,
    params: &[],
};

/// A table read at coordinates that depend on data.
const GATHER: Sample = Sample {
    text: "algorithm gather {
  param offset: i16;
  input input(x): u8 in input.buffer [input.min.0, input.extent.0, input.stride.0];
  input table(t): i32 in table.buffer [table.min.0, table.extent.0, table.stride.0];
  func curve(cx): i32 {
    stage(cx) = table(cx) + table(cx + 1);
  }
  func output(ox): i32 {
    stage(ox) = curve(int(input(ox))) + curve(int(u16(input(ox)) / 2u16 + 3u16)) + \
    curve(min(int(input(ox + 1)) + int(offset), 300));
  }
  output output;
}",
    schedules: &[
        "",
        "output.split(ox, xo, xi, 4, round)",
        "curve.vectorize(cx, 8, shift)
         output.split(ox, xo, xi, 8, guard)
         output.parallel(xo)",
    ],
    windows: LINES,
    shapes: Some(|window| vec![vec![(window[0].0, window[0].1 + 1)], vec![(-40, 400)]]),
    exact: false,
    params: &[("offset", -7)],
};

/// Three stencils one after another.
pub(crate) const CHAIN: Sample = Sample {
    text: "algorithm chain {
  input input(x, y): i32 in input.buffer [input.min.0, input.extent.0, input.stride.0] \
  [input.min.1, input.extent.1, input.stride.1];
  func a(ax, ay): i32 {
    stage(ax, ay) = input(ax - 1, ay) + input(ax + 1, ay);
  }
  func b(bx, by): i32 {
    stage(bx, by) = a(bx, by - 1) * a(bx, by + 1);
  }
  func c(cx, cy): i32 {
    stage(cx, cy) = b(cx - 1, cy) + b(cx + 1, cy) - a(cx, cy);
  }
  output c;
}",
    schedules: &[
        "",
        "c.split(cy, yo, yi, 3, shift)
         b.compute_at(c, yo)
         a.compute_at(c, yo)",
        "c.tile(cx, cy, xo, yo, xi, yi, 4, 4, guard)
         c.parallel(yo)
         b.compute_at(c, xo)
         a.compute_at(c, yo)
         a.split(ax, xo, xi, 4, round)",
        "b.split(by, yo, yi, 2, guard)
         b.compute_at(c, cy)
         a.compute_at(c, cy)
         a.store_root()",
        "c.tile(cx, cy, xo, yo, xi, yi, 4, 4, round)
         b.compute_at(c, xo)
         b.split(bx, bxo, bxi, 4, round)
         a.compute_at(c, xo)
         a.vectorize(ax, 4, round)",
        "b.compute_inline()
         a.compute_at(c, cx)",
        "c.fuse(cy, cx, t)
         c.split(t, to, ti, 5, shift)
         b.compute_at(c, to)",
    ],
    windows: PLANES,
    shapes: None,
    exact: true,
    params: &[],
};

/// Split factors that are parameters.
pub(crate) const FACTOR: Sample = Sample {
    text: "algorithm factor {
  param p: int;
  input input(x): i32 in input.buffer [input.min.0, input.extent.0, input.stride.0];
  func f(fx): i32 {
    stage(fx) = input(fx) + 1i32;
  }
  func g(gx): i32 {
    stage(gx) = f(gx) + f(gx + p);
  }
  output g;
}",
    schedules: &[
        "",
        "g.split(gx, xo, xi, p, guard)
         f.compute_at(g, xo)",
        "g.split(gx, xo, xi, p, shift)
         f.compute_at(g, xo)
         f.split(fx, xo, xi, p, guard)",
        "g.split(gx, xo, xi, p, round)
         f.compute_at(g, xo)",
    ],
    windows: LINES,
    shapes: None,
    exact: true,
    params: &[("p", 5)],
};

/// An output without dimensions.
const SCALAR: Sample = Sample {
    text: "algorithm scalar {
  input input(x): i32 in input.buffer [input.min.0, input.extent.0, input.stride.0];
  func total(): i32 {
    stage() = 0i32;
    for r in [input.min.0, input.extent.0] stage() = total() + input(r);
  }
  output total;
}",
    schedules: &["", "total.update(1).split(r, ro, ri, 4, guard)"],
    windows: &[&[]],
    shapes: Some(|_| vec![vec![(-3, 9)]]),
    exact: true,
    params: &[],
};

/// A reduction domain that may be empty, around reads at an offset; and dead code.
const EMPTY: Sample = Sample {
    text: "algorithm empty {
  param n: int;
  input input(x): i32 in input.buffer [input.min.0, input.extent.0, input.stride.0];
  func dead(dx): i32 {
    stage(dx) = input(dx + 1000);
  }
  func f(i): i32 {
    stage(i) = 1i32;
    for r in [0, n] stage(i) = f(i) + input(r) + input(r + 3);
  }
  output f;
}",
    schedules: &["", "f.update(1).unroll(r, 2, guard)"],
    windows: LINES,
    shapes: None,
    exact: true,
    params: &[("n", 0)],
};
