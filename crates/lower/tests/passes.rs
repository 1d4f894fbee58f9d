//! Tests each pass on small programs: its result, and that the result is well formed.
//!
//! Reason for length: most of it is the programs that passes make of others, side by side in one
//! file.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use expect_test::{Expect, expect};
use halidom_ir::verify::{self, Phase};
use halidom_ir::{parse, print};
use halidom_lower::{LowerError, PASSES, Pass};

const BLUR: &str = r#"
algorithm blur {
  input input(ix, iy): u16 in input.buffer [input.min.0, input.extent.0, input.stride.0] [input.min.1, input.extent.1, input.stride.1];
  func b(bx, by): u16 {
    stage(bx, by) = (input(bx, by) + input(bx + 1, by)) / 3u16;
  }
  func out(ox, oy): u16 {
    stage(ox, oy) = b(ox, oy) + b(ox, oy + 1);
  }
  output out;
}
"#;

const OUT: &str = "program blur {
  output out in out.buffer [out.min.0, out.extent.0, out.stride.0] [out.min.1, out.extent.1, \
  out.stride.1] window [wx, wxe] [wy, wye];
";

/// Runs the named passes in order; the verifier accepts the program before and after.
fn run(passes: &[&str], algorithm: &str, output: &str, body: &str) -> Result<String, LowerError> {
    let text = format!("{algorithm}{output}{body}}}\n");
    let module = parse::module(&text).unwrap_or_else(|error| {
        panic!("{error}: {}", &text[error.offset..text.len().min(error.offset + 60)])
    });
    let mut pool = module.pool;
    let mut program = module.program.unwrap();
    verify::program(&pool, &program, Phase::Structured).unwrap();
    for name in passes {
        let pass = PASSES.iter().find(|pass: &&Pass| pass.name == *name).unwrap();
        program = (pass.run)(&mut pool, program)?;
        if let Err(violations) = verify::program(&pool, &program, Phase::Structured) {
            panic!("{violations:#?}\n{}", print::program(&pool, &program));
        }
    }
    let text = print::program(&pool, &program);
    // The program's head, two lines, is the same for all.
    Ok(text.split_inclusive('\n').skip(2).collect())
}

fn check(passes: &[&str], body: &str, expected: &Expect) {
    expected.assert_eq(&run(passes, BLUR, OUT, body).unwrap());
}

