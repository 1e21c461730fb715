// SPDX-License-Identifier: BSD-3-Clause
/* All unit tests as one program. usage: unit NAME (as fit/verify), or without a name: the list of names.
 * unit_tests.h, which the build writes, has a line UNIT_TEST(name, main function) for each tests/<folder>/t_<module>.c.
 * */
#include <stdio.h>
#include <string.h>

#define UNIT_TEST(name, function) int function(void);
#include "unit_tests.h"
#undef UNIT_TEST

typedef struct {
    const char *name;
    int (*run)(void);
} unit_test;

static const unit_test TESTS[] = {
#define UNIT_TEST(name, function) {name, function},
#include "unit_tests.h"
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof TESTS / sizeof *TESTS; i++) {
        if (argc < 2)
            puts(TESTS[i].name);
        else if (strcmp(argv[1], TESTS[i].name) == 0)
            return TESTS[i].run();
    }
    if (argc > 1) fprintf(stderr, "unit: no test %s; without a name they are listed\n", argv[1]);
    return argc > 1;
}
