// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/command.h"
#include "core/json_out.h"
#include "core/output.h"
#include "core/repeat.h"
#include "data/contents.h"
#include "data/costs.h"
#include "data/datafile.h"
#include "data/learn.h"
#include "data/measures.h"
#include "explain/importance.h"
#include "page/columns.h"
#include "processes/processes.h"

#define GROUP "Fitting"
static const option fit_options[] = {
    {"method", 'm', "METHOD", "method to fit, see 'rung methods' (default {method}; with --real {real method})", GROUP},
    {"param", 'p', "NAME=VALUE", "set a parameter of the method; may be repeated", GROUP},
    {"as-published", 0, NULL, "use the parameters of the paper as defaults", GROUP},
    {"groups", 0, "COLUMN", "column whose equal values are held out together; it is not a feature", GROUP},
    {"keep-data", 0, NULL, "store the labelled rows in the model, so that 'rung update' can add rows", GROUP},
    {"no-rows", 0, NULL,
     "a model that contains no training row: auto averages models that need none; other methods are refused if theirs "
     "do",
     GROUP},
    {"compare-rows", 0, NULL,
     "with --no-rows: also fit the model that may contain rows, and print its error (takes twice the time or more)",
     GROUP},
    {"passes", 0, NULL,
     "read the data in passes, as if they were larger than memory (kdlor, krr, ckr, pom, boost, isbor, auto)", GROUP},
    {"baseline", 0, NULL, "also report the cross-validated error of label propagation alone", GROUP},
    {"verify", 0, NULL, "recompute from the data the conditions for a correct model; fail if one is not met", GROUP},
    {"explain", 0, NULL, "also show the importance of every column, measured on rows held out in five folds", GROUP},
    {"report", 0, "FILE",
     "also write a page: error, importance and effects of the columns, coefficients (implies --explain)", GROUP},
    {"output", 'o', "MODEL", "file to write (default model.rung)", GROUP},
    {0}};
static const option *const tables[] = {fit_options,  cost_options,   learn_options, reader_options,
                                       note_options, global_options, NULL};

typedef struct {
    char *path; /* what the data are called */
    const char *model_path;
    const rung_method *method;
    rung_spec *spec;
    rung_data *data; /* the rows, or a sample of them */
    rung_model *model;
    labels truth;
    int64_t rows, labelled, intervals, *count; /* count: rows of each class, without intervals */
    int classes;
    rung_metrics cv, median; /* of the held-out rows: the model, and always predicting ... */
    int constant;            /* ... the class of this rank, the median */
    bool has_cv;
    rung_metrics keeping; /* --compare-rows: of the model that may contain rows */
    bool has_rows;
    double seconds;
    rung_verification *found; /* --verify */
    int n_found, n_failed;
    column_facts facts; /* --explain */
} fit_job;

static void collect(fit_job *job)
{
    const double *target = rung_data_targets(job->data);
    job->truth = labels_of(job->data);
    job->rows = rung_data_all_rows(job->data);
    job->classes = job->truth.classes;
    job->intervals = labels_intervals(&job->truth);
    job->count = allocate((size_t)job->classes + 1, sizeof *job->count);
    for (int q = 0; q <= job->classes; q++) job->count[q] = rung_data_all_count(job->data, q);
    if (!target) job->labelled = job->rows - job->count[0];
    for (int64_t i = 0; i < job->truth.n && target; i++) job->labelled += !isnan(target[i]);
    job->has_cv = !target && rung_model_cv(job->model, &job->cv);
    if (job->has_cv) job->constant = rung_model_cv_median(job->model, &job->median);
}

static int verify(session *s, fit_job *job)
{
    const rung_condition *c;
    CHECK(s, rung_model_verify(s->ctx, job->spec, job->data, job->model, &job->found));
    for (int i = 0; (c = rung_verification_at(job->found, i)); i++) {
        job->n_found++;
        job->n_failed += !c->ok;
    }
    return EXIT_OK;
}

