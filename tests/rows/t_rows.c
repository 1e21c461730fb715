// SPDX-License-Identifier: BSD-3-Clause
/* Data read in passes: the sample, the sums over all rows, and the models that follow from them. */
#define _POSIX_C_SOURCE 200809L
#include "processes.h"

#include <unistd.h>

#include "base/rng.h"
#include "fit/training.h"
#include "input/read/read.h"
#include "method/boost/boost.h"
#include "rows/rows.h"

enum { ROWS = 900, PARTS = 5, COLUMNS = 3 };

typedef struct {
    char folder[32];
} parts;

/* Numbers, a text column and missing cells; the lowest class is rare. Part 3 is empty. */
static parts write_parts(void)
{
    parts p = {"/tmp/rung_rows_XXXXXX"};
    rng r;
    rng_open(&r, 3, 1);
    assert_non_null(mkdtemp(p.folder));
    for (int k = 0, row = 0; k < PARTS; k++) {
        char path[64];
        snprintf(path, sizeof path, "%s/p%d.csv", p.folder, k);
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        if (k != 3) fputs("a,b,colour,label\n", f);
        for (int i = 0; k != 3 && i < ROWS / (PARTS - 1); i++, row++) {
            double a = rng_normal(&r), b = rng_normal(&r);
            const char *colour = rng_uniform(&r) < 0.3 ? "red" : rng_uniform(&r) < 0.5 ? "green" : "blue";
            double s = a + 0.5 * b + (colour[0] == 'r') + 0.3 * rng_normal(&r);
            if (row == 700) s = -9;
            fprintf(f, "%.17g,", a);
            if (i % 50 == 7)
                fprintf(f, ",%s,", colour);
            else
                fprintf(f, "%.17g,%s,", b, colour);
            if (i % 11 == 5)
                fprintf(f, "\n");
            else
                fprintf(f, "%d\n", s < -5 ? 1 : s < -0.2 ? 2 : s < 0.9 ? 3 : 4);
        }
        fclose(f);
    }
    return p;
}

static void remove_parts(const parts *p)
{
    for (int k = 0; k < PARTS; k++) {
        char path[64];
        snprintf(path, sizeof path, "%s/p%d.csv", p->folder, k);
        unlink(path);
    }
    rmdir(p->folder);
}

static rung_data *load(rung_ctx *ctx, const parts *p)
{
    rung_files *files;
    rung_table *table;
    rung_data *data;
    assert_ok(ctx, rung_files_new(ctx, (const char *const[]){p->folder, NULL}, &files));
    assert_ok(ctx, rung_table_read_files(ctx, files, NULL, &table));
    assert_ok(ctx, rung_data_encode(ctx, table, NULL, &data));
    rung_table_free(table);
    rung_files_free(files);
    return data;
}

static rung_data *open_passes(rung_ctx *ctx, const parts *p, int64_t most)
{
    rung_files *files;
    rung_data *s;
    assert_ok(ctx, files_new(ctx, (const char *const[]){p->folder, NULL}, &files));
    assert_ok(ctx, rows_open(ctx, files, &(rung_read_options){0}, &(rung_encode_options){0}, most, &s));
    rung_files_free(files);
    return s;
}

static void test_sample_of_all(void **state)
{
    rung_ctx *ctx = *state;
    parts p = write_parts();
    rung_data *data = load(ctx, &p);
    rung_data *s = open_passes(ctx, &p, 2 * ROWS);
    assert_int_equal(s->source->n_rows, ROWS);
    assert_int_equal(s->n, ROWS);
    assert_int_equal(s->d, data->d);
    assert_memory_equal(s->y, data->y, ROWS * sizeof *data->y);
    assert_memory_equal(s->X, data->X, (size_t)(ROWS * data->d) * sizeof *data->X);
    int64_t count[5] = {0};
    for (int64_t i = 0; i < ROWS; i++) count[data->y[i]]++;
    for (int q = 0; q < 5; q++) assert_int_equal(s->source->count[q], count[q]);
    rung_data_free(s);
    rung_data_free(data);
    remove_parts(&p);
}

