// SPDX-License-Identifier: BSD-3-Clause
#include "method/mixture/candidates.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "graph/propagate.h"
#include "method/mixture/cumulative_features.h"
#include "solve/cumulative.h"

/* The grid, and the prior over it: minus its logarithm is a sum of halved squares in log10 units. */
static const double widths[KERNELS - 1] = {0.01, 0.03, 0.1, 0.3, 1, 3}; /* gamma = c/d */
static const double variances[] = {0.3, 1, 3, 10, 30, 100, 1000};
static const double ridges[] = {0.001, 0.01, 0.03, 0.1, 0.3, 1, 3, 10};
static const double powers[] = {2, 4, 8};
static const double spreads[SPREADS] = {0.9, 0.99};
static const int neighbours_tried[GRAPHS] = {3, 5, 10};
/* With a kernel so large relative to its ridge the expansion is a sum that cancels almost completely. */
static const double CANCELS = 1e10;
enum {
    LINEAR = KERNELS - 1,
    VARIANCES = sizeof variances / sizeof *variances,
    RIDGES = sizeof ridges / sizeof *ridges,
    POWERS = sizeof powers / sizeof *powers,
    MOST_CANDIDATES = SPACES * (KERNELS * (VARIANCES + RIDGES) + GRAPHS * SPREADS * POWERS)
};
_Static_assert((int)RIDGES <= (int)MOST_LEVELS, "a place for every ridge");

static double half_square(double x) { return 0.5 * x * x; }

static double penalty_of(const candidate *one)
{
    double c = one->kernel < LINEAR ? log10(widths[one->kernel]) : 0;
    bool linear = one->kernel == LINEAR;
    if (one->kind == FAMILY_SPREAD) return half_square(log2(powers[one->level] / 4));
    if (one->kind == FAMILY_GP) {
        double s = log10(variances[one->level]);
        return linear ? half_square(s - 0.5) : half_square(c + 1) + half_square(c + s - 0.5);
    }
    double r = log10(ridges[one->level]);
    return linear ? half_square(r + 0.3) : half_square(c + 0.75) + half_square(r + 1 - 0.5 * (c + 1));
}

kernel candidate_kernel(const candidates *c, const candidate *one)
{
    kernel k = {.kind = KERNEL_LINEAR};
    if (one->kernel == LINEAR) return k;
    k = (kernel){.kind = KERNEL_RBF, .gamma = -widths[one->kernel]};
    return problem_kernel(&c->space[one->space].all, &k);
}

double candidate_scale(const candidates *c, const candidate *one)
{
    return one->kernel == LINEAR ? 1 / fmax(1, (double)c->space[one->space].all.varying) : 1;
}

double candidate_variance(const candidate *one) { return variances[one->level]; }
double candidate_ridge(const candidate *one) { return ridges[one->level]; }
double candidate_power(const candidate *one) { return powers[one->level]; }
double candidate_spread(const candidate *one) { return spreads[one->spread]; }

double candidate_reach_penalty(const candidates *c, const candidate *one)
{
    double rows_per_label = (double)c->p->n / (double)c->l, steps = 1 / (1 - spreads[one->spread]);
    double fewest = neighbours_tried[0];
    return half_square(log2(neighbours_tried[one->graph] / fewest)) + half_square(log10(2 * rows_per_label / steps));
}

bool candidates_near(const candidate *a, const candidate *b)
{
    if (a->kind != b->kind || a->space != b->space) return false;
    if (a->kind == FAMILY_SPREAD) return a->graph == b->graph && a->spread == b->spread && a->level == b->level;
    bool linear = a->kernel == LINEAR || b->kernel == LINEAR;
    return (linear ? a->kernel == b->kernel : abs(a->kernel - b->kernel) <= 1) && abs(a->level - b->level) <= 1;
}

/* ---- the list ---- */

static void add(candidates *c, candidate one)
{
    one.penalty = penalty_of(&one);
    one.wanted = true;
    c->list[c->n++] = one;
}

