// SPDX-License-Identifier: BSD-3-Clause
/* The maximum of weights and thresholds, the evidence, and what an action brings: against golden numbers and against
 * everything recomputed in long double from its definition. */
#include "helper.h"

#include "bayes_units.h"

#include "base/rng.h"
#include "method/bayes/sparse_bayes.h"
#include "solve/ordinal_probit.h"

enum { MOST = 40 };

/* ---- rows and functions ---- */

typedef struct {
    int64_t n, d, count;
    int K;
    double *x; /* d x n */
    int *y;
    la_mat *X;
    la_map map;
    la_basis basis;
    probit_map_rows rows;
} data;

static void use(rung_ctx *ctx, data *s, bool features)
{
    double *norm;
    s->map = (la_map){.kind = LA_EXP_SQ, .gamma = 0.5};
    s->rows = (probit_map_rows){.n = s->n, .K = s->K, .y = s->y};
    s->count = features ? s->d : s->n;
    assert_ok(ctx, la_new(ctx, &ctx->scratch, s->d, s->n, &s->X));
    la_put(s->x, s->X);
    s->basis = (la_basis){.X = s->X};
    if (features) return;
    assert_ok(ctx, la_basis_norms(ctx, &ctx->scratch, s->X, &norm));
    s->basis.map = &s->map;
    s->basis.norm = norm;
}

static void draw(rung_ctx *ctx, uint64_t stream, int64_t n, int K, data *s)
{
    rng r;
    rng_open(&r, 8, stream);
    *s = (data){.n = n, .d = 2, .K = K};
    assert_ok(ctx, NEW(ctx, &ctx->scratch, s->x, 2 * n));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, s->y, n));
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < 2; k++) s->x[k + 2 * i] = rng_normal(&r);
        int y = 1 + (int)floor(K * (0.5 + 0.3 * s->x[2 * i] * s->x[2 * i + 1] + 0.15 * rng_normal(&r)));
        s->y[i] = i < K ? (int)i + 1 : y < 1 ? 1 : y > K ? K : y;
    }
    use(ctx, s, false);
}

static void add(rung_ctx *ctx, const data *s, sparse_model *m, int64_t id, double alpha)
{
    double *column;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, column, s->n));
    assert_ok(ctx, la_basis_column(ctx, &s->basis, id, column));
    assert_ok(ctx, sparse_add(ctx, m, id, alpha, column));
}

/* ---- the definition, in long double ---- */

static long double phi_at(const data *s, int64_t id, int64_t i)
{
    if (!s->basis.map) return s->x[id + i * s->d];
    long double d2 = 0;
    for (int64_t k = 0; k < s->d; k++) {
        long double difference = (long double)s->x[k + i * s->d] - s->x[k + id * s->d];
        d2 += difference * difference;
    }
    return expl(-0.5L * d2);
}

/* log |A + Phi'H Phi| by Cholesky, for the functions `used`, H as the model has it. */
static long double log_determinant(const data *s, const sparse_model *m, int64_t M, const int64_t *used,
                                   const double *alpha, long double *solved)
{
    static long double A[MOST * MOST];
    long double sum = 0;
    for (int64_t j = 0; j < M; j++)
        for (int64_t l = 0; l <= j; l++) {
            long double inner = j == l ? alpha[j] : 0;
            for (int64_t i = 0; i < s->n; i++) inner += m->state.H[i] * phi_at(s, used[j], i) * phi_at(s, used[l], i);
            for (int64_t k = 0; k < l; k++) inner -= A[j + k * MOST] * A[l + k * MOST];
            if (j == l) {
                A[j + j * MOST] = sqrtl(inner);
                sum += 2 * logl(A[j + j * MOST]);
            } else {
                A[j + l * MOST] = inner / A[l + l * MOST];
            }
        }
    for (int64_t j = 0; j < M && solved; j++) { /* L^-1 Phi'(H f + delta) */
        long double value = 0;
        for (int64_t i = 0; i < s->n; i++)
            value += phi_at(s, used[j], i) * ((long double)m->state.H[i] * m->state.f[i] + m->state.delta[i]);
        for (int64_t k = 0; k < j; k++) value -= A[j + k * MOST] * solved[k];
        solved[j] = value / A[j + j * MOST];
    }
    return sum;
}

/* With delta and H held, log p is quadratic about f and the evidence is, up to what no action changes,
 *     1/2 |L^-1 Phi't|^2 - 1/2 log |A + Phi'H Phi| + 1/2 sum log alpha,   t = H f + delta. */
