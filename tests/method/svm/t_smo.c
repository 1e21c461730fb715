// SPDX-License-Identifier: BSD-3-Clause
/* The pairs and the Newton step against closed forms and the conditions of optimality, recomputed from scratch. */
#include "helper.h"

#include "base/rng.h"
#include "method/svm/smo.h"
#include "method/svm/smo_newton.h"

enum { MOST_ROWS = 80, MOST_THRESHOLDS = 9, MOST_HINGES = MOST_ROWS * MOST_THRESHOLDS };

typedef struct {
    smo p;
    int K;
    int y[MOST_ROWS];
    double Q[MOST_ROWS * MOST_ROWS], f[MOST_ROWS], offset[MOST_ROWS], flow[MOST_THRESHOLDS];
    int64_t first[MOST_THRESHOLDS + 1];
    hinge hinges[MOST_HINGES];
} instance;

typedef enum { ALL_THRESHOLDS, ADJACENT } span;

/* The hinges of classes y on K - 1 thresholds, with no pull yet. */
static void set_up(instance *t, int64_t m, int K, span which, double C)
{
    t->K = K;
    t->p = (smo){.m = m,
                 .Q = t->Q,
                 .f = t->f,
                 .thresholds = K - 1,
                 .first = t->first,
                 .hinges = t->hinges,
                 .flow = which == ADJACENT ? t->flow : NULL};
    int64_t count = 0;
    memset(t->flow, 0, sizeof t->flow);
    for (int g = 0; g < K - 1; g++) {
        t->first[g] = count;
        for (int64_t i = 0; i < m; i++) {
            double side = t->y[i] > g + 1 ? 1 : -1;
            if (which == ADJACENT && t->y[i] != g + 1 && t->y[i] != g + 2) continue;
            t->hinges[count++] =
                (hinge){.row = i, .side = side, .low = side > 0 ? 0 : -C, .high = side > 0 ? C : 0, .pull = 0};
        }
    }
    t->first[K - 1] = count;
    memcpy(t->f, t->offset, sizeof t->f);
}

/* Q = A'A of d normal numbers per row (singular where m > d); some rows twice; any class, but each once. */
static void random_instance(instance *t, int64_t m, int64_t d, int K, uint64_t stream)
{
    rng r;
    rng_open(&r, 3, stream);
    double a[MOST_ROWS * 8];
    for (int64_t i = 0; i < m; i++) {
        t->y[i] = i < K ? (int)i + 1 : 1 + (int)rng_below(&r, K);
        t->offset[i] = stream % 2 ? rng_normal(&r) : 0; /* the part of rows elsewhere */
        for (int64_t j = 0; j < d; j++) a[i * d + j] = rng_normal(&r) + (j == 0 ? 0.5 * t->y[i] : 0);
        if (i > K && i % 7 == 0) memcpy(a + i * d, a + (i - 1) * d, (size_t)d * sizeof *a);
    }
    for (int64_t i = 0; i < m; i++)
        for (int64_t k = 0; k < m; k++) {
            t->Q[i + k * m] = 0;
            for (int64_t j = 0; j < d; j++) t->Q[i + k * m] += a[i * d + j] * a[k * d + j];
        }
}

/* f = offset + Q v to the last bits, sums of pulls as the flows say, pulls within their bounds. */
static void check_feasible(const instance *t)
{
    const smo *p = &t->p;
    double v[MOST_ROWS] = {0}, sum = 0, largest = 1;
    for (int g = 0; g < p->thresholds; g++) {
        for (int64_t i = p->first[g]; i < p->first[g + 1]; i++) {
            const hinge *h = &p->hinges[i];
            assert_true(h->pull >= h->low && h->pull <= h->high);
            v[h->row] += h->pull;
            sum += h->pull;
            largest = fmax(largest, fabs(h->pull));
        }
        double flow = p->flow && g + 1 < p->thresholds ? p->flow[g] : 0;
        assert_true(flow >= 0);
        assert_true(fabs(sum + flow) <= 1e-11 * largest);
    }
    for (int64_t i = 0; i < p->m; i++) {
        long double f = t->offset[i], size = 1;
        for (int64_t k = 0; k < p->m; k++) {
            f += (long double)p->Q[i + k * p->m] * v[k];
            size += fabsl((long double)p->Q[i + k * p->m] * v[k]);
        }
        assert_true(fabsl(f - p->f[i]) <= 1e-11L * size);
    }
}

