// SPDX-License-Identifier: BSD-3-Clause
/* change.c - the smallest change that would give a row another rank.
 *
 * Columns take values that other rows have: of numbers at quantiles, of categories one row each. One column is tried
 * after the other; if none is enough, the BEAM changes that move the answer furthest are continued with another column,
 * and another. Fewer columns come first, then the shorter way: the share of rows between the old number and the new
 * one, 1 for a category. At last each number is brought back towards the old one as far as the rank allows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explain/row.h"

enum { VALUES = 12, BEAM = 6, HALVINGS = 8, MOST_ROWS = 2000, STREAM = 0x63686100 };

typedef struct {
    int n;
    int64_t column[MOST_CHANGED];
    double length, value;
    int rank;
    double *x;
} state;

typedef struct {
    int64_t row;
    double value;
} placed;

typedef struct {
    const rung_model *m;
    const rung_data *data;
    const double *x;
    int step, rank;
    const bool *fixed;
    int64_t n, *rows; /* donors */
    placed *sorted;
    int64_t *donor; /* columns x VALUES */
    int *donors;    /* of a column */
    double *length; /* columns x VALUES */
} study;

static int by_value(const void *a, const void *b)
{
    const placed *p = a, *q = b;
    if (p->value != q->value) return p->value < q->value ? -1 : 1;
    return p->row < q->row ? -1 : p->row > q->row;
}

static const double *donor_row(const study *s, int64_t row) { return s->data->X + row * s->data->d; }

static void number_donors(study *s, int64_t j)
{
    const column_code *c = &model_cells(s->m)->columns[j];
    int64_t there = 0;
    double old = s->x[c->first];
    for (int64_t i = 0; i < s->n; i++) {
        double v = donor_row(s, s->rows[i])[c->first];
        if (!isnan(v)) s->sorted[there++] = (placed){s->rows[i], v};
    }
    qsort(s->sorted, (size_t)there, sizeof *s->sorted, by_value);
    for (int k = 0; k < VALUES && there > 0; k++) {
        int64_t at = (there - 1) * k / (VALUES - 1), between = 0;
        double v = s->sorted[at].value;
        int *n = &s->donors[j];
        if (v == old || (*n > 0 && donor_row(s, s->donor[j * VALUES + *n - 1])[c->first] == v)) continue;
        for (int64_t i = 0; i < there; i++)
            between += (s->sorted[i].value > fmin(v, old) && s->sorted[i].value <= fmax(v, old)) || isnan(old);
        s->donor[j * VALUES + *n] = s->sorted[at].row;
        s->length[j * VALUES + (*n)++] = (double)between / (double)there;
    }
}

static void category_donors(study *s, int64_t j)
{
    for (int64_t i = 0; i < s->n && s->donors[j] < VALUES; i++) {
        const double *row = donor_row(s, s->rows[i]);
        bool known = column_equal(model_cells(s->m), j, row, s->x);
        for (int k = 0; k < s->donors[j] && !known; k++)
            known = column_equal(model_cells(s->m), j, row, donor_row(s, s->donor[j * VALUES + k]));
        if (known) continue;
        s->donor[j * VALUES + s->donors[j]] = s->rows[i];
        s->length[j * VALUES + s->donors[j]++] = 1;
    }
}

static bool changed(const state *t, int64_t j)
{
    for (int k = 0; k < t->n; k++)
        if (t->column[k] == j) return true;
    return false;
}

static bool reached(const study *s, int rank) { return rank > 0 && s->step * (rank - s->rank) > 0; }

/* All continuations of the states by one more column, with their answers. */
static rung_status continue_all(rung_ctx *ctx, const study *s, int n, const state *from, int64_t *count, state **out)
{
    int64_t d = s->data->d, columns = model_cells(s->m)->n_columns, room = 0;
    for (int64_t j = 0; j < columns; j++) room += s->fixed[j] ? 0 : s->donors[j];
    room *= n;
    double *X = NULL;
    answers a;
    TRY(NEW(ctx, &ctx->scratch, *out, room));
    TRY(NEW_RAW(ctx, &ctx->scratch, X, room * d));
    TRY(answers_new(ctx, &ctx->scratch, s->m, room, &a));
    *count = 0;
    for (int b = 0; b < n; b++)
        for (int64_t j = 0; j < columns; j++)
            for (int k = 0; !s->fixed[j] && !changed(&from[b], j) && k < s->donors[j]; k++) {
                state *t = &(*out)[*count];
                *t = from[b];
                t->x = X + (*count)++ * d;
                memcpy(t->x, from[b].x, (size_t)d * sizeof *X);
                column_copy(model_cells(s->m), j, donor_row(s, s->donor[j * VALUES + k]), t->x);
                t->column[t->n++] = j;
                t->length += s->length[j * VALUES + k];
            }
    if (*count) TRY(answers_of(ctx, s->m, *count, X, &a));
    for (int64_t i = 0; i < *count; i++) {
        (*out)[i].rank = a.rank[i];
        (*out)[i].value = a.value[i];
    }
    return RUNG_OK;
}

