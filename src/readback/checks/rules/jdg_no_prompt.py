"""A file that should hold a judge's prompt holds none.

The Python file has no constants for system and user text (they are looked for by name, and never run), or they are
computed; the YAML has no `prompt`, or only says how a judge is run. It is told for information of a YAML with prompts
in a layout of its own, of a Python file whose texts are in functions or dicts, and of a file that nobody names: several
constants in it are variants that the program chooses among, mostly.

The judge cannot be shown, and nothing can be said about its scores.

Name the constants (`prompts: {file: x.py, system: NAME, user: NAME}`), or text files (`prompts: {user: judge.txt}`).
"""

CODE = "jdg-no-prompt"
SEVERITY = "error"
ON = "load"
SENTENCE = "{file} gives no judge prompt: {reason}"
FIX = "name the constants or files that hold the judge's system and user text"
_FILE = "judges: {rag: {prompts: judge.py}}\n"
PASS = (
    {"readback.yml": _FILE, "judge.py": 'SYSTEM_PROMPT = "Grade."\nEVALUATION_PROMPT_TEMPLATE = "{answer}"\n'},
    {"readback.yml": _FILE, "judge.py": 'JUDGE_SYSTEM = "Grade."\nJUDGE_USER = "Q: {query}"\n'},
    {"readback.yml": _FILE, "judge.py": 'FAITHFULNESS = "Is the answer {answer} said by the excerpts? Yes or no."\n'},
)
FAIL = (
    {"readback.yml": _FILE, "judge.py": 'SYSTEM_PROMPT = load("system.txt")\n'},
    {"readback.yml": _FILE, "judge.py": '"""What this file is for, in more words than eight of them."""\nimport os\n'},
)
