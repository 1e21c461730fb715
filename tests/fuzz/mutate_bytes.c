// SPDX-License-Identifier: BSD-3-Clause
/* Changes bytes of a file that is no text: single ones, numbers of two and four bytes, stretches that are doubled or
 * dropped. What follows the signature matters: the first bytes change rarely. */
#include <string.h>

#include "fuzz.h"

enum { SIGNATURE = 32 };

/* splitmix64 */
static uint64_t draw(uint64_t *state, uint64_t below)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (x ^ (x >> 31)) % below;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed)
{
    static const uint32_t odd[] = {0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff};
    uint64_t state = seed;
    if (size <= SIGNATURE) return size;
    for (uint64_t changes = 1 + draw(&state, 4); changes > 0 && size > SIGNATURE + 8; changes--) {
        size_t first = draw(&state, 16) ? SIGNATURE : 0, at = first + (size_t)draw(&state, size - first - 4);
        size_t length = 1 + (size_t)draw(&state, size - at < 64 ? size - at : 64);
        uint32_t value = odd[draw(&state, sizeof odd / sizeof *odd)];
        switch (draw(&state, 6)) {
        case 0: bytes[at] ^= (uint8_t)(1U << draw(&state, 8)); break;
        case 1: bytes[at] = (uint8_t)draw(&state, 256); break;
        case 2: memcpy(bytes + at, &value, 2); break;
        case 3: memcpy(bytes + at, &value, 4); break;
        case 4: /* doubled */
            if (size + length > most) break;
            memmove(bytes + at + length, bytes + at, size - at);
            size += length;
            break;
        default: /* dropped, or the end cut off */
            if (draw(&state, 4) == 0) length = size - at;
            memmove(bytes + at, bytes + at + length, size - at - length);
            size -= length;
        }
    }
    return size;
}
