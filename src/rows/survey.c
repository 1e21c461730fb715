// SPDX-License-Identifier: BSD-3-Clause
/* survey.c - pass one: the columns, their texts, the rows of the files, the labels there are, and the sample.
 *
 * Every process surveys its files; the results of all are put together in the order of the files, by everybody alike.
 * So the coding and the sample are the same for any number of processes. */
#define _POSIX_C_SOURCE 200809L
#include "rows/survey.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "input/encode/column_codes.h"
#include "input/encode/features.h"
#include "input/read/format.h"
#include "input/read/read.h"
#include "input/table/dictionary.h"

enum {
    MOST_LABELS = 64,   /* distinct labels that are noted; more are no classes */
    MOST_TEXTS = 200000 /* of a column: more are names of rows, which are no categories */
};

/* ---- the shape ---- */

/* What the processes exchange is as wide as the columns are many. */
static rung_status same_shape(rung_ctx *ctx, const survey *v)
{
    const rung_table *t = v->shape;
    uint64_t hash = comm_hash(COMM_HASH, &t->has_names, sizeof t->has_names);
    for (int64_t c = 0; c < t->n_columns; c++) {
        const column *one = &t->columns[c];
        hash = comm_hash(comm_hash(hash, one->name, strlen(one->name) + 1), &one->kind, sizeof one->kind);
    }
    return comm_agree(ctx, hash, "the columns of the first file");
}

/* The columns of the first file that has any. */
static rung_status take_shape(rung_ctx *ctx, survey *v)
{
    for (int64_t k = 0; k < v->s->n_files; k++) {
        rung_reader *r;
        TRY(reader_begin(ctx, v->s->path[k], &v->how, NULL, READ_WHOLE, &r));
        if (r->empty) {
            reader_close(r);
            continue;
        }
        bool whole = r->kind->whole;
        v->shape = r->shape;
        r->shape = NULL;
        v->first = v->s->path[k];
        v->kind_of_file = r->kind->name;
        reader_close(r);
        if (!whole) break;
        return set_error(ctx, RUNG_EARG,
                         "%s is read as a whole and must fit into memory; save it as CSV to read it in "
                         "passes",
                         v->first);
    }
    if (!v->shape) return set_error(ctx, RUNG_EDATA, "%s: none of the files has rows", v->s->path[0]);
    if (v->shape->sparse)
        return set_error(ctx, RUNG_EARG, "%s: files of sparse rows cannot be read in passes; they must fit into memory",
                         v->first);
    if (v->how.header == RUNG_HEADER_AUTO)
        v->how.header = v->shape->has_names ? RUNG_HEADER_PRESENT : RUNG_HEADER_ABSENT;
    TRY(same_shape(ctx, v));
    return dataset_label_column(ctx, v->shape, v->options, &v->label);
}

static bool is_text(const survey *v, int64_t c) { return v->shape->columns[c].kind == COLUMN_TEXT; }

/* Nothing has been seen of the columns. */
static void clear_columns(survey *v)
{
    for (int64_t c = 0; c < v->shape->n_columns; c++) {
        v->texts[c] = (dictionary){0};
        v->counts[c] = !is_text(v, c);
        v->notes[c] = (cell_notes){.odd_file = -1};
    }
}

static rung_status start(rung_ctx *ctx, survey *v)
{
    int64_t columns = v->shape->n_columns;
    v->words = 4 + columns;
    v->records_room = v->room + v->room / 4;
    TRY(NEW_RAW(ctx, &ctx->scratch, v->record, v->records_room * v->words));
    TRY(NEW_RAW(ctx, &ctx->scratch, v->extra, MOST_LABELS * v->words));
    TRY(NEW(ctx, &ctx->scratch, v->texts, columns));
    TRY(NEW(ctx, &ctx->scratch, v->turned, columns));
    TRY(NEW(ctx, &ctx->scratch, v->counts, columns));
    TRY(NEW(ctx, &ctx->scratch, v->previous, columns));
    TRY(NEW(ctx, &ctx->scratch, v->notes, columns));
    TRY(NEW(ctx, &ctx->scratch, v->file_rows, v->s->n_files));
    clear_columns(v);
    v->n = v->n_extra = 0;
    v->limit = UINT64_MAX;
    return RUNG_OK;
}

