// SPDX-License-Identifier: BSD-3-Clause
/* rung.h - ordinal regression with few labels.
 *
 *     rung_ctx *ctx;  rung_table *table;  rung_data *data;  rung_spec *spec;  rung_model *model;
 *     rung_ctx_new(&ctx);
 *     rung_table_read(ctx, "train.csv", NULL, &table);             file  -> table of columns
 *     rung_data_encode(ctx, table, NULL, &data);                  table -> numbers and ranks
 *     rung_spec_new(ctx, "kdlor", 0, &spec);                 a method with its parameters
 *     rung_spec_set(ctx, spec, "gamma", "0.5");
 *     rung_model_fit(ctx, spec, data, &model);
 *     rung_model_save(ctx, model, "model.rung");
 *
 * Every function that can fail returns a rung_status; the sentence that explains it is rung_ctx_message(ctx).
 * The library never prints, exits or aborts. What a function returns through its last argument belongs to
 * the caller and is released by the matching _free function (NULL is fine); on failure it is set to NULL.
 *
 * Thread safety: one context per thread. Tables, data, specs and models are read-only once made (a spec
 * once its last rung_spec_set returned) and may then be shared between threads that each use their own context.
 * rung_ctx_interrupt may be called from any thread or signal handler.
 *
 * While a call runs, OpenBLAS is set to one thread (rung runs its own) and restored afterwards. */
#ifndef RUNG_H
#define RUNG_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RUNG_VERSION "0.1.0"
#define RUNG_ABI 0 /* changes when a program must be compiled again */

#if defined(__GNUC__)
#define RUNG_CHECK __attribute__((warn_unused_result))
#define RUNG_API __attribute__((visibility("default")))
#else
#define RUNG_CHECK
#define RUNG_API
#endif

typedef enum {
    RUNG_OK = 0,
    RUNG_ENOMEM,     /* the system has no memory left */
    RUNG_EARG,       /* an argument, name or value that does not fit */
    RUNG_EDATA,      /* the data cannot be used as they are */
    RUNG_EIO,        /* a file could not be read or written */
    RUNG_EFORMAT,    /* a model file that is damaged, foreign or newer than this library */
    RUNG_ESINGULAR,  /* a factorisation failed */
    RUNG_ENOCONV,    /* an iteration did not converge */
    RUNG_ELIMIT,     /* the memory limit of the context would be exceeded */
    RUNG_EINTERRUPT, /* rung_ctx_interrupt was called */
    RUNG_EINTERNAL   /* a defect of the library */
} rung_status;

typedef struct rung_ctx rung_ctx;     /* threads, seed, limits, log, last message; one per thread */
typedef struct rung_table rung_table; /* columns of numbers and text, as read */
typedef struct rung_data rung_data;   /* coded columns, ranks, classes: what a fit learns from */
typedef struct rung_spec rung_spec;   /* one method and its parameter values */
typedef struct rung_model rung_model; /* what a fit returns; complete in itself */

/* ---- context ------------------------------------------------------------------------------------ */

RUNG_API const char *rung_version(void); /* of the loaded library; compare with RUNG_VERSION */
RUNG_API int rung_abi(void);             /* of the loaded library; compare with RUNG_ABI */

RUNG_API RUNG_CHECK rung_status rung_ctx_new(rung_ctx **out);
RUNG_API void rung_ctx_free(rung_ctx *);
RUNG_API const char *rung_ctx_message(const rung_ctx *); /* why the last call failed; "" after success */
RUNG_API const char *rung_status_name(rung_status);

RUNG_API void rung_ctx_set_seed(rung_ctx *, uint64_t seed);   /* default 1 */
RUNG_API void rung_ctx_set_threads(rung_ctx *, int threads);  /* default 0: all cores; never changes a result */
RUNG_API void rung_ctx_set_memory(rung_ctx *, int64_t bytes); /* refuse work that needs more; default 0: no limit */

