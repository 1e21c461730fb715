// SPDX-License-Identifier: BSD-3-Clause
/* pom_inference.c - standard errors of a proportional odds model, and whether the odds are proportional.
 *
 * The covariance of the estimates is the inverse of the observed information at them, as in R's polr and clm; with a
 * ridge that is not negligible it includes the penalty. It is computed for the scaled, centred rows and carried over to
 * the scale of the data: a coefficient, a difference of two categories and a threshold are linear in the estimates.
 *
 * Whether one direction w serves all thresholds is tested as by Brant: a logistic regression of 1[y > q] for every q,
 * and Wald's test of equal coefficients with the joint covariance
 *     cov(w_q, w_r) = (X'W_q X)^-1 X'W_qr X (X'W_r X)^-1,   W_qr = pi_r (1 - pi_q) for q <= r,   pi_q = P(y > q).
 * Brant. Assessing proportionality in the proportional odds model for ordinal logistic regression. Biometrics
 * 46:1171-1178, 1990. */
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "method/baseline/pom.h"

enum { MOST_PARAMETERS = 500, MOST_TESTED = 300 };
static const double TINY_RIDGE = 1e-14, MOST_SLOPE = 100; /* of a scaled column: beyond it the classes are separated */

/* ---- standard errors ---- */

typedef struct {
    const problem *p;
    const rung_model *model;
    int64_t n_terms;
    score_term *terms;
} study;

static double factor_of(const rung_model *m, int64_t coded)
{
    return m->members->scale.kind == SCALE_NONE ? 1 : m->members->scale.factor[coded];
}

/* Threshold q on the scale of the data, as a linear form of the estimates (w, b of centred rows). */
static void threshold_form(const study *s, const double *mean, int q, double *form)
{
    const coding *code = &s->model->code;
    const scaling *scale = &s->model->members->scale;
    form[s->p->d + q] = 1;
    for (int64_t j = 0; j < s->p->d; j++)
        form[j] = mean[j] + (scale->kind == SCALE_NONE ? 0 : scale->factor[j] * scale->shift[j]);
    for (int64_t j = 0; j < code->n_columns; j++) {
        const column_code *c = &code->columns[j];
        int64_t reference = c->first + c->reference;
        if (c->nominal) form[reference] -= factor_of(s->model, reference);
    }
}

/* The standard deviation of every linear form: |L^-1 form| with the information L L'. */
static rung_status standard_errors(rung_ctx *ctx, const study *s, const double *mean, la_mat *L, double *error)
{
    int64_t d = s->p->d, m = d + s->p->K - 1, n = s->n_terms + s->p->K - 1;
    double *forms = NULL;
    la_mat *F = NULL;
    TRY(NEW(ctx, &ctx->scratch, forms, m * n));
    for (int64_t t = 0; t < s->n_terms; t++) {
        forms[s->terms[t].coded + t * m] = factor_of(s->model, s->terms[t].coded);
        if (s->terms[t].against >= 0) forms[s->terms[t].against + t * m] = -factor_of(s->model, s->terms[t].against);
    }
    for (int q = 0; q < s->p->K - 1; q++) threshold_form(s, mean, q, forms + (s->n_terms + q) * m);
    TRY(la_new(ctx, &ctx->scratch, m, n, &F));
    la_put(forms, F);
    TRY(la_trsm(ctx, L, false, F));
    la_get(F, forms);
    for (int64_t t = 0; t < n; t++) {
        double sum = 0;
        for (int64_t j = 0; j < m; j++) sum += forms[j + t * m] * forms[j + t * m];
        error[t] = sum > 0 && isfinite(sum) ? sqrt(sum) : NAN; /* a constant column has no coefficient */
    }
    return RUNG_OK;
}

