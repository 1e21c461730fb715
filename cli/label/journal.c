// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE /* flock, open_memstream */
#include "label/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/json_out.h"
#include "label/head.h"

#define HASH_BEGIN 0xcbf29ce484222325
static const char begin[] = JOURNAL_BEGIN;
enum { BEGIN = sizeof begin - 1 };
static const char *const words[] = {"grade", "again", "skip", "undo", "settle"};

static const char *const marks[] = {"", "chosen", "random"}; /* of how_chosen, in the journal and in a labelled copy */

const char *journal_mark(how_chosen how) { return marks[how]; }

/* ---- entries ---- */

static size_t slot_of(const journal *j, const char *name) /* FNV-1a; the slot of the name, or a free one */
{
    uint64_t hash = 0xcbf29ce484222325;
    for (const char *c = name; *c; c++) hash = (hash ^ (unsigned char)*c) * 0x100000001b3;
    size_t slot = (size_t)(hash >> 32) & (j->slots - 1);
    while (j->slot[slot] && strcmp(j->grader[j->slot[slot] - 1], name)) slot = (slot + 1) & (j->slots - 1);
    return slot;
}

/* Room for twice the names, in a table that is at most half full. */
static void more_graders(journal *j)
{
    size_t room = j->graders ? 2 * (size_t)j->graders : 8;
    char **names = allocate(room, sizeof *names);
    if (j->graders) memcpy(names, j->grader, (size_t)j->graders * sizeof *names);
    free(j->grader);
    free(j->slot);
    j->grader = names;
    j->slots = 2 * room;
    j->slot = allocate(j->slots, sizeof *j->slot);
    for (int g = 0; g < j->graders; g++) j->slot[slot_of(j, j->grader[g])] = g + 1;
}

int journal_grader(journal *j, const char *name)
{
    if (2 * (size_t)j->graders == j->slots) more_graders(j);
    size_t slot = slot_of(j, name);
    if (j->slot[slot]) return j->slot[slot] - 1;
    j->grader[j->graders] = text_of("%s", name);
    return (j->slot[slot] = ++j->graders) - 1;
}

static bool counts(const journal_entry *e, int grader)
{
    return !e->undone && e->grader == grader && e->what != DID_SETTLE;
}

int64_t journal_last(const journal *j, int grader, int64_t row)
{
    int64_t i = j->last[row];
    while (i >= 0 && !counts(&j->entry[i], grader)) i = j->entry[i].before;
    return i;
}

/* An undo takes back the last entry of its grader about its row that still counts, never what was settled. */
static void keep_entry(journal *j, journal_entry e)
{
    if (j->n == j->room) {
        j->room = 2 * j->room + 256;
        journal_entry *more = allocate((size_t)j->room, sizeof *more);
        if (j->n) memcpy(more, j->entry, (size_t)j->n * sizeof *more);
        free(j->entry);
        j->entry = more;
    }
    if (e.what == DID_UNDO) {
        int64_t i = journal_last(j, e.grader, e.row);
        if (i >= 0) j->entry[i].undone = true;
        e.undone = true;
    }
    e.before = j->last[e.row];
    j->last[e.row] = j->n;
    j->entry[j->n++] = e;
}

/* ---- lines to entries ---- */

static char *bad_line(const journal *j, const char *why)
{
    return text_of("%s, line %lld: %s", j->path, (long long)j->line, why);
}

static char *read_head(journal *j, const json_t *line)
{
    journal_head head;
    const char *why = head_parse(line, &head);
    char *wrong = why ? bad_line(j, why) : NULL;
    if (!wrong && strcmp(head.column, j->of->name))
        wrong = text_of("%s holds the grades of column '%.80s', not '%.80s'; give -l, or another --journal", j->path,
                        head.column, j->of->name);
    if (!wrong && !subject_classes(j->of, head.classes, head.names))
        wrong = text_of("the grades differ from those that %s begins with; leave --order out to continue it", j->path);
    head_free(&head);
    return wrong;
}

static char *read_entry(journal *j, const json_t *line)
{
    const char *action = json_string_value(json_object_get(line, "action")),
               *grader = json_string_value(json_object_get(line, "grader")),
               *label = json_string_value(json_object_get(line, "label")),
               *check = json_string_value(json_object_get(line, "check")),
               *mark = json_string_value(json_object_get(line, "suggested"));
    int64_t row = json_integer_value(json_object_get(line, "row"));
    journal_entry e = {.row = row - 1};
    size_t what = 0;
    while (what < sizeof words / sizeof *words && (!action || strcmp(action, words[what]))) what++;
    if (what == sizeof words / sizeof *words)
        return bad_line(j, "expected an action: grade, again, skip, undo or settle");
    e.what = (did)what;
    if (row < 1 || row > j->of->rows)
        return text_of("%s, line %lld: row %lld is not in %s, which has %lld; has it been cut?", j->path,
                       (long long)j->line, (long long)row, j->of->path, (long long)j->of->rows);
    bool graded = e.what == DID_GRADE || e.what == DID_AGAIN || e.what == DID_SETTLE;
    if (graded && (!label || !subject_ranks(j->of, label, &e.low, &e.high)))
        return text_of("%s, line %lld: label '%.80s' is none of the classes", j->path, (long long)j->line,
                       label ? label : "");
    if (check && strtoull(check, NULL, 16) != subject_check(j->of, e.row))
        return text_of("%s, line %lld: row %lld of %s is no longer the row that was graded; restore the file, or give "
                       "another --journal",
                       j->path, (long long)j->line, (long long)row, j->of->path);
    for (size_t k = 0; mark && k < sizeof marks / sizeof *marks; k++)
        if (!strcmp(mark, marks[k])) e.how = (how_chosen)k;
    e.grader = journal_grader(j, grader ? grader : "");
    keep_entry(j, e);
    return NULL;
}

