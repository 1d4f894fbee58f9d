//! Kernels: blocks, threads, barriers, memory on the device.

use halidom_halide_machine::{Dim, FaultKind, Limits, Outcome, run};

use crate::common::{World, fault, out, refused};

fn kernel(shared: &str, body: &str) -> String {
    format!(
        "let r = halide_copy_to_device((struct halide_buffer_t *)a.buffer, (struct \
            halide_device_interface_t const *)halide_cuda_device_interface())
assert(r == 0, r)
let s = halide_copy_to_device((struct halide_buffer_t *)out.buffer, (struct \
halide_device_interface_t const *)halide_cuda_device_interface())
assert(s == 0, s)
gpu_block<CUDA> (f.block_id_x, 0, 2) {{
 {shared}
 gpu_thread<CUDA> (.thread_id_x, 0, 4) {{
{body}
 }}
}}
_halide_buffer_set_device_dirty((struct halide_buffer_t *)out.buffer, (uint1)1)
"
    )
}

const WRITE: &str = "  t[.thread_id_x] = a[.thread_id_x]\n";
const BARRIER: &str = "  gpu_thread_barrier(2)\n";
const READ: &str = "  out[(f.block_id_x*4) + .thread_id_x] = t[3 - .thread_id_x]\n";
const SHARED: &str = "allocate t[int32 * 4] in GPUShared";

#[test]
fn threads_of_a_block_meet_at_barriers() {
    let body = format!("{WRITE}{BARRIER}{READ}");
    assert_eq!(out(&kernel(SHARED, &body))[..8], [3, 2, 1, 0, 3, 2, 1, 0]);
    assert_eq!(fault(&kernel(SHARED, &format!("{WRITE}{READ}"))), FaultKind::Race);
    let some = "  if (.thread_id_x < 2) {\n   gpu_thread_barrier(2)\n  }\n";
    assert_eq!(fault(&kernel(SHARED, &format!("{WRITE}{some}"))), FaultKind::DivergentBarrier);
}

#[test]
fn memory_of_a_thread_is_its_own() {
    let body = format!("{WRITE}{BARRIER}{READ}");
    // In other memory, each thread has a copy in which only this thread has written.
    for memory in ["", " in Register", " in Stack"] {
        let text = kernel(&format!("allocate t[int32 * 4]{memory}"), &body);
        assert_eq!(fault(&text), FaultKind::Poison, "{memory}");
    }
    let own = format!("{WRITE}  out[(f.block_id_x*4) + .thread_id_x] = t[.thread_id_x]\n");
    assert_eq!(out(&kernel("allocate t[int32 * 4] in Register", &own))[..4], [0, 1, 2, 3]);
}

#[test]
fn blocks_are_not_ordered() {
    let own = "  out[(f.block_id_x*4) + .thread_id_x] = 1\n";
    out(&kernel("", own).replace("\n \n", "\n"));
    let same = "  out[.thread_id_x] = f.block_id_x\n";
    assert_eq!(fault(&kernel("", same).replace("\n \n", "\n")), FaultKind::Race);
}

#[test]
fn what_the_device_reads_was_copied_there() {
    let body = "  out[(f.block_id_x*4) + .thread_id_x] = a[.thread_id_x]\n";
    let text = kernel("", body).replace("\n \n", "\n");
    assert_eq!(out(&text)[..4], [0, 1, 2, 3]);
    let lines: Vec<&str> = text.lines().skip(2).collect();
    assert_eq!(fault(&(lines.join("\n") + "\n")), FaultKind::NoMemory);
    // Without the flag the caller takes the host's copy, which nobody wrote.
    let unmarked = text.replace(
        "_halide_buffer_set_device_dirty((struct halide_buffer_t *)out.buffer, (uint1)1)\n",
        "",
    );
    assert_eq!(out(&unmarked)[..4], [77; 4]);
}

#[test]
fn gaps_between_elements_are_not_copied() {
    let world = World::default();
    let body = "  out[((f.block_id_x*4) + .thread_id_x)*2] = 5\n";
    let statement = world.statement(&kernel("", body).replace("\n \n", "\n")).expect("it is taken");
    let mut case = world.case();
    case.buffers[1].dims = vec![Dim { min: 0, extent: 8, stride: 2 }];
    let Outcome::Done { buffers, notes: _ } = run(&statement, &case, &Limits::default()) else {
        panic!("it goes through");
    };
    let bytes = buffers[1].bytes.as_ref().expect("it has memory");
    assert_eq!((bytes[0], bytes[4], bytes[8]), (5, 77, 5));
}

#[test]
fn a_barrier_is_of_a_kernel() {
    assert_eq!(refused("gpu_thread_barrier(2)"), "a barrier outside of a kernel");
}

#[test]
fn shared_memory_is_one() {
    let two = format!("{SHARED}\n allocate u[int32 * 4] in GPUShared");
    assert!(refused(&kernel(&two, WRITE)).contains("shared memory"));
}
