// SPDX-License-Identifier: BSD-3-Clause
/* A prediction as a program: a list of operations on vectors of real numbers, from the cells of a row to its answers,
 * made from a model once (build.c) and printed in several languages. Every operation makes one vector of a fixed
 * length from earlier ones and from constant arrays; docs/model-program.md defines each. A target prints operations
 * and knows nothing of models, so a new method or member needs no code there. */
#ifndef RUNG_EXPORT_PROGRAM_H
#define RUNG_EXPORT_PROGRAM_H

#include "model/model.h"

typedef enum {
    OP_CELLS,    /* the row: a number per column of the table */
    OP_CODED,    /* categories as 0/1 columns, dates with their cycles */
    OP_CONSTANT, /* an array */
    /* number by number; an operand of length 1 goes with every number of the other */
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_MINIMUM,
    OP_MAXIMUM,
    OP_POWER,
    OP_LESS, /* 1 or 0 */
    OP_EXP,
    OP_LOG,
    OP_LOG2,
    OP_LOG10,
    OP_LOG1P, /* of 1 + x */
    OP_ROOT,
    OP_ERFC,
    OP_MISSING, /* 1 where it is not a number, else 0 */
    OP_SELECT,  /* the second operand where the first is not 0, else the third */
    OP_FINITE,  /* the operand; the prediction fails unless all its numbers are finite */
    /* of a whole vector */
    OP_PART,       /* consecutive numbers of it */
    OP_JOIN,       /* operands one after the other */
    OP_TOTAL,      /* their sum */
    OP_LARGEST,    /* the largest */
    OP_PLACE,      /* where the largest is, from 0; of equal ones the first */
    OP_SUMS,       /* running sums */
    OP_LEAST_YET,  /* the smallest from the first up to here */
    OP_MOST_AHEAD, /* the largest from here up to the last */
    OP_CHOOSE,     /* the numbers of the second operand at the places of the first, from 0 */
    /* of a row */
    OP_SCALE,       /* (x - shift) factor, within +-1e150 */
    OP_SHARE,       /* of training values below each number, a step function */
    OP_INTERPOLATE, /* through given points */
    OP_LINEAR,      /* sums with given weights */
    OP_SQUARES,     /* squared distances from given rows */
    OP_NEIGHBOURS,  /* weighted mean of the values of the nearest rows */
    OP_TREES,       /* sums over the leaves that a row reaches */
    OP_EQUALS,      /* mass of every class among the labelled rows that equal this one */
    /* intervals of ranks: the lowest and the highest */
    OP_INTERVAL, /* grown around a rank up to a limit */
    OP_SHORTEST, /* of a given mass */
    OP_KINDS
} op_kind;

typedef struct { /* numbers by rows, real or whole; exactly one is not NULL, unless there are none */
    const double *real;
    const int64_t *whole;
    int64_t rows, columns;
} constant;

enum { OPERANDS = 3, ARRAYS = 8, OP_NUMBERS = 2 };

typedef struct {
    op_kind kind;
    int64_t n; /* length of the result */
    int operands, operand[OPERANDS];
    int array[ARRAYS];         /* places among the constants; -1: none */
    double number[OP_NUMBERS]; /* further parameters */
} operation;

typedef struct { /* how a kind is called, and its arrays and numbers; NULL: it has no more */
    const char *name, *array[ARRAYS], *number[OP_NUMBERS];
} op_description;
extern const op_description op_table[OP_KINDS];

enum { NO_VALUE = -1, CELLS = 0 }; /* no operation; the first one */

typedef struct {
    const rung_model *model;
    const char *checksum; /* of the model's file */
    int n_operations, n_constants;
    operation *operations;
    constant *constants;
    bool takes_missing; /* else every cell must be a number */
    bool contains_rows; /* of the training data */
    double level;       /* of the intervals */
    int columns;        /* the columns of the model, a number each: the cells, and what is derived from them */
    /* The results by their operation; NO_VALUE: it has none. rank: 0: no answer, low and high: classes from 1, proba:
     * one per class of the coding, sd: of the latent value whose mean is the score. */
    int rank, score, proba, sd, interval;
    int rooms_operations, room_constants; /* allocated */
} program;

/* What the program of a model needs to know beside it. */
typedef struct {
    double level;         /* of the intervals */
    const char *checksum; /* of the model's file */
} program_options;

/* The program of a model, in the scratch pool. It refers to arrays of the model. */
rung_status program_build(rung_ctx *ctx, const rung_model *m, const program_options *options, program **out);

/* ---- for those who build: the operations in turn ---- */

/* Building notes the first failure and goes on, with values that mean nothing; the caller asks at the end. */
typedef struct {
    rung_ctx *ctx;
    program *p;
    rung_status status;
} builder;

double *builder_room(builder *b, int64_t n); /* numbers of a new constant; NULL: none, and the failure is noted */
int put_real(builder *b, const double *v, int64_t rows, int64_t columns); /* a constant; the same array only once */
int put_whole(builder *b, const int64_t *v, int64_t rows, int64_t columns);
/* An operation with up to three operands (NO_VALUE: none) and result of length n. */
int put_op(builder *b, op_kind kind, int64_t n, int first, int second, int third);
void set_array(builder *b, int value, int index, int array);
void set_number(builder *b, int value, int index, double number);
/* The operation, once it is complete, or an earlier one that is equal: nothing is computed twice. */
int settled(builder *b, int value);
int64_t length_of(const builder *b, int value);

/* ---- in short (expressions.c); where two vectors meet they have one length, or one of them has length 1 ---- */

int constant_of(builder *b, int64_t n, const double *v);
int scalar(builder *b, double x);
int apply_one(builder *b, op_kind kind, int x);
int apply_two(builder *b, op_kind kind, int x, int y);
int with_number(builder *b, op_kind kind, int x, double y); /* x op y */
int number_with(builder *b, op_kind kind, double x, int y); /* x op y */
int select_of(builder *b, int condition, int yes, int no);
int part_of(builder *b, int x, int64_t from, int64_t n);
int join_of(builder *b, int x, int y);
int choose_of(builder *b, int place, int from);
int linear_of(builder *b, int x, int64_t outputs, int weights, int bias); /* constants; bias -1: none */
int shares_of_total(builder *b, int x);                                   /* x / total */

/* ---- parts of a prediction ---- */

/* derived.c; from the coded cells x: the row that the model sees; columns: as its trees look at it */
int build_derived(builder *b, const coding *code, int x, int *columns);
int build_scaled(builder *b, const scaling *s, int x);                    /* scaling.c; x in it */
int build_outputs(builder *b, const member *one, int x, int *variance);   /* outputs.c; variance may be NULL */
int build_proba(builder *b, const member *one, int output, int variance); /* probabilities.c */
int build_rank(builder *b, const member *one, int output, int proba);     /* ranks.c: 1..K */
int build_median(builder *b, int64_t K, int proba);                       /* of K probabilities */
int build_cumulative_classes(builder *b, int P);                          /* of P(y > q), q < K */
int build_calibrated(builder *b, const member *one, int output);          /* compared with the cuts */

#endif