static int compare_rows(session *s, fit_job *job)
{
    rung_spec *spec = NULL;
    rung_model *model = NULL;
    CHECK(s, rung_spec_copy(s->ctx, job->spec, &spec));
    rung_status status = rung_spec_set_keep_rows(s->ctx, spec, 1);
    if (status == RUNG_OK) status = rung_model_fit(s->ctx, spec, job->data, &model);
    if (status == RUNG_OK) job->has_rows = rung_model_cv(model, &job->keeping);
    int code = session_check(s, status);
    rung_spec_free(spec);
    rung_model_free(model);
    return code;
}

/* ---- what is told ---- */

static void tell_conditions(const fit_job *job)
{
    if (!job->n_found) return;
    sheet t = sheet_new("llrrl");
    for (const char *const *head = (const char *const[]){"verified", "", "value", "at most", "", NULL}; *head; head++)
        sheet_add(&t, "%s", *head);
    const rung_condition *c;
    for (int i = 0; (c = rung_verification_at(job->found, i)); i++) {
        sheet_add(&t, "  %s", c->name);
        sheet_add(&t, "%s", c->what);
        sheet_add(&t, "%.3g", c->value);
        sheet_add(&t, "%g", c->tolerance);
        sheet_add(&t, "%s", c->ok ? "ok" : "FAILED");
    }
    sheet_print(&t, stderr, "");
}

static json_t *conditions_json(const fit_job *job)
{
    json_t *all = json_array();
    const rung_condition *c;
    for (int i = 0; (c = rung_verification_at(job->found, i)); i++) {
        json_t *one = json_object();
        json_object_set_new(one, "name", jout_text(c->name));
        json_object_set_new(one, "what", jout_text(c->what));
        json_object_set_new(one, "value", jout_number(c->value));
        json_object_set_new(one, "tolerance", jout_number(c->tolerance));
        json_object_set_new(one, "ok", json_boolean(c->ok));
        json_array_append_new(all, one);
    }
    return all;
}

static bool was_set(const arguments *args, const char *param)
{
    const char *text;
    for (int at = 0; (text = option_each(args, "param", &at));)
        if (!strncmp(text, param, strlen(param)) && text[strlen(param)] == '=') return true;
    return false;
}

/* Whether the kernel has a gamma that is not replaced by a width. */
static bool has_gamma(const rung_model *model)
{
    const char *kernel = rung_model_param(model, "kernel");
    return !rung_model_param(model, "width") && kernel && strcmp(kernel, "linear") != 0 && strcmp(kernel, "ard") != 0 &&
           strcmp(kernel, "precomputed") != 0;
}

/* The parameters to show: those set, and those with a grid. */
static void tell_params(const arguments *args, const fit_job *job)
{
    say(stderr, "method      %s", job->method->name);
    const rung_param *p;
    for (int i = 0; (p = rung_method_param_at(job->method, i)); i++) {
        const char *value = rung_model_param(job->model, p->name);
        bool tried = p->grid && (strcmp(p->name, "gamma") != 0 || has_gamma(job->model));
        if (value && (tried || was_set(args, p->name))) say(stderr, "  %s=%s", p->name, value);
    }
    fputs(option_given(args, "as-published") ? "  (as published)\n" : "\n", stderr);
}

enum { SHOWN = 12 }; /* classes, thresholds */

static void tell_classes(const fit_job *job)
{
    say(stderr, "classes    ");
    for (int k = 1; k <= job->classes && k <= SHOWN; k++) {
        char *name = text_of("%s", rung_data_class_name(job->data, k));
        make_printable(name);
        say(stderr, "%s %s (%lld)", k > 1 ? " <" : "", name, (long long)job->count[k]);
        free(name);
    }
    if (job->classes > SHOWN) say(stderr, " < ... %d in total", job->classes);
    if (job->intervals) say(stderr, ", and %lld interval%s", (long long)job->intervals, plural(job->intervals));
    fputc('\n', stderr);
}

