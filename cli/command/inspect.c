// SPDX-License-Identifier: BSD-3-Clause
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "datafile.h"
#include "json_out.h"
#include "output.h"

static const option *const tables[] = {global_options, NULL};

enum { MARGIN = 15 };

/* One entry of the page: its name, then text that is built with fprintf and wrapped when it ends. */
typedef struct {
    FILE *stream;
    char *text;
    size_t size;
} entry;

static FILE *entry_open(entry *e, const char *name)
{
    printf("%-*s", MARGIN, name);
    *e = (entry){0};
    e->stream = open_memstream(&e->text, &e->size);
    if (!e->stream) {
        complain("out of memory");
        exit(FAILED);
    }
    return e->stream;
}

static void entry_close(entry *e)
{
    fclose(e->stream);
    make_printable(e->text);
    wrap_text(stdout, e->text, MARGIN, MARGIN);
    free(e->text);
}

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* Numbers with six digits; --json has the exact ones. */
static void put_value(FILE *f, const json_t *value)
{
    size_t i;
    json_t *item;
    if (json_is_real(value))
        fprintf(f, "%.6g", json_real_value(value));
    else if (json_is_string(value))
        fputs(json_string_value(value), f);
    else if (json_is_null(value))
        fputs("none", f);
    else if (json_is_array(value))
        json_array_foreach(value, i, item)
        {
            if (i) fputc(',', f);
            put_value(f, item);
        }
    else
        jout_write(f, value, 1);
}

static void put_pairs(FILE *f, const json_t *object)
{
    const char *key, *between = "";
    json_t *value;
    if (!json_object_size(object)) fputs("none", f);
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        if (json_is_null(value)) continue;
        fprintf(f, "%s%s=", between, key);
        put_value(f, value);
        between = " ";
    }
}

static bool in_list(const json_t *list, const char *text)
{
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item) if (!strcmp(json_string_value(item), text)) return true;
    return false;
}

static void print_classes(const json_t *about)
{
    entry e;
    FILE *f = entry_open(&e, "classes");
    const json_t *present = json_object_get(about, "present");
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(about, "classes"), i, item)
    {
        const char *name = json_string_value(item);
        fprintf(f, "%s%s%s", i ? " < " : "", name, in_list(present, name) ? "" : " (no labelled rows)");
    }
    entry_close(&e);
}

static void print_columns(const json_t *preprocessing)
{
    entry e;
    FILE *f = entry_open(&e, "columns");
    size_t i, c;
    json_t *column, *category;
    json_array_foreach(json_object_get(preprocessing, "columns"), i, column)
    {
        const char *name = text_at(column, "name");
        if (i) fputs(", ", f);
        if (*name)
            fputs(name, f);
        else
            fprintf(f, "x%zu", i + 1);
        const json_t *categories = json_object_get(column, "categories");
        if (!categories) continue;
        fputs(" (", f);
        json_array_foreach(categories, c, category)
            fprintf(f, "%s%s", c ? ", " : "", *json_string_value(category) ? json_string_value(category) : "missing");
        fputc(')', f);
    }
    entry_close(&e);
}

/* The members of an average, the heaviest first. */
static int heavier(const void *a, const void *b)
{
    double x = json_real_value(json_object_get(*(json_t *const *)a, "weight"));
    double y = json_real_value(json_object_get(*(json_t *const *)b, "weight"));
    return (x < y) - (x > y);
}

static void print_members(const json_t *members)
{
    size_t n = json_array_size(members);
    const json_t **order = allocate(n + 1, sizeof *order);
    for (size_t i = 0; i < n; i++) order[i] = json_array_get(members, i);
    qsort(order, n, sizeof *order, heavier);
    for (size_t i = 0; i < n; i++) {
        const json_t *one = order[i], *kernel = json_object_get(one, "kernel"),
                     *neighbours = json_object_get(one, "neighbours");
        entry e;
        FILE *f = entry_open(&e, i ? "" : "members");
        fprintf(f, "%.3f %s", json_real_value(json_object_get(one, "weight")), text_at(one, "kind"));
        if (json_is_object(kernel) || json_is_object(neighbours))
            fprintf(f, " (%s", *text_at(one, "features") == 'r' ? "ranked columns" : "columns");
        if (json_is_object(kernel)) {
            fprintf(f, ", %s", text_at(kernel, "kind"));
            if (json_object_get(kernel, "gamma"))
                fprintf(f, " gamma=%.3g", json_real_value(json_object_get(kernel, "gamma")));
            if (json_object_get(one, "variance"))
                fprintf(f, " variance=%g", json_real_value(json_object_get(one, "variance")));
        }
        if (json_is_object(neighbours))
            fprintf(f, ", %lld neighbours, power=%g",
                    (long long)json_integer_value(json_object_get(neighbours, "count")),
                    json_real_value(json_object_get(one, "power")));
        if (json_is_object(kernel) || json_is_object(neighbours)) fputc(')', f);
        entry_close(&e);
    }
    free(order);
}

/* The number of trees, and the columns by the gain of their splits, largest first; columns without a split are
 * omitted. */
