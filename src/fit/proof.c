// SPDX-License-Identifier: BSD-3-Clause
#include "fit/proof.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/row_groups.h"
#include "solve/cumulative.h"

static const double EXACT = 1e-9;
/* How far predictions may be, in the mean over rows and thresholds, from those that the reported error is of: these
 * have weights that the row, or its group, had no part in. With n of them that is some .06 / sqrt(n), or less. */
static const double NEAR = 0.02, NEAR_FEW = 0.5;

/* ---- what is reported ---- */

static const report_entry *reported(const rung_model *m, const char *name)
{
    for (int i = 0; i < m->n_report; i++)
        if (strcmp(m->report[i].name, name) == 0 && m->report[i].n == -1) return &m->report[i];
    return NULL;
}

static bool is_kernel(const member *m) { return m->score.kind == SCORER_KERNEL; }
static bool is_process(const member *m) { return is_kernel(m) && m->proba == PROBA_PROBIT; }
static bool is_ridge(const member *m) { return is_kernel(m) && m->proba == PROBA_CUMULATIVE; }
static bool is_spread(const member *m) { return m->score.kind == SCORER_NEIGHBOURS; }
static bool is_trees(const member *m) { return m->score.kind == SCORER_TREES; }
static bool is_constant(const member *m) { return m->score.kind == SCORER_CONSTANT; }
static bool is_ranked(const member *m) { return m->space.d > 0 && m->space.kind == SCALE_RANK; }
static bool is_plain(const member *m) { return !is_ranked(m); }

static const struct {
    const char *name;
    bool (*is)(const member *m);
} weights[] = {
    {"weight_processes", is_process}, {"weight_ridges", is_ridge},         {"weight_unlabelled", is_spread},
    {"weight_trees", is_trees},       {"weight_frequencies", is_constant}, {"weight_standard", is_plain},
    {"weight_rank", is_ranked},
};

static rung_status reported_weights(rung_ctx *ctx, const rung_model *m)
{
    double total = 0;
    for (int i = 0; i < m->n_members; i++) total += m->members[i].weight;
    for (size_t k = 0; k < sizeof weights / sizeof *weights; k++) {
        const report_entry *said = reported(m, weights[k].name);
        double written = 0;
        for (int i = 0; i < m->n_members; i++)
            if (weights[k].is(&m->members[i])) written += m->members[i].weight / total;
        if (said && !(fabs(*said->value - written) <= EXACT))
            return set_error(ctx, RUNG_EINTERNAL, "%s reports %s=%.6g, but its members have %.6g", m->method,
                             weights[k].name, *said->value, written);
    }
    const report_entry *sharpen = reported(m, "sharpen");
    if (sharpen && *sharpen->value != m->sharpen)
        return set_error(ctx, RUNG_EINTERNAL, "%s reports sharpen=%.6g, but the model has %.6g", m->method,
                         *sharpen->value, m->sharpen);
    return RUNG_OK;
}

/* ---- what the members say of rows they have not seen ---- */

/* P (K - 1): the mean of what they said of a row by the weights of the model, sharpened as it does. */
static void combine(const rung_model *m, const double *said, double *P)
{
    int K = m->n_present;
    double total = 0;
    memset(P, 0, (size_t)(K - 1) * sizeof *P);
    for (int i = 0; i < m->n_members; i++) total += m->members[i].weight;
    for (int i = 0; i < m->n_members; i++)
        for (int q = 0; q < K - 1; q++) P[q] += m->members[i].weight / total * said[i * (K - 1) + q];
    if (m->sharpen > 0) cumulative_sharpen(K, m->sharpen, P);
}

typedef struct { /* what the members say by the weights of the model, against */
    double off;  /* what was taken together when they were weighed: the largest difference */
    double
        apart; /* the predictions that the reported error is of: the mean difference; NaN: none of these rows has one */
} distances;

