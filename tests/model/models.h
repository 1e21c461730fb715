// SPDX-License-Identifier: BSD-3-Clause
/* Models made by hand, one for every kind of part. */
#ifndef RUNG_TESTS_MODEL_MODELS_H
#define RUNG_TESTS_MODEL_MODELS_H

#include "helper.h"

#include "model/model.h"

typedef enum {
    MODEL_CONSTANT,    /* class shares; class "b" of a < b < c < d has no labels */
    MODEL_LINEAR,      /* two outputs, thresholds, standard scaling */
    MODEL_RBF,         /* calibrated, with a report and metrics */
    MODEL_ARD,         /* minmax scaling */
    MODEL_LAPLACIAN,   /* thresholds, some of them infinite, and probabilities beside them; rows kept for an update */
    MODEL_POLY,        /* no decision: scores only */
    MODEL_PRECOMPUTED, /* no scaling */
    MODEL_RANK,        /* rank scaling */
    MODEL_PAIR,        /* two members */
    MODEL_MEANS,       /* two outputs, the nearest class mean */
    MODEL_SOFT,        /* one output, the nearest soft scale; classes cut from real numbers */
    MODEL_OUTPUTS,     /* three outputs, the largest one */
    MODEL_GAUSSIAN,    /* memberships of neighbours, the largest one; answers for training rows, some with labels */
    MODEL_BINARY,      /* memberships of neighbours without weights, their median; answers for training rows */
    MODEL_REAL,        /* a real target: scores only, and answers for training rows */
    MODEL_UNLABELLED,  /* no classes, no label, two outputs */
    MODEL_GRADED,      /* two outputs, the nearest class mean, calibrated by class, tempered; ranges */
    MODEL_MIXTURE,     /* eight members of every kind a mixture has, with arrays in common, sharpened */
    MODEL_TREES,       /* three outputs, a tree each: a cut, a set and missing cells, a single leaf; no scaling */
    MODEL_KINDS
} model_kind;

enum {
    D = 4,
    TERMS = 5,
    TRAINED = 12,
    MOST_OUTPUTS = 3
}; /* coded columns: one number, one text column with three categories */

/* Numbers without a pattern, in quarters from -2.25 to 2.25. */
static inline double some(int64_t i) { return (double)((i * 37 + 11) % 19 - 9) / 4; }

static inline double *copy_numbers(rung_ctx *ctx, rung_model *m, int64_t n, const double *v)
{
    double *out = NULL;
    assert_ok(ctx, NEW(ctx, &m->mem, out, n));
    for (int64_t i = 0; i < n; i++) out[i] = v ? v[i] : some(i);
    return out;
}

#define NUMBERS(...) copy_numbers(ctx, m, sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]){__VA_ARGS__})

static inline const char **copy_texts(rung_ctx *ctx, rung_model *m, int64_t n, const char *const *v)
{
    const char **out = NULL;
    assert_ok(ctx, NEW(ctx, &m->mem, out, n));
    for (int64_t i = 0; i < n; i++) out[i] = v[i];
    return out;
}

static inline void make_coding(rung_ctx *ctx, rung_model *m)
{
    m->code = (coding){.has_names = true,
                       .n_columns = 2,
                       .d = D,
                       .label = "grade",
                       .label_position = 1,
                       .file_columns = 3,
                       .n_classes = 4};
    m->code.classes = copy_texts(ctx, m, 4, (const char *[]){"a", "b", "c", "d \"quoted\" \xc3\xa9"});
    assert_ok(ctx, NEW(ctx, &m->mem, m->code.columns, 2));
    m->code.columns[0] = (column_code){.name = "age", .fill = 0.1};
    m->code.columns[1] = (column_code){.name = "colour", .position = 2, .nominal = true, .n_categories = 3, .first = 1};
    m->code.columns[1].categories = copy_texts(ctx, m, 3, (const char *[]){"", "blue", "red"});
}

static inline void make_calibration(rung_ctx *ctx, rung_model *m, member *one)
{
    one->proba = PROBA_CALIBRATION;
    one->map = (rank_map){.n = 3, .f = NUMBERS(-1, 0.25, 2), .s = NUMBERS(1, 2, 3)};
    one->cal = (calibration){.K = 3, .a = 1.7, .c = NUMBERS(2.3, 4.4)};
}

