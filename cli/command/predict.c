// SPDX-License-Identifier: BSD-3-Clause
/* Prediction works in blocks, from reading to writing, so a file of any length takes the same memory. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/command.h"
#include "core/json_out.h"
#include "core/output.h"
#include "data/costs.h"
#include "data/datafile.h"
#include "data/query.h"
#include "processes/processes.h"

enum { BLOCK = 4096 };

#define GROUP "Predicting"
static const option predict_options[] = {
    {"output", 'o', "FILE",
     "file to write (default: standard output): CSV or, by its name, a file of SPSS (.sav), Stata (.dta), SAS (.xpt) "
     "or "
     "Excel (.xlsx)",
     GROUP},
    {"output-dir", 0, "FOLDER",
     "write the predictions of every file of DATA to a file of its own in FOLDER, which is made if it does not exist; "
     "processes under mpirun share the files",
     GROUP},
    {"proba", 0, NULL,
     "add a column p(CLASS) per class, in order, and for isbor, sbor and gpor the mean and sd of the latent value",
     GROUP},
    {"interval", 0, "P",
     "add columns interval_low and interval_high: a prediction interval that contains the true rank with probability "
     "P; with too few "
     "labels it contains all ranks",
     GROUP},
    {"by-class", 0, NULL,
     "with --interval: the true rank is in it with probability P in every class with enough labels (nine for 0.9), not "
     "only over all rows; a rare class is not left out",
     GROUP},
    {"project", 0, NULL, "only the projection: every component as a column, without label and rank", GROUP},
    {"keep", 0, "COL[,COL]",
     "copy these columns of DATA to the start of each row, by name or position; may be repeated", GROUP},
    {"missing-columns", 0, NULL,
     "columns of the model that DATA lacks are missing in all rows, with a warning (default: an error)", GROUP},
    {"append", 0, NULL, "copy all columns of DATA to the start of each row", GROUP},
    {0}};
static const option *const tables[] = {predict_options, cost_options, reader_options, global_options, NULL};

typedef struct {
    const char *path; /* the file being read */
    rung_model *model;
    rung_files *files;
    int64_t file, end; /* the next of them, and the one before which to stop */
    const char *to;    /* the file to write; NULL: standard output */
    bool apart;        /* every file has its own */
    bool sheet;        /* a file of a statistics program or a workbook, written as a whole */
    rung_read_options how;
    rung_reader *reader;
    rung_table *selected; /* by --sql or for a sheet, instead of a reader */
    output out;
    int classes, outputs;
    size_t room; /* rows there is room for */
    bool proba_wanted, project;
    int64_t done;          /* rows written */
    int *rank;             /* of a block, or of the training rows; NULL: the model has none */
    double *score, *proba; /* by rows: outputs; classes or NULL */
    double *sd;            /* of the latent value whose mean is the score; NULL: not wanted, or the model has none */
    int *low, *high;       /* the prediction interval; NULL: not requested */
    double level;
    bool by_class;
    struct {
        int64_t column;
        char *name;
    } * kept; /* columns copied before the prediction */
    int64_t n_kept, kept_room;
    costs given;
    int64_t unsure; /* rows without an answer */
    char *text;     /* of a cell */
    int64_t text_room;
} predict_job;

/* ---- the copied columns ---- */

static void forget_columns(predict_job *job)
{
    while (job->n_kept > 0) free(job->kept[--job->n_kept].name);
}

static void keep_column(predict_job *job, const rung_table *table, int64_t j)
{
    if (job->n_kept == job->kept_room) {
        job->kept_room = 2 * job->kept_room + 16;
        void *more = allocate((size_t)job->kept_room, sizeof *job->kept);
        if (job->n_kept) memcpy(more, job->kept, (size_t)job->n_kept * sizeof *job->kept);
        free(job->kept);
        job->kept = more;
    }
    const char *name = rung_table_name(table, j);
    job->kept[job->n_kept].column = j;
    job->kept[job->n_kept++].name = *name ? text_of("%s", name) : text_of("column%lld", (long long)j + 1);
}

/* By name, then by position from 1; -1: neither. */
static int64_t find_column(const rung_table *table, const char *text)
{
    long long position;
    int64_t n = rung_table_columns(table);
    for (int64_t j = 0; j < n; j++)
        if (*text && !strcmp(rung_table_name(table, j), text)) return j;
    return parse_whole(text, 1, n, &position) ? position - 1 : -1;
}

