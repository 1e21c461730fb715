// SPDX-License-Identifier: BSD-3-Clause
/* Thresholds against brute force; the rounds of svor_solve against the solution in one piece. */
#include "helper.h"

#include "base/rng.h"
#include "method/svm/svor.h"

enum { N = 1700, D = 3 };

/* ---- thresholds ---- */

static double losses(const hinge_rows *h, const double *f, int j, double b)
{
    double sum = 0;
    for (int64_t i = 0; i < h->n; i++) {
        int from, to;
        hinge_range(h, i, &from, &to);
        if (j >= from && j <= to) sum += h->cap[i] * fmax(0, 1 - hinge_side(h, i, j) * (f[i] - b));
    }
    return sum;
}

static void ranges_and_sides(void **state)
{
    (void)state;
    int y[] = {1, 2, 3, 4}, from, to;
    hinge_rows h = {.n = 4, .K = 4, .y = y, .hinges = SVOR_IMPLICIT};
    for (int i = 0; i < 4; i++) {
        hinge_range(&h, i, &from, &to);
        assert_true(from == 0 && to == 2);
        for (int j = 0; j < 3; j++) assert_true(hinge_side(&h, i, j) == (y[i] > j + 1 ? 1 : -1));
    }
    h.hinges = SVOR_EXPLICIT;
    int want[][2] = {{0, 0}, {0, 1}, {1, 2}, {2, 2}};
    for (int i = 0; i < 4; i++) {
        hinge_range(&h, i, &from, &to);
        assert_true(from == want[i][0] && to == want[i][1]);
    }
    h.K = 2;
    hinge_range(&h, 0, &from, &to);
    assert_true(from == 0 && to == 0);
}

static void a_threshold_is_the_middle_of_its_interval(void **state)
{
    int y[] = {1, 1, 2, 2, 2};
    double f[] = {-2, -1, 2, 3, 5}, cap[] = {1, 1, 1, 1, 1}, b;
    hinge_rows h = {.n = 5, .K = 2, .y = y, .cap = cap};
    /* F = f - s: -1, 0 (class 1), 1, 2, 4 (class 2): two of them below, so any b in [0, 1] */
    assert_ok(*state, best_thresholds(*state, &h, f, &b));
    assert_close(b, 0.5, 1e-15);
    cap[1] = 2; /* now the slope -3 is used up at 1 + 2 and stays 0 until the next */
    assert_ok(*state, best_thresholds(*state, &h, f, &b));
    assert_close(b, 0.5, 1e-15);
    cap[1] = 2.5; /* -3.5 + 1 + 2.5 = 0 again, but with 1.5: -2.5 + 1 + 1.5; with unequal ones there is no flat part */
    cap[2] = 0.25;
    cap[0] = 0.5;
    assert_ok(*state, best_thresholds(*state, &h, f, &b));
    assert_close(b, 0.5, 1e-15);
    /* All rows on one side: where the last of them, or the first, is content. */
    int below[] = {1, 1, 1}, above[] = {2, 2, 2};
    hinge_rows side = {.n = 3, .K = 2, .y = below, .cap = (double[]){1, 2, 1}};
    double three[] = {-2, 3, 1};
    assert_ok(*state, best_thresholds(*state, &side, three, &b));
    assert_close(b, 4, 1e-15);
    side.y = above;
    assert_ok(*state, best_thresholds(*state, &side, three, &b));
    assert_close(b, -3, 1e-15);
    f[0] = 4; /* F = 5: now 0 (2.5), 1 (0.25), 2 (1), 4 (1), 5 (0.5) from -3: passes 0 at 2 */
    assert_ok(*state, best_thresholds(*state, &h, f, &b));
    assert_close(b, 2, 1e-15);
}

