// SPDX-License-Identifier: BSD-3-Clause
/* A method is one file that ends in one table entry. The command line, the docs, the front ends, the searches, save,
 * load and the contract tests all read the table; nothing else lists methods or parameters. */
#ifndef RUNG_FIT_METHOD_H
#define RUNG_FIT_METHOD_H

#include <math.h>

#include "data/splits.h"
#include "data/together.h"
#include "model/model.h"
#include "problem/problem.h"

/* Predictions for held-out rows, each from a model that did not see the row. */
typedef struct {
    int64_t n;
    int64_t *row; /* of the problem */
    int *repeat, *fold;
    double *score; /* on the rank scale */
    int *rank;     /* the native decision */
    int K;         /* classes of proba */
    double *proba; /* n x K by rows: probabilities of the method's own; NULL: it has none */
} held_out;

/* An average: what its members say of some rows that they have not seen, P(y > q). From such predictions the weights
 * and the reported error follow, so they prove the model (proof.h). */
typedef struct {
    int64_t n;   /* 0: none */
    int members; /* as many as the fit has */
    int64_t *at; /* n: which of the labelled rows they are */
    double
        *said; /* n x (members + 1) x (K - 1): of each row that of each member, and at last that of all of them as the
                     weights of the fit take them together */
} held_members;

/* What a fit returns. Arrays live in the pool given to fit. The functions below assemble the parts; a method fills in
 * what it has and leaves the rest 0. */
typedef struct {
    member own;    /* its scorer, native decision and map, and where its probabilities come from, if it has some; the
                      driver adds weight, scaling and calibration */
    int n_members; /* > 0: several members instead; their weights need not sum to 1, and their scaling is left to the
                      driver */
    member *members;
    double sharpen;
    double *loo; /* labelled rows of the problem x K, by rows: their leave-one-out probabilities, NaN for a row that
                    was never left out; NULL: none */
    held_members held;     /* where there is loo */
    transduction training; /* predictions for the rows of the problem (which must be all rows); n = 0: none */
    int64_t n_expansion;
    int state_width; /* numbers per row of the problem (`state`) from which `update` can continue; 0: none */
    double *state;
    int n_report;
    report_entry *report;
} fitted;

struct method;

typedef struct {
    int64_t n, labelled, d;
    int K;
    int64_t rows;                /* of the data, with those that the method does not use; 0: n */
    int64_t all;                 /* labelled rows that the n rows are a sample of; 0: the n are all there are ... */
    int64_t all_here;            /* ... the most that one process has of them; 0: all */
    double memory;               /* the limit, which decides how much is kept; 0: none */
    int threads;                 /* that work in parallel, each on its own matrices; 0: one */
    const struct method *method; /* whose fit it is; method_peak sets it */
} problem_shape;

/* What a fit works on. */
typedef struct {
    const struct method *method; /* methods that share their hooks differ in its `variant` */
    problem *p;
    const void *params; /* settled */
} fit_input;

struct verification; /* verify.h */

/* A row of a method's parameters: the place of the value in the method's struct, and the public part. */
typedef struct {
    size_t place;
    rung_param info;
} param_row;

/* One row, for the member `field` of T: PARAM(my_params, ridge, .name = "ridge", .help = ...). */
#define PARAM(T, field, ...)                                                                                           \
    {                                                                                                                  \
        offsetof(T, field), { __VA_ARGS__ }                                                                            \
    }

