// SPDX-License-Identifier: BSD-3-Clause
#include "explain/answer.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/rng.h"
#include "base/text.h"
#include "data/derive.h"

/* ---- answers ---- */

rung_status answers_check(rung_ctx *ctx, const rung_model *m)
{
    const scorer *s = &m->members->score;
    if (!m->code.real && !model_has_ranks(m))
        return set_error(ctx, RUNG_EARG, "a %s model gives scores, not classes, so there is no answer to explain",
                         m->method);
    if (s->kind == SCORER_KERNEL && s->k.kind == KERNEL_PRECOMPUTED)
        return set_error(ctx, RUNG_EARG, "the model takes the values of a kernel, so it has no columns to explain");
    return RUNG_OK;
}

rung_status answers_new(rung_ctx *ctx, pool *mem, const rung_model *m, int64_t n, answers *out)
{
    *out = (answers){0};
    TRY(NEW_RAW(ctx, mem, out->value, n));
    if (m->code.real) return RUNG_OK;
    TRY(NEW_RAW(ctx, mem, out->rank, n));
    return model_has_probabilities(m) ? NEW_RAW(ctx, mem, out->proba, n * m->code.n_classes) : RUNG_OK;
}

static void expected_ranks(int64_t n, int K, const answers *out)
{
    for (int64_t i = 0; i < n; i++) {
        out->value[i] = out->proba ? 0 : out->rank[i];
        for (int q = 0; out->proba && q < K; q++) out->value[i] += (q + 1) * out->proba[i * K + q];
    }
}

const coding *model_cells(const rung_model *m) { return coding_cells(&m->code); }

rung_data rows_as_cells(const rung_data *data)
{
    rung_data out = *data;
    out.code = *coding_cells(&data->code);
    if (!data->cells) return out;
    out.X = data->cells;
    out.d = out.code.d;
    return out;
}

rung_status explained_check(rung_ctx *ctx, const rung_model *m, const rung_data *data)
{
    if (data->d == m->code.d && coding_cells(&data->code)->d == model_cells(m)->d) return RUNG_OK;
    return set_error(ctx, RUNG_EARG, "the data have %lld coded columns, but the model was fitted to %lld",
                     (long long)data->d, (long long)m->code.d);
}

/* What is derived from cells that were changed one by one may be no number, which counts as missing. */
static rung_status derived_rows(rung_ctx *ctx, const rung_model *m, int64_t n, const double **X)
{
    double *all = NULL;
    int64_t d = model_cells(m)->d, bad;
    if (!m->code.derive) return RUNG_OK;
    TRY(NEW_RAW(ctx, &ctx->scratch, all, n * m->code.d));
    for (int64_t i = 0; i < n; i++) derive_row(&m->code, *X + i * d, all + i * m->code.d, &bad);
    *X = all;
    return RUNG_OK;
}

