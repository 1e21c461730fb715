// SPDX-License-Identifier: BSD-3-Clause
#include "trees/packed.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK = 4096, /* rows per partial sum: fixed, so that the bits do not depend on threads */
    SPAN = 64,    /* rows looked at together, ... */
    GLANCE = 16,  /* ... and passed over if none of them is in the leaf */
    PARTS = 4,    /* per thread */
    FEW = 1 << 15 /* rows that are not worth waking a second thread */
};

struct packed_run {
    rung_ctx *ctx;
    packed_options o;
    int32_t **f;           /* outputs: the words; only the first have a place */
    float *norm;           /* nominal */
    double unit;           /* of f */
    int32_t mask, top;     /* of a place; of f */
    int32_t outside, held; /* the first places that are not in the tree */
    int output;
    int32_t *rank0, *value; /* per place: rank - 1; what a tree adds to f */
    double *partial;        /* per block of a slot */
    tree_source source;
};

/* ---- rows ---- */

static int64_t places(int K, int leaves) { return (int64_t)(leaves + 2) * K; }

rung_status packed_new(rung_ctx *ctx, pool *mem, int64_t columns, int K, int leaves, packed_rows *out)
{
    *out = (packed_rows){.K = K, .leaves = leaves, .shift = 8, .columns = columns};
    while (INT64_C(1) << out->shift < places(K, leaves)) out->shift++;
    if (out->shift > PACKED_MOST_SHIFT)
        return hint(ctx,
                    set_error(ctx, RUNG_EARG, "trees of %d classes read in passes have at most %d leaves, not %d", K,
                              (1 << PACKED_MOST_SHIFT) / K - 2, leaves),
                    "parameter leaves");
    TRY(NEW(ctx, mem, out->count, K));
    return NEW(ctx, mem, out->mass, K);
}

double packed_bytes(int64_t n, int outputs) { return (double)n * (outputs > 1 ? 4.0 * outputs + 4 : 4); }

/* ---- a run ---- */

typedef void part_fn(packed_run *r, int64_t from, int64_t to, const void *user);

typedef struct { /* a task gets it by its address: clang 14 fails on a function in one */
    part_fn *fn;
    packed_run *r;
    const void *user;
} part_work;

static void one_part(const part_work *w, int64_t k, int64_t parts)
{
    int64_t n = w->r->o.rows->n;
    w->fn(w->r, n * k / parts, n * (k + 1) / parts, w->user);
}

static void in_parts(packed_run *r, part_fn *fn, const void *user)
{
    int64_t parts = r->o.threads > 1 && r->o.rows->n > FEW ? (int64_t)PARTS * r->o.threads : 1;
    part_work whole = {fn, r, user};
    const part_work *work = &whole;
#pragma omp taskgroup
    for (int64_t k = 0; k < parts; k++) {
#pragma omp task if (parts > 1)
        one_part(work, k, parts);
    }
}

static double f_of(const packed_run *r, int output, int64_t i)
{
    return (r->f[output][i] >> r->o.rows->shift) * r->unit;
}

static double weight_of(const packed_run *r, int64_t i) { return r->o.rows->w ? r->o.rows->w[i] : 1; }

static int rank_of(const packed_run *r, int32_t place)
{
    int rank = r->rank0[place] + 1;
    return r->o.rank ? r->o.rank[rank] : rank;
}

static void restart(packed_run *r, int64_t from, int64_t to, const void *user)
{
    const packed_rows *rows = r->o.rows;
    (void)user;
    for (int64_t i = from; i < to; i++) r->f[0][i] = r->rank0[rows->word[i] & r->mask];
    for (int q = 1; q < r->o.outputs; q++) memset(r->f[q] + from, 0, (size_t)(to - from) * sizeof **r->f);
}

static int64_t take(const void *user, const tree_pass *pass, int64_t *at, int64_t end, int32_t *row, tree_sums *sum);

