// SPDX-License-Identifier: BSD-3-Clause
/* Predictions of models made by hand, against the formulas written out. */
#include "model/models.h"

enum { ROWS = 23, CLASSES = 4 };

typedef struct {
    double x[ROWS * D]; /* by rows */
    int rank[ROWS];
    double score[ROWS * MOST_OUTPUTS], proba[ROWS * CLASSES];
} prediction;

static void fill_rows(prediction *p)
{
    for (int i = 0; i < ROWS * D; i++) p->x[i] = some(3 * i + 1);
}

static rung_view rows_of(const prediction *p) { return (rung_view){p->x, ROWS, D, D, 1}; }

static void predict_all(rung_ctx *ctx, const rung_model *m, prediction *p)
{
    rung_view X = rows_of(p);
    rung_output out = {.rank = model_has_ranks(m) ? p->rank : NULL,
                       .score = p->score,
                       .proba = model_has_probabilities(m) ? p->proba : NULL};
    assert_ok(ctx, model_predict(ctx, m, &X, NULL, &out));
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
    double g[] = {0.1, 0.55, 0.25, 0.25, 0.7, 0.15, 0.25, 0.25}, score[2]; /* half a step */
    rung_view X = {x, 2, D, D, 1};
    rung_output out = {.score = score};
    assert_ok(ctx, model_predict(ctx, m, &X, NULL, &out));
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
        assert_close(p.score[i], q[0] + 3 * q[1] + 4 * q[2], 1e-12); /* the expected class */
        assert_arrays_close(CLASSES, p.proba + i * CLASSES, ((double[]){q[0], 0, q[1], q[2]}), 1e-12);
        assert_int_equal(p.rank[i], q[0] >= 0.5 ? 1 : q[0] + q[1] >= 0.5 ? 3 : 4);
        seen[p.rank[i]]++;
    }
    assert_true(seen[1] && !seen[2] && seen[3] && seen[4]);
    model_free(m);
}

/* What several members say is the mean of what each says by itself, whatever they have in common; sharpened, that of a
 * single one too. */
static void mean_of_members(rung_ctx *ctx, rung_model *m)
{
    prediction all, each;
    double mean[ROWS * CLASSES] = {0}, total = 0;
    m->sharpen = 0;
    fill_rows(&all);
    predict_all(ctx, m, &all);
    for (int i = 0; i < m->n_members; i++) total += m->members[i].weight;
    for (int i = 0; i < m->n_members; i++) {
        rung_model single = *m;
        member alone = m->members[i];
        if (alone.score.kind == SCORER_TREES) alone.scale = (scaling){.kind = SCALE_NONE, .d = D};
        single.n_members = 1;
        single.members = &alone;
        fill_rows(&each);
        predict_all(ctx, &single, &each);
        assert_int_equal(model_outputs(&single), 1);
        assert_false(model_has_latent(&single)); /* thresholds that were inferred leave no spread of the score alone */
        for (int k = 0; k < ROWS * CLASSES; k++) mean[k] += m->members[i].weight / total * each.proba[k];
        for (int row = 0; row < ROWS; row++) {
            const double *p = each.proba + row * CLASSES;
            assert_int_equal(each.rank[row], p[0] >= 0.5 ? 1 : p[0] + p[2] >= 0.5 ? 3 : 4);
            if (i != GP && i != SHARES && i != ORDINAL_TREES)
                assert_close(each.score[row], p[0] + 3 * p[2] + 4 * p[3], 1e-13);
            if (i == GP) assert_close(each.score[row], score_of(&m->members[i], each.x + row * D, 0), 1e-12);
        }
        single.sharpen = 1.5;
        fill_rows(&each);
        predict_all(ctx, &single, &each);
        rung_model twice = single;
        member two[] = {*single.members, *single.members};
        prediction same;
        twice.members = two;
        twice.n_members = 2;
        fill_rows(&same);
        predict_all(ctx, &twice, &same);
        assert_arrays_close(ROWS * CLASSES, each.proba, same.proba, 1e-14);
        assert_arrays_close(ROWS, each.score, same.score, 1e-14);
    }
    assert_arrays_close(ROWS * CLASSES, all.proba, mean, 1e-13);
}