typedef enum { RUNG_ERROR, RUNG_WARNING, RUNG_INFO, RUNG_DEBUG } rung_level;
typedef void rung_log_fn(void *user, rung_level level, const char *text);
typedef void rung_progress_fn(void *user, const char *stage, double done); /* done: 0..1 */
RUNG_API void rung_ctx_set_log(rung_ctx *, rung_log_fn *, void *user);     /* NULL: silent (default) */
RUNG_API void rung_ctx_set_progress(rung_ctx *, rung_progress_fn *, void *user);

/* Asks the running call to stop; it returns RUNG_EINTERRUPT soon. Cleared when the next call starts. */
RUNG_API void rung_ctx_interrupt(rung_ctx *);

/* The work done so far by one context, operation by operation; returns 0 past the last one. */
typedef struct {
    const char *name;
    int64_t calls;
    double flops, seconds;
} rung_counter;
RUNG_API int rung_ctx_counter(const rung_ctx *, int index, rung_counter *out);

/* ---- methods ------------------------------------------------------------------------------------ */

typedef enum { RUNG_REAL, RUNG_INT, RUNG_CHOICE, RUNG_TEXT } rung_type;

enum {                         /* of a parameter */
       RUNG_OPEN_LOW = 1,      /* the lower bound itself is not allowed */
       RUNG_LOG = 2,           /* search it on a log scale */
       RUNG_AUTO = 4,          /* the word `auto` is allowed */
       RUNG_NO_EFFECT = 8,     /* never changes a rank: do not search it */
       RUNG_OPTIONAL = 16,     /* may be left unset: the default is empty */
       RUNG_PER_COLUMN = 32,   /* may be written c/d: c over the number of columns that vary */
       RUNG_SMOOTH_UP = 64,    /* a larger value gives a smoother model */
       RUNG_SMOOTH_DOWN = 128, /* a smaller one does */
       RUNG_CHEAP = 256 /* fits that differ in it alone share the costly part: a search tries it nearly for free */
};

typedef struct {
    const char *name, *help;
    rung_type type;
    const char *default_value; /* default value, as text; NULL: unset */
    const char *published;     /* what the paper used */
    double low, high;          /* numbers: the allowed range */
    unsigned flags;
    const char *choices;        /* RUNG_CHOICE: "kernel|identity"; RUNG_INT: a word that stands for 0, or NULL */
    const char *grid;           /* values worth trying, "0.1,1,10"; NULL: not searched */
    const char *published_grid; /* what the paper searched; NULL: nothing */
} rung_param;

enum { /* of a method */
       RUNG_NEEDS_LABELS = 1,
       RUNG_NEEDS_TWO_CLASSES = 2,
       RUNG_REAL_TARGETS = 4,
       RUNG_TRANSDUCTIVE = 8,
       RUNG_WEIGHTS = 16, /* takes class and row weights */
       RUNG_UPDATABLE = 32,
       RUNG_PROBABILITIES = 64, /* has probabilities of its own, without calibration */
       RUNG_USES_UNLABELLED = 128,
       RUNG_EVIDENCE = 256 /* reports the log evidence of the labels, which a search can decide by */
};

typedef struct {
    const char *name, *title, *reference, *cost;
    unsigned flags;
} rung_method;

RUNG_API const rung_method *rung_method_at(int index);                           /* the table; NULL past the end */
RUNG_API const rung_method *rung_method_find(const char *name);                  /* also by alias; NULL: unknown */
RUNG_API const rung_param *rung_method_param_at(const rung_method *, int index); /* NULL past the end */
RUNG_API const rung_param *rung_method_param_find(const rung_method *, const char *name); /* NULL: it has none */

/* ---- data --------------------------------------------------------------------------------------- */

typedef struct {        /* zeros: the default */
    const char *format; /* "csv"; NULL: by file name, then by content */
    char delimiter;     /* 0: recognised */
    char decimal;       /* ',' for 3,14; 0: '.' */
    int header;         /* 1: the first row holds names, -1: it does not, 0: recognised */
} rung_read_options;