static void print_trees(const json_t *trees)
{
    json_t *gain = json_object_get(trees, "gain"), *value;
    size_t n = json_object_size(gain), used = 0;
    const char **name = allocate(n + 1, sizeof *name), *key;
    entry e;
    fprintf(entry_open(&e, "trees"), "%lld with %lld leaves",
            (long long)json_integer_value(json_object_get(trees, "count")),
            (long long)json_integer_value(json_object_get(trees, "leaves")));
    entry_close(&e);
    json_object_foreach(gain, key, value)
    {
        double share = json_real_value(value);
        size_t at = used++;
        for (; at > 0 && json_real_value(json_object_get(gain, name[at - 1])) < share; at--) name[at] = name[at - 1];
        name[at] = key;
    }
    FILE *f = entry_open(&e, "gain");
    for (size_t i = 0; i < used; i++) {
        double share = json_real_value(json_object_get(gain, name[i]));
        if (share > 0) fprintf(f, "%s%s %.1f %%", i ? ", " : "", name[i], 100 * share);
    }
    entry_close(&e);
    free(name);
}

static void print_page(const char *path, const rung_model *model, const json_t *about)
{
    const rung_method *method = rung_method_find(text_at(about, "method"));
    const json_t *preprocessing = json_object_get(about, "preprocessing"), *kernel = json_object_get(about, "kernel"),
                 *thresholds = json_object_get(about, "thresholds"), *report = json_object_get(about, "report");
    long long expansion = json_integer_value(json_object_get(about, "n_expansion"));
    long long kept = json_integer_value(json_object_get(about, "kept_rows"));
    const char *label = text_at(preprocessing, "label");
    rung_metrics cv = {.size = sizeof cv};
    entry e;

    fprintf(entry_open(&e, "model"), "%s", path);
    entry_close(&e);
    fprintf(entry_open(&e, "method"), "%s%s%s", text_at(about, "method"), method ? ", " : "",
            method ? method->title : "");
    entry_close(&e);
    put_pairs(entry_open(&e, "parameters"), json_object_get(about, "params"));
    entry_close(&e);
    if (json_is_object(kernel)) {
        put_pairs(entry_open(&e, "kernel"), kernel);
        entry_close(&e);
    }
    print_classes(about);
    if (json_array_size(json_object_get(about, "members"))) print_members(json_object_get(about, "members"));
    if (json_is_object(json_object_get(about, "trees"))) print_trees(json_object_get(about, "trees"));
    if (json_is_array(thresholds)) {
        put_value(entry_open(&e, "thresholds"), thresholds);
        entry_close(&e);
    }
    fprintf(entry_open(&e, "fitted to"), "%lld rows, %lld labelled",
            (long long)json_integer_value(json_object_get(about, "rows")),
            (long long)json_integer_value(json_object_get(about, "labelled")));
    entry_close(&e);
    print_columns(preprocessing);
    fprintf(entry_open(&e, "label column"), "%s", *label ? label : "without a name");
    entry_close(&e);
    fprintf(entry_open(&e, "scaling"), "%s", text_at(preprocessing, "scale"));
    entry_close(&e);
    if (rung_model_cv(model, &cv)) {
        fprintf(entry_open(&e, "error"), "mae %.3f (%.3f to %.3f) over %lld held-out rows", cv.mae, cv.mae_low,
                cv.mae_high, (long long)cv.n);
    } else {
        fputs("not estimated by the fit", entry_open(&e, "error"));
    }
    entry_close(&e);
    fputs(rung_model_has_probabilities(model) ? "yes" : "no", entry_open(&e, "probabilities"));
    entry_close(&e);
    const char *intervals = rung_model_interval(model);
    fputs(intervals ? intervals : "none", entry_open(&e, "intervals"));
    entry_close(&e);
    if (json_object_size(report)) {
        put_pairs(entry_open(&e, "report"), report);
        entry_close(&e);
    }
    if (json_is_true(json_object_get(about, "contains_training_rows")))
        fprintf(entry_open(&e, "privacy"), "the file contains %lld scaled training rows", kept > 0 ? kept : expansion);
    else
        fputs("the file contains no training rows", entry_open(&e, "privacy"));
    entry_close(&e);
    fprintf(entry_open(&e, "written by"), "rung %s, file format %lld", text_at(about, "library"),
            (long long)json_integer_value(json_object_get(about, "format")));
    entry_close(&e);
}

static int inspect_run(session *s, const arguments *args)
{
    const char *path = operand(args, 0);
    rung_model *model;
    char *text = NULL;
    int code = load_model(s, path, &model);
    if (code != EXIT_OK) return code;
    code = session_check(s, rung_model_describe(s->ctx, model, &text));
    if (code == EXIT_OK && s->json) {
        puts(text);
    } else if (code == EXIT_OK) {
        json_t *about = jout_parse(text);
        print_page(path, model, about);
        json_decref(about);
    }
    rung_free(text);
    rung_model_free(model);
    return code;
}

static const example examples[] = {{"rung inspect model.rung", "method, parameters, classes, thresholds, columns"},
                                   {"rung inspect model.rung --json", "the same, for use in a program"},
                                   {0}};

const command command_inspect = {.name = "inspect",
                                 .operands = "MODEL",
                                 .help = "show the contents of a model",
                                 .about = "",
                                 .options = tables,
                                 .examples = examples,
                                 .run = inspect_run};
