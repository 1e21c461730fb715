// SPDX-License-Identifier: BSD-3-Clause
/* Models, and predictions of other programs, on the same rows: metrics side by side, and whether they differ. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/command.h"
#include "core/json_out.h"
#include "core/output.h"
#include "data/datafile.h"
#include "data/measures.h"
#include "explain/nested.h"
#include "page/page.h"

#define GROUP "Comparing"
static const option compare_options[] = {
    {"on", 0, "TEST", "labelled rows to compare on; not needed if all are files with a column truth", GROUP},
    {"label", 'l', "COLUMN", "column of the labels in TEST, where no model knows it (default: label, else the last)",
     GROUP},
    {"order", 0, "A<B<C", "the classes, lowest first, where no model knows them", GROUP},
    {"output", 'o', "FILE", "also write the table: .html a page, .tex a LaTeX table", GROUP},
    {0}};
static const option *const tables[] = {compare_options, reader_options, global_options, NULL};

static const double LEVEL = 0.05;

typedef struct {
    const char *path;
    int *rank;
    double *proba; /* NULL: none */
    rung_metrics found;
    rung_difference against; /* the first */
    double mae_p, wilcoxon;  /* corrected for several comparisons */
    rung_table *table;       /* the file of the predictions; NULL: it is a model */
    int64_t predicted;       /* the column of them */
} rival;

typedef struct {
    const char *on; /* the file with the truth */
    rung_table *test;
    rung_model *first; /* the first that is a model: it knows the classes; NULL: none */
    rung_data *data;
    int64_t n, labelled;
    int classes, rivals;
    const int *truth, *upper; /* upper: where labels are intervals; NULL: none is */
    rival *rival;
} compare_job;

static const char *class_name(const compare_job *job, int rank)
{
    return job->first ? rung_model_class_name(job->first, rank) : rung_data_class_name(job->data, rank);
}

/* By its name or, where both are numbers, by value; 0: none. */
static int rank_of(const compare_job *job, const char *name)
{
    double x, y;
    for (int k = 1; k <= job->classes; k++)
        if (!strcmp(class_name(job, k), name)) return k;
    for (int k = 1; k <= job->classes && parse_double(name, &x); k++)
        if (parse_double(class_name(job, k), &y) && x == y) return k;
    return 0;
}

/* ---- reading ---- */

static bool is_table(const char *path)
{
    static const char *const ends[] = {".csv", ".tsv", ".txt", ".gz"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(path, ends[i])) return true;
    return false;
}

static int64_t column_of(const rung_table *table, const char *name)
{
    for (int64_t j = 0; j < rung_table_columns(table); j++)
        if (!strcmp(rung_table_name(table, j), name)) return j;
    return -1;
}

static int64_t truth_column(const rung_table *table)
{
    int64_t at = column_of(table, "truth");
    return at >= 0 ? at : column_of(table, "true");
}

/* A truth column, where a file of predictions has one, must be that of the other files: its rows are in the same order.
 */
static int same_truth(const compare_job *job, const rung_table *table, const rival *r)
{
    int64_t at = truth_column(table);
    for (int64_t i = 0; at >= 0 && i < job->n; i++) {
        char text[256];
        rung_table_cell(table, i, at, text, sizeof text);
        if (!job->truth[i] || rank_of(job, text) == job->truth[i] || (job->upper && job->upper[i] > job->truth[i]))
            continue;
        complain("compare: %s, row %lld: the truth is '%s' here but '%s' in %s; expected the same rows in the same "
                 "order",
                 r->path, (long long)i + 1, text, class_name(job, job->truth[i]), job->on);
        return FAILED;
    }
    return EXIT_OK;
}

static int open_predictions(session *s, const arguments *args, rival *r)
{
    static const char *const names[] = {"predicted", "prediction", "label"};
    int code = datafile_read(s, args, r->path, &r->table);
    r->predicted = -1;
    for (size_t k = 0; code == EXIT_OK && k < sizeof names / sizeof *names && r->predicted < 0; k++)
        r->predicted = column_of(r->table, names[k]);
    if (code != EXIT_OK || r->predicted >= 0) return code;
    complain("compare: %s has no column predicted (or prediction, or label) with the predicted classes", r->path);
    return FAILED;
}

