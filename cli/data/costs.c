// SPDX-License-Identifier: BSD-3-Clause
#include "data/costs.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GROUP "Costs"
const option cost_options[] = {
    {"cost", 0, "FILE|absolute|squared|zero-one|up=U,down=D",
     "answer what is expected to cost least: |error|, its square, 1 per mistake, or so much per class too high and too "
     "low; "
     "FILE: a CSV matrix, a row per true class and a column per answer, in their order or with their names",
     GROUP},
    {"abstain", 0, "COST", "answer 'unsure' where every answer is expected to cost more than this", GROUP},
    {0}};

typedef struct { /* the classes of a model or of data */
    const rung_model *model;
    const rung_data *data;
    int n;
} class_list;

static const char *class_at(const class_list *c, int k) /* from 0 */
{
    return c->model ? rung_model_class_name(c->model, k + 1) : rung_data_class_name(c->data, k + 1);
}

/* By its name or, where both are numbers, by value; -1: none. */
static int class_called(const class_list *c, const char *text)
{
    double x, y;
    for (int k = 0; k < c->n; k++)
        if (!strcmp(class_at(c, k), text)) return k;
    for (int k = 0; k < c->n && parse_double(text, &x); k++)
        if (parse_double(class_at(c, k), &y) && x == y) return k;
    return -1;
}

typedef struct { /* a file of costs, each cell as it stands */
    session *s;
    const char *path;
    rung_table *cells;
    class_list classes;
    int64_t names_above, names_before; /* 1: a row, a column of names */
} cost_file;

static char *cell_of(const cost_file *f, int64_t row, int64_t column) /* to be freed */
{
    int64_t length = rung_table_cell(f->cells, row, column, NULL, 0);
    char *text = allocate((size_t)length + 1, 1);
    rung_table_cell(f->cells, row, column, text, length + 1);
    return text;
}

/* class[i] of the i-th row or column of costs: in their order where there are no names. */
static int read_names(const cost_file *f, bool above, int *class)
{
    const class_list *c = &f->classes;
    bool named = above ? f->names_above : f->names_before, *seen = allocate((size_t)c->n, sizeof *seen);
    int code = EXIT_OK;
    for (int i = 0; code == EXIT_OK && i < c->n; i++) {
        int64_t row = above ? 0 : i + f->names_above, column = above ? i + f->names_before : 0;
        char *text = named ? cell_of(f, row, column) : NULL;
        class[i] = named ? class_called(c, text) : i;
        if (class[i] < 0 || seen[class[i]]) {
            complain("%s: --cost %s, row %lld, column %lld: '%s' %s; expected the name of each class once",
                     f->s->command, f->path, (long long)row + 1, (long long)column + 1, text,
                     class[i] < 0 ? "is not one of the classes" : "stands there twice");
            code = FAILED;
        } else {
            seen[class[i]] = true;
        }
        free(text);
    }
    free(seen);
    return code;
}

static int read_costs(const cost_file *f, const int *truth, const int *answer, double *out)
{
    for (int y = 0; y < f->classes.n; y++)
        for (int a = 0; a < f->classes.n; a++) {
            int64_t row = y + f->names_above, column = a + f->names_before;
            char *text = cell_of(f, row, column);
            bool good = parse_double(text, &out[truth[y] * f->classes.n + answer[a]]);
            if (!good)
                complain("%s: --cost %s, row %lld, column %lld: '%s' is not a number", f->s->command, f->path,
                         (long long)row + 1, (long long)column + 1, text);
            free(text);
            if (!good) return FAILED;
        }
    return EXIT_OK;
}

