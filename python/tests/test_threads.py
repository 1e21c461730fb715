# SPDX-License-Identifier: BSD-3-Clause
"""The interpreter is free while the library works, and Ctrl-C stops it."""

import multiprocessing
import signal
import threading
import time

import numpy as np
import pytest

import rung


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


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def llvm_openmp():
    """Whether the library was built by clang."""
    try:
        with open("/proc/self/maps") as maps:
            return "libomp.so" in maps.read()
    except OSError:
        return False


@pytest.mark.skipif(llvm_openmp(), reason="LLVM's OpenMP waits in a forked child for threads it does not have")
def test_forked_children_work_too():
    X, y = slow()
    model = rung.SDL(n_jobs=2).fit(X[:200], y[:200])
    expected = predict_and_fit(model, X, y)  # OpenMP has threads in this one now
    with multiprocessing.get_context("fork").Pool(1) as pool:
        for got, want in zip(pool.apply_async(predict_and_fit, (model, X, y)).get(60), expected):
            np.testing.assert_array_equal(got, want)


def test_other_threads_run_meanwhile():
    X, y = slow()
    done, turns = threading.Event(), []

    def count():
        while not done.is_set():
            turns.append(time.sleep(0.001))

    other = threading.Thread(target=count)
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