static int no_column(const predict_job *job, const rung_table *table, const char *text)
{
    enum { ENOUGH = 300, ONE = 60 };
    char list[ENOUGH + ONE + 16] = "";
    int64_t n = rung_table_columns(table), used = 0;
    const char **names = allocate((size_t)n + 1, sizeof *names);
    for (int64_t j = 0; j < n && *rung_table_name(table, j); j++) {
        names[j] = rung_table_name(table, j);
        if (used < ENOUGH) used += sprintf(list + used, "%s'%.*s'", j ? ", " : "", ONE, names[j]);
    }
    const char *near = nearest_name(text, names);
    if (near)
        complain("%s: no column '%s' to keep; did you mean '%s'?", job->path, text, near);
    else
        complain("%s: no column '%s' to keep; there are %lld%s%s%s", job->path, text, (long long)n, used ? ": " : "",
                 list, used < ENOUGH ? "" : ", ...");
    free(names);
    return USAGE;
}

/* A name with a comma in it is found when it is the whole value. */
static int keep_columns(const arguments *args, predict_job *job, const rung_table *table)
{
    int64_t n = rung_table_columns(table);
    const char *value;
    forget_columns(job);
    for (int64_t j = 0; j < n && option_given(args, "append"); j++) keep_column(job, table, j);
    for (int at = 0; (value = option_each(args, "keep", &at));) {
        int64_t whole = find_column(table, value);
        if (whole >= 0) {
            keep_column(job, table, whole);
            continue;
        }
        for (const char *next; value; value = next) {
            size_t length = strcspn(value, ",");
            next = value[length] ? value + length + 1 : NULL;
            char *text = text_of("%.*s", (int)length, value);
            int64_t j = find_column(table, text);
            int code = j >= 0 ? EXIT_OK : no_column(job, table, text);
            free(text);
            if (code != EXIT_OK) return code;
            keep_column(job, table, j);
        }
    }
    return EXIT_OK;
}

static const char *cell_text(predict_job *job, const rung_table *table, int64_t i, int64_t j)
{
    int64_t length;
    while ((length = rung_table_cell(table, i, j, job->text, job->text_room)) >= job->text_room) {
        free(job->text);
        job->text_room = 2 * length + 64;
        job->text = allocate((size_t)job->text_room, 1);
    }
    return job->text;
}

/* ---- CSV ---- */

static bool is_kept(const predict_job *job, const char *name)
{
    for (int64_t k = 0; k < job->n_kept; k++)
        if (!strcmp(job->kept[k].name, name)) return true;
    return false;
}

/* The name of a predicted column; one that a kept column has already is told apart from it. To be freed. */
static char *name_of(const predict_job *job, const char *name)
{
    char *own = text_of("%s", name);
    while (is_kept(job, own)) {
        char *longer = text_of("predicted_%s", own);
        free(own);
        own = longer;
    }
    return own;
}

static void own_name(const predict_job *job, const char *name)
{
    char *own = name_of(job, name);
    csv_cell(job->out.file, own);
    free(own);
}

static void next_name(const predict_job *job, const char *name)
{
    fputc(',', job->out.file);
    own_name(job, name);
}

static void csv_header(const predict_job *job)
{
    FILE *f = job->out.file;
    for (int64_t k = 0; k < job->n_kept; k++) {
        csv_cell(f, job->kept[k].name);
        fputc(',', f);
    }
    if (job->rank) {
        own_name(job, "label");
        next_name(job, "rank");
        fputc(',', f);
    }
    for (int o = 0; o < job->outputs; o++) {
        char *name = job->outputs == 1 ? text_of("score") : text_of("score%d", o + 1);
        (o ? next_name : own_name)(job, name);
        free(name);
    }
    for (int k = 1; job->proba && k <= job->classes; k++) {
        char *name = text_of("p(%s)", rung_model_class_name(job->model, k));
        next_name(job, name);
        free(name);
    }
    if (job->sd) next_name(job, "mean"), next_name(job, "sd");
    if (job->low) next_name(job, "interval_low"), next_name(job, "interval_high"); /* low may be a class */
    fputc('\n', f);
}

