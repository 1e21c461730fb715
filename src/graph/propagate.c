// SPDX-License-Identifier: BSD-3-Clause
#include "graph/propagate.h"

#include <math.h>
#include <string.h>

#include "kernel/kernel.h"

static const double RESIDUAL = 1e-10, LEAST = 1e-280; /* below that no label arrives */
enum { ITERATIONS = 20000 };

/* F becomes the memberships. */
static void memberships(int64_t n, int K, const int *y, double *F)
{
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int q = 0; q < K; q++) {
            F[i + q * n] = fmax(F[i + q * n], 0);
            sum += F[i + q * n];
        }
        for (int q = 0; q < K; q++) {
            F[i + q * n] = sum > 0 ? F[i + q * n] / sum : 1.0 / K;
            if (y[i]) F[i + q * n] = y[i] == q + 1;
        }
    }
}

static void one_hot(int64_t n, int K, const int *y, double *Y)
{
    memset(Y, 0, (size_t)(n * K) * sizeof *Y);
    for (int64_t i = 0; i < n; i++)
        if (y[i]) Y[i + (y[i] - 1) * n] = 1;
}

rung_status propagate_dense_scores(rung_ctx *ctx, const point_set *X, const ranked_rows *ranked, double width,
                                   double spread, double *F)
{
    int64_t n = X->n;
    pool_mark mark = pool_here(&ctx->scratch);
    kernel k = {.kind = KERNEL_RBF, .gamma = 1 / (2 * width * width)};
    double *root = NULL;
    la_mat *A = NULL; /* W, then I - a S */
    TRY(la_new(ctx, &ctx->scratch, n, n, &A));
    TRY(NEW(ctx, &ctx->scratch, root, n));
    TRY(kernel_gram(ctx, &k, X->d, n, X->X, A));
    la_add_diagonal(A, -1, NULL); /* it was 1 exactly */
    TRY(la_row_sums(ctx, A, root));
    for (int64_t i = 0; i < n; i++) root[i] = root[i] > 0 ? 1 / sqrt(root[i]) : 0;
    TRY(la_scale(ctx, root, root, A));
    TRY(la_scale_add(ctx, -spread, A, 0, A));
    la_add_diagonal(A, 1, NULL);
    TRY(la_potrf(ctx, A));
    one_hot(n, ranked->K, ranked->y, F);
    TRY(la_potrs(ctx, A, ranked->K, F));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status propagate_dense(rung_ctx *ctx, const point_set *X, const ranked_rows *ranked, double width, double spread,
                            double *U)
{
    TRY(propagate_dense_scores(ctx, X, ranked, width, spread, U));
    memberships(ranked->n, ranked->K, ranked->y, U);
    return RUNG_OK;
}

/* From the normalised Laplacian to I - a S; the diagonal is 1 also where a point has no neighbours. */
static void spread_system(double spread, la_csr *A)
{
    for (int64_t i = 0; i < A->rows; i++)
        for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) A->value[e] = A->col[e] == i ? 1 : spread * A->value[e];
}

/* ---- rows far from all labels ----
 *
 * A residual of 1e-10 of |Y| says nothing about a row where less than that arrives: along a manifold the scores fall by
 * many powers of ten, and it is their shares that count. Such rows are solved for once more, with the others as they
 * are, and those that are far from these again. */

static const double FAR = 1e-6;        /* of the right-hand side: a smaller sum of scores is not accurate */
static const double NO_SHARE = 1e-100; /* ... and what is no share of any row, where squares are still numbers */

typedef struct {
    int64_t n, *row; /* rows that are solved for, ascending */
    int64_t *place;  /* 1 + where a row is among them; 0: it is not */
} far_rows;

/* Unlabelled rows that a path joins with a labelled one. */
static rung_status reached_rows(rung_ctx *ctx, const la_csr *A, const int *y, far_rows *out)
{
    int64_t n = A->rows, reached = 0, *queue = NULL;
    *out = (far_rows){0};
    TRY(NEW(ctx, &ctx->scratch, out->row, n));
    TRY(NEW(ctx, &ctx->scratch, out->place, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, queue, n));
    for (int64_t i = 0; i < n; i++)
        if (y[i]) {
            queue[reached++] = i;
            out->place[i] = 1;
        }
    for (int64_t at = 0; at < reached; at++)
        for (int64_t e = A->start[queue[at]]; e < A->start[queue[at] + 1]; e++) {
            if (out->place[A->col[e]] || A->value[e] == 0) continue;
            queue[reached++] = A->col[e];
            out->place[A->col[e]] = 1;
        }
    for (int64_t i = 0; i < n; i++) {
        bool solved_for = out->place[i] && !y[i];
        if (solved_for) out->row[out->n++] = i;
        out->place[i] = solved_for ? out->n : 0;
    }
    return RUNG_OK;
}

