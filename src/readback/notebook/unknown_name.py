"""The error for a name that a workspace does not have: a sentence with the names there are."""

from __future__ import annotations

from collections.abc import Iterable

from readback.readers.yaml_file import nearest

NAMED = 20  # names that are listed; how many more there are is said


class UnknownNameError(KeyError):
    """A KeyError whose text is a sentence: `there is no condition 'gatway'; choose one of 'gateway', 'direct'`."""

    def __str__(self) -> str:
        return str(self.args[0])  # a KeyError would show its sentence as a Python literal


def unknown_name(kind: str, name: str, known: Iterable[str]) -> UnknownNameError:
    """The error for `name`; of many names the nearest comes first."""
    names = list(dict.fromkeys(known))
    if not names:
        return UnknownNameError(f"there is no {kind} '{name}': the workspace has none")
    if (near := nearest(name, names)) and len(names) > NAMED:
        names = [near, *(other for other in names if other != near)]
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    listed = ", ".join(f"'{one}'" for one in names[:NAMED])
    return UnknownNameError(f"there is no {kind} '{name}'; choose one of {listed}{more}")
