/* SPDX-License-Identifier: BSD-3-Clause */
/* A session is the context of the library together with what R wants to know after a call: its warnings and notes,
 * and how it ended. Handles are external pointers that R's garbage collector releases. No function of this package
 * leaves by a jump of R while the library runs, so nothing is left half done. */
#ifndef RUNG_R_SESSION_H
#define RUNG_R_SESSION_H

#define R_NO_REMAP
#define STRICT_R_HEADERS
#include <R.h>
#include <Rinternals.h>
#include <rung/experimental.h>

typedef struct session session;

/* The session of an external pointer that R hands over. */
session *session_of(SEXP handle);
rung_ctx *session_ctx(session *s);

void session_loaded(void); /* once, when the package is loaded */

/* Between the two, Ctrl-C stops the call instead of being kept for later. The status is what the call returned. */
void session_begin(session *s);
void session_end(session *s, rung_status status);
/* For a call too short to be stopped. */
void session_note(session *s, rung_status status);

/* An external pointer whose object the collector releases with the given function. */
typedef void free_fn(void *object);
SEXP handle_new(free_fn *release);
void handle_set(SEXP handle, void *object);
void *handle_get(SEXP handle); /* an error of R where the object is gone */

/* Element of a named list, or R_NilValue. */
SEXP field(SEXP list, const char *name);
/* Text of such an element as UTF-8, NULL: not given. Lives until the .Call returns. */
const char *field_text(SEXP list, const char *name);
int field_int(SEXP list, const char *name, int otherwise);
/* Texts of such an element as a list that ends with NULL; NULL: not given. */
const char *const *field_texts(SEXP list, const char *name);

SEXP text_utf8(const char *text);

#endif
