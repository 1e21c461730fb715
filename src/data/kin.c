// SPDX-License-Identifier: BSD-3-Clause
/* kin.c - repeated identifiers and near-copies.
 *
 * Rows that agree in all columns but j are equal rows of the table without j: the counts that tell copies from
 * replicates (together.c) tell whether they are of one object. Rows that are equal altogether are counted once, because
 * they are no news. Numbers are compared on a grain of a ten-thousandth of their range. */
#include "data/kin.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "data/row_groups.h"
#include "data/row_hash.h"
#include "data/together.h"

/* Few values are categories, and so are those of many rows each. Those of an identifier come back about equally often:
 * the number of values that would be as uneven if they were equally frequent is a large part of theirs. */
enum { LEAST_VALUES = 20, LEAST_ROWS = 2, MOST_ROWS = 20 };
static const double LEAST_EVEN = 0.75;
/* Rows of fewer groups, or a smaller part of the rows, hardly change an error. */
enum { LEAST_SETS = 5, LEAST_COLUMNS = 2 };
static const double LEAST_SHARE = 0.05, GRAIN = 1e-4, MOST_CELLS = 2e6;

/* ---- identifiers ---- */

typedef struct {
    int64_t values;
    double rows, squares;
} value_counts;

static rung_status count_values(rung_ctx *ctx, const together_input *in, const column_code *col, value_counts *out)
{
    double *count = NULL;
    *out = (value_counts){0};
    TRY(NEW(ctx, &ctx->scratch, count, col->n_categories));
    for (int64_t i = 0; i < in->n; i++) {
        const double *x = in->data->X + in->rows[i] * in->data->d + col->first;
        for (int64_t k = 0; k < col->n_categories; k++) count[k] += x[k];
    }
    for (int64_t k = 0; k < col->n_categories; k++) {
        if (!*col->categories[k] || count[k] == 0) continue; /* missing, or of unlabelled rows */
        out->values++;
        out->rows += count[k];
        out->squares += count[k] * count[k];
    }
    return RUNG_OK;
}

static bool like_identifiers(const value_counts *v)
{
    double n = (double)v->values;
    return v->values >= LEAST_VALUES && v->rows >= LEAST_ROWS * n && v->rows <= MOST_ROWS * n &&
           v->rows * v->rows >= LEAST_EVEN * n * v->squares;
}

static const char *name_of(const column_code *col, size_t size, char *text)
{
    if (*col->name)
        snprintf(text, size, "%s", col->name);
    else
        snprintf(text, size, "%lld", (long long)col->position + 1);
    return text;
}

static void tell_identifier(rung_ctx *ctx, const column_code *col, const value_counts *v)
{
    enum { NAME = 200 };
    char name[NAME], detail[2 * NAME + 40];
    name_of(col, sizeof name, name);
    snprintf(detail, sizeof detail, "option groups=%s\noption ignore=%s", name, name);
    log_hint(
        ctx, RUNG_LOG_WARNING, detail,
        "column '%.64s' has %lld values of %.1f labelled rows each: if they are patients, places or the like, and "
        "new rows will be of others, declare it as groups or leave it out; errors are else those of rows whose kin "
        "the model has seen",
        name, (long long)v->values, v->rows / (double)v->values);
}

/* The first column that looks like one. */
static rung_status warn_of_identifier(rung_ctx *ctx, const together_input *in, bool *told)
{
    const coding *code = &in->data->code;
    *told = false;
    for (int64_t k = 0; k < code->n_columns && !*told; k++) {
        value_counts v;
        if (!code->columns[k].nominal || code->columns[k].n_categories < LEAST_VALUES) continue;
        TRY(count_values(ctx, in, &code->columns[k], &v));
        *told = like_identifiers(&v);
        if (*told) tell_identifier(ctx, &code->columns[k], &v);
    }
    return RUNG_OK;
}

/* ---- near-copies ---- */

