"""The parts of Streamlit's own script that our pages need at once: named in the page, they are there before the first
run of it, and nothing is drawn first as a grey bar of another height.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

NEEDED = (
    "Html",
    "Selectbox",
    "TextInput",
    "Button",
    "PageLink",
    "Checkbox",
    "DownloadButton",
    "NumberInput",
    "Popover",
)
IMPORT = re.compile(r"""(?:from|import)\s*["']\./([\w.-]+\.js)["']""")


@cache
def names() -> tuple[str, ...]:
    """The files of `static/js` that hold the needed parts, and those that they import; none that is not there."""
    import streamlit

    folder = Path(streamlit.__file__).parent / "static" / "static" / "js"
    waiting = [file.name for part in NEEDED for file in folder.glob(f"{part}.*.js")]
    found: dict[str, None] = {}
    while waiting:
        name = waiting.pop()
        if name not in found and (folder / name).is_file():
            found[name] = None
            waiting += IMPORT.findall((folder / name).read_text("utf-8"))
    return tuple(found)
