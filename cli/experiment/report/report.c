// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/output.h"

#define GROUP "Reporting"
const option report_options[] = {
    {"metric", 0, "KEY", "report: metric to compare (default: the plan's, else mae)", GROUP},
    {"part", 0, "test|unlabelled|labelled", "report: rows measured (default test)", GROUP},
    {"with", 0, "FILE",
     "report: add the results of other programs from a CSV file with columns dataset, method, partition and metric; "
     "may be repeated",
     GROUP},
    {"methods", 0, "NAME,...", "report: only these methods, in this order", GROUP},
    {"control", 0, "NAME", "report: method compared with each of the others (default: the best mean rank)", GROUP},
    {"alpha", 0, "P", "report: significance level (default 0.05)", GROUP},
    {"format", 0, "text|csv|latex|html", "report: output format (default text)", GROUP},
    {"table", 0, "means|cells|tests", "report --format csv: which table (default means)", GROUP},
    {"orca", 0, "FOLDER", "report: write the folders and files of ORCA instead", GROUP},
    {0}};

double report_rank(const comparison *c, int set, int method)
{
    for (int i = 0; i < c->n; i++)
        if (c->set[i] == set) return c->rank[i * c->k + method];
    return NAN;
}

/* By the means that the table shows, which may be over other partitions than the ranks where cells are missing. */
int report_better(const comparison *c, int set, int method)
{
    double sign = c->r->larger_better ? -1 : 1, mean = sign * results_at(c->r, set, method)->mean;
    int better = 0;
    if (isnan(report_rank(c, set, method))) return -1;
    for (int j = 0; j < c->k; j++) {
        double other = sign * results_at(c->r, set, j)->mean;
        better += !(mean <= other + 1e-12 * fabs(other));
    }
    return better;
}

bool report_best(const comparison *c, int set, int method) { return report_better(c, set, method) == 0; }

double report_average(const comparison *c, int method)
{
    double sum = 0;
    for (int i = 0; i < c->n; i++) sum += c->mean[i * c->k + method];
    return c->n ? (c->r->larger_better ? -sum : sum) / c->n : NAN;
}

int report_wins(const comparison *c, int method)
{
    int wins = 0;
    for (int i = 0; i < c->n; i++) wins += report_best(c, c->set[i], method);
    return wins;
}

/* ---- the options ---- */

static const struct {
    const char *key;
    bool larger_better;
} real_keys[] = {{"rmse", false}, {"r2", true}}; /* of real targets; mae and mse are among the metrics of the library */

static bool choose_metric(report_choices *choices, const char *key)
{
    const rung_metric *m = rung_metric_find(key);
    if (m) {
        choices->metric = m->key;
        choices->larger_better = m->flags & RUNG_METRIC_LARGER_BETTER;
        return true;
    }
    for (size_t i = 0; i < sizeof real_keys / sizeof *real_keys; i++)
        if (!strcmp(real_keys[i].key, key)) {
            choices->metric = real_keys[i].key;
            choices->larger_better = real_keys[i].larger_better;
            return true;
        }
    return false;
}

/* What the plan chose by is what its report shows where nothing else is asked for. */
static void choose_metric_of_plan(store *db, report_choices *choices)
{
    sqlite3_stmt *q = store_query(db, "SELECT value FROM plan WHERE key = 'metric'", "");
    if (q && store_step(db, q) == SQLITE_ROW) choose_metric(choices, (const char *)sqlite3_column_text(q, 0));
    sqlite3_finalize(q);
}

int report_read_choices(session *s, const arguments *args, report_choices *out)
{
    const char *alpha = option_value(args, "alpha"), *metric = option_value(args, "metric"),
               *part = option_value(args, "part"), *format = option_value(args, "format"),
               *table = option_value(args, "table");
    *out = (report_choices){.part = part ? part : "test",
                            .format = format ? format : "text",
                            .table = table ? table : "means",
                            .alpha = 0.05};
    if (!choose_metric(out, metric ? metric : "mae")) {
        complain("%s: --metric %s: unknown metric; expected one of mae mze acc amae mmae mse gm ms rps tau spearman "
                 "kappa qkappa off1 rmse r2",
                 s->command, metric);
        return USAGE;
    }
    if (alpha && (!parse_double(alpha, &out->alpha) || !(out->alpha > 0 && out->alpha < 1))) {
        complain("%s: --alpha %s: expected a number above 0 and below 1", s->command, alpha);
        return USAGE;
    }
    if (table && strcmp(out->format, "csv")) {
        complain("experiment report: --table needs --format csv");
        return USAGE;
    }
    return EXIT_OK;
}

