// SPDX-License-Identifier: BSD-3-Clause
/* Derived columns: products of columns, powers, logarithms and the like. A data set with derived columns has two
 * codings of its rows. The cells are coded as ever (coding_cells); the coding itself describes what methods see: the
 * columns of the cells that are features, then one column of numbers for every coded column of a derived term. They
 * follow from the cells of a row alone (derive_row), so a change of a cell changes all that is derived from it. */
#ifndef RUNG_DATA_DERIVE_H
#define RUNG_DATA_DERIVE_H

#include "data/dataset.h"

typedef enum {
    DERIVE_ADD,
    DERIVE_TIMES,
    DERIVE_OVER,
    DERIVE_CENTER, /* x - number, the mean of the training rows */
    DERIVE_POWER,  /* a whole number, not 0 */
    DERIVE_LOG,
    DERIVE_LOG2,
    DERIVE_LOG10,
    DERIVE_LOG1P,
    DERIVE_SQRT,
    DERIVE_EXP,
    DERIVE_ABS
} derive_function;

typedef struct {
    derive_function f;
    double number; /* of the first five */
} derive_step;

enum { DERIVE_STEPS = 8, DERIVE_PARTS = 6, MOST_POWER = 99, MOST_DERIVED = 65536, STEP_TEXT = 48 };

typedef struct { /* a column of the cells, and what is done to its number, one step after the other */
    int64_t column;
    int n_steps;
    derive_step step[DERIVE_STEPS];
    bool full; /* nominal: with the category that coefficients compare the others with, too */
} derived_part;

typedef struct { /* the product of its parts */
    int n_parts;
    derived_part part[DERIVE_PARTS];
} derived_term;

struct derivation {
    coding cells; /* derive is NULL; the other texts are those of the coding that has the derivation */
    int64_t n;
    derived_term *term;
};

/* The name of a function and whether there is one; that of a step in a model file: "log", "^2", "+1", "center 3.5". */
bool derive_find(const char *name, size_t length, derive_function *out);
const char *derive_step_text(const derive_step *step, char text[STEP_TEXT]);
bool derive_step_read(const char *text, derive_step *out);
bool derive_steps_equal(const derived_part *a, const derived_part *b);
/* "log(income):sex", as an expression. */
rung_status derived_name(rung_ctx *ctx, pool *mem, const coding *cells, const derived_term *term, const char **out);

/* What must hold of the terms whoever wrote them; an error is of this status. */
rung_status derive_check(rung_ctx *ctx, const derivation *d, rung_status status);
/* From the cells of d and its terms, which were checked, to the coding that methods see; both in mem. */
rung_status derive_coding(rung_ctx *ctx, pool *mem, derivation *d, coding *out);
/* After the fills of the cells have changed: those of the coding. */
void derive_fills(coding *code);
rung_status derive_copy(rung_ctx *ctx, pool *mem, const coding *from, coding *to);

/* The numbers of a part; the coded column of the cells that number k is made from; what stands for number k where its
 * cell is missing. */
int64_t derive_width(const coding *cells, const derived_part *part);
int64_t derive_place(const coding *cells, const derived_part *part, int64_t k);
double derive_fill(const coding *cells, const derived_part *part, int64_t k);
/* A number after the steps of a part; NaN stays. */
double derive_number(const derived_part *part, double x);
/* The row that methods see, from its cells. A missing cell is missing in what is derived from its column alone, and
 * takes its fill in products. false: a number is not finite though no cell of it is missing; *bad: the first such
 * column. It is coded as if the cell were missing. */
bool derive_row(const coding *code, const double *cells, double *out, int64_t *bad);
/* The rows of data from their cells, which are finite (or NaN). */
void derive_rows(rung_data *data);

#endif
