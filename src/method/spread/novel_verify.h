// SPDX-License-Identifier: BSD-3-Clause
#ifndef RUNG_METHOD_SPREAD_NOVEL_VERIFY_H
#define RUNG_METHOD_SPREAD_NOVEL_VERIFY_H

#include "fit/verify.h"

/* Adds the condition that P (n x K) are the memberships of propagate_novel over S. */
rung_status novel_verify(rung_ctx *ctx, const struct verification *v, const la_csr *S, double novel, const double *P);

#endif
