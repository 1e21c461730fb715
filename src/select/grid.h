// SPDX-License-Identifier: BSD-3-Clause
/* The points of a search: every method with every combination of the values worth trying. */
#ifndef RUNG_SELECT_GRID_H
#define RUNG_SELECT_GRID_H

#include "fit/method.h"

typedef struct {
    rung_spec *spec;
    const char *kernel; /* the part of its parameters that its Gram matrix depends on: equal texts share it */
} grid_point;

typedef struct {
    int n;
    grid_point *points; /* in grid order */
} grid;

rung_status grid_new(rung_ctx *ctx, pool *mem, const rung_tune_options *options, grid *out);
/* Sets what the options fix: the parameters the method has, scaling and class weights. */
rung_status grid_fix(rung_ctx *ctx, const rung_tune_options *options, rung_spec *spec);
/* A name in "name=value" that none of the (existing) methods has is an error, with the nearest name. */
rung_status grid_check_names(rung_ctx *ctx, const char *const *settings, const char *const *methods);
void grid_free(grid *g); /* the specs; also of a grid that failed half way */

/* Whether a is the smoother of two points of one method: by the parameters in table order, the first difference
 * decides. */
bool grid_smoother(const rung_spec *a, const rung_spec *b);

#endif
