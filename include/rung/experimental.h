// SPDX-License-Identifier: BSD-3-Clause
/* experimental.h - the part of the interface that may still change.
 *
 * What rung.h declares is kept: as long as RUNG_ABI stays the same, programs run with every newer library. What is
 * declared here has no such promise: any version may change or remove it, while RUNG_ABI stays as it is. A program that
 * uses it runs with the version that it was compiled with:
 *
 *     if (rung_version_number() != RUNG_VERSION_NUMBER) ...   the library is of another version: compile again
 *
 * or is linked statically. Errors, ownership, threads and structs are as in rung.h. What has proved itself moves there,
 * with the same names. */
#ifndef RUNG_EXPERIMENTAL_H
#define RUNG_EXPERIMENTAL_H

#include "rung.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rung_verification rung_verification; /* the conditions that a model was checked against */
typedef struct rung_curve rung_curve;               /* errors by number of labels */
typedef struct rung_suggestion rung_suggestion;     /* rows to label next */
typedef struct rung_importance rung_importance;     /* which columns matter */
typedef struct rung_effects rung_effects;           /* how the answer changes along columns */
typedef struct rung_row rung_row;                   /* why a row gets its answer */

/* ---- the work of a context -------------------------------------------------------------------- */

/* What the memory limit (rung_ctx_set_memory) has to hold besides the data and the work: the program with its
 * libraries, and the buffers of each thread; 0 at first. A program that sets both, as the command does, keeps its whole
 * resident set below the limit. Needs that messages state include the program and one thread; where there is no room
 * for the buffers of all threads, fewer work. */
RUNG_API void rung_ctx_set_overhead(rung_ctx *ctx, int64_t program, int64_t thread);

/* The work done so far with one context, operation by operation. */
typedef struct {
    size_t size;
    const char *name;
    int64_t calls;
    double flops, seconds;
} rung_counter;
/* Fills in the counter of an index from 0; returns 0 past the last one (or where out->size is not set), else 1. */
RUNG_API int rung_ctx_counter(const rung_ctx *ctx, int index, rung_counter *out);

/* ---- several processes ------------------------------------------------------------------------ */

/* Several processes that work together, each with its own context. A program supplies these three operations, by MPI or
 * otherwise; the library calls them in the same order in every process. They return 0, or another number on failure. */
typedef struct {
    size_t size;
    int rank, ranks; /* this process, from 0; all of them */
    void *user;
    int (*sum)(void *user, double *v, int64_t n);                   /* v := the sum over all processes */
    int (*broadcast)(void *user, void *bytes, int64_t n, int from); /* the bytes of process `from`, to all */
    int (*barrier)(void *user);                                     /* waits for all */
} rung_comm;
/* comm is copied; NULL: this process works alone, as at first. What is summed has the same bits for any number of
 * processes: rows are summed in the order of a file, files and their sums in a tree of fixed shape. RUNG_EARG: a rank
 * outside the ranks, a missing function. */
RUNG_API RUNG_CHECK rung_status rung_ctx_set_comm(rung_ctx *ctx, const rung_comm *comm);

/* ---- data ------------------------------------------------------------------------------------- */

/* Which labelled rows leave together where rows are held out: those of a group, and equal rows as equal_rows says (see
 * rung_spec_set_equal_rows; NULL: auto). Fills in a number per row, equal for rows that do. RUNG_EARG: the rule. */
RUNG_API RUNG_CHECK rung_status rung_data_together(rung_ctx *ctx, const rung_data *data, const char *equal_rows,
                                                   int *group);
/* Which rows were labelled because they were chosen (a flag per row, not 0: rung_suggested.random was 0), before the
 * data are used; NULL: none. They teach as the others do, but a fit counts only the others in its error: chosen rows
 * are not like new ones. A table says it in a column named `suggested` with cells `chosen`, `random` or empty. */
RUNG_API RUNG_CHECK rung_status rung_data_set_chosen(rung_ctx *ctx, rung_data *data, const int *chosen);
RUNG_API const int *rung_data_chosen(const rung_data *data); /* a flag per row; NULL: none was chosen */

