// SPDX-License-Identifier: BSD-3-Clause
#include "explain/importance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/common.h"
#include "core/output.h"

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

/* "age + weight", to be freed. */
static char *joint_name(const json_t *group)
{
    char *name = text_of("%s", "");
    size_t i;
    json_t *column;
    json_array_foreach(json_object_get(group, "columns"), i, column)
    {
        char *more = text_of("%s%s%s", name, i ? " + " : "", json_string_value(column));
        free(name);
        name = more;
    }
    return name;
}

static bool has_second(const json_t *report)
{
    return json_is_object(json_object_get(json_object_get(report, "error"), text_at(report, "second")));
}

char *importance_rows(const json_t *report)
{
    long long rows = json_integer_value(json_object_get(report, "rows")),
              labelled = json_integer_value(json_object_get(report, "labelled")),
              repeats = json_integer_value(json_object_get(report, "repeats"));
    char *of = rows < labelled ? text_of("%lld of %lld labelled rows", rows, labelled)
                               : text_of("%lld labelled rows", rows),
         *text;
    char *how =
        repeats == 1 ? text_of("every column permuted once") : text_of("every column permuted %lld times", repeats);
    if (json_is_integer(json_object_get(report, "folds")))
        text =
            text_of("%s, each predicted by one of %lld fits that did not see it (in folds of their own: this error and "
                    "that of the fit above differ by chance); %s",
                    of, (long long)json_integer_value(json_object_get(report, "folds")), how);
    else if (json_is_true(json_object_get(report, "seen")))
        text = text_of(
            "%s, which the model was fitted to: this shows what the fit used, not what helps on new rows; %s", of, how);
    else
        text = text_of("%s; %s", of, how);
    free(how);
    free(of);
    return text;
}

int importance_leading(const json_t *report, int most, const char **out)
{
    const json_t *columns = json_object_get(report, "columns"), *one;
    int n = 0;
    for (; n < most && (one = json_array_get(columns, (size_t)n)); n++) {
        if (!(number_at(json_object_get(one, "mae"), "mean") > 0)) break;
        out[n] = text_at(one, "name");
    }
    out[n] = NULL;
    return n;
}

/* ---- text ---- */

static void add_range(sheet *t, const json_t *object, const char *key)
{
    const json_t *range = json_object_get(object, key);
    double low = number_at(range, "low"), high = number_at(range, "high");
    sheet_add_number(t, number_at(range, "mean"), 4);
    if (isnan(low))
        sheet_add(t, "-");
    else
        sheet_add(t, "%.4f to %.4f", without_sign(low, 4), without_sign(high, 4));
}

static void add_head(sheet *t, const char *first, const char *second, bool others)
{
    sheet_add(t, "%s", first);
    sheet_add(t, "mae");
    sheet_add(t, "95 %% range");
    if (second) {
        sheet_add(t, "%s", second);
        sheet_add(t, "95 %% range");
    }
    if (others) sheet_add(t, "others");
}

void importance_text(FILE *file, const json_t *report)
{
    const char *second = has_second(report) ? text_at(report, "second") : NULL;
    const json_t *error = json_object_get(report, "error"), *groups = json_object_get(report, "groups");
    size_t i;
    json_t *one;
    char *rows = importance_rows(report);
    say(file, "Importance of the columns:");
    wrap_text(file, rows, 26, 0);
    free(rows);
    say(file, "error: mae %.4f", number_at(json_object_get(error, "mae"), "mean"));
    if (second) say(file, ", %s %.4f", second, number_at(json_object_get(error, second), "mean"));
    say(file, "; when a column is permuted, it rises by\n\n");
    sheet t = sheet_new(second ? "lrrrrr" : "lrrr");
    add_head(&t, "column", second, true);
    json_array_foreach(json_object_get(report, "columns"), i, one)
    {
        double others = number_at(one, "others");
        sheet_add(&t, "%s", text_at(one, "name"));
        add_range(&t, one, "mae");
        if (second) add_range(&t, one, second);
        if (isnan(others))
            sheet_add(&t, "-");
        else
            sheet_add(&t, "%.0f %%", 100 * others);
    }
    sheet_print(&t, file, "");
    if (json_array_size(groups)) {
        say(file, "\nRelated columns, permuted together (the model can take from one what another has lost):\n\n");
        t = sheet_new(second ? "lrrrr" : "lrr");
        add_head(&t, "columns", second, false);
        json_array_foreach(groups, i, one)
        {
            char *name = joint_name(one);
            sheet_add(&t, "%s", name);
            free(name);
            add_range(&t, one, "mae");
            if (second) add_range(&t, one, second);
        }
        sheet_print(&t, file, "");
    }
    say(file, "\nothers: the share of the column's variance that the other columns can stand in for.\n");
}

