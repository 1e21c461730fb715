// SPDX-License-Identifier: BSD-3-Clause
/* ckr.c - cumulative kernel ridge: the targets 1[y > q], q = 1..K-1, regressed on the kernel at once. Its outputs are
 * P(y > q), made valid; the rank is the posterior median. Leave-one-out predictions are closed formulas
 * (method/mixture/cumulative_ridge.h), so ridge and gamma are chosen by their ranked probability score.
 *
 * With mu > 0 it also learns from unlabelled rows: a graph over all rows deforms the kernel to K~ = K (I + mu L K)^-1
 * (solve/graph_response.h), and the expansion runs over all rows.
 *
 * With landmarks all of this is done on their features phi: under a graph they remain landmarks, with the features L^-1
 * phi, L L' = I + mu Phi L_graph Phi'.
 *
 * Of a sample gamma and the landmarks are chosen on it; ridge and weights then follow from the moments of all
 * rows, and the rows of the sample are left out of the fit to all. */
#include <string.h>

#include "base/memory.h"
#include "fit/verify.h"
#include "method/mixture/cumulative_features.h"
#include "method/mixture/cumulative_ridge.h"
#include "method/mixture/stack.h"
#include "method/projection/projection.h"
#include "solve/cumulative.h"
#include "solve/graph_response.h"

typedef struct {
    kernel_params kernel;
    double ridge, mu; /* ridge NaN: by leave-one-out */
    int neighbours;
} ckr_params;

static const double ridges[] = {0.001, 0.01, 0.03, 0.1, 0.3, 1, 3, 10};
static const double widths[] = {0.01, 0.03, 0.1, 0.3, 1, 3}; /* gamma = c/d */
enum { RIDGES = sizeof ridges / sizeof *ridges, WIDTHS = sizeof widths / sizeof *widths };

typedef struct {
    problem labelled;    /* ranks as in the whole problem: all its classes have labels */
    int64_t *rows;       /* which rows these are */
    row_groups together; /* labelled rows that are left out together */
    stack_rows stack;
    double error; /* of the best so far */
    kernel k;
    double scale, ridge;
    double *coef, *bias; /* labelled x (K - 1), or with landmarks m x (K - 1) weights of features; K - 1 */
    double *trial;       /* labelled x (K - 1) by rows: leave-one-out; with landmarks one for each ridge */
    double *loo, *least; /* for each row the prediction of the setting that is best for the other rows, and its error */
    landmarks l;
} ckr_search;

static bool searches_gamma(const kernel_params *k)
{
    return isnan(k->gamma) && isnan(k->width) && (k->kind == KERNEL_RBF || k->kind == KERNEL_LAPLACIAN);
}

static int ridge_list(const ckr_params *params, const double **list)
{
    *list = isnan(params->ridge) ? ridges : &params->ridge;
    return isnan(params->ridge) ? RIDGES : 1;
}

static rung_status start(rung_ctx *ctx, const problem *p, const ckr_params *params, ckr_search *s)
{
    int *classes = NULL, J = p->K - 1, trials = 1;
    int64_t l = 0, m = params->kernel.landmarks;
    const double *list;
    if (m > 0) trials = ridge_list(params, &list);
    *s = (ckr_search){.error = INFINITY};
    TRY(NEW(ctx, &ctx->scratch, s->rows, p->n));
    TRY(NEW(ctx, &ctx->scratch, classes, p->K));
    for (int64_t i = 0; i < p->n; i++)
        if (p->y[i]) s->rows[l++] = i;
    TRY(problem_subset(ctx, &ctx->scratch, p, l, s->rows, &s->labelled, classes));
    s->labelled.many_kernels = true;
    TRY(problem_groups(ctx, &ctx->scratch, &s->labelled, &s->together));
    TRY(stack_rows_new(ctx, &ctx->scratch, p->K, s->labelled.y, NULL, s->labelled.w, &s->together, &s->stack));
    TRY(NEW(ctx, &ctx->scratch, s->coef, (m > 0 ? m : l) * J));
    TRY(NEW(ctx, &ctx->scratch, s->bias, J));
    TRY(NEW(ctx, &ctx->scratch, s->loo, l * J));
    TRY(NEW(ctx, &ctx->scratch, s->least, l));
    for (int64_t i = 0; i < l; i++) s->least[i] = INFINITY;
    return NEW(ctx, &ctx->scratch, s->trial, l * J * trials);
}

