// SPDX-License-Identifier: BSD-3-Clause
/* Wrappers around Jansson that report running out of memory as such, never as a missing key or a damaged file. While
 * building, record each failed step and go on (Jansson treats a NULL as one more failure), then ask for the result. */
#ifndef RUNG_BASE_JSON_H
#define RUNG_BASE_JSON_H

#include <jansson.h>

#include "base/status.h"

/* ---- building ---- */

void json_put(json_t *object, const char *key, json_t *value, int *failed); /* json_object_set_new, its failure noted */
void json_add(json_t *array, json_t *value, int *failed);                   /* json_array_append_new */
json_t *json_whole(json_t *value, int failed); /* itself, or released and NULL when a step failed */
json_t *json_clean(const char *text);          /* a string; bytes that are not ASCII as '?' where it is not UTF-8 */
/* Its text, with a final 0, of object_new, whatever allocator the process gave to Jansson: rung_free releases it. NULL:
 * out of memory. */
char *json_text(const rung_ctx *ctx, const json_t *json, size_t flags);

/* ---- reading: RUNG_EFORMAT names `what` ---- */

rung_status json_parse(rung_ctx *ctx, const char *text, size_t length, const char *what, json_t **out);
/* Like json_unpack: every key must be present and known. */
rung_status json_take(rung_ctx *ctx, json_t *json, const char *what, const char *format, ...);

#endif