static int take_ranks(const compare_job *job, rival *r)
{
    if (rung_table_rows(r->table) != job->n) {
        complain("compare: %s has %lld rows, but the test file %lld: expected a prediction for each row, in order",
                 r->path, (long long)rung_table_rows(r->table), (long long)job->n);
        return FAILED;
    }
    for (int64_t i = 0; i < job->n; i++) {
        char text[256];
        rung_table_cell(r->table, i, r->predicted, text, sizeof text);
        r->rank[i] = rank_of(job, text);
        if (r->rank[i] || !job->truth[i]) continue;
        complain("compare: %s, row %lld: '%s' is not one of the classes", r->path, (long long)i + 1, text);
        return FAILED;
    }
    for (int64_t i = 0; i < job->n; i++)
        if (!r->rank[i]) r->rank[i] = 1; /* a row without a label */
    return EXIT_OK;
}

/* Of one class in all labelled rows; false: a cell is none. */
static bool take_column(const compare_job *job, const rung_table *table, int64_t at, double *proba, double *sum)
{
    for (int64_t i = 0; i < job->n; i++) {
        char text[64];
        double *p = &proba[i * job->classes];
        if (!job->truth[i]) continue;
        rung_table_cell(table, i, at, text, sizeof text);
        if (!parse_double(text, p) || *p < 0) return false;
        sum[i] += *p;
    }
    return true;
}

/* Probabilities, where there are columns p(CLASS); a class that another file names has none here. */
static void take_proba(const session *s, const compare_job *job, const rung_table *table, rival *r)
{
    double *proba = allocate((size_t)job->n * (size_t)job->classes, sizeof *proba),
           *sum = allocate((size_t)job->n, sizeof *sum);
    bool all = true, some = false;
    for (int64_t j = 0; j < rung_table_columns(table); j++) some = some || !strncmp(rung_table_name(table, j), "p(", 2);
    for (int k = 1; all && k <= job->classes; k++) {
        char *name = text_of("p(%s)", class_name(job, k));
        int64_t at = column_of(table, name);
        free(name);
        if (at >= 0) all = take_column(job, table, at, proba + k - 1, sum);
    }
    for (int64_t i = 0; i < job->n; i++) {
        if (!job->truth[i]) proba[i * job->classes] = 1;          /* it is not graded */
        all = all && (!job->truth[i] || fabs(sum[i] - 1) < 0.01); /* they may be rounded */
    }
    free(sum);
    if (some && !all && !s->quiet)
        complain(
            "warning: %s: the columns p(CLASS) are not the probabilities of the classes in every labelled row, so rps "
            "is left out",
            r->path);
    if (all)
        r->proba = proba;
    else
        free(proba);
}

static int read_predictions(const session *s, const compare_job *job, rival *r)
{
    int code = take_ranks(job, r);
    if (code == EXIT_OK) code = same_truth(job, r->table, r);
    if (code == EXIT_OK) take_proba(s, job, r->table, r);
    return code;
}

static int same_classes(const compare_job *job, const rung_model *model, const char *path)
{
    bool same = rung_model_classes(model) == job->classes && !rung_model_is_real(model) && rung_model_has_ranks(model);
    for (int k = 1; same && k <= job->classes; k++) same = !strcmp(rung_model_class_name(model, k), class_name(job, k));
    if (!same) complain("compare: %s does not predict the same classes as the others", path);
    return same ? EXIT_OK : FAILED;
}

static int predict_rows(session *s, const compare_job *job, const rung_model *model, rival *r)
{
    rung_data *data = NULL;
    int code = same_classes(job, model, r->path), seen = 0;
    if (code == EXIT_OK)
        code = session_check(s, rung_model_encode(s->ctx, model, job->test, RUNG_LABELS_OPTIONAL, &data));
    if (code != EXIT_OK) return code;
    if (rung_model_has_probabilities(model))
        r->proba = allocate((size_t)job->n * (size_t)job->classes, sizeof *r->proba);
    rung_view X = rung_data_view(data);
    code = session_check(
        s, rung_model_predict(s->ctx, model, &X, NULL,
                              &(rung_output){.size = sizeof(rung_output), .rank = r->rank, .proba = r->proba}));
    if (code == EXIT_OK) code = session_check(s, rung_model_fitted_to(s->ctx, model, data, &seen));
    if (seen && !s->quiet) complain("warning: %s was fitted to these rows, so its errors are too small", r->path);
    rung_data_free(data);
    for (int64_t i = 0; code == EXIT_OK && i < job->n; i++)
        if (job->truth[i] && r->rank[i] == 0) {
            complain("compare: %s does not answer every row", r->path);
            return FAILED;
        }
    return code;
}

