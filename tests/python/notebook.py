# SPDX-License-Identifier: BSD-3-Clause
"""Runs notebooks from top to bottom; a cell that raises fails:  notebook.py [--update] FILE.ipynb...

--update: the outputs are written back."""

import sys

import nbclient
import nbformat

for path in [word for word in sys.argv[1:] if word != "--update"]:
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # when it was run
    if "--update" in sys.argv:
        nbformat.write(notebook, path)
    print(f"{path}: {sum(cell.cell_type == 'code' for cell in notebook.cells)} cells ran")
