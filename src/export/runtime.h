// SPDX-License-Identifier: BSD-3-Clause
/* Functions of the exported programs that are always the same, as text (runtime/, page/, made part of the library by
 * cmake/runtime.cmake): sections that begin with //// and a name. @ stands for the prefix of all names. */
#ifndef RUNG_EXPORT_RUNTIME_H
#define RUNG_EXPORT_RUNTIME_H

#include "export/writer.h"

extern const char runtime_model_c_txt[];
extern const char runtime_page_html[], runtime_page_css[], runtime_page_js[];
extern const char runtime_engine_js[], runtime_cells_js[], runtime_answer_js[]; /* without a document */

/* Writes a section with the prefix in its names. */
void write_section(writer *w, const char *text, const char *section, const char *prefix);

#endif
