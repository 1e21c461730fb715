// SPDX-License-Identifier: BSD-3-Clause
/* Some of many rows: no class is lost where kernels see fewer rows than trees do. */
#include "helper.h"

#include "method/mixture/mixture.h"
#include "method/mixture/plan.h"

enum { N = 240, K = 9, MOST = 60, HELD = 20 };

static void classes_stay(void **state)
{
    rung_ctx *ctx = *state;
    int y[N], fold[N], labelled = 0;
    int64_t origin[N];
    double x[N] = {0};
    for (int i = 0; i < N; i++) {
        y[i] = i % 6 == 5 ? 0 : 4 + i % 2; /* classes 4 and 5, every sixth row has no label ... */
        origin[i] = i;
    }
    for (int q = 1; q <= K; q++) y[(q * 25 + 1) / 6 * 6 + 1] = q; /* ... and one row of each of the others */
    for (int i = 0; i < N; i++)
        if (y[i]) {
            fold[labelled] = labelled % 10 == 3 && y[i] == 4 ? 0 : -1;
            labelled++;
        }
    folds f = {.n = labelled, .count = 1, .repeats = 1, .fold = fold};
    problem all, *p = &all;
    mixture_summary summary = {0};
    problem_new(&ctx->scratch, &(problem_rows){1, N, x, y, NULL, origin, K}, &all);
    assert_ok(ctx, mixture_thin_labels(ctx, MOST, &f, &p, &summary));
    assert_true(p != &all);
    assert_int_equal(p->K, K);
    int count = 0, unlabelled = 0;
    for (int64_t i = 0; i < p->n; i++) {
        count += p->y[i] != 0;
        unlabelled += p->y[i] == 0;
    }
    assert_int_equal(summary.kernel_rows, count);
    assert_int_equal(summary.labelled, labelled);
    assert_int_equal(unlabelled, N - labelled);
    assert_true(count >= MOST && count <= MOST + K);
    for (int i = 0, l = 0; i < N; i++) { /* rows that are held out stay */
        bool there = false, held = y[i] && fold[l++] == 0;
        for (int64_t j = 0; j < p->n; j++) there = there || p->origin[j] == i;
        if (held) assert_true(there);
    }
    p = &all;
    assert_ok(ctx, mixture_thin_labels(ctx, labelled, &f, &p, &summary)); /* few enough */
    assert_true(p == &all);
}

/* More labels never take the trees away that classes with places of their own need, up to what can be afforded. */
static void both_links_at_every_size(void **state)
{
    (void)state;
    for (int64_t labels = 50; labels <= 1000000; labels *= 2) {
        assert_true(mixture_plan_nominal(EFFORT_NORMAL, labels, 5));
        assert_true(mixture_plan_nominal(EFFORT_THOROUGH, 4 * labels, 5));
        assert_false(mixture_plan_nominal(EFFORT_NORMAL, labels, 2)); /* one link is the other */
    }
    assert_true(mixture_plan_nominal(EFFORT_QUICK, 250000, 5));
    assert_false(mixture_plan_nominal(EFFORT_QUICK, 250001, 5));
    assert_false(mixture_plan_nominal(EFFORT_NORMAL, 1000001, 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(classes_stay), WITH_CONTEXT(both_links_at_every_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
