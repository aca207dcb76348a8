"""Work out scores from the written definition alone, with numpy and scipy.

This file was written by somebody who read only the section "What enters a verdict, and how it is worked out" of the
page on the numbers, and never the program. Where the two differ, one of them is wrong or the text is ambiguous.

A table is a dict: `layout` (tidy, wide, judges or reply), `rows` (dicts, one for each line of the file), `criteria`
(the names asked for), `judges` (the columns of the layout judges), `declared` (name -> list of values, or dict with min
and max), `failed` (name -> list of numbers).
Left out here: clusters, margins, planned comparisons, lower-is-better, people as judges.
"""

import io
import itertools
import json
import math
import re
import tokenize
from ast import literal_eval
from collections import Counter, defaultdict

import numpy as np
from scipy import stats

NEGATIVE_CODES = {-1.0, -9.0, -99.0, -999.0, -9999.0}
POSITIVE_CODES = {99.0: 10, 999.0: 100, 9999.0: 1000}
CODES = NEGATIVE_CODES | set(POSITIVE_CODES)
TOP = 1.000001
NUMBER_CELL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
NOT_APPLICABLE = {"n/a", "not applicable", "not_applicable", "inapplicable"}
TRUTHS = {"true": 1.0, "yes": 1.0, "pass": 1.0, "false": 0.0, "no": 0.0, "fail": 0.0}
STATUSES = {
    **dict.fromkeys(("failed", "failure", "error", "judge failed", "unparsed", "invalid"), "failed"),
    **dict.fromkeys(("missing", "skipped", "absent"), "missing"),
    **dict.fromkeys(("n/a", "na", "not applicable", "not_applicable"), "not applicable"),
}
KNOWN = {
    "relevance": [-1.0, 0.0, 1.0, 2.0],
    "faithfulness": [-1.0, 0.0, 1.0],
    "factuality": {"min": 0.0, "max": 1.0},
    "grounding": {"min": 0.0, "max": 1.0},
    "completeness": {"min": 0.0, "max": 1.0},
    "communication": {"min": 0.0, "max": 1.0},
    "overall": {"min": 0.0, "max": 1.0},
    "pass": [0.0, 1.0],
    "judge_verdict": [0.0, 1.0],
}
NUMBER = r"[+-]?[0-9]+(?:\.[0-9]+)?(?![^\W_]|%|\.[0-9]|,[0-9]|-[0-9])"
OF = rf"(?:\s*/\s*{NUMBER}|\s+out\s+of\s+{NUMBER})?"
GAP = r"(?:[ \t\r\n]|:|=|is|of){1,12}"
CUT = {"length", "max_tokens"}


# A cell


def read_cell(value):
    """Return (state, number) of a cell; the state `truth` waits for the scale."""
    if value is None:
        return "missing", None
    if isinstance(value, bool):
        return "truth", float(value)
    text = str(value).strip()
    low = text.lower()
    if NUMBER_CELL.fullmatch(text) and abs(float(text)) < 1e70:
        return "number", float(text)
    if low in ("", "na", "none", "null"):
        return "missing", None
    if low in NOT_APPLICABLE:
        return "not applicable", None
    if low in TRUTHS:
        return "truth", TRUTHS[low]
    return "failed", None


# A reply


def strip_ending(name):
    """Return a criterion's name without the ending _score."""
    return name.removesuffix("_score") or name


def refuse_repeated(pairs):
    """Return the pairs as a dict; refuse a repeated key."""
    keys = [key for key, _ in pairs]
    if len(set(keys)) < len(keys):
        raise ValueError("repeated key")
    return dict(pairs)


def refuse_constant(name):
    """Refuse NaN and infinity."""
    raise ValueError(name)


def read_json(text):
    """Return the JSON object that a text is, or None."""
    try:
        found = json.loads(text, object_pairs_hook=refuse_repeated, parse_constant=refuse_constant)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def read_mapping(text):
    """Return the Python mapping that a text is, or None.

    "Quotes may be single, True, False and None stand for their JSON words" is read as: nothing else differs from JSON.
    A comma before the last brace, which Python allows, is not read then.
    """
    words = {"True": "true", "False": "false", "None": "null"}
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text.strip()).readline))
        parts = [
            json.dumps(literal_eval(token.string)) if token.type == tokenize.STRING else token.string
            for token in tokens
        ]
    except (ValueError, SyntaxError, TypeError, tokenize.TokenError):
        return None
    return read_json("".join(words.get(part, part) for part in parts))


