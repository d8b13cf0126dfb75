"""Whatever a file holds, it is read or refused with places; nothing else is ever raised."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from analysis.errors import InputError
from verifier.corpus import read_file
from verifier.corpus.redirects import read_redirects

VALUE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 12)
    | st.floats()
    | st.text(max_size=6)
    | st.just("\ud800\x00"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
KEYS = ("start", "end", "entity", "entity_raw", "entity_id", "id", "mention", "confidence", "span")
MARK = st.dictionaries(st.sampled_from(KEYS), VALUE | st.just([0, 2]), max_size=6)
MARKS = st.lists(MARK | VALUE, max_size=3) | VALUE
ROW = st.fixed_dictionaries(
    {"id": st.just("d") | VALUE, "text": st.just("Ann met Bob") | VALUE},
    optional={
        **dict.fromkeys(("annotations", "labels", "entity_mentions"), MARKS),
        **dict.fromkeys(("language", "evaluation_span"), VALUE | st.just([0, 5])),
    },
)
LINE = ROW.map(json.dumps) | st.text(max_size=20)


def read_or_refuse(content: bytes, read) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.jsonl"
        path.write_bytes(content)
        try:
            problems = read(path).problems
        except InputError as error:
            problems = error.problems
        for problem in problems:
            assert problem.where.startswith(str(path)) or not problem.where
            json.dumps(str(problem)).encode()


@given(st.lists(LINE, max_size=4))
def test_any_json_is_read_or_refused(lines: list[str]) -> None:
    read_or_refuse("\n".join(lines).encode("utf-8", "surrogatepass"), read_file)


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    read_or_refuse(content, read_file)


@given(st.lists(st.lists(st.text(max_size=5), max_size=4).map("\t".join), max_size=6))
def test_any_table_of_redirects_is_read_or_refused(lines: list[str]) -> None:
    read_or_refuse("\n".join(lines).encode("utf-8", "surrogatepass"), read_redirects)
