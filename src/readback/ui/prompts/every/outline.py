"""A message in short: the words of its template in full, and of each value that the data put in its beginning."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from readback.checks.run.prompt_lengths import Excerpt
from readback.html import exact
from readback.types import Segment

VALUE = 72  # characters of a value that are shown; of a longer one `BEGINNING`
BEGINNING = 44
END = 100  # characters at most of the end of a value that another message has, too
MOST = 160  # characters of a value that are shown where it is most of its message
WORDS = 200  # characters of a stretch of the template that are shown; of a longer one `WORDS` less what is cut
WHOLE = 520  # characters of a message that are shown
BETWEEN = 24  # characters at most of the template between two values of one list, such as a number or a blank line
BEFORE = 40  # characters before the first difference, where a message begins as the one it is compared with does
SHARED = 60  # characters at least that two messages begin or end with, so that they are left out
SENTENCE = re.compile(r"[^\n]*?(?:[.!?](?=\s)|\n|$)\s*")


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a message as it is; `is_new`: the message that it is compared with does not have it; `is_moved`: but
    another message beside that one has.
    """

    text: str
    look: str
    is_new: bool = False
    is_moved: bool = False


@dataclass(frozen=True, slots=True)
class Gap:
    """A number of characters that are left out: of the `times` values of a list `name`, or of the words.

    `is_shared`: they are the same in the message that this one is compared with.
    """

    length: int
    name: str = ""
    times: int = 1
    is_shared: bool = False


@dataclass(slots=True)
class Run:
    """Segments that are shown as one: words of the template, or the values of one list and what joins them."""

    text: str
    look: str
    name: str = ""
    first: int = 0  # characters of the first value
    times: int = 1


def list_stretches(
    excerpt: Excerpt, other: str | None, is_window: bool = False, elsewhere: str = ""
) -> tuple[Stretch | Gap, ...]:
    """Return what an outline shows of a message. `other` is the text of the message it is compared with, None where
    there is none or not all of it is here; `elsewhere` are the texts of the messages beside that one.

    `is_window`: where both begin or end alike, only what is between is shown, as between two adapters.
    """
    text = "".join(segment.text for segment in excerpt.segments)
    start, stop = 0, len(text)
    if is_window and excerpt.differs is not None and len(text) == excerpt.length:
        start, stop = _find_window(text, excerpt.differs, excerpt.same_end)
    differs = None
    if excerpt.differs is not None:
        differs = excerpt.differs - excerpt.start
    stretches: list[Stretch | Gap] = []
    if excerpt.start + start:
        stretches.append(Gap(excerpt.start + start, is_shared=differs is not None and start <= differs))
    offset, size = start, 0
    for run in _join_values(exact.cut(excerpt.segments, start, stop)):
        if size >= WHOLE:
            break
        if run.look == "data" and run.times == 1 and other is not None and len(run.text) > VALUE:
            pieces = _compare_value(run, other, elsewhere)
        elif run.look == "data":
            marked = differs is not None and offset <= differs < offset + len(run.text)
            beginning = MOST if len(run.text) > excerpt.length / 2 and run.times == 1 else BEGINNING
            pieces = _shorten_value(run, beginning, differs - offset if marked and differs is not None else None)
        else:
            pieces = _shorten_words(run, other, elsewhere)
        for piece in pieces:
            stretches.append(piece)
            if isinstance(piece, Stretch):
                size += len(piece.text)
        offset += len(run.text)
    rest = excerpt.length - excerpt.start - offset
    if rest:
        stretches.append(Gap(rest, is_shared=stop < len(text) and offset == stop))
    return tuple(stretches)


def _find_window(text: str, differs: int, same_end: int) -> tuple[int, int]:
    """Return the offsets between what a message begins and ends with as its counterpart does, where that is long."""
    start = 0
    if differs >= SHARED + BEFORE:
        start = differs - BEFORE
        start = text.find(" ", start, differs) + 1 or start
    if same_end < SHARED:
        return start, len(text)
    return start, len(text) - same_end


def _join_values(segments: Sequence[Segment]) -> list[Run]:
    """Return the segments; neighbours of one look are one run, and so are the values of one list with what little
    stands between them.
    """
    runs: list[Run] = []
    for segment in segments:
        look = exact.look(segment)
        name = (segment.name or "") if look == "data" else ""
        run = Run(segment.text, look, name.split("[")[0], len(segment.text))
        before = runs[-2:]
        if before and look != "data" and before[-1].look == look:
            before[-1].text += run.text
        elif before and "[" in name and _is_of_list(before[-1], run):
            _add_value(before[-1], "", run)
        elif len(before) > 1 and "[" in name and _is_of_list(before[0], run) and _is_between(before[1]):
            _add_value(before[0], before[1].text, run)
            del runs[-1]
        else:
            runs.append(run)
    return runs


