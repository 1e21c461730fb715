// SPDX-License-Identifier: BSD-3-Clause
/* From raw rows to scores, ranks and probabilities, block by block. The result of a row does not depend on the batch:
 * every step works row by row. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "data/row_groups.h"
#include "model/model.h"

/* At most 4096 rows and (while d allows) 32 MiB of scaled cells; under a memory limit fewer, but not fewer than 64. */
enum { BLOCK_ROWS = 4096, BLOCK_CELLS = 1 << 22, FEWEST_ROWS = 64 };

/* ---- blocks ---- */

typedef struct {      /* what one block needs */
    double *scaled;   /* d x rows; of new rows */
    double *cells;    /* the same as they stand, for trees among several members; NULL: there are none */
    double *space;    /* the same in the member's own space; NULL: it has none */
    double *output;   /* rows x outputs, of the only member */
    double *variance; /* rows: of its latent value; NULL: it has none, or not needed */
    double *score;    /* rows x columns */
    double *proba;    /* rows x n_present; NULL: not needed */
    double *tempered; /* n_present; NULL: they are not */
    int *rank;        /* rows: the decisions of the model; NULL: not needed */
    int64_t *equal;   /* rows x 2: the first labelled row that equals it, and how many do; NULL: not needed */
    double *mixed;    /* n_present: scratch of with_copies */
    double *limit;    /* n_present: of the prediction intervals by class; NULL: they have a common one */
    answer_cost cost; /* of the answers; no matrix: the decision of the model */
    double level;     /* of the prediction intervals */
} block_room;

static rung_status check_rows(rung_ctx *ctx, const rung_model *m, const rung_view *X, int64_t first)
{
    bool takes_missing = m->members->scale.fill || m->members->score.kind == SCORER_TREES;
    for (int64_t i = 0; i < X->n; i++)
        for (int64_t j = 0; j < X->d; j++) {
            double x = X->v[i * X->row + j * X->col];
            if (isfinite(x) || (takes_missing && isnan(x))) continue;
            char name[64];
            coding_feature_name(&m->code, j, name, sizeof name);
            return set_error(ctx, RUNG_EDATA, "row %lld, column %s is %s, not a finite number",
                             (long long)(first + i + 1), name, isnan(x) ? "NaN" : "infinite");
        }
    return RUNG_OK;
}

/* Finite cells and coefficients can still overflow; a NaN score must not become a rank. */
static rung_status overflow(rung_ctx *ctx, int64_t row)
{
    return set_error(ctx, RUNG_EDATA,
                     "row %lld: the score overflows (values far outside the range of the training data)",
                     (long long)row + 1);
}

rung_status check_outputs(rung_ctx *ctx, int64_t rows, int outputs, const double *output, int64_t first)
{
    for (int64_t i = 0; i < rows * outputs; i++)
        if (!isfinite(output[i])) return overflow(ctx, first + i / outputs);
    return RUNG_OK;
}

/* The predictions of the only member. */
static void answer(const rung_model *m, int64_t n, const block_room *room)
{
    const member *one = m->members;
    int columns = model_outputs(m), K = m->n_present;
    for (int64_t i = 0; i < n; i++) {
        const double *output = room->output + i * one->score.outputs;
        double *p = room->proba ? room->proba + i * K : NULL;
        if (p) member_proba(one, output, member_has_variance(one) ? room->variance[i] : 0, p);
        member_score(one, m->present, output, p, room->score + i * columns);
    }
}

static void find_copies(const rung_model *m, const rung_view *X, const block_room *room)
{
    for (int64_t i = 0; room->equal && i < X->n; i++)
        room->equal[2 * i + 1] = copies_find(&m->copies, row_key(X->d, X->v + i * X->row, X->col), room->equal + 2 * i);
}

