// SPDX-License-Identifier: BSD-3-Clause
/* What is explained: the answers of a model for rows whose cells are changed column by column. A column is one of the
 * source, with all coded columns that it makes. */
#ifndef RUNG_EXPLAIN_ANSWER_H
#define RUNG_EXPLAIN_ANSWER_H

#include "data/dataset.h"
#include "model/model.h"

typedef struct {   /* one entry per row; NULL: not wanted, or the model has none */
    double *value; /* the expected rank by the probabilities; without them the rank; with real targets the number */
    int *rank;
    double *proba; /* n x classes, by rows */
} answers;

/* RUNG_EARG: the model has no answers to explain (scores only), or takes kernel values instead of columns. */
rung_status answers_check(rung_ctx *ctx, const rung_model *m);
/* Room for n rows; what the model does not have stays NULL. */
rung_status answers_new(rung_ctx *ctx, pool *mem, const rung_model *m, int64_t n, answers *out);
/* The columns of the source, and the rows of data as these: what is derived from them follows (data/derive.h). */
const coding *model_cells(const rung_model *m);
rung_data rows_as_cells(const rung_data *data);
/* RUNG_EARG: the data are not coded as the model needs them. */
rung_status explained_check(rung_ctx *ctx, const rung_model *m, const rung_data *data);
/* The answers for rows of cells (coded, n of them). Reports no progress of its own. */
rung_status answers_of(rung_ctx *ctx, const rung_model *m, int64_t n, const double *X, const answers *out);

/* The name of a source column, "x3" where it has none; room for COLUMN_NAME bytes. Returns text. */
enum { COLUMN_NAME = 128 };
const char *column_name(const coding *code, int64_t j, char text[COLUMN_NAME]);
/* The column of this name or, failing that, at this position from 1. RUNG_EARG: there is none. */
rung_status column_named(rung_ctx *ctx, const coding *code, const char *name, int64_t *out);
/* A list of such columns, each once; it ends with NULL. *count: how many. NULL: none. */
rung_status columns_named(rung_ctx *ctx, const coding *code, const char *const *list, int64_t **out, int64_t *count);
/* Gives `to` the cells that `from` has in one source column; both are coded rows. */
void column_copy(const coding *code, int64_t j, const double *from, double *to);
bool column_equal(const coding *code, int64_t j, const double *a, const double *b);

bool column_dates(const column_code *c);

/* At most `most` of the n rows, evenly chosen at random by the seed and in ascending order; all of them where they are
 * no more. Returns how many. */
rung_status rows_sample(rung_ctx *ctx, int64_t n, const int64_t *rows, int64_t most, uint64_t stream, int64_t **out,
                        int64_t *count);

/* ---- what an explanation says, in its own memory ---- */

/* A new explanation, which begins with its pool and is filled in by `write` from the study; on failure NULL. */
typedef rung_status explanation_writer(rung_ctx *ctx, const void *study, void *report);
rung_status explanation_new(rung_ctx *ctx, size_t size, explanation_writer *write, const void *study, void **out);
void explanation_free(void *report);

/* The name of a source column; a text of the source, as UTF-8; a date, from days since 1970. */
rung_status explanation_column(rung_ctx *ctx, pool *mem, const coding *code, int64_t j, const char **out);
rung_status explanation_text(rung_ctx *ctx, pool *mem, const char *text, const char **out);
rung_status explanation_date(rung_ctx *ctx, pool *mem, double days, const char **out);
/* The cell of a coded row as it stood in the source. */
rung_status explanation_cell(rung_ctx *ctx, pool *mem, const coding *code, int64_t j, const double *row,
                             rung_cell *out);

#endif
