// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include "base/memory.h"

#undef fail /* ours is meant here, not the macro of cmocka */

static int close_checked(void **state)
{
    close_context(state);
    return pool_live_blocks() != 0; /* every test gives back what it took */
}

static void a_new_context_has_the_documented_defaults(void **state)
{
    rung_ctx *ctx = *state;
    assert_int_equal(ctx->seed, 1);
    assert_true(ctx->threads >= 1);
    assert_int_equal(ctx->memory, 0);
    assert_string_equal(ctx->message, "");
    assert_int_equal(interrupted(ctx), RUNG_OK);
    log_at(ctx, RUNG_LOG_ERROR, "nobody listens"); /* silent without a function */
    progress(ctx, "nobody", 0.5);
    context_free(NULL);
}

static void freeing_a_context_frees_its_scratch(void **state)
{
    (void)state;
    rung_ctx *ctx;
    double *v;
    assert_int_equal(context_new(&ctx), RUNG_OK);
    int64_t before = pool_live_blocks();
    assert_int_equal(NEW(ctx, &ctx->scratch, v, 100), RUNG_OK);
    context_free(ctx);
    assert_int_equal(pool_live_blocks(), before);
}

static void fail_keeps_the_sentence_and_the_status(void **state)
{
    rung_ctx *ctx = *state;
    assert_int_equal(set_error(ctx, RUNG_EDATA, "label %d is outside 1..%d", 9, 5), RUNG_EDATA);
    assert_string_equal(ctx->message, "label 9 is outside 1..5");
    assert_int_equal(prefix_error(ctx, RUNG_EIO, "%s: ", "train.csv"), RUNG_EIO);
    assert_string_equal(ctx->message, "train.csv: label 9 is outside 1..5");
    assert_int_equal(set_error(NULL, RUNG_EARG, "nowhere to put %d", 1), RUNG_EARG);
    assert_int_equal(prefix_error(NULL, RUNG_EARG, "nowhere"), RUNG_EARG);
}

static rung_status tries(rung_ctx *ctx, rung_status first, int *reached)
{
    TRY(first == RUNG_OK ? RUNG_OK : set_error(ctx, first, "the first one"));
    *reached = 1;
    return RUNG_OK;
}

static void try_passes_errors_on(void **state)
{
    rung_ctx *ctx = *state;
    int reached = 0;
    assert_int_equal(tries(ctx, RUNG_ENOCONV, &reached), RUNG_ENOCONV);
    assert_int_equal(reached, 0);
    assert_string_equal(ctx->message, "the first one");
    assert_int_equal(tries(ctx, RUNG_OK, &reached), RUNG_OK);
    assert_int_equal(reached, 1);
}

static void long_sentences_are_cut_not_overrun(void **state)
{
    rung_ctx *ctx = *state;
    char text[3 * CONTEXT_MESSAGE];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    assert_int_equal(set_error(ctx, RUNG_EDATA, "%s", text), RUNG_EDATA);
    assert_int_equal(strlen(ctx->message), CONTEXT_MESSAGE - 1);
    prefix_error(ctx, RUNG_EDATA, "file: ");
    assert_int_equal(strlen(ctx->message), CONTEXT_MESSAGE - 1);
    assert_memory_equal(ctx->message, "file: xxx", 9);
    set_error(ctx, RUNG_EDATA, "short");
    prefix_error(ctx, RUNG_EDATA, "%s", text);
    assert_int_equal(strlen(ctx->message), CONTEXT_MESSAGE - 1);
    assert_int_equal(ctx->message[CONTEXT_MESSAGE - 2], 'x');
}

static void memory_is_refused_with_both_numbers(void **state)
{
    rung_ctx *ctx = *state;
    assert_int_equal(memory_check(ctx, 1e30, "kdlor"), RUNG_OK); /* no limit set */
    ctx->memory = 512 * 1048576;
    assert_int_equal(memory_check(ctx, 512 * 1048576.0, "kdlor"), RUNG_OK);
    assert_string_equal(ctx->message, "");
    assert_int_equal(memory_check(ctx, 800.25 * 1048576.0, "kdlor on 10000 rows"), RUNG_ELIMIT);
    assert_string_equal(ctx->message, "kdlor on 10000 rows needs about 800.2 MiB, above the memory limit of 512.0 MiB");
    assert_int_equal(memory_check(ctx, 512 * 1048576.0 + 1, "one byte more"), RUNG_ELIMIT);
}

