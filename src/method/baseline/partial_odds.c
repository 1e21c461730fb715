// SPDX-License-Identifier: BSD-3-Clause
/* Parameters: the coefficients of the other columns, then for every threshold b_q and the coefficients v_q. A row meets
 * two thresholds at most, so its derivatives fill few places: they are summed in a dense local matrix. */
#include "method/baseline/partial_odds.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 100 };
static const double DECREMENT = 1e-12, ARMIJO = 1e-4, ROUNDING = 1e-6; /* of a log likelihood */

typedef struct {
    const partial_odds *p;
    int shared, block, local, size; /* numbers of parameters: common, of a threshold, of a row, all */
    int *place;                     /* d: of a column among the shared ones, or within the block of a threshold */
    double *theta, *next, *gradient, *step, *hessian, *factor;
    double *cut; /* K - 1: the thresholds as a row sees them */
    double *du, *dv, *h;
    int *at; /* local: the parameters of a row */
} work;

static rung_status work_new(rung_ctx *ctx, const partial_odds *p, work *s)
{
    pool *mem = &ctx->scratch;
    *s = (work){.p = p, .block = 1};
    TRY(NEW(ctx, mem, s->place, p->d));
    for (int j = 0; j < p->d; j++) s->place[j] = p->own[j] ? s->block++ : s->shared++;
    s->local = s->shared + 2 * s->block;
    s->size = s->shared + (p->K - 1) * s->block;
    int64_t m = s->size, l = s->local;
    TRY(NEW(ctx, mem, s->theta, m));
    TRY(NEW(ctx, mem, s->next, m));
    TRY(NEW(ctx, mem, s->gradient, m));
    TRY(NEW(ctx, mem, s->step, m));
    TRY(NEW(ctx, mem, s->hessian, m * m));
    TRY(NEW(ctx, mem, s->factor, m * m));
    TRY(NEW(ctx, mem, s->cut, p->K));
    TRY(NEW(ctx, mem, s->du, l));
    TRY(NEW(ctx, mem, s->dv, l));
    TRY(NEW(ctx, mem, s->h, l * l));
    return NEW(ctx, mem, s->at, l);
}

static double cut_at(const work *s, const double *theta, const double *x, int q)
{
    const double *block = theta + s->shared + q * s->block;
    double cut = block[0];
    for (int j = 0; j < s->p->d; j++)
        if (s->p->own[j]) cut -= block[s->place[j]] * x[j];
    return cut;
}

/* The row's part of the log likelihood at theta; false where its thresholds are out of order. */
static bool row_at(work *s, const double *theta, int64_t i, link_site *out)
{
    const partial_odds *p = s->p;
    const double *x = p->X + i * p->d;
    int low = p->y[i], high = highest_rank(p->y, p->upper, i);
    double f = 0;
    for (int j = 0; j < p->d; j++)
        if (!p->own[j]) f += theta[s->place[j]] * x[j];
    if (high < p->K) s->cut[high - 1] = cut_at(s, theta, x, high - 1);
    if (low > 1) s->cut[low - 2] = cut_at(s, theta, x, low - 2);
    if (low > 1 && high < p->K && !(s->cut[high - 1] > s->cut[low - 2])) return false;
    *out = link_site_of(p->link, f, low, high, p->K, s->cut);
    return isfinite(out->lp);
}

static double weight_of(const work *s, int64_t i) { return s->p->weight ? s->p->weight[i] : 1; }

static double negative_log_likelihood(work *s, const double *theta)
{
    double sum = 0;
    link_site t;
    for (int64_t i = 0; i < s->p->n; i++) {
        if (weight_of(s, i) == 0) continue;
        if (!row_at(s, theta, i, &t)) return INFINITY;
        sum -= weight_of(s, i) * t.lp;
    }
    return sum;
}

/* Derivatives of u and v, the two ends of the row's class, in the row's own parameters, and which these are. */
static void ends_of(work *s, int64_t i)
{
    const partial_odds *p = s->p;
    const double *x = p->X + i * p->d;
    int low = p->y[i], high = highest_rank(p->y, p->upper, i);
    double *u = s->du, *v = s->dv;
    memset(u, 0, (size_t)s->local * sizeof *u);
    memset(v, 0, (size_t)s->local * sizeof *v);
    for (int k = 0; k < s->block; k++) {
        s->at[s->shared + k] = s->shared + (high < p->K ? high - 1 : 0) * s->block + k;
        s->at[s->shared + s->block + k] = s->shared + (low > 1 ? low - 2 : 0) * s->block + k;
    }
    u[s->shared] = v[s->shared + s->block] = 1;
    for (int j = 0; j < p->d; j++) {
        if (p->own[j]) {
            u[s->shared + s->place[j]] = v[s->shared + s->block + s->place[j]] = -x[j];
        } else {
            s->at[s->place[j]] = s->place[j];
            u[s->place[j]] = v[s->place[j]] = -x[j];
        }
    }
}

