// SPDX-License-Identifier: BSD-3-Clause
#include "base/json.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "base/text.h"

void json_put(json_t *object, const char *key, json_t *value, int *failed)
{
    *failed |= json_object_set_new(object, key, value);
}

void json_add(json_t *array, json_t *value, int *failed) { *failed |= json_array_append_new(array, value); }

json_t *json_whole(json_t *value, int failed)
{
    if (!failed) return value;
    json_decref(value);
    return NULL;
}

json_t *json_clean(const char *text)
{
    if (text_is_utf8(text)) return json_string(text);
    size_t length = strlen(text);
    char *ascii = malloc(length + 1);
    if (!ascii) return NULL;
    for (size_t i = 0; i <= length; i++) ascii[i] = text[i] & 0x80 ? '?' : text[i];
    json_t *out = json_string(ascii);
    free(ascii);
    return out;
}

char *json_text(const rung_ctx *ctx, const json_t *json, size_t flags)
{
    size_t length = json_dumpb(json, NULL, 0, flags);
    char *text = length ? object_new(ctx, length + 1) : NULL;
    if (!text) return NULL;
    text[length] = 0;
    if (json_dumpb(json, text, length, flags) == length) return text;
    object_free(text);
    return NULL;
}

/* Jansson reports some failed allocations (inside a word, in its list of known keys) as errors in the text: the text is
 * at fault only if it is rejected again for the same reason while there is memory for all of it. */
static bool at_fault(const json_error_t *first, const json_error_t *second, const char *text, size_t length)
{
    json_t *room = json_stringn_nocheck(text, length);
    bool memory = room != NULL;
    json_decref(room);
    return memory && first->text[0] && json_error_code(first) != json_error_out_of_memory &&
           strcmp(first->text, second->text) == 0;
}

rung_status json_parse(rung_ctx *ctx, const char *text, size_t length, const char *what, json_t **out)
{
    json_error_t error, again;
    *out = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (*out) return RUNG_OK;
    json_t *second = json_loadb(text, length, JSON_REJECT_DUPLICATES, &again);
    bool wrong = !second && at_fault(&error, &again, text, length);
    json_decref(second);
    if (!wrong) return set_error(ctx, RUNG_ENOMEM, "out of memory: %s", what);
    return set_error(ctx, RUNG_EFORMAT, "%s is not valid JSON: %s", what, error.text);
}

rung_status json_take(rung_ctx *ctx, json_t *json, const char *what, const char *format, ...)
{
    json_error_t error, again;
    va_list args, copy;
    va_start(args, format);
    va_copy(copy, args);
    int bad = json_vunpack_ex(json, &error, JSON_STRICT, format, args);
    bool wrong = bad && json_vunpack_ex(json, &again, JSON_STRICT, format, copy) &&
                 at_fault(&error, &again, format, strlen(format));
    va_end(copy);
    va_end(args);
    if (!bad) return RUNG_OK;
    if (!wrong) return set_error(ctx, RUNG_ENOMEM, "out of memory: %s", what);
    return set_error(ctx, RUNG_EFORMAT, "%s: %s", what, error.text);
}