/* A data set by formula, by the seed of the context. noise < 0: that of the formula; unlabelled: the share of the rows
 * whose label is hidden, stratified by class, each of which keeps at least one. RUNG_EARG: an unknown name, a number
 * that cannot be. */
RUNG_API RUNG_CHECK rung_status rung_data_generate(rung_ctx *ctx, const char *name, int64_t rows, double noise,
                                                   double unlabelled, rung_data **out);
/* The name of a formula, by index from 0, and in *help (unless that is NULL) a few words about it; NULL past the end.
 */
RUNG_API const char *rung_generator_at(int index, const char **help);
/* Sets some of n ranks to 0, at random by the seed of the context, stratified by class: about `share` of them or, with
 * keep > 0, all but `keep` of each class. Each class keeps at least one. RUNG_EARG: an invalid number. */
RUNG_API RUNG_CHECK rung_status rung_ranks_hide(rung_ctx *ctx, int64_t n, int *rank, int classes, double share,
                                                int64_t keep);

/* ---- the rows of files ---------------------------------------------------------------------------- */

/* Whether the rows of files are read in passes of blocks, so that they may be larger than memory. */
typedef enum {
    /* Where the fit would otherwise exceed the memory limit of the context (8 GiB where it has none). */
    RUNG_PASSES_AUTO = 0,
    RUNG_PASSES_ALWAYS = 1,
    RUNG_PASSES_NEVER = 2
} rung_passes;

/* The rows of files for a fit by spec, loaded or read in passes. Files of up to 10,000 rows are loaded if they can be,
 * and so are those that passes cannot serve: for a method that is not RUNG_METHOD_PASSES or has landmarks=exact, with
 * real targets, groups, kept data, sparse rows, named pipes. Standard input ("-") is read to its end and kept for later
 * calls with this context: in memory, or in a temporary file where it exceeds a sixteenth of the limit (RUNG_EIO: there
 * is no room).
 *
 * The first pass is made here: it finds the columns, all categories and classes, and a uniform sample of at most
 * 200,000 rows, by the seed, as large as the memory limit and the method allow; fills, scaling and quantiles are
 * learned from it. The data set is that sample, and rung_model_fit reads all rows: by sums over further passes (kdlor,
 * krr, ckr, pom), into the bins of boosted trees (boost, those of auto), or not at all (isbor and the other models of
 * auto learn from the sample). The processes of rung_ctx_set_comm divide the files among them. The files must not
 * change meanwhile (RUNG_EIO). Errors of rung_table_read_files and rung_data_encode; RUNG_EARG: RUNG_PASSES_ALWAYS
 * where passes cannot serve. */
RUNG_API RUNG_CHECK rung_status rung_data_open(rung_ctx *ctx, const rung_spec *spec, const rung_files *files,
                                               const rung_read_options *options, const rung_encode_options *encode,
                                               rung_passes passes, rung_data **out);
/* Not 0: the rows of the data set are a sample of those that a fit reads in passes. */
RUNG_API int rung_data_in_passes(const rung_data *data);
/* These, or the rows of the data set where it has all of them. */
RUNG_API int64_t rung_data_all_rows(const rung_data *data);
/* Of these, the rows of a class; 0: unlabelled ones. A label that is an interval of classes counts nowhere. */
RUNG_API int64_t rung_data_all_count(const rung_data *data, int rank);

/* ---- files of statistics programs and workbooks --------------------------------------------------- */

/* Names the last column that was added: title says what it is (a variable label; NULL: nothing), and n numbers have
 * names (value labels): the classes or categories that they stand for. RUNG_EARG: there is no column of numbers, a
 * number is not finite or a name is empty. */
RUNG_API RUNG_CHECK rung_status rung_table_set_labels(rung_ctx *ctx, rung_table *table, const char *title, int32_t n,
                                                      const double *codes, const char *const *names);