/* The shortest that reaches another rank; -1: none does. */
static int64_t shortest(const study *s, int64_t n, const state *all)
{
    int64_t best = -1;
    for (int64_t i = 0; i < n; i++)
        if (reached(s, all[i].rank) && (best < 0 || all[i].length < all[best].length)) best = i;
    return best;
}

/* The BEAM states that go furthest, in front. */
static int furthest(const study *s, int64_t n, state *all)
{
    int kept = n < BEAM ? (int)n : BEAM;
    for (int k = 0; k < kept; k++) {
        int64_t best = k;
        for (int64_t i = k + 1; i < n; i++)
            if (s->step * (all[i].value - all[best].value) > 0) best = i;
        state t = all[k];
        all[k] = all[best];
        all[best] = t;
    }
    return kept;
}

static bool whole_numbers(const study *s, const column_code *c)
{
    for (int64_t i = 0; i < s->n; i++) {
        double v = donor_row(s, s->rows[i])[c->first];
        if (!isnan(v) && v != floor(v)) return false;
    }
    return true;
}

/* Brings the numbers back towards the old ones, by halving. */
static rung_status shorten(rung_ctx *ctx, const study *s, state *t)
{
    answers a;
    TRY(answers_new(ctx, &ctx->scratch, s->m, 1, &a));
    for (int k = 0; k < t->n; k++) {
        const column_code *c = &model_cells(s->m)->columns[t->column[k]];
        if (c->nominal || (c->form != FORM_PLAIN && c->form != FORM_COMMA && c->form != FORM_GROUPED) ||
            isnan(s->x[c->first]))
            continue;
        bool whole = whole_numbers(s, c);
        double near = s->x[c->first], far = t->x[c->first];
        for (int step = 0; step < HALVINGS; step++) {
            double middle = whole ? round((near + far) / 2) : (near + far) / 2;
            if (middle == near || middle == far) break;
            t->x[c->first] = middle;
            TRY(answers_of(ctx, s->m, 1, t->x, &a));
            if (reached(s, a.rank[0]))
                far = middle;
            else
                near = middle;
        }
        t->x[c->first] = far;
    }
    TRY(answers_of(ctx, s->m, 1, t->x, &a));
    t->rank = a.rank[0];
    return RUNG_OK;
}

static rung_status prepare(rung_ctx *ctx, study *s)
{
    int64_t columns = model_cells(s->m)->n_columns, *all = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, all, s->data->n));
    for (int64_t i = 0; i < s->data->n; i++) all[i] = i;
    TRY(rows_sample(ctx, s->data->n, all, MOST_ROWS, STREAM, &s->rows, &s->n));
    TRY(NEW_RAW(ctx, &ctx->scratch, s->sorted, s->n));
    TRY(NEW(ctx, &ctx->scratch, s->donor, columns * VALUES));
    TRY(NEW(ctx, &ctx->scratch, s->donors, columns));
    TRY(NEW(ctx, &ctx->scratch, s->length, columns * VALUES));
    for (int64_t j = 0; j < columns; j++) {
        if (s->fixed[j]) continue;
        if (model_cells(s->m)->columns[j].nominal)
            category_donors(s, j);
        else
            number_donors(s, j);
    }
    return RUNG_OK;
}

rung_status change_find(rung_ctx *ctx, const rung_model *m, const double *x, const rung_data *data, int step,
                        const bool *fixed, row_change *out)
{
    study s = {.m = m, .data = data, .x = x, .step = step, .fixed = fixed};
    answers a;
    *out = (row_change){0};
    TRY(answers_new(ctx, &ctx->scratch, m, 1, &a));
    TRY(answers_of(ctx, m, 1, s.x, &a));
    s.rank = a.rank[0];
    TRY(prepare(ctx, &s));
    state start = {0}, *from = &start;
    TRY(NEW_RAW(ctx, &ctx->scratch, start.x, data->d));
    memcpy(start.x, s.x, (size_t)data->d * sizeof *start.x);
    int n = 1;
    for (int depth = 0; depth < MOST_CHANGED && n > 0; depth++) {
        state *all = NULL;
        int64_t count;
        TRY(interrupted(ctx));
        TRY(continue_all(ctx, &s, n, from, &count, &all));
        int64_t best = shortest(&s, count, all);
        if (best >= 0) {
            TRY(shorten(ctx, &s, &all[best]));
            out->rank = all[best].rank;
            out->n = all[best].n;
            memcpy(out->column, all[best].column, sizeof out->column);
            out->x = all[best].x;
            return RUNG_OK;
        }
        n = furthest(&s, count, all);
        from = all;
    }
    return RUNG_OK;
}
