// SPDX-License-Identifier: BSD-3-Clause
#include "export/onnx/graph.h"

#include <stdio.h>
#include <string.h>

/* Fields of the messages of onnx.proto. */
enum { GRAPH_NODE = 1, GRAPH_TENSOR = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_OP = 4, NODE_ATTRIBUTE = 5, NODE_DOMAIN = 7 };
enum {
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_F = 2,
    ATTRIBUTE_I = 3,
    ATTRIBUTE_T = 5,
    ATTRIBUTE_FLOATS = 7,
    ATTRIBUTE_INTS = 8,
    ATTRIBUTE_STRINGS = 9,
    ATTRIBUTE_TYPE = 20
};
enum { TYPE_F = 1, TYPE_I = 2, TYPE_T = 4, TYPE_FLOATS = 6, TYPE_INTS = 7, TYPE_STRINGS = 8 };
enum { TENSOR_DIMS = 1, TENSOR_TYPE = 2, TENSOR_NAME = 8, TENSOR_RAW = 9 };

void graph_open(graph *g, rung_ctx *ctx)
{
    *g = (graph){0};
    writer *all[] = {&g->nodes, &g->tensors,    &g->inputs,    &g->outputs,
                     &g->node,  &g->attributes, &g->attribute, &g->tensor};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        all[i]->ctx = ctx;
        write_bytes(all[i], "", 0);
    }
}

rung_status graph_status(const graph *g)
{
    TRY(g->nodes.status);
    TRY(g->tensors.status);
    TRY(g->inputs.status);
    return g->outputs.status;
}

static void put_name(writer *w, int field, int number)
{
    char name[32];
    snprintf(name, sizeof name, "rung/%d", number);
    proto_text(w, field, name);
}

/* ---- tensors ---- */

/* Eight bytes each, little-endian. */
static void put_words(writer *w, const void *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t word;
        unsigned char bytes[8];
        memcpy(&word, (const char *)v + 8 * i, sizeof word);
        for (int k = 0; k < 8; k++) bytes[k] = (unsigned char)(word >> 8 * k);
        write_bytes(w, bytes, 8);
    }
}

static void fill_tensor(graph *g, onnx_type type, const void *v, int64_t n)
{
    writer raw = {.ctx = g->tensor.ctx};
    proto_whole(&g->tensor, TENSOR_TYPE, type);
    if (type == ONNX_UINT8)
        write_bytes(&raw, v, n);
    else
        put_words(&raw, v, n);
    proto_message(&g->tensor, TENSOR_RAW, &raw);
}

static int put_tensor(graph *g, onnx_type type, const void *v, int64_t rows, int64_t columns)
{
    proto_whole(&g->tensor, TENSOR_DIMS, rows);
    if (columns > 0) proto_whole(&g->tensor, TENSOR_DIMS, columns);
    fill_tensor(g, type, v, rows * (columns > 0 ? columns : 1));
    put_name(&g->tensor, TENSOR_NAME, g->count);
    proto_message(&g->tensors, GRAPH_TENSOR, &g->tensor);
    return g->count++;
}

int graph_real(graph *g, const double *v, int64_t rows, int64_t columns)
{
    return put_tensor(g, ONNX_DOUBLE, v, rows, columns);
}

int graph_whole(graph *g, const int64_t *v, int64_t n) { return put_tensor(g, ONNX_INT64, v, n, 0); }
int graph_scalar(graph *g, double x) { return graph_real(g, &x, 1, 1); }

/* ---- attributes ---- */

static void end_attribute(graph *g, const char *name, int type)
{
    proto_text(&g->attribute, ATTRIBUTE_NAME, name);
    proto_whole(&g->attribute, ATTRIBUTE_TYPE, type);
    proto_message(&g->attributes, NODE_ATTRIBUTE, &g->attribute);
}

void graph_set_whole(graph *g, const char *name, int64_t x)
{
    proto_whole(&g->attribute, ATTRIBUTE_I, x);
    end_attribute(g, name, TYPE_I);
}

void graph_set_wholes(graph *g, const char *name, const int64_t *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) proto_whole(&g->attribute, ATTRIBUTE_INTS, x[i]);
    end_attribute(g, name, TYPE_INTS);
}

void graph_set_texts(graph *g, const char *name, const char *const *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) proto_text(&g->attribute, ATTRIBUTE_STRINGS, x[i]);
    end_attribute(g, name, TYPE_STRINGS);
}

