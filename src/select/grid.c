// SPDX-License-Identifier: BSD-3-Clause
#include "select/grid.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { MOST_POINTS = 20000 };

typedef struct { /* a parameter and the values it takes in turn */
    int row;
    int n;
    const char **values;
} axis;

/* ---- texts ---- */

/* The value after "name=" if text starts with it. */
static const char *setting_of(const char *text, const char *name)
{
    size_t length = strlen(name);
    return strncmp(text, name, length) == 0 && text[length] == '=' ? text + length + 1 : NULL;
}

static const char *find_setting(const char *const *list, const char *name)
{
    const char *found = NULL; /* the last one counts */
    for (; list && *list; list++)
        if (setting_of(*list, name)) found = setting_of(*list, name);
    return found;
}

static rung_status split_values(rung_ctx *ctx, pool *mem, const char *name, const char *text, axis *out)
{
    const char *copy;
    int64_t room = 1;
    TRY(pool_text(ctx, mem, text, &copy));
    for (const char *p = text; *p; p++) room += *p == ',';
    TRY(NEW(ctx, mem, out->values, room));
    for (char *p = (char *)(uintptr_t)copy; p;) {
        char *comma = strchr(p, ',');
        if (comma) *comma = 0;
        if (!*p) return set_error(ctx, RUNG_EARG, "the grid %s=%s has an empty value", name, text);
        out->values[out->n++] = p;
        p = comma ? comma + 1 : NULL;
    }
    return RUNG_OK;
}

/* ---- axes ---- */

/* Whether the kernel of this spec depends on the parameter; a method with such a parameter has a kernel. */
static bool kernel_uses(const char *kernel_value, const char *name)
{
    bool rbf = strcmp(kernel_value, "rbf") == 0 || strcmp(kernel_value, "laplacian") == 0;
    bool poly = strcmp(kernel_value, "poly") == 0, ard = strcmp(kernel_value, "ard") == 0;
    if (strcmp(name, "gamma") == 0 || strcmp(name, "width") == 0) return rbf || poly;
    if (strcmp(name, "degree") == 0 || strcmp(name, "coef0") == 0) return poly;
    if (strcmp(name, "precisions") == 0) return ard;
    return true;
}

