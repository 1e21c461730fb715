// SPDX-License-Identifier: BSD-3-Clause
/* Temporary files and tables from a text, for the tests of this folder. The files that include it define
 * _POSIX_C_SOURCE first, for mkstemp. */
#ifndef RUNG_TESTS_DATA_TEMP_H
#define RUNG_TESTS_DATA_TEMP_H

#include "helper.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "base/rng.h"
#include "input/read/read.h"

typedef struct {
    char path[64];
} temp;

static inline temp temp_file(const void *bytes, size_t count)
{
    temp t = {"/tmp/rung_test_XXXXXX"};
    int fd = mkstemp(t.path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, count), count);
    close(fd);
    return t;
}

static inline rung_status read_bytes(rung_ctx *ctx, const void *bytes, size_t count, const rung_read_options *options,
                                     rung_table **out)
{
    temp file = temp_file(bytes, count);
    rung_status status = read_table(ctx, file.path, options, out);
    unlink(file.path);
    return status;
}

static inline rung_status read_text(rung_ctx *ctx, const char *text, const rung_read_options *options, rung_table **out)
{
    return read_bytes(ctx, text, strlen(text), options, out);
}

/* A table that must be readable. */
static inline rung_table *table_of(rung_ctx *ctx, const char *text)
{
    rung_table *t;
    assert_ok(ctx, read_text(ctx, text, NULL, &t));
    return t;
}

/* text as a gzip file in out; returns its size. */
static inline int64_t pack(const char *text, unsigned char *out, int64_t room)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)text;
    z.avail_in = (uInt)strlen(text);
    z.next_out = out;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return room - z.avail_out;
}

/* Between pipe_in and pipe_out, standard input is a pipe that gives text. */
typedef struct {
    int old;
    pid_t writer;
} piped;

static inline piped pipe_in(const char *text)
{
    piped p = {.old = dup(STDIN_FILENO)};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    p.writer = fork();
    if (p.writer == 0) {
        close(ends[0]);
        for (size_t left = strlen(text); left > 0;) {
            ssize_t done = write(ends[1], text, left);
            if (done < 0) _exit(1);
            text += done;
            left -= (size_t)done;
        }
        _exit(0);
    }
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    return p;
}

static inline void pipe_out(piped *p)
{
    int how;
    dup2(p->old, STDIN_FILENO);
    close(p->old);
    waitpid(p->writer, &how, 0);
}

/* Reads text as a file of this name, which may tell its format. */
static inline rung_status read_named(rung_ctx *ctx, const char *name, const char *text, rung_table **out)
{
    char folder[] = "/tmp/rung_test_XXXXXX", path[128];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    rung_status status = read_table(ctx, path, NULL, out);
    unlink(path);
    rmdir(folder);
    return status;
}

static inline const char *text_at(const rung_table *t, int64_t row, int64_t j)
{
    assert_int_equal(t->columns[j].kind, COLUMN_TEXT);
    int32_t v = t->columns[j].text[row];
    return v < 0 ? "<missing>" : t->columns[j].values[v];
}

static inline double number_at(const rung_table *t, int64_t row, int64_t j)
{
    assert_int_equal(t->columns[j].kind, COLUMN_NUMBER);
    return t->columns[j].number[row];
}

/* The rows of a file read in blocks; -1: it cannot be read so. */
static inline int64_t rows_in_blocks(rung_ctx *ctx, const char *path, const rung_read_options *options, int64_t block)
{
    rung_reader *r;
    rung_table *t = NULL;
    int64_t rows = 0;
    rung_status status = reader_open(ctx, path, options, NULL, &r);
    while (status == RUNG_OK) {
        status = reader_next(ctx, r, block, &t);
        if (!t) break;
        rows += t->n_rows;
        assert_true(t->n_rows > 0 && t->n_rows <= block);
        table_free(t);
    }
    reader_close(r);
    return status == RUNG_OK ? rows : -1;
}

/* Whatever the bytes are: a status with a message or a sound table, whole and in blocks, and nothing left behind. */
static inline void try_bytes(rung_ctx *ctx, const void *bytes, size_t count, const rung_read_options *options)
{
    int64_t before = pool_live_blocks();
    rung_table *t;
    temp file = temp_file(bytes, count);
    rung_status status = read_table(ctx, file.path, options, &t);
    assert_true((status == RUNG_OK) == (t != NULL));
    if (status != RUNG_OK) assert_true(ctx->message[0] != 0);
    for (int64_t j = 0; t && j < t->n_columns; j++)
        for (int64_t i = 0; t->columns[j].kind == COLUMN_TEXT && i < t->n_rows; i++)
            assert_true(t->columns[j].text[i] >= -1 && t->columns[j].text[i] < t->columns[j].n_values);
    if (t) assert_true(table_line(t, t->n_rows - 1) >= t->n_rows);
    int64_t rows = rows_in_blocks(ctx, file.path, options, 3);
    if (t && rows >= 0) assert_int_equal(rows, t->n_rows);
    if (!t) assert_int_equal(rows, -1);
    table_free(t);
    unlink(file.path);
    assert_int_equal(pool_live_blocks(), before);
}

/* A valid text with some bytes changed to those of an alphabet, cut anywhere, again and again. */
static inline void fuzz(rung_ctx *ctx, const char *format, const char *valid, const char *alphabet, int rounds)
{
    rung_read_options options = {.format = format};
    size_t count = strlen(valid);
    char *bytes = malloc(count + 1);
    assert_non_null(bytes);
    rng r;
    rng_open(&r, 7, 0);
    for (int round = 0; round < rounds; round++) {
        memcpy(bytes, valid, count);
        for (int64_t changes = rng_below(&r, 6); changes >= 0; changes--)
            bytes[rng_below(&r, (int64_t)count)] = alphabet[rng_below(&r, (int64_t)strlen(alphabet) + 1)];
        try_bytes(ctx, bytes, round % 3 ? count : (size_t)rng_below(&r, (int64_t)count + 1), &options);
    }
    free(bytes);
}

#endif
