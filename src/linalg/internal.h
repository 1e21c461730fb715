// SPDX-License-Identifier: BSD-3-Clause
/* What the files of linalg share: the matrix itself, tiles, counters. Included nowhere else. */
#ifndef RUNG_LINALG_INTERNAL_H
#define RUNG_LINALG_INTERNAL_H

#include "linalg/la.h"

struct la_mat {
    int64_t rows, cols;
    double *v; /* column-major, leading dimension max(rows, 1), 64-byte aligned */
};

static inline int64_t la_ld(const la_mat *A) { return A->rows > 0 ? A->rows : 1; }
static inline double *la_at(const la_mat *A, int64_t i, int64_t j) { return A->v + i + j * la_ld(A); }
static inline int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }

typedef enum {
    OP_GRAM,
    OP_CROSS,
    OP_EXPAND,
    OP_MAP,
    OP_GATHER,
    OP_MUL,
    OP_POTRF,
    OP_POTRS,
    OP_POTRI,
    OP_RIDGE_QR,
    OP_COUNT
} la_op;
_Static_assert((int)OP_COUNT <= (int)CONTEXT_COUNTERS, "a slot for every operation");

double op_start(void);
void op_done(rung_ctx *ctx, la_op op, double flops, double started);

/* The side of a square tile for an n x n factorisation: a function of n alone, so that bits do not depend on the
 * threads. Large enough for BLAS-3 speed, small enough that two threads both have work. */
int64_t tile_side(int64_t n);

/* A dimension as BLAS takes it; matrices beyond 2^31 - 1 rows are refused when they are made. */
static inline int blas_int(int64_t n) { return (int)n; }

/* A run of n columns of X (d x n, leading dimension d) against one column z: g holds their inner products and is
 * replaced by the map. nx and nz are the squared norms. */
typedef struct {
    int64_t d;
    const double *x, *z, *nx;
    double nz;
} map_pair;
void map_run(const la_map *map, int64_t n, const map_pair *pair, double *g);
/* y_i = map of a squared distance. */
void map_distance_run(const la_map *map, int64_t n, const double *d2, double *y);
bool map_uses_distance(const la_map *map);
double map_diagonal(const la_map *map, double dot); /* the value at distance 0, exactly */

#endif
