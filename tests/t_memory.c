// SPDX-License-Identifier: BSD-3-Clause
/* Memory that runs out: for every public call that allocates, its first allocation fails, then its second, ... until it
 * goes through; with all that come after it, and (t_memory every: each and every one) alone. Each failing call returns
 * RUNG_ENOMEM, holds no memory and leaves no file. The calls that fit go over the table of methods, so a new method is
 * covered by being listed.
 *
 * Counted are the allocations of the library (the linker sends them here: --wrap), of Jansson and of zlib (by their
 * hooks). Not those inside OpenBLAS and LAPACKE, nor the buffer in which Jansson collects the word it reads,
 * whose growth it does not check. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include "helper.h"

#include <dirent.h>
#include <jansson.h>
#include <limits.h>
#include <stdatomic.h>
#include <unistd.h>
#include <zlib.h>

#include "base/rng.h"

/* ---- the allocators ---- */

#define NONE LLONG_MAX /* fails */

static atomic_llong allowed = NONE, live, refused; /* allocations until one fails */
static bool alone;                                 /* those after it do not */

static bool refuse(void)
{
    if (atomic_load(&allowed) == NONE) return false;
    long long left = atomic_fetch_sub(&allowed, 1);
    if (left > 0 || (alone && left < 0)) return false;
    atomic_fetch_add(&refused, 1);
    return true;
}

static void *count(void *p)
{
    if (p) atomic_fetch_add(&live, 1);
    return p;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
int __real_posix_memalign(void **out, size_t alignment, size_t size);
void __real_free(void *p);
int __real_inflateInit2_(z_stream *z, int bits, const char *version, int size);
/* Visible, because shared libraries call some of them. */
#pragma GCC visibility push(default)
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
int __wrap_posix_memalign(void **out, size_t alignment, size_t size);
void __wrap_free(void *p);
int __wrap_inflateInit2_(z_stream *z, int bits, const char *version, int size);
#pragma GCC visibility pop

void *__wrap_malloc(size_t size) { return refuse() ? NULL : count(__real_malloc(size)); }
void *__wrap_calloc(size_t n, size_t size) { return refuse() ? NULL : count(__real_calloc(n, size)); }

int __wrap_posix_memalign(void **out, size_t alignment, size_t size)
{
    if (refuse()) return 12;
    int code = __real_posix_memalign(out, alignment, size);
    if (code == 0) count(*out);
    return code;
}

void __wrap_free(void *p)
{
    if (p) atomic_fetch_sub(&live, 1);
    __real_free(p);
}

static void *zlib_malloc(void *user, unsigned n, unsigned size)
{
    (void)user;
    return __wrap_malloc((size_t)n * size);
}

static void zlib_free(void *user, void *p)
{
    (void)user;
    __wrap_free(p);
}

int __wrap_inflateInit2_(z_stream *z, int bits, const char *version, int size)
{
    z->zalloc = zlib_malloc;
    z->zfree = zlib_free;
    return __real_inflateInit2_(z, bits, version, size);
}

/* Jansson's word buffer grows in powers of two; its first 16 bytes are checked. */
static bool json_reads;

static void *json_malloc(size_t size)
{
    bool word = json_reads && size >= 32 && (size & (size - 1)) == 0;
    return word ? count(__real_malloc(size)) : __wrap_malloc(size);
}

/* ---- what the calls work on ---- */

enum { ROWS = 24, COLUMNS = 4, CLASSES = 3, OUTPUTS = 16 };

typedef struct {
    rung_ctx *ctx;
    char folder[32], file[64], csv[64], gzip[64], libsvm[64], arff[64];
    double x[ROWS * COLUMNS];
    int y[ROWS];
    rung_view view;
    rung_data *data;
    const rung_method *method;
    rung_spec *spec;
    rung_model *model;
    char *saved; /* the bytes of the model file */
    int64_t saved_size;
    int before; /* files in the folder */
} place;

static int files_in(const char *folder)
{
    DIR *d = opendir(folder);
    int n = 0;
    while (d && readdir(d)) n++;
    closedir(d);
    return n;
}

/* Allocations fail in turn: all of the first ones, then ever wider steps. */
#ifdef __SANITIZE_ADDRESS__ /* slow; the plain build tries more */
static int64_t dense = 12;
#else
static int64_t dense = 40;
#endif
static bool
    every; /* without steps (but in searches, which allocate more often than the rest together), and alone, too */
static long long tried;

static void fail_in_turn(place *p, rung_status (*call)(place *), const char *name)
{
    const char *method = p->method ? p->method->name : "";
    p->before = files_in(p->folder);
    for (int64_t k = 0;; k += 1 + k / dense, tried++) {
        long long held = atomic_load(&live);
        atomic_store(&allowed, k);
        atomic_store(&refused, 0);
        rung_status status = call(p);
        atomic_store(&allowed, NONE);
        if (status == RUNG_OK && k == 0) fail_msg("%s %s allocates nothing", name, method);
        if (status == RUNG_OK && !atomic_load(&refused)) return;
        if (status == RUNG_OK && json_reads) continue; /* it did without; what it read is checked */
        if (status == RUNG_OK) fail_msg("%s %s, allocation %lld: no failure is told", name, method, (long long)k);
        if (status != RUNG_ENOMEM)
            fail_msg("%s %s, allocation %lld: %s: %s", name, method, (long long)k, rung_status_name(status),
                     p->ctx ? rung_ctx_message(p->ctx) : "");
        if (atomic_load(&live) != held)
            fail_msg("%s %s, allocation %lld: %lld blocks are left", name, method, (long long)k,
                     atomic_load(&live) - held);
        if (files_in(p->folder) != p->before)
            fail_msg("%s %s, allocation %lld: a file is left", name, method, (long long)k);
    }
}

static void fail_each(place *p, rung_status (*call)(place *), const char *name)
{
    for (int once = 0; once <= every; once++) {
        alone = once;
        fail_in_turn(p, call, name);
    }
}
#define FAIL_EACH(p, call) fail_each(p, call, #call)

static void write_file(const char *path, const char *text, bool packed)
{
    gzFile file = gzopen(path, packed ? "wb9" : "wbT");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, text, (unsigned)strlen(text)), strlen(text));
    assert_int_equal(gzclose(file), Z_OK);
}

