// SPDX-License-Identifier: BSD-3-Clause
/* A row meets two thresholds at most, so its derivatives fill few places: they are summed in a dense local matrix. For
 * the links whose log likelihood is concave, and without z, Newton's iteration finds the maximum from anywhere; else it
 * finds one, as that of ordinal::clm does. */
#include "method/baseline/threshold_model.h"

#include <math.h>
#include <string.h>

#include "linalg/la.h"

enum { MOST_STEPS = 200 };
static const double DECREMENT = 1e-13, ARMIJO = 1e-4, ROUNDING = 1e-6; /* of a log likelihood */

typedef struct {
    const threshold_model *m;
    const bool *held;
    int shared, block, local, size; /* numbers of parameters: w, of a threshold, of a row, all */
    int *place;                     /* d: of a column among the shared ones, or within the block of a threshold */
    double total;                   /* weight */
    double *next, *gradient, *step, *hessian, *factor;
    double *cut;          /* K: the thresholds as a row sees them */
    double *du, *dv, *h;  /* local: derivatives of the ends of a class */
    int *at;              /* local: the parameters of a row */
    double *forth, *back; /* size x size: the expected information on either side of theta (firth) */
} work;

typedef struct { /* a row at theta */
    link_site site;
    double u, v, shrink; /* the ends of its class; exp(-t'z) */
    int low, high;
} row_state;

static bool is_own(const threshold_model *m, int j) { return m->own && m->own[j]; }

static int count_own(const threshold_model *m, int before)
{
    int count = 0;
    for (int j = 0; j < before; j++) count += is_own(m, j);
    return count;
}

int threshold_model_cut(const threshold_model *m, int q)
{
    int own = count_own(m, m->d);
    return m->d - own + m->spreads + q * (own + 1);
}

int threshold_model_spread(const threshold_model *m, int k) { return m->d - count_own(m, m->d) + k; }

int threshold_model_slope(const threshold_model *m, int column, int q)
{
    int before = count_own(m, column);
    return is_own(m, column) ? threshold_model_cut(m, q) + 1 + before : column - before;
}

int threshold_model_size(const threshold_model *m) { return threshold_model_cut(m, m->K - 1); }

static double weight_of(const threshold_model *m, int64_t i) { return m->weight ? m->weight[i] : 1; }

static rung_status work_new(rung_ctx *ctx, const threshold_model *m, const bool *held, work *s)
{
    pool *mem = &ctx->scratch;
    *s = (work){.m = m, .held = held, .block = 1 + count_own(m, m->d), .size = threshold_model_size(m)};
    s->shared = m->d + 1 - s->block;
    s->local = s->shared + m->spreads + 2 * s->block;
    int64_t size = s->size, l = s->local;
    TRY(NEW(ctx, mem, s->place, m->d));
    for (int j = 0, own = 1, shared = 0; j < m->d; j++) s->place[j] = is_own(m, j) ? own++ : shared++;
    for (int64_t i = 0; i < m->n; i++) s->total += weight_of(m, i);
    TRY(NEW(ctx, mem, s->next, size));
    TRY(NEW(ctx, mem, s->gradient, size));
    TRY(NEW(ctx, mem, s->step, size));
    TRY(NEW(ctx, mem, s->hessian, size * size));
    TRY(NEW(ctx, mem, s->factor, size * size));
    TRY(NEW(ctx, mem, s->cut, m->K));
    TRY(NEW(ctx, mem, s->du, l));
    TRY(NEW(ctx, mem, s->dv, l));
    TRY(NEW(ctx, mem, s->h, l));
    TRY(NEW(ctx, mem, s->at, l));
    if (!m->firth) return RUNG_OK;
    TRY(NEW(ctx, mem, s->forth, size * size));
    return NEW(ctx, mem, s->back, size * size);
}

/* ---- a row ---- */

static double cut_at(const work *s, const double *theta, const double *x, int q)
{
    const double *block = theta + s->shared + s->m->spreads + q * s->block;
    double cut = block[0];
    for (int j = 0; j < s->m->d && s->block > 1; j++)
        if (is_own(s->m, j)) cut -= block[s->place[j]] * x[j];
    return cut;
}

