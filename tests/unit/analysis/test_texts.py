"""A bundle without its texts, and with them put back by hash."""

from __future__ import annotations

import hashlib
import json

import pandas as pd
import pytest

from analysis import bundle
from analysis.audit import audit_frame
from analysis.errors import InputError
from analysis.load import load
from analysis.outcomes import measure
from analysis.output import analyze
from analysis.verify import verify
from tests.support.random_studies import frame

TEXTS = [f"{n} Zoë 🙂 went to\r\nParis and Rome" for n in range(4)]


def _bundle(folder, *, text):
    study = load(frame(2, rows=80, datasets=1))
    documents = study["documents"]
    hashes = [hashlib.sha256(one.encode()).hexdigest() for one in TEXTS]
    documents = documents.assign(text=TEXTS if text else None, text_sha256=hashes)
    places = dict(zip(documents["document"], TEXTS, strict=True))
    rows = study["annotations"]
    spans = zip(rows["document"], rows["start"], rows["end"], strict=True)
    mentions = [places[name][start:end] if text else None for name, start, end in spans]
    tables = {**study.tables, "documents": documents, "annotations": rows.assign(mention=mentions)}
    return bundle.write(tables, {"origin": "live"}, folder)


def _folder(folder):
    folder.mkdir()
    for number, text in enumerate(TEXTS):
        (folder / f"any-name-{number}.txt").write_bytes(text.encode())
    (folder / "of-no-document.txt").write_text("nothing", encoding="utf-8")
    return folder


def _jsonl(file):
    lines = [json.dumps({"id": "x", "text": text}, ensure_ascii=False) for text in reversed(TEXTS)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


@pytest.mark.parametrize("kind", ["folder", "jsonl"])
def test_texts_find_their_documents_by_hash_and_give_mentions_back(tmp_path, kind):
    whole = load(_bundle(tmp_path / "whole", text=True))
    texts = _folder(tmp_path / "t") if kind == "folder" else _jsonl(tmp_path / "t.jsonl")
    back = load(_bundle(tmp_path / "bare", text=False), texts=texts)
    for table in ("documents", "annotations"):
        pd.testing.assert_frame_equal(back[table], whole[table])
    pd.testing.assert_frame_equal(audit_frame(measure(back)), audit_frame(measure(whole)))


def test_an_output_made_with_texts_is_made_again_with_them(tmp_path):
    bare, texts = _bundle(tmp_path / "bare", text=False), _folder(tmp_path / "t")
    analyze(bare, tmp_path / "out", texts=texts, replicates=0, figures="none")
    assert not verify(bare, tmp_path / "out", texts=texts).different
    names = [name for name, _ in verify(bare, tmp_path / "out").different]
    assert "audit.csv" in names


def test_numbers_need_no_text(tmp_path):
    whole, bare = (load(_bundle(tmp_path / name, text=name == "whole")) for name in ("whole", "bare"))
    one, other = (measure(study) for study in (whole, bare))
    pd.testing.assert_frame_equal(one.items, other.items)


def test_a_text_that_differs_by_a_line_end_is_another(tmp_path):
    texts = _folder(tmp_path / "t")
    (texts / "any-name-2.txt").write_bytes(TEXTS[2].replace("\r\n", "\n").encode())
    with pytest.raises(InputError, match=r"1 of 4 documents find no text .* d0 / t2"):
        load(_bundle(tmp_path / "bare", text=False), texts=texts)


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"{", "not JSON"), (b'{"id": 1}', "no text"), (b"\xff", "UTF-8"), (b"[1]", "no text")],
)
def test_what_holds_no_texts_is_refused_with_its_line(tmp_path, content, message):
    (tmp_path / "t.jsonl").write_bytes(content)
    with pytest.raises(InputError, match=message):
        load(_bundle(tmp_path / "bare", text=False), texts=tmp_path / "t.jsonl")


def test_an_empty_folder_and_a_csv_are_refused(tmp_path):
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError, match="no texts"):
        load(_bundle(tmp_path / "bare", text=False), texts=tmp_path / "none")
    with pytest.raises(InputError, match="knows no hash"):
        load(frame(1), texts=tmp_path / "none")
