// SPDX-License-Identifier: BSD-3-Clause
#include "explain/effects.h"

#include <math.h>
#include <stdlib.h>

#include "core/common.h"
#include "core/output.h"
#include "data/contents.h"

/* How a point stands in the source, a number with some digits; to be freed. */
static char *point_text(const rung_effect *one, int k, int digits)
{
    return one->text && one->text[k] ? text_of("%s", one->text[k]) : text_of("%.*g", digits, one->value[k]);
}

/* ---- text and CSV ---- */

static void map_text(FILE *file, const rung_effects *found)
{
    const rung_effects_summary *about = rung_effects_about(found);
    const rung_effect *x = rung_effects_at(found, 0), *y = rung_effects_at(found, 1);
    char *align = allocate((size_t)y->n + 2, 1);
    for (int j = 0; j <= y->n; j++) align[j] = 'r';
    sheet t = sheet_new(align);
    sheet_add(&t, "%s \\ %s", x->name, y->name);
    for (int j = 0; j < y->n; j++) {
        char *text = point_text(y, j, 6);
        sheet_add(&t, "%s", text);
        free(text);
    }
    for (int i = 0; i < x->n; i++) {
        char *text = point_text(x, i, 6);
        sheet_add(&t, "%s", text);
        free(text);
        for (int j = 0; j < y->n; j++) sheet_add(&t, "%.3f", about->map[i * y->n + j]);
    }
    sheet_print(&t, file, "");
    say(file, "\n%.0f %% of the differences are not the sum of an effect of each column.\n", 100 * about->interaction);
    free(align);
}

static void effect_text(FILE *file, const rung_effect *one, int most)
{
    bool all = most < 2 || one->n <= most || one->category;
    if (one->n == 0) {
        say(file, "%s: no row has a value\n", one->name);
        return;
    }
    sheet t = sheet_new(all ? "lrrr" : "lrr");
    sheet_add(&t, "%s", one->name);
    if (all) sheet_add(&t, "rows");
    sheet_add(&t, "partial dependence");
    sheet_add(&t, "local effect");
    for (int shown = 0; shown < (all ? one->n : most); shown++) {
        int k = all ? shown : shown * (one->n - 1) / (most - 1);
        char *text = point_text(one, k, 6);
        sheet_add(&t, "%s", text);
        free(text);
        if (all) sheet_add(&t, "%lld", (long long)one->count[k]);
        sheet_add(&t, "%.3f", one->dependence[k]);
        if (one->local)
            sheet_add(&t, "%+.3f", one->local[k]);
        else
            sheet_add(&t, "-");
    }
    sheet_print(&t, file, "");
}

void effects_text(FILE *file, const rung_effects *found, int most)
{
    const rung_effects_summary *about = rung_effects_about(found);
    const rung_effect *one;
    say(file, "Answers averaged over %lld rows; their mean is %.3f.\n", (long long)about->rows, about->average);
    for (int i = 0; (one = rung_effects_at(found, i)); i++) {
        say(file, "\n");
        effect_text(file, one, most);
    }
    if (about->map && rung_effects_at(found, 0)->n && rung_effects_at(found, 1)->n) {
        say(file, "\n");
        map_text(file, found);
    }
}

static void csv_point(FILE *file, const rung_effect *one, int k)
{
    csv_cell(file, one->text && one->text[k] ? one->text[k] : number_of(one->value[k]).text);
}

/* A row for each pair of values. */
static void map_csv(FILE *file, const rung_effects *found)
{
    const double *map = rung_effects_about(found)->map;
    const rung_effect *x = rung_effects_at(found, 0), *y = rung_effects_at(found, 1);
    csv_cell(file, x->name);
    fputc(',', file);
    csv_cell(file, y->name);
    fputs(",partial_dependence\n", file);
    for (int i = 0; i < x->n * y->n; i++) {
        csv_point(file, x, i / y->n);
        fputc(',', file);
        csv_point(file, y, i % y->n);
        csv_number(file, map[i]);
        fputc('\n', file);
    }
}