/* What all thresholds have in common: the latent value, and the shrinkage of the row. */
static double latent_at(const work *s, const double *theta, int64_t i, double *shrink)
{
    const threshold_model *m = s->m;
    const double *x = m->X + i * m->d, *z = m->Z + (m->spreads ? i * m->spreads : 0);
    double f = m->offset ? m->offset[i] : 0, log_spread = 0;
    for (int j = 0; j < m->d; j++)
        if (!is_own(m, j)) f += theta[s->place[j]] * x[j];
    for (int k = 0; k < m->spreads; k++) log_spread += theta[s->shared + k] * z[k];
    *shrink = m->spreads ? exp(-log_spread) : 1;
    return f;
}

/* The row as if its label were low..high; false where its thresholds are out of order. */
static bool row_as(work *s, const double *theta, int64_t i, int low, int high, row_state *out)
{
    const threshold_model *m = s->m;
    const double *x = m->X + i * m->d;
    double f = latent_at(s, theta, i, &out->shrink) * out->shrink;
    out->low = low;
    out->high = high;
    if (high < m->K) s->cut[high - 1] = cut_at(s, theta, x, high - 1) * out->shrink;
    if (low > 1) s->cut[low - 2] = cut_at(s, theta, x, low - 2) * out->shrink;
    if (low > 1 && high < m->K && !(s->cut[high - 1] > s->cut[low - 2])) return false;
    out->u = high < m->K ? s->cut[high - 1] - f : 0;
    out->v = low > 1 ? s->cut[low - 2] - f : 0;
    out->site = link_site_of(m->link, f, low, high, m->K, s->cut);
    return isfinite(out->site.lp);
}

static bool row_at(work *s, const double *theta, int64_t i, row_state *out)
{
    return row_as(s, theta, i, s->m->y[i], highest_rank(s->m->y, s->m->upper, i), out);
}

/* Derivatives of u and v in the row's own parameters, and which these are. Those of an infinite end meet a zero. */
static void ends_of(work *s, int64_t i, const row_state *r)
{
    const threshold_model *m = s->m;
    const double *x = m->X + i * m->d;
    double *u = s->du, *v = s->dv;
    int own = s->shared + m->spreads, first = own, second = own + s->block;
    memset(u, 0, (size_t)s->local * sizeof *u);
    memset(v, 0, (size_t)s->local * sizeof *v);
    for (int k = 0; k < own; k++) s->at[k] = k;
    for (int k = 0; k < s->block; k++) {
        s->at[first + k] = own + (r->high < m->K ? r->high - 1 : 0) * s->block + k;
        s->at[second + k] = own + (r->low > 1 ? r->low - 2 : 0) * s->block + k;
    }
    u[first] = v[second] = r->shrink;
    for (int j = 0; j < m->d; j++) {
        double by = -x[j] * r->shrink;
        if (is_own(m, j))
            u[first + s->place[j]] = v[second + s->place[j]] = by;
        else
            u[s->place[j]] = v[s->place[j]] = by;
    }
    for (int k = 0; k < m->spreads; k++) {
        double z = m->Z[k + i * m->spreads];
        u[s->shared + k] = -r->u * z;
        v[s->shared + k] = -r->v * z;
    }
}

static double penalty(const work *s, const double *theta)
{
    double sum = 0;
    for (int j = 0; j < s->m->d && s->m->ridge > 0; j++)
        for (int q = 0; q < (is_own(s->m, j) ? s->m->K - 1 : 1); q++) {
            double w = theta[threshold_model_slope(s->m, j, q)];
            sum += w * w;
        }
    return 0.5 * s->m->ridge * s->total * sum;
}

static double log_likelihood(work *s, const double *theta)
{
    double sum = 0;
    row_state r;
    for (int64_t i = 0; i < s->m->n; i++) {
        if (weight_of(s->m, i) == 0) continue;
        if (!row_at(s, theta, i, &r)) return -INFINITY;
        sum += weight_of(s->m, i) * r.site.lp;
    }
    return sum;
}

/* ---- derivatives ---- */

