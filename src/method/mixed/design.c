// SPDX-License-Identifier: BSD-3-Clause
/* design.c - the rows of a problem in the inner coordinates of the likelihood: columns with mean 0 and variance 1,
 * without those that others determine, and the groups of each random term by number. */
#include <stdlib.h>
#include <string.h>

#include "data/random_terms.h"
#include "method/mixed/mixed.h"

static bool is_level(const column_code *c) { return !c->nominal && c->form == FORM_LEVEL; }

/* ---- fixed columns ---- */

static rung_status standardise(rung_ctx *ctx, const problem *p, mixed_design *out)
{
    double total = 0;
    TRY(NEW(ctx, &ctx->scratch, out->mean, p->d));
    TRY(NEW(ctx, &ctx->scratch, out->sd, p->d));
    for (int64_t i = 0; i < p->n; i++) {
        double w = p->w ? p->w[i] : 1;
        total += w;
        for (int64_t j = 0; j < p->d; j++) out->mean[j] += w * p->X[j + i * p->d];
    }
    for (int64_t j = 0; j < p->d; j++) out->mean[j] /= total;
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t j = 0; j < p->d; j++) {
            double x = p->X[j + i * p->d] - out->mean[j];
            out->sd[j] += (p->w ? p->w[i] : 1) * x * x;
        }
    for (int64_t j = 0; j < p->d; j++) out->sd[j] = sqrt(out->sd[j] / total);
    return RUNG_OK;
}

/* With the columns kept so far, whose correlations are r'r: whether another one is determined by them, up to rounding.
 * own: its correlations with them, then its column of r. */
static bool determined(int64_t kept, const double *r, int64_t m, double *own)
{
    double rest = 1;
    for (int64_t k = 0; k < kept; k++) {
        for (int64_t l = 0; l < k; l++) own[k] -= r[l + k * m] * own[l];
        own[k] /= r[k + k * m];
        rest -= own[k] * own[k];
    }
    own[kept] = rest > 0 ? sqrt(rest) : 0;
    return rest < 1e-9;
}

/* The columns that vary and do not name groups. */
static int64_t candidates(const problem *p, const mixed_design *m, int64_t *out)
{
    int64_t n = 0;
    for (int64_t c = 0; c < p->code->n_columns; c++) {
        const column_code *one = &p->code->columns[c];
        for (int64_t j = one->first; j < one->first + column_width(one) && !is_level(one); j++)
            if (m->sd[j] > 1e-10 * (fabs(m->mean[j]) + 1e-10)) out[n++] = j;
    }
    return n;
}

/* The correlations of these columns, m x m. */
static rung_status correlations(rung_ctx *ctx, const problem *p, const mixed_design *d, int64_t m, const int64_t *coded,
                                double *out)
{
    double *Z = NULL, total = 0;
    la_mat *rows = NULL, *G = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, Z, m * p->n));
    for (int64_t i = 0; i < p->n; i++) {
        double w = p->w ? p->w[i] : 1;
        total += w;
        for (int64_t k = 0; k < m; k++) {
            int64_t j = coded[k];
            Z[k + i * m] = sqrt(w) * (p->X[j + i * p->d] - d->mean[j]) / d->sd[j];
        }
    }
    TRY(la_new(ctx, &ctx->scratch, m, p->n, &rows));
    la_put(Z, rows);
    TRY(la_new(ctx, &ctx->scratch, m, m, &G));
    TRY(la_gemm(ctx, false, true, 1 / total, rows, rows, 0, G));
    la_get(G, out);
    return RUNG_OK;
}

