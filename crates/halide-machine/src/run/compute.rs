//! Computes values of registers.

use halidom_halide_ir::tree::BinaryOp;

use super::machine::Machine;
use super::thread::{Thread, decided};
use crate::arith;
use crate::calls::Function;
use crate::code::{Compute, Reg};
use crate::float::{self, Arithmetic};
use crate::outcome::{FaultKind, Running, fault};
use crate::value::{Kind, Lane, Poison, Value};

impl Machine<'_> {
    /// Sets a register to the value that is computed.
    #[inline]
    pub(super) fn set(&mut self, dst: Reg, to: &Compute, thread: &mut Thread) -> Running<()> {
        let arithmetic = &mut self.arithmetic;
        let value = match to {
            Compute::Const(value) => value.clone(),
            Compute::Parameter(number) => self.parameters.get(*number).cloned().unwrap_or_default(),
            Compute::Copy(src) => thread.value(*src).clone(),
            Compute::Binary { op, kind, a, b, lanes, mask } => {
                let (x, y) = (thread.value(*a), thread.value(*b));
                if matches!(op, BinaryOp::Div | BinaryOp::Mod) && kind.is_int() {
                    check_divisors(y, *mask, thread)?;
                }
                self.steps += u64::from(*lanes / 16);
                Value::of(*lanes, |lane| {
                    arith::binary(*op, *kind, x.lane(lane), y.lane(lane), arithmetic)
                })
            }
            Compute::Not { a, lanes } => {
                let a = thread.value(*a);
                Value::of(*lanes, |lane| match a.lane(lane) {
                    Lane { bits, poison: None } => Lane::of(bits ^ 1),
                    poison => poison,
                })
            }
            Compute::Select { condition, a, b, lanes } => {
                let (condition, a, b) =
                    (thread.value(*condition), thread.value(*a), thread.value(*b));
                Value::of(*lanes, |lane| {
                    let condition = condition.lane(lane);
                    match condition.poison {
                        Some(poison) => Lane::poison(poison),
                        None if condition.bits == 1 => a.lane(lane),
                        None => b.lane(lane),
                    }
                })
            }
            Compute::Cast { from, to, a, lanes } => {
                let a = thread.value(*a);
                Value::of(*lanes, |lane| arith::cast(*from, *to, a.lane(lane), arithmetic))
            }
            Compute::Reinterpret { from, to, a } => reinterpret(thread.value(*a), *from, *to),
            Compute::Ramp { kind, base, stride, lanes } => {
                let [base, stride] = [*base, *stride].map(|number| thread.value(number).first());
                ramp(*kind, (base, stride), *lanes, arithmetic)
            }
            Compute::Repeat { a, lanes } => {
                let a = thread.value(*a);
                let count = a.lanes().len();
                Value::of(*lanes, |lane| a.lane(lane % count.max(1)))
            }
            Compute::Shuffle { of, lanes } => shuffle(of, lanes, thread),
            Compute::Reduce { op, kind, a, lanes } => {
                let a = thread.value(*a).lanes();
                let each = a.len() / (*lanes as usize).max(1);
                Value::of(*lanes, |lane| {
                    let part = a.get(lane * each..(lane + 1) * each).unwrap_or_default();
                    arith::reduce(*op, *kind, part, arithmetic)
                })
            }
            Compute::Any(a) => {
                let lanes = thread.value(*a).lanes();
                let poison = lanes.iter().find_map(|lane| lane.poison);
                Value::One(match poison {
                    Some(poison) => Lane::poison(poison),
                    None => Lane::truth(lanes.iter().any(|lane| lane.bits == 1)),
                })
            }
            Compute::Both { a, b, lanes } => {
                let (a, b) = (thread.value(*a), thread.value(*b));
                let bool = Kind::UInt(1);
                Value::of(*lanes, |lane| {
                    arith::binary(BinaryOp::And, bool, a.lane(lane), b.lane(lane), arithmetic)
                })
            }
            Compute::Call { function, args, kind, lanes } => {
                check_divisor(*function, args, thread)?;
                self.steps += u64::from(*lanes / 16);
                let mut operands = Vec::with_capacity(args.len());
                Value::of(*lanes, |lane| {
                    operands.clear();
                    operands.extend(
                        args.iter().map(|(arg, kind)| (thread.value(*arg).lane(lane), *kind)),
                    );
                    function.apply(&operands, *kind, arithmetic)
                })
            }
            Compute::Promise { kind, a, least, greatest, lanes } => {
                let [value, least, greatest] =
                    [*a, *least, *greatest].map(|register| thread.value(register));
                check_promise(*kind, value, (least, greatest), *lanes)?;
                value.clone()
            }
            Compute::Identity { of_thread, dim } => {
                let [of_threads, of_blocks] = thread.identity;
                let numbers = if *of_thread { of_threads } else { of_blocks };
                let number = numbers.get(*dim).copied().unwrap_or(0);
                Value::One(Lane::of(u64::from(number as u32)))
            }
        };
        thread.set(dst, value);
        Ok(())
    }
}

