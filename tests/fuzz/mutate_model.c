// SPDX-License-Identifier: BSD-3-Clause
/* Changes a model file in its structure: the counts, kinds, keys, shapes, offsets and values that a reader acts upon.
 * What comes out has the frame of a model file and the right checksum, so the changes reach the checks behind them. */
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { LENGTH_BYTES = 8, WIDTH = 8, MOST_PLACES = 4096, MOST_CHANGES = 4, MOST_GROWTH = 64 };

typedef struct {
    json_t *header, *model; /* the arrays with their places; the text of the metadata */
    uint8_t *data;
    size_t size;
    uint64_t random;
} model_file;

/* splitmix64 */
static uint64_t draw(model_file *f, uint64_t below)
{
    uint64_t x = f->random += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (x ^ (x >> 31)) % below;
}

#define PICK(f, list) ((list)[draw(f, sizeof(list) / sizeof *(list))])

/* ---- values that readers trip over ---- */

static int64_t odd_integer(model_file *f, int64_t old)
{
    static const int64_t values[] = {0,
                                     1,
                                     2,
                                     -1,
                                     INT64_MAX,
                                     INT64_MIN,
                                     INT64_MAX - 1,
                                     INT64_MAX / 8,
                                     INT64_MAX / 8 + 1,
                                     INT32_MAX,
                                     INT64_C(1) + INT32_MAX,
                                     INT32_MIN,
                                     INT64_C(1) << 32,
                                     INT64_C(1) << 53,
                                     (INT64_C(1) << 53) + 1,
                                     INT64_C(1) << 60,
                                     INT64_C(1) << 61,
                                     1000};
    switch (draw(f, 4)) {
    case 0: return old < INT64_MAX ? old + 1 : old;
    case 1: return old > INT64_MIN ? old - 1 : old;
    default: return PICK(f, values);
    }
}

static double odd_number(model_file *f, double old)
{
    static const double values[] = {0,    -0.0, 1,    -1,  0.5,      1e-300,    1e-200, -1e300, 1e300, 1e308, 4.9e-324,
                                    1e16, 1e9,  -1e9, NAN, INFINITY, -INFINITY, 1e150,  1e-12,  2,     1e140};
    return draw(f, 4) ? PICK(f, values) : old * (draw(f, 2) ? 1e-200 : -2);
}

static const char *odd_text(model_file *f)
{
    static const char *const values[] = {"none",
                                         "standard",
                                         "minmax",
                                         "rank",
                                         "constant",
                                         "linear",
                                         "kernel",
                                         "neighbours",
                                         "rbf",
                                         "poly",
                                         "laplacian",
                                         "ard",
                                         "precomputed",
                                         "gaussian",
                                         "binary",
                                         "threshold",
                                         "thresholds",
                                         "argmax",
                                         "median",
                                         "calibrated",
                                         "nearest-mean",
                                         "coefficients",
                                         "functions",
                                         "",
                                         "F64",
                                         "I64",
                                         "1",
                                         "\xc3\xa4",
                                         "scale",
                                         "space",
                                         "9223372036854775807"};
    return PICK(f, values);
}

static json_t *odd_value(model_file *f, const json_t *old)
{
    switch (draw(f, 12)) {
    case 0: return json_null();
    case 1: return json_array();
    case 2: return json_object();
    case 3: return json_string(odd_text(f));
    case 4: return json_boolean(draw(f, 2));
    case 5: return json_integer(odd_integer(f, 0));
    default: break;
    }
    if (json_is_integer(old)) return json_integer(odd_integer(f, json_integer_value(old)));
    if (json_is_boolean(old)) return json_boolean(!json_is_true(old));
    if (json_is_string(old)) return json_string(odd_text(f));
    return json_integer(odd_integer(f, 1));
}

/* ---- a place in a tree of JSON ---- */

typedef struct {
    json_t *parent;
    const char *key; /* of an object; NULL: */
    size_t index;    /* of a list */
} place;

typedef struct {
    place at[MOST_PLACES];
    size_t n;
} places;

static void collect(json_t *json, places *out)
{
    const char *key;
    json_t *value;
    size_t index;
    json_object_foreach(json, key, value)
    {
        if (out->n < MOST_PLACES) out->at[out->n++] = (place){.parent = json, .key = key};
        collect(value, out);
    }
    json_array_foreach(json, index, value)
    {
        if (out->n < MOST_PLACES) out->at[out->n++] = (place){.parent = json, .index = index};
        collect(value, out);
    }
}