/* The probabilities p of row i, or what they become where it equals labelled rows; until the next call. */
static const double *with_copies(const rung_model *m, int64_t i, const block_room *room, const double *p, double *share)
{
    *share = 1;
    if (!room->equal || room->equal[2 * i + 1] == 0) return p;
    memcpy(room->mixed, p, (size_t)m->n_present * sizeof *p);
    *share = copies_mix(&m->copies, room->equal[2 * i], room->equal[2 * i + 1], m->n_present, room->mixed);
    return room->mixed;
}

static int rank_of(const rung_model *m, int64_t i, const block_room *room)
{
    const double *p = room->proba ? room->proba + i * m->n_present : NULL;
    double share;
    const double *mixed = with_copies(m, i, room, p, &share);
    if (model_averages(m)) return posterior_median(m->n_present, mixed);
    int rank = member_rank(m->members, room->output + i * m->members[0].score.outputs, p);
    return rank == 0 || mixed == p ? rank : copies_rank(m->n_present, rank, p, mixed, share);
}

/* The interval of classes. A known label is the whole interval; with too few held-out rows it is all classes, including
 * those without labels. Without any held-out rows it is the credible one of a latent value. */
static void range_of(const rung_model *m, int64_t i, int label, double level, const block_room *room, int *low,
                     int *high)
{
    const double *p = room->proba + i * m->n_present;
    if (label) {
        *low = *high = m->present[label - 1];
        return;
    }
    bool credible = m->ranges.repeats == 0;
    double limit = credible ? 0 : conformal_limit(&m->ranges, level);
    if (credible)
        posterior_range(m->n_present, p, level, low, high);
    else if (room->limit)
        conformal_range_by_class(m->n_present, p, room->rank[i], room->limit, low, high);
    else
        conformal_range(m->n_present, p, room->rank[i], limit, low, high);
    *low = isinf(limit) ? 1 : m->present[*low - 1];
    *high = isinf(limit) ? m->code.n_classes : m->present[*high - 1];
}

/* The probabilities that are predicted, and from which intervals are made. */
static void settle_block(const rung_model *m, int64_t n, const block_room *room)
{
    int K = m->n_present;
    double share;
    for (int64_t i = 0; room->tempered && i < n; i++) {
        temper_apply(&m->temper, K, room->proba + i * K, room->tempered);
        memcpy(room->proba + i * K, room->tempered, (size_t)K * sizeof(double));
    }
    for (int64_t i = 0; room->equal && room->proba && i < n; i++)
        if (room->equal[2 * i + 1] > 0)
            memcpy(room->proba + i * K, with_copies(m, i, room, room->proba + i * K, &share),
                   (size_t)K * sizeof(double));
}

/* The answer: by the costs and the tempered probabilities, or as the model decides; 0: none. */
static int answer_of(const rung_model *m, int64_t i, int label, const block_room *room)
{
    if (label || !room->cost.matrix) return room->rank[i];
    return cost_answer(&room->cost, m->code.n_classes, m->n_present, m->present, room->proba + i * m->n_present);
}

/* The prediction intervals and the standard deviation of the latent value. */
static void write_spread(const rung_model *m, int64_t first, int64_t n, const int *label, const block_room *room,
                         const rung_output *out)
{
    for (int64_t i = 0; out->sd && i < n; i++) out->sd[first + i] = sqrt(room->variance[i]);
    for (int64_t i = 0; (out->low || out->high) && i < n; i++) {
        int low, high;
        range_of(m, i, label ? label[i] : 0, room->level, room, &low, &high);
        if (out->low) out->low[first + i] = low;
        if (out->high) out->high[first + i] = high;
    }
}

