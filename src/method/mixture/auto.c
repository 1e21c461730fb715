// SPDX-License-Identifier: BSD-3-Clause
/* auto.c - the default: an average of Gaussian processes, cumulative ridges, label spreadings and the class
 * frequencies, weighted by leave-one-out performance (method/mixture/mixture.h). It reports the weights of the
 * families, whether the unlabelled rows helped, and whether anything beats always predicting the median. */
#include <stdio.h>

#include "fit/verify.h"
#include "method/mixture/mixture.h"

static const mixture_options all_families = {
    .families = 1U << FAMILY_GP | 1U << FAMILY_RIDGE | 1U << FAMILY_SPREAD, .spaces = 3, .frequencies = true};

static double of_family(const mixture_summary *s, family_kind kind) { return s->weight[0][kind] + s->weight[1][kind]; }

static rung_status report(rung_ctx *ctx, pool *mem, const mixture_summary *s, fitted *out)
{
    TRY(report_number(ctx, mem, out, "weight_processes", of_family(s, FAMILY_GP)));
    TRY(report_number(ctx, mem, out, "weight_ridges", of_family(s, FAMILY_RIDGE)));
    TRY(report_number(ctx, mem, out, "weight_unlabelled", of_family(s, FAMILY_SPREAD)));
    TRY(report_number(ctx, mem, out, "weight_frequencies", s->frequencies));
    TRY(report_number(ctx, mem, out, "loo_mae", s->mae));
    TRY(report_number(ctx, mem, out, "loo_mae_supervised", s->has_supervised ? s->supervised : s->mae));
    TRY(report_number(ctx, mem, out, "median_mae", s->median));
    TRY(report_number(ctx, mem, out, "redundancy", s->redundancy));
    if (s->unlabelled_used > 0) TRY(report_number(ctx, mem, out, "unlabelled_used", (double)s->unlabelled_used));
    return report_number(ctx, mem, out, "sharpen", out->sharpen);
}

static void tell(rung_ctx *ctx, const problem *p, const mixture_summary *s)
{
    log_at(ctx, RUNG_INFO,
           "weights: Gaussian processes %.2f, cumulative ridges %.2f, class frequencies %.2f, %d members",
           of_family(s, FAMILY_GP), of_family(s, FAMILY_RIDGE), s->frequencies, s->members);
    if (s->present[FAMILY_SPREAD])
        log_at(ctx, RUNG_INFO, "unlabelled rows: weight %.2f; leave-one-out mae %.3f with them, %.3f without%s",
               of_family(s, FAMILY_SPREAD), s->mae, s->supervised,
               s->manifold ? " (the columns are redundant, as in images)" : "");
    else
        log_at(ctx, RUNG_INFO, "all %lld rows are labelled; leave-one-out mae %.3f", (long long)p->n, s->mae);
    if (s->unlabelled_used > 0)
        log_at(ctx, RUNG_INFO,
               "to save time, labels were spread over only %lld of the %lld unlabelled rows, evenly spaced",
               (long long)s->unlabelled_used, (long long)s->unlabelled);
    if (s->mae >= s->median)
        log_at(ctx, RUNG_WARNING,
               "no model beats always predicting the median (leave-one-out mae %.3f, median %.3f): the columns say "
               "little about the grades, or there are too few labels",
               s->mae, s->median);
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
    log_at(ctx, RUNG_WARNING, "only one class has labels: it is always predicted");
    return RUNG_OK;
}

static rung_status auto_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    problem *p = in->p;
    mixture_summary summary;
    if (p->K < 2) return only_class(ctx, mem, p, out);
    TRY(mixture_fit(ctx, mem, p, &all_families, out, &summary));
    tell(ctx, p, &summary);
    return report(ctx, mem, &summary, out);
}

static rung_status auto_verify(rung_ctx *ctx, const struct verification *v)
{
    if (v->p->K > 1) return mixture_verify(ctx, v, &all_families);
    const member *only = v->model->members;
    condition_add(v->found, "only class", "it has probability 1 and is always predicted",
                  fabs(only->prior[0] - 1) + (only->decide.rank != 1), 0);
    return RUNG_OK;
}

static double auto_bytes(const problem_shape *shape, const void *params)
{
    (void)params;
    return mixture_bytes(shape, &all_families);
}

static const param_row auto_rows[] = {{0}};

const method method_auto = {
    .info = {.name = "auto",
             .title = "Average of models weighted by leave-one-out performance: the default",
             .reference = "Stacking of ogp, ckr, llgc and the class frequencies, on the columns and on their ranks, by "
                          "leave-one-out",
             .cost = "time 400 l^3 up to 500 labels, about 150 l^3 above, and 12 n^3/3 (above 4000 rows by conjugate "
                     "gradients, on at most 4000 to 50,000 unlabelled rows); memory 40 l^2, n^2 up to 4000 rows",
             .flags = RUNG_NEEDS_LABELS | RUNG_PROBABILITIES | RUNG_USES_UNLABELLED},
    .params = auto_rows,
    .params_size = 1,
    .bytes = auto_bytes,
    .fit = auto_fit,
    .verify = auto_verify,
};
