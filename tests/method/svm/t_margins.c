// SPDX-License-Identifier: BSD-3-Clause
/* The optimality conditions of hinges on scores and on differences, recomputed from the answer. */
#include "helper.h"

#include "base/rng.h"
#include "linalg/la.h"
#include "method/svm/margins.h"

enum { M = 12 };

/* G = B B' with B of `rank` columns: singular where rank < M. */
static void draw_gram(rng *r, int rank, double *G)
{
    double B[M * M];
    for (int i = 0; i < M * rank; i++) B[i] = rng_normal(r);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            G[i + j * M] = 0;
            for (int c = 0; c < rank; c++) G[i + j * M] += B[i + c * M] * B[j + c * M];
        }
}

static double primal(const margins_problem *p, const double *f, const double *v)
{
    double sum = 0;
    for (int64_t i = 0; i < p->m; i++) sum += 0.5 * v[i] * (f[i] - p->start[i]);
    for (int64_t k = 0; k < p->count; k++) {
        const margin *e = &p->margins[k];
        double gap = 1 - (e->plus >= 0 ? f[e->plus] : 0) + (e->minus >= 0 ? f[e->minus] : 0);
        double w = p->weight ? (e->plus >= 0 ? p->weight[e->plus] : 1) * (e->minus >= 0 ? p->weight[e->minus] : 1) : 1;
        sum += w * p->cap * fmax(0, gap);
    }
    return sum;
}

/* No pulls of any size do better: the objective is convex, so a search around the answer is proof enough. */
static void nothing_near_is_better(const margins_problem *p, const margins_solution *s, rng *r)
{
    double best = primal(p, s->f, s->v), v[M], f[M];
    for (int round = 0; round < 400; round++) {
        double size = pow(10, -6 + 6 * rng_uniform(r));
        for (int i = 0; i < M; i++) v[i] = s->v[i] + size * rng_normal(r);
        for (int i = 0; i < M; i++) {
            f[i] = p->start[i];
            for (int j = 0; j < M; j++) f[i] += p->G[i + j * M] * v[j];
        }
        assert_true(primal(p, f, v) >= best - 1e-9 * (1 + fabs(best)));
    }
}

static void answers_are_optimal(void **state)
{
    rung_ctx *ctx = *state;
    rng r;
    rng_open(&r, 3, 1);
    for (int round = 0; round < 60; round++) {
        double G[M * M], start[M], weight[M];
        margin margins[M * M];
        int64_t count = 0;
        bool pairs = round % 2;
        draw_gram(&r, round % 3 == 0 ? 4 : M, G);
        for (int i = 0; i < M; i++) start[i] = pairs ? 2 * rng_normal(&r) : 0;
        for (int i = 0; i < M; i++) weight[i] = 0.2 + 3 * rng_uniform(&r);
        for (int i = 0; i < M && !pairs; i++) margins[count++] = i % 3 ? (margin){i, -1} : (margin){-1, i};
        for (int i = M / 2; i < M && pairs; i++) /* all pairs of two classes: the multipliers are not unique */
            for (int j = 0; j < M / 2; j++) margins[count++] = (margin){i, j};
        const margins_problem p = {.m = M,
                                   .G = G,
                                   .start = start,
                                   .count = count,
                                   .margins = margins,
                                   .cap = pow(10, -2 + 4 * rng_uniform(&r)),
                                   .weight = round % 4 < 2 ? weight : NULL,
                                   .tolerance = 1e-10};
        margins_solution s;
        assert_ok(ctx, margins_solve(ctx, &ctx->scratch, &p, &s));
        double objective = primal(&p, s.f, s.v);
        assert_true(s.gap >= -1e-12 && s.gap <= 1e-6 * (1 + objective));
        nothing_near_is_better(&p, &s, &r);
        pool_free_all(&ctx->scratch);
    }
}

/* One margin: beta = min(cap, max(0, (1 - f0) / g)). */
static void one_margin_has_a_closed_form(void **state)
{
    rung_ctx *ctx = *state;
    const double cases[][4] = {{0, 2, 10, 0.5}, {0, 2, 0.1, 0.1}, {1.5, 2, 10, 0}, {0, 0, 3, 3}};
    for (int i = 0; i < 4; i++) {
        const double *c = cases[i];
        const margin one = {0, -1};
        const margins_problem p = {
            .m = 1, .G = &c[1], .start = &c[0], .count = 1, .margins = &one, .cap = c[2], .tolerance = 1e-12};
        margins_solution s;
        assert_ok(ctx, margins_solve(ctx, &ctx->scratch, &p, &s));
        assert_close(s.v[0], c[3], 1e-14);
        assert_close(s.f[0], c[0] + c[1] * c[3], 1e-14);
        assert_close(s.loss, c[2] * fmax(0, 1 - s.f[0]), 1e-14);
    }
}

