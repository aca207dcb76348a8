"""What each score of a results file is called: one criterion for one trait of one kind, never two under one name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from readback.results.verification.definitions import Definition, criterion
from readback.results.verification.traits import Scored
from readback.scores.table import SCORED
from readback.types import Criterion, Diagnostic, Location

# names that belong to what is said about the template, whatever a trait is called
OURS = {
    "verify_result": ("template", "boolean"),
    "verify_granular_result": ("template", "share"),
    "abstention_detected": ("template", "boolean"),
    "sufficiency_detected": ("template", "boolean"),
    "embedding_similarity_score": ("embedding", "share"),
}
DOWN = "abstention_detected"  # more of it is not better
LIMITS = {"field": 100, "": 300}  # names of one file; a page with a thousand criteria helps nobody
MOST_LABELS = 100

Key = tuple[str, str, str]  # name, bucket, kind


@dataclass(slots=True)
class _Seen:
    """What is known of one criterion while a file is read."""

    called: str
    key: Key
    line: int
    whole: bool = True
    labels: dict[int, str] = field(default_factory=dict)


@dataclass(slots=True)
class Criteria:
    """The criteria of one file. `beyond` counts, by bucket, names for which there is no room."""

    seen: dict[Key, _Seen] = field(default_factory=dict)
    taken: dict[str, tuple[str, str]] = field(default_factory=lambda: dict(OURS))
    first: dict[tuple[str, str], _Seen] = field(default_factory=dict)  # by bucket and name
    beyond: dict[str, set[str]] = field(default_factory=dict)
    changed: list[tuple[_Seen, _Seen]] = field(default_factory=list)

    def name(self, scored: Scored, line: int) -> str | None:
        """What the score's criterion is called; None where its kind is not known yet, or there is no room."""
        kind = scored.kind
        if kind in ("", "?"):
            known = self.first.get((scored.bucket, scored.name))
            return known.called if known else None
        key = (scored.name, scored.bucket, kind)
        seen = self.seen.get(key) or self._add(key, line)
        if seen is None:
            return None
        if scored.cell[1] == SCORED:
            seen.whole = seen.whole and scored.cell[0].is_integer()
            if scored.label and len(seen.labels) < MOST_LABELS:
                seen.labels.setdefault(int(scored.cell[0]), scored.label)
        return seen.called

    def called(self, scored: Scored) -> str:
        """What a score is called whose kind no row of the file tells."""
        return scored.name if scored.name not in self.taken else f"{scored.name} ({scored.bucket})"

    def _add(self, key: Key, line: int) -> _Seen | None:
        name, bucket, kind = key
        room = "field" if bucket == "field" else ""
        if sum((one.key[1] == "field") == bool(room) for one in self.seen.values()) >= LIMITS[room]:
            over = self.beyond.setdefault(room, set())
            if len(over) < LIMITS[""]:
                over.add(name)
            return None
        held = self.taken.get(name)
        called = name
        if held not in (None, (bucket, kind)):
            spellings = (kind if held and held[1] != kind else bucket, f"{bucket}, {kind}")
            called = next(s for word in spellings if (s := f"{name} ({word})") not in self.taken)
        self.taken[called] = (bucket, kind)
        seen = self.seen[key] = _Seen(called, key, line)
        before = self.first.setdefault((bucket, name), seen)
        if before is not seen:
            self.changed.append((before, seen))
        return seen

    def declared(self, given: Mapping[tuple[str, str], Definition]) -> dict[str, Criterion]:
        """The scales that the kinds and the rubric tell, by criterion."""
        made: dict[str, Criterion] = {}
        for (name, bucket, kind), seen in self.seen.items():
            found = criterion(seen.called, kind, given.get((bucket, name)), seen.whole, seen.labels)
            if found is not None:
                up = bucket == "template" and name == DOWN
                made[seen.called] = (
                    Criterion(seen.called, "binary", (0.0, 1.0), 0.0, 1.0, direction="down") if up else found
                )
        return made

    def diagnostics(self, file: str) -> Iterator[Diagnostic]:
        """What was odd: traits of two kinds, and names for which there was no room."""
        for before, seen in self.changed:
            values = {
                "criterion": before.key[0], "kind": before.key[2], "first": before.line,
                "other": seen.key[2], "called": seen.called,
            }  # fmt: skip
            yield Diagnostic("scr-kind-differs", values, Location(file=file, line=seen.line), before.key[0])
        for room in self.beyond:
            what = "names under field_scores" if room else "names of traits"
            yield Diagnostic("dat-limit", {"what": what, "limit": LIMITS[room]}, Location(file=file), what, "warning")