/* No other b among the kinks is better, and the middle of two neighbours is not worse; in order. */
static void thresholds_are_optimal(void **state)
{
    rng r;
    rng_open(&r, 9, 0);
    for (int trial = 0; trial < 200; trial++) {
        int64_t n = 5 + rng_below(&r, 40);
        int K = 2 + (int)rng_below(&r, 4), y[50];
        double f[50], cap[50], b[5];
        for (int64_t i = 0; i < n; i++) {
            y[i] = i < K ? (int)i + 1 : 1 + (int)rng_below(&r, K);
            f[i] = floor(4 * (rng_normal(&r) + (trial % 3 ? y[i] : 0))) / 4; /* with ties */
            cap[i] = trial % 2 ? 1 : 0.5 + rng_uniform(&r);
        }
        hinge_rows h = {.n = n, .K = K, .y = y, .cap = cap, .hinges = SVOR_IMPLICIT};
        assert_ok(*state, best_thresholds(*state, &h, f, b));
        for (int j = 0; j < K - 1; j++) {
            double found = losses(&h, f, j, b[j]);
            for (int64_t i = 0; i < n; i++)
                for (int s = -1; s <= 1; s += 2) assert_true(found <= losses(&h, f, j, f[i] - s) + 1e-9);
            assert_true(j == 0 || b[j] >= b[j - 1]);
        }
        /* explicit: in order, and no step of one block of equal thresholds helps */
        h.hinges = SVOR_EXPLICIT;
        assert_ok(*state, best_thresholds(*state, &h, f, b));
        for (int j = 1; j < K - 1; j++) assert_true(b[j] >= b[j - 1]);
        for (int first = 0; first < K - 1; first++)
            for (int last = first; last < K - 1; last++) {
                if (b[last] > b[first]) break;
                for (int up = -1; up <= 1; up += 2) {
                    if (up > 0 ? last + 1 < K - 1 && b[last + 1] == b[last] : first > 0 && b[first - 1] == b[first])
                        continue;
                    double before = 0, after = 0;
                    for (int j = first; j <= last; j++) {
                        before += losses(&h, f, j, b[j]);
                        after += losses(&h, f, j, b[j] + 1e-3 * up);
                    }
                    assert_true(after >= before - 1e-9);
                }
            }
    }
}

/* ---- rounds ---- */

typedef struct {
    double *X, *w;
    int *y;
    int64_t *origin;
    problem p;
} data;

static data make_data(rung_ctx *ctx, int64_t n, int K, double noise)
{
    rng r;
    rng_open(&r, 4, (uint64_t)K);
    data t = {.X = malloc(sizeof(double) * (size_t)(n * D)),
              .w = malloc(sizeof(double) * (size_t)n),
              .y = malloc(sizeof(int) * (size_t)n),
              .origin = malloc(sizeof(int64_t) * (size_t)n)};
    for (int64_t i = 0; i < n; i++) {
        t.origin[i] = i;
        t.w[i] = 0.5 + rng_uniform(&r);
        for (int j = 0; j < D; j++) t.X[i * D + j] = rng_normal(&r);
        double score = t.X[i * D] * t.X[i * D + 1] + t.X[i * D + 2] + noise * rng_normal(&r);
        int q = 1 + (int)floor((score + 2) / 4 * K);
        t.y[i] = i < K ? (int)i + 1 : q < 1 ? 1 : q > K ? K : q;
    }
    problem_new(&ctx->scratch, &(problem_rows){D, n, t.X, t.y, NULL, t.origin, K}, &t.p);
    return t;
}

static void free_data(data *t)
{
    free(t->X);
    free(t->w);
    free(t->y);
    free(t->origin);
}

