// SPDX-License-Identifier: BSD-3-Clause
/* The parts of an exported C file that are tables and declarations. */
#ifndef RUNG_EXPORT_C_TABLES_H
#define RUNG_EXPORT_C_TABLES_H

#include "export/target.h"

void c_number(double x, char text[64]); /* a constant of type double */
void c_about(writer *w, const program *p);
void c_declarations(writer *w, const program *p, const char *prefix);
void c_columns(writer *w, const program *p, const char *prefix); /* and the functions that read cells */
/* What the operations refer to: c is an array, t the same with the columns contiguous, i whole numbers; the trees of
 * operation k are roots, nodes, leaves, sets and words k. */
void c_constants(writer *w, const program *p, const char *prefix);
bool trees_have_sets(const program *p, const operation *o);

#endif
