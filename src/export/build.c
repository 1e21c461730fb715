// SPDX-License-Identifier: BSD-3-Clause
/* The program of a model, in the order of model/predict.c: cells, coding, scaling, members, their mean, equal rows,
 * tempering, the answer and its interval. */
#include <math.h>
#include <string.h>

#include "data/derive.h"
#include "export/program.h"

enum { KIND_NUMBER, KIND_CATEGORY, KIND_CYCLIC };

static int64_t *whole_room(builder *b, int64_t n) { return (int64_t *)(void *)builder_room(b, n); }

static int coded(builder *b, const coding *whole)
{
    const coding *code = coding_cells(whole);
    int64_t n = code->n_columns, *first = whole_room(b, n), *width = whole_room(b, n), *kind = whole_room(b, n);
    int cells = put_op(b, OP_CELLS, n, NO_VALUE, NO_VALUE, NO_VALUE);
    int value = put_op(b, OP_CODED, code->d, cells, NO_VALUE, NO_VALUE);
    for (int64_t j = 0; b->status == RUNG_OK && j < n; j++) {
        const column_code *c = &code->columns[j];
        first[j] = c->first;
        width[j] = column_width(c);
        kind[j] = c->nominal ? KIND_CATEGORY : c->form == FORM_CYCLIC ? KIND_CYCLIC : KIND_NUMBER;
    }
    set_array(b, value, 0, put_whole(b, first, 1, n));
    set_array(b, value, 1, put_whole(b, width, 1, n));
    set_array(b, value, 2, put_whole(b, kind, 1, n));
    b->p->columns = cells;
    return whole->derive ? build_derived(b, whole, value, &b->p->columns) : value;
}

/* ---- the probabilities, before they are tempered ---- */

typedef struct {
    int output, variance, proba; /* of the only member; proba: of all */
    int equal, total; /* mass of every class among equal labelled rows, and its sum; NO_VALUE: none is known */
} parts;

static int in_space(builder *b, const member *one, int scaled)
{
    return one->space.d > 0 ? build_scaled(b, &one->space, scaled) : scaled;
}

/* P^t / (P^t + (1 - P)^t) of P(y > q), clipped. */
static int sharpened(builder *b, int64_t K, double t, int p)
{
    static const double least = 1e-6;
    if (K == 1) return p;
    int P = part_of(b, apply_one(b, OP_SUMS, p), 0, K - 1);
    P = with_number(b, OP_MAXIMUM, number_with(b, OP_SUBTRACT, 1, P), least);
    P = with_number(b, OP_MINIMUM, P, 1 - least);
    int odds = apply_two(b, OP_DIVIDE, number_with(b, OP_SUBTRACT, 1, P), P);
    P = number_with(b, OP_DIVIDE, 1, with_number(b, OP_ADD, with_number(b, OP_POWER, odds, t), 1));
    return build_cumulative_classes(b, P);
}

static int average(builder *b, const rung_model *m, int scaled)
{
    double total = 0;
    int sum = NO_VALUE;
    for (int i = 0; i < m->n_members; i++) total += m->members[i].weight;
    for (int i = 0; i < m->n_members; i++) {
        const member *one = &m->members[i];
        int variance, output = build_outputs(b, one, in_space(b, one, scaled), &variance);
        int p = with_number(b, OP_MULTIPLY, build_proba(b, one, output, variance), one->weight / total);
        sum = sum == NO_VALUE ? p : apply_two(b, OP_ADD, sum, p);
    }
    return m->sharpen > 0 ? sharpened(b, m->n_present, m->sharpen, sum) : sum;
}

static void equal_rows_of(builder *b, const rung_model *m, int x, parts *to)
{
    const row_copies *c = &m->copies;
    int64_t *rank = whole_room(b, c->n);
    double *mass = builder_room(b, c->n);
    for (int64_t i = 0; rank && mass && i < c->n; i++) {
        rank[i] = c->rank[i];
        mass[i] = c->mass ? c->mass[i] : 1;
    }
    to->equal = put_op(b, OP_EQUALS, m->n_present, x, NO_VALUE, NO_VALUE);
    set_array(b, to->equal, 0, put_real(b, c->key, 1, c->n));
    set_array(b, to->equal, 1, put_whole(b, rank, 1, c->n));
    set_array(b, to->equal, 2, put_real(b, mass, 1, c->n));
    to->total = apply_one(b, OP_TOTAL, to->equal);
}

