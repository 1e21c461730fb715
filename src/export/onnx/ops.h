// SPDX-License-Identifier: BSD-3-Clause
/* Operations of a program that are several nodes of a graph. */
#ifndef RUNG_EXPORT_ONNX_OPS_H
#define RUNG_EXPORT_ONNX_OPS_H

#include "export/onnx/graph.h"
#include "export/program.h"

int onnx_slice(graph *g, int x, int64_t from, int64_t n); /* columns */
int onnx_total(graph *g, int x, int64_t axis);            /* which stays, with length 1 */
int onnx_less(graph *g, int x, int y);                    /* 1 or 0 */
int onnx_erfc(graph *g, int x);
int onnx_share(graph *g, const program *p, const operation *o, int x);
int onnx_interpolate(graph *g, const program *p, const operation *o, int x);
int onnx_squares(graph *g, const constant *rows, int x);
int onnx_neighbours(graph *g, const program *p, const operation *o, int x);
int onnx_trees(graph *g, const program *p, const operation *o, int cells, int64_t columns);
int onnx_running(graph *g, int x, int64_t n, bool ahead); /* smallest so far; ahead: largest from here on */
int onnx_interval(graph *g, int p, int rank, int64_t K, double limit);
int onnx_shortest(graph *g, int p, int64_t K, double mass);

#endif
