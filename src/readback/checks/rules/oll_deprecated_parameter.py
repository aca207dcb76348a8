"""A Modelfile sets a parameter that Ollama no longer heeds.

Ollama warns of such a parameter when the model is built (`mirostat`, `low_vram`, `penalize_newline` and their like),
and leaves it out.

The model is not run as the file says: answers that were sampled with it on an older server cannot be had again.

Take the line out, and say beside the scores which server made the answers.
"""

CODE = "oll-deprecated-parameter"
SEVERITY = "warning"
ON = "load"
SENTENCE = "parameter {name} is deprecated: Ollama leaves it out"
FIX = "take the line out"
PASS = ({"Modelfile": "FROM x\nPARAMETER num_ctx 4096\nPARAMETER draft_num_predict 4\n"},)
FAIL = ({"Modelfile": "FROM x\nPARAMETER mirostat 1\n"},)