static long double gaussian_evidence(const data *s, const sparse_model *m, int64_t M, const int64_t *used,
                                     const double *alpha)
{
    long double solved[MOST], value = -0.5L * log_determinant(s, m, M, used, alpha, solved);
    for (int64_t j = 0; j < M; j++) value += 0.5L * solved[j] * solved[j] + 0.5L * logl(alpha[j]);
    return value;
}

/* ---- golden units ---- */

static void one_unit(rung_ctx *ctx, const char *unit)
{
    data s = {0};
    sparse_model m;
    int64_t rows, columns;
    json_t *params = unit_params(unit), *inner = json_object_get(params, "params");
    s.x = unit_rows(unit, "in_X", &s.n, &s.d);
    s.y = unit_ranks(unit, "in_y");
    s.K = 3;
    use(ctx, &s, strcmp(json_string_value(json_object_get(inner, "basis")), "features") == 0);
    assert_ok(ctx, sparse_start(ctx, &ctx->scratch, &s.rows, &s.basis, &m));
    for (size_t j = 0; j < json_array_size(json_object_get(inner, "used")); j++)
        add(ctx, &s, &m, json_integer_value(json_array_get(json_object_get(inner, "used"), j)),
            json_number_value(json_array_get(json_object_get(inner, "alpha"), j)));
    assert_ok(ctx, sparse_refit(ctx, &m, 1e-12));
    double evidence = unit_scalar(params, "log_evidence"), posterior = unit_scalar(params, "log_posterior");
    assert_unit(1, &m.log_evidence, &evidence);
    assert_unit(1, &m.state.log_posterior, &posterior);
    double *w = unit_numbers(unit, "out_w", &rows, &columns), *b = unit_numbers(unit, "out_b", &rows, &columns),
           *delta = unit_numbers(unit, "out_delta", &rows, &columns), *H = unit_numbers(unit, "out_H", &rows, &columns),
           *Sigma = unit_numbers(unit, "out_Sigma", &rows, &columns), *S = unit_numbers(unit, "out_S", &rows, &columns),
           *Q = unit_numbers(unit, "out_Q", &rows, &columns), *gain = unit_numbers(unit, "out_gain", &rows, &columns);
    int *kind = unit_ranks(unit, "out_action");
    assert_unit(m.M, m.w, w);
    assert_unit(2, m.b, b);
    assert_unit(s.n, m.state.delta, delta);
    assert_unit(s.n, m.state.H, H);
    for (int64_t j = 0; j < m.M; j++) assert_unit(1, &m.variance[j], &Sigma[j + j * m.M]);
    int64_t id[100];
    double gotS[100], gotQ[100];
    for (int64_t j = 0; j < s.count; j++) id[j] = j;
    assert_ok(ctx, sparse_relevance(ctx, &m, s.count, id, gotS, gotQ));
    assert_unit(s.count, gotS, S);
    assert_unit(s.count, gotQ, Q);
    for (int64_t j = 0; j < s.count; j++) {
        double alpha = INFINITY, ownS, ownQ;
        for (int64_t k = 0; k < m.M; k++) {
            if (m.used[k] != j) continue;
            alpha = m.alpha[k];
            sparse_own_relevance(&m, k, &ownS, &ownQ);
            assert_unit(1, &ownS, &S[j]);
            assert_unit(1, &ownQ, &Q[j]);
        }
        sparse_action action = sparse_best_action(gotS[j], gotQ[j], alpha);
        action_kind expected = gain[j] == -1 ? ACTION_NONE
                               : kind[j] > 0 ? ACTION_ADD
                               : kind[j] < 0 ? ACTION_DELETE
                                             : ACTION_ESTIMATE;
        assert_int_equal(action.kind, expected);
        if (expected != ACTION_NONE) assert_unit(1, &action.gain, &gain[j]);
    }
    free(s.x), free(s.y), free(w), free(b), free(delta), free(H), free(Sigma), free(S), free(Q), free(gain), free(kind);
    json_decref(params);
}

static void golden_units(void **state)
{
    one_unit(*state, "sbor_fixed_alpha_rbf3");
    one_unit(*state, "sbor_fixed_alpha_imbalanced");
    one_unit(*state, "sbor_fixed_alpha_linear");
}