void effects_csv(FILE *file, const rung_model *model, const rung_effects *found)
{
    int classes = rung_model_classes(model);
    const rung_effect *one;
    if (rung_effects_about(found)->map) {
        map_csv(file, found);
        return;
    }
    fputs("column,value,rows,partial_dependence,local_effect", file);
    for (int q = 1; q <= classes; q++) {
        char *head = text_of("p(%s)", rung_model_class_name(model, q));
        fputc(',', file);
        csv_cell(file, head);
        free(head);
    }
    fputc('\n', file);
    for (int i = 0; (one = rung_effects_at(found, i)); i++)
        for (int k = 0; k < one->n; k++) {
            csv_cell(file, one->name);
            fputc(',', file);
            csv_point(file, one, k);
            fprintf(file, ",%lld", (long long)one->count[k]);
            csv_number(file, one->dependence[k]);
            csv_number(file, one->local ? one->local[k] : NAN);
            for (int q = 0; q < classes; q++)
                csv_number(file, one->class_dependence ? one->class_dependence[k * classes + q] : NAN);
            fputc('\n', file);
        }
}

/* ---- JSON ---- */

/* Lists of `width` numbers each. */
static json_t *rows_json(int n, int width, const double *v)
{
    if (!v) return json_null();
    json_t *out = json_array();
    for (int i = 0; i < n; i++) json_array_append_new(out, jout_numbers(width, v + i * width));
    return out;
}

static json_t *effect_json(const rung_effect *one, int classes)
{
    json_t *texts = json_array(), *counts = json_array();
    for (int k = 0; k < one->n; k++) {
        json_array_append_new(counts, json_integer(one->count[k]));
        if (one->text) json_array_append_new(texts, jout_text(one->text[k]));
    }
    json_t *out = json_pack("{ss sb so}", "name", one->name, "category", one->category, "values",
                            one->category ? json_incref(texts) : jout_numbers(one->n, one->value));
    if (one->text && !one->category) json_object_set(out, one->dates ? "dates" : "words", texts);
    json_decref(texts);
    json_object_set_new(out, "counts", counts);
    json_object_set_new(out, "rug", jout_numbers(one->rugs, one->rug));
    json_object_set_new(out, "dependence", jout_numbers(one->n, one->dependence));
    json_object_set_new(out, "local", jout_numbers(one->n, one->local));
    json_object_set_new(out, "dependence_classes", rows_json(one->n, classes, one->class_dependence));
    json_object_set_new(out, "local_classes", rows_json(one->n, classes, one->class_local));
    return out;
}

json_t *effects_json(const rung_model *model, const rung_effects *found)
{
    const rung_effects_summary *about = rung_effects_about(found);
    const rung_effect *one;
    json_t *columns = json_array();
    for (int i = 0; (one = rung_effects_at(found, i)); i++)
        json_array_append_new(columns, effect_json(one, about->classes));
    json_t *out = json_pack("{sI so so so}", "rows", (json_int_t)about->rows, "average", jout_number(about->average),
                            "classes", classes_json(model), "columns", columns);
    if (!about->map) return out;
    json_object_set_new(out, "map", rows_json(rung_effects_at(found, 0)->n, rung_effects_at(found, 1)->n, about->map));
    json_object_set_new(out, "interaction", jout_number(about->interaction));
    return out;
}

/* ---- figures ---- */

/* The points as labels: numbers with three digits. */
static const char **texts_of(const rung_effect *one)
{
    const char **out = allocate((size_t)one->n, sizeof *out);
    for (int k = 0; k < one->n; k++) out[k] = point_text(one, k, 3);
    return out;
}

static void texts_free(size_t n, const char **text)
{
    for (size_t i = 0; text && i < n; i++) free((char *)(uintptr_t)text[i]);
    free(text);
}