typedef struct {         /* zeros: the default */
    const char *label;   /* column of the labels, by name or position from 1; NULL: `label`, else the last */
    const char *order;   /* the classes, lowest first: "low<mid<high"; NULL: numbers order themselves */
    const char *ignore;  /* columns to leave out: "id,name" */
    const char *weights; /* column of row weights */
    const char *groups;  /* column that tells which rows belong together; not a feature */
    int missing_error;   /* 1: refuse missing feature cells instead of filling them by the median */
    int unlabelled;      /* 1: there is no label column */
    int real;            /* 1: the label column holds real numbers, to be predicted as such */
    int bins;            /* > 0: real numbers, cut into this many classes of equal frequency ... */
    int bins_width;      /* ... or, 1: of equal width */
} rung_encode_options;

/* n rows of d numbers, not owned: row i, column j at v[i * row + j * col]. NaN is a missing cell: it takes the median of
 * the training rows, or goes to the method as it is where that has a way with it (boost). */
typedef struct {
    const double *v;
    int64_t n, d, row, col;
} rung_view;

RUNG_API RUNG_CHECK rung_status rung_table_read(rung_ctx *, const char *path, const rung_read_options *,
                                                rung_table **out);
RUNG_API void rung_table_free(rung_table *);
RUNG_API int64_t rung_table_rows(const rung_table *);
RUNG_API int64_t rung_table_columns(const rung_table *);
RUNG_API const char *rung_table_name(const rung_table *, int64_t column); /* "" where there is no header */
/* The text of a cell (a number as its shortest text), at most size bytes with the final 0; returns its whole length. */
RUNG_API int64_t rung_table_cell(const rung_table *, int64_t row, int64_t column, char *text, int64_t size);

/* A table from memory, its columns added one by one, all with a name or (NULL) all without. Numbers: row i at
 * v[i * step], NaN = missing. Text: row i is values[code[i]], code -1 = missing; ordered: 1: as labels the values are
 * the classes, lowest first. Everything is copied. */
RUNG_API RUNG_CHECK rung_status rung_table_new(rung_ctx *, int64_t rows, rung_table **out);
RUNG_API RUNG_CHECK rung_status rung_table_add_numbers(rung_ctx *, rung_table *, const char *name, const double *v,
                                                       int64_t step);
RUNG_API RUNG_CHECK rung_status rung_table_add_text(rung_ctx *, rung_table *, const char *name, const int32_t *code,
                                                    const char *const *values, int32_t n_values, int ordered);

/* A file in blocks, at constant memory. With a model its columns are read as the model needs them and all others as
 * text, as they stand; the file is read once. rung_reader_next gives at most `rows` rows, and NULL after the last. */
typedef struct rung_reader rung_reader;
RUNG_API RUNG_CHECK rung_status rung_reader_open(rung_ctx *, const char *path, const rung_read_options *,
                                                 const rung_model *, rung_reader **out);
RUNG_API RUNG_CHECK rung_status rung_reader_next(rung_ctx *, rung_reader *, int64_t rows, rung_table **out);
RUNG_API void rung_reader_close(rung_reader *);

RUNG_API RUNG_CHECK rung_status rung_data_encode(rung_ctx *, const rung_table *, const rung_encode_options *,
                                                 rung_data **out);

/* From memory: rank[i] in 1..classes, 0 = unlabelled; weight may be NULL. */
RUNG_API RUNG_CHECK rung_status rung_data_new(rung_ctx *, const rung_view *X, const int *rank, const double *weight,
                                              int classes, rung_data **out);
/* The same with real targets, NaN = unlabelled. */
RUNG_API RUNG_CHECK rung_status rung_data_new_real(rung_ctx *, const rung_view *X, const double *target,
                                                   const double *weight, rung_data **out);
/* Names for data from memory, before they are used: of the feature columns, of the label column, of the classes (lowest
 * first). Each may be NULL: left as it is. Without names columns go by position and classes are called 1, 2, ... */
RUNG_API RUNG_CHECK rung_status rung_data_set_names(rung_ctx *, rung_data *, const char *const *columns,
                                                    const char *label, const char *const *classes);
/* A data set by formula (rung_generator_at lists them). noise < 0: the formula's own; unlabelled: the share of the rows
 * whose label is hidden, stratified, at least one kept per class. */
RUNG_API RUNG_CHECK rung_status rung_data_generate(rung_ctx *, const char *name, int64_t rows, double noise,
                                                   double unlabelled, rung_data **out);