static void test_mean_of_members(void **state)
{
    rung_ctx *ctx = *state;
    rung_model *m = make_model(ctx, MODEL_MIXTURE);
    mean_of_members(ctx, m);
    member *last = &m->members[POWER]; /* the same class scores, but ... */
    last->score.width *= 2;
    mean_of_members(ctx, m);
    last->score.width /= 2;
    last->score.neighbours--;
    mean_of_members(ctx, m);
    last->score.neighbours++;
    last->space.shift = NUMBERS(-0.5, 0.25, 0, 0.5);
    mean_of_members(ctx, m);
    model_free(m);
}

/* A missing cell is filled in for members of scaled columns, and stays missing for the trees beside them. */
static void test_missing_cells_of_an_average(void **state)
{
    rung_ctx *ctx = *state;
    rung_model *made = make_model(ctx, MODEL_MIXTURE), *m = NULL;
    made->sharpen = 0;
    prediction missing, filled, each;
    double mean[ROWS * CLASSES] = {0}, total = 0;
    char *bytes;
    int64_t size;
    assert_ok(ctx, model_to_memory(ctx, made, &bytes, &size));
    assert_ok(ctx, model_from_memory(ctx, bytes, size, &m));
    rung_free(bytes);
    fill_rows(&missing);
    fill_rows(&filled);
    for (int i = 0; i < ROWS; i += 2) {
        missing.x[i * D] = NAN;
        filled.x[i * D] = m->code.columns[0].fill;
    }
    predict_all(ctx, m, &missing);
    predict_all(ctx, m, &filled);
    assert_memory_not_equal(missing.proba, filled.proba, sizeof filled.proba);
    for (int i = 0; i < m->n_members; i++) total += m->members[i].weight;
    for (int i = 0; i < m->n_members; i++) {
        rung_model single = *m;
        member alone = m->members[i];
        bool trees = alone.score.kind == SCORER_TREES;
        if (trees) alone.scale = (scaling){.kind = SCALE_NONE, .d = D};
        single.n_members = 1;
        single.members = &alone;
        each = trees ? missing : filled;
        predict_all(ctx, &single, &each);
        for (int k = 0; k < ROWS * CLASSES; k++) mean[k] += m->members[i].weight / total * each.proba[k];
    }
    assert_arrays_close(ROWS * CLASSES, missing.proba, mean, 1e-13);
    model_free(m);
    model_free(made);
}

/* ---- several outputs ---- */

static void test_nearest_mean(void **state)
{
    rung_ctx *ctx = *state;
    const int classes[] = {1, 3, 4};
    model_kind kinds[] = {MODEL_MEANS, MODEL_SOFT};
    for (int k = 0; k < 2; k++) {
        rung_model *m = make_model(ctx, kinds[k]);
        const member *one = m->members;
        int outputs = one->score.outputs, seen[CLASSES + 1] = {0};
        prediction p;
        fill_rows(&p);
        predict_all(ctx, m, &p);
        for (int i = 0; i < ROWS; i++) {
            int best = 0;
            double least = INFINITY;
            for (int q = 0; q < 3; q++) {
                double distance = 0;
                for (int o = 0; o < outputs; o++)
                    distance += pow(score_of(one, p.x + i * D, o) - one->decide.means[q * outputs + o], 2);
                if (distance < least) least = distance, best = q;
            }
            for (int o = 0; o < outputs; o++)
                assert_close(p.score[i * outputs + o], score_of(one, p.x + i * D, o), 1e-12);
            assert_int_equal(p.rank[i], classes[best]);
            seen[p.rank[i]]++;
        }
        assert_true(seen[1] && !seen[2] && seen[3] && seen[4]);
        assert_int_equal(model_outputs(m), outputs);
        assert_true(model_has_ranks(m) && !model_has_probabilities(m));
        model_free(m);
    }
}