/* The scale of all labels and predictions, where neither a model nor --order says what it is; NULL: that of the labels
 * alone, in which an odd prediction is found later; to be freed by rung_free. */
static char *common_order(session *s, const compare_job *job)
{
    int64_t n = rung_data_classes(job->data), at = 0;
    for (int k = 0; k < job->rivals; k++) n += rung_table_rows(job->rival[k].table);
    char **said = allocate((size_t)n, sizeof *said), *order = NULL;
    for (int k = 1; k <= rung_data_classes(job->data); k++)
        said[at++] = text_of("%s", rung_data_class_name(job->data, k));
    for (int k = 0; k < job->rivals; k++)
        for (int64_t i = 0; i < rung_table_rows(job->rival[k].table); i++) {
            char text[256];
            rung_table_cell(job->rival[k].table, i, job->rival[k].predicted, text, sizeof text);
            said[at++] = text_of("%s", text);
        }
    if (rung_labels_order(s->ctx, n, (const char *const *)said, &order) != RUNG_OK) order = NULL;
    for (int64_t i = 0; i < n; i++) free(said[i]);
    free(said);
    return order;
}

static int encode_truth(session *s, compare_job *job, rung_encode_options *how)
{
    if (job->first) CHECK(s, rung_model_encode(s->ctx, job->first, job->test, RUNG_LABELS_REQUIRED, &job->data));
    if (job->first) return EXIT_OK;
    CHECK(s, rung_data_encode(s->ctx, job->test, how, &job->data));
    char *order = how->order ? NULL : common_order(s, job);
    if (!order) return EXIT_OK;
    rung_data_free(job->data);
    how->order = order;
    int code = session_check(s, rung_data_encode(s->ctx, job->test, how, &job->data));
    rung_free(order);
    return code;
}

static int read_truth(session *s, const arguments *args, compare_job *job)
{
    const char *order;
    int code = order_option(s, args, &order);
    for (int i = 0; code == EXIT_OK && i < job->rivals; i++) {
        if (is_table(job->rival[i].path))
            code = open_predictions(s, args, &job->rival[i]);
        else if (!job->first)
            code = load_model(s, job->rival[i].path, &job->first);
    }
    for (const char *const *own = (const char *const[]){"label", "order", NULL}; code == EXIT_OK && *own; own++)
        if (option_given(args, *own) && (job->first || (!option_given(args, "on") && !strcmp(*own, "label")))) {
            complain("compare: --%s has no effect: %s; omit it", *own,
                     job->first ? "a model knows its label and its classes"
                                : "without --on the column truth is compared");
            code = USAGE;
        }
    if (code == EXIT_OK)
        code = job->first ? datafile_read_for_all(s, args, job->first, job->on, &job->test)
                          : datafile_read(s, args, job->on, &job->test);
    if (code != EXIT_OK) return code;
    rung_encode_options how = {.size = sizeof how, .label = option_value(args, "label"), .order = order};
    if (!option_value(args, "on")) {
        int64_t at = truth_column(job->test);
        if (at < 0) {
            complain("compare: %s has no column truth; add it, or give the labelled rows with --on TEST.csv", job->on);
            return FAILED;
        }
        how.label = rung_table_name(job->test, at);
    }
    code = encode_truth(s, job, &how);
    if (code != EXIT_OK) return code;
    job->n = rung_data_rows(job->data);
    job->truth = rung_data_ranks(job->data);
    job->upper = rung_data_uppers(job->data);
    job->classes = job->first ? rung_model_classes(job->first) : rung_data_classes(job->data);
    for (int64_t i = 0; i < job->n; i++) job->labelled += job->truth[i] > 0;
    if (job->labelled > 1) return EXIT_OK;
    complain("compare: %s has %lld labelled rows: there is nothing to compare", job->on, (long long)job->labelled);
    return FAILED;
}

/* ---- statistics ---- */

