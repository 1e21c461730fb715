// SPDX-License-Identifier: BSD-3-Clause
/* The reader of models. The checksum is set right first, for it would keep the fuzzer out. What loads is used: it can
 * be described and predicts, and saved and loaded again it is the same file. */
#include "fuzz.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "rung/rung.h"

enum { AT = 8 + 29, DIGITS = 8, MOST = 1 << 16 }; /* the digits of the checksum: see docs/model-format.md */

static void seal(char *file, size_t size)
{
    char digits[DIGITS + 1];
    if (size < AT + DIGITS) return;
    memset(file + AT, '0', DIGITS);
    snprintf(digits, sizeof digits, "%08lx", crc32(0, (const Bytef *)file, (uInt)size) & 0xffffffffUL);
    memcpy(file + AT, digits, DIGITS);
}

static void predict(rung_ctx *ctx, const rung_model *model)
{
    enum { ROWS = 3 };
    int64_t d = rung_model_features(model);
    int outputs = rung_model_outputs(model), classes = rung_model_classes(model);
    if (d > MOST || outputs > MOST || classes > MOST) return;
    double *x = calloc((size_t)(ROWS * d + 1), sizeof *x), *score = calloc((size_t)(ROWS * outputs + 1), sizeof *score);
    double *proba = calloc((size_t)(ROWS * classes + 1), sizeof *proba);
    int rank[ROWS], low[ROWS], high[ROWS];
    FUZZ_CLAIM(x && score && proba);
    for (int64_t i = 0; i < ROWS * d; i++) x[i] = (double)(i % 7) - 3;
    if (d > 0) x[2 * d] = 1e300; /* the last row has cells no training row had */
    if (d > 1) x[3 * d - 1] = NAN;
    bool ranges = rung_model_interval(model) != NULL;
    const rung_view view = {.v = x, .n = ROWS, .d = d, .row = d, .col = 1};
    const rung_output out = {.size = sizeof out,
                             .rank = rung_model_has_ranks(model) ? rank : NULL,
                             .score = score,
                             .proba = rung_model_has_probabilities(model) ? proba : NULL,
                             .low = ranges ? low : NULL,
                             .high = ranges ? high : NULL};
    const rung_predict_options how = {.size = sizeof how, .level = 0.9};
    rung_view usual = view;
    usual.n = ROWS - 1; /* where the last row overflows, the others still have an answer */
    bool good = rung_model_predict(ctx, model, &view, &how, &out) == RUNG_OK;
    int rows = good ? ROWS : ROWS - 1;
    good = good || rung_model_predict(ctx, model, &usual, &how, &out) == RUNG_OK;
    for (int i = 0; i < rows && good; i++) {
        double sum = 0;
        if (out.rank) FUZZ_CLAIM(rank[i] >= 1 && rank[i] <= classes);
        if (out.low) FUZZ_CLAIM(low[i] >= 1 && low[i] <= high[i] && high[i] <= classes);
        for (int o = 0; o < outputs; o++) FUZZ_CLAIM(isfinite(score[i * outputs + o]));
        for (int q = 0; out.proba && q < classes; q++) {
            FUZZ_CLAIM(proba[i * classes + q] >= 0 && proba[i * classes + q] <= 1 + 1e-6);
            sum += proba[i * classes + q];
        }
        if (out.proba) FUZZ_CLAIM(fabs(sum - 1) <= 1e-5);
    }
    free(x);
    free(score);
    free(proba);
}

/* Rows of a table, with what is derived from them: as many columns as the model takes, however odd it is. */
static void encode(rung_ctx *ctx, const rung_model *model)
{
    enum { ROWS = 3 };
    static const char *const cells[] = {"1", NULL, "-2.5"};
    rung_table *table;
    rung_data *data;
    int64_t n = rung_model_inputs(model);
    if (n > 1 << 10 || rung_model_features(model) > MOST) return;
    FUZZ_CLAIM(rung_table_new(ctx, ROWS, &table) == RUNG_OK);
    rung_status status = RUNG_OK;
    for (int64_t j = 0; j < n && status == RUNG_OK; j++) {
        const char *name = rung_model_column(model, rung_model_input(model, j), NULL);
        status = rung_table_add_cells(ctx, table, *name ? name : "unnamed", cells);
    }
    if (status == RUNG_OK && rung_model_encode(ctx, model, table, RUNG_LABELS_IGNORED, &data) == RUNG_OK) {
        FUZZ_CLAIM(rung_data_features(data) == rung_model_features(model));
        rung_data_free(data);
    }
    rung_table_free(table);
}

static void again(rung_ctx *ctx, const rung_model *model)
{
    char *bytes, *twice, *text;
    int64_t size, size_twice;
    rung_model *copy;
    FUZZ_CLAIM(rung_model_save_memory(ctx, model, &bytes, &size) == RUNG_OK);
    FUZZ_CLAIM(rung_model_load_memory(ctx, bytes, size, &copy) == RUNG_OK);
    FUZZ_CLAIM(rung_model_save_memory(ctx, copy, &twice, &size_twice) == RUNG_OK);
    FUZZ_CLAIM(size == size_twice && memcmp(bytes, twice, (size_t)size) == 0);
    FUZZ_CLAIM(rung_model_describe(ctx, model, &text) == RUNG_OK);
    rung_free(text);
    rung_free(bytes);
    rung_free(twice);
    rung_model_free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *file = malloc(size + 1);
    rung_ctx *ctx;
    rung_model *model;
    FUZZ_CLAIM(file && rung_ctx_new(&ctx) == RUNG_OK);
    memcpy(file, bytes, size);
    seal(file, size);
    rung_ctx_set_memory(ctx, 256 << 20);
    if (rung_model_load_memory(ctx, file, (int64_t)size, &model) == RUNG_OK) {
        again(ctx, model);
        predict(ctx, model);
        encode(ctx, model);
    } else {
        FUZZ_CLAIM(!model && rung_ctx_message(ctx)[0]);
    }
    rung_model_free(model);
    rung_ctx_free(ctx);
    free(file);
    return 0;
}
