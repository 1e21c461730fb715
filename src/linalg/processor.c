// SPDX-License-Identifier: BSD-3-Clause
/* processor.c - OpenBLAS's kernels for a processor that is younger than OpenBLAS.
 *
 * OpenBLAS chooses its kernels by the model number of the processor. A processor that it does not know gets those of a
 * Prescott of 2004, without AVX, which take four times as long. Here the choice is made again, by the instructions that
 * the processor has: while librung is loaded, and only if OpenBLAS came with it, so that nobody else can be using it.
 * OPENBLAS_CORETYPE, where set, is the user's own choice. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/internal.h"

#if defined(__x86_64__)

char *gotoblas_corename(void) __attribute__((weak));
void gotoblas_dynamic_quit(void) __attribute__((weak));
void gotoblas_dynamic_init(void) __attribute__((weak));

static const char variable[] = "OPENBLAS_CORETYPE";

static const char *kernels_for_processor(void)
{
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return NULL;
    bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
                __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512vl");
    return wide ? "SkylakeX" : "Haswell";
}

typedef struct {
    uintptr_t own, blas;       /* an address in each of the two */
    int seen, own_at, blas_at; /* objects so far; where the two are among them, in the order of loading */
} loaded;

static int note_object(struct dl_phdr_info *object, size_t size, void *user)
{
    loaded *l = user;
    (void)size;
    l->seen++;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        uintptr_t first = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr, bytes = object->dlpi_phdr[i].p_memsz;
        if (object->dlpi_phdr[i].p_type != PT_LOAD) continue;
        if (l->own - first < bytes) l->own_at = l->seen;
        if (l->blas - first < bytes) l->blas_at = l->seen;
    }
    return 0;
}

/* A library is loaded before those that it needs, unless they were there already. */
static bool blas_came_with_us(void)
{
    char *(*theirs)(void) = gotoblas_corename;
    loaded l = {.own = (uintptr_t)variable};
    memcpy(&l.blas, &theirs, sizeof l.blas);
    dl_iterate_phdr(note_object, &l);
    return l.own_at > 0 && l.own_at <= l.blas_at;
}

void la_choose_kernels(void)
{
    if (!gotoblas_corename || !gotoblas_dynamic_quit || !gotoblas_dynamic_init || getenv(variable)) return;
    const char *better = kernels_for_processor();
    if (!better || strcmp(gotoblas_corename(), "Prescott") != 0 || !blas_came_with_us()) return;
    setenv(variable, better, 1); /* the only way to tell it */
    gotoblas_dynamic_quit();
    gotoblas_dynamic_init();
    unsetenv(variable);
}

#else

void la_choose_kernels(void) {}

#endif
