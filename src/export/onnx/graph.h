// SPDX-License-Identifier: BSD-3-Clause
/* A graph of ONNX as it grows: nodes, their attributes, constant tensors, inputs and outputs. A tensor is known by a
 * number, its name being rung/ and the number. Rows are the first axis of every tensor that is computed. */
#ifndef RUNG_EXPORT_ONNX_GRAPH_H
#define RUNG_EXPORT_ONNX_GRAPH_H

#include "export/onnx/protobuf.h"

typedef enum {
    ONNX_FLOAT = 1,
    ONNX_UINT8 = 2,
    ONNX_INT64 = 7,
    ONNX_STRING = 8,
    ONNX_BOOL = 9,
    ONNX_DOUBLE = 11
} onnx_type;

typedef struct {
    writer nodes, tensors, inputs, outputs;     /* fields of the graph */
    writer node, attributes, attribute, tensor; /* what is being made */
    int count;                                  /* tensors */
} graph;

void graph_open(graph *g, rung_ctx *ctx);
rung_status graph_status(const graph *g);

/* Constants of one or two axes (columns 0: one). */
int graph_real(graph *g, const double *v, int64_t rows, int64_t columns);
int graph_whole(graph *g, const int64_t *v, int64_t n);
int graph_scalar(graph *g, double x); /* 1 x 1 */

/* Attributes of the next node. */
void graph_set_whole(graph *g, const char *name, int64_t x);
void graph_set_wholes(graph *g, const char *name, const int64_t *x, int64_t n);
void graph_set_texts(graph *g, const char *name, const char *const *x, int64_t n);
void graph_set_floats(graph *g, const char *name, const double *x, int64_t n);
void graph_set_float(graph *g, const char *name, double x);
void graph_set_reals(graph *g, const char *name, const double *x, int64_t n);        /* a tensor */
void graph_set_bytes(graph *g, const char *name, const unsigned char *x, int64_t n); /* a tensor */

/* A node with up to three inputs (-1: none) and one output, which is returned. */
int graph_node(graph *g, const char *op, int first, int second, int third);
int graph_node_of(graph *g, const char *domain, const char *op, const int *input, int n);
int graph_two_outputs(graph *g, const char *op, int first, int second); /* the first; the other is the next number */
int graph_cast(graph *g, int x, onnx_type to);

int graph_input(graph *g, const char *name, onnx_type type, int64_t columns);
void graph_output(graph *g, const char *name, int x, onnx_type type, int64_t columns);

#endif
