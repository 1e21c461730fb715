// SPDX-License-Identifier: BSD-3-Clause
/* Predictions of models made by hand, against the formulas written out. */
#include "model/models.h"

enum { ROWS = 23, CLASSES = 4 };

typedef struct {
    double x[ROWS * D]; /* by rows */
    int rank[ROWS];
    double score[ROWS * 2], proba[ROWS * CLASSES];
} prediction;

static void fill_rows(prediction *p)
{
    for (int i = 0; i < ROWS * D; i++) p->x[i] = some(3 * i + 1);
}

static rung_view rows_of(const prediction *p) { return (rung_view){p->x, ROWS, D, D, 1}; }

static void predict_all(rung_ctx *ctx, const rung_model *m, prediction *p)
{
    rung_view X = rows_of(p);
    rung_output out = {model_has_ranks(m) ? p->rank : NULL, p->score, model_has_probabilities(m) ? p->proba : NULL};
    assert_ok(ctx, model_predict(ctx, m, &X, &out));
}

/* ---- the formulas ---- */

static void scaled_row(const scaling *s, const double *x, double *out)
{
    for (int j = 0; j < D; j++) out[j] = s->kind == SCALE_NONE ? x[j] : (x[j] - s->shift[j]) * s->factor[j];
}

static double kernel_value(const kernel *k, const double *x, const double *z)
{
    double dot = 0, d2 = 0, weighted = 0;
    for (int j = 0; j < D; j++) {
        dot += x[j] * z[j];
        d2 += (x[j] - z[j]) * (x[j] - z[j]);
        if (k->kind == KERNEL_ARD) weighted += k->precisions[j] * (x[j] - z[j]) * (x[j] - z[j]);
    }
    switch (k->kind) {
    case KERNEL_RBF: return exp(-k->gamma * d2);
    case KERNEL_LAPLACIAN: return exp(-k->gamma * sqrt(d2));
    case KERNEL_ARD: return exp(-weighted);
    case KERNEL_POLY: return pow(k->gamma * dot + k->coef0, k->degree);
    default: return dot;
    }
}

static double score_of(const member *one, const double *raw, int output)
{
    const scorer *s = &one->score;
    double x[D], f = s->bias[output];
    scaled_row(&one->scale, raw, x);
    for (int64_t j = 0; j < s->m; j++) {
        double g = s->kind == SCORER_LINEAR          ? x[j]
                   : s->k.kind == KERNEL_PRECOMPUTED ? x[s->index[j]]
                                                     : kernel_value(&s->k, x, s->rows + j * D);
        f += s->coef[j + output * s->m] * g;
    }
    return f;
}

/* The rank map of the models: through (-1, 1), (0.25, 2), (2, 3), with the mean slope outside. */
static double on_rank_scale(double f)
{
    if (f < -1) return 1 + (f + 1) * 2 / 3;
    if (f < 0.25) return 1 + (f + 1) / 1.25;
    if (f < 2) return 2 + (f - 0.25) / 1.75;
    return 3 + (f - 2) * 2 / 3;
}

static void calibrated_proba(double f, double p[3])
{
    double s = fmin(fmax(on_rank_scale(f), 0), 4);
    double above1 = 1 / (1 + exp(-(1.7 * s - 2.3))), above2 = 1 / (1 + exp(-(1.7 * s - 4.4)));
    p[0] = 1 - above1;
    p[1] = above1 - above2;
    p[2] = above2;
}

/* ---- tests ---- */

static void test_constant(void **state)
{
    rung_ctx *ctx = *state;
    rung_model *m = make_model(ctx, MODEL_CONSTANT);
    prediction p;
    fill_rows(&p);
    predict_all(ctx, m, &p);
    for (int i = 0; i < ROWS; i++) {
        assert_int_equal(p.rank[i], 3); /* its second class is the third of the model */
        assert_true(p.score[i] == 2);
        assert_arrays_close(CLASSES, p.proba + i * CLASSES, ((double[]){0.125, 0, 0.5, 0.375}), 0);
    }
    assert_true(model_has_ranks(m) && model_has_probabilities(m));
    model_free(m);
}

