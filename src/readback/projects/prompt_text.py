"""The text of a prompt file, as tools of Python and of JavaScript open one."""

from __future__ import annotations

from pathlib import Path

LARGEST = 4 << 20  # bytes of a prompt file


def read_prompt_text(path: Path) -> tuple[str, str | None]:
    """Return the text of a file as Python opens one - UTF-8, all line ends one newline - and why there is none."""
    text, refused = read_exact_text(path)
    return text.replace("\r\n", "\n").replace("\r", "\n"), refused


def read_exact_text(path: Path) -> tuple[str, str | None]:
    """Return the UTF-8 text of a file with its line ends as they are, and why there is none."""
    try:
        with path.open("rb") as stream:
            data = stream.read(LARGEST + 1)
        text = data.decode()
    except OSError as error:
        return "", f"it cannot be read: {(error.strerror or 'not readable').lower()}"
    except UnicodeDecodeError as error:
        return "", f"it is not UTF-8 (byte {error.start + 1})"
    if len(data) > LARGEST:
        return "", f"it has more than {LARGEST:,} bytes"
    return text, None
