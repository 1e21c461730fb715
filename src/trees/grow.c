// SPDX-License-Identifier: BSD-3-Clause
#include "trees/grow.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "trees/gains.h"

enum {
    TOGETHER_CELLS = 1 << 17, /* work on fewer cells, or rows to divide, is not worth waking a second thread */
    TOGETHER_ROWS = 1 << 15,
    TASKS = 4, /* per thread */
    AHEAD = 32 /* rows fetched in advance */
};
static const double LEAST_GAIN = 1e-9;
/* Categories are ordered by their own derivatives, which makes the best split look too good: it must gain more, and
 * rare categories stay in the middle. */
static const double CATEGORY_L2 = 5, CATEGORY_SMOOTH = 5;
/* Of n categories of equal weight that say nothing the best division gains 2 n / pi, because it has all positive sums
 * on one side. Half of this, beyond what few categories gain, does not count: noise in 150 categories then loses most
 * of its part, and categories that matter keep theirs. */
static const double CATEGORY_NOISE = 1 / 3.14159265358979, CATEGORY_FREE = 2;

typedef struct {
    double gain; /* <= 0: none */
    int64_t column;
    int bin;
    bool missing_right;
    uint64_t set[SET_WORDS];
    tree_sums left;
} split;

typedef struct { /* a leaf that may be split */
    int node;
    int64_t from, to;
    tree_sums sum, *hist;
    double low, high; /* bounds of its value */
    split best;
} open_leaf;

struct grower {
    const tree_bins *b;
    const uint8_t *by_row;
    const tree_codes *codes;
    tree_rules rules;
    int threads;
    int64_t columns, n_active, *active; /* that this tree may use */
    int64_t *at, width;                 /* the start of the histogram of a column; bins of all columns, ... */
    int64_t cells;                      /* ... and with the sum over all rows where there is a source */
    const tree_source *source;          /* NULL: rows are here: */
    int32_t *row, *other;               /* the rows of each leaf are contiguous, and ascending ... */
    tree_sums *sum, *other_sum;         /* ... their derivatives */
    tree_pass pass;                     /* over the rows of the source */
    bool goes_left[BIN_ROOM];           /* of the last split */
    int64_t *left;                      /* per task: rows that go left */
    bool *used;                         /* per thread: it has a part of the histogram */
    tree_sums **hist, **part;           /* rules.leaves of them; one for each thread but the first */
    open_leaf *leaf;
    split *found; /* 2 x columns */
    const tree_units *units;
};

/* ---- derivatives ---- */

tree_units tree_units_for(int64_t n, double most_g, double most_h)
{
    int shift = 1;
    while (n >> shift) shift++;
    int g, h;
    frexp(fmax(most_g, 1e-300), &g);
    frexp(fmax(most_h, 1e-300), &h);
    return (tree_units){.shift = shift, .g = ldexp(1, g - 61), .h = ldexp(1, h - (61 - shift))};
}

static int64_t count_of(const grower *g, tree_sums s) { return s[1] & (((int64_t)1 << g->units->shift) - 1); }
static double g_of(const grower *g, tree_sums s) { return (double)s[0] * g->units->g; }
static double h_of(const grower *g, tree_sums s) { return (double)(s[1] >> g->units->shift) * g->units->h; }

/* ---- histograms ---- */

static void add_some(const grower *g, int64_t n, const int32_t *row, const tree_sums *sum, tree_sums *hist)
{
    int64_t columns = g->columns, active = g->n_active;
    for (int64_t i = 0; i < n; i++) {
        const uint8_t *code = g->by_row + row[i] * columns;
        tree_sums s = sum[i];
        if (i + AHEAD < n) {
            const uint8_t *next = g->by_row + row[i + AHEAD] * columns;
            __builtin_prefetch(next);
            __builtin_prefetch(next + columns - 1);
        }
        if (active == columns)
            for (int64_t c = 0; c < columns; c++) hist[g->at[c] + code[c]] += s;
        else
            for (int64_t k = 0; k < active; k++) hist[g->at[g->active[k]] + code[g->active[k]]] += s;
    }
}

