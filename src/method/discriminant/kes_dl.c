// SPDX-License-Identifier: BSD-3-Clause
/* kes_dl.c - KES-DL: ES-DL with one kernel width per column, learned by kernel-target alignment (eq. 22-23): first over
 * the labelled rows, then from there over all rows. Deterministic, so a search and a fit learn the same kernel. With
 * landmarks a sample of the rows is used, because an alignment is between n x n matrices. */
#include "base/rng.h"
#include "fit/verify.h"
#include "kernel/align.h"
#include "method/discriminant/graph_dl.h"

enum { ALIGNED_ROWS = 2000, STREAM = 0xa11 };

/* Selects `wanted` of `count` rows, all sets equally likely; called for one row after the other. */
typedef struct {
    int64_t count, wanted;
} draw;

static bool taken(rng *random, draw *d)
{
    bool yes = rng_below(random, d->count) < d->wanted;
    d->count--;
    d->wanted -= yes;
    return yes;
}

/* Of each class its share of the labels, at least one row; at least half of the sample are labelled rows if there are
 * enough; unlabelled rows fill the rest. */
static rung_status sample_rows(rung_ctx *ctx, const problem *p, int64_t **out, int64_t *count)
{
    rng random;
    draw *of = NULL;
    int64_t labelled = 0, room, left = ALIGNED_ROWS;
    rng_open(&random, ctx->seed, STREAM);
    TRY(NEW(ctx, &ctx->scratch, of, p->K + 1));
    TRY(NEW(ctx, &ctx->scratch, *out, p->n));
    for (int64_t i = 0; i < p->n; i++) of[p->y[i]].count++;
    labelled = p->n - of[0].count;
    room = ALIGNED_ROWS - of[0].count > ALIGNED_ROWS / 2 ? ALIGNED_ROWS - of[0].count : ALIGNED_ROWS / 2;
    for (int q = 1; q <= p->K; q++) {
        int64_t share = labelled <= room ? of[q].count : of[q].count * room / labelled;
        of[q].wanted = share > 0 ? share : 1;
        left -= of[q].wanted;
    }
    of[0].wanted = left < 0 ? 0 : left < of[0].count ? left : of[0].count;
    *count = 0;
    for (int64_t i = 0; i < p->n; i++)
        if (taken(&random, &of[p->y[i]])) (*out)[(*count)++] = i;
    return RUNG_OK;
}

static rung_status learn_kernel(rung_ctx *ctx, pool *mem, problem *p, const graph_dl_params *params, kernel *k,
                                alignment_result *a)
{
    int64_t *count = NULL, fewest = p->n;
    const la_csr *edges;
    TRY(NEW(ctx, &ctx->scratch, count, p->K + 1));
    for (int64_t i = 0; i < p->n; i++) count[p->y[i]]++;
    for (int q = 1; q <= p->K; q++) fewest = count[q] < fewest ? count[q] : fewest;
    problem_graph g = {.space = {.kind = SPACE_INPUT}, .neighbours = fewest, .rule = GRAPH_OR, .weight = EDGE_BINARY};
    TRY(problem_edges(ctx, p, &g, &edges, NULL));
    alignment_rows rows = {.X = problem_points(p), .ranked = problem_ranks(p), .centred = params->centred != 0};
    TRY(NEW(ctx, mem, a->precisions, p->d));
    TRY(alignment_precisions(ctx, &rows, edges, params->align_iterations, a));
    *k = (kernel){.kind = KERNEL_ARD, .gamma = 1, .n_precisions = p->d, .precisions = a->precisions};
    return RUNG_OK;
}

static rung_status learn_from_sample(rung_ctx *ctx, pool *mem, problem *p, const graph_dl_params *params, kernel *k,
                                     alignment_result *a)
{
    int64_t *rows = NULL, count;
    int *classes = NULL;
    problem some;
    TRY(sample_rows(ctx, p, &rows, &count));
    TRY(NEW(ctx, &ctx->scratch, classes, p->K));
    TRY(problem_subset(ctx, &ctx->scratch, p, count, rows, &some, classes));
    return learn_kernel(ctx, mem, &some, params, k, a);
}

static rung_status kes_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    problem *p = in->p;
    const graph_dl_params *params = in->params;
    kernel k;
    alignment_result a;
    if (params->kernel.landmarks > 0 && p->n > ALIGNED_ROWS)
        TRY(learn_from_sample(ctx, mem, p, params, &k, &a));
    else
        TRY(learn_kernel(ctx, mem, p, params, &k, &a));
    problem_space space = {.kind = SPACE_FEATURE, .k = k, .rank = params->rank, .landmarks = params->kernel.landmarks};
    TRY(graph_dl_fit_in(ctx, mem, in, &space, NULL, out, NULL));
    TRY(report_list(ctx, mem, out, "precisions", p->d, k.precisions));
    TRY(report_list(ctx, mem, out, "alignment_start", 2, a.start));
    return report_list(ctx, mem, out, "alignment", 2, a.value);
}

/* With the kernel of the model, which was learned. */
static rung_status kes_verify(rung_ctx *ctx, const struct verification *v)
{
    problem_space space = {.kind = SPACE_FEATURE,
                           .k = v->model->members->score.k,
                           .rank = ((const graph_dl_params *)v->params)->rank,
                           .landmarks = (int)v->landmarks};
    return graph_dl_verify_in(ctx, v, &space);
}

/* With landmarks: the alignment of the sample beside the data, or the fit. */
static double kes_bytes(const problem_shape *shape, const void *params_)
{
    const graph_dl_params *params = params_;
    double n = fmin((double)shape->n, ALIGNED_ROWS), d = (double)shape->d, rest = feature_dl_bytes(shape, params);
    if (params->kernel.landmarks <= 0)
        return rest + (shape->memory > 0 ? 9.6 * n * n : 0); /* as for folds: fit/spec.c */
    return fmax(rest, 8 * (2.4 * n * n + 2 * n * d + (double)shape->n * (d + 5)));
}

/* None for the kernel: its widths are what is learned. */
static const param_row rows[] = {
    LANDMARKS_PARAM(graph_dl_params),
    DISCRIMINANT_PARAMS(graph_dl_params),
    GRAPH_PARAMS(graph_dl_params),
    RANK_PARAM(graph_dl_params),
    PARAM(graph_dl_params, align_iterations, .name = "align-iterations",
          .help = "number of steps of each of the two alignments", .type = RUNG_TYPE_INT, .default_value = "60",
          .published = "60", .low = 0, .high = 100000),
    PARAM(graph_dl_params, centred, .name = "centred", .help = "align the centred kernel matrices",
          .type = RUNG_TYPE_CHOICE, .default_value = "no", .published = "no", .choices = "no|yes"),
    CALIBRATE_PARAM(graph_dl_params, "5"),
    {0},
};

const method method_kes_dl = {
    .info = {.name = "kes-dl",
             .title = "ES-DL with kernel widths learned by alignment",
             .reference = GRAPH_DL_REFERENCE,
             .cost = "time 60 n^2 d + n^3, memory 3 n^2 for n rows, labelled or not; n m^2, m^2 with m "
                     "landmarks",
             .flags = GRAPH_DL_FLAGS},
    .params = rows,
    .params_size = sizeof(graph_dl_params),
    .bytes = kes_bytes,
    .settle = graph_dl_settle,
    .fit = kes_fit, /* and no hold_out: each fold learns its own kernel */
    .verify = kes_verify,
};
