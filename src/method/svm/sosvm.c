// SPDX-License-Identifier: BSD-3-Clause
/* sosvm.c - semi-supervised ordinal support vector machine:
 *
 *     minimise  1/2 a'K a + lambda1/2 sum_i e_i (f_i - t_i)^2 + lambda2 sum_p w_p max(0, 1 - (f_hi(p) - f_lo(p)))
 *               + lambda3/2 f'L f,                    f = K a, 1 added to the kernel for the constant
 *
 * t: evaluate=all: e = 1 and the expected rank by label propagation, P r; labelled: the rank, e = 1 on labelled rows
 * only; a row weight multiplies e_i of a labelled row. p: pairs of labelled rows in a given order, w_p the product of
 * their weights: a row of weight 2 counts as two. L = (1 - omega) L_graph + omega L_scale, the second from the
 * similarities P B P' of the propagated ranks, B_kq = exp(-(k - q)^2 / 2), which stay of rank K: L_scale v = d o v - P
 * (B (P'v)). What depends on lambda2 is over the labelled rows alone (method/svm/margins.h): in a search all values of
 * it share one factorisation. */
#include <string.h>

#include "fit/neighbour_graph.h"
#include "graph/novel.h"
#include "method/spread/novel_verify.h"
#include "method/svm/graph_response_score.h"
#include "method/svm/margins.h"

typedef struct {
    kernel_params kernel;
    graph_params graph;
    double lambda1, lambda2, lambda3, omega, novel, tolerance;
    int pairs, scale_norm, evaluate, calibrate;
} sosvm_params;

enum { PAIRS_ADJACENT, PAIRS_CONSECUTIVE, PAIRS_SKIP };
enum { SCALES_MEAN, SCALES_LITERAL };
enum { EVALUATE_ALL, EVALUATE_LABELLED };

/* What does not depend on lambda2 nor on the pairs. */
typedef struct {
    const problem *p;
    const sosvm_params *params;
    double width;    /* of the graph ... */
    const la_csr *S; /* ... and its weights */
    int64_t l;
    int64_t *lab;     /* labelled rows by rank, then in their order */
    double *weight;   /* l; NULL: 1 */
    double *e, *t;    /* n: the weight of a row's target, and the target */
    double *diagonal; /* n */
    double *P, *core; /* n x K memberships, K x K */
    penalty W;
    graph_response r;
    double *G;         /* l x l: the change of the score of one labelled row per unit dual variable of another */
    double *c, *start; /* n: dual variables of the targets; l: the scores they give the labelled rows */
} sosvm;

typedef struct {
    int64_t count;
    margin *list; /* places in lab */
} row_pairs;

/* ---- the problem ---- */

static rung_status sort_labelled(rung_ctx *ctx, sosvm *s)
{
    const problem *p = s->p;
    TRY(NEW(ctx, &ctx->scratch, s->lab, p->n));
    if (p->w) TRY(NEW(ctx, &ctx->scratch, s->weight, p->n));
    for (int q = 1; q <= p->K; q++)
        for (int64_t i = 0; i < p->n; i++) {
            if (p->y[i] != q) continue;
            if (p->w) s->weight[s->l] = p->w[i];
            s->lab[s->l++] = i;
        }
    return RUNG_OK;
}

static rung_status set_targets(rung_ctx *ctx, sosvm *s)
{
    int64_t n = s->p->n;
    TRY(NEW(ctx, &ctx->scratch, s->e, n));
    TRY(NEW(ctx, &ctx->scratch, s->t, n));
    for (int64_t i = 0; i < n; i++) {
        bool all = s->params->evaluate == EVALUATE_ALL;
        s->e[i] = all || s->p->y[i] ? 1 : 0;
        if (s->p->y[i] && s->p->w) s->e[i] = s->p->w[i];
        if (!all) s->t[i] = s->p->y[i];
        for (int q = 0; q < s->p->K && all; q++) s->t[i] += (q + 1) * s->P[i + q * n];
    }
    return RUNG_OK;
}

