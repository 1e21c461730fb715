// SPDX-License-Identifier: BSD-3-Clause
#include "export/onnx/ops.h"

#include <math.h>

static const double FAR = 1e300; /* beyond every number that occurs */

static double *room(graph *g, int64_t n)
{
    double *v = NULL;
    if (g->nodes.status == RUNG_OK) g->nodes.status = NEW(g->nodes.ctx, &g->nodes.ctx->scratch, v, n);
    return g->nodes.status == RUNG_OK ? v : NULL;
}

static int one_whole(graph *g, int64_t x) { return graph_whole(g, &x, 1); }

/* x op y, y a number */
static int with(graph *g, const char *op, int x, double y) { return graph_node(g, op, x, graph_scalar(g, y), -1); }

int onnx_slice(graph *g, int x, int64_t from, int64_t n)
{
    int first = one_whole(g, from), end = one_whole(g, from + n), axis = one_whole(g, 1);
    return graph_node_of(g, "", "Slice", (int[]){x, first, end, axis}, 4);
}

int onnx_total(graph *g, int x, int64_t axis)
{
    graph_set_whole(g, "keepdims", 1);
    return graph_node(g, "ReduceSum", x, one_whole(g, axis), -1);
}

int onnx_less(graph *g, int x, int y) { return graph_cast(g, graph_node(g, "Less", x, y, -1), ONNX_DOUBLE); }

static int added_axis(graph *g, int x, int64_t axis) { return graph_node(g, "Unsqueeze", x, one_whole(g, axis), -1); }

/* t exp(-z^2 + a polynomial of t), z = |x|, t = 2 / (2 + z), relative error 1.2e-16 (Press, Teukolsky, Vetterling,
 * Flannery, Numerical Recipes, 3rd ed. 2007, section 6.2.2); runtimes have erf in single precision. */
int onnx_erfc(graph *g, int x)
{
    static const double c[] = {-1.3026537197817094,
                               6.4196979235649026e-1,
                               1.9476473204185836e-2,
                               -9.561514786808631e-3,
                               -9.46595344482036e-4,
                               3.66839497852761e-4,
                               4.2523324806907e-5,
                               -2.0278578112534e-5,
                               -1.624290004647e-6,
                               1.303655835580e-6,
                               1.5626441722e-8,
                               -8.5238095915e-8,
                               6.529054439e-9,
                               5.059343495e-9,
                               -9.91364156e-10,
                               -2.27365122e-10,
                               9.6467911e-11,
                               2.394038e-12,
                               -6.886027e-12,
                               8.94487e-13,
                               3.13092e-13,
                               -1.12708e-13,
                               3.81e-16,
                               7.106e-15,
                               -1.523e-15,
                               -9.4e-17,
                               1.21e-16,
                               -2.8e-17};
    int z = with(g, "Min", graph_node(g, "Abs", x, -1, -1), 1e100);
    int t = graph_node(g, "Div", graph_scalar(g, 2), with(g, "Add", z, 2), -1);
    int y = with(g, "Sub", with(g, "Mul", t, 4), 2), d = with(g, "Mul", t, 0), before = d;
    for (int j = sizeof c / sizeof *c - 1; j > 0; j--) {
        int next = with(g, "Add", graph_node(g, "Sub", graph_node(g, "Mul", y, d, -1), before, -1), c[j]);
        before = d;
        d = next;
    }
    int inner = with(g, "Mul", with(g, "Add", graph_node(g, "Mul", y, d, -1), c[0]), 0.5);
    inner = graph_node(g, "Sub", graph_node(g, "Sub", inner, before, -1), graph_node(g, "Mul", z, z, -1), -1);
    int right = graph_node(g, "Mul", t, graph_node(g, "Exp", inner, -1, -1), -1);
    int left = graph_node(g, "Sub", graph_scalar(g, 2), right, -1);
    return graph_node(g, "Where", graph_node(g, "Less", x, graph_scalar(g, 0), -1), left, right);
}

/* Sines differ in the last bit from one runtime to another: nearer than this they are equal. */
static double unsure(const coding *code, int64_t coded)
{
    for (int64_t c = 0; c < code->n_columns; c++) {
        const column_code *of = &code->columns[c];
        if (of->form == FORM_CYCLIC && coded > of->first && coded < of->first + column_width(of)) return 1e-9;
    }
    return 0;
}

