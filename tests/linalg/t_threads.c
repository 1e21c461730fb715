// SPDX-License-Identifier: BSD-3-Clause
/* OpenBLAS has one thread while calls run, and what it had before after the last. Its functions are looked up by name:
 * a way of their own, which also tells whether the BLAS is OpenBLAS. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "helper.h"

#include <dlfcn.h>

#include "linalg/la.h"

static void calls_run_with_one_blas_thread(void **state)
{
    rung_ctx *ctx = *state;
    int (*get_threads)(void);
    void (*set_threads)(int);
    void *get = dlsym(RTLD_DEFAULT, "openblas_get_num_threads"), *set = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
    memcpy(&get_threads, &get, sizeof get);
    memcpy(&set_threads, &set, sizeof set);
    if (!get_threads || !set_threads) skip();
    set_threads(2);
    la_enter();
    assert_int_equal(get_threads(), 1);
    la_enter(); /* a call in another thread */
    la_mat *A;
    assert_ok(ctx, la_new(ctx, &ctx->scratch, 1, 1, &A));
    la_put((const double[]){4}, A);
    assert_ok(ctx, la_potrf(ctx, A));
    la_leave();
    assert_int_equal(get_threads(), 1);
    la_leave();
    assert_int_equal(get_threads(), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(calls_run_with_one_blas_thread)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
