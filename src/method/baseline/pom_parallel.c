// SPDX-License-Identifier: BSD-3-Clause
/* pom_parallel.c - are the odds proportional: is one coefficient right for all thresholds?
 *
 * Twice the log likelihood gained by coefficients of their own at every threshold, for the columns in turn and for all
 * together, against chi-squared with K - 2 degrees of freedom per coefficient: the likelihood ratio, as by nominal_test
 * of R's ordinal. Wald's test of separate regressions (Brant 1990) breaks down where a class is rare: its regressions
 * are separated. With very many rows the score statistic takes its place, which one step gives. */
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "method/baseline/partial_odds.h"
#include "method/baseline/pom.h"

enum { MOST_TESTED = 300, STEPS = 15 };
static const double TINY_RIDGE = 1e-14, SAME = 1e-9, MOST_WORK = 4e9; /* multiplications */

typedef struct {
    int64_t n;
    int d;
    int64_t *column; /* d: of the table */
    double *x;       /* d x n: the coded columns that no others determine */
    double *w, *b;   /* the fit with one coefficient each, without a penalty */
} tested;

/* x := its part that is orthogonal to the columns of Q before it; its length relative to what it was. */
static double remainder_of(int64_t n, int columns, const double *Q, double *x)
{
    double before = 0, after = 0;
    for (int64_t i = 0; i < n; i++) before += x[i] * x[i];
    for (int twice = 0; twice < 2; twice++)
        for (int c = 0; c < columns; c++) {
            const double *q = Q + c * n;
            double along = 0;
            for (int64_t i = 0; i < n; i++) along += q[i] * x[i];
            for (int64_t i = 0; i < n; i++) x[i] -= along * q[i];
        }
    for (int64_t i = 0; i < n; i++) after += x[i] * x[i];
    for (int64_t i = 0; i < n && after > 0; i++) x[i] /= sqrt(after);
    return before > 0 ? sqrt(after / before) : 0;
}

rung_status pom_is_determined(rung_ctx *ctx, const pom_study *s, int64_t term, bool *out)
{
    const problem *p = s->p;
    int64_t n = p->n;
    int columns = 1;
    double *Q = NULL;
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(NEW_RAW(ctx, &ctx->scratch, Q, n * (s->n_terms + 1)));
    for (int64_t i = 0; i < n; i++) Q[i] = 1 / sqrt((double)n);
    for (int64_t k = 0; k <= s->n_terms; k++) { /* the column itself comes last */
        int64_t at = k == s->n_terms ? term : k;
        double *x = Q + columns * n;
        if (k == term) continue;
        for (int64_t i = 0; i < n; i++) x[i] = p->X[s->terms[at].coded + i * p->d];
        *out = remainder_of(n, columns, Q, x) < SAME;
        columns += !*out && columns < s->n_terms;
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* The coded columns that neither the constant nor those before them determine. */
static rung_status choose_columns(rung_ctx *ctx, const pom_study *s, tested *t)
{
    const problem *p = s->p;
    int64_t n = p->n, *coded = NULL;
    double *Q = NULL;
    t->n = n;
    TRY(NEW(ctx, &ctx->scratch, t->column, s->n_terms));
    TRY(NEW(ctx, &ctx->scratch, coded, s->n_terms));
    TRY(NEW_RAW(ctx, &ctx->scratch, Q, n * (s->n_terms + 1)));
    for (int64_t i = 0; i < n; i++) Q[i] = 1 / sqrt((double)n);
    for (int64_t k = 0; k < s->n_terms; k++) {
        double *x = Q + (t->d + 1) * n;
        for (int64_t i = 0; i < n; i++) x[i] = p->X[s->terms[k].coded + i * p->d];
        if (remainder_of(n, t->d + 1, Q, x) < SAME) continue;
        t->column[t->d] = s->terms[k].column;
        coded[t->d++] = s->terms[k].coded;
    }
    pool_free(&ctx->scratch, Q);
    TRY(NEW_RAW(ctx, &ctx->scratch, t->x, t->d * n));
    for (int64_t i = 0; i < n; i++)
        for (int j = 0; j < t->d; j++) t->x[j + i * t->d] = p->X[coded[j] + i * p->d];
    return RUNG_OK;
}

/* *found: there is a maximum. */
static rung_status fit_proportional(rung_ctx *ctx, const problem *p, const pom_params *params, tested *t, bool *found)
{
    la_mat *rows = NULL;
    double value;
    TRY(NEW(ctx, &ctx->scratch, t->w, t->d));
    TRY(NEW(ctx, &ctx->scratch, t->b, p->K - 1));
    TRY(la_new(ctx, &ctx->scratch, t->d, t->n, &rows));
    la_put(t->x, rows);
    const cumulative_link link = {.X = rows,
                                  .K = p->K,
                                  .y = p->y,
                                  .upper = p->upper,
                                  .weight = p->w,
                                  .link = (link_kind)params->link,
                                  .ridge = TINY_RIDGE};
    rung_status status = cumulative_link_fit(ctx, &link, t->w, t->b, &value);
    *found = status == RUNG_OK;
    return task_may_fail(status) ? RUNG_OK : status;
}

/* The test of a column of the table; -1: of all columns. out: chi-squared and degrees of freedom. */
static rung_status test_of(rung_ctx *ctx, const problem *p, const pom_params *params, const tested *t, int64_t which,
                           double *out)
{
    int chosen = 0;
    bool *own = NULL;
    out[0] = out[1] = NAN;
    TRY(NEW(ctx, &ctx->scratch, own, t->d));
    for (int j = 0; j < t->d; j++) chosen += own[j] = which < 0 || t->column[j] == which;
    if (chosen == 0) return RUNG_OK;
    double local = t->d - chosen + 2.0 * (chosen + 1), tests = (double)t->column[t->d - 1] + 2;
    partial_odds model = {.n = t->n,
                          .d = t->d,
                          .K = p->K,
                          .X = t->x,
                          .own = own,
                          .y = p->y,
                          .upper = p->upper,
                          .weight = p->w,
                          .link = (link_kind)params->link,
                          .score = STEPS * tests * (double)t->n * local * local > MOST_WORK};
    out[1] = (double)chosen * (p->K - 2);
    return partial_odds_gain(ctx, &model, t->w, t->b, out);
}

rung_status pom_infer_parallel(rung_ctx *ctx, const pom_study *s, const pom_params *params, rung_model *model)
{
    const problem *p = s->p;
    fit_inference *out = &model->inferred;
    tested t = {0};
    bool found;
    TRY(choose_columns(ctx, s, &t));
    if (t.d == 0 || (t.d + 1) * (p->K - 1) > MOST_TESTED || p->n <= t.d + 1) return RUNG_OK;
    TRY(fit_proportional(ctx, p, params, &t, &found));
    if (!found) return RUNG_OK;
    out->tests = model->code.n_columns + 1;
    TRY(NEW(ctx, &model->mem, out->parallel, 2 * out->tests));
    for (int64_t j = 0; j < out->tests; j++)
        TRY(test_of(ctx, p, params, &t, j + 1 < out->tests ? j : -1, out->parallel + 2 * j));
    return RUNG_OK;
}
