// SPDX-License-Identifier: BSD-3-Clause
/* Figures of results: ranks from the file of an experiment or from a table, label curves from what `rung curve` wrote.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "datafile.h"
#include "experiment/report.h"
#include "plot/kinds.h"

static char *cell_text(const rung_table *t, int64_t row, int64_t column)
{
    int64_t length = rung_table_cell(t, row, column, NULL, 0);
    char *text = allocate((size_t)length + 1, 1);
    rung_table_cell(t, row, column, text, length + 1);
    return text;
}

static bool cell_number(const rung_table *t, int64_t row, int64_t column, double *out)
{
    char text[64];
    return rung_table_cell(t, row, column, text, sizeof text) < (int64_t)sizeof text && parse_double(text, out);
}

/* ---- ranks ---- */

static int draw_ranks(session *s, const arguments *args, int n, int k, const char *const *name, const double *mean_rank,
                      double alpha, const char *metric)
{
    char *title = text_of("Mean ranks by %s on %d data sets", metric, n);
    char *detail = text_of("Critical difference diagram of %d methods:", k);
    for (int j = 0; j < k; j++) {
        char *more = text_of("%s%s %s %.3f", detail, j ? "," : "", name[j], mean_rank[j]);
        free(detail);
        detail = more;
    }
    figure f = {.kind = FIGURE_RANKS,
                .detail = detail,
                .of.ranks = {.title = plot_title(args, title),
                             .methods = k,
                             .n = n,
                             .name = name,
                             .mean_rank = mean_rank,
                             .alpha = alpha}};
    f.title = f.of.ranks.title;
    int code = plot_write(s, args, &f);
    free(title);
    free(detail);
    return code;
}

static bool is_database(const char *path)
{
    char head[16] = "";
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    size_t n = fread(head, 1, sizeof head, file);
    fclose(file);
    return n == sizeof head && !memcmp(head, "SQLite format 3", 16);
}

static int ranks_of_database(session *s, const arguments *args, const report_choices *choices)
{
    store db = {0};
    results r = {0};
    int code = report_read(args, operand(args, 1), choices, &db, &r);
    if (code == GOOD) {
        comparison c = comparison_new(&r, choices->alpha, -1);
        const char **name = allocate((size_t)r.methods, sizeof *name);
        for (int j = 0; j < r.methods; j++) name[j] = r.method[j].name;
        if (c.tested) {
            code = draw_ranks(s, args, c.n, c.k, name, c.mean_rank, choices->alpha, choices->metric);
        } else {
            complain("plot: ranks need two methods and two data sets that all methods have finished; %s has %d and %d",
                     operand(args, 1), c.k, c.n);
            code = FAILED;
        }
        free(name);
        comparison_free(&c);
    }
    results_free(&r);
    store_close(&db);
    return code;
}

/* A row per data set, a column per method; a first column of text holds the names of the data sets. */
static int ranks_of_table(session *s, const arguments *args, const report_choices *choices, const rung_table *t)
{
    int64_t rows = rung_table_rows(t), columns = rung_table_columns(t);
    double first;
    int skip = rows > 0 && columns > 0 && !cell_number(t, 0, 0, &first), k = (int)columns - skip;
    if (rows < 2 || k < 2) {
        complain("plot: %s: expected a row per data set and a column per method, two of each at least",
                 operand(args, 1));
        return FAILED;
    }
    double *value = allocate((size_t)rows * (size_t)k, sizeof *value),
           *mean_rank = allocate((size_t)k, sizeof *mean_rank);
    const char **name = allocate((size_t)k, sizeof *name);
    int code = GOOD;
    for (int j = 0; j < k; j++) name[j] = rung_table_name(t, j + skip);
    for (int64_t i = 0; i < rows && code == GOOD; i++)
        for (int j = 0; j < k && code == GOOD; j++) {
            double *at = &value[i * k + j];
            if (!cell_number(t, i, j + skip, at)) {
                complain("plot: %s: row %lld, column %s: expected a number", operand(args, 1), (long long)i + 1,
                         name[j]);
                code = FAILED;
            }
            if (choices->larger_better) *at = -*at;
        }
    if (code == GOOD) {
        statistics_friedman((int)rows, k, value, mean_rank);
        code = draw_ranks(s, args, (int)rows, k, name, mean_rank, choices->alpha, choices->metric);
    }
    free(value);
    free(mean_rank);
    free(name);
    return code;
}

int plot_ranks(session *s, const arguments *args)
{
    report_choices choices;
    rung_table *t = NULL;
    int code = report_read_choices(s, args, &choices);
    if (code != GOOD) return code;
    if (is_database(operand(args, 1))) return ranks_of_database(s, args, &choices);
    code = datafile_read(s, args, operand(args, 1), &t);
    if (code == GOOD) code = ranks_of_table(s, args, &choices, t);
    rung_table_free(t);
    return code;
}

/* ---- curve ---- */

/* The column of one of these names; -1: none. */
static int64_t find_column(const rung_table *t, const char *const *names)
{
    for (; *names; names++)
        for (int64_t j = 0; j < rung_table_columns(t); j++)
            if (!strcmp(rung_table_name(t, j), *names)) return j;
    return -1;
}

typedef struct {
    char *method, *variant; /* variant "": there is none */
    int n;
    double *x, *mean, *low, *high;
} curve_line;

typedef struct {
    int lines;
    curve_line *line;
} curve_lines;