/* Gradient and Hessian (both triangles) of the negative log likelihood at theta. */
static bool derivatives(work *s)
{
    int64_t m = s->size, l = s->local;
    link_site t;
    memset(s->gradient, 0, (size_t)m * sizeof *s->gradient);
    memset(s->hessian, 0, (size_t)(m * m) * sizeof *s->hessian);
    for (int64_t i = 0; i < s->p->n; i++) {
        double w = weight_of(s, i);
        if (w == 0) continue;
        if (!row_at(s, s->theta, i, &t)) return false;
        ends_of(s, i);
        for (int64_t a = 0; a < l; a++) {
            double hu = w * (t.h11 * s->du[a] + t.h12 * s->dv[a]), hv = w * (t.h12 * s->du[a] + t.h22 * s->dv[a]);
            double *column = s->hessian + s->at[a] * m;
            s->gradient[s->at[a]] -= w * (t.g1 * s->du[a] + t.g2 * s->dv[a]);
            for (int64_t c = 0; c < l; c++) column[s->at[c]] -= hu * s->du[c] + hv * s->dv[c];
        }
    }
    return true;
}

/* step := H^-1 gradient; where the likelihood is flat, the Hessian with as little added as it takes. */
static rung_status newton_step(rung_ctx *ctx, work *s, double *decrement)
{
    int64_t m = s->size;
    double largest = 0;
    for (int64_t j = 0; j < m; j++) largest = fmax(largest, s->hessian[j + j * m]);
    rung_status status = RUNG_ESINGULAR;
    for (double added = 1e-13; status == RUNG_ESINGULAR && added < 1; added *= 100) {
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

static void start_at(work *s, const double *w, const double *b)
{
    for (int j = 0; j < s->p->d; j++)
        if (!s->p->own[j]) s->theta[s->place[j]] = w[j];
    for (int q = 0; q < s->p->K - 1; q++) {
        double *block = s->theta + s->shared + q * s->block;
        block[0] = b[q];
        for (int j = 0; j < s->p->d; j++)
            if (s->p->own[j]) block[s->place[j]] = w[j];
    }
}

/* Moves theta along the step, halved until the likelihood grows; false: it does not. */
static bool move(work *s, double decrement, double *value)
{
    for (double t = 1; t > 1e-10; t *= 0.5) {
        for (int j = 0; j < s->size; j++) s->next[j] = s->theta[j] - t * s->step[j];
        double now = negative_log_likelihood(s, s->next);
        if (!(now <= *value - ARMIJO * t * decrement)) continue;
        memcpy(s->theta, s->next, (size_t)s->size * sizeof *s->theta);
        *value = now;
        return true;
    }
    return false;
}

static rung_status maximise(rung_ctx *ctx, work *s, double *gain)
{
    double decrement = 0, first = negative_log_likelihood(s, s->theta), value = first;
    for (int step = 0; step < MOST_STEPS && isfinite(value); step++) {
        TRY(interrupted(ctx));
        if (!derivatives(s)) break;
        TRY(newton_step(ctx, s, &decrement));
        if (s->p->score) return *gain = decrement, RUNG_OK;
        bool last = decrement < DECREMENT * (1 + fabs(value)), moved = move(s, decrement, &value);
        if (!last && moved) continue;
        if (decrement < ROUNDING * (1 + fabs(value))) *gain = fmax(2 * (first - value), 0);
        break;
    }
    return RUNG_OK;
}

rung_status partial_odds_gain(rung_ctx *ctx, const partial_odds *p, const double *w, const double *b, double *gain)
{
    pool_mark mark = pool_here(&ctx->scratch);
    work s;
    *gain = NAN;
    TRY(work_new(ctx, p, &s));
    start_at(&s, w, b);
    rung_status status = maximise(ctx, &s, gain);
    pool_release(&ctx->scratch, mark);
    return status == RUNG_ESINGULAR ? RUNG_OK : status;
}
