// SPDX-License-Identifier: BSD-3-Clause
/* infer.c - how certain the estimates of a mixed model are.
 *
 * The covariance of the estimates is the inverse of the observed information: differences of the analytic gradient, in
 * all parameters together. Intervals of a standard deviation are Wald's for its logarithm, those of a correlation for
 * atanh. A term is tested by the likelihood that is lost without it. Its variance cannot be below 0, where the value
 * is 0 half of the time: p is half of that of chi-squared with one degree of freedom for a variance alone, and for one
 * slope beside an intercept the mean of those with one and two (Stram, Lee. Variance components testing in the
 * longitudinal mixed effects model. Biometrics 50:1171-1177, 1994). Several effects at once are tested by all their
 * parameters, which is cautious. */
#include <string.h>

#include "method/mixed/mixed.h"
#include "solve/chi_square.h"

enum { MOST_PARAMETERS = 300 };
static const double STEP = 1e-4, NONE = 1e-3, MOST_UNCERTAIN = 100;

/* ---- the estimates, in inner coordinates ---- */

/* Lambda with Lambda Lambda' = A, which may be singular. */
static void root_of(int q, const double *A, double *lambda)
{
    double most = 0;
    for (int c = 0; c < q; c++) most = fmax(most, A[c + c * q]);
    for (int c = 0; c < q; c++)
        for (int r = c; r < q; r++) {
            double sum = A[r + c * q], pivot = lambda[triangle(q, c, c)];
            for (int k = 0; k < c; k++) sum -= lambda[triangle(q, r, k)] * lambda[triangle(q, c, k)];
            if (r == c) pivot = sqrt(fmax(sum, 0));
            lambda[triangle(q, r, c)] = r == c ? pivot : pivot > 1e-7 * sqrt(most) ? sum / pivot : 0;
        }
}

void mixed_theta(const mixed_design *m, const rung_model *model, double *theta)
{
    const scorer *s = &model->members->score;
    const random_effects *effects = s->random;
    double shift = 0;
    for (int64_t k = 0; k < m->p; k++) {
        int64_t j = m->column[k];
        theta[k] = s->coef[j] * m->sd[j];
        shift += s->coef[j] * m->mean[j];
    }
    for (int q = 0; q < m->K - 1; q++) theta[m->p + q] = effects->b[q] - s->bias[0] - shift;
    for (int t = 0; t < m->n_terms; t++) { /* (1, x)'u = (1, z)'S u for x = mean + sd z */
        const random_effect *e = &effects->term[t];
        int q = e->q;
        double S[EFFECT_MATRIX] = {0}, A[EFFECT_MATRIX];
        S[0] = 1;
        for (int r = 1; r < q; r++) {
            S[r + r * q] = m->sd[e->slope[r - 1]];
            S[r * q] = m->mean[e->slope[r - 1]];
        }
        effect_carry(q, S, e->covariance, A);
        root_of(q, A, theta + m->term[t].at);
    }
}

/* ---- the covariance of the estimates ---- */

/* Parameters of a standard deviation that is 0 are not estimated: free[k] false. */
static int free_parameters(const mixed_design *m, const double *theta, bool *free_of)
{
    int n = 0;
    for (int k = 0; k < m->size; k++) free_of[k] = true;
    for (int t = 0; t < m->n_terms; t++)
        for (int c = 0, q = m->term[t].q; c < q; c++) {
            const double *own = theta + m->term[t].at + triangle(q, c, c);
            bool zero = true;
            for (int r = 0; r < q - c; r++) zero = zero && fabs(own[r]) < NONE;
            for (int r = 0; r < q - c; r++) free_of[own + r - theta] = !zero && !(r == 0 && fabs(own[0]) < NONE);
        }
    for (int k = 0; k < m->size; k++) n += free_of[k];
    return n;
}