/* Rows from..to, as the grower holds them, or of the source in this pass. */
static void add_rows(const grower *g, int64_t from, int64_t to, tree_sums *hist)
{
    int32_t row[TREE_TAKEN];
    tree_sums sum[TREE_TAKEN], total = {0, 0};
    if (!g->source) {
        add_some(g, to - from, g->row + from, g->sum + from, hist);
        return;
    }
    while (from < to) {
        int64_t n = g->source->take(g->source->user, &g->pass, &from, to, row, sum);
        add_some(g, n, row, sum, hist);
        for (int64_t i = 0; i < n; i++) total += sum[i];
    }
    hist[g->width] += total;
}

/* ---- the best split of a column ---- */

static double bounded(double x, double low, double high) { return fmin(fmax(x, low), high); }

static double value_of(const grower *g, const open_leaf *l, tree_sums s)
{
    return bounded(-g_of(g, s) / (h_of(g, s) + g->rules.l2), l->low, l->high);
}

/* Of a single node: twice the decrease of the loss by its value. */
static double worth(double G, double H, double l2) { return G * G / (H + l2); }

static double bounded_worth(const grower *g, const open_leaf *l, tree_sums s, double l2)
{
    double H = h_of(g, s) + l2, v = bounded(-g_of(g, s) / H, l->low, l->high);
    return -(2 * g_of(g, s) + H * v) * v;
}

/* gain of separating the rows `left` from the others, -1 if not allowed. */
static inline double gain_of(const grower *g, const open_leaf *l, int64_t c, tree_sums left, double l2, double whole)
{
    tree_sums right = l->sum - left;
    if (count_of(g, left) < g->rules.min_rows || count_of(g, right) < g->rules.min_rows) return -1;
    if (!g->rules.monotone)
        return worth(g_of(g, left), h_of(g, left), l2) + worth(g_of(g, right), h_of(g, right), l2) - whole;
    int direction = g->rules.monotone[c];
    if (direction && direction * (value_of(g, l, right) - value_of(g, l, left)) < 0) return -1;
    return bounded_worth(g, l, left, l2) + bounded_worth(g, l, right, l2) - bounded_worth(g, l, l->sum, l2);
}

typedef struct { /* splits of a column of numbers: their left sides without missing cells */
    int n, bin[BIN_ROOM];
    int64_t g[BIN_ROOM], h[BIN_ROOM];
} prefixes;

/* After every bin with rows, up to `last`. Which bins have rows cannot be predicted: there is no branch for it. */
static void add_up(const tree_sums *hist, int last, prefixes *out)
{
    tree_sums left = {0, 0};
    out->n = 0;
    for (int b = 1; b <= last; b++) {
        left += hist[b];
        out->bin[out->n] = b;
        out->g[out->n] = left[0];
        out->h[out->n] = left[1];
        out->n += hist[b][1] != 0;
    }
}

/* With the missing cells on the left: `missing` is their sum, otherwise 0. */
static void prefix_gains_of(const grower *g, const open_leaf *l, int64_t c, tree_sums missing, const prefixes *p,
                            double *gain)
{
    double l2 = g->rules.l2, whole = worth(g_of(g, l->sum), h_of(g, l->sum), l2);
    if (!g->rules.monotone) {
        gain_leaf leaf = {l->sum, missing, *g->units, g->rules.min_rows, l2, whole};
        prefix_gains(&leaf, p->n, p->g, p->h, gain);
        return;
    }
    for (int k = 0; k < p->n; k++) gain[k] = gain_of(g, l, c, (tree_sums){p->g[k], p->h[k]} + missing, l2, whole);
}

static void split_number(const grower *g, const open_leaf *l, int64_t c, split *best)
{
    const tree_sums *hist = l->hist + g->at[c];
    bool missing = hist[0][1] != 0;
    int count = g->b->count[c], found = -1;
    double right[BIN_ROOM], left[BIN_ROOM];
    prefixes p;
    add_up(hist, missing ? count : count - 1, &p);
    prefix_gains_of(g, l, c, (tree_sums){0, 0}, &p, right);
    if (missing) prefix_gains_of(g, l, c, hist[0], &p, left);
    for (int k = 0; k < p.n; k++) {
        if (right[k] > best->gain) best->gain = right[k], best->missing_right = true, found = k;
        if (missing && left[k] > best->gain) best->gain = left[k], best->missing_right = false, found = k;
    }
    if (found < 0) return;
    best->bin = p.bin[found]; /* found < p.n */ // NOLINT(clang-analyzer-core.uninitialized.Assign)
    best->left = (tree_sums){p.g[found], p.h[found]};
    if (!best->missing_right) best->left += hist[0];
    if (!missing) best->missing_right = 2 * count_of(g, best->left) < count_of(g, l->sum); /* with most rows */
}