static inline void make_kernel(rung_ctx *ctx, rung_model *m, member *one, kernel k)
{
    one->score.kind = SCORER_KERNEL;
    one->score.m = TERMS;
    one->score.k = k;
    one->score.rows = copy_numbers(ctx, m, D * TERMS, NULL);
    for (int i = 0; i < TERMS; i++) one->score.coef[i] *= 12; /* scores that reach every rank */
    one->score.bias[0] = -2.5;
}

/* 5 rows, 3 classes, column-major */
static const double memberships[] = {1, 0, 0.25, 0.5, 0.125, 0, 0.5, 0.5, 0.25, 0.125, 0, 0.5, 0.25, 0.25, 0.75};

static inline void make_neighbours(rung_ctx *ctx, rung_model *m, member *one, weight_kind weights, decision_kind kind)
{
    one->proba = PROBA_MEMBERSHIPS;
    one->score = (scorer){.kind = SCORER_NEIGHBOURS,
                          .outputs = 3,
                          .m = TERMS,
                          .d = D,
                          .neighbours = 3,
                          .weights = weights,
                          .width = weights == WEIGHTS_GAUSSIAN ? 1.5 : 0};
    one->score.rows = copy_numbers(ctx, m, D * TERMS, NULL);
    one->score.coef = copy_numbers(ctx, m, 3 * TERMS, memberships);
    one->decide = (decision){.kind = kind, .K = 3};
}

/* Answers for the training rows; the outputs of a row are contiguous. */
static inline void make_training(rung_ctx *ctx, rung_model *m, bool labels)
{
    int outputs = m->members[0].score.outputs;
    m->training = (transduction){.n = TRAINED, .output = copy_numbers(ctx, m, TRAINED * outputs, NULL)};
    if (outputs == 3)
        for (int i = 0; i < TRAINED; i++)
            for (int q = 0; q < 3; q++) m->training.output[3 * i + q] = memberships[i % TERMS + TERMS * q];
    if (!labels) return;
    assert_ok(ctx, NEW(ctx, &m->mem, m->training.label, TRAINED));
    m->training.label[1] = 3;
    m->training.label[4] = 1;
}

/* Rows kept for an update, with weights and two numbers of state each. */
static inline void make_kept(rung_ctx *ctx, rung_model *m)
{
    m->kept = (kept_data){.n = m->n_labelled, .width = 2};
    m->kept.rows = copy_numbers(ctx, m, D * m->n_labelled, NULL);
    m->kept.state = copy_numbers(ctx, m, 2 * m->n_labelled, NULL);
    m->kept.class_weight = NUMBERS(1, 0, 2, 0.5);
    assert_ok(ctx, NEW(ctx, &m->mem, m->kept.label, m->n_labelled));
    assert_ok(ctx, NEW(ctx, &m->mem, m->kept.weight, m->n_labelled));
    for (int64_t i = 0; i < m->n_labelled; i++) {
        m->kept.label[i] = 1 + (int)(i % 3);
        m->kept.weight[i] = 0.5 + (double)i;
    }
}

static inline int64_t *copy_integers(rung_ctx *ctx, rung_model *m, int64_t n, const int64_t *v)
{
    int64_t *out = NULL;
    assert_ok(ctx, NEW(ctx, &m->mem, out, n));
    memcpy(out, v, (size_t)n * sizeof *out);
    return out;
}

#define INTEGERS(...)                                                                                                  \
    copy_integers(ctx, m, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (int64_t[]){__VA_ARGS__})

static inline void make_trees(rung_ctx *ctx, rung_model *m, member *one)
{
    one->scale = (scaling){.kind = SCALE_NONE, .d = D};
    one->score.kind = SCORER_TREES;
    one->score.outputs = 3;
    one->score.m = 9;
    one->score.trees = (forest){.outputs = 3,
                                .n_columns = 2,
                                .n_trees = 3,
                                .n_nodes = 9,
                                .n_words = 1,
                                .cut_first = INTEGERS(0, 2, 2),
                                .cut = NUMBERS(-0.5, 0.75),
                                .tree_first = INTEGERS(0, 3, 8, 9),
                                .column = INTEGERS(0, -1, -1, 1, 0, -1, -1, -1, -1),
                                .split = INTEGERS(1, 0, 0, 0, 2, 0, 0, 0, 0),
                                .missing = INTEGERS(0, 0, 0, 1, 1, 0, 0, 0, 0),
                                .value = NUMBERS(3, 0.5, -0.5, 2, 1, 0.25, -1, 1.5, 0.125),
                                .set = INTEGERS(2)};
    assert_ok(ctx, forest_ready(ctx, &m->mem, &m->code, &one->score.trees));
    one->proba = PROBA_SOFTMAX;
    one->decide = (decision){.kind = DECISION_MEDIAN, .K = 3};
}

