#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the Python layer adds to a fit and a prediction, over the processor time spent in the library.

usage: python_overhead.py [ROWS] [METHOD...]      default: 2000 kdlor s-dl svorim

The two are timed in turn, several times, and the median of the ratios is printed; the library's part is timed inside
the very same fit, around the calls that fit and predict.
"""

import statistics
import sys
import time

import rung
from rung import _library


class Clock:
    """Adds up the time spent in calls of the library that do the work."""

    def __init__(self):
        self.seconds = 0.0
        self.own = {name: getattr(_library.Context, name) for name in ("call", "run")}
        for name, function in self.own.items():
            setattr(_library.Context, name, self.wrapped(function))

    def wrapped(self, function):
        def timed(context, what, *arguments, **options):
            if getattr(what, "is_timed", False):
                return function(context, what, *arguments, **options)

            def inner(*given):
                started = time.process_time()
                status = what(*given)
                self.seconds += time.process_time() - started
                return status

            inner.is_timed = True
            return function(context, inner, *arguments, **options)

        return timed


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    clock = Clock()
    X, y = rung.generate("toy", rows=rows)
    for name in sys.argv[2:] or ["kdlor", "s-dl", "svorim"]:
        ratios = {"fit": [], "predict": []}
        for _ in range(5):
            model = rung.OrdinalClassifier(name)
            for what, call in (("fit", lambda: model.fit(X, y)), ("predict", lambda: model.predict(X))):
                clock.seconds, started = 0.0, time.process_time()
                call()
                whole = time.process_time() - started
                ratios[what].append((whole, whole / clock.seconds - 1))
        for what, pairs in ratios.items():
            seconds, overhead = (statistics.median(column) for column in zip(*pairs))
            print(f"{name:8} {what:8} {rows} rows: {1000 * seconds:9.1f} ms, of which Python {100 * overhead:.2f} %")


if __name__ == "__main__":
    main()