/* The program, a thread and the data count; decisions are those of one thread, and fewer threads work. */
static void a_limit_holds_the_program_and_its_threads(void **state)
{
    rung_ctx *ctx = *state;
    const double MiB = 1048576;
    rung_ctx_set_threads(ctx, 64);
    rung_ctx_set_memory(ctx, 64 << 20);
    rung_ctx_set_overhead(ctx, 16 << 20, 6 << 20);
    memory_begin(ctx);
    assert_int_equal(ctx->threads, 8); /* 16 + 8 * 6 */
    double left = memory_left(ctx);
    assert_true(left < 42 * MiB && left > 40 * MiB);
    assert_true(memory_fits(ctx, left, 1) && !memory_fits(ctx, left, 2) && !memory_fits(ctx, left + 8, 1));
    assert_ok(ctx, memory_work(ctx, 20 * MiB, "work"));
    assert_int_equal(ctx->threads, 4); /* 16 + 20 and its gaps + 4 * 6 */
    assert_int_equal(memory_work(ctx, left + 8, "work"), RUNG_ELIMIT);
    assert_int_equal(ctx->threads, 1);
    memory_hold(ctx, 10 << 20);
    assert_true(memory_left(ctx) <= left - 10 * MiB);
    rung_ctx_set_threads(ctx, 1);
    memory_begin(ctx);
    assert_true(memory_left(ctx) == left); /* whatever the number of threads */
    rung_ctx_set_memory(ctx, 20 << 20);
    assert_true(memory_left(ctx) == 1);
    assert_int_equal(memory_check(ctx, 5, "a table"), RUNG_ELIMIT);
    assert_string_equal(ctx->message, "the program itself needs about 22.0 MiB, above the memory limit of 20.0 MiB");
    rung_ctx_set_memory(ctx, 0);
    memory_begin(ctx);
    assert_true(memory_left(ctx) == 0 && memory_fits(ctx, 1e30, 99));
}

static void interrupting_is_seen_by_the_context_and_its_workers(void **state)
{
    rung_ctx *ctx = *state, *worker, *below;
    assert_int_equal(context_worker(ctx, &worker), RUNG_OK);
    assert_int_equal(context_worker(worker, &below), RUNG_OK);
    assert_int_equal(interrupted(worker), RUNG_OK);
    assert_false(stop_asked(ctx) || stop_asked(worker) || stop_asked(below));
    atomic_store(&ctx->interrupted, 1);
    assert_true(stop_asked(ctx) && stop_asked(worker) && stop_asked(below));
    assert_string_equal(ctx->message, ""); /* asking writes nothing */
    assert_int_equal(interrupted(ctx), RUNG_EINTERRUPT);
    assert_int_equal(interrupted(worker), RUNG_EINTERRUPT);
    assert_int_equal(interrupted(below), RUNG_EINTERRUPT); /* a worker's worker looks at the first */
    assert_string_equal(below->message, "interrupted");
    atomic_store(&ctx->interrupted, 0);
    assert_int_equal(interrupted(below), RUNG_OK);
    context_free(below);
    context_free(worker);
}

static void a_worker_has_the_settings_and_one_thread(void **state)
{
    rung_ctx *ctx = *state, *worker;
    ctx->seed = 99, ctx->memory = 1234, ctx->threads = 8;
    assert_int_equal(context_worker(ctx, &worker), RUNG_OK);
    assert_int_equal(worker->seed, 99);
    assert_int_equal(worker->memory, 1234);
    assert_int_equal(worker->threads, 1);
    assert_null(worker->scratch.last);
    context_free(worker);
}

