// SPDX-License-Identifier: BSD-3-Clause
/* What is written is what is read again. */
#define _POSIX_C_SOURCE 200809L
#include "data/temp.h"

#include "input/sheet/sheet_write.h"

#if defined(RUNG_READSTAT) && defined(RUNG_XLSX)
typedef struct {
    char bytes[1 << 17];
    int64_t n, most;
} written;

static written file;

static int keep(void *user, const void *bytes, int64_t n)
{
    written *w = user;
    if (w->n + n > w->most) return 1;
    memcpy(w->bytes + w->n, bytes, (size_t)n);
    w->n += n;
    return 0;
}

static rung_status write_as(rung_ctx *ctx, const rung_table *t, const char *path, int64_t most)
{
    bool packed;
    sheet_kind kind = sheet_kind_named(path, &packed);
    file.n = 0;
    file.most = most;
    return sheet_write(ctx, t, kind, packed, keep, &file);
}

static rung_table *source(rung_ctx *ctx)
{
    rung_table *t;
    assert_ok(ctx, read_table(ctx, RUNG_GOLDEN "/../fuzz/corpus/spss/small.sav", NULL, &t));
    return t;
}

static rung_table *again(rung_ctx *ctx)
{
    rung_table *t;
    assert_ok(ctx, read_bytes(ctx, file.bytes, (size_t)file.n, NULL, &t));
    return t;
}

static void test_same(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t = source(ctx);
    static const char *const paths[] = {"a.sav", "a.ZSAV", "a.dta"};
    for (int k = 0; k < 3; k++) {
        assert_ok(ctx, write_as(ctx, t, paths[k], sizeof file.bytes));
        rung_table *b = again(ctx);
        assert_int_equal(b->n_rows, t->n_rows);
        assert_int_equal(b->n_columns, t->n_columns);
        for (int64_t j = 0; j < t->n_columns; j++) {
            const column *x = &t->columns[j], *y = &b->columns[j];
            assert_string_equal(x->name, y->name);
            assert_string_equal(x->title, y->title);
            assert_true(named_values_same(&x->values_named, &y->values_named));
            if (k < 2) assert_int_equal(x->level, y->level);
            char one[64], other[64];
            for (int64_t i = 0; i < t->n_rows; i++) {
                table_cell(t, i, j, one, sizeof one);
                table_cell(b, i, j, other, sizeof other);
                assert_string_equal(one, other);
            }
        }
        table_free(b);
    }
    table_free(t);
}

/* A transport file and a workbook hold the names themselves. */
static void test_names(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t = source(ctx);
    static const char *const paths[] = {"a.xpt", "a.xlsx"};
    for (int k = 0; k < 2; k++) {
        assert_ok(ctx, write_as(ctx, t, paths[k], sizeof file.bytes));
        rung_table *b = again(ctx);
        assert_close(number_at(b, 0, 0), 20.5, 0);
        assert_true(isnan(number_at(b, 1, 0)));
        assert_string_equal(text_at(b, 1, 1), "south");
        assert_string_equal(text_at(b, 1, 2), "Bern");
        assert_string_equal(text_at(b, 2, 3), "2024-01-03");
        assert_string_equal(text_at(b, 0, 4), "good");
        assert_string_equal(text_at(b, 4, 4), "<missing>");
        table_free(b);
    }
    table_free(t);
}

static void test_odd(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t;
    static const double x[] = {1, NAN, 2.5};
    static const char *const cells[] = {"a <b> & \"c\"", NULL, "\u00fc\001"};
    static const char *const names[] = {"p(good)", "p_good", "2nd", "P.GOOD", "\u00fc"};
    assert_ok(ctx, table_from_memory(ctx, 3, &t));
    for (int k = 0; k < 5; k++)
        assert_ok(ctx, k ? table_add_numbers(ctx, t, names[k], x, 1) : table_add_cells(ctx, t, names[k], cells));
    assert_ok(ctx, write_as(ctx, t, "a.sav", sizeof file.bytes));
    rung_table *b = again(ctx);
    static const char *const own[] = {"p_good", "p_good_2", "v2nd", "P_GOOD_3", "v"};
    for (int k = 0; k < 5; k++) assert_string_equal(b->columns[k].name, own[k]);
    assert_string_equal(b->columns[0].title, "p(good)");
    assert_string_equal(text_at(b, 0, 0), cells[0]);
    assert_close(number_at(b, 2, 1), 2.5, 0);
    table_free(b);
    assert_ok(ctx, write_as(ctx, t, "a.xlsx", sizeof file.bytes));
    b = again(ctx);
    for (int k = 0; k < 5; k++) assert_string_equal(b->columns[k].name, names[k]);
    assert_string_equal(text_at(b, 0, 0), cells[0]);
    assert_int_equal(b->n_rows, 2);                  /* the second is empty */
    assert_string_equal(text_at(b, 1, 0), "\u00fc"); /* XML has no byte 1 */
    table_free(b);
    static const char *const paths[] = {"a.sav", "a.dta", "a.xpt", "a.xlsx"};
    for (int k = 0; k < 4; k++) assert_fails(ctx, write_as(ctx, t, paths[k], 100), RUNG_EIO, "cannot be written");
    assert_fails(ctx, write_as(ctx, t, "a.por", 100), RUNG_EARG, "write CSV");
    table_free(t);
}

static void test_labels(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t;
    static const double x[] = {2, 1, 2}, code[] = {2, 1};
    static const char *const names[] = {"good", "poor"}, *const empty[] = {"", "a"};
    assert_ok(ctx, table_from_memory(ctx, 3, &t));
    assert_fails(ctx, table_set_labels(ctx, t, NULL, 2, code, names), RUNG_EARG, "no column");
    assert_ok(ctx, table_add_numbers(ctx, t, "x", x, 1));
    assert_fails(ctx, table_set_labels(ctx, t, NULL, 2, code, empty), RUNG_EARG, "lacks");
    assert_ok(ctx, table_add_numbers(ctx, t, "grade", x, 1));
    assert_ok(ctx, table_set_labels(ctx, t, "A title", 2, code, names));
    rung_data *data;
    assert_ok(ctx, dataset_encode(ctx, t, NULL, &data));
    assert_string_equal(data->code.classes[0], "poor");
    assert_int_equal(data->y[0], 2);
    dataset_free(data);
    table_free(t);
}
#endif

static void test_kinds(void **state)
{
    bool packed;
    (void)state;
    assert_int_equal(sheet_kind_named("a/b.ZSAV", &packed), SHEET_SAV);
    assert_true(packed);
    assert_int_equal(sheet_kind_named("b.csv", &packed), SHEET_NONE);
    assert_int_equal(sheet_kind_named(".sav", &packed), SHEET_NONE);
    assert_false(sheet_can_write(SHEET_POR));
    assert_false(sheet_can_write(SHEET_SAS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#if defined(RUNG_READSTAT) && defined(RUNG_XLSX)
        WITH_CONTEXT(test_same),
        WITH_CONTEXT(test_names),
        WITH_CONTEXT(test_odd),
        WITH_CONTEXT(test_labels),
#endif
        WITH_CONTEXT(test_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
