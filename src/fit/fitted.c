// SPDX-License-Identifier: BSD-3-Clause
#include <string.h>

#include "fit/method.h"

rung_status held_out_new(rung_ctx *ctx, pool *mem, int64_t room, held_out *out)
{
    *out = (held_out){0};
    TRY(NEW(ctx, mem, out->row, room));
    TRY(NEW(ctx, mem, out->repeat, room));
    TRY(NEW(ctx, mem, out->fold, room));
    TRY(NEW(ctx, mem, out->score, room));
    return NEW(ctx, mem, out->rank, room);
}

rung_status held_out_with_proba(rung_ctx *ctx, pool *mem, int64_t room, int K, held_out *out)
{
    TRY(held_out_new(ctx, mem, room, out));
    out->K = K;
    return NEW(ctx, mem, out->proba, room * K);
}

static rung_status copy_doubles(rung_ctx *ctx, pool *mem, int64_t n, const double *from, double **to)
{
    TRY(pool_alloc_raw(ctx, mem, n, sizeof *from, "a copy", (void **)to));
    memcpy(*to, from, (size_t)n * sizeof *from);
    return RUNG_OK;
}

/* ---- scorers ---- */

/* The rows of the problem that have a coefficient other than 0 in some output; returns how many. */
static int64_t rows_with_terms(int64_t n, int outputs, const double *beta, int64_t *rows)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        int o = 0;
        while (o < outputs && beta[i + o * n] == 0) o++;
        if (o < outputs) rows[count++] = i;
    }
    return count;
}

/* w = X beta: with a linear kernel the rows are not needed. */
static rung_status fold_rows(rung_ctx *ctx, pool *mem, const problem *p, const double *beta, scorer *out)
{
    out->kind = SCORER_LINEAR;
    out->m = p->d;
    TRY(NEW(ctx, mem, out->coef, p->d * out->outputs));
    for (int o = 0; o < out->outputs; o++)
        for (int64_t i = 0; i < p->n; i++)
            for (int64_t j = 0; j < p->d; j++) out->coef[j + o * p->d] += beta[i + o * p->n] * p->X[j + i * p->d];
    return RUNG_OK;
}

rung_status expansion_outputs(rung_ctx *ctx, pool *mem, const problem *p, const kernel *k, int outputs,
                              const double *beta, scorer *out)
{
    int64_t *rows = NULL, d = p->d;
    *out = (scorer){.kind = SCORER_KERNEL, .outputs = outputs, .k = *k, .d = d};
    TRY(NEW(ctx, mem, out->bias, outputs));
    if (k->kind == KERNEL_LINEAR) return fold_rows(ctx, mem, p, beta, out);
    TRY(NEW(ctx, &ctx->scratch, rows, p->n));
    out->m = rows_with_terms(p->n, outputs, beta, rows);
    TRY(NEW(ctx, mem, out->coef, out->m * outputs));
    for (int o = 0; o < outputs; o++)
        for (int64_t j = 0; j < out->m; j++) out->coef[j + o * out->m] = beta[rows[j] + o * p->n];
    if (k->kind == KERNEL_PRECOMPUTED) {
        TRY(NEW(ctx, mem, out->index, out->m));
        for (int64_t j = 0; j < out->m; j++) out->index[j] = p->origin[rows[j]];
        return RUNG_OK;
    }
    TRY(NEW_RAW(ctx, mem, out->rows, d * out->m));
    for (int64_t j = 0; j < out->m; j++) memcpy(out->rows + j * d, p->X + rows[j] * d, (size_t)d * sizeof *out->rows);
    return RUNG_OK;
}

rung_status expansion_scorer(rung_ctx *ctx, pool *mem, const problem *p, const kernel *k, const double *beta,
                             scorer *out)
{
    return expansion_outputs(ctx, mem, p, k, 1, beta, out);
}

