// SPDX-License-Identifier: BSD-3-Clause
/* ot.c - the optimal target vector (Angelini, Marinazzo, Pellicoro, Stramaglia).
 *
 * The unlabelled rows get the values for which kernel ridge regression on labelled and unlabelled rows together leaves
 * the smallest training error; optimal.c solves that. Their length is that of the labelled values (norm=labelled: |t|^2
 * = 1 - |u|^2) or free. Without labels the result is the first kernel principal component. What is learned is u = (v -
 * shift) / (scale sqrt(n)), v the value of a labelled row. New rows get the ridge regression on the whole target. */
#include <string.h>

#include "fit/verify.h"
#include "method/target/ot_solve.h"

typedef enum { NORM_AUTO, NORM_LABELLED, NORM_FREE } norm_rule;

typedef struct {
    kernel_params kernel;
    double lambda;
    int lambda_kind, norm, balance, components, thresholds, calibrate;
} ot_params;

static rung_status ot_prepare(rung_ctx *ctx, const fit_input *in)
{
    return centred_kernel_prepare(ctx, in->p, &((const ot_params *)in->params)->kernel);
}

typedef struct {
    const problem *p;
    const ot_params *params;
    centred_kernel kernel;
    ridge_target values;
    ot_space space;
    bool balanced; /* labels are centred and the constant is unpenalised */
    double unit;   /* score = unit (shift + scale sqrt(n) y) */
    double shift, scale;
    double *u;
    labelled_rows rows;
    ot_target best;
    double *v, *a, *bias, *left; /* components: n x r, basis x r, r, r; the first is the target */
} ot;

/* ---- targets ---- */

/* From values to u. As published, two classes (or the only one) are -1 and 1 unchanged; otherwise the labelled values
 * are standardised, so that |u|^2 = m / n either way. */
static void code_target(ot *o, int64_t m, const double *v, double *rho2)
{
    double root = sqrt((double)o->p->n);
    ridge_target_moments(m, v, &o->shift, &o->scale);
    if (!o->p->t && o->p->K <= 2 && !o->balanced) {
        o->shift = 0;
        o->scale = 1;
    }
    *rho2 = 1;
    for (int64_t i = 0; i < m && o->scale > 0; i++) {
        o->u[i] = (v[i] - o->shift) / (o->scale * root);
        *rho2 -= o->u[i] * o->u[i];
    }
    *rho2 = fmax(*rho2, 0);
}

static double score_of(const ot *o, double y) { return o->unit * (o->shift + o->scale * sqrt((double)o->p->n) * y); }

/* ---- lambda ---- */

static rung_status choose_lambda(rung_ctx *ctx, pool *mem, ot *o, fitted *out)
{
    double loo[LAMBDA_CANDIDATES];
    if (!isnan(o->params->lambda))
        return centred_lambda(ctx, &o->kernel, o->params->lambda, o->params->lambda_kind, &o->space.lambda);
    if (o->rows.m < 3) {
        log_at(ctx, RUNG_LOG_WARNING,
               "lambda=auto: with fewer than three labels lambda cannot be estimated; using 0.1");
        return centred_lambda(ctx, &o->kernel, 0.1, LAMBDA_RELATIVE, &o->space.lambda);
    }
    labelled_rows rows = o->rows;
    row_groups equal;
    if (o->p->equal) {
        int *group = NULL;
        TRY(NEW_RAW(ctx, &ctx->scratch, group, rows.m));
        for (int64_t i = 0; i < rows.m; i++) group[i] = o->p->equal[rows.lab[i]];
        TRY(row_groups_new(ctx, &ctx->scratch, rows.m, group, &equal));
        rows.together = &equal;
    }
    TRY(ot_loo(ctx, &o->kernel, o->space.intercept, &rows, loo));
    return lambda_choose(ctx, mem, &o->kernel, loo, out, &o->space.lambda);
}

/* ---- solving ---- */

/* No label, or labels that are all the same: the first principal components. */
static rung_status solve_without_labels(rung_ctx *ctx, ot *o, int64_t r)
{
    int64_t basis = centred_basis(&o->kernel);
    double *value = NULL, lambda = o->space.lambda;
    TRY(NEW(ctx, &ctx->scratch, value, r));
    TRY(centred_leading(ctx, &o->kernel, r, value, o->v, o->a));
    for (int64_t j = 0; j < r; j++) {
        o->left[j] = lambda / (value[j] + lambda) * (lambda / (value[j] + lambda));
        for (int64_t i = 0; i < basis; i++) o->a[i + j * basis] /= value[j] + lambda;
    }
    o->best = (ot_target){.multiplier = o->left[0], .energy = o->left[0], .hard = true};
    return RUNG_OK;
}

