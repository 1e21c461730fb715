// SPDX-License-Identifier: BSD-3-Clause
#include "costs.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GROUP "Costs"
const option cost_options[] = {
    {"cost", 0, "FILE|absolute|squared|zero-one|up=U,down=D",
     "answer what is expected to cost least: |error|, its square, 1 per mistake, or so much per class too high and too "
     "low; "
     "FILE: a CSV matrix, a row per true class and a column per answer",
     GROUP},
    {"abstain", 0, "COST", "answer 'unsure' where every answer is expected to cost more than this", GROUP},
    {0}};

/* A matrix of numbers; a first column of names may stand before it. */
static int read_matrix(session *s, const char *path, int classes, double *out)
{
    rung_table *table;
    rung_read_options how = {.size = sizeof how, .format = "csv"};
    CHECK(s, rung_table_read(s->ctx, path, &how, &table));
    if (rung_table_rows(table) == classes - 1) { /* a word in the first line made names of it */
        rung_table_free(table);
        how.header = -1;
        CHECK(s, rung_table_read(s->ctx, path, &how, &table));
    }
    int64_t rows = rung_table_rows(table), columns = rung_table_columns(table), first = columns == classes + 1;
    int code = EXIT_OK;
    if (rows != classes || columns - first != classes) {
        complain(
            "%s: --cost %s: it has %lld rows and %lld columns, but there are %d classes: expected a row per true class "
            "and a column per answer",
            s->command, path, (long long)rows, (long long)(columns - first), classes);
        code = FAILED;
    }
    for (int y = 0; code == EXIT_OK && y < classes; y++)
        for (int a = 0; code == EXIT_OK && a < classes; a++) {
            char text[64];
            rung_table_cell(table, y, a + first, text, sizeof text);
            if (parse_double(text, &out[y * classes + a])) continue;
            complain("%s: --cost %s, row %d, column %d: '%s' is not a number", s->command, path, y + 1,
                     (int)(a + first) + 1, text);
            code = FAILED;
        }
    rung_table_free(table);
    return code;
}

static bool is_rule(const char *text)
{
    return !strcmp(text, "absolute") || !strcmp(text, "squared") || !strcmp(text, "zero-one") ||
           !strncmp(text, "up=", 3) || !strncmp(text, "down=", 5);
}

int costs_read(session *s, const arguments *args, int classes, costs *out)
{
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
    int code = is_rule(cost) ? EXIT_OK : read_matrix(s, cost, classes, out->matrix);
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
    double sum = 0;
    int64_t labelled = 0;
    for (int64_t i = 0; matrix && i < truth->n; i++) {
        if (!truth->rank[i]) continue;
        labelled++;
        sum += rank[i] ? cost_of(truth, i, rank[i], matrix) : abstain;
    }
    return labelled ? sum / (double)labelled : NAN;
}
