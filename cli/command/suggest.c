// SPDX-License-Identifier: BSD-3-Clause
/* The rows to label next: CSV or JSON, or a copy of the data with a mark; and what more labels will buy. */
#include <stdlib.h>
#include <string.h>

#include "core/command.h"
#include "core/json_out.h"
#include "core/output.h"
#include "data/datafile.h"
#include "data/forecast.h"
#include "data/learn.h"

#define GROUP "Suggesting"
static const option suggest_options[] = {
    {"rows", 'n', "N", "number of rows to suggest (default 20)", GROUP},
    {"method", 'm', "METHOD", "method whose doubt decides, see 'rung methods' (default {method})", GROUP},
    {"param", 'p', "NAME=VALUE", "a parameter of the method; may be repeated", GROUP},
    {"random", 0, "SHARE", "share of the rows drawn at random, from 0 to 1 (default 0.2, 0.5 among the first 16)",
     GROUP},
    {"more", 0, "N", "forecast the error after N more labels; 0: no forecast (default: the rows suggested)", GROUP},
    {"groups", 0, "COLUMN", "forecast: column whose equal values are held out together; it is not a feature", GROUP},
    {"append", 0, NULL, "write all rows of DATA, with a column `suggested`: chosen, random or empty", GROUP},
    {"no-label", 0, NULL, "DATA has no column of labels yet", GROUP},
    {"output", 'o', "FILE", "file to write (default: standard output)", GROUP},
    {0}};
static const option *const tables[] = {suggest_options, learn_options, reader_options, global_options, NULL};

typedef struct {
    rung_suggest_options how;
    rung_spec *spec;
    rung_table *table;
    rung_data *data;
    rung_suggestion *found;
} suggest_job;

static const char *mark_of(const rung_suggested *one) { return one->random ? "random" : "chosen"; }

/* ---- CSV ---- */

static void write_rows(FILE *file, const suggest_job *job)
{
    const rung_suggested *one;
    fputs("row,suggested,score,guess,reason\n", file);
    for (int64_t i = 0; (one = rung_suggestion_at(job->found, i)); i++) {
        fprintf(file, "%lld,%s,%.4f,", (long long)one->row + 1, mark_of(one), one->score);
        csv_cell(file, rung_data_class_name(job->data, one->guess));
        fputc(',', file);
        csv_cell(file, one->reason);
        fputc('\n', file);
    }
}

static void write_cell(FILE *file, const rung_table *table, int64_t row, int64_t column)
{
    int64_t size = rung_table_cell(table, row, column, NULL, 0) + 1;
    char *text = allocate((size_t)size, 1);
    rung_table_cell(table, row, column, text, size);
    csv_cell(file, text);
    free(text);
}

static void write_marked(FILE *file, const suggest_job *job)
{
    int64_t columns = rung_table_columns(job->table), rows = rung_table_rows(job->table),
            marks = datafile_marks(job->table);
    const char **mark = allocate((size_t)rows, sizeof *mark);
    const rung_suggested *one;
    for (int64_t i = 0; (one = rung_suggestion_at(job->found, i)); i++) mark[one->row] = mark_of(one);
    for (int64_t j = 0; j < columns; j++) {
        if (j) fputc(',', file);
        const char *name = rung_table_name(job->table, j);
        if (*name)
            csv_cell(file, name);
        else
            fprintf(file, "column%lld", (long long)j + 1);
    }
    fputs(marks < 0 ? ",suggested\n" : "\n", file);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) {
            if (j) fputc(',', file);
            if (j == marks && mark[i])
                fputs(mark[i], file);
            else
                write_cell(file, job->table, i, j);
        }
        if (marks < 0) fprintf(file, ",%s", mark[i] ? mark[i] : "");
        fputc('\n', file);
    }
    free(mark);
}

/* ---- JSON and the screen ---- */

static void print_json(const suggest_job *job)
{
    json_t *all = json_object(), *rows = json_array();
    const rung_suggested *one;
    rung_forecast f = {.size = sizeof f};
    for (int64_t i = 0; (one = rung_suggestion_at(job->found, i)); i++) {
        json_t *row = json_object();
        json_object_set_new(row, "row", json_integer(one->row + 1));
        json_object_set_new(row, "suggested", json_string(mark_of(one)));
        json_object_set_new(row, "score", jout_number(one->score));
        json_object_set_new(row, "guess",
                            one->guess ? json_string(rung_data_class_name(job->data, one->guess)) : json_null());
        json_object_set_new(row, "reason", json_string(one->reason));
        json_array_append_new(rows, row);
    }
    json_object_set_new(all, "rows", rows);
    json_object_set_new(all, "forecast", rung_suggestion_forecast(job->found, &f) ? forecast_json(&f) : json_null());
    jout_print(all);
}

