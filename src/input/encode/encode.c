// SPDX-License-Identifier: BSD-3-Clause
/* From a table to a data set: the role of each column, and the coding of the feature columns. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/memory.h"
#include "base/text.h"
#include "input/encode/column_kind.h"
#include "input/terms/derive_read.h"
#include "input/encode/features.h"
#include "input/terms/formula.h"
#include "input/encode/labels.h"
#include "input/encode/named_columns.h"
#include "input/terms/random_read.h"

typedef enum {
    ROLE_FEATURE,
    ROLE_IGNORED,
    ROLE_LABEL,
    ROLE_WEIGHT,
    ROLE_GROUP,
    ROLE_SUGGESTED,
    ROLE_HIDDEN,
    ROLE_LEVEL
} role;

static rung_status ignore_columns(rung_ctx *ctx, const rung_table *t, const char *const *list, role *roles)
{
    for (; list && *list; list++) {
        int64_t j;
        TRY(table_find(ctx, t, *list, "ignore", &j));
        roles[j] = ROLE_IGNORED;
    }
    return RUNG_OK;
}

/* A column that the file has but does not name, and in which nothing stands: what spreadsheets leave behind. */
static bool empty_column(const rung_table *t, int64_t j)
{
    const column *c = &t->columns[j];
    char position[32];
    snprintf(position, sizeof position, "column%lld", (long long)j + 1);
    if (strcmp(c->name, position) != 0) return false;
    for (int64_t i = 0; i < t->n_rows; i++)
        if (c->kind == COLUMN_NUMBER ? !isnan(c->number[i]) : c->text[i] >= 0) return false;
    return t->n_rows > 0;
}

/* A column named label, else the last one without another role; -1: there is none. */
static int64_t default_label(const rung_table *t, const role *roles)
{
    int64_t last = -1;
    for (int64_t j = 0; j < t->n_columns; j++) {
        if (roles[j] != ROLE_FEATURE) continue;
        if (text_equal(t->columns[j].name, "label")) return j;
        last = j;
    }
    return last;
}

static rung_status give_role(rung_ctx *ctx, const rung_table *t, role *roles, int64_t j, role which)
{
    static const char *const names[] = {"a feature",
                                        "ignored",
                                        "the label",
                                        "the weights",
                                        "the groups",
                                        "the suggested rows",
                                        "a part of a derived one",
                                        "a column of groups"};
    char label[COLUMN_LABEL];
    if (roles[j] != ROLE_FEATURE)
        return set_error(ctx, RUNG_EARG, "%s: column %s cannot be both %s and %s", t->path,
                         table_column_label(t, j, label), names[roles[j]], names[which]);
    roles[j] = which;
    return RUNG_OK;
}

/* What a suggestion wrote into a column: 1: chosen, 0: drawn at random, or not suggested at all; -1: something else. */
static int suggested_cell(const column *c, int64_t row)
{
    if (c->kind == COLUMN_NUMBER) return isnan(c->number[row]) ? 0 : -1;
    const char *text = c->text[row] < 0 ? "" : c->values[c->text[row]];
    return !strcmp(text, "chosen") ? 1 : !*text || !strcmp(text, "random") ? 0 : -1;
}

int64_t suggested_column(const rung_table *t)
{
    for (int64_t j = 0; j < t->n_columns; j++) {
        if (!text_equal(t->columns[j].name, "suggested")) continue;
        int64_t i = 0;
        while (i < t->n_rows && suggested_cell(&t->columns[j], i) >= 0) i++;
        if (i == t->n_rows) return j;
    }
    return -1;
}

