// SPDX-License-Identifier: BSD-3-Clause
/* The reader of plans: the bytes as an .ini file, with the sections, keys and values of an experiment. */
#include "fuzz.h"

#include <string.h>

#include "experiment/plan/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    int fd;
    char path[32];
    session s = {0};
    plan p = {0};
    if (memchr(bytes, '/', size)) return 0; /* folders of this machine are no matter of the reader */
    FUZZ_CLAIM(rung_ctx_new(&s.ctx) == RUNG_OK);
    fuzz_open(bytes, size, &fd, path);
    plan_read(&s, path, &(plan_changes){0}, &p);
    plan_free(&p);
    fuzz_close(fd);
    rung_ctx_free(s.ctx);
    return 0;
}
