// SPDX-License-Identifier: BSD-3-Clause
/* OpenBLAS has one thread while calls run, and what it had before after the last; its kernels fit the processor. Its
 * functions are looked up by name: a way of their own, which also tells whether the BLAS is OpenBLAS. */
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

/* A processor with AVX2 never gets kernels without it, unless the user asks for them. */
static void kernels_fit_the_processor(void **state)
{
    char *(*core_name)(void);
    void *name = dlsym(RTLD_DEFAULT, "openblas_get_corename");
    (void)state;
    memcpy(&core_name, &name, sizeof core_name);
#if defined(__x86_64__)
    if (!core_name || getenv("OPENBLAS_CORETYPE") || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        skip();
    assert_string_not_equal(core_name(), "Prescott");
#else
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(calls_run_with_one_blas_thread),
                                       WITH_CONTEXT(kernels_fit_the_processor)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
