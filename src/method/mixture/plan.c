// SPDX-License-Identifier: BSD-3-Clause
#include "method/mixture/plan.h"

/* Kernels cost the cube of the labels up to 600, above it labels times landmarks squared; trees cost labels times
 * columns. */
/* clang-format off */
static const mixture_plan plans[] = {
    /* labels, screen, landmarks, kernel rows, folds, whole grid in folds, nominal trees, random trees */
    {80, 0, 0, 0, 10, true, true, true}, /* every label counts, and nothing is dear yet */
    {150, 0, 0, 0, 5, true, true, true},        {300, 0, 0, 0, 5, false, true, true},
    {600, 300, 0, 0, 5, false, true, true},     {2000, 300, 400, 0, 5, false, true, true},
    {20000, 600, 400, 0, 1, false, true, true}, {INT64_MAX, 600, 400, 20000, 1, false, false, false},
};
/* clang-format on */
enum { PLANS = sizeof plans / sizeof *plans };

/* Another effort is the plan of four times fewer or more labels. */
const mixture_plan *mixture_plan_for(effort_level effort, int64_t labels)
{
    double as = (double)labels * (effort == EFFORT_QUICK ? 4 : effort == EFFORT_THOROUGH ? 0.25 : 1);
    int i = 0;
    while (i + 1 < PLANS && as > (double)plans[i].labels) i++;
    return &plans[i];
}
