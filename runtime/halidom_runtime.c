/* See halidom_runtime.h. The greater part is the thread pool behind halidom_parallel_for.
 *
 * A running loop is a `loop_t` on its caller's stack, listed in the pool while it may be joined.
 * Its iterations are dealt as one contiguous range per thread, so that a thread meets the same rows
 * in each of a pipeline's loops; a thread that has finished its range steals the far half of
 * another's. The caller works too, and can finish any loop alone: a worker that is asleep or
 * late costs time and nothing else, which is also why nested loops cannot deadlock.
 *
 * Measured with `runtime_test time`, two threads on two cores of a Zen 5 server: fork and join take
 * 1.1 us where both threads take part, 0.2 us where the caller finds nothing worth sharing.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "halidom_runtime.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__) && !defined(HALIDOM_NO_FUTEX)
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#define USE_FUTEX 1
#else
#define USE_FUTEX 0
#endif

#if defined(__linux__)
#include <sys/mman.h>
#endif

#define WEAK __attribute__((weak))

_Static_assert(sizeof(halidom_type_t) == 4 && sizeof(halidom_dimension_t) == 16,
               "the types of Halide's buffers have these sizes");
_Static_assert(offsetof(halidom_buffer_t, type) == 16 + 2 * sizeof(void *) &&
                   offsetof(halidom_buffer_t, dim) == 24 + 2 * sizeof(void *),
               "Halide's buffers have this layout");

/* ---- Failed checks ---- */

WEAK int halidom_fail(halidom_failure *failure, int32_t check, int count, const int64_t *values) {
    if (failure != NULL && __atomic_exchange_n(&failure->claimed, 1, __ATOMIC_RELAXED) == 0) {
        failure->check = check;
        for (int i = 0; i < count && i < HALIDOM_FAILURE_VALUES; i++) {
            failure->values[i] = values[i];
        }
    }
    return HALIDOM_CHECK_FAILED;
}

/* ---- Memory ---- */

enum { ALIGNMENT = 64, PAGE = 4096, HUGE_FROM = 4 << 20 };

/* Asks for huge pages under a large block: the first writes to 64 MiB then take a fifth of the
 * time. Only whole pages can be asked for; a refusal costs only speed. */
static void prefer_huge_pages(char *memory, size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (bytes >= HUGE_FROM) {
        size_t skipped = PAGE - (uintptr_t)memory % PAGE;
        (void)madvise(memory + skipped, (bytes - skipped) / PAGE * PAGE, MADV_HUGEPAGE);
    }
#else
    (void)memory;
    (void)bytes;
#endif
}

WEAK size_t halidom_bytes(size_t bytes, int64_t extent) {
    if (extent <= 0 || bytes == 0) {
        return 0;
    }
    return (uint64_t)extent > SIZE_MAX / bytes ? SIZE_MAX : bytes * (size_t)extent;
}

/* Blocks of some size are kept when they are freed. malloc gives them back to the system at once or
 * after a few, and then each page of the next one costs a fault. Two threads that allocate three
 * buffers of 220 KiB for each strip of an image took 10 ms; with kept blocks they take 3 ms.
 *
 * There are four classes of sizes per power of two. A thread looks first where it put its last
 * blocks, which its caches may still hold. */
enum {
    KEPT_FROM = 14,  /* the logarithm of the size above which blocks are kept */
    KEPT_UNTIL = 26, /* and of the greatest such size */
    CLASSES = (KEPT_UNTIL - KEPT_FROM) * 4,
    SLOTS = 32, /* in each class */
};

static _Atomic(void *) kept[CLASSES][SLOTS];
static atomic_size_t kept_bytes;
#if defined(__has_feature)
#define HAS_FEATURE(x) __has_feature(x)
#else
#define HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
/* A sanitizer sees uses of freed memory only if it is freed. */
static atomic_size_t kept_most = 0;
#else
static atomic_size_t kept_most = (size_t)64 << 20;
#endif

/* The class of a size; CLASSES if its blocks are not kept. */
static unsigned class_of(size_t bytes) {
    if (bytes <= (size_t)1 << KEPT_FROM || bytes > (size_t)1 << KEPT_UNTIL) {
        return CLASSES;
    }
    unsigned octave = 63 - (unsigned)__builtin_clzll((unsigned long long)(bytes - 1));
    return (octave - KEPT_FROM) * 4 + (unsigned)((bytes - 1) >> (octave - 2) & 3);
}

