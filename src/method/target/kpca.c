// SPDX-License-Identifier: BSD-3-Clause
/* kpca.c - kernel principal components.
 *
 * K~ v = k v for the centred kernel matrix; component(x) = k~(x)'v / sqrt(k), so a training row has v_i sqrt(k).
 * Labels, if there are any, only determine the nearest class mean. lambda changes no component: the report has the
 * share of each component that kernel ridge regression with that lambda leaves, (lambda / (k + lambda))^2, by which ot
 * orders them. */
#include <string.h>

#include "fit/verify.h"
#include "method/target/kernel_ridge.h"

typedef struct {
    kernel_params kernel;
    double lambda;
    int lambda_kind, components, calibrate;
} kpca_params;

static rung_status kpca_prepare(rung_ctx *ctx, const fit_input *in)
{
    return centred_kernel_prepare(ctx, in->p, &((const kpca_params *)in->params)->kernel);
}

/* Means of the components over the labelled rows of each class: V holds the vectors (n x r). */
static rung_status nearest_mean(rung_ctx *ctx, pool *mem, const problem *p, int r, const double *v, const double *root,
                                fitted *out)
{
    double *mean = NULL, *count = NULL;
    if (p->K == 0) return RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, mean, (int64_t)p->K * r));
    TRY(NEW(ctx, &ctx->scratch, count, p->K));
    for (int64_t i = 0; i < p->n; i++)
        if (p->y[i]) count[p->y[i] - 1]++;
    for (int64_t i = 0; i < p->n; i++)
        for (int j = 0; j < r && p->y[i]; j++)
            mean[(p->y[i] - 1) * r + j] += v[i + j * p->n] * root[j] / count[p->y[i] - 1];
    return nearest_mean_decision(ctx, mem, p->K, r, mean, &out->own.decide);
}

static rung_status kpca_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    problem *p = in->p;
    const kpca_params *params = in->params;
    int r = params->components;
    centred_kernel c;
    double *value = NULL, *root = NULL, *left = NULL, *v = NULL, *a = NULL, *bias = NULL, lambda;
    if (r > p->n)
        return set_error(ctx, RUNG_EARG, "components=%d is more than the number of rows, %lld", r, (long long)p->n);
    TRY(kpca_prepare(ctx, in));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(centred_kernel_new(ctx, mem, p, &params->kernel, true, &c));
    TRY(centred_lambda(ctx, &c, isnan(params->lambda) ? 0.1 : params->lambda, params->lambda_kind, &lambda));
    int64_t basis = centred_basis(&c);
    TRY(NEW(ctx, &ctx->scratch, value, r));
    TRY(NEW(ctx, &ctx->scratch, root, r));
    TRY(NEW(ctx, &ctx->scratch, left, r));
    TRY(NEW(ctx, &ctx->scratch, bias, r));
    TRY(NEW(ctx, &ctx->scratch, v, p->n * r));
    TRY(NEW(ctx, &ctx->scratch, a, basis * r));
    TRY(centred_leading(ctx, &c, r, value, v, a));
    for (int j = 0; j < r; j++) {
        if (value[j] <= 1e-12 * value[0]) { /* beyond the rank: a column of zeros */
            log_at(ctx, RUNG_LOG_WARNING, "component %d is zero: the rows span only %d", j + 1, j);
            memset(a + j * basis, 0, sizeof *a * (size_t)(basis * (r - j)));
            r = j;
            break;
        }
        root[j] = sqrt(value[j]);
        left[j] = lambda / (value[j] + lambda) * (lambda / (value[j] + lambda));
        for (int64_t i = 0; i < basis; i++) a[i + j * basis] /= root[j];
    }
    TRY(centred_results(ctx, mem, &c, params->components, a, bias, out));
    TRY(nearest_mean(ctx, mem, p, params->components, v, root, out));
    TRY(report_list(ctx, mem, out, "eigenvalues", r, value));
    TRY(report_list(ctx, mem, out, "left_by_ridge", r, left));
    if (mem != &ctx->scratch) pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* Every other eigenvalue is below those reported: s I - K~ + sum_j f_j f_j' is positive definite, f_j f_j' = k_j v_j
 * v_j'. Thin: from all eigenvalues, recomputed. */
static rung_status none_is_larger(rung_ctx *ctx, const struct verification *v, const centred_kernel *c, int r,
                                  const double *value, const double *f, double *out)
{
    double s = value[r - 1] * (1 + 1e-6) + 1e-12 * value[0];
    la_mat *F = NULL;
    *out = 0;
    if (!c->K) {
        for (int64_t j = 0; j < c->r; j++) *out += c->value[j] > s;
        *out = fmax(*out - (r - 1), 0); /* all but the last of those reported may be */
        return RUNG_OK;
    }
    TRY(la_new(ctx, &ctx->scratch, v->p->n, r, &F));
    la_put(f, F);
    TRY(la_syrk(ctx, false, 1, F, -1, c->K));
    la_add_diagonal(c->K, s, NULL);
    rung_status status = la_potrf(ctx, c->K);
    if (status != RUNG_OK && status != RUNG_ESINGULAR) return status;
    *out = status != RUNG_OK;
    return RUNG_OK;
}

/* verify_score_size of one component: those of a small eigenvalue have large coefficients that add up to little. */
static double component_size(const struct verification *v, int j)
{
    scorer one = v->model->members->score;
    one.coef += j * one.m;
    one.outputs = 1;
    return score_size(v->p, &one);
}

