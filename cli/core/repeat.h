// SPDX-License-Identifier: BSD-3-Clause
/* What it takes to repeat a command: its line as text, and what a model keeps of it. */
#ifndef RUNG_CLI_REPEAT_H
#define RUNG_CLI_REPEAT_H

#include "core/common.h"

/* A word for a POSIX shell, quoted where it must be; to be freed. */
char *shell_word(const char *word);
/* The command line with all options by their long names, ready to be pasted into a shell; to be freed. */
char *command_line(const char *command, const arguments *args);

extern const option note_options[]; /* of commands that write models */
/* The models made from now on keep the command (without what does not change them: names of outputs, threads, how much
 * is printed), the data file and, if asked for, the date; EXIT_OK or an exit code. */
int take_notes(session *s, const arguments *args, const char *data);

#endif
