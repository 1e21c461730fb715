# SPDX-License-Identifier: BSD-3-Clause
"""A server of the command for the tests: started, asked, ended by a signal."""
import http.client
import json
import signal
import subprocess


class Server:
    """`rung serve` or `rung label`; the first line it prints is its address."""

    def __init__(self, rung, *arguments, folder=None, env=None):
        self.process = subprocess.Popen([rung, *map(str, arguments)], cwd=folder, env=env, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True,
                                        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.address = self.process.stdout.readline().strip()
        if not self.address.startswith("http://127.0.0.1:"):
            raise RuntimeError(f"no address: {self.address!r} {self.process.stderr.read()}")
        self.host, self.token = self.address.split("/")[2:4]
        self.port = int(self.host.split(":")[1])

    def ask(self, method, path, body=None, headers=None, token=True, connection=None):
        """The status and the answer, parsed if it is JSON."""
        own = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=100)
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        own.request(method, (f"/{self.token}/" if token else "/") + path, body, headers or {})
        reply = own.getresponse()
        data = reply.read()
        self.headers = {k.lower(): v for k, v in reply.getheaders()}
        if not connection:
            own.close()
        return reply.status, json.loads(data) if "json" in self.headers.get("content-type", "") and data else data

    def post(self, path, body, **more):
        return self.ask("POST", path, body, **more)

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def end(self, number=signal.SIGTERM):
        """Ends it; the exit code and what it had printed on standard error."""
        self.process.send_signal(number)
        error = self.process.communicate(timeout=100)[1]
        return self.process.returncode, error


class Score:
    passed = failed = 0

    def check(self, good, what):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print("FAILED", what)

    def end(self):
        print(f"{self.passed} passed, {self.failed} failed")
        return self.failed > 0


def available(rung):
    """Whether the command was built with libmicrohttpd."""
    done = subprocess.run([rung, "serve", "/dev/null"], capture_output=True, text=True)
    return "libmicrohttpd" not in done.stderr
