// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/command.h"
#include "core/json_out.h"
#include "core/output.h"
#include "data/costs.h"
#include "data/datafile.h"
#include "data/measures.h"
#include "page/evaluation.h"

#define GROUP "Evaluating"
static const option evaluate_options[] = {
    {"weights", 0, "COLUMN", "column of row weights: the metrics and the cost are weighted means", GROUP},
    {"groups", 0, "COLUMN",
     "column whose equal values belong together, such as a patient: the range of the mae is one over groups", GROUP},
    {"report", 0, "FILE", "also write a report: tables and figures in one HTML file", GROUP},
    {0}};
static const option *const tables[] = {evaluate_options, cost_options, reader_options, global_options, NULL};

enum { BINS = 10 }; /* of the reliability table */

typedef struct {
    rung_model *model;
    rung_data *data;
    double *weight;         /* of rows; NULL: all 1 */
    int *group;             /* rows that belong together; NULL: none */
    labels truth, answered; /* all labels, and those of rows with an answer: the metrics are of these */
    int constant;           /* the median of the labels of answered rows or, where none is answered, of all */
    int64_t n, labelled;
    int64_t *confusion; /* classes x classes: [true][predicted]; an interval counts as its nearest class */
    int classes, *rank;
    double *proba, *score;
    rung_metrics found, median,
        exact; /* exact: of rows whose label is no interval, where others are; n 0: not measured */
    rung_reliability_bin bins[BINS]; /* with probabilities only */
    double ece;
    bool reliable; /* there are such numbers */
    int seen;      /* the model was fitted to these rows */
    costs given;
    double cost, median_cost; /* of all labelled rows, and of always predicting their median; NaN: there are no costs */
    char cost_meaning[160];
    int64_t unsure;     /* labelled rows without an answer */
    int *answered_rank; /* what `answered` points to */
} evaluate_job;

static int64_t cell(const evaluate_job *job, int truth, int predicted)
{
    return job->confusion[(truth - 1) * job->classes + predicted - 1];
}

static void print_confusion(const evaluate_job *job)
{
    char *align = allocate((size_t)job->classes + 4, 1);
    for (int k = 0; k < job->classes + 3; k++) align[k] = k ? 'r' : 'l';
    sheet t = sheet_new(align);
    sheet_add(&t, "true \\ predicted");
    for (int k = 1; k <= job->classes; k++) sheet_add(&t, "%s", rung_model_class_name(job->model, k));
    sheet_add(&t, "rows");
    sheet_add(&t, "recall");
    for (int y = 1; y <= job->classes; y++) {
        int64_t rows = 0;
        sheet_add(&t, "%s", rung_model_class_name(job->model, y));
        for (int k = 1; k <= job->classes; k++) {
            rows += cell(job, y, k);
            sheet_add(&t, "%lld", (long long)cell(job, y, k));
        }
        sheet_add(&t, "%lld", (long long)rows);
        if (rows)
            sheet_add(&t, "%.3f", (double)cell(job, y, y) / (double)rows);
        else
            sheet_add(&t, "-");
    }
    sheet_print(&t, stdout, "");
    free(align);
}

/* The share of correct predictions, by probability of the most probable class. */
static void print_reliability(const evaluate_job *job)
{
    say(stdout, "\nexpected calibration error %.4f, by probability of the most probable class:\n\n", job->ece);
    sheet t = sheet_new("lrrr");
    for (const char *const *head = (const char *const[]){"probability", "rows", "mean", "right", NULL}; *head; head++)
        sheet_add(&t, "%s", *head);
    for (int k = 0; k < BINS; k++) {
        const rung_reliability_bin *bin = &job->bins[k];
        if (bin->n == 0) continue;
        sheet_add(&t, "%.1f to %.1f", bin->low, bin->high);
        sheet_add(&t, "%lld", (long long)bin->n);
        sheet_add(&t, "%.3f", bin->confidence);
        sheet_add(&t, "%.3f", bin->accuracy);
    }
    sheet_print(&t, stdout, "");
}

