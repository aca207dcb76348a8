"""The training file states no system text that can be read.

No system message and no constant of the name asked for is in it as a text, or it is computed when the code runs.
Code is parsed here and never run. Or the rows of a messages file have no system message: then the model was trained
without one, which is for information unless its Modelfile serves one.

What the model was trained with cannot be compared with what is served.

Name the constant or the file that holds the text, or type the text (it is then shown as typed, not verified).
"""

CODE = "trn-system-not-found"
SEVERITY = "warning"
ON = "load"
SENTENCE = "no system text can be read from {file}: {reason}"
FIX = "name the constant or the file that holds it, or type the text"
_FILE = "models: {m: {training: {system: {from: train.py}}}}\n"
_SERVED = "models: {m: {training: {messages: t.jsonl}, serving: {modelfile: Modelfile}}}\n"
_ROWS = {"readback.yml": _SERVED, "t.jsonl": '{"prompt": "Why?", "completion": "So."}\n'}
PASS = ({"readback.yml": _FILE, "train.py": 'm = [{"role": "system", "content": "Be brief."}]\n'},)
FAIL = (
    {"readback.yml": _FILE, "train.py": 'm = [{"role": "system", "content": open("s.txt").read()}]\n'},
    {**_ROWS, "Modelfile": 'FROM x\nSYSTEM "Be brief."\n'},
)
