// SPDX-License-Identifier: BSD-3-Clause
/* boost.c - ordinal boosted trees.
 *
 *     P(y <= k | x) = s(t_k - f(x)),   f(x) = sum over rounds of rate tree(x),   s the logistic function
 *
 * Each round grows a tree to the derivatives of the negative log likelihood in f, then moves the thresholds t by a
 * Newton step. link=nominal: one function per class and their softmax. The number of rounds is that of the least loss
 * on held-out rows, whose predictions also give errors, intervals and calibration.
 *
 * Friedman. Greedy function approximation: a gradient boosting machine. Annals of Statistics 29(5):1189-1232, 2001. The
 * ordinal loss: McCullagh, J. R. Statist. Soc. B 42:109-142, 1980. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "method/boost/boost.h"

enum { HOLD_OUT_ONE = 2000, OWN_FOLDS = 5 };

/* ---- parameters ---- */

/* Values of `auto` depend on the number of labels n: few labels need small trees and strong shrinkage. */
void boost_settle_rules(const boost_params *params, int64_t n, int K, boost_rules *out, int *seeds)
{
    int leaves = n < 500 ? 4 : n < 2000 ? 6 : n < 10000 ? 12 : 31;
    int64_t min_rows = n < 500 ? 3 : n < 2000 ? 5 : 20;
    double share = n < 10000 ? 0.7 : 1;
    *out = (boost_rules){.nominal = params->link == BOOST_NOMINAL && K > 2}; /* K = 2: one function is the same model */
    out->tree.leaves = params->leaves > 0 ? params->leaves : leaves;
    out->tree.min_rows = params->min_rows > 0 ? params->min_rows : min_rows;
    out->tree.l2 = fmax(isnan(params->l2) ? 1 : params->l2, 1e-9);
    out->tree.columns = isnan(params->columns) ? share : params->columns;
    out->rows = isnan(params->rows) ? share : params->rows;
    out->rate = isnan(params->rate) ? (n < 2000 ? 0.08 : 0.1) : params->rate;
    *seeds = params->seeds > 0 ? params->seeds : n < 3000 ? 2 : 1;
}

/* "+age,-dose": a direction for each column of the table. */
static rung_status read_monotone(rung_ctx *ctx, const problem *p, const boost_params *params, int **out)
{
    *out = NULL;
    if (!params->monotone || !params->monotone[0]) return RUNG_OK;
    if (params->link == BOOST_NOMINAL && p->K > 2) return set_error(ctx, RUNG_EARG, "monotone needs link=ordinal");
    TRY(NEW(ctx, &ctx->scratch, *out, p->code->n_columns));
    for (const char *at = params->monotone;; at++) {
        size_t length = strcspn(at, ",");
        if (length < 2 || (*at != '+' && *at != '-'))
            return set_error(ctx, RUNG_EARG, "monotone: '%.*s' is not a column with a sign, such as +age", (int)length,
                             at);
        int64_t c = 0;
        char place[24];
        for (; c < p->code->n_columns; c++) {
            const char *name = p->code->columns[c].name;
            snprintf(place, sizeof place, "x%lld", (long long)c + 1);
            if (!name[0]) name = place;
            if (strlen(name) == length - 1 && strncmp(name, at + 1, length - 1) == 0) break;
        }
        if (c == p->code->n_columns)
            return set_error(ctx, RUNG_EARG, "monotone: no column '%.*s'", (int)length - 1, at + 1);
        if (p->code->columns[c].nominal)
            return set_error(ctx, RUNG_EARG, "monotone: column '%.*s' is text, but must be numeric", (int)length - 1,
                             at + 1);
        (*out)[c] = *at == '+' ? 1 : -1;
        at += length;
        if (!*at) return RUNG_OK;
    }
}

/* ---- fit ---- */

rung_status boost_start(rung_ctx *ctx, const problem *p, const boost_params *params, boost_fit_state *out)
{
    int *monotone;
    boost_settle_rules(params, problem_labelled(p), p->K, &out->rules, &out->seeds);
    TRY(read_monotone(ctx, p, params, &monotone));
    out->rules.tree.monotone = monotone;
    return boost_rows_new(ctx, &ctx->scratch, p, out->rules.tree.leaves, &out->rows);
}

/* Folds for choosing the number of rounds if the caller has none. */
static rung_status own_folds(rung_ctx *ctx, const problem *p, folds *out)
{
    ranked_rows ranked = problem_ranks(p);
    return folds_affordable(ctx, &ctx->scratch, &ranked, OWN_FOLDS, 1, out);
}

