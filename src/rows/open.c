// SPDX-License-Identifier: BSD-3-Clause
/* open.c - from pass one to the sample, coded, the source of all rows, and how many of these there are of every class.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/comm.h"
#include "input/encode/features.h"
#include "input/read/format.h"
#include "input/read/held_input.h"
#include "input/read/read.h"
#include "rows/survey.h"

/* ---- how large the files are ---- */

static bool is_pipe(const char *path)
{
    struct stat about;
    return strcmp(path, "-") != 0 && stat(path, &about) == 0 && S_ISFIFO(about.st_mode);
}

bool rows_repeatable(const rung_files *files)
{
    for (int64_t k = 0; k < files->n; k++)
        if (is_pipe(files->path[k])) return false;
    return true;
}

static double bytes_of(const rung_ctx *ctx, const char *path)
{
    struct stat about;
    if (strcmp(path, "-") == 0) return (double)ctx->input.size;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) ? (double)about.st_size : -1;
}

/* Rows of a file per byte as it is stored, judged by its first rows; 0: not known. */
static rung_status rows_per_byte(rung_ctx *ctx, const char *path, const rung_read_options *how, double *out,
                                 int64_t *columns)
{
    rung_reader *r;
    rung_table *t = NULL;
    *out = 0;
    TRY(reader_begin(ctx, path, how, NULL, READ_WHOLE, &r));
    rung_status status =
        r->empty || r->shape->sparse ? RUNG_OK : reader_next(ctx, r, rows_block(r->shape->n_columns), &t);
    if (t) {
        double used = (double)(r->in.before + r->in.at), held = (double)(r->in.before + r->in.end);
        double stored = source_done(r->in.from) * bytes_of(ctx, path);
        *columns = t->n_columns;
        if (used > 0 && stored > 0) *out = (double)t->n_rows * held / used / stored;
    }
    table_free(t);
    reader_close(r);
    return status;
}

rung_status rows_estimate(rung_ctx *ctx, const rung_files *files, const rung_read_options *how, double *rows,
                          int64_t *columns)
{
    double all = 0, rate = 0;
    rung_read_options first = *how;
    *rows = 0;
    *columns = 0;
    for (int64_t k = 0; k < files->n; k++) {
        if (strcmp(files->path[k], "-") == 0 && comm_processes(ctx) <= 1) TRY(input_hold(ctx));
        double bytes = bytes_of(ctx, files->path[k]);
        if (bytes < 0) return RUNG_OK; /* a pipe, or a file that is not there: reading it says so */
        all += bytes;
    }
    first.may_be_empty = 1;
    for (int64_t k = 0; k < files->n && rate == 0; k++) TRY(rows_per_byte(ctx, files->path[k], &first, &rate, columns));
    *rows = rate * all;
    return RUNG_OK;
}

/* ---- the sample ---- */

/* A column of numbers must not have others than finite ones, whether they are in the sample or not. */
static rung_status check_finite(rung_ctx *ctx, const survey *v, const coding *code)
{
    for (int64_t k = 0; k < code->n_columns; k++) {
        int64_t c = code->columns[k].position;
        const cell_notes *note = &v->notes[c];
        if (!code->columns[k].nominal && note->odd_file >= 0)
            return cell_not_finite(ctx, v->s->path[note->odd_file], note->odd_line, v->shape, c, note->odd);
    }
    return RUNG_OK;
}

static bool has_label(const survey *v, double label)
{
    for (int64_t i = 0; i < v->n; i++)
        if (survey_label(v, v->record + i * v->words) == label) return true;
    return false;
}

/* The records of the sample, then the first rows of the labels that it lacks. */
static rung_status list_records(rung_ctx *ctx, const survey *v, row_source *s, const uint64_t ***out, int64_t *count)
{
    const uint64_t **list = NULL;
    TRY(pool_alloc_raw(ctx, &ctx->scratch, v->n + v->n_extra, sizeof *list, "records", (void **)&list));
    TRY(NEW(ctx, &ctx->scratch, s->extra_file, v->n_extra));
    TRY(NEW(ctx, &ctx->scratch, s->extra_row, v->n_extra));
    for (int64_t i = 0; i < v->n; i++) list[i] = v->record + i * v->words;
    *count = v->n;
    for (int k = 0; k < v->n_extra && !v->many_labels; k++) {
        const uint64_t *one = v->extra + k * v->words;
        if (has_label(v, survey_label(v, one))) continue;
        s->extra_file[s->n_extra] = (int64_t)one[1];
        s->extra_row[s->n_extra++] = (int64_t)one[2];
        list[(*count)++] = one;
    }
    *out = list;
    return RUNG_OK;
}

