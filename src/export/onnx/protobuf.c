// SPDX-License-Identifier: BSD-3-Clause
#include "export/onnx/protobuf.h"

#include <string.h>

enum { VARINT = 0, LENGTH = 2, FIXED_32 = 5 };

static void put_varint(writer *w, uint64_t x)
{
    unsigned char bytes[10];
    int n = 0;
    do {
        bytes[n++] = (unsigned char)((x & 0x7f) | (x > 0x7f ? 0x80 : 0));
        x >>= 7;
    } while (x);
    write_bytes(w, bytes, n);
}

static void put_key(writer *w, int field, int kind) { put_varint(w, (uint64_t)field << 3 | (uint64_t)kind); }

void proto_whole(writer *w, int field, int64_t x)
{
    put_key(w, field, VARINT);
    put_varint(w, (uint64_t)x);
}

void proto_bytes(writer *w, int field, const void *bytes, int64_t size)
{
    put_key(w, field, LENGTH);
    put_varint(w, (uint64_t)size);
    write_bytes(w, bytes, size);
}

void proto_text(writer *w, int field, const char *text) { proto_bytes(w, field, text, (int64_t)strlen(text)); }

void proto_float(writer *w, int field, float x)
{
    uint32_t word;
    unsigned char bytes[4];
    memcpy(&word, &x, sizeof word);
    for (int i = 0; i < 4; i++) bytes[i] = (unsigned char)(word >> 8 * i);
    put_key(w, field, FIXED_32);
    write_bytes(w, bytes, 4);
}

void proto_message(writer *w, int field, writer *inner)
{
    if (w->status == RUNG_OK) w->status = inner->status;
    proto_bytes(w, field, inner->bytes, inner->size);
    inner->size = 0;
}