static void joining_adds_counters_and_keeps_the_first_message(void **state)
{
    rung_ctx *ctx = *state, *a, *b;
    assert_int_equal(context_worker(ctx, &a), RUNG_OK);
    assert_int_equal(context_worker(ctx, &b), RUNG_OK);
    ctx->ops[2] = (op_count){1, 10, 0.5};
    a->ops[2] = (op_count){2, 20, 0.25};
    b->ops[2] = (op_count){3, 30, 0.125};
    b->ops[CONTEXT_COUNTERS - 1].calls = 7;
    double *v;
    assert_int_equal(NEW(a, &a->scratch, v, 10), RUNG_OK);
    set_error(a, RUNG_ESINGULAR, "from a");
    set_error(b, RUNG_ESINGULAR, "from b");
    context_join(ctx, a);
    context_join(ctx, b);
    context_join(ctx, NULL);
    assert_int_equal(ctx->ops[2].calls, 6);
    assert_true(ctx->ops[2].flops == 60);
    assert_true(ctx->ops[2].seconds == 0.875);
    assert_int_equal(ctx->ops[CONTEXT_COUNTERS - 1].calls, 7);
    assert_string_equal(ctx->message, "from a");
}

typedef struct {
    int calls;
    rung_log_level level;
    double done;
    char text[2 * CONTEXT_MESSAGE];
} heard;

static void listen(void *user, rung_log_level level, const char *text)
{
    heard *h = user;
    h->calls++;
    h->level = level;
    snprintf(h->text, sizeof h->text, "%s", text);
}

static void watch(void *user, const char *stage, double done)
{
    heard *h = user;
    h->calls++;
    h->done = done;
    snprintf(h->text, sizeof h->text, "%s", stage);
}

static void log_and_progress_reach_their_functions(void **state)
{
    rung_ctx *ctx = *state;
    heard log = {0}, seen = {0};
    ctx->log = listen, ctx->log_user = &log;
    ctx->progress = watch, ctx->progress_user = &seen;
    log_at(ctx, RUNG_LOG_WARNING, "%d cells of column '%s'", 3, "colour");
    assert_int_equal(log.calls, 1);
    assert_int_equal(log.level, RUNG_LOG_WARNING);
    assert_string_equal(log.text, "3 cells of column 'colour'");
    progress(ctx, "fit", 0.25);
    assert_int_equal(seen.calls, 1);
    assert_string_equal(seen.text, "fit");
    assert_true(seen.done == 0.25);
    log_at(ctx, RUNG_LOG_INFO, "%*s", 3 * CONTEXT_MESSAGE, "x");
    assert_int_equal(strlen(log.text), CONTEXT_MESSAGE - 1);
}

/* Parts of parts count as such in the whole, under its name, and never go back. */
static void progress_of_parts(void **state)
{
    rung_ctx *ctx = *state;
    heard seen = {0};
    ctx->progress = watch, ctx->progress_user = &seen;
    progress_part outer = progress_enter(ctx, "whole", 0.5, 1);
    progress(ctx, "inside", 0);
    assert_string_equal(seen.text, "whole");
    assert_true(seen.done == 0.5);
    progress_part half = progress_enter(ctx, "deeper", 0, 0.5);
    progress(ctx, "inside", 0.5);
    assert_true(seen.done == 0.625);
    progress(ctx, "inside", 0.25);
    assert_true(seen.done == 0.625);
    progress(ctx, "inside", 7);
    assert_true(seen.done == 0.75);
    progress_leave(ctx, half);
    progress(ctx, "inside", NAN);
    assert_true(seen.done == 0.75);
    progress(ctx, "inside", 1);
    assert_true(seen.done == 1);
    progress_leave(ctx, outer);
    progress(ctx, "alone", 0.25);
    assert_string_equal(seen.text, "alone");
    assert_true(seen.done == 0.25);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_context, close_checked)
    const struct CMUnitTest tests[] = {
        TEST(a_new_context_has_the_documented_defaults), TEST(freeing_a_context_frees_its_scratch),
        TEST(fail_keeps_the_sentence_and_the_status),    TEST(try_passes_errors_on),
        TEST(long_sentences_are_cut_not_overrun),        TEST(memory_is_refused_with_both_numbers),
        TEST(a_limit_holds_the_program_and_its_threads), TEST(interrupting_is_seen_by_the_context_and_its_workers),
        TEST(a_worker_has_the_settings_and_one_thread),  TEST(joining_adds_counters_and_keeps_the_first_message),
        TEST(log_and_progress_reach_their_functions),    TEST(progress_of_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