static void test_largest_output(void **state)
{
    rung_ctx *ctx = *state;
    rung_model *m = make_model(ctx, MODEL_OUTPUTS);
    prediction p;
    int seen[CLASSES + 1] = {0};
    fill_rows(&p);
    predict_all(ctx, m, &p);
    for (int i = 0; i < ROWS; i++) {
        double f[3];
        for (int o = 0; o < 3; o++) f[o] = score_of(m->members, p.x + i * D, o);
        assert_arrays_close(3, p.score + 3 * i, f, 1e-14);
        assert_int_equal(p.rank[i], f[0] >= f[1] && f[0] >= f[2] ? 1 : f[1] >= f[2] ? 3 : 4);
        seen[p.rank[i]]++;
    }
    assert_true(seen[1] && !seen[2] && seen[3] && seen[4]);
    model_free(m);
}

static void test_ties_of_decisions(void **state)
{
    (void)state;
    double means[] = {1, 0, 3, 0, 1, 4}, at[] = {2, 0}, above[] = {2, 1e-9}, far[] = {1e200, 0};
    member one = {.score = {.kind = SCORER_LINEAR, .outputs = 2},
                  .decide = {.kind = DECISION_NEAREST_MEAN, .K = 3, .means = means}};
    assert_int_equal(member_rank(&one, at, NULL), 1); /* as near to the first as to the second */
    assert_int_equal(member_rank(&one, above, NULL), 1);
    assert_int_equal(member_rank(&one, (double[]){2.5, 0}, NULL), 2);
    assert_int_equal(member_rank(&one, (double[]){1, 2}, NULL), 1);
    assert_int_equal(member_rank(&one, far, NULL), 0); /* no distance is finite */
    one.decide = (decision){.kind = DECISION_ARGMAX, .K = 2};
    assert_int_equal(member_rank(&one, (double[]){0.5, 0.5}, NULL), 1);
    assert_int_equal(member_rank(&one, (double[]){0.5, 0.75}, NULL), 2);
    one.score.kind = SCORER_NEIGHBOURS;
    one.decide = (decision){.kind = DECISION_MEDIAN, .K = 3};
    assert_true(member_needs_proba(&one));
    assert_int_equal(member_rank(&one, NULL, (double[]){0.5, 0, 0.5}), 1);
    assert_int_equal(member_rank(&one, NULL, (double[]){0.25, 0.25, 0.5}), 2);
    assert_int_equal(member_rank(&one, NULL, (double[]){0.25, 0.125, 0.625}), 3);
    assert_int_equal(member_rank(&one, NULL, (double[]){0, 0, 0.25}), 3);
}

/* ---- memberships of neighbours ---- */

/* The mean membership of the 3 nearest of the 5 rows, by sorting. */
static void memberships_of(const member *one, const double *raw, double u[3])
{
    double x[D], d2[TERMS], sum = 0;
    bool taken[TERMS] = {false};
    scaled_row(&one->scale, raw, x);
    for (int j = 0; j < TERMS; j++) {
        d2[j] = 0;
        for (int c = 0; c < D; c++) d2[j] += pow(x[c] - one->score.rows[j * D + c], 2);
    }
    memset(u, 0, 3 * sizeof *u);
    for (int k = 0; k < 3; k++) {
        int best = -1;
        for (int j = 0; j < TERMS; j++)
            if (!taken[j] && (best < 0 || d2[j] < d2[best])) best = j;
        double w = one->score.weights == WEIGHTS_BINARY ? 1 : exp(-d2[best] / (2 * 1.5 * 1.5));
        taken[best] = true;
        sum += w;
        for (int q = 0; q < 3; q++) u[q] += w * memberships[best + TERMS * q];
    }
    for (int q = 0; q < 3; q++) u[q] /= sum;
}

