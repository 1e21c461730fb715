// SPDX-License-Identifier: BSD-3-Clause
/* The names a method reports about its fit (report_number in the library), and what they mean. */
#ifndef RUNG_CLI_PAGE_REPORT_KEYS_H
#define RUNG_CLI_PAGE_REPORT_KEYS_H

const char *report_key_meaning(const char *key); /* "" for a name that is not listed */

#endif
