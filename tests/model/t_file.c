// SPDX-License-Identifier: BSD-3-Clause
/* Model files: what is saved comes back bit by bit, and whatever else a file may hold is refused without harm. */
#define _XOPEN_SOURCE 700
#include "model/models.h"

#include <dirent.h>
#include <jansson.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/rng.h"

enum { LENGTH = 8, DIGITS_AT = 37 }; /* the checksum follows {"__metadata__":{"checksum":" */

typedef struct {
    rung_ctx *ctx;
    char folder[64], path[80];
} place;

static int open_place(void **state)
{
    place *p = calloc(1, sizeof *p);
    if (!p || context_new(&p->ctx) != RUNG_OK) return -1;
    const char *base = getenv("TMPDIR");
    snprintf(p->folder, sizeof p->folder, "%.32s/rung-XXXXXX", base && base[0] && strlen(base) <= 32 ? base : "/tmp");
    if (!mkdtemp(p->folder)) return -1;
    snprintf(p->path, sizeof p->path, "%s/m.rung", p->folder);
    *state = p;
    return 0;
}

static int close_place(void **state)
{
    place *p = *state;
    unlink(p->path);
    int left = rmdir(p->folder); /* fails if a test left a file behind */
    context_free(p->ctx);
    free(p);
    return left;
}

static int files_in(const char *folder)
{
    int n = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));) n += e->d_name[0] != '.';
    closedir(dir);
    return n;
}

/* ---- files as bytes ---- */

typedef struct {
    unsigned char *v;
    size_t n;
} bytes;

static bytes read_bytes(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    bytes b = {.n = (size_t)ftell(file)};
    rewind(file);
    b.v = malloc(b.n + 1);
    assert_non_null(b.v);
    assert_int_equal(fread(b.v, 1, b.n, file), b.n);
    fclose(file);
    return b;
}

static void write_bytes(const char *path, const unsigned char *v, size_t n)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(v, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

/* Puts the right checksum into a file that was tampered with. */
static void seal(bytes b)
{
    char digits[9];
    if (b.n < DIGITS_AT + 8) return;
    memcpy(b.v + DIGITS_AT, "00000000", 8);
    snprintf(digits, sizeof digits, "%08lx", crc32(crc32(0, NULL, 0), b.v, (uInt)b.n));
    memcpy(b.v + DIGITS_AT, digits, 8);
}

static bytes saved(place *p, model_kind kind)
{
    rung_model *m = make_model(p->ctx, kind);
    assert_ok(p->ctx, model_save(p->ctx, m, p->path));
    model_free(m);
    return read_bytes(p->path);
}

static size_t header_length(bytes b)
{
    size_t n = 0;
    for (int i = LENGTH - 1; i >= 0; i--) n = n * 256 + b.v[i];
    return n;
}

/* A file from a header and arrays, sealed. */
static bytes forged(const char *header, size_t length, const unsigned char *data, size_t size)
{
    size_t padded = (length + 7) / 8 * 8;
    bytes b = {malloc(LENGTH + padded + size), LENGTH + padded + size};
    assert_non_null(b.v);
    for (int i = 0; i < LENGTH; i++) b.v[i] = (unsigned char)(padded >> (8 * i));
    memset(b.v + LENGTH, ' ', padded);
    memcpy(b.v + LENGTH, header, length);
    if (size) memcpy(b.v + LENGTH + padded, data, size);
    seal(b);
    return b;
}

static void load_fails(place *p, const char *words)
{
    rung_model *m = (rung_model *)p;
    assert_fails(p->ctx, model_load(p->ctx, p->path, &m), RUNG_EFORMAT, words);
    assert_null(m);
    assert_non_null(strstr(p->ctx->message, p->path));
}

/* ---- there and back ---- */

enum { ROWS = 40, CLASSES = 4, ANSWERS = 2 * ROWS * (MOST_OUTPUTS + 1 + CLASSES) }; /* new rows, training rows */

static void predict_all(rung_ctx *ctx, const rung_model *m, double *out)
{
    double x[ROWS * D];
    int rank[ROWS] = {0};
    for (int i = 0; i < ROWS * D; i++) x[i] = i % 5 ? some(i) : 0.5; /* also at knots */
    rung_view X = {x, ROWS, D, D, 1};
    memset(out, 0, ANSWERS * sizeof *out);
    rung_output wanted = {.rank = model_has_ranks(m) ? rank : NULL,
                          .score = out,
                          .proba = model_has_probabilities(m) ? out + (MOST_OUTPUTS + 1) * (ptrdiff_t)ROWS : NULL};
    assert_ok(ctx, model_predict(ctx, m, &X, NULL, &wanted));
    for (int i = 0; i < ROWS; i++) out[MOST_OUTPUTS * ROWS + i] = rank[i];
    if (m->training.n == 0) return;
    wanted.score += ANSWERS / 2;
    if (wanted.proba) wanted.proba += ANSWERS / 2;
    assert_ok(ctx, model_predict_training(ctx, m, NULL, &wanted));
    for (int i = 0; i < TRAINED; i++) out[ANSWERS / 2 + MOST_OUTPUTS * ROWS + i] = rank[i];
}

static void test_round_trip(void **state)
{
    place *p = *state;
    rung_ctx *ctx = p->ctx;
    for (int kind = 0; kind < MODEL_KINDS; kind++) {
        double before[ANSWERS], after[ANSWERS];
        rung_model *m = make_model(ctx, (model_kind)kind), *copy = NULL;
        char *text = NULL, *copied = NULL;
        predict_all(ctx, m, before);
        assert_ok(ctx, model_describe(ctx, m, &text));
        assert_ok(ctx, model_save(ctx, m, p->path));
        assert_int_equal(files_in(p->folder), 1);
        bytes first = read_bytes(p->path);
        assert_int_equal(header_length(first) % 8, 0);
        assert_ok(ctx, model_load(ctx, p->path, &copy));
        model_free(m);
        predict_all(ctx, copy, after);
        assert_memory_equal(before, after, sizeof before);
        assert_ok(ctx, model_describe(ctx, copy, &copied));
        assert_string_equal(text, copied);
        assert_ok(ctx, model_save(ctx, copy, p->path));
        bytes second = read_bytes(p->path);
        assert_int_equal(first.n, second.n);
        assert_memory_equal(first.v, second.v, first.n);
        model_free(copy);
        free(first.v), free(second.v), rung_free(text), rung_free(copied);
        assert_int_equal(pool_live_blocks(), 0);
    }
}

static void test_every_field_comes_back(void **state)
{
    place *p = *state;
    free(saved(p, MODEL_RBF).v);
    rung_model *m = NULL, *w = make_model(p->ctx, MODEL_RBF);
    assert_ok(p->ctx, model_load(p->ctx, p->path, &m));
    assert_string_equal(m->method, "kdlor");
    assert_string_equal(m->library, "0.1.0");
    assert_int_equal(m->n_params, 3);
    assert_string_equal(m->params[0].name, "C");
    assert_string_equal(m->params[0].value, "10");
    assert_null(m->params[1].value);
    assert_true(m->code.has_names);
    assert_int_equal(m->code.n_columns, 2);
    assert_int_equal(m->code.d, D);
    assert_string_equal(m->code.label, "grade");
    assert_int_equal(m->code.label_position, 1);
    assert_int_equal(m->code.file_columns, 3);
    assert_int_equal(m->code.n_classes, 4);
    assert_string_equal(m->code.classes[3], w->code.classes[3]);
    assert_string_equal(m->code.columns[0].name, "age");
    assert_true(m->code.columns[0].fill == 0.1 && !m->code.columns[0].nominal);
    assert_int_equal(m->code.columns[1].n_categories, 3);
    assert_int_equal(m->code.columns[1].first, 1);
    assert_string_equal(m->code.columns[1].categories[0], "");
    assert_string_equal(m->code.columns[1].categories[2], "red");
    assert_memory_equal(m->present, w->present, 3 * sizeof(int));
    assert_int_equal(m->n_rows, 12);
    assert_int_equal(m->n_labelled, 7);
    assert_int_equal(m->n_expansion, TERMS);
    assert_int_equal(m->n_report, 2);
    assert_int_equal(m->report[0].n, -1);
    assert_memory_equal(m->report[0].value, w->report[0].value, sizeof(double));
    assert_int_equal(m->report[1].n, 3);
    assert_memory_equal(m->report[1].value, w->report[1].value, 3 * sizeof(double));
    assert_true(m->has_cv);
    assert_memory_equal(&m->cv, &w->cv, sizeof m->cv);
    const member *a = m->members, *b = w->members;
    assert_int_equal(a->score.k.kind, KERNEL_RBF);
    assert_true(a->score.k.gamma == b->score.k.gamma && a->weight == 1 && a->cal.a == 1.7);
    assert_memory_equal(a->score.rows, b->score.rows, D * TERMS * sizeof(double));
    assert_memory_equal(a->score.coef, b->score.coef, TERMS * sizeof(double));
    assert_memory_equal(a->map.f, b->map.f, 3 * sizeof(double));
    assert_memory_equal(a->cal.c, b->cal.c, 2 * sizeof(double));
    model_free(m);
    model_free(w);
}

static void test_new_parts_come_back(void **state)
{
    place *p = *state;
    rung_model *m = NULL, *w = NULL;
    model_kind kinds[] = {MODEL_MEANS, MODEL_SOFT, MODEL_GAUSSIAN, MODEL_BINARY, MODEL_REAL, MODEL_UNLABELLED};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        free(saved(p, kinds[i]).v);
        w = make_model(p->ctx, kinds[i]);
        assert_ok(p->ctx, model_load(p->ctx, p->path, &m));
        const member *a = m->members, *b = w->members;
        int outputs = b->score.outputs;
        assert_int_equal(a->score.outputs, outputs);
        assert_int_equal(a->score.neighbours, b->score.neighbours);
        assert_int_equal(a->score.weights, b->score.weights);
        assert_true(a->score.width == b->score.width);
        assert_true((a->score.bias == NULL) == (b->score.bias == NULL));
        assert_memory_equal(a->score.coef, b->score.coef, (size_t)(b->score.m * outputs) * sizeof(double));
        assert_int_equal(a->decide.kind, b->decide.kind);
        if (b->decide.means)
            assert_memory_equal(a->decide.means, b->decide.means, (size_t)(3 * outputs) * sizeof(double));
        assert_int_equal(m->code.real, w->code.real);
        assert_true((m->code.edges == NULL) == (w->code.edges == NULL));
        if (w->code.edges) assert_memory_equal(m->code.edges, w->code.edges, 3 * sizeof(double));
        assert_int_equal(m->training.n, w->training.n);
        if (w->training.n)
            assert_memory_equal(m->training.output, w->training.output, (size_t)(TRAINED * outputs) * sizeof(double));
        assert_true((m->training.label == NULL) == (w->training.label == NULL));
        if (w->training.label) assert_memory_equal(m->training.label, w->training.label, TRAINED * sizeof(int));
        model_free(m);
        model_free(w);
    }
}

