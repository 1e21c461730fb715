// SPDX-License-Identifier: BSD-3-Clause
#include "explain/importance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/common.h"
#include "core/output.h"

/* "age + weight", to be freed. */
static char *joint_name(const rung_permuted *one)
{
    char *name = text_of("%s", one->column[0]);
    for (int i = 1; i < one->n; i++) text_add(&name, " + %s", one->column[i]);
    return name;
}

static bool has_second(const rung_importance *found) { return !isnan(rung_importance_about(found)->error[1].mean); }

char *importance_rows(const rung_importance *found)
{
    const rung_importance_summary *about = rung_importance_about(found);
    long long rows = about->rows, labelled = about->labelled;
    char *of = rows < labelled ? text_of("%lld of %lld labelled rows", rows, labelled)
                               : text_of("%lld labelled rows", rows),
         *text;
    char *how = about->repeats == 1 ? text_of("every column permuted once")
                                    : text_of("every column permuted %d times", about->repeats);
    if (about->folds > 0)
        text =
            text_of("%s, each predicted by one of %d fits that did not see it (in folds of their own: this error and "
                    "that of the fit above differ by chance); %s",
                    of, about->folds, how);
    else if (about->seen)
        text = text_of(
            "%s, which the model was fitted to: this shows what the fit used, not what helps on new rows; %s", of, how);
    else
        text = text_of("%s; %s", of, how);
    free(how);
    free(of);
    return text;
}

int importance_leading(const rung_importance *found, int most, const char **out)
{
    const rung_permuted *one;
    int n = 0;
    while (n < most && (one = rung_importance_at(found, n)) && one->n == 1 && one->rise[0].mean > 0)
        out[n++] = one->column[0];
    out[n] = NULL;
    return n;
}

/* ---- text ---- */

