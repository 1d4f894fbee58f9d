//! Programs that tests share: some are right, and wrong ones differ as little as possible.

/// Entry checks on the shape of a one-dimensional buffer.
fn limits(buffer: &str) -> String {
    let big = 1_i64 << 31;
    format!(
        "assert 0 - {big} <= {buffer}.min.0 & {buffer}.min.0 <= {big}, size_limit \"min\";
         assert 0 <= {buffer}.extent.0 & {buffer}.extent.0 <= {big}, size_limit \"extent\";
         assert 1 <= {buffer}.stride.0 & {buffer}.extent.0 * {buffer}.stride.0 <= 140737488355328, \
         size_limit \"stride\";
         assert {buffer}.stride.0 <= 140737488355328, size_limit \"stride\";"
    )
}

fn window_limits() -> String {
    let big = 1_i64 << 31;
    format!(
        "assert 0 - {big} <= output.window.min.0 & output.window.min.0 <= {big}, \
            size_limit \"window\";
         assert 0 <= output.window.extent.0 & output.window.extent.0 <= {big}, \
         size_limit \"window\";"
    )
}

/// Two stages. The first is computed for each of the parallel tiles of the second.
pub(crate) fn tiles() -> String {
    let (input, output, window) = (limits("input"), limits("output"), window_limits());
    format!(
        "algorithm small {{
  input input(_0): u8 in input.buffer [input.min.0, input.extent.0, input.stride.0];
  func twice(x): u8 {{ stage(x) = input(x) + input(x + 1); }}
  func output(x$1): u8 {{ stage(x$1) = twice(x$1) - twice(x$1 + 1); }}
  output output;
}}
program small {{
  output output in output.buffer [output.min.0, output.extent.0, output.stride.0] window \
  [output.window.min.0, output.window.extent.0];
  {input} {output} {window}
  assert output.window.extent.0 <= 0 | input.min.0 <= output.window.min.0 & output.window.min.0 + \
  output.window.extent.0 + 2 <= input.min.0 + input.extent.0, input_region input, 0, \
  [output.window.min.0, output.window.extent.0 + 2] within [input.min.0, input.extent.0];
  assert output.window.extent.0 <= 0 | output.min.0 <= output.window.min.0 & output.window.min.0 + \
  output.window.extent.0 + 1 <= output.min.0 + output.extent.0, output_region output, 0, \
  [output.window.min.0, output.window.extent.0 + 1] within [output.min.0, output.extent.0];
  if 0 < output.window.extent.0 {{
    func output [output.window.min.0, output.window.extent.0] {{
      stage output, 0, 0 {{
        parallel xo in [0, (output.window.extent.0 + 3) / 4] {{
          let start: int = xo * 4 + output.window.min.0;
          let length: int = min(output.window.extent.0 - xo * 4 + 1, 5);
          allocate twice.buffer: u8 for twice [start, length, 1];
          func twice [start, length] {{
            stage twice, 0, 0 {{
              for tx in [start, length] {{
                twice.buffer[tx - start @ twice(tx) stage 0] = input.buffer[(tx - input.min.0) * \
                input.stride.0 @ input(tx)] + input.buffer[(tx + 1 - input.min.0) * input.stride.0 \
                @ input(tx + 1)];
              }}
            }}
          }}
          for xi in [0, 4] {{
            let ox: int = xo * 4 + xi + output.window.min.0;
            if ox < output.window.min.0 + output.window.extent.0 {{
              output.buffer[(ox - output.min.0) * output.stride.0 @ output(ox) stage 0] = \
              twice.buffer[ox - start @ twice(ox)] - twice.buffer[ox + 1 - start @ twice(ox + 1)];
            }}
          }}
        }}
      }}
    }}
  }}
}}"
    )
}

