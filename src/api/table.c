// SPDX-License-Identifier: BSD-3-Clause
/* Tables and readers. */
#include "api/call.h"
#include "input/read/read.h"
#include "model/model.h"

rung_status rung_table_read(rung_ctx *ctx, const char *path, const rung_read_options *options, rung_table **out)
{
    NOTHING(out);
    if (!ctx || !path || !out) return missing(ctx, "rung_table_read");
    rung_read_options own;
    TRY(options_take(ctx, "rung_table_read", options, &own, sizeof own));
    CALL(ctx, read_table(ctx, path, &own, out));
}

rung_status rung_files_new(rung_ctx *ctx, const char *const *names, rung_files **out)
{
    NOTHING(out);
    if (!ctx || !names || !out) return missing(ctx, "rung_files_new");
    CALL(ctx, files_new(ctx, names, out));
}

const char *rung_files_at(const rung_files *files, int64_t index)
{
    return index >= 0 && index < files->n ? files->path[index] : NULL;
}

void rung_files_free(rung_files *files) { files_free(files); }

rung_status rung_table_read_files(rung_ctx *ctx, const rung_files *files, const rung_read_options *options,
                                  rung_table **out)
{
    NOTHING(out);
    if (!ctx || !files || !out) return missing(ctx, "rung_table_read_files");
    rung_read_options own;
    TRY(options_take(ctx, "rung_table_read_files", options, &own, sizeof own));
    CALL(ctx, read_files(ctx, files, &own, NULL, out));
}

rung_status rung_model_read(rung_ctx *ctx, const rung_model *model, const rung_files *files,
                            const rung_read_options *options, rung_table **out)
{
    NOTHING(out);
    if (!ctx || !model || !files || !out) return missing(ctx, "rung_model_read");
    rung_read_options own;
    TRY(options_take(ctx, "rung_model_read", options, &own, sizeof own));
    CALL(ctx, read_files(ctx, files, &own, &model->code, out));
}

rung_status rung_data_read_like(rung_ctx *ctx, const rung_data *like, const rung_files *files,
                                const rung_read_options *options, rung_table **out)
{
    NOTHING(out);
    if (!ctx || !like || !files || !out) return missing(ctx, "rung_data_read_like");
    rung_read_options own;
    TRY(options_take(ctx, "rung_data_read_like", options, &own, sizeof own));
    CALL(ctx, read_files(ctx, files, &own, &like->code, out));
}

void rung_table_free(rung_table *table) { table_free(table); }
int64_t rung_table_rows(const rung_table *table) { return table->n_rows; }
int64_t rung_table_columns(const rung_table *table) { return table->n_columns; }

const char *rung_table_name(const rung_table *table, int64_t index)
{
    return index >= 0 && index < table->n_columns ? table->columns[index].name : "";
}

int64_t rung_table_cell(const rung_table *table, int64_t row, int64_t index, char *text, int64_t size)
{
    bool there = row >= 0 && row < table->n_rows && index >= 0 && index < table->n_columns;
    if (there) return table_cell(table, row, index, text, size);
    if (size > 0) text[0] = 0;
    return 0;
}

rung_status rung_table_new(rung_ctx *ctx, int64_t rows, rung_table **out)
{
    NOTHING(out);
    if (!ctx || !out) return missing(ctx, "rung_table_new");
    CALL(ctx, table_from_memory(ctx, rows, out));
}

rung_status rung_table_add_numbers(rung_ctx *ctx, rung_table *table, const char *name, const double *v, int64_t step)
{
    if (!ctx || !table || !v) return missing(ctx, "rung_table_add_numbers");
    CALL(ctx, table_add_numbers(ctx, table, name, v, step));
}

rung_status rung_table_add_text(rung_ctx *ctx, rung_table *table, const char *name, const int32_t *code,
                                const char *const *values, int32_t n_values, int ordered)
{
    if (!ctx || !table || !code || (!values && n_values > 0)) return missing(ctx, "rung_table_add_text");
    CALL(ctx, table_add_text(ctx, table, name, code, values, n_values, ordered != 0));
}

rung_status rung_table_add_cells(rung_ctx *ctx, rung_table *table, const char *name, const char *const *cells)
{
    if (!ctx || !table || !cells) return missing(ctx, "rung_table_add_cells");
    CALL(ctx, table_add_cells(ctx, table, name, cells));
}

rung_status rung_reader_open(rung_ctx *ctx, const char *path, const rung_read_options *options, const rung_model *model,
                             rung_reader **out)
{
    NOTHING(out);
    if (!ctx || !path || !out) return missing(ctx, "rung_reader_open");
    rung_read_options own;
    TRY(options_take(ctx, "rung_reader_open", options, &own, sizeof own));
    CALL(ctx, reader_open(ctx, path, &own, model ? &model->code : NULL, out));
}

rung_status rung_reader_next(rung_ctx *ctx, rung_reader *reader, int64_t rows, rung_table **out)
{
    NOTHING(out);
    if (!ctx || !reader || !out) return missing(ctx, "rung_reader_next");
    CALL(ctx, reader_next(ctx, reader, rows, out));
}

void rung_reader_free(rung_reader *reader) { reader_close(reader); }
