"""A model's type is worked out from names.

No `model_type` says whether the model is a base model, was trained on instructions only, or was trained with
retrieved contexts; the file's name, then the model's name, then `base` decided, in the order of the program.

The type decides which system message and which closed-book prompt the model gets, so a renamed file changes prompts.

Write the type down: `model_type:` in the model's file, `type:` under `models:` in readback.yml.
"""

CODE = "fmt-model-type-inferred"
SEVERITY = "info"
ON = "load"
SENTENCE = "model '{model}' is taken for {type}: {reason}"
FIX = "write model_type: {type} into the model's file, or what is right"
_PLAN = "runs: [{label: a, model_config: tuned_rag_trained.yaml, prompt_mode: rag}]\n"
PASS = ({"plan.yaml": _PLAN, "tuned_rag_trained.yaml": "provider: x\nmodel: tuned\nmodel_type: rag_trained\n"},)
FAIL = ({"plan.yaml": _PLAN, "tuned_rag_trained.yaml": "provider: x\nmodel: tuned\n"},)