/* out (size x size): the inverse of the information, 0 for parameters that are not free. *good: there is one. */
static rung_status covariance_of(rung_ctx *ctx, const mixed_design *m, const double *theta, double *out, bool *good)
{
    mixed_likelihood *s;
    bool *free_of = NULL;
    double *at = NULL, *up = NULL, *down = NULL, *H = NULL, value;
    int *place = NULL, size = m->size, n, k = 0;
    la_mat *L = NULL;
    TRY(NEW(ctx, &ctx->scratch, free_of, size));
    TRY(NEW(ctx, &ctx->scratch, place, size));
    TRY(NEW(ctx, &ctx->scratch, at, size));
    TRY(NEW(ctx, &ctx->scratch, up, size));
    TRY(NEW(ctx, &ctx->scratch, down, size));
    n = free_parameters(m, theta, free_of);
    for (int j = 0; j < size; j++)
        if (free_of[j]) place[k++] = j;
    TRY(NEW(ctx, &ctx->scratch, H, (int64_t)n * n));
    TRY(mixed_likelihood_new(ctx, m, &s));
    *good = false;
    for (int j = 0; j < n; j++) {
        double step = STEP, widest = STEP;
        int q = place[j] - (int)m->p; /* thresholds must stay in order */
        for (int o = q - 1; o <= q && q >= 0 && q < m->K - 1; o++)
            if (o >= 0 && o + 1 < m->K - 1) widest = fmin(widest, (theta[m->p + o + 1] - theta[m->p + o]) / 4);
        step = widest;
        memcpy(at, theta, (size_t)size * sizeof *at);
        at[place[j]] = theta[place[j]] + step;
        TRY(mixed_likelihood_at(ctx, s, at, &value, up));
        if (!isfinite(value)) return RUNG_OK;
        at[place[j]] = theta[place[j]] - step;
        TRY(mixed_likelihood_at(ctx, s, at, &value, down));
        if (!isfinite(value)) return RUNG_OK;
        for (int i = 0; i < n; i++) H[i + j * n] = (up[place[i]] - down[place[i]]) / (2 * step);
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++) H[i + j * n] = H[j + i * n] = (H[i + j * n] + H[j + i * n]) / 2;
    TRY(la_new(ctx, &ctx->scratch, n, n, &L));
    la_put(H, L);
    rung_status status = la_potrf(ctx, L);
    if (status == RUNG_ESINGULAR) return RUNG_OK;
    TRY(status);
    TRY(la_potri(ctx, L));
    la_get(L, H);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) out[place[i] + (int64_t)place[j] * size] = H[i + j * n];
    *good = true;
    return RUNG_OK;
}

/* ---- coefficients and thresholds on the scale of the data ---- */

static double factor_of(const rung_model *model, int64_t j)
{
    return model->members->scale.kind == SCALE_NONE ? 1 : model->members->scale.factor[j];
}

/* What a coefficient or threshold is of theta. of: of a coded column its place in theta, -1: it has none. */
static void add_column(const mixed_design *m, const int *of, int64_t j, double share, double *form)
{
    if (of[j] >= 0) form[of[j]] += share / m->sd[j];
}

static void make_forms(const mixed_design *m, const rung_model *model, const int *of, int64_t n_terms,
                       const score_term *terms, double *forms)
{
    const coding *code = &model->code;
    const scaling *scale = &model->members->scale;
    for (int64_t t = 0; t < n_terms; t++) {
        double *form = forms + t * m->size;
        add_column(m, of, terms[t].coded, factor_of(model, terms[t].coded), form);
        if (terms[t].against >= 0) add_column(m, of, terms[t].against, -factor_of(model, terms[t].against), form);
    }
    for (int q = 0; q < m->K - 1; q++) {
        double *form = forms + (n_terms + q) * m->size;
        form[m->p + q] = 1;
        for (int64_t j = 0; j < code->d; j++)
            add_column(m, of, j, m->mean[j] + (scale->kind == SCALE_NONE ? 0 : scale->factor[j] * scale->shift[j]),
                       form);
        for (int64_t j = 0; j < code->n_columns; j++) {
            const column_code *c = &code->columns[j];
            if (c->nominal)
                add_column(m, of, c->first + c->reference, -factor_of(model, c->first + c->reference), form);
        }
    }
}