static void test_kept_rows_come_back(void **state)
{
    place *p = *state;
    rung_model *m = NULL, *w = make_model(p->ctx, MODEL_LAPLACIAN);
    const kept_data *a, *b = &w->kept;
    free(saved(p, MODEL_LAPLACIAN).v);
    assert_ok(p->ctx, model_load(p->ctx, p->path, &m));
    a = &m->kept;
    assert_int_equal(a->n, 7);
    assert_int_equal(a->width, 2);
    assert_memory_equal(a->rows, b->rows, 7 * D * sizeof(double));
    assert_memory_equal(a->label, b->label, 7 * sizeof(int));
    assert_memory_equal(a->weight, b->weight, 7 * sizeof(double));
    assert_memory_equal(a->class_weight, b->class_weight, 4 * sizeof(double));
    assert_memory_equal(a->state, b->state, 14 * sizeof(double));
    model_free(m);
    w->kept.weight = w->kept.class_weight = NULL;
    assert_ok(p->ctx, model_save(p->ctx, w, p->path));
    assert_ok(p->ctx, model_load(p->ctx, p->path, &m));
    assert_int_equal(m->kept.n, 7);
    assert_null(m->kept.weight);
    assert_null(m->kept.class_weight);
    model_free(m);
    model_free(w);
}

/* ---- damage ---- */

static void test_every_flipped_byte_is_refused(void **state)
{
    place *p = *state;
    const unsigned char masks[] = {0x01, 0x20, 0xff};
    model_kind kinds[] = {MODEL_CONSTANT, MODEL_GAUSSIAN};
    for (size_t kind = 0; kind < 2; kind++) {
        bytes b = saved(p, kinds[kind]);
        for (size_t i = 0; i < b.n; i++)
            for (int k = 0; k < 3; k++) {
                b.v[i] ^= masks[k];
                write_bytes(p->path, b.v, b.n);
                load_fails(p, "");
                b.v[i] ^= masks[k];
            }
        free(b.v);
    }
}

static void other_lengths_are_refused(place *p, model_kind kind)
{
    bytes b = saved(p, kind);
    for (size_t n = 0; n < b.n; n++) {
        write_bytes(p->path, b.v, n);
        load_fails(p, n < DIGITS_AT + 8 ? "not a rung model" : "damaged or truncated");
    }
    for (size_t n = LENGTH + header_length(b); n < b.n; n += 8) { /* arrays cut off, the checksum made right */
        bytes part = {malloc(n), n};
        assert_non_null(part.v);
        memcpy(part.v, b.v, n);
        seal(part);
        write_bytes(p->path, part.v, n);
        load_fails(p, " cannot be at bytes ");
        free(part.v);
    }
    unsigned char *longer = calloc(b.n + 8, 1);
    assert_non_null(longer);
    memcpy(longer, b.v, b.n);
    for (size_t more = 1; more <= 8; more++) {
        write_bytes(p->path, longer, b.n + more);
        load_fails(p, "damaged or truncated");
        bytes whole = {longer, b.n + more};
        seal(whole);
        write_bytes(p->path, longer, b.n + more);
        load_fails(p, "follow the last array");
        memcpy(longer, b.v, b.n);
    }
    free(longer);
    free(b.v);
}

static void test_every_other_length_is_refused(void **state)
{
    other_lengths_are_refused(*state, MODEL_CONSTANT);
    other_lengths_are_refused(*state, MODEL_GAUSSIAN);
    other_lengths_are_refused(*state, MODEL_REAL);
}

/* ---- hostile files with the right checksum ---- */

/* In an edit, ' stands for the \" of the model text inside the header. */
static void unquote(const char *text, char *out, size_t room)
{
    size_t n = 0;
    for (; *text && n + 2 < room; text++) {
        if (*text == '\'') out[n++] = '\\';
        out[n++] = *text == '\'' ? '"' : *text;
    }
    out[n] = 0;
}

static void write_edited(place *p, bytes b, const char *from, const char *to)
{
    size_t length = header_length(b), room = 2 * (strlen(from) + strlen(to)) + 3, before, after;
    char *header = malloc(length + 1), *edited = malloc(length + room), *old = malloc(room), *new = malloc(room);
    assert_true(header && edited && old && new);
    unquote(from, old, room);
    unquote(to, new, room);
    memcpy(header, b.v + LENGTH, length);
    header[length] = 0;
    char *at = strstr(header, old);
    if (!at) fail_msg("the header has no %s", old);
    before = (size_t)(at - header);
    after = length - before - strlen(old);
    memcpy(edited, header, before);
    memcpy(edited + before, new, strlen(new));
    memcpy(edited + before + strlen(new), at + strlen(old), after);
    bytes out = forged(edited, before + strlen(new) + after, b.v + LENGTH + length, b.n - LENGTH - length);
    write_bytes(p->path, out.v, out.n);
    free(header), free(edited), free(old), free(new), free(out.v);
}