def list_places(text):
    """Return the places of a reply where an object may stand, first the whole text."""
    places = [text]
    places += re.findall(r"```json\s*\n?(.*?)```", text, re.S)[::-1]
    places += re.findall(r"```(?!json)\w*\s*\n?(.*?)```", text, re.S)[::-1]
    starts = [i for i, letter in enumerate(text) if letter == "{"]
    ends = [i for i, letter in enumerate(text) if letter == "}"]
    places += [text[i : j + 1] for j in reversed(ends) for i in starts if i < j]
    return places


def find_value(found, name):
    """Return (True, value) of a criterion in an object, at its top or under `scores`."""
    inner = found.get("scores")
    for part in (found, inner if isinstance(inner, dict) else {}):
        for key, value in part.items():
            if isinstance(key, str) and strip_ending(key) == strip_ending(name):
                return True, value
    return False, None


def read_plain(text, name, alone):
    """Return the number that a plain form gives for a criterion, or None."""
    text = re.sub(r"[*`]|(?<!\w)_+|_+(?!\w)", "", text)
    own = [re.escape(name), re.escape(strip_ending(name)), re.escape(strip_ending(name) + "_score")]
    tags = own + (["score", "rating", "grade", "mark", "verdict"] if alone else [])
    labels = own + (["score", "rating", "grade", "marks", "mark", "verdict"] if alone else [])
    number = f"({NUMBER})"
    tag = "|".join(tags)
    label = "|".join(labels)
    strong = [
        rf"<({tag})>\s*{number}{OF}\s*</\1>",
        rf"(?<![^\W_])({label}){GAP}{number}{OF}",
    ]
    if alone:
        strong.append(rf"(\[\[)\s*{number}{OF}\s*\]\]{OF}")
    values = [float(match[2]) for form in strong for match in re.finditer(form, text, re.I)]
    if alone:
        weak = rf"(?<![0-9.+-])(?={number}(?:\s*/\s*|\s+out\s+of\s+){NUMBER})"
        values += [] if values else [float(match[1]) for match in re.finditer(weak, text, re.I)]
        whole = re.fullmatch(rf"\s*{number}{OF}\s*\.?\s*", text, re.I)
        values += [float(whole[1])] if whole else []
    return values[0] if len(set(values)) == 1 else None


def read_reply(text, name, alone=True, finish=""):
    """Return (state, number) of a reply; the state `not read` is one of missing cells."""
    if text is None or not str(text).strip():
        return "missing", None
    text = str(text).rpartition("</think>")[2].partition("<think>")[0]
    if not text.strip():
        return "failed", None
    readable = False
    for read in (read_json, read_mapping):
        for place in list_places(text):
            found = read(place)
            if found is None:
                continue
            readable = True
            there, value = find_value(found, name)
            if there and value is None:
                return "missing", None
            if there and isinstance(value, int | float) and not isinstance(value, bool):
                return "number", float(value)
            if there and isinstance(value, str) and NUMBER_CELL.fullmatch(value.strip()):
                return "number", float(value)
            if there:
                return "failed", None
    if "{" in text and not readable:
        return "failed", None
    if "{" not in text:
        value = read_plain(text, name, alone)
        if value is not None:
            return "number", value
    if str(finish or "").strip().lower() in CUT:
        return "failed", None
    return "not read", None


# The cells of a table


def list_cells(table):
    """Return the cells of a table: dicts with item, condition, criterion, judge, run, state, number, reply."""
    cells = {}
    if table["layout"] == "judges":
        rows = [row | {"judge": judge, "score": row[judge]} for row in table["rows"] for judge in table["judges"]]
        return list_cells(table | {"layout": "tidy", "rows": [row | {"criterion": "score"} for row in rows]})
    for row in table["rows"]:
        names = [row["criterion"]] if table["layout"] == "tidy" else table["criteria"]
        for name in names:
            key = (row["item"], row["condition"], strip_ending(name), row.get("judge", ""), row.get("run", ""))
            cells.setdefault(key, make_cell(table, row, name, key))
    return list(cells.values())


