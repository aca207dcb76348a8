"""A child that stays answers what a child of its own answers, and is asked nothing that it does not answer plainly."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from readback import sandbox
from readback.prompts import render
from readback.prompts.render import Template
from readback.sandbox.children import CAPACITY, StayingChildren, use_children
from readback.sandbox.limits import Limits

WORK = "readback.prompts.render.jinja:work"
LIMITS = Limits(seconds=0.8, total=2.5, closed=True)


def asked(text: str, **values: Any) -> dict[str, Any]:
    return {"templates": [[text, False]], "values": values, "defaults": {}}


@pytest.fixture
def children() -> Iterator[StayingChildren]:
    made = StayingChildren()
    yield made
    made.close()


def test_what_comes_again_is_answered_by_one_child(children: StayingChildren) -> None:
    answers = [children.ask("a", WORK, asked("{{ q }}!", q=n), LIMITS) for n in range(4)]
    assert answers[0] is None  # the first time it is not worth one
    own = [list(sandbox.stream(WORK, asked("{{ q }}!", q=n), LIMITS)) for n in range(4)]
    assert answers[1:] == own[1:]
    assert len(children) == 1


def test_no_more_than_a_few_children_stay(children: StayingChildren) -> None:
    for n in range(2 * CAPACITY):
        assert children.ask(n, WORK, asked("a"), LIMITS) is None
        assert children.ask(n, WORK, asked("a"), LIMITS) is not None
    assert len(children) == CAPACITY


def test_a_child_that_is_killed_is_another_one_the_next_time(children: StayingChildren) -> None:
    endless = asked("{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}")
    short = Limits(seconds=0.05, total=0.1, closed=True)
    assert [children.ask("a", WORK, asked("a"), short) for _ in range(2)][1] is not None
    assert children.ask("a", WORK, endless, short) is None
    assert len(children) == 0
    assert children.ask("a", WORK, asked("a"), short) is not None


def test_one_that_is_asked_by_another_thread_is_not_waited_for(children: StayingChildren) -> None:
    told: list[Any] = []
    children.ask("a", WORK, asked("a"), LIMITS)
    with children.lock:
        thread = threading.Thread(target=lambda: told.append(children.ask("a", WORK, asked("a"), LIMITS)))
        thread.start()
        thread.join()
    assert told == [None]


def test_a_process_that_was_forked_does_not_ask_its_parents_child(children: StayingChildren) -> None:
    for _ in range(2):
        children.ask("a", WORK, asked("a"), LIMITS)
    (child,) = children.list_children()
    (before,) = (child._ends,)
    child.owner = os.getpid() + 1
    assert children.ask("a", WORK, asked("b"), LIMITS) is not None
    assert (child.owner, child._ends != before) == (os.getpid(), True)


def test_long_work_for_one_payload_after_another_is_done_by_one_child(tmp_path: Path) -> None:
    (there := tmp_path / "there").touch()
    child = sandbox.Child("readback.sandbox.self_test:spin_until", Limits(seconds=0.2, total=60))
    (first,), (second,) = child.stream(str(there)), child.stream(str(there))
    assert first == second
    with pytest.raises(sandbox.Stopped, match=r"0\.2 s"):
        list(child.stream(str(tmp_path / "not there")))
    (third,), (fourth,) = child.stream(str(there)), child.stream(str(there))
    assert first != third == fourth
    child.close()
    assert list(child.stream(str(there))) != [fourth]
    child.close()


def test_after_a_run_that_was_left_early_the_next_begins_anew() -> None:
    child = sandbox.Child("readback.sandbox.self_test:count", LIMITS)
    for number in child.stream(9):
        if number == 3:
            break
    assert list(child.stream(4)) == [0, 1, 2, 3]
    assert list(child.stream(2)) == [0, 1]
    child.close()


@pytest.mark.parametrize(
    "text", ["{{ q }}", "{{ q.a.b }}", "{% if %}", "{{ q|random }}", "{% include 'a' %}", "{{ 1/0 }}"]
)
def test_a_template_says_the_same_either_way(children: StayingChildren, text: str) -> None:
    templates = (Template(text), Template("{{ q }} again"))
    alone = render.render(templates, {"q": "Why?"})
    with use_children(children):
        assert [render.render(templates, {"q": "Why?"}) for _ in range(3)] == [alone] * 3
