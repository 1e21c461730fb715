# SPDX-License-Identifier: BSD-3-Clause
"""Fits to files: loaded, in passes, and by several processes, which are threads here, or those of mpirun."""

import os
import shutil
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import pytest

import rung

CLASSES = np.array(["low", "mid", "high"])


def table(rows, seed=1):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.normal(size=rows), "b": rng.normal(size=rows)})
    frame["colour"] = rng.choice(["red", "green", "blue"], rows)
    latent = frame["a"] + 0.5 * frame["b"] + (frame["colour"] == "red") + 0.3 * rng.normal(size=rows)
    frame["grade"] = CLASSES[np.digitize(latent, [-0.3, 0.8])]
    frame.loc[5::11, "grade"] = None
    frame.loc[7::50, "b"] = np.nan
    return frame


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """A folder of five files, and their rows."""
    folder, frame = tmp_path_factory.mktemp("parts"), table(600)
    for k, part in enumerate(np.array_split(np.arange(len(frame)), 5)):
        frame.iloc[part].to_csv(folder / f"p{k}.csv", index=False)
    return folder, frame


@pytest.fixture
def broken(parts, tmp_path):
    """The same, but a row of the last file lacks a cell."""
    shutil.copytree(parts[0], tmp_path / "parts")
    (tmp_path / "parts/p4.csv").write_text("a,b,colour,grade\n1,2,red,low\n1,2,red\n")
    return tmp_path / "parts"


ORDER = CLASSES.tolist()
ESTIMATORS = {
    "kdlor": rung.KDLOR(landmarks=40, order=ORDER),
    "pom": rung.POM(order=ORDER, class_weight="balanced"),
    "boost": rung.BOOST(rounds=20, order=ORDER),
    "isbor": rung.ISBOR(order=ORDER, calibrate=0),
}


# ---- alone ----


def test_loaded_files_give_the_model_of_their_rows(parts):
    folder, frame = parts
    X = frame.drop(columns="grade")
    model = rung.fit_files(folder, rung.SDL(order=ORDER), label="grade")
    assert type(model) is rung.SDL and model.feature_names_in_.tolist() == ["a", "b", "colour"]
    assert model.classes_.tolist() == ORDER and model.n_features_in_ == 3
    expected = rung.SDL(order=ORDER).fit(X, frame["grade"])
    np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))
    assert model.cv_ == expected.cv_


@pytest.mark.parametrize("method", ESTIMATORS)
def test_passes_as_by_the_command(parts, command, tmp_path, method):
    folder, frame = parts
    X, estimator = frame.drop(columns="grade"), ESTIMATORS[method]
    model = rung.fit_files(f"{folder}/p*.csv", estimator, label="grade", passes=True)
    own = {"kdlor": ["-p", "landmarks=40"], "boost": ["-p", "rounds=20"], "isbor": ["-p", "calibrate=0"], "pom": []}
    words = [*own[method], *(["-w", "balanced"] if method == "pom" else [])]
    command(
        "fit", folder, "-m", method, "-l", "grade", "--order", "low<mid<high", "--passes", *words, "-o", tmp_path / "m"
    )
    np.testing.assert_array_equal(model.score_samples(X), rung.load(tmp_path / "m").score_samples(X))
    assert not hasattr(estimator, "model_")  # fits a copy


