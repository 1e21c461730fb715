// SPDX-License-Identifier: BSD-3-Clause
/* The error by number of labels, with and without unlabelled rows: CSV or JSON, a text plot and the conclusions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/command.h"
#include "core/json_out.h"
#include "core/output.h"
#include "data/datafile.h"
#include "data/forecast.h"
#include "data/learn.h"
#include "experiment/statistics/statistics.h"

enum { HEIGHT = 12, STEP = 9, MOST_SIZES = 16 };
static const double LEVEL = 0.05;

#define GROUP "Curve"
static const option curve_options[] = {
    {"method", 'm', "METHOD[,METHOD]", "methods to compare, see 'rung methods' (default {method})", GROUP},
    {"param", 'p', "NAME=VALUE", "a parameter, for the methods that have it; may be repeated", GROUP},
    {"sizes", 0, "N[,N]",
     "labels per class (default: 5,10,20,... as far as the data allow, at most 500 labels); with --strategies labels "
     "in "
     "total (default: batches of 12 up to 120)",
     GROUP},
    {"strategies", 0, "NAME[,NAME]",
     "replay labelling: how the next rows are chosen, random or suggest (see 'rung suggest')", GROUP},
    {"repeats", 0, "N", "number of repeats with different rows (default 10)", GROUP},
    {"more", 0, "N", "forecast the error after N more labels; 0: no forecast (default: as many as there are)", GROUP},
    {"groups", 0, "COLUMN",
     "column whose equal values, such as a patient, are tested or keep labels together; it is not a feature", GROUP},
    {"metric", 0, "KEY", "error to plot, a key of 'rung metrics' (default mae)", GROUP},
    {"output", 'o', "FILE", "file for the numbers (default: standard output)", GROUP},
    {0}};
static const option *const tables[] = {curve_options, learn_options, reader_options, global_options, NULL};

typedef struct {
    const char *method;
    bool unlabelled;
    const char *strategy; /* NULL: none */
    const double *value;  /* sizes x repeats */
    double mean[MOST_SIZES], se[MOST_SIZES];
} line;

typedef struct {
    rung_curve_options how;
    const char **methods, **fixed, **weights, **size_texts, **strategies;
    char *method_text, *size_text, *strategy_text;
    int sizes[MOST_SIZES];
    rung_data *data;
    rung_curve *curve;
    const char *metric;
    bool more;
    int n_sizes, repeats, n_lines, per_class[MOST_SIZES];
    int64_t labels[MOST_SIZES];
    line *lines;
} curve_job;

/* ---- numbers ---- */

static void take_curve(curve_job *job)
{
    const rung_metric *metric = rung_curve_metric(job->curve);
    job->metric = metric->key;
    job->more = metric->flags & RUNG_METRIC_LARGER_BETTER;
    job->repeats = rung_curve_repeats(job->curve);
    while (job->n_sizes < MOST_SIZES &&
           (job->per_class[job->n_sizes] = rung_curve_size(job->curve, job->n_sizes, &job->labels[job->n_sizes])))
        job->n_sizes++;
    while (rung_curve_at(job->curve, job->n_lines)) job->n_lines++;
    job->lines = allocate((size_t)job->n_lines, sizeof *job->lines);
    for (int i = 0; i < job->n_lines; i++) {
        const rung_curve_line *from = rung_curve_at(job->curve, i);
        line *to = &job->lines[i];
        *to = (line){
            .method = from->method, .unlabelled = from->unlabelled, .strategy = from->strategy, .value = from->values};
        for (int s = 0; s < job->n_sizes; s++) {
            const double *v = to->value + s * job->repeats;
            to->mean[s] = statistics_mean(job->repeats, v);
            to->se[s] = statistics_deviation(job->repeats, v) / sqrt(job->repeats);
        }
    }
}

/* The pairs that both have a number. */
static wilcoxon_test compare(const curve_job *job, const double *a, const double *b)
{
    double *x = allocate((size_t)job->repeats, sizeof *x), *y = allocate((size_t)job->repeats, sizeof *y);
    int n = 0;
    for (int r = 0; r < job->repeats; r++)
        if (isfinite(a[r]) && isfinite(b[r])) {
            x[n] = a[r];
            y[n++] = b[r];
        }
    wilcoxon_test t = statistics_wilcoxon(n, x, y);
    free(x);
    free(y);
    return t;
}

static const double *values_at(const curve_job *job, int l, int size)
{
    return job->lines[l].value + size * job->repeats;
}

