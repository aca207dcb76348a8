"""No Modelfile can be told to serve a model.

No configuration says which Modelfile serves a model of a plan. It is taken to be `Modelfile.<type>`, else the only one
whose name contains the type; here none, or more than one, fits.

The system message such a model really gets is not known: the one of its training, or of the prompt formats, is shown
in its place.

Rename the right one to Modelfile.<type>, or map it in readback.yml: `models: {name: {serving: {modelfile: path}}}`.
"""

CODE = "fmt-modelfile-unmapped"
SEVERITY = "warning"
ON = "load"
SENTENCE = "{count} Modelfiles fit the model '{model}' ({type}), so none is taken: {files}"
FIX = "name one Modelfile.{type}, or map it in readback.yml under models: serving: modelfile"
_PLAN = "runs: [{label: a, model_config: m.yaml, prompt_mode: rag}]\n"
_MODEL = "provider: x\nmodel: m\nmodel_type: rag_trained\n"
_SERVED = 'FROM x\nSYSTEM "You cite."\n'
PASS = (
    {"plan.yaml": _PLAN, "m.yaml": _MODEL, "Modelfile.rag_trained": _SERVED, "Modelfile.rag_trained_f16": _SERVED},
    {"plan.yaml": _PLAN, "m.yaml": "provider: x\nmodel: m\nmodel_type: base\n"},
)
FAIL = (
    {"plan.yaml": _PLAN, "m.yaml": _MODEL},
    {"plan.yaml": _PLAN, "m.yaml": _MODEL, "Modelfile.rag_trained_a": _SERVED, "Modelfile.rag_trained_b": _SERVED},
)