static void test_linear_outputs(void **state)
{
    rung_ctx *ctx = *state;
    rung_model *m = make_model(ctx, MODEL_LINEAR);
    prediction p;
    fill_rows(&p);
    predict_all(ctx, m, &p);
    int seen[CLASSES + 1] = {0};
    for (int i = 0; i < ROWS; i++) {
        double f = score_of(m->members, p.x + i * D, 0);
        assert_close(p.score[2 * i], f, 1e-14);
        assert_close(p.score[2 * i + 1], score_of(m->members, p.x + i * D, 1), 1e-14);
        assert_int_equal(p.rank[i], f <= -1 ? 1 : f <= 0.75 ? 3 : 4);
        seen[p.rank[i]]++;
    }
    assert_true(seen[1] && !seen[2] && seen[3] && seen[4]);
    assert_int_equal(model_outputs(m), 2);
    model_free(m);
}

static void test_kernels(void **state)
{
    rung_ctx *ctx = *state;
    model_kind kinds[] = {MODEL_RBF, MODEL_ARD, MODEL_LAPLACIAN, MODEL_POLY, MODEL_PRECOMPUTED};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        rung_model *m = make_model(ctx, kinds[k]);
        prediction p;
        fill_rows(&p);
        predict_all(ctx, m, &p);
        for (int i = 0; i < ROWS; i++) {
            double f = score_of(m->members, p.x + i * D, 0), q[3];
            assert_close(p.score[i], f, 1e-12);
            if (!model_has_ranks(m)) continue;
            calibrated_proba(f, q);
            assert_arrays_close(CLASSES, p.proba + i * CLASSES, ((double[]){q[0], 0, q[1], q[2]}), 1e-12);
            int rank = q[1] + q[2] < 0.5 ? 1 : q[2] < 0.5 ? 3 : 4;
            if (kinds[k] == MODEL_LAPLACIAN) rank = f >= 0.3 ? 4 : 3; /* its own thresholds: -inf and 0.3 */
            assert_int_equal(p.rank[i], rank);
        }
        model_free(m);
    }
}

static void test_linear_kernel_is_a_linear_map(void **state)
{
    rung_ctx *ctx = *state;
    rung_model *m = make_model(ctx, MODEL_RBF);
    m->members[0].score.k = (kernel){.kind = KERNEL_LINEAR};
    prediction p;
    fill_rows(&p);
    predict_all(ctx, m, &p);
    for (int i = 0; i < ROWS; i++) assert_close(p.score[i], score_of(m->members, p.x + i * D, 0), 1e-13);
    m->members[0].score.m = 0; /* an expansion without terms is its bias */
    predict_all(ctx, m, &p);
    for (int i = 0; i < ROWS; i++) assert_true(p.score[i] == m->members[0].score.bias[0]);
    model_free(m);
}

static void test_ties(void **state)
{
    (void)state;
    double t[] = {0, 0, 1};
    decision d = {.kind = DECISION_THRESHOLDS, .K = 4, .thresholds = t};
    double scores[] = {-1, 0, 0.5, 1, 2};
    int down[] = {1, 1, 3, 3, 4}, up[] = {1, 3, 3, 4, 4};
    for (int i = 0; i < 5; i++) {
        d.tie_up = false;
        assert_int_equal(decision_rank(&d, scores[i]), down[i]);
        d.tie_up = true;
        assert_int_equal(decision_rank(&d, scores[i]), up[i]);
    }
}

static void test_rank_scaling_at_its_knots(void **state)
{
    rung_ctx *ctx = *state;
    rung_model *m = make_model(ctx, MODEL_RANK);
    double x[] = {-2, 1, 0, 1, 3, 0, 0, 1};
    double g[] = {0.2, 0.8, 0.5, 0.5, 0.9, 0.3, 0.5, 0.5}, score[2];
    rung_view X = {x, 2, D, D, 1};
    rung_output out = {.score = score};
    assert_ok(ctx, model_predict(ctx, m, &X, &out));
    for (int i = 0; i < 2; i++) assert_close(score[i], score_of(m->members, g + i * D, 0), 1e-14);
    model_free(m);
}

