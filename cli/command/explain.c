// SPDX-License-Identifier: BSD-3-Clause
#include <stdlib.h>
#include <string.h>

#include "core/command.h"
#include "core/json_out.h"
#include "core/output.h"
#include "data/datafile.h"
#include "data/learn.h"
#include "explain/effects.h"
#include "explain/importance.h"
#include "explain/row.h"
#include "page/columns.h"

#define GROUP "Explaining"
static const option explain_options[] = {
    {"repeats", 0, "N", "permutations of each column (default 5)", GROUP},
    {"effects", 0, "COLUMN,...|all",
     "how the answer and the probabilities change along these columns (default: the four most important ones, below "
     "the importance)",
     GROUP},
    {"pair", 0, "COLUMN,COLUMN", "the joint effect of two columns, as a map", GROUP},
    {"row", 0, "N",
     "contributions of the columns to the answer for row N of DATA, and the smallest change to another class", GROUP},
    {"fixed", 0, "COLUMN,...", "--row: columns that cannot change", GROUP},
    {"background", 0, "FILE", "--row: the rows to compare with, such as the training data (default: those of DATA)",
     GROUP},
    {"samples", 0, "N",
     "--row: number of sampled pairs of orders of the columns (default: all sets of columns or, where that would take "
     "more "
     "than about a second, as many pairs as it allows)",
     GROUP},
    {"rows", 0, "N",
     "rows to use at most, chosen at random (default 2000; --effects 500; --row: all, or as many as about a second "
     "allows)",
     GROUP},
    {"output", 'o', "FILE",
     "also write a file: .csv the numbers; .svg, .png or .pdf the figure; .html a page of all figures; may be repeated",
     GROUP},
    {"title", 0, "TEXT", "title of the figure", GROUP},
    {0}};
static const option *const tables[] = {explain_options, reader_options, global_options, NULL};

typedef struct {
    rung_model *model;
    rung_data *data;
    rung_data *background; /* of a row; NULL: the data */
    column_facts facts;    /* importance; effects of the most important columns, or of those asked for */
    rung_row *row;
} explain_job;

static bool is_csv(const char *path) { return ends_with(path, ".csv"); }
static bool is_page(const char *path) { return ends_with(path, ".html"); }

static int whole_option(const arguments *args, const char *name, long long most, long long *out)
{
    const char *text = option_value(args, name);
    *out = 0;
    if (!text || parse_whole(text, 1, most, out)) return EXIT_OK;
    complain("explain: --%s %s: expected a whole number from 1 to %lld", name, text, most);
    return USAGE;
}

/* Every file is possible before the work begins. special: one kind of explanation was asked for. */
static int check_files(const arguments *args, bool special)
{
    const char *path;
    bool drawn = false;
    for (int at = 0; (path = option_each(args, "output", &at));) {
        drawn = drawn || (!is_csv(path) && !is_page(path));
        if (!is_csv(path) && !is_page(path) && !(figure_path_known(path) && strcmp(path, "-"))) {
            complain("explain: -o %s: the name must end in .csv, .html, .svg, .png or .pdf", path);
            return USAGE;
        }
        if (is_page(path) && special) {
            complain("explain: -o %s: a page shows importance and effects together; leave out --effects, --pair and "
                     "--row, or write a figure (.svg, .png, .pdf)",
                     path);
            return USAGE;
        }
        if (!output_possible(path)) return FAILED;
    }
    if (drawn || !option_given(args, "title")) return EXIT_OK;
    complain("explain: --title is that of a figure: give -o FILE.svg, .png or .pdf");
    return USAGE;
}

/* ---- the kinds of explanation ---- */

typedef struct {
    void (*text)(FILE *file, const explain_job *job);
    void (*csv)(FILE *file, const explain_job *job);
    json_t *(*json)(const explain_job *job);
    bool (*draw)(const explain_job *job, const char *title, const char *path);
} explanation;

enum { FEW_POINTS = 7 }; /* of an effect that stands below the importance */

static void whole_text(FILE *file, const explain_job *job)
{
    importance_text(file, job->facts.importance);
    if (!job->facts.effects) return;
    say(file, "\nEffects of the most important columns (--effects has all points):\n\n");
    effects_text(file, job->facts.effects, FEW_POINTS);
}

