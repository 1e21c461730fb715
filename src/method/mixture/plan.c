// SPDX-License-Identifier: BSD-3-Clause
#include "method/mixture/plan.h"

/* Kernels cost the cube of the labels up to 600, above it labels times landmarks squared; trees cost labels times
 * columns. */
/* clang-format off */
static const mixture_plan plans[] = {
    /* labels, screen, landmarks, kernel rows, folds, whole grid in folds, random trees */
    {80, 0, 0, 0, 10, true, true}, /* every label counts, and nothing is dear yet */
    {150, 0, 0, 0, 5, true, true},        {300, 0, 0, 0, 5, false, true},
    {600, 300, 0, 0, 5, false, true},     {2000, 300, 400, 0, 5, false, true},
    {20000, 600, 400, 0, 1, false, true}, {INT64_MAX, 600, 400, 20000, 1, false, false},
};
/* clang-format on */
enum { PLANS = sizeof plans / sizeof *plans };

/* Another effort is the plan of four times fewer or more labels. */
static double labels_as(effort_level effort, int64_t labels)
{
    return (double)labels * (effort == EFFORT_QUICK ? 4 : effort == EFFORT_THOROUGH ? 0.25 : 1);
}

const mixture_plan *mixture_plan_for(effort_level effort, int64_t labels)
{
    double as = labels_as(effort, labels);
    int i = 0;
    while (i + 1 < PLANS && as > (double)plans[i].labels) i++;
    return &plans[i];
}

/* A tree per class and round: beyond five million rows times classes it would take most of the time of a fit. */
bool mixture_plan_nominal(effort_level effort, int64_t labels, int classes)
{
    static const double MOST = 5e6;
    return classes > 2 && labels_as(effort, labels) * classes <= MOST;
}
