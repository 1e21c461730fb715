// SPDX-License-Identifier: BSD-3-Clause
#include "trees/boosting.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 4096 }; /* rows per partial sum: fixed, so that the bits do not depend on threads */

static int64_t blocks_of(const boosting *b) { return (b->n_train + BLOCK - 1) / BLOCK; }

static double weight_of(const boosting *b, int32_t i) { return b->data->w ? b->data->w[i] : 1; }

/* ---- derivatives ---- */

typedef struct {
    int n;
    const int32_t *row;
    double f[LOSS_CHUNK], w[LOSS_CHUNK];
    int low[LOSS_CHUNK], high[LOSS_CHUNK];
} chunk;

static loss_rows rows_of(const chunk *c)
{
    return (loss_rows){.n = c->n, .f = c->f, .low = c->low, .high = c->high, .w = c->w};
}

static void take_chunk(const boosting *b, const int32_t *row, int64_t first, int64_t end, chunk *c)
{
    c->n = (int)(end - first < LOSS_CHUNK ? end - first : LOSS_CHUNK);
    c->row = row + first;
    for (int i = 0; i < c->n; i++) {
        c->f[i] = b->f[c->row[i]];
        c->low[i] = b->data->y[c->row[i]];
        c->high[i] = highest_rank(b->data->y, b->data->upper, c->row[i]);
        c->w[i] = weight_of(b, c->row[i]);
    }
}

static int64_t end_of_block(int64_t n, int64_t block) { return (block + 1) * BLOCK < n ? (block + 1) * BLOCK : n; }

static void ordinal_rows(const boosting *b, int64_t n, const int32_t *row, tree_sums *sum)
{
    double g[LOSS_CHUNK], h[LOSS_CHUNK];
    chunk c;
    for (int64_t first = 0; first < n; first += LOSS_CHUNK) {
        take_chunk(b, row, first, n, &c);
        loss_rows rows = rows_of(&c);
        ordinal_derivatives(&b->link, &rows, g, h);
        for (int i = 0; i < c.n; i++) sum[first + i] = tree_sums_of(&b->units, c.w[i] * g[i], c.w[i] * h[i]);
    }
}

/* Of b->output; b->norm is that of the functions at the start of the round. */
static void nominal_rows(const boosting *b, int64_t n, const int32_t *row, tree_sums *sum)
{
    double factor = (double)b->outputs / (b->outputs - 1);
    int q = b->output;
    const double *f = b->f + q * b->data->n;
    for (int64_t i = 0; i < n; i++) {
        int32_t r = row[i];
        double p = exp(f[r] - b->norm[r]), w = weight_of(b, r);
        double own = b->data->y[r] == q + 1; /* the share of the class in the label */
        if (is_interval(b->data->y, b->data->upper, r))
            own = b->data->y[r] <= q + 1 && q + 1 <= b->data->upper[r] ? exp(f[r] - b->inside[r]) : 0;
        sum[i] = tree_sums_of(&b->units, w * (p - own), w * factor * p * (1 - p));
    }
}

static void derive_rows(const boosting *b, int64_t n, const int32_t *row, tree_sums *out)
{
    if (b->rules.nominal)
        nominal_rows(b, n, row, out);
    else
        ordinal_rows(b, n, row, out);
}

/* ---- starting ---- */

static void choose_rows(boosting *b, const boost_fold *f)
{
    for (int64_t i = 0; i < b->data->n; i++) {
        if (!b->data->y[i]) continue;
        if (f && fold_holds(f, i))
            b->held[b->n_held++] = (int32_t)i;
        else if (!b->data->all)
            b->train[b->n_train++] = (int32_t)i;
    }
    if (b->data->all) b->n_train = b->data->all->total - b->n_held;
}