/* Moves a coded column to multiples of its grain. The edges lie between round numbers. */
static void make_coarse(rung_data *data, int64_t j)
{
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < data->n; i++) {
        low = fmin(low, data->X[i * data->d + j]);
        high = fmax(high, data->X[i * data->d + j]);
    }
    double grain = (high - low) * GRAIN;
    if (!(grain > 0) || !isfinite(grain)) return;
    for (int64_t i = 0; i < data->n; i++) {
        double *x = data->X + i * data->d + j;
        *x = floor((*x - low) / grain + 0.381966);
    }
}

static void make_numbers_coarse(rung_data *data)
{
    for (int64_t k = 0; k < data->code.n_columns; k++) {
        const column_code *col = &data->code.columns[k];
        for (int64_t j = col->first; j < col->first + column_width(col) && !col->nominal; j++) make_coarse(data, j);
    }
}

/* Lists one of the rows that are equal in every column. */
static rung_status leave_distinct(rung_ctx *ctx, together_input *in)
{
    const rung_data *data = in->data;
    int *group = NULL;
    bool *seen = NULL;
    int64_t *rows = NULL, repeated, n = 0;
    TRY(NEW(ctx, &ctx->scratch, group, data->n));
    TRY(NEW(ctx, &ctx->scratch, seen, in->n));
    TRY(NEW(ctx, &ctx->scratch, rows, in->n));
    TRY(equal_rows(ctx, data->d, data->X, in->n, in->rows, group, &repeated));
    for (int64_t i = 0; i < in->n; i++) {
        bool *known = &seen[group[in->rows[i]]];
        if (!*known) rows[n++] = in->rows[i];
        *known = true;
    }
    in->rows = rows;
    in->n = n;
    return RUNG_OK;
}

typedef struct { /* of rows that agree */
    int64_t sets, rows;
} agreeing;

static agreeing count_agreeing(int64_t n, counted_hash *list)
{
    agreeing a = {0};
    sort_hashes(n, list);
    for (int64_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && list[end].hash == list[first].hash; end++) {}
        a.sets += end - first > 1;
        a.rows += end - first > 1 ? end - first : 0;
    }
    return a;
}

static rung_status hash_rows(rung_ctx *ctx, const together_input *in, uint64_t **whole, counted_hash **list)
{
    TRY(NEW(ctx, &ctx->scratch, *whole, in->n));
    TRY(NEW(ctx, &ctx->scratch, *list, in->n));
    for (int64_t i = 0; i < in->n; i++)
        (*whole)[i] = (*list)[i].hash = hash_columns(&in->data->code, in->data->X + in->rows[i] * in->data->d);
    return RUNG_OK;
}

/* The column without which most rows agree with another one; -1: none. */
static rung_status agree_without(rung_ctx *ctx, const together_input *in, int64_t *without, agreeing *out)
{
    const coding *code = &in->data->code;
    counted_hash *list = NULL;
    uint64_t *whole = NULL;
    *out = (agreeing){0};
    *without = -1;
    TRY(hash_rows(ctx, in, &whole, &list));
    for (int64_t k = 0; k < code->n_columns; k++) {
        TRY(interrupted(ctx));
        for (int64_t i = 0; i < in->n; i++)
            list[i].hash = whole[i] - hash_cell(&code->columns[k], in->data->X + in->rows[i] * in->data->d);
        agreeing a = count_agreeing(in->n, list);
        if (a.rows <= out->rows) continue;
        *out = a;
        *without = k;
    }
    return RUNG_OK;
}

static rung_status agree_altogether(rung_ctx *ctx, const together_input *in, agreeing *out)
{
    counted_hash *list = NULL;
    uint64_t *whole = NULL;
    TRY(hash_rows(ctx, in, &whole, &list));
    *out = count_agreeing(in->n, list);
    return RUNG_OK;
}

