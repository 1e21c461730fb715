// SPDX-License-Identifier: BSD-3-Clause
#include "method/mixed/factor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct factor {
    int64_t n, tail; /* columns tail .. n - 1 are the dense matrix */
    int64_t *first;  /* tail + 1: where each column begins, its diagonal first */
    int64_t *row;
    double *v;           /* of H, then of L ... */
    double *dense;       /* ... m x m, m = n - tail: the lower triangle */
    double *z, *dense_z; /* the same of H^-1 */
    la_mat *L;
    double *work;          /* n, zeros */
    int64_t *next;         /* n: of left-looking columns, the place of their next row ... */
    int64_t *chain, *head; /* ... and lists of the columns whose next row it is */
};

/* ---- the pattern ---- */

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

typedef struct {
    int64_t *mark, *child, *sibling; /* n: the columns whose first row below the diagonal is j: a tree */
    int64_t room;
} pattern;

/* The rows of column j: those of H and of the columns that j is the parent of. */
static rung_status add_column(rung_ctx *ctx, factor *f, const int64_t *first, const int64_t *row, pattern *p, int64_t j)
{
    int64_t at = f->first[j], most = f->n - j;
    if (at + most > p->room) {
        p->room = 2 * (at + most);
        TRY(memory_check(ctx, 16 * (double)p->room, "the random effects"));
        TRY(RESIZE(ctx, &ctx->scratch, f->row, p->room));
    }
    f->row[at++] = j;
    p->mark[j] = j;
    for (int64_t k = first[j]; k < first[j + 1]; k++)
        if (p->mark[row[k]] != j) p->mark[f->row[at++] = row[k]] = j;
    for (int64_t c = p->child[j]; c >= 0; c = p->sibling[c])
        for (int64_t k = f->first[c] + 1; k < f->first[c + 1]; k++)
            if (p->mark[f->row[k]] != j) p->mark[f->row[at++] = f->row[k]] = j;
    qsort(f->row + f->first[j], (size_t)(at - f->first[j]), sizeof *f->row, by_number);
    f->first[j + 1] = at;
    if (at > f->first[j] + 1) {
        int64_t parent = f->row[f->first[j] + 1];
        p->sibling[j] = p->child[parent];
        p->child[parent] = j;
    }
    return RUNG_OK;
}

rung_status factor_new(rung_ctx *ctx, int64_t n, const int64_t *first, const int64_t *row, factor **out)
{
    factor *f = NULL;
    pattern p = {0};
    TRY(NEW(ctx, &ctx->scratch, f, 1));
    f->n = n;
    TRY(NEW(ctx, &ctx->scratch, f->first, n + 1));
    TRY(NEW(ctx, &ctx->scratch, f->row, 0));
    TRY(NEW_RAW(ctx, &ctx->scratch, p.mark, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, p.child, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, p.sibling, n));
    for (int64_t j = 0; j < n; j++) p.mark[j] = p.child[j] = -1;
    for (f->tail = 0; f->tail < n; f->tail++) {
        TRY(add_column(ctx, f, first, row, &p, f->tail));
        if (f->first[f->tail + 1] - f->first[f->tail] == n - f->tail) break;
    }
    int64_t m = n - f->tail;
    TRY(memory_check(ctx, 16 * (double)f->first[f->tail] + 32 * (double)m * (double)m, "the random effects"));
    TRY(NEW(ctx, &ctx->scratch, f->v, f->first[f->tail]));
    TRY(NEW(ctx, &ctx->scratch, f->z, f->first[f->tail]));
    TRY(NEW(ctx, &ctx->scratch, f->dense, m * m));
    TRY(NEW(ctx, &ctx->scratch, f->dense_z, m * m));
    TRY(la_new(ctx, &ctx->scratch, m, m, &f->L));
    TRY(NEW(ctx, &ctx->scratch, f->work, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, f->next, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, f->chain, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, f->head, n));
    *out = f;
    return RUNG_OK;
}

