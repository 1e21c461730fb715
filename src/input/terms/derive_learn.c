// SPDX-License-Identifier: BSD-3-Clause
/* derive_learn.c - what derived columns learn from the training rows: means, and which categories a product has.
 *
 * A factor of categories has a column for each but one, the category that coefficients compare the others with, if the
 * product without this factor is in the model, too; else one for each (the rule of S and R: J. M. Chambers, T. J.
 * Hastie, Statistical Models in S, 1992, section 2.4.1). */
#include <math.h>
#include <string.h>

#include "input/terms/derive_read.h"

/* The columns of the table become those of the coding. */
static rung_status place_parts(rung_ctx *ctx, const rung_table *t, const derive_wish *wish, const int64_t *from,
                               int64_t columns)
{
    for (int64_t i = 0; i < wish->n; i++)
        for (int p = 0; p < wish->term[i].n_parts; p++) {
            derived_part *part = &wish->term[i].part[p];
            int64_t j = 0;
            char label[COLUMN_LABEL];
            while (j < columns && from[j] != part->column) j++;
            if (j == columns)
                return set_error(ctx, RUNG_EARG,
                                 "%s: the derived column '%.80s' needs column %s, which is not read as a feature: say "
                                 "what it is (nominal, numeric, ordinal or dates)",
                                 t->path, wish->text[i], table_column_label(t, part->column, label));
            part->column = j;
        }
    return RUNG_OK;
}

/* Whether the parts of a and b are the same but for one of a (-1: none), in any order. */
static bool same_parts(const derived_term *a, int without, const derived_term *b)
{
    bool taken[DERIVE_PARTS] = {false};
    if (a->n_parts - (without >= 0) != b->n_parts) return false;
    for (int k = 0; k < a->n_parts; k++) {
        int q = 0;
        if (k == without) continue;
        while (q < b->n_parts && (taken[q] || !derive_steps_equal(&a->part[k], &b->part[q]))) q++;
        if (q == b->n_parts) return false;
        taken[q] = true;
    }
    return true;
}

static bool in_model(const derivation *d, const derived_term *term, int without)
{
    for (int64_t j = 0; j < d->cells.n_columns; j++) {
        const derived_term plain = {.n_parts = 1, .part = {{.column = j}}};
        if (!d->cells.columns[j].hidden && same_parts(term, without, &plain)) return true;
    }
    for (int64_t i = 0; i < d->n; i++)
        if (same_parts(term, without, &d->term[i])) return true;
    return false;
}

/* The first power of poly() tells what the column tells that is a feature itself. */
static void drop_first_powers(derive_wish *wish, const coding *cells)
{
    int64_t n = 0;
    for (int64_t i = 0; i < wish->n; i++) {
        const derived_part *p = wish->term[i].part;
        bool alone = wish->term[i].n_parts == 1 && p->n_steps == 1 && p->step->f == DERIVE_CENTER;
        if (alone && strncmp(wish->text[i], "poly", 4) == 0 && !cells->columns[p->column].hidden) continue;
        wish->text[n] = wish->text[i];
        wish->term[n++] = wish->term[i];
    }
    wish->n = n;
}

static rung_status check_distinct(rung_ctx *ctx, const derive_wish *wish)
{
    for (int64_t i = 1; i < wish->n; i++)
        for (int64_t k = 0; k < i; k++)
            if (same_parts(&wish->term[i], -1, &wish->term[k]))
                return set_error(ctx, RUNG_EARG, "the derived columns '%.80s' and '%.80s' are the same", wish->text[k],
                                 wish->text[i]);
    return RUNG_OK;
}

/* The means of the numbers that a part has before its steps center(), over the rows that have them. */
static void learn_means(const rung_data *data, const derivation *d, derived_part *p)
{
    const column_code *c = &d->cells.columns[p->column];
    for (int k = 0; k < p->n_steps; k++) {
        double sum = 0, mass = 0;
        derived_part before = *p;
        before.n_steps = k;
        if (p->step[k].f != DERIVE_CENTER) continue;
        for (int64_t i = 0; i < data->n; i++) {
            double x = derive_number(&before, data->X[i * d->cells.d + c->first]);
            double w = data->weight ? data->weight[i] : 1;
            if (!isfinite(x) || !(w > 0)) continue;
            sum += w * x;
            mass += w;
        }
        p->step[k].number = mass > 0 && isfinite(sum / mass) ? sum / mass : 0;
    }
}

/* From the cells, which are X as yet, to the derived columns. */
rung_status derive_known(rung_ctx *ctx, const rung_table *t, rung_data *data)
{
    const coding *cells = coding_cells(&data->code);
    data->cells = data->X;
    TRY(dataset_numbers(ctx, data, data->code.d));
    for (int64_t i = 0; i < data->n; i++) {
        int64_t bad;
        if (derive_row(&data->code, data->cells + i * cells->d, data->X + i * data->d, &bad)) continue;
        return set_error(
            ctx, RUNG_EDATA,
            "%s, line %lld: the derived column '%.80s' is not a finite number there; leave the cells empty "
            "where it has no meaning, or derive another one, such as log1p instead of log",
            table_path(t, i), (long long)table_line(t, i), data->code.columns[bad].name);
    }
    return RUNG_OK;
}

rung_status derive_learn(rung_ctx *ctx, const rung_table *t, derive_wish *wish, const int64_t *from, rung_data *data)
{
    derivation *d = NULL;
    coding code;
    TRY(place_parts(ctx, t, wish, from, data->code.n_columns));
    drop_first_powers(wish, &data->code);
    TRY(check_distinct(ctx, wish));
    TRY(NEW(ctx, &data->mem, d, 1));
    TRY(NEW(ctx, &data->mem, d->term, wish->n));
    d->cells = data->code;
    d->n = wish->n;
    memcpy(d->term, wish->term, (size_t)wish->n * sizeof *d->term);
    for (int64_t i = 0; i < d->n; i++)
        for (int p = 0; p < d->term[i].n_parts; p++) {
            derived_part *part = &d->term[i].part[p];
            part->full = d->cells.columns[part->column].nominal && !in_model(d, &d->term[i], p);
            learn_means(data, d, part);
        }
    TRY(derive_check(ctx, d, RUNG_EARG));
    TRY(derive_coding(ctx, &data->mem, d, &code));
    if (code.d < 1) return set_error(ctx, RUNG_EDATA, "%s: no feature column remains", t->path);
    data->code = code;
    return derive_known(ctx, t, data);
}
