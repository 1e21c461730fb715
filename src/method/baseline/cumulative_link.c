// SPDX-License-Identifier: BSD-3-Clause
#include "method/baseline/cumulative_link.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 200 };
static const double DECREMENT = 1e-13, LEAST = 1e-8, ARMIJO = 1e-4;

/* Whether the error after this step is rounding. Relative to the objective, which is next to nothing where columns
 * separate the classes: there a threshold far from its place adds less than 1e-13 to it. LEAST: without a ridge to
 * speak of there is no end to that. */
static bool is_last(double decrement, double value) { return decrement < DECREMENT * fmax(fabs(value), LEAST); }

typedef struct {
    const cumulative_link *p;
    int64_t n, d, size; /* size = d + K - 1 */
    double total;       /* weight */
    double *f, *root;   /* n: latent values, square roots of the curvature (the curvature where it can be negative) */
    double *x;          /* d x n, as X */
    double *gradient;   /* size */
    double *hessian;    /* size x size */
    double *next;       /* size: a candidate for (w, b) */
    la_mat *scaled, *gram, *factor;
} state;

static link_site site_at(const state *s, const double *theta, int64_t i)
{
    const cumulative_link *p = s->p;
    return link_site_of(p->link, s->f[i], p->y[i], highest_rank(p->y, p->upper, i), p->K, theta + s->d);
}

static double weight_of(const state *s, int64_t i) { return (s->p->weight ? s->p->weight[i] : 1) / s->total; }

/* The objective, and the latent values in f; inf where the thresholds are out of order. */
static double objective(const state *s, const double *theta)
{
    const double *b = theta + s->d;
    double sum = 0;
    for (int q = 1; q < s->p->K - 1; q++)
        if (!(b[q] > b[q - 1])) return INFINITY;
    for (int64_t i = 0; i < s->n; i++) {
        s->f[i] = s->p->offset ? s->p->offset[i] : 0;
        for (int64_t j = 0; j < s->d; j++) s->f[i] += theta[j] * s->x[j + i * s->d];
        sum -= weight_of(s, i) * site_at(s, theta, i).lp;
    }
    for (int64_t j = 0; j < s->d; j++) sum += 0.5 * s->p->ridge * theta[j] * theta[j];
    return sum;
}

/* Row i's part of gradient and Hessian but for the block of w, which is one product: X diag(curvature) X'. */
static void add_row(state *s, const double *theta, int64_t i)
{
    int low = s->p->y[i], high = highest_rank(s->p->y, s->p->upper, i);
    int64_t d = s->d, m = s->size, place[2] = {d + high - 1, d + low - 2};
    link_site t = site_at(s, theta, i);
    double w = weight_of(s, i), g[2] = {t.g1, t.g2}, h[2][2] = {{t.h11, t.h12}, {t.h12, t.h22}};
    const double *x = s->x + i * d;
    bool there[2] = {high<s->p->K, low> 1};
    double curvature = -w * (t.h11 + 2 * t.h12 + t.h22);
    s->root[i] = link_is_concave(s->p->link) ? sqrt(fmax(curvature, 0)) : curvature;
    for (int64_t j = 0; j < d; j++) s->gradient[j] += w * (g[0] + g[1]) * x[j];
    for (int a = 0; a < 2; a++) {
        if (!there[a]) continue;
        s->gradient[place[a]] -= w * g[a];
        for (int64_t j = 0; j < d; j++) s->hessian[place[a] + j * m] += w * (h[a][0] + h[a][1]) * x[j];
        for (int c = 0; c < 2; c++)
            if (there[c] && place[c] <= place[a]) s->hessian[place[a] + place[c] * m] -= w * h[a][c];
    }
}

