//! Algorithms to schedule, in the IR's text form, and how to run what comes of them.

use halidom_ir::{Algorithm, Pool, parse};

/// A two-stage box blur.
pub const BLUR: &str = "algorithm blur {
  input input(x, y): u16 in input.buffer [input.min.0, input.extent.0, input.stride.0] [input.min.1, input.extent.1, input.stride.1];
  func blur_x(x$1, y$1): u16 {
    stage(x$1, y$1) = (input(x$1, y$1) + input(x$1 + 1, y$1) + input(x$1 + 2, y$1)) / 3u16;
  }
  func output(x$2, y$2): u16 {
    stage(x$2, y$2) = (blur_x(x$2, y$2) + blur_x(x$2, y$2 + 1) + blur_x(x$2, y$2 + 2)) / 3u16;
  }
  output output;
}";

/// Matrix product: a pure stage, then an update over a reduction domain.
pub const GEMM: &str = "algorithm gemm {
  param alpha: i32;
  input A(x, y): i32 in A.buffer [A.min.0, A.extent.0, A.stride.0] [A.min.1, A.extent.1, A.stride.1];
  input B(x$1, y$1): i32 in B.buffer [B.min.0, B.extent.0, B.stride.0] [B.min.1, B.extent.1, B.stride.1];
  require A.extent.1 == B.extent.0, \"inner dimensions differ\";
  func AB(i, j): i32 {
    stage(i, j) = 0i32;
    for k in [0, A.extent.1] stage(i, j) = AB(i, j) + A(i, k) * B(k, j);
  }
  func D(i$1, j$1): i32 {
    stage(i$1, j$1) = alpha * AB(i$1, j$1);
  }
  output D;
}";

/// A scatter whose index depends on data, under a condition.
pub const HISTOGRAM: &str = "algorithm histogram {
  param limit: u8;
  input input(x, y): u8 in input.buffer [input.min.0, input.extent.0, input.stride.0] [input.min.1, input.extent.1, input.stride.1];
  func count(i): u32 {
    stage(i) = 0u32;
    for x$1 in [0, input.extent.0] for y$1 in [0, input.extent.1] if input(x$1, y$1) < limit
      stage(int(min(max(i32(input(x$1, y$1)), 0i32), 255i32))) = count(int(min(max(i32(input(x$1, y$1)), 0i32), 255i32))) + 1u32;
  }
  output count;
}";

/// Reads an algorithm.
pub fn algorithm(text: &str) -> (Pool, Algorithm) {
    let module = parse::module(text).unwrap_or_else(|error| {
        panic!("{error}: {:?}", error.position(text));
    });
    halidom_ir::verify::algorithm(&module.pool, &module.algorithm).unwrap();
    (module.pool, module.algorithm)
}
