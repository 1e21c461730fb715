#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The ONNX model of every method gives rung's predictions in onnxruntime.

    onnx_program.py RUNG [METHOD]...

Every model is exported, checked by onnx and run by onnxruntime: probabilities and scores must be equal to 1e-6, ranks and
intervals too, except where a probability is within 1e-6 of deciding otherwise. Rows that equal labelled ones are left
out where the model knows of such rows, which ONNX cannot. Where dates with cycles are scaled to ranks, the last bit of a
sine decides, and probabilities need only be equal to 0.05."""
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import numpy as np  # noqa: E402
from cases import cases  # noqa: E402
from program import Program, cell  # noqa: E402

try:
    import onnx
    import onnxruntime
except ImportError as missing:
    print(f"needs onnx and onnxruntime from PyPI: {missing}")
    sys.exit(77)

LIMIT = 1e-6


def inputs(program, rows):
    feed = {}
    for j, column in enumerate(program.columns):
        texts = [row[j] for row in rows]
        if column["kind"] in ("category", "ordered"):
            feed[column["name"]] = np.array(texts, dtype=object)[:, None]
        else:
            feed[column["name"]] = np.array([cell(column, t) for t in texts], dtype=float)[:, None]
    return feed


def equal_rows(program, row):
    """Whether the row equals a labelled one."""
    values = program.values(row)
    return any(values[i].sum() > 0 for i, o in enumerate(program.operations) if o["op"] == "equals")


def check(case, folder):
    program = Program.read(case.export(folder / "model.json"))
    path = case.export(folder / "model.onnx")
    onnx.checker.check_model(str(path), full_check=True)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    names = [o.name for o in session.get_outputs()]
    answers = dict(zip(names, session.run(names, inputs(program, case.rows))))
    close, steps = 0, any(o["op"] == "share" for o in program.operations) and "cyclic" in case.name
    for i, row in enumerate(case.rows):
        if equal_rows(program, row):
            continue
        got = {name: list(v[i]) for name, v in answers.items()}
        for name in ("rank", "sd"):
            if name in got:
                got[name] = got[name][0]
        if wrong := case.compare(i, got, 0.05 if steps else LIMIT):
            if ("rank" not in wrong and "interval" not in wrong) or close >= 1:
                return wrong
            close += 1
    return None


def main():
    failed = count = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for case in cases(sys.argv[1], folder, sys.argv[2:]):
            count += 1
            try:
                wrong = check(case, folder)
            except Exception as error:  # of the checker or the runtime: which model it was
                wrong = f"{type(error).__name__}: {str(error)[:300]}"
            if wrong:
                failed += 1
                print(f"{case.name}: {wrong}", flush=True)
    print(f"{count} models, {failed} of them differ; onnx {onnx.__version__}, onnxruntime {onnxruntime.__version__}")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