static int64_t place_of(const factor *f, int64_t i, int64_t j)
{
    int64_t low = f->first[j], high = f->first[j + 1];
    while (high - low > 1) {
        int64_t middle = (low + high) / 2;
        if (f->row[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static int64_t dense_place(const factor *f, int64_t i, int64_t j)
{
    return (i - f->tail) + (j - f->tail) * (f->n - f->tail);
}

double *factor_entry(factor *f, int64_t i, int64_t j)
{
    return j < f->tail ? f->v + place_of(f, i, j) : f->dense + dense_place(f, i, j);
}

double factor_inverse(const factor *f, int64_t i, int64_t j)
{
    return j < f->tail ? f->z[place_of(f, i, j)] : f->dense_z[dense_place(f, i, j)];
}

void factor_clear(factor *f)
{
    int64_t m = f->n - f->tail;
    memset(f->v, 0, (size_t)f->first[f->tail] * sizeof *f->v);
    memset(f->dense, 0, (size_t)(m * m) * sizeof *f->dense);
}

/* ---- the numbers ---- */

/* Column k waits for the column of its row at `place`, if that is not in the dense matrix. */
static void wait_for(factor *f, int64_t k, int64_t place)
{
    f->next[k] = place;
    if (place == f->first[k + 1] || f->row[place] >= f->tail) return;
    int64_t j = f->row[place];
    f->chain[k] = f->head[j];
    f->head[j] = k;
}

/* Left-looking: column j is complete once those before it that reach row j are taken off. */
static bool make_column(factor *f, int64_t j)
{
    int64_t from = f->first[j], to = f->first[j + 1];
    for (int64_t k = from; k < to; k++) f->work[f->row[k]] = f->v[k];
    for (int64_t k = f->head[j], after; k >= 0; k = after) {
        int64_t place = f->next[k];
        double share = f->v[place];
        after = f->chain[k];
        for (int64_t r = place; r < f->first[k + 1]; r++) f->work[f->row[r]] -= share * f->v[r];
        wait_for(f, k, place + 1);
    }
    double pivot = f->work[j], root = sqrt(pivot);
    for (int64_t k = from; k < to; k++) {
        f->v[k] = f->work[f->row[k]] / root;
        f->work[f->row[k]] = 0;
    }
    f->v[from] = root;
    wait_for(f, j, from + 1);
    return pivot > 0 && isfinite(pivot);
}

/* The place of the first row of column k that is in the dense matrix. */
static int64_t into_tail(const factor *f, int64_t k)
{
    int64_t place = f->first[k + 1];
    while (f->row[place - 1] >= f->tail) place--;
    return place;
}

static void take_off_tail(factor *f)
{
    int64_t m = f->n - f->tail;
    for (int64_t k = 0; k < f->tail; k++)
        for (int64_t c = into_tail(f, k); c < f->first[k + 1]; c++) {
            double *to = f->dense + (f->row[c] - f->tail) * m, share = f->v[c];
            for (int64_t r = c; r < f->first[k + 1]; r++) to[f->row[r] - f->tail] -= share * f->v[r];
        }
}

rung_status factor_make(rung_ctx *ctx, factor *f, double *log_determinant)
{
    int64_t m = f->n - f->tail;
    for (int64_t j = 0; j < f->n; j++) f->head[j] = -1;
    *log_determinant = 0;
    bool good = true;
    for (int64_t j = 0; j < f->tail && good; j++) {
        good = make_column(f, j);
        *log_determinant += 2 * log(f->v[f->first[j]]);
    }
    if (!good) memset(f->work, 0, (size_t)f->n * sizeof *f->work);
    if (!good) return set_error(ctx, RUNG_ESINGULAR, "the matrix of the random effects is not positive definite");
    take_off_tail(f);
    la_put(f->dense, f->L);
    TRY(la_potrf(ctx, f->L));
    la_get(f->L, f->dense);
    for (int64_t j = 0; j < m; j++) *log_determinant += 2 * log(f->dense[j + j * m]);
    return RUNG_OK;
}

rung_status factor_solve(rung_ctx *ctx, const factor *f, double *x)
{
    for (int64_t j = 0; j < f->tail; j++) {
        int64_t from = f->first[j];
        x[j] /= f->v[from];
        for (int64_t k = from + 1; k < f->first[j + 1]; k++) x[f->row[k]] -= f->v[k] * x[j];
    }
    TRY(la_potrs(ctx, f->L, 1, x + f->tail));
    for (int64_t j = f->tail - 1; j >= 0; j--) {
        int64_t from = f->first[j];
        for (int64_t k = from + 1; k < f->first[j + 1]; k++) x[j] -= f->v[k] * x[f->row[k]];
        x[j] /= f->v[from];
    }
    return RUNG_OK;
}

/* Z = H^-1, S the rows of column j of L below the diagonal:  Z_Sj = -Z_SS L_Sj / L_jj,
 * Z_jj = (1 / L_jj - L_Sj'Z_Sj) / L_jj. */
static void invert_column(factor *f, int64_t j, double *product)
{
    int64_t from = f->first[j], to = f->first[j + 1], m = f->n - f->tail, dense = into_tail(f, j);
    double *L = f->work;
    for (int64_t k = from + 1; k < to; k++) {
        L[f->row[k]] = f->v[k];
        product[f->row[k]] = 0;
    }
    for (int64_t k = from + 1; k < dense; k++) { /* of Z only rows in S count, where L is not 0 */
        int64_t c = f->row[k], start = f->first[c];
        product[c] += f->z[start] * L[c];
        for (int64_t r = start + 1; r < f->first[c + 1]; r++) {
            int64_t i = f->row[r];
            product[c] += f->z[r] * L[i];
            product[i] += f->z[r] * L[c]; /* of rows that are not in S it is not looked at */
        }
    }
    for (int64_t k = dense; k < to; k++) {
        int64_t c = f->row[k] - f->tail;
        for (int64_t r = dense; r < to; r++) {
            int64_t i = f->row[r] - f->tail;
            product[f->row[k]] += f->dense_z[i + c * m] * f->v[r];
        }
    }
    double diagonal = f->v[from], sum = 0;
    for (int64_t k = from + 1; k < to; k++) {
        int64_t i = f->row[k];
        sum += L[i] * product[i];
        f->z[k] = -product[i] / diagonal;
        L[i] = 0;
    }
    f->z[from] = (1 + sum) / (diagonal * diagonal);
}

rung_status factor_invert(rung_ctx *ctx, factor *f)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *product = NULL;
    la_mat *inverse = NULL;
    int64_t m = f->n - f->tail;
    TRY(la_new(ctx, &ctx->scratch, m, m, &inverse));
    la_put(f->dense, inverse);
    TRY(la_potri(ctx, inverse));
    la_get(inverse, f->dense_z);
    TRY(NEW(ctx, &ctx->scratch, product, f->n));
    for (int64_t j = f->tail - 1; j >= 0; j--) invert_column(f, j, product);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