static void whole_csv(FILE *file, const explain_job *job) { importance_csv(file, job->facts.importance); }

static json_t *whole_json(const explain_job *job)
{
    json_t *out = importance_json(job->facts.importance);
    if (job->facts.effects) json_object_set_new(out, "effects", effects_json(job->model, job->facts.effects));
    return out;
}

static bool whole_figure(const explain_job *job, const char *title, const char *path)
{
    importance_drawing d;
    importance_draw(job->facts.importance, title ? title : "Importance of the columns", 0, &d);
    bool done = figure_write(&d.f, path, (figure_size){0}, 2);
    importance_free(&d);
    return done;
}

static void points_text(FILE *file, const explain_job *job) { effects_text(file, job->facts.effects, 0); }
static void points_csv(FILE *file, const explain_job *job) { effects_csv(file, job->model, job->facts.effects); }
static json_t *points_json(const explain_job *job) { return effects_json(job->model, job->facts.effects); }

static bool points_figure(const explain_job *job, const char *title, const char *path)
{
    return effects_write(job->model, job->facts.effects, title, path);
}

static void one_text(FILE *file, const explain_job *job) { row_text(file, job->model, job->row); }
static void one_csv(FILE *file, const explain_job *job) { row_csv(file, job->row); }
static json_t *one_json(const explain_job *job) { return row_json(job->model, job->row); }

static bool one_figure(const explain_job *job, const char *title, const char *path)
{
    return row_write(job->model, job->row, title, path);
}

static const explanation of_importance = {whole_text, whole_csv, whole_json, whole_figure},
                         of_effects = {points_text, points_csv, points_json, points_figure},
                         of_row = {one_text, one_csv, one_json, one_figure};

static int write_csv(const explanation *e, const explain_job *job, const char *path)
{
    output o;
    if (!output_open(&o, path)) return FAILED;
    e->csv(o.file, job);
    return output_keep(&o) ? EXIT_OK : FAILED;
}

static int write_page(const arguments *args, const explain_job *job, const char *path)
{
    output o;
    if (!output_open(&o, path)) return FAILED;
    char *title = text_of("The columns of %s", operand(args, 0)), *lead = text_of("on %s", operand(args, 1));
    columns_page(o.file, &(columns_heading){title, NULL, lead, "explain", operand(args, 0)}, args, &job->facts,
                 job->model);
    free(title);
    free(lead);
    return output_keep(&o) ? EXIT_OK : FAILED;
}

/* Files and standard output. */
static int present(session *s, const arguments *args, const explain_job *job, const explanation *e)
{
    const char *path;
    for (int at = 0; (path = option_each(args, "output", &at));) {
        int code = is_csv(path)                                      ? write_csv(e, job, path)
                   : is_page(path)                                   ? write_page(args, job, path)
                   : e->draw(job, option_value(args, "title"), path) ? EXIT_OK
                                                                     : FAILED;
        if (code != EXIT_OK) return code;
    }
    if (s->json)
        jout_print(e->json(job));
    else
        e->text(stdout, job);
    return EXIT_OK;
}

static bool wants_page(const arguments *args)
{
    const char *path;
    for (int at = 0; (path = option_each(args, "output", &at));)
        if (is_page(path)) return true;
    return false;
}

static int explain_importance(session *s, const arguments *args, explain_job *job, long long rows)
{
    long long repeats;
    int code = whole_option(args, "repeats", 1000, &repeats);
    if (code != EXIT_OK) return code;
    rung_importance_options how = {.size = sizeof how, .repeats = (int)repeats, .rows = rows};
    CHECK(s, rung_importance_run(s->ctx, job->model, job->data, &how, &job->facts.importance));
    if (rung_importance_about(job->facts.importance)->seen && !s->quiet)
        complain("warning: the model was fitted to these rows: columns it merely memorised look important, too; "
                 "give other labelled rows, or use 'rung fit --explain', which holds rows out");
    code = leading_effects(s, job->model, job->data, wants_page(args), &job->facts);
    if (code != EXIT_OK) return code;
    return present(s, args, job, &of_importance);
}