/* An effect over the range of a column that may be anything: the classes are separated along it. */
static bool is_unknown(const problem *p, const rung_model *model, int64_t j, double error)
{
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < p->n; i++) {
        low = fmin(low, p->X[j + i * p->d]);
        high = fmax(high, p->X[j + i * p->d]);
    }
    return error * (high - low) / factor_of(model, j) > MOST_UNCERTAIN;
}

static rung_status fixed_errors(rung_ctx *ctx, const problem *p, const mixed_design *m, const double *covariance,
                                bool good, rung_model *model)
{
    fit_inference *out = &model->inferred;
    int64_t n_terms = coding_terms(&model->code, 0, NULL), n = n_terms + m->K - 1, size = m->size;
    score_term *terms = NULL;
    double *forms = NULL, *half = NULL;
    int *of = NULL;
    TRY(NEW(ctx, &ctx->scratch, terms, n_terms));
    coding_terms(&model->code, n_terms, terms);
    TRY(NEW(ctx, &ctx->scratch, of, p->d));
    for (int64_t j = 0; j < p->d; j++) of[j] = -1;
    for (int64_t k = 0; k < m->p; k++) of[m->column[k]] = (int)k;
    TRY(NEW(ctx, &ctx->scratch, forms, size * n));
    TRY(NEW(ctx, &ctx->scratch, half, size * n));
    TRY(NEW(ctx, &model->mem, out->error, n));
    TRY(NEW(ctx, &model->mem, out->covariance, n * n));
    make_forms(m, model, of, n_terms, terms, forms);
    la_thin(false, 1, (la_thin_mat){size, size, covariance}, (la_thin_mat){size, n, forms}, 0, half);
    la_thin(true, 1, (la_thin_mat){size, n, forms}, (la_thin_mat){size, n, half}, 0, out->covariance);
    for (int64_t k = 0; k < n * n && !good; k++) out->covariance[k] = NAN;
    for (int64_t t = 0; t < n; t++) {
        double variance = out->covariance[t + t * n];
        bool none = t < n_terms && of[terms[t].coded] < 0 && (terms[t].against < 0 || of[terms[t].against] < 0);
        out->error[t] = variance > 0 && !none ? sqrt(variance) : NAN;
        if (t < n_terms && !isnan(out->error[t]) && is_unknown(p, model, terms[t].coded, out->error[t]))
            out->error[t] = INFINITY;
    }
    out->n = n;
    out->kind = ERRORS_OF_MODEL;
    out->units = p->n;
    out->parameters = size;
    for (int64_t i = 0; i < p->n; i++) out->rows += row_weight(m, i);
    return RUNG_OK;
}

/* ---- standard deviations and correlations on the scale of the data ---- */

/* Numbers of a term from its parameters: logarithms of standard deviations, then atanh of correlations. */
static void components(const mixed_design *m, const mixed_term *t, const scaling *s, const random_effect *e,
                       const double *lambda, double *out)
{
    int q = t->q, at = q;
    double T[EFFECT_MATRIX], B[EFFECT_MATRIX], A[EFFECT_MATRIX], one[EFFECT_MATRIX] = {0};
    for (int c = 0; c < q; c++) one[c + c * q] = 1;
    mixed_loadings(m, t, lambda, B);
    effect_carry(q, B, one, A);
    effect_transform(e, s, T);
    effect_carry(q, T, A, B);
    for (int r = 0; r < q; r++) out[r] = 0.5 * log(B[r + r * q]);
    for (int c = 0; c < q; c++)
        for (int r = c + 1; r < q; r++) out[at++] = atanh(B[r + c * q] / sqrt(B[r + r * q] * B[c + c * q]));
}

