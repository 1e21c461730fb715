// SPDX-License-Identifier: BSD-3-Clause
/* auto.c - the default: an average of Gaussian processes, cumulative ridges, label spreadings, boosted trees and the
 * class frequencies, weighted by their performance on rows left out (method/mixture/mixture.h). It reports the weights
 * of the families, whether the unlabelled rows helped, and whether anything beats always predicting the median. */
#include <stdio.h>

#include "fit/verify.h"
#include "method/mixture/mixture.h"

typedef struct {
    int trees, relevance, rows, effort, temper, copies; /* the last two are read by the driver of the fit */
} auto_params;

enum { WITHOUT, WITH };

/* Without trees and relevance this is the mixture of closed forms, exact and with nothing dropped that matters. */
static mixture_options options_of(const auto_params *params)
{
    bool more = params->trees == WITH || params->relevance == WITH, rows = params->rows == WITH;
    unsigned kernels = 1U << FAMILY_GP | 1U << FAMILY_RIDGE;
    return (mixture_options){.families = rows ? kernels | 1U << FAMILY_SPREAD : kernels,
                             .spaces = (params->relevance == WITH ? 15U : 3U) & (rows ? 15U : 5U),
                             .made = !rows,
                             .frequencies = true,
                             .trees = params->trees == WITH,
                             .relevance = params->relevance == WITH,
                             .planned = more,
                             .effort = (effort_level)params->effort,
                             .most_rank = more ? 32 : 0,
                             .least = more ? 0.005 : 0};
}

static double of_family(const mixture_summary *s, family_kind kind)
{
    double sum = 0;
    for (int space = 0; space < SPACES; space++) sum += s->weight[space][kind];
    return sum;
}

static double of_trees(const mixture_summary *s)
{
    double sum = 0;
    for (int kind = 0; kind < STACKED_KINDS; kind++) sum += s->trees[kind];
    return sum;
}

static rung_status report(rung_ctx *ctx, pool *mem, int64_t columns, const mixture_summary *s, fitted *out)
{
    TRY(report_number(ctx, mem, out, "weight_processes", of_family(s, FAMILY_GP)));
    TRY(report_number(ctx, mem, out, "weight_ridges", of_family(s, FAMILY_RIDGE)));
    TRY(report_number(ctx, mem, out, "weight_unlabelled", of_family(s, FAMILY_SPREAD)));
    TRY(report_number(ctx, mem, out, "weight_trees", of_trees(s)));
    TRY(report_number(ctx, mem, out, "weight_frequencies", s->frequencies));
    TRY(report_number(ctx, mem, out, "loo_mae", s->mae));
    TRY(report_number(ctx, mem, out, "loo_mae_supervised", s->has_supervised ? s->supervised : s->mae));
    TRY(report_number(ctx, mem, out, "median_mae", s->median));
    TRY(report_number(ctx, mem, out, "redundancy", s->redundancy));
    if (s->relevance) TRY(report_list(ctx, mem, out, "relevance", columns, s->relevance));
    if (s->kernel_rows > 0) TRY(report_number(ctx, mem, out, "kernel_rows", (double)s->kernel_rows));
    if (s->unlabelled_used > 0) TRY(report_number(ctx, mem, out, "unlabelled_used", (double)s->unlabelled_used));
    return report_number(ctx, mem, out, "sharpen", out->sharpen);
}

static void tell(rung_ctx *ctx, const problem *p, const mixture_summary *s)
{
    const char *sample = problem_partial(p) ? " of the sample" : "";
    const char *mae = s->weighted ? "weighted left-out mae"
                      : p->upper  ? "left-out mae, intervals counted by their distance,"
                                  : "left-out mae";
    int64_t unlabelled = 0;
    for (int64_t i = 0; i < p->n; i++) unlabelled += p->y[i] == 0;
    if (s->tried == 0)
        log_at(
            ctx, RUNG_LOG_DEBUG,
            "weights: Gaussian processes %.2f, cumulative ridges %.2f, ordinal trees %.2f, nominal trees %.2f, random "
            "trees %.2f, class frequencies %.2f, %d members",
            of_family(s, FAMILY_GP), of_family(s, FAMILY_RIDGE), s->trees[STACKED_ORDINAL], s->trees[STACKED_NOMINAL],
            s->trees[STACKED_RANDOM], s->frequencies, s->members);
    if (s->present[FAMILY_SPREAD])
        log_at(ctx, RUNG_LOG_INFO, "unlabelled rows: weight %.2f; left-out mae %.3f with them, %.3f without%s",
               of_family(s, FAMILY_SPREAD), s->mae, s->supervised,
               s->manifold ? " (the columns are redundant, as in images)" : "");
    else if (unlabelled > 0)
        log_at(ctx, RUNG_LOG_INFO, "unlabelled rows: used for scaling only%s; %s %.3f",
               s->weighted ? ", because labels have weights" : "", mae, s->mae);
    else
        log_at(ctx, RUNG_LOG_INFO, "all %lld rows%s are labelled; %s %.3f", (long long)p->n, sample, mae, s->mae);
    if (s->unlabelled_used > 0)
        log_at(ctx, RUNG_LOG_INFO,
               "to save time, labels were spread over only %lld of the %lld unlabelled rows, evenly spaced",
               (long long)s->unlabelled_used, (long long)s->unlabelled);
    if (problem_partial(p) && s->all == 0)
        log_at(ctx, RUNG_LOG_INFO, "all models learn from a uniform sample of %lld of the %lld rows", (long long)p->n,
               (long long)problem_total(p));
    else if (s->all > 0)
        log_at(ctx, RUNG_LOG_INFO,
               "boosted trees learn from all %lld labelled rows, other models from a sample of %lld rows",
               (long long)s->all, (long long)p->n);
    if (s->kernel_rows > 0)
        log_at(ctx, RUNG_LOG_INFO,
               "to save time, kernels were fitted to %lld of the %lld labelled rows%s, trees to all",
               (long long)s->kernel_rows, (long long)s->labelled, sample);
    if (s->tried > 0)
        log_at(ctx, RUNG_LOG_WARNING,
               "no model beats always predicting the median (%s %.3f, median %.3f), so the median is what the "
               "model predicts: the columns say little about the grades, or there are too few labels",
               mae, s->tried, s->median);
    else if (s->mae >= s->median)
        log_at(ctx, RUNG_LOG_WARNING,
               "no model beats always predicting the median (%s %.3f, median %.3f): the columns say "
               "little about the grades, or there are too few labels",
               mae, s->mae, s->median);
}