/* The line of the same method without the unlabelled rows; -1: this line does not use them, either. */
static int rival(const curve_job *job, int l)
{
    for (int i = 0; i < job->n_lines && job->lines[l].unlabelled; i++)
        if (!job->lines[i].unlabelled && !strcmp(job->lines[i].method, job->lines[l].method)) return i;
    return -1;
}

/* p values at every size, corrected for their number (Holm). */
static void unlabelled_tests(const curve_job *job, int l, double *p)
{
    for (int s = 0; s < job->n_sizes; s++)
        p[s] = compare(job, values_at(job, l, s), values_at(job, rival(job, l), s)).p;
    statistics_holm(job->n_sizes, p, p);
}

/* ---- CSV and JSON ---- */

static int write_csv(const curve_job *job, const char *path)
{
    output out = {0};
    if (!output_open(&out, path)) return FAILED;
    fputs("method,unlabelled,per_class,labels,mean,se,low,high,p_unlabelled,p_more,metric", out.file);
    fputs(job->strategies ? ",strategy\n" : "\n", out.file);
    for (int i = 0; i < job->n_lines; i++) {
        const line *l = &job->lines[i];
        double p[MOST_SIZES];
        if (rival(job, i) >= 0) unlabelled_tests(job, i, p);
        for (int s = 0; s < job->n_sizes; s++) {
            fprintf(out.file, "%s,%s,%d,%lld,%s,%s,", l->method, l->unlabelled ? "with" : "without", job->per_class[s],
                    (long long)job->labels[s], number_of(l->mean[s]).text, number_of(l->se[s]).text);
            fprintf(out.file, "%s,%s,", number_of(l->mean[s] - l->se[s]).text, number_of(l->mean[s] + l->se[s]).text);
            fprintf(out.file, "%s,", rival(job, i) >= 0 ? number_of(p[s]).text : "");
            fprintf(out.file, "%s,%s%s%s\n",
                    s ? number_of(compare(job, values_at(job, i, s), values_at(job, i, s - 1)).p).text : "",
                    job->metric, l->strategy ? "," : "", l->strategy ? l->strategy : "");
        }
    }
    return output_keep(&out) ? EXIT_OK : FAILED;
}

/* The report with what follows from it. */
static int print_json(session *s, const curve_job *job)
{
    char *text;
    CHECK(s, rung_curve_describe(s->ctx, job->curve, &text));
    json_t *all = jout_parse(text);
    rung_free(text);
    for (int i = 0; i < job->n_lines; i++) {
        json_t *one = json_array_get(json_object_get(all, "lines"), (size_t)i), *mean = json_array(),
               *se = json_array(), *unlabelled = json_array(), *more = json_array();
        double p[MOST_SIZES];
        bool both = rival(job, i) >= 0;
        if (both) unlabelled_tests(job, i, p);
        for (int at = 0; at < job->n_sizes; at++) {
            json_array_append_new(mean, jout_number(job->lines[i].mean[at]));
            json_array_append_new(se, jout_number(job->lines[i].se[at]));
            if (both) json_array_append_new(unlabelled, jout_number(p[at]));
            if (at)
                json_array_append_new(more,
                                      jout_number(compare(job, values_at(job, i, at), values_at(job, i, at - 1)).p));
        }
        json_object_set_new(one, "mean", mean);
        json_object_set_new(one, "se", se);
        json_object_set_new(one, "p_unlabelled", unlabelled);
        json_object_set_new(one, "p_more", more);
    }
    jout_print(all);
    return EXIT_OK;
}

/* ---- the plot ---- */