/* Of the rows trained on. */
static rung_status class_weights(rung_ctx *ctx, pool *mem, const boosting *b, double *out)
{
    const boost_rows *data = b->data;
    int *y = NULL, *upper = NULL;
    double *w = NULL;
    for (int q = 1; data->all && q <= data->all->K; q++) {
        int rank = data->rank ? data->rank[q] : q;
        if (rank == 0) continue;
        out[rank - 1] = data->all->mass[q - 1];
        for (int64_t i = 0; i < b->n_held; i++)
            if (data->y[b->held[i]] == q) out[rank - 1] -= weight_of(b, b->held[i]);
    }
    if (data->all) return RUNG_OK;
    for (int64_t i = 0; i < b->n_train && !data->upper; i++) out[data->y[b->train[i]] - 1] += weight_of(b, b->train[i]);
    if (!data->upper) return RUNG_OK;
    TRY(NEW(ctx, mem, y, b->n_train));
    TRY(NEW(ctx, mem, upper, b->n_train));
    if (data->w) TRY(NEW(ctx, mem, w, b->n_train));
    for (int64_t i = 0; i < b->n_train; i++) {
        y[i] = data->y[b->train[i]];
        upper[i] = data->upper[b->train[i]];
        if (w) w[i] = data->w[b->train[i]];
    }
    TRY(class_masses(ctx, b->n_train, y, upper, w, data->K, out));
    pool_free(mem, w);
    pool_free(mem, upper);
    pool_free(mem, y);
    return RUNG_OK;
}

static rung_status start_packed(rung_ctx *ctx, pool *mem, const boost_fold *f, boosting *b)
{
    const packed_rows *all = b->data->all;
    packed_options options = {.rows = all,
                              .own_words = b->data->side_by_side,
                              .outputs = b->outputs,
                              .rank = b->data->rank,
                              .link = b->rules.nominal ? NULL : &b->link,
                              .start = b->start,
                              .units = &b->units,
                              .threads = b->threads};
    TRY(packed_run_new(ctx, mem, &options, &b->run));
    for (int64_t k = 0; k < all->n_sampled; k++)
        if (f && fold_holds(f, all->sample_row[k])) packed_hold_out(b->run, all->sampled[k]);
    tree_rows rows = {.b = b->data->b, .by_row = all->code, .source = packed_source(b->run)};
    return grower_new(ctx, mem, &rows, 0, &b->rules.tree, b->threads, &b->grower);
}

static rung_status start(rung_ctx *ctx, pool *mem, boosting *b)
{
    double *weight = NULL, total = 0;
    int K = b->data->K;
    TRY(NEW(ctx, mem, weight, K));
    TRY(class_weights(ctx, mem, b, weight));
    for (int q = 0; q < K; q++) total += weight[q];
    b->total = total;
    /* |g| <= w; h <= w / 2 (ordinal), K / (K - 1) / 4 <= 1/2 (nominal) */
    b->units = tree_units_for(b->n_train, total, total / 2);
    if (!b->rules.nominal) {
        TRY(ordinal_new(ctx, mem, K, weight, &b->link));
        b->link.wide = b->data->upper != NULL;
        return NEW(ctx, mem, b->partial, ordinal_sums(&b->link) * ((b->data->all ? 0 : blocks_of(b)) + 2));
    }
    for (int q = 0; q < K; q++) {
        b->start[q] = log(weight[q] / total);
        for (int64_t i = 0; i < b->data->n; i++) b->f[i + q * b->data->n] = b->start[q];
    }
    return RUNG_OK;
}

rung_status boosting_new(rung_ctx *ctx, pool *mem, const boost_rows *data, const boost_fold *without,
                         const boost_rules *rules, uint64_t stream, int threads, boosting **out)
{
    boosting *b = NULL;
    int64_t n = data->n;
    TRY(NEW(ctx, mem, b, 1));
    *b = (boosting){.data = data, .rules = *rules, .outputs = rules->nominal ? data->K : 1, .threads = threads};
    TRY(NEW_RAW(ctx, mem, b->train, data->all ? 0 : n));
    TRY(NEW_RAW(ctx, mem, b->held, n));
    choose_rows(b, without);
    TRY(NEW(ctx, mem, b->f, n * b->outputs));
    TRY(NEW(ctx, mem, b->start, b->outputs));
    TRY(tree_new(ctx, mem, rules->tree.leaves, &b->tree));
    rng_open(&b->random, ctx->seed, stream);
    *out = b;
    TRY(start(ctx, mem, b));
    if (data->all) return start_packed(ctx, mem, without, b);
    if (rules->nominal) TRY(NEW_RAW(ctx, mem, b->norm, n));
    if (rules->nominal && data->upper) TRY(NEW_RAW(ctx, mem, b->inside, n));
    if (rules->rows < 1) TRY(NEW(ctx, mem, b->sampled, n));
    tree_rows rows = {.b = data->b, .by_row = data->codes.by_row, .codes = &data->codes};
    return grower_new(ctx, mem, &rows, b->n_train, &rules->tree, threads, &b->grower);
}

