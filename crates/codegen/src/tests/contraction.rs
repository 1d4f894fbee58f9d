//! Contraction of sums of products changes values, but no places.

use std::process::Command;

use halidom_ir::{
    Array, BinaryOp, BufferId, BufferKind, Check, Constant, Dim, ExprId, Intrinsic, Label,
    LoopKind, Overflow, Pool, Program, Scalar, Stmt, StmtId, UnaryOp, eval,
};

use super::common::{Builder, arguments, array};
use crate::{
    Artifact, Kernel, Target, Toolchain, compile, emit, is_contracted, permits_contraction,
    write_all,
};

const WRAPS: Overflow = Overflow::Wraps;

/// `f32(x) * s + c`, and the buffers that are read and written there.
struct Parts {
    b: Builder,
    input: BufferId,
    output: BufferId,
    x: ExprId,
    scale: ExprId,
    offset: ExprId,
}

impl Parts {
    fn product(&mut self) -> ExprId {
        let x = self.b.pool.cast(Scalar::F32, self.x);
        self.b.op(BinaryOp::Mul(WRAPS), x, self.scale)
    }

    fn at(&mut self) -> ExprId {
        let product = self.product();
        self.sum(product)
    }

    fn sum(&mut self, value: ExprId) -> ExprId {
        self.b.op(BinaryOp::Add(WRAPS), value, self.offset)
    }

    fn floored(&mut self, value: ExprId) -> ExprId {
        let floor = self.b.pool.call(Intrinsic::Floor, value);
        let place = self.b.pool.cast(Scalar::I32, floor);
        self.b.pool.cast(Scalar::Int, place)
    }

    /// Writes the input's element at the floor of a float.
    fn gather(&mut self, value: ExprId) -> StmtId {
        let place = self.floored(value);
        let loaded = self.b.load(self.input, &[place]);
        self.write(loaded)
    }

    fn write(&mut self, value: ExprId) -> StmtId {
        let index = self.b.index(self.output, &[self.x]);
        self.b.store(self.output, index, value)
    }

    fn float(&mut self, value: f32) -> ExprId {
        self.b.pool.constant(Constant::f32(value))
    }

    /// Declares an internal buffer of one float.
    fn one_float(&mut self) -> BufferId {
        let (zero, one) = (self.b.pool.int(0), self.b.pool.int(1));
        let dim = Dim::new(zero, one, one);
        self.b.buffer("kept", Scalar::F32, BufferKind::Internal, vec![dim])
    }
}

/// A loop over the output's window around the statement that `body` makes. `s` and `c` are
/// parameters if `are_given`, and the constants 0.7 and -7 otherwise.
fn looped(
    name: &str,
    are_given: bool,
    scalar: Scalar,
    body: impl FnOnce(&mut Parts) -> StmtId,
) -> (Pool, Program) {
    let mut b = Builder::new();
    let input = b.input("input", Scalar::F32, 1);
    let output = b.output("output", scalar, 1);
    let window = b.outputs[0].window[0];
    let (min, extent) = (b.pool.var_expr(window.0), b.pool.var_expr(window.1));
    let (scale, offset) = if are_given {
        (b.param("s", Scalar::F32), b.param("c", Scalar::F32))
    } else {
        (b.pool.constant(Constant::f32(0.7)), b.pool.constant(Constant::f32(-7.0)))
    };
    let (var, x) = b.int_var("x");
    let mut parts = Parts { b, input, output, x, scale, offset };
    let body = body(&mut parts);
    let mut b = parts.b;
    let body = b.for_loop(var, min, extent, LoopKind::Serial, body);
    let program = b.program(name, body);
    (b.pool, program)
}

fn place(are_given: bool) -> (Pool, Program) {
    looped("place", are_given, Scalar::F32, |parts| {
        let at = parts.at();
        parts.gather(at)
    })
}

fn value(are_given: bool) -> (Pool, Program) {
    looped("value", are_given, Scalar::F32, |parts| {
        let at = parts.at();
        parts.write(at)
    })
}

fn permits(body: impl FnOnce(&mut Parts) -> StmtId) -> bool {
    let (pool, program) = looped("p", true, Scalar::F32, body);
    permits_contraction(&pool, &program)
}