static void list_space(candidates *c, unsigned families, int space)
{
    bool graph = (families & 1U << FAMILY_SPREAD) && c->l < c->p->n && !space_weighted(space);
    for (int k = 0; k < KERNELS && (families & 1U << FAMILY_GP); k++)
        for (int v = 0; v < VARIANCES; v++)
            add(c, (candidate){.kind = FAMILY_GP, .space = space, .kernel = k, .level = v});
    for (int k = 0; k < KERNELS && (families & 1U << FAMILY_RIDGE); k++)
        for (int r = 0; r < RIDGES; r++)
            add(c, (candidate){.kind = FAMILY_RIDGE, .space = space, .kernel = k, .level = r});
    for (int g = 0; g < GRAPHS && graph; g++)
        for (int a = 0; a < SPREADS; a++)
            for (int b = 0; b < POWERS; b++)
                add(c, (candidate){.kind = FAMILY_SPREAD, .space = space, .graph = g, .spread = a, .level = b});
}

/* The second space: ranks of the columns, standardised. */
static rung_status rank_space(rung_ctx *ctx, const problem *p, mixture_space *s)
{
    double *X = NULL;
    rung_view view = {.v = p->X, .n = p->n, .d = p->d, .row = p->d, .col = 1};
    TRY(NEW_RAW(ctx, &ctx->scratch, X, p->d * p->n));
    TRY(scale_fit(ctx, &ctx->scratch, SCALE_RANK, &(scale_rows){p->d, p->n, p->X, NULL, p->count}, &s->rank));
    scale_apply(&s->rank, p->n, &view, NULL, X);
    problem_new(&ctx->scratch, &(problem_rows){p->d, p->n, X, p->y, NULL, p->origin, p->K}, &s->all);
    s->all.group = p->group;
    s->all.equal = p->equal;
    s->all.upper = p->upper;
    return RUNG_OK;
}

/* The columns times their weights, after the scaling of the space. */
static rung_status weighted_picture(rung_ctx *ctx, int64_t d, const double *relevance, mixture_space *s)
{
    const scaling *rank = s->rank.d > 0 ? &s->rank : NULL;
    s->picture = rank ? *rank : (scaling){.kind = SCALE_STANDARD, .d = d};
    TRY(NEW(ctx, &ctx->scratch, s->picture.shift, d));
    TRY(NEW(ctx, &ctx->scratch, s->picture.factor, d));
    for (int64_t j = 0; j < d; j++) {
        s->picture.shift[j] = rank ? rank->shift[j] : 0;
        s->picture.factor[j] = relevance[j] * (rank ? rank->factor[j] : 1);
    }
    return RUNG_OK;
}

/* The labelled rows in the picture of a space. */
static rung_status labelled_rows(rung_ctx *ctx, const problem *base, mixture_space *s)
{
    double *X = NULL;
    rung_view view = {.v = base->X, .n = base->n, .d = base->d, .row = base->d, .col = 1};
    TRY(NEW_RAW(ctx, &ctx->scratch, X, base->d * base->n));
    scale_apply(&s->picture, base->n, &view, NULL, X);
    problem_new(&ctx->scratch, &(problem_rows){base->d, base->n, X, base->y, base->w, base->origin, base->K},
                &s->labelled);
    s->labelled.group = base->group;
    s->labelled.equal = base->equal;
    s->labelled.upper = base->upper;
    s->labelled.many_kernels = true;
    return RUNG_OK;
}

static rung_status count_classes(rung_ctx *ctx, candidates *c)
{
    TRY(NEW(ctx, &ctx->scratch, c->prior, c->base.K));
    TRY(NEW(ctx, &ctx->scratch, c->mass, c->base.K));
    TRY(class_masses(ctx, c->l, c->base.y, c->base.upper, NULL, c->base.K, c->prior));
    TRY(class_masses(ctx, c->l, c->base.y, c->base.upper, c->base.w, c->base.K, c->mass));
    for (int q = 0; q < c->base.K; q++) c->prior[q] = (c->prior[q] + 0.5 / c->base.K) / ((double)c->l + 0.5);
    c->y = c->base.y;
    c->upper = c->base.upper;
    return problem_groups(ctx, &ctx->scratch, &c->base, &c->together);
}