static int open_place(void **state)
{
    static place p;
    p = (place){.folder = "/tmp/rung-memory-XXXXXX"};
    if (!mkdtemp(p.folder) || rung_ctx_new(&p.ctx) != RUNG_OK) return -1;
    rung_ctx_set_threads(p.ctx, 1);
    snprintf(p.file, sizeof p.file, "%s/model.rung", p.folder);
    snprintf(p.csv, sizeof p.csv, "%s/a.csv", p.folder);
    snprintf(p.gzip, sizeof p.gzip, "%s/a.csv.gz", p.folder);
    snprintf(p.libsvm, sizeof p.libsvm, "%s/a.libsvm", p.folder);
    snprintf(p.arff, sizeof p.arff, "%s/a.arff", p.folder);
    char csv
        [2048] = "size,colour,weight,mark\n",
     libsvm[2048] = "",
     arff[2048] =
         "@relation r\n@attribute size numeric\n@attribute colour {red,green}\n@attribute mark {low,mid,high}\n@data\n";
    static const char *const marks[] = {"low", "mid", "high"};
    rng r;
    rng_open(&r, 5, 1);
    for (int i = 0; i < ROWS; i++) {
        int y = 1 + i % CLASSES;
        p.y[i] = i % 4 == 3 && i >= CLASSES ? 0 : y;
        for (int j = 0; j < COLUMNS; j++) p.x[i * COLUMNS + j] = 0.5 * rng_normal(&r) + (j == 0 ? y : 0);
        const char *colour = i % 2 ? "red" : "green";
        snprintf(csv + strlen(csv), sizeof csv - strlen(csv), "%.3f,%s,%s,%d\n", p.x[i * COLUMNS], colour,
                 i == 5 ? "" : "1", y);
        snprintf(libsvm + strlen(libsvm), sizeof libsvm - strlen(libsvm), "%d 1:%.3f 7:%.3f\n", y, p.x[i * COLUMNS],
                 p.x[i * COLUMNS + 1]);
        snprintf(arff + strlen(arff), sizeof arff - strlen(arff), "%.3f,%s,%s\n", p.x[i * COLUMNS], colour,
                 marks[y - 1]);
    }
    write_file(p.csv, csv, false);
    write_file(p.gzip, csv, true);
    write_file(p.libsvm, libsvm, false);
    write_file(p.arff, arff, false);
    p.view = (rung_view){.v = p.x, .n = ROWS, .d = COLUMNS, .row = COLUMNS, .col = 1};
    *state = &p;
    return rung_data_new(p.ctx, &p.view, p.y, NULL, CLASSES, &p.data) == RUNG_OK ? 0 : -1;
}

