// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE /* fopencookie */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/common.h"
#include "core/output.h"
#include "core/signals.h"

/* ---- a stream that remembers why it failed ---- */

struct output_sink {
    int fd, error; /* errno of the first write that failed; 0: none */
};

static ssize_t sink_write(void *cookie, const char *bytes, size_t size)
{
    output_sink *sink = cookie;
    size_t done = 0;
    while (done < size) {
        ssize_t n = write(sink->fd, bytes + done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            if (!sink->error) sink->error = errno;
            return 0; /* what fopencookie takes for a failure */
        }
        done += (size_t)n;
    }
    return (ssize_t)size;
}

/* ---- files ---- */

/* A new file beside the old one, with its permissions; those of a file that did not exist follow umask. */
static int open_temporary(const char *path, const struct stat *old)
{
    unlink(path); /* left by a process of the same number that was killed */
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, old ? 0600 : 0666);
    if (fd < 0 || !old) return fd;
    if (fchown(fd, old->st_uid, old->st_gid) != 0 && fchown(fd, (uid_t)-1, old->st_gid) != 0) errno = 0;
    fchmod(fd, old->st_mode & 07777); /* after the change of owner, which clears bits */
    return fd;
}

bool output_open(output *o, const char *path)
{
    *o = (output){0};
    if (!path || !strcmp(path, "-")) {
        o->file = stdout;
        return true;
    }
    char *real = realpath(path, NULL); /* a link stays a link */
    o->path = real ? real : text_of("%s", path);
    o->sink = allocate(1, sizeof *o->sink);
    struct stat there;
    bool exists = stat(o->path, &there) == 0, in_place = exists && !S_ISREG(there.st_mode);
    if (in_place) {
        o->sink->fd = open(o->path, O_WRONLY | O_CLOEXEC);
    } else {
        o->temporary = text_of("%s.%ld.part", o->path, (long)getpid());
        signals_guard(o->temporary);
        o->sink->fd = open_temporary(o->temporary, exists ? &there : NULL);
    }
    if (o->sink->fd >= 0) o->file = fopencookie(o->sink, "w", (cookie_io_functions_t){.write = sink_write});
    if (o->file) return true;
    complain("cannot write %s: %s", path, strerror(errno));
    output_discard(o);
    return false;
}

bool output_possible(const char *path)
{
    if (!strcmp(path, "-")) return true;
    struct stat there;
    const char *slash = strrchr(path, '/');
    char *folder = slash == path ? text_of("/") : slash ? text_of("%.*s", (int)(slash - path), path) : text_of(".");
    bool good = false;
    if (stat(path, &there) == 0 && S_ISDIR(there.st_mode))
        errno = EISDIR;
    else
        good = access(folder, W_OK | X_OK) == 0 || (stat(path, &there) == 0 && access(path, W_OK) == 0);
    if (!good) complain("cannot write %s: %s", path, strerror(errno));
    free(folder);
    return good;
}

bool output_same_file(const char *a, const char *b)
{
    struct stat one, two;
    return stat(a, &one) == 0 && stat(b, &two) == 0 && S_ISREG(one.st_mode) && one.st_dev == two.st_dev &&
           one.st_ino == two.st_ino;
}

bool output_failed(const output *o) { return ferror(o->file) || (o->sink && o->sink->error); }

/* Syncs and renames the file; otherwise errno of the failure. */
static int finish(output *o)
{
    if (fflush(o->file) != 0 || output_failed(o)) return o->sink->error ? o->sink->error : EIO;
    if (o->temporary && fsync(o->sink->fd) != 0) return errno;
    if (fclose(o->file) != 0) {
        o->file = NULL;
        return errno;
    }
    o->file = NULL;
    int fd = o->sink->fd;
    o->sink->fd = -1;
    if (close(fd) != 0) return errno;
    if (!o->temporary) return 0;
    if (rename(o->temporary, o->path) != 0) return errno;
    signals_forget(o->temporary);
    free(o->temporary);
    o->temporary = NULL;
    return 0;
}

bool output_keep(output *o)
{
    if (o->file == stdout) return true; /* checked at exit */
    int why = finish(o);
    if (why) complain("cannot write %s: %s", o->path, strerror(why));
    output_discard(o);
    return !why;
}

void output_discard(output *o)
{
    if (o->file && o->file != stdout) fclose(o->file);
    if (o->sink && o->sink->fd >= 0) close(o->sink->fd);
    if (o->temporary) {
        unlink(o->temporary);
        signals_forget(o->temporary);
    }
    free(o->temporary);
    free(o->path);
    free(o->sink);
    *o = (output){0};
}

/* ---- standard output ---- */

/* A stream does not keep the reason of a failure; writing to the same file again shows it. */
static int why_stdout_fails(void) { return write(STDOUT_FILENO, "\n", 1) < 0 ? errno : 0; }

bool stdout_close(void)
{
    errno = 0;
    bool good = !ferror(stdout);
    int why = good ? 0 : why_stdout_fails();
    if (fflush(stdout) != 0 && !why) good = false, why = errno;
    if (fclose(stdout) != 0 && !why) good = false, why = errno;
    /* A reader that stopped reading (head) needs no message; other failures do. */
    if (!good && why != EPIPE) complain("cannot write standard output: %s", why ? strerror(why) : "write failed");
    return good;
}