/* Rows first to first + n of out, from the sums in room. label: ranks that are known, or NULL. */
static rung_status write_block(rung_ctx *ctx, const rung_model *m, int64_t first, int64_t n, const int *label,
                               const block_room *room, const rung_output *out)
{
    int columns = model_outputs(m), K = m->n_present, classes = m->code.n_classes;
    TRY(check_outputs(ctx, n, columns, room->score, first));
    if (room->proba) TRY(check_outputs(ctx, n, K, room->proba, first));
    if (out->score) memcpy(out->score + first * columns, room->score, (size_t)(n * columns) * sizeof(double));
    for (int64_t i = 0; room->rank && i < n; i++) {
        room->rank[i] = label && label[i] ? label[i] : rank_of(m, i, room);
        if (room->rank[i] == 0) return overflow(ctx, first + i);
    }
    settle_block(m, n, room);
    for (int64_t i = 0; out->rank && i < n; i++) {
        int rank = answer_of(m, i, label ? label[i] : 0, room);
        out->rank[first + i] = rank ? m->present[rank - 1] : 0;
    }
    write_spread(m, first, n, label, room, out);
    if (!out->proba) return RUNG_OK;
    double *p = out->proba + first * classes; /* a class without labels keeps probability 0 */
    memset(p, 0, (size_t)(n * classes) * sizeof(double));
    for (int64_t i = 0; i < n; i++)
        for (int q = 0; q < K; q++)
            p[i * classes + m->present[q] - 1] = label && label[i] ? q == label[i] - 1 : room->proba[i * K + q];
    return RUNG_OK;
}

/* A single member: its own decision and score. */
static rung_status one_member(rung_ctx *ctx, const rung_model *m, int64_t first, int64_t n, const block_room *room)
{
    const member *one = m->members;
    const double *x = room->scaled;
    if (one->space.d > 0) {
        rung_view view = {.v = x, .n = n, .d = one->space.d, .row = one->space.d, .col = 1};
        scale_apply(&one->space, n, &view, NULL, room->space);
        x = room->space;
    }
    TRY(scorer_apply(ctx, &one->score, n, x, room->output));
    TRY(check_outputs(ctx, n, one->score.outputs, room->output, first));
    if (room->variance) {
        TRY(member_variance(ctx, one, n, x, room->output, room->variance));
        TRY(check_outputs(ctx, n, 1, room->variance, first));
    }
    answer(m, n, room);
    return RUNG_OK;
}

/* Several: the mean of their probabilities, and the expected class for a score. */
static rung_status many_members(rung_ctx *ctx, const rung_model *m, int64_t first, int64_t n, const block_room *room)
{
    int K = m->n_present;
    double share;
    member_rows rows = {.scaled = room->scaled, .cells = room->cells};
    TRY(members_proba(ctx, m->n_members, m->members, m->sharpen, first, n, &rows, room->proba));
    for (int64_t i = 0; i < n; i++) {
        const double *p = with_copies(m, i, room, room->proba + i * K, &share);
        room->score[i] = 0;
        for (int q = 0; q < K; q++) room->score[i] += m->present[q] * p[q];
    }
    return RUNG_OK;
}

static rung_status predict_block(rung_ctx *ctx, const rung_model *m, const rung_view *X, int64_t first,
                                 const rung_output *out, const block_room *room)
{
    TRY(check_rows(ctx, m, X, first));
    scale_apply(&m->members->scale, X->n, X, NULL, room->scaled);
    if (room->cells) scale_apply(&(scaling){.kind = SCALE_NONE, .d = m->code.d}, X->n, X, NULL, room->cells);
    find_copies(m, X, room);
    if (model_averages(m))
        TRY(many_members(ctx, m, first, X->n, room));
    else
        TRY(one_member(ctx, m, first, X->n, room));
    return write_block(ctx, m, first, X->n, NULL, room, out);
}

/* ---- whole ---- */

static const rung_predict_options by_default = {0};

/* The model has no calibration. */
static rung_status not_calibrated(rung_ctx *ctx, const rung_model *m, const char *what)
{
    rung_status status =
        set_error(ctx, RUNG_EARG, "the model has no %s%s", what, model_has_ranks(m) ? ": fit it with calibrate=5" : "");
    return model_has_ranks(m) ? hint(ctx, status, "parameter calibrate") : status;
}

