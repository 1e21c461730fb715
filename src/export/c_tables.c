// SPDX-License-Identifier: BSD-3-Clause
#include "export/c_tables.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "input/encode/cells.h"
#include "input/table/table.h"

/* ---- constants ---- */

void c_number(double x, char text[64])
{
    char digits[32];
    if (isinf(x) || isnan(x)) {
        snprintf(text, 64, "%s", isnan(x) ? "NAN" : x > 0 ? "HUGE_VAL" : "(-HUGE_VAL)");
        return;
    }
    text_format(x, digits);
    bool whole = !strpbrk(digits, ".e");
    snprintf(text, 64, signbit(x) ? "(%s%s)" : "%s%s", digits, whole ? ".0" : "");
}

/* Every byte that could mean something else is in octal: quotes, backslashes, trigraphs, what is not ASCII. */
static void write_c_text(writer *w, const char *text)
{
    write_text(w, "\"");
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p < 128 && (isalnum(*p) || strchr(" .,:;+-_()[]<>=/#*", *p)))
            write_bytes(w, p, 1);
        else
            write_format(w, "\\%03o", (unsigned)*p);
    }
    write_text(w, "\"");
}

typedef struct { /* writes a list in lines */
    writer *w;
    int64_t n;
} listing;

static void item(listing *l, const char *text)
{
    write_text(l->w, l->n == 0 ? "\n    " : l->n % 8 == 0 ? ",\n    " : ", ");
    write_text(l->w, text);
    l->n++;
}

static void item_number(listing *l, double x)
{
    char text[64];
    c_number(x, text);
    item(l, text);
}

static void end_list(listing *l)
{
    if (l->n == 0) write_text(l->w, "0"); /* an array is never empty */
    write_text(l->w, "};\n");
}

static void write_reals(writer *w, const char *prefix, const char *name, int number, const constant *c, bool turned)
{
    listing l = {.w = w};
    write_format(w, "static const double %s_%s%d[] = {", prefix, name, number);
    if (!turned)
        for (int64_t i = 0; i < c->rows * c->columns; i++) item_number(&l, c->real[i]);
    else
        for (int64_t j = 0; j < c->columns; j++)
            for (int64_t i = 0; i < c->rows; i++) item_number(&l, c->real[i * c->columns + j]);
    end_list(&l);
}

static void write_wholes(writer *w, const char *type, const char *prefix, const char *name, int number,
                         const constant *c, const char *ending)
{
    listing l = {.w = w};
    char text[40];
    write_format(w, "static const %s %s_%s%d[] = {", type, prefix, name, number);
    for (int64_t i = 0; i < c->rows * c->columns; i++) {
        snprintf(text, sizeof text, "%lld%s", (long long)c->whole[i], ending);
        item(&l, text);
    }
    end_list(&l);
}

/* ---- trees ---- */

bool trees_have_sets(const program *p, const operation *o)
{
    const constant *set = &p->constants[o->array[5]];
    for (int64_t k = 0; k < set->columns; k++)
        if (set->whole[k] >= 0) return true;
    return false;
}

static void write_nodes(writer *w, const program *p, const char *prefix, int value, bool sets)
{
    const operation *o = &p->operations[value];
    const constant *c = p->constants;
    const int64_t *split = c[o->array[1]].whole, *left = c[o->array[3]].whole, *missing = c[o->array[4]].whole;
    const int64_t *set = c[o->array[5]].whole;
    const double *cut = c[o->array[2]].real;
    int64_t n = c[o->array[1]].columns, n_sets = 0;
    listing l = {.w = w};
    write_format(w, "static const %s_%snode %s_nodes%d[] = {", prefix, sets ? "set_" : "", prefix, value);
    for (int64_t k = 0; k < n; k++) {
        char text[160], at[64];
        c_number(split[k] < 0 ? INFINITY : cut[k], at);
        long long to = split[k] < 0 ? k : left[k];
        long long of = split[k] < 0 ? 0 : set[k] >= 0 ? -++n_sets : 2 * split[k] + missing[k];
        snprintf(text, sizeof text, "{%s, %lld, %lld}", at, to, of);
        item(&l, text);
    }
    end_list(&l);
    if (!sets) return;
    l.n = 0;
    write_format(w, "static const %s_set %s_sets%d[] = {", prefix, prefix, value);
    for (int64_t k = 0; k < n; k++) {
        char text[96];
        if (set[k] < 0) continue;
        snprintf(text, sizeof text, "{%lld, %lld, %lld}", (long long)split[k], (long long)set[k],
                 (long long)missing[k]);
        item(&l, text);
    }
    end_list(&l);
    write_wholes(w, "uint32_t", prefix, "words", value, &c[o->array[7]], "u");
}

