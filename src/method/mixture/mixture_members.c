// SPDX-License-Identifier: BSD-3-Clause
/* From the candidates a mixture keeps to the members of a model. Rows, spaces and propagated labels shared by several
 * members are stored with the first of them. */
#include <string.h>

#include "base/parallel.h"
#include "method/mixture/mixture.h"
#include "method/mixture/ogp_gp.h"

typedef struct {
    const candidates *c;
    pool *mem;
    const mixture_part *parts;
    member *members;
} build;

static const candidate *candidate_of(const build *b, int64_t i)
{
    return b->parts[i].candidate < 0 ? NULL : &b->c->list[b->parts[i].candidate];
}

/* The first part before i (its number from 1) with the same space, rows or propagated labels; 0: none. */
typedef enum { SAME_SPACE, SAME_ROWS, SAME_SCORES } likeness;
static int earlier(const build *b, int i, likeness what)
{
    const candidate *one = candidate_of(b, i);
    for (int j = 0; j < i; j++) {
        const candidate *other = candidate_of(b, j);
        if (!other || other->space != one->space) continue;
        if (what == SAME_SPACE) return j + 1;
        if ((other->kind == FAMILY_SPREAD) != (one->kind == FAMILY_SPREAD)) continue;
        if (what == SAME_ROWS || (other->graph == one->graph && other->spread == one->spread)) return j + 1;
    }
    return 0;
}

static rung_status copy(rung_ctx *ctx, pool *mem, int64_t n, const double *from, double **to)
{
    TRY(pool_alloc_raw(ctx, mem, n, sizeof *from, "a copy", (void **)to));
    memcpy(*to, from, (size_t)n * sizeof *from);
    return RUNG_OK;
}

static rung_status frequencies_member(rung_ctx *ctx, const build *b, member *one)
{
    int K = b->c->p->K;
    double l = (double)b->c->l;
    one->score = (scorer){.kind = SCORER_CONSTANT, .outputs = 1, .d = b->c->p->d};
    TRY(NEW(ctx, b->mem, one->score.bias, 1));
    one->proba = PROBA_PRIOR;
    TRY(NEW(ctx, b->mem, one->prior, K));
    for (int64_t i = 0; i < b->c->l; i++) one->prior[b->c->y[i] - 1]++;
    for (int q = 0; q < K; q++) {
        one->prior[q] = (one->prior[q] + 1.0 / K) / (l + 1);
        one->score.bias[0] += (q + 1) * one->prior[q];
    }
    return RUNG_OK;
}

/* The coefficients and the covariance of a Gaussian process are filled in later, in parallel. */
static rung_status gp_link(rung_ctx *ctx, const build *b, const candidate *from, member *one)
{
    const candidates *c = b->c;
    int J = c->p->K - 1;
    one->proba = PROBA_PROBIT;
    one->link = (probit_link){
        .rank = c->l, .functions = true, .noise = 1, .variance = candidate_variance(from) * candidate_scale(c, from)};
    TRY(copy(ctx, b->mem, J, from->bias, &one->link.b));
    TRY(NEW(ctx, b->mem, one->link.spread, (int64_t)J * J));
    return NEW_RAW(ctx, b->mem, one->score.coef, c->l * one->score.outputs);
}

static rung_status kernel_member(rung_ctx *ctx, const build *b, int i, member *one)
{
    const candidates *c = b->c;
    const candidate *from = candidate_of(b, i);
    const problem *p = &c->space[from->space].labelled;
    bool gp = from->kind == FAMILY_GP;
    int J = p->K - 1, outputs = gp ? p->K + (int)c->l : J;
    one->score =
        (scorer){.kind = SCORER_KERNEL, .outputs = outputs, .k = candidate_kernel(c, from), .m = c->l, .d = p->d};
    one->rows_from = earlier(b, i, SAME_ROWS);
    if (one->rows_from)
        one->score.rows = b->members[one->rows_from - 1].score.rows;
    else
        TRY(copy(ctx, b->mem, p->d * c->l, p->X, &one->score.rows));
    TRY(NEW(ctx, b->mem, one->score.bias, outputs));
    if (gp) return gp_link(ctx, b, from, one);
    one->proba = PROBA_CUMULATIVE;
    memcpy(one->score.bias, from->bias, (size_t)J * sizeof *from->bias);
    return copy(ctx, b->mem, c->l * J, from->coef, &one->score.coef);
}

