// SPDX-License-Identifier: BSD-3-Clause
/* What the fuzz targets share. Each is LLVMFuzzerTestOneInput of libFuzzer: bytes in, nothing out, and whatever the
 * bytes are the sanitizers have no complaint. Without libFuzzer main.c calls it with files: the corpus as a regression
 * test. */
#ifndef RUNG_TESTS_FUZZ_H
#define RUNG_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A target that knows the structure of its input changes it by itself: in place, at most `most` bytes, the same change
 * for the same seed. The second is libFuzzer's own. Either may be missing. */
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed);
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most);

/* For mutate_text.c: what its target trips over, NULL at the end. */
extern const char *const fuzz_words[];

/* A file of these bytes that has no name on disk; its path, valid until fuzz_close. */
const char *fuzz_open(const uint8_t *bytes, size_t size, int *fd, char path[32]);
void fuzz_close(int fd);

/* A claim about the reader that does not hold: stops as a crash does. */
#define FUZZ_CLAIM(condition)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) __builtin_trap();                                                                            \
    } while (0)

#endif