/* The title of a column; "" where it has none and outside the table. */
RUNG_API const char *rung_table_title(const rung_table *table, int64_t column);
/* Adds a column of another table with as many rows, under a name, with its labels. RUNG_EARG: the name, the column. */
RUNG_API RUNG_CHECK rung_status rung_table_add_column(rung_ctx *ctx, rung_table *table, const char *name,
                                                      const rung_table *from, int64_t column);
/* Takes the next bytes of a file; 0: they are written. */
typedef int rung_write_fn(void *user, const void *bytes, int64_t n);
/* 1: files of this name can be written: .sav and .zsav (SPSS), .dta (Stata), .xpt (SAS), .xlsx (Excel), if the library
 * was built for them; 0: they cannot; -1: the name is of no such file. */
RUNG_API int rung_table_writable(const char *path);
/* Writes a table as a file of the kind that path, which is only a name here, says: numbers with their value labels,
 * titles, dates and texts. Names that the program would refuse are changed, and are titles then. RUNG_EARG: it cannot
 * be written; RUNG_EDATA: something in it has no place in such a file; RUNG_EIO: write failed. */
RUNG_API RUNG_CHECK rung_status rung_table_write(rung_ctx *ctx, const rung_table *table, const char *path,
                                                 rung_write_fn *write, void *user);

/* ---- verification ----------------------------------------------------------------------------- */

/* A condition that a right answer meets, such as a gradient that is 0, and how well a model meets it. */
typedef struct {
    const char *name, *what; /* what was computed, in a few words */
    double value, tolerance;
    int ok; /* value <= tolerance */
} rung_condition;
/* Checks whether a model is the right answer: recomputes from the data the conditions that it must meet: optimality of
 * the solution (gradients, duality gap, residuals), valid probabilities, thresholds in order, equal answers once saved.
 * spec and data are those of the fit. RUNG_OK where they could be computed, also if one is not met: look at its `ok`.
 * RUNG_EARG: the model is not of this spec, or not of these data. */
RUNG_API RUNG_CHECK rung_status rung_model_verify(rung_ctx *ctx, const rung_spec *spec, const rung_data *data,
                                                  const rung_model *model, rung_verification **out);
/* By index from 0; NULL past the end. */
RUNG_API const rung_condition *rung_verification_at(const rung_verification *verification, int index);
RUNG_API void rung_verification_free(rung_verification *verification);

/* ---- the members of a model ------------------------------------------------------------------- */

/* How scores are computed: "constant", "linear", "kernel", "neighbours", "trees", "average" (of several members). */
RUNG_API const char *rung_model_scorer(const rung_model *model);
/* One of the models that are averaged, or the model itself. Real numbers that a member does not have are NaN. */
typedef struct {
    size_t size;
    double weight;      /* in the average; the weights add up to 1 */
    const char *kind;   /* a few words, such as "gaussian process" */
    const char *scale;  /* of the columns it sees, as in rung_spec_set_scale */
    const char *kernel; /* "rbf", ...; NULL: none */
    double gamma, coef0;
    int degree;               /* 0: none */
    const double *precisions; /* a weight for each coded column: n_precisions of them; NULL: none */
    int64_t n_precisions;
    double variance;       /* of the Gaussian process */
    int64_t neighbours;    /* 0: none */
    double power;          /* of the scores of label spreading */
    int64_t trees, leaves; /* 0: none */
    int weighted;          /* 1: its columns are weighted by their relevance */
} rung_member;
/* Fills in the member of an index from 0; returns 0 past the last one (or where out->size is not set), else 1. */
RUNG_API int rung_model_member(const rung_model *model, int index, rung_member *out);
/* The number of trees and, in *leaves (unless that is NULL), of their leaves; 0: the model has none. */
RUNG_API int64_t rung_model_trees(const rung_model *model, int64_t *leaves);
/* The share of the loss reduction that is due to splits on a column (of a table, from 0); 0 without trees. */
RUNG_API double rung_model_gain(const rung_model *model, int64_t column);
/* Rows or basis functions with a coefficient, as the fit counted them. */
RUNG_API int64_t rung_model_terms(const rung_model *model);