rung_status candidates_new(rung_ctx *ctx, problem *p, unsigned families, unsigned spaces, const double *relevance,
                           candidates *out)
{
    int *classes = NULL;
    *out = (candidates){.p = p};
    TRY(NEW(ctx, &ctx->scratch, out->rows, p->n));
    TRY(NEW(ctx, &ctx->scratch, classes, p->K));
    TRY(NEW(ctx, &ctx->scratch, out->list, MOST_CANDIDATES));
    for (int64_t i = 0; i < p->n; i++)
        if (p->y[i]) out->rows[out->l++] = i;
    TRY(problem_subset(ctx, &ctx->scratch, p, out->l, out->rows, &out->base, classes));
    TRY(count_classes(ctx, out));
    for (int s = 0; s < SPACES; s++) {
        mixture_space *space = &out->space[s];
        if (!(spaces & 1U << s) || (space_weighted(s) && !relevance)) continue;
        space->all = problem_view(p, &ctx->scratch);
        if (s & 1) TRY(rank_space(ctx, p, space));
        if (space_weighted(s)) {
            TRY(weighted_picture(ctx, p->d, relevance, space));
            TRY(labelled_rows(ctx, &out->base, space));
        } else {
            space->picture = space->rank;
            TRY(problem_subset(ctx, &ctx->scratch, &space->all, out->l, out->rows, &space->labelled, classes));
            space->labelled.many_kernels = true;
        }
        list_space(out, families, s);
    }
    return RUNG_OK;
}

rung_status candidates_some(rung_ctx *ctx, const candidates *all, int64_t n, const int64_t *rows,
                            const double *relevance, candidates *out, int *classes)
{
    *out = (candidates){.p = &out->base, .l = n, .landmarks = all->landmarks, .made = all->made};
    TRY(problem_subset(ctx, &ctx->scratch, &all->base, n, rows, &out->base, classes));
    TRY(count_classes(ctx, out));
    TRY(NEW(ctx, &ctx->scratch, out->rows, n));
    TRY(NEW(ctx, &ctx->scratch, out->list, all->n));
    for (int64_t i = 0; i < n; i++) out->rows[i] = i;
    for (int s = 0; s < SPACES; s++) {
        mixture_space *space = &out->space[s];
        if (all->space[s].all.n == 0 || !space_weighted(s)) continue;
        space->rank = all->space[s].rank;
        space->all = all->space[s].all; /* of which only the number of columns counts */
        TRY(weighted_picture(ctx, out->base.d, relevance, space));
        TRY(labelled_rows(ctx, &out->base, space));
    }
    for (int i = 0; i < all->n; i++) {
        const candidate *one = &all->list[i];
        if (!space_weighted(one->space) || !one->wanted) continue;
        out->list[out->n] = *one;
        out->list[out->n].loo = out->list[out->n].coef = out->list[out->n].bias = NULL;
        out->n++;
    }
    return RUNG_OK;
}

void candidates_frequencies(const candidates *c, double *p)
{
    int K = c->p->K;
    double l = 0;
    for (int64_t i = 0; i < c->l; i++) l += c->base.w ? c->base.w[i] : 1;
    for (int q = 0; q < K; q++) p[q] = (c->mass[q] + 1.0 / K) / (l + 1);
}

/* ---- what candidates share ---- */

/* Points that lie as the rows do but are none of them: normal, with the mean and the variance of each column, which
 * are all that they tell of the rows. The numbers behind them are the same for all rows and kernels. */
static rung_status made_points(rung_ctx *ctx, const problem *p, int64_t count, point_set *out)
{
    enum { STREAM = 0x6d61 };
    double *X = NULL, *mean = NULL, *spread = NULL;
    rng random;
    TRY(NEW(ctx, &ctx->scratch, mean, p->d));
    TRY(NEW(ctx, &ctx->scratch, spread, p->d));
    TRY(NEW_RAW(ctx, &ctx->scratch, X, p->d * count));
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t j = 0; j < p->d; j++) mean[j] += p->X[i * p->d + j] / (double)p->n;
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t j = 0; j < p->d; j++) spread[j] += pow(p->X[i * p->d + j] - mean[j], 2) / (double)p->n;
    rng_open(&random, ctx->seed, STREAM);
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < p->d; j++) X[i * p->d + j] = mean[j] + sqrt(spread[j]) * rng_normal(&random);
    *out = (point_set){p->d, count, X};
    return RUNG_OK;
}