#[test]
fn sums_of_products_decide_nothing_but_values() {
    let (pool, program) = place(true);
    assert!(!permits_contraction(&pool, &program));
    let (pool, program) = value(true);
    assert!(permits_contraction(&pool, &program));
}

#[test]
fn programs_are_contracted_if_they_may_be_and_have_sums_of_products() {
    let contracted = |body: &dyn Fn(&mut Parts) -> StmtId| {
        let (pool, program) = looped("p", true, Scalar::F32, body);
        is_contracted(&pool, &program)
    };
    let (pool, program) = value(true);
    assert!(is_contracted(&pool, &program));
    // A place keeps the compiler from it.
    let (pool, program) = place(true);
    assert!(!is_contracted(&pool, &program));
    // A product alone, and a sum alone whose operand is a constant, are rounded once anyway.
    assert!(!contracted(&|parts| {
        let product = parts.product();
        parts.write(product)
    }));
    assert!(!contracted(&|parts| {
        let x = parts.b.pool.cast(Scalar::F32, parts.x);
        let half = parts.float(0.5);
        let sum = parts.b.op(BinaryOp::Add(WRAPS), x, half);
        parts.write(sum)
    }));
    // An operator stands between the product and the sum.
    assert!(contracted(&|parts| {
        let (product, half) = (parts.product(), parts.float(0.5));
        let chosen = parts.b.op(BinaryOp::Max, product, half);
        let sum = parts.b.op(BinaryOp::Sub(WRAPS), half, chosen);
        parts.write(sum)
    }));
}

#[test]
fn places_of_one_rounding_a_step_change_nothing() {
    assert!(permits(|parts| {
        let product = parts.product();
        parts.gather(product)
    }));
    assert!(permits(|parts| {
        let x = parts.b.pool.cast(Scalar::F32, parts.x);
        let half = parts.float(0.5);
        let sum = parts.b.op(BinaryOp::Add(WRAPS), x, half);
        let quotient = parts.b.op(BinaryOp::Div, sum, parts.scale);
        let at = parts.b.op(BinaryOp::Sub(WRAPS), quotient, half);
        parts.gather(at)
    }));
    // A choice between values alone may be rounded in any way.
    assert!(permits(|parts| {
        let (at, zero) = (parts.at(), parts.float(0.0));
        let above = parts.b.op(BinaryOp::Lt, zero, at);
        let chosen = parts.b.pool.select(above, at, zero);
        parts.write(chosen)
    }));
}

#[test]
fn compilers_make_products_of_quotients_and_of_equal_values() {
    // A quotient by a constant, and one by a parameter that a comparison fixes.
    let quotient = |parts: &mut Parts, divisor: ExprId| {
        let x = parts.b.pool.cast(Scalar::F32, parts.x);
        let quotient = parts.b.op(BinaryOp::Div, x, divisor);
        let half = parts.float(0.5);
        parts.b.op(BinaryOp::Add(WRAPS), quotient, half)
    };
    assert!(!permits(|parts| {
        let two = parts.float(2.0);
        let at = quotient(parts, two);
        parts.gather(at)
    }));
    let compared = |parts: &mut Parts, op: BinaryOp| {
        let at = quotient(parts, parts.scale);
        let body = parts.gather(at);
        let two = parts.float(2.0);
        let condition = parts.b.op(op, parts.scale, two);
        parts.b.pool.stmt(Stmt::If { condition, then_branch: body, else_branch: None })
    };
    assert!(permits(|parts| compared(parts, BinaryOp::Lt)));
    assert!(!permits(|parts| compared(parts, BinaryOp::Eq)));
    // gcc turns the difference between a value and its negation into a product. Without a negation
    // it cannot.
    let doubled = |parts: &mut Parts, is_negated: bool| {
        let x = parts.b.pool.cast(Scalar::F32, parts.x);
        let negated = parts.b.pool.unary(UnaryOp::Neg(WRAPS), x);
        let by = if is_negated { negated } else { parts.scale };
        let difference = parts.b.op(BinaryOp::Sub(WRAPS), x, by);
        let at = parts.b.op(BinaryOp::Sub(WRAPS), difference, parts.offset);
        parts.gather(at)
    };
    assert!(!permits(|parts| doubled(parts, true)));
    assert!(permits(|parts| doubled(parts, false)));
    assert!(!permits(|parts| {
        let x = parts.b.pool.cast(Scalar::F32, parts.x);
        let doubled = parts.b.op(BinaryOp::Add(WRAPS), x, x);
        let at = parts.sum(doubled);
        parts.gather(at)
    }));
}