static rung_status assign_roles(rung_ctx *ctx, const rung_table *t, const rung_encode_options *options, role *roles,
                                int64_t *label, int64_t *weights, int64_t *groups, int64_t *suggested)
{
    *label = *weights = *groups = -1;
    *suggested = suggested_column(t);
    if (*suggested >= 0) roles[*suggested] = ROLE_SUGGESTED;
    for (int64_t j = 0; j < t->n_columns; j++)
        if (roles[j] == ROLE_FEATURE && empty_column(t, j)) roles[j] = ROLE_IGNORED;
    TRY(ignore_columns(ctx, t, options->ignore, roles));
    for (int64_t j = 0; options->left_out && j < t->n_columns; j++)
        if (options->left_out[j]) roles[j] = ROLE_IGNORED;
    if (options->weights) {
        TRY(table_find(ctx, t, options->weights, "weights", weights));
        TRY(give_role(ctx, t, roles, *weights, ROLE_WEIGHT));
    }
    if (options->groups) {
        TRY(table_find(ctx, t, options->groups, "groups", groups));
        TRY(give_role(ctx, t, roles, *groups, ROLE_GROUP));
    }
    if (options->unlabelled && options->label)
        return set_error(ctx, RUNG_EARG, "a label column, '%.80s', of data said to have none", options->label);
    if (options->unlabelled) return RUNG_OK;
    if (options->label_place < 0 || options->label_place > t->n_columns)
        return set_error(ctx, RUNG_EARG, "%s: there is no column %lld", t->path, (long long)options->label_place);
    if (options->label_place > 0)
        *label = options->label_place - 1;
    else if (options->label)
        TRY(table_find(ctx, t, options->label, "label", label));
    else
        *label = default_label(t, roles);
    return *label < 0 ? RUNG_OK : give_role(ctx, t, roles, *label, ROLE_LABEL);
}

/* A column that the file declares to hold the weights of the rows is no feature; whether it is used the caller says. */
static void leave_weights(rung_ctx *ctx, const rung_table *t, const column_option *said, role *roles)
{
    char label[COLUMN_LABEL], detail[OPTION_DETAIL];
    for (int64_t j = 0; j < t->n_columns; j++) {
        if (!t->columns[j].declared_weights || roles[j] != ROLE_FEATURE || said[j].kind != OPTION_NONE) continue;
        roles[j] = ROLE_IGNORED;
        log_hint(
            ctx, RUNG_LOG_WARNING, option_detail(t, j, "weights numeric", detail),
            "%s: the file declares column %s to be the weights of its rows; it is left out and the weights are not "
            "used; say so to use them, or declare it numeric to have it as a feature",
            t->path, table_column_label(t, j, label));
    }
}

/* What is left out as a feature may still be what others are derived from. */
static rung_status hide_columns(rung_ctx *ctx, const rung_table *t, const derive_wish *wish, role *roles)
{
    for (int64_t j = 0; wish->used && j < t->n_columns; j++) {
        if (!wish->used[j] || roles[j] == ROLE_FEATURE) continue;
        if (roles[j] == ROLE_IGNORED) roles[j] = ROLE_FEATURE;
        TRY(give_role(ctx, t, roles, j, ROLE_HIDDEN));
    }
    return RUNG_OK;
}

/* Columns of groups are no features, and their groups are held out together unless the caller says otherwise. */
static rung_status level_columns(rung_ctx *ctx, const rung_table *t, const rung_encode_options *options,
                                 const random_wish *wish, role *roles, int64_t *groups)
{
    for (int64_t j = 0; j < t->n_columns; j++) {
        if (!wish->level[j]) continue;
        if (roles[j] == ROLE_IGNORED || roles[j] == ROLE_GROUP) roles[j] = ROLE_FEATURE;
        TRY(give_role(ctx, t, roles, j, ROLE_LEVEL));
    }
    if (*groups < 0 && !options->known_groups) *groups = random_outer(wish);
    return RUNG_OK;
}

rung_status dataset_label_column(rung_ctx *ctx, const rung_table *t, const rung_encode_options *options, int64_t *out)
{
    role *roles = NULL;
    int64_t weights, groups, suggested;
    TRY(NEW(ctx, &ctx->scratch, roles, t->n_columns));
    return assign_roles(ctx, t, options, roles, out, &weights, &groups, &suggested);
}

static rung_status check_missing(rung_ctx *ctx, const rung_table *t, int64_t j)
{
    const column *c = &t->columns[j];
    for (int64_t i = 0; i < t->n_rows; i++)
        if (c->kind == COLUMN_NUMBER ? isnan(c->number[i]) && c->odd_row < 0 : c->text[i] < 0) {
            char label[COLUMN_LABEL];
            return set_error(ctx, RUNG_EDATA,
                             "%s, line %lld, column %s: the value is missing, and missing values are not allowed",
                             table_path(t, i), (long long)table_line(t, i), table_column_label(t, j, label));
        }
    return RUNG_OK;
}

