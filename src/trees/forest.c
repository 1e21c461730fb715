// SPDX-License-Identifier: BSD-3-Clause
#include "trees/forest.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum { APPLY_ROWS = 256, TOGETHER = 8 }; /* rows a thread takes at a time; rows that pass a tree interleaved */

/* ---- building ---- */

rung_status forest_new(rung_ctx *ctx, pool *mem, int outputs, const tree_bins *b, forest *out)
{
    int64_t columns = b->n_columns, cuts = b->cut_first[columns];
    *out = (forest){.outputs = outputs, .n_columns = columns};
    TRY(NEW_RAW(ctx, mem, out->cut_first, columns + 1));
    TRY(NEW_RAW(ctx, mem, out->cut, cuts));
    memcpy(out->cut_first, b->cut_first, (size_t)(columns + 1) * sizeof *out->cut_first);
    memcpy(out->cut, b->cut, (size_t)cuts * sizeof *out->cut);
    TRY(NEW(ctx, mem, out->tree_first, 1));
    TRY(NEW(ctx, mem, out->column, 0));
    TRY(NEW(ctx, mem, out->split, 0));
    TRY(NEW(ctx, mem, out->missing, 0));
    TRY(NEW(ctx, mem, out->value, 0));
    return NEW(ctx, mem, out->set, 0);
}

static int64_t words_of(const column_code *c) { return (c->n_categories + 63) / 64; }

static rung_status make_room(rung_ctx *ctx, pool *mem, int64_t nodes, int64_t words, forest *f)
{
    if (f->n_trees + 1 > f->room_trees) {
        f->room_trees = 2 * (f->n_trees + 1);
        TRY(RESIZE(ctx, mem, f->tree_first, f->room_trees + 1));
    }
    if (f->n_words + words > f->room_words) {
        f->room_words = 2 * (f->n_words + words);
        TRY(RESIZE(ctx, mem, f->set, f->room_words));
    }
    if (f->n_nodes + nodes <= f->room_nodes) return RUNG_OK;
    f->room_nodes = 2 * (f->n_nodes + nodes);
    TRY(RESIZE(ctx, mem, f->column, f->room_nodes));
    TRY(RESIZE(ctx, mem, f->split, f->room_nodes));
    TRY(RESIZE(ctx, mem, f->missing, f->room_nodes));
    return RESIZE(ctx, mem, f->value, f->room_nodes);
}

/* The categories whose bins go left. */
static void add_set(const tree_bins *b, const tree_node *t, forest *f)
{
    const column_code *code = &b->code->columns[t->column];
    uint64_t *set = (uint64_t *)f->set + f->n_words;
    memset(set, 0, (size_t)words_of(code) * sizeof *set);
    for (int64_t k = 0; k < code->n_categories; k++) {
        int bin = b->category[t->column][k];
        set[k / 64] |= (t->set[bin / 64] >> bin % 64 & 1) << k % 64;
    }
    f->n_words += words_of(code);
}

rung_status forest_add(rung_ctx *ctx, pool *mem, const tree_bins *b, const tree *t, double factor, forest *f)
{
    int64_t words = 0, next = 1;
    for (int i = 0; i < t->n; i++)
        if (t->node[i].column >= 0 && t->node[i].set) words += words_of(&b->code->columns[t->node[i].column]);
    TRY(make_room(ctx, mem, t->n, words, f));
    t->order[0] = 0;
    for (int i = 0; i < t->n; i++) {
        const tree_node *node = &t->node[t->order[i]];
        int64_t k = f->n_nodes + i;
        bool leaf = node->column < 0;
        f->column[k] = node->column;
        f->missing[k] = !leaf && node->missing_right;
        f->split[k] = leaf ? 0 : node->set ? f->n_words : node->bin - 1;
        f->value[k] = leaf ? factor * node->value : node->value;
        if (leaf) continue;
        if (node->set) add_set(b, node, f);
        t->order[next++] = node->left;
        t->order[next++] = node->left + 1;
    }
    f->n_nodes += t->n;
    f->tree_first[++f->n_trees] = f->n_nodes;
    return RUNG_OK;
}

/* ---- packing ---- */

enum { CUT_BITS = 8, COLUMN_SHIFT = CUT_BITS + 1 };

