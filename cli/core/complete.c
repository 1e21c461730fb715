// SPDX-License-Identifier: BSD-3-Clause
/* Completion: shells call the command itself, which knows its tables; the files in completions/ only pass on words and
 * results. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/command.h"
#include "data/learn.h"

typedef struct {
    const char *word;   /* as far as it is typed */
    const char *method; /* -m before it; several: the first counts */
} question;

/* prefix + candidate, if it continues the word. */
static void offer(const question *q, const char *prefix, const char *candidate, const char *after, const char *help)
{
    char *whole = text_of("%s%s%s", prefix, candidate, after);
    if (!strncmp(whole, q->word, strlen(q->word))) printf("%s\t%s\n", whole, help);
    free(whole);
}

/* The words of a|b|c; words in capitals are placeholders. */
static void offer_list(const question *q, const char *prefix, const char *list)
{
    while (*list) {
        size_t length = strcspn(list, "|");
        char *item = text_of("%.*s", (int)length, list);
        if (!isupper((unsigned char)*item)) offer(q, prefix, item, "", "");
        free(item);
        list += length + (list[length] != 0);
    }
}

static void offer_methods(const question *q, const char *prefix)
{
    const rung_method *m;
    for (int i = 0; (m = rung_method_at(i)); i++) offer(q, prefix, m->name, "", m->title);
}

/* A method before this one has a parameter of this name: in all methods it means the same. */
static bool offered_before(const rung_method *m, const char *name)
{
    const rung_method *other;
    const rung_param *p;
    for (int i = 0; (other = rung_method_at(i)) && other != m; i++)
        for (int j = 0; (p = rung_method_param_at(other, j)); j++)
            if (!strcmp(p->name, name)) return true;
    return false;
}

/* NAME=, then the values of the parameter; all: those of another method as well. */
static void offer_params_of(const question *q, const rung_method *m, bool all, const char *prefix, const char *typed)
{
    const char *equals = strchr(typed, '=');
    const rung_param *p;
    for (int i = 0; (p = rung_method_param_at(m, i)); i++) {
        if (all && offered_before(m, p->name)) continue;
        if (!equals) {
            offer(q, prefix, p->name, "=", p->help);
        } else if (strlen(p->name) == (size_t)(equals - typed) && !strncmp(p->name, typed, strlen(p->name))) {
            char *before = text_of("%s%s=", prefix, p->name);
            if (p->choices) offer_list(q, before, p->choices);
            if (p->flags & RUNG_PARAM_AUTO) offer(q, before, "auto", "", "");
            free(before);
        }
    }
}

/* Of the method named so far. The default has none: then those of all methods. */
static void offer_params(const question *q, const char *prefix, const char *typed)
{
    char *name = text_of("%.*s", (int)strcspn(q->method, ","), q->method);
    const rung_method *m = rung_method_find(name);
    free(name);
    if (m && rung_method_param_at(m, 0)) {
        offer_params_of(q, m, false, prefix, typed);
        return;
    }
    for (int i = 0; (m = rung_method_at(i)); i++) offer_params_of(q, m, true, prefix, typed);
}

/* The completions of the value named metavar; typed: the part of the word that belongs to it, after prefix. */
static void offer_value(const question *q, const char *metavar, const char *prefix, const char *typed)
{
    static const char *const files[] = {"FILE", "TEST", "DATA", "MODEL", "DIR", "FOLDER", NULL};
    for (const char *const *f = files; *f; f++)
        if (!strcmp(metavar, *f)) {
            puts(":files");
            return;
        }
    if (strchr(metavar, '|')) {
        offer_list(q, prefix, metavar);
    } else if (!strncmp(metavar, "METHOD", 6)) { /* also METHOD[,METHOD]: continues after the last comma */
        const char *comma = strrchr(typed, ',');
        char *before = text_of("%s%.*s", prefix, comma ? (int)(comma - typed) + 1 : 0, typed);
        offer_methods(q, before);
        free(before);
    } else if (!strncmp(metavar, "NAME=", 5)) {
        offer_params(q, prefix, typed);
    } else if (!strcmp(metavar, "NAME")) {
        const char *name, *help;
        for (int i = 0; (name = rung_generator_at(i, &help)); i++) offer(q, prefix, name, "", help);
    }
}

