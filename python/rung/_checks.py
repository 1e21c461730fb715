# SPDX-License-Identifier: BSD-3-Clause
"""The checks of scikit-learn's check_estimator that ordinal methods with unlabelled rows cannot meet.

>>> from sklearn.utils.estimator_checks import check_estimator
>>> results = check_estimator(rung.KDLOR(), expected_failed_checks=rung.EXPECTED_FAILED_CHECKS)  # doctest: +SKIP
"""

_WEIGHTS = (
    "a row of weight k is k equal rows, but the check also shuffles the rows, and which of them a fold of the "
    "calibration holds depends on their order; in the same order, or with calibrate=0, it passes, but for trees, which "
    "draw rows, and graphs, in which every row is one"
)
EXPECTED_FAILED_CHECKS = {
    "check_classifiers_train": (
        "the predicted class is usually the median of the probabilities, which need not be the most probable class; "
        "and a projection onto one line, or a constant, cannot separate unordered clusters"
    ),
    "check_sample_weight_equivalence_on_dense_data": _WEIGHTS,
    "check_sample_weight_equivalence_on_sparse_data": _WEIGHTS,
    "check_class_weight_classifiers": (
        "for methods that predict the nearest class mean, class weights change the projection but not that rule"
    ),
    "check_supervised_y_no_nan": "NaN in y marks an unlabelled row, and some methods need no labels",
    "check_decision_proba_consistency": (
        "the probabilities of a latent value depend on its variance, too, which differs from row to row, and far from "
        "the thresholds they level out"
    ),
}
