"""Enough WebDriver BiDi to open a page in Firefox and ask it something; no driver program is needed."""

from __future__ import annotations

import json
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from websockets.sync.client import connect

WAIT = 30.0  # seconds for one answer


class Firefox:
    """A headless Firefox with a profile of its own."""

    def __init__(self, path: str, profile: Path, port: int) -> None:
        self.command = [path, "--headless", "--no-remote", "--profile", str(profile), f"--remote-debugging-port={port}"]
        self.address = f"ws://127.0.0.1:{port}/session"
        self.count = 0
        self.opened = ExitStack()

    def __enter__(self) -> Firefox:
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(200):
            try:
                self.socket = self.opened.enter_context(connect(self.address, max_size=None))
                break
            except OSError:
                time.sleep(0.2)
        self.call("session.new", capabilities={})
        self.context = self.call("browsingContext.getTree")["contexts"][0]["context"]
        return self

    def __exit__(self, *_: object) -> None:
        self.opened.close()
        self.process.terminate()
        self.process.wait(20)

    def call(self, method: str, **params: Any) -> Any:
        """One command and its result."""
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": params}))
        while True:
            answer = json.loads(self.socket.recv(timeout=WAIT))
            if answer.get("id") == self.count:
                assert answer["type"] == "success", answer
                return answer["result"]

    def open(self, url: str) -> None:
        self.call("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def ask(self, expression: str) -> Any:
        """The value of an expression that gives JSON text."""
        target = {"context": self.context}
        result = self.call("script.evaluate", expression=expression, target=target, awaitPromise=True)
        assert result["type"] == "success", result
        return json.loads(result["result"]["value"])

    def wait_for(self, selector: str) -> None:
        """Until there is an element of that selector."""
        end = time.monotonic() + WAIT
        while not self.ask(f"JSON.stringify(document.querySelector({json.dumps(selector)}) !== null)"):
            assert time.monotonic() < end, f"no {selector}"
            time.sleep(0.1)
