// SPDX-License-Identifier: BSD-3-Clause
/* Phi L Phi' without some rows of the graph, which is not drawn again. */
#ifndef RUNG_METHOD_DISCRIMINANT_LANDMARK_GRAPH_H
#define RUNG_METHOD_DISCRIMINANT_LANDMARK_GRAPH_H

#include "problem/problem.h"

/* M (m x m) = Phi L Phi' over the rows of p, without the h rows `held`. */
rung_status landmark_graph_without(rung_ctx *ctx, const landmarks *l, const problem *p, const la_csr *L, int64_t h,
                                   const int64_t *held, la_mat *M);

#endif
