// SPDX-License-Identifier: BSD-3-Clause
/* Messages in the encoding of Protocol Buffers: a field is its number, the kind of its value, and the value; a message
 * within another one is made first and then written as bytes. */
#ifndef RUNG_EXPORT_ONNX_PROTOBUF_H
#define RUNG_EXPORT_ONNX_PROTOBUF_H

#include "export/writer.h"

void proto_whole(writer *w, int field, int64_t x);
void proto_bytes(writer *w, int field, const void *bytes, int64_t size);
void proto_text(writer *w, int field, const char *text);
void proto_float(writer *w, int field, float x);
void proto_message(writer *w, int field, writer *inner); /* and empties the inner one */

#endif
