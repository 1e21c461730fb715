// SPDX-License-Identifier: BSD-3-Clause
#include "method/mixture/mixture.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "eval/metrics.h"
#include "graph/propagate.h"
#include "method/mixture/held_families.h"
#include "method/mixture/stack.h"
#include "solve/cumulative.h"
#include "trees/random_tree.h"
#include "trees/relevance.h"

enum { SCREEN = 500, MADE = 300 /* points that are drawn instead of rows */ };
static const double SCREEN_KEEP = 1e-3, PLANNED_KEEP = 0.02, KEEP = 1e-3, REDUNDANT = 10;

/* Prior weights of a family in each space, and of the frequencies: on tabular data, and if columns are redundant. */
static const double priors[2][FAMILY_KINDS] = {{4, 0.5, 0.25}, {1, 1, 3}}, prior_frequencies[2] = {0.5, 0.25};
/* With one label per class leave-one-out is uninformative and the prior decides: label spreading then counts more. */
static const double SINGLE_SPREAD = 3;
/* Weight of an error relative to the prior within a family. Spread labels are almost certain, so the errors of a few
 * rows would select one graph of many; on redundant columns they are therefore averaged more evenly. */
static const double STRENGTH = 8, SPREAD_STRENGTH = 1;

typedef struct {
    candidates c;
    stack_rows rows;
    double **loo;   /* leave-one-out prediction of each candidate; NULL: it failed */
    double *within; /* its weight in its family */
    int n;
    mixture_family list[MOST_FAMILIES];
    mixture_trees trees; /* where trees or relevance are wanted */
} mixture;