/* Every training value below a number adds its share, one equal to it half of that. */
int onnx_share(graph *g, const program *p, const operation *o, int x)
{
    const int64_t *first = p->constants[o->array[0]].whole;
    const double *knot = p->constants[o->array[1]].real, *share = p->constants[o->array[2]].real;
    int64_t n = first[o->n], *place = (int64_t *)(void *)room(g, n);
    double *step = room(g, n * o->n), *low = room(g, n), *high = room(g, n);
    if (!step || !place || !low || !high) return 0;
    for (int64_t j = 0; j < o->n; j++) {
        double near = unsure(&p->model->code, j);
        for (int64_t k = first[j]; k < first[j + 1]; k++) {
            step[k * o->n + j] = (share[k] - (k > first[j] ? share[k - 1] : 0)) / 2;
            place[k] = j;
            low[k] = knot[k] - near;
            high[k] = knot[k] + near;
        }
    }
    graph_set_whole(g, "axis", 1);
    int cells = graph_node(g, "Gather", x, graph_whole(g, place, n), -1);
    int above = onnx_less(g, graph_real(g, high, 1, n), cells);
    int not_below = with(g, "Sub", onnx_less(g, cells, graph_real(g, low, 1, n)), 1);
    int both = graph_node(g, "Sub", above, not_below, -1);
    return graph_node(g, "MatMul", both, graph_real(g, step, n, o->n), -1);
}

/* The value of the first point, and what every piece of the way from there to x adds. */
int onnx_interpolate(graph *g, const program *p, const operation *o, int x)
{
    const constant *c = &p->constants[o->array[0]];
    const double *at = c->real, *value = p->constants[o->array[1]].real;
    int64_t n = c->columns, last = n - 1;
    double beyond = (value[last] - value[0]) / fmax(at[last] - at[0], 1e-300);
    if (n == 1 || !(beyond > 0)) beyond = 0;
    double *width = room(g, n + 1), *slope = room(g, n + 1), *jump = room(g, n + 1);
    for (int64_t j = 0; width && slope && jump && j < last; j++) {
        width[j] = at[j + 1] - at[j];
        slope[j] = width[j] > 0 ? (value[j + 1] - value[j]) / width[j] : 0;
        jump[j] = width[j] > 0 ? 0 : value[j + 1] - value[j];
    }
    if (!width || !slope || !jump) return 0;
    int below = with(g, "Mul", with(g, "Min", with(g, "Sub", x, at[0]), 0), beyond);
    int above = with(g, "Mul", with(g, "Max", with(g, "Sub", x, at[last]), 0), beyond);
    int sum = with(g, "Add", graph_node(g, "Add", below, above, -1), value[0]);
    if (n == 1) return sum;
    int points = graph_real(g, at, 1, last);
    int gone = with(g, "Max", graph_node(g, "Sub", x, points, -1), 0);
    gone = graph_node(g, "Mul", graph_node(g, "Min", gone, graph_real(g, width, 1, last), -1),
                      graph_real(g, slope, 1, last), -1);
    int jumps = graph_node(g, "Sub", graph_scalar(g, 1), onnx_less(g, x, points), -1);
    gone = graph_node(g, "Add", gone, graph_node(g, "Mul", jumps, graph_real(g, jump, 1, last), -1), -1);
    return graph_node(g, "Add", sum, onnx_total(g, gone, 1), -1);
}

/* |x|^2 + |z|^2 - 2 x'z about the mean of the rows. */
int onnx_squares(graph *g, const constant *rows, int x)
{
    int64_t m = rows->rows, d = rows->columns;
    double *mean = room(g, d), *turned = room(g, m * d), *norm = room(g, m);
    for (int64_t i = 0; mean && i < m * d; i++) mean[i % d] += rows->real[i] / (double)m;
    for (int64_t i = 0; mean && turned && norm && i < m * d; i++) {
        double z = rows->real[i] - mean[i % d];
        turned[(i % d) * m + i / d] = -2 * z;
        norm[i / d] += z * z;
    }
    if (!mean || !turned || !norm) return 0;
    int moved = graph_node(g, "Sub", x, graph_real(g, mean, 1, d), -1);
    int length = onnx_total(g, graph_node(g, "Mul", moved, moved, -1), 1);
    int products = graph_node(g, "MatMul", moved, graph_real(g, turned, d, m), -1);
    int sum = graph_node(g, "Add", graph_node(g, "Add", products, length, -1), graph_real(g, norm, 1, m), -1);
    return with(g, "Max", sum, 0);
}