static int measure(session *s, compare_job *job)
{
    double *p = allocate((size_t)job->rivals, sizeof *p), *mean = allocate((size_t)job->rivals, sizeof *mean);
    int code = EXIT_OK;
    for (int k = 0; code == EXIT_OK && k < job->rivals; k++) {
        rival *r = &job->rival[k];
        r->found.size = sizeof r->found;
        r->against.size = sizeof r->against;
        const rung_metrics_options how = {.size = sizeof how, .upper = job->upper, .proba = r->proba};
        code =
            session_check(s, rung_metrics_compute(s->ctx, job->n, job->classes, job->truth, r->rank, &how, &r->found));
        if (code == EXIT_OK)
            code = session_check(s, rung_compare(s->ctx, job->n, job->classes, job->truth, job->upper,
                                                 job->rival[0].rank, r->rank, &r->against));
        if (k) p[k - 1] = r->against.wilcoxon, mean[k - 1] = r->against.mae_p;
    }
    if (code == EXIT_OK) code = session_check(s, rung_holm(s->ctx, job->rivals - 1, p));
    if (code == EXIT_OK) code = session_check(s, rung_holm(s->ctx, job->rivals - 1, mean));
    for (int k = 1; k < job->rivals; k++) job->rival[k].wilcoxon = p[k - 1], job->rival[k].mae_p = mean[k - 1];
    free(p);
    free(mean);
    return code;
}

/* The result in one sentence; to be freed. */
static char *conclusion(const compare_job *job)
{
    int best = 0;
    for (int k = 1; k < job->rivals; k++)
        if (job->rival[k].found.mae < job->rival[best].found.mae) best = k;
    int other = 0; /* the best of those that the first is compared with, or the first */
    for (int k = 1; best == 0 && k < job->rivals; k++)
        if (other == 0 || job->rival[k].found.mae < job->rival[other].found.mae) other = k;
    const rival *b = &job->rival[best], *o = &job->rival[other];
    double p = job->rival[best ? best : other].mae_p;
    return text_of("%s has the smallest mae, %.3f, %s than that of %s (%.3f, p = %.2g)", b->path, b->found.mae,
                   p < LEVEL ? "significantly smaller" : "but not significantly smaller", o->path, o->found.mae, p);
}

/* What each test asks. */
static const char tests_explained[] =
    "The difference is that of the mae from the first, with a paired bootstrap range over rows. Is the mae another "
    "one? p, "
    "of the difference when each row's changes its sign at random. Are the errors usually smaller, whatever by how "
    "much? "
    "Wilcoxon's p, of the ranks of the differences. Are answers right more often? McNemar's p. So the three need not "
    "agree; "
    "the sentence about the mae goes by the first. p and Wilcoxon's have Holm's correction for several comparisons.";

/* ---- output ---- */

static const char *const shown[] = {"mae", "amae", "acc", "off1", "qkappa", "rps"};
enum { SHOWN = sizeof shown / sizeof *shown };

static void print_text(const compare_job *job)
{
    char *sentence = conclusion(job);
    say(stdout, "%lld labelled rows.\n\n", (long long)job->labelled);
    sheet t = sheet_new("lrrrrrrrrrrr");
    sheet_add(&t, "predictions");
    for (int m = 0; m < SHOWN; m++) sheet_add(&t, "%s", shown[m]);
    sheet_add(&t, "difference");
    sheet_add(&t, "95 %% range");
    sheet_add(&t, "p");
    sheet_add(&t, "Wilcoxon p");
    sheet_add(&t, "McNemar p");
    for (int k = 0; k < job->rivals; k++) {
        const rival *r = &job->rival[k];
        sheet_add(&t, "%s", r->path);
        for (int m = 0; m < SHOWN; m++) sheet_add_number(&t, rung_metrics_value(&r->found, shown[m]), 4);
        if (k == 0) {
            for (int i = 0; i < 5; i++) sheet_add(&t, "-");
            continue;
        }
        sheet_add(&t, "%+.4f", r->against.difference);
        sheet_add(&t, "%+.4f to %+.4f", r->against.low, r->against.high);
        sheet_add(&t, "%.3g", r->mae_p);
        sheet_add(&t, "%.3g", r->wilcoxon);
        sheet_add(&t, "%.3g", r->against.mcnemar);
    }
    sheet_print(&t, stdout, "");
    say(stdout, "\n");
    wrap_text(stdout, sentence, 0, 0);
    wrap_text(stdout, tests_explained, 0, 0);
    free(sentence);
}