def make_cell(table, row, name, key):
    """Return one cell of a row."""
    alone = table["layout"] == "tidy" or len(table["criteria"]) == 1
    reply = None
    if "reply" in row:
        reply = read_reply(row["reply"], name, alone, row.get("finish_reason"))
    if table["layout"] == "reply":
        state, number = reply
        reply = None
    else:
        state, number = read_cell(row["score"] if table["layout"] == "tidy" else row[name])
    status = STATUSES.get(str(row.get("status", "")).strip().lower())
    if status:
        state, number = status, None
    item, condition, criterion, judge, run = key
    return {
        "item": item,
        "condition": condition,
        "criterion": criterion,
        "judge": judge,
        "run": run,
        "state": state,
        "number": number,
        "reply": reply,
        "empty": "reply" in row and not str(row["reply"] or "").strip(),
    }


def add_absent(cells):
    """Add one missing cell for each item that a condition has no row for."""
    items = defaultdict(dict)
    there = defaultdict(set)
    for cell in cells:
        items[cell["criterion"], cell["judge"]][cell["item"]] = True
        there[cell["criterion"], cell["judge"], cell["condition"]].add(cell["item"])
    for (criterion, judge, condition), own in list(there.items()):
        for item in items[criterion, judge]:
            if item not in own:
                key = {"item": item, "condition": condition, "criterion": criterion, "judge": judge, "run": ""}
                cells.append({**key, "state": "missing", "number": None, "reply": None, "empty": False, "absent": True})


# The scale


def holds_number(scale, number):
    """Tell whether a scale holds a number."""
    if isinstance(scale, dict):
        return scale["min"] <= number <= scale["max"]
    return number in [float(value) for value in scale]


def fit_known(scale, numbers):
    """Tell whether the numbers fit the scale that is known by the criterion's name."""
    low, high = find_ends(scale)
    kept = [x for x in numbers if x not in CODES or holds_number(scale, x)]
    off = [x for x in kept if not holds_number(scale, x)]
    if len(off) * 2 > len(kept):
        return False
    if any(count >= 10 and count >= 0.01 * len(numbers) for count in Counter(off).values()):
        return False
    fractions = [x for x in off if low < x < high and x != int(x)]
    return not (len(fractions) >= 10 and len(fractions) > 0.1 * len(numbers))


def infer_scale(numbers):
    """Return the scale that the numbers show, or None where there are none."""
    met = sorted(set(numbers))
    if not met:
        return None
    if len(met) <= 12 and all(x == int(x) for x in met):
        return met
    if met[0] >= 0 and 0.5 < met[-1] <= TOP:
        return {"min": 0.0, "max": 1.0}
    return {"min": met[0], "max": met[-1]}


def infer_with_truths(cells):
    """Return the scale that cells with numbers show; truth values count only beside nothing but 0 and 1."""
    numbers = [cell["number"] for cell in cells if cell["state"] != "truth"]
    if len(numbers) < len(cells) and set(numbers) <= {0.0, 1.0}:
        return [0.0, 1.0]
    return infer_scale(numbers)


def find_ends(scale):
    """Return the least and the greatest value of a scale."""
    if scale is None:
        return None, None
    if isinstance(scale, dict):
        return scale["min"], scale["max"]
    return min(scale), max(scale)


def is_binary(scale):
    """Tell whether a scale is 0 and 1 alone."""
    return isinstance(scale, list) and sorted(scale) == [0, 1]


# Numbers that are no scores


def mark_doubt(cells):
    """Set `doubt` of the cells of one criterion: code, reply or None."""
    numbers = [cell["number"] for cell in cells if cell["number"] is not None]
    plain = [x for x in numbers if x not in CODES]
    for cell in cells:
        x = cell["number"]
        cell["doubt"] = None
        if x is None or not plain:
            continue
        negative = x in NEGATIVE_CODES and all(y >= 0 for y in plain)
        if negative or (x in POSITIVE_CODES and max(plain) <= POSITIVE_CODES[x]):
            cell["doubt"] = "code"
    for judge in {cell["judge"] for cell in cells}:
        mark_doubt_by_reply([cell for cell in cells if cell["judge"] == judge])


