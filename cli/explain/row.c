// SPDX-License-Identifier: BSD-3-Clause
#include "explain/row.h"

#include <math.h>
#include <stdlib.h>

#include "core/common.h"
#include "core/output.h"

enum { SHOWN = 14 }; /* columns of the figure */

static double number_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* A cell as it stood; to be freed. */
static char *cell_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_string(value)) return text_of("%s", json_string_value(value));
    return json_is_number(value) ? text_of("%.6g", json_number_value(value)) : text_of("%s", "missing");
}

static void change_text(FILE *file, const json_t *report, const char *key, const char *words, size_t last)
{
    const json_t *change = json_object_get(json_object_get(report, "changes"), key);
    size_t i;
    json_t *one;
    if ((size_t)json_integer_value(json_object_get(report, "rank")) == last) {
        say(file, "%s: there is no such class\n", words);
        return;
    }
    if (!json_is_object(change)) {
        say(file, "%s: no change of at most three columns was found\n", words);
        return;
    }
    say(file, "%s, to %s:", words, text_at(change, "class"));
    json_array_foreach(json_object_get(change, "columns"), i, one)
    {
        char *from = cell_of(one, "from"), *to = cell_of(one, "to");
        say(file, "%s %s from %s to %s", i ? "," : "", text_at(one, "name"), from, to);
        free(from);
        free(to);
    }
    say(file, "\n");
}

static long long whole_at(const json_t *object, const char *key)
{
    return (long long)json_integer_value(json_object_get(object, key));
}

/* How exact they are. */
static void how_text(FILE *file, const json_t *report)
{
    long long samples = whole_at(report, "samples"), used = whole_at(report, "background"),
              all = whole_at(report, "background_of");
    if (samples > 0) say(file, " from %lld pairs of orders", samples);
    if (used == all)
        say(file, "%s against all %lld rows", samples > 0 ? "" : ", exact", all);
    else
        say(file, " against %lld of %lld rows", used, all);
}

void row_text(FILE *file, const json_t *report)
{
    bool exact = json_is_true(json_object_get(report, "exact")),
         ranked = json_is_string(json_object_get(report, "class"));
    size_t i;
    json_t *one;
    say(file, "Row %lld: ", whole_at(report, "row"));
    if (ranked) say(file, "%s, ", text_at(report, "class"));
    say(file, "answer %.4f; the average row has %.4f.\n\n", number_at(report, "answer"), number_at(report, "average"));
    sheet t = sheet_new(exact ? "llr" : "llrr");
    sheet_add(&t, "column");
    sheet_add(&t, "value");
    sheet_add(&t, "contribution");
    if (!exact) sheet_add(&t, "s.e.");
    json_array_foreach(json_object_get(report, "columns"), i, one)
    {
        char *cell = cell_of(one, "cell");
        sheet_add(&t, "%s", text_at(one, "name"));
        sheet_add(&t, "%s", cell);
        sheet_add(&t, "%+.4f", number_at(one, "contribution"));
        if (!exact) sheet_add(&t, "%.4f", number_at(one, "error"));
        free(cell);
    }
    sheet_print(&t, file, "");
    say(file, "\nThe contributions add up to the difference (Shapley values");
    how_text(file, report);
    say(file, ").\n");
    if (!ranked) return;
    say(file, "\n");
    change_text(file, report, "up", "one class up", json_array_size(json_object_get(report, "classes")));
    change_text(file, report, "down", "one class down", 1);
}

void row_csv(FILE *file, const json_t *report)
{
    size_t i;
    json_t *one;
    fputs("column,value,contribution,error\n", file);
    json_array_foreach(json_object_get(report, "columns"), i, one)
    {
        char *cell = cell_of(one, "cell");
        csv_cell(file, text_at(one, "name"));
        fputc(',', file);
        csv_cell(file, cell);
        fprintf(file, ",%s,", number_of(number_at(one, "contribution")).text);
        fprintf(file, "%s\n", number_of(number_at(one, "error")).text);
        free(cell);
    }
}

bool row_write(const json_t *report, const char *title, const char *answer, const char *path)
{
    const json_t *columns = json_object_get(report, "columns");
    size_t n = json_array_size(columns), shown = n > SHOWN ? SHOWN - 1 : n, rows = n > SHOWN ? SHOWN : n;
    const char **name = allocate(rows + 1, sizeof *name);
    double *step = allocate(rows + 1, sizeof *step), *error = allocate(rows + 1, sizeof *error);
    for (size_t i = 0; i < n; i++) {
        const json_t *one = json_array_get(columns, i);
        size_t at = i < shown ? i : shown;
        step[at] += number_at(one, "contribution");
        if (i >= shown) continue;
        char *cell = cell_of(one, "cell");
        name[i] = text_of("%s = %s", text_at(one, "name"), cell);
        error[i] = number_at(one, "error");
        free(cell);
    }
    if (n > shown) name[shown] = text_of("the other %zu columns", n - shown);
    char *heading = title ? text_of("%s", title)
                          : text_of("Row %lld%s%s", whole_at(report, "row"), *text_at(report, "class") ? ": " : "",
                                    text_at(report, "class"));
    char *note = text_of("contributions of the columns%s",
                         json_is_true(json_object_get(report, "exact")) ? "" : "; lines: 95 % ranges of the sampling");
    figure f = {.kind = FIGURE_WATERFALL,
                .title = heading,
                .detail = "From the answer for the average row to that for this row, column by column.",
                .of.waterfall = {heading, note, answer, number_at(report, "average"), (int)rows, name, step, error}};
    bool done = figure_write(&f, path, (figure_size){0}, 2);
    for (size_t i = 0; i < rows; i++) free((char *)(uintptr_t)name[i]);
    free(name);
    free(step);
    free(error);
    free(heading);
    free(note);
    return done;
}
