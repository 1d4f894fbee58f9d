/* Exercises the runtime: every iteration runs exactly once, whatever the threads, the sizes, the
 * nesting and the balance of the work. Prints each failed expectation; exits with 1 if any failed.
 *
 * usage: runtime_test FORKS LIBRARY | runtime_test time
 *
 * FORKS is how many loops to start in a row, LIBRARY the runtime as a shared library, to be loaded
 * and unloaded. `time` prints what a fork and join takes instead. */
#define _GNU_SOURCE
#include "../halidom_runtime.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int failures = 0;

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d, %d threads: %s\n", __LINE__, halidom_threads(), #condition); \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

/* ---- Bodies ---- */

typedef struct {
    int64_t min;
    uint32_t *runs; /* by index - min */
    uint32_t work;  /* spin up to this many rounds, unevenly */
} counted_t;

static int count_run(void *closure, int64_t index) {
    counted_t *counted = closure;
    int64_t at = index - counted->min;
    if (counted->work > 0) {
        /* A few iterations carry nearly all of the work. */
        volatile uint32_t rounds = at % 61 == 0 ? counted->work : counted->work / 1000;
        while (rounds > 0) {
            rounds = rounds - 1;
        }
    }
    __atomic_fetch_add(&counted->runs[at], 1, __ATOMIC_RELAXED);
    return 0;
}

static bool each_once(const uint32_t *runs, int64_t extent) {
    for (int64_t i = 0; i < extent; i++) {
        if (runs[i] != 1) {
            return false;
        }
    }
    return true;
}

static void expect_each_once(int64_t min, int64_t extent, uint32_t work) {
    counted_t counted = {min, calloc((size_t)extent + 1, sizeof(uint32_t)), work};
    EXPECT(halidom_parallel_for(count_run, &counted, min, extent) == 0);
    EXPECT(each_once(counted.runs, extent));
    EXPECT(counted.runs[extent] == 0);
    free(counted.runs);
}

enum { OUTER = 13, MIDDLE = 7, INNER = 29 };

typedef struct {
    uint32_t runs[OUTER * MIDDLE * INNER];
} nest_t;

typedef struct {
    nest_t *nest;
    int64_t base;
} level_t;

static int inner_body(void *closure, int64_t k) {
    level_t *level = closure;
    __atomic_fetch_add(&level->nest->runs[level->base * INNER + k], 1, __ATOMIC_RELAXED);
    return 0;
}

static int middle_body(void *closure, int64_t j) {
    level_t *level = closure;
    level_t below = {level->nest, level->base * MIDDLE + j};
    return halidom_parallel_for(inner_body, &below, 0, INNER);
}

static int outer_body(void *closure, int64_t i) {
    level_t below = {closure, i};
    return halidom_parallel_for(middle_body, &below, 0, MIDDLE);
}

static int fail_from(void *closure, int64_t index) { return index >= *(int64_t *)closure ? 42 : 0; }

/* Row `index` of a running sum reads what an earlier loop wrote on other threads, unsynchronised
 * but for the joins. */
enum { ROWS = 64 };

static int next_row(void *closure, int64_t index) {
    int64_t(*rows)[ROWS] = closure;
    rows[1][index] = rows[0][ROWS - 1 - index] + 1;
    return 0;
}

/* ---- Tests ---- */

static void test_sizes(void) {
    int64_t mins[] = {0, -7, INT64_MAX - 100000}, extents[] = {1, 2, 3, 7, 64, 1000, 99991};
    for (size_t m = 0; m < sizeof mins / sizeof *mins; m++) {
        for (size_t e = 0; e < sizeof extents / sizeof *extents; e++) {
            expect_each_once(mins[m], extents[e], 0);
        }
    }
    expect_each_once(0, 0, 0);
    EXPECT(halidom_parallel_for(count_run, NULL, 5, 0) == 0);
    EXPECT(halidom_parallel_for(count_run, NULL, 5, -3) == 0);
}

static void test_uneven(void) {
    for (int repeat = 0; repeat < 20; repeat++) {
        expect_each_once(3, 500, 100000);
    }
}

static void test_nested(void) {
    for (int repeat = 0; repeat < 50; repeat++) {
        nest_t nest;
        memset(&nest, 0, sizeof nest);
        EXPECT(halidom_parallel_for(outer_body, &nest, 0, OUTER) == 0);
        EXPECT(each_once(nest.runs, OUTER * MIDDLE * INNER));
    }
}

