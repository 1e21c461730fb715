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
    OP_CROSS_SUMS,
    OP_EXPAND,
    OP_MAP,
    OP_GATHER,
    OP_MUL,
    OP_POTRF,
    OP_POTRS,
    OP_POTRI,
    OP_INVERSE_DIAGONAL,
    OP_RIDGE_QR,
    OP_GEMM,
    OP_SYRK,
    OP_ENTRIES,
    OP_CENTRE,
    OP_SUMS,
    OP_TRSM,
    OP_GETRF,
    OP_GETRS,
    OP_EIGEN,
    OP_RANK,
    OP_SPMM,
    OP_NEAREST,
    OP_COUNT
} la_op;
_Static_assert((int)OP_COUNT <= (int)CONTEXT_COUNTERS, "a slot for every operation");

/* Loops compiled once more for wide vectors, and whether the processor has them. GCC uses half of a register of 512
 * bits unless told. Without contraction (CMakeLists.txt) such a loop has the bits of the plain one. */
#if defined(__x86_64__) && defined(__GNUC__)
#define WIDE_256 __attribute__((target("avx2,fma")))
#if defined(__clang__)
#define WIDE_512 __attribute__((target("avx512f,avx512dq,avx512vl,fma")))
#else
#define WIDE_512 __attribute__((target("avx512f,avx512dq,avx512vl,fma,prefer-vector-width=512")))
#endif
static inline bool has_256(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
static inline bool has_512(void) { return __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"); }
#endif

double op_start(void);
void op_done(rung_ctx *ctx, la_op op, double flops, double started);

/* The side of a square tile for an n x n factorisation: a function of n alone, so that bits do not depend on the
 * threads. Large enough for BLAS-3 speed, small enough that two threads both have work. */
int64_t tile_side(int64_t n);

/* While the library is loaded, see processor.c. */
void la_choose_kernels(void);

/* A dimension as a BLAS int; matrices with more than 2^31 - 1 rows are rejected when created. */
static inline int blas_int(int64_t n) { return (int)n; }

/* Work on fewer entries than this takes less time than waking another thread; the second limit is for a chain of many
 * such steps, each of which waits for the slowest thread. */
enum { WORTH_SHARING = 100000, WORTH_WAKING = 1000000 };

/* Tile t of the lower half, counted row by row: t = i (i+1)/2 + j. The root is exact where 8 t + 1 is a square, and far
 * enough from a whole number elsewhere. */
void lower_tile(int64_t t, int64_t *i, int64_t *j);
/* The side of a tile of a product of m x n: smaller where there would be too few tiles to share. */
int64_t product_tile(int64_t m, int64_t n);

/* Copies what the tile (rows i0.., columns j0..) holds below the diagonal to its mirror image above it. */
void mirror_tile(la_mat *K, int64_t i0, int64_t rows, int64_t j0, int64_t cols);

/* B := op(T)^-1 B with a triangle of the leading n x n block of T: in tile rows for a thin B, in strips of columns for
 * a wide one. */
typedef struct {
    const la_mat *T;
    int64_t n;
    bool lower, transposed, unit;
} triangle;
void triangle_solve(rung_ctx *ctx, const triangle *t, int64_t k, double *B, int64_t ldb);

/* The query of la_nearest, and the two algorithms: products of blocks, or a tree in few dimensions. Both give the same
 * result. */
typedef struct {
    const la_mat *X, *Z;
    const int64_t *self;
    const la_pair_factor *factor;
    int64_t k;
    int64_t *index;
    double *d2;
} nearest_query;
rung_status nearest_by_blocks(rung_ctx *ctx, const nearest_query *q);
rung_status nearest_by_tree(rung_ctx *ctx, const nearest_query *q); /* rows of X <= TREE_DIMENSIONS */
enum { TREE_DIMENSIONS = 8 };

/* A run of n columns of X (d x n, leading dimension d) against one column z: g holds their inner products and is
 * replaced by the map. nx and nz are the squared norms. */
typedef struct {
    int64_t d;
    const double *x, *z, *nx;
    double nz;
} map_pair;
void map_run(const la_map *map, int64_t n, const map_pair *pair, double *g);
void exp_scaled(int64_t n, double factor, const double *x, double *y); /* y = exp(factor x), as la_exp */
/* g = exp(-gamma |x_i - z|^2) - shift_i in single precision, from inner products g_i and squared norms. */
typedef struct {
    const float *nx, *shift;
    float nz, gamma;
} single_gauss;
void single_gauss_run(int64_t n, const single_gauss *k, float *g);
/* y_i = map of a squared distance. */
void map_distance_run(const la_map *map, int64_t n, const double *d2, double *y);
rung_status squared_norms(rung_ctx *ctx, const la_mat *X, double **out); /* of the columns; scratch memory */
bool map_uses_distance(const la_map *map);
double map_diagonal(const la_map *map, double dot); /* the value at distance 0, exactly */

#endif
