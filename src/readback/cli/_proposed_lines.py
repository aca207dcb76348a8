"""Tables that look like scores, where there are none: the option that reads each, and the lines of readback.yml."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from readback import workspace
from readback.cli._sentence import fill
from readback.readers.yaml_text import flow
from readback.types import Workspace
from readback.words import t
from readback.workspace import proposed_scores
from readback.workspace.workspace_file import entries


def text(opened: Workspace, said: str) -> Iterator[str]:
    """What is proposed of the workspace that the command line called `said`; nothing where nothing is."""
    for one in proposed_scores.proposed(opened.alternatives):
        option = f"--{one.key} {shlex.quote(one.line)}"
        yield t(f"open.table_{one.key}", file=one.file, n=len(one.columns), columns=", ".join(one.columns))
        yield fill("  to read it once: {command}", command=f"readback scores {shlex.quote(said)} {option}")
        yield fill("  to keep it: {command}", command=f"readback init {shlex.quote(said)} {option}")
        yield "  that writes readback.yml with the other files found here and these lines:"
        yield "    scores:"
        read = workspace.open(said, chosen={**opened.chosen, one.key: one.line})
        yield from (f"      - {flow(entries.scores(source))}" for source in read.scores)
