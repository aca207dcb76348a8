"""Name an answer by all that it depends on, so that it is found again while everything is the same, and only then.

Compared is what things hold, never their size and time: every file of the workspace's folder, the workspace as it was
opened, what was asked, the day where templates may print it, this package and all others that are installed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

from readback import plugins
from readback.project_files import CONFIGS
from readback.readers.files import checksum
from readback.readers.files.cache_folder import uploaded
from readback.readers.files.checksum import Hashes, State, state
from readback.types import Workspace
from readback.words import language

FILES = 2_000  # files of a folder; the answers about a folder with more files are not stored
NOT_OURS = {"__pycache__", "_bundle"}  # folders of the package that hold what was generated from it, or for it
HEADER = re.compile(r"^(?:Name|Version):[ \t]*(.*)", re.MULTILINE | re.IGNORECASE)  # of an installed package

States = dict[str, State]  # of files, by their paths below the workspace's folder


def can_name(opened: Workspace) -> bool:
    """Return whether everything that the answers about a workspace depend on can be compared."""
    return not uploaded(opened.root) and not any(plugins.load_plugins(group) for group in plugins.GROUPS)


def list_files(root: Path) -> States | None:
    """Return the state of each file below a folder; None where a link or too many files make the list incomplete."""
    states: States = {}
    folders = [root]
    try:
        while folders:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    if entry.is_symlink() or len(states) > FILES:
                        return None
                    if entry.is_dir():
                        folders.append(Path(entry.path))
                    elif not entry.is_file():
                        return None
                    else:
                        states[os.path.relpath(entry.path, root)] = state(entry.path)
    except OSError:
        return None
    return states


def digest(value: Any) -> str:
    """Return 32 hex digits of SHA-256 over a JSON value; the order of keys does not count."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:32]


def digest_in_order(value: Any) -> str:
    """Return 32 hex digits of SHA-256 over a JSON value; the order of keys counts, as it does in a configuration."""
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:32]


def list_versions() -> list[Any]:
    """Return what every answer depends on, as JSON: Python, installed packages, this package, the words' language."""
    return [sys.version, _list_installed(), digest_package(), language()]


def digest_content(root: Path, files: States, hashes: Hashes) -> list[list[Any]]:
    """Return [name, first byte, hash] for each part of the files below a folder. Raises OSError where one is gone."""
    parts = []
    for name, file_state in sorted(files.items()):
        for at in range(0, max(file_state.size, 1), checksum.PART):  # an empty file has one part, too
            parts.append((name, at))
    digests = hashes.hash_parts([(root / name, at, at + checksum.PART) for name, at in parts])
    return [[name, at, part] for (name, at), part in zip(parts, digests, strict=True)]


@cache
def digest_package() -> str:
    """Return a digest of what this package holds, wherever it is installed: rules, words, readers, adapters."""
    files = []
    for number, home in enumerate(map(str, (Path(__file__).parents[1], CONFIGS))):
        for folder, below, names in os.walk(home):
            below[:] = set(below) - NOT_OURS
            for name in names:
                path = Path(folder, name)
                if path.is_file():
                    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
                    files.append([f"{number} {str(path).removeprefix(home)}", sha256])
    return digest(sorted(files))


@cache
def _list_installed() -> list[list[str]]:
    """Return the name and the version of every installed package.

    Only the head of its METADATA is read: importlib would parse each whole file, which takes 0.1 seconds.
    """
    from importlib.metadata import distributions

    heads = []
    for package in distributions():
        text = package.read_text("METADATA") or package.read_text("PKG-INFO") or ""
        heads.append(HEADER.findall(text.partition("\n\n")[0]))
    return sorted(heads)