static int close_place(void **state)
{
    place *p = *state;
    rung_data_free(p->data);
    rung_ctx_free(p->ctx);
    unlink(p->file);
    unlink(p->csv);
    unlink(p->gzip);
    unlink(p->libsvm);
    unlink(p->arff);
    return rmdir(p->folder);
}

static bool has_param(const rung_method *m, const char *name) { return rung_method_param_find(m, name) != NULL; }

/* ---- data ---- */

static rung_status open_call(place *p)
{
    (void)p;
    rung_ctx *ctx;
    rung_status status = rung_ctx_new(&ctx);
    rung_ctx_free(ctx);
    return status;
}

static const char *read_path, *read_label;

static rung_status read_and_encode(place *p)
{
    rung_table *table = NULL;
    rung_data *data = NULL;
    rung_encode_options options = {.size = sizeof options, .label = read_label};
    rung_status status = rung_table_read(p->ctx, read_path, NULL, &table);
    assert_int_equal(status == RUNG_OK, table != NULL);
    if (status == RUNG_OK) status = rung_data_encode(p->ctx, table, &options, &data);
    assert_int_equal(status == RUNG_OK, data != NULL);
    rung_data_free(data);
    rung_table_free(table);
    return status;
}

/* The same rows twice, under two names. */
static rung_status read_several(place *p)
{
    rung_files *files = NULL;
    rung_table *table = NULL;
    char pattern[64];
    snprintf(pattern, sizeof pattern, "%s/a.csv*", p->folder);
    rung_status status = rung_files_new(p->ctx, (const char *const[]){pattern, NULL}, &files);
    assert_int_equal(status == RUNG_OK, files != NULL);
    if (status == RUNG_OK) status = rung_table_read_files(p->ctx, files, NULL, &table);
    assert_int_equal(status == RUNG_OK, table != NULL);
    if (table) assert_int_equal(rung_table_rows(table), 2 * ROWS);
    rung_table_free(table);
    rung_files_free(files);
    return status;
}

/* The same in passes, and a model of them. */
static rung_status fit_in_passes(place *p)
{
    rung_files *files = NULL;
    rung_data *data = NULL;
    rung_model *model = NULL;
    rung_encode_options options = {.size = sizeof options, .label = "mark"};
    rung_status status = rung_files_new(p->ctx, (const char *const[]){p->csv, p->gzip, NULL}, &files);
    if (status == RUNG_OK) status = rung_data_open(p->ctx, p->spec, files, NULL, &options, RUNG_PASSES_ALWAYS, &data);
    assert_int_equal(status == RUNG_OK, data != NULL);
    if (status == RUNG_OK) status = rung_model_fit(p->ctx, p->spec, data, &model);
    assert_int_equal(status == RUNG_OK, model != NULL);
    rung_model_free(model);
    rung_data_free(data);
    rung_files_free(files);
    return status;
}

static rung_status read_in_blocks(place *p)
{
    rung_reader *reader = NULL;
    rung_table *block = NULL;
    rung_status status = rung_reader_open(p->ctx, read_path, NULL, NULL, &reader);
    do {
        rung_table_free(block);
        block = NULL;
        if (status == RUNG_OK) status = rung_reader_next(p->ctx, reader, 10, &block);
    } while (block);
    rung_reader_free(reader);
    return status;
}

static rung_status table_in_memory(place *p)
{
    static const char *const values[] = {"red", "green"};
    int32_t code[ROWS];
    for (int i = 0; i < ROWS; i++) code[i] = i % 2;
    rung_table *table = NULL;
    rung_metrics metrics = {.size = sizeof metrics};
    rung_status status = rung_table_new(p->ctx, ROWS, &table);
    if (status == RUNG_OK) status = rung_table_add_numbers(p->ctx, table, "size", p->x, COLUMNS);
    if (status == RUNG_OK) status = rung_table_add_text(p->ctx, table, "colour", code, values, 2, 1);
    if (status == RUNG_OK)
        status = rung_metrics_compute_table(p->ctx, table, "colour", "colour", "red<green", &metrics);
    rung_table_free(table);
    return status;
}

