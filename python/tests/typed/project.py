# SPDX-License-Identifier: BSD-3-Clause
"""A small project that uses rung. test_types.py has type checkers read it; what they must infer stands beside it."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray
from typing_extensions import assert_type

import rung
from rung import KDLOR, AutoOrdinal, OrdinalSearch, metrics

X, y = rung.generate("toy", rows=300, unlabelled=0.8)
assert_type(X, NDArray[np.float64])

model = KDLOR(gamma="1/d", class_weight={1: 2.0}, verbose=True).fit(X, y, sample_weight=np.ones(300))
assert_type(model, KDLOR)
assert_type(model.predict(X), NDArray[Any])
assert_type(model.predict_proba(X.tolist()), NDArray[np.float64])
assert_type(model.score_samples(X), NDArray[np.float64])
assert_type(model.score(X, y), float)
assert_type(model.classes_, NDArray[Any])
assert_type(model.cv_, dict[str, float] | None)
assert_type(model.describe(), dict[str, Any])
assert_type(KDLOR.as_published(), KDLOR)
assert_type(AutoOrdinal(order=["low", "high"]).fit(X, ["low", None]).predict_interval(X, level=0.8), NDArray[Any])
assert_type(rung.KPCA().fit(X).transform(X), NDArray[np.float64])
assert_type(rung.KRR().fit(X, y).predict(X), NDArray[np.float64])
assert_type(rung.OrdinalClassifier("svorim", params={"C": 1}).fit(X, y), rung.OrdinalClassifier)

search = OrdinalSearch(["kdlor", "svorim"], grid={"gamma": [0.1, 1]}, nested=True).fit(X, y, groups=y)
assert_type(search.best_method_, str)
assert_type(search.best_params_, dict[str, Any])
assert_type(rung.label_curve(X, y, "kdlor", repeats=3), dict[str, Any])

assert_type(metrics.mae(y, model.predict(X)), float)
assert_type(metrics.qkappa([1, 2, None], [1, 2, 2], order=[1, 2, 3]), float)
assert_type(metrics.rps(y, model.predict_proba(X)), float)
assert_type(metrics.report(y, model.predict(X)), dict[str, float])
assert_type(metrics.scorer("mae")(model, X, y), float)

assert_type(rung.plot_confusion(y, model.predict(X)), Axes)
assert_type(rung.plot_boundary(model, X, y, columns=(0, 1)), Axes)
for train, test in rung.SemiSupervisedKFold(5).split(X, y):
    assert_type(train, NDArray[np.intp])
rung.save(model, "model.rung")

predict = rung.predict_partitions(model, proba=True, keep=["id"])
assert_type(predict, rung.PartitionPredictor)
assert_type(rung.predict_partitions("model.rung").schema(), str)
rows: Any = None
assert_type(rung.predict_partitions(rows, model, interval=0.9), Any)
rung.fit_files("parts/*.csv", KDLOR(landmarks=100), label="grade", ignore=["id"], ordinal={"size": ["s", "m"]})
