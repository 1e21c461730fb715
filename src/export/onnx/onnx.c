// SPDX-License-Identifier: BSD-3-Clause
/* A program as an ONNX model: a named input per column, nodes in double precision, named outputs. */
#include <math.h>
#include <string.h>

#include "export/onnx/ops.h"
#include "export/target.h"

enum { IR_VERSION = 10, OPSET = 17, ML_OPSET = 5 };

typedef struct {
    const program *p;
    graph g;
    int *tensor; /* of every operation; -1: a constant that is not in the graph yet */
    bool *fixed; /* whether it is the same for all rows: a tensor of one row */
    int rows;    /* the number of rows, as a tensor of one number */
    int64_t columns;
} onnx;

static const operation *of(const onnx *x, int value) { return &x->p->operations[value]; }
static bool is_constant(const onnx *x, int value) { return of(x, value)->kind == OP_CONSTANT; }

static int tensor_of(onnx *x, int value)
{
    const operation *o = of(x, value);
    if (x->tensor[value] < 0) x->tensor[value] = graph_real(&x->g, x->p->constants[o->array[0]].real, 1, o->n);
    return x->tensor[value];
}

static int arg(onnx *x, const operation *o, int k) { return tensor_of(x, o->operand[k]); }

/* ---- cells ---- */

static double *room(onnx *x, int64_t n)
{
    double *v = NULL;
    if (x->g.nodes.status == RUNG_OK) x->g.nodes.status = NEW(x->g.nodes.ctx, &x->g.nodes.ctx->scratch, v, n);
    return x->g.nodes.status == RUNG_OK ? v : NULL;
}

/* A column of text: the place of the category, -1: none; of a word, from 1, NaN: none. */
static int text_column(onnx *x, const column_code *c, const char *name)
{
    double *place = room(x, c->n_categories);
    if (!place) return 0;
    for (int64_t k = 0; k < c->n_categories; k++) place[k] = (double)k + !c->nominal;
    int in = graph_input(&x->g, name, ONNX_STRING, 1);
    graph_set_texts(&x->g, "keys_strings", c->categories, c->n_categories);
    graph_set_floats(&x->g, "values_floats", place, c->n_categories);
    graph_set_float(&x->g, "default_float", c->nominal ? -1 : (double)NAN);
    return graph_cast(&x->g, graph_node_of(&x->g, "ai.onnx.ml", "LabelEncoder", &in, 1), ONNX_DOUBLE);
}

static int cells(onnx *x)
{
    const coding *code = coding_cells(&x->p->model->code);
    int *input = (int *)(void *)room(x, x->columns);
    for (int64_t j = 0; input && j < x->columns; j++) {
        char name[32];
        const column_code *c = &code->columns[j];
        const char *title = column_title(code, j, name);
        bool text = c->nominal || c->form == FORM_ORDINAL;
        input[j] = text ? text_column(x, c, title) : graph_input(&x->g, title, ONNX_DOUBLE, 1);
    }
    if (!input) return 0;
    graph_set_whole(&x->g, "axis", 1);
    return graph_node_of(&x->g, "", "Concat", input, (int)x->columns);
}

/* The angles are rounded as they were in training. */
static int cyclic(onnx *x, int days)
{
    const double days_of[] = {365.2425, 7};
    int turns = graph_node(&x->g, "Mul", days, graph_scalar(&x->g, 6.28318530717958647693), -1);
    int part[5] = {days};
    for (int k = 0; k < 2; k++) {
        int angle = graph_node(&x->g, "Div", turns, graph_scalar(&x->g, days_of[k]), -1);
        part[1 + 2 * k] = graph_node(&x->g, "Sin", angle, -1, -1);
        part[2 + 2 * k] = graph_node(&x->g, "Cos", angle, -1, -1);
    }
    graph_set_whole(&x->g, "axis", 1);
    return graph_node_of(&x->g, "", "Concat", part, 5);
}

static int coded(onnx *x, const operation *o)
{
    const int64_t *width = x->p->constants[o->array[1]].whole, *kind = x->p->constants[o->array[2]].whole;
    int *part = (int *)(void *)room(x, x->columns), n = 0;
    for (int64_t j = 0, next; part && j < x->columns; j = next) {
        for (next = j + 1; kind[j] == 0 && next < x->columns && kind[next] == 0;) next++;
        int cell = onnx_slice(&x->g, arg(x, o, 0), j, next - j);
        if (kind[j] == 2) cell = cyclic(x, cell);
        double *place = kind[j] == 1 ? room(x, width[j]) : NULL;
        for (int64_t k = 0; place && k < width[j]; k++) place[k] = (double)k;
        if (place) {
            int same = graph_node(&x->g, "Equal", cell, graph_real(&x->g, place, 1, width[j]), -1);
            cell = graph_cast(&x->g, same, ONNX_DOUBLE);
        }
        part[n++] = cell;
    }
    if (!part) return 0;
    graph_set_whole(&x->g, "axis", 1);
    return graph_node_of(&x->g, "", "Concat", part, n);
}