static rung_status data_from_memory(place *p)
{
    static const char *const columns[] = {"a", "b", "c", "d"}, *const classes[] = {"low", "mid", "high"};
    int64_t rows[ROWS];
    double target[ROWS], weight[ROWS];
    for (int i = 0; i < ROWS; i++) rows[i] = i, target[i] = p->x[i], weight[i] = 1;
    rung_data *data = NULL, *part = NULL, *real = NULL, *made = NULL;
    rung_status status = rung_data_new(p->ctx, &p->view, p->y, weight, CLASSES, &data);
    if (status == RUNG_OK) status = rung_data_set_names(p->ctx, data, columns, "mark", classes);
    if (status == RUNG_OK) status = rung_data_subset(p->ctx, data, ROWS / 2, rows, NULL, &part);
    if (status == RUNG_OK) status = rung_data_new_real(p->ctx, &p->view, target, weight, &real);
    if (status == RUNG_OK) status = rung_data_generate(p->ctx, "toy", ROWS, -1, 0.5, &made);
    rung_data_free(data);
    rung_data_free(part);
    rung_data_free(real);
    rung_data_free(made);
    return status;
}

static rung_status measure(place *p)
{
    int y[ROWS];
    double proba[ROWS * CLASSES], ece;
    rung_metrics metrics = {.size = sizeof metrics};
    rung_real_metrics real = {.size = sizeof real};
    rung_reliability_bin bins[4];
    for (int i = 0; i < ROWS; i++) y[i] = 1 + i % CLASSES;
    for (int i = 0; i < ROWS * CLASSES; i++) proba[i] = 1.0 / CLASSES;
    const rung_metrics_options how = {.size = sizeof how, .proba = proba};
    rung_status status = rung_metrics_compute(p->ctx, ROWS, CLASSES, y, y, &how, &metrics);
    if (status == RUNG_OK) status = rung_reliability_compute(p->ctx, ROWS, CLASSES, y, proba, 4, bins, &ece);
    if (status == RUNG_OK) status = rung_real_metrics_compute(p->ctx, ROWS, p->x, p->x, &real);
    if (status == RUNG_OK) status = rung_ranks_hide(p->ctx, ROWS, y, CLASSES, 0.5, 0);
    return status;
}

static void test_data(void **state)
{
    place *p = *state;
    FAIL_EACH(p, open_call);
    const struct {
        const char *path, *label;
    } files[] = {{p->csv, "mark"}, {p->gzip, "mark"}, {p->libsvm, NULL}, {p->arff, NULL}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        read_path = files[i].path;
        read_label = files[i].label;
        FAIL_EACH(p, read_and_encode);
        FAIL_EACH(p, read_in_blocks);
    }
    FAIL_EACH(p, read_several);
    assert_ok(p->ctx, rung_spec_new(p->ctx, "pom", 0, &p->spec));
    assert_ok(p->ctx, rung_spec_set(p->ctx, p->spec, "calibrate", "0"));
    FAIL_EACH(p, fit_in_passes);
    rung_spec_free(p->spec);
    p->spec = NULL;
    FAIL_EACH(p, table_in_memory);
    FAIL_EACH(p, data_from_memory);
    FAIL_EACH(p, measure);
}

/* ---- every method ---- */

static rung_status make_spec(place *p)
{
    rung_spec *spec = NULL;
    rung_status status = rung_spec_new(p->ctx, p->method->name, 0, &spec);
    if (status == RUNG_OK) status = rung_spec_set_scale(p->ctx, spec, "rank");
    if (status == RUNG_OK && p->method->flags & RUNG_METHOD_WEIGHTS)
        status = rung_spec_set_class_weight(p->ctx, spec, "1", 2);
    if (status == RUNG_OK && has_param(p->method, "gamma")) status = rung_spec_set(p->ctx, spec, "gamma", "0.5");
    rung_spec_free(spec);
    return status;
}

