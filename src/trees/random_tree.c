// SPDX-License-Identifier: BSD-3-Clause
#include "trees/random_tree.h"

#include <math.h>
#include <string.h>

typedef struct { /* a node that may be split: its rows are those from..to */
    int node;
    int64_t from, to;
} open_node;

typedef struct {
    int64_t column;
    int bin;
    bool missing_right;
    uint64_t set[SET_WORDS];
    double impurity; /* of both sides */
} random_split;

struct random_grower {
    const boost_rows *data;
    const double *mass;
    int64_t min_rows, n_columns, *column; /* of the columns that vary; shuffled */
    int tried;                            /* columns that are tried for a split */
    int32_t *row, *room;
    open_node *open;
    double *all, *left; /* class masses of a node, and of one side */
    tree tree;
};

/* ---- impurity ---- */

static void add_row(const random_grower *g, int32_t i, double *mass)
{
    int low = g->data->y[i], high = highest_rank(g->data->y, g->data->upper, i);
    double w = g->data->w ? g->data->w[i] : 1;
    if (low == high)
        mass[low - 1] += w;
    else
        for (int q = low; q <= high; q++) mass[q - 1] += w * label_share(low, high, q, g->mass);
}

/* sum over thresholds q of S_q (W - S_q) / W, S_q the mass above q of W; of `all` without `less` (NULL: nothing). */
static double impurity(int K, const double *all, const double *less)
{
    double total = 0, above = 0, sum = 0;
    for (int q = 0; q < K; q++) total += all[q] - (less ? less[q] : 0);
    if (!(total > 0)) return 0;
    for (int q = K - 1; q > 0; q--) {
        above += all[q] - (less ? less[q] : 0);
        sum += above * (total - above);
    }
    return sum / total;
}

/* ---- splits ---- */

static bool goes_left(const random_split *s, bool text, int code)
{
    if (code == 0) return !s->missing_right;
    return text ? s->set[code / 64] >> code % 64 & 1 : code <= s->bin;
}

/* A cut between the least and the largest number; missing cells go anywhere. false: there is nothing to separate. */
static bool cut_number(const random_grower *g, rng *r, const open_node *o, const uint8_t *code, random_split *s)
{
    int least = BIN_ROOM, most = 0;
    bool missing = false;
    for (int64_t i = o->from; i < o->to; i++) {
        int bin = code[g->row[i]];
        missing |= bin == 0;
        most = bin > most ? bin : most;
        least = bin > 0 && bin < least ? bin : least;
    }
    if (least >= most && (!missing || most == 0)) return false;
    s->missing_right = least >= most || rng_below(r, 2) == 1;
    s->bin = least >= most ? least : least + (int)rng_below(r, most - least);
    return true;
}

/* A random set of the categories, neither empty nor full. */
static bool cut_text(const random_grower *g, rng *r, const open_node *o, const uint8_t *code, random_split *s)
{
    bool present[BIN_ROOM] = {false};
    int bins[BIN_ROOM], n = 0;
    for (int64_t i = o->from; i < o->to; i++) present[code[g->row[i]]] = true;
    for (int b = 0; b < BIN_ROOM; b++)
        if (present[b]) bins[n++] = b;
    if (n < 2) return false;
    for (int w = 0; w < SET_WORDS; w++) s->set[w] = rng_bits(r);
    int one = (int)rng_below(r, n), other = (int)rng_below(r, n - 1);
    other += other >= one;
    s->set[bins[one] / 64] |= (uint64_t)1 << bins[one] % 64;
    s->set[bins[other] / 64] &= ~((uint64_t)1 << bins[other] % 64);
    s->missing_right = !(s->set[0] & 1);
    return true;
}

/* A random split of a column; false: it has the same bin in all rows, or a side would have too few of them. */
static bool try_column(random_grower *g, rng *r, const open_node *o, int64_t c, random_split *s)
{
    const uint8_t *code = g->data->codes.by_column + c * g->data->codes.n;
    bool text = g->data->b->category[c] != NULL;
    int64_t n_left = 0;
    s->column = c;
    if (!(text ? cut_text : cut_number)(g, r, o, code, s)) return false;
    memset(g->left, 0, (size_t)g->data->K * sizeof *g->left);
    for (int64_t i = o->from; i < o->to; i++) {
        if (!goes_left(s, text, code[g->row[i]])) continue;
        add_row(g, g->row[i], g->left);
        n_left++;
    }
    if (n_left < g->min_rows || o->to - o->from - n_left < g->min_rows) return false;
    s->impurity = impurity(g->data->K, g->left, NULL) + impurity(g->data->K, g->all, g->left);
    return true;
}