/* p where the row equals labelled ones: (mass + prior p) / (total mass + prior), or by the former rule. */
static int mixed(builder *b, const row_copies *c, const parts *of, int p)
{
    if (of->equal == NO_VALUE) return p;
    int with;
    if (c->mass) {
        with = apply_two(b, OP_ADD, of->equal, with_number(b, OP_MULTIPLY, p, c->prior));
        with = apply_two(b, OP_DIVIDE, with, with_number(b, OP_ADD, of->total, c->prior));
    } else {
        int share = apply_two(b, OP_DIVIDE, of->equal, with_number(b, OP_MAXIMUM, of->total, 1));
        with = apply_two(b, OP_ADD, with_number(b, OP_MULTIPLY, p, 1 - c->weight),
                         with_number(b, OP_MULTIPLY, share, c->weight));
    }
    return select_of(b, number_with(b, OP_LESS, 0, of->total), with, p);
}

/* ---- the answers ---- */

static int equal_to(builder *b, int x, int y) /* 1 where neither is less */
{
    int differ = apply_two(b, OP_ADD, apply_two(b, OP_LESS, x, y), apply_two(b, OP_LESS, y, x));
    return number_with(b, OP_SUBTRACT, 1, differ);
}

/* The decision of the only member, see copies_rank. */
static int decision_of(builder *b, const rung_model *m, const parts *of)
{
    int64_t K = m->n_present;
    int rank = build_rank(b, m->members, of->output, of->proba);
    if (of->equal == NO_VALUE || rank == NO_VALUE) return rank;
    int moved = build_median(b, K, mixed(b, &m->copies, of, of->proba)), before = build_median(b, K, of->proba);
    int share = scalar(b, 1 - m->copies.weight);
    if (m->copies.mass) {
        int all = with_number(b, OP_ADD, of->total, m->copies.prior);
        share = apply_two(b, OP_DIVIDE, scalar(b, m->copies.prior), all);
    }
    int kept = apply_two(b, OP_MULTIPLY, number_with(b, OP_LESS, 0.5, share), equal_to(b, moved, before));
    int alone = number_with(b, OP_LESS, 0, of->total);
    return select_of(b, alone, select_of(b, kept, rank, moved), rank);
}

static int tempered(builder *b, const tempering *t, int64_t K, int p)
{
    static const double least = 1e-300;
    if (t->n == 0) return p;
    int l = apply_one(b, OP_LOG, with_number(b, OP_MAXIMUM, p, least));
    l = apply_two(b, OP_SUBTRACT, l, apply_one(b, OP_LARGEST, l));
    int sum = constant_of(b, K, t->frequency);
    for (int j = 0; j < t->n; j++) {
        if (t->weight[j] == 0) continue;
        int e = apply_one(b, OP_EXP, with_number(b, OP_MULTIPLY, l, t->power[j]));
        int share = number_with(b, OP_DIVIDE, t->weight[j], apply_one(b, OP_TOTAL, e));
        sum = apply_two(b, OP_ADD, sum, apply_two(b, OP_MULTIPLY, e, share));
    }
    return sum;
}

/* The answer that costs least, 0: none. */
static int cheapest(builder *b, const rung_model *m, int p)
{
    int64_t K = m->n_present, classes = m->code.n_classes;
    double *cost = builder_room(b, K * K);
    for (int64_t a = 0; cost && a < K; a++)
        for (int64_t q = 0; q < K; q++)
            cost[a * K + q] = -m->cost.matrix[(m->present[q] - 1) * classes + m->present[a] - 1];
    int saved = linear_of(b, p, K, put_real(b, cost, K, K), -1);
    int rank = with_number(b, OP_ADD, apply_one(b, OP_PLACE, saved), 1);
    if (!(m->cost.abstain > 0)) return rank;
    int dear = with_number(b, OP_LESS, apply_one(b, OP_LARGEST, saved), -m->cost.abstain);
    return select_of(b, dear, scalar(b, 0), rank);
}

/* From ranks among the classes that had labels, 0: none, to those of all classes. */
static int class_of(builder *b, const rung_model *m, int rank)
{
    double *present = builder_room(b, m->n_present + 1);
    for (int q = 0; present && q < m->n_present; q++) present[q + 1] = m->present[q];
    return choose_of(b, rank, constant_of(b, m->n_present + 1, present));
}

