// SPDX-License-Identifier: BSD-3-Clause
/* orml.c - ordinal regression via manifold learning.
 *
 *     minimise  w'X L X'w - C rho   subject to  w'(m_{q+1} - m_q) >= rho,  q = 1..K-1
 *
 * L is the Laplacian of the ordinal and-graph, m_q the class means: smooth along the rows, with a margin between
 * adjacent classes. In the feature space of a kernel (ours) f = sum_i c_i k(x, x_i) with
 *
 *     (L K + e I) c = 1/2 Ed a,   Q = Ed'K (L K + e I)^-1 Ed,   e = ridge tr(L K)/n :
 *
 * the KDLOR problem with the within-class centring replaced by L. With landmarks it is the first problem, phi(x) in
 * place of x and the same e. Unlabelled rows are vertices of the graph (and terms of the expansion); means and
 * constraints are those of the labelled ones. */
#include "base/memory.h"
#include "fit/verify.h"
#include "method/projection/manifold.h"
#include "method/projection/ordered_qp.h"
#include "method/projection/projection.h"
#include "solve/simplex_qp.h"

typedef struct {
    kernel_params kernel;
    discriminant_params d;
    int neighbours, calibrate;
} orml_params;

static rung_status orml_kernel(rung_ctx *ctx, pool *mem, const problem *p, const orml_params *params, kernel *k)
{
    TRY(kernel_from_params(ctx, mem, &params->kernel, k));
    if (k->kind != KERNEL_LINEAR && !(params->d.ridge > 0))
        return set_error(ctx, RUNG_EARG,
                         "orml with kernel=%s needs ridge > 0 (ridge=0, the pseudo-inverse, needs kernel=linear)",
                         kernel_name(k->kind));
    *k = problem_kernel(p, k);
    return RUNG_OK;
}

static rung_status orml_prepare(rung_ctx *ctx, const fit_input *in)
{
    problem *p = in->p;
    const la_mat *K;
    const landmarks *l;
    int m = ((const orml_params *)in->params)->kernel.landmarks;
    kernel k;
    TRY(orml_kernel(ctx, p->mem, p, in->params, &k));
    if (k.kind == KERNEL_LINEAR) return RUNG_OK;
    return m > 0 ? problem_landmarks(ctx, p, &k, m, &l) : problem_gram(ctx, p, &k, &K);
}

typedef struct { /* common input of the solvers */
    problem *p;
    const orml_params *params;
    kernel k;
    class_index classes;
    la_csr L;
} orml_problem;

static rung_status fit_linear(rung_ctx *ctx, pool *mem, const orml_problem *o, ordered_qp_solution *s, fitted *out)
{
    const problem *p = o->p;
    row_space space;
    la_mat *LT = NULL, *M = NULL;
    double *D = NULL, *W = NULL;
    TRY(row_space_new(ctx, p, true, &space));
    int64_t c = la_cols(space.T);
    TRY(NEW(ctx, &ctx->scratch, s->w, c));
    TRY(NEW(ctx, &ctx->scratch, D, c * (p->K - 1)));
    TRY(NEW(ctx, &ctx->scratch, W, p->d));
    TRY(mean_differences(ctx, p, &o->classes, space.T, D));
    TRY(la_new(ctx, &ctx->scratch, p->n, c, &LT));
    TRY(la_new(ctx, &ctx->scratch, c, c, &M));
    TRY(laplacian_rows(ctx, &o->L, space.T, LT));
    TRY(la_gemm(ctx, true, false, 1, space.T, LT, 0, M));
    la_free(&ctx->scratch, LT);
    TRY(ordered_qp_solve(ctx, M, &o->params->d, varying_columns(p), p->K, D, s));
    TRY(row_space_directions(ctx, &space, 1, s->w, W));
    out->n_expansion = p->d;
    return linear_scorer(ctx, mem, p, 1, W, NULL, &out->own.score);
}