static int explain_effects(session *s, const arguments *args, explain_job *job, long long rows)
{
    const char *columns = option_value(args, "effects"), *pair = option_value(args, "pair");
    const char **list = pair || strcmp(columns, "all") ? learn_columns(pair ? pair : columns) : NULL;
    rung_effects_options how = {.size = sizeof how, .columns = list, .rows = rows, .pair = pair != NULL};
    rung_status status = rung_effects_run(s->ctx, job->model, job->data, &how, &job->facts.effects);
    free(list);
    CHECK(s, status);
    return present(s, args, job, &of_effects);
}

static int explain_row(session *s, const arguments *args, explain_job *job, long long rows)
{
    long long row, samples;
    int code = whole_option(args, "row", 1000000000000, &row);
    if (code == EXIT_OK) code = whole_option(args, "samples", 1000000, &samples);
    const char *background = option_value(args, "background");
    if (code == EXIT_OK && background)
        code = datafile_encode(s, args, job->model, background, RUNG_LABELS_IGNORED, &job->background);
    if (code != EXIT_OK) return code;
    const char **fixed = learn_columns(option_value(args, "fixed"));
    rung_row_options how = {.size = sizeof how,
                            .background = job->background,
                            .row = row - 1,
                            .samples = (int)samples,
                            .rows = rows,
                            .fixed = fixed};
    rung_status status = rung_row_explain(s->ctx, job->model, job->data, &how, &job->row);
    free(fixed);
    CHECK(s, status);
    return present(s, args, job, &of_row);
}

static int explain_steps(session *s, const arguments *args, explain_job *job)
{
    bool row = option_given(args, "row"), effects = option_given(args, "effects") || option_given(args, "pair");
    long long rows;
    if (row + option_given(args, "effects") + option_given(args, "pair") > 1) {
        complain("explain: --effects, --pair and --row exclude each other");
        return USAGE;
    }
    int code = whole_option(args, "rows", 1000000000, &rows);
    if (code == EXIT_OK) code = check_files(args, row || effects);
    if (code == EXIT_OK)
        code = datafile_for_model(s, args, row || effects ? RUNG_LABELS_IGNORED : RUNG_LABELS_REQUIRED, &job->model,
                                  &job->data);
    if (code != EXIT_OK) return code;
    return row       ? explain_row(s, args, job, rows)
           : effects ? explain_effects(s, args, job, rows)
                     : explain_importance(s, args, job, rows);
}

static int explain_run(session *s, const arguments *args)
{
    explain_job job = {0};
    int code = explain_steps(s, args, &job);
    column_facts_free(&job.facts);
    rung_row_free(job.row);
    rung_data_free(job.background);
    rung_data_free(job.data);
    rung_model_free(job.model);
    return code;
}

static const example examples[] = {
    {"rung explain model.rung test.csv",
     "which columns matter, on labelled rows the model has not seen, and the effects of the most important ones"},
    {"rung explain model.rung test.csv -o columns.html", "the same as a page"},
    {"rung explain model.rung test.csv -o importance.svg -o importance.csv",
     "the importance as a figure and as a table"},
    {"rung explain model.rung train.csv --effects age,dose -o effects.svg", "how the answer changes along two columns"},
    {"rung explain model.rung train.csv --row 12 --fixed age,sex",
     "why row 12 gets its answer, and what would change it"},
    {"rung explain model.rung new.csv --row 1 --background train.csv",
     "the same for a new row, against the average of the training rows"},
    {0}};

const command command_explain = {
    .name = "explain",
    .operands = "MODEL DATA...",
    .help = "show which columns a model uses, and how",
    .about =
        "Importance: by how much the error (mae, and the ranked probability score rps) rises when the cells of a "
        "column are permuted among the labelled rows, with a 95 % range over the rows. A category is one column. "
        "Related columns (a rank correlation of at least 0.7) are also permuted together, because the model can "
        "take from one what another has lost.\nDATA should hold labelled rows that the model was not fitted to; "
        "otherwise the command warns.\nBelow stand the effects of the four most important columns.\nEffects: the mean "
        "answer (expected rank) and class probabilities along a "
        "column, as partial "
        "dependence and as accumulated local effects, which move only rows near a value.\nOne row: the contribution "
        "of every column to the expected rank against the average row of DATA or of --background (Shapley values; with "
        "standard errors where they are sampled), and the smallest change of at most three columns, within the values "
        "of these rows, that moves it one class.",
    .options = tables,
    .usual = "effects pair row output",
    .examples = examples,
    .run = explain_run};