/* A line that a killed process left incomplete is passed over; the next one begins behind it. */
static char *read_line(journal *j, const char *text, size_t length)
{
    j->line++;
    json_t *line = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
    char *wrong = NULL;
    if (!json_is_object(line)) {
        if (j->line == 1 && length > 0)
            wrong = bad_line(j, "this is not a journal of rung label");
        else if (length > 0 && text[length - 1] == '}')
            wrong = bad_line(j, "this is not a line of a journal");
    } else if (json_object_get(line, "rung")) {
        wrong = read_head(j, line);
    } else if (j->of->classes == 0) {
        wrong = bad_line(j, "the journal does not begin with its classes");
    } else {
        wrong = read_entry(j, line);
    }
    json_decref(line);
    return wrong;
}

/* ---- the file ---- */

static char *failed(const journal *j, const char *doing)
{
    return text_of("cannot %s %s: %s", doing, j->path, strerror(errno));
}

/* NULL: the bytes from `from` up to `to`, of which there are fewer only if the file is cut meanwhile. */
static char *read_bytes(const journal *j, int64_t from, int64_t to, char *text, int64_t *got)
{
    *got = 0;
    while (*got < to - from) {
        ssize_t n = pread(j->fd, text + *got, (size_t)(to - from - *got), from + *got);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return failed(j, "read");
        if (n == 0) break;
        *got += n;
    }
    return NULL;
}

static void hash_bytes(uint64_t *hash, const char *text, int64_t size) /* FNV-1a */
{
    for (int64_t i = 0; i < size; i++) *hash = (*hash ^ (unsigned char)text[i]) * 0x100000001b3;
}

/* A journal only grows. Anything else is somebody else's doing, and this process must not go on. */
static char *changed(const journal *j, const char *how)
{
    return text_of("%s has been %s while it was in use; nothing more is written to it: look after it, then start rung "
                   "label again",
                   j->path, how);
}

/* What was read from the file is still what stands there. */
static char *check_read(const journal *j)
{
    enum { BLOCK = 1 << 16 };
    uint64_t hash = HASH_BEGIN;
    char *text = allocate(BLOCK, 1), *wrong = NULL;
    int64_t got = 1;
    for (int64_t at = 0; !wrong && got > 0 && at < j->read; at += got) {
        wrong = read_bytes(j, at, j->read - at < BLOCK ? j->read : at + BLOCK, text, &got);
        hash_bytes(&hash, text, got);
    }
    free(text);
    return wrong ? wrong : hash == j->hash ? NULL : changed(j, "changed");
}

/* The file that is open is the one that the path names, and holds what it held. */
static char *check_file(journal *j, int64_t *size)
{
    struct stat open, named;
    if (fstat(j->fd, &open) != 0) return failed(j, "read");
    if (stat(j->path, &named) != 0) return errno == ENOENT ? changed(j, "removed") : failed(j, "read");
    if (open.st_dev != named.st_dev || open.st_ino != named.st_ino) return changed(j, "replaced");
    if (open.st_size < j->read) return changed(j, "cut");
    *size = open.st_size;
    bool touched = open.st_mtim.tv_sec != j->written.tv_sec || open.st_mtim.tv_nsec != j->written.tv_nsec;
    char *wrong = touched ? check_read(j) : NULL;
    if (!wrong) j->written = open.st_mtim;
    return wrong;
}

static char *read_rest(journal *j)
{
    int64_t size = 0, got = 0;
    char *wrong = check_file(j, &size);
    if (wrong) return wrong;
    char *text = allocate((size_t)(size - j->read) + 1, 1), *at = text, *end;
    wrong = read_bytes(j, j->read, size, text, &got);
    for (; !wrong && (end = memchr(at, '\n', (size_t)(got - (at - text)))); at = end + 1)
        wrong = read_line(j, at, (size_t)(end - at));
    hash_bytes(&j->hash, text, at - text);
    j->read += at - text;
    j->torn = at < text + got;
    if (!wrong && j->read == 0 && j->torn && strncmp(text, begin, got < BEGIN ? (size_t)got : BEGIN))
        wrong = text_of("%s is not a journal of rung label", j->path);
    free(text);
    return wrong;
}

