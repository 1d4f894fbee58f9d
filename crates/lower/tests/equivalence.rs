//! Tests that programs compute the same after each pass, without faults, and that their annotations
//! stay right: the interpreter runs them at several sizes.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use halidom_interp::Bindings;
use halidom_interp::machine::{Options, run_checking_claims};
use halidom_ir::verify::{self, Phase};
use halidom_ir::{Array, Constant, FuncKind, Pool, Program, Scalar, Shape, eval, parse, print};
use halidom_lower::{Machine, PASSES, lower};

/// A machine with narrow vectors, so that many vectors are split.
const MACHINE: Machine = Machine { vector_bytes: 16 };

/// Returns an array with values that differ from neighbour to neighbour.
fn picture(scalar: Scalar, shape: Shape, padding: &[i64]) -> Array {
    let mut array = Array::padded(scalar, shape, padding).unwrap();
    for (number, point) in array.points().enumerate() {
        let value = Constant::int((number as i128 * 37 + 11) % 251);
        assert!(array.set(&point, eval::cast(scalar, value).unwrap()));
    }
    array
}

/// Lowers the program of a text and runs it after each pass, for each window of the output with the
/// box of each input.
fn check(text: &str, runs: &[(Shape, &[Shape])]) -> String {
    let module = parse::module(text).unwrap_or_else(|error| {
        let (line, column) = error.position(text);
        panic!("line {line}, column {column}: {error}")
    });
    let (mut pool, algorithm, program) = (module.pool, module.algorithm, module.program.unwrap());
    verify::program(&pool, &program, Phase::Structured).unwrap();
    let mut versions = vec![("before", program.clone())];
    let result = lower(&mut pool, program, MACHINE, &mut |name, _, program| {
        versions.push((name, program.clone()));
    })
    .unwrap();
    assert_eq!(versions.len(), PASSES.len() + 1);
    if let Err(violations) = verify::program(&pool, &result, Phase::Final) {
        panic!("{violations:#?}\n{}", print::program(&pool, &result));
    }
    for (window, inputs) in runs {
        let mut bindings = Bindings::new();
        for (input, shape) in algorithm.inputs.iter().zip(*inputs) {
            assert!(matches!(pool.func(*input).kind, FuncKind::Input { .. }));
            let array = picture(pool.func(*input).scalar(0), shape.clone(), &vec![3; shape.len()]);
            bindings.set_input(&pool, *input, array).unwrap();
        }
        let mut first = None;
        for (name, program) in &versions {
            let outputs = outputs(&pool, &algorithm, program, &bindings, window, name);
            let expected = first.get_or_insert_with(|| outputs.clone());
            assert_eq!(*expected, outputs, "{name} at {window:?}");
        }
    }
    print::program(&pool, &result)
}

fn outputs(
    pool: &Pool,
    algorithm: &halidom_ir::Algorithm,
    program: &Program,
    bindings: &Bindings,
    window: &Shape,
    name: &str,
) -> Vec<Array> {
    let windows = std::slice::from_ref(window);
    let options = Options::default();
    match run_checking_claims(pool, program, algorithm, bindings, windows, &options) {
        Ok(outcome) => outcome.outputs,
        Err(fault) => {
            panic!("{name} at {window:?}: {fault}\n{}", print::program(pool, program))
        }
    }
}

