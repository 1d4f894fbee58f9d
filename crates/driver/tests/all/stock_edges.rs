//! Edited statements of stock Halide whose edits concern more than values: the lifetime of memory,
//! the distribution of work, the order, the conditions. Each wrong statement has a right twin. No
//! wrong one is proved; the right ones are.
//!
//! The statements are compiled by the installed Halide; without the project's Python with Halide
//! the test prints a message and checks nothing.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::common::in_parallel;
use halidom_driver::judge::Options;
use halidom_driver::stock::{self, Request, bridge};
use halidom_testgen::sampled;
use halidom_validate::Verdict;

/// The expected result for a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    Proved,
    NotProved,
}
use Expected::{NotProved, Proved};

/// A case: its name, a script under `tests/halide`, the expected result, and the replacements in
/// the statement.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    name: &'static str,
    script: &'static str,
    expected: Expected,
    edits: &'static [(&'static str, &'static str)],
}

pub(crate) const fn case(
    name: &'static str,
    script: &'static str,
    expected: Expected,
    edits: &'static [(&'static str, &'static str)],
) -> Case {
    Case { name, script, expected, edits }
}

const TWO: &str = "edges/two_stages";
const TASKS: &str = "edges/two_tasks";
const SUM: &str = "edges/sum_of_two";
const SHARED: &str = "pipelines/gpu_shared_memory";
const TURNS: &str = "pipelines/async_producer";
const RING: &str = "pipelines/ring_buffer";
const STORES: &str = "pipelines/tail_predicate_stores";
const BOUNDS: &str = "pipelines/bounds_given_and_aligned";

const THREE: &str = "pipelines/three_tasks";
const PLANES: &str = "pipelines/planes_ahead";
const BY_UPDATES: &str = "pipelines/rows_by_updates";
const SLOTS: &str = "pipelines/slots_of_scratch";
const TEN: &str = "pipelines/value_under_a_condition";

const COLOURS: &str = "pipelines/interleaved_colours";
const COLUMNS: &str = "pipelines/columns_of_any_stride";
const STORED: &str = "pipelines/storage_order_of_a_stencil";
const LEAST: &str = "pipelines/argmin_in_vectors";
const FUSED: &str = "pipelines/fuse_three_loops";
const SKIPPED: &str = "pipelines/skipped_stages";
const WHOLE: &str = "pipelines/update_in_whole_vectors";
const LANES: &str = "pipelines/sum_of_lanes";
const AROUND: &str = "pipelines/greatest_less_least";
const MASKS: &str = "pipelines/tail_predicate_in_two_dimensions";
const TILES: &str = "pipelines/stages_in_tiles";
const LAYOUTS: &str = "pipelines/strides_under_conditions";
const GATHER: &str = "pipelines/gather_below_a_clamp";
const FACTORS: &str = "pipelines/rfactor_of_floats";
const SLID: &str = "pipelines/rows_kept_and_slid";

const TAKES: &str = "allocate twice[uint8 * out.extent.0]";
const FREES: &str = " free twice\n";
const READS: &str = " produce out {\n";
const DOUBLED: &str = "*(uint8)2\n";
const BARRIER: &str = "      gpu_thread_barrier(2)\n";
const IN_BOUNDS: &str =
    "((((((out.extent.0 + 7)/8)*8) + out.min.0) + 1) <= (a.extent.0 + a.min.0))";
const JUST: &str = "(((out.extent.0 + out.min.0) + 1) <= (a.extent.0 + a.min.0))";
const MASKED: [&str; 2] = [
    "a[ramp(t16, 1, 8)] if (int16x8(ramp(0, 1, 8)) <= \
        x8((int16)saturating_cast(saturating_sub(out.extent.0 + out.min.0, (((out.extent.0/8)*8) + \
        out.min.0) + 1))))",
    "a[ramp(t16 + 1, 1, 8)] if (int16x8(ramp(0, 1, 8)) <= \
        x8((int16)saturating_cast(saturating_sub(out.extent.0 + out.min.0, (((out.extent.0/8)*8) + \
        out.min.0) + 1))))",
];
const ADDS: &str = "  for (total.s1.r$x, 0, 2) {
   total[0] = total[0] + a[total.s1.r$x - a.min.0]
  }
