// SPDX-License-Identifier: BSD-3-Clause
/* The trained model: one coding of the columns and one or more members, each
 *     scaling -> scorer -> decision, and optionally a calibration or an ordinal probit link.
 * Several members predict the weighted mean of their cumulative probabilities, sharpened if the model says so; they
 * have one scaling, and shared arrays are stored once. Predict, save, load and describe are written once, for every
 * method. */
#ifndef RUNG_MODEL_MODEL_H
#define RUNG_MODEL_MODEL_H

#include "data/dataset.h"
#include "data/scale.h"
#include "data/together.h"
#include "eval/calibrate.h"
#include "eval/conformal.h"
#include "eval/cost.h"
#include "eval/temper.h"
#include "kernel/kernel.h"
#include "model/copies.h"
#include "model/effects.h"
#include "solve/link.h"
#include "trees/forest.h"

typedef enum { SCORER_CONSTANT, SCORER_LINEAR, SCORER_KERNEL, SCORER_NEIGHBOURS, SCORER_TREES } scorer_kind;
typedef enum { WEIGHTS_GAUSSIAN, WEIGHTS_BINARY } weight_kind; /* exp(-|x-z|^2 / (2 width^2)); 1 */

/* output_o(x) = bias_o + sum_j coef_jo g_j(x),  g_j = 1 (none) | x_j | k(x, row_j) | share_j(x).
 * share_j: the weight of row j among the `neighbours` rows nearest to x, over the sum of their weights; 0 for the
 * others. The coefficients of SCORER_NEIGHBOURS are memberships (>= 0, those of a row sum to 1), one output per class,
 * and so its outputs are probabilities; in a member with a power they are scores >= 0 of any size.
 * SCORER_TREES adds up trees over the cells as they stand, missing ones too; m counts their nodes. */
#define NEIGHBOUR_MOST 1e140 /* columns are kept within +- this, so that squared distances stay finite */
typedef struct {
    scorer_kind kind;
    int outputs;
    kernel k;       /* SCORER_KERNEL */
    int64_t m, d;   /* terms; scaled columns */
    double *rows;   /* SCORER_KERNEL, SCORER_NEIGHBOURS: d x m, scaled training rows; NULL for a precomputed kernel */
    bool made;      /* SCORER_KERNEL: the rows are points drawn at random, not those of the data */
    int64_t *index; /* precomputed kernel: which column of the data belongs to term j (m) */
    double *coef;   /* m x outputs, column-major */
    double *bias;   /* outputs; NULL with SCORER_NEIGHBOURS: 0 */
    int64_t neighbours;     /* SCORER_NEIGHBOURS: 1..m */
    weight_kind weights;    /* SCORER_NEIGHBOURS */
    double width;           /* WEIGHTS_GAUSSIAN */
    forest trees;           /* SCORER_TREES */
    random_effects *random; /* SCORER_LINEAR: the effects of known groups are added; NULL: there are none */
} scorer;

typedef enum {
    DECISION_NONE,         /* scores only */
    DECISION_THRESHOLDS,   /* on the first output */
    DECISION_CALIBRATED,   /* the median of the calibrated probabilities, by their thresholds on the first output */
    DECISION_CONSTANT,     /* always the same rank */
    DECISION_NEAREST_MEAN, /* the class whose mean is nearest to the outputs; with one output: the nearest soft scale */
    DECISION_ARGMAX,       /* of the member's own probabilities if it has any, else of its outputs, one per class */
    DECISION_MEDIAN        /* the smallest q with P(y <= q) >= 1/2 */
} decision_kind;           /* ties go to the lower class, but for tie_up */

typedef struct {
    decision_kind kind;
    int K;              /* classes the member knows (those with labels) */
    double *thresholds; /* THRESHOLDS: K - 1, non-decreasing */
    bool tie_up;        /* a score equal to a threshold belongs to the upper class */
    int rank;           /* CONSTANT */
    double *means;      /* NEAREST_MEAN: outputs x K, the mean of a class is contiguous */
} decision;

