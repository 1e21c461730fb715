// SPDX-License-Identifier: BSD-3-Clause
#include "input/encode/column_options.h"

#include <stdio.h>
#include <string.h>

#include "input/encode/order.h"

const char *option_name(const rung_table *t, int64_t j, char name[OPTION_NAME])
{
    if (*t->columns[j].name)
        snprintf(name, OPTION_NAME, "%s", t->columns[j].name);
    else
        snprintf(name, OPTION_NAME, "%lld", (long long)j + 1);
    return name;
}

const char *option_detail(const rung_table *t, int64_t j, const char *options, char detail[OPTION_DETAIL])
{
    char name[OPTION_NAME];
    size_t used = 0;
    option_name(t, j, name);
    for (const char *p = options; *p;) {
        size_t length = strcspn(p, " ");
        used += (size_t)snprintf(detail + used, OPTION_DETAIL - used, "%soption %.*s=%s", used ? "\n" : "", (int)length,
                                 p, name);
        p += length + (p[length] == ' ');
    }
    return detail;
}

/* Into the scratch pool, to be cut up. */
static rung_status copy_text(rung_ctx *ctx, const char *text, char **out)
{
    size_t size = strlen(text) + 1;
    TRY(pool_alloc_raw(ctx, &ctx->scratch, (int64_t)size, 1, "a list of columns", (void **)out));
    memcpy(*out, text, size);
    return RUNG_OK;
}

static char *trimmed(char *text)
{
    while (*text == ' ') text++;
    for (char *end = text + strlen(text); end > text && end[-1] == ' ';) *--end = 0;
    return text;
}

/* The column called text gets this kind; it must not have one. */
static rung_status say(rung_ctx *ctx, const rung_table *t, const char *text, const char *option, option_kind kind,
                       column_option *all, column_option **out)
{
    int64_t j;
    char label[COLUMN_LABEL];
    TRY(table_find(ctx, t, text, option, &j));
    if (all[j].kind != OPTION_NONE)
        return set_error(ctx, RUNG_EARG, "%s: column %s is said to be of two kinds", t->path,
                         table_column_label(t, j, label));
    all[j].kind = kind;
    *out = &all[j];
    return RUNG_OK;
}

static bool is_column(const rung_table *t, const char *name)
{
    for (int64_t j = 0; j < t->n_columns; j++)
        if (strcmp(t->columns[j].name, name) == 0) return true;
    return false;
}

/* How a column is coded, behind the last '=' of an entry that is not a name itself: day=cyclic, dose=none; NULL: it is
 * not said. */
static char *way_of(const rung_table *t, option_kind kind, char *entry)
{
    char *way = kind != OPTION_NUMERIC && !is_column(t, entry) ? strrchr(entry, '=') : NULL;
    if (way) *way++ = 0;
    return way ? trimmed(way) : NULL;
}

/* COLUMN or COLUMN=WAY */
static rung_status say_one(rung_ctx *ctx, const rung_table *t, const char *text, option_kind kind, column_option *all)
{
    static const char *const options[] = {"", "nominal", "numeric", "ordinal", "dates"};
    char *copy;
    column_option *one = NULL;
    TRY(copy_text(ctx, text, &copy));
    char *way = way_of(t, kind, copy), *name = way ? trimmed(copy) : copy;
    TRY(say(ctx, t, name, options[kind], kind, all, &one));
    if (!way) return RUNG_OK;
    if (kind == OPTION_NOMINAL) return one->reference = way, RUNG_OK;
    one->cyclic = strcmp(way, "cyclic") == 0;
    one->has_order = date_order_find(way, &one->order);
    if (one->cyclic || one->has_order || strcmp(way, "days") == 0) return RUNG_OK;
    return set_error(ctx, RUNG_EARG,
                     "dates of column '%.80s': '%.40s' is not one of days, cyclic, ymd, dmy, mdy, compact", name, way);
}

/* COLUMN=low<mid<high */
static rung_status say_ordinal(rung_ctx *ctx, const rung_table *t, const char *text, column_option *all)
{
    char *copy, *equals;
    column_option *one = NULL;
    TRY(copy_text(ctx, text, &copy));
    equals = strchr(copy, '=');
    if (!equals || !strchr(equals, '<'))
        return set_error(ctx, RUNG_EARG, "'%.80s' is no ordered column: expected COLUMN=low<mid<high", text);
    *equals++ = 0;
    TRY(say(ctx, t, trimmed(copy), "ordinal", OPTION_ORDINAL, all, &one));
    int n;
    TRY(order_parse(ctx, &ctx->scratch, equals, &n, &one->words));
    one->n_words = n;
    for (int k = 0; k < n; k++)
        for (int l = 0; l < k; l++)
            if (strcmp(one->words[k], one->words[l]) == 0)
                return set_error(ctx, RUNG_EARG, "'%.80s' stands twice in the order of column '%.80s'", one->words[k],
                                 copy);
    return RUNG_OK;
}

rung_status column_options(rung_ctx *ctx, const rung_table *t, const rung_encode_options *options, column_option **out)
{
    TRY(pool_alloc(ctx, &ctx->scratch, t->n_columns, sizeof **out, "what is said of columns", (void **)out));
    for (const char *const *p = options->nominal; p && *p; p++) TRY(say_one(ctx, t, *p, OPTION_NOMINAL, *out));
    for (const char *const *p = options->numeric; p && *p; p++) TRY(say_one(ctx, t, *p, OPTION_NUMERIC, *out));
    for (const char *const *p = options->dates; p && *p; p++) TRY(say_one(ctx, t, *p, OPTION_DATE, *out));
    for (const char *const *p = options->ordinal; p && *p; p++) TRY(say_ordinal(ctx, t, *p, *out));
    return RUNG_OK;
}