/* W = lambda1 diag(e) + lambda3 ((1 - omega) L_graph + omega (diag(d) - P B P')), d = P (B (P'1)). */
static rung_status set_penalty(rung_ctx *ctx, const la_csr *L, sosvm *s)
{
    int64_t n = s->p->n;
    int K = s->p->K;
    const sosvm_params *params = s->params;
    double *mass = NULL, *toward = NULL, weight = params->lambda3 * params->omega;
    if (params->scale_norm == SCALES_MEAN) weight /= (double)n;
    TRY(NEW(ctx, &ctx->scratch, s->diagonal, n));
    TRY(NEW(ctx, &ctx->scratch, s->core, (int64_t)K * K));
    TRY(NEW(ctx, &ctx->scratch, mass, K));
    TRY(NEW(ctx, &ctx->scratch, toward, K));
    for (int q = 0; q < K; q++)
        for (int64_t i = 0; i < n; i++) mass[q] += s->P[i + q * n];
    for (int q = 0; q < K; q++)
        for (int c = 0; c < K; c++) {
            s->core[q + c * K] = weight * exp(-0.5 * (q - c) * (q - c));
            toward[q] += s->core[q + c * K] * mass[c];
        }
    for (int64_t i = 0; i < n; i++) s->diagonal[i] = params->lambda1 * s->e[i];
    for (int q = 0; q < K; q++)
        for (int64_t i = 0; i < n; i++) s->diagonal[i] += s->P[i + q * n] * toward[q];
    s->W = (penalty){.n = n,
                     .diagonal = s->diagonal,
                     .sparse = L,
                     .weight = params->lambda3 * (1 - params->omega),
                     .rank = weight > 0 ? K : 0,
                     .P = s->P,
                     .core = s->core};
    return RUNG_OK;
}

static int rank_at(const sosvm *s, int64_t place) { return s->p->y[s->lab[place]]; }

/* Every row of a class against every row of the class below. */
static rung_status pair_classes(rung_ctx *ctx, const sosvm *s, row_pairs *out)
{
    int64_t below = 0, here = 0, end, room = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1) TRY(NEW_RAW(ctx, &ctx->scratch, out->list, room));
        for (here = 0; here < s->l && rank_at(s, here) == 1; here++) continue;
        for (below = 0; here < s->l; below = here, here = end) {
            for (end = here; end < s->l && rank_at(s, end) == rank_at(s, here); end++) continue;
            if (pass == 0) room += (end - here) * (here - below);
            for (int64_t hi = here; hi < end && pass == 1; hi++)
                for (int64_t lo = below; lo < here; lo++) out->list[out->count++] = (margin){hi, lo};
        }
    }
    return RUNG_OK;
}

static rung_status pairs_of(rung_ctx *ctx, const sosvm *s, int kind, row_pairs *out)
{
    *out = (row_pairs){0};
    if (kind == PAIRS_ADJACENT) return pair_classes(ctx, s, out);
    TRY(NEW_RAW(ctx, &ctx->scratch, out->list, s->l));
    for (int64_t i = 1; i < s->l; i++)
        if (kind == PAIRS_CONSECUTIVE || rank_at(s, i) > rank_at(s, i - 1))
            out->list[out->count++] = (margin){i, i - 1};
    return RUNG_OK;
}

/* ---- its solution ---- */

static rung_status respond(rung_ctx *ctx, problem *p, const graph_response_kernel *k, sosvm *s)
{
    int64_t n = s->p->n, l = s->l;
    double *f = NULL, *a = NULL;
    TRY(NEW(ctx, &ctx->scratch, s->c, n));
    TRY(NEW(ctx, &ctx->scratch, s->start, l));
    TRY(NEW_RAW(ctx, &ctx->scratch, s->G, l * l));
    TRY(graph_response_for(ctx, p, k, &s->W, &s->r));
    TRY(graph_response_block(ctx, &s->r, l, s->lab, s->G));
    TRY(NEW(ctx, &ctx->scratch, f, n));
    TRY(NEW(ctx, &ctx->scratch, a, n));
    for (int64_t i = 0; i < n; i++) s->c[i] = s->params->lambda1 * s->e[i] * s->t[i];
    TRY(graph_response_apply(ctx, &s->r, 1, s->c, f, a));
    for (int64_t i = 0; i < l; i++) s->start[i] = f[s->lab[i]];
    return RUNG_OK;
}

static rung_status sosvm_kernel(rung_ctx *ctx, pool *mem, const problem *p, const sosvm_params *params,
                                graph_response_kernel *out)
{
    *out = (graph_response_kernel){.landmarks = params->kernel.landmarks, .constant = true};
    TRY(kernel_from_params(ctx, mem, &params->kernel, &out->k));
    out->k = problem_kernel(p, &out->k);
    return RUNG_OK;
}

