// SPDX-License-Identifier: BSD-3-Clause
/* lapsvm.c - Laplacian support vector machine, one class against the rest:
 *
 *     minimise  1/2 a'K a + C sum_labelled max(0, 1 - s_i f_i) + mu/2 f'L f,   f = K a (+ b),   s_i = +1 in the class
 *
 * L the Laplacian of the neighbour graph over all rows. All classes share one factorisation (solve/response.h); the
 * rest is over the labelled rows. Belkin's gamma_A and gamma_I are C = 1 / (2 l gamma_A), mu = gamma_I / (gamma_A n^2).
 */
#include <string.h>

#include "method/neighbour_graph.h"
#include "solve/margins.h"
#include "solve/response.h"
#include "solve/smo.h"
#include "solve/svor_thresholds.h"

typedef struct {
    kernel_params kernel;
    graph_params graph;
    double C, mu, tolerance;
    int bias;
} lapsvm_params;

enum { BIAS_KERNEL, BIAS_FREE };
static const double NOVEL = 0.9; /* of the propagation it is compared with */

typedef struct { /* one class against the rest, over the labelled rows */
    int64_t l;
    const double *G; /* l x l */
    double *side;    /* +-1 */
    double *pull, b;
    double loss, gap;
} contest;

/* With the bias in the kernel every multiplier is free within its bounds. */
static rung_status solve_boxed(rung_ctx *ctx, const lapsvm_params *params, contest *c)
{
    margin *margins = NULL;
    double *zero = NULL;
    margins_solution s;
    TRY(NEW(ctx, &ctx->scratch, margins, c->l));
    TRY(NEW(ctx, &ctx->scratch, zero, c->l));
    for (int64_t i = 0; i < c->l; i++) margins[i] = c->side[i] > 0 ? (margin){i, -1} : (margin){-1, i};
    const margins_problem p = {.m = c->l,
                               .G = c->G,
                               .start = zero,
                               .count = c->l,
                               .margins = margins,
                               .cap = params->C,
                               .tolerance = params->tolerance};
    TRY(margins_solve(ctx, &ctx->scratch, &p, &s));
    memcpy(c->pull, s.v, (size_t)c->l * sizeof *c->pull);
    c->b = 0;
    c->loss = s.loss;
    c->gap = s.gap;
    return RUNG_OK;
}

/* With a free bias the pulls sum to 0: one threshold between two classes. */
static rung_status solve_balanced(rung_ctx *ctx, const lapsvm_params *params, contest *c)
{
    hinge *hinges = NULL;
    int64_t l = c->l, first[2] = {0, l};
    double *f = NULL, *cap = NULL;
    int *y = NULL;
    TRY(NEW(ctx, &ctx->scratch, hinges, l));
    TRY(NEW(ctx, &ctx->scratch, f, l));
    TRY(NEW(ctx, &ctx->scratch, cap, l));
    TRY(NEW(ctx, &ctx->scratch, y, l));
    for (int64_t i = 0; i < l; i++) {
        double s = c->side[i];
        hinges[i] = (hinge){.row = i, .side = s, .low = s > 0 ? 0 : -params->C, .high = s > 0 ? params->C : 0};
        cap[i] = params->C;
        y[i] = s > 0 ? 2 : 1;
    }
    smo s = {.m = l, .Q = c->G, .f = f, .thresholds = 1, .first = first, .hinges = hinges};
    smo_effort effort = {.gap = 1e-3 * params->tolerance * params->C * (double)l, .limit = HUGE_VAL};
    const hinge_rows rows = {.n = l, .K = 2, .y = y, .cap = cap, .hinges = SVOR_IMPLICIT};
    double threshold;
    TRY(smo_solve(ctx, &s, &effort));
    TRY(best_thresholds(ctx, &rows, f, &threshold));
    c->b = -threshold;
    c->loss = c->gap = 0;
    for (int64_t i = 0; i < l; i++) {
        c->pull[i] = hinges[i].pull;
        c->loss += params->C * fmax(0, 1 - c->side[i] * (f[i] - threshold));
        c->gap += hinge_gap(&hinges[i], f[i], threshold);
    }
    return RUNG_OK;
}