static void test_two_members(void **state)
{
    rung_ctx *ctx = *state;
    rung_model *m = make_model(ctx, MODEL_PAIR);
    prediction p;
    fill_rows(&p);
    predict_all(ctx, m, &p);
    int seen[CLASSES + 1] = {0};
    for (int i = 0; i < ROWS; i++) {
        double f = score_of(m->members, p.x + i * D, 0), q[3];
        const double prior[] = {0.125, 0.5, 0.375};
        calibrated_proba(f, q);
        for (int c = 0; c < 3; c++) q[c] = 0.875 * q[c] + 0.125 * prior[c];
        assert_close(p.score[i], 0.875 * f + 0.125 * 2, 1e-12);
        assert_arrays_close(CLASSES, p.proba + i * CLASSES, ((double[]){q[0], 0, q[1], q[2]}), 1e-12);
        assert_int_equal(p.rank[i], q[0] >= 0.5 ? 1 : q[0] + q[1] >= 0.5 ? 3 : 4);
        seen[p.rank[i]]++;
    }
    assert_true(seen[1] && !seen[2] && seen[3] && seen[4]);
    model_free(m);
}

/* The same bits for any strides, thread count, and company of a row. */
static void test_same_bits(void **state)
{
    rung_ctx *ctx = *state;
    enum { MANY = 9001 };
    double *rows = malloc(MANY * D * sizeof *rows), *columns = malloc(MANY * D * sizeof *columns);
    double *score = malloc(MANY * sizeof *score), *other = malloc(MANY * sizeof *other);
    assert_true(rows && columns && score && other);
    for (int64_t i = 0; i < MANY; i++)
        for (int64_t j = 0; j < D; j++) columns[i + j * MANY] = rows[i * D + j] = some(i * D + j) + 1e-3 * (double)i;
    model_kind kinds[] = {MODEL_RBF, MODEL_LINEAR, MODEL_PAIR};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        rung_model *m = make_model(ctx, kinds[k]);
        m->members[0].score.outputs = 1;
        rung_view X = {rows, MANY, D, D, 1}, Y = {columns, MANY, D, 1, MANY};
        rung_output a = {.score = score}, b = {.score = other};
        ctx->threads = 1;
        assert_ok(ctx, model_predict(ctx, m, &X, &a));
        ctx->threads = 2;
        assert_ok(ctx, model_predict(ctx, m, &Y, &b));
        assert_memory_equal(score, other, MANY * sizeof *score);
        int64_t alone[] = {0, 1, 4095, 4096, 8999, 9000};
        for (int i = 0; i < 6; i++) {
            rung_view one = {rows + alone[i] * D, 1, D, D, 1};
            assert_ok(ctx, model_predict(ctx, m, &one, &b));
            assert_memory_equal(score + alone[i], other, sizeof *score);
        }
        rung_view backwards = {rows + (MANY - 1) * D, MANY, D, -D, 1};
        assert_ok(ctx, model_predict(ctx, m, &backwards, &b));
        for (int i = 0; i < MANY; i++) assert_memory_equal(&score[i], &other[MANY - 1 - i], sizeof *score);
        model_free(m);
    }
    free(rows), free(columns), free(score), free(other);
}

static void test_refusals(void **state)
{
    rung_ctx *ctx = *state;
    rung_model *m = make_model(ctx, MODEL_LINEAR);
    prediction p;
    fill_rows(&p);
    rung_view X = rows_of(&p);
    rung_output out = {.score = p.score};
    p.x[7 * D] = NAN;
    assert_fails(ctx, model_predict(ctx, m, &X, &out), RUNG_EDATA, "row 8, column age is NaN");
    p.x[7 * D] = -INFINITY;
    assert_fails(ctx, model_predict(ctx, m, &X, &out), RUNG_EDATA, "row 8, column age is infinite");
    p.x[7 * D] = 0;
    m->members[0].score.coef[1] = 1e308;
    p.x[5 * D + 1] = 1e30;
    assert_fails(ctx, model_predict(ctx, m, &X, &out), RUNG_EDATA, "row 6: the score overflows");
    X.d = 3;
    assert_fails(ctx, model_predict(ctx, m, &X, &out), RUNG_EARG, "3 columns, the model was fitted on 4");
    X.d = D;
    out.proba = p.proba;
    assert_fails(ctx, model_predict(ctx, m, &X, &out), RUNG_EARG, "fit with -p calibrate=5");
    model_free(m);
    m = make_model(ctx, MODEL_POLY);
    out = (rung_output){.rank = p.rank};
    assert_fails(ctx, model_predict(ctx, m, &X, &out), RUNG_EARG, "not ranks");
    assert_false(model_has_ranks(m) || model_has_probabilities(m));
    model_free(m);
}