static void csv_row(predict_job *job, const rung_table *table, int64_t i)
{
    FILE *f = job->out.file;
    for (int64_t k = 0; k < job->n_kept; k++) {
        csv_cell(f, cell_text(job, table, i, job->kept[k].column));
        fputc(',', f);
    }
    if (job->rank) {
        csv_cell(f, job->rank[i] ? rung_model_class_name(job->model, job->rank[i]) : "unsure");
        fprintf(f, ",%d,", job->rank[i]);
    }
    for (int o = 0; o < job->outputs; o++)
        fprintf(f, "%s%s", o ? "," : "", number_of(job->score[i * job->outputs + o]).text);
    for (int k = 0; job->proba && k < job->classes; k++)
        fprintf(f, ",%s", number_of(job->proba[i * job->classes + k]).text);
    if (job->sd) fprintf(f, ",%s,%s", number_of(job->score[i]).text, number_of(job->sd[i]).text);
    if (job->low) fprintf(f, ",%d,%d", job->low[i], job->high[i]);
    fputc('\n', f);
}

/* ---- JSON ---- */

static void json_row(predict_job *job, const rung_table *table, int64_t i)
{
    json_t *row = json_object(), *kept = json_object();
    const double *score = job->score + i * job->outputs;
    for (int64_t k = 0; k < job->n_kept; k++)
        json_object_set_new(kept, job->kept[k].name, jout_text(cell_text(job, table, i, job->kept[k].column)));
    if (job->n_kept)
        json_object_set_new(row, "kept", kept);
    else
        json_decref(kept);
    if (job->rank) {
        json_object_set_new(row, "label",
                            jout_text(job->rank[i] ? rung_model_class_name(job->model, job->rank[i]) : "unsure"));
        json_object_set_new(row, "rank", json_integer(job->rank[i]));
    }
    json_object_set_new(row, "score", job->outputs == 1 ? jout_number(*score) : jout_numbers(job->outputs, score));
    if (job->proba) json_object_set_new(row, "proba", jout_numbers(job->classes, job->proba + i * job->classes));
    if (job->sd) {
        json_object_set_new(row, "mean", jout_number(*score));
        json_object_set_new(row, "sd", jout_number(job->sd[i]));
    }
    if (job->low) {
        json_object_set_new(row, "low", json_integer(job->low[i]));
        json_object_set_new(row, "high", json_integer(job->high[i]));
    }
    fputs(job->done + i ? ",\n  " : "\n  ", job->out.file);
    jout_write(job->out.file, row, 1);
    json_decref(row);
}

/* ---- files of statistics programs and workbooks ---- */

/* Adds a column of numbers: row i at v[i * step] or, where v is NULL, at whole[i], 0 being a missing one there. */
static int add_numbers(session *s, const predict_job *job, rung_table *to, const char *name, const char *title,
                       const double *v, int step, const int *whole)
{
    int64_t rows = rung_table_rows(to);
    char *own = name_of(job, name);
    double *copy = v ? NULL : allocate((size_t)rows + 1, sizeof *copy);
    for (int64_t i = 0; copy && i < rows; i++) copy[i] = whole[i] ? (double)whole[i] : (double)NAN;
    int code = session_check(s, rung_table_add_numbers(s->ctx, to, own, v ? v : copy, v ? step : 1));
    if (code == EXIT_OK) code = session_check(s, rung_table_set_labels(s->ctx, to, title, 0, NULL, NULL));
    free(copy);
    free(own);
    return code;
}

/* The predicted classes: numbers where the classes are, else ranks with value labels. */
static int add_classes(session *s, const predict_job *job, rung_table *to)
{
    int K = job->classes;
    bool numbers = true;
    const char **name = allocate((size_t)K + 1, sizeof *name);
    double *code = allocate((size_t)K + 1, sizeof *code), *value;
    for (int k = 0; k < K; k++) {
        name[k] = rung_model_class_name(job->model, k + 1);
        numbers = numbers && parse_double(name[k], &code[k]);
    }
    for (int k = 0; k < K && !numbers; k++) code[k] = k + 1;
    int64_t rows = rung_table_rows(to);
    value = allocate((size_t)rows + 1, sizeof *value);
    for (int64_t i = 0; i < rows; i++) value[i] = job->rank[i] ? code[job->rank[i] - 1] : NAN;
    int status = add_numbers(s, job, to, "label", "Predicted class", value, 1, NULL);
    if (status == EXIT_OK && !numbers)
        status = session_check(s, rung_table_set_labels(s->ctx, to, NULL, K, code, name));
    free(value);
    free(code);
    free(name);
    return status;
}

