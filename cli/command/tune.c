// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/command.h"
#include "core/json_out.h"
#include "core/output.h"
#include "core/repeat.h"
#include "data/costs.h"
#include "data/datafile.h"
#include "data/learn.h"
#include "data/measures.h"
#include "processes/processes.h"

enum { SHOWN = 10 }; /* points in the table */

#define GROUP "Searching"
static const option tune_options[] = {
    {"method", 'm', "METHOD[,METHOD]", "methods to compare, see 'rung methods' (default {method})", GROUP},
    {"param", 'p', "NAME=VALUE", "fix a parameter instead of searching over it; may be repeated", GROUP},
    {"grid", 'g', "NAME=V1,V2,...", "values to try instead of the method's grid; may be repeated", GROUP},
    {"folds", 0, "N|loo", "number of folds of the labelled rows, or leave-one-out (default 5)", GROUP},
    {"repeats", 0, "N",
     "number of repeats with different folds (default: 5 up to 60 labelled rows, 2 up to 150, else 1)", GROUP},
    {"metric", 0, "KEY", "criterion: a key of 'rung metrics', evidence, or cost (default mae)", GROUP},
    {"groups", 0, "COLUMN", "column whose equal values are held out together; it is not a feature", GROUP},
    {"folds-file", 0, "FILE",
     "user-defined folds: a line per row of DATA and a column per repeat, with fold numbers; empty: never held out",
     GROUP},
    {"nested", 0, NULL, "also cross-validate the search itself, for an honest error estimate", GROUP},
    {"one-se", 0, NULL, "choose the smoothest model within one standard error of the best", GROUP},
    {"as-published", 0, NULL,
     "use the values and grids of the papers, the first minimum, and folds of single rows (equal rows may be "
     "separated)",
     GROUP},
    {"output", 'o', "MODEL", "file to write (default model.rung)", GROUP},
    {0}};
static const option *const tables[] = {tune_options, cost_options,   learn_options, reader_options,
                                       note_options, global_options, NULL};

typedef struct {
    char *path; /* what the data are called */
    const char *model_path;
    rung_data *data;
    rung_model *model;
    rung_tune_options how;
    const char **methods, **fixed, **grids, **weights;
    char *method_text;
    int *own_folds;
    rung_search *found;
    double seconds;
    costs given;
} tune_job;

/* ---- options ---- */

static bool read_count(const char *command_name, const arguments *args, const char *name, int low, int *out)
{
    const char *text = option_value(args, name);
    long long value;
    if (!text) return true;
    if (!parse_whole(text, low, 1000000, &value)) {
        complain("%s: --%s %s: expected a whole number >= %d%s", command_name, name, text, low,
                 strcmp(name, "folds") ? "" : ", or loo");
        return false;
    }
    *out = (int)value;
    return true;
}

static int read_options(session *s, const arguments *args, tune_job *job)
{
    rung_tune_options *how = &job->how;
    const char *methods = option_value(args, "method");
    const char *folds = option_value(args, "folds");
    how->leave_one_out = folds && !strcmp(folds, "loo");
    if ((!how->leave_one_out && !read_count(s->command, args, "folds", 2, &how->folds)) ||
        !read_count(s->command, args, "repeats", 1, &how->repeats))
        return USAGE;
    job->method_text = text_of("%s", methods ? methods : rung_method_default(0)->name);
    how->methods = job->methods = learn_list(job->method_text);
    how->fixed = job->fixed = learn_values(args, "param");
    how->grids = job->grids = learn_values(args, "grid");
    how->weights = job->weights = learn_values(args, "weight");
    how->scale = option_value(args, "scale");
    how->equal_rows = option_value(args, "equal-rows");
    how->metric = option_value(args, "metric");
    how->as_published = option_given(args, "as-published");
    how->nested = option_given(args, "nested");
    how->one_se = option_given(args, "one-se");
    for (const char **name = job->methods; *name; name++) { /* before any data is read */
        rung_spec *spec;
        CHECK(s, rung_spec_new(s->ctx, *name, how->as_published, &spec));
        rung_spec_free(spec);
    }
    return EXIT_OK;
}

/* ---- the user's folds ---- */

static int fold_cells(const rung_table *table, const char *path, int *out)
{
    int64_t rows = rung_table_rows(table), columns = rung_table_columns(table);
    for (int64_t c = 0; c < columns; c++)
        for (int64_t i = 0; i < rows; i++) {
            char text[32];
            long long fold = -1;
            int64_t length = rung_table_cell(table, i, c, text, sizeof text);
            if (length > 0 && (length >= (int64_t)sizeof text || !parse_whole(text, 0, rows - 1, &fold))) {
                complain("tune: %s, row %lld: '%s' is not a fold number (0 to %lld, or empty)", path, (long long)i + 1,
                         text, (long long)rows - 1);
                return FAILED;
            }
            out[c * rows + i] = (int)fold;
        }
    return EXIT_OK;
}