static void add_range(sheet *t, rung_range range)
{
    sheet_add_number(t, range.mean, 4);
    if (isnan(range.low))
        sheet_add(t, "-");
    else
        sheet_add(t, "%.4f to %.4f", without_sign(range.low, 4), without_sign(range.high, 4));
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

static void add_line(sheet *t, const rung_permuted *one, bool second)
{
    char *name = joint_name(one);
    sheet_add(t, "%s", name);
    free(name);
    for (int k = 0; k <= second; k++) add_range(t, one->rise[k]);
}

void importance_text(FILE *file, const rung_importance *found)
{
    const rung_importance_summary *about = rung_importance_about(found);
    const rung_permuted *one;
    const char *second = has_second(found) ? about->loss[1] : NULL;
    char *rows = importance_rows(found);
    int i = 0;
    say(file, "Importance of the columns:");
    wrap_text(file, rows, 26, 0);
    free(rows);
    say(file, "error: mae %.4f", about->error[0].mean);
    if (second) say(file, ", %s %.4f", second, about->error[1].mean);
    say(file, "; when a column is permuted, it rises by\n\n");
    sheet t = sheet_new(second ? "lrrrrr" : "lrrr");
    add_head(&t, "column", second, true);
    for (; (one = rung_importance_at(found, i)) && one->n == 1; i++) {
        add_line(&t, one, second);
        if (isnan(one->others))
            sheet_add(&t, "-");
        else
            sheet_add(&t, "%.0f %%", 100 * one->others);
    }
    sheet_print(&t, file, "");
    if (one) {
        say(file, "\nRelated columns, permuted together (the model can take from one what another has lost):\n\n");
        t = sheet_new(second ? "lrrrr" : "lrr");
        add_head(&t, "columns", second, false);
        for (; (one = rung_importance_at(found, i)); i++) add_line(&t, one, second);
        sheet_print(&t, file, "");
    }
    say(file, "\nothers: the share of the column's variance that the other columns can stand in for.\n");
}

/* ---- CSV ---- */

void importance_csv(FILE *file, const rung_importance *found)
{
    const char *second = rung_importance_about(found)->loss[1];
    const rung_permuted *one;
    fprintf(file, "column,mae,mae_low,mae_high,%s,%s_low,%s_high,others\n", second, second, second);
    for (int i = 0; (one = rung_importance_at(found, i)); i++) {
        char *name = joint_name(one);
        csv_cell(file, name);
        free(name);
        for (int k = 0; k < RUNG_LOSSES; k++) {
            csv_number(file, one->rise[k].mean);
            csv_number(file, one->rise[k].low);
            csv_number(file, one->rise[k].high);
        }
        csv_number(file, one->others);
        fputc('\n', file);
    }
}

/* ---- JSON ---- */

static void put_ranges(json_t *out, const rung_importance_summary *about, const rung_range range[RUNG_LOSSES])
{
    for (int k = 0; k < RUNG_LOSSES; k++)
        json_object_set_new(out, about->loss[k],
                            isnan(range[k].mean)
                                ? json_null()
                                : json_pack("{so so so}", "mean", jout_number(range[k].mean), "low",
                                            jout_number(range[k].low), "high", jout_number(range[k].high)));
}

static json_t *permuted_json(const rung_importance_summary *about, const rung_permuted *one)
{
    json_t *out, *names = json_array();
    for (int i = 0; i < one->n; i++) json_array_append_new(names, jout_text(one->column[i]));
    if (one->n > 1)
        out = json_pack("{so}", "columns", names);
    else
        out = json_pack("{sO so so}", "name", json_array_get(names, 0), "others", jout_number(one->others), "group",
                        one->group ? json_integer(one->group) : json_null());
    if (one->n == 1) json_decref(names);
    put_ranges(out, about, one->rise);
    return out;
}

json_t *importance_json(const rung_importance *found)
{
    const rung_importance_summary *about = rung_importance_about(found);
    const rung_permuted *one;
    json_t *error = json_object(), *columns = json_array(), *groups = json_array();
    put_ranges(error, about, about->error);
    for (int i = 0; (one = rung_importance_at(found, i)); i++)
        json_array_append_new(one->n == 1 ? columns : groups, permuted_json(about, one));
    return json_pack("{sI sI si so sb ss so so so}", "rows", (json_int_t)about->rows, "labelled",
                     (json_int_t)about->labelled, "repeats", about->repeats, "folds",
                     about->folds ? json_integer(about->folds) : json_null(), "seen", about->seen, "second",
                     about->loss[1], "error", error, "columns", columns, "groups", groups);
}

/* ---- the figure ---- */

static void add_bar(importance_drawing *d, const rung_permuted *one)
{
    int j = d->f.of.bars.n++, at = j;
    for (; at > 0 && d->mean[at - 1] < one->rise[0].mean; at--) { /* groups take their place among the columns */
        d->name[at] = d->name[at - 1];
        d->mean[at] = d->mean[at - 1];
        d->low[at] = d->low[at - 1];
        d->high[at] = d->high[at - 1];
        d->joint[at] = d->joint[at - 1];
    }
    d->name[at] = joint_name(one);
    d->mean[at] = one->rise[0].mean;
    d->low[at] = one->rise[0].low;
    d->high[at] = one->rise[0].high;
    d->joint[at] = one->n > 1;
}

void importance_draw(const rung_importance *found, const char *title, int most, importance_drawing *out)
{
    const rung_permuted *one;
    size_t room = 0;
    bool groups = false;
    for (int i = 0; (one = rung_importance_at(found, i)); i++) room++, groups = one->n > 1;
    *out = (importance_drawing){.name = allocate(room, sizeof *out->name),
                                .mean = allocate(room, sizeof *out->mean),
                                .low = allocate(room, sizeof *out->low),
                                .high = allocate(room, sizeof *out->high),
                                .joint = allocate(room, sizeof *out->joint)};
    out->f.kind = FIGURE_BARS;
    for (int i = 0; (one = rung_importance_at(found, i)); i++) add_bar(out, one);
    int all = out->f.of.bars.n, shown = most > 0 && all > most ? most : all;
    const char *range = groups ? "whiskers: 95 % ranges; orange: columns permuted together" : "whiskers: 95 % ranges";
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