const BLUR: &str = "
algorithm blur {
  input in(ix, iy): u16 in in.buffer [im0, ie0, is0] [im1, ie1, is1];
  func b(bx, by): u16 { stage(bx, by) = (in(bx, by) + in(bx + 1, by) + in(bx + 2, by)) / 3u16; }
  func out(ox, oy): u16 { stage(ox, oy) = (b(ox, oy) + b(ox, oy + 1) + b(ox, oy + 2)) / 3u16; }
  output out;
}
program blur {
  output out in out.buffer [om0, oe0, os0] [om1, oe1, os1] window [wx, we] [wy, wh];
";

/// Returns windows with the box of the input that each needs.
fn sizes(border: i64) -> Vec<(Shape, Vec<Shape>)> {
    [(1, 1), (3, 5), (8, 4), (17, 9), (0, 3), (24, 0)]
        .into_iter()
        .flat_map(|(w, h)| [(0, 0, w, h), (-3, 7, w, h)])
        .map(|(x, y, w, h)| (vec![(x, w), (y, h)], vec![vec![(x, w + border), (y, h + border)]]))
        .collect()
}

fn check_sizes(text: &str, border: i64) -> String {
    let sizes = sizes(border);
    let runs: Vec<(Shape, &[Shape])> =
        sizes.iter().map(|(window, inputs)| (window.clone(), inputs.as_slice())).collect();
    check(text, &runs)
}

#[test]
fn tiles_with_guards_and_vectors_of_shifted_rows() {
    let text = check_sizes(
        &format!(
            "{BLUR}
  if (we > 0) & (wh > 0) {{
    parallel yo in [0, (wh + 3) / 4] {{
      for xo in [0, (we + 15) / 16] {{
        let b.min.0: int = wx + xo * 16;
        let b.extent.0: int = max(min(16, we - xo * 16), 0);
        let b.min.1: int = wy + yo * 4;
        let b.extent.1: int = max(min(6, wh - yo * 4 + 2), 0);
        allocate b.buffer: u16 for b [b.min.0, b.extent.0, 1] [b.min.1, b.extent.1, b.extent.0];
        func b [b.min.0, b.extent.0] [b.min.1, b.extent.1] {{
          stage b, 0, 0 {{
            for by1 in [b.min.1, b.extent.1] {{
              for bxo in [0, (b.extent.0 + 7) / 8] {{
                vectorized bxi in [0, 8] {{
                  let bx1: int = max(b.min.0, min(b.min.0 + bxo * 8, b.min.0 + b.extent.0 - 8)) + \
                  bxi;
                  if bx1 < b.min.0 + b.extent.0 {{
                    b(bx1, by1) stage 0 = (in(bx1, by1) + in(bx1 + 1, by1) + in(bx1 + 2, by1)) / \
                    3u16;
                  }}
                }}
              }}
            }}
          }}
        }}
        stage out, 0, 0 {{
          unrolled yi in [0, 4] {{
            let oy1: int = wy + yo * 4 + yi;
            if oy1 < wy + wh {{
              for xm in [0, 2] {{
                vectorized xi in [0, 8] {{
                  let ox1: int = wx + xo * 16 + (xm * 8 + xi);
                  if ox1 < wx + we {{
                    out(ox1, oy1) stage 0 = (b(ox1, oy1) + b(ox1, oy1 + 1) + b(ox1, oy1 + 2)) / \
                    3u16;
                  }}
                }}
              }}
            }}
          }}
        }}
      }}
    }}
  }}
}}"
        ),
        2,
    );
    // The rows of vectors are dense, because entry checks require it.
    assert!(text.contains("assert is0 == 1, layout in;\n  assert os0 == 1, layout out;"), "{text}");
    assert!(text.contains(", 1, 8) @ in(ramp("), "{text}");
    assert!(!text.contains("is0, 8)"), "{text}");
}

#[test]
fn repeated_parts_are_computed_once_and_moved_out() {
    let text = check_sizes(
        &format!(
            "{BLUR}
  for y in [wy, wh] {{
    let b.extent.0: int = max(we, 0);
    allocate b.buffer: u16 for b [wx, b.extent.0, 1] [y, 3, b.extent.0];
    func b [wx, b.extent.0] [y, 3] {{
      unrolled r in [0, 3] {{
        for x1 in [wx, we] {{
          let row: int = r + y;
          b(x1, row) stage 0 = (in(x1, row) + in(x1 + 1, row) + in(x1 + 2, row)) / 3u16;
        }}
      }}
    }}
    for x2 in [wx, we] {{
      out(x2, y) stage 0 = (b(x2, y) + b(x2, y + 1) + b(x2, y + 2)) / 3u16;
    }}
  }}
}}"
        ),
        2,
    );
    assert!(text.contains("let index"), "{text}");
}

