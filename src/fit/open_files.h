// SPDX-License-Identifier: BSD-3-Clause
/* The rows of files for a fit: loaded, or read in passes. */
#ifndef RUNG_FIT_OPEN_FILES_H
#define RUNG_FIT_OPEN_FILES_H

#include "fit/method.h"
#include "rows/rows.h"

rung_status open_files(rung_ctx *ctx, const rung_spec *spec, const rung_files *files, const rung_read_options *how,
                       const rung_encode_options *encode, rung_passes passes, rung_data **out);

/* RUNG_EARG: `what` needs all rows, but these are a sample. */
rung_status all_rows_check(rung_ctx *ctx, const rung_data *data, const char *what);

#endif
