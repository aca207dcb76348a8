"""Files of upstream systems: one module for each kind of configuration, plan, judge's prompt or training script.

Most have `recognise(path, value)`, whether a parsed file is of this kind, and `read(path, root, parsed)`, what it says
and the diagnostics. No registry finds them: `workspace/recognise.py` asks them, the plainest marks first, and
`workspace/intake.py` puts what they read into the workspace. YAML or JSON that nobody named is parsed only where it has
one of `KEYS` in `workspace/recognise.py`, so a new kind adds its own there.
"""