typedef struct {
    double key;
    int bin;
} ordered_bin;

static int by_key(const void *a, const void *b)
{
    const ordered_bin *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : x->bin - y->bin;
}

/* What a division of the categories gains by chance alone. */
static double chance_gain(const grower *g, const open_leaf *l, int64_t c, double l2)
{
    const tree_sums *hist = l->hist + g->at[c];
    double roots = 0;
    for (int b = 0; b <= g->b->count[c]; b++) roots += sqrt(fmax(h_of(g, hist[b]), 0));
    return fmax(CATEGORY_NOISE * roots * roots / (h_of(g, l->sum) + 2 * l2) - CATEGORY_FREE, 0);
}

/* The categories up to best->bin in their order go left. What has no rows in the leaf, a missing cell or a category,
 * goes with most rows, or else with the first category that has some: always to one side it would be taken for a low
 * rank, or, if the order of the classes were reversed, for a high one. */
static void put_categories(const grower *g, const open_leaf *l, int64_t c, const ordered_bin *order, int n, split *best)
{
    int64_t left = count_of(g, best->left), right = count_of(g, l->sum) - left;
    bool is_left[BIN_ROOM], seen[BIN_ROOM] = {false};
    int first = BIN_ROOM;
    for (int k = 0; k < n; k++) {
        seen[order[k].bin] = true;
        is_left[order[k].bin] = k <= best->bin;
        first = order[k].bin < first ? order[k].bin : first;
    }
    bool unseen = left != right ? left > right : is_left[first];
    memset(best->set, 0, sizeof best->set);
    for (int b = 0; b <= g->b->count[c]; b++)
        if (seen[b] ? is_left[b] : unseen) best->set[b / 64] |= (uint64_t)1 << b % 64;
    best->missing_right = !(best->set[0] & 1);
}

/* Fisher's grouping: of all divisions of the categories the best one cuts their order by G / H. */
static void split_text(const grower *g, const open_leaf *l, int64_t c, split *best)
{
    const tree_sums *hist = l->hist + g->at[c];
    ordered_bin order[BIN_ROOM];
    tree_sums left = {0, 0};
    int n = 0;
    double l2 = g->rules.l2 + (g->b->count[c] > 2 ? CATEGORY_L2 : 0);
    double whole = worth(g_of(g, l->sum), h_of(g, l->sum), l2), chance = chance_gain(g, l, c, l2);
    for (int b = 0; b <= g->b->count[c]; b++)
        if (hist[b][1]) order[n++] = (ordered_bin){g_of(g, hist[b]) / (h_of(g, hist[b]) + CATEGORY_SMOOTH), b};
    if (n < 2) return;
    qsort(order, (size_t)n, sizeof *order, by_key);
    for (int k = 0; k < n - 1; k++) {
        left += hist[order[k].bin];
        double gain = gain_of(g, l, c, left, l2, whole) - chance;
        if (gain > best->gain) best->gain = gain, best->bin = k, best->left = left;
    }
    if (best->gain <= 0) return;
    put_categories(g, l, c, order, n, best);
}

static void search_column(const grower *g, const open_leaf *l, int64_t c, split *best)
{
    *best = (split){.gain = LEAST_GAIN, .column = c};
    if (g->b->category[c])
        split_text(g, l, c, best);
    else
        split_number(g, l, c, best);
}

static bool may_split(const grower *g, const open_leaf *l) { return l->to - l->from >= 2 * g->rules.min_rows; }

/* ---- the best split of a leaf ---- */

