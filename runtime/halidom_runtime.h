/* The runtime of compiled Halidom pipelines: buffers, memory, failed checks, parallel loops.
 *
 * Generated C includes this header and nothing else of Halidom's. `halidom_runtime.c` is compiled
 * beside it, as a translation unit of its own, and put into every library that
 * Halidom builds; it needs only a C11 compiler with GNU extensions and POSIX threads. Its symbols
 * are weak, so that several pipelines linked into one program share one runtime.
 */
#ifndef HALIDOM_RUNTIME_H
#define HALIDOM_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The statuses that a compiled pipeline and the body of a parallel loop return. */
enum {
    HALIDOM_OK = 0,
    HALIDOM_CHECK_FAILED = 1,  /* a check at entry did not hold: see halidom_failure */
    HALIDOM_OUT_OF_MEMORY = 2, /* halidom_alloc gave NULL */
    /* a halidom_buffer_t of another type or rank, with its newest elements on a device, or of a
     * shape unlike that of the output's other components */
    HALIDOM_BAD_BUFFER = 3,
};

/* ---- Buffers: the layout of Halide's halide_buffer_t, field for field ---- */

enum { HALIDOM_TYPE_INT = 0, HALIDOM_TYPE_UINT = 1, HALIDOM_TYPE_FLOAT = 2 };

typedef struct halidom_type_t {
    uint8_t code; /* HALIDOM_TYPE_* ; a bool is a UINT of 1 bit */
    uint8_t bits;
    uint16_t lanes;
} halidom_type_t;

typedef struct halidom_dimension_t {
    int32_t min;    /* the least coordinate */
    int32_t extent; /* how many coordinates */
    int32_t stride; /* elements between neighbours, not bytes */
    uint32_t flags;
} halidom_dimension_t;

typedef struct halidom_buffer_t {
    uint64_t device;
    const void *device_interface;
    uint8_t *host; /* the element whose coordinates are all minimal */
    uint64_t flags;
    halidom_type_t type;
    int32_t dimensions;
    halidom_dimension_t *dim;
    void *padding;
} halidom_buffer_t;

/* ---- Failed checks ---- */

enum { HALIDOM_FAILURE_VALUES = 6 };

/* Which check failed, as an index into the pipeline's table of checks, and the values that its
 * message shows. The caller zeroes it before the call. */
typedef struct halidom_failure {
    int32_t check;
    int32_t claimed; /* 1 once a failure is recorded */
    int64_t values[HALIDOM_FAILURE_VALUES];
} halidom_failure;

/* Records a failed check and returns HALIDOM_CHECK_FAILED. Of several failures, on any threads, the
 * first is kept. `failure` may be NULL; `count` is at most HALIDOM_FAILURE_VALUES. */
int halidom_fail(halidom_failure *failure, int32_t check, int count, const int64_t *values);

/* ---- Memory ---- */

/* The bytes of `extent` blocks of `bytes` each: 0 if there are no blocks, and SIZE_MAX if the bytes
 * are more than SIZE_MAX, which halidom_alloc does not have. */
size_t halidom_bytes(size_t bytes, int64_t extent);

/* `bytes` of memory at a multiple of 64, or NULL. At first it holds any bytes: over-computed
 * regions may be read before they are written, and the values that are read then decide nothing.
 * Every element type takes every pattern of bits, and the compiler of the caller does not see that
 * nobody wrote them, so that such a read gives some value and is not C's undefined behaviour. */
void *halidom_alloc(size_t bytes);

/* Takes what halidom_alloc gave, or NULL. */
void halidom_free(void *memory);

/* Memory that was freed is kept for the next allocation of about its size, up to so many bytes in
 * all: 64 MiB at first. Sets that limit, gives the kept memory back to the system, and returns the
 * limit that held before. */
size_t halidom_keep_memory(size_t bytes);

/* Frees what a pointer variable holds. */
static inline void halidom_release(void **variable) { halidom_free(*variable); }

/* Stands before the declaration of a `void *` that halidom_alloc gives its value: the memory is
 * freed when the variable goes out of scope, whichever way. */
#define HALIDOM_OWNING __attribute__((cleanup(halidom_release)))

/* Asks for the memory around an element, of so many bytes, that is read soon. Elements are counted
 * modulo 2^64, and may lie anywhere: the address is computed as a number, and nothing is read. */
static inline void halidom_prefetch(const void *memory, uint64_t index, uint64_t bytes) {
    __builtin_prefetch((const void *)((uintptr_t)memory + (uintptr_t)(index * bytes)));
}

/* After stores past the caches: any thread sees the values written before those written next. */
static inline void halidom_publish(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_sfence();
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/* ---- Parallel loops ---- */

/* Calls body(closure, i) once for each i in [min, min + extent), in any order, on any threads, the
 * calling one among them; returns after all calls have returned. Bodies may start parallel loops.
 * If a body returns non-zero, iterations not yet started are dropped, and the first such status is
 * returned; otherwise 0. A non-positive extent does nothing. */
int halidom_parallel_for(int (*body)(void *closure, int64_t index), void *closure, int64_t min,
                         int64_t extent);

/* The same, dealt otherwise. */

/* Each thread's share is fixed at the start: a contiguous one of extent / threads iterations where
 * `chunk` is 0, else blocks of `chunk` iterations dealt in turn. A share is run by one thread, in
 * order; nobody takes a part of it. The share of a thread that has not come by the time the caller
 * has done with its own is run by the caller. */
int halidom_parallel_for_static(int (*body)(void *closure, int64_t index), void *closure,
                                int64_t min, int64_t extent, uint32_t chunk);

/* Each thread takes the next `chunk` iterations, at least 1, whenever it has done with its last. */
int halidom_parallel_for_dynamic(int (*body)(void *closure, int64_t index), void *closure,
                                 int64_t min, int64_t extent, uint32_t chunk);

/* How many threads a parallel loop may use, the caller counted. At first this is the value of the
 * environment variable HALIDOM_THREADS or, where that is unset or no positive number, the number of
 * processors that the process may run on. */
int halidom_threads(void);

/* Sets that number for the loops started hereafter, within [1, 256]; 0 restores the default. */
void halidom_set_threads(int count);

/* ---- Functions that IEEE 754 leaves open: the same bits on every machine ---- */

double halidom_exp(double x) __attribute__((const));
double halidom_log(double x) __attribute__((const));
double halidom_sin(double x) __attribute__((const));
double halidom_cos(double x) __attribute__((const));
double halidom_tan(double x) __attribute__((const));
double halidom_atan(double x) __attribute__((const));
float halidom_expf(float x) __attribute__((const));
float halidom_logf(float x) __attribute__((const));
float halidom_sinf(float x) __attribute__((const));
float halidom_cosf(float x) __attribute__((const));
float halidom_tanf(float x) __attribute__((const));
float halidom_atanf(float x) __attribute__((const));

#ifdef __cplusplus
}
#endif

#endif