/* ---- ordinal regression -------------------------------------------------------------------------- */

typedef struct {
    size_t size;
    double log_likelihood; /* of the training rows, without a penalty */
    int parameters;        /* that were estimated and are determined by the rows, thresholds among them; 0: unknown */
    double rows;           /* labelled rows, by their weights */
    double aic, bic;       /* NaN: unknown */
} rung_likelihood;
/* Returns 0 where the method does not report it (or out->size is not set), else 1. */
RUNG_API int rung_model_likelihood(const rung_model *model, rung_likelihood *out);
/* Does a column (from 0) matter? Twice the log likelihood that the model loses without it, or Wald's statistic where
 * the standard errors are robust; df 0: it cannot be tested. Returns 0 where there is no test. */
RUNG_API int rung_model_column_test(const rung_model *model, int column, rung_parallel_test *out);
/* The 95 % range of a coefficient (as for rung_model_coefficient) by the profile likelihood, without a ridge; an end
 * may be infinite. Returns 0 where there is none. */
RUNG_API int rung_model_coefficient_range(const rung_model *model, int output, int index, double *low, double *high);
/* The output (of rung_model_coefficient) whose coefficients are those of the log of the spread; -1: there is none. With
 * pom and by-threshold the outputs before it belong to the thresholds, and rung_coefficient.rank says to which. */
RUNG_API int rung_model_spread_output(const rung_model *model);
/* P(X >= chi2) of a chi-squared X, for tests of nested models; NaN: df is not positive. */
RUNG_API double rung_chi_square_tail(double chi2, int df);

/* ---- random effects --------------------------------------------------------------------------- */

/* What a mixed model knows of its groups (rung_encode_options.random). A term has a group for each row, and an
 * intercept and perhaps slopes for each group. Terms and effects count from 0; the functions return 0 past the last one
 * (or where out->size is not set), else 1. */
typedef struct {
    size_t size;
    int64_t groups; /* of the training rows, but for rows without a group */
    int effects;    /* of each of them: 1, or more where there are slopes */
    /* Twice the gain of the log likelihood by the term, degrees of freedom, and p: where a variance is 0, the statistic
     * is 0 half of the time, which p takes into account if the term has one effect. NaN: there is none. */
    double chi2, p;
    int df;
    double slopes_chi2, slopes_p; /* the same for its slopes alone */
    int slopes_df;
} rung_random_term;
RUNG_API int rung_model_random_term(const rung_model *model, int term, rung_random_term *out);
/* Copies "judge", "school:class" or "temp | judge", at most size bytes with the final 0. Returns the length of the
 * whole text; 0: there is no such term. */
RUNG_API int64_t rung_model_random_name(const rung_model *model, int term, char *text, int64_t size);

typedef struct {
    size_t size;
    int64_t column; /* whose coefficient differs between groups; -1: the intercept */
    int part, category, against; /* of the column, as in rung_coefficient */
    /* On the scale of the data; the interval of 95 % is Wald's for the logarithm. NaN: none, at a standard deviation of
     * 0. */
    double variance, sd, sd_low, sd_high;
} rung_random_effect;
RUNG_API int rung_model_random_effect(const rung_model *model, int term, int effect, rung_random_effect *out);
/* The correlation of two effects of a term and, unless they are NULL, the ends of its interval of 95 % (Wald's for
 * atanh); NaN: there is none. */
RUNG_API double rung_model_random_correlation(const rung_model *model, int term, int a, int b, double *low,
                                              double *high);
/* The effects of a group (by index from 0, in the order of the names of the first column): their modes given the labels
 * and, unless it is NULL, their standard errors. Copies the name, "a:b" where several columns name a group, as above.
 * Returns the length of the name; 0: there is no such group. */
RUNG_API int64_t rung_model_random_group(const rung_model *model, int term, int64_t group, char *text, int64_t size,
                                         double *mode, double *error);

/* ---- explanation -------------------------------------------------------------------------------- */