static void test_neighbours(void **state)
{
    rung_ctx *ctx = *state;
    model_kind kinds[] = {MODEL_GAUSSIAN, MODEL_BINARY};
    for (int k = 0; k < 2; k++) {
        rung_model *m = make_model(ctx, kinds[k]);
        int seen[CLASSES + 1] = {0};
        prediction p;
        fill_rows(&p);
        predict_all(ctx, m, &p);
        for (int i = 0; i < ROWS; i++) {
            double u[3];
            memberships_of(m->members, p.x + i * D, u);
            assert_arrays_close(CLASSES, p.proba + i * CLASSES, ((double[]){u[0], 0, u[1], u[2]}), 1e-13);
            assert_close(p.score[i], u[0] + 3 * u[1] + 4 * u[2], 1e-13); /* on the scale of the model's classes */
            int largest = u[0] >= u[1] && u[0] >= u[2] ? 1 : u[1] >= u[2] ? 3 : 4;
            int middle = u[0] >= 0.5 ? 1 : u[0] + u[1] >= 0.5 ? 3 : 4;
            assert_int_equal(p.rank[i], kinds[k] == MODEL_GAUSSIAN ? largest : middle);
            seen[p.rank[i]]++;
        }
        assert_true(seen[1] + seen[3] + seen[4] == ROWS && seen[1] < ROWS && seen[3] < ROWS && seen[4] < ROWS);
        assert_true(model_outputs(m) == 1 && model_has_ranks(m) && model_has_probabilities(m));
        model_free(m);
    }
}

/* Far away the nearest row decides alone, however small its weight; a width of almost nothing does the same. So far
 * away that distances are equal to the last bit, the first rows share. */
static void test_neighbours_far_away(void **state)
{
    rung_ctx *ctx = *state;
    rung_model *m = make_model(ctx, MODEL_GAUSSIAN);
    member *one = m->members;
    one->scale = (scaling){.kind = SCALE_NONE, .d = D};
    memset(one->score.rows, 0, D * TERMS * sizeof(double));
    for (int j = 0; j < TERMS; j++) one->score.rows[j * D] = 10 * j;
    double x[D] = {1e6}, proba[CLASSES], score;
    int rank;
    rung_view X = {x, 1, D, D, 1};
    rung_output out = {.rank = &rank, .score = &score, .proba = proba};
    assert_ok(ctx, model_predict(ctx, m, &X, NULL, &out));
    assert_arrays_close(CLASSES, proba, ((double[]){0.125, 0, 0.125, 0.75}), 1e-15); /* row 5 */
    one->score.width = 1e-200;
    x[0] = 21;
    assert_ok(ctx, model_predict(ctx, m, &X, NULL, &out));
    assert_arrays_close(CLASSES, proba, ((double[]){0.25, 0, 0.5, 0.25}), 0); /* row 3 */
    x[0] = 15;                                                                /* as far from 2 as from 3 */
    assert_ok(ctx, model_predict(ctx, m, &X, NULL, &out));
    assert_arrays_close(CLASSES, proba, ((double[]){0.125, 0, 0.5, 0.375}), 0);
    x[0] = -1e200;
    assert_ok(ctx, model_predict(ctx, m, &X, NULL, &out));
    assert_arrays_close(CLASSES, proba, ((double[]){1.25 / 3, 0, 1.0 / 3, 0.75 / 3}), 1e-15);
    model_free(m);
}

static void test_neighbours_beside_another_member(void **state)
{
    rung_ctx *ctx = *state;
    rung_model *m = make_model(ctx, MODEL_PAIR);
    make_member(ctx, m, &m->members[0], MODEL_GAUSSIAN);
    m->members[1].scale = m->members[0].scale;
    prediction p;
    fill_rows(&p);
    predict_all(ctx, m, &p);
    for (int i = 0; i < ROWS; i++) {
        double u[3];
        memberships_of(m->members, p.x + i * D, u);
        double q[] = {0.5 * u[0] + 0.0625, 0.5 * u[1] + 0.25, 0.5 * u[2] + 0.1875};
        assert_arrays_close(CLASSES, p.proba + i * CLASSES, ((double[]){q[0], 0, q[1], q[2]}), 1e-13);
        assert_close(p.score[i], q[0] + 3 * q[1] + 4 * q[2], 1e-13);
        assert_int_equal(p.rank[i], q[0] >= 0.5 ? 1 : q[0] + q[1] >= 0.5 ? 3 : 4);
    }
    model_free(m);
}