static rung_status make_features(rung_ctx *ctx, const candidates *c, const kernel *k, const problem *p,
                                 landmark_kernel **out)
{
    landmark_kernel *f = NULL;
    point_set points = problem_points(p);
    TRY(NEW(ctx, &ctx->scratch, f, 1));
    if (c->made) TRY(made_points(ctx, p, c->landmarks, &points));
    TRY(problem_kernel_finite(ctx, p, k));
    TRY(landmarks_new(ctx, &ctx->scratch, k, &points, c->landmarks, &f->l));
    TRY(la_new(ctx, &ctx->scratch, f->l.m, p->n, &f->Phi));
    TRY(NEW_RAW(ctx, &ctx->scratch, f->own, p->n));
    TRY(landmarks_features(ctx, &f->l, p->n, p->X, f->Phi));
    for (int64_t i = 0; i < p->n; i++) f->own[i] = kernel_self(k, p->d, p->X + i * p->d);
    *out = f;
    return RUNG_OK;
}

static rung_status share_kernels(rung_ctx *ctx, candidates *c)
{
    for (int i = 0; i < c->n; i++) {
        const candidate *one = &c->list[i];
        mixture_space *s = &c->space[one->space];
        if (!one->wanted || one->kind == FAMILY_SPREAD || s->gram[one->kernel] || s->features[one->kernel]) continue;
        kernel k = candidate_kernel(c, one);
        if (c->landmarks > 0) {
            TRY(make_features(ctx, c, &k, &s->labelled, &s->features[one->kernel]));
            continue;
        }
        TRY(problem_gram(ctx, &s->labelled, &k, &s->gram[one->kernel]));
    }
    return RUNG_OK;
}