RUNG_API const char *rung_generator_at(int index, const char **help); /* name and what it is; NULL past the end */
/* Some rows of a data set, with its columns and classes. hidden: n flags, not 0 = without its label; may be NULL. */
RUNG_API RUNG_CHECK rung_status rung_data_subset(rung_ctx *, const rung_data *, int64_t n, const int64_t *rows,
                                                 const int *hidden, rung_data **out);
/* Sets ranks to 0 at random (the context's seed), stratified by class: about `share` of them or, keep > 0, all but
 * `keep` of each class. A class keeps at least one. */
RUNG_API RUNG_CHECK rung_status rung_ranks_hide(rung_ctx *, int64_t n, int *rank, int classes, double share,
                                                int64_t keep);
RUNG_API void rung_data_free(rung_data *);

RUNG_API int64_t rung_data_rows(const rung_data *);
RUNG_API int64_t rung_data_features(const rung_data *);
RUNG_API int rung_data_classes(const rung_data *);
RUNG_API const char *rung_data_class_name(const rung_data *, int rank); /* rank from 1 */
RUNG_API void rung_data_feature_name(const rung_data *, int64_t column, char *text, int64_t size);
RUNG_API const int *rung_data_ranks(const rung_data *);      /* 0 = unlabelled */
RUNG_API const double *rung_data_targets(const rung_data *); /* real targets, NaN = unlabelled; NULL: ranks */
RUNG_API const int *rung_data_groups(const rung_data *);     /* rows that belong together; NULL: no such column */
RUNG_API rung_view rung_data_view(const rung_data *);

/* ---- fit ---------------------------------------------------------------------------------------- */

RUNG_API RUNG_CHECK rung_status rung_spec_new(rung_ctx *, const char *method, int as_published, rung_spec **out);
RUNG_API RUNG_CHECK rung_status rung_spec_set(rung_ctx *, rung_spec *, const char *name, const char *value);
RUNG_API RUNG_CHECK rung_status rung_spec_set_scale(rung_ctx *, rung_spec *,
                                                    const char *scale); /* standard, minmax, rank, none */
RUNG_API RUNG_CHECK rung_status rung_spec_set_class_weight(rung_ctx *, rung_spec *, const char *class_name,
                                                           double weight);
/* keep != 0: the model keeps its labelled rows, so that rung_model_update can add to them. */
RUNG_API RUNG_CHECK rung_status rung_spec_set_keep_data(rung_ctx *, rung_spec *, int keep);
/* wanted != 0: a fit that learns from unlabelled rows also reports the cross-validated error of label propagation alone
 * (propagation_cv_mae), which the method should beat. RUNG_EARG for a method that ignores unlabelled rows. */
RUNG_API RUNG_CHECK rung_status rung_spec_set_baseline(rung_ctx *, rung_spec *, int wanted);
RUNG_API void rung_spec_free(rung_spec *);

RUNG_API RUNG_CHECK rung_status rung_model_fit(rung_ctx *, const rung_spec *, const rung_data *, rung_model **out);

/* Is a model the answer it should be? Recomputes from the data what a right one meets: optimality of the solution
 * (gradients, duality gap, residuals), valid probabilities, thresholds in order, equal answers once saved. spec and
 * data are those of the fit. RUNG_OK where that could be computed, also if a condition is not met: look at ok. */
enum { RUNG_MOST_CONDITIONS = 32 };
typedef struct {
    const char *name, *what; /* what was computed, in a few words */
    double value, tolerance;
    int ok; /* value <= tolerance */
} rung_condition;
RUNG_API RUNG_CHECK rung_status rung_model_verify(rung_ctx *, const rung_spec *, const rung_data *, const rung_model *,
                                                  rung_condition out[RUNG_MOST_CONDITIONS], int *count);
/* New labelled rows (coded by rung_model_encode) join a model that kept its own: the model of a fit to all of them with
 * the first one's scaling, found from where that ended. Methods that are RUNG_UPDATABLE. */
RUNG_API RUNG_CHECK rung_status rung_model_update(rung_ctx *, const rung_model *, const rung_data *, rung_model **out);
/* Whether that can be done with a model; the message tells why not. */
RUNG_API RUNG_CHECK rung_status rung_model_updatable(rung_ctx *, const rung_model *);
RUNG_API void rung_model_free(rung_model *);

