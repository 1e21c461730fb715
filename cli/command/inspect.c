// SPDX-License-Identifier: BSD-3-Clause
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/command.h"
#include "core/output.h"
#include "data/contents.h"
#include "data/datafile.h"
#include "explain/coefficients.h"
#include "explain/random.h"
#include "explain/regression.h"

static const option inspect_options[] = {
    {"output", 'o', "FILE", "write the coefficients: .csv, .tex (a LaTeX table) or .html", "Coefficients"}, {0}};
static const option *const tables[] = {inspect_options, global_options, NULL};

enum { MARGIN = 15 };

/* One entry of the page: its name, then text that is built with fprintf and wrapped when it ends. */
typedef struct {
    FILE *stream;
    char *text;
    size_t size;
} entry;

static FILE *entry_open(entry *e, const char *name)
{
    printf("%-*s", MARGIN, name);
    *e = (entry){0};
    e->stream = open_memstream(&e->text, &e->size);
    if (!e->stream) {
        complain("out of memory");
        exit(FAILED);
    }
    return e->stream;
}

static void entry_close(entry *e)
{
    fclose(e->stream);
    make_printable(e->text);
    wrap_text(stdout, e->text, MARGIN, MARGIN);
    free(e->text);
}

/* An entry that is one formatted text. */
__attribute__((format(printf, 2, 3))) static void put(const char *name, const char *format, ...)
{
    entry e;
    va_list list;
    va_start(list, format);
    vfprintf(entry_open(&e, name), format, list);
    va_end(list);
    entry_close(&e);
}

static void print_params(const rung_model *model)
{
    entry e;
    FILE *f = entry_open(&e, "parameters");
    const char *name, *value, *between = "";
    for (int i = 0; (name = rung_model_param_at(model, i, &value)); i++) {
        if (!value) continue;
        fprintf(f, "%s%s=%s", between, name, value);
        between = " ";
    }
    if (!*between) fputs("none", f);
    entry_close(&e);
}

/* Numbers with six digits; --json has the exact ones. */
static void put_numbers(FILE *f, const char *name, int64_t n, const double *value)
{
    char *text = numbers_text(n, value, ",");
    fprintf(f, "%s%s", name, text);
    free(text);
}

static void print_kernel(const rung_model *model)
{
    rung_member one = {.size = sizeof one};
    entry e;
    if (!strcmp(rung_model_scorer(model), "average") || !rung_model_member(model, 0, &one) || !one.kernel) return;
    FILE *f = entry_open(&e, "kernel");
    fprintf(f, "kind=%s", one.kernel);
    if (!isnan(one.gamma)) fprintf(f, " gamma=%.6g", one.gamma);
    if (one.degree) fprintf(f, " degree=%d coef0=%.6g", one.degree, one.coef0);
    if (one.precisions) put_numbers(f, " precisions=", one.n_precisions, one.precisions);
    entry_close(&e);
}

static void print_classes(const rung_model *model)
{
    entry e;
    FILE *f = entry_open(&e, "classes");
    for (int k = 1; k <= rung_model_classes(model); k++)
        fprintf(f, "%s%s%s", k > 1 ? " < " : "", rung_model_class_name(model, k),
                rung_model_class_present(model, k) ? "" : " (no labelled rows: never predicted)");
    entry_close(&e);
}

static void put_column_name(FILE *f, const rung_model *model, int64_t column)
{
    const char *name = rung_model_column(model, column, NULL);
    if (*name)
        fputs(name, f);
    else
        fprintf(f, "x%lld", (long long)column + 1);
}

/* A column of the file that is no feature: others are derived from it. */
static bool is_hidden(const rung_model *model, int64_t input)
{
    return rung_model_input(model, input) >= rung_model_columns(model);
}

static void print_columns(const rung_model *model)
{
    entry e;
    FILE *f = entry_open(&e, "columns");
    for (int64_t j = 0; j < rung_model_columns(model); j++) {
        const char *category;
        if (j) fputs(", ", f);
        put_column_name(f, model, j);
        for (int c = 0; (category = rung_model_category(model, j, c)); c++)
            fprintf(f, "%s%s", c ? ", " : " (", *category ? category : "missing");
        if (rung_model_category(model, j, 0)) fputc(')', f);
    }
    entry_close(&e);
    int64_t hidden = 0;
    for (int64_t i = 0; i < rung_model_inputs(model); i++) hidden += is_hidden(model, i);
    if (hidden == 0) return;
    f = entry_open(&e, "only derived");
    for (int64_t i = 0, listed = 0; i < rung_model_inputs(model); i++) {
        if (!is_hidden(model, i)) continue;
        if (listed++) fputs(", ", f);
        put_column_name(f, model, rung_model_input(model, i));
    }
    entry_close(&e);
}

