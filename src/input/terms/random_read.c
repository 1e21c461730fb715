// SPDX-License-Identifier: BSD-3-Clause
#include "input/terms/random_read.h"

#include <ctype.h>
#include <string.h>

enum { NAME = 512 };

typedef struct {
    rung_ctx *ctx;
    const rung_table *t;
    const char *whole; /* what the caller wrote */
    random_wish *out;
} reader;

static rung_status unreadable(const reader *r, const char *why)
{
    return hint(r->ctx,
                set_error(r->ctx, RUNG_EARG,
                          "the random term '%.80s' %s: expected columns of groups, such as judge, school/class or "
                          "(temp | judge)",
                          r->whole, why),
                "option random_effects");
}

/* Without the spaces around it. */
static void trimmed(const char *from, const char *to, char out[NAME])
{
    while (from < to && isspace((unsigned char)*from)) from++;
    while (to > from && isspace((unsigned char)to[-1])) to--;
    if (to - from > 1 && *from == '`' && to[-1] == '`') from++, to--;
    size_t length = (size_t)(to - from) < NAME ? (size_t)(to - from) : NAME - 1;
    memcpy(out, from, length);
    out[length] = 0;
}

static bool is_column(const rung_table *t, const char *name)
{
    for (int64_t j = 0; j < t->n_columns; j++)
        if (strcmp(t->columns[j].name, name) == 0) return true;
    return false;
}

/* Takes the part of *text before a mark off it; false: nothing is left. A name of a column is one part, whatever marks
 * it has. */
static bool next_part(const reader *r, const char **text, char mark, char out[NAME])
{
    const char *end;
    if (!*text) return false;
    trimmed(*text, *text + strlen(*text), out);
    end = is_column(r->t, out) ? NULL : strchr(*text, mark);
    if (end) trimmed(*text, end, out);
    *text = end ? end + 1 : NULL;
    return true;
}

static rung_status read_slopes(const reader *r, const char *text, random_term *out)
{
    char name[NAME];
    while (next_part(r, &text, '+', name)) {
        if (strcmp(name, "1") == 0) continue;
        if (strcmp(name, "0") == 0 || strcmp(name, "-1") == 0)
            return unreadable(r, "leaves out the intercept, which every group has");
        if (!*name) return unreadable(r, "lacks a column");
        if (out->n_slopes == RANDOM_SLOPES) return unreadable(r, "has too many slopes");
        TRY(table_find(r->ctx, r->t, name, "random", &out->slope[out->n_slopes++]));
    }
    return RUNG_OK;
}

static rung_status add_factor(const reader *r, const char *text, random_term *out)
{
    char name[NAME];
    while (next_part(r, &text, ':', name)) {
        if (!*name) return unreadable(r, "lacks a column");
        if (out->n_factors == RANDOM_FACTORS) return unreadable(r, "has too many columns of groups");
        TRY(table_find(r->ctx, r->t, name, "random", &out->factor[out->n_factors]));
        r->out->level[out->factor[out->n_factors++]] = true;
    }
    return RUNG_OK;
}

/* a/b: the groups of a, and in each of them those of b. */
static rung_status read_groups(const reader *r, const char *text, random_term *term)
{
    char name[NAME];
    while (next_part(r, &text, '/', name)) {
        TRY(add_factor(r, name, term));
        if (r->out->n == RANDOM_TERMS) return unreadable(r, "is one too many");
        r->out->term[r->out->n++] = *term;
    }
    return RUNG_OK;
}

static rung_status read_term(const reader *r)
{
    char text[NAME];
    const char *bar;
    random_term term = {0};
    trimmed(r->whole, r->whole + strlen(r->whole), text);
    size_t length = strlen(text);
    if (is_column(r->t, text)) return read_groups(r, text, &term);
    if (text[0] == '(' && text[length - 1] == ')') {
        memmove(text, text + 1, length - 2);
        text[length - 2] = 0;
    }
    bar = strchr(text, '|');
    if (!bar) return read_groups(r, text, &term);
    if (bar[1] == '|') return unreadable(r, "has uncorrelated slopes, which mixed does not know");
    text[bar - text] = 0;
    TRY(read_slopes(r, text, &term));
    return read_groups(r, bar + 1, &term);
}

static bool same(const random_term *a, const random_term *b)
{
    if (a->n_factors != b->n_factors) return false;
    for (int k = 0; k < a->n_factors; k++)
        if (a->factor[k] != b->factor[k]) return false;
    return true;
}

rung_status random_wishes(rung_ctx *ctx, const rung_table *t, const char *const *wanted, random_wish *out)
{
    *out = (random_wish){0};
    TRY(NEW(ctx, &ctx->scratch, out->level, t->n_columns));
    for (; wanted && *wanted; wanted++) {
        const reader r = {ctx, t, *wanted, out};
        TRY(read_term(&r));
    }
    for (int i = 0; i < out->n; i++)
        for (int l = 0; l < i; l++)
            if (same(&out->term[i], &out->term[l]))
                return hint(ctx, set_error(ctx, RUNG_EARG, "the groups of two random terms are the same"),
                            "option random_effects");
    return RUNG_OK;
}

static rung_status place(rung_ctx *ctx, const rung_table *t, const coding *code, int64_t *at)
{
    char label[COLUMN_LABEL];
    for (int64_t j = 0; j < code->n_columns; j++)
        if (!code->columns[j].derived && code->columns[j].position == *at) {
            *at = j;
            return RUNG_OK;
        }
    return set_error(ctx, RUNG_EARG, "%s: column %s has a random slope, but is not read as a feature", t->path,
                     table_column_label(t, *at, label));
}

rung_status random_learn(rung_ctx *ctx, pool *mem, const rung_table *t, const random_wish *wish, coding *code)
{
    code->n_random = wish->n;
    TRY(NEW(ctx, mem, code->random, wish->n));
    for (int i = 0; i < wish->n; i++) {
        random_term *term = &code->random[i];
        *term = wish->term[i];
        for (int k = 0; k < term->n_factors; k++) TRY(place(ctx, t, code, &term->factor[k]));
        for (int k = 0; k < term->n_slopes; k++) TRY(place(ctx, t, code, &term->slope[k]));
    }
    return random_check(ctx, code, RUNG_EARG);
}

int64_t random_outer(const random_wish *wish)
{
    if (wish->n == 0 || wish->term[0].n_factors != 1) return -1;
    for (int i = 1; i < wish->n; i++) {
        bool within = false;
        for (int k = 0; k < wish->term[i].n_factors; k++)
            within = within || wish->term[i].factor[k] == wish->term[0].factor[0];
        if (!within) return -1;
    }
    return wish->term[0].factor[0];
}