static effect_panel panel_of(const rung_effect *one, double average)
{
    bool words = one->text && !one->dates;
    double *local = one->local ? allocate((size_t)one->n, sizeof *local) : NULL;
    for (int k = 0; local && k < one->n; k++) local[k] = one->local[k] + average;
    return (effect_panel){.column = one->name,
                          .category = words,
                          .dates = one->dates,
                          .n = one->n,
                          .x = words ? NULL : one->value,
                          .name = words ? texts_of(one) : NULL,
                          .dependence = one->dependence,
                          .local = local,
                          .share = one->class_dependence,
                          .rugs = one->rugs,
                          .rug = one->rug};
}

static void draw_panels(const rung_model *model, const rung_effects *found, const char *title, effects_drawing *out)
{
    const rung_effects_summary *about = rung_effects_about(found);
    const rung_effect *one;
    double low = INFINITY, high = -INFINITY;
    size_t n = 0;
    while (rung_effects_at(found, (int)n)) n++;
    *out = (effects_drawing){.panels = n, .panel = allocate(n, sizeof *out->panel)};
    out->name = allocate((size_t)about->classes, sizeof *out->name);
    for (int q = 0; q < about->classes; q++) out->name[q] = rung_model_class_name(model, q + 1);
    for (int i = 0; (one = rung_effects_at(found, i)); i++) {
        effect_panel *p = &out->panel[i];
        *p = panel_of(one, about->average);
        for (int k = 0; k < p->n; k++) {
            low = fmin(low, fmin(p->dependence[k], p->local ? p->local[k] : INFINITY));
            high = fmax(high, fmax(p->dependence[k], p->local ? p->local[k] : -INFINITY));
        }
    }
    if (low > high) low = 0, high = 1;
    out->f =
        (figure){.kind = FIGURE_EFFECTS,
                 .title = title,
                 .detail = "How the answer changes along each column, and the probability of every class.",
                 .of.effects = {title, answer_name(model), about->classes, out->name, low, high, (int)n, out->panel}};
}

static void draw_map(const rung_model *model, const rung_effects *found, const char *title, effects_drawing *out)
{
    const rung_effects_summary *about = rung_effects_about(found);
    const rung_effect *x = rung_effects_at(found, 0), *y = rung_effects_at(found, 1);
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < x->n * y->n; i++) {
        low = fmin(low, about->map[i]);
        high = fmax(high, about->map[i]);
    }
    *out = (effects_drawing){.across = (size_t)x->n, .down = (size_t)y->n, .x = texts_of(x), .y = texts_of(y)};
    out->note = text_of("%s, averaged over the other columns; %.0f %% of it is interaction", answer_name(model),
                        100 * about->interaction);
    out->f =
        (figure){.kind = FIGURE_MAP,
                 .title = title,
                 .detail = out->note,
                 .of.map = {title, out->note, x->name, y->name, x->n, y->n, out->x, out->y, about->map, low, high}};
}

void effects_drawing_new(const rung_model *model, const rung_effects *found, const char *title, effects_drawing *out)
{
    bool map = rung_effects_about(found)->map != NULL;
    const char *heading = title ? title : map ? "Joint effect" : "Effects of the columns";
    (map ? draw_map : draw_panels)(model, found, heading, out);
}

void effects_drawing_free(effects_drawing *d)
{
    for (size_t i = 0; i < d->panels; i++) {
        const effect_panel *p = &d->panel[i];
        texts_free((size_t)p->n, (const char **)(uintptr_t)p->name);
        free((double *)(uintptr_t)p->local);
    }
    free(d->panel);
    free(d->name);
    texts_free(d->across, d->x);
    texts_free(d->down, d->y);
    free(d->note);
}

bool effects_write(const rung_model *model, const rung_effects *found, const char *title, const char *path)
{
    effects_drawing d;
    effects_drawing_new(model, found, title, &d);
    bool done = figure_write(&d.f, path, (figure_size){0}, 2);
    effects_drawing_free(&d);
    return done;
}
