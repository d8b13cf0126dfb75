"""Corpus files with one thing changed, and what must become of them."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from analysis.documents import Annotation, Document, Span
from analysis.errors import InputError
from analysis.keys import NIL, Entity
from verifier.corpus import read_file, writers
from verifier.corpus.reading import Reading

WORDS: Final = [
    "Ann",
    "met",
    "Bob",
    "at",
    "R&D",
    "in",
    "São_Paulo",
    "<b>",
    "100%",
    "🙂",
    "AC/DC.",
    "é",
    "Who?",
    "It's,",
    "Zoë",
]
ENTITIES: Final = ["wd:Q1", "wd:Q42", "w:en:AC/DC", "w:en:100 %", "w:en:São Paulo", "w:en:Rock & Roll"]
FORMATS: Final = (
    *("jsonl", "elevant", "elevant-simple", "wned", "nif", "neleval", "csv", "aida", "rel", "rel-response"),
    *("conel", "conel-run"),
)
# What the reader calls it, where that is not the same; simple JSONL is told from the benchmarks by its keys.
READ_AS: Final = {"elevant-simple": "elevant", "rel-response": "rel", "conel-run": "conel"}
# Formats that give the mention beside its span, so that each acceptance can be checked.
WITH_MENTION: Final = ("wned", "nif", "csv", "rel", "rel-response", "conel", "conel-run")
NOISE: Final = [*"<>&\"'\\{}[],:;.\t\n 0x-", "\u00e9", "🙂", "\x00", "\ufeff"]


@dataclass(frozen=True)
class Outcome:
    """What became of one mutated file: `same`, `other` or `refused`, and how near the named line was."""

    kind: str
    near: str
    told: str


def corpus(chance: random.Random) -> list[Document]:
    """Two or three documents of one line, with mentions of whole words."""
    made = []
    for number in range(chance.randint(2, 3)):
        words = [chance.choice(WORDS) for _ in range(chance.randint(4, 9))]
        starts = [sum(map(len, words[:i])) + i for i in range(len(words))]
        marks = []
        for place in sorted(chance.sample(range(len(words)), chance.randint(1, 3))):
            key = chance.choice([*ENTITIES, None])
            entity = Entity("link", key, None) if key else Entity("nil", NIL, None)
            marks.append(Annotation(Span(starts[place], starts[place] + len(words[place])), entity))
        made.append(Document(f"doc{number}", " ".join(words), tuple(marks)))
    return made


def write(made: list[Document], form: str, folder: Path) -> Path:
    """The corpus in a format, in a folder with its texts where they stand apart."""
    if form == "aida":
        return _text(folder / "c.tsv", "".join(map(_aida, made)))
    if form == "rel":
        return _text(folder / "c.jsonl", "".join(map(_rel, made)))
    if form == "rel-response":
        found = {document.name: _response(document) for document in made}
        _texts(made, folder)
        return _text(folder / "c.json", json.dumps(found, indent=1, ensure_ascii=False))
    if form == "conel":
        return _text(folder / "c.json", json.dumps([*map(_dialogue, made)], indent=1, ensure_ascii=False))
    if form == "conel-run":
        _texts(made, folder)
        run = [row for document in made for row in _run(document)]
        return _text(folder / "c.json", json.dumps(run, indent=1, ensure_ascii=False))
    path = folder / f"c{writers.format_of(form).suffix}"
    writers.write(made, path, form=form, name="c", language="en")
    return path


def _text(path: Path, content: str) -> Path:
    path.write_bytes(content.encode())
    return path


def _aida(document: Document) -> str:
    marks = {a.span.start: a for a in document.annotations}
    lines, place = [f"-DOCSTART- ({document.name})"], 0
    for word in document.text.split(" "):
        mark = marks.get(place)
        entity = "--NME--" if mark and mark.entity.kind == "nil" else mark and mark.entity.key
        lines.append(f"{word}\tB\t{word}\t{entity}" if mark else word)
        place += len(word) + 1
    return "\n".join(lines) + "\n\n"


def _texts(made: list[Document], folder: Path) -> None:
    (folder / "texts").mkdir()
    for document in made:
        _text(folder / "texts" / document.name, document.text)


def _dialogue(document: Document) -> dict[str, object]:
    """A dialogue of one turn."""
    marks = [
        {"mention": document.text[slice(*a.span)], "entity": a.entity.key, "span": list(a.span)}
        for a in document.annotations
    ]
    turn = {"turn_number": 0, "utterance": document.text, "el_annotations": marks}
    return {"dialogue_id": document.name, "turns": [turn]}


def _run(document: Document) -> list[list[object]]:
    """The mentions that a run can hold: those that stand once in their turn; one at least."""
    words = document.text.split(" ")
    marks = [(document.text[slice(*a.span)], a.entity.key) for a in document.annotations]
    once = [mark for mark in marks if words.count(mark[0]) == document.text.count(mark[0]) == 1]
    return [[document.name, 0, *mark] for mark in once or [(document.text, "w:en:All")]]


def _response(document: Document) -> list[list[object]]:
    return [
        [a.span.start, a.span.end - a.span.start, document.text[slice(*a.span)], a.entity.key, 0.5]
        for a in document.annotations
    ]


def _rel(document: Document) -> str:
    row = {"id": document.name, "request": {"text": document.text}, "response": _response(document)}
    return json.dumps(row, ensure_ascii=False) + "\n"


def benign(content: str, form: str, chance: random.Random) -> str:
    """The same corpus, written another way."""
    ways: dict[str, list[Callable[[str], str]]] = {
        "jsonl": [_key_order, _blanks],
        "elevant": [_key_order, _blanks],
        "elevant-simple": [_key_order, _blanks],
        "rel-response": [lambda text: json.dumps(json.loads(text)), lambda text: text.replace("\n", "\n\n ")],
        "conel": [_turned_file, lambda text: text.replace("\n", "\n\n\t")],
        "conel-run": [lambda text: json.dumps(json.loads(text), indent=4), lambda text: f"\n {text}\n"],
        "rel": [_key_order, _blanks],
        "csv": [_column_order, _quoted],
        "wned": [
            lambda text: text.replace("><", ">\n  <"),
            lambda text: re.sub(r"\n\s*<", "<", text, count=5),
        ],
        "nif": [
            lambda text: text.replace(" ;", "\n  ;"),
            lambda text: "# a remark\n" + text.replace("\n\n", "\n"),
        ],
        "neleval": [lambda text: text.replace("\n", "\n\n")],
        "aida": [lambda text: text + "\n\n"],
    }
    common: list[Callable[[str], str]] = [lambda text: "\ufeff" + text]
    if form not in ("wned", "nif"):
        common.append(lambda text: text.replace("\n", "\r\n"))
    return chance.choice([*ways[form], *common])(content)


def _turned(value: object) -> object:
    if isinstance(value, dict):
        return {key: _turned(value[key]) for key in reversed(value)}
    return [_turned(item) for item in value] if isinstance(value, list) else value


def _turned_file(text: str) -> str:
    return json.dumps(_turned(json.loads(text)), indent=2)


def _key_order(text: str) -> str:
    return "".join(json.dumps(_turned(json.loads(line))) + "\n" for line in text.splitlines())


def _blanks(text: str) -> str:
    return "\n".join(json.dumps(json.loads(line), separators=(" ,  ", " :\t")) for line in text.splitlines())


def _column_order(text: str) -> str:
    return _csv(text, lambda row: row[::-1], csv.QUOTE_MINIMAL)


def _quoted(text: str) -> str:
    return _csv(text, lambda row: row, csv.QUOTE_ALL)


def _csv(text: str, change: Callable[[list[str]], list[str]], quoting: int) -> str:
    out = io.StringIO()
    rows = csv.reader(io.StringIO(text, newline=""))
    csv.writer(out, quoting=quoting).writerows(change(row) for row in rows)
    return out.getvalue()


def harmful(content: str, chance: random.Random) -> tuple[str, set[int]]:
    """One thing changed somewhere, and the lines it is on."""
    place = chance.randrange(len(content))
    line = content.count("\n", 0, place) + 1
    match chance.randrange(6):
        case 0:
            return content[:place] + content[place + 1 :], {line}
        case 1 | 2 as keep:
            noise = chance.choice(NOISE)
            lines = {line, line + noise.count("\n")}
            return content[:place] + noise + content[place + keep - 1 :], lines
        case 3:
            digits = [match.start() for match in re.finditer(r"\d", content)]
            at = chance.choice(digits)
            changed = content[:at] + str(chance.randrange(10)) + content[at + 1 :]
            return changed, {content.count("\n", 0, at) + 1}
        case 4:
            return content[:place], {line}
        case _:
            rows = content.split("\n")
            return "\n".join([*rows[:line], rows[line - 1], *rows[line:]]), {line, line + 1}


def held(reading: Reading) -> list[tuple[object, ...]]:
    """What was read, without lines and raw spellings."""
    return [
        (d.name, d.text, [(*a.span, a.entity.kind, a.entity.key, a.confidence) for a in d.annotations])
        for d in reading.documents
    ]


def read(path: Path, form: str) -> Reading:
    """The file as it is read, with its texts where they stand apart."""
    texts = path.parent / "texts"
    return read_file(path, format=READ_AS.get(form, form), texts=texts if texts.is_dir() else None)


def judge(path: Path, form: str, before: list[tuple[object, ...]], lines: set[int]) -> Outcome:
    """What became of the file at `path`, changed in `lines`; every acceptance is checked."""
    try:
        reading = read(path, form)
        problems = reading.problems
    except InputError as error:
        problems = error.problems
    if problems:
        return Outcome("refused", _near(problems, path, lines), str(problems[0]))
    content = path.read_text(encoding="utf-8-sig")
    for document in reading.documents:
        for annotation in document.annotations:
            start, end = annotation.span
            assert 0 <= start < end <= len(document.text)
            mention = document.text[start:end]
            assert form not in WITH_MENTION or _written(mention, content, form), (mention, content)
    return Outcome("same" if held(reading) == before else "other", "", "")


def _written(mention: str, content: str, form: str) -> bool:
    """Whether a mention stands in the file in some spelling of the format."""
    plain = (
        mention.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") if form == "wned" else mention
    )
    escaped = json.dumps(mention)[1:-1]
    content = content.replace("\\/", "/")  # an escape that JSON allows and nobody writes
    return any(spelled in content for spelled in (plain, mention, escaped, mention.replace('"', '""')))


def _near(problems: tuple[object, ...] | list[object], path: Path, lines: set[int]) -> str:
    """Whether one of the lines is named, or lies between two that one message names."""
    between = False
    anywhere = False
    for told in map(str, problems):
        named = {int(n) for n in re.findall(rf"{re.escape(str(path))}:(\d+)", told)}
        for numbers in re.findall(r"\blines? (\d+(?:(?:, | to | and )\d+)*)", told):
            named |= {int(n) for n in re.findall(r"\d+", numbers)}
        for first, last in re.findall(r"\blines (\d+) to (\d+)", told):
            named |= set(range(int(first), int(last) + 1))
        if lines & named:
            return "line"
        anywhere = anywhere or bool(named)
        between = between or (bool(named) and any(min(named) < line < max(named) for line in lines))
    return "between" if between else "elsewhere" if anywhere else "nowhere"


def run(form: str, count: int, seed: int, folder: Path) -> dict[str, object]:
    """Mutate `count` files of a format; half of them only in what means nothing."""
    chance = random.Random(f"{seed}:{form}")
    kinds: Counter[str] = Counter()
    near: Counter[str] = Counter()
    examples: dict[str, list[str]] = {}
    for number in range(count):
        here = folder / form
        shutil.rmtree(here, ignore_errors=True)
        here.mkdir()
        made = corpus(chance)
        path = write(made, form, here)
        before = held(read(path, form))
        content = path.read_bytes().decode()
        if number % 2:
            path.write_bytes(benign(content, form, chance).encode())
            after = read(path, form)
            assert not after.problems, after.problems
            assert held(after) == before
            kinds["benign, equal"] += 1
            continue
        changed, lines = harmful(content, chance)
        path.write_bytes(changed.encode("utf-8", "surrogatepass"))
        outcome = judge(path, form, before, lines)
        kinds[f"harmful, {outcome.kind}"] += 1
        if outcome.near:
            near[outcome.near] += 1
            if outcome.near not in ("", "line") and len(examples.setdefault(outcome.near, [])) < 5:
                examples[outcome.near].append(
                    f"changed in line {min(lines)}: {outcome.told}".replace(str(here), "")
                )
    return {
        "format": form,
        "files": count,
        **dict(sorted(kinds.items())),
        "named": dict(sorted(near.items())),
        "examples": examples,
    }
