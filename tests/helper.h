// SPDX-License-Identifier: BSD-3-Clause
/* What the unit tests share: a context, comparisons with a tolerance, golden numbers, memory that runs out.
 * Include it before any other header of the library: cmocka.h defines a macro fail(), which must come after the
 * declaration of ours. */
#ifndef RUNG_TESTS_HELPER_H
#define RUNG_TESTS_HELPER_H

#include "base/context.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- a context of its own for each test: cmocka_unit_test_setup_teardown(test, open_context, close_context) --------
 */

static inline int open_context(void **state)
{
    rung_ctx *ctx;
    if (context_new(&ctx) != RUNG_OK) return -1;
    *state = ctx;
    return 0;
}

static inline int close_context(void **state)
{
    context_free(*state);
    return 0;
}

#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, open_context, close_context)

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

/* ---- comparisons --------------------------------------------------------------------------------------------------
 */

/* |actual - expected| <= tolerance (1 + |expected|); equal infinities and two NaN agree. */
static inline bool close_to(double actual, double expected, double tolerance)
{
    if (isnan(actual) || isnan(expected)) return isnan(actual) && isnan(expected);
    return actual == expected || fabs(actual - expected) <= tolerance * (1 + fabs(expected));
}

static inline void check_arrays(int64_t n, const double *actual, const double *expected, double tolerance,
                                const char *what, const char *file, int line)
{
    for (int64_t i = 0; i < n; i++) {
        if (close_to(actual[i], expected[i], tolerance)) continue;
        print_error("%s[%lld] is %.17g, not %.17g (tolerance %g)\n", what, (long long)i, actual[i], expected[i],
                    tolerance);
        _fail(file, line);
    }
}

static inline void check_close(double actual, double expected, double tolerance, const char *what, const char *file,
                               int line)
{
    if (close_to(actual, expected, tolerance)) return;
    print_error("%s is %.17g, not %.17g (tolerance %g)\n", what, actual, expected, tolerance);
    _fail(file, line);
}

#define assert_close(actual, expected, tolerance) check_close(actual, expected, tolerance, #actual, __FILE__, __LINE__)
#define assert_arrays_close(n, actual, expected, tolerance)                                                            \
    check_arrays(n, actual, expected, tolerance, #actual, __FILE__, __LINE__)

/* A call that must work; the message tells why it did not. */
static inline void check_ok(const rung_ctx *ctx, rung_status status, const char *file, int line)
{
    if (status == RUNG_OK) return;
    print_error("status %d: %s\n", (int)status, ctx->message);
    _fail(file, line);
}

/* A call that must fail: with this status, and with these words in the message. */
static inline void check_fails(const rung_ctx *ctx, rung_status status, rung_status expected, const char *words,
                               const char *file, int line)
{
    if (status == expected && strstr(ctx->message, words)) return;
    print_error("status %d, not %d; \"%s\" should contain \"%s\"\n", (int)status, (int)expected, ctx->message, words);
    _fail(file, line);
}

#define assert_ok(ctx, call) check_ok(ctx, call, __FILE__, __LINE__)
#define assert_fails(ctx, call, status, words) check_fails(ctx, call, status, words, __FILE__, __LINE__)

/* ---- golden numbers: GOLDEN("units/qp_m2/G.csv") ----------------------------------------------------------------- */

#ifdef RUNG_GOLDEN
#define GOLDEN(path) RUNG_GOLDEN "/" path

/* The numbers of a CSV file without header, row by row; release them with free. Fails the test on anything else. */
static inline double *read_numbers(const char *path, int64_t *rows, int64_t *columns)
{
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("cannot open %s", path);
    int64_t count = 0, room = 0;
    double *numbers = NULL, x;
    char after;
    *rows = *columns = 0;
    while (fscanf(file, "%lf", &x) == 1) {
        if (count == room) {
            room = 2 * room + 64;
            numbers = realloc(numbers, (size_t)room * sizeof *numbers);
            assert_non_null(numbers);
        }
        numbers[count++] = x;
        if (fscanf(file, "%c", &after) != 1) after = '\n';
        if (after != ',') ++*rows;
        if (*rows == 1 && !*columns) *columns = count;
    }
    bool whole = feof(file) != 0;
    fclose(file);
    if (!whole || !count || count != *rows * *columns) fail_msg("%s is not a matrix of numbers", path);
    return numbers;
}
#endif

/* ---- memory that runs out -----------------------------------------------------------------------------------------
 */

/* Makes the first allocation of the call fail, then the second, ... until it goes through. Each failing call must say
 * so and leave nothing behind. Returns about how many allocations the call makes. */
static inline int64_t fail_each_allocation(rung_status (*call)(void *), void *argument)
{
    for (int64_t k = 0;; k += 1 + k / 40) { /* every one of the first 40, then ever wider steps: calls make thousands */
        int64_t before = pool_live_blocks();
        pool_fail_after(k);
        rung_status status = call(argument);
        pool_fail_after(-1);
        if (status == RUNG_OK) return k;
        assert_int_equal(status, RUNG_ENOMEM);
        assert_int_equal(pool_live_blocks(), before);
    }
}

#endif