/* If f'L f is 0 for all f up to rounding, it is set to 0. */
static rung_status landmark_form(rung_ctx *ctx, const problem *p, const landmarks *l, const la_csr *L, la_mat *M)
{
    double size = 0;
    TRY(landmarks_quadratic(ctx, l, p->n, p->X, L, landmark_room(memory_left(ctx)), M));
    for (int64_t i = 0; i < L->rows; i++)
        for (int64_t e = L->start[i]; e < L->start[i + 1]; e++)
            if (L->col[e] == i) size += L->value[e] * kernel_self(&l->k, p->d, p->X + i * p->d);
    return la_trace(M) > 1e-13 * size ? RUNG_OK : la_scale_add(ctx, 0, M, 0, M);
}

static rung_status fit_landmarks(rung_ctx *ctx, pool *mem, const orml_problem *o, ordered_qp_solution *s, fitted *out)
{
    problem *p = o->p;
    const landmarks *l;
    la_mat *M = NULL;
    double *Ed = NULL, *D = NULL;
    TRY(problem_landmarks(ctx, p, &o->k, o->params->kernel.landmarks, &l));
    TRY(la_new(ctx, &ctx->scratch, l->m, l->m, &M));
    TRY(NEW(ctx, &ctx->scratch, s->w, l->m));
    TRY(NEW(ctx, &ctx->scratch, Ed, p->n * (p->K - 1)));
    TRY(NEW(ctx, &ctx->scratch, D, l->m * (p->K - 1)));
    class_contrasts(p, &o->classes, Ed);
    TRY(landmarks_pull(ctx, l, p->n, p->X, p->K - 1, Ed, D));
    TRY(landmark_form(ctx, p, l, &o->L, M));
    TRY(ordered_qp_solve(ctx, M, &o->params->d, (double)p->n, p->K, D, s));
    return landmark_results(ctx, mem, l, 1, s->w, out);
}

/* e = ridge tr(L K)/n. If f'L f is 0 for all f up to rounding, only the ridge remains: any e will do. */
static double kernel_ridge(const la_csr *L, const la_mat *K, const la_mat *LK, double ridge, double *diagonal)
{
    double size = 0, trace = la_trace(LK), n = (double)la_rows(K);
    la_diagonal(K, diagonal);
    for (int64_t i = 0; i < L->rows; i++)
        for (int64_t e = L->start[i]; e < L->start[i + 1]; e++)
            if (L->col[e] == i) size += L->value[e] * diagonal[i];
    if (trace > 1e-13 * size) return ridge * trace / n;
    return size > 0 ? ridge * size / n : 1;
}

