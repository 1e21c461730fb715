// SPDX-License-Identifier: BSD-3-Clause
#include "core/repeat.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define GROUP "How the model was made"
const option note_options[] = {
    {"date", 0, NULL, "also store the date in the model, which then differs from run to run", GROUP},
    {"anonymous", 0, NULL, "do not store the command line and the name of the data file in the model", GROUP},
    {0}};

char *shell_word(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+@%";
    if (*word && strspn(word, plain) == strlen(word)) return text_of("%s", word);
    char *out = text_of("'");
    for (; *word; word++) {
        if (*word == '\'')
            text_add(&out, "'\\''");
        else
            text_add(&out, "%c", *word);
    }
    text_add(&out, "'");
    return out;
}

static bool listed(const char *name, const char *const *names)
{
    for (; names && *names; names++)
        if (!strcmp(name, *names)) return true;
    return false;
}

/* without: options to leave out; ends with NULL. */
static char *line_without(const char *command, const arguments *args, const char *const *without)
{
    char *line = text_of("rung %s", command);
    for (int i = 0; i < 2 * args->n; i++) { /* operands first, then options */
        const argument *a = &args->list[i % args->n];
        if ((a->option != NULL) != (i >= args->n) || (a->option && listed(a->option->name, without))) continue;
        char *value = a->value ? shell_word(a->value) : NULL;
        text_add(&line, " %s%s%s%s", a->option ? "--" : "", a->option ? a->option->name : "",
                 a->option && value ? " " : "", value ? value : "");
        free(value);
    }
    return line;
}

char *command_line(const char *command, const arguments *args) { return line_without(command, args, NULL); }

static int note(session *s, const char *name, char *text)
{
    make_printable(text); /* a file name need not be UTF-8 */
    int code = session_check(s, rung_ctx_set_note(s->ctx, name, text));
    free(text);
    return code;
}

static char *date_now(void)
{
    char text[32] = "";
    time_t now = time(NULL);
    const struct tm *utc = gmtime(&now);
    if (utc) strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", utc);
    return text_of("%s", text);
}

int take_notes(session *s, const arguments *args, const char *data)
{
    static const char *const without[] = {"output",  "threads", "quiet", "verbose",   "json", "verify",
                                          "explain", "report",  "date",  "anonymous", NULL};
    int code = EXIT_OK;
    if (!option_given(args, "anonymous")) {
        code = note(s, "command", line_without(s->command, args, without));
        if (code == EXIT_OK)
            code = note(s, "file", strcmp(data, "-") ? text_of("%s", data) : text_of("%s", "standard input"));
    }
    if (code == EXIT_OK && option_given(args, "date")) code = note(s, "date", date_now());
    return code;
}
