//! Scripts of stock Halide at the edges of memory: sizes, kernels and copies, structs of buffers,
//! caches, and functions of C++. The wrong statements are not proved; the right ones are.

use crate::edited::{Edited, judge_edited};

const SQUARE: &str = "f[x, y] = hl.u8(x + y)
    out[x, y] = f[x, y] + f[x + 1, y]
    f.compute_root()";
const KERNEL: &str = "line[x] = a[x] + a[x + 1]
    line.gpu_tile(x, xi, 16)
    out = line";
const SHARED: &str = "f[x, y] = a[x] + hl.u8(y)
    out[x, y] = f[x, y] + f[x, y + 1]
    f.compute_at(out, x).gpu_threads(x, y)
    out.gpu_tile(x, y, xi, yi, 16, 16)";
const ON_HOST: &str = "g[x] = a[x] + hl.u8(1)
    line[x] = g[x] + g[x + 1]
    g.compute_root()
    line.gpu_tile(x, xi, 16)
    out = line";
const CACHED: &str = "f[x, y] = hl.u8(x*2 + m)
    out[x, y] = f[x, y] + f[x + 1, y]
    f.compute_root().memoize()";
const STAGE: &str = "g[x] = a[x] + hl.u8(1)
    e.define_extern('ext', [a], hl.UInt(8), 1)
    line[x] = e[x]
    e.compute_root()
    out = line";
const SIDES: &str = "line[x] = a[x]
    out = line";

const INTERFACE: &str = "halide_cuda_device_interface";
const TEST: &str = " assert(f.cache_result != -1, halide_error_out_of_memory())\n";
const DIRTY: &str =
    "  _halide_buffer_set_host_dirty((struct halide_buffer_t *)line.buffer, (uint1)1)\n";

/// A second memory that the threads of a block share. It holds the same values one row later.
const SECOND: [(&str, &str); 3] = [
    (
        "    allocate f.0[uint8 * 272] in GPUShared\n",
        "    allocate f.0[uint8 * 272] in GPUShared\n    allocate f.1[uint8 * 288] in GPUShared\n",
    ),
    (
        "       f.0[(.thread_id_y*16) + .thread_id_x] = ",
        "       f.1[((.thread_id_y*16) + .thread_id_x) + 16] = a[(out.s0.x.xi.base.s + t25) + \
            .thread_id_x] + uint8((out.min.1 + out.s0.y.yi.base.s) + .thread_id_y)\n       \
            f.0[(.thread_id_y*16) + .thread_id_x] = ",
    ),
    ("    free f.0\n", "    free f.1\n    free f.0\n"),
];

/// A kernel that reads what the host has computed, without a copy to the device.
const UNCOPIED: [(&str, &str); 7] = [
    (" in Heap\n  custom_new { (void *)_halide_buffer_get_host(g.buffer) }\n", "\n"),
    ("  custom_delete { halide_device_host_nop_free(g); }\n", ""),
    ("  _halide_buffer_set_host_dirty(g.buffer, (uint1)1)\n", ""),
    (
        " let halide_device_and_host_malloc_result = halide_device_and_host_malloc(g.buffer, \
            (struct halide_device_interface_t const *)halide_cuda_device_interface())\n \
            assert(halide_device_and_host_malloc_result == 0, \
            halide_device_and_host_malloc_result)\n",
        "",
    ),
    (" (void *)register_destructor(\"halide_device_and_host_free_as_destructor\", g.buffer)\n", ""),
    (
        "   let halide_copy_to_device_result = halide_copy_to_device(g.buffer, (struct \
            halide_device_interface_t const *)halide_cuda_device_interface())\n   \
            assert(halide_copy_to_device_result == 0, halide_copy_to_device_result)\n",
        "",
    ),
    (
        "   let halide_device_and_host_free_result = halide_device_and_host_free(g.buffer)\n   \
            assert(halide_device_and_host_free_result == 0, halide_device_and_host_free_result)\n",
        "",
    ),
];

/// Cases on the processor.
const CASES: &[Edited] = &[
    // The code takes a negative extent for 0.
    (SQUARE, &[], true),
    (
        SQUARE,
        &[(
            "allocate f[uint8 * (out.extent.0 + 1) * out.extent.1]",
            "allocate f[uint8 * (-1 - out.extent.0) * (0 - out.extent.1)]",
        )],
        false,
    ),
    // The lookup may fail.
    (CACHED, &[], true),
    (CACHED, &[(TEST, "")], false),
    // Room for the dimensions of a buffer.
    (STAGE, &[], true),
    (STAGE, &[("alloca(16)", "alloca(8)")], false),
];

/// Cases on a device.
const ON_DEVICE: &[Edited] = &[
    (KERNEL, &[], true),
    (KERNEL, &[(INTERFACE, "halide_opencl_device_interface")], false),
    (SHARED, &[], true),
    (SHARED, &SECOND, false),
    (ON_HOST, &UNCOPIED, false),
    (SIDES, &[], true),
    (SIDES, &[(DIRTY, "")], false),
];

const SCRIPT: &str = "import halide as hl

target = 'x86-64-linux-cuda'


def pipeline():
    x, y, xi, yi = hl.vars('x y xi yi')
    a = hl.ImageParam(hl.UInt(8), 1, 'a')
    m = hl.Param(hl.Int(32), 'm')
    e, f, g, line, out = hl.Func('e'), hl.Func('f'), hl.Func('g'), hl.Func('line'), hl.Func('out')
    {lines}
    return out
";

#[test]
fn edges_of_memory_are_not_overlooked() {
    if !judge_edited(&SCRIPT.replace("-cuda", ""), CASES) || !judge_edited(SCRIPT, ON_DEVICE) {
        println!("skipped: there is no Python with Halide");
    }
}