rung_status packed_run_new(rung_ctx *ctx, pool *mem, const packed_options *options, packed_run **out)
{
    packed_run *r = NULL;
    const packed_rows *rows = options->rows;
    int64_t n = rows->n, all = places(rows->K, rows->leaves), longest = 0;
    TRY(NEW(ctx, mem, r, 1));
    *r = (packed_run){.ctx = ctx, .o = *options, .mask = (INT32_C(1) << rows->shift) - 1};
    r->top = (INT32_C(1) << (31 - rows->shift)) - 1;
    r->unit = PACKED_MOST / (r->top + 1);
    r->outside = rows->leaves * rows->K;
    r->held = r->outside + rows->K;
    TRY(pool_alloc(ctx, mem, options->outputs, sizeof *r->f, "functions", (void **)&r->f));
    r->f[0] = rows->word;
    for (int q = options->own_words ? 0 : 1; q < options->outputs; q++) TRY(NEW_RAW(ctx, mem, r->f[q], n));
    if (!options->link) TRY(NEW_RAW(ctx, mem, r->norm, n));
    TRY(NEW(ctx, mem, r->rank0, all));
    TRY(NEW(ctx, mem, r->value, all));
    for (int64_t k = 0; k < all; k++) r->rank0[k] = (int32_t)(k % rows->K);
    for (int64_t s = 0; s < rows->n_slots; s++) {
        int64_t count = rows->slot_end[s] - (s > 0 ? rows->slot_end[s - 1] : 0);
        if (count > longest) longest = count;
    }
    if (options->link) TRY(NEW(ctx, mem, r->partial, ordinal_sums(options->link) * ((longest + BLOCK - 1) / BLOCK)));
    r->source = (tree_source){.ctx = ctx, .n = n, .take = take, .user = r};
    in_parts(r, restart, NULL);
    *out = r;
    return RUNG_OK;
}

void packed_hold_out(packed_run *r, int64_t row) { r->f[0][row] = r->held + (r->f[0][row] & r->mask) % r->o.rows->K; }

const tree_source *packed_source(const packed_run *r) { return &r->source; }

/* ---- derivatives ---- */

static void ordinal_rows(const packed_run *r, int64_t n, const int32_t *row, tree_sums *sum)
{
    double f[LOSS_CHUNK], g[LOSS_CHUNK], h[LOSS_CHUNK];
    int rank[LOSS_CHUNK];
    for (int64_t i = 0; i < n; i++) {
        f[i] = f_of(r, 0, row[i]);
        rank[i] = rank_of(r, r->f[0][row[i]] & r->mask);
    }
    ordinal_derivatives(r->o.link, &(loss_rows){.n = (int)n, .f = f, .low = rank, .high = rank}, g, h);
    for (int64_t i = 0; i < n; i++) {
        double w = weight_of(r, row[i]);
        sum[i] = tree_sums_of(r->o.units, w * g[i], w * h[i]);
    }
}

static void nominal_rows(const packed_run *r, int64_t n, const int32_t *row, tree_sums *sum)
{
    double factor = (double)r->o.outputs / (r->o.outputs - 1);
    for (int64_t i = 0; i < n; i++) {
        double w = weight_of(r, row[i]);
        double p = exp(f_of(r, r->output, row[i]) + r->o.start[r->output] - r->norm[row[i]]);
        double own = rank_of(r, r->f[0][row[i]] & r->mask) == r->output + 1;
        sum[i] = tree_sums_of(r->o.units, w * (p - own), w * factor * p * (1 - p));
    }
}

static void norm_part(packed_run *r, int64_t from, int64_t to, const void *user)
{
    (void)user;
    for (int64_t i = from; i < to; i++) {
        double most = -INFINITY, sum = 0;
        for (int q = 0; q < r->o.outputs; q++) most = fmax(most, f_of(r, q, i) + r->o.start[q]);
        for (int q = 0; q < r->o.outputs; q++) sum += exp(f_of(r, q, i) + r->o.start[q] - most);
        r->norm[i] = (float)(most + log(sum));
    }
}

void packed_norms(packed_run *r) { in_parts(r, norm_part, NULL); }
void packed_output(packed_run *r, int output) { r->output = output; }

