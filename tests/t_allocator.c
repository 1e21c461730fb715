// SPDX-License-Identifier: BSD-3-Clause
/* Memory of the caller's: every block of the library comes from the allocator of the context and goes back to it,
 * whatever happens. */
#define _POSIX_C_SOURCE 200809L
#include "data/temp.h"

#include <stdatomic.h>
#include <zlib.h>

typedef struct {
    atomic_int_fast64_t blocks, bytes, taken, left; /* held now; ever taken; that are still given, < 0: no limit */
} account;

static void *allocate(void *user, size_t bytes, size_t alignment)
{
    account *a = user;
    void *room;
    if (atomic_load(&a->left) == 0 || posix_memalign(&room, alignment, bytes) != 0) return NULL;
    if (atomic_load(&a->left) > 0) atomic_fetch_sub(&a->left, 1);
    memset(room, 0xa5, bytes); /* not zeroed */
    atomic_fetch_add(&a->blocks, 1);
    atomic_fetch_add(&a->bytes, (int64_t)bytes);
    atomic_fetch_add(&a->taken, 1);
    return room;
}

static void give_back(void *user, void *block, size_t bytes)
{
    account *a = user;
    atomic_fetch_sub(&a->blocks, 1);
    atomic_fetch_sub(&a->bytes, (int64_t)bytes);
    memset(block, 0x5a, bytes);
    free(block);
}

#define ALLOCATOR(account) (&(rung_allocator){sizeof(rung_allocator), account, allocate, give_back})

/* All blocks of pools and so many objects come from the account, and nothing else does. */
#define assert_held(a, objects) assert_int_equal(atomic_load(&(a)->blocks), pool_live_blocks() + (objects))

static void everything_comes_back(void **state)
{
    (void)state;
    account a = {.left = -1};
    rung_ctx *ctx;
    rung_data *data;
    rung_spec *spec, *copy;
    rung_model *model, *winner, *again;
    rung_search *search;
    rung_suggestion *suggestion;
    char *bytes, *text;
    int64_t size, before = pool_live_blocks();
    assert_int_equal(before, 0);
    assert_ok(NULL, rung_ctx_new_with(ALLOCATOR(&a), &ctx));
    assert_held(&a, 1);
    rung_ctx_set_threads(ctx, 2);
    assert_ok(ctx, rung_ctx_set_note(ctx, "command", "none"));
    assert_ok(ctx, rung_data_generate(ctx, "toy", 90, -1, 0.4, &data));
    assert_held(&a, 2);
    assert_ok(ctx, rung_spec_new(ctx, "auto", 0, &spec));
    assert_ok(ctx, rung_spec_set(ctx, spec, "effort", "quick"));
    assert_ok(ctx, rung_spec_copy(ctx, spec, &copy));
    assert_held(&a, 4);
    assert_ok(ctx, rung_model_fit(ctx, copy, data, &model));
    assert_held(&a, 5);
    assert_true(atomic_load(&a.taken) > 1000);
    rung_tune_options how = {.size = sizeof how, .methods = LIST("kdlor"), .fixed = LIST("gamma=1"), .repeats = 1};
    assert_ok(ctx, rung_tune_run(ctx, &how, data, &winner, &search));
    assert_held(&a, 7);
    rung_suggest_options next = {.size = sizeof next, .n = 5, .no_forecast = 1};
    assert_ok(ctx, rung_suggest_run(ctx, copy, data, &next, &suggestion));
    assert_ok(ctx, rung_model_describe(ctx, winner, &text));
    assert_ok(ctx, rung_model_save_memory(ctx, model, &bytes, &size));
    assert_held(&a, 10);
    assert_ok(ctx, rung_model_load_memory(ctx, bytes, size, &again));
    assert_held(&a, 11);
    assert_fails(ctx, rung_model_load_memory(ctx, bytes, size / 2, &(rung_model *){NULL}), RUNG_EFORMAT, "");
    assert_held(&a, 11);
    rung_ctx_free(ctx); /* what was made with it stays */
    assert_held(&a, 10);
    rung_ctx *other;
    assert_ok(NULL, rung_ctx_new(&other));
    int *rank = malloc(90 * sizeof *rank);
    rung_view X = rung_data_view(data);
    assert_ok(other,
              rung_model_predict(other, again, &X, NULL, &(rung_output){.size = sizeof(rung_output), .rank = rank}));
    free(rank);
    rung_ctx_free(other);
    assert_held(&a, 10);
    rung_free(bytes);
    rung_free(text);
    rung_suggestion_free(suggestion);
    rung_search_free(search);
    rung_model_free(again);
    rung_model_free(winner);
    rung_model_free(model);
    rung_spec_free(copy);
    rung_spec_free(spec);
    rung_data_free(data);
    assert_int_equal(atomic_load(&a.blocks), 0);
    assert_int_equal(atomic_load(&a.bytes), 0);
}