static void tell_metrics_row(sheet *t, const char *what, const rung_metrics *m)
{
    sheet_add(t, "%s", what);
    sheet_add(t, "%lld", (long long)m->n);
    sheet_add(t, "%s%.3f", m->intervals ? ">= " : "", m->mae);
    sheet_add(t, "%.3f to %.3f", m->mae_low, m->mae_high);
    sheet_add_number(t, m->acc, 3);
    sheet_add_number(t, m->amae, 3);
}

static void tell_cv(const fit_job *job)
{
    if (!job->has_cv) {
        const char *folds = rung_model_param(job->model, "calibrate");
        say(stderr, "error       not estimated%s\n", folds && !strcmp(folds, "0") ? " (calibrate=0)" : "");
        return;
    }
    const rung_metrics *m = &job->cv, *other = &job->median;
    const char *most = m->intervals ? "at most " : "", *least = m->intervals ? "at least " : "";
    const char *class = rung_data_class_name(job->data, job->constant);
    say(stderr, "answer      right on %s%.0f %% of new rows, %s%.2f classes off on average; always %s: %.0f %%, %.2f\n",
        most, 100 * m->acc, least, m->mae, class, 100 * other->acc, other->mae);
    sheet t = sheet_new("lrrrrr");
    for (const char *const *head = (const char *const[]){"error", "rows", "mae", "95 % range", "acc", "amae", NULL};
         *head; head++)
        sheet_add(&t, "%s", *head);
    tell_metrics_row(&t, "  held-out rows", &job->cv);
    if (job->has_rows) tell_metrics_row(&t, "  if rows were kept", &job->keeping);
    char *constant = text_of("  always predicting %s", class);
    tell_metrics_row(&t, constant, &job->median);
    free(constant);
    sheet_print(&t, stderr, "");
}

static void tell_thresholds(const rung_model *model)
{
    double threshold[SHOWN];
    int n = rung_model_thresholds(model, SHOWN, threshold);
    if (n == 0) return;
    say(stderr, "thresholds ");
    for (int i = 0; i < n && i < SHOWN; i++) {
        if (isfinite(threshold[i]))
            say(stderr, " %.4g", threshold[i]);
        else
            say(stderr, " none");
    }
    if (n > SHOWN) say(stderr, " ... %d in total", n);
    fputc('\n', stderr);
}

static void tell_summary(const arguments *args, const fit_job *job)
{
    int64_t features = rung_data_features(job->data);
    say(stderr, "data        %s: %lld row%s, %lld labelled, %lld feature%s\n", job->path, (long long)job->rows,
        plural(job->rows), (long long)job->labelled, (long long)features, plural(features));
    if (rung_data_in_passes(job->data))
        say(stderr, "read        in passes, with a uniform sample of %lld rows in memory\n",
            (long long)rung_data_rows(job->data));
    if (job->classes > 0) tell_classes(job);
    tell_params(args, job);
    tell_cv(job);
    tell_thresholds(job->model);
    tell_conditions(job);
    if (job->facts.importance) {
        fputc('\n', stderr);
        importance_text(stderr, job->facts.importance);
        fputc('\n', stderr);
    }
    if (job->n_failed) return;
    say(stderr, "written     %s\n", job->model_path);
    say(stderr, "next        rung predict %s NEW.csv%s\n", job->model_path,
        rung_model_has_probabilities(job->model) ? " --proba" : "");
}

static void print_json(const fit_job *job)
{
    json_t *classes = json_array(), *counts = json_array();
    for (int k = 1; k <= job->classes; k++) {
        json_array_append_new(classes, jout_text(rung_data_class_name(job->data, k)));
        json_array_append_new(counts, json_integer(job->count[k]));
    }
    json_t *all = json_object();
    json_object_set_new(all, "model", jout_text(job->model_path));
    json_object_set_new(all, "method", jout_text(job->method->name));
    json_object_set_new(all, "params", params_json(job->model));
    json_object_set_new(all, "classes", classes);
    json_object_set_new(all, "counts", counts);
    json_object_set_new(all, "rows", json_integer(job->rows));
    json_object_set_new(all, "labelled", json_integer(job->labelled));
    if (job->intervals) json_object_set_new(all, "intervals", json_integer(job->intervals));
    if (rung_data_in_passes(job->data)) json_object_set_new(all, "sample", json_integer(rung_data_rows(job->data)));
    json_object_set_new(all, "features", json_integer(rung_data_features(job->data)));
    json_object_set_new(all, "thresholds", thresholds_json(job->model));
    json_object_set_new(all, "cv", job->has_cv ? measures_json(&job->cv) : json_null());
    json_object_set_new(all, "cv_median", job->has_cv ? measures_json(&job->median) : json_null());
    json_object_set_new(all, "report", model_report_json(job->model));
    json_object_set_new(all, "seconds", jout_number(job->seconds));
    if (job->n_found) json_object_set_new(all, "verified", conditions_json(job));
    if (job->facts.importance) json_object_set_new(all, "importance", importance_json(job->facts.importance));
    jout_print(all);
}