static rung_status sosvm_share(rung_ctx *ctx, const fit_input *in)
{
    problem *p = in->p;
    const sosvm_params *params = in->params;
    sosvm *s = NULL;
    const la_csr *L;
    graph_response_kernel k;
    TRY(NEW(ctx, &ctx->scratch, s, 1));
    s->p = p;
    s->params = params;
    TRY(sosvm_kernel(ctx, &ctx->scratch, p, params, &k));
    TRY(graph_response_prepare(ctx, p, &k));
    TRY(neighbour_graph(ctx, p, &params->graph, &k.k, &s->S, &L, &s->width));
    TRY(NEW(ctx, &ctx->scratch, s->P, p->n * p->K));
    TRY(propagate_novel(ctx, s->S, p->K, p->y, params->novel, NOVEL_ACCURACY, s->P));
    TRY(sort_labelled(ctx, s));
    TRY(set_targets(ctx, s));
    TRY(set_penalty(ctx, L, s));
    TRY(respond(ctx, p, &k, s));
    p->shared = s;
    return RUNG_OK;
}

typedef struct {
    double *c, *f, *a; /* n: pulls, scores, expansion */
    double objective, gap;
    double *beta; /* multipliers of the pairs; NULL: not wanted */
} solution;

static rung_status objective(rung_ctx *ctx, const sosvm *s, const margins_solution *m, solution *out)
{
    double *Wf = NULL, sum = m->loss; /* f'W f holds lambda1 e f^2, so that 2 t f and t^2 are left of its square */
    TRY(NEW(ctx, &ctx->scratch, Wf, s->p->n));
    TRY(penalty_apply(ctx, &s->W, 1, out->f, Wf));
    for (int64_t i = 0; i < s->p->n; i++) {
        double f = out->f[i], t = s->t[i];
        sum += 0.5 * f * (out->a[i] + Wf[i]) + s->params->lambda1 * s->e[i] * t * (0.5 * t - f);
    }
    out->objective = sum;
    out->gap = m->gap;
    return RUNG_OK;
}

static rung_status solve(rung_ctx *ctx, const sosvm *s, const sosvm_params *params, const row_pairs *pairs,
                         solution *out)
{
    int64_t n = s->p->n;
    margins_solution m;
    TRY(NEW(ctx, &ctx->scratch, out->c, n));
    TRY(NEW(ctx, &ctx->scratch, out->f, n));
    TRY(NEW(ctx, &ctx->scratch, out->a, n));
    progress(ctx, "fitting", 0.5);
    const margins_problem p = {.m = s->l,
                               .G = s->G,
                               .start = s->start,
                               .count = pairs->count,
                               .margins = pairs->list,
                               .cap = params->lambda2,
                               .weight = s->weight,
                               .tolerance = params->tolerance,
                               .beta = out->beta};
    TRY(margins_solve(ctx, &ctx->scratch, &p, &m));
    memcpy(out->c, s->c, (size_t)n * sizeof *out->c);
    for (int64_t i = 0; i < s->l; i++) out->c[s->lab[i]] += m.v[i];
    TRY(graph_response_apply(ctx, &s->r, 1, out->c, out->f, out->a));
    return objective(ctx, s, &m, out);
}

static rung_status set_decision(rung_ctx *ctx, pool *mem, const problem *p, const double *f, fitted *out)
{
    double *mean = NULL, *mass = NULL;
    TRY(NEW(ctx, &ctx->scratch, mean, p->K));
    TRY(NEW(ctx, &ctx->scratch, mass, p->K));
    for (int64_t i = 0; i < p->n; i++)
        if (p->y[i]) {
            double w = p->w ? p->w[i] : 1;
            mean[p->y[i] - 1] += w * f[i];
            mass[p->y[i] - 1] += w;
        }
    for (int q = 0; q < p->K; q++) mean[q] /= mass[q];
    TRY(mean_rank_map(ctx, mem, p, mean, &out->own.score, &out->own.map));
    return nearest_mean_decision(ctx, mem, p->K, 1, mean, &out->own.decide);
}

