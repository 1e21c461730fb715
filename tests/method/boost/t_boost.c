// SPDX-License-Identifier: BSD-3-Clause
/* Held-out predictions against boosting without the fold, numbers of rounds in one pass against one by one, and trees
 * inside an average; tests/golden/boost.py compares whole fits with another program. */
#include "helper.h"

#include "base/rng.h"
#include "method/boost/stacked.h"

enum { N = 120, D = 3, K = 4, FOLDS = 5, REPEATED = 100 }; /* rows from REPEATED on equal the first ones */

typedef struct {
    coding code;
    column_code columns[D];
    double x[N * D];
    int y[N], group[N];
    int64_t origin[N];
    problem p;
} table;

static table *make_table(void)
{
    table *t = calloc(1, sizeof *t);
    rng r;
    rng_open(&r, 7, 1);
    t->code = (coding){.n_columns = D, .columns = t->columns, .d = D};
    for (int c = 0; c < D; c++) t->columns[c] = (column_code){.name = "", .position = c, .first = c};
    for (int i = 0; i < N; i++) {
        double *x = t->x + (int64_t)i * D;
        t->origin[i] = i;
        t->group[i] = i % REPEATED;
        if (i >= REPEATED) {
            memcpy(x, t->x + (int64_t)(i - REPEATED) * D, D * sizeof *x);
            t->y[i] = t->y[i - REPEATED];
            continue;
        }
        for (int c = 0; c < D; c++) x[c] = rng_normal(&r);
        double latent = x[0] + (x[1] > 0) + 0.3 * rng_normal(&r);
        t->y[i] = 1 + (latent > -0.5) + (latent > 0.8);
        if (i % 7 == 0) x[2] = NAN;
    }
    t->y[50] = K; /* the only row of its class */
    t->p = (problem){.n = N,
                     .d = D,
                     .K = K,
                     .y = t->y,
                     .group = t->group,
                     .origin = t->origin,
                     .code = &t->code,
                     .cells = t->x,
                     .n_cells = N};
    return t;
}

/* Every row is held out, with all rows equal to it. */
static void folds_hold_out_every_row(void **state)
{
    rung_ctx *ctx = *state;
    table *t = make_table();
    folds f;
    assert_ok(ctx, stacked_folds(ctx, &ctx->scratch, &t->p, FOLDS, &f));
    assert_int_equal(f.count, FOLDS);
    for (int i = 0; i < N; i++) {
        assert_in_range(f.fold[i], 0, FOLDS - 1);
        assert_int_equal(f.fold[i], f.fold[t->group[i]]);
    }
    t->p.group = NULL;
    assert_ok(ctx, stacked_folds(ctx, &ctx->scratch, &t->p, FOLDS, &f));
    for (int i = 0; i < N; i++) assert_in_range(f.fold[i], 0, FOLDS - 1);
    for (int i = 0; i < N; i++) t->group[i] = 3;
    t->p.group = t->group;
    assert_ok(ctx, stacked_folds(ctx, &ctx->scratch, &t->p, FOLDS, &f));
    assert_int_equal(f.count, 0);
    free(t);
}

/* The mean of the seeds, boosted without one fold that removes no class. */
static void proba_without(rung_ctx *ctx, const boost_rows *rows, const stacked_trees *s, const folds *f, int fold,
                          double *proba)
{
    bool nominal = s->kind == STACKED_NOMINAL;
    boost_params params = {.link = nominal, .rounds = -1, .leaves = -1, .min_rows = -1, .seeds = -1};
    boost_rules rules;
    boosting *b = NULL;
    int seeds, outputs = nominal ? K : 1;
    double mean[N * K] = {0}, thresholds[K] = {0};
    params.rate = params.l2 = params.rows = params.columns = NAN;
    boost_settle_rules(&params, N, K, &rules, &seeds);
    for (int seed = 0; seed < seeds; seed++) {
        assert_ok(ctx, boosting_new(ctx, &ctx->scratch, rows, &(boost_fold){f->fold, fold, f->n}, &rules,
                                    boost_random(seed), 1, &b));
        for (int r = 0; r < s->rounds; r++) assert_ok(ctx, boosting_round(ctx, b, NULL, 1, NULL));
        for (int i = 0; i < N * outputs; i++) mean[i] += b->f[i] / seeds;
        for (int q = 0; q < K - 1 && !nominal; q++) thresholds[q] += b->link.t[q] / seeds;
    }
    if (!nominal) ordinal_set(&b->link, thresholds);
    for (int64_t i = 0; i < N; i++) boost_proba(nominal ? NULL : &b->link, K, mean + i, N, proba + i * K);
}

