// SPDX-License-Identifier: BSD-3-Clause
/* Label curves from the output of `rung curve`: CSV or JSON. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/datafile.h"
#include "plot/kinds/kinds.h"

/* One line of the figure: a method, with or without the unlabelled rows. */
typedef struct {
    char *method;
    bool with;
    int n;
    double *x, *mean, *low, *high;
} curve_line;

typedef struct {
    int lines;
    int64_t room; /* points of a line, and lines, at most */
    curve_line *line;
    bool banded;
    bool errors; /* the bands are +- one standard error */
    char *y_name;
} curve_lines;

static curve_line *line_of(curve_lines *all, const char *method, bool with)
{
    for (int i = 0; i < all->lines; i++)
        if (!strcmp(all->line[i].method, method) && all->line[i].with == with) return &all->line[i];
    curve_line *l = &all->line[all->lines++];
    size_t room = (size_t)all->room;
    *l = (curve_line){.method = text_of("%s", method),
                      .with = with,
                      .x = allocate(room, sizeof *l->x),
                      .mean = allocate(room, sizeof *l->mean),
                      .low = allocate(room, sizeof *l->low),
                      .high = allocate(room, sizeof *l->high)};
    return l;
}

static void add_point(curve_line *l, double x, double mean, double low, double high)
{
    l->x[l->n] = x;
    l->mean[l->n] = mean;
    l->low[l->n] = low;
    l->high[l->n++] = high;
}

static void lines_free(curve_lines *all)
{
    for (int i = 0; i < all->lines; i++) {
        curve_line *l = &all->line[i];
        free(l->method);
        free(l->x);
        free(l->mean);
        free(l->low);
        free(l->high);
    }
    free(all->line);
    free(all->y_name);
}

/* ---- CSV ---- */

static int64_t find_column(const rung_table *t, const char *name)
{
    for (int64_t j = 0; j < rung_table_columns(t); j++)
        if (!strcmp(rung_table_name(t, j), name)) return j;
    return -1;
}

static bool cell_number(const rung_table *t, int64_t row, int64_t column, double *out)
{
    char text[64];
    return column >= 0 && rung_table_cell(t, row, column, text, sizeof text) < (int64_t)sizeof text &&
           parse_double(text, out);
}

static int read_table(const arguments *args, const rung_table *t, curve_lines *out)
{
    const char *path = operand(args, 1), *metric = option_value(args, "metric");
    int64_t method = find_column(t, "method"), variant = find_column(t, "unlabelled"),
            labels = find_column(t, "labels"), mean = find_column(t, metric ? metric : "mean"),
            low = find_column(t, "low"), high = find_column(t, "high"), strategy = find_column(t, "strategy");
    if (labels < 0 || mean < 0) {
        complain("plot: %s: expected the output of 'rung curve': columns labels and %s, optionally method, unlabelled, "
                 "low, high",
                 path, metric ? metric : "mean");
        return FAILED;
    }
    out->room = rung_table_rows(t);
    out->line = allocate((size_t)out->room, sizeof *out->line);
    out->banded = low >= 0 && high >= 0 && (!metric || !strcmp(metric, "mean")); /* they are those of the mean */
    out->errors = find_column(t, "se") >= 0;
    char shown[64] = "error";
    int64_t metric_column = find_column(t, "metric");
    if (metric)
        snprintf(shown, sizeof shown, "%s", metric);
    else if (metric_column >= 0 && out->room > 0)
        rung_table_cell(t, 0, metric_column, shown, sizeof shown);
    out->y_name = text_of("%s", shown);
    for (int64_t i = 0; i < out->room; i++) {
        char name[128] = "all methods", which[16] = "with", how[64] = "", shown_as[200];
        double x, y, from, to;
        if (!cell_number(t, i, mean, &y)) continue; /* nothing was measured there */
        if (!cell_number(t, i, labels, &x)) {
            complain("plot: %s: row %lld: the number of labels is not a number", path, (long long)i + 1);
            return FAILED;
        }
        if (method >= 0) rung_table_cell(t, i, method, name, sizeof name);
        if (variant >= 0) rung_table_cell(t, i, variant, which, sizeof which);
        if (strategy >= 0) rung_table_cell(t, i, strategy, how, sizeof how);
        snprintf(shown_as, sizeof shown_as, "%s%s%s", name, *how ? ", " : "", how);
        bool band = cell_number(t, i, low, &from) && cell_number(t, i, high, &to);
        add_point(line_of(out, shown_as, strcmp(which, "without") != 0), x, y, band ? from : y, band ? to : y);
    }
    return EXIT_OK;
}

/* ---- JSON ---- */

static double number_at(const json_t *list, size_t i)
{
    const json_t *item = json_array_get(list, i);
    return json_is_number(item) ? json_number_value(item) : NAN;
}

