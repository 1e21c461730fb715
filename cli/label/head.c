// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE /* getline */
#include "label/head.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/common.h"
#include "core/json_out.h"

enum { FORMAT = 1 };

const char *head_parse(const json_t *line, journal_head *out)
{
    const json_t *list = json_object_get(line, "classes");
    const char *rung = json_string_value(json_object_get(line, "rung")),
               *column = json_string_value(json_object_get(line, "column"));
    *out = (journal_head){.column = text_of("%s", column ? column : "")};
    if (!rung || strcmp(rung, "journal")) return "this is not a journal of rung label";
    if (json_integer_value(json_object_get(line, "format")) != FORMAT)
        return "the journal has another format than this version of rung reads";
    if (!column) return "the column is missing";
    if (json_array_size(list) < 2) return "the classes are missing";
    out->names = allocate(json_array_size(list), sizeof *out->names);
    for (size_t k = 0; k < json_array_size(list); k++) {
        const char *name = json_string_value(json_array_get(list, k));
        out->names[out->classes++] = text_of("%s", name ? name : "");
        if (!name || !*name) return "a class has no name";
        for (size_t i = 0; i < k; i++)
            if (!strcmp(out->names[i], name)) return "a class is named twice";
    }
    return NULL;
}

json_t *head_json(const journal_head *head, const char *data)
{
    json_t *line = json_object(), *classes = json_array();
    for (int k = 0; k < head->classes; k++) json_array_append_new(classes, jout_text(head->names[k]));
    json_object_set_new(line, "rung", json_string("journal"));
    json_object_set_new(line, "format", json_integer(FORMAT));
    json_object_set_new(line, "data", jout_text(data));
    json_object_set_new(line, "column", jout_text(head->column));
    json_object_set_new(line, "classes", classes);
    return line;
}

bool head_of_file(const char *path, journal_head *out)
{
    char *text = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "r");
    ssize_t length = file ? getline(&text, &room, file) : -1;
    json_t *line =
        length > 0 && text[length - 1] == '\n' ? json_loadb(text, (size_t)length, JSON_REJECT_DUPLICATES, NULL) : NULL;
    *out = (journal_head){0};
    bool good = json_is_object(line) && !head_parse(line, out);
    json_decref(line);
    free(text);
    if (file) fclose(file);
    return good;
}

char *head_order(const journal_head *head)
{
    size_t length = 0;
    for (int k = 0; k < head->classes; k++) length += 2 * strlen(head->names[k]) + 1;
    char *order = allocate(length + 1, 1), *to = order;
    for (int k = 0; k < head->classes; k++) {
        if (k) *to++ = '<';
        for (const char *c = head->names[k]; *c; c++) {
            if (*c == '<' || *c == '\\') *to++ = '\\';
            *to++ = *c;
        }
    }
    return order;
}

void head_free(journal_head *head)
{
    for (int k = 0; k < head->classes; k++) free(head->names[k]);
    free(head->names);
    free(head->column);
    *head = (journal_head){0};
}
