# SPDX-License-Identifier: BSD-3-Clause
"""The interpreter is free while the library works, and Ctrl-C stops it."""

import multiprocessing
import os
import signal
import threading
import time

import numpy as np
import pytest

import rung
from rung import _library


def slow():
    """A fit of seconds."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 20))
    return X, np.digitize(X[:, 0], [-1, 0, 1])


def test_interrupt():
    X, y = slow()
    started = threading.Event()
    estimator = rung.KESDL(order=[0, 1, 2, 3], align_iterations=100000)

    def press():
        started.wait()
        time.sleep(0.3)
        signal.raise_signal(signal.SIGINT)

    threading.Thread(target=press, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        started.set()
        estimator.fit(X, y)
    assert not hasattr(estimator, "model_")
    rung.MEDIAN().fit(X, y).predict(X)  # nothing is left behind


def predict_and_fit(model, X, y):
    return model.predict(X), rung.SDL(n_jobs=2).fit(X[:200], y[:200]).predict(X)


def llvm_openmp():
    """Whether the library was built by clang."""
    try:
        with open("/proc/self/maps") as maps:
            return "libomp.so" in maps.read()
    except OSError:
        return False


forks = pytest.mark.skipif(llvm_openmp(), reason="LLVM's OpenMP waits in a forked child for threads it does not have")
quiet = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")


@forks
@quiet
def test_forked_children_work_too():
    X, y = slow()
    model = rung.SDL(n_jobs=2).fit(X[:200], y[:200])
    expected = predict_and_fit(model, X, y)  # OpenMP has threads in this one now
    with multiprocessing.get_context("fork").Pool(1) as pool:
        for got, want in zip(pool.apply_async(predict_and_fit, (model, X, y)).get(60), expected):
            np.testing.assert_array_equal(got, want)


def child(work, seconds=60):
    """The exit status of a forked child that does some work; None: it hangs."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
            os._exit(0)
        except BaseException:
            os._exit(1)
    for _ in range(100 * seconds):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return None


@forks
@quiet
def test_children_forked_while_other_threads_fit(toy):
    X, y, _ = toy
    model, done = rung.KDLOR(n_jobs=1).fit(X, y), threading.Event()

    def fit():
        while not done.is_set():
            rung.KDLOR(n_jobs=1).fit(X[:120], y[:120]).predict(X)

    others = [threading.Thread(target=fit) for _ in range(4)]
    for other in others:
        other.start()
    try:
        for _ in range(40):
            time.sleep(0.01)
            assert child(lambda: (model.predict(X), rung.KDLOR(n_jobs=2).fit(X, y).predict(X)), 20) == 0
    finally:
        done.set()
        for other in others:
            other.join()


@quiet
def test_child_forked_while_another_thread_reads_a_declaration():
    held, done = threading.Event(), threading.Event()

    def hold():
        with _library.ffi._lock:
            held.set()
            done.wait(0.3)

    other = threading.Thread(target=hold)
    other.start()
    held.wait()
    assert child(lambda: _library.ffi.new("rung_view[7]"), 5) == 0
    other.join()


def test_other_threads_run_meanwhile():
    X, y = slow()
    done, turns = threading.Event(), []

    def count():
        while not done.is_set():
            turns.append(time.sleep(0.001))

    other = threading.Thread(target=count, daemon=True)
    other.start()
    before = len(turns)
    model = rung.KDLOR(n_jobs=1).fit(X, y)
    during = len(turns) - before
    done.set()
    other.join()
    assert during > 20
    results = []
    workers = [threading.Thread(target=lambda: results.append(model.predict(X))) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(results) == 4
    for result in results:
        np.testing.assert_array_equal(result, model.predict(X))
