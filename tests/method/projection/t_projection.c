// SPDX-License-Identifier: BSD-3-Clause
/* LDA, LPP, NPE and IsoProjection against their definitions: both quadratic forms written out in long double. */
#include "manifold_cases.h"

#include "method/projection/manifold.h"
#include "method/projection/projection.h"

enum { NEIGHBOURS = 6 };

static const char *const methods[] = {"lda", "lpp", "npe", "isoproj"};

/* ---- the forms by definition ---- */

static void take_mean(sample *s, const real *weight)
{
    for (int64_t j = 0; j < s->d; j++) {
        real sum = 0, total = 0;
        for (int64_t i = 0; i < s->n; i++) {
            sum += weight[i] * s->X[j + i * s->d];
            total += weight[i];
        }
        for (int64_t i = 0; i < s->n; i++) s->X[j + i * s->d] -= (double)(sum / total);
    }
}

static void euclidean(const sample *s, double *D)
{
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t j = 0; j < s->n; j++) D[i * s->n + j] = square_distance(s, i, j);
}

/* G such that the between scatter is X G X' = sum_q n_q (m_q - m)(m_q - m)', H for the within scatter. */
static void lda_by_definition(const sample *s, bool weighted, real *G, real *H)
{
    real mass[10] = {0}, total = 0;
    for (int64_t i = 0; i < s->n; i++) {
        mass[s->y[i] - 1] += weighted ? s->w[i] : 1;
        total += weighted ? s->w[i] : 1;
    }
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t j = 0; j < s->n; j++) {
            real wi = weighted ? s->w[i] : 1, wj = weighted ? s->w[j] : 1;
            real same = s->y[i] == s->y[j] ? wi * wj / mass[s->y[i] - 1] : 0;
            G[i + j * s->n] = same - wi * wj / total;
            H[i + j * s->n] = (i == j ? wi : 0) - same;
        }
}

static void npe_by_definition(const sample *s, const double *D, real *H)
{
    static bool near[MOST * MOST];
    int64_t n = s->n;
    real *R = calloc((size_t)(n * n), sizeof *R);
    nearest_by_definition(n, NEIGHBOURS, D, near);
    for (int64_t i = 0; i < n; i++) {
        real gram[NEIGHBOURS * NEIGHBOURS], w[NEIGHBOURS], trace = 0, sum = 0;
        int64_t of[NEIGHBOURS], k = 0;
        for (int64_t j = 0; j < n; j++)
            if (near[i * n + j]) of[k++] = j;
        for (int a = 0; a < NEIGHBOURS; a++)
            for (int b = 0; b < NEIGHBOURS; b++) {
                real g = 0;
                for (int64_t c = 0; c < s->d; c++)
                    g += ((real)s->X[c + of[a] * s->d] - s->X[c + i * s->d]) *
                         ((real)s->X[c + of[b] * s->d] - s->X[c + i * s->d]);
                gram[a + b * NEIGHBOURS] = g;
                if (a == b) trace += g;
            }
        for (int a = 0; a < NEIGHBOURS; a++) {
            gram[a + a * NEIGHBOURS] += 1e-3L * trace;
            w[a] = 1;
        }
        solve_real(NEIGHBOURS, gram, 1, w);
        for (int a = 0; a < NEIGHBOURS; a++) sum += w[a];
        R[i + i * n] = 1;
        for (int a = 0; a < NEIGHBOURS; a++) R[i + of[a] * n] -= w[a] / sum;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            H[i + j * n] = 0;
            for (int64_t c = 0; c < n; c++) H[i + j * n] += R[c + i * n] * R[c + j * n];
        }
    free(R);
}

