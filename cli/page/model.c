// SPDX-License-Identifier: BSD-3-Clause
#include "page/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page/page.h"
#include "page/report_keys.h"

/* One number in a narrow cell; texts and lists, which may be long, in one that wraps. */
static void value_cell(FILE *file, const json_t *value)
{
    if (json_is_number(value)) {
        char text[32];
        snprintf(text, sizeof text, "%.6g", json_number_value(value));
        page_number(file, json_number_value(value), 0, text, false);
    } else if (json_is_string(value)) {
        page_number(file, NAN, 0, json_string_value(value), false);
    } else {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
        page_cell(file, "%s", text ? text : "");
        free(text);
    }
}

/* Names, values and their meanings; nothing where there are none. */
static void model_table(FILE *file, const char *caption, json_t *object, const rung_method *params_of)
{
    static const char *const head[] = {"Name", "Value", "Meaning"};
    const char *key;
    json_t *value;
    if (!json_object_size(object)) return;
    page_table_begin(file, &(page_table){caption, 3, head, 1, false});
    json_object_foreach(object, key, value)
    {
        const rung_param *p = params_of ? rung_method_param_find(params_of, key) : NULL;
        page_row(file, key);
        value_cell(file, value);
        page_cell(file, "%s", p ? p->help : report_key_meaning(key));
    }
    page_table_end(file);
}

void page_model(FILE *file, json_t *about, const rung_method *m)
{
    if (m) page_paragraph(file, "%s: %s. %s", m->name, m->title, m->reference);
    page_paragraph(file, "Fitted to %lld rows, %lld of them labelled.",
                   (long long)json_integer_value(json_object_get(about, "rows")),
                   (long long)json_integer_value(json_object_get(about, "labelled")));
    model_table(file, "Parameters", json_object_get(about, "params"), m);
    model_table(file, "Reported by the fit", json_object_get(about, "report"), NULL);
}

static void add_word(char **line, const char *word)
{
    char *quoted = page_quoted(word), *more = text_of("%s %s", *line, quoted);
    free(quoted);
    free(*line);
    *line = more;
}

static void add_option(char **line, const char *name, const char *value)
{
    add_word(line, name);
    add_word(line, value);
}

/* --order, for classes that do not order themselves as numbers do. */
static void add_order(char **line, const json_t *classes)
{
    bool numbers = true;
    char *order = text_of("%s", "");
    size_t i;
    json_t *item;
    json_array_foreach(classes, i, item)
    {
        double ignored;
        numbers = numbers && parse_double(json_string_value(item), &ignored);
        char *more = text_of("%s%s%s", order, i ? "<" : "", json_string_value(item));
        free(order);
        order = more;
    }
    if (!numbers) add_option(line, "--order", order);
    free(order);
}

/* The command that fits such a model, as far as the model file tells. */
static char *fit_line(const json_t *about, const rung_method *m, const char *path)
{
    char *line = text_of("rung fit TRAINING.csv --method %s", m->name);
    const json_t *coding = json_object_get(about, "preprocessing");
    const char *key, *label = json_string_value(json_object_get(coding, "label")),
                     *scale = json_string_value(json_object_get(coding, "scale")),
                     *target = json_string_value(json_object_get(about, "target"));
    json_t *value;
    json_object_foreach(json_object_get(about, "params"), key, value)
    {
        const rung_param *p = rung_method_param_find(m, key);
        const char *text = json_string_value(value);
        if (!text || (p && p->default_value && !strcmp(p->default_value, text))) continue;
        char *pair = text_of("%s=%s", key, text);
        add_option(&line, "--param", pair);
        free(pair);
    }
    if (label && strcmp(label, "label")) add_option(&line, "--label", label);
    if (target && !strcmp(target, "real"))
        add_word(&line, "--real");
    else
        add_order(&line, json_object_get(about, "classes"));
    if (scale && strcmp(scale, "standard")) add_option(&line, "--scale", scale);
    add_option(&line, "--output", path);
    return line;
}

void page_repeat(FILE *file, const arguments *args, const json_t *about, const rung_method *m)
{
    if (m) {
        char *line = fit_line(about, m, operand(args, 0));
        page_paragraph(file, "Fit the model to the same training data, with the same seed and rung %s:",
                       json_string_value(json_object_get(about, "library")));
        page_code(file, line);
        free(line);
    }
    page_paragraph(file, "Then evaluate it (this page: rung %s):", rung_version());
    page_command_line(file, "evaluate", args);
}
