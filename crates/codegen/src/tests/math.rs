//! The functions that IEEE 754 leaves open give the same bits in C as in `ir::eval`, on millions of
//! values.

use halidom_ir::{Array, Constant, Intrinsic, LoopKind, Scalar, eval};

use super::common::{Builder, arguments, array, kernel};
use crate::Toolchain;

/// The number of values on which each function of each type is tried.
const COUNT: usize = 1 << 18;

/// Returns arbitrary bits or, in turn, values of the size that programs use.
fn operand(scalar: Scalar, random: u64, number: usize) -> Constant {
    let unit = (random >> 11) as f64 / 9_007_199_254_740_992.0 - 0.5;
    let value = match number % 4 {
        0 => {
            let bits = if scalar == Scalar::F32 { random >> 32 } else { random };
            return Constant::from_bits(scalar, bits).unwrap();
        }
        1 => unit * 4.0,
        2 => unit * 1600.0,
        _ => unit * 1e12,
    };
    if scalar == Scalar::F32 { Constant::f32(value as f32) } else { Constant::f64(value) }
}

#[test]
fn c_and_rust_give_the_same_bits() {
    let toolchain = Toolchain::all().into_iter().next().expect("a C compiler").strict();
    // Some functions process the lanes of a vector at once.
    for (scalar, lanes) in
        [(Scalar::F32, 1), (Scalar::F64, 1), (Scalar::F32, 4), (Scalar::F32, 8), (Scalar::F32, 16)]
    {
        let input = array(scalar, &[(0, COUNT as i64)], |number| {
            let mut random = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            random = (random ^ (random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            random = (random ^ (random >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            operand(scalar, random ^ (random >> 31), number)
        });
        let mut b = Builder::new();
        let source = b.input("a", scalar, 1);
        let (var, number) = b.int_var("i");
        let mut position = number;
        if lanes > 1 {
            let count = b.pool.int(i128::from(lanes));
            let base = b.pool.mul(number, count);
            position = b.ramp(base, 1, lanes);
        }
        let x = b.pool.load(source, position, None);
        let functions: Vec<Intrinsic> =
            Intrinsic::ALL.into_iter().filter(|known| !known.is_ieee()).collect();
        let mut stores = Vec::new();
        for function in &functions {
            let value = b.pool.call(*function, x);
            let output = b.output(function.name(), scalar, 1);
            stores.push(b.store(output, position, value));
        }
        let body = b.block(stores);
        let (zero, end) = (b.pool.int(0), b.pool.int(COUNT as i128 / i128::from(lanes)));
        let body = b.for_loop(var, zero, end, LoopKind::Serial, body);
        let program = b.program("functions", body);
        let empty = || array(scalar, &[(0, COUNT as i64)], |_| Constant::zero(scalar));
        let mut outputs: Vec<Array> = functions.iter().map(|_| empty()).collect();
        let kernel = kernel(&b.pool, &program, &toolchain);
        let inputs = [input];
        kernel.run(&arguments(&inputs, &outputs), &mut outputs).unwrap();
        for (function, output) in functions.iter().zip(&outputs) {
            for number in 0..COUNT {
                let operand = inputs[0].get_element(number).unwrap();
                let expected = eval::intrinsic(*function, operand).unwrap();
                let found = output.get_element(number).unwrap();
                assert_eq!(found, expected, "{} of {operand:?}, {lanes} lanes", function.name());
            }
        }
    }
}