/// A reduction with a filter.
pub(crate) fn sums() -> String {
    let (input, output, window) = (limits("input"), limits("output"), window_limits());
    format!(
        "algorithm sums {{
  input input(_0): i32 in input.buffer [input.min.0, input.extent.0, input.stride.0];
  func output(y): i32 {{
    stage(y) = 0i32;
    for x in [input.min.0, input.extent.0] if 0i32 < input(x) stage(y) = output(y) + input(x);
  }}
  output output;
}}
program sums {{
  output output in output.buffer [output.min.0, output.extent.0, output.stride.0] window \
  [output.window.min.0, output.window.extent.0];
  {input} {output} {window}
  assert output.window.extent.0 <= 0 | output.min.0 <= output.window.min.0 & output.window.min.0 + \
  output.window.extent.0 <= output.min.0 + output.extent.0, output_region output, 0, \
  [output.window.min.0, output.window.extent.0] within [output.min.0, output.extent.0];
  if 0 < output.window.extent.0 {{
    func output [output.window.min.0, output.window.extent.0] {{
      stage output, 0, 0 {{
        for y0 in [output.window.min.0, output.window.extent.0] {{
          output.buffer[(y0 - output.min.0) * output.stride.0 @ output(y0) stage 0] = 0i32;
        }}
      }}
      stage output, 1, 0 {{
        for y1 in [output.window.min.0, output.window.extent.0] {{
          for x1 in [input.min.0, input.extent.0] {{
            if 0i32 < input.buffer[(x1 - input.min.0) * input.stride.0 @ input(x1)] {{
              output.buffer[(y1 - output.min.0) * output.stride.0 @ output(y1) stage 1 point(x1)] \
              = output.buffer[(y1 - output.min.0) * output.stride.0 @ output(y1)] + \
              input.buffer[(x1 - input.min.0) * input.stride.0 @ input(x1)];
            }}
          }}
        }}
      }}
    }}
  }}
}}"
    )
}

/// Entry checks and the caller's buffers of the programs with a sliding window.
fn line(algorithm: &str, work: &str) -> String {
    let (input, output, window) = (limits("input"), limits("output"), window_limits());
    format!(
        "algorithm line {{
  input input(_0): u8 in input.buffer [input.min.0, input.extent.0, input.stride.0];
  {algorithm}
  func output(x$1): u8 {{ stage(x$1) = twice(x$1) - twice(x$1 + 1); }}
  output output;
}}
program line {{
  output output in output.buffer [output.min.0, output.extent.0, output.stride.0] window \
  [output.window.min.0, output.window.extent.0];
  {input} {output} {window}
  assert output.window.extent.0 <= 0 | input.min.0 <= output.window.min.0 & output.window.min.0 + \
  output.window.extent.0 + 2 <= input.min.0 + input.extent.0, input_region input, 0, \
  [output.window.min.0, output.window.extent.0 + 2] within [input.min.0, input.extent.0];
  assert output.window.extent.0 <= 0 | output.min.0 <= output.window.min.0 & output.window.min.0 + \
  output.window.extent.0 <= output.min.0 + output.extent.0, output_region output, 0, \
  [output.window.min.0, output.window.extent.0] within [output.min.0, output.extent.0];
  if 0 < output.window.extent.0 {{
    {work}
  }}
}}"
    )
}

/// A window of two that slides over a loop, in a buffer for two.
pub(crate) fn folded() -> String {
    line(
        "func twice(x): u8 { stage(x) = input(x) + input(x + 1); }",
        "allocate twice.buffer: u8 for twice fold [0, 2, 1];
    func output [output.window.min.0, output.window.extent.0] {
      stage output, 0, 0 {
        for ox in [output.window.min.0, output.window.extent.0] {
          let start: int = select(ox == output.window.min.0, ox, ox + 1);
          let length: int = select(ox == output.window.min.0, 2, 1);
          func twice [ox, 2] {
            stage twice, 0, 0 {
              for tx in [start, length] {
                twice.buffer[tx % 2 @ twice(tx) stage 0] = input.buffer[(tx - input.min.0) * \
                input.stride.0 @ input(tx)] + input.buffer[(tx + 1 - input.min.0) * input.stride.0 \
                @ input(tx + 1)];
              }
            }
          }
          output.buffer[(ox - output.min.0) * output.stride.0 @ output(ox) stage 0] = \
          twice.buffer[ox % 2 @ twice(ox)] - twice.buffer[(ox + 1) % 2 @ twice(ox + 1)];
        }
      }
    }",
    )
}

