// SPDX-License-Identifier: BSD-3-Clause
/* kes_dl.c - KES-DL: ES-DL with one kernel width per column, learned by kernel-target alignment (eq. 22-23): first over
 * the labelled rows, then from there over all rows. Deterministic, so a search and a fit learn the same kernel. */
#include "kernel/align.h"
#include "method/graph_dl.h"
#include "method/verify.h"

typedef struct {
    double start[2], value[2]; /* alignments of the two steps */
} alignments;

static rung_status learn_kernel(rung_ctx *ctx, pool *mem, problem *p, const graph_dl_params *params, kernel *k,
                                alignments *a)
{
    int64_t *count = NULL, fewest = p->n;
    double *precisions = NULL;
    const la_csr *edges;
    if (params->kernel.kind != KERNEL_RBF)
        return fail(ctx, RUNG_EARG,
                    "kes-dl learns the widths of its own Gaussian kernel: kernel=rbf is the only choice");
    TRY(NEW(ctx, &ctx->scratch, count, p->K + 1));
    for (int64_t i = 0; i < p->n; i++) count[p->y[i]]++;
    for (int q = 1; q <= p->K; q++) fewest = count[q] < fewest ? count[q] : fewest;
    problem_graph g = {.space = {.kind = SPACE_INPUT}, .neighbours = fewest, .rule = GRAPH_OR, .weight = EDGE_BINARY};
    TRY(problem_edges(ctx, p, &g, &edges, NULL));
    TRY(NEW(ctx, mem, precisions, p->d));
    TRY(alignment_precisions(ctx, p->K, p->d, p->n, p->X, p->y, edges, params->centred != 0, params->align_iterations,
                             precisions, a->start, a->value));
    *k = (kernel){.kind = KERNEL_ARD, .gamma = 1, .n_precisions = p->d, .precisions = precisions};
    return RUNG_OK;
}

static rung_status kes_fit(rung_ctx *ctx, pool *mem, problem *p, const void *params_, const folds *f, fitted *out,
                           held_out *held)
{
    const graph_dl_params *params = params_;
    kernel k;
    alignments a;
    TRY(learn_kernel(ctx, mem, p, params, &k, &a));
    problem_space space = {.kind = SPACE_FEATURE, .k = k, .rank = params->rank};
    TRY(graph_dl_fit(ctx, mem, p, params, &k, &space, f, out, held));
    TRY(report_list(ctx, mem, out, "precisions", p->d, k.precisions));
    TRY(report_list(ctx, mem, out, "alignment_start", 2, a.start));
    return report_list(ctx, mem, out, "alignment", 2, a.value);
}

/* Each fold learns its own kernel. */
static bool kes_holds_out(const void *params)
{
    (void)params;
    return false;
}

/* With the kernel of the model, which was learned. */
static rung_status kes_verify(rung_ctx *ctx, const struct verification *v)
{
    const scorer *s = &v->model->members->score;
    problem_space space = {.kind = SPACE_FEATURE, .k = s->k, .rank = ((const graph_dl_params *)v->params)->rank};
    return s->kind == SCORER_KERNEL ? graph_dl_verify(ctx, v, &space) : verify_by_refit(ctx, v, true);
}

static const rung_param rows[] = {
    KERNEL_PARAMS(graph_dl_params),
    DISCRIMINANT_PARAMS(graph_dl_params),
    GRAPH_PARAMS(graph_dl_params),
    RANK_PARAM(graph_dl_params),
    {.name = "align-iterations",
     .help = "steps of each of the two alignments",
     .type = RUNG_INT,
     .standard = "60",
     .published = "60",
     .low = 0,
     .high = 100000,
     PARAM_PLACE(graph_dl_params, align_iterations)},
    {.name = "centred",
     .help = "align the centred kernel matrices",
     .type = RUNG_CHOICE,
     .standard = "no",
     .published = "no",
     .choices = "no|yes",
     PARAM_PLACE(graph_dl_params, centred)},
    CALIBRATE_PARAM(graph_dl_params, "5"),
    {0},
};

const method method_kes_dl = {
    .info = {.name = "kes-dl",
             .title = "ES-DL with kernel widths learned by alignment",
             .reference =
                 "Perez-Ortiz, Gutierrez, Carbonero-Ruz, Hervas-Martinez. Semi-supervised learning for ordinal "
                 "kernel discriminant analysis. Neural Networks 84:57-66, 2016. doi:10.1016/j.neunet.2016.08.004",
             .cost = "time 60 n^2 d + n^3, memory 3 n^2 for n rows, labelled or not",
             .flags = RUNG_NEEDS_LABELS | RUNG_NEEDS_TWO_CLASSES | RUNG_WEIGHTS | RUNG_USES_UNLABELLED,
             .params = rows},
    .params_size = sizeof(graph_dl_params),
    .bytes = feature_dl_bytes,
    .settle = graph_dl_settle,
    .holds_out = kes_holds_out,
    .fit = kes_fit,
    .verify = kes_verify,
};