#[test]
fn products_are_found_behind_everything() {
    let behind: [fn(&mut Parts, ExprId) -> ExprId; 7] = [
        |parts, product| parts.b.pool.unary(UnaryOp::Neg(WRAPS), product),
        |parts, product| {
            let wide = parts.b.pool.cast(Scalar::F64, product);
            parts.b.pool.cast(Scalar::F32, wide)
        },
        |parts, product| {
            let zero = parts.float(0.0);
            let above = parts.b.op(BinaryOp::Lt, zero, parts.scale);
            parts.b.pool.select(above, product, zero)
        },
        |parts, product| parts.b.op(BinaryOp::Min, product, parts.scale),
        |parts, product| parts.b.op(BinaryOp::Max, product, parts.scale),
        |parts, product| parts.b.pool.call(Intrinsic::Abs, product),
        |parts, product| parts.b.op(BinaryOp::Div, product, parts.scale),
    ];
    for wrap in behind {
        let half = |parts: &mut Parts| {
            let product = parts.product();
            let product = wrap(parts, product);
            let half = parts.float(0.5);
            parts.b.op(BinaryOp::Sub(WRAPS), product, half)
        };
        assert!(!permits(|parts| {
            let at = half(parts);
            parts.gather(at)
        }));
        assert!(permits(|parts| {
            let at = half(parts);
            parts.write(at)
        }));
    }
    assert!(!permits(|parts| {
        let exp = parts.b.pool.call(Intrinsic::Exp, parts.scale);
        parts.gather(exp)
    }));
}

#[test]
fn variables_and_memory_are_followed() {
    assert!(!permits(|parts| {
        let product = parts.product();
        let var = parts.b.pool.declare_var("p", halidom_ir::Type::scalar(Scalar::F32));
        let bound = parts.b.pool.var_expr(var);
        let at = parts.sum(bound);
        let body = parts.gather(at);
        parts.b.let_in(var, product, body)
    }));
    // The sum, or the product in it, passes through memory.
    let through = |parts: &mut Parts, stored: ExprId, is_summed: bool| {
        let kept = parts.one_float();
        let zero = parts.b.pool.int(0);
        let store = parts.b.store(kept, zero, stored);
        let mut loaded = parts.b.load(kept, &[zero]);
        if is_summed {
            loaded = parts.sum(loaded);
        }
        let gather = parts.gather(loaded);
        let body = parts.b.block(vec![store, gather]);
        parts.b.pool.stmt(Stmt::Allocate { buffer: kept, body })
    };
    assert!(!permits(|parts| {
        let at = parts.at();
        through(parts, at, false)
    }));
    assert!(!permits(|parts| {
        let product = parts.product();
        through(parts, product, true)
    }));
    assert!(permits(|parts| {
        let product = parts.product();
        through(parts, product, false)
    }));
}