/* Column k of those active: its histogram in the small leaf is complete once the parts of the other threads are added,
 * that in the large one is the rest of its parent's; then the best split in both. large NULL: the small leaf is the
 * root. */
static void finish_column(const grower *g, int64_t k, const open_leaf *small, const open_leaf *large)
{
    int64_t c = g->active[k], from = g->at[c], to = from + g->b->count[c] + 1;
    for (int t = 1; t < g->threads; t++)
        for (int64_t j = from; j < to && g->used[t]; j++) small->hist[j] += g->part[t - 1][j];
    if (may_split(g, small)) search_column(g, small, c, &g->found[k]);
    if (!large) return;
    for (int64_t j = from; j < to; j++) large->hist[j] -= small->hist[j];
    if (may_split(g, large)) search_column(g, large, c, &g->found[g->n_active + k]);
}

static void take_best(const grower *g, const split *found, open_leaf *l)
{
    l->best = (split){.gain = LEAST_GAIN, .column = -1};
    for (int64_t k = 0; k < g->n_active && may_split(g, l); k++)
        if (found[k].gain > l->best.gain) l->best = found[k];
}

/* A source goes through all its rows. */
static int64_t rows_to_add(const grower *g, const open_leaf *l) { return g->source ? g->source->n : l->to - l->from; }

/* The histogram of a leaf, by tasks; each thread has one of its own, the first that of the leaf. */
static void add_together(const grower *g, const open_leaf *l)
{
    int64_t from = g->source ? 0 : l->from, n = rows_to_add(g, l), tasks = (int64_t)TASKS * g->threads;
    size_t size = (size_t)g->cells * sizeof *l->hist;
#pragma omp taskgroup
    for (int64_t k = 0; k < tasks; k++) {
#pragma omp task
        {
            int t = omp_get_thread_num();
            tree_sums *own = t == 0 ? l->hist : g->part[t - 1];
            if (!g->used[t]) memset(own, 0, size);
            g->used[t] = true;
            add_rows(g, from + n * k / tasks, from + n * (k + 1) / tasks, own);
        }
    }
    if (!g->used[0]) memset(l->hist, 0, size);
}

static bool is_large(const grower *g, const open_leaf *l)
{
    return g->threads > 1 && rows_to_add(g, l) * g->n_active >= TOGETHER_CELLS;
}

/* Everybody's rows of the source: what the search needs at once, before it adds the parts of the threads. */
static rung_status add_everybody(const grower *g, const open_leaf *l)
{
    bool alone = comm_processes(g->source->ctx) == 1;
    for (int t = 1; t < g->threads; t++) {
        if (!g->used[t]) continue;
        for (int64_t j = alone ? g->width : 0; j < g->cells; j++) l->hist[j] += g->part[t - 1][j];
        g->used[t] = alone;
    }
    return comm_sum_whole(g->source->ctx, 2 * g->cells, (int64_t *)l->hist);
}

static rung_status add_leaf(const grower *g, const open_leaf *l)
{
    for (int t = 0; t < g->threads; t++) g->used[t] = false;
    if (is_large(g, l)) {
        add_together(g, l);
    } else {
        memset(l->hist, 0, (size_t)g->cells * sizeof *l->hist);
        add_rows(g, g->source ? 0 : l->from, g->source ? g->source->n : l->to, l->hist);
    }
    return g->source ? add_everybody(g, l) : RUNG_OK;
}

/* The best splits of a leaf whose histogram was just added and of its larger sibling, which has that of their parent.
 */
static void search(const grower *g, open_leaf *small, open_leaf *large)
{
    bool together = is_large(g, small);
    int64_t columns = g->n_active, parts = together ? g->threads : 1;
#pragma omp taskgroup
    for (int64_t i = 0; i < parts; i++) {
#pragma omp task if (together)
        for (int64_t k = columns * i / parts; k < columns * (i + 1) / parts; k++) finish_column(g, k, small, large);
    }
    take_best(g, g->found, small);
    if (large) take_best(g, g->found + g->n_active, large);
}

/* ---- growing ---- */

static bool goes_left(const tree_node *t, int code)
{
    if (code == 0) return !t->missing_right;
    return t->set ? t->set[code / 64] >> code % 64 & 1 : code <= t->bin;
}