/* Everything here works on the columns of the source (a category is one of them, whatever its 0/1 columns) and asks the
 * model for predictions alone. The answer that is explained is the expected rank, sum_q q P(y = q); the rank where a
 * model has no probabilities; the number where targets are real. What the getters return belongs to the explanation;
 * texts are UTF-8, a column without a name is "x3". */
typedef struct { /* zeros: the default */
    size_t size;
    int repeats;  /* permutations of each column; 0: 5 */
    int64_t rows; /* labelled rows to use at most, chosen at random by the seed; 0: 2000 */
    int folds;    /* rung_importance_held_out; 0: 5 */
} rung_importance_options;
/* By how much the error rises when a column is permuted among the labelled rows, with a 95 % range over the rows;
 * related columns are also permuted together. The data are coded by rung_model_encode. options: NULL: the default.
 * RUNG_EARG: an option, a model without ranks; RUNG_EDATA: fewer than two labels. */
RUNG_API RUNG_CHECK rung_status rung_importance_run(rung_ctx *ctx, const rung_model *model, const rung_data *data,
                                                    const rung_importance_options *options, rung_importance **out);
/* The same for a method: every labelled row is predicted by a fit to the other folds, which has not seen it.
 * RUNG_EDATA: too few labels to hold any out; errors of rung_model_fit. */
RUNG_API RUNG_CHECK rung_status rung_importance_held_out(rung_ctx *ctx, const rung_spec *spec, const rung_data *data,
                                                         const rung_importance_options *options, rung_importance **out);
RUNG_API void rung_importance_free(rung_importance *importance);

enum { RUNG_LOSSES = 2 };
typedef struct { /* a mean over rows with its 95 % range; NaN: there is none */
    double mean, low, high;
} rung_range;
typedef struct {
    int64_t rows, labelled;        /* used, and all that are labelled */
    int repeats;                   /* permutations of each column */
    int folds;                     /* 0: all rows were predicted by the same model */
    int seen;                      /* 1: it was fitted to them: what the fit used, not what helps on new rows */
    const char *loss[RUNG_LOSSES]; /* keys of the errors: "mae"; "rps" or, of real targets, "mse" */
    rung_range error[RUNG_LOSSES]; /* of the rows as they are; "rps": none without probabilities */
} rung_importance_summary;
RUNG_API const rung_importance_summary *rung_importance_about(const rung_importance *importance);
typedef struct {
    int n;                        /* of columns that were permuted together */
    const char *const *column;    /* their names */
    int group;                    /* of related columns, from 1, in which they are; 0: none */
    double others;                /* of a single column: the share of its variance that the others can stand in for */
    rung_range rise[RUNG_LOSSES]; /* of the errors */
} rung_permuted;
/* By index from 0: single columns, the most important first, then groups; NULL past the last one. */
RUNG_API const rung_permuted *rung_importance_at(const rung_importance *importance, int index);

typedef struct { /* zeros: the default */
    size_t size;
    const char *const *columns; /* by name or position from 1; ends with NULL; NULL: all of them */
    int points;                 /* of a column of numbers, at quantiles of its values; 0: 21 */
    int64_t rows;               /* to average over at most, chosen at random by the seed; 0: 500 */
    int pair;                   /* 1: the joint effect of the two columns given, as a map */
} rung_effects_options;
/* How the answer and the probability of every class change along a column: partial dependence (every row gets the
 * value) and accumulated local effects (only rows near it; Apley and Zhu, 2020), with the distribution of the values. A
 * category has partial dependence alone. Labels are not needed. RUNG_EARG: an option, a model without ranks. */
RUNG_API RUNG_CHECK rung_status rung_effects_run(rung_ctx *ctx, const rung_model *model, const rung_data *data,
                                                 const rung_effects_options *options, rung_effects **out);
RUNG_API void rung_effects_free(rung_effects *effects);

