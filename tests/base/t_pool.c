// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include "base/rng.h"

static int close_checked(void **state)
{
    close_context(state);
    return pool_live_blocks() != 0; /* every test gives back what it took */
}

static void arrays_are_zeroed_aligned_and_counted(void **state)
{
    rung_ctx *ctx = *state;
    pool p = {0};
    const int64_t sizes[] = {1, 7, 8, 63, 64, 65, 1000, 100000};
    int64_t held = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *v;
        assert_int_equal(NEW(ctx, &p, v, sizes[i]), RUNG_OK);
        assert_int_equal((uintptr_t)v % 64, 0);
        for (int64_t j = 0; j < sizes[i]; j++) assert_int_equal(v[j], 0);
        memset(v, 0xa5, (size_t)sizes[i]); /* the next array must not show these */
        held += sizes[i];
        assert_int_equal(p.bytes, held);
        assert_int_equal(pool_live_blocks(), i + 1);
    }
    pool_free_all(&p);
    assert_int_equal(p.bytes, 0);
    assert_int_equal(p.peak, held);
    assert_int_equal(pool_live_blocks(), 0);
    assert_null(p.last);
}

static void an_empty_array_is_a_pointer_of_its_own(void **state)
{
    rung_ctx *ctx = *state;
    pool p = {0};
    double *a, *b;
    assert_int_equal(NEW(ctx, &p, a, 0), RUNG_OK);
    assert_int_equal(NEW_RAW(ctx, &p, b, 0), RUNG_OK);
    assert_non_null(a);
    assert_non_null(b);
    assert_ptr_not_equal(a, b);
    pool_free_all(&p);
}

static void impossible_sizes_are_refused_with_a_sentence(void **state)
{
    rung_ctx *ctx = *state;
    pool p = {0};
    double *matrix = (double *)1;
    assert_int_equal(NEW(ctx, &p, matrix, -1), RUNG_EINTERNAL);
    assert_string_equal(ctx->message, "matrix: negative size");
    assert_null(matrix);
    assert_int_equal(NEW(ctx, &p, matrix, INT64_MAX / 4), RUNG_ENOMEM); /* the byte count overflows */
    assert_non_null(strstr(ctx->message, "out of memory: the system has no room for another "));
    char *bytes;
    assert_int_equal(NEW(ctx, &p, bytes, INT64_MAX), RUNG_ENOMEM); /* the header in front of it overflows */
    assert_int_equal(NEW(ctx, &p, bytes, INT64_MAX - 64), RUNG_ENOMEM);
    assert_null(bytes);
    assert_int_equal(p.bytes, 0);
    assert_int_equal(p.peak, 0);
    assert_int_equal(pool_live_blocks(), 0);
    assert_int_equal(pool_alloc(NULL, &p, -1, 8, "no context", (void **)&matrix), RUNG_EINTERNAL);
}

static void the_message_tells_how_much(void **state)
{
    rung_ctx *ctx = *state;
    pool p = {0};
    double *gram;
    pool_fail_after(0);
    rung_status s = NEW(ctx, &p, gram, 3 * 131072);
    pool_fail_after(-1);
    assert_int_equal(s, RUNG_ENOMEM);
    assert_string_equal(ctx->message, "out of memory: the system has no room for another 3.0 MiB");
}

static void failing_on_purpose_counts_from_the_call(void **state)
{
    rung_ctx *ctx = *state;
    pool p = {0};
    for (int k = 0; k < 4; k++) {
        pool_fail_after(k);
        char *v;
        for (int i = 0; i < k; i++) assert_int_equal(NEW(ctx, &p, v, 1), RUNG_OK);
        assert_int_equal(NEW(ctx, &p, v, 1), RUNG_ENOMEM);
        pool_fail_after(-1);
        assert_int_equal(NEW(ctx, &p, v, 1), RUNG_OK);
        pool_free_all(&p);
    }
}

static void release_frees_what_came_after_the_mark(void **state)
{
    rung_ctx *ctx = *state;
    pool p = {0};
    int *a, *b, *c;
    pool_mark empty = pool_here(&p);
    assert_int_equal(NEW(ctx, &p, a, 10), RUNG_OK);
    pool_mark one = pool_here(&p);
    assert_int_equal(NEW(ctx, &p, b, 10), RUNG_OK);
    assert_int_equal(NEW(ctx, &p, c, 10), RUNG_OK);
    a[9] = 42;
    pool_release(&p, one);
    assert_int_equal(pool_live_blocks(), 1);
    assert_int_equal(a[9], 42);
    pool_release(&p, one); /* nothing left to do */
    assert_int_equal(pool_live_blocks(), 1);
    pool_release(&p, empty);
    assert_int_equal(pool_live_blocks(), 0);
}