/* -1/2 of the squared shortest paths on the or-graph with the minimum spanning tree (Kruskal, Floyd and Warshall). */
static void isoproj_by_definition(const sample *s, const double *D, real *G)
{
    static bool near[MOST * MOST];
    int64_t n = s->n, part[MOST];
    nearest_by_definition(n, NEIGHBOURS, D, near);
    for (int64_t i = 0; i < n; i++) {
        part[i] = i;
        for (int64_t j = 0; j < n; j++)
            G[i + j * n] = i == j ? 0 : near[i * n + j] || near[j * n + i] ? sqrtl(D[i * n + j]) : INFINITY;
    }
    for (int64_t edges = 0; edges < n - 1; edges++) {
        int64_t a = -1, b = -1;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i + 1; j < n; j++)
                if (part[i] != part[j] && (a < 0 || D[i * n + j] < D[a * n + b])) a = i, b = j;
        G[a + b * n] = G[b + a * n] = sqrtl(D[a * n + b]);
        for (int64_t i = 0, from = part[b], to = part[a]; i < n; i++)
            if (part[i] == from) part[i] = to;
    }
    for (int64_t c = 0; c < n; c++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) G[i + j * n] = fminl(G[i + j * n], G[i + c * n] + G[c + j * n]);
    for (int64_t i = 0; i < n * n; i++) G[i] *= -G[i] / 2;
}

/* A and B (d x d) of a method; s is centred as the method wants it. */
static void forms(rung_ctx *ctx, const char *name, sample *s, bool weighted, real *A, real *B)
{
    static double D[MOST * MOST];
    int64_t n = s->n;
    real *G = reals(ctx, n * n), *H = reals(ctx, n * n), *weight = reals(ctx, n);
    euclidean(s, D);
    for (int64_t i = 0; i < n; i++) weight[i] = 1;
    if (!strcmp(name, "lda")) lda_by_definition(s, weighted, G, H);
    if (!strcmp(name, "lpp")) {
        laplacian_by_definition(n, NEIGHBOURS, D, false, H);
        for (int64_t i = 0; i < n; i++) weight[i] = G[i + i * n] = H[i + i * n];
    }
    if (!strcmp(name, "npe")) npe_by_definition(s, D, H);
    if (!strcmp(name, "isoproj")) isoproj_by_definition(s, D, G);
    for (int64_t i = 0; i < n; i++) {
        if (!strcmp(name, "npe")) G[i + i * n] = 1;
        if (!strcmp(name, "isoproj")) H[i + i * n] = 1;
    }
    take_mean(s, weight);
    form_by_definition(s, G, A);
    form_by_definition(s, H, B);
}

/* Each direction is an eigenvector, with the value reported; no other direction has a larger ratio. */
static void check_directions(rung_ctx *ctx, const char *name, const sample *given, bool weighted, double ridge, int r,
                             const fitted *f)
{
    sample s = *given;
    int64_t d = s.d;
    real *A = reals(ctx, d * d), *B = reals(ctx, d * d), trace = 0, size = 0;
    forms(ctx, name, &s, weighted, A, B);
    for (int64_t j = 0; j < d; j++) trace += B[j + j * d];
    for (int64_t j = 0; j < d; j++) B[j + j * d] += ridge * trace / d;
    const double *values = reported(f, "eigenvalues")->value;
    for (int64_t j = 0; j < d * d; j++) size = fmaxl(size, fabsl(A[j]));
    for (int o = 0; o < r; o++) {
        const double *w = f->own.score.coef + o * d;
        real norm = 0, own = 0;
        for (int64_t a = 0; a < d; a++) {
            real left = 0, right = 0;
            for (int64_t b = 0; b < d; b++) {
                left += A[a + b * d] * w[b];
                right += B[a + b * d] * w[b];
            }
            assert_true(fabsl(left - values[o] * right) <= 1e-9L * size);
            own += w[a] * right;
            norm += (real)w[a] * w[a];
        }
        assert_close((double)(r == 1 ? norm : own), 1, 1e-9);
        if (o > 0) assert_true(values[o] <= values[o - 1]);
    }
    rng random;
    rng_open(&random, 3, 0);
    for (int t = 0; t < 200; t++) {
        double v[WIDE];
        real up = 0, down = 0;
        for (int64_t j = 0; j < d; j++) /* far from the solution and near it */
            v[j] = rng_normal(&random) * (t % 2 ? 1 : 0.01) + (t % 2 ? 0 : f->own.score.coef[j]);
        for (int64_t a = 0; a < d; a++)
            for (int64_t b = 0; b < d; b++) {
                up += v[a] * A[a + b * d] * v[b];
                down += v[a] * B[a + b * d] * v[b];
            }
        assert_true(up / down <= values[0] * (1 + 1e-9L));
    }
}

