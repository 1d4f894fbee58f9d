//! Threads: races, tasks, semaphores, locks.

use halidom_halide_machine::FaultKind;

use crate::common::{fault, out, refused, twins};

#[test]
fn iterations_at_one_time_write_what_is_their_own() {
    twins(
        "parallel (i, 0, 4) {\n out[i] = i\n}",
        "parallel (i, 0, 4) {\n out[i/2] = i\n}",
        FaultKind::Race,
    );
    twins(
        "parallel (i, 0, 4) {\n out[i] = a[i + 1]\n}",
        "parallel (i, 0, 4) {\n out[i] = out[i + 1] + 1\n}",
        FaultKind::Race,
    );
    // Loops one after the other are ordered.
    twins(
        "parallel (i, 0, 4) {\n out[i] = i\n}\nparallel (i, 0, 4) {\n out[i + 4] = out[3 - i]\n}",
        "parallel (i, 0, 8) \
            {\n if (i < 4) {\n  out[i] = i\n } else {\n  out[i] = out[7 - i]\n }\n}",
        FaultKind::Race,
    );
}

#[test]
fn memory_of_an_iteration_is_its_own() {
    twins(
        "parallel (i, 0, 4) {\n allocate b[int32 * n]\n b[0] = i\n out[i] = b[0]\n free b\n}",
        "allocate b[int32 * n]\nparallel (i, 0, 4) {\n b[0] = i\n out[i] = b[0]\n}\nfree b",
        FaultKind::Race,
    );
}

#[test]
fn tiles_that_overlap_write_the_same() {
    // Both iterations write 3 to the overlap, and each reads its own writes.
    assert_eq!(
        out("parallel (i, 0, 2) {\n for (x, 0, 4) {\n  out[(i*3) + x] = (i*3) + x\n  \
                out[15 - i] = out[(i*3) + 1]\n }\n}")[..7],
        [0, 1, 2, 3, 4, 5, 6]
    );
    assert_eq!(
        fault("parallel (i, 0, 2) {\n for (x, 0, 4) {\n  out[(i*3) + x] = x\n }\n}"),
        FaultKind::Race
    );
    // Repeated addition would not give the same result in every order.
    assert_eq!(
        fault(
            "parallel (i, 0, 2) {\n for (x, 0, 4) {\n  out[(i*3) + x] = x - x\n  \
                out[(i*3) + x] = out[(i*3) + x] + 1\n }\n}"
        ),
        FaultKind::Race
    );
}

#[test]
fn atomic_updates_are_no_race() {
    let add = "out[0] = out[0] + i";
    assert_eq!(
        out(&format!("out[0] = 0\nparallel (i, 0, 4) {{\n atomic (out) {{\n   {add}\n }}\n}}"))[0],
        6
    );
    assert_eq!(fault(&format!("out[0] = 0\nparallel (i, 0, 4) {{\n {add}\n}}")), FaultKind::Race);
    // A read in between is a race.
    assert_eq!(
        fault(&format!(
            "out[0] = 0\nparallel (i, 0, 4) {{\n atomic (out) {{\n   {add}\n }}\n out[i + 1] = \
                out[0]\n}}"
        )),
        FaultKind::Race
    );
}

#[test]
fn locks_exclude_each_other() {
    let update = |lock: &str, unlock: &str| {
        format!(
            "out[0] = 0
allocate m[(struct halide_mutex *)]
 custom_new {{ (struct halide_mutex_array *)halide_mutex_array_create((uint64)1) }}
 custom_delete {{ halide_mutex_array_destroy(m); }}
parallel (i, 0, 4) {{
 atomic (out, m) {{
   {lock}
   out[0] = out[0] + i
   {unlock}
 }}
}}"
        )
    };
    let (lock, unlock) = ("halide_mutex_array_lock(m, 0)", "halide_mutex_array_unlock(m, 0)");
    assert_eq!(out(&update(lock, unlock))[0], 6);
    assert_eq!(fault(&update("0", "0")), FaultKind::Race);
    assert_eq!(fault(&update(lock, "0")), FaultKind::Misuse);
    assert_eq!(
        fault(&update("halide_mutex_array_lock(m, 1)", "halide_mutex_array_unlock(m, 1)")),
        FaultKind::OutOfBounds
    );
    assert_eq!(
        refused(
            &update(lock, unlock)
                .replace("out[0] = out[0] + i", "out[ramp(0, 1, 2)] = out[ramp(0, 1, 2)] + x2(i)")
        ),
        "a store of a vector under a lock"
    );
}

/// A producer and a consumer of rows that are kept in the memory of one row.
fn tasks(folding: i32, stored: i32, producer: &str, consumer: &str) -> String {
    format!(
        "let f = (struct halide_semaphore_t *)alloca(16)
halide_semaphore_init(f, {folding})
allocate row[int32 * n]
let s = (struct halide_semaphore_t *)alloca(16)
halide_semaphore_init(s, {stored})
fork {{
 for (y, 0, 4) {{
{producer}
 }}
}} {{
 for (y, 0, 4) {{
{consumer}
 }}
}} 
free row
"
    )
}

const PRODUCER: &str = "  acquire (f, 1) {
   row[0] = y*10
   halide_semaphore_release(s, 1)
  }";
const CONSUMER: &str = "  acquire (s, 1) {
   out[y] = row[0]
   halide_semaphore_release(f, 1)
  }";

#[test]
fn tasks_wait_for_each_other() {
    assert_eq!(out(&tasks(1, 0, PRODUCER, CONSUMER))[..4], [0, 10, 20, 30]);
    // With too high an initial count, the producer overtakes, or the consumer reads too early.
    assert_eq!(fault(&tasks(2, 0, PRODUCER, CONSUMER)), FaultKind::Race);
    assert_eq!(fault(&tasks(1, 1, PRODUCER, CONSUMER)), FaultKind::Race);
    // With too low an initial count, or without a release, nobody goes on.
    assert_eq!(fault(&tasks(0, 0, PRODUCER, CONSUMER)), FaultKind::Deadlock);
    let never = PRODUCER.replace("   halide_semaphore_release(s, 1)\n", "");
    assert_eq!(fault(&tasks(1, 0, &never, CONSUMER)), FaultKind::Deadlock);
    // The release comes before the row is written, or nobody waits for it.
    let early = "  acquire (f, 1) {
   halide_semaphore_release(s, 1)
   row[0] = y*10
  }";
    assert_eq!(fault(&tasks(1, 0, early, CONSUMER)), FaultKind::Race);
    let hasty = "  out[y] = row[0]
  halide_semaphore_release(f, 1)";
    assert!(
        matches!(fault(&tasks(1, 0, PRODUCER, hasty)), FaultKind::Race | FaultKind::Poison),
        "{:?}",
        fault(&tasks(1, 0, PRODUCER, hasty))
    );
}

#[test]
fn semaphores_are_initialized() {
    let text = tasks(1, 0, PRODUCER, CONSUMER).replace("halide_semaphore_init(s, 0)\n", "");
    assert_eq!(fault(&text), FaultKind::Misuse);
}

#[test]
fn names_of_a_task_are_its_own() {
    let text = "fork {\n let t = n\n out[0] = t\n} {\n out[1] = n\n} \n";
    assert_eq!(out(text)[..2], [4, 4]);
    let text = "fork {\n let t = n\n out[0] = t\n} {\n out[1] = t\n} \n";
    assert_eq!(refused(text), "`t`, whose type nothing says");
}
