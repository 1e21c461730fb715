// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/tall.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "linalg/internal.h"

struct la_tall {
    pool *mem;
    int64_t rows, cols, room;
    double *v; /* column-major */
};

enum {
    CHUNK = 256,     /* rows at a time: a chunk of some hundred columns stays in the second-level cache */
    SLICES = 16,     /* partial sums, at most; each is made by one thread */
    WIDE = 512,      /* above this number of columns partial sums would need more memory than the matrix */
    SIDE = 8,        /* columns whose entries of a row lie side by side for sums by group ... */
    FEW_GROUPS = 32, /* ... if there are more groups than these */
    MORE = 16        /* columns a matrix grows by */
};

/* ---- slices of rows ---- */

/* Shorter work takes less time than waking another thread, or waiting for one if all cores are busy. */
static bool worth_sharing(int64_t rows, int64_t flops) { return rows * flops > 1000000; }

static int64_t slices_of(int64_t rows)
{
    int64_t chunks = (rows + CHUNK - 1) / CHUNK;
    return chunks < 1 ? 1 : min64(chunks, SLICES);
}
static int64_t slice_begin(int64_t rows, int64_t slices, int64_t s)
{
    int64_t chunks = (rows + CHUNK - 1) / CHUNK;
    return min64(chunks * s / slices * CHUNK, rows);
}

static void add_up(int64_t slices, int64_t size, const double *part, double *sum)
{
    memcpy(sum, part, (size_t)size * sizeof *sum);
    for (int64_t s = 1; s < slices; s++)
        for (int64_t i = 0; i < size; i++) sum[i] += part[s * size + i];
}

/* ---- columns ---- */

rung_status la_tall_new(rung_ctx *ctx, pool *mem, int64_t rows, la_tall **out)
{
    *out = NULL;
    la_tall *T = NULL;
    TRY(NEW(ctx, mem, T, 1));
    *T = (la_tall){.mem = mem, .rows = rows};
    TRY(NEW_RAW(ctx, mem, T->v, 0));
    *out = T;
    return RUNG_OK;
}

int64_t la_tall_rows(const la_tall *T) { return T->rows; }
int64_t la_tall_cols(const la_tall *T) { return T->cols; }

static int tall_ld(const la_tall *T) { return blas_int(T->rows > 0 ? T->rows : 1); }

rung_status la_tall_append(rung_ctx *ctx, la_tall *T, const double *column)
{
    if (T->cols == T->room) {
        TRY(RESIZE(ctx, T->mem, T->v, (T->room + MORE) * T->rows));
        T->room += MORE;
    }
    memcpy(T->v + T->cols * T->rows, column, (size_t)T->rows * sizeof *column);
    T->cols++;
    return RUNG_OK;
}

void la_tall_remove(la_tall *T, int64_t j)
{
    size_t size = (size_t)((T->cols - j - 1) * T->rows) * sizeof *T->v;
    memmove(T->v + j * T->rows, T->v + (j + 1) * T->rows, size);
    T->cols--;
}

/* ---- products ---- */

rung_status la_tall_mul(rung_ctx *ctx, const la_tall *T, const double *x, double *y)
{
    double started = op_start();
    int64_t chunks = (T->rows + CHUNK - 1) / CHUNK;
    if (T->cols == 0) memset(y, 0, (size_t)T->rows * sizeof *y);
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (worth_sharing(T->rows, 2 * T->cols))
    for (int64_t c = 0; c < (T->cols ? chunks : 0); c++) {
        int64_t i = c * CHUNK;
        cblas_dgemv(CblasColMajor, CblasNoTrans, blas_int(min64(CHUNK, T->rows - i)), blas_int(T->cols), 1, T->v + i,
                    tall_ld(T), x, 1, 0, y + i, 1);
    }
    op_done(ctx, OP_MUL, 2.0 * (double)T->rows * (double)T->cols, started);
    return interrupted(ctx);
}

