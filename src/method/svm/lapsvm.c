// SPDX-License-Identifier: BSD-3-Clause
/* lapsvm.c - Laplacian support vector machine, one class against the rest:
 *
 *     minimise  1/2 a'K a + C sum_labelled w_i max(0, 1 - s_i f_i) + mu/2 f'L f,   f = K a (+ b)
 *
 * s_i = +1 in the class and -1 outside, L the Laplacian of the neighbour graph over all rows, w the row weights.
 * All classes, and in a search all values of C, share one factorisation (solve/graph_response.h); the rest is over the
 * labelled rows. Belkin's gamma_A and gamma_I are C = 1 / (2 l gamma_A), mu = gamma_I / (gamma_A n^2). */
#include <string.h>

#include "fit/neighbour_graph.h"
#include "fit/verify.h"
#include "method/svm/graph_response_score.h"
#include "method/svm/margins.h"
#include "method/svm/smo.h"
#include "method/svm/svor_thresholds.h"

typedef struct {
    kernel_params kernel;
    graph_params graph;
    double C, mu, tolerance;
    int bias, calibrate;
} lapsvm_params;

enum { BIAS_KERNEL, BIAS_FREE };

/* What does not depend on C. */
typedef struct {
    const la_csr *L;
    double width;
    penalty W;
    graph_response r;
    int64_t l, *lab; /* the labelled rows */
    double *weight;  /* l; NULL: 1 */
    double *G;       /* l x l: the change of the score of one labelled row per unit dual variable of another */
} contest_ground;

typedef struct { /* one class against the rest, over the labelled rows */
    const contest_ground *on;
    double *side;    /* +-1 */
    double *pull, b; /* initially those of the previous class */
    double loss, gap;
} contest;

static double cap_of(const lapsvm_params *params, const contest_ground *on, int64_t i)
{
    return params->C * (on->weight ? on->weight[i] : 1);
}

/* With the bias in the kernel the multipliers have only bounds, so those of the previous class are a valid start. */
static rung_status solve_boxed(rung_ctx *ctx, const lapsvm_params *params, contest *c)
{
    margin *margins = NULL;
    double *zero = NULL, *begin = NULL;
    int64_t l = c->on->l;
    margins_solution s;
    TRY(NEW(ctx, &ctx->scratch, margins, l));
    TRY(NEW(ctx, &ctx->scratch, zero, l));
    TRY(NEW(ctx, &ctx->scratch, begin, l));
    for (int64_t i = 0; i < l; i++) {
        margins[i] = c->side[i] > 0 ? (margin){i, -1} : (margin){-1, i};
        begin[i] = fmax(c->side[i] * c->pull[i], 0);
    }
    const margins_problem p = {.m = l,
                               .G = c->on->G,
                               .start = zero,
                               .count = l,
                               .margins = margins,
                               .cap = params->C,
                               .weight = c->on->weight,
                               .begin = begin,
                               .tolerance = params->tolerance};
    TRY(margins_solve(ctx, &ctx->scratch, &p, &s));
    memcpy(c->pull, s.v, (size_t)l * sizeof *c->pull);
    c->b = 0;
    c->loss = s.loss;
    c->gap = s.gap;
    return RUNG_OK;
}

/* With a free bias the dual variables sum to 0: one threshold between two classes. */
static rung_status solve_balanced(rung_ctx *ctx, const lapsvm_params *params, contest *c)
{
    hinge *hinges = NULL;
    int64_t l = c->on->l, first[2] = {0, l};
    double *f = NULL, *cap = NULL, total = 0;
    int *y = NULL;
    TRY(NEW(ctx, &ctx->scratch, hinges, l));
    TRY(NEW(ctx, &ctx->scratch, f, l));
    TRY(NEW(ctx, &ctx->scratch, cap, l));
    TRY(NEW(ctx, &ctx->scratch, y, l));
    for (int64_t i = 0; i < l; i++) {
        double s = c->side[i];
        cap[i] = cap_of(params, c->on, i);
        total += cap[i];
        hinges[i] = (hinge){.row = i, .side = s, .low = s > 0 ? 0 : -cap[i], .high = s > 0 ? cap[i] : 0};
        y[i] = s > 0 ? 2 : 1;
    }
    smo s = {.m = l, .Q = c->on->G, .f = f, .thresholds = 1, .first = first, .hinges = hinges};
    smo_effort effort = {.gap = 1e-3 * params->tolerance * total, .limit = HUGE_VAL};
    const hinge_rows rows = {.n = l, .K = 2, .y = y, .cap = cap, .hinges = SVOR_IMPLICIT};
    double threshold;
    TRY(smo_solve(ctx, &s, &effort));
    TRY(best_thresholds(ctx, &rows, f, &threshold));
    c->b = -threshold;
    c->loss = c->gap = 0;
    for (int64_t i = 0; i < l; i++) {
        c->pull[i] = hinges[i].pull;
        c->loss += cap[i] * fmax(0, 1 - c->side[i] * (f[i] - threshold));
        c->gap += hinge_gap(&hinges[i], f[i], threshold);
    }
    return RUNG_OK;
}