/* ---- Other ways of dealing ---- */

typedef int dealt_for_t(int (*body)(void *, int64_t), void *closure, int64_t min, int64_t extent,
                        uint32_t chunk);

enum { DEALT = 3000 };

typedef struct {
    int64_t min;
    uint32_t runs[DEALT];
    uint32_t order[DEALT]; /* when the iteration ran, counted from 1 over all threads */
    pthread_t thread[DEALT];
    uint32_t clock;
} dealt_t;

static int note_run(void *closure, int64_t index) {
    dealt_t *dealt = closure;
    int64_t at = index - dealt->min;
    __atomic_fetch_add(&dealt->runs[at], 1, __ATOMIC_RELAXED);
    dealt->order[at] = __atomic_add_fetch(&dealt->clock, 1, __ATOMIC_SEQ_CST);
    dealt->thread[at] = pthread_self();
    /* Long enough for others to take part. */
    for (volatile int rounds = 1000; rounds > 0; rounds = rounds - 1) {
    }
    return 0;
}

/* Each block of `chunk` iterations is run by one thread, in order. */
static bool blocks_are_whole(const dealt_t *dealt, int64_t extent, int64_t chunk) {
    for (int64_t i = 1; i < extent; i++) {
        if (i % chunk != 0
            && (!pthread_equal(dealt->thread[i], dealt->thread[i - 1])
                || dealt->order[i] <= dealt->order[i - 1])) {
            return false;
        }
    }
    return true;
}

/* Blocks that lie `threads` blocks apart are run by one thread, in order. */
static bool shares_are_whole(const dealt_t *dealt, int64_t extent, int64_t chunk) {
    int64_t stride = chunk * halidom_threads();
    for (int64_t i = stride; i < extent; i++) {
        if (!pthread_equal(dealt->thread[i], dealt->thread[i - stride])
            || dealt->order[i] <= dealt->order[i - stride]) {
            return false;
        }
    }
    return true;
}

static void test_dealt_sizes(void) {
    static dealt_t dealt;
    int64_t extents[] = {0, 1, 2, 3, 5, 7, 64, 1000, DEALT};
    uint32_t chunks[] = {0, 1, 2, 4, 63, 1000, INT32_MAX};
    for (size_t e = 0; e < sizeof extents / sizeof *extents; e++) {
        for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++) {
            int64_t extent = extents[e], min = e % 2 == 0 ? -5 : INT64_MAX - DEALT;
            int64_t threads = halidom_threads();
            memset(&dealt, 0, sizeof dealt);
            dealt.min = min;
            EXPECT(halidom_parallel_for_static(note_run, &dealt, min, extent, chunks[c]) == 0);
            EXPECT(each_once(dealt.runs, extent));
            int64_t block = chunks[c] > 0 ? chunks[c] : (extent + threads - 1) / threads;
            if (extent > 0) {
                EXPECT(blocks_are_whole(&dealt, extent, block));
                EXPECT(shares_are_whole(&dealt, extent, block));
            }

            memset(&dealt, 0, sizeof dealt);
            dealt.min = min;
            EXPECT(halidom_parallel_for_dynamic(note_run, &dealt, min, extent, chunks[c]) == 0);
            EXPECT(each_once(dealt.runs, extent));
            EXPECT(blocks_are_whole(&dealt, extent, chunks[c] > 0 ? chunks[c] : 1));
        }
    }
    EXPECT(halidom_parallel_for_static(note_run, NULL, 5, -3, 2) == 0);
    EXPECT(halidom_parallel_for_dynamic(note_run, NULL, 5, -3, 2) == 0);
}

/* A loop of each kind within one of each kind, and callers that share the pool. */
static const struct {
    dealt_for_t *start;
    uint32_t chunk;
} DEALS[] = {
    {halidom_parallel_for_static, 0},
    {halidom_parallel_for_static, 2},
    {halidom_parallel_for_dynamic, 1},
    {halidom_parallel_for_dynamic, 3},
};

enum { DEAL_KINDS = sizeof DEALS / sizeof *DEALS };

typedef struct {
    nest_t *nest;
    int64_t base;
    int kind;
} dealt_level_t;

static int dealt_inner(void *closure, int64_t k) {
    dealt_level_t *level = closure;
    __atomic_fetch_add(&level->nest->runs[level->base * INNER + k], 1, __ATOMIC_RELAXED);
    return 0;
}

