"""A study small enough to follow by hand: four documents, a ground truth, two models, a knowledge base."""

from __future__ import annotations

import json
from pathlib import Path

TEXTS = {
    "d1": "Paris is the capital of France. The river there is called the Seine.",
    "d2": "Zoë 🙂 Müller met Angela Merkel in München🙂 before flying on to Rome.",
    "d3": "Nobody in Texas had heard the Boss sing in Paris before he came to Austin.",
    "d4": "Apple has opened a shop in Rome, close to the old bridge over the Tiber.",
}

# Mention and entity by document; None is NIL. On each document all sources agree on two links at least: what
# controls are made of.
GT = {
    "d1": {"Paris": "Q90", "France": "Q142", "Seine": "Q1471"},
    "d2": {"Zoë 🙂 Müller": None, "Angela Merkel": "Q567", "München": "Q1726", "Rome": "Q220"},
    "d3": {"Texas": "Q1439", "Boss": "Q1225", "Paris": "Q90", "Austin": "Q16559"},
    "d4": {"Apple": "Q312", "Rome": "Q220", "Tiber": "Q13712"},
}
ALPHA = {
    "d1": {"Paris": "Q830149", "France": "Q142", "Seine": "Q1471"},
    "d2": {"Angela Merkel": "Q567", "München": "Q1726", "Rome": "Q220"},
    "d3": {"Texas": "Q1439", "the Boss": "Q1225", "Paris": "Q90", "Austin": "Q16559"},
    "d4": {"Apple": "Q89", "Rome": "Q220", "Tiber": "Q13712"},
}
BETA = {
    "d1": {"France": "Q142", "Seine": "Q1471"},
    "d2": {"Merkel": "Q567", "München": "Q1726", "Rome": "Q220"},
    "d3": {"Texas": "Q831717", "Paris": "Q90", "Austin": "Q16559"},
    "d4": {"Apple": "Q312", "Rome": "Q220", "Tiber": "Q13712"},
}
SOURCES = {"GT": GT, "Alpha": ALPHA, "Beta": BETA}

# Key, title, description, extract, aliases, popularity.
ENTITIES = [
    ("Q90", "Paris", "capital of France", "Paris is the capital of France.", "City of Light|Paname", 1000),
    ("Q830149", "Paris, Texas", "city in Texas", "Paris is a city in Lamar County.", "Paris", 40),
    ("Q142", "France", "country in Europe", "France is a country.", "French Republic", 900),
    ("Q1471", "Seine", "river in France", "The Seine is a river.", "River Seine", 120),
    ("Q567", "Angela Merkel", "German politician", "She was chancellor of Germany.", "Merkel", 500),
    ("Q1726", "Munich", "city in Germany", "Munich is the capital of Bavaria.", "München", 400),
    ("Q1439", "Texas", "state of the United States", "Texas is a state.", "Lone Star State", 600),
    ("Q831717", "Texas (band)", "Scottish band", "Texas are a band from Glasgow.", "Texas", 50),
    ("Q1225", "Bruce Springsteen", "American singer", "He sings rock.", "The Boss|Boss", 300),
    ("Q16559", "Austin, Texas", "capital of Texas", "Austin is a city.", "Austin", 250),
    ("Q460100", "Austin, Minnesota", "city in Minnesota", "Austin is a city in Mower County.", "Austin", 20),
    ("Q312", "Apple Inc.", "technology company", "Apple makes computers.", "Apple", 800),
    ("Q89", "Apple", "fruit", "An apple is a fruit.", "", 200),
    ("Q220", "Rome", "capital of Italy", "Rome is the capital of Italy.", "Roma", 700),
    ("Q231160", "Rome, Georgia", "city in Georgia", "Rome is a city in Floyd County.", "Rome", 15),
    ("Q13712", "Tiber", "river in Italy", "The Tiber is a river.", "Tevere", 60),
]

STUDY = """\
study: {name: tiny, seed: 5}
datasets: {small: {language: en}}
sources: {GT: {role: ground_truth}, Alpha: {version: "1"}, Beta: {}}
plan: {k: 1, repeat_share: 0}
place: {tasks: 3, controls: 1, minutes: 5, pay: "1.00"}
"""


def lines(marks: dict[str, dict[str, str | None]]) -> str:
    """The documents of one source as posthoc JSONL."""
    rows = []
    for name, text in TEXTS.items():
        found = [
            {"start": text.index(mention), "end": text.index(mention) + len(mention), "entity": entity}
            for mention, entity in marks[name].items()
        ]
        rows.append(json.dumps({"id": name, "text": text, "annotations": found}, ensure_ascii=False) + "\n")
    return "".join(rows)


def write_sources(folder: Path) -> dict[str, Path]:
    """The corpus files of all sources, by source."""
    paths = {}
    for source, marks in SOURCES.items():
        paths[source] = folder / f"{source.lower()}.jsonl"
        paths[source].write_text(lines(marks), encoding="utf-8")
    return paths


def write_kb(path: Path) -> Path:
    """The knowledge base as a table."""
    heading = "key\ttitle\tdescription\textract\taliases\tpopularity\n"
    rows = ("\t".join(map(str, entity)) + "\n" for entity in ENTITIES)
    path.write_text(heading + "".join(rows), encoding="utf-8")
    return path


def truly(text: str, span: tuple[int, int], key: str) -> tuple[str, str | None]:
    """What a worker who knows the ground truth does with a display of the tiny study."""
    document = next(name for name, whole in TEXTS.items() if text in whole)
    mention = text[span[0] : span[1]]
    if mention not in GT[document]:
        return "remove", None
    right = GT[document][mention] or "NIL"
    return ("verify", None) if key == f"wd:{right}" else ("edit", right if right == "NIL" else f"wd:{right}")