/* The members of an average, the heaviest first. */
static int heavier(const void *a, const void *b)
{
    double x = ((const rung_member *)a)->weight, y = ((const rung_member *)b)->weight;
    return (x < y) - (x > y);
}

static void put_member(FILE *f, const rung_member *one)
{
    fprintf(f, "%.3f %s", one->weight, one->kind);
    if (one->trees) fprintf(f, " (%lld with %lld leaves)", (long long)one->trees, (long long)one->leaves);
    if (!one->kernel && !one->neighbours) return;
    fprintf(f, " (%s%s", one->weighted ? "weighted " : "", !strcmp(one->scale, "rank") ? "ranks" : "columns");
    if (one->kernel) {
        fprintf(f, ", %s", one->kernel);
        if (!isnan(one->gamma)) fprintf(f, " gamma=%.3g", one->gamma);
        if (!isnan(one->variance)) fprintf(f, " variance=%g", one->variance);
    }
    if (one->neighbours) fprintf(f, ", %lld neighbours, power=%g", (long long)one->neighbours, one->power);
    fputc(')', f);
}

static void print_members(const rung_model *model)
{
    rung_member one = {.size = sizeof one};
    size_t n = 0;
    if (strcmp(rung_model_scorer(model), "average") != 0) return;
    while (rung_model_member(model, (int)n, &one)) n++;
    rung_member *list = allocate(n, sizeof *list);
    for (size_t i = 0; i < n; i++) {
        list[i].size = sizeof one;
        rung_model_member(model, (int)i, &list[i]);
    }
    qsort(list, n, sizeof *list, heavier);
    for (size_t i = 0; i < n; i++) {
        entry e;
        put_member(entry_open(&e, i ? "" : "members"), &list[i]);
        entry_close(&e);
    }
    free(list);
}

typedef struct {
    int64_t column;
    double share;
} gain;

static int larger_gain(const void *a, const void *b)
{
    const gain *x = a, *y = b;
    if (x->share != y->share) return x->share < y->share ? 1 : -1;
    return x->column < y->column ? -1 : 1;
}

/* The number of trees, and the columns by the gain of their splits, largest first; columns without a split are
 * omitted. */
static void print_trees(const rung_model *model)
{
    int64_t leaves, trees = rung_model_trees(model, &leaves), n = rung_model_columns(model);
    if (trees == 0) return;
    put("trees", "%lld with %lld leaves", (long long)trees, (long long)leaves);
    gain *list = allocate((size_t)n, sizeof *list);
    for (int64_t j = 0; j < n; j++) list[j] = (gain){j, rung_model_gain(model, j)};
    qsort(list, (size_t)n, sizeof *list, larger_gain);
    entry e;
    FILE *f = entry_open(&e, "gain");
    for (int64_t i = 0; i < n && list[i].share > 0; i++) {
        if (i) fputs(", ", f);
        put_column_name(f, model, list[i].column);
        fprintf(f, " %.1f %%", 100 * list[i].share);
    }
    entry_close(&e);
    free(list);
}

static void print_thresholds(const rung_model *model)
{
    int n = rung_model_thresholds(model, 0, NULL);
    double *threshold = allocate((size_t)n, sizeof *threshold);
    entry e;
    rung_model_thresholds(model, n, threshold);
    if (n) {
        put_numbers(entry_open(&e, "thresholds"), "", n, threshold);
        entry_close(&e);
    }
    free(threshold);
}

/* The costs it answers by: a row per true class. */
static void print_cost(const rung_model *model)
{
    double abstain;
    const double *cost = rung_model_cost(model, &abstain);
    int n = rung_model_classes(model);
    for (int y = 0; cost && y < n; y++) {
        entry e;
        FILE *f = entry_open(&e, y ? "" : "costs");
        fprintf(f, "%s:", rung_model_class_name(model, y + 1));
        for (int a = 0; a < n; a++) fprintf(f, " %g", cost[y * n + a]);
        entry_close(&e);
    }
    if (cost && abstain > 0) put("", "no answer: %g", abstain);
}

static void print_report(const rung_model *model)
{
    entry e;
    const double *value;
    const char *name;
    int64_t n;
    if (!rung_model_report_at(model, 0, &value, &n)) return;
    FILE *f = entry_open(&e, "report");
    for (int i = 0; (name = rung_model_report_at(model, i, &value, &n)); i++) {
        fprintf(f, "%s%s", i ? " " : "", name);
        put_numbers(f, "=", n < 0 ? 1 : n, value);
    }
    entry_close(&e);
}

/* Whether the report of the model has a number of this name. */
static bool reports(const rung_model *model, const char *key)
{
    const double *value;
    const char *name;
    int64_t n;
    for (int i = 0; (name = rung_model_report_at(model, i, &value, &n)); i++)
        if (!strcmp(name, key)) return true;
    return false;
}

