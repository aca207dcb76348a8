"""The training file states more than one system text.

Different system messages are in the notebook, the Python file or the first rows of the messages file. The first one
is taken for the comparison with what is served. Rows of a messages file whose texts are many, or share a frame, are
meant so: then none of them is taken, and it is for information.

If it is not the one that training used, the comparison says nothing.

Name the constant that counts (`system: {from: …, constant: NAME}`), or take the others out.
"""

CODE = "trn-system-candidates"
SEVERITY = "warning"
ON = "load"
SENTENCE = "{count} different system texts: {places}; taken: {taken}"
FIX = "name the constant that counts, or take the others out"
_FILE = "models: {m: {training: {system: {from: train.py%s}}}}\n"
_CODE = (
    'SYSTEM = "Be brief."\nOLD = {"role": "system", "content": "Be kind."}\n'
    'NEW = {"role": "system", "content": SYSTEM}\n'
)
PASS = (
    {"readback.yml": _FILE % ", constant: SYSTEM", "train.py": _CODE},
    {"readback.yml": _FILE % "", "train.py": _CODE.replace("kind", "brief")},
)
FAIL = ({"readback.yml": _FILE % "", "train.py": _CODE},)
