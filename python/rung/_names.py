# SPDX-License-Identifier: BSD-3-Clause
"""What classes and columns are called where the library takes text."""

import numbers

import numpy as np


def class_name(label):
    """The name of a class in a model file: whole numbers without a decimal point, as the command line writes them."""
    if isinstance(label, numbers.Real) and not isinstance(label, (bool, np.bool_)):
        return str(int(label)) if label == int(label) else repr(float(label))
    return str(label)


def order_text(classes):
    """The classes as the library reads them: low<mid<high."""
    names = [class_name(label) for label in np.asarray(classes).tolist()]
    return "<".join(name.replace("\\", "\\\\").replace("<", "\\<") for name in names)