static json_t *value_at(const place *p)
{
    return p->key ? json_object_get(p->parent, p->key) : json_array_get(p->parent, p->index);
}

static void put_at(const place *p, json_t *value) /* takes the value */
{
    if (p->key)
        json_object_set_new(p->parent, p->key, value);
    else
        json_array_set_new(p->parent, p->index, value);
}

static void remove_at(const place *p)
{
    if (p->key)
        json_object_del(p->parent, p->key);
    else
        json_array_remove(p->parent, p->index);
}

/* ---- changes ---- */

static void change_tree(model_file *f, json_t *tree)
{
    places *all = calloc(1, sizeof *all);
    FUZZ_CLAIM(all);
    collect(tree, all);
    if (all->n > 0) {
        const place *p = &all->at[draw(f, all->n)], *other = &all->at[draw(f, all->n)];
        switch (draw(f, 8)) {
        case 0: remove_at(p); break;
        case 1: put_at(p, json_deep_copy(value_at(other))); break;
        case 2: /* once more: a member, a column, a class */
            if (json_is_array(p->parent)) json_array_append_new(p->parent, json_deep_copy(value_at(p)));
            break;
        case 3:
            if (json_is_object(p->parent)) json_object_set_new(p->parent, odd_text(f), json_deep_copy(value_at(p)));
            break;
        default: put_at(p, odd_value(f, value_at(p))); break;
        }
    }
    free(all);
}

/* The entry of an array, none of the metadata; NULL: there is none. */
static json_t *some_array(model_file *f)
{
    size_t n = json_object_size(f->header);
    if (n == 0) return NULL;
    size_t wanted = draw(f, n);
    const char *name;
    json_t *entry;
    json_object_foreach(f->header, name, entry)
    {
        if (wanted-- == 0) return entry;
    }
    return NULL;
}

/* Where the data say it is; false: nowhere within the file. */
static bool array_range(const model_file *f, const json_t *entry, size_t *begin, size_t *count)
{
    const json_t *offsets = json_object_get(entry, "data_offsets");
    json_int_t from = json_integer_value(json_array_get(offsets, 0)),
               to = json_integer_value(json_array_get(offsets, 1));
    if (from < 0 || to < from || (uint64_t)to > f->size) return false;
    *begin = (size_t)from;
    *count = (size_t)(to - from) / WIDTH;
    return true;
}

static void change_values(model_file *f)
{
    const json_t *entry = some_array(f);
    size_t begin, count;
    if (!entry || !array_range(f, entry, &begin, &count) || count == 0) return;
    const char *type = json_string_value(json_object_get(entry, "dtype"));
    bool whole = type && !strcmp(type, "I64"), all = draw(f, 8) == 0;
    size_t one = draw(f, count);
    double factor = odd_number(f, 1), x;
    for (size_t i = all ? 0 : one; i <= (all ? count - 1 : one); i++) {
        uint8_t *at = f->data + begin + i * WIDTH;
        int64_t number;
        memcpy(&number, at, WIDTH);
        memcpy(&x, at, WIDTH);
        number = odd_integer(f, number);
        x = all ? x * factor : odd_number(f, x); /* all of it scaled keeps what must ascend ascending */
        memcpy(at, whole ? (void *)&number : (void *)&x, WIDTH);
    }
}

/* Sets every number of this value in the tree to another one. */
static void replace_all(json_t *tree, json_int_t old, json_int_t new)
{
    places *all = calloc(1, sizeof *all);
    FUZZ_CLAIM(all);
    collect(tree, all);
    for (size_t i = 0; i < all->n; i++) {
        json_t *value = value_at(&all->at[i]);
        if (json_is_integer(value) && json_integer_value(value) == old) json_integer_set(value, new);
    }
    free(all);
}

/* One element more or fewer in every dimension of this size, in all arrays, their data and the counts: a file whose
 * frame is right and whose contents are others. */
