// SPDX-License-Identifier: BSD-3-Clause
/* Scores under a quadratic penalty satisfy their equations: f = K a and a + W f = c, whatever the rank of K. */
#include "helper.h"

#include "base/rng.h"
#include "solve/graph_response.h"

enum { N = 25, RANK = 3, PULLS = 2 };

typedef struct {
    double K[N * N], F[N * N], diagonal[N], P[N * RANK], core[RANK * RANK];
    int64_t start[N + 1], col[3 * N];
    double value[3 * N];
    la_csr csr;
    penalty W;
} instance;

/* K = F F' with `rank` columns, W = diag + weight * path Laplacian - P core P' made diagonally dominant. */
static void draw(rng *r, int rank, instance *t)
{
    memset(t, 0, sizeof *t);
    for (int i = 0; i < N * rank; i++) t->F[i] = rng_normal(r);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int c = 0; c < rank; c++) t->K[i + j * N] += t->F[i + c * N] * t->F[j + c * N];
    for (int i = 0; i < N * RANK; i++) t->P[i] = rng_uniform(r);
    for (int q = 0; q < RANK; q++) t->core[q + q * RANK] = 0.1;
    int64_t used = 0;
    for (int i = 0; i < N; i++) {
        t->diagonal[i] = 3 + rng_uniform(r);
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; j++) {
            t->col[used] = j;
            t->value[used++] = j == i ? (i > 0) + (i < N - 1) : -1;
        }
        t->start[i + 1] = used;
    }
    t->csr = (la_csr){.rows = N, .cols = N, .start = t->start, .col = t->col, .value = t->value};
    t->W = (penalty){
        .n = N, .diagonal = t->diagonal, .sparse = &t->csr, .weight = 0.7, .rank = RANK, .P = t->P, .core = t->core};
}

static void check(rung_ctx *ctx, const instance *t, int rank, rng *r)
{
    la_mat *F = NULL;
    graph_response H;
    double c[N * PULLS], f[N * PULLS], a[N * PULLS], Wf[N * PULLS], G[16], one[N], e[N] = {0};
    const int64_t rows[] = {3, 0, 17, 24};
    assert_ok(ctx, la_new(ctx, &ctx->scratch, N, rank, &F));
    la_put(t->F, F);
    assert_ok(ctx, graph_response_new(ctx, &t->W, F, &H));
    for (int i = 0; i < N * PULLS; i++) c[i] = rng_normal(r);
    assert_ok(ctx, graph_response_apply(ctx, &H, PULLS, c, f, a));
    assert_ok(ctx, penalty_apply(ctx, &t->W, PULLS, f, Wf));
    for (int k = 0; k < PULLS; k++)
        for (int i = 0; i < N; i++) {
            double Ka = 0;
            for (int j = 0; j < N; j++) Ka += t->K[i + j * N] * a[j + k * N];
            assert_true(fabs(Ka - f[i + k * N]) < 1e-11);
            assert_true(fabs(a[i + k * N] + Wf[i + k * N] - c[i + k * N]) < 1e-12);
        }
    assert_ok(ctx, graph_response_block(ctx, &H, 4, rows, G));
    for (int j = 0; j < 4; j++) {
        e[rows[j]] = 1;
        assert_ok(ctx, graph_response_apply(ctx, &H, 1, e, one, a));
        e[rows[j]] = 0;
        for (int i = 0; i < 4; i++) {
            assert_true(fabs(G[i + j * 4] - one[rows[i]]) < 1e-12);
            assert_true(G[i + j * 4] == G[j + i * 4]);
        }
    }
}

static void its_equations_hold(void **state)
{
    rung_ctx *ctx = *state;
    rng r;
    rng_open(&r, 6, 6);
    for (int rank = 0; rank <= N; rank += 5) {
        instance t;
        draw(&r, rank, &t);
        check(ctx, &t, rank, &r);
        t.W.diagonal = NULL;
        t.W.rank = 0;
        check(ctx, &t, rank, &r);
        t.W.sparse = NULL; /* no penalty at all: f = K c */
        check(ctx, &t, rank, &r);
        pool_free_all(&ctx->scratch);
    }
}

/* F = [Phi', 1] or Phi', stored and not, with every part of the penalty and without. */
static void landmarks_are_a_root(void **state)
{
    rung_ctx *ctx = *state;
    enum { M = 7, D = 2 };
    rng r;
    instance t;
    double X[D * N], phi[M * N], F[N * (M + 1)], c[N * PULLS], f[2][N * PULLS], a[2][N * PULLS], G[2][16];
    double z[2][(M + 1) * PULLS];
    const kernel k = {.kind = KERNEL_RBF, .gamma = 0.5};
    const int64_t rows[] = {3, 0, 17, 24};
    landmarks l;
    la_mat *Phi, *root;
    rng_open(&r, 6, 1);
    draw(&r, 3, &t);
    for (int i = 0; i < D * N; i++) X[i] = rng_normal(&r);
    for (int i = 0; i < N * PULLS; i++) c[i] = rng_normal(&r);
    assert_ok(ctx, landmarks_new(ctx, &ctx->scratch, &k, &(point_set){D, N, X}, M, &l));
    assert_int_equal(l.m, M);
    assert_ok(ctx, la_new(ctx, &ctx->scratch, M, N, &Phi));
    assert_ok(ctx, landmarks_features(ctx, &l, N, X, Phi));
    la_get(Phi, phi);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < M; j++) F[i + j * N] = phi[j + i * M];
        F[i + M * N] = 1;
    }
    for (int which = 0; which < 8; which++) {
        bool constant = which & 1;
        penalty W = t.W;
        graph_response H[2];
        if (which & 2) {
            W.diagonal = NULL;
            W.rank = 0;
        }
        if (which & 4) W.sparse = NULL;
        assert_ok(ctx, la_new(ctx, &ctx->scratch, N, M + constant, &root));
        la_put(F, root);
        assert_ok(ctx, graph_response_new(ctx, &W, root, &H[0]));
        assert_ok(ctx, graph_response_of_landmarks(ctx, &W, &l, X, constant, &H[1]));
        for (int h = 0; h < 2; h++) {
            assert_int_equal(H[h].rank, M + constant);
            assert_ok(ctx, graph_response_apply(ctx, &H[h], PULLS, c, f[h], a[h]));
            assert_ok(ctx, graph_response_weights(ctx, &H[h], PULLS, c, z[h]));
            assert_ok(ctx, graph_response_block(ctx, &H[h], 4, rows, G[h]));
        }
        assert_arrays_close(N * PULLS, f[1], f[0], 1e-10);
        assert_arrays_close(N * PULLS, a[1], a[0], 1e-10);
        assert_arrays_close((M + constant) * PULLS, z[1], z[0], 1e-10);
        assert_arrays_close(16, G[1], G[0], 1e-10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(its_equations_hold),
        WITH_CONTEXT(landmarks_are_a_root),
    };
    la_enter();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    la_leave();
    return failed;
}
