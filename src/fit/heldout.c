// SPDX-License-Identifier: BSD-3-Clause
/* heldout.c - scores of held-out rows, and the thresholds and metrics that follow from them. */
#include "fit/heldout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/row_groups.h"
#include "eval/metrics.h"
#include "trees/relevance.h"

enum { CROSS_GROUPS = 5, REST_FOLDS = 5, REST_LABELS = 200 };

static const double CALIBRATION_LAMBDA = 0.05;

/* One fold: its problem, and the rows held out of it. */
typedef struct {
    problem sub;
    int *classes; /* of all rows, for the ranks of sub */
    int repeat, fold;
    int64_t n;
    int64_t *rows;
    double *X, *cells; /* of these rows: scaled, and as they stand */
} held_fold;

/* Weights of the columns that have not seen the rows held out: those of all rows are replaced by them. */
static rung_status weigh_again(rung_ctx *ctx, const problem *p, held_fold *h)
{
    int64_t l = 0, *rows = NULL;
    int *y = NULL, *upper = NULL;
    double *w = NULL, *X = NULL, *weight = NULL;
    tree_table table = {.code = p->code, .cells = p->cells, .n_rows = p->n_cells};
    TRY(NEW(ctx, &ctx->scratch, rows, h->sub.n));
    TRY(NEW(ctx, &ctx->scratch, y, h->sub.n));
    if (h->sub.upper) TRY(NEW(ctx, &ctx->scratch, upper, h->sub.n));
    if (h->sub.w) TRY(NEW(ctx, &ctx->scratch, weight, h->sub.n));
    TRY(NEW(ctx, &ctx->scratch, w, p->d));
    TRY(NEW_RAW(ctx, &ctx->scratch, X, h->sub.n * p->d));
    for (int64_t i = 0; i < h->sub.n; i++) {
        if (!h->sub.y[i]) continue;
        rows[l] = h->sub.origin[i];
        if (upper) upper[l] = h->sub.upper[i];
        if (weight) weight[l] = h->sub.w[i];
        y[l++] = h->sub.y[i];
    }
    relevance_rows learned = {.n = l, .rows = rows, .K = h->sub.K, .y = y, .upper = upper, .w = weight};
    TRY(relevance_of_rows(ctx, &table, &learned, w));
    for (int64_t i = 0; i < h->sub.n * p->d; i++) X[i] = h->sub.X[i] / p->relevance[i % p->d] * w[i % p->d];
    for (int64_t i = 0; i < h->n * p->d; i++) h->X[i] = h->X[i] / p->relevance[i % p->d] * w[i % p->d];
    h->sub.X = X;
    h->sub.relevance = w;
    h->sub.parent = NULL; /* what the parent has computed is of other columns */
    h->sub.rows = NULL;
    return RUNG_OK;
}

static rung_status held_fold_new(rung_ctx *ctx, const problem *p, const folds *f, held_fold *h)
{
    int64_t *kept = NULL;
    TRY(NEW(ctx, &ctx->scratch, h->classes, p->K));
    TRY(NEW(ctx, &ctx->scratch, kept, p->n));
    TRY(NEW(ctx, &ctx->scratch, h->rows, p->n));
    h->n = folds_held(f, h->repeat, h->fold, h->rows);
    if (h->n == 0) return RUNG_OK;
    TRY(problem_subset(ctx, &ctx->scratch, p, folds_kept(f, h->repeat, h->fold, kept), kept, &h->sub, h->classes));
    TRY(NEW_RAW(ctx, &ctx->scratch, h->X, p->d * h->n));
    TRY(NEW_RAW(ctx, &ctx->scratch, h->cells, p->d * h->n));
    size_t size = (size_t)p->d * sizeof *h->X;
    for (int64_t i = 0; i < h->n; i++) {
        if (p->X) memcpy(h->X + i * p->d, p->X + h->rows[i] * p->d, size); /* trees see the cells alone */
        if (p->cells) memcpy(h->cells + i * p->d, p->cells + p->origin[h->rows[i]] * p->d, size);
    }
    return p->relevance ? weigh_again(ctx, p, h) : RUNG_OK;
}

