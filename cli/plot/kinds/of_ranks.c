// SPDX-License-Identifier: BSD-3-Clause
/* Figures of results: ranks from the database of an experiment or from a table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "data/datafile.h"
#include "experiment/report/report.h"
#include "plot/kinds/kinds.h"

static bool cell_number(const rung_table *t, int64_t row, int64_t column, double *out)
{
    char text[64];
    return rung_table_cell(t, row, column, text, sizeof text) < (int64_t)sizeof text && parse_double(text, out);
}

static int draw_ranks(session *s, const arguments *args, int n, int k, const char *const *name, const double *mean_rank,
                      double alpha, const char *metric)
{
    char *title = text_of("Mean ranks by %s on %d data sets", metric, n);
    char *detail = text_of("Critical difference diagram of %d methods:", k);
    for (int j = 0; j < k; j++) text_add(&detail, "%s %s %.3f", j ? "," : "", name[j], mean_rank[j]);
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

static int ranks_of_database(session *s, const arguments *args, report_choices *choices)
{
    store db = {0};
    results r = {0};
    int code = report_read(s, args, operand(args, 1), choices, &db, &r);
    if (code == EXIT_OK) {
        comparison c = comparison_new(&r, choices->alpha, -1);
        const char **name = allocate((size_t)r.methods, sizeof *name);
        for (int j = 0; j < r.methods; j++) name[j] = r.method[j].name;
        if (c.tested) {
            code = draw_ranks(s, args, c.n, c.k, name, c.mean_rank, choices->alpha, choices->metric);
        } else {
            complain("plot: ranks need two methods and two data sets finished by all methods; %s has %d and %d",
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

/* Whether the first column names the data sets: its header says so, no cell is a number, or they count the rows. */
static bool first_is_names(const rung_table *t)
{
    static const char *const heads[] = {"dataset", "data set", "data", "set", "name", NULL};
    int64_t rows = rung_table_rows(t), numbers = 0, counted = 0;
    double x, first = 0;
    if (!rung_table_columns(t)) return false;
    for (const char *const *head = heads; *head; head++)
        if (!strcasecmp(rung_table_name(t, 0), *head)) return true;
    for (int64_t i = 0; i < rows; i++) {
        if (!cell_number(t, i, 0, &x)) continue;
        if (numbers++ == 0) first = x;
        counted += x == first + (double)i;
    }
    return numbers == 0 || (counted == rows && (first == 0 || first == 1));
}

/* A row per data set, a column per method. */
static int ranks_of_table(session *s, const arguments *args, const report_choices *choices, const rung_table *t)
{
    int64_t rows = rung_table_rows(t), columns = rung_table_columns(t);
    int skip = first_is_names(t), k = (int)columns - skip;
    if (rows < 2 || k < 2) {
        complain("plot: %s: expected a row per data set and a column per method, at least two of each",
                 operand(args, 1));
        return FAILED;
    }
    double *value = allocate((size_t)rows * (size_t)k, sizeof *value),
           *mean_rank = allocate((size_t)k, sizeof *mean_rank);
    const char **name = allocate((size_t)k, sizeof *name);
    int code = EXIT_OK;
    for (int j = 0; j < k; j++) name[j] = rung_table_name(t, j + skip);
    for (int64_t i = 0; i < rows && code == EXIT_OK; i++)
        for (int j = 0; j < k && code == EXIT_OK; j++) {
            double *at = &value[i * k + j];
            if (!cell_number(t, i, j + skip, at)) {
                complain("plot: %s: row %lld, column %s: expected a number", operand(args, 1), (long long)i + 1,
                         name[j]);
                code = FAILED;
            }
            if (choices->larger_better) *at = -*at;
        }
    if (code == EXIT_OK) {
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
    if (code != EXIT_OK) return code;
    if (is_database(operand(args, 1))) return ranks_of_database(s, args, &choices);
    for (const char *const *own = (const char *const[]){"part", "methods", NULL}; *own; own++)
        if (option_given(args, *own)) {
            complain("plot: --%s is about the database of an experiment; %s is a table", *own, operand(args, 1));
            return USAGE;
        }
    code = datafile_read(s, args, operand(args, 1), &t);
    if (code == EXIT_OK) code = ranks_of_table(s, args, &choices, t);
    rung_table_free(t);
    return code;
}