static void test_hostile_headers(void **state)
{
    static const struct {
        const char *from, *to, *words;
    } edits[] = {
        {"\"format\":\"1\"", "\"format\":\"2\"", "written by a newer rung (format 2); this version reads format 1"},
        {"\"format\":\"1\"", "\"format\":\"2\",\"new\":\"key\"", "written by a newer rung (format 2)"},
        {"\"format\":\"1\"", "\"format\":\"0\"", "the format number is missing"},
        {"\"format\":\"1\"", "\"format\":\"one\"", "the format number is missing"},
        {"\"format\":\"1\"", "\"format\":1", "the format number is missing"},
        {"\"library\":\"0.1.0\"", "\"library\":1", "metadata"},
        {"\"library\":\"0.1.0\"", "\"library\":\"0.1.0\",\"more\":\"x\"", "metadata"},
        {"\"library\":\"0.1.0\",", "", "metadata"},
        {"\"library\":\"0.1.0\"", "\"library\":\"0.1.0\",\"library\":\"0.1.0\"", "duplicate"},
        {"'method':'kdlor'", "'method':7", "the model: Expected string"},
        {"'method':'kdlor',", "", "the model: Object item not found: method"},
        {"'method':'kdlor'", "'method':'kdlor','extra':1", "extra"},
        {"'method':'kdlor'", "'method':'kdlor','method':'svor'", "duplicate"},
        {"'method':'kdlor'", "'method':'kd\\\\u0000lor'", "not valid JSON"},
        {"'C':'10'", "'C':10", "parameter C is not a string"},
        {"'params':{'C':'10','width':null,'kernel':'rbf'}", "'params':['C']", "params is not an object"},
        {"'columns':[", "'columns':[7,", "a column"},
        {"'columns':[", "'columns':[{'name':'z','position':0,'categories':null},",
         "array fill has an unexpected shape"},
        {"['','blue','red']", "['','blue']", "unexpected shape"},
        {"['','blue','red']", "['','blue',3]", "item 3 is not a string"},
        {"['','blue','red']", "['','red','blue']", "the categories of column 2 are not in order"},
        {"'name':'age','position':0", "'name':'age','position':-1", "the position of a column is -1"},
        {"'name':'age','position':0", "'name':'age','position':2", "column 2 has position 3 of 3 in the file"},
        {"'name':'age','position':0", "'name':'age','position':1", "column 1 has position 2 of 3 in the file"},
        {"'label_position':1", "'label_position':3", "the label column is number 4 of 3"},
        {"'name':'age','position':0", "'name':'age','position':9223372036854775807",
         "the position of a column is 9223372036854775807"},
        {"'label_position':1", "'label_position':-2", "the position of the label is -2"},
        {"'label_position':1", "'label_position':9223372036854775807", "the position of the label is"},
        {"'file_columns':3", "'file_columns':-3", "the number of columns of the file is -3"},
        {"'file_columns':3", "'file_columns':9223372036854775807", "the number of columns of the file is"},
        {"'present':[1,3,4]", "'present':[1,3,5]", "class number 5"},
        {"'present':[1,3,4]", "'present':[0,3,4]", "class number 0"},
        {"'present':[1,3,4]", "'present':[1,1,4]", "class number 1"},
        {"'present':[1,3,4]", "'present':[3,1,4]", "class number 1"},
        {"'present':[1,3,4]", "'present':[1,3,4294967297]", "class number is 4294967297"},
        {"'present':[1,3,4]", "'present':[1,3]", "array members.0.calibration.c has an unexpected shape"},
        {"'present':[1,3,4]", "'present':[]", "array members.0.calibration.c has an impossible shape"},
        {"'present':[1,3,4]", "'present':{}", "present is not a list"},
        {"'rows':12", "'rows':6", "7 labelled rows, but 6 rows"},
        {"'rows':12", "'rows':12.5", "the model: Expected integer"},
        {"'labelled':7", "'labelled':-7", "the number of labelled rows is -7"},
        {"'expansion':5", "'expansion':-1", "the size of the expansion is -1"},
        {"'cv':7", "'cv':'7'", "cv is not a number"},
        {"'cv':7", "'cv':null", "array report.rho cannot be at"},
        {"'count':3", "'count':-3", "a count of the report is -3"},
        {"'count':3", "'count':'3'", "report means has no count"},
        {"'count':3", "'count':2305843009213693952", "a count of the report is"},
        {"'name':'means'", "'name':'rho'", "array report.rho is missing"},
        {"'scale':'standard'", "'scale':'Zscore'", "unknown scaling 'Zscore'"},
        {"'scale':'standard'", "'scale':'none'", "cannot be at"},
        {"'scorer':'kernel'", "'scorer':'forest'", "unknown scorer 'forest'"},
        {"'scorer':'kernel'", "'scorer':'linear'", "a linear scorer with a kernel"},
        {"'outputs':1", "'outputs':0", "array members.0.bias has an unexpected shape"},
        {"'outputs':1", "'outputs':-1", "outputs is -1"},
        {"'outputs':1", "'outputs':4294967297", "outputs is 4294967297"},
        {"'terms':5", "'terms':-5", "the number of terms is -5"},
        {"'terms':5", "'terms':6", "array members.0.coef has an unexpected shape"},
        {"'terms':5", "'terms':4611686018427387904", "the number of terms is"},
        {"'terms':5", "'terms':99999999999999999999", "too big integer"},
        {"'kind':'rbf'", "'kind':'sigmoid'", "unknown kernel 'sigmoid'"},
        {"'kind':'rbf'", "'kind':'precomputed'", "array members.0.index is missing"},
        {"'kind':'rbf'", "'kind':'poly','degree':3", "array members.0.kernel.coef0 is missing"},
        {"'decision':'calibrated'", "'decision':'vote'", "unknown decision 'vote'"},
        {"'decision':'calibrated'", "'decision':'none'", "probabilities without classes"},
        {"'decision':'calibrated'", "'decision':'thresholds'", "array members.0.thresholds is missing"},
        {"'decision':'calibrated'", "'decision':'constant','rank':4", "rank 4 is outside 1..3"},
        {"'decision':'calibrated'", "'decision':'constant','rank':0", "rank 0 is outside 1..3"},
        {"'decision':'calibrated'", "'decision':'constant','rank':-1", "a rank is -1"},
        {"'nodes':3", "'nodes':0", "array members.0.map.score has an unexpected shape"},
        {"'nodes':3", "'nodes':-2", "the number of nodes is -2"},
        {"'ranges':null", "'ranges':{}", "ranges: Object item not found"},
        {"'ranges':null", "'ranges':{'repeats':1,'scores':2,'missed':0}", "array ranges.score is missing"},
        {"'nodes':3", "'nodes':4", "array members.0.map.score has an unexpected shape"},
        {"'prior':false", "'prior':true", "several kinds of probabilities"},
        {"'prior':false", "'prior':0", "a member: Expected true or false"},
        {"\"dtype\":\"F64\"", "\"dtype\":\"F32\"", "array fill has type F32 instead of F64"},
        {"\"dtype\":\"F64\"", "\"dtype\":\"I64\"", "array fill has type I64 instead of F64"},
        {"\"dtype\":\"F64\"", "\"dtype\":64", "array fill: Expected string"},
        {"\"shape\":[2]", "\"shape\":[3]", "array fill has an unexpected shape"},
        {"\"shape\":[2]", "\"shape\":[1,2]", "array fill has an unexpected shape"},
        {"\"shape\":[2]", "\"shape\":[-2]", "array fill has an unexpected shape"},
        {"\"shape\":[2]", "\"shape\":[\"2\"]", "array fill has an unexpected shape"},
        {"\"shape\":[2]", "\"shape\":2", "array fill has an unexpected shape"},
        {"\"shape\":[2]", "\"shape\":[2],\"stride\":1", "array fill"},
        {"\"data_offsets\":[0,16]", "\"data_offsets\":[8,24]", "array fill cannot be at bytes 8 to 24"},
        {"\"data_offsets\":[0,16]", "\"data_offsets\":[0,24]", "array fill cannot be at bytes 0 to 24"},
        {"\"data_offsets\":[0,16]", "\"data_offsets\":[-16,0]", "array fill cannot be at"},
        {"\"data_offsets\":[0,16]", "\"data_offsets\":[16,0]", "array fill cannot be at"},
        {"\"data_offsets\":[0,16]", "\"data_offsets\":[0,-16]", "array fill cannot be at bytes 0 to -16"},
        {"\"data_offsets\":[0,16]", "\"data_offsets\":[0,16,32]", "array fill"},
        {"\"data_offsets\":[16,", "\"data_offsets\":[0,", "array cv cannot be at"},
        {"\"data_offsets\":[16,", "\"data_offsets\":[24,", "array cv cannot be at"},
        {"\"fill\":{", "\"cv\":{", "duplicate"},
        {"\"fill\":{", "\"full\":{", "array fill is missing"},
        {"\"fill\":{", "\"void\":{\"dtype\":\"F64\",\"shape\":[0],\"data_offsets\":[0,0]},\"fill\":{",
         "unknown array void"},
        {"\"fill\":{", "\"fill\":[],\"full\":{", "array fill"},
    };
    place *p = *state;
    bytes b = saved(p, MODEL_RBF);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        write_edited(p, b, edits[i].from, edits[i].to);
        load_fails(p, edits[i].words);
    }
    free(b.v);
    assert_int_equal(pool_live_blocks(), 0);
}

/* Models of the first versions do not tell of ranges. */
static void test_models_without_ranges(void **state)
{
    place *p = *state;
    bytes b = saved(p, MODEL_RBF);
    rung_model *m;
    write_edited(p, b, "'ranges':null,", "");
    assert_ok(p->ctx, model_load(p->ctx, p->path, &m));
    assert_int_equal(m->ranges.repeats, 0);
    assert_null(model_interval(m));
    model_free(m);
    free(b.v);
}

