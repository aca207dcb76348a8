"""Ask pip-audit about the packages of requirements files, and say in a sentence what came out.

Exit code 1 where a package has a known weakness. Where no source of advisories can be reached, nothing was audited, and
that is no failure: the sentence says so.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

SECONDS = 300


def ask(files: list[str]) -> tuple[list[dict[str, Any]], str]:
    """Return pip-audit's entries, one for each package; or none, and why."""
    words = [sys.executable, "-m", "pip_audit", "--disable-pip", "--require-hashes", "--no-deps", "--format", "json"]
    requirements = [word for file in files for word in ("--requirement", file)]
    try:
        done = subprocess.run([*words, *requirements], capture_output=True, text=True, timeout=SECONDS, check=False)
        entries: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except subprocess.TimeoutExpired:
        return [], f"no answer within {SECONDS} s"
    except (ValueError, KeyError):
        lines = done.stderr.strip().splitlines()
        return [], lines[-1].partition(": ")[0] if lines else "pip-audit gave no answer"
    return entries, ""


def main(files: list[str]) -> int:
    entries, why = ask(files)
    asked = [entry for entry in entries if "skip_reason" not in entry]
    if not asked:
        why = why or next((entry["skip_reason"] for entry in entries), "there are no packages")
        print(f"audit: no source of advisories can be reached here, so nothing was audited ({why})")
        return 0
    weak = [(entry, fault) for entry in asked for fault in entry["vulns"]]
    for entry, fault in weak:
        fixed = ", ".join(fault.get("fix_versions", [])) or "no release yet"
        print(f"audit: {entry['name']} {entry['version']} has {fault['id']}; repaired in {fixed}")
    print(f"audit: {len(asked)} of {len(entries)} packages were audited; {len(weak)} known weaknesses")
    return int(bool(weak))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