/* The gradient and the lower triangle of the Hessian; the latent values are those of theta. */
static rung_status derivatives(rung_ctx *ctx, state *s, const double *theta)
{
    int64_t d = s->d, m = s->size;
    double *block = s->hessian + m * m; /* d x d */
    memset(s->hessian, 0, (size_t)(m * m) * sizeof *s->hessian);
    memset(s->gradient, 0, (size_t)m * sizeof *s->gradient);
    for (int64_t i = 0; i < s->n; i++) add_row(s, theta, i);
    TRY(la_gather(ctx, s->p->X, NULL, NULL, s->scaled));
    TRY(la_scale(ctx, NULL, s->root, s->scaled));
    if (link_is_concave(s->p->link))
        TRY(la_syrk(ctx, false, 1, s->scaled, 0, s->gram));
    else
        TRY(la_gemm(ctx, false, true, 1, s->scaled, s->p->X, 0, s->gram));
    la_get(s->gram, block);
    for (int64_t j = 0; j < d; j++) {
        s->gradient[j] += s->p->ridge * theta[j];
        for (int64_t i = j; i < d; i++) s->hessian[i + j * m] = block[i + j * d];
        s->hessian[j + j * m] += s->p->ridge;
    }
    return RUNG_OK;
}

/* factor := the Cholesky factor of the Hessian. Where it is not positive definite (link cauchit, far from the minimum)
 * as little is added as makes it so. */
static rung_status factorise(rung_ctx *ctx, const double *hessian, bool convex, la_mat *factor)
{
    int64_t m = la_rows(factor);
    double largest = 0;
    la_put(hessian, factor);
    rung_status status = la_potrf(ctx, factor);
    for (int64_t j = 0; j < m; j++) largest = fmax(largest, fabs(hessian[j + j * m]));
    for (double added = 1e-6; !convex && status == RUNG_ESINGULAR && added < 1e3; added *= 10) {
        la_put(hessian, factor);
        la_add_diagonal(factor, added * largest, NULL);
        status = la_potrf(ctx, factor);
    }
    return status;
}

/* gradient := Newton's direction; decrement: its length in the Hessian. */
static rung_status direction(rung_ctx *ctx, state *s, const double *theta, double *decrement)
{
    int64_t m = s->size;
    TRY(derivatives(ctx, s, theta));
    TRY(factorise(ctx, s->hessian, link_is_concave(s->p->link), s->factor));
    memcpy(s->next, s->gradient, (size_t)m * sizeof *s->next);
    TRY(la_potrs(ctx, s->factor, 1, s->gradient));
    *decrement = 0;
    for (int64_t j = 0; j < m; j++) *decrement += s->next[j] * s->gradient[j];
    return RUNG_OK;
}

static rung_status state_new(rung_ctx *ctx, const cumulative_link *p, state *s)
{
    pool *mem = &ctx->scratch;
    *s = (state){.p = p, .n = la_cols(p->X), .d = la_rows(p->X)};
    s->size = s->d + p->K - 1;
    TRY(NEW(ctx, mem, s->f, s->n));
    TRY(NEW(ctx, mem, s->root, s->n));
    TRY(NEW_RAW(ctx, mem, s->x, s->n * s->d));
    TRY(NEW(ctx, mem, s->gradient, s->size));
    TRY(NEW(ctx, mem, s->next, s->size));
    TRY(NEW(ctx, mem, s->hessian, s->size * s->size + s->d * s->d));
    TRY(la_new(ctx, mem, s->d, s->n, &s->scaled));
    TRY(la_new(ctx, mem, s->d, s->d, &s->gram));
    TRY(la_new(ctx, mem, s->size, s->size, &s->factor));
    la_get(p->X, s->x);
    return RUNG_OK;
}

static rung_status start(rung_ctx *ctx, const cumulative_link *p, state *s, double *theta)
{
    TRY(state_new(ctx, p, s));
    double below = 0, *mass = NULL;
    for (int64_t i = 0; i < s->n; i++) s->total += p->weight ? p->weight[i] : 1;
    TRY(NEW(ctx, &ctx->scratch, mass, p->K));
    if (p->upper) TRY(class_masses(ctx, s->n, p->y, p->upper, p->weight, p->K, mass));
    for (int q = 1; q < p->K; q++) { /* the thresholds of a model without columns */
        if (p->upper) below += mass[q - 1] / s->total;
        for (int64_t i = 0; i < s->n && !p->upper; i++) below += p->y[i] == q ? weight_of(s, i) : 0;
        theta[s->d + q - 1] = link_quantile(p->link, below);
    }
    return RUNG_OK;
}

