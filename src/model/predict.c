// SPDX-License-Identifier: BSD-3-Clause
/* From raw rows to scores, ranks and probabilities, block by block. A row's result does not depend on the rows it
 * comes with: every step works row by row, and the block size depends on the model alone. */
#include <math.h>
#include <string.h>

#include "model/model.h"

enum { BLOCK_ROWS = 4096, BLOCK_CELLS = 1 << 22 }; /* at most 4096 rows and (while d allows) 32 MiB of scaled cells */

/* ---- one member ---- */

static void add_linear(const scorer *s, int64_t n, const double *x, double *score)
{
    for (int64_t i = 0; i < n; i++, x += s->d)
        for (int o = 0; o < s->outputs; o++, score++) {
            const double *w = s->coef + o * s->m;
            for (int64_t j = 0; j < s->m; j++) *score += w[j] * x[j];
        }
}

static void add_precomputed(const scorer *s, int64_t n, const double *x, double *score)
{
    for (int64_t i = 0; i < n; i++, x += s->d)
        for (int o = 0; o < s->outputs; o++, score++) {
            const double *w = s->coef + o * s->m;
            for (int64_t j = 0; j < s->m; j++) *score += w[j] * x[s->index[j]];
        }
}

static rung_status add_expansion(rung_ctx *ctx, const scorer *s, int64_t n, const double *x, double *score)
{
    if (s->m == 0 || n == 0) return RUNG_OK;
    pool_mark mark = pool_here(&ctx->scratch);
    double *F = NULL; /* n x outputs, column-major */
    TRY(NEW_RAW(ctx, &ctx->scratch, F, n * s->outputs));
    TRY(kernel_expand(ctx, &s->k, s->d, n, x, s->m, s->rows, s->outputs, s->coef, F));
    for (int64_t i = 0; i < n; i++)
        for (int o = 0; o < s->outputs; o++) *score++ += F[i + o * n];
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status scorer_apply(rung_ctx *ctx, const scorer *s, int64_t n, const double *scaled, double *score)
{
    for (int64_t i = 0; i < n; i++) memcpy(score + i * s->outputs, s->bias, (size_t)s->outputs * sizeof *score);
    switch (s->kind) {
    case SCORER_CONSTANT: return RUNG_OK;
    case SCORER_LINEAR: add_linear(s, n, scaled, score); return RUNG_OK;
    case SCORER_KERNEL:
        if (s->k.kind != KERNEL_PRECOMPUTED) return add_expansion(ctx, s, n, scaled, score);
        add_precomputed(s, n, scaled, score);
        return RUNG_OK;
    }
    return fail(ctx, RUNG_EINTERNAL, "unknown kind of scorer %d", (int)s->kind);
}

int decision_rank(const decision *d, double score)
{
    if (d->kind == DECISION_CONSTANT) return d->rank;
    if (d->kind != DECISION_THRESHOLDS) return 0;
    int rank = 1;
    for (int q = 0; q < d->K - 1; q++) rank += d->tie_up ? score >= d->thresholds[q] : score > d->thresholds[q];
    return rank;
}

static int member_rank(const member *m, double score)
{
    if (m->decide.kind == DECISION_CALIBRATED) return calibrate_rank(&m->cal, rank_score(&m->map, score));
    return decision_rank(&m->decide, score);
}

/* K numbers over the classes that had labels. */
static void member_proba(const member *m, double score, double *p)
{
    if (m->calibrated)
        calibrate_proba(&m->cal, rank_score(&m->map, score), p);
    else
        memcpy(p, m->prior, (size_t)m->decide.K * sizeof *p);
}

/* ---- blocks ---- */

typedef struct {          /* what one block needs */
    double *scaled;       /* d x rows */
    double *member_score; /* rows x outputs, of one member */
    double *score;        /* rows x outputs */
    double *proba;        /* rows x n_present; NULL: not needed */
    double *member_p;     /* n_present */
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
static rung_status check_scores(rung_ctx *ctx, int64_t rows, int outputs, const double *score, int64_t first)
{
    for (int64_t i = 0; i < rows * outputs; i++)
        if (!isfinite(score[i]))
            return fail(ctx, RUNG_EDATA,
                        "row %lld: the score overflows (values far outside those of the training data)",
                        (long long)(first + i / outputs + 1));
    return RUNG_OK;
}

static void add_member(const rung_model *m, const member *one, double share, int64_t n, const block_room *room)
{
    int outputs = model_outputs(m), K = m->n_present;
    for (int64_t i = 0; i < n * outputs; i++) room->score[i] += share * room->member_score[i];
    if (!room->proba) return;
    for (int64_t i = 0; i < n; i++) {
        member_proba(one, room->member_score[i * outputs], room->member_p);
        for (int q = 0; q < K; q++) room->proba[i * K + q] += share * room->member_p[q];
    }
}

/* The mean of the members' probabilities has the mean of their cumulative ones. */
static int posterior_median(int K, const double *p)
{
    double below = 0;
    for (int q = 0; q < K - 1; q++) {
        below += p[q];
        if (below >= 0.5) return q + 1;
    }
    return K;
}

static rung_status predict_block(rung_ctx *ctx, const rung_model *m, const rung_view *X, int64_t first,
                                 const rung_output *out, const block_room *room)
{
    int64_t n = X->n;
    int outputs = model_outputs(m), K = m->n_present, classes = m->code.n_classes;
    double total = 0;
    for (int i = 0; i < m->n_members; i++) total += m->members[i].weight;
    memset(room->score, 0, (size_t)(n * outputs) * sizeof(double));
    if (room->proba) memset(room->proba, 0, (size_t)(n * K) * sizeof(double));
    TRY(check_rows(ctx, m, X, first));
    for (int i = 0; i < m->n_members; i++) {
        const member *one = &m->members[i];
        scale_apply(&one->scale, n, X, NULL, room->scaled);
        TRY(scorer_apply(ctx, &one->score, n, room->scaled, room->member_score));
        TRY(check_scores(ctx, n, outputs, room->member_score, first));
        add_member(m, one, one->weight / total, n, room);
    }
    if (out->score) memcpy(out->score + first * outputs, room->score, (size_t)(n * outputs) * sizeof(double));
    if (out->rank)
        for (int64_t i = 0; i < n; i++) {
            int rank = m->n_members == 1 ? member_rank(m->members, room->score[i * outputs])
                                         : posterior_median(K, room->proba + i * K);
            out->rank[first + i] = m->present[rank - 1];
        }
    if (out->proba) {
        double *p = out->proba + first * classes; /* a class without labels keeps probability 0 */
        memset(p, 0, (size_t)(n * classes) * sizeof(double));
        for (int64_t i = 0; i < n; i++)
            for (int q = 0; q < K; q++) p[i * classes + m->present[q] - 1] = room->proba[i * K + q];
    }
    return RUNG_OK;
}

static rung_status check_request(rung_ctx *ctx, const rung_model *m, const rung_view *X, const rung_output *out)
{
    if (X->n < 0) return fail(ctx, RUNG_EARG, "the number of rows is negative");
    if (X->d != m->code.d)
        return fail(ctx, RUNG_EARG, "the data have %lld columns, the model was fitted on %lld", (long long)X->d,
                    (long long)m->code.d);
    if (out->rank && !model_has_ranks(m)) return fail(ctx, RUNG_EARG, "a %s model gives scores, not ranks", m->method);
    if (out->proba && !model_has_probabilities(m))
        return fail(ctx, RUNG_EARG, "the model has no probabilities: fit with -p calibrate=5");
    return RUNG_OK;
}

rung_status model_predict(rung_ctx *ctx, const rung_model *m, const rung_view *X, const rung_output *out)
{
    TRY(check_request(ctx, m, X, out));
    int64_t d = m->code.d, most = d > 0 ? BLOCK_CELLS / d : BLOCK_ROWS;
    most = most < 1 ? 1 : most > BLOCK_ROWS ? BLOCK_ROWS : most;
    int64_t rows = X->n < most ? X->n : most;
    int outputs = model_outputs(m);
    pool_mark mark = pool_here(&ctx->scratch);
    block_room room = {0};
    TRY(NEW_RAW(ctx, &ctx->scratch, room.scaled, rows * d));
    TRY(NEW_RAW(ctx, &ctx->scratch, room.member_score, rows * outputs));
    TRY(NEW_RAW(ctx, &ctx->scratch, room.score, rows * outputs));
    if (out->proba || (out->rank && m->n_members > 1)) {
        TRY(NEW_RAW(ctx, &ctx->scratch, room.proba, rows * m->n_present));
        TRY(NEW_RAW(ctx, &ctx->scratch, room.member_p, m->n_present));
    }
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
