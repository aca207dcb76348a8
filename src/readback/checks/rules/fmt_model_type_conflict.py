"""File name and model name speak for different types.

No type is stated; the name of the model's file says one type and the name of the model another. The file's name wins,
as in the program.

The type decides which system message and which closed-book prompt the model gets; one of the two names misleads.

Write the type down: `model_type:` in the model's file, `type:` under `models:` in readback.yml.
"""

CODE = "fmt-model-type-conflict"
SEVERITY = "warning"
ON = "load"
SENTENCE = "the file '{file}' says {file_type}, the model name '{model}' says {name_type}; {type} is taken"
FIX = "write model_type into the model's file, or rename one of the two"
_PLAN = "runs: [{label: a, model_config: lora_instruction_only.yaml, prompt_mode: rag}]\n"
PASS = ({"plan.yaml": _PLAN, "lora_instruction_only.yaml": "provider: x\nmodel: qwen\n"},)
FAIL = ({"plan.yaml": _PLAN, "lora_instruction_only.yaml": "provider: x\nmodel: lora_science_0p5\n"},)