rung_status la_tall_sums(rung_ctx *ctx, const la_tall *T, int64_t k, const double *V, double *S)
{
    double started = op_start();
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t slices = slices_of(T->rows), size = T->cols * k;
    double *part = NULL;
    if (size == 0) return RUNG_OK;
    TRY(NEW_RAW(ctx, &ctx->scratch, part, slices * size));
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (worth_sharing(T->rows, 2 * size))
    for (int64_t s = 0; s < slices; s++) {
        int64_t i = slice_begin(T->rows, slices, s), rows = slice_begin(T->rows, slices, s + 1) - i;
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, blas_int(T->cols), blas_int(k), blas_int(rows), 1,
                    T->v + i, tall_ld(T), V + i, tall_ld(T), 0, part + s * size, blas_int(T->cols));
    }
    add_up(slices, size, part, S);
    pool_release(&ctx->scratch, mark);
    op_done(ctx, OP_MUL, 2.0 * (double)T->rows * (double)size, started);
    return interrupted(ctx);
}

typedef struct { /* the entries of V, two in a row */
    int columns;
    const int *group;
    const double *lower, *upper;
} group_entries;

/* Few groups: V in chunks, zeros and all. */
static rung_status few_group_sums(rung_ctx *ctx, const la_tall *T, const group_entries *V, double *S)
{
    int64_t slices = slices_of(T->rows), size = T->cols * V->columns;
    double *part = NULL, *room = NULL;
    TRY(NEW(ctx, &ctx->scratch, part, slices * size));
    TRY(NEW_RAW(ctx, &ctx->scratch, room, slices * CHUNK * V->columns));
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (worth_sharing(T->rows, 2 * size))
    for (int64_t s = 0; s < slices; s++) {
        int64_t end = slice_begin(T->rows, slices, s + 1);
        for (int64_t i = slice_begin(T->rows, slices, s); i < end; i += CHUNK) {
            int64_t rows = min64(CHUNK, end - i);
            double *some = room + s * CHUNK * V->columns;
            memset(some, 0, (size_t)(rows * V->columns) * sizeof *some);
            for (int64_t r = 0; r < rows; r++) {
                double *at = some + r + (V->group[i + r] - 1) * rows;
                at[0] = V->lower[i + r];
                at[rows] = V->upper[i + r];
            }
            cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, blas_int(T->cols), V->columns, blas_int(rows), 1,
                        T->v + i, tall_ld(T), some, blas_int(rows), 1, part + s * size, blas_int(T->cols));
        }
    }
    add_up(slices, size, part, S);
    return RUNG_OK;
}

/* Many groups: row by row, for some columns at a time, the entries of a row side by side. */
static rung_status many_group_sums(rung_ctx *ctx, const la_tall *T, const group_entries *V, double *S)
{
    int64_t blocks = (T->cols + SIDE - 1) / SIDE, size = (int64_t)SIDE * V->columns;
    double *sums = NULL;
    TRY(NEW(ctx, &ctx->scratch, sums, blocks * size));
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (worth_sharing(T->rows, 4 * T->cols))
    for (int64_t block = 0; block < blocks; block++) {
        int64_t j = block * SIDE, cols = min64(SIDE, T->cols - j);
        double *sum = sums + block * size, row[SIDE] = {0};
        for (int64_t i = 0; i < T->rows; i++) {
            double *to = sum + (int64_t)(V->group[i] - 1) * SIDE;
            for (int64_t c = 0; c < cols; c++) row[c] = T->v[i + (j + c) * T->rows];
            for (int64_t c = 0; c < SIDE; c++) {
                to[c] += V->lower[i] * row[c];
                to[c + SIDE] += V->upper[i] * row[c];
            }
        }
        for (int64_t g = 0; g < V->columns; g++) memcpy(S + j + g * T->cols, sum + g * SIDE, (size_t)cols * sizeof *S);
    }
    return RUNG_OK;
}

rung_status la_tall_group_sums(rung_ctx *ctx, const la_tall *T, int groups, const int *group, const double *lower,
                               const double *upper, double *S)
{
    double started = op_start();
    pool_mark mark = pool_here(&ctx->scratch);
    const group_entries V = {groups + 1, group, lower, upper};
    if (T->cols == 0) return RUNG_OK;
    TRY(groups <= FEW_GROUPS ? few_group_sums(ctx, T, &V, S) : many_group_sums(ctx, T, &V, S));
    pool_release(&ctx->scratch, mark);
    op_done(ctx, OP_MUL, 4.0 * (double)T->rows * (double)T->cols, started);
    return interrupted(ctx);
}