rung_status landmark_results(rung_ctx *ctx, pool *mem, const landmarks *l, int outputs, double *V, fitted *out)
{
    out->own.score = (scorer){.kind = SCORER_KERNEL, .outputs = outputs, .k = l->k, .d = l->d, .m = l->m};
    out->n_expansion = l->m;
    if (l->k.precisions) { /* those of the landmarks live only as long as the problem */
        double *precisions = NULL;
        TRY(copy_doubles(ctx, mem, l->k.n_precisions, l->k.precisions, &precisions));
        out->own.score.k.precisions = precisions;
    }
    TRY(NEW(ctx, mem, out->own.score.bias, outputs));
    TRY(landmarks_expand(ctx, l, outputs, V));
    TRY(copy_doubles(ctx, mem, l->m * outputs, V, &out->own.score.coef));
    TRY(copy_doubles(ctx, mem, l->d * l->m, l->X, &out->own.score.rows));
    TRY(report_number(ctx, mem, out, "landmarks", (double)l->m));
    return report_number(ctx, mem, out, "landmark_error", l->error);
}

rung_status linear_scorer(rung_ctx *ctx, pool *mem, const problem *p, int outputs, const double *W, const double *bias,
                          scorer *out)
{
    *out = (scorer){.kind = SCORER_LINEAR, .outputs = outputs, .m = p->d, .d = p->d};
    TRY(copy_doubles(ctx, mem, p->d * outputs, W, &out->coef));
    return bias ? copy_doubles(ctx, mem, outputs, bias, &out->bias) : NEW(ctx, mem, out->bias, outputs);
}

/* ---- decisions and predictions ---- */

rung_status nearest_mean_decision(rung_ctx *ctx, pool *mem, int K, int outputs, const double *means, decision *out)
{
    *out = (decision){.kind = DECISION_NEAREST_MEAN, .K = K};
    return copy_doubles(ctx, mem, (int64_t)K * outputs, means, &out->means);
}

rung_status training_answers(rung_ctx *ctx, pool *mem, int64_t n, int outputs, const double *output, const int *label,
                             transduction *out)
{
    *out = (transduction){.n = n};
    TRY(copy_doubles(ctx, mem, n * outputs, output, &out->output));
    if (!label) return RUNG_OK;
    TRY(NEW(ctx, mem, out->label, n));
    memcpy(out->label, label, (size_t)n * sizeof *label);
    return RUNG_OK;
}

rung_status membership_fit(rung_ctx *ctx, pool *mem, const problem *p, const double *U, const membership_rule *rule,
                           fitted *out)
{
    double *by_row = NULL;
    out->own.score = (scorer){.kind = SCORER_NEIGHBOURS,
                              .outputs = p->K,
                              .m = p->n,
                              .d = p->d,
                              .neighbours = rule->k < p->n ? rule->k : p->n,
                              .weights = rule->weights,
                              .width = rule->weights == WEIGHTS_GAUSSIAN ? rule->width : 0};
    TRY(copy_doubles(ctx, mem, p->n * p->K, U, &out->own.score.coef));
    TRY(NEW_RAW(ctx, mem, out->own.score.rows, p->d * p->n));
    for (int64_t i = 0; i < p->d * p->n; i++)
        out->own.score.rows[i] = fmin(fmax(p->X[i], -NEIGHBOUR_MOST), NEIGHBOUR_MOST);
    out->own.proba = PROBA_MEMBERSHIPS;
    out->own.decide = (decision){.kind = rule->decide, .K = p->K};
    out->n_expansion = p->n;
    TRY(NEW(ctx, &ctx->scratch, by_row, p->n * p->K));
    for (int64_t i = 0; i < p->n; i++)
        for (int q = 0; q < p->K; q++) by_row[i * p->K + q] = U[i + q * p->n];
    return training_answers(ctx, mem, p->n, p->K, by_row, p->y, &out->training);
}

/* ---- predictions of a fit ---- */

/* Converts the nodes of a map from ranks of the fit to classes. */
static rung_status map_to_classes(rung_ctx *ctx, const rank_map *map, const int *classes, rank_map *out)
{
    *out = *map;
    if (!classes || map->n == 0) return RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, out->s, map->n));
    for (int j = 0; j < map->n; j++) out->s[j] = classes[(int)map->s[j] - 1];
    return RUNG_OK;
}

/* The probabilities of row i by class, and the expected class as its score. */
static void put_expected(int known, const double *p, const int *classes, int64_t i, const row_answers *out)
{
    out->score[i] = 0;
    for (int q = 0; q < known; q++) {
        int class_number = classes ? classes[q] : q + 1;
        out->score[i] += p[q] * class_number;
        if (out->proba) out->proba[i * out->K + class_number - 1] = p[q];
    }
}