/* Pulls within their bounds whose dual objective is within the gap told of the primal one, both from scratch. */
static void check_solution(const data *t, const svor_problem *q, const svor_solution *s)
{
    const problem *p = q->p;
    int J = p->K - 1;
    long double square = 0, dual = 0, loss = 0;
    double *cap = malloc(sizeof *cap * (size_t)p->n), total = 0;
    for (int64_t i = 0; i < p->n; i++) {
        cap[i] = q->C * (p->w ? p->w[i] : 1);
        total += cap[i];
    }
    hinge_rows h = {.n = p->n, .K = p->K, .y = p->y, .cap = cap, .hinges = q->hinges};
    double *sum = calloc((size_t)J, sizeof *sum);
    for (int64_t i = 0; i < p->n; i++) {
        int from, to;
        long double f = svor_diagonal(p, q->diagonal, i) * s->v[i], v = 0;
        hinge_range(&h, i, &from, &to);
        for (int64_t k = 0; k < p->n; k++) {
            if (s->v[k] == 0) continue;
            double d2 = 0;
            for (int j = 0; j < D; j++) d2 += (t->X[i * D + j] - t->X[k * D + j]) * (t->X[i * D + j] - t->X[k * D + j]);
            f += (long double)exp(-q->k.gamma * d2) * s->v[k];
        }
        assert_close((double)f, s->f[i], 1e-9);
        square += f * s->v[i];
        for (int j = 0; j < J; j++) {
            double pull = s->pull[i * J + j], side = hinge_side(&h, i, j);
            assert_true(j >= from && j <= to ? side * pull >= 0 && side * pull <= cap[i] : pull == 0);
            v += pull;
            sum[j] += pull;
            dual += side * pull;
            if (j >= from && j <= to) loss += cap[i] * fmaxl(0, 1 - side * (f - s->b[j]));
        }
        assert_close((double)v, s->v[i], 1e-12);
    }
    for (int j = 0, explicit_ = q->hinges == SVOR_EXPLICIT; j < J; j++) {
        if (explicit_ && j > 0) sum[j] += sum[j - 1]; /* minus the flow */
        assert_true(sum[j] <= 1e-9 * total && (sum[j] >= -1e-9 * total || (explicit_ && j + 1 < J)));
        assert_true(j == 0 || s->b[j] >= s->b[j - 1]);
    }
    double primal = (double)(square / 2 + loss), gap = (double)(square / 2 + loss - dual + square / 2);
    assert_close(s->primal, primal, 1e-9);
    assert_true(fabs(gap - s->gap) <= 1e-9 * primal);
    assert_true(s->gap >= 0 && gap <= q->tolerance * primal);
    free(sum);
    free(cap);
}

static void rounds_find_the_solution(void **state)
{
    rung_ctx *ctx = *state;
    const struct {
        int64_t n;
        int K;
        double noise, C, gamma, diagonal;
        bool weights;
    } cases[] = {{N, 5, 0.2, 10, 0.5, 0, false},
                 {N, 3, 1, 1, 1, 0, true},
                 {900, 10, 0.5, 0.1, 0.2, 0.01, false},
                 {700, 2, 0.5, 100, 2, 0, true},
                 {1000, 60, 0.02, 1, 0.5, 0, true}}; /* thresholds take turns */
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        data t = make_data(ctx, cases[c].n, cases[c].K, cases[c].noise);
        if (cases[c].weights) t.p.w = t.w;
        for (svor_hinges hinges = SVOR_IMPLICIT; hinges <= SVOR_EXPLICIT; hinges++) {
            svor_problem q = {.p = &t.p,
                              .k = {.kind = KERNEL_RBF, .gamma = cases[c].gamma},
                              .hinges = hinges,
                              .C = cases[c].C,
                              .diagonal = cases[c].diagonal,
                              .tolerance = 1e-3};
            svor_solution s;
            assert_ok(ctx, svor_solve(ctx, &ctx->scratch, &q, &s));
            check_solution(&t, &q, &s);
            assert_true(s.rounds > 1);
        }
        free_data(&t);
        pool_free_all(&ctx->scratch);
    }
}