int tree_leaf(const tree *t, const uint8_t *code)
{
    int at = 0;
    while (t->node[at].column >= 0) at = t->node[at].left + !goes_left(&t->node[at], code[t->node[at].column]);
    return at;
}

typedef struct {
    const uint8_t *code; /* of the column */
    bool left[BIN_ROOM];
} division;

static inline bool row_left(const division *d, int32_t row) { return d->left[d->code[row]]; }

static int64_t count_left(const grower *g, const division *d, int64_t from, int64_t to)
{
    int64_t n = 0;
    for (int64_t i = from; i < to; i++) n += row_left(d, g->row[i]);
    return n;
}

/* Rows from..to: those that go left to `at` of the room, the others to `right` of it. */
static void place(const grower *g, const division *d, int64_t from, int64_t to, int64_t at, int64_t right)
{
    for (int64_t i = from; i < to; i++) {
        int32_t r = g->row[i];
        bool is_left = row_left(d, r);
        int64_t k = is_left ? at : right;
        g->other[k] = r;
        g->other_sum[k] = g->sum[i];
        at += is_left;
        right += !is_left;
    }
}

static void put_back(const grower *g, int64_t from, int64_t to)
{
    memcpy(g->row + from, g->other + from, (size_t)(to - from) * sizeof *g->row);
    memcpy(g->sum + from, g->other_sum + from, (size_t)(to - from) * sizeof *g->sum);
}

/* Without a second pass: the left ones stay in front, only the others go through the room. */
static int64_t divide_alone(const grower *g, const division *d, int64_t from, int64_t to)
{
    int64_t n = from, right = from;
    for (int64_t i = from; i < to; i++) {
        int32_t r = g->row[i];
        bool is_left = row_left(d, r);
        g->row[n] = g->other[right] = r;
        g->sum[n] = g->other_sum[right] = g->sum[i];
        n += is_left;
        right += !is_left;
    }
    memcpy(g->row + n, g->other + from, (size_t)(to - n) * sizeof *g->row);
    memcpy(g->sum + n, g->other_sum + from, (size_t)(to - n) * sizeof *g->sum);
    return n;
}

/* Partitions the rows of a leaf, those that go left first, each side in order; returns where the right ones begin. */
static int64_t divide(const grower *g, const tree_node *t, int64_t from, int64_t to)
{
    division d = {.code = g->codes->by_column + t->column * g->codes->n};
    for (int b = 0; b < BIN_ROOM; b++) d.left[b] = goes_left(t, b);
    if (g->threads == 1 || to - from < TOGETHER_ROWS) return divide_alone(g, &d, from, to);
    int64_t n = to - from, tasks = (int64_t)TASKS * g->threads, all = 0;
    const division *by = &d;
#pragma omp taskgroup
    for (int64_t k = 0; k < tasks; k++) {
#pragma omp task
        g->left[k] = count_left(g, by, from + n * k / tasks, from + n * (k + 1) / tasks);
    }
    for (int64_t k = 0; k < tasks; k++) { /* from counts to the number before */
        int64_t count = g->left[k];
        g->left[k] = all;
        all += count;
    }
#pragma omp taskgroup
    for (int64_t k = 0; k < tasks; k++) {
        int64_t first = from + n * k / tasks, end = from + n * (k + 1) / tasks, left = from + g->left[k];
#pragma omp task
        place(g, by, first, end, left, from + all + (first - left));
    }
#pragma omp taskgroup
    for (int64_t k = 0; k < tasks; k++) {
#pragma omp task
        put_back(g, from + n * k / tasks, from + n * (k + 1) / tasks);
    }
    return from + all;
}

static void choose_columns(grower *g, rng *r)
{
    g->n_active = 0;
    for (int64_t c = 0; c < g->columns; c++)
        if (g->b->varies[c]) g->active[g->n_active++] = c;
    int64_t keep = (int64_t)ceil(g->rules.columns * (double)g->n_active - 1e-9);
    if (keep >= g->n_active || keep < 1) return;
    for (int64_t k = 0; k < keep; k++) { /* the first steps of a shuffle, then in order again */
        int64_t other = k + rng_below(r, g->n_active - k), c = g->active[k];
        g->active[k] = g->active[other];
        g->active[other] = c;
    }
    g->n_active = keep;
    for (int64_t k = 1; k < keep; k++)
        for (int64_t j = k; j > 0 && g->active[j - 1] > g->active[j]; j--) {
            int64_t c = g->active[j];
            g->active[j] = g->active[j - 1];
            g->active[j - 1] = c;
        }
}