/* The errors of a row and of rows equal to it do not influence the choice of the setting that predicts it; otherwise
 * the error of the best of many settings would be too optimistic. */
static void choose_for_rows(const double *trial, double error, ckr_search *s)
{
    int K = s->labelled.K, J = K - 1;
    for (int64_t i = 0; i < s->labelled.n; i++) {
        double others = error - stack_group_error(&s->stack, trial, s->together.of[i]);
        if (!(others < s->least[i])) continue;
        s->least[i] = others;
        memcpy(s->loo + i * J, trial + i * J, (size_t)J * sizeof *s->loo);
    }
}

/* Whether these leave-one-out predictions are the best so far. */
static bool is_best(const kernel *k, double ridge, const double *trial, ckr_search *s)
{
    double error = stack_error(&s->stack, trial);
    choose_for_rows(trial, error, s);
    if (!(error < s->error)) return false;
    s->error = error;
    s->k = *k;
    s->ridge = ridge;
    return true;
}

static double kernel_scale(const kernel *k, const ckr_search *s)
{
    return k->kind == KERNEL_LINEAR ? 1 / fmax(1, (double)s->labelled.varying) : 1;
}

static cumulative_rows rows_of(const ckr_search *s)
{
    return (cumulative_rows){
        .n = s->labelled.n, .K = s->labelled.K, .y = s->labelled.y, .weight = s->labelled.w, .together = &s->together};
}