/* Keeps the rows of which the scores sum to less than `least`. */
static void keep_far(int64_t n, int K, const double *F, double least, far_rows *far)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < far->n; k++) {
        int64_t i = far->row[k];
        double sum = 0;
        for (int q = 0; q < K; q++) sum += fmax(F[i + q * n], 0);
        if (sum < least) far->row[kept++] = i;
        far->place[i] = sum < least ? kept : 0;
    }
    far->n = kept;
}

/* The system of the far rows alone: part, and b (far x K) = what the others send. size: the largest |b|. */
static rung_status far_system(rung_ctx *ctx, const la_csr *A, int K, const double *F, const far_rows *far, la_csr *part,
                              double **b, double *size)
{
    int64_t n = A->rows, m = far->n, room = 0, used = 0;
    for (int64_t k = 0; k < m; k++) room += A->start[far->row[k] + 1] - A->start[far->row[k]];
    *part = (la_csr){.rows = m, .cols = m};
    *b = NULL;
    TRY(NEW(ctx, &ctx->scratch, part->start, m + 1));
    TRY(NEW_RAW(ctx, &ctx->scratch, part->col, room));
    TRY(NEW_RAW(ctx, &ctx->scratch, part->value, room));
    TRY(NEW(ctx, &ctx->scratch, *b, m * K));
    for (int64_t k = 0; k < m; k++) {
        for (int64_t e = A->start[far->row[k]]; e < A->start[far->row[k] + 1]; e++) {
            int64_t j = A->col[e];
            if (far->place[j]) {
                part->col[used] = far->place[j] - 1;
                part->value[used++] = A->value[e];
                continue;
            }
            for (int q = 0; q < K; q++) (*b)[k + q * m] -= A->value[e] * fmax(F[j + q * n], 0);
        }
        part->start[k + 1] = used;
    }
    *size = 0;
    for (int q = 0; q < K; q++) {
        double square = 0, most = 0; /* of numbers that may be too small to be squared */
        for (int64_t k = 0; k < m; k++) most = fmax(most, (*b)[k + q * m]);
        for (int64_t k = 0; k < m && most > 0; k++) square += (*b)[k + q * m] / most * ((*b)[k + q * m] / most);
        *size = fmax(*size, most * sqrt(square));
    }
    return RUNG_OK;
}