static json_t *reliability_json(const evaluate_job *job)
{
    json_t *all = json_object(), *bins = json_array();
    for (int k = 0; k < BINS; k++) {
        const rung_reliability_bin *bin = &job->bins[k];
        json_t *one = json_object();
        json_object_set_new(one, "low", jout_number(bin->low));
        json_object_set_new(one, "high", jout_number(bin->high));
        json_object_set_new(one, "n", json_integer(bin->n));
        json_object_set_new(one, "confidence", jout_number(bin->confidence));
        json_object_set_new(one, "accuracy", jout_number(bin->accuracy));
        json_array_append_new(bins, one);
    }
    json_object_set_new(all, "ece", jout_number(job->ece));
    json_object_set_new(all, "bins", bins);
    return all;
}

/* What else the numbers are. */
static const char *weighted_words(const evaluate_job *job)
{
    return job->weight ? "The metrics are weighted; the other tables and figures count rows." : "";
}

static const char *grouped_words(const evaluate_job *job)
{
    return job->group ? "mae_low and mae_high are of a bootstrap over groups." : "";
}

/* What the labels that are intervals do to the errors; to be freed, empty where there are none. */
static char *interval_words(const evaluate_job *job)
{
    int64_t intervals = job->found.intervals;
    bool one = intervals == 1;
    if (!intervals) return text_of("%s", "");
    char *text =
        text_of("%lld label%s interval%s, which count%s as the class nearest to the prediction, so that errors "
                "are lower bounds",
                (long long)intervals, one ? " is an" : "s are", one ? "" : "s", one ? "s" : "");
    char *all = job->exact.n ? text_of("%s; the mae of the %lld other row%s is %.4f.", text, (long long)job->exact.n,
                                       plural(job->exact.n), job->exact.mae)
                             : text_of("%s.", text);
    free(text);
    return all;
}

static void print_text(const evaluate_job *job)
{
    int median = job->constant;
    char *intervals = interval_words(job);
    say(stdout, "%lld labelled rows of %lld.\n", (long long)job->labelled, (long long)job->n);
    if (job->unsure)
        say(stdout,
            "%lld of them (%.1f %%) are unsure: the metrics and the median are of the others, the cost and the\n"
            "calibration of all.\n",
            (long long)job->unsure, 100 * (double)job->unsure / (double)job->labelled);
    if (*intervals) say(stdout, "%s\n", intervals);
    free(intervals);
    say(stdout,
        "median: always predicting %s, the median of these labels; no other constant\nhas a smaller mae on them.\n\n",
        rung_model_class_name(job->model, median));
    sheet t = sheet_new("lrrl");
    sheet_add(&t, "metric");
    sheet_add(&t, "model");
    sheet_add(&t, "median");
    sheet_add(&t, "meaning");
    const rung_metric *m;
    for (int i = 0; (m = rung_metric_at(i)); i++) {
        sheet_add(&t, "%s", m->key);
        sheet_add_number(&t, rung_metrics_value(&job->found, m->key), 4);
        sheet_add_number(&t, rung_metrics_value(&job->median, m->key), 4);
        sheet_add(&t, "%s", m->help);
    }
    if (!isnan(job->cost)) {
        sheet_add(&t, "cost");
        sheet_add_number(&t, job->cost, 4);
        sheet_add_number(&t, job->median_cost, 4);
        sheet_add(&t, "%s", job->cost_meaning);
    }
    sheet_print(&t, stdout, "");
    if (job->weight) say(stdout, "\n%s\n", weighted_words(job));
    if (job->group) say(stdout, "%s%s\n", job->weight ? "" : "\n", grouped_words(job));
    say(stdout, "\n");
    print_confusion(job);
    if (job->reliable) print_reliability(job);
}

