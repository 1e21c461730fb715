# SPDX-License-Identifier: BSD-3-Clause
"""Mistakes a type checker must find, one per line that says `wrong`."""

import rung

rung.KDLOR(gama=1)  # wrong
rung.KDLOR(kernel="nonsense")  # wrong
rung.KDLOR().fit()  # wrong
rung.GPOR(class_weight="balanced")  # wrong
rung.KDLOR().predict_proba([[1.0]]).nonsense  # wrong
rung.metrics.nonsense  # wrong
text: str = rung.metrics.mae([1], [2])  # wrong
rung.save(rung.KDLOR(), 3)  # wrong
