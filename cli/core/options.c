// SPDX-License-Identifier: BSD-3-Clause
#define _POSIX_C_SOURCE 200809L
#include "core/options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/common.h"

enum { LONGEST_NAME = 31, MOST_NAMES = 128 };

static bool same(char a, char b) { return tolower((unsigned char)a) == tolower((unsigned char)b); }

/* Edits that turn a into b: insert, delete, replace, swap adjacent characters; case-insensitive. */
static int distance(const char *a, const char *b)
{
    int d[LONGEST_NAME + 1][LONGEST_NAME + 1];
    int m = (int)strnlen(a, LONGEST_NAME), n = (int)strnlen(b, LONGEST_NAME);
    for (int i = 0; i <= m; i++) d[i][0] = i;
    for (int j = 0; j <= n; j++) d[0][j] = j;
    for (int i = 1; i <= m; i++)
        for (int j = 1; j <= n; j++) {
            int best = d[i - 1][j - 1] + !same(a[i - 1], b[j - 1]);
            if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]) && d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[m][n];
}

const char *nearest_name(const char *text, const char *const *names)
{
    size_t length = strlen(text);
    if (length > LONGEST_NAME) return NULL;
    /* A prefix of a name always counts as near. */
    if (length >= 2)
        for (const char *const *name = names; *name; name++)
            if (!strncasecmp(text, *name, length)) return *name;
    const char *best = NULL;
    int least = length < 4 ? 2 : 3; /* one more than the edits allowed */
    for (; *names; names++) {
        int edits = distance(text, *names);
        if (edits < least) least = edits, best = *names;
    }
    return best;
}

static const option *find(const option *const *tables, const char *name, size_t length, char letter)
{
    for (; *tables; tables++)
        for (const option *o = *tables; o->name; o++)
            if (name ? strlen(o->name) == length && !strncmp(o->name, name, length) : o->letter == letter) return o;
    return NULL;
}

const option *option_find(const option *const *tables, const char *name) { return find(tables, name, strlen(name), 0); }

static bool unknown(const char *command, const option *const *tables, const char *given, size_t length)
{
    const char *names[MOST_NAMES + 1];
    int n = 0;
    for (const option *const *t = tables; *t; t++)
        for (const option *o = *t; o->name && n < MOST_NAMES; o++) names[n++] = o->name;
    names[n] = NULL;
    char name[LONGEST_NAME + 2];
    snprintf(name, sizeof name, "%.*s", (int)length, given);
    const char *near = length > 1 ? nearest_name(name, names) : NULL;
    const char *dashes = length > 1 ? "--" : "-";
    char other = isupper((unsigned char)*given) ? (char)tolower(*given) : (char)toupper(*given);
    if (length == 1 && find(tables, NULL, 0, other))
        complain("%s: unknown option -%c; did you mean -%c?", command, *given, other);
    else if (near)
        complain("%s: unknown option %s%.*s; did you mean --%s?", command, dashes, (int)length, given, near);
    else
        complain("%s: unknown option %s%.*s; 'rung %s --help' lists them", command, dashes, (int)length, given,
                 command);
    return false;
}

bool option_lists_values(const option *o)
{
    if (!o->metavar || !strchr(o->metavar, '|')) return false;
    for (const char *c = o->metavar; *c; c++)
        if (isupper((unsigned char)*c)) return false;
    return true;
}

static bool allowed(const char *command, const option *o, const char *value)
{
    if (!option_lists_values(o)) return true;
    size_t length = strlen(value);
    for (const char *word = o->metavar, *end; word; word = end ? end + 1 : NULL) {
        end = strchr(word, '|');
        if (length == (end ? (size_t)(end - word) : strlen(word)) && !strncmp(word, value, length)) return true;
    }
    complain("%s: --%s %s: expected %s", command, o->name, value, o->metavar);
    return false;
}

static void keep(arguments *args, const option *o, const char *value)
{
    args->list[args->n++] = (argument){o, value};
    args->operands += o == NULL;
}

/* -x, -xvalue, -x value, -xyz; *next is the index of the following argument. */
static bool parse_letters(const char *command, int argc, char *const *argv, int *next, arguments *args)
{
    for (const char *c = argv[*next - 1] + 1; *c; c++) {
        const option *o = find(args->tables, NULL, 0, *c);
        if (!o) return unknown(command, args->tables, c, 1);
        if (!o->metavar) {
            keep(args, o, NULL);
            continue;
        }
        if (!c[1] && *next == argc) {
            complain("%s: -%c needs a value: -%c %s", command, *c, *c, o->metavar);
            return false;
        }
        const char *value = c[1] ? c + 1 : argv[(*next)++];
        keep(args, o, value);
        return allowed(command, o, value);
    }
    return true;
}