static rung_status report(rung_ctx *ctx, pool *mem, const boost_fit_state *s, const boost_path *path, fitted *out)
{
    TRY(report_number(ctx, mem, out, "rounds", path->rounds));
    if (!isinf(path->loss)) TRY(report_number(ctx, mem, out, "held_out_loss", path->loss));
    TRY(report_number(ctx, mem, out, "rate", s->rules.rate));
    TRY(report_number(ctx, mem, out, "leaves", s->rules.tree.leaves));
    TRY(report_number(ctx, mem, out, "min_rows", (double)s->rules.tree.min_rows));
    return report_number(ctx, mem, out, "seeds", s->seeds);
}

/* f NULL: no held-out rows are requested. */
static rung_status fit_rounds(rung_ctx *ctx, pool *mem, const fit_input *in, const folds *f, boost_path *path,
                              fitted *out)
{
    const boost_params *params = in->params;
    const problem *p = in->p;
    boost_fit_state s;
    folds own;
    *path = (boost_path){.rounds = params->rounds, .loss = INFINITY};
    TRY(boost_start(ctx, p, params, &s));
    bool choosing = f || params->rounds < 1;
    if (!f && choosing) TRY(own_folds(ctx, p, &own));
    if (!f) f = &own;
    if (choosing)
        TRY(boost_path_run(ctx, mem, &s.rows, &s.rules, s.seeds, f, (boost_rounds){1, &params->rounds}, path));
    if (choosing && params->rounds < 1 && path->cut)
        log_at(ctx, RUNG_LOG_WARNING,
               "boost: the loss on held-out rows was still decreasing after %d rounds, the most that are tried; use a "
               "rate above %g",
               (int)BOOST_MOST_ROUNDS, s.rules.rate);
    TRY(boost_member(ctx, mem, &s.rows, &s.rules, s.seeds, path->rounds, &out->own));
    out->n_expansion = forest_leaves(&out->own.score.trees);
    return report(ctx, mem, &s, path, out);
}

static rung_status boost_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    boost_path path;
    return fit_rounds(ctx, mem, in, NULL, &path, out);
}

static rung_status boost_hold_out(rung_ctx *ctx, pool *mem, const fit_input *in, const folds *f, fitted *out,
                                  held_out *held)
{
    boost_path path;
    TRY(fit_rounds(ctx, mem, in, f, &path, out));
    *held = path.held;
    return RUNG_OK;
}

/* Every round is a model: one pass serves all numbers of rounds. */
static rung_status boost_hold_out_alike(rung_ctx *ctx, pool *mem, const fit_input *in, const folds *f, int count,
                                        const void *const *params, held_out *held)
{
    boost_fit_state s;
    boost_path *paths = NULL;
    int *rounds = NULL;
    TRY(NEW(ctx, &ctx->scratch, paths, count));
    TRY(NEW(ctx, &ctx->scratch, rounds, count));
    for (int i = 0; i < count; i++) rounds[i] = ((const boost_params *)params[i])->rounds;
    TRY(boost_start(ctx, in->p, params[0], &s));
    TRY(boost_path_run(ctx, mem, &s.rows, &s.rules, s.seeds, f, (boost_rounds){count, rounds}, paths));
    for (int i = 0; i < count; i++) held[i] = paths[i].held;
    return RUNG_OK;
}

/* The number of simultaneous fits that choose the number of rounds. */
static int fits_side_by_side(const boost_params *params, int64_t n)
{
    enum { MOST = 4 }; /* as many folds as are asked for: twice as many, with few labels twice (fit/fit.c) */
    if (params->rounds > 0 && params->calibrate < 2) return 0;
    if (n > HOLD_OUT_ONE) return 1;
    return params->calibrate > 1 ? params->calibrate * (n > DOUBLED_LABELS ? 1 : MOST) : OWN_FOLDS;
}

double boost_peak_bytes(const problem_shape *shape, const boost_params *params, int n_folds)
{
    boost_rules rules;
    int seeds, threads = shape->threads > 0 ? shape->threads : 1;
    bool sampled = shape->all > 0;
    int64_t all = shape->all > shape->labelled ? shape->all : shape->labelled, n = shape->labelled;
    double columns = (double)shape->d;
    boost_settle_rules(params, all, shape->K, &rules, &seeds);
    if (shape->all_here > 0) all = shape->all_here;
    int leaves = rules.tree.leaves, outputs = rules.nominal ? shape->K : 1;
    double rounds = params->rounds > 0 ? params->rounds : 5 / rules.rate, nodes = rounds * seeds * outputs * 2 * leaves;
    int64_t binned = shape->rows > 0 ? shape->rows : shape->n;
    boosting_shape rows = {n, shape->d, binned, shape->K, leaves, outputs > 1, sampled ? all : 0};
    double one = boost_path_bytes(&rows, 1, threads), path = boost_path_bytes(&rows, seeds * n_folds, threads);
    double bins = 2 * (double)n * columns + 16 * fmin((double)n, 2e5) * fmin(threads, columns) + 4096 * columns;
    double words = sampled && seeds * n_folds > 1 ? 4 * (double)all : 0;
    if (sampled) bins += (double)all * columns;
    double mean = sampled ? (seeds > 1 ? 4 * (double)all : 0) : 8 * (double)n * outputs;
    return bins + words + mean + fmax(one, path) + 64 * nodes;
}

