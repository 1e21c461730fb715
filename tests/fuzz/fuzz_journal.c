// SPDX-License-Identifier: BSD-3-Clause
/* The reader of the journal of `rung label`: the bytes as the journal of a table of five rows. What is added to a
 * journal can be read again. */
#include "fuzz.h"

#include <stdlib.h>

#include "label/journal.h"

const char *const fuzz_words[] = {"1",
                                  "5",
                                  "6",
                                  "0",
                                  "-1",
                                  "1e3",
                                  "99999999999999999999",
                                  "\"row\":",
                                  "null",
                                  "true",
                                  "[]",
                                  "{}",
                                  "\"grade\"",
                                  "\"again\"",
                                  "\"skip\"",
                                  "\"undo\"",
                                  "\"settle\"",
                                  "\"low\"",
                                  "\"high\"",
                                  "\"1..2\"",
                                  "\"low..high\"",
                                  "\"<=mid\"",
                                  "\"..\"",
                                  "\"\"",
                                  "\"action\":",
                                  "\"label\":",
                                  "\"grader\":",
                                  "\"chosen\"",
                                  "\"check\":",
                                  "\"cbf29ce484222325\"",
                                  "{\"rung\":",
                                  "\"journal\"",
                                  "\"classes\":",
                                  "[\"low\"",
                                  "\"high\"]}",
                                  "\"\\u0000\"",
                                  "\"\\ud800\"",
                                  "\"format\":",
                                  "}",
                                  NULL};

enum { ROWS = 5 };

static void check_entries(const journal *j)
{
    for (int64_t i = 0; i < j->n; i++) {
        const journal_entry *e = &j->entry[i];
        FUZZ_CLAIM(e->row >= 0 && e->row < ROWS && e->before < i && e->grader >= 0 && e->grader < j->graders);
        FUZZ_CLAIM((e->low == 0 && e->high == 0) || (e->low >= 1 && e->low <= e->high && e->high <= j->of->classes));
    }
}

/* Opens it; the entries, or -1. */
static int64_t read_journal(const char *path, bool add)
{
    session s = {.command = "label"};
    journal j;
    subject of = {.path = "rows.csv", .rows = ROWS, .label = -1, .name = text_of("grade")};
    int64_t entries = -1;
    if (journal_open(&s, path, add, &of, &j) == EXIT_OK) {
        check_entries(&j);
        entries = j.n;
        if (add && of.classes > 0) {
            char *wrong = journal_add(&j, &(journal_entry){.what = DID_GRADE,
                                                           .row = ROWS - 1,
                                                           .low = 1,
                                                           .high = of.classes,
                                                           .grader = journal_grader(&j, "me")});
            FUZZ_CLAIM(wrong || read_journal(path, false) > entries); /* wrong: a torn line that happens to end in } */
            free(wrong);
        }
    }
    journal_close(&j);
    subject_free(&of);
    return entries;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    int fd;
    char path[32];
    fuzz_open(bytes, size, &fd, path);
    read_journal(path, true);
    fuzz_close(fd);
    return 0;
}
