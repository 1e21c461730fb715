# SPDX-License-Identifier: BSD-3-Clause
"""Processes that fit together: the library's rung_comm by any object with the interface of mpi4py's communicators."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ._library import RungError, ffi, lib, struct

MOST_BYTES = 2**30  # of one message: MPI counts with 32 bits


class Comm(Protocol):
    """What rung uses of mpi4py's communicators; a buffer is an array of NumPy."""

    @property
    def rank(self) -> int: ...
    @property
    def size(self) -> int: ...
    def Allreduce(self, sendbuf: Any, recvbuf: Any) -> Any: ...
    def Bcast(self, buf: Any, root: int = 0) -> Any: ...
    def Barrier(self) -> Any: ...


@ffi.callback("int(void *, double *, int64_t)")
def _sum(user, v, n):
    return ffi.from_handle(user).carry_out(lambda team: team.sum(np.frombuffer(ffi.buffer(v, 8 * n))))


@ffi.callback("int(void *, void *, int64_t, int)")
def _broadcast(user, v, n, root):
    return ffi.from_handle(user).carry_out(
        lambda team: team.broadcast(np.frombuffer(ffi.buffer(v, n), dtype=np.uint8), root)
    )


@ffi.callback("int(void *)")
def _barrier(user):
    return ffi.from_handle(user).carry_out(lambda team: team.comm.Barrier())


class Team:
    """This process among those of a communicator.

    Before each operation, and at the end, all processes exchange whether one of them has failed. So a failure in one of
    them, such as a file it cannot read, ends the call in all, and none waits for ever.
    """

    def __init__(self, comm: Comm | None):
        missing = [name for name in ("rank", "size", "Allreduce", "Bcast", "Barrier") if not hasattr(comm, name)]
        if comm is not None and missing:
            raise TypeError(
                f"comm={comm!r} has no {', '.join(missing)}; expected a communicator such as mpi4py's MPI.COMM_WORLD"
            )
        self.comm: Any = comm
        self.rank, self.size = (0, 1) if comm is None else (int(comm.rank), int(comm.size))
        self.error: BaseException | None = None  # of an operation, or of another process

    def join(self, ctx):
        """Has the fits of a context divide their files among the processes."""
        if self.size == 1:
            return
        options, self._handle = struct("comm"), ffi.new_handle(self)
        options.rank, options.ranks, options.user = self.rank, self.size, self._handle
        options.sum, options.broadcast, options.barrier = _sum, _broadcast, _barrier
        ctx.call(lib.rung_ctx_set_comm, options)

    def carry_out(self, operation):
        """0, or 1 where an exception is left in `error`: it must not cross the library."""
        try:
            self.agree()
            operation(self)
        except BaseException as error:
            self.error = error
            return 1
        return 0

    def sum(self, v):
        self.comm.Allreduce(v.copy(), v)

    def broadcast(self, v, root):
        for first in range(0, len(v), MOST_BYTES):
            self.comm.Bcast(v[first : first + MOST_BYTES], root=root)

    def same(self, number: int) -> int:
        """The number of the first process, from 0 to 2**64 - 1."""
        out = np.array([number], dtype=np.uint64)
        if self.size > 1:
            self.agree()
            self.comm.Bcast(out, root=0)
        return int(out[0])

    def agree(self, failure: str | None = None) -> None:
        """Exchanges who has failed, and raises the failure of another process. failure: why this one has."""
        failed, by_all = np.zeros(self.size), np.empty(self.size)
        failed[self.rank] = failure is not None
        self.comm.Allreduce(failed, by_all)
        if not by_all.any():
            return
        first = int(np.flatnonzero(by_all)[0])
        reason = np.frombuffer((failure or "").encode(), dtype=np.uint8)
        length = np.array([len(reason)], dtype=np.int64)
        self.comm.Bcast(length, root=first)
        reason = reason.copy() if self.rank == first else np.empty(length[0], dtype=np.uint8)
        self.broadcast(reason, first)
        if failure is None:
            self.error = RungError(f"process {first} of {self.size} failed: {reason.tobytes().decode()}")
            raise self.error

    def __enter__(self) -> Team:
        return self

    def __exit__(self, kind: Any, failure: BaseException | None, trace: Any) -> None:
        if self.error is not None:  # the others know, or cannot be reached
            raise self.error from None
        if self.size > 1:
            self.agree(None if failure is None else str(failure) or kind.__name__)
