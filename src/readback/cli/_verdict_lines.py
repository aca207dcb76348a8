"""The verdict on a comparison as commands print it."""

from __future__ import annotations

from readback.checks.verdicts import Verdict, differs
from readback.words import t


def said(one: Verdict) -> str:
    """The question, the answer, and why: the faults with the sides that have them, or what is missing."""
    faults = [f"{fault.title} ({', '.join(fault.sides)})" for fault in one.faults]
    missing = [t(f"verdict.missing_{each.what}", side=each.side, why=each.why) for each in one.missing]
    why = " ".join(missing) if one.kind == "unknown" else "; ".join(faults)
    why = " ".join(part for part in (why, differs(one)) if part)
    asked = t("verdict.asked", a=one.pair.a, b=one.pair.b)
    return f"{asked} {t(f'verdict.{one.kind}')}{f' {why}' if why else ''}"
