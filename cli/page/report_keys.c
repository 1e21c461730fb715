// SPDX-License-Identifier: BSD-3-Clause
#include "page/report_keys.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *key, *meaning;
} keys[] = {
    {"alignment", "alignment of kernel and labels where each of the two ascents ended"},
    {"alignment_start", "alignment of kernel and labels where each of the two ascents began"},
    {"alpha", "weight of each pair of neighbouring classes in the direction"},
    {"corrected_mae", "cross-validated MAE of the search: the point of the grid for a row is chosen by other rows"},
    {"winner_mae", "cross-validated MAE of the chosen point alone: the smallest of many, and so too small"},
    {"cv_mae_with_graph", "cross-validated MAE with the unlabelled rows"},
    {"cv_mae_without_graph", "cross-validated MAE without the unlabelled rows"},
    {"degenerate", "1: class means coincide, so all pairs have the same weight"},
    {"eigenvalues", "eigenvalues of the components used"},
    {"energy", "training error of the optimal target"},
    {"equal_rows", "share of labelled rows that equal another one in every column"},
    {"equal_prior", "rows that the model counts for beside the labelled rows that a new one equals"},
    {"full_sweeps", "passes over all basis functions"},
    {"gamma", "width parameter of the kernel"},
    {"gap", "duality gap at the end, relative to the objective"},
    {"graph_width", "width of the Gaussian edge weights of the graph"},
    {"hard", "1: hard case of the trust-region problem"},
    {"held_out_loss", "log loss on held-out rows, which chose the number of rounds"},
    {"iterations", "iterations of the solver"},
    {"kernel_rows", "labelled rows that the kernels saw; trees saw all"},
    {"lambda", "ridge penalty used"},
    {"landmark_error", "share of the kernel's trace that the landmarks do not explain"},
    {"landmarks", "rows that represent the kernel"},
    {"leaves", "leaves of each tree"},
    {"left_by_ridge", "share of each component that the ridge regression leaves unexplained"},
    {"log_evidence", "log marginal likelihood of the labels"},
    {"loo", "leave-one-out error at the parameters used"},
    {"log_likelihood", "log likelihood of the labels"},
    {"loo_mae", "leave-one-out MAE"},
    {"loo_mae_supervised", "leave-one-out MAE without the unlabelled rows"},
    {"loo_rps", "leave-one-out ranked probability score"},
    {"mae_repeats", "MAE if new rows repeat old ones as often as labelled rows repeat others"},
    {"mae_unlike", "MAE of held-out rows that equal no labelled one"},
    {"means", "means of the classes on the score"},
    {"median_mae", "MAE of always predicting the median of the labels"},
    {"min_rows", "rows that a leaf needs at least"},
    {"mode", "weights of the columns in the projection, for this mode of the rows"},
    {"mu", "weight of the graph"},
    {"multiplier", "Lagrange multiplier of the length of the target"},
    {"noise", "standard deviation of the noise"},
    {"objective", "value of the objective at the solution"},
    {"path_lambda", "ridge penalties tried"},
    {"path_loo", "leave-one-out error at each of them"},
    {"points", "points of the grid that the search compared"},
    {"polished", "1: the final pass over all basis functions was kept"},
    {"precisions", "weight of each column in the kernel"},
    {"propagation_cv_mae", "cross-validated MAE of label propagation alone, the baseline to beat"},
    {"redundancy", "columns per effective dimension, beyond chance; from 10 on (images) label spreading counts more"},
    {"relevance", "weights of the columns by their relevance for the grades"},
    {"ridge", "ridge penalty used"},
    {"rate", "learning rate"},
    {"rounds", "rounds of boosting"},
    {"seeds", "runs with different seeds that are averaged"},
    {"settled", "1: converged, 0: stopped at the limit of iterations"},
    {"sharpen", "exponent applied to the averaged probabilities; above 1 makes them more certain"},
    {"sigma", "width of the kernel"},
    {"spread_width", "width of the edge weights for label spreading"},
    {"steps", "steps of the search"},
    {"sweeps", "sweeps of the solver"},
    {"undone_steps", "steps undone because they lowered the evidence"},
    {"unlabelled_used", "unlabelled rows used for label spreading"},
    {"weight_frequencies", "weight of the class frequencies"},
    {"weight_processes", "weight of the Gaussian processes"},
    {"weight_rank", "weight of the members on the ranks of the columns"},
    {"weight_ridges", "weight of the cumulative ridge regressions"},
    {"weight_standard", "weight of the members on the scaled columns"},
    {"weight_trees", "weight of the boosted trees"},
    {"weight_unlabelled", "weight of label spreading, which learns from the unlabelled rows"},
};

const char *report_key_meaning(const char *key)
{
    size_t length = strcspn(key, "0123456789"); /* mode1, mode2, ... */
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strlen(keys[i].key) == length && !memcmp(keys[i].key, key, length)) return keys[i].meaning;
    return "";
}