typedef struct {
    const rung_table *t;
    const rung_encode_options *options;
    const role *roles;
    coding *code;
    int64_t *from;
} learner;

static rung_status learn_column(rung_ctx *ctx, pool *mem, learner *l, int64_t j, const column_option *said,
                                column_use *use)
{
    column_code *c = &l->code->columns[l->code->n_columns];
    TRY(interrupted(ctx));
    *c = (column_code){.position = j, .first = l->code->d, .hidden = l->roles[j] == ROLE_HIDDEN};
    if (l->roles[j] == ROLE_LEVEL)
        TRY(column_levels(ctx, mem, l->t, j, c));
    else
        TRY(column_kind_of(ctx, mem, l->t, j, said, c, use));
    if (*use != USE_FEATURE) return RUNG_OK;
    if (l->options->missing_error) TRY(check_missing(ctx, l->t, j));
    TRY(pool_text(ctx, mem, l->t->columns[j].name, &c->name));
    l->code->d += column_width(c);
    l->from[l->code->n_columns++] = j;
    return RUNG_OK;
}

/* Decimal commas in one column make the points of another ambiguous, unless the caller says what it is. */
static rung_status check_points(rung_ctx *ctx, const rung_table *t, const coding *code, const column_option *said)
{
    bool commas = false;
    for (int64_t k = 0; k < code->n_columns; k++) commas = commas || code->columns[k].form == FORM_COMMA;
    for (int64_t k = 0; k < code->n_columns && commas && t->decimal != ','; k++) {
        int64_t j = code->columns[k].position;
        if (t->columns[j].kind == COLUMN_NUMBER && said[j].kind == OPTION_NONE) TRY(column_points_check(ctx, t, j));
    }
    return RUNG_OK;
}

/* Words for missing cells, in columns of numbers and among the labels. */
static void tell_missing_words(rung_ctx *ctx, const rung_table *t, const coding *code, int64_t label)
{
    int64_t cells = 0, columns = 0;
    const char *word = NULL, *first = NULL;
    char name[COLUMN_LABEL], where[COLUMN_LABEL] = "";
    for (int64_t k = 0; k < code->n_columns; k++) {
        int64_t j = code->columns[k].position, more = 0;
        if (!code->columns[k].nominal && code->columns[k].form != FORM_ORDINAL && code->columns[k].form != FORM_LEVEL)
            more = column_missing_words(t, j, &word);
        if (more > 0 && cells == 0) first = word, table_column_label(t, j, where);
        cells += more;
        columns += more > 0;
    }
    if (columns == 1)
        log_at(ctx, RUNG_LOG_WARNING, "%s: %lld cell%s of column %s such as '%.40s' %s read as missing", t->path,
               (long long)cells, cells == 1 ? "" : "s", where, first, cells == 1 ? "is" : "are");
    if (columns > 1)
        log_at(ctx, RUNG_LOG_WARNING,
               "%s: %lld cells of %lld columns, such as '%.40s' in column %s, are read as missing", t->path,
               (long long)cells, (long long)columns, first, where);
    if (label < 0 || t->columns[label].kind != COLUMN_NUMBER || t->columns[label].marks == 0) return;
    log_at(ctx, RUNG_LOG_WARNING, "%s, column %s: %lld label%s such as '%.40s' %s read as missing", t->path,
           table_column_label(t, label, name), (long long)t->columns[label].marks,
           t->columns[label].marks == 1 ? "" : "s", t->columns[label].mark,
           t->columns[label].marks == 1 ? "is" : "are");
}

