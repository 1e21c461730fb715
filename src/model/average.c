// SPDX-License-Identifier: BSD-3-Clause
/* The weighted mean of the probabilities of several members. Members that share a space or differ only in their power
 * are adjacent, so neither scaled rows nor outputs are computed twice. */
#include <string.h>

#include "model/model.h"
#include "solve/cumulative.h"

typedef struct {
    const member_rows *rows;
    double *own;      /* the rows in the space of the current member */
    const member *in; /* whose space `own` is in; NULL: none yet */
    double *output;   /* rows x outputs, of the member `of` */
    const member *of;
    double *variance, *p; /* rows; K */
} average_room;

static rung_status new_room(rung_ctx *ctx, int n_members, const member *members, int64_t n, average_room *room)
{
    int outputs = 0;
    for (int i = 0; i < n_members; i++)
        if (members[i].score.outputs > outputs) outputs = members[i].score.outputs;
    TRY(NEW_RAW(ctx, &ctx->scratch, room->own, members->score.d * n));
    TRY(NEW_RAW(ctx, &ctx->scratch, room->output, n * outputs));
    TRY(NEW_RAW(ctx, &ctx->scratch, room->variance, n));
    return NEW_RAW(ctx, &ctx->scratch, room->p, members->decide.K);
}

bool has_trees(int n_members, const member *members)
{
    for (int i = 0; i < n_members; i++)
        if (members[i].score.kind == SCORER_TREES) return true;
    return false;
}

/* The rows in the scaling of this member. */
static const double *in_space(const member *one, int64_t n, average_room *room)
{
    if (one->score.kind == SCORER_TREES) return room->rows->cells;
    if (one->space.d == 0) return room->rows->scaled;
    if (!room->in || room->in->space.shift != one->space.shift) {
        rung_view view = {.v = room->rows->scaled, .n = n, .d = one->space.d, .row = one->space.d, .col = 1};
        scale_apply(&one->space, n, &view, NULL, room->own);
        room->in = one;
    }
    return room->own;
}

static bool same_outputs(const member *a, const member *b)
{
    const scorer *s = a ? &a->score : NULL, *t = &b->score;
    return s && s->kind == SCORER_NEIGHBOURS && t->kind == SCORER_NEIGHBOURS && s->coef == t->coef &&
           s->rows == t->rows && s->neighbours == t->neighbours && s->weights == t->weights && s->width == t->width &&
           a->space.shift == b->space.shift;
}

static rung_status add_member(rung_ctx *ctx, const member *one, double share, int64_t first, int64_t n,
                              average_room *room, double *proba)
{
    const double *x = in_space(one, n, room);
    int outputs = one->score.outputs, K = one->decide.K;
    if (!same_outputs(room->of, one)) {
        TRY(scorer_apply(ctx, &one->score, n, x, room->output));
        TRY(check_outputs(ctx, n, outputs, room->output, first));
    }
    room->of = one;
    if (member_has_variance(one)) {
        TRY(member_variance(ctx, one, n, x, room->output, room->variance));
        TRY(check_outputs(ctx, n, 1, room->variance, first));
    }
    for (int64_t i = 0; i < n; i++) {
        member_proba(one, room->output + i * outputs, member_has_variance(one) ? room->variance[i] : 0, room->p);
        for (int q = 0; q < K; q++) proba[i * K + q] += share * room->p[q];
    }
    return RUNG_OK;
}

rung_status members_proba(rung_ctx *ctx, int n_members, const member *members, double sharpen, int64_t first, int64_t n,
                          const member_rows *rows, double *proba)
{
    pool_mark mark = pool_here(&ctx->scratch);
    average_room room = {.rows = rows};
    int K = members->decide.K;
    double total = 0;
    TRY(new_room(ctx, n_members, members, n, &room));
    memset(proba, 0, (size_t)(n * K) * sizeof *proba);
    for (int i = 0; i < n_members; i++) total += members[i].weight;
    for (int i = 0; i < n_members; i++)
        TRY(add_member(ctx, &members[i], members[i].weight / total, first, n, &room, proba));
    for (int64_t i = 0; i < n && sharpen > 0; i++) {
        double *p = proba + i * K;
        cumulative_sums(K, p, p);
        cumulative_sharpen(K, sharpen, p);
        cumulative_classes(K, p, p);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
