"""Run the zygote: a warm process with one thread that forks a bounded child for each request."""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import traceback
from collections.abc import Collection
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import Any, NoReturn

from readback import plugins, sandbox
from readback.sandbox import client, frames, jail, landlock
from readback.sandbox.limits import apply_kernel_limits

WARM = (
    "readback.prompts.render.jinja",
    "readback.readers.yaml.yaml_decode",
)  # their warm() touches what a child would meet first
GC_THRESHOLD = (50_000, 20, 20)  # most children end before they made enough objects for one collection


def main(number: str, plugin_entries: str, *modules: str) -> NoReturn:
    """Serve requests on the socket `number` until our parent ends.

    `plugin_entries` are the plugins that it loaded; `modules` are loaded for the children, and of those with a function
    and its argument the function is called for what children share.
    """
    control = socket.socket(fileno=int(number))
    plugins.import_entries(plugin_entries)
    jail.reset_signals()
    facts = jail.isolate()
    for module in WARM:
        _warm(module)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLD)
    rules = landlock.build_ruleset()
    facts["files of closed work"] = "Python's own" if rules is not None else "not limited"
    control.sendall(frames.encode(frames.VALUE, {"zygote": os.getpid(), **facts}))
    os.dup2(os.open(os.devnull, os.O_RDWR), 2)  # a child's death must not spill onto the app's terminal
    for module in modules:
        with suppress(Exception):  # the child that asks for it meets the same error and reports it
            if ":" in module:
                _share([module])
            else:
                _warm(module)
    _serve(control, rules)


def _serve(control: socket.socket, rules: int | None) -> NoReturn:
    children: dict[int, socket.socket] = {}  # pid -> our end for its exit status; its caller hangs up to kill it
    turns = _Turns()
    waker, wake = os.pipe()
    for end in (waker, wake):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    poll = select.poll()
    poll.register(control, select.POLLIN)
    poll.register(waker, select.POLLIN)
    while True:
        ready = dict(poll.poll())
        if waker in ready:
            with suppress(BlockingIOError):
                os.read(waker, 4096)
        _reap(children, poll)
        for pid, status in list(children.items()):
            events = ready.get(status.fileno(), 0)
            if events & ~select.POLLIN:
                os.kill(pid, signal.SIGKILL)  # a child that is stopped dies of it too
                poll.unregister(status)  # its death is reaped like any other
            elif events:  # what had to be made alone is there
                status.recv(1)
                poll.modify(status, 0)
                turns.alone.remove(pid)
        if control.fileno() in ready:
            request = _receive(control)
            if request is None:
                _kill_all(children)
            child = _fork(*request, rules)
            if child is not None:
                pid, children[pid], alone = child
                poll.register(children[pid], select.POLLIN if alone else 0)  # POLLHUP is always reported
                turns.alone += [pid] * alone
        turns.apply(children)


class _Turns:
    """Decide which children work: all, or while something has to be made alone, the first that asked for it."""

    def __init__(self) -> None:
        self.alone: list[int] = []
        self.stopped: set[int] = set()

    def apply(self, children: Collection[int]) -> None:
        """Stop the children whose turn it is not, and let the others go on."""
        self.alone = [pid for pid in self.alone if pid in children]
        stopped = {pid for pid in children if self.alone and pid != self.alone[0]}
        for pid in self.stopped ^ stopped:
            if pid in children:  # not reaped, so the number is still its own
                os.kill(pid, signal.SIGSTOP if pid in stopped else signal.SIGCONT)
        self.stopped = stopped


def _kill_all(children: dict[int, socket.socket]) -> NoReturn:
    for pid in children:
        os.kill(pid, signal.SIGKILL)
    os._exit(0)


def _receive(control: socket.socket) -> tuple[str, socket.socket, socket.socket] | None:
    message, ends, _, _ = socket.recv_fds(control, client.MESSAGE, 2)
    while message and len(message) < client.MESSAGE:
        more = control.recv(client.MESSAGE - len(message))
        if not more:
            return None
        message += more
    if not message:
        return None
    data, status = (socket.socket(fileno=end) for end in ends)
    return message.decode("ascii").strip(), data, status