static void change_count(model_file *f)
{
    const json_t *entry = some_array(f), *shape = json_object_get(entry, "shape");
    size_t dims = json_array_size(shape);
    if (dims == 0) return;
    json_int_t old = json_integer_value(json_array_get(shape, draw(f, dims)));
    if (old < 1 || old > MOST_GROWTH) return;
    json_int_t new = old + (draw(f, 2) ? 1 : -1);
    const char *name;
    json_t *one;
    uint8_t *data = calloc(2 * f->size + MOST_GROWTH * WIDTH, 1);
    size_t used = 0, room = 2 * f->size + MOST_GROWTH * WIDTH;
    FUZZ_CLAIM(data);
    json_object_foreach(f->header, name, one)
    {
        json_t *sizes = json_object_get(one, "shape"), *size;
        size_t i, begin, count, wanted = 1;
        if (!array_range(f, one, &begin, &count)) continue;
        json_array_foreach(sizes, i, size)
        {
            if (json_is_integer(size) && json_integer_value(size) == old) json_integer_set(size, new);
            json_int_t n = json_integer_value(size);
            wanted = n < 0 || n > (json_int_t)room ? room : wanted * (size_t)n;
            if (wanted > room) wanted = room;
        }
        if (wanted > (room - used) / WIDTH) break;
        memcpy(data + used, f->data + begin, (count < wanted ? count : wanted) * WIDTH);
        json_object_set_new(one, "data_offsets",
                            json_pack("[I,I]", (json_int_t)used, (json_int_t)(used + wanted * WIDTH)));
        used += wanted * WIDTH;
    }
    free(f->data);
    f->data = data;
    f->size = used;
    replace_all(f->model, old, new);
}

static void change(model_file *f)
{
    switch (draw(f, 8)) {
    case 0: change_tree(f, f->header); break;
    case 1:
    case 2: change_count(f); break;
    case 3:
    case 4:
    case 5: change_values(f); break;
    default: change_tree(f, f->model); break;
    }
}

/* ---- bytes -> parts -> bytes ---- */

static bool take_apart(const uint8_t *bytes, size_t size, json_t **metadata, model_file *f)
{
    uint64_t length = 0;
    if (size < LENGTH_BYTES) return false;
    for (int b = 0; b < LENGTH_BYTES; b++) length |= (uint64_t)bytes[b] << (8 * b);
    if (length > size - LENGTH_BYTES) return false;
    f->header = json_loadb((const char *)bytes + LENGTH_BYTES, (size_t)length, 0, NULL);
    *metadata = json_incref(json_object_get(f->header, "__metadata__"));
    json_object_del(f->header, "__metadata__");
    const char *text = json_string_value(json_object_get(*metadata, "model"));
    f->model = text ? json_loads(text, 0, NULL) : NULL;
    f->size = size - LENGTH_BYTES - (size_t)length;
    f->data = malloc(f->size + 1);
    FUZZ_CLAIM(f->data);
    memcpy(f->data, bytes + LENGTH_BYTES + length, f->size);
    return f->model && json_is_object(f->header);
}

static size_t put_together(const model_file *f, json_t *metadata, uint8_t *bytes, size_t most)
{
    char *model = json_dumps(f->model, JSON_COMPACT);
    json_t *whole = json_object();
    json_object_set_new(metadata, "model", json_string(model));
    json_object_set(whole, "__metadata__", metadata);
    json_object_update(whole, f->header);
    char *text = json_dumps(whole, JSON_COMPACT);
    size_t length = text ? strlen(text) : 0, padded = (length + LENGTH_BYTES - 1) / LENGTH_BYTES * LENGTH_BYTES,
           size = 0;
    if (text && LENGTH_BYTES + padded + f->size <= most) {
        for (int b = 0; b < LENGTH_BYTES; b++) bytes[b] = (uint8_t)(padded >> (8 * b));
        memset(bytes + LENGTH_BYTES, ' ', padded);
        memcpy(bytes + LENGTH_BYTES, text, length);
        memcpy(bytes + LENGTH_BYTES + padded, f->data, f->size);
        size = LENGTH_BYTES + padded + f->size; /* the target sets the checksum right */
    }
    free(text);
    free(model);
    json_decref(whole);
    return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed)
{
    model_file f = {.random = seed};
    json_t *metadata = NULL;
    size_t made = 0;
    bool plain = LLVMFuzzerMutate && draw(&f, 8) == 0;
    if (!plain && take_apart(bytes, size, &metadata, &f)) {
        for (uint64_t changes = 1 + draw(&f, MOST_CHANGES); changes > 0; changes--) change(&f);
        made = put_together(&f, metadata, bytes, most);
    }
    json_decref(metadata);
    json_decref(f.header);
    json_decref(f.model);
    free(f.data);
    if (made > 0) return made;
    return LLVMFuzzerMutate ? LLVMFuzzerMutate(bytes, size, most) : size;
}