/* ---- CSV ---- */

static void csv_range(FILE *file, const json_t *range)
{
    static const char *const keys[] = {"mean", "low", "high"};
    for (int k = 0; k < 3; k++) {
        double x = number_at(range, keys[k]);
        fputc(',', file);
        if (!isnan(x)) fputs(number_of(x).text, file);
    }
}

static void csv_line(FILE *file, const json_t *one, const char *name, const char *second)
{
    double others = number_at(one, "others");
    csv_cell(file, name);
    csv_range(file, json_object_get(one, "mae"));
    csv_range(file, json_object_get(one, second));
    fputc(',', file);
    if (!isnan(others)) fputs(number_of(others).text, file);
    fputc('\n', file);
}

void importance_csv(FILE *file, const json_t *report)
{
    const char *second = text_at(report, "second");
    size_t i;
    json_t *one;
    fprintf(file, "column,mae,mae_low,mae_high,%s,%s_low,%s_high,others\n", second, second, second);
    json_array_foreach(json_object_get(report, "columns"), i, one) csv_line(file, one, text_at(one, "name"), second);
    json_array_foreach(json_object_get(report, "groups"), i, one)
    {
        char *name = joint_name(one);
        csv_line(file, one, name, second);
        free(name);
    }
}

/* ---- the figure ---- */

static void add_bar(importance_drawing *d, const json_t *one, const char *name, bool joint)
{
    const json_t *range = json_object_get(one, "mae");
    int j = d->f.of.bars.n, at = j;
    double mean = number_at(range, "mean");
    for (; at > 0 && d->mean[at - 1] < mean; at--) { /* groups take their place among the columns */
        d->name[at] = d->name[at - 1];
        d->mean[at] = d->mean[at - 1];
        d->low[at] = d->low[at - 1];
        d->high[at] = d->high[at - 1];
        d->joint[at] = d->joint[at - 1];
    }
    d->name[at] = text_of("%s", name);
    d->mean[at] = mean;
    d->low[at] = number_at(range, "low");
    d->high[at] = number_at(range, "high");
    d->joint[at] = joint;
    d->f.of.bars.n++;
}

void importance_draw(const json_t *report, const char *title, int most, importance_drawing *out)
{
    const json_t *columns = json_object_get(report, "columns"), *groups = json_object_get(report, "groups");
    size_t room = json_array_size(columns) + json_array_size(groups) + 1, i;
    json_t *one;
    *out = (importance_drawing){.name = allocate(room, sizeof *out->name),
                                .mean = allocate(room, sizeof *out->mean),
                                .low = allocate(room, sizeof *out->low),
                                .high = allocate(room, sizeof *out->high),
                                .joint = allocate(room, sizeof *out->joint)};
    out->f.kind = FIGURE_BARS;
    json_array_foreach(columns, i, one) add_bar(out, one, text_at(one, "name"), false);
    json_array_foreach(groups, i, one)
    {
        char *name = joint_name(one);
        add_bar(out, one, name, true);
        free(name);
    }
    int all = out->f.of.bars.n, shown = most > 0 && all > most ? most : all;
    const char *range =
        json_array_size(groups) ? "whiskers: 95 % ranges; orange: columns permuted together" : "whiskers: 95 % ranges";
    out->note = shown < all ? text_of("the first %d of %d; %s", shown, all, range) : text_of("%s", range);
    for (int j = shown; j < all; j++) free((char *)(uintptr_t)out->name[j]);
    out->detail = all ? text_of("Rise of the mean absolute error when a column is permuted; %s has the largest, %.4f.",
                                out->name[0], out->mean[0])
                      : text_of("%s", "There are no columns.");
    out->f.title = title;
    out->f.detail = out->detail;
    out->f.of.bars = (bars_figure){.title = title,
                                   .note = out->note,
                                   .value_name = "rise of the mean absolute error when the column is permuted",
                                   .n = shown,
                                   .name = out->name,
                                   .mean = out->mean,
                                   .low = out->low,
                                   .high = out->high,
                                   .joint = out->joint};
}

void importance_free(importance_drawing *d)
{
    for (int j = 0; d->name && j < d->f.of.bars.n; j++) free((char *)(uintptr_t)d->name[j]);
    free(d->name);
    free(d->mean);
    free(d->low);
    free(d->high);
    free(d->joint);
    free(d->note);
    free(d->detail);
}
