// SPDX-License-Identifier: BSD-3-Clause
/* A demonstration in ten seconds: data with few labels, a fit, its held-out error, probabilities. It runs the commands
 * it shows. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <langinfo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/command.h"
#include "core/json_out.h"
#include "core/output.h"

enum { TRAIN = 300, LABELLED = 40, TEST = 1000, SHOWN = 8, ROWS = 3, BINS = 60, WORDS = 32 };

static const option demo_options[] = {
    {"output", 'o', "DIR", "folder for its files (default rung-demo)", "Demonstration"}, {0}};
static const option *const tables[] = {demo_options, global_options, NULL};

typedef struct {
    session *s;
    const arguments *args;
    char *train, *test, *model, *predicted;
    bool terminal, blocks;
} demo;

/* ---- the data files ---- */

/* Of the first TRAIN rows about LABELLED keep their label: of each class its share, spread over its rows. */
static void choose_labelled(const rung_data *data, bool *keep)
{
    const int *rank = rung_data_ranks(data);
    size_t K = (size_t)rung_data_classes(data) + 1;
    int *count = allocate(K, sizeof *count), *seen = allocate(K, sizeof *seen);
    for (int i = 0; i < TRAIN; i++) count[rank[i]]++;
    for (int i = 0; i < TRAIN; i++) {
        int all = count[rank[i]], before = seen[rank[i]]++, share = (all * LABELLED + TRAIN / 2) / TRAIN;
        keep[i] = before * share % all < share;
    }
    free(count);
    free(seen);
}

/* Rows first..last-1; keep: whose label is written, NULL = all. */
static bool write_rows(const char *path, const rung_data *data, int first, int last, const bool *keep)
{
    output out;
    if (!output_open(&out, path)) return false;
    rung_view X = rung_data_view(data);
    const int *rank = rung_data_ranks(data);
    for (int64_t j = 0; j < X.d; j++) fprintf(out.file, "x%lld,", (long long)j + 1);
    fputs("label\n", out.file);
    for (int i = first; i < last; i++) {
        for (int64_t j = 0; j < X.d; j++) fprintf(out.file, "%.4f,", X.v[i * X.row + j * X.col]);
        fprintf(out.file, "%s\n", !keep || keep[i] ? rung_data_class_name(data, rank[i]) : "");
    }
    return output_keep(&out);
}

static int make_data(demo *d)
{
    bool keep[TRAIN];
    rung_data *data;
    CHECK(d->s, rung_data_generate(d->s->ctx, "toy", TRAIN + TEST, -1, 0, &data));
    choose_labelled(data, keep);
    bool good = write_rows(d->train, data, 0, TRAIN, keep) && write_rows(d->test, data, TRAIN, TRAIN + TEST, NULL);
    rung_data_free(data);
    return good ? EXIT_OK : FAILED;
}

static bool show_lines(const char *path, int lines)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        complain("cannot read %s: %s", path, strerror(errno));
        return false;
    }
    char line[512];
    while (lines-- > 0 && fgets(line, sizeof line, file)) printf("    %s", line);
    fclose(file);
    return true;
}

/* ---- commands ---- */

/* Shows `$ rung ...` and runs it as if typed; words ends with NULL. */
static int type(const demo *d, const char *const *words)
{
    char *argv[WORDS];
    int argc = 0;
    for (; *words && argc < WORDS; words++) argv[argc++] = text_of("%s", *words);
    for (int i = 0; i < d->args->n && argc + 2 <= WORDS; i++) { /* --threads, -q, ... of the demo itself */
        const argument *a = &d->args->list[i];
        if (strcmp(a->option->group, global_options->group)) continue;
        argv[argc++] = text_of("--%s", a->option->name);
        if (a->value) argv[argc++] = text_of("%s", a->value);
    }
    fputs(d->terminal ? "\033[1m$ rung" : "$ rung", stdout);
    for (int i = 0; i < argc; i++) printf(strpbrk(argv[i], " '\"\\$") ? " \"%s\"" : " %s", argv[i]);
    fputs(d->terminal ? "\033[0m\n" : "\n", stdout);
    fflush(stdout);
    int code = command_run(argc, argv);
    while (argc > 0) free(argv[--argc]);
    printf("\n");
    return code;
}
#define TYPE(d, ...) type(d, (const char *const[]){__VA_ARGS__, NULL})

