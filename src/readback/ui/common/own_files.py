"""Our own files that a browser asks our server for: the script, the style sheet and the fonts, and their addresses."""

from __future__ import annotations

import json
from pathlib import Path

from readback.ui.common import accent

SCRIPT = Path(__file__).with_name("browser") / "page.js"
SCRIPT_PATH = "/readback/page.js"
FONTS = SCRIPT.with_name("fonts")
FONTS_PATH = "/readback/fonts/"
MARK = SCRIPT.with_name("mark.svg")
MARK_PATH = "/readback/mark.svg"
BASE_PATH = "/readback/base.js"  # a script that says where the server is; see base_script
STYLES = tuple(Path(__file__).with_name(name) for name in ("style.css", "first_view.css"))
STYLE_PATH = "/readback/style.css"
LINKED = False  # whether each page links the style sheet, as our server has it


def under(base_path: str, path: str) -> str:
    """Return an absolute path below the path that the proxy shows the pages under."""
    base = base_path.strip("/")
    if base:
        return f"/{base}{path}"
    return path


def sheet(base_path: str) -> str:
    """Return the style sheet of all pages below this path, our own fonts first: a browser fetches those whose
    characters are on a page, from our own address, since the policy lets no other be loaded.
    """
    faces = (FONTS / "fonts.css").read_text("utf-8").replace('url("', f'url("{under(base_path, FONTS_PATH)}')
    own = accent.write_style(accent.read_accent()[0])
    return "\n".join([faces, *(file.read_text("utf-8") for file in STYLES), own])


def base_script(base_path: str) -> str:
    """Return the script that says where the server is. Without it Streamlit's page asks at each part of the address in
    turn, which costs a moment and leaves errors in the browser's console.
    """
    home = f"location.origin + {json.dumps(under(base_path, '/'))}"
    return f"window.__streamlit = {{ BACKEND_BASE_URL: {home}, MAIN_PAGE_BASE_URL: {home} }};"
