// SPDX-License-Identifier: BSD-3-Clause
/* The arrays of a model file: one walk lays them out, writes them and reads them, so the three cannot disagree.
 * Values are 64 bits wide and little-endian whatever the machine. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "data/derive.h"
#include "model/file.h"

enum { WIDTH = 8, NAME = 128, PART = 512 }; /* values at a time */
_Static_assert(sizeof(double) == WIDTH && sizeof(int64_t) == WIDTH, "arrays hold 64-bit values");

static rung_status store(array_walk *w, const void *from, int64_t count)
{
    const unsigned char *p = from;
    unsigned char part[PART * WIDTH];
    for (int64_t first = 0; first < count; first += PART) {
        int64_t n = count - first < PART ? count - first : PART;
        for (int64_t i = 0; i < n; i++) {
            uint64_t bits;
            memcpy(&bits, p + (first + i) * WIDTH, WIDTH);
            for (int b = 0; b < WIDTH; b++) part[i * WIDTH + b] = (unsigned char)(bits >> (8 * b));
        }
        TRY(sink_put(w->ctx, w->sink, part, n * WIDTH));
    }
    return RUNG_OK;
}

static void restore(void *to, const unsigned char *from, int64_t count)
{
    unsigned char *p = to;
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits = 0;
        for (int b = 0; b < WIDTH; b++) bits |= (uint64_t)from[i * WIDTH + b] << (8 * b);
        memcpy(p + i * WIDTH, &bits, WIDTH);
    }
}

/* ---- one array ---- */

static rung_status plan(array_walk *w, const char *name, const char *dtype, int dims, const int64_t *dim, int64_t bytes)
{
    if (json_object_get(w->header, name)) return set_error(w->ctx, RUNG_EINTERNAL, "two arrays are named %s", name);
    json_t *shape = json_array(), *entry = json_object();
    int bad = 0;
    for (int i = 0; i < dims; i++) bad |= json_array_append_new(shape, json_integer(dim[i]));
    bad |= json_object_set_new(entry, "dtype", json_string(dtype));
    bad |= json_object_set_new(entry, "shape", shape);
    bad |= json_object_set_new(entry, "data_offsets",
                               json_pack("[I,I]", (json_int_t)w->used, (json_int_t)(w->used + bytes)));
    bad |= json_object_set_new(w->header, name, entry);
    return bad ? set_error(w->ctx, RUNG_ENOMEM, "out of memory: the header of the model") : RUNG_OK;
}

/* The entry must match the counts of the model exactly, at the position where the previous array ended. */
static rung_status check_entry(array_walk *w, const char *name, const char *dtype, int dims, const int64_t *dim,
                               int64_t bytes)
{
    json_t *entry = json_object_get(w->header, name), *shape = NULL;
    const char *kind = NULL;
    json_int_t begin = 0, end = 0;
    if (!entry) return set_error(w->ctx, RUNG_EFORMAT, "array %s is missing", name);
    char what[NAME + 8];
    snprintf(what, sizeof what, "array %s", name);
    TRY(json_take(w->ctx, entry, what, "{s:s, s:o, s:[I,I]}", "dtype", &kind, "shape", &shape, "data_offsets", &begin,
                  &end));
    if (strcmp(kind, dtype) != 0)
        return set_error(w->ctx, RUNG_EFORMAT, "array %s has type %s instead of %s", name, kind, dtype);
    bool same = json_is_array(shape) && json_array_size(shape) == (size_t)dims;
    for (int i = 0; same && i < dims; i++) {
        const json_t *size = json_array_get(shape, (size_t)i);
        same = json_is_integer(size) && json_integer_value(size) == dim[i];
    }
    if (!same) return set_error(w->ctx, RUNG_EFORMAT, "array %s has an unexpected shape", name);
    int64_t expected;
    if (begin != w->used || !sum_fits(w->used, bytes, &expected) || end != expected || end > w->size)
        return set_error(w->ctx, RUNG_EFORMAT, "array %s cannot be at bytes %lld to %lld", name, (long long)begin,
                         (long long)end);
    return RUNG_OK;
}