static inline void make_member(rung_ctx *ctx, rung_model *m, member *one, model_kind kind)
{
    *one = (member){.weight = 1};
    one->scale = (scaling){.kind = SCALE_STANDARD, .d = D};
    one->scale.shift = NUMBERS(0.5, -0.25, 0, 1);
    one->scale.factor = NUMBERS(2, 0.1, 0, 0.75); /* the third column is constant */
    one->score = (scorer){.kind = SCORER_LINEAR, .outputs = 1, .d = D, .m = D};
    one->score.coef = copy_numbers(ctx, m, MOST_OUTPUTS * TERMS, NULL);
    one->score.bias = NUMBERS(0.3, -0.7, -3);
    one->decide = (decision){.kind = DECISION_CALIBRATED, .K = 3};
    if (kind != MODEL_CONSTANT && kind != MODEL_LINEAR && kind != MODEL_POLY && kind < MODEL_MEANS)
        make_calibration(ctx, m, one);
    switch (kind) {
    case MODEL_CONSTANT:
        one->scale = (scaling){.kind = SCALE_NONE, .d = D};
        one->score = (scorer){.kind = SCORER_CONSTANT, .outputs = 1, .d = D, .bias = NUMBERS(2)};
        one->decide = (decision){.kind = DECISION_CONSTANT, .K = 3, .rank = 2};
        one->proba = PROBA_PRIOR;
        one->prior = NUMBERS(0.125, 0.5, 0.375);
        break;
    case MODEL_LINEAR:
        one->score.outputs = 2;
        one->decide = (decision){.kind = DECISION_THRESHOLDS, .K = 3, .thresholds = NUMBERS(-1, 0.75)};
        break;
    case MODEL_RBF: make_kernel(ctx, m, one, (kernel){.kind = KERNEL_RBF, .gamma = 0.1}); break;
    case MODEL_ARD:
        one->scale.kind = SCALE_MINMAX;
        make_kernel(ctx, m, one,
                    (kernel){.kind = KERNEL_ARD, .n_precisions = D, .precisions = NUMBERS(0.1, 0, 2, 0.5)});
        break;
    case MODEL_LAPLACIAN:
        make_kernel(ctx, m, one, (kernel){.kind = KERNEL_LAPLACIAN, .gamma = 0.2});
        one->decide =
            (decision){.kind = DECISION_THRESHOLDS, .K = 3, .thresholds = NUMBERS(-INFINITY, 0.3), .tie_up = true};
        break;
    case MODEL_POLY:
        make_kernel(ctx, m, one, (kernel){.kind = KERNEL_POLY, .gamma = 0.5, .coef0 = 1, .degree = 3});
        one->decide = (decision){.kind = DECISION_NONE};
        break;
    case MODEL_PRECOMPUTED:
        one->scale = (scaling){.kind = SCALE_NONE, .d = D};
        one->score.kind = SCORER_KERNEL;
        one->score.k = (kernel){.kind = KERNEL_PRECOMPUTED};
        one->score.m = 3;
        assert_ok(ctx, NEW(ctx, &m->mem, one->score.index, 3));
        memcpy(one->score.index, (int64_t[]){3, 0, 3}, 3 * sizeof(int64_t));
        break;
    case MODEL_RANK:
        one->scale.kind = SCALE_RANK;
        assert_ok(ctx, NEW(ctx, &m->mem, one->scale.knots_first, D + 1));
        memcpy(one->scale.knots_first, (int64_t[]){0, 3, 5, 6, 7}, 5 * sizeof(int64_t));
        one->scale.knot = NUMBERS(-2, 0.5, 3, 0, 1, 0, 1);
        one->scale.knot_cdf = NUMBERS(0.2, 0.5, 0.9, 0.3, 0.8, 0.5, 0.5);
        break;
    case MODEL_GRADED:
    case MODEL_MEANS:
        one->score.outputs = 2;
        make_kernel(ctx, m, one, (kernel){.kind = KERNEL_RBF, .gamma = 0.1});
        one->decide = (decision){.kind = DECISION_NEAREST_MEAN, .K = 3, .means = NUMBERS(-2.5, -2, -0.25, -2, 1.5, -3)};
        one->proba = kind == MODEL_GRADED ? PROBA_CALIBRATION : PROBA_NONE;
        if (kind == MODEL_GRADED) one->cal = (calibration){.K = 3, .a = 3, .c = NUMBERS(4.7, 7.1)};
        break;
    case MODEL_SOFT:
        one->decide = (decision){.kind = DECISION_NEAREST_MEAN, .K = 3, .means = NUMBERS(-1.5, 0.75, 0.5)};
        break;
    case MODEL_OUTPUTS:
        one->score.outputs = 3;
        one->decide = (decision){.kind = DECISION_ARGMAX, .K = 3};
        break;
    case MODEL_GAUSSIAN: make_neighbours(ctx, m, one, WEIGHTS_GAUSSIAN, DECISION_ARGMAX); break;
    case MODEL_BINARY: make_neighbours(ctx, m, one, WEIGHTS_BINARY, DECISION_MEDIAN); break;
    case MODEL_UNLABELLED: one->score.outputs = 2; /* fall through */
    case MODEL_REAL:
        make_kernel(ctx, m, one, (kernel){.kind = KERNEL_RBF, .gamma = 0.1});
        one->decide = (decision){.kind = DECISION_NONE};
        break;
    case MODEL_TREES: make_trees(ctx, m, one); break;
    case MODEL_PAIR:
    case MODEL_MIXTURE:
    case MODEL_KINDS: break;
    }
}