/* The first output is the mean of a latent value with the variance v(x), and the ranks are ordinal probit (or, without
 * a variance, of another link):
 *     p(q) = Phi((b_q - mean) / s) - Phi((b_{q-1} - mean) / s),   s^2 = noise^2 + v(x),
 *     v(x) = |F g(x)|^2 (a posterior over the coefficients) or k(x,x) - |F g(x)|^2 (one over functions), at least 0. */
typedef struct {
    int64_t rank;   /* rows of F */
    double *factor; /* F transposed: m x rank, column-major */
    bool functions; /* the second form; SCORER_KERNEL only, and not with a precomputed kernel */
    double *b;      /* K - 1, ascending */
    double noise;
    link_kind kind; /* not LINK_PROBIT: P(y <= q) = L(b_q - mean), noise 1, and rank is 0 */
    /* P(y <= q) = L((b_q - output_q) / exp(output_last)), made valid where thresholds cross; noise 1, rank 0. */
    bool own;    /* the outputs are K - 1 means, one for each threshold; else there is one */
    bool uneven; /* after them comes the logarithm of the spread; else it is 0 */
    /* Thresholds that were inferred together with the function f ~ N(0, variance k), and are correlated with it: spread
     * is their covariance V ((K - 1) x (K - 1)). The outputs of the scorer then are the mean, the K - 1 numbers D(x)
     * and the `rank` numbers F g(x) (there is no `factor`), and P(y > q) = Phi((mean - b_q) / s_q),  s_q^2 = noise^2 +
     * v + V_qq + 2 (V D)_q + D'V D, v = variance k(x,x) - |F g(x)|^2, at least 0, made non-increasing in q. NULL: the
     * thresholds are known. */
    double *spread;
    double variance;
} probit_link;

typedef enum { /* where the probabilities of a member come from */
               PROBA_NONE,
               PROBA_CALIBRATION, /* of the place of a row on the rank scale */
               PROBA_PRIOR,       /* `prior`, whatever the row */
               PROBA_PROBIT,      /* the link of a latent value */
               PROBA_CUMULATIVE,  /* the K - 1 outputs are P(y > q), to be made valid */
               PROBA_MEMBERSHIPS, /* they are the outputs, those of SCORER_NEIGHBOURS */
               PROBA_SOFTMAX,     /* the K outputs are their logarithms, up to a constant */
               PROBA_EFFECTS,     /* the link of a score with random effects */
               PROBA_POWER /* powers of the outputs of SCORER_NEIGHBOURS, normalised; `prior` where no score arrives */
} proba_source;

typedef struct {
    double weight;
    scaling scale; /* of the first member: the same arrays in all of them; trees among them do not use it */
    scaling space; /* a second scaling, after that; d = 0: none */
    /* Arrays that are those of an earlier member, by its number from 1; 0: its own */
    int space_from, rows_from, coef_from;
    scorer score;
    decision decide;
    rank_map map; /* first output -> rank scale; n = 0: by the classes' own values, see member_rank_score */
    proba_source proba;
    calibration cal;  /* PROBA_CALIBRATION */
    double *prior;    /* PROBA_PRIOR, PROBA_POWER: probabilities of its classes (K), else NULL */
    probit_link link; /* PROBA_PROBIT */
    double power;     /* PROBA_POWER: > 0 */
} member;

/* Predictions of a transductive fit for its training rows, in their order: the outputs of the (only) member for them.
 * The model's decision and probabilities follow from these as they do for new rows. */
typedef struct {
    int64_t n;      /* rows; 0: there are none */
    double *output; /* outputs x n, those of a row are contiguous */
    int *label; /* n: the rank of a row whose class is known, which then is its prediction; 0: decide. NULL: all 0 */
} transduction;