static rung_status visit(array_walk *w, pool *mem, const char *name, const char *dtype, int dims, const int64_t *dim,
                         void **array)
{
    int64_t bytes = WIDTH;
    for (int i = 0; i < dims; i++)
        if (dim[i] < 0 || !product_fits(bytes, dim[i], &bytes))
            return set_error(w->ctx, RUNG_EFORMAT, "array %s has an impossible shape", name);
    int64_t count = bytes / WIDTH;
    switch (w->mode) {
    case ARRAYS_PLAN: TRY(plan(w, name, dtype, dims, dim, bytes)); break;
    case ARRAYS_WRITE: TRY(store(w, *array, count)); break;
    case ARRAYS_READ:
        TRY(check_entry(w, name, dtype, dims, dim, bytes));
        json_object_del(w->header, name); /* used once; what is left at the end is unknown */
        TRY(pool_alloc_raw(w->ctx, mem, count, WIDTH, name, array));
        restore(*array, w->data + w->used, count);
        break;
    }
    if (!sum_fits(w->used, bytes, &w->used)) return set_error(w->ctx, RUNG_EFORMAT, "array %s is too large", name);
    return RUNG_OK;
}

/* ---- the arrays of a model ---- */

typedef struct { /* names members.0.coef and the like */
    array_walk *w;
    pool *mem;
    char name[NAME];
    size_t prefix;
} naming;

static const char *named(naming *n, const char *last)
{
    snprintf(n->name + n->prefix, sizeof n->name - n->prefix, "%s", last);
    return n->name;
}

static rung_status reals(naming *n, const char *last, int dims, const int64_t *dim, double **v)
{
    return visit(n->w, n->mem, named(n, last), "F64", dims, dim, (void **)v);
}

static rung_status integers(naming *n, const char *last, int64_t count, int64_t **v)
{
    return visit(n->w, n->mem, named(n, last), "I64", 1, &count, (void **)v);
}

static rung_status list(naming *n, const char *last, int64_t count, double **v) { return reals(n, last, 1, &count, v); }

static rung_status number(naming *n, const char *last, double *x)
{
    double *v = x;
    TRY(reals(n, last, 0, NULL, &v));
    if (n->w->mode == ARRAYS_READ) *x = *v; /* a model being written may be in use by other threads */
    return RUNG_OK;
}

/* One that is stored only if it is above 0. */
static rung_status positive(naming *n, const char *last, double *x)
{
    TRY(number(n, last, x));
    if (*x > 0 && isfinite(*x)) return RUNG_OK;
    return set_error(n->w->ctx, RUNG_EFORMAT, "%s is %g, but must be > 0", n->name, *x);
}

typedef struct {
    const char *shift, *factor, *first, *knot, *cdf;
} scaling_names;
static const scaling_names scale_arrays = {"scale.shift", "scale.factor", "scale.first", "scale.knot", "scale.cdf"};
static const scaling_names space_arrays = {"space.shift", "space.factor", "space.first", "space.knot", "space.cdf"};

static rung_status walk_scaling(naming *n, const scaling_names *names, scaling *s)
{
    if (s->kind == SCALE_NONE) return RUNG_OK;
    TRY(list(n, names->shift, s->d, &s->shift));
    TRY(list(n, names->factor, s->d, &s->factor));
    if (s->kind != SCALE_RANK) return RUNG_OK;
    TRY(integers(n, names->first, s->d + 1, &s->knots_first));
    TRY(list(n, names->knot, s->knots_first[s->d], &s->knot));
    return list(n, names->cdf, s->knots_first[s->d], &s->knot_cdf);
}

static rung_status walk_kernel(naming *n, kernel *k)
{
    if (k->kind == KERNEL_RBF || k->kind == KERNEL_LAPLACIAN || k->kind == KERNEL_POLY)
        TRY(number(n, "kernel.gamma", &k->gamma));
    if (k->kind == KERNEL_POLY) TRY(number(n, "kernel.coef0", &k->coef0));
    if (k->kind != KERNEL_ARD) return RUNG_OK;
    return visit(n->w, n->mem, named(n, "kernel.precisions"), "F64", 1, &k->n_precisions, (void **)&k->precisions);
}

static rung_status walk_votes(naming *n, forest *f)
{
    TRY(integers(n, "trees.set", f->n_words, &f->set));
    return integers(n, "trees.nodes", forest_packed_words(f->n_nodes), &f->packed);
}

static rung_status walk_trees(naming *n, forest *f)
{
    TRY(integers(n, "cuts.first", f->n_columns + 1, &f->cut_first));
    TRY(list(n, "cuts", f->cut_first[f->n_columns], &f->cut));
    TRY(integers(n, "trees.first", f->n_trees + 1, &f->tree_first));
    if (f->votes) return walk_votes(n, f);
    TRY(integers(n, "trees.column", f->n_nodes, &f->column));
    TRY(integers(n, "trees.split", f->n_nodes, &f->split));
    TRY(integers(n, "trees.missing", f->n_nodes, &f->missing));
    TRY(list(n, "trees.value", f->n_nodes, &f->value));
    return integers(n, "trees.set", f->n_words, &f->set);
}

