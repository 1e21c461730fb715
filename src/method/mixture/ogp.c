// SPDX-License-Identifier: BSD-3-Clause
/* ogp.c - ordinal probit Gaussian process: f ~ N(0, s2 G), P(y <= q | f) = Phi(b_q - f), function and thresholds
 * inferred together by Laplace's approximation (method/mixture/ogp_gp.h). Width and variance are not chosen but
 * averaged over a grid, by closed-form leave-one-out ranked probability scores and a prior (mixture.h), on the columns,
 * their ranks, or both. */
#include "fit/verify.h"
#include "method/mixture/mixture.h"

typedef struct {
    int features;
} ogp_params;

enum { FEATURES_STANDARD, FEATURES_RANK, FEATURES_BOTH };

static mixture_options options_of(const ogp_params *params)
{
    unsigned spaces = params->features == FEATURES_STANDARD ? 1 : params->features == FEATURES_RANK ? 2 : 3;
    return (mixture_options){.families = 1U << FAMILY_GP, .spaces = spaces};
}

static rung_status ogp_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    mixture_options options = options_of(in->params);
    mixture_summary summary;
    TRY(mixture_fit(ctx, mem, in->p, &options, out, &summary));
    TRY(report_number(ctx, mem, out, "weight_standard", summary.weight[0][FAMILY_GP]));
    TRY(report_number(ctx, mem, out, "weight_rank", summary.weight[1][FAMILY_GP]));
    return report_number(ctx, mem, out, "sharpen", out->sharpen);
}

static rung_status ogp_verify(rung_ctx *ctx, const struct verification *v)
{
    mixture_options options = options_of(v->params);
    return mixture_verify(ctx, v, &options);
}

static double ogp_bytes(const problem_shape *shape, const void *params)
{
    mixture_options options = options_of(params);
    return mixture_bytes(shape, &options);
}

static double ogp_model_bytes(const problem_shape *shape, const void *params)
{
    mixture_options options = options_of(params);
    return mixture_model_bytes(shape, &options);
}

static const param_row ogp_rows[] = {
    PARAM(ogp_params, features, .name = "features", .help = "the scaled columns, their ranks, or an average of both",
          .type = RUNG_TYPE_CHOICE, .default_value = "both", .published = "both", .choices = "standard|rank|both"),
    {0},
};

const method method_ogp = {
    .info = {.name = "ogp",
             .title = "Ordinal probit Gaussian process, averaged over its widths and variances",
             .reference = "Likelihood of Chu, Ghahramani. Gaussian processes for ordinal regression. JMLR 6:1019-1041, "
                          "2005; thresholds are inferred, models averaged by leave-one-out",
             .cost = "time 300 l^3 up to 500 labels, about 100 l^3 above; memory 16 l^2; the model about 20 l^2",
             .flags = RUNG_METHOD_NEEDS_LABELS | RUNG_METHOD_NEEDS_TWO_CLASSES | RUNG_METHOD_WEIGHTS |
                      RUNG_METHOD_PROBABILITIES | RUNG_METHOD_INTERVALS},
    .params = ogp_rows,
    .params_size = sizeof(ogp_params),
    .bytes = ogp_bytes,
    .model_bytes = ogp_model_bytes,
    .fit = ogp_fit,
    .verify = ogp_verify,
};
