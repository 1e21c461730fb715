// SPDX-License-Identifier: BSD-3-Clause
/* isbor.c - incremental sparse Bayesian ordinal regression.
 *
 *     maximise over alpha   L(alpha) = log of  int prod_i p(y_i | f_i, b) N(w; 0, diag(alpha)^-1) dw,   f = Phi w,
 *
 * by Laplace's approximation, from the empty model, by adding, re-estimating and deleting basis functions
 * (method/bayes/sparse_bayes.h has the formulas). b is found together with w. sigma is 1: scaling it with w and b
 * changes nothing, and the paper's update of it only drifts.
 *
 * candidates = 0: each step fits (w, b) again and takes the one action of largest gain, over all functions. candidates
 * > 0: each step examines that many random functions, adds the best and re-estimates all precisions; a step that lowers
 * the evidence is undone; when samples bring no more gain, all functions are examined once. Columns are computed when
 * needed: memory is n times the active functions, and no n x n matrix is ever formed. */
#include <string.h>

#include "fit/verify.h"
#include "method/bayes/isbor_search.h"

typedef struct {
    kernel_params kernel;
    isbor_options search;
    int decision, calibrate;
} isbor_params;

enum { INTERVAL, ARGMAX };
enum { WIDTH_ROWS = 3000, WIDTHS_FIRST = 2, WIDTHS_MOST = 6 }; /* widths to either side of 1/d */

/* gamma has a default (1/d); width replaces it if given. */
static rung_status isbor_kernel(rung_ctx *ctx, pool *mem, const problem *p, const isbor_params *params, kernel *out)
{
    kernel_params given = params->kernel;
    if (!isnan(given.width) && given.gamma == -1) given.gamma = NAN;
    TRY(kernel_from_params(ctx, mem, &given, out));
    *out = problem_kernel(p, out);
    return RUNG_OK;
}

/* ---- the width by evidence ---- */

/* log of the number of ways to choose some of all functions. A search reports the evidence of the functions it chose;
 * that of the width is the sum over all choices, with equal prior probability for all choices of a size. Without this
 * term a narrow kernel is preferred for its many choices: every row can have its own function. */
static double choices(int64_t all, int64_t some)
{
    double sum = 0;
    for (int64_t i = 0; i < some; i++) sum += log((double)(all - i) / (double)(i + 1));
    return sum;
}