static void print_json(const compare_job *job)
{
    json_t *all = json_object(), *list = json_array();
    for (int k = 0; k < job->rivals; k++) {
        const rival *r = &job->rival[k];
        json_t *one = measures_json(&r->found);
        json_object_set_new(one, "predictions", jout_text(r->path));
        json_object_set_new(one, "difference", k ? jout_number(r->against.difference) : json_null());
        json_object_set_new(one, "low", k ? jout_number(r->against.low) : json_null());
        json_object_set_new(one, "high", k ? jout_number(r->against.high) : json_null());
        json_object_set_new(one, "mae_p", k ? jout_number(r->mae_p) : json_null());
        json_object_set_new(one, "wilcoxon_p", k ? jout_number(r->wilcoxon) : json_null());
        json_object_set_new(one, "mcnemar_p", k ? jout_number(r->against.mcnemar) : json_null());
        json_array_append_new(list, one);
    }
    char *sentence = conclusion(job);
    json_object_set_new(all, "rows", json_integer(job->labelled));
    json_object_set_new(all, "compared", list);
    json_object_set_new(all, "conclusion", jout_text(sentence));
    free(sentence);
    jout_print(all);
}

static void write_latex(FILE *file, const compare_job *job)
{
    fputs("\\begin{tabular}{lrrrrrrrr}\n\\hline\npredictions", file);
    for (int m = 0; m < SHOWN; m++) fprintf(file, " & %s", shown[m]);
    fputs(" & difference & $p$ \\\\\n\\hline\n", file);
    for (int k = 0; k < job->rivals; k++) {
        const rival *r = &job->rival[k];
        latex_escaped(file, r->path);
        for (int m = 0; m < SHOWN; m++) {
            double value = rung_metrics_value(&r->found, shown[m]);
            if (isnan(value))
                fputs(" & --", file);
            else
                fprintf(file, " & %.4f", value);
        }
        if (k)
            fprintf(file, " & $%+.4f$ [$%+.4f$, $%+.4f$] & %.3g", r->against.difference, r->against.low,
                    r->against.high, r->mae_p);
        else
            fputs(" & & ", file);
        fputs(" \\\\\n", file);
    }
    fputs("\\hline\n\\end{tabular}\n", file);
}

static void write_page(FILE *file, const arguments *args, const compare_job *job)
{
    static const page_section sections[] = {{"metrics", "Metrics"}, {"repeat", "How to repeat this"}, {0}};
    static const char *const head[] = {"Predictions", "mae",        "amae",       "acc", "off1",       "qkappa",
                                       "rps",         "difference", "95 % range", "p",   "Wilcoxon p", "McNemar p"};
    char *sentence = conclusion(job), *title = text_of("Comparison on %s", job->on),
         *lead = text_of("%lld labelled rows", (long long)job->labelled);
    page_begin(file, title, sentence, lead, sections);
    page_heading(file, &sections[0]);
    page_table_begin(file, &(page_table){"Metrics over the labelled rows", 12, head, 0, true});
    for (int k = 0; k < job->rivals; k++) {
        const rival *r = &job->rival[k];
        page_row(file, r->path);
        for (int m = 0; m < SHOWN; m++) page_number(file, rung_metrics_value(&r->found, shown[m]), 4, NULL, false);
        page_number(file, k ? r->against.difference : NAN, 4, NULL, false);
        char *range = k ? text_of("%+.4f to %+.4f", r->against.low, r->against.high) : text_of("%s", "–");
        page_number(file, NAN, 0, range, false);
        free(range);
        page_number(file, k ? r->mae_p : NAN, 4, NULL, false);
        page_number(file, k ? r->wilcoxon : NAN, 4, NULL, false);
        page_number(file, k ? r->against.mcnemar : NAN, 4, NULL, false);
    }
    page_table_end(file);
    page_paragraph(file, tests_explained);
    page_heading(file, &sections[1]);
    page_command_line(file, "compare", args);
    page_end(file);
    free(sentence);
    free(title);
    free(lead);
}

static int write_file(const arguments *args, const compare_job *job)
{
    const char *path = option_value(args, "output");
    output o;
    if (!path) return EXIT_OK;
    if (!output_open(&o, path)) return FAILED;
    if (ends_with(path, ".tex"))
        write_latex(o.file, job);
    else
        write_page(o.file, args, job);
    return output_keep(&o) ? EXIT_OK : FAILED;
}

static bool all_models(const compare_job *job)
{
    bool all = job->rivals > 1;
    for (int k = 0; k < job->rivals; k++) all = all && !is_table(job->rival[k].path);
    return all;
}