static rung_status learn_coding(rung_ctx *ctx, pool *mem, const rung_table *t, const rung_encode_options *options,
                                const role *roles, int64_t label, coding *code, int64_t *from)
{
    column_option *said;
    column_use *use = NULL, ignored;
    learner l = {.t = t, .options = options, .roles = roles, .code = code, .from = from};
    *code = (coding){.has_names = t->has_names, .label_position = label, .file_columns = t->n_columns};
    code->decimal = t->given_decimal == ',' ? ',' : 0;
    bool letter = t->given_delimiter == '\t' || (t->given_delimiter >= ' ' && t->given_delimiter < 127);
    code->delimiter = letter ? t->given_delimiter : 0;
    TRY(pool_text(ctx, mem, label >= 0 ? t->columns[label].name : "", &code->label));
    TRY(NEW(ctx, mem, code->columns, t->n_columns));
    TRY(NEW(ctx, &ctx->scratch, use, t->n_columns));
    TRY(column_options(ctx, t, options, &said));
    for (int64_t j = 0; j < t->n_columns; j++)
        if (roles[j] == ROLE_FEATURE || roles[j] == ROLE_HIDDEN || roles[j] == ROLE_LEVEL)
            TRY(learn_column(ctx, mem, &l, j, &said[j], &use[j]));
    TRY(check_points(ctx, t, code, said));
    tell_missing_words(ctx, t, code, label);
    bool others = code->n_columns > 0; /* without them a column that counts the rows is what there is to learn from */
    for (int64_t j = 0; j < t->n_columns; j++) {
        if (use[j] != USE_COUNTER) continue;
        if (others)
            column_counts_warn(ctx, t, j);
        else
            TRY(learn_column(ctx, mem, &l, j, &(column_option){.kind = OPTION_NUMERIC}, &ignored));
    }
    if (code->n_columns == 0)
        return set_error(ctx, RUNG_EDATA,
                         "%s: no feature column remains besides the label and the columns that are left out", t->path);
    return RUNG_OK;
}

static rung_status check_label_options(rung_ctx *ctx, const rung_table *t, const rung_encode_options *options,
                                       int64_t label)
{
    if (!options->real && !options->bins) return RUNG_OK;
    if (options->real && options->bins) return set_error(ctx, RUNG_EARG, "real targets and bins exclude each other");
    if (options->order)
        return set_error(ctx, RUNG_EARG, "an order of classes and %s exclude each other",
                         options->real ? "real targets" : "bins");
    if (!options->real && (options->bins < 2 || options->bins > MOST_NUMERIC_CLASSES))
        return set_error(ctx, RUNG_EARG, "%d bins: expected 2 to %d", options->bins, MOST_NUMERIC_CLASSES);
    if (label < 0)
        return set_error(ctx, RUNG_EARG, "%s: %s need a label column", t->path,
                         options->real ? "real targets" : "bins");
    return RUNG_OK;
}

static rung_status learn_bins(rung_ctx *ctx, pool *mem, const rung_table *t, const rung_encode_options *options,
                              int64_t label, coding *code)
{
    double *target = NULL;
    int n_edges;
    TRY(NEW_RAW(ctx, &ctx->scratch, target, t->n_rows));
    TRY(labels_targets(ctx, t, label, target));
    TRY(bins_cut(ctx, mem, t->n_rows, target, options->bins, options->bins_width != 0, &n_edges, &code->edges));
    code->n_classes = n_edges + 1;
    if (code->n_classes < options->bins) {
        char name[COLUMN_LABEL];
        log_at(ctx, RUNG_LOG_WARNING, "%s, column %s: %d classes instead of %d, because equal values are never split",
               t->path, table_column_label(t, label, name), code->n_classes, options->bins);
    }
    return bins_names(ctx, mem, n_edges, code->edges, &code->classes);
}

static rung_status learn_classes(rung_ctx *ctx, pool *mem, const rung_table *t, const rung_encode_options *options,
                                 int64_t label, coding *code)
{
    TRY(check_label_options(ctx, t, options, label));
    code->real = options->real != 0;
    if (options->real) return RUNG_OK;
    if (options->bins) return learn_bins(ctx, mem, t, options, label, code);
    return labels_classes(ctx, mem, t, label >= 0, &label, options->order, &code->n_classes, &code->classes);
}

static int rank_of_target(double x, int n_classes, const double *edges)
{
    int rank = 1;
    while (rank < n_classes && x > edges[rank - 1]) rank++;
    return rank;
}

rung_status dataset_labels(rung_ctx *ctx, const rung_table *t, int64_t label, rung_data *data)
{
    const coding *code = &data->code;
    if (!code->real && !code->edges)
        return labels_ranks(ctx, t, label, code->n_classes, code->classes, &data->mem, data->y, &data->upper);
    double *target = NULL;
    TRY(NEW_RAW(ctx, code->real ? &data->mem : &ctx->scratch, target, t->n_rows));
    TRY(labels_targets(ctx, t, label, target));
    if (code->real) data->target = target;
    for (int64_t i = 0; code->edges && i < t->n_rows; i++)
        data->y[i] = isnan(target[i]) ? 0 : rank_of_target(target[i], code->n_classes, code->edges);
    return RUNG_OK;
}