/* The columns in their order, without those that the ones before determine: the last category of a column, for one. */
static rung_status choose_columns(rung_ctx *ctx, const problem *p, mixed_design *out)
{
    int64_t *coded = NULL, *from = NULL;
    double *c = NULL, *r = NULL;
    TRY(NEW(ctx, &ctx->scratch, out->column, p->d));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(NEW(ctx, &ctx->scratch, coded, p->d));
    TRY(NEW(ctx, &ctx->scratch, from, p->d));
    int64_t m = candidates(p, out, coded);
    TRY(NEW(ctx, &ctx->scratch, c, m * m));
    TRY(NEW(ctx, &ctx->scratch, r, m * m));
    if (m > 0) TRY(correlations(ctx, p, out, m, coded, c));
    for (int64_t k = 0; k < m; k++) {
        double *own = r + out->p * m;
        for (int64_t l = 0; l < out->p; l++) own[l] = c[from[l] + k * m];
        if (determined(out->p, r, m, own)) continue;
        from[out->p] = k;
        out->column[out->p++] = coded[k];
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status fixed_rows(rung_ctx *ctx, const problem *p, mixed_design *out)
{
    TRY(NEW_RAW(ctx, &ctx->scratch, out->X, out->p * p->n));
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t k = 0; k < out->p; k++) {
            int64_t j = out->column[k];
            out->X[k + i * out->p] = (p->X[j + i * p->d] - out->mean[j]) / out->sd[j];
        }
    return RUNG_OK;
}

/* ---- random terms ---- */

typedef struct {
    int64_t level[RANDOM_FACTORS], row;
} named_row;

static int by_level(const void *x, const void *y)
{
    const named_row *a = x, *b = y;
    for (int k = 0; k < RANDOM_FACTORS; k++)
        if (a->level[k] != b->level[k]) return a->level[k] < b->level[k] ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

/* Rows with equal levels are a group; one without a level is a group of its own, after the others. */
static rung_status find_groups(rung_ctx *ctx, const problem *p, mixed_term *t)
{
    named_row *rows = NULL;
    int64_t n = 0;
    TRY(NEW(ctx, &ctx->scratch, rows, p->n));
    TRY(NEW_RAW(ctx, &ctx->scratch, t->group, p->n));
    TRY(NEW_RAW(ctx, &ctx->scratch, t->level, p->n * t->n_factors));
    for (int64_t i = 0; i < p->n; i++) {
        bool known = true;
        rows[n].row = i;
        for (int k = 0; k < t->n_factors; k++) {
            rows[n].level[k] = (int64_t)p->X[t->factor[k] + i * p->d];
            known = known && rows[n].level[k] > 0;
        }
        t->group[i] = -1;
        n += known;
    }
    qsort(rows, (size_t)n, sizeof *rows, by_level);
    for (int64_t i = 0; i < n; i++) {
        bool same = i > 0;
        for (int k = 0; k < t->n_factors && same; k++) same = rows[i].level[k] == rows[i - 1].level[k];
        for (int k = 0; k < t->n_factors && !same; k++) t->level[t->n_named * t->n_factors + k] = rows[i].level[k];
        t->n_named += !same;
        t->group[rows[i].row] = t->n_named - 1;
    }
    t->n_groups = t->n_named;
    for (int64_t i = 0; i < p->n; i++)
        if (t->group[i] < 0) t->group[i] = t->n_groups++;
    return RUNG_OK;
}

/* The coded columns of a slope; of categories all but the reference. */
static int64_t slope_columns(const problem *p, const random_term *term, int64_t room, int64_t *out)
{
    int64_t n = 0;
    for (int k = 0; k < term->n_slopes; k++) {
        const column_code *c = &p->code->columns[term->slope[k]];
        for (int64_t j = c->first; j < c->first + column_width(c); j++) {
            if (c->nominal && j == c->first + c->reference) continue;
            if (n < room) out[n] = j;
            n++;
        }
    }
    return n;
}

static rung_status make_term(rung_ctx *ctx, const problem *p, const random_term *term, const mixed_design *m,
                             mixed_term *t)
{
    const char *name;
    t->n_factors = term->n_factors;
    TRY(NEW(ctx, &ctx->scratch, t->factor, t->n_factors));
    for (int k = 0; k < t->n_factors; k++) t->factor[k] = p->code->columns[term->factor[k]].first;
    TRY(find_groups(ctx, p, t));
    TRY(random_term_name(ctx, &ctx->scratch, p->code, term, &name));
    if (t->n_groups < 2)
        return set_error(ctx, RUNG_EDATA,
                         "mixed: all labelled rows are of one group of '%.80s', but a variance between groups needs at "
                         "least two",
                         name);
    TRY(NEW(ctx, &ctx->scratch, t->slope, MIXED_EFFECTS));
    int64_t slopes = slope_columns(p, term, MIXED_EFFECTS, t->slope);
    if (slopes >= MIXED_EFFECTS)
        return set_error(ctx, RUNG_EDATA,
                         "mixed: the random term '%.80s' has %lld effects for each group: at most %d "
                         "are possible",
                         name, (long long)slopes + 1, MIXED_EFFECTS);
    t->q = 1 + (int)slopes;
    if (t->q == 1) return RUNG_OK;
    for (int r = 1; r < t->q; r++)
        if (!(m->sd[t->slope[r - 1]] > 0))
            return set_error(ctx, RUNG_EDATA, "mixed: the random slope in '%.80s' is of a column that is constant",
                             name);
    TRY(NEW_RAW(ctx, &ctx->scratch, t->z, t->q * p->n));
    for (int64_t i = 0; i < p->n; i++) {
        t->z[i * t->q] = 1;
        for (int r = 1; r < t->q; r++) {
            int64_t j = t->slope[r - 1];
            t->z[r + i * t->q] = (p->X[j + i * p->d] - m->mean[j]) / m->sd[j];
        }
    }
    return RUNG_OK;
}

static void number_parameters(mixed_design *m)
{
    m->size = mixed_first_variance(m);
    for (int t = 0; t < m->n_terms; t++) {
        m->term[t].at = m->size;
        m->size += m->term[t].q * (m->term[t].q + 1) / 2;
    }
}

rung_status mixed_design_new(rung_ctx *ctx, const problem *p, const mixed_params *params, mixed_design *out)
{
    int effects = 0;
    *out = (mixed_design){.n = p->n,
                          .K = p->K,
                          .link = (link_kind)params->link,
                          .nodes = params->nodes,
                          .y = p->y,
                          .upper = p->upper,
                          .w = p->w};
    if (params->nodes == 0)
        return hint(ctx, set_error(ctx, RUNG_EARG, "nodes=0: expected at least one node, or below 0 for fixed ones"),
                    "parameter nodes");
    TRY(standardise(ctx, p, out));
    TRY(choose_columns(ctx, p, out));
    TRY(fixed_rows(ctx, p, out));
    for (int t = 0; t < p->code->n_random; t++) {
        TRY(make_term(ctx, p, &p->code->random[t], out, &out->term[t]));
        effects += out->term[t].q;
    }
    out->n_terms = p->code->n_random;
    if (effects > MIXED_EFFECTS)
        return set_error(ctx, RUNG_EDATA, "mixed: every row has %d random effects: at most %d are possible", effects,
                         MIXED_EFFECTS);
    if (params->nodes != 1 && effects > 1)
        return hint(ctx,
                    set_error(ctx, RUNG_EARG,
                              "nodes=%d: quadrature is for a single random intercept; take nodes=1, Laplace's "
                              "approximation, for slopes and several terms",
                              params->nodes),
                    "parameter nodes");
    number_parameters(out);
    return RUNG_OK;
}

void mixed_design_without(const mixed_design *m, int term, bool slopes, mixed_design *out)
{
    *out = *m;
    if (slopes) {
        out->term[term].q = 1;
        out->term[term].z = NULL;
    } else {
        out->n_terms--;
        for (int t = term; t < out->n_terms; t++) out->term[t] = m->term[t + 1];
    }
    number_parameters(out);
}
