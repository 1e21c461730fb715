// SPDX-License-Identifier: BSD-3-Clause
#include "export/program.h"

#include <string.h>

const op_description op_table[OP_KINDS] = {
    [OP_CELLS] = {.name = "cells"},
    [OP_CODED] = {.name = "coded", .array = {"first", "width", "kind"}},
    [OP_CONSTANT] = {.name = "constant", .array = {"value"}},
    [OP_ADD] = {.name = "add"},
    [OP_SUBTRACT] = {.name = "subtract"},
    [OP_MULTIPLY] = {.name = "multiply"},
    [OP_DIVIDE] = {.name = "divide"},
    [OP_MINIMUM] = {.name = "minimum"},
    [OP_MAXIMUM] = {.name = "maximum"},
    [OP_POWER] = {.name = "power"},
    [OP_LESS] = {.name = "less"},
    [OP_EXP] = {.name = "exp"},
    [OP_LOG] = {.name = "log"},
    [OP_LOG2] = {.name = "log2"},
    [OP_LOG10] = {.name = "log10"},
    [OP_LOG1P] = {.name = "log1p"},
    [OP_ROOT] = {.name = "root"},
    [OP_ERFC] = {.name = "erfc"},
    [OP_MISSING] = {.name = "missing"},
    [OP_SELECT] = {.name = "select"},
    [OP_FINITE] = {.name = "finite"},
    [OP_PART] = {.name = "part", .number = {"from"}},
    [OP_JOIN] = {.name = "join"},
    [OP_TOTAL] = {.name = "total"},
    [OP_LARGEST] = {.name = "largest"},
    [OP_PLACE] = {.name = "place"},
    [OP_SUMS] = {.name = "sums"},
    [OP_LEAST_YET] = {.name = "least_yet"},
    [OP_MOST_AHEAD] = {.name = "most_ahead"},
    [OP_CHOOSE] = {.name = "choose"},
    [OP_SCALE] = {.name = "scale", .array = {"shift", "factor"}},
    [OP_SHARE] = {.name = "share", .array = {"first", "knot", "share"}},
    [OP_INTERPOLATE] = {.name = "interpolate", .array = {"at", "value"}},
    [OP_LINEAR] = {.name = "linear", .array = {"weight", "bias"}},
    [OP_SQUARES] = {.name = "squares", .array = {"row"}},
    [OP_NEIGHBOURS] = {.name = "neighbours", .array = {"row", "value"}, .number = {"neighbours", "width"}},
    [OP_TREES] = {.name = "trees",
                  .array = {"root", "column", "cut", "left", "missing_right", "set", "leaf", "word"},
                  .number = {"votes"}},
    [OP_EQUALS] = {.name = "equals", .array = {"key", "rank", "mass"}},
    [OP_INTERVAL] = {.name = "interval", .array = {"limit"}},
    [OP_SHORTEST] = {.name = "shortest", .number = {"mass"}},
};

static void note(builder *b, rung_status status)
{
    if (b->status == RUNG_OK) b->status = status;
}

double *builder_room(builder *b, int64_t n)
{
    double *v = NULL;
    if (b->status == RUNG_OK) note(b, NEW(b->ctx, &b->ctx->scratch, v, n));
    return b->status == RUNG_OK ? v : NULL;
}

enum { SHORT = 64, RECENT = 4096 }; /* constants compared by value; operations looked at for an equal one */

static bool same_constant(const constant *a, const constant *b)
{
    if (a->rows != b->rows || a->columns != b->columns || !a->real != !b->real) return false;
    int64_t n = a->rows * a->columns;
    if (a->real == b->real && a->whole == b->whole) return true;
    return n <= SHORT && memcmp(a->real ? (const void *)a->real : a->whole, b->real ? (const void *)b->real : b->whole,
                                (size_t)n * sizeof(double)) == 0;
}

static int put_constant(builder *b, constant c)
{
    program *p = b->p;
    if (b->status != RUNG_OK) return 0;
    for (int i = 0; i < p->n_constants; i++)
        if (same_constant(&p->constants[i], &c)) return i;
    if (p->n_constants == p->room_constants) {
        note(b, RESIZE(b->ctx, &b->ctx->scratch, p->constants, 2 * p->room_constants + 64));
        if (b->status != RUNG_OK) return 0;
        p->room_constants = 2 * p->room_constants + 64;
    }
    p->constants[p->n_constants] = c;
    return p->n_constants++;
}

int put_real(builder *b, const double *v, int64_t rows, int64_t columns)
{
    return put_constant(b, (constant){.real = v, .rows = rows, .columns = columns});
}

int put_whole(builder *b, const int64_t *v, int64_t rows, int64_t columns)
{
    return put_constant(b, (constant){.whole = v, .rows = rows, .columns = columns});
}

int put_op(builder *b, op_kind kind, int64_t n, int first, int second, int third)
{
    program *p = b->p;
    operation o = {.kind = kind, .n = n, .operand = {first, second, third}};
    if (b->status != RUNG_OK) return 0;
    if (p->n_operations == p->rooms_operations) {
        note(b, RESIZE(b->ctx, &b->ctx->scratch, p->operations, 2 * p->rooms_operations + 256));
        if (b->status != RUNG_OK) return 0;
        p->rooms_operations = 2 * p->rooms_operations + 256;
    }
    while (o.operands < OPERANDS && o.operand[o.operands] != NO_VALUE) o.operands++;
    for (int i = 0; i < ARRAYS; i++) o.array[i] = -1;
    p->operations[p->n_operations] = o;
    return p->n_operations++;
}

static bool same_operation(const operation *a, const operation *b)
{
    bool same = a->kind == b->kind && a->n == b->n;
    for (int i = 0; i < OPERANDS; i++) same = same && a->operand[i] == b->operand[i];
    for (int i = 0; i < ARRAYS; i++) same = same && a->array[i] == b->array[i];
    for (int i = 0; i < OP_NUMBERS; i++) same = same && a->number[i] == b->number[i];
    return same;
}

int settled(builder *b, int value)
{
    program *p = b->p;
    if (b->status != RUNG_OK || value != p->n_operations - 1) return value;
    for (int i = value - 1; i >= 0 && i >= value - RECENT; i--)
        if (same_operation(&p->operations[i], &p->operations[value])) {
            p->n_operations--;
            return i;
        }
    return value;
}

void set_array(builder *b, int value, int index, int array)
{
    if (b->status == RUNG_OK) b->p->operations[value].array[index] = array;
}

void set_number(builder *b, int value, int index, double number)
{
    if (b->status == RUNG_OK) b->p->operations[value].number[index] = number;
}

int64_t length_of(const builder *b, int value) { return b->status == RUNG_OK ? b->p->operations[value].n : 1; }