static rung_status compare_held(rung_ctx *ctx, const made_fit *made, const rung_model *m, distances *out)
{
    const held_members *held = &made->fit.held;
    int J = m->n_present - 1;
    double *P = NULL, *own = NULL, sum = 0, count = 0;
    *out = (distances){0};
    TRY(NEW(ctx, &ctx->scratch, P, J + 1));
    TRY(NEW(ctx, &ctx->scratch, own, J + 1));
    for (int64_t i = 0; i < held->n; i++) {
        const double *said = held->said + i * (held->members + 1) * J, *all = said + (int64_t)held->members * J;
        const double *left_out = made->fit.loo + held->at[i] * (J + 1);
        combine(m, said, P);
        for (int q = 0; q < J; q++)
            if (!(fabs(P[q] - all[q]) <= out->off)) out->off = fabs(P[q] - all[q]);
        if (isnan(left_out[0])) continue;
        cumulative_sums(J + 1, left_out, own);
        for (int q = 0; q < J; q++) sum += fabs(P[q] - own[q]) / J;
        count++;
    }
    out->apart = sum / count;
    return RUNG_OK;
}

static rung_status held_out_members(rung_ctx *ctx, const made_fit *made, const rung_model *m)
{
    const held_members *held = &made->fit.held;
    row_groups groups;
    distances found;
    if (held->n == 0) return RUNG_OK;
    if (held->members != m->n_members)
        return set_error(ctx, RUNG_EINTERNAL, "%s weighed %d members, but the model has %d", m->method, held->members,
                         m->n_members);
    TRY(row_groups_new(ctx, &ctx->scratch, made->t->n_labelled, made->t->labelled.group, &groups));
    TRY(compare_held(ctx, made, m, &found));
    if (!(found.off <= EXACT))
        return set_error(ctx, RUNG_EINTERNAL,
                         "the members of %s, with their weights in the model, predict held-out rows otherwise than was "
                         "measured: P(y > q) differs by up to %.3g",
                         m->method, found.off);
    if (found.apart > NEAR + NEAR_FEW / sqrt((double)groups.count))
        return set_error(
            ctx, RUNG_EINTERNAL,
            "the error reported for %s is of other predictions than those of its members: P(y > q) differs "
            "by %.3g in the mean",
            m->method, found.apart);
    return RUNG_OK;
}

/* ---- the error ---- */

static bool counted(const made_fit *made, int64_t i)
{
    const held_grades *g = &made->grades;
    const rung_data *data = made->t->data;
    int64_t row = g->p->origin[g->h->row[i]];
    if (g->exact && is_interval(data->y, data->upper, row)) return false;
    return g->rank[i] > 0 && !(data->chosen && data->chosen[row]);
}

/* The mean over the repeats of the mean absolute error of the rows that count; NaN: none does. constant: the rank of
 * the data that every row is given; 0: each its own. */
static double error_of_grades(const made_fit *made, int constant)
{
    const held_grades *g = &made->grades;
    const training *t = made->t;
    double mean = 0;
    int repeats = 0;
    for (int r = 0; r < g->f->repeats; r++) {
        double sum = 0, n = 0;
        for (int64_t i = 0; i < g->h->n; i++) {
            if (g->h->repeat[i] != r || !counted(made, i)) continue;
            int64_t row = g->p->origin[g->h->row[i]];
            double rows = g->p->count ? g->p->count[g->h->row[i]] : 1;
            sum += rows * interval_distance(t->data->y[row], highest_rank(t->data->y, t->data->upper, row),
                                            constant ? constant : t->present[g->rank[i] - 1]);
            n += rows;
        }
        if (n > 0) mean += sum / n;
        repeats += n > 0;
    }
    return mean / repeats;
}

/* Of the predictions for rows left out that came with the fit, before any costs, with the weights of the rows: what
 * methods report of themselves, also where the error is that of other fits. */
static double error_of_left_out(const made_fit *made)
{
    const problem *p = made->p;
    const double *own = made->fit.loo;
    double sum = 0, total = 0;
    for (int64_t i = 0; i < p->n; i++) {
        if (!p->y[i]) continue;
        double w = p->w ? p->w[i] : 1;
        int rank = isnan(own[0]) ? 0 : posterior_median(p->K, own);
        own += p->K;
        if (rank == 0) continue; /* never left out */
        sum += w * interval_distance(problem_class(p, p->y[i]), problem_class(p, highest_rank(p->y, p->upper, i)),
                                     problem_class(p, rank));
        total += w;
    }
    return sum / total;
}