static void predictions_are_held_out(void **state)
{
    rung_ctx *ctx = *state;
    table *t = make_table();
    boost_rows rows;
    folds f;
    assert_ok(ctx, boost_rows_new(ctx, &ctx->scratch, &t->p, 31, &rows));
    assert_ok(ctx, stacked_folds(ctx, &ctx->scratch, &t->p, FOLDS, &f));
    for (int nominal = 0; nominal < 2; nominal++) {
        stacked_trees s;
        double proba[N * K], seen = 0, held = 0;
        assert_ok(ctx, stacked_trees_run(ctx, &ctx->scratch, &rows, (stacked_kind)nominal, &f, &s));
        assert_true(s.rounds > 1 && s.loss < log(3));
        for (int fold = 0; fold < FOLDS; fold++) {
            if (fold == f.fold[50]) continue; /* it leaves a class without rows */
            proba_without(ctx, &rows, &s, &f, fold, proba);
            for (int64_t i = 0; i < N; i++)
                if (f.fold[i] == fold) assert_arrays_close(K, s.proba + i * K, proba + i * K, 1e-13);
        }
        for (int64_t i = 0; i < N; i++) {
            double sum = 0;
            for (int q = 0; q < K; q++) sum += s.proba[i * K + q];
            assert_close(sum, 1, 1e-12);
            if (f.fold[i] == f.fold[50]) assert_true(s.proba[i * K + K - 1] == 0);
            held -= log(fmax(s.proba[i * K + t->y[i] - 1], 1e-9)) / N;
        }
        assert_close(held, s.loss, 1e-12);
        /* the member: all rows, so it fits them better */
        member m;
        double output[N * K], p[K];
        assert_ok(ctx, stacked_trees_member(ctx, &ctx->scratch, &rows, &s, &m));
        assert_int_equal(m.score.trees.n_trees % s.rounds, 0);
        assert_ok(ctx, scorer_apply(ctx, &m.score, N, t->x, output));
        for (int64_t i = 0; i < N; i++) {
            member_proba(&m, output + i * m.score.outputs, 0, p);
            seen -= log(p[t->y[i] - 1]) / N;
        }
        assert_true(seen < s.loss);
    }
    free(t);
}

/* Random trees: what is predicted of a fold does not depend on its labels; the member has seen all rows. */
static void random_trees_are_held_out(void **state)
{
    rung_ctx *ctx = *state;
    table *t = make_table();
    boost_rows rows;
    folds f;
    stacked_trees s, other;
    member m;
    double output[N * K], p[K];
    int differ = 0, right = 0;
    assert_ok(ctx, boost_rows_new(ctx, &ctx->scratch, &t->p, 31, &rows));
    assert_ok(ctx, stacked_folds(ctx, &ctx->scratch, &t->p, FOLDS, &f));
    assert_ok(ctx, stacked_trees_run(ctx, &ctx->scratch, &rows, STACKED_RANDOM, &f, &s));
    assert_ok(ctx, stacked_trees_member(ctx, &ctx->scratch, &rows, &s, &m));
    assert_ok(ctx, scorer_apply(ctx, &m.score, N, t->x, output));
    for (int64_t i = 0; i < N; i++) {
        member_proba(&m, output + i * m.score.outputs, 0, p);
        right += posterior_median(K, p) == t->y[i];
    }
    assert_true(right > 0.95 * N);
    for (int i = 0; i < N; i++)
        if (f.fold[i] == 0) t->y[i] = K + 1 - t->y[i];
    assert_ok(ctx, stacked_trees_run(ctx, &ctx->scratch, &rows, STACKED_RANDOM, &f, &other));
    for (int64_t i = 0; i < N; i++) {
        double sum = 0;
        for (int q = 0; q < K; q++) sum += s.proba[i * K + q];
        assert_close(sum, 1, 1e-12);
        bool same = memcmp(s.proba + i * K, other.proba + i * K, K * sizeof(double)) == 0;
        if (f.fold[i] == 0) assert_true(same);
        differ += !same;
    }
    assert_true(differ > N / 4);
    free(t);
}