/* ---- real targets, no targets ---- */

static void test_scores_only(void **state)
{
    rung_ctx *ctx = *state;
    model_kind kinds[] = {MODEL_REAL, MODEL_UNLABELLED};
    for (int k = 0; k < 2; k++) {
        rung_model *m = make_model(ctx, kinds[k]);
        int outputs = m->members[0].score.outputs;
        prediction p;
        fill_rows(&p);
        predict_all(ctx, m, &p);
        for (int i = 0; i < ROWS; i++)
            for (int o = 0; o < outputs; o++)
                assert_close(p.score[i * outputs + o], score_of(m->members, p.x + i * D, o), 1e-12);
        assert_false(model_has_ranks(m) || model_has_probabilities(m));
        rung_view X = rows_of(&p);
        assert_fails(ctx, model_predict(ctx, m, &X, NULL, &(rung_output){.rank = p.rank}), RUNG_EARG, "not ranks");
        assert_fails(ctx, model_predict(ctx, m, &X, NULL, &(rung_output){.proba = p.proba}), RUNG_EARG,
                     "no probabilities");
        model_free(m);
    }
}

/* ---- the training rows of a transductive fit ---- */

static void test_training_rows(void **state)
{
    rung_ctx *ctx = *state;
    rung_model *m = make_model(ctx, MODEL_GAUSSIAN);
    int rank[TRAINED];
    double score[TRAINED], proba[TRAINED * CLASSES];
    assert_ok(ctx, model_predict_training(ctx, m, NULL, &(rung_output){.rank = rank, .score = score, .proba = proba}));
    const int largest[] = {1, 3, 3, 1, 4}; /* of the memberships; ties to the lower class */
    for (int i = 0; i < TRAINED; i++) {
        double u[3];
        for (int q = 0; q < 3; q++) u[q] = memberships[i % TERMS + TERMS * q];
        assert_close(score[i], u[0] + 3 * u[1] + 4 * u[2], 1e-15);
        if (i == 1 || i == 4) { /* labelled: the third class, the first one */
            assert_int_equal(rank[i], i == 1 ? 4 : 1);
            assert_arrays_close(CLASSES, proba + i * CLASSES,
                                i == 1 ? ((double[]){0, 0, 0, 1}) : ((double[]){1, 0, 0, 0}), 0);
        } else {
            assert_int_equal(rank[i], largest[i % TERMS]);
            assert_arrays_close(CLASSES, proba + i * CLASSES, ((double[]){u[0], 0, u[1], u[2]}), 0);
        }
    }
    model_free(m);

    m = make_model(ctx, MODEL_REAL);
    assert_ok(ctx, model_predict_training(ctx, m, NULL, &(rung_output){.score = score}));
    for (int i = 0; i < TRAINED; i++) assert_true(score[i] == some(i));
    assert_fails(ctx, model_predict_training(ctx, m, NULL, &(rung_output){.rank = rank}), RUNG_EARG, "not ranks");
    model_free(m);
    m = make_model(ctx, MODEL_RBF);
    assert_fails(ctx, model_predict_training(ctx, m, NULL, &(rung_output){.score = score}), RUNG_EARG,
                 "a kdlor model says nothing of its own training rows: name a data file");
    model_free(m);
}

/* Decided by a calibration that the fit did not know; more rows than a block. */
static void test_many_training_rows(void **state)
{
    rung_ctx *ctx = *state;
    enum { MANY = 4100 };
    rung_model *m = make_model(ctx, MODEL_RBF);
    double *score = malloc(MANY * sizeof *score);
    int *rank = malloc(MANY * sizeof *rank), *label = calloc(MANY, sizeof *label);
    assert_true(score && rank && label);
    m->training = (transduction){.n = m->n_rows = MANY, .output = copy_numbers(ctx, m, MANY, NULL), .label = label};
    label[MANY - 1] = 2;
    assert_ok(ctx, model_predict_training(ctx, m, NULL, &(rung_output){.rank = rank, .score = score}));
    for (int i = 0; i < MANY; i++) {
        double p[3];
        calibrated_proba(some(i), p);
        assert_true(score[i] == some(i));
        assert_int_equal(rank[i], i == MANY - 1 ? 3 : p[0] > 0.5 ? 1 : p[0] + p[1] > 0.5 ? 3 : 4);
    }
    model_free(m);
    free(score), free(rank), free(label);
}