/* The greatest size of a class. */
static size_t class_bytes(unsigned of) {
    return (size_t)(4 + of % 4 + 1) << (of / 4 + KEPT_FROM - 2);
}

static _Atomic(void *) *slot_of(unsigned of, unsigned number) {
    static _Thread_local char here;
    return &kept[of][((uintptr_t)&here / PAGE + number) % SLOTS];
}

/* A kept block of a class, or NULL. */
static void *take_kept(unsigned of) {
    for (unsigned number = 0; number < SLOTS; number++) {
        _Atomic(void *) *slot = slot_of(of, number);
        void *block = atomic_load_explicit(slot, memory_order_relaxed);
        if (block != NULL && (block = atomic_exchange(slot, NULL)) != NULL) {
            atomic_fetch_sub(&kept_bytes, class_bytes(of));
            return block;
        }
    }
    return NULL;
}

/* Keeps a block of a class if there is room. */
static bool keep(unsigned of, void *block) {
    size_t bytes = class_bytes(of);
    if (atomic_fetch_add(&kept_bytes, bytes) + bytes <= atomic_load(&kept_most)) {
        for (unsigned number = 0; number < SLOTS; number++) {
            void *none = NULL;
            if (atomic_compare_exchange_strong(slot_of(of, number), &none, block)) {
                return true;
            }
        }
    }
    atomic_fetch_sub(&kept_bytes, bytes);
    return false;
}

static void free_kept(void) {
    for (unsigned of = 0; of < CLASSES; of++) {
        void *block;
        while ((block = take_kept(of)) != NULL) {
            free(block);
        }
    }
}

WEAK size_t halidom_keep_memory(size_t bytes) {
    size_t before = atomic_exchange(&kept_most, bytes);
    free_kept();
    return before;
}

/* A library may be unloaded before the process ends. */
__attribute__((destructor)) static void keep_nothing(void) { (void)halidom_keep_memory(0); }

/* malloc and not calloc, which writes zeros to a large block whenever it hands it out again.
 * The block's true start and its class stand in the words before the aligned address. */
WEAK void *halidom_alloc(size_t bytes) {
    size_t extra = ALIGNMENT + 2 * sizeof(void *);
    if (bytes > SIZE_MAX - extra) {
        return NULL;
    }
    uintptr_t of = class_of(bytes);
    char *block = of < CLASSES ? take_kept((unsigned)of) : NULL;
    bool is_new = block == NULL;
    if (is_new) {
        size_t size = (of < CLASSES ? class_bytes((unsigned)of) : bytes) + extra;
        block = malloc(size);
        if (block == NULL) {
            free_kept();
            block = malloc(size);
        }
        if (block == NULL) {
            return NULL;
        }
    }
    size_t past = ((uintptr_t)block + extra) % ALIGNMENT;
    char *memory = block + extra - past;
    memcpy(memory - sizeof(void *), &block, sizeof(void *));
    memcpy(memory - 2 * sizeof(void *), &of, sizeof(of));
    if (is_new) {
        prefer_huge_pages(memory, bytes);
    }
    return memory;
}

WEAK void halidom_free(void *memory) {
    if (memory != NULL) {
        void *block;
        uintptr_t of;
        memcpy(&block, (char *)memory - sizeof(void *), sizeof(void *));
        memcpy(&of, (char *)memory - 2 * sizeof(void *), sizeof(of));
        if (of >= CLASSES || !keep((unsigned)of, block)) {
            free(block);
        }
    }
}

/* ---- Waiting for a word to change ---- */

#if USE_FUTEX

/* Sleeps while *word == expected; may return early. */
static void wait_while(_Atomic uint32_t *word, uint32_t expected) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}

/* The word is not read, so that it may lie in a frame that has been left. */
static void wake(_Atomic uint32_t *word, int sleepers) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, sleepers, NULL, NULL, 0);
}

static void hold_waits(void) {}
static void release_waits(void) {}
static void forget_waiters(void) {}

#else

static pthread_mutex_t wait_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wait_changed = PTHREAD_COND_INITIALIZER;

static void wait_while(_Atomic uint32_t *word, uint32_t expected) {
    pthread_mutex_lock(&wait_lock);
    if (atomic_load(word) == expected) {
        pthread_cond_wait(&wait_changed, &wait_lock);
    }
    pthread_mutex_unlock(&wait_lock);
}

