// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>
#include <stdlib.h>

#include "core/command.h"
#include "core/json_out.h"
#include "core/output.h"
#include "core/signals.h"

enum { STANDARD_ROWS = 300, LONGEST = 256 };

#define GROUP "Generating"
static const option generate_options[] = {
    {"rows", 0, "N", "number of rows (default 300)", GROUP},
    {"noise", 0, "S", "amount of noise, 0 = none (default: as published)", GROUP},
    {"unlabelled", 0, "F", "share of rows whose label is left empty, >= 0 and < 1 (default 0)", GROUP},
    {"output", 'o', "FILE", "file to write (default: standard output)", GROUP},
    {0}};
static const option *const tables[] = {generate_options, global_options, NULL};

static int list_generators(const session *s)
{
    const char *name, *help;
    if (s->json) {
        json_t *all = json_array();
        for (int i = 0; (name = rung_generator_at(i, &help)); i++) {
            json_t *one = json_object();
            json_object_set_new(one, "name", jout_text(name));
            json_object_set_new(one, "help", jout_text(help));
            json_array_append_new(all, one);
        }
        jout_print(all);
        return EXIT_OK;
    }
    for (int i = 0; (name = rung_generator_at(i, &help)); i++) {
        printf("%-12s ", name);
        wrap_text(stdout, help, 13, 13);
    }
    printf("\n'rung generate NAME -o FILE' writes one of them.\n");
    return EXIT_OK;
}

/* Features, then the label: its class or its real number, empty where it is hidden. */
static int write_csv(output *out, const rung_data *data)
{
    rung_view X = rung_data_view(data);
    const int *rank = rung_data_ranks(data);
    const double *target = rung_data_targets(data);
    char name[LONGEST];
    for (int64_t j = 0; j < X.d; j++) {
        rung_data_feature_name(data, j, name, sizeof name);
        csv_cell(out->file, name);
        fputc(',', out->file);
    }
    fputs("label\n", out->file);
    for (int64_t i = 0; i < X.n && !ferror(out->file); i++) {
        for (int64_t j = 0; j < X.d; j++) fprintf(out->file, "%s,", number_of(X.v[i * X.row + j * X.col]).text);
        if (target && !isnan(target[i])) fputs(number_of(target[i]).text, out->file);
        if (!target && rank[i]) csv_cell(out->file, rung_data_class_name(data, rank[i]));
        fputc('\n', out->file);
        if (session_interrupted()) {
            complain("interrupted");
            return FAILED;
        }
    }
    return output_keep(out) ? EXIT_OK : FAILED;
}

static void print_json(const char *name, const char *path, const rung_data *data)
{
    int64_t n = rung_data_rows(data), labelled = 0;
    const int *rank = rung_data_ranks(data);
    const double *target = rung_data_targets(data);
    json_t *all = json_object(), *classes = json_array();
    for (int64_t i = 0; i < n; i++) labelled += target ? !isnan(target[i]) : rank[i] > 0;
    for (int k = 1; k <= rung_data_classes(data); k++)
        json_array_append_new(classes, jout_text(rung_data_class_name(data, k)));
    json_object_set_new(all, "name", jout_text(name));
    json_object_set_new(all, "file", jout_text(path));
    json_object_set_new(all, "rows", json_integer(n));
    json_object_set_new(all, "labelled", json_integer(labelled));
    json_object_set_new(all, "features", json_integer(rung_data_features(data)));
    json_object_set_new(all, "classes", classes);
    jout_print(all);
}

static int generate_run(session *s, const arguments *args)
{
    const char *name = operand(args, 0), *path = option_value(args, "output"), *rows = option_value(args, "rows"),
               *noise = option_value(args, "noise"), *unlabelled = option_value(args, "unlabelled");
    long long n = STANDARD_ROWS;
    double spread = -1, share = 0;
    if (!name) return list_generators(s);
    if (rows && !parse_whole(rows, 1, INT64_MAX, &n)) {
        complain("generate: --rows %s: expected a whole number >= 1", rows);
        return USAGE;
    }
    if (noise && (!parse_double(noise, &spread) || spread < 0)) {
        complain("generate: --noise %s: expected a number >= 0", noise);
        return USAGE;
    }
    if (unlabelled && (!parse_double(unlabelled, &share) || share < 0 || share >= 1)) {
        complain("generate: --unlabelled %s: expected a share >= 0 and < 1, such as 0.9", unlabelled);
        return USAGE;
    }
    if (s->json && (!path || path[0] == '-')) {
        complain("generate: --json needs -o FILE, because standard output carries the data");
        return USAGE;
    }
    if (path && !output_possible(path)) return FAILED;
    rung_data *data;
    output out = {0};
    CHECK(s, rung_data_generate(s->ctx, name, n, spread, share, &data));
    int code = output_open(&out, path) ? write_csv(&out, data) : FAILED;
    output_discard(&out);
    if (code == EXIT_OK && s->json) print_json(name, path, data);
    rung_data_free(data);
    return code;
}

static const example examples[] = {
    {"rung generate", "list the data sets"},
    {"rung generate toy --rows 500 --unlabelled 0.9 -o train.csv", "500 rows, 50 of them labelled"},
    {"rung generate toy --rows 1000 --seed 2 -o test.csv", "other rows from the same formula, as a test set"},
    {0}};

const command command_generate = {
    .name = "generate",
    .operands = "[NAME]",
    .help = "generate a data set from a formula",
    .about = "Writes CSV: the features, then the column label, which is empty where the label is hidden (every class "
             "keeps at least one). The same seed gives the same rows. Without NAME it lists the data sets.",
    .options = tables,
    .examples = examples,
    .run = generate_run};