/* A search for the best method and parameters by cross-validation. Lists end with NULL. */
typedef struct {                /* zeros: the default */
    const char *const *methods; /* NULL: the default method */
    const char *const *fixed;   /* "ridge=0.1": not searched */
    const char *const *grids;   /* "gamma=0.1,1,10": instead of the method's own grid */
    const char *const *weights; /* "high=2": class weights */
    const char *scale;          /* as in rung_spec_set_scale */
    const char *metric;         /* key of rung_metrics to be best in, or "evidence" (no folds then); NULL: mae */
    int as_published;           /* 1: published values and grids, and the first minimum in grid order */
    int folds;                  /* 0: 5; -1: leave one out */
    int repeats;                /* 0: 5 up to 60 labelled rows, 2 up to 150, else 1 */
    const int *groups;          /* a number per row: rows of one group are held out together; NULL: none */
    const int *own_folds;       /* own_repeats x rows: the fold (from 0) that holds a row out, < 0: none */
    int own_repeats;
    int one_se; /* 1: the smoothest model within one standard error of the best */
    int nested; /* 1: also cross-validate the search itself, for an honest error */
} rung_tune_options;
/* out: the winner, fitted on all rows and calibrated on its out-of-fold scores. report: what was tried, as one JSON
 * object (see `rung tune --json`); release it with rung_free. */
RUNG_API RUNG_CHECK rung_status rung_tune_run(rung_ctx *, const rung_tune_options *, const rung_data *,
                                              rung_model **out, char **report);

/* Does labelling more pay, do the unlabelled rows pay? In every repeat a third of the labelled rows, by class, is held
 * out as a test; of the others some labels per class are kept and the rest hidden, more and more of the same, and every
 * method is fitted with and (where it uses them) without the rows that have no label then. The constant median stands
 * beside them. */
typedef struct {                /* zeros: the default */
    const char *const *methods; /* ends with NULL; NULL: the default method */
    const char *const *fixed;   /* "ridge=0.1": for the methods that have it */
    const char *const *weights; /* "high=2": class weights */
    const char *scale;          /* as in rung_spec_set_scale */
    const char *metric;         /* key of rung_metrics; NULL: mae */
    const int *sizes;           /* labels per class, ascending; NULL: 5, 10, 20, ... as the data allow */
    int n_sizes;
    int repeats; /* 0: 10 */
} rung_curve_options;
/* report: one JSON object (see `rung curve --json`); release it with rung_free. */
RUNG_API RUNG_CHECK rung_status rung_curve_run(rung_ctx *, const rung_curve_options *, const rung_data *,
                                               char **report);

/* ---- model -------------------------------------------------------------------------------------- */

/* Definitions: docs/metrics.md. NaN where a value is undefined (no probabilities, a single class, ...). */
typedef struct {
    double mae, mze, acc, amae, mmae, mse, gm, ms, rps, tau, spearman, kappa, qkappa, off1;
    double mae_low, mae_high; /* bootstrap, 95 % */
    int64_t n;
} rung_metrics;

RUNG_API RUNG_CHECK rung_status rung_model_save(rung_ctx *, const rung_model *, const char *path);
RUNG_API RUNG_CHECK rung_status rung_model_load(rung_ctx *, const char *path, rung_model **out);

/* The same in memory: the bytes of a model file; release them with rung_free. */
RUNG_API RUNG_CHECK rung_status rung_model_save_memory(rung_ctx *, const rung_model *, char **bytes, int64_t *size);
RUNG_API RUNG_CHECK rung_status rung_model_load_memory(rung_ctx *, const char *bytes, int64_t size, rung_model **out);

RUNG_API int rung_model_classes(const rung_model *);
RUNG_API const char *rung_model_class_name(const rung_model *, int rank); /* rank from 1 */
RUNG_API int64_t rung_model_features(const rung_model *);                 /* coded columns */
RUNG_API int rung_model_outputs(const rung_model *);                      /* score columns */
RUNG_API int rung_model_has_ranks(const rung_model *);                    /* 0: scores only */
RUNG_API int rung_model_has_probabilities(const rung_model *);
RUNG_API int rung_model_has_latent(const rung_model *); /* 1: rung_output.sd, the spread of its score */
/* How the ranges of ranks (rung_output.low, high) come about: "credible" (a posterior of the method's own),
 * "cross-conformal" (from rows held out: they hold the true rank with the stated probability even where the method's
 * probabilities are off; too few labels give all ranks); NULL: there are none (calibrate=0). */
