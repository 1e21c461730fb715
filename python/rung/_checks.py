# SPDX-License-Identifier: BSD-3-Clause
"""The checks of scikit-learn's check_estimator that ordinal methods with unlabelled rows cannot meet.

>>> from sklearn.utils.estimator_checks import check_estimator
>>> results = check_estimator(rung.KDLOR(), expected_failed_checks=rung.EXPECTED_FAILED_CHECKS)  # doctest: +SKIP
"""

_WEIGHTS = (
    "columns are scaled and rows dealt to calibration folds whatever their weight, as unlabelled rows are; a row of "
    "weight 0 is an unlabelled row, not an absent one"
)
EXPECTED_FAILED_CHECKS = {
    "check_classifiers_train": (
        "the predicted class is the method's ordinal decision, mostly the median of the probabilities, which need not "
        "be the most probable class; and projections onto one line, or a constant, cannot part unordered clusters"
    ),
    "check_sample_weight_equivalence_on_dense_data": _WEIGHTS,
    "check_sample_weight_equivalence_on_sparse_data": _WEIGHTS,
    "check_class_weight_classifiers": (
        "with a nearest class mean, class weights change the projection but not the rule that the nearest mean wins"
    ),
    "check_supervised_y_no_nan": "NaN in y marks an unlabelled row, and some methods can do without any label",
} | dict.fromkeys(
    (
        "check_classifiers_one_label_sample_weights",
        "check_sample_weights_list",
        "check_sample_weights_not_an_array",
        "check_sample_weights_not_overwritten",
        "check_sample_weights_pandas_series",
        "check_sample_weights_shape",
    ),
    "OrdinalClassifier alone: it hands weights to its method, and its default, auto, takes none",
)