/* ---- growing a tree ---- */

/* Whether any of GLANCE rows is in the places from `low` on: of others
 * place - low or low + K - 1 - place is negative. */
static bool any_of(const int32_t *word, int32_t mask, int32_t low, int32_t K)
{
    int32_t none = -1;
    for (int i = 0; i < GLANCE; i++) {
        int32_t above = (word[i] & mask) - low;
        none &= above | (K - 1 - above);
    }
    return none >= 0;
}

/* Rows of a leaf among at most SPAN from `first` on. */
static int list_leaf(const packed_run *r, int leaf, int64_t first, int64_t end, int32_t *row)
{
    const int32_t *word = r->f[0];
    int32_t K = r->o.rows->K, low = leaf * K, mask = r->mask;
    int n = 0;
    for (int64_t i = first, stop; i < end; i = stop) {
        stop = i + GLANCE < end ? i + GLANCE : end;
        if (stop == i + GLANCE && !any_of(word + i, mask, low, K)) continue;
        for (int64_t k = i; k < stop; k++) {
            row[n] = (int32_t)k;
            n += (uint32_t)((word[k] & mask) - low) < (uint32_t)K;
        }
    }
    return n;
}

/* Divides the rows listed; returns how many of the wanted leaf are at `wanted`, which may be the list itself. */
static int divide(const packed_run *r, const tree_pass *p, int n, const int32_t *row, int32_t *wanted)
{
    const packed_rows *rows = r->o.rows;
    const uint8_t *code = rows->code + p->column;
    int32_t step = (p->right - p->leaf) * rows->K;
    bool keep_left = p->wanted == p->leaf, keep_right = p->wanted == p->right;
    int kept = 0;
    for (int i = 0; i < n; i++) __builtin_prefetch(code + row[i] * rows->columns);
    for (int i = 0; i < n; i++) {
        int32_t at = row[i];
        bool left = p->left[code[at * rows->columns]];
        r->f[0][at] += left ? 0 : step;
        wanted[kept] = at;
        kept += left ? keep_left : keep_right;
    }
    return kept;
}

static int64_t take(const void *user, const tree_pass *pass, int64_t *at, int64_t end, int32_t *row, tree_sums *sum)
{
    const packed_run *r = user;
    int32_t some[SPAN];
    int64_t n = 0;
    while (*at < end && n + SPAN <= TREE_TAKEN) {
        int64_t stop = *at + SPAN < end ? *at + SPAN : end;
        if (pass->right < 0) {
            n += list_leaf(r, pass->leaf, *at, stop, row + n);
        } else {
            int found = list_leaf(r, pass->leaf, *at, stop, some), kept = divide(r, pass, found, some, some);
            if (pass->wanted >= 0) memcpy(row + n, some, (size_t)kept * sizeof *row);
            if (pass->wanted >= 0) n += kept;
        }
        *at = stop;
    }
    if (pass->wanted < 0) return 0;
    if (r->o.link)
        ordinal_rows(r, n, row, sum);
    else
        nominal_rows(r, n, row, sum);
    return n;
}

static uint64_t mixed(uint64_t z) /* splitmix64 */
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

typedef struct {
    uint64_t salt;
    double share;
} sampling;

static void sample_part(packed_run *r, int64_t from, int64_t to, const void *user)
{
    const sampling *s = user;
    for (int64_t i = from; i < to; i++) {
        int32_t place = r->f[0][i] & r->mask;
        uint64_t number = (uint64_t)(r->o.rows->before + i);
        bool taken = (double)(mixed(mixed(number) ^ s->salt) >> 11) * 0x1p-53 < s->share;
        if (place < r->held) r->f[0][i] += r->rank0[place] + (taken ? 0 : r->outside) - place;
    }
}

void packed_sample(packed_run *r, uint64_t salt, double share) { in_parts(r, sample_part, &(sampling){salt, share}); }

/* ---- adding a tree ---- */

