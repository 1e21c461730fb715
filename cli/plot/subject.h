// SPDX-License-Identifier: BSD-3-Clause
/* A model and the rows it is shown on, the input of the figures of a model. */
#ifndef RUNG_CLI_PLOT_SUBJECT_H
#define RUNG_CLI_PLOT_SUBJECT_H

#include "core/common.h"
#include "data/costs.h"
#include "plot/figures.h"

typedef struct {
    rung_model *model;
    rung_data *data;
    int64_t n, labelled;
    int classes, outputs;
    const char **name; /* of the classes */
    int *truth;        /* 0: unlabelled, or an interval, which has no class to show */
    int *rank;
    double *score;      /* of the chosen output */
    bool by_costs;      /* answers are those of least expected cost, so that no threshold decides */
    const double *cost; /* by which; NULL: those of the model */
    double abstain;     /* with which every row is answered */
    bool expected;      /* the score is the expected class: the mean of the class numbers by their probabilities */
    double *proba;      /* NULL: the model has none */
    int thresholds;
    double *threshold;
    int *answer; /* the classes between the thresholds; NULL: no thresholds */
    const char *method;
} subject;

/* Reads a model file and a data file. Models of real targets, or without ranks, are rejected: their figures would be
 * empty. The subject belongs to the caller, also on failure: subject_close. */
int subject_open(session *s, const arguments *args, const char *model, const char *data, subject *out);
/* The same for an existing model and data, which then belong to the subject, and answers by these costs, which do not;
 * NULL: by those of the model. */
void subject_take(rung_model *model, rung_data *data, const costs *how, subject *out);
/* Predicts; output from 1. */
int subject_predict(session *s, subject *p, int output);
void subject_close(subject *p);

/* [true][predicted], to be freed. */
int64_t *subject_confusion(const subject *p);

/* A plane through the data, and the predicted classes in it. x, y: names of columns, the others at their medians; both
 * NULL: the two columns there are, or the first two principal components of the standardised columns. */
typedef struct {
    char *x_name, *y_name;
    double x_low, x_high, y_low, y_high;
    int columns, rows;
    int *answer;
    double *x, *y; /* of the rows of the data */
} plane;
int plane_make(session *s, const subject *p, const char *x, const char *y, int columns, int rows, plane *out);
void plane_free(plane *p);

#endif
