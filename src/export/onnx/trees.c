// SPDX-License-Identifier: BSD-3-Clause
/* Trees as the operator TreeEnsemble of ai.onnx.ml, in double precision. Its features are the cells twice, once with
 * -1.7e308 and once with 1.7e308 for a missing one, and for every split on a set of categories a number that is 0 where
 * it sends the row left and 1 where it sends it right: so every node compares a feature with a threshold. */
#include <float.h>
#include <math.h>

#include "export/onnx/ops.h"

typedef struct {
    const int64_t *root, *column, *left, *missing, *set, *word;
    const double *cut, *leaf;
    int64_t trees, nodes;
    int64_t *feature; /* of a node that has a set */
} forest_arrays;

static forest_arrays arrays_of(const program *p, const operation *o)
{
    const constant *c = p->constants;
    const int *a = o->array;
    return (forest_arrays){.root = c[a[0]].whole,
                           .column = c[a[1]].whole,
                           .cut = c[a[2]].real,
                           .left = c[a[3]].whole,
                           .missing = c[a[4]].whole,
                           .set = c[a[5]].whole,
                           .leaf = c[a[6]].real,
                           .word = c[a[7]].whole,
                           .trees = c[a[0]].columns,
                           .nodes = c[a[1]].columns};
}

static void *room(graph *g, int64_t n)
{
    double *v = NULL;
    if (g->nodes.status == RUNG_OK) g->nodes.status = NEW(g->nodes.ctx, &g->nodes.ctx->scratch, v, n);
    return g->nodes.status == RUNG_OK ? v : NULL;
}

/* The numbers of the splits on sets of one column, as columns of a matrix that a row's category chooses from. */
static int set_features(graph *g, forest_arrays *f, const column_code *code, int64_t j, int cells, int64_t *next)
{
    int64_t k = code->n_categories, n = 0;
    for (int64_t i = 0; i < f->nodes; i++) n += f->column[i] == j && f->set[i] >= 0;
    double *place = room(g, k), *change = room(g, k * n), *base = room(g, n);
    if (n == 0 || !place || !change || !base) return -1;
    for (int64_t c = 0; c < k; c++) place[c] = (double)c;
    for (int64_t i = 0, at = 0; i < f->nodes; i++) {
        if (f->column[i] != j || f->set[i] < 0) continue;
        base[at] = (double)f->missing[i];
        for (int64_t c = 0; c < k; c++)
            change[c * n + at] = (double)!(f->word[f->set[i] + c / 32] >> c % 32 & 1) - base[at];
        f->feature[i] = (*next)++;
        at++;
    }
    int own = graph_node(g, "Equal", onnx_slice(g, cells, j, 1), graph_real(g, place, 1, k), -1);
    int moved = graph_node(g, "MatMul", graph_cast(g, own, ONNX_DOUBLE), graph_real(g, change, k, n), -1);
    return graph_node(g, "Add", moved, graph_real(g, base, 1, n), -1);
}

static int joined(graph *g, int x, int y)
{
    graph_set_whole(g, "axis", 1);
    return graph_node(g, "Concat", x, y, -1);
}

static int features_of(graph *g, const program *p, forest_arrays *f, int cells, int64_t columns)
{
    int missing = graph_node(g, "IsNaN", cells, -1, -1);
    int low = graph_node(g, "Where", missing, graph_scalar(g, -DBL_MAX), cells);
    int all = joined(g, low, graph_node(g, "Where", missing, graph_scalar(g, DBL_MAX), cells));
    int64_t next = 2 * columns;
    for (int64_t j = 0; j < columns; j++) {
        const column_code *code = &p->model->code.columns[j];
        int more = code->nominal ? set_features(g, f, code, j, cells, &next) : -1;
        if (more >= 0) all = joined(g, all, more);
    }
    return all;
}

typedef struct { /* the attributes of the operator */
    int64_t nodes, leaves;
    int64_t *root, *feature, *yes, *no, *yes_leaf, *no_leaf, *target;
    double *split, *weight;
    unsigned char *mode;
    int64_t *id; /* of a node of ours, among nodes or leaves */
} ensemble;