";
const COMPUTED: &str = "   halide_semaphore_release(twice.semaphore_0, 1)\n";
const ROW_COMPUTED: &str = "     halide_semaphore_release(rows.semaphore_0, 1)\n";
const FOLDED: &str = "halide_semaphore_init(rows.folding_semaphore._0, 1)";
const CONSUMER: &str =
    "   let t8 = 0 - (out.min.1*out.stride.1)\n   for (out.s0.y.rebased, 0, out.extent.1)";
const LEAST_STORED: &str = "     argmin.0[ramp(0, 1, 8)] = argmin.0.value.widened.out.s0.x.v1
     argmin.1[ramp(0, 1, 8)] = argmin.1.value.widened.out.s0.x.v1\n";
const LEAST_TURNED: &str = "     argmin.1[ramp(0, 1, 8)] = argmin.1.value.widened.out.s0.x.v1
     argmin.0[ramp(0, 1, 8)] = argmin.0.value.widened.out.s0.x.v1\n";
const FIRST_MEAN: &str = "    means[0] = a[(out.s0.y.rebased + t19)*a.stride.1]\n";
const LAST_MEANS: &str = "    for (means.s3.r$x.rebased, 0, 63) {
     means[62 - means.s3.r$x.rebased] = (means[63 - means.s3.r$x.rebased] + means[62 - \
    means.s3.r$x.rebased])/(uint16)2
    }
";
const MEANS_TURNED: &str = "    means[0] = a[(out.s0.y.rebased + t19)*a.stride.1]
    for (means.s3.r$x.rebased, 0, 63) {
     means[62 - means.s3.r$x.rebased] = (means[63 - means.s3.r$x.rebased] + means[62 - \
    means.s3.r$x.rebased])/(uint16)2
    }
";
const LESS_STORED: &str = "    less[less.s0.x.rebased] = a[less.s0.x.rebased + t7]*(uint8)3\n";
const MORE_STORED: &str = "    less[less.s0.x.rebased] = a[less.s0.x.rebased + t7]*(uint8)3
    more[less.s0.x.rebased] = (uint8)0
";
const MORE_READ: &str = "    less[less.s0.x.rebased] = (a[less.s0.x.rebased + t7]*(uint8)3) + \
    (more[less.s0.x.rebased]*(uint8)0)\n";
const HOST_NULL: &str = "assert(a != reinterpret<(void *)>((uint64)0), ";

