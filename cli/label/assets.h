// SPDX-License-Identifier: BSD-3-Clause
/* The files of the pages, compiled into the command (cmake/assets.cmake): cli/label/page/. */
#ifndef RUNG_CLI_LABEL_ASSETS_H
#define RUNG_CLI_LABEL_ASSETS_H

#include <stddef.h>

typedef struct {
    const char *name; /* of the file; NULL ends the table */
    const unsigned char *bytes;
    size_t size;
} asset;

extern const asset assets[];

#endif
