// SPDX-License-Identifier: BSD-3-Clause
/* The model in the background: a thread of low priority fits the labels whenever they have changed, and leaves what it
 * found: the error, a guess for every row, the rows to grade next. Grading never waits for it. */
#ifndef RUNG_CLI_LABEL_REFIT_H
#define RUNG_CLI_LABEL_REFIT_H

#include <pthread.h>

#include "label/journal.h"

typedef struct {
    int64_t labels, rows; /* of the fit; held out, that the error was measured on */
    double mae, low, high;
} error_point;

typedef struct {
    int64_t row;
    bool random; /* drawn, not chosen */
} queued;

typedef struct {
    /* What it reads; it takes the lock while it reads the journal. */
    const session *s;
    const journal *of;
    int me;        /* the grader */
    bool suggests; /* rows to grade next */
    const rung_spec *spec;
    pthread_mutex_t *lock;

    /* What it leaves, under the lock. */
    bool fitting;   /* or about to: rows are suggested first, or the forecast made */
    int64_t labels; /* of the fit that the following is about; 0: there is none yet */
    double median;  /* the error of always predicting the median class, on the rows of the last fit's error */
    bool bound;     /* these rows have ranges as labels, so that both errors are lower bounds */
    int *rank;      /* the guess for each row; NULL: none yet */
    double *proba;  /* rows x classes; NULL: none */
    int *fitted;    /* the label of each row in that fit, 0: none: only then is the guess one */
    error_point *history;
    int64_t n_history;
    char *why;     /* why there is no fit of the labels; NULL: there is */
    queued *queue; /* the rows to grade next, best first */
    int64_t n_queue;
    rung_forecast forecast; /* labels 0: none yet */

    /* Its own. */
    rung_ctx *ctx;
    pthread_t thread;
    pthread_cond_t changed;
    int *low, *high;                /* the labels as it last saw them */
    int *chosen, *leave;            /* rows that were chosen; rows not to suggest */
    int64_t known;                  /* rows with a label */
    bool unfitted;                  /* they have changed since the last fit */
    int64_t queued_at, forecast_at; /* the number of labels then; -1: never */
    bool started, ending;
} refit;

int refit_start(refit *r);    /* with the first part filled in; EXIT_OK or FAILED */
void refit_changed(refit *r); /* the journal has grown; under the lock */
void refit_stop(refit *r);    /* not under the lock */

#endif