/* One letter per line of the curve; where two meet, the first is shown. */
static void draw(const curve_job *job)
{
    char grid[HEIGHT][MOST_SIZES * STEP + 1];
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < job->n_lines; i++)
        for (int s = 0; s < job->n_sizes; s++) {
            low = fmin(low, job->lines[i].mean[s]);
            high = fmax(high, job->lines[i].mean[s]);
        }
    if (!(high >= low)) return;
    memset(grid, ' ', sizeof grid);
    for (int i = job->n_lines - 1; i >= 0; i--)
        for (int s = 0; s < job->n_sizes; s++) {
            double x = job->lines[i].mean[s];
            int at = high > low ? (int)lround((high - x) / (high - low) * (HEIGHT - 1)) : 0;
            if (isfinite(x)) grid[at][s * STEP + STEP / 2] = (char)('a' + i % 26);
        }
    fputc('\n', stderr);
    for (int row = 0; row < HEIGHT; row++) {
        int end = job->n_sizes * STEP;
        while (end > 0 && grid[row][end - 1] == ' ') end--;
        if (row % (HEIGHT - 1) == 0 || row == HEIGHT / 2)
            say(stderr, "%9.3f |%.*s\n", high - (high - low) * row / (HEIGHT - 1), end, grid[row]);
        else
            say(stderr, "%9s |%.*s\n", "", end, grid[row]);
    }
    say(stderr, "%9s +", job->metric);
    for (int s = 0; s < job->n_sizes * STEP; s++) fputc('-', stderr);
    say(stderr, "\n%11s", "");
    for (int s = 0; s < job->n_sizes; s++)
        say(stderr, "%*d%*s", STEP / 2 + 1, job->per_class[s], STEP - STEP / 2 - 1, "");
    fputs(job->strategies ? "labels\n\n" : "labels per class\n\n", stderr);
}

static void tell_table(const curve_job *job)
{
    char align[MOST_SIZES + 3] = "ll";
    for (int s = 0; s < job->n_sizes; s++) align[s + 2] = 'r';
    sheet t = sheet_new(align);
    sheet_add(&t, " ");
    sheet_add(&t, "labels in total");
    for (int s = 0; s < job->n_sizes; s++) sheet_add(&t, "%lld", (long long)job->labels[s]);
    for (int i = 0; i < job->n_lines; i++) {
        const line *l = &job->lines[i];
        sheet_add(&t, "%c", 'a' + i % 26);
        sheet_add(&t, "%s%s%s", l->method, l->strategy || rival(job, i) >= 0 ? ", " : "",
                  l->strategy          ? l->strategy
                  : rival(job, i) >= 0 ? "with unlabelled rows"
                                       : "");
        for (int s = 0; s < job->n_sizes; s++) sheet_add_number(&t, l->mean[s], 3);
    }
    sheet_print(&t, stderr, "");
}

/* ---- the answers ---- */

/* Any number is better than none. */
static bool better(const curve_job *job, double a, double b)
{
    return (isnan(b) && !isnan(a)) || (job->more ? a > b : a < b);
}

static int best_line(const curve_job *job)
{
    int last = job->n_sizes - 1, best = 0;
    for (int i = 1; i < job->n_lines; i++)
        if (better(job, job->lines[i].mean[last], job->lines[best].mean[last])) best = i;
    return best;
}

/* By the best line at the largest size. */
static void tell_more(const curve_job *job)
{
    int last = job->n_sizes - 1, best = best_line(job);
    const line *l = &job->lines[best];
    fputs("more labels       ", stderr);
    if (!strcmp(l->method, "median")) {
        fputs("no method beats the constant median: these columns do not predict the grade yet\n", stderr);
        return;
    }
    if (last == 0) {
        fputs("only one size: nothing to compare\n", stderr);
        return;
    }
    if (isnan(l->mean[last]) || isnan(l->mean[last - 1])) {
        say(stderr, "%s is not defined in every repeat: nothing to compare\n", job->metric);
        return;
    }
    double p = compare(job, values_at(job, best, last), values_at(job, best, last - 1)).p;
    say(stderr, "%s%s%s, from %lld to %lld labels: %s %.3f to %.3f (p = %.2g): %s\n", l->method,
        l->strategy     ? ", "
        : l->unlabelled ? " with unlabelled rows"
                        : "",
        l->strategy ? l->strategy : "", (long long)job->labels[last - 1], (long long)job->labels[last], job->metric,
        l->mean[last - 1], l->mean[last], p,
        p > LEVEL                                       ? "no significant difference in these repeats"
        : better(job, l->mean[last], l->mean[last - 1]) ? "more labels still help"
                                                        : "the error increased");
}

static void tell_unlabelled(const curve_job *job)
{
    for (int i = 0; i < job->n_lines; i++) {
        int other = rival(job, i);
        double p[MOST_SIZES];
        if (other < 0) continue;
        unlabelled_tests(job, i, p);
        say(stderr, "unlabelled rows   %s:", job->lines[i].method);
        for (int s = 0; s < job->n_sizes; s++) {
            bool gain = better(job, job->lines[i].mean[s], job->lines[other].mean[s]);
            say(stderr, "%s %lld %s", s ? "," : "", (long long)job->labels[s],
                p[s] > LEVEL ? "no difference"
                : gain       ? "they help"
                             : "they hurt");
        }
        fputs(" (labels)\n", stderr);
    }
}

