// SPDX-License-Identifier: BSD-3-Clause
/* A data set: numbers and ranks, and the coding that made them from a table. */
#ifndef RUNG_DATA_DATASET_H
#define RUNG_DATA_DATASET_H

#include "input/table/column_form.h"
#include "input/table/table.h"

/* How one column of a file becomes coded columns. A number is unchanged; a nominal column becomes one 0/1 column per
 * category; its missing cells form a separate category (name "") if training had any. Dates and ordered words become
 * numbers (column_form.h). */
typedef struct {
    const char *name; /* "" without a header */
    int64_t position; /* 0-based column of the training file, for files without names */
    bool nominal;
    column_form form; /* of a column that is not nominal */
    date_order dates; /* FORM_DAYS, FORM_CYCLIC */
    const char *unit; /* numbers that may be written with a unit or as limits (table/measure.h); NULL: they may not */
    double fill;      /* not nominal: replaces a missing cell (the training median) */
    int64_t n_categories;
    const char **categories; /* nominal: in bytewise order; FORM_ORDINAL: lowest first */
    int64_t reference;       /* nominal: the category that coefficients compare the others with */
    int64_t first;           /* its first coded column */
    bool hidden;             /* of the cells: no feature, only columns are derived from it (derive.h) */
    bool derived;            /* no column of the file: its numbers follow from others */
    /* Of the training rows, for those who enter new ones; known: model files of before have none. Rounded outwards, so
     * that no row is in it: a range contains the numbers and is at most 10 % wider than they are. */
    bool known;
    double low, high; /* not nominal */
    int64_t common;   /* nominal: the most frequent category; of equal ones the first */
} column_code;

typedef struct derivation derivation;
typedef struct random_term random_term;

typedef struct { /* lives in the model: predict takes raw data */
    bool has_names;
    int64_t n_columns; /* feature columns of the file, in their order there */
    column_code *columns;
    int64_t d;              /* coded columns */
    const char *label;      /* name of the label column; "" if it had none */
    int64_t label_position; /* 0-based column of the file; -1: there was none */
    int64_t file_columns;   /* columns of the training file, for files without names */
    char decimal;           /* its decimal point, if the caller gave it; 0: . */
    char delimiter;         /* the one that the caller gave; 0: none */
    int n_classes;
    const char **classes; /* lowest first */
    bool real;            /* the label is a real target; no classes */
    const char *weights;  /* the columns of row weights and groups as table_find finds them, for rows that join the */
    const char *groups;   /* training rows later; NULL: there were none */
    double *edges;        /* n_classes - 1, or NULL. The label is a real number: class k ends with edges[k-1] */
    derivation *derive;   /* NULL: nothing is derived, and the columns are those of the file (derive.h) */
    int n_random;         /* terms of groups with effects of their own (random_terms.h) */
    random_term *random;
} coding;

/* How the cells of a row are coded, before anything is derived from them. */
const coding *coding_cells(const coding *code);

typedef struct row_source row_source;

struct rung_data {
    pool mem;
    int64_t n, d;
    double *X;      /* d x n: a row of the file is contiguous; NaN = a missing number */
    double *cells;  /* the same before columns are derived from them (coding_cells); NULL: none are, see X */
    int *y;         /* n: 1..K, 0 = unlabelled */
    int *upper;     /* n: the highest rank a label allows, y being the lowest (intervals.h); NULL: all are one rank */
    double *target; /* n: the real label, NaN = unlabelled; NULL: ranks only */
    double *weight; /* n, or NULL: all 1 */
    int *group;     /* n, or NULL: rows with the same number are held out together */
    int n_group_names; /* what groups 0, 1, ... are called, so that a later row can join one; a row of a */
    const char *
        *group_names; /* higher number, or without a name, joins none. NULL: groups are called by their numbers */
    int *chosen;      /* n, or NULL: not 0: labelled because it was chosen, not drawn at random: no part of an error */
    row_source *source; /* reads all the rows that these are a sample of (rows/rows.h); NULL: these are all. In mem */
    coding code;
};

rung_status dataset_encode(rung_ctx *ctx, const rung_table *t, const rung_encode_options *options, rung_data **out);

/* Codes a table by an existing coding. Categories not seen in training are coded as zeros and counted in a warning. */
rung_status dataset_recode(rung_ctx *ctx, const rung_table *t, const coding *code, rung_labels labels, rung_data **out);

/* From memory; the columns have no names, the classes are named 1..K, and a table to be coded alike may have its labels
 * in one additional column, the last. rank may be NULL: no labels. */
rung_status dataset_new(rung_ctx *ctx, const rung_view *X, const int *rank, const double *weight, int classes,
                        rung_data **out);
/* The same with real targets, NaN = unlabelled. */
rung_status dataset_new_real(rung_ctx *ctx, const rung_view *X, const double *target, const double *weight,
                             rung_data **out);
/* A number per row; NULL: no groups. */
rung_status dataset_set_groups(rung_ctx *ctx, rung_data *data, const int *group);
/* Names for data from memory; each may be NULL. See rung_data_set_names. */
rung_status dataset_set_names(rung_ctx *ctx, rung_data *data, const char *const *columns, const char *label,
                              const char *const *classes);
/* See rung_data_set_chosen. */
rung_status dataset_set_chosen(rung_ctx *ctx, rung_data *data, const int *chosen);
/* Makes intervals of the labels, see rung_data_set_upper. */
rung_status dataset_set_upper(rung_ctx *ctx, rung_data *data, const int *upper);
/* See rung_data_new_labels (label_list.c). */
rung_status dataset_of_labels(rung_ctx *ctx, int64_t n, const char *const *labels, const char *order, rung_data **out);
/* Some rows, with the same coding. */
rung_status dataset_subset(rung_ctx *ctx, const rung_data *data, int64_t n, const int64_t *rows, rung_data **out);
void dataset_free(rung_data *data);

/* For those who make data sets. */
rung_status dataset_open(rung_ctx *ctx, rung_data **out);
/* Passes data on if status is RUNG_OK, else frees it; returns status. */
rung_status dataset_close(rung_status status, rung_data *data, rung_data **out);
/* The rows as coding_cells describes them. */
const double *data_cells(const rung_data *data);
/* Zeroed X and y for n rows of d coded columns. */
rung_status dataset_rows(rung_ctx *ctx, rung_data *data, int64_t n, int64_t d);
/* Another X, of d coded columns. */
rung_status dataset_numbers(rung_ctx *ctx, rung_data *data, int64_t d);

/* d unnamed columns of numbers, classes 1..K, the label column (if K > 0) after them. */
rung_status coding_plain(rung_ctx *ctx, pool *mem, int64_t d, int classes, coding *code);
/* What stands for the missing cells of columns that are not nominal, by the rows of data and their weights. */
rung_status coding_fills(rung_ctx *ctx, rung_data *data);

int64_t column_width(const column_code *c); /* coded columns it makes */
bool column_is_plain(const column_code *c); /* its cells are numbers and nothing else */
/* The reference category where the caller names none, by its number: the first that is not the missing cell. */
int64_t column_first_reference(const column_code *c);
rung_status coding_copy(rung_ctx *ctx, pool *mem, const coding *from, coding *to);
/* What stands for a missing cell of each coded column: d numbers, 0 for those of a text column. */
rung_status coding_fill(rung_ctx *ctx, pool *mem, const coding *code, double **out);
/* "colour=red" for a category, the column's name or "x3" otherwise; written to text. */
void coding_feature_name(const coding *code, int64_t coded_column, char *text, size_t size);

#endif