static void write_forest(writer *w, const program *p, const char *prefix, int value)
{
    const operation *o = &p->operations[value];
    write_wholes(w, "int", prefix, "roots", value, &p->constants[o->array[0]], "");
    write_reals(w, prefix, "leaves", value, &p->constants[o->array[6]], false);
    write_nodes(w, p, prefix, value, trees_have_sets(p, o));
}

/* ---- which arrays, in which order of their numbers ---- */

typedef struct {
    bool plain, turned, whole;
} needs;

static void needs_of(const program *p, const operation *o, needs *of)
{
    bool turned_weights = o->kind == OP_SQUARES || (o->kind == OP_LINEAR && o->n != 1);
    if (o->kind == OP_TREES || (o->kind == OP_CONSTANT && o->n == 1)) return;
    for (int k = 0; k < ARRAYS; k++) {
        if (o->array[k] < 0) continue;
        needs *n = &of[o->array[k]];
        if (p->constants[o->array[k]].whole)
            n->whole = true;
        else if (k == 0 && turned_weights)
            n->turned = true;
        else
            n->plain = true;
    }
}

/* A constant that a function takes as a vector is an array, even of one number. */
static void needs_as_vector(const program *p, const operation *o, needs *of)
{
    for (int k = 0; k < o->operands; k++) {
        const operation *x = &p->operations[o->operand[k]];
        if (x->kind == OP_CONSTANT) of[x->array[0]].plain = true;
    }
}

void c_constants(writer *w, const program *p, const char *prefix)
{
    needs *of = NULL;
    if (w->status == RUNG_OK) w->status = NEW(w->ctx, &w->ctx->scratch, of, p->n_constants);
    if (w->status != RUNG_OK) return;
    const int ends[] = {p->score, p->proba, p->interval};
    for (int i = 0; i < p->n_operations; i++) {
        const operation *o = &p->operations[i];
        bool by_number = (o->kind >= OP_ADD && o->kind <= OP_SELECT) && !(o->kind == OP_EXP && o->n >= 16);
        needs_of(p, o, of);
        if (!by_number) needs_as_vector(p, o, of);
    }
    for (int k = 0; k < 3; k++)
        if (ends[k] != NO_VALUE && p->operations[ends[k]].kind == OP_CONSTANT)
            of[p->operations[ends[k]].array[0]].plain = true;
    for (int i = 0; i < p->n_constants; i++) {
        if (of[i].plain) write_reals(w, prefix, "c", i, &p->constants[i], false);
        if (of[i].turned) write_reals(w, prefix, "t", i, &p->constants[i], true);
        if (of[i].whole) write_wholes(w, "int", prefix, "i", i, &p->constants[i], "");
    }
    for (int i = 0; i < p->n_operations; i++)
        if (p->operations[i].kind == OP_TREES) write_forest(w, p, prefix, i);
}

/* ---- columns ---- */

static bool is_number(const char *text, double *x) { return text_number(text, strlen(text), '.', x) && isfinite(*x); }