static rung_status infer_errors(rung_ctx *ctx, const study *s, const pom_params *params, fit_inference *out)
{
    const problem *p = s->p;
    const member *one = s->model->members;
    int64_t m = p->d + p->K - 1;
    double *mean = NULL, *X = NULL, *b = NULL, *hessian = NULL, shift = 0;
    la_mat *rows = NULL, *L = NULL;
    TRY(pom_centred_rows(ctx, p, &mean, &X));
    TRY(NEW(ctx, &ctx->scratch, b, p->K - 1));
    for (int64_t j = 0; j < p->d; j++) shift += one->score.coef[j] * mean[j];
    for (int q = 0; q < p->K - 1; q++) b[q] = one->link.b[q] - shift;
    TRY(NEW(ctx, &ctx->scratch, hessian, m * m));
    TRY(la_new(ctx, &ctx->scratch, p->d, p->n, &rows));
    la_put(X, rows);
    const cumulative_link link = {.X = rows,
                                  .K = p->K,
                                  .y = p->y,
                                  .upper = p->upper,
                                  .weight = p->w,
                                  .link = (link_kind)params->link,
                                  .ridge = params->ridge};
    TRY(cumulative_link_hessian(ctx, &link, one->score.coef, b, hessian, &out->log_likelihood));
    TRY(la_new(ctx, &ctx->scratch, m, m, &L));
    la_put(hessian, L);
    rung_status status = la_potrf(ctx, L);
    for (int64_t t = 0; status == RUNG_ESINGULAR && t < out->n; t++) out->error[t] = NAN;
    if (status == RUNG_ESINGULAR) return RUNG_OK;
    TRY(status);
    return standard_errors(ctx, s, mean, L, out->error);
}

/* ---- the test of parallel slopes ---- */

typedef struct {
    const problem *p;
    int cuts;        /* K - 1 */
    int n;           /* columns that vary */
    int64_t *column; /* n: of the table */
    double *x;       /* (n + 1) x rows: 1 and the columns */
    double *share;   /* cuts x rows: P(y > q) */
    double *slope;   /* n x cuts */
    double *inverse; /* (n + 1)^2 x cuts: (X'W_q X)^-1 */
    double *between; /* (n cuts)^2: the joint covariance of the slopes */
} brant;

static double row_weight(const problem *p, int64_t i) { return p->w ? p->w[i] : 1; }

static rung_status brant_columns(rung_ctx *ctx, const study *s, brant *b)
{
    const problem *p = s->p;
    int64_t *coded = NULL;
    TRY(NEW(ctx, &ctx->scratch, coded, s->n_terms));
    TRY(NEW(ctx, &ctx->scratch, b->column, s->n_terms));
    for (int64_t t = 0; t < s->n_terms; t++) {
        bool varies = false;
        for (int64_t i = 1; i < p->n && !varies; i++)
            varies = p->X[s->terms[t].coded + i * p->d] != p->X[s->terms[t].coded];
        if (!varies) continue;
        b->column[b->n] = s->terms[t].column;
        coded[b->n++] = s->terms[t].coded;
    }
    TRY(NEW_RAW(ctx, &ctx->scratch, b->x, (b->n + 1) * p->n));
    for (int64_t i = 0; i < p->n; i++) {
        double *x = b->x + i * (b->n + 1);
        x[0] = 1;
        for (int j = 0; j < b->n; j++) x[j + 1] = p->X[coded[j] + i * p->d];
    }
    return RUNG_OK;
}

/* out = X'W X, both triangles, for weights w_i. */
static void weighted_gram(const brant *b, const double *w, double *out)
{
    int m = b->n + 1;
    memset(out, 0, (size_t)m * (size_t)m * sizeof *out);
    for (int64_t i = 0; i < b->p->n; i++) {
        const double *x = b->x + i * m;
        for (int c = 0; c < m; c++) {
            double wx = w[i] * x[c];
            for (int r = c; r < m; r++) out[r + c * m] += wx * x[r];
        }
    }
    for (int c = 0; c < m; c++)
        for (int r = 0; r < c; r++) out[r + c * m] = out[c + r * m];
}

/* The logistic regression of 1[y > q], q from 0: slopes, shares, inverse information. *separated: there is no finite
 * one. */
