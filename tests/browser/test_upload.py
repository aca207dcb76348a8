"""One's own files: brought by upload, mapped by a click, shown in the prompt, and deleted; no file is edited."""

from __future__ import annotations

import io
import shutil
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from counts import part
from served import Others, open_page, settle, turn_to

from readback import workspace
from readback.project_files import EXAMPLES
from readback.records.dataset import open_dataset

pytestmark = pytest.mark.browser
CSV = "id,question\nq1,Quand ouvre la mairie ?\nq2,Où déposer une demande ?\n"
DEMO = EXAMPLES / "town-hall-albert"
Write = Callable[[Mapping[str, Any]], Path]


def bring(page: Any, files: Iterable[Path]) -> None:
    """Choose the files on the Open page and open them."""
    page.locator("[class*=st-key-upload_] input[type=file]").first.set_input_files([str(file) for file in files])
    page.locator(".st-key-upload_go button:not([disabled])").click()
    page.wait_for_url("**workspace=upload-*")
    settle(page)


def map_and_look(page: Any, url: str, files: Iterable[Path]) -> None:
    """What somebody with a configuration and a CSV does: upload, one click, and read the message."""
    open_page(page, f"{url}open")
    bring(page, files)
    page.locator(".st-key-offer_query button").click()
    page.wait_for_selector(".st-key-unmap_query")
    settle(page)
    page.get_by_role("link", name="See the messages").click()
    page.wait_for_selector("#text-0-user .rb-exact, #text-1-user .rb-exact")
    settle(page)
    user = page.locator('[id^="text-"][id$="-user"] .rb-exact')
    assert "Quand ouvre la mairie ?" in user.evaluate("e => e.textContent")


@pytest.mark.realdata
@pytest.mark.parametrize("real", part([True, False], 1))
def test_a_configuration_beside_a_csv_whose_column_has_another_name(
    demo: str, page: Any, tmp_path: Path, shared: Path, real: bool
) -> None:
    ours = [DEMO / name for name in ("prompt_config.yml", "simple.jinja", "rag.jinja", "courrier.jinja")]
    for file in (shared / "data" / "albert").iterdir() if real else ours:
        shutil.copy(file, tmp_path)
    (tmp_path / "questions.csv").write_text(CSV, "utf-8")
    map_and_look(page, demo, sorted(tmp_path.iterdir()))


def test_what_was_mapped_is_in_the_saved_workspace_file(demo: str, page: Any, write: Write, tmp_path: Path) -> None:
    folder = (
        write(
            {
                "in/prompt_config.yml": "prompts: [{mode: m, template: m.jinja}]\n",
                "in/m.jinja": "Q: {{ query }}",
                "in/q.csv": CSV,
            }
        )
        / "in"
    )
    open_page(page, f"{demo}open")
    bring(page, sorted(folder.iterdir()))
    page.locator(".st-key-offer_query button").click()
    page.wait_for_selector(".st-key-unmap_query")
    settle(page)
    with page.expect_download() as wait:
        page.locator(".st-key-save button").first.click()
    shutil.copy(wait.value.path(), folder / "readback.yml")
    opened = workspace.open(folder)
    assert opened.dataset is not None
    assert dict(opened.dataset.fields) == {"query": "question"}
    assert open_dataset(opened.root, opened.dataset).record(0).fields["query"] == "Quand ouvre la mairie ?"


def test_a_zip_with_a_folder_in_it_is_the_same_as_its_files(demo: str, page: Any, tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for file in sorted(DEMO.iterdir()):
            archive.write(file, f"mairie/{file.name}")
    (tmp_path / "mairie.zip").write_bytes(packed.getvalue())
    open_page(page, f"{demo}open")
    page.get_by_role("button", name="Choose a folder", exact=True).wait_for()  # read out as it is written
    assert page.get_by_role("button", name="Choose files", exact=True).count() == 1
    assert page.get_by_text("Upload directories").is_hidden()
    bring(page, [tmp_path / "mairie.zip"])
    assert page.locator("h2", has_text="Mairie de Valmont").count() == 1
    for _ in range(10):  # on a busy machine it is read a moment later
        page.locator(".rb-menu summary").click()
        if "8 records" in page.inner_text(".rb-side"):
            return
        page.wait_for_timeout(1_000)
        open_page(page, page.url)
    raise AssertionError(page.inner_text(".rb-side"))


def test_an_upload_is_this_browsers_own_and_goes_when_it_is_deleted(
    demo: str, page: Any, others: Others, write: Write
) -> None:
    folder = write({"in/readback.yml": "modes: [{mode: m, template: secret text}]\n"}) / "in"
    open_page(page, f"{demo}open")
    bring(page, folder.iterdir())
    address = page.url.replace("/open?", "/prompts?")
    turn_to(page, address, ".rb-exact")
    assert "secret text" in page.locator('[id^="text-"] .rb-exact').all_text_contents()
    (stranger,) = others(1)
    open_page(stranger, address, "text=workspace that this server does not have")
    assert "secret text" not in stranger.content()
    turn_to(page, address.replace("/prompts?", "/open?"))
    page.locator("[class*=st-key-delete_upload] button").first.click()
    page.wait_for_selector("text=The upload was deleted.")
    open_page(page, address, "text=workspace that this server does not have")


def test_a_folder_is_uploaded_with_its_subfolders(demo: str, page: Any, write: Write) -> None:
    files = {
        "in/readback.yml": "modes: [{mode: m, template_file: texts/m.jinja}]\ndataset: data/q.csv\n",
        "in/texts/m.jinja": "{{ question }}",
        "in/data/q.csv": CSV,
    }
    folder = write(files) / "in"
    open_page(page, f"{demo}open")
    page.locator("[class*=st-key-folder_] input[type=file]").set_input_files(str(folder))
    page.locator(".st-key-upload_go button:not([disabled])").click()
    page.wait_for_url("**workspace=upload-*")
    settle(page)
    page.get_by_role("link", name="See the messages").click()
    page.wait_for_selector("#text-0-user .rb-exact")
    assert page.locator("#text-0-user .rb-exact").evaluate("e => e.textContent") == "Quand ouvre la mairie ?"


def test_what_is_no_workspace_says_so_and_can_be_deleted(demo: str, page: Any, tmp_path: Path) -> None:
    (tmp_path / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(99))
    open_page(page, f"{demo}open")
    bring(page, [tmp_path / "photo.png"])
    page.wait_for_selector("text=This folder cannot be opened.")
    page.locator("[class*=st-key-delete_upload] button").first.click()
    page.wait_for_selector("text=The upload was deleted.")