static rung_status check_wanted(rung_ctx *ctx, const rung_model *m, const rung_predict_options *o,
                                const rung_output *out)
{
    if (out->rank && !model_has_ranks(m))
        return set_error(ctx, RUNG_EARG, "a %s model gives scores, not ranks", m->method);
    bool range = out->low || out->high;
    if (out->sd && !model_has_latent(m))
        return set_error(ctx, RUNG_EARG, "a %s model gives no standard deviation of its score", m->method);
    if (range && !model_interval(m)) return not_calibrated(ctx, m, "ranges of ranks");
    if (range && !(o->level > 0 && o->level < 1))
        return set_error(ctx, RUNG_EARG, "the level of a prediction interval must be between 0 and 1, not %g",
                         o->level);
    if (range && o->by_class && !m->ranges.rank)
        return set_error(ctx, RUNG_EARG,
                         m->ranges.repeats ? "the model is of an earlier version: it has no ranges by class"
                                           : "ranges of a posterior are not made by class");
    if (model_has_probabilities(m)) return RUNG_OK;
    if (o->cost || o->abstain > 0) return not_calibrated(ctx, m, "probabilities, which costs need");
    return out->proba ? not_calibrated(ctx, m, "probabilities") : RUNG_OK;
}

static rung_status check_rows_given(rung_ctx *ctx, const rung_model *m, const rung_view *X)
{
    if (X->n < 0) return set_error(ctx, RUNG_EARG, "the number of rows is negative");
    if (X->d != m->code.d)
        return set_error(ctx, RUNG_EARG, "the data have %lld columns, but the model was fitted to %lld",
                         (long long)X->d, (long long)m->code.d);
    return RUNG_OK;
}

static rung_status new_room(rung_ctx *ctx, const rung_model *m, int64_t rows, const rung_predict_options *o,
                            const rung_output *out, block_room *room)
{
    const member *one = m->members;
    room->level = o->level;
    if (o->cost || o->abstain > 0)
        TRY(cost_copy(ctx, &ctx->scratch, m->code.n_classes, o->cost ? o->cost : m->cost.matrix, o->abstain,
                      &room->cost));
    else
        room->cost = m->cost;
    bool proba = model_averages(m) || (room->cost.matrix && out->rank) || out->proba || out->low || out->high ||
                 (out->rank && (member_needs_proba(one) || m->copies.n > 0)) || member_scores_by_proba(one);
    TRY(NEW_RAW(ctx, &ctx->scratch, room->score, rows * model_outputs(m)));
    if (proba) TRY(NEW_RAW(ctx, &ctx->scratch, room->proba, rows * m->n_present));
    if (m->temper.n > 0 && (out->proba || out->low || out->high || (room->cost.matrix && out->rank)))
        TRY(NEW_RAW(ctx, &ctx->scratch, room->tempered, m->n_present));
    if (out->rank || out->low || out->high) TRY(NEW_RAW(ctx, &ctx->scratch, room->rank, rows));
    if (m->copies.n > 0) {
        TRY(NEW_RAW(ctx, &ctx->scratch, room->equal, 2 * rows));
        TRY(NEW_RAW(ctx, &ctx->scratch, room->mixed, m->n_present));
    }
    if ((out->low || out->high) && o->by_class) {
        TRY(NEW_RAW(ctx, &ctx->scratch, room->limit, m->n_present));
        TRY(conformal_limits(ctx, &m->ranges, o->level, m->n_present, room->limit));
    }
    if (model_averages(m)) return RUNG_OK;
    TRY(NEW_RAW(ctx, &ctx->scratch, room->output, rows * one->score.outputs));
    if (member_has_variance(one) && (proba || out->sd)) TRY(NEW_RAW(ctx, &ctx->scratch, room->variance, rows));
    return one->space.d == 0 ? RUNG_OK : NEW_RAW(ctx, &ctx->scratch, room->space, rows * m->code.d);
}

