"""A score is written as a text.

A judge's reply or a score file that tells texts from numbers (JSON) has a score in quotes: `"2"` where 2 is meant. It
is read as the number that it spells. It is said once for each file and criterion, with how many there are.

The number is what was meant, so nothing is lost here. Other programs drop such scores from their means silently,
or put "10" before "9": numbers computed elsewhere from the same file may differ from ours for that reason alone.

Ask the judge for numbers without quotes, or convert them once where the file is written.
"""

CODE = "jdg-score-text"
SEVERITY = "info"
ON = "load"
SENTENCE = "{criterion} is given as a text ('{value}', {where}; {count} in all) and read as the number it spells"
FIX = "ask the judge for numbers without quotes, or convert them where the file is written"
_ROW = '{"item": "q1", "condition": "closed", "relevance_score": %s}\n'
PASS = (
    {"scores.jsonl": _ROW % "2"},
    {"scores.csv": 'item,condition,relevance_score\nq1,closed,"2"\n'},  # every cell of a CSV file is a text
)
FAIL = ({"scores.jsonl": _ROW % '"2"'}, {"scores.jsonl": _ROW % '" -1.0 "'})
