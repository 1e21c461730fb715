# SPDX-License-Identifier: BSD-3-Clause
"""scikit-learn's own checks of an estimator."""

import collections
import warnings

import pytest
from sklearn.utils.estimator_checks import (
    check_estimator,
    check_sample_weight_equivalence_on_dense_data,
    check_sample_weight_equivalence_on_sparse_data,
)

import rung
from conftest import LONG

CLASSES = [getattr(rung, name) for name in rung.methods.__all__]
failing = collections.defaultdict(set)


@pytest.mark.parametrize("cls", CLASSES if LONG else CLASSES[1::3], ids=lambda cls: cls.__name__)
def test_check_estimator(cls):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(cls(n_jobs=1), on_skip=None, on_fail=None)
    bad = {result["check_name"]: result["exception"] for result in results if result["status"] == "failed"}
    for name in bad:
        failing[name].add(cls.__name__)
    unexpected = {name: repr(why)[:500] for name, why in bad.items() if name not in rung.EXPECTED_FAILED_CHECKS}
    assert not unexpected
    assert len(results) > 40


def test_weights_are_repeated_rows_where_no_folds_are_drawn():
    for model in (rung.POM(calibrate=0), rung.KDLOR(calibrate=0, thresholds="midpoint")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check_sample_weight_equivalence_on_dense_data(type(model).__name__, model)
            check_sample_weight_equivalence_on_sparse_data(type(model).__name__, model)


# Of these every row is one in a graph, or trees draw rows (docs/equal-rows.md).
NO_COUNTS = {"OrdinalClassifier", "AutoOrdinal", "BOOST", "SDL", "CESDL", "ESDL", "KESDL", "SKDA", "SOSVM", "LAPSVM"}


@pytest.mark.parametrize("cls", [c for c in CLASSES if c.__name__ not in NO_COUNTS], ids=lambda cls: cls.__name__)
def test_weights_are_repeated_rows_in_the_same_order(cls, monkeypatch):
    """With folds and calibration: the check without its shuffling of one of the two fits."""
    if "does not support sample_weight" in _refusal_of_weights(cls):
        pytest.skip("takes no weights")
    monkeypatch.setattr("sklearn.utils.estimator_checks.shuffle", lambda *arrays, random_state: arrays)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_sample_weight_equivalence_on_dense_data(cls.__name__, cls(n_jobs=1))


def _refusal_of_weights(cls):
    try:
        cls(n_jobs=1).fit([[0.0], [1.0], [2.0], [3.0]], [1, 2, 1, 2], sample_weight=[1.0, 1.0, 1.0, 2.0])
    except TypeError as why:
        return str(why)
    return ""


@pytest.mark.long
def test_every_expected_failure_occurs():
    assert set(failing) == set(rung.EXPECTED_FAILED_CHECKS)