static void directions_maximise_the_ratio(void **state)
{
    rung_ctx *ctx = *state;
    static const int64_t shapes[][2] = {{50, 4}, {40, 1}, {20, 30}, {12, 60}}; /* more columns than rows, too */
    for (size_t m = 0; m < 4; m++)
        for (size_t i = 0; i < 4; i++) {
            sample s;
            draw(&s, shapes[i][0], shapes[i][1], 3, i, m > 0);
            const char *name = methods[m];
            fitted f = m == 0 ? fit_settings(ctx, name, SETTINGS("ridge", "0.001"), &s)
                              : fit_settings(ctx, name, SETTINGS("ridge", "0.001", "neighbours", "6"), &s);
            check_directions(ctx, name, &s, false, 0.001, 1, &f);
        }
}

static void several_components_are_orthonormal_in_the_denominator(void **state)
{
    rung_ctx *ctx = *state;
    for (size_t m = 1; m < 4; m++)
        for (int wide = 0; wide < 2; wide++) {
            sample s;
            draw(&s, wide ? 20 : 50, wide ? 30 : 5, 4, 30, true);
            fitted f =
                fit_settings(ctx, methods[m], SETTINGS("ridge", "0.01", "neighbours", "6", "components", "3"), &s);
            assert_int_equal(f.own.score.outputs, 3);
            check_directions(ctx, methods[m], &s, false, 0.01, 3, &f);
        }
    sample s;
    draw(&s, 50, 5, 4, 31, false);
    fitted f = fit_settings(ctx, "lda", SETTINGS("ridge", "0.01", "components", "3"), &s);
    check_directions(ctx, "lda", &s, false, 0.01, 3, &f);
    assert_int_equal(f.own.map.n, 0);
    assert_int_equal(f.own.decide.kind, DECISION_NEAREST_MEAN);
}

static void weights_are_masses(void **state)
{
    rung_ctx *ctx = *state;
    sample s;
    fitted f;
    draw(&s, 40, 3, 3, 40, false);
    assert_ok(ctx, try_settings(ctx, "lda", SETTINGS("ridge", "0.001"), &s, true, &f));
    check_directions(ctx, "lda", &s, true, 0.001, 1, &f);
}

/* ---- what follows from a direction ---- */

static void scores_rise_with_the_rank_and_the_nearest_mean_decides(void **state)
{
    rung_ctx *ctx = *state;
    for (size_t m = 0; m < 4; m++)
        for (uint64_t stream = 50; stream < 60; stream++) {
            sample s;
            double f[MOST], mean[4] = {0}, count[4] = {0}, cov = 0, mean_y = 0, mean_f = 0, l = 0;
            draw(&s, 45, 3, 4, stream, m > 0);
            fitted fit = fit_settings(ctx, methods[m], SETTINGS("ridge", "0.001"), &s);
            scores(ctx, &fit, &s, f);
            for (int64_t i = 0; i < s.n; i++) {
                if (!s.y[i]) continue;
                mean[s.y[i] - 1] += f[i];
                count[s.y[i] - 1]++;
                mean_f += f[i];
                mean_y += s.y[i];
                l++;
            }
            for (int64_t i = 0; i < s.n; i++)
                if (s.y[i]) cov += (f[i] - mean_f / l) * (s.y[i] - mean_y / l);
            assert_true(cov >= 0);
            member one = {.score = fit.own.score, .decide = fit.own.decide};
            for (int64_t i = 0; i < s.n; i++) {
                int nearest = 0;
                for (int q = 0; q < 4; q++)
                    if (fabs(f[i] - mean[q] / count[q]) < fabs(f[i] - mean[nearest] / count[nearest])) nearest = q;
                assert_int_equal(member_rank(&one, &f[i], NULL), nearest + 1);
            }
            for (int q = 1; q < 4; q++) assert_true(fit.own.map.f[q] > fit.own.map.f[q - 1]);
        }
}