/* The numbers of a mixture's members, from 0. */
enum { GP, RIDGE, RANKED, SPREAD, POWER, SHARES, NOMINAL_TREES, ORDINAL_TREES, MIXED };

static inline void mix_kernel(rung_ctx *ctx, rung_model *m, int i, int outputs, int rows_from)
{
    member *one = &m->members[i];
    one->rows_from = rows_from;
    one->score =
        (scorer){.kind = SCORER_KERNEL,
                 .outputs = outputs,
                 .k = {.kind = KERNEL_RBF, .gamma = 0.1 + 0.1 * i},
                 .m = TERMS,
                 .d = D,
                 .rows = rows_from ? m->members[rows_from - 1].score.rows : copy_numbers(ctx, m, D * TERMS, NULL),
                 .coef = copy_numbers(ctx, m, TERMS * outputs, NULL),
                 .bias = copy_numbers(ctx, m, outputs, NULL)};
    one->proba = i == GP ? PROBA_PROBIT : PROBA_CUMULATIVE;
}

static inline void mix_spread(rung_ctx *ctx, rung_model *m, int i, double power)
{
    member *one = &m->members[i];
    make_neighbours(ctx, m, one, WEIGHTS_GAUSSIAN, DECISION_MEDIAN);
    one->rows_from = one->space_from = RANKED + 1;
    one->score.rows = m->members[RANKED].score.rows;
    one->space = m->members[RANKED].space;
    one->proba = PROBA_POWER;
    one->power = power;
    one->prior = NUMBERS(0.25, 0.25, 0.5);
}

/* Beside members of scaled columns, trees keep looking at the cells as they stand. */
static inline void mix_trees(rung_ctx *ctx, rung_model *m, int i)
{
    member *one = &m->members[i];
    scaling common = one->scale;
    make_trees(ctx, m, one);
    one->scale = common;
    one->score.d = D;
    one->score.bias = NUMBERS(0.25, -0.5, 0.125);
    if (i == NOMINAL_TREES) return;
    one->score.outputs = one->score.trees.outputs = 1;
    one->proba = PROBA_PROBIT;
    one->link =
        (probit_link){.noise = 1, .kind = LINK_LOGIT, .b = NUMBERS(-0.5, 0.75), .factor = copy_numbers(ctx, m, 0, NULL)};
}

