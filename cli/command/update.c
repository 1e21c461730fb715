// SPDX-License-Identifier: BSD-3-Clause
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "datafile.h"
#include "json_out.h"
#include "measures.h"
#include "output.h"

#define GROUP "Updating"
static const option update_options[] = {{"output", 'o', "MODEL", "file to write (default: MODEL itself)", GROUP}, {0}};
static const option *const tables[] = {update_options, reader_options, global_options, NULL};

typedef struct {
    const char *from, *path, *to;
    rung_model *before, *after;
    rung_data *data;
    json_t *about; /* rung_model_describe of the new model */
    int64_t added;
    double seconds;
} update_job;

static int64_t whole_at(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static int describe(session *s, const rung_model *model, json_t **out)
{
    char *text;
    CHECK(s, rung_model_describe(s->ctx, model, &text));
    *out = jout_parse(text);
    rung_free(text);
    return EXIT_OK;
}

static void tell_summary(const update_job *job)
{
    size_t i;
    json_t *value;
    say(stderr, "added       %lld labelled rows of %s\n", (long long)job->added, job->path);
    say(stderr, "method      %s, now of %lld labelled rows; %lld of them have a coefficient\n",
        json_string_value(json_object_get(job->about, "method")), (long long)whole_at(job->about, "labelled"),
        (long long)whole_at(job->about, "n_expansion"));
    say(stderr, "thresholds ");
    json_array_foreach(json_object_get(job->about, "thresholds"), i, value)
        say(stderr, " %.4g", json_number_value(value));
    say(stderr, "\nwritten     %s\n", job->to);
}

static void print_json(const update_job *job)
{
    rung_metrics cv = {.size = sizeof cv};
    json_t *all = json_object();
    json_object_set_new(all, "model", jout_text(job->to));
    json_object_set(all, "method", json_object_get(job->about, "method"));
    json_object_set(all, "params", json_object_get(job->about, "params"));
    json_object_set_new(all, "added", json_integer(job->added));
    json_object_set(all, "rows", json_object_get(job->about, "rows"));
    json_object_set(all, "labelled", json_object_get(job->about, "labelled"));
    json_object_set(all, "thresholds", json_object_get(job->about, "thresholds"));
    json_object_set_new(all, "cv", rung_model_cv(job->after, &cv) ? measures_json(&cv) : json_null());
    json_object_set(all, "report", json_object_get(job->about, "report"));
    json_object_set_new(all, "seconds", jout_number(job->seconds));
    jout_print(all);
}

static int update_steps(session *s, const arguments *args, update_job *job)
{
    job->from = operand(args, 0);
    job->path = operand(args, 1);
    job->to = option_value(args, "output");
    if (!job->to) job->to = job->from;
    if (!strcmp(job->to, "-")) {
        complain("update: -o -: a model must be written to a file, not to standard output");
        return USAGE;
    }
    if (!output_possible(job->to)) return FAILED;
    int code = load_model(s, job->from, &job->before);
    if (code != EXIT_OK) return code;
    if (session_check(s, rung_model_updatable(s->ctx, job->before)) != EXIT_OK)
        return FAILED; /* no mistake in the usage */
    rung_table *table = NULL;
    code = datafile_read(s, args, job->path, &table);
    if (code == EXIT_OK) code = session_check(s, rung_model_encode(s->ctx, job->before, table, 2, &job->data));
    rung_table_free(table);
    if (code != EXIT_OK) return code;
    double start = seconds_now();
    CHECK(s, rung_model_update(s->ctx, job->before, job->data, &job->after));
    job->seconds = seconds_now() - start;
    json_t *old = NULL;
    if ((code = describe(s, job->before, &old)) != EXIT_OK) return code;
    int64_t labelled = whole_at(old, "labelled");
    json_decref(old);
    if ((code = describe(s, job->after, &job->about)) != EXIT_OK) return code;
    job->added = whole_at(job->about, "labelled") - labelled;
    CHECK(s, rung_model_save(s->ctx, job->after, job->to));
    if (!s->quiet) tell_summary(job);
    if (s->json) print_json(job);
    return EXIT_OK;
}

static int update_run(session *s, const arguments *args)
{
    update_job job = {0};
    int code = update_steps(s, args, &job);
    json_decref(job.about);
    rung_data_free(job.data);
    rung_model_free(job.before);
    rung_model_free(job.after);
    return code;
}

static const example examples[] = {
    {"rung fit old.csv -m isvor --keep-data", "a model that can be updated"},
    {"rung update model.rung new.csv", "add the labelled rows of new.csv"},
    {"rung update model.rung new.csv -o newer.rung", "the same, written to another file"},
    {0}};

const command command_update = {
    .name = "update",
    .operands = "MODEL DATA",
    .help = "add labelled rows to a model",
    .about = "Adds the labelled rows of DATA to those MODEL was fitted to. The result is that of a fit to all rows "
             "with the scaling and parameters of MODEL, in a fraction of the time because it starts from the old "
             "solution. MODEL must contain its rows (rung fit --keep-data), and its method must support updates (see "
             "'rung methods METHOD'). Rows without a label are left out.",
    .options = tables,
    .examples = examples,
    .run = update_run};
