// SPDX-License-Identifier: BSD-3-Clause
#include "explain/row.h"

#include <math.h>
#include <stdlib.h>

#include "core/common.h"
#include "core/output.h"
#include "data/contents.h"

enum { SHOWN = 14 }; /* columns of the figure */

/* A cell as it stood; to be freed. */
static char *cell_of(rung_cell cell)
{
    return cell.text            ? text_of("%s", cell.text)
           : isnan(cell.number) ? text_of("%s", "missing")
                                : text_of("%.6g", cell.number);
}

static const char *class_of(const rung_model *model, int rank)
{
    return rank > 0 ? rung_model_class_name(model, rank) : NULL;
}

/* ---- text and CSV ---- */

static void change_text(FILE *file, const rung_model *model, const rung_row *found, int up, int last)
{
    const char *words = up ? "one class up" : "one class down";
    const rung_change *one = rung_row_change(found, up, 0);
    if (rung_row_about(found)->rank == last) {
        say(file, "%s: there is no such class\n", words);
        return;
    }
    if (!one) {
        say(file, "%s: no change of at most three columns was found\n", words);
        return;
    }
    int classes = abs(one->rank - rung_row_about(found)->rank);
    if (classes == 1)
        say(file, "%s, to %s:", words, class_of(model, one->rank));
    else
        say(file, "%d classes %s, to %s:", classes, up ? "up" : "down", class_of(model, one->rank));
    for (int i = 0; (one = rung_row_change(found, up, i)); i++) {
        char *from = cell_of(one->from), *to = cell_of(one->to);
        say(file, "%s %s from %s to %s", i ? "," : "", one->name, from, to);
        free(from);
        free(to);
    }
    say(file, "\n");
}

/* How exact they are. */
static void how_text(FILE *file, const rung_row_summary *about)
{
    long long samples = about->samples, used = about->background, all = about->background_of;
    if (samples > 0) say(file, " from %lld pairs of orders", samples);
    if (used == all)
        say(file, "%s against all %lld rows", samples > 0 ? "" : ", exact", all);
    else
        say(file, " against %lld of %lld rows", used, all);
}

void row_text(FILE *file, const rung_model *model, const rung_row *found)
{
    const rung_row_summary *about = rung_row_about(found);
    const rung_contribution *one;
    say(file, "Row %lld: ", (long long)about->row + 1);
    if (about->rank) say(file, "%s, ", class_of(model, about->rank));
    say(file, "answer %.4f; the average row has %.4f.\n\n", about->answer, about->average);
    sheet t = sheet_new(about->exact ? "llr" : "llrr");
    sheet_add(&t, "column");
    sheet_add(&t, "value");
    sheet_add(&t, "contribution");
    if (!about->exact) sheet_add(&t, "s.e.");
    for (int i = 0; (one = rung_row_at(found, i)); i++) {
        char *cell = cell_of(one->cell);
        sheet_add(&t, "%s", one->name);
        sheet_add(&t, "%s", cell);
        sheet_add(&t, "%+.4f", one->value);
        if (!about->exact) sheet_add(&t, "%.4f", one->error);
        free(cell);
    }
    sheet_print(&t, file, "");
    say(file, "\nThe contributions add up to the difference (Shapley values");
    how_text(file, about);
    say(file, ").\n");
    if (!about->rank) return;
    say(file, "\n");
    change_text(file, model, found, 1, rung_model_classes(model));
    change_text(file, model, found, 0, 1);
}

void row_csv(FILE *file, const rung_row *found)
{
    const rung_contribution *one;
    fputs("column,value,contribution,error\n", file);
    for (int i = 0; (one = rung_row_at(found, i)); i++) {
        char *cell = cell_of(one->cell);
        csv_cell(file, one->name);
        fputc(',', file);
        csv_cell(file, cell);
        csv_number(file, one->value);
        csv_number(file, one->error);
        fputc('\n', file);
        free(cell);
    }
}

/* ---- JSON ---- */

static json_t *cell_json(rung_cell cell) { return cell.text ? jout_text(cell.text) : jout_number(cell.number); }

static json_t *change_json(const rung_model *model, const rung_row *found, int up)
{
    const rung_change *one = rung_row_change(found, up, 0);
    if (!one) return json_null();
    int rank = one->rank;
    json_t *columns = json_array();
    for (int i = 0; (one = rung_row_change(found, up, i)); i++)
        json_array_append_new(columns, json_pack("{ss so so}", "name", one->name, "from", cell_json(one->from), "to",
                                                 cell_json(one->to)));
    return json_pack("{si so so}", "rank", rank, "class", jout_text(class_of(model, rank)), "columns", columns);
}

json_t *row_json(const rung_model *model, const rung_row *found)
{
    const rung_row_summary *about = rung_row_about(found);
    const rung_contribution *one;
    json_t *columns = json_array();
    for (int i = 0; (one = rung_row_at(found, i)); i++)
        json_array_append_new(columns,
                              json_pack("{ss so so so}", "name", one->name, "cell", cell_json(one->cell),
                                        "contribution", jout_number(one->value), "error", jout_number(one->error)));
    return json_pack("{sI so so so so so so so sb sI sI sI so s{so so}}", "row", (json_int_t)about->row + 1, "answer",
                     jout_number(about->answer), "rank", about->rank ? json_integer(about->rank) : json_null(), "class",
                     jout_text(class_of(model, about->rank)), "proba",
                     about->proba ? jout_numbers(rung_model_classes(model), about->proba) : json_array(), "classes",
                     classes_json(model), "average", jout_number(about->average), "average_error",
                     jout_number(about->average_error), "exact", about->exact, "samples", (json_int_t)about->samples,
                     "background", (json_int_t)about->background, "background_of", (json_int_t)about->background_of,
                     "columns", columns, "changes", "down", change_json(model, found, 0), "up",
                     change_json(model, found, 1));
}

/* ---- the figure ---- */

bool row_write(const rung_model *model, const rung_row *found, const char *title, const char *path)
{
    const rung_row_summary *about = rung_row_about(found);
    const rung_contribution *one;
    const char *name[SHOWN] = {0}, *class = class_of(model, about->rank);
    double step[SHOWN] = {0}, error[SHOWN] = {0};
    int n = 0;
    while (rung_row_at(found, n)) n++;
    int shown = n > SHOWN ? SHOWN - 1 : n, rows = n > SHOWN ? SHOWN : n;
    for (int i = 0; (one = rung_row_at(found, i)); i++) {
        step[i < shown ? i : shown] += one->value;
        if (i >= shown) continue;
        char *cell = cell_of(one->cell);
        name[i] = text_of("%s = %s", one->name, cell);
        error[i] = one->error;
        free(cell);
    }
    if (n > shown) name[shown] = text_of("the other %d columns", n - shown);
    char *heading = title ? text_of("%s", title)
                          : text_of("Row %lld%s%s", (long long)about->row + 1, class ? ": " : "", class ? class : "");
    char *note = text_of("contributions of the columns%s", about->exact ? "" : "; lines: 95 % ranges of the sampling");
    figure f = {.kind = FIGURE_WATERFALL,
                .title = heading,
                .detail = "From the answer for the average row to that for this row, column by column.",
                .of.waterfall = {heading, note, answer_name(model), about->average, rows, name, step, error}};
    bool done = figure_write(&f, path, (figure_size){0}, 2);
    for (int i = 0; i < rows; i++) free((char *)(uintptr_t)name[i]);
    free(heading);
    free(note);
    return done;
}