/* Fits again on the training part of the fold; scores and ranks are on the scale of all classes. */
static rung_status refit(rung_ctx *ctx, const method *m, const void *params, held_fold *h, held_out *out)
{
    fitted fit = {0};
    double *score = NULL, *proba = out->proba ? out->proba + out->n * out->K : NULL;
    int *rank = NULL;
    TRY(NEW(ctx, &ctx->scratch, score, h->n));
    TRY(NEW(ctx, &ctx->scratch, rank, h->n));
    if (h->sub.K > 1) {
        TRY(m->fit(ctx, &ctx->scratch, &(fit_input){.method = m, .p = &h->sub, .params = params}, &fit));
        row_answers rows = {.score = score, .rank = rank, .K = out->K, .proba = proba};
        TRY(fitted_apply(ctx, &fit, h->classes, h->n, &(member_rows){h->X, h->cells}, &rows));
    }
    for (int64_t i = 0; i < h->n && h->sub.K == 1 && proba; i++) proba[i * out->K + h->classes[0] - 1] = 1;
    for (int64_t i = 0; i < h->n; i++, out->n++) {
        out->row[out->n] = h->rows[i];
        out->repeat[out->n] = h->repeat;
        out->fold[out->n] = h->fold;
        out->score[out->n] = h->sub.K > 1 ? score[i] : h->classes[0];
        out->rank[out->n] = h->sub.K > 1 ? rank[i] : h->classes[0];
    }
    return RUNG_OK;
}

rung_status held_out_by_refits(rung_ctx *ctx, pool *mem, const method *m, int count, const void *const *params,
                               const problem *p, const folds *f, held_out *out)
{
    bool own = (m->info.flags & RUNG_METHOD_PROBABILITIES) != 0;
    int64_t room = p->n * f->repeats;
    for (int c = 0; c < count; c++)
        TRY(own ? held_out_with_proba(ctx, mem, room, p->K, &out[c]) : held_out_new(ctx, mem, room, &out[c]));
    for (int64_t t = 0; t < (int64_t)f->repeats * f->count; t++) {
        pool_mark mark = pool_here(&ctx->scratch);
        held_fold h = {.repeat = (int)(t / f->count), .fold = (int)(t % f->count)};
        TRY(interrupted(ctx));
        TRY(held_fold_new(ctx, p, f, &h));
        if (count > 1 && h.n > 0 && h.sub.K > 1)
            TRY(m->share(ctx, &(fit_input){.method = m, .p = &h.sub, .params = params[0]}));
        for (int c = 0; c < count && h.n > 0; c++) {
            pool_mark each = pool_here(&ctx->scratch);
            double done = (double)(t * count + c), all = (double)((int64_t)f->repeats * f->count * count);
            progress_part outer = progress_enter(ctx, "held-out fits", done / all, (done + 1) / all);
            TRY(refit(ctx, m, params[c], &h, &out[c]));
            progress_leave(ctx, outer);
            pool_release(&ctx->scratch, each);
        }
        pool_release(&ctx->scratch, mark);
        progress(ctx, "held-out fits", (double)(t + 1) / (double)((int64_t)f->repeats * f->count));
    }
    return RUNG_OK;
}

/* ---- thresholds ---- */

bool spec_recalibrates(const rung_spec *spec)
{
    const char *rule = spec_value(spec, "thresholds");
    return rule && strcmp(rule, "recalibrated") == 0;
}

/* The group a held-out row belongs to when thresholds are cross-fitted: its fold, or a share of a single fold, in which
 * equal rows stay together. */
static int cross_group(const problem *p, const held_out *h, const folds *f, int64_t i)
{
    if (f->count > 1) return h->fold[i];
    return (int)((p->group ? p->group[h->row[i]] : i) % CROSS_GROUPS);
}