/// The same with an update, in a buffer for all values.
pub(crate) fn updated() -> String {
    line(
        "func twice(x): u8 { stage(x) = input(x); stage(x) = twice(x) + input(x + 1); }",
        "allocate twice.buffer: u8 for twice [output.window.min.0, output.window.extent.0 + 1, 1];
    func output [output.window.min.0, output.window.extent.0] {
      stage output, 0, 0 {
        for ox in [output.window.min.0, output.window.extent.0] {
          let start: int = select(ox == output.window.min.0, ox, ox + 1);
          let length: int = select(ox == output.window.min.0, 2, 1);
          func twice [ox, 2] {
            stage twice, 0, 0 {
              for t0 in [start, length] {
                twice.buffer[t0 - output.window.min.0 @ twice(t0) stage 0] = input.buffer[(t0 - \
                input.min.0) * input.stride.0 @ input(t0)];
              }
            }
            stage twice, 1, 0 {
              for t1 in [start, length] {
                twice.buffer[t1 - output.window.min.0 @ twice(t1) stage 1] = twice.buffer[t1 - \
                output.window.min.0 @ twice(t1)] + input.buffer[(t1 + 1 - input.min.0) * \
                input.stride.0 @ input(t1 + 1)];
              }
            }
          }
          output.buffer[(ox - output.min.0) * output.stride.0 @ output(ox) stage 0] = \
          twice.buffer[ox - output.window.min.0 @ twice(ox)] - twice.buffer[ox + 1 - \
          output.window.min.0 @ twice(ox + 1)];
        }
      }
    }",
    )
}

/// A text, and its replacement.
pub(crate) type Edit = (&'static str, &'static str);

/// A kind of obligation, the base, and its edits.
pub(crate) type Wrong = (&'static str, fn() -> String, &'static [Edit]);

/// For each kind of obligation, a base and edits that violate only this kind.
pub(crate) const EDITS: [Wrong; 10] = [
    ("location", tiles, &[("twice.buffer[tx - start @", "twice.buffer[start + length - 1 - tx @")]),
    ("bounds", tiles, &[("for twice [start, length, 1]", "for twice [start, length - 1, 1]")]),
    (
        "claim",
        sums,
        &[(
            "if 0i32 < input.buffer[(x1 - input.min.0) * input.stride.0 @ input(x1)]",
            "if 0 < output.window.extent.0",
        )],
    ),
    ("value", tiles, &[("twice(ox)] - twice.buffer", "twice(ox)] + twice.buffer")]),
    ("coverage", tiles, &[("for tx in [start, length]", "for tx in [start, length - 1]")]),
    ("definedness", tiles, &[("func twice [start, length]", "func twice [start, length - 1]")]),
    (
        "retention",
        folded,
        &[
            ("fold [0, 2, 1]", "fold [0, 1, 1]"),
            ("tx % 2", "tx % 1"),
            ("ox % 2", "ox % 1"),
            ("(ox + 1) % 2", "(ox + 1) % 1"),
        ],
    ),
    (
        "race",
        tiles,
        &[(
            "for xi in [0, 4] {",
            "output.buffer[(output.window.min.0 + output.window.extent.0 - output.min.0) * \
             output.stride.0 @ output(output.window.min.0 + output.window.extent.0) stage 0] = \
             twice.buffer[0 @ twice(start)]; for xi in [0, 4] {",
        )],
    ),
    (
        "output",
        tiles,
        &[(
            "func output [output.window.min.0, output.window.extent.0]",
            "func output [output.window.min.0, output.window.extent.0 - 1]",
        )],
    ),
    ("overflow", tiles, &[("& output.min.0 <= 2147483648", "& 0 <= 0")]),
];

/// The program that violates only one kind of obligation.
///
/// # Panics
/// Panics if there is no such program.
pub(crate) fn wrong(kind: &str) -> String {
    let (_, base, edits) = EDITS.iter().find(|(name, ..)| *name == kind).expect("a known kind");
    edits.iter().fold(base(), |text, (old, new)| {
        assert!(text.contains(old), "nothing to edit: {old}");
        text.replacen(old, new, 1)
    })
}
