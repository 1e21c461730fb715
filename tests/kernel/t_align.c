// SPDX-License-Identifier: BSD-3-Clause
/* Alignment: golden numbers, the gradient by the order of its Taylor remainder, the ascent; feature spaces. */
#include "helper.h"

#include "base/rng.h"
#include "graph/graph.h"
#include "kernel/align.h"
#include "kernel/feature.h"

static double *room(rung_ctx *ctx, int64_t n)
{
    double *v = NULL;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, v, n));
    return v;
}

static la_mat *square(rung_ctx *ctx, int64_t n)
{
    la_mat *A = NULL;
    assert_ok(ctx, la_new(ctx, &ctx->scratch, n, n, &A));
    return A;
}

typedef struct {
    int K;
    int64_t n, d, l; /* l labelled rows */
    double *X, *Xl;  /* d x n, d x l */
    int *y, *yl;
    la_csr graph;
} sample;

static void describe(rung_ctx *ctx, sample *s)
{
    int64_t smallest = s->n;
    neighbours nb;
    s->Xl = room(ctx, s->d * s->n);
    assert_ok(ctx, NEW(ctx, &ctx->scratch, s->yl, s->n));
    for (int64_t i = 0; i < s->n; i++) {
        if (!s->y[i]) continue;
        memcpy(s->Xl + s->l * s->d, s->X + i * s->d, (size_t)s->d * sizeof *s->X);
        s->yl[s->l++] = s->y[i];
        s->K = s->y[i] > s->K ? s->y[i] : s->K;
    }
    for (int q = 1; q <= s->K; q++) {
        int64_t size = 0;
        for (int64_t i = 0; i < s->l; i++) size += s->yl[i] == q;
        smallest = size < smallest ? size : smallest;
    }
    assert_ok(ctx, neighbours_among(ctx, &ctx->scratch, s->d, s->n, s->X, smallest, &nb));
    assert_ok(ctx, graph_edges(ctx, &ctx->scratch, &nb, GRAPH_OR, EDGE_BINARY, 0, &s->graph));
}

static double *numbers(const char *unit, const char *file, int64_t *rows, int64_t *columns)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s/%s", GOLDEN("units"), unit, file);
    return read_numbers(path, rows, columns);
}

