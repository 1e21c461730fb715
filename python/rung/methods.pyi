# SPDX-License-Identifier: BSD-3-Clause
# Made from the table of methods by `python -m rung._stubs python/rung/methods.pyi`; do not edit.
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.random import RandomState
from numpy.typing import ArrayLike

from . import _base

CLASSES: dict[str, type[_base.Estimator]]

class OrdinalClassifier(_base.ByName, _base.Weighted, _base.Classifier):
    """Any method, by name, for classes."""

    def __init__(
        self,
        method: str = 'auto',
        *,
        params: Mapping[str, Any] | None = None,
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost: str | ArrayLike | None = None,
        baseline: bool = False,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class OrdinalRegressor(_base.ByName, _base.Unweighted, _base.Regressor):
    """A method that supports real targets, by name."""

    def __init__(
        self,
        method: str = 'krr',
        *,
        params: Mapping[str, Any] | None = None,
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class KDA(_base.Projection, _base.Weighted, _base.Classifier):
    """Kernel discriminant analysis."""

    def __init__(
        self,
        *,
        kernel: Literal['rbf', 'linear', 'poly', 'laplacian', 'ard', 'precomputed'] = 'rbf',
        gamma: float | str = 'auto',
        width: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        precisions: str | Sequence[float] | None = None,
        landmarks: int | str = 'auto',
        ridge: float = 0.01,
        ridge_kind: Literal['kernel', 'identity'] = 'kernel',
        components: int = 0,
        calibrate: int | str = 'auto',
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost: str | ArrayLike | None = None,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class SKDA(_base.Projection, _base.Weighted, _base.Classifier):
    """Semi-supervised kernel discriminant analysis."""

    def __init__(
        self,
        *,
        kernel: Literal['rbf', 'linear', 'poly', 'laplacian', 'ard', 'precomputed'] = 'rbf',
        gamma: float | str = 'auto',
        width: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        precisions: str | Sequence[float] | None = None,
        landmarks: int | str = 'auto',
        ridge: float = 0.01,
        ridge_kind: Literal['kernel', 'identity'] = 'kernel',
        components: int = 0,
        calibrate: int | str = 'auto',
        mu: float = 0.1,
        neighbours: int = 5,
        graph_norm: Literal['plain', 'normalised'] = 'plain',
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost: str | ArrayLike | None = None,
        baseline: bool = False,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class KDLOR(_base.Weighted, _base.Classifier):
    """Kernel discriminant learning for ordinal regression."""

    def __init__(
        self,
        *,
        kernel: Literal['rbf', 'linear', 'poly', 'laplacian', 'ard', 'precomputed'] = 'rbf',
        gamma: float | str = 'auto',
        width: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        precisions: str | Sequence[float] | None = None,
        landmarks: int | str = 'auto',
        C: float = 1.0,
        ridge: float = 0.01,
        ridge_kind: Literal['kernel', 'identity'] = 'kernel',
        thresholds: Literal['recalibrated', 'midpoint', 'weighted'] = 'recalibrated',
        calibrate: int | str = 5,
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost: str | ArrayLike | None = None,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class WSDL(_base.Unweighted, _base.Classifier):
    """Discriminant learning weighted by spread labels."""

    def __init__(
        self,
        *,
        kernel: Literal['rbf', 'linear', 'poly', 'laplacian', 'ard', 'precomputed'] = 'rbf',
        gamma: float | str = 'auto',
        width: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        precisions: str | Sequence[float] | None = None,
        landmarks: int | str = 'auto',
        C: float = 1.0,
        ridge: float = 0.01,
        ridge_kind: Literal['kernel', 'identity'] = 'kernel',
        thresholds: Literal['recalibrated', 'midpoint', 'weighted'] = 'recalibrated',
        spread: float = 0.99,
        spread_width: float | str = 'auto',
        neighbours: int | str = 'auto',
        calibrate: int | str = 5,
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        cost: str | ArrayLike | None = None,
        baseline: bool = False,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class SDL(_base.Weighted, _base.Classifier):
    """Semi-supervised discriminant learning for ordinal regression."""

    def __init__(
        self,
        *,
        kernel: Literal['rbf', 'linear', 'poly', 'laplacian', 'ard', 'precomputed'] = 'rbf',
        gamma: float | str = 'auto',
        width: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        precisions: str | Sequence[float] | None = None,
        landmarks: int | str = 'auto',
        C: float = 1.0,
        ridge: float = 0.01,
        ridge_kind: Literal['kernel', 'identity'] = 'kernel',
        thresholds: Literal['recalibrated', 'midpoint', 'weighted'] = 'recalibrated',
        mu: float | str = 0.1,
        neighbours: int = 5,
        graph_norm: Literal['plain', 'normalised'] = 'plain',
        calibrate: int | str = 5,
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost: str | ArrayLike | None = None,
        baseline: bool = False,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class CESDL(_base.Weighted, _base.Classifier):
    """Discriminant learning with a graph in the empirical feature space."""

    def __init__(
        self,
        *,
        kernel: Literal['rbf', 'linear', 'poly', 'laplacian', 'ard', 'precomputed'] = 'rbf',
        gamma: float | str = 'auto',
        width: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        precisions: str | Sequence[float] | None = None,
        landmarks: int | str = 'auto',
        C: float = 1.0,
        ridge: float = 0.01,
        ridge_kind: Literal['kernel', 'identity'] = 'kernel',
        thresholds: Literal['recalibrated', 'midpoint', 'weighted'] = 'recalibrated',
        mu: float | str = 0.1,
        neighbours: int = 5,
        graph_norm: Literal['plain', 'normalised'] = 'plain',
        calibrate: int | str = 5,
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost: str | ArrayLike | None = None,
        baseline: bool = False,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class ESDL(_base.Weighted, _base.Classifier):
    """Discriminant learning with a graph in the reduced empirical feature space."""

    def __init__(
        self,
        *,
        kernel: Literal['rbf', 'linear', 'poly', 'laplacian', 'ard', 'precomputed'] = 'rbf',
        gamma: float | str = 'auto',
        width: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        precisions: str | Sequence[float] | None = None,
        landmarks: int | str = 'auto',
        C: float = 1.0,
        ridge: float = 0.01,
        ridge_kind: Literal['kernel', 'identity'] = 'kernel',
        thresholds: Literal['recalibrated', 'midpoint', 'weighted'] = 'recalibrated',
        mu: float | str = 0.1,
        neighbours: int = 5,
        graph_norm: Literal['plain', 'normalised'] = 'plain',
        rank: float = 0.5,
        calibrate: int | str = 5,
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost: str | ArrayLike | None = None,
        baseline: bool = False,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class KESDL(_base.Weighted, _base.Classifier):
    """ES-DL with kernel widths learned by alignment."""

    def __init__(
        self,
        *,
        kernel: Literal['rbf', 'linear', 'poly', 'laplacian', 'ard', 'precomputed'] = 'rbf',
        gamma: float | str = 'auto',
        width: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        precisions: str | Sequence[float] | None = None,
        landmarks: int | str = 'auto',
        C: float = 1.0,
        ridge: float = 0.01,
        ridge_kind: Literal['kernel', 'identity'] = 'kernel',
        thresholds: Literal['recalibrated', 'midpoint', 'weighted'] = 'recalibrated',
        mu: float | str = 0.1,
        neighbours: int = 5,
        graph_norm: Literal['plain', 'normalised'] = 'plain',
        rank: float = 0.5,
        align_iterations: int = 60,
        centred: Literal['no', 'yes'] = 'no',
        calibrate: int | str = 5,
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost: str | ArrayLike | None = None,
        baseline: bool = False,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class LDA(_base.Projection, _base.Weighted, _base.Classifier):
    """Linear discriminant analysis."""

    def __init__(
        self,
        *,
        components: int = 1,
        ridge: float = 0.001,
        calibrate: int | str = 'auto',
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost: str | ArrayLike | None = None,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class LPP(_base.Projection, _base.Unsupervised, _base.Classifier):
    """Locality preserving projection."""

    def __init__(
        self,
        *,
        components: int = 1,
        neighbours: int = 10,
        ridge: float = 0.001,
        calibrate: int | str = 'auto',
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        cost: str | ArrayLike | None = None,
        baseline: bool = False,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class NPE(_base.Projection, _base.Unsupervised, _base.Classifier):
    """Neighbourhood preserving embedding."""

    def __init__(
        self,
        *,
        components: int = 1,
        neighbours: int = 10,
        ridge: float = 0.001,
        calibrate: int | str = 'auto',
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        cost: str | ArrayLike | None = None,
        baseline: bool = False,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class ISOPROJ(_base.Projection, _base.Unsupervised, _base.Classifier):
    """Isometric projection."""

    def __init__(
        self,
        *,
        components: int = 1,
        neighbours: int = 10,
        ridge: float = 0.001,
        calibrate: int | str = 'auto',
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        cost: str | ArrayLike | None = None,
        baseline: bool = False,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class ORML(_base.Unweighted, _base.Classifier):
    """Ordinal regression via manifold learning."""

    def __init__(
        self,
        *,
        kernel: Literal['rbf', 'linear', 'poly', 'laplacian', 'ard', 'precomputed'] = 'rbf',
        gamma: float | str = 'auto',
        width: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        precisions: str | Sequence[float] | None = None,
        landmarks: int | str = 'auto',
        neighbours: int = 10,
        ridge: float = 0.1,
        thresholds: Literal['recalibrated', 'midpoint', 'weighted'] = 'recalibrated',
        C: float = 1.0,
        calibrate: int | str = 5,
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        cost: str | ArrayLike | None = None,
        baseline: bool = False,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class MLDA(_base.Projection, _base.Weighted, _base.Classifier):
    """Multilinear discriminant analysis."""

    def __init__(
        self,
        *,
        shape: str | Sequence[float] | None = None,
        ridge: float = 0.001,
        sweeps: int = 10,
        calibrate: int | str = 'auto',
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost: str | ArrayLike | None = None,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class TLPP(_base.Projection, _base.Unsupervised, _base.Classifier):
    """Tensor locality preserving projection."""

    def __init__(
        self,
        *,
        shape: str | Sequence[float] | None = None,
        neighbours: int = 10,
        ridge: float = 0.001,
        sweeps: int = 10,
        calibrate: int | str = 'auto',
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        cost: str | ArrayLike | None = None,
        baseline: bool = False,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class TNPE(_base.Projection, _base.Unsupervised, _base.Classifier):
    """Tensor neighbourhood preserving embedding."""

    def __init__(
        self,
        *,
        shape: str | Sequence[float] | None = None,
        neighbours: int = 10,
        ridge: float = 0.001,
        sweeps: int = 10,
        calibrate: int | str = 'auto',
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        cost: str | ArrayLike | None = None,
        baseline: bool = False,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class MIE(_base.Projection, _base.Unsupervised, _base.Classifier):
    """Multilinear isometric embedding."""

    def __init__(
        self,
        *,
        shape: str | Sequence[float] | None = None,
        neighbours: int = 10,
        ridge: float = 0.001,
        sweeps: int = 10,
        calibrate: int | str = 'auto',
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        cost: str | ArrayLike | None = None,
        baseline: bool = False,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class ORMLM(_base.Projection, _base.Unweighted, _base.Classifier):
    """Ordinal regression via manifold learning, multilinear."""

    def __init__(
        self,
        *,
        shape: str | Sequence[float] | None = None,
        neighbours: int = 10,
        ridge: float = 0.1,
        thresholds: Literal['recalibrated', 'midpoint', 'weighted'] = 'recalibrated',
        C: float = 1.0,
        sweeps: int = 30,
        tolerance: float = 1e-08,
        starts: int = 1,
        calibrate: int | str = 5,
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        cost: str | ArrayLike | None = None,
        baseline: bool = False,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class KRR(_base.Unweighted, _base.Regressor):
    """Kernel ridge regression."""

    def __init__(
        self,
        *,
        kernel: Literal['rbf', 'linear', 'poly', 'laplacian', 'ard', 'precomputed'] = 'rbf',
        gamma: float | str = 'auto',
        width: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        precisions: str | Sequence[float] | None = None,
        landmarks: int | str = 'auto',
        lambda_: float | str = 0.1,
        lambda_kind: Literal['relative', 'absolute'] = 'relative',
        centre: Literal['yes', 'no'] = 'yes',
        thresholds: Literal['recalibrated', 'midpoint'] = 'recalibrated',
        calibrate: int | str = 5,
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class KPCA(_base.Projection, _base.Unsupervised, _base.Classifier):
    """Kernel principal components; nearest class mean."""

    def __init__(
        self,
        *,
        kernel: Literal['rbf', 'linear', 'poly', 'laplacian', 'ard', 'precomputed'] = 'rbf',
        gamma: float | str = 'auto',
        width: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        precisions: str | Sequence[float] | None = None,
        landmarks: int | str = 'auto',
        lambda_: float | str = 0.1,
        lambda_kind: Literal['relative', 'absolute'] = 'relative',
        components: int = 2,
        calibrate: int | str = 'auto',
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        cost: str | ArrayLike | None = None,
        baseline: bool = False,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class OT(_base.Projection, _base.Unsupervised, _base.Classifier):
    """Optimal target vector: semi-supervised kernel principal components."""

    def __init__(
        self,
        *,
        kernel: Literal['rbf', 'linear', 'poly', 'laplacian', 'ard', 'precomputed'] = 'rbf',
        gamma: float | str = 'auto',
        width: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        precisions: str | Sequence[float] | None = None,
        landmarks: int | str = 'auto',
        lambda_: float | str = 0.1,
        lambda_kind: Literal['relative', 'absolute'] = 'relative',
        norm: Literal['auto', 'labelled', 'free'] = 'auto',
        balance: Literal['yes', 'no'] = 'yes',
        components: int = 1,
        thresholds: Literal['recalibrated', 'midpoint'] = 'recalibrated',
        calibrate: int | str = 5,
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        cost: str | ArrayLike | None = None,
        baseline: bool = False,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class TLD(_base.Unweighted, _base.Regressor):
    """Transductive linear discrimination (a reconstruction)."""

    def __init__(
        self,
        *,
        kernel: Literal['rbf', 'linear', 'poly', 'laplacian', 'ard', 'precomputed'] = 'rbf',
        gamma: float | str = 'auto',
        width: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        precisions: str | Sequence[float] | None = None,
        lambda_: float = 1.0,
        lambda_star: float = 0.1,
        thresholds: Literal['recalibrated', 'midpoint'] = 'recalibrated',
        calibrate: int | str = 5,
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class SOSVM(_base.Weighted, _base.Classifier):
    """Semi-supervised ordinal support vector machine."""

    def __init__(
        self,
        *,
        kernel: Literal['rbf', 'linear', 'poly', 'laplacian', 'ard', 'precomputed'] = 'rbf',
        gamma: float | str = 'auto',
        width: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        precisions: str | Sequence[float] | None = None,
        landmarks: int | str = 'auto',
        lambda1: float = 1.0,
        lambda2: float = 1.0,
        lambda3: float = 0.1,
        omega: float = 0.5,
        novel: float = 0.9,
        neighbours: int = 6,
        graph: Literal['gaussian', 'binary', 'linear'] = 'gaussian',
        graph_width: float | str = 'auto',
        pairs: Literal['adjacent', 'consecutive', 'skip'] = 'adjacent',
        scale_norm: Literal['mean', 'none'] = 'mean',
        evaluate: Literal['all', 'labelled'] = 'all',
        tolerance: float = 1e-08,
        calibrate: int | str = 'auto',
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost: str | ArrayLike | None = None,
        baseline: bool = False,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class LAPSVM(_base.Weighted, _base.Classifier):
    """Laplacian support vector machine, one class against the rest."""

    def __init__(
        self,
        *,
        kernel: Literal['rbf', 'linear', 'poly', 'laplacian', 'ard', 'precomputed'] = 'rbf',
        gamma: float | str = 'auto',
        width: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        precisions: str | Sequence[float] | None = None,
        landmarks: int | str = 'auto',
        C: float = 1.0,
        mu: float = 0.1,
        bias: Literal['kernel', 'free'] = 'kernel',
        neighbours: int = 6,
        graph: Literal['gaussian', 'binary', 'linear'] = 'gaussian',
        graph_width: float | str = 'auto',
        tolerance: float = 1e-08,
        calibrate: int | str = 'auto',
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost: str | ArrayLike | None = None,
        baseline: bool = False,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class SVORIM(_base.Weighted, _base.Classifier):
    """Support vector ordinal regression, implicit constraints."""

    def __init__(
        self,
        *,
        kernel: Literal['rbf', 'linear', 'poly', 'laplacian', 'ard', 'precomputed'] = 'rbf',
        gamma: float | str = 'auto',
        width: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        precisions: str | Sequence[float] | None = None,
        landmarks: int | str = 'auto',
        C: float = 1.0,
        tolerance: float = 0.001,
        diagonal: float = 0.0,
        calibrate: int | str = 'auto',
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost: str | ArrayLike | None = None,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class SVOREX(_base.Weighted, _base.Classifier):
    """Support vector ordinal regression, explicit constraints."""

    def __init__(
        self,
        *,
        kernel: Literal['rbf', 'linear', 'poly', 'laplacian', 'ard', 'precomputed'] = 'rbf',
        gamma: float | str = 'auto',
        width: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        precisions: str | Sequence[float] | None = None,
        landmarks: int | str = 'auto',
        C: float = 1.0,
        tolerance: float = 0.001,
        diagonal: float = 0.0,
        calibrate: int | str = 'auto',
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost: str | ArrayLike | None = None,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class ISVOR(_base.Weighted, _base.Classifier):
    """Incremental support vector ordinal regression."""

    def __init__(
        self,
        *,
        kernel: Literal['rbf', 'linear', 'poly', 'laplacian', 'ard', 'precomputed'] = 'rbf',
        gamma: float | str = 'auto',
        width: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        precisions: str | Sequence[float] | None = None,
        landmarks: int | str = 'auto',
        C: float = 1.0,
        tolerance: float = 0.001,
        diagonal: float = 0.0,
        calibrate: int | str = 'auto',
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost: str | ArrayLike | None = None,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class PLP(_base.Unweighted, _base.Classifier):
    """Probabilistic label propagation with a novel class."""

    def __init__(
        self,
        *,
        novel: float = 0.9,
        neighbours: int = 6,
        graph: Literal['gaussian', 'binary', 'linear'] = 'gaussian',
        graph_width: float | str = 'auto',
        calibrate: int | str = 'auto',
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        cost: str | ArrayLike | None = None,
        baseline: bool = False,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class LLGC(_base.Unweighted, _base.Classifier):
    """Label spreading with local and global consistency."""

    def __init__(
        self,
        *,
        spread: float = 0.99,
        spread_width: float | str = 'auto',
        neighbours: int = 10,
        decision: Literal['argmax', 'median'] = 'argmax',
        calibrate: int | str = 'auto',
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        cost: str | ArrayLike | None = None,
        baseline: bool = False,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class SBOR(_base.Unweighted, _base.Classifier):
    """Sparse Bayesian ordinal regression, batch form."""

    def __init__(
        self,
        *,
        kernel: Literal['rbf', 'linear', 'poly', 'laplacian', 'ard', 'precomputed'] = 'rbf',
        gamma: float | str = 'auto',
        width: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        precisions: str | Sequence[float] | None = None,
        max_iterations: int = 500,
        alpha0: float = 0.001,
        prune: float = 1000000.0,
        tolerance: float = 0.0001,
        calibrate: int | str = 'auto',
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        cost: str | ArrayLike | None = None,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class ISBOR(_base.Unweighted, _base.Classifier):
    """Incremental sparse Bayesian ordinal regression."""

    def __init__(
        self,
        *,
        kernel: Literal['rbf', 'linear', 'poly', 'laplacian', 'ard', 'precomputed'] = 'rbf',
        gamma: float | str = '1/d',
        width: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        precisions: str | Sequence[float] | None = None,
        tolerance: float | str = 'auto',
        max_iterations: int = 1000,
        candidates: int = 100,
        decision: Literal['interval', 'argmax'] = 'interval',
        calibrate: int | str = 'auto',
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        cost: str | ArrayLike | None = None,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class GPOR(_base.Unweighted, _base.Classifier):
    """Gaussian process ordinal regression."""

    def __init__(
        self,
        *,
        kernel: Literal['rbf', 'linear', 'poly', 'laplacian', 'ard', 'precomputed'] = 'rbf',
        gamma: float | str = 'auto',
        width: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        precisions: str | Sequence[float] | None = None,
        inference: Literal['laplace', 'ep'] = 'laplace',
        ard: Literal['no', 'yes'] = 'no',
        noise_floor: float = 0.02,
        starts: int = 1,
        max_iterations: int = 1000,
        calibrate: int | str = 'auto',
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        cost: str | ArrayLike | None = None,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class POM(_base.Weighted, _base.Classifier):
    """Proportional odds model: the linear baseline."""

    def __init__(
        self,
        *,
        link: Literal['logit', 'probit'] = 'logit',
        ridge: float = 0.001,
        calibrate: int | str = 'auto',
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost: str | ArrayLike | None = None,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class BOOST(_base.Weighted, _base.Classifier):
    """Ordinal boosted trees."""

    def __init__(
        self,
        *,
        link: Literal['ordinal', 'nominal'] = 'ordinal',
        rounds: int | str = 'auto',
        rate: float | str = 'auto',
        leaves: int | str = 'auto',
        min_rows: int | str = 'auto',
        l2: float | str = 'auto',
        rows: float | str = 'auto',
        columns: float | str = 'auto',
        seeds: int | str = 'auto',
        monotone: str | Sequence[float] | None = None,
        calibrate: int | str = 5,
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost: str | ArrayLike | None = None,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class CKR(_base.Weighted, _base.Classifier):
    """Cumulative kernel ridge with closed-form leave-one-out."""

    def __init__(
        self,
        *,
        kernel: Literal['rbf', 'linear', 'poly', 'laplacian', 'ard', 'precomputed'] = 'rbf',
        gamma: float | str = 'auto',
        width: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        precisions: str | Sequence[float] | None = None,
        landmarks: int | str = 'auto',
        ridge: float | str = 'auto',
        mu: float = 0.0,
        neighbours: int = 10,
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost: str | ArrayLike | None = None,
        baseline: bool = False,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class OGP(_base.Weighted, _base.Classifier):
    """Ordinal probit Gaussian process, averaged over its widths and variances."""

    def __init__(
        self,
        *,
        features: Literal['standard', 'rank', 'both'] = 'both',
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost: str | ArrayLike | None = None,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class MEDIAN(_base.Weighted, _base.Classifier):
    """Constant median: the baseline."""

    def __init__(
        self,
        *,
        calibrate: int | str = 'auto',
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost: str | ArrayLike | None = None,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class AutoOrdinal(_base.Weighted, _base.Classifier):
    """Average of models weighted by their performance on rows left out: the default."""

    def __init__(
        self,
        *,
        effort: Literal['quick', 'normal', 'thorough'] = 'normal',
        trees: Literal['without', 'with'] = 'with',
        relevance: Literal['without', 'with'] = 'with',
        temper: Literal['without', 'with'] = 'with',
        copies: Literal['without', 'with'] = 'with',
        scale: Literal['standard', 'minmax', 'rank', 'relevance', 'none'] = 'standard',
        missing: Literal['median', 'error'] = 'median',
        order: Sequence[Any] | None = None,
        unlabelled: Any = 'auto',
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost: str | ArrayLike | None = None,
        baseline: bool = False,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None: ...

__all__ = [
    'OrdinalClassifier',
    'OrdinalRegressor',
    'KDA',
    'SKDA',
    'KDLOR',
    'WSDL',
    'SDL',
    'CESDL',
    'ESDL',
    'KESDL',
    'LDA',
    'LPP',
    'NPE',
    'ISOPROJ',
    'ORML',
    'MLDA',
    'TLPP',
    'TNPE',
    'MIE',
    'ORMLM',
    'KRR',
    'KPCA',
    'OT',
    'TLD',
    'SOSVM',
    'LAPSVM',
    'SVORIM',
    'SVOREX',
    'ISVOR',
    'PLP',
    'LLGC',
    'SBOR',
    'ISBOR',
    'GPOR',
    'POM',
    'BOOST',
    'CKR',
    'OGP',
    'MEDIAN',
    'AutoOrdinal',
]
