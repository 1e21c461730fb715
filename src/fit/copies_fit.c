// SPDX-License-Identifier: BSD-3-Clause
/* copies_fit.c - what a model does with a row that equals labelled ones.
 *
 * A row whose equals have grades with masses c_1 .. c_K, and to which the model gives p, takes (c + s p) / (sum c + s).
 * The prior s has the largest likelihood on held-out rows that have equals: each is predicted without itself but with
 * these. */
#include "fit/copies_fit.h"

#include <stdlib.h>
#include <string.h>

#include "data/row_groups.h"

/* AGAINST: rows that disagree with an equal one and are assumed besides those that are there. A rule is kept if its
 * likelihood is so much above that of the model alone (in logarithms). A grade is thought possible by any model. */
static const double AGAINST = 1, LEAST_GAIN = 2, LEAST_CHANCE = 1e-6;
static const double PRIORS[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
enum { MOST = 100000, /* labelled rows in the model */ FEWEST = 20 /* rows for an error of their own */ };

/* ---- equal rows ---- */

typedef struct {
    const problem *p;
    double *mass;  /* p->n: of a row, in equal rows; 0: its label is not one grade */
    double *own;   /* p->n: what leaves with a row beyond its cell: itself, or one of the rows that it stands for */
    int64_t *set;  /* p->n: rows that are equal in every column */
    double *all;   /* sets x K */
    int64_t *cell; /* p->n: rows of a set that are held out together; NULL: each by itself */
    double *some;  /* cells x K */
    bool any;      /* a row has an equal one */
} equal_table;

typedef struct {
    int64_t set, row;
    int group;
} placed_row;

static int by_place(const void *a, const void *b)
{
    const placed_row *x = a, *y = b;
    if (x->set != y->set) return x->set < y->set ? -1 : 1;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* A row is held out with the others of its group, so that these are not among its equals. */
static rung_status find_cells(rung_ctx *ctx, equal_table *e)
{
    const problem *p = e->p;
    int64_t cells = 0;
    placed_row *list = NULL;
    TRY(NEW(ctx, &ctx->scratch, e->cell, p->n));
    TRY(NEW(ctx, &ctx->scratch, list, p->n));
    for (int64_t i = 0; i < p->n; i++) list[i] = (placed_row){e->set[i], i, p->group[i]};
    qsort(list, (size_t)p->n, sizeof *list, by_place);
    for (int64_t i = 0; i < p->n; i++) {
        cells += i > 0 && (list[i].set != list[i - 1].set || list[i].group != list[i - 1].group);
        e->cell[list[i].row] = cells;
    }
    TRY(NEW(ctx, &ctx->scratch, e->some, (cells + 1) * p->K));
    for (int64_t i = 0; i < p->n; i++)
        if (e->mass[i] > 0) e->some[e->cell[i] * p->K + p->y[i] - 1] += e->mass[i];
    return RUNG_OK;
}

/* The mass of each row: its weight relative to the mean, times what it counts for. */
static rung_status find_masses(rung_ctx *ctx, const training *t, equal_table *e)
{
    const problem *p = e->p;
    double total = 0, labelled = 0;
    TRY(NEW(ctx, &ctx->scratch, e->mass, p->n));
    TRY(NEW(ctx, &ctx->scratch, e->own, p->n));
    for (int64_t i = 0; i < p->n; i++) {
        if (!p->y[i]) continue;
        total += p->w ? p->w[i] : 1;
        labelled += t->counted ? t->data->weight[p->origin[i]] : 1;
    }
    for (int64_t i = 0; i < p->n; i++) {
        if (!p->y[i] || is_interval(p->y, p->upper, i)) continue;
        e->mass[i] = (p->w ? p->w[i] : 1) * labelled / total;
        e->own[i] = t->counted ? e->mass[i] / t->data->weight[p->origin[i]] : e->mass[i];
    }
    return RUNG_OK;
}

static rung_status equal_table_new(rung_ctx *ctx, const training *t, const problem *p, equal_table *out)
{
    int *name = NULL;
    row_groups sets;
    *out = (equal_table){.p = p};
    TRY(find_masses(ctx, t, out));
    TRY(NEW(ctx, &ctx->scratch, name, p->n));
    for (int64_t i = 0; i < p->n; i++) name[i] = t->same ? t->same[p->origin[i]] : (int)i;
    TRY(row_groups_new(ctx, &ctx->scratch, p->n, name, &sets));
    out->set = sets.of;
    TRY(NEW(ctx, &ctx->scratch, out->all, sets.count * p->K));
    for (int64_t i = 0; i < p->n; i++) {
        if (out->mass[i] == 0) continue;
        out->all[out->set[i] * p->K + p->y[i] - 1] += out->mass[i];
        out->any = out->any || out->mass[i] > out->own[i] || row_groups_size(&sets, sets.of[i]) > 1;
    }
    return t->group && !t->equal ? find_cells(ctx, out) : RUNG_OK;
}

/* The masses of the grades among the equals of a row, without what leaves with it; returns their sum. */
static double equals_of(const equal_table *e, int64_t row, double *mass)
{
    const problem *p = e->p;
    double total = 0;
    for (int q = 0; q < p->K; q++) {
        mass[q] = e->all[e->set[row] * p->K + q];
        if (e->cell) mass[q] -= e->some[e->cell[row] * p->K + q];
        if (!e->cell && q == p->y[row] - 1) mass[q] -= e->own[row];
        mass[q] = mass[q] > 1e-9 ? mass[q] : 0;
        total += mass[q];
    }
    return total;
}

/* ---- the prior ---- */

typedef struct { /* a held-out row with equals: the mass of those that agree, of all, the chance of its label */
    double agree, all, chance, weight;
} evidence;

static double likelihood(int64_t n, const evidence *e, double s)
{
    double sum = -AGAINST * log1p(1 / s);
    for (int64_t i = 0; i < n; i++)
        sum += e[i].weight * log((e[i].agree + s * e[i].chance) / (e[i].all + s) / e[i].chance);
    return sum;
}

/* 0: labels of equal rows tell nothing that the model does not know. */
static rung_status find_prior(rung_ctx *ctx, const equal_table *e, const held_grades *g, double *out)
{
    const problem *p = g->p;
    evidence *list = NULL;
    double *mass = NULL, best = LEAST_GAIN;
    int64_t n = 0;
    TRY(NEW(ctx, &ctx->scratch, list, g->h->n));
    TRY(NEW(ctx, &ctx->scratch, mass, p->K));
    for (int64_t k = 0; k < g->h->n; k++) {
        int64_t row = g->h->row[k];
        if (e->mass[row] == 0) continue;
        double all = equals_of(e, row, mass), chance = g->proba[k * p->K + p->y[row] - 1];
        if (all == 0) continue;
        list[n++] = (evidence){mass[p->y[row] - 1], all, fmax(chance, LEAST_CHANCE), e->mass[row] / g->f->repeats};
    }
    *out = 0;
    for (size_t i = 0; i < sizeof PRIORS / sizeof *PRIORS; i++) {
        double gain = likelihood(n, list, PRIORS[i]);
        if (gain <= best) continue;
        best = gain;
        *out = PRIORS[i];
    }
    return RUNG_OK;
}

/* ---- the rule ---- */

typedef struct {
    double key, mass;
    int rank;
} keyed_mass;

static int by_key(const void *a, const void *b)
{
    const keyed_mass *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    if (x->rank != y->rank) return (x->rank > y->rank) - (x->rank < y->rank);
    return (x->mass > y->mass) - (x->mass < y->mass);
}

/* Entries for rows with the same key and rank are one. */
static rung_status keep_rows(rung_ctx *ctx, const training *t, const equal_table *e, pool *mem, row_copies *out)
{
    const rung_data *data = t->data;
    keyed_mass *list = NULL;
    int64_t n = 0;
    TRY(NEW(ctx, &ctx->scratch, list, e->p->n));
    for (int64_t i = 0; i < e->p->n; i++)
        if (e->mass[i] > 0)
            list[n++] = (keyed_mass){row_key(data->d, data->X + e->p->origin[i] * data->d, 1), e->mass[i], e->p->y[i]};
    qsort(list, (size_t)n, sizeof *list, by_key);
    TRY(NEW(ctx, mem, out->key, n));
    TRY(NEW(ctx, mem, out->rank, n));
    TRY(NEW(ctx, mem, out->mass, n));
    for (int64_t i = 0; i < n; i++) {
        bool first = i == 0 || list[i].key != list[i - 1].key || list[i].rank != list[i - 1].rank;
        int64_t k = first ? out->n++ : out->n - 1;
        out->key[k] = list[i].key;
        out->rank[k] = list[i].rank;
        out->mass[k] += list[i].mass;
    }
    return RUNG_OK;
}

/* What the rule makes of the held-out rows that have equals. */
static rung_status blend_rows(rung_ctx *ctx, const equal_table *e, double prior, const double *plain, held_grades *g)
{
    int K = g->p->K, *rank = NULL;
    double *mass = NULL, *mixed = NULL;
    TRY(NEW(ctx, &ctx->scratch, rank, K));
    TRY(NEW(ctx, &ctx->scratch, mass, K));
    TRY(NEW(ctx, &ctx->scratch, mixed, K));
    for (int q = 0; q < K; q++) rank[q] = q + 1;
    row_copies own = {.n = K, .rank = rank, .mass = mass, .prior = prior};
    for (int64_t k = 0; k < g->h->n; k++) {
        if (equals_of(e, g->h->row[k], mass) == 0) continue;
        memcpy(mixed, plain + k * K, (size_t)K * sizeof *mixed);
        double share = copies_mix(&own, 0, K, K, mixed);
        g->rank[k] = copies_rank(K, g->rank[k], plain + k * K, mixed, share);
        copies_mix(&own, 0, K, K, g->proba + k * K);
    }
    return RUNG_OK;
}

/* ---- both errors ---- */

static rung_status report_value(rung_ctx *ctx, const char *name, double value, rung_model *model)
{
    report_entry *one;
    TRY(RESIZE(ctx, &model->mem, model->report, model->n_report + 1));
    one = &model->report[model->n_report];
    *one = (report_entry){.name = name, .n = -1};
    TRY(NEW(ctx, &model->mem, one->value, 1));
    *one->value = value;
    model->n_report++;
    return RUNG_OK;
}

/* The held-out rows that equal no labelled one. */
static rung_status rows_unlike(rung_ctx *ctx, const equal_table *e, const held_grades *g, held_grades *out,
                               held_out *rows)
{
    int K = g->p->K;
    double *mass = NULL;
    *rows = *g->h;
    *out = (held_grades){.p = g->p, .f = g->f, .h = rows, .exact = g->exact};
    rows->n = 0;
    TRY(NEW(ctx, &ctx->scratch, mass, K));
    TRY(NEW(ctx, &ctx->scratch, rows->row, g->h->n));
    TRY(NEW(ctx, &ctx->scratch, rows->repeat, g->h->n));
    TRY(NEW(ctx, &ctx->scratch, out->rank, g->h->n));
    TRY(NEW(ctx, &ctx->scratch, out->proba, g->h->n * K));
    for (int64_t k = 0; k < g->h->n; k++) {
        if (equals_of(e, g->h->row[k], mass) > 0) continue;
        rows->row[rows->n] = g->h->row[k];
        rows->repeat[rows->n] = g->h->repeat[k];
        out->rank[rows->n] = g->rank[k];
        memcpy(out->proba + rows->n++ * K, g->proba + k * K, (size_t)K * sizeof *out->proba);
    }
    return RUNG_OK;
}

/* unlike, repeats: grades for which they are measured. */
static rung_status tell_both(rung_ctx *ctx, const training *t, const held_grades *unlike, const held_grades *repeats,
                             rung_model *model)
{
    rung_metrics a, b;
    if (held_out_counted(t, unlike) < (int64_t)FEWEST * unlike->f->repeats || held_out_counted(t, repeats) == 0)
        return RUNG_OK;
    TRY(held_out_metrics(ctx, t, unlike, &a));
    TRY(held_out_metrics(ctx, t, repeats, &b));
    if ((b.mae >= a.mae_low && b.mae <= a.mae_high) || (a.mae >= b.mae_low && a.mae <= b.mae_high)) return RUNG_OK;
    log_at(
        ctx, RUNG_LOG_INFO,
        "mean absolute error of rows unlike any labelled one: %.2f; if new rows repeat labelled ones as often as these "
        "do: %.2f",
        a.mae, b.mae);
    TRY(report_value(ctx, "mae_unlike", a.mae, model));
    return report_value(ctx, "mae_repeats", b.mae, model);
}

rung_status copies_fit(rung_ctx *ctx, const training *t, const double *plain, held_grades *g, rung_model *model)
{
    pool_mark mark = pool_here(&ctx->scratch);
    equal_table e;
    held_grades other;
    held_out rows;
    double prior;
    if ((!t->same && !t->counted) || g->h->n == 0 || t->n_labelled > MOST) return RUNG_OK;
    TRY(equal_table_new(ctx, t, g->p, &e));
    if (!e.any) return RUNG_OK;
    TRY(find_prior(ctx, &e, g, &prior));
    if (prior > 0) {
        TRY(keep_rows(ctx, t, &e, &model->mem, &model->copies));
        model->copies.prior = prior;
        TRY(report_value(ctx, "equal_prior", prior, model));
        log_at(ctx, RUNG_LOG_INFO,
               "a new row that equals labelled ones takes their labels into account: what the model says otherwise "
               "counts as %g of them",
               prior);
    }
    if (t->equal && prior > 0) { /* none of the held-out rows has an equal one left */
        other = *g;
        TRY(NEW(ctx, &ctx->scratch, other.rank, g->h->n));
        TRY(NEW(ctx, &ctx->scratch, other.proba, g->h->n * g->p->K));
        memcpy(other.rank, g->rank, (size_t)g->h->n * sizeof *other.rank);
        memcpy(other.proba, g->proba, (size_t)(g->h->n * g->p->K) * sizeof *other.proba);
        TRY(blend_rows(ctx, &e, prior, plain, &other));
        TRY(tell_both(ctx, t, g, &other, model));
    } else if (!t->equal && t->same) {
        if (prior > 0) TRY(blend_rows(ctx, &e, prior, plain, g));
        TRY(rows_unlike(ctx, &e, g, &other, &rows));
        TRY(tell_both(ctx, t, &other, g, model));
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status copies_differing(rung_ctx *ctx, const training *t, const rung_model *model, double *out)
{
    const row_copies *c = &model->copies;
    const problem *p = &t->labelled;
    row_copies again = {0};
    equal_table e;
    *out = 0;
    if (!c->mass) return RUNG_OK;
    TRY(equal_table_new(ctx, t, p, &e));
    TRY(keep_rows(ctx, t, &e, &ctx->scratch, &again));
    *out = fabs((double)(again.n - c->n));
    for (int64_t i = 0; i < c->n && i < again.n; i++)
        *out += again.key[i] != c->key[i] || again.rank[i] != c->rank[i] || again.mass[i] != c->mass[i];
    return RUNG_OK;
}