static int add_answers(session *s, const predict_job *job, rung_table *to)
{
    int code = EXIT_OK;
    if (job->rank) code = add_classes(s, job, to);
    if (job->rank && code == EXIT_OK) code = add_numbers(s, job, to, "rank", "Predicted rank", NULL, 1, job->rank);
    for (int o = 0; o < job->outputs && code == EXIT_OK; o++) {
        char *name = job->outputs == 1 ? text_of("score") : text_of("score%d", o + 1);
        code = add_numbers(s, job, to, name, "Score on the scale of the model", job->score + o, job->outputs, NULL);
        free(name);
    }
    for (int k = 1; job->proba && k <= job->classes && code == EXIT_OK; k++) {
        const char *class = rung_model_class_name(job->model, k);
        char *name = text_of("p(%s)", class), *title = text_of("Probability of %s", class);
        code = add_numbers(s, job, to, name, title, job->proba + k - 1, job->classes, NULL);
        free(title);
        free(name);
    }
    if (job->sd && code == EXIT_OK)
        code = add_numbers(s, job, to, "mean", "Mean of the latent value", job->score, 1, NULL);
    if (job->sd && code == EXIT_OK) code = add_numbers(s, job, to, "sd", "Its standard deviation", job->sd, 1, NULL);
    if (job->low && code == EXIT_OK)
        code = add_numbers(s, job, to, "interval_low", "Lowest rank of the prediction interval", NULL, 1, job->low);
    if (job->low && code == EXIT_OK)
        code = add_numbers(s, job, to, "interval_high", "Highest rank of the prediction interval", NULL, 1, job->high);
    return code;
}

static int to_file(void *user, const void *bytes, int64_t n)
{
    return fwrite(bytes, 1, (size_t)n, user) == (size_t)n ? 0 : 1;
}

static int write_sheet(session *s, predict_job *job, const rung_table *table, int64_t n)
{
    rung_table *to;
    CHECK(s, rung_table_new(s->ctx, n, &to));
    int code = EXIT_OK;
    for (int64_t k = 0; k < job->n_kept && code == EXIT_OK; k++)
        code = session_check(s, rung_table_add_column(s->ctx, to, job->kept[k].name, table, job->kept[k].column));
    if (code == EXIT_OK) code = add_answers(s, job, to);
    if (code == EXIT_OK) code = session_check(s, rung_table_write(s->ctx, to, job->to, to_file, job->out.file));
    rung_table_free(to);
    for (int64_t i = 0; job->rank && i < n; i++) job->unsure += job->rank[i] == 0;
    job->done += n;
    return code;
}

/* ---- block by block ---- */

static rung_output wanted(const predict_job *job)
{
    return (rung_output){.size = sizeof(rung_output),
                         .rank = job->rank,
                         .score = job->score,
                         .proba = job->proba,
                         .sd = job->sd,
                         .low = job->low,
                         .high = job->high};
}

static rung_predict_options how_wanted(const predict_job *job)
{
    return (rung_predict_options){.size = sizeof(rung_predict_options),
                                  .level = job->level,
                                  .by_class = job->by_class,
                                  .cost = job->given.matrix,
                                  .abstain = job->given.abstain};
}

/* Nothing is written before the first block has been predicted. */
static int begin(session *s, const arguments *args, predict_job *job, const rung_table *table)
{
    int code = table ? keep_columns(args, job, table) : EXIT_OK;
    if (code != EXIT_OK) return code;
    if (!output_open(&job->out, job->to)) return FAILED;
    if (s->json)
        fputs("{\"rows\": [", job->out.file);
    else if (!job->sheet)
        csv_header(job);
    return EXIT_OK;
}

static void write_rows(session *s, predict_job *job, const rung_table *table, int64_t n)
{
    for (int64_t i = 0; i < n && !ferror(job->out.file); i++)
        if (s->json)
            json_row(job, table, i);
        else
            csv_row(job, table, i);
    for (int64_t i = 0; job->rank && i < n; i++) job->unsure += job->rank[i] == 0;
    job->done += n;
}

static int finish(session *s, predict_job *job)
{
    if (s->json) fputs(job->done ? "\n]}\n" : "]}\n", job->out.file);
    if (job->unsure && !s->quiet)
        complain("%s%s%lld of %lld rows (%.1f %%) are unsure", job->apart ? job->to : "", job->apart ? ": " : "",
                 (long long)job->unsure, (long long)job->done, 100 * (double)job->unsure / (double)job->done);
    return output_keep(&job->out) ? EXIT_OK : FAILED;
}

