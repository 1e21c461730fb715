// SPDX-License-Identifier: BSD-3-Clause
/* Labels of columns, and tables as files of statistics programs and workbooks. */
#include "input/sheet/sheet_write.h"

#include "api/call.h"

rung_status rung_table_set_labels(rung_ctx *ctx, rung_table *table, const char *title, int32_t n, const double *codes,
                                  const char *const *names)
{
    if (!ctx || !table || (n > 0 && (!codes || !names))) return missing(ctx, "rung_table_set_labels");
    CALL(ctx, table_set_labels(ctx, table, title, n, codes, names));
}

const char *rung_table_title(const rung_table *table, int64_t index)
{
    bool there = index >= 0 && index < table->n_columns && table->columns[index].title;
    return there ? table->columns[index].title : "";
}

static rung_status add_column(rung_ctx *ctx, rung_table *table, const char *name, const rung_table *from, int64_t index)
{
    if (index >= 0 && index < from->n_columns) return table_add_column(ctx, table, name, from, index);
    return set_error(ctx, RUNG_EARG, "column %lld of a table of %lld", (long long)index, (long long)from->n_columns);
}

rung_status rung_table_add_column(rung_ctx *ctx, rung_table *table, const char *name, const rung_table *from,
                                  int64_t index)
{
    if (!ctx || !table || !from) return missing(ctx, "rung_table_add_column");
    CALL(ctx, add_column(ctx, table, name, from, index));
}

int rung_table_writable(const char *path)
{
    bool packed;
    sheet_kind kind = sheet_kind_named(path, &packed);
    return kind == SHEET_NONE ? -1 : sheet_can_write(kind);
}

rung_status rung_table_write(rung_ctx *ctx, const rung_table *table, const char *path, rung_write_fn *write, void *user)
{
    if (!ctx || !table || !path || !write) return missing(ctx, "rung_table_write");
    bool packed;
    sheet_kind kind = sheet_kind_named(path, &packed);
    CALL(ctx, sheet_write(ctx, table, kind, packed, write, user));
}
