// SPDX-License-Identifier: BSD-3-Clause
#ifndef RUNG_SOLVE_SIMPLEX_QP_H
#define RUNG_SOLVE_SIMPLEX_QP_H

#include "base/context.h"

/* a = argmin a'Ga subject to a >= 0, sum a = C, for a small symmetric positive semidefinite G (m x m). Exact. */
rung_status simplex_qp(rung_ctx *ctx, int m, const double *G, double C, double *a);
/* One Newton step from a on its support: g is G a computed in another way, which G holds up to rounding alone where its
 * entries are far larger. Left as it is if the step ends outside. */
rung_status simplex_qp_polish(rung_ctx *ctx, int m, const double *G, const double *g, double *a);

#endif
