// SPDX-License-Identifier: BSD-3-Clause
#include <stdlib.h>
#include <string.h>

#include "core/command.h"
#include "core/json_out.h"
#include "core/output.h"
#include "core/repeat.h"
#include "data/contents.h"
#include "data/datafile.h"
#include "data/measures.h"

#define GROUP "Updating"
static const option update_options[] = {{"output", 'o', "MODEL", "file to write (default: MODEL itself)", GROUP}, {0}};
static const option *const tables[] = {update_options, reader_options, note_options, global_options, NULL};

typedef struct {
    const char *from, *path, *to;
    rung_model *before, *after;
    rung_data *data;
    int64_t added;
    double seconds;
} update_job;

static void tell_summary(const update_job *job)
{
    int n = rung_model_thresholds(job->after, 0, NULL);
    double *threshold = allocate((size_t)n, sizeof *threshold);
    rung_model_thresholds(job->after, n, threshold);
    say(stderr, "added       %lld labelled rows of %s\n", (long long)job->added, job->path);
    say(stderr, "method      %s, now of %lld labelled rows; %lld of them have a coefficient\n",
        rung_model_method(job->after), (long long)rung_model_labelled(job->after),
        (long long)rung_model_terms(job->after));
    say(stderr, "thresholds ");
    for (int q = 0; q < n; q++) say(stderr, " %.4g", threshold[q]);
    say(stderr, "\nwritten     %s\n", job->to);
    free(threshold);
}

static void print_json(const update_job *job)
{
    rung_metrics cv = {.size = sizeof cv};
    json_t *all = json_object();
    json_object_set_new(all, "model", jout_text(job->to));
    json_object_set_new(all, "method", jout_text(rung_model_method(job->after)));
    json_object_set_new(all, "params", params_json(job->after));
    json_object_set_new(all, "added", json_integer(job->added));
    json_object_set_new(all, "rows", json_integer(rung_model_rows(job->after)));
    json_object_set_new(all, "labelled", json_integer(rung_model_labelled(job->after)));
    json_object_set_new(all, "thresholds", thresholds_json(job->after));
    json_object_set_new(all, "cv", rung_model_cv(job->after, &cv) ? measures_json(&cv) : json_null());
    json_object_set_new(all, "report", model_report_json(job->after));
    json_object_set_new(all, "seconds", jout_number(job->seconds));
    jout_print(all);
}

static int update_steps(session *s, const arguments *args, update_job *job)
{
    job->from = operand(args, 0);
    job->path = operand(args, 1);
    job->to = option_value(args, "output");
    if (!job->to) job->to = job->from;
    int code = model_possible(s, job->to);
    if (code == EXIT_OK) code = load_model(s, job->from, &job->before);
    if (code != EXIT_OK) return code;
    if (session_check(s, rung_model_updatable(s->ctx, job->before)) != EXIT_OK)
        return FAILED; /* no mistake in the usage */
    code = datafile_encode(s, args, job->before, job->path, RUNG_LABELS_UPDATE, &job->data);
    if (code != EXIT_OK) return code;
    if ((code = take_notes(s, args, job->path)) != EXIT_OK) return code;
    double start = seconds_now();
    CHECK(s, rung_model_update(s->ctx, job->before, job->data, &job->after));
    job->seconds = seconds_now() - start;
    job->added = rung_model_labelled(job->after) - rung_model_labelled(job->before);
    CHECK(s, rung_model_save(s->ctx, job->after, job->to));
    if (!s->quiet) tell_summary(job);
    if (s->json) print_json(job);
    return EXIT_OK;
}

static int update_run(session *s, const arguments *args)
{
    update_job job = {0};
    int code = update_steps(s, args, &job);
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
    .about =
        "Adds the labelled rows of DATA to those MODEL was fitted to. The result is that of a fit to all rows "
        "with the scaling and parameters of MODEL, in a fraction of the time because it starts from the old "
        "solution. Weights, groups and marks of suggested rows come from the same columns as those of the fit. MODEL "
        "must contain its rows (rung fit --keep-data, not with --scale relevance), and its method must support updates "
        "(see 'rung methods METHOD'). Rows without a label are left out.",
    .options = tables,
    .usual = "output",
    .examples = examples,
    .run = update_run};