/* The derivative of the evidence by alpha, w following, b held: explicit terms, and through H and the maximum. */
static void evidence_gradient_is_the_golden_one(void **state)
{
    rung_ctx *ctx = *state;
    const char *unit = "sbor_fixed_alpha_rbf3";
    const int64_t used[] = {0, 7, 13, 21, 34};
    const double alpha[] = {0.3, 1, 2, 0.7, 0.1};
    data s = {0};
    sparse_model m;
    int64_t rows, columns;
    s.x = unit_rows(unit, "in_X", &s.n, &s.d);
    s.y = unit_ranks(unit, "in_y");
    s.K = 3;
    use(ctx, &s, false);
    assert_ok(ctx, sparse_start(ctx, &ctx->scratch, &s.rows, &s.basis, &m));
    for (int j = 0; j < 5; j++) add(ctx, &s, &m, used[j], alpha[j]);
    assert_ok(ctx, sparse_refit(ctx, &m, 1e-12));
    double *Sigma = unit_numbers(unit, "out_Sigma", &rows, &columns),
           *expected = unit_numbers(unit, "out_grad_alpha_exact", &rows, &columns), pull[5] = {0}, gradient[5];
    for (int64_t i = 0; i < s.n; i++) {
        double v = 0, phi[5];
        for (int j = 0; j < 5; j++) phi[j] = (double)phi_at(&s, used[j], i);
        for (int j = 0; j < 5; j++)
            for (int l = 0; l < 5; l++) v += phi[j] * Sigma[j + 5 * l] * phi[l];
        ordinal_probit o = ordinal_probit_at(m.state.f[i], s.y[i], s.y[i], 3, m.b, 1);
        for (int j = 0; j < 5; j++) pull[j] += 0.5 * v * (o.H1 + o.H2) * phi[j];
    }
    for (int j = 0; j < 5; j++) {
        double through = 0;
        for (int l = 0; l < 5; l++) through += Sigma[j + 5 * l] * pull[l];
        gradient[j] = 0.5 / alpha[j] - 0.5 * Sigma[j + 5 * j] - 0.5 * m.w[j] * m.w[j] - through * m.w[j];
    }
    assert_unit(5, gradient, expected);
    free(s.x), free(s.y), free(Sigma), free(expected);
}

/* ---- the definition ---- */

/* At the maximum the derivatives by every w and b vanish; with two classes, with some, and with a thousand. */
static void the_maximum_is_one(void **state)
{
    rung_ctx *ctx = *state;
    for (uint64_t stream = 0; stream < 7; stream++) {
        data s;
        sparse_model m;
        int K = stream < 6 ? 2 + (int)stream : 1000;
        draw(ctx, stream, stream < 6 ? 80 + 200 * (int64_t)stream : 2000, K, &s);
        assert_ok(ctx, sparse_start(ctx, &ctx->scratch, &s.rows, &s.basis, &m));
        for (int j = 0; j < 7; j++) add(ctx, &s, &m, 3 * j + 1, pow(10, j - 3));
        assert_ok(ctx, sparse_refit(ctx, &m, 1e-12));
        double *b_slope, F = 0;
        assert_ok(ctx, NEW(ctx, &ctx->scratch, b_slope, K - 1));
        for (int j = 0; j < 7; j++) {
            double slope = -m.alpha[j] * m.w[j];
            for (int64_t i = 0; i < s.n; i++) slope += (double)phi_at(&s, m.used[j], i) * m.state.delta[i];
            assert_true(fabs(slope) < 1e-8);
            F -= 0.5 * m.alpha[j] * m.w[j] * m.w[j];
        }
        for (int64_t i = 0; i < s.n; i++) {
            double f = 0;
            for (int j = 0; j < 7; j++) f += m.w[j] * (double)phi_at(&s, m.used[j], i);
            assert_close(m.state.f[i], f, 1e-11);
            ordinal_probit o = ordinal_probit_at(f, s.y[i], s.y[i], s.K, m.b, 1);
            if (s.y[i] < s.K) b_slope[s.y[i] - 1] += o.e1;
            if (s.y[i] > 1) b_slope[s.y[i] - 2] -= o.e2;
            F += o.lp;
        }
        for (int q = 0; q < s.K - 1; q++) assert_true(fabs(b_slope[q]) < 1e-8);
        assert_close(m.state.log_posterior, F, 1e-12);
        long double evidence = F - 0.5L * log_determinant(&s, &m, 7, m.used, m.alpha, NULL);
        for (int j = 0; j < 7; j++) evidence += 0.5L * logl(m.alpha[j]);
        assert_close(m.log_evidence, (double)evidence, 1e-12);
    }
}