static inline void make_mixture(rung_ctx *ctx, rung_model *m)
{
    make_member(ctx, m, &m->members[GP], MODEL_RANK);
    member ranked = m->members[GP];
    for (int i = 0; i < MIXED; i++) {
        m->members[i] = (member){.weight = i + 1, .decide = {.kind = DECISION_MEDIAN, .K = 3}};
        m->members[i].scale = ranked.scale;
        m->members[i].scale.kind = SCALE_STANDARD;
        m->members[i].scale.knots_first = NULL;
        m->members[i].scale.knot = m->members[i].scale.knot_cdf = NULL;
    }
    mix_kernel(ctx, m, GP, 3 + 2, 0);
    m->members[GP].link = (probit_link){.kind = LINK_PROBIT,
                                        .rank = 2,
                                        .functions = true,
                                        .noise = 1,
                                        .variance = 2,
                                        .b = NUMBERS(-0.5, 0.75),
                                        .spread = NUMBERS(0.5, 0.125, 0.125, 0.25)};
    mix_kernel(ctx, m, RIDGE, 2, GP + 1);
    mix_kernel(ctx, m, RANKED, 2, 0);
    m->members[RANKED].space = ranked.scale;
    m->members[RANKED].space.shift = NUMBERS(0.5, -0.25, 0, 1);
    m->members[RANKED].space.factor = NUMBERS(2, 0.1, 0, 0.75);
    mix_spread(ctx, m, SPREAD, 4);
    m->members[SPREAD].score.coef[1] = 7; /* scores, not shares */
    mix_spread(ctx, m, POWER, 2);
    m->members[POWER].coef_from = SPREAD + 1;
    m->members[POWER].score.coef = m->members[SPREAD].score.coef;
    m->members[SHARES].score = (scorer){.kind = SCORER_CONSTANT, .outputs = 1, .d = D, .bias = NUMBERS(2)};
    m->members[SHARES].proba = PROBA_PRIOR;
    m->members[SHARES].prior = NUMBERS(0.125, 0.5, 0.375);
    mix_trees(ctx, m, NOMINAL_TREES);
    mix_trees(ctx, m, ORDINAL_TREES);
    m->sharpen = 1.5;
}

static inline rung_model *make_model(rung_ctx *ctx, model_kind kind)
{
    rung_model *m = NULL;
    assert_ok(ctx, model_new(ctx, &m));
    m->method = "kdlor";
    m->library = "0.1.0";
    m->n_params = 3;
    assert_ok(ctx, NEW(ctx, &m->mem, m->params, 3));
    m->params[0] = (model_param){"C", "10"};
    m->params[1] = (model_param){"width", NULL};
    m->params[2] = (model_param){"kernel", "rbf"};
    make_coding(ctx, m);
    m->n_present = 3;
    assert_ok(ctx, NEW(ctx, &m->mem, m->present, 3));
    memcpy(m->present, (int[]){1, 3, 4}, 3 * sizeof(int));
    m->n_rows = TRAINED;
    m->n_labelled = 7;
    m->n_expansion = TERMS;
    m->n_members = kind == MODEL_PAIR ? 2 : kind == MODEL_MIXTURE ? MIXED : 1;
    assert_ok(ctx, NEW(ctx, &m->mem, m->members, m->n_members));
    if (kind == MODEL_MIXTURE) make_mixture(ctx, m);
    if (kind != MODEL_MIXTURE) make_member(ctx, m, &m->members[0], kind == MODEL_PAIR ? MODEL_RBF : kind);
    if (kind == MODEL_PAIR) {
        make_member(ctx, m, &m->members[1], MODEL_CONSTANT);
        m->members[0].weight = 7;
        m->members[1].scale = m->members[0].scale;
    }
    if (kind == MODEL_SOFT) m->code.edges = NUMBERS(-0.5, 0.25, 1e300);
    if (kind == MODEL_GAUSSIAN || kind == MODEL_BINARY || kind == MODEL_REAL)
        make_training(ctx, m, kind == MODEL_GAUSSIAN);
    if (kind == MODEL_LAPLACIAN) make_kept(ctx, m);
    if (kind == MODEL_GRADED || kind == MODEL_GAUSSIAN)
        m->ranges = (conformal){.repeats = 1, .n = 6, .missed = 1, .score = NUMBERS(.1, .2, .3, .4, .7, .9)};
    if (kind == MODEL_GRADED)
        m->temper = (tempering){.n = 2,
                                .power = NUMBERS(0.5, 1.25),
                                .weight = NUMBERS(0.5, 0.25),
                                .frequency = NUMBERS(0.125, 0.0625, 0.0625)};
    if (kind == MODEL_REAL || kind == MODEL_UNLABELLED) m->n_present = m->code.n_classes = 0;
    if (kind == MODEL_REAL) m->code.real = true;
    if (kind == MODEL_UNLABELLED) {
        m->code.label = "";
        m->code.label_position = -1;
        m->n_labelled = 0;
    }
    if (kind == MODEL_RBF) {
        m->n_report = 2;
        assert_ok(ctx, NEW(ctx, &m->mem, m->report, 2));
        m->report[0] = (report_entry){"rho", -1, NUMBERS(1.0 / 3)};
        m->report[1] = (report_entry){"means", 3, NUMBERS(-1, NAN, INFINITY)};
        m->has_cv = true;
        m->cv = (rung_metrics){.mae = 0.1, .mze = 1e-310, .mmae = -0.0, .rps = NAN, .off1 = 1, .mae_high = 0.2, .n = 7};
    }
    return m;
}

#endif