/* In which forms rung export can write it. */
static void print_export(const rung_model *model)
{
    entry e;
    const char *form;
    rung_random_term term = {.size = sizeof term};
    if (rung_model_random_term(model, 0, &term)) return;
    FILE *f = entry_open(&e, "export");
    for (int i = 0; (form = rung_export_target(i)); i++) fprintf(f, "%s.%s", i ? ", " : "", form);
    if (rung_model_export_rows(model) > 0) fputs(", with training rows in it (--with-rows)", f);
    entry_close(&e);
}

static void print_page(const char *path, const rung_model *model)
{
    const rung_method *method = rung_method_find(rung_model_method(model));
    const char *label = rung_model_label(model), *intervals = rung_model_interval(model);
    rung_metrics cv = {.size = sizeof cv};
    int64_t stored = rung_model_stored_rows(model);
    put("model", "%s", path);
    put("method", "%s%s%s", rung_model_method(model), method ? ", " : "", method ? method->title : "");
    print_params(model);
    print_kernel(model);
    print_classes(model);
    print_members(model);
    print_trees(model);
    print_thresholds(model);
    put("fitted to", "%lld rows, %lld labelled", (long long)rung_model_rows(model),
        (long long)rung_model_labelled(model));
    print_columns(model);
    put("label column", "%s", *label ? label : "without a name");
    put("scaling", "%s", rung_model_scale(model));
    if (rung_model_cv(model, &cv))
        put("error", "mae %s%.3f (%.3f to %.3f) over %lld held-out rows%s%s", cv.intervals ? "at least " : "", cv.mae,
            cv.mae_low, cv.mae_high, (long long)cv.n, cv.intervals ? ", of which some have intervals as labels" : "",
            reports(model, "winner_mae")      ? "; corrected for the choice among several points, see winner_mae"
            : reports(model, "corrected_mae") ? "; the best of several points, see corrected_mae"
                                              : "");
    else
        put("error", "not estimated by the fit");
    put("probabilities", "%s",
        !rung_model_has_probabilities(model) ? "no"
        : rung_model_tempered(model)         ? "yes, flattened as held-out rows justify"
                                             : "yes");
    put("intervals", "%s", intervals ? intervals : "none");
    print_report(model);
    print_cost(model);
    const char *fact, *value;
    for (int i = 0; (fact = rung_model_note_at(model, i, &value)); i++)
        put(i ? "" : "made with", "%s: %s", fact, value);
    if (rung_model_stored_groups(model) > 0)
        put("privacy", "the file contains %lld scaled training rows and the names of their %lld groups",
            (long long)stored, (long long)rung_model_stored_groups(model));
    else if (stored > 0)
        put("privacy", "the file contains %lld scaled training rows", (long long)stored);
    else
        put("privacy", "the file contains no training rows");
    if (rung_model_training_rows(model) > 0)
        put("", "it contains the predictions for its %lld training rows, and their labels",
            (long long)rung_model_training_rows(model));
    print_export(model);
    put("written by", "rung %s, file format %d", rung_model_library(model), rung_model_format());
    coefficients_text(stdout, model);
    random_text(stdout, model);
}

static int write_table(const char *output_path, const char *path, const rung_model *model)
{
    output o;
    rung_coefficient c = {.size = sizeof c};
    if (!rung_model_coefficient(model, 0, 0, &c) || rung_model_outputs(model) != 1) {
        complain("inspect: %s has no coefficients to write: its score is not linear in the columns", path);
        return FAILED;
    }
    if (!output_open(&o, output_path)) return FAILED;
    regression_write(o.file, table_form_of(output_path), model, path);
    return output_keep(&o) ? EXIT_OK : FAILED;
}

static int inspect_run(session *s, const arguments *args)
{
    const char *path = operand(args, 0), *table = option_value(args, "output");
    rung_model *model;
    if (table && table_form_of(table) == TABLE_NONE) {
        complain("inspect: -o %s: the name must end in .csv, .tex or .html", table);
        return USAGE;
    }
    int code = load_model(s, path, &model);
    if (code != EXIT_OK) return code;
    if (table) {
        code = write_table(table, path, model);
    } else if (s->json) {
        char *text;
        code = session_check(s, rung_model_describe(s->ctx, model, &text));
        if (code == EXIT_OK) puts(text);
        rung_free(text);
    } else {
        print_page(path, model);
    }
    rung_model_free(model);
    return code;
}

static const example examples[] = {
    {"rung inspect model.rung", "method, parameters, classes, thresholds, columns"},
    {"rung inspect model.rung -o table.tex", "the coefficients of a linear model as a LaTeX table (or .csv, .html)"},
    {"rung inspect model.rung --json", "the same, for use in a program"},
    {0}};

const command command_inspect = {.name = "inspect",
                                 .operands = "MODEL",
                                 .help = "show the contents of a model",
                                 .about = "",
                                 .options = tables,
                                 .examples = examples,
                                 .run = inspect_run};