static void test_small_sample(void **state)
{
    rung_ctx *ctx = *state;
    parts p = write_parts();
    rung_data *s = open_passes(ctx, &p, 60);
    assert_int_equal(s->source->n_rows, ROWS);
    assert_true(s->n == 60 || s->n == 61);
    assert_int_equal(s->code.n_classes, 4); /* the row of the rare class is there */
    assert_int_equal(s->source->count[1], 1);
    int64_t sampled = 0;
    for (int64_t f = 0; f < s->source->n_files; f++)
        for (int64_t i = 0; i < s->source->rows_before[f + 1] - s->source->rows_before[f]; i++)
            sampled += rows_sampled(s->source, f, i);
    assert_int_equal(sampled, s->n);
    rung_data_free(s);
    ctx->seed = 2;
    rung_data *other = open_passes(ctx, &p, 60);
    assert_true(other->source->last_key != 0);
    rung_data_free(other);
    remove_parts(&p);
}

/* ---- columns that count the rows ---- */

static int64_t features_of(rung_ctx *ctx, const char *path, const char *numeric, int64_t most)
{
    rung_files *files;
    rung_data *s;
    rung_data *data;
    rung_table *table;
    rung_encode_options options = {.size = sizeof options, .numeric = numeric ? LIST(numeric) : NULL};
    int64_t d;
    assert_ok(ctx, files_new(ctx, (const char *const[]){path, NULL}, &files));
    if (most > 0) {
        assert_ok(ctx, rows_open(ctx, files, &(rung_read_options){0}, &options, most, &s));
        d = s->d;
        rung_data_free(s);
    } else {
        assert_ok(ctx, rung_table_read_files(ctx, files, NULL, &table));
        assert_ok(ctx, rung_data_encode(ctx, table, &options, &data));
        d = data->d;
        rung_data_free(data);
        rung_table_free(table);
    }
    rung_files_free(files);
    return d;
}

/* They are left out by the rule for tables in memory: not of few rows, nor if they are declared numeric or all there
 * is, and from whatever number if they are called id. */
static void test_counters(void **state)
{
    rung_ctx *ctx = *state;
    char path[] = "/tmp/rung_rows_XXXXXX";
    static const struct {
        const char *columns, *numeric;
        int rows, features;
    } cases[] = {{"n,id,x", NULL, 200, 1},
                 {"n,id,x", "n", 200, 2},
                 {"\"n,1\",id,x", NULL, 200, 1},
                 {"\"n,1\",id,x", "n,1", 200, 2},
                 {"n,id,x", NULL, 7, 2},
                 {"n,id,x", NULL, 4, 3},
                 {"n", NULL, 200, 1}};
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fprintf(f, "%s,label\n", cases[k].columns);
        for (int i = 0; i < cases[k].rows; i++) {
            fprintf(f, "%d,", i + 1);
            if (strchr(cases[k].columns, 'x')) fprintf(f, "%d,%.2f,", 5000 + i, i % 7 + 0.25);
            fprintf(f, "%d\n", 1 + i % 3);
        }
        fclose(f);
        assert_int_equal(features_of(ctx, path, cases[k].numeric, 0), cases[k].features);
        assert_int_equal(features_of(ctx, path, cases[k].numeric, 400), cases[k].features);
        if (cases[k].rows > 100) assert_int_equal(features_of(ctx, path, cases[k].numeric, 50), cases[k].features);
    }
    unlink(path);
}

/* ---- models ---- */

/* "METHOD" or "METHOD PARAMETER=VALUE ..."; kernel methods with landmarks, which a fit in passes needs. */
static rung_spec *spec_of(rung_ctx *ctx, const char *text)
{
    char copy[64], *save, *name_of_method, *name;
    rung_spec *spec;
    snprintf(copy, sizeof copy, "%s", text);
    name_of_method = strtok_r(copy, " ", &save);
    assert_ok(ctx, rung_spec_new(ctx, name_of_method, 0, &spec));
    if (strchr(name_of_method, 'k')) assert_ok(ctx, rung_spec_set(ctx, spec, "landmarks", "40"));
    while ((name = strtok_r(NULL, "=", &save)))
        assert_ok(ctx, rung_spec_set(ctx, spec, name, strtok_r(NULL, " ", &save)));
    return spec;
}

