// SPDX-License-Identifier: BSD-3-Clause
/* Private to src/model: the parts a model file is made of. docs/model-format.md describes the file field by field. */
#ifndef RUNG_MODEL_FILE_H
#define RUNG_MODEL_FILE_H

#include "base/json.h"
#include "model/model.h"

/* A model file is a safetensors file: the length of the header (8 bytes, little-endian), the header in JSON padded with
 * spaces, the arrays. Its metadata begin with the checksum, so the digits are at a fixed position: CRC-32 over the
 * whole file with these digits read as '0'. */
#define OPENING "{\"__metadata__\":{\"checksum\":\""
#define NO_DIGITS "00000000"

enum {
    MODEL_FORMAT = 1,
    LENGTH_BYTES = 8,
    DIGITS = sizeof NO_DIGITS - 1,
    DIGITS_AT = LENGTH_BYTES + sizeof OPENING - 1,
    HEADER_MOST = 100 << 20
};

void model_digits(unsigned long crc, char digits[DIGITS + 1]); /* save.c */

/* ---- check.c: what holds for every model; predict relies on it ---- */

/* RUNG_EFORMAT with the reason. Run before a model is written and after one is read, so whatever is written can be
 * read and whatever is read can be used. */
rung_status model_check(rung_ctx *ctx, const rung_model *m);
/* Every text is valid UTF-8, as JSON needs it; one that was read from JSON is. */
rung_status model_check_texts(rung_ctx *ctx, const rung_model *m);

/* What a prediction needs beyond what is in the file (model.c); after the check. */
rung_status model_ready(rung_ctx *ctx, rung_model *m);

/* ---- arrays.c: every real number of a model is an array of the file ---- */

typedef enum { ARRAYS_PLAN, ARRAYS_WRITE, ARRAYS_READ } arrays_mode;

/* Where the bytes of a file go, one after the other (save.c). */
typedef struct model_sink model_sink;
rung_status sink_put(rung_ctx *ctx, model_sink *sink, const void *bytes, int64_t size);

typedef struct {
    rung_ctx *ctx;
    arrays_mode mode;
    json_t *header;      /* name -> {dtype, shape, data_offsets}: PLAN adds entries, READ removes them */
    model_sink *sink;    /* WRITE */
    unsigned char *data; /* READ: the array part of the file */
    int64_t size;        /* READ: its length */
    int64_t used;        /* bytes walked so far */
} array_walk;

/* Visits every array of the model in the order of the file. PLAN lays them out, WRITE passes them to the sink, READ
 * allocates them in m->mem and fills them; the counts must be in m before. */
rung_status model_walk_arrays(array_walk *w, rung_model *m);

/* ---- structure.c, structure_read.c: everything that is not an array, as JSON ---- */

json_t *model_to_json(const rung_model *m); /* NULL: out of memory */
rung_status model_from_json(rung_ctx *ctx, json_t *json, rung_model *m);

/* By kind, as they stand in the file; NULL is the last. */
extern const char *const scorer_names[], *const weight_names[], *const decision_names[];

json_t *json_texts(int64_t n, const char *const *text); /* a list */
json_t *json_params(const rung_model *m);               /* name -> text or null */

#endif