#[test]
fn reductions_under_vectors() {
    let text = "
algorithm gemm {
  param scale: f32;
  input A(ai, ak): f32 in A.buffer [am0, ae0, 1] [am1, ae1, as1];
  input B(bk, bj): f32 in B.buffer [bm0, be0, bs0] [bm1, be1, bs1];
  func AB(i, j): f32 {
    stage(i, j) = 0.0f32;
    for k in [0, ae1] stage(i, j) = AB(i, j) + A(i, k) * B(k, j);
  }
  func D(di, dj): f32 { stage(di, dj) = AB(di, dj) * 2.0f32; }
  output D;
}
program gemm {
  output D in D.buffer [dm0, de0, ds0] [dm1, de1, ds1] window [wi, we] [wj, wh];
  let AB.extent.0: int = (max(we, 0) + 3) / 4 * 4;
  let AB.extent.1: int = max(wh, 0);
  allocate AB.buffer: f32 for AB [wi, AB.extent.0, 1] [wj, AB.extent.1, AB.extent.0];
  func AB [wi, we] [wj, wh] {
    stage AB, 0, 0 {
      for j0 in [wj, wh] {
        for io0 in [0, AB.extent.0 / 4] {
          vectorized ii0 in [0, 4] {
            let i0: int = wi + io0 * 4 + ii0;
            AB(i0, j0) stage 0 = 0.0f32;
          }
        }
      }
    }
    stage AB, 1, 0 {
      for jo in [0, (wh + 1) / 2] {
        unrolled ji in [0, 2] {
          let j1: int = wj + jo * 2 + ji;
          if j1 < wj + wh {
            for io in [0, (we + 3) / 4] {
              vectorized ii in [0, 4] {
                let i1: int = wi + io * 4 + ii;
                for k1 in [0, ae1] {
                  if i1 < wi + we {
                    AB(i1, j1) stage 1 point(k1) = AB(i1, j1) + A(i1, k1) * B(k1, j1);
                  }
                }
              }
            }
          }
        }
      }
    }
  }
  parallel dj1 in [wj, wh] {
    for di1 in [wi, we] {
      D(di1, dj1) stage 0 = AB(di1, dj1) * 2.0f32;
    }
  }
}";
    let text = text.replace("  param scale: f32;\n", "");
    let run = |i: i64, j: i64, w: i64, h: i64, k: i64| {
        (vec![(i, w), (j, h)], vec![vec![(i, w), (0, k)], vec![(0, k), (j, h)]])
    };
    let sizes = [run(0, 0, 1, 1, 1), run(2, -5, 9, 6, 3), run(0, 0, 4, 3, 0), run(0, 0, 0, 2, 2)];
    let runs: Vec<(Shape, &[Shape])> =
        sizes.iter().map(|(window, inputs)| (window.clone(), inputs.as_slice())).collect();
    check(&text, &runs);
}

#[test]
fn what_differs_between_lanes_stays_right() {
    check_sizes(
        "
algorithm odd {
  input in(ix, iy): u16 in in.buffer [im0, ie0, is0] [im1, ie1, is1];
  func out(ox, oy): u16 {
    stage(ox, oy) = select(in(ox, oy) < 100u16, in(ox + (in(ox, oy) % 2u16 == 1u16 ? 1 : 0), oy), \
    u16(ox * oy));
    for r in [0, 2] if in(ox, oy) < 50u16 stage(ox, oy) = out(ox, oy) + u16(r);
  }
  output out;
}
program odd {
  output out in out.buffer [om0, oe0, os0] [om1, oe1, os1] window [wx, we] [wy, wh];
  for xo in [0, (we + 3) / 4] {
    vectorized xi in [0, 4] {
      let x: int = wx + xo * 4 + xi;
      if x < wx + we {
        for y in [wy, wh] {
          let shift: int = int(in(x, y) % 2u16);
          out(x, y) stage 0 = select(in(x, y) < 100u16, in(x + shift, y), u16(x * y));
          for r1 in [0, 2] {
            if in(x, y) < 50u16 {
              out(x, y) stage 1 point(r1) = out(x, y) + u16(r1);
            }
          }
        }
      }
    }
  }
}"
        .replace("(in(ox, oy) % 2u16 == 1u16 ? 1 : 0)", "int(in(ox, oy) % 2u16)")
        .as_str(),
        1,
    );
}