double boosting_bytes(const boosting_shape *s, int threads)
{
    int outputs = s->nominal ? s->K : 1;
    double n = (double)s->n, grown = grower_bytes(s->columns, s->all > 0 ? 0 : s->n, s->binned, s->leaves, threads),
           sums = 24.0 * s->K * ((s->all > 0 ? (double)s->all : n) / BLOCK + 2);
    if (s->all > 0) return packed_bytes(s->all, outputs) + n * (4 + 8.0 * outputs) + grown + sums;
    return n * (9 + 8.0 * outputs + (s->nominal ? 8 : 0)) + grown + sums;
}

/* ---- the derivatives of a round ---- */

/* Of the n rows that the next tree grows from. */
static void derivatives(boosting *b, int64_t n)
{
    const int32_t *row = grower_rows(b->grower);
    tree_sums *sum = grower_sums(b->grower);
#pragma omp taskgroup
    for (int64_t block = 0; block * BLOCK < n; block++) {
#pragma omp task if (b->threads > 1 && n > BLOCK)
        derive_rows(b, end_of_block(n, block) - block * BLOCK, row + block * BLOCK, sum + block * BLOCK);
    }
}

static void norms(boosting *b)
{
#pragma omp taskgroup
    for (int64_t block = 0; block < blocks_of(b); block++) {
#pragma omp task if (b->threads > 1 && b->n_train > BLOCK)
        for (int64_t i = block * BLOCK; i < end_of_block(b->n_train, block); i++) {
            int32_t row = b->train[i];
            int64_t n = b->data->n;
            b->norm[row] = nominal_norm(b->outputs, b->f + row, n);
            if (is_interval(b->data->y, b->data->upper, row))
                b->inside[row] =
                    nominal_norm(b->data->upper[row] - b->data->y[row] + 1, b->f + row + (b->data->y[row] - 1) * n, n);
        }
    }
}

/* ---- thresholds ---- */

static void threshold_block(boosting *b, int64_t block, double *sum)
{
    int64_t end = end_of_block(b->n_train, block);
    chunk c;
    for (int64_t first = block * BLOCK; first < end; first += LOSS_CHUNK) {
        take_chunk(b, b->train, first, end, &c);
        loss_rows rows = rows_of(&c);
        ordinal_sum(&b->link, &rows, sum);
    }
}

/* The sums over all rows, ordinal_sums of them, at b->partial. */
static rung_status threshold_sums(boosting *b)
{
    if (b->run) return packed_threshold_sums(b->run, b->partial);
    int64_t size = ordinal_sums(&b->link), blocks = blocks_of(b);
    memset(b->partial, 0, (size_t)(size * (blocks + 1)) * sizeof *b->partial);
#pragma omp taskgroup
    for (int64_t block = 0; block < blocks; block++) {
#pragma omp task if (b->threads > 1 && blocks > 1)
        threshold_block(b, block, b->partial + size * (block + 1));
    }
    for (int64_t block = 1; block <= blocks; block++)
        for (int64_t k = 0; k < size; k++) b->partial[k] += b->partial[size * block + k];
    return RUNG_OK;
}

static double step_thresholds(boosting *b)
{
    return ordinal_step(&b->link, b->partial, b->partial + ordinal_sums(&b->link));
}