static int read_folds(session *s, const arguments *args, tune_job *job)
{
    const char *path = option_value(args, "folds-file");
    rung_table *table = NULL;
    if (!path) return EXIT_OK;
    CHECK(s, rung_table_read(s->ctx, path, &(rung_read_options){.size = sizeof(rung_read_options), .format = "csv"},
                             &table));
    int code = EXIT_OK;
    int64_t rows = rung_table_rows(table), columns = rung_table_columns(table);
    if (rows != rung_data_rows(job->data)) {
        complain("tune: %s has %lld rows, but the data have %lld", path, (long long)rows,
                 (long long)rung_data_rows(job->data));
        code = FAILED;
    } else {
        job->own_folds = allocate((size_t)(rows * columns), sizeof *job->own_folds);
        code = fold_cells(table, path, job->own_folds);
        job->how.own_folds = job->own_folds;
        job->how.own_repeats = (int)columns;
    }
    rung_table_free(table);
    return code;
}

/* ---- what is told ---- */

static char *point_text(const rung_search *found, int point)
{
    char *text = text_of("%s", rung_search_at(found, point)->method);
    const char *name, *value;
    for (int i = 0; (name = rung_search_param_at(found, point, i, &value)); i++) text_add(&text, " %s=%s", name, value);
    return text;
}

typedef struct {
    int index;
    double cost;
} ranked;

static int by_cost(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    return x->index - y->index;
}

/* The best points, the winner marked. */
static void tell_points(const rung_search *found)
{
    const rung_metric *metric = rung_search_metric(found);
    const rung_point *point;
    int n = 0, winner = rung_search_winner(found), failed = 0;
    while (rung_search_at(found, n)) n++;
    ranked *order = allocate((size_t)n, sizeof *order);
    for (int i = 0; (point = rung_search_at(found, i)); i++) {
        double cost = metric->flags & RUNG_METRIC_LARGER_BETTER ? -point->value : point->value;
        failed += point->error != NULL;
        order[i] = (ranked){i, isnan(cost) ? INFINITY : cost};
    }
    qsort(order, (size_t)n, sizeof *order, by_cost);
    sheet t = sheet_new("llrr");
    sheet_add(&t, " ");
    if (n == 1)
        sheet_add(&t, "the only point");
    else
        sheet_add(&t, "of %d points, the best", n);
    sheet_add(&t, "%s", metric->key);
    sheet_add(&t, "std. error");
    for (int r = 0; r < n; r++) {
        if (r >= SHOWN && order[r].index != winner) continue;
        point = rung_search_at(found, order[r].index);
        char *text = point_text(found, order[r].index);
        sheet_add(&t, "%s", order[r].index == winner ? ">" : " ");
        sheet_add(&t, "%s", text);
        sheet_add_number(&t, point->value, 4);
        sheet_add_number(&t, point->se, 4);
        free(text);
    }
    sheet_print(&t, stderr, "");
    if (failed) say(stderr, "%d points could not be fitted (--json gives the reasons)\n", failed);
    free(order);
}

static void tell_metrics(const char *what, const rung_metrics *m)
{
    say(stderr, "%-11s mae %s%.3f (%.3f to %.3f), acc %.3f, amae %.3f, over %lld rows\n", what,
        m->intervals ? ">= " : "", m->mae, m->mae_low, m->mae_high, m->acc, m->amae, (long long)m->n);
}

/* The error of the winner as the search found it; NaN: the model has no other. */
static double winner_error(const rung_model *model)
{
    const double *value;
    const char *name;
    int64_t n;
    for (int i = 0; (name = rung_model_report_at(model, i, &value, &n)); i++)
        if (!strcmp(name, "winner_mae")) return *value;
    return NAN;
}