static void print_json(const evaluate_job *job)
{
    json_t *all = measures_json(&job->found), *confusion = json_array(), *classes = json_array();
    for (int y = 1; y <= job->classes; y++) {
        json_t *row = json_array();
        for (int k = 1; k <= job->classes; k++) json_array_append_new(row, json_integer(cell(job, y, k)));
        json_array_append_new(confusion, row);
        json_array_append_new(classes, jout_text(rung_model_class_name(job->model, y)));
    }
    if (!isnan(job->cost)) {
        json_object_set_new(all, "cost", jout_number(job->cost));
        json_object_set_new(all, "median_cost", jout_number(job->median_cost));
        json_object_set_new(all, "unsure", json_integer(job->unsure));
    }
    json_object_set_new(all, "median", measures_json(&job->median));
    if (job->exact.n) json_object_set_new(all, "exact", measures_json(&job->exact));
    json_object_set_new(all, "confusion", confusion);
    json_object_set_new(all, "classes", classes);
    json_object_set_new(all, "calibration", job->reliable ? reliability_json(job) : json_null());
    jout_print(all);
}

/* ---- real targets ---- */

static const struct {
    const char *key, *meaning;
    size_t place;
} real_measures[] = {{"mae", "mean absolute error", offsetof(rung_real_metrics, mae)},
                     {"mse", "mean squared error", offsetof(rung_real_metrics, mse)},
                     {"rmse", "root mean squared error", offsetof(rung_real_metrics, rmse)},
                     {"r2", "explained share of the variance", offsetof(rung_real_metrics, r2)}};
enum { REAL_MEASURES = sizeof real_measures / sizeof *real_measures };

static double real_value(const rung_real_metrics *m, int i)
{
    return *(const double *)((const char *)m + real_measures[i].place);
}

static json_t *real_json(const rung_real_metrics *m)
{
    json_t *all = json_object();
    for (int i = 0; i < REAL_MEASURES; i++)
        json_object_set_new(all, real_measures[i].key, jout_number(real_value(m, i)));
    json_object_set_new(all, "n", json_integer(m->n));
    return all;
}

/* The (lower) median of the n numbers that are not NaN; *labelled of them. */
static double median_number(int64_t n, const double *v, int64_t *labelled)
{
    double *sorted = allocate((size_t)n + 1, sizeof *sorted), median = 0;
    *labelled = 0;
    for (int64_t i = 0; i < n; i++)
        if (!isnan(v[i])) sorted[(*labelled)++] = v[i];
    qsort(sorted, (size_t)*labelled, sizeof *sorted, compare_numbers);
    if (*labelled) median = sorted[(*labelled - 1) / 2];
    free(sorted);
    return median;
}

static void print_real(const evaluate_job *job, double median, const rung_real_metrics *found,
                       const rung_real_metrics *constant)
{
    say(stdout, "%lld labelled rows of %lld.\n", (long long)found->n, (long long)job->n);
    say(stdout, "median: always predicting %s, the median of these numbers.\n\n", number_of(median).text);
    sheet t = sheet_new("lrrl");
    for (const char *const *head = (const char *const[]){"metric", "model", "median", "meaning", NULL}; *head; head++)
        sheet_add(&t, "%s", *head);
    for (int i = 0; i < REAL_MEASURES; i++) {
        sheet_add(&t, "%s", real_measures[i].key);
        sheet_add_number(&t, real_value(found, i), 4);
        sheet_add_number(&t, real_value(constant, i), 4);
        sheet_add(&t, "%s", real_measures[i].meaning);
    }
    sheet_print(&t, stdout, "");
}

/* The page, if --report is given. */
static int write_page(session *s, const arguments *args, const evaluate_job *job, const evaluation_row *row, int rows,
                      const char *constant, char *baseline)
{
    const char *path = option_value(args, "report");
    evaluation e = {.model = job->model,
                    .data = job->data,
                    .labelled = job->labelled,
                    .unsure = job->unsure,
                    .seen = job->seen != 0,
                    .costs = &job->given,
                    .bound = job->found.intervals > 0,
                    .confusion = job->confusion,
                    .constant = constant,
                    .baseline = baseline,
                    .rows = rows,
                    .row = row,
                    .bins = BINS,
                    .bin = job->reliable ? job->bins : NULL,
                    .ece = job->ece};
    for (int y = 1; job->confusion && y <= job->classes; y++)
        for (int k = 1; k <= job->classes; k++) e.near += abs(y - k) <= 1 ? cell(job, y, k) : 0;
    int code = path ? evaluation_page(s, args, &e, path) : EXIT_OK;
    free(baseline);
    return code;
}