void graph_set_floats(graph *g, const char *name, const double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) proto_float(&g->attribute, ATTRIBUTE_FLOATS, (float)x[i]);
    end_attribute(g, name, TYPE_FLOATS);
}

void graph_set_float(graph *g, const char *name, double x)
{
    proto_float(&g->attribute, ATTRIBUTE_F, (float)x);
    end_attribute(g, name, TYPE_F);
}

static void set_tensor(graph *g, const char *name, onnx_type type, const void *x, int64_t n)
{
    proto_whole(&g->tensor, TENSOR_DIMS, n);
    fill_tensor(g, type, x, n);
    proto_message(&g->attribute, ATTRIBUTE_T, &g->tensor);
    end_attribute(g, name, TYPE_T);
}

void graph_set_reals(graph *g, const char *name, const double *x, int64_t n) { set_tensor(g, name, ONNX_DOUBLE, x, n); }

void graph_set_bytes(graph *g, const char *name, const unsigned char *x, int64_t n)
{
    set_tensor(g, name, ONNX_UINT8, x, n);
}

/* ---- nodes ---- */

static int end_node(graph *g, const char *domain, const char *op, const int *input, int n, int outputs)
{
    int made = g->count;
    for (int i = 0; i < n; i++) put_name(&g->node, NODE_INPUT, input[i]);
    for (int i = 0; i < outputs; i++) put_name(&g->node, NODE_OUTPUT, g->count++);
    proto_text(&g->node, NODE_OP, op);
    write_bytes(&g->node, g->attributes.bytes, g->attributes.size);
    g->attributes.size = 0;
    if (*domain) proto_text(&g->node, NODE_DOMAIN, domain);
    if (g->node.status == RUNG_OK) g->node.status = g->attributes.status;
    proto_message(&g->nodes, GRAPH_NODE, &g->node);
    return made;
}

int graph_node_of(graph *g, const char *domain, const char *op, const int *input, int n)
{
    return end_node(g, domain, op, input, n, 1);
}

int graph_node(graph *g, const char *op, int first, int second, int third)
{
    int input[] = {first, second, third}, n = 0;
    while (n < 3 && input[n] >= 0) n++;
    return end_node(g, "", op, input, n, 1);
}

int graph_two_outputs(graph *g, const char *op, int first, int second)
{
    return end_node(g, "", op, (int[]){first, second}, 2, 2);
}

int graph_cast(graph *g, int x, onnx_type to)
{
    graph_set_whole(g, "to", to);
    return graph_node(g, "Cast", x, -1, -1);
}

/* ---- inputs and outputs ---- */

static void put_value_info(graph *g, writer *to, int field, const char *name, onnx_type type, int64_t columns)
{
    writer shape = {.ctx = to->ctx}, inner = {.ctx = to->ctx}, tensor = {.ctx = to->ctx}, whole = {.ctx = to->ctx};
    (void)g;
    proto_text(&inner, 2, "rows");
    proto_message(&shape, 1, &inner);
    proto_whole(&inner, 1, columns);
    proto_message(&shape, 1, &inner);
    proto_whole(&tensor, 1, type);
    proto_message(&tensor, 2, &shape);
    proto_message(&inner, 1, &tensor); /* the type is that of a tensor */
    proto_text(&whole, 1, name);
    proto_message(&whole, 2, &inner);
    proto_message(to, field, &whole);
}

int graph_input(graph *g, const char *name, onnx_type type, int64_t columns)
{
    put_value_info(g, &g->inputs, GRAPH_INPUT, name, type, columns);
    proto_text(&g->node, NODE_INPUT, name);
    put_name(&g->node, NODE_OUTPUT, g->count);
    proto_text(&g->node, NODE_OP, "Identity");
    proto_message(&g->nodes, GRAPH_NODE, &g->node);
    return g->count++;
}

void graph_output(graph *g, const char *name, int x, onnx_type type, int64_t columns)
{
    put_name(&g->node, NODE_INPUT, x);
    proto_text(&g->node, NODE_OUTPUT, name);
    proto_text(&g->node, NODE_OP, "Identity");
    proto_message(&g->nodes, GRAPH_NODE, &g->node);
    put_value_info(g, &g->outputs, GRAPH_OUTPUT, name, type, columns);
}
