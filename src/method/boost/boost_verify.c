// SPDX-License-Identifier: BSD-3-Clause
/* Repeats every round: the trees must be those of the model, and the values of their leaves must follow from the loss
 * at the functions of the previous rounds. */
#include <math.h>
#include <string.h>

#include "method/boost/boost.h"

typedef struct {
    const boost_fit_state *s;
    boosting *b;
    double *f, *t; /* functions and thresholds before the round */
    double *G, *H; /* per node of the last tree */
    double worst;  /* largest difference between a leaf and its value, in units of 1 + |value| */
    double late;   /* splits made although a better one was available */
} replay;

static double logistic(double x) { return 1 / (1 + exp(-x)); }

/* Derivatives of the loss of a row in output q. */
static void plain_derivatives(const replay *r, int32_t i, int q, double *g, double *h)
{
    int K = r->s->rows.K, low = r->s->rows.y[i], high = highest_rank(r->s->rows.y, r->s->rows.upper, i);
    int64_t n = r->s->rows.n;
    if (r->s->rules.nominal) {
        double sum = 0, inside = 0, p = exp(r->f[i + q * n]);
        for (int c = 0; c < K; c++) sum += exp(r->f[i + c * n]);
        for (int c = low - 1; c < high; c++) inside += exp(r->f[i + c * n]);
        *g = p / sum - (low <= q + 1 && q + 1 <= high ? p / inside : 0);
        p /= sum;
        *h = p * (1 - p) * K / (K - 1);
        return;
    }
    double a = high < K ? logistic(r->t[high - 1] - r->f[i]) : 1, b = low > 1 ? logistic(r->t[low - 2] - r->f[i]) : 0;
    *g = 1 - a - b;
    *h = a * (1 - a) + b * (1 - b);
}

/* The last tree of the round against sums over the rows it was grown from. */
static void check_leaves(replay *r)
{
    const boosting *b = r->b;
    const tree *t = &b->tree;
    int64_t columns = r->s->rows.b->n_columns;
    memset(r->G, 0, (size_t)t->n * sizeof *r->G);
    memset(r->H, 0, (size_t)t->n * sizeof *r->H);
    for (int64_t k = 0; k < b->n_train; k++) {
        int32_t i = b->train[k];
        double g, h, w = r->s->rows.w ? r->s->rows.w[i] : 1;
        if (b->sampled && !b->sampled[i]) continue;
        int leaf = tree_leaf(t, r->s->rows.codes.by_row + i * columns);
        plain_derivatives(r, i, b->outputs - 1, &g, &h);
        r->G[leaf] += w * g;
        r->H[leaf] += w * h;
    }
    for (int k = 0; k < t->n; k++) {
        if (t->node[k].column >= 0) continue;
        double value = fmax(fmin(-r->G[k] / (r->H[k] + r->s->rules.tree.l2), TREE_MOST), -TREE_MOST);
        if (!(fabs(t->node[k].value - value) <= r->worst * (1 + fabs(value))))
            r->worst = fabs(t->node[k].value - value) / (1 + fabs(value));
    }
}

/* The children of the k-th split made are nodes 2k + 1 and 2k + 2: it was the best of the nodes available at that
 * time. */
static void check_order(replay *r)
{
    const tree *t = &r->b->tree;
    for (int i = 0; i < t->n; i++)
        for (int j = 0; j < t->n; j++) {
            const tree_node *a = &t->node[i], *b = &t->node[j];
            bool open = a->column >= 0 && b->column >= 0 && j < a->left && a->left < b->left;
            r->late += open && b->value > a->value;
        }
}

/* The count of numbers that differ between two forests. */
static double differing(const forest *a, const forest *b)
{
    if (a->n_trees != b->n_trees || a->n_nodes != b->n_nodes || a->n_words != b->n_words) return INFINITY;
    double count = 0;
    for (int64_t k = 0; k < a->n_nodes; k++)
        count += a->column[k] != b->column[k] || a->split[k] != b->split[k] || a->missing[k] != b->missing[k] ||
                 a->value[k] != b->value[k];
    for (int64_t k = 0; k < a->n_words; k++) count += a->set[k] != b->set[k];
    return count;
}

/* The largest entry of the gradient in thresholds that are free to move. Those at their least distance move together,
 * and the loss must not decrease where they part. */
static double largest_entry(int J, const double *t, const double *gradient)
{
    double worst = 0, sum = 0;
    for (int q = 0; q < J; q++) {
        sum += gradient[q];
        bool tied = q + 1 < J && t[q + 1] - t[q] <= LEAST_GAP * (1 + 1e-6);
        worst = fmax(worst, tied ? sum : fabs(sum)); /* -sum: the slope if the ones up to here go down */
        if (!tied) sum = 0;
    }
    return worst;
}

