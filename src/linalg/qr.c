// SPDX-License-Identifier: BSD-3-Clause
/* qr.c - the ridge least-squares problem by orthogonal factorisation.
 *
 *     [I; B] = Q [R; 0],   R'R = I + B'B,   z = R^-1 (Q'[0; b])_top,   residual = Q [0; (Q'[0; b])_bottom]
 *
 * The identity on top is never stored: a panel of B starts with its own piece of it (dtpqrt, whose reflectors have the
 * form [I; V]), and the reflectors then act on [0; B_j] for every later column. The V of a finished panel is no longer
 * needed, so R' replaces it and the whole factorisation happens in B. Columns are updated in strips of fixed width, in
 * parallel. */
#include <cblas.h>
#include <lapacke.h>
#include <omp.h>
#include <string.h>

#include "linalg/internal.h"

enum { PANEL = 64, INNER = 16, STRIP = 128 };

typedef struct {
    int n;         /* rows of B */
    int width;     /* columns of the panel */
    double *v, *t; /* its reflectors (leading dimension n) and their triangular factors */
} panel;

/* [top; columns] := Q' [0; columns]; top is width x count with leading dimension PANEL. */
static void apply(const panel *p, int count, double *columns, double *top, double *work)
{
    memset(top, 0, sizeof(double) * PANEL * (size_t)count);
    LAPACKE_dtpmqrt_work(LAPACK_COL_MAJOR, 'L', 'T', p->n, count, p->width, 0, INNER < p->width ? INNER : p->width,
                         p->v, p->n, p->t, INNER, top, PANEL, columns, p->n, work);
}

rung_status la_ridge_qr(rung_ctx *ctx, la_mat *B, int64_t k, double *b, double *z)
{
    double started = op_start();
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = B->rows, m = B->cols;
    double *row = NULL, *top = NULL, *t = NULL, *work = NULL; /* row: PANEL x m, a block row of R */
    TRY(NEW_RAW(ctx, &ctx->scratch, row, PANEL * m));
    TRY(NEW_RAW(ctx, &ctx->scratch, top, PANEL * k));
    TRY(NEW_RAW(ctx, &ctx->scratch, t, INNER * PANEL));
    int64_t room = INNER * (k > STRIP ? k : STRIP);
    TRY(NEW_RAW(ctx, &ctx->scratch, work, room * ctx->threads));
    for (int64_t p0 = 0; p0 < m; p0 += PANEL) {
        TRY(interrupted(ctx));
        panel p = {.n = blas_int(n), .width = blas_int(min64(PANEL, m - p0)), .v = la_at(B, 0, p0), .t = t};
        double *corner = row + p0 * PANEL; /* its piece of the identity becomes R's diagonal block */
        memset(corner, 0, sizeof(double) * PANEL * (size_t)p.width);
        for (int i = 0; i < p.width; i++) corner[i + i * PANEL] = 1;
        LAPACKE_dtpqrt_work(LAPACK_COL_MAJOR, p.n, p.width, 0, INNER < p.width ? INNER : p.width, corner, PANEL, p.v,
                            p.n, t, INNER, work);
        int64_t first = p0 + p.width, strips = (m - first + STRIP - 1) / STRIP;
#pragma omp parallel for num_threads(ctx->threads) schedule(dynamic) if (strips > 1)
        for (int64_t s = 0; s < strips; s++) {
            int64_t j = first + s * STRIP;
            apply(&p, blas_int(min64(STRIP, m - j)), la_at(B, 0, j), row + j * PANEL,
                  work + omp_get_thread_num() * room);
        }
        apply(&p, blas_int(k), b, top, work);
        for (int64_t c = 0; c < k; c++) memcpy(z + p0 + c * m, top + c * PANEL, sizeof(double) * (size_t)p.width);
        for (int64_t i = 0; i < p.width; i++) /* R' over the reflectors */
            for (int64_t j = p0 + i; j < m; j++) *la_at(B, j, p0 + i) = row[i + j * PANEL];
    }
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, blas_int(m), blas_int(k), 1, B->v,
                blas_int(la_ld(B)), z, blas_int(m > 0 ? m : 1));
    pool_release(&ctx->scratch, mark);
    op_done(ctx, OP_RIDGE_QR, 2.0 * (double)n * (double)m * (double)m, started);
    return interrupted(ctx);
}

rung_status la_ridge_solve(rung_ctx *ctx, la_mat *B, int64_t k, double *b, double *x)
{
    int m = blas_int(B->cols), ld = blas_int(la_ld(B));
    TRY(la_ridge_qr(ctx, B, 0, NULL, NULL)); /* leaves R' = L in its lower triangle */
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, m, blas_int(k), 1, B->v, ld, b,
                m > 0 ? m : 1);
    memcpy(x, b, sizeof *x * (size_t)(B->cols * k));
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, m, blas_int(k), 1, B->v, ld, x,
                m > 0 ? m : 1);
    return RUNG_OK;
}