/* F (n x K) = A^-1 Y, A = I - a S: scores that are accurate relative to those of their row. */
static rung_status solve_scores(rung_ctx *ctx, const la_csr *A, int K, const int *y, const double *Y, double *F)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = A->rows, most = 0;
    far_rows far;
    TRY(graph_solve(ctx, A, K, Y, RESIDUAL, ITERATIONS, F));
    TRY(reached_rows(ctx, A, y, &far));
    for (int q = 0; q < K; q++) {
        int64_t count = 0;
        for (int64_t i = 0; i < n; i++) count += y[i] == q + 1;
        most = count > most ? count : most;
    }
    for (double size = sqrt((double)most);;) {
        pool_mark here = pool_here(&ctx->scratch);
        la_csr part;
        double *b, *x = NULL;
        keep_far(n, K, F, FAR * size, &far);
        if (far.n == 0) break;
        TRY(far_system(ctx, A, K, F, &far, &part, &b, &size));
        if (!(size > LEAST)) break; /* so far that nothing arrives */
        TRY(NEW_RAW(ctx, &ctx->scratch, x, far.n * K));
        for (int64_t i = 0; i < far.n * K; i++) b[i] = b[i] > NO_SHARE * size ? b[i] / size : 0;
        TRY(graph_solve(ctx, &part, K, b, RESIDUAL, ITERATIONS, x));
        for (int q = 0; q < K; q++)
            for (int64_t k = 0; k < far.n; k++) F[far.row[k] + q * n] = size * x[k + q * far.n];
        pool_release(&ctx->scratch, here);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status propagate_graph_scores(rung_ctx *ctx, const la_csr *W, int K, const int *y, double spread, double *F)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = W->rows;
    double *Y = NULL;
    la_csr A;
    TRY(graph_laplacian(ctx, &ctx->scratch, W, LAPLACIAN_NORMALISED, &A));
    spread_system(spread, &A);
    TRY(NEW_RAW(ctx, &ctx->scratch, Y, n * K));
    one_hot(n, K, y, Y);
    TRY(solve_scores(ctx, &A, K, y, Y, F));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status propagate_graph(rung_ctx *ctx, const la_csr *W, int K, const int *y, double spread, double *U)
{
    int64_t n = W->rows;
    TRY(propagate_graph_scores(ctx, W, K, y, spread, U));
    for (int q = 0; q < K; q++) {
        double mass = 0;
        for (int64_t i = 0; i < n; i++) mass += U[i + q * n];
        for (int64_t i = 0; i < n && mass > 0; i++) U[i + q * n] /= mass;
    }
    memberships(n, K, y, U);
    return RUNG_OK;
}

/* ---- scores and the diagonal ---- */

typedef struct { /* the labelled rows last */
    int64_t unlabelled, labelled;
    int64_t *row;   /* which row stands at a place */
    int64_t *place; /* and where a row stands */
    int64_t *last;  /* the places of the labelled rows */
} label_order;

static rung_status order_by_label(rung_ctx *ctx, int64_t n, const int *y, label_order *out)
{
    *out = (label_order){0};
    TRY(NEW(ctx, &ctx->scratch, out->row, n));
    TRY(NEW(ctx, &ctx->scratch, out->place, n));
    TRY(NEW(ctx, &ctx->scratch, out->last, n));
    for (int64_t i = 0; i < n; i++)
        if (!y[i]) out->row[out->unlabelled++] = i;
    for (int64_t i = 0; i < n; i++)
        if (y[i]) {
            out->last[out->labelled] = out->unlabelled + out->labelled;
            out->row[out->last[out->labelled++]] = i;
        }
    for (int64_t i = 0; i < n; i++) out->place[out->row[i]] = i;
    return RUNG_OK;
}

/* A as a dense matrix in this order. */
static rung_status dense_in_order(rung_ctx *ctx, const la_csr *A, const label_order *o, la_mat *out)
{
    int64_t n = A->rows, used = 0;
    int *none = NULL;
    la_csr moved = {.rows = n, .cols = n};
    TRY(NEW(ctx, &ctx->scratch, none, n));
    TRY(NEW(ctx, &ctx->scratch, moved.start, n + 1));
    TRY(NEW_RAW(ctx, &ctx->scratch, moved.col, A->start[n]));
    TRY(NEW_RAW(ctx, &ctx->scratch, moved.value, A->start[n]));
    for (int64_t i = 0; i < n; i++) {
        for (int64_t e = A->start[o->row[i]]; e < A->start[o->row[i] + 1]; e++) {
            moved.col[used] = o->place[A->col[e]];
            moved.value[used++] = A->value[e];
        }
        moved.start[i + 1] = used;
    }
    TRY(la_lookup(ctx, 1, (double[]){0}, none, none, out));
    return la_add_csr(ctx, 1, &moved, out);
}

/* The remainder of a label after its subtraction is a rounding error: set to 0. */
static double without(double sum, double itself)
{
    static const double ROUNDING = 1e-9;
    return sum - itself > ROUNDING * itself ? sum - itself : 0;
}

/* Subtracts the contributions of the labels of equal rows to each other; columns are classes. */
static rung_status without_equal(rung_ctx *ctx, const propagation *p, const label_order *o, const la_mat *block,
                                 double *arrived)
{
    const row_groups *t = p->together;
    for (int64_t g = 0; t && g < t->count; g++) {
        pool_mark mark = pool_here(&ctx->scratch);
        int64_t m = row_groups_size(t, g), *rows = t->rows + t->start[g];
        la_mat *own = NULL;
        double *M = NULL;
        if (m < 2) continue;
        TRY(la_new(ctx, &ctx->scratch, m, m, &own));
        TRY(NEW_RAW(ctx, &ctx->scratch, M, m * m));
        TRY(la_gather(ctx, block, rows, rows, own));
        la_get(own, M);
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < m; j++) {
                double *at = arrived + rows[i] + (p->y[o->row[o->last[rows[j]]]] - 1) * o->labelled;
                if (i != j) *at = without(*at, M[i + j * m]);
            }
        pool_release(&ctx->scratch, mark);
    }
    return RUNG_OK;
}

/* The trailing block of the Cholesky factor is that of the Schur complement of the unlabelled rows, whose inverse is
 * the block of A^-1 at the labelled ones. */
