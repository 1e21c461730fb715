// SPDX-License-Identifier: BSD-3-Clause
/* isbor: what an action costs as the rows grow tenfold; gpor: the evidence and its gradient against one Cholesky.
 *
 *     bench_bayes [MOST] [N]        default up to 1000000 rows for isbor; 1000 rows for gpor
 *
 * Cost per action: the seconds of a fit over its steps, for the isbor set with gamma = 0.3 and one thread; linear in
 * the rows is a constant number of nanoseconds per row, function and step. The Gaussian process starts from the mode of
 * a nearby point, as every step of its search but the first does; best of several runs, taken in turns with the factor.
 */
#include <string.h>

#include "bench.h"
#include "linalg/la.h"
#include "method/bayes/gpor_gp.h"
#include "model/model.h"

/* One thread, so the time of the processor is that of the work, whatever else the machine does. */
static double processor_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static double reported(const rung_model *m, const char *name)
{
    for (int i = 0; i < m->n_report; i++)
        if (strcmp(m->report[i].name, name) == 0) return *m->report[i].value;
    return 0;
}

static void time_actions(rung_ctx *ctx, int64_t n)
{
    rung_spec *spec;
    rung_data *data;
    rung_model *model;
    need(ctx, rung_data_generate(ctx, "isbor", n, -1, 0, &data));
    need(ctx, rung_spec_new(ctx, "isbor", 0, &spec));
    need(ctx, rung_spec_set(ctx, spec, "gamma", "0.3"));
    need(ctx, rung_spec_set(ctx, spec, "max-iterations", "10"));
    ctx->scratch.peak = 0;
    double t = processor_seconds();
    need(ctx, rung_model_fit(ctx, spec, data, &model));
    t = processor_seconds() - t;
    double steps = reported(model, "steps"), M = (double)model->n_expansion;
    printf(
        "  isbor %8lld rows  %8.3f s  %3.0f actions  %3.0f functions  %9.4f s an action  %6.1f ns per row and action  "
        "peak %.0f bytes a row\n",
        (long long)n, t, steps, M, t / steps, 1e9 * t / steps / (double)n, (double)ctx->scratch.peak / (double)n);
    rung_model_free(model);
    rung_spec_free(spec);
    rung_data_free(data);
}

static void time_evidence(rung_ctx *ctx, int64_t n)
{
    enum { D = 5, K = 5 };
    const double thresholds[] = {-1, -0.3, 0.3, 1};
    double *x = malloc(sizeof *x * (size_t)(n * D)), factor = 1e9, evidence = 1e9;
    int *y = malloc(sizeof *y * (size_t)n), iterations = 0;
    la_map map = {.kind = LA_EXP_SQ, .gamma = 0.1};
    la_mat *X, *gram, *A;
    gpor_gp_posterior post;
    draw(n, D, K, x, y);
    la_enter();
    need(ctx, la_new(ctx, &ctx->scratch, D, n, &X));
    need(ctx, la_new(ctx, &ctx->scratch, n, n, &gram));
    need(ctx, la_new(ctx, &ctx->scratch, n, n, &A));
    need(ctx, gpor_gp_posterior_new(ctx, &ctx->scratch, n, K, &post));
    la_put(x, X);
    need(ctx, la_gram(ctx, X, &map, gram));
    for (int run = 0; run < RUNS; run++) {
        gpor_gp_problem p = {.n = n, .K = K, .y = y, .gram = gram, .b = thresholds, .sigma = 0.5};
        need(ctx, gpor_gp_laplace(ctx, &p, false, &post));
        p.sigma = 0.505; /* about as far as a late step of the search */
        double t = processor_seconds();
        need(ctx, gpor_gp_laplace(ctx, &p, true, &post));
        evidence = smaller(evidence, processor_seconds() - t);
        iterations = post.iterations;
        need(ctx, la_gram(ctx, X, &map, A));
        la_add_diagonal(A, 1, NULL);
        t = processor_seconds();
        need(ctx, la_potrf(ctx, A));
        factor = smaller(factor, processor_seconds() - t);
    }
    la_leave();
    printf("  gpor, Laplace, %lld rows: Cholesky %.4f s, evidence and gradient %.4f s (mode by %d factors): %.1f times "
           "(wanted: <= 12)\n",
           (long long)n, factor, evidence, iterations, evidence / factor);
    free(x);
    free(y);
    pool_free_all(&ctx->scratch);
}

int main(int argc, char **argv)
{
    int64_t most = argc > 1 ? atoll(argv[1]) : 1000000, n = argc > 2 ? atoll(argv[2]) : 1000;
    rung_ctx *ctx;
    if (rung_ctx_new(&ctx) != RUNG_OK) return 1;
    rung_ctx_set_threads(ctx, 1);
    for (int64_t rows = 10000; rows <= most; rows *= 10) time_actions(ctx, rows);
    time_evidence(ctx, n);
    rung_ctx_free(ctx);
    return 0;
}