/* K~ f_j = k_j f_j and |f_j|^2 = k_j for the components f_j of the rows; beyond the rank they are 0. Residuals are
 * relative to the largest eigenvalue: the backward error of the eigenproblem. */
static rung_status kpca_verify(rung_ctx *ctx, const struct verification *v)
{
    const kpca_params *params = v->params;
    int64_t n = v->p->n;
    int outputs = v->model->members->score.outputs, r = outputs;
    const double *value = NULL;
    double *f = NULL, *centred = NULL, *Kf = NULL, off = 0, norm_off = 0, beyond = 0, larger;
    centred_kernel c;
    while (r > 0 && !(value = told_list(v->model, "eigenvalues", r))) r--;
    if (!value) return set_error(ctx, RUNG_EARG, "verify: the model does not report its eigenvalues");
    TRY(NEW(ctx, &ctx->scratch, f, n * outputs));
    TRY(NEW(ctx, &ctx->scratch, centred, n * outputs));
    TRY(NEW(ctx, &ctx->scratch, Kf, n * outputs));
    for (int j = 0; j < outputs; j++) {
        double mean = 0;
        for (int64_t i = 0; i < n; i++) mean += (f[i + j * n] = v->f[i * outputs + j]) / (double)n;
        for (int64_t i = 0; i < n; i++) centred[i + j * n] = f[i + j * n] - mean;
    }
    TRY(verify_kernel_times(ctx, v, outputs, centred, Kf));
    for (int j = 0; j < outputs; j++) {
        double mean = 0, size = 0, norm = 0, left = 0;
        for (int64_t i = 0; i < n; i++) mean += Kf[i + j * n] / (double)n;
        for (int64_t i = 0; i < n; i++) {
            double one = fabs(Kf[i + j * n] - mean - (j < r ? value[j] : 0) * f[i + j * n]);
            size = fmax(size, fabs(f[i + j * n]));
            norm += f[i + j * n] * f[i + j * n];
            if (!(one <= left)) left = one;
        }
        if (j >= r) beyond += size > 0;
        if (j >= r) continue;
        off = fmax(off, size > 0 ? left / fmax(size, ROUNDED * component_size(v, j)) / value[0] : INFINITY);
        norm_off = fmax(norm_off, fabs(norm - value[j]) / value[0]);
    }
    condition_add(v->found, "eigenpairs", "residual of K f = lambda f, in the largest lambda, worst component", off,
                  1e-9);
    condition_add(v->found, "length", "|f|^2 against lambda, in the largest lambda", norm_off, 1e-9);
    condition_add(v->found, "rank", "components beyond the rank that are not 0", beyond, 0);
    TRY(centred_kernel_new(ctx, &ctx->scratch, v->p, &params->kernel, true, &c));
    TRY(none_is_larger(ctx, v, &c, r, value, f, &larger));
    condition_add(v->found, "leading", "directions with a larger eigenvalue than those reported", larger, 0);
    return RUNG_OK;
}

static double kpca_bytes(const problem_shape *shape, const void *params_)
{
    const kpca_params *params = params_;
    double n = (double)shape->n, d = (double)shape->d, r = params->components;
    double thin = centred_thin_bytes(shape, shape->n, &params->kernel);
    if (thin > 0) return thin + 8 * n * (3 * r + (params->calibrate > 0 ? d + 30 : 0));
    return 8 * (2 * n * n + 2 * n * d + n * (8 * r + 40));
}

static const param_row kpca_rows[] = {
    KERNEL_PARAMS(kpca_params),
    LANDMARKS_PARAM(kpca_params),
    PARAM(kpca_params, lambda, .name = "lambda",
          .help =
              "only for the report: the share of each component that a ridge regression with this lambda leaves; auto "
              "is 0.1",
          .type = RUNG_TYPE_REAL, .default_value = "0.1", .published = "0.1", .low = 0, .high = HUGE_VAL,
          .flags = RUNG_PARAM_OPEN_LOW | RUNG_PARAM_LOG | RUNG_PARAM_AUTO | RUNG_PARAM_NO_EFFECT),
    PARAM(kpca_params, lambda_kind, .name = "lambda-kind",
          .help = "unit of lambda: the mean eigenvalue of the centred kernel matrix, or 1", .type = RUNG_TYPE_CHOICE,
          .default_value = "relative", .published = "absolute", .choices = "relative|absolute"),
    PARAM(kpca_params, components, .name = "components", .help = "number of components, largest first",
          .type = RUNG_TYPE_INT, .default_value = "2", .published = "2", .low = 1, .high = 100000, .grid = "1,2,4,8"),
    CALIBRATE_PARAM(kpca_params, "auto"),
    {0},
};

const method method_kpca = {
    .info = {.name = "kpca",
             .title = "Kernel principal components; nearest class mean",
             .reference = "Schoelkopf, Smola, Mueller. Nonlinear component analysis as a kernel eigenvalue problem. "
                          "Neural Computation 10(5):1299-1319, 1998. doi:10.1162/089976698300017467",
             .cost = "time about n^2 per component, memory 2 n^2; n m^2, m^2 with m landmarks (linear kernel: m = d)",
             .flags = RUNG_METHOD_USES_UNLABELLED},
    .params = kpca_rows,
    .params_size = sizeof(kpca_params),
    .bytes = kpca_bytes,
    .prepare = kpca_prepare,
    .fit = kpca_fit,
    .verify = kpca_verify,
};
