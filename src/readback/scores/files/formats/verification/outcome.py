"""Whether an answer passed: what `verify_result` says, and what a recorded failure means where it says nothing.

Categories and groups are those of biocypher/karenina's results of format 2.2. docs/decisions/0020 says why each group
counts as it does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from readback.scores.files.cells import Cell, text_of
from readback.scores.table import FAILED, MISSING, SCORED

NOTHING = math.nan, MISSING, ""
GROUPS = {
    "content": "content",
    **dict.fromkeys(("recursion_limit", "trace_validation", "deep_judgment", "deep_judgment_rubric"), "autofail"),
    **dict.fromkeys(("timeout", "connection", "rate_limit", "server_error"), "retry"),
    **dict.fromkeys(("abstention", "sufficiency"), "abstained"),
    **dict.fromkeys(("template_validation", "parsing", "unexpected_error"), "system"),
}
# How a group counts where the file states no verify_result: the judgement was made, refused, or never came about.
COUNTS = {"content": SCORED, "autofail": SCORED, "abstained": MISSING, "retry": FAILED, "system": FAILED}
UNKNOWN = "unknown"  # a category of a later version, say
SHOWN = 200  # characters of a reason
RUBRIC_ONLY = "rubric_only"  # the evaluation mode without a template to verify
ABSTAINED = "abstained"
EXPLAINED = {
    SCORED: "the file records a failure ({said}) and no result: it counts as not passed",
    MISSING: "the model did not answer ({said})",
    FAILED: "nothing could be judged ({said})",
}


def group_of(failure: Any) -> str | None:
    """Return the group of a recorded failure, by its category, else as it is stated; None where nothing failed."""
    if not isinstance(failure, Mapping):
        if failure is None or failure == "":
            return None
        return UNKNOWN
    category, reported = text_of(failure.get("category")), text_of(failure.get("group"))
    return GROUPS.get(category) or (reported if reported in COUNTS else UNKNOWN)


def reason(failure: Any) -> str:
    """Describe a failure: its category, the stage, and why."""
    if not isinstance(failure, Mapping):
        return text_of(failure)[:SHOWN]
    words = [text_of(failure.get(name)) for name in ("category", "stage")]
    why = text_of(failure.get("reason"))
    return ": ".join(filter(None, (", ".join(filter(None, words)), why)))[:SHOWN]


def decide_outcome(reported: Any, failure: Any, mode: str, template: bool) -> Cell | None:
    """Return the cell of `verify_result`; None where no template was to be verified.

    `template` says whether the row has a part about one. What the file states counts, whatever failed beside it.
    """
    if (passed := truth(reported)) is not None:
        return float(passed), SCORED, ""
    group = group_of(failure)
    if mode == RUBRIC_ONLY or (group is None and not template):
        return None
    if group is None:
        return math.nan, MISSING, "the template was not verified"
    state = COUNTS.get(group, FAILED)
    return (0.0 if state == SCORED else math.nan), state, EXPLAINED[state].format(said=reason(failure) or group)


def read_older_failure(fields: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the failure that versions before 2.2 record, in today's form; None where the row states success.

    They keep `completed_without_errors` (or `success`) and `error`. An answer that was judged and is wrong is no
    failure there.
    """
    done = next((fields[name] for name in ("completed_without_errors", "success") if name in fields), None)
    if isinstance(done, str) and done.strip().lower() == ABSTAINED:
        return {"category": "abstention"}
    error = text_of(fields.get("error"))
    if error == WRONG:
        return {"category": "content", "stage": "verify_template", "reason": error}
    if truth(done) is False or error:
        return {"category": "unexpected_error", "reason": error}
    return None


WRONG = "verify_template returned False"  # the reason that goes with a wrong answer


def truth(value: Any) -> bool | None:
    """Return a truth value, also one spelled as text; None for everything else."""
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    if isinstance(value, bool):
        return value
    return None
