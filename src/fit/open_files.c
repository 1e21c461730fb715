// SPDX-License-Identifier: BSD-3-Clause
/* open_files.c - the one place that decides whether files are loaded or read in passes.
 *
 * They are loaded if the fit then keeps to the memory limit: first judged by the size of the files, then by the coded
 * data. A loaded table that turns out too large, because its text becomes many columns or because the method needs more
 * memory than the rule of thumb, is given back and the files are read in passes. */
#include "fit/open_files.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "input/read/read.h"

static const double STANDARD_LIMIT = 8.0 * (1 << 30),
                    COPIES = 6; /* of the cells: table, coded, scaled, those of a fit */

static double limit_of(const rung_ctx *ctx) { return ctx->memory > 0 ? memory_left(ctx) : STANDARD_LIMIT; }

/* ---- the sample ---- */

/* What a sample of this many rows takes, as a share of the limit: 1 or less fits. All its copies are in a
 * quarter of the limit. A method that learns from the sample alone has half of the limit for it, one that sums over all
 * rows the room beside the copies that remain. */
static rung_status sample_share(rung_ctx *ctx, const rung_spec *spec, double total, int64_t columns, int64_t rows,
                                double *out)
{
    double cells = 8 * (double)rows, width = (double)columns, fit = 0;
    problem_shape shape = {.n = rows, .labelled = rows, .d = columns, .K = 5};
    if (!spec->method->takes_sample) {
        shape.all = total > (double)rows ? (int64_t)total : rows;
        shape.all_here = shape.all / comm_processes(ctx);
    }
    TRY(method_bytes(ctx, spec, &shape, &fit));
    double work = shape.all ? fit + cells * (2 * width + 12) : 2 * fit;
    *out = fmax(4 * cells * (COPIES * width + 18), work) / limit_of(ctx);
    return RUNG_OK;
}

/* As many rows as leave room for the fit; if no number does, the one that comes nearest. */
static rung_status sample_rows(rung_ctx *ctx, const rung_spec *spec, double total, int64_t columns, int64_t *out)
{
    double least = HUGE_VAL;
    if (columns > 1) columns--; /* the label */
    for (int64_t rows = *out = ROWS_MOST_SAMPLE; rows > 3 * ROWS_LEAST_SAMPLE / 4 && least > 1; rows -= rows / 4) {
        double share;
        TRY(sample_share(ctx, spec, total, columns, rows, &share));
        if (share < least) *out = rows;
        least = fmin(least, share);
    }
    return RUNG_OK;
}

/* ---- either ---- */

typedef struct {
    const rung_spec *spec;
    const rung_files *files;
    const rung_read_options *how;
    const rung_encode_options *encode;
} opening;

/* Of coded data; all that is known of a fit before it starts. */
static bool fit_is_too_large(rung_ctx *ctx, const opening *o, const rung_data *data)
{
    problem_shape shape = {.n = data->n, .d = data->d, .K = data->code.n_classes, .memory = memory_left(ctx)};
    double bytes = 0;
    for (int64_t i = 0; i < data->n; i++) shape.labelled += data->y[i] > 0;
    if (data->source && !o->spec->method->takes_sample) {
        shape.all = data->source->n_labelled;
        shape.all_here = rows_most(ctx, data->source);
    }
    if (ctx->memory <= 0 || method_bytes(ctx, o->spec, &shape, &bytes) != RUNG_OK) return false;
    return memory_with(ctx, bytes + (double)data->mem.bytes) > (double)ctx->memory;
}

/* Text may become far more columns than the file has: then the sample is made again with fewer rows. *fits: the fit
 * keeps to the limit, as far as is known. */
static rung_status pass(rung_ctx *ctx, const opening *o, bool *fits, rung_data **out)
{
    double rows;
    int64_t columns, most;
    TRY(rows_estimate(ctx, o->files, o->how, &rows, &columns));
    TRY(sample_rows(ctx, o->spec, rows, columns, &most));
    for (;;) {
        pool_mark mark = pool_here(&ctx->scratch);
        rung_status status = rows_open(ctx, o->files, o->how, o->encode, most, out);
        pool_release(&ctx->scratch, mark);
        memory_drop(ctx);
        *fits = status == RUNG_OK && !fit_is_too_large(ctx, o, *out);
        bool wider = status == RUNG_ELIMIT || (status == RUNG_OK && (*out)->d > columns);
        if (*fits || !wider || most <= ROWS_LEAST_SAMPLE) return status;
        if (status == RUNG_OK) rows = (double)(*out)->n;
        if (rows > 0) most = (int64_t)fmin((double)most, rows);
        most = most / 2 > ROWS_LEAST_SAMPLE ? most / 2 : ROWS_LEAST_SAMPLE;
        dataset_free(*out);
    }
}