/* One condition serves all words: whoever is woken in vain looks and waits again. */
static void wake(_Atomic uint32_t *word, int sleepers) {
    (void)word;
    (void)sleepers;
    pthread_mutex_lock(&wait_lock);
    pthread_cond_broadcast(&wait_changed);
    pthread_mutex_unlock(&wait_lock);
}

static void hold_waits(void) { pthread_mutex_lock(&wait_lock); }
static void release_waits(void) { pthread_mutex_unlock(&wait_lock); }
static void forget_waiters(void) {
    pthread_cond_t fresh = PTHREAD_COND_INITIALIZER;
    wait_changed = fresh;
}

#endif

static void spin_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Rounds of waiting awake before going to sleep: some tens of microseconds, about what a sleep and
 * the waking from it cost. */
enum { SPIN_ROUNDS = 2000 };

/* ---- Loops ---- */

enum { MAX_THREADS = 256, CACHE_LINE = 64 };

/* The iterations [next, end) that a thread has still to run, both in one word, so that owner and
 * thieves change them together. A range that reappears in a slot stands for the same unstarted
 * iterations, hence compare-and-swap suffers nothing from the ABA problem. */
typedef struct {
    _Alignas(CACHE_LINE) _Atomic uint64_t range;
} slot_t;

static uint64_t pack(uint32_t next, uint32_t end) { return (uint64_t)next << 32 | end; }
static uint32_t range_next(uint64_t range) { return (uint32_t)(range >> 32); }
static uint32_t range_end(uint64_t range) { return (uint32_t)range; }

/* What a slot's range counts, and who takes from it:
 * SHARED  tasks of the slot's thread, and of others when theirs are done
 * STATIC  one task, the thread's whole share; the caller takes those that nobody came for
 * DYNAMIC tasks of everybody, all in slot 0 */
typedef enum { SHARED, STATIC, DYNAMIC } policy_t;

typedef struct loop {
    int (*body)(void *closure, int64_t index);
    void *closure;
    int64_t min;
    uint64_t extent;
    uint64_t block;             /* iterations in one task or, of STATIC, in a block of a share */
    policy_t policy;
    uint32_t slots;             /* one for the caller (0) and for each worker, by number */
    struct loop *outer, *inner; /* neighbours in the pool's list */
    _Atomic int status;         /* the first non-zero status of a body */
    /* Workers in this loop, and CALLER_SLEEPS. The caller returns once it counts none. */
    _Alignas(CACHE_LINE) _Atomic uint32_t visitors;
    slot_t slot[MAX_THREADS];
} loop_t;

#define CALLER_SLEEPS 0x80000000u

/* Tasks are numbered in 32 bits. */
#define MAX_TASKS 0x40000000u

static bool take_own(slot_t *slot, uint32_t *task) {
    uint64_t range = atomic_load(&slot->range);
    while (range_next(range) < range_end(range)) {
        uint64_t rest = pack(range_next(range) + 1, range_end(range));
        if (atomic_compare_exchange_weak(&slot->range, &range, rest)) {
            *task = range_next(range);
            return true;
        }
    }
    return false;
}

/* Moves the far half of another slot's range, at least one task, to the empty slot `mine`. */
static bool steal(loop_t *loop, uint32_t mine) {
    for (uint32_t step = 1; step < loop->slots; step++) {
        slot_t *victim = &loop->slot[(mine + step) % loop->slots];
        uint64_t range = atomic_load(&victim->range);
        while (range_next(range) < range_end(range)) {
            uint32_t next = range_next(range), end = range_end(range);
            uint32_t middle = next + (end - next) / 2;
            if (atomic_compare_exchange_weak(&victim->range, &range, pack(next, middle))) {
                /* Nobody else writes to an empty slot. */
                atomic_store(&loop->slot[mine].range, pack(middle, end));
                return true;
            }
        }
    }
    return false;
}

static void run_block(loop_t *loop, uint64_t first) {
    uint64_t last = loop->extent - first > loop->block ? first + loop->block : loop->extent;
    for (uint64_t i = first; i < last && atomic_load(&loop->status) == 0; i++) {
        int status = loop->body(loop->closure, loop->min + (int64_t)i);
        if (status != 0) {
            int none = 0;
            atomic_compare_exchange_strong(&loop->status, &none, status);
        }
    }
}

