// SPDX-License-Identifier: BSD-3-Clause
/* A model as a file for programs that do not have this library. */
#ifndef RUNG_EXPORT_EXPORT_H
#define RUNG_EXPORT_EXPORT_H

#include "model/model.h"

/* See rung_model_export. */
rung_status model_export(rung_ctx *ctx, const rung_model *m, const char *target, const rung_export_options *options,
                         char **bytes, int64_t *size);
const char *export_target(int index);

#endif