/* A multiplier to begin with that bends nothing and pulls in vain; the answer in memory of the caller's. */
static void a_start_is_left(void **state)
{
    rung_ctx *ctx = *state;
    const double G = 0, start = 2, begin = 3;
    const margin one = {0, -1};
    pool mem = {0};
    const margins_problem p = {
        .m = 1, .G = &G, .start = &start, .count = 1, .margins = &one, .cap = 10, .tolerance = 1e-12, .begin = &begin};
    margins_solution s;
    assert_ok(ctx, margins_solve(ctx, &mem, &p, &s));
    assert_true(s.v[0] == 0 && s.f[0] == 2 && s.loss == 0 && s.gap == 0);
    assert_true(ctx->scratch.bytes == 0 && mem.bytes > 0);
    pool_free_all(&mem);
}

static void nothing_to_do(void **state)
{
    rung_ctx *ctx = *state;
    const double G = 1, start = 0.25;
    const margins_problem p = {.m = 1, .G = &G, .start = &start, .cap = 1, .tolerance = 1e-8};
    margins_solution s;
    assert_ok(ctx, margins_solve(ctx, &ctx->scratch, &p, &s));
    assert_true(s.f[0] == 0.25 && s.v[0] == 0 && s.loss == 0 && s.gap == 0);
}

/* A smooth kernel on a line, a few rows against all others: nearly singular, and most multipliers end at 0. The faces
 * of the solution are found in a few sweeps, where descent alone takes thousands; from the answer to it in none. */
static void few_sweeps_on_smooth_kernels(void **state)
{
    rung_ctx *ctx = *state;
    enum { N = 300 };
    double *G = NULL, *start = NULL, *beta = NULL;
    margin *margins = NULL;
    margins_solution s, again;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, G, N * N));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, start, N));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, beta, N));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, margins, N));
    for (int i = 0; i < N; i++) {
        margins[i] = i / 3 == 40 ? (margin){i, -1} : (margin){-1, i};
        for (int j = 0; j < N; j++) G[i + j * N] = 1 + exp(-8.0 * (i - j) * (i - j) / N / N);
    }
    margins_problem p = {
        .m = N, .G = G, .start = start, .count = N, .margins = margins, .cap = 1, .tolerance = 1e-8, .beta = beta};
    assert_ok(ctx, margins_solve(ctx, &ctx->scratch, &p, &s));
    double objective = 0;
    for (int i = 0; i < N; i++) objective += 0.5 * s.v[i] * s.f[i];
    objective += s.loss;
    assert_true(s.gap >= -1e-12 && s.gap <= 1e-7 * objective);
    assert_true(s.sweeps < 200);
    p.begin = beta;
    p.beta = NULL;
    assert_ok(ctx, margins_solve(ctx, &ctx->scratch, &p, &again));
    assert_true(again.sweeps == 0);
    for (int i = 0; i < N; i++) assert_close(again.f[i], s.f[i], 1e-7);
}

/* Pulls of 1e9 on scores of 1e3: the tolerance is below rounding, and nothing is gained by more sweeps. */
static void large_pulls_end_at_rounding(void **state)
{
    rung_ctx *ctx = *state;
    enum { N = 200, D = 3 };
    double *G = NULL, *start = NULL, x[N][D];
    margin *margins = NULL;
    margins_solution s;
    rng r;
    rng_open(&r, 3, 1);
    assert_ok(ctx, NEW(ctx, &ctx->scratch, G, N * N));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, start, N));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, margins, N));
    for (int i = 0; i < N; i++) {
        for (int d = 0; d < D; d++) x[i][d] = rng_normal(&r);
        margins[i] = x[i][0] + rng_normal(&r) > 0.8 ? (margin){i, -1} : (margin){-1, i};
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double d2 = 0;
            for (int d = 0; d < D; d++) d2 += (x[i][d] - x[j][d]) * (x[i][d] - x[j][d]);
            G[i + j * N] = exp(-d2 / 10);
        }
    margins_problem p = {.m = N, .G = G, .start = start, .count = N, .margins = margins, .cap = 1e9, .tolerance = 1e-8};
    assert_ok(ctx, margins_solve(ctx, &ctx->scratch, &p, &s));
    double objective = s.loss;
    for (int i = 0; i < N; i++) objective += 0.5 * s.v[i] * s.f[i];
    assert_true(fabs(s.gap) <= 1e-4 * objective);
    assert_true(s.sweeps < 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(answers_are_optimal),
        WITH_CONTEXT(one_margin_has_a_closed_form),
        WITH_CONTEXT(a_start_is_left),
        WITH_CONTEXT(nothing_to_do),
        WITH_CONTEXT(few_sweeps_on_smooth_kernels),
        WITH_CONTEXT(large_pulls_end_at_rounding),
    };
    la_enter();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    la_leave();
    return failed;
}
