# SPDX-License-Identifier: BSD-3-Clause
"""Headless Chromium for the tests of pages, driven over its debugging pipe."""
import base64
import json
import os
import shutil
import subprocess

# Contrast of every text of the page (not of the figures) against the first background below it, as WCAG 2 counts it.
CONTRAST = """(() => {
const rgb = s => s.match(/[\\d.]+/g).map(Number);
const light = v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
const lum = c => .2126 * light(c[0]) + .7152 * light(c[1]) + .0722 * light(c[2]);
let worst = 99;
for (const e of document.querySelectorAll('body *')) {
    if (e.closest('svg,script,style,:disabled') || e.hidden) continue;
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    let b = e, back = [255, 255, 255];
    while (b) {
        const c = rgb(getComputedStyle(b).backgroundColor);
        if (c.length < 4 || c[3] > 0) { back = c; break }
        b = b.parentElement;
    }
    const a = lum(rgb(getComputedStyle(e).color)), d = lum(back);
    worst = Math.min(worst, (Math.max(a, d) + .05) / (Math.min(a, d) + .05));
}
return worst;
})()"""


def program():
    """Its path; None: it is not installed (tools/setup install long)."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    """Chromium with its debugging pipe: JSON messages that end with a zero byte, in on descriptor 3, out on 4."""

    def __init__(self, program, folder):
        to_read, self.to_write = os.pipe()
        self.from_read, from_write = os.pipe()

        def descriptors():
            os.dup2(to_read, 53), os.dup2(from_write, 54)
            os.dup2(53, 3), os.dup2(54, 4)
            os.set_inheritable(3, True), os.set_inheritable(4, True)

        options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe",
                   "--disable-dev-shm-usage", "--window-size=1200,900", f"--user-data-dir={folder}/profile"]
        self.process = subprocess.Popen([program, *options], preexec_fn=descriptors, close_fds=False,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read), os.close(from_write)
        self.rest, self.number, self.events, self.session = b"", 0, [], None

    def message(self):
        while b"\0" not in self.rest:
            more = os.read(self.from_read, 1 << 16)
            if not more:
                raise RuntimeError("the browser ended")
            self.rest += more
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, **params):
        self.number += 1
        wanted = {"id": self.number, "method": method, "params": params}
        if self.session:
            wanted["sessionId"] = self.session
        os.write(self.to_write, json.dumps(wanted).encode() + b"\0")
        while True:
            got = self.message()
            if got.get("id") == self.number:
                if "error" in got:
                    raise RuntimeError(f"{method}: {got['error']}")
                return got["result"]
            self.events.append(got)

    def wait(self, event):
        while not any(e.get("method") == event for e in self.events):
            self.events.append(self.message())

    def open(self, path, script=True):
        """A new tab with a file or an address."""
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(domain + ".enable")
        self.call("Emulation.setScriptExecutionDisabled", value=not script)
        self.events = []
        self.call("Page.navigate", url=path if isinstance(path, str) else path.as_uri())
        self.wait("Page.loadEventFired")

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return result["result"].get("value")

    def press(self, key, code):
        text = {"text": "\r"} if key == "Enter" else {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def close(self):
        self.process.kill()
        self.process.wait()

    def picture(self, file, width=1200, height=None):
        """Of the whole page, or of its first `height` pixels."""
        high = height or self.value("document.documentElement.scrollHeight")
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True,
                         clip=dict(x=0, y=0, width=width, height=high, scale=1))
        file.write_bytes(base64.b64decode(shot["data"]))


class Score:
    passed = failed = 0

    def check(self, good, what):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print("FAILED", what)
