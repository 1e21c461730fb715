// SPDX-License-Identifier: BSD-3-Clause
/* pom_tests.c - likelihood ratios: is one coefficient right for all thresholds, does a column matter, how far may a
 * coefficient be off? Of the model without a ridge (with penalty=firth, of the penalised likelihood).
 *
 * Proportional odds: twice the log likelihood gained by coefficients of their own at every threshold, for the columns
 * in turn and for all together, against chi-squared with K - 2 degrees of freedom per coefficient, as by nominal_test
 * of R's ordinal. Wald's test of separate regressions (Brant 1990) breaks down where a class is rare: its regressions
 * are separated. With very many rows the score statistic takes its place, which one step gives.
 *
 * A column: what the model loses without it, as by drop1 of R. A coefficient: the range of values that the likelihood
 * ratio does not reject at 5 %, the others being at their best for each, as by confint of R; unlike estimate +- 1.96
 * standard errors it is right where the likelihood is lopsided, and has one end where classes are separated. */
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "method/baseline/pom.h"

enum { MOST_TESTED = 300, STEPS = 15, PROFILE_STEPS = 40 };
static const double MOST_WORK = 4e9, MOST_PROFILE_WORK = 4e8; /* multiplications */
static const double NO_RIDGE = 1e-6;
static const double QUANTILE = 1.959963984540054; /* normal, of 0.975 */

typedef struct {
    const pom_study *s;
    const pom_columns *c;
    int size;
    double *theta, value; /* the maximum */
    double *next;
    bool *held;
} tests;

static double work_of(const threshold_model *m, int own)
{
    double local = m->d - own + m->spreads + 2.0 * (own + 1);
    double passes = m->firth ? 2.0 * m->K * threshold_model_size(m) : 1; /* firth: differences of the information */
    return STEPS * passes * (double)m->n * local * local;
}

/* ---- proportional odds ---- */

/* The test of a column of the table; -1: of all columns. out: chi-squared and degrees of freedom. */
static rung_status parallel_of(rung_ctx *ctx, const tests *t, int64_t which, double *out)
{
    const pom_columns *c = t->c;
    threshold_model m = c->m;
    int chosen = 0, columns = 0;
    bool *own = NULL;
    double *theta = NULL, value;
    out[0] = out[1] = NAN;
    TRY(NEW(ctx, &ctx->scratch, own, m.d));
    for (int j = 0; j < m.d; j++) {
        int64_t of = c->terms[c->term[j]].column;
        bool now = c->m.own[j] || which < 0 || of == which;
        chosen += now && !c->m.own[j];
        columns += own[j] = now;
    }
    if (chosen == 0) return RUNG_OK;
    m.own = own;
    out[1] = (double)chosen * (m.K - 2);
    TRY(NEW(ctx, &ctx->scratch, theta, threshold_model_size(&m)));
    for (int j = 0; j < m.d; j++)
        for (int q = 0; q < m.K - 1; q++)
            theta[threshold_model_slope(&m, j, q)] = t->theta[threshold_model_slope(&c->m, j, q)];
    for (int k = 0; k < m.spreads; k++)
        theta[threshold_model_spread(&m, k)] = t->theta[threshold_model_spread(&c->m, k)];
    for (int q = 0; q < m.K - 1; q++) theta[threshold_model_cut(&m, q)] = t->theta[threshold_model_cut(&c->m, q)];
    double all = (double)c->terms[c->term[m.d - 1]].column + 2;
    if (all * work_of(&m, columns) > MOST_WORK) return threshold_model_score(ctx, &m, theta, out);
    TRY(threshold_model_fit(ctx, &m, NULL, theta, &value));
    out[0] = isnan(value) ? NAN : fmax(2 * (value - t->value), 0);
    return RUNG_OK;
}

