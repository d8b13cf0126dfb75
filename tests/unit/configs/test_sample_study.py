"""The bundled sample study is what its README says: exact spans, a complete knowledge base, known errors."""

import itertools
import json
import re
import unicodedata
from pathlib import Path

import pytest

from analysis.keys import read_entity
from verifier.kb.names import fold
from verifier.kb.rows import read_rows

DEMO = Path(__file__).parents[3] / "configs" / "demo"
FILES = ("truth", "gt", "alpha-linker", "beta-linker")
# Share of a source's annotations that have the span and the entity of the truth.
BANDS = {"gt": (0.88, 0.92), "alpha-linker": (0.82, 0.88), "beta-linker": (0.72, 0.78)}
AMBIGUOUS = (
    *(
        "Amazon",
        "Apple",
        "Athens",
        "Birmingham",
        "Boston",
        "Cairo",
        "Cambridge",
        "Columbia",
        "Cork",
        "Darwin",
    ),
    *("Dublin", "Evans", "Faro", "Galicia", "Georgia", "Hamilton", "Java", "Jordan", "Lagos", "Las Vegas"),
    *("León", "Limerick", "London", "Marathon", "Memphis", "Mercury", "Miles", "Newcastle", "Nike", "Oracle"),
    *("Paris", "Phoenix", "Princeton", "Python", "Queen", "Roma", "Salt River", "Santa Clara", "Santiago"),
    *("Santos", "Shannon", "Silk Road", "Simpson", "Sun", "Thames", "Valencia", "Venice", "Venus", "Verdi"),
    *("Victoria", "Vulcan", "Washington", "Wembley"),
)


def load(name):
    lines = (DEMO / "corpus" / f"{name}.jsonl").read_text(encoding="utf-8").split("\n")
    return {document["id"]: document for document in map(json.loads, filter(None, lines))}


def answers(document):
    """Start, end and key (None where it is unmapped) of each annotation."""
    return {
        (a["start"], a["end"], read_entity(a["entity"] or "NIL", "en").key if "entity" in a else None)
        for a in document["annotations"]
    }


@pytest.fixture(scope="module")
def corpus():
    return {name: load(name) for name in FILES}


@pytest.fixture(scope="module")
def entities():
    return [row for _, row in read_rows(DEMO / "kb.tsv", "en")]


@pytest.fixture(scope="module")
def called(entities):
    """Every folded name with the keys it may stand for."""
    names = {}
    for row in entities:
        for name in (row.title, *row.aliases):
            names.setdefault(fold(name), set()).add(row.key)
    return names


def test_pictures_are_small_and_credited(entities):
    pictured = [row for row in entities if row.image]
    assert sorted(row.image for row in pictured) == sorted((DEMO / "pictures").iterdir())
    assert {row.image_credit for row in pictured} == {"the posthoc authors, CC0"}
    assert max(row.image.stat().st_size for row in pictured) < 10_000


def test_the_four_files_hold_the_same_texts_and_no_text_twice(corpus):
    texts = [{name: d["text"] for name, d in documents.items()} for documents in corpus.values()]
    assert all(other == texts[0] for other in texts)
    assert len(set(texts[0].values())) == len(texts[0]) == 39


def test_texts_are_short(corpus):
    assert all(80 <= len(d["text"].split()) <= 160 for d in corpus["truth"].values())


@pytest.mark.parametrize("name", FILES)
def test_every_mention_lies_in_its_text_and_covers_whole_words(corpus, name):
    for document in corpus[name].values():
        text = document["text"]
        for a in document["annotations"]:
            start, end = a["start"], a["end"]
            assert 0 <= start < end <= len(text)
            assert text[start].isalnum()
            assert not text[start - 1 : start].isalnum()
            assert not text[end : end + 1].isalnum()


@pytest.mark.parametrize("name", FILES)
def test_no_annotation_stands_twice(corpus, name):
    for document in corpus[name].values():
        assert len(answers(document)) == len(document["annotations"])


def test_truth_mentions_do_not_overlap(corpus):
    for document in corpus["truth"].values():
        spans = sorted((a["start"], a["end"]) for a in document["annotations"])
        assert all(one[1] <= other[0] for one, other in itertools.pairwise(spans))


def test_every_entity_that_occurs_is_in_the_knowledge_base(corpus, entities):
    known = {row.key for row in entities} | {"NIL", None}
    for documents in corpus.values():
        for document in documents.values():
            assert {key for _, _, key in answers(document)} <= known


def test_every_entity_has_a_card(entities):
    assert all(row.title and row.description and row.extract and row.url for row in entities)
    assert all(row.key == read_entity(row.url, "en").key for row in entities)
    assert len({row.extract for row in entities}) == len(entities)


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_an_ambiguous_name_leads_to_several_entities(called, name):
    assert len(called[fold(name)]) >= 2


