"""How long a rerun of the Messages page takes on 100,000 records, beside a minimal Streamlit page in the same process.

    python benchmarks/page_rerun.py [records]

Both are whole script runs through Streamlit's own runner (`streamlit.testing`), with the browser left out. The baseline
is a page of one title, one select box and one text. The index is built once before; the reruns read single records.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from streamlit.testing.v1 import AppTest

RECORDS = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
RUNS = 15
HOUSE = Path(__file__).resolve().parents[1]


def minimal() -> None:
    import streamlit as st

    st.title("Messages")
    st.selectbox("Record", ["1", "2", "3"])
    st.text("Question: Why?")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder))
        os.environ |= {"READBACK_WORKSPACE": folder, "READBACK_CACHE": f"{folder}/cache"}
        began = time.perf_counter()
        page = AppTest.from_file(str(HOUSE / "app.py"), default_timeout=300)
        page.switch_page("pages/messages_page.py").run()
        while any("Reading" in str(said.value) for said in page.get("progress")) or not page.title:
            page.run()
        print(f"first look at {RECORDS:,} records, index included: {time.perf_counter() - began:.2f} s")
        base = _median(lambda n: plain.run()) if (plain := AppTest.from_function(minimal).run()) else 0.0

        def look(n: int) -> None:
            page.query_params["index"] = str((n * 7919) % RECORDS)
            page.run()

        ours = _median(look)
        assert not page.exception, page.exception
        print(f"minimal page: {1000 * base:.1f} ms   Messages: {1000 * ours:.1f} ms   ratio {ours / base:.2f}")


def _median(work) -> float:  # type: ignore[no-untyped-def]
    times = []
    for n in range(RUNS + 2):
        began = time.perf_counter()
        work(n)
        times.append(time.perf_counter() - began)
    return statistics.median(times[2:])


def _write(folder: Path) -> None:
    (folder / "readback.yml").write_text(
        "name: many\ndataset: {path: data.jsonl}\nprompts: [builtin:prompt-formats]\n", "utf-8"
    )
    with (folder / "data.jsonl").open("w", encoding="utf-8") as file:
        for n in range(RECORDS):
            contexts = [f"[{i}] snippet {i} of record {n}. " + "It says little. " * 10 for i in range(1, 5)]
            prompt = "Answer.\n\nContext:\n" + "\n\n".join(contexts) + f"\n\nQuestion: number {n}?\nAnswer:"
            row = {"task_id": f"t{n}", "instruction": f"number {n}?", "rag": {"prompt": prompt, "contexts": contexts}}
            file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