/* ---- records: key, file, row, line, cells ---- */

static int by_key(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

static int by_place(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return x[1] != y[1] ? (x[1] > y[1]) - (x[1] < y[1]) : (x[2] > y[2]) - (x[2] < y[2]);
}

static void keep_smallest(survey *v, int64_t room)
{
    if (v->n <= room) return;
    qsort(v->record, (size_t)v->n, (size_t)v->words * sizeof *v->record, by_key);
    v->n = room;
    v->limit = v->record[(room - 1) * v->words];
}

static double cell_of(const survey *v, const rung_table *t, int64_t i, int64_t j, const int32_t *index, int64_t c)
{
    if (!is_text(v, c)) return t->columns[j].number[i];
    int32_t k = t->columns[j].text[i];
    return k < 0 ? -1 : index[k];
}

typedef struct { /* a block */
    const rung_table *t;
    const int64_t *place; /* its columns in the survey */
    int32_t **index;      /* texts of its columns in the survey */
    int64_t file, first;  /* row of the file */
} survey_block;

static void put_record(const survey *v, const survey_block *b, int64_t i, uint64_t key, uint64_t *out)
{
    out[0] = key;
    out[1] = (uint64_t)b->file;
    out[2] = (uint64_t)(b->first + i);
    out[3] = (uint64_t)table_line(b->t, i);
    for (int64_t j = 0; j < b->t->n_columns; j++) {
        double x = cell_of(v, b->t, i, j, b->index[j], b->place[j]);
        memcpy(out + 4 + b->place[j], &x, sizeof x);
    }
}

static double cell_in(const uint64_t *record, int64_t c)
{
    double x;
    memcpy(&x, record + 4 + c, sizeof x);
    return x;
}

static bool is_missing(const survey *v, int64_t c, double x) { return is_text(v, c) ? x < 0 : isnan(x); }

/* The first row of every label, and how many rows have it. */
static void note_label(survey *v, const survey_block *b, int64_t i, double label, uint64_t key)
{
    int k = 0;
    if (is_missing(v, v->label, label)) return;
    for (; k < v->n_extra && k < MOST_LABELS; k++)
        if (cell_in(v->extra + k * v->words, v->label) == label) break;
    if (k == MOST_LABELS) {
        v->many_labels = true;
        return;
    }
    if (k == v->n_extra) {
        put_record(v, b, i, key, v->extra + k * v->words);
        v->label_rows[v->n_extra++] = 0;
    }
    v->label_rows[k]++;
}

/* ---- blocks ---- */

/* Whether text has turned up in a column of numbers: then all is to be read again. */
static bool note_turned(survey *v, const survey_block *b)
{
    bool any = false;
    for (int64_t j = 0; j < b->t->n_columns; j++)
        if (b->t->columns[j].kind == COLUMN_TEXT && !is_text(v, b->place[j])) v->turned[b->place[j]] = any = true;
    return any;
}

static rung_status index_texts(rung_ctx *ctx, survey *v, const survey_block *b)
{
    for (int64_t j = 0; j < b->t->n_columns; j++) {
        const column *c = &b->t->columns[j];
        dictionary *d = &v->texts[b->place[j]];
        if (!is_text(v, b->place[j])) continue;
        TRY(NEW_RAW(ctx, &ctx->scratch, b->index[j], c->n_values));
        for (int32_t k = 0; k < c->n_values; k++) {
            b->index[j][k] = -1;
            if (d->n < MOST_TEXTS)
                TRY(dictionary_add(ctx, &v->mem, d, c->values[k], strlen(c->values[k]), &b->index[j][k]));
            else
                b->index[j][k] = dictionary_find(d, c->values[k], strlen(c->values[k]));
        }
    }
    return RUNG_OK;
}

/* Whether a column goes on counting: up by one from row to row. */
static void note_counts(survey *v, const survey_block *b)
{
    for (int64_t j = 0; j < b->t->n_columns; j++) {
        int64_t c = b->place[j];
        if (!v->counts[c] || is_text(v, c)) continue;
        const double *x = b->t->columns[j].number;
        for (int64_t i = 0; i < b->t->n_rows && v->counts[c]; i++) {
            bool begins = b->first + i == 0 && b->file == 0;
            double before = i > 0 ? x[i - 1] : v->previous[c];
            bool known = i > 0 || b->first > 0; /* files of other processes are not known */
            v->counts[c] = begins ? counter_begins(b->t->columns[j].name, x[i]) : !known || x[i] == before + 1;
        }
        v->previous[c] = x[b->t->n_rows - 1];
    }
}

static void note_cells(survey *v, const survey_block *b)
{
    for (int64_t j = 0; j < b->t->n_columns; j++) {
        const column *c = &b->t->columns[j];
        cell_notes *note = &v->notes[b->place[j]];
        if (c->kind != COLUMN_NUMBER) continue;
        if (c->marks > 0 && note->marks == 0) snprintf(note->mark, sizeof note->mark, "%s", c->mark);
        note->marks += c->marks;
        if (c->odd_row < 0 || note->odd_file >= 0) continue;
        note->odd_file = b->file;
        note->odd_line = table_line(b->t, c->odd_row);
        snprintf(note->odd, sizeof note->odd, "%s", c->odd);
    }
}

static void take_rows(survey *v, const survey_block *b)
{
    for (int64_t i = 0; i < b->t->n_rows; i++) {
        uint64_t key = rows_key(v->s->seed, b->file, b->first + i);
        if (v->label >= 0) {
            int64_t j = v->label_column;
            note_label(v, b, i, cell_of(v, b->t, i, j, b->index[j], v->label), key);
        }
        if (key > v->limit) continue;
        if (v->n == v->records_room) keep_smallest(v, v->room);
        put_record(v, b, i, key, v->record + v->n++ * v->words);
    }
}

static rung_status survey_table(rung_ctx *ctx, survey *v, survey_block *b)
{
    TRY(NEW(ctx, &ctx->scratch, b->index, b->t->n_columns));
    if (note_turned(v, b)) return RUNG_OK;
    TRY(index_texts(ctx, v, b));
    note_counts(v, b);
    note_cells(v, b);
    take_rows(v, b);
    return RUNG_OK;
}

static rung_status survey_reader(rung_ctx *ctx, survey *v, int64_t file, rung_reader *r)
{
    int64_t *place;
    TRY(columns_match(ctx, v->shape, v->first, r->shape, &place));
    for (int64_t j = 0; j < r->shape->n_columns; j++) {
        if (is_text(v, place[j])) r->shape->columns[j].kind = COLUMN_TEXT;
        if (place[j] == v->label) v->label_column = j;
    }
    for (int64_t first = 0;;) {
        pool_mark mark = pool_here(&ctx->scratch);
        rung_table *t;
        TRY(reader_next(ctx, r, rows_block(r->shape->n_columns), &t));
        if (!t) return v->file_rows[file] = first, RUNG_OK;
        rung_status status = survey_table(ctx, v, &(survey_block){t, place, NULL, file, first});
        first += t->n_rows;
        table_free(t);
        pool_release(&ctx->scratch, mark);
        TRY(status);
    }
}

static rung_status survey_file(rung_ctx *ctx, survey *v, int64_t file)
{
    pool_mark mark = pool_here(&ctx->scratch);
    rung_reader *r;
    TRY(reader_begin(ctx, v->s->path[file], &v->how, NULL, READ_WHOLE, &r));
    rung_status status = r->empty ? RUNG_OK : survey_reader(ctx, v, file, r);
    reader_close(r);
    if (status == RUNG_OK && v->file_rows[file] == 0 && v->passes == 0)
        log_at(ctx, RUNG_LOG_WARNING, "%s: the file has no rows", v->s->path[file]);
    pool_release(&ctx->scratch, mark);
    return status;
}

/* ---- what all processes have found ---- */

typedef struct {
    char *v;
    int64_t n, room;
} bytes;

static rung_status put(rung_ctx *ctx, bytes *b, const void *from, int64_t n)
{
    if (b->n + n > b->room) {
        int64_t room = 2 * (b->n + n);
        if (b->v)
            TRY(RESIZE(ctx, &ctx->scratch, b->v, room));
        else
            TRY(NEW_RAW(ctx, &ctx->scratch, b->v, room));
        b->room = room;
    }
    memcpy(b->v + b->n, from, (size_t)n);
    b->n += n;
    return RUNG_OK;
}

static void get(const char **at, void *to, int64_t n)
{
    memcpy(to, *at, (size_t)n);
    *at += n;
}

static rung_status pack(rung_ctx *ctx, const survey *v, bytes *out)
{
    int64_t columns = v->shape->n_columns, record = v->words * 8, heads[] = {v->n, v->n_extra, v->many_labels};
    TRY(put(ctx, out, heads, sizeof heads));
    TRY(put(ctx, out, v->turned, columns));
    TRY(put(ctx, out, v->counts, columns));
    TRY(put(ctx, out, v->notes, columns * (int64_t)sizeof *v->notes));
    TRY(put(ctx, out, v->file_rows, v->s->n_files * 8));
    TRY(put(ctx, out, v->label_rows, sizeof v->label_rows));
    for (int64_t c = 0; c < columns; c++) {
        int64_t n = v->texts[c].n;
        TRY(put(ctx, out, &n, sizeof n));
        for (int64_t k = 0; k < n; k++)
            TRY(put(ctx, out, v->texts[c].values[k], (int64_t)strlen(v->texts[c].values[k]) + 1));
    }
    TRY(put(ctx, out, v->record, v->n * record));
    return put(ctx, out, v->extra, v->n_extra * record);
}

/* The texts of a record as they are numbered in the whole. */
static void renumber(const survey *v, int32_t *const *index, uint64_t *record)
{
    for (int64_t c = 0; c < v->shape->n_columns; c++) {
        double x = cell_in(record, c);
        if (!is_text(v, c) || x < 0) continue;
        x = index[c][(int64_t)x];
        memcpy(record + 4 + c, &x, sizeof x);
    }
}

/* The processes are in the order of their files. */
static void add_notes(survey *v, int64_t c, const char **at)
{
    cell_notes more, *all = &v->notes[c];
    get(at, &more, sizeof more);
    if (all->marks == 0) memcpy(all->mark, more.mark, sizeof all->mark);
    all->marks += more.marks;
    if (all->odd_file >= 0 || more.odd_file < 0) return;
    all->odd_file = more.odd_file;
    all->odd_line = more.odd_line;
    memcpy(all->odd, more.odd, sizeof all->odd);
}

static rung_status unpack(rung_ctx *ctx, survey *v, const char *at)
{
    int64_t columns = v->shape->n_columns, record = v->words * 8, heads[3], one;
    int64_t label_rows[MOST_LABELS];
    int32_t **index = NULL;
    bool flag;
    get(&at, heads, sizeof heads);
    for (int64_t c = 0; c < columns; c++) get(&at, &flag, 1), v->turned[c] |= flag;
    for (int64_t c = 0; c < columns; c++) get(&at, &flag, 1), v->counts[c] &= flag;
    for (int64_t c = 0; c < columns; c++) add_notes(v, c, &at);
    for (int64_t k = 0; k < v->s->n_files; k++) get(&at, &one, 8), v->file_rows[k] += one;
    get(&at, label_rows, sizeof label_rows);
    TRY(NEW(ctx, &ctx->scratch, index, columns));
    for (int64_t c = 0; c < columns; c++) {
        get(&at, &one, sizeof one);
        TRY(NEW(ctx, &ctx->scratch, index[c], one));
        for (int64_t k = 0; k < one; k++, at += strlen(at) + 1)
            TRY(dictionary_add(ctx, &v->mem, &v->texts[c], at, strlen(at), &index[c][k]));
    }
    for (int64_t k = 0; k < heads[0]; k++, v->n++) {
        if (v->n == v->records_room) keep_smallest(v, v->room);
        get(&at, v->record + v->n * v->words, record);
        renumber(v, index, v->record + v->n * v->words);
    }
    v->many_labels |= heads[2] != 0;
    for (int64_t k = 0; k < heads[1]; k++) {
        uint64_t *fresh = v->extra + v->n_extra * v->words;
        if (v->n_extra == MOST_LABELS) {
            v->many_labels = true;
            break;
        }
        get(&at, fresh, record);
        renumber(v, index, fresh);
        int at_label = 0;
        while (cell_in(v->extra + at_label * v->words, v->label) != cell_in(fresh, v->label)) at_label++;
        if (at_label == v->n_extra) v->label_rows[v->n_extra++] = 0;
        v->label_rows[at_label] += label_rows[k];
    }
    return RUNG_OK;
}

/* Ranges of keys: the sample of the whole is expected to end after a quarter of them. */
enum { RANGES = 4096 };
static int64_t range_of(uint64_t key, double share)
{
    double at = ldexp((double)key, -64) / share * RANGES / 4;
    return at < RANGES - 1 ? (int64_t)at : RANGES - 1;
}

/* Removes rows whose keys are too large for the sample of the whole, by the numbers of keys of all processes in narrow
 * ranges: together they then send little more than one sample. */
static rung_status drop_hopeless(rung_ctx *ctx, survey *v)
{
    int64_t *count = NULL, rows = 0, kept = 0, below = 0, last = 0;
    if (comm_processes(ctx) == 1) return RUNG_OK;
    for (int64_t k = 0; k < v->s->n_files; k++) rows += v->file_rows[k];
    TRY(comm_sum_whole(ctx, 1, &rows));
    if (rows <= v->room) return RUNG_OK;
    double share = (double)v->room / (double)rows;
    TRY(NEW(ctx, &ctx->scratch, count, RANGES));
    for (int64_t i = 0; i < v->n; i++) count[range_of(v->record[i * v->words], share)]++;
    TRY(comm_sum_whole(ctx, RANGES, count));
    while (last < RANGES - 1 && (below += count[last]) < v->room) last++;
    for (int64_t i = 0; i < v->n; i++) {
        const uint64_t *record = v->record + i * v->words;
        if (range_of(record[0], share) > last) continue;
        memmove(v->record + kept++ * v->words, record, (size_t)v->words * sizeof *record);
    }
    v->n = kept;
    pool_free(&ctx->scratch, count);
    return RUNG_OK;
}

static rung_status put_together(rung_ctx *ctx, survey *v)
{
    bytes own = {0};
    char **all;
    int64_t *size;
    TRY(drop_hopeless(ctx, v));
    TRY(pack(ctx, v, &own));
    TRY(comm_gather(ctx, own.v, own.n, &all, &size));
    clear_columns(v);
    memset(v->file_rows, 0, (size_t)v->s->n_files * sizeof *v->file_rows);
    v->n = v->n_extra = 0;
    for (int r = 0; r < comm_processes(ctx); r++) {
        TRY(unpack(ctx, v, all[r]));
        pool_free(&ctx->scratch, all[r]);
    }
    keep_smallest(v, v->room);
    int64_t rows = 0;
    for (int64_t k = 0; k < v->s->n_files; k++) rows += v->file_rows[k];
    v->limit = v->n < rows ? 0 : UINT64_MAX;
    for (int64_t i = 0; i < v->n && v->n < rows; i++)
        if (v->record[i * v->words] > v->limit) v->limit = v->record[i * v->words];
    qsort(v->record, (size_t)v->n, (size_t)v->words * sizeof *v->record, by_place);
    return RUNG_OK;
}

/* ---- whole ---- */

static rung_status one_pass(rung_ctx *ctx, survey *v, bool *again)
{
    int64_t first, end, n = v->s->n_files;
    TRY(start(ctx, v));
    rows_share(ctx, v->s, comm_process(ctx), &first, &end);
    for (int64_t file = first; file < end; file++) {
        progress_part outer = progress_enter(ctx, "reading", (double)file / (double)n, (double)(file + 1) / (double)n);
        TRY(survey_file(ctx, v, file));
        progress_leave(ctx, outer);
    }
    TRY(put_together(ctx, v));
    *again = false;
    for (int64_t c = 0; c < v->shape->n_columns; c++)
        if (v->turned[c]) {
            v->shape->columns[c].kind = COLUMN_TEXT;
            *again = true;
        }
    v->passes++;
    return RUNG_OK;
}

rung_status survey_run(rung_ctx *ctx, survey *v)
{
    bool again = true;
    v->how.may_be_empty = 1;
    TRY(take_shape(ctx, v));
    for (int64_t most = v->shape->n_columns + 1; again && most > 0; most--) {
        pool_mark mark = pool_here(&ctx->scratch);
        TRY(one_pass(ctx, v, &again));
        if (again) pool_release(&ctx->scratch, mark);
    }
    return RUNG_OK;
}

/* ---- the sample as a table ---- */

static void put_cell(const survey *v, int64_t i, int64_t c, double x, column *to)
{
    if (is_text(v, c))
        to->text[i] = (int32_t)x;
    else
        to->number[i] = x;
}

/* Rows of the sample by file, for messages. */
static rung_status put_places(rung_ctx *ctx, const survey *v, int64_t n, const uint64_t *const *record, rung_table *t)
{
    TRY(NEW_RAW(ctx, &t->mem, t->later_line, n));
    TRY(NEW(ctx, &t->mem, t->part, n));
    for (int64_t i = 0; i < n; i++) {
        t->later_line[i] = (int64_t)record[i][3];
        if (i > 0 && record[i][1] == record[i - 1][1]) continue;
        TRY(pool_text(ctx, &t->mem, v->s->path[record[i][1]], &t->part[t->n_parts].path));
        t->part[t->n_parts++].first = i;
    }
    return RUNG_OK;
}

rung_status survey_table_of(rung_ctx *ctx, const survey *v, int64_t n, const uint64_t *const *record, rung_table *t)
{
    int64_t columns = v->shape->n_columns;
    t->has_names = v->shape->has_names;
    t->decimal = v->shape->decimal;
    t->semicolons = v->shape->semicolons;
    t->given_decimal = v->shape->given_decimal;
    t->given_delimiter = v->shape->given_delimiter;
    t->n_rows = n;
    t->n_columns = columns;
    TRY(NEW(ctx, &t->mem, t->columns, columns));
    for (int64_t c = 0; c < columns; c++) {
        column *to = &t->columns[c];
        const column *as = &v->shape->columns[c];
        *to = (column){.kind = as->kind, .odd_row = -1, .declared = as->declared, .unnamed = as->unnamed};
        to->marks = v->notes[c].marks;
        to->mark = v->notes[c].mark; /* lives as long as the survey */
        TRY(pool_text(ctx, &t->mem, v->shape->columns[c].name, &to->name));
        to->n_values = v->texts[c].n;
        to->values = v->texts[c].values; /* they live as long as the survey */
        if (is_text(v, c))
            TRY(NEW_RAW(ctx, &t->mem, to->text, n));
        else
            TRY(NEW_RAW(ctx, &t->mem, to->number, n));
        for (int64_t i = 0; i < n; i++) put_cell(v, i, c, cell_in(record[i], c), to);
    }
    return put_places(ctx, v, n, record, t);
}

double survey_label(const survey *v, const uint64_t *record) { return cell_in(record, v->label); }

void survey_close(survey *v)
{
    table_free(v->shape);
    pool_free_all(&v->mem);
}