/* Rows by rank, from those of every distinct label. */
static void count_ranks(const survey *v, const int *rank, int64_t n, const uint64_t *const *record, row_source *s)
{
    for (int k = 0; k < v->n_extra; k++) {
        double label = survey_label(v, v->extra + k * v->words);
        for (int64_t i = 0; i < n; i++)
            if (survey_label(v, record[i]) == label) {
                s->count[rank[i]] += v->label_rows[k];
                break;
            }
    }
    s->count[0] = s->n_rows;
    for (int q = 1; q <= s->code->n_classes; q++) s->count[0] -= s->count[q];
}

static rung_status add_ranks(rung_ctx *ctx, void *user, const row_block *b, double *sum)
{
    (void)ctx, (void)user;
    const rung_data *rows = b->rows;
    int K = rows->code.n_classes;
    for (int64_t i = 0; i < rows->n; i++) {
        double w = rows->weight ? rows->weight[i] : 1;
        int rank = w > 0 ? rows->y[i] : 0;
        sum[rank]++;
        sum[K + 1 + rank] += w;
    }
    return RUNG_OK;
}

/* A label whose first row was not taken cannot be counted by its distinct values: numbers cut into classes. Nor can
 * rows of weight 0, which are not labelled. */
static rung_status count_rows(rung_ctx *ctx, const survey *v, const int *rank, int64_t n, const uint64_t *const *record,
                              row_source *s)
{
    int K = s->code->n_classes;
    TRY(NEW(ctx, &ctx->scratch, s->count, K + 1));
    TRY(NEW(ctx, &ctx->scratch, s->mass, K + 1));
    if (v->label >= 0 && !v->many_labels && !s->weights) {
        count_ranks(v, rank, n, record, s);
        for (int q = 0; q <= K; q++) s->mass[q] = (double)s->count[q];
    } else {
        double *sum = NULL;
        TRY(NEW(ctx, &ctx->scratch, sum, 2 * ((int64_t)K + 1)));
        TRY(rows_sum(ctx, s, add_ranks, NULL, 2 * ((int64_t)K + 1), sum));
        for (int q = 0; q <= K; q++) s->count[q] = (int64_t)sum[q];
        memcpy(s->mass, sum + K + 1, ((size_t)K + 1) * sizeof *s->mass);
    }
    s->n_labelled = s->n_rows - s->count[0];
    return RUNG_OK;
}

static rung_status copy_of(rung_ctx *ctx, pool *mem, const void *from, int64_t count, size_t size, void **out)
{
    TRY(pool_alloc_raw(ctx, mem, count, size, "the source of the rows", out));
    memcpy(*out, from, (size_t)count * size);
    return RUNG_OK;
}

#define COPY(array, n) copy_of(ctx, mem, from->array, n, sizeof *from->array, (void **)&to->array)

/* The source becomes a part of its sample. */
static rung_status keep_source(rung_ctx *ctx, const row_source *from, rung_data *sample)
{
    pool *mem = &sample->mem;
    row_source *to = NULL;
    TRY(NEW(ctx, mem, to, 1));
    *to = *from;
    TRY(COPY(path, from->n_files));
    for (int64_t k = 0; k < from->n_files; k++) TRY(pool_text(ctx, mem, from->path[k], &to->path[k]));
    if (from->weights) TRY(pool_text(ctx, mem, from->weights, &to->weights));
    TRY(COPY(rows_before, from->n_files + 1));
    TRY(COPY(count, from->code->n_classes + 1));
    TRY(COPY(mass, from->code->n_classes + 1));
    TRY(COPY(extra_file, from->n_extra));
    TRY(COPY(extra_row, from->n_extra));
    sample->source = to;
    return RUNG_OK;
}

