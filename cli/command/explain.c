// SPDX-License-Identifier: BSD-3-Clause
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "datafile.h"
#include "explain/importance.h"
#include "json_out.h"
#include "output.h"

#define GROUP "Explaining"
static const option explain_options[] = {
    {"repeats", 0, "N", "permutations of each column (default 5)", GROUP},
    {"rows", 0, "N", "labelled rows to use at most, chosen at random (default 2000)", GROUP},
    {"output", 'o', "FILE", "also write a file: .csv the numbers; .svg, .png or .pdf the figure; may be repeated",
     GROUP},
    {"title", 0, "TEXT", "title of the figure", GROUP},
    {0}};
static const option *const tables[] = {explain_options, reader_options, global_options, NULL};

typedef struct {
    rung_model *model;
    rung_data *data;
    json_t *report;
} explain_job;

static bool is_csv(const char *path)
{
    size_t n = strlen(path);
    return n > 4 && !strcmp(path + n - 4, ".csv");
}

static int whole_option(const arguments *args, const char *name, long long most, long long *out)
{
    const char *text = option_value(args, name);
    *out = 0;
    if (!text || parse_whole(text, 1, most, out)) return EXIT_OK;
    complain("explain: --%s %s: expected a whole number from 1 to %lld", name, text, most);
    return USAGE;
}

/* Every file is possible before the work begins. */
static int check_files(const arguments *args)
{
    const char *path;
    for (int at = 0; (path = option_each(args, "output", &at));) {
        if (!is_csv(path) && !(figure_path_known(path) && strcmp(path, "-"))) {
            complain("explain: -o %s: the name must end in .csv, .svg, .png or .pdf", path);
            return USAGE;
        }
        for (int i = 0; i < args->operands; i++)
            if (output_same_file(path, operand(args, i))) {
                complain("explain: --output %s would overwrite the input %s; give another file", path,
                         operand(args, i));
                return USAGE;
            }
        if (!output_possible(path)) return FAILED;
    }
    return EXIT_OK;
}

static int write_csv(const char *path, const json_t *report)
{
    output o;
    if (!output_open(&o, path)) return FAILED;
    importance_csv(o.file, report);
    return output_keep(&o) ? EXIT_OK : FAILED;
}

static int write_files(const arguments *args, const json_t *report)
{
    const char *path, *title = option_value(args, "title");
    int code = EXIT_OK;
    for (int at = 0; code == EXIT_OK && (path = option_each(args, "output", &at));) {
        if (is_csv(path)) {
            code = write_csv(path, report);
            continue;
        }
        importance_drawing d;
        importance_draw(report, title ? title : "Importance of the columns", 0, &d);
        if (!figure_write(&d.f, path, (figure_size){0}, 2)) code = FAILED;
        importance_free(&d);
    }
    return code;
}

static int explain_importance(session *s, const arguments *args, explain_job *job)
{
    long long repeats, rows;
    char *text = NULL;
    int code = whole_option(args, "repeats", 1000, &repeats);
    if (code == EXIT_OK) code = whole_option(args, "rows", 1000000000, &rows);
    if (code == EXIT_OK) code = check_files(args);
    if (code == EXIT_OK) code = datafile_for_model(s, args, 2, &job->model, &job->data);
    if (code != EXIT_OK) return code;
    rung_importance_options how = {.size = sizeof how, .repeats = (int)repeats, .rows = rows};
    CHECK(s, rung_importance_run(s->ctx, job->model, job->data, &how, &text));
    job->report = jout_parse(text);
    rung_free(text);
    if (json_is_true(json_object_get(job->report, "seen")) && !s->quiet)
        complain("warning: the model was fitted to these rows: columns that it learned by heart look important, too; "
                 "give other labelled rows, or use 'rung fit --explain', which holds rows out");
    if ((code = write_files(args, job->report)) != EXIT_OK) return code;
    if (s->json)
        jout_print(json_incref(job->report));
    else
        importance_text(stdout, job->report);
    return EXIT_OK;
}

static int explain_run(session *s, const arguments *args)
{
    explain_job job = {0};
    int code = explain_importance(s, args, &job);
    json_decref(job.report);
    rung_data_free(job.data);
    rung_model_free(job.model);
    return code;
}

static const example examples[] = {
    {"rung explain model.rung test.csv", "which columns matter, on labelled rows the model has not seen"},
    {"rung explain model.rung test.csv -o importance.svg -o importance.csv", "the same as a figure and as a table"},
    {0}};

const command command_explain = {
    .name = "explain",
    .operands = "MODEL DATA",
    .help = "show which columns a model uses, and how",
    .about = "Importance: by how much the error (mae, and the ranked probability score rps) rises when the cells of a "
             "column are permuted among the labelled rows, with a 95 % range over the rows. A category is one column. "
             "Related columns (a rank correlation of at least 0.7) are also permuted together, because the model can "
             "take from one what another has lost.\nDATA should hold labelled rows that the model was not fitted to; "
             "otherwise the command warns.",
    .options = tables,
    .examples = examples,
    .run = explain_run};