/* Under a memory limit blocks are smaller, with the same bits; a limit without room for any is stated. */
static void check_limit(rung_ctx *ctx, const rung_model *m, const rung_view *X, const double *score)
{
    enum { ROOM = 100 << 10 };
    int64_t beside = m->mem.bytes + 2 * X->n * X->d * (int64_t)sizeof *X->v;
    double *other = malloc((size_t)X->n * sizeof *other);
    assert_non_null(other);
    rung_output out = {.score = other};
    ctx->scratch.peak = 0;
    assert_ok(ctx, model_predict(ctx, m, X, NULL, &out));
    int64_t free_choice = ctx->scratch.peak;
    rung_ctx_set_memory(ctx, beside + ROOM);
    ctx->scratch.peak = 0;
    assert_ok(ctx, model_predict(ctx, m, X, NULL, &out));
    assert_memory_equal(score, other, (size_t)X->n * sizeof *score);
    assert_true(ctx->scratch.peak < free_choice - ROOM);
    rung_ctx_set_memory(ctx, beside + 1000);
    assert_fails(ctx, model_predict(ctx, m, X, NULL, &out), RUNG_ELIMIT, "predicting needs about");
    rung_ctx_set_memory(ctx, 0);
    free(other);
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
    model_kind kinds[] = {MODEL_RBF, MODEL_LINEAR, MODEL_PAIR, MODEL_GAUSSIAN};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        rung_model *m = make_model(ctx, kinds[k]);
        if (kinds[k] == MODEL_LINEAR) m->members[0].score.outputs = 1;
        rung_view X = {rows, MANY, D, D, 1}, Y = {columns, MANY, D, 1, MANY};
        rung_output a = {.score = score}, b = {.score = other};
        ctx->threads = 1;
        assert_ok(ctx, model_predict(ctx, m, &X, NULL, &a));
        ctx->threads = 2;
        assert_ok(ctx, model_predict(ctx, m, &Y, NULL, &b));
        assert_memory_equal(score, other, MANY * sizeof *score);
        check_limit(ctx, m, &X, score);
        int64_t alone[] = {0, 1, 4095, 4096, 8999, 9000};
        for (int i = 0; i < 6; i++) {
            rung_view one = {rows + alone[i] * D, 1, D, D, 1};
            assert_ok(ctx, model_predict(ctx, m, &one, NULL, &b));
            assert_memory_equal(score + alone[i], other, sizeof *score);
        }
        rung_view backwards = {rows + (MANY - 1) * D, MANY, D, -D, 1};
        assert_ok(ctx, model_predict(ctx, m, &backwards, NULL, &b));
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
    assert_fails(ctx, model_predict(ctx, m, &X, NULL, &out), RUNG_EDATA, "row 8, column age is NaN");
    p.x[7 * D] = -INFINITY;
    assert_fails(ctx, model_predict(ctx, m, &X, NULL, &out), RUNG_EDATA, "row 8, column age is infinite");
    p.x[7 * D] = 0;
    m->members[0].score.coef[1] = 1e308;
    p.x[5 * D + 1] = 1e30;
    assert_fails(ctx, model_predict(ctx, m, &X, NULL, &out), RUNG_EDATA, "row 6: the score overflows");
    X.d = 3;
    assert_fails(ctx, model_predict(ctx, m, &X, NULL, &out), RUNG_EARG, "3 columns, but the model was fitted to 4");
    X.d = D;
    X.n = -1;
    assert_fails(ctx, model_predict(ctx, m, &X, NULL, &out), RUNG_EARG, "the number of rows is negative");
    X.n = ROWS;
    double sd[ROWS];
    out.sd = sd;
    assert_fails(ctx, model_predict(ctx, m, &X, NULL, &out), RUNG_EARG,
                 "a kdlor model gives no standard deviation of its score");
    out.sd = NULL;
    out.proba = p.proba;
    assert_fails(ctx, model_predict(ctx, m, &X, NULL, &out), RUNG_EARG, "the model has no probabilities");
    model_free(m);
    m = make_model(ctx, MODEL_SOFT);
    assert_fails(ctx, model_predict(ctx, m, &X, NULL, &out), RUNG_EARG, "fit it with calibrate=5");
    model_free(m);
    m = make_model(ctx, MODEL_POLY);
    out = (rung_output){.rank = p.rank};
    assert_fails(ctx, model_predict(ctx, m, &X, NULL, &out), RUNG_EARG, "not ranks");
    assert_false(model_has_ranks(m) || model_has_probabilities(m));
    out = (rung_output){.low = p.rank};
    assert_fails(ctx, model_predict(ctx, m, &X, &(rung_predict_options){.level = 0.5}, &out), RUNG_EARG,
                 "the model has no ranges of ranks");
    assert_null(strstr(ctx->message, "calibrate")); /* which would not help */
    model_free(m);
    m = make_model(ctx, MODEL_MEANS); /* scores that are finite, at distances that are not */
    m->members[0].score.bias[1] = 1e200;
    p.x[5 * D + 1] = 0;
    out = (rung_output){.score = p.score};
    assert_ok(ctx, model_predict(ctx, m, &X, NULL, &out));
    out.rank = p.rank;
    assert_fails(ctx, model_predict(ctx, m, &X, NULL, &out), RUNG_EDATA, "row 1: the score overflows");
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
    assert_fails(ctx, model_predict(ctx, m, &X, NULL, &out), RUNG_EDATA, "row 5000, column colour=blue is NaN");
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
    assert_int_equal(model_predict(ctx, m, &X, NULL, &out), RUNG_EINTERRUPT);
    X.n = 0; /* nothing to do is no work to stop */
    assert_ok(ctx, model_predict(ctx, m, &X, NULL, &out));
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
    rung_status status = model_predict(w->ctx, w->m, &X, NULL,
                                       &(rung_output){.rank = w->p.rank, .score = w->p.score, .proba = w->p.proba});
    pool_free_all(&w->ctx->scratch);
    return status;
}