static rung_status reported_error(rung_ctx *ctx, const made_fit *made, const rung_model *m)
{
    if (!made->grades.h) return RUNG_OK;
    double error = error_of_grades(made, 0);
    const report_entry *loo = reported(m, "loo_mae");
    if (m->has_cv == isnan(error) || (m->has_cv && !(fabs(m->cv.mae - error) <= EXACT)))
        return set_error(ctx, RUNG_EINTERNAL, "the reported error of %s is %.6g, that of its held-out predictions %.6g",
                         m->method, m->has_cv ? m->cv.mae : NAN, error);
    if (m->has_cv && !(m->cv.mae_low <= error + EXACT && error <= m->cv.mae_high + EXACT))
        return set_error(ctx, RUNG_EINTERNAL, "the reported error of %s, %.6g, is outside its range, %.6g to %.6g",
                         m->method, error, m->cv.mae_low, m->cv.mae_high);
    if (m->has_cv && !(fabs(m->cv_median.mae - error_of_grades(made, m->median)) <= EXACT))
        return set_error(ctx, RUNG_EINTERNAL, "the error of always predicting class %d is said to be %.6g, and is %.6g",
                         m->median, m->cv_median.mae, error_of_grades(made, m->median));
    if (loo && made->fit.loo && !(fabs(*loo->value - error_of_left_out(made)) <= EXACT))
        return set_error(ctx, RUNG_EINTERNAL, "%s reports loo_mae=%.6g, but that of its left-out predictions is %.6g",
                         m->method, *loo->value, error_of_left_out(made));
    return RUNG_OK;
}

/* ---- what it says of some of its rows ---- */

typedef struct {
    int64_t n, row[PROOF_ROWS]; /* of the problem */
    int K, outputs;
    int *rank;
    double *X, *score, *proba; /* X: as they were read */
} some_rows;

static rung_status take_rows(rung_ctx *ctx, const made_fit *made, const rung_model *m, some_rows *out)
{
    const problem *p = made->p;
    int64_t d = made->t->data->d;
    *out = (some_rows){.n = p->n < PROOF_ROWS ? p->n : PROOF_ROWS, .K = m->code.n_classes, .outputs = model_outputs(m)};
    TRY(NEW_RAW(ctx, &ctx->scratch, out->X, out->n * d));
    for (int64_t i = 0; i < out->n; i++) {
        out->row[i] = i * p->n / out->n;
        memcpy(out->X + i * d, made->t->data->X + p->origin[out->row[i]] * d, (size_t)d * sizeof *out->X);
    }
    return RUNG_OK;
}

static rung_status ask(rung_ctx *ctx, const rung_model *m, some_rows *s)
{
    rung_view view = {.v = s->X, .n = s->n, .d = m->code.d, .row = m->code.d, .col = 1};
    TRY(NEW(ctx, &ctx->scratch, s->score, s->n * s->outputs));
    if (model_has_ranks(m)) TRY(NEW(ctx, &ctx->scratch, s->rank, s->n));
    if (model_has_probabilities(m)) TRY(NEW(ctx, &ctx->scratch, s->proba, s->n * s->K));
    return model_predict(ctx, m, &view, NULL, &(rung_output){.score = s->score, .rank = s->rank, .proba = s->proba});
}

/* Whether the scores of the model are the outputs of the fit. */
static bool scores_are_outputs(const made_fit *made, const rung_model *m)
{
    return !model_averages(m) && !member_scores_by_proba(m->members) && model_outputs(m) == made->fit.own.score.outputs;
}

/* What the fit says of them: of the rows as the problem has them, without model, tempering, costs and copies. */
static rung_status ask_fit(rung_ctx *ctx, const made_fit *made, bool outputs, some_rows *s)
{
    const problem *p = made->p;
    double *scaled = NULL;
    size_t size = (size_t)p->d * sizeof *scaled;
    if (p->X) TRY(NEW_RAW(ctx, &ctx->scratch, scaled, s->n * p->d));
    TRY(NEW(ctx, &ctx->scratch, s->score, s->n * s->outputs));
    TRY(NEW(ctx, &ctx->scratch, s->rank, s->n));
    TRY(NEW(ctx, &ctx->scratch, s->proba, s->n * s->K));
    for (int64_t i = 0; i < s->n && p->X; i++) memcpy(scaled + i * p->d, p->X + s->row[i] * p->d, size);
    row_answers to = {.score = s->score, .rank = s->rank, .K = s->K, .proba = s->proba};
    TRY(fitted_apply(ctx, &made->fit, made->t->present, s->n, &(member_rows){scaled, s->X}, &to));
    const scorer *own = &made->fit.own.score;
    return outputs ? scorer_apply(ctx, own, s->n, own->kind == SCORER_TREES ? s->X : scaled, s->score) : RUNG_OK;
}