/* Little memory: small rounds, the same answer. */
static void memory_limits_the_rounds(void **state)
{
    rung_ctx *ctx = *state;
    data t = make_data(ctx, N, 4, 1);
    svor_problem q = {.p = &t.p, .k = {.kind = KERNEL_RBF, .gamma = 1}, .C = 10, .tolerance = 1e-8};
    svor_solution all, few;
    assert_ok(ctx, svor_solve(ctx, &ctx->scratch, &q, &all));
    ctx->scratch.peak = ctx->scratch.bytes;
    int64_t before = ctx->scratch.bytes;
    rung_ctx_set_memory(ctx, (int64_t)svor_bytes(N, D, 4, false, 0));
    assert_ok(ctx, svor_solve(ctx, &ctx->scratch, &q, &few));
    assert_true(ctx->scratch.peak - before <= ctx->memory);
    check_solution(&t, &q, &few);
    assert_true(few.rounds > all.rounds);
    assert_close(few.primal, all.primal, 1e-8);
    for (int64_t i = 0; i < N; i++) assert_close(few.f[i], all.f[i], 1e-4);
    free_data(&t);
}

/* More kinds of violators than rows in a round. */
static void thresholds_take_turns_in_small_rounds(void **state)
{
    rung_ctx *ctx = *state;
    data t = make_data(ctx, 900, 400, 0.1);
    rung_ctx_set_memory(ctx, 1); /* rounds of 600 rows */
    for (svor_hinges hinges = SVOR_IMPLICIT; hinges <= SVOR_EXPLICIT; hinges++) {
        svor_problem q = {
            .p = &t.p, .k = {.kind = KERNEL_RBF, .gamma = 0.5}, .hinges = hinges, .C = 1e-3, .tolerance = 1e-3};
        svor_solution s;
        assert_ok(ctx, svor_solve(ctx, &ctx->scratch, &q, &s));
        check_solution(&t, &q, &s);
    }
    free_data(&t);
}

static void a_start_is_used_if_it_is_feasible(void **state)
{
    rung_ctx *ctx = *state;
    enum { ROWS = 800 };
    data t = make_data(ctx, ROWS, 4, 0.3);
    for (svor_hinges hinges = SVOR_IMPLICIT; hinges <= SVOR_EXPLICIT; hinges++) {
        svor_problem q = {
            .p = &t.p, .k = {.kind = KERNEL_RBF, .gamma = 1}, .hinges = hinges, .C = 10, .tolerance = 1e-6};
        svor_solution cold, warm;
        assert_ok(ctx, svor_solve(ctx, &ctx->scratch, &q, &cold));
        q.start = cold.pull;
        assert_ok(ctx, svor_solve(ctx, &ctx->scratch, &q, &warm));
        assert_true(warm.rounds <= 1);
        assert_close(warm.primal, cold.primal, 1e-9);
        check_solution(&t, &q, &warm);
        for (int bad = 0; bad < 6; bad++) {
            double *pull = malloc(sizeof *pull * ROWS * 3);
            memcpy(pull, cold.pull, sizeof *pull * ROWS * 3);
            if (bad < 3) pull[0] = bad == 0 ? 20 : bad == 1 ? -20 : pull[0] < -5 ? -1 : -9; /* bounds; sums */
            for (int i = 0; bad == 3 && i < 3 * ROWS; i++)                                  /* sums the other way */
                if (pull[i] > 1) {
                    pull[i] = 0;
                    break;
                }
            if (bad == 4) pull[2] = -1, pull[3 * 3 + 2] += 1; /* explicit: a row of class 1 has no hinge at the last */
            if (bad == 5) pull[3 * 3] = 1;                    /* nor one of the last class at the first */
            q.start = pull;
            assert_ok(ctx, svor_solve(ctx, &ctx->scratch, &q, &warm));
            assert_true(warm.rounds > 1);
            assert_close(warm.primal, cold.primal, 1e-6);
            free(pull);
        }
    }
    free_data(&t);
}

