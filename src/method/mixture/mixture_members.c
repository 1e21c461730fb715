// SPDX-License-Identifier: BSD-3-Clause
/* From the candidates a mixture keeps to the members of a model. Rows, spaces and propagated labels shared by several
 * members are stored with the first of them. */
#include <string.h>

#include "base/parallel.h"
#include "method/mixture/mixture.h"
#include "method/mixture/ogp_gp.h"

typedef struct {  /* what a Gaussian process predicts by: its mean, D and z (model.h: probit_link) */
    double *coef; /* m x (K + rank) */
    int rank;
} expansion;

typedef struct {
    const candidates *c;
    const mixture_trees *trees;
    pool *mem;
    const mixture_part *parts;
    member *members;
    expansion *expansions; /* of each Gaussian process */
    int most_rank;
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
        if ((other->kind == FAMILY_SPREAD) != (one->kind == FAMILY_SPREAD)) continue; /* its columns have no weights */
        if (what == SAME_SPACE) return j + 1;
        if (b->c->landmarks > 0 && one->kind != FAMILY_SPREAD && other->kernel != one->kernel) continue;
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
    one->score = (scorer){.kind = SCORER_CONSTANT, .outputs = 1, .d = b->c->p->d};
    TRY(NEW(ctx, b->mem, one->score.bias, 1));
    one->proba = PROBA_PRIOR;
    TRY(NEW(ctx, b->mem, one->prior, K));
    candidates_frequencies(b->c, one->prior);
    for (int q = 0; q < K; q++) one->score.bias[0] += (q + 1) * one->prior[q];
    return RUNG_OK;
}

static rung_status gp_link(rung_ctx *ctx, const build *b, const candidate *from, member *one)
{
    const candidates *c = b->c;
    int J = c->p->K - 1;
    one->proba = PROBA_PROBIT;
    one->link = (probit_link){.kind = LINK_PROBIT,
                              .functions = true,
                              .noise = 1,
                              .variance = candidate_variance(from) * candidate_scale(c, from)};
    TRY(copy(ctx, b->mem, J, from->bias, &one->link.b));
    return NEW(ctx, b->mem, one->link.spread, (int64_t)J * J);
}

/* Rows, and where they are known already, coefficients; those of Gaussian processes follow in parallel. */
static rung_status kernel_member(rung_ctx *ctx, const build *b, int i, member *one)
{
    const candidates *c = b->c;
    const candidate *from = candidate_of(b, i);
    const problem *p = &c->space[from->space].labelled;
    const landmark_kernel *f = c->space[from->space].features[from->kernel];
    int J = p->K - 1;
    int64_t m = f ? f->l.m : c->l;
    one->score = (scorer){
        .kind = SCORER_KERNEL, .outputs = J, .k = candidate_kernel(c, from), .m = m, .d = p->d, .made = c->made};
    one->rows_from = earlier(b, i, SAME_ROWS);
    if (one->rows_from)
        one->score.rows = b->members[one->rows_from - 1].score.rows;
    else
        TRY(copy(ctx, b->mem, p->d * m, f ? f->l.X : p->X, &one->score.rows));
    if (from->kind == FAMILY_GP) return gp_link(ctx, b, from, one);
    one->proba = PROBA_CUMULATIVE;
    TRY(copy(ctx, b->mem, J, from->bias, &one->score.bias));
    TRY(copy(ctx, b->mem, m * J, from->coef, &one->score.coef));
    return f ? landmarks_expand(ctx, &f->l, J, one->score.coef) : RUNG_OK;
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
    int kind = -2 - b->parts[i].candidate;
    if (kind >= 0) TRY(stacked_trees_member(ctx, b->mem, &b->trees->rows, &b->trees->of[kind], one));
    one->weight = b->parts[i].weight;
    if (kind >= 0) return RUNG_OK;
    one->decide = (decision){.kind = DECISION_MEDIAN, .K = b->c->p->K};
    if (!from) return frequencies_member(ctx, b, one);
    const mixture_space *in = &b->c->space[from->space];
    const scaling *space = from->kind == FAMILY_SPREAD ? &in->rank : &in->picture;
    if (space->d > 0) {
        one->space_from = earlier(b, i, SAME_SPACE);
        if (one->space_from)
            one->space = b->members[one->space_from - 1].space;
        else
            TRY(scale_copy(ctx, b->mem, space, &one->space));
    }
    return from->kind == FAMILY_SPREAD ? spread_member(ctx, b, i, one) : kernel_member(ctx, b, i, one);
}