static int read_json(const char *path, const json_t *all, curve_lines *out)
{
    const json_t *sizes = json_object_get(all, "sizes"), *lines = json_object_get(all, "lines"), *one;
    const char *metric = json_string_value(json_object_get(all, "metric"));
    size_t i;
    if (!json_is_array(sizes) || !json_is_array(lines)) {
        complain("plot: %s: this JSON is not the output of 'rung curve --json'", path);
        return FAILED;
    }
    out->room = (int64_t)(json_array_size(sizes) + json_array_size(lines));
    out->line = allocate((size_t)out->room, sizeof *out->line);
    out->banded = out->errors = true;
    out->y_name = text_of("%s", metric ? metric : "error");
    json_array_foreach(lines, i, one)
    {
        const char *method = json_string_value(json_object_get(one, "method"));
        const char *strategy = json_string_value(json_object_get(one, "strategy"));
        char *name = text_of("%s%s%s", method ? method : "", strategy ? ", " : "", strategy ? strategy : "");
        curve_line *l = line_of(out, name, json_is_true(json_object_get(one, "unlabelled")));
        free(name);
        for (size_t k = 0; k < json_array_size(sizes) && l->n < out->room; k++) {
            const json_t *labels = json_object_get(json_array_get(sizes, k), "labels");
            double mean = number_at(json_object_get(one, "mean"), k), se = number_at(json_object_get(one, "se"), k);
            if (isnan(mean) || !json_is_number(labels)) continue;
            if (isnan(se)) se = 0;
            add_point(l, json_number_value(labels), mean, mean - se, mean + se);
        }
    }
    return EXIT_OK;
}

static json_t *load_json(const char *path)
{
    char first = 0;
    FILE *file = strcmp(path, "-") ? fopen(path, "rb") : NULL;
    json_t *all = NULL;
    if (file && fscanf(file, " %c", &first) == 1 && first == '{') all = json_load_file(path, 0, NULL);
    if (file) fclose(file);
    return all;
}

/* ---- the figure ---- */

/* A line without the unlabelled rows is labelled so, and paler, if the same method is also shown with them. */
static bool has_rival(const curve_lines *all, int i)
{
    for (int k = 0; k < all->lines; k++)
        if (k != i && !strcmp(all->line[k].method, all->line[i].method)) return true;
    return false;
}

static int draw_lines(session *s, const arguments *args, const curve_lines *all)
{
    curve_series *series = allocate((size_t)all->lines, sizeof *series);
    char **name = allocate((size_t)all->lines, sizeof *name);
    int methods = 0;
    for (int i = 0; i < all->lines; i++) {
        const curve_line *l = &all->line[i];
        int index = -1;
        for (int k = 0; k < i && index < 0; k++)
            if (!strcmp(all->line[k].method, l->method)) index = series[k].index;
        bool rival = has_rival(all, i);
        name[i] = rival ? text_of("%s, %s unlabelled rows", l->method, l->with ? "with" : "without")
                        : text_of("%s", l->method);
        series[i] = (curve_series){.name = name[i],
                                   .index = index < 0 ? methods++ : index,
                                   .faint = rival && !l->with,
                                   .n = l->n,
                                   .x = l->x,
                                   .mean = l->mean,
                                   .low = all->banded ? l->low : NULL,
                                   .high = all->banded ? l->high : NULL};
    }
    char *detail = text_of("%s against the number of labelled rows, %d lines.", all->y_name, all->lines);
    figure f = {.kind = FIGURE_CURVE,
                .title = plot_title(args, "Error by number of labels"),
                .detail = detail,
                .of.curve = {.x_name = "labelled rows", .y_name = all->y_name, .series = all->lines, .line = series}};
    f.of.curve.title = f.title;
    if (all->banded) f.of.curve.note = all->errors ? "bands: ± one standard error" : "bands: from low to high";
    int code = plot_write(s, args, &f);
    for (int i = 0; i < all->lines; i++) free(name[i]);
    free(name);
    free(series);
    free(detail);
    return code;
}

int plot_curve(session *s, const arguments *args)
{
    const char *path = operand(args, 1);
    curve_lines all = {0};
    rung_table *t = NULL;
    json_t *json = load_json(path);
    if (json && option_given(args, "metric")) {
        complain("plot: --metric is a column of a table; %s is the JSON of one metric", path);
        json_decref(json);
        return USAGE;
    }
    int code = json ? read_json(path, json, &all) : datafile_read(s, args, path, &t);
    if (code == EXIT_OK && t) code = read_table(args, t, &all);
    if (code == EXIT_OK && all.lines == 0) {
        complain("plot: %s has no numbers to plot", path);
        code = FAILED;
    }
    if (code == EXIT_OK) code = draw_lines(s, args, &all);
    lines_free(&all);
    json_decref(json);
    rung_table_free(t);
    return code;
}