/* c = S a / 2, f = K c, and the steps between the class means of f. */
static rung_status kernel_scores(rung_ctx *ctx, const orml_problem *o, const la_mat *K, const double *S,
                                 const double *alpha, double *c, double *f, double *step)
{
    int64_t n = o->p->n;
    int m = o->p->K - 1;
    pool_mark mark = pool_here(&ctx->scratch);
    double *mean = NULL;
    TRY(NEW(ctx, &ctx->scratch, mean, m + 1));
    for (int64_t i = 0; i < n; i++) {
        c[i] = 0;
        for (int a = 0; a < m; a++) c[i] += S[i + a * n] * alpha[a] / 2;
    }
    TRY(la_mul(ctx, 1, K, 1, c, 0, f));
    class_means(&o->classes, NULL, f, mean);
    for (int a = 0; a < m; a++) step[a] = mean[a + 1] - mean[a];
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* Q holds the steps up to rounding of its own entries, which may be a million times larger: then they are levelled once
 * more as they came out. */
static rung_status level_steps(rung_ctx *ctx, const orml_problem *o, const double *Q, double *step, double *alpha,
                               bool *again)
{
    int m = o->p->K - 1;
    double least = step[0], size = 0, slack = 0;
    for (int a = 0; a < m; a++) {
        least = fmin(least, step[a]);
        size = fmax(size, fabs(step[a]));
    }
    for (int a = 0; a < m; a++) slack += alpha[a] / o->params->d.C * (step[a] - least);
    *again = slack > 1e-9 * size;
    for (int a = 0; a < m; a++) step[a] *= 2; /* Q a */
    return *again ? simplex_qp_polish(ctx, m, Q, step, alpha) : RUNG_OK;
}

/* f: the scores of the rows. */
static rung_status fit_kernel(rung_ctx *ctx, pool *mem, const orml_problem *o, ordered_qp_solution *s, double **f,
                              fitted *out)
{
    problem *p = o->p;
    int64_t n = p->n, m = p->K - 1;
    int *pivot = NULL;
    double *S = NULL, *KS = NULL, *Q = NULL, *c = NULL, *mean = NULL, *step = NULL;
    bool again = false;
    const la_mat *K;
    la_mat *LK = NULL;
    TRY(problem_gram(ctx, p, &o->k, &K));
    TRY(la_new(ctx, &ctx->scratch, n, n, &LK));
    TRY(NEW(ctx, &ctx->scratch, pivot, n));
    TRY(NEW(ctx, &ctx->scratch, mean, p->K));
    TRY(NEW(ctx, &ctx->scratch, S, n * m));
    TRY(NEW(ctx, &ctx->scratch, KS, n * m));
    TRY(NEW(ctx, &ctx->scratch, Q, m * m));
    TRY(NEW(ctx, &ctx->scratch, c, n));
    TRY(la_spmm(ctx, 1, &o->L, K, 0, LK));
    la_add_diagonal(LK, kernel_ridge(&o->L, K, LK, o->params->d.ridge, c), NULL);
    class_contrasts(p, &o->classes, S);
    TRY(la_getrf(ctx, LK, pivot));
    TRY(la_getrs(ctx, LK, pivot, false, m, S));
    la_free(&ctx->scratch, LK);
    TRY(la_mul(ctx, 1, K, m, S, 0, KS));
    for (int64_t b = 0; b < m; b++) {
        class_means(&o->classes, NULL, KS + b * n, mean);
        for (int64_t a = 0; a < m; a++) Q[a + b * m] = mean[a + 1] - mean[a];
    }
    for (int64_t b = 0; b < m; b++)
        for (int64_t a = 0; a < b; a++) Q[a + b * m] = Q[b + a * m] = (Q[a + b * m] + Q[b + a * m]) / 2;
    TRY(order_weights(ctx, p->K, Q, o->params->d.C, 0, s->alpha, &s->degenerate));
    TRY(NEW(ctx, &ctx->scratch, *f, n));
    TRY(NEW(ctx, &ctx->scratch, step, m));
    TRY(kernel_scores(ctx, o, K, S, s->alpha, c, *f, step));
    if (!s->degenerate) TRY(level_steps(ctx, o, Q, step, s->alpha, &again));
    if (again) TRY(kernel_scores(ctx, o, K, S, s->alpha, c, *f, step));
    out->n_expansion = n;
    return expansion_scorer(ctx, mem, p, &o->k, c, &out->own.score);
}

static rung_status orml_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    problem *p = in->p;
    orml_problem o = {.p = p, .params = in->params};
    const la_mat *K = NULL;
    ordered_qp_solution s = {0};
    double *score = NULL, sigma;
    TRY(orml_kernel(ctx, mem, p, o.params, &o.k));
    TRY(class_index_new(ctx, &ctx->scratch, p, &o.classes));
    TRY(NEW(ctx, &ctx->scratch, s.alpha, p->K - 1));
    if (o.k.kind == KERNEL_PRECOMPUTED) TRY(problem_gram(ctx, p, &o.k, &K));
    TRY(ordinal_laplacian(ctx, p, K, o.params->neighbours, &o.L, &sigma));
    if (o.k.kind == KERNEL_LINEAR)
        TRY(fit_linear(ctx, mem, &o, &s, out));
    else if (o.params->kernel.landmarks > 0)
        TRY(fit_landmarks(ctx, mem, &o, &s, out));
    else
        TRY(fit_kernel(ctx, mem, &o, &s, &score, out));
    TRY(ordered_qp_finish(ctx, mem, p, &o.params->d, &o.classes, &s, score, out));
    return report_number(ctx, mem, out, "sigma", sigma);
}