static rung_status load(rung_ctx *ctx, const opening *o, rung_data **out)
{
    rung_table *t = NULL;
    pool_mark mark = pool_here(&ctx->scratch);
    rung_status status = read_files(ctx, o->files, o->how, NULL, &t);
    if (status == RUNG_OK) status = dataset_encode(ctx, t, o->encode, out);
    table_free(t);
    pool_release(&ctx->scratch, mark);
    memory_drop(ctx);
    return status;
}

/* Methods that compare all rows with each other, and rows that belong together, need all of them at once. */
static bool can_pass(const opening *o)
{
    const char *count = spec_value(o->spec, "landmarks");
    bool exact = count && strcmp(count, "exact") == 0;
    return (o->spec->method->info.flags & RUNG_METHOD_PASSES) && !exact && !o->spec->keep_data && !o->encode->real &&
           !o->encode->groups;
}

static rung_status looks_large(rung_ctx *ctx, const opening *o, bool *out)
{
    double rows;
    int64_t columns;
    TRY(rows_estimate(ctx, o->files, o->how, &rows, &columns));
    *out = rows > ROWS_LEAST && rows * (double)columns * sizeof(double) * COPIES > limit_of(ctx);
    return RUNG_OK;
}

/* In passes after all. If they cannot be made, what loading said stands. */
static rung_status pass_instead(rung_ctx *ctx, const opening *o, rung_status loading, rung_data **out)
{
    char message[CONTEXT_MESSAGE], detail[CONTEXT_MESSAGE];
    memcpy(message, ctx->message, sizeof message);
    memcpy(detail, ctx->detail, sizeof detail);
    bool fits;
    rung_status status = pass(ctx, o, &fits, out);
    if ((status == RUNG_OK && fits) || status == RUNG_EINTERRUPT) return status;
    if (status == RUNG_OK) dataset_free(*out);
    *out = NULL;
    if (loading == RUNG_OK) return load(ctx, o, out);
    memcpy(ctx->message, message, sizeof message);
    memcpy(ctx->detail, detail, sizeof detail);
    return loading;
}

static rung_status load_or_pass(rung_ctx *ctx, const opening *o, rung_data **out)
{
    bool large = false, passable = can_pass(o);
    if (passable) TRY(looks_large(ctx, o, &large));
    if (large) return pass(ctx, o, &large, out);
    rung_status status = load(ctx, o, out);
    passable = passable && ctx->memory > 0 && rows_repeatable(o->files);
    if (status == RUNG_ELIMIT && passable) return pass_instead(ctx, o, status, out);
    if (status != RUNG_OK || !passable || !fit_is_too_large(ctx, o, *out)) return status;
    dataset_free(*out);
    return pass_instead(ctx, o, status, out);
}

rung_status open_files(rung_ctx *ctx, const rung_spec *spec, const rung_files *files, const rung_read_options *how,
                       const rung_encode_options *encode, rung_passes passes, rung_data **out)
{
    const opening o = {spec, files, how, encode};
    bool fits;
    *out = NULL;
    if (passes == RUNG_PASSES_NEVER) return load(ctx, &o, out);
    return passes == RUNG_PASSES_ALWAYS ? pass(ctx, &o, &fits, out) : load_or_pass(ctx, &o, out);
}

rung_status all_rows_check(rung_ctx *ctx, const rung_data *data, const char *what)
{
    if (!data->source) return RUNG_OK;
    return hint(ctx,
                set_error(ctx, RUNG_EARG,
                          "%s needs all rows in memory; these %lld are a sample of %lld that are read in passes", what,
                          (long long)data->n, (long long)data->source->n_rows),
                "option memory");
}