static bool parse_long(const char *command, int argc, char *const *argv, int *next, arguments *args)
{
    const char *name = argv[*next - 1] + 2;
    size_t length = strcspn(name, "=");
    const char *value = name[length] ? name + length + 1 : NULL;
    const option *o = find(args->tables, name, length, 0);
    if (!o) return unknown(command, args->tables, name, length);
    if (!o->metavar && value) {
        complain("%s: --%s takes no value", command, o->name);
        return false;
    }
    if (o->metavar && !value) {
        if (*next == argc) {
            complain("%s: --%s needs a value: --%s %s", command, o->name, o->name, o->metavar);
            return false;
        }
        value = argv[(*next)++];
    }
    keep(args, o, value);
    return !value || allowed(command, o, value);
}

bool arguments_parse(const char *command, int argc, char *const *argv, const option *const *tables, arguments *out)
{
    size_t most = 1;
    for (int i = 1; i < argc; i++) most += strlen(argv[i]) + 1; /* -qvqv is one argument and four options */
    *out = (arguments){.tables = tables, .list = allocate(most, sizeof *out->list)};
    bool only_operands = false;
    for (int i = 1; i < argc;) {
        const char *a = argv[i++];
        bool good = true;
        if (only_operands || a[0] != '-' || !a[1])
            keep(out, NULL, a);
        else if (!strcmp(a, "--"))
            only_operands = true;
        else if (a[1] == '-')
            good = parse_long(command, argc, argv, &i, out);
        else
            good = parse_letters(command, argc, argv, &i, out);
        if (!good) {
            arguments_free(out);
            return false;
        }
    }
    return true;
}

void arguments_free(arguments *args)
{
    free(args->list);
    *args = (arguments){0};
}

const char *option_each(const arguments *args, const char *name, int *at)
{
    const option *o = option_find(args->tables, name);
    while (o && *at < args->n) {
        const argument *a = &args->list[(*at)++];
        if (a->option == o) return a->value ? a->value : "";
    }
    return NULL;
}

const char *option_value(const arguments *args, const char *name)
{
    const char *last = NULL, *value;
    for (int at = 0; (value = option_each(args, name, &at));) last = value;
    return last;
}

bool option_given(const arguments *args, const char *name) { return option_value(args, name) != NULL; }

/* Options of one name mean the same in all commands, so one table has them all. */
static const struct {
    const char *name, *other;
    bool needs; /* the first goes with the other; otherwise it has no effect beside it */
} pairs[] = {{"format", "sql", false},       {"no-header", "sql", false},    {"encoding", "sql", false},
             {"delimiter", "sql", false},    {"decimal", "sql", false},      {"passes", "sql", false},
             {"fixed", "row", true},         {"samples", "row", true},       {"compare-rows", "no-rows", true},
             {"background", "row", true},    {"repeats", "row", false},      {"repeats", "effects", false},
             {"repeats", "pair", false},     {"folds", "folds-file", false}, {"repeats", "folds-file", false},
             {"by-grader", "export", true},  {"overlap", "export", false},   {"in-order", "export", false},
             {"method", "export", false},    {"param", "export", false},     {"port", "export", false},
             {"no-browser", "export", false}};
enum { PAIRS = sizeof pairs / sizeof *pairs };

const char *option_useless(const arguments *args, const char *name)
{
    for (int i = 0; i < PAIRS; i++)
        if (!pairs[i].needs && !strcmp(pairs[i].name, name) && option_given(args, pairs[i].other))
            return pairs[i].other;
    return NULL;
}

bool options_agree(const char *command, const arguments *args)
{
    for (int i = 0; i < PAIRS; i++) {
        if (!option_given(args, pairs[i].name) || !option_find(args->tables, pairs[i].other) ||
            option_given(args, pairs[i].other) == pairs[i].needs)
            continue;
        complain(pairs[i].needs ? "%s: --%s goes with --%s" : "%s: --%s has no effect beside --%s; omit one of them",
                 command, pairs[i].name, pairs[i].other);
        return false;
    }
    return true;
}

bool option_writes(const option *o)
{
    static const char *const names[] = {"output", "report", "db", "export", NULL};
    const char *const *name = names;
    while (*name && strcmp(o->name, *name)) name++;
    return *name != NULL;
}

bool option_reads(const option *o)
{
    return o->metavar && (!strncmp(o->metavar, "FILE", 4) || !strcmp(o->metavar, "TEST")) && !option_writes(o);
}

const char *option_written(const arguments *args, int *at, const option **by)
{
    while (*at < args->n) {
        const argument *a = &args->list[(*at)++];
        if (!a->option || !option_writes(a->option)) continue;
        *by = a->option;
        return a->value;
    }
    return NULL;
}

const char *operand(const arguments *args, int index)
{
    for (int i = 0; i < args->n; i++)
        if (!args->list[i].option && index-- == 0) return args->list[i].value;
    return NULL;
}
