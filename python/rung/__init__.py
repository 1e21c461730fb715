# SPDX-License-Identifier: BSD-3-Clause
"""Ordinal regression with few labels.

>>> import rung
>>> X, y = rung.generate("toy", rows=300, unlabelled=0.8)
>>> model = rung.KDLOR().fit(X, y)
>>> model.predict(X[:3]).shape
(3,)

There is one estimator class per method (`rung.KDLOR`, `rung.ESDL`, `rung.ISBOR`, ...), and
`rung.OrdinalClassifier(method=...)` for any of them. `rung.metrics` has ordinal metrics and scorers; `rung.save` and
`rung.load` use the model files of the command line.
"""

from . import explain, methods, metrics
from ._checks import EXPECTED_FAILED_CHECKS
from ._files import generate, load, save, to_html, to_onnx
from ._fit_files import fit_files
from ._library import DataError, FileError, FormatError, LimitError, NumericError, RungError, RungWarning, __version__
from ._partitions import PartitionPredictor, predict_partitions
from .comparison import compare
from .images import read_images
from .journal import Journal
from .methods import *  # noqa: F403
from .model_selection import SemiSupervisedKFold
from .plots import (
    plot_boundary,
    plot_confusion,
    plot_curve,
    plot_effect,
    plot_importance,
    plot_pair,
    plot_projection,
    plot_reliability,
    plot_row,
)
from .search import OrdinalSearch, label_curve
from .suggestion import Forecast, Suggestion, forecast, suggest

__all__ = [
    "DataError",
    "EXPECTED_FAILED_CHECKS",
    "FileError",
    "Forecast",
    "FormatError",
    "Journal",
    "LimitError",
    "NumericError",
    "OrdinalSearch",
    "PartitionPredictor",
    "RungError",
    "RungWarning",
    "SemiSupervisedKFold",
    "Suggestion",
    "__version__",
    "compare",
    "explain",
    "fit_files",
    "forecast",
    "generate",
    "label_curve",
    "load",
    "metrics",
    "plot_boundary",
    "plot_confusion",
    "plot_curve",
    "plot_effect",
    "plot_importance",
    "plot_pair",
    "plot_projection",
    "plot_reliability",
    "plot_row",
    "predict_partitions",
    "read_images",
    "save",
    "suggest",
    "to_html",
    "to_onnx",
]
__all__ += methods.__all__