/* The largest disagreement of two hinges on a threshold (or on two that the order ties), relative to the scores. */
static double violation(const instance *t)
{
    const smo *p = &t->p;
    double fall[MOST_THRESHOLDS], rise[MOST_THRESHOLDS], worst = 0, largest = 1;
    for (int g = 0; g < p->thresholds; g++) {
        fall[g] = -INFINITY;
        rise[g] = INFINITY;
        for (int64_t i = p->first[g]; i < p->first[g + 1]; i++) {
            const hinge *h = &p->hinges[i];
            double F = p->f[h->row] - h->side;
            largest = fmax(largest, fabs(F));
            if (h->pull > h->low) fall[g] = fmax(fall[g], F);
            if (h->pull < h->high) rise[g] = fmin(rise[g], F);
        }
    }
    for (int g = 0; g < p->thresholds; g++)
        for (int k = 0; k < p->thresholds; k++) {
            bool joined = k == g || (p->flow && k > g);
            if (p->flow && k < g) {
                joined = true;
                for (int l = k; l < g; l++) joined = joined && p->flow[l] > 0;
            }
            if (joined) worst = fmax(worst, fall[g] - rise[k]);
        }
    return worst / largest;
}

static double objective(const instance *t)
{
    const smo *p = &t->p;
    double value = 0;
    for (int64_t i = 0; i < p->first[p->thresholds]; i++) {
        const hinge *h = &p->hinges[i];
        value += h->pull * (0.5 * (p->f[h->row] + t->offset[h->row]) - h->side);
    }
    return value;
}

/* ---- closed forms ---- */

static void two_rows(void **state)
{
    for (int k = 0; k < 3; k++) { /* c = 1 / (1 - q), or C */
        instance *t = calloc(1, sizeof *t);
        double q = 0.25 * k, C = k == 2 ? 1.5 : 10;
        memcpy(t->Q, (double[]){1, q, q, 1}, 4 * sizeof(double));
        t->y[0] = 1;
        t->y[1] = 2;
        set_up(t, 2, 2, ALL_THRESHOLDS, C);
        smo_effort effort = {.limit = INFINITY};
        assert_ok(*state, smo_solve(*state, &t->p, &effort));
        assert_close(t->hinges[0].pull, -fmin(C, 1 / (1 - q)), 1e-14);
        assert_close(t->hinges[1].pull, fmin(C, 1 / (1 - q)), 1e-14);
        assert_true(effort.work > 0);
        free(t);
    }
}

/* Equal rows of both classes cannot be told apart: every pair of them is pulled as far as C allows. */
static void equal_rows(void **state)
{
    instance *t = calloc(1, sizeof *t);
    for (int i = 0; i < 36; i++) t->Q[i] = 1;
    for (int i = 0; i < 6; i++) t->y[i] = i < 2 ? 1 : 2;
    set_up(t, 6, 2, ALL_THRESHOLDS, 3);
    smo_effort effort = {.limit = INFINITY};
    assert_ok(*state, smo_solve(*state, &t->p, &effort));
    assert_close(t->hinges[0].pull, -3, 1e-14);
    assert_close(t->hinges[1].pull, -3, 1e-14);
    for (int i = 0; i < 6; i++) assert_close(t->f[i], 0, 1e-14);
    check_feasible(t);
    free(t);
}

/* ---- optimality ---- */