typedef struct {
    int64_t rows;       /* averaged over */
    double average;     /* of their answers */
    int classes;        /* of the model whose probabilities change; 0: it has none */
    const double *map;  /* of a pair: for each point of the first column those of the second; NULL: none */
    double interaction; /* the share of the map that is not the sum of an effect of each column */
} rung_effects_summary;
RUNG_API const rung_effects_summary *rung_effects_about(const rung_effects *effects);
typedef struct {
    const char *name;
    int category, dates;                          /* flags */
    int n;                                        /* points */
    const double *value;                          /* dates: days since 1970; NULL: categories */
    const char *const *text;                      /* categories, dates, ordered words; NULL: numbers */
    const int64_t *count;                         /* rows: of a category; up to the point, from the one before */
    const double *dependence, *local;             /* local effects have a mean of 0; NULL: a category, one point */
    const double *class_dependence, *class_local; /* n x classes, those of a point contiguous; NULL: as above */
    int rugs;
    const double *rug; /* values of rows: quantiles */
} rung_effect;
/* Of the columns, by index from 0; NULL past the last one. */
RUNG_API const rung_effect *rung_effects_at(const rung_effects *effects, int index);

typedef struct { /* zeros: the default */
    size_t size;
    int64_t row;  /* of the data, from 0 */
    int samples;  /* pairs of orders of the columns; 0: all sets of columns, or as many pairs as the work allows */
    int64_t rows; /* of the background to use at most, chosen at random by the seed; 0: as the work allows */
    const char *const *fixed; /* columns that cannot change, by name or position from 1; ends with NULL; NULL: none */
    const rung_data *background; /* the rows to compare with, coded by rung_model_encode; NULL: the data themselves */
} rung_row_options;
/* Why a row gets its answer: the contribution of every column against the average row of the background (Shapley
 * values, which add up to the difference), and the smallest change of at most three columns, within the values of the
 * background, that would move it one class down or up. Contributions are exact where all sets of columns were replaced
 * in all rows of the background, which is done where it takes few predictions. Otherwise orders of the columns are
 * sampled in antithetic pairs and rows at random, as many as can be had for moderate work, and every contribution has
 * the standard error of that. RUNG_EARG: an option, a row that is not there, a model without ranks; RUNG_EDATA: a
 * background of one row. */
RUNG_API RUNG_CHECK rung_status rung_row_explain(rung_ctx *ctx, const rung_model *model, const rung_data *data,
                                                 const rung_row_options *options, rung_row **out);
RUNG_API void rung_row_free(rung_row *row);

typedef struct {
    int64_t row; /* from 0 */
    double answer;
    int rank;                      /* 0: none */
    const double *proba;           /* of the classes; NULL: none */
    double average, average_error; /* the answer for the background, and its standard error */
    int exact;
    int64_t samples;                   /* pairs of orders of the columns; 0: all sets */
    int64_t background, background_of; /* rows compared with, and all that there are */
} rung_row_summary;
RUNG_API const rung_row_summary *rung_row_about(const rung_row *row);
typedef struct { /* a cell as it stood in the source */
    double number;
    const char *text; /* a word or a date; NULL: the number, or missing (NaN) */
} rung_cell;
typedef struct {
    const char *name; /* of the column */
    rung_cell cell;
    double value, error; /* its contribution, with the standard error */
} rung_contribution;
/* By index from 0, the largest first; NULL past the last one. */
RUNG_API const rung_contribution *rung_row_at(const rung_row *row, int index);
typedef struct {
    const char *name; /* of a column that changes */
    rung_cell from, to;
    int rank; /* after all changes */
} rung_change;
/* The smallest change to a higher rank or (up: 0) a lower one, column by column from 0; NULL past the last one, and
 * where no change was found. */
RUNG_API const rung_change *rung_row_change(const rung_row *row, int up, int index);

/* ---- learning curves -------------------------------------------------------------------------- */

