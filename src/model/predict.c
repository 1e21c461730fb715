// SPDX-License-Identifier: BSD-3-Clause
/* From raw rows to scores, ranks and probabilities, block by block. A row's result does not depend on the rows it
 * comes with: every step works row by row, and the block size depends on the model alone. */
#include <math.h>
#include <string.h>

#include "model/model.h"

enum { BLOCK_ROWS = 4096, BLOCK_CELLS = 1 << 22 }; /* at most 4096 rows and (while d allows) 32 MiB of scaled cells */

/* ---- blocks ---- */

typedef struct {      /* what one block needs */
    double *scaled;   /* d x rows; of new rows */
    double *output;   /* rows x outputs, of one member */
    double *variance; /* rows: of the latent value of one member; NULL: no member has one, or not needed */
    double *score;    /* rows x columns */
    double *proba;    /* rows x n_present; NULL: not needed */
    double *column;   /* columns: of one member and row */
    double *p;        /* n_present: the same */
} block_room;

static rung_status check_rows(rung_ctx *ctx, const rung_model *m, const rung_view *X, int64_t first)
{
    for (int64_t i = 0; i < X->n; i++)
        for (int64_t j = 0; j < X->d; j++) {
            double x = X->v[i * X->row + j * X->col];
            if (isfinite(x)) continue;
            char name[64];
            coding_feature_name(&m->code, j, name, sizeof name);
            return fail(ctx, RUNG_EDATA, "row %lld, column %s is %s, not a finite number", (long long)(first + i + 1),
                        name, isnan(x) ? "NaN" : "infinite");
        }
    return RUNG_OK;
}

/* Finite cells and coefficients can still overflow; a score that is no number must not become a rank. */
static rung_status overflow(rung_ctx *ctx, int64_t row)
{
    return fail(ctx, RUNG_EDATA, "row %lld: the score overflows (values far outside those of the training data)",
                (long long)row + 1);
}

static rung_status check_outputs(rung_ctx *ctx, int64_t rows, int outputs, const double *output, int64_t first)
{
    for (int64_t i = 0; i < rows * outputs; i++)
        if (!isfinite(output[i])) return overflow(ctx, first + i / outputs);
    return RUNG_OK;
}

static void add_member(const rung_model *m, const member *one, double share, int64_t n, const block_room *room)
{
    int columns = model_outputs(m), K = m->n_present;
    for (int64_t i = 0; i < n; i++) {
        const double *output = room->output + i * one->score.outputs;
        member_score(one, m->present, output, room->column);
        for (int o = 0; o < columns; o++) room->score[i * columns + o] += share * room->column[o];
        if (!room->proba) continue;
        member_proba(one, output, one->probit ? room->variance[i] : 0, room->p);
        for (int q = 0; q < K; q++) room->proba[i * K + q] += share * room->p[q];
    }
}

/* The mean of the members' probabilities has the mean of their cumulative ones. */
static int rank_of(const rung_model *m, int64_t i, const block_room *room)
{
    const double *p = room->proba ? room->proba + i * m->n_present : NULL;
    if (m->n_members > 1) return posterior_median(m->n_present, p);
    return member_rank(m->members, room->output + i * m->members[0].score.outputs, p);
}

/* The ranges of ranks and the spread of the latent value. */
static void write_spread(const rung_model *m, int64_t first, int64_t n, const block_room *room, const rung_output *out)
{
    for (int64_t i = 0; out->sd && i < n; i++) out->sd[first + i] = sqrt(room->variance[i]);
    for (int64_t i = 0; (out->low || out->high) && i < n; i++) {
        int low, high;
        posterior_range(m->n_present, room->proba + i * m->n_present, out->level, &low, &high);
        if (out->low) out->low[first + i] = m->present[low - 1];
        if (out->high) out->high[first + i] = m->present[high - 1];
    }
}

/* Rows first to first + n of out, from the sums in room. label: ranks that are known, or NULL. */
static rung_status write_block(rung_ctx *ctx, const rung_model *m, int64_t first, int64_t n, const int *label,
                               const block_room *room, const rung_output *out)
{
    int columns = model_outputs(m), K = m->n_present, classes = m->code.n_classes;
    if (out->score) memcpy(out->score + first * columns, room->score, (size_t)(n * columns) * sizeof(double));
    for (int64_t i = 0; out->rank && i < n; i++) {
        int rank = label && label[i] ? label[i] : rank_of(m, i, room);
        if (rank == 0) return overflow(ctx, first + i);
        out->rank[first + i] = m->present[rank - 1];
    }
    write_spread(m, first, n, room, out);
    if (!out->proba) return RUNG_OK;
    double *p = out->proba + first * classes; /* a class without labels keeps probability 0 */
    memset(p, 0, (size_t)(n * classes) * sizeof(double));
    for (int64_t i = 0; i < n; i++)
        for (int q = 0; q < K; q++)
            p[i * classes + m->present[q] - 1] = label && label[i] ? q == label[i] - 1 : room->proba[i * K + q];
    return RUNG_OK;
}

static void clear_block(const rung_model *m, int64_t n, const block_room *room)
{
    memset(room->score, 0, (size_t)(n * model_outputs(m)) * sizeof(double));
    if (room->proba) memset(room->proba, 0, (size_t)(n * m->n_present) * sizeof(double));
}

