// SPDX-License-Identifier: BSD-3-Clause
/* What a mixture keeps, and with what weight: made once from the weights of the families, and read by the report, by
 * the held-out predictions and by the model, so that none of them can speak of another mixture. */
#ifndef RUNG_METHOD_MIXTURE_KEPT_H
#define RUNG_METHOD_MIXTURE_KEPT_H

#include "method/boost/stacked.h"
#include "method/mixture/candidates.h"
#include "method/mixture/stack.h"

enum { MOST_FAMILIES = SPACES * FAMILY_KINDS + STACKED_KINDS + 1 };

typedef struct {
    int first, count; /* its candidates; count 0: the class frequencies or trees */
    int trees;        /* their stacked_kind, from 1; 0: no trees */
    bool held;        /* `mean` comes from folds, not from its candidates */
    double prior, strength;
    double *mean; /* labelled x (K - 1): its predictions of rows that it has not seen */
} mixture_family;

static inline bool is_frequencies(const mixture_family *f) { return f->count == 0 && !f->trees; }

typedef struct {
    int family, candidate; /* candidate -1: the class frequencies; -2 - kind: trees of this stacked_kind */
    double weight;
} mixture_part;

typedef struct {
    int n;
    mixture_part *parts;         /* their weights sum to 1 */
    bool *candidate;             /* of every candidate: whether it is among them */
    double share[MOST_FAMILIES]; /* of the weight of a family that its kept parts have */
} mixture_kept;

/* The parts of the families (weights `weight`; `within` those of its candidates in a family) that weigh at least
 * `least`, the frequencies if they weigh anything, and the heaviest part in any case. */
rung_status kept_choose(rung_ctx *ctx, int families, const mixture_family *list, const double *weight,
                        const candidates *c, const double *within, double least, mixture_kept *out);
/* The class frequencies alone; they are one of the families. */
rung_status kept_frequencies(rung_ctx *ctx, int families, const mixture_family *list, const candidates *c,
                             mixture_kept *out);
double kept_weight(const mixture_kept *kept, int family); /* of the parts of a family */

#endif