rung_status cumulative_link_add(rung_ctx *ctx, const cumulative_link *p, const double *theta, double *sum)
{
    pool_mark mark = pool_here(&ctx->scratch);
    state s;
    TRY(state_new(ctx, p, &s));
    s.total = 1;
    sum[0] += objective(&s, theta);
    for (int64_t i = 0; i < s.n; i++) sum[1] += p->weight ? p->weight[i] : 1;
    TRY(derivatives(ctx, &s, theta));
    for (int64_t j = 0; j < s.size; j++) sum[2 + j] += s.gradient[j];
    for (int64_t j = 0; j < s.size * s.size; j++) sum[2 + s.size + j] += s.hessian[j];
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

typedef struct {
    double value, decrement;
    double *step; /* Newton's, to be subtracted */
} newton_point;

/* The objective and Newton's step at theta, from a pass over all rows. */
static rung_status look_at(rung_ctx *ctx, const link_passes *p, const double *theta, newton_point *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t d = p->d, m = d + p->K - 1;
    double *sum = NULL, total;
    la_mat *factor = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, sum, 2 + m + m * m));
    TRY(la_new(ctx, &ctx->scratch, m, m, &factor));
    TRY(p->pass(ctx, p->user, theta, 2 + m + m * m, sum));
    total = sum[1];
    double *gradient = sum + 2, *hessian = gradient + m;
    out->value = sum[0] / total;
    for (int64_t j = 0; j < m; j++) gradient[j] /= total;
    for (int64_t j = 0; j < m * m; j++) hessian[j] /= total;
    for (int64_t j = 0; j < d; j++) {
        out->value += 0.5 * p->ridge * theta[j] * theta[j];
        gradient[j] += p->ridge * theta[j];
        hessian[j + j * m] += p->ridge;
    }
    out->decrement = 0;
    memcpy(out->step, gradient, (size_t)m * sizeof *gradient);
    if (isfinite(out->value)) {
        TRY(factorise(ctx, hessian, p->convex, factor));
        TRY(la_potrs(ctx, factor, 1, out->step));
    }
    for (int64_t j = 0; j < m; j++) out->decrement += gradient[j] * out->step[j];
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* The step to the candidate is halved until it lowers the objective; each candidate takes a pass, which also gives the
 * step that follows it. */
rung_status cumulative_link_passes(rung_ctx *ctx, const link_passes *p, double *theta, double *value)
{
    enum { MOST_PASSES = 60 };
    int64_t m = p->d + p->K - 1;
    double *candidate = NULL, t = 1;
    newton_point at = {0}, next = {0};
    TRY(NEW(ctx, &ctx->scratch, candidate, m));
    TRY(NEW(ctx, &ctx->scratch, at.step, m));
    TRY(NEW(ctx, &ctx->scratch, next.step, m));
    TRY(look_at(ctx, p, theta, &at));
    for (int pass = 1; pass < MOST_PASSES; pass++) {
        bool last = is_last(at.decrement, at.value);
        for (int64_t j = 0; j < m; j++) candidate[j] = theta[j] - t * at.step[j];
        for (int64_t q = p->d + 1; q < m; q++) /* thresholds out of order: no pass is needed to see it */
            if (!(candidate[q] > candidate[q - 1])) last = false, candidate[0] = NAN;
        *value = at.value;
        if (last) return memcpy(theta, candidate, (size_t)m * sizeof *theta), RUNG_OK;
        next.value = INFINITY;
        if (!isnan(candidate[0])) TRY(look_at(ctx, p, candidate, &next));
        if (next.value <= at.value - ARMIJO * t * at.decrement) {
            newton_point swap = at;
            memcpy(theta, candidate, (size_t)m * sizeof *theta);
            at = next;
            next = swap;
            t = 1;
        } else if (at.decrement < 1e-9 * (1 + fabs(at.value))) {
            return RUNG_OK; /* rounding prevents any gain */
        } else {
            t *= 0.5;
        }
    }
    return set_error(ctx, RUNG_ENOCONV, "Newton's iteration did not converge in %d passes (decrement %.2g)",
                     (int)MOST_PASSES, at.decrement);
}

