"""A model with the name of a fine-tuned one is taken for a base model.

No type is stated and no rule on names decided, so the type is `base`; yet its name, or that of its file, holds rag,
lora, hybrid or instruct. The program decides the same way: it never looks for `rag-trained` in a model's name. Whether
the name means training is a guess (a baseline that is run in RAG mode may be called `rag_baseline`), so it is for
information.

A base model gets no prescribed system message and the plain closed-book prompt, so a fine-tuned one would be sent
something it was not trained on.

Write the type down: `model_type:` in the model's file, `type:` under `models:` in readback.yml.
"""

CODE = "fmt-model-type-guess"
SEVERITY = "info"
ON = "load"
SENTENCE = "model '{model}' is taken for a base model although the name '{name}' holds '{hint}'"
FIX = "write model_type into the model's file: base, instruction_only or rag_trained"
_PLAN = "runs: [{label: a, model_config: m.yaml, prompt_mode: rag}]\n"
PASS = (
    {"plan.yaml": _PLAN, "m.yaml": "provider: x\nmodel: qwen\n"},
    {"plan.yaml": _PLAN, "m.yaml": "provider: x\nmodel: my-rag-trained\nmodel_type: rag_trained\n"},
)
FAIL = ({"plan.yaml": _PLAN, "m.yaml": "provider: x\nmodel: my-rag-trained\n"},)