/* The rows of a source are divided in the pass that adds a histogram; only their number is needed before. */
static int64_t divide_later(grower *g, const open_leaf *l, const open_leaf *right, const tree_node *t)
{
    for (int b = 0; b < BIN_ROOM; b++) g->goes_left[b] = goes_left(t, b);
    g->pass = (tree_pass){.leaf = (int)(l - g->leaf),
                          .right = (int)(right - g->leaf),
                          .column = t->column,
                          .left = g->goes_left,
                          .wanted = -1};
    return l->from + count_of(g, l->best.left);
}

/* Puts the split into the tree and divides the rows; l becomes the left leaf. */
static void apply_split(grower *g, open_leaf *l, open_leaf *right, tree *out)
{
    tree_node *t = &out->node[l->node];
    double lower = value_of(g, l, l->best.left), upper = value_of(g, l, l->sum - l->best.left);
    int direction = g->rules.monotone ? g->rules.monotone[l->best.column] : 0;
    *t = (tree_node){.column = (int)l->best.column,
                     .left = out->n,
                     .bin = l->best.bin,
                     .missing_right = l->best.missing_right,
                     .value = l->best.gain};
    if (g->b->category[t->column]) {
        t->set = out->sets + (int64_t)SET_WORDS * ((out->n - 1) / 2);
        memcpy(t->set, l->best.set, sizeof l->best.set);
    }
    int64_t middle = g->source ? divide_later(g, l, right, t) : divide(g, t, l->from, l->to);
    *right = *l;
    right->sum = l->sum - l->best.left;
    l->sum = l->best.left;
    right->from = l->to = middle;
    l->node = out->n++;
    right->node = out->n++;
    if (direction > 0) l->high = right->low = (lower + upper) / 2;
    if (direction < 0) l->low = right->high = (lower + upper) / 2;
}

static void close_leaves(const grower *g, int leaves, tree *out)
{
    for (int i = 0; i < leaves; i++) {
        const open_leaf *l = &g->leaf[i];
        tree_node *t = &out->node[l->node];
        *t = (tree_node){.column = -1, .value = value_of(g, l, l->sum), .from = l->from, .to = l->to, .leaf = i};
    }
}

static rung_status search_children(grower *g, open_leaf *left, open_leaf *right, tree_sums *fresh)
{
    bool less = left->to - left->from <= right->to - right->from;
    open_leaf *small = less ? left : right, *large = less ? right : left;
    large->hist = left->hist; /* their parent's */
    small->hist = fresh;
    g->pass.wanted = (int)(small - g->leaf);
    TRY(add_leaf(g, small));
    search(g, small, large);
    return RUNG_OK;
}

/* Divides the rows of a source where no histogram is needed. */
static void divide_only(const grower *g)
{
    int64_t n = g->source->n, tasks = g->threads > 1 && n >= TOGETHER_ROWS ? (int64_t)TASKS * g->threads : 1;
#pragma omp taskgroup
    for (int64_t k = 0; k < tasks; k++) {
#pragma omp task if (tasks > 1)
        for (int64_t at = n * k / tasks; at < n * (k + 1) / tasks;)
            g->source->take(g->source->user, &g->pass, &at, n * (k + 1) / tasks, NULL, NULL);
    }
}

/* n: rows, where the grower has them. */
static rung_status search_root(grower *g, int64_t n, open_leaf *root)
{
    *root = (open_leaf){.to = n, .hist = g->hist[0], .low = -TREE_MOST, .high = TREE_MOST};
    root->best = (split){.gain = LEAST_GAIN, .column = -1};
    if (g->source) {
        g->pass = (tree_pass){.right = -1};
        TRY(add_leaf(g, root));
        root->sum = root->hist[g->width];
        root->to = count_of(g, root->sum);
    } else {
        for (int64_t i = 0; i < n; i++) root->sum += g->sum[i];
        if (may_split(g, root)) TRY(add_leaf(g, root));
    }
    if (may_split(g, root)) search(g, root, NULL);
    return RUNG_OK;
}