/* ---- predictions for the test rows ---- */

typedef struct {
    rung_model *model;
    rung_data *data;
    int *rank;
    double *score, *proba;
} results;

static int results_get(const demo *d, results *r)
{
    session *s = d->s;
    rung_table *table = NULL;
    rung_files *files = NULL;
    CHECK(s, rung_model_load(s->ctx, d->model, &r->model));
    CHECK(s, rung_files_new(s->ctx, (const char *const[]){d->test, NULL}, &files));
    rung_status status = rung_model_read(s->ctx, r->model, files, NULL, &table);
    if (status == RUNG_OK) status = rung_model_encode(s->ctx, r->model, table, RUNG_LABELS_REQUIRED, &r->data);
    rung_files_free(files);
    rung_table_free(table);
    CHECK(s, status);
    rung_view X = rung_data_view(r->data);
    size_t n = (size_t)X.n;
    r->rank = allocate(n, sizeof *r->rank);
    r->score = allocate(n * (size_t)rung_model_outputs(r->model), sizeof *r->score);
    r->proba = allocate(n * (size_t)rung_model_classes(r->model), sizeof *r->proba);
    CHECK(s, rung_model_predict(
                 s->ctx, r->model, &X, NULL,
                 &(rung_output){.size = sizeof(rung_output), .rank = r->rank, .score = r->score, .proba = r->proba}));
    return EXIT_OK;
}

static void results_free(results *r)
{
    free(r->rank);
    free(r->score);
    free(r->proba);
    rung_data_free(r->data);
    rung_model_free(r->model);
}

static const char *shade(const demo *d, double share)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const ascii[] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};
    return (d->blocks ? blocks : ascii)[share > 0 ? 1 + (int)(share * 7.999) : 0];
}

static int bin_of(double x, double low, double high)
{
    int bin = (int)floor((x - low) / (high - low) * BINS);
    return bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
}

/* A histogram of the score per true class, one line each, the thresholds as bars across. */
static void show_projection(const demo *d, const results *r)
{
    const int *truth = rung_data_ranks(r->data);
    int64_t n = rung_data_rows(r->data);
    double low = r->score[0], high = r->score[0];
    for (int64_t i = 0; i < n; i++) low = fmin(low, r->score[i]), high = fmax(high, r->score[i]);
    if (!(high > low)) return;
    bool threshold[BINS] = {false};
    int n_cuts = rung_model_thresholds(r->model, 0, NULL);
    double *cut = allocate((size_t)n_cuts, sizeof *cut);
    rung_model_thresholds(r->model, n_cuts, cut);
    for (int q = 0; q < n_cuts; q++)
        if (isfinite(cut[q])) threshold[bin_of(cut[q], low, high)] = true;
    free(cut);
    for (int k = 1; k <= rung_data_classes(r->data); k++) {
        int count[BINS] = {0}, most = 1;
        for (int64_t i = 0; i < n; i++)
            if (truth[i] == k) count[bin_of(r->score[i], low, high)]++;
        for (int b = 0; b < BINS; b++) most = count[b] > most ? count[b] : most;
        printf("    class %-4s", rung_data_class_name(r->data, k));
        for (int b = 0; b < BINS; b++) fputs(threshold[b] ? "|" : shade(d, (double)count[b] / most), stdout);
        printf("\n");
    }
}

static void show_probabilities(const results *r)
{
    int K = rung_model_classes(r->model);
    const int *truth = rung_data_ranks(r->data);
    char *align = allocate((size_t)K + 4, 1);
    memset(align, 'r', (size_t)K + 3);
    sheet t = sheet_new(align);
    sheet_add(&t, "row");
    sheet_add(&t, "true");
    sheet_add(&t, "label");
    for (int k = 1; k <= K; k++) sheet_add(&t, "p(%s)", rung_model_class_name(r->model, k));
    for (int i = 0; i < ROWS; i++) {
        sheet_add(&t, "%d", i + 1);
        sheet_add(&t, "%s", rung_model_class_name(r->model, truth[i]));
        sheet_add(&t, "%s", rung_model_class_name(r->model, r->rank[i]));
        for (int k = 0; k < K; k++) sheet_add_number(&t, r->proba[i * K + k], 2);
    }
    sheet_print(&t, stdout, "    ");
    free(align);
}