static void one_array_can_go_before_its_time(void **state)
{
    rung_ctx *ctx = *state;
    for (int gone = 0; gone < 3; gone++) { /* the oldest, one between, the newest */
        pool p = {0};
        int *v[3];
        for (int i = 0; i < 3; i++) assert_int_equal(NEW(ctx, &p, v[i], 4 + i), RUNG_OK);
        pool_free(&p, v[gone]);
        pool_free(&p, NULL);
        assert_int_equal(pool_live_blocks(), 2);
        assert_int_equal(p.bytes, (int64_t)sizeof(int) * (4 + 5 + 6 - (4 + gone)));
        pool_free_all(&p);
        assert_int_equal(p.bytes, 0);
        assert_int_equal(pool_live_blocks(), 0);
    }
}

static void a_mark_survives_the_array_it_was_taken_at(void **state)
{
    rung_ctx *ctx = *state;
    pool p = {0};
    int *before, *at, *after;
    assert_int_equal(NEW(ctx, &p, before, 4), RUNG_OK);
    assert_int_equal(NEW(ctx, &p, at, 4), RUNG_OK);
    pool_mark mark = pool_here(&p);
    assert_int_equal(RESIZE(ctx, &p, at, 400), RUNG_OK); /* moves */
    assert_int_equal(NEW(ctx, &p, after, 4), RUNG_OK);
    pool_release(&p, mark);
    assert_int_equal(pool_live_blocks(), 2); /* before, at */
    assert_int_equal(NEW(ctx, &p, after, 4), RUNG_OK);
    pool_free(&p, at);
    pool_release(&p, mark);
    assert_int_equal(pool_live_blocks(), 1); /* before */
    pool_free_all(&p);
}

static void resize_starts_grows_and_shrinks(void **state)
{
    rung_ctx *ctx = *state;
    pool p = {0};
    int64_t *v = NULL;
    assert_int_equal(RESIZE(ctx, &p, v, 2), RUNG_OK); /* NULL: a first allocation */
    v[0] = 11, v[1] = 22;
    assert_int_equal(RESIZE(ctx, &p, v, 1000), RUNG_OK);
    assert_int_equal(v[0], 11);
    assert_int_equal(v[1], 22);
    assert_int_equal(p.bytes, 8000);
    assert_int_equal(RESIZE(ctx, &p, v, 1), RUNG_OK);
    assert_int_equal(v[0], 11);
    assert_int_equal(p.bytes, 8);
    assert_int_equal(p.peak, 8000 + 16); /* while copying, both are there */
    assert_int_equal(pool_live_blocks(), 1);
    pool_free_all(&p);
}

static void a_failed_resize_leaves_the_array(void **state)
{
    rung_ctx *ctx = *state;
    pool p = {0};
    int64_t *v;
    assert_int_equal(NEW(ctx, &p, v, 2), RUNG_OK);
    v[1] = 7;
    int64_t *old = v;
    pool_fail_after(0);
    rung_status s = RESIZE(ctx, &p, v, 100);
    pool_fail_after(-1);
    assert_int_equal(s, RUNG_ENOMEM);
    assert_ptr_equal(v, old);
    assert_int_equal(v[1], 7);
    assert_int_equal(p.bytes, 16);
    pool_free_all(&p);
}

/* A resized array keeps its place: a mark before it frees it, a mark after it does not. */
static void resize_keeps_the_order_of_marks(void **state)
{
    rung_ctx *ctx = *state;
    enum { N = 4 };
    for (int resized = 0; resized < N; resized++)
        for (int released = 0; released <= N; released++) {
            pool p = {0};
            int *v[N];
            pool_mark mark[N + 1];
            for (int i = 0; i < N; i++) {
                mark[i] = pool_here(&p);
                assert_int_equal(NEW(ctx, &p, v[i], 3), RUNG_OK);
                for (int j = 0; j < 3; j++) v[i][j] = 10 * i + j;
            }
            mark[N] = pool_here(&p);
            assert_int_equal(RESIZE(ctx, &p, v[resized], 300), RUNG_OK);
            pool_release(&p, mark[released]);
            assert_int_equal(pool_live_blocks(), released);
            for (int i = 0; i < released; i++)
                for (int j = 0; j < 3; j++) assert_int_equal(v[i][j], 10 * i + j);
            assert_int_equal(p.bytes, (int64_t)sizeof(int) * (3 * released + (resized < released ? 297 : 0)));
            pool_free_all(&p);
            assert_int_equal(p.bytes, 0);
        }
}