/* The expansion of a Gaussian process was not stored for the whole grid: recomputed for these few. */
static rung_status expand(rung_ctx *ctx, const build *b, const candidate *from, const member *one, expansion *out)
{
    const candidates *c = b->c;
    const mixture_space *s = &c->space[from->space];
    int K = c->p->K;
    if (c->landmarks > 0) {
        ogp_features gp = candidate_features(c, from);
        const landmarks *l = &s->features[from->kernel]->l;
        TRY(ogp_features_expansion(ctx, &gp, from->coef, from->bias, &out->rank, out->coef, one->link.spread));
        return landmarks_expand(ctx, l, K + out->rank, out->coef);
    }
    ogp_gp gp = candidate_process(c, from);
    return ogp_gp_expansion(ctx, &gp, from->coef, from->bias, &out->rank, out->coef, one->link.spread, NULL);
}

static rung_status expand_member(rung_ctx *ctx, void *user, int64_t i)
{
    const build *b = user;
    const candidate *from = candidate_of(b, i);
    member *one = &b->members[i];
    if (!from || from->kind != FAMILY_GP) return RUNG_OK;
    rung_status status = expand(ctx, b, from, one, &b->expansions[i]);
    return status == RUNG_ESINGULAR ? set_error(ctx, RUNG_EINTERNAL, "a factorisation failed when repeated") : status;
}

/* Room for the expansion of each Gaussian process, before they are computed in parallel ... */
static rung_status open_expansions(rung_ctx *ctx, build *b, int n)
{
    TRY(NEW(ctx, &ctx->scratch, b->expansions, n));
    for (int i = 0; i < n; i++) {
        const candidate *from = candidate_of(b, i);
        if (!from || from->kind != FAMILY_GP) continue;
        expansion *e = &b->expansions[i];
        int64_t m = b->members[i].score.m;
        e->rank = b->most_rank > 0 && b->most_rank < m ? b->most_rank : (int)m;
        TRY(NEW_RAW(ctx, e->rank < m ? &ctx->scratch : b->mem, e->coef, m * (b->c->p->K + e->rank)));
    }
    return RUNG_OK;
}

/* ... and into the model, as small as they turned out. */
static rung_status keep_expansions(rung_ctx *ctx, const build *b, int n)
{
    for (int i = 0; i < n; i++) {
        const expansion *e = &b->expansions[i];
        member *one = &b->members[i];
        if (!e->coef) continue;
        bool whole = e->rank == one->score.m; /* it is in the model already */
        one->link.rank = e->rank;
        one->score.outputs = b->c->p->K + e->rank;
        TRY(NEW(ctx, b->mem, one->score.bias, one->score.outputs));
        one->score.coef = e->coef;
        if (!whole) TRY(copy(ctx, b->mem, one->score.m * one->score.outputs, e->coef, &one->score.coef));
    }
    return RUNG_OK;
}

rung_status mixture_members(rung_ctx *ctx, pool *mem, const candidates *c, const mixture_trees *trees, int most_rank,
                            int n, const mixture_part *parts, fitted *out)
{
    build b = {.c = c, .trees = trees, .mem = mem, .parts = parts, .most_rank = most_rank};
    pool_mark mark = pool_here(&ctx->scratch);
    bool graph = false;
    TRY(NEW(ctx, mem, out->members, n));
    b.members = out->members;
    for (int i = 0; i < n; i++) {
        TRY(new_member(ctx, &b, i));
        graph = graph || out->members[i].proba == PROBA_POWER;
    }
    TRY(open_expansions(ctx, &b, n));
    TRY(parallel_tasks(ctx, parallel_workers(ctx, c->l, n), n, expand_member, &b));
    TRY(keep_expansions(ctx, &b, n));
    if (mem != &ctx->scratch) pool_release(&ctx->scratch, mark);
    out->n_members = n;
    out->n_expansion = graph ? c->p->n : c->l;
    return RUNG_OK;
}