static void run_tasks_of(loop_t *loop, uint32_t slot) {
    uint32_t task;
    while (atomic_load(&loop->status) == 0 && take_own(&loop->slot[slot], &task)) {
        run_block(loop, task * loop->block);
    }
}

/* The blocks number `slot`, `slot + slots` and so on, if nobody has taken the share. */
static void run_share(loop_t *loop, uint32_t slot) {
    uint32_t share;
    if (!take_own(&loop->slot[slot], &share)) {
        return;
    }
    uint64_t blocks = (loop->extent - 1) / loop->block + 1;
    for (uint64_t i = slot; i < blocks && atomic_load(&loop->status) == 0; i += loop->slots) {
        run_block(loop, i * loop->block);
    }
}

/* Runs tasks until none can be found. One in transit between two slots may be missed: the thief
 * that moves it will run it. */
static void work_on(loop_t *loop, uint32_t mine) {
    switch (loop->policy) {
    case SHARED:
        do {
            run_tasks_of(loop, mine);
        } while (atomic_load(&loop->status) == 0 && steal(loop, mine));
        break;
    case STATIC:
        run_share(loop, mine);
        for (uint32_t i = 1; mine == 0 && i < loop->slots; i++) {
            run_share(loop, i);
        }
        break;
    case DYNAMIC:
        run_tasks_of(loop, 0);
        break;
    }
}

static bool has_tasks(loop_t *loop, uint32_t slot) {
    uint64_t range = atomic_load(&loop->slot[slot].range);
    return range_next(range) < range_end(range);
}

/* Whether there is something for a worker. */
static bool has_work(loop_t *loop, uint32_t number) {
    if (number >= loop->slots || atomic_load(&loop->status) != 0) {
        return false;
    }
    switch (loop->policy) {
    case SHARED:
        break;
    case STATIC:
        return has_tasks(loop, number);
    case DYNAMIC:
        return has_tasks(loop, 0);
    }
    for (uint32_t i = 0; i < loop->slots; i++) {
        if (has_tasks(loop, i)) {
            return true;
        }
    }
    return false;
}

/* ---- The pool ---- */