/* What an update needs beyond the model itself, on request (--keep-data): the labelled rows it was fitted to. */
typedef struct {
    int64_t n;            /* rows; 0: not kept */
    double *rows;         /* d x n, scaled */
    int *label;           /* n: rank among the classes present */
    double *weight;       /* n: of the rows; NULL: all 1 */
    double *class_weight; /* one per class of the coding; NULL: all 1 */
    bool multiplied;      /* a file of before: `weight` is that of the row times that of its class */
    equal_rule equal;     /* whether equal labelled rows leave together */
    int *group;           /* n: rows with the same number are held out together; NULL: each by itself ... */
    int n_groups;         /* ... numbers below this have names, */
    const char **groups;  /* by which rows to come join them */
    int *chosen;          /* n: not 0: no part of an error (struct rung_data); NULL: none is */
    int width;            /* numbers per row from which a fit can continue ... */
    double *state;        /* ... width x n */
} kept_data;

typedef struct { /* a number or a list of numbers that a method reports about its fit */
    const char *name;
    int64_t n; /* -1: a single number */
    double *value;
} report_entry;

/* What standard errors assume: that rows are independent and each counts once (or as often as its weight says), or only
 * that groups are, or that rows are, whatever their weights mean. */
typedef enum { ERRORS_OF_MODEL, ERRORS_OF_GROUPS, ERRORS_OF_ROWS } error_kind;

/* What a fit infers about the coefficients of a linear score and its thresholds, see terms.c. */
typedef struct {
    int64_t n;          /* coefficients and thresholds; 0: nothing was inferred */
    double *error;      /* n: standard errors on the scale of the data; NaN: none; inf: the estimate is not finite */
    double *covariance; /* n x n: of which they are the roots; NULL: in a file of before there were any */
    error_kind kind;
    int64_t units; /* that are independent */
    double log_likelihood;
    int64_t parameters; /* that were estimated and are determined by the rows; 0: unknown */
    double rows;        /* labelled rows, by their weights; 0: unknown */
    double *columns;    /* columns of the table x 2, by rows: chi-squared and degrees of freedom of what the likelihood
                           loses without it (Wald's statistic with robust errors); NaN: not tested; NULL: none is */
    double *range; /* n x 2, by rows: what the profile likelihood does not reject at 5 %; NaN: none; NULL: none are */
    int64_t tests; /* 0: none, or the number of columns of the table and one more */
    double *parallel; /* tests x 2, by rows: chi-squared and degrees of freedom of the test that the coefficients of a
                         column are equal at all thresholds, at last for all columns together; NaN: not tested */
} fit_inference;
static inline const char *model_errors(const fit_inference *f)
{
    return f->kind == ERRORS_OF_MODEL ? "model" : f->kind == ERRORS_OF_GROUPS ? "groups" : "rows";
}

typedef struct {
    const char *name, *value;
} model_param;

struct rung_model {
    pool mem;
    const char *method;
    int n_params;
    model_param *params;
    coding code;
    int n_present; /* classes that had labels; a member's rank r means class present[r-1] */
    int *present;
    int n_members;
    member *members;
    double sharpen;             /* of the averaged probabilities, see cumulative_sharpen; 0: as they are */
    int64_t n_rows, n_labelled; /* of the training data */
    transduction training;      /* n is 0 or n_rows */
    kept_data kept;             /* n is 0 or n_labelled */
    int64_t n_expansion;        /* rows or basis functions with a coefficient, as the fit counted them */
    int n_report;
    report_entry *report;
    bool has_cv;
    rung_metrics cv, cv_median; /* of the held-out rows; of their median as the answer of all */
    int median;                 /* its rank; 0: not measured */
    tempering temper; /* of the probabilities that are predicted; ranks and scores follow from those before it */
    conformal
        ranges; /* prediction intervals from held-out rows; repeats = 0: none (a latent value gives credible ones) */
    row_copies copies; /* of labelled rows; n = 0: new rows that equal one are like any other */
    answer_cost cost;  /* what its answers cost; no matrix: the decisions of the members */
    int n_notes;       /* how it was made */
    model_param *notes;
    fit_inference inferred; /* of a method that has standard errors */
    const char *library;    /* version that fitted it */
};