static rung_status solve_with_labels(rung_ctx *ctx, ot *o, int64_t r, bool shared)
{
    int64_t n = o->p->n, basis = centred_basis(&o->kernel);
    TRY(ot_space_new(ctx, &o->kernel, &o->space));
    TRY(ot_target_new(ctx, &o->space, &o->best));
    if (shared) TRY(ot_space_share(ctx, &o->space, &o->rows));
    TRY(ot_solve(ctx, &o->space, &o->rows, &o->best));
    memcpy(o->v, o->best.y, (size_t)n * sizeof *o->v);
    o->bias[0] = o->best.bias;
    return r > 1 ? ot_components(ctx, &o->space, o->v, r - 1, o->v + n, o->a + basis, o->left + 1) : RUNG_OK;
}

/* ---- labels held out ---- */

/* The rows stay, their labels are hidden: the score is the ridge regression's, as for new rows. */
static rung_status hold_out_fold(rung_ctx *ctx, ot *o, const folds *f, int repeat, int fold, const fitted *fit,
                                 held_out *held)
{
    pool_mark mark = pool_here(&ctx->scratch);
    const ridge_target *t = &o->values;
    int64_t *lab = NULL, *hidden = NULL, m = 0, h = 0;
    double *v = NULL, *predicted = NULL;
    TRY(NEW(ctx, &ctx->scratch, lab, t->m));
    TRY(NEW(ctx, &ctx->scratch, hidden, t->m));
    TRY(NEW(ctx, &ctx->scratch, v, t->m));
    TRY(NEW(ctx, &ctx->scratch, predicted, t->m));
    for (int64_t i = 0; i < t->m; i++)
        if (f->fold[repeat * f->n + t->lab[i]] == fold) {
            hidden[h++] = t->lab[i];
        } else {
            lab[m] = t->lab[i];
            v[m++] = t->v[i];
        }
    labelled_rows rows = {.m = m, .n_hidden = h, .lab = lab, .hidden = hidden, .u = o->u};
    ot_target best;
    code_target(o, m, v, &rows.rho2);
    TRY(ot_target_new(ctx, &o->space, &best));
    if (o->scale > 0) {
        TRY(ot_solve(ctx, &o->space, &rows, &best));
        for (int64_t j = 0; j < o->kernel.r; j++) best.a[j] *= o->kernel.value[j];
        if (!o->space.M) TRY(basis_times(ctx, &o->kernel, h, hidden, 1, best.a, predicted));
        for (int64_t i = 0; i < h; i++)
            predicted[i] =
                o->space.M ? best.y[hidden[i]] - o->space.lambda * best.a[hidden[i]] : predicted[i] + best.bias;
    }
    for (int64_t i = 0; i < h; i++)
        ridge_target_hold_out(fit, hidden[i], repeat, fold, score_of(o, predicted[i]), held);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status hold_out(rung_ctx *ctx, pool *mem, ot *o, const folds *f, const fitted *fit, held_out *held)
{
    TRY(held_out_new(ctx, mem, o->p->n * f->repeats, held));
    for (int r = 0; r < f->repeats; r++)
        for (int fold = 0; fold < f->count; fold++) {
            TRY(interrupted(ctx));
            TRY(hold_out_fold(ctx, o, f, r, fold, fit, held));
        }
    return RUNG_OK;
}

/* ---- the fit ---- */

static rung_status start(rung_ctx *ctx, pool *mem, problem *p, const ot_params *params, fitted *out, ot *o)
{
    *o = (ot){.p = p, .params = params};
    TRY(ridge_target_new(ctx, p, &o->values));
    TRY(NEW(ctx, &ctx->scratch, o->u, o->values.m));
    o->balanced = !p->t && params->balance == 0;
    o->unit = !p->t && p->K <= 2 ? 1 / sqrt((double)p->n) : 1;
    o->rows = (labelled_rows){.m = o->values.m, .lab = o->values.lab, .u = o->u};
    code_target(o, o->values.m, o->values.v, &o->rows.rho2);
    if (o->scale == 0) o->rows.m = 0;
    if (o->values.m == 0 || (o->rows.m == 0 && !p->t)) { /* the principal component as it is */
        o->shift = 0;
        o->scale = 1;
        o->unit = 1 / sqrt((double)p->n);
    }
    norm_rule norm = (norm_rule)params->norm;
    o->space.intercept = o->balanced;
    o->space.sphere = norm == NORM_LABELLED || (norm == NORM_AUTO && !p->t);
    TRY(centred_kernel_new(ctx, mem, p, &params->kernel, true, &o->kernel));
    TRY(choose_lambda(ctx, mem, o, out));
    return report_number(ctx, mem, out, "lambda", o->space.lambda);
}

/* Scorer and training predictions: the first output on the scale of the values, the others of unit length. */
static rung_status finish(rung_ctx *ctx, pool *mem, ot *o, int r, fitted *out)
{
    int64_t n = o->p->n, basis = centred_basis(&o->kernel);
    double factor = o->unit * o->scale * sqrt((double)n), *output = NULL;
    TRY(NEW(ctx, &ctx->scratch, output, n * r));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < r; j++) output[i * r + j] = j ? o->v[i + j * n] : score_of(o, o->v[i]);
    for (int64_t i = 0; i < basis; i++) o->a[i] *= factor;
    o->bias[0] = score_of(o, o->bias[0]);
    TRY(centred_results(ctx, mem, &o->kernel, r, o->a, o->bias, out));
    return training_answers(ctx, mem, n, r, output, o->p->K > 0 ? o->p->y : NULL, &out->training);
}

