// SPDX-License-Identifier: BSD-3-Clause
/* The trained model: one coding of the columns and one or more members, each
 *     scaling -> scorer -> decision, and optionally a calibration.
 * Several members predict the weighted mean of their cumulative probabilities. Predict, save, load and describe
 * are written once, for every method. */
#ifndef RUNG_MODEL_MODEL_H
#define RUNG_MODEL_MODEL_H

#include "data/dataset.h"
#include "data/scale.h"
#include "eval/calibrate.h"
#include "kernel/kernel.h"

typedef enum { SCORER_CONSTANT, SCORER_LINEAR, SCORER_KERNEL } scorer_kind;

/* score_o(x) = bias_o + sum_j coef_jo g_j(x),  g_j = 1 (none) | x_j | k(x, row_j). */
typedef struct {
    scorer_kind kind;
    int outputs;
    kernel k;       /* SCORER_KERNEL */
    int64_t m, d;   /* terms; scaled columns */
    double *rows;   /* SCORER_KERNEL: d x m, scaled training rows; NULL for a precomputed kernel */
    int64_t *index; /* precomputed kernel: which column of the data belongs to term j (m) */
    double *coef;   /* m x outputs, column-major */
    double *bias;   /* outputs */
} scorer;

typedef enum { DECISION_NONE, DECISION_THRESHOLDS, DECISION_CALIBRATED, DECISION_CONSTANT } decision_kind;

typedef struct {
    decision_kind kind;
    int K;              /* classes the member knows (those with labels) */
    double *thresholds; /* THRESHOLDS: K - 1, non-decreasing */
    bool tie_up;        /* a score equal to a threshold belongs to the upper class */
    int rank;           /* CONSTANT */
} decision;

typedef struct {
    double weight;
    scaling scale;
    scorer score;
    decision decide;
    bool calibrated;
    rank_map map; /* calibrated: score -> rank scale */
    calibration cal;
    double *prior; /* CONSTANT: probabilities of its classes (K), else NULL */
} member;

typedef struct { /* a number or a list of numbers a method tells about its fit */
    const char *name;
    int64_t n; /* -1: a single number */
    double *value;
} report_entry;

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
    int64_t n_rows, n_labelled; /* of the training data */
    int64_t n_expansion;        /* rows or basis functions with a coefficient, as the fit counted them */
    int n_report;
    report_entry *report;
    bool has_cv;
    rung_metrics cv;
    const char *library; /* version that fitted it */
};

rung_status model_new(rung_ctx *ctx, rung_model **out);
void model_free(rung_model *m);

bool model_has_probabilities(const rung_model *m);
int model_outputs(const rung_model *m);
bool model_has_ranks(const rung_model *m); /* false: scores only */

/* Raw (coded, unscaled) rows; see rung_predict. Runs in blocks of bounded memory. */
rung_status model_predict(rung_ctx *ctx, const rung_model *m, const rung_view *X, const rung_output *out);
/* Scores of scaled rows (d x n) by one scorer: n x outputs by rows. */
rung_status scorer_apply(rung_ctx *ctx, const scorer *s, int64_t n, const double *scaled, double *score);
int decision_rank(const decision *d, double score);

rung_status model_save(rung_ctx *ctx, const rung_model *m, const char *path);
rung_status model_load(rung_ctx *ctx, const char *path, rung_model **out);
rung_status model_describe(rung_ctx *ctx, const rung_model *m, char **json); /* malloc'ed */

#endif