rung_status grow(grower *g, rng *r, int64_t n, const tree_units *units, tree *out)
{
    g->units = units;
    choose_columns(g, r);
    out->n = 1;
    int leaves = 1;
    TRY(search_root(g, n, &g->leaf[0]));
    while (leaves < g->rules.leaves) {
        open_leaf *best = &g->leaf[0], *right = &g->leaf[leaves];
        for (int i = 1; i < leaves; i++)
            if (g->leaf[i].best.gain > best->best.gain) best = &g->leaf[i];
        if (best->best.column < 0) break;
        apply_split(g, best, right, out);
        leaves++;
        best->best.column = right->best.column = -1;
        best->best.gain = right->best.gain = LEAST_GAIN;
        if (leaves < g->rules.leaves && (may_split(g, best) || may_split(g, right)))
            TRY(search_children(g, best, right, g->hist[leaves - 1]));
        else if (g->source)
            divide_only(g);
    }
    close_leaves(g, leaves, out);
    return RUNG_OK;
}

/* ---- room ---- */

rung_status tree_new(rung_ctx *ctx, pool *mem, int leaves, tree *out)
{
    *out = (tree){0};
    TRY(NEW(ctx, mem, out->node, 2 * leaves - 1));
    TRY(NEW(ctx, mem, out->order, 2 * leaves - 1));
    return NEW(ctx, mem, out->sets, (int64_t)SET_WORDS * leaves);
}

rung_status grower_new(rung_ctx *ctx, pool *mem, const tree_rows *rows, int64_t most, const tree_rules *rules,
                       int threads, grower **out)
{
    const tree_bins *b = rows->b;
    grower *g = NULL;
    TRY(NEW(ctx, mem, g, 1));
    *g = (grower){.b = b, .by_row = rows->by_row, .codes = rows->codes, .rules = *rules, .threads = threads};
    g->columns = b->n_columns;
    g->source = rows->source;
    TRY(NEW(ctx, mem, g->active, g->columns));
    TRY(NEW(ctx, mem, g->at, g->columns));
    for (int64_t c = 0; c < g->columns; c++) {
        g->at[c] = g->width;
        g->width += b->count[c] + 1;
    }
    g->cells = g->width + (g->source != NULL);
    TRY(NEW_RAW(ctx, mem, g->row, most));
    TRY(NEW_RAW(ctx, mem, g->other, most));
    TRY(NEW_RAW(ctx, mem, g->sum, most));
    TRY(NEW_RAW(ctx, mem, g->other_sum, most));
    TRY(NEW(ctx, mem, g->left, (int64_t)TASKS * threads));
    TRY(NEW(ctx, mem, g->used, threads));
    TRY(NEW(ctx, mem, g->leaf, rules->leaves));
    TRY(NEW(ctx, mem, g->found, 2 * g->columns));
    TRY(NEW(ctx, mem, g->hist, rules->leaves));
    TRY(NEW(ctx, mem, g->part, threads));
    for (int i = 0; i < rules->leaves; i++) TRY(NEW_RAW(ctx, mem, g->hist[i], g->cells));
    for (int i = 0; i < threads - 1; i++) TRY(NEW_RAW(ctx, mem, g->part[i], g->cells));
    *out = g;
    return RUNG_OK;
}

double grower_bytes(int64_t columns, int64_t rows, int64_t binned, int leaves, int threads)
{
    double width = fmin(BIN_ROOM, (double)binned + 1), of_row = 2 * (sizeof(int32_t) + sizeof(tree_sums));
    double of_column = sizeof(tree_sums) * width * (leaves + threads - 1) + 2 * sizeof(split) + 2 * sizeof(int64_t);
    return of_row * (double)rows + of_column * (double)columns;
}

int32_t *grower_rows(grower *g) { return g->row; }
tree_sums *grower_sums(grower *g) { return g->sum; }