/* The median length of an edge; where that is 0, the root mean square. */
static rung_status median_edge(rung_ctx *ctx, const la_csr *squared, double *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t count = squared->start[squared->rows];
    double *length = NULL, sum = 0;
    TRY(NEW_RAW(ctx, &ctx->scratch, length, count));
    for (int64_t e = 0; e < count; e++) {
        length[e] = sqrt(squared->value[e]);
        sum += squared->value[e];
    }
    qsort(length, (size_t)count, sizeof *length, compare_numbers);
    *out = 0.5 * (length[count / 2 - 1] + length[count / 2]); /* an even number: each edge is there twice */
    if (!(*out > 0)) *out = sqrt(fmax(sum / (double)count, 1e-12));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status share_graphs(rung_ctx *ctx, candidates *c)
{
    for (int i = c->n - 1; i >= 0; i--) { /* the largest graph first: its neighbour lists contain those of the others */
        const candidate *one = &c->list[i];
        mixture_space *s = &c->space[one->space];
        if (!one->wanted || one->kind != FAMILY_SPREAD) continue;
        double **F = &s->scores[one->graph][one->spread];
        if (!*F) TRY(NEW(ctx, &ctx->scratch, *F, c->p->n * c->p->K));
        if (s->edges[one->graph]) continue;
        int64_t most = c->p->n - 1, k = neighbours_tried[one->graph] < most ? neighbours_tried[one->graph] : most;
        const la_csr *squared;
        problem_graph g = {
            .space = {.kind = SPACE_INPUT}, .neighbours = k, .rule = GRAPH_OR, .weight = EDGE_SQUARED, .width = 1};
        s->neighbours[one->graph] = k;
        TRY(problem_edges(ctx, &s->all, &g, &squared, NULL));
        TRY(median_edge(ctx, squared, &s->width[one->graph]));
        g.weight = EDGE_GAUSSIAN;
        g.width = s->width[one->graph];
        TRY(problem_edges(ctx, &s->all, &g, &s->edges[one->graph], NULL));
    }
    return RUNG_OK;
}

/* The predictions, coefficients and constants of one of l rows whose kernel has m coefficients. */
static int64_t coefficients(family_kind kind, int64_t m, int64_t J)
{
    return kind == FAMILY_GP ? m : kind == FAMILY_RIDGE ? m * J : 0;
}

static int64_t numbers_of(family_kind kind, int64_t l, int64_t m, int64_t J)
{
    return l * J + coefficients(kind, m, J) + J;
}

static rung_status make_room(rung_ctx *ctx, candidates *c)
{
    int64_t l = c->l, J = c->p->K - 1;
    for (int i = 0; i < c->n; i++) {
        candidate *one = &c->list[i];
        if (!one->wanted) continue;
        const landmark_kernel *f = one->kind == FAMILY_SPREAD ? NULL : c->space[one->space].features[one->kernel];
        int64_t m = f ? f->l.m : l;
        TRY(NEW(ctx, &ctx->scratch, one->loo, numbers_of(one->kind, l, m, J)));
        one->coef = one->loo + l * J;
        one->bias = one->coef + coefficients(one->kind, m, J);
    }
    return RUNG_OK;
}

/* ---- tasks ---- */

typedef struct {
    candidates *c;
    int n, *first; /* a task is a run of candidates that share a decomposition or a graph */
    int *count;
} task_list;

static bool same_task(const candidate *a, const candidate *b)
{
    if (a->kind != b->kind || a->space != b->space) return false;
    return a->kind == FAMILY_SPREAD ? a->graph == b->graph && a->spread == b->spread : a->kernel == b->kernel;
}

static rung_status list_tasks(rung_ctx *ctx, candidates *c, bool graphs, task_list *out)
{
    *out = (task_list){.c = c};
    TRY(NEW(ctx, &ctx->scratch, out->first, c->n));
    TRY(NEW(ctx, &ctx->scratch, out->count, c->n));
    for (int i = 0, next; i < c->n; i = next) {
        bool wanted = false;
        for (next = i; next < c->n && (next == i || same_task(&c->list[i], &c->list[next])); next++)
            wanted = wanted || c->list[next].wanted;
        if (!wanted || (c->list[i].kind == FAMILY_SPREAD) != graphs) continue;
        out->first[out->n] = i;
        out->count[out->n++] = next - i;
    }
    return RUNG_OK;
}

ogp_features candidate_features(const candidates *c, const candidate *one)
{
    const landmark_kernel *f = c->space[one->space].features[one->kernel];
    return (ogp_features){.n = c->l,
                          .K = c->base.K,
                          .y = c->y,
                          .upper = c->upper,
                          .weight = c->base.w,
                          .together = &c->together,
                          .Phi = f->Phi,
                          .own = f->own,
                          .variance = candidate_variance(one) * candidate_scale(c, one),
                          .prior_variance = candidate_variance(one)};
}

cumulative_rows candidates_targets(const candidates *c)
{
    return (cumulative_rows){.n = c->l,
                             .K = c->p->K,
                             .y = c->y,
                             .upper = c->upper,
                             .mass = c->mass,
                             .weight = c->base.w,
                             .together = &c->together};
}

ogp_gp candidate_process(const candidates *c, const candidate *one)
{
    return (ogp_gp){.n = c->l,
                    .K = c->p->K,
                    .y = c->y,
                    .upper = c->upper,
                    .weight = c->base.w,
                    .together = &c->together,
                    .gram = c->space[one->space].gram[one->kernel],
                    .variance = candidate_variance(one) * candidate_scale(c, one),
                    .prior_variance = candidate_variance(one)};
}

/* Near the mode: the latent values, f = v G a or v^1/2 Phi'w, and thresholds of the process with another variance v. */
static void start_from(const candidates *c, const candidate *other, candidate *one)
{
    const landmark_kernel *f = c->space[one->space].features[one->kernel];
    double ratio = candidate_variance(other) / candidate_variance(one), factor = f ? sqrt(ratio) : ratio;
    int64_t m = f ? f->l.m : c->l;
    for (int64_t i = 0; i < m; i++) one->coef[i] = factor * other->coef[i];
    memcpy(one->bias, other->bias, (size_t)(c->p->K - 1) * sizeof *one->bias);
}

static rung_status run_process(rung_ctx *ctx, const candidates *c, bool warm, candidate *one)
{
    if (c->landmarks > 0) {
        ogp_features gp = candidate_features(c, one);
        gp.warm = warm;
        return ogp_features_fit(ctx, &gp, one->coef, one->bias, one->loo);
    }
    ogp_gp gp = candidate_process(c, one);
    gp.warm = warm;
    return ogp_gp_fit(ctx, &gp, one->coef, one->bias, one->loo);
}

/* The processes of one kernel. Each starts from the mode of the one before, which saves 40 % of Newton's steps. Without
 * weighted columns and landmarks each starts from zero, as in the recipe of the golden numbers: Newton's iteration then
 * stops at the same point. */
static rung_status run_processes(rung_ctx *ctx, candidates *c, candidate *list, int count)
{
    const candidate *before = NULL;
    bool warm = space_weighted(list->space) || c->landmarks > 0;
    for (int i = 0; i < count; i++) {
        candidate *one = &list[i];
        if (!one->wanted) continue;
        pool_mark mark = pool_here(&ctx->scratch);
        if (before) start_from(c, before, one);
        rung_status status = run_process(ctx, c, before != NULL, one);
        if (status != RUNG_OK && !task_may_fail(status)) return status;
        if (status == RUNG_OK && warm) before = one;
        if (status != RUNG_OK) one->loo = NULL;
        pool_release(&ctx->scratch, mark);
    }
    return RUNG_OK;
}

/* The ridges of one kernel over landmark features; two passes over the rows for all of them. */
static rung_status run_feature_ridges(rung_ctx *ctx, candidates *c, candidate *list, int count)
{
    const mixture_space *s = &c->space[list->space];
    int64_t size = c->l * (c->p->K - 1);
    cumulative_rows rows = candidates_targets(c);
    cumulative_features f;
    double *loo = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, loo, size * count));
    rung_status status =
        cumulative_features_new(ctx, &s->features[list->kernel]->l, s->labelled.X, candidate_scale(c, list), &rows, &f);
    if (status == RUNG_OK) status = cumulative_features_loo(ctx, &f, count, ridges + list->level, loo);
    for (int i = 0; i < count; i++) {
        candidate *one = &list[i];
        if (!one->wanted) continue;
        if (status != RUNG_OK || f.values[0] > CANCELS * ridges[one->level]) {
            one->loo = NULL;
            continue;
        }
        memcpy(one->loo, loo + i * size, (size_t)size * sizeof *loo);
        TRY(cumulative_features_weights(ctx, &f, ridges[one->level], one->coef, one->bias));
    }
    return status;
}