/// Checks that the divisors in the lanes of a mask are not poison.
fn check_divisors(divisors: &Value, mask: Option<Reg>, thread: &Thread) -> Running<()> {
    for (number, lane) in divisors.lanes().iter().enumerate() {
        if mask.is_none_or(|mask| thread.value(mask).lane(number).bits == 1) {
            decided(*lane, "a divisor")?;
        }
    }
    Ok(())
}

/// Checks that a function that divides does not divide by 0.
fn check_divisor(function: Function, args: &[(Reg, Kind)], thread: &Thread) -> Running<()> {
    if matches!(function, Function::DivToZero | Function::ModToZero)
        && let Some((divisor, _)) = args.get(1)
    {
        for lane in thread.value(*divisor).lanes() {
            if decided(*lane, "a divisor")? == 0 {
                return fault(FaultKind::Poison, "a division by zero");
            }
        }
    }
    Ok(())
}

/// Checks the promise that each lane that is not poison lies within its bounds.
fn check_promise(
    kind: Kind,
    value: &Value,
    (least, greatest): (&Value, &Value),
    lanes: u32,
) -> Running<()> {
    for lane in 0..lanes as usize {
        let [value, least, greatest] = [value, least, greatest].map(|value| value.lane(lane));
        if value.poison.or(least.poison).or(greatest.poison).is_none() {
            let [value, least, greatest] =
                [value, least, greatest].map(|lane| kind.value(lane.bits));
            if !(least..=greatest).contains(&value) {
                let words = format!("{value} is promised to lie from {least} to {greatest}");
                return fault(FaultKind::BrokenPromise, words);
            }
        }
    }
    Ok(())
}

fn ramp(
    kind: Kind,
    (base, stride): (Lane, Lane),
    lanes: u32,
    arithmetic: &mut Arithmetic,
) -> Value {
    Value::of(lanes, |lane| {
        let number = if kind.is_float() {
            Lane::of(float::encode(kind, lane as f64))
        } else {
            arithmetic.exact(kind, lane as i128)
        };
        let step = arith::binary(BinaryOp::Mul, kind, stride, number, arithmetic);
        arith::binary(BinaryOp::Add, kind, base, step, arithmetic)
    })
}

fn shuffle(of: &[Reg], lanes: &[Option<u32>], thread: &Thread) -> Value {
    let mut all = Vec::new();
    for register in of {
        all.extend_from_slice(thread.value(*register).lanes());
    }
    Value::of(lanes.len() as u32, |lane| {
        let chosen = lanes.get(lane).copied().flatten();
        let chosen = chosen.and_then(|lane| all.get(lane as usize).copied());
        chosen.unwrap_or(Lane::poison(Poison::Inactive))
    })
}

/// Returns the same bits as lanes of another width. Every lane that contains bits of a poison lane
/// is poison.
fn reinterpret(value: &Value, (from, count): (Kind, u32), (to, lanes): (Kind, u32)) -> Value {
    if count == lanes {
        return value.clone();
    }
    let (old, new) = (from.bytes() as usize, to.bytes() as usize);
    Value::of(lanes, |lane| {
        let mut bits = 0;
        for byte in (0..new).rev() {
            let place = lane * new + byte;
            let source = value.lane(place / old.max(1));
            if source.poison.is_some() {
                return source;
            }
            bits = (bits << 8) | ((source.bits >> (place % old.max(1) * 8)) & 255);
        }
        Lane::of(bits)
    })
}
