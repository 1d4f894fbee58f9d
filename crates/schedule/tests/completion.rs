//! Completed programs are well formed and compute what the algorithm says.

mod common;

use halidom_ir::{print, verify};
use halidom_schedule::{Engine, complete, lower_algorithm};

#[test]
fn default_lowering_is_well_formed() {
    for text in [common::BLUR, common::GEMM, common::HISTOGRAM] {
        for engine in Engine::ALL {
            let (mut pool, algorithm) = common::algorithm(text);
            let lowered = lower_algorithm(&mut pool, &algorithm);
            let program = complete(&mut pool, &lowered, engine).unwrap();
            println!("{}", print::program(&pool, &program));
            verify::program(&pool, &program, verify::Phase::Structured).unwrap();
        }
    }
}