static bool find_split(random_grower *g, rng *r, const open_node *o, random_split *best)
{
    int tried = 0;
    for (int64_t k = 0; k < g->n_columns && tried < g->tried; k++) {
        int64_t other = k + rng_below(r, g->n_columns - k), c = g->column[other];
        random_split one = {0};
        g->column[other] = g->column[k];
        g->column[k] = c;
        if (!try_column(g, r, o, c, &one)) continue;
        if (tried == 0 || one.impurity < best->impurity) *best = one;
        tried++;
    }
    return tried > 0;
}

/* ---- growing ---- */

static void take_masses(random_grower *g, const open_node *o)
{
    memset(g->all, 0, (size_t)g->data->K * sizeof *g->all);
    for (int64_t i = o->from; i < o->to; i++) add_row(g, g->row[i], g->all);
}

static int quantile_of(int K, const double *mass, double quantile)
{
    double total = 0, upto = 0;
    int r = 1;
    for (int q = 0; q < K; q++) total += mass[q];
    for (upto = mass[0]; r < K && upto < quantile * total; r++) upto += mass[r];
    return r;
}

/* Where the right ones begin. */
static int64_t divide(random_grower *g, const open_node *o, const random_split *s)
{
    const uint8_t *code = g->data->codes.by_column + s->column * g->data->codes.n;
    bool text = g->data->b->category[s->column] != NULL;
    int64_t left = o->from, right = 0;
    for (int64_t i = o->from; i < o->to; i++) {
        if (goes_left(s, text, code[g->row[i]]))
            g->row[left++] = g->row[i];
        else
            g->room[right++] = g->row[i];
    }
    memcpy(g->row + left, g->room, (size_t)right * sizeof *g->row);
    return left;
}

static void put_split(random_grower *g, const random_split *s, tree_node *t)
{
    *t = (tree_node){.column = (int)s->column, .left = g->tree.n, .bin = s->bin, .missing_right = s->missing_right};
    if (!g->data->b->category[s->column]) return;
    t->set = g->tree.sets + (int64_t)SET_WORDS * ((g->tree.n - 1) / 2);
    memcpy(t->set, s->set, sizeof s->set);
}

const tree *random_tree(random_grower *g, rng *r, int64_t n, const int64_t *rows, double quantile)
{
    int K = g->data->K;
    int64_t open = 0;
    for (int64_t i = 0; i < n; i++) g->row[i] = (int32_t)rows[i];
    g->tree.n = 1;
    g->open[open++] = (open_node){.to = n};
    while (open > 0) {
        open_node o = g->open[--open];
        tree_node *t = &g->tree.node[o.node];
        random_split s;
        take_masses(g, &o);
        if (o.to - o.from < 2 * g->min_rows || !(impurity(K, g->all, NULL) > 0) || !find_split(g, r, &o, &s)) {
            *t = (tree_node){.column = -1, .value = quantile_of(K, g->all, quantile)};
            continue;
        }
        put_split(g, &s, t);
        int64_t middle = divide(g, &o, &s);
        g->open[open++] = (open_node){g->tree.n, o.from, middle};
        g->open[open++] = (open_node){g->tree.n + 1, middle, o.to};
        g->tree.n += 2;
    }
    return &g->tree;
}

/* ---- room ---- */

rung_status random_grower_new(rung_ctx *ctx, pool *mem, const boost_rows *data, int64_t n, int64_t min_rows,
                              const double *mass, random_grower **out)
{
    random_grower *g = NULL;
    TRY(NEW(ctx, mem, g, 1));
    *g = (random_grower){.data = data, .mass = mass, .min_rows = min_rows};
    TRY(NEW(ctx, mem, g->column, data->b->n_columns));
    for (int64_t c = 0; c < data->b->n_columns; c++)
        if (data->b->varies[c]) g->column[g->n_columns++] = c;
    g->tried = (int)ceil(sqrt((double)g->n_columns));
    TRY(NEW_RAW(ctx, mem, g->row, n));
    TRY(NEW_RAW(ctx, mem, g->room, n));
    TRY(NEW_RAW(ctx, mem, g->open, n + 1));
    TRY(NEW(ctx, mem, g->all, data->K));
    TRY(NEW(ctx, mem, g->left, data->K));
    TRY(tree_new(ctx, mem, (int)n, &g->tree));
    *out = g;
    return RUNG_OK;
}

double random_grower_bytes(int64_t n, int64_t columns, int K)
{
    double node = 2 * sizeof(tree_node) + 2 * sizeof(int) + SET_WORDS * sizeof(uint64_t);
    return (double)n * (node + 2 * sizeof(int32_t) + sizeof(open_node)) + 8.0 * (double)columns + 16.0 * K;
}
