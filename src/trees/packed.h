// SPDX-License-Identifier: BSD-3-Clause
/* All rows of which a sample is at hand, by the million: a byte for the bin of every cell, and one word of four bytes
 * for all else.
 *
 *     word = f << shift | place,   place = leaf K + rank - 1
 *
 * f is the row's function in whole multiples of `unit`, within +-PACKED_MOST; leaf is that of the tree which grows, or
 * one of two more: rows outside the tree (not sampled), and rows held out. Derivatives are computed from f whenever a
 * histogram needs them. The nominal link has a word for each further function, and the norm of the functions.
 *
 * Every process has the rows of its files. Sums over rows are exact (histograms), or taken in blocks and slots of fixed
 * size in a fixed tree (base/comm.h), so that all processes have the same bits, those of a single one. */
#ifndef RUNG_TREES_PACKED_H
#define RUNG_TREES_PACKED_H

#include "trees/grow.h"
#include "trees/loss.h"

#define PACKED_MOST 128.0
enum { PACKED_MOST_SHIFT = 16 };

typedef struct {
    int64_t n;             /* rows of this process ... */
    int64_t before, total; /* ... and how many others come before them; of all */
    int K, leaves;         /* of a tree, at most */
    int shift;             /* bits of a place */
    int64_t columns;
    uint8_t *code;        /* n x columns */
    int32_t *word;        /* n; between two runs they matter by their ranks alone */
    float *w;             /* NULL: all are 1 */
    int64_t n_slots;      /* leaves of the tree of a sum, of which this process has those of comm_share; ... */
    int64_t *slot_end;    /* ... where their rows end among its own */
    double *count, *mass; /* K: rows and weight of each rank, of everybody */
    int64_t n_sampled;    /* rows of the sample that are here: */
    int32_t *sampled;     /* among the rows here, */
    int32_t *sample_row;  /* and among those of the sample */
} packed_rows;

/* Without rows; fails if there are too many leaves for the classes. */
rung_status packed_new(rung_ctx *ctx, pool *mem, int64_t columns, int K, int leaves, packed_rows *out);
/* Beside the bins: of n rows, the words of one run. */
double packed_bytes(int64_t n, int outputs);

typedef struct packed_run packed_run;
typedef struct {
    const packed_rows *rows;
    bool own_words;      /* others run at the same time: a copy is made */
    int outputs;         /* functions */
    const int *rank;     /* K + 1: the ranks of the run; NULL: those of the rows */
    const ordinal *link; /* NULL: nominal */
    const double *start; /* nominal: where the functions begin */
    const tree_units *units;
    int threads;
} packed_options;
/* f = 0, and all rows train. */
rung_status packed_run_new(rung_ctx *ctx, pool *mem, const packed_options *options, packed_run **out);
void packed_hold_out(packed_run *r, int64_t row); /* of the rows here: it does not train */
const tree_source *packed_source(const packed_run *r);

/* Every row is in the next tree with this probability; `salt` is new for each tree. */
void packed_sample(packed_run *r, uint64_t salt, double share);
void packed_norms(packed_run *r);              /* at the start of a round */
void packed_output(packed_run *r, int output); /* whose tree grows */
/* Values of leaves times rate become whole multiples of the unit. */
void packed_round_values(const packed_run *r, double rate, tree *t);
/* Adds such a tree to the function; all rows that train are in the next tree again. */
void packed_add(packed_run *r, double rate, const tree *t);
/* The sums for a Newton step of the thresholds (loss.h) over the rows of everybody that train. */
rung_status packed_threshold_sums(packed_run *r, double *sum);
/* The mean of several functions: each is added to `total` (rows->n numbers); then f := total / count. */
void packed_add_to(const packed_run *r, int32_t *total);
void packed_take_mean(packed_run *r, const int32_t *total, int count);

#endif