def mark_doubt_by_reply(cells):
    """Set `doubt` of the cells of one criterion and judge whose replies give no number.

    "Those cells whose replies give a number" could leave out 0 and codes, as the sentence on the column's use does; the
    wider reading is taken: all cells whose replies give a number. A truth value (`no`) is read as no number here.
    """
    with_reply = [cell for cell in cells if cell["reply"] is not None and cell["number"] is not None]
    base = [cell for cell in with_reply if cell["number"] not in CODES | {0.0} and not cell["empty"]]
    if not base or 2 * sum(cell["reply"][0] == "number" for cell in base) < len(base):
        return
    told = [cell["number"] for cell in with_reply if cell["reply"][0] == "number"]
    for cell in with_reply:
        x = cell["number"]
        if cell["state"] == "truth":
            continue
        strange = x == 0 or x in CODES or x < min(told) or x > max(told)
        if cell["reply"][0] != "number" and strange:
            cell["doubt"] = "reply"


def settle_criterion(cells, declared, failed, name):
    """Settle the states of the cells of one criterion; return its scale and what is known of it."""
    mark_doubt(cells)
    listed = {float(x) for x in failed}
    numbers = [cell["number"] for cell in cells if cell["number"] is not None and cell["number"] not in listed]
    known = declared or KNOWN.get(name)
    scale = declared
    if scale is None and known is not None and fit_known(known, numbers):
        scale = known
    certain = scale is not None
    for cell in cells:
        cell["listed"] = cell["number"] in listed
        cell["in_question"] = not certain and cell["doubt"] is not None and not cell["listed"]
    if not certain:
        left = [cell for cell in cells if cell["number"] is not None]
        scale = infer_with_truths([cell for cell in left if not cell["in_question"] and not cell["listed"]])
    for cell in cells:
        cell["state"] = settle_cell(cell, scale, certain)
    about = {"scale": scale, "certain": certain, "known": known, "declared": declared is not None}
    return about | {"no_look": need_no_look(cells, about)}


def settle_cell(cell, scale, certain):
    """Return the settled state of a cell that may have a number."""
    if cell["number"] is None:
        return cell["state"]
    if cell["listed"] or cell["in_question"]:
        return "failed"
    if certain and (cell["doubt"] == "reply" or not holds_number(scale, cell["number"])):
        return "failed"
    if cell["state"] == "truth" and not is_binary(scale):
        return "failed"
    return "scored"


# Two scales


def list_sizes(cells, about):
    """Return the numbers that are looked at for two scales."""
    scale = about["scale"]
    numbers = []
    for cell in cells:
        x = cell["number"]
        if x is None or cell["in_question"] or cell["listed"]:
            continue
        if about["certain"] and x in CODES and not holds_number(scale, x):
            continue
        numbers.append(x)
    return numbers


def need_no_look(cells, about):
    """Tell whether the scale of a criterion is certain and holds all, or is inferred and ends at 1.000001 or below.

    "Holds all" is read as: all numbers of the criterion. Read as all of one condition, no condition with a certain
    scale would ever be of the kind *usual*.
    """
    if about["certain"]:
        return all(holds_number(about["scale"], x) for x in list_sizes(cells, about))
    return about["scale"] is None or find_ends(about["scale"])[1] <= TOP


def list_kinds(cells, about):
    """Return the kinds of the numbers of one condition, file and judge."""
    numbers = list_sizes(cells, about)
    if not numbers or about["no_look"]:
        return set()
    kinds = set()
    if about["known"] is not None and len(numbers) >= 5:
        held = sum(holds_number(about["known"], x) for x in numbers)
        if held == len(numbers) and len(set(numbers)) >= 2:
            kinds.add("usual")
        if held < len(numbers) / 2:
            kinds.add("unusual")
    if not about["declared"] and min(numbers) >= 0:
        kinds |= {name_size(numbers)} - {None}
    return kinds