/* Fits on some of the held-out rows: those of `repeat` outside `group`, or all of them (repeat < 0). */
static rung_status fit_some(rung_ctx *ctx, const problem *p, const held_out *h, const folds *f, int repeat, int group,
                            calibration *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *s = NULL, *w = NULL, share = repeat < 0 ? 1.0 / f->repeats : 1;
    int *y = NULL;
    int64_t n = 0;
    TRY(NEW(ctx, &ctx->scratch, s, h->n));
    TRY(NEW(ctx, &ctx->scratch, w, h->n));
    TRY(NEW(ctx, &ctx->scratch, y, h->n));
    for (int64_t i = 0; i < h->n; i++) {
        if (repeat >= 0 && (h->repeat[i] != repeat || cross_group(p, h, f, i) == group)) continue;
        s[n] = h->score[i];
        y[n] = p->y[h->row[i]];
        w[n++] = share * (p->w ? p->w[h->row[i]] : 1);
    }
    out->K = p->K;
    rung_status status = n > 0 ? calibrate_fit(ctx, n, s, y, w, p->K, CALIBRATION_LAMBDA, out) : RUNG_OK;
    if (n == 0) { /* nothing to learn from: midpoints */
        out->a = 1;
        for (int q = 1; q < p->K; q++) out->c[q - 1] = q + 0.5;
    }
    pool_release(&ctx->scratch, mark);
    return status;
}

rung_status held_out_thresholds(rung_ctx *ctx, const problem *p, const held_out *h, const folds *f, calibration *out)
{
    return fit_some(ctx, p, h, f, -1, 0, out);
}