/* From a rough answer a finer one is found in fewer rounds. */
static void a_rough_start_is_gone_on_from(void **state)
{
    rung_ctx *ctx = *state;
    enum { ROWS = 800 };
    data t = make_data(ctx, ROWS, 4, 0.3);
    svor_problem q = {.p = &t.p, .k = {.kind = KERNEL_RBF, .gamma = 1}, .C = 10, .tolerance = 0.3};
    svor_solution rough, cold, warm;
    assert_ok(ctx, svor_solve(ctx, &ctx->scratch, &q, &rough));
    q.tolerance = 1e-7;
    assert_ok(ctx, svor_solve(ctx, &ctx->scratch, &q, &cold));
    q.start = rough.pull;
    assert_ok(ctx, svor_solve(ctx, &ctx->scratch, &q, &warm));
    check_solution(&t, &q, &warm);
    assert_true(warm.rounds <= cold.rounds);
    assert_close(warm.primal, cold.primal, 1e-6);
    free_data(&t);
}

/* More rows between their bounds than half a round takes. */
static void rows_in_play_take_turns(void **state)
{
    rung_ctx *ctx = *state;
    data t = make_data(ctx, 900, 3, 0.1);
    rung_ctx_set_memory(ctx, 1); /* rounds of 600 rows */
    svor_problem q = {.p = &t.p, .k = {.kind = KERNEL_RBF, .gamma = 30}, .C = 1e4, .diagonal = 0.1, .tolerance = 1e-3};
    svor_solution s;
    assert_ok(ctx, svor_solve(ctx, &ctx->scratch, &q, &s));
    check_solution(&t, &q, &s);
    free_data(&t);
}

static void count_warnings(void *user, rung_log_level level, const char *text)
{
    *(int *)user += level == RUNG_LOG_WARNING && strstr(text, "rounding prevents a smaller one") != NULL;
}

/* A tolerance that rounding does not allow ends at what it allows, and that is told. */
static void rounding_ends_the_rounds(void **state)
{
    rung_ctx *ctx = *state;
    int warnings = 0;
    data t = make_data(ctx, 150, 4, 0.5);
    svor_problem q = {.p = &t.p, .k = {.kind = KERNEL_RBF, .gamma = 1}, .C = 1e4, .tolerance = 1e-18};
    svor_solution s;
    rung_ctx_set_log(ctx, count_warnings, &warnings);
    assert_ok(ctx, svor_solve(ctx, &ctx->scratch, &q, &s));
    assert_int_equal(warnings, 1);
    q.tolerance = 1e-8;
    check_solution(&t, &q, &s);
    free_data(&t);
}

static void kernels_that_overflow_are_refused(void **state)
{
    rung_ctx *ctx = *state;
    data t = make_data(ctx, 30, 3, 0.3);
    for (int i = 0; i < 30 * D; i++) t.X[i] *= 1e200;
    svor_problem q = {.p = &t.p, .k = {.kind = KERNEL_LINEAR}, .C = 1, .tolerance = 1e-3};
    svor_solution s;
    assert_fails(ctx, svor_solve(ctx, &ctx->scratch, &q, &s), RUNG_EDATA, "overflows");
    free_data(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(ranges_and_sides),
        WITH_CONTEXT(a_threshold_is_the_middle_of_its_interval),
        WITH_CONTEXT(thresholds_are_optimal),
        WITH_CONTEXT(rounds_find_the_solution),
        WITH_CONTEXT(memory_limits_the_rounds),
        WITH_CONTEXT(thresholds_take_turns_in_small_rounds),
        WITH_CONTEXT(a_start_is_used_if_it_is_feasible),
        WITH_CONTEXT(a_rough_start_is_gone_on_from),
        WITH_CONTEXT(rows_in_play_take_turns),
        WITH_CONTEXT(rounding_ends_the_rounds),
        WITH_CONTEXT(kernels_that_overflow_are_refused),
    };
    la_enter();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    la_leave();
    return failed;
}
