// SPDX-License-Identifier: BSD-3-Clause
#include "stream/stream.h"

#include <math.h>
#include <string.h>

#include "api/call.h"
#include "base/memory.h"
#include "data/kin.h"
#include "data/shift.h"
#include "fit/fit.h"

rung_status rung_ctx_set_comm(rung_ctx *ctx, const rung_comm *comm)
{
    rung_comm own;
    if (!ctx) return RUNG_EARG;
    TRY(options_take(ctx, "rung_ctx_set_comm", comm, &own, sizeof own));
    if (comm && (own.rank < 0 || own.rank >= own.ranks || !own.sum || !own.broadcast || !own.barrier))
        return set_error(ctx, RUNG_EARG, "rung_ctx_set_comm: process %d of %d%s", own.rank, own.ranks,
                         own.sum && own.broadcast && own.barrier ? "" : ", and a function is missing");
    ctx->comm = own;
    return RUNG_OK;
}

/* Of the cells: the table, coded, scaled, and those of a fit that sums over rows. */
static const double STANDARD_LIMIT = 8.0 * (1 << 30), COPIES = 6;

/* What fits into the limit is loaded. */
static rung_status needed(rung_ctx *ctx, const rung_spec *spec, const rung_files *files, const rung_read_options *how,
                          int *out)
{
    double limit = ctx->memory > 0 ? memory_left(ctx) : STANDARD_LIMIT, rows;
    int64_t columns;
    const char *landmark_count = spec_value(spec, "landmarks");
    bool exact = landmark_count && strcmp(landmark_count, "exact") == 0; /* all rows are compared with each other */
    if (!(spec->method->info.flags & RUNG_STREAMS) || exact) return RUNG_OK;
    TRY(stream_estimate(ctx, files, how, &rows, &columns));
    *out = rows > STREAM_LEAST_ROWS && rows * (double)columns * sizeof(double) * COPIES > limit;
    return RUNG_OK;
}

rung_status rung_stream_needed(rung_ctx *ctx, const rung_spec *spec, const rung_files *files,
                               const rung_read_options *options, int *out)
{
    if (!ctx || !spec || !files || !out) return missing(ctx, "rung_stream_needed");
    rung_read_options own;
    *out = 0;
    TRY(options_take(ctx, "rung_stream_needed", options, &own, sizeof own));
    CALL(ctx, needed(ctx, spec, files, &own, out));
}

/* What a sample of so many rows takes, as a share of the limit: 1 or less is room enough. All its copies are in a quarter
 * of the limit. A method that learns from the sample alone has half of the limit for it, one that sums over all rows the
 * room beside the copies that remain. */
static rung_status sample_share(rung_ctx *ctx, const rung_spec *spec, double all_rows, int64_t columns, int64_t rows,
                                double *out)
{
    double limit = ctx->memory > 0 ? memory_left(ctx) : STANDARD_LIMIT, fit = 0;
    double cells = 8 * (double)rows, width = (double)columns;
    problem_shape shape = {.n = rows, .labelled = rows, .d = columns, .K = 5};
    if (!spec->method->takes_sample) {
        shape.streamed = all_rows > (double)rows ? (int64_t)all_rows : rows;
        shape.streamed_most = shape.streamed / comm_ranks(ctx);
    }
    TRY(method_bytes(ctx, spec, &shape, &fit));
    double work = shape.streamed ? fit + cells * (2 * width + 12) : 2 * fit;
    *out = fmax(4 * cells * (COPIES * width + 18), work) / limit;
    return RUNG_OK;
}

/* As many rows as leave room for the fit; if no number does, the one that comes nearest. */
static rung_status sample_rows(rung_ctx *ctx, const rung_spec *spec, const rung_files *files,
                               const rung_read_options *how, int64_t *out)
{
    double all_rows, least = HUGE_VAL;
    int64_t columns;
    TRY(stream_estimate(ctx, files, how, &all_rows, &columns));
    if (columns > 1) columns--; /* the label */
    for (int64_t rows = *out = STREAM_MOST_SAMPLE; rows > 3 * STREAM_LEAST_SAMPLE / 4 && least > 1; rows -= rows / 4) {
        double share;
        TRY(sample_share(ctx, spec, all_rows, columns, rows, &share));
        if (share < least) *out = rows;
        least = fmin(least, share);
    }
    return RUNG_OK;
}

static rung_status open_stream(rung_ctx *ctx, const rung_spec *spec, const rung_files *files,
                               const rung_read_options *how, const rung_encode_options *encode, rung_stream **out)
{
    int64_t most;
    TRY(sample_rows(ctx, spec, files, how, &most));
    return stream_open(ctx, files, how, encode, most, out);
}

rung_status rung_stream_open(rung_ctx *ctx, const rung_spec *spec, const rung_files *files,
                             const rung_read_options *options, const rung_encode_options *encode, rung_stream **out)
{
    NOTHING(out);
    if (!ctx || !spec || !files || !out) return missing(ctx, "rung_stream_open");
    rung_read_options own;
    rung_encode_options coded;
    TRY(options_take(ctx, "rung_stream_open", options, &own, sizeof own));
    TRY(options_take(ctx, "rung_stream_open", encode, &coded, sizeof coded));
    CALL(ctx, open_stream(ctx, spec, files, &own, &coded, out));
}

void rung_stream_free(rung_stream *stream) { stream_free(stream); }
int64_t rung_stream_rows(const rung_stream *stream) { return stream->n_rows; }
int64_t rung_stream_labelled(const rung_stream *stream) { return stream->n_labelled; }
const rung_data *rung_stream_sample(const rung_stream *stream) { return stream->sample; }

int64_t rung_stream_count(const rung_stream *stream, int rank)
{
    return rank >= 0 && rank <= stream->sample->code.n_classes ? stream->count[rank] : 0;
}

static rung_status fit(rung_ctx *ctx, const rung_spec *spec, const rung_data *sample, rung_model **out)
{
    TRY(shift_warn(ctx, sample));
    TRY(kin_warn(ctx, sample));
    return method_fit(ctx, spec, sample, out);
}

rung_status rung_model_fit_stream(rung_ctx *ctx, const rung_spec *spec, const rung_stream *stream, rung_model **out)
{
    NOTHING(out);
    if (!ctx || !spec || !stream || !out) return missing(ctx, "rung_model_fit_stream");
    CALL(ctx, fit(ctx, spec, stream->sample, out));
}