/* By definition: of K and T, or centred of H K H and H T H. */
static rung_status alignment(rung_ctx *ctx, const la_mat *K, const la_mat *T, bool centred, double *value)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = la_rows(K);
    double kt, kk, tt;
    la_mat *A = NULL;
    if (centred) { /* <H K H, H T H> = <H K H, T> */
        TRY(la_new(ctx, &ctx->scratch, n, n, &A));
        TRY(la_scale_add(ctx, 1, T, 0, A));
        TRY(la_centre(ctx, LA_CENTRE_BOTH, A));
        TRY(la_inner(ctx, A, A, &tt));
        TRY(la_scale_add(ctx, 1, K, 0, A));
        TRY(la_centre(ctx, LA_CENTRE_BOTH, A));
        TRY(la_inner(ctx, A, T, &kt));
        TRY(la_inner(ctx, A, A, &kk));
    } else {
        TRY(la_inner(ctx, K, T, &kt));
        TRY(la_inner(ctx, K, K, &kk));
        TRY(la_inner(ctx, T, T, &tt));
    }
    *value = kt / sqrt(kk * tt);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static void golden_unit(rung_ctx *ctx, const char *unit)
{
    int64_t rows, columns;
    sample s = {0};
    double *X = numbers(unit, "X.csv", &s.n, &s.d), *y = numbers(unit, "y.csv", &rows, &columns), value;
    s.X = room(ctx, s.n * s.d); /* one row of the file after the other: already d x n */
    memcpy(s.X, X, sizeof *X * (size_t)(s.n * s.d));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, s.y, s.n));
    for (int64_t i = 0; i < s.n; i++) s.y[i] = (int)y[i];
    describe(ctx, &s);

    la_mat *semi = square(ctx, s.n), *labelled = square(ctx, s.l);
    assert_ok(ctx, alignment_target(ctx, &(ranked_rows){.n = s.l, .y = s.yl, .K = s.K}, NULL, labelled));
    assert_ok(ctx, alignment_target(ctx, &(ranked_rows){.n = s.n, .y = s.y, .K = s.K}, &s.graph, semi));
    double *corner = numbers(unit, "Kstar_corner.csv", &rows, &columns), *T = room(ctx, s.n * s.n);
    la_get(semi, T);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) assert_true(T[i + j * s.n] == corner[j + i * columns]);

    double *theta = numbers(unit, "theta.csv", &rows, &columns), *want = numbers(unit, "kta.csv", &rows, &columns);
    double *gradient = room(ctx, s.d), *precisions = room(ctx, s.d);
    for (int64_t j = 0; j < s.d; j++) precisions[j] = exp(theta[j]);
    kernel k = {.kind = KERNEL_ARD, .gamma = 1, .n_precisions = s.d, .precisions = precisions};
    for (int row = 0; row < 4; row++) {
        bool all = row % 2, centred = row >= 2;
        const la_mat *target = all ? semi : labelled;
        int64_t n = all ? s.n : s.l;
        const double *x = all ? s.X : s.Xl;
        la_mat *K = square(ctx, n);
        assert_ok(ctx, alignment_gradient(ctx, &(alignment_rows){.X = {s.d, n, x}, .centred = centred}, target, theta,
                                          &value, gradient));
        assert_close(value, want[row * columns], 1e-9);
        assert_arrays_close(s.d, gradient, want + row * columns + 1, 1e-9);
        assert_ok(ctx, kernel_gram(ctx, &k, s.d, n, x, K));
        assert_ok(ctx, alignment(ctx, K, target, centred, &value));
        assert_close(value, want[row * columns], 1e-9);
    }
    double *path = numbers(unit, "ascent.csv", &rows, &columns);
    assert_ok(ctx, alignment_ascent(ctx, &(alignment_rows){.X = {s.d, s.l, s.Xl}, .centred = false}, labelled, 10,
                                    theta, &value));
    assert_close(value, path[0], 1e-9);
    assert_arrays_close(s.d, theta, path + 1, 1e-9);
    assert_ok(
        ctx, alignment_ascent(ctx, &(alignment_rows){.X = {s.d, s.n, s.X}, .centred = false}, semi, 10, theta, &value));
    assert_close(value, path[columns], 1e-9);
    assert_arrays_close(s.d, theta, path + columns + 1, 1e-9);
    free(X);
    free(y);
    free(corner);
    free(theta);
    free(want);
    free(path);
}

static void golden_numbers(void **state)
{
    golden_unit(*state, "kta_gauss3");
    golden_unit(*state, "kta_linear4");
    golden_unit(*state, "kta_narrow3");
    golden_unit(*state, "kta_toy57");
}

static void draw(rung_ctx *ctx, int64_t n, int64_t d, sample *s)
{
    rng r;
    rng_open(&r, 3, 1);
    *s = (sample){.n = n, .d = d, .X = room(ctx, n * d)};
    assert_ok(ctx, NEW(ctx, &ctx->scratch, s->y, n));
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++) s->X[j + i * d] = rng_normal(&r) + 20; /* far from the origin */
        s->y[i] = i % 3 == 2 ? 0 : 1 + (int)(s->X[i * d] > 20) + (int)(s->X[i * d] > 21);
    }
    describe(ctx, s);
}