/* How the texts of a column of numbers are written; with semicolons between the cells commas are decimal ones. */
static column_form weights_form(const rung_table *t, const column *c)
{
    column_form form = FORM_PLAIN;
    bool unclear = false;
    if (c->kind == COLUMN_NUMBER || !form_of_numbers(c->n_values, c->values, &form, &unclear)) return FORM_PLAIN;
    return !unclear ? form : t->semicolons || t->decimal == ',' ? FORM_COMMA : FORM_PLAIN;
}

rung_status dataset_weights(rung_ctx *ctx, const rung_table *t, int64_t j, rung_data *data)
{
    const column *c = &t->columns[j];
    char label[COLUMN_LABEL];
    column_form form = weights_form(t, c);
    table_column_label(t, j, label);
    TRY(NEW_RAW(ctx, &data->mem, data->weight, t->n_rows));
    for (int64_t i = 0; i < t->n_rows; i++) {
        double x = NAN;
        if (c->kind == COLUMN_NUMBER)
            x = c->number[i];
        else if (c->text[i] >= 0 &&
                 !text_number(c->values[c->text[i]], strlen(c->values[c->text[i]]), t->decimal, &x) &&
                 !(form != FORM_PLAIN && form_number(c->values[c->text[i]], form, &x)))
            x = NAN;
        if (!isfinite(x) || x < 0)
            return set_error(ctx, RUNG_EDATA, "%s, line %lld, column %s: a weight must be a finite number >= 0",
                             table_path(t, i), (long long)table_line(t, i), label);
        data->weight[i] = x;
    }
    return RUNG_OK;
}