static rung_status fit(place *p)
{
    rung_model *model;
    rung_status status = rung_model_fit(p->ctx, p->spec, p->data, &model);
    assert_int_equal(status == RUNG_OK, model != NULL);
    rung_model_free(model);
    return status;
}

static rung_status predict(place *p)
{
    int rank[ROWS], low[ROWS], high[ROWS];
    double score[ROWS * OUTPUTS], proba[ROWS * CLASSES];
    assert_true(rung_model_outputs(p->model) <= OUTPUTS);
    bool ranges = rung_model_interval(p->model) != NULL;
    rung_output out = {.size = sizeof out,
                       .rank = rung_model_has_ranks(p->model) ? rank : NULL,
                       .score = score,
                       .proba = rung_model_has_probabilities(p->model) ? proba : NULL,
                       .low = ranges ? low : NULL,
                       .high = ranges ? high : NULL};
    const rung_predict_options how = {.size = sizeof how, .level = 0.8};
    return rung_model_predict(p->ctx, p->model, &p->view, &how, &out);
}

static rung_status describe(place *p)
{
    char *text;
    rung_status status = rung_model_describe(p->ctx, p->model, &text);
    assert_int_equal(status == RUNG_OK, text != NULL);
    rung_free(text);
    return status;
}

static rung_status export(place *p)
{
    char *bytes;
    int64_t size;
    rung_export_options options = {.size = sizeof options, .with_rows = 1};
    rung_status status = RUNG_OK;
    const char *form;
    for (int i = 0; status == RUNG_OK && (form = rung_export_target(i)); i++) {
        status = rung_model_export(p->ctx, p->model, form, &options, &bytes, &size);
        assert_int_equal(status == RUNG_OK, bytes != NULL);
        rung_free(bytes);
    }
    return status;
}

static rung_status save(place *p)
{
    rung_status status = rung_model_save(p->ctx, p->model, p->file);
    if (status == RUNG_OK) unlink(p->file);
    return status;
}

static rung_status save_memory(place *p)
{
    char *bytes;
    int64_t size;
    rung_status status = rung_model_save_memory(p->ctx, p->model, &bytes, &size);
    assert_int_equal(status == RUNG_OK, bytes != NULL);
    rung_free(bytes);
    return status;
}

/* What was read is what was saved, to the byte. */
static rung_status load(place *p)
{
    rung_model *model;
    rung_status status = rung_model_load(p->ctx, p->file, &model);
    assert_int_equal(status == RUNG_OK, model != NULL);
    if (status == RUNG_OK) {
        char *bytes;
        int64_t size;
        atomic_store(&allowed, NONE);
        assert_ok(p->ctx, rung_model_save_memory(p->ctx, model, &bytes, &size));
        assert_int_equal(size, p->saved_size);
        assert_memory_equal(bytes, p->saved, (size_t)size);
        rung_free(bytes);
    }
    rung_model_free(model);
    return status;
}

static rung_status load_memory(place *p)
{
    rung_model *model;
    rung_status status = rung_model_load_memory(p->ctx, p->saved, p->saved_size, &model);
    assert_int_equal(status == RUNG_OK, model != NULL);
    rung_model_free(model);
    return status;
}

static rung_status verify(place *p)
{
    rung_verification *found;
    rung_status status = rung_model_verify(p->ctx, p->spec, p->data, p->model, &found);
    assert_int_equal(status == RUNG_OK, found != NULL);
    rung_verification_free(found);
    return status;
}

static rung_status update(place *p)
{
    rung_model *model;
    rung_status status = rung_model_update(p->ctx, p->model, p->data, &model);
    assert_int_equal(status == RUNG_OK, model != NULL);
    rung_model_free(model);
    return status;
}

