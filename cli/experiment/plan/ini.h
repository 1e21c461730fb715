// SPDX-License-Identifier: BSD-3-Clause
/* .ini files: [section], {part of a section} (ORCA's), key = value, comments after ; or #. */
#ifndef RUNG_CLI_EXPERIMENT_INI_H
#define RUNG_CLI_EXPERIMENT_INI_H

#include <stdbool.h>

typedef struct {
    char *key, *value;
    int line;
    bool used; /* for the reader of the file to say which keys it knows */
} ini_entry;

typedef struct {
    char *name;  /* of the section */
    char *brace; /* of its part; NULL: the section itself */
    int line;
    int n;
    ini_entry *entries;
} ini_section;

typedef struct {
    const char *path;
    char *text; /* the whole file */
    int n;
    ini_section *sections; /* a section and each of its parts, in the order of the file */
} ini;

/* Failures are printed with file and line; false then. Release it in both cases. */
bool ini_read(const char *path, ini *out);
void ini_free(ini *f);

/* The value of a key, NULL without one; marks it as used. */
const char *ini_get(ini_section *s, const char *key);
int ini_line(const ini_section *s, const char *key); /* of a key, or of the section without it */
/* Printed: file, line and what is wrong there. Returns false. */
bool ini_wrong(const ini *f, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The first unused key is printed with the nearest known one; false then. known ends with NULL. */
bool ini_all_used(const ini *f, const ini_section *s, const char *const *known);

#endif