static rung_status predict_training_once(void *argument)
{
    work *w = argument;
    rung_status status = model_predict_training(
        w->ctx, w->m, NULL, &(rung_output){.rank = w->p.rank, .score = w->p.score, .proba = w->p.proba});
    pool_free_all(&w->ctx->scratch);
    return status;
}

static void test_memory_runs_out(void **state)
{
    work w = {.ctx = *state};
    fill_rows(&w.p);
    model_kind kinds[] = {MODEL_PAIR, MODEL_GAUSSIAN};
    for (int k = 0; k < 2; k++) {
        w.m = make_model(w.ctx, kinds[k]);
        assert_true(fail_each_allocation(predict_once, &w) > 5);
        if (w.m->training.n) assert_true(fail_each_allocation(predict_training_once, &w) >= 3);
        model_free(w.m);
    }
}

static void temper(double *p)
{
    double root = 0, power = 0;
    for (int q = 0; q < 3; q++) root += sqrt(p[q]);
    for (int q = 0; q < 3; q++) power += pow(p[q], 1.25);
    for (int q = 0; q < 3; q++)
        p[q] = 0.5 * sqrt(p[q]) / root + 0.25 * pow(p[q], 1.25) / power + (q == 0 ? 0.125 : 0.0625);
}

/* Gaussians around the means give a place on the rank scale, the calibration probabilities, which are tempered, the
 * scores of rows held out ranges. Scores and ranks are those before the tempering. */
