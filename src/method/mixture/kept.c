// SPDX-License-Identifier: BSD-3-Clause
#include "method/mixture/kept.h"

static rung_status kept_new(rung_ctx *ctx, const candidates *c, mixture_kept *out)
{
    *out = (mixture_kept){0};
    TRY(NEW(ctx, &ctx->scratch, out->candidate, c->n));
    return NEW(ctx, &ctx->scratch, out->parts, c->n + MOST_FAMILIES);
}

/* All parts that weigh anything. */
static void list_parts(int families, const mixture_family *list, const double *weight, const candidates *c,
                       const double *within, mixture_kept *out)
{
    for (int f = 0; f < families; f++) {
        const mixture_family *one = &list[f];
        for (int i = one->first; i < one->first + one->count; i++)
            if (c->list[i].loo && weight[f] * within[i] > 0)
                out->parts[out->n++] = (mixture_part){f, i, weight[f] * within[i]};
        if (one->count == 0 && weight[f] > 0)
            out->parts[out->n++] = (mixture_part){f, one->trees ? -1 - one->trees : -1, weight[f]};
    }
}

static int heaviest(const mixture_kept *k)
{
    int best = 0;
    for (int i = 1; i < k->n; i++)
        if (k->parts[i].weight > k->parts[best].weight) best = i;
    return best;
}

static void drop_light(double least, mixture_kept *k)
{
    int n = 0, most = heaviest(k);
    for (int i = 0; i < k->n; i++)
        if (k->parts[i].weight >= least || k->parts[i].candidate == -1 || i == most) k->parts[n++] = k->parts[i];
    k->n = n;
}

rung_status kept_choose(rung_ctx *ctx, int families, const mixture_family *list, const double *weight,
                        const candidates *c, const double *within, double least, mixture_kept *out)
{
    double total = 0;
    TRY(kept_new(ctx, c, out));
    list_parts(families, list, weight, c, within, out);
    if (out->n == 0) return set_error(ctx, RUNG_EINTERNAL, "no model of the average has any weight");
    drop_light(least, out);
    for (int i = 0; i < out->n; i++) {
        mixture_part *one = &out->parts[i];
        total += one->weight;
        out->share[one->family] += one->weight / weight[one->family];
        if (one->candidate >= 0) out->candidate[one->candidate] = true;
    }
    for (int i = 0; i < out->n; i++) out->parts[i].weight /= total;
    return RUNG_OK;
}

rung_status kept_frequencies(rung_ctx *ctx, int families, const mixture_family *list, const candidates *c,
                             mixture_kept *out)
{
    TRY(kept_new(ctx, c, out));
    for (int f = 0; f < families; f++)
        if (is_frequencies(&list[f])) {
            out->parts[out->n++] = (mixture_part){f, -1, 1};
            out->share[f] = 1;
        }
    return RUNG_OK;
}

double kept_weight(const mixture_kept *kept, int family)
{
    double sum = 0;
    for (int i = 0; i < kept->n; i++)
        if (kept->parts[i].family == family) sum += kept->parts[i].weight;
    return sum;
}