static void without_functions_thresholds_are_frequencies(void **state)
{
    rung_ctx *ctx = *state;
    data s;
    sparse_model m;
    draw(ctx, 9, 200, 4, &s);
    assert_ok(ctx, sparse_start(ctx, &ctx->scratch, &s.rows, &s.basis, &m));
    assert_ok(ctx, sparse_refit(ctx, &m, 1e-12));
    double evidence = 0;
    for (int q = 1; q <= 4; q++) {
        int64_t below = 0, count = 0;
        for (int64_t i = 0; i < s.n; i++) {
            below += s.y[i] <= q;
            count += s.y[i] == q;
        }
        if (q < 4) assert_close(normal_log_cdf(m.b[q - 1]), log((double)below / 200), 1e-12);
        evidence += (double)count * log((double)count / 200);
    }
    assert_close(m.log_evidence, evidence, 1e-12);
}

/* Every gain is the difference of two determinants: additions, new precisions, deletions, at random. */
static void gains_are_those_of_the_full_determinant(void **state)
{
    rung_ctx *ctx = *state;
    int seen[4] = {0};
    rng r;
    rng_open(&r, 10, 1);
    for (int model = 0; model < 60; model++) {
        data s;
        sparse_model m;
        draw(ctx, 100 + (uint64_t)model, 40, 3, &s);
        assert_ok(ctx, sparse_start(ctx, &ctx->scratch, &s.rows, &s.basis, &m));
        int M = 1 + (int)rng_below(&r, 6);
        for (int j = 0; j < M; j++) add(ctx, &s, &m, 5 * j + rng_below(&r, 5), exp(3 * rng_normal(&r)));
        assert_ok(ctx, sparse_refit(ctx, &m, 1e-12));
        long double now = gaussian_evidence(&s, &m, M, m.used, m.alpha);
        int64_t used[MOST], outside[40];
        double alpha[MOST], S[40], Q[40];
        for (int j = 0; j < M; j++) { /* in the model */
            sparse_own_relevance(&m, j, &S[0], &Q[0]);
            sparse_action action = sparse_best_action(S[0], Q[0], m.alpha[j]);
            int kept = 0;
            for (int l = 0; l < M; l++) {
                if (l == j && action.kind == ACTION_DELETE) continue;
                used[kept] = m.used[l];
                alpha[kept++] = l == j ? action.alpha : m.alpha[l];
            }
            seen[action.kind]++;
            assert_true(action.kind == ACTION_DELETE || isfinite(action.alpha));
            assert_close(action.gain, (double)(gaussian_evidence(&s, &m, kept, used, alpha) - now), 1e-10);
            assert_true(action.gain > -1e-12); /* the best precision is no worse than the present one */
        }
        for (int64_t j = 0; j < 40; j++) outside[j] = j;
        assert_ok(ctx, sparse_relevance(ctx, &m, 40, outside, S, Q));
        for (int64_t j = 0; j < 40; j += 3) {
            bool inside = false;
            for (int l = 0; l < M; l++) inside |= m.used[l] == j;
            if (inside) continue;
            sparse_action action = sparse_best_action(S[j], Q[j], INFINITY);
            seen[action.kind]++;
            if (action.kind == ACTION_NONE) continue;
            memcpy(used, m.used, (size_t)M * sizeof *used);
            memcpy(alpha, m.alpha, (size_t)M * sizeof *alpha);
            used[M] = j;
            alpha[M] = action.alpha;
            long double best = gaussian_evidence(&s, &m, M + 1, used, alpha);
            assert_close(action.gain, (double)(best - now), 1e-10);
            for (double factor = 0.8; factor < 1.3; factor += 0.4) { /* and no other precision brings more */
                alpha[M] = action.alpha * factor;
                assert_true(gaussian_evidence(&s, &m, M + 1, used, alpha) < best);
            }
        }
    }
    assert_true(seen[ACTION_NONE] > 20 && seen[ACTION_ADD] > 100 && seen[ACTION_ESTIMATE] > 20 &&
                seen[ACTION_DELETE] > 20);
}

/* A new function of weight 0 changes nothing but the gram matrix, which is kept up to date; so a fit that goes on from
 * there is the fit from the beginning. */