static void offer_commands(const question *q)
{
    const command *c;
    for (int i = 0; (c = command_at(i)); i++) offer(q, "", c->name, "", c->help);
}

static void offer_options(const question *q, const command *c)
{
    for (const option *const *table = c->options; *table; table++)
        for (const option *o = *table; o->name; o++) {
            char *help = option_help(o);
            offer(q, "--", o->name, "", help);
            free(help);
        }
}

static const option *find_option(const command *c, const char *word)
{
    if (word[0] != '-' || !word[1]) return NULL;
    for (const option *const *table = c->options; *table; table++)
        for (const option *o = *table; o->name; o++) {
            size_t length = strlen(o->name);
            if (word[1] == '-' ? !strncmp(word + 2, o->name, length) && (!word[2 + length] || word[2 + length] == '=')
                               : o->letter == word[1])
                return o;
        }
    return NULL;
}

/* The value contained in an option word (--name=value, -nvalue); NULL: none. */
static const char *value_in(const char *word)
{
    if (word[1] != '-') return word[2] ? word + 2 : NULL;
    const char *equals = strchr(word, '=');
    return equals ? equals + 1 : NULL;
}

static void offer_operand(const question *q, const command *c, int index)
{
    const char *name = c->operands;
    for (; index > 0 && *name; index--) {
        const char *end = name + strcspn(name, " ");
        if (end - name > 3 && !strncmp(end - 3, "...", 3)) break; /* any number of these */
        name = end + (*end == ' ');
    }
    name += *name == '[';
    char *metavar = text_of("%.*s", (int)strcspn(name, " ]."), name);
    offer_value(q, metavar, "", q->word);
    free(metavar);
}

static void complete_command(const command *c, int n, char *const *words)
{
    question q = {.word = words[n - 1], .method = rung_method_default(0)->name};
    const option *waiting = NULL; /* its value comes next */
    int operands = 0;
    for (int i = 0; i < n - 1; i++) {
        const option *o = waiting ? NULL : find_option(c, words[i]);
        const char *value = waiting ? words[i] : o ? value_in(words[i]) : NULL;
        const option *of = waiting ? waiting : o;
        if (value && of && !strcmp(of->name, "method")) q.method = value;
        if (!waiting && words[i][0] != '-') operands++;
        waiting = o && o->metavar && !value ? o : NULL;
    }
    const option *here = find_option(c, q.word);
    const char *typed = here ? value_in(q.word) : NULL;
    if (waiting) {
        offer_value(&q, waiting->metavar, "", q.word);
    } else if (here && here->metavar && typed) {
        char *prefix = text_of("%.*s", (int)(typed - q.word), q.word);
        offer_value(&q, here->metavar, prefix, typed);
        free(prefix);
    } else if (q.word[0] == '-') {
        offer_options(&q, c);
    } else {
        offer_operand(&q, c, operands);
    }
}

int complete_words(int n, char *const *words)
{
    if (n < 1) return EXIT_OK;
    const question first = {.word = words[n - 1]};
    const command *c = command_find(words[0]);
    if (n == 1) {
        offer_commands(&first);
        offer(&first, "", "help", "", "explain a command");
        if (*first.word == '-') offer(&first, "", "--help", "", ""), offer(&first, "", "--version", "", "");
    } else if (n == 2 && !strcmp(words[0], "help")) {
        offer_commands(&first);
    } else if (c) {
        complete_command(c, n - 1, words + 1);
    }
    return EXIT_OK;
}
