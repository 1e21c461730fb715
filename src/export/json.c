// SPDX-License-Identifier: BSD-3-Clause
/* The program itself, as JSON: docs/model-program.md. */
#include "export/target.h"

static const char *kind_of(const column_code *c)
{
    static const char *const kinds[] = {"number", "number", "number", "ordered", "date", "date", "hours"};
    return c->nominal ? "category" : kinds[c->form];
}

static void write_column(writer *w, const coding *code, int64_t j)
{
    const column_code *c = &code->columns[j];
    char name[32];
    bool numbers = !c->nominal && (c->form == FORM_PLAIN || c->form == FORM_COMMA || c->form == FORM_GROUPED);
    write_text(w, "{\"name\": ");
    write_json_text(w, column_title(code, j, name));
    write_format(w, ", \"kind\": \"%s\"", kind_of(c));
    if (numbers && c->form != FORM_PLAIN) write_format(w, ", \"written\": \"%s\"", form_name(c->form));
    if (!c->nominal && (c->form == FORM_DAYS || c->form == FORM_CYCLIC))
        write_format(w, ", \"written\": \"%s\"", date_order_name(c->dates));
    if (numbers && c->unit) {
        write_text(w, ", \"unit\": ");
        write_json_text(w, c->unit);
    }
    write_text(w, ", \"typical\": ");
    write_number(w, c->nominal ? (double)c->common : c->fill);
    if (c->known && !c->nominal && c->form != FORM_ORDINAL) {
        write_text(w, ", \"range\": [");
        write_number(w, c->low);
        write_text(w, ", ");
        write_number(w, c->high);
        write_text(w, "]");
    }
    if (c->nominal || c->form == FORM_ORDINAL) {
        write_text(w, ", \"categories\": [");
        for (int64_t k = 0; k < c->n_categories; k++) {
            if (k) write_text(w, ", ");
            write_json_text(w, c->categories[k]);
        }
        write_text(w, "]");
    }
    write_text(w, "}");
}

static void write_constant(writer *w, const constant *c)
{
    int64_t n = c->rows * c->columns;
    write_format(w, "{\"rows\": %lld, \"columns\": %lld, \"values\": [", (long long)c->rows, (long long)c->columns);
    for (int64_t i = 0; i < n; i++) {
        if (i) write_text(w, ",");
        if (c->real)
            write_number(w, c->real[i]);
        else
            write_format(w, "%lld", (long long)c->whole[i]);
    }
    write_text(w, "]}");
}

static void write_operation(writer *w, const operation *o)
{
    const op_description *d = &op_table[o->kind];
    write_format(w, "{\"op\": \"%s\", \"n\": %lld", d->name, (long long)o->n);
    for (int i = 0; i < o->operands; i++) write_format(w, "%s%d", i ? ", " : ", \"of\": [", o->operand[i]);
    if (o->operands) write_text(w, "]");
    for (int i = 0; i < ARRAYS && d->array[i]; i++)
        if (o->array[i] >= 0) write_format(w, ", \"%s\": %d", d->array[i], o->array[i]);
    for (int i = 0; i < OP_NUMBERS && d->number[i]; i++) {
        write_format(w, ", \"%s\": ", d->number[i]);
        write_number(w, o->number[i]);
    }
    write_text(w, "}");
}

static void write_results(writer *w, const program *p)
{
    const struct {
        const char *name;
        int value;
    } results[] = {
        {"rank", p->rank}, {"score", p->score}, {"probabilities", p->proba}, {"sd", p->sd}, {"interval", p->interval}};
    const char *between = "";
    write_text(w, "\"results\": {");
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        if (results[i].value == NO_VALUE) continue;
        write_format(w, "%s\"%s\": %d", between, results[i].name, results[i].value);
        between = ", ";
    }
    write_text(w, "}\n");
}

void export_json(const program *p, const export_words *names, writer *w)
{
    const coding *code = &p->model->code;
    (void)names;
    write_format(w, "{\n\"format\": \"rung program\",\n\"version\": 1,\n\"rung\": \"%s\",\n\"checksum\": \"%s\",\n",
                 rung_version(), p->checksum);
    write_format(w, "\"method\": \"%s\",\n\"label\": ", p->model->method);
    write_json_text(w, code->label ? code->label : "");
    write_text(w, ",\n\"classes\": [");
    for (int k = 0; k < code->n_classes; k++) {
        if (k) write_text(w, ", ");
        write_json_text(w, code->classes[k]);
    }
    write_text(w, "],\n\"level\": ");
    write_number(w, p->level);
    const coding *cells = coding_cells(code);
    write_format(w, ",\n\"takes_missing\": %s,\n\"columns\": [", p->takes_missing ? "true" : "false");
    for (int64_t j = 0; j < cells->n_columns; j++) {
        write_text(w, j ? ",\n" : "\n");
        write_column(w, cells, j);
    }
    write_text(w, "],\n\"constants\": [");
    for (int i = 0; i < p->n_constants; i++) {
        write_text(w, i ? ",\n" : "\n");
        write_constant(w, &p->constants[i]);
    }
    write_text(w, "],\n\"operations\": [");
    for (int i = 0; i < p->n_operations; i++) {
        write_text(w, i ? ",\n" : "\n");
        write_operation(w, &p->operations[i]);
    }
    write_text(w, "],\n");
    write_results(w, p);
    write_text(w, "}\n");
}