typedef struct method {
    rung_method info;        /* first: rung_method_param_at finds the rows from it */
    const param_row *params; /* ends with a row without a name */
    int64_t params_size;
    const void *variant; /* distinguishes methods that share hooks; of a type the hooks know */
    bool takes_sample;   /* RUNG_METHOD_PASSES: it learns from the sample, and not from all rows (problem->all) */
    bool takes_cells;    /* it works on the cells as they stand, missing ones too (problem.h), and not on scaled rows */
    /* What a fit holds at most, in bytes, the rows of its problem among it; fit/room.c adds what the driver holds. */
    double (*bytes)(const problem_shape *shape, const void *params);
    /* What the model has beside the rows and outputs for each class; NULL: nothing. */
    double (*model_bytes)(const problem_shape *shape, const void *params);
    /* Replaces values `auto` that depend on the labels (in params, a copy); NULL: there are none. */
    rung_status (*settle)(rung_ctx *ctx, const struct method *m, problem *p, void *params);
    /* Computes in the problem what a fit will need, so that parallel fits share it; NULL: nothing. */
    rung_status (*prepare)(rung_ctx *ctx, const fit_input *in);
    /* Stores in p->shared (scratch memory) what fits on p have in common if they differ only in RUNG_PARAM_CHEAP
     * parameters. A fit uses what it finds there, and otherwise calls this itself; NULL: nothing is shared. */
    rung_status (*share)(rung_ctx *ctx, const fit_input *in);
    rung_status (*fit)(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out);
    /* A fit that also predicts the rows held out in turn, more cheaply than by refitting; NULL: the method cannot. */
    rung_status (*hold_out)(rung_ctx *ctx, pool *mem, const fit_input *in, const folds *f, fitted *out, held_out *held);
    bool (*can_hold_out)(const void *params); /* whether hold_out supports these parameters; NULL: always */
    bool chooses; /* hold_out predicts rows that had a part in a choice: with few labels they are refitted for */
    /* For a search: only the rows held out, for several settings that differ in RUNG_PARAM_CHEAP parameters alone
     * (params and held have `count`), more cheaply than one by one; NULL: the method cannot. */
    rung_status (*hold_out_alike)(rung_ctx *ctx, pool *mem, const fit_input *in, const folds *f, int count,
                                  const void *const *params, held_out *held);
    /* A fit that continues from the state of an earlier one to the first `known` rows of the problem; NULL: the method
     * cannot (and is not RUNG_METHOD_UPDATABLE). The result is that of fit. */
    rung_status (*update)(rung_ctx *ctx, pool *mem, const fit_input *in, int64_t known, const double *state,
                          fitted *out);
    bool has_groups; /* it learns effects of groups (data/random_terms.h), and predicts just what it prints: its
                        probabilities are not tempered, and rows that equal labelled ones are like any other */
    bool state_per_threshold; /* the state has K - 1 numbers per row, not one */
    /* Standard errors of the coefficients and tests of an assembled model (in its memory); NULL: the method has none.
     * Leaves out empty where they cannot be computed. */
    rung_status (*infer)(rung_ctx *ctx, const fit_input *in, rung_model *model);
    /* Adds the conditions that make a finished model the solution, recomputed from the data (verify.h). */
    rung_status (*verify)(rung_ctx *ctx, const struct verification *v);
} method;

extern const method *const method_table[];   /* table.c; ends with NULL */
const method *method_find(const char *name); /* also by alias */
const method *method_default(bool real);     /* the one to take unless there is a reason; real: for real targets */

/* ---- parameters ---- */
struct rung_spec {
    pool mem;
    const method *method;
    void *params;        /* params_size bytes */
    const char **values; /* text of every parameter, NULL = unset */
    scale_kind scale;
    bool balanced; /* all classes count the same, but for the weights that follow */
    int n_weights;
    const char **weight_class;
    double *weight;
    int n_cost;       /* classes of the costs; 0: none */
    answer_cost cost; /* without a matrix: absolute ones */
    equal_rule equal; /* whether equal labelled rows leave together */
    bool keep_data;   /* in the model, for an update */
    bool bare;        /* no training row may be in the model, see bare.h */
    bool baseline;    /* report the error of label propagation alone */
};