static void scores_of(rung_ctx *ctx, const rung_model *model, const rung_data *data, double *score)
{
    rung_view X = rung_data_view(data);
    rung_output out = {.size = sizeof out, .score = score};
    assert_ok(ctx, rung_model_predict(ctx, model, &X, NULL, &out));
}

/* The scores of the rows by a fit to the loaded data, and by one in passes; and the errors they report. */
static void fit_both_ways(rung_ctx *ctx, const rung_spec *spec, const rung_data *data, rung_data *s, double *loaded,
                          double *passes, rung_metrics cv[2])
{
    rung_model *a, *b;
    cv[0] = cv[1] = (rung_metrics){.size = sizeof *cv};
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &a));
    assert_ok(ctx, rung_model_fit(ctx, spec, s, &b));
    scores_of(ctx, a, data, loaded);
    scores_of(ctx, b, data, passes);
    assert_int_equal(rung_model_cv(a, cv), rung_model_cv(b, cv + 1));
    if (s->source->n_rows == s->n) assert_int_equal(rung_model_labelled(a), rung_model_labelled(b));
    rung_model_free(a);
    rung_model_free(b);
}

/* A sample of all rows makes the model of the loaded data. */
static void test_models_of_all(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const methods[] = {"kdlor",
                                          "krr",
                                          "krr lambda=auto",
                                          "krr centre=no",
                                          "krr kernel=linear",
                                          "ckr",
                                          "ckr gamma=0.3",
                                          "ckr ridge=0.1",
                                          "pom",
                                          "boost rounds=20 rows=1",
                                          "boost rounds=5 link=nominal rows=1",
                                          "isbor"};
    static double loaded[ROWS], passes[ROWS];
    rung_metrics cv[2];
    parts p = write_parts();
    rung_data *data = load(ctx, &p);
    rung_data *s = open_passes(ctx, &p, 2 * ROWS);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        rung_spec *spec = spec_of(ctx, methods[m]);
        fit_both_ways(ctx, spec, data, s, loaded, passes, cv);
        /* in passes the values of leaves are whole multiples of 2^-16 */
        double size = 0, near = strncmp(methods[m], "boost", 5) == 0 ? 3e-5 : 1e-7;
        for (int i = 0; i < ROWS; i++) size = fmax(size, fabs(loaded[i]));
        for (int i = 0; i < ROWS; i++)
            if (!(fabs(loaded[i] - passes[i]) <= near * size))
                fail_msg("%s: row %d has %.17g, not %.17g", methods[m], i, passes[i], loaded[i]);
        if (!(fabs(cv[0].rps - cv[1].rps) <= 10 * near && fabs(cv[0].mae - cv[1].mae) < 1.5 / ROWS))
            fail_msg("%s: reports %g and %g, not %g and %g", methods[m], cv[1].rps, cv[1].mae, cv[0].rps, cv[0].mae);
        rung_spec_free(spec);
    }
    rung_data_free(s);
    rung_data_free(data);
    remove_parts(&p);
}

/* Among few rows the setting that is best without a row is often not the best of all. */
static void test_choice_per_row(void **state)
{
    rung_ctx *ctx = *state;
    enum { FEW = 9 };
    parts p = {"/tmp/rung_rows_XXXXXX"};
    double loaded[FEW], passes[FEW];
    rung_metrics cv[2];
    rng r;
    rung_spec *spec = spec_of(ctx, "ckr");
    assert_ok(ctx, rung_spec_set_class_weight(ctx, spec, "3", 0)); /* no label then */
    assert_non_null(mkdtemp(p.folder));
    rng_open(&r, 5, 1);
    for (int draw = 0; draw < 10; draw++) {
        char path[64];
        snprintf(path, sizeof path, "%s/p0.csv", p.folder);
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fputs("a,b,label\n", f);
        for (int i = 0; i < FEW; i++) fprintf(f, "%g,%g,%d\n", rng_normal(&r), rng_normal(&r), 1 + i % 3);
        fclose(f);
        rung_data *data = load(ctx, &p);
        rung_data *s = open_passes(ctx, &p, 100);
        fit_both_ways(ctx, spec, data, s, loaded, passes, cv);
        assert_arrays_close(FEW, passes, loaded, 1e-8);
        assert_close(cv[1].rps, cv[0].rps, 1e-8);
        rung_data_free(s);
        rung_data_free(data);
    }
    rung_spec_free(spec);
    remove_parts(&p);
}