rung_status model_new(rung_ctx *ctx, rung_model **out);
void model_free(rung_model *m);

bool model_has_probabilities(const rung_model *m);
bool model_averages(const rung_model *m); /* predicts by averaging: several members, or a sharpened one */
int model_outputs(
    const rung_model *m); /* score columns: those of the member (member_columns); of several, the expected class */
bool model_has_ranks(const rung_model *m);  /* false: scores only */
bool model_has_latent(const rung_model *m); /* the score is the mean of a latent value, which has a variance */
/* The kind of prediction intervals: "cross-conformal" (held-out rows), else "credible" (a latent value); NULL: none. */
const char *model_interval(const rung_model *m);

/* The thresholds on the score, of the K - 1 classes of its member; members of an average have none in common. */
bool model_has_thresholds(const rung_model *m);
double model_threshold(const rung_model *m, int q); /* between the q-th class and the next, from 1 */
bool model_has_means(const rung_model *m);          /* of the classes, in the space of the outputs */
const char *model_decision(const rung_model *m);    /* how a score becomes a rank, as the file calls it */

const char *model_scorer(const rung_model *m);          /* how scores are computed, see rung_model_scorer */
const char *model_member_kind(const member *one);       /* of an average, in a few words */
double model_member_share(const rung_model *m, int i);  /* its weight, as a share of all */
scale_kind model_member_scale(const member *one);       /* of the columns it sees */
double model_gain(const rung_model *m, int64_t column); /* see rung_model_gain */
int64_t model_stored_rows(const rung_model *m);         /* training rows it contains ... */
int64_t model_expansion_rows(const rung_model *m);      /* ... and those of them that predictions need */

/* Raw (coded, unscaled) rows; see rung_model_predict. Runs in blocks of bounded memory. */
rung_status model_predict(rung_ctx *ctx, const rung_model *m, const rung_view *X, const rung_predict_options *options,
                          const rung_output *out);
/* The training rows; see rung_model_predict_training. */
rung_status model_predict_training(rung_ctx *ctx, const rung_model *m, const rung_predict_options *options,
                                   const rung_output *out);

/* Its probabilities need a variance: that of a latent value, or of the effects of groups that are not known. */
static inline bool member_has_variance(const member *one)
{
    return one->proba == PROBA_PROBIT || one->proba == PROBA_EFFECTS;
}

/* Outputs of scaled rows (d x n) by one scorer: n x outputs by rows. */
rung_status scorer_apply(rung_ctx *ctx, const scorer *s, int64_t n, const double *scaled, double *output);

/* The variance of the latent value of scaled rows, for a member with a probit link (latent.c). output: what
 * scorer_apply gives. */
rung_status member_variance(rung_ctx *ctx, const member *one, int64_t n, const double *scaled, const double *output,
                            double *variance);

typedef struct {          /* the same rows twice, d x n each */
    const double *scaled; /* in the common scaling of the members */
    const double *cells;  /* as they stand, NaN = missing, for members that are trees; NULL: there are none */
} member_rows;
bool has_trees(int n_members, const member *members);
/* The averaged probabilities (n x K by rows) of several members; first: the number of the first row, for messages
 * (average.c). */
rung_status members_proba(rung_ctx *ctx, int n_members, const member *members, double sharpen, int64_t first, int64_t n,
                          const member_rows *rows, double *proba);
/* RUNG_EDATA where finite cells and coefficients overflowed. */
rung_status check_outputs(rung_ctx *ctx, int64_t rows, int outputs, const double *output, int64_t first);