/* Without test rows: by their likelihoods. */
static int compare_likelihoods(session *s, const compare_job *job)
{
    rung_model **model = allocate((size_t)job->rivals, sizeof *model);
    nested_model *list = allocate((size_t)job->rivals, sizeof *list);
    int code = EXIT_OK;
    for (int k = 0; code == EXIT_OK && k < job->rivals; k++) {
        code = load_model(s, job->rival[k].path, &model[k]);
        list[k] = (nested_model){.path = job->rival[k].path, .model = model[k]};
    }
    if (code == EXIT_OK && !nested_compare(job->rivals, list)) {
        complain("compare: give --on TEST.csv, the labelled rows to compare on (only pom has a likelihood to compare "
                 "without them)");
        code = USAGE;
    } else if (code == EXIT_OK && s->json) {
        nested_json(job->rivals, list);
    } else if (code == EXIT_OK) {
        nested_text(job->rivals, list);
    }
    for (int k = 0; k < job->rivals; k++) rung_model_free(model[k]);
    free(model);
    free(list);
    return code;
}

static int compare_steps(session *s, const arguments *args, compare_job *job)
{
    const char *path = option_value(args, "output");
    job->on = option_value(args, "on");
    if (!job->on && !path && all_models(job)) return compare_likelihoods(s, job);
    for (int k = 0; !job->on && k < job->rivals; k++)
        if (!is_table(job->rival[k].path)) {
            complain("compare: give --on TEST.csv, the labelled rows to compare on");
            return USAGE;
        }
    if (!job->on) job->on = job->rival[0].path;
    if (path && !ends_with(path, ".html") && !ends_with(path, ".tex")) {
        complain("compare: -o %s: the name must end in .html or .tex", path);
        return USAGE;
    }
    if (path && !output_possible(path)) return FAILED;
    int code = read_truth(s, args, job);
    for (int k = 0; code == EXIT_OK && k < job->rivals; k++) {
        rival *r = &job->rival[k];
        rung_model *model = NULL;
        r->rank = allocate((size_t)job->n, sizeof *r->rank);
        if (is_table(r->path)) {
            code = read_predictions(s, job, r);
            continue;
        }
        code = load_model(s, r->path, &model);
        if (code == EXIT_OK) code = predict_rows(s, job, model, r);
        rung_model_free(model);
    }
    if (code == EXIT_OK) code = measure(s, job);
    if (code == EXIT_OK) code = write_file(args, job);
    if (code != EXIT_OK) return code;
    if (s->json)
        print_json(job);
    else
        print_text(job);
    return EXIT_OK;
}

static int compare_run(session *s, const arguments *args)
{
    compare_job job = {.rivals = args->operands, .rival = allocate((size_t)args->operands, sizeof *job.rival)};
    for (int k = 0; k < job.rivals; k++) job.rival[k].path = operand(args, k);
    int code = compare_steps(s, args, &job);
    for (int k = 0; k < job.rivals; k++) {
        free(job.rival[k].rank);
        free(job.rival[k].proba);
        rung_table_free(job.rival[k].table);
    }
    free(job.rival);
    rung_data_free(job.data);
    rung_model_free(job.first);
    rung_table_free(job.test);
    return code;
}

static const example examples[] = {
    {"rung compare small.rung large.rung",
     "two proportional odds models fitted to the same rows: AIC, BIC and the likelihood-ratio test"},
    {"rung compare a.rung b.rung --on test.csv", "two models on the same rows: which one is better?"},
    {"rung compare a.rung other.csv --on test.csv -o comparison.html",
     "a model and the predictions of another program (columns predicted and, if any, p(CLASS)), as a page"},
    {0}};

const command command_compare = {
    .name = "compare",
    .operands = "A B...",
    .help = "compare models or predictions on the same rows",
    .about =
        "A, B, ... are model files, or CSV files with a prediction for every row of TEST, in its order: a column "
        "predicted "
        "(or prediction, or label) and optionally a column p(CLASS) for every class, as 'rung predict --proba' writes "
        "them. A column truth is compared with the labels of TEST; files that have one can do without TEST.\nPrints "
        "the metrics side by side; the difference of the mae from the first, with a paired bootstrap range and its p; "
        "Wilcoxon's test of the absolute errors; McNemar's test of right and wrong answers; and one sentence.\nWithout "
        "a "
        "model and --order the classes are those of all labels and predictions; whole numbers are a scale without "
        "gaps.\nWithout TEST, models of pom are compared by their likelihoods: AIC, BIC, and a likelihood-ratio test "
        "of "
        "those that are nested.",
    .options = tables,
    .usual = "on label output",
    .examples = examples,
    .run = compare_run};
