"""Build the error for a name that a workspace does not have: a sentence with the names there are."""

from __future__ import annotations

from collections.abc import Iterable

from readback.readers.yaml.yaml_file import find_nearest

NAMES_LISTED = 20  # the others are counted


class UnknownNameError(KeyError):
    """A KeyError whose text is a sentence: `there is no condition 'gatway'; choose one of 'gateway', 'direct'`."""

    def __str__(self) -> str:
        """Return the sentence."""
        return str(self.args[0])  # a KeyError would show its sentence as a Python literal


def build_unknown_name_error(kind: str, name: str, names: Iterable[str]) -> UnknownNameError:
    """Return the error for `name`; of many names the nearest comes first."""
    names = list(dict.fromkeys(names))
    if not names:
        return UnknownNameError(f"there is no {kind} '{name}': the workspace has none")
    near = find_nearest(name, names)
    if near and len(names) > NAMES_LISTED:
        names = [near, *(candidate for candidate in names if candidate != near)]
    if len(names) > NAMES_LISTED:
        more = f" and {len(names) - NAMES_LISTED:,} more"
    else:
        more = ""
    listed = ", ".join(f"'{candidate}'" for candidate in names[:NAMES_LISTED])
    return UnknownNameError(f"there is no {kind} '{name}'; choose one of {listed}{more}")