static int evaluate_real(session *s, const arguments *args, evaluate_job *job)
{
    const double *truth = rung_data_targets(job->data);
    rung_real_metrics found = {.size = sizeof found}, constant = {.size = sizeof constant};
    double median = median_number(job->n, truth, &job->labelled);
    if (!job->labelled) {
        complain("%s: no row has a target to compare with", operand(args, 1));
        return FAILED;
    }
    job->score = allocate((size_t)job->n * (size_t)rung_model_outputs(job->model), sizeof *job->score);
    rung_view X = rung_data_view(job->data);
    CHECK(s, rung_model_predict(s->ctx, job->model, &X, NULL,
                                &(rung_output){.size = sizeof(rung_output), .score = job->score}));
    int outputs = rung_model_outputs(job->model); /* the first is the prediction */
    for (int64_t i = 0; i < job->n; i++) job->score[i] = job->score[i * outputs];
    CHECK(s, rung_real_metrics_compute(s->ctx, job->n, truth, job->score, &found));
    for (int64_t i = 0; i < job->n; i++) job->score[i] = median;
    CHECK(s, rung_real_metrics_compute(s->ctx, job->n, truth, job->score, &constant));
    evaluation_row row[REAL_MEASURES];
    for (int i = 0; i < REAL_MEASURES; i++)
        row[i] = (evaluation_row){real_measures[i].key, real_measures[i].meaning, real_value(&found, i),
                                  real_value(&constant, i)};
    int code =
        write_page(s, args, job, row, REAL_MEASURES, number_of(median).text,
                   text_of("Median: always predicting %s, the median of these numbers.", number_of(median).text));
    if (code != EXIT_OK) return code;
    if (!s->json) {
        print_real(job, median, &found, &constant);
        return EXIT_OK;
    }
    json_t *all = real_json(&found);
    json_object_set_new(all, "median", real_json(&constant));
    jout_print(all);
    return EXIT_OK;
}

/* ---- classes ---- */

static int write_class_page(session *s, const arguments *args, const evaluate_job *job)
{
    int n = 0, median = job->constant;
    while (rung_metric_at(n)) n++;
    evaluation_row *row = allocate((size_t)n + 2, sizeof *row);
    for (int i = 0; i < n; i++) {
        const rung_metric *m = rung_metric_at(i);
        row[i] = (evaluation_row){m->key, m->help, rung_metrics_value(&job->found, m->key),
                                  rung_metrics_value(&job->median, m->key)};
    }
    if (!isnan(job->cost)) row[n++] = (evaluation_row){"cost", job->cost_meaning, job->cost, job->median_cost};
    if (job->unsure)
        row[n++] =
            (evaluation_row){"unsure", "share of rows without an answer, which the others but the cost leave out",
                             (double)job->unsure / (double)job->labelled, NAN};
    char *intervals = interval_words(job);
    int code = write_page(s, args, job, row, n, rung_model_class_name(job->model, median),
                          text_of("Median: always predicting %s, the median of these labels; no other constant has a "
                                  "smaller mae on them. %s %s %s",
                                  rung_model_class_name(job->model, median), weighted_words(job), grouped_words(job),
                                  intervals));
    free(intervals);
    free(row);
    return code;
}

