// SPDX-License-Identifier: BSD-3-Clause
/* The readers of data: the bytes as a whole file of one format (FUZZ_FORMAT), as it is coded, and in blocks. What a
 * model is fitted to it can also read and code again. */
#include "fuzz.h"

#include "rung/rung.h"

const char *const fuzz_words[] = {"",
                                  "0",
                                  "-1",
                                  "007",
                                  "01234",
                                  "+4930123456",
                                  "1e400",
                                  "nan",
                                  "inf",
                                  "NA",
                                  "?",
                                  "N/A",
                                  "-",
                                  "n.d.",
                                  "#DIV/0!",
                                  "NULL",
                                  "<0.1",
                                  ">= 5",
                                  "12%",
                                  "5 kg",
                                  "5 g",
                                  "$1,200",
                                  "13,38 \xe2\x82\xac",
                                  "(3.5)",
                                  "1,200",
                                  "3,14",
                                  "1 200,5",
                                  "1'200.5",
                                  "2024-01-31",
                                  "31.01.2024",
                                  "1/2/24",
                                  "31 Jan 2024",
                                  "20240131",
                                  "2024-01",
                                  "12:30",
                                  "2:15 pm",
                                  "100:00:59.9",
                                  "120/80",
                                  "yes",
                                  "Yes",
                                  "TRUE",
                                  "low",
                                  "1..3",
                                  "<=2",
                                  "..",
                                  "2024-02-30",
                                  "-999",
                                  "9999",
                                  "\"a\"\"b\"",
                                  "\"a\nb\"",
                                  "\"",
                                  "\xff\xfe",
                                  "\xe9",
                                  "\xef\xbb\xbf",
                                  "x y",
                                  "1e-320",
                                  "123456789012345678901234567890",
                                  "9007199254740993",
                                  "-0",
                                  ".",
                                  "1.",
                                  ".5e",
                                  "0x10",
                                  "\xe2\x88\x92"
                                  "3",
                                  "2024-01-31T10:00:00+02:00",
                                  "2024-13-45T99:99",
                                  "id",
                                  "label",
                                  "suggested",
                                  "chosen",
                                  "column2",
                                  "1:2",
                                  "qid:3",
                                  "{0 1, 2 b}",
                                  "% x",
                                  "@data",
                                  "@attribute a {x, y}",
                                  "sep=;",
                                  NULL};

typedef struct {
    const char *path;
    const rung_read_options *options;
} source_file;

/* The rows of all blocks together, coded by the model if there is one; -1: the file is refused. */
static int64_t in_blocks(rung_ctx *ctx, const source_file *from, const rung_model *model)
{
    rung_reader *reader = NULL;
    rung_table *block = NULL;
    int64_t rows = 0;
    rung_status status = rung_reader_open(ctx, from->path, from->options, model, &reader);
    do {
        rung_data *coded = NULL;
        rung_table_free(block);
        block = NULL;
        if (status == RUNG_OK) status = rung_reader_next(ctx, reader, 3, &block);
        if (block && model) status = rung_model_encode(ctx, model, block, RUNG_LABELS_IGNORED, &coded);
        rung_data_free(coded);
        rows += block ? rung_table_rows(block) : 0;
    } while (block);
    rung_reader_free(reader);
    return status == RUNG_OK ? rows : -1;
}

/* A model of the data reads the file they are from. */
static void read_by_model(rung_ctx *ctx, const source_file *from, const rung_table *table, const rung_data *data)
{
    rung_spec *spec;
    rung_model *model = NULL;
    rung_data *coded = NULL;
    FUZZ_CLAIM(rung_spec_new(ctx, "median", 0, &spec) == RUNG_OK);
    if (rung_model_fit(ctx, spec, data, &model) == RUNG_OK) {
        FUZZ_CLAIM(rung_model_encode(ctx, model, table, RUNG_LABELS_IGNORED, &coded) == RUNG_OK);
        FUZZ_CLAIM(rung_data_features(coded) == rung_data_features(data));
        FUZZ_CLAIM(in_blocks(ctx, from, model) == rung_table_rows(table));
    }
    rung_data_free(coded);
    rung_model_free(model);
    rung_spec_free(spec);
}

static void encode(rung_ctx *ctx, const source_file *from, const rung_table *table, const rung_encode_options *options)
{
    rung_data *data;
    if (rung_data_encode(ctx, table, options, &data) == RUNG_OK) {
        FUZZ_CLAIM(rung_data_rows(data) == rung_table_rows(table));
        if (!options) read_by_model(ctx, from, table, data);
    } else {
        FUZZ_CLAIM(!data && rung_ctx_message(ctx)[0]);
    }
    rung_data_free(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    int fd;
    char path[32], cell[64];
    rung_ctx *ctx;
    rung_table *table;
    const rung_read_options options = {.size = sizeof options, .format = FUZZ_FORMAT};
    const source_file from = {path, &options};
    fuzz_open(bytes, size, &fd, path);
    FUZZ_CLAIM(rung_ctx_new(&ctx) == RUNG_OK);
    rung_ctx_set_memory(ctx, 1 << 20); /* a short file may declare millions of columns */
    rung_status status = rung_table_read(ctx, path, &options, &table);
    FUZZ_CLAIM((status == RUNG_OK) == (table != NULL) && (status == RUNG_OK) == !rung_ctx_message(ctx)[0]);
    int64_t rows = in_blocks(ctx, &from, NULL);
    if (table) {
        FUZZ_CLAIM(rows < 0 || rows == rung_table_rows(table));
        for (int64_t j = 0; j < rung_table_columns(table); j++)
            rung_table_cell(table, rung_table_rows(table) - 1, j, cell, sizeof cell);
        encode(ctx, &from, table, NULL);
        encode(ctx, &from, table, &(rung_encode_options){.size = sizeof(rung_encode_options), .unlabelled = 1});
        encode(ctx, &from, table, &(rung_encode_options){.size = sizeof(rung_encode_options), .label = "1", .real = 1});
        encode(ctx, &from, table, &(rung_encode_options){.size = sizeof(rung_encode_options), .label = "1", .bins = 2});
    }
    rung_table_free(table);
    rung_ctx_free(ctx);
    fuzz_close(fd);
    return 0;
}