/* Adds g1 u'' + g2 v'' for the parameters of the spread, along which u and v are no lines. */
static void add_bend(work *s, int64_t i, const row_state *r, double w)
{
    const double *z = s->m->Z + i * s->m->spreads;
    for (int k = 0; k < s->m->spreads; k++) {
        int64_t row = s->shared + k;
        for (int a = 0; a < s->local; a++) {
            bool spread = a >= s->shared && a < s->shared + s->m->spreads;
            double bend = w * z[k] * (r->site.g1 * s->du[a] + r->site.g2 * s->dv[a]);
            s->hessian[row + s->at[a] * s->size] += bend;
            if (!spread) s->hessian[s->at[a] + row * s->size] += bend;
        }
    }
}

/* Gradient and Hessian (both triangles) of the negative log likelihood with its ridge. */
static bool derivatives(work *s, const double *theta)
{
    const threshold_model *m = s->m;
    int64_t size = s->size, l = s->local;
    row_state r;
    memset(s->gradient, 0, (size_t)size * sizeof *s->gradient);
    memset(s->hessian, 0, (size_t)(size * size) * sizeof *s->hessian);
    for (int64_t i = 0; i < m->n; i++) {
        double w = weight_of(m, i);
        if (w == 0) continue;
        if (!row_at(s, theta, i, &r)) return false;
        ends_of(s, i, &r);
        const link_site *t = &r.site;
        for (int64_t a = 0; a < l; a++) {
            double hu = w * (t->h11 * s->du[a] + t->h12 * s->dv[a]), hv = w * (t->h12 * s->du[a] + t->h22 * s->dv[a]);
            double *column = s->hessian + s->at[a] * size;
            s->gradient[s->at[a]] -= w * (t->g1 * s->du[a] + t->g2 * s->dv[a]);
            for (int64_t c = 0; c < l; c++) column[s->at[c]] -= hu * s->du[c] + hv * s->dv[c];
        }
        if (m->spreads) add_bend(s, i, &r, w);
    }
    for (int j = 0; j < m->d && m->ridge > 0; j++)
        for (int q = 0; q < (is_own(m, j) ? m->K - 1 : 1); q++) {
            int at = threshold_model_slope(m, j, q);
            s->gradient[at] += m->ridge * s->total * theta[at];
            s->hessian[at + at * size] += m->ridge * s->total;
        }
    return true;
}

/* out += the expected information of a row: the sum over classes of p s s', s the gradient of log p. */
static bool add_expected(work *s, const double *theta, int64_t i, double *out)
{
    double w = weight_of(s->m, i);
    row_state r;
    for (int k = 1; k <= s->m->K && w > 0; k++) {
        if (!row_as(s, theta, i, k, k, &r)) return false;
        ends_of(s, i, &r);
        double p = w * exp(r.site.lp);
        for (int a = 0; a < s->local; a++) s->h[a] = r.site.g1 * s->du[a] + r.site.g2 * s->dv[a];
        for (int a = 0; a < s->local; a++)
            for (int c = 0; c < s->local; c++) out[s->at[c] + (int64_t)s->at[a] * s->size] += p * s->h[a] * s->h[c];
    }
    return true;
}

static bool expected(work *s, const double *theta, double *out)
{
    memset(out, 0, (size_t)(s->size * s->size) * sizeof *out);
    for (int64_t i = 0; i < s->m->n; i++)
        if (!add_expected(s, theta, i, out)) return false;
    return true;
}

/* Half the log determinant of A, which is lost; -inf: it is not positive definite. */
static double half_log_det(rung_ctx *ctx, int n, double *A)
{
    double sum = 0;
    if (la_small_spd_factor(ctx, n, A) != RUNG_OK) return -INFINITY;
    for (int64_t j = 0; j < n; j++) sum += log(A[j + j * n]);
    return sum;
}

/* What is minimised; the latent order of thresholds that no row needs counts with firth alone. */
static double objective(rung_ctx *ctx, work *s, const double *theta)
{
    double value = -log_likelihood(s, theta);
    if (!s->m->firth) return value + penalty(s, theta);
    if (!isfinite(value) || !expected(s, theta, s->forth)) return INFINITY;
    return value - half_log_det(ctx, s->size, s->forth);
}