static rung_status run_ridges(rung_ctx *ctx, candidates *c, candidate *list, int count)
{
    if (c->landmarks > 0) return run_feature_ridges(ctx, c, list, count);
    const mixture_space *s = &c->space[list->space];
    double scale = candidate_scale(c, list);
    int64_t size = c->l * (c->p->K - 1);
    cumulative_rows rows = candidates_targets(c);
    cumulative_ridge r;
    rung_status status = cumulative_ridge_new(ctx, &ctx->scratch, s->gram[list->kernel], scale, &rows, &r);
    for (int i = 0; i < count && status != RUNG_OK; i++) list[i].loo = NULL;
    TRY(status);
    for (int i = 0; i < count; i++) {
        candidate *one = &list[i];
        if (!one->wanted) continue;
        if (r.values[0] > CANCELS * ridges[one->level]) {
            one->loo = NULL;
            continue;
        }
        TRY(cumulative_ridge_loo(ctx, &r, ridges[one->level], one->loo));
        TRY(cumulative_ridge_coef(ctx, &r, ridges[one->level], one->coef, one->bias));
        for (int64_t j = 0; j < size; j++) one->coef[j] *= scale;
    }
    return RUNG_OK;
}

/* The spread labels are those of one rank; an interval has nothing to spread. */
typedef struct {
    int *y;              /* n: of every row, 0 also for intervals */
    int64_t l, *at;      /* the rows that spread theirs: which of the labelled ones */
    row_groups together; /* equal ones among them */
} spread_rows;