static int dealt_middle(void *closure, int64_t j) {
    dealt_level_t *level = closure;
    dealt_level_t below = {level->nest, level->base * MIDDLE + j, level->kind};
    int kind = (int)((level->kind + j) % DEAL_KINDS);
    return DEALS[kind].start(dealt_inner, &below, 0, INNER, DEALS[kind].chunk);
}

static int dealt_outer(void *closure, int64_t i) {
    dealt_level_t *level = closure;
    dealt_level_t below = {level->nest, i, level->kind};
    int kind = (int)((level->kind + i) % (DEAL_KINDS + 1));
    return kind == DEAL_KINDS
               ? halidom_parallel_for(dealt_middle, &below, 0, MIDDLE)
               : DEALS[kind].start(dealt_middle, &below, 0, MIDDLE, DEALS[kind].chunk);
}

static void *nest_dealt(void *unused) {
    (void)unused;
    for (int repeat = 0; repeat < 40; repeat++) {
        nest_t nest;
        memset(&nest, 0, sizeof nest);
        int kind = repeat % DEAL_KINDS;
        dealt_level_t top = {&nest, 0, kind};
        EXPECT(DEALS[kind].start(dealt_outer, &top, 0, OUTER, DEALS[kind].chunk) == 0);
        EXPECT(each_once(nest.runs, OUTER * MIDDLE * INNER));
    }
    return NULL;
}

static void test_dealt_nested(void) {
    nest_dealt(NULL);
    pthread_t callers[3];
    for (int i = 0; i < 3; i++) {
        pthread_create(&callers[i], NULL, nest_dealt, NULL);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(callers[i], NULL);
    }
}

static void test_dealt_status(void) {
    for (int kind = 0; kind < DEAL_KINDS; kind++) {
        for (int64_t from = 0; from < 1000; from += 111) {
            EXPECT(DEALS[kind].start(fail_from, &from, 0, 1000, DEALS[kind].chunk) == 42);
        }
        int64_t at_once = 0;
        EXPECT(DEALS[kind].start(fail_from, &at_once, 0, INT64_MAX / 2, DEALS[kind].chunk) == 42);
    }
}

/* No thread waits for another that is held up in the same loop: the first two iterations meet. */
typedef struct {
    int missing;
    pthread_t thread[2];
} meeting_t;

static int meet_other(void *closure, int64_t index) {
    meeting_t *meeting = closure;
    if (index < 2) {
        meeting->thread[index] = pthread_self();
        __atomic_fetch_sub(&meeting->missing, 1, __ATOMIC_ACQ_REL);
        while (__atomic_load_n(&meeting->missing, __ATOMIC_ACQUIRE) > 0) {
        }
    }
    return 0;
}

/* Both ways, two threads take part. */
static void test_dealt_to_two(void) {
    if (halidom_threads() < 2) {
        return;
    }
    dealt_for_t *starts[] = {halidom_parallel_for_static, halidom_parallel_for_dynamic};
    for (int repeat = 0; repeat < 20; repeat++) {
        for (int s = 0; s < 2; s++) {
            meeting_t meeting = {2, {pthread_self(), pthread_self()}};
            EXPECT(starts[s](meet_other, &meeting, 0, 20, 1) == 0);
            EXPECT(!pthread_equal(meeting.thread[0], meeting.thread[1]));
        }
    }
}

static void test_forks(int forks) {
    int64_t rows[2][ROWS];
    memset(rows, 0, sizeof rows);
    for (int fork = 0; fork < forks; fork++) {
        EXPECT(halidom_parallel_for(next_row, rows, 0, ROWS) == 0);
        memcpy(rows[0], rows[1], sizeof rows[0]);
    }
    for (int i = 0; i < ROWS; i++) {
        EXPECT(rows[0][i] == forks);
    }
}

static void test_status(void) {
    for (int64_t from = 0; from < 1000; from += 111) {
        EXPECT(halidom_parallel_for(fail_from, &from, 0, 1000) == 42);
    }
    int64_t never = 1000;
    EXPECT(halidom_parallel_for(fail_from, &never, 0, 1000) == 0);
    /* Nearly 2^62 iterations: the status must stop them. */
    int64_t at_once = 0;
    EXPECT(halidom_parallel_for(fail_from, &at_once, 0, INT64_MAX / 2) == 42);
}

