// SPDX-License-Identifier: BSD-3-Clause
/* A model to explain, and what its report says. */
#ifndef RUNG_TESTS_EXPLAIN_REPORTS_H
#define RUNG_TESTS_EXPLAIN_REPORTS_H

#include <jansson.h>
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

/* Releases the text. */
static inline json_t *parsed(char *text)
{
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    rung_free(text);
    return json;
}

static inline json_t *column(const json_t *report, const char *name)
{
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(report, "columns"), i, one)
    {
        if (strcmp(json_string_value(json_object_get(one, "name")), name) == 0) return one;
    }
    fail_msg("no column %s", name);
    return NULL;
}

#endif
