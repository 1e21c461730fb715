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

#include "json_out.h"

enum { FORMAT = 1, MOST_LINE = 1 << 20 };

static const char begin[] = "{\"rung\": \"journal\""; /* of every journal */
static const char *const words[] = {"grade", "again", "skip", "undo", "settle"};

static const char *const marks[] = {"", "chosen", "random"}; /* of how_chosen, in the journal and in a labelled copy */

const char *journal_mark(how_chosen how) { return marks[how]; }

/* ---- entries ---- */

int journal_grader(journal *j, const char *name)
{
    for (int g = 0; g < j->graders; g++)
        if (!strcmp(j->grader[g], name)) return g;
    char **more = allocate((size_t)j->graders + 1, sizeof *more);
    if (j->graders) memcpy(more, j->grader, (size_t)j->graders * sizeof *more);
    free(j->grader);
    j->grader = more;
    j->grader[j->graders] = text_of("%s", name);
    return j->graders++;
}

/* An undo takes back the last entry of its grader about its row that still counts. */
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
        int64_t i = j->last[e.row];
        while (i >= 0 && (j->entry[i].undone || j->entry[i].grader != e.grader)) i = j->entry[i].before;
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

static char *read_head(journal *j, const json_t *line, char ***names, int *classes)
{
    const json_t *list = json_object_get(line, "classes"), *column = json_object_get(line, "column");
    if (strcmp(json_is_string(json_object_get(line, "rung")) ? json_string_value(json_object_get(line, "rung")) : "",
               "journal"))
        return bad_line(j, "this is not a journal of rung label");
    if (json_integer_value(json_object_get(line, "format")) != FORMAT)
        return bad_line(j, "the journal has another format than this version of rung reads");
    if (!json_is_string(column) || strcmp(json_string_value(column), j->of->name))
        return text_of("%s holds the grades of column '%.80s', not '%.80s'; give -l, or another --journal", j->path,
                       json_is_string(column) ? json_string_value(column) : "", j->of->name);
    *classes = (int)json_array_size(list);
    if (*classes < 2) return bad_line(j, "the classes are missing");
    *names = allocate((size_t)*classes, sizeof **names);
    for (int k = 0; k < *classes; k++) {
        const char *name = json_string_value(json_array_get(list, (size_t)k));
        (*names)[k] = text_of("%s", name ? name : "");
    }
    return NULL;
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
    char **names = NULL, *wrong = NULL;
    int classes = 0;
    if (!json_is_object(line)) {
        if (j->line == 1 && length > 0)
            wrong = bad_line(j, "this is not a journal of rung label");
        else if (length > 0 && text[length - 1] == '}')
            wrong = bad_line(j, "this is not a line of a journal");
    } else if (json_object_get(line, "rung")) {
        wrong = read_head(j, line, &names, &classes);
        if (!wrong && !subject_classes(j->of, classes, names))
            wrong =
                text_of("the grades differ from those that %s begins with; leave --order out to continue it", j->path);
    } else if (j->of->classes == 0) {
        wrong = bad_line(j, "the journal does not begin with its classes");
    } else {
        wrong = read_entry(j, line);
    }
    for (int k = 0; k < classes; k++) free(names[k]);
    free(names);
    json_decref(line);
    return wrong;
}

/* ---- the file ---- */

static char *failed(const journal *j, const char *doing)
{
    return text_of("cannot %s %s: %s", doing, j->path, strerror(errno));
}

static char *read_rest(journal *j)
{
    struct stat now;
    if (fstat(j->fd, &now) != 0) return failed(j, "read");
    if (now.st_size < j->read) return text_of("%s has been cut while it was in use", j->path);
    size_t size = (size_t)(now.st_size - j->read), got = 0;
    char *text = allocate(size + 1, 1), *wrong = NULL;
    while (got < size) {
        ssize_t n = pread(j->fd, text + got, size - got, j->read + (int64_t)got);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        got += (size_t)n;
    }
    char *at = text, *end;
    for (; !wrong && (end = memchr(at, '\n', got - (size_t)(at - text))); at = end + 1)
        wrong = read_line(j, at, (size_t)(end - at));
    j->read += at - text;
    j->torn = at < text + got;
    if (!wrong && j->read == 0 && j->torn && strncmp(text, begin, got < sizeof begin - 1 ? got : sizeof begin - 1))
        wrong = text_of("%s is not a journal of rung label", j->path);
    free(text);
    return wrong;
}

char *journal_follow(journal *j) { return j->fd < 0 ? NULL : read_rest(j); }

int journal_open(session *s, const char *path, subject *of, journal *out)
{
    *out = (journal){.path = path ? text_of("%s", path) : text_of("%s.journal", of->path), .of = of};
    out->last = allocate((size_t)of->rows, sizeof *out->last);
    for (int64_t i = 0; i < of->rows; i++) out->last[i] = -1;
    out->fd = open(out->path, O_RDWR | O_APPEND | O_CLOEXEC);
    if (out->fd < 0 && errno != ENOENT) {
        complain("%s: cannot open %s: %s", s->command, out->path, strerror(errno));
        return FAILED;
    }
    char *wrong = out->fd < 0 ? NULL : read_rest(out);
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
    json_t *line = json_object(), *classes = json_array();
    const char *slash = strrchr(j->of->path, '/');
    for (int k = 0; k < j->of->classes; k++) json_array_append_new(classes, jout_text(j->of->class_name[k]));
    json_object_set_new(line, "rung", json_string("journal"));
    json_object_set_new(line, "format", json_integer(FORMAT));
    json_object_set_new(line, "data", jout_text(slash ? slash + 1 : j->of->path));
    json_object_set_new(line, "column", jout_text(j->of->name));
    json_object_set_new(line, "classes", classes);
    return line;
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
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    return true;
}

/* Locked, so that lines of several processes never mix. What is written is read back, like the lines of others. */
static char *add_locked(journal *j, const journal_entry *e)
{
    char *wrong = read_rest(j);
    if (wrong) return wrong;
    bool done = true;
    if (j->read == 0) /* new, or left by a process that was killed within its first line */
        done = ftruncate(j->fd, 0) == 0 && write_line(j->fd, head_of(j));
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
