// SPDX-License-Identifier: BSD-3-Clause
/* Where the results of the operations stand in one array of work: vectors that are no longer needed give their place
 * to later ones. */
#ifndef RUNG_EXPORT_SLOTS_H
#define RUNG_EXPORT_SLOTS_H

#include "export/program.h"

typedef struct {
    int64_t *at; /* of every operation; -1: it is a constant */
    int64_t size;
} slots;

rung_status slots_of(rung_ctx *ctx, const program *p, slots *out);

#endif