static rung_status spread_member(rung_ctx *ctx, const build *b, int i, member *one)
{
    const candidates *c = b->c;
    const candidate *from = candidate_of(b, i);
    const mixture_space *s = &c->space[from->space];
    int64_t n = c->p->n, d = c->p->d;
    int K = c->p->K;
    one->score = (scorer){.kind = SCORER_NEIGHBOURS,
                          .outputs = K,
                          .m = n,
                          .d = d,
                          .neighbours = s->neighbours[from->graph],
                          .weights = WEIGHTS_GAUSSIAN,
                          .width = s->width[from->graph]};
    one->proba = PROBA_POWER;
    one->power = candidate_power(from);
    TRY(copy(ctx, b->mem, K, c->prior, &one->prior));
    one->rows_from = earlier(b, i, SAME_ROWS);
    one->coef_from = earlier(b, i, SAME_SCORES);
    if (one->coef_from)
        one->score.coef = b->members[one->coef_from - 1].score.coef;
    else
        TRY(copy(ctx, b->mem, n * K, s->scores[from->graph][from->spread], &one->score.coef));
    if (one->rows_from) {
        one->score.rows = b->members[one->rows_from - 1].score.rows;
        return RUNG_OK;
    }
    TRY(NEW_RAW(ctx, b->mem, one->score.rows, d * n));
    for (int64_t j = 0; j < d * n; j++) one->score.rows[j] = fmin(fmax(s->all.X[j], -NEIGHBOUR_MOST), NEIGHBOUR_MOST);
    return RUNG_OK;
}

static rung_status new_member(rung_ctx *ctx, const build *b, int i)
{
    member *one = &b->members[i];
    const candidate *from = candidate_of(b, i);
    one->weight = b->parts[i].weight;
    one->decide = (decision){.kind = DECISION_MEDIAN, .K = b->c->p->K};
    if (!from) return frequencies_member(ctx, b, one);
    if (from->space == 1) {
        one->space_from = earlier(b, i, SAME_SPACE);
        if (one->space_from)
            one->space = b->members[one->space_from - 1].space;
        else
            TRY(scale_copy(ctx, b->mem, &b->c->space[1].rank, &one->space));
    }
    return from->kind == FAMILY_SPREAD ? spread_member(ctx, b, i, one) : kernel_member(ctx, b, i, one);
}

/* The factor needed for the variance of a Gaussian process was not stored for the whole grid: recomputed for these
 * few. */
static rung_status expand(rung_ctx *ctx, void *user, int64_t i)
{
    const build *b = user;
    const candidate *from = candidate_of(b, i);
    member *one = &b->members[i];
    if (!from || from->kind != FAMILY_GP) return RUNG_OK;
    const mixture_space *s = &b->c->space[from->space];
    ogp_gp gp = {.n = b->c->l,
                 .K = b->c->p->K,
                 .y = b->c->y,
                 .gram = s->gram[from->kernel],
                 .variance = one->link.variance,
                 .prior_variance = candidate_variance(from)};
    rung_status status = ogp_gp_expansion(ctx, &gp, from->coef, from->bias, one->score.coef, one->link.spread, NULL);
    return status == RUNG_ESINGULAR ? set_error(ctx, RUNG_EINTERNAL, "a factorisation failed when repeated") : status;
}

rung_status mixture_members(rung_ctx *ctx, pool *mem, const candidates *c, int n, const mixture_part *parts,
                            fitted *out)
{
    build b = {.c = c, .mem = mem, .parts = parts};
    bool graph = false;
    TRY(NEW(ctx, mem, out->members, n));
    b.members = out->members;
    for (int i = 0; i < n; i++) {
        TRY(new_member(ctx, &b, i));
        graph = graph || out->members[i].proba == PROBA_POWER;
    }
    TRY(parallel_tasks(ctx, parallel_workers(ctx, c->l, n), n, expand, &b));
    out->n_members = n;
    out->n_expansion = graph ? c->p->n : c->l;
    return RUNG_OK;
}