static rung_status scores_by_factor(rung_ctx *ctx, const la_csr *A, const propagation *p, double *F, double *others)
{
    int K = p->K;
    const int *y = p->y;
    int64_t n = A->rows;
    label_order o;
    double *Y = NULL, *diagonal = NULL, *arrived = NULL;
    la_mat *L = NULL, *tail = NULL;
    TRY(order_by_label(ctx, n, y, &o));
    TRY(la_new(ctx, &ctx->scratch, n, n, &L));
    TRY(la_new(ctx, &ctx->scratch, o.labelled, o.labelled, &tail));
    TRY(NEW(ctx, &ctx->scratch, Y, n * K));
    TRY(NEW(ctx, &ctx->scratch, diagonal, o.labelled));
    TRY(dense_in_order(ctx, A, &o, L));
    TRY(la_potrf(ctx, L));
    for (int64_t i = 0; i < o.labelled; i++) Y[o.last[i] + (y[o.row[o.last[i]]] - 1) * n] = 1;
    TRY(la_potrs(ctx, L, K, Y));
    for (int q = 0; q < K; q++)
        for (int64_t i = 0; i < n; i++) F[o.row[i] + q * n] = Y[i + q * n];
    TRY(la_gather(ctx, L, o.last, o.last, tail));
    TRY(la_potri(ctx, tail));
    la_diagonal(tail, diagonal);
    la_add_diagonal(tail, -1, diagonal);
    memset(Y, 0, (size_t)(o.labelled * K) * sizeof *Y);
    for (int64_t i = 0; i < o.labelled; i++) Y[i + (y[o.row[o.last[i]]] - 1) * o.labelled] = 1;
    TRY(NEW(ctx, &ctx->scratch, arrived, o.labelled * K));
    TRY(la_mul(ctx, 1, tail, K, Y, 0, arrived));
    TRY(without_equal(ctx, p, &o, tail, arrived));
    for (int64_t i = 0; i < o.labelled; i++)
        for (int q = 0; q < K; q++) others[i * K + q] = arrived[i + q * o.labelled];
    return RUNG_OK;
}

/* e_i'A^-1 e_i is minus twice the least value of the energy that conjugate gradients minimise: its error is of the
 * order of the squared residual, so a coarse residual suffices. */
static rung_status scores_by_gradients(rung_ctx *ctx, const la_csr *A, const propagation *p, double *F, double *others)
{
    enum { AT_ONCE = LA_SIDE };
    static const double COARSE = 1e-6;
    const row_groups *t = p->together;
    int K = p->K;
    const int *y = p->y;
    int64_t labelled = 0, *row_of = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, row_of, A->rows));
    for (int64_t i = 0; i < A->rows; i++)
        if (y[i]) row_of[labelled++] = i;
    labelled = 0;
    int64_t n = A->rows, row[AT_ONCE], next = 0;
    double *B = NULL, *X = NULL;
    TRY(NEW(ctx, &ctx->scratch, B, n * (K > AT_ONCE ? K : AT_ONCE)));
    TRY(NEW_RAW(ctx, &ctx->scratch, X, n * AT_ONCE));
    one_hot(n, K, y, B);
    TRY(solve_scores(ctx, A, K, y, B, F));
    while (next < n) {
        int64_t k = 0;
        memset(B, 0, (size_t)(n * AT_ONCE) * sizeof *B);
        for (; next < n && k < AT_ONCE; next++)
            if (y[next]) {
                B[next + k * n] = 1;
                row[k++] = next;
            }
        if (k > 0) TRY(graph_solve(ctx, A, k, B, COARSE, ITERATIONS, X));
        for (int64_t c = 0; c < k; c++, labelled++, others += K) {
            int64_t first = t ? t->start[t->of[labelled]] : labelled,
                    end = t ? t->start[t->of[labelled] + 1] : first + 1;
            for (int q = 0; q < K; q++) others[q] = F[row[c] + q * n];
            for (int64_t i = first; i < end; i++) {
                int64_t equal = row_of[t ? t->rows[i] : labelled];
                others[y[equal] - 1] = without(others[y[equal] - 1], X[equal + c * n]);
            }
        }
    }
    return RUNG_OK;
}

/* The factor and its block at the labelled rows, or the right-hand sides and what graph_solve has of each of them. */
double propagate_scores_bytes(double n, double l, int K)
{
    double matrices = n <= PROPAGATE_DENSE ? n * n + 2 * l * l : 6 * n * LA_SIDE;
    return 8 * (matrices + n * (2 * K + 5) + l * (K + 1));
}

rung_status propagate_scores(rung_ctx *ctx, const la_csr *W, const propagation *p, double *F, double *others)
{
    pool_mark mark = pool_here(&ctx->scratch);
    la_csr A;
    TRY(graph_laplacian(ctx, &ctx->scratch, W, LAPLACIAN_NORMALISED, &A));
    spread_system(p->spread, &A);
    if (W->rows <= p->dense)
        TRY(scores_by_factor(ctx, &A, p, F, others));
    else
        TRY(scores_by_gradients(ctx, &A, p, F, others));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