static void forget_answers(predict_job *job)
{
    free(job->rank);
    free(job->score);
    free(job->proba);
    free(job->sd);
    free(job->low);
    free(job->high);
}

static void allocate_answers(predict_job *job, size_t rows)
{
    bool proba = job->proba_wanted;
    forget_answers(job);
    job->room = rows;
    job->classes = rung_model_classes(job->model);
    job->outputs = rung_model_outputs(job->model);
    job->rank = rung_model_has_ranks(job->model) && !job->project ? allocate(rows, sizeof *job->rank) : NULL;
    job->score = allocate(rows * (size_t)job->outputs, sizeof *job->score);
    job->proba = proba ? allocate(rows * (size_t)job->classes, sizeof *job->proba) : NULL;
    job->sd = proba && rung_model_has_latent(job->model) ? allocate(rows, sizeof *job->sd) : NULL;
    job->low = job->level > 0 ? allocate(rows, sizeof *job->low) : NULL;
    job->high = job->level > 0 ? allocate(rows, sizeof *job->high) : NULL;
}

static int predict_block(session *s, const arguments *args, predict_job *job, const rung_table *table)
{
    rung_data *data;
    CHECK(s, rung_model_encode(s->ctx, job->model, table, RUNG_LABELS_IGNORED, &data));
    rung_view X = rung_data_view(data);
    if ((size_t)X.n > job->room) allocate_answers(job, (size_t)X.n);
    const rung_output out = wanted(job);
    const rung_predict_options how = how_wanted(job);
    rung_status status = rung_model_predict(s->ctx, job->model, &X, &how, &out);
    rung_data_free(data);
    CHECK(s, status);
    int code = job->out.file ? EXIT_OK : begin(s, args, job, table);
    if (code == EXIT_OK && job->sheet) return write_sheet(s, job, table, X.n);
    if (code == EXIT_OK) write_rows(s, job, table, X.n);
    if (code == EXIT_OK) fflush(job->out.file); /* the rows of a pipe are answered as they arrive */
    return code;
}

/* The columns copied from a later file are those of the first. */
static int keep_again(const arguments *args, predict_job *job, const rung_table *table)
{
    int64_t before = job->n_kept;
    char **name = allocate((size_t)before + 1, sizeof *name);
    for (int64_t k = 0; k < before; k++) name[k] = text_of("%s", job->kept[k].name);
    int code = keep_columns(args, job, table);
    bool same = code != EXIT_OK || job->n_kept == before;
    for (int64_t k = 0; k < before; k++) {
        same = same && (code != EXIT_OK || !strcmp(job->kept[k].name, name[k]));
        free(name[k]);
    }
    free(name);
    if (same) return code;
    complain("%s: the columns to copy are not those of %s", job->path, rung_files_at(job->files, 0));
    return FAILED;
}

/* The next rows, NULL: there are no more. Those of a query are one block. */
static int next_block(session *s, const arguments *args, predict_job *job, rung_table **out)
{
    *out = job->selected;
    job->selected = NULL;
    while (job->files && !*out) {
        bool fresh = !job->reader;
        if (fresh && job->file == job->end) return EXIT_OK;
        if (fresh) job->path = rung_files_at(job->files, job->file++);
        if (fresh) CHECK(s, rung_reader_open(s->ctx, job->path, &job->how, job->model, &job->reader));
        CHECK(s, rung_reader_next(s->ctx, job->reader, job->sheet ? INT64_MAX : BLOCK, out));
        if (fresh && *out && job->out.file) {
            int code = keep_again(args, job, *out);
            if (code != EXIT_OK) return rung_table_free(*out), *out = NULL, code;
        }
        if (*out) return EXIT_OK;
        rung_reader_free(job->reader);
        job->reader = NULL;
    }
    return EXIT_OK;
}

static int predict_blocks(session *s, const arguments *args, predict_job *job)
{
    for (bool more = true; more;) {
        rung_table *table;
        int next = next_block(s, args, job, &table);
        if (next != EXIT_OK) return next;
        int code = table ? predict_block(s, args, job, table) : job->out.file ? EXIT_OK : begin(s, args, job, NULL);
        more = table != NULL;
        rung_table_free(table);
        if (code != EXIT_OK) return code;
        if (ferror(job->out.file)) break; /* stop reading; the error is reported when it is closed */
    }
    return finish(s, job);
}

