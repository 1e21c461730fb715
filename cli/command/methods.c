// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>
#include <string.h>

#include "core/command.h"
#include "core/json_out.h"
#include "core/output.h"

static const option *const tables[] = {global_options, NULL};

static const struct {
    unsigned flag;
    const char *name, *words;
} method_flags[] = {{RUNG_METHOD_NEEDS_LABELS, "needs_labels", "needs labelled rows"},
                    {RUNG_METHOD_NEEDS_TWO_CLASSES, "needs_two_classes", "needs labels of at least two classes"},
                    {RUNG_METHOD_USES_UNLABELLED, "uses_unlabelled", "also learns from unlabelled rows"},
                    {RUNG_METHOD_REAL_TARGETS, "real_targets", "supports real targets"},
                    {RUNG_METHOD_TRANSDUCTIVE, "transductive", "predicts its own training rows"},
                    {RUNG_METHOD_WEIGHTS, "weights", "supports class and row weights"},
                    {RUNG_METHOD_UPDATABLE, "updatable", "can be updated with new rows"},
                    {RUNG_METHOD_PROBABILITIES, "probabilities", "has its own probabilities"},
                    {RUNG_METHOD_EVIDENCE, "evidence", "reports its log evidence, by which a search can select"},
                    {RUNG_METHOD_INTERVALS, "intervals", "supports labels that are intervals, such as 2..4"},
                    {RUNG_METHOD_PASSES, "streams", "can be fitted to data larger than memory"}};
enum { FLAGS = sizeof method_flags / sizeof *method_flags };

static const char *const type_names[] = {
    [RUNG_TYPE_REAL] = "real", [RUNG_TYPE_INT] = "int", [RUNG_TYPE_CHOICE] = "choice", [RUNG_TYPE_TEXT] = "text"};

/* ---- JSON ---- */

/* A number if the parameter is numeric and the text is a number; else the text. */
static json_t *value_json(const rung_param *p, const char *text)
{
    double x;
    long long whole;
    if (text && p->type == RUNG_TYPE_INT && parse_whole(text, INT64_MIN, INT64_MAX, &whole)) return json_integer(whole);
    if (text && p->type == RUNG_TYPE_REAL && parse_double(text, &x)) return json_real(x);
    return jout_text(text);
}

static json_t *list_json(const rung_param *p, const char *list, char separator)
{
    if (!list) return json_null();
    json_t *all = json_array();
    char item[128];
    for (const char between[] = {separator, 0}; *list;) {
        size_t n = strcspn(list, between);
        snprintf(item, sizeof item, "%.*s", (int)n, list);
        json_array_append_new(all, value_json(p, item));
        list += n + (list[n] != 0);
    }
    return all;
}

static json_t *param_json(const rung_param *p)
{
    bool number = p->type == RUNG_TYPE_REAL || p->type == RUNG_TYPE_INT;
    json_t *all = json_object();
    json_object_set_new(all, "name", jout_text(p->name));
    json_object_set_new(all, "type", jout_text(type_names[p->type]));
    json_object_set_new(all, "default", value_json(p, p->default_value));
    json_object_set_new(all, "published", value_json(p, p->published));
    json_object_set_new(all, "low", number ? jout_number(p->low) : json_null());
    json_object_set_new(all, "low_open", json_boolean(number && p->flags & RUNG_PARAM_OPEN_LOW));
    json_object_set_new(all, "high", number ? jout_number(p->high) : json_null());
    json_object_set_new(all, "log", json_boolean(p->flags & RUNG_PARAM_LOG));
    json_object_set_new(all, "choices", list_json(p, p->choices, '|'));
    json_object_set_new(all, "grid", list_json(p, p->grid, ','));
    json_object_set_new(all, "auto", json_boolean(p->flags & RUNG_PARAM_AUTO));
    json_object_set_new(all, "help", jout_text(p->help));
    return all;
}

static json_t *method_json(const rung_method *m)
{
    json_t *all = json_object(), *flags = json_array(), *params = json_array();
    for (int i = 0; i < FLAGS; i++)
        if (m->flags & method_flags[i].flag) json_array_append_new(flags, jout_text(method_flags[i].name));
    const rung_param *p;
    for (int i = 0; (p = rung_method_param_at(m, i)); i++) json_array_append_new(params, param_json(p));
    json_object_set_new(all, "name", jout_text(m->name));
    json_object_set_new(all, "title", jout_text(m->title));
    json_object_set_new(all, "reference", jout_text(m->reference));
    json_object_set_new(all, "cost", jout_text(m->cost));
    json_object_set_new(all, "flags", flags);
    json_object_set_new(all, "params", params);
    return all;
}