/* The area under a curve in one repeat, over the labels. */
static double area(const curve_job *job, int l, int repeat)
{
    double sum = 0;
    for (int s = 1; s < job->n_sizes; s++)
        sum += (values_at(job, l, s)[repeat] + values_at(job, l, s - 1)[repeat]) / 2 *
               (double)(job->labels[s] - job->labels[s - 1]);
    return sum / (double)(job->labels[job->n_sizes - 1] - job->labels[0]);
}

/* The labels with which a line is first as good as another one at the end; NaN: never. */
static double labels_to_reach(const curve_job *job, const line *l, double level)
{
    for (int s = 0; s < job->n_sizes && !isnan(level); s++) {
        if (better(job, level, l->mean[s])) continue;
        if (s == 0) return (double)job->labels[0];
        double part = (l->mean[s - 1] - level) / (l->mean[s - 1] - l->mean[s]);
        return (double)job->labels[s - 1] + part * (double)(job->labels[s] - job->labels[s - 1]);
    }
    return NAN;
}

/* Every strategy against the first of the same method. */
static void tell_strategies(const curve_job *job)
{
    int last = job->n_sizes - 1;
    for (int i = 0, first = 0; i < job->n_lines && job->lines[i].strategy && last > 0; i++) {
        const line *l = &job->lines[i];
        if (i == 0 || strcmp(job->lines[first].method, l->method)) first = i;
        if (i == first) continue;
        double *a = allocate((size_t)job->repeats, sizeof *a), *b = allocate((size_t)job->repeats, sizeof *b);
        for (int r = 0; r < job->repeats; r++) {
            a[r] = area(job, i, r);
            b[r] = area(job, first, r);
        }
        say(stderr, "%-17s %s: mean %s over the curve %.3f against %.3f of %s (p = %.2g)", l->strategy, l->method,
            job->metric, statistics_mean(job->repeats, a), statistics_mean(job->repeats, b), job->lines[first].strategy,
            compare(job, a, b).p);
        double reached = labels_to_reach(job, l, job->lines[first].mean[last]);
        if (isfinite(reached))
            say(stderr, "; its %.3f after %lld labels is reached with %.0f", job->lines[first].mean[last],
                (long long)job->labels[last], reached);
        fputc('\n', stderr);
        free(a);
        free(b);
    }
}

/* Of the best line that has one. */
static void tell_forecast(const curve_job *job)
{
    int last = job->n_sizes - 1, best = -1;
    rung_forecast f = {.size = sizeof f};
    for (int i = 0; i < job->n_lines; i++)
        if (rung_curve_forecast(job->curve, i, &f) &&
            (best < 0 || better(job, job->lines[i].mean[last], job->lines[best].mean[last])))
            best = i;
    if (best < 0) return;
    rung_curve_forecast(job->curve, best, &f);
    say(stderr, "%-18s", "forecast");
    if (job->n_lines > 2) say(stderr, "%s, ", job->lines[best].method);
    forecast_say(stderr, &f);
}

static void tell(const curve_job *job)
{
    draw(job);
    tell_table(job);
    fputc('\n', stderr);
    tell_more(job);
    tell_forecast(job);
    if (job->strategies)
        tell_strategies(job);
    else
        tell_unlabelled(job);
    fprintf(stderr,
            "                  %d repeats, %lld test rows each; paired Wilcoxon tests at level %.2f; repeats share "
            "rows, so p is slightly too small\n",
            job->repeats, (long long)rung_curve_test_rows(job->curve), LEVEL);
}

/* ---- the command ---- */

static int read_sizes(const arguments *args, curve_job *job)
{
    const char *text = option_value(args, "sizes");
    if (!text) return EXIT_OK;
    job->size_text = text_of("%s", text);
    job->size_texts = learn_list(job->size_text);
    for (int i = 0; job->size_texts[i]; i++) {
        long long value;
        if (i == MOST_SIZES || !parse_whole(job->size_texts[i], 1, 1000000, &value)) {
            complain("curve: --sizes %s: expected at most %d whole numbers >= 1, such as 5,10,20", text, MOST_SIZES);
            return USAGE;
        }
        job->sizes[job->how.n_sizes++] = (int)value;
    }
    job->how.sizes = job->sizes;
    return EXIT_OK;
}