rung_status boosting_thresholds(boosting *b, double *out)
{
    enum { MOST_STEPS = 50 };
    double largest = 0, total = b->run ? b->total : 0;
    for (int64_t i = 0; i < b->n_train && !b->run; i++) total += weight_of(b, b->train[i]);
    for (int step = 0; step < MOST_STEPS; step++) {
        TRY(threshold_sums(b));
        largest = 0;
        for (int q = 0; q + 1 < b->data->K; q++) largest = fmax(largest, fabs(b->partial[q]) / total);
        if (largest < 1e-12 || step_thresholds(b) < 1e-12) break;
    }
    if (out) *out = largest;
    return RUNG_OK;
}

/* ---- a round ---- */

/* The rows used for the next tree; returns how many. */
static int64_t sample_rows(boosting *b)
{
    int32_t *row = grower_rows(b->grower);
    int64_t left = b->n_train, want = (int64_t)ceil(b->rules.rows * (double)b->n_train - 1e-9), n = 0;
    if (b->run) {
        if (b->rules.rows < 1) packed_sample(b->run, rng_bits(&b->random), b->rules.rows);
        return 0;
    }
    if (!b->sampled) {
        memcpy(row, b->train, (size_t)b->n_train * sizeof *row);
        return b->n_train;
    }
    for (int64_t i = 0; i < b->n_train;
         i++, left--) { /* all sets of `want` rows are equally likely, in ascending order */
        bool take = rng_uniform(&b->random) * (double)left < (double)(want - n);
        b->sampled[b->train[i]] = take;
        if (take) row[n++] = b->train[i];
    }
    return n;
}

static void add_leaf(const boosting *b, double *f, int32_t i)
{
    const uint8_t *code = b->data->codes.by_row + i * b->data->b->n_columns;
    f[i] += b->rules.rate * b->tree.node[tree_leaf(&b->tree, code)].value;
}

/* The leaves store the rows used for the tree; the others are passed down the tree. */
static void add_tree(boosting *b, double *f)
{
    const int32_t *row = grower_rows(b->grower);
    bool together = b->threads > 1 && b->n_train > BLOCK;
    if (b->run) packed_add(b->run, b->rules.rate, &b->tree);
#pragma omp taskgroup
    for (int k = 0; k < (b->run ? 0 : b->tree.n); k++) {
        const tree_node *leaf = &b->tree.node[k];
        double value = b->rules.rate * leaf->value;
        int64_t from = leaf->from, to = leaf->to;
        if (leaf->column >= 0) continue;
#pragma omp task if (together)
        for (int64_t i = from; i < to; i++) f[row[i]] += value;
    }
#pragma omp taskgroup
    for (int64_t block = 0; block < (b->sampled ? blocks_of(b) : 0); block++) {
#pragma omp task if (together)
        for (int64_t i = block * BLOCK; i < end_of_block(b->n_train, block); i++)
            if (!b->sampled[b->train[i]]) add_leaf(b, f, b->train[i]);
    }
    for (int64_t i = 0; i < b->n_held; i++) add_leaf(b, f, b->held[i]);
}

rung_status boosting_round(rung_ctx *ctx, boosting *b, pool *mem, double share, forest *keep)
{
    if (b->run && b->rules.nominal)
        packed_norms(b->run);
    else if (b->rules.nominal)
        norms(b);
    for (int q = 0; q < b->outputs; q++) {
        int64_t n = sample_rows(b);
        b->output = q;
        if (b->run)
            packed_output(b->run, q);
        else
            derivatives(b, n);
        TRY(grow(b->grower, &b->random, n, &b->units, &b->tree));
        if (b->run) packed_round_values(b->run, b->rules.rate, &b->tree);
        add_tree(b, b->f + q * b->data->n);
        if (keep) TRY(forest_add(ctx, mem, b->data->b, &b->tree, b->rules.rate / share, keep));
    }
    if (b->rules.nominal) return RUNG_OK;
    TRY(threshold_sums(b));
    step_thresholds(b);
    return RUNG_OK;
}
