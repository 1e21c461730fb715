# SPDX-License-Identifier: BSD-3-Clause
"""Types of arguments that many functions share."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from typing_extensions import Self

    Function = TypeVar("Function", bound=Callable[..., Any])

    def available_if(check: Callable[[Any], bool]) -> Callable[[Function], Function]: ...
else:
    from sklearn.utils.metaestimators import available_if

    Self = Any


class Table(Protocol):
    """A data frame or a sparse matrix."""

    @property
    def shape(self) -> tuple[int, ...]: ...


Rows = ArrayLike | Table
Labels = ArrayLike | Sequence[Any] | Table
Order = Sequence[Any] | ArrayLike | None
Columns = str | int | Sequence[str] | Sequence[int] | Mapping[Any, str]
Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]

__all__ = ["ArrayLike", "Columns", "Labels", "Order", "Path", "Rows", "Self", "Table", "available_if"]