/* ---- operations ---- */

/* One row per row, also of what is the same for all. */
static int whole(onnx *x, int value)
{
    if (!x->fixed[value]) return x->tensor[value];
    int64_t n = of(x, value)->n;
    int columns = graph_whole(&x->g, &n, 1);
    graph_set_whole(&x->g, "axis", 0);
    int shape = graph_node(&x->g, "Concat", x->rows, columns, -1);
    return graph_node(&x->g, "Expand", tensor_of(x, value), shape, -1);
}

static int choose(onnx *x, const operation *o)
{
    int from = o->operand[1];
    if (is_constant(x, from)) {
        const constant *c = &x->p->constants[of(x, from)->array[0]];
        int place = graph_cast(&x->g, whole(x, o->operand[0]), ONNX_INT64);
        return graph_node(&x->g, "Gather", graph_real(&x->g, c->real, c->columns, 0), place, -1);
    }
    const double *at = x->p->constants[of(x, o->operand[0])->array[0]].real;
    int64_t *place = (int64_t *)(void *)room(x, o->n);
    for (int64_t i = 0; place && i < o->n; i++) place[i] = (int64_t)at[i];
    if (!place) return 0;
    int index = graph_whole(&x->g, place, o->n);
    graph_set_whole(&x->g, "axis", 1);
    return graph_node(&x->g, "Gather", arg(x, o, 1), index, -1);
}

static int scaled(onnx *x, const operation *o)
{
    const constant *shift = &x->p->constants[o->array[0]], *factor = &x->p->constants[o->array[1]];
    int y = graph_node(&x->g, "Sub", arg(x, o, 0), graph_real(&x->g, shift->real, 1, o->n), -1);
    y = graph_node(&x->g, "Mul", y, graph_real(&x->g, factor->real, 1, o->n), -1);
    y = graph_node(&x->g, "Max", y, graph_scalar(&x->g, -1e150), -1);
    return graph_node(&x->g, "Min", y, graph_scalar(&x->g, 1e150), -1);
}

static int linear(onnx *x, const operation *o)
{
    const constant *w = &x->p->constants[o->array[0]];
    double *turned = room(x, w->rows * w->columns);
    for (int64_t i = 0; turned && i < w->rows * w->columns; i++)
        turned[(i % w->columns) * w->rows + i / w->columns] = w->real[i];
    if (!turned) return 0;
    int y = graph_node(&x->g, "MatMul", arg(x, o, 0), graph_real(&x->g, turned, w->columns, w->rows), -1);
    if (o->array[1] < 0) return y;
    return graph_node(&x->g, "Add", y, graph_real(&x->g, x->p->constants[o->array[1]].real, 1, o->n), -1);
}

static int simple(onnx *x, const operation *o, const char *op)
{
    return graph_node(&x->g, op, arg(x, o, 0), o->operands > 1 ? arg(x, o, 1) : -1, -1);
}

static int logarithm(onnx *x, const operation *o, double of_base)
{
    return graph_node(&x->g, "Div", simple(x, o, "Log"), graph_scalar(&x->g, of_base), -1);
}

static int whole_vector(onnx *x, const operation *o)
{
    graph *g = &x->g;
    int64_t axis = 1;
    switch (o->kind) {
    case OP_PART: return onnx_slice(g, arg(x, o, 0), (int64_t)o->number[0], o->n);
    case OP_JOIN: {
        int first = whole(x, o->operand[0]), second = whole(x, o->operand[1]);
        graph_set_whole(g, "axis", 1);
        return graph_node(g, "Concat", first, second, -1);
    }
    case OP_TOTAL: return onnx_total(g, arg(x, o, 0), 1);
    case OP_LARGEST: graph_set_wholes(g, "axes", &axis, 1); return graph_node(g, "ReduceMax", arg(x, o, 0), -1, -1);
    case OP_PLACE:
        graph_set_whole(g, "axis", 1);
        return graph_cast(g, graph_node(g, "ArgMax", arg(x, o, 0), -1, -1), ONNX_DOUBLE);
    case OP_SUMS: return graph_node(g, "CumSum", arg(x, o, 0), graph_whole(g, &axis, 1), -1);
    case OP_LEAST_YET: return onnx_running(g, arg(x, o, 0), o->n, false);
    case OP_MOST_AHEAD: return onnx_running(g, arg(x, o, 0), o->n, true);
    default: return choose(x, o);
    }
}