const CASES: &[Case] = &[
    case("as it is", TWO, Proved, &[]),
    case(
        "a further line break at the end",
        TWO,
        Proved,
        &[(" free twice\n}\n", " free twice\n}\n\n")],
    ),
    case("memory that is not freed", TWO, Proved, &[(FREES, "")]),
    case(
        "freed before it is read",
        TWO,
        NotProved,
        &[(FREES, ""), (READS, " free twice\n produce out {\n")],
    ),
    case("freed twice", TWO, NotProved, &[(FREES, " free twice\n free twice\n")]),
    case(
        "freed in a loop",
        TWO,
        NotProved,
        &[(FREES, ""), (DOUBLED, "*(uint8)2\n   free twice\n")],
    ),
    case(
        "freed in a condition",
        TWO,
        NotProved,
        &[(FREES, " if (out.min.0 == 7) {\n  free twice\n }\n")],
    ),
    case("an output that is freed", TWO, NotProved, &[(FREES, " free out\n")]),
    case(
        "taken where it is used",
        TWO,
        Proved,
        &[(TAKES, "allocate twice[uint8 * out.extent.0] if (0 < out.extent.0)")],
    ),
    case(
        "not taken everywhere",
        TWO,
        NotProved,
        &[(TAKES, "allocate twice[uint8 * out.extent.0] if (out.extent.0 != 12345)")],
    ),
    case(
        "never taken",
        TWO,
        NotProved,
        &[(TAKES, "allocate twice[uint8 * out.extent.0] if (uint1)0")],
    ),
    case(
        "on the stack, whatever a condition says",
        BOUNDS,
        Proved,
        &[(
            "allocate sums[uint8 * 34]",
            "allocate sums[uint8 * 34] in Stack if (out.min.0 == 12345)",
        )],
    ),
    case(
        "on the heap, under a condition",
        BOUNDS,
        NotProved,
        &[(
            "allocate sums[uint8 * 34]",
            "allocate sums[uint8 * 34] in Heap if (out.min.0 == 12345)",
        )],
    ),
    case("memory of a block", SHARED, Proved, &[]),
    case(
        "each thread's own memory, read by others",
        SHARED,
        NotProved,
        &[(" in GPUShared", " in Stack")],
    ),
    case(
        "registers that other threads read",
        SHARED,
        NotProved,
        &[(" in GPUShared", " in Register")],
    ),
    case(
        "memory of a block that is said to be nowhere",
        SHARED,
        NotProved,
        &[(" in GPUShared", "")],
    ),
    case(
        "memory of a block on the host",
        TWO,
        NotProved,
        &[(TAKES, "allocate twice[uint8 * out.extent.0] in GPUShared")],
    ),
    case("no barrier", SHARED, NotProved, &[(BARRIER, "")]),
    case(
        "a barrier for some threads",
        SHARED,
        NotProved,
        &[(BARRIER, "      if (.thread_id_y < 8) {\n       gpu_thread_barrier(2)\n      }\n")],
    ),
    case(
        "two loops over the threads of a block",
        SHARED,
        NotProved,
        &[(
            BARRIER,
            "     }
    }
    gpu_thread<CUDA> (.thread_id_y, 0, 9) {
     gpu_thread<CUDA> (.thread_id_x, 0, 8) {
      let out.s0.y.yi.base.s = min(out.s0.y.y.block_id_y*8, out.extent.1 + -8)
      let out.s0.x.xi.base.s = min(out.s0.x.x.block_id_x*8, out.extent.0 + -8)
",
        )],
    ),
    case(
        "a block that says how many threads it has",
        SHARED,
        NotProved,
        &[(
            "gpu_thread<CUDA> (.thread_id_x, 0, 8)",
            "gpu_thread<CUDA> (.thread_id_x, 0, 8 + (out.s0.x.x.block_id_x*0))",
        )],
    ),
    case(
        "a loop over threads on the host",
        TWO,
        NotProved,
        &[("for (twice.s0.x.rebased", "gpu_thread<CUDA> (twice.s0.x.rebased")],
    ),
    case("loads in bounds in all lanes", STORES, Proved, &[]),
    case("loads beyond the input where nothing is stored", STORES, NotProved, &[(IN_BOUNDS, JUST)]),
    case(
        "loads with the mask of their store",
        STORES,
        Proved,
        &[
            (IN_BOUNDS, JUST),
            ("a[ramp(t16, 1, 8)]", MASKED[0]),
            ("a[ramp(t16 + 1, 1, 8)]", MASKED[1]),
        ],
    ),
    case("additions one after the other", SUM, Proved, &[]),
    case(
        "lanes that add to one element",
        SUM,
        NotProved,
        &[(ADDS, "  total[ramp(0, 0, 2)] = total[ramp(0, 0, 2)] + a[ramp(0 - a.min.0, 1, 2)]\n")],
    ),
    case(
        "lanes that add to one element, each in one step",
        SUM,
        Proved,
        &[(
            ADDS,
            "  atomic (total) {\n    \
                total[ramp(0, 0, 2)] = total[ramp(0, 0, 2)] + a[ramp(0 - a.min.0, 1, 2)]\n  }\n",
        )],
    ),
    case("a task after another", TASKS, Proved, &[]),
    case(
        "a task that does not wait for the other",
        TASKS,
        NotProved,
        &[(
            "halide_semaphore_init(twice.semaphore_0, 0)",
            "halide_semaphore_init(twice.semaphore_0, 1)",
        )],
    ),
    case(
        "a release before the work",
        TASKS,
        NotProved,
        &[
            (COMPUTED, ""),
            ("   let t6 =", "   halide_semaphore_release(twice.semaphore_0, 1)\n   let t6 ="),
        ],
    ),
    case("no release", TASKS, NotProved, &[(COMPUTED, "")]),
    case(
        "one release, two acquisitions",
        TASKS,
        NotProved,
        &[("acquire (twice.semaphore_0, 1)", "acquire (twice.semaphore_0, 2)")],
    ),
    case(
        "a semaphore without a count",
        TASKS,
        NotProved,
        &[(" halide_semaphore_init(twice.semaphore_0, 0)\n", "")],
    ),
    case("a task after two others", THREE, Proved, &[]),
    case(
        "a task that waits for one of two others",
        THREE,
        NotProved,
        &[(
            "   acquire (less.semaphore_0, 1) {\n    produce out {",
            "   if (0 <= out.extent.0) {\n    produce out {",
        )],
    ),
    case(
        "a task that waits twice for one of two others",
        THREE,
        NotProved,
        &[("   acquire (less.semaphore_0, 1)", "   acquire (more.semaphore_0, 1)")],
    ),
    case(
        "a semaphore of two tasks",
        THREE,
        NotProved,
        &[(
            "halide_semaphore_release(less.semaphore_0, 1)",
            "halide_semaphore_release(more.semaphore_0, 1)",
        )],
    ),
    case(
        "two tasks without an order that write the same memory",
        THREE,
        NotProved,
        &[(LESS_STORED, MORE_STORED)],
    ),
    case(
        "a task that reads what another without an order writes",
        THREE,
        NotProved,
        &[(LESS_STORED, MORE_READ)],
    ),
    case("a task one plane ahead", PLANES, Proved, &[]),
    case(
        "a task two planes ahead, in memory for two",
        PLANES,
        NotProved,
        &[(
            "halide_semaphore_init(planes.folding_semaphore._0, 2)",
            "halide_semaphore_init(planes.folding_semaphore._0, 3)",
        )],
    ),
    case("rows that updates begin and continue", BY_UPDATES, Proved, &[]),
    case("a row that nothing begins", BY_UPDATES, NotProved, &[(FIRST_MEAN, "")]),
    case(
        "updates from the end before those from the beginning",
        BY_UPDATES,
        NotProved,
        &[(LAST_MEANS, ""), (FIRST_MEAN, MEANS_TURNED)],
    ),
    case(
        "an update that runs once less than the pipeline says",
        BY_UPDATES,
        NotProved,
        &[("for (means.s3.r$x.rebased, 0, 63)", "for (means.s3.r$x.rebased, 0, 62)")],
    ),
    case("slots that updates fill", SLOTS, Proved, &[]),
    case(
        "a slot that is read and was not filled",
        SLOTS,
        NotProved,
        &[("(t29*2) + out.s0.x.x", "(t29*3) + out.s0.x.x"), ("(t29*8) * 1 * 3", "(t29*8) * 1 * 4")],
    ),
    case("values of the first ten", TEN, Proved, &[]),
    case(
        "the eleventh value",
        TEN,
        NotProved,
        &[("let t12 = 9 - out.min.0", "let t12 = 10 - out.min.0")],
    ),
    case(
        "one value too few",
        TEN,
        NotProved,
        &[("for (ten.s0.x.rebased, 0, t9)", "for (ten.s0.x.rebased, 0, t9 - 1)")],
    ),
    case("tasks that take turns", TURNS, Proved, &[]),
    case(
        "a reader that is one ahead",
        TURNS,
        NotProved,
        &[(
            "halide_semaphore_init(rows.semaphore_0, 0)",
            "halide_semaphore_init(rows.semaphore_0, 1)",
        )],
    ),
    case(
        "a writer that is one ahead in memory for one",
        TURNS,
        NotProved,
        &[(FOLDED, "halide_semaphore_init(rows.folding_semaphore._0, 2)")],
    ),
    case(
        "tasks that wait for each other for ever",
        TURNS,
        NotProved,
        &[(FOLDED, "halide_semaphore_init(rows.folding_semaphore._0, 0)")],
    ),
    case(
        "the wrong semaphore acquired",
        TURNS,
        NotProved,
        &[("acquire (rows.semaphore_0, 1)", "acquire (rows.folding_semaphore._0, 1)")],
    ),
    case(
        "the wrong semaphore released",
        TURNS,
        NotProved,
        &[(
            "halide_semaphore_release(rows.folding_semaphore._0, 1)",
            "halide_semaphore_release(rows.semaphore_0, 1)",
        )],
    ),
    case(
        "a release before the row",
        TURNS,
        NotProved,
        &[
            (ROW_COMPUTED, ""),
            ("     let t7 =", "     halide_semaphore_release(rows.semaphore_0, 1)\n     let t7 ="),
        ],
    ),
    case(
        "no acquisition",
        TURNS,
        NotProved,
        &[("acquire (rows.semaphore_0, 1) {", "produce rows {")],
    ),
    case(
        "a name of the other task",
        TURNS,
        NotProved,
        &[("out.stride.1) + t8\n", "out.stride.1) + (t8 + (t6 - t6))\n")],
    ),
    case(
        "tasks of other lengths",
        TURNS,
        NotProved,
        &[(
            CONSUMER,
            "   let t8 = 0 - (out.min.1*out.stride.1)\n   for (out.s0.y.rebased, 0, out.extent.1 + \
                1)",
        )],
    ),
    case(
        "three ahead in memory for two",
        RING,
        NotProved,
        &[(
            "halide_semaphore_init(rows.folding_semaphore.ring_buffer, 2)",
            "halide_semaphore_init(rows.folding_semaphore.ring_buffer, 3)",
        )],
    ),
    case("assertions that follow from what callers keep to", BOUNDS, Proved, &[]),
    case(
        "an assertion after the work that relies on it",
        TWO,
        NotProved,
        &[
            (
                "(out.extent.0 + out.min.0) <= (a.extent.0 + a.min.0)",
                "(out.extent.0 + out.min.0) <= ((a.extent.0 + a.min.0) + 1)",
            ),
            (
                FREES,
                " free twice\n assert((out.extent.0 + out.min.0) <= (a.extent.0 + a.min.0), 0)\n",
            ),
        ],
    ),
    case(
        "an assertion in a loop that holds",
        TWO,
        Proved,
        &[(DOUBLED, "*(uint8)2\n   assert(twice.s0.x.rebased < out.extent.0, 0)\n")],
    ),
    case(
        "an assertion in a loop that may fail",
        TWO,
        NotProved,
        &[(DOUBLED, "*(uint8)2\n   assert(twice.s0.x.rebased < 100, 0)\n")],
    ),
    case(
        "an assertion that says more than of a pointer",
        TWO,
        Proved,
        &[(HOST_NULL, "assert((a != reinterpret<(void *)>((uint64)0)) && (out.extent.0 == 3), ")],
    ),
    case(
        "an assertion that two pointers differ, or more",
        TWO,
        NotProved,
        &[(HOST_NULL, "assert((a != out) && (out.extent.0 == 3), ")],
    ),
    case(
        "an assertion that a pointer is null",
        TWO,
        NotProved,
        &[(HOST_NULL, "assert(a == reinterpret<(void *)>((uint64)0), ")],
    ),
    case(
        "an assertion of where a buffer is",
        TWO,
        NotProved,
        &[("out.buffer) != (uint64)0, ", "out.buffer) != (uint64)64, ")],
    ),
    case(
        "a buffer by another buffer's pointer",
        TWO,
        NotProved,
        &[(
            "let a = (void *)_halide_buffer_get_host((struct halide_buffer_t *)a.buffer)",
            "let a = (void *)_halide_buffer_get_host((struct halide_buffer_t *)out.buffer)",
        )],
    ),
    case(
        "a value by the name of memory",
        TWO,
        NotProved,
        &[(READS, " let twice = 3\n produce out {\n")],
    ),
    case(
        "an index that is no such multiple",
        BOUNDS,
        NotProved,
        &[(
            "sums[ramp(out.s0.x.x*8, 1, 8) aligned(8, 0)]",
            "sums[ramp(out.s0.x.x*8, 1, 8) aligned(16, 0)]",
        )],
    ),
    case(
        "an index with another remainder",
        BOUNDS,
        NotProved,
        &[("aligned(8, 1)", "aligned(8, 2)")],
    ),
    case(
        "a loop that is no loop of a final statement",
        TWO,
        NotProved,
        &[("for (twice.s0.x.rebased", "vectorized (twice.s0.x.rebased")],
    ),
    case("an unknown call", TWO, NotProved, &[(FREES, " free twice\n halide_error()\n")]),
    case("colours that lie together", COLOURS, Proved, &[]),
    case(
        "another colour",
        COLOURS,
        NotProved,
        &[("slice_vectors(t8, 1, 3, 8)", "slice_vectors(t8, 2, 3, 8)")],
    ),
    case(
        "pixels four elements apart",
        COLOURS,
        NotProved,
        &[("(((out.s0.x.x*8) + out.min.0)*3) + t25", "(((out.s0.x.x*8) + out.min.0)*4) + t25")],
    ),
    case("columns of any stride", COLUMNS, Proved, &[]),
    case(
        "the stride of the rows for that of the columns",
        COLUMNS,
        NotProved,
        &[("a[ramp(a.stride.0 + t6, 1, 8)]", "a[ramp(a.stride.1 + t6, 1, 8)]")],
    ),
    case("columns in memory", STORED, Proved, &[]),
    case(
        "columns of another length",
        STORED,
        NotProved,
        &[(
            "let t6 = (out.extent.1 + 2)*out.s0.x.rebased",
            "let t6 = (out.extent.0 + 1)*out.s0.x.rebased",
        )],
    ),
    case(
        "columns without the last element",
        STORED,
        NotProved,
        &[("(out.extent.0 + 1) * (out.extent.1 + 2)]", "(out.extent.0 + 1) * (out.extent.1 + 1)]")],
    ),
    case("the least of ten, in vectors", LEAST, Proved, &[]),
    case(
        "vectors with names, stored in another order",
        LEAST,
        Proved,
        &[(LEAST_STORED, LEAST_TURNED)],
    ),
    case(
        "the least element before its place",
        LEAST,
        NotProved,
        &[(
            LEAST_STORED,
            "     argmin.1[ramp(0, 1, 8)] = argmin.1.value.widened.out.s0.x.v1
     argmin.0[ramp(0, 1, 8)] = select(a[ramp(argmin.s1.r$x + t40, 1, 8)] < argmin.1[ramp(0, 1, \
                8)], x8(argmin.s1.r$x), argmin.0[ramp(0, 1, 8)])\n",
        )],
    ),
    case("three loops fused", FUSED, Proved, &[]),
    case(
        "three loops fused, without the last iteration",
        FUSED,
        NotProved,
        &[("parallel (out.s0.x.all, 0, t27)", "parallel (out.s0.x.all, 0, t27 - 1)")],
    ),
    case("a stage that is skipped", SKIPPED, Proved, &[]),
    case(
        "a stage that is skipped where it is needed",
        SKIPPED,
        NotProved,
        &[("if ((uint1)left) {\n  produce tripled", "if (!(uint1)left) {\n  produce tripled")],
    ),
    case("an update in whole vectors", WHOLE, Proved, &[]),
    case(
        "an update without its last vector",
        WHOLE,
        NotProved,
        &[("let t8 = (out.extent.0 + 7)/8", "let t8 = out.extent.0/8")],
    ),
    case("a sum of lanes", LANES, Proved, &[]),
    case(
        "a sum of lanes that overlap",
        LANES,
        NotProved,
        &[("(total.s1.r$x.r$x*8) + t14", "(total.s1.r$x.r$x*7) + t14")],
    ),
    case(
        "a product of lanes for their sum",
        LANES,
        NotProved,
        &[("vector_reduce_add(", "vector_reduce_mul(")],
    ),
    case("reductions of a func in memory", AROUND, Proved, &[]),
    case("masks in two dimensions", MASKS, Proved, &[]),
    case(
        "masks of one lane too many",
        MASKS,
        NotProved,
        &[("saturating_sub(t62, t67 + 1)", "saturating_sub(t62, t67)")],
    ),
    case("stages in tiles", TILES, Proved, &[]),
    case(
        "a stage in tiles without its last row",
        TILES,
        NotProved,
        &[("(stage_1.s0.y.rebased, 0, 68)", "(stage_1.s0.y.rebased, 0, 67)")],
    ),
    case("strides under conditions", LAYOUTS, Proved, &[]),
    case(
        "code for packed pixels where strides are others",
        LAYOUTS,
        NotProved,
        &[(
            "  } else if ((((((((out.stride.0 == 3) && (out.stride.2 == 1))",
            "  } else if ((((((((out.stride.0 == 4) && (out.stride.2 == 1))",
        )],
    ),
    case("a gather below a clamp", GATHER, Proved, &[]),
    case(
        "a gather beyond a clamp",
        GATHER,
        NotProved,
        &[(
            "x16(source.extent.0 + -1)), x16(0)) + x16(t57)",
            "x16(source.extent.0)), x16(0)) + x16(t57)",
        )],
    ),
    case(
        "a gather whose index overflows",
        GATHER,
        NotProved,
        &[
            ("source[max(min(", "source[((((max(min("),
            (
                "x16(0)) + x16(t57)",
                "x16(0))*x16(65536))*x16(65536))/x16(65536))/x16(65536)) + x16(t57)",
            ),
            (
                "x16(0)) + x16(t63)",
                "x16(0))*x16(65536))*x16(65536))/x16(65536))/x16(65536)) + x16(t63)",
            ),
        ],
    ),
    case("rows that are kept and slid", SLID, Proved, &[]),
    case(
        "rows that are kept and slid, in one place",
        SLID,
        NotProved,
        &[("waves[((((t97 + 1) % 2)*", "waves[((((t97 + 2) % 2)*")],
    ),
    case("sums of floats in lanes", FACTORS, Proved, &[]),
    case(
        "sums of floats in lanes that overlap",
        FACTORS,
        NotProved,
        &[("vector[ramp((product_intm.s1.outer*8)", "vector[ramp((product_intm.s1.outer*7)")],
    ),
    case(
        "sums of floats without the last lane",
        FACTORS,
        NotProved,
        &[("(product.s1.inner, 0, 8)", "(product.s1.inner, 0, 7)")],
    ),
];

/// The pipeline file and the statement of a script.
fn compiled(script: &str) -> (Vec<u8>, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/halide");
    let origin = bridge::Origin::Script(root.join(script).with_extension("py"));
    let folder = tempfile::tempdir().expect("the test is written correctly");
    let artifacts =
        bridge::Job::of(origin).compile(folder.path()).expect("the test is written correctly");
    (artifacts.pipeline, artifacts.statement)
}

/// The result for a statement, with a description if it is not read.
pub(crate) fn judged(pipeline: &[u8], statement: &str) -> (String, Expected) {
    let folder = tempfile::tempdir().expect("the test is written correctly");
    let (file, text) = (folder.path().join("edited.hlpipe"), folder.path().join("edited.stmt"));
    std::fs::write(&file, pipeline).expect("the test is written correctly");
    std::fs::write(&text, statement).expect("the test is written correctly");
    let mut request = Request::of(&file);
    request.statement = Some(text);
    let stock = match stock::read(&request) {
        Ok(stock) => stock,
        Err(refusal) => {
            let words: Vec<String> = refusal
                .diagnostics
                .iter()
                .map(|diagnostic| {
                    // An edit that gives an unreadable statement would test nothing.
                    assert_eq!(diagnostic.code, stock::UNSUPPORTED, "{}", diagnostic.message);
                    diagnostic.message.clone()
                })
                .collect();
            return (words.join("; "), NotProved);
        }
    };
    let subject = &stock.subject;
    let options = Options::find().expect("the test is written correctly").of_stock();
    let report =
        crate::common::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options);
    let is_proved = matches!(report.verdict, Verdict::Proved);
    (format!("{:?}", report.verdict), if is_proved { Proved } else { NotProved })
}

