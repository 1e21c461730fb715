# SPDX-License-Identifier: BSD-3-Clause
"""Everything public has a docstring with an example, and the examples are true."""

import ast
import contextlib
import doctest
import inspect
import io
import json
import warnings

import pytest

import rung
from conftest import TREE
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


def ran(source, names):
    """What a cell of a notebook shows as text: what it prints, and its last value."""
    tree, printed, value = ast.parse(source), io.StringIO(), None
    shown = isinstance(tree.body[-1], ast.Expr) and not source.rstrip().endswith(";")
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(tree.body[:-1] if shown else tree.body, []), "cell", "exec"), names)
        if shown:
            value = eval(compile(ast.Expression(tree.body[-1].value), "cell", "eval"), names)
    return printed.getvalue() + ("" if value is None else repr(value))


def test_the_notebook_shows_what_it_computes():
    pytest.importorskip("matplotlib").use("agg")
    cells = json.loads((TREE / "examples/few_labels.ipynb").read_text(encoding="utf-8"))["cells"]
    names = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for cell in (one for one in cells if one["cell_type"] == "code"):
            source, told = "".join(cell["source"]), ran("".join(cell["source"]), names)
            shown = [one.get("text") or one["data"]["text/plain"] for one in cell["outputs"]]
            shown = "".join(line for text in shown for line in text if "<Figure" not in line)
            # dicts are broken over lines by IPython
            assert told.split() == shown.split(), source


def test_values_in_the_page_on_python():
    page = (TREE / "docs/python.md").read_text(encoding="utf-8")
    names, checked = {}, 0
    for line in page.split("```python\n")[1].split("```")[0].splitlines():
        code, _, value = line.partition("# ")
        if value.startswith(("array", "0.")):
            shown = eval(code, names)
            expected = repr(shown) if value.startswith("array") else f"{shown:.3f}"
            assert value.partition(":")[0] == expected
            checked += 1
        elif "save" not in code:
            exec(code, names)
    assert checked == 3
