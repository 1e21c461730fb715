// SPDX-License-Identifier: BSD-3-Clause
/* The outputs of a member for a row, and the variance of its latent value. */
#include <float.h>
#include <math.h>

#include "export/program.h"

/* ---- kernels ---- */

/* Rows whose squared distance is that of the kernel: with ard columns are stretched. */
static const double *stretched(builder *b, const scorer *s)
{
    if (s->k.kind != KERNEL_ARD) return s->rows;
    double *rows = builder_room(b, s->m * s->d);
    for (int64_t i = 0; rows && i < s->m * s->d; i++) rows[i] = s->rows[i] * sqrt(s->k.precisions[i % s->d]);
    return rows;
}

static int by_distance(builder *b, const scorer *s, int x)
{
    double gamma = s->k.kind == KERNEL_ARD ? 1 : s->k.gamma;
    if (s->k.kind == KERNEL_ARD) {
        double *root = builder_room(b, s->d);
        for (int64_t j = 0; root && j < s->d; j++) root[j] = sqrt(s->k.precisions[j]);
        x = apply_two(b, OP_MULTIPLY, x, constant_of(b, s->d, root));
    }
    int distance = put_op(b, OP_SQUARES, s->m, x, NO_VALUE, NO_VALUE);
    set_array(b, distance, 0, put_real(b, stretched(b, s), s->m, s->d));
    distance = settled(b, distance);
    if (s->k.kind == KERNEL_LAPLACIAN) distance = apply_one(b, OP_ROOT, distance);
    return apply_one(b, OP_EXP, with_number(b, OP_MULTIPLY, distance, -gamma));
}

static int polynomial(builder *b, const kernel *k, int dot)
{
    if (k->kind == KERNEL_LINEAR) return dot;
    int inner = with_number(b, OP_ADD, with_number(b, OP_MULTIPLY, dot, k->gamma), k->coef0);
    return with_number(b, OP_POWER, inner, k->degree);
}

/* k(x, row) of all rows; of a precomputed kernel those numbers are columns of the data. */
static int kernel_values(builder *b, const scorer *s, int x)
{
    if (s->k.kind == KERNEL_PRECOMPUTED) {
        double *place = builder_room(b, s->m);
        for (int64_t j = 0; place && j < s->m; j++) place[j] = (double)s->index[j];
        return choose_of(b, constant_of(b, s->m, place), x);
    }
    if (s->k.kind != KERNEL_LINEAR && s->k.kind != KERNEL_POLY) return by_distance(b, s, x);
    return polynomial(b, &s->k, linear_of(b, x, s->m, put_real(b, s->rows, s->m, s->d), -1));
}

/* k(x, x) */
static int self(builder *b, const scorer *s, int x)
{
    if (s->k.kind != KERNEL_LINEAR && s->k.kind != KERNEL_POLY) return scalar(b, 1);
    return polynomial(b, &s->k, apply_one(b, OP_TOTAL, apply_two(b, OP_MULTIPLY, x, x)));
}

/* ---- other scorers ---- */

static int neighbours(builder *b, const scorer *s, int x)
{
    x = with_number(b, OP_MINIMUM, with_number(b, OP_MAXIMUM, x, -NEIGHBOUR_MOST), NEIGHBOUR_MOST);
    int value = put_op(b, OP_NEIGHBOURS, s->outputs, x, NO_VALUE, NO_VALUE);
    set_array(b, value, 0, put_real(b, s->rows, s->m, s->d));
    set_array(b, value, 1, put_real(b, s->coef, s->outputs, s->m));
    set_number(b, value, 0, (double)s->neighbours);
    set_number(b, value, 1, s->weights == WEIGHTS_GAUSSIAN ? s->width : 0);
    return settled(b, value);
}

typedef struct { /* the nodes of all trees */
    int64_t *column, *left, *missing, *set, *word;
    double *cut, *leaf;
} nodes;

static int64_t *whole_room(builder *b, int64_t n)
{
    return (int64_t *)(void *)builder_room(b, n); /* of the same size */
}

/* Behind the last cut of a column missing cells are all that goes right; in ONNX they stand as the largest number. */
static double cut_of(const forest *f, int64_t c, int64_t split)
{
    int64_t k = f->cut_first[c] + split;
    return k < f->cut_first[c + 1] ? f->cut[k] : nextafter(DBL_MAX, 0);
}

