// SPDX-License-Identifier: BSD-3-Clause
/* Coding a table with the coding of a model: finds its columns, then codes them as in training. */
#include <string.h>

#include "base/text.h"
#include "input/terms/derive_read.h"
#include "input/encode/features.h"
#include "input/encode/labels.h"
#include "input/encode/named_columns.h"
#include "input/table/dictionary.h"

static bool in_names(const dictionary *names, const column_code *c)
{
    return dictionary_find(names, c->name, strlen(c->name)) >= 0;
}

static rung_status match_names(rung_ctx *ctx, const rung_table *t, const coding *code, int64_t *from, int64_t *label)
{
    dictionary names = {0};
    for (int64_t j = 0; j < t->n_columns; j++) {
        int32_t index;
        TRY(dictionary_add(ctx, &ctx->scratch, &names, t->columns[j].name, strlen(t->columns[j].name), &index));
    }
    char lacking[TABLE_LIST] = "";
    int64_t absent = 0;
    for (int64_t j = 0; j < code->n_columns; j++) absent += !in_names(&names, &code->columns[j]);
    for (int64_t j = 0; j < code->n_columns; j++) {
        const char *name = code->columns[j].name;
        from[j] = dictionary_find(&names, name, strlen(name));
        if (from[j] < 0 && t->gaps && absent < code->n_columns) table_list(lacking, ", ", name);
        if (from[j] >= 0 || t->sparse || (t->gaps && absent < code->n_columns)) continue;
        char near[512];
        table_near(t, name, near, sizeof near);
        rung_status status = set_error(
            ctx, RUNG_EDATA,
            "%s: no column '%.80s', which the model needs; %s; if its values are not known, add an empty column of "
            "this name",
            t->path, name, near);
        return hint(ctx, status, "option missing_columns");
    }
    if (*lacking)
        log_at(ctx, RUNG_LOG_WARNING, "%s lacks columns of the model, which are missing in all rows: %s", t->path,
               lacking);
    *label = code->label_position < 0 ? -1 : dictionary_find(&names, code->label, strlen(code->label));
    return RUNG_OK;
}

/* The columns of the training file but for the label. */
static void match_unlabelled(const coding *code, int64_t *from)
{
    for (int64_t j = 0; j < code->n_columns; j++) {
        int64_t position = code->columns[j].position;
        from[j] = position - (position > code->label_position);
    }
}

static void match_labelled(const coding *code, int64_t *from, int64_t *label)
{
    int64_t place = 0; /* of the label among the features */
    for (int64_t j = 0; j < code->n_columns; j++) place += code->columns[j].position < code->label_position;
    for (int64_t j = 0; j < code->n_columns; j++) from[j] = j + (j >= place);
    *label = place;
}

static rung_status no_match(rung_ctx *ctx, const rung_table *t, const coding *code, bool labelled)
{
    return set_error(ctx, RUNG_EDATA,
                     "%s: %lld column%s, but the model was trained on %lld feature columns%s; unless both files "
                     "have column names, it must have these columns or all %lld of the training file",
                     t->path, (long long)t->n_columns, t->n_columns == 1 ? "" : "s", (long long)code->n_columns,
                     labelled ? " and a label" : "", (long long)code->file_columns);
}

static rung_status two_matches(rung_ctx *ctx, const rung_table *t, const coding *code)
{
    return set_error(ctx, RUNG_EDATA,
                     "%s: %lld columns without names may be those of the training file without its label, or without "
                     "the column that is no feature; give all %lld columns of the training file, or only its %lld "
                     "feature columns",
                     t->path, (long long)t->n_columns, (long long)code->file_columns, (long long)code->n_columns);
}

/* A file without names has the columns of the training file, all or without the label, or only its feature columns, or
 * those and the label. */
static rung_status match_positions(rung_ctx *ctx, const rung_table *t, const coding *code, int64_t *from,
                                   int64_t *label)
{
    int64_t n = code->n_columns;
    bool labelled = code->label_position >= 0, unlabelled = labelled && t->n_columns == code->file_columns - 1;
    *label = -1;
    if (t->n_columns == code->file_columns) {
        for (int64_t j = 0; j < n; j++) from[j] = code->columns[j].position;
        *label = code->label_position;
    } else if (t->n_columns == n) {
        for (int64_t j = 0; j < n; j++) from[j] = j;
    } else if (unlabelled && t->n_columns == n + 1) {
        return two_matches(ctx, t, code);
    } else if (unlabelled) {
        match_unlabelled(code, from);
    } else if (t->n_columns == n + 1 && labelled) {
        match_labelled(code, from, label);
    } else {
        return no_match(ctx, t, code, labelled);
    }
    return RUNG_OK;
}