rung_status cumulative_link_hessian(rung_ctx *ctx, const cumulative_link *p, const double *w, const double *b,
                                    double *hessian, double *log_likelihood)
{
    pool_mark mark = pool_here(&ctx->scratch);
    state s;
    double *theta = NULL;
    TRY(NEW(ctx, &ctx->scratch, theta, la_rows(p->X) + p->K));
    TRY(start(ctx, p, &s, theta));
    memcpy(theta, w, (size_t)s.d * sizeof *w);
    memcpy(theta + s.d, b, (size_t)(p->K - 1) * sizeof *b);
    double value = objective(&s, theta);
    for (int64_t j = 0; j < s.d; j++) value -= 0.5 * p->ridge * w[j] * w[j];
    *log_likelihood = -value * s.total;
    TRY(derivatives(ctx, &s, theta));
    for (int64_t i = 0; i < s.size * s.size; i++) hessian[i] = s.total * s.hessian[i];
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status cumulative_link_meat(rung_ctx *ctx, const cumulative_link *p, const double *w, const double *b,
                                 const row_groups *groups, double *meat)
{
    int64_t n = la_cols(p->X), d = la_rows(p->X), m = d + p->K - 1;
    double *x = NULL, *score = NULL;
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(NEW_RAW(ctx, &ctx->scratch, x, n * d));
    TRY(NEW(ctx, &ctx->scratch, score, m));
    la_get(p->X, x);
    memset(meat, 0, (size_t)(m * m) * sizeof *meat);
    for (int64_t g = 0; g < groups->count; g++) {
        memset(score, 0, (size_t)m * sizeof *score);
        for (int64_t k = groups->start[g]; k < groups->start[g + 1]; k++) {
            int64_t i = groups->rows[k];
            int low = p->y[i], high = highest_rank(p->y, p->upper, i);
            double f = p->offset ? p->offset[i] : 0, weight = p->weight ? p->weight[i] : 1;
            for (int64_t j = 0; j < d; j++) f += w[j] * x[j + i * d];
            link_site t = link_site_of(p->link, f, low, high, p->K, b);
            for (int64_t j = 0; j < d; j++) score[j] -= weight * (t.g1 + t.g2) * x[j + i * d];
            if (high < p->K) score[d + high - 1] += weight * t.g1;
            if (low > 1) score[d + low - 2] += weight * t.g2;
        }
        for (int64_t c = 0; c < m; c++)
            for (int64_t r = c; r < m; r++) meat[r + c * m] += score[r] * score[c];
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status cumulative_link_fit(rung_ctx *ctx, const cumulative_link *p, double *w, double *b, double *value)
{
    pool_mark mark = pool_here(&ctx->scratch);
    state s;
    double *theta = NULL, decrement;
    TRY(NEW(ctx, &ctx->scratch, theta, la_rows(p->X) + p->K));
    TRY(start(ctx, p, &s, theta));
    *value = objective(&s, theta);
    for (int step = 0;; step++) {
        TRY(interrupted(ctx));
        TRY(direction(ctx, &s, theta, &decrement));
        bool last = is_last(decrement, *value);
        if (step == MOST_STEPS)
            return set_error(ctx, RUNG_ENOCONV, "Newton's iteration did not converge in %d steps (decrement %.2g)",
                             step, decrement);
        double t = 1, now = INFINITY;
        for (; t > 1e-10; t *= 0.5) {
            for (int64_t j = 0; j < s.size; j++) s.next[j] = theta[j] - t * s.gradient[j];
            now = objective(&s, s.next);
            if (now <= *value - ARMIJO * t * decrement || (last && isfinite(now))) break;
        }
        if (t <= 1e-10) { /* rounding prevents any gain: the minimum, if the decrement is at the level of rounding */
            if (decrement < 1e-9 * (1 + fabs(*value))) break;
            return set_error(ctx, RUNG_ENOCONV, "Newton's iteration stalled (decrement %.2g)", decrement);
        }
        memcpy(theta, s.next, (size_t)s.size * sizeof *theta);
        *value = now;
        if (last) break;
    }
    memcpy(w, theta, (size_t)s.d * sizeof *w);
    memcpy(b, theta + s.d, (size_t)(p->K - 1) * sizeof *b);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