static void test_hostile_new_parts(void **state)
{
    static const struct {
        model_kind kind;
        const char *from, *to, *words;
    } edits[] = {
        {MODEL_GAUSSIAN, "'count':3", "'count':0", "the number of neighbours is 0"},
        {MODEL_GAUSSIAN, "'count':3", "'count':6", "6 neighbours, but 5 rows"},
        {MODEL_GAUSSIAN, "'count':3", "'count':-1", "the number of neighbours is -1"},
        {MODEL_GAUSSIAN, "'count':3", "'count':4611686018427387904", "the number of neighbours is"},
        {MODEL_GAUSSIAN, "'count':3", "'count':3.5", "neighbours: Expected integer"},
        {MODEL_GAUSSIAN, "'count':3,", "", "neighbours: Object item not found"},
        {MODEL_GAUSSIAN, "'weights':'gaussian'", "'weights':'linear'", "unknown weights 'linear'"},
        {MODEL_GAUSSIAN, "'weights':'gaussian'", "'weights':'binary'", "cannot be at"},
        {MODEL_GAUSSIAN, "'weights':'gaussian'", "'weights':'gaussian','more':1", "neighbours"},
        {MODEL_BINARY, "'weights':'binary'", "'weights':'gaussian'", "array members.0.width is missing"},
        {MODEL_GAUSSIAN, "'scorer':'neighbours'", "'scorer':'linear'", "a linear scorer with neighbours"},
        {MODEL_GAUSSIAN, "'scorer':'neighbours'", "'scorer':'kernel'", "a kernel scorer without a kernel"},
        {MODEL_RBF, "'scorer':'kernel'", "'scorer':'neighbours'", "a neighbours scorer with a kernel"},
        {MODEL_OUTPUTS, "'scorer':'linear'", "'scorer':'neighbours'", "a neighbours scorer without neighbours"},
        {MODEL_GAUSSIAN, "'outputs':3", "'outputs':2", "array training.output has an unexpected shape"},
        {MODEL_GAUSSIAN, "'outputs':3", "'outputs':4", "array training.output has an unexpected shape"},
        {MODEL_GAUSSIAN, "'terms':5", "'terms':-1", "the number of terms is -1"},
        {MODEL_GAUSSIAN, "'terms':5", "'terms':0", "array members.0.coef has an unexpected shape"},
        {MODEL_GAUSSIAN, "'present':[1,3,4]", "'present':[1,3]", "memberships in 3 classes, but there are 2"},
        {MODEL_GAUSSIAN, "'present':[1,3,4]", "'present':[]", "memberships in 3 classes, but there are 0"},
        {MODEL_GAUSSIAN, "'present':[1,3,4]", "'present':[1,2,3,4]", "memberships in 3 classes, but there are 4"},
        {MODEL_GAUSSIAN, "'decision':'argmax'", "'decision':'none'", "probabilities without classes"},
        {MODEL_GAUSSIAN, "'decision':'argmax'", "'decision':'nearest-mean'", "array members.0.means is missing"},
        {MODEL_GAUSSIAN, "'decision':'argmax'", "'decision':'calibrated'", "without a calibration"},
        {MODEL_GAUSSIAN, "'rows':12", "'rows':11", "array training.output has an unexpected shape"},
        {MODEL_GAUSSIAN, "'rows':12", "'rows':4611686018427387904", "the number of rows is"},
        {MODEL_GAUSSIAN, "'rows':12", "'rows':9007199254740992", "array training.output has an unexpected shape"},
        {MODEL_GAUSSIAN, "'rows':12,'labelled':7", "'rows':0,'labelled':0",
         "1 members with predictions for 0 training rows"},
        {MODEL_GAUSSIAN, "'rows':12,'labelled':7", "'rows':-12,'labelled':-13", "the number of rows is -12"},
        {MODEL_GAUSSIAN, "'training':{'label':true}", "'training':{'label':1}", "training: Expected true or false"},
        {MODEL_GAUSSIAN, "'training':{'label':true}", "'training':{}", "training: Object item not found"},
        {MODEL_GAUSSIAN, "'training':{'label':true}", "'training':7", "training"},
        {MODEL_GAUSSIAN, "'training':{'label':true}", "'training':{'label':false}", "cannot be at"},
        {MODEL_GAUSSIAN, "'training':{'label':true}", "'training':null", "cannot be at"},
        {MODEL_BINARY, "'training':{'label':false}", "'training':{'label':true}", "array training.label is missing"},
        {MODEL_REAL, "'training':{'label':false}", "'training':{'label':true}", "array training.label is missing"},
        {MODEL_PAIR, "'training':null", "'training':{'label':false}",
         "2 members with predictions for 12 training rows"},
        {MODEL_MEANS, "'training':null", "'training':{'label':false}", "array training.output is missing"},
        {MODEL_LAPLACIAN, "'width':2", "'width':3", "array kept.state has an unexpected shape"},
        {MODEL_LAPLACIAN, "'width':2", "'width':0", "array kept.state has an unexpected shape"},
        {MODEL_LAPLACIAN, "'width':2", "'width':-2", "the width of the kept state is -2"},
        {MODEL_LAPLACIAN, "'width':2", "'width':4294967296", "the width of the kept state is 4294967296"},
        {MODEL_LAPLACIAN, "'labelled':7", "'labelled':8", "array kept.rows has an unexpected shape"},
        {MODEL_LAPLACIAN, "'labelled':7", "'labelled':0", "kept: 0 rows of 1 members"},
        {MODEL_GRADED, "'missed':1", "'missed':8",
         "prediction intervals from 6 scores, 1 repeats, 8 rows never held out"},
        {MODEL_GRADED, "'temper':{'powers':2}", "'temper':{}", "temper: Object item not found"},
        {MODEL_GRADED, "'temper':{'powers':2}", "'temper':{'powers':0}", "temper: 0 powers"},
        {MODEL_GRADED, "'temper':{'powers':2}", "'temper':{'powers':-2}", "the number of powers is -2"},
        {MODEL_GRADED, "'temper':{'powers':2}", "'temper':{'powers':3}", "array temper.power has an unexpected shape"},
        {MODEL_GRADED, "'temper':{'powers':2}", "'temper':null", "temper: "},
        {MODEL_GRADED, "'missed':1", "'missed':-1", "the number of rows never held out is -1"},
        {MODEL_GRADED, "'decision':'nearest-mean'", "'decision':'calibrated'", "array members.0.map.score cannot be"},
        {MODEL_LAPLACIAN, "'kept':{'weight':true,", "'kept':{'weight':false,", "cannot be at"},
        {MODEL_LAPLACIAN, "'kept':{'weight':true,", "'kept':{", "kept: Object item not found"},
        {MODEL_LAPLACIAN, "'kept':{'weight':true,'class_weight':true,'width':2,'apart':true}", "'kept':null",
         "cannot be at"},
        {MODEL_LAPLACIAN, "'class_weight':true,'width':2", "'class_weight':false,'width':2", "are no class weights"},
        {MODEL_LAPLACIAN, "'apart':true}", "'apart':true,'equal_rows':'auto'}", "kept: the unknown rule 'auto'"},
        {MODEL_LAPLACIAN, "'apart':true}", "'apart':true,'equal_rows':'x'}", "kept: the unknown rule 'x'"},
        {MODEL_PAIR, "'kept':null", "'kept':{'weight':true,'class_weight':true,'width':2}",
         "kept: 7 rows of 2 members"},
        {MODEL_RBF, "'kept':null", "'kept':{'weight':true,'class_weight':true,'width':2}",
         "array kept.rows is missing"},
        {MODEL_MEANS, "'decision':'nearest-mean'", "'decision':'median'", "unknown array members.0.means"},
        {MODEL_OUTPUTS, "'decision':'argmax'", "'decision':'median'", "a median without probabilities"},
        {MODEL_OUTPUTS, "'present':[1,3,4]", "'present':[1,3]", "the largest of 3 outputs for 2 classes"},
        {MODEL_OUTPUTS, "'present':[1,3,4]", "'present':[]", "a decision between 0 classes"},
        {MODEL_MEANS, "'present':[1,3,4]", "'present':[1,3]", "array members.0.means has an unexpected shape"},
        {MODEL_MEANS, "'outputs':2", "'outputs':1", "array members.0.bias has an unexpected shape"},
        {MODEL_SOFT, "'edges':true", "'edges':false", "cannot be at"},
        {MODEL_MEANS, "'edges':false", "'edges':true", "array edges is missing"},
        {MODEL_SOFT, "'real':false", "'real':true", "real targets with classes or without a label"},
        {MODEL_REAL, "'label_position':1", "'label_position':-1", "real targets with classes or without a label"},
        {MODEL_REAL, "'decision':'none'", "'decision':'argmax'", "a decision between 0 classes"},
        {MODEL_REAL, "'edges':false", "'edges':true", "array edges has an impossible shape"},
        {MODEL_REAL, "'real':true,", "", "coding: Object item not found: real"},
        {MODEL_UNLABELLED, "'real':false", "'real':true", "real targets with classes or without a label"},
        {MODEL_MIXTURE, "'rows_from':1", "'rows_from':-1", "member 2 cannot share the rows of member -1"},
        {MODEL_MIXTURE, "'rows_from':1", "'rows_from':2", "member 2 cannot share the rows of member 2"},
        {MODEL_MIXTURE, "'rows_from':1", "'rows_from':4294967297", "the rows of member 4294967297"},
        {MODEL_MIXTURE, "'rows_from':1", "'rows_from':0", "array members.1.rows is missing"},
        {MODEL_MIXTURE, "'rows_from':1", "'rows_from':'1'", "a member: Expected integer"},
        {MODEL_MIXTURE, "'rows_from':1,", "'coef_from':1,", "member 2 cannot share the coefficients of member 1"},
        {MODEL_MIXTURE, "'rows_from':1,", "'rows_from':1,'space_from':2,",
         "member 2 cannot share the space of member 2"},
        {MODEL_MIXTURE, "'space_from':3", "'space_from':4", "member 4 cannot share the space of member 4"},
        {MODEL_MIXTURE, "'space_from':3", "'space_from':-3", "member 4 cannot share the space of member -3"},
        {MODEL_MIXTURE, "'space_from':3", "'space_from':3,'space':'rank'", "two spaces of a member"},
        {MODEL_MIXTURE, "'space_from':3", "'space_from':3,'scale':'rank'", "a second scaling"},
        {MODEL_MIXTURE, "'scale':'standard',", "", "the scaling is missing"},
        {MODEL_MIXTURE, "'space':'rank'", "'space':'order'", "unknown scaling 'order'"},
        {MODEL_MIXTURE, "'space':'rank'", "'space':'standard'", "cannot be at"},
        {MODEL_MIXTURE, "'coef_from':4", "'coef_from':5", "member 5 cannot share the coefficients of member 5"},
        {MODEL_MIXTURE, "'coef_from':4", "'coef_from':3", "member 5 cannot share the coefficients of member 3"},
        {MODEL_MIXTURE, "'coef_from':4", "'coef_from':0", "array members.4.coef is missing"},
        {MODEL_MIXTURE, "'terms':5", "'terms':6", "member 2 cannot share the rows of member 1"},
        {MODEL_MIXTURE, "'outputs':5", "'outputs':4", "array members.0.bias has an unexpected shape"},
        {MODEL_MIXTURE, "'rank':2", "'rank':1", "a probit link of 5 outputs"},
        {MODEL_MIXTURE, "'rank':2", "'rank':-2", "the rank of the covariance is -2"},
        {MODEL_MIXTURE, "'rank':2", "'rank':9223372036854775807", "the rank of the covariance is 9223372036854775807"},
        {MODEL_MIXTURE, "'over':'functions'", "'over':'coefficients'", "thresholds inferred with coefficients"},
        {MODEL_MIXTURE, "'over':'functions'", "'over':'rows'", "unknown"},
        {MODEL_MIXTURE, "'inferred':true", "'inferred':false", "array members.0.probit.factor is missing"},
        {MODEL_MIXTURE, "'inferred':true", "'inferred':1", "Expected true or false"},
        {MODEL_MIXTURE, "'cumulative':true", "'cumulative':false", "a median without probabilities"},
        {MODEL_MIXTURE, "'power':true", "'power':false", "several kinds of probabilities"},
        {MODEL_MIXTURE, "'power':true", "'power':2", "a member: Expected true or false"},
        {MODEL_MIXTURE, "'sharpen':true", "'sharpen':false", "cannot be at"},
        {MODEL_MIXTURE, "'present':[1,3,4]", "'present':[1,3]", "array members.0.probit.thresholds has an unexpected"},
        {MODEL_MIXTURE, "'members':[", "'members':[],'other':[", "other"},
        {MODEL_MIXTURE, "'kind':'rbf'", "'kind':'precomputed'", "member 2 cannot share the rows of member 1"},
        {MODEL_MIXTURE, "'scorer':'constant'", "'rows_from':1,'scorer':'constant'",
         "member 6 cannot share the rows of member 1"},
        {MODEL_MIXTURE, "'scorer':'constant'", "'coef_from':1,'scorer':'constant'",
         "member 6 cannot share the coefficients of member 1"},
        {MODEL_MIXTURE, "'scorer':'trees'", "'rows_from':1,'scorer':'trees'",
         "member 7 cannot share the rows of member 1"},
        {MODEL_MIXTURE, "'softmax':true,'scorer':'trees'", "'space_from':3,'softmax':true,'scorer':'trees'",
         "trees of scaled columns"},
        {MODEL_MIXTURE, "'words':1", "'words':2", "array members.6.trees.set has an unexpected shape"},
        {MODEL_TREES, "'scale':'none'", "'scale':'none','space':'none'", "trees of scaled columns"},
        {MODEL_CONSTANT, "'outputs':1", "'outputs':1,'terms':9", "a constant with 9 terms"},
        {MODEL_POLY, "'degree':3", "'degree':0", "the kernel's degree is 0"},
        {MODEL_POLY, "'degree':3", "'degree':2147483647", "the kernel's degree is 2147483647"},
    };
    place *p = *state;
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        bytes b = saved(p, edits[i].kind);
        write_edited(p, b, edits[i].from, edits[i].to);
        load_fails(p, edits[i].words);
        free(b.v);
    }
    assert_int_equal(pool_live_blocks(), 0);
}