static rung_status infer_parallel(rung_ctx *ctx, const tests *t, rung_model *model)
{
    fit_inference *out = &model->inferred;
    if ((t->c->m.d + 1) * (t->c->m.K - 1) > MOST_TESTED || t->c->m.n <= t->c->m.d + 1 || t->c->m.firth) return RUNG_OK;
    out->tests = model->code.n_columns + 1;
    TRY(NEW(ctx, &model->mem, out->parallel, 2 * out->tests));
    for (int64_t j = 0; j < out->tests; j++) {
        pool_mark mark = pool_here(&ctx->scratch);
        TRY(parallel_of(ctx, t, j + 1 < out->tests ? j : -1, out->parallel + 2 * j));
        pool_release(&ctx->scratch, mark);
    }
    return RUNG_OK;
}

/* ---- columns ---- */

/* Holds the parameters of a column at 0; returns how many there are. */
static int hold_column(const tests *t, int64_t which)
{
    const pom_columns *c = t->c;
    int count = 0;
    memcpy(t->next, t->theta, (size_t)t->size * sizeof *t->next);
    memset(t->held, 0, (size_t)t->size * sizeof *t->held);
    for (int j = 0; j < c->m.d; j++)
        for (int q = 0; q < (c->m.own[j] ? c->m.K - 1 : 1); q++)
            if (c->terms[c->term[j]].column == which) t->held[threshold_model_slope(&c->m, j, q)] = true;
    for (int k = 0; k < c->m.spreads; k++)
        if (c->terms[c->wide[k]].column == which) t->held[threshold_model_spread(&c->m, k)] = true;
    for (int i = 0; i < t->size; i++) {
        count += t->held[i];
        if (t->held[i]) t->next[i] = 0;
    }
    return count;
}

static rung_status infer_columns(rung_ctx *ctx, const tests *t, rung_model *model)
{
    int64_t n = model->code.n_columns;
    double *out = NULL;
    if ((double)n * work_of(&t->c->m, 0) > MOST_WORK) return RUNG_OK;
    TRY(NEW(ctx, &model->mem, out, 2 * n));
    for (int64_t j = 0; j < n; j++) {
        double value;
        int df = hold_column(t, j);
        out[2 * j] = out[2 * j + 1] = NAN;
        if (df == 0) continue;
        TRY(threshold_model_start(ctx, &t->c->m, t->next));
        TRY(threshold_model_fit(ctx, &t->c->m, t->held, t->next, &value));
        out[2 * j] = isnan(value) ? NAN : fmax(2 * (t->value - value), 0);
        out[2 * j + 1] = df;
    }
    model->inferred.columns = out;
    return RUNG_OK;
}

/* beta' C^-1 beta of the coefficients of a column, by their covariance C. */
static rung_status wald_of(rung_ctx *ctx, const pom_study *s, const rung_model *model, int64_t which, double *out)
{
    const fit_inference *f = &model->inferred;
    int n = 0, outputs = model->members->score.outputs;
    int64_t *place = NULL;
    double *beta = NULL, *solved = NULL, *C = NULL;
    out[0] = out[1] = NAN;
    TRY(NEW(ctx, &ctx->scratch, place, s->n_terms * outputs));
    TRY(NEW(ctx, &ctx->scratch, beta, s->n_terms * outputs));
    for (int o = 0; o < outputs; o++)
        for (int64_t t = 0; t < s->n_terms; t++) {
            int64_t at = inferred_place(model, o, t);
            double value = model_term(model, &s->terms[t], o);
            bool common = o > 0 && o < model_score_outputs(model) && value == model_term(model, &s->terms[t], 0);
            if (s->terms[t].column != which || common || !isfinite(f->error[at])) continue;
            place[n] = at;
            beta[n++] = value;
        }
    if (n == 0) return RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, solved, n));
    TRY(NEW(ctx, &ctx->scratch, C, (int64_t)n * n));
    memcpy(solved, beta, (size_t)n * sizeof *beta);
    for (int64_t a = 0; a < n; a++)
        for (int64_t b = 0; b < n; b++) C[a + b * n] = f->covariance[place[a] + place[b] * f->n];
    rung_status status = la_small_spd_solve(ctx, n, C, 1, solved);
    if (status == RUNG_ESINGULAR) return RUNG_OK;
    TRY(status);
    out[0] = 0;
    out[1] = n;
    for (int k = 0; k < n; k++) out[0] += beta[k] * solved[k];
    return RUNG_OK;
}