static struct {
    pthread_mutex_t lock;
    loop_t *innermost;         /* under the lock: the loops that may be joined, the newest first */
    uint32_t started;          /* under the lock: workers 1..=started exist */
    pthread_t worker[MAX_THREADS];
    _Atomic uint32_t threads;  /* the number in force; 0: not yet determined */
    _Atomic uint32_t epoch;    /* grows whenever workers should look again */
    _Atomic uint32_t sleepers; /* workers that wait on `epoch` */
    _Atomic bool closing;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void wake_workers(int count) {
    atomic_fetch_add(&pool.epoch, 1);
    if (atomic_load(&pool.sleepers) > 0) {
        wake(&pool.epoch, count);
    }
}

/* Joins a loop that has work, the innermost first: its caller is a task of an outer one. */
static loop_t *join_loop(uint32_t number) {
    pthread_mutex_lock(&pool.lock);
    loop_t *loop = pool.innermost;
    while (loop != NULL && !has_work(loop, number)) {
        loop = loop->outer;
    }
    if (loop != NULL) {
        atomic_fetch_add(&loop->visitors, 1);
    }
    pthread_mutex_unlock(&pool.lock);
    return loop;
}

/* After the subtraction the loop may be gone; waking only uses the word's address. */
static void leave_loop(loop_t *loop) {
    if (atomic_fetch_sub(&loop->visitors, 1) == (CALLER_SLEEPS | 1)) {
        wake(&loop->visitors, 1);
    }
}

static void wait_for_epoch_after(uint32_t seen) {
    for (int i = 0; i < SPIN_ROUNDS; i++) {
        if (atomic_load(&pool.epoch) != seen) {
            return;
        }
        spin_pause();
    }
    /* Announced before the word is compared, so that whoever changes it later sees a sleeper. */
    atomic_fetch_add(&pool.sleepers, 1);
    wait_while(&pool.epoch, seen);
    atomic_fetch_sub(&pool.sleepers, 1);
}

static void *worker_main(void *argument) {
    uint32_t number = (uint32_t)(uintptr_t)argument;
    for (;;) {
        /* Read first: whatever changes what is looked at below changes the epoch after it, so that
         * no change is slept through. */
        uint32_t seen = atomic_load(&pool.epoch);
        if (atomic_load(&pool.closing)) {
            return NULL;
        }
        uint32_t threads = atomic_load(&pool.threads);
        if (number >= threads) {
            /* Beyond the number in force: not among the sleepers, lest it be woken in place of a
             * worker that may help. */
            wait_while(&pool.threads, threads);
            continue;
        }
        loop_t *loop = join_loop(number);
        if (loop != NULL) {
            work_on(loop, number);
            leave_loop(loop);
        } else {
            wait_for_epoch_after(seen);
        }
    }
}

/* fork() copies the locks, hence they are held across it, and no thread but the calling one: the
 * child begins without workers and without the loops of other threads. */
static void before_fork(void) {
    pthread_mutex_lock(&pool.lock);
    hold_waits();
}

static void after_fork_in_parent(void) {
    release_waits();
    pthread_mutex_unlock(&pool.lock);
}

static void after_fork_in_child(void) {
    pool.innermost = NULL;
    pool.started = 0;
    atomic_store(&pool.sleepers, 0);
    forget_waiters();
    release_waits();
    pthread_mutex_unlock(&pool.lock);
}

__attribute__((constructor)) static void prepare_for_fork(void) {
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/* With the lock held. Threads that cannot be had are done without. Signals stay with the program's
 * own threads. */
static void start_workers(uint32_t threads) {
    if (pool.started + 1 >= threads) {
        return;
    }
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool.started + 1 < threads) {
        uint32_t number = pool.started + 1;
        void *argument = (void *)(uintptr_t)number;
        if (pthread_create(&pool.worker[number], NULL, worker_main, argument) != 0) {
            break;
        }
        pool.started = number;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Before the library's code is unmapped no thread may run in it; at the program's end likewise. */
__attribute__((destructor)) static void stop_workers(void) {
    pthread_mutex_lock(&pool.lock);
    uint32_t started = pool.started;
    pool.started = 0;
    pthread_mutex_unlock(&pool.lock);
    for (uint32_t number = 1; number <= started; number++) {
        if (pthread_equal(pool.worker[number], pthread_self())) {
            return; /* a body ended the program: it cannot be waited for */
        }
    }
    atomic_store(&pool.closing, true);
    atomic_fetch_add(&pool.epoch, 1);
    wake(&pool.epoch, MAX_THREADS);
    /* No worker is beyond this number. */
    atomic_store(&pool.threads, MAX_THREADS);
    wake(&pool.threads, MAX_THREADS);
    for (uint32_t number = 1; number <= started; number++) {
        pthread_join(pool.worker[number], NULL);
    }
}

/* ---- The number of threads ---- */

static uint32_t default_threads(void) {
    const char *wanted = getenv("HALIDOM_THREADS");
    long count = wanted != NULL ? strtol(wanted, NULL, 10) : 0;
#if USE_FUTEX
    cpu_set_t allowed;
    if (count < 1 && sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
        count = CPU_COUNT(&allowed);
    }
#endif
    if (count < 1) {
        count = sysconf(_SC_NPROCESSORS_ONLN);
    }
    return count < 1 ? 1 : count > MAX_THREADS ? MAX_THREADS : (uint32_t)count;
}

static uint32_t current_threads(void) {
    uint32_t threads = atomic_load(&pool.threads);
    if (threads == 0) {
        uint32_t fresh = default_threads();
        threads = atomic_compare_exchange_strong(&pool.threads, &threads, fresh) ? fresh : threads;
    }
    return threads;
}

WEAK int halidom_threads(void) { return (int)current_threads(); }

WEAK void halidom_set_threads(int count) {
    uint32_t threads = count <= 0            ? default_threads()
                       : count > MAX_THREADS ? MAX_THREADS
                                             : (uint32_t)count;
    atomic_store(&pool.threads, threads);
    /* All workers sort themselves anew into those in force and those beyond. */
    wake(&pool.threads, MAX_THREADS);
    atomic_fetch_add(&pool.epoch, 1);
    wake(&pool.epoch, MAX_THREADS);
}

/* ---- The parallel loop ---- */

static int run_alone(int (*body)(void *, int64_t), void *closure, int64_t min, int64_t extent) {
    int status = 0;
    for (int64_t i = 0; i < extent && status == 0; i++) {
        status = body(closure, min + i);
    }
    return status;
}

/* The first slots get one task more where it does not come out even. */
static void deal_evenly(loop_t *loop, uint32_t tasks) {
    uint32_t share = tasks / loop->slots, more = tasks % loop->slots, next = 0;
    for (uint32_t i = 0; i < loop->slots; i++) {
        uint32_t end = next + share + (i < more ? 1 : 0);
        atomic_init(&loop->slot[i].range, pack(next, end));
        next = end;
    }
}

static void wait_for_visitors(loop_t *loop) {
    for (int i = 0; i < SPIN_ROUNDS; i++) {
        if (atomic_load(&loop->visitors) == 0) {
            return;
        }
        spin_pause();
    }
    uint32_t visitors = atomic_fetch_or(&loop->visitors, CALLER_SLEEPS) | CALLER_SLEEPS;
    while (visitors != CALLER_SLEEPS) {
        wait_while(&loop->visitors, visitors);
        visitors = atomic_load(&loop->visitors);
    }
}

/* How many threads have something to do, at most; deals it out. */
static uint32_t deal(loop_t *loop, uint64_t chunk) {
    uint64_t least = (loop->extent - 1) / MAX_TASKS + 1;
    uint64_t even = (loop->extent - 1) / loop->slots + 1;
    /* Of static shares only those are counted, of which there are few. */
    loop->block = loop->policy != STATIC ? (chunk > least ? chunk : least)
                  : chunk > 0            ? chunk
                                         : even;
    uint64_t blocks = (loop->extent - 1) / loop->block + 1;
    uint32_t busy = blocks < loop->slots ? (uint32_t)blocks : loop->slots;
    switch (loop->policy) {
    case SHARED:
        deal_evenly(loop, (uint32_t)blocks);
        break;
    case STATIC:
        deal_evenly(loop, busy);
        break;
    case DYNAMIC:
        deal_evenly(loop, 0);
        atomic_init(&loop->slot[0].range, pack(0, (uint32_t)blocks));
        break;
    }
    return busy;
}

static int parallel_for(int (*body)(void *closure, int64_t index), void *closure, int64_t min,
                        int64_t extent, policy_t policy, uint32_t chunk) {
    uint32_t threads = current_threads();
    if (threads == 1 || extent <= 1) {
        return run_alone(body, closure, min, extent);
    }
    loop_t loop;
    loop.body = body;
    loop.closure = closure;
    loop.min = min;
    loop.extent = (uint64_t)extent;
    loop.policy = policy;
    loop.slots = threads;
    atomic_init(&loop.status, 0);
    atomic_init(&loop.visitors, 0);
    uint32_t busy = deal(&loop, chunk);

    pthread_mutex_lock(&pool.lock);
    start_workers(threads);
    loop.outer = pool.innermost;
    loop.inner = NULL;
    if (loop.outer != NULL) {
        loop.outer->inner = &loop;
    }
    pool.innermost = &loop;
    pthread_mutex_unlock(&pool.lock);
    /* Whose a static share is does not depend on who wakes up. */
    wake_workers(policy == STATIC ? MAX_THREADS : (int)busy - 1);

    work_on(&loop, 0);

    /* Unlisted, it can gain no more visitors. */
    pthread_mutex_lock(&pool.lock);
    if (loop.outer != NULL) {
        loop.outer->inner = loop.inner;
    }
    if (loop.inner != NULL) {
        loop.inner->outer = loop.outer;
    } else {
        pool.innermost = loop.outer;
    }
    pthread_mutex_unlock(&pool.lock);
    wait_for_visitors(&loop);
    return atomic_load(&loop.status);
}

WEAK int halidom_parallel_for(int (*body)(void *closure, int64_t index), void *closure, int64_t min,
                              int64_t extent) {
    return parallel_for(body, closure, min, extent, SHARED, 1);
}

WEAK int halidom_parallel_for_static(int (*body)(void *closure, int64_t index), void *closure,
                                     int64_t min, int64_t extent, uint32_t chunk) {
    return parallel_for(body, closure, min, extent, STATIC, chunk);
}

WEAK int halidom_parallel_for_dynamic(int (*body)(void *closure, int64_t index), void *closure,
                                      int64_t min, int64_t extent, uint32_t chunk) {
    return parallel_for(body, closure, min, extent, DYNAMIC, chunk);
}