/* A demonstration may be repeated, but no file of somebody else's is replaced: its own training file begins so. */
static bool folder_is_free(const demo *d)
{
    const char *const paths[] = {d->train, d->test, d->model, d->predicted};
    char first[16] = "";
    FILE *file = fopen(d->train, "r");
    if (file && !fgets(first, sizeof first, file)) first[0] = 0;
    if (file) fclose(file);
    for (size_t i = 0; i < sizeof paths / sizeof *paths && strcmp(first, "x1,x2,label\n"); i++)
        if (access(paths[i], F_OK) == 0) {
            complain("demo: %s exists and is not of a demonstration; give another folder", paths[i]);
            return false;
        }
    return true;
}

/* ---- the story ---- */

static int story(demo *d, results *r)
{
    int code = EXIT_OK;
    printf("Grades on an ordered scale, and few labels.\n%s has %d rows; about %d are labelled, the other labels are "
           "empty:\n\n",
           d->train, TRAIN, LABELLED);
    if ((code = make_data(d)) != EXIT_OK) return code;
    if (!show_lines(d->train, SHOWN)) return FAILED;

    printf("\n1. Fit a model.\n\n");
    if ((code = TYPE(d, "fit", d->train, "-o", d->model)) != EXIT_OK) return code;

    printf("2. Evaluate it. %s has %d rows the model has not seen.\n\n", d->test, TEST);
    if ((code = TYPE(d, "evaluate", d->model, d->test)) != EXIT_OK) return code;

    printf("3. What it learned: a score for every row, and thresholds (|) that divide\n   it into classes. The test "
           "rows, by true class:\n\n");
    if ((code = results_get(d, r)) != EXIT_OK) return code;
    show_projection(d, r);

    printf("\n4. Predict, with the probability of each class.\n\n");
    if ((code = TYPE(d, "predict", d->model, d->test, "--proba", "-o", d->predicted)) != EXIT_OK) return code;
    printf("The first rows, rounded, beside the truth:\n\n");
    show_probabilities(r);

    printf("\nNow try a file of your own (any CSV; empty label = unlabelled):\n\n    rung fit yours.csv -l "
           "LABEL_COLUMN\n    rung evaluate model.rung test.csv\n    rung predict model.rung new.csv --proba\n\nText "
           "labels need an order: --order \"low<mid<high\".\n");
    return EXIT_OK;
}

static int demo_run(session *s, const arguments *args)
{
    if (s->json) {
        complain("demo: does not support --json; the commands it shows do");
        return USAGE;
    }
    const char *folder = option_value(args, "output");
    if (!folder) folder = "rung-demo";
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        complain("cannot create folder %s: %s", folder, strerror(errno));
        return FAILED;
    }
    const char *no_colour = getenv("NO_COLOR");
    demo d = {.s = s,
              .args = args,
              .train = text_of("%s/train.csv", folder),
              .test = text_of("%s/test.csv", folder),
              .model = text_of("%s/model.rung", folder),
              .predicted = text_of("%s/predicted.csv", folder)};
    d.terminal = isatty(STDOUT_FILENO) && !(no_colour && *no_colour);
    d.blocks = isatty(STDOUT_FILENO) && !strcmp(nl_langinfo(CODESET), "UTF-8");
    results r = {0};
    int code = folder_is_free(&d) ? story(&d, &r) : FAILED;
    results_free(&r);
    free(d.train);
    free(d.test);
    free(d.model);
    free(d.predicted);
    return code;
}

static const example examples[] = {{"rung demo", "takes a second and writes to the folder rung-demo"},
                                   {"rung demo -o /tmp/tour", "writes to another folder"},
                                   {0}};

const command command_demo = {
    .name = "demo",
    .operands = "",
    .help = "demonstrate the commands on a small generated data set",
    .about = "Writes a training and a test file, fits a model, evaluates it, shows what it learned and predicts. "
             "Prints the commands, so that you can repeat them on your own data.",
    .options = tables,
    .examples = examples,
    .run = demo_run};