rung_status spec_new(rung_ctx *ctx, const char *name, bool published, rung_spec **out);
rung_status spec_copy(rung_ctx *ctx, const rung_spec *spec, rung_spec **out);
rung_status spec_set(rung_ctx *ctx, rung_spec *spec, const char *name, const char *value);
rung_status spec_set_scale(rung_ctx *ctx, rung_spec *spec, const char *scale);
rung_status spec_set_equal_rows(rung_ctx *ctx, rung_spec *spec, const char *rule);
rung_status spec_set_weight(rung_ctx *ctx, rung_spec *spec, const char *class_name, double weight);
rung_status spec_set_balanced(rung_ctx *ctx, rung_spec *spec, bool balanced);
rung_status spec_set_keep_data(rung_ctx *ctx, rung_spec *spec, bool keep);
rung_status spec_set_keep_rows(rung_ctx *ctx, rung_spec *spec, bool keep);
rung_status spec_set_cost(rung_ctx *ctx, rung_spec *spec, int classes, const double *cost, double abstain);
rung_status spec_set_baseline(rung_ctx *ctx, rung_spec *spec, bool wanted);
rung_status cannot_update(rung_ctx *ctx, const char *method_name); /* RUNG_EARG with the methods that can */
const char *spec_value(const rung_spec *spec, const char *name);   /* NULL: unset, or no such parameter */
bool spec_is_default(const rung_spec *spec); /* no parameter but calibrate has another value than its default */
void spec_free(rung_spec *spec);

/* The parameter rows every kernel method has; T has a member `kernel_params kernel`. */
typedef struct {
    int kind;                   /* kernel_kind */
    double gamma, width, coef0; /* gamma -c: c/d; NaN: auto or unset */
    int degree;
    const char *precisions;
    int landmarks; /* 0: exact; LANDMARKS_AUTO until settled */
} kernel_params;

enum { LANDMARKS_AUTO = -1 };
#define LANDMARKS_PARAM(T)                                                                                             \
    PARAM(T, kernel.landmarks, .name = "landmarks",                                                                    \
          .help = "maximum number of rows that approximate the kernel; exact: no approximation; auto: exact if that "  \
                  "fits into memory",                                                                                  \
          .type = RUNG_TYPE_INT, .default_value = "auto", .published = "exact", .low = 1, .high = 1e6,                 \
          .flags = RUNG_PARAM_AUTO, .choices = "exact")

#define GAMMA_GRID "0.03/d,0.1/d,0.3/d,1/d,3/d,10/d,30/d,100/d"
#define KERNEL_PARAMS_AS(T, gamma_standard, gamma_published, gamma_grid, gamma_help)                                   \
    PARAM(T, kernel.kind, .name = "kernel", .help = "kernel function", .type = RUNG_TYPE_CHOICE,                       \
          .default_value = "rbf", .published = "rbf", .choices = KERNEL_CHOICES),                                      \
        PARAM(T, kernel.gamma, .name = "gamma", .help = gamma_help, .type = RUNG_TYPE_REAL,                            \
              .default_value = gamma_standard, .published = gamma_published, .low = 0, .high = HUGE_VAL,               \
              .flags = RUNG_PARAM_OPEN_LOW | RUNG_PARAM_LOG | RUNG_PARAM_AUTO | RUNG_PARAM_PER_COLUMN |                \
                       RUNG_PARAM_SMOOTH_DOWN,                                                                         \
              .grid = gamma_grid, .published_grid = "0.1,1,10"),                                                       \
        PARAM(T, kernel.width, .name = "width", .help = "alternative to gamma: gamma = 1 / (2 width^2)",               \
              .type = RUNG_TYPE_REAL, .low = 0, .high = HUGE_VAL,                                                      \
              .flags = RUNG_PARAM_OPEN_LOW | RUNG_PARAM_LOG | RUNG_PARAM_OPTIONAL | RUNG_PARAM_SMOOTH_UP),             \
        PARAM(T, kernel.degree, .name = "degree", .help = "poly: k = (gamma x'z + coef0)^degree",                      \
              .type = RUNG_TYPE_INT, .default_value = "3", .published = "3", .low = 1, .high = KERNEL_MOST_DEGREE),    \
        PARAM(T, kernel.coef0, .name = "coef0", .help = "poly: the constant term", .type = RUNG_TYPE_REAL,             \
              .default_value = "1", .published = "1", .low = 0, .high = HUGE_VAL),                                     \
        PARAM(T, kernel.precisions, .name = "precisions",                                                              \
              .help = "ard: k = exp(-sum_d s_d (x_d-z_d)^2), with the s_d separated by commas, one per coded column",  \
              .type = RUNG_TYPE_TEXT, .flags = RUNG_PARAM_OPTIONAL)