/* The place of the first value that is not below x. */
static int64_t place_of(int64_t n, const double *sorted, double x)
{
    int64_t low = 0, high = n;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (sorted[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A number per value in increasing order, not dense; -1: missing. */
static rung_status number_groups(rung_ctx *ctx, int64_t n, const double *number, rung_data *data)
{
    double *sorted = NULL;
    int64_t known = 0;
    TRY(NEW_RAW(ctx, &ctx->scratch, sorted, n));
    for (int64_t i = 0; i < n; i++)
        if (!isnan(number[i])) sorted[known++] = number[i];
    qsort(sorted, (size_t)known, sizeof *sorted, compare_numbers);
    TRY(NEW(ctx, &data->mem, data->group_names, known));
    data->n_group_names = (int)known;
    for (int64_t i = 0; i < n; i++) {
        char name[32];
        int g = data->group[i] = isnan(number[i]) ? -1 : (int)place_of(known, sorted, number[i]);
        if (g < 0 || data->group_names[g]) continue;
        name[text_format(number[i] == 0 ? 0 : number[i], name)] = 0; /* -0 is 0 */
        TRY(pool_text(ctx, &data->mem, name, &data->group_names[g]));
    }
    return RUNG_OK;
}

rung_status dataset_groups(rung_ctx *ctx, const rung_table *t, int64_t j, rung_data *data)
{
    const column *c = &t->columns[j];
    TRY(NEW_RAW(ctx, &data->mem, data->group, t->n_rows));
    if (c->kind == COLUMN_NUMBER) {
        TRY(number_groups(ctx, t->n_rows, c->number, data));
    } else {
        TRY(NEW(ctx, &data->mem, data->group_names, c->n_values));
        data->n_group_names = (int)c->n_values;
        for (int64_t k = 0; k < c->n_values; k++) TRY(pool_text(ctx, &data->mem, c->values[k], &data->group_names[k]));
        for (int64_t i = 0; i < t->n_rows; i++) {
            const char *text = c->text[i] < 0 ? "" : c->values[c->text[i]];
            data->group[i] = cell_says_missing(text, strlen(text), false) ? -1 : c->text[i];
        }
    }
    int alone = data->n_group_names;
    for (int64_t i = 0; i < t->n_rows; i++)
        if (data->group[i] < 0) data->group[i] = alone++;
    return RUNG_OK;
}

rung_status dataset_suggested(rung_ctx *ctx, const rung_table *t, int64_t j, rung_data *data)
{
    TRY(NEW_RAW(ctx, &data->mem, data->chosen, t->n_rows));
    for (int64_t i = 0; i < t->n_rows; i++) data->chosen[i] = suggested_cell(&t->columns[j], i);
    return RUNG_OK;
}

/* By which the column is found in another file: its name, whatever its place there; without names its place. */
rung_status column_key(rung_ctx *ctx, pool *mem, const rung_table *t, int64_t j, const char **out)
{
    return t->has_names ? pool_text(ctx, mem, t->columns[j].name, out)
                        : pool_printf(ctx, mem, out, "%lld", (long long)j + 1);
}

/* The table with the names of its numbers where they are classes, groups or categories. */
static rung_status take_names(rung_ctx *ctx, const rung_encode_options *options, role *roles, const rung_table **t)
{
    named_as *as = NULL;
    column_option *said;
    TRY(NEW(ctx, &ctx->scratch, as, (*t)->n_columns));
    TRY(column_options(ctx, *t, options, &said));
    leave_weights(ctx, *t, said, roles);
    for (int64_t j = 0; j < (*t)->n_columns; j++) {
        if (roles[j] == ROLE_LABEL && !options->real && !options->bins) as[j] = NAMED_AS_CLASSES;
        if (roles[j] == ROLE_GROUP) as[j] = NAMED_AS_TEXT;
        if (roles[j] == ROLE_FEATURE || roles[j] == ROLE_HIDDEN) TRY(named_feature(ctx, *t, j, &said[j], &as[j]));
    }
    return named_columns(ctx, *t, as, t);
}

static rung_status encode(rung_ctx *ctx, const rung_table *t, const rung_encode_options *given, rung_data *data)
{
    rung_encode_options said;
    const rung_encode_options *options = &said;
    role *roles = NULL;
    int64_t label, weights, groups, suggested, *from = NULL;
    coding *code = &data->code;
    derive_wish wish;
    random_wish random;
    TRY(NEW(ctx, &ctx->scratch, roles, t->n_columns));
    TRY(NEW(ctx, &ctx->scratch, from, t->n_columns));
    TRY(formula_options(ctx, t, given, &said));
    TRY(derive_wishes(ctx, t, options->derive, &wish));
    TRY(assign_roles(ctx, t, options, roles, &label, &weights, &groups, &suggested));
    TRY(random_wishes(ctx, t, options->random, &random));
    TRY(level_columns(ctx, t, options, &random, roles, &groups));
    TRY(hide_columns(ctx, t, &wish, roles));
    TRY(take_names(ctx, options, roles, &t));
    TRY(learn_coding(ctx, &data->mem, t, options, roles, label, code, from));
    TRY(learn_classes(ctx, &data->mem, t, options, label, code));
    TRY(dataset_rows(ctx, data, t->n_rows, code->d));
    TRY(features_code(ctx, t, code, from, data->X));
    if (label >= 0) TRY(dataset_labels(ctx, t, label, data));
    if (groups >= 0) TRY(dataset_groups(ctx, t, groups, data));
    if (options->groups) TRY(column_key(ctx, &data->mem, t, groups, &code->groups));
    if (weights >= 0) TRY(column_key(ctx, &data->mem, t, weights, &code->weights));
    if (suggested >= 0) TRY(dataset_suggested(ctx, t, suggested, data));
    if (weights >= 0) TRY(dataset_weights(ctx, t, weights, data));
    TRY(coding_fills(ctx, data));
    if (wish.n > 0) TRY(derive_learn(ctx, t, &wish, from, data));
    return random_learn(ctx, &data->mem, t, &random, code);
}

rung_status dataset_encode(rung_ctx *ctx, const rung_table *t, const rung_encode_options *options, rung_data **out)
{
    static const rung_encode_options standard = {0};
    rung_data *data;
    *out = NULL;
    TRY(dataset_open(ctx, &data));
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t held = ctx->held;
    memory_hold(ctx, t->mem.bytes);
    rung_status status = encode(ctx, t, options ? options : &standard, data);
    ctx->held = held;
    pool_release(&ctx->scratch, mark);
    return dataset_close(status, data, out);
}