static int32_t whole_value(const packed_run *r, double value) { return (int32_t)lrint(value / r->unit); }

void packed_round_values(const packed_run *r, double rate, tree *t)
{
    for (int k = 0; k < t->n; k++)
        if (t->node[k].column < 0) t->node[k].value = whole_value(r, rate * t->node[k].value) * r->unit / rate;
}

static void add_part(packed_run *r, int64_t from, int64_t to, const void *user)
{
    const packed_rows *rows = r->o.rows;
    const tree *t = user;
    int32_t *f = r->f[r->output], factor = r->mask + 1;
    for (int64_t i = from; i < to; i++) {
        int32_t place = r->f[0][i] & r->mask, leaf = place;
        if (place >= r->held) continue;
        if (place >= r->outside) leaf = t->node[tree_leaf(t, rows->code + i * rows->columns)].leaf * rows->K;
        int32_t sum = (f[i] >> rows->shift) + r->value[leaf];
        sum = sum > r->top ? r->top : sum < -r->top ? -r->top : sum;
        r->f[0][i] += r->rank0[place] - place; /* in the root of the next tree */
        f[i] = sum * factor + (f[i] & r->mask);
    }
}

void packed_add(packed_run *r, double rate, const tree *t)
{
    int K = r->o.rows->K;
    for (int k = 0; k < t->n; k++)
        if (t->node[k].column < 0)
            for (int q = 0; q < K; q++) r->value[t->node[k].leaf * K + q] = whole_value(r, rate * t->node[k].value);
    in_parts(r, add_part, t);
}

/* ---- thresholds ---- */

static void threshold_block(const packed_run *r, int64_t from, int64_t to, double *sum)
{
    double f[LOSS_CHUNK], w[LOSS_CHUNK];
    int rank[LOSS_CHUNK];
    while (from < to) {
        int n = 0;
        for (; from < to && n < LOSS_CHUNK; from++) {
            int32_t place = r->f[0][from] & r->mask;
            if (place >= r->held) continue;
            f[n] = f_of(r, 0, from);
            w[n] = weight_of(r, from);
            rank[n++] = rank_of(r, place);
        }
        ordinal_sum(r->o.link, &(loss_rows){.n = n, .f = f, .low = rank, .high = rank, .w = w}, sum);
    }
}

static rung_status threshold_slot(rung_ctx *ctx, void *user, int64_t slot, double *sum)
{
    const packed_run *r = user;
    int64_t end = r->o.rows->slot_end[slot], first = slot > 0 ? r->o.rows->slot_end[slot - 1] : 0;
    int64_t size = ordinal_sums(r->o.link), blocks = (end - first + BLOCK - 1) / BLOCK;
    (void)ctx;
    memset(r->partial, 0, (size_t)(size * blocks) * sizeof *r->partial);
#pragma omp taskgroup
    for (int64_t k = 0; k < blocks; k++) {
        int64_t from = first + k * BLOCK, to = from + BLOCK < end ? from + BLOCK : end;
#pragma omp task if (r->o.threads > 1 && blocks > 1)
        threshold_block(r, from, to, r->partial + size * k);
    }
    for (int64_t k = 0; k < blocks; k++)
        for (int64_t j = 0; j < size; j++) sum[j] += r->partial[size * k + j];
    return RUNG_OK;
}

rung_status packed_threshold_sums(packed_run *r, double *sum)
{
    return comm_tree_sum(r->ctx, r->o.rows->n_slots, threshold_slot, r, ordinal_sums(r->o.link), sum);
}

/* ---- the mean of several ---- */

void packed_add_to(const packed_run *r, int32_t *total)
{
    for (int64_t i = 0; i < r->o.rows->n; i++) total[i] += r->f[0][i] >> r->o.rows->shift;
}

void packed_take_mean(packed_run *r, const int32_t *total, int count)
{
    for (int64_t i = 0; i < r->o.rows->n; i++)
        r->f[0][i] = (int32_t)lrint((double)total[i] / count) * (r->mask + 1) + (r->f[0][i] & r->mask);
}