#define GAMMA_HELP "rbf: k = exp(-gamma |x-z|^2); c/d is c divided by the number of non-constant columns; auto is 1/d"
#define KERNEL_PARAMS(T) KERNEL_PARAMS_AS(T, "auto", "auto", GAMMA_GRID, GAMMA_HELP)

/* Of calibrate=auto; up to so many labels twice as many folds; the most for which a method without this parameter is
 * fitted again to folds. */
enum { CALIBRATE_FOLDS = 5, DOUBLED_LABELS = 500, MOST_REFITTED = 150 };
#define CALIBRATE_PARAM(T, value)                                                                                      \
    PARAM(T, calibrate, .name = "calibrate",                                                                           \
          .help = "number of folds for probabilities, prediction intervals and recalibrated thresholds, up to 500 "    \
                  "labels twice as many; 0: none; auto: 5, and above 500 labels a single one; with other parameters "  \
                  "set, the method's own probabilities stay as they are",                                              \
          .type = RUNG_TYPE_INT, .default_value = value, .published = "0", .low = 0, .high = 1000,                     \
          .flags = RUNG_PARAM_AUTO)

/* Rows of the methods with a graph: its weight `mu`, and the neighbours a row is joined with. */
#define MU_PARAM(T, more_help, more_flags, values, published_values)                                                   \
    PARAM(T, mu, .name = "mu", .help = "weight of the graph over all rows" more_help, .type = RUNG_TYPE_REAL,          \
          .default_value = "0.1", .published = "0.1", .low = 0, .high = HUGE_VAL,                                      \
          .flags = RUNG_PARAM_LOG | RUNG_PARAM_SMOOTH_UP | (more_flags), .grid = values,                               \
          .published_grid = published_values)
#define GRAPH_NEIGHBOURS_PARAM(T, field, value, published_values)                                                      \
    PARAM(T, field, .name = "neighbours", .help = "number of nearest rows connected with each row in the graph",       \
          .type = RUNG_TYPE_INT, .default_value = value, .published = value, .low = 1, .high = 100000,                 \
          .published_grid = published_values)

/* Checks that the parameters of the kernel are consistent; the precisions are parsed into mem. */
rung_status kernel_from_params(rung_ctx *ctx, pool *mem, const kernel_params *params, kernel *out);
/* What all fits to the rows of a problem share: the kernel, and its landmarks or its matrix. */
rung_status kernel_prepare(rung_ctx *ctx, problem *p, const kernel_params *params, kernel *out);

/* Peak memory of a fit with settled parameters. */
double method_peak(const method *m, const problem_shape *shape, const void *params);
/* The same of a specification, landmarks=auto settled. */
rung_status method_bytes(rung_ctx *ctx, const rung_spec *spec, const problem_shape *shape, double *out);
/* With landmarks=auto, whatever the setting. */
rung_status method_least_bytes(rung_ctx *ctx, const rung_spec *spec, const problem_shape *shape, double *out);

bool method_can_hold_out(const method *m, const void *params);
/* A copy of the parameters with all automatic values settled. */
rung_status method_settle(rung_ctx *ctx, pool *mem, const rung_spec *spec, problem *p, void **params);
/* Computes in the cache of a problem what its folds will use, with as many landmarks as they will have. */
rung_status method_prepare(rung_ctx *ctx, const rung_spec *spec, problem *p);