def _is_of_list(run: Run, value: Run) -> bool:
    return run.look == "data" and run.name == value.name


def _is_between(run: Run) -> bool:
    return run.look == "yours" and len(run.text) <= BETWEEN


def _add_value(run: Run, between: str, value: Run) -> None:
    run.text += between + value.text
    run.times += 1


def _shorten_value(run: Run, beginning: int, differs: int | None) -> Iterator[Stretch | Gap]:
    """Yield a short value whole, of a longer one its beginning; where it differs further on, the part around that."""
    if len(run.text) <= max(VALUE, beginning):
        yield Stretch(run.text, run.look, differs is not None)
        return
    start = 0
    if differs is not None and differs >= beginning:
        start = differs - BEFORE // 2
        yield Gap(start, run.name)
    stop = start + beginning
    if run.times > 1:
        stop = min(stop, max(run.first, start + 1))
    stop = run.text.rfind(" ", start + beginning // 2, stop) + 1 or stop
    yield Stretch(run.text[start:stop], run.look, differs is not None)
    yield Gap(len(run.text) - stop, run.name, run.times)


def _compare_value(run: Run, other: str, elsewhere: str) -> Iterator[Stretch | Gap]:
    """Yield a long value by sentence, those that the other message does not have marked; of what it has, too, the
    beginning and the end, where the order shows.
    """
    for piece in _split_sentences(run, other, elsewhere):
        if piece.is_new and len(piece.text) > WORDS:
            stop = piece.text.rfind(" ", WORDS // 2, WORDS) + 1 or WORDS
            yield replace(piece, text=piece.text[:stop])
            yield Gap(len(piece.text) - stop, run.name)
        elif piece.is_new or len(piece.text) <= BEGINNING + END + VALUE:
            yield piece
        else:
            start = piece.text.rfind(" ", BEGINNING // 2, BEGINNING) + 1 or BEGINNING
            end = _find_end(piece.text)
            yield Stretch(piece.text[:start], piece.look)
            # Only what stands there in one piece is the same: its sentences may stand there in another order.
            yield Gap(end - start, run.name, is_shared=piece.text.strip() in other)
            if end < len(piece.text):
                yield Stretch(piece.text[end:], piece.look)


def _find_end(text: str) -> int:
    """Return where the last sentences of a text begin that have room at its end; its length where none has."""
    starts = [match.start() for match in SENTENCE.finditer(text) if match[0]]
    return next((start for start in starts if len(text) - start <= END), len(text))


def _shorten_words(run: Run, other: str | None, elsewhere: str) -> Iterator[Stretch | Gap]:
    """Yield words of a template by sentence, those that the other message does not have marked; long ones are cut."""
    for piece in _split_sentences(run, other, elsewhere):
        if len(piece.text) <= WORDS:
            yield piece
            continue
        stop = piece.text.rfind(" ", WORDS // 2, WORDS) + 1 or WORDS
        yield replace(piece, text=piece.text[:stop])
        yield Gap(len(piece.text) - stop)


def _split_sentences(run: Run, other: str | None, elsewhere: str) -> list[Stretch]:
    """Return the sentences of a text; neighbours that the other message has, or does not have, are one."""
    pieces: list[Stretch] = []
    for match in SENTENCE.finditer(run.text):
        sentence = match[0]
        if not sentence:
            continue
        is_new = other is not None and bool(sentence.strip()) and not _has_words(other, sentence.strip())
        is_moved = is_new and _has_words(elsewhere, sentence.strip())
        if pieces and (pieces[-1].is_new, pieces[-1].is_moved) == (is_new, is_moved):
            pieces[-1] = replace(pieces[-1], text=pieces[-1].text + sentence)
        else:
            pieces.append(Stretch(sentence, run.look, is_new, is_moved))
    return pieces


def _has_words(text: str, words: str) -> bool:
    """Return whether a text has these words, and not only as a part of longer ones: "5" is not in "50"."""
    at = text.find(words)
    while at >= 0:
        end = at + len(words)
        before, after = text[max(at - 1, 0) : at] + words[0], words[-1] + text[end : end + 1]
        if not any(len(pair) == 2 and pair.isalnum() for pair in (before, after)):
            return True
        at = text.find(words, at + 1)
    return False