static rung_status finish(rung_ctx *ctx, const survey *v, int64_t n, const uint64_t *const *record, row_source *s,
                          rung_data *sample)
{
    s->code = &sample->code;
    s->block = rows_block(sample->d > v->shape->n_columns ? sample->d : v->shape->n_columns);
    TRY(check_finite(ctx, v, coding_cells(s->code)));
    TRY(rows_check_labels(ctx, sample, v->first));
    TRY(count_rows(ctx, v, sample->y, n, record, s));
    return keep_source(ctx, s, sample);
}

static rung_status take_sample(rung_ctx *ctx, const survey *v, const rung_encode_options *options, row_source *s,
                               rung_data **out)
{
    const uint64_t **record;
    int64_t n;
    rung_table *t;
    rung_data *sample = NULL;
    int64_t weights;
    if (options->weights) {
        TRY(table_find(ctx, v->shape, options->weights, "weights", &weights));
        TRY(column_key(ctx, &ctx->scratch, v->shape, weights, &s->weights));
    }
    TRY(list_records(ctx, v, s, &record, &n));
    TRY(table_new(ctx, v->first, &t));
    rung_status status = survey_table_of(ctx, v, n, record, t);
    if (n < s->n_rows) t->counts = v->counts;
    if (status == RUNG_OK) status = dataset_encode(ctx, t, options, &sample);
    table_free(t);
    if (status == RUNG_OK) status = finish(ctx, v, n, record, s, sample);
    return dataset_close(status, sample, out);
}

/* ---- opening ---- */

static rung_status check_options(rung_ctx *ctx, const rung_encode_options *options)
{
    if (options->real)
        return set_error(ctx, RUNG_EARG, "real targets cannot be read in passes: they must fit into the memory limit");
    if (options->groups)
        return set_error(ctx, RUNG_EARG,
                         "groups of rows cannot be read in passes: they must fit into the memory limit");
    return RUNG_OK;
}

/* Files are shared out by their place in the list. */
static rung_status same_files(rung_ctx *ctx, int64_t n, const char *const *path)
{
    uint64_t hash = COMM_HASH;
    if (comm_processes(ctx) == 1) return RUNG_OK;
    for (int64_t k = 0; k < n; k++) {
        double bytes = bytes_of(ctx, path[k]);
        hash = comm_hash(comm_hash(hash, path[k], strlen(path[k]) + 1), &bytes, sizeof bytes);
    }
    return comm_agree(ctx, hash, "the names or sizes of the files");
}

static rung_status name_files(rung_ctx *ctx, const rung_files *files, row_source *s)
{
    TRY(files_sorted(ctx, files, &s->path));
    TRY(same_files(ctx, files->n, s->path));
    for (int64_t k = 0; k < files->n; k++) {
        if (strcmp(s->path[k], "-") == 0 && comm_processes(ctx) > 1)
            return set_error(ctx, RUNG_EARG, "standard input cannot be divided among processes: write it to a file");
        if (is_pipe(s->path[k]))
            return set_error(ctx, RUNG_EARG, "%s is a pipe, which cannot be read more than once: write it to a file",
                             s->path[k]);
    }
    return NEW(ctx, &ctx->scratch, s->rows_before, files->n + 1);
}

rung_status rows_open(rung_ctx *ctx, const rung_files *files, const rung_read_options *how,
                      const rung_encode_options *options, int64_t most, rung_data **out)
{
    row_source s = {.n_files = files->n, .seed = ctx->seed};
    survey v = {.s = &s, .options = options, .how = *how, .room = most};
    *out = NULL;
    TRY(check_options(ctx, options));
    TRY(name_files(ctx, files, &s));
    rung_status status = survey_run(ctx, &v);
    if (status == RUNG_OK) {
        s.how = v.how;
        s.how.format = NULL;
        s.format = how->format ? v.kind_of_file : NULL;
        s.last_key = v.limit;
        for (int64_t k = 0; k < files->n; k++) s.rows_before[k + 1] = s.rows_before[k] + v.file_rows[k];
        s.n_rows = s.rows_before[files->n];
        status = s.n_rows > 0 ? take_sample(ctx, &v, options, &s, out)
                              : set_error(ctx, RUNG_EDATA, "%s: none of the files has rows", s.path[0]);
    }
    survey_close(&v);
    return status;
}