/* e of the model. */
static rung_status verified_ridge(rung_ctx *ctx, const struct verification *v, const orml_params *params,
                                  const kernel *k, const la_csr *L, double *out)
{
    int64_t n = v->p->n;
    const landmarks *l;
    const la_mat *K;
    la_mat *M = NULL;
    double *diagonal = NULL;
    if (v->landmarks > 0) {
        TRY(problem_landmarks(ctx, v->p, k, v->landmarks, &l));
        TRY(la_new(ctx, &ctx->scratch, l->m, l->m, &M));
        TRY(landmark_form(ctx, v->p, l, L, M));
        double trace = la_trace(M);
        *out = trace > 0 ? params->d.ridge * trace / (double)n : 1;
    } else {
        TRY(problem_gram(ctx, v->p, k, &K));
        pool_mark mark = pool_here(&ctx->scratch);
        TRY(NEW(ctx, &ctx->scratch, diagonal, n));
        TRY(la_new(ctx, &ctx->scratch, n, n, &M));
        TRY(la_spmm(ctx, 1, L, K, 0, M));
        *out = kernel_ridge(L, K, M, params->d.ridge, diagonal);
        pool_release(&ctx->scratch, mark);
    }
    return RUNG_OK;
}

/* K (L f - Ed a / 2) + e f = 0. */
static rung_status kernel_verify(rung_ctx *ctx, const struct verification *v, const orml_params *params,
                                 const kernel *k, const class_index *classes, const la_csr *L, const double *alpha)
{
    int64_t n = v->p->n, m = v->p->K - 1;
    double *Ed = NULL, *u = NULL, *Ku = NULL, *ridge = NULL, e;
    TRY(NEW(ctx, &ctx->scratch, Ed, n * m));
    TRY(NEW(ctx, &ctx->scratch, u, 2 * n));
    TRY(NEW(ctx, &ctx->scratch, Ku, 2 * n));
    TRY(NEW(ctx, &ctx->scratch, ridge, n));
    TRY(verified_ridge(ctx, v, params, k, L, &e));
    class_contrasts(v->p, classes, Ed);
    verify_graph_sizes(L, 1, u);
    double size = verify_kernel_size(v, u) * verify_score_size(v); /* K L amplifies rounding of the scores */
    TRY(la_spmm_thin(ctx, 1, L, 1, v->f, 0, u));
    for (int64_t i = 0; i < n; i++) {
        ridge[i] = e * v->f[i];
        for (int64_t a = 0; a < m; a++) u[i + n] -= Ed[i + a * n] * alpha[a] / 2;
    }
    size += verify_kernel_size(v, u + n);
    TRY(verify_kernel_times(ctx, v, 2, u, Ku));
    condition_add(v->found, "stationarity", "residual of K L f + e f = K Ed a / 2, relative",
                  relative_residual(n, 3, (const double *const[]){Ku, Ku + n, ridge}, size), limit_of_rows(1e-8, n));
    return RUNG_OK;
}

static rung_status orml_verify(rung_ctx *ctx, const struct verification *v)
{
    const orml_params *params = v->params;
    const double *alpha = told_list(v->model, "alpha", v->p->K - 1);
    const la_mat *K = NULL;
    class_index classes;
    kernel k;
    la_csr L;
    double sigma;
    if (!alpha) return set_error(ctx, RUNG_EARG, "verify: the model does not report its multipliers");
    TRY(orml_kernel(ctx, &ctx->scratch, v->p, params, &k));
    TRY(class_index_new(ctx, &ctx->scratch, v->p, &classes));
    if (k.kind == KERNEL_PRECOMPUTED) TRY(problem_gram(ctx, v->p, &k, &K));
    TRY(ordinal_laplacian(ctx, v->p, K, params->neighbours, &L, &sigma));
    if (k.kind == KERNEL_LINEAR)
        TRY(ordered_qp_linear_verify(ctx, v, &params->d, &L));
    else
        TRY(kernel_verify(ctx, v, params, &k, &classes, &L, alpha));
    return ordered_conditions(ctx, v, &params->d);
}

