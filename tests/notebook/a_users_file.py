"""What a user's program may say of a study; `make check` holds it to mypy --strict, the mistake at its end too."""

import readback

study: readback.Study = readback.open("study")
finding: list[readback.Finding] = list(study.assemble("a", "1").findings)
ids: list[str | None] = [record.id for record in study.records]
text: str = study.model_input("a", "1").text + study.compare("a", "b").sentence
answers: list[str] = [one["answer"] for one in study.conclusions("relevance")]
problems: list[str] = readback.validate_rag_prompt_no_system_text(text)
# A mistake: strict has it that a needless `ignore` is an error, too.
number: int = study.model_input("a", "1").text  # type: ignore[assignment]
