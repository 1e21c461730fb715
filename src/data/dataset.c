// SPDX-License-Identifier: BSD-3-Clause
#include "data/dataset.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/derive.h"
#include "data/median.h"
#include "data/random_terms.h"

rung_status dataset_open(rung_ctx *ctx, rung_data **out)
{
    *out = object_new(ctx, sizeof **out);
    return *out ? RUNG_OK : set_error(ctx, RUNG_ENOMEM, "out of memory: a data set");
}

rung_status dataset_close(rung_status status, rung_data *data, rung_data **out)
{
    *out = status == RUNG_OK ? data : NULL;
    if (status != RUNG_OK) dataset_free(data);
    return status;
}

void dataset_free(rung_data *data)
{
    if (!data) return;
    pool_free_all(&data->mem);
    object_free(data);
}

rung_status dataset_rows(rung_ctx *ctx, rung_data *data, int64_t n, int64_t d)
{
    data->n = n;
    TRY(dataset_numbers(ctx, data, d));
    return NEW(ctx, &data->mem, data->y, n);
}

rung_status dataset_numbers(rung_ctx *ctx, rung_data *data, int64_t d)
{
    data->d = d;
    TRY(memory_check(ctx, (double)data->n * (double)d * sizeof(double), "the coded data"));
    return pool_alloc(ctx, &data->mem, data->n, (size_t)d * sizeof(double), "the coded data", (void **)&data->X);
}

rung_status coding_plain(rung_ctx *ctx, pool *mem, int64_t d, int classes, coding *code)
{
    *code = (coding){.n_columns = d, .d = d, .label = "", .label_position = classes > 0 ? d : -1};
    code->file_columns = d + (classes > 0);
    code->n_classes = classes;
    TRY(NEW(ctx, mem, code->columns, d));
    for (int64_t j = 0; j < d; j++) code->columns[j] = (column_code){.name = "", .position = j, .first = j};
    TRY(NEW(ctx, mem, code->classes, classes));
    for (int k = 0; k < classes; k++) TRY(pool_printf(ctx, mem, &code->classes[k], "%d", k + 1));
    return RUNG_OK;
}

/* What stands for the missing cells of a column: the median of the others. Where these are all equal it is another
 * number, so that being missing, all that such a column tells, is not lost. */
static double fill_of(int64_t n, weighted_value *values, int64_t missing)
{
    int64_t i = 1;
    while (i < n && values[i].x == values[0].x) i++;
    if (i == n && missing > 0) return values[0].x == 0;
    return median(values, n);
}

/* The range of numbers, rounded outwards to 1/20 to 1/200 of its width. */
static void set_range(column_code *c, int64_t n, const weighted_value *values)
{
    double low = values[0].x, high = low;
    for (int64_t i = 1; i < n; i++) {
        low = fmin(low, values[i].x);
        high = fmax(high, values[i].x);
    }
    double digits = high > low ? 1 - floor(log10(high / 2 - low / 2)) : 0, unit = pow(10, fabs(digits));
    double floored = digits < 0 ? floor(low / unit) * unit : floor(low * unit) / unit;
    double raised = digits < 0 ? ceil(high / unit) * unit : ceil(high * unit) / unit;
    c->known = high > low && isfinite(floored) && isfinite(raised);
    c->low = c->known ? fmin(floored, low) : 0; /* the division may round to the other side */
    c->high = c->known ? fmax(raised, high) : 0;
}