/* The error of the held-out rows in one sentence; to be freed, NULL: there is none. */
static char *page_answer(const fit_job *job)
{
    return job->has_cv
               ? text_of("MAE %s%.2f (%.2f to %.2f) on %lld rows held out of the fit; always predicting %s: %.2f",
                         job->cv.intervals ? "at least " : "", job->cv.mae, job->cv.mae_low, job->cv.mae_high,
                         (long long)job->cv.n, rung_data_class_name(job->data, job->constant), job->median.mae)
               : NULL;
}

static int write_page(session *s, const arguments *args, fit_job *job)
{
    const char *path = option_value(args, "report");
    output o;
    if (!path) return EXIT_OK;
    int code = leading_effects(s, job->model, job->data, true, &job->facts);
    if (code != EXIT_OK) return code;
    if (!output_open(&o, path)) return FAILED;
    char *title = text_of("%s, fitted to %s", job->model_path, job->path), *answer = page_answer(job),
         *lead =
             text_of("%s, %lld rows, %lld labelled", job->method->name, (long long)job->rows, (long long)job->labelled);
    columns_page(o.file, &(columns_heading){title, answer, lead, "fit", job->model_path}, args, &job->facts,
                 job->model);
    free(title);
    free(answer);
    free(lead);
    return output_keep(&o) ? EXIT_OK : FAILED;
}

/* Rows can be divided among processes only by a method that reads them in passes. */
static bool ranks_can(const rung_method *method)
{
    if (processes_all() == 1 || (method->flags & RUNG_METHOD_PASSES)) return true;
    const rung_method *m;
    char list[512] = "";
    for (int i = 0; (m = rung_method_at(i)); i++)
        if (m->flags & RUNG_METHOD_PASSES)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? ", " : "", m->name);
    complain("fit: %s needs all rows in one process; start it without mpirun, or fit one of %s", method->name, list);
    return false;
}

static int take_costs(session *s, const arguments *args, fit_job *job)
{
    costs given;
    int code = costs_read(s, args, NULL, job->data, &given);
    if (code == EXIT_OK && (given.matrix || given.abstain > 0))
        code = session_check(
            s, rung_spec_set_cost(s->ctx, job->spec, rung_data_classes(job->data), given.matrix, given.abstain));
    free(given.matrix);
    return code;
}

