# SPDX-License-Identifier: BSD-3-Clause
"""Everything public has a docstring with an example, and the examples are true."""

import doctest
import inspect
import warnings

import pytest

import rung
from rung import explain, methods, metrics

PUBLIC = {f"rung.{name}": getattr(rung, name) for name in rung.__all__}
PUBLIC |= {f"rung.metrics.{name}": getattr(metrics, name) for name in metrics.__all__}
PUBLIC |= {f"rung.explain.{name}": getattr(explain, name) for name in explain.__all__}
CALLABLE = {
    name: one
    for name, one in PUBLIC.items()
    if inspect.isfunction(one) or (inspect.isclass(one) and not issubclass(one, Exception))
}
assert len(CALLABLE) > len(methods.CLASSES)


@pytest.mark.parametrize("name", CALLABLE)
def test_example(name, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("agg")
    monkeypatch.chdir(tmp_path)
    doc = inspect.getdoc(CALLABLE[name])
    assert "\nExamples\n--------\n" in doc, doc
    example = doctest.DocTestParser().get_doctest(doc, {"rung": rung}, name, None, None)
    assert example.examples
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rung.RungWarning)
        failed, _ = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example)
    assert not failed