static int of_row(onnx *x, const operation *o)
{
    const program *p = x->p;
    graph *g = &x->g;
    switch (o->kind) {
    case OP_CODED: return coded(x, o);
    case OP_SCALE: return scaled(x, o);
    case OP_SHARE: return onnx_share(g, p, o, arg(x, o, 0));
    case OP_INTERPOLATE: return onnx_interpolate(g, p, o, arg(x, o, 0));
    case OP_LINEAR: return linear(x, o);
    case OP_SQUARES: return onnx_squares(g, &p->constants[o->array[0]], arg(x, o, 0));
    case OP_NEIGHBOURS: return onnx_neighbours(g, p, o, arg(x, o, 0));
    case OP_TREES: return onnx_trees(g, p, o, arg(x, o, 0), of(x, o->operand[0])->n);
    case OP_EQUALS: { /* ONNX has no bits of numbers: no row equals a labelled one */
        double *none = room(x, o->n);
        return none ? graph_real(g, none, 1, o->n) : 0;
    }
    case OP_INTERVAL: {
        int proba = whole(x, o->operand[0]), rank = whole(x, o->operand[1]);
        return onnx_interval(g, proba, rank, of(x, o->operand[0])->n, p->constants[o->array[0]].real[0]);
    }
    default: return onnx_shortest(g, arg(x, o, 0), of(x, o->operand[0])->n, o->number[0]);
    }
}

static int print_operation(onnx *x, const operation *o)
{
    static const char *const simply[OP_KINDS] = {
        [OP_ADD] = "Add",     [OP_SUBTRACT] = "Sub", [OP_MULTIPLY] = "Mul",    [OP_DIVIDE] = "Div",
        [OP_MINIMUM] = "Min", [OP_MAXIMUM] = "Max",  [OP_POWER] = "Pow",       [OP_EXP] = "Exp",
        [OP_LOG] = "Log",     [OP_ROOT] = "Sqrt",    [OP_FINITE] = "Identity",
    };
    if (simply[o->kind]) return simple(x, o, simply[o->kind]);
    switch (o->kind) {
    case OP_CELLS: return cells(x);
    case OP_CONSTANT: return -1;
    case OP_LOG2: return logarithm(x, o, 0.69314718055994530942);
    case OP_LOG10: return logarithm(x, o, 2.30258509299404568402);
    case OP_LOG1P: {
        int more = graph_node(&x->g, "Add", arg(x, o, 0), graph_scalar(&x->g, 1), -1);
        return graph_node(&x->g, "Log", more, -1, -1);
    }
    case OP_LESS: return onnx_less(&x->g, arg(x, o, 0), arg(x, o, 1));
    case OP_ERFC: return onnx_erfc(&x->g, arg(x, o, 0));
    case OP_MISSING: return graph_cast(&x->g, simple(x, o, "IsNaN"), ONNX_DOUBLE);
    case OP_SELECT:
        return graph_node(&x->g, "Where", graph_cast(&x->g, arg(x, o, 0), ONNX_BOOL), arg(x, o, 1), arg(x, o, 2));
    default: return o->kind < OP_SCALE && o->kind > OP_FINITE ? whole_vector(x, o) : of_row(x, o);
    }
}

/* ---- the model ---- */

static void put_output(onnx *x, const char *name, int value, int64_t n, onnx_type type)
{
    char free_name[64];
    if (value == NO_VALUE) return;
    strcpy(free_name, name);
    for (int64_t j = 0; j < x->columns; j++) { /* no column has it */
        char title[32];
        if (strcmp(column_title(coding_cells(&x->p->model->code), j, title), free_name) != 0 || strlen(free_name) > 60)
            continue;
        strcat(free_name, "_");
        j = -1;
    }
    int tensor = whole(x, value);
    graph_output(&x->g, free_name, type == ONNX_INT64 ? graph_cast(&x->g, tensor, type) : tensor, type, n);
}

static void put_property(writer *w, const char *key, const char *value)
{
    writer inner = {.ctx = w->ctx};
    proto_text(&inner, 1, key);
    proto_text(&inner, 2, value);
    proto_message(w, 14, &inner);
}