/* Squared distances from differences, so that equal ones are equal. */
int onnx_neighbours(graph *g, const program *p, const operation *o, int x)
{
    const constant *rows = &p->constants[o->array[0]], *values = &p->constants[o->array[1]];
    double width = o->number[1], *turned = room(g, values->rows * values->columns);
    for (int64_t i = 0; turned && i < values->rows * values->columns; i++)
        turned[(i % values->columns) * values->rows + i / values->columns] = values->real[i];
    if (!turned) return 0;
    int difference =
        graph_node(g, "Sub", added_axis(g, x, 1), graph_real(g, rows->real, rows->rows, rows->columns), -1);
    int squares = onnx_total(g, graph_node(g, "Mul", difference, difference, -1), 2);
    squares = graph_node(g, "Squeeze", squares, one_whole(g, 2), -1);
    graph_set_whole(g, "largest", 0);
    int near = graph_two_outputs(g, "TopK", squares, one_whole(g, (int64_t)o->number[0])), place = near + 1;
    int weight = graph_node(g, "Sub", onnx_slice(g, near, 0, 1), near, -1);
    weight = graph_node(g, "Exp", with(g, "Mul", weight, width > 0 ? 1 / width / width / 2 : 0), -1, -1);
    weight = graph_node(g, "Div", weight, onnx_total(g, weight, 1), -1);
    int of = graph_node(g, "Gather", graph_real(g, turned, values->columns, values->rows), place, -1);
    int sum = onnx_total(g, graph_node(g, "Mul", of, added_axis(g, weight, 2), -1), 1);
    return graph_node(g, "Squeeze", sum, one_whole(g, 1), -1);
}

/* By a table of which numbers count for which place. */
int onnx_running(graph *g, int x, int64_t n, bool ahead)
{
    double *mask = room(g, n * n);
    for (int64_t i = 0; mask && i < n * n; i++)
        mask[i] = ahead ? (i % n >= i / n ? 0 : -FAR) : (i % n <= i / n ? 0 : FAR);
    if (!mask) return 0;
    int all = graph_node(g, "Add", added_axis(g, x, 1), graph_real(g, mask, n, n), -1);
    graph_set_wholes(g, "axes", (int64_t[]){2}, 1);
    graph_set_whole(g, "keepdims", 0);
    return graph_node(g, ahead ? "ReduceMax" : "ReduceMin", all, -1, -1);
}

/* ---- intervals ---- */

static int pair(graph *g, int low, int high)
{
    graph_set_whole(g, "axis", 1);
    return graph_node(g, "Concat", low, high, -1);
}

/* Places of intervals that contain all ranks up to some size, shortest first: the first of the largest keys, which are
 * the masses, less the lengths, of those that have enough. */
int onnx_shortest(graph *g, int p, int64_t K, double mass)
{
    int64_t n = K * (K + 1) / 2, at = 0;
    double *in = room(g, K * n), *low = room(g, n), *high = room(g, n), *length = room(g, n), *part = room(g, n);
    if (!in || !low || !high || !length || !part) return 0;
    for (int64_t size = 1; size <= K; size++)
        for (int64_t from = 0; from + size <= K; from++, at++) {
            for (int64_t q = from; q < from + size; q++) in[q * n + at] = 1;
            low[at] = (double)from + 1;
            high[at] = (double)(from + size);
            length[at] = 10 * (double)size;
            part[at] = size < K ? 20 * (double)K : 0; /* all ranks are the last resort */
        }
    int sum = graph_node(g, "MatMul", p, graph_real(g, in, K, n), -1);
    int few = graph_node(g, "Mul", onnx_less(g, sum, graph_scalar(g, mass)), graph_real(g, part, 1, n), -1);
    int key = graph_node(g, "Sub", graph_node(g, "Sub", sum, few, -1), graph_real(g, length, 1, n), -1);
    graph_set_whole(g, "axis", 1);
    graph_set_whole(g, "keepdims", 1);
    int best = graph_node(g, "ArgMax", key, -1, -1);
    return pair(g, graph_node(g, "Gather", graph_real(g, low, n, 0), best, -1),
                graph_node(g, "Gather", graph_real(g, high, n, 0), best, -1));
}