static int spread_out(builder *b, const rung_model *m, int p)
{
    int64_t K = m->n_present, classes = m->code.n_classes;
    if (K == classes) return p;
    double *from = builder_room(b, classes), zero = 0;
    for (int64_t q = 0; from && q < classes; q++) from[q] = (double)K;
    for (int64_t q = 0; from && q < K; q++) from[m->present[q] - 1] = (double)q;
    return choose_of(b, constant_of(b, classes, from), join_of(b, p, scalar(b, zero)));
}

static int interval_of(builder *b, const rung_model *m, int rank, int p)
{
    double limit = m->ranges.repeats > 0 ? conformal_limit(&m->ranges, b->p->level) : 0;
    if (isinf(limit)) {
        double *ends = builder_room(b, 2);
        if (ends) ends[0] = 1, ends[1] = m->code.n_classes;
        return constant_of(b, 2, ends);
    }
    int value;
    if (m->ranges.repeats > 0) {
        double *at = builder_room(b, 1);
        if (at) *at = limit;
        value = put_op(b, OP_INTERVAL, 2, p, rank, NO_VALUE);
        set_array(b, value, 0, put_real(b, at, 1, 1));
    } else {
        value = put_op(b, OP_SHORTEST, 2, p, NO_VALUE, NO_VALUE);
        set_number(b, value, 0, b->p->level);
    }
    return class_of(b, m, value);
}

static int expected_class(builder *b, const rung_model *m, int p)
{
    double *present = builder_room(b, m->n_present);
    for (int q = 0; present && q < m->n_present; q++) present[q] = m->present[q];
    return apply_one(b, OP_TOTAL, apply_two(b, OP_MULTIPLY, constant_of(b, m->n_present, present), p));
}

static int score_of(builder *b, const rung_model *m, const parts *of)
{
    const member *one = m->members;
    if (model_averages(m)) return expected_class(b, m, mixed(b, &m->copies, of, of->proba));
    if (member_scores_by_proba(one)) return expected_class(b, m, of->proba);
    bool memberships = one->proba == PROBA_MEMBERSHIPS;
    return memberships ? expected_class(b, m, of->output) : part_of(b, of->output, 0, member_columns(one));
}

static void build_answers(builder *b, const rung_model *m, const parts *of)
{
    program *p = b->p;
    p->score = apply_one(b, OP_FINITE, score_of(b, m, of));
    if (model_has_latent(m)) p->sd = apply_one(b, OP_ROOT, of->variance);
    if (!model_has_ranks(m)) return;
    int rank =
        model_averages(m) ? build_median(b, m->n_present, mixed(b, &m->copies, of, of->proba)) : decision_of(b, m, of);
    if (model_has_probabilities(m)) {
        int settled_p = mixed(b, &m->copies, of, tempered(b, &m->temper, m->n_present, of->proba));
        if (model_interval(m)) p->interval = interval_of(b, m, rank, settled_p);
        p->proba = apply_one(b, OP_FINITE, spread_out(b, m, settled_p));
        if (m->cost.matrix) rank = cheapest(b, m, settled_p);
    }
    p->rank = class_of(b, m, rank);
}

static void build_all(builder *b, const rung_model *m)
{
    parts of = {.output = NO_VALUE, .variance = NO_VALUE, .equal = NO_VALUE, .total = NO_VALUE};
    const member *one = m->members;
    int x = coded(b, &m->code), scaled = build_scaled(b, &one->scale, x);
    if (m->copies.n > 0) equal_rows_of(b, m, x, &of);
    if (model_averages(m)) {
        of.proba = average(b, m, scaled);
    } else {
        of.output = build_outputs(b, one, in_space(b, one, scaled), &of.variance);
        of.proba = build_proba(b, one, of.output, of.variance);
    }
    build_answers(b, m, &of);
}

rung_status program_build(rung_ctx *ctx, const rung_model *m, const program_options *options, program **out)
{
    builder b = {.ctx = ctx};
    *out = NULL;
    if (!(options->level > 0 && options->level < 1))
        return set_error(ctx, RUNG_EARG, "the level of a prediction interval must be between 0 and 1, not %g",
                         options->level);
    TRY(NEW(ctx, &ctx->scratch, b.p, 1));
    *b.p = (program){.model = m, .checksum = options->checksum, .level = options->level};
    b.p->rank = b.p->score = b.p->proba = b.p->sd = b.p->interval = NO_VALUE;
    b.p->takes_missing = m->members->scale.fill || m->members->score.kind == SCORER_TREES;
    build_all(&b, m);
    *out = b.p;
    return b.status;
}