static rung_status spread_rows_new(rung_ctx *ctx, const candidates *c, spread_rows *out)
{
    int *group = NULL;
    *out = (spread_rows){0};
    TRY(NEW(ctx, &ctx->scratch, out->y, c->p->n));
    TRY(NEW(ctx, &ctx->scratch, out->at, c->l));
    TRY(NEW(ctx, &ctx->scratch, group, c->l));
    for (int64_t i = 0; i < c->l; i++) {
        if (is_interval(c->y, c->upper, i)) continue;
        out->y[c->rows[i]] = c->y[i];
        group[out->l] = (int)c->together.of[i];
        out->at[out->l++] = i;
    }
    TRY(row_groups_new(ctx, &ctx->scratch, out->l, group, &out->together));
    out->together.mixed = c->together.mixed;
    return RUNG_OK;
}

/* Of two labelled rows of a group. */
static bool are_equal(const candidates *c, int64_t i, int64_t j)
{
    return !c->together.mixed || (c->base.equal && c->base.equal[i] == c->base.equal[j]);
}

/* What arrives at each labelled row without the labels of its group: `arrived` (of the rows that spread theirs) in its
 * place and, for an interval, as at a row that equals it, or all that arrives. */
static void spread_to_intervals(const candidates *c, const spread_rows *s, const double *F, const double *arrived,
                                double *others)
{
    int K = c->p->K;
    const row_groups *t = &c->together;
    for (int64_t i = 0; i < c->l; i++)
        for (int q = 0; q < K; q++) others[i * K + q] = F[c->rows[i] + q * c->p->n];
    for (int64_t k = s->l - 1; k >= 0; k--) {
        int64_t g = t->of[s->at[k]];
        for (int64_t j = t->start[g]; j < t->start[g + 1]; j++)
            if (t->rows[j] == s->at[k] ||
                (is_interval(c->y, c->upper, t->rows[j]) && are_equal(c, t->rows[j], s->at[k])))
                memcpy(others + t->rows[j] * K, arrived + k * K, (size_t)K * sizeof *others);
    }
}

/* F = M Y / z with z_q the mean mass of class q over the labelled rows. */
static rung_status run_spreads(rung_ctx *ctx, candidates *c, candidate *list, int count)
{
    const mixture_space *s = &c->space[list->space];
    int64_t n = c->p->n, l = c->l;
    int K = c->p->K, J = K - 1;
    double *F = s->scores[list->graph][list->spread], *others = NULL, *mass = NULL, *p = NULL;
    TRY(NEW(ctx, &ctx->scratch, others, l * K));
    TRY(NEW(ctx, &ctx->scratch, mass, K));
    TRY(NEW(ctx, &ctx->scratch, p, K));
    spread_rows own;
    double *arrived = others;
    if (c->upper) TRY(spread_rows_new(ctx, c, &own));
    if (c->upper) TRY(NEW(ctx, &ctx->scratch, arrived, l * K));
    const propagation walk = {.K = K,
                              .y = c->upper ? own.y : c->p->y,
                              .spread = spreads[list->spread],
                              .dense = PROPAGATE_DENSE,
                              .together = c->upper ? &own.together : &c->together};
    rung_status status = propagate_scores(ctx, s->edges[list->graph], &walk, F, arrived);
    if (c->upper) spread_to_intervals(c, &own, F, arrived, others);
    for (int i = 0; i < count && status != RUNG_OK; i++) list[i].loo = NULL;
    TRY(status);
    for (int q = 0; q < K; q++) {
        for (int64_t i = 0; i < l; i++) mass[q] += fmax(F[c->rows[i] + q * n], 1e-300) / (double)l;
        for (int64_t i = 0; i < n; i++) F[i + q * n] = fmax(F[i + q * n] / mass[q], 0);
    }
    for (int64_t i = 0; i < l; i++) {
        for (int q = 0; q < K; q++) others[i * K + q] /= mass[q];
        for (int k = 0; k < count; k++) {
            if (!list[k].wanted) continue;
            cumulative_power(K, others + i * K, c->prior, powers[list[k].level], p);
            cumulative_sums(K, p, list[k].loo + i * J);
        }
    }
    return RUNG_OK;
}

static rung_status run_task(rung_ctx *ctx, void *user, int64_t i)
{
    task_list *t = user;
    candidate *one = &t->c->list[t->first[i]];
    TRY(interrupted(ctx));
    if (one->kind == FAMILY_GP) return run_processes(ctx, t->c, one, t->count[i]);
    if (one->kind == FAMILY_RIDGE) return run_ridges(ctx, t->c, one, t->count[i]);
    return run_spreads(ctx, t->c, one, t->count[i]);
}

