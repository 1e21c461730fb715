// SPDX-License-Identifier: BSD-3-Clause
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "datafile.h"
#include "json_out.h"
#include "output.h"

#define GROUP "Predicting"
static const option predict_options[] = {{"output", 'o', "FILE", "file to write (default: standard output)", GROUP},
                                         {"proba", 0, NULL, "add a column p(CLASS) per class, in order", GROUP},
                                         {0}};
static const option *const tables[] = {predict_options, reader_options, global_options, NULL};

typedef struct {
    rung_model *model;
    rung_data *data;
    output out;
    int64_t n;
    int classes, outputs;
    int *rank;             /* n; NULL: the model has none */
    double *score, *proba; /* n x outputs; n x classes or NULL */
} predict_job;

static void csv_header(const predict_job *job)
{
    FILE *f = job->out.file;
    if (job->rank) fputs("label,rank,", f);
    for (int o = 0; o < job->outputs; o++)
        if (job->outputs == 1)
            fputs("score", f);
        else
            fprintf(f, "%sscore%d", o ? "," : "", o + 1);
    for (int k = 1; job->proba && k <= job->classes; k++) {
        char *name = text_of("p(%s)", rung_model_class_name(job->model, k));
        fputc(',', f);
        csv_cell(f, name);
        free(name);
    }
    fputc('\n', f);
}

static void csv_row(const predict_job *job, int64_t i)
{
    FILE *f = job->out.file;
    if (job->rank) {
        csv_cell(f, rung_model_class_name(job->model, job->rank[i]));
        fprintf(f, ",%d,", job->rank[i]);
    }
    for (int o = 0; o < job->outputs; o++)
        fprintf(f, "%s%s", o ? "," : "", number_of(job->score[i * job->outputs + o]).text);
    for (int k = 0; job->proba && k < job->classes; k++)
        fprintf(f, ",%s", number_of(job->proba[i * job->classes + k]).text);
    fputc('\n', f);
}

static json_t *numbers(const double *v, int n)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++) json_array_append_new(list, jout_number(v[i]));
    return list;
}

static void json_row(const predict_job *job, int64_t i)
{
    json_t *row = json_object();
    const double *score = job->score + i * job->outputs;
    if (job->rank) {
        json_object_set_new(row, "label", jout_text(rung_model_class_name(job->model, job->rank[i])));
        json_object_set_new(row, "rank", json_integer(job->rank[i]));
    }
    json_object_set_new(row, "score", job->outputs == 1 ? jout_number(*score) : numbers(score, job->outputs));
    if (job->proba) json_object_set_new(row, "proba", numbers(job->proba + i * job->classes, job->classes));
    fputs(i ? ",\n  " : "\n  ", job->out.file);
    jout_write(job->out.file, row, 1);
    json_decref(row);
}

/* One row at a time: a document of many rows is never held in memory. */
static int write_rows(const session *s, predict_job *job)
{
    FILE *f = job->out.file;
    if (s->json)
        fputs("{\"rows\": [", f);
    else
        csv_header(job);
    for (int64_t i = 0; i < job->n && !ferror(f); i++) {
        if (s->json)
            json_row(job, i);
        else
            csv_row(job, i);
        if (session_interrupted()) {
            complain("interrupted");
            return FAILED;
        }
    }
    if (s->json) fputs(job->n ? "\n]}\n" : "]}\n", f);
    return output_keep(&job->out) ? GOOD : FAILED;
}

static int predict_steps(session *s, const arguments *args, predict_job *job)
{
    const char *path = option_value(args, "output");
    if (path && !output_possible(path)) return FAILED;
    int code = datafile_for_model(s, args, 0, &job->model, &job->data);
    if (code != GOOD) return code;
    bool proba = option_given(args, "proba");
    if (proba && !rung_model_has_probabilities(job->model)) {
        complain("%s has no probabilities for --proba; fit it with -p calibrate=5", operand(args, 0));
        return FAILED;
    }
    job->n = rung_data_rows(job->data);
    job->classes = rung_model_classes(job->model);
    job->outputs = rung_model_outputs(job->model);
    size_t n = (size_t)job->n;
    if (rung_model_has_ranks(job->model)) job->rank = allocate(n, sizeof *job->rank);
    job->score = allocate(n * (size_t)job->outputs, sizeof *job->score);
    if (proba) job->proba = allocate(n * (size_t)job->classes, sizeof *job->proba);
    rung_view X = rung_data_view(job->data);
    CHECK(s, rung_predict(s->ctx, job->model, &X, &(rung_output){job->rank, job->score, job->proba}));
    if (!output_open(&job->out, path)) return FAILED;
    return write_rows(s, job);
}

static int predict_run(session *s, const arguments *args)
{
    predict_job job = {0};
    int code = predict_steps(s, args, &job);
    output_discard(&job.out);
    free(job.rank);
    free(job.score);
    free(job.proba);
    rung_data_free(job.data);
    rung_model_free(job.model);
    return code;
}

static const example examples[] = {
    {"rung predict model.rung new.csv > predicted.csv", "label, rank and score of every row of new.csv"},
    {"rung predict model.rung new.csv --proba -o predicted.csv", "with a probability per class"},
    {"cut -d, -f1-4 new.csv | rung predict model.rung -", "from standard input to standard output"},
    {0}};

const command command_predict = {
    .name = "predict",
    .operands = "MODEL DATA",
    .help = "predict the class of every row of a file",
    .about = "Writes CSV: a header, then for every row of DATA its label, its rank (1 = lowest class) and its score on "
             "the model's scale. Columns are matched by name when there are names; a label column is ignored.",
    .options = tables,
    .examples = examples,
    .run = predict_run};