static uint32_t pack_node(const forest *f, int64_t k, bool text)
{
    if (f->column[k] < 0) return (uint32_t)f->value[k];
    return (uint32_t)((f->column[k] + 1) << COLUMN_SHIFT | f->missing[k] << CUT_BITS | (text ? 0 : f->split[k]));
}

rung_status forest_pack(rung_ctx *ctx, pool *mem, const coding *code, forest *f)
{
    TRY(NEW(ctx, mem, f->packed, forest_packed_words(f->n_nodes)));
    for (int64_t k = 0; k < f->n_nodes; k++) {
        bool text = f->column[k] >= 0 && code->columns[f->column[k]].nominal;
        f->packed[k / 2] |= (int64_t)((uint64_t)pack_node(f, k, text) << 32 * (k % 2));
    }
    return RUNG_OK;
}

/* The sets of text columns follow each other in the order of the nodes, so a node need not say where its own is. */
rung_status forest_unpack(rung_ctx *ctx, pool *mem, const coding *code, forest *f)
{
    int64_t words = 0;
    TRY(NEW(ctx, mem, f->column, f->n_nodes));
    TRY(NEW(ctx, mem, f->split, f->n_nodes));
    TRY(NEW(ctx, mem, f->missing, f->n_nodes));
    TRY(NEW(ctx, mem, f->value, f->n_nodes));
    for (int64_t k = 0; k < f->n_nodes; k++) {
        uint32_t node = (uint32_t)((uint64_t)f->packed[k / 2] >> 32 * (k % 2));
        int64_t c = (int64_t)(node >> COLUMN_SHIFT) - 1;
        f->column[k] = c;
        if (c < 0) {
            f->value[k] = node;
            continue;
        }
        f->missing[k] = node >> CUT_BITS & 1;
        f->split[k] = node & ((1U << CUT_BITS) - 1);
        if (c >= code->n_columns || !code->columns[c].nominal) continue; /* the check of the model rejects the first */
        f->split[k] = words;
        words += words_of(&code->columns[c]);
    }
    return RUNG_OK;
}

/* ---- applying ---- */

/* The cuts convert rows to integers, 0 = missing, so that a node compares small integers: left if code - more <= span
 * (unsigned: below 0 is large), `more` 1 if missing cells go right. The children are left and left + 1; a leaf is its
 * own left child, and always goes there. */
typedef struct {
    int32_t column, left;
    uint32_t span;
    uint32_t more; /* text: 2 * first word of its set, + 1 if an unknown category goes right */
} plan_node;

struct forest_plan {
    int64_t d;
    int64_t *place;      /* per column: its first coded column */
    int64_t *categories; /* 0: a number, such as the place of a word in an order */
    plan_node *node;     /* children counted in all nodes */
    bool text;           /* some split is on a text column */
};

/* left: the left child of a split. */
static plan_node plan_of(const forest *f, int64_t k, int64_t left)
{
    if (f->column[k] < 0) return (plan_node){.left = (int32_t)k, .span = UINT32_MAX};
    plan_node out = {.column = (int32_t)f->column[k], .left = (int32_t)left};
    bool text = f->plan->categories[out.column] > 0;
    out.more = (uint32_t)(text ? 2 * f->split[k] + f->missing[k] : f->missing[k]);
    out.span = (uint32_t)(f->split[k] + 1 - f->missing[k]);
    f->plan->text |= text;
    return out;
}

rung_status forest_ready(rung_ctx *ctx, pool *mem, const coding *code, forest *f)
{
    TRY(NEW(ctx, mem, f->plan, 1));
    f->plan->d = code->d;
    TRY(NEW(ctx, mem, f->plan->place, f->n_columns));
    TRY(NEW(ctx, mem, f->plan->categories, f->n_columns));
    TRY(NEW(ctx, mem, f->plan->node, f->n_nodes));
    for (int64_t c = 0; c < f->n_columns; c++) {
        f->plan->place[c] = code->columns[c].first;
        f->plan->categories[c] = code->columns[c].nominal ? code->columns[c].n_categories : 0;
    }
    for (int64_t t = 0; t < f->n_trees; t++)
        for (int64_t k = f->tree_first[t], left = k + 1; k < f->tree_first[t + 1]; k++) {
            f->plan->node[k] = plan_of(f, k, left);
            left += f->column[k] < 0 ? 0 : 2;
        }
    return RUNG_OK;
}