static bool is_kernel_param(const char *name)
{
    static const char *const names[] = {"kernel", "gamma", "width", "degree", "coef0", "precisions"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

/* The values of one parameter: the user's grid, or that of the method unless the user fixed it or an alternative to
 * it. */
static const char *values_of(const rung_tune_options *o, const rung_param *row)
{
    const char *own = find_setting(o->grids, row->name);
    if (own) return own;
    if (find_setting(o->fixed, row->name)) return NULL;
    if (strcmp(row->name, "gamma") == 0 && (find_setting(o->grids, "width") || find_setting(o->fixed, "width")))
        return NULL;
    return o->as_published ? row->published_grid : row->grid;
}

/* Where a parameter stands in a list of settings; behind all others if it is not there. */
static int place_of(const char *const *settings, const char *name)
{
    int i = 0;
    while (settings && settings[i] && !setting_of(settings[i], name)) i++;
    return settings && settings[i] ? i : INT_MAX;
}

/* As published the first minimum wins: then the order of the grid is the one it was written in. */
static void order_as_written(const rung_tune_options *o, const method *m, int n, axis *list)
{
    for (int i = 1; i < n; i++) {
        axis moved = list[i];
        int place = place_of(o->grids, m->params[moved.row].info.name), j = i;
        for (; j > 0 && place_of(o->grids, m->params[list[j - 1].row].info.name) > place; j--) list[j] = list[j - 1];
        list[j] = moved;
    }
}

static rung_status method_axes(rung_ctx *ctx, pool *mem, const rung_tune_options *o, const method *m, axis **out,
                               int *count)
{
    int rows = 0;
    while (m->params[rows].info.name) rows++;
    TRY(NEW(ctx, mem, *out, rows));
    for (int i = 0; i < rows; i++) {
        const rung_param *row = &m->params[i].info;
        const char *values = values_of(o, row);
        if (!values) continue;
        axis *a = &(*out)[(*count)++];
        a->row = i;
        TRY(split_values(ctx, mem, row->name, values, a));
        if ((row->flags & RUNG_PARAM_NO_EFFECT) && a->n > 1) {
            log_at(ctx, RUNG_LOG_WARNING, "%s never changes a rank in %s; trying only %s=%s", row->name, m->info.name,
                   row->name, a->values[0]);
            a->n = 1;
        }
    }
    if (o->as_published) order_as_written(o, m, *count, *out);
    return RUNG_OK;
}

/* ---- points ---- */

rung_status grid_fix(rung_ctx *ctx, const rung_tune_options *o, rung_spec *spec)
{
    const param_row *rows = spec->method->params;
    for (int i = 0; rows[i].info.name; i++) {
        const char *value = find_setting(o->fixed, rows[i].info.name);
        if (value) TRY(spec_set(ctx, spec, rows[i].info.name, value));
    }
    if (o->scale) TRY(spec_set_scale(ctx, spec, o->scale));
    if (o->equal_rows) TRY(spec_set_equal_rows(ctx, spec, o->equal_rows));
    for (const char *const *w = o->weights; w && *w; w++) {
        const char *equals = strrchr(*w, '=');
        double weight;
        char name[256];
        if (strcmp(*w, "balanced") == 0) {
            TRY(spec_set_balanced(ctx, spec, true));
            continue;
        }
        if (!equals || equals - *w >= (int)sizeof name || !text_number(equals + 1, strlen(equals + 1), '.', &weight))
            return set_error(ctx, RUNG_EARG, "'%s' is not a class weight of the form CLASS=WEIGHT, nor balanced", *w);
        memcpy(name, *w, (size_t)(equals - *w));
        name[equals - *w] = 0;
        TRY(spec_set_weight(ctx, spec, name, weight));
    }
    return RUNG_OK;
}

/* The parameters that matter, as text: of the kernel alone, or all of them. */
static rung_status key_of(rung_ctx *ctx, pool *mem, const rung_spec *spec, bool kernel_only, const char **out)
{
    const char *kernel_value = spec_value(spec, "kernel");
    const param_row *rows = spec->method->params;
    TRY(pool_text(ctx, mem, kernel_only ? "" : spec->method->info.name, out));
    for (int i = 0; rows[i].info.name; i++) {
        bool of_kernel = is_kernel_param(rows[i].info.name);
        if ((kernel_only && !of_kernel) || (of_kernel && !kernel_uses(kernel_value, rows[i].info.name))) continue;
        TRY(pool_printf(ctx, mem, out, "%s;%s=%s", *out, rows[i].info.name, spec->values[i] ? spec->values[i] : ""));
    }
    return RUNG_OK;
}

typedef struct {
    const method *m;
    int n;
    axis *list;        /* n */
    int *at;           /* n: a position on each */
    const char **keys; /* of the points of the grid so far */
} method_grid;

/* Adds the point at the position, unless an equal one is there (kernel=linear has no gamma). */
static rung_status add_point(rung_ctx *ctx, pool *mem, const rung_tune_options *o, const method_grid *g, grid *out)
{
    rung_spec *spec;
    const char **keys = g->keys;
    TRY(spec_new(ctx, g->m->info.name, o->as_published != 0, &spec));
    out->points[out->n].spec = spec; /* freed with the grid from now on */
    out->n++;
    TRY(grid_fix(ctx, o, spec));
    for (int a = 0; a < g->n; a++)
        TRY(spec_set(ctx, spec, g->m->params[g->list[a].row].info.name, g->list[a].values[g->at[a]]));
    TRY(key_of(ctx, mem, spec, true, &out->points[out->n - 1].kernel));
    TRY(key_of(ctx, mem, spec, false, &keys[out->n - 1]));
    for (int i = 0; i < out->n - 1; i++)
        if (strcmp(keys[i], keys[out->n - 1]) == 0) {
            spec_free(spec);
            out->n--;
            break;
        }
    return RUNG_OK;
}

static rung_status add_method(rung_ctx *ctx, pool *mem, const rung_tune_options *o, const method *m, grid *out)
{
    method_grid g = {.m = m};
    int64_t count = 1;
    TRY(method_axes(ctx, mem, o, m, &g.list, &g.n));
    for (int a = 0; a < g.n; a++) {
        count *= g.list[a].n;
        if (count > MOST_POINTS)
            return set_error(ctx, RUNG_EARG, "a grid of %lld points or more is too large (at most %d)",
                             (long long)count, MOST_POINTS);
    }
    TRY(RESIZE(ctx, mem, out->points, out->n + count));
    TRY(NEW(ctx, mem, g.at, g.n + 1));
    TRY(NEW(ctx, mem, g.keys, out->n + count));
    for (int i = 0; i < out->n; i++) g.keys[i] = ""; /* another method's points are never equal */
    for (int64_t i = 0; i < count; i++) {
        TRY(add_point(ctx, mem, o, &g, out));
        /* the last parameter varies fastest, so a Gram matrix serves its points one after the other; as published the
         * first one does, because there the first minimum wins */
        for (int step = 0; step < g.n; step++) {
            int a = o->as_published ? step : g.n - 1 - step;
            if (++g.at[a] < g.list[a].n) break;
            g.at[a] = 0;
        }
    }
    return RUNG_OK;
}

rung_status grid_check_names(rung_ctx *ctx, const char *const *settings, const char *const *methods)
{
    for (; settings && *settings; settings++) {
        const char *equals = strchr(*settings, '=');
        if (!equals) return set_error(ctx, RUNG_EARG, "'%s' is not a parameter of the form NAME=VALUE", *settings);
        bool known = false;
        for (const char *const *name = methods; *name && !known; name++) {
            const param_row *rows = method_find(*name)->params;
            for (int i = 0; rows[i].info.name; i++) known = known || setting_of(*settings, rows[i].info.name);
        }
        if (known) continue;
        char name[64];
        rung_spec *spec;
        snprintf(name, sizeof name, "%.*s", (int)(equals - *settings), *settings);
        TRY(spec_new(ctx, methods[0], false, &spec));
        rung_status status = spec_set(ctx, spec, name, equals + 1);
        spec_free(spec);
        return status;
    }
    return RUNG_OK;
}

rung_status grid_new(rung_ctx *ctx, pool *mem, const rung_tune_options *o, grid *out)
{
    const char *const standard[] = {method_default(false)->info.name, NULL};
    const char *const *methods = o->methods && o->methods[0] ? o->methods : standard;
    *out = (grid){0};
    for (const char *const *name = methods; *name; name++) { /* an unknown one is reported as everywhere */
        rung_spec *spec;
        TRY(spec_new(ctx, *name, false, &spec));
        spec_free(spec);
    }
    TRY(grid_check_names(ctx, o->fixed, methods));
    TRY(grid_check_names(ctx, o->grids, methods));
    for (const char *const *name = methods; *name; name++) TRY(add_method(ctx, mem, o, method_find(*name), out));
    return RUNG_OK;
}

void grid_free(grid *g)
{
    for (int i = 0; i < g->n; i++) spec_free(g->points[i].spec);
    g->n = 0;
}

/* gamma=auto is 1/d, and c/d is distinguished from plain numbers by its sign: values are only compared within a kind.
 * The parameters that smooth are real numbers. */
static double number_of(const rung_spec *spec, const param_row *row)
{
    double x = *(const double *)(const void *)((const char *)spec->params + row->place);
    return isnan(x) ? -1 : x;
}

bool grid_smoother(const rung_spec *a, const rung_spec *b)
{
    if (a->method != b->method) return false;
    for (const param_row *row = a->method->params; row->info.name; row++) {
        if (!(row->info.flags & (RUNG_PARAM_SMOOTH_UP | RUNG_PARAM_SMOOTH_DOWN))) continue;
        double x = number_of(a, row), y = number_of(b, row);
        if ((x < 0) != (y < 0)) continue;
        if (fabs(x) != fabs(y)) return (fabs(x) > fabs(y)) == ((row->info.flags & RUNG_PARAM_SMOOTH_UP) != 0);
    }
    return false;
}
