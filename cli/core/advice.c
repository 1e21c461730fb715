// SPDX-License-Identifier: BSD-3-Clause
#include "core/advice.h"

#include <stdlib.h>
#include <string.h>

#include "core/common.h"

static bool in_grid(const arguments *args, const char *setting)
{
    const char *text;
    for (int at = 0; (text = option_each(args, "grid", &at));)
        if (!strncmp(text, setting, strlen(setting))) return true;
    return false;
}

/* The option in front of the first NAME= of the sentence, where it is a word of its own. */
static char *mark_parameter(char *sentence, const char *name, const arguments *args)
{
    char *setting = text_of("%s=", name), *at = sentence;
    const char *option_text = in_grid(args, setting) ? "--grid" : "-p";
    while ((at = strstr(at, setting)) && at > sentence && !strchr(" (:;,", at[-1])) at++;
    char *out = at ? text_of("%.*s%s %s", (int)(at - sentence), sentence, option_text, at) : text_of("%s", sentence);
    free(setting);
    free(sentence);
    return out;
}

/* An argument that a shell takes for nothing else, to be freed. */
static char *quoted(const char *text)
{
    if (!strpbrk(text, "$`\"\\!")) return text_of("\"%s\"", text);
    char *out = allocate(4 * strlen(text) + 3, 1), *to = out;
    *to++ = '\'';
    for (; *text; text++) {
        if (*text == '\'') {
            memcpy(to, "'\\''", 4);
            to += 4;
        } else {
            *to++ = *text;
        }
    }
    *to = '\'';
    return out;
}

/* The name of a column as an entry of a list of columns; to be freed. */
static char *entry_of(const char *column)
{
    char *out = allocate(2 * strlen(column) + 3, 1), *to = out;
    *to++ = '"';
    for (; *column; *to++ = *column++)
        if (*column == '"') *to++ = '"';
    *to = '"';
    return out;
}

/* NAME or NAME=VALUE as it is typed; without a value as the help has it, --memory SIZE. NULL: the command has none. */
static char *option_words(const char *setting, const arguments *args)
{
    size_t length = strcspn(setting, "=");
    char *name = text_of("%.*s", (int)length, setting);
    for (char *c = name; *c; c++)
        if (*c == '_') *c = '-';
    const option *o = option_find(args->tables, name);
    if (!o || option_useless(args, name)) { /* other commands have it */
        free(name);
        return NULL;
    }
    bool list = setting[length] && o->metavar && !strncmp(o->metavar, "COL[", 4) && strpbrk(setting, ",\"");
    char *entry = list ? entry_of(setting + length + 1) : NULL;
    char *value = entry             ? quoted(entry)
                  : setting[length] ? quoted(setting + length + 1)
                                    : text_of("%s", o->metavar ? o->metavar : "");
    free(entry);
    char *words = text_of("--%s%s%s", name, *value ? " " : "", value);
    free(value);
    free(name);
    return words;
}

/* What a line of the detail adds behind the sentence, to be freed; NULL: nothing. */
static char *words_of(const char *line, const arguments *args)
{
    if (!strncmp(line, "option ", 7)) return option_words(line + 7, args);
    if (!strncmp(line, "method ", 7)) return text_of("'rung methods %s' lists them", line + 7);
    return strcmp(line, "methods") ? NULL : text_of("'rung methods' lists them");
}

char *advice(const char *sentence, const char *detail, const arguments *args)
{
    char *out = text_of("%s", sentence), *hints = text_of("%s", "");
    while (*detail) {
        size_t length = strcspn(detail, "\n");
        char *line = text_of("%.*s", (int)length, detail), *words = words_of(line, args);
        if (!strncmp(line, "parameter ", 10)) out = mark_parameter(out, line + 10, args);
        if (words) { text_add(&hints, "%s%s", *hints ? " or " : "", words); }
        free(words);
        free(line);
        detail += length + (detail[length] != 0);
    }
    if (*hints) { text_add(&out, " (%s)", hints); }
    free(hints);
    return out;
}