/* The numbers by which other texts name the categories of a column: NaN: none. */
static void item_values(listing *l, rung_ctx *ctx, const column_code *c)
{
    category_index *index = NULL;
    pool_mark mark = pool_here(&ctx->scratch);
    if (l->w->status == RUNG_OK) l->w->status = category_index_new(ctx, c, &index);
    for (int64_t k = 0; l->w->status == RUNG_OK && k < c->n_categories; k++) {
        double x;
        bool named = is_number(c->categories[k], &x) && category_of_number(index, x) == k;
        if (!named && category_of_number(index, 1) == k) x = 1, named = true;
        if (!named && category_of_number(index, 0) == k) x = 0, named = true;
        item_number(l, named ? x : (double)NAN);
    }
    pool_release(&ctx->scratch, mark);
}

static bool has_categories(const column_code *c) { return c->nominal || c->form == FORM_ORDINAL; }

static void write_kind(writer *w, const column_code *c, int64_t first)
{
    static const int kinds[] = {0, 0, 0, 2, 3, 3, 4};
    bool dates = c->form == FORM_DAYS || c->form == FORM_CYCLIC, numbers = true;
    category_index *index = NULL;
    long long absent = -1, yes = -1, no = -1;
    double x;
    pool_mark mark = pool_here(&w->ctx->scratch);
    if (has_categories(c) && w->status == RUNG_OK) w->status = category_index_new(w->ctx, c, &index);
    if (index && w->status == RUNG_OK) {
        absent = category_of_number(index, (double)NAN);
        yes = category_of_text(index, "true", '.');
        no = category_of_text(index, "false", '.');
        for (int64_t k = 0; k < c->n_categories; k++)
            numbers = numbers && (!*c->categories[k] || is_number(c->categories[k], &x));
    }
    pool_release(&w->ctx->scratch, mark);
    write_format(w, "    {%d, %d, ", c->nominal ? 1 : kinds[c->form],
                 dates                     ? (int)c->dates
                 : c->form == FORM_COMMA   ? 1
                 : c->form == FORM_GROUPED ? 2
                                           : 0);
    write_c_text(w, c->unit ? c->unit : "");
    write_format(w, ", %lld, %lld, %lld, %lld, %lld, %d}", (long long)first,
                 has_categories(c) ? (long long)c->n_categories : 0, absent, yes, no, numbers);
}

static void write_texts(writer *w, const char *prefix, const char *name, int64_t n, const char *const *text)
{
    write_format(w, "const char *const %s_%s[%lld] = {", prefix, name, (long long)(n > 0 ? n : 1));
    for (int64_t i = 0; i < n; i++) {
        write_text(w, i ? ",\n    " : "\n    ");
        write_c_text(w, text[i]);
    }
    write_text(w, n > 0 ? "};\n" : "\"\"};\n");
}

static void write_categories(writer *w, const coding *code, const char *prefix)
{
    int64_t n = 0;
    listing l = {.w = w};
    write_format(w, "\nstatic const char *const %s_categories[] = {", prefix);
    for (int64_t j = 0; j < code->n_columns; j++)
        for (int64_t k = 0; has_categories(&code->columns[j]) && k < code->columns[j].n_categories; k++) {
            write_text(w, n++ ? ",\n    " : "\n    ");
            write_c_text(w, code->columns[j].categories[k]);
        }
    write_text(w, n ? "};\n" : "\"\"};\n");
    write_format(w, "static const double %s_values[] = {", prefix);
    for (int64_t j = 0; j < code->n_columns; j++)
        if (has_categories(&code->columns[j])) item_values(&l, w->ctx, &code->columns[j]);
    end_list(&l);
}