rung_status answers_of(rung_ctx *ctx, const rung_model *m, int64_t n, const double *X, const answers *out)
{
    rung_progress_fn *shown = ctx->progress;
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(derived_rows(ctx, m, n, &X));
    int columns = m->code.real ? model_outputs(m) : 0;
    double *score = NULL;
    if (columns) TRY(NEW_RAW(ctx, &ctx->scratch, score, n * columns));
    rung_view view = {.v = X, .n = n, .d = m->code.d, .row = m->code.d, .col = 1};
    ctx->progress = NULL; /* predictions are the smallest steps of a longer stage */
    /* a model that may abstain is explained by what it would answer */
    const rung_predict_options how = {.abstain = m->cost.abstain > 0 ? DBL_MAX : 0};
    rung_status status =
        model_predict(ctx, m, &view, &how, &(rung_output){.score = score, .rank = out->rank, .proba = out->proba});
    ctx->progress = shown;
    TRY(status);
    for (int64_t i = 0; columns && i < n; i++) out->value[i] = score[i * columns];
    if (!columns) expected_ranks(n, m->code.n_classes, out);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* ---- columns ---- */

const char *column_name(const coding *code, int64_t j, char text[COLUMN_NAME])
{
    const char *name = code->columns[j].name;
    if (name && name[0])
        snprintf(text, COLUMN_NAME, "%s", name);
    else
        snprintf(text, COLUMN_NAME, "x%lld", (long long)j + 1);
    return text;
}

static int64_t find_column(const coding *code, const char *name)
{
    char text[COLUMN_NAME];
    int64_t position;
    for (int64_t j = 0; j < code->n_columns; j++) {
        const char *full = code->columns[j].name;
        if ((full && full[0] && !strcmp(full, name)) || !strcmp(column_name(code, j, text), name)) return j;
    }
    bool number = text_integer(name, strlen(name), &position);
    return number && position >= 1 && position <= code->n_columns ? position - 1 : -1;
}

static rung_status no_column(rung_ctx *ctx, const coding *code, const char *name)
{
    char near[COLUMN_NAME] = "", text[COLUMN_NAME], given[COLUMN_NAME];
    int best = 3;
    snprintf(given, sizeof given, "%s", name);
    for (int64_t j = 0; j < code->n_columns; j++) {
        int edits = text_distance(given, column_name(code, j, text));
        if (edits < best) {
            best = edits;
            memcpy(near, text, sizeof near);
        }
    }
    if (near[0]) return set_error(ctx, RUNG_EARG, "the model has no column '%s'; did you mean '%s'?", given, near);
    return set_error(ctx, RUNG_EARG, "the model has no column '%s'", given);
}

rung_status column_named(rung_ctx *ctx, const coding *code, const char *name, int64_t *out)
{
    *out = find_column(code, name);
    return *out >= 0 ? RUNG_OK : no_column(ctx, code, name);
}

rung_status columns_named(rung_ctx *ctx, const coding *code, const char *const *list, int64_t **out, int64_t *count)
{
    *count = 0;
    TRY(NEW(ctx, &ctx->scratch, *out, code->n_columns + 1));
    for (; list && *list; list++) {
        int64_t found;
        bool known = false;
        TRY(column_named(ctx, code, *list, &found));
        for (int64_t i = 0; i < *count; i++) known = known || (*out)[i] == found;
        if (!known) (*out)[(*count)++] = found;
    }
    return RUNG_OK;
}

void column_copy(const coding *code, int64_t j, const double *from, double *to)
{
    const column_code *c = &code->columns[j];
    memcpy(to + c->first, from + c->first, (size_t)column_width(c) * sizeof *to);
}

bool column_equal(const coding *code, int64_t j, const double *a, const double *b)
{
    const column_code *c = &code->columns[j];
    return memcmp(a + c->first, b + c->first, (size_t)column_width(c) * sizeof *a) == 0;
}

bool column_dates(const column_code *c) { return c->form == FORM_DAYS || c->form == FORM_CYCLIC; }

/* ---- rows ---- */

rung_status rows_sample(rung_ctx *ctx, int64_t n, const int64_t *rows, int64_t most, uint64_t stream, int64_t **out,
                        int64_t *count)
{
    rng r;
    TRY(NEW_RAW(ctx, &ctx->scratch, *out, n));
    memcpy(*out, rows, (size_t)n * sizeof **out);
    *count = n < most ? n : most;
    if (n <= most) return RUNG_OK;
    rng_open(&r, ctx->seed, stream);
    rng_shuffle(&r, *out, n);
    qsort(*out, (size_t)*count, sizeof **out, compare_integers);
    return RUNG_OK;
}

/* ---- reports ---- */

rung_status explanation_new(rung_ctx *ctx, size_t size, explanation_writer *write, const void *study, void **out)
{
    *out = object_new(ctx, size);
    if (!*out) return set_error(ctx, RUNG_ENOMEM, "out of memory: an explanation");
    rung_status status = write(ctx, study, *out);
    if (status == RUNG_OK) return RUNG_OK;
    explanation_free(*out);
    *out = NULL;
    return status;
}

void explanation_free(void *report)
{
    if (!report) return;
    pool_free_all(report);
    object_free(report);
}

rung_status explanation_text(rung_ctx *ctx, pool *mem, const char *text, const char **out)
{
    char *copy = NULL;
    size_t size = strlen(text) + 1;
    bool good = text_is_utf8(text);
    TRY(NEW_RAW(ctx, mem, copy, (int64_t)size));
    for (size_t i = 0; i < size; i++) copy[i] = !good && text[i] & 0x80 ? '?' : text[i];
    *out = copy;
    return RUNG_OK;
}

rung_status explanation_column(rung_ctx *ctx, pool *mem, const coding *code, int64_t j, const char **out)
{
    char name[COLUMN_NAME];
    return explanation_text(ctx, mem, column_name(code, j, name), out);
}

/* The civil calendar (H. Hinnant, chrono-compatible low-level date algorithms). */
rung_status explanation_date(rung_ctx *ctx, pool *mem, double days, const char **out)
{
    int64_t z = (int64_t)floor(days) + 719468, era = (z >= 0 ? z : z - 146096) / 146097, doe = z - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365, doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int64_t mp = (5 * doy + 2) / 153, day = doy - (153 * mp + 2) / 5 + 1, month = mp < 10 ? mp + 3 : mp - 9;
    return pool_printf(ctx, mem, out, "%04lld-%02lld-%02lld", (long long)(yoe + era * 400 + (month <= 2)),
                       (long long)month, (long long)day);
}

rung_status explanation_cell(rung_ctx *ctx, pool *mem, const coding *code, int64_t j, const double *row, rung_cell *out)
{
    const column_code *c = &code->columns[j];
    double x = row[c->first];
    *out = (rung_cell){.number = c->nominal ? NAN : x};
    for (int64_t k = 0; c->nominal && k < c->n_categories; k++)
        if (row[c->first + k] == 1)
            return c->categories[k][0] ? explanation_text(ctx, mem, c->categories[k], &out->text) : RUNG_OK;
    if (c->nominal || isnan(x)) return RUNG_OK;
    if (c->form == FORM_ORDINAL && x >= 1 && x <= (double)c->n_categories && x == floor(x))
        return explanation_text(ctx, mem, c->categories[(int64_t)x - 1], &out->text);
    return column_dates(c) && fabs(x) < 1e7 ? explanation_date(ctx, mem, x, &out->text) : RUNG_OK;
}
