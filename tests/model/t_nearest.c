// SPDX-License-Identifier: BSD-3-Clause
/* The nearest rows against sorting all of them. */
#include "helper.h"

#include "base/rng.h"
#include "model/nearest.h"

enum { ROWS = 40, COLUMNS = 3 };

typedef struct {
    double distance;
    int64_t row;
} candidate;

static int nearer(const void *a_, const void *b_)
{
    const candidate *a = a_, *b = b_;
    if (a->distance != b->distance) return a->distance < b->distance ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static void test_against_sorting(void **state)
{
    (void)state;
    rng r;
    rng_open(&r, 1, 0);
    for (int round = 0; round < 50; round++) {
        double rows[ROWS * COLUMNS], x[COLUMNS], distance[ROWS];
        int64_t row[ROWS];
        candidate all[ROWS];
        /* Few distinct values: many rows are equally far away. */
        for (int i = 0; i < ROWS * COLUMNS; i++) rows[i] = (double)rng_below(&r, round % 2 ? 3 : 1000);
        for (int j = 0; j < COLUMNS; j++) x[j] = (double)rng_below(&r, 3);
        for (int i = 0; i < ROWS; i++) {
            all[i] = (candidate){0, i};
            for (int j = 0; j < COLUMNS; j++) all[i].distance += pow(x[j] - rows[i * COLUMNS + j], 2);
        }
        qsort(all, ROWS, sizeof *all, nearer);
        for (int64_t k = 1; k <= ROWS; k++) {
            nearest_rows(COLUMNS, x, ROWS, rows, k, row, distance);
            for (int64_t i = 0; i < k; i++) {
                assert_int_equal(row[i], all[i].row);
                assert_true(distance[i] == all[i].distance);
            }
        }
    }
}

static void test_one_row(void **state)
{
    (void)state;
    double row = 3, x = -1, distance;
    int64_t index = -1;
    nearest_rows(1, &x, 1, &row, 1, &index, &distance);
    assert_int_equal(index, 0);
    assert_true(distance == 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_sorting), cmocka_unit_test(test_one_row)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
