// SPDX-License-Identifier: BSD-3-Clause
/* Tensor methods: contractions by definition, what each mode solves, and the objective of ORML/M. */
#include "manifold_cases.h"

#include "method/projection/tensor.h"

static const char *const pairs[][2] = {{"lda", "mlda"}, {"lpp", "tlpp"}, {"npe", "tnpe"}, {"isoproj", "mie"}};

/* ---- shapes ---- */

static void shapes_are_read_strictly(void **state)
{
    rung_ctx *ctx = *state;
    tensor t;
    assert_ok(ctx, tensor_new(ctx, "4x4x3", 48, &t));
    assert_int_equal(t.modes, 3);
    assert_int_equal(t.size[2], 3);
    assert_close(t.w[1][3], 0.5, 1e-15);
    assert_ok(ctx, tensor_new(ctx, NULL, 7, &t));
    assert_true(t.modes == 1 && t.size[0] == 7);
    assert_fails(ctx, tensor_new(ctx, "16x16", 255, &t), RUNG_EARG, "256 entries, but a row has 255 columns");
    static const char *const bad[] = {"", "16x", "x16", "4xx4", "4x-4", "4x4.0", "4X4", "4 x 4", "0x4", "9999999999x2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_fails(ctx, tensor_new(ctx, bad[i], 16, &t), RUNG_EARG, "expected sizes");
    assert_fails(ctx, tensor_new(ctx, "1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1", 1, &t), RUNG_EARG, "more than 16 modes");
    assert_fails(ctx, tensor_new(ctx, "2000000000x2000000000x2000000000", 16, &t), RUNG_EARG, "too large");
    assert_true(tensor_longest("4x9x3", 108) == 9 && tensor_longest(NULL, 5) == 5);
}

/* ---- contractions ---- */

static void set_vectors(tensor *t, uint64_t stream)
{
    rng r;
    rng_open(&r, 5, stream);
    for (int q = 0; q < t->modes; q++)
        for (int64_t i = 0; i < t->size[q]; i++) t->w[q][i] = rng_normal(&r);
}

/* Index i_q of mode q at column c, the last mode fastest. */
static int64_t index_of(const tensor *t, int64_t c, int q)
{
    for (int u = t->modes - 1; u > q; u--) c /= t->size[u];
    return c % t->size[q];
}

static double weight_but(const tensor *t, int64_t c, int but)
{
    double w = 1;
    for (int q = 0; q < t->modes; q++)
        if (q != but) w *= t->w[q][index_of(t, c, q)];
    return w;
}

static void contractions_by_definition(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const shapes[] = {"2x3x4", "24", "1x24", "4x1x6", "2x2x2x3"};
    for (size_t s = 0; s < 5; s++) {
        enum { M = 5, D = 24 };
        tensor t;
        double F[M * D], got[M * D], want[M * D], direction[D];
        assert_ok(ctx, tensor_new(ctx, shapes[s], D, &t));
        set_vectors(&t, s);
        rng r;
        rng_open(&r, 6, s);
        for (int i = 0; i < M * D; i++) F[i] = rng_normal(&r);
        for (int p = 0; p < t.modes; p++) {
            memset(want, 0, sizeof want);
            for (int64_t c = 0; c < D; c++)
                for (int k = 0; k < M; k++) want[k + index_of(&t, c, p) * M] += weight_but(&t, c, p) * F[k + c * M];
            assert_ok(ctx, tensor_contract(ctx, &t, p, M, F, got));
            assert_arrays_close(M * t.size[p], got, want, 1e-13);
        }
        tensor_direction(&t, direction);
        for (int64_t c = 0; c < D; c++) assert_close(direction[c], weight_but(&t, c, -1), 1e-14);
    }
}

/* W'(T'F)W by definition, with fewer and with more rows than columns. */
static void a_mode_sees_its_form(void **state)
{
    rung_ctx *ctx = *state;
    for (int64_t n = 8; n < 40; n += 24) {
        enum { D = 12 };
        tensor t;
        tensor_forms forms;
        double A[32 * D], B[32 * D], seen[D * D];
        la_mat *T = NULL, *F = NULL, *out[TENSOR_FORMS];
        rng r;
        rng_open(&r, 7, (uint64_t)n);
        for (int64_t i = 0; i < n * D; i++) A[i] = rng_normal(&r), B[i] = rng_normal(&r);
        assert_ok(ctx, la_new(ctx, &ctx->scratch, n, D, &T));
        assert_ok(ctx, la_new(ctx, &ctx->scratch, n, D, &F));
        la_put(A, T);
        la_put(B, F);
        const la_mat *given[] = {F, T};
        assert_ok(ctx, tensor_forms_new(ctx, T, 2, given, &forms));
        assert_int_equal(forms.m, n < D ? n : D);
        assert_ok(ctx, tensor_new(ctx, "3x4", D, &t));
        set_vectors(&t, 9);
        for (int p = 0; p < 2; p++) {
            assert_ok(ctx, tensor_mode(ctx, &t, &forms, p, NULL, out));
            for (int which = 0; which < 2; which++) {
                la_get(out[which], seen);
                for (int64_t a = 0; a < t.size[p]; a++)
                    for (int64_t b = 0; b < t.size[p]; b++) {
                        double want = 0;
                        for (int64_t i = 0; i < n; i++) {
                            double left = 0, right = 0;
                            for (int64_t c = 0; c < D; c++) {
                                if (index_of(&t, c, p) == a) left += weight_but(&t, c, p) * A[i + c * n];
                                if (index_of(&t, c, p) == b) right += weight_but(&t, c, p) * (which ? A : B)[i + c * n];
                            }
                            want += left * right;
                        }
                        assert_close(seen[a + b * t.size[p]], want, 1e-11);
                    }
            }
        }
    }
}

/* A mode longer than there are rows is seen in their span: back (C'F back) back' is the form itself, and small. */
static void a_long_mode_is_seen_in_the_span_of_the_rows(void **state)
{
    rung_ctx *ctx = *state;
    enum { N = 5, D = 12 };
    tensor t;
    tensor_forms forms;
    double A[N * D], S[N * N], seen[D * D], want[D * D];
    la_mat *T = NULL, *F = NULL, *map = NULL, *out[TENSOR_FORMS], *full[TENSOR_FORMS], *back = NULL, *left = NULL;
    rng r;
    rng_open(&r, 8, 0);
    for (int i = 0; i < N * D; i++) A[i] = rng_normal(&r);
    for (int i = 0; i < N * N; i++) S[i] = rng_normal(&r);
    assert_ok(ctx, la_new(ctx, &ctx->scratch, N, D, &T));
    assert_ok(ctx, la_new(ctx, &ctx->scratch, N, D, &F));
    assert_ok(ctx, la_new(ctx, &ctx->scratch, N, N, &map));
    la_put(A, T);
    la_put(S, map);
    assert_ok(ctx, la_gemm(ctx, false, false, 1, map, T, 0, F)); /* a form is that of a map of the rows */
    const la_mat *given[] = {F, T};
    assert_ok(ctx, tensor_forms_new(ctx, T, 2, given, &forms));
    assert_ok(ctx, tensor_new(ctx, NULL, D, &t));
    assert_ok(ctx, tensor_mode(ctx, &t, &forms, 0, NULL, full));
    assert_ok(ctx, tensor_mode(ctx, &t, &forms, 0, &back, out));
    assert_non_null(back);
    assert_true(la_rows(out[0]) <= N && la_rows(back) == D);
    for (int which = 0; which < 2; which++) {
        assert_ok(ctx, la_new(ctx, &ctx->scratch, D, la_cols(back), &left));
        assert_ok(ctx, la_gemm(ctx, false, false, 1, back, out[which], 0, left));
        la_get(full[which], want);
        assert_ok(ctx, la_gemm(ctx, false, true, 1, left, back, 0, full[which]));
        la_get(full[which], seen);
        assert_arrays_close((int64_t)D * D, seen, want, 1e-11);
    }
}

/* ---- methods ---- */

/* Up to its length: a ridge acts once in each mode. */
static void check_same_direction(const fitted *a, const fitted *b, int64_t d, double tolerance)
{
    double ab = 0, aa = 0, size = 0;
    for (int64_t j = 0; j < d; j++) {
        ab += a->own.score.coef[j] * b->own.score.coef[j];
        aa += a->own.score.coef[j] * a->own.score.coef[j];
        size = fmax(size, fabs(b->own.score.coef[j]));
    }
    assert_true(ab > 0);
    for (int64_t j = 0; j < d; j++)
        assert_true(fabs(a->own.score.coef[j] * ab / aa - b->own.score.coef[j]) <= tolerance * size);
}

static void one_mode_is_the_vector_method(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const shapes[] = {"6", "1x6", "6x1"};
    for (size_t m = 0; m < 4; m++)
        for (size_t i = 0; i < 3; i++) {
            sample s;
            draw(&s, 40, 6, 3, 1, m > 0);
            fitted vector = fit_settings(ctx, pairs[m][0], SETTINGS("ridge", "0.001"), &s);
            fitted modes = fit_settings(ctx, pairs[m][1], SETTINGS("ridge", "0.001", "shape", shapes[i]), &s);
            check_same_direction(&vector, &modes, 6, 1e-9);
        }
    for (int wide = 0; wide < 2; wide++)
        for (int ridge = 0; ridge < 2; ridge++) {
            sample s;
            draw(&s, wide ? 15 : 40, wide ? 20 : 6, 3, 2, true);
            const char *r = ridge ? "0.1" : "0";
            fitted vector = fit_settings(ctx, "orml", SETTINGS("kernel", "linear", "ridge", r), &s);
            fitted modes = fit_settings(ctx, "orml-m", SETTINGS("ridge", r, "shape", wide ? "20x1" : "6x1"), &s);
            check_same_direction(&vector, &modes, s.d, 1e-8);
        }
}

static void the_model_is_the_product_of_the_modes(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const names[] = {"mlda", "tlpp", "tnpe", "mie", "orml-m"};
    for (size_t m = 0; m < 5; m++) {
        sample s;
        draw(&s, 40, 12, 3, 3, m > 0);
        fitted f = fit_settings(ctx, names[m], SETTINGS("shape", "3x4"), &s);
        const report_entry *first = reported(&f, "mode1"), *second = reported(&f, "mode2");
        assert_true(first->n == 3 && second->n == 4 && f.own.score.kind == SCORER_LINEAR);
        double norm = 0;
        for (int64_t c = 0; c < 12; c++) {
            assert_close(f.own.score.coef[c], first->value[c / 4] * second->value[c % 4], 1e-14);
            norm += f.own.score.coef[c] * f.own.score.coef[c];
        }
        if (m < 4) assert_close(norm, 1, 1e-12);
    }
}

/* Sweep after sweep the value falls; a long run ends where another sweep changes nothing. */
static void the_objective_never_rises_with_the_pseudo_inverse(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const shapes[] = {"3x4", "2x3x2", "2x6", "12"};
    for (size_t i = 0; i < 4; i++)
        for (uint64_t stream = 4; stream < 8; stream++) {
            sample s;
            double before = INFINITY;
            draw(&s, 45, 12, 3, stream, stream % 2);
            for (int sweeps = 1; sweeps < 30; sweeps++) {
                char text[16];
                snprintf(text, sizeof text, "%d", sweeps);
                fitted f = fit_settings(
                    ctx, "orml-m", SETTINGS("shape", shapes[i], "ridge", "0", "sweeps", text, "tolerance", "0"), &s);
                double value = reported(&f, "objective")->value[0];
                assert_true(value < 0 && value <= before + 1e-12 * fabs(before));
                before = value;
            }
        }
}

/* objective = w'X L X'w - C rho at the solution. */
static void the_objective_is_the_primal_value(void **state)
{
    rung_ctx *ctx = *state;
    static double D[MOST * MOST];
    sample s;
    draw(&s, 45, 12, 4, 11, false);
    fitted f = fit_settings(ctx, "orml-m", SETTINGS("shape", "3x4", "ridge", "0", "neighbours", "6", "C", "2"), &s);
    real *L = reals(ctx, s.n * s.n), *M = reals(ctx, s.d * s.d), *steps = reals(ctx, s.d * s.K), value = 0,
         rho = INFINITY;
    ordinal_distances(&s, D);
    laplacian_by_definition(s.n, 6, D, true, L);
    form_by_definition(&s, L, M);
    mean_steps(&s, steps);
    for (int64_t a = 0; a < s.d; a++)
        for (int64_t b = 0; b < s.d; b++) value += f.own.score.coef[a] * M[a + b * s.d] * f.own.score.coef[b];
    for (int q = 0; q < s.K - 1; q++) {
        real margin = 0;
        for (int64_t j = 0; j < s.d; j++) margin += f.own.score.coef[j] * steps[j + q * s.d];
        rho = fminl(rho, margin);
    }
    assert_close(reported(&f, "objective")->value[0], (double)(value - 2 * rho), 1e-9);
}

static void more_starts_are_never_worse(void **state)
{
    rung_ctx *ctx = *state;
    sample s;
    draw(&s, 45, 12, 4, 12, false);
    fitted one = fit_settings(ctx, "orml-m", SETTINGS("shape", "3x4", "ridge", "0"), &s);
    fitted many = fit_settings(ctx, "orml-m", SETTINGS("shape", "3x4", "ridge", "0", "starts", "8"), &s);
    fitted again = fit_settings(ctx, "orml-m", SETTINGS("shape", "3x4", "ridge", "0", "starts", "8"), &s);
    assert_true(reported(&many, "objective")->value[0] <= reported(&one, "objective")->value[0]);
    assert_memory_equal(many.own.score.coef, again.own.score.coef, 12 * sizeof(double));
}

/* Two entries cannot hold five classes in order; and modes that say nothing. */
static void short_and_constant_modes_have_an_answer(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const names[] = {"mlda", "tlpp", "tnpe", "mie", "orml-m"};
    for (size_t m = 0; m < 5; m++)
        for (int c = 0; c < 4; c++) {
            sample s;
            double f[MOST];
            draw(&s, 40, 12, 5, 13, false);
            for (int64_t i = 0; i < s.n; i++)
                for (int64_t j = 0; j < 12; j++) {
                    double *x = &s.X[j + i * 12];
                    if (c == 1 && j % 6 != 2) *x = 0;     /* one slice of the second mode is all there is */
                    if (c == 2) *x = s.X[j];              /* all rows the same */
                    if (c == 3) *x = s.X[j % 6 + i * 12]; /* the first mode is constant */
                }
            fitted fit = fit_settings(ctx, names[m], SETTINGS("shape", "2x6"), &s);
            scores(ctx, &fit, &s, f);
            for (int64_t i = 0; i < s.n; i++) assert_true(isfinite(f[i]));
            if (m == 4)
                for (int q = 1; q < 4; q++)
                    assert_true(fit.own.decide.thresholds[q] >= fit.own.decide.thresholds[q - 1]);
        }
}

static void a_wrong_shape_is_refused_before_any_work(void **state)
{
    rung_ctx *ctx = *state;
    sample s;
    fitted f;
    draw(&s, 30, 12, 3, 14, false);
    static const char *const names[] = {"mlda", "tlpp", "tnpe", "mie", "orml-m"};
    for (size_t m = 0; m < 5; m++)
        assert_fails(ctx, try_settings(ctx, names[m], SETTINGS("shape", "4x4"), &s, false, &f), RUNG_EARG,
                     "16 entries, but a row has 12 columns");
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
    rung_status status =
        try_settings(c->ctx, c->name, SETTINGS("shape", "3x4", "sweeps", "2", "ridge", "0.1"), c->s, false, &f);
    pool_release(&c->ctx->scratch, mark);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const names[] = {"mlda", "mie", "orml-m"};
    for (size_t m = 0; m < 3; m++)
        for (int64_t n = 10; n < 40; n += 20) {
            sample s;
            draw(&s, n, 12, 3, 15, false);
            fit_call call = {ctx, names[m], &s};
            assert_true(fail_each_allocation(fit_once, &call) > 50);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(shapes_are_read_strictly),
        WITH_CONTEXT(contractions_by_definition),
        WITH_CONTEXT(a_mode_sees_its_form),
        WITH_CONTEXT(a_long_mode_is_seen_in_the_span_of_the_rows),
        WITH_CONTEXT(one_mode_is_the_vector_method),
        WITH_CONTEXT(the_model_is_the_product_of_the_modes),
        WITH_CONTEXT(the_objective_never_rises_with_the_pseudo_inverse),
        WITH_CONTEXT(the_objective_is_the_primal_value),
        WITH_CONTEXT(more_starts_are_never_worse),
        WITH_CONTEXT(short_and_constant_modes_have_an_answer),
        WITH_CONTEXT(a_wrong_shape_is_refused_before_any_work),
        WITH_CONTEXT(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