static void *call_from_outside(void *unused) {
    (void)unused;
    for (int repeat = 0; repeat < 200; repeat++) {
        expect_each_once(repeat, 200, 0);
    }
    return NULL;
}

static void test_concurrent_callers(void) {
    pthread_t callers[4];
    for (int i = 0; i < 4; i++) {
        pthread_create(&callers[i], NULL, call_from_outside, NULL);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(callers[i], NULL);
    }
}

static void test_set_threads(void) {
    int before = halidom_threads();
    int counts[] = {1, 8, 2, 5, 1, 3, 300, 2};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        halidom_set_threads(counts[i]);
        EXPECT(halidom_threads() == (counts[i] > 256 ? 256 : counts[i]));
        expect_each_once(0, 1000, 0);
    }
    halidom_set_threads(before);
}

typedef int parallel_for_t(int (*body)(void *, int64_t), void *closure, int64_t min,
                           int64_t extent);

/* The library's workers must be gone before its code is. */
static void test_unload(const char *path) {
    for (int repeat = 0; repeat < 50; repeat++) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        EXPECT(library != NULL);
        if (library == NULL) {
            return;
        }
        parallel_for_t *parallel_for;
        void *symbol = dlsym(library, "halidom_parallel_for");
        memcpy(&parallel_for, &symbol, sizeof symbol);
        EXPECT(parallel_for != halidom_parallel_for);
        uint32_t runs[100] = {0};
        counted_t counted = {0, runs, 0};
        EXPECT(parallel_for(count_run, &counted, 0, 100) == 0);
        EXPECT(each_once(runs, 100));
        EXPECT(dlclose(library) == 0);
    }
}