static int read_options(session *s, const arguments *args, curve_job *job)
{
    const char *methods = option_value(args, "method"), *repeats = option_value(args, "repeats"),
               *more = option_value(args, "more");
    long long count = 0, ahead = 0;
    if (repeats && !parse_whole(repeats, 2, 10000, &count)) {
        complain("curve: --repeats %s: expected a whole number >= 2", repeats);
        return USAGE;
    }
    job->how.repeats = (int)count;
    if (more && !parse_whole(more, 0, 1000000000, &ahead)) {
        complain("curve: --more %s: expected a whole number >= 0", more);
        return USAGE;
    }
    job->how.more = ahead;
    job->how.no_forecast = more && ahead == 0;
    job->how.metric = option_value(args, "metric");
    job->how.scale = option_value(args, "scale");
    job->how.equal_rows = option_value(args, "equal-rows");
    job->how.fixed = job->fixed = learn_values(args, "param");
    job->how.weights = job->weights = learn_values(args, "weight");
    if (methods) {
        job->method_text = text_of("%s", methods);
        job->how.methods = job->methods = learn_list(job->method_text);
    }
    if (option_given(args, "strategies")) {
        job->strategy_text = text_of("%s", option_value(args, "strategies"));
        job->how.strategies = job->strategies = learn_list(job->strategy_text);
    }
    for (const char **name = job->methods; name && *name; name++) { /* before any data is read */
        rung_spec *spec;
        CHECK(s, rung_spec_new(s->ctx, *name, 0, &spec));
        rung_spec_free(spec);
    }
    return read_sizes(args, job);
}

static int curve_steps(session *s, const arguments *args, curve_job *job)
{
    const char *path = option_value(args, "output");
    int code = read_options(s, args, job);
    if (code != EXIT_OK) return code;
    if (path && !output_possible(path)) return FAILED;
    if ((code = learn_data(s, args, &job->data)) != EXIT_OK) return code;
    CHECK(s, rung_curve_run(s->ctx, &job->how, job->data, &job->curve));
    take_curve(job);
    if (!s->quiet) tell(job);
    if (s->json && (code = print_json(s, job)) != EXIT_OK) return code;
    return s->json && !path ? EXIT_OK : write_csv(job, path);
}

static int curve_run(session *s, const arguments *args)
{
    curve_job job = {.how.size = sizeof job.how};
    int code = curve_steps(s, args, &job);
    free(job.lines);
    rung_curve_free(job.curve);
    rung_data_free(job.data);
    free(job.methods);
    free(job.fixed);
    free(job.weights);
    free(job.size_texts);
    free(job.method_text);
    free(job.strategies);
    free(job.strategy_text);
    free(job.size_text);
    return code;
}

static const example examples[] = {
    {"rung curve grades.csv -o curve.csv", "the default method; numbers in a file, plot and conclusions on the screen"},
    {"rung curve grades.csv -m kdlor,s-dl,llgc --repeats 20", "several methods, each with and without unlabelled rows"},
    {"rung curve grades.csv --sizes 2,4,8 --metric amae", "other numbers of labels per class, another error"},
    {"rung curve grades.csv --strategies random,suggest", "are suggested rows better than random ones?"},
    {"rung plot curve curve.csv -o curve.svg", "draw it as a figure"},
    {0}};

const command command_curve = {
    .name = "curve",
    .operands = "DATA...",
    .help = "measure the error by number of labels, with and without unlabelled rows",
    .about =
        "Each repeat holds out a third of the labelled rows as a test set. Of the remaining labels an increasing "
        "number per class is kept and the rest are hidden. The methods are fitted at each size, those that learn "
        "from unlabelled rows both with and without them, and compared with the constant median.\nWrites CSV: "
        "method, unlabelled (with, without), labels per class and in total, mean, standard error, mean -+ "
        "standard error (low, high), the key of the error (metric) and p-values of paired Wilcoxon tests: with "
        "against without unlabelled rows (p_unlabelled, corrected for the number of sizes), and each size against "
        "the one before (p_more). The plot and the conclusions go to standard error; -q omits them. The forecast is "
        "that of 'rung suggest': the range that contains the mean absolute error of a fit to all labels of DATA, those "
        "of the test rows, too, and N more, with a probability of 90 %.\nWith --strategies labelling is "
        "replayed: each repeat starts with two labels per class, and every strategy chooses the next rows, batch "
        "after batch, among those whose labels are hidden. The column strategy is added.",
    .options = tables,
    .usual = "label order ignore groups method output",
    .examples = examples,
    .run = curve_run};