static bool new_ensemble(graph *g, const forest_arrays *f, ensemble *e)
{
    int64_t n = f->nodes + f->trees;
    int64_t **whole[] = {&e->root, &e->feature, &e->yes, &e->no, &e->yes_leaf, &e->no_leaf, &e->target, &e->id};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) *whole[i] = room(g, n);
    e->split = room(g, n);
    e->weight = room(g, n);
    e->mode = room(g, n);
    return g->nodes.status == RUNG_OK;
}

static void add_leaf(ensemble *e, int64_t target, double weight)
{
    e->target[e->leaves] = target;
    e->weight[e->leaves++] = weight;
}

static void fill_ensemble(const forest_arrays *f, const operation *o, ensemble *e)
{
    bool votes = o->number[0] != 0;
    for (int64_t t = 0; t < f->trees; t++) {
        int64_t end = t + 1 < f->trees ? f->root[t + 1] : f->nodes;
        bool bare = f->column[f->root[t]] < 0; /* a leaf alone: a split whose two sides are that leaf */
        if (bare) e->root[t] = e->nodes++;
        for (int64_t k = f->root[t]; k < end; k++) {
            e->id[k] = f->column[k] < 0 ? e->leaves : e->nodes;
            if (f->column[k] >= 0)
                e->nodes++;
            else if (votes)
                add_leaf(e, (int64_t)f->leaf[k] - 1, 1 / (double)f->trees);
            else
                add_leaf(e, t % o->n, f->leaf[k]);
        }
        if (bare) {
            e->yes[e->root[t]] = e->no[e->root[t]] = e->id[f->root[t]];
            e->yes_leaf[e->root[t]] = e->no_leaf[e->root[t]] = 1;
        } else {
            e->root[t] = e->id[f->root[t]];
        }
    }
    for (int64_t k = 0; k < f->nodes; k++) {
        int64_t at = e->id[k], left = f->left[k];
        if (f->column[k] < 0) continue;
        e->feature[at] = f->set[k] >= 0 ? f->feature[k] : f->column[k];
        e->split[at] = f->set[k] >= 0 ? 0.5 : f->cut[k];
        e->yes[at] = e->id[left];
        e->no[at] = e->id[left + 1];
        e->yes_leaf[at] = f->column[left] < 0;
        e->no_leaf[at] = f->column[left + 1] < 0;
    }
}

int onnx_trees(graph *g, const program *p, const operation *o, int cells, int64_t columns)
{
    forest_arrays f = arrays_of(p, o);
    ensemble e = {0};
    bool votes = o->number[0] != 0;
    int64_t targets = o->n + votes;
    f.feature = room(g, f.nodes);
    if (!f.feature || !new_ensemble(g, &f, &e)) return 0;
    int features = features_of(g, p, &f, cells, columns);
    fill_ensemble(&f, o, &e);
    for (int64_t k = 0; k < f.nodes; k++) /* a missing cell stands in the half that sends it where it belongs */
        if (f.column[k] >= 0 && f.set[k] < 0 && f.missing[k]) e.feature[e.id[k]] += columns;
    graph_set_whole(g, "aggregate_function", 1);
    graph_set_whole(g, "post_transform", 0);
    graph_set_whole(g, "n_targets", targets);
    graph_set_wholes(g, "tree_roots", e.root, f.trees);
    graph_set_wholes(g, "nodes_featureids", e.feature, e.nodes);
    graph_set_reals(g, "nodes_splits", e.split, e.nodes);
    graph_set_bytes(g, "nodes_modes", e.mode, e.nodes); /* 0: at most */
    graph_set_wholes(g, "nodes_truenodeids", e.yes, e.nodes);
    graph_set_wholes(g, "nodes_trueleafs", e.yes_leaf, e.nodes);
    graph_set_wholes(g, "nodes_falsenodeids", e.no, e.nodes);
    graph_set_wholes(g, "nodes_falseleafs", e.no_leaf, e.nodes);
    graph_set_wholes(g, "leaf_targetids", e.target, e.leaves);
    graph_set_reals(g, "leaf_weights", e.weight, e.leaves);
    int sum = graph_node_of(g, "ai.onnx.ml", "TreeEnsemble", &features, 1);
    if (!votes) return sum;
    double *above = room(g, targets * o->n); /* from the share of trees for each rank to that for a higher one */
    for (int64_t r = 0; above && r < targets; r++)
        for (int64_t q = 0; q < r; q++) above[r * o->n + q] = 1;
    return above ? graph_node(g, "MatMul", sum, graph_real(g, above, targets, o->n), -1) : 0;
}