static rung_status set_common(rung_ctx *ctx, const rung_data *data, const coding *code, column_code *c)
{
    double *total = NULL;
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(NEW(ctx, &ctx->scratch, total, c->n_categories));
    for (int64_t i = 0; i < data->n; i++)
        for (int64_t k = 0; k < c->n_categories; k++)
            total[k] += data_cells(data)[i * code->d + c->first + k] * (data->weight ? data->weight[i] : 1);
    c->common = 0;
    for (int64_t k = 1; k < c->n_categories; k++)
        if (total[k] > total[c->common]) c->common = k;
    c->known = c->n_categories > 0;
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status coding_fills(rung_ctx *ctx, rung_data *data)
{
    pool_mark mark = pool_here(&ctx->scratch);
    weighted_value *values = NULL;
    const coding *code = coding_cells(&data->code);
    const double *X = data_cells(data);
    TRY(NEW_RAW(ctx, &ctx->scratch, values, data->n));
    for (int64_t j = 0; j < code->n_columns; j++) {
        column_code *c = &code->columns[j];
        int64_t n = 0, missing = 0;
        TRY(interrupted(ctx));
        bool number = !c->nominal && c->form != FORM_LEVEL; /* a row without a group is of none that is known */
        for (int64_t i = 0; i < data->n && number; i++) {
            double x = X[i * code->d + c->first], w = data->weight ? data->weight[i] : 1;
            if (w > 0 && !isnan(x)) values[n++] = (weighted_value){x, w};
            missing += w > 0 && isnan(x);
        }
        if (c->nominal) TRY(set_common(ctx, data, code, c));
        if (n > 0 && !c->nominal) set_range(c, n, values);
        c->fill = n > 0 ? fill_of(n, values, missing) : 0;
    }
    pool_release(&ctx->scratch, mark);
    if (!data->code.derive) return RUNG_OK;
    derive_fills(&data->code);
    derive_rows(data);
    return RUNG_OK;
}

const coding *coding_cells(const coding *code) { return code->derive ? &code->derive->cells : code; }

const double *data_cells(const rung_data *data) { return data->cells ? data->cells : data->X; }

/* rank and target: at most one of them. */
static rung_status from_memory(rung_ctx *ctx, const rung_view *X, const int *rank, const double *target,
                               const double *weight, int classes, rung_data *data)
{
    if (X->n < 1 || X->d < 1)
        return set_error(ctx, RUNG_EARG, "a data set cannot have %lld rows and %lld columns", (long long)X->n,
                         (long long)X->d);
    if (classes < 0) return set_error(ctx, RUNG_EARG, "%d classes: the number may not be negative", classes);
    TRY(dataset_rows(ctx, data, X->n, X->d));
    for (int64_t i = 0; i < X->n; i++)
        for (int64_t j = 0; j < X->d; j++) {
            double x = X->v[i * X->row + j * X->col];
            if (isinf(x))
                return set_error(ctx, RUNG_EDATA, "row %lld, column %lld is infinite; use NaN for a missing cell",
                                 (long long)i + 1, (long long)j + 1);
            data->X[i * X->d + j] = x;
        }
    for (int64_t i = 0; rank && i < X->n; i++) {
        if (rank[i] < 0 || rank[i] > classes)
            return set_error(ctx, RUNG_EDATA, "rank %d of row %lld is outside 0..%d", rank[i], (long long)i + 1,
                             classes);
        data->y[i] = rank[i];
    }
    if (target) TRY(NEW_RAW(ctx, &data->mem, data->target, X->n));
    for (int64_t i = 0; target && i < X->n; i++) {
        if (isinf(target[i])) return set_error(ctx, RUNG_EDATA, "the target of row %lld is infinite", (long long)i + 1);
        data->target[i] = isnan(target[i]) ? NAN : target[i];
    }
    if (weight) TRY(NEW_RAW(ctx, &data->mem, data->weight, X->n));
    for (int64_t i = 0; weight && i < X->n; i++) {
        if (!isfinite(weight[i]) || weight[i] < 0)
            return set_error(ctx, RUNG_EDATA, "weight %g of row %lld is not a finite number >= 0", weight[i],
                             (long long)i + 1);
        data->weight[i] = weight[i];
    }
    TRY(coding_plain(ctx, &data->mem, X->d, classes, &data->code));
    if (target) {
        data->code.real = true;
        data->code.label_position = X->d;
        data->code.file_columns = X->d + 1;
    }
    return coding_fills(ctx, data);
}

static rung_status new_from_memory(rung_ctx *ctx, const rung_view *X, const int *rank, const double *target,
                                   const double *weight, int classes, rung_data **out)
{
    rung_data *data;
    *out = NULL;
    TRY(dataset_open(ctx, &data));
    pool_mark mark = pool_here(&ctx->scratch);
    rung_status status = from_memory(ctx, X, rank, target, weight, classes, data);
    pool_release(&ctx->scratch, mark);
    return dataset_close(status, data, out);
}

rung_status dataset_new(rung_ctx *ctx, const rung_view *X, const int *rank, const double *weight, int classes,
                        rung_data **out)
{
    return new_from_memory(ctx, X, rank, NULL, weight, classes, out);
}

rung_status dataset_new_real(rung_ctx *ctx, const rung_view *X, const double *target, const double *weight,
                             rung_data **out)
{
    return new_from_memory(ctx, X, NULL, target, weight, 0, out);
}

rung_status coding_copy(rung_ctx *ctx, pool *mem, const coding *from, coding *to)
{
    if (from->derive) return derive_copy(ctx, mem, from, to);
    *to = *from;
    to->edges = NULL;
    TRY(pool_text(ctx, mem, from->label, &to->label));
    if (from->weights) TRY(pool_text(ctx, mem, from->weights, &to->weights));
    if (from->groups) TRY(pool_text(ctx, mem, from->groups, &to->groups));
    TRY(NEW(ctx, mem, to->columns, from->n_columns));
    for (int64_t j = 0; j < from->n_columns; j++) {
        const column_code *a = &from->columns[j];
        column_code *b = &to->columns[j];
        *b = *a;
        TRY(pool_text(ctx, mem, a->name, &b->name));
        if (a->unit) TRY(pool_text(ctx, mem, a->unit, &b->unit));
        b->categories = NULL;
        if (a->n_categories > 0) TRY(NEW(ctx, mem, b->categories, a->n_categories));
        for (int64_t k = 0; k < a->n_categories; k++) TRY(pool_text(ctx, mem, a->categories[k], &b->categories[k]));
    }
    TRY(NEW(ctx, mem, to->classes, from->n_classes));
    for (int k = 0; k < from->n_classes; k++) TRY(pool_text(ctx, mem, from->classes[k], &to->classes[k]));
    TRY(NEW(ctx, mem, to->random, from->n_random));
    if (from->n_random > 0) memcpy(to->random, from->random, (size_t)from->n_random * sizeof *to->random);
    if (from->edges) {
        TRY(NEW(ctx, mem, to->edges, from->n_classes));
        memcpy(to->edges, from->edges, (size_t)(from->n_classes - 1) * sizeof *to->edges);
    }
    return RUNG_OK;
}

int64_t column_first_reference(const column_code *c) { return c->n_categories > 1 && c->categories[0][0] == 0 ? 1 : 0; }

bool column_is_plain(const column_code *c) { return !c->nominal && c->form == FORM_PLAIN && !c->unit; }

int64_t column_width(const column_code *c) { return c->nominal ? c->n_categories : form_columns(c->form); }

rung_status coding_fill(rung_ctx *ctx, pool *mem, const coding *code, double **out)
{
    TRY(NEW(ctx, mem, *out, code->d));
    for (int64_t j = 0; j < code->n_columns; j++) {
        const column_code *c = &code->columns[j];
        if (!c->nominal) form_columns_of(c->form, c->fill, *out + c->first);
    }
    return RUNG_OK;
}

void coding_feature_name(const coding *code, int64_t coded_column, char *text, size_t size)
{
    int64_t j = 0;
    while (j + 1 < code->n_columns && code->columns[j + 1].first <= coded_column) j++;
    static const char *const parts[CYCLIC_COLUMNS] = {"", " (year, sine)", " (year, cosine)", " (week, sine)",
                                                      " (week, cosine)"};
    const column_code *c = &code->columns[j];
    int64_t part = coded_column - c->first;
    char name[24];
    snprintf(name, sizeof name, "x%lld", (long long)j + 1);
    snprintf(text, size, "%s%s%s", c->name[0] ? c->name : name, c->nominal ? "=" : "",
             c->nominal ? c->categories[part] : parts[c->form == FORM_CYCLIC ? part : 0]);
}