static void test_each_method(void **state)
{
    place *p = *state;
    for (int i = 0; (p->method = rung_method_at(i)); i++) {
        bool updatable = p->method->flags & RUNG_METHOD_UPDATABLE;
        FAIL_EACH(p, make_spec);
        assert_ok(p->ctx, rung_spec_new(p->ctx, p->method->name, 0, &p->spec));
        if (has_param(p->method, "calibrate")) assert_ok(p->ctx, rung_spec_set(p->ctx, p->spec, "calibrate", "2"));
        assert_ok(p->ctx, rung_spec_set_keep_data(p->ctx, p->spec, updatable));
        FAIL_EACH(p, fit);
        assert_ok(p->ctx, rung_model_fit(p->ctx, p->spec, p->data, &p->model));
        FAIL_EACH(p, predict);
        FAIL_EACH(p, describe);
        FAIL_EACH(p, export);
        FAIL_EACH(p, save);
        FAIL_EACH(p, save_memory);
        assert_ok(p->ctx, rung_model_save(p->ctx, p->model, p->file));
        assert_ok(p->ctx, rung_model_save_memory(p->ctx, p->model, &p->saved, &p->saved_size));
        json_reads = true;
        FAIL_EACH(p, load);
        FAIL_EACH(p, load_memory);
        FAIL_EACH(p, verify);
        json_reads = false;
        rung_free(p->saved);
        if (updatable) FAIL_EACH(p, update);
        rung_model_free(p->model);
        rung_spec_free(p->spec);
        unlink(p->file);
    }
}

/* ---- searches, and what needs a model of a file ---- */

static const rung_tune_options *search;

static rung_status tune(place *p)
{
    rung_model *model;
    rung_search *found;
    char *report = NULL;
    rung_status status = rung_tune_run(p->ctx, search, p->data, &model, &found);
    assert_int_equal(status == RUNG_OK, model != NULL);
    assert_int_equal(status == RUNG_OK, found != NULL);
    if (status == RUNG_OK) {
        status = rung_search_describe(p->ctx, found, &report);
        assert_int_equal(status == RUNG_OK, report != NULL);
    }
    rung_model_free(model);
    rung_search_free(found);
    rung_free(report);
    return status;
}

static rung_status curve(place *p)
{
    static const int sizes[] = {2, 3};
    const rung_curve_options options = {.size = sizeof options,
                                        .methods = (const char *const[]){"kdlor", "s-dl", NULL},
                                        .sizes = sizes,
                                        .n_sizes = 2,
                                        .repeats = 2};
    rung_curve *out;
    char *report = NULL;
    rung_status status = rung_curve_run(p->ctx, &options, p->data, &out);
    assert_int_equal(status == RUNG_OK, out != NULL);
    if (status == RUNG_OK) {
        status = rung_curve_describe(p->ctx, out, &report);
        assert_int_equal(status == RUNG_OK, report != NULL);
    }
    rung_curve_free(out);
    rung_free(report);
    return status;
}

static rung_status suggestion(place *p)
{
    rung_spec *spec = NULL;
    rung_suggestion *out = NULL;
    const rung_suggest_options options = {.size = sizeof options, .n = 3};
    rung_status status = rung_spec_new(p->ctx, "pom", 0, &spec);
    if (status == RUNG_OK) status = rung_suggest_run(p->ctx, spec, p->data, &options, &out);
    assert_int_equal(status == RUNG_OK, out != NULL);
    rung_suggestion_free(out);
    rung_spec_free(spec);
    return status;
}

static rung_status importance_of_method(place *p)
{
    rung_importance *found;
    rung_spec *spec = NULL;
    rung_status status = rung_spec_new(p->ctx, "pom", 0, &spec);
    const rung_importance_options options = {.size = sizeof options, .repeats = 1, .folds = 2};
    if (status != RUNG_OK) return status;
    status = rung_importance_held_out(p->ctx, spec, p->data, &options, &found);
    assert_int_equal(status == RUNG_OK, found != NULL);
    rung_importance_free(found);
    rung_spec_free(spec);
    return status;
}

/* Effects, a map, contributions and changes, and costs, of a model that is made before. */
static rung_status explanations(place *p)
{
    rung_effects *effects = NULL;
    rung_row *why = NULL;
    rung_spec *spec = NULL;
    rung_model *model = NULL;
    rung_status status = rung_spec_new(p->ctx, "pom", 0, &spec);
    const rung_effects_options map = {.size = sizeof map, .columns = LIST("1", "2"), .points = 2, .pair = 1};
    const rung_row_options row = {.size = sizeof row, .rows = 2};
    if (status == RUNG_OK) status = rung_spec_set_cost(p->ctx, spec, rung_data_classes(p->data), NULL, 0.4);
    if (status == RUNG_OK) status = rung_ctx_set_note(p->ctx, "command", "test");
    if (status == RUNG_OK) status = rung_model_fit(p->ctx, spec, p->data, &model);
    if (status == RUNG_OK) status = rung_effects_run(p->ctx, model, p->data, &map, &effects);
    rung_effects_free(effects);
    if (status == RUNG_OK) status = rung_row_explain(p->ctx, model, p->data, &row, &why);
    rung_row_free(why);
    rung_model_free(model);
    rung_spec_free(spec);
    rung_status removed = rung_ctx_set_note(p->ctx, "command", NULL);
    return status == RUNG_OK ? removed : status;
}