/* All rows count, not only those of the sample: it starts the search of pom, and landmarks among it represent a linear
 * kernel exactly. */
static void test_small_sample_model(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const methods[] = {"pom", "kdlor kernel=linear", "krr kernel=linear",
                                          "ckr kernel=linear ridge=0.1"};
    static double loaded[ROWS], passes[ROWS];
    rung_metrics cv[2];
    parts p = write_parts();
    rung_data *data = load(ctx, &p);
    rung_data *s = open_passes(ctx, &p, 100);
    for (int64_t j = 0; j < data->code.n_columns; j++) data->code.columns[j].fill = s->code.columns[j].fill;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        rung_spec *spec = spec_of(ctx, methods[m]);
        assert_ok(ctx, rung_spec_set_scale(ctx, spec, "none"));
        fit_both_ways(ctx, spec, data, s, loaded, passes, cv);
        assert_arrays_close(ROWS, passes, loaded, 1e-7);
        rung_spec_free(spec);
    }
    rung_data_free(s);
    rung_data_free(data);
    remove_parts(&p);
}

enum { MANY = 20000 };

/* Numbers alone, in a file whose name replaces the X of path. */
static rung_files *write_many(rung_ctx *ctx, char *path)
{
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    assert_non_null(f);
    fputs("a,b,label\n", f);
    rng r;
    rng_open(&r, 5, 1);
    for (int i = 0; i < MANY; i++) {
        int a = (int)rng_below(&r, 1000), b = (int)rng_below(&r, 1000), noise = (int)rng_below(&r, 300);
        fprintf(f, "%d,%d,%d\n", a, b, 1 + (a + noise > 500) + (a + b / 4 > 800));
    }
    fclose(f);
    rung_files *files;
    assert_ok(ctx, rung_files_new(ctx, (const char *const[]){path, NULL}, &files));
    return files;
}

/* From a million rows on, sums are in single precision where landmarks represent the kernel roughly; all rows are the
 * sample, so that the landmarks are those of the loaded rows. */
static void test_single_precision(void **state)
{
    rung_ctx *ctx = *state;
    char path[] = "/tmp/rung_rows_XXXXXX";
    rung_files *files = write_many(ctx, path);
    rung_table *table;
    rung_data *data;
    rung_data *s;
    assert_ok(ctx, rung_table_read_files(ctx, files, NULL, &table));
    assert_ok(ctx, rung_data_encode(ctx, table, NULL, &data));
    assert_ok(ctx, rows_open(ctx, files, &(rung_read_options){0}, &(rung_encode_options){0}, MANY, &s));
    s->source->n_rows = s->source->n_labelled = 1000000; /* so many would take too long to test */
    static const char *const methods[] = {"kdlor gamma=9", "krr gamma=9 centre=no", "ckr gamma=9"};
    static double loaded[MANY], passes[MANY];
    rung_metrics cv[2];
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        rung_spec *spec = spec_of(ctx, methods[m]);
        double size = 0, off = 0;
        fit_both_ways(ctx, spec, data, s, loaded, passes, cv);
        for (int i = 0; i < MANY; i++) size = fmax(size, fabs(loaded[i]));
        for (int i = 0; i < MANY; i++) off = fmax(off, fabs(passes[i] - loaded[i]));
        if (!(off > 1e-12 * size && off < 1e-4 * size))
            fail_msg("%s: scores of up to %g differ by up to %g", methods[m], size, off);
        rung_spec_free(spec);
    }
    rung_data_free(s);
    rung_data_free(data);
    rung_table_free(table);
    rung_files_free(files);
    unlink(path);
}

/* S - sum_q u_q u_q' / M_q: the scatter within the classes. */
static double *scatter_within(rung_ctx *ctx, int64_t m, int K, const feature_moments *all)
{
    double *W = NULL;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, W, m * m));
    la_get(all->S, W);
    for (int q = 0; q < K; q++)
        for (int64_t j = 0; j < m; j++)
            for (int64_t i = 0; i < m; i++) W[i + j * m] -= all->sums[i + q * m] * all->sums[j + q * m] / all->mass[q];
    return W;
}

