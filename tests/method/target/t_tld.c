// SPDX-License-Identifier: BSD-3-Clause
#include "target_checks.h"

/* The objective from its definition: leave-one-out residuals by n refits of ridge regression on all rows, plus the
 * distance from the inductive values. */
typedef struct {
    int64_t n, l, u, *lab, *un;
    real *K; /* K + 11' */
    double lambda, star;
    const double *v; /* n: targets of the labelled rows */
    real *Y0;
} objective;

static real *solve_rows(rung_ctx *ctx, const objective *o, int64_t m, const int64_t *rows, const real *z)
{
    real *A = new_square(ctx, m), *a = new_square(ctx, m);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++) A[i + j * m] = o->K[rows[i] + rows[j] * o->n];
    for (int64_t i = 0; i < m; i++) A[i + i * m] += o->lambda;
    real *inverse = inverse_of(ctx, m, A);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++) a[i] += inverse[i + j * m] * z[rows[j]];
    return a;
}

static real value_of(rung_ctx *ctx, const objective *o, const real *z, real *loo)
{
    real sum = 0, far = 0;
    for (int64_t i = 0; i < o->l; i++) {
        pool_mark mark = pool_here(&ctx->scratch);
        int64_t rows[40], m = 0;
        for (int64_t j = 0; j < o->n; j++)
            if (j != o->lab[i]) rows[m++] = j;
        real *a = solve_rows(ctx, o, m, rows, z), f = 0;
        for (int64_t j = 0; j < m; j++) f += a[j] * o->K[o->lab[i] + rows[j] * o->n];
        sum += (z[o->lab[i]] - f) * (z[o->lab[i]] - f) / o->l;
        pool_release(&ctx->scratch, mark);
    }
    for (int64_t i = 0; i < o->u; i++) far += (z[o->un[i]] - o->Y0[i]) * (z[o->un[i]] - o->Y0[i]);
    *loo = sum;
    return sum + o->star * far;
}

static objective define(rung_ctx *ctx, small *s, double gamma, double lambda, double star)
{
    int64_t n = s->p.n;
    objective o = {.n = n, .K = gram_of(ctx, s, "rbf", gamma), .lambda = lambda, .star = star, .v = s->t};
    assert_ok(ctx, NEW(ctx, &ctx->scratch, o.lab, n));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, o.un, n));
    assert_ok(ctx, pool_alloc(ctx, &ctx->scratch, n, sizeof *o.Y0, "values", (void **)&o.Y0));
    for (int64_t i = 0; i < n * n; i++) o.K[i] += 1;
    for (int64_t i = 0; i < n; i++)
        if (isnan(s->t[i]))
            o.un[o.u++] = i;
        else
            o.lab[o.l++] = i;
    real z[40];
    for (int64_t i = 0; i < n; i++) z[i] = s->t[i];
    real *a = solve_rows(ctx, &o, o.l, o.lab, z);
    for (int64_t i = 0; i < o.u; i++)
        for (int64_t j = 0; j < o.l; j++) o.Y0[i] += a[j] * o.K[o.un[i] + o.lab[j] * n];
    return o;
}

/* The gradient vanishes (central differences of a quadratic are exact) at the values told, few or many unlabelled. */
static void the_values_minimise_the_objective(void **state)
{
    rung_ctx *ctx = *state;
    for (int every = 2; every <= 6; every += 4) {
        small s = make_small(ctx, 16, 2, 0, every, 1);
        fitted fit = fit_small(ctx, &s, "tld", "gamma=0.3 lambda=0.5 lambda-star=0.05", NULL, NULL);
        objective o = define(ctx, &s, 0.3, 0.5, 0.05);
        real z[16], loo, unused, scale;
        for (int i = 0; i < 16; i++) z[i] = fit.training.output[i];
        scale = value_of(ctx, &o, z, &loo);
        assert_close(reported(&fit, "loo"), (double)loo, 1e-9);
        for (int64_t i = 0; i < o.u; i++) {
            real at = z[o.un[i]], up, down;
            z[o.un[i]] = at + 1;
            up = value_of(ctx, &o, z, &unused);
            z[o.un[i]] = at - 1;
            down = value_of(ctx, &o, z, &unused);
            z[o.un[i]] = at;
            assert_true(fabsl(up - down) < 1e-9 * (up + down + scale));
        }
        for (int64_t i = 0; i < o.l; i++) assert_close(fit.training.output[o.lab[i]], s.t[o.lab[i]], 1e-12);
    }
}

/* New rows: ridge regression on the labelled and the found values. */
static void new_rows(void **state)
{
    rung_ctx *ctx = *state;
    small s = make_small(ctx, 20, 2, 0, 3, 2);
    fitted fit = fit_small(ctx, &s, "tld", "gamma=0.3 lambda=0.5", NULL, NULL);
    objective o = define(ctx, &s, 0.3, 0.5, 0.1);
    double x[2] = {0.3, -0.7}, *f = outputs_of(ctx, &fit, 1, x);
    int64_t rows[20];
    real z[20], expected = 0;
    for (int i = 0; i < 20; i++) {
        rows[i] = i;
        z[i] = fit.training.output[i];
    }
    real *a = solve_rows(ctx, &o, 20, rows, z);
    for (int i = 0; i < 20; i++) expected += a[i] * (1 + kernel_value("rbf", 0.3, 2, x, s.X + i * 2));
    assert_close(f[0], (double)expected, 1e-10);
}

/* Held closely to them, the unlabelled values are the inductive ones; all rows labelled: plain ridge regression. */
static void limits(void **state)
{
    rung_ctx *ctx = *state;
    small s = make_small(ctx, 20, 2, 0, 3, 3);
    fitted fit = fit_small(ctx, &s, "tld", "gamma=0.3 lambda=0.5 lambda-star=1e9", NULL, NULL);
    objective o = define(ctx, &s, 0.3, 0.5, 0.1);
    for (int64_t i = 0; i < o.u; i++) assert_close(fit.training.output[o.un[i]], (double)o.Y0[i], 1e-7);
    s = make_small(ctx, 12, 2, 0, 1, 4);
    fit = fit_small(ctx, &s, "tld", "gamma=0.3", NULL, NULL);
    for (int i = 0; i < 12; i++) assert_close(fit.training.output[i], s.t[i], 0);
}

static void classes(void **state)
{
    rung_ctx *ctx = *state;
    for (int K = 2; K <= 3; K++) {
        small s = make_small(ctx, 30, 2, K, 2, 5);
        fitted fit = fit_small(ctx, &s, "tld", "", NULL, NULL);
        assert_int_equal(fit.own.decide.kind, DECISION_THRESHOLDS);
        for (int q = 1; q < K; q++) assert_close(fit.own.decide.thresholds[q - 1], K == 2 ? 0 : q + 0.5, 0);
        for (int i = 0; i < 30; i++) {
            assert_int_equal(fit.training.label[i], s.y[i]);
            if (s.y[i]) assert_close(fit.training.output[i], K == 2 ? 2 * s.y[i] - 3 : s.y[i], 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(the_values_minimise_the_objective),
        WITH_CONTEXT(new_rows),
        WITH_CONTEXT(limits),
        WITH_CONTEXT(classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