/* The intervals grow by the more probable of two adjacent ranks. A rank s is added before a rank q on the other side
 * where the smallest probability from the start to s is larger than that from the start to q (or equal, and s is the
 * lower one); on the same side where it is nearer. A rank belongs to the interval if the mass added before it and half
 * of its own are within the limit. */
int onnx_interval(graph *g, int p, int rank, int64_t K, double limit)
{
    double *place = room(g, K), *up = room(g, K * K), *same = room(g, K * K);
    if (!place || !up || !same) return 0;
    for (int64_t q = 0; q < K; q++) place[q] = (double)q + 1;
    int row = graph_real(g, place, 1, K);                                 /* ranks */
    int above = onnx_less(g, rank, row), below = onnx_less(g, row, rank); /* N x K */
    /* smallest from the start: those of one side, the others being 1, from each rank to the start */
    int ones = graph_scalar(g, 1);
    int outside_up = graph_node(g, "Where", graph_cast(g, above, ONNX_BOOL), p, ones);
    int outside_down = graph_node(g, "Where", graph_cast(g, below, ONNX_BOOL), p, ones);
    int least_up = onnx_running(g, outside_up, K, false); /* from the left: up to q, all of them above the start */
    int minus = with(g, "Mul", outside_down, -1);
    int least_down = with(g, "Mul", onnx_running(g, minus, K, true), -1); /* from the right */
    int least = graph_node(g, "Where", graph_cast(g, above, ONNX_BOOL), least_up, least_down);
    /* before[s, q] */
    int of_s = added_axis(g, least, 2), of_q = added_axis(g, least, 1);
    int s_up = added_axis(g, above, 2), q_up = added_axis(g, above, 1), s_down = added_axis(g, below, 2),
        q_down = added_axis(g, below, 1);
    int larger = onnx_less(g, of_q, of_s),
        not_smaller = with(g, "Add", with(g, "Mul", onnx_less(g, of_s, of_q), -1), 1);
    for (int64_t i = 0; i < K * K; i++) {
        up[i] = i / K < i % K;   /* s < q */
        same[i] = i / K > i % K; /* s > q */
    }
    int a = graph_node(g, "Mul", graph_node(g, "Mul", s_up, q_down, -1), larger, -1);
    int b = graph_node(g, "Mul", graph_node(g, "Mul", s_down, q_up, -1), not_smaller, -1);
    int c = graph_node(g, "Mul", graph_node(g, "Mul", s_up, q_up, -1), graph_real(g, up, K, K), -1);
    int d = graph_node(g, "Mul", graph_node(g, "Mul", s_down, q_down, -1), graph_real(g, same, K, K), -1);
    int side = graph_node(g, "Add", above, below, -1); /* not the start */
    int start = with(g, "Add", with(g, "Mul", side, -1), 1);
    int e = graph_node(g, "Mul", added_axis(g, start, 2), added_axis(g, side, 1), -1); /* the start is before all */
    int before = graph_node(g, "Add", graph_node(g, "Add", graph_node(g, "Add", a, b, -1), c, -1),
                            graph_node(g, "Add", d, e, -1), -1);
    int mass = onnx_total(g, graph_node(g, "Mul", before, added_axis(g, p, 2), -1), 1);
    mass = graph_node(g, "Add", graph_node(g, "Squeeze", mass, one_whole(g, 1), -1), with(g, "Mul", p, 0.5), -1);
    int in = with(g, "Add", with(g, "Mul", onnx_less(g, graph_scalar(g, limit), mass), -1), 1);
    in = graph_node(g, "Max", in, start, -1);
    int out = with(g, "Add", with(g, "Mul", in, -1), 1);
    int high = graph_node(g, "Mul", in, row, -1);
    int low = graph_node(g, "Add", high, with(g, "Mul", out, FAR), -1);
    graph_set_wholes(g, "axes", (int64_t[]){1}, 1);
    high = graph_node(g, "ReduceMax", high, -1, -1);
    graph_set_wholes(g, "axes", (int64_t[]){1}, 1);
    low = graph_node(g, "ReduceMin", low, -1, -1);
    return pair(g, low, high);
}