static void random_problems_are_solved(void **state)
{
    const struct {
        int64_t m, d;
        int K;
    } shapes[] = {{2, 1, 2}, {3, 2, 3}, {10, 8, 10}, {40, 8, 2}, {60, 5, 4}, {80, 3, 5}, {80, 8, 10}, {80, 1, 3}};
    const double Cs[] = {1e-3, 1, 1e3};
    instance *t = calloc(1, sizeof *t);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int c = 0; c < 3; c++)
            for (span which = ALL_THRESHOLDS; which <= ADJACENT; which++) {
                random_instance(t, shapes[s].m, shapes[s].d, shapes[s].K, 10 * s);
                set_up(t, shapes[s].m, shapes[s].K, which, Cs[c]);
                smo_effort effort = {.limit = INFINITY};
                assert_ok(*state, smo_solve(*state, &t->p, &effort));
                check_feasible(t);
                assert_true(violation(t) <= 1e-9);
            }
    free(t);
}

/* Scores of rows elsewhere, pulls to start from, a gap to stop at. */
static void it_goes_on_from_where_it_is(void **state)
{
    instance *t = calloc(1, sizeof *t);
    random_instance(t, 80, 6, 5, 101);
    set_up(t, 80, 5, ALL_THRESHOLDS, 2);
    smo_effort rough = {.gap = 50, .limit = INFINITY}, none = {.limit = 0}, exact = {.limit = INFINITY};
    assert_ok(*state, smo_solve(*state, &t->p, &none));
    assert_true(none.work == 0 && objective(t) == 0);
    assert_ok(*state, smo_solve(*state, &t->p, &rough));
    double before = objective(t);
    assert_true(before < 0 && violation(t) > 1e-6);
    check_feasible(t);
    assert_ok(*state, smo_solve(*state, &t->p, &exact));
    assert_true(objective(t) < before);
    check_feasible(t);
    assert_true(violation(t) <= 1e-9);
    assert_true(rough.work < exact.work + rough.work);
    free(t);
}

/* Class 2 lies beyond class 3: without the order the thresholds would cross. */
static void the_order_of_thresholds_is_kept(void **state)
{
    instance *t = calloc(1, sizeof *t);
    const double x[] = {-3, -2.5, -2, 4, 4.5, 5, 1, 1.5, 2, 0, 8, 9};
    const int y[] = {1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4};
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < 12; k++) t->Q[i + 12 * k] = x[i] * x[k];
    memcpy(t->y, y, sizeof y);
    set_up(t, 12, 4, ADJACENT, 1);
    smo_effort effort = {.limit = INFINITY};
    assert_ok(*state, smo_solve(*state, &t->p, &effort));
    check_feasible(t);
    assert_true(violation(t) <= 1e-9);
    assert_true(t->flow[0] + t->flow[1] > 0.1);
    free(t);
}

/* ---- the Newton step ---- */

/* Pulls moved a little away from the solution, all of them still within their bounds, are brought back by one step. */
static void a_full_newton_step_is_exact(void **state)
{
    instance *t = calloc(1, sizeof *t);
    for (uint64_t stream = 200; stream < 210; stream++)
        for (span which = ALL_THRESHOLDS; which <= ADJACENT; which++) {
            random_instance(t, 60, 8, 4, stream);
            for (int i = 0; i < 60; i++) t->Q[i * 61] += 0.5;
            set_up(t, 60, 4, which, 1);
            smo_effort effort = {.limit = INFINITY};
            assert_ok(*state, smo_solve(*state, &t->p, &effort));
            int moved = 0;
            for (int g = 0; g < 3; g++) {
                hinge *before = NULL;
                for (int64_t i = t->first[g]; i < t->first[g + 1]; i++) {
                    hinge *h = &t->hinges[i];
                    if (!(h->pull > h->low + 1e-3 && h->pull < h->high - 1e-3)) continue;
                    if (before) {
                        before->pull += 1e-4;
                        h->pull -= 1e-4;
                        for (int k = 0; k < 60; k++)
                            t->f[k] += 1e-4 * (t->Q[k + 60 * before->row] - t->Q[k + 60 * h->row]);
                        moved++;
                    }
                    before = before ? NULL : h;
                }
            }
            assert_true(moved > 2);
            assert_true(violation(t) > 1e-6);
            assert_ok(*state, newton_step(*state, &t->p, &effort));
            check_feasible(t);
            assert_true(violation(t) <= 1e-10);
        }
    free(t);
}

