// SPDX-License-Identifier: BSD-3-Clause
#include "explain/effects.h"

#include <math.h>
#include <stdlib.h>

#include "core/common.h"
#include "core/output.h"

static const json_t *list_at(const json_t *object, const char *key) { return json_object_get(object, key); }

static double number_in(const json_t *list, size_t i)
{
    const json_t *value = json_array_get(list, i);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* The text of a point: a category, or a number; to be freed. */
static char *point_text(const json_t *list, size_t i)
{
    const json_t *value = json_array_get(list, i);
    return json_is_string(value) ? text_of("%s", json_string_value(value)) : text_of("%.6g", json_number_value(value));
}

/* The points of a column as they are written: categories, dates, ordered words or numbers. */
static const json_t *points_of(const json_t *column)
{
    const json_t *dates = json_object_get(column, "dates"), *words = json_object_get(column, "words");
    return dates ? dates : words ? words : json_object_get(column, "values");
}

static const char *name_of(const json_t *column)
{
    const char *name = json_string_value(json_object_get(column, "name"));
    return name ? name : "";
}

/* ---- text and CSV ---- */

static void map_text(FILE *file, const json_t *report)
{
    const json_t *columns = list_at(report, "columns"), *map = list_at(report, "map");
    const json_t *first = json_array_get(columns, 0), *second = json_array_get(columns, 1);
    const json_t *x = points_of(first), *y = points_of(second);
    size_t n = json_array_size(y);
    char *align = allocate(n + 2, 1);
    for (size_t j = 0; j <= n; j++) align[j] = 'r';
    sheet t = sheet_new(align);
    sheet_add(&t, "%s \\ %s", name_of(first), name_of(second));
    for (size_t j = 0; j < n; j++) {
        char *text = point_text(y, j);
        sheet_add(&t, "%s", text);
        free(text);
    }
    for (size_t i = 0; i < json_array_size(x); i++) {
        char *text = point_text(x, i);
        sheet_add(&t, "%s", text);
        free(text);
        for (size_t j = 0; j < n; j++) sheet_add(&t, "%.3f", number_in(json_array_get(map, i), j));
    }
    sheet_print(&t, file, "");
    say(file, "\n%.0f %% of the differences are not the sum of an effect of each column.\n",
        100 * json_number_value(json_object_get(report, "interaction")));
    free(align);
}

void effects_text(FILE *file, const json_t *report, int most)
{
    size_t i;
    json_t *one;
    say(file, "Answers averaged over %lld rows; their mean is %.3f.\n",
        (long long)json_integer_value(json_object_get(report, "rows")),
        json_number_value(json_object_get(report, "average")));
    json_array_foreach(list_at(report, "columns"), i, one)
    {
        const json_t *values = points_of(one), *local = list_at(one, "local");
        size_t n = json_array_size(values), few = (size_t)most;
        bool all = most < 2 || n <= few || json_is_true(json_object_get(one, "category"));
        say(file, "\n");
        if (n == 0) {
            say(file, "%s: no row has a value\n", name_of(one));
            continue;
        }
        sheet t = sheet_new(all ? "lrrr" : "lrr");
        sheet_add(&t, "%s", name_of(one));
        if (all) sheet_add(&t, "rows");
        sheet_add(&t, "partial dependence");
        sheet_add(&t, "local effect");
        for (size_t shown = 0; shown < (all ? n : few); shown++) {
            size_t k = all ? shown : shown * (n - 1) / (few - 1);
            char *text = point_text(values, k);
            sheet_add(&t, "%s", text);
            free(text);
            if (all) sheet_add(&t, "%lld", (long long)json_integer_value(json_array_get(list_at(one, "counts"), k)));
            sheet_add(&t, "%.3f", number_in(list_at(one, "dependence"), k));
            if (json_is_array(local))
                sheet_add(&t, "%+.3f", number_in(local, k));
            else
                sheet_add(&t, "-");
        }
        sheet_print(&t, file, "");
    }
    if (json_array_size(json_array_get(list_at(report, "map"), 0))) {
        say(file, "\n");
        map_text(file, report);
    }
}

static void csv_number(FILE *file, double x)
{
    fputc(',', file);
    if (!isnan(x)) fputs(number_of(x).text, file);
}

static void csv_point(FILE *file, const json_t *values, size_t k)
{
    char *text = json_is_string(json_array_get(values, k)) ? point_text(values, k)
                                                           : text_of("%s", number_of(number_in(values, k)).text);
    csv_cell(file, text);
    free(text);
}

/* A row for each pair of values. */
static void map_csv(FILE *file, const json_t *report)
{
    const json_t *columns = list_at(report, "columns"), *map = list_at(report, "map");
    const json_t *first = json_array_get(columns, 0), *second = json_array_get(columns, 1);
    const json_t *x = points_of(first), *y = points_of(second);
    csv_cell(file, name_of(first));
    fputc(',', file);
    csv_cell(file, name_of(second));
    fputs(",partial_dependence\n", file);
    for (size_t i = 0; i < json_array_size(x); i++)
        for (size_t j = 0; j < json_array_size(y); j++) {
            csv_point(file, x, i);
            fputc(',', file);
            csv_point(file, y, j);
            csv_number(file, number_in(json_array_get(map, i), j));
            fputc('\n', file);
        }
}

void effects_csv(FILE *file, const json_t *report)
{
    if (json_is_array(list_at(report, "map"))) {
        map_csv(file, report);
        return;
    }
    const json_t *classes = list_at(report, "classes");
    size_t i, q;
    json_t *one, *name;
    fputs("column,value,rows,partial_dependence,local_effect", file);
    json_array_foreach(classes, q, name)
    {
        char *head = text_of("p(%s)", json_string_value(name));
        fputc(',', file);
        csv_cell(file, head);
        free(head);
    }
    fputc('\n', file);
    json_array_foreach(list_at(report, "columns"), i, one)
    {
        const json_t *values = points_of(one), *shares = list_at(one, "dependence_classes");
        for (size_t k = 0; k < json_array_size(values); k++) {
            csv_cell(file, name_of(one));
            fputc(',', file);
            csv_point(file, values, k);
            fprintf(file, ",%lld", (long long)json_integer_value(json_array_get(list_at(one, "counts"), k)));
            csv_number(file, number_in(list_at(one, "dependence"), k));
            csv_number(file, number_in(list_at(one, "local"), k));
            for (q = 0; q < json_array_size(classes); q++) csv_number(file, number_in(json_array_get(shares, k), q));
            fputc('\n', file);
        }
    }
}

/* ---- figures ---- */

static double *numbers_of(const json_t *list, double add)
{
    size_t n = json_array_size(list);
    double *out = allocate(n + 1, sizeof *out);
    for (size_t i = 0; i < n; i++) out[i] = number_in(list, i) + add;
    return out;
}

/* Short labels: numbers with three digits. */
static const char **texts_of(const json_t *list)
{
    size_t n = json_array_size(list);
    const char **out = allocate(n + 1, sizeof *out);
    for (size_t i = 0; i < n; i++)
        out[i] = json_is_number(json_array_get(list, i)) ? text_of("%.3g", number_in(list, i)) : point_text(list, i);
    return out;
}

static void texts_free(size_t n, const char **text)
{
    for (size_t i = 0; text && i < n; i++) free((char *)(uintptr_t)text[i]);
    free(text);
}

static double *shares_of(const json_t *list, size_t classes)
{
    size_t n = json_array_size(list);
    double *out = allocate(n * classes + 1, sizeof *out);
    for (size_t k = 0; k < n; k++)
        for (size_t q = 0; q < classes; q++) out[k * classes + q] = number_in(json_array_get(list, k), q);
    return out;
}

static void draw_panels(const json_t *report, const char *title, const char *answer, effects_drawing *out)
{
    const json_t *columns = list_at(report, "columns"), *classes = list_at(report, "classes");
    size_t n = json_array_size(columns), K = json_array_size(classes);
    effect_panel *panel = allocate(n + 1, sizeof *panel);
    double low = INFINITY, high = -INFINITY, average = json_number_value(json_object_get(report, "average"));
    bool shares = n > 0 && json_is_array(list_at(json_array_get(columns, 0), "dependence_classes"));
    *out = (effects_drawing){.panels = n, .classes = K, .panel = panel, .name = texts_of(classes)};
    for (size_t i = 0; i < n; i++) {
        const json_t *one = json_array_get(columns, i), *values = list_at(one, "values"),
                     *local = list_at(one, "local");
        if (json_object_get(one, "words")) values = points_of(one);
        bool category = json_is_true(json_object_get(one, "category")) || json_object_get(one, "words");
        panel[i] = (effect_panel){.column = name_of(one),
                                  .category = category,
                                  .dates = json_object_get(one, "dates") != NULL,
                                  .n = (int)json_array_size(values),
                                  .x = category ? NULL : numbers_of(values, 0),
                                  .name = category ? texts_of(values) : NULL,
                                  .dependence = numbers_of(list_at(one, "dependence"), 0),
                                  .local = json_is_array(local) ? numbers_of(local, average) : NULL,
                                  .share = shares ? shares_of(list_at(one, "dependence_classes"), K) : NULL,
                                  .rugs = (int)json_array_size(list_at(one, "rug")),
                                  .rug = numbers_of(list_at(one, "rug"), 0)};
        for (int k = 0; k < panel[i].n; k++) {
            low = fmin(low, fmin(panel[i].dependence[k], panel[i].local ? panel[i].local[k] : INFINITY));
            high = fmax(high, fmax(panel[i].dependence[k], panel[i].local ? panel[i].local[k] : -INFINITY));
        }
    }
    if (low > high) low = 0, high = 1;
    out->f = (figure){.kind = FIGURE_EFFECTS,
                      .title = title,
                      .detail = "How the answer changes along each column, and the probability of every class.",
                      .of.effects = {title, answer, shares ? (int)K : 0, out->name, low, high, (int)n, panel}};
}

static void draw_map(const json_t *report, const char *title, const char *answer, effects_drawing *out)
{
    const json_t *columns = list_at(report, "columns"), *map = list_at(report, "map");
    const json_t *x = points_of(json_array_get(columns, 0)), *y = points_of(json_array_get(columns, 1));
    size_t m = json_array_size(x), n = json_array_size(y);
    double *value = allocate(m * n + 1, sizeof *value), low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < m * n; i++) {
        value[i] = number_in(json_array_get(map, i / n), i % n);
        low = fmin(low, value[i]);
        high = fmax(high, value[i]);
    }
    *out = (effects_drawing){.across = m, .down = n, .x = texts_of(x), .y = texts_of(y), .value = value};
    out->note = text_of("%s, averaged over the other columns; %.0f %% of it is interaction", answer,
                        100 * json_number_value(json_object_get(report, "interaction")));
    out->f =
        (figure){.kind = FIGURE_MAP,
                 .title = title,
                 .detail = out->note,
                 .of.map = {title, out->note, name_of(json_array_get(columns, 0)), name_of(json_array_get(columns, 1)),
                            (int)m, (int)n, out->x, out->y, value, low, high}};
}

void effects_drawing_new(const json_t *report, const char *title, const char *answer, effects_drawing *out)
{
    bool map = json_is_array(list_at(report, "map"));
    const char *heading = title ? title : map ? "Joint effect" : "Effects of the columns";
    (map ? draw_map : draw_panels)(report, heading, answer, out);
}

void effects_drawing_free(effects_drawing *d)
{
    for (size_t i = 0; i < d->panels; i++) {
        const effect_panel *p = &d->panel[i];
        texts_free((size_t)p->n, (const char **)(uintptr_t)p->name);
        const double *const all[] = {p->x, p->dependence, p->local, p->share, p->rug};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) free((double *)(uintptr_t)all[k]);
    }
    free(d->panel);
    texts_free(d->classes, d->name);
    texts_free(d->across, d->x);
    texts_free(d->down, d->y);
    free(d->value);
    free(d->note);
}

bool effects_write(const json_t *report, const char *title, const char *answer, const char *path)
{
    effects_drawing d;
    effects_drawing_new(report, title, answer, &d);
    bool done = figure_write(&d.f, path, (figure_size){0}, 2);
    effects_drawing_free(&d);
    return done;
}
