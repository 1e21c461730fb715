#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`rung serve`: the answers are those of `rung predict`; requests that are wrong, foreign or too large are rejected.

usage: serve.py RUNG      exit 77: the command was built without libmicrohttpd"""
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading

from server import Score, Server, available

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRAIN = """age,colour,dose,grade
31,red,0.5,low
45,blue,1.5,mid
52,red,2.5,high
28,blue,0.25,low
47,red,,mid
60,blue,3.5,high
33,red,0.75,low
44,blue,1.25,mid
58,red,3.25,high
"""
ROWS = [{"age": 40, "colour": "red", "dose": 1}, {"age": 57.5, "colour": "blue", "dose": None},
        {"age": 20, "colour": "red", "dose": 0.1}]


def check_predictions(score, server, rung, folder):
    (folder / "rows.csv").write_text("age,colour,dose\n" + "".join(
        ",".join("" if v is None else str(v) for v in row.values()) + "\n" for row in ROWS))
    wanted = json.loads(subprocess.run([rung, "predict", "model.rung", "rows.csv", "--json", "--proba", "--interval",
                                        "0.8"],
                                       cwd=folder, capture_output=True, check=True).stdout)
    status, batch = server.post("predict", {"rows": ROWS, "interval": 0.8})
    score.check(status == 200 and batch == wanted, f"a batch: {status} {batch}, not {wanted}")
    one = [server.post("predict", {"rows": [row], "interval": 0.8})[1]["rows"][0] for row in ROWS]
    score.check(one == wanted["rows"], "one row at a time")
    lists = server.post("predict", {"rows": [list(row.values()) for row in ROWS], "interval": 0.8})[1]
    score.check(lists == wanted, "rows as lists")
    texts = server.post("predict", {"rows": [{k: None if v is None else str(v) for k, v in row.items()}
                                             for row in ROWS], "interval": 0.8})[1]
    score.check(texts == wanted, "numbers as texts")
    bare = server.post("predict", ROWS)[1]
    score.check([r["rank"] for r in bare["rows"]] == [r["rank"] for r in wanted["rows"]], "a list alone")
    labelled = server.post("predict", {"rows": [dict(ROWS[0], grade="high")], "interval": 0.8})[1]
    score.check(labelled["rows"] == wanted["rows"][:1], "a row with its label")
    new = server.post("predict", {"rows": [dict(ROWS[0], colour="<green>")]})
    score.check(new[0] == 200 and "<green>" in new[1]["warnings"][0], f"a category that is new: {new}")
    score.check("warnings" not in server.post("predict", {"rows": ROWS})[1], "the warning of another request")
    # Connections that stay open, side by side.
    results = []

    def ask_many():
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=100)
        for _ in range(20):
            results.append(server.post("predict", {"rows": ROWS, "interval": 0.8}, connection=connection)[1])
    threads = [threading.Thread(target=ask_many) for _ in range(6)]
    [t.start() for t in threads], [t.join() for t in threads]
    score.check(len(results) == 120 and all(r == wanted for r in results), "requests side by side")


def check_explanations(score, server):
    status, found = server.post("explain", {"rows": ROWS[:2]})
    score.check(status == 200 and len(found["rows"]) == 2, f"explain: {status} {found}")
    for i, row in enumerate(found["rows"]):
        total = row["average"] + sum(c["contribution"] for c in row["columns"])
        score.check(row["row"] == i + 1 and abs(total - row["answer"]) < 1e-9, f"contributions of row {i + 1}")
        score.check({c["name"] for c in row["columns"]} == set(ROWS[0]), f"columns of row {i + 1}")
        predicted = server.post("predict", {"rows": [ROWS[i]]})[1]["rows"][0]
        score.check(row["rank"] == predicted["rank"] and row["proba"] == predicted["proba"], f"answer of row {i + 1}")
    fixed = server.post("explain", {"rows": ROWS[:1], "fixed": "age,dose"})[1]["rows"][0]["changes"]
    changed = {c["name"] for change in fixed.values() if change for c in change["columns"]}
    score.check(changed <= {"colour"}, f"fixed columns change: {changed}")


def check_errors(score, server):
    good = ROWS[0]
    for body, sentence in [
            ("{\"rows\": [", "the body is not JSON: line 1, column "),
            ("", "the body is not JSON"), ("\0\1\xff", "the body is not JSON"), ("[" * 5000, "the body is not JSON"),
            ("{\"rows\": [], \"rows\": []}", "the body is not JSON"),
            ({}, "the body must be {\"rows\": [...]}"), ("7", "the body is not JSON"),
            ({"rows": []}, "there are no rows"), ({"rows": [good], "rowss": 1}, "unknown key 'rowss'"),
            ({"rows": [good, 3]}, "row 2 is neither an object of columns nor a list of values"),
            ({"rows": [good, {"age": 1, "dose": 2}]}, "row 2 has no column 'colour'; write null for a missing value"),
            ({"rows": [dict(good, dose=[1])]}, "row 1, column 'dose': expected a number, a text or null"),
            ({"rows": [[1, "red"]]}, "row 1 has 2 values, but the model has 3 columns"),
            ({"rows": [dict(good, dose="much")]}, "'much' is not a number"),
            ({"rows": [good], "interval": 2}, "interval: expected a probability between 0 and 1")]:
        status, reply = server.post("predict", body)
        score.check(status == 400 and sentence in reply["error"] and "\n" not in reply["error"],
                    f"{str(body)[:60]}: {status} {reply}")
    for body, sentence in [({"rows": [good], "fixed": 3}, "fixed: expected names"),
                           ({"rows": [good], "fixed": "agee"}, "agee"),
                           ({"rows": [good], "samples": 0}, "samples: expected a whole number")]:
        status, reply = server.post("explain", body)
        score.check(status == 400 and sentence in reply["error"], f"explain {body}: {status} {reply}")
    status, reply = server.post("predict", {"rows": [good] * 10001})
    score.check(status == 413 and "at most 10000" in reply["error"], f"too many rows: {status} {reply}")
    score.check(server.get("nothing")[0] == 404, "a path that is not there")
    score.check(server.get("predict")[0] == 405 and server.post("health", "{}")[0] == 405, "the other method")
    score.check(server.ask("DELETE", "predict")[0] == 405 and server.headers["allow"] == "GET, POST", "DELETE")


def check_admission(score, server):
    """Nobody without the token, by another name, or from a page of another site."""
    body = {"rows": ROWS}
    for path in ("predict", "/predict", "x" * 32 + "/predict", server.token[:-1] + "/predict",
                 server.token + "0/predict",
                 server.token.upper() + "x/predict", "", "../" + server.token + "/predict", "etc/passwd",
                 "%2e%2e/%2e%2e/etc/passwd"):
        status, _ = server.post(path, body, token=False)
        score.check(status == 403, f"without the token, /{path}: {status}")
    bearer = {"Authorization": "Bearer " + server.token}
    score.check(server.post("predict", body, token=False, headers=bearer)[0] == 200, "the token in a header")
    for wrong in ("Bearer " + server.token[:-1], "Bearer", server.token, "Basic " + server.token):
        score.check(server.post("predict", body, token=False, headers={"Authorization": wrong})[0] == 403,
                    f"Authorization: {wrong}")
    for host in ("example.org", f"example.org:{server.port}", "127.0.0.1", f"127.0.0.1:{server.port + 1}", "",
                 f"127.0.0.1.example.org:{server.port}"):
        score.check(server.post("predict", body, headers={"Host": host})[0] == 403, f"Host: {host}")
    for origin in ("http://example.org", "null", f"https://127.0.0.1:{server.port}",
                   f"http://127.0.0.1:{server.port}.example.org", "file://"):
        score.check(server.post("predict", body, headers={"Origin": origin})[0] == 403, f"Origin: {origin}")
    for name in ("127.0.0.1", "localhost"):
        own = {"Host": f"{name}:{server.port}", "Origin": f"http://{name}:{server.port}"}
        score.check(server.post("predict", body, headers=own)[0] == 200, f"its own name {name}")
    score.check(server.headers["x-content-type-options"] == "nosniff"
                and "access-control-allow-origin" not in server.headers and
                server.headers["content-security-policy"].startswith("default-src 'none'"), f"headers {server.headers}")


def raw(server, data):
    with socket.create_connection(("127.0.0.1", server.port), timeout=100) as s:
        try:
            s.sendall(data)
            s.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # closed before it had read all of it
        answer = b""
        try:
            while part := s.recv(65536):
                answer += part
        except OSError:
            pass
    return answer


def check_sizes(score, server):
    head = f"POST /{server.token}/predict HTTP/1.1\r\nHost: {server.host}\r\n".encode()
    for length in (b"16777217", b"99999999999999999999999", b"-1", b"x"):
        answer = raw(server, head + b"Content-Length: " + length + b"\r\n\r\n")
        score.check(not answer.startswith(b"HTTP/1.1 200") and b"\"rank\"" not in answer,
                    f"a length of {length}: {answer[:80]}")
    score.check(raw(server, head + b"Content-Length: 16777217\r\n\r\n").startswith(b"HTTP/1.1 413"),
                "a length above 16 MiB")
    endless = b"Transfer-Encoding: chunked\r\n\r\n" + (b"100000\r\n" + b" " * 0x100000 + b"\r\n") * 18 + b"0\r\n\r\n"
    score.check(b"\"rank\"" not in raw(server, head + endless), "a body of unknown length above 16 MiB")
    raw(server, b"GET /" + b"a" * 200000 + b" HTTP/1.1\r\nHost: " + server.host.encode() + b"\r\n\r\n")
    raw(server, b"\0\xff nonsense\r\n\r\n")
    raw(server, head)  # and no more
    score.check(server.get("health")[0] == 200, "it lives after all this")


def check_queue(score, rung, folder):
    """More requests than may wait: some are rejected at once, and the end does not wait for those that run."""
    names = [f"x{j}" for j in range(14)]
    lines = [",".join(names) + ",grade"]
    lines += [",".join(str((7 * i * (j + 3)) % 11) for j in range(14)) + f",{1 + i % 3}" for i in range(120)]
    (folder / "wide.csv").write_text("\n".join(lines) + "\n")
    subprocess.run([rung, "fit", "wide.csv", "-m", "pom", "-q", "-o", "wide.rung"], cwd=folder, check=True)
    server = Server(rung, "serve", "wide.rung", "--data", "wide.csv", "-q", folder=folder)
    body = {"rows": [[1] * 14] * 100, "samples": 10000}
    statuses, some = [], threading.Event()

    def ask():
        try:
            statuses.append(server.post("explain", body)[0])
        except OSError:
            statuses.append(0)
        except http.client.HTTPException:
            statuses.append(0)
        if statuses[-1] == 503:
            some.set()
    threads = [threading.Thread(target=ask) for _ in range(100)]  # at most 16 run and 64 wait
    [t.start() for t in threads]
    score.check(some.wait(600), "nothing was rejected")
    score.check(statuses.count(503) == len(statuses), f"rejected {statuses}")
    code, _ = server.end(signal.SIGINT)
    [t.join() for t in threads]
    score.check(code == -signal.SIGINT, f"it ended with {code}")
    score.check(200 not in statuses, f"work of minutes was done: {statuses}")


def check_silent(score, rung, folder):
    """Connections that say nothing, or not the token, keep nobody out; one that knows it stays open among them."""
    server = Server(rung, "serve", "model.rung", "-q", folder=folder)
    known = http.client.HTTPConnection("127.0.0.1", server.port, timeout=100)
    first = server.get("health", connection=known)[0]
    silent = []
    for i in range(300):
        one = socket.create_connection(("127.0.0.1", server.port), timeout=20)
        if i % 3 == 1:
            one.sendall(b"POST /x HTTP/1.1\r\nHo")
        silent.append(one)
    try:
        own = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        status = server.get("health", connection=own)[0]
        again = server.get("health", connection=known)[0]
        score.check((first, status, again) == (200, 200, 200), f"among silent connections: {first} {status} {again}")
    except OSError as error:
        score.check(False, f"locked out by silent connections: {error!r}")
    [one.close() for one in silent]
    score.check(server.get("health")[0] == 200, "after them")
    server.end()


def check_start(score, rung, folder):
    server = Server(rung, "serve", "model.rung", "-q", folder=folder)
    other = Server(rung, "serve", "model.rung", "-q", folder=folder)
    score.check(server.token != other.token and len(server.token) == 32 and server.port != other.port, "two servers")
    status, reply = server.post("explain", {"rows": ROWS})
    score.check(status == 400 and "--data" in reply["error"], f"explain without data: {reply}")
    status, reply = server.get("health")
    score.check(status == 200 and reply["status"] == "ok" and reply["classes"] == ["low", "mid", "high"] and
                [c["name"] for c in reply["columns"]] == ["age", "colour", "dose"], f"health: {reply}")
    taken = subprocess.run([rung, "serve", "model.rung", "--port", str(server.port)], cwd=folder, capture_output=True,
                           text=True)
    score.check(taken.returncode == 1
                and taken.stderr == f"rung: serve: port {server.port} is in use; give another --port, "
                "or none to take a free one\n", f"a port in use: {taken.stderr}")
    for address in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET):
        if not address[4][0].startswith("127."):
            with socket.socket() as s:
                score.check(s.connect_ex((address[4][0], server.port)) != 0, f"it listens on {address[4][0]}")
    score.check(server.end() == (-signal.SIGTERM, "") and other.end(signal.SIGINT) == (-signal.SIGINT, ""), "the end")
    (folder / "token").write_text("a-token-of-16-letters\n")
    chosen = Server(rung, "serve", "model.rung", "--token", "token", "-q", folder=folder)
    score.check(chosen.token == "a-token-of-16-letters" and chosen.get("health")[0] == 200, "a token from a file")
    chosen.end()
    for text in ("short", "", "with/slash/and/more", "a" * 500):
        (folder / "token").write_text(text)
        bad = subprocess.run([rung, "serve", "model.rung", "--token", "token"], cwd=folder, capture_output=True,
                             text=True, timeout=100)
        score.check(bad.returncode == 1 and "16 to 200 letters" in bad.stderr, f"token {text}: {bad.stderr}")


def check_rows(score, rung, folder):
    """Fields that the model does not need are ignored; ids come back as they came."""
    server = Server(rung, "serve", "model.rung", "--data", "train.csv", "-q", folder=folder)
    good = server.post("predict", {"rows": ROWS})[1]["rows"]
    extra = [dict(row, ward={"floor": [1]}, note="x", **{"a b": None}) for row in ROWS]
    score.check(server.post("predict", extra)[1] == {"rows": good}, "other fields are ignored")
    ids = [7, "p-\u00e9", None]
    reply = server.post("predict", [dict(row, id=i) for row, i in zip(ROWS, ids)])[1]["rows"]
    score.check(reply == [dict(row, id=i) for row, i in zip(good, ids)] and list(reply[0])[0] == "id", f"ids: {reply}")
    reply = server.post("predict", {"rows": [dict(row, patient=i) for row, i in zip(ROWS, ids)], "id": "patient"})[1]
    score.check([r["id"] for r in reply["rows"]] == ids, f"ids by another name: {reply}")
    reply = server.post("predict", {"rows": ROWS, "id": "age"})[1]
    score.check([r["id"] for r in reply["rows"]] == [row["age"] for row in ROWS], "a column of the model as an id")
    reply = server.post("explain", {"rows": [dict(ROWS[0], id="a")], "samples": 2})[1]["rows"]
    score.check(reply[0]["id"] == "a" and len(reply[0]) > 3, f"the id of an explanation: {reply}")
    for body, sentence in [
            ({"rows": ROWS, "id": 3}, "id: expected the name of a field"),
            ({"rows": ROWS, "id": "patient"}, "row 1 has no number or text 'patient', which \"id\" names"),
            ({"rows": [[1, "red", 2]], "id": "patient"}, "row 1 has no number or text 'patient'"),
            ({"rows": [{"Age": 1, "colour": "red", "dose": 1}]}, "row 1 has no column 'age'; is 'Age' meant?"),
            ({"rows": [{"colour": "red", "dose": 1}]}, "no column 'age'; write null for a missing value")]:
        status, reply = server.post("predict", body)
        score.check(status == 400 and sentence in reply["error"], f"{body}: {reply}")
    server.end()


def validate(score, server, models):
    """The description is valid, names every path, and the answers are as it says."""
    status, api = server.get("openapi.json")
    score.check(status == 200 and api["openapi"].startswith("3.1."), "a description")
    score.check(set(api["paths"]) == {path for name in models for path in
                                      (f"{name}/predict", f"{name}/health", f"{name}/explain")}
                | ({"/health"} if len(models) > 1 else set()), f"paths {list(api['paths'])}")
    ids = [o["operationId"] for path in api["paths"].values() for o in path.values()]
    score.check(len(set(ids)) == len(ids), f"operations {ids}")
    try:
        import jsonschema
        import openapi_spec_validator
    except ImportError:
        references = set(re.findall('"#/components/schemas/([^"]*)"', json.dumps(api)))
        score.check(references == set(api["components"]["schemas"]) and references, f"references {references}")
        return
    openapi_spec_validator.validate(api)
    for name in models:
        for path, body in [("predict", {"rows": [dict(ROWS[0], id=3), dict(ROWS[1], more=1), [1, "red", None]],
                                        "interval": 0.8}), ("predict", ROWS), ("explain", {"rows": ROWS, "samples": 2}),
                           ("health", None), ("predict", {"rows": [{}]})]:
            operation = api["paths"][f"{name}/{path}"]["get" if body is None else "post"]
            status, reply = server.ask("GET" if body is None else "POST", f"{name}/{path}"[1:], body)
            schemas = [operation["responses"][str(status)]["content"]["application/json"]["schema"]]
            values = [reply]
            if body is not None and status == 200:
                schemas.append(operation["requestBody"]["content"]["application/json"]["schema"])
                values.append(body)
            for schema, value in zip(schemas, values):
                # strictly: a field that is not described is an error of the description
                strict = json.loads(json.dumps(dict(schema, components=api["components"])))
                errors = [e.message for e in jsonschema.Draft202012Validator(strict).iter_errors(value)]
                score.check(not errors, f"{name}/{path}: {value} is not as described: {errors}")
            if status == 200 and path == "predict":
                known = next(v for k, v in api["components"]["schemas"].items() if k == "Prediction" + name.strip("/"))
                score.check(set(reply["rows"][0]) <= set(known["properties"]), f"fields {reply['rows'][0]}")


def check_several(score, rung, folder):
    """Several models, each below its name; health for everybody."""
    subprocess.run([rung, "fit", "train.csv", "--order", "low<mid<high", "-m", "pom", "-q", "-o", "odds.rung"],
                   cwd=folder, check=True)
    server = Server(rung, "serve", "model.rung", "second=odds.rung", "--data", "train.csv", "-q", folder=folder)
    score.check(server.get("health")[1]["models"] == ["model", "second"], "their names")
    for name, file in (("model", "model.rung"), ("second", "odds.rung")):
        alone = Server(rung, "serve", file, "--data", "train.csv", "-q", folder=folder)
        answer = alone.post("predict", {"rows": ROWS})
        score.check(answer[0] == 200 and server.post(f"{name}/predict", {"rows": ROWS}) == answer, f"rows of {name}")
        stem = file[:-5]
        score.check(alone.post(f"{stem}/predict", {"rows": ROWS}) == answer, "a single model by its name")
        score.check(server.get(f"{name}/health")[1]["model"] == name and server.get(f"{name}/health")[1]["method"]
                    == alone.get("health")[1]["method"], f"health of {name}")
        if name == "model":
            validate(score, alone, [""])
        alone.end()
    validate(score, server, ["/model", "/second"])
    status, reply = server.post("predict", {"rows": ROWS})
    score.check(status == 404 and "the models are model, second" in reply["error"], f"which model: {reply}")
    score.check(server.post("third/predict", {"rows": ROWS})[0] == 404 and server.get("model/predict")[0] == 405
                and server.get("model/nothing")[0] == 404, "other paths")
    for path, token, wanted in [("health", False, (200, {"status": "ok"})), ("second/health", False, 403),
                                ("openapi.json", False, 403), ("health/", False, 403)]:
        found = server.get(path, token=token)
        score.check(found == wanted or found[0] == wanted, f"/{path} without the token: {found}")
    score.check(server.post("health", "{}", token=False)[0] == 403 and
                server.get("health", token=False, headers={"Host": "example.org"})[0] == 403, "health of strangers")
    server.end()
    own = Server(rung, "serve", "a=model.rung", "b=odds.rung", "--data", "b=train.csv", "-q", folder=folder)
    score.check(own.post("a/explain", {"rows": ROWS})[0] == 400 and
                own.post("b/explain", {"rows": ROWS[:1], "samples": 2})[0] == 200, "--data of one model")
    own.end()
    for words, sentence in [(["model.rung", "./model.rung"], "two models are called 'model'; name one of them"),
                            (["model.rung", "a b.rung"], "'a b' is no name for the path of a model"),
                            (["model.rung", "--data", "other=train.csv"], "there is no model 'other'")]:
        bad = subprocess.run([rung, "serve", *words], cwd=folder, capture_output=True, text=True, timeout=100)
        score.check(bad.returncode == 2 and sentence in bad.stderr, f"{words}: {bad.stderr}")


def check_memory(score, rung, folder):
    """Requests that run at once share the limit."""
    server = Server(rung, "serve", "model.rung", "--memory", "64M", "-q", folder=folder)
    score.check(server.post("predict", {"rows": ROWS})[0] == 200, "within 64 MiB")
    answer = raw(server, f"POST /{server.token}/predict HTTP/1.1\r\nHost: {server.host}\r\n"
                 "Content-Length: 2000000\r\n\r\n".encode())
    score.check(answer.startswith(b"HTTP/1.1 413") and b"may have at most" in answer, f"a body: {answer[:300]}")
    server.end()
    workers = min(os.cpu_count(), 16)
    if workers > 1:
        server = Server(rung, "serve", "model.rung", "--memory", "24M", "-q", folder=folder)
        status, reply = server.post("predict", {"rows": ROWS})
        score.check(status == 400 and f"above the memory limit of {24 / workers:.1f} MiB" in reply["error"],
                    f"a share: {reply}")
        server.end()


def check_as_printed(score, rung, folder):
    """Latent means, and samples by the seed: as the command prints them."""
    subprocess.run([rung, "fit", "train.csv", "--order", "low<mid<high", "-m", "isbor", "-q", "-o", "latent.rung"],
                   cwd=folder, check=True)
    (folder / "row.csv").write_text("age,colour,dose\n40,red,1\n")

    def printed(*words):
        return json.loads(subprocess.run([rung, *words, "--json", "-q"], cwd=folder, capture_output=True,
                                         check=True).stdout)
    found = []
    for seed in (1, 7):
        server = Server(rung, "serve", "latent.rung", "--data", "train.csv", "--seed", seed, "-q", folder=folder)
        wanted = printed("predict", "latent.rung", "row.csv", "--proba")
        score.check("sd" in wanted["rows"][0] and server.post("predict", {"rows": ROWS[:1]})[1] == wanted,
                    "mean and sd of the latent value")
        found.append(server.post("explain", {"rows": ROWS[:1], "samples": 3})[1]["rows"][0])
        wanted = printed("explain", "latent.rung", "row.csv", "--row", "1", "--background", "train.csv", "--samples",
                         "3", "--seed", str(seed))
        score.check(found[-1] == wanted, f"samples drawn by the seed {seed}")
        server.end()
    score.check(found[0] != found[1], "another seed draws other samples")


def check_decimal_commas(score, rung, folder):
    """A number in JSON is that number, whatever the texts of other rows look like."""
    rows = "".join(f"{x},{x}5;{1 + (x > 4)}\n" for x in range(10))
    (folder / "commas.csv").write_text("size;grade\n" + rows)
    subprocess.run([rung, "fit", "commas.csv", "-m", "pom", "-q", "-o", "commas.rung"], cwd=folder, check=True)
    server = Server(rung, "serve", "commas.rung", "-q", folder=folder)
    number = server.post("predict", [{"size": 2.125}])[1]
    score.check(server.post("predict", [{"size": "2,125"}])[1] == number, "the same as a text")
    mixed = server.post("predict", [{"size": 2.125}, {"size": "7,5"}])
    score.check(mixed[0] == 400 and "a number in row 1 and a text in row 2" in mixed[1]["error"],
                f"a number beside a text: {mixed}")
    server.end()


def main():
    rung = str(pathlib.Path(sys.argv[1]).resolve())
    if not available(rung):
        print("built without libmicrohttpd")
        return 77
    score = Score()
    with tempfile.TemporaryDirectory(prefix="rung-serve-") as name:
        folder = pathlib.Path(name)
        (folder / "train.csv").write_text(TRAIN)
        subprocess.run([rung, "fit", "train.csv", "--order", "low<mid<high", "-q"], cwd=folder, check=True)
        check_start(score, rung, folder)
        check_silent(score, rung, folder)
        server = Server(rung, "serve", "model.rung", "--data", "train.csv", "-q", folder=folder)
        check_predictions(score, server, rung, folder)
        check_explanations(score, server)
        check_errors(score, server)
        check_admission(score, server)
        check_sizes(score, server)
        code, error = server.end()
        score.check((code, error) == (-signal.SIGTERM, ""), f"the end: {code} {error}")
        check_queue(score, rung, folder)
        check_rows(score, rung, folder)
        check_several(score, rung, folder)
        check_memory(score, rung, folder)
        check_as_printed(score, rung, folder)
        check_decimal_commas(score, rung, folder)
    return score.end()


sys.exit(main())
