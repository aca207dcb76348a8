"""The accent of a team's own: taken where it can be read, refused with a reason where not."""

from __future__ import annotations

import pytest

from readback.ui.common import accent, own_files


@pytest.mark.parametrize(
    ("text", "colour", "reason"),
    [
        ("", accent.ACCENT, ""),
        ("#7A1F5C", "#7a1f5c", ""),
        ("#ffee88", accent.ACCENT, "has a contrast of 1.2 on white"),
        ("teal", accent.ACCENT, "is no colour like"),
        ("#7a1f5c; } body { display: none", accent.ACCENT, "is no colour like"),
        ("url(https://evil.example)", accent.ACCENT, "is no colour like"),
    ],
)
def test_an_accent_is_taken_or_refused(monkeypatch: pytest.MonkeyPatch, text: str, colour: str, reason: str) -> None:
    monkeypatch.setenv(accent.VARIABLE, text)
    taken, why = accent.read_accent()
    assert taken == colour
    assert reason in why
    assert bool(why) == bool(reason)
    assert ("evil" in own_files.sheet(""), "display: none }" in accent.write_style(taken)) == (False, False)


def test_contrast_is_that_of_the_standard() -> None:
    assert accent.measure_contrast("#000000") == pytest.approx(21)
    assert accent.measure_contrast("#ffffff") == pytest.approx(1)
    assert accent.measure_contrast("#767676") == pytest.approx(4.54, abs=0.01)


def test_the_dark_theme_has_a_lighter_one() -> None:
    assert accent.lighten("#000000") == "#8c8c8c"
    assert accent.list_theme_options(accent.ACCENT) == {}
    assert accent.list_theme_options("#7a1f5c")["theme.dark.primaryColor"] == accent.lighten("#7a1f5c")