/* Interval labels are divided by the masses of the classes among the rows that a tree sees: what is predicted of a fold
 * does not depend on its labels. */
static void intervals_are_held_out(void **state)
{
    rung_ctx *ctx = *state;
    table *t = make_table();
    boost_rows rows;
    folds f;
    stacked_trees s, other;
    int upper[N];
    t->y[50] = 1;
    for (int i = 0; i < N; i++) {
        upper[i] = i % 2 ? K - 1 : t->y[i];
        if (i % 2) t->y[i] = 1;
    }
    assert_ok(ctx, boost_rows_new(ctx, &ctx->scratch, &t->p, 31, &rows));
    assert_ok(ctx, stacked_folds(ctx, &ctx->scratch, &t->p, FOLDS, &f));
    rows.upper = upper;
    assert_ok(ctx, stacked_trees_run(ctx, &ctx->scratch, &rows, STACKED_RANDOM, &f, &s));
    for (int i = 0; i < N; i++)
        if (f.fold[i] == 0) t->y[i] = upper[i] = 1;
    assert_ok(ctx, stacked_trees_run(ctx, &ctx->scratch, &rows, STACKED_RANDOM, &f, &other));
    int differ = 0;
    for (int64_t i = 0; i < N; i++) {
        bool same = memcmp(s.proba + i * K, other.proba + i * K, K * sizeof(double)) == 0;
        if (f.fold[i] == 0) assert_true(same);
        differ += !same;
    }
    assert_true(differ > N / 4);
    free(t);
}

/* A fold that leaves a single class has no part in the loss, neither above nor below the line. */
static void the_loss_is_that_of_what_was_fitted(void **state)
{
    rung_ctx *ctx = *state;
    table *t = make_table();
    boost_rows rows;
    stacked_trees s;
    int fold[N];
    for (int i = 0; i < N; i++) {
        t->y[i] = 1 + (i >= N - 20); /* the second class is fold 0 */
        fold[i] = i >= N - 20 ? 0 : 1 + i % 2;
    }
    folds f = {.n = N, .count = 3, .repeats = 1, .fold = fold};
    t->p.K = 2;
    assert_ok(ctx, boost_rows_new(ctx, &ctx->scratch, &t->p, 31, &rows));
    assert_ok(ctx, stacked_trees_run(ctx, &ctx->scratch, &rows, STACKED_ORDINAL, &f, &s));
    double held = 0;
    for (int i = 0; i < N - 20; i++) held -= log(fmax(s.proba[i * 2], 1e-9)) / (N - 20);
    assert_close(held, s.loss, 1e-12);
    free(t);
}

/* Two classes: both links are logistic boosting, and give the same numbers. */
static void two_classes_have_one_link(void **state)
{
    rung_ctx *ctx = *state;
    table *t = make_table();
    boost_rows rows;
    folds f;
    stacked_trees s[2];
    for (int i = 0; i < N; i++) t->y[i] = 1 + (t->y[i] > 1);
    t->p.K = 2;
    assert_ok(ctx, boost_rows_new(ctx, &ctx->scratch, &t->p, 31, &rows));
    assert_ok(ctx, stacked_folds(ctx, &ctx->scratch, &t->p, FOLDS, &f));
    for (int nominal = 0; nominal < 2; nominal++)
        assert_ok(ctx, stacked_trees_run(ctx, &ctx->scratch, &rows, (stacked_kind)nominal, &f, &s[nominal]));
    assert_int_equal(s[0].rounds, s[1].rounds);
    assert_memory_equal(s[0].proba, s[1].proba, (size_t)N * 2 * sizeof(double));
    free(t);
}