def name_size(numbers):
    """Return the kind that the sizes of the numbers show, or None."""
    top = max(numbers)
    above = [x for x in numbers if x > TOP]
    parts = [x for x in numbers if x < 1 and x != int(x)]
    if len(parts) >= 3 and len(above) >= 3 and all(x == int(x) for x in above) and top >= 3:
        return "both"
    if top <= TOP:
        return "flag" if all(x == int(x) for x in numbers) else "share"
    if top > 10:
        return "hundred" if top <= 100 and sum(x < 10 for x in numbers) < len(numbers) / 10 else None
    return "grade" if 2 * len(above) >= len(numbers) and top >= 3 else None


def are_two_scales(kinds_a, kinds_b):
    """Tell whether two sets of kinds are of two scales."""
    if "both" in kinds_a | kinds_b:
        return True
    pairs = [("share", "grade"), ("share", "hundred"), ("flag", "hundred"), ("grade", "hundred"), ("usual", "unusual")]
    return any((x in kinds_a and y in kinds_b) or (y in kinds_a and x in kinds_b) for x, y in pairs)


# A comparison


def make_interval(d):
    """Return the t interval of the mean of d, or None."""
    if len(d) < 5 or len(set(d)) == 1:
        return None
    low, high = stats.t.interval(0.95, len(d) - 1, loc=np.mean(d), scale=stats.sem(d))
    return [float(low), float(high)]


def test_signs(d):
    """Return the exact share of patterns of signs whose |sum| is at least the one seen."""
    size = np.abs([x for x in d if x != 0])
    if not len(size):
        return 1.0
    seen = abs(math.fsum(d)) - 1e-9 * max(1.0, float(size.sum()))
    half = len(size) // 2
    left = sum_patterns(size[:half])
    right = np.sort(sum_patterns(size[half:]))
    upper = len(right) - np.searchsorted(right, seen - left, side="left")
    lower = np.searchsorted(right, -seen - left, side="right")
    if seen <= 0:
        return 1.0
    return float((upper.sum() + lower.sum()) / (len(left) * len(right)))


def sum_patterns(size):
    """Return the sums of all patterns of signs."""
    sums = np.zeros(1)
    for x in size:
        sums = np.concatenate([sums - x, sums + x])
    return sums


def test_difference(a, b, d, scale):
    """Return p of a paired difference: McNemar for yes and no, else the permutation of signs."""
    if is_binary(scale) and set(a) | set(b) <= {0.0, 1.0}:
        wins = sum(x > 0 for x in d)
        losses = sum(x < 0 for x in d)
        return min(1.0, 2 * float(stats.binom.cdf(min(wins, losses), wins + losses, 0.5)))
    return test_signs(d)


def adjust_by_holm(comparisons):
    """Set `p_adjusted` of the comparisons of one family."""
    least = 0.0
    ordered = sorted(comparisons, key=lambda c: c["p"])
    for i, one in enumerate(ordered):
        least = max(least, min(1.0, one["p"] * (len(ordered) - i)))
        one["p_adjusted"] = least
        one["family"] = len(ordered)