/* Gram matrix and the factors of the system; those of a fold beside the Gram matrix of all rows. */
static double orml_bytes(const problem_shape *shape, const void *params_)
{
    const orml_params *params = params_;
    fit_size s = orml_size(shape, params->neighbours, params->calibrate);
    if (params->kernel.kind == KERNEL_LINEAR) return linear_fit_bytes(&s);
    double rows = s.copies * s.n * s.d + s.n * (3 * s.K + 40), search = graph_bytes(s.n, s.d, s.k, s.threads);
    if (params->kernel.landmarks > 0) {
        int64_t m = shape->n < params->kernel.landmarks ? shape->n : params->kernel.landmarks;
        double work = fmax(landmarks_bytes(shape->d, shape->n, m),
                           landmarks_quadratic_bytes(shape->d, shape->n, m, shape->memory));
        return 8 * (rows + (double)m * (double)(m + shape->d)) + fmax(search, 64 * s.n * s.k + work);
    }
    double kept = params->calibrate > 0 ? s.n - fmin(s.n / params->calibrate, 2000) : 0;
    double squares = fmax(2 * s.n * s.n, s.n * s.n + 2 * kept * kept);
    return 8 * (rows + squares) + search;
}

/* The rows of KERNEL_PARAMS, but published with kernel=linear and so without a width to search. */
static const param_row orml_rows[] = {
    PARAM(orml_params, kernel.kind, .name = "kernel", .help = "kernel function", .type = RUNG_TYPE_CHOICE,
          .default_value = "rbf", .published = "linear", .choices = KERNEL_CHOICES),
    PARAM(orml_params, kernel.gamma, .name = "gamma",
          .help = "rbf: k = exp(-gamma |x-z|^2); c/d is c divided by the number of non-constant columns; auto is 1/d",
          .type = RUNG_TYPE_REAL, .default_value = "auto", .published = "auto", .low = 0, .high = HUGE_VAL,
          .flags =
              RUNG_PARAM_OPEN_LOW | RUNG_PARAM_LOG | RUNG_PARAM_AUTO | RUNG_PARAM_PER_COLUMN | RUNG_PARAM_SMOOTH_DOWN,
          .grid = "0.03/d,0.1/d,0.3/d,1/d,3/d,10/d,30/d,100/d"),
    PARAM(orml_params, kernel.width, .name = "width", .help = "alternative to gamma: gamma = 1 / (2 width^2)",
          .type = RUNG_TYPE_REAL, .low = 0, .high = HUGE_VAL,
          .flags = RUNG_PARAM_OPEN_LOW | RUNG_PARAM_LOG | RUNG_PARAM_OPTIONAL | RUNG_PARAM_SMOOTH_UP),
    PARAM(orml_params, kernel.degree, .name = "degree", .help = "poly: k = (gamma x'z + coef0)^degree",
          .type = RUNG_TYPE_INT, .default_value = "3", .published = "3", .low = 1, .high = 100),
    PARAM(orml_params, kernel.coef0, .name = "coef0", .help = "poly: the constant term", .type = RUNG_TYPE_REAL,
          .default_value = "1", .published = "1", .low = 0, .high = HUGE_VAL),
    PARAM(orml_params, kernel.precisions, .name = "precisions",
          .help = "ard: k = exp(-sum_d s_d (x_d-z_d)^2), with the s_d separated by commas, one per coded column",
          .type = RUNG_TYPE_TEXT, .flags = RUNG_PARAM_OPTIONAL),
    LANDMARKS_PARAM(orml_params),
    ORDINAL_GRAPH_PARAM(orml_params),
    ORML_PARAMS(orml_params),
    CALIBRATE_PARAM(orml_params, "5"),
    {0},
};

const method method_orml = {
    .info = {.name = "orml",
             .title = "Ordinal regression via manifold learning",
             .reference = "Liu, Liu, Chan. Ordinal regression via manifold learning. AAAI 2011",
             .cost = "time n^2 d for the graph and 2 n^3/3, m landmarks: 4 n m^2; kernel=linear: n d^2 + d^3 (n^3 for "
                     "d > n); memory 2 n^2, landmarks n d + 4 m^2, linear 5 n d",
             .flags = RUNG_METHOD_NEEDS_LABELS | RUNG_METHOD_NEEDS_TWO_CLASSES | RUNG_METHOD_USES_UNLABELLED},
    .params = orml_rows,
    .params_size = sizeof(orml_params),
    .bytes = orml_bytes,
    .prepare = orml_prepare,
    .fit = orml_fit,
    .verify = orml_verify,
};