/* gradient -= that of half the log determinant: trace(I^-1 dI/dtheta) / 2, dI by central differences; hessian := I. */
static rung_status add_firth(rung_ctx *ctx, work *s, const double *theta)
{
    int64_t size = s->size, entries = size * size;
    if (!expected(s, theta, s->hessian)) return set_error(ctx, RUNG_ESINGULAR, "no class has a probability of 0");
    memcpy(s->factor, s->hessian, (size_t)entries * sizeof *s->factor);
    memset(s->forth, 0, (size_t)entries * sizeof *s->forth);
    double *inverse = NULL;
    TRY(NEW(ctx, &ctx->scratch, inverse, entries));
    for (int64_t j = 0; j < size; j++) inverse[j + j * size] = 1;
    TRY(la_small_spd_solve(ctx, (int)size, s->factor, (int)size, inverse));
    memcpy(s->next, theta, (size_t)size * sizeof *theta);
    for (int64_t k = 0; k < size; k++) {
        double h = 1e-5 * fmax(1, fabs(theta[k])), trace = 0;
        if (s->held && s->held[k]) continue;
        s->next[k] = theta[k] + h;
        bool there = expected(s, s->next, s->forth);
        s->next[k] = theta[k] - h;
        there = there && expected(s, s->next, s->back);
        s->next[k] = theta[k];
        for (int64_t e = 0; e < entries && there; e++) trace += inverse[e] * (s->forth[e] - s->back[e]);
        s->gradient[k] -= 0.5 * trace / (2 * h);
    }
    pool_free(&ctx->scratch, inverse);
    return RUNG_OK;
}

/* What is held has no gradient, and no part in the Hessian. */
static void hold(work *s)
{
    int64_t size = s->size;
    for (int64_t k = 0; s->held && k < size; k++) {
        if (!s->held[k]) continue;
        s->gradient[k] = 0;
        for (int64_t j = 0; j < size; j++) s->hessian[j + k * size] = s->hessian[k + j * size] = 0;
        s->hessian[k + k * size] = 1;
    }
}

/* step := H^-1 gradient; where the likelihood is flat, or bent the other way, the Hessian with as little added as it
 * takes. */
static rung_status newton_step(rung_ctx *ctx, work *s, double *decrement)
{
    int64_t m = s->size;
    double largest = 0;
    for (int64_t j = 0; j < m; j++) largest = fmax(largest, fabs(s->hessian[j + j * m]));
    rung_status status = RUNG_ESINGULAR;
    for (double added = 1e-13; status == RUNG_ESINGULAR && added < 1e4; added *= 100) {
        memcpy(s->factor, s->hessian, (size_t)(m * m) * sizeof *s->factor);
        memcpy(s->step, s->gradient, (size_t)m * sizeof *s->step);
        for (int64_t j = 0; j < m; j++) s->factor[j + j * m] += added * largest;
        status = la_small_spd_solve(ctx, (int)m, s->factor, 1, s->step);
    }
    TRY(status);
    *decrement = 0;
    for (int64_t j = 0; j < m; j++) *decrement += s->gradient[j] * s->step[j];
    return RUNG_OK;
}

/* Moves theta along the step, halved until the objective falls; false: it does not. */
static bool move(rung_ctx *ctx, work *s, double decrement, double *theta, double *value)
{
    for (double t = 1; t > 1e-10; t *= 0.5) {
        for (int j = 0; j < s->size; j++) s->next[j] = theta[j] - t * s->step[j];
        double now = objective(ctx, s, s->next);
        if (!(now <= *value - ARMIJO * t * decrement)) continue;
        memcpy(theta, s->next, (size_t)s->size * sizeof *theta);
        *value = now;
        return true;
    }
    return false;
}

static rung_status maximise(rung_ctx *ctx, work *s, double *theta, double *value)
{
    double decrement = 0, now = objective(ctx, s, theta);
    *value = NAN;
    for (int step = 0; step < MOST_STEPS && isfinite(now); step++) {
        TRY(interrupted(ctx));
        if (!derivatives(s, theta)) break;
        if (s->m->firth) TRY(add_firth(ctx, s, theta));
        hold(s);
        TRY(newton_step(ctx, s, &decrement));
        bool last = decrement < DECREMENT * (1 + fabs(now)), moved = move(ctx, s, decrement, theta, &now);
        if (!last && moved) continue;
        if (decrement < ROUNDING * (1 + fabs(now))) *value = -now;
        break;
    }
    return RUNG_OK;
}

