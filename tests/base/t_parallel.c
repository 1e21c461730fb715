// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include "base/parallel.h"

enum { N = 40 };

typedef struct {
    rung_status status[N]; /* of each task */
    int runs[N];
} tasks;

static rung_status run_one(rung_ctx *ctx, void *user, int64_t i)
{
    tasks *t = user;
    double *scratch = NULL;
    TRY(NEW(ctx, &ctx->scratch, scratch, 1000));
    t->runs[i]++;
    if (t->status[i] == RUNG_OK) return RUNG_OK;
    return hint(ctx, set_error(ctx, t->status[i], "task %lld", (long long)i), "detail %lld", (long long)i);
}

static void every_task_runs_once(void **state)
{
    rung_ctx *ctx = *state;
    for (int workers = 1; workers <= 4; workers++) {
        tasks t = {.status = {[3] = RUNG_ESINGULAR, [7] = RUNG_ENOCONV}};
        assert_ok(ctx, parallel_tasks(ctx, workers, N, run_one, &t));
        for (int i = 0; i < N; i++) assert_int_equal(t.runs[i], 1);
        assert_string_equal(ctx->message, "");
        assert_ok(ctx, parallel_tasks(ctx, workers, 0, run_one, &t));
    }
}

static void the_first_failure_is_told(void **state)
{
    rung_ctx *ctx = *state;
    for (int workers = 1; workers <= 4; workers++) {
        tasks t = {.status = {[1] = RUNG_ESINGULAR, [5] = RUNG_EDATA, [6] = RUNG_EARG, [39] = RUNG_ENOMEM}};
        assert_fails(ctx, parallel_tasks(ctx, workers, N, run_one, &t), RUNG_EDATA, "task 5");
        assert_string_equal(ctx->detail, "detail 5");
        for (int i = 0; i <= 5; i++) assert_int_equal(t.runs[i], 1);
        if (workers == 1) assert_int_equal(t.runs[6], 0);
    }
}

static void an_interrupt_ends_them(void **state)
{
    rung_ctx *ctx = *state;
    tasks t = {0};
    atomic_store(&ctx->interrupted, 1);
    assert_fails(ctx, parallel_tasks(ctx, 2, N, run_one, &t), RUNG_EINTERRUPT, "interrupted");
}

static void large_tasks_run_one_at_a_time(void **state)
{
    rung_ctx *ctx = *state;
    ctx->threads = 4;
    assert_int_equal(parallel_workers(ctx, SIDE_BY_SIDE, 9), 4);
    assert_int_equal(parallel_workers(ctx, SIDE_BY_SIDE, 3), 3);
    assert_int_equal(parallel_workers(ctx, SIDE_BY_SIDE + 1, 9), 1);
    assert_int_equal(parallel_workers(ctx, 10, 0), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(every_task_runs_once),
        WITH_CONTEXT(the_first_failure_is_told),
        WITH_CONTEXT(an_interrupt_ends_them),
        WITH_CONTEXT(large_tasks_run_one_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