/* Every round is a model: all numbers of rounds, that of the least loss among them, come out of one pass as they do one
 * by one. */
static void one_pass_serves_all_numbers_of_rounds(void **state)
{
    rung_ctx *ctx = *state;
    table *t = make_table();
    enum { COUNT = 5 };
    const int rounds[COUNT] = {7, -1, 130, 1, 20};
    boost_rows rows;
    folds f;
    boost_path paths[COUNT], one;
    boost_rules rules = {.tree = {.leaves = 4, .min_rows = 3, .l2 = 1, .columns = 0.7}, .rate = 0.1, .rows = 0.7};
    assert_ok(ctx, boost_rows_new(ctx, &ctx->scratch, &t->p, 31, &rows));
    assert_ok(ctx, stacked_folds(ctx, &ctx->scratch, &t->p, FOLDS, &f));
    assert_ok(ctx, boost_path_run(ctx, &ctx->scratch, &rows, &rules, 2, &f, (boost_rounds){COUNT, rounds}, paths));
    for (int i = 0; i < COUNT; i++) {
        assert_ok(ctx, boost_path_run(ctx, &ctx->scratch, &rows, &rules, 2, &f, (boost_rounds){1, &rounds[i]}, &one));
        assert_true(paths[i].rounds == one.rounds && (rounds[i] < 1 || one.rounds == rounds[i]));
        assert_true(paths[i].loss == one.loss && paths[i].loss >= paths[1].loss);
        assert_int_equal(one.held.n, N);
        assert_memory_equal(paths[i].held.proba, one.held.proba, (size_t)(N * K) * sizeof(double));
        assert_memory_equal(paths[i].held.rank, one.held.rank, (size_t)N * sizeof(int));
    }
    free(t);
}

static void note_cut(void *user, rung_log_level level, const char *text)
{
    *(int *)user += level == RUNG_LOG_WARNING && strstr(text, "still decreasing after 2000 rounds");
}

/* The most rounds that are tried are too few for a small rate: not without a word. */
static void rounds_cut_short_say_so(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const rate[] = {"0.0005", "0.5"};
    double x[40];
    int y[40], told = 0;
    for (int i = 0; i < 40; i++) {
        x[i] = i;
        y[i] = 1 + (i >= 20);
    }
    rung_view view = {.v = x, .n = 40, .d = 1, .row = 1, .col = 1};
    rung_data *data;
    assert_ok(ctx, rung_data_new(ctx, &view, y, NULL, 2, &data));
    rung_ctx_set_log(ctx, note_cut, &told);
    for (int k = 0; k < 2; k++) {
        rung_spec *spec;
        rung_model *m;
        assert_ok(ctx, rung_spec_new(ctx, "boost", 0, &spec));
        assert_ok(ctx, rung_spec_set(ctx, spec, "rate", rate[k]));
        assert_ok(ctx, rung_model_fit(ctx, spec, data, &m));
        assert_int_equal(told, 1);
        rung_model_free(m);
        rung_spec_free(spec);
    }
    rung_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(folds_hold_out_every_row),
        WITH_CONTEXT(predictions_are_held_out),
        WITH_CONTEXT(random_trees_are_held_out),
        WITH_CONTEXT(intervals_are_held_out),
        WITH_CONTEXT(the_loss_is_that_of_what_was_fitted),
        WITH_CONTEXT(two_classes_have_one_link),
        WITH_CONTEXT(one_pass_serves_all_numbers_of_rounds),
        WITH_CONTEXT(rounds_cut_short_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