/* The child begins without workers. ThreadSanitizer cannot follow a fork. */
static void test_fork(void) {
#ifndef __SANITIZE_THREAD__
    expect_each_once(0, 100, 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        failures = 0;
        expect_each_once(0, 1000, 0);
        exit(failures > 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
#endif
}

static void test_alloc(void) {
    for (size_t bytes = 0; bytes < 5000; bytes += 37) {
        unsigned char *memory = halidom_alloc(bytes);
        EXPECT(memory != NULL && (uintptr_t)memory % 64 == 0);
        memset(memory, 0xAB, bytes);
        halidom_free(memory);
    }
    size_t large = ((size_t)9 << 20) + 123;
    unsigned char *memory = halidom_alloc(large);
    EXPECT(memory != NULL && (uintptr_t)memory % 64 == 0);
    memory[0] = memory[large - 1] = 1;
    halidom_free(memory);
    EXPECT(halidom_alloc(SIZE_MAX) == NULL);
    EXPECT(halidom_alloc(SIZE_MAX / 2) == NULL);
    halidom_free(NULL);
}

static int use_memory(void *closure, int64_t index) {
    (void)closure;
    unsigned char *all[3];
    size_t bytes = 20000 + (size_t)(index % 7) * 5000;
    for (int i = 0; i < 3; i++) {
        all[i] = halidom_alloc(bytes);
        if (all[i] == NULL || (uintptr_t)all[i] % 64 != 0) {
            return 1;
        }
        memset(all[i], (int)(index * 3 + i), bytes);
    }
    for (int i = 0; i < 3; i++) {
        for (size_t at = 0; at < bytes; at++) {
            if (all[i][at] != (unsigned char)(index * 3 + i)) {
                return 1;
            }
        }
        halidom_free(all[i]);
    }
    return 0;
}

static void test_kept_memory(void) {
    /* Every size within its class, at the ends of the classes and of the kept sizes. */
    for (int shift = 13; shift < 28; shift++) {
        for (size_t part = 4; part < 8; part++) {
            for (size_t past = 0; past < 3; past++) {
                size_t bytes = (part << (shift - 2)) + past - 1;
                for (int again = 0; again < 2; again++) {
                    unsigned char *memory = halidom_alloc(bytes);
                    EXPECT(memory != NULL && (uintptr_t)memory % 64 == 0);
                    memory[0] = memory[bytes - 1] = 1;
                    halidom_free(memory);
                }
            }
        }
    }
    size_t before = halidom_keep_memory((size_t)1 << 20);
#if !defined(__SANITIZE_ADDRESS__)
    /* A block comes back for a size of its class, but not for one of another class. */
    char *first = halidom_alloc(100000);
    halidom_free(first);
    EXPECT(halidom_alloc(99000) == first);
    char *other = halidom_alloc(99000);
    EXPECT(other != first);
    halidom_free(first);
    char *small = halidom_alloc(50000);
    EXPECT(small != first);
    halidom_free(small);
    halidom_free(other);
#endif
    EXPECT(halidom_parallel_for(use_memory, NULL, 0, 20000) == 0);
    EXPECT(halidom_keep_memory(0) == (size_t)1 << 20);
    EXPECT(halidom_parallel_for(use_memory, NULL, 0, 2000) == 0);
    EXPECT(halidom_keep_memory(before) == 0);
}

static void test_bytes(void) {
    EXPECT(halidom_bytes(8, 0) == 0 && halidom_bytes(8, -3) == 0);
    EXPECT(halidom_bytes(halidom_bytes(2, 5), 7) == 70);
    EXPECT(halidom_bytes(halidom_bytes(8, -3), INT64_MAX) == 0);
    /* 2^61 elements of 8 bytes are 2^64 bytes, which would wrap to none. */
    EXPECT(halidom_bytes(8, (int64_t)1 << 61) == SIZE_MAX);
    size_t many = halidom_bytes(halidom_bytes(1, (int64_t)1 << 40), (int64_t)1 << 40);
    EXPECT(halidom_bytes(many, 3) == SIZE_MAX);
    EXPECT(halidom_alloc(halidom_bytes(8, (int64_t)1 << 61)) == NULL);
}

static int fail_with_index(void *closure, int64_t index) {
    int64_t values[2] = {index, -index};
    return halidom_fail(closure, (int32_t)index, 2, values);
}

static void test_failure(void) {
    halidom_failure failure = {0, 0, {0}};
    int64_t values[] = {1, 2, 3, 4, 5, INT64_MIN};
    EXPECT(halidom_fail(&failure, 7, 6, values) == HALIDOM_CHECK_FAILED);
    EXPECT(halidom_fail(&failure, 8, 0, NULL) == HALIDOM_CHECK_FAILED);
    EXPECT(failure.check == 7 && failure.values[0] == 1 && failure.values[5] == INT64_MIN);
    EXPECT(halidom_fail(NULL, 1, 1, values) == HALIDOM_CHECK_FAILED);

    /* Of many at once, one is recorded, whole. */
    halidom_failure one = {0, 0, {0}};
    EXPECT(halidom_parallel_for(fail_with_index, &one, 1, 100) == HALIDOM_CHECK_FAILED);
    EXPECT(one.claimed == 1 && one.values[0] == one.check && one.values[1] == -one.check);
}

/* ---- Time ---- */

static int nothing(void *closure, int64_t index) {
    (void)closure;
    (void)index;
    return 0;
}

/* Returns once all threads are in such a body, so that none can be left out. */
static int meet(void *closure, int64_t index) {
    (void)index;
    int *missing = closure;
    __atomic_fetch_sub(missing, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(missing, __ATOMIC_ACQUIRE) > 0) {
    }
    return 0;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

/* Prints the microseconds that a loop of as many iterations as threads takes. */
static void print_time(const char *what, bool meeting) {
    enum { SAMPLES = 20001 };
    static double samples[SAMPLES];
    int threads = halidom_threads();
    for (int s = 0; s < SAMPLES; s++) {
        int missing = threads;
        double start = now();
        halidom_parallel_for(meeting ? meet : nothing, &missing, 0, threads);
        samples[s] = now() - start;
    }
    qsort(samples, SAMPLES, sizeof *samples, compare);
    printf("%d threads, %s: %.2f us median, %.2f to %.2f (10th to 90th percentile)\n", threads,
           what, samples[SAMPLES / 2], samples[SAMPLES / 10], samples[SAMPLES / 10 * 9]);
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "time") == 0) {
        print_time("empty", false);
        print_time("each takes part", true);
        return 0;
    }
    if (argc != 3) {
        fprintf(stderr, "usage: runtime_test FORKS LIBRARY | runtime_test time\n");
        return 2;
    }
    test_sizes();
    test_uneven();
    test_nested();
    test_dealt_sizes();
    test_dealt_nested();
    test_dealt_status();
    test_dealt_to_two();
    test_forks(atoi(argv[1]));
    test_status();
    test_concurrent_callers();
    test_set_threads();
    test_unload(argv[2]);
    test_fork();
    test_alloc();
    test_kept_memory();
    test_bytes();
    test_failure();
    return failures > 0;
}
