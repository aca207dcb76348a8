"""Build the results of an experiment in tests: a folder for each run, with faults planted and counted."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean, stdev
from typing import Any

WEIGHTS = {"factuality": 0.4, "grounding": 0.3, "completeness": 0.2, "communication": 0.1}
RUBRICS = {"rag": "scientific_default_rag", "instruction": "scientific_default_instruction"}


@dataclass(slots=True)
class Run:
    """One run of `n` records in shape C, as the program writes it; what is planted in it is counted."""

    label: str
    mode: str = "rag"
    n: int = 20
    failed: Sequence[int] = ()  # records without judge scores
    texts: Sequence[int] = ()  # records whose factuality is written as text
    truths: Sequence[int] = ()  # records whose factuality is `true`
    verdicts: Sequence[int] = ()  # records with the wrong verdict
    totals: Sequence[int] = ()  # records with a wrong total
    wrong: Mapping[str, float] = field(default_factory=dict)  # added to the stated mean of a criterion

    def rows(self) -> list[dict[str, Any]]:
        return [self._row(at) for at in range(self.n)]

    def _row(self, at: int) -> dict[str, Any]:
        row: dict[str, Any] = {"task_id": f"t{at}", "model_label": self.label, "timestamp": "2025-11-02T10:00:00"}
        if at in self.failed:
            return {**row, "errors": {"evaluation": "timeout"}}
        scores: dict[str, Any] = {name: round(0.45 + (at * 7 + k * 3) % 50 / 100, 2) for k, name in enumerate(WEIGHTS)}
        closed = self.mode == "instruction"
        if closed:
            scores["grounding"] = 0.0
        weights = {"factuality": 0.5, "completeness": 0.3, "communication": 0.2} if closed else WEIGHTS
        total = sum(weight * scores[name] for name, weight in weights.items())
        verdict = "pass" if total >= 0.65 else "fail"  # no score is below 0.4
        if at in self.verdicts:
            verdict = {"pass": "fail", "fail": "pass"}[verdict]
        scores["overall"] = round(total + (0.2 if at in self.totals else 0), 4)
        if at in self.texts:
            scores["factuality"] = str(scores["factuality"])
        if at in self.truths:
            scores["factuality"] = True
        return {
            **row,
            "task_type": "qa",
            "instruction": f"Question {at}?",
            "model_answer": "An answer [1].",
            "judge_scores": scores,
            "judge_verdict": verdict,
            "judge_reasoning": "because",
            "judge_missing_citations": [],
            "reference_metrics": {"bleu": 0.1, "bertscore": {"precision": 0.8, "recall": 0.9, "f1": 0.85}},
            "citation_metrics": {
                "referenced": [1],
                "coverage": {"1": 0.4},
                "mean_coverage": 0.4,
                "precision": 1.0,
                "recall": 0.5,
                "grounded_fraction": 0.3,
                "mode": "instruction_only" if closed else "rag",
            },
            "prompt_mode": self.mode,
            "response_length": {"word_count": 3, "char_count": 14},
        }

    def metrics(self) -> dict[str, Any]:
        """The summary as the program counts it: true is 1, numbers in quotes are no numbers."""
        rows = self.rows()
        by: dict[str, list[float]] = {}
        for row in rows:
            for name, value in row.get("judge_scores", {}).items():
                if isinstance(value, int | float):
                    by.setdefault(name, []).append(float(value))
        verdicts = [row.get("judge_verdict") for row in rows]
        rag = self.mode == "rag"
        return {
            "model_label": self.label,
            "examples_evaluated": len(rows),
            "examples_with_errors": len(self.failed),
            "judge_scores": {
                name: {
                    "mean": mean(values) + self.wrong.get(name, 0),
                    "std": stdev(values),
                    "min": min(values),
                    "max": max(values),
                    "n": len(values),
                }
                for name, values in by.items()
            },
            "judge_verdicts": {
                "pass": verdicts.count("pass"),
                "fail": verdicts.count("fail"),
                "unknown": verdicts.count(None),
                "pass_rate": verdicts.count("pass") / len(rows),
            },
            "reference_metrics": {"bertscore_f1": {"mean": 0.85, "std": 0.0, "n": self.n - len(self.failed)}},
            "citation_metrics": {
                "mean_coverage": {
                    "mean": 0.4 if rag else None,
                    "std": 0.0,
                    "n": self.n - len(self.failed) if rag else 0,
                }
            },
            "response_length": {
                "mean_word_count": 3.0,
                "std_word_count": 0.0,
                "min_word_count": 3,
                "max_word_count": 3,
            },
            "error_breakdown": {"evaluation": len(self.failed)} if self.failed else {},
            "evaluated_task_ids": [row["task_id"] for row in rows],
        }

    def metadata(self, model: str = "qwen3:8b") -> dict[str, Any]:
        """One line of metadata.jsonl."""
        return {
            "timestamp": "2025-11-02T12:00:00+00:00",
            "model_label": self.label,
            "metrics": {"judge_name": RUBRICS[self.mode], "judge_model": model, "prompt_mode": self.mode},
            "dataset": {"path": "/home/somebody/eval_dataset.jsonl", "sha256": "d" * 64, "example_count": self.n},
            "inference": {"config_path": "/home/somebody/m.yaml", "parameters": {"model": "qwen2.5:0.5b"}},
            "judge": {
                "prompt_path": "/home/somebody/judge.yaml",
                "prompt_sha256": ("e" if self.mode == "rag" else "f") * 64,
                "parameters": {"model": model},
            },
        }

    def responses(self) -> list[dict[str, Any]]:
        """The saved responses, with what was sent."""
        return [
            {
                "task_id": f"t{at}",
                "instruction": f"Question {at}?",
                "prompt_text": f"Question: Question {at}?\n\nAnswer:",
                "response": "An answer [1].",
                "model_label": self.label,
                "prompt_mode": self.mode,
            }
            for at in range(self.n)
        ]

    def files(self, under: str = "") -> dict[str, Any]:
        """The run's folder: path to content, for the fixture `write`."""
        older, newer = self.metadata("an older judge"), self.metadata()
        return {
            f"{under}{self.label}/details.jsonl": self.rows(),
            f"{under}{self.label}/metrics.json": self.metrics(),
            f"{under}{self.label}/metadata.jsonl": json.dumps(older) + "\n" + json.dumps(newer) + "\n",
        }