/* By the delta method. */
static void component_errors(const mixed_design *m, int number, const scaling *s, const double *theta,
                             const double *covariance, random_effect *e)
{
    const mixed_term *t = &m->term[number];
    int q = t->q, n = q * (q + 1) / 2;
    enum { MOST = MIXED_EFFECTS * (MIXED_EFFECTS + 1) / 2 };
    double lambda[MOST], up[MOST], down[MOST], slope[MOST][MOST];
    memcpy(lambda, theta + t->at, (size_t)n * sizeof *lambda);
    for (int k = 0; k < n; k++) {
        double step = 1e-5 * fmax(fabs(lambda[k]), 1e-3), own = lambda[k];
        lambda[k] = own + step;
        components(m, t, s, e, lambda, up);
        lambda[k] = own - step;
        components(m, t, s, e, lambda, down);
        lambda[k] = own;
        for (int i = 0; i < n; i++) slope[i][k] = (up[i] - down[i]) / (2 * step);
    }
    for (int i = 0; i < n; i++) {
        double variance = 0;
        for (int k = 0; k < n; k++)
            for (int l = 0; l < n; l++)
                variance += slope[i][k] * slope[i][l] * covariance[t->at + k + (int64_t)(t->at + l) * m->size];
        e->error[i] = variance > 0 && sqrt(variance) < MOST_UNCERTAIN ? sqrt(variance) : NAN;
    }
}

/* ---- tests ---- */

/* The maximum without some effects, from the estimates with them. */
static rung_status maximum_without(rung_ctx *ctx, const mixed_design *m, int term, bool slopes, double *out)
{
    mixed_design less;
    mixed_likelihood *s;
    double *theta = NULL;
    mixed_design_without(m, term, slopes, &less);
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(mixed_likelihood_new(ctx, &less, &s));
    TRY(NEW(ctx, &ctx->scratch, theta, less.size));
    mixed_start(&less, theta);
    rung_status status = mixed_maximise(ctx, s, theta, out);
    if (status == RUNG_ENOCONV) *out = NAN;
    pool_release(&ctx->scratch, mark);
    return status == RUNG_ENOCONV ? RUNG_OK : status;
}

static void take_test(double full, double less, int q, bool slopes, double *test)
{
    double chi2 = fmax(2 * (full - less), 0);
    int before = slopes ? 1 : 0, df = q * (q + 1) / 2 - before;
    test[0] = chi2;
    test[1] = df;
    test[2] = chi_square_above(chi2, df);
    if (q - before == 1) test[2] = (chi_square_above(chi2, df - 1) + test[2]) / 2;
    if (isnan(less)) test[0] = test[1] = test[2] = NAN;
}

rung_status mixed_infer(rung_ctx *ctx, const fit_input *in, rung_model *model)
{
    const problem *p = in->p;
    random_effects *effects = model->members->score.random;
    mixed_design m;
    double *theta = NULL, *covariance = NULL, value, *gradient = NULL, less;
    mixed_likelihood *s;
    bool good;
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(mixed_design_new(ctx, p, in->params, &m));
    if (m.size > MOST_PARAMETERS) return RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, theta, m.size));
    TRY(NEW(ctx, &ctx->scratch, gradient, m.size));
    TRY(NEW(ctx, &ctx->scratch, covariance, (int64_t)m.size * m.size));
    mixed_theta(&m, model, theta);
    TRY(mixed_likelihood_new(ctx, &m, &s));
    TRY(mixed_likelihood_at(ctx, s, theta, &value, gradient));
    pool_mark inner = pool_here(&ctx->scratch);
    TRY(covariance_of(ctx, &m, theta, covariance, &good));
    pool_release(&ctx->scratch, inner);
    TRY(fixed_errors(ctx, p, &m, covariance, good, model));
    model->inferred.log_likelihood = -value;
    for (int t = 0; t < m.n_terms; t++) {
        random_effect *e = &effects->term[t];
        if (good) component_errors(&m, t, &model->members->scale, theta, covariance, e);
        TRY(maximum_without(ctx, &m, t, false, &less));
        take_test(-value, less, e->q, false, e->test);
        if (e->q == 1) continue;
        TRY(maximum_without(ctx, &m, t, true, &less));
        take_test(-value, less, e->q, true, e->test + 3);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