typedef struct { /* n x K, but for the last three */
    double *v;   /* the dual variables of the labelled rows */
    double *f, *a;
    double *bias, *objective, *gap;
} contest_results;

static rung_status results_new(rung_ctx *ctx, int64_t n, int K, contest_results *out)
{
    TRY(NEW(ctx, &ctx->scratch, out->v, n * K));
    TRY(NEW(ctx, &ctx->scratch, out->f, n * K));
    TRY(NEW(ctx, &ctx->scratch, out->a, n * K));
    TRY(NEW(ctx, &ctx->scratch, out->bias, K));
    TRY(NEW(ctx, &ctx->scratch, out->objective, K));
    return NEW(ctx, &ctx->scratch, out->gap, K);
}

static rung_status solve_classes(rung_ctx *ctx, const problem *p, const lapsvm_params *params, const contest_ground *on,
                                 contest_results *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    contest c = {.on = on};
    TRY(NEW(ctx, &ctx->scratch, c.side, on->l));
    TRY(NEW(ctx, &ctx->scratch, c.pull, on->l));
    for (int q = 0; q < p->K; q++) {
        pool_mark each = pool_here(&ctx->scratch);
        for (int64_t i = 0; i < on->l; i++) c.side[i] = p->y[on->lab[i]] == q + 1 ? 1 : -1;
        TRY(params->bias == BIAS_FREE ? solve_balanced(ctx, params, &c) : solve_boxed(ctx, params, &c));
        for (int64_t i = 0; i < on->l; i++) out->v[on->lab[i] + q * p->n] = c.pull[i];
        out->bias[q] = c.b;
        out->objective[q] = c.loss;
        out->gap[q] = c.gap;
        pool_release(&ctx->scratch, each);
        progress(ctx, "fitting", (q + 1.0) / p->K);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status set_scores(rung_ctx *ctx, pool *mem, problem *p, const graph_response_kernel *k,
                              const graph_response *by, const contest_results *r, fitted *out)
{
    int64_t n = p->n;
    TRY(graph_response_score(ctx, mem, p, k, by, &(graph_response_pulls){p->K, r->v, r->a}, out));
    for (int q = 0; q < p->K; q++) {
        out->own.score.bias[q] += r->bias[q];
        for (int64_t i = 0; i < n; i++)
            r->objective[q] += 0.5 * r->f[i + q * n] * r->v[i + q * n]; /* a'K a + f'W f = f'(a + W f) */
    }
    out->own.decide = (decision){.kind = DECISION_ARGMAX, .K = p->K};
    TRY(report_list(ctx, mem, out, "objective", p->K, r->objective));
    return report_list(ctx, mem, out, "gap", p->K, r->gap);
}

static rung_status lapsvm_kernel(rung_ctx *ctx, pool *mem, const problem *p, const lapsvm_params *params,
                                 graph_response_kernel *out)
{
    *out = (graph_response_kernel){.landmarks = params->kernel.landmarks, .constant = params->bias == BIAS_KERNEL};
    TRY(kernel_from_params(ctx, mem, &params->kernel, &out->k));
    out->k = problem_kernel(p, &out->k);
    return RUNG_OK;
}

static rung_status list_labelled(rung_ctx *ctx, const problem *p, contest_ground *on)
{
    TRY(NEW(ctx, &ctx->scratch, on->lab, p->n));
    if (p->w) TRY(NEW(ctx, &ctx->scratch, on->weight, p->n));
    for (int64_t i = 0; i < p->n; i++) {
        if (!p->y[i]) continue;
        if (p->w) on->weight[on->l] = p->w[i];
        on->lab[on->l++] = i;
    }
    return RUNG_OK;
}

static rung_status lapsvm_share(rung_ctx *ctx, const fit_input *in)
{
    problem *p = in->p;
    const lapsvm_params *params = in->params;
    contest_ground *on = NULL;
    const la_csr *S;
    graph_response_kernel k;
    TRY(NEW(ctx, &ctx->scratch, on, 1));
    TRY(lapsvm_kernel(ctx, &ctx->scratch, p, params, &k));
    TRY(graph_response_prepare(ctx, p, &k));
    TRY(neighbour_graph(ctx, p, &params->graph, &k.k, &S, &on->L, &on->width));
    TRY(list_labelled(ctx, p, on));
    TRY(NEW_RAW(ctx, &ctx->scratch, on->G, on->l * on->l));
    on->W = (penalty){.n = p->n, .sparse = on->L, .weight = params->mu};
    TRY(graph_response_for(ctx, p, &k, &on->W, &on->r));
    TRY(graph_response_block(ctx, &on->r, on->l, on->lab, on->G));
    p->shared = on;
    return RUNG_OK;
}

static rung_status lapsvm_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    problem *p = in->p;
    const lapsvm_params *params = in->params;
    contest_results r;
    graph_response_kernel k;
    TRY(lapsvm_kernel(ctx, mem, p, params, &k));
    if (!p->shared) TRY(lapsvm_share(ctx, in));
    const contest_ground *on = p->shared;
    TRY(results_new(ctx, p->n, p->K, &r));
    TRY(solve_classes(ctx, p, params, on, &r));
    TRY(graph_response_apply(ctx, &on->r, p->K, r.v, r.f, r.a));
    TRY(set_scores(ctx, mem, p, &k, &on->r, &r, out));
    return params->graph.weights == WEIGH_GAUSSIAN ? report_number(ctx, mem, out, "graph_width", on->width) : RUNG_OK;
}

/* The objective of the model's own scores for class q + 1; norm: |w|^2. */
static rung_status primal(rung_ctx *ctx, const struct verification *v, const contest_ground *on, int q, double norm,
                          const double *f, double *out)
{
    const lapsvm_params *params = v->params;
    pool_mark mark = pool_here(&ctx->scratch);
    double *Lf = NULL, bias = v->model->members->score.bias[q];
    TRY(NEW(ctx, &ctx->scratch, Lf, v->p->n));
    TRY(penalty_apply(ctx, &on->W, 1, f, Lf));
    *out = 0.5 * norm + (params->bias == BIAS_KERNEL ? 0.5 * bias * bias : 0);
    for (int64_t i = 0; i < v->p->n; i++) *out += 0.5 * f[i] * Lf[i];
    for (int64_t i = 0; i < on->l; i++) {
        double side = v->p->y[on->lab[i]] == q + 1 ? 1 : -1;
        *out += cap_of(params, on, i) * fmax(0, 1 - side * f[on->lab[i]]);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* For each class the minimum lies between the objective of the model and that of feasible multipliers, recomputed: sum
 * |v| - v'H v / 2, with v between 0 and the cap on the side of the row, and of sum 0 with a free bias. */
static rung_status lapsvm_verify(rung_ctx *ctx, const struct verification *v)
{
    const lapsvm_params *params = v->params;
    int64_t n = v->p->n;
    int K = v->p->K;
    contest_results r;
    double *f = NULL, *norm = NULL, caps = 0, infeasible = 0, gap = 0, least = INFINITY;
    fit_input in = verified_fit(v);
    TRY(lapsvm_share(ctx, &in));
    const contest_ground *on = v->p->shared;
    TRY(results_new(ctx, n, K, &r));
    TRY(NEW(ctx, &ctx->scratch, f, n));
    TRY(NEW(ctx, &ctx->scratch, norm, K));
    TRY(verify_norms(ctx, v, norm));
    TRY(solve_classes(ctx, v->p, params, on, &r));
    TRY(graph_response_apply(ctx, &on->r, K, r.v, r.f, r.a));
    for (int64_t i = 0; i < on->l; i++) caps += cap_of(params, on, i);
    for (int q = 0; q < K; q++) {
        double lower = 0, upper, sum = 0;
        for (int64_t i = 0; i < n; i++) {
            f[i] = v->f[i * K + q];
            lower -= 0.5 * r.v[i + q * n] * r.f[i + q * n];
            sum += r.v[i + q * n];
        }
        for (int64_t i = 0; i < on->l; i++) {
            double a = (v->p->y[on->lab[i]] == q + 1 ? 1 : -1) * r.v[on->lab[i] + q * n];
            infeasible = fmax(infeasible, fmax(-a, a - cap_of(params, on, i)) / params->C);
            lower += a;
        }
        if (params->bias == BIAS_FREE) infeasible = fmax(infeasible, fabs(sum) / params->C);
        TRY(primal(ctx, v, on, q, norm[q], f, &upper));
        if (!((upper - lower) / upper <= gap)) gap = (upper - lower) / upper;
        least = fmin(least, upper);
    }
    TRY(graph_response_verify(ctx, v, params->bias == BIAS_KERNEL, K, r.f, r.a));
    condition_add(v->found, "multipliers", "infeasibility of the multipliers, relative to C", infeasible, 1e-9);
    condition_add(v->found, "duality gap",
                  "objective of the model minus that of the multipliers, relative, worst class", gap,
                  gap_limit(params->tolerance, caps, least));
    return RUNG_OK;
}

static rung_status lapsvm_prepare(rung_ctx *ctx, const fit_input *in)
{
    problem *p = in->p;
    const lapsvm_params *params = in->params;
    graph_response_kernel k;
    TRY(lapsvm_kernel(ctx, p->mem, p, params, &k));
    TRY(graph_response_prepare(ctx, p, &k));
    return neighbour_graph_prepare(ctx, p, &params->graph, &k.k);
}

/* The response and the block of the labelled rows; scores and pulls; the graph. */
static double lapsvm_bytes(const problem_shape *shape, const void *params_)
{
    const lapsvm_params *params = params_;
    double n = (double)shape->n, l = (double)shape->labelled;
    return graph_response_bytes(shape, params->kernel.landmarks) + 8 * (l * l + 4 * n * shape->K) +
           neighbour_graph_bytes(shape, &params->graph);
}

static const param_row lapsvm_rows[] = {
    KERNEL_PARAMS_AS(lapsvm_params, "auto", "auto", GRAPH_GAMMA_GRID, GAMMA_HELP),
    LANDMARKS_PARAM(lapsvm_params),
    PARAM(lapsvm_params, C, .name = "C", .help = "weight of the hinge losses of the labelled rows",
          .type = RUNG_TYPE_REAL, .default_value = "1", .published = "1", .low = 0, .high = HUGE_VAL,
          .flags = RUNG_PARAM_OPEN_LOW | RUNG_PARAM_LOG | RUNG_PARAM_SMOOTH_DOWN | RUNG_PARAM_CHEAP,
          .grid = "0.1,1,10,100"),
    MU_PARAM(lapsvm_params, "", 0, "0,0.01,0.1,1", NULL),
    PARAM(lapsvm_params, bias, .name = "bias", .help = "constant of the score: 1 added to the kernel, or unpenalised",
          .type = RUNG_TYPE_CHOICE, .default_value = "kernel", .published = "kernel", .choices = "kernel|free"),
    NEIGHBOUR_GRAPH_PARAMS(lapsvm_params),
    DERIVATIVE_PARAM(lapsvm_params),
    CALIBRATE_PARAM(lapsvm_params, "auto"),
    {0},
};

const method method_lapsvm = {
    .info = {.name = "lapsvm",
             .title = "Laplacian support vector machine, one class against the rest",
             .reference = "Belkin, Niyogi, Sindhwani. Manifold regularization: a geometric framework for learning from "
                          "labeled and unlabeled examples. JMLR 7:2399-2434, 2006",
             .cost = "time 5/3 n^3, less if the kernel matrix has a lower rank; memory 3 n^2 for n rows, labelled or "
                     "not; m landmarks: time 4 n m^2, memory n d + 5 m^2 + l^2 for l labelled rows",
             .flags = RUNG_METHOD_NEEDS_LABELS | RUNG_METHOD_NEEDS_TWO_CLASSES | RUNG_METHOD_WEIGHTS |
                      RUNG_METHOD_USES_UNLABELLED},
    .params = lapsvm_rows,
    .params_size = sizeof(lapsvm_params),
    .bytes = lapsvm_bytes,
    .prepare = lapsvm_prepare,
    .share = lapsvm_share,
    .fit = lapsvm_fit,
    .verify = lapsvm_verify,
};