/* to = diag(root) times rows i.. of T. */
static void scaled_rows(const la_tall *T, int64_t i, int64_t rows, const double *root, double *to)
{
    for (int64_t j = 0; j < T->cols; j++) {
        const double *from = T->v + i + j * T->rows;
        for (int64_t r = 0; r < rows; r++) to[r + j * rows] = root[i + r] * from[r];
    }
}

static rung_status wide_gram(rung_ctx *ctx, const la_tall *T, const double *root, la_mat *G)
{
    la_mat *scaled = NULL;
    TRY(la_new(ctx, &ctx->scratch, T->rows, T->cols, &scaled));
    scaled_rows(T, 0, T->rows, root, scaled->v);
    return la_syrk(ctx, true, 1, scaled, 0, G);
}

static rung_status narrow_gram(rung_ctx *ctx, const la_tall *T, const double *root, la_mat *G)
{
    int64_t slices = slices_of(T->rows), m = T->cols, size = m * m;
    double *part = NULL, *room = NULL;
    TRY(NEW(ctx, &ctx->scratch, part, slices * size));
    TRY(NEW_RAW(ctx, &ctx->scratch, room, slices * CHUNK * m));
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (worth_sharing(T->rows, size))
    for (int64_t s = 0; s < slices; s++) {
        int64_t end = slice_begin(T->rows, slices, s + 1);
        for (int64_t i = slice_begin(T->rows, slices, s); i < end; i += CHUNK) {
            int64_t rows = min64(CHUNK, end - i);
            double *scaled = room + s * CHUNK * m;
            scaled_rows(T, i, rows, root, scaled);
            cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, blas_int(m), blas_int(rows), 1, scaled, blas_int(rows),
                        1, part + s * size, blas_int(m));
        }
    }
    add_up(slices, size, part, G->v);
    mirror_tile(G, 0, m, 0, m);
    return RUNG_OK;
}

rung_status la_tall_gram(rung_ctx *ctx, const la_tall *T, const double *h, la_mat *G)
{
    double started = op_start();
    pool_mark mark = pool_here(&ctx->scratch);
    double *root = NULL;
    if (T->cols == 0) return RUNG_OK;
    TRY(NEW_RAW(ctx, &ctx->scratch, root, T->rows));
    for (int64_t i = 0; i < T->rows; i++) root[i] = sqrt(h[i]);
    TRY(T->cols > WIDE ? wide_gram(ctx, T, root, G) : narrow_gram(ctx, T, root, G));
    pool_release(&ctx->scratch, mark);
    op_done(ctx, OP_SYRK, (double)T->rows * (double)T->cols * (double)T->cols, started);
    return interrupted(ctx);
}

/* ---- columns made when needed ---- */

rung_status la_basis_norms(rung_ctx *ctx, pool *mem, const la_mat *X, double **out)
{
    double *norm = NULL;
    TRY(NEW_RAW(ctx, mem, norm, X->cols));
    for (int64_t i = 0; i < X->cols; i++) {
        norm[i] = 0;
        for (int64_t j = 0; j < X->rows; j++) norm[i] += *la_at(X, j, i) * *la_at(X, j, i);
    }
    *out = norm;
    return RUNG_OK;
}

/* Rows i.. of the columns with these centres (d x m, gathered): `rows` of each, one column after the other. */
static void make_rows(const la_basis *basis, int64_t i, int64_t rows, int64_t m, const int64_t *which,
                      const double *centre, double *to)
{
    const la_mat *X = basis->X;
    for (int64_t j = 0; j < m && !basis->map; j++)
        for (int64_t r = 0; r < rows; r++) to[r + j * rows] = *la_at(X, which[j], i + r);
    if (!basis->map) return;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, blas_int(rows), blas_int(m), blas_int(X->rows), 1,
                la_at(X, 0, i), blas_int(la_ld(X)), centre, blas_int(la_ld(X)), 0, to, blas_int(rows));
    for (int64_t j = 0; j < m; j++) {
        map_pair pair = {X->rows, la_at(X, 0, i), centre + j * X->rows, basis->norm + i, basis->norm[which[j]]};
        map_run(basis->map, rows, &pair, to + j * rows);
    }
}