static void labels_are_not_needed(void **state)
{
    rung_ctx *ctx = *state;
    for (size_t m = 1; m < 4; m++) {
        sample s;
        draw(&s, 40, 3, 3, 60, false);
        fitted with = fit_settings(ctx, methods[m], SETTINGS("ridge", "0.001"), &s);
        memset(s.y, 0, sizeof s.y);
        s.K = 0;
        fitted without = fit_settings(ctx, methods[m], SETTINGS("ridge", "0.001"), &s);
        assert_int_equal(without.own.decide.kind, DECISION_NONE);
        assert_int_equal(without.own.map.n, 0);
        int64_t largest = 0;
        for (int64_t j = 0; j < 3; j++) {
            assert_close(fabs(without.own.score.coef[j]), fabs(with.own.score.coef[j]), 1e-12);
            if (fabs(without.own.score.coef[j]) > fabs(without.own.score.coef[largest])) largest = j;
        }
        assert_true(without.own.score.coef[largest] > 0);
        s.K = 1;
        s.y[7] = 1;
        fitted one = fit_settings(ctx, methods[m], SETTINGS("ridge", "0.001"), &s);
        assert_int_equal(one.own.decide.K, 1);
    }
}

static void hard_rows_have_an_answer(void **state)
{
    rung_ctx *ctx = *state;
    for (size_t m = 0; m < 4; m++)
        for (int c = 0; c < 6; c++) {
            sample s;
            double f[MOST];
            draw(&s, c == 4 ? 3 : 24, c == 5 ? 40 : 3, 3, 70, false);
            for (int64_t i = 0; i < s.n; i++)
                for (int64_t j = 0; j < s.d; j++) {
                    double *x = &s.X[j + i * s.d];
                    if (c == 0) *x = s.X[j];                   /* all rows the same */
                    if (c == 1 && j == 1) *x = 0;              /* a constant column */
                    if (c == 2) *x = s.X[j + i / 4 * 4 * s.d]; /* each row four times */
                    if (c == 3) *x = floor(*x);                /* ties */
                }
            fitted fit = fit_settings(ctx, methods[m], SETTINGS("ridge", "0.001"), &s);
            scores(ctx, &fit, &s, f);
            for (int64_t i = 0; i < s.n; i++) assert_true(isfinite(f[i]));
        }
}

static void wrong_numbers_of_components_are_refused(void **state)
{
    rung_ctx *ctx = *state;
    sample s;
    fitted f;
    draw(&s, 30, 3, 3, 80, false);
    assert_fails(ctx, try_settings(ctx, "lpp", SETTINGS("components", "4"), &s, false, &f), RUNG_EARG,
                 "span only 3 dimensions");
    assert_fails(ctx, try_settings(ctx, "lda", SETTINGS("components", "3"), &s, false, &f), RUNG_EARG,
                 "3 classes have only 2");
    draw(&s, 10, 40, 2, 81, false);
    assert_fails(ctx, try_settings(ctx, "npe", SETTINGS("components", "10"), &s, false, &f), RUNG_EARG,
                 "span only 9 dimensions");
}

