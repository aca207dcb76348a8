"""The training file states no system text that can be read.

No system message and no constant of the name asked for stands in it as a text, or it is computed when the code runs.
Code is parsed here and never run.

What the model was trained with cannot be compared with what is served.

Name the constant or the file that holds the text, or type the text (it is then shown as typed, not verified).
"""

CODE = "trn-system-not-found"
SEVERITY = "warning"
ON = "load"
SENTENCE = "no system text can be read from {file}: {reason}"
FIX = "name the constant or the file that holds it, or type the text"
_FILE = "models: {m: {training: {system: {from: train.py}}}}\n"
PASS = ({"readback.yml": _FILE, "train.py": 'm = [{"role": "system", "content": "Be brief."}]\n'},)
FAIL = ({"readback.yml": _FILE, "train.py": 'm = [{"role": "system", "content": open("s.txt").read()}]\n'},)