#[test]
fn edges_of_statements_are_judged() {
    if !judge_all(&sampled(CASES.iter().copied(), 6)) {
        println!("skipped: there is no Python with Halide");
    }
}

/// Judges the statement of each case; returns false if there is no Halide to compile it.
pub(crate) fn judge_all(cases: &[Case]) -> bool {
    let has_halide = bridge::find().is_ok_and(|python| {
        let probe = Command::new(python).args(["-c", "import halide"]).output();
        probe.is_ok_and(|output| output.status.success())
    });
    if !has_halide {
        return false;
    }
    let mut scripts: Vec<&str> = cases.iter().map(|case| case.script).collect();
    scripts.sort_unstable();
    scripts.dedup();
    let known: BTreeMap<&str, (Vec<u8>, String)> =
        scripts.iter().copied().zip(in_parallel(&scripts, |script| compiled(script))).collect();
    let wrong: Vec<String> = in_parallel(cases, |Case { name, script, expected, edits }| {
        let (pipeline, statement) = &known[script];
        let mut statement = statement.clone();
        for (from, to) in *edits {
            assert!(statement.contains(from), "{name}: `{from}` is not in\n{statement}");
            statement = statement.replace(from, to);
        }
        let (words, found) = judged(pipeline, &statement);
        (found != *expected).then(|| format!("{name}: {expected:?} is wanted: {words}"))
    })
    .into_iter()
    .flatten()
    .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    true
}