/* ---- text ---- */

/* "above 0", "from 1 to 100, exact, or auto", "kernel|identity" */
static void allowed(const rung_param *p, char *text, size_t size)
{
    *text = 0;
    if (p->type == RUNG_TYPE_CHOICE) {
        snprintf(text, size, "%s", p->choices);
    } else if (p->type == RUNG_TYPE_REAL || p->type == RUNG_TYPE_INT) {
        char more[64];
        snprintf(more, sizeof more, "%s%s%s", p->choices ? ", " : "", p->choices ? p->choices : "",
                 p->flags & RUNG_PARAM_AUTO ? ", or auto" : "");
        bool open = p->flags & RUNG_PARAM_OPEN_LOW;
        if (isinf(p->low) && isinf(p->high))
            snprintf(text, size, "any number%s", more);
        else if (isinf(p->high))
            snprintf(text, size, "%s %g%s", open ? "above" : "from", p->low, more);
        else if (isinf(p->low))
            snprintf(text, size, "up to %g%s", p->high, more);
        else
            snprintf(text, size, "%s %g to %g%s", open ? "above" : "from", p->low, p->high, more);
    }
}

static const char *or_dash(const char *text) { return text && *text ? text : "-"; }

static void print_method(const rung_method *m)
{
    printf("%s: %s\n\n  ", m->name, m->title);
    wrap_text(stdout, m->reference, 2, 2);
    printf("  cost: %s\n", m->cost);
    for (int i = 0; i < FLAGS; i++)
        if (m->flags & method_flags[i].flag) printf("  %s\n", method_flags[i].words);
    printf("\n");
    if (!rung_method_param_at(m, 0)) {
        printf("It has no parameters.\n");
        return;
    }
    const rung_param *p;
    sheet t = sheet_new("llll");
    sheet_add(&t, "parameter");
    sheet_add(&t, "default");
    sheet_add(&t, "published");
    sheet_add(&t, "allowed");
    for (int i = 0; (p = rung_method_param_at(m, i)); i++) {
        char range[128];
        allowed(p, range, sizeof range);
        sheet_add(&t, "%s", p->name);
        sheet_add(&t, "%s", or_dash(p->default_value));
        sheet_add(&t, "%s", or_dash(p->published));
        sheet_add(&t, "%s", range);
    }
    sheet_print(&t, stdout, "");
    printf("\n");
    for (int i = 0; (p = rung_method_param_at(m, i)); i++) {
        printf("  %s\n      ", p->name);
        wrap_text(stdout, p->help, 6, 6);
        if (p->grid) printf("      grid: %s\n", p->grid);
    }
}

static void print_methods(void)
{
    const rung_method *m;
    sheet t = sheet_new("lll");
    sheet_add(&t, "method");
    sheet_add(&t, "title");
    sheet_add(&t, "learns from");
    for (int i = 0; (m = rung_method_at(i)); i++) {
        sheet_add(&t, "%s", m->name);
        sheet_add(&t, "%s", m->title);
        sheet_add(&t, "%s", m->flags & RUNG_METHOD_USES_UNLABELLED ? "all rows" : "labelled rows");
    }
    sheet_print(&t, stdout, "");
    printf("\n'rung methods METHOD' shows the reference, cost and parameters of a method.\n");
}

static int methods_run(session *s, const arguments *args)
{
    const char *name = operand(args, 0);
    const rung_method *one = name ? rung_method_find(name) : NULL, *m;
    if (name && !one) {
        rung_spec *spec;
        return session_check(s, rung_spec_new(s->ctx, name, 0, &spec)); /* for its message with the nearest name */
    }
    if (s->json) {
        json_t *all = json_array();
        for (int i = 0; (m = rung_method_at(i)); i++)
            if (!one || m == one) json_array_append_new(all, method_json(m));
        jout_print(all);
    } else if (one) {
        print_method(one);
    } else {
        print_methods();
    }
    return EXIT_OK;
}

static const example examples[] = {{"rung methods", "list all methods"},
                                   {"rung methods kdlor", "explain one method and its parameters"},
                                   {"rung methods --json", "everything, for use in a program"},
                                   {0}};

const command command_methods = {.name = "methods",
                                 .operands = "[METHOD]",
                                 .help = "list the methods, or explain one",
                                 .about = "",
                                 .options = tables,
                                 .examples = examples,
                                 .run = methods_run};
