"""Addresses of pages that were: each leads to its room with all that its query named."""

from __future__ import annotations

import pytest

from readback.ui.common.old_addresses import translate_address


@pytest.mark.parametrize(
    ("page", "query", "room"),
    [
        ("messages", "", "prompts"),
        ("messages", "record=r%201&condition=a%2C+b", "prompts?record=r+1&condition=a%2C+b"),
        ("messages", "view=wire&finding=x", "prompts?finding=x&layer=wire"),
        ("compare", "condition=a&b_condition=b", "prompts?condition=a&b_condition=b&view=difference"),
        ("compare", "view=grid", "prompts?view=every"),
        ("compare", "view=records&part=2", "prompts?part=2&view=records"),
        ("compare", "view=text", "prompts?view=difference"),
        ("scores", "criterion=c&view=agreement", "results?criterion=c&view=agreement"),
        ("records", "record=1&at=20", "results?record=1&at=20&view=rows"),
        ("agenda", "item=finding%3Ax", "review?item=finding%3Ax"),
        ("agenda", "empty=", "review?empty="),
        ("messages", "record=%0d%0aSet-Cookie:x", "prompts?record=%0D%0ASet-Cookie%3Ax"),
        ("messages", "//evil.example/", "prompts?%2F%2Fevil.example%2F="),
    ],
)
def test_an_old_address_leads_to_its_room(page: str, query: str, room: str) -> None:
    assert translate_address(page, query) == room


def test_a_page_that_never_was_has_no_room() -> None:
    with pytest.raises(KeyError):
        translate_address("admin", "")