static uint32_t code_cell(const forest *f, int64_t c, const double *x)
{
    int64_t first = f->cut_first[c], categories = f->plan->categories[c];
    for (int64_t k = 0; k < categories; k++)
        if (x[k] > 0) return (uint32_t)k + 1;
    if (categories > 0 || isnan(*x)) return 0;
    return 1 + (uint32_t)cuts_below(f->cut_first[c + 1] - first, f->cut + first, *x);
}

static bool goes_left(const forest *f, const plan_node *node, uint32_t code)
{
    if (f->plan->categories[node->column] == 0 || node->span == UINT32_MAX) return code - node->more <= node->span;
    if (code == 0) return !(node->more & 1);
    return (uint64_t)f->set[node->more / 2 + (code - 1) / 64] >> (code - 1) % 64 & 1;
}

/* output: the one the tree adds to; trees that vote add to all. */
static inline void add_leaf(const forest *f, int32_t leaf, double *output)
{
    if (!f->votes)
        *output += f->value[leaf];
    else
        for (int q = 0; q < (int)f->value[leaf] - 1; q++) output[q]++;
}

/* Interleaving rows hides memory latency. */
static void walk_together(const forest *f, int32_t root, const uint32_t *code, double *output)
{
    const plan_node *node = f->plan->node;
    int64_t columns = f->n_columns;
    int32_t at[TOGETHER], moved = 1;
    for (int k = 0; k < TOGETHER; k++) at[k] = root;
    while (moved) {
        moved = 0;
        for (int k = 0; k < TOGETHER; k++) {
            const plan_node *one = node + at[k];
            int32_t next = one->left + (code[k * columns + one->column] - one->more > one->span);
            moved |= next ^ at[k];
            at[k] = next;
        }
    }
    for (int k = 0; k < TOGETHER; k++) add_leaf(f, at[k], output + k * f->outputs);
}

static void walk_tree(const forest *f, int64_t t, int64_t n, const uint32_t *code, double *output)
{
    const plan_node *node = f->plan->node;
    int32_t root = (int32_t)f->tree_first[t];
    int64_t i = 0;
    for (; i + TOGETHER <= n && !f->plan->text; i += TOGETHER)
        walk_together(f, root, code + i * f->n_columns, output + i * f->outputs);
    for (; i < n; i++) {
        int32_t at = root, next;
        while ((next = node[at].left + !goes_left(f, &node[at], code[i * f->n_columns + node[at].column])) != at)
            at = next;
        add_leaf(f, at, output + i * f->outputs);
    }
}

static void apply_block(const forest *f, int64_t n, const double *rows, uint32_t *code, double *output)
{
    for (int64_t c = 0; c < f->n_columns; c++) /* the cuts of one column fit the fastest memory */
        for (int64_t i = 0; i < n; i++)
            code[i * f->n_columns + c] = code_cell(f, c, rows + i * f->plan->d + f->plan->place[c]);
    for (int64_t t = 0; t < f->n_trees; t++) walk_tree(f, t, n, code, output + (f->votes ? 0 : t % f->outputs));
    for (int64_t i = 0; i < n * f->outputs && f->votes; i++) output[i] /= (double)f->n_trees;
}

rung_status forest_apply(rung_ctx *ctx, const forest *f, int64_t n, const double *rows, double *output)
{
    int64_t blocks = (n + APPLY_ROWS - 1) / APPLY_ROWS, room = APPLY_ROWS * f->n_columns;
    int threads = blocks < ctx->threads ? (int)blocks : ctx->threads;
    pool_mark mark = pool_here(&ctx->scratch);
    uint32_t *code = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, code, room * (threads > 0 ? threads : 1)));
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (threads > 1)
    for (int64_t b = 0; b < blocks; b++) {
        int64_t first = b * APPLY_ROWS, count = n - first < APPLY_ROWS ? n - first : APPLY_ROWS;
        apply_block(f, count, rows + first * f->plan->d, code + room * omp_get_thread_num(),
                    output + first * f->outputs);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* ---- description ---- */

int64_t forest_leaves(const forest *f)
{
    int64_t leaves = 0;
    for (int64_t k = 0; k < f->n_nodes; k++) leaves += f->column[k] < 0;
    return leaves;
}

double forest_gain(const forest *f, int64_t c)
{
    double gain = 0;
    for (int64_t k = 0; k < f->n_nodes; k++)
        if (f->column[k] >= 0 && (c < 0 || f->column[k] == c)) gain += f->value[k];
    return gain;
}
