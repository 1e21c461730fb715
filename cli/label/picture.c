// SPDX-License-Identifier: BSD-3-Clause
/* Pictures. The browser asks by row and column; the name of the file is that of the cell and never comes from outside.
 */
#define _GNU_SOURCE /* realpath */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "label/pages.h"

enum { MOST_BYTES = 64 << 20 };

static const char *type_of(const char *path)
{
    static const char *const types[][2] = {{".png", "image/png"}, {".jpg", "image/jpeg"},  {".jpeg", "image/jpeg"},
                                           {".gif", "image/gif"}, {".webp", "image/webp"}, {".avif", "image/avif"},
                                           {".bmp", "image/bmp"}};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof types / sizeof *types; i++)
        if (!strcasecmp(dot, types[i][0])) return types[i][1];
    return NULL;
}

static bool read_file(const char *path, http_reply *reply)
{
    struct stat there;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool good = fd >= 0 && fstat(fd, &there) == 0 && S_ISREG(there.st_mode) && there.st_size <= MOST_BYTES;
    if (good) {
        reply->size = (size_t)there.st_size;
        reply->body = allocate(reply->size + 1, 1);
        size_t got = 0;
        for (ssize_t n = 1; n > 0 && got < reply->size; got += (size_t)(n > 0 ? n : 0))
            n = read(fd, reply->body + got, reply->size - got);
        reply->size = got;
    }
    if (fd >= 0) close(fd);
    return good;
}

bool pages_picture(const subject *u, int64_t row, int64_t column, http_reply *reply)
{
    if (row < 0 || row >= u->rows || column < 0 || column >= u->columns || u->shown[column] != SHOWN_IMAGE)
        return false;
    char *name = subject_cell(u, row, column);
    char *path = name[0] == '/' ? text_of("%s", name) : text_of("%s/%s", u->folder, name), *real = realpath(path, NULL);
    size_t inside = strlen(u->folder) == 1 ? 0 : strlen(u->folder); /* the folder itself may be / */
    bool good = *name && real && !strncmp(real, u->folder, inside) && real[inside] == '/' && type_of(real) &&
                read_file(real, reply);
    if (good) {
        reply->status = 200;
        reply->type = type_of(real);
    }
    free(name);
    free(path);
    free(real);
    return good;
}