/* ---- a file for every file ---- */

/* FOLDER/part-7.csv for parts/part-7.csv.gz, FOLDER/wave.sav for wave.sav; to be freed. */
static char *name_apart(const session *s, const char *folder, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    if (length > 3 && !strcmp(name + length - 3, ".gz")) length -= 3;
    for (size_t i = length; i > 1; i--)
        if (name[i - 1] == '.') {
            length = i - 1;
            break;
        }
    if (!s->json && rung_table_writable(name) == 1) return text_of("%s/%s", folder, name);
    return text_of("%s/%.*s.%s", folder, (int)length, name, s->json ? "json" : "csv");
}

/* Before anything is written: all names differ, and none is that of an input. */
static bool names_are_free(char *const *to, const predict_job *job)
{
    for (int64_t i = 0; i < job->end; i++) {
        bool exists = access(to[i], F_OK) == 0;
        for (int64_t k = 0; k < job->end; k++) {
            const char *input = rung_files_at(job->files, k);
            if (k < i && !strcmp(to[i], to[k])) {
                complain("predict: %s and %s would both be written to %s; predict them into different folders", input,
                         rung_files_at(job->files, i), to[i]);
                return false;
            }
            if (!exists || !output_same_file(to[i], input)) continue;
            complain("predict: %s would overwrite the input %s; give another --output-dir", to[i], input);
            return false;
        }
    }
    return true;
}

static uint64_t hash_bytes(uint64_t h, const void *bytes, size_t n)
{
    for (const unsigned char *b = bytes; n > 0; n--) h = (h ^ *b++) * UINT64_C(0x100000001b3);
    return h;
}

static uint64_t hash_model(const char *path)
{
    unsigned char some[4096];
    uint64_t h = 0;
    FILE *file = fopen(path, "rb");
    for (size_t n; file && (n = fread(some, 1, sizeof some, file)) > 0;) h = hash_bytes(h, some, n);
    if (file) fclose(file);
    return h;
}

/* Files are shared out by their place in the list, so that every rank must see the same ones, and the same model. */
static bool same_everywhere(const arguments *args, const predict_job *job)
{
    const char *path;
    if (processes_all() == 1) return true;
    uint64_t own = hash_model(operand(args, 0));
    for (int64_t i = 0; (path = rung_files_at(job->files, i)); i++) {
        struct stat about = {0};
        if (stat(path, &about) != 0) about.st_size = -1;
        int64_t size = about.st_size;
        own = hash_bytes(hash_bytes(own, path, strlen(path) + 1), &size, sizeof size);
    }
    uint64_t first = own;
    if (!processes_share(&first, sizeof first)) return false;
    if (first != own)
        complain(
            "predict: the model, or the names or sizes of the files, of this process differ from those of process 0; "
            "all processes must see the same files under the same names");
    return first == own;
}

static int predict_apart(session *s, const arguments *args, predict_job *job, const char *folder)
{
    int64_t n = job->end;
    if (!same_everywhere(args, job)) return FAILED;
    char **to = allocate((size_t)n, sizeof *to);
    for (int64_t i = 0; i < n; i++) to[i] = name_apart(s, folder, rung_files_at(job->files, i));
    int code = names_are_free(to, job) ? EXIT_OK : USAGE;
    if (code == EXIT_OK && mkdir(folder, 0777) != 0 && errno != EEXIST) {
        complain("cannot make the folder %s: %s", folder, strerror(errno));
        code = FAILED;
    }
    job->apart = true;
    for (int64_t i = 0; i < n && code == EXIT_OK; i++) {
        if (!processes_own(i)) continue;
        job->to = to[i];
        job->sheet = rung_table_writable(to[i]) == 1;
        job->file = i;
        job->end = i + 1;
        job->done = job->unsure = 0;
        code = output_possible(to[i]) ? predict_blocks(s, args, job) : FAILED;
    }
    for (int64_t i = 0; i < n; i++) free(to[i]);
    free(to);
    return code;
}

/* Without DATA: the predictions for the training rows. */
static int predict_training(session *s, const arguments *args, predict_job *job)
{
    const rung_output out = wanted(job);
    const rung_predict_options how = how_wanted(job);
    CHECK(s, rung_model_predict_training(s->ctx, job->model, &how, &out));
    int code = begin(s, args, job, NULL);
    if (code != EXIT_OK) return code;
    write_rows(s, job, NULL, rung_model_training_rows(job->model));
    return finish(s, job);
}