void c_columns(writer *w, const program *p, const char *prefix)
{
    const coding *code = coding_cells(&p->model->code);
    int64_t first = 0;
    write_categories(w, code, prefix);
    write_format(w, "static const %s_column_kind %s_kinds[] = {\n", prefix, prefix);
    for (int64_t j = 0; j < code->n_columns; j++) {
        if (j) write_text(w, ",\n");
        write_kind(w, &code->columns[j], first);
        first += has_categories(&code->columns[j]) ? code->columns[j].n_categories : 0;
    }
    write_text(w, "};\n\n");
    write_format(w, "const char *const %s_column[%lld] = {", prefix, (long long)code->n_columns);
    for (int64_t j = 0; j < code->n_columns; j++) {
        char name[32];
        write_text(w, j ? ",\n    " : "\n    ");
        write_c_text(w, column_title(code, j, name));
    }
    write_text(w, "};\n");
    write_texts(w, prefix, "class", p->model->code.n_classes, p->model->code.classes);
    write_format(w,
                 "\nint %s_cell(int column, const char *text, double *cell)\n{\n"
                 "    return %s_read(&%s_kinds[column], %s_categories, %s_values, text, cell);\n}\n"
                 "\nconst char *%s_category(int column, int number)\n{\n"
                 "    const %s_column_kind *c = &%s_kinds[column];\n"
                 "    return number >= 0 && number < c->count ? %s_categories[c->first + number] : NULL;\n}\n\n",
                 prefix, prefix, prefix, prefix, prefix, prefix, prefix, prefix, prefix);
}

/* ---- declarations ---- */

void c_about(writer *w, const program *p)
{
    write_format(w,
                 "/* A model of rung %s, method %s, checksum %s, as C99 without dependencies but the C library: no\n"
                 " * memory is allocated, and all data are constant. docs/deploy.md of rung explains it.%s */\n",
                 rung_version(), p->model->method, p->checksum, p->takes_missing ? "" : " No cell\n * may be missing.");
}

void c_declarations(writer *w, const program *p, const char *prefix)
{
    char upper[64];
    const coding *code = &p->model->code;
    size_t n = strlen(prefix);
    for (size_t i = 0; i <= n; i++) upper[i] = (char)toupper((unsigned char)prefix[i]);
    write_format(w, "#ifndef %s_H\n#define %s_H\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n", upper, upper);
    write_format(w, "enum { %s_COLUMNS = %lld, %s_CLASSES = %d, %s_SCORES = %lld };\n", upper,
                 (long long)p->operations[CELLS].n, upper, code->n_classes, upper,
                 (long long)p->operations[p->score].n);
    write_format(w, "extern const char *const %s_column[%lld]; /* the names of the columns */\n", prefix,
                 (long long)p->operations[CELLS].n);
    write_format(w, "extern const char *const %s_class[%d]; /* the names of the classes, lowest first */\n\n", prefix,
                 code->n_classes > 0 ? code->n_classes : 1);
    write_format(w,
                 "typedef struct { /* what the model does not have is 0 */\n"
                 "    int rank;         /* the class, from 1; 0: no answer */\n"
                 "    double score[%lld];\n    double probability[%d];\n"
                 "    double sd;        /* of the latent value whose mean is the score */\n"
                 "    int low, high;    /* the classes of the interval that has the true one with probability ",
                 (long long)p->operations[p->score].n, code->n_classes > 0 ? code->n_classes : 1);
    write_number(w, p->level);
    write_format(
        w,
        " */\n} %s_answer;\n\n"
        "/* The cells are numbers in the order of the columns: categories by their number from 0, ordered words "
        "from 1,\n * dates as days since 1970-01-01, NaN: missing. Returns 0; j: cell j, from 1, cannot be "
        "used; -1: the score\n * overflows. */\n"
        "int %s_predict(const double *cells, %s_answer *answer);\n"
        "/* The number for the text of a cell. Returns 1; 0: the text means nothing in this column. */\n"
        "int %s_cell(int column, const char *text, double *cell);\n"
        "/* The name of a category or word of a column, from 0; NULL past the last. */\n"
        "const char *%s_category(int column, int number);\n\n"
        "#ifdef __cplusplus\n}\n#endif\n#endif\n",
        prefix, prefix, prefix, prefix, prefix);
}
