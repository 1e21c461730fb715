// SPDX-License-Identifier: BSD-3-Clause
/* All the rows of files, of which a data set has a sample, read in passes of blocks.
 *
 * Pass one (survey.c) finds the columns, all categories and classes, and a uniform sample of the rows, from which
 * fills, scaling and quantiles are learned: the rows with the smallest keys, a key being a hash of the seed, the file
 * and the row. Such a sample is that of the whole whatever part of the files a process reads. Later passes (rows_sum)
 * code block after block and add what a method needs of it. */
#ifndef RUNG_ROWS_ROWS_H
#define RUNG_ROWS_ROWS_H

#include "base/comm.h"
#include "data/dataset.h"
#include "input/read/files.h"

enum {
    ROWS_BLOCK = 4096,     /* rows of a block, at most ... */
    ROWS_BLOCK_LEAST = 64, /* ... and at least */
    ROWS_SLOTS = 64,       /* leaves of the tree of a sum, if there are that many files: the files are divided evenly */
    ROWS_MOST_SAMPLE = 200000, /* rows */
    ROWS_LEAST_SAMPLE = 500,
    ROWS_LEAST = 10000 /* fewer rows are never read in passes unless the caller says so */
};

struct row_source {
    int64_t n_files;
    const char **path; /* in bytewise order */
    rung_read_options how;
    const char *format, *weights; /* NULL: recognised; none */
    uint64_t seed;
    int64_t n_rows, *rows_before; /* rows; n_files + 1: those of the files before this one */
    int64_t n_labelled, *count;   /* n_classes + 1: rows by rank, 0: unlabelled or of weight 0 */
    double *mass;                 /* n_classes + 1: the weights of these rows */
    const coding *code;           /* of the sample */
    int64_t block;                /* rows of a block, at most */
    uint64_t last_key;            /* rows up to this key are in the sample ... */
    int64_t n_extra;              /* ... and these: the first rows of the classes that would otherwise not be there */
    int64_t *extra_file, *extra_row;
};

/* Rows of a block of so many columns: up to 256 of them the most, which take 8 MiB; beyond, less room the more there
 * are, since a fit needs it. Sums are over blocks, so that nothing else may decide. */
static inline int64_t rows_block(int64_t columns)
{
    int64_t rows = columns > 0 ? (1 << 28) / (columns * columns) : ROWS_BLOCK;
    return rows < ROWS_BLOCK_LEAST ? ROWS_BLOCK_LEAST : rows < ROWS_BLOCK ? rows : ROWS_BLOCK;
}

/* The sample of at most `most` rows, with the source that reads all of them. */
rung_status rows_open(rung_ctx *ctx, const rung_files *files, const rung_read_options *how,
                      const rung_encode_options *options, int64_t most, rung_data **out);

/* The files can be read more than once. */
bool rows_repeatable(const rung_files *files);
/* The rows of the files, judged by the first ones and the sizes of the files, and their columns; 0: not known (pipes,
 * sparse rows). */
rung_status rows_estimate(rung_ctx *ctx, const rung_files *files, const rung_read_options *how, double *rows,
                          int64_t *columns);

/* The leaves of the tree of a sum are slots: the files from n_files s / slots on belong to slot s. */
static inline int64_t rows_slots(const row_source *s) { return s->n_files < ROWS_SLOTS ? s->n_files : ROWS_SLOTS; }
/* The files of a process: [*first, *end). */
void rows_share(const rung_ctx *ctx, const row_source *s, int process, int64_t *first, int64_t *end);
/* Labelled rows of a process, at most; of the process that has the most. */
int64_t rows_of_process(const rung_ctx *ctx, const row_source *s, int process);
int64_t rows_most(const rung_ctx *ctx, const row_source *s);

uint64_t rows_key(uint64_t seed, int64_t file, int64_t row);

typedef struct {
    const rung_data *rows; /* coded */
    int64_t file, first;   /* the first of them is this row of this file */
} row_block;
typedef rung_status row_block_fn(rung_ctx *ctx, void *user, const row_block *b, double *sum);
/* A pass: sum (size numbers) := what fn adds for every block. */
rung_status rows_sum(rung_ctx *ctx, const row_source *s, row_block_fn *fn, void *user, int64_t size, double *sum);
rung_status rows_check_labels(rung_ctx *ctx, const rung_data *rows, const char *path); /* no label is an interval */
bool rows_sampled(const row_source *s, int64_t file, int64_t row);                     /* the row is in the sample */

#endif
