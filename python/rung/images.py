# SPDX-License-Identifier: BSD-3-Clause
"""Images for the tensor methods."""

from __future__ import annotations

import os
import pathlib

import numpy as np
from sklearn.utils import Bunch

SUFFIXES = {".png", ".jpg", ".jpeg", ".pgm", ".ppm", ".bmp", ".gif", ".tif", ".tiff", ".webp"}


def read_images(folder: str | os.PathLike[str], *, size: tuple[int, int] | None = None, grey: bool = True) -> Bunch:
    """The images of a folder as rows, labelled by subfolder. Needs Pillow.

    Parameters
    ----------
    folder : path
        One subfolder per class (`folder/2/a.png` has label 2). Images in the folder itself are unlabelled. Files are
        read in the order of their names.
    size : (height, width), default None
        Images are resized to this size. None: all must have the size of the first.
    grey : bool, default True
        Grey values from 0 to 1, so a row is height x width; otherwise red, green, blue: height x width x 3.

    Returns
    -------
    Bunch with data (n, pixels), target (n,) (None = unlabelled; numbers if all labels are), shape for the `shape`
    parameter of the tensor methods, and filenames.

    Examples
    --------
    >>> images = rung.read_images("faces")                              # doctest: +SKIP
    >>> rung.ORMLM(shape=images.shape).fit(images.data, images.target)  # doctest: +SKIP
    """
    try:
        from PIL import Image
    except ImportError:
        raise ImportError("read_images needs Pillow: pip install pillow") from None
    folder = pathlib.Path(folder)
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder} is not a folder")
    paths = sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES and path.is_file())
    if not paths:
        raise FileNotFoundError(f"{folder} holds no image ({', '.join(sorted(SUFFIXES))})")
    rows, shape = [], None
    for path in paths:
        with Image.open(path) as file:
            image = _deep(file) if file.mode.startswith("I") else file.convert("L" if grey else "RGB")
            if size is not None:
                image = image.resize((size[1], size[0]), Image.Resampling.BILINEAR)
            pixels = np.asarray(image, dtype=np.float64) / 255
            if not grey and pixels.ndim == 2:
                pixels = np.repeat(pixels[:, :, None], 3, axis=2)
        if shape is not None and pixels.shape != shape:
            this, first = ("x".join(map(str, size[:2])) for size in (pixels.shape, shape))
            raise ValueError(f"{path} is {this}, {paths[0]} {first}; set size=(height, width)")
        shape = pixels.shape
        rows.append(pixels.ravel())
    labels = [path.relative_to(folder).parts[0] if path.parent != folder else None for path in paths]
    return Bunch(data=np.array(rows), target=_labels_of(labels), shape=shape, filenames=[str(path) for path in paths])


def _deep(image):
    """Grey values of 16 bits, which Pillow would cut off at 255, on the scale of those of 8."""
    from PIL import Image

    return Image.fromarray((np.asarray(image, dtype=np.float64) / 257).astype(np.float32))


def _labels_of(names):
    for kind in (int, float, str):
        try:
            return np.array([None if name is None else kind(name) for name in names], dtype=object)
        except ValueError:
            continue
    raise AssertionError("every name is a text")