def _fork(
    request: str, data: socket.socket, status: socket.socket, rules: int | None
) -> tuple[int, socket.socket, bool] | None:
    how, module, *shared = request.split()
    with suppress(Exception):  # the child meets the same error and reports it
        _warm(module)
        _share(shared)
    with data:
        try:
            pid = os.fork()
        except OSError:  # no memory or no process left: the caller sees its sockets closed and tries again
            status.close()
            return None
        if pid == 0:
            try:
                if how == sandbox.ASIDE:
                    jail.lower_priority(sandbox.NICENESS)
                _run_child(data, rules)
            finally:
                os._exit(1)
    return pid, status, how == sandbox.ALONE


@cache
def _warm(name: str) -> None:
    """Load a module, and by its `warm()` what its work would load first: once, not in every child."""
    getattr(import_module(name), "warm", bool)()
    gc.freeze()  # children share these pages as long as the collector leaves them alone


def _share(names: list[str]) -> None:
    """Load what several children use; each function caches what it loaded."""
    for name in names:
        home, function, argument = name.split(":")
        getattr(import_module(home), function)(argument)


def _reap(children: dict[int, socket.socket], poll: select.poll) -> None:
    while children:
        pid, status, usage = os.wait4(-1, os.WNOHANG)
        if not pid:
            return
        end = children.pop(pid)
        with suppress(KeyError):
            poll.unregister(end)
        with end, suppress(OSError):
            end.sendall(sandbox.ENDED.pack(os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime))


def _run_child(data: socket.socket, rules: int | None) -> None:
    """Read the request, set the limits, work, answer, and end the process.

    Where the request says that it `stays`, further payloads follow, and the limits are those of all of them together,
    except for the time between beats.
    """
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    jail.die_with_parent()
    _, request, _ = frames.read(data, 1 << 32, None)
    limits = sandbox.Limits(**request["limits"])
    work, payload, stays = request["work"], request["payload"], request.get("stays", False)
    del request
    mapped = jail.measure_mapped_memory()  # read before /proc is out of reach
    if limits.closed and rules is not None:
        import_module(work.partition(":")[0])
        landlock.restrict(rules)
    os.closerange(3, data.fileno())
    os.closerange(data.fileno() + 1, 1 << 16)
    answer = _Answer(data, limits)
    apply_kernel_limits(limits, mapped)
    sandbox.enter(limits)
    sandbox.beat()
    try:
        module, name = work.split(":")
        function = getattr(import_module(module), name)
        answer.send_result(function(payload))
        while stays:
            sandbox.pause()
            _, payload, _ = frames.read(data, 1 << 32, None)
            answer = _Answer(data, limits)
            sandbox.beat()
            answer.send_result(function(payload))
    except frames.Closed:
        os._exit(0)  # nobody asks for more
    except MemoryError:
        os._exit(sandbox.MEMORY_EXIT)
    except sandbox.Stopped as stopped:
        answer.send(frames.STOPPED, [stopped.kind, stopped.detail])
    except BrokenPipeError:
        os._exit(0)  # nobody reads any more
    except Exception:
        answer.send(frames.FAILED, traceback.format_exc(limit=-20))
    os._exit(0)


class _Answer:
    """Send a child's answer: count its bytes, and stop the clock while the reader is slow."""

    def __init__(self, data: socket.socket, limits: sandbox.Limits) -> None:
        self.data, self.left = data, limits.output

    def send_result(self, result: Any) -> None:
        """Send what the work returned, or each value of a generator, and that it is done."""
        for value in result if hasattr(result, "__next__") else (result,):
            self.send(frames.VALUE, value)
        self.send(frames.DONE, None)

    def send(self, kind: bytes, value: Any) -> None:
        frame = frames.encode(kind, value)
        self.left -= len(frame) - frames.HEAD.size
        if self.left < 0 and kind == frames.VALUE:
            os._exit(sandbox.OUTPUT_EXIT)
        sandbox.pause()
        self.data.sendall(frame)
        sandbox.beat()