/// Makes everything that decides where memory is or which statements run depend on a float.
#[test]
fn all_that_decides_is_looked_at() {
    let decided: [fn(&mut Parts, ExprId, StmtId) -> StmtId; 8] = [
        // The index of a store, atomic or not.
        |parts, place, _| {
            let index = parts.b.index(parts.output, &[place]);
            parts.b.store(parts.output, index, parts.scale)
        },
        |parts, place, _| {
            let index = parts.b.index(parts.output, &[place]);
            let (value, prophecy) = (parts.scale, None);
            let buffer = parts.output;
            parts.b.pool.stmt(Stmt::Store { buffer, index, value, prophecy, atomic: true })
        },
        // A vector's lanes.
        |parts, place, _| {
            let index = parts.b.ramp(place, 1, 4);
            let loaded = parts.b.pool.load(parts.input, index, None);
            let index = parts.b.index(parts.output, &[parts.x]);
            let index = parts.b.ramp(index, 1, 4);
            parts.b.store(parts.output, index, loaded)
        },
        // The ends of a loop.
        |parts, place, body| {
            let (var, _) = parts.b.int_var("i");
            let one = parts.b.pool.int(1);
            parts.b.for_loop(var, place, one, LoopKind::Serial, body)
        },
        |parts, place, body| {
            let (var, _) = parts.b.int_var("i");
            let zero = parts.b.pool.int(0);
            parts.b.for_loop(var, zero, place, LoopKind::PARALLEL, body)
        },
        // A condition, an entry check.
        |parts, place, body| {
            let zero = parts.b.pool.int(0);
            let condition = parts.b.op(BinaryOp::Lt, zero, place);
            parts.b.pool.stmt(Stmt::If { condition, then_branch: body, else_branch: None })
        },
        |parts, place, body| {
            let zero = parts.b.pool.int(0);
            let condition = parts.b.op(BinaryOp::Lt, zero, place);
            let check = Check::Require { message: String::new() };
            let assert = parts.b.pool.stmt(Stmt::Assert { condition, check });
            parts.b.block(vec![assert, body])
        },
        // The size of an allocation.
        |parts, place, body| {
            let (zero, one) = (parts.b.pool.int(0), parts.b.pool.int(1));
            let dim = Dim::new(zero, place, one);
            let buffer = parts.b.buffer("t", Scalar::F32, BufferKind::Internal, vec![dim]);
            parts.b.pool.stmt(Stmt::Allocate { buffer, body })
        },
    ];
    for decides in decided {
        for is_sum in [true, false] {
            let permitted = permits(|parts| {
                let at = if is_sum { parts.at() } else { parts.product() };
                let place = parts.floored(at);
                // This sum of a product is only a value.
                let value = parts.at();
                let body = parts.write(value);
                let decided = decides(parts, place, body);
                let more = parts.write(value);
                parts.b.block(vec![decided, more])
            });
            assert_eq!(permitted, !is_sum);
        }
    }
    assert!(!permits(|parts| {
        let at = parts.at();
        let element = parts.b.pool.cast(Scalar::U64, at);
        let body = parts.write(parts.scale);
        let label = Label::Prefetch { buffer: parts.input, index: element };
        parts.b.pool.stmt(Stmt::Labeled { label, body })
    }));
}

fn flags(module: &crate::CModule, toolchain: &Toolchain, target: &Target) -> Vec<String> {
    let command = toolchain.command(&module.compiled_for(target), std::path::Path::new("."));
    command.get_args().map(|flag| flag.to_string_lossy().into_owned()).collect()
}

#[test]
fn the_compiler_is_told() {
    let toolchain = Toolchain::find().unwrap();
    let contracting = Target::AVX2.contracting(true);
    for ((pool, program), target, expected) in [
        (place(true), contracting.clone(), "-ffp-contract=off"),
        (value(true), contracting, "-ffp-contract=fast"),
        (value(true), Target::AVX2, "-ffp-contract=off"),
    ] {
        let module = emit(&pool, &program, &target).unwrap();
        let flags = flags(&module, &toolchain, &target);
        assert_eq!(flags.iter().filter(|flag| flag.contains("contract")).count(), 1);
        assert!(flags.iter().any(|flag| flag == expected), "{expected} in {flags:?}");
        assert_eq!(
            module.library_text(&target).contains("-ffp-contract=off"),
            expected == "-ffp-contract=off"
        );
    }
}

/// The input from -1 to 9. Each element is its coordinate.
fn input() -> Array {
    array(Scalar::F32, &[(-1, 11)], |number| Constant::f32(number as f32 - 1.0))
}

/// `10 * 0.7 - 7` is 0 where both steps are rounded, and below 0 where they are rounded at once.
#[test]
fn a_place_is_what_it_says_where_a_value_is_contracted() {
    let toolchain = Toolchain::find().unwrap();
    let target = Target::host().contracting(true);
    let fuses = target.vector_bytes() > Target::SSE2.vector_bytes();
    let printed = |(pool, program): (Pool, Program)| emit(&pool, &program, &target).unwrap();
    let at_ten = |kernel: &Kernel| {
        let inputs = [input()];
        let mut outputs = [array(Scalar::F32, &[(10, 7)], |_| Constant::f32(0.0))];
        kernel.run(&arguments(&inputs, &outputs.clone()), &mut outputs).unwrap();
        outputs[0].get_element(0).and_then(Constant::as_f32).unwrap()
    };
    let alone = |program| at_ten(&compile(&printed(program), &toolchain, &target).unwrap());
    assert_eq!(alone(place(false)).to_bits(), 0.0_f32.to_bits());
    assert_eq!(alone(value(false)) < 0.0, fuses);
    // One call of the compiler has one permission for all modules.
    for (programs, expected) in [
        (vec![place(false)], vec![false]),
        (vec![value(false)], vec![fuses]),
        (vec![value(false), place(false)], vec![false, false]),
        (vec![place(false), value(false)], vec![false, false]),
    ] {
        let modules: Vec<_> = programs.into_iter().map(printed).collect();
        let effort = crate::Effort::Optimised;
        let kernels = crate::compile_batch(&modules, &toolchain, &target, effort).unwrap();
        let found: Vec<bool> = kernels.iter().map(|kernel| at_ten(kernel) < 0.0).collect();
        assert_eq!(found, expected);
    }
}