def test_options(tmp_path):
    frame = table(200)
    frame["size"] = np.random.default_rng(3).choice(["s", "m", "l"], 200)
    frame["w"], frame["code"] = 1.0, np.arange(200) % 3
    frame.insert(0, "row", np.arange(1, 201))
    frame.to_csv(tmp_path / "t.csv", index=False, sep=";", decimal=",")
    model = rung.fit_files(
        [tmp_path / "t.csv"],
        rung.POM(order=ORDER, cost="squared", random_state=None),
        label="grade",
        ignore=["row"],
        nominal="code",
        ordinal={"size": ["s", "m", "l"]},
        weights="w",
        delimiter=";",
        decimal=",",
        header=True,
    )
    assert model.feature_names_in_.tolist() == ["a", "b", "colour", "size", "code"]
    assert [name for name, is_text in model.model_.columns if is_text] == ["colour", "size", "code"]
    assert model.describe()["cost"] == [0, 1, 4, 1, 0, 1, 4, 1, 0]
    call = model.model_.notes["call"]
    assert call.startswith(
        f"rung.fit_files(['{tmp_path}/t.csv'], rung.POM(cost='squared', order=['low', 'mid', 'high'], "
    )
    assert "label='grade', ignore=['row'], nominal='code'" in call


def test_columns_by_number_count_from_0_for_every_role(tmp_path):
    frame = table(90).assign(weight=2.0, who=np.arange(90) // 3)
    frame.to_csv(tmp_path / "d.csv", index=False)
    names = list(frame)
    roles = {"label": "grade", "weights": "weight", "groups": "who"}
    by_name = rung.fit_files(tmp_path / "d.csv", rung.KDLOR(order=list(CLASSES)), **roles)
    by_number = rung.fit_files(
        tmp_path / "d.csv", rung.KDLOR(order=list(CLASSES)), **{role: names.index(name) for role, name in roles.items()}
    )
    assert by_number.feature_names_in_.tolist() == by_name.feature_names_in_.tolist() == ["a", "b", "colour"]
    assert by_number.cv_ == by_name.cv_
    # names that are positions of other columns
    counted = frame.set_axis([*map(str, range(len(names)))], axis=1)
    counted.to_csv(tmp_path / "counted.csv", index=False)
    places = {role: names.index(name) for role, name in roles.items()}
    model = rung.fit_files(
        tmp_path / "counted.csv", rung.KDLOR(order=list(CLASSES)), header=True, ignore=[0], **places
    )
    assert model.feature_names_in_.tolist() == ["1", "2"]


def test_memory_limit_decides(tmp_path):
    table(30000).to_csv(tmp_path / "many.csv", index=False)
    X = table(50, seed=2).drop(columns="grade")
    small = rung.KDLOR(order=ORDER, landmarks=40, memory_limit=2**22)
    default = rung.KDLOR(order=ORDER, landmarks=40)
    scores = [
        rung.fit_files(tmp_path / "many.csv", estimator, label="grade", passes=passes).score_samples(X)
        for estimator, passes in ((small, False), (small, True), (default, False), (default, True))
    ]
    np.testing.assert_array_equal(scores[0], scores[1])
    assert not np.array_equal(scores[2], scores[3])


def test_real_targets(tmp_path):
    frame = table(100).drop(columns="grade")
    frame["y"] = frame["a"] * 2
    frame.to_csv(tmp_path / "t.csv", index=False)
    model = rung.fit_files(tmp_path / "t.csv", "krr")
    assert type(model) is rung.KRR and model.score(frame[["a", "b", "colour"]], frame["y"]) > 0.9


def test_columns_with_commas(tmp_path):
    X, y = rung.generate("toy", rows=60)
    frame = pd.DataFrame(X, columns=["weight, kg", "x"]).assign(**{"id, no": np.arange(60) % 7, "y": y})
    frame.to_csv(tmp_path / "d.csv", index=False)
    model = rung.fit_files(tmp_path / "d.csv", "pom", ignore=["weight, kg"], nominal=["id, no"])
    assert list(model.feature_names_in_) == ["x", "id, no"]
    assert model.model_.columns == [("x", False), ("id, no", True)]
    rows = frame.drop(columns="y")
    held = rung.POM(nominal=["id, no"]).fit(rows, y)
    assert rung.explain.effects(held, rows, columns=["weight, kg"])["columns"][0]["name"] == "weight, kg"
    report = rung.explain.row(held, rows, 0, fixed=["weight, kg", "id, no"])
    changed = [change["columns"] for change in report["changes"].values() if change]
    assert all(column["name"] == "x" for columns in changed for column in columns)


def test_mistakes(parts, tmp_path):
    folder, _ = parts
    with pytest.raises(rung.FileError, match="nothing"):
        rung.fit_files(tmp_path / "nothing*.csv")
    with pytest.raises(rung.DataError, match="give their order"):
        rung.fit_files(folder, "kdlor", label="grade")
    with pytest.raises(rung.DataError, match="grades"):
        rung.fit_files(folder, ESTIMATORS["kdlor"], label="grades")
    with pytest.raises(rung.DataError, match="svorim"):
        rung.fit_files(folder, rung.SVORIM(order=ORDER), label="grade", passes=True)
    with pytest.raises(ValueError, match="there is no method 'kd'"):
        rung.fit_files(folder, "kd")
    with pytest.raises(TypeError, match="a search needs all rows in memory"):
        rung.fit_files(folder, rung.OrdinalSearch())
    with pytest.raises(ValueError, match="empty cell"):
        rung.fit_files(folder, rung.KDLOR(unlabelled=-1))
    with pytest.raises(ValueError, match="delimiter='ab' is not a character"):
        rung.fit_files(folder, delimiter="ab")
    with pytest.raises(ValueError, match="NUL"):
        rung.fit_files("a\0b")
    with pytest.raises(rung.DataError, match="no column 'a,b'"):
        rung.fit_files(folder, ignore=["a,b"])
    with pytest.raises(TypeError, match="has no rank, size, Allreduce, Bcast, Barrier"):
        rung.fit_files(folder, comm=3)


# ---- together ----


class Meeting:
    """What the threads of a test share."""

    def __init__(self, size):
        self.size, self.barrier, self.shown = size, threading.Barrier(size, timeout=60), [None] * size


class Participant:
    """A thread as a process: the interface of mpi4py's communicators through memory."""

    def __init__(self, meeting, rank):
        self._meeting, self.rank, self.size = meeting, rank, meeting.size

    def Allreduce(self, sendbuf, recvbuf):
        shown = self._meeting.shown
        shown[self.rank] = sendbuf.copy()
        self.Barrier()
        recvbuf[:] = sum(shown[(k + 1) % self.size] for k in range(self.size))  # any order must do
        self.Barrier()

    def Bcast(self, buf, root=0):
        if self.rank == root:
            self._meeting.shown[root] = buf.copy()
        self.Barrier()
        buf[:] = self._meeting.shown[root]
        self.Barrier()

    def Barrier(self):
        self._meeting.barrier.wait()


def together(size, work, kind=Participant):
    """What work(comm) returns or raises in every thread."""
    meeting, results = Meeting(size), [None] * size

    def run(rank):
        try:
            results[rank] = work(kind(meeting, rank))
        except BaseException as error:
            results[rank] = error
            if isinstance(error, Broken):
                meeting.barrier.abort()  # as the end of a process of MPI would

    threads = [threading.Thread(target=run, args=[rank]) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


class Broken(Exception):
    pass


@pytest.mark.parametrize("method", ["kdlor", "pom", "isbor"])
def test_any_number_of_processes_gives_the_same_bits(parts, method):
    folder, frame = parts
    X, estimator = frame.drop(columns="grade"), ESTIMATORS[method].set_params(n_jobs=1)
    alone = rung.fit_files(folder, estimator, label="grade", passes=True).score_samples(X)
    for size in (1, 2, 3, 7):
        for model in together(
            size, lambda comm: rung.fit_files(folder, estimator, label="grade", passes=True, comm=comm)
        ):
            assert not isinstance(model, BaseException), model
            np.testing.assert_array_equal(model.score_samples(X), alone)


def test_one_random_seed_for_all(parts):
    folder, _ = parts
    estimator = rung.KDLOR(order=ORDER, landmarks=20, random_state=None, verbose=True, n_jobs=1)
    models = together(2, lambda comm: rung.fit_files(folder, estimator, label="grade", comm=comm))
    assert models[0].random_state == models[1].random_state is not None
    assert [model.verbose for model in models] == [True, False]  # one of them shows the progress
    assert models[0].model_.to_bytes() == models[1].model_.to_bytes()


def test_a_failure_ends_all_processes(broken):
    results = together(3, lambda comm: rung.fit_files(broken, ESTIMATORS["kdlor"], label="grade", comm=comm))
    assert isinstance(results[2], rung.DataError) and "p4.csv, line 3" in str(results[2])
    for other in results[:2]:
        assert type(other) is rung.RungError and str(other) == f"process 2 of 3 failed: {results[2]}"


def test_a_failure_of_one_call_ends_the_others(parts):
    folder, _ = parts

    def work(comm):
        if comm.rank == 1:
            return rung.fit_files(folder, "no such method", comm=comm)
        return rung.fit_files(folder, ESTIMATORS["pom"], label="grade", comm=comm)

    results = together(2, work)
    assert isinstance(results[1], ValueError) and "there is no method" in str(results[1])
    assert isinstance(results[0], rung.RungError) and "process 1 of 2 failed: there is no method" in str(results[0])


def test_exceptions_of_the_communicator_are_raised(parts):
    folder, _ = parts

    class Unreliable(Participant):
        calls = 0

        def Allreduce(self, sendbuf, recvbuf):
            self.calls += 1
            if self.rank == 0 and self.calls == 5:
                raise Broken("the network is down")
            super().Allreduce(sendbuf, recvbuf)

    results = together(
        2, lambda comm: rung.fit_files(folder, ESTIMATORS["kdlor"], label="grade", comm=comm), Unreliable
    )
    assert isinstance(results[0], Broken) and str(results[0]) == "the network is down"
    assert isinstance(results[1], threading.BrokenBarrierError)


# ---- MPI ----

PROGRAM = """
import sys
from mpi4py import MPI
import rung

good, bad, out = sys.argv[1:]
estimator = rung.KDLOR(order=["low", "mid", "high"], landmarks=40, n_jobs=1)
rung.save(rung.fit_files(good, estimator, label="grade", comm=MPI.COMM_WORLD), f"{out}/{MPI.COMM_WORLD.rank}.rung")
try:
    rung.fit_files(bad, estimator, label="grade", comm=MPI.COMM_WORLD)
except rung.RungError as failure:
    with open(f"{out}/{MPI.COMM_WORLD.rank}.txt", "w") as f:
        f.write(str(failure))
"""


def mpirun(processes, program):
    """The command line and environment that run a program with mpi4py."""
    if shutil.which("mpirun") is None:
        pytest.skip("there is no mpirun")
    if subprocess.run([sys.executable, "-c", "from mpi4py import MPI"], capture_output=True).returncode:
        pytest.skip("there is no mpi4py")
    as_root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    crowded = {"OMPI_MCA_rmaps_base_oversubscribe": "1", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}
    package = {"PYTHONPATH": os.path.dirname(os.path.dirname(rung.__file__)), "OMP_NUM_THREADS": "1"}
    return ["mpirun", "-n", str(processes), sys.executable, program], os.environ | as_root | crowded | package


def test_mpi(parts, broken, tmp_path):
    folder, frame = parts
    (tmp_path / "program.py").write_text(PROGRAM)
    command, environment = mpirun(2, tmp_path / "program.py")
    done = subprocess.run(
        [*command, folder, broken, tmp_path], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    X, alone = frame.drop(columns="grade"), rung.fit_files(folder, ESTIMATORS["kdlor"], label="grade", passes=True)
    for rank in range(2):
        model = rung.load(tmp_path / f"{rank}.rung")
        np.testing.assert_array_equal(model.score_samples(X), alone.score_samples(X))
    why = (tmp_path / "1.txt").read_text()
    assert "p4.csv, line 3" in why and (tmp_path / "0.txt").read_text() == f"process 1 of 2 failed: {why}"
