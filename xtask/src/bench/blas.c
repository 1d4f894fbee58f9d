/* Multiplies 1024 by 1024 matrices with the compiled pipeline and with OpenBLAS in turn, in one
 * process, on one thread. Prints as JSON the medians in milliseconds, the greatest distance between
 * the results, and OpenBLAS's name for its kernels. */
#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sgemm1024.h"

enum { SIZE = 1024, COUNT = SIZE * SIZE, ROUNDS = 40 };

static const float ALPHA = 0.75f, BETA = 0.5f;

static double now(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return 1e3 * (double)at.tv_sec + 1e-6 * (double)at.tv_nsec;
}

static float *matrix(void) {
    float *elements = aligned_alloc(64, COUNT * sizeof(float));
    if (!elements) exit(2);
    for (int i = 0; i < COUNT; i++) elements[i] = (float)rand() / (float)RAND_MAX - 0.5f;
    return elements;
}

static halidom_buffer_t buffer(float *elements, halidom_dimension_t dims[2]) {
    dims[0] = (halidom_dimension_t){0, SIZE, 1, 0};
    dims[1] = (halidom_dimension_t){0, SIZE, SIZE, 0};
    halidom_buffer_t made = {0};
    made.host = (uint8_t *)elements;
    made.type = (halidom_type_t){HALIDOM_TYPE_FLOAT, 32, 1};
    made.dimensions = 2;
    made.dim = dims;
    return made;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double times[ROUNDS]) {
    qsort(times, ROUNDS, sizeof *times, ascending);
    return (times[ROUNDS / 2 - 1] + times[ROUNDS / 2]) / 2;
}

int main(void) {
    float *a = matrix(), *b = matrix(), *c = matrix(), *own = matrix(), *other = matrix();
    halidom_dimension_t dims[4][2];
    halidom_buffer_t A = buffer(a, dims[0]), B = buffer(b, dims[1]);
    halidom_buffer_t C = buffer(c, dims[2]), result = buffer(own, dims[3]);
    double times[2][ROUNDS], distance = 0;
    openblas_set_num_threads(1);
    halidom_set_threads(1);
    for (int round = -3; round < ROUNDS; round++) {
        for (int turn = 0; turn < 2; turn++) {
            int which = (round + turn) & 1;
            /* OpenBLAS overwrites C, so it gets a copy. */
            if (which) memcpy(other, c, COUNT * sizeof(float));
            double begin = now();
            if (which) {
                cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, SIZE, SIZE, SIZE, ALPHA, a,
                            SIZE, b, SIZE, BETA, other, SIZE);
            } else if (sgemm1024(ALPHA, &A, &B, BETA, &C, &result)) {
                return 1;
            }
            if (round >= 0) times[which][round] = now() - begin;
        }
    }
    for (int i = 0; i < COUNT; i++) distance = fmax(distance, fabsf(own[i] - other[i]));
    printf("{\"halidom\": %.4f, \"openblas\": %.4f, \"distance\": %.2e, \"kernels\": \"%s\"}\n",
           median(times[0]), median(times[1]), distance, openblas_get_corename());
    return 0;
}