static rung_status gather_centres(rung_ctx *ctx, const la_basis *basis, int64_t m, const int64_t *which, double **out)
{
    double *centre = NULL;
    int64_t d = basis->X->rows;
    TRY(NEW_RAW(ctx, &ctx->scratch, centre, basis->map ? d * m : 0));
    for (int64_t j = 0; j < m && basis->map; j++)
        memcpy(centre + j * d, la_at(basis->X, 0, which[j]), (size_t)d * sizeof *centre);
    *out = centre;
    return RUNG_OK;
}

rung_status la_basis_column(rung_ctx *ctx, const la_basis *basis, int64_t j, double *column)
{
    double started = op_start();
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = basis->X->cols;
    double *centre = NULL;
    TRY(gather_centres(ctx, basis, 1, &j, &centre));
    for (int64_t i = 0; i < n; i += CHUNK) make_rows(basis, i, min64(CHUNK, n - i), 1, &j, centre, column + i);
    pool_release(&ctx->scratch, mark);
    op_done(ctx, OP_CROSS, (double)n * (2.0 * (double)basis->X->rows + 20), started);
    return interrupted(ctx);
}

typedef struct { /* of one slice */
    double *linear, *square, *cross;
    double *made, *weighted; /* CHUNK x m */
} products_room;

static void products_chunk(const la_tall *T, int64_t i, int64_t rows, int64_t m, const double *h, const double *v,
                           const products_room *room)
{
    for (int64_t j = 0; j < m; j++) {
        const double *b = room->made + j * rows;
        double *w = room->weighted + j * rows, linear = 0, square = 0;
        for (int64_t r = 0; r < rows; r++) w[r] = h[i + r] * b[r];
        linear = cblas_ddot(blas_int(rows), b, 1, v + i, 1);
        square = cblas_ddot(blas_int(rows), b, 1, w, 1);
        room->linear[j] += linear;
        room->square[j] += square;
    }
    if (T->cols > 0)
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, blas_int(T->cols), blas_int(m), blas_int(rows), 1,
                    T->v + i, tall_ld(T), room->weighted, blas_int(rows), 1, room->cross, blas_int(T->cols));
}

rung_status la_basis_products(rung_ctx *ctx, const la_basis *basis, int64_t m, const int64_t *which, const la_tall *T,
                              const double *h, const double *v, const la_products *out)
{
    double started = op_start();
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = T->rows, slices = slices_of(n), size = T->cols * m;
    double *centre = NULL, *sums = NULL, *products = NULL, *room = NULL;
    TRY(gather_centres(ctx, basis, m, which, &centre));
    TRY(NEW(ctx, &ctx->scratch, sums, slices * 2 * m));
    TRY(NEW(ctx, &ctx->scratch, products, slices * size));
    TRY(NEW_RAW(ctx, &ctx->scratch, room, slices * 2 * CHUNK * m));
#pragma omp parallel for num_threads(ctx->threads) schedule(dynamic) if (worth_sharing(n, 2 * size + 30 * m))
    for (int64_t s = 0; s < slices; s++) {
        double *made = room + s * 2 * CHUNK * m;
        products_room mine = {sums + s * 2 * m, sums + s * 2 * m + m, products + s * size, made, made + CHUNK * m};
        int64_t end = slice_begin(n, slices, s + 1);
        for (int64_t i = slice_begin(n, slices, s); i < end && !stop_asked(ctx); i += CHUNK) {
            int64_t rows = min64(CHUNK, end - i);
            make_rows(basis, i, rows, m, which, centre, made);
            products_chunk(T, i, rows, m, h, v, &mine);
        }
    }
    for (int64_t j = 0; j < m; j++) {
        out->linear[j] = out->square[j] = 0;
        for (int64_t s = 0; s < slices; s++) {
            out->linear[j] += sums[s * 2 * m + j];
            out->square[j] += sums[s * 2 * m + m + j];
        }
    }
    if (size > 0) add_up(slices, size, products, out->cross->v);
    pool_release(&ctx->scratch, mark);
    op_done(ctx, OP_CROSS, (double)n * (double)m * (2.0 * (double)(basis->X->rows + T->cols) + 24), started);
    return interrupted(ctx);
}
