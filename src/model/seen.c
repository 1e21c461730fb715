// SPDX-License-Identifier: BSD-3-Clause
/* Whether a model was fitted to just these rows. Nothing is stored for it: the scaling was made from all of them, and
 * other rows do not give the same numbers to the last bit. */
#include <string.h>

#include "model/model.h"

static bool same(int64_t n, const void *a, const void *b, size_t size) { return memcmp(a, b, (size_t)n * size) == 0; }

static bool same_scaling(const scaling *a, const scaling *b)
{
    if (!same(a->d, a->shift, b->shift, sizeof *a->shift) || !same(a->d, a->factor, b->factor, sizeof *a->factor))
        return false;
    if (a->kind != SCALE_RANK) return true;
    return same(a->d + 1, a->knots_first, b->knots_first, sizeof *a->knots_first) &&
           same(a->knots_first[a->d], a->knot, b->knot, sizeof *a->knot) &&
           same(a->knots_first[a->d], a->knot_cdf, b->knot_cdf, sizeof *a->knot_cdf);
}

rung_status model_saw(rung_ctx *ctx, const rung_model *m, const rung_data *data, bool *out)
{
    const scaling *fitted = &m->members->scale;
    scaling anew;
    *out = false;
    if (fitted->kind == SCALE_NONE || data->n != m->n_rows || data->d != m->code.d) return RUNG_OK;
    bool varies = false;
    for (int64_t j = 0; j < data->d; j++) varies = varies || fitted->factor[j] != 0;
    if (!varies) return RUNG_OK;
    TRY(scale_fit(ctx, &ctx->scratch, fitted->kind, data->d, data->n, data->X, fitted->fill, data->weight, &anew));
    *out = same_scaling(fitted, &anew);
    return RUNG_OK;
}