/* Whether so many agree as to matter, and they look like copies in the columns but one (skip; -1: in all). */
static rung_status are_kin(rung_ctx *ctx, const together_input *in, int64_t skip, const agreeing *a, bool *out)
{
    rung_data rest = *in->data;
    together_input rows = *in;
    equal_counts counts;
    column_code *left = NULL;
    coding *code = &rest.code;
    *out = false;
    if (a->sets < LEAST_SETS || (double)a->rows < LEAST_SHARE * (double)in->n) return RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, left, code->n_columns));
    int64_t n = 0;
    for (int64_t k = 0; k < code->n_columns; k++)
        if (k != skip) left[n++] = code->columns[k];
    code->columns = left;
    code->n_columns = n;
    rows.data = &rest;
    if (n >= LEAST_COLUMNS) TRY(equal_judge(ctx, &rows, &counts));
    *out = n >= LEAST_COLUMNS && counts.copies;
    return RUNG_OK;
}

static void tell_kin(rung_ctx *ctx, const agreeing *a, const char *but)
{
    log_hint(ctx, RUNG_LOG_WARNING, "option groups",
             "%lld groups of labelled rows agree in all columns but %s: if each is of one patient, place or the like, "
             "declare them as groups; errors are else those of rows whose kin the model has seen",
             (long long)a->sets, but);
}

/* Whether groups of rows agree but for the last digits of numbers, which are coarse now; tells it. */
static rung_status warn_of_digits(rung_ctx *ctx, const together_input *in, bool *told)
{
    agreeing a;
    TRY(agree_altogether(ctx, in, &a));
    TRY(are_kin(ctx, in, -1, &a, told));
    if (*told) tell_kin(ctx, &a, "for the last digits of numbers");
    return RUNG_OK;
}

static rung_status warn_of_column(rung_ctx *ctx, const together_input *in)
{
    agreeing a;
    int64_t without;
    bool kin;
    TRY(agree_without(ctx, in, &without, &a));
    TRY(are_kin(ctx, in, without, &a, &kin));
    if (!kin) return RUNG_OK;
    char name[64], but[80];
    snprintf(but, sizeof but, "'%s'", name_of(&in->data->code.columns[without], sizeof name, name));
    tell_kin(ctx, &a, but);
    return RUNG_OK;
}

/* The data are a copy of the rows that differ. */
static rung_status warn_of_near_copies(rung_ctx *ctx, rung_data *data)
{
    together_input in;
    bool told;
    make_numbers_coarse(data);
    TRY(counted_labels(ctx, data, &in));
    TRY(warn_of_digits(ctx, &in, &told));
    if (told) return RUNG_OK;
    TRY(leave_distinct(ctx, &in));
    return warn_of_column(ctx, &in);
}

/* A copy and lists of the rows must not take long, nor memory that the fit needs. */
static bool is_affordable(const rung_ctx *ctx, const together_input *in)
{
    double cells = (double)in->n * (double)in->data->d, lists = 8 * (double)(in->n + in->data->n);
    return cells <= MOST_CELLS && memory_fits(ctx, (double)in->data->mem.bytes + sizeof(double) * (cells + lists), 1);
}

static rung_status compare_rows(rung_ctx *ctx, together_input *in)
{
    rung_data *copy;
    if (in->n < 2 || !is_affordable(ctx, in)) return RUNG_OK;
    TRY(leave_distinct(ctx, in));
    TRY(dataset_subset(ctx, in->data, in->n, in->rows, &copy));
    rung_status status = warn_of_near_copies(ctx, copy);
    dataset_free(copy);
    return status;
}

rung_status kin_warn(rung_ctx *ctx, const rung_data *data)
{
    pool_mark mark = pool_here(&ctx->scratch);
    together_input in;
    bool told;
    if (data->group) return RUNG_OK;
    TRY(counted_labels(ctx, data, &in));
    TRY(warn_of_identifier(ctx, &in, &told));
    if (!told) TRY(compare_rows(ctx, &in));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
