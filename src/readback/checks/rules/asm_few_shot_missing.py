"""Few-shot examples are switched on, and there is none for a record.

A verification configuration has `few_shot_config` (or `few_shot_enabled`), and neither the record's field
`few_shot_examples` nor the configuration's `global_examples` has an example for it.

The program then sends the question alone, without `Question:`. Where the benchmark does have examples, the dataset that
is looked at here has lost them, and the real prompt is another one.

Put the examples into the field `few_shot_examples` of the records ({question, answer}), or switch them off.
"""

CODE = "asm-few-shot-missing"
SEVERITY = "warning"
ON = "load"
SENTENCE = "{file} puts examples before the question, and there is none for this record: the question is sent alone"
FIX = "put a list of question and answer into the record's few_shot_examples, or set source: disabled"
_PRESET = '{"name": "n", "config": {"answering_models": [{"interface": "langchain", "model_name": "m"}], %s}}'
_FILE = 'dataset: d.jsonl\nprompts: [preset.json]\ntasks: {generation: {user: "{{ question }}"}}\n'
_EXAMPLE = '{"question": "a", "answer": "b"}'
_ROW = '{"id": "%s", "question": "Why?", "few_shot_examples": [%s]}\n'


def _case(config: str, *examples: str, called: str = "1") -> dict[str, str]:
    row = _ROW % (called, ", ".join(examples))
    return {"readback.yml": _FILE, "preset.json": _PRESET % f'"few_shot_config": {config}', "d.jsonl": row}


PASS = (_case("{}", _EXAMPLE), _case('{"source": "disabled"}'), _case(f'{{"global_examples": [{_EXAMPLE}]}}'))
FAIL = (_case("{}"), _case('{"source": "global"}', _EXAMPLE))