static double norm_of_difference(int64_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (a[i] - (b ? b[i] : 0)) * (a[i] - (b ? b[i] : 0));
    return sqrt(sum);
}

/* The products of some of the rows: the same sums, and nearly the same scatter, whether kernel columns are summed
 * before they are solved for (narrow kernels) or not, about a shift or not, in single precision or not. */
static void test_thinned_products(void **state)
{
    rung_ctx *ctx = *state;
    char path[] = "/tmp/rung_rows_XXXXXX";
    rung_files *files = write_many(ctx, path);
    rung_spec *spec = spec_of(ctx, "kdlor");
    rung_data *s;
    training t;
    assert_ok(ctx, rows_open(ctx, files, &(rung_read_options){0}, &(rung_encode_options){0}, 1000, &s));
    assert_ok(ctx, training_new(ctx, spec, s, false, true, &t));
    const problem *p = &t.labelled;
    const double gammas[] = {0.05, 2, 30};
    int kinds = 0;
    for (int c = 0; c < 6; c++) {
        kernel k = {.kind = KERNEL_RBF, .gamma = gammas[c % 3]};
        point_set points = problem_points(p);
        landmarks l;
        feature_moments all, thin;
        assert_ok(ctx, landmarks_new(ctx, &ctx->scratch, &k, &points, 40, &l));
        kinds |= 1 << (l.steady + l.far_apart);
        s->source->n_labelled = c % 3 == 2 ? 1000000 : MANY; /* a million: in single precision */
        double share = 0.25 * (double)s->source->n_labelled;
        assert_ok(ctx, problem_moments_thinned(ctx, p, &l, c >= 3, INFINITY, &all));
        assert_ok(ctx, problem_moments_thinned(ctx, p, &l, c >= 3, share, &thin));
        int64_t sums = l.m * p->K;
        assert_true(norm_of_difference(sums, thin.sums, all.sums) <= 1e-6 * norm_of_difference(sums, all.sums, NULL));
        for (int q = 0; q < p->K; q++) {
            assert_int_equal((int64_t)all.size[q], (int64_t)thin.size[q]);
            assert_true(fabs(all.mass[q] - thin.mass[q]) <= 1e-9 * all.mass[q]);
        }
        double *exact = scatter_within(ctx, l.m, p->K, &all), *near = scatter_within(ctx, l.m, p->K, &thin);
        double off = norm_of_difference(l.m * l.m, near, exact) / norm_of_difference(l.m * l.m, exact, NULL);
        if (!(off > 1e-4 && off < 0.25)) fail_msg("gamma %g: scatter off by %g", gammas[c % 3], off);
    }
    assert_int_equal(kinds, 7);
    rung_spec_free(spec);
    rung_data_free(s);
    rung_files_free(files);
    unlink(path);
}

/* 2 MB of text are 150 MB of 0/1 columns. */
static void test_wide_text(void **state)
{
    rung_ctx *ctx = *state;
    char path[] = "/tmp/rung_rows_XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    rung_files *files;
    rung_data *data;
    rung_spec *spec = spec_of(ctx, "pom");
    fprintf(f, "x,town,label\n");
    for (int i = 0; i < 12000; i++)
        fprintf(f, "%d.%d,town number %d of the country,%d\n", i % 17, i % 7, i % 1600, 1 + (i % 17 + i % 5) / 7);
    fclose(f);
    assert_ok(ctx, files_new(ctx, (const char *const[]){path, NULL}, &files));
    rung_ctx_set_memory(ctx, 100 << 20);
    rung_encode_options options = {.size = sizeof options, .nominal = LIST("town")};
    assert_fails(ctx, rung_data_open(ctx, spec, files, NULL, &options, RUNG_PASSES_NEVER, &data), RUNG_ELIMIT, "above");
    assert_ok(ctx, rung_data_open(ctx, spec, files, NULL, &options, RUNG_PASSES_AUTO, &data));
    assert_true(rung_data_in_passes(data));
    assert_int_equal(rung_data_all_rows(data), 12000);
    assert_true(rung_data_rows(data) < 12000 && rung_data_rows(data) >= 500);
    assert_true(rung_data_features(data) > 1600);
    rung_data_free(data);
    rung_spec *svm = spec_of(ctx, "svorim"); /* needs all rows: what loading them says stands */
    assert_fails(ctx, rung_data_open(ctx, svm, files, NULL, &options, RUNG_PASSES_AUTO, &data), RUNG_ELIMIT, "above");
    rung_ctx_set_memory(ctx, 0);
    assert_ok(ctx, rung_data_open(ctx, spec, files, NULL, NULL, RUNG_PASSES_AUTO, &data));
    assert_false(rung_data_in_passes(data));
    rung_data_free(data);
    rung_spec_free(svm);
    rung_spec_free(spec);
    rung_files_free(files);
    unlink(path);
}