static void put_metadata(writer *w, const program *p)
{
    writer classes = {.ctx = w->ctx};
    const coding *code = &p->model->code;
    write_text(&classes, "[");
    for (int k = 0; k < code->n_classes; k++) {
        if (k) write_text(&classes, ", ");
        write_json_text(&classes, code->classes[k]);
    }
    write_bytes(&classes, "]", 2); /* with the final 0 */
    if (w->status == RUNG_OK) w->status = classes.status;
    if (w->status != RUNG_OK) return;
    put_property(w, "classes", classes.bytes); /* JSON, lowest first */
    put_property(w, "method", p->model->method);
    put_property(w, "checksum", p->checksum);
    if (p->model->copies.n > 0) put_property(w, "equal_rows", "not taken into account");
}

static void put_opset(writer *w, const char *domain, int version)
{
    writer inner = {.ctx = w->ctx};
    proto_text(&inner, 1, domain);
    proto_whole(&inner, 2, version);
    proto_message(w, 8, &inner);
}

static void put_model(writer *w, const onnx *x)
{
    writer inner = {.ctx = w->ctx};
    const writer *fields[] = {&x->g.nodes, &x->g.tensors, &x->g.inputs, &x->g.outputs};
    proto_whole(w, 1, IR_VERSION);
    proto_text(w, 2, "rung");
    proto_text(w, 3, rung_version());
    for (int i = 0; i < 4; i++) write_bytes(&inner, fields[i]->bytes, fields[i]->size);
    proto_text(&inner, 2, "rung");
    proto_message(w, 7, &inner);
    put_opset(w, "", OPSET);
    put_opset(w, "ai.onnx.ml", ML_OPSET);
    put_metadata(w, x->p);
}

static void put_outputs(onnx *x)
{
    const program *p = x->p;
    put_output(x, "rank", p->rank, 1, ONNX_INT64);
    put_output(x, "score", p->score, of(x, p->score)->n, ONNX_DOUBLE);
    put_output(x, "probabilities", p->proba, p->model->code.n_classes, ONNX_DOUBLE);
    put_output(x, "sd", p->sd, 1, ONNX_DOUBLE);
    put_output(x, "interval", p->interval, 2, ONNX_INT64);
}

/* Sines differ in the last bit from one runtime to another, and a step function of them may differ by a step. */
static bool ranks_cycles(const program *p)
{
    bool cycles = false, ranks = false;
    for (int64_t j = 0; j < p->model->code.n_columns; j++)
        cycles = cycles || p->model->code.columns[j].form == FORM_CYCLIC;
    for (int i = 0; i < p->n_operations; i++) ranks = ranks || p->operations[i].kind == OP_SHARE;
    return cycles && ranks;
}

void export_onnx(const program *p, const export_words *names, writer *w)
{
    onnx x = {.p = p, .columns = p->operations[CELLS].n};
    (void)names;
    graph_open(&x.g, w->ctx);
    if (w->status == RUNG_OK) w->status = NEW(w->ctx, &w->ctx->scratch, x.tensor, p->n_operations);
    if (w->status == RUNG_OK) w->status = NEW(w->ctx, &w->ctx->scratch, x.fixed, p->n_operations);
    if (w->status != RUNG_OK) return;
    if (p->model->copies.n > 0)
        log_at(w->ctx, RUNG_LOG_WARNING, "in ONNX, rows that equal labelled ones are predicted like any others");
    if (ranks_cycles(p))
        log_at(w->ctx, RUNG_LOG_WARNING,
               "in ONNX, probabilities may differ by about 0.01: dates with cycles are scaled to ranks, where the last "
               "bit of a sine can decide");
    for (int i = 0; i < p->n_operations; i++) {
        const operation *o = of(&x, i);
        x.fixed[i] = i != CELLS && o->kind != OP_CODED;
        for (int k = 0; k < o->operands && o->kind != OP_EQUALS; k++) x.fixed[i] = x.fixed[i] && x.fixed[o->operand[k]];
        x.tensor[i] = print_operation(&x, o);
        if (i == CELLS) {
            int64_t none = 0, one = 1;
            int shape = graph_node(&x.g, "Shape", x.tensor[i], -1, -1);
            x.rows = graph_node(&x.g, "Slice", shape, graph_whole(&x.g, &none, 1), graph_whole(&x.g, &one, 1));
        }
        if (x.g.nodes.status != RUNG_OK) break;
    }
    put_outputs(&x);
    w->status = graph_status(&x.g);
    if (w->status == RUNG_OK) put_model(w, &x);
}