static rung_status sosvm_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    problem *p = in->p;
    const sosvm_params *params = in->params;
    solution answer = {0};
    row_pairs pairs;
    graph_response_kernel k;
    TRY(sosvm_kernel(ctx, mem, p, params, &k));
    if (!p->shared) TRY(sosvm_share(ctx, in));
    const sosvm *s = p->shared;
    TRY(pairs_of(ctx, s, params->pairs, &pairs));
    TRY(solve(ctx, s, params, &pairs, &answer));
    TRY(graph_response_score(ctx, mem, p, &k, &s->r, &(graph_response_pulls){1, answer.c, answer.a}, out));
    TRY(set_decision(ctx, mem, p, answer.f, out));
    TRY(report_number(ctx, mem, out, "objective", answer.objective));
    TRY(report_number(ctx, mem, out, "gap", answer.gap));
    return params->graph.weights == WEIGH_GAUSSIAN ? report_number(ctx, mem, out, "graph_width", s->width) : RUNG_OK;
}

/* The objective of the model's scores, as defined at the head of this file. */
static rung_status primal(rung_ctx *ctx, const struct verification *v, const sosvm *s, const row_pairs *pairs,
                          double *out)
{
    const sosvm_params *params = v->params;
    double *Wf = NULL, norm, bias = v->model->members->score.bias[0];
    TRY(NEW(ctx, &ctx->scratch, Wf, s->p->n));
    TRY(penalty_apply(ctx, &s->W, 1, v->f, Wf));
    TRY(verify_norms(ctx, v, &norm));
    *out = 0.5 * (norm + bias * bias);
    for (int64_t i = 0; i < s->p->n; i++)
        *out += 0.5 * v->f[i] * Wf[i] + params->lambda1 * s->e[i] * s->t[i] * (0.5 * s->t[i] - v->f[i]);
    for (int64_t i = 0; i < pairs->count; i++) {
        const margin *pair = &pairs->list[i];
        double w = s->weight ? s->weight[pair->plus] * s->weight[pair->minus] : 1;
        *out += params->lambda2 * w * fmax(0, 1 - v->f[s->lab[pair->plus]] + v->f[s->lab[pair->minus]]);
    }
    return RUNG_OK;
}

/* The minimum lies between the objective of the model and that of feasible multipliers beta, found once more:
 * sum beta - c'H c / 2 + lambda1 / 2 sum e t^2, c the pulls of targets and pairs, f = H c checked by f = K (c - W f).
 */
static rung_status sosvm_verify(rung_ctx *ctx, const struct verification *v)
{
    const sosvm_params *params = v->params;
    solution best = {0};
    row_pairs pairs;
    double upper, lower = 0, total = 0, infeasible = 0;
    fit_input in = verified_fit(v);
    TRY(sosvm_share(ctx, &in));
    const sosvm *s = v->p->shared;
    TRY(novel_verify(ctx, v, s->S, params->novel, s->P));
    TRY(pairs_of(ctx, s, params->pairs, &pairs));
    TRY(NEW(ctx, &ctx->scratch, best.beta, pairs.count));
    TRY(solve(ctx, s, params, &pairs, &best));
    TRY(primal(ctx, v, s, &pairs, &upper));
    for (int64_t i = 0; i < s->p->n; i++)
        lower += 0.5 * (params->lambda1 * s->e[i] * s->t[i] * s->t[i] - best.c[i] * best.f[i]);
    for (int64_t i = 0; i < pairs.count; i++) {
        const margin *pair = &pairs.list[i];
        double cap = params->lambda2 * (s->weight ? s->weight[pair->plus] * s->weight[pair->minus] : 1);
        lower += best.beta[i];
        total += cap;
        infeasible =
            fmax(infeasible, fmax(-best.beta[i], best.beta[i] - cap) / (params->lambda2 > 0 ? params->lambda2 : 1));
    }
    TRY(graph_response_verify(ctx, v, true, 1, best.f, best.a));
    condition_add(v->found, "multipliers", "infeasibility of the multipliers, relative to lambda2", infeasible, 1e-12);
    condition_add(v->found, "duality gap", "objective of the model minus that of the multipliers, relative",
                  (upper - lower) / upper, gap_limit(params->tolerance, total, upper));
    return RUNG_OK;
}

static rung_status sosvm_prepare(rung_ctx *ctx, const fit_input *in)
{
    problem *p = in->p;
    const sosvm_params *params = in->params;
    graph_response_kernel k;
    TRY(sosvm_kernel(ctx, p->mem, p, params, &k));
    TRY(graph_response_prepare(ctx, p, &k));
    return neighbour_graph_prepare(ctx, p, &params->graph, &k.k);
}

/* The response and the block of the labelled rows, or the pairs with their order of visits. Folds have theirs beside
 * the root of all rows. */