/* A block of many columns has fewer rows: 4096 of them would take more than the limit. */
static void test_many_columns(void **state)
{
    enum { N = 3000, D = 600 };
    rung_ctx *ctx = *state;
    assert_int_equal(rows_block(1), ROWS_BLOCK);
    assert_int_equal(rows_block(256), ROWS_BLOCK);
    assert_true(rows_block(257) < ROWS_BLOCK);
    assert_int_equal(rows_block(100000), ROWS_BLOCK_LEAST);
    char path[] = "/tmp/rung_rows_XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    rng r;
    rng_open(&r, 5, 0);
    for (int i = 0; i < N; i++) {
        int first = (int)rng_below(&r, 90);
        for (int j = 0; j < D; j++) fprintf(f, "%d,", j ? (int)rng_below(&r, 100) : first);
        fprintf(f, "%d\n", 1 + first / 30);
    }
    fclose(f);
    rung_files *files;
    rung_data *data;
    rung_model *model;
    rung_spec *spec = spec_of(ctx, "kdlor");
    rung_ctx_set_memory(ctx, 60 << 20);
    assert_ok(ctx, files_new(ctx, (const char *const[]){path, NULL}, &files));
    assert_ok(ctx, rung_data_open(ctx, spec, files, NULL, NULL, RUNG_PASSES_AUTO, &data));
    assert_true(rung_data_in_passes(data));
    assert_int_equal(data->source->block, rows_block(D + 1));
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    rung_model_free(model);
    rung_data_free(data);
    rung_spec_free(spec);
    rung_files_free(files);
    unlink(path);
}

static void test_refused(void **state)
{
    rung_ctx *ctx = *state;
    parts p = write_parts();
    rung_data *s = open_passes(ctx, &p, 100);
    rung_model *model;
    rung_spec *spec = spec_of(ctx, "svorim");
    assert_fails(ctx, rung_model_fit(ctx, spec, s, &model), RUNG_EARG, "svorim needs all rows in memory");
    rung_spec_free(spec);
    spec = spec_of(ctx, "kdlor");
    assert_ok(ctx, rung_spec_set(ctx, spec, "landmarks", "exact"));
    assert_fails(ctx, rung_model_fit(ctx, spec, s, &model), RUNG_EARG, "landmarks=exact needs all rows");
    rung_spec_free(spec);
    rung_search *found; /* whatever else learns from data would take the sample for all there is */
    rung_curve *curve;
    rung_suggestion *suggested;
    rung_importance *report;
    spec = spec_of(ctx, "pom");
    assert_fails(ctx, rung_tune_run(ctx, NULL, s, &model, &found), RUNG_EARG, "a search needs all rows in memory");
    assert_fails(ctx, rung_curve_run(ctx, NULL, s, &curve), RUNG_EARG, "a sample of 900 that are read in passes");
    assert_fails(ctx, rung_suggest_run(ctx, spec, s, NULL, &suggested), RUNG_EARG, "needs all rows");
    assert_fails(ctx, rung_importance_held_out(ctx, spec, s, NULL, &report), RUNG_EARG, "needs all rows");
    rung_spec_free(spec);
    char path[64];
    snprintf(path, sizeof path, "%s/p1.csv", p.folder);
    FILE *f = fopen(path, "a");
    fputs("1,2,red,3\n", f);
    fclose(f);
    spec = spec_of(ctx, "pom");
    assert_fails(ctx, rung_model_fit(ctx, spec, s, &model), RUNG_EIO, "changed while it was read");
    rung_spec_free(spec);
    rung_data_free(s);
    remove_parts(&p);
}

/* ---- several processes ---- */