static curve_line *line_of(curve_lines *all, const char *method, const char *variant, int64_t rows)
{
    for (int i = 0; i < all->lines; i++)
        if (!strcmp(all->line[i].method, method) && !strcmp(all->line[i].variant, variant)) return &all->line[i];
    curve_line *l = &all->line[all->lines++];
    size_t room = (size_t)rows;
    *l = (curve_line){.method = text_of("%s", method),
                      .variant = text_of("%s", variant),
                      .x = allocate(room, sizeof *l->x),
                      .mean = allocate(room, sizeof *l->mean),
                      .low = allocate(room, sizeof *l->low),
                      .high = allocate(room, sizeof *l->high)};
    return l;
}

static void lines_free(curve_lines *all)
{
    for (int i = 0; i < all->lines; i++) {
        curve_line *l = &all->line[i];
        free(l->method);
        free(l->variant);
        free(l->x);
        free(l->mean);
        free(l->low);
        free(l->high);
    }
    free(all->line);
}

/* "without", "no", "0": the unlabelled rows were left out. */
static bool says_without(const char *variant)
{
    return !strcmp(variant, "without") || !strcmp(variant, "no") || !strcmp(variant, "0") || !strcmp(variant, "false");
}

typedef struct {
    int64_t method, variant, x, mean, low, high;
} curve_columns;

static int read_lines(const rung_table *t, const curve_columns *at, const char *path, curve_lines *out, bool *banded)
{
    int64_t rows = rung_table_rows(t);
    out->line = allocate((size_t)rows, sizeof *out->line);
    *banded = at->low >= 0 && at->high >= 0;
    for (int64_t i = 0; i < rows; i++) {
        double x, mean, low, high;
        if (!cell_number(t, i, at->mean, &mean)) continue; /* nothing was measured there */
        if (!cell_number(t, i, at->x, &x)) {
            complain("plot: %s: row %lld: the number of labels is no number", path, (long long)i + 1);
            return FAILED;
        }
        char *method = at->method < 0 ? text_of("error") : cell_text(t, i, at->method);
        char *variant = at->variant < 0 ? text_of("%s", "") : cell_text(t, i, at->variant);
        curve_line *l = line_of(out, method, variant, rows);
        bool band = *banded && cell_number(t, i, at->low, &low) && cell_number(t, i, at->high, &high);
        l->x[l->n] = x;
        l->mean[l->n] = mean;
        l->low[l->n] = band ? low : mean;
        l->high[l->n++] = band ? high : mean;
        free(method);
        free(variant);
    }
    return GOOD;
}

static int draw_lines(session *s, const arguments *args, const curve_lines *all, bool banded, const char *y_name)
{
    curve_series *series = allocate((size_t)all->lines, sizeof *series);
    char **name = allocate((size_t)all->lines, sizeof *name);
    int methods = 0;
    for (int i = 0; i < all->lines; i++) {
        const curve_line *l = &all->line[i];
        int index = -1;
        for (int k = 0; k < i && index < 0; k++)
            if (!strcmp(all->line[k].method, l->method)) index = series[k].index;
        bool without = says_without(l->variant);
        name[i] = *l->variant ? text_of("%s, %s unlabelled rows", l->method, without ? "without" : "with")
                              : text_of("%s", l->method);
        series[i] = (curve_series){.name = name[i],
                                   .index = index < 0 ? methods++ : index,
                                   .faint = without,
                                   .n = l->n,
                                   .x = l->x,
                                   .mean = l->mean,
                                   .low = banded ? l->low : NULL,
                                   .high = banded ? l->high : NULL};
    }
    char *title = text_of("What another label brings"),
         *detail = text_of("%s against the number of labelled rows, %d lines.", y_name, all->lines);
    figure f = {.kind = FIGURE_CURVE,
                .detail = detail,
                .of.curve = {.title = plot_title(args, title),
                             .x_name = "labelled rows",
                             .y_name = y_name,
                             .series = all->lines,
                             .line = series}};
    f.title = f.of.curve.title;
    int code = plot_write(s, args, &f);
    for (int i = 0; i < all->lines; i++) free(name[i]);
    free(name);
    free(series);
    free(title);
    free(detail);
    return code;
}

int plot_curve(session *s, const arguments *args)
{
    rung_table *t = NULL;
    const char *path = operand(args, 1), *metric = option_value(args, "metric");
    int code = datafile_read(s, args, path, &t);
    if (code != GOOD) return code;
    curve_columns at = {.method = find_column(t, (const char *const[]){"method", NULL}),
                        .variant = find_column(t, (const char *const[]){"unlabelled", NULL}),
                        .x = find_column(t, (const char *const[]){"labels", "labelled", NULL}),
                        .mean = find_column(t, (const char *const[]){metric ? metric : "mean", "mae", NULL}),
                        .low = find_column(t, (const char *const[]){"low", NULL}),
                        .high = find_column(t, (const char *const[]){"high", NULL})};
    curve_lines all = {0};
    bool banded = false;
    if (at.x < 0 || at.mean < 0) {
        complain(
            "plot: %s: expected what `rung curve` writes: columns labels and mean, and method, unlabelled, low, high",
            path);
        code = FAILED;
    } else {
        code = read_lines(t, &at, path, &all, &banded);
    }
    if (code == GOOD && all.lines == 0) {
        complain("plot: %s has no numbers to draw", path);
        code = FAILED;
    }
    if (code == GOOD) code = draw_lines(s, args, &all, banded, metric ? metric : "error");
    lines_free(&all);
    rung_table_free(t);
    return code;
}
