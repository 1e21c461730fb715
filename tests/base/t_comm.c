// SPDX-License-Identifier: BSD-3-Clause
/* Sums over several processes, which are threads here: the same bits for any number of them. */
#define _POSIX_C_SOURCE 200809L
#include "processes.h"

#include "base/comm.h"

enum { SIZE = 70001 }; /* more than is exchanged at a time */

typedef struct {
    int64_t leaves, asked;
    double sum[SIZE];
} job;

static rung_status add_leaf(rung_ctx *ctx, void *user, int64_t leaf, double *sum)
{
    (void)ctx;
    ((job *)user)->asked++;
    for (int64_t i = 0; i < SIZE; i++) sum[i] += 1.0 / (double)(3 * leaf + 7 * i + 1) - (i == 5 ? 0.3 : 0);
    return RUNG_OK;
}

static void run(rung_ctx *ctx, int rank, void *user)
{
    job *jobs = user;
    (void)rank;
    assert_ok(ctx, comm_tree_sum(ctx, jobs[rank].leaves, add_leaf, &jobs[rank], SIZE, jobs[rank].sum));
}

static void test_same_bits(void **state)
{
    (void)state;
    static const int64_t leaves[] = {1, 2, 3, 13, 64};
    static const int ranks[] = {1, 2, 3, 5, 7};
    static job alone, jobs[7];
    for (size_t l = 0; l < sizeof leaves / sizeof *leaves; l++)
        for (size_t k = 0; k < sizeof ranks / sizeof *ranks; k++) {
            int64_t asked = 0;
            alone = (job){.leaves = leaves[l]};
            processes_run(1, run, &alone);
            for (int r = 0; r < ranks[k]; r++) jobs[r] = (job){.leaves = leaves[l]};
            processes_run(ranks[k], run, jobs);
            for (int r = 0; r < ranks[k]; r++) {
                asked += jobs[r].asked;
                assert_memory_equal(jobs[r].sum, alone.sum, sizeof alone.sum);
            }
            assert_int_equal(asked, leaves[l]); /* each leaf by one of them */
        }
}

static void gather(rung_ctx *ctx, int rank, void *user)
{
    char text[4] = "abc", **all;
    int64_t *size;
    (void)user;
    assert_ok(ctx, comm_gather(ctx, text, rank, &all, &size));
    for (int r = 0; r < comm_processes(ctx); r++) {
        assert_int_equal(size[r], r);
        assert_memory_equal(all[r], "abc", (size_t)r);
    }
    assert_ok(ctx, comm_barrier(ctx));
}

static void test_gather(void **state)
{
    (void)state;
    processes_run(3, gather, NULL);
}

static void sum_whole(rung_ctx *ctx, int rank, void *user)
{
    int64_t ranks = comm_processes(ctx), large = (INT64_C(1) << 60) + 7;
    int64_t v[] = {rank, -1, rank % 2 ? large : -large, large / 8 - rank, INT64_C(0xffffffff)};
    (void)user;
    assert_ok(ctx, comm_sum_whole(ctx, 5, v));
    assert_int_equal(v[0], ranks * (ranks - 1) / 2);
    assert_int_equal(v[1], -ranks);
    assert_int_equal(v[2], ranks % 2 ? -large : 0);
    assert_int_equal(v[3], ranks * (large / 8) - ranks * (ranks - 1) / 2);
    assert_int_equal(v[4], ranks * INT64_C(0xffffffff));
}

static void test_whole_numbers(void **state)
{
    (void)state;
    for (int ranks = 1; ranks <= 5; ranks++) processes_run(ranks, sum_whole, NULL);
}

static int broken(void *user, double *v, int64_t n) { return (void)user, (void)v, (void)n, 17; }
static int fine_bytes(void *user, void *v, int64_t n, int from) { return (void)user, (void)v, (void)n, (void)from, 0; }
static int fine(void *user) { return (void)user, 0; }

static void test_failures(void **state)
{
    rung_ctx *ctx = *state;
    static job one = {.leaves = 2};
    rung_comm comm = {.size = sizeof comm, .rank = 0, .ranks = 2, .sum = broken, .broadcast = fine_bytes};
    assert_fails(ctx, rung_ctx_set_comm(ctx, &comm), RUNG_EARG, "a function is missing");
    comm.barrier = fine;
    comm.rank = 2;
    assert_fails(ctx, rung_ctx_set_comm(ctx, &comm), RUNG_EARG, "process 2 of 2");
    comm.rank = 1;
    assert_ok(ctx, rung_ctx_set_comm(ctx, &comm));
    assert_fails(ctx, comm_tree_sum(ctx, 2, add_leaf, &one, SIZE, one.sum), RUNG_EIO,
                 "summing between processes failed (17)");
    assert_ok(ctx, rung_ctx_set_comm(ctx, NULL));
    assert_ok(ctx, comm_tree_sum(ctx, 2, add_leaf, &one, SIZE, one.sum));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits), cmocka_unit_test(test_gather),
                                       cmocka_unit_test(test_whole_numbers), WITH_CONTEXT(test_failures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