/* Predicts by the costs given, or those of the model, and finds the rows that have an answer. */
static int take_costs(session *s, const arguments *args, evaluate_job *job)
{
    double abstain = 0;
    const double *own = rung_model_cost(job->model, &abstain);
    rung_view X = rung_data_view(job->data);
    int code = costs_read(s, args, job->model, NULL, &job->given);
    if (code != EXIT_OK) return code;
    const rung_predict_options how = {.size = sizeof how, .cost = job->given.matrix, .abstain = job->given.abstain};
    CHECK(s, rung_model_predict(s->ctx, job->model, &X, &how,
                                &(rung_output){.size = sizeof(rung_output), .rank = job->rank, .proba = job->proba}));
    job->answered = job->truth;
    job->answered.rank = job->answered_rank = allocate((size_t)job->n, sizeof *job->answered_rank);
    for (int64_t i = 0; i < job->n; i++) {
        job->answered_rank[i] = job->rank[i] ? job->truth.rank[i] : 0;
        job->labelled += job->truth.rank[i] > 0;
        job->unsure += job->truth.rank[i] && !job->rank[i];
    }
    int *constant = allocate((size_t)job->n, sizeof *constant), median = median_rank(s->ctx, &job->truth);
    job->constant = median_rank(s->ctx, &job->answered);
    if (!job->constant) job->constant = median;
    for (int64_t i = 0; i < job->n; i++) constant[i] = median;
    const double *matrix = job->given.matrix ? job->given.matrix : own;
    double *absolute = NULL;
    if (!matrix && job->given.abstain > 0) {
        absolute = allocate((size_t)job->classes * (size_t)job->classes, sizeof *absolute);
        code = session_check(s, rung_cost_parse(s->ctx, "absolute", job->classes, absolute));
        matrix = absolute;
    }
    if (job->given.abstain > 0) abstain = job->given.abstain;
    job->cost = costs_mean(&job->truth, job->rank, matrix, abstain);
    job->median_cost = costs_mean(&job->truth, constant, matrix, abstain);
    snprintf(job->cost_meaning, sizeof job->cost_meaning, "mean cost of the answers");
    if (job->unsure)
        snprintf(job->cost_meaning, sizeof job->cost_meaning,
                 "mean cost over all rows; median: always predicting %.80s", rung_model_class_name(job->model, median));
    free(constant);
    free(absolute);
    for (int64_t i = 0; i < job->n; i++)
        if (job->rank[i] == 0) job->rank[i] = 1; /* left out by its truth */
    return code;
}

/* Beside errors that are lower bounds, that of the rows whose label is one class. */
static int measure_exact(session *s, evaluate_job *job)
{
    if (!job->found.intervals) return EXIT_OK;
    labels some = job->answered;
    int *rank = labels_exact(&some), code = EXIT_OK;
    some.rank = rank;
    some.upper = NULL;
    if (median_rank(s->ctx, &some))
        code = session_check(s, measure_ranks(s->ctx, &some, job->rank, job->proba, &job->exact));
    free(rank);
    return code;
}

/* The model and the median on the same rows, those with an answer. Without any only the cost is known. */
static int measure_answers(session *s, evaluate_job *job)
{
    const rung_metrics none = {sizeof none, 0,   NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN,
                               NAN,         NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0};
    job->found = job->median = job->exact = none;
    if (!median_rank(s->ctx, &job->answered)) return EXIT_OK; /* none, or none with a weight */
    CHECK(s, measure_ranks(s->ctx, &job->answered, job->rank, job->proba, &job->found));
    if (measure_exact(s, job) != EXIT_OK) return FAILED;
    return session_check(s, measure_median(s->ctx, &job->answered, &job->median));
}

/* Of the labels that are one class: an interval is right too easily. Without any there is nothing to show. */
static int measure_reliability(session *s, evaluate_job *job)
{
    int *exact = labels_exact(&job->truth);
    int64_t n = 0;
    for (int64_t i = 0; i < job->n; i++) n += exact[i] > 0;
    int code = n == 0 ? EXIT_OK
                      : session_check(s, rung_reliability_compute(s->ctx, job->n, job->classes, exact, job->proba, BINS,
                                                                  job->bins, &job->ece));
    free(exact);
    job->reliable = n > 0;
    return code;
}

static int read_rows(session *s, const arguments *args, evaluate_job *job)
{
    rung_table *table = NULL;
    int code = datafile_table_for_model(s, args, RUNG_LABELS_REQUIRED, &job->model, &job->data, &table);
    if (code == EXIT_OK) code = datafile_weights(s, args, "weights", table, &job->weight);
    if (code == EXIT_OK) code = datafile_groups(s, args, "groups", table, &job->group);
    rung_table_free(table);
    static const char *const of_classes[] = {"weights", "groups", "cost", "abstain", NULL};
    for (const char *const *own = of_classes; code == EXIT_OK && rung_model_is_real(job->model) && *own; own++)
        if (option_given(args, *own)) {
            complain("evaluate: --%s is for models of classes; this one predicts numbers", *own);
            code = USAGE;
        }
    return code;
}