/* v (n x K): the pulls on the labelled rows; bias, loss and gap of each class. */
static rung_status solve_classes(rung_ctx *ctx, const problem *p, const lapsvm_params *params, const response *r,
                                 double *v, double *bias, double *loss, double *gap)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t *lab = NULL;
    double *G = NULL;
    contest c = {0};
    TRY(NEW(ctx, &ctx->scratch, lab, p->n));
    for (int64_t i = 0; i < p->n; i++)
        if (p->y[i]) lab[c.l++] = i;
    TRY(NEW_RAW(ctx, &ctx->scratch, G, c.l * c.l));
    TRY(NEW(ctx, &ctx->scratch, c.side, c.l));
    TRY(NEW(ctx, &ctx->scratch, c.pull, c.l));
    TRY(response_block(ctx, r, c.l, lab, G));
    c.G = G;
    for (int q = 0; q < p->K; q++) {
        pool_mark each = pool_here(&ctx->scratch);
        for (int64_t i = 0; i < c.l; i++) c.side[i] = p->y[lab[i]] == q + 1 ? 1 : -1;
        TRY(params->bias == BIAS_FREE ? solve_balanced(ctx, params, &c) : solve_boxed(ctx, params, &c));
        for (int64_t i = 0; i < c.l; i++) v[lab[i] + q * p->n] = c.pull[i];
        bias[q] = c.b;
        loss[q] = c.loss;
        gap[q] = c.gap;
        pool_release(&ctx->scratch, each);
        progress(ctx, "fitting", (q + 1.0) / p->K);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status lapsvm_solve(rung_ctx *ctx, pool *mem, problem *p, const lapsvm_params *params, const kernel *k,
                                const la_csr *L, fitted *out)
{
    const la_mat *Kmat;
    int64_t n = p->n;
    int K = p->K;
    double *v = NULL, *f = NULL, *a = NULL, *bias = NULL, *objective = NULL, *gap = NULL;
    const penalty W = {.n = n, .sparse = L, .weight = params->mu};
    bool constant = params->bias == BIAS_KERNEL;
    response r;
    TRY(problem_gram(ctx, p, k, &Kmat));
    TRY(NEW(ctx, &ctx->scratch, v, n * K));
    TRY(NEW(ctx, &ctx->scratch, f, n * K));
    TRY(NEW(ctx, &ctx->scratch, a, n * K));
    TRY(NEW(ctx, &ctx->scratch, bias, K));
    TRY(NEW(ctx, &ctx->scratch, objective, K));
    TRY(NEW(ctx, &ctx->scratch, gap, K));
    TRY(response_new(ctx, &W, Kmat, constant, &r));
    TRY(solve_classes(ctx, p, params, &r, v, bias, objective, gap));
    TRY(response_apply(ctx, &r, K, v, f, a));
    TRY(expansion_outputs(ctx, mem, p, k, K, a, &out->score));
    for (int q = 0; q < K; q++) {
        out->score.bias[q] = bias[q];
        for (int64_t i = 0; i < n; i++) {
            objective[q] += 0.5 * f[i + q * n] * v[i + q * n]; /* a'K a + f'W f = f'(a + W f) */
            if (constant) out->score.bias[q] += a[i + q * n];
        }
    }
    out->decide = (decision){.kind = DECISION_ARGMAX, .K = K};
    out->n_expansion = n;
    TRY(report_list(ctx, mem, out, "objective", K, objective));
    return report_list(ctx, mem, out, "gap", K, gap);
}

static rung_status lapsvm_fit(rung_ctx *ctx, pool *mem, problem *p, const void *params_, const folds *folds_,
                              fitted *out, held_out *held)
{
    (void)folds_, (void)held;
    const lapsvm_params *params = params_;
    const la_csr *S, *L;
    kernel k;
    double width;
    TRY(kernel_from_params(ctx, mem, &params->kernel, &k));
    k = problem_kernel(p, &k);
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(neighbour_graph(ctx, p, &params->graph, &k, &S, &L, &width));
    TRY(lapsvm_solve(ctx, mem, p, params, &k, L, out));
    if (params->graph.weights == WEIGH_GAUSSIAN) TRY(report_number(ctx, mem, out, "graph_width", width));
    TRY(propagation_baseline(ctx, mem, p, S, NOVEL, out));
    if (mem != &ctx->scratch) pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status lapsvm_prepare(rung_ctx *ctx, problem *p, const void *params_)
{
    const lapsvm_params *params = params_;
    const la_mat *K;
    kernel k;
    TRY(kernel_from_params(ctx, p->mem, &params->kernel, &k));
    k = problem_kernel(p, &k);
    TRY(problem_gram(ctx, p, &k, &K));
    return neighbour_graph_prepare(ctx, p, &params->graph, &k);
}

/* Gram matrix, factors of the system, its solutions for the labelled rows, their block. */
static double lapsvm_bytes(const problem_shape *shape, const void *params_)
{
    const lapsvm_params *params = params_;
    double n = (double)shape->n, l = (double)shape->labelled;
    return 8 * (2 * n * n + n * l + 2 * l * l + 4 * n * shape->K) + neighbour_graph_bytes(shape, &params->graph);
}

static const rung_param lapsvm_rows[] = {
    KERNEL_PARAMS(lapsvm_params),
    {.name = "C",
     .help = "weight of the hinge losses of the labelled rows",
     .type = RUNG_REAL,
     .standard = "1",
     .published = "1",
     .low = 0,
     .high = HUGE_VAL,
     .flags = RUNG_OPEN_LOW | RUNG_LOG | RUNG_SMOOTH_DOWN,
     .grid = "0.1,1,10,100",
     PARAM_PLACE(lapsvm_params, C)},
    {.name = "mu",
     .help = "weight of the graph over all rows",
     .type = RUNG_REAL,
     .standard = "0.1",
     .published = "0.1",
     .low = 0,
     .high = HUGE_VAL,
     .flags = RUNG_LOG | RUNG_SMOOTH_UP,
     .grid = "0,0.01,0.1,1",
     PARAM_PLACE(lapsvm_params, mu)},
    {.name = "bias",
     .help = "the constant of the score: 1 added to the kernel, or free of any penalty",
     .type = RUNG_CHOICE,
     .standard = "kernel",
     .published = "kernel",
     .choices = "kernel|free",
     PARAM_PLACE(lapsvm_params, bias)},
    NEIGHBOUR_GRAPH_PARAMS(lapsvm_params),
    {.name = "tolerance",
     .help = "largest projected derivative of the dual at the end",
     .type = RUNG_REAL,
     .standard = "1e-8",
     .published = "1e-8",
     .low = 0,
     .high = 1,
     .flags = RUNG_OPEN_LOW | RUNG_LOG,
     PARAM_PLACE(lapsvm_params, tolerance)},
    {0},
};

const method method_lapsvm = {
    .info = {.name = "lapsvm",
             .title = "Laplacian support vector machine, one class against the rest",
             .reference = "Belkin, Niyogi, Sindhwani. Manifold regularization: a geometric framework for learning from "
                          "labeled and unlabeled examples. JMLR 7:2399-2434, 2006",
             .cost = "time 2/3 n^3 + 2 n^2 l, memory 2 n^2 + n l for n rows, l of them labelled",
             .flags = RUNG_NEEDS_LABELS | RUNG_NEEDS_TWO_CLASSES | RUNG_USES_UNLABELLED,
             .params = lapsvm_rows},
    .params_size = sizeof(lapsvm_params),
    .bytes = lapsvm_bytes,
    .prepare = lapsvm_prepare,
    .fit = lapsvm_fit,
};