/* ---- what others call ---- */

rung_status threshold_model_start(rung_ctx *ctx, const threshold_model *m, double *theta)
{
    double *mass = NULL, total = 0, below = 0;
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(NEW(ctx, &ctx->scratch, mass, m->K));
    if (m->upper)
        TRY(class_masses(ctx, m->n, m->y, m->upper, m->weight, m->K, mass));
    else
        for (int64_t i = 0; i < m->n; i++) mass[m->y[i] - 1] += weight_of(m, i);
    for (int q = 0; q < m->K; q++) total += mass[q];
    memset(theta, 0, (size_t)threshold_model_size(m) * sizeof *theta);
    for (int q = 0; q < m->K - 1; q++) {
        below += mass[q] / total;
        theta[threshold_model_cut(m, q)] = link_quantile(m->link, below);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status threshold_model_fit(rung_ctx *ctx, const threshold_model *m, const bool *held, double *theta, double *value)
{
    pool_mark mark = pool_here(&ctx->scratch);
    work s;
    *value = NAN;
    TRY(work_new(ctx, m, held, &s));
    rung_status status = maximise(ctx, &s, theta, value);
    pool_release(&ctx->scratch, mark);
    return status == RUNG_ESINGULAR ? RUNG_OK : status;
}

rung_status threshold_model_score(rung_ctx *ctx, const threshold_model *m, const double *theta, double *gain)
{
    pool_mark mark = pool_here(&ctx->scratch);
    work s;
    *gain = NAN;
    TRY(work_new(ctx, m, NULL, &s));
    rung_status status = derivatives(&s, theta) ? newton_step(ctx, &s, gain) : RUNG_OK;
    pool_release(&ctx->scratch, mark);
    return status == RUNG_ESINGULAR ? RUNG_OK : status;
}

rung_status threshold_model_information(rung_ctx *ctx, const threshold_model *m, const double *theta, double *out,
                                        double *value)
{
    pool_mark mark = pool_here(&ctx->scratch);
    work s;
    TRY(work_new(ctx, m, NULL, &s));
    *value = log_likelihood(&s, theta);
    bool there = isfinite(*value) && (m->firth ? expected(&s, theta, s.hessian) : derivatives(&s, theta));
    if (!there) return set_error(ctx, RUNG_ESINGULAR, "a class has a probability of 0");
    memcpy(out, s.hessian, (size_t)(s.size * s.size) * sizeof *out);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status threshold_model_meat(rung_ctx *ctx, const threshold_model *m, const double *theta, const row_groups *groups,
                                 double *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    work s;
    row_state r;
    TRY(work_new(ctx, m, NULL, &s));
    int64_t size = s.size;
    memset(out, 0, (size_t)(size * size) * sizeof *out);
    for (int64_t g = 0; g < groups->count; g++) {
        memset(s.gradient, 0, (size_t)size * sizeof *s.gradient);
        for (int64_t k = groups->start[g]; k < groups->start[g + 1]; k++) {
            int64_t i = groups->rows[k];
            if (weight_of(m, i) == 0 || !row_at(&s, theta, i, &r)) continue;
            ends_of(&s, i, &r);
            for (int a = 0; a < s.local; a++)
                s.gradient[s.at[a]] += weight_of(m, i) * (r.site.g1 * s.du[a] + r.site.g2 * s.dv[a]);
        }
        for (int64_t c = 0; c < size; c++)
            for (int64_t a = 0; a < size; a++) out[a + c * size] += s.gradient[a] * s.gradient[c];
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status threshold_model_crossed(rung_ctx *ctx, const threshold_model *m, const double *theta, int64_t *rows)
{
    pool_mark mark = pool_here(&ctx->scratch);
    work s;
    TRY(work_new(ctx, m, NULL, &s));
    *rows = 0;
    for (int64_t i = 0; i < m->n; i++) {
        bool crossed = false;
        for (int q = 0; q < m->K - 1; q++) {
            s.cut[q] = cut_at(&s, theta, m->X + i * m->d, q);
            crossed = crossed || (q > 0 && !(s.cut[q] > s.cut[q - 1]));
        }
        *rows += crossed;
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
