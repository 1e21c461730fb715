// SPDX-License-Identifier: BSD-3-Clause
/* A program as one file of C99, which is also C++: constant tables, and a function that is the operations in turn. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "export/c_tables.h"
#include "export/runtime.h"
#include "export/slots.h"

typedef struct {
    const program *p;
    const char *prefix;
    slots at;
    writer *w;
} printer;

/* ---- what the program needs of the runtime ---- */

static bool uses(const program *p, op_kind kind)
{
    for (int i = 0; i < p->n_operations; i++)
        if (p->operations[i].kind == kind) return true;
    return false;
}

static bool long_exp(const operation *o) { return o->kind == OP_EXP && o->n >= 16; }

static void write_runtime(const printer *r)
{
    static const struct {
        op_kind kind;
        const char *section;
    } sections[] = {{OP_CODED, "coded"},      {OP_FINITE, "finite"},           {OP_SCALE, "scale"},
                    {OP_SHARE, "share"},      {OP_INTERPOLATE, "interpolate"}, {OP_SQUARES, "squares"},
                    {OP_EQUALS, "equals"},    {OP_NEIGHBOURS, "neighbours"},   {OP_INTERVAL, "interval"},
                    {OP_SHORTEST, "shortest"}};
    bool one = false, several = false, exps = false, sets = false, plain = false;
    for (int i = 0; i < r->p->n_operations; i++) {
        const operation *o = &r->p->operations[i];
        one |= o->kind == OP_LINEAR && o->n == 1;
        several |= o->kind == OP_LINEAR && o->n != 1;
        exps |= long_exp(o);
        if (o->kind == OP_TREES) *(trees_have_sets(r->p, o) ? &sets : &plain) = true;
    }
    write_section(r->w, runtime_model_c_txt, "cells", r->prefix);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (uses(r->p, sections[i].kind)) write_section(r->w, runtime_model_c_txt, sections[i].section, r->prefix);
    if (one) write_section(r->w, runtime_model_c_txt, "product", r->prefix);
    if (several) write_section(r->w, runtime_model_c_txt, "linear", r->prefix);
    if (exps) write_section(r->w, runtime_model_c_txt, "exp", r->prefix);
    if (plain) write_section(r->w, runtime_model_c_txt, "trees", r->prefix);
    if (sets) write_section(r->w, runtime_model_c_txt, "treesets", r->prefix);
}

/* ---- operands ---- */

typedef struct {
    char text[160];
} operand_text;

static const operation *of(const printer *r, int value) { return &r->p->operations[value]; }

/* A vector, as a pointer. */
static operand_text vector(const printer *r, int value)
{
    operand_text t;
    if (of(r, value)->kind == OP_CONSTANT)
        snprintf(t.text, sizeof t.text, "%s_c%d", r->prefix, of(r, value)->array[0]);
    else
        snprintf(t.text, sizeof t.text, "v + %lld", (long long)r->at.at[value]);
    return t;
}

/* Number i of it, or the only one. */
static operand_text number(const printer *r, int value)
{
    operand_text t;
    const operation *o = of(r, value);
    if (o->kind == OP_CONSTANT && o->n == 1)
        c_number(r->p->constants[o->array[0]].real[0], t.text);
    else if (o->kind == OP_CONSTANT)
        snprintf(t.text, sizeof t.text, "%s_c%d[i]", r->prefix, o->array[0]);
    else if (o->n == 1)
        snprintf(t.text, sizeof t.text, "v[%lld]", (long long)r->at.at[value]);
    else
        snprintf(t.text, sizeof t.text, "v[%lld + i]", (long long)r->at.at[value]);
    return t;
}

/* ---- operations ---- */

static const char *const formulas[OP_KINDS] =
    {/* X, Y, Z: the operands */
     [OP_ADD] = "X + Y",       [OP_SUBTRACT] = "X - Y",       [OP_MULTIPLY] = "X * Y",
     [OP_DIVIDE] = "X / Y",    [OP_MINIMUM] = "fmin(X, Y)",   [OP_MAXIMUM] = "fmax(X, Y)",
     [OP_POWER] = "pow(X, Y)", [OP_LESS] = "X < Y",           [OP_EXP] = "exp(X)",
     [OP_LOG] = "log(X)",      [OP_LOG2] = "log2(X)",         [OP_LOG10] = "log10(X)",
     [OP_LOG1P] = "log1p(X)",  [OP_ROOT] = "sqrt(X)",         [OP_ERFC] = "erfc(X)",
     [OP_MISSING] = "X != X",  [OP_SELECT] = "X != 0 ? Y : Z"};