/* |R|_F^2 / d - d / n for the correlation matrix R of the d columns that vary. */
static rung_status redundancy(rung_ctx *ctx, const problem *p, double *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    scaling s;
    double *Z = NULL, d = fmax(1, (double)p->varying), n = (double)p->n, norm;
    la_mat *X = NULL, *G = NULL;
    bool wide = p->d > p->n;
    int64_t size = wide ? p->n : p->d;
    rung_view view = {.v = p->X, .n = p->n, .d = p->d, .row = p->d, .col = 1};
    TRY(NEW_RAW(ctx, &ctx->scratch, Z, p->d * p->n));
    TRY(la_new(ctx, &ctx->scratch, p->d, p->n, &X));
    TRY(la_new(ctx, &ctx->scratch, size, size, &G));
    TRY(scale_fit(ctx, &ctx->scratch, SCALE_STANDARD, &(scale_rows){p->d, p->n, p->X, NULL, p->count}, &s));
    scale_apply(&s, p->n, &view, NULL, Z);
    la_put(Z, X);
    TRY(la_syrk(ctx, wide, 1 / n, X, 0, G));
    TRY(la_inner(ctx, G, G, &norm));
    *out = norm / d - d / n;
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* ---- families ---- */

/* P(y > q) by the frequencies of the others, (N_q - own + 1/K) / (l - owned + 1); equal rows own their labels
 * together. */
static rung_status frequencies_loo(rung_ctx *ctx, const stack_rows *rows, const double *weight, double *P)
{
    int K = rows->K, J = K - 1;
    const row_groups *t = rows->together;
    double *count = NULL, *own = NULL, *p = NULL, all = 0;
    TRY(NEW(ctx, &ctx->scratch, count, K));
    TRY(NEW(ctx, &ctx->scratch, own, K));
    TRY(NEW(ctx, &ctx->scratch, p, K));
    for (int64_t i = 0; i < rows->n; i++) {
        if (!rows->upper) count[rows->y[i] - 1] += weight ? weight[i] : 1;
        all += weight ? weight[i] : 1;
    }
    if (rows->upper) TRY(class_masses(ctx, rows->n, rows->y, rows->upper, weight, K, count));
    for (int64_t g = 0; g < t->count; g++) {
        memset(own, 0, (size_t)K * sizeof *own);
        double others = all + 1;
        for (int64_t k = t->start[g]; k < t->start[g + 1]; k++) {
            double w = weight ? weight[t->rows[k]] : 1;
            int low = rows->y[t->rows[k]], high = highest_rank(rows->y, rows->upper, t->rows[k]);
            for (int q = low; q <= high; q++) own[q - 1] += w * label_share(low, high, q, count);
            others -= w;
        }
        for (int q = 0; q < K; q++) p[q] = (count[q] - own[q] + 1.0 / K) / others;
        for (int64_t k = t->start[g]; k < t->start[g + 1]; k++) cumulative_sums(K, p, P + t->rows[k] * J);
    }
    return RUNG_OK;
}

/* The weights within each family, and its mean prediction. A family whose candidates all failed is omitted. */
static rung_status weigh_within(rung_ctx *ctx, mixture *m, bool frequencies, bool manifold)
{
    candidates *c = &m->c;
    int64_t size = c->l * (c->p->K - 1);
    double *penalty = NULL;
    TRY(stack_rows_new(ctx, &ctx->scratch, c->p->K, c->y, c->upper, c->base.w, &c->together, &m->rows));
    m->rows.classes = c->p->classes;
    TRY(NEW(ctx, &ctx->scratch, m->within, c->n));
    TRY(NEW(ctx, &ctx->scratch, m->loo, c->n));
    TRY(NEW(ctx, &ctx->scratch, penalty, c->n));
    for (int i = 0; i < c->n; i++) {
        m->loo[i] = c->list[i].loo;
        penalty[i] = c->list[i].penalty;
        if (manifold && c->list[i].kind == FAMILY_SPREAD) penalty[i] += candidate_reach_penalty(c, &c->list[i]);
    }
    for (int i = 0, next; i < c->n; i = next) {
        const candidate *one = &c->list[i];
        bool any = false;
        for (next = i; next < c->n && c->list[next].kind == one->kind && c->list[next].space == one->space; next++)
            any = any || m->loo[next];
        if (!any) continue;
        mixture_family *f = &m->list[m->n++];
        bool reach = manifold && one->kind == FAMILY_SPREAD;
        *f = (mixture_family){.first = i, .count = next - i, .prior = priors[manifold][one->kind]};
        f->strength = reach ? SPREAD_STRENGTH : STRENGTH;
        if (reach && c->l == c->p->K) f->prior *= SINGLE_SPREAD;
        TRY(NEW(ctx, &ctx->scratch, f->mean, size));
        stack_family(&m->rows, f->strength, f->count, m->loo + i, penalty + i, m->within + i, f->mean);
    }
    if (!frequencies && m->n > 0) return RUNG_OK;
    mixture_family *f = &m->list[m->n++];
    *f = (mixture_family){.prior = prior_frequencies[manifold]};
    TRY(NEW(ctx, &ctx->scratch, f->mean, size));
    return frequencies_loo(ctx, &m->rows, c->base.w, f->mean);
}

static bool is_supervised(const mixture *m, const mixture_family *f)
{
    return f->count == 0 || m->c.list[f->first].kind != FAMILY_SPREAD;
}

/* The families that are stacked: all, or the supervised ones. kept: what stays of them; NULL: everything. */
static int stacked(const mixture *m, bool supervised, const mixture_kept *kept, stack_part *parts)
{
    int n = 0;
    for (int f = 0; f < m->n; f++) {
        const mixture_family *one = &m->list[f];
        if (supervised && !is_supervised(m, one)) continue;
        parts[n] = (stack_part){.n = one->held ? 0 : one->count,
                                .P = m->loo + one->first,
                                .w = m->within + one->first,
                                .mean = one->mean,
                                .strength = one->strength,
                                .prior = one->prior,
                                .kept = kept ? kept->candidate + one->first : NULL,
                                .dropped = kept ? 1 - kept->share[f] : 0};
        n++;
    }
    return n;
}

/* The weights of the families, and the exponent that sharpens their mean. */
static rung_status weigh_between(rung_ctx *ctx, mixture *m, double *weight, double *sharpen)
{
    stack_part parts[MOST_FAMILIES];
    int n = stacked(m, false, NULL, parts);
    double *P = NULL;
    TRY(NEW(ctx, &ctx->scratch, P, m->c.l * (m->c.p->K - 1)));
    TRY(stack_families(ctx, &m->rows, n, parts, weight, P));
    return stack_sharpen(ctx, &m->rows, P, sharpen);
}

/* The prediction of what is kept for each labelled row, with the weights given by the other rows. supervised: that of
 * all families which learn from labelled rows alone. */
static rung_status left_out(rung_ctx *ctx, mixture *m, bool supervised, const mixture_kept *kept, double *P)
{
    stack_part parts[MOST_FAMILIES];
    int n = stacked(m, supervised, kept, parts);
    return stack_left_out(ctx, &m->rows, n, parts, P);
}

/* ---- many labels ---- */

/* wanted := the candidates that matter on some of the labels and, unless the plan has landmarks, their neighbours in
 * the grid. */
static rung_status screen(rung_ctx *ctx, const mixture_options *o, int64_t wanted, bool manifold,
                          const double *relevance, candidates *c)
{
    pool_mark mark = pool_here(&ctx->scratch);
    problem *p = c->p, sub;
    int64_t *rows = NULL, count;
    int *classes = NULL;
    mixture m = {0};
    TRY(NEW(ctx, &ctx->scratch, rows, p->n));
    TRY(NEW(ctx, &ctx->scratch, classes, p->K));
    TRY(mixture_evenly_spaced(ctx, p, c->l, wanted, rows, &count));
    TRY(problem_subset(ctx, &ctx->scratch, p, count, rows, &sub, classes));
    TRY(candidates_new(ctx, &sub, o->families, o->spaces, relevance, &m.c));
    m.c.made = o->made;
    m.c.landmarks = o->made ? MADE : 0;
    TRY(candidates_run(ctx, &m.c));
    TRY(weigh_within(ctx, &m, false, manifold));
    for (int i = 0; i < c->n; i++) {
        c->list[i].wanted = false;
        for (int j = 0; j < m.c.n; j++)
            if (m.c.list[j].loo &&
                (o->planned ? i == j && m.within[j] >= PLANNED_KEEP
                            : m.within[j] >= SCREEN_KEEP && candidates_near(&m.c.list[j], &c->list[i])))
                c->list[i].wanted = true;
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* On tables spread labels have little weight: fewer rows show that as well. */
enum { TABLE_UNLABELLED = 1000 };

/* ---- trees, and columns by relevance ---- */

/* With fewer labels, or a single one per class, trees learn nothing. */
static const int64_t FEWEST = 20;
static const double prior_trees[STACKED_KINDS] = {2, 1, 1};

static int64_t count_labels(const problem *p)
{
    int64_t l = 0;
    for (int64_t i = 0; i < p->n; i++) l += p->y[i] != 0;
    return l;
}

/* Whether the bins of all rows, and a word for each and each fold, fit into half of the memory limit; the other
 * half is for the fit to its sample. */
static bool all_rows_fit(double rows, double columns, const mixture_plan *plan, double memory)
{
    int words = plan->folds > 1 ? plan->folds + 1 : 1;
    return memory <= 0 || rows * (columns + 4 * words) <= memory / 2;
}

static bool trees_take_all(const rung_ctx *ctx, const problem *p, const mixture_plan *plan)
{
    return problem_partial(p) &&
           all_rows_fit((double)rows_most(ctx, p->all->source), (double)p->d, plan, memory_left(ctx));
}

/* All labelled rows in bins, and folds of them. */
static rung_status open_trees(rung_ctx *ctx, const problem *p, bool boosted, const mixture_plan *plan, mixture_trees *t)
{
    int64_t *rows = NULL, l = 0;
    int *classes = NULL;
    problem bare = *p;
    bare.X = NULL;
    TRY(NEW(ctx, &ctx->scratch, rows, p->n));
    TRY(NEW(ctx, &ctx->scratch, classes, p->K));
    for (int64_t i = 0; i < p->n; i++)
        if (p->y[i]) rows[l++] = i;
    TRY(problem_subset(ctx, &ctx->scratch, &bare, l, rows, &t->labelled, classes));
    if (boosted && trees_take_all(ctx, p, plan)) t->labelled.all = p->all;
    TRY(stacked_rows(ctx, &ctx->scratch, &t->labelled, &t->rows));
    if (plan->folds > 1) return stacked_folds(ctx, &ctx->scratch, &t->labelled, plan->folds, &t->f);
    ranked_rows ranked = problem_ranks(&t->labelled);
    return folds_holdout(ctx, &ctx->scratch, &ranked, PLAN_HELD_SHARE, PLAN_MOST_HELD, &t->f);
}

/* Which labelled row each row of the candidates is: both are in the order of the data. */
static rung_status match_rows(rung_ctx *ctx, const problem *p, mixture_trees *t)
{
    int64_t l = 0, k = 0;
    TRY(NEW(ctx, &ctx->scratch, t->at, t->f.n));
    for (int64_t i = 0; i < p->n; i++) {
        if (!p->y[i]) continue;
        while (t->labelled.origin[k] != p->origin[i]) k++;
        t->at[l++] = k;
    }
    return RUNG_OK;
}

/* The rows of the candidates in bins, and their folds. */
static rung_status candidate_rows(rung_ctx *ctx, const mixture *m, boost_rows *rows, folds *f)
{
    const mixture_trees *t = &m->trees;
    int64_t l = m->c.l;
    *f = (folds){.n = l, .count = t->f.count, .repeats = 1};
    TRY(NEW(ctx, &ctx->scratch, f->fold, l));
    for (int64_t i = 0; i < l; i++) f->fold[i] = t->f.fold[t->at[i]];
    return binned_rows_some(ctx, &t->rows, l, t->at, rows);
}

static rung_status hold_out_kernels(rung_ctx *ctx, bool all, mixture *m)
{
    double *P[SPACES][2] = {{NULL}};
    boost_rows rows;
    folds f;
    TRY(candidate_rows(ctx, m, &rows, &f));
    TRY(held_kernels(ctx, &m->c, all ? NULL : m->within, &rows, &f, P));
    for (int k = 0; k < m->n; k++) {
        const candidate *first = &m->c.list[m->list[k].first];
        if (m->list[k].count == 0 || !space_weighted(first->space)) continue;
        m->list[k].mean = P[first->space][first->kind];
        m->list[k].held = true;
    }
    return RUNG_OK;
}

static rung_status add_trees(rung_ctx *ctx, effort_level effort, const mixture_plan *plan, mixture *m)
{
    mixture_trees *t = &m->trees;
    int K = m->c.p->K;
    bool nominal = mixture_plan_nominal(effort, boost_rows_all(&t->rows), K);
    bool wanted[STACKED_KINDS] = {true, nominal, plan->random && K <= RANDOM_MOST_CLASSES};
    for (int kind = 0; kind < STACKED_KINDS; kind++) {
        if (!wanted[kind]) continue;
        mixture_family *f = &m->list[m->n++];
        *f = (mixture_family){.trees = kind + 1, .held = true, .prior = prior_trees[kind]};
        TRY(NEW(ctx, &ctx->scratch, f->mean, m->c.l * (K - 1)));
        TRY(stacked_trees_run(ctx, &ctx->scratch, &t->rows, (stacked_kind)kind, &t->f, &t->of[kind]));
        for (int64_t i = 0; i < m->c.l; i++)
            cumulative_sums(K, t->of[kind].proba + t->at[i] * K, f->mean + i * (K - 1));
    }
    return RUNG_OK;
}

/* ---- the whole ---- */

static rung_status summarise(rung_ctx *ctx, mixture *m, const mixture_kept *kept, const double *P, mixture_summary *out)
{
    double *Q = NULL;
    int64_t l = m->c.l;
    const int *y = m->rows.y, *upper = m->rows.upper;
    const double *w = m->c.base.w;
    int median = metrics_median(&(graded_rows){.n = l, .K = m->rows.K, .truth = y, .upper = upper}, w);
    double count = 0;
    for (int f = 0; f < m->n; f++) {
        const mixture_family *one = &m->list[f];
        double weight = kept_weight(kept, f);
        if (one->trees) out->trees[one->trees - 1] = weight;
        if (is_frequencies(one)) out->frequencies = weight;
        if (one->count == 0) continue;
        const candidate *first = &m->c.list[one->first];
        out->weight[first->space][first->kind] = weight;
        out->present[first->kind] = true;
    }
    out->members = kept->n;
    out->weighted = w != NULL;
    out->mae = stack_mae(&m->rows, w, P);
    out->median = 0;
    for (int64_t i = 0; i < l; i++) {
        out->median += (w ? w[i] : 1) * stack_distance(&m->rows, i, median);
        count += w ? w[i] : 1;
    }
    out->median /= count;
    out->has_supervised = out->present[FAMILY_SPREAD];
    if (!out->has_supervised) return RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, Q, l * (m->rows.K - 1)));
    TRY(left_out(ctx, m, true, NULL, Q));
    out->supervised = stack_mae(&m->rows, w, Q);
    return RUNG_OK;
}

/* With enough labels to tell, a mixture that errs more than the median on rows left out is worth nothing: the class
 * frequencies alone are kept, whose answer is the median. Rows that leave together count once: without them a model
 * knows less of a row than it will know of a new one. */
static const double WORSE_THAN_MEDIAN = 1.08;
enum { TELLING = 40 };

static bool is_nothing(const mixture *m, const mixture_summary *s)
{
    return m->c.together.count >= TELLING && s->mae > WORSE_THAN_MEDIAN * s->median;
}

/* What each part says of the rows of the candidates, which it has not seen: those of a family that is assessed by folds
 * have its predictions in common. */
static rung_status held_parts(rung_ctx *ctx, const mixture *m, mixture_choice *out)
{
    TRY(NEW(ctx, &ctx->scratch, out->held, out->kept.n));
    for (int i = 0; i < out->kept.n; i++) {
        const mixture_part *part = &out->kept.parts[i];
        const mixture_family *f = &m->list[part->family];
        out->held[i] = part->candidate < 0 || f->held ? f->mean : m->loo[part->candidate];
    }
    return NEW(ctx, &ctx->scratch, out->combined, m->c.l * (m->rows.K - 1));
}

static rung_status note_held(rung_ctx *ctx, mixture *m, const double *weight, mixture_choice *out)
{
    stack_part parts[MOST_FAMILIES];
    int n = stacked(m, false, &out->kept, parts);
    TRY(held_parts(ctx, m, out));
    return stack_combined(ctx, &m->rows, n, parts, weight, out->sharpen, out->combined);
}

/* The model is then a constant, so a row that is left out is answered by this constant: the median of the others is
 * always on the other side of the row where classes are balanced. */
static rung_status keep_frequencies(rung_ctx *ctx, const mixture *m, double *P, mixture_choice *out)
{
    int K = m->rows.K;
    double *p = NULL, *said = NULL;
    TRY(kept_frequencies(ctx, m->n, m->list, &m->c, &out->kept));
    TRY(held_parts(ctx, m, out));
    TRY(NEW(ctx, &ctx->scratch, p, K));
    TRY(NEW(ctx, &ctx->scratch, said, m->c.l * (K - 1)));
    candidates_frequencies(&m->c, p);
    out->sharpen = 1;
    for (int64_t i = 0; i < m->c.l; i++) {
        cumulative_sums(K, p, said + i * (K - 1));
        memcpy(P + i * (K - 1), said + i * (K - 1), (size_t)(K - 1) * sizeof *P);
        cumulative_sharpen(K, out->sharpen, P + i * (K - 1)); /* as the model does, to the last bit */
    }
    out->held[0] = said;
    memcpy(out->combined, P, (size_t)(m->c.l * (K - 1)) * sizeof *P);
    return RUNG_OK;
}

static rung_status weights_violation(rung_ctx *ctx, const mixture *m, const double *weight, double *out)
{
    stack_part parts[MOST_FAMILIES];
    int n = stacked(m, false, NULL, parts);
    return stack_violation(ctx, &m->rows, n, parts, weight, out);
}

/* Rows that were never held out say nothing about families that are assessed by folds. */
static void only_held(mixture *m)
{
    for (int64_t i = 0; i < m->c.l; i++)
        if (m->trees.f.fold[m->trees.at[i]] < 0) m->rows.weight[i] = 0;
}

/* P, of the rows of the candidates, for all labelled rows. */
static rung_status spread_out(rung_ctx *ctx, const mixture *m, const double *P, mixture_choice *out)
{
    int64_t J = m->rows.K - 1, l = m->c.l, n = m->trees.f.count > 0 ? m->trees.f.n : l;
    out->n_rows = n;
    TRY(NEW_RAW(ctx, &ctx->scratch, out->loo, n * J));
    for (int64_t i = 0; i < n * J; i++) out->loo[i] = NAN;
    for (int64_t i = 0; i < l; i++)
        if (m->rows.weight[i] > 0)
            memcpy(out->loo + (m->trees.at ? m->trees.at[i] : i) * J, P + i * J, (size_t)J * sizeof *P);
    return RUNG_OK;
}

/* The candidates that the plan wants, fitted; families, their weights within, and their predictions. */
static rung_status run_families(rung_ctx *ctx, problem *p, const mixture_options *o, const mixture_plan *plan,
                                mixture_summary *summary, mixture *m)
{
    double *relevance = NULL;
    bool folded = m->trees.f.count > 0;
    boost_rows rows;
    if (folded) TRY(match_rows(ctx, p, &m->trees));
    if (folded && o->relevance) {
        TRY(NEW(ctx, &ctx->scratch, relevance, p->d));
        TRY(binned_rows_some(ctx, &m->trees.rows, count_labels(p), m->trees.at, &rows));
        TRY(relevance_weights(ctx, &rows, relevance));
        summary->relevance = relevance;
    }
    TRY(candidates_new(ctx, p, o->families, o->spaces, relevance, &m->c));
    bool screened = plan->screen > 0 && m->c.l > plan->screen;
    double first = screened ? 0.15 : 0, second = folded ? 0.5 : 1, third = relevance ? 0.8 : second; /* of the time */
    progress_part outer = progress_enter(ctx, "fitting", 0, first);
    if (screened) TRY(screen(ctx, o, plan->screen, summary->manifold, relevance, &m->c));
    m->c.made = o->made;
    m->c.landmarks = o->made ? MADE : plan->landmarks;
    progress_leave(ctx, outer);
    progress_enter(ctx, "fitting", first, second);
    TRY(candidates_run(ctx, &m->c));
    TRY(weigh_within(ctx, m, o->frequencies, summary->manifold));
    progress_leave(ctx, outer);
    progress_enter(ctx, "fitting", second, third);
    if (relevance) TRY(hold_out_kernels(ctx, plan->whole_folds, m));
    progress_leave(ctx, outer);
    progress_enter(ctx, "fitting", third, 1);
    if (folded && o->trees) TRY(add_trees(ctx, o->effort, plan, m));
    progress_leave(ctx, outer);
    if (folded) only_held(m);
    return RUNG_OK;
}

static const mixture_plan exact_plan = {.screen = SCREEN};

rung_status mixture_choose(rung_ctx *ctx, problem *p, const mixture_options *wanted, mixture_choice *out,
                           mixture_summary *summary)
{
    mixture_options own = *wanted, *o = &own;
    if (p->w) own.families &= ~(1U << FAMILY_SPREAD); /* spread labels have no weights */
    mixture m = {0};
    double weight[MOST_FAMILIES] = {0}, *P = NULL;
    int64_t labels = count_labels(p);
    const mixture_plan *plan = o->planned ? mixture_plan_for(o->effort, labels) : &exact_plan;
    bool trees = (o->trees || o->relevance) && p->code && labels >= FEWEST && labels > p->K;
    const problem *whole = p;
    *out = (mixture_choice){0};
    *summary = (mixture_summary){0};
    if (o->families & 1U << FAMILY_SPREAD) TRY(mixture_thin_unlabelled(ctx, o->most_unlabelled, &p, summary));
    TRY(redundancy(ctx, p, &summary->redundancy));
    summary->manifold = summary->redundancy >= REDUNDANT;
    if (trees && !summary->manifold) TRY(open_trees(ctx, whole, o->trees, plan, &m.trees));
    if (m.trees.f.count > 0) TRY(mixture_thin_labels(ctx, plan->kernel_rows, &m.trees.f, &p, summary));
    if (o->families & 1U << FAMILY_SPREAD && !summary->manifold && !o->most_unlabelled && o->planned)
        TRY(mixture_thin_unlabelled(ctx, TABLE_UNLABELLED, &p, summary));
    TRY(run_families(ctx, p, o, plan, summary, &m));
    TRY(NEW(ctx, &ctx->scratch, P, m.c.l * (p->K - 1)));
    TRY(weigh_between(ctx, &m, weight, &out->sharpen));
    TRY(weights_violation(ctx, &m, weight, &out->violation));
    TRY(kept_choose(ctx, m.n, m.list, weight, &m.c, m.within, o->least > 0 ? o->least : KEEP, &out->kept));
    TRY(left_out(ctx, &m, false, &out->kept, P));
    TRY(note_held(ctx, &m, weight, out));
    TRY(summarise(ctx, &m, &out->kept, P, summary));
    if (o->planned && o->frequencies && is_nothing(&m, summary)) {
        summary->tried = summary->mae;
        TRY(keep_frequencies(ctx, &m, P, out));
        TRY(summarise(ctx, &m, &out->kept, P, summary));
    }
    TRY(spread_out(ctx, &m, P, out));
    out->c = m.c;
    out->trees = m.trees;
    if (m.trees.rows.all) summary->all = m.trees.rows.all->total;
    return RUNG_OK;
}

/* Of some rows, in the memory of the model until it is proved. */
static rung_status keep_held(rung_ctx *ctx, pool *mem, const mixture_choice *m, int K, held_members *out)
{
    enum { ROWS = 400 };
    int64_t J = K - 1;
    *out = (held_members){.n = m->c.l < ROWS ? m->c.l : ROWS, .members = m->kept.n};
    TRY(NEW(ctx, mem, out->at, out->n));
    TRY(NEW(ctx, mem, out->said, out->n * (out->members + 1) * J));
    double *to = out->said;
    for (int64_t k = 0; k < out->n; k++) {
        int64_t i = k * m->c.l / out->n;
        out->at[k] = m->trees.at ? m->trees.at[i] : i;
        for (int j = 0; j <= out->members; j++, to += J)
            memcpy(to, (j < out->members ? m->held[j] : m->combined) + i * J, (size_t)J * sizeof *to);
    }
    return RUNG_OK;
}

rung_status mixture_fit(rung_ctx *ctx, pool *mem, problem *p, const mixture_options *o, fitted *out,
                        mixture_summary *summary)
{
    mixture_choice m;
    int K = p->K;
    TRY(mixture_choose(ctx, p, o, &m, summary));
    out->sharpen = m.sharpen;
    TRY(keep_held(ctx, mem, &m, K, &out->held));
    TRY(mixture_members(ctx, mem, &m.c, &m.trees, o->most_rank, m.kept.n, m.kept.parts, out));
    TRY(NEW(ctx, mem, out->loo, m.n_rows * K));
    for (int64_t i = 0; i < m.n_rows; i++) cumulative_classes(K, m.loo + i * (K - 1), out->loo + i * K);
    return RUNG_OK;
}

/* ---- memory ---- */

static candidates_shape candidates_of(const problem_shape *shape, const mixture_options *o, const mixture_plan *plan)
{
    double all = (double)shape->labelled, l = plan->kernel_rows > 0 ? fmin(all, (double)plan->kernel_rows) : all;
    int64_t most = o->planned ? TABLE_UNLABELLED : mixture_most_unlabelled(shape->labelled);
    return (candidates_shape){.n = fmin((double)shape->n - all, (double)most) + l,
                              .l = l,
                              .d = (double)shape->d,
                              .m = o->made ? MADE : fmin(l, (double)plan->landmarks),
                              .kernels = 1,
                              .wanted = 1,
                              .K = shape->K,
                              .threads = shape->threads,
                              .families = o->families};
}

static const mixture_plan *plan_of(const problem_shape *shape, const mixture_options *o)
{
    return o->planned ? mixture_plan_for(o->effort, shape->labelled) : &exact_plan;
}

static double spaces_of(const mixture_options *o)
{
    double spaces = 0;
    for (int s = 0; s < SPACES; s++) spaces += o->spaces >> s & 1;
    return spaces;
}

/* Of Gaussian processes 4 to 11 in a space are usual, with few labels more; of graphs all. */
double mixture_model_bytes(const problem_shape *shape, const mixture_options *o)
{
    enum { KEPT = 12 };
    candidates_shape c = candidates_of(shape, o, plan_of(shape, o));
    double m = c.m > 0 ? c.m : c.l, numbers = 0;
    if (o->families & 1U << FAMILY_GP) numbers += KEPT * m * (c.K + (o->most_rank > 0 ? fmin(m, o->most_rank) : m));
    if (o->families & 1U << FAMILY_SPREAD && c.l < c.n) numbers += c.n * (c.d + GRAPHS * SPREADS * c.K);
    return 8 * spaces_of(o) * (numbers + m * c.d);
}

/* The grid on all rows, or on some of them and then what matters there (of exact kernels about half, of those with
 * landmarks two and a few candidates) on all; with relevance also a fold of it, in half of the spaces. Then the model,
 * and trees. */
double mixture_bytes(const problem_shape *shape, const mixture_options *o)
{
    const mixture_plan *plan = plan_of(shape, o);
    candidates_shape c = candidates_of(shape, o, plan), first = c;
    double spaces = spaces_of(o), all = (double)shape->labelled, screening = 0, bins = 0;
    if (plan->screen > 0 && c.l > (double)plan->screen) {
        first.l = (double)plan->screen;
        first.n += first.l - c.l;
        first.m = 0;
        screening = spaces * candidates_bytes(&first) + candidates_tasks_bytes(&first);
        c.kernels = c.m > 0 ? 2.0 / KERNELS : 0.5;
        c.wanted = c.m > 0 ? 0.1 : 1;
    }
    double run = spaces * (o->relevance ? 1.25 : 1) * candidates_bytes(&c) + candidates_tasks_bytes(&c);
    if (o->trees || o->relevance) {
        problem_shape rows = *shape;
        if (!o->trees || !all_rows_fit((double)shape->all_here, c.d, plan, shape->memory)) rows.all = 0;
        bool nominal =
            mixture_plan_nominal(o->effort, rows.all > shape->labelled ? rows.all : shape->labelled, shape->K);
        bins = stacked_trees_bytes(&rows, nominal, plan->folds) + 8 * all * c.K * (STACKED_KINDS + 1);
        if (o->trees && plan->random) bins += random_trees_bytes(shape);
    }
    return fmax(screening, run) + mixture_model_bytes(shape, o) + bins;
}