typedef struct { /* zeros: the default */
    size_t size;
    const char *const *methods; /* ends with NULL; NULL: the default method */
    const char *const *fixed;   /* "ridge=0.1": for the methods that have it */
    const char *const *weights; /* class weights: "high=2", "balanced" */
    const char *scale;          /* as in rung_spec_set_scale */
    const char *metric;         /* key of rung_metric_at; NULL: mae */
    const int *sizes;           /* labels per class, ascending; NULL: 5, 10, 20, ... as the data allow */
    int n_sizes;
    int repeats;                   /* 0: 10 */
    const char *const *strategies; /* ways to choose the rows to label, see below; ends with NULL; NULL: none */
    const char *equal_rows;        /* as in rung_spec_set_equal_rows; NULL: auto */
    int64_t more;                  /* forecast the error after so many more labels; 0: as many as there are */
    int no_forecast;               /* 1: none, which saves time */
} rung_curve_options;
/* The error by number of labels: does it pay to label more rows, and do the unlabelled rows help? Each repeat holds out
 * a third of the labelled rows, by class, as a test set. Of the others an increasing number of labels per class is kept
 * and the rest are hidden; every method is fitted with and (where it uses them) without the rows that have no label
 * then, and compared with the constant median. options: NULL: the default. RUNG_EARG: an option; RUNG_EDATA: too few
 * labels.
 * With strategies labelling is replayed: two labels of each class are given, then every strategy chooses the next rows,
 * batch after batch: "random" draws them, "suggest" takes those of rung_suggest_run. Sizes are labels in total then,
 * after the first ones; NULL: batches of 12 up to 120. */
RUNG_API RUNG_CHECK rung_status rung_curve_run(rung_ctx *ctx, const rung_curve_options *options, const rung_data *data,
                                               rung_curve **out);
RUNG_API void rung_curve_free(rung_curve *curve);

RUNG_API const rung_metric *rung_curve_metric(const rung_curve *curve);
RUNG_API int rung_curve_repeats(const rung_curve *curve);
RUNG_API int64_t rung_curve_test_rows(const rung_curve *curve); /* of each repeat */
/* The labels per class of a size (with strategies: in total), by index from 0, and in *labels (unless that is NULL)
 * those of all classes; 0 past the last one. */
RUNG_API int rung_curve_size(const rung_curve *curve, int index, int64_t *labels);
typedef struct {
    const char *method;
    int unlabelled;       /* 1: fitted with the unlabelled rows */
    const double *values; /* sizes x repeats, those of a size are contiguous; NaN: undefined */
    const char *strategy; /* how rows were chosen to be labelled; NULL: labels per class at random */
} rung_curve_line;
/* The lines, by index from 0; NULL past the last one. */
RUNG_API const rung_curve_line *rung_curve_at(const rung_curve *curve, int index);
/* All of it, as one JSON object; release it with rung_free. */
RUNG_API RUNG_CHECK rung_status rung_curve_describe(rung_ctx *ctx, const rung_curve *curve, char **json);

/* ---- which rows to label next ------------------------------------------------------------------- */

typedef struct { /* zeros: the default */
    size_t size;
    int64_t n;        /* rows wanted, at most 500; 0: 20 */
    double random;    /* the share of them that is drawn at random, up to 1; 0: 0.2, and every second row until 8
                       * labelled ones were not chosen */
    int no_random;    /* 1: none is */
    const int *leave; /* a flag per row, not 0: do not suggest it, such as one that was skipped; NULL: none */
    int64_t more;     /* forecast the error after so many more labels; 0: n */
    int no_forecast;  /* 1: none, which saves time */
} rung_suggest_options;

typedef struct {
    int64_t row; /* of the data, from 0 */
    int random;  /* 1: drawn at random from all unlabelled rows, so that the error can be estimated from its label */
    double
        score; /* the share of what is not known about the unlabelled rows that its label is expected to tell, 0 to 1 */
    int guess; /* the rank that the model predicts for it; 0: there is no model yet */
    const char *reason; /* in words */
} rung_suggested;

/* The unlabelled rows whose labels are worth most together, best first, the random ones among them. Rows
 * that stand for many others, unlike those labelled, and about which the model is in doubt come first; without labels
 * those that stand for many. Never two rows that are equal in all columns. By the seed of the context. options: NULL:
 * the default. RUNG_EARG: an option, real targets; RUNG_EDATA: no row is unlabelled; errors of rung_model_fit. */