bool coding_numbered(const coding *code)
{
    int64_t index;
    for (int64_t j = 0; j < code->n_columns; j++) {
        const char *name = code->columns[j].name;
        if (!text_integer(name, strlen(name), &index) || index < 1) return false;
    }
    return true;
}

/* A file of sparse rows numbers its columns, so they are the features one after the other; the label is the last. */
static void match_indices(const rung_table *t, const coding *code, int64_t *from, int64_t *label)
{
    for (int64_t j = 0; j < code->n_columns; j++) from[j] = j < t->n_columns - 1 ? j : -1;
    *label = code->label_position < 0 ? -1 : t->n_columns - 1;
}

rung_status coding_match(rung_ctx *ctx, const rung_table *t, const coding *code, int64_t *from, int64_t *label)
{
    bool names = code->has_names && t->has_names;
    if (names && (!t->sparse || coding_numbered(code))) return match_names(ctx, t, code, from, label);
    if (!t->sparse) return match_positions(ctx, t, code, from, label);
    match_indices(t, code, from, label);
    return RUNG_OK;
}

/* Weights, groups and marks of suggested rows, as the training file had them. */
static rung_status recode_roles(rung_ctx *ctx, const rung_table *t, const coding *code, rung_data *data)
{
    int64_t j;
    bool by_place = !code->has_names || !t->has_names;
    if ((code->weights || code->groups) && by_place && t->n_columns != code->file_columns)
        return set_error(
            ctx, RUNG_EDATA,
            "%s: %lld columns, but the training file had %lld: without names in both files it is not known "
            "which of them are the weights or groups of the rows",
            t->path, (long long)t->n_columns, (long long)code->file_columns);
    if (code->weights) {
        TRY(table_find(ctx, t, code->weights, "weights", &j));
        TRY(dataset_weights(ctx, t, j, data));
    }
    if (code->groups) {
        TRY(table_find(ctx, t, code->groups, "groups", &j));
        TRY(dataset_groups(ctx, t, j, data));
    }
    j = suggested_column(t);
    return j < 0 ? RUNG_OK : dataset_suggested(ctx, t, j, data);
}

static rung_status recode(rung_ctx *ctx, const rung_table *t, const coding *code, rung_labels labels, rung_data *data)
{
    int64_t *from = NULL, label;
    const coding *cells = coding_cells(code);
    TRY(NEW(ctx, &ctx->scratch, from, cells->n_columns));
    TRY(coding_copy(ctx, &data->mem, code, &data->code));
    TRY(coding_match(ctx, t, cells, from, &label));
    if (labels >= RUNG_LABELS_REQUIRED && code->label_position < 0)
        return set_error(ctx, RUNG_EDATA, "the model was trained without labels, so it cannot be compared with %s",
                         t->path);
    if (labels >= RUNG_LABELS_REQUIRED && label < 0)
        return set_error(ctx, RUNG_EDATA, "%s: no label column%s%.80s%s", t->path, code->label[0] ? " '" : "",
                         code->label, code->label[0] ? "'" : "");
    TRY(named_columns_for(ctx, t, cells, from, label, &t));
    TRY(dataset_rows(ctx, data, t->n_rows, cells->d));
    TRY(features_code(ctx, t, cells, from, data->X));
    if (code->derive) TRY(derive_known(ctx, t, data));
    if (labels != RUNG_LABELS_IGNORED && label >= 0) TRY(dataset_labels(ctx, t, label, data));
    return labels == RUNG_LABELS_UPDATE ? recode_roles(ctx, t, code, data) : RUNG_OK;
}

rung_status dataset_recode(rung_ctx *ctx, const rung_table *t, const coding *code, rung_labels labels, rung_data **out)
{
    rung_data *data;
    *out = NULL;
    TRY(dataset_open(ctx, &data));
    pool_mark mark = pool_here(&ctx->scratch);
    rung_status status = recode(ctx, t, code, labels, data);
    pool_release(&ctx->scratch, mark);
    return dataset_close(status, data, out);
}
