// SPDX-License-Identifier: BSD-3-Clause
#include "core/json_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/common.h"
#include "core/output.h"

static void *jansson_memory(size_t size) { return allocate(size, 1); }

void jout_init(void) { json_set_alloc_funcs(jansson_memory, free); }

json_t *jout_number(double x) { return isfinite(x) ? json_real(x) : json_null(); }

json_t *jout_numbers(int64_t n, const double *x)
{
    if (!x) return json_null();
    json_t *list = json_array();
    for (int64_t i = 0; i < n; i++) json_array_append_new(list, jout_number(x[i]));
    return list;
}

json_t *jout_text(const char *text)
{
    if (!text) return json_null();
    json_t *good = json_string(text);
    if (good) return good;
    char *ascii = text_of("%s", text);
    for (char *c = ascii; *c; c++)
        if (*c & 0x80) *c = '?';
    good = json_string(ascii);
    free(ascii);
    return good;
}

json_t *jout_parse(const char *text)
{
    json_t *value = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    if (!value) {
        complain("internal error: the library's description of the model cannot be read");
        exit(FAILED);
    }
    return value;
}

static void write_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fprintf(file, "\\%c", *text);
        else if (*text == '\n')
            fputs("\\n", file);
        else if ((unsigned char)*text < 0x20)
            fprintf(file, "\\u%04x", (unsigned)*text);
        else
            fputc(*text, file);
    }
    fputc('"', file);
}

static bool flat(const json_t *value)
{
    size_t i;
    json_t *item;
    if (json_is_object(value)) return json_object_size(value) == 0;
    json_array_foreach(value, i, item) if (json_is_object(item) || json_is_array(item)) return false;
    return true;
}

static void write_value(FILE *file, const json_t *value, int one_line, int depth)
{
    bool object = json_is_object(value);
    if (!object && !json_is_array(value)) {
        switch (json_typeof(value)) {
        case JSON_STRING: write_text(file, json_string_value(value)); break;
        case JSON_INTEGER: fprintf(file, "%" JSON_INTEGER_FORMAT, json_integer_value(value)); break;
        case JSON_REAL: fputs(number_of(json_real_value(value)).text, file); break;
        case JSON_TRUE: fputs("true", file); break;
        case JSON_FALSE: fputs("false", file); break;
        default: fputs("null", file);
        }
        return;
    }
    bool lines = !one_line && !flat(value);
    const char *comma = lines ? "," : ", ", *between = "", *key;
    fputc(object ? '{' : '[', file);
    json_t *item;
    if (object) {
        json_object_foreach((json_t *)(uintptr_t)value, key, item)
        {
            fputs(between, file);
            if (lines) fprintf(file, "\n%*s", 2 * (depth + 1), "");
            write_text(file, key);
            fputs(": ", file);
            write_value(file, item, one_line, depth + 1);
            between = comma;
        }
    } else {
        size_t i;
        json_array_foreach(value, i, item)
        {
            fputs(between, file);
            if (lines) fprintf(file, "\n%*s", 2 * (depth + 1), "");
            write_value(file, item, one_line, depth + 1);
            between = comma;
        }
    }
    if (lines) fprintf(file, "\n%*s", 2 * depth, "");
    fputc(object ? '}' : ']', file);
}

void jout_write(FILE *file, const json_t *value, int one_line) { write_value(file, value, one_line, 0); }

void jout_print(json_t *value)
{
    write_value(stdout, value, 0, 0);
    fputc('\n', stdout);
    json_decref(value);
}
