// SPDX-License-Identifier: BSD-3-Clause
/* The struct as it is, then what its pointers point to, in a fixed order. A pointer that is not NULL tells the receiver
 * that something follows. */
#include "experiment/parcel.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    char *bytes; /* NULL: only measured */
    int64_t n;
} writer;

static void put(writer *w, const void *from, int64_t n)
{
    if (w->bytes && n) memcpy(w->bytes + w->n, from, (size_t)n);
    w->n += n;
}

static void put_array(writer *w, const void *from, int64_t n, size_t size)
{
    if (from) put(w, from, n * (int64_t)size);
}

static void put_json(writer *w, const json_t *value)
{
    if (!value) return;
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    put(w, text, (int64_t)strlen(text) + 1);
    free(text);
}

static void put_end(writer *w, const cell_end *end)
{
    const job_result *r = &end->result;
    w->n = 0;
    put(w, end, sizeof *end);
    for (int i = 0; i < PARTS; i++) {
        const answers *a = &r->part[i];
        put_array(w, a->rows, a->n, sizeof *a->rows);
        put_array(w, a->truth, a->n, sizeof *a->truth);
        put_array(w, a->rank, a->n, sizeof *a->rank);
        put_array(w, a->target, a->n, sizeof *a->target);
        put_array(w, a->score, a->n, sizeof *a->score);
    }
    put_json(w, r->params);
    put_json(w, r->searched);
    put_array(w, r->model, r->model_size, 1);
}

char *parcel_make(const cell_end *end, int64_t *n)
{
    writer w = {0};
    put_end(&w, end);
    w.bytes = allocate((size_t)w.n, 1);
    put_end(&w, end);
    *n = w.n;
    return w.bytes;
}

/* The next bytes; NULL for what the sender did not have. */
static void *get(const char **at, const void *sent, int64_t n, size_t size)
{
    if (!sent) return NULL;
    void *out = allocate((size_t)n, size);
    memcpy(out, *at, (size_t)n * size);
    *at += (size_t)n * size;
    return out;
}

static json_t *get_json(const char **at, const json_t *sent)
{
    if (!sent) return NULL;
    json_t *value = json_loads(*at, JSON_DECODE_ANY, NULL);
    *at += strlen(*at) + 1;
    return value;
}

void parcel_open(const char *bytes, cell_end *out)
{
    const char *at = bytes + sizeof *out;
    memcpy(out, bytes, sizeof *out);
    job_result *r = &out->result;
    for (int i = 0; i < PARTS; i++) {
        answers *a = &r->part[i];
        a->rows = get(&at, a->rows, a->n, sizeof *a->rows);
        a->truth = get(&at, a->truth, a->n, sizeof *a->truth);
        a->rank = get(&at, a->rank, a->n, sizeof *a->rank);
        a->target = get(&at, a->target, a->n, sizeof *a->target);
        a->score = get(&at, a->score, a->n, sizeof *a->score);
    }
    r->params = get_json(&at, r->params);
    r->searched = get_json(&at, r->searched);
    r->model = get(&at, r->model, r->model_size, 1);
}
