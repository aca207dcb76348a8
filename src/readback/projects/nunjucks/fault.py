"""What is wrong with a template, and the limits that every rendering keeps."""

from __future__ import annotations

STEPS = 400_000  # parts of a template that one rendering may run; a long prompt runs some hundreds
TEXT = 8 << 20  # characters of any text that is built on the way
ITEMS = 200_000  # items of any list that is built on the way
LEVELS = 60  # calls of macros inside each other


class TemplateFault(Exception):  # noqa: N818 - carries a reason, as every fault of the input does
    """A template cannot be parsed or rendered. `unknown` where Readback does not know the construct, not nunjucks."""

    def __init__(self, reason: str, offset: int | None = None, *, unknown: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.offset = offset
        self.unknown = unknown


def refuse_unknown(what: str, offset: int | None = None) -> TemplateFault:
    """Return the fault that Readback does not render `what`, though nunjucks may."""
    return TemplateFault(f"{what} is not rendered by Readback", offset, unknown=True)


def check_text(length: float) -> None:
    """Refuse a text of so many characters."""
    if length > TEXT:
        raise TemplateFault(f"it builds a text of more than {TEXT} characters", unknown=True)


def check_items(number: float) -> None:
    """Refuse a list of so many items."""
    if number > ITEMS:
        raise TemplateFault(f"it builds a list of more than {ITEMS} items", unknown=True)