/* A list of members longer than any model has, and rows that are those of a member without any. */
static void test_members_of_members(void **state)
{
    place *p = *state;
    enum { MANY = (1 << 16) + 1 };
    bytes b = saved(p, MODEL_RBF);
    char *list = malloc(2 * MANY + 32);
    assert_non_null(list);
    size_t n = (size_t)sprintf(list, "'members':[");
    for (int i = 0; i < MANY; i++, n += 2) memcpy(list + n, "0,", 2);
    list[n] = 0;
    write_edited(p, b, "'members':[", list);
    load_fails(p, "65538 are too many members");
    free(list), free(b.v);

    rung_model *m = make_model(p->ctx, MODEL_PAIR);
    member last = m->members[0];
    m->members[0] = m->members[1];
    m->members[1] = last;
    assert_ok(p->ctx, model_save(p->ctx, m, p->path));
    b = read_bytes(p->path);
    write_edited(p, b, "'scorer':'kernel'", "'coef_from':1,'scorer':'kernel'");
    load_fails(p, "member 2 cannot share the coefficients of member 1");
    write_edited(p, b, "'scorer':'kernel'", "'rows_from':1,'scorer':'kernel'");
    load_fails(p, "member 2 cannot share the rows of member 1");
    free(b.v);
    model_free(m);
}

static void test_foreign_files(void **state)
{
    place *p = *state;
    const char *other = "{\"weights\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]}}              ";
    bytes b = forged(other, strlen(other), (const unsigned char *)"01234567", 8);
    write_bytes(p->path, b.v, b.n);
    load_fails(p, "not a rung model");
    free(b.v);
    write_bytes(p->path, (const unsigned char *)"a,b,label\n1,2,3\n", 16);
    load_fails(p, "not a rung model");

    enum { DEEP = 100000 };
    const char *start[] = {
        "{\"__metadata__\":{\"checksum\":\"00000000\",\"format\":\"1\",\"library\":\"\",\"model\":\"",
        "{\"__metadata__\":{\"checksum\":\"00000000\",\"format\":"};
    for (int i = 0; i < 2; i++) {
        char *header = malloc(DEEP + 128);
        assert_non_null(header);
        size_t n = strlen(start[i]);
        memcpy(header, start[i], n);
        memset(header + n, '[', DEEP);
        const char *end = i ? "" : "\"}}";
        memcpy(header + n + DEEP, end, strlen(end));
        b = forged(header, n + DEEP + strlen(end), NULL, 0);
        write_bytes(p->path, b.v, b.n);
        load_fails(p, "maximum parsing depth");
        free(b.v), free(header);
    }
    b = saved(p, MODEL_CONSTANT);
    for (int top = 0; top < 8; top++) { /* a header length up to the largest number of 64 bits */
        unsigned char old = b.v[7 - top];
        b.v[7 - top] = 0xff;
        seal(b);
        write_bytes(p->path, b.v, b.n);
        load_fails(p, top < 7 ? "damaged or truncated" : "");
        if (top > 3) b.v[7 - top] = old;
    }
    free(b.v);
}

static void poke(place *p, bytes b, const char *name, int index, const void *value, const char *words)
{
    size_t length = header_length(b);
    json_t *header = json_loadb((char *)b.v + LENGTH, length, 0, NULL);
    json_t *offsets = json_object_get(json_object_get(header, name), "data_offsets");
    if (!offsets) fail_msg("there is no array %s", name);
    size_t at = (size_t)json_integer_value(json_array_get(offsets, 0)) + (size_t)index * 8;
    assert_true(at + 8 <= (size_t)json_integer_value(json_array_get(offsets, 1)));
    json_decref(header);
    bytes out = {malloc(b.n), b.n};
    assert_non_null(out.v);
    memcpy(out.v, b.v, b.n);
    uint64_t bits;
    memcpy(&bits, value, 8);
    for (int i = 0; i < 8; i++) out.v[LENGTH + length + at + (size_t)i] = (unsigned char)(bits >> (8 * i));
    seal(out);
    write_bytes(p->path, out.v, out.n);
    load_fails(p, words);
    free(out.v);
}