/* A function that the likelihood does not see, or that would explain less than it costs, is not added. */
static void functions_without_gain_stay_out(void **state)
{
    (void)state;
    assert_int_equal(sparse_best_action(1e-13, 1, INFINITY).kind, ACTION_NONE);
    assert_int_equal(sparse_best_action(4, 1.9, INFINITY).kind, ACTION_NONE);
    sparse_action add_it = sparse_best_action(4, 3, INFINITY); /* alpha = S^2 / (Q^2 - S) */
    assert_int_equal(add_it.kind, ACTION_ADD);
    assert_close(add_it.alpha, 16.0 / 5, 1e-15);
}

static void going_on_is_beginning_again(void **state)
{
    rung_ctx *ctx = *state;
    data s;
    sparse_model on, again;
    draw(ctx, 50, 150, 4, &s);
    assert_ok(ctx, sparse_start(ctx, &ctx->scratch, &s.rows, &s.basis, &on));
    assert_ok(ctx, sparse_start(ctx, &ctx->scratch, &s.rows, &s.basis, &again));
    for (int j = 0; j < 5; j++) {
        add(ctx, &s, &on, 11 * j, 0.1);
        assert_ok(ctx, sparse_refit(ctx, &on, 1e-12));
        assert_true(on.state.fresh);
    }
    sparse_delete(&on, 2);
    assert_ok(ctx, sparse_refit(ctx, &on, 1e-12));
    for (int j = 0; j < 5; j++)
        if (j != 2) add(ctx, &s, &again, 11 * j, 0.1);
    assert_ok(ctx, sparse_refit(ctx, &again, 1e-12));
    assert_int_equal(on.M, 4);
    assert_memory_equal(on.used, again.used, 4 * sizeof *on.used);
    assert_arrays_close(4, on.w, again.w, 1e-9);
    assert_arrays_close(3, on.b, again.b, 1e-9);
    assert_arrays_close(16, on.state.gram, again.state.gram, 1e-9);
    assert_close(on.log_evidence, again.log_evidence, 1e-11);
}

static void parallel_columns_are_found(void **state)
{
    rung_ctx *ctx = *state;
    data s;
    sparse_model m;
    draw(ctx, 51, 60, 3, &s);
    memcpy(s.x + 2 * 30, s.x + 2 * 4, 2 * sizeof *s.x); /* row 30 is row 4 again */
    use(ctx, &s, false);
    double *column;
    int64_t place;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, column, s.n));
    assert_ok(ctx, sparse_start(ctx, &ctx->scratch, &s.rows, &s.basis, &m));
    assert_ok(ctx, la_basis_column(ctx, &s.basis, 30, column));
    assert_ok(ctx, sparse_aligned(ctx, &m, column, &place));
    assert_int_equal(place, -1);
    add(ctx, &s, &m, 9, 1);
    add(ctx, &s, &m, 4, 1);
    assert_ok(ctx, sparse_aligned(ctx, &m, column, &place));
    assert_int_equal(place, 1);
}

/* Classes so far apart that nothing is left of their overlap: still a maximum, thresholds in order. */
static void separated_classes_have_a_maximum(void **state)
{
    rung_ctx *ctx = *state;
    enum { N = 40 };
    double x[N];
    int y[N];
    for (int i = 0; i < N; i++) {
        y[i] = 1 + i % 4;
        x[i] = 100.0 * y[i] + i / 100.0;
    }
    data s = {.n = N, .d = 1, .K = 4, .x = x, .y = y};
    sparse_model m;
    use(ctx, &s, true);
    assert_ok(ctx, sparse_start(ctx, &ctx->scratch, &s.rows, &s.basis, &m));
    add(ctx, &s, &m, 0, 1e-6);
    assert_ok(ctx, sparse_refit(ctx, &m, 1e-10));
    assert_true(isfinite(m.log_evidence) && m.b[0] < m.b[1] && m.b[1] < m.b[2]);
    for (int i = 0; i < N; i++) assert_true(m.state.f[i] < (y[i] < 4 ? m.b[y[i] - 1] : INFINITY));
}

/* A function whose squares are no numbers. */
static void functions_that_overflow_are_refused(void **state)
{
    rung_ctx *ctx = *state;
    double x[] = {1e200, -2e200, 3e200, 1e199};
    int y[] = {1, 2, 2, 1};
    data s = {.n = 4, .d = 1, .K = 2, .x = x, .y = y};
    sparse_model m;
    use(ctx, &s, true);
    assert_ok(ctx, sparse_start(ctx, &ctx->scratch, &s.rows, &s.basis, &m));
    add(ctx, &s, &m, 0, 1);
    assert_fails(ctx, sparse_refit(ctx, &m, 1e-10), RUNG_ENOCONV,
                 "the Newton iteration for weights and thresholds overflows");
}