/* All ridges of one kernel matrix over the labelled rows; keeps the best so far. */
static rung_status try_kernel(rung_ctx *ctx, const ckr_params *params, const kernel *k, const la_mat *G, ckr_search *s)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t l = s->labelled.n;
    const double *list, scale = kernel_scale(k, s);
    int K = s->labelled.K, J = K - 1, count = ridge_list(params, &list);
    cumulative_rows rows = rows_of(s);
    cumulative_ridge r;
    TRY(cumulative_ridge_new(ctx, &ctx->scratch, G, scale, &rows, &r));
    for (int j = 0; j < count; j++) {
        TRY(interrupted(ctx));
        TRY(cumulative_ridge_loo(ctx, &r, list[j], s->trial));
        if (!is_best(k, list[j], s->trial, s)) continue;
        TRY(cumulative_ridge_coef(ctx, &r, list[j], s->coef, s->bias));
        for (int64_t i = 0; i < l * J; i++) s->coef[i] *= scale;
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status graph_of(rung_ctx *ctx, problem *p, const ckr_params *params, const kernel *k, penalty *out)
{
    problem_graph g = {.space = {.kind = SPACE_INPUT, .k = *k},
                       .neighbours = params->neighbours,
                       .rule = GRAPH_OR,
                       .weight = EDGE_BINARY};
    *out = (penalty){.n = p->n, .weight = params->mu};
    return problem_laplacian(ctx, p, &g, LAPLACIAN_PLAIN, &out->sparse);
}

/* With a graph: the block of K~ at the labelled rows. */
static rung_status try_deformed(rung_ctx *ctx, problem *p, const ckr_params *params, const kernel *k, ckr_search *s)
{
    int64_t l = s->labelled.n;
    penalty W;
    graph_response r;
    const la_mat *F;
    la_mat *G = NULL;
    double *block = NULL;
    TRY(graph_of(ctx, p, params, k, &W));
    TRY(problem_root(ctx, p, k, false, &F));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(graph_response_new(ctx, &W, F, &r));
    TRY(la_new(ctx, &ctx->scratch, l, l, &G));
    TRY(NEW_RAW(ctx, &ctx->scratch, block, l * l));
    TRY(graph_response_block(ctx, &r, l, s->rows, block));
    la_put(block, G);
    TRY(try_kernel(ctx, params, k, G, s));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* The same landmarks under the graph. */
static rung_status deform(rung_ctx *ctx, problem *p, const ckr_params *params, const kernel *k, const landmarks *l,
                          landmarks *out)
{
    penalty W;
    la_mat *M = NULL, *R = NULL;
    TRY(graph_of(ctx, p, params, k, &W));
    TRY(la_new(ctx, &ctx->scratch, l->m, l->m, &R));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(la_new(ctx, &ctx->scratch, l->m, l->m, &M));
    TRY(landmarks_quadratic(ctx, l, p->n, p->X, W.sparse, landmark_room(memory_left(ctx)), M));
    TRY(la_scale_add(ctx, 0, M, params->mu, M));
    la_add_diagonal(M, 1, NULL);
    TRY(landmarks_deformed(ctx, l, M, R, out));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* All ridges on these features. */
static rung_status try_features(rung_ctx *ctx, const ckr_params *params, const cumulative_features *f, ckr_search *s)
{
    const double *list;
    const landmarks features = *f->l;
    int64_t size = s->labelled.n * (s->labelled.K - 1);
    int count = ridge_list(params, &list);
    TRY(cumulative_features_loo(ctx, f, count, list, s->trial));
    for (int j = 0; j < count; j++) {
        if (!is_best(&features.k, list[j], s->trial + j * size, s)) continue;
        s->l = features;
        TRY(cumulative_features_weights(ctx, f, list[j], s->coef, s->bias));
    }
    return RUNG_OK;
}

/* Those of every kernel are kept until one of them is chosen. */
static rung_status try_landmarks(rung_ctx *ctx, problem *p, const ckr_params *params, const kernel *k, ckr_search *s)
{
    problem *sub = &s->labelled;
    const landmarks *l;
    landmarks features;
    cumulative_features f;
    TRY(problem_landmarks(ctx, params->mu > 0 ? p : sub, k, params->kernel.landmarks, &l));
    features = *l;
    if (params->mu > 0) TRY(deform(ctx, p, params, k, l, &features));
    pool_mark mark = pool_here(&ctx->scratch);
    cumulative_rows rows = rows_of(s);
    TRY(cumulative_features_new(ctx, &features, sub->X, kernel_scale(k, s), &rows, &f));
    TRY(try_features(ctx, params, &f, s));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* All rows, with the kernel and the landmarks that are best for the sample. */
static rung_status fit_all(rung_ctx *ctx, problem *p, const ckr_params *params, ckr_search *s)
{
    pool_mark mark = pool_here(&ctx->scratch);
    const landmarks l = s->l;
    cumulative_rows rows = rows_of(s);
    feature_moments all;
    cumulative_features f;
    s->error = INFINITY;
    for (int64_t i = 0; i < s->labelled.n; i++) s->least[i] = INFINITY;
    TRY(problem_moments(ctx, p, &l, false, &all));
    TRY(cumulative_features_all(ctx, &l, s->labelled.X, kernel_scale(&l.k, s), &rows, &all, &f));
    TRY(try_features(ctx, params, &f, s));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* Without a choice the landmarks are all that is needed of the sample. */
static rung_status only_landmarks(rung_ctx *ctx, const ckr_params *params, const kernel *k, ckr_search *s)
{
    const landmarks *l;
    TRY(problem_landmarks(ctx, &s->labelled, k, params->kernel.landmarks, &l));
    s->l = *l;
    return RUNG_OK;
}

static rung_status search(rung_ctx *ctx, problem *p, const ckr_params *params, const kernel *given, ckr_search *s)
{
    bool choose = searches_gamma(&params->kernel);
    for (int c = 0; c < (choose ? WIDTHS : 1); c++) {
        kernel k = *given;
        const la_mat *G;
        if (choose) k.gamma = -widths[c];
        k = problem_kernel(p, &k);
        if (params->kernel.landmarks > 0) {
            bool given_kernel = p->all && !choose;
            TRY(given_kernel ? only_landmarks(ctx, params, &k, s) : try_landmarks(ctx, p, params, &k, s));
            continue;
        }
        if (params->mu > 0) {
            TRY(try_deformed(ctx, p, params, &k, s));
            if (choose) problem_forget(p);
            continue;
        }
        TRY(problem_gram(ctx, &s->labelled, &k, &G));
        TRY(try_kernel(ctx, params, &k, G, s));
        problem_forget(&s->labelled);
    }
    if (p->all && (problem_partial(p) || isinf(s->error))) TRY(fit_all(ctx, p, params, s));
    if (isinf(s->error)) return set_error(ctx, RUNG_EDATA, "ckr: no ridge gives finite predictions; scale the columns");
    return RUNG_OK;
}

/* a = c - W K~ c: the expansion over all rows. */
static rung_status expand(rung_ctx *ctx, pool *mem, problem *p, const ckr_params *params, const ckr_search *s,
                          fitted *out)
{
    int64_t n = p->n, l = s->labelled.n;
    int J = p->K - 1;
    penalty W;
    graph_response r;
    const la_mat *F;
    double *c = NULL, *f = NULL, *a = NULL;
    if (params->kernel.landmarks > 0) return landmark_results(ctx, mem, &s->l, J, s->coef, out);
    if (params->mu == 0) return expansion_outputs(ctx, mem, &s->labelled, &s->k, J, s->coef, &out->own.score);
    TRY(NEW(ctx, &ctx->scratch, c, n * J));
    TRY(NEW(ctx, &ctx->scratch, f, n * J));
    TRY(NEW(ctx, &ctx->scratch, a, n * J));
    for (int q = 0; q < J; q++)
        for (int64_t i = 0; i < l; i++) c[s->rows[i] + q * n] = s->coef[i + q * l];
    TRY(graph_of(ctx, p, params, &s->k, &W));
    TRY(problem_root(ctx, p, &s->k, false, &F));
    TRY(graph_response_new(ctx, &W, F, &r));
    TRY(graph_response_apply(ctx, &r, J, c, f, a));
    return expansion_outputs(ctx, mem, p, &s->k, J, a, &out->own.score);
}

/* As how many rows the labelled ones count. */
static double row_count(const problem *labelled)
{
    double count = 0;
    for (int64_t i = 0; i < labelled->n; i++) count += labelled->w ? labelled->w[i] : 1;
    return count;
}

static rung_status ckr_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    problem *p = in->p;
    const ckr_params *params = in->params;
    pool_mark mark = pool_here(&ctx->scratch);
    int J = p->K - 1;
    ckr_search s;
    kernel k;
    if (p->all && params->mu > 0)
        return hint(ctx, set_error(ctx, RUNG_EARG, "mu=%g needs all rows in memory: the graph joins them", params->mu),
                    "parameter mu");
    TRY(kernel_from_params(ctx, mem, &params->kernel, &k));
    TRY(start(ctx, p, params, &s));
    TRY(search(ctx, p, params, &k, &s));
    TRY(expand(ctx, mem, p, params, &s, out));
    memcpy(out->own.score.bias, s.bias, (size_t)J * sizeof *s.bias);
    out->own.proba = PROBA_CUMULATIVE;
    out->own.decide = (decision){.kind = DECISION_MEDIAN, .K = p->K};
    out->n_expansion = out->own.score.kind == SCORER_LINEAR ? p->d : out->own.score.m;
    TRY(NEW(ctx, mem, out->loo, s.labelled.n * p->K));
    for (int64_t i = 0; i < s.labelled.n; i++) cumulative_classes(p->K, s.loo + i * J, out->loo + i * p->K);
    TRY(report_number(ctx, mem, out, "ridge", s.ridge));
    if (k.kind == KERNEL_RBF || k.kind == KERNEL_LAPLACIAN) TRY(report_number(ctx, mem, out, "gamma", s.k.gamma));
    TRY(report_number(ctx, mem, out, "loo_rps", s.error / row_count(&s.labelled) / J));
    if (mem != &ctx->scratch) pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* The normal equations of the labelled rows, F = (scale K~ + constant) w (Y - p0 - F) / ridge for F = f - p0, in f; p0
 * are the shrunk means of method/mixture/cumulative_ridge.h. With g the part of F the kernel gives, g / scale = K (e -
 * mu L g / scale): K~ is never formed. */
static rung_status normal_equations(rung_ctx *ctx, const struct verification *v)
{
    const ckr_params *params = v->params;
    const problem *p = v->p;
    const scorer *s = &v->model->members->score;
    int64_t n = p->n;
    int J = p->K - 1;
    double ridge = told_number(v->model, "ridge"), *e = NULL, *Ke = NULL, *left = NULL, worst = 0, l = 0;
    bool linear = s->kind == SCORER_LINEAR || s->k.kind == KERNEL_LINEAR;
    double scale = linear ? 1 / fmax(1, (double)p->varying) : 1;
    penalty W;
    if (params->mu > 0) TRY(graph_of(ctx, v->p, params, &s->k, &W));
    TRY(NEW(ctx, &ctx->scratch, e, n));
    TRY(NEW(ctx, &ctx->scratch, Ke, n));
    TRY(NEW(ctx, &ctx->scratch, left, n));
    for (int64_t i = 0; i < n; i++) {
        e[i] = p->y[i] > 0 ? (p->w ? p->w[i] : 1) : 0;
        l += e[i];
    }
    double scores =
        verify_kernel_size(v, e) * verify_score_size(v) / J / ridge; /* their rounding is amplified by K / ridge */
    for (int q = 0; q < J; q++) {
        double below = (q + 1) * 0.5 / p->K, sum = 0, terms = 0;
        for (int64_t i = 0; i < n; i++) below += p->y[i] > 0 && p->y[i] <= q + 1 ? (p->w ? p->w[i] : 1) : 0;
        for (int64_t i = 0; i < n; i++) {
            e[i] = p->y[i] ? (p->w ? p->w[i] : 1) * ((p->y[i] > q + 1) - v->f[i * J + q]) / ridge : 0;
            sum += e[i];
            terms += fabs(e[i]);
        }
        for (int64_t i = 0; i < n; i++) left[i] = 1 - below / (l + 0.5) + RIDGE_CONSTANT * sum - v->f[i * J + q];
        if (params->mu > 0) TRY(la_spmm_thin(ctx, params->mu / scale, W.sparse, 1, left, 1, e));
        TRY(verify_kernel_times(ctx, v, 1, e, Ke));
        for (int64_t i = 0; i < n; i++) Ke[i] *= scale;
        double size = verify_kernel_size(v, e) + scores + 1 + RIDGE_CONSTANT * terms;
        worst = fmax(worst, relative_residual(n, 2, (const double *const[]){Ke, left}, size));
    }
    condition_add(v->found, "normal equations", "residual of F = K (Y - F) / ridge, relative, worst output", worst,
                  1e-6);
    return RUNG_OK;
}

/* Without a graph only the labelled rows are used, also for the landmarks. */
static rung_status ckr_verify(rung_ctx *ctx, const struct verification *v)
{
    struct verification labelled = *v;
    const ckr_params *params = v->params;
    int J = v->p->K - 1;
    double *f = NULL;
    ckr_search s;
    if (params->mu > 0) return normal_equations(ctx, v);
    TRY(start(ctx, v->p, params, &s));
    TRY(NEW(ctx, &ctx->scratch, f, s.labelled.n * J));
    for (int64_t i = 0; i < s.labelled.n * J; i++) f[i] = v->f[s.rows[i / J] * J + i % J];
    labelled.p = &s.labelled;
    labelled.f = f;
    return normal_equations(ctx, &labelled);
}

/* The landmarks of each kernel; rows and predictions; choosing landmarks, their graph, or the fit. */
static double landmark_bytes(const problem_shape *shape, const ckr_params *params)
{
    const double *list;
    bool graph = params->mu > 0;
    int64_t rows = graph ? shape->n : shape->labelled;
    int count = ridge_list(params, &list), kernels = searches_gamma(&params->kernel) ? WIDTHS : 1;
    double n = (double)shape->n, l = (double)shape->labelled, d = (double)shape->d,
           m = fmin(params->kernel.landmarks, (double)rows);
    double work = fmax(landmarks_bytes(shape->d, rows, params->kernel.landmarks),
                       cumulative_features_bytes(shape->labelled, shape->d, shape->K, (int64_t)m, count));
    if (shape->all) work = fmax(work, problem_moments_bytes(shape->d, (int64_t)m) + 8 * m * m);
    if (graph)
        work = fmax(work, landmarks_quadratic_bytes(shape->d, shape->n, (int64_t)m, shape->memory)) +
               graph_bytes(n, d, params->neighbours, shape->threads);
    return 8 * (kernels * m * ((graph ? 2 : 1) * m + d) + n * (d + 20) + l * (d + shape->K * (count + 3))) + work;
}

static double ckr_bytes(const problem_shape *shape, const void *params_)
{
    const ckr_params *params = params_;
    double n = (double)shape->n, l = (double)shape->labelled, d = (double)shape->d;
    if (params->kernel.landmarks > 0) return landmark_bytes(shape, params);
    double graph = params->mu > 0 ? 2 * n * n + n * l + l * l + n * (2.0 * params->neighbours + 3 * shape->K) : 0;
    return 8 * (6 * l * l + l * (2 * d + 6 * shape->K) + graph);
}

static const param_row ckr_rows[] = {
    KERNEL_PARAMS_AS(ckr_params, "auto", "auto", NULL,
                     "rbf: k = exp(-gamma |x-z|^2); c/d is c divided by the number of non-constant columns; auto: "
                     "chosen by leave-one-out"),
    LANDMARKS_PARAM(ckr_params),
    PARAM(ckr_params, ridge, .name = "ridge", .help = "penalty of the coefficients; auto: chosen by leave-one-out",
          .type = RUNG_TYPE_REAL, .default_value = "auto", .published = "auto", .low = 0, .high = HUGE_VAL,
          .flags = RUNG_PARAM_OPEN_LOW | RUNG_PARAM_LOG | RUNG_PARAM_AUTO | RUNG_PARAM_SMOOTH_UP),
    PARAM(ckr_params, mu, .name = "mu",
          .help = "weight of the graph over all rows; 0: the unlabelled rows are not used", .type = RUNG_TYPE_REAL,
          .default_value = "0", .published = "0", .low = 0, .high = HUGE_VAL,
          .flags = RUNG_PARAM_LOG | RUNG_PARAM_SMOOTH_UP, .grid = "0,0.01,0.1,1"),
    PARAM(ckr_params, neighbours, .name = "neighbours",
          .help = "mu > 0: number of nearest rows connected with each row in the graph", .type = RUNG_TYPE_INT,
          .default_value = "10", .published = "10", .low = 1, .high = 100000),
    {0},
};

const method method_ckr = {
    .info = {.name = "ckr",
             .title = "Cumulative kernel ridge with closed-form leave-one-out",
             .reference = "Kernel ridge regression of the indicators y > q; leave-one-out as in Cawley, Talbot. Neural "
                          "Networks 17(10):1467-1475, 2004",
             .cost = "time 10 l^3 for each gamma tried, memory 6 l^2; with mu > 0 also n^3; m landmarks: time 5 l m^2 "
                     "for each, memory l d + 6 m^2",
             .flags = RUNG_METHOD_NEEDS_LABELS | RUNG_METHOD_NEEDS_TWO_CLASSES | RUNG_METHOD_WEIGHTS |
                      RUNG_METHOD_PROBABILITIES | RUNG_METHOD_USES_UNLABELLED | RUNG_METHOD_PASSES},
    .params = ckr_rows,
    .params_size = sizeof(ckr_params),
    .bytes = ckr_bytes,
    .fit = ckr_fit,
    .verify = ckr_verify,
};