static void write_loop(const printer *r, int64_t n)
{
    write_text(r->w, "    ");
    if (n != 1) write_format(r->w, "for (i = 0; i < %lld; i++) ", (long long)n);
}

static void write_formula(const printer *r, int value)
{
    const operation *o = of(r, value);
    write_loop(r, o->n);
    write_format(r->w, o->n == 1 ? "v[%lld] = " : "v[%lld + i] = ", (long long)r->at.at[value]);
    for (const char *f = formulas[o->kind]; *f; f++) {
        bool operand = *f >= 'X' && *f <= 'Z';
        if (operand)
            write_text(r->w, number(r, o->operand[*f - 'X']).text);
        else
            write_bytes(r->w, f, 1);
    }
    write_text(r->w, ";\n");
}

/* The i-th number of x + from, whatever the length. */
static void write_copy(const printer *r, int x, int64_t from, int64_t to, int64_t n)
{
    if (n > 0)
        write_format(r->w, "    for (i = 0; i < %lld; i++) v[%lld + i] = (%s)[%lld + i];\n", (long long)n,
                     (long long)to, vector(r, x).text, (long long)from);
}

static void write_running(const printer *r, int value, const char *formula, bool down)
{
    long long n = of(r, value)->n, at = r->at.at[value];
    int x = of(r, value)->operand[0];
    write_copy(r, x, 0, at, n);
    if (down)
        write_format(r->w, "    for (i = %lld; i >= 0; i--) ", n - 2);
    else
        write_format(r->w, "    for (i = 1; i < %lld; i++) ", n);
    write_format(r->w, formula, at, at, at);
    write_text(r->w, ";\n");
}

static void write_whole(const printer *r, int value, const char *y)
{
    const operation *o = of(r, value);
    operand_text x = vector(r, o->operand[0]);
    long long at = r->at.at[value], m = of(r, o->operand[0])->n;
    switch (o->kind) {
    case OP_TOTAL:
        write_format(r->w, "    v[%lld] = 0;\n    for (i = 0; i < %lld; i++) v[%lld] += (%s)[i];\n", at, m, at, x.text);
        return;
    case OP_LARGEST:
        write_format(r->w, "    v[%lld] = (%s)[0];\n    for (i = 1; i < %lld; i++) v[%lld] = fmax(v[%lld], (%s)[i]);\n",
                     at, x.text, m, at, at, x.text);
        return;
    case OP_PLACE:
        write_format(r->w,
                     "    v[%lld] = 0;\n    for (i = 1; i < %lld; i++)\n        if ((%s)[i] > (%s)[(int)v[%lld]]) "
                     "v[%lld] = i;\n",
                     at, m, x.text, x.text, at, at);
        return;
    case OP_SUMS: write_running(r, value, "v[%lld + i] += v[%lld + i - 1]", false); return;
    case OP_LEAST_YET: write_running(r, value, "v[%lld + i] = fmin(v[%lld + i], v[%lld + i - 1])", false); return;
    case OP_MOST_AHEAD: write_running(r, value, "v[%lld + i] = fmax(v[%lld + i], v[%lld + i + 1])", true); return;
    case OP_PART: write_copy(r, o->operand[0], (int64_t)o->number[0], at, o->n); return;
    case OP_JOIN:
        write_copy(r, o->operand[0], 0, at, m);
        write_copy(r, o->operand[1], 0, at + m, o->n - m);
        return;
    case OP_CHOOSE:
        write_format(r->w, "    for (i = 0; i < %lld; i++) %s[i] = (%s)[(int)(%s)[i]];\n", (long long)o->n, y,
                     vector(r, o->operand[1]).text, x.text);
        return;
    case OP_FINITE:
        write_copy(r, o->operand[0], 0, at, o->n);
        write_format(r->w, "    if (!%s_finite(%lld, %s)) return -1;\n", r->prefix, (long long)o->n, y);
        return;
    default: return;
    }
}