/* Numbers that differ; NaN always does. */
static int64_t differing(const some_rows *a, const some_rows *b, bool scores, bool ranks, bool proba)
{
    int64_t count = 0;
    for (int64_t i = 0; scores && i < a->n * a->outputs; i++) count += a->score[i] != b->score[i];
    for (int64_t i = 0; ranks && i < a->n; i++) count += a->rank[i] != b->rank[i];
    for (int64_t i = 0; proba && i < a->n * a->K; i++) count += a->proba[i] != b->proba[i];
    return count;
}

/* Against the fit: the model without what the driver adds. An update has scaled rows only. */
static rung_status same_as_fit(rung_ctx *ctx, const made_fit *made, const rung_model *m, const some_rows *rows)
{
    some_rows a = *rows, b = *rows;
    rung_model bare = *m;
    bool own = model_averages(m) || member_has_own_proba(m->members);
    bool ranks = m->members->decide.kind != DECISION_CALIBRATED, scores = scores_are_outputs(made, m);
    if (made->t->known > 0 || made->t->t || !model_has_ranks(m) || made->p->K < 2) return RUNG_OK;
    bare.temper.n = 0;
    bare.copies.n = 0;
    bare.cost.matrix = NULL;
    TRY(ask(ctx, &bare, &a));
    TRY(ask_fit(ctx, made, scores, &b));
    int64_t count = differing(&a, &b, scores, ranks, own && a.proba);
    if (count == 0) return RUNG_OK;
    return set_error(ctx, RUNG_EINTERNAL,
                     "the model of %s says something else of its rows than the fit does: %lld numbers for %lld rows "
                     "differ",
                     m->method, (long long)count, (long long)rows->n);
}

static rung_status saved_and_loaded(rung_ctx *ctx, const rung_model *m, const some_rows *rows)
{
    some_rows a = *rows, b = *rows;
    rung_model *again = NULL;
    char *bytes;
    int64_t size;
    if (m->mem.bytes > PROOF_MOST) return RUNG_OK; /* with the other conditions where they are asked for (verify.h) */
    rung_status status = model_to_memory(ctx, m, &bytes, &size);
    if (status == RUNG_EDATA || status == RUNG_ELIMIT) return RUNG_OK; /* it can be used, and saving it says why not */
    TRY(status);
    status = model_from_memory(ctx, bytes, size, &again);
    object_free(bytes);
    if (status == RUNG_EFORMAT) status = prefix_error(ctx, RUNG_EINTERNAL, "the model cannot be read again: ");
    if (status == RUNG_OK) status = ask(ctx, m, &a);
    if (status == RUNG_OK) status = ask(ctx, again, &b);
    model_free(again);
    TRY(status);
    int64_t count = differing(&a, &b, true, a.rank, a.proba);
    if (count == 0) return RUNG_OK;
    return set_error(
        ctx, RUNG_EINTERNAL,
        "the model of %s says something else once it is written and read again: %lld numbers for %lld rows "
        "differ",
        m->method, (long long)count, (long long)rows->n);
}

rung_status model_prove(rung_ctx *ctx, const made_fit *made, const rung_model *model)
{
    pool_mark mark = pool_here(&ctx->scratch);
    progress_part outer = progress_enter(ctx, "fitting", 1, 1);
    some_rows rows;
    TRY(reported_weights(ctx, model));
    TRY(held_out_members(ctx, made, model));
    TRY(reported_error(ctx, made, model));
    TRY(take_rows(ctx, made, model, &rows));
    TRY(same_as_fit(ctx, made, model, &rows));
    TRY(saved_and_loaded(ctx, model, &rows));
    progress_leave(ctx, outer);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