rung_status candidates_run(rung_ctx *ctx, candidates *c)
{
    task_list kernels, graphs;
    TRY(share_kernels(ctx, c));
    TRY(share_graphs(ctx, c));
    TRY(make_room(ctx, c));
    TRY(list_tasks(ctx, c, false, &kernels));
    TRY(list_tasks(ctx, c, true, &graphs));
    double middle = graphs.n > 0 ? 0.8 : 1;
    progress_part outer = progress_enter(ctx, "fitting", 0, middle);
    TRY(parallel_stage(ctx, "fitting", parallel_workers(ctx, c->l, kernels.n), kernels.n, run_task, &kernels));
    progress_leave(ctx, outer);
    progress_enter(ctx, "fitting", middle, 1);
    TRY(parallel_stage(ctx, "fitting", parallel_workers(ctx, c->p->n, graphs.n), graphs.n, run_task, &graphs));
    progress_leave(ctx, outer);
    return RUNG_OK;
}

/* ---- memory ---- */

static bool has(const candidates_shape *s, family_kind kind) { return s->families >> kind & 1; }
static bool has_graphs(const candidates_shape *s) { return has(s, FAMILY_SPREAD) && s->l < s->n; }

/* The rows as they are scaled, the labelled ones, and a Gram matrix for each kernel and the distances; or of each
 * kernel its landmarks, their factors and features. */
double candidates_bytes(const candidates_shape *s)
{
    double l = s->l, n = s->n, m = s->m > 0 ? s->m : l, kernels = 0, tried = 0, J = s->K - 1, sum = 0;
    static const int steps[FAMILY_KINDS] = {VARIANCES, RIDGES, 0};
    for (int kind = 0; kind < FAMILY_KINDS; kind++)
        if (has(s, (family_kind)kind))
            tried += steps[kind] * (double)numbers_of((family_kind)kind, (int64_t)l, (int64_t)m, (int64_t)J);
    kernels = s->m > 0 ? s->kernels * KERNELS * (m * (l + 2 * m + s->d) + l) : (s->kernels * KERNELS + 1) * l * l;
    sum = 3 * n * s->d + l * s->d + kernels + s->wanted * KERNELS * tried;
    if (!has_graphs(s)) return 8 * sum;
    double spread = (double)numbers_of(FAMILY_SPREAD, (int64_t)l, 0, (int64_t)J), edges = 0;
    for (int g = 0; g < GRAPHS; g++) edges += 2 * graph_edges_bytes(n, neighbours_tried[g]); /* lengths, affinities */
    return 8 * (sum + GRAPHS * SPREADS * (n * s->K + POWERS * spread) + 2 * n * neighbours_tried[GRAPHS - 1]) + edges;
}

/* Of so many at a time. */
static double side_by_side(const candidates_shape *s, double rows, int tasks)
{
    return rows > SIDE_BY_SIDE ? 1 : fmax(1, fmin(s->threads, tasks));
}

double candidates_tasks_bytes(const candidates_shape *s)
{
    double l = s->l, one = 0, graph = has_graphs(s) ? propagate_scores_bytes(s->n, l, s->K) + 8 * l * s->K : 0;
    if (s->m > 0) {
        double said = 8 * RIDGES * l * (s->K - 1);
        if (has(s, FAMILY_GP)) one = ogp_features_bytes(l, s->m, s->K);
        if (has(s, FAMILY_RIDGE))
            one = fmax(one, said + cumulative_features_bytes((int64_t)l, (int64_t)s->d, s->K, (int64_t)s->m, RIDGES));
    } else {
        if (has(s, FAMILY_GP)) one = ogp_gp_bytes(l, s->K);
        if (has(s, FAMILY_RIDGE)) one = fmax(one, cumulative_ridge_bytes(l, s->K));
    }
    return fmax(side_by_side(s, l, SPACES * KERNELS) * one, side_by_side(s, s->n, SPACES * GRAPHS * SPREADS) * graph);
}