static rung_status walk_effect(naming *n, int number, random_effect *t)
{
    char name[64];
    int64_t groups = t->n_groups, q = t->q;
#define OWN(last) (snprintf(name, sizeof name, "effects.%d." last, number), name)
    TRY(visit(n->w, n->mem, named(n, OWN("level")), "I64", 2, (int64_t[]){groups, t->n_factors}, (void **)&t->level));
    TRY(reals(n, OWN("mode"), 2, (int64_t[]){groups, q}, &t->mode));
    TRY(reals(n, OWN("spread"), 3, (int64_t[]){groups, q, q}, &t->spread));
    TRY(reals(n, OWN("covariance"), 2, (int64_t[]){q, q}, &t->covariance));
    TRY(list(n, OWN("error"), effect_errors(t->q), &t->error));
    double *test = t->test;
    TRY(list(n, OWN("test"), EFFECT_TESTS, &test));
    if (n->w->mode == ARRAYS_READ) memcpy(t->test, test, sizeof t->test);
#undef OWN
    return RUNG_OK;
}

static rung_status walk_effects(naming *n, random_effects *r, int K)
{
    TRY(list(n, "effects.thresholds", K - 1, &r->b));
    for (int i = 0; i < r->n; i++) TRY(walk_effect(n, i, &r->term[i]));
    return RUNG_OK;
}

/* Column-major here is row-major there: m x outputs is stored as [outputs, m], d x m as [m, d]. */
static rung_status walk_scorer(naming *n, scorer *s, bool own_coef, bool own_rows)
{
    if (s->kind != SCORER_NEIGHBOURS) TRY(list(n, "bias", s->outputs, &s->bias));
    if (s->kind == SCORER_CONSTANT) return RUNG_OK;
    if (s->kind == SCORER_TREES) return walk_trees(n, &s->trees);
    if (own_coef) TRY(reals(n, "coef", 2, (int64_t[]){s->outputs, s->m}, &s->coef));
    if (s->kind == SCORER_LINEAR) return RUNG_OK;
    if (s->kind == SCORER_KERNEL) TRY(walk_kernel(n, &s->k));
    if (s->kind == SCORER_KERNEL && s->k.kind == KERNEL_PRECOMPUTED) return integers(n, "index", s->m, &s->index);
    if (s->kind == SCORER_NEIGHBOURS && s->weights == WEIGHTS_GAUSSIAN) TRY(number(n, "width", &s->width));
    return own_rows ? reals(n, "rows", 2, (int64_t[]){s->m, s->d}, &s->rows) : RUNG_OK;
}

static rung_status walk_link(naming *n, probit_link *link, int64_t terms, int K)
{
    TRY(number(n, "probit.noise", &link->noise));
    TRY(list(n, "probit.thresholds", K - 1, &link->b));
    if (link->spread) {
        TRY(number(n, "probit.variance", &link->variance));
        return reals(n, "probit.spread", 2, (int64_t[]){K - 1, K - 1}, &link->spread);
    }
    return reals(n, "probit.factor", 2, (int64_t[]){link->rank, terms}, &link->factor);
}

/* Shared arrays belong to the first member that has them; the reader has checked that it is an earlier one with
 * matching counts. */
static void share_arrays(const member *all, member *one)
{
    one->scale = all->scale;
    if (one->space_from) one->space = all[one->space_from - 1].space;
    if (one->rows_from) one->score.rows = all[one->rows_from - 1].score.rows;
    if (one->coef_from) one->score.coef = all[one->coef_from - 1].score.coef;
}