/* Random allocations, resizes, frees and releases against a plain model of them. */
static void a_random_life_keeps_every_array_whole(void **state)
{
    rung_ctx *ctx = *state;
    enum { MOST = 64 };
    struct {
        int64_t *v, n, tag;
    } model[MOST];
    int count = 0;
    rng r;
    rng_open(&r, 7, 0);
    pool p = {0};
    for (int step = 0; step < 20000; step++) {
        int what = (int)rng_below(&r, 8);
        if (what < 4 && count < MOST) {
            int64_t n = 1 + rng_below(&r, 20), *v;
            assert_int_equal(NEW_RAW(ctx, &p, v, n), RUNG_OK);
            for (int64_t j = 0; j < n; j++) v[j] = step;
            model[count].v = v, model[count].n = n, model[count].tag = step;
            count++;
        } else if (what < 6 && count > 0) {
            int i = (int)rng_below(&r, count);
            int64_t n = 1 + rng_below(&r, 40);
            assert_int_equal(RESIZE(ctx, &p, model[i].v, n), RUNG_OK);
            for (int64_t j = model[i].n; j < n; j++) model[i].v[j] = model[i].tag;
            model[i].n = n;
        } else if (what == 6 && count > 0) {
            int i = (int)rng_below(&r, count);
            pool_free(&p, model[i].v);
            memmove(&model[i], &model[i + 1], sizeof *model * (size_t)(count - i - 1));
            count--;
        } else if (what == 7) {
            pool_mark mark = pool_here(&p);
            int64_t *v;
            for (int k = 0; k < 3; k++) assert_int_equal(NEW(ctx, &p, v, 5), RUNG_OK);
            if (count > 0) { /* a resize after the mark must not lose the array */
                int i = (int)rng_below(&r, count);
                assert_int_equal(RESIZE(ctx, &p, model[i].v, model[i].n), RUNG_OK);
            }
            pool_release(&p, mark);
        }
        int64_t bytes = 0;
        for (int i = 0; i < count; i++) {
            bytes += 8 * model[i].n;
            for (int64_t j = 0; j < model[i].n; j++) assert_int_equal(model[i].v[j], model[i].tag);
        }
        assert_int_equal(p.bytes, bytes);
        assert_int_equal(pool_live_blocks(), count);
    }
    pool_free_all(&p);
}

static void texts_are_copied_and_formatted(void **state)
{
    rung_ctx *ctx = *state;
    pool p = {0};
    char source[] = "grade";
    const char *copy, *printed;
    assert_int_equal(pool_text(ctx, &p, source, &copy), RUNG_OK);
    source[0] = 'X';
    assert_string_equal(copy, "grade");
    assert_int_equal(pool_text(ctx, &p, "", &copy), RUNG_OK);
    assert_string_equal(copy, "");
    char longer[3000];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    assert_int_equal(pool_printf(ctx, &p, &printed, "%d|%s|", 42, longer), RUNG_OK);
    assert_int_equal(strlen(printed), 3 + 2999 + 1);
    assert_memory_equal(printed, "42|aaa", 6);
    assert_string_equal(printed + strlen(printed) - 2, "a|");
    pool_fail_after(0);
    rung_status a = pool_text(ctx, &p, "x", &copy);
    pool_fail_after(0);
    rung_status b = pool_printf(ctx, &p, &printed, "%d", 1);
    pool_fail_after(-1);
    assert_int_equal(a, RUNG_ENOMEM);
    assert_int_equal(b, RUNG_ENOMEM);
    assert_null(copy);
    assert_null(printed);
    pool_free_all(&p);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_context, close_checked)
    const struct CMUnitTest tests[] = {
        TEST(arrays_are_zeroed_aligned_and_counted),
        TEST(an_empty_array_is_a_pointer_of_its_own),
        TEST(impossible_sizes_are_refused_with_a_sentence),
        TEST(the_message_tells_how_much),
        TEST(failing_on_purpose_counts_from_the_call),
        TEST(release_frees_what_came_after_the_mark),
        TEST(one_array_can_go_before_its_time),
        TEST(a_mark_survives_the_array_it_was_taken_at),
        TEST(resize_starts_grows_and_shrinks),
        TEST(a_failed_resize_leaves_the_array),
        TEST(resize_keeps_the_order_of_marks),
        TEST(a_random_life_keeps_every_array_whole),
        TEST(texts_are_copied_and_formatted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