/* What would be without effect beside another option. */
static int check_output(const session *s, const arguments *args)
{
    static const char *const beside_orca[] = {"with", "format", "output",  "json", "metric",
                                              "part", "table",  "control", "alpha"};
    const char *to = option_value(args, "output");
    for (size_t i = 0; i < sizeof beside_orca / sizeof *beside_orca && option_given(args, "orca"); i++)
        if (option_given(args, beside_orca[i])) {
            complain("experiment report: --orca writes all results of the experiment, in folders of its own; omit --%s",
                     beside_orca[i]);
            return USAGE;
        }
    if (!s->json || (to ? strcmp(to, "-") != 0 : !option_given(args, "format"))) return EXIT_OK;
    complain("experiment report: standard output carries the JSON of --json; give another file with -o");
    return USAGE;
}

static int find_control(const arguments *args, const results *r, int *out)
{
    const char *name = option_value(args, "control");
    *out = -1;
    for (int j = 0; name && j < r->methods; j++)
        if (!strcmp(r->method[j].name, name)) *out = j;
    if (!name || *out >= 0) return EXIT_OK;
    complain("experiment report: --control %s: the report has no such method", name);
    return USAGE;
}

/* ---- writing ---- */

static void write_format(FILE *file, const report_choices *choices, const comparison *c)
{
    if (!strcmp(choices->format, "latex"))
        report_latex(file, c);
    else if (strcmp(choices->format, "csv"))
        report_text(file, c);
    else if (!strcmp(choices->table, "cells"))
        report_csv_cells(file, c);
    else if (!strcmp(choices->table, "tests"))
        report_csv_tests(file, c);
    else
        report_csv_means(file, c);
}

static int write_report(session *s, const arguments *args, const report_choices *choices, store *db,
                        const comparison *c)
{
    if (s->json) report_json(c);
    if (s->json && !option_given(args, "output")) return EXIT_OK;
    output o;
    if (!output_open(&o, option_value(args, "output"))) return FAILED;
    if (!strcmp(choices->format, "html"))
        report_html(o.file, db, c, args);
    else
        write_format(o.file, choices, c);
    return output_keep(&o) ? EXIT_OK : FAILED;
}

/* The results of the experiment, joined with those of other programs. */
static int read_results(session *s, const arguments *args, const report_choices *choices, store *db, results *r)
{
    outside more = {0};
    const char *file;
    int at = 0, code = EXIT_OK;
    while (code == EXIT_OK && (file = option_each(args, "with", &at)))
        code = outside_read(s, file, choices->metric, choices->part, &more);
    if (code == EXIT_OK && option_given(args, "with") && more.n == 0) {
        complain("experiment report: --with: the file has no %s of %s rows", choices->metric, choices->part);
        code = FAILED;
    }
    if (code == EXIT_OK && !results_read(db, choices->metric, choices->part, option_value(args, "methods"), &more, r))
        code = FAILED;
    if (code == EXIT_OK && r->strangers && (r->strangers == more.n || !s->quiet))
        complain("experiment report: --with: %lld of %lld results are of data sets or partitions that the experiment "
                 "does not have: left out",
                 (long long)r->strangers, (long long)more.n);
    if (code == EXIT_OK && r->strangers && r->strangers == more.n) code = FAILED;
    outside_free(&more);
    return code;
}

int report_read(session *s, const arguments *args, const char *path, report_choices *choices, store *db, results *r)
{
    if (!store_open(db, path, false)) return FAILED;
    if (!option_given(args, "metric")) choose_metric_of_plan(db, choices);
    int code = read_results(s, args, choices, db, r);
    if (code != EXIT_OK) return code;
    r->larger_better = choices->larger_better;
    if (r->planned || r->joined) return EXIT_OK;
    complain("experiment: %s has no cells", path);
    return FAILED;
}

static int report_steps(session *s, const arguments *args, store *db, results *r)
{
    report_choices choices;
    int control, code = report_read_choices(s, args, &choices);
    if (code == EXIT_OK) code = check_output(s, args);
    if (code == EXIT_OK) code = report_read(s, args, operand(args, 1), &choices, db, r);
    if (code != EXIT_OK) return code;
    if (option_given(args, "orca")) return report_orca(s, db, r, option_value(args, "orca"));
    code = find_control(args, r, &control);
    if (code != EXIT_OK) return code;
    comparison c = comparison_new(r, choices.alpha, control);
    code = write_report(s, args, &choices, db, &c);
    comparison_free(&c);
    return code;
}

int experiment_report(session *s, const arguments *args)
{
    if (args->operands != 2) {
        complain("experiment report: expected one database: rung experiment report DB");
        return USAGE;
    }
    store db = {0};
    results r = {0};
    int code = report_steps(s, args, &db, &r);
    results_free(&r);
    store_close(&db);
    return code;
}