static rung_status walk_member(naming *n, member *all, int number_of, int K)
{
    member *one = &all[number_of];
    decision *decide = &one->decide;
    TRY(number(n, "weight", &one->weight));
    if (number_of == 0) TRY(walk_scaling(n, &scale_arrays, &one->scale));
    if (n->w->mode == ARRAYS_READ) share_arrays(all, one);
    if (one->space.d > 0 && !one->space_from) TRY(walk_scaling(n, &space_arrays, &one->space));
    TRY(walk_scorer(n, &one->score, !one->coef_from, !one->rows_from));
    if (one->proba == PROBA_POWER) TRY(positive(n, "power", &one->power));
    if (decide->kind == DECISION_THRESHOLDS) TRY(list(n, "thresholds", K - 1, &decide->thresholds));
    if (decide->kind == DECISION_NEAREST_MEAN)
        TRY(reals(n, "means", 2, (int64_t[]){K, one->score.outputs}, &decide->means));
    if (one->proba == PROBA_CALIBRATION) {
        TRY(list(n, "map.score", one->map.n, &one->map.f));
        TRY(list(n, "map.rank", one->map.n, &one->map.s));
        TRY(number(n, "calibration.a", &one->cal.a));
        TRY(list(n, "calibration.c", K - 1, &one->cal.c));
    }
    if (one->proba == PROBA_PROBIT) TRY(walk_link(n, &one->link, one->score.m, K));
    if (one->score.random) TRY(walk_effects(n, one->score.random, K));
    return one->prior ? list(n, "prior", K, &one->prior) : RUNG_OK;
}

/* Ranks are 64 bits wide in the file, as all its integers. */
static rung_status walk_ranks(naming *n, const char *last, int64_t count, int **rank)
{
    int64_t *label = NULL;
    if (n->w->mode == ARRAYS_WRITE) {
        TRY(NEW(n->w->ctx, &n->w->ctx->scratch, label, count));
        for (int64_t i = 0; i < count; i++) label[i] = (*rank)[i];
    }
    TRY(visit(n->w, &n->w->ctx->scratch, named(n, last), "I64", 1, &count, (void **)&label));
    if (n->w->mode != ARRAYS_READ) return RUNG_OK;
    TRY(NEW(n->w->ctx, n->mem, *rank, count));
    for (int64_t i = 0; i < count; i++) {
        if (label[i] < 0 || label[i] > INT_MAX)
            return set_error(n->w->ctx, RUNG_EFORMAT, "training row %lld has rank %lld", (long long)i + 1,
                             (long long)label[i]);
        (*rank)[i] = (int)label[i];
    }
    return RUNG_OK;
}

static rung_status walk_training(naming *n, transduction *t, int outputs)
{
    TRY(reals(n, "training.output", 2, (int64_t[]){t->n, outputs}, &t->output));
    return t->label ? walk_ranks(n, "training.label", t->n, &t->label) : RUNG_OK;
}

static rung_status walk_kept(naming *n, kept_data *k, const coding *code)
{
    TRY(reals(n, "kept.rows", 2, (int64_t[]){k->n, code->d}, &k->rows));
    TRY(walk_ranks(n, "kept.label", k->n, &k->label));
    if (k->weight) TRY(list(n, "kept.weight", k->n, &k->weight));
    if (k->class_weight) TRY(list(n, "kept.class_weight", code->n_classes, &k->class_weight));
    if (k->group) TRY(walk_ranks(n, "kept.group", k->n, &k->group));
    if (k->chosen) TRY(walk_ranks(n, "kept.chosen", k->n, &k->chosen));
    return reals(n, "kept.state", 2, (int64_t[]){k->n, k->width}, &k->state);
}

/* The fill values of all columns as one array; 0 for a nominal column. */
static rung_status walk_fills(naming *n, coding *all)
{
    double *fill = NULL;
    const coding *code = coding_cells(all);
    TRY(NEW(n->w->ctx, &n->w->ctx->scratch, fill, code->n_columns));
    for (int64_t j = 0; j < code->n_columns; j++) fill[j] = code->columns[j].nominal ? 0 : code->columns[j].fill;
    TRY(visit(n->w, &n->w->ctx->scratch, named(n, "fill"), "F64", 1, &code->n_columns, (void **)&fill));
    if (n->w->mode == ARRAYS_READ)
        for (int64_t j = 0; j < code->n_columns; j++) {
            if (code->columns[j].nominal && fill[j] != 0)
                return set_error(n->w->ctx, RUNG_EFORMAT, "column %lld of text has the fill value %g", (long long)j + 1,
                                 fill[j]);
            code->columns[j].fill = fill[j];
        }
    if (n->w->mode == ARRAYS_READ && all->derive) derive_fills(all);
    return RUNG_OK;
}