static double boost_bytes(const problem_shape *shape, const void *params)
{
    return boost_peak_bytes(shape, params, fits_side_by_side(params, shape->labelled));
}

#define SHARE_PARAM(field, help_text)                                                                                  \
    PARAM(boost_params, field, .name = #field, .help = help_text, .type = RUNG_TYPE_REAL, .default_value = "auto",     \
          .published = "1", .low = 0, .high = 1, .flags = RUNG_PARAM_OPEN_LOW | RUNG_PARAM_AUTO)

static const param_row boost_table[] = {
    PARAM(boost_params, link, .name = "link",
          .help = "ordinal: one function and thresholds; nominal: one function per class, softmax",
          .type = RUNG_TYPE_CHOICE, .default_value = "ordinal", .published = "ordinal", .choices = "ordinal|nominal"),
    PARAM(boost_params, rounds, .name = "rounds",
          .help = "number of trees (nominal: per class); auto: least loss on held-out rows", .type = RUNG_TYPE_INT,
          .default_value = "auto", .published = "auto", .low = 1, .high = 100000,
          .flags = RUNG_PARAM_AUTO | RUNG_PARAM_CHEAP),
    PARAM(boost_params, rate, .name = "rate",
          .help = "factor of the leaf values; auto: depends on the number of labels", .type = RUNG_TYPE_REAL,
          .default_value = "auto", .published = "0.1", .low = 0, .high = 1,
          .flags = RUNG_PARAM_OPEN_LOW | RUNG_PARAM_LOG | RUNG_PARAM_AUTO | RUNG_PARAM_SMOOTH_DOWN),
    PARAM(boost_params, leaves, .name = "leaves",
          .help = "maximum number of leaves of a tree; auto: depends on the number of labels", .type = RUNG_TYPE_INT,
          .default_value = "auto", .published = "8", .low = 2, .high = 4096, .flags = RUNG_PARAM_AUTO,
          .grid = "3,6,12,24"),
    PARAM(boost_params, min_rows, .name = "min-rows",
          .help = "minimum number of rows in a leaf; auto: depends on the number of labels", .type = RUNG_TYPE_INT,
          .default_value = "auto", .published = "1", .low = 1, .high = 1e9, .flags = RUNG_PARAM_AUTO,
          .grid = "3,10,30"),
    PARAM(boost_params, l2, .name = "l2", .help = "penalty of the leaf values: a leaf is -G / (H + l2); auto: 1",
          .type = RUNG_TYPE_REAL, .default_value = "auto", .published = "0", .low = 0, .high = HUGE_VAL,
          .flags = RUNG_PARAM_AUTO | RUNG_PARAM_LOG | RUNG_PARAM_SMOOTH_UP),
    SHARE_PARAM(rows, "share of the rows used for a tree; auto: depends on the number of labels"),
    SHARE_PARAM(columns, "share of the columns used for a tree; auto: depends on the number of labels"),
    PARAM(boost_params, seeds, .name = "seeds",
          .help = "number of fits with different random numbers to average; auto: depends on the number of labels",
          .type = RUNG_TYPE_INT, .default_value = "auto", .published = "1", .low = 1, .high = 100,
          .flags = RUNG_PARAM_AUTO),
    PARAM(boost_params, monotone, .name = "monotone",
          .help = "columns with which the rank must not decrease (+) or increase (-): +age,-dose",
          .type = RUNG_TYPE_TEXT, .flags = RUNG_PARAM_OPTIONAL),
    CALIBRATE_PARAM(boost_params, "5"),
    {0},
};

const method method_boost = {
    .info = {.name = "boost",
             .title = "Ordinal boosted trees",
             .reference = "Friedman. Greedy function approximation: a gradient boosting machine. Annals of Statistics "
                          "29(5):1189-1232, 2001; with the loss of McCullagh, J. R. Statist. Soc. B 42:109-142, 1980",
             .cost = "time n d log(leaves) per round, memory n (d + 100) bytes",
             .flags = RUNG_METHOD_NO_ROWS | RUNG_METHOD_NEEDS_LABELS | RUNG_METHOD_NEEDS_TWO_CLASSES |
                      RUNG_METHOD_WEIGHTS | RUNG_METHOD_PROBABILITIES | RUNG_METHOD_INTERVALS | RUNG_METHOD_PASSES},
    .params = boost_table,
    .params_size = sizeof(boost_params),
    .takes_cells = true,
    .chooses = true,
    .bytes = boost_bytes,
    .fit = boost_fit,
    .hold_out = boost_hold_out,
    .hold_out_alike = boost_hold_out_alike,
    .verify = boost_verify,
};
