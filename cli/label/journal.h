// SPDX-License-Identifier: BSD-3-Clause
/* The journal of the grades, a file beside the data to which lines are only ever added: JSON, one object per line
 * (docs/labelling.md). A line is on the disk before journal_add returns. Several processes may add to one journal; each
 * reads what the others have added. */
#ifndef RUNG_CLI_LABEL_JOURNAL_H
#define RUNG_CLI_LABEL_JOURNAL_H

#include <time.h>

#include "label/subject.h"

typedef enum { DID_GRADE, DID_AGAIN, DID_SKIP, DID_UNDO, DID_SETTLE } did;

typedef enum { HOW_OTHER, HOW_CHOSEN, HOW_RANDOM } how_chosen; /* why the row was shown, as `rung suggest` marks it */

typedef struct {
    did what;
    how_chosen how; /* of a grade */
    int64_t row;
    int low, high;  /* the grade; 0: none */
    int grader;     /* index in the names */
    int64_t before; /* the entry before it that is about the same row; -1: none */
    bool undone;
    unsigned client; /* the browser it came from, 0: it was read from the file */
} journal_entry;

typedef struct {
    char *path;
    int fd;                  /* -1: it does not exist yet */
    int64_t read;            /* bytes */
    uint64_t hash;           /* of these bytes */
    struct timespec written; /* when the file was last seen to change */
    int64_t line;            /* of the file */
    bool torn;               /* the last line is not complete */
    subject *of;
    journal_entry *entry;
    int64_t n, room;
    int64_t *last; /* for each row: its last entry, -1: none */
    char **grader;
    int graders;
    int *slot; /* the names by their hash: index + 1; 0: free */
    size_t slots;
} journal;

/* Reads the journal of the data, if there is one, and the classes from it; EXIT_OK or an exit code. writes: entries
 * will be added. */
int journal_open(session *s, const char *path, bool writes, subject *of, journal *out);
void journal_close(journal *j);

/* Both return NULL, or a sentence that says what went wrong, to be freed: also where the file has been replaced,
 * removed, cut or changed since it was read, from then on. */
char *journal_follow(journal *j);                      /* reads what other processes have added */
char *journal_add(journal *j, const journal_entry *e); /* the grader is one of the names */
const char *journal_mark(how_chosen how);              /* "chosen", "random" or "" */
int journal_grader(journal *j, const char *name);      /* its index; a new name is added */
/* The last grade, repeat or skip of a grader about a row that still counts, which an undo takes back; -1: none. */
int64_t journal_last(const journal *j, int grader, int64_t row);

#endif