/* How many rows are a block: what the limit has room for beside the model, the rows X and the table they come from. A
 * row takes its cells in several scalings, and its outputs twice; a copy is made of the rows it is compared with. */
static rung_status block_rows(rung_ctx *ctx, const rung_model *m, const rung_view *X, int64_t *out)
{
    int64_t most = BLOCK_CELLS / X->d; /* there is a column: model_check */
    double d = (double)X->d, widest = 0, copied = 0;
    for (int i = 0; i < m->n_members; i++) {
        const scorer *s = &m->members[i].score;
        widest = fmax(widest, (double)(s->outputs + s->neighbours));
        if (s->kind == SCORER_KERNEL || s->kind == SCORER_NEIGHBOURS) copied = fmax(copied, (double)s->m * d);
    }
    double row = 5 * d + 2 * widest + 2 * m->n_present + 8;
    most = most < 1 ? 1 : most > BLOCK_ROWS ? BLOCK_ROWS : most;
    most = X->n < most ? X->n : most;
    memory_hold(ctx, m->mem.bytes + 2 * X->n * X->d * (int64_t)sizeof(double));
    double room = (memory_left(ctx) / sizeof(double) - copied) / row;
    if (ctx->memory > 0 && room < (double)most && most > FEWEST_ROWS) most = (int64_t)fmax(room, FEWEST_ROWS);
    *out = most;
    return memory_work(ctx, sizeof(double) * (copied + row * (double)most), "predicting");
}

rung_status model_predict(rung_ctx *ctx, const rung_model *m, const rung_view *X, const rung_predict_options *options,
                          const rung_output *out)
{
    const rung_predict_options *o = options ? options : &by_default;
    TRY(check_rows_given(ctx, m, X));
    TRY(check_wanted(ctx, m, o, out));
    int64_t d = m->code.d, rows;
    TRY(block_rows(ctx, m, X, &rows));
    pool_mark mark = pool_here(&ctx->scratch);
    block_room room = {0};
    TRY(new_room(ctx, m, rows, o, out, &room));
    TRY(NEW_RAW(ctx, &ctx->scratch, room.scaled, rows * d));
    if (model_averages(m) && has_trees(m->n_members, m->members))
        TRY(NEW_RAW(ctx, &ctx->scratch, room.cells, rows * d));
    for (int64_t first = 0; first < X->n; first += rows) {
        TRY(interrupted(ctx));
        rung_view block = *X;
        block.v += first * X->row;
        block.n = X->n - first < rows ? X->n - first : rows;
        TRY(predict_block(ctx, m, &block, first, out, &room));
        progress(ctx, "predicting", (double)(first + block.n) / (double)X->n);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status model_predict_training(rung_ctx *ctx, const rung_model *m, const rung_predict_options *options,
                                   const rung_output *out)
{
    const rung_predict_options *o = options ? options : &by_default;
    const transduction *t = &m->training;
    int outputs = m->members[0].score.outputs;
    if (t->n == 0)
        return set_error(ctx, RUNG_EARG, "a %s model says nothing of its own training rows: name a data file",
                         m->method);
    TRY(check_wanted(ctx, m, o, out));
    pool_mark mark = pool_here(&ctx->scratch);
    block_room room = {0};
    TRY(new_room(ctx, m, t->n < BLOCK_ROWS ? t->n : BLOCK_ROWS, o, out, &room));
    room.equal = NULL; /* the rows have answers of their own */
    for (int64_t first = 0; first < t->n; first += BLOCK_ROWS) {
        int64_t n = t->n - first < BLOCK_ROWS ? t->n - first : BLOCK_ROWS;
        memcpy(room.output, t->output + first * outputs, (size_t)(n * outputs) * sizeof(double));
        answer(m, n, &room);
        TRY(write_block(ctx, m, first, n, t->label ? t->label + first : NULL, &room, out));
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
