// SPDX-License-Identifier: BSD-3-Clause
/* Common parts of coding a table: which columns, what stands for a missing cell, numbers and categories. */
#ifndef RUNG_DATA_FEATURES_H
#define RUNG_DATA_FEATURES_H

#include "data/dataset.h"

/* Whether the columns are named by whole numbers, as those of sparse rows are. */
bool coding_numbered(const coding *code);
/* Finds the columns of a coding in a table: feature column j is column from[j] of the table, -1: none, it is all zeros
 * (a table of sparse rows). label: -1: there is none. */
rung_status coding_match(rung_ctx *ctx, const rung_table *t, const coding *code, int64_t *from, int64_t *label);
/* The ranks or targets of data from a column of t, by data's coding. */
rung_status dataset_labels(rung_ctx *ctx, const rung_table *t, int64_t label, rung_data *data);
/* The row weights of data from column j of t. */
rung_status dataset_weights(rung_ctx *ctx, const rung_table *t, int64_t j, rung_data *data);
/* How the column is called in coding->weights and groups, for table_find. */
rung_status column_key(rung_ctx *ctx, pool *mem, const rung_table *t, int64_t j, const char **out);
/* The groups of data from column j of t: equal cells are one group; a row without a value forms its own. */
rung_status dataset_groups(rung_ctx *ctx, const rung_table *t, int64_t j, rung_data *data);
/* Which rows were chosen to be labelled, from column j of t. */
rung_status dataset_suggested(rung_ctx *ctx, const rung_table *t, int64_t j, rung_data *data);
/* The column that says so: it is named so and holds nothing else; -1: there is none. */
int64_t suggested_column(const rung_table *t);
/* The column of the labels; -1: there is none. */
rung_status dataset_label_column(rung_ctx *ctx, const rung_table *t, const rung_encode_options *options, int64_t *out);
/* The error for a cell of column j of t, a column of numbers, that is nan or infinite. */
rung_status cell_not_finite(rung_ctx *ctx, const char *path, int64_t line, const rung_table *t, int64_t j,
                            const char *text);
/* Codes the rows of t into X (code->d x n_rows, zeros), given where its columns are; a missing number is NaN. */
rung_status features_code(rung_ctx *ctx, const rung_table *t, const coding *code, const int64_t *from, double *X);

/* The numbers of column j of t, which is not nominal: those of the table, or in the scratch pool; NaN: missing. */
rung_status column_numbers(rung_ctx *ctx, const rung_table *t, int64_t j, const column_code *code, const double **out);

#endif
