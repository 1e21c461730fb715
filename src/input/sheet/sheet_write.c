// SPDX-License-Identifier: BSD-3-Clause
#include "input/sheet/sheet_write.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "input/table/column_form.h"

sheet_kind sheet_kind_named(const char *path, bool *packed)
{
    static const struct {
        const char *ending;
        sheet_kind kind;
    } list[] = {{".sav", SHEET_SAV}, {".zsav", SHEET_SAV},     {".por", SHEET_POR},  {".dta", SHEET_DTA},
                {".xpt", SHEET_XPT}, {".sas7bdat", SHEET_SAS}, {".xlsx", SHEET_XLSX}};
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        size_t m = strlen(list[i].ending);
        if (n <= m || !text_equal(path + n - m, list[i].ending)) continue;
        *packed = i == 1;
        return list[i].kind;
    }
    *packed = false;
    return SHEET_NONE;
}

bool sheet_can_write(sheet_kind kind)
{
#ifdef RUNG_READSTAT
    if (kind == SHEET_SAV || kind == SHEET_DTA || kind == SHEET_XPT) return true;
#endif
#ifdef RUNG_XLSX
    if (kind == SHEET_XLSX) return true;
#endif
    (void)kind;
    return false;
}

/* A text of the column as a number. */
static bool value_of(const column *c, const char *text, double *out)
{
    int32_t named = named_values_called(&c->values_named, text);
    if (c->native == NATIVE_DATE) return form_date(text, DATE_YMD, out);
    if (named < 0) return text_number(text, strlen(text), '.', out) && isfinite(*out);
    *out = c->values_named.code[named];
    return true;
}

rung_status sheet_numbers(rung_ctx *ctx, const rung_table *t, int64_t j, const double **out, bool *fraction)
{
    const column *c = &t->columns[j];
    double *value = NULL, *x = NULL;
    *fraction = false;
    *out = c->number;
    if (c->kind == COLUMN_NUMBER) return RUNG_OK;
    *out = NULL;
    if (c->native == NATIVE_UNKNOWN && c->values_named.n == 0) return RUNG_OK;
    TRY(NEW_RAW(ctx, &ctx->scratch, value, c->n_values));
    for (int32_t k = 0; k < c->n_values; k++) {
        if (!value_of(c, c->values[k], &value[k])) return RUNG_OK;
        *fraction = *fraction || value[k] != floor(value[k]);
    }
    TRY(NEW_RAW(ctx, &ctx->scratch, x, t->n_rows));
    for (int64_t i = 0; i < t->n_rows; i++) x[i] = c->text[i] < 0 ? NAN : value[c->text[i]];
    *out = x;
    return RUNG_OK;
}

rung_status sheet_write(rung_ctx *ctx, const rung_table *t, sheet_kind kind, bool packed, rung_write_fn *write,
                        void *user)
{
    if (!sheet_can_write(kind)) return set_error(ctx, RUNG_EARG, "%s cannot be written; write CSV", sheet_called(kind));
    if (kind == SHEET_XLSX) return xlsx_write(ctx, t, write, user);
    return stat_write(ctx, t, kind, packed, write, user);
}