static rung_status predict_block(rung_ctx *ctx, const rung_model *m, const rung_view *X, int64_t first,
                                 const rung_output *out, const block_room *room)
{
    double total = 0;
    for (int i = 0; i < m->n_members; i++) total += m->members[i].weight;
    clear_block(m, X->n, room);
    TRY(check_rows(ctx, m, X, first));
    for (int i = 0; i < m->n_members; i++) {
        const member *one = &m->members[i];
        scale_apply(&one->scale, X->n, X, NULL, room->scaled);
        TRY(scorer_apply(ctx, &one->score, X->n, room->scaled, room->output));
        TRY(check_outputs(ctx, X->n, one->score.outputs, room->output, first));
        if (one->probit && room->variance) {
            TRY(member_variance(ctx, one, X->n, room->scaled, room->variance));
            TRY(check_outputs(ctx, X->n, 1, room->variance, first));
        }
        add_member(m, one, one->weight / total, X->n, room);
    }
    return write_block(ctx, m, first, X->n, NULL, room, out);
}

/* ---- whole ---- */

static rung_status check_wanted(rung_ctx *ctx, const rung_model *m, const rung_output *out)
{
    if (out->rank && !model_has_ranks(m)) return fail(ctx, RUNG_EARG, "a %s model gives scores, not ranks", m->method);
    bool range = out->low || out->high;
    if ((range || out->sd) && !model_has_latent(m))
        return fail(ctx, RUNG_EARG, "a %s model gives no %s", m->method,
                    range ? "ranges of ranks" : "spread of its score");
    if (range && !(out->level > 0 && out->level < 1))
        return fail(ctx, RUNG_EARG, "the mass of a range must be between 0 and 1, not %g", out->level);
    if (!out->proba || model_has_probabilities(m)) return RUNG_OK;
    return fail(ctx, RUNG_EARG, "the model has no probabilities%s",
                model_has_ranks(m) && model_outputs(m) == 1 ? ": fit with -p calibrate=5" : "");
}

static rung_status check_rows_given(rung_ctx *ctx, const rung_model *m, const rung_view *X)
{
    if (X->n < 0) return fail(ctx, RUNG_EARG, "the number of rows is negative");
    if (X->d != m->code.d)
        return fail(ctx, RUNG_EARG, "the data have %lld columns, the model was fitted on %lld", (long long)X->d,
                    (long long)m->code.d);
    return RUNG_OK;
}

static rung_status new_room(rung_ctx *ctx, const rung_model *m, int64_t rows, const rung_output *out, block_room *room)
{
    int columns = model_outputs(m), outputs = 0;
    for (int i = 0; i < m->n_members; i++)
        if (m->members[i].score.outputs > outputs) outputs = m->members[i].score.outputs;
    TRY(NEW_RAW(ctx, &ctx->scratch, room->output, rows * outputs));
    TRY(NEW_RAW(ctx, &ctx->scratch, room->score, rows * columns));
    TRY(NEW_RAW(ctx, &ctx->scratch, room->column, columns));
    bool probit = false, proba = out->proba || out->low || out->high ||
                                 (out->rank && (m->n_members > 1 || member_needs_proba(m->members)));
    for (int i = 0; i < m->n_members; i++) probit |= m->members[i].probit;
    if (probit && (proba || out->sd)) TRY(NEW_RAW(ctx, &ctx->scratch, room->variance, rows));
    if (!proba) return RUNG_OK;
    TRY(NEW_RAW(ctx, &ctx->scratch, room->proba, rows * m->n_present));
    return NEW_RAW(ctx, &ctx->scratch, room->p, m->n_present);
}

rung_status model_predict(rung_ctx *ctx, const rung_model *m, const rung_view *X, const rung_output *out)
{
    TRY(check_rows_given(ctx, m, X));
    TRY(check_wanted(ctx, m, out));
    int64_t d = m->code.d, most = d > 0 ? BLOCK_CELLS / d : BLOCK_ROWS;
    most = most < 1 ? 1 : most > BLOCK_ROWS ? BLOCK_ROWS : most;
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t rows = X->n < most ? X->n : most;
    block_room room = {0};
    TRY(new_room(ctx, m, rows, out, &room));
    TRY(NEW_RAW(ctx, &ctx->scratch, room.scaled, rows * d));
    for (int64_t first = 0; first < X->n; first += most) {
        TRY(interrupted(ctx));
        rung_view block = *X;
        block.v += first * X->row;
        block.n = X->n - first < most ? X->n - first : most;
        TRY(predict_block(ctx, m, &block, first, out, &room));
        progress(ctx, "predicting", (double)(first + block.n) / (double)X->n);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status model_predict_training(rung_ctx *ctx, const rung_model *m, const rung_output *out)
{
    const transduction *t = &m->training;
    int outputs = m->members[0].score.outputs;
    if (t->n == 0)
        return fail(ctx, RUNG_EARG, "a %s model says nothing of its own training rows: give DATA", m->method);
    TRY(check_wanted(ctx, m, out));
    pool_mark mark = pool_here(&ctx->scratch);
    block_room room = {0};
    TRY(new_room(ctx, m, t->n < BLOCK_ROWS ? t->n : BLOCK_ROWS, out, &room));
    for (int64_t first = 0; first < t->n; first += BLOCK_ROWS) {
        int64_t n = t->n - first < BLOCK_ROWS ? t->n - first : BLOCK_ROWS;
        memcpy(room.output, t->output + first * outputs, (size_t)(n * outputs) * sizeof(double));
        clear_block(m, n, &room);
        add_member(m, m->members, 1, n, &room);
        TRY(write_block(ctx, m, first, n, t->label ? t->label + first : NULL, &room, out));
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
