"""It cannot be known which examples are drawn.

A verification configuration draws examples at random (`k-shot`), and the draw cannot be repeated: the spelling is that
of an earlier program, whose seed differs from run to run, or the record has no id, which is the seed.

What is shown would be a guess, so no message is shown.

Give the records the ids that the benchmark has, write the configuration in the spelling of today (`pool_mode`,
`pool_k`), or choose all or custom.
"""

CODE = "asm-few-shot-random"
SEVERITY = "error"
ON = "load"
SENTENCE = "{k} of {of} examples are drawn at random, and which ones cannot be known: {reason}"
FIX = "give the records their ids and use pool_mode and pool_k, or choose all or custom"
_PRESET = '{"name": "n", "config": {"answering_models": [{"interface": "langchain", "model_name": "m"}], %s}}'
_FILE = 'dataset: d.jsonl\nprompts: [preset.json]\ntasks: {generation: {user: "{{ question }}"}}\n'
_EXAMPLE = '{"question": "a", "answer": "b"}'
_ROW = '{"id": "%s", "question": "Why?", "few_shot_examples": [%s]}\n'


def _case(config: str, *examples: str, called: str = "1") -> dict[str, str]:
    row = _ROW % (called, ", ".join(examples))
    return {"readback.yml": _FILE, "preset.json": _PRESET % f'"few_shot_config": {config}', "d.jsonl": row}


_TWO = (_EXAMPLE, _EXAMPLE.replace("a", "c"))
PASS = (
    _case('{"pool_mode": "k-shot", "pool_k": 1}', *_TWO),
    _case('{"global_mode": "k-shot", "global_k": 2, "enabled": true}', *_TWO),
)
FAIL = (_case('{"global_mode": "k-shot", "global_k": 1, "enabled": true}', *_TWO),)