/* f, held: NULL for a fit without held-out rows. */
static rung_status ot_hold_out(rung_ctx *ctx, pool *mem, const fit_input *in, const folds *f, fitted *out,
                               held_out *held)
{
    problem *p = in->p;
    const ot_params *params = in->params;
    int r = params->components;
    ot o;
    if (r >= p->n)
        return set_error(ctx, RUNG_EARG, "components=%d: %lld rows have at most %lld components", r, (long long)p->n,
                         (long long)p->n - 1);
    TRY(ot_prepare(ctx, in));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(start(ctx, mem, p, params, out, &o));
    TRY(NEW(ctx, &ctx->scratch, o.v, p->n * r));
    TRY(NEW(ctx, &ctx->scratch, o.a, centred_basis(&o.kernel) * r));
    TRY(NEW(ctx, &ctx->scratch, o.bias, r));
    TRY(NEW(ctx, &ctx->scratch, o.left, r));
    TRY(o.rows.m > 0 ? solve_with_labels(ctx, &o, r, f != NULL) : solve_without_labels(ctx, &o, r));
    TRY(ridge_target_decision(ctx, mem, p, o.unit, out));
    if (f && o.rows.m > 0) TRY(hold_out(ctx, mem, &o, f, out, held));
    if (o.rows.m > 0) {
        code_target(&o, o.values.m, o.values.v, &o.rows.rho2); /* hold_out coded fewer labels */
        TRY(ot_solve_finish(ctx, &o.space, &o.rows, &o.best));
        memcpy(o.a, o.best.a, (size_t)centred_basis(&o.kernel) * sizeof *o.a);
    }
    TRY(finish(ctx, mem, &o, r, out));
    TRY(report_number(ctx, mem, out, "multiplier", o.best.multiplier));
    TRY(report_number(ctx, mem, out, "energy", o.best.energy));
    TRY(report_number(ctx, mem, out, "hard", o.best.hard));
    if (r > 1) TRY(report_list(ctx, mem, out, "left_by_ridge", r - 1, o.left + 1));
    if (mem != &ctx->scratch) pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status ot_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    return ot_hold_out(ctx, mem, in, NULL, out, NULL);
}