/* |A(theta + h v) - A(theta) - h g'v| falls as h^2. */
static void gradient_by_its_remainder(void **state)
{
    rung_ctx *ctx = *state;
    enum { D = 4 };
    sample s;
    draw(ctx, 45, D, &s);
    la_mat *T = square(ctx, s.n);
    assert_ok(ctx, alignment_target(ctx, &(ranked_rows){.n = s.n, .y = s.y, .K = s.K}, &s.graph, T));
    for (int centred = 0; centred < 2; centred++) {
        double theta[D] = {-2, -1, -3, 0.5}, v[D] = {1, -0.5, 0.7, 0.3}, g[D], at[D], a0, a1, last = 0, slope = 0;
        assert_ok(ctx,
                  alignment_gradient(ctx, &(alignment_rows){.X = {D, s.n, s.X}, .centred = centred}, T, theta, &a0, g));
        for (int j = 0; j < D; j++) slope += g[j] * v[j];
        assert_true(fabs(slope) > 1e-4);
        for (double h = 0.1; h > 1e-3; h /= 2) {
            for (int j = 0; j < D; j++) at[j] = theta[j] + h * v[j];
            assert_ok(ctx, alignment_gradient(ctx, &(alignment_rows){.X = {D, s.n, s.X}, .centred = centred}, T, at,
                                              &a1, NULL));
            double remainder = fabs(a1 - a0 - h * slope);
            if (last > 0) assert_true(last / remainder > 3 && last / remainder < 5);
            last = remainder;
        }
    }
}

static void two_steps_climb(void **state)
{
    rung_ctx *ctx = *state;
    sample s;
    draw(ctx, 60, 3, &s);
    for (int centred = 0; centred < 2; centred++) {
        double precisions[3], again;
        alignment_result found = {.precisions = precisions};
        assert_ok(ctx,
                  alignment_precisions(
                      ctx, &(alignment_rows){.X = {s.d, s.n, s.X}, .ranked = {s.n, s.y, s.K, NULL}, .centred = centred},
                      &s.graph, 40, &found));
        assert_true(found.value[0] > found.start[0] + 0.01 && found.value[1] >= found.start[1]);
        kernel k = {.kind = KERNEL_ARD, .gamma = 1, .n_precisions = 3, .precisions = precisions};
        la_mat *K = square(ctx, s.n), *T = square(ctx, s.n);
        assert_ok(ctx, alignment_target(ctx, &(ranked_rows){.n = s.n, .y = s.y, .K = s.K}, &s.graph, T));
        assert_ok(ctx, kernel_gram(ctx, &k, s.d, s.n, s.X, K));
        assert_ok(ctx, alignment(ctx, K, T, centred, &again));
        assert_close(again, found.value[1], 1e-12); /* the precisions are those of the alignment told */
    }
}

/* ---- feature spaces ---- */

static void features_have_the_kernels_distances(void **state)
{
    rung_ctx *ctx = *state;
    sample s;
    draw(ctx, 50, 2, &s);
    kernel k = {.kind = KERNEL_RBF, .gamma = 3};
    la_mat *K = square(ctx, s.n), *Phi;
    assert_ok(ctx, kernel_gram(ctx, &k, s.d, s.n, s.X, K));
    eigenpairs e;
    assert_ok(ctx, eigenpairs_new(ctx, &ctx->scratch, K, s.n, &e));
    eigenpairs few;
    assert_ok(ctx, eigenpairs_new(ctx, &ctx->scratch, K, 4, &few));
    assert_ok(ctx, kernel_features(ctx, &ctx->scratch, &few, few.r + 3, &Phi)); /* no more than there are */
    assert_int_equal(la_rows(Phi), few.r);
    for (int64_t r = 10; r <= s.n; r += 40) {
        assert_ok(ctx, kernel_features(ctx, &ctx->scratch, &e, r, &Phi));
        int64_t kept = la_rows(Phi);
        double *phi = room(ctx, kept * s.n), *V = room(ctx, s.n * s.n), *host = room(ctx, s.n * s.n);
        assert_true(kept <= r && (kept == r || e.values[kept] <= 1e-12 * e.values[0]));
        la_get(Phi, phi);
        la_get(e.V, V);
        la_get(K, host);
        for (int64_t i = 0; i < s.n; i++)
            for (int64_t j = 0; j < s.n; j++) {
                double got = 0, want = 0;
                for (int64_t c = 0; c < kept; c++) {
                    got += phi[c + i * kept] * phi[c + j * kept];
                    want += e.values[c] * V[i + c * s.n] * V[j + c * s.n];
                }
                assert_close(got, want, 1e-13);
                if (r == s.n) assert_close(got, host[i + j * s.n], 1e-10);
            }
    }
}