static void fill_nodes(const forest *f, const coding *code, const nodes *to)
{
    for (int64_t t = 0; t < f->n_trees; t++)
        for (int64_t k = f->tree_first[t], left = k + 1; k < f->tree_first[t + 1]; k++) {
            int64_t c = f->column[k];
            bool text = c >= 0 && code->columns[c].nominal;
            to->column[k] = c;
            to->left[k] = c < 0 ? 0 : left;
            to->missing[k] = c < 0 ? 0 : f->missing[k];
            to->set[k] = text ? 2 * f->split[k] : -1;
            to->cut[k] = c < 0 || text ? 0 : cut_of(f, c, f->split[k]);
            to->leaf[k] = c < 0 ? f->value[k] : 0;
            left += c < 0 ? 0 : 2;
        }
    for (int64_t i = 0; i < 2 * f->n_words; i++)
        to->word[i] = (int64_t)((uint64_t)f->set[i / 2] >> 32 * (i % 2) & 0xffffffffU);
}

/* Trees look at the cells as they stand. */
static int trees(builder *b, const scorer *s)
{
    const forest *f = &s->trees;
    int64_t n = f->n_nodes;
    nodes to = {.column = whole_room(b, n),
                .left = whole_room(b, n),
                .missing = whole_room(b, n),
                .set = whole_room(b, n),
                .word = whole_room(b, 2 * f->n_words),
                .cut = builder_room(b, n),
                .leaf = builder_room(b, n)};
    if (b->status != RUNG_OK) return 0;
    fill_nodes(f, &b->p->model->code, &to);
    int value = put_op(b, OP_TREES, s->outputs, b->p->columns, NO_VALUE, NO_VALUE);
    set_array(b, value, 0, put_whole(b, f->tree_first, 1, f->n_trees));
    set_array(b, value, 1, put_whole(b, to.column, 1, n));
    set_array(b, value, 2, put_real(b, to.cut, 1, n));
    set_array(b, value, 3, put_whole(b, to.left, 1, n));
    set_array(b, value, 4, put_whole(b, to.missing, 1, n));
    set_array(b, value, 5, put_whole(b, to.set, 1, n));
    set_array(b, value, 6, put_real(b, to.leaf, 1, n));
    set_array(b, value, 7, put_whole(b, to.word, 1, 2 * f->n_words));
    set_number(b, value, 0, f->votes);
    return value;
}

static bool all_zero(const double *v, int64_t n)
{
    for (int64_t i = 0; v && i < n; i++)
        if (v[i] != 0) return false;
    return true;
}

/* ---- all ---- */

/* v_r = sum_j F_rj g_j(x) squared and added up. */
static int rotated_length(builder *b, const member *one, int g)
{
    const probit_link *link = &one->link;
    int v = linear_of(b, g, link->rank, put_real(b, link->factor, link->rank, one->score.m), -1);
    return apply_one(b, OP_TOTAL, apply_two(b, OP_MULTIPLY, v, v));
}

/* x: the row as the scorer sees it; g: what its coefficients multiply. */
static int variance_of(builder *b, const member *one, int x, int g, int output)
{
    const probit_link *link = &one->link;
    const scorer *s = &one->score;
    int sum;
    if (link->spread) {
        int64_t K = one->decide.K, rank = s->outputs - K;
        int part = part_of(b, output, K, rank);
        sum = rank > 0 ? apply_one(b, OP_TOTAL, apply_two(b, OP_MULTIPLY, part, part)) : scalar(b, 0);
        sum = apply_two(b, OP_SUBTRACT, with_number(b, OP_MULTIPLY, self(b, s, x), link->variance), sum);
        return with_number(b, OP_MAXIMUM, sum, 0);
    }
    sum = link->rank > 0 ? rotated_length(b, one, g) : scalar(b, 0);
    if (!link->functions) return sum;
    return with_number(b, OP_MAXIMUM, apply_two(b, OP_SUBTRACT, self(b, s, x), sum), 0);
}

int build_outputs(builder *b, const member *one, int x, int *variance)
{
    const scorer *s = &one->score;
    int g = x, output;
    int bias = s->bias ? put_real(b, s->bias, 1, s->outputs) : -1;
    bool terms = s->kind == SCORER_LINEAR || (s->kind == SCORER_KERNEL && s->m > 0);
    if (s->kind == SCORER_KERNEL && s->m > 0) g = kernel_values(b, s, x);
    if (terms)
        output = linear_of(b, g, s->outputs, put_real(b, s->coef, s->outputs, s->m), bias);
    else if (s->kind == SCORER_NEIGHBOURS)
        output = neighbours(b, s, x);
    else if (s->kind != SCORER_TREES)
        output = constant_of(b, s->outputs, s->bias);
    else if (all_zero(s->bias, s->outputs))
        output = trees(b, s);
    else
        output = apply_two(b, OP_ADD, trees(b, s), constant_of(b, s->outputs, s->bias));
    output = apply_one(b, OP_FINITE, output);
    *variance = NO_VALUE;
    if (one->proba == PROBA_PROBIT) *variance = apply_one(b, OP_FINITE, variance_of(b, one, x, g, output));
    return output;
}