static void files_too(void **state)
{
    (void)state;
    account a = {.left = -1};
    char path[] = "/tmp/rung_allocator_XXXXXX";
    rung_ctx *ctx;
    rung_table *table;
    rung_reader *reader;
    gzFile file = gzdopen(mkstemp(path), "w");
    gzputs(file, "a,b,label\n");
    for (int i = 0; i < 2000; i++) gzprintf(file, "%d,w%d,%d\n", i * 7 % 1000, i % 5, i % 3);
    gzclose(file);
    assert_ok(NULL, rung_ctx_new_with(ALLOCATOR(&a), &ctx));
    assert_ok(ctx, rung_table_read(ctx, path, NULL, &table));
    assert_held(&a, 2);
    assert_ok(ctx, rung_reader_open(ctx, path, NULL, NULL, &reader));
    assert_true(atomic_load(&a.blocks) > pool_live_blocks() + 4); /* reader, source, and what zlib works in */
    rung_reader_free(reader);
    assert_held(&a, 2);
    rung_table_free(table);
    rung_ctx_free(ctx);
    assert_int_equal(atomic_load(&a.blocks), 0);
    assert_int_equal(atomic_load(&a.bytes), 0);
    remove(path);
}

/* An allocator that has no more is a system without memory: each call says so, and nothing is lost. */
static void an_end_of_memory(void **state)
{
    (void)state;
    account a = {.left = 0};
    rung_ctx *ctx = NULL;
    assert_int_equal(rung_ctx_new_with(ALLOCATOR(&a), &ctx), RUNG_ENOMEM);
    assert_null(ctx);
    assert_int_equal(rung_ctx_new_with(&(rung_allocator){.size = sizeof(rung_allocator)}, &ctx), RUNG_EARG);
    assert_int_equal(rung_ctx_new_with(NULL, &ctx), RUNG_EARG);
    assert_int_equal(rung_ctx_new_with(ALLOCATOR(&a), NULL), RUNG_EARG);
    rung_status status = RUNG_ENOMEM;
    for (int64_t n = 1; status != RUNG_OK; n += 1 + n / 16) {
        rung_data *data = NULL;
        rung_spec *spec = NULL;
        rung_model *model = NULL;
        atomic_store(&a.left, n);
        status = rung_ctx_new_with(ALLOCATOR(&a), &ctx);
        if (status == RUNG_OK) status = rung_data_generate(ctx, "toy", 40, -1, 0, &data);
        if (status == RUNG_OK) status = rung_spec_new(ctx, "kdlor", 0, &spec);
        if (status == RUNG_OK) status = rung_model_fit(ctx, spec, data, &model);
        assert_true(status == RUNG_OK || status == RUNG_ENOMEM);
        assert_true((status == RUNG_OK) == (model != NULL));
        rung_model_free(model);
        rung_spec_free(spec);
        rung_data_free(data);
        rung_ctx_free(ctx);
        assert_int_equal(atomic_load(&a.blocks), 0);
        assert_int_equal(atomic_load(&a.bytes), 0);
        ctx = NULL;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(everything_comes_back), cmocka_unit_test(files_too),
                                       cmocka_unit_test(an_end_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