/// The same for libraries. Their runtime computes `exp` as defined, whatever may be contracted.
#[test]
fn libraries_are_compiled_alike() {
    let toolchain = Toolchain::find().unwrap().strict();
    let target = Target::host().contracting(true);
    let fuses = target.vector_bytes() > Target::SSE2.vector_bytes();
    let exponential = looped("exponential", false, Scalar::F64, |parts| {
        let wide = parts.b.pool.cast(Scalar::F64, parts.x);
        let step = parts.b.pool.constant(Constant::f64(0.37));
        let scaled = parts.b.op(BinaryOp::Mul(WRAPS), wide, step);
        let exp = parts.b.pool.call(Intrinsic::Exp, scaled);
        parts.write(exp)
    });
    let directory = tempfile::tempdir().unwrap();
    let mut libraries = Vec::new();
    for (pool, program) in [place(false), value(false), exponential] {
        let module = emit(&pool, &program, &target).unwrap();
        write_all(directory.path(), &module, &toolchain, &target, &Artifact::ALL).unwrap();
        libraries.push([&module.name, ".a"].concat());
    }
    std::fs::write(directory.path().join("main.c"), MAIN).unwrap();
    let mut compile = Command::new(toolchain.compiler());
    compile.current_dir(directory.path()).arg("main.c").args(libraries);
    let compiled = compile.args(["-o", "main", "-lm", "-pthread"]).output().unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let ran = Command::new(directory.path().join("main")).output().unwrap();
    let text = String::from_utf8(ran.stdout).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("place 0"));
    assert_eq!(lines.next(), Some(if fuses { "value < 0" } else { "value 0" }));
    for x in 0..200 {
        let argument = Constant::f64(f64::from(x) * 0.37);
        let exp = eval::intrinsic(Intrinsic::Exp, argument).unwrap().to_bits().unwrap();
        assert_eq!(lines.next(), Some(format!("{exp:016x}").as_str()), "at {x}");
    }
}

const MAIN: &str = r#"
#include <stdio.h>
#include <string.h>
#include "place.h"
#include "value.h"
#include "exponential.h"

int main(void) {
    float data[11], result[7];
    double powers[200];
    for (int i = 0; i < 11; i++) {
        data[i] = (float)i - 1;
    }
    halidom_dimension_t in_dim = {-1, 11, 1, 0}, out_dim = {10, 7, 1, 0}, all = {0, 200, 1, 0};
    halidom_buffer_t in = {.type = {HALIDOM_TYPE_FLOAT, 32, 1}, .dimensions = 1, .dim = &in_dim,
                           .host = (uint8_t *)data};
    halidom_buffer_t out = {.type = {HALIDOM_TYPE_FLOAT, 32, 1}, .dimensions = 1, .dim = &out_dim,
                            .host = (uint8_t *)result};
    halidom_buffer_t exps = {.type = {HALIDOM_TYPE_FLOAT, 64, 1}, .dimensions = 1, .dim = &all,
                             .host = (uint8_t *)powers};
    if (place(&in, &out) != HALIDOM_OK) {
        return 1;
    }
    printf("place %d\n", (int)result[0]);
    if (value(&in, &out) != HALIDOM_OK) {
        return 1;
    }
    printf(result[0] < 0 ? "value < 0\n" : "value 0\n");
    if (exponential(&in, &exps) != HALIDOM_OK) {
        return 1;
    }
    for (int i = 0; i < 200; i++) {
        uint64_t bits;
        memcpy(&bits, &powers[i], 8);
        printf("%016llx\n", (unsigned long long)bits);
    }
    return 0;
}
"#;
