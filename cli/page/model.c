// SPDX-License-Identifier: BSD-3-Clause
#include "page/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/repeat.h"
#include "data/contents.h"
#include "page/page.h"
#include "page/report_keys.h"

static const char *const head[] = {"Name", "Value", "Meaning"};

/* Names, values and their meanings; nothing where there are none. */
static void params_table(FILE *file, const rung_model *model, const rung_method *m)
{
    const char *name, *value;
    if (!rung_model_param_at(model, 0, &value)) return;
    page_table_begin(file, &(page_table){"Parameters", 3, head, 1, false});
    for (int i = 0; (name = rung_model_param_at(model, i, &value)); i++) {
        const rung_param *p = m ? rung_method_param_find(m, name) : NULL;
        page_row(file, name);
        page_number(file, NAN, 0, value ? value : "none", false);
        page_cell(file, "%s", p ? p->help : "");
    }
    page_table_end(file);
}

/* A single number in a narrow cell; lists, which may be long, in one that wraps. */
static void report_table(FILE *file, const rung_model *model)
{
    const double *value;
    const char *name;
    int64_t n;
    if (!rung_model_report_at(model, 0, &value, &n)) return;
    page_table_begin(file, &(page_table){"Reported by the fit", 3, head, 1, false});
    for (int i = 0; (name = rung_model_report_at(model, i, &value, &n)); i++) {
        page_row(file, name);
        if (n < 0) {
            char text[32];
            snprintf(text, sizeof text, "%.6g", *value);
            page_number(file, *value, 0, text, false);
        } else {
            char *text = numbers_text(n, value, ", ");
            page_cell(file, "[%s]", text);
            free(text);
        }
        page_cell(file, "%s", report_key_meaning(name));
    }
    page_table_end(file);
}

void page_model(FILE *file, const rung_model *model)
{
    const rung_method *m = rung_method_find(rung_model_method(model));
    if (m) page_paragraph(file, "%s: %s. %s", m->name, m->title, m->reference);
    page_paragraph(file, "Fitted to %lld rows, %lld of them labelled.", (long long)rung_model_rows(model),
                   (long long)rung_model_labelled(model));
    params_table(file, model, m);
    report_table(file, model);
}

static void add_word(char **line, const char *word)
{
    char *quoted = shell_word(word);
    text_add(line, " %s", quoted);
    free(quoted);
}

static void add_option(char **line, const char *name, const char *value)
{
    add_word(line, name);
    add_word(line, value);
}

/* --order, for classes that do not order themselves as numbers do. */
static void add_order(char **line, const rung_model *model)
{
    bool ordered = true; /* numbers, from the smallest to the largest */
    double last = -INFINITY, x = 0;
    char *order = text_of("%s", "");
    for (int k = 1; k <= rung_model_classes(model); k++) {
        const char *name = rung_model_class_name(model, k);
        ordered = ordered && parse_double(name, &x) && x > last;
        last = x;
        text_add(&order, "%s%s", k > 1 ? "<" : "", name);
    }
    if (!ordered) add_option(line, "--order", order);
    free(order);
}

/* The command that fits such a model, as far as the model file tells. */
static char *fit_line(const rung_model *model, const rung_method *m, const char *path)
{
    char *line = text_of("rung fit TRAINING.csv --method %s", m->name);
    const char *name, *value, *label = rung_model_label(model), *scale = rung_model_scale(model);
    for (int i = 0; (name = rung_model_param_at(model, i, &value)); i++) {
        const rung_param *p = rung_method_param_find(m, name);
        if (!value || (p && p->default_value && !strcmp(p->default_value, value))) continue;
        char *pair = text_of("%s=%s", name, value);
        add_option(&line, "--param", pair);
        free(pair);
    }
    if (*label && strcmp(label, "label")) add_option(&line, "--label", label);
    if (rung_model_is_real(model))
        add_word(&line, "--real");
    else
        add_order(&line, model);
    if (strcmp(scale, "standard")) add_option(&line, "--scale", scale);
    add_option(&line, "--output", path);
    return line;
}

/* What the model says about how it was made, but for the lines that stand above. */
static void notes_table(FILE *file, const rung_model *model)
{
    static const char *const columns[] = {"Fact", "Value"};
    const char *fact, *value;
    page_table_begin(file, &(page_table){"How the model was made", 2, columns, 1, false});
    for (int i = 0; (fact = rung_model_note_at(model, i, &value)); i++) {
        if (!strcmp(fact, "command") || !strcmp(fact, "call")) continue;
        page_row(file, fact);
        page_cell(file, "%s", value);
    }
    page_row(file, "rung");
    page_cell(file, "%s", rung_model_library(model));
    page_table_end(file);
}

static const char *note_of(const rung_model *model, const char *name)
{
    const char *fact, *value;
    for (int i = 0; (fact = rung_model_note_at(model, i, &value)); i++)
        if (!strcmp(fact, name)) return value;
    return NULL;
}

void page_repeat(FILE *file, const char *command_name, const arguments *args, const char *path, const rung_model *model)
{
    const rung_method *m = rung_method_find(rung_model_method(model));
    const char *command = note_of(model, "command"), *call = note_of(model, "call");
    if (command) {
        char *word = shell_word(path), *line = text_of("%s --output %s", command, word);
        page_paragraph(file, "The model was made by:");
        page_code(file, line);
        free(line);
        free(word);
    } else if (call) {
        page_paragraph(file, "The model was made by:");
        page_code(file, call);
    } else if (m) {
        char *line = fit_line(model, m, path);
        page_paragraph(file, "The file does not say by which command the model was made; this one makes such a model:");
        page_code(file, line);
        free(line);
    }
    notes_table(file, model);
    page_paragraph(file, "The same data, seed and version of rung give the same model to the last bit.");
    page_paragraph(file, "This page was made by rung %s:", rung_version());
    page_command_line(file, command_name, args);
}