def test_what_a_text_calls_an_entity_leads_to_it(corpus, called):
    """A worker who types the mention finds the right entity among the answers."""
    for document in corpus["truth"].values():
        for start, end, key in answers(document):
            if key != "NIL":
                assert key in called[fold(document["text"][start:end])]


@pytest.mark.parametrize("name", BANDS)
def test_a_wrong_namesake_is_a_namesake(corpus, called, name):
    """Where a source names another entity on a right span, the knowledge base knows two by that name."""
    for document, truth in zip(corpus[name].values(), corpus["truth"].values(), strict=True):
        right = {(start, end): key for start, end, key in answers(truth) if key != "NIL"}
        for start, end, key in answers(document) - answers(truth):
            if key not in (None, "NIL") and (start, end) in right:
                assert len(called[fold(document["text"][start:end])]) >= 2


def test_alpha_prefers_the_famous_namesake(corpus, entities):
    known = {row.key: row.popularity for row in entities}
    for document, truth in zip(corpus["alpha-linker"].values(), corpus["truth"].values(), strict=True):
        right = {(start, end): key for start, end, key in answers(truth)}
        for start, end, key in answers(document) - answers(truth):
            if (start, end) in right:
                assert known[key] > known[right[start, end]]


@pytest.mark.parametrize("name", BANDS)
def test_a_source_is_right_as_often_as_stated(corpus, name):
    low, high = BANDS[name]
    total = sum(len(d["annotations"]) for d in corpus[name].values())
    right = sum(len(answers(d) & answers(corpus["truth"][i])) for i, d in corpus[name].items())
    assert low <= right / total <= high


def test_one_source_found_nothing_in_one_document(corpus):
    empty = [(name, i) for name in FILES for i, d in corpus[name].items() if not d["annotations"]]
    assert empty == [("alpha-linker", "samarkand-train")]


def test_emoji_and_combining_marks_touch_mentions(corpus):
    texts = {i: d["text"] for i, d in corpus["truth"].items()}
    spans = [(texts[i], a["start"], a["end"]) for i, d in corpus["truth"].items() for a in d["annotations"]]
    beyond = [
        s for s in spans if max(map(ord, s[0][max(0, s[1] - 1) : s[1]] + s[0][s[2] : s[2] + 1])) > 0xFFFF
    ]
    assert len(beyond) >= 8
    assert any(unicodedata.combining(c) for text, start, end in spans for c in text[start:end])


def test_each_source_spells_entities_its_own_way(corpus):
    def spelled(name):
        return [a["entity"] for d in corpus[name].values() for a in d["annotations"] if a.get("entity")]

    assert any("_" in entity for entity in spelled("alpha-linker"))
    assert not any(" " in entity for entity in spelled("alpha-linker"))
    assert all(entity.startswith("https://en.wikipedia.org/wiki/") for entity in spelled("beta-linker"))
    assert any("%" in entity for entity in spelled("beta-linker"))
    assert not any("_" in entity or "/" in entity for entity in spelled("gt"))


def test_only_models_are_more_or_less_sure(corpus):
    for name in FILES:
        for a in (a for d in corpus[name].values() for a in d["annotations"]):
            assert ("confidence" in a) == name.endswith("linker")
            assert 0 < a.get("confidence", 0.5) < 1


@pytest.mark.parametrize("name", FILES)
def test_the_readme_counts_what_is_there(corpus, name):
    line = re.search(rf"^\| `corpus/{name}\.jsonl` .*$", (DEMO / "README.md").read_text(), re.MULTILINE)
    all_of = [a for d in corpus[name].values() for a in d["annotations"]]
    nil = sum(a.get("entity", "") is None for a in all_of)
    unmapped = sum("entity_raw" in a for a in all_of)
    right = sum(len(answers(d) & answers(corpus["truth"][i])) for i, d in corpus[name].items())
    assert line
    assert [int(cell) for cell in line[0].strip("| ").split("|")[2:]] == [
        *(len(corpus[name]), len(all_of), len(all_of) - nil - unmapped, nil, unmapped, right),
    ]


def test_the_readme_counts_the_knowledge_base(entities):
    assert f"a knowledge base of {len(entities)} entities" in " ".join(
        (DEMO / "README.md").read_text().split()
    )


def test_the_readme_counts_what_nobody_marked(corpus):
    """Mentions of the truth that no annotation of the ground truth touches."""
    missed = 0
    for i, truth in corpus["truth"].items():
        marked = [(a["start"], a["end"]) for a in corpus["gt"][i]["annotations"]]
        missed += sum(
            not any(s < a["end"] and a["start"] < e for s, e in marked) for a in truth["annotations"]
        )
    assert missed == 12