#[test]
fn flattening_keeps_what_was_meant() {
    check(
        &["flatten_storage"],
        "
  let b.min.0: int = wx;
  let b.extent.0: int = max(wxe, 0);
  allocate b.buffer: u16 for b [b.min.0, b.extent.0, 1] [wy, wye + 1, b.extent.0];
  for y in [wy, wye + 1] {
    for x in [wx, wxe] {
      b(x, y) stage 0 = (input(x, y) + input(x + 1, y)) / 3u16;
    }
  }
  parallel y2 in [wy, wye] {
    for x2 in [wx, wxe] {
      out(x2, y2) stage 0 = b(x2, y2) + b(x2, y2 + 1);
    }
  }
",
        &expect![[r#"
              let b.min.0: int = wx;
              let b.extent.0: int = max(wxe, 0);
              allocate b.buffer: u16 for b [b.min.0, b.extent.0, 1] [wy, wye + 1, b.extent.0];
              for y in [wy, wye + 1] {
                for x in [wx, wxe] {
                  b.buffer[x - b.min.0 + (y - wy) * b.extent.0 @ b(x, y) stage 0] = (input.buffer[(x - input.min.0) * input.stride.0 + (y - input.min.1) * input.stride.1 @ input(x, y)] + input.buffer[(x + 1 - input.min.0) * input.stride.0 + (y - input.min.1) * input.stride.1 @ input(x + 1, y)]) / 3u16;
                }
              }
              parallel y2 in [wy, wye] {
                for x2 in [wx, wxe] {
                  out.buffer[(x2 - out.min.0) * out.stride.0 + (y2 - out.min.1) * out.stride.1 @ out(x2, y2) stage 0] = b.buffer[x2 - b.min.0 + (y2 - wy) * b.extent.0 @ b(x2, y2)] + b.buffer[x2 - b.min.0 + (y2 + 1 - wy) * b.extent.0 @ b(x2, y2 + 1)];
                }
              }
            }
        "#]],
    );
}

#[test]
fn dense_rows_become_ramps_and_uniform_parts_stay_scalar() {
    check(
        &["flatten_storage", "vectorize"],
        "
  for y in [wy, wye] {
    for xo in [0, (wxe + 7) / 8] {
      vectorized xi in [0, 8] {
        let x: int = max(wx, min(wx + xo * 8, wx + wxe - 8)) + xi;
        if x < wx + wxe {
          out(x, y) stage 0 = input(x, y) + input(x + 1, y) * select(y < x, input(wx, y), 7u16);
        }
      }
    }
  }
",
        &expect![[r#"
              for y in [wy, wye] {
                for xo in [0, (wxe + 7) / 8] {
                  let x: int = max(wx, min(wx + xo * 8, wx + wxe - 8));
                  if x + 7 < wx + wxe {
                    out.buffer[ramp((x - out.min.0) * out.stride.0 + (y - out.min.1) * out.stride.1, out.stride.0, 8) @ out(ramp(x, 1, 8), broadcast(y, 8)) stage 0] = input.buffer[ramp((x - input.min.0) * input.stride.0 + (y - input.min.1) * input.stride.1, input.stride.0, 8) @ input(ramp(x, 1, 8), broadcast(y, 8))] + input.buffer[ramp((x + 1 - input.min.0) * input.stride.0 + (y - input.min.1) * input.stride.1, input.stride.0, 8) @ input(ramp(x + 1, 1, 8), broadcast(y, 8))] * select(broadcast(y, 8) < ramp(x, 1, 8), broadcast(input.buffer[(wx - input.min.0) * input.stride.0 + (y - input.min.1) * input.stride.1 @ input(wx, y)], 8), broadcast(7u16, 8));
                  } else {
                    for xi in [0, 8] {
                      let x$1: int = max(wx, min(wx + xo * 8, wx + wxe - 8)) + xi;
                      if x$1 < wx + wxe {
                        out.buffer[(x$1 - out.min.0) * out.stride.0 + (y - out.min.1) * out.stride.1 @ out(x$1, y) stage 0] = input.buffer[(x$1 - input.min.0) * input.stride.0 + (y - input.min.1) * input.stride.1 @ input(x$1, y)] + input.buffer[(x$1 + 1 - input.min.0) * input.stride.0 + (y - input.min.1) * input.stride.1 @ input(x$1 + 1, y)] * select(y < x$1, input.buffer[(wx - input.min.0) * input.stride.0 + (y - input.min.1) * input.stride.1 @ input(wx, y)], 7u16);
                      }
                    }
                  }
                }
              }
            }
        "#]],
    );
}

#[test]
fn vectors_of_callers_buffers_need_dense_rows() {
    check(
        &["flatten_storage", "dense_rows"],
        "
  assert wxe <= 9, require \"short\";
  vectorized x in [wx, 4] {
    out(x, wy) stage 0 = 1u16;
  }
  for x2 in [wx, 4] {
    out(x2, wy) stage 0 = input(x2, wy);
  }
",
        &expect![[r#"
              assert wxe <= 9, require "short";
              assert out.stride.0 == 1, layout out;
              vectorized x in [wx, 4] {
                out.buffer[(x - out.min.0) * out.stride.0 + (wy - out.min.1) * out.stride.1 @ out(x, wy) stage 0] = 1u16;
              }
              for x2 in [wx, 4] {
                out.buffer[(x2 - out.min.0) * out.stride.0 + (wy - out.min.1) * out.stride.1 @ out(x2, wy) stage 0] = input.buffer[(x2 - input.min.0) * input.stride.0 + (wy - input.min.1) * input.stride.1 @ input(x2, wy)];
              }
            }
        "#]],
    );
}

#[test]
fn lines_stay_ramps() {
    check(
        &["flatten_storage", "vectorize"],
        "
  vectorized x in [0, 4] {
    let a: int = max(wx + x, min(x + wy, x - wye)) * 2 + 1;
    let b: int = (a + a) / 4;
    let c: int = a / 4 + a % 2 + min(x, wx);
    out(b, c) stage 0 = input(0 - x, (0 - a * 3) % 6);
  }
",
        &expect![[r#"
              let a: int = max(wx, min(wy, 0 - wye)) * 2 + 1;
              let b: int = (a + a) / 4;
              let c: intx4 = ramp(a, 2, 4) / broadcast(4, 4) + broadcast(a % 2, 4) + min(ramp(0, 1, 4), broadcast(wx, 4));
              out.buffer[ramp((b - out.min.0) * out.stride.0, out.stride.0, 4) + (c - broadcast(out.min.1, 4)) * broadcast(out.stride.1, 4) @ out(ramp(b, 1, 4), c) stage 0] = input.buffer[ramp((0 - input.min.0) * input.stride.0 + ((0 - a * 3) % 6 - input.min.1) * input.stride.1, -1 * input.stride.0, 4) @ input(ramp(0, -1, 4), broadcast((0 - a * 3) % 6, 4))];
            }
        "#]],
    );
}

#[test]
fn statements_without_a_vector_form_stay_loops() {
    check(
        &["flatten_storage", "vectorize"],
        "
  vectorized x in [wx, 4] {
    let twice: int = x * 2;
    let square: int = x * x;
    out(twice, wy) stage 0 = input(square, wy);
    out(wx, wy) stage 0 = input(twice, wy);
    for y in [twice, wye] {
      out(x, y) stage 0 = 0u16;
    }
    for y2 in [wy, wye] {
      out(x, y2) stage 0 = 1u16;
    }
    if input(x, wy) < 5u16 {
      out(x, wy) stage 0 = 2u16;
    }
    if wx < 5 {
      out(x, wy) stage 0 = 3u16;
    } else {
      allocate b.buffer: u16 for b [x, 1, 1] [wy, 1, 1];
      b(x, wy) stage 0 = 3u16;
      out(x, wy) stage 0 = b(x, wy);
    }
    if (x < wxe) & (wx >= 0 - x) & (wy == 3) {
      out(x, wy) stage 0 = 4u16;
    } else {
      out(x, wy) stage 0 = 5u16;
    }
  }
",
        &expect![[r#"
              let twice: int = wx * 2;
              let square: intx4 = ramp(wx, 1, 4) * ramp(wx, 1, 4);
              out.buffer[ramp((twice - out.min.0) * out.stride.0 + (wy - out.min.1) * out.stride.1, 2 * out.stride.0, 4) @ out(ramp(twice, 2, 4), broadcast(wy, 4)) stage 0] = input.buffer[(square - broadcast(input.min.0, 4)) * broadcast(input.stride.0, 4) + broadcast((wy - input.min.1) * input.stride.1, 4) @ input(square, broadcast(wy, 4))];
              for x in [wx, 4] {
                let twice$1: int = x * 2;
                let square$1: int = x * x;
                out.buffer[(wx - out.min.0) * out.stride.0 + (wy - out.min.1) * out.stride.1 @ out(wx, wy) stage 0] = input.buffer[(twice$1 - input.min.0) * input.stride.0 + (wy - input.min.1) * input.stride.1 @ input(twice$1, wy)];
              }
              for x$1 in [wx, 4] {
                let twice$2: int = x$1 * 2;
                let square$2: int = x$1 * x$1;
                for y in [twice$2, wye] {
                  out.buffer[(x$1 - out.min.0) * out.stride.0 + (y - out.min.1) * out.stride.1 @ out(x$1, y) stage 0] = 0u16;
                }
              }
              for y2 in [wy, wye] {
                out.buffer[ramp((wx - out.min.0) * out.stride.0 + (y2 - out.min.1) * out.stride.1, out.stride.0, 4) @ out(ramp(wx, 1, 4), broadcast(y2, 4)) stage 0] = broadcast(1u16, 4);
              }
              for x$2 in [wx, 4] {
                let twice$3: int = x$2 * 2;
                let square$3: int = x$2 * x$2;
                if input.buffer[(x$2 - input.min.0) * input.stride.0 + (wy - input.min.1) * input.stride.1 @ input(x$2, wy)] < 5u16 {
                  out.buffer[(x$2 - out.min.0) * out.stride.0 + (wy - out.min.1) * out.stride.1 @ out(x$2, wy) stage 0] = 2u16;
                }
              }
              if wx < 5 {
                out.buffer[ramp((wx - out.min.0) * out.stride.0 + (wy - out.min.1) * out.stride.1, out.stride.0, 4) @ out(ramp(wx, 1, 4), broadcast(wy, 4)) stage 0] = broadcast(3u16, 4);
              } else {
                for x$3 in [wx, 4] {
                  let twice$4: int = x$3 * 2;
                  let square$4: int = x$3 * x$3;
                  allocate b.buffer: u16 for b [x$3, 1, 1] [wy, 1, 1];
                  b.buffer[0 @ b(x$3, wy) stage 0] = 3u16;
                  out.buffer[(x$3 - out.min.0) * out.stride.0 + (wy - out.min.1) * out.stride.1 @ out(x$3, wy) stage 0] = b.buffer[0 @ b(x$3, wy)];
                }
              }
              if wx + 3 < wxe & wx >= 0 - wx & wy == 3 {
                out.buffer[ramp((wx - out.min.0) * out.stride.0 + (wy - out.min.1) * out.stride.1, out.stride.0, 4) @ out(ramp(wx, 1, 4), broadcast(wy, 4)) stage 0] = broadcast(4u16, 4);
              } else {
                for x$4 in [wx, 4] {
                  let twice$5: int = x$4 * 2;
                  let square$5: int = x$4 * x$4;
                  if x$4 < wxe & wx >= 0 - x$4 & wy == 3 {
                    out.buffer[(x$4 - out.min.0) * out.stride.0 + (wy - out.min.1) * out.stride.1 @ out(x$4, wy) stage 0] = 4u16;
                  } else {
                    out.buffer[(x$4 - out.min.0) * out.stride.0 + (wy - out.min.1) * out.stride.1 @ out(x$4, wy) stage 0] = 5u16;
                  }
                }
              }
            }
        "#]],
    );
}

#[test]
fn only_the_inner_of_nested_vectors_is_one() {
    check(
        &["flatten_storage", "vectorize"],
        "
  vectorized y in [wy, 2] {
    vectorized x in [wx, 4] {
      out(x, y) stage 0 = 1u16;
    }
  }
  vectorized z in [wx, 1] {
    out(z, wy) stage 0 = 1u16;
  }
  vectorized none in [wx, 0] {
    out(none, wy) stage 0 = 1u16;
  }
",
        &expect![[r#"
              for y in [wy, 2] {
                out.buffer[ramp((wx - out.min.0) * out.stride.0 + (y - out.min.1) * out.stride.1, out.stride.0, 4) @ out(ramp(wx, 1, 4), broadcast(y, 4)) stage 0] = broadcast(1u16, 4);
              }
              {
                let z: int = wx;
                out.buffer[(z - out.min.0) * out.stride.0 + (wy - out.min.1) * out.stride.1 @ out(z, wy) stage 0] = 1u16;
              }
            }
        "#]],
    );
}

#[test]
fn unrolled_copies_have_binders_of_their_own() {
    check(
        &["flatten_storage", "unroll"],
        "
  unrolled y in [wy, 2] {
    let row: int = y + 1;
    allocate b.buffer: u16 for b [wx, wxe, 1] [row, 1, wxe];
    for x in [wx, wxe] {
      b(x, row) stage 0 = input(x, row);
      out(x, y) stage 0 = b(x, row);
    }
  }
",
        &expect![[r#"
              {
                let row: int = wy + 1;
                allocate b.buffer: u16 for b [wx, wxe, 1] [row, 1, wxe];
                for x in [wx, wxe] {
                  b.buffer[x - wx @ b(x, row) stage 0] = input.buffer[(x - input.min.0) * input.stride.0 + (row - input.min.1) * input.stride.1 @ input(x, row)];
                  out.buffer[(x - out.min.0) * out.stride.0 + (wy - out.min.1) * out.stride.1 @ out(x, wy) stage 0] = b.buffer[x - wx @ b(x, row)];
                }
              }
              let row$1: int = wy + 1 + 1;
              allocate b.buffer$1: u16 for b [wx, wxe, 1] [row$1, 1, wxe];
              for x$1 in [wx, wxe] {
                b.buffer$1[x$1 - wx @ b(x$1, row$1) stage 0] = input.buffer[(x$1 - input.min.0) * input.stride.0 + (row$1 - input.min.1) * input.stride.1 @ input(x$1, row$1)];
                out.buffer[(x$1 - out.min.0) * out.stride.0 + (wy + 1 - out.min.1) * out.stride.1 @ out(x$1, wy + 1) stage 0] = b.buffer$1[x$1 - wx @ b(x$1, row$1)];
              }
            }
        "#]],
    );
}

#[test]
fn lets_for_annotations_alone_become_their_values() {
    check(
        &["dead_lets"],
        "
  let zero: int = 0;
  let unused: int = zero + 1;
  let width: int = wxe + 1;
  let hinted: int = wx + zero;
  let read: int = int(input.buffer[0 @ input(0, 0)]);
  let height: int = wye;
  func b [hinted, width] [wy, height] {
    allocate b.buffer: u16 for b [hinted, width, 1] [wy, 1, width];
    b.buffer[0 @ b(read, wy + zero) stage 0] = 1u16;
  }
",
        &expect![[r#"
              let zero: int = 0;
              let width: int = wxe + 1;
              let hinted: int = wx + zero;
              let read: int = int(input.buffer[0 @ input(0, 0)]);
              func b [hinted, width] [wy, wye] {
                allocate b.buffer: u16 for b [hinted, width, 1] [wy, 1, width];
                b.buffer[0 @ b(read, wy + zero) stage 0] = 1u16;
              }
            }
        "#]],
    );
}

#[test]
fn what_cannot_be_lowered_is_refused() {
    let body = |kind: &str, extent: &str| {
        format!("{kind} x in [wx, {extent}] {{ out(x, wy) stage 0 = 1u16; }}")
    };
    for (passes, kind, extent, expected) in [
        (
            &["flatten_storage", "vectorize"][..],
            "vectorized",
            "wxe",
            "the extent of the vectorized loop `x` is not a constant",
        ),
        (
            &["flatten_storage", "vectorize"],
            "vectorized",
            "5000",
            "the loop `x` has 5000 iterations: at most 4096 are vectorized",
        ),
        (
            &["flatten_storage", "unroll"],
            "unrolled",
            "wxe",
            "the extent of the unrolled loop `x` is not a constant",
        ),
        (
            &["flatten_storage", "unroll"],
            "unrolled",
            "65",
            "the loop `x` has 65 iterations: at most 64 are unrolled",
        ),
        (&["vectorize"], "vectorized", "4", "storage must be flattened first"),
    ] {
        let error = run(passes, BLUR, OUT, &body(kind, extent)).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    let nest = |loops: &[&str]| {
        let open: Vec<&str> =
            loops.iter().flat_map(|name| ["unrolled ", name, " in [0, 32] {"]).collect();
        format!("{} out(u, wy) stage 0 = 1u16; {}", open.concat(), "}".repeat(loops.len()))
    };
    assert!(run(&["flatten_storage", "unroll"], BLUR, OUT, &nest(&["t", "u"])).is_ok());
    let error =
        run(&["flatten_storage", "unroll"], BLUR, OUT, &nest(&["s", "t", "u"])).unwrap_err();
    assert_eq!(error.to_string(), "the loop `s` has 32 iterations: at most 31 are unrolled");
    let error = run(&["flatten_storage"], BLUR, OUT, "out(wx, wy) stage 0 = b(wx, wy);");
    assert_eq!(error, Err(LowerError::NoBuffer { func: "b".to_owned() }));
}

#[test]
fn bases_of_repeated_ramps_are_bound() {
    check(
        &["flatten_storage", "dense_rows", "simplify", "vectorize", "simplify", "cse"],
        "
  for y in [wy, wye] {
    vectorized x in [wx, 4] {
      out(x, y) stage 0 = out(x, y) + input(x, y);
    }
  }
",
        &expect![[r#"
              assert input.stride.0 == 1, layout input;
              assert out.stride.0 == 1, layout out;
              for y in [wy, wye] {
                let index: int = wx - out.min.0 + (y - out.min.1) * out.stride.1;
                out.buffer[ramp(index, 1, 4) @ out(ramp(wx, 1, 4), broadcast(y, 4)) stage 0] = out.buffer[ramp(index, 1, 4) @ out(ramp(wx, 1, 4), broadcast(y, 4))] + input.buffer[ramp(wx - input.min.0 + (y - input.min.1) * input.stride.1, 1, 4) @ input(ramp(wx, 1, 4), broadcast(y, 4))];
              }
            }
        "#]],
    );
}

#[test]
fn simplifying_follows_what_is_known() {
    check(
        &["simplify"],
        "
  assert (out.stride.0 == 1) & (wxe <= 100), require \"dense and small\";
  assert 3 < 4, require \"nothing\";
  let one: int = 1;
  let x: int = wx + one - one;
  let unused: int = wy;
  for once in [x, 2 - one] {
    for never in [0, 0 - one] {
      out(never, wy) stage 0 = 0u16;
    }
    if (wxe <= wye) & (wx <= wy) {
      if (wye < wxe) | (wy < wx) {
        out(once, wy) stage 0 = 1u16;
      } else {
        if wx == 5 {
          out.buffer[(wx - 4) * out.stride.0 @ out(wx, wy) stage 0] = input(x, x * 0);
        } else {
          if wx == 5 {
            out(once, wy) stage 0 = 2u16;
          }
        }
      }
    }
    func b [wx, 1] [wy, 1] {
      allocate b.buffer: u16 for b [wx, 1, 1] [wy, 1, 1];
      if false {
        b(wx, wy) stage 0 = 0u16;
      }
    }
  }
",
        &expect![[r#"
              assert out.stride.0 == 1 & wxe <= 100, require "dense and small";
              let one: int = 1;
              let x: int = wx;
              let unused: int = wy;
              let once: int = wx;
              if wxe <= wye & wx <= wy {
                if wx == 5 {
                  out.buffer[1 @ out(5, wy) stage 0] = input(wx, 0);
                }
              }
            }
        "#]],
    );
}

#[test]
fn bounds_of_loops_and_checks_decide() {
    check(
        &["flatten_storage", "simplify"],
        "
  assert (0 <= wxe) & (wxe <= 100), require \"small\";
  for x in [0, 32] {
    for lane in [0, 8] {
      let i: int = x * 8 + lane;
      if i < 256 {
        out(min(i, 255), max(wxe, 0)) stage 0 = select(i < 255, 1u16, 2u16);
      }
      if (i - 8 * x > 7) | (i % 8 < 0) | (wxe * 2 > 200) {
        out(i, i) stage 0 = 1u16;
      }
      out(max(min(int(input(x, x)), 65535), 0), i) stage 0 = 2u16;
    }
  }
  if 0 < wye {
    out(max(wye, 1), max(wye, 2)) stage 0 = 3u16;
  } else {
    out(min(wye, 0), min(wye, 0 - 1)) stage 0 = 4u16;
  }
  if wye < 3 {
    out(wx, max(wye, 1)) stage 0 = 5u16;
  }
",
        &expect![[r#"
              assert 0 <= wxe & wxe <= 100, require "small";
              for x in [0, 32] {
                for lane in [0, 8] {
                  let i: int = x * 8 + lane;
                  out.buffer[(i - out.min.0) * out.stride.0 + (wxe - out.min.1) * out.stride.1 @ out(i, wxe) stage 0] = select(i < 255, 1u16, 2u16);
                  out.buffer[(max(min(int(input.buffer[(x - input.min.0) * input.stride.0 + (x - input.min.1) * input.stride.1 @ input(x, x)]), 65535), 0) - out.min.0) * out.stride.0 + (i - out.min.1) * out.stride.1 @ out(max(min(int(input.buffer[(x - input.min.0) * input.stride.0 + (x - input.min.1) * input.stride.1 @ input(x, x)]), 65535), 0), i) stage 0] = 2u16;
                }
              }
              if 0 < wye {
                out.buffer[(wye - out.min.0) * out.stride.0 + (max(wye, 2) - out.min.1) * out.stride.1 @ out(wye, max(wye, 2)) stage 0] = 3u16;
              } else {
                out.buffer[(wye - out.min.0) * out.stride.0 + (min(wye, -1) - out.min.1) * out.stride.1 @ out(wye, min(wye, -1)) stage 0] = 4u16;
              }
              if wye < 3 {
                out.buffer[(wx - out.min.0) * out.stride.0 + (max(wye, 1) - out.min.1) * out.stride.1 @ out(wx, max(wye, 1)) stage 0] = 5u16;
              }
            }
        "#]],
    );
}

#[test]
fn what_is_in_memory_is_not_known_for_long() {
    check(
        &["simplify"],
        "
  if out(wx, wy) == 0u16 {
    out(wx, wy) stage 0 = 1u16;
    if out(wx, wy) == 0u16 {
      out(wx, wy) stage 0 = 2u16;
    }
  }
",
        &expect![[r#"
              if out(wx, wy) == 0u16 {
                out(wx, wy) stage 0 = 1u16;
                if out(wx, wy) == 0u16 {
                  out(wx, wy) stage 0 = 2u16;
                }
              }
            }
        "#]],
    );
}

#[test]
fn common_parts_are_bound_and_leave_loops() {
    check(
        &["flatten_storage", "simplify", "cse", "hoist"],
        "
  for y in [wy, wye] {
    for x in [wx, wxe] {
      out(x, y) stage 0 = (input(x, y) + 1u16) * (input(x, y) + 1u16) + input(x + 1, y);
    }
    for x2 in [wx, wxe] {
      if x2 < 9 {
        out(x2, y) stage 0 = input(y, y);
      }
    }
  }
",
        &expect![[r#"
              for y in [wy, wye] {
                {
                  let index: int = (y - input.min.1) * input.stride.1;
                  for x in [wx, wxe] {
                    let index$1: int = x - input.min.0;
                    let common: u16 = input.buffer[index$1 * input.stride.0 + index @ input(x, y)] + 1u16;
                    out.buffer[(x - out.min.0) * out.stride.0 + (y - out.min.1) * out.stride.1 @ out(x, y) stage 0] = common * common + input.buffer[(index$1 + 1) * input.stride.0 + index @ input(x + 1, y)];
                  }
                }
                for x2 in [wx, wxe] {
                  if x2 < 9 {
                    out.buffer[(x2 - out.min.0) * out.stride.0 + (y - out.min.1) * out.stride.1 @ out(x2, y) stage 0] = input.buffer[(y - input.min.0) * input.stride.0 + (y - input.min.1) * input.stride.1 @ input(y, y)];
                  }
                }
              }
            }
        "#]],
    );
}

/// A quotient of neighbours by two to four, plus a value that is the same in all lanes, is
/// normalised; a quotient by more, of every second place, or of two is not.
#[test]
fn indices_that_repeat_are_quotients_and_offsets() {
    check(
        &["flatten_storage", "dense_rows", "simplify", "vectorize", "simplify", "repeats", "cse"],
        "
  for y in [wy, wye] {
    vectorized x in [0, 8] {
      out(x, y) stage 0 = input((x + y) / 3, y) + input((x + y) / 3 + 2, y + 1) - input(7 + (x + y \
      + 1) / 2, y)
        + input((x + y) / 5, y) + input((2 * x) / 3, y) + input(x / 2 + x / 3, y) + input(9 - x / \
        2, y);
    }
  }
",
        &expect![[r#"
              assert input.stride.0 == 1, layout input;
              assert out.stride.0 == 1, layout out;
              for y in [wy, wye] {
                let index: int = 0 - input.min.0;
                let index$1: int = y - input.min.1;
                let index$2: int = index$1 * input.stride.1;
                let index$3: int = index + index$2;
                out.buffer[ramp((y - out.min.1) * out.stride.1 - out.min.0, 1, 8) @ out(ramp(0, 1, 8), broadcast(y, 8)) stage 0] = input.buffer[ramp(y, 1, 8) / broadcast(3, 8) + broadcast(index$3, 8) @ input(ramp(y, 1, 8) / broadcast(3, 8), broadcast(y, 8))] + input.buffer[ramp(y, 1, 8) / broadcast(3, 8) + broadcast(index + (index$1 + 1) * input.stride.1 + 2, 8) @ input(ramp(y, 1, 8) / broadcast(3, 8) + broadcast(2, 8), broadcast(y + 1, 8))] - input.buffer[ramp(y + 1, 1, 8) / broadcast(2, 8) + broadcast(index$3 + 7, 8) @ input(ramp(y + 1, 1, 8) / broadcast(2, 8) + broadcast(7, 8), broadcast(y, 8))] + input.buffer[ramp(y, 1, 8) / broadcast(5, 8) - broadcast(input.min.0, 8) + broadcast(index$2, 8) @ input(ramp(y, 1, 8) / broadcast(5, 8), broadcast(y, 8))] + input.buffer[ramp(0, 2, 8) / broadcast(3, 8) - broadcast(input.min.0, 8) + broadcast(index$2, 8) @ input(ramp(0, 2, 8) / broadcast(3, 8), broadcast(y, 8))] + input.buffer[ramp(0, 1, 8) / broadcast(2, 8) + ramp(0, 1, 8) / broadcast(3, 8) - broadcast(input.min.0, 8) + broadcast(index$2, 8) @ input(ramp(0, 1, 8) / broadcast(2, 8) + ramp(0, 1, 8) / broadcast(3, 8), broadcast(y, 8))] + input.buffer[broadcast(9, 8) - ramp(0, 1, 8) / broadcast(2, 8) - broadcast(input.min.0, 8) + broadcast(index$2, 8) @ input(broadcast(9, 8) - ramp(0, 1, 8) / broadcast(2, 8), broadcast(y, 8))];
              }
            }
        "#]],
    );
}

/// Expressions that depend on a loop's variable, loads, sums, quotients of integers, and code under
/// a condition stay.
#[test]
fn calls_and_quotients_of_floats_leave_loops() {
    check(
        &["flatten_storage", "simplify", "hoist"],
        "
  for y in [wy, wye] {
    for x in [wx, wxe] {
      out(x, y) stage 0 = input(x, y) * u16(exp(f32(wxe)) / 3.0f32 + f32(x) / exp(f32(y)));
      let twice: u16 = u16(exp(f32(wxe)) / 3.0f32 + 2.0f32 * f32(x));
      out(x, y + 1) stage 0 = twice + u16(sqrt(f32(input(wx, y))) + f32(wxe / wye));
      if x < 9 {
        out(x, y) stage 0 = u16(exp(f32(wye)));
      }
    }
  }
",
        &expect![[r#"
              let factor: f32 = exp(f32(wxe)) / 3.0f32;
              for y in [wy, wye] {
                let factor$1: f32 = exp(f32(y));
                for x in [wx, wxe] {
                  out.buffer[(x - out.min.0) * out.stride.0 + (y - out.min.1) * out.stride.1 @ out(x, y) stage 0] = input.buffer[(x - input.min.0) * input.stride.0 + (y - input.min.1) * input.stride.1 @ input(x, y)] * u16(factor + f32(x) / factor$1);
                  let twice: u16 = u16(factor + 2.0f32 * f32(x));
                  out.buffer[(x - out.min.0) * out.stride.0 + (y - out.min.1 + 1) * out.stride.1 @ out(x, y + 1) stage 0] = twice + u16(sqrt(f32(input.buffer[(wx - input.min.0) * input.stride.0 + (y - input.min.1) * input.stride.1 @ input(wx, y)])) + f32(wxe / wye));
                  if x < 9 {
                    out.buffer[(x - out.min.0) * out.stride.0 + (y - out.min.1) * out.stride.1 @ out(x, y) stage 0] = u16(exp(f32(wye)));
                  }
                }
              }
            }
        "#]],
    );
}

/// Two stores each load separately from the buffer that the first one writes.
#[test]
fn stores_share_what_none_of_them_writes() {
    check(
        &["flatten_storage", "simplify", "cse"],
        "
  for x in [wx, wxe] {
    out(x, wy) stage 0 = input(x, wy) * 3u16;
    out(x, wy + 1) stage 0 = input(x, wy) * 3u16 + out(x, wy);
    out(x, wy + 2) stage 0 = input(x, wy) * 3u16 + out(x, wy) * out(x, wy);
  }
",
        &expect![[r#"
              for x in [wx, wxe] {
                let index: int = (x - out.min.0) * out.stride.0;
                let index$1: int = wy - out.min.1;
                let index$2: int = index + index$1 * out.stride.1;
                let common: u16 = input.buffer[(x - input.min.0) * input.stride.0 + (wy - input.min.1) * input.stride.1 @ input(x, wy)] * 3u16;
                out.buffer[index$2 @ out(x, wy) stage 0] = common;
                out.buffer[index + (index$1 + 1) * out.stride.1 @ out(x, wy + 1) stage 0] = common + out.buffer[index$2 @ out(x, wy)];
                let out.buffer.element: u16 = out.buffer[index$2 @ out(x, wy)];
                out.buffer[index + (index$1 + 2) * out.stride.1 @ out(x, wy + 2) stage 0] = common + out.buffer.element * out.buffer.element;
              }
            }
        "#]],
    );
}

#[test]
fn loops_run_over_what_their_conditions_allow() {
    check(
        &["flatten_storage", "partition", "simplify"],
        "
  for y in [0, 32] {
    let row: int = wy + y;
    if row < wy + wye {
      for x in [wx, wxe] {
        if (3 * x + 1 <= wye) & (0 - x <= wy) & (input(x, x) < 9u16) {
          out(x, row) stage 0 = 1u16;
        }
      }
    }
  }
",
        &expect![[r#"
              for y in [0, min(wye, 32)] {
                let row: int = wy + y;
                for x in [max(wx, neg(wy)), min(wx + wxe - max(wx, neg(wy)), (wye + 2) / 3 - max(wx, neg(wy)))] {
                  if input.buffer[(x - input.min.0) * input.stride.0 + (x - input.min.1) * input.stride.1 @ input(x, x)] < 9u16 {
                    out.buffer[(x - out.min.0) * out.stride.0 + (row - out.min.1) * out.stride.1 @ out(x, row) stage 0] = 1u16;
                  }
                }
              }
            }
        "#]],
    );
}

#[test]
fn conditions_and_clamps_leave_the_steady_part_of_a_loop() {
    check(
        &["flatten_storage", "simplify", "vectorize", "simplify", "partition", "simplify"],
        "
  func out [wx, wxe] [wy, wye] {
    for y in [wy, wye] {
      for xo in [0, (wxe + 7) / 8] {
        vectorized xi in [0, 8] {
          let x: int = max(wx, min(wx + xo * 8, wx + wxe - 8)) + xi;
          if x < wx + wxe {
            out(x, y) stage 0 = input(x, y);
          }
        }
      }
    }
  }
",
        &expect![[r#"
              func out [wx, wxe] [wy, wye] {
                for y in [wy, wye] {
                  let xo.tail: int = max(min(wxe / 8, (wxe + 7) / 8), 0);
                  for xo in [0, xo.tail] {
                    let x: int = wx + xo * 8;
                    out.buffer[ramp((x - out.min.0) * out.stride.0 + (y - out.min.1) * out.stride.1, out.stride.0, 8) @ out(ramp(x, 1, 8), broadcast(y, 8)) stage 0] = input.buffer[ramp((x - input.min.0) * input.stride.0 + (y - input.min.1) * input.stride.1, input.stride.0, 8) @ input(ramp(x, 1, 8), broadcast(y, 8))];
                  }
                  for xo$1 in [xo.tail, (wxe + 7) / 8 - xo.tail] {
                    let x$1: int = max(wx, min(wx + xo$1 * 8, wx + wxe + -8));
                    if x$1 + 7 < wx + wxe {
                      out.buffer[ramp((x$1 - out.min.0) * out.stride.0 + (y - out.min.1) * out.stride.1, out.stride.0, 8) @ out(ramp(x$1, 1, 8), broadcast(y, 8)) stage 0] = input.buffer[ramp((x$1 - input.min.0) * input.stride.0 + (y - input.min.1) * input.stride.1, input.stride.0, 8) @ input(ramp(x$1, 1, 8), broadcast(y, 8))];
                    } else {
                      for xi in [0, 8] {
                        let x$2: int = max(wx, min(wx + xo$1 * 8, wx + wxe + -8)) + xi;
                        if x$2 < wx + wxe {
                          out.buffer[(x$2 - out.min.0) * out.stride.0 + (y - out.min.1) * out.stride.1 @ out(x$2, y) stage 0] = input.buffer[(x$2 - input.min.0) * input.stride.0 + (y - input.min.1) * input.stride.1 @ input(x$2, y)];
                        }
                      }
                    }
                  }
                }
              }
            }
        "#]],
    );
    check(
        &["flatten_storage", "partition", "simplify"],
        "
  for x in [wx, wxe] {
    out(x, wy) stage 0 = input(max(min(x + 1, input.min.0 + input.extent.0 - 1), input.min.0), wy);
  }
",
        &expect![[r#"
              let x.steady: int = max(wx, min(input.min.0 + -1, wx + wxe));
              let x.tail: int = max(x.steady, min(input.min.0 + input.extent.0 + -1, wx + wxe));
              for x in [wx, x.steady - wx] {
                out.buffer[(x - out.min.0) * out.stride.0 + (wy - out.min.1) * out.stride.1 @ out(x, wy) stage 0] = input.buffer[(max(min(x + 1, input.min.0 + input.extent.0 + -1), input.min.0) - input.min.0) * input.stride.0 + (wy - input.min.1) * input.stride.1 @ input(max(min(x + 1, input.min.0 + input.extent.0 + -1), input.min.0), wy)];
              }
              for x$1 in [x.steady, x.tail - x.steady] {
                out.buffer[(x$1 - out.min.0) * out.stride.0 + (wy - out.min.1) * out.stride.1 @ out(x$1, wy) stage 0] = input.buffer[(x$1 - input.min.0 + 1) * input.stride.0 + (wy - input.min.1) * input.stride.1 @ input(x$1 + 1, wy)];
              }
              for x$2 in [x.tail, wx + wxe - x.tail] {
                out.buffer[(x$2 - out.min.0) * out.stride.0 + (wy - out.min.1) * out.stride.1 @ out(x$2, wy) stage 0] = input.buffer[(max(min(x$2 + 1, input.min.0 + input.extent.0 + -1), input.min.0) - input.min.0) * input.stride.0 + (wy - input.min.1) * input.stride.1 @ input(max(min(x$2 + 1, input.min.0 + input.extent.0 + -1), input.min.0), wy)];
              }
            }
        "#]],
    );
}

#[test]
fn conditions_that_do_not_change_are_made_before_the_loop() {
    // Two rows at a time, each under a test.
    check(
        &["flatten_storage", "partition", "simplify", "cse"],
        "
  for y in [0, (wye + 1) / 2] {
    for x in [wx, wxe] {
      if y * 2 < wye {
        out(x, wy + y * 2) stage 0 = input(x, wy + y * 2) + input(x, wy + y * 2 + 1);
      }
      if y * 2 + 1 < wye {
        out(x, wy + y * 2 + 1) stage 0 = input(x, wy + y * 2 + 1) + input(x, wy + y * 2 + 2);
      }
    }
  }
",
        &expect![[r#"
              for y in [0, (wye + 1) / 2] {
                if y * 2 - wye <= -2 {
                  for x in [wx, wxe] {
                    let index: int = (x - out.min.0) * out.stride.0;
                    let index$1: int = wy + y * 2;
                    let index$2: int = index$1 - out.min.1;
                    let index$3: int = (x - input.min.0) * input.stride.0;
                    let index$4: int = index$1 - input.min.1;
                    let input.buffer.element: u16 = input.buffer[index$3 + (index$4 + 1) * input.stride.1 @ input(x, wy + y * 2 + 1)];
                    out.buffer[index + index$2 * out.stride.1 @ out(x, wy + y * 2) stage 0] = input.buffer[index$3 + index$4 * input.stride.1 @ input(x, wy + y * 2)] + input.buffer.element;
                    out.buffer[index + (index$2 + 1) * out.stride.1 @ out(x, wy + y * 2 + 1) stage 0] = input.buffer.element + input.buffer[index$3 + (index$4 + 2) * input.stride.1 @ input(x, wy + y * 2 + 2)];
                  }
                } else {
                  for x$1 in [wx, wxe] {
                    if y * 2 < wye {
                      let index$5: int = wy + y * 2;
                      let index$6: int = (x$1 - input.min.0) * input.stride.0;
                      let index$7: int = index$5 - input.min.1;
                      out.buffer[(x$1 - out.min.0) * out.stride.0 + (index$5 - out.min.1) * out.stride.1 @ out(x$1, wy + y * 2) stage 0] = input.buffer[index$6 + index$7 * input.stride.1 @ input(x$1, wy + y * 2)] + input.buffer[index$6 + (index$7 + 1) * input.stride.1 @ input(x$1, wy + y * 2 + 1)];
                    }
                    if y * 2 + 1 < wye {
                      let index$8: int = wy + y * 2;
                      let index$9: int = (x$1 - input.min.0) * input.stride.0;
                      let index$10: int = index$8 - input.min.1;
                      out.buffer[(x$1 - out.min.0) * out.stride.0 + (index$8 - out.min.1 + 1) * out.stride.1 @ out(x$1, wy + y * 2 + 1) stage 0] = input.buffer[index$9 + (index$10 + 1) * input.stride.1 @ input(x$1, wy + y * 2 + 1)] + input.buffer[index$9 + (index$10 + 2) * input.stride.1 @ input(x$1, wy + y * 2 + 2)];
                    }
                  }
                }
              }
            }
        "#]],
    );
    // A single row has nothing to share.
    check(
        &["flatten_storage", "partition", "simplify"],
        "
  for x in [wx, wxe] {
    out(x, wy) stage 0 = 1u16;
    if wy + 1 < wye {
      out(x, wy + 1) stage 0 = 1u16;
    }
  }
",
        &expect![[r#"
              for x in [wx, wxe] {
                out.buffer[(x - out.min.0) * out.stride.0 + (wy - out.min.1) * out.stride.1 @ out(x, wy) stage 0] = 1u16;
                if wy + 1 < wye {
                  out.buffer[(x - out.min.0) * out.stride.0 + (wy - out.min.1 + 1) * out.stride.1 @ out(x, wy + 1) stage 0] = 1u16;
                }
              }
            }
        "#]],
    );
}

#[test]
fn loops_whose_parts_would_change_are_made_in_two_forms() {
    check(
        &["flatten_storage", "vectorize", "partition", "simplify"],
        "
  func out [wx, wxe] [wy, 1] {
    for t in [0, (wxe + 63) / 64] {
      for xo in [0, 8] {
        vectorized xi in [0, 8] {
          let x: int = max(wx, min(wx + t * 64, wx + wxe - 64)) + xo * 8 + xi;
          if x < wx + wxe {
            out(x, wy) stage 0 = 1u16;
          }
        }
      }
    }
  }
",
        &expect![[r#"
              func out [wx, wxe] [wy, 1] {
                for t in [0, (wxe + 63) / 64] {
                  if 64 <= wx + wxe - max(wx, min(wx + t * 64, wx + wxe + -64)) {
                    for xo in [0, 8] {
                      let x: int = max(wx, min(wx + t * 64, wx + wxe + -64)) + xo * 8;
                      out.buffer[ramp((x - out.min.0) * out.stride.0 + (wy - out.min.1) * out.stride.1, out.stride.0, 8) @ out(ramp(x, 1, 8), broadcast(wy, 8)) stage 0] = broadcast(1u16, 8);
                    }
                  } else {
                    for xo$1 in [0, 8] {
                      let x$1: int = max(wx, min(wx + t * 64, wx + wxe + -64)) + xo$1 * 8;
                      if x$1 + 7 < wx + wxe {
                        out.buffer[ramp((x$1 - out.min.0) * out.stride.0 + (wy - out.min.1) * out.stride.1, out.stride.0, 8) @ out(ramp(x$1, 1, 8), broadcast(wy, 8)) stage 0] = broadcast(1u16, 8);
                      } else {
                        for xi in [0, 8] {
                          let x$2: int = max(wx, min(wx + t * 64, wx + wxe + -64)) + xo$1 * 8 + xi;
                          if x$2 < wx + wxe {
                            out.buffer[(x$2 - out.min.0) * out.stride.0 + (wy - out.min.1) * out.stride.1 @ out(x$2, wy) stage 0] = 1u16;
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
        "#]],
    );
}

#[test]
fn vectors_at_clamped_indices_are_dense_where_the_clamps_do_nothing() {
    check(
        &[
            "flatten_storage",
            "dense_rows",
            "simplify",
            "vectorize",
            "simplify",
            "partition",
            "simplify",
        ],
        "
  func out [wx, wxe] [wy, 1] {
    for d in [0, wye] {
      for xo in [0, wxe / 8] {
        vectorized xi in [0, 8] {
          out(wx + xo * 8 + xi, wy) stage 0 = input(max(min(wx + xo * 8 + xi + d, input.min.0 + \
          input.extent.0 - 1), input.min.0), wy);
        }
      }
    }
  }
",
        &expect![[r#"
              assert input.stride.0 == 1, layout input;
              assert out.stride.0 == 1, layout out;
              func out [wx, wxe] [wy, 1] {
                for d in [0, wye] {
                  for xo in [0, wxe / 8] {
                    if wx + xo * 8 + d + 8 <= input.min.0 + input.extent.0 & input.min.0 <= wx + xo * 8 + d {
                      out.buffer[ramp(wx + xo * 8 - out.min.0 + (wy - out.min.1) * out.stride.1, 1, 8) @ out(ramp(wx + xo * 8, 1, 8), broadcast(wy, 8)) stage 0] = input.buffer[ramp(wx + xo * 8 + d - input.min.0 + (wy - input.min.1) * input.stride.1, 1, 8) @ input(ramp(wx + xo * 8 + d, 1, 8), broadcast(wy, 8))];
                    } else {
                      out.buffer[ramp(wx + xo * 8 - out.min.0 + (wy - out.min.1) * out.stride.1, 1, 8) @ out(ramp(wx + xo * 8, 1, 8), broadcast(wy, 8)) stage 0] = input.buffer[max(min(ramp(wx + xo * 8 + d, 1, 8), broadcast(input.min.0 + input.extent.0 + -1, 8)), broadcast(input.min.0, 8)) - broadcast(input.min.0, 8) + broadcast((wy - input.min.1) * input.stride.1, 8) @ input(max(min(ramp(wx + xo * 8 + d, 1, 8), broadcast(input.min.0 + input.extent.0 + -1, 8)), broadcast(input.min.0, 8)), broadcast(wy, 8))];
                    }
                  }
                }
              }
            }
        "#]],
    );
    // The operand of the clamp is not known before the load.
    check(
        &[
            "flatten_storage",
            "dense_rows",
            "simplify",
            "vectorize",
            "simplify",
            "partition",
            "simplify",
        ],
        "
  func out [wx, wxe] [wy, 1] {
    for d in [0, wye] {
      for xo in [0, wxe / 8] {
        vectorized xi in [0, 8] {
          out(wx + xo * 8 + xi, wy) stage 0 = input(max(min(int(input(d, d)) + xi, input.min.0 + \
          input.extent.0 - 1), input.min.0), wy);
        }
      }
    }
  }
",
        &expect![[r#"
              assert input.stride.0 == 1, layout input;
              assert out.stride.0 == 1, layout out;
              func out [wx, wxe] [wy, 1] {
                for d in [0, wye] {
                  for xo in [0, wxe / 8] {
                    out.buffer[ramp(wx + xo * 8 - out.min.0 + (wy - out.min.1) * out.stride.1, 1, 8) @ out(ramp(wx + xo * 8, 1, 8), broadcast(wy, 8)) stage 0] = input.buffer[max(min(ramp(int(input.buffer[d - input.min.0 + (d - input.min.1) * input.stride.1 @ input(d, d)]), 1, 8), broadcast(input.min.0 + input.extent.0 + -1, 8)), broadcast(input.min.0, 8)) - broadcast(input.min.0, 8) + broadcast((wy - input.min.1) * input.stride.1, 8) @ input(max(min(ramp(int(input.buffer[d - input.min.0 + (d - input.min.1) * input.stride.1 @ input(d, d)]), 1, 8), broadcast(input.min.0 + input.extent.0 + -1, 8)), broadcast(input.min.0, 8)), broadcast(wy, 8))];
                  }
                }
              }
            }
        "#]],
    );
}

#[test]
fn tails_of_tiles_are_tested_for() {
    check(
        &["flatten_storage", "partition", "simplify"],
        "
  func out [wx, wxe] [wy, 1] {
    for xo in [0, (wxe + 31) / 32] {
      for xi in [0, 32] {
        let x: int = wx + xo * 32 + xi;
        if x < wx + wxe {
          out(x, wy) stage 0 = 1u16;
        } else {
          out(wx, wy) stage 0 = 1u16;
        }
      }
    }
  }
",
        &expect![[r#"
              func out [wx, wxe] [wy, 1] {
                for xo in [0, (wxe + 31) / 32] {
                  let xi.tail: int = max(min(wxe - xo * 32, 32), 0);
                  for xi in [0, xi.tail] {
                    let x: int = wx + xo * 32 + xi;
                    out.buffer[(x - out.min.0) * out.stride.0 + (wy - out.min.1) * out.stride.1 @ out(x, wy) stage 0] = 1u16;
                  }
                  if xi.tail < 32 {
                    for xi$1 in [0, 32] {
                      if xi.tail <= xi$1 {
                        let x$1: int = wx + xo * 32 + xi$1;
                        out.buffer[(wx - out.min.0) * out.stride.0 + (wy - out.min.1) * out.stride.1 @ out(wx, wy) stage 0] = 1u16;
                      }
                    }
                  }
                }
              }
            }
        "#]],
    );
}

/// Inside the picture and outside of it: the clamps make a steady loop, in which the comparisons
/// are decided, whichever way they are written. A comparison that holds in fewer iterations
/// shortens no loop, and stays.
#[test]
fn what_chooses_values_is_decided_with_the_clamps_beside_it() {
    check(
        &["flatten_storage", "vectorize", "partition", "simplify"],
        "
  for xo in [0, wxe / 8] {
    vectorized xi in [0, 8] {
      let x: int = wx + xo * 8 + xi;
      out(x, wy) stage 0 = select(input.min.0 <= x & x < input.min.0 + input.extent.0, \
      input(max(min(x, input.min.0 + input.extent.0 - 1), input.min.0), wy), 0u16)
        + select(x < input.min.0 | input.min.0 + input.extent.0 <= x, 1u16, 2u16) + select(x < \
        input.min.0 + input.extent.0 - 1, 3u16, 4u16) + select(input.min.0 < x & wx < wy, 5u16, \
        6u16);
    }
  }
",
        &expect![[r#"
              let xo.steady: int = max(min((input.min.0 - wx + 7) / 8, wxe / 8), 0);
              let xo.tail: int = max(xo.steady, min((input.min.0 + input.extent.0 - wx) / 8, wxe / 8));
              for xo in [0, xo.steady] {
                let x: int = wx + xo * 8;
                out.buffer[ramp((x - out.min.0) * out.stride.0 + (wy - out.min.1) * out.stride.1, out.stride.0, 8) @ out(ramp(x, 1, 8), broadcast(wy, 8)) stage 0] = select(broadcast(input.min.0, 8) <= ramp(x, 1, 8) & ramp(x, 1, 8) < broadcast(input.min.0 + input.extent.0, 8), input.buffer[(max(min(ramp(x, 1, 8), broadcast(input.min.0 + input.extent.0 + -1, 8)), broadcast(input.min.0, 8)) - broadcast(input.min.0, 8)) * broadcast(input.stride.0, 8) + broadcast((wy - input.min.1) * input.stride.1, 8) @ input(max(min(ramp(x, 1, 8), broadcast(input.min.0 + input.extent.0 + -1, 8)), broadcast(input.min.0, 8)), broadcast(wy, 8))], broadcast(0u16, 8)) + select(ramp(x, 1, 8) < broadcast(input.min.0, 8) | broadcast(input.min.0 + input.extent.0, 8) <= ramp(x, 1, 8), broadcast(1u16, 8), broadcast(2u16, 8)) + select(ramp(x, 1, 8) < broadcast(input.min.0 + input.extent.0 + -1, 8), broadcast(3u16, 8), broadcast(4u16, 8)) + select(broadcast(input.min.0, 8) < ramp(x, 1, 8) & broadcast(wx < wy, 8), broadcast(5u16, 8), broadcast(6u16, 8));
              }
              for xo$1 in [xo.steady, xo.tail - xo.steady] {
                let x$1: int = wx + xo$1 * 8;
                out.buffer[ramp((x$1 - out.min.0) * out.stride.0 + (wy - out.min.1) * out.stride.1, out.stride.0, 8) @ out(ramp(x$1, 1, 8), broadcast(wy, 8)) stage 0] = input.buffer[ramp(x$1 - input.min.0, 1, 8) * broadcast(input.stride.0, 8) + broadcast((wy - input.min.1) * input.stride.1, 8) @ input(ramp(x$1, 1, 8), broadcast(wy, 8))] + broadcast(2u16, 8) + select(ramp(x$1, 1, 8) < broadcast(input.min.0 + input.extent.0 + -1, 8), broadcast(3u16, 8), broadcast(4u16, 8)) + select(broadcast(input.min.0, 8) < ramp(x$1, 1, 8) & broadcast(wx < wy, 8), broadcast(5u16, 8), broadcast(6u16, 8));
              }
              for xo$2 in [xo.tail, wxe / 8 - xo.tail] {
                let x$2: int = wx + xo$2 * 8;
                out.buffer[ramp((x$2 - out.min.0) * out.stride.0 + (wy - out.min.1) * out.stride.1, out.stride.0, 8) @ out(ramp(x$2, 1, 8), broadcast(wy, 8)) stage 0] = select(broadcast(input.min.0, 8) <= ramp(x$2, 1, 8) & ramp(x$2, 1, 8) < broadcast(input.min.0 + input.extent.0, 8), input.buffer[(max(min(ramp(x$2, 1, 8), broadcast(input.min.0 + input.extent.0 + -1, 8)), broadcast(input.min.0, 8)) - broadcast(input.min.0, 8)) * broadcast(input.stride.0, 8) + broadcast((wy - input.min.1) * input.stride.1, 8) @ input(max(min(ramp(x$2, 1, 8), broadcast(input.min.0 + input.extent.0 + -1, 8)), broadcast(input.min.0, 8)), broadcast(wy, 8))], broadcast(0u16, 8)) + select(ramp(x$2, 1, 8) < broadcast(input.min.0, 8) | broadcast(input.min.0 + input.extent.0, 8) <= ramp(x$2, 1, 8), broadcast(1u16, 8), broadcast(2u16, 8)) + select(ramp(x$2, 1, 8) < broadcast(input.min.0 + input.extent.0 + -1, 8), broadcast(3u16, 8), broadcast(4u16, 8)) + select(broadcast(input.min.0, 8) < ramp(x$2, 1, 8) & broadcast(wx < wy, 8), broadcast(5u16, 8), broadcast(6u16, 8));
              }
            }
        "#]],
    );
}

/// The same for vectors whose loop cannot be divided: where the clamps do nothing, the comparisons
/// are decided.
#[test]
fn what_chooses_values_is_decided_where_loads_are_dense() {
    check(
        &[
            "flatten_storage",
            "dense_rows",
            "simplify",
            "vectorize",
            "simplify",
            "partition",
            "simplify",
        ],
        "
  func out [wx, wxe] [wy, 1] {
    for t in [0, wxe / 64] {
      for xo in [0, 8] {
        vectorized xi in [0, 8] {
          let x: int = wx + t * 64 + xo * 8 + xi;
          out(x, wy) stage 0 = select(input.min.0 <= x & x < input.min.0 + input.extent.0, \
          input(max(min(x, input.min.0 + input.extent.0 - 1), input.min.0), wy), 0u16)
            + select(x < input.min.0 + input.extent.0 - 1, 3u16, 4u16);
        }
      }
    }
  }
",
        &expect![[r#"
              assert input.stride.0 == 1, layout input;
              assert out.stride.0 == 1, layout out;
              func out [wx, wxe] [wy, 1] {
                for t in [0, wxe / 64] {
                  for xo in [0, 8] {
                    let x: int = wx + t * 64 + xo * 8;
                    if x + 8 <= input.min.0 + input.extent.0 & input.min.0 <= x {
                      out.buffer[ramp(x - out.min.0 + (wy - out.min.1) * out.stride.1, 1, 8) @ out(ramp(x, 1, 8), broadcast(wy, 8)) stage 0] = input.buffer[ramp(x - input.min.0 + (wy - input.min.1) * input.stride.1, 1, 8) @ input(ramp(x, 1, 8), broadcast(wy, 8))] + select(ramp(x, 1, 8) < broadcast(input.min.0 + input.extent.0 + -1, 8), broadcast(3u16, 8), broadcast(4u16, 8));
                    } else {
                      out.buffer[ramp(x - out.min.0 + (wy - out.min.1) * out.stride.1, 1, 8) @ out(ramp(x, 1, 8), broadcast(wy, 8)) stage 0] = select(broadcast(input.min.0, 8) <= ramp(x, 1, 8) & ramp(x, 1, 8) < broadcast(input.min.0 + input.extent.0, 8), input.buffer[max(min(ramp(x, 1, 8), broadcast(input.min.0 + input.extent.0 + -1, 8)), broadcast(input.min.0, 8)) - broadcast(input.min.0, 8) + broadcast((wy - input.min.1) * input.stride.1, 8) @ input(max(min(ramp(x, 1, 8), broadcast(input.min.0 + input.extent.0 + -1, 8)), broadcast(input.min.0, 8)), broadcast(wy, 8))], broadcast(0u16, 8)) + select(ramp(x, 1, 8) < broadcast(input.min.0 + input.extent.0 + -1, 8), broadcast(3u16, 8), broadcast(4u16, 8));
                    }
                  }
                }
              }
            }
        "#]],
    );
}

#[test]
fn what_is_not_monotone_or_not_worth_it_stays() {
    let body = "
  for x in [wx, wxe] {
    if x % 2 < wy {
      out(x, wy) stage 0 = 1u16;
    }
    if x * x < wy {
      out(x, wy) stage 0 = 1u16;
    } else {
      out(x, wy) stage 0 = 2u16;
    }
  }
  for x2 in [wx, 4] {
    if x2 < wy {
      out(x2, wy) stage 0 = 1u16;
    } else {
      out(x2, wy) stage 0 = 2u16;
    }
  }
  parallel x3 in [wx, wxe] {
    if x3 < wy {
      out(x3, wy) stage 0 = 1u16;
    }
  }
";
    let plain = run(&["flatten_storage"], BLUR, OUT, body).unwrap();
    assert_eq!(plain, run(&["flatten_storage", "partition"], BLUR, OUT, body).unwrap());
}

#[test]
fn lets_are_looked_into() {
    check(
        &["flatten_storage", "simplify"],
        "
  for t in [0, 8] {
    let first: int = t * 32 + 16;
    for lane in [0, 8] {
      let i: int = first + lane;
      if i < first + 8 {
        out(i % 16, i / 16) stage 0 = 1u16;
      }
      out(min(i, first + 7), i % 12) stage 0 = 2u16;
    }
  }
",
        &expect![[r#"
              for t in [0, 8] {
                let first: int = t * 32 + 16;
                for lane in [0, 8] {
                  let i: int = first + lane;
                  out.buffer[(lane - out.min.0) * out.stride.0 + (t * 2 - out.min.1 + 1) * out.stride.1 @ out(lane, t * 2 + 1) stage 0] = 1u16;
                  out.buffer[(i - out.min.0) * out.stride.0 + (i % 12 - out.min.1) * out.stride.1 @ out(i, i % 12) stage 0] = 2u16;
                }
              }
            }
        "#]],
    );
}

/// A loop over rows that looks two iterations ahead.
const ROWS: &str = "
  ahead input, 2 {
    for y in [wy, wye] {
      let row: int = (y - input.min.1) * input.stride.1 - input.min.0;
      for x in [0, wxe / 16] {
        out.buffer[ramp((y - out.min.1) * out.stride.1 + x * 16, 1, 16) @ out(ramp(x * 16, 1, 16), \
        broadcast(y, 16)) stage 0] = input.buffer[ramp(row + x * 16, 1, 16)] + \
        input.buffer[ramp(row + x * 16 + 1, 1, 16)] + input.buffer[ramp(row + x * 16 + 2 * \
        input.stride.1, 1, 16)] + input.buffer[ramp(row + x * 16 + 4 * input.stride.1, 1, 16)];
      }
    }
  }
";

#[test]
fn prefetches_are_of_what_a_later_iteration_reads_and_this_one_does_not() {
    // The third vector already reads what the first one reads two iterations later, and likewise
    // the fourth and the third.
    check(
        &["prefetch"],
        ROWS,
        &expect![[r#"
          for y in [wy, wye] {
            let row: int = (y - input.min.1) * input.stride.1 - input.min.0;
            for x in [0, wxe / 16] {
              prefetch input.buffer[u64(input.stride.1) * 2u64 + u64(x) * 16u64 + u64(input.stride.1) * u64(y) - u64(input.min.0) - u64(input.min.1) * u64(input.stride.1) + 1u64] {
              }
              prefetch input.buffer[u64(input.stride.1) * 6u64 + u64(x) * 16u64 + u64(input.stride.1) * u64(y) - u64(input.min.0) - u64(input.min.1) * u64(input.stride.1)] {
              }
              out.buffer[ramp((y - out.min.1) * out.stride.1 + x * 16, 1, 16) @ out(ramp(x * 16, 1, 16), broadcast(y, 16)) stage 0] = input.buffer[ramp(row + x * 16, 1, 16)] + input.buffer[ramp(row + x * 16 + 1, 1, 16)] + input.buffer[ramp(row + x * 16 + 2 * input.stride.1, 1, 16)] + input.buffer[ramp(row + x * 16 + 4 * input.stride.1, 1, 16)];
            }
          }
        }
    "#]],
    );
}

#[test]
fn a_loop_that_begins_elsewhere_later_is_followed() {
    check(
        &["prefetch"],
        "
  ahead input, 1 {
    for y in [wy, wye] {
      for x in [y * 32, 32] {
        out.buffer[x @ out(x, y) stage 0] = input.buffer[x * input.stride.0 + 40];
      }
    }
  }
",
        &expect![[r#"
              for y in [wy, wye] {
                for x in [y * 32, 32] {
                  prefetch input.buffer[u64(input.stride.0) * 32u64 + u64(input.stride.0) * u64(x) + 40u64] {
                  }
                  out.buffer[x @ out(x, y) stage 0] = input.buffer[x * input.stride.0 + 40];
                }
              }
            }
        "#]],
    );
}

#[test]
fn nothing_is_fetched_where_nothing_is_known_or_new() {
    // An index from memory, an index that does not change, and a gather.
    check(
        &["prefetch"],
        "
  ahead input, 1 {
    for y in [wy, wye] {
      out.buffer[y @ out(y, y) stage 0] = input.buffer[int(input.buffer[5])] + input.buffer[wx];
      out.buffer[ramp(y, 1, 4) @ out(ramp(y, 1, 4), broadcast(y, 4)) stage 0] = \
      input.buffer[ramp(y, 3, 4)];
    }
  }
",
        &expect![[r#"
              for y in [wy, wye] {
                out.buffer[y @ out(y, y) stage 0] = input.buffer[int(input.buffer[5])] + input.buffer[wx];
                out.buffer[ramp(y, 1, 4) @ out(ramp(y, 1, 4), broadcast(y, 4)) stage 0] = input.buffer[ramp(y, 3, 4)];
              }
            }
        "#]],
    );
}

#[test]
fn minima_and_maxima_are_looked_into() {
    check(
        &["flatten_storage", "simplify"],
        "
  assert 64 <= wxe, require \"large\";
  let even: int = wx / 2 * 2;
  for t in [0, 8] {
    let x: int = max(wx, min(wx + wxe - 64, t * 64 + wx));
    if x + 62 < wx + wxe {
      out(x, wy) stage 0 = 1u16;
    }
    if x + 64 < wx + wxe {
      out(x, wy) stage 0 = 2u16;
    }
    let z: int = max(even, min(even + 64, t * 2 + even)) + 1;
    out(z % 2, z % 4) stage 0 = 3u16;
  }
",
        &expect![[r#"
              assert 64 <= wxe, require "large";
              let even: int = wx / 2 * 2;
              for t in [0, 8] {
                let x: int = min(wx + wxe + -64, t * 64 + wx);
                out.buffer[(x - out.min.0) * out.stride.0 + (wy - out.min.1) * out.stride.1 @ out(x, wy) stage 0] = 1u16;
                if x + 64 < wx + wxe {
                  out.buffer[(x - out.min.0) * out.stride.0 + (wy - out.min.1) * out.stride.1 @ out(x, wy) stage 0] = 2u16;
                }
                let z: int = t * 2 + even + 1;
                out.buffer[(1 - out.min.0) * out.stride.0 + (z % 4 - out.min.1) * out.stride.1 @ out(1, z % 4) stage 0] = 3u16;
              }
            }
        "#]],
    );
}

#[test]
fn stores_that_fill_a_row_come_together() {
    let passes = [
        "flatten_storage",
        "dense_rows",
        "simplify",
        "vectorize",
        "unroll",
        "simplify",
        "cse",
        "interleave",
    ];
    let body = |value: &str| {
        format!(
            "
  for y in [wy, wye] {{
    for t in [0, 4] {{
      unrolled c in [0, 2] {{
        vectorized v in [0, 8] {{
          let x: int = wx + t * 16 + v * 2 + (1 - c);
          out(x, y) stage 0 = {value};
        }}
      }}
    }}
  }}
"
        )
    };
    check(
        &passes,
        &body("input(x, y)"),
        &expect![[r#"
          assert input.stride.0 == 1, layout input;
          assert out.stride.0 == 1, layout out;
          for y in [wy, wye] {
            for t in [0, 4] {
              let x: int = wx + t * 16 + 1;
              let x$1: int = wx + t * 16;
              out.buffer[ramp(x$1 - out.min.0 + (y - out.min.1) * out.stride.1, 2, 8) @ out(ramp(x$1, 2, 8), broadcast(y, 8)) stage 0] = input.buffer[ramp(x$1 - input.min.0 + (y - input.min.1) * input.stride.1, 2, 8) @ input(ramp(x$1, 2, 8), broadcast(y, 8))];
              out.buffer[ramp(x$1 - out.min.0 + (y - out.min.1) * out.stride.1 + 1, 2, 8) @ out(ramp(x, 2, 8), broadcast(y, 8)) stage 0] = input.buffer[ramp(x - input.min.0 + (y - input.min.1) * input.stride.1, 2, 8) @ input(ramp(x, 2, 8), broadcast(y, 8))];
            }
          }
        }
    "#]],
    );
    // The second store reads elements that the first one writes.
    check(
        &passes,
        &body("out(x + 1, y)"),
        &expect![[r#"
          assert out.stride.0 == 1, layout out;
          for y in [wy, wye] {
            for t in [0, 4] {
              {
                let x: int = wx + t * 16 + 1;
                let index: int = x - out.min.0 + (y - out.min.1) * out.stride.1;
                out.buffer[ramp(index, 2, 8) @ out(ramp(x, 2, 8), broadcast(y, 8)) stage 0] = out.buffer[ramp(index + 1, 2, 8) @ out(ramp(x + 1, 2, 8), broadcast(y, 8))];
              }
              let x$1: int = wx + t * 16;
              let index$1: int = x$1 - out.min.0 + (y - out.min.1) * out.stride.1;
              out.buffer[ramp(index$1, 2, 8) @ out(ramp(x$1, 2, 8), broadcast(y, 8)) stage 0] = out.buffer[ramp(index$1 + 1, 2, 8) @ out(ramp(x$1 + 1, 2, 8), broadcast(y, 8))];
            }
          }
        }
    "#]],
    );
}

#[test]
fn vectors_at_halves_are_made_of_even_and_odd_columns() {
    let body = |value: &str| {
        format!(
            "
  for y in [wy, wye] {{
    vectorized v in [0, 16] {{
      let x: int = wx + v;
      out(x, y) stage 0 = {value};
    }}
  }}
"
        )
    };
    let passes = ["flatten_storage", "dense_rows", "simplify", "columns"];
    check(
        &passes,
        &body("select(x % 2 == 0, input(x / 2, y), 7u16)"),
        &expect![[r#"
          assert input.stride.0 == 1, layout input;
          assert out.stride.0 == 1, layout out;
          for y in [wy, wye] {
            unrolled v_column in [0, 2] {
              vectorized v_pair in [0, 8] {
                let v: int = v_pair * 2 + v_column;
                let x: int = wx + v;
                out.buffer[x - out.min.0 + (y - out.min.1) * out.stride.1 @ out(x, y) stage 0] = select(x % 2 == 0, input.buffer[x / 2 - input.min.0 + (y - input.min.1) * input.stride.1 @ input(x / 2, y)], 7u16);
              }
            }
          }
        }
    "#]],
    );
    // Every element is read once, or the stored buffer is read: one vector.
    check(
        &passes,
        &body("input(x, y / 2)"),
        &expect![[r#"
          assert input.stride.0 == 1, layout input;
          assert out.stride.0 == 1, layout out;
          for y in [wy, wye] {
            vectorized v in [0, 16] {
              let x: int = wx + v;
              out.buffer[x - out.min.0 + (y - out.min.1) * out.stride.1 @ out(x, y) stage 0] = input.buffer[x - input.min.0 + (y / 2 - input.min.1) * input.stride.1 @ input(x, y / 2)];
            }
          }
        }
    "#]],
    );
    check(
        &passes,
        &body("out(x / 2, y)"),
        &expect![[r#"
          assert out.stride.0 == 1, layout out;
          for y in [wy, wye] {
            vectorized v in [0, 16] {
              let x: int = wx + v;
              out.buffer[x - out.min.0 + (y - out.min.1) * out.stride.1 @ out(x, y) stage 0] = out.buffer[x / 2 - out.min.0 + (y - out.min.1) * out.stride.1 @ out(x / 2, y)];
            }
          }
        }
    "#]],
    );
}

#[test]
fn even_and_odd_columns_share_the_test_for_the_end_of_a_row() {
    let body = |condition: &str| {
        format!(
            "
  for t in [0, (wxe + 15) / 16] {{
    vectorized v in [0, 16] {{
      let x: int = wx + t * 16 + v;
      if {condition} {{
        out(x, wy) stage 0 = input(x / 2, wy);
      }}
    }}
  }}
"
        )
    };
    let passes = ["flatten_storage", "dense_rows", "simplify", "columns"];
    check(
        &passes,
        &body("x < wx + wxe"),
        &expect![[r#"
          assert input.stride.0 == 1, layout input;
          assert out.stride.0 == 1, layout out;
          for t in [0, (wxe + 15) / 16] {
            if t * 16 - wxe + 15 < 0 {
              unrolled v_column in [0, 2] {
                vectorized v_pair in [0, 8] {
                  let v: int = v_pair * 2 + v_column;
                  let x: int = wx + t * 16 + v;
                  out.buffer[x - out.min.0 + (wy - out.min.1) * out.stride.1 @ out(x, wy) stage 0] = input.buffer[x / 2 - input.min.0 + (wy - input.min.1) * input.stride.1 @ input(x / 2, wy)];
                }
              }
            } else {
              for v$1 in [0, 16] {
                let x$1: int = wx + t * 16 + v$1;
                if x$1 < wx + wxe {
                  out.buffer[x$1 - out.min.0 + (wy - out.min.1) * out.stride.1 @ out(x$1, wy) stage 0] = input.buffer[x$1 / 2 - input.min.0 + (wy - input.min.1) * input.stride.1 @ input(x$1 / 2, wy)];
                }
              }
            }
          }
        }
    "#]],
    );
    // The last iteration decides nothing.
    check(
        &passes,
        &body("wx + wxe <= x"),
        &expect![[r#"
          assert input.stride.0 == 1, layout input;
          assert out.stride.0 == 1, layout out;
          for t in [0, (wxe + 15) / 16] {
            unrolled v_column in [0, 2] {
              vectorized v_pair in [0, 8] {
                let v: int = v_pair * 2 + v_column;
                let x: int = wx + t * 16 + v;
                if wx + wxe <= x {
                  out.buffer[x - out.min.0 + (wy - out.min.1) * out.stride.1 @ out(x, wy) stage 0] = input.buffer[x / 2 - input.min.0 + (wy - input.min.1) * input.stride.1 @ input(x / 2, wy)];
                }
              }
            }
          }
        }
    "#]],
    );
}