static void test_row_number_in_a_later_block(void **state)
{
    rung_ctx *ctx = *state;
    enum { MANY = 5000 };
    double *x = calloc(MANY * D, sizeof *x), *score = calloc(MANY, sizeof *score);
    assert_true(x && score);
    rung_model *m = make_model(ctx, MODEL_RBF);
    rung_view X = {x, MANY, D, D, 1};
    rung_output out = {.score = score};
    x[4999 * D + 2] = NAN;
    assert_fails(ctx, model_predict(ctx, m, &X, &out), RUNG_EDATA, "row 5000, column colour=blue is NaN");
    model_free(m);
    free(x), free(score);
}

static void note_progress(void *user, const char *stage, double done)
{
    assert_string_equal(stage, "predicting");
    double *last = user;
    assert_true(done > *last && done <= 1);
    *last = done;
}

static void test_progress_and_interrupt(void **state)
{
    rung_ctx *ctx = *state;
    rung_model *m = make_model(ctx, MODEL_RBF);
    prediction p;
    fill_rows(&p);
    double done = 0;
    ctx->progress = note_progress;
    ctx->progress_user = &done;
    predict_all(ctx, m, &p);
    assert_true(done == 1);
    atomic_store(&ctx->interrupted, 1);
    rung_view X = rows_of(&p);
    rung_output out = {.score = p.score};
    assert_int_equal(model_predict(ctx, m, &X, &out), RUNG_EINTERRUPT);
    X.n = 0; /* nothing to do is no work to stop */
    assert_ok(ctx, model_predict(ctx, m, &X, &out));
    model_free(m);
}

typedef struct {
    rung_ctx *ctx;
    rung_model *m;
    prediction p;
} work;

static rung_status predict_once(void *argument)
{
    work *w = argument;
    rung_view X = rows_of(&w->p);
    rung_status status = model_predict(w->ctx, w->m, &X, &(rung_output){w->p.rank, w->p.score, w->p.proba});
    pool_free_all(&w->ctx->scratch);
    return status;
}

static void test_memory_runs_out(void **state)
{
    work w = {.ctx = *state};
    w.m = make_model(w.ctx, MODEL_PAIR);
    fill_rows(&w.p);
    assert_true(fail_each_allocation(predict_once, &w) > 5);
    model_free(w.m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_constant, open_context, close_context),
        cmocka_unit_test_setup_teardown(test_linear_outputs, open_context, close_context),
        cmocka_unit_test_setup_teardown(test_kernels, open_context, close_context),
        cmocka_unit_test_setup_teardown(test_linear_kernel_is_a_linear_map, open_context, close_context),
        cmocka_unit_test(test_ties),
        cmocka_unit_test_setup_teardown(test_rank_scaling_at_its_knots, open_context, close_context),
        cmocka_unit_test_setup_teardown(test_two_members, open_context, close_context),
        cmocka_unit_test_setup_teardown(test_same_bits, open_context, close_context),
        cmocka_unit_test_setup_teardown(test_refusals, open_context, close_context),
        cmocka_unit_test_setup_teardown(test_row_number_in_a_later_block, open_context, close_context),
        cmocka_unit_test_setup_teardown(test_progress_and_interrupt, open_context, close_context),
        cmocka_unit_test_setup_teardown(test_memory_runs_out, open_context, close_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
