"""The one colour of our own, and a team's own in its place: READBACK_ACCENT, a colour like #7a1f5c.

What is read on white has that colour; on dark a lighter one is made of it. A colour that could not be read on white
(WCAG 2.2, criterion 1.4.3: a contrast of at least 4.5) is refused with a sentence when the server starts.
"""

from __future__ import annotations

import os
import re

ACCENT = "#0b6e69"
LIGHTER = 0.55  # how much white is mixed in for the dark theme
LEAST = 4.5  # contrast on white
VARIABLE = "READBACK_ACCENT"
HEX = re.compile(r"#[0-9a-fA-F]{6}")


def read_accent() -> tuple[str, str]:
    """Return the accent of this server and why the one in the environment is not taken, "" where it is."""
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return ACCENT, ""
    if not HEX.fullmatch(text):
        return ACCENT, f"{VARIABLE}: {text[:40]!r} is no colour like {ACCENT}, so that one is used"
    if (contrast := measure_contrast(text)) < LEAST:
        reason = f"has a contrast of {contrast:.1f} on white, and {LEAST} is the least that can be read"
        return ACCENT, f"{VARIABLE}: {text} {reason}, so {ACCENT} is used"
    return text.lower(), ""


def measure_contrast(colour: str) -> float:
    """Return the contrast of a colour (#rrggbb) on white, by the formula of WCAG 2.2 (relative luminance)."""
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels)
    return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)


def lighten(colour: str) -> str:
    """Return the colour for the dark theme: mixed with white."""
    channels = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(each + (255 - each) * LIGHTER):02x}" for each in channels)


def write_style(colour: str) -> str:
    """Return the style rule of an accent of a team's own; nothing for the usual one."""
    if colour == ACCENT:
        return ""
    light = lighten(colour)
    tint = f"light-dark(color-mix(in srgb, {colour} 11%, white), color-mix(in srgb, {light} 18%, #14171b))"
    return f":root:root {{ --rb-accent: light-dark({colour}, {light}); --rb-accent-tint: {tint}; }}"


def list_theme_options(colour: str) -> dict[str, str]:
    """Return what Streamlit's theme is told of an accent of a team's own."""
    if colour == ACCENT:
        return {}
    light = lighten(colour)
    return {
        "theme.light.primaryColor": colour,
        "theme.light.linkColor": colour,
        "theme.dark.primaryColor": light,
        "theme.dark.linkColor": light,
    }
