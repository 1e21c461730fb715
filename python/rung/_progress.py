# SPDX-License-Identifier: BSD-3-Clause
"""Progress of a fit or a search on standard error: a bar with the time left on a terminal, as the command draws it, a
line every few seconds elsewhere. Short work shows nothing."""

from __future__ import annotations

import math
import sys
import threading
import time

CELLS = 30
BAR_AFTER, BAR_EVERY = 0.5, 0.1  # seconds; sooner it would only flicker
LINE_AFTER, LINE_EVERY = 1.0, 5.0


def _duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{math.ceil(seconds)} s"


class Progress:
    """The library reports its stage to `tell`; `tick` updates the time in between."""

    def __init__(self) -> None:
        self._stage, self._done = "", 0.0
        self._started = self._of_stage = time.monotonic()
        self._shown = 0.0
        self._drawn = False
        self._lock = threading.Lock()

    def tell(self, stage: str, done: float) -> None:
        with self._lock:
            if stage != self._stage:
                self._stage, self._of_stage = stage, time.monotonic()
            self._done = min(max(done, 0.0), 1.0) if done == done else 0.0
        self.tick()

    def tick(self) -> None:
        with self._lock:
            terminal, now = sys.stderr.isatty(), time.monotonic()
            after, every = (BAR_AFTER, BAR_EVERY) if terminal else (LINE_AFTER, LINE_EVERY)
            if not self._stage or now - self._started < after or now - self._shown < every:
                return
            self._shown = now
            if terminal:
                full = int(self._done * CELLS)
                bar = "#" * full + "." * (CELLS - full)
                self._write(f"\r\033[K{self._stage} [{bar}] {100 * self._done:3.0f} %{self._left(now)}")
                self._drawn = True
            else:
                self._write(f"rung: {self._stage}: {100 * self._done:.0f} %{self._left(now)}\n")

    def close(self) -> None:
        """Removes the bar."""
        if self._drawn:
            self._write("\r\033[K")

    def _left(self, now: float) -> str:
        spent = now - self._of_stage
        if 0.02 < self._done < 1:
            return f", about {_duration(spent * (1 - self._done) / self._done)} left"
        return f", {_duration(spent)} so far"

    @staticmethod
    def _write(text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()
