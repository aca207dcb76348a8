"""Work that takes longer than a page may: in a thread, with progress, and stopped on request."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from typing import Any

import streamlit as st

from readback import sandbox
from readback.quantity import size
from readback.readers.files.progress import Cancelled
from readback.ui.common import show
from readback.words import t

Progress = Callable[[int, int], bool]  # done, total (0: unknown) -> go on?
PATIENCE = 0.4  # seconds a page waits before it shows progress instead; most work is done by then
POLL = 0.5  # seconds between two looks at work in progress


class Job:
    """One piece of work, shared by all sessions that look at the same files.

    `work` answers, or is a generator: what it yields is shown as a `part` meanwhile, and the last is its answer.
    """

    def __init__(self, work: Callable[[Progress], Any]) -> None:
        self.done, self.total, self.stopped = 0, 0, False
        self.result: Any = None
        self.part: Any = None
        self.error: BaseException | None = None
        self.began = time.monotonic()
        self.ready = threading.Event()
        sandbox.give_way()
        threading.Thread(target=self._run, args=(work,), daemon=True, name="readback-work").start()

    def _run(self, work: Callable[[Progress], Any]) -> None:
        try:
            answer = work(self._progress)
            if isinstance(answer, Generator):
                for self.part in answer:
                    pass
                answer = self.part
            self.result = answer
        except Cancelled:  # as asked: there is no result
            self.stopped = True
        except BaseException as error:  # handed to the page that waits, where it is shown as our mistake
            self.error = error
        finally:
            self.ready.set()

    def _progress(self, done: int, total: int) -> bool:
        self.done, self.total = done, total
        return not self.stopped

    @property
    def left(self) -> float | None:
        """Seconds left at the speed so far, or None while that cannot be said."""
        spent = time.monotonic() - self.began
        if self.done and self.total and spent > 1:
            return spent / self.done * (self.total - self.done)
        return None


def wait(job: Job, sentence: str, key: str) -> Any:
    """Return the result of the job; while it is not ready, show its progress and end the page here.

    `sentence` is a key of words with the places done and total, or read and size where bytes are counted. Work that was
    stopped answers what it has: None, or a part.
    """
    if not job.ready.wait(PATIENCE):
        _watch(job, sentence, key)
        st.stop()
    if job.error is not None:
        raise job.error
    return job.result


def whole(job: Job, sentence: str, key: str, stopped: str, again: str, forget: Callable[[], object]) -> Any:
    """As `wait`; where the work was stopped, say so (`stopped`, `again`: keys of words), offer it again, and end here.

    `forget` makes the next look begin the work anew.
    """
    result = wait(job, sentence, key)
    if result is None:
        show.empty(t(stopped))
        if st.button(t(again), key=f"again_{key}"):
            forget()
            st.rerun()
        st.stop()
    return result


def look(
    job: Job, sentence: str, key: str, patience: float = PATIENCE, part: Callable[[Any], object] | None = None
) -> bool:
    """Whether the job is ready; while it is not, show how far it is, and let the page go on.

    `part` draws what the job has so far, if it has anything.
    """
    if job.ready.wait(patience):
        if job.error is not None:
            raise job.error
        return True
    _watch(job, sentence, key, part)
    return False


@st.fragment(run_every=POLL)
def _watch(job: Job, sentence: str, key: str, part: Callable[[Any], object] | None = None) -> None:
    if job.ready.is_set():
        st.rerun()
    share = job.done / job.total if job.total else 0.0
    done, total = job.done, job.total
    sizes = {"read": size(done), "size": size(total)}  # of what counts bytes
    if done or total:
        sentence_text = t(sentence, done=done, total=total, **sizes)
    else:
        sentence_text = t("frame.starting")
    st.progress(min(share, 1.0), sentence_text)
    show.draw(show.aloud(sentence_text, ended=t("frame.ended")))
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(t("frame.stop"), key=f"stop_{key}"):
            job.stopped = True
        left = job.left
        st.caption(t("frame.left", n=max(1, round(left))) if left is not None else t("frame.left_unknown"))
    if part is not None and job.part is not None:
        part(job.part)
