"""Several files of a folder could be the one that is meant.

A folder without readback.yml holds more than one experiment plan, prompt configuration or dataset. One is proposed: of
plans the one of which more files are there, then the one nearest the top, then the first by name; what lies in an
archive comes last. Of several datasets beside a configuration none is taken. Several datasets are common: they are
for information only, and so are plans and configurations of which all others lie in an archive.

What was not taken is not shown and not checked, and nothing else would tell that it is there.

Choose another one on the page Open or on the command line (--plan, --prompts, --dataset), or name it in readback.yml.
"""

CODE = "dat-several-files"
SEVERITY = "warning"
ON = "load"
SENTENCE = "{count} {count:file|files} could be the {kind}; taken: {taken}; not taken: {others}"
FIX = "name the one that is meant: {kind}: in readback.yml, --{kind}, or the page Open"
_PLAN = "runs: [{label: a}]\n"
_ROW = '{"id": "1", "question": "Why?"}\n'
PASS = (
    {"study.yaml": _PLAN},
    {"readback.yml": "plan: study.yaml\n", "study.yaml": _PLAN, "other.yaml": _PLAN},
    {"a.jsonl": _ROW},
)
FAIL = ({"study.yaml": _PLAN, "other.yaml": _PLAN}, {"a.jsonl": _ROW, "b.jsonl": _ROW})
