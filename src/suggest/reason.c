// SPDX-License-Identifier: BSD-3-Clause
#include "suggest/reason.h"

#include <stdio.h>

static const double FAR = 0.7, SURE = 0.6; /* of what is not known; of the most probable class */

/* The most probable class and the better of its neighbours, lower first; false: the model is sure. */
static bool doubt(const reason_input *why, int *low, int *high)
{
    int best = 0;
    if (!why->proba || why->K < 2) return false;
    for (int q = 1; q < why->K; q++)
        if (why->proba[q] > why->proba[best]) best = q;
    bool up = best == 0 || (best < why->K - 1 && why->proba[best + 1] > why->proba[best - 1]);
    *low = up ? best : best - 1;
    *high = *low + 1;
    return why->proba[best] < SURE;
}

rung_status reason_text(rung_ctx *ctx, pool *mem, const reason_input *why, const char **out)
{
    enum { NAME = 40, TYPICAL = 3 };
    char rows[80] = "", model[2 * NAME + 80] = "";
    int low, high;
    if (why->random) return pool_text(ctx, mem, "drawn at random, so that the error can be estimated", out);
    bool typical = why->stands_for >= TYPICAL, far = why->labels && why->unknown > FAR;
    if (typical) snprintf(rows, sizeof rows, "typical of %lld unlabelled rows", (long long)why->stands_for);
    if (doubt(why, &low, &high))
        snprintf(model, sizeof model, "the model hesitates between %.*s and %.*s", NAME, why->classes[low], NAME,
                 why->classes[high]);
    if (!typical && !far && !*model) return pool_text(ctx, mem, "completes what the labelled rows tell", out);
    return pool_printf(ctx, mem, out, "%s%s%s%s%s", rows, typical && far ? "; " : "",
                       far ? "unlike every labelled row" : "", (typical || far) && *model ? "; " : "", model);
}