static void a_singular_denominator_is_told(void **state)
{
    rung_ctx *ctx = *state;
    sample s;
    fitted f;
    draw(&s, 30, 3, 3, 82, false);
    for (int64_t i = 0; i < s.n; i++) s.X[2 + i * 3] = 0;
    assert_fails(ctx, try_settings(ctx, "lda", SETTINGS("ridge", "0"), &s, false, &f), RUNG_ESINGULAR,
                 "use a larger ridge");
}

/* One row in every class, with weights that are no round numbers: the scatter within the classes is rounding, and the
 * direction is that of the largest scatter between them. */
static void one_row_in_every_class(void **state)
{
    rung_ctx *ctx = *state;
    for (uint64_t c = 0; c < 10; c++) {
        sample s;
        const double w[6] = {0.347, 0.448, 1.333, 0.228, 4.848, 0.484};
        fitted fit;
        draw(&s, 6, 2, 6, 90 + c, false);
        for (int i = 0; i < 6; i++) s.y[i] = i + 1, s.w[i] = w[i];
        assert_ok(ctx, try_settings(ctx, "lda", SETTINGS("ridge", "0.001"), &s, true, &fit));
        assert_true(reported(&fit, "eigenvalues")->value[0] < 1e3);
    }
}

/* The ridge is a share of the mean over columns that vary: others change nothing. */
static void constant_columns_change_nothing(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const linear[] = {"lda", "lpp", "npe", "isoproj", "orml", "orml-m", "mlda", "tlpp"};
    for (size_t m = 0; m < 8; m++)
        for (int unlabelled = 0; unlabelled < 2; unlabelled++) {
            sample s, more;
            double f[MOST], g[MOST], size = 0;
            draw(&s, 40, 3, 3, 83, unlabelled);
            more = s;
            more.d = 7;
            for (int64_t i = 0; i < s.n; i++)
                for (int64_t j = 0; j < 7; j++) more.X[j + i * 7] = j < 3 ? s.X[j + i * 3] : j == 5 ? 0 : 2;
            if ((m == 0 || m == 6) && unlabelled) continue; /* they see labelled rows alone */
            const char *const *settings =
                m == 4 ? SETTINGS("kernel", "linear", "ridge", "0.1", "neighbours", "6") : SETTINGS("ridge", "0.1");
            fitted without = fit_settings(ctx, linear[m], settings, &s);
            fitted with = fit_settings(ctx, linear[m], settings, &more);
            scores(ctx, &without, &s, f);
            scores(ctx, &with, &more, g);
            for (int64_t i = 0; i < s.n; i++) size = fmax(size, fabs(f[i]));
            for (int64_t i = 0; i < s.n; i++) assert_close(g[i] / size, f[i] / size, 1e-9);
        }
}

/* ---- parts ---- */

static void reconstruction_leaves_constants_alone(void **state)
{
    rung_ctx *ctx = *state;
    sample s;
    problem p;
    la_csr R, transposed;
    double one[MOST], rest[MOST];
    draw(&s, 50, 3, 3, 90, false);
    for (int64_t j = 0; j < 3; j++) s.X[j + 3] = s.X[j]; /* a duplicate */
    problem_new(&ctx->scratch, &(problem_rows){s.d, s.n, s.X, s.y, NULL, s.origin, s.K}, &p);
    assert_ok(ctx, reconstruction(ctx, &p, 5, &R, &transposed));
    for (int64_t i = 0; i < s.n; i++) {
        one[i] = 1;
        assert_int_equal(R.start[i + 1] - R.start[i], 6);
        for (int64_t e = R.start[i] + 1; e < R.start[i + 1]; e++) assert_true(R.col[e] > R.col[e - 1]);
        for (int64_t e = transposed.start[i] + 1; e < transposed.start[i + 1]; e++)
            assert_true(transposed.col[e] > transposed.col[e - 1]);
    }
    assert_ok(ctx, la_spmm_thin(ctx, 1, &R, 1, one, 0, rest));
    for (int64_t i = 0; i < s.n; i++) assert_close(rest[i], 0, 1e-12);
    for (int64_t i = 0; i < s.n; i++)
        for (int64_t e = R.start[i]; e < R.start[i + 1]; e++) {
            int64_t j = R.col[e], at = transposed.start[j];
            while (at < transposed.start[j + 1] && transposed.col[at] != i) at++;
            assert_true(at < transposed.start[j + 1] && transposed.value[at] == R.value[e]);
        }
}