def compare_conditions(a, b, cells, about, judges):
    """Return the comparison of two conditions by one judge, or None where it is blocked."""
    groups = [[cell for cell in cells if cell["condition"] == x] for x in (a, b)]
    if not groups[0] or not groups[1]:
        return None
    if are_two_scales(list_kinds(groups[0], about), list_kinds(groups[1], about)):
        return None
    if not share_item(*groups):
        return None
    side_a, side_b = (collect_scores(group) for group in groups)
    shared = [item for item in side_a if item in side_b]
    values_a = [float(np.mean(side_a[i])) for i in shared]
    values_b = [float(np.mean(side_b[i])) for i in shared]
    d = [round(y - x, 12) for x, y in zip(values_a, values_b, strict=True)]
    low, high = find_ends(about["scale"])
    if low is None:
        low = high = 0.0
    lost_b = [i for i in side_a if i not in side_b and is_lost(i, groups[1], judges)]
    lost_a = [i for i in side_b if i not in side_a and is_lost(i, groups[0], judges)]
    least = d + [low - float(np.mean(side_a[i])) for i in lost_b] + [float(np.mean(side_b[i])) - high for i in lost_a]
    most = d + [high - float(np.mean(side_a[i])) for i in lost_b] + [float(np.mean(side_b[i])) - low for i in lost_a]
    difference = float(np.mean(d)) if d else None
    return {
        "a": a,
        "b": b,
        "n_shared": len(shared),
        "mean_a": float(np.mean(values_a)) if d else None,
        "mean_b": float(np.mean(values_b)) if d else None,
        "only_a": len(side_a) - len(shared),
        "only_b": len(side_b) - len(shared),
        "failed": len(lost_a) + len(lost_b),
        "difference": difference,
        "interval": make_interval(d),
        "p": test_difference(values_a, values_b, d, about["scale"]) if d else None,
        "p_adjusted": None,
        "family": None,
        "small": abs(difference) < 0.05 * (high - low) - 1e-12 if d and high > low else None,
        "constant": all(x == 0 for x in d),
        "reach": [make_interval(least), make_interval(most)],
        "extremes": [float(np.mean(ends)) if ends else 0.0 for ends in (least, most)],
    }


def share_item(cells_a, cells_b):
    """Tell whether two conditions have cells about one item, scored or not.

    The text says "share no item" only. Read as "no item with a score on both sides" such a pair would be blocked; but
    the text also speaks of a comparison "without a shared item" beside blocked ones, so the other reading is taken,
    for items that have rows.
    """
    own_a, own_b = ({cell["item"] for cell in cells if not cell.get("absent")} for cells in (cells_a, cells_b))
    return bool(own_a & own_b)


def collect_scores(cells):
    """Return the scores of each item."""
    found = defaultdict(list)
    for cell in cells:
        if cell["state"] == "scored":
            found[cell["item"]].append(cell["number"])
    return found


def is_lost(item, cells, judges):
    """Tell whether an item without a score failed on this side."""
    states = {cell["state"] for cell in cells if cell["item"] == item}
    return "failed" in states or (judges == 1 and bool(states & {"missing", "not read"}))


def holds_zero(interval):
    """Tell whether an interval is there and holds 0."""
    return interval is not None and interval[0] <= 0 <= interval[1]


def find_verdict(one, asked, alpha):
    """Return the verdict of a comparison: the first that holds."""
    if asked:
        return "in question"
    if one["n_shared"] < 5:
        return "too few"
    if one["constant"]:
        return "constant"
    if alpha is not None and alpha < 0.667:
        return "disputed"
    if one["p_adjusted"] >= 0.05 or holds_zero(one["interval"]):
        return "not separated"
    if one["failed"] > 0.1 * (one["n_shared"] + one["failed"]):
        low = one["reach"][0][0] if one["reach"][0] else one["extremes"][0]
        high = one["reach"][1][1] if one["reach"][1] else one["extremes"][1]
        if low <= 0 <= high:
            return "incomplete"
    return "b is higher" if one["difference"] > 0 else "a is higher"


# Several judges


def find_alpha(cells, scale):
    """Return Krippendorff's alpha of the judges of one criterion, None where it cannot be worked out.

    The text does not say what a unit is; taken is one answer: a condition, an item and a run.
    """
    units = defaultdict(list)
    for cell in cells:
        if cell["state"] == "scored":
            units[cell["condition"], cell["item"], cell["run"]].append(cell["number"])
    units = [unit for unit in units.values() if len(unit) >= 2]
    values = sorted({x for unit in units for x in unit})
    if len(values) < 2:
        return None
    place = {x: i for i, x in enumerate(values)}
    seen = np.zeros((len(values), len(values)))
    for unit in units:
        for x, y in itertools.permutations(range(len(unit)), 2):
            seen[place[unit[x]], place[unit[y]]] += 1 / (len(unit) - 1)
    total = seen.sum(axis=1)
    square = measure_distances(values, total, scale)
    expected = np.outer(total, total) - np.diag(total)
    return float(1 - (total.sum() - 1) * (seen * square).sum() / (expected * square).sum())