/* The same function twice, and precisions that say nothing: what is left of the second one is rounding. */
static void functions_that_depend_on_each_other_have_a_maximum(void **state)
{
    rung_ctx *ctx = *state;
    data s;
    sparse_model m, once;
    draw(ctx, 52, 60, 3, &s);
    assert_ok(ctx, sparse_start(ctx, &ctx->scratch, &s.rows, &s.basis, &m));
    assert_ok(ctx, sparse_start(ctx, &ctx->scratch, &s.rows, &s.basis, &once));
    for (int j = 0; j < 6; j++) add(ctx, &s, &m, 9, 1e-18);
    add(ctx, &s, &once, 9, 1e-18);
    assert_ok(ctx, sparse_refit(ctx, &m, 1e-12));
    assert_ok(ctx, sparse_refit(ctx, &once, 1e-12));
    assert_close(m.state.log_posterior, once.state.log_posterior, 1e-9);
    assert_true(isfinite(m.log_evidence));
}

/* Weights that a deleted function leaves behind may put every row far away from its class. */
static void deleting_a_large_weight_leads_back(void **state)
{
    rung_ctx *ctx = *state;
    data s;
    sparse_model m, again;
    draw(ctx, 53, 300, 5, &s);
    assert_ok(ctx, sparse_start(ctx, &ctx->scratch, &s.rows, &s.basis, &m));
    assert_ok(ctx, sparse_start(ctx, &ctx->scratch, &s.rows, &s.basis, &again));
    for (int j = 0; j < 4; j++) add(ctx, &s, &m, 11 * j, 0.1);
    assert_ok(ctx, sparse_refit(ctx, &m, 1e-12));
    m.w[0] = 1e7;
    m.w[2] = -1e7;
    sparse_delete(&m, 3);
    assert_ok(ctx, sparse_refit(ctx, &m, 1e-12));
    for (int j = 0; j < 3; j++) add(ctx, &s, &again, 11 * j, 0.1);
    assert_ok(ctx, sparse_refit(ctx, &again, 1e-12));
    assert_arrays_close(3, m.w, again.w, 1e-9);
    assert_close(m.log_evidence, again.log_evidence, 1e-11);
}

typedef struct {
    rung_ctx *ctx;
    const data *s;
} refit_call;

static rung_status grow_and_refit(void *argument)
{
    refit_call *c = argument;
    sparse_model m;
    pool mem = {0};
    double S[10], Q[10];
    int64_t id[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    rung_status status = sparse_start(c->ctx, &mem, &c->s->rows, &c->s->basis, &m);
    for (int64_t j = 20; j < 23 && status == RUNG_OK; j++) {
        double column[60];
        status = la_basis_column(c->ctx, &c->s->basis, j, column);
        if (status == RUNG_OK) status = sparse_add(c->ctx, &m, j, 1, column);
        if (status == RUNG_OK) status = sparse_refit(c->ctx, &m, 1e-8);
    }
    if (status == RUNG_OK) status = sparse_relevance(c->ctx, &m, 10, id, S, Q);
    pool_free_all(&mem);
    pool_release(&c->ctx->scratch, 0);
    return status;
}

static void allocations_may_fail(void **state)
{
    rung_ctx *ctx = *state, *worker;
    data s;
    draw(ctx, 60, 60, 3, &s);
    assert_ok(ctx, context_worker(ctx, &worker));
    refit_call call = {worker, &s};
    assert_true(fail_each_allocation(grow_and_refit, &call) > 20);
    context_join(ctx, worker);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(golden_units),
        WITH_CONTEXT(evidence_gradient_is_the_golden_one),
        WITH_CONTEXT(the_maximum_is_one),
        WITH_CONTEXT(without_functions_thresholds_are_frequencies),
        WITH_CONTEXT(gains_are_those_of_the_full_determinant),
        cmocka_unit_test(functions_without_gain_stay_out),
        WITH_CONTEXT(going_on_is_beginning_again),
        WITH_CONTEXT(parallel_columns_are_found),
        WITH_CONTEXT(separated_classes_have_a_maximum),
        WITH_CONTEXT(functions_that_overflow_are_refused),
        WITH_CONTEXT(functions_that_depend_on_each_other_have_a_maximum),
        WITH_CONTEXT(deleting_a_large_weight_leads_back),
        WITH_CONTEXT(allocations_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