static void test_searches(void **state)
{
    place *p = *state;
    int64_t usual = dense;
    if (every) dense = 400;
    static const char *const grids[] = {"gamma=0.5,1", NULL}, *const both[] = {"kdlor", "svorim", NULL};
    const rung_tune_options plain = {.size = sizeof plain, .grids = grids, .methods = both, .folds = 2, .repeats = 1},
                            nested = {.size = sizeof nested,
                                      .grids = grids,
                                      .methods = (const char *const[]){"kdlor", NULL},
                                      .folds = 2,
                                      .repeats = 1,
                                      .nested = 1},
                            evidence = {.size = sizeof evidence,
                                        .methods = (const char *const[]){"gpor", NULL},
                                        .metric = "evidence"};
    for (int threads = 1; threads <= 2; threads++) {
        rung_ctx_set_threads(p->ctx, threads);
        search = &plain;
        FAIL_EACH(p, tune);
    }
    search = &nested;
    FAIL_EACH(p, tune);
    search = &evidence;
    FAIL_EACH(p, tune);
    FAIL_EACH(p, curve);
    FAIL_EACH(p, suggestion);
    FAIL_EACH(p, importance_of_method);
    FAIL_EACH(p, explanations);
    dense = usual;
}

static rung_status read_with_model(place *p)
{
    rung_reader *reader = NULL;
    rung_table *table = NULL;
    rung_data *data = NULL;
    rung_status status = rung_reader_open(p->ctx, p->csv, NULL, p->model, &reader);
    if (status == RUNG_OK) status = rung_reader_next(p->ctx, reader, ROWS, &table);
    if (status == RUNG_OK) status = rung_model_encode(p->ctx, p->model, table, RUNG_LABELS_OPTIONAL, &data);
    assert_int_equal(status == RUNG_OK, data != NULL);
    rung_data_free(data);
    rung_table_free(table);
    rung_reader_free(reader);
    return status;
}

static rung_status predict_training(place *p)
{
    int rank[ROWS];
    double proba[ROWS * CLASSES];
    const rung_output out = {.size = sizeof out, .rank = rank, .proba = proba};
    return rung_model_predict_training(p->ctx, p->model, NULL, &out);
}

static void test_models_of_files(void **state)
{
    place *p = *state;
    rung_table *table;
    rung_data *data;
    rung_encode_options options = {.size = sizeof options, .label = "mark"};
    assert_ok(p->ctx, rung_table_read(p->ctx, p->csv, NULL, &table));
    assert_ok(p->ctx, rung_data_encode(p->ctx, table, &options, &data));
    assert_ok(p->ctx, rung_spec_new(p->ctx, "kdlor", 0, &p->spec));
    assert_ok(p->ctx, rung_model_fit(p->ctx, p->spec, data, &p->model));
    FAIL_EACH(p, read_with_model);
    rung_model_free(p->model);
    rung_spec_free(p->spec);
    rung_data_free(data);
    rung_table_free(table);
    assert_ok(p->ctx, rung_spec_new(p->ctx, "llgc", 0, &p->spec));
    assert_ok(p->ctx, rung_model_fit(p->ctx, p->spec, p->data, &p->model));
    FAIL_EACH(p, predict_training);
    rung_model_free(p->model);
    rung_spec_free(p->spec);
}

int main(int argc, char **argv)
{
    every = argc > 1 && strcmp(argv[1], "every") == 0;
    if (every) dense = INT64_MAX;
    json_set_alloc_funcs(json_malloc, __wrap_free);
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_place, close_place)
    const struct CMUnitTest tests[] = {TEST(test_data), TEST(test_each_method), TEST(test_searches),
                                       TEST(test_models_of_files)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("%lld allocations failed\n", tried);
    return failed;
}