static int evaluate_steps(session *s, const arguments *args, evaluate_job *job)
{
    int code = read_rows(s, args, job);
    if (code != EXIT_OK) return code;
    job->n = rung_data_rows(job->data);
    CHECK(s, rung_model_fitted_to(s->ctx, job->model, job->data, &job->seen));
    if (job->seen && !s->quiet)
        complain(
            "warning: the model was fitted to these rows, so the errors are too small; 'rung inspect' shows the error "
            "on held-out rows");
    if (rung_model_is_real(job->model)) return evaluate_real(s, args, job);
    job->truth = labels_of(job->data);
    job->truth.weight = job->weight;
    job->truth.group = job->group;
    job->classes = rung_model_classes(job->model);
    if (!rung_model_has_ranks(job->model)) {
        complain("%s gives scores, not classes, so there is nothing to compare with the labels", operand(args, 0));
        return FAILED;
    }
    size_t n = (size_t)job->n, K = (size_t)job->classes;
    job->rank = allocate(n, sizeof *job->rank);
    job->confusion = allocate(K * K, sizeof *job->confusion);
    if (rung_model_has_probabilities(job->model)) job->proba = allocate(n * K, sizeof *job->proba);
    if (!median_rank(s->ctx, &job->truth)) {
        complain("%s: no row is labelled%s, so there is nothing to compare with", operand(args, 1),
                 job->weight ? " and has a weight above 0" : "");
        return FAILED;
    }
    if ((code = take_costs(s, args, job)) != EXIT_OK) return code;
    if ((code = measure_answers(s, job)) != EXIT_OK) return code;
    if (job->proba) {
        code = measure_reliability(s, job);
        if (code != EXIT_OK) return code;
    }
    for (int64_t i = 0; i < job->n; i++) {
        if (!job->answered_rank[i]) continue;
        int low = job->answered_rank[i], high = job->truth.upper ? job->truth.upper[i] : low, answer = job->rank[i];
        job->confusion[((answer < low ? low : answer > high ? high : answer) - 1) * job->classes + answer - 1]++;
    }
    code = write_class_page(s, args, job);
    if (code != EXIT_OK) return code;
    if (s->json)
        print_json(job);
    else
        print_text(job);
    return EXIT_OK;
}

static int evaluate_run(session *s, const arguments *args)
{
    evaluate_job job = {.found.size = sizeof job.found, .median.size = sizeof job.median};
    const char *page = option_value(args, "report");
    if (page && !strcmp(page, "-")) {
        complain("evaluate: --report -: standard output has the table; give a file");
        return USAGE;
    }
    if (page && !output_possible(page)) return FAILED;
    int code = evaluate_steps(s, args, &job);
    free(job.given.matrix);
    free(job.answered_rank);
    free(job.weight);
    free(job.group);
    free(job.rank);
    free(job.proba);
    free(job.score);
    free(job.confusion);
    rung_data_free(job.data);
    rung_model_free(job.model);
    return code;
}

static const example examples[] = {
    {"rung evaluate model.rung test.csv", "measure the model on the labelled rows of test.csv"},
    {"rung evaluate model.rung 'tests/*.csv'", "on the rows of all these files together"},
    {"rung evaluate model.rung test.csv --json", "the same, for use in a program"},
    {"rung evaluate model.rung test.csv --report page.html", "as a page with figures"},
    {"rung evaluate model.rung visits.csv --groups patient",
     "with a range that knows that visits of a patient are alike"},
    {0}};

const command command_evaluate = {
    .name = "evaluate",
    .operands = "MODEL DATA...",
    .help = "measure a model on labelled rows it has not seen",
    .about = "Prints the metrics over the labelled rows of DATA beside those of always predicting their median, the "
             "confusion matrix with the recall of each class and, if the model has probabilities, their calibration; "
             "for real targets, the errors beside those of the median. Use rows that the model was not fitted to.",
    .options = tables,
    .usual = "report groups cost",
    .examples = examples,
    .run = evaluate_run};