/* Classes that no prediction can be. */
static void tell_absent(const rung_model *model)
{
    int absent = 0, first = 0;
    for (int k = rung_model_classes(model); k >= 1; k--)
        if (!rung_model_class_present(model, k)) absent++, first = k;
    if (absent == 0 || absent == rung_model_classes(model)) return;
    say(stderr, "rung: the model had no labelled row of class '%s'%s: never predicted\n",
        rung_model_class_name(model, first), absent > 1 ? " and others (see rung inspect)" : "");
}

/* Whether the model provides what is requested. */
static int check_model(const arguments *args, predict_job *job)
{
    const char *interval = option_value(args, "interval"), *name = operand(args, 0);
    if (option_given(args, "proba") && !rung_model_has_probabilities(job->model)) {
        complain("%s has no probabilities for --proba%s", name,
                 rung_model_has_ranks(job->model) ? "; fit it with -p calibrate=5" : ": it gives scores only");
        return FAILED;
    }
    job->by_class = option_given(args, "by-class");
    if (job->by_class && !interval) {
        complain("predict: --by-class is about the ranges of --interval, such as --interval 0.9");
        return USAGE;
    }
    if (!interval) return EXIT_OK;
    if (!parse_double(interval, &job->level) || !(job->level > 0 && job->level < 1)) {
        complain("predict: --interval %s: expected a probability between 0 and 1, such as 0.9", interval);
        return USAGE;
    }
    if (rung_model_interval(job->model)) return EXIT_OK;
    complain("%s has no prediction intervals for --interval%s", name,
             rung_model_has_ranks(job->model) ? "; fit it with -p calibrate=5, or with tune"
                                              : ": it gives scores only");
    return FAILED;
}

/* What cannot be wanted together, as the words after "predict: "; NULL: all can. */
static const char *contradiction(const arguments *args)
{
    const char *data = operand(args, 1);
    bool copies = option_given(args, "append") || option_given(args, "keep");
    if (option_given(args, "output-dir")) {
        if (option_given(args, "output")) return "--output-dir takes the files of DATA one by one; omit --output";
        if (option_given(args, "sql")) return "--output-dir takes the files of DATA one by one; omit --sql";
        if (!data || !strcmp(data, "-"))
            return "--output-dir takes the files of DATA one by one; omit it for other rows";
    } else if (processes_all() > 1) {
        return "processes under mpirun need --output-dir, where every file of DATA has its own predictions";
    }
    if (option_given(args, "append") && option_given(args, "keep")) return "--append copies all columns; omit --keep";
    if (!data && copies) return "DATA is missing; --keep and --append copy its columns";
    return option_given(args, "sql") && args->operands > 2 ? "--sql selects from a single database" : NULL;
}

static int check_together(const arguments *args)
{
    static const char *const answers[] = {"proba", "interval", "by-class", "cost", "abstain"};
    const char *found = contradiction(args);
    if (found) {
        complain("predict: %s", found);
        return USAGE;
    }
    for (size_t i = 0; option_given(args, "project") && i < sizeof answers / sizeof *answers; i++)
        if (option_given(args, answers[i])) {
            complain("predict: --project writes only the components; omit --%s", answers[i]);
            return USAGE;
        }
    return EXIT_OK;
}

/* What kind of file is written, by its name. */
static int check_kind(const session *s, predict_job *job)
{
    int writable = job->to ? rung_table_writable(job->to) : -1;
    job->sheet = writable == 1;
    if (writable == 0) {
        complain("predict: this rung cannot write %s; write CSV, or .sav, .dta, .xpt or .xlsx", job->to);
        return USAGE;
    }
    if (!job->sheet || (!s->json && job->path)) return EXIT_OK;
    complain(job->path ? "predict: --json writes JSON; give --output another name than %s"
                       : "predict: DATA is missing, whose rows %s would hold",
             job->to);
    return USAGE;
}

static int open_model(session *s, const arguments *args, predict_job *job)
{
    int code = load_model(s, operand(args, 0), &job->model);
    if (code == EXIT_OK) code = check_model(args, job);
    if (code == EXIT_OK) code = costs_read(s, args, job->model, NULL, &job->given);
    if (code == EXIT_OK && !s->quiet && !option_given(args, "project")) tell_absent(job->model);
    return code;
}