static double sosvm_bytes(const problem_shape *shape, const void *params_)
{
    const sosvm_params *params = params_;
    double n = (double)shape->n, l = (double)shape->labelled, K = shape->K;
    double pairs = params->pairs == PAIRS_ADJACENT ? l * l * (K - 1) / (K * K) : l, m = params->kernel.landmarks;
    double rest = 8 * l * l + neighbour_graph_bytes(shape, &params->graph);
    double each = shape->memory > 0 ? 136 : 64; /* of a pair; as for folds: fit/spec.c */
    if (m > 0)
        return fmax(graph_response_bytes(shape, params->kernel.landmarks), each * pairs) + 8 * n * (K + 8) + rest;
    double root = params->calibrate > 0 ? n * n : 0;
    return 8 * (root + fmax(3 * n * n, 2 * n * n + fmax(2 * n * l, 8 * pairs))) + rest;
}

#define LAMBDA(field, value, what, way, values)                                                                        \
    PARAM(sosvm_params, field, .name = #field, .help = what, .type = RUNG_TYPE_REAL, .default_value = value,           \
          .published = value, .low = 0, .high = HUGE_VAL, .flags = RUNG_PARAM_LOG | (way), .grid = values)

static const param_row sosvm_rows[] = {
    KERNEL_PARAMS_AS(sosvm_params, "auto", "auto", GRAPH_GAMMA_GRID, GAMMA_HELP),
    LANDMARKS_PARAM(sosvm_params),
    LAMBDA(lambda1, "1", "weight of the squared distance between scores and propagated ranks", RUNG_PARAM_SMOOTH_DOWN,
           "0.1,1,10"),
    LAMBDA(lambda2, "1", "weight of the margins between ordered labelled rows",
           RUNG_PARAM_SMOOTH_DOWN | RUNG_PARAM_CHEAP, "0.1,1,10"),
    LAMBDA(lambda3, "0.1", "weight of the graph over all rows", RUNG_PARAM_SMOOTH_UP, "0,0.01,0.1,1"),
    PARAM(sosvm_params, omega, .name = "omega",
          .help = "share of the similarity of propagated ranks in the graph; the rest is the similarity of the rows",
          .type = RUNG_TYPE_REAL, .default_value = "0.5", .published = "0.5", .low = 0, .high = 1),
    NOVEL_PARAM(sosvm_params),
    NEIGHBOUR_GRAPH_PARAMS(sosvm_params),
    PARAM(sosvm_params, pairs, .name = "pairs",
          .help = "labelled rows compared: all of adjacent classes, consecutive rows in the order of ranks, or these "
                  "without equal ranks",
          .type = RUNG_TYPE_CHOICE, .default_value = "adjacent", .published = "consecutive",
          .choices = "adjacent|consecutive|skip", .flags = RUNG_PARAM_CHEAP),
    PARAM(sosvm_params, scale_norm, .name = "scale-norm",
          .help = "similarities of propagated ranks: divided by the number of rows, or unchanged",
          .type = RUNG_TYPE_CHOICE, .default_value = "mean", .published = "none", .choices = "mean|none"),
    PARAM(sosvm_params, evaluate, .name = "evaluate",
          .help = "rows with a target: all, with propagated ranks, or only the labelled ones", .type = RUNG_TYPE_CHOICE,
          .default_value = "all", .published = "all", .choices = "all|labelled"),
    DERIVATIVE_PARAM(sosvm_params),
    CALIBRATE_PARAM(sosvm_params, "auto"),
    {0},
};

const method method_sosvm = {
    .info = {.name = "sosvm",
             .title = "Semi-supervised ordinal support vector machine",
             .reference = "Qian, Chen, Xu, Qi. How about utilizing ordinal information from the distribution of "
                          "unlabeled data. CIKM 2010",
             .cost = "time 5/3 n^3, less if the kernel matrix has a lower rank, then l per step; memory 3 n^2 for n "
                     "rows, l of them labelled; m landmarks: time 4 n m^2, memory n d + 5 m^2 + l^2",
             .flags = RUNG_METHOD_NEEDS_LABELS | RUNG_METHOD_NEEDS_TWO_CLASSES | RUNG_METHOD_WEIGHTS |
                      RUNG_METHOD_USES_UNLABELLED},
    .params = sosvm_rows,
    .params_size = sizeof(sosvm_params),
    .bytes = sosvm_bytes,
    .prepare = sosvm_prepare,
    .share = sosvm_share,
    .fit = sosvm_fit,
    .verify = sosvm_verify,
};
