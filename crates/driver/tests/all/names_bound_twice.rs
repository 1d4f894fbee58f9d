//! Statements of stock Halide in which a name is bound again where it is visible. The translation
//! finds values by their names, so none of these statements is proved.

use crate::stock_edges::Expected::{NotProved, Proved};
use crate::stock_edges::{Case, case, judge_all};

const PLANES: &str = "pipelines/planes_ahead";
const THREE: &str = "pipelines/three_tasks";

const ACQUIRES: &str = "acquire (planes.folding_semaphore._0, 1) {\n";
const BEGINS: &str = "halide_semaphore_init(planes.folding_semaphore._0, 2)";
const RELEASES: &str = "halide_semaphore_release(planes.folding_semaphore._0, 1)";

const CASES: &[Case] = &[
    case("planes ahead", PLANES, Proved, &[]),
    case(
        "planes ahead that wait for one unit by a name",
        PLANES,
        NotProved,
        &[
            (BEGINS, "halide_semaphore_init(planes.folding_semaphore._0, 4)"),
            (
                ACQUIRES,
                "let w = select(0 < out.s0.c.rebased, 1, 3)\n   let w = 1\n   \
                 acquire (planes.folding_semaphore._0, w) {\n",
            ),
        ],
    ),
    case(
        "planes ahead that release more by the name of a loop",
        PLANES,
        NotProved,
        &[
            ("let t16 = ", "let out.s0.c.rebased = 1000000\n      let t16 = "),
            (
                RELEASES,
                "halide_semaphore_release(planes.folding_semaphore._0, \
                 select(out.s0.c.rebased < (out.extent.2 + -1), 1, 5))",
            ),
        ],
    ),
    case(
        "a task that waits for a semaphore of its own",
        THREE,
        NotProved,
        &[(
            "acquire (less.semaphore_0, 1) {\n",
            "let less.semaphore_0 = (struct halide_semaphore_t *)alloca(16)\n   \
             acquire (less.semaphore_0, 1) {\n",
        )],
    ),
];

#[test]
fn a_name_that_is_bound_where_it_is_visible_proves_nothing() {
    if !judge_all(CASES) {
        println!("skipped: there is no Python with Halide");
    }
}