/* Every labelled row is in one of the processes, and every row of the sample where the process says so. */
static void check_packed(rung_ctx *ctx, int rank, void *user)
{
    const parts *p = user;
    rung_data *s = open_passes(ctx, p, 60);
    rung_spec *spec = spec_of(ctx, "boost");
    training t;
    boost_rows rows;
    (void)rank;
    assert_ok(ctx, training_new(ctx, spec, s, false, false, &t));
    assert_ok(ctx, boost_rows_new(ctx, &ctx->scratch, &t.labelled, 8, &rows));
    const packed_rows *all = rows.all;
    int64_t found[3] = {all->n, all->n_sampled, 0}, columns = all->columns;
    for (int64_t k = 0; k < all->n_sampled; k++) {
        int32_t at = all->sampled[k], row = all->sample_row[k];
        assert_int_equal(all->word[at] + 1, rows.y[row]);
        assert_memory_equal(all->code + at * columns, rows.codes.by_row + row * columns, (size_t)columns);
        found[2] += row;
    }
    assert_ok(ctx, comm_sum_whole(ctx, 3, found));
    assert_int_equal(found[0], s->source->n_labelled);
    assert_int_equal(all->total, s->source->n_labelled);
    assert_int_equal(found[1], rows.n);
    assert_int_equal(found[2], rows.n * (rows.n - 1) / 2);
    for (int q = 0; q < all->K; q++) assert_int_equal((int64_t)all->count[q], s->source->count[q + 1]);
    rung_spec_free(spec);
    rung_data_free(s);
}

static void test_packed_rows(void **state)
{
    (void)state;
    parts p = write_parts();
    for (int ranks = 1; ranks <= 6; ranks++) processes_run(ranks, check_packed, &p);
    remove_parts(&p);
}

typedef struct {
    const parts *p;
    const char *method;
    char *bytes[8];
    int64_t size[8];
} fits;

static void fit_together(rung_ctx *ctx, int rank, void *user)
{
    fits *f = user;
    rung_data *s = open_passes(ctx, f->p, 200);
    rung_spec *spec = spec_of(ctx, f->method);
    rung_model *model;
    assert_ok(ctx, rung_model_fit(ctx, spec, s, &model));
    assert_ok(ctx, rung_model_save_memory(ctx, model, &f->bytes[rank], &f->size[rank]));
    rung_model_free(model);
    rung_spec_free(spec);
    rung_data_free(s);
}

static void test_same_bits(void **state)
{
    (void)state;
    static const char *const methods[] = {
        "kdlor", "krr", "ckr", "pom", "isbor", "boost rounds=4", "boost rounds=2 link=nominal rows=0.5 seeds=3"};
    static const int ranks[] = {2, 3, 5, 8}; /* more than there are files */
    parts p = write_parts();
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        fits alone = {.p = &p, .method = methods[m]};
        processes_run(1, fit_together, &alone);
        for (size_t k = 0; k < sizeof ranks / sizeof *ranks; k++) {
            fits together = {.p = &p, .method = methods[m]};
            processes_run(ranks[k], fit_together, &together);
            for (int r = 0; r < ranks[k]; r++) {
                assert_int_equal(together.size[r], alone.size[0]);
                assert_memory_equal(together.bytes[r], alone.bytes[0], (size_t)alone.size[0]);
                rung_free(together.bytes[r]);
            }
        }
        rung_free(alone.bytes[0]);
    }
    remove_parts(&p);
}

