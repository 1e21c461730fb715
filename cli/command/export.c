// SPDX-License-Identifier: BSD-3-Clause
#include <stdlib.h>
#include <string.h>

#include "core/command.h"
#include "core/json_out.h"
#include "core/output.h"
#include "data/datafile.h"

#define GROUP "Export"
static const option export_options[] = {
    {"output", 'o', "FILE",
     "file to write; its ending says what: .c (and the header beside it), .h, .onnx, .html or .json", GROUP},
    {"name", 0, "PREFIX", "with .c: what the names in it begin with (default: rung_model)", GROUP},
    {"with-rows", 0, NULL, "allow training rows in FILE, which a model that contains them needs to predict", GROUP},
    {"level", 0, "P", "the probability that prediction intervals contain the true class (default: 0.9)", GROUP},
    {"title", 0, "TEXT", "with .html: the title of the page (default: what is predicted)", GROUP},
    {"text", 0, "TEXT", "with .html: what stands below the title", GROUP},
    {"disclaimer", 0, "TEXT", "with .html: what stands at the end (default: that a model can be wrong)", GROUP},
    {0}};
static const option *const tables[] = {export_options, global_options, NULL};

/* What the ending of the file says; NULL, printed: nothing that there is. */
static const char *target_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.'), *name;
    char *list = text_of("%s", "");
    for (int i = 0; (name = rung_export_target(i)); i++) {
        if (dot && !strcmp(dot + 1, name)) {
            free(list);
            return name;
        }
        text_add(&list, "%s.%s", i ? ", " : "", name);
    }
    complain("export: the ending of %s does not say what to write; give --output FILE that ends in one of: %s", path,
             list);
    free(list);
    return NULL;
}

static const char *size_text(int64_t bytes, char text[32])
{
    double kib = (double)bytes / 1024;
    snprintf(text, 32, kib < 1024 ? "%.1f KiB" : "%.1f MiB", kib < 1024 ? kib : kib / 1024);
    return text;
}

static int take_options(const arguments *args, rung_export_options *out)
{
    const char *level = option_value(args, "level");
    *out = (rung_export_options){.size = sizeof *out,
                                 .with_rows = option_given(args, "with-rows"),
                                 .prefix = option_value(args, "name"),
                                 .title = option_value(args, "title"),
                                 .text = option_value(args, "text"),
                                 .disclaimer = option_value(args, "disclaimer")};
    if (level && (!parse_double(level, &out->level) || !(out->level > 0 && out->level < 1))) {
        complain("export: --level '%s': expected a number between 0 and 1", level);
        return USAGE;
    }
    return EXIT_OK;
}

static int write_file(session *s, const char *path, const char *bytes, int64_t size)
{
    char text[32];
    output o;
    if (!s->quiet) say(stderr, "size        %s\n", size_text(size, text));
    if (!output_open(&o, path)) return FAILED;
    fwrite(bytes, 1, (size_t)size, o.file);
    if (!output_keep(&o)) return FAILED;
    if (!s->quiet) say(stderr, "written     %s\n", path);
    return EXIT_OK;
}

static void print_json(const char *from, const char *path, const char *target, int64_t size, int64_t rows)
{
    json_t *all = json_object();
    json_object_set_new(all, "model", jout_text(from));
    json_object_set_new(all, "written", jout_text(path));
    json_object_set_new(all, "form", jout_text(target));
    json_object_set_new(all, "bytes", json_integer(size));
    json_object_set_new(all, "rows", json_integer(rows));
    jout_print(all);
}

/* One form of the model. */
static int export_form(session *s, const char *from, const rung_model *model, const char *path, const char *target,
                       const rung_export_options *options)
{
    char *bytes = NULL;
    int64_t size = 0;
    int code = session_check(s, rung_model_export(s->ctx, model, target, options, &bytes, &size));
    if (code == EXIT_OK) code = write_file(s, path, bytes, size);
    if (code == EXIT_OK && s->json) print_json(from, path, target, size, rung_model_export_rows(model));
    rung_free(bytes);
    return code;
}

/* A file in C has its header beside it. */
static int export_model(session *s, const char *from, const char *path, const char *target,
                        const rung_export_options *options)
{
    rung_model *model = NULL;
    char *header = strcmp(target, "c") ? NULL : text_of("%.*s.h", (int)strlen(path) - 2, path);
    int code = load_model(s, from, &model);
    bool json = s->json;
    s->json = json && !header;
    if (code == EXIT_OK && header) code = export_form(s, from, model, header, "h", options);
    s->json = json;
    if (code == EXIT_OK) code = export_form(s, from, model, path, target, options);
    free(header);
    rung_model_free(model);
    return code;
}

static int export_run(session *s, const arguments *args)
{
    const char *path = option_value(args, "output"), *target = path ? target_of(path) : NULL;
    rung_export_options options;
    if (!path) {
        complain("export: give --output FILE; its ending says what is written");
        return USAGE;
    }
    if (!target || take_options(args, &options) != EXIT_OK) return USAGE;
    if (!output_possible(path)) return FAILED;
    return export_model(s, operand(args, 0), path, target, &options);
}

static const example examples[] = {
    {"rung export model.rung -o model.c --name triage", "the model in C: triage_predict, with the header model.h"},
    {"rung export model.rung -o model.onnx", "the model for onnxruntime"},
    {"rung export model.rung -o triage.html --title \"Triage grade\"", "a page that predicts in the browser, offline"},
    {"rung export model.rung -o model.json", "the model as a list of operations, for a program of one's own"},
    {"rung export model.rung -o model.json --with-rows", "the same of a model that contains training rows"},
    {0}};

const command command_export = {
    .name = "export",
    .operands = "MODEL",
    .help = "write a model for use without rung",
    .about =
        "Writes a file that needs no rung to predict, with everything that a prediction consists of: how columns "
        "are coded, missing values, scaling, all members, probabilities, decision, prediction interval, score. "
        "The ending of FILE says in which form: .c is C99 (and C++) without dependencies, .onnx is for onnxruntime "
        "and others, .html is a page with a form that predicts in any browser, offline, .json is the prediction as "
        "a list of operations on vectors, for those who write their own reader (docs/model-program.md). FILE names the "
        "version of rung and the "
        "checksum of MODEL.\n"
        "The models of some methods contain training rows, and so would FILE; that needs --with-rows.",
    .options = tables,
    .usual = "output with-rows name level title text disclaimer",
    .examples = examples,
    .run = export_run};
