// SPDX-License-Identifier: BSD-3-Clause
/* A model to explain, and what is said of it. */
#ifndef RUNG_TESTS_EXPLAIN_REPORTS_H
#define RUNG_TESTS_EXPLAIN_REPORTS_H

#include <string.h>

#include "helper.h"

/* kernel: NULL: the default. */
static inline rung_model *fitted(rung_ctx *ctx, const char *method, const char *kernel, const rung_data *data)
{
    rung_spec *spec;
    rung_model *model;
    assert_ok(ctx, rung_spec_new(ctx, method, 0, &spec));
    if (kernel) assert_ok(ctx, rung_spec_set(ctx, spec, "kernel", kernel));
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    rung_spec_free(spec);
    return model;
}

/* What is said of a column. */
static inline const rung_permuted *permuted(const rung_importance *found, const char *name)
{
    const rung_permuted *one;
    for (int i = 0; (one = rung_importance_at(found, i)) && one->n == 1; i++)
        if (strcmp(one->column[0], name) == 0) return one;
    fail_msg("no column %s", name);
    return NULL;
}

static inline const rung_effect *effect(const rung_effects *found, const char *name)
{
    const rung_effect *one;
    for (int i = 0; (one = rung_effects_at(found, i)); i++)
        if (strcmp(one->name, name) == 0) return one;
    fail_msg("no column %s", name);
    return NULL;
}

static inline const rung_contribution *contribution(const rung_row *found, const char *name)
{
    const rung_contribution *one;
    for (int i = 0; (one = rung_row_at(found, i)); i++)
        if (strcmp(one->name, name) == 0) return one;
    fail_msg("no column %s", name);
    return NULL;
}

/* Whether the numbers of two explanations have the same bits. */
static inline bool same_importance(const rung_importance *a, const rung_importance *b)
{
    const rung_permuted *one, *other;
    for (int i = 0; (one = rung_importance_at(a, i)); i++)
        if (!(other = rung_importance_at(b, i)) || memcmp(one->rise, other->rise, sizeof one->rise) ||
            strcmp(one->column[0], other->column[0]))
            return false;
    return true;
}

static inline bool same_effects(const rung_effects *a, const rung_effects *b)
{
    const rung_effect *one, *other;
    for (int i = 0; (one = rung_effects_at(a, i)); i++)
        if (!(other = rung_effects_at(b, i)) || one->n != other->n ||
            memcmp(one->dependence, other->dependence, (size_t)one->n * sizeof(double)) ||
            memcmp(one->local, other->local, (size_t)one->n * sizeof(double)))
            return false;
    return true;
}

static inline bool same_row(const rung_row *a, const rung_row *b)
{
    const rung_contribution *one, *other;
    const rung_change *change, *second;
    for (int i = 0; (one = rung_row_at(a, i)); i++)
        if (!(other = rung_row_at(b, i)) || one->value != other->value || strcmp(one->name, other->name)) return false;
    for (int up = 0; up < 2; up++)
        for (int i = 0; (change = rung_row_change(a, up, i)); i++)
            if (!(second = rung_row_change(b, up, i)) || strcmp(change->name, second->name) ||
                change->to.number != second->to.number)
                return false;
    return true;
}

#endif