/* ---- from the outputs of one row to its prediction (member.c) ---- */
bool member_has_proba(const member *one);
/* The position of a row on the rank scale, for the calibration: by the map or, if every class has a value, the expected
 * rank with weights exp(value): class means are Gaussians of equal variance, with half the root mean square step
 * between adjacent means as standard deviation; an output per class is a margin of 2 log-odds per unit. Rank r is
 * classes[r-1] (NULL: r). */
double member_rank_score(const member *one, const int *classes, const double *output);
/* Probabilities that need no calibration. */
bool member_has_own_proba(const member *one);
/* K probabilities over the classes the member knows. variance: what member_variance gives for the row; it is ignored
 * without a probit link. */
void member_proba(const member *one, const double *output, double variance, double *p);
/* 1..K; 0: the member has no decision, or the outputs are so large that no mean is at a finite distance. p: what
 * member_proba gives, or NULL where member_needs_proba is false. */
int member_rank(const member *one, const double *output, const double *p);
bool member_needs_proba(const member *one);
int posterior_median(int K, const double *p); /* the smallest q with p_1 + ... + p_q >= 1/2 */
/* The shortest interval low..high of ranks with at least this mass; of several the one with the largest mass, then the
 * lowest. */
void posterior_range(int K, const double *p, double mass, int *low, int *high);
/* Score columns: its outputs. Where these are probabilities, one column: the expected class sum_q classes[q-1] p_q.
 * Where they are the parts of a latent value, its mean. */
int member_columns(const member *one);
bool member_scores_by_proba(const member *one); /* the score needs p: what member_proba gives */
void member_score(const member *one, const int *classes, const double *output, const double *p, double *score);
int decision_rank(const decision *d, double score); /* THRESHOLDS and CONSTANT only */

/* ---- the coefficients of a linear score on the scale of the data (terms.c) ---- */

/* One coefficient: of a coded column, or of a category against another one of its column. The 0/1 columns of a text
 * column add up to 1, so only differences between its categories have a meaning. */
typedef struct {
    int64_t column;  /* of the table */
    int64_t coded;   /* coded column */
    int64_t against; /* coded column of the reference category; -1: a number */
} score_term;
int64_t coding_terms(const coding *code, int64_t room,
                     score_term *out); /* writes at most `room`, returns how many there are */
bool model_has_terms(
    const rung_model *m); /* its scores are linear in the columns (ranked ones, if the scaling ranks) */
double model_term(const rung_model *m, const score_term *t, int output);
double model_term_threshold(const rung_model *m, int q); /* on the same scale, from 1; NaN: there is none */
bool model_has_cuts(const rung_model *m);     /* there is one: thresholds or a link with an output for each */
int model_score_outputs(const rung_model *m); /* outputs that are scores: all but the log of the spread */
/* Where fit_inference has a term of an output: those of the first output, thresholds, those of the other outputs. */
int64_t inferred_place(const rung_model *m, int output, int64_t term);
int64_t inferred_count(const rung_model *m);

/* How a model names the rows it was fitted to, with their checksum. */
enum { ROWS_NOTE = 128 };
void rows_note(const rung_data *data, char text[ROWS_NOTE]);
/* Whether the rows (coded by the model's coding) are those it was fitted to; false where nothing tells (seen.c). */
rung_status model_saw(rung_ctx *ctx, const rung_model *m, const rung_data *data, bool *out);

rung_status model_save(rung_ctx *ctx, const rung_model *m, const char *path);
rung_status model_load(rung_ctx *ctx, const char *path, rung_model **out);
rung_status model_to_memory(rung_ctx *ctx, const rung_model *m, char **bytes, int64_t *size); /* malloc'ed */
rung_status model_from_memory(rung_ctx *ctx, const char *bytes, int64_t size, rung_model **out);
rung_status model_describe(rung_ctx *ctx, const rung_model *m, char **json); /* malloc'ed */

#endif