static rung_status binary_steps(rung_ctx *ctx, brant *b, int q, bool *separated)
{
    const problem *p = b->p;
    int m = b->n + 1, *y = NULL;
    double *X = NULL, *gram = NULL, *w = NULL, *slope = b->slope + q * b->n, *share = b->share + q * p->n, cut, value;
    la_mat *rows = NULL;
    TRY(NEW(ctx, &ctx->scratch, y, p->n));
    TRY(NEW_RAW(ctx, &ctx->scratch, X, b->n * p->n));
    TRY(NEW(ctx, &ctx->scratch, w, p->n));
    TRY(NEW(ctx, &ctx->scratch, gram, (int64_t)m * m));
    for (int64_t i = 0; i < p->n; i++) {
        y[i] = 1 + (p->y[i] > q + 1);
        memcpy(X + i * b->n, b->x + i * m + 1, (size_t)b->n * sizeof *X);
    }
    TRY(la_new(ctx, &ctx->scratch, b->n, p->n, &rows));
    la_put(X, rows);
    pool_free(&ctx->scratch, X);
    const cumulative_link link = {.X = rows, .K = 2, .y = y, .weight = p->w, .link = LINK_LOGIT, .ridge = TINY_RIDGE};
    rung_status status = cumulative_link_fit(ctx, &link, slope, &cut, &value);
    if (task_may_fail(status)) {
        *separated = true;
        return RUNG_OK;
    }
    TRY(status);
    for (int j = 0; j < b->n; j++) *separated = *separated || fabs(slope[j]) > MOST_SLOPE;
    for (int64_t i = 0; i < p->n; i++) {
        double f = -cut;
        for (int j = 0; j < b->n; j++) f += slope[j] * b->x[i * m + j + 1];
        share[i] = 1 / (1 + exp(-f));
        w[i] = row_weight(p, i) * share[i] * (1 - share[i]);
    }
    weighted_gram(b, w, gram);
    double *inverse = b->inverse + (int64_t)q * m * m;
    for (int j = 0; j < m; j++) inverse[j + j * m] = 1;
    status = la_small_spd_solve(ctx, m, gram, m, inverse);
    *separated = *separated || status == RUNG_ESINGULAR;
    return status == RUNG_ESINGULAR ? RUNG_OK : status;
}