static void test_hostile_numbers(void **state)
{
    static const struct {
        model_kind kind;
        const char *name;
        int index;
        double value;
        const char *words;
    } reals[] = {
        {MODEL_RBF, "fill", 0, NAN, "column 1: the fill value is not a number"},
        {MODEL_RBF, "fill", 1, NAN, "column 2 of text has the fill value nan"},
        {MODEL_RBF, "fill", 1, 1, "column 2 of text has the fill value 1"},
        {MODEL_RBF, "members.0.weight", 0, 0, "member 1 has weight 0"},
        {MODEL_RBF, "members.0.weight", 0, -1, "member 1 has weight -1"},
        {MODEL_RBF, "members.0.weight", 0, NAN, "member 1 has weight"},
        {MODEL_RBF, "members.0.scale.shift", 3, INFINITY, "a scaling factor is not a finite number"},
        {MODEL_RBF, "members.0.scale.factor", 0, NAN, "a scaling factor is not a finite number"},
        {MODEL_RBF, "members.0.bias", 0, NAN, "a bias is not a finite number"},
        {MODEL_RBF, "members.0.coef", 4, NAN, "a coefficient is not a finite number"},
        {MODEL_RBF, "members.0.rows", 19, INFINITY, "a stored row is not finite"},
        {MODEL_RBF, "members.0.kernel.gamma", 0, -1, "the kernel's gamma is -1"},
        {MODEL_RBF, "members.0.kernel.gamma", 0, NAN, "the kernel's gamma"},
        {MODEL_RBF, "members.0.map.score", 1, 3, "the nodes of the rank map are not increasing"},
        {MODEL_RBF, "members.0.map.rank", 2, NAN, "a node of the rank map is not finite"},
        {MODEL_RBF, "members.0.map.rank", 1, 0, "the nodes of the rank map are not increasing"},
        {MODEL_RBF, "members.0.map.score", 0, -INFINITY, "a node of the rank map is not finite"},
        {MODEL_RBF, "members.0.calibration.a", 0, -0.5, "the slope of the calibration is -0.5"},
        {MODEL_RBF, "members.0.calibration.a", 0, INFINITY, "the slope of the calibration is inf"},
        {MODEL_RBF, "members.0.calibration.c", 0, 5, "the thresholds of the calibration are not increasing"},
        {MODEL_RBF, "members.0.calibration.c", 1, INFINITY, "the thresholds of the calibration"},
        {MODEL_LINEAR, "members.0.thresholds", 0, 2, "the thresholds are not increasing"},
        {MODEL_LINEAR, "members.0.thresholds", 1, NAN, "the thresholds are not increasing"},
        {MODEL_POLY, "members.0.kernel.coef0", 0, INFINITY, "the kernel's coef0 is inf"},
        {MODEL_ARD, "members.0.kernel.precisions", 1, -1, "a precision of the kernel is negative"},
        {MODEL_ARD, "members.0.kernel.precisions", 1, NAN, "a precision of the kernel is not a finite number"},
        {MODEL_CONSTANT, "members.0.prior", 0, -0.125, "the class probabilities do not sum to 1"},
        {MODEL_CONSTANT, "members.0.prior", 0, NAN, "the class probabilities do not sum to 1"},
        {MODEL_CONSTANT, "members.0.prior", 0, 0.25, "the class probabilities do not sum to 1"},
        {MODEL_RANK, "members.0.scale.knot", 1, 3, "the knots of column 1 are not increasing"},
        {MODEL_RANK, "members.0.scale.knot", 4, NAN, "the knots of column 2 are not increasing"},
        {MODEL_RANK, "members.0.scale.cdf", 0, 0.75, "the distribution function of column 1"},
        {MODEL_RANK, "members.0.scale.cdf", 2, 1.5, "the distribution function of column 1"},
        {MODEL_RANK, "members.0.scale.cdf", 0, -0.25, "the distribution function of column 1"},
        {MODEL_MEANS, "members.0.means", 5, NAN, "a class mean is not a finite number"},
        {MODEL_MEANS, "members.0.coef", 9, INFINITY, "a coefficient is not a finite number"},
        {MODEL_SOFT, "edges", 1, -0.5, "the edges between the classes are not increasing"},
        {MODEL_SOFT, "edges", 2, INFINITY, "the edges between the classes are not increasing"},
        {MODEL_GAUSSIAN, "members.0.width", 0, 0, "the width of the weights is 0"},
        {MODEL_GAUSSIAN, "members.0.width", 0, -1, "the width of the weights is -1"},
        {MODEL_GAUSSIAN, "members.0.width", 0, NAN, "the width of the weights"},
        {MODEL_GAUSSIAN, "members.0.rows", 19, NAN, "a stored row is beyond +-1e+140"},
        {MODEL_GAUSSIAN, "members.0.rows", 0, -1e141, "a stored row is beyond +-1e+140"},
        {MODEL_GAUSSIAN, "members.0.coef", 1, 0.5, "the memberships of row 2 do not sum to 1"},
        {MODEL_GAUSSIAN, "members.0.coef", 14, NAN, "the memberships of row 5 do not sum to 1"},
        {MODEL_GAUSSIAN, "members.0.coef", 0, -1, "the memberships of row 1 do not sum to 1"},
        {MODEL_GAUSSIAN, "training.output", 35, INFINITY, "an output of a training row is not a finite number"},
        {MODEL_GAUSSIAN, "training.output", 3, 0.5, "the memberships of training row 2 do not sum to 1"},
        {MODEL_REAL, "training.output", 11, NAN, "an output of a training row is not a finite number"},
        {MODEL_LAPLACIAN, "kept.rows", 27, INFINITY, "a kept row is not finite"},
        {MODEL_LAPLACIAN, "kept.state", 13, NAN, "the state of a kept row is not finite"},
        {MODEL_LAPLACIAN, "kept.weight", 6, 0, "kept row 7 has weight 0"},
        {MODEL_LAPLACIAN, "kept.weight", 0, INFINITY, "kept row 1 has weight inf"},
        {MODEL_LAPLACIAN, "kept.class_weight", 1, -1, "class 'b' has weight -1"},
        {MODEL_LAPLACIAN, "kept.class_weight", 3, INFINITY, "has weight inf"},
        {MODEL_GRADED, "temper.power", 0, 0, "tempered by the power 0"},
        {MODEL_GRADED, "temper.power", 1, NAN, "tempered by the power nan"},
        {MODEL_GRADED, "temper.power", 1, INFINITY, "tempered by the power inf"},
        {MODEL_GRADED, "temper.weight", 1, -0.25, "a power has weight -0.25"},
        {MODEL_GRADED, "temper.weight", 0, NAN, "a power has weight nan"},
        {MODEL_GRADED, "temper.weight", 0, 0.75, "the weights of the tempered probabilities sum to 1.25"},
        {MODEL_GRADED, "temper.frequency", 2, -1, "the frequency of a class is -1"},
        {MODEL_GRADED, "temper.frequency", 0, INFINITY, "the weights of the tempered probabilities sum to inf"},
        {MODEL_GRADED, "ranges.score", 3, 0.25, "the nonconformity scores are not increasing"},
        {MODEL_GRADED, "ranges.score", 5, INFINITY, "the nonconformity scores are not increasing"},
        {MODEL_MIXTURE, "members.0.weight", 0, 0, "member 1 has weight 0"},
        {MODEL_MIXTURE, "members.5.weight", 0, NAN, "member 6 has weight nan"},
        {MODEL_MIXTURE, "members.2.weight", 0, -1, "member 3 has weight -1"},
        {MODEL_MIXTURE, "members.0.coef", 24, NAN, "coefficient"},
        {MODEL_MIXTURE, "members.1.coef", 0, INFINITY, "coefficient"},
        {MODEL_MIXTURE, "members.0.rows", 0, NAN, "a stored row"},
        {MODEL_MIXTURE, "members.0.probit.noise", 0, 0, "the noise of the probit link is 0"},
        {MODEL_MIXTURE, "members.0.probit.noise", 0, INFINITY, "the noise of the probit link is inf"},
        {MODEL_MIXTURE, "members.0.probit.thresholds", 0, NAN, "the thresholds of the link are not increasing"},
        {MODEL_MIXTURE, "members.0.probit.variance", 0, -1, "the variance of the function is -1"},
        {MODEL_MIXTURE, "members.0.probit.variance", 0, NAN, "the variance of the function is nan"},
        {MODEL_MIXTURE, "members.0.probit.spread", 3, NAN, "the covariance of the thresholds is not finite"},
        {MODEL_MIXTURE, "members.0.probit.thresholds", 1, -0.5, "the thresholds of the link are not increasing"},
        {MODEL_MIXTURE, "members.2.space.factor", 0, NAN, "scal"},
        {MODEL_MIXTURE, "members.2.space.knot", 1, -2, "knots"},
        {MODEL_MIXTURE, "members.3.coef", 0, -1, "a class score is -1"},
        {MODEL_MIXTURE, "members.3.coef", 14, NAN, "a class score is nan"},
        {MODEL_MIXTURE, "members.3.coef", 1, INFINITY, "a class score is inf"},
        {MODEL_MIXTURE, "members.3.power", 0, 0, "members.3.power is 0, but must be > 0"},
        {MODEL_MIXTURE, "members.3.power", 0, -2, "members.3.power is -2, but must be > 0"},
        {MODEL_MIXTURE, "members.4.power", 0, NAN, "members.4.power is nan, but must be > 0"},
        {MODEL_MIXTURE, "members.4.power", 0, INFINITY, "members.4.power is inf, but must be > 0"},
        {MODEL_MIXTURE, "members.3.prior", 0, 0.5, "the class probabilities do not sum to 1"},
        {MODEL_MIXTURE, "members.4.width", 0, 0, "the width of the weights is 0"},
        {MODEL_MIXTURE, "sharpen", 0, -1, "sharpen is -1, but must be > 0"},
        {MODEL_MIXTURE, "sharpen", 0, INFINITY, "sharpen is inf, but must be > 0"},
        {MODEL_TREES, "members.0.cuts", 1, -0.5, "the cuts of column 1 do not ascend"},
        {MODEL_TREES, "members.0.cuts", 0, NAN, "the cuts of column 1 do not ascend"},
        {MODEL_TREES, "members.0.trees.value", 8, INFINITY, "the value of node 9 is not a finite number"},
        {MODEL_TREES, "members.0.trees.value", 0, NAN, "the value of node 1 is not a finite number"},
    };
    static const struct {
        model_kind kind;
        const char *name;
        int index;
        int64_t value;
        const char *words;
    } integers[] = {
        {MODEL_PRECOMPUTED, "members.0.index", 2, 4, "term 3 uses column 4 of 4, counted from 0"},
        {MODEL_PRECOMPUTED, "members.0.index", 0, -1, "term 1 uses column -1 of 4"},
        {MODEL_PRECOMPUTED, "members.0.index", 0, INT64_MAX, "term 1 uses column 9223372036854775807"},
        {MODEL_RANK, "members.0.scale.first", 0, 1, "the knots of the columns are not contiguous"},
        {MODEL_RANK, "members.0.scale.first", 1, 0, "column 1 has no knots"},
        {MODEL_RANK, "members.0.scale.first", 2, INT64_MAX, "the knots of the columns are not contiguous"},
        {MODEL_RANK, "members.0.scale.first", 2, INT64_MIN, "the knots of the columns are not contiguous"},
        {MODEL_RANK, "members.0.scale.first", 2, -1, "the knots of the columns are not contiguous"},
        {MODEL_RANK, "members.0.scale.first", 4, -7, "impossible shape"},
        {MODEL_RANK, "members.0.scale.first", 4, INT64_MAX, "impossible shape"},
        {MODEL_RANK, "members.0.scale.first", 4, 8, "unexpected shape"},
        {MODEL_MIXTURE, "members.2.space.first", 2, -1, "the knots of the columns are not contiguous"},
        {MODEL_MIXTURE, "members.2.space.first", 4, INT64_MAX, "impossible shape"},
        {MODEL_GAUSSIAN, "training.label", 11, 4, "training row 12 has rank 4 of 3"},
        {MODEL_GAUSSIAN, "training.label", 0, -1, "training row 1 has rank -1"},
        {MODEL_GAUSSIAN, "training.label", 0, INT64_MAX, "training row 1 has rank 9223372036854775807"},
        {MODEL_LAPLACIAN, "kept.label", 6, 4, "kept row 7 has rank 4 of 3"},
        {MODEL_LAPLACIAN, "kept.label", 0, 0, "kept row 1 has rank 0 of 3"},
        {MODEL_TREES, "members.0.cuts.first", 0, 1, "the cuts or the trees do not start at 0"},
        {MODEL_TREES, "members.0.cuts.first", 1, 1, "column 2 has the cuts 1 to 2"}, /* a text column has none */
        {MODEL_TREES, "members.0.cuts.first", 1, INT64_MIN, "column 1 has the cuts 0 to -9223372036854775808"},
        {MODEL_TREES, "members.0.cuts.first", 1, 3, "column 1 has the cuts 0 to 3"},
        {MODEL_TREES, "members.0.cuts.first", 2, INT64_MAX, "impossible shape"},
        {MODEL_TREES, "members.0.trees.first", 1, 0, "tree 1 has no nodes"},
        {MODEL_TREES, "members.0.trees.first", 1, 2, "tree 1 has 2 nodes and 1 splits"},
        {MODEL_TREES, "members.0.trees.first", 1, INT64_MAX, "tree 1 has no nodes"},
        {MODEL_TREES, "members.0.trees.first", 3, 8, "the trees have 8 nodes, not 9"},
        {MODEL_TREES, "members.0.trees.column", 0, 2, "node 1 splits column 2 of 2"},
        {MODEL_TREES, "members.0.trees.column", 0, -2, "node 1 splits column -2 of 2"},
        {MODEL_TREES, "members.0.trees.column", 0, INT64_MAX, "node 1 splits column 9223372036854775807"},
        {MODEL_TREES, "members.0.trees.column", 1, 0, "tree 1 has 3 nodes and 2 splits"},
        {MODEL_TREES, "members.0.trees.column", 0, -1, "node 1 splits at 1 of 1"},
        {MODEL_TREES, "members.0.trees.split", 0, 2, "node 1 splits at 2 of 2"},
        {MODEL_TREES, "members.0.trees.split", 0, -1, "node 1 splits at -1 of 2"},
        {MODEL_TREES, "members.0.trees.split", 3, 1, "node 4 splits at 1 of 1"},
        {MODEL_TREES, "members.0.trees.split", 4, 3, "node 5 splits at 3 of 3"},
        {MODEL_TREES, "members.0.trees.split", 4, INT64_MAX, "node 5 splits at 9223372036854775807 of 3"},
        {MODEL_TREES, "members.0.trees.missing", 0, 2, "missing cells of node 1 go to side 2"},
        {MODEL_TREES, "members.0.trees.missing", 1, 1, "missing cells of node 2 go to side 1"},
    };
    place *p = *state;
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        bytes b = saved(p, reals[i].kind);
        poke(p, b, reals[i].name, reals[i].index, &reals[i].value, reals[i].words);
        free(b.v);
    }
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        bytes b = saved(p, integers[i].kind);
        poke(p, b, integers[i].name, integers[i].index, &integers[i].value, integers[i].words);
        free(b.v);
    }
}