rung_status pom_infer_wald(rung_ctx *ctx, const pom_study *s, rung_model *model)
{
    TRY(NEW(ctx, &model->mem, model->inferred.columns, 2 * model->code.n_columns));
    for (int64_t j = 0; j < model->code.n_columns; j++) {
        pool_mark mark = pool_here(&ctx->scratch);
        TRY(wald_of(ctx, s, model, j, model->inferred.columns + 2 * j));
        pool_release(&ctx->scratch, mark);
    }
    return RUNG_OK;
}

/* ---- ranges ---- */

/* The signed root of the likelihood ratio where parameter k is x, the others starting from t->next. */
static rung_status root_at(rung_ctx *ctx, const tests *t, int k, double x, double *root)
{
    double value;
    t->next[k] = x;
    TRY(threshold_model_fit(ctx, &t->c->m, t->held, t->next, &value));
    *root = isnan(value) ? NAN : sqrt(fmax(2 * (t->value - value), 0));
    return RUNG_OK;
}

/* From the estimate in steps that double until the ratio is large enough, then between the last two. far: where the
 * search ends, the end being infinite. */
static rung_status end_of(rung_ctx *ctx, const tests *t, int k, double step, double far, double *out)
{
    double at = t->theta[k], low = at, high = at, root_low = 0, root_high = 0, root;
    memcpy(t->next, t->theta, (size_t)t->size * sizeof *t->next);
    while (root_high < QUANTILE) {
        low = high;
        root_low = root_high;
        high = high + step;
        step *= low == at ? 0.25 : 1.6;
        if (fabs(high - at) > far) return *out = copysign(INFINITY, step), RUNG_OK;
        TRY(root_at(ctx, t, k, high, &root_high));
        if (isnan(root_high)) return *out = NAN, RUNG_OK;
    }
    for (int i = 0; i < PROFILE_STEPS && fabs(high - low) > 1e-9 * (fabs(high) + fabs(low)); i++) {
        double share = (QUANTILE - root_low) / (root_high - root_low);
        if (i % 3 == 2) share = fmin(fmax(share, 0.1), 0.9);
        double x = low + share * (high - low);
        TRY(root_at(ctx, t, k, x, &root));
        if (isnan(root)) return *out = NAN, RUNG_OK;
        *out = x;
        if (fabs(root - QUANTILE) < 1e-9) return RUNG_OK;
        if (root < QUANTILE)
            low = x, root_low = root;
        else
            high = x, root_high = root;
    }
    return RUNG_OK;
}

/* The standard error of every parameter, and how far its effect on any row stays conceivable. */
static rung_status sizes_of(rung_ctx *ctx, const tests *t, double *error)
{
    double *information = NULL, *unit = NULL, value;
    int64_t size = t->size;
    la_mat *L = NULL;
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(NEW(ctx, &ctx->scratch, information, size * size));
    TRY(NEW(ctx, &ctx->scratch, unit, size));
    TRY(la_new(ctx, &ctx->scratch, size, size, &L));
    rung_status status = threshold_model_information(ctx, &t->c->m, t->theta, information, &value);
    if (status == RUNG_OK) {
        la_put(information, L);
        status = la_potrf(ctx, L);
    }
    for (int64_t k = 0; k < size; k++) {
        memset(unit, 0, (size_t)size * sizeof *unit);
        unit[k] = 1;
        if (status == RUNG_OK) TRY(la_potrs(ctx, L, 1, unit));
        error[k] = status == RUNG_OK && unit[k] > 0 ? sqrt(unit[k]) : INFINITY;
    }
    pool_release(&ctx->scratch, mark);
    return task_may_fail(status) ? RUNG_OK : status;
}

