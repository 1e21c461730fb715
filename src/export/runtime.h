// SPDX-License-Identifier: BSD-3-Clause
/* Functions of the exported programs that are always the same, as text (runtime/, made part of the library by
 * cmake/runtime.cmake): sections that begin with //// and a name. @ stands for the prefix of all names. */
#ifndef RUNG_EXPORT_RUNTIME_H
#define RUNG_EXPORT_RUNTIME_H

#include "export/writer.h"

extern const char runtime_model_c_txt[];

/* Writes a section with the prefix in its names. */
void write_section(writer *w, const char *text, const char *section, const char *prefix);

#endif
