/* Measures the machine's limits, with the number of threads that the argument gives: bytes copied
 * per second, counting both reads and writes, with stores through the caches or past them,
 * whichever is faster; and sums and products of f32 per second, fused if the machine can. The best
 * of some tries counts. Prints JSON. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef __has_builtin
#define __has_builtin(name) 0
#endif

#if defined(__AVX512F__)
enum { WIDTH = 64 };
#elif defined(__AVX__)
enum { WIDTH = 32 };
#else
enum { WIDTH = 16 };
#endif

typedef float vector __attribute__((vector_size(WIDTH)));

enum { MOST_THREADS = 256, TRIES = 7, LANES = WIDTH / sizeof(float) };
/* The bytes of a block: more than the caches hold. */
static const size_t BLOCK = (size_t)96 << 20;
static const long STEPS = 2000000;
/* Enough chains to hide the latency of one operation, and few enough for the registers. */
#define EACH(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11)
enum { CHAINS = 12 };

typedef struct {
    pthread_t id;
    char *from, *to;
    float sum;
} thread;

static double now(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static void *copy(void *argument) {
    thread *own = argument;
    memcpy(own->to, own->from, BLOCK);
    return NULL;
}

static void *copy_past_caches(void *argument) {
    thread *own = argument;
    const vector *from = (const vector *)own->from;
    vector *to = (vector *)own->to;
    for (size_t i = 0; i < BLOCK / WIDTH; i++) {
#if __has_builtin(__builtin_nontemporal_store)
        __builtin_nontemporal_store(from[i], &to[i]);
#elif defined(__AVX512F__)
        typedef long long whole __attribute__((vector_size(64)));
        __builtin_ia32_movntdq512((whole *)&to[i], (whole)from[i]);
#else
        to[i] = from[i];
#endif
    }
    return NULL;
}

static void *multiply(void *argument) {
    thread *own = argument;
    vector factor = {0}, term = {0};
    /* The values stay near one. */
    factor += 0.999f;
    term += 0.001f;
#define BEGIN(N) vector sum##N = term * N;
    EACH(BEGIN)
    for (long step = 0; step < STEPS; step++) {
#define STEP(N) sum##N = sum##N * factor + term;
        EACH(STEP)
    }
    vector all = {0};
#define END(N) all += sum##N;
    EACH(END)
    own->sum = all[0];
    return NULL;
}

static double least(thread *threads, int count, void *(*work)(void *)) {
    double best = 1e30;
    for (int number = 0; number < TRIES; number++) {
        double begin = now();
        for (int i = 0; i < count; i++) {
            if (pthread_create(&threads[i].id, NULL, work, &threads[i])) exit(2);
        }
        for (int i = 0; i < count; i++) pthread_join(threads[i].id, NULL);
        double took = now() - begin;
        if (took < best) best = took;
    }
    return best;
}

int main(int arguments, char **words) {
    static thread threads[MOST_THREADS];
    int count = arguments > 1 ? atoi(words[1]) : 1;
    if (count < 1 || count > MOST_THREADS) return 2;
    for (int i = 0; i < count; i++) {
        threads[i].from = aligned_alloc(64, BLOCK);
        threads[i].to = aligned_alloc(64, BLOCK);
        if (!threads[i].from || !threads[i].to) return 2;
        memset(threads[i].from, 1, BLOCK);
        memset(threads[i].to, 2, BLOCK);
    }
    double through = least(threads, count, copy), past = least(threads, count, copy_past_caches);
    double copied = through < past ? through : past;
    double multiplied = least(threads, count, multiply);
    float sum = 0;
    for (int i = 0; i < count; i++) sum += threads[i].sum;
    printf("{\"bytes\": %.6e, \"flops\": %.6e, \"sum\": %.1f}\n",
           2.0 * (double)BLOCK * count / copied,
           2.0 * (double)STEPS * CHAINS * LANES * count / multiplied, (double)sum);
    return 0;
}