static rung_status walk_metrics(naming *n, const char *name, rung_metrics *cv)
{
    double *const in_the_file[] = {&cv->mae,    &cv->mze,  &cv->acc,     &cv->amae,    &cv->mmae,     &cv->mse,
                                   &cv->gm,     &cv->ms,   &cv->rps,     &cv->tau,     &cv->spearman, &cv->kappa,
                                   &cv->qkappa, &cv->off1, &cv->mae_low, &cv->mae_high};
    enum { METRICS = sizeof in_the_file / sizeof *in_the_file };
    double value[METRICS], *v = value;
    for (int i = 0; i < METRICS; i++) value[i] = *in_the_file[i];
    TRY(list(n, name, METRICS, &v));
    for (int i = 0; i < METRICS; i++) *in_the_file[i] = v[i];
    return RUNG_OK;
}

static rung_status walk_inference(naming *n, fit_inference *i, int64_t columns)
{
    TRY(list(n, "inference.error", i->n, &i->error));
    if (i->units) TRY(reals(n, "inference.covariance", 2, (int64_t[]){i->n, i->n}, &i->covariance));
    TRY(number(n, "inference.log_likelihood", &i->log_likelihood));
    if (i->parameters) TRY(number(n, "inference.rows", &i->rows));
    if (i->columns) TRY(reals(n, "inference.columns", 2, (int64_t[]){columns, 2}, &i->columns));
    if (i->range) TRY(reals(n, "inference.range", 2, (int64_t[]){i->n, 2}, &i->range));
    return i->tests ? reals(n, "inference.parallel", 2, (int64_t[]){i->tests, 2}, &i->parallel) : RUNG_OK;
}

rung_status model_walk_arrays(array_walk *w, rung_model *m)
{
    naming n = {.w = w, .mem = &m->mem};
    TRY(walk_fills(&n, &m->code));
    if (m->code.edges) TRY(list(&n, "edges", m->code.n_classes - 1, &m->code.edges));
    if (m->has_cv) TRY(walk_metrics(&n, "cv", &m->cv));
    if (m->median > 0) TRY(walk_metrics(&n, "cv_median", &m->cv_median));
    if (m->sharpen > 0) TRY(positive(&n, "sharpen", &m->sharpen));
    if (m->temper.n > 0) {
        TRY(list(&n, "temper.power", m->temper.n, &m->temper.power));
        TRY(list(&n, "temper.weight", m->temper.n, &m->temper.weight));
        TRY(list(&n, "temper.frequency", m->n_present, &m->temper.frequency));
    }
    if (m->copies.n > 0 && m->copies.mass) {
        TRY(list(&n, "equals.key", m->copies.n, &m->copies.key));
        TRY(walk_ranks(&n, "equals.rank", m->copies.n, &m->copies.rank));
        TRY(list(&n, "equals.mass", m->copies.n, &m->copies.mass));
        TRY(positive(&n, "equals.prior", &m->copies.prior));
    } else if (m->copies.n > 0) {
        TRY(list(&n, "copies.key", m->copies.n, &m->copies.key));
        TRY(walk_ranks(&n, "copies.rank", m->copies.n, &m->copies.rank));
        TRY(positive(&n, "copies.weight", &m->copies.weight));
    }
    if (m->ranges.repeats > 0) TRY(list(&n, "ranges.score", m->ranges.n, &m->ranges.score));
    if (m->ranges.rank) TRY(walk_ranks(&n, "ranges.rank", m->ranges.n, &m->ranges.rank));
    if (m->training.n > 0) TRY(walk_training(&n, &m->training, m->members[0].score.outputs));
    if (m->kept.n > 0) TRY(walk_kept(&n, &m->kept, &m->code));
    if (m->cost.matrix) {
        TRY(reals(&n, "cost", 2, (int64_t[]){m->code.n_classes, m->code.n_classes}, &m->cost.matrix));
        TRY(number(&n, "cost.abstain", &m->cost.abstain));
    }
    if (m->inferred.n > 0) TRY(walk_inference(&n, &m->inferred, m->code.n_columns));
    for (int i = 0; i < m->n_report; i++) {
        const char *name = NULL;
        TRY(pool_printf(w->ctx, &w->ctx->scratch, &name, "report.%s", m->report[i].name));
        bool single = m->report[i].n == -1;
        TRY(visit(w, n.mem, name, "F64", single ? 0 : 1, single ? NULL : &m->report[i].n,
                  (void **)&m->report[i].value));
    }
    for (int i = 0; i < m->n_members; i++) {
        n.prefix = (size_t)snprintf(n.name, sizeof n.name, "members.%d.", i);
        TRY(walk_member(&n, m->members, i, m->n_present));
    }
    return RUNG_OK;
}