/* Several members: the median of their average, and the expected class. */
static rung_status average_apply(rung_ctx *ctx, const fitted *fit, const int *classes, int64_t n,
                                 const member_rows *rows, const row_answers *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int known = fit->members->decide.K;
    double *p = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, p, n * known));
    TRY(members_proba(ctx, fit->n_members, fit->members, fit->sharpen, 0, n, rows, p));
    for (int64_t i = 0; i < n; i++) {
        int r = posterior_median(known, p + i * known);
        out->rank[i] = classes ? classes[r - 1] : r;
        put_expected(known, p + i * known, classes, i, out);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status fitted_apply(rung_ctx *ctx, const fitted *fit, const int *classes, int64_t n, const member_rows *rows,
                         const row_answers *out)
{
    member one = fit->own;
    if (fit->n_members > 0) return average_apply(ctx, fit, classes, n, rows, out);
    const double *x = one.score.kind == SCORER_TREES ? rows->cells : rows->scaled;
    bool probable = member_has_own_proba(&one), needed = member_needs_proba(&one);
    int outputs = one.score.outputs, known = one.decide.K;
    pool_mark mark = pool_here(&ctx->scratch);
    double *output = NULL, *variance = NULL, *p = NULL;
    TRY(map_to_classes(ctx, &fit->own.map, classes, &one.map));
    TRY(NEW(ctx, &ctx->scratch, variance, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, output, n * outputs));
    TRY(NEW_RAW(ctx, &ctx->scratch, p, known));
    TRY(scorer_apply(ctx, &one.score, n, x, output));
    if (member_has_variance(&one)) TRY(member_variance(ctx, &one, n, x, output, variance));
    for (int64_t i = 0; i < n; i++, output += outputs) {
        if (probable) member_proba(&one, output, variance[i], p);
        int r = member_rank(&one, output, needed ? p : NULL);
        if (r == 0) return set_error(ctx, RUNG_EDATA, "the score of a held-out row overflows");
        out->rank[i] = classes ? classes[r - 1] : r;
        if (probable)
            put_expected(known, p, classes, i, out);
        else
            out->score[i] = member_rank_score(&one, classes, output);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* ---- the rank scale ---- */

double score_size(const problem *p, const scorer *s)
{
    double sum = 0, most = 0;
    for (int64_t i = 0; i < p->n * p->d && s->kind == SCORER_LINEAR; i++) most = fmax(most, fabs(p->X[i]));
    for (int64_t j = 0; j < s->m * s->outputs; j++) sum += fabs(s->coef[j]);
    return sum * (s->kind == SCORER_LINEAR ? most : problem_largest_self(p, &s->k));
}

rung_status mean_rank_map(rung_ctx *ctx, pool *mem, const problem *p, const double *mean, const scorer *s,
                          rank_map *out)
{
    TRY(NEW(ctx, mem, out->f, p->K));
    TRY(NEW(ctx, mem, out->s, p->K));
    for (int q = 0; q < p->K; q++) out->s[q] = q + 1;
    rank_map_of_means(p->K, mean, score_size(p, s), out);
    return RUNG_OK;
}

/* ---- report ---- */

static rung_status report_entry_new(rung_ctx *ctx, pool *mem, fitted *fit, const char *name, int64_t n, int64_t stored,
                                    const double *values)
{
    report_entry entry = {.name = name, .n = n};
    TRY(copy_doubles(ctx, mem, stored, values, &entry.value));
    TRY(RESIZE(ctx, mem, fit->report, fit->n_report + 1));
    fit->report[fit->n_report++] = entry;
    return RUNG_OK;
}

rung_status report_list(rung_ctx *ctx, pool *mem, fitted *fit, const char *name, int64_t n, const double *values)
{
    return report_entry_new(ctx, mem, fit, name, n, n, values);
}

rung_status report_number(rung_ctx *ctx, pool *mem, fitted *fit, const char *name, double value)
{
    return report_entry_new(ctx, mem, fit, name, -1, 1, &value);
}