/* With more columns than rows the coordinates keep all inner products of the centred rows. */
static void the_span_keeps_inner_products(void **state)
{
    rung_ctx *ctx = *state;
    sample s;
    problem p;
    row_space whole, span;
    draw(&s, 15, 50, 3, 91, false);
    problem_new(&ctx->scratch, &(problem_rows){s.d, s.n, s.X, s.y, NULL, s.origin, s.K}, &p);
    assert_ok(ctx, row_space_new(ctx, &p, false, &whole));
    assert_ok(ctx, row_space_new(ctx, &p, true, &span));
    assert_null(whole.back);
    int64_t c = la_cols(span.T);
    assert_int_equal(c, 14);
    double *T = malloc(sizeof(double) * 15 * 50), *C = malloc(sizeof(double) * 15 * 14), w[50], v[14] = {0, 0, 1};
    la_get(whole.T, T);
    la_get(span.T, C);
    for (int i = 0; i < 15; i++)
        for (int j = 0; j < 15; j++) {
            double a = 0, b = 0;
            for (int e = 0; e < 50; e++) a += T[i + e * 15] * T[j + e * 15];
            for (int e = 0; e < 14; e++) b += C[i + e * 15] * C[j + e * 15];
            assert_close(b, a, 1e-11);
        }
    assert_ok(ctx, row_space_directions(ctx, &span, 1, v, w));
    for (int i = 0; i < 15; i++) { /* f = T w = C v */
        double f = 0;
        for (int e = 0; e < 50; e++) f += T[i + e * 15] * w[e];
        assert_close(f, C[i + 2 * 15], 1e-11);
    }
    free(T);
    free(C);
}

typedef struct {
    rung_ctx *ctx;
    const char *name;
    sample *s;
} fit_call;

static rung_status fit_once(void *argument)
{
    fit_call *c = argument;
    fitted f;
    pool_mark mark = pool_here(&c->ctx->scratch);
    rung_status status = try_settings(c->ctx, c->name, SETTINGS("ridge", "0.001"), c->s, false, &f);
    pool_release(&c->ctx->scratch, mark);
    return status;
}

static void every_allocation_may_fail_with_more_columns_than_rows(void **state)
{
    rung_ctx *ctx = *state;
    for (size_t m = 0; m < 4; m++) {
        sample s;
        draw(&s, 12, 20, 3, 95, false);
        fit_call call = {ctx, methods[m], &s};
        assert_true(fail_each_allocation(fit_once, &call) > 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(directions_maximise_the_ratio),
        WITH_CONTEXT(several_components_are_orthonormal_in_the_denominator),
        WITH_CONTEXT(weights_are_masses),
        WITH_CONTEXT(scores_rise_with_the_rank_and_the_nearest_mean_decides),
        WITH_CONTEXT(labels_are_not_needed),
        WITH_CONTEXT(hard_rows_have_an_answer),
        WITH_CONTEXT(wrong_numbers_of_components_are_refused),
        WITH_CONTEXT(a_singular_denominator_is_told),
        WITH_CONTEXT(one_row_in_every_class),
        WITH_CONTEXT(constant_columns_change_nothing),
        WITH_CONTEXT(reconstruction_leaves_constants_alone),
        WITH_CONTEXT(the_span_keeps_inner_products),
        WITH_CONTEXT(every_allocation_may_fail_with_more_columns_than_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
