// SPDX-License-Identifier: BSD-3-Clause
/* Methods, their parameters, specs. */
#include <string.h>

#include "api/call.h"
#include "fit/method.h"

const rung_method *rung_method_at(int index)
{
    if (index < 0) return NULL;
    for (int i = 0; method_table[i]; i++)
        if (i == index) return &method_table[i]->info;
    return NULL;
}

const rung_method *rung_method_find(const char *name)
{
    const method *m = name ? method_find(name) : NULL;
    return m ? &m->info : NULL;
}

const rung_method *rung_method_default(int real) { return &method_default(real != 0)->info; }

/* Only entries of the table are rung_methods, and `info` is the first member of those. */
static const param_row *rows_of(const rung_method *m) { return ((const method *)m)->params; }

const rung_param *rung_method_param_at(const rung_method *m, int index)
{
    if (index < 0) return NULL;
    const param_row *row = rows_of(m);
    while (row->info.name && index-- > 0) row++;
    return row->info.name ? &row->info : NULL;
}

const rung_param *rung_method_param_find(const rung_method *m, const char *name)
{
    for (const param_row *row = rows_of(m); row->info.name; row++)
        if (strcmp(row->info.name, name) == 0) return &row->info;
    return NULL;
}

rung_status rung_spec_new(rung_ctx *ctx, const char *name, int as_published, rung_spec **out)
{
    NOTHING(out);
    if (!ctx || !name || !out) return missing(ctx, "rung_spec_new");
    CALL(ctx, spec_new(ctx, name, as_published != 0, out));
}

rung_status rung_spec_set(rung_ctx *ctx, rung_spec *spec, const char *name, const char *value)
{
    if (!ctx || !spec || !name || !value) return missing(ctx, "rung_spec_set");
    CALL(ctx, spec_set(ctx, spec, name, value));
}

rung_status rung_spec_set_scale(rung_ctx *ctx, rung_spec *spec, const char *scale)
{
    if (!ctx || !spec || !scale) return missing(ctx, "rung_spec_set_scale");
    CALL(ctx, spec_set_scale(ctx, spec, scale));
}

rung_status rung_spec_set_equal_rows(rung_ctx *ctx, rung_spec *spec, const char *rule)
{
    if (!ctx || !spec || !rule) return missing(ctx, "rung_spec_set_equal_rows");
    CALL(ctx, spec_set_equal_rows(ctx, spec, rule));
}

rung_status rung_spec_set_class_weight(rung_ctx *ctx, rung_spec *spec, const char *class_name, double weight)
{
    if (!ctx || !spec || !class_name) return missing(ctx, "rung_spec_set_class_weight");
    CALL(ctx, spec_set_weight(ctx, spec, class_name, weight));
}

rung_status rung_spec_set_balanced(rung_ctx *ctx, rung_spec *spec, int balanced)
{
    if (!ctx || !spec) return missing(ctx, "rung_spec_set_balanced");
    CALL(ctx, spec_set_balanced(ctx, spec, balanced != 0));
}

rung_status rung_spec_set_keep_data(rung_ctx *ctx, rung_spec *spec, int keep)
{
    if (!ctx || !spec) return missing(ctx, "rung_spec_set_keep_data");
    CALL(ctx, spec_set_keep_data(ctx, spec, keep != 0));
}

rung_status rung_spec_set_keep_rows(rung_ctx *ctx, rung_spec *spec, int keep)
{
    if (!ctx || !spec) return missing(ctx, "rung_spec_set_keep_rows");
    CALL(ctx, spec_set_keep_rows(ctx, spec, keep != 0));
}

rung_status rung_spec_set_cost(rung_ctx *ctx, rung_spec *spec, int classes, const double *cost, double abstain)
{
    if (!ctx || !spec) return missing(ctx, "rung_spec_set_cost");
    CALL(ctx, spec_set_cost(ctx, spec, classes, cost, abstain));
}

rung_status rung_spec_set_baseline(rung_ctx *ctx, rung_spec *spec, int wanted)
{
    if (!ctx || !spec) return missing(ctx, "rung_spec_set_baseline");
    CALL(ctx, spec_set_baseline(ctx, spec, wanted != 0));
}

rung_status rung_spec_copy(rung_ctx *ctx, const rung_spec *spec, rung_spec **out)
{
    NOTHING(out);
    if (!ctx || !spec || !out) return missing(ctx, "rung_spec_copy");
    CALL(ctx, spec_copy(ctx, spec, out));
}

void rung_spec_free(rung_spec *spec) { spec_free(spec); }

const rung_method *rung_spec_method(const rung_spec *spec) { return &spec->method->info; }
const char *rung_spec_value(const rung_spec *spec, const char *name) { return spec_value(spec, name); }