static void test_ranges(void **state)
{
    rung_ctx *ctx = *state;
    rung_model *m = make_model(ctx, MODEL_GRADED);
    const member *one = &m->members[0];
    prediction p = {0};
    int low[ROWS], high[ROWS];
    fill_rows(&p);
    predict_all(ctx, m, &p);
    rung_view X = rows_of(&p);
    rung_output out = {.low = low, .high = high};
    rung_predict_options how = {.level = 0.75}; /* place 6: six rows, one missed */
    assert_ok(ctx, model_predict(ctx, m, &X, &how, &out));
    assert_string_equal(model_interval(m), "cross-conformal");
    for (int i = 0; i < ROWS; i++) {
        double q[3], all[4] = {0}, output[2] = {score_of(one, p.x + i * D, 0), score_of(one, p.x + i * D, 1)};
        int a, b, r = p.rank[i] == 1 ? 1 : p.rank[i] - 1;
        calibrate_proba(&one->cal, member_rank_score(one, NULL, output), q);
        temper(q);
        all[0] = q[0], all[2] = q[1], all[3] = q[2];
        assert_arrays_close(4, p.proba + i * 4, all, 1e-12);
        conformal_range(3, q, r, 0.9, &a, &b);
        assert_true(low[i] == m->present[a - 1] && high[i] == m->present[b - 1]);
    }
    tempering kept = m->temper;
    prediction plain = p;
    m->temper.n = 0;
    predict_all(ctx, m, &plain);
    m->temper = kept;
    assert_memory_equal(plain.rank, p.rank, sizeof p.rank);
    assert_memory_equal(plain.score, p.score, sizeof p.score);
    assert_true(fabs(plain.proba[0] - p.proba[0]) > 1e-3);
    how.level = 0.76;
    assert_ok(ctx, model_predict(ctx, m, &X, &how, &out));
    for (int i = 0; i < ROWS; i++) assert_true(low[i] == 1 && high[i] == 4); /* too few rows for this level */
    how.level = 1;
    assert_fails(ctx, model_predict(ctx, m, &X, &how, &out), RUNG_EARG,
                 "the level of a prediction interval must be between 0 and 1, not 1");
    how.level = 0;
    assert_fails(ctx, model_predict(ctx, m, &X, &how, &out), RUNG_EARG,
                 "the level of a prediction interval must be between 0 and 1, not 0");
    int one_end[ROWS]; /* each end can be had alone */
    how.level = 0.75;
    assert_ok(ctx, model_predict(ctx, m, &X, &how, &out));
    assert_ok(ctx, model_predict(ctx, m, &X, &how, &(rung_output){.low = one_end}));
    assert_memory_equal(one_end, low, sizeof low);
    assert_ok(ctx, model_predict(ctx, m, &X, &how, &(rung_output){.high = one_end}));
    assert_memory_equal(one_end, high, sizeof high);
    m->ranges.repeats = 0;
    how.level = 0.5;
    assert_fails(ctx, model_predict(ctx, m, &X, &how, &out), RUNG_EARG, "no ranges of ranks: fit it with calibrate=5");
    model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_ranges),
        WITH_CONTEXT(test_constant),
        WITH_CONTEXT(test_linear_outputs),
        WITH_CONTEXT(test_kernels),
        WITH_CONTEXT(test_linear_kernel_is_a_linear_map),
        cmocka_unit_test(test_ties),
        WITH_CONTEXT(test_rank_scaling_at_its_knots),
        WITH_CONTEXT(test_two_members),
        WITH_CONTEXT(test_mean_of_members),
        WITH_CONTEXT(test_missing_cells_of_an_average),
        cmocka_unit_test(test_ties_of_decisions),
        WITH_CONTEXT(test_nearest_mean),
        WITH_CONTEXT(test_largest_output),
        WITH_CONTEXT(test_neighbours),
        WITH_CONTEXT(test_neighbours_far_away),
        WITH_CONTEXT(test_neighbours_beside_another_member),
        WITH_CONTEXT(test_scores_only),
        WITH_CONTEXT(test_training_rows),
        WITH_CONTEXT(test_many_training_rows),
        WITH_CONTEXT(test_same_bits),
        WITH_CONTEXT(test_refusals),
        WITH_CONTEXT(test_row_number_in_a_later_block),
        WITH_CONTEXT(test_progress_and_interrupt),
        WITH_CONTEXT(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
