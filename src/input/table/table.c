// SPDX-License-Identifier: BSD-3-Clause
#include "input/table/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

rung_status table_new(rung_ctx *ctx, const char *path, rung_table **out)
{
    rung_table *t = *out = object_new(ctx, sizeof *t);
    if (!t) return set_error(ctx, RUNG_ENOMEM, "out of memory: a table");
    rung_status status = pool_text(ctx, &t->mem, strcmp(path, "-") == 0 ? "standard input" : path, &t->path);
    if (status != RUNG_OK) {
        table_free(t);
        *out = NULL;
    }
    return status;
}

void table_free(rung_table *t)
{
    if (!t) return;
    pool_free_all(&t->mem);
    object_free(t);
}

const char *table_path(const rung_table *t, int64_t row)
{
    const char *path = t->path;
    for (int64_t k = 0; k < t->n_parts && t->part[k].first <= row; k++) path = t->part[k].path;
    return path;
}

int64_t table_line(const rung_table *t, int64_t row)
{
    return t->later_line ? t->later_line[row] : t->first_line + row;
}

const char *table_column_label(const rung_table *t, int64_t j, char label[COLUMN_LABEL])
{
    if (t->columns[j].name[0])
        snprintf(label, COLUMN_LABEL, "'%.80s'", t->columns[j].name);
    else
        snprintf(label, COLUMN_LABEL, "%lld", (long long)j + 1);
    return label;
}

int64_t table_cell(const rung_table *t, int64_t row, int64_t j, char *text, int64_t size)
{
    const column *c = &t->columns[j];
    char number[32] = "";
    const char *cell = number;
    if (c->kind == COLUMN_TEXT)
        cell = c->text[row] < 0 ? "" : c->values[c->text[row]];
    else if (!isnan(c->number[row]))
        text_format(c->number[row], number);
    if (size > 0) snprintf(text, (size_t)size, "%s", cell);
    return (int64_t)strlen(cell);
}

void table_list(char list[TABLE_LIST], const char *separator, const char *text)
{
    size_t used = strlen(list), gap = strlen(separator);
    if (used >= 3 && strcmp(list + used - 3, "...") == 0) return;
    if (used + gap + strlen(text) + gap + sizeof "..." <= TABLE_LIST)
        snprintf(list + used, TABLE_LIST - used, "%s%s", used ? separator : "", text);
    else
        snprintf(list + used, TABLE_LIST - used, "%s...", used ? separator : "");
}

bool cell_missing(const char *text, size_t length)
{
    if (length == 0) return true;
    if (length == 1) return text[0] == '?';
    return length == 2 && (text[0] == 'N' || text[0] == 'n') && (text[1] == 'A' || text[1] == 'a');
}

static bool one_of(const char *text, size_t length, int n, const char *const *words)
{
    char copy[24];
    if (length >= sizeof copy) return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    for (int i = 0; i < n; i++)
        if ((*copy | 0x20) == (*words[i] | 0x20) && text_equal(copy, words[i])) return true; /* most differ at once */
    return false;
}

bool cell_says_missing(const char *text, size_t length, bool among_numbers)
{
    static const char *const anywhere[] = {"N/A",   "n.a.",    "#N/A",  "#N/A N/A", "<NA>",   "NULL",         "#DIV/0!",
                                           "#REF!", "#VALUE!", "#NUM!", "#NAME?",   "#NULL!", "#GETTING_DATA"};
    static const char *const instead[] = {"-",   "--", "---",     "\u2013",  "\u2014",        ".",     "n.d.",
                                          "n.d", "nd", "missing", "unknown", "not available", "n. d.", "n. a."};
    if (length == 0) return false;
    return one_of(text, length, sizeof anywhere / sizeof *anywhere, anywhere) ||
           (among_numbers && one_of(text, length, sizeof instead / sizeof *instead, instead));
}

bool cell_truth(const char *text, size_t length, double *out)
{
    static const char *const words[] = {"false", "true"};
    *out = length == 4;
    return (length == 4 || length == 5) && one_of(text, length, 1, &words[length == 4]);
}

enum { NEAR = 3, LISTED = 10 };

/* The names closest to text, best first, without those that share too little with it; returns how many. */
static int nearest(const rung_table *t, const char *text, const char *near[NEAR])
{
    int distance[NEAR], count = 0, most = (int)strlen(text) / 3 + 1;
    for (int64_t j = 0; j < t->n_columns; j++) {
        int far = text_distance(text, t->columns[j].name);
        if (far > most) continue;
        int place = count < NEAR ? count++ : NEAR;
        for (; place > 0 && far < distance[place - 1]; place--)
            if (place < NEAR) distance[place] = distance[place - 1], near[place] = near[place - 1];
        if (place < NEAR) distance[place] = far, near[place] = t->columns[j].name;
    }
    return count;
}

void table_near(const rung_table *t, const char *text, char *hint, size_t size)
{
    if (!t->has_names) {
        snprintf(hint, size, "there is no header; use a position from 1 to %lld", (long long)t->n_columns);
        return;
    }
    const char *near[NEAR];
    int count = nearest(t, text, near);
    bool guess = count > 0;
    if (!guess) count = t->n_columns < LISTED ? (int)t->n_columns : LISTED;
    size_t used = (size_t)snprintf(hint, size, guess ? "did you mean " : "there are ");
    for (int i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(hint + used, size - used, "%s'%.40s'", i ? guess ? " or " : ", " : "",
                                 guess ? near[i] : t->columns[i].name);
    if (used < size) snprintf(hint + used, size - used, "%s", guess ? "?" : count < t->n_columns ? ", ..." : "");
}

rung_status table_find(rung_ctx *ctx, const rung_table *t, const char *text, const char *what, int64_t *out)
{
    for (int64_t j = 0; t->has_names && j < t->n_columns; j++)
        if (strcmp(t->columns[j].name, text) == 0) return *out = j, RUNG_OK;
    int64_t position;
    if (text_integer(text, strlen(text), &position)) {
        if (position >= 1 && position <= t->n_columns) return *out = position - 1, RUNG_OK;
        return set_error(ctx, RUNG_EARG, "%s: no column %.80s (%s); the file has %lld columns", t->path, text, what,
                         (long long)t->n_columns);
    }
    char hint[512];
    table_near(t, text, hint, sizeof hint);
    return set_error(ctx, RUNG_EARG, "%s: no column '%.80s' (%s); %s", t->path, text, what, hint);
}