RUNG_API RUNG_CHECK rung_status rung_suggest_run(rung_ctx *ctx, const rung_spec *spec, const rung_data *data,
                                                 const rung_suggest_options *options, rung_suggestion **out);
RUNG_API void rung_suggestion_free(rung_suggestion *suggestion);
/* By index from 0; NULL past the last one. There are fewer than wanted where there are no more distinct rows. */
RUNG_API const rung_suggested *rung_suggestion_at(const rung_suggestion *suggestion, int64_t index);

/* What more labels will buy. */
typedef struct {
    size_t size;
    int64_t labels;                /* now */
    int64_t more;                  /* so many more */
    double now, now_low, now_high; /* the mean absolute error now, with its 95 % range */
    double value, low, high;       /* the error of a fit to all of them: median and 90 % range */
} rung_forecast;
/* From a learning curve, the errors (n of them) of fits to ascending numbers of labels, the last being the error now:
 * by a power law with an unknown limit, averaged over all that agree with the curve. se: the standard errors; NULL:
 * from how the errors scatter. RUNG_EARG: fewer than two errors, sizes that do not ascend, a negative number,
 * out->size. */
RUNG_API RUNG_CHECK rung_status rung_forecast_run(rung_ctx *ctx, int n, const int64_t *labels, const double *error,
                                                  const double *se, int64_t more, rung_forecast *out);
/* The forecast for the data of a suggestion, from fits to parts of its labels. Only rows that were not chosen count in
 * the errors. Returns 0 (and leaves out alone) where it was not wanted, there are too few labels, or out->size is not
 * set. */
RUNG_API int rung_suggestion_forecast(const rung_suggestion *suggestion, rung_forecast *out);
/* The same for a line of a curve, from all labels of the data and not only those outside the test rows: what
 * rung_suggest_run forecasts of the same data. Of the mean absolute error, whatever the metric of the curve. Returns 0
 * (and leaves out alone) for lines that hide unlabelled rows from a method that uses them, for the constant median, for
 * rows that are not labelled at random, and as above. */
RUNG_API int rung_curve_forecast(const rung_curve *curve, int index, rung_forecast *out);

/* ---- a model for other programs ----------------------------------------------------------------- */

typedef struct { /* zeros: the default */
    size_t size;
    const char *prefix;                    /* of the names in C; NULL: rung_model */
    double level;                          /* of the prediction intervals; 0: 0.9 */
    int with_rows;                         /* 1: training rows may be in what is written */
    const char *title, *text, *disclaimer; /* of a page: its title, what stands below it, and at its end */
} rung_export_options;
/* The model as a file that needs no rung to predict, in one of the forms of rung_export_target, with everything that a
 * prediction consists of: the bytes, followed by a 0, and their number; release them with rung_free. options: NULL: the
 * default. RUNG_EARG: no such form, an option, or a model that contains training rows without with_rows. */
RUNG_API RUNG_CHECK rung_status rung_model_export(rung_ctx *ctx, const rung_model *model, const char *target,
                                                  const rung_export_options *options, char **bytes, int64_t *size);
/* The forms, by index from 0: the ending of their files, such as "json"; NULL past the last one. */
RUNG_API const char *rung_export_target(int index);
RUNG_API int64_t rung_model_export_rows(const rung_model *model); /* training rows that an export would contain */

/* keep == 0: a fit fails with RUNG_EARG rather than make a model that contains training rows or predictions for them.
 * auto then averages models without rows; other methods are RUNG_METHOD_NO_ROWS, or have a kernel that needs none.
 * The model has no table of equal rows, and its fill values are rounded medians. RUNG_EARG at the fit: the scaling
 * "rank" or "minmax", which stores values of rows, and rung_spec_set_keep_data. */
RUNG_API RUNG_CHECK rung_status rung_spec_set_keep_rows(rung_ctx *ctx, rung_spec *spec, int keep);

#ifdef __cplusplus
}
#endif
#endif