static rung_status binary_fit(rung_ctx *ctx, brant *b, int q, bool *separated)
{
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(binary_steps(ctx, b, q, separated));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* Block (q, r), q <= r, of the joint covariance. */
static rung_status covariance_block(rung_ctx *ctx, brant *b, int q, int r)
{
    const problem *p = b->p;
    int m = b->n + 1, size = b->n * b->cuts;
    const double *A = b->inverse + (int64_t)q * m * m, *B = b->inverse + (int64_t)r * m * m;
    double *w = NULL, *gram = NULL, *left = NULL, *block = NULL;
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(NEW_RAW(ctx, &ctx->scratch, w, p->n));
    TRY(NEW(ctx, &ctx->scratch, gram, (int64_t)m * m));
    TRY(NEW(ctx, &ctx->scratch, left, (int64_t)m * m));
    TRY(NEW(ctx, &ctx->scratch, block, (int64_t)m * m));
    for (int64_t i = 0; i < p->n; i++) w[i] = row_weight(p, i) * b->share[r * p->n + i] * (1 - b->share[q * p->n + i]);
    weighted_gram(b, w, gram);
    la_thin(false, 1, (la_thin_mat){m, m, A}, (la_thin_mat){m, m, gram}, 0, left);
    la_thin(false, 1, (la_thin_mat){m, m, left}, (la_thin_mat){m, m, B}, 0, block);
    for (int j = 0; j < b->n; j++)
        for (int k = 0; k < b->n; k++) {
            b->between[q * b->n + j + (int64_t)(r * b->n + k) * size] = block[j + 1 + (k + 1) * m];
            b->between[r * b->n + k + (int64_t)(q * b->n + j) * size] = block[j + 1 + (k + 1) * m];
        }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* Wald's statistic that the slopes of the chosen columns do not depend on the threshold: of the differences between the
 * first and every other. which: a column of the table; -1: all of them. */
static rung_status wald(rung_ctx *ctx, const brant *b, int64_t which, double *out)
{
    int size = b->n * b->cuts, *chosen = NULL, count = 0;
    TRY(NEW(ctx, &ctx->scratch, chosen, b->n));
    for (int j = 0; j < b->n; j++)
        if (which < 0 || b->column[j] == which) chosen[count++] = j;
    int m = count * (b->cuts - 1);
    out[0] = out[1] = NAN;
    if (m == 0) return RUNG_OK;
    double *V = NULL, *difference = NULL, *solved = NULL;
    TRY(NEW(ctx, &ctx->scratch, V, (int64_t)m * m));
    TRY(NEW(ctx, &ctx->scratch, difference, m));
    TRY(NEW(ctx, &ctx->scratch, solved, m));
    for (int a = 0; a < m; a++) {
        int j = chosen[a % count], q = 1 + a / count;
        difference[a] = solved[a] = b->slope[j] - b->slope[j + q * b->n];
        for (int c = 0; c < m; c++) {
            int k = chosen[c % count], r = 1 + c / count;
            const double *to_first = b->between + (int64_t)k * size,
                         *to_r = b->between + (int64_t)(r * b->n + k) * size;
            V[a + (int64_t)c * m] = to_first[j] - to_first[q * b->n + j] - to_r[j] + to_r[q * b->n + j];
        }
    }
    rung_status status = la_small_spd_solve(ctx, m, V, 1, solved);
    if (status == RUNG_ESINGULAR) return RUNG_OK;
    TRY(status);
    out[0] = 0;
    out[1] = m;
    for (int a = 0; a < m; a++) out[0] += difference[a] * solved[a];
    out[0] = fmax(out[0], 0);
    return RUNG_OK;
}

static rung_status infer_parallel(rung_ctx *ctx, const study *s, rung_model *model)
{
    const problem *p = s->p;
    fit_inference *out = &model->inferred;
    brant b = {.p = p, .cuts = p->K - 1};
    bool separated = false;
    TRY(brant_columns(ctx, s, &b));
    int64_t m = b.n + 1, size = (int64_t)b.n * b.cuts;
    if (b.n == 0 || size > MOST_TESTED || p->n <= m) return RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, b.share, b.cuts * p->n));
    TRY(NEW(ctx, &ctx->scratch, b.slope, size));
    TRY(NEW(ctx, &ctx->scratch, b.inverse, m * m * b.cuts));
    TRY(NEW(ctx, &ctx->scratch, b.between, size * size));
    for (int q = 0; q < b.cuts && !separated; q++) TRY(binary_fit(ctx, &b, q, &separated));
    if (separated) return RUNG_OK;
    for (int q = 0; q < b.cuts; q++)
        for (int r = q; r < b.cuts; r++) TRY(covariance_block(ctx, &b, q, r));
    out->tests = model->code.n_columns + 1;
    TRY(NEW(ctx, &model->mem, out->parallel, 2 * out->tests));
    for (int64_t j = 0; j < out->tests; j++) TRY(wald(ctx, &b, j + 1 < out->tests ? j : -1, out->parallel + 2 * j));
    return RUNG_OK;
}

/* ---- both ---- */

rung_status pom_infer(rung_ctx *ctx, const fit_input *in, rung_model *model)
{
    study s = {.p = in->p, .model = model};
    const pom_params *params = in->params;
    fit_inference *out = &model->inferred;
    if (in->p->stream || in->p->d > in->p->n || in->p->d + in->p->K > MOST_PARAMETERS) return RUNG_OK;
    pool_mark mark = pool_here(&ctx->scratch);
    s.n_terms = coding_terms(&model->code, 0, NULL);
    TRY(NEW(ctx, &ctx->scratch, s.terms, s.n_terms));
    coding_terms(&model->code, s.n_terms, s.terms);
    out->n = s.n_terms + in->p->K - 1;
    TRY(NEW(ctx, &model->mem, out->error, out->n));
    pool_mark inner = pool_here(&ctx->scratch);
    TRY(infer_errors(ctx, &s, params, out));
    pool_release(&ctx->scratch, inner);
    /* an interval says nothing about the thresholds inside it, and not at random: the regressions need exact labels */
    if (params->link == LINK_LOGIT && in->p->K > 2 && !in->p->upper) TRY(infer_parallel(ctx, &s, model));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