RUNG_API const char *rung_model_interval(const rung_model *);
RUNG_API int rung_model_is_real(const rung_model *); /* 1: fitted to real targets; its score is the prediction */
RUNG_API int64_t rung_model_training_rows(const rung_model *); /* see rung_model_predict_training; 0: it says nothing */
RUNG_API int rung_model_cv(const rung_model *,
                           rung_metrics *out); /* out-of-fold metrics of the fit; 0: none (calibrate=0) */

/* What is in a model, as one JSON object (see `rung inspect --json`); release it with rung_free. */
RUNG_API RUNG_CHECK rung_status rung_model_describe(rung_ctx *, const rung_model *, char **json);
RUNG_API void rung_free(char *);

/* Codes a table as the model was trained: columns by name (by position where there are no names), the
 * model's own categories and fill values. labels: 1 keep the label column if there is one (ranks 0 where
 * it is empty), 2 it must be there, 0 ignore it. */
RUNG_API RUNG_CHECK rung_status rung_model_encode(rung_ctx *, const rung_model *, const rung_table *, int labels,
                                                  rung_data **out);

typedef struct {     /* where to write; NULL: not wanted */
    int *rank;       /* n:                    1..classes */
    double *score;   /* n x outputs, by rows */
    double *proba;   /* n x classes, by rows */
    double *sd;      /* n: the standard deviation of the latent value whose mean is the score */
    int *low, *high; /* n: a range of ranks that holds the true one with the probability `level` */
    double level;    /* above 0, below 1 */
} rung_output;
RUNG_API RUNG_CHECK rung_status rung_model_predict(rung_ctx *, const rung_model *, const rung_view *X,
                                                   const rung_output *out);
/* What a transductive fit says of its own training rows, in their order: rung_model_training_rows of them. A row whose
 * label was given keeps it. */
RUNG_API RUNG_CHECK rung_status rung_model_predict_training(rung_ctx *, const rung_model *, const rung_output *out);

/* ---- metrics ------------------------------------------------------------------------------------ */

/* Rows whose truth is 0 are left out. proba (n x classes, by rows) may be NULL. */
RUNG_API RUNG_CHECK rung_status rung_metrics_compute(rung_ctx *, int64_t n, int classes, const int *truth,
                                                     const int *predicted, const double *proba, rung_metrics *out);
/* Do the probabilities mean what they say? Rows by the probability of their most probable class, in equal parts of
 * 0..1; ece: the expected calibration error, the mean over the rows of |confidence - accuracy| of their part. out has
 * room for `bins`. Rows whose truth is 0 are left out. */
typedef struct {
    double low, high;            /* of the probability */
    double confidence, accuracy; /* mean probability; share of the rows that are of this class; NaN without rows */
    int64_t n;
} rung_reliability_bin;
RUNG_API RUNG_CHECK rung_status rung_reliability_compute(rung_ctx *, int64_t n, int classes, const int *truth,
                                                         const double *proba, int bins, rung_reliability_bin *out,
                                                         double *ece);
/* Real targets. Rows whose truth is NaN are left out. r2 is NaN where all true values are equal. */
typedef struct {
    double mae, mse, rmse, r2;
    int64_t n;
} rung_real_metrics;
RUNG_API RUNG_CHECK rung_status rung_real_metrics_compute(rung_ctx *, int64_t n, const double *truth,
                                                          const double *predicted, rung_real_metrics *out);
/* Ranks from two columns of a table, classes from both (or from order, as in rung_encode_options). */
RUNG_API RUNG_CHECK rung_status rung_metrics_compute_table(rung_ctx *, const rung_table *, const char *truth,
                                                           const char *predicted, const char *order, rung_metrics *out);

#ifdef __cplusplus
}
#endif
#endif