/* Random bytes changed, the checksum made right: a file may be refused or accepted, and what is accepted works. */
static void test_random_damage_is_harmless(void **state)
{
    enum { TRIES = 600 };
    place *p = *state;
    rng r;
    rng_open(&r, 1, 0);
    int64_t accepted = 0;
    for (int kind = 0; kind < MODEL_KINDS; kind++) {
        bytes b = saved(p, (model_kind)kind), hurt = {malloc(b.n), b.n};
        assert_non_null(hurt.v);
        for (int i = 0; i < TRIES; i++) {
            memcpy(hurt.v, b.v, b.n);
            for (int64_t k = 1 + rng_below(&r, 3); k > 0; k--) {
                size_t at = (size_t)rng_below(&r, (int64_t)b.n);
                hurt.v[at] = (unsigned char)(rng_below(&r, 2) ? rng_bits(&r) : hurt.v[at] ^ (1u << rng_below(&r, 8)));
            }
            seal(hurt);
            write_bytes(p->path, hurt.v, hurt.n);
            rung_model *m = NULL;
            rung_status status = model_load(p->ctx, p->path, &m);
            if (status != RUNG_OK) {
                assert_int_equal(status, RUNG_EFORMAT);
                continue;
            }
            double x[3 * D] = {0.5, 1, 0, 0, -2, 0, 1, 0, 3, 0, 0, 1}, score[TRAINED * MOST_OUTPUTS],
                         proba[TRAINED * CLASSES];
            int rank[TRAINED];
            char *text = NULL;
            rung_view X = {x, 3, D, D, 1};
            rung_output out = {.rank = model_has_ranks(m) ? rank : NULL,
                               .score = score,
                               .proba = model_has_probabilities(m) ? proba : NULL};
            assert_int_equal(m->code.d, D);
            assert_true(m->code.n_classes == CLASSES || !model_has_ranks(m));
            assert_in_range(model_outputs(m), 1, MOST_OUTPUTS);
            status = model_predict(p->ctx, m, &X, NULL, &out);
            assert_true(status == RUNG_OK || status == RUNG_EDATA);
            for (int row = 0; status == RUNG_OK && out.rank && row < 3; row++) assert_in_range(rank[row], 1, CLASSES);
            assert_in_range(m->training.n, 0, TRAINED);
            if (m->training.n) {
                status = model_predict_training(p->ctx, m, NULL, &out);
                assert_true(status == RUNG_OK || status == RUNG_EDATA);
            }
            assert_ok(p->ctx, model_describe(p->ctx, m, &text));
            rung_free(text);
            if (accepted++ % 16 == 0) assert_ok(p->ctx, model_save(p->ctx, m, p->path)); /* not always: it syncs */
            model_free(m);
        }
        free(b.v), free(hurt.v);
    }
    assert_true(accepted > MODEL_KINDS * TRIES / 20);
}

/* ---- where it cannot be written or read ---- */

static void test_places_that_do_not_work(void **state)
{
    place *p = *state;
    rung_ctx *ctx = p->ctx;
    rung_model *m = make_model(ctx, MODEL_LINEAR), *copy = NULL;
    char path[128];
    assert_fails(ctx, model_save(ctx, m, "-"), RUNG_EARG, "must be saved to a file, not to '-'");
    assert_fails(ctx, model_save(ctx, m, ""), RUNG_EARG, "must be saved to a file");
    snprintf(path, sizeof path, "%s/no/m.rung", p->folder);
    assert_fails(ctx, model_save(ctx, m, path), RUNG_EIO, "No such file or directory");
    assert_fails(ctx, model_save(ctx, m, p->folder), RUNG_EIO, "not a regular file");
    assert_fails(ctx, model_load(ctx, p->path, &copy), RUNG_EIO, "No such file or directory");
    assert_fails(ctx, model_load(ctx, p->folder, &copy), RUNG_EFORMAT, "not a regular file");
    assert_int_equal(mkfifo(p->path, 0600), 0);
    assert_fails(ctx, model_load(ctx, p->path, &copy), RUNG_EFORMAT, "not a regular file");
    assert_fails(ctx, model_save(ctx, m, p->path), RUNG_EIO, "not a regular file");
    assert_int_equal(unlink(p->path), 0);
    assert_int_equal(files_in(p->folder), 0);
    model_free(m);
}

static void test_relative_path(void **state)
{
    place *p = *state;
    char *here = getcwd(NULL, 0);
    assert_non_null(here);
    assert_int_equal(chdir(p->folder), 0);
    rung_model *m = make_model(p->ctx, MODEL_LINEAR), *copy = NULL;
    assert_ok(p->ctx, model_save(p->ctx, m, "m.rung"));
    assert_ok(p->ctx, model_load(p->ctx, "m.rung", &copy));
    model_free(m);
    model_free(copy);
    assert_int_equal(chdir(here), 0);
    free(here);
}

/* A disk that fills up, by the limit on the size of a file. */
static void test_failed_save_leaves_the_old_file(void **state)
{
    place *p = *state;
    bytes b = saved(p, MODEL_LINEAR);
    rung_model *m = make_model(p->ctx, MODEL_RBF);
    struct rlimit old, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = (struct rlimit){1024, old.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    rung_status status = model_save(p->ctx, m, p->path);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, handler);
    assert_fails(p->ctx, status, RUNG_EIO, "cannot write: File too large");
    assert_int_equal(files_in(p->folder), 1);
    bytes after = read_bytes(p->path);
    assert_int_equal(after.n, b.n);
    assert_memory_equal(after.v, b.v, b.n);
    model_free(m);
    free(b.v), free(after.v);
}

static void test_left_over_temporary_file(void **state)
{
    place *p = *state;
    char other[128];
    snprintf(other, sizeof other, "%s.%ld-0.tmp", p->path, (long)getpid());
    write_bytes(other, (const unsigned char *)"mine", 4);
    free(saved(p, MODEL_LINEAR).v);
    bytes b = read_bytes(other); /* of someone else: not touched */
    assert_int_equal(b.n, 4);
    assert_memory_equal(b.v, "mine", 4);
    free(b.v);
    assert_int_equal(unlink(other), 0);
    assert_int_equal(files_in(p->folder), 1);
}

