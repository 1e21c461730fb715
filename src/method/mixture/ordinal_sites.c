// SPDX-License-Identifier: BSD-3-Clause
#include "method/mixture/ordinal_sites.h"

#include <math.h>
#include <string.h>

#include "solve/ordinal_probit.h"

enum { MOST_STEPS = 60 };
static const double LEAST_W = 1e-10, DECREMENT = 1e-9, ROUNDED = 1e-8, ARMIJO = 1e-4;

static double weight_of(const ordinal_rows *rows, int64_t i) { return rows->weight ? rows->weight[i] : 1; }

rung_status ordinal_sites_prior(rung_ctx *ctx, const ordinal_rows *rows, double variance, double *b0)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double below = 0, all = 0, *mass = NULL;
    TRY(NEW(ctx, &ctx->scratch, mass, rows->K));
    if (rows->upper) TRY(class_masses(ctx, rows->n, rows->y, rows->upper, rows->weight, rows->K, mass));
    for (int64_t i = 0; i < rows->n; i++) all += weight_of(rows, i);
    for (int q = 1; q < rows->K; q++) {
        below += mass[q - 1];
        for (int64_t i = 0; i < rows->n && !rows->upper; i++) below += rows->y[i] == q ? weight_of(rows, i) : 0;
        b0[q - 1] = sqrt(1 + variance) * normal_quantile((below + (double)q / rows->K) / (all + 1));
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

double ordinal_sites_log(const ordinal_rows *rows, const double *f, const double *b, const double *b0, double variance)
{
    int K = rows->K;
    double sum = 0, prior = 0;
    for (int q = 1; q < K - 1; q++)
        if (!(b[q] > b[q - 1])) return -INFINITY;
    for (int64_t i = 0; i < rows->n; i++)
        sum +=
            weight_of(rows, i) * ordinal_probit_log(f[i], rows->y[i], highest_rank(rows->y, rows->upper, i), K, b, 1);
    for (int q = 0; q < K - 1; q++) prior += (b[q] - b0[q]) * (b[q] - b0[q]);
    return sum - 0.5 * prior / (1 + variance);
}

void ordinal_sites_at(const ordinal_sites *s, const double *b0, double variance)
{
    int64_t n = s->rows.n;
    int K = s->rows.K, J = K - 1;
    double precision = 1 / (1 + variance);
    memset(s->C, 0, (size_t)(n * J) * sizeof *s->C);
    memset(s->B, 0, (size_t)J * (size_t)J * sizeof *s->B);
    for (int q = 0; q < J; q++) {
        s->gb[q] = -precision * (s->b[q] - b0[q]);
        s->B[q + q * J] = precision;
    }
    for (int64_t i = 0; i < n; i++) {
        int low = s->rows.y[i], high = highest_rank(s->rows.y, s->rows.upper, i);
        int up = high - 1, down = low - 2; /* places of b_high and b_{low-1} */
        double w = weight_of(&s->rows, i);
        ordinal_probit o = ordinal_probit_at(s->f[i], low, high, K, s->b, 1);
        ordinal_site *t = &s->sites[i];
        *t = (ordinal_site){.g1 = w * o.e1, .g2 = -w * o.e2, .h11 = -w * o.h11, .h22 = -w * o.h22, .h12 = -w * o.h12};
        s->W[i] = fmax(w * o.H, LEAST_W);
        if (up < J) {
            s->C[i + up * n] -= t->h11 + t->h12;
            s->gb[up] += t->g1;
            s->B[up + up * J] += t->h11;
        }
        if (down >= 0) {
            s->C[i + down * n] -= t->h22 + t->h12;
            s->gb[down] += t->g2;
            s->B[down + down * J] += t->h22;
        }
        if (up < J && down >= 0) {
            s->B[up + down * J] += t->h12;
            s->B[down + up * J] += t->h12;
        }
    }
}

/* ---- the mode ---- */

/* The longest of the halved steps that gains enough; false: none, because of rounding. */
static bool advance(const ordinal_ascent *a, void *state, double decrement, double *objective)
{
    for (double t = 1; t > 1e-10; t *= 0.5) {
        double value = a->step(state, t);
        if (!(value >= *objective + ARMIJO * t * decrement) && !(value >= *objective && decrement < 1e-6)) continue;
        a->take(state);
        *objective = value;
        return true;
    }
    return false;
}

rung_status ordinal_mode_find(rung_ctx *ctx, const ordinal_ascent *a, void *state, double objective)
{
    double decrement;
    for (int step = 0;; step++) {
        TRY(interrupted(ctx));
        TRY(a->direction(ctx, state, &decrement));
        double relative = decrement / (1 + fabs(objective));
        if (step > 0 && relative < DECREMENT) return RUNG_OK;
        if (step < MOST_STEPS && advance(a, state, decrement, &objective)) continue;
        if (relative < ROUNDED) return RUNG_OK; /* rounding prevents any gain */
        return set_error(ctx, RUNG_ENOCONV, "Newton's iteration did not converge in %d steps (decrement %.2g)", step,
                         decrement);
    }
}