rung_status held_out_grades(rung_ctx *ctx, bool recalibrated, held_grades *out)
{
    const problem *p = out->p;
    const held_out *h = out->h;
    const folds *f = out->f;
    int *rank = out->rank;
    double *proba = out->proba;
    pool_mark mark = pool_here(&ctx->scratch);
    int groups = f->count > 1 ? f->count : CROSS_GROUPS;
    calibration cal = {.K = p->K};
    TRY(NEW(ctx, &ctx->scratch, cal.c, p->K));
    memcpy(rank, h->rank, (size_t)h->n * sizeof *rank);
    if (h->proba) memcpy(proba, h->proba, (size_t)(h->n * p->K) * sizeof *proba);
    bool calibrated = recalibrated || !h->proba;
    for (int r = 0; r < f->repeats && calibrated; r++)
        for (int g = 0; g < groups; g++) {
            bool fitted_yet = false;
            for (int64_t i = 0; i < h->n; i++) {
                if (h->repeat[i] != r || cross_group(p, h, f, i) != g) continue;
                if (!fitted_yet) TRY(fit_some(ctx, p, h, f, r, g, &cal));
                fitted_yet = true;
                if (recalibrated) rank[i] = calibrate_rank(&cal, h->score[i]);
                if (!h->proba) calibrate_proba(&cal, h->score[i], proba + i * p->K);
            }
        }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* ---- tempering ---- */

/* Parts for cross-fitting, stratified by class; equal rows are in the same part. */
static rung_status temper_parts(rung_ctx *ctx, const held_grades *g, int *part)
{
    folds f;
    ranked_rows ranked = problem_ranks(g->p);
    TRY(folds_stratified(ctx, &ctx->scratch, &ranked, CROSS_GROUPS, 1, &f));
    for (int64_t i = 0; i < g->h->n; i++) part[i] = f.count > 0 && f.fold[g->h->row[i]] > 0 ? f.fold[g->h->row[i]] : 0;
    return RUNG_OK;
}

/* Copies tell as much as one of them. */
static double labelled_groups(const problem *p, const row_groups *g)
{
    double count = 0;
    for (int64_t k = 0; k < g->count; k++) count += p->y[g->rows[g->start[k]]] > 0;
    return count;
}

rung_status held_out_temper(rung_ctx *ctx, pool *mem, const held_grades *g, tempering *out)
{
    const problem *p = g->p;
    const held_out *h = g->h;
    double *weight = NULL, *count = NULL, *given = NULL, total = 0, labelled;
    row_groups objects;
    int *part = NULL, *y = NULL, *upper = NULL;
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(NEW(ctx, &ctx->scratch, weight, h->n));
    TRY(NEW(ctx, &ctx->scratch, part, h->n));
    TRY(NEW(ctx, &ctx->scratch, y, h->n));
    if (p->upper) TRY(NEW(ctx, &ctx->scratch, upper, h->n));
    TRY(NEW(ctx, &ctx->scratch, count, p->K));
    TRY(NEW_RAW(ctx, &ctx->scratch, given, h->n * p->K));
    for (int64_t i = 0; i < p->n; i++)
        if (p->y[i]) total += p->w ? p->w[i] : 1;
    TRY(row_groups_new(ctx, &ctx->scratch, p->n, p->equal, &objects));
    labelled = labelled_groups(p, &objects);
    if (p->upper) TRY(class_masses(ctx, p->n, p->y, p->upper, p->w, p->K, count));
    for (int q = 0; p->upper && q < p->K; q++) count[q] *= labelled / total;
    for (int64_t i = 0; i < p->n; i++)
        if (p->y[i] && !p->upper) count[p->y[i] - 1] += (p->w ? p->w[i] : 1) * labelled / total;
    for (int64_t i = 0; i < h->n; i++) {
        weight[i] = (p->w ? p->w[h->row[i]] : 1) * labelled / total / g->f->repeats;
        y[i] = p->y[h->row[i]];
        if (upper) upper[i] = p->upper[h->row[i]];
    }
    TRY(temper_parts(ctx, g, part));
    memcpy(given, g->proba, (size_t)(h->n * p->K) * sizeof *given);
    temper_rows rows = {.n = h->n,
                        .K = p->K,
                        .parts = CROSS_GROUPS,
                        .proba = given,
                        .y = y,
                        .upper = upper,
                        .part = part,
                        .weight = weight,
                        .count = count};
    TRY(temper_fit(ctx, mem, &rows, out, g->proba));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* ---- rows that no fold holds out ---- */

/* Folds of the labelled rows without a prediction; those of a group are in one. count = 0: all have one. */
static rung_status folds_of_rest(rung_ctx *ctx, const held_grades *g, folds *out)
{
    const problem *p = g->p;
    int64_t labelled = 0, groups = 0, *number = NULL; /* of groups that are left, from 1 */
    bool *seen = NULL;
    row_groups all;
    *out = (folds){.n = p->n, .repeats = 1};
    TRY(NEW(ctx, &ctx->scratch, out->fold, p->n));
    TRY(NEW(ctx, &ctx->scratch, seen, p->n));
    TRY(NEW(ctx, &ctx->scratch, number, p->n));
    TRY(row_groups_new(ctx, &ctx->scratch, p->n, p->group, &all));
    for (int64_t i = 0; i < g->h->n; i++) seen[g->h->row[i]] = true;
    for (int64_t i = 0; i < p->n; i++) {
        out->fold[i] = -1;
        labelled += p->y[i] > 0;
        if (p->y[i] == 0 || seen[i]) continue;
        if (number[all.of[i]] == 0) number[all.of[i]] = ++groups;
        out->fold[i] = (int)((number[all.of[i]] - 1) % REST_FOLDS);
    }
    if (labelled <= REST_LABELS && g->f->count > 1) out->count = (int)(groups < REST_FOLDS ? groups : REST_FOLDS);
    return RUNG_OK;
}

/* By thresholds and tempering that held-out rows of other classes gave. */
static rung_status grade_rest(rung_ctx *ctx, const held_grades *g, bool recalibrated, const tempering *tempered,
                              const held_out *rest, int *rank, double *proba)
{
    int K = g->p->K;
    double *room = NULL;
    calibration cal = {.K = K};
    TRY(NEW(ctx, &ctx->scratch, cal.c, K));
    TRY(NEW(ctx, &ctx->scratch, room, K));
    if (recalibrated || !rest->proba) TRY(fit_some(ctx, g->p, g->h, g->f, -1, 0, &cal));
    for (int64_t i = 0; i < rest->n; i++) {
        double *own = proba + i * K;
        rank[i] = recalibrated ? calibrate_rank(&cal, rest->score[i]) : rest->rank[i];
        if (rest->proba)
            memcpy(own, rest->proba + i * K, (size_t)K * sizeof *own);
        else
            calibrate_proba(&cal, rest->score[i], own);
        if (tempered->n == 0) continue;
        temper_apply(tempered, K, own, room);
        memcpy(own, room, (size_t)K * sizeof *own);
    }
    return RUNG_OK;
}

/* The rows of h, and the rest once for every repeat. */
static rung_status add_rest(rung_ctx *ctx, const held_out *rest, const int *rank, const double *proba, held_grades *g)
{
    const held_out *h = g->h;
    int K = g->p->K, repeats = g->f->repeats, *all_ranks = NULL;
    int64_t room = h->n + rest->n * repeats;
    double *all_proba = NULL;
    held_out *all = NULL;
    TRY(NEW(ctx, &ctx->scratch, all, 1));
    TRY(held_out_new(ctx, &ctx->scratch, room, all));
    TRY(NEW(ctx, &ctx->scratch, all_ranks, room));
    TRY(NEW(ctx, &ctx->scratch, all_proba, room * K));
    memcpy(all_ranks, g->rank, (size_t)h->n * sizeof *all_ranks);
    memcpy(all_proba, g->proba, (size_t)(h->n * K) * sizeof *all_proba);
    for (int64_t i = 0; i < room; i++, all->n++) {
        bool old = i < h->n;
        const held_out *from = old ? h : rest;
        int64_t k = old ? i : (i - h->n) % rest->n;
        all->row[i] = from->row[k];
        all->repeat[i] = old ? h->repeat[k] : (int)((i - h->n) / rest->n);
        all->fold[i] = old ? h->fold[k] : g->f->count;
        all->score[i] = from->score[k];
        all->rank[i] = from->rank[k];
        if (old) continue;
        all_ranks[i] = rank[k];
        memcpy(all_proba + i * K, proba + k * K, (size_t)K * sizeof *proba);
    }
    g->rest = room - h->n;
    g->h = all;
    g->rank = all_ranks;
    g->proba = all_proba;
    return RUNG_OK;
}

rung_status held_out_rest(rung_ctx *ctx, const method *m, const void *params, bool recalibrated,
                          const tempering *tempered, held_grades *g)
{
    folds f;
    held_out rest = {0};
    int *rank = NULL;
    double *proba = NULL;
    rung_log_fn *log = ctx->log;
    TRY(folds_of_rest(ctx, g, &f));
    if (f.count == 0 || g->h->n == 0) return RUNG_OK;
    ctx->log = NULL; /* the fit has told it */
    rung_status status = held_out_by_refits(ctx, &ctx->scratch, m, 1, (const void *[]){params}, g->p, &f, &rest);
    ctx->log = log;
    if (status == RUNG_EDATA || status == RUNG_ESINGULAR || status == RUNG_ENOCONV || status == RUNG_ELIMIT)
        return RUNG_OK;
    TRY(status);
    TRY(NEW(ctx, &ctx->scratch, rank, rest.n));
    TRY(NEW(ctx, &ctx->scratch, proba, rest.n * g->p->K));
    TRY(grade_rest(ctx, g, recalibrated, tempered, &rest, rank, proba));
    return rest.n > 0 ? add_rest(ctx, &rest, rank, proba, g) : RUNG_OK;
}

/* ---- costs ---- */

void held_out_cost(const training *t, const answer_cost *cost, held_grades *g)
{
    for (int64_t i = 0; cost->matrix && i < g->h->n; i++)
        g->rank[i] = cost_answer(cost, t->data->code.n_classes, g->p->K, t->present, g->proba + i * g->p->K);
}

/* ---- ranges ---- */

/* Whether the label of a row is one rank. */
static bool is_exact(const problem *p, int64_t row) { return p->y[row] && !is_interval(p->y, p->upper, row); }

/* Classes whose labelled rows could not be held out because they are a single row, or equal rows: without any label
 * left, such a class could not have been predicted. */
static rung_status count_missed(rung_ctx *ctx, const problem *p, const row_groups *g, const int64_t *held, int64_t *out)
{
    int64_t *first = NULL; /* of each class, from 1; 0: rows of several groups, or one that was held out */
    TRY(NEW(ctx, &ctx->scratch, first, p->K + 1));
    for (int64_t i = p->n - 1; i >= 0; i--)
        if (is_exact(p, i)) first[p->y[i]] = i + 1;
    for (int64_t i = 0; i < p->n; i++) {
        if (!is_exact(p, i)) continue;
        int64_t one = first[p->y[i]] - 1;
        if (one >= 0 && (held[i] > 0 || g->of[i] != g->of[one])) first[p->y[i]] = 0;
    }
    for (int q = 1; q <= p->K; q++) *out += first[q] > 0;
    return RUNG_OK;
}

/* Equal rows are not exchangeable with a new one as several rows: only the first one with a label of one rank counts.
 */
static bool first_of_group(const problem *p, const row_groups *g, int64_t row)
{
    for (int64_t i = g->start[g->of[row]]; g->rows[i] < row; i++)
        if (is_exact(p, g->rows[i])) return false;
    return true;
}

rung_status held_out_ranges(rung_ctx *ctx, pool *mem, const held_grades *g, bool all_classes, conformal *out)
{
    const problem *p = g->p;
    const held_out *h = g->h;
    int64_t *times = NULL;
    row_groups groups;
    *out = (conformal){.repeats = g->f->repeats > 0 ? g->f->repeats : 1};
    TRY(NEW(ctx, &ctx->scratch, times, p->n));
    TRY(NEW(ctx, mem, out->score, h->n));
    TRY(NEW(ctx, mem, out->rank, h->n));
    TRY(row_groups_new(ctx, &ctx->scratch, p->n, p->group, &groups));
    for (int64_t i = 0; i < h->n; i++) {
        times[h->row[i]]++;
        if (!is_exact(p, h->row[i]) || !first_of_group(p, &groups, h->row[i])) continue;
        out->rank[out->n] = p->y[h->row[i]];
        out->score[out->n++] = conformal_score(p->K, g->proba + i * p->K, g->rank[i], p->y[h->row[i]]);
    }
    TRY(conformal_sort(ctx, out));
    return all_classes ? RUNG_OK : count_missed(ctx, p, &groups, times, &out->missed);
}

/* ---- metrics ---- */

/* A row that was chosen to be labelled is harder, or easier, than others: only rows drawn at random give an error that
 * holds for new rows. A row that is left open has no error. */
static bool counts(const training *t, const held_grades *g, int64_t i)
{
    const rung_data *data = t->data;
    int64_t row = g->p->origin[g->h->row[i]];
    if (g->exact && is_interval(data->y, data->upper, row)) return false;
    return g->rank[i] > 0 && !(data->chosen && data->chosen[row]);
}

void held_out_judge(const training *t, held_grades *g)
{
    g->exact = true;
    g->exact = t->data->upper && held_out_counted(t, g) >= (int64_t)EXACT_ENOUGH * g->f->repeats;
}

int64_t held_out_counted(const training *t, const held_grades *g)
{
    int64_t n = 0;
    for (int64_t i = 0; i < g->h->n; i++) n += counts(t, g, i);
    return n;
}

/* How many numbers below `most` there are among n. */
static rung_status count_distinct(rung_ctx *ctx, int64_t most, int64_t n, const int *number, int64_t *out)
{
    bool *seen = NULL;
    TRY(NEW(ctx, &ctx->scratch, seen, most));
    for (int64_t i = 0; i < n; i++) {
        *out += !seen[number[i]];
        seen[number[i]] = true;
    }
    return RUNG_OK;
}

/* Of the rows of one repeat, on the classes of the data, which are further apart than the ranks of those that have
 * labels. Rows that leave together are resampled together. */
static rung_status repeat_metrics(rung_ctx *ctx, const training *t, const held_grades *g, int repeat, rung_metrics *out)
{
    const problem *p = g->p;
    const held_out *h = g->h;
    pool_mark mark = pool_here(&ctx->scratch);
    int K = t->data->code.n_classes, *truth = NULL, *upper = NULL, *predicted = NULL, *group = NULL;
    double *full = NULL, *weight = NULL;
    int64_t n = 0, units = 0;
    row_groups groups;
    if (p->count) TRY(NEW(ctx, &ctx->scratch, weight, h->n));
    if (p->group) TRY(row_groups_new(ctx, &ctx->scratch, p->n, p->group, &groups));
    if (p->group) TRY(NEW(ctx, &ctx->scratch, group, h->n));
    TRY(NEW(ctx, &ctx->scratch, truth, h->n));
    if (t->data->upper) TRY(NEW(ctx, &ctx->scratch, upper, h->n));
    TRY(NEW(ctx, &ctx->scratch, predicted, h->n));
    if (g->proba) TRY(NEW(ctx, &ctx->scratch, full, h->n * K));
    for (int64_t i = 0; i < h->n; i++) {
        if (h->repeat[i] != repeat || !counts(t, g, i)) continue;
        truth[n] = t->data->y[p->origin[h->row[i]]];
        if (upper) upper[n] = t->data->upper[p->origin[h->row[i]]];
        if (weight) weight[n] = p->count[h->row[i]];
        if (group) group[n] = (int)groups.of[h->row[i]];
        predicted[n] = t->present[g->rank[i] - 1];
        for (int q = 0; g->proba && q < p->K; q++) full[n * K + t->present[q] - 1] = g->proba[i * p->K + q];
        n++;
    }
    graded_rows rows = {
        .n = n, .K = K, .truth = truth, .upper = upper, .weight = weight, .group = group, .held_out = true};
    TRY(metrics_compute(ctx, &rows, predicted, full, out));
    if (group) TRY(count_distinct(ctx, groups.count, n, group, &units));
    metrics_widen(K, group ? units : n, out);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status held_out_metrics(rung_ctx *ctx, const training *t, const held_grades *g, rung_metrics *out)
{
    rung_metrics *each = NULL;
    int n = 0;
    TRY(NEW(ctx, &ctx->scratch, each, g->f->repeats));
    for (int r = 0; r < g->f->repeats; r++) {
        int64_t rows = 0;
        for (int64_t i = 0; i < g->h->n; i++) rows += g->h->repeat[i] == r && counts(t, g, i);
        if (rows > 0) TRY(repeat_metrics(ctx, t, g, r, &each[n++]));
    }
    metrics_mean(n, each, out);
    return RUNG_OK;
}

rung_status held_out_median(rung_ctx *ctx, const training *t, const held_grades *g, int *rank, rung_metrics *out)
{
    const graded_rows labels = {.n = t->data->n, .K = t->K, .truth = t->y, .upper = t->upper};
    held_grades constant = *g;
    int median = metrics_median(&labels, t->data->weight);
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(NEW(ctx, &ctx->scratch, constant.rank, g->h->n));
    constant.proba = NULL;
    for (int64_t i = 0; i < g->h->n; i++) constant.rank[i] = g->rank[i] ? median : 0; /* left open: as in the model */
    TRY(held_out_metrics(ctx, t, &constant, out));
    pool_release(&ctx->scratch, mark);
    *rank = t->present[median - 1];
    return RUNG_OK;
}