static int fit_steps(session *s, const arguments *args, fit_job *job)
{
    job->path = datafile_name(args, 0);
    job->model_path = option_value(args, "output");
    if (!job->model_path) job->model_path = command_fit.output;
    const char *method = option_value(args, "method");
    if (!method) method = rung_method_default(option_given(args, "real"))->name;
    int code = model_possible(s, job->model_path);
    if (code == EXIT_OK) code = learn_spec(s, args, method, &job->spec);
    if (code != EXIT_OK) return code;
    job->method = rung_method_find(method);
    if (!ranks_can(job->method)) return USAGE;
    if (option_given(args, "keep-data")) CHECK(s, rung_spec_set_keep_data(s->ctx, job->spec, 1));
    if (option_given(args, "no-rows")) CHECK(s, rung_spec_set_keep_rows(s->ctx, job->spec, 0));
    if (option_given(args, "baseline")) CHECK(s, rung_spec_set_baseline(s->ctx, job->spec, 1));
    const char *page = option_value(args, "report");
    if (page && s->json && !strcmp(page, "-")) {
        complain("fit: --report -: standard output has the JSON; give a file");
        return USAGE;
    }
    if (page && !output_possible(page)) return FAILED;
    if ((code = learn_rows(s, args, job->spec, &job->data)) != EXIT_OK) return code;
    for (const char *const *whole = (const char *const[]){"verify", "explain", "report", NULL}; *whole; whole++)
        if (rung_data_in_passes(job->data) && option_given(args, *whole)) {
            complain("fit: --%s needs all rows in memory; give more with --memory", *whole);
            return FAILED;
        }
    if ((code = take_costs(s, args, job)) != EXIT_OK) return code;
    if ((code = take_notes(s, args, job->path)) != EXIT_OK) return code;
    double start = seconds_now();
    CHECK(s, rung_model_fit(s->ctx, job->spec, job->data, &job->model));
    job->seconds = seconds_now() - start;
    if (option_given(args, "compare-rows") && (code = compare_rows(s, job)) != EXIT_OK) return code;
    if (!processes_lead()) return EXIT_OK;
    collect(job);
    if (option_given(args, "verify") && (code = verify(s, job)) != EXIT_OK) return code;
    bool explained = option_given(args, "explain") || option_given(args, "report");
    if (explained) CHECK(s, rung_importance_held_out(s->ctx, job->spec, job->data, NULL, &job->facts.importance));
    if (!job->n_failed) CHECK(s, rung_model_save(s->ctx, job->model, job->model_path));
    if (!job->n_failed && (code = write_page(s, args, job)) != EXIT_OK) return code;
    if (!s->quiet) tell_summary(args, job);
    if (s->json) print_json(job);
    if (!job->n_failed) return EXIT_OK;
    complain("fit: %d of %d conditions for a correct model are not met; %s was not written", job->n_failed,
             job->n_found, job->model_path);
    return FAILED;
}

static int fit_run(session *s, const arguments *args)
{
    fit_job job = {.cv.size = sizeof job.cv, .median.size = sizeof job.median, .keeping.size = sizeof job.keeping};
    int code = fit_steps(s, args, &job);
    rung_verification_free(job.found);
    column_facts_free(&job.facts);
    free(job.count);
    free(job.path);
    rung_model_free(job.model);
    rung_data_free(job.data);
    rung_spec_free(job.spec);
    return code;
}

static const example examples[] = {
    {"rung fit train.csv",
     "fit a model to train.csv (labels in the column label, or else the last) and write model.rung"},
    {"rung fit train.csv -l grade --order \"low<mid<high\" --ignore id", "text labels, with an explicit order"},
    {"rung fit train.csv -m kdlor -p gamma=0.5 -o half.rung", "another kernel width, another file"},
    {"rung fit 'parts/*.csv.gz' -o all.rung", "all files that match, as one table"},
    {"mpirun -n 16 rung fit 'parts/*.csv.gz' -m kdlor -o all.rung",
     "the files divided among 16 processes (docs/cluster.md)"},
    {"rung fit train.csv --explain", "which columns matter, measured on rows that each model has not seen"},
    {"rung fit train.csv --no-rows --anonymous", "a model to give away: no training row, no name of a file"},
    {"rung fit train.csv -m svorim --verify", "verify from the data that the model is optimal"},
    {0}};

const command command_fit = {.name = "fit",
                             .operands = "DATA...",
                             .help = "fit a model to data and write it to a file",
                             .about = "DATA is a table with a column of labels; an empty label, ? or NA marks an "
                                      "unlabelled row. '-' is standard input. Several files, folders and "
                                      "quoted patterns such as 'parts/*.csv' are read as one table, in the order of "
                                      "their names; they need the same columns. The reported error is measured on rows "
                                      "held out of the fit, and printed beside that of always predicting the median.",
                             .options = tables,
                             .usual = "label order ignore groups nominal method explain output",
                             .output = "model.rung",
                             .examples = examples,
                             .ranks = true,
                             .run = fit_run};
