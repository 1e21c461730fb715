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

enum { HOLD_OUT_ONE = 2000, OWN_FOLDS = 5, MOST_ROUNDS = 2000 };

/* ---- parameters ---- */

/* Values of `auto` depend on the number of labels n: few labels need small trees and strong shrinkage. */
void boost_settle_rules(const boost_params *params, int64_t n, boost_rules *out, int *seeds)
{
    int leaves = n < 500 ? 4 : n < 2000 ? 6 : n < 10000 ? 12 : 31;
    int64_t min_rows = n < 500 ? 3 : n < 2000 ? 5 : 20;
    double share = n < 10000 ? 0.7 : 1;
    *out = (boost_rules){.nominal = params->link == BOOST_NOMINAL};
    out->tree.leaves = params->leaves > 0 ? params->leaves : leaves;
    out->tree.min_rows = params->min_rows > 0 ? params->min_rows : min_rows;
    out->tree.l2 = fmax(isnan(params->l2) ? 1 : params->l2, 1e-9);
    out->tree.columns = isnan(params->columns) ? share : params->columns;
    out->rows = isnan(params->rows) ? share : params->rows;
    out->rate = isnan(params->rate) ? (n < 2000 ? 0.08 : 0.1) : params->rate;
    *seeds = params->seeds > 0 ? params->seeds : n < 3000 ? 2 : 1;
}

/* "+age,-dose": a direction for each column of the table. */
static rung_status read_monotone(rung_ctx *ctx, const problem *p, const boost_params *params, int8_t **out)
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
    tree_table table = {.code = p->code, .cells = p->cells, .n_rows = p->n_cells};
    uint8_t *code = NULL;
    int8_t *monotone;
    boost_settle_rules(params, p->n, &out->rules, &out->seeds);
    TRY(read_monotone(ctx, p, params, &monotone));
    out->rules.tree.monotone = monotone;
    if (out->rules.nominal && p->K == 2) out->rules.nominal = false; /* the same model by one function */
    TRY(bins_new(ctx, &ctx->scratch, &table, &out->bins));
    TRY(NEW_RAW(ctx, &ctx->scratch, code, p->n * out->bins.n_columns));
    bins_apply(ctx, &out->bins, &table, p->n, p->origin, code);
    out->rows = (boost_rows){.b = &out->bins, .code = code, .n = p->n, .K = p->K, .y = p->y, .w = p->w};
    return RUNG_OK;
}

/* Folds for choosing the number of rounds if the caller has none. */
static rung_status own_folds(rung_ctx *ctx, const problem *p, folds *out)
{
    ranked_rows ranked = problem_ranks(p);
    return folds_affordable(ctx, &ctx->scratch, &ranked, OWN_FOLDS, 1, out);
}