/* The file a symbolic link leads to is replaced, the link stays; one that leads nowhere is told. */
static void test_symbolic_links(void **state)
{
    place *p = *state;
    char link[128], target[128];
    struct stat about;
    rung_model *m = make_model(p->ctx, MODEL_LINEAR), *copy = NULL;
    snprintf(link, sizeof link, "%s/link", p->folder);
    snprintf(target, sizeof target, "%s/m.rung", p->folder);
    assert_int_equal(symlink("m.rung", link), 0);
    assert_fails(p->ctx, model_save(p->ctx, m, link), RUNG_EIO, "cannot follow the symbolic link: No such file");
    write_bytes(target, (const unsigned char *)"old", 3);
    assert_ok(p->ctx, model_save(p->ctx, m, link));
    assert_int_equal(lstat(link, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_ok(p->ctx, model_load(p->ctx, target, &copy));
    assert_int_equal(files_in(p->folder), 2);
    assert_int_equal(unlink(link), 0);
    model_free(m), model_free(copy);
}

/* Somebody else's files on all names for a temporary one: told, and theirs are left alone. */
static void test_no_temporary_name_is_left(void **state)
{
    place *p = *state;
    char other[128];
    rung_model *m = make_model(p->ctx, MODEL_LINEAR);
    for (int i = 0; i < 1000; i++) {
        snprintf(other, sizeof other, "%s.%ld-%d.tmp", p->path, (long)getpid(), i);
        write_bytes(other, (const unsigned char *)"", 0);
    }
    assert_fails(p->ctx, model_save(p->ctx, m, p->path), RUNG_EIO, "cannot create a file there: File exists");
    assert_int_equal(files_in(p->folder), 1000);
    for (int i = 0; i < 1000; i++) {
        snprintf(other, sizeof other, "%s.%ld-%d.tmp", p->path, (long)getpid(), i);
        assert_int_equal(unlink(other), 0);
    }
    model_free(m);
}

static void test_models_that_are_wrong_are_not_saved(void **state)
{
    place *p = *state;
    rung_model *m = make_model(p->ctx, MODEL_LINEAR);
    m->members[0].decide.thresholds[0] = 5;
    assert_fails(p->ctx, model_save(p->ctx, m, p->path), RUNG_EINTERNAL, "thresholds are not increasing");
    m->members[0].decide.thresholds[0] = -5;
    m->code.classes[0] = "caf\xe9";
    assert_fails(p->ctx, model_save(p->ctx, m, p->path), RUNG_EDATA, "is not valid UTF-8");
    m->code.classes[0] = "a";
    p->ctx->memory = 1000;
    char *copied = NULL;
    int64_t size = 0;
    assert_fails(p->ctx, model_to_memory(p->ctx, m, &copied, &size), RUNG_ELIMIT, "saving the model");
    assert_null(copied);
    assert_int_equal(files_in(p->folder), 0);
    assert_ok(p->ctx, model_save(p->ctx, m, p->path)); /* a file is written as a stream */
    rung_model *copy = NULL;
    assert_fails(p->ctx, model_load(p->ctx, p->path, &copy), RUNG_ELIMIT, "loading the model");
    model_free(m);
    m = make_model(p->ctx, MODEL_RBF);
    m->report[1].name = "rho";
    p->ctx->memory = 0;
    assert_fails(p->ctx, model_save(p->ctx, m, p->path), RUNG_EINTERNAL, "two arrays are named report.rho");
    model_free(m);
    m = make_model(p->ctx, MODEL_PAIR);
    m->members[1].prior = NULL;
    m->members[1].proba = PROBA_NONE;
    assert_fails(p->ctx, model_save(p->ctx, m, p->path), RUNG_EINTERNAL, "several members need probabilities");
    model_free(m);
}

/* A member without terms of its own: the logistic or probit link of a kernel expansion. */
static void make_link(rung_ctx *ctx, rung_model *m, member *one, int64_t rank)
{
    one->decide.kind = DECISION_MEDIAN;
    one->proba = PROBA_PROBIT;
    one->link = (probit_link){.kind = LINK_PROBIT,
                              .rank = rank,
                              .noise = 1,
                              .b = NUMBERS(-0.5, 0.75),
                              .factor = copy_numbers(ctx, m, rank * one->score.m, NULL)};
}

/* What reading a file makes impossible must not come from a fit either: no such model is written. */
static void test_what_no_model_may_be(void **state)
{
    place *p = *state;
    rung_ctx *ctx = p->ctx;
#define WRONG(kind, words, ...)                                                                                        \
    do {                                                                                                               \
        rung_model *m = make_model(ctx, kind);                                                                         \
        member *one = m->members;                                                                                      \
        __VA_ARGS__;                                                                                                   \
        (void)one;                                                                                                     \
        assert_fails(ctx, model_save(ctx, m, p->path), RUNG_EINTERNAL, words);                                         \
        model_free(m);                                                                                                 \
    } while (0)
    WRONG(MODEL_RBF, "column 2 has no categories", m->code.columns[1].n_categories = 0);
    WRONG(MODEL_RBF, "column 2 does not follow the one before it", m->code.columns[1].first = 2);
    WRONG(MODEL_RBF, "there are 5 coded columns, but the coding gives 4", m->code.d = 5);
    WRONG(MODEL_RBF, "there is no column", m->code.n_columns = m->code.d = 0);
    WRONG(MODEL_REAL, "class edges of a label without classes", m->code.edges = NUMBERS(0));
    WRONG(MODEL_SOFT, "class edges of a label without classes", m->code.label_position = -1);
    WRONG(MODEL_RBF, "the scaling has 3 columns, but the coding has 4", one->scale.d = 3);
    WRONG(MODEL_ARD, "the kernel has 3 precisions for 4 columns", one->score.k.n_precisions = 3);
    WRONG(MODEL_RBF, "the scorer has 3 columns, but the coding has 4", one->score.d = 3);
    WRONG(MODEL_RBF, "there are 0 outputs", one->score.outputs = 0);
    WRONG(MODEL_RBF, "there are -1 terms", one->score.m = -1);
    WRONG(MODEL_LINEAR, "a linear map of 3 terms over 4 columns", one->score.m = 3);
    WRONG(MODEL_CONSTANT, "a constant with 9 terms", one->score.m = 9);
    WRONG(MODEL_RBF, "a calibration without a rank map", one->map.n = 0);
    WRONG(MODEL_GRADED, "a calibration without a rank map", one->map.n = -1);
    WRONG(MODEL_RBF, "the calibration has 2 classes, but there are 3", one->cal.K = 2);
    WRONG(MODEL_RBF, "a decision between 2 classes, but 3 have labels", one->decide.K = 2);
    WRONG(MODEL_RBF, "several kinds of probabilities", one->prior = NUMBERS(0.125, 0.5, 0.375));
    WRONG(MODEL_RBF, "a logit link with a covariance", make_link(ctx, m, one, 1); one->link.kind = LINK_LOGIT);
    WRONG(MODEL_RBF, "a logit link with a covariance", make_link(ctx, m, one, 0);
          one->link.kind = LINK_LOGIT, one->link.functions = true);
    WRONG(MODEL_MIXTURE, "a logit link with a covariance", mix_kernel(ctx, m, GP, 3, 0); one->link.rank = 0;
          one->link.functions = false; one->link.kind = LINK_LOGIT);
    WRONG(MODEL_LINEAR, "a posterior over functions without a kernel function", one->score.outputs = 1;
          make_link(ctx, m, one, 0); one->link.functions = true);
    WRONG(MODEL_PRECOMPUTED, "a posterior over functions without a kernel function", make_link(ctx, m, one, 0);
          one->link.functions = true);
    WRONG(MODEL_RBF, "a number of the covariance is not finite", make_link(ctx, m, one, 2);
          one->link.factor[2 * TERMS - 1] = NAN);
    WRONG(MODEL_BINARY, "several kinds of probabilities", make_link(ctx, m, one, 0));
    WRONG(MODEL_MIXTURE, "a power without class scores or a prior", m->members[SPREAD].prior = NULL);
    WRONG(MODEL_MIXTURE, "a power without class scores or a prior", m->members[SPREAD].power = INFINITY);
    WRONG(MODEL_MIXTURE, "a power without class scores or a prior", m->members[RIDGE].power = 2);
    WRONG(MODEL_MIXTURE, "1 cumulative probabilities of 3 classes", m->members[RIDGE].score.outputs = 1);
    WRONG(MODEL_RBF, "there is no member", m->n_members = 0);
    WRONG(MODEL_PAIR, "the members have different scalings", m->members[1].scale.shift = NUMBERS(0.5, -0.25, 0, 1));
    WRONG(MODEL_MIXTURE, "only some members have a decision rule", m->members[RIDGE].proba = PROBA_NONE;
          m->members[RIDGE].decide.kind = DECISION_NONE);
    WRONG(MODEL_PAIR, "the weights of the members sum to inf", m->members[0].weight = m->members[1].weight = 1e308);
    WRONG(MODEL_RBF, "the sharpening exponent is -1", m->sharpen = -1);
    WRONG(MODEL_RBF, "the sharpening exponent is inf", m->sharpen = INFINITY);
    WRONG(MODEL_LINEAR, "need probabilities", m->sharpen = 2);
    WRONG(MODEL_POLY, "need probabilities", m->sharpen = 2);
    WRONG(MODEL_UNLABELLED, "need probabilities", m->sharpen = 2);
    WRONG(MODEL_LINEAR, "tempered probabilities without probabilities",
          m->temper = ((tempering){.n = 1, .power = NUMBERS(1), .weight = NUMBERS(1), .frequency = NUMBERS(0, 0, 0)}));
    WRONG(MODEL_GRADED, "prediction intervals from 6 scores, -1 repeats", m->ranges.repeats = -1);
    WRONG(MODEL_GRADED, "prediction intervals from -6 scores, 1 repeats", m->ranges.n = -6);
    WRONG(MODEL_GRADED, "prediction intervals from 6 scores, 1 repeats, 1 rows never held out", m->n_labelled = 5);
    WRONG(MODEL_MEANS, "prediction intervals without probabilities",
          m->ranges = (conformal){.repeats = 1, .n = 1, .score = NUMBERS(0.5)});
    WRONG(MODEL_BINARY, "11 training rows, but there were 12", m->training.n = 11);
    WRONG(MODEL_PAIR, "predictions for training rows from several members", make_training(ctx, m, false));
    WRONG(MODEL_BINARY, "predictions for training rows from several members", m->sharpen = 2);
    WRONG(MODEL_RBF, "without the variance of their latent values", make_link(ctx, m, one, 0);
          make_training(ctx, m, false));
    WRONG(MODEL_GAUSSIAN, "training row 3 has rank -1 of 3", m->training.label[2] = -1);
    WRONG(MODEL_REAL, "ranks of training rows in a model without ranks", make_training(ctx, m, true);
          m->training.label[1] = m->training.label[4] = 0);
    WRONG(MODEL_LAPLACIAN, "6 rows are kept, but 7 were labelled", m->kept.n = 6);
    WRONG(MODEL_PAIR, "7 rows are kept, but 7 were labelled", make_kept(ctx, m));
    WRONG(MODEL_LAPLACIAN, "kept rows without a state", m->kept.width = 0);
#undef WRONG
    rung_model *m = make_model(ctx, MODEL_RBF);
    m->method = NULL;
    assert_fails(ctx, model_save(ctx, m, p->path), RUNG_EDATA, "the text of the method is missing");
    model_free(m);
    assert_int_equal(files_in(p->folder), 0);
}

/* ---- memory that runs out ---- */

typedef struct {
    place *p;
    rung_model *m;
} work;

static rung_status save_once(void *argument)
{
    work *w = argument;
    unlink(w->p->path);
    rung_status status = model_save(w->p->ctx, w->m, w->p->path);
    pool_free_all(&w->p->ctx->scratch);
    assert_int_equal(files_in(w->p->folder), status == RUNG_OK);
    return status;
}

static rung_status load_once(void *argument)
{
    work *w = argument;
    rung_model *copy = NULL;
    rung_status status = model_load(w->p->ctx, w->p->path, &copy);
    if (status != RUNG_OK) assert_null(copy);
    pool_free_all(&w->p->ctx->scratch);
    model_free(copy);
    return status;
}

static void test_pool_runs_out(void **state)
{
    work w = {.p = *state};
    for (int kind = 0; kind < MODEL_KINDS; kind++) {
        w.m = make_model(w.p->ctx, (model_kind)kind);
        assert_true(fail_each_allocation(save_once, &w) > 2);
        assert_true(fail_each_allocation(load_once, &w) > 10);
        model_free(w.m);
    }
}

static int64_t json_allowed, json_live;
static bool json_spares_growth;

/* While Jansson reads, it does not look whether the buffer of its current word could grow (a power of two): those
 * allocations are spared. */
static void *json_malloc(size_t n)
{
    bool spared = json_spares_growth && n >= 32 && (n & (n - 1)) == 0;
    if (!spared && json_allowed-- <= 0) return NULL;
    void *p = malloc(n);
    json_live += p != NULL;
    return p;
}

static void json_free(void *p)
{
    json_live -= p != NULL;
    free(p);
}

static void fail_each_json_allocation(rung_status (*call)(void *), work *w, bool reading)
{
    json_set_alloc_funcs(json_malloc, json_free);
    json_spares_growth = reading;
    rung_status status;
    int64_t k = 0;
    do {
        json_live = 0;
        json_allowed = k++;
        status = call(w);
        if (status != RUNG_OK) assert_int_equal(status, RUNG_ENOMEM);
        assert_int_equal(json_live, 0);
    } while (status != RUNG_OK);
    json_set_alloc_funcs(malloc, free);
    assert_true(k > 50);
}

static rung_status describe_once(void *argument)
{
    work *w = argument;
    char *text = NULL;
    rung_status status = model_describe(w->p->ctx, w->m, &text);
    if (status != RUNG_OK) assert_null(text);
    rung_free(text);
    return status;
}

static void test_jansson_runs_out(void **state)
{
    work w = {.p = *state};
    model_kind kinds[] = {MODEL_RBF, MODEL_GAUSSIAN, MODEL_MEANS};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        w.m = make_model(w.p->ctx, kinds[i]);
        fail_each_json_allocation(save_once, &w, false);
        fail_each_json_allocation(load_once, &w, true);
        fail_each_json_allocation(describe_once, &w, false);
        model_free(w.m);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_place, close_place)
    const struct CMUnitTest tests[] = {
        TEST(test_round_trip),
        TEST(test_every_field_comes_back),
        TEST(test_new_parts_come_back),
        TEST(test_kept_rows_come_back),
        TEST(test_every_flipped_byte_is_refused),
        TEST(test_every_other_length_is_refused),
        TEST(test_hostile_headers),
        TEST(test_models_without_ranges),
        TEST(test_hostile_new_parts),
        TEST(test_members_of_members),
        TEST(test_foreign_files),
        TEST(test_hostile_numbers),
        TEST(test_random_damage_is_harmless),
        TEST(test_places_that_do_not_work),
        TEST(test_relative_path),
        TEST(test_failed_save_leaves_the_old_file),
        TEST(test_left_over_temporary_file),
        TEST(test_symbolic_links),
        TEST(test_no_temporary_name_is_left),
        TEST(test_models_that_are_wrong_are_not_saved),
        TEST(test_what_no_model_may_be),
        TEST(test_pool_runs_out),
        TEST(test_jansson_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