/* A single class: nothing to weight. */
static rung_status only_class(rung_ctx *ctx, pool *mem, const problem *p, fitted *out)
{
    out->own.proba = PROBA_PRIOR;
    TRY(NEW(ctx, mem, out->own.prior, 1));
    TRY(NEW(ctx, mem, out->own.score.bias, 1));
    out->own.prior[0] = out->own.score.bias[0] = 1;
    out->own.score.kind = SCORER_CONSTANT;
    out->own.score.outputs = 1;
    out->own.score.d = p->d;
    out->own.decide = (decision){.kind = DECISION_CONSTANT, .K = 1, .rank = 1};
    log_at(ctx, RUNG_LOG_WARNING, "only one class has labels: it is always predicted");
    return RUNG_OK;
}

static rung_status auto_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    problem *p = in->p;
    mixture_summary summary;
    if (p->K < 2) return only_class(ctx, mem, p, out);
    mixture_options options = options_of(in->params);
    TRY(mixture_fit(ctx, mem, p, &options, out, &summary));
    tell(ctx, p, &summary);
    return report(ctx, mem, p->d, &summary, out);
}

static rung_status auto_verify(rung_ctx *ctx, const struct verification *v)
{
    mixture_options options = options_of(v->params);
    if (v->p->K > 1) return mixture_verify(ctx, v, &options);
    const member *only = v->model->members;
    condition_add(v->found, "only class", "it has probability 1 and is always predicted",
                  fabs(only->prior[0] - 1) + (only->decide.rank != 1), 0);
    return RUNG_OK;
}

static double auto_bytes(const problem_shape *shape, const void *params)
{
    mixture_options options = options_of(params);
    return mixture_bytes(shape, &options);
}

static double auto_model_bytes(const problem_shape *shape, const void *params)
{
    mixture_options options = options_of(params);
    return mixture_model_bytes(shape, &options);
}

static const param_row auto_rows[] = {
    PARAM(auto_params, effort, .name = "effort",
          .help = "how much is tried: quick and thorough proceed as normal does with four times more or fewer labels",
          .type = RUNG_TYPE_CHOICE, .default_value = "normal", .published = "normal",
          .choices = "quick|normal|thorough"),
    PARAM(auto_params, trees, .name = "trees", .help = "with or without boosted and random trees among the models",
          .type = RUNG_TYPE_CHOICE, .default_value = "with", .published = "without", .choices = "without|with"),
    PARAM(auto_params, relevance, .name = "relevance",
          .help = "with or without kernels on columns weighted by their relevance", .type = RUNG_TYPE_CHOICE,
          .default_value = "with", .published = "without", .choices = "without|with"),
    PARAM(auto_params, rows, .name = "stored-rows",
          .help =
              "with or without training rows in the model: without, kernels are those of points drawn at random, and "
              "there are no ranks of columns, no graphs and no table of equal rows",
          .type = RUNG_TYPE_CHOICE, .default_value = "with", .published = "with", .choices = "without|with"),
    PARAM(auto_params, temper, .name = "temper",
          .help = "with: flatten probabilities as far as held-out rows justify; without: the average as it is",
          .type = RUNG_TYPE_CHOICE, .default_value = "with", .published = "without", .choices = "without|with"),
    PARAM(
        auto_params, copies, .name = "copies",
        .help =
            "with: a row that equals labelled ones takes as much of their labels as equal rows justify; without: it is "
            "like any other",
        .type = RUNG_TYPE_CHOICE, .default_value = "with", .published = "without", .choices = "without|with"),
    {0},
};

const method method_auto = {
    .info = {.name = "auto",
             .title = "Average of models weighted by their performance on rows left out: the default",
             .reference = "Stacking of ogp, ckr, boost, llgc and the class frequencies, on the columns, on their ranks "
                          "and on both weighted by relevance",
             .cost =
                 "time 1000 l^3 up to 300 labels, about 50 l^3 up to 600, then linear in l (landmarks; kernels see at "
                 "most 20,000 labels); at most 1000 unlabelled rows, more if columns are redundant; memory 40 l^2, "
                 "above 600 labels 10,000 l",
             .flags = RUNG_METHOD_NO_ROWS | RUNG_METHOD_NEEDS_LABELS | RUNG_METHOD_WEIGHTS | RUNG_METHOD_PROBABILITIES |
                      RUNG_METHOD_USES_UNLABELLED | RUNG_METHOD_INTERVALS | RUNG_METHOD_PASSES},
    .params = auto_rows,
    .params_size = sizeof(auto_params),
    .bytes = auto_bytes,
    .model_bytes = auto_model_bytes,
    .fit = auto_fit,
    .verify = auto_verify,
};
