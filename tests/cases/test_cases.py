"""The table of cases: one row for each folder here, with what must come out of it.

Each folder was built after a situation that somebody met; all texts are invented. `ws/` is opened as it is, and
EXPECT.md says what the right answer is: it is the row's comment, and is printed where the row fails. A step is
described in steps.py; rows are ordered by number, each step on separate lines.
"""

from __future__ import annotations

import pytest
from steps import CASES, Row, finding, mean, no_code, no_findings, prints, row, sends

TABLE = (
    row(
        "01-no-template-base-model",
        finding("oll-no-template", "info", "Modelfile", phrase="cannot tell what the model reads"),
    ),
    row(
        "04-stop-missing-in-hand-written-template",
        finding("oll-stop-missing", "info", "Modelfile:5:14", phrase=r"<\|eot_id\|>"),
    ),
    row(
        "05-trailing-blanks-in-template",
        finding("fmt-train-serve-diff", "error", "ollama/Modelfile.clerk:2:13", phrase="4 spaces and a newline"),
    ),
    row(
        "08-second-system-message-dropped",
        finding(
            "trn-message-dropped",
            "warning",
            "train.jsonl:1",
            phrase="leaves out message 4 of 6, which has the role system: .*in 6 of 6 rows.*talk like a poet",
        ),
    ),
    row(
        "10-text-rows-with-bos-and-tokenizer-bos",
        prints("check", phrase="6 ready texts"),
        finding("trn-double-bos", "warning", "train.jsonl:1", phrase=r"<\|begin_of_text\|> is there twice in training"),
    ),
    row(
        "11-special-token-in-value-under-ollama",
        finding("srv-special-token-in-content", "warning", "rows.jsonl:5", phrase=r"<\|im_end\|>", records=["q5"]),
    ),
    row(
        "12-thinking-off-in-training",
        finding("fmt-train-serve-diff", "error", "serve/tokenizer_config.json:1:47", phrase="<think>⏎⏎</think>"),
    ),
    row(
        "13-sharegpt-rows",
        prints("check", phrase="7 conversations: messages"),
        finding("trn-chat-roles", "error", "train.json:67", count=2, records=["line_67", "line_84"]),
    ),
    row(
        "14-default-system-injected",
        finding(
            "fmt-train-serve-diff",
            "warning",
            "rows.jsonl:1",
            phrase="template itself, `You are Porta, made by Quay Labs.`.*`You are the harbour clerk.`.*4 of 4 records",
        ),
        prints("check", absent="its rows have none, which is what the model was trained with"),
    ),
    row(
        "15-assistant-blanks-in-history",
        finding(
            "fmt-train-serve-diff",
            "error",
            "rows.jsonl:1",
            phrase=r"no space after `\[/INST\]`.* sends one \(1 more difference\) \(in 4 of 4 records\)",
        ),
    ),
    row(
        "17-json-braces-in-fstring",
        finding("jdg-format-field", "error", "prompts/user.txt:4", phrase='"name"'),
        prints("check", code=1),
    ),
    row(
        "18-doubled-json-braces-fstring",
        no_findings("info"),
        sends(
            "q1",
            "user",
            'Answer as JSON like {"name": "a short name", "year": 1900}.\n\nQuestion: When was the pier rebuilt?\n',
        ),
    ),
    row(
        "20-header-with-blank",
        finding(
            "dat-header-blanks", "warning", "rows.csv:1", phrase="2 column names begin or end with a blank.*' question'"
        ),
    ),
    row(
        "22-loop-over-misspelled-name",
        finding("alb-variable-no-data", "warning", "prompts/user.jinja:2", phrase="nearest field.*documents"),
    ),
    row(
        "23-nested-mustache-sections",
        no_findings("info"),
        sends("q1", "user", "Case A7\nNote: urgent\nQuestion: How deep is the north basin?\n"),
    ),
    row(
        "25-foreign-expression-syntax",
        finding(
            "alb-render-error",
            "error",
            "prompts/user.txt:1",
            phrase=r"\{\{ \$now \}\} is an expression of another program",
        ),
    ),
    row(
        "26-braces-in-values-no-false-alarm",
        no_findings("info"),
        sends("q1", "user", "Solve this: Let A = {1; 2; 3} and B = {2; 4}. What is A without B?\n"),
        sends("q3", "user", "Solve this: Explain \\frac{a}{b} in words.\n"),
    ),
    row(
        "28-utf16-from-excel",
        finding("dat-encoding-guessed", "info", "rows.csv", phrase="is read as UTF-16"),
        finding("dat-crlf", "info", "rows.csv:1"),
    ),
    row(
        "29-contexts-as-python-list-text",
        finding(
            "asm-text-for-list",
            "error",
            "prompts/user.jinja:1",
            count=4,
            phrase="contexts is a text that looks like a Python list",
            records=["q0", "q1", "q2", "q3"],
        ),
    ),
    row(
        "33-leak-with-other-case",
        finding("trn-leak", "error", "train.jsonl:1", count=4, records=["line_1", "line_2", "line_4", "line_5"]),
        finding("trn-leak", "warning", "train.jsonl:3", count=2, phrase="but for case", records=["line_3", "line_6"]),
    ),
    row(
        "34-chosen-equals-rejected-lists",
        finding(
            "trn-chosen-equals-rejected",
            "error",
            "dpo.jsonl:1",
            count=3,
            records=["line_1", "line_2", "line_3"],
        ),
    ),
    row(
        "35-prompt-repeated-in-chosen",
        finding("trn-prompt-repeated", "warning", "dpo.jsonl:1", count=6, phrase="begin with the prompt again"),
    ),
    row(
        "36-alpaca-rows",
        prints("check", phrase=r"train\.json \(\w+\).*; 6 .*instruction", absent="no message can be made"),
        finding("trn-empty", "error", "train.json:17", phrase="'output'.*empty", records=["line_17"]),
        finding("trn-duplicate-row", "warning", "train.json:27", phrase="the same as in line 2", records=["line_27"]),
        no_code("fmt-duplicate-instruction"),
    ),
    row(
        "39-mean-rises-with-failures",
        mean("new", "faithfulness", 1.0, n=20, failed=20),
        prints("scores", phrase=r"^.*20 of 40.*\n", absent='"new" is better'),
        prints("scores", absent="no difference anywhere"),
    ),
    row(
        "42-panel-with-nan",
        prints("scores", phrase=r"judges: \[judge_1, judge_2, judge_3\]|mean 0\.7767", absent=r"item: \[[^\]]*judge_3"),
        prints(
            "scores", "--judges", "panel.csv=judge_1,judge_2,judge_3", phrase=r"mean 0\.7767, n 10", absent=r": nan"
        ),
    ),
    row(
        "44-summary-drops-failures",
        prints("scores", phrase=r"108 of 172|0\.628"),
        finding("", "warning", "by_model.csv", count=1, phrase=r"0\.7297.*(108|0\.628)"),
    ),
    row(
        "45-two-scales-two-runs",
        finding("scr-scale-differs", "warning", phrase="relevance has scores on two scales"),
        prints("scores", phrase=r"must not be compared\n  b against a, relevance"),
        prints("scores", absent=r"b against a, relevance: \+"),
    ),
    row(
        "47-document-order-differs",
        finding(
            "jdg-document-order",
            "warning",
            "rows.jsonl:1",
            count=5,
            phrase="3, 1, 2",
            records=["q0", "q1", "q2", "q3", "q4"],
        ),
    ),
    row(
        "48-neighbouring-citations",
        no_findings("warning"),
        no_code("trn-damaged-text", "leg-altered-citation"),
    ),
    row(
        "49-prompt-with-dollars-and-newlines",
        no_findings("info"),
        sends(
            "q1",
            "user",
            "Prices: from $5 to $10.\n\n\tIndented.   \n<b>not bold</b> & *not* _italic_ :smile: [x](y)\n\n"
            "# no heading\nIs $a$ more than $b$?\n\nLine two with trailing   \n| a | b |\n|---|---|\n",
        ),
    ),
    row(
        "50-jinja-eats-last-newline",
        finding(
            "fmt-train-serve-diff",
            "error",
            "rows.jsonl:1",
            phrase=r"a newline after `Answer:` \(chatml-plain\), but served sends none \(in 6 of 6 records\)",
        ),
    ),
    row(
        "51-json-cell-printed-whole",
        sends(
            "q1",
            "user",
            'Style: {"tone":"formal","n":1.0,"brief":true,"x":null}\nQ: Where is the tide gauge?',
        ),
        sends("q2", "user", 'Style: {"tone":"caf\\u00e9","n":2e3,"brief":false}\nQ: Who pays the pilot?'),
    ),
    row(
        "52-same-instruction-other-input",
        no_findings("warning"),
        no_code("fmt-duplicate-instruction", "trn-duplicate-prompt", "trn-duplicate-row"),
    ),
    row(
        "53-sharegpt-tool-roles",
        no_findings("warning"),
        no_code("trn-chat-roles"),
    ),
    row(
        "54-system-only-patterns",
        no_findings("warning"),
        finding("asm-user-at-run-time", "info", "patterns/check_facts/system.md:1", phrase="5 modes.*at run time"),
        prints("render", "--mode", "title", phrase="You name texts about harbours", absent="user", code=0),
    ),
    row(
        "56-training-yaml-taken-for-model",
        prints("check", absent="is unknown here|dat-unknown-key|model .*treated as"),
    ),
    row(
        "57-leaderboard-with-lengths",
        prints("scores", phrase=r"win_?rate", absent="clerk a · "),
        prints("scores", phrase=r"clerk a: 48\.7"),
        prints("scores", absent=r"^  length$"),
    ),
    row(
        "58-judge-words-called-damaged",
        no_findings("warning"),
        no_code("trn-damaged-text"),
    ),
    row(
        "61-deep-folder",
        prints("check", phrase=r"examples/a/improve_rag/evals/datasets/v1/eval\.csv: info asm-nothing-to-send"),
        prints("check", phrase="ws: 2 records read"),
    ),
    row(
        "63-replies-that-are-no-json",
        mean("a", "score", 8.0, n=10, judge="j"),
        no_code("scr-missing-high"),
    ),
    row(
        "64-logged-content-parts",
        no_findings("info"),
        prints("check", phrase="4 of 4 logged requests equal byte for byte", code=0),
    ),
    row(
        "65-one-log-row-with-trailing-blank",
        finding("fmt-assembly-differs", "error", "rows.jsonl:3", phrase="here '', sent ' '", records=["q3"]),
        prints("check", phrase="3 of 4 logged requests equal byte for byte", code=1),
    ),
    row(
        "67-two-from-lines-projector",
        no_findings("warning"),
        no_code("oll-repeated-directive"),
    ),
    row(
        "69-answer-cites-missing-builtin",
        finding(
            "fmt-answer-cites-missing",
            "warning",
            "answers/run.jsonl:3",
            phrase=r"cites \[7\], but the prompt holds 2 contexts",
            records=["q2"],
        ),
    ),
)


@pytest.mark.parametrize("case", TABLE, ids=[case.folder for case in TABLE])
def test_the_folder_gives_the_right_answer(case: Row) -> None:
    try:
        for step in case.steps:
            step(CASES / case.folder / "ws")
    except AssertionError as wrong:
        raise AssertionError(f"{case.sentence}\n{wrong}") from None


def test_every_folder_has_its_row_in_the_order_of_the_numbers() -> None:
    assert sorted(path.parent.name for path in CASES.glob("*/EXPECT.md")) == [case.folder for case in TABLE]
