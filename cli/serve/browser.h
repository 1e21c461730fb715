// SPDX-License-Identifier: BSD-3-Clause
#ifndef RUNG_CLI_SERVE_BROWSER_H
#define RUNG_CLI_SERVE_BROWSER_H

/* Opens an address in the browser of the desktop, if there is one. The address contains a secret, and arguments of
 * processes are visible to other users, so the browser is given a private file that leads there. Returns the file, for
 * browser_forget, or NULL. */
char *browser_open(const char *address);
void browser_forget(char *file); /* NULL is fine */

#endif
