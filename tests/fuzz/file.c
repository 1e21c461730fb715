// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE /* memfd_create */
#include "fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

const char *fuzz_open(const uint8_t *bytes, size_t size, int *fd, char path[32])
{
    *fd = memfd_create("fuzz", MFD_CLOEXEC);
    FUZZ_CLAIM(*fd >= 0 && write(*fd, bytes, size) == (ssize_t)size);
    snprintf(path, 32, "/proc/self/fd/%d", *fd);
    return path;
}

void fuzz_close(int fd) { close(fd); }