static void tell(const suggest_job *job)
{
    int64_t rows = rung_data_rows(job->data), labelled = 0, n = 0, random = 0;
    const int *rank = rung_data_ranks(job->data);
    const rung_suggested *one;
    rung_forecast f = {.size = sizeof f};
    for (int64_t i = 0; i < rows; i++) labelled += rank[i] > 0;
    for (; (one = rung_suggestion_at(job->found, n)); n++) random += one->random;
    say(stderr, "labels      %lld of %lld rows\n", (long long)labelled, (long long)rows);
    say(stderr, "suggested   %lld row%s, %lld of them at random\n", (long long)n, plural(n), (long long)random);
    if (job->how.no_forecast) return;
    fputs("forecast    ", stderr);
    if (rung_suggestion_forecast(job->found, &f))
        forecast_say(stderr, &f);
    else
        fputs("none: too few labels to hold rows out\n", stderr);
}

/* ---- the command ---- */

static int read_options(session *s, const arguments *args, suggest_job *job)
{
    const char *method = option_value(args, "method"), *rows = option_value(args, "rows"),
               *random = option_value(args, "random"), *more = option_value(args, "more");
    long long n = 0, ahead = 0;
    double share = 0;
    if (rows && !parse_whole(rows, 1, 1000000000, &n)) {
        complain("suggest: -n %s: expected a whole number >= 1", rows);
        return USAGE;
    }
    if (random && (!parse_double(random, &share) || share < 0 || share > 1)) {
        complain("suggest: --random %s: expected a number from 0 to 1", random);
        return USAGE;
    }
    if (more && !parse_whole(more, 0, 1000000000, &ahead)) {
        complain("suggest: --more %s: expected a whole number >= 0", more);
        return USAGE;
    }
    job->how.n = n;
    job->how.random = share;
    job->how.no_random = random && share == 0;
    job->how.more = ahead;
    job->how.no_forecast = more && ahead == 0;
    return learn_spec(s, args, method ? method : rung_method_default(0)->name, &job->spec);
}

static int suggest_steps(session *s, const arguments *args, suggest_job *job)
{
    const char *path = option_value(args, "output");
    int code = read_options(s, args, job);
    if (code != EXIT_OK) return code;
    if (path && !output_possible(path)) return FAILED;
    if ((code = learn_table(s, args, &job->table, &job->data)) != EXIT_OK) return code;
    CHECK(s, rung_suggest_run(s->ctx, job->spec, job->data, &job->how, &job->found));
    if (!s->quiet) tell(job);
    if (s->json) print_json(job);
    if (s->json && !path) return EXIT_OK;
    output out = {0};
    if (!output_open(&out, path)) return FAILED;
    if (option_given(args, "append"))
        write_marked(out.file, job);
    else
        write_rows(out.file, job);
    return output_keep(&out) ? EXIT_OK : FAILED;
}

static int suggest_run(session *s, const arguments *args)
{
    suggest_job job = {.how.size = sizeof job.how};
    int code = suggest_steps(s, args, &job);
    rung_suggestion_free(job.found);
    rung_data_free(job.data);
    rung_table_free(job.table);
    rung_spec_free(job.spec);
    return code;
}

static const example examples[] = {
    {"rung suggest grades.csv -l grade", "20 rows to label next, with the reasons"},
    {"rung suggest grades.csv -l grade -n 40 --append -o next.csv", "a copy of the data that marks 40 rows"},
    {"rung suggest rows.csv --no-label -n 12", "the first 12 rows of a file without labels"},
    {0}};

const command command_suggest = {
    .name = "suggest",
    .operands = "DATA...",
    .help = "suggest the rows to label next, and forecast the error",
    .about =
        "Suggests the unlabelled rows whose labels are worth most together: rows that are typical of many others, "
        "unlike those already labelled, and about which the model is in doubt. Without labels, rows typical of many "
        "others. Equal rows are never suggested twice.\nSome of the rows are drawn at random. Chosen rows are not "
        "like new ones, so only the others count in the error of a fit. Keep the column `suggested` that --append "
        "writes in the file: all commands recognise it and do not use it as a feature.\nWrites CSV: the row "
        "(from 1), whether it was chosen or drawn at random, its score (the share of what is unknown about the "
        "unlabelled rows that its label is expected to tell), the predicted class and the reason. Standard "
        "error has a forecast: a 90 % range of the error after N more labels.",
    .options = tables,
    .usual = "rows label order ignore groups method append output",
    .examples = examples,
    .run = suggest_run};