/* All rows, this number of rounds, for each seed. Functions are averaged, and the thresholds fitted to the average. */
static rung_status grow_model(rung_ctx *ctx, pool *mem, const boost_fit_state *s, int rounds, forest *trees,
                              double *start, double *thresholds)
{
    int64_t size = s->rows.n * trees->outputs;
    double *mean = NULL;
    TRY(NEW(ctx, &ctx->scratch, mean, size));
    for (int seed = 0; seed < s->seeds; seed++) {
        pool_mark mark = pool_here(&ctx->scratch);
        boosting *b = NULL;
        TRY(boosting_new(ctx, &ctx->scratch, &s->rows, NULL, &s->rules, boost_stream(seed),
                         boost_threads(ctx, &s->rows), &b));
        for (int t = 1; t <= rounds; t++) {
            TRY(interrupted(ctx));
            TRY(boosting_round(ctx, b, mem, s->seeds, trees));
            progress(ctx, "fitting", (double)(seed * rounds + t) / ((double)s->seeds * rounds));
        }
        for (int64_t i = 0; i < size; i++) mean[i] += b->f[i] / s->seeds;
        for (int o = 0; o < trees->outputs; o++) start[o] = b->start[o];
        if (seed + 1 == s->seeds && thresholds) {
            memcpy(b->f, mean, (size_t)size * sizeof *mean);
            boosting_thresholds(b);
            memcpy(thresholds, b->link.t, (size_t)(s->rows.K - 1) * sizeof *thresholds);
        }
        pool_release(&ctx->scratch, mark);
    }
    return RUNG_OK;
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
    double *b = NULL;
    scorer *score = &out->own.score;
    *path = (boost_path){.rounds = params->rounds, .loss = INFINITY};
    TRY(boost_start(ctx, p, params, &s));
    if (!f && params->rounds < 1) TRY(own_folds(ctx, p, &own));
    if (f || params->rounds < 1)
        TRY(boost_path_run(ctx, mem, &s.rows, &s.rules, s.seeds, f ? f : &own,
                           (boost_rounds){params->rounds, MOST_ROUNDS}, path));
    *score = (scorer){.kind = SCORER_TREES, .outputs = s.rules.nominal ? p->K : 1, .d = p->d};
    TRY(NEW(ctx, mem, score->bias, score->outputs));
    if (!s.rules.nominal) TRY(NEW(ctx, mem, b, p->K - 1));
    TRY(forest_new(ctx, mem, score->outputs, &s.bins, &score->trees));
    TRY(grow_model(ctx, mem, &s, path->rounds, &score->trees, score->bias, b));
    TRY(forest_ready(ctx, mem, p->code, &score->trees));
    score->m = score->trees.n_nodes;
    out->n_expansion = forest_leaves(&score->trees);
    TRY(report(ctx, mem, &s, path, out));
    out->own.decide = (decision){.kind = DECISION_MEDIAN, .K = p->K};
    out->own.proba = s.rules.nominal ? PROBA_SOFTMAX : PROBA_PROBIT;
    out->own.link = (probit_link){.b = b, .noise = 1, .logit = true};
    return s.rules.nominal ? RUNG_OK : NEW(ctx, mem, out->own.link.factor, 0);
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

/* The number of simultaneous fits that choose the number of rounds. */
static int fits_side_by_side(const boost_params *params, int64_t n)
{
    int repeats = default_repeats(n);
    if (params->rounds > 0 && params->calibrate < 2) return 0;
    if (n > HOLD_OUT_ONE) return 1;
    return params->calibrate > 1 ? params->calibrate * repeats : OWN_FOLDS;
}

static double boost_bytes(const problem_shape *shape, const void *params_)
{
    const boost_params *params = params_;
    boost_rules rules;
    int seeds, threads = shape->threads > 0 ? shape->threads : 1;
    int64_t n = shape->labelled, d = shape->d;
    boost_settle_rules(params, n, &rules, &seeds);
    int leaves = rules.tree.leaves, outputs = rules.nominal && shape->K > 2 ? shape->K : 1;
    double rounds = params->rounds > 0 ? params->rounds : 5 / rules.rate, nodes = rounds * seeds * outputs * 2 * leaves;
    double one = boost_path_bytes(n, d, shape->K, outputs > 1, leaves, 1, threads);
    double path = boost_path_bytes(n, d, shape->K, outputs > 1, leaves, seeds * fits_side_by_side(params, n), threads);
    double bins = (double)n * (double)d + 16 * fmin((double)n, 2e5) * fmin(threads, (double)d) + 4096.0 * (double)d;
    return bins + 8.0 * (double)n * outputs + fmax(one, path) + 64 * nodes;
}

#define SHARE_PARAM(field, help_text)                                                                                  \
    PARAM(boost_params, field, .name = #field, .help = help_text, .type = RUNG_REAL, .default_value = "auto",          \
          .published = "1", .low = 0, .high = 1, .flags = RUNG_OPEN_LOW | RUNG_AUTO)

static const param_row boost_table[] = {
    PARAM(boost_params, link, .name = "link",
          .help = "ordinal: one function and thresholds; nominal: one function per class, softmax", .type = RUNG_CHOICE,
          .default_value = "ordinal", .published = "ordinal", .choices = "ordinal|nominal"),
    PARAM(boost_params, rounds, .name = "rounds",
          .help = "number of trees (nominal: per class); auto: least loss on held-out rows", .type = RUNG_INT,
          .default_value = "auto", .published = "auto", .low = 1, .high = 100000, .flags = RUNG_AUTO),
    PARAM(boost_params, rate, .name = "rate",
          .help = "factor of the leaf values; auto: depends on the number of labels", .type = RUNG_REAL,
          .default_value = "auto", .published = "0.1", .low = 0, .high = 1,
          .flags = RUNG_OPEN_LOW | RUNG_LOG | RUNG_AUTO | RUNG_SMOOTH_DOWN),
    PARAM(boost_params, leaves, .name = "leaves",
          .help = "maximum number of leaves of a tree; auto: depends on the number of labels", .type = RUNG_INT,
          .default_value = "auto", .published = "8", .low = 2, .high = 4096, .flags = RUNG_AUTO, .grid = "3,6,12,24"),
    PARAM(boost_params, min_rows, .name = "min-rows",
          .help = "minimum number of rows in a leaf; auto: depends on the number of labels", .type = RUNG_INT,
          .default_value = "auto", .published = "1", .low = 1, .high = 1e9, .flags = RUNG_AUTO, .grid = "3,10,30"),
    PARAM(boost_params, l2, .name = "l2", .help = "penalty of the leaf values: a leaf is -G / (H + l2); auto: 1",
          .type = RUNG_REAL, .default_value = "auto", .published = "0", .low = 0, .high = HUGE_VAL,
          .flags = RUNG_AUTO | RUNG_LOG | RUNG_SMOOTH_UP),
    SHARE_PARAM(rows, "share of the rows used for a tree; auto: depends on the number of labels"),
    SHARE_PARAM(columns, "share of the columns used for a tree; auto: depends on the number of labels"),
    PARAM(boost_params, seeds, .name = "seeds",
          .help = "number of fits with different random numbers to average; auto: depends on the number of labels",
          .type = RUNG_INT, .default_value = "auto", .published = "1", .low = 1, .high = 100, .flags = RUNG_AUTO),
    PARAM(boost_params, monotone, .name = "monotone",
          .help = "columns with which the rank must not decrease (+) or increase (-): +age,-dose", .type = RUNG_TEXT,
          .flags = RUNG_OPTIONAL),
    CALIBRATE_PARAM(boost_params, "5"),
    {0},
};

const method method_boost = {
    .info = {.name = "boost",
             .title = "Ordinal boosted trees",
             .reference = "Friedman. Greedy function approximation: a gradient boosting machine. Annals of Statistics "
                          "29(5):1189-1232, 2001; with the loss of McCullagh, J. R. Statist. Soc. B 42:109-142, 1980",
             .cost = "time n d log(leaves) per round, memory n (d + 100) bytes",
             .flags = RUNG_NEEDS_LABELS | RUNG_NEEDS_TWO_CLASSES | RUNG_WEIGHTS | RUNG_PROBABILITIES},
    .params = boost_table,
    .params_size = sizeof(boost_params),
    .takes_cells = true,
    .bytes = boost_bytes,
    .fit = boost_fit,
    .hold_out = boost_hold_out,
    .verify = boost_verify,
};