/* The rows that a query selects, or the files; *most: rows that are predicted at once. */
static int open_rows(session *s, const arguments *args, predict_job *job, size_t *most)
{
    const char *sql = option_value(args, "sql");
    int code = EXIT_OK;
    *most = job->path ? BLOCK : (size_t)rung_model_training_rows(job->model);
    if (*most == 0) {
        complain("predict: DATA is missing; %s has no predictions for its own training rows", operand(args, 0));
        return USAGE;
    }
    if (!job->path) return EXIT_OK;
    if (sql) {
        code = query_read(s, job->path, sql, &job->selected);
        if (code == EXIT_OK) *most = (size_t)rung_table_rows(job->selected);
        return code;
    }
    code = datafile_list(s, args, RUNG_LABELS_OPTIONAL, &job->files);
    if (code == EXIT_OK && job->sheet) {
        CHECK(s, rung_model_read(s->ctx, job->model, job->files, &job->how, &job->selected));
        *most = (size_t)rung_table_rows(job->selected);
        rung_files_free(job->files);
        job->files = NULL;
        return EXIT_OK;
    }
    job->how.may_be_empty = job->files && rung_files_at(job->files, 1);
    while (job->files && rung_files_at(job->files, job->end)) job->end++;
    return code;
}

static int predict_steps(session *s, const arguments *args, predict_job *job)
{
    const char *folder = option_value(args, "output-dir");
    size_t most;
    job->path = operand(args, 1);
    job->to = option_value(args, "output");
    job->project = option_given(args, "project");
    job->proba_wanted = option_given(args, "proba");
    int code = check_together(args);
    if (code == EXIT_OK) code = check_kind(s, job);
    if (code == EXIT_OK) code = datafile_options(s, args, &job->how);
    job->how.missing_columns = option_given(args, "missing-columns");
    if (code == EXIT_OK && job->to && !output_possible(job->to)) code = FAILED;
    if (code == EXIT_OK) code = open_model(s, args, job);
    if (code == EXIT_OK) code = open_rows(s, args, job, &most);
    if (code != EXIT_OK) return code;
    allocate_answers(job, most);
    if (!job->path) return predict_training(s, args, job);
    s->shown = "predicting";
    s->stage = "reading"; /* a block is predicted while the file is read */
    return folder ? predict_apart(s, args, job, folder) : predict_blocks(s, args, job);
}

static int predict_run(session *s, const arguments *args)
{
    predict_job job = {0};
    int code = predict_steps(s, args, &job);
    output_discard(&job.out);
    rung_reader_free(job.reader);
    rung_table_free(job.selected);
    rung_files_free(job.files);
    forget_columns(&job);
    free(job.kept);
    free(job.text);
    free(job.given.matrix);
    forget_answers(&job);
    rung_model_free(job.model);
    return code;
}

static const example examples[] = {
    {"rung predict model.rung new.csv > predicted.csv", "label, rank and score of every row of new.csv"},
    {"rung predict model.rung new.csv --proba -o predicted.csv", "with the probability of each class"},
    {"rung predict components.rung new.csv --project", "the components of a projection, as features or to plot"},
    {"rung predict model.rung new.csv --interval 0.9",
     "with an interval that contains the true rank with probability 0.9"},
    {"rung predict model.rung new.csv --keep id,name", "each row starts with the columns id and name of new.csv"},
    {"rung predict model.rung 'new/*.csv' -o predicted.csv", "all files that match, in the order of their names"},
    {"mpirun -n 16 rung predict model.rung 'new/*.csv' --output-dir predicted",
     "a file for every file, by 16 processes (docs/cluster.md)"},
    {"cut -d, -f1-4 new.csv | rung predict model.rung -", "from standard input to standard output"},
    {0}};

const command command_predict = {
    .name = "predict",
    .operands = "MODEL [DATA]...",
    .help = "predict the class of every row of a file",
    .about = "Writes CSV: a header, then for every row of DATA its label, its rank (1 = lowest class) and its score on "
             "the model's scale. Columns are matched by name if there are names; a label column is ignored. The rows "
             "of several files, folders or quoted patterns follow each other in the order given. Without DATA: the "
             "predictions of a transductive method for the rows it was fitted to, in their order.\nRows from a "
             "pipe (DATA -) are answered as they arrive, so another program can write a row and read its prediction. "
             "Delimiter and header are then recognised from the first two lines.",
    .options = tables,
    .usual = "proba interval keep append output",
    .examples = examples,
    .ranks = true,
    .run = predict_run};