/* ---- parts of a fit (fitted.c) ---- */
rung_status held_out_new(rung_ctx *ctx, pool *mem, int64_t room, held_out *out);
/* The same with room for probabilities of K classes. */
rung_status held_out_with_proba(rung_ctx *ctx, pool *mem, int64_t room, int K, held_out *out);
/* f(x) = sum_i beta_i k(x, x_i) over the rows of the problem; a linear kernel becomes one weight per column. */
rung_status expansion_scorer(rung_ctx *ctx, pool *mem, const problem *p, const kernel *k, const double *beta,
                             scorer *out);
/* The same with several outputs: beta is n x outputs, column-major. Rows without a coefficient are not stored. The bias
 * is 0; a method may set out->bias afterwards. */
rung_status expansion_outputs(rung_ctx *ctx, pool *mem, const problem *p, const kernel *k, int outputs,
                              const double *beta, scorer *out);
/* v'phi(x) over landmark features, V (m x outputs) its weights (overwritten): score, n_expansion, and the report on
 * landmarks. The bias is 0, as above. */
rung_status landmark_results(rung_ctx *ctx, pool *mem, const landmarks *l, int outputs, double *V, fitted *out);
/* output = W'x + bias; W is d x outputs, bias NULL: 0. */
rung_status linear_scorer(rung_ctx *ctx, pool *mem, const problem *p, int outputs, const double *W, const double *bias,
                          scorer *out);
/* The class whose mean is nearest; means: outputs x K, the mean of a class is contiguous. One output: soft scales. */
rung_status nearest_mean_decision(rung_ctx *ctx, pool *mem, int K, int outputs, const double *means, decision *out);
/* A method whose result is memberships U of the rows of the problem (n x K, column-major; those of a row sum to 1), as
 * label propagation: fills score, decide (DECISION_ARGMAX or DECISION_MEDIAN), training and n_expansion. A new row gets
 * the mean membership of its k nearest rows, weighted by exp(-d^2 / (2 width^2)) or (WEIGHTS_BINARY) equally. */
typedef struct {
    int64_t k;
    weight_kind weights;
    double width;
    decision_kind decide;
} membership_rule;
rung_status membership_fit(rung_ctx *ctx, pool *mem, const problem *p, const double *U, const membership_rule *rule,
                           fitted *out);
/* Predictions of a transductive fit for the rows of the problem: outputs x n; label as in `transduction`, or NULL. */
rung_status training_answers(rung_ctx *ctx, pool *mem, int64_t n, int outputs, const double *output, const int *label,
                             transduction *out);
typedef struct {
    double *score; /* on the rank scale */
    int *rank;
    int K;
    double *proba; /* n x K by rows, zeros at first; NULL: not wanted */
} row_answers;
/* Predictions of a fit for n rows. Rank r of the fit is reported as classes[r-1] (NULL: r). The score of a
 * fit without a map is the expected class by its probabilities, else see member_rank_score. out->proba: probabilities
 * of the fit's own, that of its rank r at classes[r-1]. */
rung_status fitted_apply(rung_ctx *ctx, const fitted *fit, const int *classes, int64_t n, const member_rows *rows,
                         const row_answers *out);
/* A bound of the scores of a linear or kernel scorer at the rows of the problem, which they may be far below where
 * their terms cancel; rounding errors are relative to it. */
double score_size(const problem *p, const scorer *s);
/* The rank scale through (mean of class q by this scorer, q). */
rung_status mean_rank_map(rung_ctx *ctx, pool *mem, const problem *p, const double *mean, const scorer *s,
                          rank_map *out);
rung_status report_list(rung_ctx *ctx, pool *mem, fitted *fit, const char *name, int64_t n, const double *values);
rung_status report_number(rung_ctx *ctx, pool *mem, fitted *fit, const char *name, double value);

#endif