/* Another process may have made it meanwhile. */
static char *open_file(journal *j, bool writes)
{
    j->fd = open(j->path, (writes ? O_RDWR | O_APPEND : O_RDONLY) | O_CLOEXEC);
    return j->fd >= 0 || errno == ENOENT ? NULL : failed(j, "open");
}

char *journal_follow(journal *j)
{
    char *wrong = j->fd < 0 ? open_file(j, true) : NULL;
    return wrong || j->fd < 0 ? wrong : read_rest(j);
}

int journal_open(session *s, const char *path, bool writes, subject *of, journal *out)
{
    *out = (journal){.path = text_of("%s", path), .of = of, .hash = HASH_BEGIN};
    out->last = allocate((size_t)of->rows, sizeof *out->last);
    for (int64_t i = 0; i < of->rows; i++) out->last[i] = -1;
    char *wrong = open_file(out, writes);
    if (!wrong && out->fd >= 0) wrong = read_rest(out);
    if (!wrong) return EXIT_OK;
    complain("%s: %s", s->command, wrong);
    free(wrong);
    return FAILED;
}

void journal_close(journal *j)
{
    if (j->path && j->fd >= 0) close(j->fd);
    for (int g = 0; g < j->graders; g++) free(j->grader[g]);
    free(j->grader);
    free(j->slot);
    free(j->entry);
    free(j->last);
    free(j->path);
}

/* ---- adding ---- */

static bool write_all(int fd, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, text, size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        text += n;
        size -= (size_t)n;
    }
    return true;
}

static bool write_line(int fd, json_t *value)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file) {
        json_decref(value);
        return false;
    }
    jout_write(file, value, 1);
    fputc('\n', file);
    fclose(file);
    bool done = write_all(fd, text, size);
    free(text);
    json_decref(value);
    return done;
}

static json_t *head_of(const journal *j)
{
    const char *slash = strrchr(j->of->path, '/');
    return head_json(&(journal_head){j->of->name, j->of->classes, j->of->class_name}, slash ? slash + 1 : j->of->path);
}

static json_t *line_of(const journal *j, const journal_entry *e)
{
    char now[32], check[20];
    time_t seconds = time(NULL);
    struct tm utc;
    gmtime_r(&seconds, &utc);
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", &utc);
    snprintf(check, sizeof check, "%016" PRIx64, subject_check(j->of, e->row));
    json_t *line = json_object();
    json_object_set_new(line, "time", json_string(now));
    json_object_set_new(line, "grader", jout_text(j->grader[e->grader]));
    json_object_set_new(line, "action", json_string(words[e->what]));
    json_object_set_new(line, "row", json_integer(e->row + 1));
    if (e->low) {
        char *label = subject_label(j->of, e->low, e->high);
        json_object_set_new(line, "label", jout_text(label));
        free(label);
    }
    if (e->how) json_object_set_new(line, "suggested", json_string(marks[e->how]));
    json_object_set_new(line, "check", json_string(check));
    return line;
}

/* A new file is found again after a crash only once its folder is on the disk as well. */
static bool create(journal *j)
{
    j->fd = open(j->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (j->fd < 0) return false;
    const char *slash = strrchr(j->path, '/');
    char *folder = slash ? text_of("%.*s", slash == j->path ? 1 : (int)(slash - j->path), j->path) : text_of(".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    if (fd < 0) return true;
    bool done = fsync(fd) == 0 || errno == EINVAL; /* some systems cannot, for a folder */
    close(fd);
    return done;
}

/* Locked, so that lines of several processes never mix. What is written is read back, like the lines of others, from
 * the file that the path then names. */
static char *add_locked(journal *j, const journal_entry *e)
{
    char *wrong = read_rest(j);
    if (!wrong) wrong = check_read(j); /* whatever the clock says */
    if (wrong) return wrong;
    bool done = true;
    if (j->read == 0) /* new, or left by a process that was killed within its first line */
        done = (!j->torn || ftruncate(j->fd, 0) == 0) && write_line(j->fd, head_of(j));
    else if (j->torn)
        done = write_all(j->fd, "\n", 1);
    if (done) done = write_line(j->fd, line_of(j, e)) && fsync(j->fd) == 0;
    if (!done) return failed(j, "write");
    int64_t before = j->n;
    wrong = read_rest(j);
    if (!wrong && j->n > before) j->entry[j->n - 1].client = e->client;
    return wrong;
}

char *journal_add(journal *j, const journal_entry *e)
{
    if (j->fd < 0 && !create(j)) return failed(j, "create");
    while (flock(j->fd, LOCK_EX) != 0)
        if (errno != EINTR) return failed(j, "lock");
    char *wrong = add_locked(j, e);
    flock(j->fd, LOCK_UN);
    return wrong;
}