/* The gradient in the thresholds of the mean loss, at the scores of the model. */
static rung_status check_thresholds(rung_ctx *ctx, const struct verification *v)
{
    const problem *p = v->p;
    const double *t = v->model->members->link.b;
    double *gradient = NULL, total = 0;
    TRY(NEW(ctx, &ctx->scratch, gradient, p->K));
    for (int64_t i = 0; i < p->n; i++) {
        double w = p->w ? p->w[i] : 1;
        int low = p->y[i], high = highest_rank(p->y, p->upper, i);
        double a = high < p->K ? logistic(t[high - 1] - v->f[i]) : 1, b = low > 1 ? logistic(t[low - 2] - v->f[i]) : 0;
        total += w;
        if (high < p->K) gradient[high - 1] -= w * a * (1 - a) / (a - b);
        if (low > 1) gradient[low - 2] += w * b * (1 - b) / (a - b);
    }
    condition_add(v->found, "thresholds", "largest entry of the gradient of the mean loss in the thresholds",
                  largest_entry(p->K - 1, t, gradient) / total, 1e-6);
    return RUNG_OK;
}

/* How far a leaf right of a split lies on the wrong side of one left of it, for columns with a direction. */
static double wrong_way(const forest *f, const int *monotone, double *low, double *high)
{
    double worst = 0;
    for (int64_t t = 0; t < f->n_trees; t++) {
        int64_t first = f->tree_first[t], left = f->tree_first[t + 1];
        for (int64_t k = f->tree_first[t + 1] - 1; k >= first; k--) { /* children before their parents */
            low[k] = high[k] = f->value[k];
            if (f->column[k] < 0) continue;
            left -= 2;
            int direction = monotone[f->column[k]];
            low[k] = fmin(low[left], low[left + 1]);
            high[k] = fmax(high[left], high[left + 1]);
            if (direction > 0) worst = fmax(worst, high[left] - low[left + 1]);
            if (direction < 0) worst = fmax(worst, high[left + 1] - low[left]);
        }
    }
    return worst;
}

static rung_status check_monotone(rung_ctx *ctx, const struct verification *v, const int *monotone)
{
    const forest *f = &v->model->members->score.trees;
    double *low = NULL, *high = NULL;
    TRY(NEW(ctx, &ctx->scratch, low, f->n_nodes));
    TRY(NEW(ctx, &ctx->scratch, high, f->n_nodes));
    condition_add(v->found, "monotone", "how far leaves of a split lie the wrong way round",
                  wrong_way(f, monotone, low, high), 0);
    return RUNG_OK;
}

static rung_status replay_seed(rung_ctx *ctx, const boost_fit_state *s, int seed, int rounds, double *worst,
                               double *late, forest *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int nodes = 2 * s->rules.tree.leaves;
    int64_t size = s->rows.n * out->outputs;
    replay r = {.s = s};
    TRY(boosting_new(ctx, &ctx->scratch, &s->rows, NULL, &s->rules, boost_random(seed), boost_threads(ctx, &s->rows),
                     &r.b));
    TRY(NEW(ctx, &ctx->scratch, r.f, size));
    TRY(NEW(ctx, &ctx->scratch, r.t, s->rows.K));
    TRY(NEW(ctx, &ctx->scratch, r.G, nodes));
    TRY(NEW(ctx, &ctx->scratch, r.H, nodes));
    for (int round = 0; round < rounds; round++) {
        TRY(interrupted(ctx));
        memcpy(r.f, r.b->f, (size_t)size * sizeof *r.f);
        if (!s->rules.nominal) memcpy(r.t, r.b->link.t, (size_t)(s->rows.K - 1) * sizeof *r.t);
        TRY(boosting_round(ctx, r.b, &ctx->scratch, s->seeds, out));
        check_order(&r);
        if (!s->rules.tree.monotone) check_leaves(&r); /* bounds have their own condition */
    }
    *worst = fmax(*worst, r.worst);
    *late += r.late;
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status boost_verify(rung_ctx *ctx, const struct verification *v)
{
    const member *one = v->model->members;
    double rounds = told_number(v->model, "rounds"), worst = 0, late = 0;
    boost_fit_state s;
    forest again;
    TRY(boost_start(ctx, v->p, v->params, &s));
    TRY(forest_new(ctx, &ctx->scratch, one->score.outputs, s.rows.b, &again));
    bool known = rounds >= 1 && rounds * s.seeds * again.outputs == (double)one->score.trees.n_trees;
    for (int seed = 0; seed < s.seeds && known; seed++)
        TRY(replay_seed(ctx, &s, seed, (int)rounds, &worst, &late, &again));
    condition_add(v->found, "trees", "nodes that are not those of trees grown again",
                  differing(&again, &one->score.trees), 0);
    condition_add(v->found, "best first", "splits made while one of larger gain stood open", late, 0);
    condition_add(v->found, "leaves", "largest difference between a leaf and -G / (H + l2), relative",
                  known ? worst : INFINITY, 1e-6);
    if (s.rules.tree.monotone) TRY(check_monotone(ctx, v, s.rules.tree.monotone));
    return one->proba == PROBA_PROBIT ? check_thresholds(ctx, v) : RUNG_OK;
}