static void write_linear(const printer *r, const operation *o, const char *x, const char *y)
{
    long long terms = r->p->constants[o->array[0]].columns;
    char bias[96] = "NULL";
    if (o->array[1] >= 0) snprintf(bias, sizeof bias, "%s_c%d", r->prefix, o->array[1]);
    if (o->n != 1) {
        write_format(r->w, "    %s_linear(%lld, %lld, %s, %s_t%d, %s, %s);\n", r->prefix, terms, (long long)o->n, x,
                     r->prefix, o->array[0], bias, y);
        return;
    }
    write_format(r->w, "    *(%s) = ", y);
    if (o->array[1] >= 0) write_format(r->w, "%s[0] + ", bias);
    write_format(r->w, "%s_product(%lld, %s, %s_c%d);\n", r->prefix, terms, x, r->prefix, o->array[0]);
}

static void write_trees(const printer *r, int value, const char *x, const char *y)
{
    const operation *o = of(r, value);
    const char *f = r->prefix;
    bool sets = trees_have_sets(r->p, o);
    long long columns = of(r, o->operand[0])->n, trees = r->p->constants[o->array[0]].columns;
    write_format(r->w, "    %s_trees%s(%lld, %s, %lld, %s_roots%d, %s_nodes%d, %s_leaves%d, ", f, sets ? "_sets" : "",
                 columns, x, trees, f, value, f, value, f, value);
    if (sets) write_format(r->w, "%s_sets%d, %s_words%d, ", f, value, f, value);
    write_format(r->w, "%d, z, %lld, %s);\n", o->number[0] != 0, (long long)o->n, y);
}

static void write_call(const printer *r, int value)
{
    const operation *o = of(r, value);
    const char *f = r->prefix;
    const int *a = o->array;
    char y[64];
    operand_text x = vector(r, o->operand[0]);
    long long n = o->n, m = of(r, o->operand[0])->n;
    snprintf(y, sizeof y, o->kind == OP_CHOOSE ? "(v + %lld)" : "v + %lld", (long long)r->at.at[value]);
    switch (o->kind) {
    case OP_CODED:
        write_format(r->w, "    %s_coded(%lld, %s, %s_i%d, %s_i%d, %s_i%d, %s);\n", f, m, x.text, f, a[0], f, a[1], f,
                     a[2], y);
        return;
    case OP_SCALE:
        write_format(r->w, "    %s_scale(%lld, %s, %s_c%d, %s_c%d, %s);\n", f, n, x.text, f, a[0], f, a[1], y);
        return;
    case OP_SHARE:
        write_format(r->w, "    %s_share(%lld, %s, %s_i%d, %s_c%d, %s_c%d, %s);\n", f, n, x.text, f, a[0], f, a[1], f,
                     a[2], y);
        return;
    case OP_INTERPOLATE:
        write_format(r->w, "    v[%lld] = %s_interpolate(%lld, %s_c%d, %s_c%d, *(%s));\n", (long long)r->at.at[value],
                     f, (long long)r->p->constants[a[0]].columns, f, a[0], f, a[1], x.text);
        return;
    case OP_LINEAR: write_linear(r, o, x.text, y); return;
    case OP_SQUARES:
        write_format(r->w, "    %s_squares(%lld, %lld, %s, %s_t%d, %s);\n", f, m, n, x.text, f, a[0], y);
        return;
    case OP_NEIGHBOURS:
        write_format(r->w, "    %s_neighbours(%lld, %lld, %.0f, ", f, m, (long long)r->p->constants[a[0]].rows,
                     o->number[0]);
        write_number(r->w, o->number[1]);
        write_format(r->w, ", %s, %s_c%d, %lld, %s_c%d, near, place, %s);\n", x.text, f, a[0], n, f, a[1], y);
        return;
    case OP_TREES: write_trees(r, value, x.text, y); return;
    case OP_EQUALS:
        write_format(r->w, "    %s_equals(%lld, %s, %lld, %s_c%d, %s_i%d, %s_c%d, %lld, %s);\n", f, m, x.text,
                     (long long)r->p->constants[a[0]].columns, f, a[0], f, a[1], f, a[2], n, y);
        return;
    case OP_INTERVAL:
        write_format(r->w, "    %s_interval(%lld, %s, (int)*(%s), %s_c%d[0], %s);\n", f, m, x.text,
                     vector(r, o->operand[1]).text, f, a[0], y);
        return;
    case OP_SHORTEST:
        write_format(r->w, "    %s_shortest(%lld, %s, ", f, m, x.text);
        write_number(r->w, o->number[0]);
        write_format(r->w, ", %s);\n", y);
        return;
    default: write_whole(r, value, y); return;
    }
}