def measure_distances(values, total, scale):
    """Return the squared distances of the values: nominal, ordinal or interval by the scale."""
    count = len(values)
    if is_binary(scale):
        return 1 - np.eye(count)
    if isinstance(scale, dict):
        return np.subtract.outer(values, values) ** 2.0
    reach = np.cumsum(total) - total / 2
    return np.subtract.outer(reach, reach) ** 2


def pool_judges(a, b, cells, about):
    """Return the comparison of two conditions by the means over the judges, or None without a shared item."""
    pairs = defaultdict(list)
    for judge in {cell["judge"] for cell in cells}:
        own = [cell for cell in cells if cell["judge"] == judge]
        side_a, side_b = (collect_scores([cell for cell in own if cell["condition"] == x]) for x in (a, b))
        for item in side_a.keys() & side_b.keys():
            pairs[item].append((float(np.mean(side_a[item])), float(np.mean(side_b[item]))))
    if not pairs:
        return None
    values_a = [float(np.mean([x for x, _ in pair])) for pair in pairs.values()]
    values_b = [float(np.mean([y for _, y in pair])) for pair in pairs.values()]
    d = [round(float(np.mean([y - x for x, y in pair])), 12) for pair in pairs.values()]
    return {
        "n_shared": len(d),
        "difference": float(np.mean(d)),
        "interval": make_interval(d),
        "p": test_difference(values_a, values_b, d, about["scale"]),
    }


# A table


def work_out_table(table):
    """Return rows, comparisons, blocked pairs and the criteria in question of a table."""
    cells = list_cells(table)
    add_absent(cells)
    conditions = list(dict.fromkeys(cell["condition"] for cell in cells))
    declared = {strip_ending(name): scale for name, scale in table.get("declared", {}).items()}
    failed = {strip_ending(name): numbers for name, numbers in table.get("failed", {}).items()}
    result = {"rows": {}, "comparisons": {}, "blocked": set(), "questions": set(), "pooled": {}, "scales": {}}
    families = defaultdict(list)
    for name in dict.fromkeys(cell["criterion"] for cell in cells):
        own = [cell for cell in cells if cell["criterion"] == name]
        about = settle_criterion(own, declared.get(name), failed.get(name, []), name)
        result["scales"][name] = about
        if any(cell["in_question"] for cell in own):
            result["questions"].add(name)
        judges = list(dict.fromkeys(cell["judge"] for cell in own))
        alpha = find_alpha(own, about["scale"]) if len(judges) > 1 else None
        for judge in judges:
            by_judge = [cell for cell in own if cell["judge"] == judge]
            for condition in conditions:
                part = [cell for cell in by_judge if cell["condition"] == condition]
                if part:
                    result["rows"][condition, name, judge] = count_cells(part)
            for a, b in itertools.combinations(conditions, 2):
                one = compare_conditions(a, b, by_judge, about, len(judges))
                if one is None:
                    result["blocked"].add((a, b, name, judge))
                    continue
                one["alpha"] = alpha
                result["comparisons"][a, b, name, judge] = one
                if one["n_shared"]:
                    families[judge].append(one)
        if len(judges) > 1:
            for a, b in itertools.combinations(conditions, 2):
                if any((a, b, name, judge) in result["blocked"] for judge in judges):
                    continue
                one = pool_judges(a, b, own, about)
                if one is not None:
                    result["pooled"][a, b, name] = one
    for family in families.values():
        adjust_by_holm(family)
    for key, one in result["comparisons"].items():
        one["verdict"] = find_verdict(one, key[2] in result["questions"], one["alpha"])
    return result


def count_cells(cells):
    """Return n, the mean and the counts of the states of one condition, criterion and judge."""
    scores = [cell["number"] for cell in cells if cell["state"] == "scored"]
    states = Counter(cell["state"] for cell in cells)
    return {
        "n": len(scores),
        "failed": states["failed"],
        "missing": states["missing"] + states["not read"],
        "not_applicable": states["not applicable"],
        "not_read": states["not read"],
        "in_question": sum(cell["in_question"] for cell in cells),
        "mean": math.fsum(scores) / len(scores) if scores else None,
    }
