"""Run a program with the addresses of its models set to the tap."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence

PLACE = "{tap}"  # in a word of the command: the address of the tap
KEY = "readback-tap"  # where a program needs a key and has none
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY")
LOCAL = "127.0.0.1,localhost"
SIGNALLED = 128  # an exit code of a shell above which a signal ended the program


def build_environment(environment: Mapping[str, str], address: str) -> dict[str, str]:
    """Return the variables for the program: those it would have, with the addresses and with keys it lacks."""
    addresses = {
        "OPENAI_BASE_URL": f"{address}/v1",
        "OPENAI_API_BASE": f"{address}/v1",
        "OPENAI_API_BASE_URL": f"{address}/v1",
        "OLLAMA_HOST": address,
        "OLLAMA_BASE_URL": address,
        "OLLAMA_API_BASE": address,
        "ANTHROPIC_BASE_URL": address,
        "ANTHROPIC_API_BASE": address,
        "READBACK_TAP": address,
    }
    keys = {name: KEY for name in KEYS if not environment.get(name)}
    # a proxy that is set for the outside must not be asked for this machine
    direct = {name: ",".join(filter(None, (environment.get(name), LOCAL))) for name in ("NO_PROXY", "no_proxy")}
    return {**environment, **addresses, **keys, **direct}


def run_program(command: Sequence[str], address: str) -> int:
    """Run the program to its end and return its exit code, as a shell gives it. Raises OSError if it cannot start.

    An interrupt from the keyboard reaches the program as well; it is waited for.
    """
    words = [word.replace(PLACE, address) for word in command]
    environment = build_environment(os.environ, address)
    with subprocess.Popen(words, env=environment) as program:  # noqa: S603 - what the user typed
        previous = signal.signal(signal.SIGTERM, lambda *_: program.terminate())
        try:
            while True:
                try:
                    code = program.wait()
                    break
                except KeyboardInterrupt:
                    continue  # the program decides whether it ends
        finally:
            signal.signal(signal.SIGTERM, previous)
    if code < 0:
        return SIGNALLED - code
    return code