static void write_operations(const printer *r)
{
    for (int i = CELLS + 1; i < r->p->n_operations; i++) {
        const operation *o = of(r, i);
        if (o->kind == OP_CONSTANT) continue;
        if (long_exp(o))
            write_format(r->w, "    %s_exp(%lld, %s, v + %lld);\n", r->prefix, (long long)o->n,
                         vector(r, o->operand[0]).text, (long long)r->at.at[i]);
        else if (formulas[o->kind])
            write_formula(r, i);
        else
            write_call(r, i);
    }
}

/* ---- the function ---- */

static int64_t most_neighbours(const program *p)
{
    double most = 0;
    for (int i = 0; i < p->n_operations; i++)
        if (p->operations[i].kind == OP_NEIGHBOURS) most = fmax(most, p->operations[i].number[0]);
    return (int64_t)most;
}

static void write_predict(const printer *r)
{
    const program *p = r->p;
    const char *f = r->prefix;
    long long columns = of(r, CELLS)->n, near = most_neighbours(p);
    write_format(r->w, "\nint %s_predict(const double *cells, %s_answer *answer)\n{\n    double v[%lld];\n", f, f,
                 (long long)r->at.size);
    if (uses(p, OP_TREES)) write_format(r->w, "    double z[%lld];\n", 2 * (long long)of(r, p->columns)->n);
    if (near > 0) write_format(r->w, "    double near[%lld];\n    int place[%lld];\n", near, near);
    write_format(
        r->w,
        "    int i;\n    for (i = 0; i < %lld; i++) {\n        const %s_column_kind *c = &%s_kinds[i];\n"
        "        double x = cells[i];\n"
        "        if (c->kind == 1)\n            x = x != x ? c->absent : x >= 0 && x < c->count ? floor(x) : -1;\n"
        "        else if (!(x - x == 0)%s)\n            return i + 1;\n"
        "        v[i] = x;\n    }\n",
        columns, f, f, p->takes_missing ? " && x == x" : "");
    write_operations(r);
    write_text(r->w, "    memset(answer, 0, sizeof *answer);\n");
    if (p->rank != NO_VALUE) write_format(r->w, "    answer->rank = (int)%s;\n", number(r, p->rank).text);
    write_format(r->w, "    for (i = 0; i < %lld; i++) answer->score[i] = (%s)[i];\n", (long long)of(r, p->score)->n,
                 vector(r, p->score).text);
    if (p->proba != NO_VALUE)
        write_format(r->w, "    for (i = 0; i < %lld; i++) answer->probability[i] = (%s)[i];\n",
                     (long long)of(r, p->proba)->n, vector(r, p->proba).text);
    if (p->sd != NO_VALUE) write_format(r->w, "    answer->sd = %s;\n", number(r, p->sd).text);
    if (p->interval != NO_VALUE)
        write_format(r->w, "    answer->low = (int)(%s)[0];\n    answer->high = (int)(%s)[1];\n",
                     vector(r, p->interval).text, vector(r, p->interval).text);
    write_text(r->w, "    return 0;\n}\n");
}

static bool is_prefix(const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '_') return false;
    return n > 0 && n < 48 && !isdigit((unsigned char)*name) && *name != '_';
}

static bool start(printer *r, const program *p, const export_words *names, writer *w)
{
    *r = (printer){.p = p, .prefix = names->prefix ? names->prefix : "rung_model", .w = w};
    if (!is_prefix(r->prefix))
        w->status = set_error(
            w->ctx, RUNG_EARG,
            "'%.60s' cannot begin names in C: expected a letter, then letters, digits and _, at most 47", r->prefix);
    return w->status == RUNG_OK;
}

void export_h(const program *p, const export_words *names, writer *w)
{
    printer r;
    if (!start(&r, p, names, w)) return;
    c_about(w, p);
    c_declarations(w, p, r.prefix);
}

void export_c(const program *p, const export_words *names, writer *w)
{
    printer r;
    if (!start(&r, p, names, w)) return;
    w->status = slots_of(w->ctx, p, &r.at);
    if (w->status != RUNG_OK) return;
    c_about(w, p);
    write_text(w, "#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include "
                  "<string.h>\n\n");
    c_declarations(w, p, r.prefix);
    write_text(w, "\n");
    write_runtime(&r);
    c_columns(w, p, r.prefix);
    c_constants(w, p, r.prefix);
    write_predict(&r);
}