/* A matrix of numbers. Names of the classes may stand above it and before it, in any order. */
static int read_matrix(session *s, const char *path, const class_list *classes, double *out)
{
    cost_file f = {.s = s, .path = path, .classes = *classes};
    rung_read_options how = {.size = sizeof how, .format = "csv", .header = RUNG_HEADER_ABSENT, .text = 1};
    CHECK(s, rung_table_read(s->ctx, path, &how, &f.cells));
    int64_t rows = rung_table_rows(f.cells), columns = rung_table_columns(f.cells);
    int *truth = allocate((size_t)classes->n, sizeof *truth), *answer = allocate((size_t)classes->n, sizeof *answer);
    int code = EXIT_OK;
    f.names_above = rows == classes->n + 1;
    f.names_before = columns == classes->n + 1;
    if (rows - f.names_above != classes->n || columns - f.names_before != classes->n) {
        complain("%s: --cost %s: it has %lld rows and %lld columns, but there are %d classes: expected a row per true "
                 "class and a column per answer; the names of the classes may stand above and before them",
                 s->command, path, (long long)rows, (long long)columns, classes->n);
        code = FAILED;
    }
    if (code == EXIT_OK) code = read_names(&f, false, truth);
    if (code == EXIT_OK) code = read_names(&f, true, answer);
    if (code == EXIT_OK) code = read_costs(&f, truth, answer, out);
    free(truth);
    free(answer);
    rung_table_free(f.cells);
    return code;
}

static bool is_rule(const char *text)
{
    return !strcmp(text, "absolute") || !strcmp(text, "squared") || !strcmp(text, "zero-one") ||
           !strncmp(text, "up=", 3) || !strncmp(text, "down=", 5);
}

int costs_read(session *s, const arguments *args, const rung_model *model, const rung_data *data, costs *out)
{
    class_list of = {model, data, model ? rung_model_classes(model) : rung_data_classes(data)};
    int classes = of.n;
    const char *cost = option_value(args, "cost"), *abstain = option_value(args, "abstain");
    *out = (costs){0};
    if (abstain && (!parse_double(abstain, &out->abstain) || !(out->abstain > 0))) {
        complain("%s: --abstain %s: expected a cost above 0", s->command, abstain);
        return USAGE;
    }
    if (!cost && !abstain) return EXIT_OK;
    if (classes < 1) {
        complain("%s: --cost and --abstain need classes, not numbers", s->command);
        return USAGE;
    }
    if (!cost) return EXIT_OK;
    out->matrix = allocate((size_t)classes * (size_t)classes, sizeof *out->matrix);
    if (is_rule(cost)) CHECK(s, rung_cost_parse(s->ctx, cost, classes, out->matrix));
    int code = is_rule(cost) ? EXIT_OK : read_matrix(s, cost, &of, out->matrix);
    if (code == EXIT_OK && rung_cost_check(s->ctx, classes, out->matrix, out->abstain) != RUNG_OK) {
        complain("%s: --cost %s: %s", s->command, cost, rung_ctx_message(s->ctx));
        code = FAILED;
    }
    return code;
}

double costs_always(const rung_model *model)
{
    double abstain = 0;
    rung_model_cost(model, &abstain);
    return abstain > 0 ? DBL_MAX : 0;
}

/* Of the classes in an interval, the one that makes the answer cost least. */
static double cost_of(const labels *truth, int64_t i, int answer, const double *matrix)
{
    double least = INFINITY;
    for (int y = truth->rank[i]; y <= (truth->upper ? truth->upper[i] : truth->rank[i]); y++)
        least = fmin(least, matrix[(y - 1) * truth->classes + answer - 1]);
    return least;
}

double costs_mean(const labels *truth, const int *rank, const double *matrix, double abstain)
{
    double sum = 0, labelled = 0;
    for (int64_t i = 0; matrix && i < truth->n; i++) {
        double weight = truth->weight ? truth->weight[i] : 1;
        if (!truth->rank[i]) continue;
        labelled += weight;
        sum += weight * (rank[i] ? cost_of(truth, i, rank[i], matrix) : abstain);
    }
    return labelled > 0 ? sum / labelled : NAN;
}