static void a_step_to_the_bounds_never_loses(void **state)
{
    instance *t = calloc(1, sizeof *t);
    for (uint64_t stream = 300; stream < 340; stream++)
        for (span which = ALL_THRESHOLDS; which <= ADJACENT; which++) {
            random_instance(t, 60, 1 + (int64_t)(stream % 8), 4, stream);
            set_up(t, 60, 4, which, 1);
            smo_effort rough = {.gap = 20, .limit = INFINITY}, effort = {.limit = INFINITY};
            assert_ok(*state, smo_solve(*state, &t->p, &rough));
            double before = objective(t);
            assert_ok(*state, newton_step(*state, &t->p, &effort));
            assert_true(objective(t) <= before + 1e-10 * (1 + fabs(before)));
            check_feasible(t);
        }
    free(t);
}

/* A matrix that is no kernel: the step is left out, without a word. */
static void an_indefinite_matrix_is_left_to_the_pairs(void **state)
{
    rung_ctx *ctx = *state;
    instance *t = calloc(1, sizeof *t);
    memcpy(t->Q, (double[]){1, 3, 3, 1}, 4 * sizeof(double));
    t->y[0] = 1;
    t->y[1] = 2;
    set_up(t, 2, 2, ALL_THRESHOLDS, 1);
    t->hinges[0].pull = -0.5;
    t->hinges[1].pull = 0.5;
    t->f[0] = 1;
    t->f[1] = -1;
    smo_effort effort = {.limit = INFINITY};
    assert_ok(ctx, newton_step(ctx, &t->p, &effort));
    assert_string_equal(ctx->message, "");
    assert_true(t->hinges[0].pull == -0.5 && t->hinges[1].pull == 0.5 && t->f[0] == 1 && t->f[1] == -1);
    free(t);
}

static void its_price(void **state)
{
    (void)state;
    assert_true(isinf(newton_flops(10, 1, 1)));
    assert_true(isinf(newton_flops(100000, 5000, 1)));
    assert_true(newton_flops(100, 50, 1) < newton_flops(100, 100, 1));
}

/* ---- when things go wrong ---- */

static rung_status solve(void *argument)
{
    instance *t = ((void **)argument)[1];
    rung_ctx *ctx = ((void **)argument)[0];
    set_up(t, 60, 4, ADJACENT, 10);
    smo_effort effort = {.limit = INFINITY};
    rung_status status = smo_solve(ctx, &t->p, &effort);
    pool_free_all(&ctx->scratch);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    instance *t = calloc(1, sizeof *t);
    random_instance(t, 60, 6, 4, 401);
    void *argument[] = {*state, t};
    assert_true(fail_each_allocation(solve, argument) > 10);
    free(t);
}

static void it_can_be_stopped(void **state)
{
    rung_ctx *ctx = *state;
    instance *t = calloc(1, sizeof *t);
    random_instance(t, 60, 6, 4, 402);
    set_up(t, 60, 4, ALL_THRESHOLDS, 10);
    smo_effort effort = {.limit = INFINITY};
    rung_ctx_interrupt(ctx);
    assert_fails(ctx, smo_solve(ctx, &t->p, &effort), RUNG_EINTERRUPT, "interrupted");
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(two_rows),
        WITH_CONTEXT(equal_rows),
        WITH_CONTEXT(random_problems_are_solved),
        WITH_CONTEXT(it_goes_on_from_where_it_is),
        WITH_CONTEXT(the_order_of_thresholds_is_kept),
        WITH_CONTEXT(a_full_newton_step_is_exact),
        WITH_CONTEXT(a_step_to_the_bounds_never_loses),
        WITH_CONTEXT(an_indefinite_matrix_is_left_to_the_pairs),
        WITH_CONTEXT(its_price),
        WITH_CONTEXT(every_allocation_may_fail),
        WITH_CONTEXT(it_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
