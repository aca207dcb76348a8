"""Two configurations put different examples before the question.

The workspace has several verification configurations whose `few_shot_config` differ, and what is sent belongs to none
of them by its name.

Whichever is meant, the other one's prompt is not what is shown.

Name one configuration under `prompts:`, or look at the conditions that are made from each of them.
"""

CODE = "asm-few-shot-differs"
SEVERITY = "warning"
ON = "load"
SENTENCE = "{files} put different examples before the question; shown is what {taken} says"
FIX = "name one of them under prompts:"
_PRESET = '{"name": "n", "config": {"answering_models": [{"interface": "langchain", "model_name": "m"}], %s}}'
_FILE = 'dataset: d.jsonl\nprompts: [preset.json]\ntasks: {generation: {user: "{{ question }}"}}\n'
_EXAMPLE = '{"question": "a", "answer": "b"}'
_ROW = '{"id": "%s", "question": "Why?", "few_shot_examples": [%s]}\n'


def _case(config: str, *examples: str, called: str = "1") -> dict[str, str]:
    row = _ROW % (called, ", ".join(examples))
    return {"readback.yml": _FILE, "preset.json": _PRESET % f'"few_shot_config": {config}', "d.jsonl": row}


_MORE = {
    "readback.yml": _FILE.replace("preset.json", "preset.json, other.json")
    + "conditions: [{name: c, task: generation}]\n"
}
_GLOBAL = f'"few_shot_config": {{"global_examples": [{_EXAMPLE}]}}'
PASS = ({**_case("{}", _EXAMPLE), **_MORE, "other.json": _PRESET % '"few_shot_config": {}'},)
FAIL = ({**_case("{}", _EXAMPLE), **_MORE, "other.json": _PRESET % _GLOBAL},)