static void tell(const tune_job *job)
{
    rung_metrics median = {.size = sizeof median}, cv = median, nested = median;
    bool has_cv = rung_model_cv(job->model, &cv), has_nested = rung_search_nested(job->found, &nested);
    double winner = winner_error(job->model);
    int64_t rows = rung_data_rows(job->data);
    int K = rung_data_classes(job->data);
    int constant = rung_model_cv_median(job->model, &median);
    int64_t features = rung_data_features(job->data);
    say(stderr, "data        %s: %lld rows, %lld labelled, %lld feature%s, %d classes\n", job->path, (long long)rows,
        (long long)rung_model_labelled(job->model), (long long)features, plural(features), K);
    int repeats = rung_search_repeats(job->found), folds = rung_search_folds(job->found);
    if (folds > 0)
        say(stderr, "folds       %d", folds);
    else
        say(stderr, "folds       none: selection by log evidence of all labels");
    if (repeats > 1) say(stderr, ", repeated %d times", repeats);
    say(stderr, "; %.2f s\n", job->seconds);
    tell_points(job->found);
    if (has_cv) tell_metrics("error", &cv);
    if (has_nested) tell_metrics("nested", &nested);
    if (constant)
        say(stderr, "median      mae %.3f on these rows, always predicting %s\n", median.mae,
            rung_data_class_name(job->data, constant));
    if (!isnan(winner))
        say(stderr,
            "            error: the winner's, %.3f, corrected by %+.3f for the choice (measured by searches without a "
            "part of the rows)\n",
            winner, cv.mae - winner);
    if (has_nested)
        say(stderr,
            "            nested: winners of such searches as they are: fits to fewer rows, so slightly too large\n");
    say(stderr, "written     %s\n", job->model_path);
    say(stderr, "next        rung predict %s NEW.csv --proba\n", job->model_path);
}

static int print_json(session *s, const tune_job *job)
{
    char *text;
    CHECK(s, rung_search_describe(s->ctx, job->found, &text));
    json_t *all = jout_parse(text);
    rung_free(text);
    json_object_set_new(all, "model", jout_text(job->model_path));
    json_object_set_new(all, "seconds", jout_number(job->seconds));
    jout_print(all);
    return EXIT_OK;
}

static int tune_steps(session *s, const arguments *args, tune_job *job)
{
    job->path = datafile_name(args, 0);
    job->model_path = option_value(args, "output");
    if (!job->model_path) job->model_path = command_tune.output;
    int code = model_possible(s, job->model_path);
    if (code == EXIT_OK) code = read_options(s, args, job);
    if (code != EXIT_OK) return code;
    if ((code = learn_data(s, args, &job->data)) != EXIT_OK) return code;
    if ((code = read_folds(s, args, job)) != EXIT_OK) return code;
    if ((code = costs_read(s, args, NULL, job->data, &job->given)) != EXIT_OK) return code;
    job->how.cost = job->given.matrix;
    job->how.abstain = job->given.abstain;
    job->how.groups = rung_data_groups(job->data);
    if ((code = take_notes(s, args, job->path)) != EXIT_OK) return code;
    double start = seconds_now();
    CHECK(s, rung_tune_run(s->ctx, &job->how, job->data, &job->model, &job->found));
    job->seconds = seconds_now() - start;
    if (!processes_lead()) return EXIT_OK;
    CHECK(s, rung_model_save(s->ctx, job->model, job->model_path));
    if (!s->quiet) tell(job);
    return s->json ? print_json(s, job) : EXIT_OK;
}

static int tune_run(session *s, const arguments *args)
{
    tune_job job = {.how.size = sizeof job.how};
    int code = tune_steps(s, args, &job);
    rung_search_free(job.found);
    rung_model_free(job.model);
    rung_data_free(job.data);
    free(job.own_folds);
    free(job.path);
    free(job.given.matrix);
    free(job.methods);
    free(job.fixed);
    free(job.grids);
    free(job.weights);
    free(job.method_text);
    return code;
}

static const example examples[] = {
    {"rung tune train.csv", "search the default grid and write the winner to model.rung"},
    {"rung tune train.csv -g gamma=0.1,1,10 -p ridge=0.1 --nested",
     "other values, and an honest error estimate for the whole search"},
    {"rung tune train.csv --groups patient --metric qkappa",
     "rows of one patient stay together; quadratic kappa is the criterion"},
    {"mpirun -n 16 rung tune train.csv -m kdlor,svorim", "16 processes share the points (docs/cluster.md)"},
    {0}};

const command command_tune = {
    .name = "tune",
    .operands = "DATA...",
    .help = "search for the best method and parameters by cross-validation",
    .about = "The labelled rows are divided into folds, stratified by class; unlabelled rows are always used for "
             "training and never measured. Every combination of parameters is measured on held-out rows; the winner is "
             "fitted on all rows and calibrated on its out-of-fold scores. Ties go to the smoother model.",
    .options = tables,
    .usual = "label order ignore groups method grid metric nested output",
    .output = "model.rung",
    .examples = examples,
    .ranks = true,
    .run = tune_run};