/* Blocks of a file that are coded at the same time are added in their order. */
static void test_threads_add_in_order(void **state)
{
    enum { LONG = 30000 };
    rung_ctx *ctx = *state;
    static const char *const methods[] = {"kdlor", "pom", "boost rounds=2"};
    static const int threads[] = {1, 2, 5};
    char path[] = "/tmp/rung_rows_XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    rng r;
    rng_open(&r, 7, 0);
    fprintf(f, "a,colour,w,label\n");
    for (int i = 0; i < LONG; i++) {
        double a = rng_normal(&r), s = a + 0.5 * rng_normal(&r);
        const char *label = s < -0.5 ? "1" : s < 0.7 ? "2" : "3";
        fprintf(f, "%.17g,%s,%d,%s\n", a, i % 3 ? "\"re\"\"d\"" : "blue", 1 + i % 3, i % 10 ? label : "");
    }
    fclose(f);
    rung_files *files;
    assert_ok(ctx, files_new(ctx, (const char *const[]){path, NULL}, &files));
    rung_encode_options options = {.size = sizeof options, .weights = "w"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        char *bytes[3];
        int64_t size[3];
        for (int k = 0; k < 3; k++) {
            rung_data *s;
            rung_spec *spec = spec_of(ctx, methods[m]);
            rung_model *model;
            ctx->threads = ctx->wished = threads[k];
            assert_ok(ctx, rows_open(ctx, files, &(rung_read_options){0}, &options, 200, &s));
            assert_ok(ctx, rung_model_fit(ctx, spec, s, &model));
            assert_ok(ctx, rung_model_save_memory(ctx, model, &bytes[k], &size[k]));
            assert_int_equal(size[k], size[0]);
            assert_memory_equal(bytes[k], bytes[0], (size_t)size[0]);
            rung_model_free(model);
            rung_spec_free(spec);
            rung_data_free(s);
        }
        for (int k = 0; k < 3; k++) rung_free(bytes[k]);
    }
    rung_files_free(files);
    unlink(path);
}

/* What dataset_encode makes of a table that counts its rows twice, as a file and as a sample of it. */
static rung_data *encode_counts(rung_ctx *ctx, const char *path, const rung_encode_options *options, int64_t most,
                                rung_data **s)
{
    rung_files *files;
    rung_table *table;
    rung_data *data;
    assert_ok(ctx, files_new(ctx, (const char *const[]){path, NULL}, &files));
    assert_ok(ctx, rung_table_read_files(ctx, files, NULL, &table));
    assert_ok(ctx, rung_data_encode(ctx, table, options, &data));
    assert_ok(ctx, rows_open(ctx, files, &(rung_read_options){0}, options, most, s));
    rung_table_free(table);
    rung_files_free(files);
    return data;
}

/* Columns that count the rows are left out unless the caller says what they are, whatever is said of others and however
 * they are called. */
static void test_counting_columns(void **state)
{
    rung_ctx *ctx = *state;
    char path[] = "/tmp/rung_counts_XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    fputs("count,\"of,rows\",z,x,y\n", f);
    for (int i = 0; i < ROWS; i++) fprintf(f, "%d,%d,%d,%g,%d\n", i + 1, i, i % 7, i * 0.37 - i / 3, 1 + i % 3);
    fclose(f);
    const rung_encode_options options[] = {{.size = sizeof(rung_encode_options)},
                                           {.size = sizeof(rung_encode_options), .numeric = LIST("z")},
                                           {.size = sizeof(rung_encode_options), .nominal = LIST("z")},
                                           {.size = sizeof(rung_encode_options), .numeric = LIST("count")},
                                           {.size = sizeof(rung_encode_options), .ignore = LIST("count")},
                                           {.size = sizeof(rung_encode_options), .weights = "count"},
                                           {.size = sizeof(rung_encode_options), .ignore = LIST("x", "z")}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        for (int64_t most = 100; most <= 2 * ROWS; most += 2 * ROWS - 100) {
            rung_data *s;
            rung_data *data = encode_counts(ctx, path, &options[i], most, &s);
            assert_int_equal(s->code.n_columns, data->code.n_columns);
            for (int64_t j = 0; j < data->code.n_columns; j++)
                assert_string_equal(s->code.columns[j].name, data->code.columns[j].name);
            rung_data_free(s);
            rung_data_free(data);
        }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(test_sample_of_all),    WITH_CONTEXT(test_small_sample),
                                       WITH_CONTEXT(test_counters),         WITH_CONTEXT(test_models_of_all),
                                       WITH_CONTEXT(test_choice_per_row),   WITH_CONTEXT(test_small_sample_model),
                                       WITH_CONTEXT(test_single_precision), WITH_CONTEXT(test_thinned_products),
                                       WITH_CONTEXT(test_refused),          WITH_CONTEXT(test_counting_columns),
                                       WITH_CONTEXT(test_wide_text),        cmocka_unit_test(test_same_bits),
                                       WITH_CONTEXT(test_many_columns),     WITH_CONTEXT(test_threads_add_in_order),
                                       cmocka_unit_test(test_packed_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