static double extent_of(const double *X, int64_t n, int d, int j)
{
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        low = fmin(low, X[j + i * d]);
        high = fmax(high, X[j + i * d]);
    }
    return high - low;
}

static rung_status range_of(rung_ctx *ctx, const tests *t, int k, double error, double extent, double *out)
{
    double far = 60 / extent, step = fmin(QUANTILE * error, 5 / extent);
    memset(t->held, 0, (size_t)t->size * sizeof *t->held);
    t->held[k] = true;
    TRY(end_of(ctx, t, k, -step, far + fabs(t->theta[k]), &out[0]));
    return end_of(ctx, t, k, step, far, &out[1]);
}

static rung_status infer_ranges(rung_ctx *ctx, const tests *t, rung_model *model)
{
    const pom_columns *c = t->c;
    const threshold_model *m = &c->m;
    fit_inference *out = &model->inferred;
    double *error = NULL, *range = NULL;
    if (2 * (double)(t->size) * work_of(m, 0) > MOST_PROFILE_WORK) return RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, error, t->size));
    TRY(NEW(ctx, &model->mem, range, 2 * out->n));
    for (int64_t i = 0; i < 2 * out->n; i++) range[i] = NAN;
    TRY(sizes_of(ctx, t, error));
    for (int j = 0; j < m->d; j++) {
        int64_t term = c->term[j];
        double factor =
            model->members->scale.kind == SCALE_NONE ? 1 : model->members->scale.factor[c->terms[term].coded];
        for (int q = 0; q < (m->own[j] ? m->K - 1 : 1); q++) {
            int k = threshold_model_slope(m, j, q);
            double *at = range + 2 * inferred_place(model, q, term);
            TRY(range_of(ctx, t, k, error[k], extent_of(m->X, m->n, m->d, j), at));
            at[0] *= factor;
            at[1] *= factor;
        }
        for (int q = 1; q < model_score_outputs(model) && !m->own[j]; q++)
            memcpy(range + 2 * inferred_place(model, q, term), range + 2 * inferred_place(model, 0, term),
                   2 * sizeof *range);
    }
    for (int s = 0; s < m->spreads; s++) {
        int k = threshold_model_spread(m, s);
        TRY(range_of(ctx, t, k, error[k], extent_of(m->Z, m->n, m->spreads, s) * 10,
                     range + 2 * inferred_place(model, model_score_outputs(model), c->wide[s])));
    }
    out->range = range;
    return RUNG_OK;
}

/* ---- all of them ---- */

rung_status pom_infer_tests(rung_ctx *ctx, const pom_study *s, const pom_params *params, rung_model *model)
{
    pom_columns c;
    tests t = {.s = s, .c = &c};
    TRY(pom_columns_of(ctx, s->p, params, &s->design, &c));
    if (c.m.d == 0 || work_of(&c.m, 0) > MOST_WORK) return RUNG_OK;
    t.size = threshold_model_size(&c.m);
    TRY(NEW(ctx, &ctx->scratch, t.theta, t.size));
    TRY(NEW(ctx, &ctx->scratch, t.next, t.size));
    TRY(NEW(ctx, &ctx->scratch, t.held, t.size));
    TRY(threshold_model_start(ctx, &c.m, t.theta));
    TRY(threshold_model_fit(ctx, &c.m, NULL, t.theta, &t.value));
    if (isnan(t.value)) return RUNG_OK;
    model->inferred.parameters = t.size;
    if (c.m.K > 2) TRY(infer_parallel(ctx, &t, model));
    TRY(infer_columns(ctx, &t, model));
    bool plain =
        params->ridge <= NO_RIDGE || params->penalty == POM_FIRTH; /* ranges would not be about the estimates */
    return plain ? infer_ranges(ctx, &t, model) : RUNG_OK;
}
