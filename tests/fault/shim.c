// SPDX-License-Identifier: BSD-3-Clause
/* A library to be preloaded: one of the calls by which a program changes files, or reads them, goes wrong.
 *
 *   RUNG_FAULT=KIND:N:PART   the N-th such call (from 1) on a path that contains PART; then all are as they should be
 *   KIND = kill    the process ends before the call
 *          short   a write takes half of the bytes, and says so
 *          enospc eio eintr   the call fails with this errno (eintr: where POSIX lets it)
 *          read-short read-eio read-eintr   the same of opening for reading and of reading
 *   RUNG_FAULT_LOG=FILE      FILE appears when the fault has happened */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_int calls;

#define REAL(name)                                                                                                     \
    ((__typeof__(&name))dlsym(RTLD_NEXT, #name)) /* POSIX lets a pointer to an object become a function */

static bool concerns(const char *path, const char *part) { return path && strstr(path, part) != NULL; }

/* Whether the fault comes now; an errno to fail with, 0: none (kind short). */
static bool strikes(const char *path, bool reads, bool moves_bytes, bool interruptible, int *error)
{
    const char *fault = getenv("RUNG_FAULT");
    char word[16] = "", part[256] = "";
    int number = 0;
    *error = 0;
    if (!fault || sscanf(fault, "%15[^:]:%d:%255s", word, &number, part) != 3 || !concerns(path, part)) return false;
    if (reads != (strncmp(word, "read-", 5) == 0)) return false;
    const char *kind = reads ? word + 5 : word;
    if ((strcmp(kind, "short") == 0 && !moves_bytes) || (strcmp(kind, "eintr") == 0 && !interruptible)) return false;
    if (atomic_fetch_add(&calls, 1) + 1 != number) return false;
    const char *log = getenv("RUNG_FAULT_LOG");
    int fd = log ? REAL(open)(log, O_CREAT | O_WRONLY | O_CLOEXEC, 0600) : -1;
    if (fd >= 0) REAL(close)(fd);
    if (strcmp(kind, "kill") == 0) raise(SIGKILL);
    *error = strcmp(kind, "enospc") == 0  ? ENOSPC
             : strcmp(kind, "eio") == 0   ? EIO
             : strcmp(kind, "eintr") == 0 ? EINTR
                                          : 0;
    return true;
}

static const char *path_of(int fd, char path[512])
{
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, 511);
    path[n > 0 ? n : 0] = 0;
    return path;
}

#define FAIL_FD(fd, moves_bytes, interruptible) FAIL_CALL(fd, false, moves_bytes, interruptible)
#define FAIL_CALL(fd, reads, moves_bytes, interruptible)                                                               \
    char where_[512];                                                                                                  \
    int error_, saved_ = errno;                                                                                        \
    bool now_ = strikes(path_of(fd, where_), reads, moves_bytes, interruptible, &error_);                              \
    errno = saved_;                                                                                                    \
    if (now_ && error_) return errno = error_, -1

#define FAIL_PATH(path)                                                                                                \
    int error_;                                                                                                        \
    if (strikes(path, false, false, false, &error_) && error_) return errno = error_, -1

ssize_t write(int fd, const void *bytes, size_t size)
{
    FAIL_FD(fd, true, true);
    return REAL(write)(fd, bytes, now_ && size > 1 ? size / 2 : size);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at)
{
    FAIL_FD(fd, true, true);
    return REAL(pwrite)(fd, bytes, now_ && size > 1 ? size / 2 : size, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at)
{
    FAIL_FD(fd, true, true);
    return REAL(pwrite64)(fd, bytes, now_ && size > 1 ? size / 2 : size, at);
}

ssize_t read(int fd, void *bytes, size_t size)
{
    FAIL_CALL(fd, true, true, true);
    return REAL(read)(fd, bytes, now_ && size > 1 ? size / 2 : size);
}

ssize_t pread(int fd, void *bytes, size_t size, off_t at)
{
    FAIL_CALL(fd, true, true, true);
    return REAL(pread)(fd, bytes, now_ && size > 1 ? size / 2 : size, at);
}

ssize_t pread64(int fd, void *bytes, size_t size, off64_t at)
{
    FAIL_CALL(fd, true, true, true);
    return REAL(pread64)(fd, bytes, now_ && size > 1 ? size / 2 : size, at);
}

int fsync(int fd)
{
    FAIL_FD(fd, false, false);
    return REAL(fsync)(fd);
}

int fdatasync(int fd)
{
    FAIL_FD(fd, false, false);
    return REAL(fdatasync)(fd);
}

int ftruncate(int fd, off_t size)
{
    FAIL_FD(fd, false, true);
    return REAL(ftruncate)(fd, size);
}

int ftruncate64(int fd, off64_t size)
{
    FAIL_FD(fd, false, true);
    return REAL(ftruncate64)(fd, size);
}

int close(int fd)
{
    FAIL_FD(fd, false, false);
    return REAL(close)(fd);
}

int rename(const char *from, const char *to)
{
    FAIL_PATH(to);
    return REAL(rename)(from, to);
}

int unlink(const char *path)
{
    FAIL_PATH(path);
    return REAL(unlink)(path);
}

static int open_mode(int flags, va_list args) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(args, int) : 0; }

#define OPEN(name)                                                                                                     \
    int name(const char *path, int flags, ...)                                                                         \
    {                                                                                                                  \
        va_list args;                                                                                                  \
        va_start(args, flags);                                                                                         \
        int mode = open_mode(flags, args);                                                                             \
        va_end(args);                                                                                                  \
        int error_;                                                                                                    \
        if (strikes(path, (flags & O_ACCMODE) == O_RDONLY, false, true, &error_) && error_) return errno = error_, -1; \
        return REAL(name)(path, flags, mode);                                                                          \
    }
OPEN(open)
OPEN(open64)

/* A stream reads inside the C library, where no call can be taken over: one that is opened for reading is made of these
 * instead. */
static ssize_t stream_read(void *fd, char *bytes, size_t size) { return read((int)(intptr_t)fd, bytes, size); }

static int stream_seek(void *fd, off64_t *at, int whence)
{
    off64_t now = lseek64((int)(intptr_t)fd, *at, whence);
    if (now >= 0) *at = now;
    return now < 0 ? -1 : 0;
}

static int stream_close(void *fd) { return REAL(close)((int)(intptr_t)fd); }

static FILE *open_stream(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return NULL;
    return fopencookie((void *)(intptr_t)fd, "r",
                       (cookie_io_functions_t){.read = stream_read, .seek = stream_seek, .close = stream_close});
}

FILE *fopen(const char *path, const char *mode)
{
    const char *fault = getenv("RUNG_FAULT");
    bool taken = fault && strncmp(fault, "read-", 5) == 0 && mode[0] == 'r' && !strchr(mode, '+');
    return taken ? open_stream(path) : REAL(fopen)(path, mode);
}

FILE *fopen64(const char *path, const char *mode) { return fopen(path, mode); }