static void rank_is_certified_only_when_true(void **state)
{
    rung_ctx *ctx = *state;
    sample s;
    draw(ctx, 80, 2, &s);
    double gammas[] = {1e-4, 0.01, 0.3, 3, 300};
    int certified = 0, refused = 0;
    for (int g = 0; g < 5; g++) {
        kernel k = {.kind = KERNEL_RBF, .gamma = gammas[g]};
        la_mat *K = square(ctx, s.n);
        eigenpairs e;
        assert_ok(ctx, kernel_gram(ctx, &k, s.d, s.n, s.X, K));
        assert_ok(ctx, eigenpairs_new(ctx, &ctx->scratch, K, s.n, &e));
        bool yes = false;
        assert_ok(ctx, kernel_rank_exhausted(ctx, K, s.n, &yes)); /* there are no more */
        assert_true(yes);
        for (int64_t r = 5; r < s.n; r += 15) {
            assert_ok(ctx, kernel_rank_exhausted(ctx, K, r, &yes));
            if (yes) assert_true(eigenpairs_exhausted(&e, r));
            certified += yes;
            refused += !eigenpairs_exhausted(&e, r);
        }
        assert_true(eigenpairs_exhausted(&e, s.n));
    }
    assert_true(certified >= 5 && refused >= 5);
}

static void stretched_rows(void **state)
{
    rung_ctx *ctx = *state;
    double X[4] = {1, 2, 3, 4}, precisions[2] = {4, 9};
    const double *out;
    kernel rbf = {.kind = KERNEL_RBF}, poly = {.kind = KERNEL_POLY},
           ard = {.kind = KERNEL_ARD, .n_precisions = 2, .precisions = precisions};
    assert_true(kernel_keeps_order(&rbf) && kernel_keeps_order(&ard) && !kernel_keeps_order(&poly));
    assert_ok(ctx, kernel_stretched(ctx, &ctx->scratch, &rbf, 2, 2, X, &out));
    assert_ptr_equal(out, X);
    assert_ok(ctx, kernel_stretched(ctx, &ctx->scratch, &ard, 2, 2, X, &out));
    assert_true(out[0] == 2 && out[1] == 6 && out[2] == 6 && out[3] == 12);
}

static rung_status every_allocation(void *unused)
{
    (void)unused;
    rung_ctx *ctx = NULL;
    static const double X[24] = {0, 1, 2, 0.5, 3, 1, 4, 2, 1, 5, 2, 6, 0, 1, 3, 0.5, 3, 7, 4, 2, 9, 5, 2, 1};
    static const int y[12] = {1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0};
    double precisions[2];
    alignment_result found = {.precisions = precisions};
    la_mat *K = NULL, *Phi;
    eigenpairs e;
    bool yes;
    kernel k = {.kind = KERNEL_RBF, .gamma = 1};
    rung_status s = context_new(&ctx);
    if (s == RUNG_OK)
        s = alignment_precisions(ctx, &(alignment_rows){.X = {2, 12, X}, .ranked = {12, y, 2, NULL}, .centred = true},
                                 NULL, 2, &found);
    if (s == RUNG_OK) s = la_new(ctx, &ctx->scratch, 12, 12, &K);
    if (s == RUNG_OK) s = kernel_gram(ctx, &k, 2, 12, X, K);
    if (s == RUNG_OK) s = kernel_rank_exhausted(ctx, K, 3, &yes);
    if (s == RUNG_OK) s = eigenpairs_new(ctx, &ctx->scratch, K, 12, &e);
    if (s == RUNG_OK) s = kernel_features(ctx, &ctx->scratch, &e, 6, &Phi);
    context_free(ctx);
    return s;
}

static void every_allocation_fails(void **state)
{
    (void)state;
    assert_true(fail_each_allocation(every_allocation, NULL) > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(golden_numbers),
        WITH_CONTEXT(gradient_by_its_remainder),
        WITH_CONTEXT(two_steps_climb),
        WITH_CONTEXT(features_have_the_kernels_distances),
        WITH_CONTEXT(rank_is_certified_only_when_true),
        WITH_CONTEXT(stretched_rows),
        cmocka_unit_test(every_allocation_fails),
    };
    la_enter();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    la_leave();
    return failed;
}