/* The values of the rows and their regression, converted to the units of y = (u, t). */
static rung_status ot_verify(rung_ctx *ctx, const struct verification *v)
{
    fitted unused = {0};
    ot o;
    int64_t n = v->p->n;
    int r = v->model->members->score.outputs;
    const double *given = v->model->training.output;
    double *y = NULL, *f = NULL, lambda = told_number(v->model, "lambda");
    TRY(start(ctx, &ctx->scratch, v->p, v->params, &unused, &o));
    condition_add(v->found, "lambda", "reported value against that of the parameters, relative",
                  fabs(lambda / o.space.lambda - 1), 1e-10);
    TRY(NEW(ctx, &ctx->scratch, y, n * r));
    TRY(NEW(ctx, &ctx->scratch, f, n * r));
    for (int j = 0; j < r; j++) {
        double unit = j ? 1 : o.unit * o.scale * sqrt((double)n), zero = j ? 0 : o.unit * o.shift;
        for (int64_t i = 0; i < n; i++) {
            y[i + j * n] = unit > 0 ? (given[i * r + j] - zero) / unit : 0; /* labels that are all the same */
            f[i + j * n] = unit > 0 ? (v->f[i * r + j] - zero) / unit : 0;
        }
    }
    o.space.c = &o.kernel;
    return ot_solve_verify(ctx, v, &o.space, &o.rows, r, y, f);
}

/* Gram matrix and M, the basis of the labelled columns, and the largest of: lambda by leave-one-out; forming S; S and
 * its Cholesky factor; components; with folds beside S over all rows. */
static double ot_bytes(const problem_shape *shape, const void *params_)
{
    const ot_params *params = params_;
    double n = (double)shape->n, m = (double)shape->labelled, l = n - m, d = (double)shape->d, r = params->components;
    double thin = centred_thin_bytes(shape, shape->n, &params->kernel);
    double blocks = isnan(params->lambda) ? basis_bytes(shape, shape->n, &params->kernel) : 0;
    if (thin > 0) return thin + blocks + 8 * n * (4 * r + 5);
    bool real = shape->K == 0, sphere = params->norm == NORM_LABELLED || (params->norm == NORM_AUTO && !real);
    bool shared = sphere && !real && params->calibrate > 0;
    double most = isnan(params->lambda) ? 4 * m * m : 0, beside = shared ? n * n : 0;
    if (shared) {
        most = fmax(most, beside + n * n + m * n);
        l += m / params->calibrate;
    }
    if (sphere) most = fmax(most, shared ? beside + 2 * l * l : fmax(n * l + m * l + l * l, 2 * l * l));
    if (r > 1) most = fmax(most, beside + 2 * n * n - n * m);
    return 8 * (2 * n * n + n * m + most + 2 * n * d + n * (4 * r + 40));
}

static const param_row ot_rows[] = {
    KERNEL_PARAMS(ot_params),
    LANDMARKS_PARAM(ot_params),
    LAMBDA_PARAMS(ot_params, "0.1", "1"),
    PARAM(ot_params, norm, .name = "norm",
          .help = "length of the unlabelled part: that of the labelled values, or free; auto: free for real targets, "
                  "labelled for classes",
          .type = RUNG_TYPE_CHOICE, .default_value = "auto", .published = "labelled", .choices = "auto|labelled|free"),
    PARAM(ot_params, balance, .name = "balance",
          .help = "centre the labels and leave a constant unpenalised; not for real targets", .type = RUNG_TYPE_CHOICE,
          .default_value = "yes", .published = "no", .choices = "yes|no"),
    PARAM(ot_params, components, .name = "components",
          .help = "number of generalised components; the first is the target vector", .type = RUNG_TYPE_INT,
          .default_value = "1", .published = "1", .low = 1, .high = 100000),
    TARGET_THRESHOLDS_PARAM(ot_params),
    CALIBRATE_PARAM(ot_params, "5"),
    {0},
};

const method method_ot = {
    .info = {.name = "ot",
             .title = "Optimal target vector: semi-supervised kernel principal components",
             .reference = "Angelini, Marinazzo, Pellicoro, Stramaglia. Semi-supervised learning by search of optimal "
                          "target vector. arXiv:cond-mat/0610342, 2006",
             .cost = "time about 4 n^3, memory 5 n^2 (norm=free: n^2 l, 2 n^2); n m^2, m^2 with m landmarks (linear "
                     "kernel: m = "
                     "d)",
             .flags = RUNG_METHOD_REAL_TARGETS | RUNG_METHOD_TRANSDUCTIVE | RUNG_METHOD_USES_UNLABELLED},
    .params = ot_rows,
    .params_size = sizeof(ot_params),
    .bytes = ot_bytes,
    .prepare = ot_prepare,
    .fit = ot_fit,
    .hold_out = ot_hold_out,
    .verify = ot_verify,
};