static rung_status evidence_at(rung_ctx *ctx, const problem *p, const isbor_params *params, double log_gamma,
                               double *evidence)
{
    pool_mark mark = pool_here(&ctx->scratch);
    isbor_search s;
    kernel k = {.kind = (kernel_kind)params->kernel.kind, .gamma = exp(log_gamma)};
    TRY(isbor_search_run(ctx, p, &k, &params->search, 0, NULL, &s));
    *evidence = s.m.log_evidence - isbor_paid(&s) - choices(s.basis.count, s.m.M);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* At most WIDTH_ROWS of the rows, drawn at random, every class among them. */
static rung_status some_rows(rung_ctx *ctx, const problem *p, problem *out)
{
    int64_t *row = NULL, count = 0;
    int *classes = NULL;
    bool *seen = NULL;
    rng random;
    TRY(NEW(ctx, &ctx->scratch, row, p->n));
    TRY(NEW(ctx, &ctx->scratch, classes, p->K));
    TRY(NEW(ctx, &ctx->scratch, seen, p->K + 1));
    for (int64_t i = 0; i < p->n; i++) row[i] = i;
    rng_open(&random, ctx->seed, 0x31d7);
    rng_shuffle(&random, row, p->n);
    for (int64_t i = 0; i < p->n; i++) {
        int y = p->y[row[i]];
        if (count >= WIDTH_ROWS && seen[y]) continue;
        seen[y] = true;
        row[count++] = row[i];
    }
    return problem_subset(ctx, &ctx->scratch, p, count, row, out, classes);
}

/* The width of largest evidence: five around 1/d in factors of 3, continued while the best is the last; then the
 * maximum of the parabola through the best three. Stopping at the first maximum would depend on the luck of one
 * search. */
static rung_status best_width(rung_ctx *ctx, const problem *p, const isbor_params *params, double middle,
                              double *log_gamma)
{
    const double h = log(3);
    double room[2 * WIDTHS_MOST + 1], *at = room + WIDTHS_MOST, shift = 0, top;
    int low = -WIDTHS_FIRST, high = WIDTHS_FIRST, best = low;
    for (int j = low; j <= high; j++) {
        TRY(evidence_at(ctx, p, params, middle + j * h, &at[j]));
        if (at[j] > at[best]) best = j;
    }
    while ((best == low && low > -WIDTHS_MOST) || (best == high && high < WIDTHS_MOST)) {
        int next = best == low ? --low : ++high;
        TRY(evidence_at(ctx, p, params, middle + next * h, &at[next]));
        if (at[next] > at[best]) best = next;
    }
    double x = middle + best * h;
    if (best > low && best < high) {
        double bend = at[best - 1] - 2 * at[best] + at[best + 1];
        shift = bend < 0 ? 0.5 * h * (at[best - 1] - at[best + 1]) / bend : 0;
    }
    TRY(evidence_at(ctx, p, params, x + shift, &top));
    *log_gamma = top > at[best] ? x + shift : x;
    return RUNG_OK;
}

static rung_status isbor_settle(rung_ctx *ctx, const method *m, problem *whole, void *params_)
{
    (void)m;
    isbor_params *params = params_;
    bool has_width = params->kernel.kind == KERNEL_RBF || params->kernel.kind == KERNEL_LAPLACIAN;
    if (!isnan(params->kernel.gamma) || !isnan(params->kernel.width) || !has_width) return RUNG_OK;
    pool_mark mark = pool_here(&ctx->scratch);
    problem sample, *p = whole;
    double log_gamma;
    if (whole->n > WIDTH_ROWS) {
        TRY(some_rows(ctx, whole, &sample));
        p = &sample;
    }
    TRY(best_width(ctx, p, params, -log((double)(whole->varying > 0 ? whole->varying : 1)), &log_gamma));
    params->kernel.gamma = exp(log_gamma);
    log_at(ctx, RUNG_LOG_INFO, "gamma=auto: the evidence is largest at %.3g", params->kernel.gamma);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* ---- fit ---- */

/* From the precisions of an earlier fit, if there are any: a number per row, 0 where its function is not active. With
 * kernel=linear the functions are columns, and few: every fit starts from the empty model. */
static rung_status fit_from(rung_ctx *ctx, pool *mem, problem *p, const isbor_params *params, int64_t known,
                            const double *alpha, fitted *out)
{
    isbor_search s;
    kernel k;
    TRY(isbor_kernel(ctx, mem, p, params, &k));
    bool by_row = k.kind != KERNEL_LINEAR;
    TRY(isbor_search_run(ctx, p, &k, &params->search, by_row ? known : 0, alpha, &s));
    if (!s.settled)
        log_at(ctx, RUNG_LOG_WARNING,
               "isbor: the search stopped at max-iterations=%d while the evidence was still increasing",
               params->search.max_iterations);
    out->state_width = 1;
    TRY(NEW(ctx, mem, out->state, p->n));
    for (int64_t i = 0; i < p->n && by_row; i++)
        for (int64_t j = 0; j < s.m.M; j++)
            if (s.m.used[j] == s.basis.id[i]) out->state[i] = s.m.alpha[j];
    TRY(sparse_finish(ctx, mem, p, &s.basis, &s.m, params->decision == ARGMAX, out));
    TRY(report_number(ctx, mem, out, "steps", s.steps));
    TRY(report_number(ctx, mem, out, "undone_steps", s.undone));
    TRY(report_number(ctx, mem, out, "settled", s.settled));
    TRY(report_number(ctx, mem, out, "polished", s.polished));
    return report_number(ctx, mem, out, "full_sweeps", s.full_sweeps);
}

static rung_status isbor_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    return fit_from(ctx, mem, in->p, in->params, 0, NULL, out);
}

static rung_status isbor_update(rung_ctx *ctx, pool *mem, const fit_input *in, int64_t known, const double *state,
                                fitted *out)
{
    return fit_from(ctx, mem, in->p, in->params, known, state, out);
}

static rung_status isbor_verify(rung_ctx *ctx, const struct verification *v)
{
    return sparse_verify(ctx, v, told_number(v->model, "settled") == 1 && told_number(v->model, "polished") == 1);
}

/* The number of functions is not known in advance: the estimate assumes 60. The data are stored three times; a block of
 * 128 candidates takes two chunks of 256 rows for each of at most 16 slices; sums by threshold are there four times. */
static double isbor_bytes(const problem_shape *shape, const void *params_)
{
    const isbor_params *params = params_;
    double n = (double)shape->labelled, d = (double)shape->d, K = shape->K;
    double most = params->kernel.kind == KERNEL_LINEAR ? d : fmin(n, 60), slices = fmin(ceil(n / 256), 16);
    return 8 * (n * (3 * d + most + 19) + 4 * most * K + slices * 2 * 256 * 128);
}

static const param_row isbor_rows[] = {
    KERNEL_PARAMS_AS(isbor_params, "1/d", "1/d", GAMMA_GRID,
                     "rbf: k = exp(-gamma |x-z|^2); c/d is c divided by the number of non-constant columns; auto: "
                     "largest evidence, corrected for the choice of functions"),
    PARAM(isbor_params, search.tolerance, .name = "tolerance",
          .help = "stop when no action raises the log evidence by more; auto: 5e-6 per row and basis function",
          .type = RUNG_TYPE_REAL, .default_value = "auto", .published = "1e-6", .low = 0, .high = HUGE_VAL,
          .flags = RUNG_PARAM_AUTO | RUNG_PARAM_LOG),
    PARAM(isbor_params, search.max_iterations, .name = "max-iterations", .help = "maximum number of actions",
          .type = RUNG_TYPE_INT, .default_value = "1000", .published = "1000", .low = 1, .high = 1e9),
    PARAM(isbor_params, search.candidates, .name = "candidates",
          .help = "number of random basis functions examined for each action; 0: all of them, one action at a time",
          .type = RUNG_TYPE_INT, .default_value = "100", .published = "0", .low = 0, .high = 1e9),
    PARAM(isbor_params, decision, .name = "decision",
          .help = "the class in whose interval the mean lies, or the most probable one", .type = RUNG_TYPE_CHOICE,
          .default_value = "interval", .published = "interval", .choices = "interval|argmax"),
    CALIBRATE_PARAM(isbor_params, "auto"),
    {0},
};

const method method_isbor = {
    .info = {.name = "isbor",
             .title = "Incremental sparse Bayesian ordinal regression",
             .reference = "Li, de Rijke. Incremental sparse Bayesian ordinal regression. Neural Networks 106:294-302, "
                          "2018. doi:10.1016/j.neunet.2018.07.015",
             .cost =
                 "time 200 l m for each of about 2 m actions, memory l m, for m basis functions and l labelled rows",
             .flags = RUNG_METHOD_NEEDS_LABELS | RUNG_METHOD_NEEDS_TWO_CLASSES | RUNG_METHOD_PROBABILITIES |
                      RUNG_METHOD_EVIDENCE | RUNG_METHOD_UPDATABLE | RUNG_METHOD_PASSES},
    .takes_sample = true,
    .params = isbor_rows,
    .params_size = sizeof(isbor_params),
    .bytes = isbor_bytes,
    .settle = isbor_settle,
    .fit = isbor_fit,
    .verify = isbor_verify,
    .update = isbor_update,
};
